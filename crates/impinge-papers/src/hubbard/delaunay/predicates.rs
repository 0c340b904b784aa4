//! The exact predicates: orientation of four points, and a point in the sphere of four others.

use impinge::Vec3;
use impinge::exact::{Sign, orient2d};
use robust::Coord3D;

/// Limits of the sizes of coordinates that are not zero. Differences of such coordinates are
/// multiples of `2^-202`, and products of five of them of `2^-1010`; the expansions neither
/// underflow nor overflow.
const SMALLEST: f64 = 7.006_492_321_624_085e-46; // 2^-150
const LARGEST: f64 = 1.427_247_692_705_96e45; // 2^150

/// Whether the predicates are exact for a point.
pub(super) fn is_in_range(p: Vec3) -> bool {
    p.to_array().iter().all(|x| *x == 0.0 || (SMALLEST..=LARGEST).contains(&x.abs()))
}

fn coord(p: Vec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

/// 1 if the fourth point is on the side of the plane of the first three from which they run
/// clockwise, -1 on the other side, 0 in the plane.
pub(super) fn orientation([a, b, c, d]: [Vec3; 4]) -> i32 {
    sign(robust::orient3d(coord(a), coord(b), coord(c), coord(d)))
}

/// Whether three points lie on a line.
pub(super) fn is_on_line([a, b, c]: [Vec3; 3]) -> bool {
    let along = |drop: fn(Vec3) -> [f64; 2]| orient2d(drop(a), drop(b), drop(c)) == Sign::Zero;
    along(|v| [v.x, v.y]) && along(|v| [v.y, v.z]) && along(|v| [v.z, v.x])
}

/// 1 if the fifth point is inside the sphere of the first four, which are positively oriented, -1
/// if it is outside; on the sphere, as after the perturbation. The points are different.
pub(super) fn in_sphere(points: [Vec3; 5]) -> i32 {
    let [a, b, c, d, p] = points;
    match sign(robust::insphere(coord(a), coord(b), coord(c), coord(d), coord(p))) {
        0 => perturbed(points),
        sign => sign,
    }
}

/// The side of the fifth point after each point was lifted by an infinitesimal amount, the larger
/// the later it comes in lexicographic order.
///
/// The determinant is linear in the lifts. The coefficient of the fifth point's lift is the
/// orientation of the others, with a negative sign: a lifted point is outside. The coefficient of
/// another point's lift is the orientation of the tetrahedron in which the fifth point replaces it.
/// The first coefficient that is not zero decides.
fn perturbed(points: [Vec3; 5]) -> i32 {
    let [a, b, c, d, p] = points;
    let mut order = [0, 1, 2, 3, 4];
    order.sort_unstable_by(|i, j| {
        let (u, v) = (points[*i], points[*j]);
        v.x.total_cmp(&u.x).then(v.y.total_cmp(&u.y)).then(v.z.total_cmp(&u.z))
    });
    for i in order {
        let coefficient = match i {
            0 => orientation([p, b, c, d]),
            1 => orientation([a, p, c, d]),
            2 => orientation([a, b, p, d]),
            3 => orientation([a, b, c, p]),
            _ => -1,
        };
        if coefficient != 0 {
            return coefficient;
        }
    }
    unreachable!("the coefficient of the fifth point is not zero")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spheres_and_orientations_have_the_stated_signs() {
        let [o, x, y, z] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        // Seen from above, o, x, y run counter-clockwise.
        assert_eq!(orientation([o, x, y, z]), -1);
        let tetrahedron = [x, o, y, z];
        assert_eq!(orientation(tetrahedron), 1);
        let with = |p: Vec3| in_sphere([x, o, y, z, p]);
        assert_eq!(with(Vec3::splat(0.9)), 1);
        assert_eq!(with(Vec3::splat(1.1)), -1);
        assert!(is_on_line([o, x, x * 0.3]) && !is_on_line([o, x, y]));
    }

    /// A symbolic lift and a small real one decide alike.
    #[test]
    fn perturbation_is_that_of_small_lifts() {
        use num_bigint::BigInt;
        // Points on the sphere of radius 3 around the origin.
        let mut points = Vec::new();
        for (x, y, z) in [(1, 2, 2), (0, 0, 3)] {
            for signs in 0..8 {
                let s = |bit: i32, v: i32| if signs >> bit & 1 == 1 { -v } else { v };
                for p in [
                    [s(0, x), s(1, y), s(2, z)],
                    [s(0, y), s(1, z), s(2, x)],
                    [s(0, z), s(1, x), s(2, y)],
                ] {
                    if !points.contains(&p) {
                        points.push(p);
                    }
                }
            }
        }
        points.sort_unstable();
        let number = points.len();
        // The lift of a point: a huge base to the power of its rank.
        let mut random = impinge::internals::Random::new(3);
        let mut checked = 0;
        while checked < 300 {
            let pick = random.permutation(number);
            let at = |i: usize| Vec3::from_array(points[pick[i]].map(f64::from));
            let [a, b, c, d, p] = [0, 1, 2, 3, 4].map(at);
            if orientation([a, b, c, d]) != 1 {
                continue;
            }
            checked += 1;
            // Rows relative to the fifth point: coordinates and the lifted square.
            let big = |x: f64| BigInt::from(x as i64);
            let base: BigInt = BigInt::from(1) << 64;
            // Scaled so that lifts are integers, far smaller than the squares.
            let scale: BigInt = base.pow(number as u32 + 2);
            let lift = |i: usize| base.pow(pick[i] as u32);
            let row = |q: Vec3, i: usize| {
                let square = |v: Vec3| big(v.length_squared()) * &scale;
                let r = q - p;
                // With p as the origin of coordinates, |q|^2 - |p|^2 - 2 p.(q - p) is |q - p|^2.
                let height = square(r) + lift(i) - lift(4);
                [big(r.x), big(r.y), big(r.z), height]
            };
            let m = [row(a, 0), row(b, 1), row(c, 2), row(d, 3)];
            let minor = |i: usize, j: usize, k: usize| {
                let (u, v, w) = (&m[i], &m[j], &m[k]);
                &u[0] * (&v[1] * &w[2] - &v[2] * &w[1]) - &u[1] * (&v[0] * &w[2] - &v[2] * &w[0])
                    + &u[2] * (&v[0] * &w[1] - &v[1] * &w[0])
            };
            let det = &m[1][3] * minor(0, 2, 3) - &m[0][3] * minor(1, 2, 3)
                + &m[3][3] * minor(0, 1, 2)
                - &m[2][3] * minor(0, 1, 3);
            let sign = match det.sign() {
                num_bigint::Sign::Plus => 1,
                num_bigint::Sign::Minus => -1,
                num_bigint::Sign::NoSign => 0,
            };
            let inside = in_sphere([a, b, c, d, Vec3::ZERO]);
            assert_eq!(inside, 1, "the origin is inside");
            assert_eq!(in_sphere([a, b, c, d, p]), sign);
        }
    }
}
