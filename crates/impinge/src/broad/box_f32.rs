//! Boxes of moving bodies in single precision.

use crate::arrays::MapEach;
use crate::math::Aabb;

/// A closed axis-aligned box of `f32`. Empty if a `min` exceeds its `max`; an absent body has the
/// box [`BoxF32::EMPTY`], which overlaps nothing.
///
/// A conversion from an [`Aabb`] rounds outward, so that boxes that overlap still overlap. Sides
/// may be infinite; a box with NaN is empty.
///
/// ```
/// use impinge::broad::BoxF32;
/// use impinge::{Aabb, Vec3};
///
/// let third = Aabb::from_corners(Vec3::ZERO, Vec3::splat(1.0 / 3.0));
/// let bounds = BoxF32::from(third);
/// assert!(f64::from(bounds.max[0]) >= 1.0 / 3.0);
/// assert!(bounds.overlaps(&BoxF32 { min: [0.25; 3], max: [0.5; 3] }));
/// assert!(!bounds.overlaps(&BoxF32::EMPTY));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BoxF32 {
    /// The smallest coordinates.
    pub min: [f32; 3],
    /// The largest coordinates.
    pub max: [f32; 3],
}

impl BoxF32 {
    /// The empty box.
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Whether the closed boxes share a point.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| {
            // The last two comparisons are needed because an empty box may pass the first two.
            self.min[k] <= other.max[k]
                && other.min[k] <= self.max[k]
                && self.min[k] <= self.max[k]
                && other.min[k] <= other.max[k]
        })
    }

    /// Whether the box contains no point.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !(0..3).all(|k| self.min[k] <= self.max[k])
    }

    /// Whether this box contains the other one; every box contains an empty one.
    #[inline]
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.is_empty()
            || (0..3).all(|k| self.min[k] <= other.min[k] && other.max[k] <= self.max[k])
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if self.is_empty() {
            return *other;
        }
        if other.is_empty() {
            return *self;
        }
        Self {
            min: [0, 1, 2].map_each(|k| self.min[k].min(other.min[k])),
            max: [0, 1, 2].map_each(|k| self.max[k].max(other.max[k])),
        }
    }

    /// The box enlarged by `by`, which is not negative, on each side, rounded to nearest; never
    /// smaller than the box.
    #[inline]
    #[must_use]
    pub fn grown(&self, by: f32) -> Self {
        Self { min: self.min.map(|x| x - by), max: self.max.map(|x| x + by) }
    }
}

impl From<Aabb> for BoxF32 {
    fn from(aabb: Aabb) -> Self {
        if aabb.is_empty() {
            return Self::EMPTY;
        }
        Self {
            min: aabb.min.to_array().map_each(round_down),
            max: aabb.max.to_array().map_each(|x| -round_down(-x)),
        }
    }
}

/// The largest `f32` not above `x`.
#[inline]
fn round_down(x: f64) -> f32 {
    let y = x as f32;
    // The bits of positive numbers increase with the number, those of negative numbers decrease.
    // With the latter inverted, all are in order, minus zero directly below zero. Half of all
    // numbers are rounded up, which is unpredictable: so there is no branch.
    let inverted = |bits: i32| bits ^ (bits >> 31 & i32::MAX);
    let rank = inverted(y.to_bits() as i32);
    let steps = i32::from(f64::from(y) > x) * (1 + i32::from(rank == 0));
    f32::from_bits(inverted(rank - steps) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Random, Vec3};

    #[test]
    fn rounding_is_outward_and_by_less_than_a_step() {
        let mut random = Random::new(7);
        let mut values = vec![0.0, -0.0, 1e-300, -1e-300, 1e60, -1e60, f64::from(f32::MAX) * 1.5];
        for _ in 0..10_000 {
            let size = random.range(-60.0, 60.0).exp2();
            values.push(random.range(-1.0, 1.0) * size);
        }
        for x in values {
            let y = round_down(x);
            assert!(f64::from(y) <= x, "{x:e} {y:e}");
            let next = -round_down(-x);
            assert!(x <= f64::from(next), "{x:e} {next:e}");
            assert!(f64::from(y) == x || f64::from(next) == x || y < next);
        }
        assert_eq!(round_down(0.5), 0.5);
    }

    #[test]
    fn empty_boxes_overlap_nothing_and_nan_is_empty() {
        let all = BoxF32 { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };
        let mut odd = BoxF32 { min: [0.0; 3], max: [1.0; 3] };
        assert!(all.overlaps(&odd) && all.contains(&odd));
        odd.max[1] = f32::NAN;
        assert!(odd.is_empty() && !odd.overlaps(&all) && !all.overlaps(&odd));
        assert!(!BoxF32::EMPTY.overlaps(&all) && BoxF32::EMPTY.is_empty());
        let inside_out = BoxF32 { min: [1.0, 0.0, 0.0], max: [0.0, 1.0, 1.0] };
        assert!(!inside_out.overlaps(&all));
        assert_eq!(BoxF32::from(Aabb::EMPTY), BoxF32::EMPTY);
        assert_eq!(all.union(&BoxF32::EMPTY), all);
        let touching = Aabb::from_corners(Vec3::ONE, Vec3::splat(2.0));
        assert!(BoxF32::from(touching).overlaps(&BoxF32 { min: [0.0; 3], max: [1.0; 3] }));
    }
}
