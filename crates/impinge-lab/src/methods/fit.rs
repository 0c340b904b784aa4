//! Constants of cost models, fitted by least squares of the relative errors.

/// `base + slope x`, by least squares of the relative errors. Neither is negative.
pub(super) fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let (base, slope) = plane(points.iter().map(|(x, cost)| ([1.0, *x], *cost)));
    (base, slope)
}

/// `p x + q y`, by least squares of the relative errors. Neither is negative: if one would be, it
/// is set to zero and the other is fitted alone.
fn plane(points: impl Iterator<Item = ([f64; 2], f64)>) -> (f64, f64) {
    // With errors relative to the cost, each equation is divided by it.
    let (mut xx, mut xy, mut yy, mut x1, mut y1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for ([x, y], cost) in points.filter(|(_, cost)| *cost > 0.0) {
        let (x, y) = (x / cost, y / cost);
        xx += x * x;
        xy += x * y;
        yy += y * y;
        x1 += x;
        y1 += y;
    }
    let determinant = xx * yy - xy * xy;
    let (p, q) = ((x1 * yy - y1 * xy) / determinant, (y1 * xx - x1 * xy) / determinant);
    if p.is_finite() && q.is_finite() && p >= 0.0 && q >= 0.0 {
        return (p, q);
    }
    if q < 0.0 || yy == 0.0 { (x1 / xx, 0.0) } else { (0.0, y1 / yy) }
}

/// `slope x`, by least squares of the relative errors.
pub(super) fn ratio(points: &[(f64, f64)]) -> f64 {
    plane(points.iter().map(|(x, cost)| ([*x, 0.0], *cost))).0
}

/// The constant, by least squares of the relative errors.
pub(super) fn constant(costs: &[f64]) -> f64 {
    plane(costs.iter().map(|cost| ([1.0, 0.0], *cost))).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_recovered() {
        let points: Vec<(f64, f64)> =
            (0..10).map(|x| (f64::from(x), 3.0 + 2.0 * f64::from(x))).collect();
        let (base, slope) = line(&points);
        assert!((base - 3.0).abs() < 1e-9 && (slope - 2.0).abs() < 1e-9, "{base} {slope}");
    }

    #[test]
    fn coefficients_are_not_negative() {
        let (base, slope) = line(&[(1.0, 1.0), (2.0, 4.0), (3.0, 9.0)]);
        assert!(base == 0.0 && slope > 0.0, "{base} {slope}");
        let (base, slope) = line(&[(1.0, 9.0), (2.0, 4.0), (3.0, 1.0)]);
        assert!(base > 0.0 && slope == 0.0, "{base} {slope}");
        assert!((ratio(&[(1.0, 3.0), (2.0, 6.0)]) - 3.0).abs() < 1e-12);
        assert!((constant(&[2.0, 2.0]) - 2.0).abs() < 1e-12);
    }
}
