//! Ships that thrust along their own axis and turn, by a script or at random (Hubbard 1995, section
//! IX).

use glam::DQuat;

use super::mover::reflect;
use impinge::internals::Random;
use impinge::math::{Aabb, Vec3};
use impinge::{Error, ErrorKind};

/// The controls of a ship from a time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    /// Seconds since the start.
    pub time: f64,
    /// Acceleration along the ship's own z axis, in units per second squared.
    pub thrust: f64,
    /// Rotational velocity about the ship's own axes, in radians per second.
    pub spin: Vec3,
}

/// The source of a ship's controls.
#[derive(Clone, Debug, PartialEq)]
pub enum Steering {
    /// Controls at ascending times; the last ones stay. Before the first one the ship does nothing.
    Script(Vec<Control>),
    /// Random controls, which change at random times.
    Random {
        /// The largest thrust.
        thrust: f64,
        /// The largest rotational velocity about each axis.
        spin: f64,
        /// The mean time between changes, in seconds.
        hold: f64,
    },
}

/// The largest number of lines of a script.
const MAX_CONTROLS: usize = 1_000_000;

impl Steering {
    /// The script in a text: five numbers per line, separated by blanks: the time in seconds, the
    /// thrust, and the rotational velocities about x, y and z in degrees per second. Empty lines
    /// and text after `#` are ignored.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] with the line, if it does not have five finite numbers, or if
    /// times are not ascending.
    ///
    /// ```
    /// use impinge_samples::motion::Steering;
    ///
    /// let script = Steering::parse("# seconds thrust x y z\n0 2.5 0 0 0\n1.5 0 0 45 0\n")?;
    /// assert!(matches!(script, Steering::Script(controls) if controls.len() == 2));
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut controls: Vec<Control> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let bad = |what: &str| {
                let message = format!(
                    "line {}: {what}; a line has the time, the thrust, and the rotation about x, y \
                     and z in degrees per second",
                    number + 1
                );
                Err(Error::new(ErrorKind::BadParameter, message))
            };
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_whitespace();
            let mut numbers = [0.0; 5];
            let mut count = 0;
            for word in words.by_ref() {
                match word.parse::<f64>() {
                    Ok(x) if x.is_finite() && count < 5 => numbers[count] = x,
                    Ok(_) if count >= 5 => return bad("there are more than five numbers"),
                    _ => return bad(&format!("{word:?} is no finite number")),
                }
                count += 1;
            }
            match count {
                0 => continue,
                5 => {}
                _ => return bad("there are fewer than five numbers"),
            }
            let [time, thrust, x, y, z] = numbers;
            if controls.last().is_some_and(|last| last.time >= time) {
                return bad("its time is not later than that of the line before");
            }
            if controls.len() == MAX_CONTROLS {
                return bad("there are more than a million lines");
            }
            controls.push(Control { time, thrust, spin: Vec3::new(x, y, z) * 1_f64.to_radians() });
        }
        Ok(Self::Script(controls))
    }

    /// What is wrong with the fields.
    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Self::Script(controls) => {
                let finite =
                    |c: &Control| c.time.is_finite() && c.thrust.is_finite() && c.spin.is_finite();
                if let Some(i) = controls.iter().position(|c| !finite(c)) {
                    return Err(format!("control {i} is not finite"));
                }
                match controls.windows(2).position(|w| w[0].time >= w[1].time) {
                    Some(i) => Err(format!("control {} is not later than the one before", i + 1)),
                    None => Ok(()),
                }
            }
            Self::Random { thrust, spin, hold } => {
                if !(thrust.is_finite() && spin.is_finite() && *thrust >= 0.0 && *spin >= 0.0) {
                    return Err("thrust and spin must be finite and at least 0".to_owned());
                }
                if hold.is_finite() && *hold > 0.0 {
                    Ok(())
                } else {
                    Err("hold must be finite and above 0".to_owned())
                }
            }
        }
    }
}

/// A ship under way.
#[derive(Clone, Debug)]
pub(super) struct Ship {
    steering: Steering,
    /// The share of its speed that a ship loses in a second, about.
    drag: f64,
    cage: Option<Aabb>,
    /// The middle at the start, to which a ship that is hit returns, and its own axes there.
    home: Vec3,
    axes: DQuat,
    velocity: Vec3,
    now: Control,
    /// The next control of the script, or the time of the next random change.
    next: usize,
    until: f64,
    random: Random,
}

