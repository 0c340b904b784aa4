//! The plane that fits a polygon, and its projection along a coordinate axis.
//!
//! Zachmann 1994, "Exact and fast collision detection", sections 3.2 (normal of a polygon that need
//! not be planar) and 3.2.2 (dropping the coordinate of the largest component of the normal). In
//! the formula printed there, the second component has the opposite sign to the first and third;
//! here all three follow the right-hand rule.

use super::{Vec3, unit_scale};

/// Newell's normal of a polygon by the right-hand rule, not normalised: twice the polygon's area
/// vector, up to a positive factor.
///
/// Each component is the signed area of the projection along that axis (Newell's or Euler's
/// formula), so a twisted polygon gets the normal of its mean plane.
///
/// The factor is a power of two that scales the polygon to about size one, so that neither huge nor
/// tiny polygons lose their normal. Zero for fewer than three points and, up to rounding, for
/// polygons of zero area; not finite if coordinates, or their differences, are not finite.
pub fn newell(points: impl Iterator<Item = Vec3> + Clone) -> Vec3 {
    let Some(origin) = points.clone().next() else { return Vec3::ZERO };
    let size = points.clone().fold(0.0_f64, |s, p| s.max((p - origin).abs().max_element()));
    if size == 0.0 {
        return Vec3::ZERO;
    }
    if !size.is_finite() {
        return Vec3::NAN;
    }
    let scale = unit_scale(size);
    let mut sum = Vec3::ZERO;
    let mut previous = Vec3::ZERO;
    for p in points.skip(1) {
        let local = (p - origin) * scale.0 * scale.1;
        sum += previous.cross(local);
        previous = local;
    }
    sum
}

/// The coordinate axes in the order of the components of `normal`, largest first: dropping the
/// first coordinate keeps most of the polygon's area. Equal components keep their order.
#[must_use]
pub fn axes_by_size(normal: Vec3) -> [usize; 3] {
    let n = normal.abs();
    let mut axes = [0, 1, 2];
    for [i, j] in [[0, 1], [1, 2], [0, 1]] {
        if n[axes[j]].total_cmp(&n[axes[i]]).is_gt() {
            axes.swap(i, j);
        }
    }
    axes
}

/// `p` without its coordinate `axis`: (y, z), (z, x) or (x, y) for axis 0, 1 and 2.
///
/// The order is such that a polygon whose normal has a positive component along `axis` is
/// counter-clockwise in the projection. An `axis` above 2 counts as 2.
#[inline]
#[must_use]
pub fn drop_axis(p: Vec3, axis: usize) -> [f64; 2] {
    match axis {
        0 => [p.y, p.z],
        1 => [p.z, p.x],
        _ => [p.x, p.y],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The unit normal, or zero if there is none.
    fn normal(points: &[Vec3]) -> Vec3 {
        let sum = newell(points.iter().copied());
        if sum == Vec3::ZERO || !sum.is_finite() { Vec3::ZERO } else { sum.normalize() }
    }

    #[test]
    fn normal_follows_the_right_hand_rule_on_every_axis() {
        for axis in 0..3 {
            let mut n = [0.0; 3];
            n[axis] = 1.0;
            let mut u = [0.0; 3];
            u[(axis + 1) % 3] = 1.0;
            let mut v = [0.0; 3];
            v[(axis + 2) % 3] = 1.0;
            let (n, u, v) = (Vec3::from(n), Vec3::from(u), Vec3::from(v));
            let polygon = [Vec3::ZERO, u, u + v, v].map(|p| p + Vec3::new(3.0, 5.0, 7.0));
            assert_eq!(normal(&polygon), n);
            assert_eq!(axes_by_size(n)[0], axis);
            let flat = polygon.map(|p| drop_axis(p, axis));
            assert_eq!(
                crate::exact::orient2d(flat[0], flat[1], flat[2]),
                crate::exact::Sign::Positive
            );
        }
    }

    #[test]
    fn non_convex_and_twisted_polygons() {
        // An L shape: the reflex corner must not reverse the normal.
        let l = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let flat: Vec<_> = l.iter().map(|&[x, y]| Vec3::new(x, y, 4.0)).collect();
        assert_eq!(normal(&flat), Vec3::Z);
        let twisted = [
            Vec3::new(0.0, 0.0, 0.25),
            Vec3::new(1.0, 0.0, -0.25),
            Vec3::new(1.0, 1.0, 0.25),
            Vec3::new(0.0, 1.0, -0.25),
        ];
        assert!((normal(&twisted) - Vec3::Z).length() < 1e-15);
    }

    #[test]
    fn normals_do_not_depend_on_scale_and_position() {
        let triangle = [Vec3::ZERO, Vec3::new(4.0, 0.0, 1.0), Vec3::new(0.0, 4.0, 1.0)];
        let expected = triangle[1].cross(triangle[2]).normalize();
        for scale in [5e-324, 1e-310, 1e-200, 1.0, 1e60, 1e200, 1e307] {
            let n = normal(&triangle.map(|p| p * scale));
            assert!((n - expected).length() < 1e-15, "scale {scale:e}: {n}");
        }
        let far = triangle.map(|p| p + Vec3::splat(1e9));
        assert!((normal(&far) - expected).length() < 1e-15);
    }

    #[test]
    fn degenerate_polygons_have_no_normal() {
        assert_eq!(normal(&[]), Vec3::ZERO);
        assert_eq!(normal(&[Vec3::ONE]), Vec3::ZERO);
        assert_eq!(normal(&[Vec3::ONE, Vec3::X]), Vec3::ZERO);
        assert_eq!(normal(&[Vec3::ONE; 5]), Vec3::ZERO);
        assert_eq!(normal(&[Vec3::ONE, Vec3::NAN, Vec3::X]), Vec3::ZERO);
        assert_eq!(normal(&[Vec3::ZERO, Vec3::X, Vec3::X * 2.0]), Vec3::ZERO);
        assert_eq!(normal(&[Vec3::MAX, Vec3::MIN, Vec3::X]), Vec3::ZERO);
    }
}
