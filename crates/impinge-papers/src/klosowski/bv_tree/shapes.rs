//! Tumbling as published: hulls and the vertices of k-DOPs (Klosowski et al. 1998, section 4.1).
//!
//! The paper has two ways to put a k-DOP of the environment's directions around a node of the
//! flying object:
//!
//! 1. *hill-climbing*: the k-DOP of the node's hull, exact, by climbing over the hull from the
//!    vertices that were furthest in the last query;
//! 2. *approximation*: the k-DOP of the transformed vertices of the node's original k-DOP, which
//!    are found once, by duality.
//!
//! It uses 1 for the root and 2 elsewhere. Which nodes get which is an option here
//! ([`TumbleOptions`]), so that the two can be compared. Both are conservative including rounding,
//! and each node is tumbled at most once a query, when it is first looked at.

use rayon::prelude::*;

use super::BvTree;
use super::tumble::Tumble;
use crate::klosowski::volume::{Dop, Turned, Volume};
use impinge::convex::Hull;
use impinge::internals::HullInternals as _;
use impinge::internals::support::Climb;
use impinge::math::{Pose, Vec3};
use impinge::mesh::Mesh;
use impinge::{Error, ErrorKind};

/// Hulls of so many vertices or fewer are not climbed: asking all vertices is quicker.
const FEW: usize = 32;

/// Which nodes are tumbled how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TumbleOptions {
    /// Nodes less deep than this are tumbled exactly, by their hulls: none for 0, the root for 1,
    /// all for `u32::MAX`.
    pub hull_levels: u32,
    /// Whether a node with no more corners than its k-DOP has vertices is tumbled by its corners,
    /// which is exact and costs less. Not in the paper.
    pub few_corners: bool,
}

impl TumbleOptions {
    /// As the paper does it: hill-climbing for the root, vertices of k-DOPs elsewhere.
    #[must_use]
    pub fn published() -> Self {
        Self { hull_levels: 1, few_corners: false }
    }

    /// Vertices of k-DOPs everywhere.
    #[must_use]
    pub fn approximate() -> Self {
        Self { hull_levels: 0, few_corners: false }
    }

    /// Hulls everywhere. Takes memory for a hull a node.
    #[must_use]
    pub fn exact() -> Self {
        Self { hull_levels: u32::MAX, few_corners: false }
    }
}

impl Default for TumbleOptions {
    /// As published, and by corners where they are few.
    fn default() -> Self {
        Self { few_corners: true, ..Self::published() }
    }
}

/// What tumbling the k-DOPs of a tree needs: hulls and vertices, found once, in the mesh's frame.
///
/// ```
/// use impinge::pair::Collect;
/// use impinge_papers::klosowski::bv_tree::{BuildOptions, ByShape, BvQuery, BvTree, DopShapes, Order, TumbleOptions};
/// use impinge_papers::klosowski::volume::Dop18;
/// use impinge::{Pose, shapes};
///
/// let (pot, ring) = (shapes::uv_sphere(1.0, 24, 48)?, shapes::torus(1.0, 0.2, 32, 16)?);
/// let environment = BvTree::<Dop18>::build(&pot, &BuildOptions::environment());
/// let flying = BvTree::<Dop18>::build(&ring, &BuildOptions::flying());
/// let tumbled = DopShapes::new(&ring, &flying, &TumbleOptions::published())?;
/// let mut query = BvQuery::with_tumble((&pot, &environment), (&ring, &flying), ByShape::new(&tumbled))?;
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
    /// Of the tree.
    key: u64,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// A range of points: corners, or vertices of the node's hull.
    Points(u32, u32),
    /// A range of points: vertices of the node's k-DOP.
    Vertices(u32, u32),
    /// A hull, by its number.
    Hull(u32),
}

/// A shape before it has its place.
enum Found {
    Points(Vec<Vec3>),
    Vertices(Vec<Vec3>),
    Hull(Hull),
}

