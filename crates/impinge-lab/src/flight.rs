//! Paths of a body through an environment, as in Klosowski et al. 1998, section 5.2.
//!
//! *Billiard paths*: "a flying object is moved along a random path, bouncing off of obstacles that
//! it hits in the environment. [...] we simply reverse the trajectory when a collision occurs". The
//! paper does not state its step sizes; ours are given with each scene. The direction changes a
//! little at every step, so that the way back differs from the way there. A colliding step is part
//! of the flight; the next step starts from the last free pose.
//!
//! *Reaching*: the paper's flight of a hand was recorded with a data glove, and was meant to give
//! "a rigorous workout" to programs. Ours goes from one random vertex of the environment to the
//! next and penetrates the environment on the way.

use anyhow::{Result, bail};
use impinge::pair::{First, traverse};
use impinge::{Aabb, Mesh, Pose, Vec3};

use impinge::internals::Random;

/// How a body moves from step to step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// The number of steps.
    pub(crate) steps: usize,
    /// The length of a step, in the units of the environment.
    pub(crate) step: f64,
    /// The rotation of a step, in degrees.
    pub(crate) turn: f64,
    /// Seed of the random numbers.
    pub(crate) seed: u64,
}

/// The largest random change of each component of the unit direction in a step.
const DIRECTION_NOISE: f64 = 0.1;

/// The number of random positions tried for a free pose to start from.
const MAX_START_POSITIONS: usize = 100_000;

/// A body's position, orientation and motion.
struct State {
    rotation: Pose,
    position: Vec3,
    direction: Vec3,
    axis: Vec3,
    /// Rotation in radians per step; negative on the way back.
    spin: f64,
}

impl State {
    fn new(random: &mut Random, motion: &Motion) -> Result<Self> {
        let mut rotation = Pose::IDENTITY;
        for _ in 0..3 {
            let turn =
                Pose::from_axis_angle(direction(random), std::f64::consts::PI * random.signed())?;
            rotation = turn.compose(&rotation)?;
        }
        Ok(Self {
            rotation,
            position: Vec3::ZERO,
            direction: direction(random),
            axis: direction(random),
            spin: motion.turn.to_radians(),
        })
    }

    fn pose(&self) -> Result<Pose> {
        Ok(Pose::from_translation(self.position)?.compose(&self.rotation)?)
    }

    /// The rotation after one more step.
    fn next_rotation(&self) -> Result<Pose> {
        Ok(Pose::from_axis_angle(self.axis, self.spin)?.compose(&self.rotation)?)
    }
}

