//! Exact references for two convex bodies, in integer arithmetic. They share no code with the
//! library.
//!
//! [`share_a_point`] is a linear program, for bodies of any size: find weights `s, t >= 0` with sum
//! 1 each such that `sum s a = sum t b`. It uses the first phase of the two-phase simplex method,
//! with Bland's rule (Bland 1977, "New finite pivoting rules for the simplex method"), which always
//! terminates, and the division-free pivots of Edmonds 1967 / Bareiss 1968.
//!
//! [`Small`] is brute force for small bodies: it tests every direction that can be the normal of a
//! closest feature or of a face of the Minkowski difference.

use std::cmp::Ordering;

use glam::DVec3 as Vec3;
use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::{Signed, Zero};

pub use crate::number::integer;
use crate::vector::{Int3, cross, dot, is_zero, sub};

/// A quotient of integers.
pub type Rational = Ratio<BigInt>;

/// `x`, exactly.
pub fn rational(x: f64) -> Rational {
    Rational::new(integer(x), BigInt::from(1) << 1074_u32)
}

/// Both sets as integers in the largest common unit, and the exponent of the unit.
fn integers(a: &[Vec3], b: &[Vec3]) -> (Vec<Int3>, Vec<Int3>, i64) {
    let all = |points: &[Vec3]| -> Vec<Int3> {
        points.iter().map(|p| p.to_array().map(integer)).collect()
    };
    let (mut a, mut b) = (all(a), all(b));
    let numbers = || a.iter().chain(&b).flatten();
    let zeros = numbers().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
    for x in a.iter_mut().chain(&mut b).flatten() {
        *x >>= zeros;
    }
    (a, b, zeros as i64 - 1074)
}

/// The sum of products of a row and a column.
fn row_by_column(row: &[BigInt], column: &[BigInt; 5]) -> BigInt {
    row.iter().zip(column).map(|(x, y)| x * y).sum()
}

/// Whether the hulls of `a` and `b` share a point.
pub fn share_a_point(a: &[Vec3], b: &[Vec3]) -> bool {
    let (a, b, _) = integers(a, b);
    // The columns: three rows for the coordinates, and one row for the sum of the weights of each
    // body.
    let zero = BigInt::zero;
    let one = || BigInt::from(1);
    let of_a = a.into_iter().map(|[x, y, z]| [x, y, z, one(), zero()]);
    let of_b = b.into_iter().map(|[x, y, z]| [-x, -y, -z, zero(), one()]);
    let columns: Vec<[BigInt; 5]> = of_a.chain(of_b).collect();
    // The first basis consists of five artificial variables, numbered after the others. `inverse /
    // det` is the inverse of the basis.
    let mut basis: [usize; 5] = [0, 1, 2, 3, 4].map(|k| columns.len() + k);
    let mut inverse: Vec<Vec<BigInt>> =
        (0..5).map(|i| (0..5).map(|j| BigInt::from(i32::from(i == j))).collect()).collect();
    let mut det = one();
    loop {
        // The values of the basis times `det`: the right side is (0, 0, 0, 1, 1).
        let values: Vec<BigInt> = inverse.iter().map(|row| &row[3] + &row[4]).collect();
        let artificial: Vec<usize> = (0..5).filter(|r| basis[*r] >= columns.len()).collect();
        if artificial.iter().all(|r| values[*r].is_zero()) {
            return true;
        }
        // The prices are the sum of the artificial rows. A column with a positive product decreases
        // the sum of the artificial variables.
        let prices: Vec<BigInt> =
            (0..5).map(|k| artificial.iter().map(|r| &inverse[*r][k]).sum()).collect();
        let Some(entering) = columns.iter().position(|c| row_by_column(&prices, c).is_positive())
        else {
            return false;
        };
        let step: Vec<BigInt> =
            inverse.iter().map(|row| row_by_column(row, &columns[entering])).collect();
        // The smallest quotient of value and step; if quotients are equal, the variable with the
        // lowest number.
        let leaving = (0..5).filter(|r| step[*r].is_positive()).min_by(|r, s| {
            let (left, right) = (&values[*r] * &step[*s], &values[*s] * &step[*r]);
            left.cmp(&right).then(basis[*r].cmp(&basis[*s]))
        });
        let leaving = leaving.expect("the sum of the artificial variables is bounded below");
        let pivot_row = inverse[leaving].clone();
        for r in (0..5).filter(|r| *r != leaving) {
            for k in 0..5 {
                inverse[r][k] = (&step[leaving] * &inverse[r][k] - &step[r] * &pivot_row[k]) / &det;
            }
        }
        det = step[leaving].clone();
        basis[leaving] = entering;
    }
}

