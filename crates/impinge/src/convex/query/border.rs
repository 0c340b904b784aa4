//! A simplex that has the origin on its border, decided in integers of fixed width.
//!
//! Bodies that stand aligned, a box on a box or beside another, have Minkowski differences full of
//! symmetries: the origin lies on a face or an edge of whatever tetrahedron is around it. No error
//! bound helps there. But the numbers of such bodies are mostly near each other: as multiples of
//! one power of two they fit 60 bits, differences of them 61, and a determinant of three
//! differences 187. That is a dozen multiplications, where integers of any length allocate.

use super::gjk::Query;
use super::simplex::Simplex;
use crate::math::Vec3;

/// So many binary digits are kept before the point of the largest coordinate: a sum of three
/// products of two differences fits 126 bits.
const DIGITS: u64 = 59;

/// A difference of two vertices, in a common unit.
type Vector = [i64; 3];

/// Whether the hull of the corners holds the origin, inside or on its border, for certain; false if
/// it does not or if the numbers are too far apart for integers of fixed width.
///
/// If it does, the corners are a proof of it; of a corner at the origin, that is left alone.
#[cold]
#[inline(never)]
pub(super) fn holds(query: &Query<'_>, simplex: &mut Simplex<Vec3>) -> bool {
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

/// The corners as multiples of one power of two.
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
    let unit = f64::from_bits((1023 + DIGITS + 1023 - (largest.to_bits() >> 52)) << 52);
    let mut corners = [[0; 3]; 4];
    let mut exact = true;
    for (corner, (p, q)) in corners.iter_mut().zip(ends) {
        for (k, x) in corner.iter_mut().enumerate() {
            let (p, q) = (p[k], q[k]);
            let (m, n) = ((p * unit) as i64, (q * unit) as i64);
            // Back in the first unit: a number that is no multiple is another one then, and so is
            // one that vanishes.
            exact &= (m as f64 / unit == p) & (n as f64 / unit == q);
            *x = m - n;
        }
    }
    exact.then_some(corners)
}

/// Whether the origin lies between two points that are not there themselves.
fn is_between(v: Vector, w: Vector) -> bool {
    cross(v, w) == [0; 3] && dot(v, w) < 0
}

fn is_in_triangle(u: Vector, v: Vector, w: Vector) -> bool {
    let parts = [cross(v, w), cross(w, u), cross(u, v)];
    let normal = [0, 1, 2].map(|k| parts[0][k] + parts[1][k] + parts[2][k]);
    // In the plane of the triangle all four are parallel: one component tells their signs.
    let Some(k) = normal.iter().position(|x| *x != 0) else { return false };
    let sign = normal[k].signum();
    parts.iter().all(|part| part[k].signum() != -sign) && sign_of_product(parts[0], u) == 0
}

fn is_in_tetrahedron(t: Vector, u: Vector, v: Vector, w: Vector) -> bool {
    let (first, last) = (cross(t, u), cross(v, w));
    let signs = [
        sign_of_product(last, u),
        -sign_of_product(last, t),
        sign_of_product(first, w),
        -sign_of_product(first, v),
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

/// The sign of a product of vectors, of numbers up to `2^125` with numbers up to `2^61`.
fn sign_of_product(v: [i128; 3], w: Vector) -> i32 {
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
    use crate::convex::decide::{Common, Pairs};
    use crate::math::{Pose, Random};

    #[test]
    fn products_have_the_sign_of_long_integers() {
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
            assert_eq!(sign_of_product(v, w), sign, "{v:?} {w:?}");
        }
    }

    /// Grids with coarse and with fine coordinates: what the integers say is what the verification
    /// of proofs says.
    #[test]
    fn says_what_exact_arithmetic_says() {
        let mut random = Random::new(9);
        let mut held = [0; 5];
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
            let pairs = |simplex: &Simplex<Vec3>| -> Pairs {
                Pairs::new(&simplex.corners().map(|c| [c.a, c.b]).collect::<Vec<_>>())
            };
            let placed: Vec<Vec3> = b.vertices().iter().map(|p| pose.transform_point(*p)).collect();
            let before = Common { pairs: pairs(&simplex) };
            let found = holds(&query, &mut simplex);
            let proof = Common { pairs: pairs(&simplex) };
            if found {
                assert!(proof.verify(a.vertices(), &placed), "{proof:?}");
                held[simplex.len()] += 1;
            } else {
                assert!(!before.verify(a.vertices(), &placed), "{before:?}");
            }
        }
        assert!(held[1..].iter().all(|n| *n > 40), "{held:?}");
    }

    #[test]
    fn numbers_far_apart_are_left_to_longer_integers() {
        let a = Hull::new(&[Vec3::new(1.0, 1e-30, 0.0), Vec3::new(-1.0, 0.0, 0.0)]).unwrap();
        let b = Hull::new(&[Vec3::ZERO]).unwrap();
        let query = Query::new(&a, &b, &Pose::IDENTITY);
        let mut simplex = Simplex::EMPTY;
        simplex.push(query.corner(0, 0));
        simplex.push(query.corner(1, 0));
        assert_eq!(integers(&query, &simplex), None);
        assert!(!holds(&query, &mut simplex));
        simplex = Simplex::EMPTY;
        assert!(!holds(&query, &mut simplex));
    }
}
