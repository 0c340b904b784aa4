//! The plane of a triangle, in `f64` with a bound of its error.

use impinge::Vec3;
use impinge::internals::rounding::UNIT_ROUNDOFF;
use impinge::internals::unit_scale;

/// The largest error of a normal, relative to its length, of a plane that divides space. Triangles
/// with less certain normals are slivers.
const MAX_ERROR: f64 = 1.0 / 1_048_576.0;

/// An approximation of the plane of a triangle.
///
/// The exact value of the plane at `p` is `N . (p - a) / l`, where `a` is the first corner of the
/// triangle, `N` the exact normal, and `l` the length of the rounded normal, so that values are
/// distances except for a factor within `1 +- 2^-20`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) origin: Vec3,
    pub(super) normal: Vec3,
    /// Error of [`Plane::value`] for a point at the distance one from the origin.
    error: f64,
}

impl Plane {
    /// The plane of a triangle, or `None` if its normal is too uncertain.
    pub(super) fn through([a, b, c]: &[Vec3; 3]) -> Option<Self> {
        let (u, v) = (scaled(*b - *a)?, scaled(*c - *a)?);
        let cross = u.cross(v);
        let length = cross.length();
        // A component of the cross product is a difference of two products. The factors are
        // differences of coordinates, rounded once each: at most four roundings in each product and
        // in the difference. By Cauchy and Schwarz a component is off by at most 4.01 roundoffs of
        // |u| |v|, and the vector by sqrt(3) times as much.
        let error = 8.0 * UNIT_ROUNDOFF * u.length() * v.length() / length;
        // The error is infinite or no number if the length is zero.
        if error.is_nan() || error > MAX_ERROR {
            return None;
        }
        // The unit normal is rounded three times; the difference to the origin once, and the scalar
        // product three times in each term.
        let error = error + 16.0 * UNIT_ROUNDOFF;
        Some(Self { origin: *a, normal: cross / length, error })
    }

    /// The value at a point: its distance from the plane, positive on the side of the normal.
    #[inline]
    pub(super) fn value(&self, p: Vec3) -> f64 {
        self.normal.dot(p - self.origin)
    }

    /// A bound of the error of [`Plane::value`] for points within `reach` of the origin.
    #[inline]
    pub(super) fn error_within(&self, reach: f64) -> f64 {
        // The last term covers products that underflow.
        self.error * reach + f64::MIN_POSITIVE
    }
}

/// The vector times a power of two that makes its largest component about one, or `None` if it is
/// zero.
fn scaled(v: Vec3) -> Option<Vec3> {
    let largest = v.abs().max_element();
    if largest == 0.0 {
        return None;
    }
    let (s, t) = unit_scale(largest);
    Some(v * s * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::exact::{Sign, orient3d};
    use impinge::internals::Random;

    /// Values beyond the error bound have the exact sign, at every scale and offset.
    #[test]
    fn values_beyond_their_error_have_the_exact_sign() {
        let mut random = Random::new(1);
        let (mut certain, mut total) = (0, 0);
        for scale in [1e59, 1.0, 1e-150, 1e-310, 5e-324] {
            for offset in [0.0, 1.0, 1e6] {
                for _ in 0..200 {
                    let away = Vec3::splat(offset * scale);
                    let mut point = || random.in_cube() * scale + away;
                    let corners = [point(), point(), point()];
                    let weights = [random.signed(), random.signed()];
                    let Some(plane) = Plane::through(&corners) else { continue };
                    let [a, b, c] = corners;
                    let on = a + (b - a) * weights[0] + (c - a) * weights[1];
                    for p in [on, on + plane.normal * (scale * 1e-15 * random.signed())] {
                        let (d, value) = (p - a, plane.value(p));
                        let reach = d.length().max(d.abs().max_element() * 2.0);
                        let sign = match plane.error_within(reach) {
                            error if value > error => Sign::Positive,
                            error if value < -error => Sign::Negative,
                            _ => {
                                total += 1;
                                continue;
                            }
                        };
                        (certain, total) = (certain + 1, total + 1);
                        assert_eq!(orient3d(a, b, c, p), sign, "{corners:?} {p}");
                    }
                }
            }
        }
        assert!(certain > 50 && total > certain + 500, "{certain} of {total}");
    }

    #[test]
    fn slivers_have_no_plane() {
        let line = [Vec3::ZERO, Vec3::X, Vec3::X * 0.3];
        assert!(Plane::through(&line).is_none());
        assert!(Plane::through(&[Vec3::ZERO, Vec3::ZERO, Vec3::Y]).is_none());
        assert!(Plane::through(&[Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1e-14, 0.0)]).is_none());
        assert!(Plane::through(&[Vec3::ZERO, Vec3::X * 1e-320, Vec3::Y]).is_some());
    }
}
