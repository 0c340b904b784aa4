//! Polygon meshes: triangles, adjacency, defects, classification and mass properties.
//!
//! A [`Mesh`] consists of polygons with any number of corners. Each polygon is triangulated once,
//! at construction, and all queries refer to those triangles. Derived data (half-edges, shells,
//! classification, defects) is computed on first use and cached. Boundary representation and
//! classification follow Zachmann 1994, chapter 4.

mod area_sign;
mod build;
mod classify;
mod components;
mod connectivity;
mod convexity;
mod corner_tree;
mod defects;
mod defects_text;
mod deforming;
mod derive;
mod edges;
mod fingerprint;
mod mass;
mod orientation;
mod polygon_checks;
mod polytope;
#[cfg(feature = "serde")]
mod serial;
mod sides;
mod topology;
mod triangulate;
mod union_find;
mod weld;

use std::fmt;
use std::io::Read;
use std::ops::{ControlFlow, Range};
use std::sync::{Arc, OnceLock};

pub use classify::{Classification, PLANAR_TOLERANCE};
pub use components::Components;
pub use convexity::NotConvex;
pub use defects::{
    Defects, DegenerateKind, DegeneratePolygon, DuplicatePolygon, MisorientedEdge, NonManifoldEdge,
    NonManifoldVertex, NonPlanarPolygon, OpenEdge,
};
pub(crate) use deforming::MeshRefitState;
pub use deforming::{DeformOptions, Deforming};
pub use edges::Edges;
pub use fingerprint::Fingerprint;
pub use mass::MassProperties;
pub use topology::{Topology, VertexFan};
pub use triangulate::triangulate_polygon;
pub use weld::Weld;

use crate::convex::PointCloud;
use crate::error::Error;
use crate::exact::{is_inside, ray_crossing};
use crate::math::{Aabb, Pose, Vec3};
use crate::tree::Tree;
use connectivity::Connectivity;

/// Meshes with more used vertices have no [`Mesh::cloud`].
const MAX_CLOUD_VERTICES: usize = 1 << 14;

/// Polygons in space, cut into triangles.
///
/// Vertices, polygons and triangles are numbered from zero in the order they were given; the
/// triangles of one polygon have consecutive numbers. Nothing is dropped: polygons of zero area,
/// repeated corners, duplicate polygons and unused vertices are kept, and [`Mesh::defects`] lists
/// them. A mesh without polygons is legal.
///
/// A mesh is immutable; [`Deforming`] is a mesh whose vertices move. Clones, and meshes made by
/// [`Mesh::transformed`] or [`Mesh::with_vertices`], share all data that does not depend on
/// coordinates.
///
/// ```
/// use impinge::{Mesh, Vec3};
///
/// // A unit square in one polygon: two triangles.
/// let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
/// let vertices = corners.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
/// let mesh = Mesh::from_polygons(vertices, [[0, 1, 2, 3]])?;
/// assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
/// assert_eq!(mesh.polygon_of(1), 0);
/// assert!(!mesh.classification().closed);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone)]
pub struct Mesh {
    vertices: Vec<Vec3>,
    connectivity: Arc<Connectivity>,
    bounds: Aabb,
    defects: OnceLock<Box<Defects>>,
    classification: OnceLock<Box<Classification>>,
    tree: OnceLock<Arc<Tree>>,
    cloud: OnceLock<Option<Arc<PointCloud>>>,
    fingerprint: OnceLock<Fingerprint>,
    is_box: OnceLock<bool>,
}

impl Mesh {
    /// Combines checked vertices with a connectivity whose indices are in range.
    fn assemble(vertices: Vec<Vec3>, connectivity: impl Into<Arc<Connectivity>>) -> Self {
        let connectivity = connectivity.into();
        debug_assert_eq!(vertices.len(), connectivity.vertex_count);
        let bounds =
            Aabb::from_points(connectivity.corners().iter().map(|v| vertices[*v as usize]));
        Self {
            vertices,
            connectivity,
            bounds,
            defects: OnceLock::new(),
            classification: OnceLock::new(),
            tree: OnceLock::new(),
            cloud: OnceLock::new(),
            fingerprint: OnceLock::new(),
            is_box: OnceLock::new(),
        }
    }

