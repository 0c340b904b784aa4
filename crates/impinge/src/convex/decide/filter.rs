//! The proofs that floating point alone can give, with error bounds. The bounds are derived in
//! `docs/notes/convex.md`.

use super::certificate::{IntersectionCertificate, SeparationCertificate, VertexPairs};
use super::extreme::{POINTS_IN_PIECE, units_of_points};
use crate::arrays::MapEach;
use crate::convex::interruptible::{finish, pay};
use crate::math::Vec3;
use crate::math::rounding::{PRODUCT_UNDERFLOW, UNIT_ROUNDOFF};

/// The relative error of a gap: five roundings for each end, and those of the bound.
const GAP_BOUND: f64 = 7.0 * UNIT_ROUNDOFF;

/// The relative error of dividing by the length of the direction.
const LENGTH_BOUND: f64 = 8.0 * UNIT_ROUNDOFF;

/// The relative error of a determinant of three rounded differences; that of
/// [`orient3d`](crate::exact::orient3d).
const DETERMINANT_BOUND: f64 = 50.0 * UNIT_ROUNDOFF;

/// More than underflow of products of three factors can change.
const DETERMINANT_UNDERFLOW: f64 = 1e-210;

/// The relative error of a product of two rounded differences minus another such product; that of
/// [`orient2d`](crate::exact::orient2d).
const AREA_BOUND: f64 = 9.0 * UNIT_ROUNDOFF;

/// A certain lower bound of the distance of the hulls of `a` and `b`, from their gap along
/// `direction`: a valid [`SeparationCertificate::lower`] for it. Zero or negative if this direction
/// proves nothing.
///
/// One loop over all points, without exact arithmetic. The direction should have a length of about
/// one. If the length is outside of `1e-100..=1e100`, or if a number is not finite, nothing is
/// proven.
///
/// ```
/// use impinge::Vec3;
/// use impinge::internals::decide::certain_gap;
///
/// let (a, b) = ([Vec3::ZERO, Vec3::X], [Vec3::Y * 2.0, Vec3::ONE * 3.0]);
/// let gap = certain_gap(Vec3::Y, &a, &b);
/// assert!(gap > 2.0 - 1e-14 && gap <= 2.0);
/// ```
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn certain_gap(direction: Vec3, a: &[Vec3], b: &[Vec3]) -> f64 {
    finish(certain_gap_in_pieces(direction, a, b))
}

/// As [`certain_gap`], in pieces.
pub(super) async fn certain_gap_in_pieces(direction: Vec3, a: &[Vec3], b: &[Vec3]) -> f64 {
    let (Some(origin), false) = (a.first(), b.is_empty()) else { return 0.0 };
    let (last, size_a) = extent_in_pieces(direction, *origin, a).await;
    let (first, size_b) = extent_in_pieces(-direction, *origin, b).await;
    // `first` is measured along the opposite direction.
    let between = -first - last;
    certain_distance(between, size_a + size_b, direction)
}

/// A certain lower bound of the distance `between / |direction|`. `between` is a difference of two
/// sums of three products, each of rounded differences of coordinates with an exact direction.
/// `size` adds up, for both sides, the largest sum of the absolute values of such products.
#[inline]
fn certain_distance(between: f64, size: f64, direction: Vec3) -> f64 {
    let certain = between - (GAP_BOUND * size + PRODUCT_UNDERFLOW);
    let length = direction.length();
    if certain > 0.0 && (1e-100..=1e100).contains(&length) {
        let distance = certain / length * (1.0 - LENGTH_BOUND);
        if distance > PRODUCT_UNDERFLOW { distance } else { 0.0 }
    } else {
        certain.min(0.0)
    }
}

/// As [`extent`], in pieces.
async fn extent_in_pieces(direction: Vec3, origin: Vec3, points: &[Vec3]) -> (f64, f64) {
    let (mut furthest, mut largest, mut nan_if_not_finite) = (f64::NEG_INFINITY, 0.0_f64, 0.0);
    for row in points.chunks(POINTS_IN_PIECE) {
        pay(units_of_points(row)).await;
        let (along, size) = extent(direction, origin, row);
        furthest = furthest.max(along);
        largest = largest.max(size);
        nan_if_not_finite += size * 0.0;
    }
    (furthest, largest + nan_if_not_finite)
}

