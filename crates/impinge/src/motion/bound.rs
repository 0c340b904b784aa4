//! Where a body can be: a box whose faces move, cut by a plane that moves (Hubbard 1995, section
//! IV).

use super::limits::{Extent, Limits, Motion};
use super::products::sign_of_sum;
use super::round::{add_down, add_up, div_down, mul_down, mul_up};
use crate::error::{Error, ErrorKind};
use crate::exact::Sign;
use crate::math::{Aabb, MAX_COORDINATE, Vec3, check_range, length_up, unit_scale};

/// A number that changes linearly with time: `base + rate * (t - start)`, with the start of its
/// bound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Linear {
    /// Its value at the start of the bound.
    pub base: f64,
    /// Its change per unit of time.
    pub rate: f64,
}

/// A half-space whose plane moves: the points `p` with `normal . p <= limit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CuttingPlane {
    /// Points out of the half-space; of any length but zero.
    pub normal: Vec3,
    /// The limit, which changes with time.
    pub limit: Linear,
}

/// A bound of the positions of a body, from a start until it expires: the paper's hypertrapezoid,
/// and its cutting plane if there is one.
///
/// The section at a time is a closed box with a part cut off by the plane. The faces of the box and
/// the plane move at constant velocities. It is a set of points in real space and time, defined by
/// the numbers of this value without any rounding; it is made by [`Motion::bound`], which rounds
/// these numbers outward, so that every motion that keeps the limits stays inside.
///
/// ```
/// use impinge::{Aabb, Vec3};
/// use impinge::motion::{Limits, Motion};
///
/// let car = Motion::at(Vec3::ZERO).velocity(Vec3::X * 20.0).radius(2.0);
/// let bound = car.limits(Limits::none().acceleration(8.0)).bound(100.0, 101.0)?;
/// assert_eq!(bound.section(100.0).max.x, 2.0);
/// assert_eq!(bound.section(101.0).max.x, 26.0); // 20 + 8 / 2 + 2
/// assert!(bound.contains_point(Vec3::X * 24.0, 101.0));
/// assert!(!bound.contains_point(Vec3::X * 24.0, 100.5));
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpaceTimeBound {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) min: [Linear; 3],
    pub(super) max: [Linear; 3],
    pub(super) plane: Option<CuttingPlane>,
}

/// The largest values of faces: coordinates, with the extent of a body added.
const MAX_BASE: f64 = 4.0 * MAX_COORDINATE;
/// The largest rates of faces: `v + M T / 2` for the largest values of each.
const MAX_RATE: f64 = 4.0 * MAX_COORDINATE * MAX_COORDINATE;

impl SpaceTimeBound {
    /// A bound from its faces: a smaller and a larger one for each axis, and its cutting plane. Use
    /// [`Motion::bound`] unless the application derives faces by itself.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] if a smaller face is not below the larger one at the start or at the
    /// end, [`ErrorKind::BadParameter`] if the end is not after the start or a normal is zero,
    /// [`ErrorKind::OutOfRange`] and [`ErrorKind::NotFinite`] for numbers out of range.
    pub fn from_faces(
        start: f64,
        end: f64,
        faces: [[Linear; 2]; 3],
        plane: Option<CuttingPlane>,
    ) -> Result<Self, Error> {
        check_range(Vec3::new(start, end, 0.0), || "the start and the end of a bound".to_owned())?;
        let is_in_range = |line: &Linear, factor: f64| {
            line.base.abs() <= MAX_BASE * factor && line.rate.abs() <= MAX_RATE * factor
        };
        let mut are_in_range = faces.iter().flatten().all(|face| is_in_range(face, 1.0));
        if let Some(plane) = plane {
            check_range(plane.normal, || "the normal of a cutting plane".to_owned())?;
            are_in_range &= is_in_range(&plane.limit, 4.0 * MAX_COORDINATE);
        }
        if !are_in_range {
            return Err(Error::new(
                ErrorKind::OutOfRange,
                format!(
                    "a face is not a number, or too far or too fast: bases must not exceed \
                     {MAX_BASE:e}, rates {MAX_RATE:e}"
                ),
            ));
        }
        if start >= end || plane.is_some_and(|plane| plane.normal == Vec3::ZERO) {
            return Err(Error::new(
                ErrorKind::BadParameter,
                "a bound must end after it starts, and the normal of its plane must not be zero",
            ));
        }
        let [min, max] = [0, 1].map(|side| faces.map(|pair| pair[side]));
        let bound = Self { start, end, min, max, plane };
        let gap = |k: usize, t: f64| {
            let [Linear { base: a, rate: r }, Linear { base: b, rate: s }] = faces[k];
            sign_of_sum(&[(b, 1.0), (-a, 1.0), (s, t), (-s, start), (-r, t), (r, start)])
        };
        if (0..3).any(|k| gap(k, start) == Sign::Negative || gap(k, end) == Sign::Negative) {
            return Err(Error::new(
                ErrorKind::Empty,
                "a smaller face of the bound passes the larger one before the end",
            ));
        }
        Ok(bound)
    }