    /// The vertices, in the mesh's own frame.
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The triangles, as indices into the vertices.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.connectivity.triangles
    }

    /// The corners of one triangle.
    ///
    /// # Panics
    /// If there is no such triangle.
    #[inline]
    #[must_use]
    pub fn triangle(&self, index: usize) -> [Vec3; 3] {
        // Written out: `map` of an array takes twice as many instructions here.
        let [p, q, r] = self.connectivity.triangles[index];
        [self.vertices[p as usize], self.vertices[q as usize], self.vertices[r as usize]]
    }

    /// The box around all polygons, without unused vertices. [`Aabb::EMPTY`] if there are no
    /// polygons.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The tight box of the mesh moved by `pose`, in the target frame of the pose. Takes one pass
    /// over the vertices. [`Aabb::transformed`] of [`Mesh::bounds`] takes constant time, but its
    /// box has up to about twice the volume (Zachmann 1994, section 5.2).
    #[must_use]
    pub fn bounds_at(&self, pose: &Pose) -> Aabb {
        let used = self.connectivity.used().iter();
        Aabb::from_points(used.map(|v| pose.transform_point(self.vertices[*v as usize])))
    }

    /// The vertices that are corners of polygons, ascending. Computed once.
    #[must_use]
    pub fn used_vertices(&self) -> &[u32] {
        self.connectivity.used()
    }

    /// The number of polygons.
    #[must_use]
    pub fn polygon_count(&self) -> usize {
        self.connectivity.polygon_count()
    }

    /// The corners of one polygon, as indices into the vertices.
    ///
    /// # Panics
    /// If there is no such polygon.
    #[must_use]
    pub fn polygon(&self, polygon: usize) -> &[u32] {
        self.connectivity.polygon(polygon)
    }

    /// The polygon that a triangle is part of.
    ///
    /// # Panics
    /// If there is no such triangle.
    #[must_use]
    pub fn polygon_of(&self, triangle: usize) -> u32 {
        self.connectivity.polygon_of(triangle)
    }

    /// The triangles of a polygon: two fewer than it has corners.
    ///
    /// # Panics
    /// If there is no such polygon.
    #[must_use]
    pub fn triangles_of(&self, polygon: usize) -> Range<usize> {
        self.connectivity.triangles_of(polygon)
    }

    /// Whether every polygon is a triangle, so that polygon `i` is triangle `i`.
    #[must_use]
    pub fn is_triangulated(&self) -> bool {
        self.connectivity.polygons.is_none()
    }

    /// Whether there are no polygons.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.connectivity.triangles.is_empty()
    }

    /// The points of one polygon.
    fn polygon_points(&self, polygon: usize) -> impl ExactSizeIterator<Item = Vec3> + Clone + '_ {
        self.polygon(polygon).iter().map(|v| self.vertices[*v as usize])
    }

    /// The half-edges of the polygons and their adjacency. Computed once.
    #[must_use]
    pub fn topology(&self) -> Topology<'_> {
        Topology::of(&self.connectivity)
    }

    /// The unique undirected edges of the triangulation, diagonals included, with their incident
    /// triangles. Computed once.
    #[must_use]
    pub fn edges(&self) -> &Edges {
        self.connectivity.triangle_edges()
    }

    /// The components connected through common edges. Computed once.
    #[must_use]
    pub fn shells(&self) -> &Components {
        self.connectivity.shells()
    }

    /// The components connected through common vertices; at most as many as there are shells.
    /// Computed once.
    #[must_use]
    pub fn clusters(&self) -> &Components {
        self.connectivity.clusters()
    }

    /// Everything invalid or unusual in the mesh, as complete lists. Computed once.
    #[must_use]
    pub fn defects(&self) -> &Defects {
        self.defects.get_or_init(|| Box::new(Defects::find(self)))
    }

    /// The properties of the mesh as a surface. Computed once.
    #[must_use]
    pub fn classification(&self) -> &Classification {
        self.classification.get_or_init(|| Box::new(Classification::of(self)))
    }

    /// The tree over the triangles that pair queries traverse. Built once, on first use; clones
    /// share it.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        if let Some(tree) = self.tree.get() {
            return tree;
        }
        // Built before the lock is taken: the build may share work with other threads, and those
        // threads may request the same tree.
        let tree = Arc::new(Tree::build(self));
        self.tree.get_or_init(|| tree)
    }

    /// The tree, if it was built or read.
    #[inline]
    pub(crate) fn built_tree(&self) -> Option<&Tree> {
        self.tree.get().map(|tree| &**tree)
    }

    /// Builds everything that queries within a budget need: the [tree](Self::tree), the
    /// [topology](Self::topology), the [shells](Self::shells) and the list of
    /// [used vertices](Self::used_vertices). Such queries never build them themselves, because that
    /// takes longer than most budgets.
    pub fn prepare(&self) {
        let _ = (self.tree(), self.derive_for_solids(&mut || ControlFlow::Continue(())));
    }

    /// As [`prepare`](Self::prepare), with progress: `report` receives the number of triangles that
    /// are done, out of all [`triangles`](Self::triangles). It is called by any thread of the
    /// current `rayon` pool, after every few thousand triangles; numbers may arrive out of order,
    /// and the last one several times. [`ControlFlow::Break`] cancels the work, within about the
    /// time that one thread takes to sort all triangles once. Returns whether the mesh is prepared.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use impinge::shapes;
    ///
    /// let ball = shapes::icosphere(1.0, 40)?;
    /// let count = ball.triangles().len();
    /// assert!(!ball.prepare_with(&|_| ControlFlow::Break(())) && !ball.is_prepared());
    /// let report = |done| {
    ///     println!("{} %", 100 * done / count);
    ///     ControlFlow::Continue(())
    /// };
    /// assert!(ball.prepare_with(&report) && ball.is_prepared());
    /// # Ok::<(), impinge::Error>(())
    /// ```
    #[must_use]
    pub fn prepare_with(&self, report: &(dyn Fn(usize) -> ControlFlow<()> + Sync)) -> bool {
        if self.is_prepared() {
            return true;
        }
        if self.built_tree().is_none() {
            let Some(tree) = Tree::build_watched(self, report) else { return false };
            // Another thread may have built the same tree in the meantime.
            let _ = self.tree.set(Arc::new(tree));
        }
        let count = self.triangles().len();
        self.derive_for_solids(&mut || report(count)).is_continue()
    }

    /// Computes what queries of solids need, in steps, unless `report` cancels it before a step.
    fn derive_for_solids(&self, report: &mut dyn FnMut() -> ControlFlow<()>) -> ControlFlow<()> {
        report()?;
        let _ = self.used_vertices();
        let _ = self.topology();
        report()?;
        let _ = self.topology().is_closed();
        let _ = self.shells();
        ControlFlow::Continue(())
    }

    /// Whether the mesh is [prepared](Self::prepare).
    #[inline]
    #[must_use]
    pub fn is_prepared(&self) -> bool {
        let shared = &self.connectivity;
        self.built_tree().is_some()
            && shared.used.get().is_some()
            && shared.closed_and_balanced.get().is_some()
            && shared.shells.get().is_some()
    }

    /// The hull of the mesh, used to show that two meshes are separated. `None` for a mesh without
    /// polygons, and for a mesh with more than [`MAX_CLOUD_VERTICES`] used vertices, for which a
    /// tree query is faster. Computed once; clones share it.
    pub(crate) fn cloud(&self) -> Option<&PointCloud> {
        let build = || {
            let used = self.used_vertices();
            let points = || used.iter().map(|v| self.vertices[*v as usize]).collect();
            (1..=MAX_CLOUD_VERTICES)
                .contains(&used.len())
                .then(|| Arc::new(PointCloud::new(points())))
        };
        self.cloud.get_or_init(build).as_deref()
    }

    /// Reads the tree from data written by [`Tree::write`] and keeps it, instead of building it.
    /// Returns whether it was kept; it is discarded if the mesh already has a tree.
    ///
    /// # Errors
    /// As [`Tree::read`]; the tree is then built on first use.
    pub fn restore_tree(&self, input: impl Read) -> Result<bool, Error> {
        let tree = Tree::read(input, self)?;
        Ok(self.tree.set(Arc::new(tree)).is_ok())
    }

    /// Whether the mesh encloses an interior: it is closed and has triangles.
    ///
    /// Vertices with equal coordinates but different indices are different vertices. Use
    /// [`Mesh::welded`] to turn a triangle soup into a solid.
    #[must_use]
    pub fn is_solid(&self) -> bool {
        !self.is_empty() && self.connectivity.closed_and_balanced()[0]
    }

    /// Whether every edge has as many sides in one direction as in the other:
    /// [`Topology::is_balanced`], without the half-edges. Computed once.
    pub(crate) fn is_balanced(&self) -> bool {
        self.connectivity.closed_and_balanced()[1]
    }
}

