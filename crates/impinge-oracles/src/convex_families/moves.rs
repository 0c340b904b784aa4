//! Further poses for the bodies of a pair: what was found at one pose says where the next one is
//! hard.

use glam::DVec3 as Vec3;
use impinge::Pose;

use super::Pair;
use super::bodies::direction;
use super::placements::{furthest, pose, signed_gap};
use crate::common::Random;

/// How B stands to A at a pose.
#[derive(Clone, Copy, Debug)]
pub struct Stand {
    /// The way from A to B, or out of A, of about unit length.
    pub along: Vec3,
    /// How far apart they are, minus how deep they overlap.
    pub apart: f64,
}

impl Pair {
    /// The pose number `step`, counted from one, after one at which B stands as `stand` says. The
    /// last pose comes again where numbers would become too large.
    pub fn next_pose(&self, step: u64, stand: &Stand) -> Pose {
        let mut random = Random(self.seed.wrapping_mul(0x9e6c_63d0_985b_9b6d) ^ (step << 56));
        let last = self.pose.translation();
        let along = stand.along.try_normalize().unwrap_or_else(|| direction(&mut random));
        let apart = if stand.apart.is_finite() { stand.apart } else { 0.0 };
        let size = extent(&self.a).min(extent(&self.b)).max(f64::MIN_POSITIVE);
        let translation = match step % 8 {
            // Touching to rounding, and one unit in the last place beside that.
            2 => last - along * apart,
            3 => last.map(|x| beside(x, random.below(3))),
            // Aside without a change of the distance, on a grid and off it.
            4 => {
                let aside =
                    random.grid_point(2) / 8.0 + random.point() * [0.0, 0.25][random.below(2)];
                last + (aside - aside.dot(along) * along) * size
            }
            // Another rotation, vertex to vertex; not for those that stand aligned.
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
            // A chosen gap or overlap along the way.
            _ => last + along * (signed_gap(&mut random) * size - apart),
        };
        moved(&self.pose, translation).unwrap_or(self.pose)
    }
}

/// The pose at another place; `None` where that is too far.
fn moved(pose: &Pose, translation: Vec3) -> Option<Pose> {
    let mut rows = pose.to_matrix();
    for (row, x) in rows.iter_mut().zip(translation.to_array()) {
        row[3] = x;
    }
    Pose::from_matrix(rows).ok()
}

/// The number one unit in the last place further from zero, the same one, or one nearer.
fn beside(x: f64, way: usize) -> f64 {
    let nearer = x.to_bits().saturating_sub(u64::from(x != 0.0));
    f64::from_bits([x.to_bits() + 1, x.to_bits(), nearer][way])
}

/// The longest side of the box around the points.
fn extent(points: &[Vec3]) -> f64 {
    let (low, high) =
        points.iter().fold((points[0], points[0]), |(l, h), p| (l.min(*p), h.max(*p)));
    (high - low).max_element()
}
