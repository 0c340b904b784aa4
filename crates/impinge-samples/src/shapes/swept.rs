//! The flight through a swept volume: obstacles close to the path of a body, none of which it hits.
//!
//! The *Swept* data set of Klosowski et al. 1998, section 5.2: an axis-shaped body moves on a
//! random flight. Ten thousand random tetrahedra are placed close to the volume it sweeps. On the
//! same flight it comes near thousands of them and hits none.

use glam::DQuat;

use super::blocks::axis_body;
use super::fields::add_tetrahedron;
use impinge::Error;
use impinge::internals::Random;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::params::{bad, count, total};
use impinge::math::{Pose, Vec3};
use impinge::mesh::Mesh;

/// The length of the body's bars.
const BAR_LENGTH: f64 = 1.0;

/// The width of the body's bars.
const BAR_WIDTH: f64 = 0.1;

/// The radius of the ball around an obstacle.
const OBSTACLE_RADIUS: f64 = 0.03;

/// Minimum and maximum distance of an obstacle's ball from the body at the step where the obstacle
/// is placed.
const GAP_RANGE: [f64; 2] = [0.002, 0.05];

/// A body, its flight, and the obstacles around it.
#[derive(Clone, Debug)]
pub struct SweptFlight {
    /// Three crossed bars of length 1, [`axis_body`]: 36 triangles.
    pub body: Mesh,
    /// The poses of the body in the frame of the obstacles, one per step.
    pub poses: Vec<Pose>,
    /// The obstacles. At every pose their distance from the body is at least a thousandth of its
    /// length, up to rounding.
    pub obstacles: Mesh,
}

/// A seeded flight of `steps` poses, and `tetrahedra` obstacles close to the volume swept:
/// `4 * tetrahedra` triangles.
///
/// The flight is smooth in rotation and translation. The obstacles may overlap each other. The time
/// is proportional to `steps * tetrahedra`.
///
/// # Errors
/// `BadParameter` unless there is at least 1 step and 1 tetrahedron, or if no position for an
/// obstacle is found within a thousand tries, which can happen for flights of very many steps.
pub fn swept_flight(steps: usize, tetrahedra: usize, seed: u64) -> Result<SweptFlight, Error> {
    count("the number of steps", steps, 1)?;
    count("the number of tetrahedra", tetrahedra, 1)?;
    total("field of obstacles", &[4, tetrahedra])?;
    let mut random = Random::new(seed);
    let flight = random_flight(&mut random, steps);
    let mut surface = Surface::new();
    for n in 0..tetrahedra {
        let Some(middle) = (0..1000).find_map(|_| place(&mut random, &flight)) else {
            return Err(bad(format!(
                "no position was found for obstacle {n} of {tetrahedra} beside the flight of {steps} steps: use fewer steps"
            )));
        };
        add_tetrahedron(&mut surface, &mut random, middle, OBSTACLE_RADIUS);
    }
    let poses = flight
        .iter()
        .map(|(turn, at)| Pose::from_quaternion(turn.to_array(), *at))
        .collect::<Result<_, _>>()?;
    Ok(SweptFlight { body: axis_body(BAR_LENGTH, BAR_WIDTH)?, poses, obstacles: surface.finish()? })
}

/// A sequence of orientations and positions. Velocity and angular velocity change slightly at every
/// step.
fn random_flight(random: &mut Random, steps: usize) -> Vec<(DQuat, Vec3)> {
    let mut flight = Vec::with_capacity(steps);
    let mut turn = random.rotation();
    let mut at = Vec3::ZERO;
    let mut velocity = random.direction() * 0.02;
    let mut spin = random.direction() * 0.01;
    for _ in 0..steps {
        flight.push((turn, at));
        velocity = (velocity + random.in_cube() * 0.002).normalize() * 0.02;
        spin = (spin + random.in_cube() * 0.002).clamp_length_max(0.02);
        at += velocity;
        turn = (DQuat::from_scaled_axis(spin) * turn).normalize();
    }
    flight
}

/// A position for an obstacle's ball beside the body at a random step that is free of the body at
/// every step.
fn place(random: &mut Random, flight: &[(DQuat, Vec3)]) -> Option<Vec3> {
    let (turn, at) = flight[random.index(flight.len())];
    // A point on a random bar, and a displacement away from the bar.
    let (axis, half) = (random.index(3), 0.5 * BAR_WIDTH);
    let mut foot = random.in_cube() * half;
    foot[axis] *= BAR_LENGTH / BAR_WIDTH;
    let mut away = random.direction();
    away[axis] *= 0.2;
    let away = away.normalize();
    let reach = half * std::f64::consts::SQRT_2
        + OBSTACLE_RADIUS
        + random.range(GAP_RANGE[0], GAP_RANGE[1]);
    let middle = at + turn * (foot + away * reach);
    flight
        .iter()
        .all(|(turn, at)| {
            distance(turn.inverse() * (middle - *at)) > OBSTACLE_RADIUS + GAP_RANGE[0]
        })
        .then_some(middle)
}

/// The distance of a point from the body, in the body's frame.
fn distance(p: Vec3) -> f64 {
    let p = p.abs();
    (0..3)
        .map(|axis| {
            let mut half = Vec3::splat(0.5 * BAR_WIDTH);
            half[axis] = 0.5 * BAR_LENGTH;
            (p - half).max(Vec3::ZERO).length()
        })
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::shapes::testing::*;

    #[test]
    fn obstacles_are_near_the_flight_and_never_hit() {
        let flight = swept_flight(100, 500, 3).unwrap();
        assert_eq!((flight.body.triangles().len(), flight.obstacles.triangles().len()), (36, 2000));
        assert_eq!(assert_closed(&flight.obstacles), 500);
        for corners in flight.obstacles.vertices().chunks(4) {
            let mut least = f64::INFINITY;
            for pose in &flight.poses {
                let back = pose.inverse();
                for c in corners {
                    least = least.min(distance(back.transform_point(*c)));
                }
            }
            assert!(least > 1e-3 && least < 0.2, "{least}");
        }
    }

    #[test]
    fn the_seed_determines_the_flight() {
        let [a, b] = [1, 1].map(|seed| swept_flight(50, 20, seed).unwrap());
        assert_same_bits(&a.obstacles, &b.obstacles);
        assert_eq!(a.poses, b.poses);
        assert_ne!(a.poses, swept_flight(50, 20, 2).unwrap().poses);
        assert!(swept_flight(0, 20, 2).is_err() && swept_flight(50, 0, 2).is_err());
        assert_eq!(distance(Vec3::new(0.5, 0.06, 0.0)), 0.06 - 0.05);
    }
}
