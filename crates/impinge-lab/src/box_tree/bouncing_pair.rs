//! Two objects that bounce off each other in a cage.

use anyhow::Result;
use impinge::{Mesh, Pose, Vec3, first_hit};

use impinge::internals::Random;

/// The maximum velocity along each axis, in radii per frame.
const MAX_VELOCITY: f64 = 0.02;
/// The maximum rotation, in radians per frame.
const MAX_SPIN: f64 = 0.05;

struct Body {
    position: Vec3,
    axis: Vec3,
    angle: f64,
    velocity: Vec3,
    spin: f64,
}

impl Body {
    fn pose(&self) -> Result<Pose> {
        let turn = Pose::from_axis_angle(self.axis, self.angle)?;
        Ok(Pose::from_translation(self.position)?.compose(&turn)?)
    }

    fn set_random_velocity(&mut self, random: &mut Random) {
        self.velocity = random.in_cube() * MAX_VELOCITY;
        self.spin = random.signed() * MAX_SPIN;
    }
}

/// The poses of the second object in the first one's frame, over `frames` frames. The cage is
/// `cage_scale` times as wide as both objects together. Objects that intersect in a frame return to
/// the positions of the last frame and get new random velocities.
pub(crate) fn bouncing_pair(
    mesh: &Mesh,
    frames: usize,
    cage_scale: f64,
    seed: u64,
) -> Result<Vec<Pose>> {
    let mut random = Random::new(seed);
    let radius = 0.5 * mesh.bounds().extent().max_element();
    let limit = Vec3::splat((2.0 * cage_scale - 1.0) * radius);
    let mut bodies = [-1.0, 1.0].map(|side| Body {
        position: Vec3::splat(side * limit.x),
        axis: random.in_cube() + Vec3::splat(1e-3),
        angle: 0.0,
        velocity: Vec3::ZERO,
        spin: 0.0,
    });
    for body in &mut bodies {
        body.set_random_velocity(&mut random);
        // The objects start towards each other.
        body.velocity = -body.velocity.abs() * body.position.signum();
    }
    let mut poses = Vec::with_capacity(frames);
    while poses.len() < frames {
        let before = [0, 1].map(|i| (bodies[i].position, bodies[i].angle));
        for body in &mut bodies {
            body.position += body.velocity * radius;
            body.angle += body.spin;
            for k in 0..3 {
                if body.position[k].abs() > limit[k] {
                    body.velocity[k] = -body.position[k].signum() * body.velocity[k].abs();
                }
            }
        }
        let pose = Pose::relative(&bodies[0].pose()?, &bodies[1].pose()?);
        poses.push(pose);
        if first_hit(mesh, mesh, &pose).is_some() {
            for (body, (position, angle)) in bodies.iter_mut().zip(before) {
                (body.position, body.angle) = (position, angle);
                body.set_random_velocity(&mut random);
            }
        }
    }
    Ok(poses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::shapes;

    #[test]
    fn objects_collide_but_separate_again() {
        let ball = shapes::icosphere(1.0, 3).unwrap();
        let poses = bouncing_pair(&ball, 5000, 1.0, 1).unwrap();
        let hits = poses.iter().filter(|p| first_hit(&ball, &ball, p).is_some()).count();
        assert!((10..2500).contains(&hits), "{hits} of {}", poses.len());
    }
}
