//! The motion of one body along its path.

use glam::DQuat;

use super::keys::Track;
use super::ship::Ship;
use super::{Motion, MovingBody};
use impinge::convex::Hull;
use impinge::internals::Random;
use impinge::math::{Aabb, MAX_COORDINATE, Pose, Vec3};
use impinge::{Error, ErrorKind};

/// The source of the defaults of a motion.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// A box around the scene at its start.
    pub bounds: Aabb,
    /// Seed of random choices.
    pub seed: u64,
    /// The number of the body, so that each body has different random choices.
    pub body: usize,
}

/// A body on its path: its current pose, and the computation of the next one.
///
/// ```
/// use impinge_samples::motion::{Motion, Mover, MovingBody, Surroundings};
/// use impinge::{Aabb, Pose, Vec3};
///
/// let motion = Motion::from_name("falling").unwrap();
/// let origin = Pose::from_translation([0.0, 0.0, 5.0])?;
/// let body = MovingBody { name: "stone".into(), parts: 0..1, parent: None, origin, motion };
/// let bounds = Aabb::from_corners(Vec3::ZERO, Vec3::ONE);
/// let around = Surroundings { bounds, seed: 1, body: 0 };
/// let corners = [Vec3::new(0.0, 0.0, 4.5), Vec3::new(0.0, 0.0, 5.5)]; // as it starts
/// let mut mover = Mover::new(&body, &corners, &around)?;
/// while mover.moves() {
///     mover.advance(0.01)?; // it bounces, and comes to rest
/// }
/// assert!((mover.pose()?.translation().z - 0.5).abs() < 1e-12);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mover {
    /// The pose at the start, in the frame of the parent or of the scene.
    start: Pose,
    /// The middle of the body at the start, about which it rotates.
    pivot: Vec3,
    /// The current position of the middle.
    center: Vec3,
    /// The rotation since the start.
    turn: DQuat,
    path: Path,
    /// Seconds since the start.
    time: f64,
}

#[derive(Clone, Debug)]
enum Path {
    Still,
    Billiard { velocity: Vec3, spin: Spin, cage: Aabb, bounce: bool },
    Brownian { step: f64, turn: f64, cage: Option<Aabb>, random: Random },
    Falling(Box<Fall>),
    Keyframes { track: Track },
    Ship(Box<Ship>),
}

/// A rotation about a unit axis, in radians per second.
#[derive(Clone, Copy, Debug)]
struct Spin {
    axis: Vec3,
    speed: f64,
    angle: f64,
}

#[derive(Clone, Debug)]
struct Fall {
    gravity: Vec3,
    /// The unit vector opposite to gravity.
    up: Vec3,
    floor: f64,
    restitution: f64,
    velocity: Vec3,
    spin: Spin,
    /// The corners of the body relative to its middle, at the start.
    corners: Vec<Vec3>,
    rests: bool,
}

