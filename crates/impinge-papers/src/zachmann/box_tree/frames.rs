//! How two box-trees stand to each other, and how far clip planes must be moved outward. Derived in
//! `docs/notes/box-tree.md`.

use impinge::math::{Aabb, Pose, Vec3};

use super::BoxTree;

/// What rounding in the traversal amounts to, as a share of the largest number in it.
const ROUNDING: f64 = 1024.0 * f64::EPSILON;

/// What rounding in `Pose::transform_point` amounts to, as a share of the same.
const MOVING: f64 = 4.0 * f64::EPSILON;

/// No product of a rotation, or its inverse, with a vector has larger components than this times
/// the vector's: the root of three, rounded up.
const TURN: f64 = 1.74;

/// Nothing is compared more finely than this, so that denormal numbers do no harm.
const FLOOR: f64 = 1e-300;

/// An affine map: `matrix[row][column]`, then `origin`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Map {
    pub(super) matrix: [[f64; 3]; 3],
    pub(super) origin: [f64; 3],
}

/// The maps between the two frames, and the margins.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    /// From A's frame to B's, and from B's frame to A's: where the edges of each box are, seen from
    /// the other.
    pub(super) across: [Map; 2],
    /// By how much the planes of a box of the *other* tree are moved outward when an edge of this
    /// one is clipped at them.
    pub(super) margin: [f64; 2],
    /// By how much axis-aligned boxes in A's frame are grown, one of the two.
    pub(super) aligned: f64,
}

impl Frames {
    pub(super) fn new(a: &BoxTree, b: &BoxTree, pose: &Pose) -> Self {
        let (r, t) = (pose.rotation(), pose.translation());
        let back = r.inverse();
        let rows = |m: &glam::DMat3| [0, 1, 2].map(|i| [m.x_axis[i], m.y_axis[i], m.z_axis[i]]);
        let far = t.abs().max_element();
        let far_a = far + TURN * b.reach() + a.reach();
        let far_b = TURN * (far + a.reach()) + b.reach();
        // A common point, seen from the two leaf boxes that must be found: both stick out by their
        // thickness, and B's vertices are rounded.
        let gap = a.delta + TURN * b.delta + MOVING * far_a;
        let planes_of_b = TURN * gap + ROUNDING * far_b + FLOOR;
        let planes_of_a = TURN * planes_of_b + ROUNDING * far_a + FLOOR;
        Self {
            across: [
                Map { matrix: rows(&back), origin: (-(back * t)).to_array() },
                Map { matrix: rows(&r), origin: t.to_array() },
            ],
            margin: [planes_of_b, planes_of_a],
            aligned: gap + ROUNDING * far_a + FLOOR,
        }
    }
}

impl Map {
    /// The axis-aligned box around a box on the other side of the map.
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

/// What two boxes share when both are grown.
pub(super) fn shared(lo: &[f64; 3], hi: &[f64; 3], around: &[[f64; 3]; 2], margin: f64) -> Aabb {
    let of = |p: &[f64; 3]| Vec3::from_array(*p);
    let min = of(lo).max(of(&around[0])) - Vec3::splat(margin);
    let max = of(hi).min(of(&around[1])) + Vec3::splat(margin);
    Aabb { min, max }
}
