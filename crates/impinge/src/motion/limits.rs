//! What an application knows about the motion of a body: [`Limits`], [`Spin`] and a [`Motion`].

use super::SpaceTimeBound;
use super::round::{add_down, add_up, mul_down, mul_up};
use crate::error::{Error, ErrorKind};
use crate::math::{Aabb, MAX_COORDINATE, Vec3, check_range, length_up};

/// Limits of the motion of a reference point, from a time on until they expire. Limits that are not
/// set do not exist; each one makes the [bound](SpaceTimeBound) tighter.
///
/// ```
/// use impinge::Vec3;
/// use impinge::motion::Limits;
///
/// // A ship whose engine pushes to the right, and which cannot be faster than 40.
/// let limits = Limits::none().acceleration(10.0).never_towards(Vec3::NEG_X).speed(40.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Limits {
    pub(crate) acceleration: f64,
    pub(super) hemisphere: Option<Vec3>,
    pub(crate) speed: f64,
    pub(super) region: Aabb,
}

impl Default for Limits {
    fn default() -> Self {
        Self::none()
    }
}

impl Limits {
    /// No limits.
    pub fn none() -> Self {
        Self {
            acceleration: f64::INFINITY,
            hemisphere: None,
            speed: f64::INFINITY,
            region: Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY },
        }
    }

    /// A body that does not accelerate: it is at rest, or its velocity is constant.
    pub fn inert() -> Self {
        Self::none().acceleration(0.0)
    }

    /// The size of the acceleration never exceeds this (the paper's *M*).
    pub fn acceleration(mut self, most: f64) -> Self {
        self.acceleration = most;
        self
    }

    /// The acceleration never points to the side of `d`: `acceleration . d <= 0`. For a body with
    /// one engine, `d` points against its thrust; for a body that turns, away from the centre of
    /// the turn. The length of `d` does not matter.
    ///
    /// It needs a [velocity](Motion::velocity), and bounds nothing without.
    pub fn never_towards(mut self, d: Vec3) -> Self {
        self.hemisphere = Some(d);
        self
    }

    /// The speed never exceeds this.
    pub fn speed(mut self, most: f64) -> Self {
        self.speed = most;
        self
    }

    /// The reference point never leaves this box.
    pub fn region(mut self, region: Aabb) -> Self {
        self.region = region;
        self
    }

    fn check(&self) -> Result<(), Error> {
        check_size(self.acceleration, "the limit of acceleration")?;
        check_size(self.speed, "the limit of speed")?;
        if let Some(d) = self.hemisphere {
            check_range(d, || "the direction that the acceleration avoids".to_owned())?;
            if d == Vec3::ZERO {
                return Err(Error::new(
                    ErrorKind::BadParameter,
                    "the direction that the acceleration avoids is zero; leave it out if there is \
                     none",
                ));
            }
        }
        let Aabb { min, max } = self.region;
        if min.is_nan() || max.is_nan() || self.region.is_empty() {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("the region from {min} to {max} has no point"),
            ));
        }
        Ok(())
    }
}

/// A limit is a number from zero to [`MAX_COORDINATE`], or infinite if there is none.
fn check_size(value: f64, what: &str) -> Result<(), Error> {
    if value >= 0.0 && (value <= MAX_COORDINATE || value == f64::INFINITY) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::BadParameter,
        format!("{what} is {value:e}; it must be from 0 to {MAX_COORDINATE:e}"),
    ))
}

/// How a body rotates: what parts of it that are not at its reference point need.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spin {
    /// The angular velocity now, in radians per unit of time, in the world's frame.
    pub velocity: Vec3,
    /// The size of the angular velocity never exceeds this.
    pub speed: f64,
    /// The size of the angular acceleration never exceeds this.
    pub acceleration: f64,
}

/// The space that a body takes around its reference point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Extent {
    /// In a ball of this radius, however it rotates.
    Ball(f64),
    /// In this box, relative to the reference point. The body does not rotate.
    Fixed(Aabb),
}

