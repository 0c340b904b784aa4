//! Johnson's sub-algorithm: the point of a simplex nearest to the origin, computed by determinants.
//!
//! Leung 1996, section 5.2, equations (5.3) to (5.7). Let `s` be a subset of the points. Then
//! `delta[s][i]` divided by the sum of `delta[s]` is the weight of point `i` in the point of the
//! subset's affine hull that is nearest to the origin. The result is the subset whose weights are
//! positive and for which every other point lies on the far side (5.6). If rounding leaves no such
//! subset, the backup procedure returns the nearest of all subsets with positive weights (5.7).

use impinge::internals::closest::Reduced;
use impinge::math::Vec3;

/// The subsets as bit sets, sorted by number of points, so that each comes after its own subsets.
const ORDER: [usize; 15] = [1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15];

/// The point nearest to the origin of the simplex of one to four `points`.
pub(super) fn reduce(points: &[Vec3]) -> Reduced {
    let all = (1 << points.len()) - 1;
    let members = |s: usize| (0..points.len()).filter(move |i| s >> i & 1 == 1);
    let mut product = [[0.0; 4]; 4];
    for (i, p) in points.iter().enumerate() {
        for (j, q) in points.iter().enumerate() {
            product[i][j] = p.dot(*q);
        }
    }
    let mut delta = [[0.0; 4]; 16];
    for i in 0..points.len() {
        delta[1 << i][i] = 1.0;
    }
    for s in ORDER.into_iter().filter(|s| s & !all == 0) {
        let first = s.trailing_zeros() as usize;
        for j in members(all & !s) {
            // (5.4), with the difference of the points computed before the product.
            let difference = points[first] - points[j];
            delta[s | 1 << j][j] =
                members(s).map(|i| delta[s][i] * points[i].dot(difference)).sum();
        }
    }
    let positive = |s: usize| members(s).all(|i| delta[s][i] > 0.0);
    let others_are_behind = |s: usize| members(all & !s).all(|j| delta[s | 1 << j][j] <= 0.0);
    let subsets = || ORDER.into_iter().filter(|s| s & !all == 0 && positive(*s));
    if let Some(s) = subsets().find(|s| others_are_behind(*s)) {
        return chosen(s, &delta[s]);
    }
    let mut best = (f64::INFINITY, 1);
    for s in subsets() {
        let first = s.trailing_zeros() as usize;
        let sum: f64 = members(s).map(|i| delta[s][i]).sum();
        let square: f64 = members(s).map(|i| delta[s][i] * product[i][first]).sum::<f64>() / sum;
        if square < best.0 {
            best = (square, s);
        }
    }
    chosen(best.1, &delta[best.1])
}

fn chosen(subset: usize, delta: &[f64; 4]) -> Reduced {
    let mut members = (0..4).filter(|i| subset >> i & 1 == 1);
    let mut next = || members.next().unwrap_or(0);
    match subset.count_ones() {
        1 => Reduced::point(next()),
        2 => {
            let index = [next(), next()];
            Reduced::weighted(index, index.map(|i| delta[i]))
        }
        3 => {
            let index = [next(), next(), next()];
            Reduced::weighted(index, index.map(|i| delta[i]))
        }
        _ => Reduced::weighted([0, 1, 2, 3], *delta),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::Random;
    use impinge::internals::closest::{SignedVolumes, Strategy};

    /// Whether no point of the simplex is nearer to the origin than `reduced`, up to `slack`.
    fn is_nearest(points: &[Vec3], reduced: &Reduced, slack: f64) -> bool {
        let nearest = reduced.sum(|i| points[i]);
        let weights: f64 = reduced.iter().map(|(_, w)| w).sum();
        let legal = reduced.iter().all(|(_, w)| w > 0.0) && (weights - 1.0).abs() < 1e-15 * 8.0;
        let square = nearest.length_squared();
        let behind = |p: &Vec3| nearest.dot(*p) >= square - slack * nearest.length();
        legal && (points.iter().all(behind) || nearest.length() < 10.0 * slack)
    }

    #[test]
    fn the_nearest_point_is_found() {
        let mut random = Random::new(17);
        for round in 0..40_000 {
            let n = 1 + round % 4;
            let offset = random.in_cube() * random.range(0.0, 3.0);
            let points: Vec<_> = (0..n).map(|_| random.in_cube() + offset).collect();
            assert!(is_nearest(&points, &reduce(&points), 1e-9), "{points:?}");
        }
    }

    #[test]
    fn flat_simplices_are_seldom_wrong() {
        let mut random = Random::new(18);
        let mut worse = 0;
        for round in 0..40_000 {
            let n = 2 + round % 3;
            // Multiples of one or two vectors: flat, collinear or equal simplices, exactly or up to
            // rounding.
            let (u, v, o) = (random.in_cube(), random.in_cube(), random.in_cube());
            let flat = round % 2 == 0;
            let place = |random: &mut Random| match round / 4 % 4 {
                0 => o + u * random.unit() + v * random.unit() * f64::from(u8::from(flat)),
                1 => o + (u * 8.0).round() * random.index(3) as f64,
                2 => o + u * random.unit() + random.in_cube() * 1e-12,
                _ => o,
            };
            let points: Vec<_> = (0..n).map(|_| place(&mut random)).collect();
            // The backup procedure uses determinants that may be wrong because of rounding.
            let found = reduce(&points);
            let nearest = |r: &Reduced| r.sum(|i| points[i]).length();
            worse += usize::from(nearest(&found) > nearest(&SignedVolumes::reduce(&points)) + 1e-9);
        }
        assert!(worse < 2_000, "{worse} of 40000");
    }
}
