//! Limits for common kinds of bodies (Hubbard 1995, section IV).
//!
//! The paper's recipes for ships and vehicles give a direction that points along the thrust and to
//! the centre of the turn. With its own condition, `acceleration . d <= 0`, both must point the
//! opposite way.

use std::f64::consts::FRAC_PI_2;

use super::limits::Limits;
use super::round::{add_down, add_up, div_down, div_up, mul_down, mul_up, sqrt_up};
use crate::error::{Error, ErrorKind};
use crate::math::{MAX_COORDINATE, Vec3, check_range, length_down, length_up};

/// Limits, and how long they hold from the state of the body on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// The limits.
    pub limits: Limits,
    /// They expire after this time, or earlier if the application says so; infinite if they hold as
    /// long as the parameters do.
    pub duration: f64,
}

impl Recipe {
    /// A body driven by one engine along `axis`, by up to `thrust` per unit of mass, such as a
    /// spaceship. It rotates by up to `turn_rate` radians per unit of time.
    ///
    /// The thrust stays within 90 degrees of the axis until the body has turned by that much.
    ///
    /// ```
    /// use impinge::Vec3;
    /// use impinge::motion::{Motion, Recipe};
    ///
    /// let recipe = Recipe::thruster(30.0, Vec3::X, 0.5)?;
    /// let ship = Motion::at(Vec3::ZERO).velocity(Vec3::X * 100.0).radius(8.0);
    /// let end = recipe.duration.min(2.0);
    /// let bound = ship.limits(recipe.limits).bound(0.0, end)?;
    /// assert!(!bound.contains_point(Vec3::X * 191.0, end)); // it does not brake
    /// assert!(bound.contains_point(Vec3::X * 193.0, end));
    /// # Ok::<(), impinge::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if a parameter is negative, not a number or too large, or the
    /// axis is zero.
    pub fn thruster(thrust: f64, axis: Vec3, turn_rate: f64) -> Result<Self, Error> {
        check([("the thrust", thrust), ("the turn rate", turn_rate)])?;
        check_direction(axis, "the axis of the engine")?;
        let limits = Limits::none().acceleration(thrust).never_towards(-axis);
        Ok(Self { limits, duration: quarter_turn(1.0, turn_rate) })
    }

    /// A vehicle, such as a car or an aircraft, with a speed of up to `speed`, turns of a radius of
    /// at least `turning_radius`, and changes of speed of up to `pull` per unit of time.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if a parameter is negative, not a number or too large, or the
    /// radius is zero.
    pub fn vehicle(speed: f64, turning_radius: f64, pull: f64) -> Result<Self, Error> {
        check([("the speed", speed), ("the turning radius", turning_radius), ("the pull", pull)])?;
        let most = centripetal(speed, turning_radius)?;
        let most = sqrt_up(add_up(mul_up(most, most), mul_up(pull, pull)));
        check([("the acceleration in the turn", most)])?;
        Ok(Self { limits: Limits::none().acceleration(most).speed(speed), duration: f64::INFINITY })
    }

    /// A vehicle whose speed is constant and which turns to one side, in one plane: towards
    /// `side`, which lies in that plane. Its velocity is now `velocity`, and the radius of the turn
    /// stays at least `turning_radius`.
    ///
    /// The acceleration is perpendicular to the velocity, so it stays on that side until the
    /// velocity has turned by 90 degrees, less the angle by which `side` is not perpendicular to
    /// it.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if the radius is negative, zero, not a number or too large, or
    /// if the velocity or the side is zero.
    pub fn turning(velocity: Vec3, turning_radius: f64, side: Vec3) -> Result<Self, Error> {
        check([("the turning radius", turning_radius)])?;
        check_direction(velocity, "the velocity")?;
        check_direction(side, "the side of the turn")?;
        let speed = length_up(velocity);
        let most = centripetal(speed, turning_radius)?;
        check([("the acceleration in the turn", most)])?;
        let limits = Limits::none().acceleration(most).speed(speed).never_towards(-side);
        // The sine of the angle by which the side is off, from above; the angle is at most a
        // quarter turn times the sine.
        let (v, s) = (velocity / speed, side / length_up(side));
        let off = v.dot(s).abs() / (length_down(v) * length_down(s)) + 1e-14;
        let share = add_down(1.0, -off).max(0.0);
        Ok(Self { limits, duration: mul_down(quarter_turn(turning_radius, speed), share) })
    }