impl Mover {
    /// A body on its path, at its start pose. The hull of `points` contains the body at the start,
    /// in the frame of its parent or of the scene.
    ///
    /// # Errors
    /// [`BadParameter`](ErrorKind::BadParameter) for fields of the motion that are not finite or
    /// out of range. The message contains the body and the field.
    pub fn new(body: &MovingBody, points: &[Vec3], around: &Surroundings) -> Result<Self, Error> {
        let bad = |what: &str| {
            let message = format!("the motion of {}: {what}", body.name);
            Error::new(ErrorKind::BadParameter, message)
        };
        let bounds = Aabb::from_points(points.iter().copied());
        let pivot = if bounds.is_empty() { body.origin.translation() } else { bounds.center() };
        let radius = points.iter().map(|p| length(*p - pivot)).fold(0.0, f64::max);
        check(&body.motion).map_err(|what| bad(&what))?;
        let stream = |seed: Option<u64>| {
            let body = (around.body as u64).wrapping_mul(0xd134_2543_de82_ef95);
            Random::new(Random::new(seed.unwrap_or(around.seed) ^ body).bits())
        };
        let room = |cage: &Aabb| shrunk(cage, radius);
        // An empty scene box is replaced by the pivot.
        let scene =
            if around.bounds.is_empty() { Aabb::from_corners(pivot, pivot) } else { around.bounds };
        let path = match &body.motion {
            Motion::Still => Path::Still,
            Motion::Billiard { velocity, speed, axis, spin, cage, bounce, seed } => {
                let mut random = stream(*seed);
                let cage = cage.unwrap_or_else(|| scene.grown(0.25 * scene.extent().max_element()));
                let speed = speed.unwrap_or_else(|| 0.2 * length(cage.extent()));
                let (direction, about) = (random.direction(), random.direction());
                let most = std::f64::consts::PI;
                let spin = spin.unwrap_or_else(|| random.range(-most, most));
                Path::Billiard {
                    velocity: velocity.unwrap_or(direction * speed),
                    spin: Spin::new(axis.unwrap_or(about), spin),
                    cage: room(&cage),
                    bounce: *bounce,
                }
            }
            Motion::Brownian { step, turn, cage, seed } => Path::Brownian {
                step: step.unwrap_or(0.04 * radius),
                turn: turn.unwrap_or(3_f64.to_radians()),
                cage: cage.as_ref().map(room),
                random: stream(*seed),
            },
            Motion::Falling { gravity, floor, restitution, velocity, axis, spin, seed } => {
                let gravity = gravity.unwrap_or(Vec3::new(0.0, 0.0, -9.81));
                let up = -unit(gravity);
                let lowest = || {
                    let corner = |k: usize| if up[k] > 0.0 { scene.min[k] } else { scene.max[k] };
                    up.dot(Vec3::new(corner(0), corner(1), corner(2)))
                };
                let about = axis.unwrap_or_else(|| stream(*seed).direction());
                Path::Falling(Box::new(Fall {
                    gravity,
                    up,
                    floor: floor.unwrap_or_else(lowest),
                    restitution: restitution.unwrap_or(0.5),
                    velocity: velocity.unwrap_or(Vec3::ZERO),
                    spin: Spin::new(about, spin.unwrap_or(0.0)),
                    corners: corners(points, pivot),
                    rests: points.is_empty(),
                }))
            }
            Motion::Keyframes { keyframes, repeat } => Path::Keyframes {
                track: Track::new(keyframes, *repeat).map_err(|e| bad(&e.to_string()))?,
            },
            Motion::Ship { steering, drag, cage, seed } => {
                let axes = DQuat::from_mat3(&body.origin.rotation());
                Path::Ship(Box::new(Ship::new(
                    steering.clone(),
                    drag.unwrap_or(0.5),
                    cage.as_ref().map(room),
                    (pivot, axes),
                    stream(*seed),
                )))
            }
        };
        let center = pivot;
        Ok(Self { start: body.origin, pivot, center, turn: DQuat::IDENTITY, path, time: 0.0 })
    }

    /// Whether it may still move.
    #[must_use]
    pub fn moves(&self) -> bool {
        match &self.path {
            Path::Still => false,
            Path::Falling(fall) => !fall.rests,
            _ => true,
        }
    }

    /// The current pose, in the frame of its parent or of the scene.
    ///
    /// # Errors
    /// If the body has left the range of coordinates.
    pub fn pose(&self) -> Result<Pose, Error> {
        if let Path::Keyframes { track } = &self.path {
            return track.pose(self.time);
        }
        if self.center == self.pivot && self.turn == DQuat::IDENTITY {
            return Ok(self.start);
        }
        let about = Pose::from_quaternion(self.turn.to_array(), Vec3::ZERO)?;
        let from_middle = Pose::from_translation(-self.pivot)?.compose(&self.start)?;
        Pose::from_translation(self.center)?.compose(&about.compose(&from_middle)?)
    }

    /// Advances the motion by `seconds` and returns the new pose.
    ///
    /// # Errors
    /// [`BadParameter`](ErrorKind::BadParameter) if the time is negative or not finite; otherwise
    /// as [`Mover::pose`].
    pub fn advance(&mut self, seconds: f64) -> Result<Pose, Error> {
        if !seconds.is_finite() || seconds < 0.0 {
            let message =
                format!("the step is {seconds} seconds: it must be finite and at least 0");
            return Err(Error::new(ErrorKind::BadParameter, message));
        }
        self.time += seconds;
        match &mut self.path {
            Path::Still | Path::Keyframes { .. } => {}
            Path::Billiard { velocity, spin, cage, .. } => {
                self.center += *velocity * seconds;
                reflect(&mut self.center, velocity, cage);
                self.turn = spin.advance(seconds);
            }
            Path::Brownian { step, turn, cage, random } => {
                self.center += *step * random.in_cube();
                if let Some(cage) = cage {
                    let mut velocity = Vec3::ZERO;
                    reflect(&mut self.center, &mut velocity, cage);
                }
                let (axis, angle) = (random.direction(), *turn * random.range(-1.0, 1.0));
                self.turn = (DQuat::from_axis_angle(axis, angle) * self.turn).normalize();
            }
            Path::Falling(fall) => fall.advance(&mut self.center, &mut self.turn, seconds),
            Path::Ship(ship) => {
                let before = self.time - seconds;
                ship.advance(&mut self.center, &mut self.turn, before, seconds);
            }
        }
        self.pose()
    }

