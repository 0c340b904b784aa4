//! The room of a level: how large balls may be whose reach is at most `h`.
//!
//! A ball reaches at most `h` beyond the surface if it has no point of the surface at distance `h`
//! in its inside. That surface is represented by points, so radii are slightly too large; the
//! reach of the finished balls is bounded by other means.

use super::point_tree::PointTree;
use super::samples::Samples;
use crate::math::Vec3;

/// Shrinking ends when the ball loses less than this share of its radius.
const SHRUNK: f64 = 1e-3;

/// The largest number of steps of shrinking.
const MAX_STEPS: usize = 40;

/// The points at distance `h`.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) h: f64,
    points: Vec<Vec3>,
    directions: Vec<Vec3>,
    tree: PointTree,
}

impl Room {
    pub(super) fn new(samples: &Samples, h: f64) -> Self {
        let (points, directions) = samples.at(h);
        let tree = PointTree::new(&points);
        Self { h, points, directions, tree }
    }

    /// The largest radius at a centre, and the point that limits it.
    pub(super) fn radius(&self, c: Vec3) -> (f64, Vec3) {
        let (place, square) = self.tree.nearest(c);
        (square.sqrt(), self.points.get(place as usize).copied().unwrap_or(c))
    }

    /// Centres of about `count` balls that touch the surface at distance `h` in at least two
    /// points: Ma et al. 2012, as in [`Samples`].
    pub(super) fn medial_centers(&self, count: usize) -> Vec<Vec3> {
        let n = self.points.len();
        let count = count.min(n);
        (0..count).map(|i| self.medial_center(i * n / count)).collect()
    }

    fn medial_center(&self, start: usize) -> Vec3 {
        let (p, inward) = (self.points[start], -self.directions[start]);
        let mut radius = 2.0;
        let mut center = p + inward * radius;
        for _ in 0..MAX_STEPS {
            let (free, q) = self.radius(center);
            if free >= radius * (1.0 - SHRUNK) {
                break;
            }
            let way = q - p;
            let along = way.dot(inward);
            let shrunk = way.length_squared() / (2.0 * along);
            if !(along > 0.0 && shrunk < radius) {
                break;
            }
            radius = shrunk;
            center = p + inward * radius;
        }
        center
    }
}
