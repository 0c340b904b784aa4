//! The plane of a half-space in the frame of a query.

use num_bigint::BigInt;
use num_traits::Zero;

use super::margins::Interval;
use crate::convex::HalfSpace;
use crate::exact::Sign;
use crate::exact::integer::{scale, sign};
use crate::math::{Pose, Vec3, unit_scale};

/// All points `x` with `normal . (x - through) <= offset`, exactly for these numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) normal: Vec3,
    pub(super) through: Vec3,
    pub(super) offset: f64,
    /// The normal with a length of one, to rounding.
    pub(super) unit: Vec3,
    length: f64,
}

/// Normals with a largest component below this are scaled up, which is exact.
const MIN_NORMAL_SIZE: f64 = 1e-100;

/// Bound of the error from products that underflow, for normals of at least [`MIN_NORMAL_SIZE`].
const UNDERFLOW_ERROR: f64 = 1e-290;

impl Plane {
    /// The plane of a half-space at a pose, or in its own frame.
    pub(super) fn new(half_space: &HalfSpace, pose: Option<&Pose>) -> Self {
        let (mut normal, mut offset) = (half_space.normal(), half_space.offset());
        let size = normal.abs().max_element();
        if size < MIN_NORMAL_SIZE {
            let (s, t) = unit_scale(size);
            (normal, offset) = (normal * s * t, offset * s * t);
        }
        let (normal, through) = pose.map_or((normal, Vec3::ZERO), |pose| {
            (pose.transform_vector(normal), pose.translation())
        });
        let length = normal.length();
        Self { normal, through, offset, unit: normal / length, length }
    }

    /// `normal . (x - through) - offset`, rounded, and a bound of its error.
    ///
    /// Each product has six roundings: the difference, the product, three sums, and that of the
    /// bound itself.
    fn value(&self, x: Vec3) -> (f64, f64) {
        let products = self.normal * (x - self.through);
        let value = products.x + products.y + products.z - self.offset;
        let size = products.abs().element_sum() + self.offset.abs();
        (value, 4.0 * f64::EPSILON * size + UNDERFLOW_ERROR)
    }

    /// Bounds of the signed distance of a point from the half-space, and the rounded distance.
    pub(super) fn height(&self, x: Vec3) -> (Interval, f64) {
        let (value, error) = self.value(x);
        let (lower, upper) = ((value - error) / self.length, (value + error) / self.length);
        let slack = |bound: f64| 8.0 * f64::EPSILON * bound.abs() + f64::MIN_POSITIVE;
        (Interval { lower: lower - slack(lower), upper: upper + slack(upper) }, value / self.length)
    }

    /// The sign of the signed distance of a point minus a radius; exact.
    pub(super) fn side(&self, x: Vec3, radius: f64) -> Sign {
        self.quick_side(x, radius).unwrap_or_else(|| self.side_exactly(x, radius))
    }

    /// As [`side`](Self::side), if floating point decides.
    pub(super) fn quick_side(&self, x: Vec3, radius: f64) -> Option<Sign> {
        let (value, error) = self.value(x);
        let reach = radius * self.length;
        let (over, error) = (value - reach, error + 8.0 * f64::EPSILON * (reach + value.abs()));
        if over > error {
            Some(Sign::Positive)
        } else if over < -error {
            Some(Sign::Negative)
        } else {
            None
        }
    }

    #[cold]
    fn side_exactly(&self, x: Vec3, radius: f64) -> Sign {
        let (t, n) = (self.through, self.normal.to_array());
        let numbers = (
            scale(n),
            scale([x.x, x.y, x.z, t.x, t.y, t.z]),
            scale([self.offset]),
            scale([radius]),
        );
        let (Some(normal), Some(points), Some(offset), Some(radius)) = numbers else {
            return Sign::Zero;
        };
        let (n, p) = (&normal.values, &points.values);
        let along: BigInt = (0..3).map(|i| &n[i] * (&p[i] - &p[i + 3])).sum();
        // The difference of two numbers with different exponents. Zero may have any exponent.
        let minus = |x: &BigInt, e: i32, y: &BigInt, f: i32| -> (BigInt, i32) {
            if x.is_zero() {
                return (-y, f);
            }
            let unit = if y.is_zero() { e } else { e.min(f) };
            let other = if y.is_zero() { BigInt::zero() } else { y << (f - unit) as u32 };
            ((x << (e - unit) as u32) - other, unit)
        };
        let (height, unit) =
            minus(&along, normal.exponent + points.exponent, &offset.values[0], offset.exponent);
        let r = &radius.values[0];
        if r.is_zero() || sign(&height) != Sign::Positive {
            let here = sign(&height);
            return if here.is_zero() && !r.is_zero() { Sign::Negative } else { here };
        }
        let squared: BigInt = n.iter().map(|c| c * c).sum();
        let reach = r * r * squared;
        let unit_of_reach = 2 * (radius.exponent + normal.exponent);
        sign(&minus(&(&height * &height), 2 * unit, &reach, unit_of_reach).0)
    }

