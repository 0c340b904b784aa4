//! Tumbling as published, by hulls and the vertices of k-DOPs (Klosowski et al. 1998, section 4.1).
//!
//! The paper has two methods to compute a k-DOP in the environment's directions around a node of
//! the flying object:
//!
//! 1. *hill-climbing*: the exact k-DOP of the node's hull. The search climbs over the hull from the
//!    vertices that were furthest in the last query;
//! 2. *approximation*: the k-DOP of the transformed vertices of the node's original k-DOP. These
//!    vertices are computed once, by duality.
//!
//! It uses 1 for the root and 2 for the other nodes. Here an option selects the method for each
//! node ([`TumbleOptions`]), so that the two can be compared. Both are conservative including
//! rounding. Each node is tumbled at most once per query, when it is first visited.

use rayon::prelude::*;

use super::BvTree;
use super::tumble::Tumble;
use crate::klosowski::volume::{Dop, RotatedDirections, Volume};
use impinge::convex::Hull;
use impinge::internals::HullInternals as _;
use impinge::internals::support::Climb;
use impinge::math::{Pose, Vec3};
use impinge::mesh::Mesh;
use impinge::{Error, ErrorKind};

/// Hulls of up to this many vertices are not climbed, because evaluating all vertices is faster.
const MAX_VERTICES_TO_SCAN: usize = 32;

/// Which method tumbles which nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TumbleOptions {
    /// Nodes of smaller depth than this are tumbled exactly, by their hulls: none for 0, the root
    /// for 1, all for `u32::MAX`.
    pub hull_levels: u32,
    /// Whether a node is tumbled by the corners of its triangles if these are not more than the
    /// vertices of its k-DOP. This is exact and costs less. Not in the paper.
    pub few_corners: bool,
}

impl TumbleOptions {
    /// As in the paper: hill-climbing for the root, vertices of k-DOPs for the other nodes.
    #[must_use]
    pub const fn published() -> Self {
        Self { hull_levels: 1, few_corners: false }
    }

    /// Vertices of k-DOPs for all nodes.
    #[must_use]
    pub const fn approximate() -> Self {
        Self { hull_levels: 0, few_corners: false }
    }

    /// Hulls for all nodes. Stores one hull per node.
    #[must_use]
    pub const fn exact() -> Self {
        Self { hull_levels: u32::MAX, few_corners: false }
    }
}

impl TumbleOptions {
    /// With this [`hull_levels`](Self#structfield.hull_levels).
    #[must_use]
    pub const fn hull_levels(self, hull_levels: u32) -> Self {
        Self { hull_levels, ..self }
    }

    /// With or without [`few_corners`](Self#structfield.few_corners).
    #[must_use]
    pub const fn few_corners(self, few_corners: bool) -> Self {
        Self { few_corners, ..self }
    }
}

impl Default for TumbleOptions {
    /// As published, and by corners where they are few.
    fn default() -> Self {
        Self { few_corners: true, ..Self::published() }
    }
}

/// Precomputed data for tumbling the k-DOPs of a tree: hulls and vertices in the frame of the mesh.
///
/// ```
/// use impinge::pair::Collect;
/// use impinge_papers::klosowski::bv_tree::{
///     BuildOptions, BvQuery, BvTree, ByShape, DopShapes, Order, TumbleOptions,
/// };
/// use impinge_papers::klosowski::volume::Dop18;
/// use impinge::{Pose, shapes};
///
/// let (pot, ring) = (shapes::uv_sphere(1.0, 24, 48)?, shapes::torus(1.0, 0.2, 32, 16)?);
/// let environment = BvTree::<Dop18>::build(&pot, &BuildOptions::environment());
/// let flying = BvTree::<Dop18>::build(&ring, &BuildOptions::flying());
/// let tumbled = DopShapes::new(&ring, &flying, &TumbleOptions::published())?;
/// let tumble = ByShape::new(&tumbled);
/// let mut query = BvQuery::with_tumble((&pot, &environment), (&ring, &flying), tumble)?;
/// let mut pairs = Collect::default();
/// query.traverse(&Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7)?, Order::Environment, &mut pairs);
/// # assert!(!pairs.pairs.is_empty());
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DopShapes<const HALF: usize> {
    nodes: Vec<Shape>,
    points: Vec<Vec3>,
    hulls: Vec<Hull>,
    /// The key of the tree.
    key: u64,
}

