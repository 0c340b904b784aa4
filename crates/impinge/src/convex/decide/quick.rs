//! What floating point can prove by itself, with error bounds. The bounds are derived in `docs/notes/convex.md`.

use super::certificate::{Gap, Pairs};
use crate::math::Vec3;

/// Half a unit in the last place of 1.
const EPS: f64 = f64::EPSILON / 2.0;

/// The relative error of a gap: five roundings for each end and the bound's own.
const GAP_BOUND: f64 = 7.0 * EPS;

/// More than what products that underflow can lose.
const UNDERFLOW: f64 = f64::MIN_POSITIVE * 4_194_304.0;

/// A certain lower bound of the distance of the hulls of `a` and `b` from how far they lie apart along `direction`: a [`Gap::gap`] that holds for it.
/// Zero or negative if this direction proves nothing.
///
/// One loop over all points, without any exact arithmetic. The direction should have a length of about one; if it is beyond `1e-100` or `1e100`, or if a
/// number is not finite, nothing is proven.
///
/// ```
/// use impinge::Vec3;
/// use impinge::convex::decide::certain_gap;
///
/// let (a, b) = ([Vec3::ZERO, Vec3::X], [Vec3::Y * 2.0, Vec3::ONE * 3.0]);
/// let gap = certain_gap(Vec3::Y, &a, &b);
/// assert!(gap > 2.0 - 1e-14 && gap <= 2.0);
/// ```
#[must_use]
pub fn certain_gap(direction: Vec3, a: &[Vec3], b: &[Vec3]) -> f64 {
    let (Some(origin), false) = (a.first(), b.is_empty()) else { return 0.0 };
    let (last, size_a) = extent(direction, *origin, a);
    let (first, size_b) = extent(-direction, *origin, b);
    // `first` is along the opposite direction.
    let between = -first - last;
    certain_distance(between, size_a + size_b, direction)
}

/// A lower bound of `between / |direction|`, where `between` is a difference of two sums of three products, each of rounded differences of
/// coordinates with an exact direction, and `size` the sum of the largest sums of the sizes of such products on both sides.
#[inline]
fn certain_distance(between: f64, size: f64, direction: Vec3) -> f64 {
    let certain = between - (GAP_BOUND * size + UNDERFLOW);
    let length = direction.length();
    if certain > 0.0 && (1e-100..=1e100).contains(&length) {
        // The length has four roundings, the quotient and the product one each; half the result if it is near the denormal numbers.
        let distance = certain / length * (1.0 - 8.0 * EPS);
        if distance > UNDERFLOW { distance } else { 0.0 }
    } else {
        certain.min(0.0)
    }
}

/// The largest `direction . (p - origin)` and the largest sum of the sizes of its products. NaN in the second if anything is not a number.
fn extent(direction: Vec3, origin: Vec3, points: &[Vec3]) -> (f64, f64) {
    let (mut furthest, mut largest) = (f64::NEG_INFINITY, 0.0_f64);
    let mut poison = 0.0;
    for p in points {
        let products = direction * (*p - origin);
        let along = products.x + products.y + products.z;
        let sizes = products.abs();
        let size = sizes.x + sizes.y + sizes.z;
        furthest = if along > furthest { along } else { furthest };
        largest = if size > largest { size } else { largest };
        // Zero, unless something is infinite or not a number.
        poison += size * 0.0;
    }
    (furthest, largest + poison)
}

impl Gap {
    /// The certificate that `direction` gives by floating point alone, or `None` if that proves nothing; see [`certain_gap`].
    #[must_use]
    pub fn along(direction: Vec3, a: &[Vec3], b: &[Vec3]) -> Option<Self> {
        let gap = certain_gap(direction, a, b);
        (gap > 0.0).then_some(Self { direction, gap, features: Pairs::NONE })
    }
}
