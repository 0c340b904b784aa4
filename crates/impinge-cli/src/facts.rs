//! What one part is, as `impinge info` reports it: the one place that asks the mesh.

use std::collections::BTreeMap;
use std::time::Instant;

use impinge::convex::Hull;
use impinge::mesh::{Classification, Defects};
use impinge::scene::Scene;
use impinge::tree::TreeSize;
use impinge::{Aabb, Mesh, Vec3};

use crate::cache::{Cache, Source};

/// Everything `impinge info` says about a part. Lengths, areas and volumes are in the unit of the
/// coordinates.
#[derive(Clone, Debug)]
pub(crate) struct InfoRow<'a> {
    /// What the part is called.
    pub(crate) name: &'a str,
    /// Vertices, used or not.
    pub(crate) vertices: usize,
    /// Polygons as they are in the file.
    pub(crate) polygons: usize,
    /// Triangles the polygons were cut into.
    pub(crate) triangles: usize,
    /// The tight box in the scene's frame; `None` without triangles.
    pub(crate) bounds: Option<Aabb>,
    /// What kind of surface it is.
    pub(crate) class: &'a Classification,
    /// What is wrong with it.
    pub(crate) defects: &'a Defects,
    /// The area of the surface.
    pub(crate) area: f64,
    /// Of the enclosed space, if there is any.
    pub(crate) solid: Option<SolidFacts>,
    /// Of the polytope it bounds, if it is convex.
    pub(crate) hull: Option<HullFacts>,
    /// The tree that queries descend.
    pub(crate) tree: TreeFacts,
}

/// What a convex part comes down to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HullFacts {
    /// The corners; vertices inside of faces and edges do not count.
    pub(crate) vertices: usize,
    /// The faces; coplanar neighbours count once.
    pub(crate) faces: usize,
}

/// What a part's tree takes. Parts that share a mesh share it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeFacts {
    /// Nodes, leaves, depth and bytes.
    pub(crate) size: TreeSize,
    /// Where it came from.
    pub(crate) source: Source,
    /// What building or reading it took.
    pub(crate) seconds: f64,
    /// Whether it is the tree of a part before this one.
    pub(crate) shared: bool,
}

/// Builds or reads the trees of the parts of a scene, one after the other, and measures it. The
/// second value tells what is wrong with files of the cache.
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
        let (source, problem) = cache.map_or((Source::Built, None), |cache| cache.provide(mesh));
        let size = mesh.tree().size();
        let seconds = start.elapsed().as_secs_f64();
        let own = TreeFacts { size, source, seconds, shared: false };
        known.insert(std::ptr::from_ref(mesh), own);
        facts.push(own);
        problems.extend(problem);
    }
    (facts, problems)
}

/// What a solid has and a surface has not, for density one.
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
    /// The facts about part `index` of `scene`.
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
