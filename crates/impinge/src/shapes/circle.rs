//! Points on the unit circle, with exact symmetry.

use crate::arrays::MapToVec;
use std::f64::consts::FRAC_PI_2;

/// `(cos, sin)` of `k / n` of a full turn.
///
/// The angle is reduced to the first eighth of the turn in exact integer arithmetic, so quarter
/// turns give exactly 0 and 1, and mirrored points have the same digits.
#[must_use]
pub fn turn(k: usize, n: usize) -> [f64; 2] {
    let (k, n) = ((k % n) as u64 * 4, n as u64);
    let (quarter, rest) = (k / n, k % n);
    // (rest / n) of a quarter turn; beyond its half, the complement with sine and cosine exchanged.
    let [c, s] = if 2 * rest <= n {
        first_eighth(rest, n)
    } else {
        let [c, s] = first_eighth(n - rest, n);
        [s, c]
    };
    match quarter {
        0 => [c, s],
        1 => [-s, c],
        2 => [-c, -s],
        _ => [s, -c],
    }
}

fn first_eighth(rest: u64, n: u64) -> [f64; 2] {
    if rest == 0 {
        return [1.0, 0.0];
    }
    if 2 * rest == n {
        return [std::f64::consts::FRAC_1_SQRT_2; 2];
    }
    let (sin, cos) = (FRAC_PI_2 * (rest as f64 / n as f64)).sin_cos();
    [cos, sin]
}

/// The corners of a regular `n`-gon in the unit circle, counter-clockwise from `(1, 0)`.
#[must_use]
pub fn unit_circle(n: usize) -> Vec<[f64; 2]> {
    (0..n).map_to_vec(|k| turn(k, n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_turns_are_exact_and_mirror_images_equal() {
        assert_eq!(unit_circle(4), [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]);
        for n in [3, 5, 8, 12, 24, 97, 1000] {
            for k in 0..n {
                let [c, s] = turn(k, n);
                let angle = std::f64::consts::TAU * k as f64 / n as f64;
                assert!((c - angle.cos()).abs() < 1e-14 && (s - angle.sin()).abs() < 1e-14);
                assert_eq!(turn(n - k, n), [c, if s == 0.0 { 0.0 } else { -s }]);
            }
        }
    }
}
