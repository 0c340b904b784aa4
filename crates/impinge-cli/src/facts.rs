//! What one part is, as `impinge info` reports it: the one place that asks the mesh.

use impinge::mesh::{Classification, Defects};
use impinge::scene::Scene;
use impinge::{Aabb, Vec3};

/// Everything `impinge info` says about a part. Lengths, areas and volumes are in the unit of the coordinates.
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
    pub(crate) fn of(scene: &'a Scene, index: usize, name: &'a str) -> Self {
        let part = &scene.parts()[index];
        let mesh = &*part.mesh;
        let bounds = scene.bounds_of(index);
        let solid = mesh.mass_properties().ok().map(|mass| SolidFacts {
            volume: mass.volume,
            centroid: part.pose.transform_point(mass.centroid),
            inertia: mass.inertia.transpose().to_cols_array_2d(),
        });
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
        }
    }
}