/// The state of a body at one time, and its [`Limits`] from then on.
///
/// The reference point is the point about which the body rotates, such as its centre of mass.
///
/// ```
/// use impinge::{Aabb, Vec3};
/// use impinge::motion::{Limits, Motion, earliest_meeting};
///
/// // A ball of radius 0.5 at rest 10 above a floor; it may start to fall at any time.
/// let fall = Limits::none().acceleration(9.81).never_towards(Vec3::Z);
/// let ball = Motion::at(Vec3::Z * 10.5).velocity(Vec3::ZERO).radius(0.5).limits(fall);
/// let slab = Aabb::from_corners(Vec3::splat(-50.0), Vec3::new(50.0, 50.0, 0.0));
/// let floor = Motion::fixed(slab);
/// let (ball, floor) = (ball.bound(0.0, 2.0)?, floor.bound(0.0, 2.0)?);
/// let earliest = earliest_meeting(&ball, &floor).unwrap();
/// assert!(earliest > 1.0 && earliest <= (2.0_f64 * 10.0 / 9.81).sqrt());
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Motion {
    /// Where the reference point is: between the corners.
    pub(super) position: Aabb,
    /// Its velocity: between the corners; unlimited if unknown.
    pub(super) velocity: Aabb,
    pub(super) extent: Extent,
    pub(super) limits: Limits,
}

