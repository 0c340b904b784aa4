//! Oriented boxes from external data, with checks.

use super::OrientedBox;
use crate::error::{Error, ErrorKind};
use crate::math::Vec3;
use crate::math::rounding::UNIT_ROUNDOFF;

/// The largest coordinate of a centre, and the largest half side. More than any constructor
/// produces from coordinates in range, and small enough that sums of squares are finite.
const MAX_SIZE: f64 = 1e80;

/// The largest error of the dot product of two axes.
const MAX_AXIS_ERROR: f64 = 16.0 * UNIT_ROUNDOFF;

impl OrientedBox {
    /// A box from its centre, axes and half sides. It is never empty.
    ///
    /// # Errors
    /// If a number is not finite or too large, if a half side is negative, or if the axes are not
    /// perpendicular unit vectors to within 16 roundings.
    pub fn from_parts(center: Vec3, axes: [Vec3; 3], half: [f64; 3]) -> Result<Self, Error> {
        let lengths = Vec3::from(half);
        if !center.is_finite() || !lengths.is_finite() || !axes.iter().all(|a| a.is_finite()) {
            let message =
                "the centre, axes and half sides of an oriented box must be finite numbers";
            return Err(Error::new(ErrorKind::NotFinite, message));
        }
        if center.abs().max(lengths).max_element() > MAX_SIZE {
            let message =
                format!("an oriented box extends beyond {MAX_SIZE:e}; choose a larger unit");
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        if lengths.min_element() < 0.0 {
            let message =
                format!("the half sides of an oriented box are {half:?}; none may be negative");
            return Err(Error::new(ErrorKind::BadParameter, message));
        }
        for i in 0..3 {
            for j in i..3 {
                let error = dot_minus(axes[i], axes[j], if i == j { 1.0 } else { 0.0 });
                // This form also rejects NaN, which an overflow in the product can give.
                if !matches!(error.abs().partial_cmp(&MAX_AXIS_ERROR), Some(o) if o.is_le()) {
                    let message = format!(
                        "the axes of an oriented box must be perpendicular unit vectors, but the \
                         product of axes {i} and {j} has an error of {error:e}"
                    );
                    return Err(Error::new(ErrorKind::NotARotation, message));
                }
            }
        }
        Ok(Self { center, axes, half })
    }
}

/// `a . b - target`, computed with about twice the working precision.
fn dot_minus(a: Vec3, b: Vec3, target: f64) -> f64 {
    let (mut sum, mut rest) = (-target, 0.0);
    for (x, y) in a.to_array().into_iter().zip(b.to_array()) {
        let product = x * y;
        rest += x.mul_add(y, -product);
        // Knuth's two-sum: the rounding error of the sum.
        let next = sum + product;
        let virtual_product = next - sum;
        rest += (sum - (next - virtual_product)) + (product - virtual_product);
        sum = next;
    }
    sum + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Pose, Random};

    #[test]
    fn parts_of_constructed_boxes_are_accepted() {
        let mut random = Random::new(3);
        for round in 0..200 {
            let points: Vec<Vec3> = (0..20).map(|_| random.in_cube() * 10.0).collect();
            let mut b = OrientedBox::around(&points);
            for _ in 0..round % 20 {
                let turn = [0, 1, 2, 3].map(|_| random.range(-1.0, 1.0));
                b = b.transformed(&Pose::from_quaternion(turn, random.in_cube()).unwrap());
            }
            let again = OrientedBox::from_parts(b.center(), b.axes(), b.half()).unwrap();
            assert_eq!(again, b);
        }
        let flat = OrientedBox::around(&[Vec3::ONE]);
        assert!(OrientedBox::from_parts(flat.center(), flat.axes(), flat.half()).is_ok());
    }

    #[test]
    fn invalid_parts_are_rejected() {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        let kind = |center: Vec3, axes: [Vec3; 3], half: [f64; 3]| {
            OrientedBox::from_parts(center, axes, half).unwrap_err().kind()
        };
        let one = [1.0; 3];
        assert_eq!(kind(Vec3::NAN, axes, one), ErrorKind::NotFinite);
        assert_eq!(kind(Vec3::ZERO, axes, [1.0, f64::INFINITY, 1.0]), ErrorKind::NotFinite);
        assert_eq!(kind(Vec3::ZERO, axes, [1.0, -1e-300, 1.0]), ErrorKind::BadParameter);
        assert_eq!(kind(Vec3::X * 1e90, axes, one), ErrorKind::OutOfRange);
        let skew = |by: f64| [Vec3::X, Vec3::new(by, 1.0, 0.0), Vec3::Z];
        assert_eq!(kind(Vec3::ZERO, skew(17.0 * UNIT_ROUNDOFF), one), ErrorKind::NotARotation);
        assert!(OrientedBox::from_parts(Vec3::ZERO, skew(15.0 * UNIT_ROUNDOFF), one).is_ok());
        let long = [Vec3::X * (1.0 + 18.0 * UNIT_ROUNDOFF), Vec3::Y, Vec3::Z];
        assert_eq!(kind(Vec3::ZERO, long, one), ErrorKind::NotARotation);
        assert_eq!(kind(Vec3::ZERO, [Vec3::X * 1e200; 3], one), ErrorKind::NotARotation);
    }
}
