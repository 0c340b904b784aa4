//! Whether a simplex has the origin inside or on its boundary, decided in integers of fixed width.
//!
//! Aligned bodies, such as a box on a box, have symmetric Minkowski differences: the origin lies on
//! a face or an edge of any tetrahedron around it, and no error bound decides that. But the
//! coordinates of such bodies usually have similar exponents: as multiples of one power of two they
//! fit 60 bits, their differences 61, and a determinant of three differences 187. It takes about a
//! dozen multiplications, where integers of any length allocate.

use super::gjk::Query;
use super::simplex::Simplex;
use crate::math::Vec3;

/// Bits of the largest coordinate as an integer: a sum of three products of two differences fits
/// 126 bits.
const COORDINATE_BITS: u64 = 59;

/// A difference of two vertices, in a common unit.
type Vector = [i64; 3];

/// Whether the hull of the corners certainly contains the origin, inside or on its boundary. False
/// if it does not, or if the exponents differ too much for integers of fixed width.
///
/// If it does, the corners prove it. A corner that is the origin becomes the only one.
#[cold]
#[inline(never)]
pub(super) fn contains_origin(query: &Query<'_>, simplex: &mut Simplex<Vec3>) -> bool {
    let Some(corners) = integers(query, simplex) else { return false };
    let corners = &corners[..simplex.len()];
    if let Some(at) = corners.iter().position(|w| *w == [0; 3]) {
        let corner = simplex.corner(at);
        *simplex = Simplex::EMPTY;
        simplex.push(corner);
        return true;
    }
    match *corners {
        [v, w] => is_between(v, w),
        [u, v, w] => is_in_triangle(u, v, w),
        [t, u, v, w] => is_in_tetrahedron(t, u, v, w),
        _ => false,
    }
}

/// The corners as multiples of one power of two; `None` if a coordinate is not a multiple or out of
/// range.
fn integers(query: &Query<'_>, simplex: &Simplex<Vec3>) -> Option<[Vector; 4]> {
    let mut ends = [(Vec3::ZERO, Vec3::ZERO); 4];
    let mut largest = 0.0_f64;
    for (end, corner) in ends.iter_mut().zip(simplex.corners()) {
        *end = query.vertices(corner.a, corner.b);
        largest = largest.max(end.0.abs().max(end.1.abs()).max_element());
    }
    if !(1e-100..1e100).contains(&largest) {
        return None;
    }
    let unit = f64::from_bits((1023 + COORDINATE_BITS + 1023 - (largest.to_bits() >> 52)) << 52);
    let mut corners = [[0; 3]; 4];
    let mut exact = true;
    for (corner, (p, q)) in corners.iter_mut().zip(ends) {
        for (k, x) in corner.iter_mut().enumerate() {
            let (p, q) = (p[k], q[k]);
            let (m, n) = ((p * unit) as i64, (q * unit) as i64);
            // A coordinate that is not a multiple of the unit changes in the conversion, and so
            // does one that vanishes.
            exact &= (m as f64 / unit == p) & (n as f64 / unit == q);
            *x = m - n;
        }
    }
    exact.then_some(corners)
}

/// Whether the origin lies between two points, neither of which is the origin.
fn is_between(v: Vector, w: Vector) -> bool {
    cross(v, w) == [0; 3] && dot(v, w) < 0
}

fn is_in_triangle(u: Vector, v: Vector, w: Vector) -> bool {
    let parts = [cross(v, w), cross(w, u), cross(u, v)];
    let normal = [0, 1, 2].map(|k| parts[0][k] + parts[1][k] + parts[2][k]);
    // All four vectors are normal to the triangle, if the origin is in its plane: one component
    // gives their signs.
    let Some(k) = normal.iter().position(|x| *x != 0) else { return false };
    let sign = normal[k].signum();
    parts.iter().all(|part| part[k].signum() != -sign) && sign_of_dot(parts[0], u) == 0
}

fn is_in_tetrahedron(t: Vector, u: Vector, v: Vector, w: Vector) -> bool {
    let (first, last) = (cross(t, u), cross(v, w));
    let signs = [
        sign_of_dot(last, u),
        -sign_of_dot(last, t),
        sign_of_dot(first, w),
        -sign_of_dot(first, v),
    ];
    let some = |sign: i32| signs.contains(&sign);
    some(1) != some(-1)
}

fn dot(v: Vector, w: Vector) -> i128 {
    (0..3).map(|k| i128::from(v[k]) * i128::from(w[k])).sum()
}