/// The largest `direction . (p - origin)` and the largest sum of the absolute values of its
/// products. The second is NaN if a number is not finite.
///
/// Several maxima in parallel, so that no step waits for the one before.
fn extent(direction: Vec3, origin: Vec3, points: &[Vec3]) -> (f64, f64) {
    const LANES: usize = 4;
    let mut furthest = [f64::NEG_INFINITY; LANES];
    let mut largest = [0.0_f64; LANES];
    let mut nan_if_not_finite = [0.0; LANES];
    let mut take = |lane: usize, p: Vec3| {
        let products = direction * (p - origin);
        let along = products.x + products.y + products.z;
        let sizes = products.abs();
        let size = sizes.x + sizes.y + sizes.z;
        furthest[lane] = if along > furthest[lane] { along } else { furthest[lane] };
        largest[lane] = if size > largest[lane] { size } else { largest[lane] };
        // Zero, unless the size is infinite or NaN.
        nan_if_not_finite[lane] += size * 0.0;
    };
    let mut chunks = points.chunks_exact(LANES);
    for chunk in &mut chunks {
        for (lane, p) in chunk.iter().enumerate() {
            take(lane, *p);
        }
    }
    for (lane, p) in chunks.remainder().iter().enumerate() {
        take(lane, *p);
    }
    let most = |values: [f64; LANES]| values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    (most(furthest), most(largest) + nan_if_not_finite.into_iter().sum::<f64>())
}

/// Whether the hull of one to four vertex differences `b - a`, each pair given as `[a, b]`,
/// contains the origin, if floating point can decide.
///
/// `Some(true)`: the origin is strictly inside a tetrahedron, or two vertices are equal; then these
/// pairs are an [`IntersectionCertificate`]. `Some(false)`: it is certainly not in the hull.
/// `None`: undecided, which includes all segments and triangles that contain the origin, except at
/// a corner.
///
/// For coordinates within [`EXACT_RANGE`](crate::exact::EXACT_RANGE).
///
/// ```
/// use impinge::Vec3;
/// use impinge::internals::decide::contains_origin;
///
/// let around = |p: Vec3| [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| [corner, p]);
/// assert_eq!(contains_origin(&around(Vec3::splat(0.25))), Some(true));
/// assert_eq!(contains_origin(&around(Vec3::splat(0.5))), Some(false));
/// assert_eq!(contains_origin(&around(Vec3::splat(1.0 / 3.0))), None);
/// ```
#[must_use]
pub fn contains_origin(corners: &[[Vec3; 2]]) -> Option<bool> {
    // A difference of two numbers is rounded to zero only if they are equal.
    if corners.iter().any(|[a, b]| a == b) {
        return Some(true);
    }
    let w = |k: usize| corners[k][1] - corners[k][0];
    match corners.len() {
        0 | 1 => Some(false),
        2 => false_if(is_off_line(w(0), w(1))),
        3 => {
            let (w0, w1, w2) = (w(0), w(1), w(2));
            let bound = determinant_bound(w0.abs().max(w1.abs()).max(w2.abs()));
            false_if(w0.cross(w1).dot(w2).abs() > bound)
        }
        4 => in_tetrahedron([w(0), w(1), w(2), w(3)]),
        _ => None,
    }
}

fn false_if(apart: bool) -> Option<bool> {
    apart.then_some(false)
}

/// Whether two rounded differences are certainly not on a line through the origin.
fn is_off_line(u: Vec3, v: Vec3) -> bool {
    let largest = u.abs().max(v.abs());
    let areas = u.cross(v).abs();
    let bounds =
        AREA_BOUND * Vec3::new(largest.y * largest.z, largest.z * largest.x, largest.x * largest.y);
    areas.cmpgt(bounds + Vec3::splat(PRODUCT_UNDERFLOW)).any()
}

/// Whether the origin is strictly inside the tetrahedron of four rounded differences.
fn in_tetrahedron([w0, w1, w2, w3]: [Vec3; 4]) -> Option<bool> {
    let (front, back) = (w0.cross(w1), w2.cross(w3));
    // The weights of the origin, times six times the signed volume.
    let weights = [w1.dot(back), -w0.dot(back), w3.dot(front), -w2.dot(front)];
    let bound = determinant_bound(w0.abs().max(w1.abs()).max(w2.abs().max(w3.abs())));
    let positive = weights.into_iter().filter(|t| *t > bound).count();
    let negative = weights.into_iter().filter(|t| *t < -bound).count();
    match (positive, negative) {
        (4, 0) | (0, 4) => Some(true),
        (1.., 1..) => Some(false),
        _ => None,
    }
}

/// The error of a determinant of three rounded differences, none larger than `largest` in any
/// component.
fn determinant_bound(largest: Vec3) -> f64 {
    DETERMINANT_BOUND * (largest.x * largest.y * largest.z) + DETERMINANT_UNDERFLOW
}

impl SeparationCertificate {
    /// The certificate of `direction` by floating point alone, or `None` if that proves nothing;
    /// see `certain_gap`.
    #[must_use]
    pub fn along(direction: Vec3, a: &[Vec3], b: &[Vec3]) -> Option<Self> {
        finish(Self::along_in_pieces(direction, a, b))
    }

    /// As [`Self::along`], in pieces.
    pub(super) async fn along_in_pieces(direction: Vec3, a: &[Vec3], b: &[Vec3]) -> Option<Self> {
        let gap = certain_gap_in_pieces(direction, a, b).await;
        (gap > 0.0).then_some(Self { direction, lower: gap, pairs: VertexPairs::NONE })
    }
}