/// Whether B, moved by `limit` along a direction of about unit length, shares no inner point with
/// A. Exact: compares the overlap along the direction with `limit`.
///
/// Floating point selects the vertices that can be outermost; integers decide.
pub fn overlap_is_at_most(a: &[Vec3], b: &[Vec3], along: Vec3, limit: f64) -> bool {
    let sizes = a.iter().chain(b).map(|p| p.abs().max_element()).fold(0.0, f64::max);
    // Differences of coordinates, products, two sums: less than eight roundings of these numbers.
    // The last term bounds underflow.
    let slack = 16.0 * f64::EPSILON * sizes * along.abs().element_sum() + f64::MIN_POSITIVE;
    let outermost = |points: &[Vec3], n: Vec3| -> Vec<Vec3> {
        let furthest = points.iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
        points.iter().filter(|p| n.dot(**p) >= furthest - slack).copied().collect()
    };
    let (a, b, exponent) = integers(&outermost(a, along), &outermost(b, -along));
    let n = along.to_array().map(integer);
    let last = a.iter().map(|p| dot(&n, p)).max().expect("a body has points");
    let first = b.iter().map(|p| dot(&n, p)).min().expect("a body has points");
    let (overlap, limit) = (last - first, integer(limit));
    // Squared, because the length of the direction need not be rational. The unit of the direction
    // cancels.
    let shift = (exponent + 1074) as u64;
    !overlap.is_positive() || (&overlap * &overlap) << (2 * shift) <= &limit * &limit * dot(&n, &n)
}

/// Two small bodies and all candidate directions.
pub struct Small {
    a: Vec<Int3>,
    b: Vec<Int3>,
    exponent: i64,
    /// Normals of faces and of pairs of edges. They include the face normals of the Minkowski
    /// difference, if it has volume.
    normals: Vec<Int3>,
    /// Directions between vertices, and from vertices perpendicular to edges.
    across: Vec<Int3>,
    has_volume: bool,
}

impl Small {
    /// For up to about twelve points per body.
    pub fn new(a: &[Vec3], b: &[Vec3]) -> Self {
        let (a, b, exponent) = integers(a, b);
        let (of_a, of_b) = (Features::new(&a), Features::new(&b));
        let mut normals: Vec<Int3> = of_a.normals.iter().chain(&of_b.normals).cloned().collect();
        for e in &of_a.edges {
            normals.extend(
                of_b.edges
                    .iter()
                    .map(|f| cross(&sub(&a[e[0]], &a[e[1]]), &sub(&b[f[0]], &b[f[1]]))),
            );
        }
        normals.retain(|n| !is_zero(n));
        let mut across = Vec::new();
        for p in &a {
            across.extend(b.iter().map(|q| sub(q, p)));
        }
        let mut edge_and_points = |ends: &[Int3], edges: &[[usize; 2]], points: &[Int3]| {
            for [i, j] in edges {
                let e = sub(&ends[*j], &ends[*i]);
                across.extend(points.iter().map(|p| cross(&cross(&e, &sub(p, &ends[*i])), &e)));
            }
        };
        edge_and_points(&a, &of_a.edges, &b);
        edge_and_points(&b, &of_b.edges, &a);
        across.retain(|n| !is_zero(n));
        let along =
            |points: &[Int3]| -> Vec<Int3> { points.iter().map(|p| sub(p, &points[0])).collect() };
        let has_volume = rank(&[along(&a), along(&b)].concat()) == 3;
        Self { a, b, exponent, normals, across, has_volume }
    }

    /// The gap between A and B along `n`; negative if they overlap in that direction.
    fn gap(&self, n: &Int3) -> BigInt {
        let first = self.b.iter().map(|p| dot(n, p)).min().expect("a body has points");
        let last = self.a.iter().map(|p| dot(n, p)).max().expect("a body has points");
        first - last
    }

    /// `x / |n|`, squared, in units of length.
    fn squared(&self, (x, n): &(BigInt, Int3)) -> Rational {
        let (numerator, denominator) = (x * x, dot(n, n));
        match 2 * self.exponent {
            e if e < 0 => Rational::new(numerator, denominator << -e as u64),
            e => Rational::new(numerator << e as u64, denominator),
        }
    }

