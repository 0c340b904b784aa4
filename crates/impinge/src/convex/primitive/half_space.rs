//! Half-spaces.

use crate::answer::Contact;
use crate::convex::Support;
use crate::convex::body::UNIT_ROUNDOFF;
use crate::convex::posed_body::PosedBody;
use crate::error::{Error, ErrorKind};
use crate::math::{MAX_COORDINATE, Pose, Vec3, check_range, unit_scale};

/// All points `x` with `normal . x <= offset`: for example the ground, solid below.
///
/// ```
/// use impinge::Pose;
/// use impinge::convex::{Cylinder, HalfSpace};
///
/// let ground = HalfSpace::new([0.0, 0.0, 1.0], 0.0)?;
/// let can = Cylinder::new(0.5, 0.2)?;
/// let found = ground.contact(&can, &Pose::from_translation([0.0, 0.0, 2.0])?, &mut ());
/// assert!(found.lower <= 1.5 && 1.5 <= found.upper && found.upper - found.lower < 1e-13);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    normal: Vec3,
    offset: f64,
    /// The same plane with the normal scaled by a power of two to a length of about one.
    scaled: Vec3,
    scaled_offset: f64,
}

impl HalfSpace {
    /// The half-space with this normal and offset. The normal has any length except zero and is
    /// stored unchanged.
    ///
    /// # Errors
    /// If a number is not finite or too large, or the normal is zero.
    pub fn new(normal: impl Into<Vec3>, offset: f64) -> Result<Self, Error> {
        let normal = normal.into();
        check_range(normal, || "the normal of the half-space".into())?;
        check_range(Vec3::X * offset, || "the offset of the half-space (first number)".into())?;
        let size = normal.abs().max_element();
        if size == 0.0 {
            return Err(Error::new(
                ErrorKind::BadParameter,
                "the normal of the half-space is zero and names no direction; give it any other length",
            ));
        }
        let (s, t) = unit_scale(size);
        let scaled_offset = offset * s * t;
        if scaled_offset.abs() > MAX_COORDINATE * 4.0 {
            return Err(Error::new(
                ErrorKind::OutOfRange,
                format!(
                    "the plane of the half-space is {:e} from the origin; the most is {MAX_COORDINATE:e}",
                    offset / size
                ),
            ));
        }
        Ok(Self { normal, offset, scaled: normal * s * t, scaled_offset })
    }

    /// The normal, as given.
    #[must_use]
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// The offset, as given.
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// The distance of `body`, at `pose` in the half-space's frame, from the half-space, or its
    /// penetration depth. The half-space is A of the answer; the direction is its unit normal.
    #[must_use]
    pub fn contact<B: Support>(&self, body: &B, pose: &Pose, memory: &mut B::Memory) -> Contact {
        let posed = PosedBody::new(body, pose);
        let n = self.scaled;
        let (p, _) = posed.furthest(-n, memory);
        let height = n.dot(p) - self.scaled_offset;
        // The rounding of three products and three sums, of scaled numbers that are denormal, and
        // of the support point.
        let rounding = 6.0 * UNIT_ROUNDOFF * (n.abs().dot(p.abs()) + self.scaled_offset.abs());
        let length = n.length();
        let error = posed.error + rounding / length * (1.0 + 16.0 * UNIT_ROUNDOFF) + 1e-250;
        let (distance, margin) = (height / length, body.margin());
        let slack = error + 16.0 * UNIT_ROUNDOFF * (distance.abs() + margin);
        let unit = n / length;
        Contact {
            lower: distance - margin - slack,
            upper: distance - margin + slack,
            direction: unit,
            point_a: p - unit * distance,
            point_b: p - unit * margin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::{Capsule, Cone, Cuboid, Ellipsoid, Sphere};

    fn assert_distance<B: Support>(ground: &HalfSpace, body: &B, pose: &Pose, expected: f64) {
        let gap = ground.contact(body, pose, &mut B::Memory::default());
        let size = 1.0 + pose.translation().length();
        assert!(gap.lower <= expected && expected <= gap.upper, "{gap:?} {expected}");
        assert!(gap.upper - gap.lower < 1e-13 * size, "{gap:?}");
        let height = ground.scaled.dot(gap.point_b) - ground.scaled_offset;
        assert!((height / ground.scaled.length() - expected).abs() < 1e-13 * size, "{gap:?}");
        let height = ground.scaled.dot(gap.point_a) - ground.scaled_offset;
        assert!((height / ground.scaled.length()).abs() < 1e-13 * size, "{gap:?}");
    }

    #[test]
    fn distances_are_those_of_elementary_geometry() {
        for scale in [1.0, 1e-30, 1e50, 1e-310] {
            let ground = HalfSpace::new(Vec3::new(0.0, 0.0, scale), scale).unwrap();
            let up = |z: f64| Pose::from_translation([3.0, -2.0, z]).unwrap();
            assert_distance(&ground, &Sphere::new(0.5).unwrap(), &up(4.0), 2.5);
            assert_distance(&ground, &Sphere::new(0.5).unwrap(), &up(0.0), -1.5);
            assert_distance(&ground, &Capsule::new(0.5, 0.25).unwrap(), &up(2.0), 0.25);
            assert_distance(&ground, &Cuboid::new([1.0, 1.0, 0.5]).unwrap(), &up(2.0), 0.5);
            assert_distance(&ground, &Cone::new(0.5, 2.0).unwrap(), &up(2.0), 0.5);
            assert_distance(&ground, &Ellipsoid::new([1.0, 2.0, 3.0]).unwrap(), &up(5.0), 1.0);
            let tilt = Pose::from_axis_angle([1.0, 0.0, 0.0], 0.5).unwrap();
            let tall = Cuboid::new([1.0, 2.0, 0.5]).unwrap();
            let reach = 2.0 * 0.5_f64.sin() + 0.5 * 0.5_f64.cos();
            assert_distance(&ground, &tall, &up(6.0).compose(&tilt).unwrap(), 5.0 - reach);
        }
    }

    #[test]
    fn planes_are_checked() {
        let kind = |n: [f64; 3], o: f64| HalfSpace::new(n, o).unwrap_err().kind();
        assert_eq!(kind([0.0; 3], 1.0), ErrorKind::BadParameter);
        assert_eq!(kind([f64::NAN, 0.0, 0.0], 1.0), ErrorKind::NotFinite);
        assert_eq!(kind([1.0, 0.0, 0.0], f64::INFINITY), ErrorKind::NotFinite);
        assert_eq!(kind([1.0, 0.0, 0.0], 1e61), ErrorKind::OutOfRange);
        assert_eq!(kind([1e-60, 0.0, 0.0], 1e30), ErrorKind::OutOfRange);
    }
}