/// The precomputed shape of a node.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// A range of `points`: corners of triangles, or vertices of the node's hull.
    Points(u32, u32),
    /// A range of `points`: vertices of the node's k-DOP.
    Vertices(u32, u32),
    /// The number of a hull.
    Hull(u32),
}

/// A shape before it is stored.
enum NewShape {
    Points(Vec<Vec3>),
    Vertices(Vec<Vec3>),
    Hull(Hull),
}

impl<const HALF: usize> DopShapes<HALF> {
    /// Computes the shapes of all nodes of the tree of a mesh, on all threads. The result does not
    /// depend on the number of threads.
    ///
    /// # Errors
    /// If the numbers of triangles of the tree and the mesh differ, or if there are more points
    /// than a `u32` can index.
    pub fn new(
        mesh: &Mesh,
        tree: &BvTree<Dop<HALF>>,
        options: &TumbleOptions,
    ) -> Result<Self, Error> {
        if mesh.triangles().len() != tree.order().len() {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!(
                    "the mesh has {} triangles and the tree {}: build the tree of this mesh",
                    mesh.triangles().len(),
                    tree.order().len()
                ),
            ));
        }
        let mut depth = vec![0_u32; tree.nodes().len()];
        for (i, node) in tree.nodes().iter().enumerate().skip(1) {
            depth[i] = depth[node.parent() as usize] + 1;
        }
        let found: Vec<NewShape> = (0..tree.nodes().len() as u32)
            .into_par_iter()
            .map(|node| compute_shape(mesh, tree, node, depth[node as usize], options))
            .collect();
        let mut shapes = Self {
            nodes: Vec::with_capacity(found.len()),
            points: vec![],
            hulls: vec![],
            key: tree.key,
        };
        for shape in found {
            let shape = match shape {
                NewShape::Points(points) => {
                    let (start, end) = shapes.store_points(&points)?;
                    Shape::Points(start, end)
                }
                NewShape::Vertices(points) => {
                    let (start, end) = shapes.store_points(&points)?;
                    Shape::Vertices(start, end)
                }
                NewShape::Hull(hull) => {
                    shapes.hulls.push(hull);
                    Shape::Hull(shapes.hulls.len() as u32 - 1)
                }
            };
            shapes.nodes.push(shape);
        }
        Ok(shapes)
    }

    fn store_points(&mut self, points: &[Vec3]) -> Result<(u32, u32), Error> {
        let start = self.points.len();
        self.points.extend_from_slice(points);
        match (u32::try_from(start), u32::try_from(self.points.len())) {
            (Ok(start), Ok(end)) => Ok((start, end)),
            _ => Err(Error::new(
                ErrorKind::TooLarge,
                "the tree's k-DOPs have more than 4294967295 vertices; use a larger threshold",
            )),
        }
    }

    /// Memory of the shapes in bytes, without tree and mesh.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice())
            + size_of_val(self.points.as_slice())
            + self.hulls.iter().map(|h| size_of::<Hull>() + h.heap_bytes()).sum::<usize>()
    }
}

/// Computes the shape of a node.
fn compute_shape<const HALF: usize>(
    mesh: &Mesh,
    tree: &BvTree<Dop<HALF>>,
    node: u32,
    depth: u32,
    options: &TumbleOptions,
) -> NewShape {
    let triangles = tree.triangles_of(node).iter();
    let mut corners: Vec<u32> = triangles.flat_map(|t| mesh.triangles()[*t as usize]).collect();
    corners.sort_unstable();
    corners.dedup();
    let points: Vec<Vec3> = corners.iter().map(|v| mesh.vertices()[*v as usize]).collect();
    if depth < options.hull_levels && points.len() > MAX_VERTICES_TO_SCAN {
        if let Ok(hull) = Hull::new(&points) {
            if hull.vertices().len() > MAX_VERTICES_TO_SCAN {
                return NewShape::Hull(hull);
            }
            return NewShape::Points(hull.vertices().to_vec());
        }
    }
    // A k-DOP that is not flat has at least four vertices.
    if depth < options.hull_levels || (options.few_corners && points.len() <= 4) {
        return NewShape::Points(points);
    }
    let vertices = tree.volumes()[node as usize].vertices(middle::<HALF>(&points));
    if options.few_corners && points.len() <= vertices.len() {
        NewShape::Points(points)
    } else {
        NewShape::Vertices(vertices)
    }
}