fn cross(v: Vector, w: Vector) -> [i128; 3] {
    let minor = |i: usize, j: usize| {
        i128::from(v[i]) * i128::from(w[j]) - i128::from(v[j]) * i128::from(w[i])
    };
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

/// The sign of a dot product, of numbers up to `2^125` with numbers up to `2^61`.
fn sign_of_dot(v: [i128; 3], w: Vector) -> i32 {
    // In digits of 64 bits: the upper ones with their sign, the lowest without.
    let (mut high, mut low) = (0_i128, 0_u128);
    for k in 0..3 {
        let factor = i128::from(w[k]);
        let (upper, lower) = (v[k] >> 64, v[k] & i128::from(u64::MAX));
        // Both factors have less than 64 bits, and the second product less than 126.
        let product = lower * factor;
        high += upper * factor + (product >> 64);
        low += (product & i128::from(u64::MAX)) as u128;
    }
    high += (low >> 64) as i128;
    match high {
        0 => i32::from(low & u128::from(u64::MAX) != 0),
        _ => high.signum() as i32,
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;
    use crate::convex::Hull;
    use crate::convex::decide::{IntersectionCertificate, VertexPairs};
    use crate::math::{Pose, Random};

    #[test]
    fn signs_are_those_of_big_integers() {
        let mut random = Random::new(2);
        for round in 0..2000 {
            let mut number = |bits: u32| {
                let x = (u128::from(random.bits()) << 64 | u128::from(random.bits())) as i128;
                x >> (128 - bits)
            };
            let small = 1 + round % 61;
            let mut v = [0; 3].map(|_| number(4 + 2 * small));
            let w = [0; 3].map(|_| number(1 + small) as i64);
            if round % 2 == 0 && w[2] != 0 {
                // Zero, or one off.
                v = [i128::from(w[1]) * 3, i128::from(w[0]) * -3, i128::from(round % 4 == 0)];
            }
            let exact: BigInt = (0..3).map(|k| BigInt::from(v[k]) * w[k]).sum();
            let sign = match exact.sign() {
                num_bigint::Sign::Minus => -1,
                num_bigint::Sign::NoSign => 0,
                num_bigint::Sign::Plus => 1,
            };
            assert_eq!(sign_of_dot(v, w), sign, "{v:?} {w:?}");
        }
    }

    /// On grids with coarse and with fine coordinates the result is that of the verification of
    /// proofs.
    #[test]
    fn agrees_with_exact_arithmetic() {
        let mut random = Random::new(9);
        let mut counts = [0; 5];
        for round in 0..20_000 {
            let scale = [1.0, 1.0 / 3.0, 1e-30, 7e20][round % 4];
            let mut points = |count: usize| -> Vec<Vec3> {
                (0..count)
                    .map(|_| Vec3::from([0; 3].map(|_| random.index(3) as f64 - 1.0)) * scale)
                    .collect()
            };
            let (a, b) = (Hull::new(&points(6)).unwrap(), Hull::new(&points(6)).unwrap());
            let pose = Pose::from_translation(points(1)[0] * 0.5 * (round % 3) as f64).unwrap();
            let query = Query::new(&a, &b, &pose);
            let mut simplex = Simplex::EMPTY;
            for _ in 0..1 + round / 4 % 4 {
                let of = |hull: &Hull, k: usize| (k % hull.vertices().len()) as u32;
                simplex.push(query.corner(of(&a, random.index(6)), of(&b, random.index(6))));
            }
            let pairs = |simplex: &Simplex<Vec3>| -> VertexPairs {
                VertexPairs::new(&simplex.corners().map(|c| [c.a, c.b]).collect::<Vec<_>>())
            };
            let posed_b: Vec<Vec3> =
                b.vertices().iter().map(|p| pose.transform_point(*p)).collect();
            let before = IntersectionCertificate { pairs: pairs(&simplex) };
            let found = contains_origin(&query, &mut simplex);
            let proof = IntersectionCertificate { pairs: pairs(&simplex) };
            if found {
                assert!(proof.verify(a.vertices(), &posed_b), "{proof:?}");
                counts[simplex.len()] += 1;
            } else {
                assert!(!before.verify(a.vertices(), &posed_b), "{before:?}");
            }
        }
        assert!(counts[1..].iter().all(|n| *n > 40), "{counts:?}");
    }

    #[test]
    fn different_exponents_are_not_decided() {
        let a = Hull::new(&[Vec3::new(1.0, 1e-30, 0.0), Vec3::new(-1.0, 0.0, 0.0)]).unwrap();
        let b = Hull::new(&[Vec3::ZERO]).unwrap();
        let query = Query::new(&a, &b, &Pose::IDENTITY);
        let mut simplex = Simplex::EMPTY;
        simplex.push(query.corner(0, 0));
        simplex.push(query.corner(1, 0));
        assert_eq!(integers(&query, &simplex), None);
        assert!(!contains_origin(&query, &mut simplex));
        simplex = Simplex::EMPTY;
        assert!(!contains_origin(&query, &mut simplex));
    }
}
