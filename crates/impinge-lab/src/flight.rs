//! Paths of a body through an environment, as in Klosowski et al. 1998, section 5.2.
//!
//! *Billiard paths*: "a flying object is moved along a random path, bouncing off of obstacles that
//! it hits in the environment. [...] we simply reverse the trajectory when a collision occurs". The
//! paper does not tell its step sizes; ours are given with each scene. The path swerves a little at
//! every step, so that the way back is not the way there. A step that collides belongs to the
//! flight, and the next one sets out from the last free pose.
//!
//! *Reaching*: the paper's flight of a hand was recorded from an engineer with a data glove, who
//! meant to give "a rigorous workout" to programs. Ours goes from one random vertex of the
//! environment to the next, into it and through it.

use anyhow::{Result, bail};
use impinge::pair::{First, traverse};
use impinge::{Aabb, Mesh, Pose, Vec3};

use impinge::internals::Random;

/// How a body moves from step to step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// The number of steps.
    pub(crate) steps: usize,
    /// The length of a step, in units of the environment.
    pub(crate) step: f64,
    /// The turn of a step, in degrees.
    pub(crate) turn: f64,
    /// Where the random numbers start.
    pub(crate) seed: u64,
}

/// How much the direction may swerve in a step, as a share of its length.
const SWERVE: f64 = 0.1;

/// How often a free pose to begin with is sought.
const TRIES: usize = 100_000;

/// A body's place and attitude and where it is going.
struct Course {
    rotation: Pose,
    position: Vec3,
    direction: Vec3,
    axis: Vec3,
    /// Radians a step; negative on the way back.
    spin: f64,
}

impl Course {
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

    /// The rotation one step on.
    fn turned(&self) -> Result<Pose> {
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
    let mut course = Course::new(&mut random, motion)?;
    let mut tries = 0;
    loop {
        course.position = point_in(&mut random, &space);
        if !hits(environment, body, &course.pose()?) {
            break;
        }
        tries += 1;
        if tries == TRIES {
            bail!("no free place for the body in {TRIES} tries: make it smaller");
        }
    }
    let mut poses = Vec::with_capacity(motion.steps);
    while poses.len() < motion.steps {
        course.direction = (course.direction + SWERVE * random.in_cube()).normalize();
        course.axis = (course.axis + SWERVE * random.in_cube()).normalize();
        let mut position = course.position + course.direction * motion.step;
        for k in 0..3 {
            if position[k] < space.min[k] || position[k] > space.max[k] {
                course.direction[k] = -course.direction[k];
                position[k] = position[k].clamp(space.min[k], space.max[k]);
            }
        }
        let next = Course { rotation: course.turned()?, position, ..course };
        let pose = next.pose()?;
        poses.push(pose);
        if hits(environment, body, &pose) {
            course.direction = -course.direction;
            course.spin = -course.spin;
        } else {
            course = next;
        }
    }
    Ok(poses)
}

/// A flight from vertex to vertex of the environment that stops at nothing.
pub(crate) fn reaching(environment: &Mesh, motion: &Motion) -> Result<Vec<Pose>> {
    let vertices = environment.vertices();
    if vertices.is_empty() {
        bail!("the environment has no vertices to reach for");
    }
    let mut random = Random::new(motion.seed);
    let target = |random: &mut Random| vertices[(random.bits() % vertices.len() as u64) as usize];
    let mut course = Course::new(&mut random, motion)?;
    course.position = target(&mut random);
    let mut to = target(&mut random);
    let mut poses = Vec::with_capacity(motion.steps);
    while poses.len() < motion.steps {
        let way = to - course.position;
        if way.length() > motion.step {
            course.position += way.normalize() * motion.step;
        } else {
            course.position = to;
            to = target(&mut random);
        }
        course.axis = (course.axis + SWERVE * random.in_cube()).normalize();
        course.rotation = course.turned()?;
        poses.push(course.pose()?);
    }
    Ok(poses)
}

#[cfg(test)]
mod tests {
    use impinge::shapes;

    use super::*;

    const MOTION: Motion = Motion { steps: 300, step: 0.04, turn: 2.0, seed: 5 };

    #[test]
    fn a_billiard_path_bounces_and_stays() {
        let space = Aabb::from_corners(Vec3::splat(-1.0), Vec3::splat(1.0));
        let field = impinge_samples::shapes::tetrahedra_field(60, 2, space, 0.2).unwrap();
        let body = shapes::axis_body(0.3, 0.05).unwrap();
        let poses = billiard(&field, &body, &MOTION).unwrap();
        assert_eq!(poses.len(), MOTION.steps);
        let hit: Vec<bool> = poses.iter().map(|p| hits(&field, &body, p)).collect();
        let bounces = hit.iter().filter(|h| **h).count();
        assert!((3..200).contains(&bounces), "{bounces}");
        let limits = field.bounds().grown(1e-12);
        assert!(poses.iter().all(|p| limits.contains(p.translation())));
        // After a collision the next pose sets out from the one before it: no two steps lie further
        // apart than two.
        for pair in poses.windows(2) {
            let step = pair[0].translation().distance(pair[1].translation());
            assert!(step <= 2.0 * MOTION.step + 1e-12, "{step}");
        }
        let again = billiard(&field, &body, &MOTION).unwrap();
        assert_eq!(poses, again);
    }

    #[test]
    fn a_reaching_flight_meets_what_it_reaches_for() {
        let field = shapes::cube_array([3, 3, 3], 0.6, 0.2).unwrap();
        let body = shapes::axis_body(0.3, 0.05).unwrap();
        let poses = reaching(&field, &MOTION).unwrap();
        let met = poses.iter().filter(|p| hits(&field, &body, p)).count();
        assert!(met > 30, "{met}");
    }

    #[test]
    fn a_body_without_room_is_an_error() {
        let ball = shapes::icosphere(1.0, 2).unwrap();
        let grid = shapes::cube_array([12, 12, 12], 0.2, 0.15).unwrap();
        assert!(billiard(&grid, &ball, &Motion { steps: 1, ..MOTION }).is_err());
    }
}
