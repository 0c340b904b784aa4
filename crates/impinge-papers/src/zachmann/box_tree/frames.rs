//! The maps between the frames of two box-trees, and the margins by which clip planes are moved
//! outward. Derived in `docs/notes/box-tree.md`.

use impinge::math::{Aabb, Pose, Vec3};

use super::BoxTree;

/// Bound of the rounding errors of the traversal, relative to the largest number in it.
const TRAVERSAL_ROUNDING: f64 = 1024.0 * f64::EPSILON;

/// Bound of the rounding error of `Pose::transform_point`, relative to the same number.
const TRANSFORM_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Bound of the components of a rotated vector, relative to the largest component of the vector:
/// the square root of three, rounded up. Holds for the inverse rotation too.
const MAX_COMPONENT_GROWTH: f64 = 1.74;

/// Minimum of all margins, so that denormal numbers are covered.
const MIN_MARGIN: f64 = 1e-300;

/// An affine map: `matrix[row][column]`, then `origin`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Map {
    pub(super) matrix: [[f64; 3]; 3],
    pub(super) origin: [f64; 3],
}

/// The maps between the two frames, and the margins.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    /// The maps from A's frame to B's and from B's frame to A's. They transform the edges of each
    /// box to the frame of the other.
    pub(super) across: [Map; 2],
    /// The distance by which the planes of a box of the *other* tree are moved outward when an edge
    /// of this tree is clipped at them.
    pub(super) margin: [f64; 2],
    /// The margin by which one of two axis-aligned boxes in A's frame is enlarged.
    pub(super) aligned: f64,
}

impl Frames {
    pub(super) fn new(a: &BoxTree, b: &BoxTree, pose: &Pose) -> Self {
        let (r, t) = (pose.rotation(), pose.translation());
        let back = r.inverse();
        let rows = |m: &glam::DMat3| [0, 1, 2].map(|i| [m.x_axis[i], m.y_axis[i], m.z_axis[i]]);
        let far = t.abs().max_element();
        let far_a = far + MAX_COMPONENT_GROWTH * b.reach() + a.reach();
        let far_b = MAX_COMPONENT_GROWTH * (far + a.reach()) + b.reach();
        // The largest distance between two leaf boxes whose contents share a point: both contents
        // extend beyond their boxes by the thickness, and B's vertices are rounded.
        let gap = a.delta + MAX_COMPONENT_GROWTH * b.delta + TRANSFORM_ROUNDING * far_a;
        let planes_of_b = MAX_COMPONENT_GROWTH * gap + TRAVERSAL_ROUNDING * far_b + MIN_MARGIN;
        let planes_of_a =
            MAX_COMPONENT_GROWTH * planes_of_b + TRAVERSAL_ROUNDING * far_a + MIN_MARGIN;
        Self {
            across: [
                Map { matrix: rows(&back), origin: (-(back * t)).to_array() },
                Map { matrix: rows(&r), origin: t.to_array() },
            ],
            margin: [planes_of_b, planes_of_a],
            aligned: gap + TRAVERSAL_ROUNDING * far_a + MIN_MARGIN,
        }
    }
}

impl Map {
    /// The axis-aligned box around a mapped box.
    pub(super) fn around(&self, lo: &[f64; 3], hi: &[f64; 3]) -> [[f64; 3]; 2] {
        let mut around = [self.origin; 2];
        for k in 0..3 {
            for column in 0..3 {
                let m = self.matrix[k][column];
                let (p, q) = (m * lo[column], m * hi[column]);
                around[0][k] += p.min(q);
                around[1][k] += p.max(q);
            }
        }
        around
    }
}

/// The intersection of two boxes, enlarged by `margin`.
pub(super) fn shared(lo: &[f64; 3], hi: &[f64; 3], around: &[[f64; 3]; 2], margin: f64) -> Aabb {
    let of = |p: &[f64; 3]| Vec3::from_array(*p);
    let min = of(lo).max(of(&around[0])) - Vec3::splat(margin);
    let max = of(hi).min(of(&around[1])) + Vec3::splat(margin);
    Aabb { min, max }
}