    /// Around all motions that keep the limits. The derivation is in `docs/notes/space-time.md`.
    pub(super) fn around(motion: &Motion, start: f64, end: f64) -> Result<Self, Error> {
        let Motion { position, velocity, extent, limits } = *motion;
        let duration = Duration { most: add_up(end, -start), least: add_down(end, -start) };
        let reach = match extent {
            Extent::Ball(radius) => Aabb { min: Vec3::splat(-radius), max: Vec3::splat(radius) },
            Extent::Fixed(bounds) => bounds,
        };
        let mut faces = [[Linear::default(); 2]; 3];
        for (k, [min, max]) in faces.iter_mut().enumerate() {
            let upper = |position: f64, reach: f64, velocity: f64, region: f64| {
                let face = Linear {
                    base: add_up(position, reach),
                    rate: highest_rate(velocity, &limits, duration),
                };
                // Either face is valid. The one with the smaller mean is taken.
                let wall = add_up(region, reach);
                let is_wall_better = wall < face.base + face.rate * (0.5 * duration.most);
                if is_wall_better { Linear { base: wall, rate: 0.0 } } else { face }
            };
            *max = upper(position.max[k], reach.max[k], velocity.max[k], limits.region.max[k]);
            let below =
                upper(-position.min[k], -reach.min[k], -velocity.min[k], -limits.region.min[k]);
            *min = Linear { base: -below.base, rate: -below.rate };
            if !(min.rate.is_finite() && max.rate.is_finite()) {
                return Err(Error::new(
                    ErrorKind::BadParameter,
                    format!(
                        "the limits do not bound the motion along {}: set a limit of the speed, \
                         or of the acceleration with the velocity",
                        ["x", "y", "z"][k]
                    ),
                ));
            }
        }
        let plane =
            limits.hemisphere.filter(|_| velocity.min.is_finite() && velocity.max.is_finite());
        let plane = plane.map(|d| {
            let d = near_unit(d);
            let [base, rate] = [position, velocity].map(|set| highest_along(d, &set));
            let reach = match extent {
                Extent::Ball(radius) => mul_up(radius, length_up(d)),
                Extent::Fixed(bounds) => highest_along(d, &bounds),
            };
            CuttingPlane { normal: d, limit: Linear { base: add_up(base, reach), rate } }
        });
        Self::from_faces(start, end, faces, plane).map_err(|error| {
            error.within("the limits contradict each other, or the numbers are too large")
        })
    }

    /// The bound of a box that does not move, at all times; sides that are infinite are cut off
    /// beyond the range of coordinates.
    pub(crate) fn resting(bounds: &Aabb) -> Self {
        let at = |corner: Vec3| {
            let corner = corner.clamp(Vec3::splat(-MAX_BASE), Vec3::splat(MAX_BASE));
            corner.to_array().map(|base| Linear { base, rate: 0.0 })
        };
        let (min, max) = (at(bounds.min), at(bounds.max));
        Self { start: -MAX_COORDINATE, end: MAX_COORDINATE, min, max, plane: None }
    }