    /// The unit normal `n` and the offset `o` in a local frame at `pose`: `n . y - o` is the height
    /// of the point that the pose moves `y` to, up to rounding.
    pub(super) fn in_frame_of(&self, pose: &Pose) -> (Vec3, f64) {
        let moved = pose.translation() - self.through;
        let offset = self.offset / self.length - self.unit.dot(moved);
        (pose.rotation().transpose() * self.unit, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(normal: [f64; 3], offset: f64) -> Plane {
        Plane::new(&HalfSpace::new(normal, offset).unwrap(), None)
    }

    #[test]
    fn sides_are_exact() {
        // The length of (2, 3, 6) is 7.
        let slope = plane([2.0, 3.0, 6.0], 7.0);
        let at = |k: f64| Vec3::new(2.0, 3.0, 6.0) * k / 8.0;
        // n . x = 49 k / 8; the distance from the plane is (49 k / 8 - 7) / 7.
        for (k, radius, expected) in [
            (8.0, 6.0, Sign::Zero),
            (8.0, 6.0 + 1e-15, Sign::Negative),
            (8.0, 6.0 - 1e-15, Sign::Positive),
            (8.0, 0.0, Sign::Positive),
            (0.0, 0.0, Sign::Negative),
            (0.0, 100.0, Sign::Negative),
        ] {
            assert_eq!(slope.side(at(k), radius), expected, "{k} {radius}");
        }
        let flat = plane([0.0, 0.0, 1e-310], 1e-310);
        assert_eq!(flat.side(Vec3::new(5.0, 6.0, 1.0), 0.0), Sign::Zero);
        assert_eq!(flat.side(Vec3::new(5.0, 6.0, 3.0), 2.0), Sign::Zero);
        assert_eq!(flat.side(Vec3::new(5.0, 6.0, 1.0), 5e-324), Sign::Negative);
        let tiny = f64::from_bits(1);
        assert_eq!(
            plane([1.0, 1.0, 0.0], 0.0).side(Vec3::new(tiny, 0.0, 1e60), 0.0),
            Sign::Positive
        );
        // The square root of two is between these.
        let diagonal = plane([1.0, 1.0, 0.0], 0.0);
        let root = 2.0_f64.sqrt();
        assert_eq!(diagonal.side(Vec3::new(1.0, 1.0, 0.0), root), Sign::Negative);
        let below = f64::from_bits(root.to_bits() - 1);
        assert_eq!(diagonal.side(Vec3::new(1.0, 1.0, 0.0), below), Sign::Positive);
    }

    #[test]
    fn heights_are_bounded() {
        let slope = plane([2.0, 3.0, 6.0], 7.0);
        let (bounds, near) = slope.height(Vec3::new(2.0, 3.0, 6.0));
        assert!(bounds.lower <= 6.0 && 6.0 <= bounds.upper && bounds.upper - bounds.lower < 1e-13);
        assert!((near - 6.0).abs() < 1e-14);
        let pose = Pose::from_quaternion([0.1, 0.2, 0.3, 0.9], [5.0, -3.0, 2.0]).unwrap();
        let (normal, offset) = slope.in_frame_of(&pose);
        let y = Vec3::new(0.3, -0.7, 2.5);
        let (bounds, _) = slope.height(pose.transform_point(y));
        let height = normal.dot(y) - offset;
        assert!((bounds.lower - height).abs() < 1e-13 && (bounds.upper - height).abs() < 1e-13);
    }
}
