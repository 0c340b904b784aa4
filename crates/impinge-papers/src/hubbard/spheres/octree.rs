//! The circumscribed spheres of octants that the surface passes.

use impinge::mesh::Mesh;
use impinge::spheres::{NO_PARENT, Node, SphereTree};
use impinge::{Error, Vec3};

use super::surface::Surface;
use super::{SphereOptions, finish};

/// An octant with the triangles that may meet it.
pub(super) struct Octant {
    pub(super) center: Vec3,
    /// Half of its edge.
    pub(super) half: f64,
    /// The octant of the level above.
    pub(super) parent: u32,
    triangles: Vec<u32>,
}

/// The tree of the circumscribed spheres of octants: the smallest cube around the mesh is divided
/// into eight, and so are its parts, as far as the surface passes them. Every level has at most
/// eight times as many balls as the one above, for every fan-out.
///
/// # Errors
/// [`ErrorKind::Empty`](impinge::ErrorKind::Empty) for a mesh without triangles,
/// [`ErrorKind::BadParameter`](impinge::ErrorKind::BadParameter) for options out of range.
pub fn octree(mesh: &Mesh, options: &SphereOptions) -> Result<SphereTree, Error> {
    options.check(mesh)?;
    let surface = Surface::new(mesh);
    let levels = octants(&surface, options.levels).into_iter().map(|level| {
        let ball = |octant: &Octant| Node {
            ball: surface.ball(octant.center, octant.half * 3.0_f64.sqrt()),
            parent: octant.parent,
        };
        level.iter().map(ball).collect()
    });
    finish(mesh, &levels.collect::<Vec<_>>(), options)
}

/// The octants that the surface passes, level by level.
pub(super) fn octants(surface: &Surface, levels: usize) -> Vec<Vec<Octant>> {
    let bounds = surface.bounds();
    let all = (0..surface.triangles().len() as u32).collect();
    let half = (0.5 * bounds.extent().max_element()).max(f64::MIN_POSITIVE);
    let root = [Octant { center: bounds.center(), half, parent: NO_PARENT, triangles: all }];
    let mut found: Vec<Vec<Octant>> = Vec::new();
    for level in 0..levels {
        let parents: &[Octant] = found.last().map_or(&root, Vec::as_slice);
        let mut octants = Vec::new();
        for (number, octant) in parents.iter().enumerate() {
            let half = 0.5 * octant.half;
            for corner in 0..8 {
                let sign = |bit: u32| if corner >> bit & 1 == 1 { half } else { -half };
                let center = octant.center + Vec3::new(sign(0), sign(1), sign(2));
                let meets = |t: &u32| passes(&surface.triangles()[*t as usize], center, half);
                let triangles: Vec<u32> = octant.triangles.iter().copied().filter(meets).collect();
                if !triangles.is_empty() {
                    let parent = if level == 0 { NO_PARENT } else { number as u32 };
                    octants.push(Octant { center, half, parent, triangles });
                }
            }
        }
        found.push(octants);
    }
    found
}

/// Whether a triangle meets a cube, up to rounding (T. Akenine-Moeller 2001, "Fast 3D triangle-box
/// overlap testing"). The cube is slightly enlarged, so that no octant is lost.
fn passes(triangle: &[Vec3; 3], center: Vec3, half: f64) -> bool {
    let half = half * (1.0 + 1e-9);
    let [a, b, c] = triangle.map(|p| p - center);
    let apart = |axis: Vec3| {
        let [p, q, r] = [a, b, c].map(|v| axis.dot(v));
        let reach = half * axis.abs().element_sum() + 1e-300;
        p.min(q).min(r) > reach || p.max(q).max(r) < -reach
    };
    let edges = [b - a, c - b, a - c];
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    !(axes.iter().any(|axis| apart(*axis))
        || apart(edges[0].cross(edges[1]))
        || edges.iter().any(|e| axes.iter().any(|axis| apart(e.cross(*axis)))))
}