impl Mesh {
    /// Whether the mesh bounds exactly its axis-aligned box. Computed once.
    ///
    /// If every triangle lies in a side of the box, the winding number is the same in the whole
    /// interior. If the interior is inside the mesh, then every point of the sides is on the
    /// surface, because otherwise the inside would be connected with the outside.
    pub(crate) fn is_box(&self) -> bool {
        *self.is_box.get_or_init(|| {
            let Aabb { min, max } = self.bounds;
            let in_a_side = |t: usize| {
                let [p, q, r] = self.triangle(t);
                let all = |side: Vec3| p.cmpeq(side) & q.cmpeq(side) & r.cmpeq(side);
                (all(min) | all(max)).any()
            };
            let center = self.bounds.center();
            let count = self.triangles().len();
            center.cmpgt(min).all()
                && center.cmplt(max).all()
                && (0..count).all(in_a_side)
                && self.is_solid()
                && (0..count)
                    .map(|t| ray_crossing(center, &self.triangle(t)))
                    .sum::<Option<i64>>()
                    .is_some_and(|winding| is_inside(winding, self.is_balanced()))
        })
    }
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mesh")
            .field("vertices", &self.vertices.len())
            .field("polygons", &self.polygon_count())
            .field("triangles", &self.triangles().len())
            .field("bounds", &self.bounds)
            .finish_non_exhaustive()
    }
}