    /// When the bound begins to hold.
    #[must_use]
    pub fn start(&self) -> f64 {
        self.start
    }

    /// When it expires.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.end
    }

    /// The faces of the box: a smaller and a larger coordinate for each axis.
    #[must_use]
    pub fn faces(&self) -> [[Linear; 2]; 3] {
        [0, 1, 2].map(|k| [self.min[k], self.max[k]])
    }

    /// The cutting plane.
    #[must_use]
    pub fn cutting_plane(&self) -> Option<CuttingPlane> {
        self.plane
    }

    /// The same bound, expiring at `end` if that is earlier.
    #[must_use]
    pub fn expiring(mut self, end: f64) -> Self {
        self.end = self.end.min(end.max(self.start));
        self
    }

    /// The same bound from a later time on, up to which nothing has to be known. The numbers of its
    /// faces are rounded outward, so it contains this bound from then on; it is the same if it
    /// starts at `start` or later.
    #[must_use]
    pub fn starting_at(&self, start: f64) -> Self {
        self.restarted(start)
    }

    /// The box of the section at a time, rounded outward; at the nearest time at which the bound
    /// holds. The cutting plane may cut parts of it off.
    #[must_use]
    pub fn section(&self, t: f64) -> Aabb {
        // A time that is not a number becomes the start.
        let after = self.after(t.max(self.start).min(self.end));
        let at = |lines: [Linear; 3], value: fn(&Linear, Duration) -> f64| {
            Vec3::from_array(lines.map(|line| value(&line, after)))
        };
        Aabb { min: at(self.min, Linear::at_least), max: at(self.max, Linear::at_most) }
    }

    /// A box around all sections between two times.
    #[must_use]
    pub fn swept(&self, from: f64, until: f64) -> Aabb {
        self.section(from).union(&self.section(until))
    }

    /// Whether a point is in the bound at a time, decided exactly. Never at a time at which the
    /// bound does not hold, or for a point that is not finite.
    #[must_use]
    pub fn contains_point(&self, p: Vec3, t: f64) -> bool {
        self.contains_box(&Aabb { min: p, max: p }, t)
    }

    /// Whether a box is in the bound at a time, decided exactly; an empty one always is. Never at a
    /// time at which the bound does not hold, or for a box that is not finite.
    #[must_use]
    pub fn contains_box(&self, bounds: &Aabb, t: f64) -> bool {
        if !(self.start <= t && t <= self.end) {
            return false;
        }
        if bounds.is_empty() {
            return true;
        }
        if !(bounds.min.is_finite() && bounds.max.is_finite()) {
            return false;
        }
        let room = |line: &Linear, sign: f64, x: f64| {
            sign_of_sum(&[
                (sign * line.base, 1.0),
                (sign * line.rate, t),
                (-sign * line.rate, self.start),
                (-sign * x, 1.0),
            ])
        };
        let is_in_box = (0..3).all(|k| {
            room(&self.max[k], 1.0, bounds.max[k]) != Sign::Negative
                && room(&self.min[k], -1.0, bounds.min[k]) != Sign::Negative
        });
        is_in_box
            && self.plane.is_none_or(|plane| {
                let n = plane.normal;
                let corner = Vec3::select(n.cmpgt(Vec3::ZERO), bounds.max, bounds.min);
                let limit = plane.limit;
                sign_of_sum(&[
                    (limit.base, 1.0),
                    (limit.rate, t),
                    (-limit.rate, self.start),
                    (-n.x, corner.x),
                    (-n.y, corner.y),
                    (-n.z, corner.z),
                ]) != Sign::Negative
            })
    }

    /// The time from the start until `t`, which is not before it.
    fn after(&self, t: f64) -> Duration {
        Duration { most: add_up(t, -self.start), least: add_down(t, -self.start) }
    }

    /// A bound that starts at `t`, which is not before the start, and contains this one from then
    /// on. Faces are rounded outward, unless `t` is the start.
    pub(super) fn restarted(&self, t: f64) -> Self {
        if t <= self.start {
            return *self;
        }
        let after = self.after(t);
        let raised = |line: Linear| Linear { base: line.at_most(after), ..line };
        let lowered = |line: Linear| Linear { base: line.at_least(after), ..line };
        Self {
            start: t,
            end: self.end,
            min: self.min.map(lowered),
            max: self.max.map(raised),
            plane: self.plane.map(|plane| CuttingPlane { limit: raised(plane.limit), ..plane }),
        }
    }
}

