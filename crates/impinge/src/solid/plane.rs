//! Planes between two solids: where one is on one side and the other on the other, they share no
//! space.

use crate::exact::{Sign, orient2d, orient3d};
use crate::math::Vec3;
use crate::pair::Posed;

/// A plane through three points that are not on a line. Sides are exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    corners: [Vec3; 3],
    axis: usize,
    up_is_forward: bool,
}

impl Plane {
    /// The plane of a triangle, above which its normal points; `None` if it has no area.
    pub(super) fn through(corners: [Vec3; 3]) -> Option<Self> {
        let [p, q, r] = corners;
        let normal = (q - p).cross(r - p);
        // Any axis will do that is not parallel to the plane; the steepest is the least trouble.
        let steepest = normal.abs().max_position();
        let axes = [steepest, (steepest + 1) % 3, (steepest + 2) % 3];
        axes.into_iter().find_map(|axis| {
            let seen = corners.map(|v| [v[(axis + 1) % 3], v[(axis + 2) % 3]]);
            match orient2d(seen[0], seen[1], seen[2]) {
                Sign::Zero => None,
                sign => Some(Self { corners, axis, up_is_forward: sign == Sign::Positive }),
            }
        })
    }

    /// An axis that is not parallel to the plane.
    pub(super) fn axis(&self) -> usize {
        self.axis
    }

    /// Whether that axis points up from the plane.
    pub(super) fn is_up_forward(&self) -> bool {
        self.up_is_forward
    }

    fn side(&self, p: Vec3) -> Sign {
        let [a, b, c] = self.corners;
        orient3d(a, b, c, p)
    }

    /// Whether a point is above the plane, or else below it.
    pub(super) fn has(&self, p: Vec3, above: bool) -> bool {
        self.side(p) == if above { Sign::Positive } else { Sign::Negative }
    }
}

/// Pairs whose planes are tried, and vertices looked at before all others.
const PAIRS: usize = 3;
const SAMPLES: usize = 16;

/// Whether the plane of a triangle that meets the other mesh has one mesh on one side and the other
/// on the other: then the two have nothing in common but points of the plane. `false` if none was
/// found.
pub(super) fn lie_on_two_sides(a: &Posed<'_>, b: &Posed<'_>, pairs: &[(u32, u32)]) -> bool {
    let step = pairs.len().div_ceil(PAIRS).max(1);
    pairs.iter().step_by(step).any(|pair| {
        let triangles = [a.triangle(pair.0), b.triangle(pair.1)];
        triangles.into_iter().filter_map(Plane::through).any(|plane| {
            let (Some(of_a), Some(of_b)) = (only_side(&plane, a), only_side(&plane, b)) else {
                return false;
            };
            of_a.is_zero() || of_b.is_zero() || of_a != of_b
        })
    })
}

/// The side of a plane on which all corners of the mesh lie, if it is one, apart from those in the
/// plane; [`Sign::Zero`] if all are in the plane.
fn only_side(plane: &Plane, mesh: &Posed<'_>) -> Option<Sign> {
    let used = mesh.mesh().used_vertices();
    let sampled = used.iter().step_by(used.len().div_ceil(SAMPLES).max(1));
    let mut found = Sign::Zero;
    for v in sampled.chain(used) {
        let side = plane.side(mesh.vertices()[*v as usize]);
        if side.is_zero() || side == found {
            continue;
        }
        if !found.is_zero() {
            return None;
        }
        found = side;
    }
    Some(found)
}