    /// Called when the body starts to collide with another. On a billiard path it reverses its
    /// motion, if that is enabled. A ship jumps back to its start; its new pose is that of the next
    /// [`advance`](Mover::advance).
    pub fn hit(&mut self) {
        match &mut self.path {
            Path::Billiard { velocity, spin, bounce: true, .. } => {
                *velocity = -*velocity;
                spin.speed = -spin.speed;
            }
            Path::Ship(ship) => ship.hit(&mut self.center, &mut self.turn),
            _ => {}
        }
    }
}

impl Spin {
    fn new(axis: Vec3, speed: f64) -> Self {
        Self { axis: unit(axis), speed, angle: 0.0 }
    }

    /// Advances the rotation by `seconds`. Returns the rotation since the start.
    fn advance(&mut self, seconds: f64) -> DQuat {
        self.angle = (self.angle + self.speed * seconds) % std::f64::consts::TAU;
        DQuat::from_axis_angle(self.axis, self.angle)
    }
}

impl Fall {
    fn advance(&mut self, center: &mut Vec3, turn: &mut DQuat, seconds: f64) {
        if self.rests || seconds == 0.0 {
            return;
        }
        self.velocity += self.gravity * seconds;
        *center += self.velocity * seconds;
        *turn = self.spin.advance(seconds);
        let up = self.up;
        let low = self.corners.iter().map(|c| up.dot(*turn * *c)).fold(f64::INFINITY, f64::min);
        let below = self.floor - (up.dot(*center) + low);
        if below < 0.0 {
            return;
        }
        *center += up * below;
        let falls = up.dot(self.velocity);
        if falls < 0.0 {
            self.velocity -= up * falls * 2.0;
            self.velocity *= self.restitution;
            self.spin.speed *= self.restitution;
            // A speed that gravity cancels within the next step does not count as a bounce.
            let rises = up.dot(self.velocity);
            self.rests = self.restitution < 1.0 && rises <= length(self.gravity) * seconds;
        }
    }
}

/// The unit vector along a nonzero vector of any size. Scaled first, because the squared length
/// underflows below 1e-162 and overflows above 1e154.
fn unit(v: Vec3) -> Vec3 {
    (v / v.abs().max_element()).normalize()
}

/// The length of a vector of any size.
fn length(v: Vec3) -> f64 {
    let largest = v.abs().max_element();
    if largest == 0.0 { 0.0 } else { (v / largest).length() * largest }
}

/// Checks that the fields of a motion are finite and in range.
fn check(motion: &Motion) -> Result<(), String> {
    let vector = |name: &str, v: &Option<Vec3>| match v {
        Some(v) if !v.is_finite() => Err(format!("{name} is not finite")),
        _ => Ok(()),
    };
    let direction = |name: &str, v: &Option<Vec3>| match v {
        Some(v) if *v == Vec3::ZERO => Err(format!("{name} is zero")),
        v => vector(name, v),
    };
    let number = |name: &str, x: &Option<f64>, low: f64, high: f64| match x {
        Some(x) if !x.is_finite() => Err(format!("{name} is not finite")),
        Some(x) if !(low..=high).contains(x) => Err(format!("{name} must be from {low} to {high}")),
        _ => Ok(()),
    };
    let boxed = |cage: &Option<Aabb>| match cage {
        Some(cage) if cage.is_empty() || !cage.min.is_finite() || !cage.max.is_finite() => {
            Err("cage is empty or not finite".to_owned())
        }
        Some(Aabb { min, max }) if min.abs().max(max.abs()).max_element() > MAX_COORDINATE => {
            Err(format!("cage must not exceed {MAX_COORDINATE:e} in size"))
        }
        _ => Ok(()),
    };
    let (least, most) = (f64::MIN, f64::MAX);
    match motion {
        Motion::Still | Motion::Keyframes { .. } => Ok(()),
        Motion::Billiard { velocity, speed, axis, spin, cage, .. } => {
            vector("velocity", velocity)?;
            number("speed", speed, 0.0, most)?;
            direction("axis", axis)?;
            number("spin", spin, least, most)?;
            boxed(cage)
        }
        Motion::Brownian { step, turn, cage, .. } => {
            number("step", step, 0.0, most)?;
            number("turn", turn, 0.0, most)?;
            boxed(cage)
        }
        Motion::Falling { gravity, floor, restitution, velocity, axis, spin, .. } => {
            direction("gravity", gravity)?;
            number("floor", floor, least, most)?;
            number("restitution", restitution, 0.0, 1.0)?;
            vector("velocity", velocity)?;
            direction("axis", axis)?;
            number("spin", spin, least, most)
        }
        Motion::Ship { steering, drag, cage, .. } => {
            steering.check()?;
            number("drag", drag, 0.0, most)?;
            boxed(cage)
        }
    }
}

