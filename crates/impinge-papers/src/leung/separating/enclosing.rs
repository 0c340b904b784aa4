//! Test whether the origin is inside the tetrahedron of four vectors. Decides where floating point
//! is certain.

use impinge::internals::rounding::TRIPLE_PRODUCT_UNDERFLOW;
use impinge::math::Vec3;

/// The relative error bound of a determinant of differences, as in `exact::orient3d`: 48 roundings
/// and slack.
const DETERMINANT_ERROR: f64 = 25.0 * f64::EPSILON;

/// Whether the origin is certainly strictly inside the tetrahedron of the four vectors that were
/// rounded to `m`, component by component.
///
/// By Cramer's rule, the sum of the four vectors weighted by the determinants of the other three,
/// with alternating signs, is zero.
pub(super) fn surrounds_origin(m: &[Vec3; 4]) -> bool {
    let [a, b, c, d] = *m;
    let signs = [sign(b, c, d), -sign(a, c, d), sign(a, b, d), -sign(a, b, c)];
    signs == [1; 4] || signs == [-1; 4]
}

/// The sign of the determinant if it is certain, else zero.
fn sign(a: Vec3, b: Vec3, c: Vec3) -> i8 {
    let det = a.cross(b).dot(c);
    let reach = a.abs().max(b.abs()).max(c.abs());
    let bound = DETERMINANT_ERROR * (reach.x * reach.y * reach.z) + TRIPLE_PRODUCT_UNDERFLOW;
    i8::from(det > bound) - i8::from(det < -bound)
}

/// Whether any four of the vectors surround the origin, by testing all (Carathéodory). The
/// reference for both termination methods.
#[cfg(test)]
pub(super) fn brute_force(vectors: &[Vec3]) -> bool {
    let n = vectors.len();
    (0..n).any(|i| {
        (0..i).any(|j| {
            (0..j).any(|k| {
                (0..k).any(|l| surrounds_origin(&[vectors[i], vectors[j], vectors[k], vectors[l]]))
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::exact::{Sign, orient3d};
    use impinge::internals::Random;

    #[test]
    fn only_a_tetrahedron_around_the_origin_is_detected() {
        let m = [
            Vec3::new(0.0, 0.0, 1.0),
            Vec3::new(1.0, 0.0, -0.5),
            Vec3::new(-0.5, 0.9, -0.5),
            Vec3::new(-0.5, -0.9, -0.5),
        ];
        assert!(surrounds_origin(&m));
        assert!(surrounds_origin(&[m[1], m[0], m[2], m[3]]));
        assert!(!surrounds_origin(&m.map(|v| v + Vec3::Z)));
        // On a face, not strictly inside.
        assert!(!surrounds_origin(&m.map(|v| v + Vec3::Z * 0.5)));
        assert!(!surrounds_origin(&[m[0], m[1], m[2], m[2]]));
        assert!(!surrounds_origin(&[Vec3::splat(f64::NAN); 4]));
    }

    #[test]
    fn agrees_with_the_exact_predicate_where_certain() {
        let mut random = Random::new(7);
        let mut inside = 0;
        for _ in 0..5000 {
            let m: [Vec3; 4] = std::array::from_fn(|_| random.in_cube());
            let o = Vec3::ZERO;
            let whole = orient3d(m[0], m[1], m[2], m[3]);
            let part = |i: usize| {
                let mut n = m;
                n[i] = o;
                orient3d(n[0], n[1], n[2], n[3])
            };
            let exact = whole != Sign::Zero && (0..4).all(|i| part(i) == whole);
            inside += usize::from(exact);
            assert_eq!(surrounds_origin(&m), exact);
        }
        assert!(inside > 300, "{inside}");
    }
}
