//! Primitives: bodies defined by a few numbers.
//!
//! Every primitive is centred at the origin of its frame; if it has an axis, that is z. A length
//! may be zero, which makes the body flat, a segment or a point; it must be finite, not negative
//! and at most [`MAX_COORDINATE`].
//!
//! | body | core | margin |
//! | --- | --- | --- |
//! | [`Sphere`] | the origin | radius |
//! | [`Capsule`] | the segment from `-half_height` to `half_height` on z | radius |
//! | [`Cuboid`] | its eight corners | 0 |
//! | [`Cylinder`], [`Cone`], [`Ellipsoid`] | curved, the body itself | 0 |
//! | [`Rounded`] | that of the body inside | that of the body inside plus a given one |
//!
//! A [`HalfSpace`] is unbounded, so it is not a [`Support`]; it is compared with one by a single
//! support point.

/// Defines a body about z with half a height and a radius: the type, its constructor and its
/// accessors. `$name` is its name in error messages.
macro_rules! axial {
    ($(#[$about:meta])* $body:ident, $name:literal, $(#[$made:meta])* new) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $body {
            half_height: f64,
            radius: f64,
        }

        impl $body {
            $(#[$made])*
            ///
            /// # Errors
            /// If a length is not finite, negative or too large.
            pub fn new(half_height: f64, radius: f64) -> Result<Self, $crate::Error> {
                super::check_length(half_height, concat!("half the height of the ", $name))?;
                super::check_length(radius, concat!("the radius of the ", $name))?;
                Ok(Self { half_height, radius })
            }

            /// Half the height; the caps of a capsule do not count.
            #[must_use]
            pub fn half_height(&self) -> f64 {
                self.half_height
            }

            /// The radius; of a cone, that of its base.
            #[must_use]
            pub fn radius(&self) -> f64 {
                self.radius
            }
        }
    };
}

mod capsule;
mod cone;
mod cuboid;
mod cylinder;
mod ellipsoid;
mod half_space;
mod rounded;
mod sphere;

pub use capsule::Capsule;
pub use cone::Cone;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use half_space::HalfSpace;
pub use rounded::Rounded;
pub use sphere::Sphere;

use crate::error::{Error, ErrorKind};
use crate::math::{MAX_COORDINATE, Vec3};

#[cfg(doc)]
use super::body::Support;

/// More than the underflow of products can change the height of a support point, or the height that
/// chooses between the apex and the base of a cone: about 1e-323, divided by the length of a
/// direction of at least 1e-30.
const UNDERFLOW_ERROR: f64 = 1e-290;

/// Checks a length of a primitive; `what` is its name in the error.
fn check_length(length: f64, what: &str) -> Result<(), Error> {
    let error = |kind, why: &str| Err(Error::new(kind, format!("{what} is {length:e}: {why}")));
    if !length.is_finite() {
        error(ErrorKind::NotFinite, "give a finite number")
    } else if length < 0.0 {
        error(ErrorKind::BadParameter, "give a number that is not negative")
    } else if length > MAX_COORDINATE {
        let why = format!("the most is {MAX_COORDINATE:e}; choose a larger unit");
        error(ErrorKind::OutOfRange, &why)
    } else {
        Ok(())
    }
}

/// The point of a circle of `radius` about z that lies furthest along the x and y of `direction`;
/// the center if both are zero.
fn on_circle(direction: Vec3, radius: f64) -> [f64; 2] {
    let Vec3 { mut x, mut y, .. } = direction;
    let largest = x.abs().max(y.abs());
    if !(largest > 0.0 && largest.is_finite()) {
        return [0.0, 0.0];
    }
    // Squares that lose digits to underflow or overflow would put the point off the circle.
    if !(1e-140..1e140).contains(&largest) {
        (x, y) = (x / largest, y / largest);
    }
    let length = (x * x + y * y).sqrt();
    [radius * (x / length), radius * (y / length)]
}

#[cfg(test)]
mod tests {
    use super::super::body::Support;
    use super::*;
    use crate::math::Random;

    /// Checks support, ball and margin of a body against points of its core.
    fn check<B: Support>(
        body: &B,
        core: impl Fn(&mut Random) -> Vec3,
        inside: impl Fn(Vec3) -> f64,
    ) {
        let mut random = Random::new(8);
        let (center, radius) = body.ball();
        let error = body.support_error();
        for round in 0..2000 {
            let mut d = random.direction() * 10_f64.powi(round % 40 - 20);
            if round % 5 == 0 {
                d[round as usize % 3] = 0.0;
            }
            if round % 7 == 0 {
                d = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Z][round as usize / 7 % 4];
            }
            let p = body.furthest(d, &mut B::Memory::default());
            assert!(inside(p) <= error, "{p} is outside by {:e}", inside(p));
            let x = core(&mut random);
            assert!(x.distance(center) <= radius * (1.0 + 1e-14), "{x} is outside of the ball");
            // The products are rounded here.
            let slack = (error + 4e-16 * radius) * d.length();
            assert!(d.dot(x - p) <= slack, "{x} is further along {d} than {p}");
        }
        for odd in [Vec3::ZERO, Vec3::splat(f64::NAN), Vec3::INFINITY, Vec3::splat(1e-300)] {
            assert!(inside(body.furthest(odd, &mut B::Memory::default())) <= error);
        }
    }

    fn in_disc(random: &mut Random) -> Vec3 {
        let d = random.direction();
        Vec3::new(d.x, d.y, 0.0).normalize_or_zero()
    }

    #[test]
    fn supports_are_furthest_points() {
        for scale in [1.0, 1e-6, 1e6, 1e59, 1e-40] {
            let (r, h) = (0.7 * scale, 1.3 * scale);
            check(&Sphere::new(r).unwrap(), |_| Vec3::ZERO, Vec3::length);
            let capsule = Capsule::new(h, r).unwrap();
            let on_axis = |q: &mut Random| Vec3::Z * q.range(-h, h);
            check(&capsule, on_axis, |p| p.length() - h);
            let cuboid = Cuboid::new([r, h, 2.0 * r]).unwrap();
            let size = cuboid.half_extents();
            check(&cuboid, |q| q.in_cube() * size, |p| (p.abs() - size).max_element());

            let radial = |p: Vec3| p.x.hypot(p.y);
            let cylinder = Cylinder::new(h, r).unwrap();
            let rim = |q: &mut Random| in_disc(q) * r + Vec3::Z * q.range(-h, h);
            check(&cylinder, rim, |p| (radial(p) - r).max(p.z.abs() - h));
            let cone = Cone::new(h, r).unwrap();
            let side = |q: &mut Random| {
                let t = q.unit();
                in_disc(q) * (r * t) + Vec3::Z * (h * (1.0 - 2.0 * t))
            };
            check(&cone, side, |p| (radial(p) - r * (h - p.z) / (2.0 * h)).max(-h - p.z));
            for axes in [[r, h, 3.0 * r], [r, h, 1e-9 * r], [r, 0.0, h]] {
                let ellipsoid = Ellipsoid::new(axes).unwrap();
                let axes = Vec3::from(axes);
                let level = |p: Vec3| {
                    let q = p.to_array().into_iter().zip(axes.to_array());
                    let sum: f64 = q.filter(|(_, a)| *a > 0.0).map(|(x, a)| (x / a).powi(2)).sum();
                    (sum.sqrt() - 1.0) * axes.min_element() * 0.3
                };
                check(&ellipsoid, |q| q.direction() * axes, level);
            }
        }
    }

    #[test]
    fn lengths_are_checked() {
        use ErrorKind::{BadParameter, NotFinite, OutOfRange};
        for (bad, kind) in [
            (f64::NAN, NotFinite),
            (f64::INFINITY, NotFinite),
            (-1.0, BadParameter),
            (1e61, OutOfRange),
        ] {
            assert_eq!(Sphere::new(bad).unwrap_err().kind(), kind);
            assert_eq!(Capsule::new(1.0, bad).unwrap_err().kind(), kind);
            assert_eq!(Capsule::new(bad, 1.0).unwrap_err().kind(), kind);
            assert_eq!(Cuboid::new([1.0, bad, 1.0]).unwrap_err().kind(), kind);
            assert_eq!(Cylinder::new(1.0, bad).unwrap_err().kind(), kind);
            assert_eq!(Cone::new(bad, 1.0).unwrap_err().kind(), kind);
            assert_eq!(Ellipsoid::new([1.0, 1.0, bad]).unwrap_err().kind(), kind);
            let sphere = Sphere::new(1.0).unwrap();
            assert_eq!(Rounded::new(sphere, bad).unwrap_err().kind(), kind);
        }
        let most = Sphere::new(1e60).unwrap();
        assert_eq!(Rounded::new(most, 1e60).unwrap_err().kind(), OutOfRange);
        assert_eq!(Rounded::new(Sphere::new(1.0).unwrap(), 0.5).unwrap().margin(), 1.5);
    }

    /// Regression: squares of components that nearly underflow in a direction put the point off the
    /// body.
    #[test]
    fn directions_almost_along_an_axis_have_supports_on_the_body() {
        let mut random = Random::new(9);
        let tiny = f64::from_bits(1);
        for round in 0..4000 {
            let radial = random.range(1.0, 9.0) * 10_f64.powi(-(round % 40) - 140);
            let d = Vec3::new(radial, radial * random.range(-1.0, 1.0), random.range(0.5, 1.0));
            let scale = [1.0, 1e60, 1e-120, 1e-200, 1e-300, 1e-310, 1e4 * tiny][round as usize % 7];
            let r = scale * random.range(0.3, 1.0);
            let out = |p: Vec3| (p.x / r).hypot(p.y / r) - 1.0;
            let cylinder = Cylinder::new(0.0, r).unwrap();
            let p = cylinder.furthest(d, &mut ());
            assert!(out(p) * r <= cylinder.support_error(), "{d} {p} {r:e}");
            assert!(out(p) > -1e-2 || r < 1e-300, "{d} {p} {r:e}");
            let cone = Cone::new(0.0, r).unwrap();
            let p = cone.furthest(-d, &mut ());
            assert!(out(p) * r <= cone.support_error(), "{d} {p} {r:e}");
            // A flat ellipsoid, so that only the radius scales the direction.
            let disc = Ellipsoid::new([r, r, 0.0]).unwrap();
            let p = disc.furthest(d, &mut ());
            assert!(out(p) * r <= disc.support_error(), "{d} {p} {r:e}");
            assert!(disc.support_error() <= 1e-15 * r + 1e-280);
        }
    }
}