/// A duration that is only known up to rounding.
#[derive(Clone, Copy, Debug)]
struct Duration {
    most: f64,
    least: f64,
}

impl Linear {
    /// An upper bound of the value after some time, which is not negative.
    fn at_most(&self, after: Duration) -> f64 {
        let time = if self.rate > 0.0 { after.most } else { after.least };
        add_up(self.base, mul_up(self.rate, time))
    }

    /// A lower bound of the value after some time, which is not negative.
    fn at_least(&self, after: Duration) -> f64 {
        -Self { base: -self.base, rate: -self.rate }.at_most(after)
    }
}

/// An upper bound of the mean velocity along an axis from the start until the limits expire, given
/// the velocity at the start. Displacement is a convex function of time where it is largest, so
/// its chord is the tightest face.
fn highest_rate(velocity: f64, limits: &Limits, duration: Duration) -> f64 {
    let Limits { acceleration, speed, .. } = *limits;
    let velocity = velocity.min(speed);
    if !(velocity.is_finite() && acceleration.is_finite()) {
        return speed;
    }
    let gained = mul_up(acceleration, duration.most);
    let rate = add_up(velocity, mul_up(0.5, gained)).min(speed);
    // If the limit of speed is reached before the end, the mean is `V - (V - v)^2 / (2 M T)`.
    if speed.is_finite() && mul_down(acceleration, duration.least) >= add_up(speed, -velocity) {
        let missing = add_down(speed, -velocity);
        if gained > 0.0 {
            let lost = div_down(mul_down(0.5, mul_down(missing, missing)), gained);
            return rate.min(add_up(speed, -lost));
        }
    }
    rate
}

/// An upper bound of `d . p` over the points of a box.
fn highest_along(d: Vec3, set: &Aabb) -> f64 {
    let term = |k: usize| mul_up(d[k], if d[k] > 0.0 { set.max[k] } else { set.min[k] });
    add_up(add_up(term(0), term(1)), term(2))
}