impl IntersectionCertificate {
    /// The certificate of `pairs` by floating point alone, or `None` if they prove nothing; see
    /// `contains_origin`.
    ///
    /// # Panics
    /// If a vertex does not exist.
    #[must_use]
    pub fn around(pairs: VertexPairs, a: &[Vec3], b: &[Vec3]) -> Option<Self> {
        let corner = |[i, j]: [u32; 2]| [a[i as usize], b[j as usize]];
        let numbers = pairs.as_slice();
        if let Some(equal) = numbers.iter().find(|pair| corner(**pair)[0] == corner(**pair)[1]) {
            return Some(Self { pairs: VertexPairs::new(&[*equal]) });
        }
        let [p, q, r, s] = numbers.try_into().ok()?;
        (contains_origin(&[p, q, r, s].map_each(corner)) == Some(true)).then_some(Self { pairs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn decided_answers_are_true() {
        let mut random = Random::new(6);
        let mut decided = [[0; 2]; 5];
        for round in 0..4000 {
            let scale = 10_f64.powi(round % 41 * 5 - 100);
            let offset = random.in_cube() * 3.0;
            let len = 1 + round as usize % 4;
            let mut corners = vec![[Vec3::ZERO; 2]; len];
            for corner in &mut corners {
                *corner = [random.in_cube(), random.in_cube()].map(|p| (p + offset) * scale);
            }
            // In two of three rounds the origin is near the hull: the last corner is a reversed
            // combination of the others.
            if round % 3 > 0 && len > 1 {
                let sum: Vec3 = corners[..len - 1].iter().map(|[a, b]| *b - *a).sum();
                corners[len - 1][1] = corners[len - 1][0] - sum * random.unit();
            }
            let (a, b): (Vec<_>, Vec<_>) = corners.iter().map(|c| (c[0], c[1])).unzip();
            let numbers: Vec<_> = (0..len as u32).map(|k| [k, k]).collect();
            let exact = IntersectionCertificate { pairs: VertexPairs::new(&numbers) };
            if let Some(contains) = contains_origin(&corners) {
                assert_eq!(exact.verify(&a, &b), contains, "{corners:?}");
                assert_eq!(
                    IntersectionCertificate::around(exact.pairs, &a, &b).is_some(),
                    contains
                );
                decided[len][usize::from(contains)] += 1;
            }
        }
        assert!(decided[4][1] > 200 && decided[4][0] > 200 && decided[3][0] > 200, "{decided:?}");
    }

    #[test]
    fn gaps_are_valid_and_tight() {
        let mut random = Random::new(7);
        for round in 0..500 {
            let scale = 10_f64.powi(round % 25 * 5 - 60);
            let far = random.in_cube() * [0.0, 1e3, 1e12][round as usize % 3];
            let direction = random.direction() * [1.0, 1e-20, 3e40][round as usize % 3];
            let shift = direction.normalize() * random.range(1.0, 4.0);
            let mut body = |at: Vec3| -> Vec<_> {
                (0..9).map(|_| (random.in_cube() + at + far) * scale).collect()
            };
            let (a, b) = (body(Vec3::ZERO), body(shift));
            let gap = certain_gap(direction, &a, &b);
            if let Some(proof) = SeparationCertificate::along(direction, &a, &b) {
                assert!(gap == proof.lower && proof.verify(&a, &b), "{round}");
                let size = (b[0] - a[0]).length();
                let more = SeparationCertificate { lower: gap + 1e-14 * size, ..proof };
                assert!(!more.verify(&a, &b), "{round}");
            }
        }
    }

    #[test]
    fn non_finite_coordinates_prove_nothing() {
        let (a, b) = ([Vec3::ZERO, Vec3::NEG_X], [Vec3::X, Vec3::X * 2.0]);
        assert!(certain_gap(Vec3::X, &a, &b) > 0.9);
        assert_eq!(certain_gap(Vec3::ZERO, &a, &b), 0.0 - PRODUCT_UNDERFLOW);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(certain_gap(Vec3::X, &[Vec3::ZERO, Vec3::Y * bad], &b) <= 0.0);
            assert!(certain_gap(Vec3::X, &a, &[Vec3::X, Vec3::Y * bad]) <= 0.0);
            assert!(certain_gap(Vec3::X * bad, &a, &b) <= 0.0);
            assert_eq!(contains_origin(&[0, 1, 2, 3].map(|_| [Vec3::splat(bad), Vec3::X])), None);
        }
        assert!(certain_gap(Vec3::X * 1e-200, &a, &b) <= 0.0);
        assert!(certain_gap(Vec3::X, &a, &[]) <= 0.0);
        assert_eq!(contains_origin(&[]), Some(false));
    }
}