/// The mean of the points furthest along the directions and their opposites. It lies strictly
/// between the ends of every slab of nonzero thickness.
fn middle<const HALF: usize>(points: &[Vec3]) -> Vec3 {
    let Some(origin) = points.first() else { return Vec3::ZERO };
    let mut sum = Vec3::ZERO;
    for d in Dop::<HALF>::DIRECTIONS {
        let d = Vec3::from(d.map(f64::from));
        let (mut low, mut high) = ((f64::INFINITY, *origin), (f64::NEG_INFINITY, *origin));
        for p in points {
            let along = d.dot(*p);
            if along < low.0 {
                low = (along, *p);
            }
            if along > high.0 {
                high = (along, *p);
            }
        }
        sum += (low.1 - *origin) + (high.1 - *origin);
    }
    *origin + sum / (2 * HALF) as f64
}

/// Tumbles the nodes of one tree by their [`DopShapes`]. Stores the furthest vertices of the last
/// query, where the climbs of the next query start.
///
/// With a tree other than that of the shapes, it moves the volumes as [`ByMotion`](super::ByMotion)
/// does.
#[derive(Clone, Debug)]
pub struct ByShape<'a, const HALF: usize> {
    shapes: &'a DopShapes<HALF>,
    pose: Pose,
    rotated: RotatedDirections<HALF>,
    climb: Climb,
    /// For each hull and direction, the furthest vertex found in the last climb.
    furthest: Vec<Vec<u32>>,
}

impl<'a, const HALF: usize> ByShape<'a, HALF> {
    /// Without start vertices from an earlier query.
    #[must_use]
    pub fn new(shapes: &'a DopShapes<HALF>) -> Self {
        Self {
            shapes,
            pose: Pose::IDENTITY,
            rotated: RotatedDirections::new(&Pose::IDENTITY),
            climb: Climb::default(),
            furthest: vec![vec![0; 2 * HALF]; shapes.hulls.len()],
        }
    }

    /// The number of hull vertices evaluated by all climbs together.
    #[must_use]
    pub fn vertices_evaluated(&self) -> u64 {
        self.climb.evaluated()
    }
}

impl<const HALF: usize> Tumble<Dop<HALF>> for ByShape<'_, HALF> {
    fn begin(&mut self, pose: &Pose) {
        self.pose = *pose;
        self.rotated = RotatedDirections::new(pose);
    }

    fn volume(&mut self, tree: &BvTree<Dop<HALF>>, node: u32) -> Dop<HALF> {
        let own = &tree.volumes()[node as usize];
        if self.pose == Pose::IDENTITY {
            return *own;
        }
        let points = |start: u32, end: u32| &self.shapes.points[start as usize..end as usize];
        match self.shapes.nodes.get(node as usize) {
            Some(shape) if self.shapes.key == tree.key => match *shape {
                Shape::Points(start, end) => self.rotated.around(own, points(start, end), false),
                Shape::Vertices(start, end) => self.rotated.around(own, points(start, end), true),
                Shape::Hull(number) => {
                    let hull = &self.shapes.hulls[number as usize];
                    let furthest = &mut self.furthest[number as usize];
                    let climb = &mut self.climb;
                    self.rotated.around_extremes(own, |end, direction| {
                        furthest[end] = hull.climb(direction, furthest[end], climb);
                        hull.vertices()[furthest[end] as usize]
                    })
                }
            },
            _ => own.transformed(&self.pose),
        }
    }
}
