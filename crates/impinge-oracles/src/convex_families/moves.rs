//! Further poses for the bodies of a pair. The result at one pose determines a difficult next pose.

use glam::DVec3 as Vec3;
use impinge::Pose;

use super::Pair;
use super::bodies::direction;
use super::placements::{furthest, pose, signed_gap};
use crate::common::Random;

/// The position of B relative to A at a pose.
#[derive(Clone, Copy, Debug)]
pub struct RelativePosition {
    /// The direction from A to B, or out of A, of about unit length.
    pub along: Vec3,
    /// The signed distance: the distance, or minus the penetration depth.
    pub signed_distance: f64,
}

impl Pair {
    /// The pose number `step`, counted from one. `position` is the position of B at the pose
    /// before. Returns the last pose again if numbers would become too large.
    pub fn next_pose(&self, step: u64, position: &RelativePosition) -> Pose {
        let mut random = Random::new(self.seed.wrapping_mul(0x9e6c_63d0_985b_9b6d) ^ (step << 56));
        let last = self.pose.translation();
        let along = position.along.try_normalize().unwrap_or_else(|| direction(&mut random));
        let signed_distance =
            if position.signed_distance.is_finite() { position.signed_distance } else { 0.0 };
        let size = extent(&self.a).min(extent(&self.b)).max(f64::MIN_POSITIVE);
        let translation = match step % 8 {
            // Touching up to rounding, and coordinates changed by one ulp.
            2 => last - along * signed_distance,
            3 => last.map(|x| neighbor(x, random.below(3))),
            // A sideways translation that does not change the distance, on a grid and off it.
            4 => {
                let aside =
                    random.grid_point(2) / 8.0 + random.point() * [0.0, 0.25][random.below(2)];
                last + (aside - aside.dot(along) * along) * size
            }
            // Another rotation, vertex to vertex; not for aligned bodies.
            6 if self.pose.rotation() != glam::DMat3::IDENTITY => {
                let rotation = [0; 4].map(|_| random.signed() + 1e-3);
                let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
                let rotation = rotation.map(|x| x / length);
                let turn = pose(rotation, Vec3::ZERO);
                let turned: Vec<_> = self.b.iter().map(|p| turn.transform_point(*p)).collect();
                let way = direction(&mut random);
                let touch = furthest(&self.a, way) - furthest(&turned, -way);
                let place = touch + way * (signed_gap(&mut random) * size);
                return Pose::from_quaternion(rotation, place).unwrap_or(self.pose);
            }
            // A random gap or overlap along the direction.
            _ => last + along * (signed_gap(&mut random) * size - signed_distance),
        };
        moved(&self.pose, translation).unwrap_or(self.pose)
    }
}

/// The pose with another translation; `None` if that is out of range.
fn moved(pose: &Pose, translation: Vec3) -> Option<Pose> {
    let mut rows = pose.to_matrix();
    for (row, x) in rows.iter_mut().zip(translation.to_array()) {
        row[3] = x;
    }
    Pose::from_matrix(rows).ok()
}

/// The number one ulp further from zero, the same number, or the number one ulp nearer to zero.
fn neighbor(x: f64, way: usize) -> f64 {
    let nearer = x.to_bits().saturating_sub(u64::from(x != 0.0));
    f64::from_bits([x.to_bits() + 1, x.to_bits(), nearer][way])
}

/// The longest side of the box around the points.
fn extent(points: &[Vec3]) -> f64 {
    let (low, high) =
        points.iter().fold((points[0], points[0]), |(l, h), p| (l.min(*p), h.max(*p)));
    (high - low).max_element()
}