/// The box of positions of the middle of a ball that stays in the cage; the middle of the cage if
/// the ball is too large.
fn shrunk(cage: &Aabb, radius: f64) -> Aabb {
    let (low, high, middle) = (cage.min + radius, cage.max - radius, cage.center());
    Aabb { min: low.min(middle), max: high.max(middle) }
}

/// Reflects a point that has left the box back into it, from any distance, and reflects the
/// velocity accordingly.
pub(super) fn reflect(point: &mut Vec3, velocity: &mut Vec3, within: &Aabb) {
    for k in 0..3 {
        let (low, high) = (within.min[k], within.max[k]);
        if (low..=high).contains(&point[k]) {
            continue;
        }
        let width = high - low;
        let rounds = (point[k] - low) / width;
        // A box without extent has only one position. Positions that are not finite are detected
        // later.
        if width <= 0.0 || !rounds.is_finite() {
            point[k] = low;
            continue;
        }
        let back = rounds.floor().rem_euclid(2.0) == 1.0;
        let share = rounds - rounds.floor();
        point[k] = (low + width * if back { 1.0 - share } else { share }).clamp(low, high);
        if back {
            velocity[k] = -velocity[k];
        }
    }
}

/// The points that can be lowest, relative to `pivot`: the vertices of the hull, or all points if
/// there is no hull.
fn corners(points: &[Vec3], pivot: Vec3) -> Vec<Vec3> {
    let hull = if points.len() > 64 { Hull::new(points).ok() } else { None };
    let corners = hull.as_ref().map_or(points, Hull::vertices);
    corners.iter().map(|c| *c - pivot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];

    fn mover(motion: Motion, seed: u64) -> Mover {
        let body = MovingBody {
            name: "b".into(),
            parts: 0..1,
            parent: None,
            origin: Pose::IDENTITY,
            motion,
        };
        let bounds = Aabb::from_corners(Vec3::splat(-3.0), Vec3::splat(4.0));
        let around = Surroundings { bounds, seed, body: 3 };
        Mover::new(&body, &CORNERS, &around).unwrap()
    }

    #[test]
    fn a_billiard_stays_in_its_cage_for_any_step() {
        for (seed, dt) in [(1, 0.01), (2, 0.3), (3, 50.0), (4, 1e9)] {
            let mut ball = mover(Motion::from_name("billiard").unwrap(), seed);
            let cage = Aabb::from_corners(Vec3::splat(-3.0), Vec3::splat(4.0)).grown(1.75 + 1e-9);
            let mut places = Vec::new();
            for _ in 0..500 {
                let pose = ball.advance(dt).unwrap();
                assert!(CORNERS.iter().all(|c| cage.contains(pose.transform_point(*c))), "{dt}");
                places.push(pose);
            }
            assert!(places.windows(2).all(|w| w[0] != w[1]));
            let mut again = mover(Motion::from_name("billiard").unwrap(), seed);
            assert!(places.iter().all(|p| *p == again.advance(dt).unwrap()));
        }
    }

    #[test]
    fn a_billiard_body_that_hits_reverses_its_motion() {
        let mut ball = mover(Motion::from_name("billiard").unwrap(), 5);
        let before = ball.advance(0.01).unwrap();
        ball.advance(0.01).unwrap();
        ball.hit();
        let after = ball.advance(0.01).unwrap();
        assert!(before.translation().distance(after.translation()) < 1e-12);
        assert!((before.rotation() - after.rotation()).abs_diff_eq(glam::DMat3::ZERO, 1e-12));
    }

    #[test]
    fn walls_reflect_as_mirrors_do() {
        let within = Aabb::from_corners(Vec3::ZERO, Vec3::splat(2.0));
        for (x, place, speed) in [
            (1.0, 1.0, 1.0),
            (2.5, 1.5, -1.0),
            (-0.5, 0.5, -1.0),
            (4.5, 0.5, 1.0),
            (-2.5, 1.5, 1.0),
        ] {
            let (mut point, mut velocity) = (Vec3::new(x, 1.0, 1.0), Vec3::X);
            reflect(&mut point, &mut velocity, &within);
            assert!(
                (point.x - place).abs() < 1e-12 && velocity.x == speed,
                "{x}: {point} {velocity}"
            );
        }
    }

    #[test]
    fn brownian_steps_are_small_and_random() {
        let motion =
            |seed| Motion::Brownian { step: Some(0.1), turn: Some(0.02), cage: None, seed };
        let mut one = mover(motion(None), 7);
        let mut last = one.pose().unwrap();
        for _ in 0..200 {
            let next = one.advance(1.0).unwrap();
            let way = CORNERS.map(|c| next.transform_point(c).distance(last.transform_point(c)));
            assert!(way.iter().all(|w| *w > 0.0 && *w < 0.18 + 0.02), "{way:?}");
            last = next;
        }
        // The seed of the motion has priority, if there is one.
        let same = [1, 2].map(|seed| mover(motion(Some(9)), seed).advance(1.0).unwrap());
        assert_eq!(same[0], same[1]);
    }

    #[test]
    fn a_falling_body_comes_to_rest_on_the_floor() {
        let motion = Motion::Falling {
            gravity: None,
            floor: Some(-2.0),
            restitution: Some(0.6),
            velocity: Some(Vec3::X),
            axis: None,
            spin: Some(2.0),
            seed: None,
        };
        let mut stone = mover(motion, 1);
        let (mut steps, mut lowest) = (0, f64::INFINITY);
        while stone.moves() {
            let pose = stone.advance(0.01).unwrap();
            let low = CORNERS
                .map(|c| pose.transform_point(c).z)
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            lowest = low.min(lowest);
            steps += 1;
            assert!(low > -2.0 - 1e-12 && steps < 2000);
        }
        assert!(steps > 50 && (lowest + 2.0).abs() < 1e-12);
        let rest = stone.pose().unwrap();
        assert_eq!(stone.advance(1.0).unwrap(), rest);
    }

    /// The squared length of such a gravity underflows or overflows.
    #[test]
    fn gravity_of_any_size_is_a_direction() {
        for size in [5e-324, 1e-310, 1e-300, 1e-170, 1.0, 1e5] {
            let motion = Motion::Falling {
                gravity: Some(Vec3::new(0.0, -size, 0.0)),
                floor: Some(-3.0),
                restitution: Some(0.0),
                velocity: Some(Vec3::new(0.0, -1.0, 0.0)),
                axis: None,
                spin: None,
                seed: None,
            };
            let body = MovingBody {
                name: "stone".into(),
                parts: 0..1,
                parent: None,
                origin: Pose::IDENTITY,
                motion,
            };
            let around = Surroundings { bounds: Aabb::EMPTY, seed: 0, body: 0 };
            let points = [Vec3::splat(-1.0), Vec3::splat(1.0)];
            let mut stone = Mover::new(&body, &points, &around).unwrap();
            let mut steps = 0;
            while stone.moves() {
                stone.advance(0.125).unwrap();
                steps += 1;
                assert!(steps < 100, "{size:e}");
            }
            // It falls at least by its initial speed, and rests on the floor.
            let low = stone.pose().unwrap().translation().y - 1.0;
            assert!((low + 3.0).abs() < 1e-12, "{size:e}: {low}");
        }
        assert_eq!(length(Vec3::new(3e-200, 0.0, 4e-200)), 5e-200);
        assert!((unit(Vec3::splat(-1e-300)) + Vec3::splat(1.0 / 3f64.sqrt())).length() < 1e-15);
    }

    #[test]
    fn invalid_fields_are_refused_by_name() {
        let body = |motion| MovingBody {
            name: "b".into(),
            parts: 0..1,
            parent: None,
            origin: Pose::IDENTITY,
            motion,
        };
        let around = Surroundings { bounds: Aabb::EMPTY, seed: 0, body: 0 };
        let brownian =
            |step| Motion::Brownian { step: Some(step), turn: None, cage: None, seed: None };
        for step in [-1.0, f64::NAN, f64::INFINITY] {
            let error = Mover::new(&body(brownian(step)), &[], &around).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadParameter);
            assert!(error.to_string().contains("step"), "{error}");
        }
        // A body that leaves the range of coordinates causes an error, not a wrong pose.
        let mut far = Mover::new(&body(brownian(1e300)), &[], &around).unwrap();
        assert!((0..10).any(|_| far.advance(1.0).is_err()));
        assert!(far.advance(-1.0).is_err() && far.advance(f64::NAN).is_err());
        for name in ["still", "billiard", "brownian", "falling"] {
            let motion = Motion::from_name(name).unwrap();
            let mut empty = Mover::new(&body(motion), &[], &around).unwrap();
            assert!(empty.advance(0.1).is_ok(), "{name}");
        }
    }
}
