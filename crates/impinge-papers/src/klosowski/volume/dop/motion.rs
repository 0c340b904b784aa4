//! The k-DOP around a moved k-DOP, computed without its vertices.
//!
//! The maximum of the dot product of a direction `n` over the points of a k-DOP is a linear
//! program. If `n` is written as a sum of the k-DOP's directions with non-negative weights, the sum
//! of the slab bounds with the same weights is an upper bound (weak duality). The weights used are
//! those of the three directions around `n` in the triangulation of the sphere by the k-DOP's
//! directions. They depend on the rotation only, so they are computed once per query, and a volume
//! costs three products per slab bound. The result is never larger than that of the box alone, and
//! is the k-DOP itself for the identity. The vertices of the k-DOP (section 4.1) yield the true
//! optimum, at several times the cost.

use super::Dop;
use impinge::internals::rounding::{UNDERFLOW_MARGIN, UNIT_ROUNDOFF};
use impinge::math::{Pose, Vec3};

/// The contribution of one direction to a bound.
#[derive(Clone, Copy, Debug)]
struct Term {
    /// The index of the direction.
    index: usize,
    weight: f64,
}

/// A pose, with each direction of the target frame expressed by directions of the volume's own
/// frame.
#[derive(Clone, Debug)]
pub struct DopMotion<const HALF: usize> {
    terms: [[Term; 3]; HALF],
    /// The dot product of each direction with the translation.
    shift: [f64; HALF],
    /// The largest absolute component of the translation.
    reach: f64,
    identity: bool,
}

/// Bound of the rounding error of a slab bound, relative to the sum of the largest absolute
/// coordinate and translation. Derived in `docs/notes/volumes.md`.
const RELATIVE_MARGIN: f64 = 64.0 * UNIT_ROUNDOFF;

impl<const HALF: usize> DopMotion<HALF> {
    pub(super) fn new(pose: &Pose) -> Self {
        let back = pose.rotation().transpose();
        let t = pose.translation();
        let mut motion = Self {
            terms: [[Term { index: 0, weight: 0.0 }; 3]; HALF],
            shift: [0.0; HALF],
            reach: t.abs().max_element(),
            identity: *pose == Pose::IDENTITY,
        };
        for i in 0..HALF {
            let d = Dop::<HALF>::direction(i);
            let n = (back.x_axis * d.x + back.y_axis * d.y) + back.z_axis * d.z;
            motion.terms[i] = terms::<HALF>(n);
            motion.shift[i] = (d.x * t.x + d.y * t.y) + d.z * t.z;
        }
        motion
    }

    #[inline]
    pub(super) fn apply(&self, dop: &Dop<HALF>) -> Dop<HALF> {
        if self.identity || dop.min[0] > dop.max[0] {
            return *dop;
        }
        let margin = (dop.reach() + self.reach) * RELATIVE_MARGIN + UNDERFLOW_MARGIN;
        let mut moved = *dop;
        for i in 0..HALF {
            let (mut lo, mut hi) = (0.0, 0.0);
            for Term { index, weight } in self.terms[i] {
                let (p, q) = (weight * dop.min[index], weight * dop.max[index]);
                lo += p.min(q);
                hi += p.max(q);
            }
            moved.min[i] = (lo + self.shift[i]) - margin;
            moved.max[i] = (hi + self.shift[i]) + margin;
        }
        moved
    }
}

/// Expresses `n` as a sum of three directions of the k-DOP or their opposites.
fn terms<const HALF: usize>(n: Vec3) -> [Term; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|i, j| n[*j].abs().total_cmp(&n[*i].abs()));
    let [x, y, z] = order;
    let (a, b, c) = (n[x].abs(), n[y].abs(), n[z].abs());
    // `parts` are the components of a direction along the axes of the largest, the middle and the
    // smallest component of `n`, relative to the signs of `n`.
    let term = |weight: f64, parts: [i8; 3]| {
        let mut direction = [0_i8; 3];
        for (axis, part) in order.into_iter().zip(parts) {
            direction[axis] = if n[axis] < 0.0 { -part } else { part };
        }
        find::<HALF>(direction, weight)
    };
    match HALF {
        3 => [term(a, [1, 0, 0]), term(b, [0, 1, 0]), term(c, [0, 0, 1])],
        7 => [
            term(a - b, [1, 0, 0]),
            term(0.5 * (b + c), [1, 1, 1]),
            term(0.5 * (b - c), [1, 1, -1]),
        ],
        9 if a - b >= c => [term(a - b - c, [1, 0, 0]), term(b, [1, 1, 0]), term(c, [1, 0, 1])],
        9 => [
            term(0.5 * ((a - c) + b), [1, 1, 0]),
            term(0.5 * ((a - b) + c), [1, 0, 1]),
            term(0.5 * (c - (a - b)), [0, 1, 1]),
        ],
        _ => [term(a - b, [1, 0, 0]), term(b - c, [1, 1, 0]), term(c, [1, 1, 1])],
    }
}

/// Finds the index of a direction, or the index of its opposite with the negated weight.
fn find<const HALF: usize>(direction: [i8; 3], weight: f64) -> Term {
    let opposite = direction.map(|c| -c);
    for (index, d) in Dop::<HALF>::DIRECTIONS.into_iter().enumerate() {
        if d == direction {
            return Term { index, weight };
        }
        if d == opposite {
            return Term { index, weight: -weight };
        }
    }
    debug_assert!(false, "{direction:?} is not a direction of this k-DOP");
    Term { index: 0, weight: 0.0 }
}