    /// The squared distance; `None` if the bodies share a point. The gap along any direction is at
    /// most the distance, and equals it along the direction of the closest features.
    pub fn squared_distance(&self) -> Option<Rational> {
        let directions = self.normals.iter().chain(&self.across).flat_map(both);
        let gaps = directions.map(|n| (self.gap(&n), n)).filter(|(gap, _)| gap.is_positive());
        gaps.max_by(compare).map(|gap| self.squared(&gap))
    }

    /// The squared penetration depth: the length of the shortest translation of B after which no
    /// inner point is shared. `None` if the bodies share no point. Zero if they only touch, or if
    /// the Minkowski difference has no volume.
    pub fn squared_depth(&self) -> Option<Rational> {
        if self.squared_distance().is_some() {
            return None;
        }
        if !self.has_volume {
            return Some(Rational::zero());
        }
        let depths = self.normals.iter().flat_map(both).map(|n| (self.gap(&n), n));
        depths.min_by(compare).map(|depth| self.squared(&depth))
    }

    /// The squared overlap along a direction, for bodies that share a point: the distance that B
    /// must be moved along it until no inner point is shared.
    pub fn squared_overlap(&self, along: Vec3) -> Rational {
        let n = along.to_array().map(integer);
        self.squared(&(self.gap(&n), n))
    }
}

fn both(n: &Int3) -> [Int3; 2] {
    [n.clone(), n.clone().map(|x| -x)]
}

/// Compares the absolute values of `x / |n|`.
fn compare((x, n): &(BigInt, Int3), (y, m): &(BigInt, Int3)) -> Ordering {
    (x * x * dot(m, m)).cmp(&(y * y * dot(n, n)))
}

/// The faces and edges of one body.
struct Features {
    normals: Vec<Int3>,
    edges: Vec<[usize; 2]>,
}

impl Features {
    fn new(points: &[Int3]) -> Self {
        let n = points.len();
        // For each supporting plane, the bit set of the points on it, and its normal.
        let mut planes: Vec<(u64, Int3)> = Vec::new();
        let mut is_flat = false;
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    let (u, v) = (sub(&points[j], &points[i]), sub(&points[k], &points[i]));
                    let normal = cross(&u, &v);
                    if is_zero(&normal) {
                        continue;
                    }
                    let heights: Vec<_> =
                        points.iter().map(|p| dot(&normal, &sub(p, &points[i]))).collect();
                    let above = heights.iter().any(BigInt::is_positive);
                    let below = heights.iter().any(BigInt::is_negative);
                    let on = (0..n).filter(|l| heights[*l].is_zero());
                    let on = on.fold(0_u64, |bits, l| bits | (1 << l));
                    let is_new = planes.iter().all(|(bits, _)| *bits != on);
                    if is_new && (!above || !below) {
                        is_flat |= !above && !below;
                        planes.push((on, normal));
                    }
                }
            }
        }
        // For a flat body every pair of points counts as an edge: more candidates than needed, but
        // correct.
        let on_two = |i: usize, j: usize| {
            let bits = (1 << i) | (1 << j);
            is_flat || planes.iter().filter(|(on, _)| on & bits == bits).count() >= 2
        };
        let mut edges = Vec::new();
        for i in 0..n {
            edges.extend((i + 1..n).map(|j| [i, j]));
        }
        if !planes.is_empty() {
            edges.retain(|[i, j]| on_two(*i, *j));
        }
        let mut normals: Vec<Int3> = planes.into_iter().map(|(_, normal)| normal).collect();
        if is_flat {
            // Perpendicular to the edges, in the plane.
            let m = normals[0].clone();
            normals.extend(edges.iter().map(|[i, j]| cross(&m, &sub(&points[*j], &points[*i]))));
        }
        Self { normals, edges }
    }
}

/// The dimension of the space that the vectors span.
fn rank(vectors: &[Int3]) -> usize {
    let Some(first) = vectors.iter().find(|v| !is_zero(v)) else { return 0 };
    let Some(normal) = vectors.iter().map(|v| cross(first, v)).find(|n| !is_zero(n)) else {
        return 1;
    };
    if vectors.iter().all(|v| dot(&normal, v).is_zero()) { 2 } else { 3 }
}