impl Motion {
    /// A point at `position`, of unknown velocity, without limits.
    pub fn at(position: Vec3) -> Self {
        Self {
            position: Aabb { min: position, max: position },
            velocity: Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY },
            extent: Extent::Ball(0.0),
            limits: Limits::none(),
        }
    }

    /// A body that fills a box and never moves.
    pub fn fixed(bounds: Aabb) -> Self {
        Self::at(Vec3::ZERO).velocity(Vec3::ZERO).extent(bounds).limits(Limits::inert())
    }

    /// Sets the velocity.
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.velocity = Aabb { min: velocity, max: velocity };
        self
    }

    /// The body lies in a ball of this radius around the reference point, and may rotate.
    pub fn radius(mut self, radius: f64) -> Self {
        self.extent = Extent::Ball(radius);
        self
    }

    /// The body lies in this box, whose coordinates are relative to the reference point. It must
    /// not rotate.
    pub fn extent(mut self, extent: Aabb) -> Self {
        self.extent = Extent::Fixed(extent);
        self
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The position and the velocity, which must be set before, are only known up to these errors
    /// in each coordinate: of a sensor, or of an integrator.
    pub fn tolerance(mut self, position: f64, velocity: f64) -> Self {
        self.position = grown(self.position, position);
        self.velocity = grown(self.velocity, velocity);
        self
    }

    /// The motion of a part of this body: a ball of this `radius` whose centre is at `offset` from
    /// the reference point, in the world's frame, and rotates about it.
    ///
    /// With `rho` the length of the offset, `M` the limit of acceleration, and `w` and `a` those of
    /// the angular speed and acceleration, the centre accelerates by at most `M + (a + w^2) rho`,
    /// and is faster than the reference point by at most `w rho`. The direction that the
    /// acceleration of the reference point avoids says nothing about parts.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if a limit of the rotation is negative or not a number, or if
    /// the body now rotates faster than its limit; [`ErrorKind::OutOfRange`] and
    /// [`ErrorKind::NotFinite`] for vectors out of range.
    pub fn part(&self, offset: Vec3, radius: f64, spin: &Spin) -> Result<Self, Error> {
        check_range(offset, || "the offset of a part".to_owned())?;
        check_range(spin.velocity, || "the angular velocity".to_owned())?;
        check_size(spin.speed, "the limit of angular speed")?;
        check_size(spin.acceleration, "the limit of angular acceleration")?;
        let fastest = spin.velocity.abs().max_element();
        if fastest > spin.speed {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!(
                    "the body rotates by {fastest:e} about one axis, above its limit {:e}",
                    spin.speed
                ),
            ));
        }
        let rho = length_up(offset);
        let times_rho = |x: f64| if rho == 0.0 { 0.0 } else { mul_up(x, rho) };
        let turning = add_up(spin.acceleration, mul_up(spin.speed, spin.speed));
        let (w, o) = (spin.velocity, offset);
        let cross =
            |i: usize, j: usize, mul: fn(f64, f64) -> f64| (mul(w[i], o[j]), mul(-w[j], o[i]));
        let add = |axis: usize, i: usize, j: usize| {
            let ((p, q), (r, s)) = (cross(i, j, mul_down), cross(i, j, mul_up));
            let low = add_down(self.velocity.min[axis], add_down(p, q));
            (low, add_up(self.velocity.max[axis], add_up(r, s)))
        };
        let [x, y, z] = [add(0, 1, 2), add(1, 2, 0), add(2, 0, 1)];
        let limits = Limits {
            acceleration: add_up(self.limits.acceleration, times_rho(turning)),
            hemisphere: if rho == 0.0 { self.limits.hemisphere } else { None },
            speed: add_up(self.limits.speed, times_rho(spin.speed)),
            region: grown(self.limits.region, rho),
        };
        let sum = |corner: Vec3, add: fn(f64, f64) -> f64| {
            Vec3::new(add(corner.x, o.x), add(corner.y, o.y), add(corner.z, o.z))
        };
        Ok(Self {
            position: Aabb {
                min: sum(self.position.min, add_down),
                max: sum(self.position.max, add_up),
            },
            velocity: Aabb { min: Vec3::new(x.0, y.0, z.0), max: Vec3::new(x.1, y.1, z.1) },
            extent: Extent::Ball(radius),
            limits,
        })
    }

    /// The space that the body can reach from the time `start`, of which the state is, until `end`,
    /// when the limits expire.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if a limit is not a number or negative, if `end` is not after
    /// `start`, or if the limits leave a direction without a bound; [`ErrorKind::OutOfRange`] and
    /// [`ErrorKind::NotFinite`] for numbers out of range.
    pub fn bound(&self, start: f64, end: f64) -> Result<SpaceTimeBound, Error> {
        self.check()?;
        for (time, what) in [(start, "the time of the state"), (end, "the time of expiry")] {
            check_range(Vec3::splat(time), || what.to_owned())?;
        }
        if start >= end {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("the limits expire at {end:e}, which must be after {start:e}"),
            ));
        }
        SpaceTimeBound::around(self, start, end)
    }

    fn check(&self) -> Result<(), Error> {
        self.limits.check()?;
        check_range(self.position.min, || "the position".to_owned())?;
        check_range(self.position.max, || "the position".to_owned())?;
        let Aabb { min, max } = self.velocity;
        for v in [min, max] {
            let known = Vec3::select(v.abs().cmpeq(Vec3::INFINITY), Vec3::ZERO, v);
            check_range(known, || "the velocity".to_owned())?;
        }
        if self.position.is_empty() || self.velocity.is_empty() {
            return Err(Error::new(
                ErrorKind::BadParameter,
                "the errors of position and velocity must not be negative",
            ));
        }
        match self.extent {
            Extent::Ball(radius) if radius.is_finite() => check_size(radius, "the radius"),
            Extent::Ball(radius) => Err(Error::new(
                ErrorKind::NotFinite,
                format!("the radius is {radius}; it must be a finite number"),
            )),
            Extent::Fixed(extent) if extent.is_empty() => {
                Err(Error::new(ErrorKind::Empty, "the body's box has no point"))
            }
            Extent::Fixed(extent) => {
                check_range(extent.min, || "the body's box".to_owned())?;
                check_range(extent.max, || "the body's box".to_owned())
            }
        }
    }
}

/// The box enlarged on all sides by `by`, rounded outward.
fn grown(b: Aabb, by: f64) -> Aabb {
    let (min, max) = (b.min.to_array(), b.max.to_array());
    Aabb {
        min: Vec3::from_array(min.map(|x| add_down(x, -by))),
        max: Vec3::from_array(max.map(|x| add_up(x, by))),
    }
}
