//! The properties of one part that `impinge info` reports.

use std::collections::BTreeMap;
use std::time::Instant;

use impinge::convex::Hull;
use impinge::mesh::{Classification, Defects};
use impinge::scene::Scene;
use impinge::tree::TreeSize;
use impinge::{Aabb, Mesh, Vec3};

use crate::cache::{Cache, Source};

/// All properties of a part. Lengths, areas and volumes are in the unit of the coordinates.
#[derive(Clone, Debug)]
pub(crate) struct InfoRow<'a> {
    /// The name of the part.
    pub(crate) name: &'a str,
    /// Number of vertices, including unused ones.
    pub(crate) vertices: usize,
    /// Number of polygons in the file.
    pub(crate) polygons: usize,
    /// Number of triangles after triangulation of the polygons.
    pub(crate) triangles: usize,
    /// The tight box in the scene's frame; `None` without triangles.
    pub(crate) bounds: Option<Aabb>,
    /// The class of the surface: closed, manifold, convex and so on.
    pub(crate) class: &'a Classification,
    /// The defects of the mesh.
    pub(crate) defects: &'a Defects,
    /// The area of the surface.
    pub(crate) area: f64,
    /// Mass properties, if the mesh encloses a solid.
    pub(crate) solid: Option<SolidFacts>,
    /// The convex polytope, if the mesh is convex.
    pub(crate) hull: Option<HullFacts>,
    /// The bounding volume tree of the mesh.
    pub(crate) tree: TreeFacts,
}

/// The polytope of a convex part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HullFacts {
    /// Number of corners; vertices inside faces or edges do not count.
    pub(crate) vertices: usize,
    /// Number of faces; coplanar neighbours count as one.
    pub(crate) faces: usize,
}

/// The size and origin of a part's tree. Parts that share a mesh share its tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeFacts {
    /// Nodes, leaves, depth and bytes.
    pub(crate) size: TreeSize,
    /// Whether it was built or read from the cache.
    pub(crate) source: Source,
    /// Seconds to build or read it.
    pub(crate) seconds: f64,
    /// Whether an earlier part has the same tree.
    pub(crate) shared: bool,
}

/// Builds or reads the trees of the parts of a scene, one after the other, and measures the time.
/// The second value lists problems with files of the cache.
pub(crate) fn trees(scene: &Scene, cache: Option<&Cache>) -> (Vec<TreeFacts>, Vec<String>) {
    let mut known: BTreeMap<*const Mesh, TreeFacts> = BTreeMap::new();
    let (mut facts, mut problems) = (Vec::new(), Vec::new());
    for part in scene.parts() {
        let mesh = &*part.mesh;
        if let Some(first) = known.get(&std::ptr::from_ref(mesh)) {
            facts.push(TreeFacts { shared: true, ..*first });
            continue;
        }
        let start = Instant::now();
        let (source, problem) =
            cache.map_or((Source::Built, None), |cache| cache.ensure_tree(mesh));
        let size = mesh.tree().size();
        let seconds = start.elapsed().as_secs_f64();
        let own = TreeFacts { size, source, seconds, shared: false };
        known.insert(std::ptr::from_ref(mesh), own);
        facts.push(own);
        problems.extend(problem);
    }
    (facts, problems)
}

/// Mass properties of a solid of density one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolidFacts {
    /// The enclosed volume; negative if the polygons face inward.
    pub(crate) volume: f64,
    /// The centre of mass, in the scene's frame.
    pub(crate) centroid: Vec3,
    /// The rows of the inertia tensor about the centroid, in the part's own frame.
    pub(crate) inertia: [[f64; 3]; 3],
}

impl<'a> InfoRow<'a> {
    /// The properties of part `index` of `scene`.
    pub(crate) fn of(scene: &'a Scene, index: usize, name: &'a str, tree: TreeFacts) -> Self {
        let part = &scene.parts()[index];
        let mesh = &*part.mesh;
        let bounds = scene.bounds_of(index);
        let solid = mesh.mass_properties().ok().map(|mass| SolidFacts {
            volume: mass.volume,
            centroid: part.pose.transform_point(mass.centroid),
            inertia: mass.inertia.transpose().to_cols_array_2d(),
        });
        let convex = mesh.classification().convex;
        let hull = convex.then(|| Hull::from_mesh(mesh).ok()).flatten();
        Self {
            name,
            vertices: mesh.vertices().len(),
            polygons: mesh.polygon_count(),
            triangles: mesh.triangles().len(),
            bounds: (!bounds.is_empty()).then_some(bounds),
            class: mesh.classification(),
            defects: mesh.defects(),
            area: mesh.area(),
            solid,
            hull: hull.map(|h| HullFacts { vertices: h.vertices().len(), faces: h.face_count() }),
            tree,
        }
    }
}