impl<const HALF: usize> DopShapes<HALF> {
    /// Finds the shapes of all nodes of the tree of a mesh. On all threads; the same on any number.
    ///
    /// # Errors
    /// If the tree has not as many triangles as the mesh, or there are more points than `u32` can
    /// number.
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
        let found: Vec<Found> = (0..tree.nodes().len() as u32)
            .into_par_iter()
            .map(|node| find(mesh, tree, node, depth[node as usize], options))
            .collect();
        let mut shapes = Self {
            nodes: Vec::with_capacity(found.len()),
            points: vec![],
            hulls: vec![],
            key: tree.key,
        };
        for shape in found {
            let shape = match shape {
                Found::Points(points) => {
                    let (start, end) = shapes.keep(&points)?;
                    Shape::Points(start, end)
                }
                Found::Vertices(points) => {
                    let (start, end) = shapes.keep(&points)?;
                    Shape::Vertices(start, end)
                }
                Found::Hull(hull) => {
                    shapes.hulls.push(hull);
                    Shape::Hull(shapes.hulls.len() as u32 - 1)
                }
            };
            shapes.nodes.push(shape);
        }
        Ok(shapes)
    }

    fn keep(&mut self, points: &[Vec3]) -> Result<(u32, u32), Error> {
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

    /// Bytes the shapes take beside tree and mesh.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(self.nodes.as_slice())
            + size_of_val(self.points.as_slice())
            + self.hulls.iter().map(|h| size_of::<Hull>() + h.heap_bytes()).sum::<usize>()
    }
}

/// The shape of a node.
fn find<const HALF: usize>(
    mesh: &Mesh,
    tree: &BvTree<Dop<HALF>>,
    node: u32,
    depth: u32,
    options: &TumbleOptions,
) -> Found {
    let triangles = tree.triangles_of(node).iter();
    let mut corners: Vec<u32> = triangles.flat_map(|t| mesh.triangles()[*t as usize]).collect();
    corners.sort_unstable();
    corners.dedup();
    let points: Vec<Vec3> = corners.iter().map(|v| mesh.vertices()[*v as usize]).collect();
    if depth < options.hull_levels && points.len() > FEW {
        if let Ok(hull) = Hull::new(&points) {
            if hull.vertices().len() > FEW {
                return Found::Hull(hull);
            }
            return Found::Points(hull.vertices().to_vec());
        }
    }
    // The least number of vertices of a k-DOP that is not flat is four.
    if depth < options.hull_levels || (options.few_corners && points.len() <= 4) {
        return Found::Points(points);
    }
    let vertices = tree.volumes()[node as usize].vertices(middle::<HALF>(&points));
    if options.few_corners && points.len() <= vertices.len() {
        Found::Points(points)
    } else {
        Found::Vertices(vertices)
    }
}

/// The mean of the points furthest along the directions and their opposites: strictly between the
/// ends of every slab that has an inside.
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

/// Tumbles the nodes of one tree by their [`DopShapes`]. Keeps the furthest vertices of the last
/// query, where the climbs of the next one start.
///
/// Used with another tree than the shapes were made of, it moves the volumes as
/// [`ByMotion`](super::ByMotion) does.
#[derive(Clone, Debug)]
pub struct ByShape<'a, const HALF: usize> {
    shapes: &'a DopShapes<HALF>,
    pose: Pose,
    turned: Turned<HALF>,
    climb: Climb,
    /// By hull, then by direction: the furthest vertex when last asked.
    furthest: Vec<Vec<u32>>,
}

impl<'a, const HALF: usize> ByShape<'a, HALF> {
    /// With nothing known of a last query.
    #[must_use]
    pub fn new(shapes: &'a DopShapes<HALF>) -> Self {
        Self {
            shapes,
            pose: Pose::IDENTITY,
            turned: Turned::new(&Pose::IDENTITY),
            climb: Climb::default(),
            furthest: vec![vec![0; 2 * HALF]; shapes.hulls.len()],
        }
    }

    /// How many vertices of hulls all climbs together have looked at.
    #[must_use]
    pub fn climbed(&self) -> u64 {
        self.climb.evaluated()
    }
}

impl<const HALF: usize> Tumble<Dop<HALF>> for ByShape<'_, HALF> {
    fn begin(&mut self, pose: &Pose) {
        self.pose = *pose;
        self.turned = Turned::new(pose);
    }

    fn volume(&mut self, tree: &BvTree<Dop<HALF>>, node: u32) -> Dop<HALF> {
        let own = &tree.volumes()[node as usize];
        if self.pose == Pose::IDENTITY {
            return *own;
        }
        let points = |start: u32, end: u32| &self.shapes.points[start as usize..end as usize];
        match self.shapes.nodes.get(node as usize) {
            Some(shape) if self.shapes.key == tree.key => match *shape {
                Shape::Points(start, end) => self.turned.around(own, points(start, end), false),
                Shape::Vertices(start, end) => self.turned.around(own, points(start, end), true),
                Shape::Hull(number) => {
                    let hull = &self.shapes.hulls[number as usize];
                    let furthest = &mut self.furthest[number as usize];
                    let climb = &mut self.climb;
                    self.turned.around_extremes(own, |end, direction| {
                        furthest[end] = hull.climb(direction, furthest[end], climb);
                        hull.vertices()[furthest[end] as usize]
                    })
                }
            },
            _ => own.transformed(&self.pose),
        }
    }
}