/// The direction times a power of two that makes its largest component about one, unless that would
/// round another component.
fn near_unit(d: Vec3) -> Vec3 {
    let scaled = |d: Vec3| {
        let (s, t) = unit_scale(d.abs().max_element());
        let scaled = d * s * t;
        if (scaled / t) / s == d { scaled } else { d }
    };
    // Denormal numbers become about one in two steps.
    scaled(scaled(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(velocity: f64, acceleration: f64, speed: f64, duration: f64) -> f64 {
        let limits = Limits::none().acceleration(acceleration).speed(speed);
        highest_rate(velocity, &limits, Duration { most: duration, least: duration })
    }

    #[test]
    fn the_rate_is_the_highest_mean_velocity() {
        assert_eq!(rate(1.0, 2.0, f64::INFINITY, 4.0), 5.0); // 1 + 2 * 4 / 2
        assert_eq!(rate(1.0, f64::INFINITY, 3.0, 4.0), 3.0);
        // From 1 to 3 within 1, by 2; then 3 * 3; together 11 in 4.
        assert_eq!(rate(1.0, 2.0, 3.0, 4.0), 11.0 / 4.0);
        assert_eq!(rate(1.0, 0.0, 3.0, 4.0), 1.0);
        assert_eq!(rate(3.0, 0.0, 3.0, 4.0), 3.0);
        assert_eq!(rate(-1.0, 1.0, 3.0, 4.0), 1.0);
        assert_eq!(rate(f64::INFINITY, 1.0, 3.0, 4.0), 3.0);
    }

    #[test]
    fn directions_are_scaled_only_without_rounding() {
        assert_eq!(near_unit(Vec3::new(0.0, 6.0, 1.0)), Vec3::new(0.0, 1.5, 0.25));
        assert_eq!(near_unit(Vec3::splat(5e-324)), Vec3::ONE);
        let odd = Vec3::new(1e60, 0.0, 5e-324);
        assert_eq!(near_unit(odd), odd);
    }

    #[test]
    fn a_region_replaces_faces_that_would_leave_it() {
        let region = Aabb::from_corners(Vec3::splat(-3.0), Vec3::splat(100.0));
        let limits = Limits::none().speed(2.0).region(region);
        let bound = Motion::at(Vec3::ZERO).radius(1.0).limits(limits).bound(0.0, 10.0).unwrap();
        assert_eq!(
            bound.faces()[0],
            [Linear { base: -4.0, rate: 0.0 }, Linear { base: 1.0, rate: 2.0 }]
        );
        let unlimited = Motion::at(Vec3::ZERO).limits(Limits::none().region(region));
        assert_eq!(unlimited.bound(0.0, 1.0).unwrap().section(1.0), region);
        let error = Motion::at(Vec3::ZERO).limits(Limits::none().acceleration(1.0)).bound(0.0, 1.0);
        assert_eq!(error.unwrap_err().kind(), ErrorKind::BadParameter);
    }

    #[test]
    fn wrong_input_is_refused() {
        let body = Motion::at(Vec3::ZERO).velocity(Vec3::ZERO).limits(Limits::inert());
        let kind = |result: Result<SpaceTimeBound, Error>| result.unwrap_err().kind();
        assert_eq!(kind(body.bound(1.0, 1.0)), ErrorKind::BadParameter);
        assert_eq!(kind(body.bound(f64::NAN, 1.0)), ErrorKind::NotFinite);
        assert_eq!(kind(body.bound(0.0, 1e61)), ErrorKind::OutOfRange);
        assert_eq!(kind(body.radius(-1.0).bound(0.0, 1.0)), ErrorKind::BadParameter);
        assert_eq!(kind(body.radius(f64::INFINITY).bound(0.0, 1.0)), ErrorKind::NotFinite);
        assert_eq!(kind(body.tolerance(-1.0, 0.0).bound(0.0, 1.0)), ErrorKind::BadParameter);
        assert_eq!(kind(body.tolerance(0.0, f64::NAN).bound(0.0, 1.0)), ErrorKind::NotFinite);
        assert_eq!(kind(body.extent(Aabb::EMPTY).bound(0.0, 1.0)), ErrorKind::Empty);
        let limits = Limits::none().acceleration(f64::NAN);
        assert_eq!(kind(body.limits(limits).bound(0.0, 1.0)), ErrorKind::BadParameter);
        let limits = Limits::inert().never_towards(Vec3::ZERO);
        assert_eq!(kind(body.limits(limits).bound(0.0, 1.0)), ErrorKind::BadParameter);
        let limits = Limits::none().region(Aabb::EMPTY);
        assert_eq!(kind(body.limits(limits).bound(0.0, 1.0)), ErrorKind::BadParameter);
        let crossing = [[Linear { base: 0.0, rate: 3.0 }, Linear { base: 1.0, rate: 0.0 }]; 3];
        let kind_of = |faces| kind(SpaceTimeBound::from_faces(0.0, 1.0, faces, None));
        assert_eq!(kind_of(crossing), ErrorKind::Empty);
        let nan = [[Linear::default(), Linear { base: f64::NAN, rate: 0.0 }]; 3];
        assert_eq!(kind_of(nan), ErrorKind::OutOfRange);
    }
}
