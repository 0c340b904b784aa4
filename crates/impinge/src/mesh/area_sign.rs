//! The orientation of a polygon in the plane: the exact sign of its area.

use num_bigint::BigInt;

use crate::exact::Sign;
use crate::exact::integer::{scale_all, sign};

/// The exact sign of the signed area of a closed polygon in the plane.
pub(super) fn area_sign(points: &[[f64; 2]]) -> Sign {
    let n = points.len();
    if n < 3 {
        return Sign::Zero;
    }
    // The sum of cross products relative to a corner, with a bound of its rounding error: each
    // difference, product and addition has an error of half an ulp of a value no larger than
    // `size`.
    let [ox, oy] = points[0];
    let (mut sum, mut size) = (0.0_f64, 0.0_f64);
    for i in 1..n - 1 {
        let ([px, py], [qx, qy]) = (points[i], points[i + 1]);
        let (a, b) = ((px - ox) * (qy - oy), (py - oy) * (qx - ox));
        sum += a - b;
        size += a.abs() + b.abs();
    }
    let bound = (n as f64 + 8.0) * f64::EPSILON * size;
    // Products below the smallest normal number lose digits that the bound does not cover.
    if sum.abs() > bound && size > 1e-280 {
        return Sign::of(sum);
    }
    exact_area_sign(points)
}

/// As [`area_sign`], with integers: all coordinates are scaled by one power of two.
fn exact_area_sign(points: &[[f64; 2]]) -> Sign {
    let Some(scaled) = scale_all(points.as_flattened()) else { return Sign::Zero };
    let n = points.len();
    let sum: BigInt = (0..n)
        .map(|i| {
            let [before, after] = [(i + n - 1) % n, (i + 1) % n];
            &scaled[2 * i] * (&scaled[2 * after + 1] - &scaled[2 * before + 1])
        })
        .sum();
    sign(&sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Vec3, axes_by_size, drop_axis, newell, next_up};

    #[test]
    fn normal_and_area_sign_are_right_for_extreme_sizes() {
        for size in [1e60, 1.0, 1e-150, 5e-324] {
            let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
                .map(|[x, y]| Vec3::new(7.0 * size, x * size, y * size));
            let normal = newell(square.iter().copied());
            assert!(normal.x > 0.0 && normal.y == 0.0 && normal.z == 0.0, "{size}: {normal}");
            assert_eq!(axes_by_size(normal)[0], 0);
            let flat: Vec<_> = square.iter().map(|p| drop_axis(*p, 0)).collect();
            assert_eq!(area_sign(&flat), Sign::Positive, "{size}");
        }
        assert_eq!(newell([Vec3::ONE; 5].into_iter()), Vec3::ZERO);
    }

    #[test]
    fn areas_far_below_rounding_error_keep_their_sign() {
        let thin = [[0.1, 0.1], [0.2, 0.2], [0.4, next_up(0.4)], [0.3, next_up(0.3)]];
        let reversed = thin.iter().rev().copied().collect::<Vec<_>>();
        let sign = area_sign(&thin);
        assert_ne!(sign, Sign::Zero);
        assert_eq!(area_sign(&reversed), -sign);
        let figure_eight = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(area_sign(&figure_eight), Sign::Zero);
        let mixed = [[-1e60, 0.0], [1e60, 0.0], [1e60, 5e-324], [-1e60, 5e-324]];
        assert_eq!(area_sign(&mixed), Sign::Positive);
    }
}