/// A random unit vector.
fn direction(random: &mut Random) -> Vec3 {
    loop {
        let v = random.in_cube();
        if (0.01..=1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

fn point_in(random: &mut Random, space: &Aabb) -> Vec3 {
    space.center() + 0.5 * space.extent() * random.in_cube()
}

fn hits(environment: &Mesh, body: &Mesh, pose: &Pose) -> bool {
    let mut first = First::default();
    traverse(environment, body, pose, &mut first);
    first.pair.is_some()
}

/// A billiard path: the poses of `body` in the frame of `environment`, its origin always within the
/// environment's box.
pub(crate) fn billiard(environment: &Mesh, body: &Mesh, motion: &Motion) -> Result<Vec<Pose>> {
    let mut random = Random::new(motion.seed);
    let space = environment.bounds();
    let mut state = State::new(&mut random, motion)?;
    let mut tries = 0;
    loop {
        state.position = point_in(&mut random, &space);
        if !hits(environment, body, &state.pose()?) {
            break;
        }
        tries += 1;
        if tries == MAX_START_POSITIONS {
            bail!(
                "no free position for the body among {MAX_START_POSITIONS} random ones: make the body smaller"
            );
        }
    }
    let mut poses = Vec::with_capacity(motion.steps);
    while poses.len() < motion.steps {
        state.direction = (state.direction + DIRECTION_NOISE * random.in_cube()).normalize();
        state.axis = (state.axis + DIRECTION_NOISE * random.in_cube()).normalize();
        let mut position = state.position + state.direction * motion.step;
        for k in 0..3 {
            if position[k] < space.min[k] || position[k] > space.max[k] {
                state.direction[k] = -state.direction[k];
                position[k] = position[k].clamp(space.min[k], space.max[k]);
            }
        }
        let next = State { rotation: state.next_rotation()?, position, ..state };
        let pose = next.pose()?;
        poses.push(pose);
        if hits(environment, body, &pose) {
            state.direction = -state.direction;
            state.spin = -state.spin;
        } else {
            state = next;
        }
    }
    Ok(poses)
}

/// A flight from vertex to vertex of the environment; collisions do not stop it.
pub(crate) fn reaching(environment: &Mesh, motion: &Motion) -> Result<Vec<Pose>> {
    let vertices = environment.vertices();
    if vertices.is_empty() {
        bail!("a reaching flight needs an environment with vertices");
    }
    let mut random = Random::new(motion.seed);
    let target = |random: &mut Random| vertices[(random.bits() % vertices.len() as u64) as usize];
    let mut state = State::new(&mut random, motion)?;
    state.position = target(&mut random);
    let mut to = target(&mut random);
    let mut poses = Vec::with_capacity(motion.steps);
    while poses.len() < motion.steps {
        let remaining = to - state.position;
        if remaining.length() > motion.step {
            state.position += remaining.normalize() * motion.step;
        } else {
            state.position = to;
            to = target(&mut random);
        }
        state.axis = (state.axis + DIRECTION_NOISE * random.in_cube()).normalize();
        state.rotation = state.next_rotation()?;
        poses.push(state.pose()?);
    }
    Ok(poses)
}

#[cfg(test)]
mod tests {
    use impinge_samples::shapes;

    use super::*;

    const MOTION: Motion = Motion { steps: 300, step: 0.04, turn: 2.0, seed: 5 };

    #[test]
    fn a_billiard_path_bounces_and_stays_in_the_box() {
        let space = Aabb::from_corners(Vec3::splat(-1.0), Vec3::splat(1.0));
        let field = shapes::tetrahedra_field(60, 2, space, 0.2).unwrap();
        let body = shapes::axis_body(0.3, 0.05).unwrap();
        let poses = billiard(&field, &body, &MOTION).unwrap();
        assert_eq!(poses.len(), MOTION.steps);
        let hit: Vec<bool> = poses.iter().map(|p| hits(&field, &body, p)).collect();
        let bounces = hit.iter().filter(|h| **h).count();
        assert!((3..200).contains(&bounces), "{bounces}");
        let limits = field.bounds().grown(1e-12);
        assert!(poses.iter().all(|p| limits.contains(p.translation())));
        // After a collision the next step starts from the pose before it, so consecutive poses are
        // at most two steps apart.
        for pair in poses.windows(2) {
            let step = pair[0].translation().distance(pair[1].translation());
            assert!(step <= 2.0 * MOTION.step + 1e-12, "{step}");
        }
        let again = billiard(&field, &body, &MOTION).unwrap();
        assert_eq!(poses, again);
    }

    #[test]
    fn a_reaching_flight_hits_the_environment() {
        let field = shapes::cube_array([3, 3, 3], 0.6, 0.2).unwrap();
        let body = shapes::axis_body(0.3, 0.05).unwrap();
        let poses = reaching(&field, &MOTION).unwrap();
        let met = poses.iter().filter(|p| hits(&field, &body, p)).count();
        assert!(met > 30, "{met}");
    }

    #[test]
    fn a_body_without_free_position_is_an_error() {
        let ball = shapes::icosphere(1.0, 2).unwrap();
        let grid = shapes::cube_array([12, 12, 12], 0.2, 0.15).unwrap();
        assert!(billiard(&grid, &ball, &Motion { steps: 1, ..MOTION }).is_err());
    }
}