    /// A body that a spring pulls to a cursor, with a damper: its acceleration is `stiffness *
    /// (cursor - position) - damping * velocity`. The application keeps the cursor within `stretch`
    /// of the body. The speed is now `speed`.
    ///
    /// The paper proposes this for bodies that are dragged with a mouse, since a body that follows
    /// the mouse directly has no limits.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if a parameter is negative, not a number or too large.
    pub fn dragged(stiffness: f64, damping: f64, stretch: f64, speed: f64) -> Result<Self, Error> {
        check([
            ("the stiffness", stiffness),
            ("the damping", damping),
            ("the stretch", stretch),
            ("the speed", speed),
        ])?;
        let pull = mul_up(stiffness, stretch);
        let limits = if damping > 0.0 {
            // The speed grows only while the pull exceeds the damping, so it never exceeds both of
            // these.
            let fastest = speed.max(div_up(pull, damping));
            let most = add_up(pull, mul_up(damping, speed).max(pull));
            let limits = Limits::none().acceleration(most);
            if fastest <= MAX_COORDINATE { limits.speed(fastest) } else { limits }
        } else {
            Limits::none().acceleration(pull)
        };
        check([("the acceleration of the spring", limits.acceleration)])?;
        Ok(Self { limits, duration: f64::INFINITY })
    }
}

/// Checks that parameters are from zero to the largest coordinate.
fn check<const N: usize>(parameters: [(&str, f64); N]) -> Result<(), Error> {
    for (what, value) in parameters {
        if !(0.0..=MAX_COORDINATE).contains(&value) {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("{what} is {value:e}; it must be from 0 to {MAX_COORDINATE:e}"),
            ));
        }
    }
    Ok(())
}

fn check_direction(direction: Vec3, what: &str) -> Result<(), Error> {
    check_range(direction, || what.to_owned())?;
    if direction == Vec3::ZERO {
        return Err(Error::new(ErrorKind::BadParameter, format!("{what} is zero")));
    }
    Ok(())
}

/// An upper bound of `speed^2 / radius`.
fn centripetal(speed: f64, radius: f64) -> Result<f64, Error> {
    if radius == 0.0 {
        return Err(Error::new(ErrorKind::BadParameter, "the turning radius must not be zero"));
    }
    Ok(div_up(mul_up(speed, speed), radius))
}

/// A lower bound of the time of a quarter turn at `speed` on a circle of this radius. The constant
/// is below the half of pi.
fn quarter_turn(radius: f64, speed: f64) -> f64 {
    if speed == 0.0 {
        return f64::INFINITY;
    }
    div_down(mul_down(FRAC_PI_2, radius), speed)
}

#[cfg(test)]
mod tests {
    use super::super::Motion;
    use super::*;

    /// Integrates a motion in small steps and checks that it stays in the bound of the recipe. The
    /// first argument of `acceleration` is the position, the second the velocity.
    fn follow(
        recipe: &Recipe,
        x: Vec3,
        v: Vec3,
        mut acceleration: impl FnMut(Vec3, Vec3, f64) -> Vec3,
    ) -> f64 {
        let end = recipe.duration.min(3.0);
        // Slack for the error of this integration.
        let bound = Motion::at(x).velocity(v).radius(1e-3).limits(recipe.limits);
        let bound = bound.bound(0.0, end).unwrap();
        let (mut x, mut v, steps) = (x, v, 3000);
        let dt = end / f64::from(steps);
        for step in 0..steps {
            let t = dt * f64::from(step);
            assert!(bound.contains_point(x, t), "{x} at {t}");
            let a = acceleration(x, v, t);
            let middle = acceleration(x + v * (0.5 * dt), v + a * (0.5 * dt), t + 0.5 * dt);
            x += v * dt + a * (0.5 * dt * dt);
            v += middle * dt;
        }
        end
    }

