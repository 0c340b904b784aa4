//! What one part is, as `impinge info` reports it: the one place that asks the mesh.

use impinge::scene::{Part, Scene};
use impinge::{Aabb, Vec3};

/// Everything `impinge info` says about a part. Lengths, areas and volumes are in the unit of the coordinates.
#[derive(Clone, Debug)]
pub(crate) struct InfoRow {
    /// What the part is called.
    pub(crate) name: String,
    /// Vertices, used or not.
    pub(crate) vertices: usize,
    /// Polygons as they are in the file.
    pub(crate) polygons: usize,
    /// Triangles the polygons were cut into.
    pub(crate) triangles: usize,
    /// The tight box in the scene's frame; `None` without triangles.
    pub(crate) bounds: Option<Aabb>,
    /// No edge with only one polygon.
    pub(crate) closed: bool,
    /// No edge with more than two polygons.
    pub(crate) manifold: bool,
    /// Neighbours are wound alike.
    pub(crate) oriented: bool,
    /// All polygons are flat.
    pub(crate) planar: bool,
    /// The mesh bounds a convex solid.
    pub(crate) convex: bool,
    /// What is wrong, one phrase each.
    pub(crate) defects: Vec<String>,
    /// The area of the surface.
    pub(crate) area: f64,
    /// The enclosed volume, of a closed and oriented mesh.
    pub(crate) volume: Option<f64>,
}

impl InfoRow {
    /// The facts about part `index` of `scene`.
    pub(crate) fn of(scene: &Scene, index: usize, name: &str) -> Self {
        let part = &scene.parts()[index];
        let bounds = scene.bounds_of(index);
        let edges = edge_counts(part);
        let closed = edges.open == 0 && !part.mesh.triangles().is_empty();
        let (manifold, oriented) = (edges.crowded == 0, edges.twisted == 0);
        let (area, volume, degenerate) = measure(part);
        let mut defects = Vec::new();
        for (n, what) in [
            (edges.open, "open edge"),
            (edges.crowded, "edge with more than two triangles"),
            (edges.twisted, "edge wound twice the same way"),
            (degenerate, "triangle of zero area"),
        ] {
            if n > 0 {
                defects.push(crate::report::plural(n, what));
            }
        }
        Self {
            name: name.to_owned(),
            vertices: part.mesh.vertices().len(),
            polygons: part.mesh.triangles().len(),
            triangles: part.mesh.triangles().len(),
            bounds: (!bounds.is_empty()).then_some(bounds),
            closed,
            manifold,
            oriented,
            planar: true,
            convex: false,
            defects,
            area,
            volume: (closed && oriented).then_some(volume),
        }
    }
}

struct EdgeCounts {
    open: usize,
    crowded: usize,
    twisted: usize,
}

fn edge_counts(part: &Part) -> EdgeCounts {
    let mut edges: Vec<(u32, u32, bool)> = part
        .mesh
        .triangles()
        .iter()
        .flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])])
        .map(|(a, b)| (a.min(b), a.max(b), a < b))
        .collect();
    edges.sort_unstable();
    let mut counts = EdgeCounts { open: 0, crowded: 0, twisted: 0 };
    for group in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        let forward = group.iter().filter(|e| e.2).count();
        counts.open += usize::from(group.len() == 1);
        counts.crowded += usize::from(group.len() > 2);
        counts.twisted += usize::from(group.len() == 2 && forward != 1);
    }
    counts
}

fn measure(part: &Part) -> (f64, f64, usize) {
    let origin = part.mesh.bounds().center();
    let (mut area, mut volume, mut degenerate) = (0.0, 0.0, 0);
    for i in 0..part.mesh.triangles().len() {
        let [a, b, c]: [Vec3; 3] = part.mesh.triangle(i).map(|v| v - origin);
        let double = (b - a).cross(c - a).length();
        degenerate += usize::from(double == 0.0);
        area += 0.5 * double;
        volume += a.dot(b.cross(c)) / 6.0;
    }
    (area, volume, degenerate)
}