/// The longest step of the integration, in seconds.
const MAX_STEP: f64 = 1.0 / 120.0;

/// The most steps that a frame is divided into.
const MAX_STEPS: f64 = 1000.0;

impl Ship {
    pub(super) fn new(
        steering: Steering,
        drag: f64,
        cage: Option<Aabb>,
        (home, axes): (Vec3, DQuat),
        random: Random,
    ) -> Self {
        let now = Control { time: 0.0, thrust: 0.0, spin: Vec3::ZERO };
        let (velocity, next, until) = (Vec3::ZERO, 0, 0.0);
        Self { steering, drag, cage, home, axes, velocity, now, next, until, random }
    }

    /// Moves the ship from `time` on.
    pub(super) fn advance(&mut self, center: &mut Vec3, turn: &mut DQuat, time: f64, seconds: f64) {
        let steps = (seconds / MAX_STEP).ceil().clamp(1.0, MAX_STEPS);
        let dt = seconds / steps;
        for step in 0..steps as usize {
            self.steer(time + step as f64 * dt);
            let own = *turn * self.axes;
            let forward = own * Vec3::Z;
            self.velocity += (forward * self.now.thrust - self.velocity * self.drag) * dt;
            *center += self.velocity * dt;
            if let Some(cage) = &self.cage {
                reflect(center, &mut self.velocity, cage);
            }
            *turn = (DQuat::from_scaled_axis(own * self.now.spin * dt) * *turn).normalize();
        }
    }

    /// The controls at a time.
    fn steer(&mut self, time: f64) {
        match &self.steering {
            Steering::Script(controls) => {
                while let Some(control) = controls.get(self.next).filter(|c| c.time <= time) {
                    self.now = *control;
                    self.next += 1;
                }
            }
            Steering::Random { thrust, spin, hold } => {
                if time < self.until {
                    return;
                }
                let random = &mut self.random;
                self.until = time + hold * random.range(0.5, 1.5);
                self.now.thrust = thrust * random.unit();
                self.now.spin = random.in_cube() * *spin;
            }
        }
    }

    /// A ship that is hit jumps back to its start and rests.
    pub(super) fn hit(&mut self, center: &mut Vec3, turn: &mut DQuat) {
        (*center, *turn, self.velocity) = (self.home, DQuat::IDENTITY, Vec3::ZERO);
        self.until = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_scripts_are_refused_with_their_line() {
        for (text, part) in [
            ("0 1 2 3", "line 1: there are fewer"),
            ("0 1 2 3 4 5", "more than five"),
            ("\n# x\n0 1 2 3 x", "line 3: \"x\""),
            ("0 1 2 3 inf", "finite"),
            ("0 1 0 0 0\n0 1 0 0 0", "line 2: its time"),
        ] {
            let error = Steering::parse(text).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
        assert_eq!(Steering::parse("").unwrap(), Steering::Script(Vec::new()));
    }

    #[test]
    fn a_scripted_ship_thrusts_turns_and_jumps_back() {
        let script = Steering::parse("0 2 0 0 0\n1 0 0 90 0\n2 2 0 0 0").unwrap();
        let home = Vec3::new(1.0, 2.0, 3.0);
        let mut ship = Ship::new(script, 0.0, None, (home, DQuat::IDENTITY), Random::new(1));
        let (mut center, mut turn) = (home, DQuat::IDENTITY);
        for frame in 0..60 {
            ship.advance(&mut center, &mut turn, f64::from(frame) / 60.0, 1.0 / 60.0);
        }
        // Half an acceleration times a squared second, along z.
        assert!((center - home - Vec3::Z).length() < 0.02, "{center}");
        for frame in 60..120 {
            ship.advance(&mut center, &mut turn, f64::from(frame) / 60.0, 1.0 / 60.0);
        }
        assert!(((turn * Vec3::Z) - Vec3::X).length() < 1e-6 && (center.z - 6.0).abs() < 0.03);
        for frame in 120..180 {
            ship.advance(&mut center, &mut turn, f64::from(frame) / 60.0, 1.0 / 60.0);
        }
        assert!((center.x - home.x - 1.0).abs() < 0.02);
        ship.hit(&mut center, &mut turn);
        assert_eq!((center, turn, ship.velocity), (home, DQuat::IDENTITY, Vec3::ZERO));
    }
}