    #[test]
    fn a_ship_that_turns_while_it_thrusts() {
        let recipe = Recipe::thruster(2.0, Vec3::X, 0.9).unwrap();
        assert!(recipe.duration < 1.75 && recipe.duration > 1.74);
        for turn in [-0.9, 0.0, 0.9] {
            let thrust =
                |_: Vec3, _: Vec3, t: f64| 2.0 * Vec3::new((turn * t).cos(), (turn * t).sin(), 0.0);
            follow(&recipe, Vec3::ZERO, Vec3::new(-1.0, 0.5, 0.0), thrust);
        }
        let straight = Recipe::thruster(2.0, Vec3::X, 0.0).unwrap();
        assert_eq!(straight.duration, f64::INFINITY);
    }

    #[test]
    fn vehicles_in_turns() {
        let v = Vec3::new(3.0, 0.0, 0.0);
        // Against the clock, seen from above: the centre is to the left.
        let turn = |_: Vec3, v: Vec3, _: f64| Vec3::new(-v.y, v.x, 0.0) * (3.0 / 5.0);
        let recipe = Recipe::turning(v, 5.0, Vec3::Y).unwrap();
        assert!((recipe.duration - FRAC_PI_2 * 5.0 / 3.0).abs() < 1e-9);
        follow(&recipe, Vec3::ZERO, v, turn);
        let oblique = Recipe::turning(v, 5.0, Vec3::new(0.3, 1.0, 0.0)).unwrap();
        assert!(oblique.duration < recipe.duration);
        follow(&oblique, Vec3::ZERO, v, turn);
        // Braking and accelerating in the turn.
        let recipe = Recipe::vehicle(3.0, 5.0, 0.5).unwrap();
        let brake = |x: Vec3, v: Vec3, t: f64| {
            let along = if t < 1.0 { -0.5 } else { 0.5 };
            Vec3::new(-v.y, v.x, 0.0) * (v.length() / 5.0) + v.normalize() * along + 0.0 * x
        };
        follow(&recipe, Vec3::ZERO, v, brake);
    }

    #[test]
    fn a_dragged_body_and_a_cursor_that_jumps() {
        for (stiffness, damping, speed) in
            [(20.0, 3.0, 1.0), (20.0, 0.5, 0.0), (5.0, 8.0, 9.0), (4.0, 0.0, 2.0)]
        {
            let recipe = Recipe::dragged(stiffness, damping, 0.5, speed).unwrap();
            let pull = |_: Vec3, v: Vec3, t: f64| {
                let side = if (t * 2.0) as i32 % 2 == 0 { 0.5 } else { -0.5 };
                stiffness * Vec3::X * side - damping * v
            };
            follow(&recipe, Vec3::ZERO, Vec3::X * speed, pull);
        }
    }

    #[test]
    fn wrong_parameters_are_refused() {
        for error in [
            Recipe::thruster(-1.0, Vec3::X, 0.0),
            Recipe::thruster(1.0, Vec3::ZERO, 0.0),
            Recipe::thruster(1.0, Vec3::X, f64::NAN),
            Recipe::vehicle(1.0, 0.0, 0.0),
            Recipe::vehicle(1e60, 1.0, 0.0),
            Recipe::turning(Vec3::ZERO, 1.0, Vec3::X),
            Recipe::dragged(1e60, 1.0, 1e60, 0.0),
        ] {
            assert_eq!(error.unwrap_err().kind(), ErrorKind::BadParameter);
        }
    }
}
