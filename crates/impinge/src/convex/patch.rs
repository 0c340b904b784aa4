//! One triangle at a time as a hull.
//!
//! Whoever compares a body with many triangles of a mesh would spend more time on making hulls of
//! them than on queries. A patch is made once and takes the corners of one triangle after the
//! other, without touching the heap.

use super::Hull;
use super::hull::Topology;
use crate::math::{Aabb, Vec3};

/// A triangle as a body of queries: the hull of its three corners.
///
/// Where the corners lie on one line or coincide, the hull is still that of three vertices, which
/// queries, unlike [`Hull::validate`], do not mind.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    hull: Hull,
}

impl Default for Patch {
    fn default() -> Self {
        let topology = Topology {
            face_starts: vec![0, 3, 6],
            face_vertices: vec![0, 1, 2, 2, 1, 0],
            neighbor_starts: vec![0, 2, 4, 6],
            neighbors: vec![1, 2, 2, 0, 0, 1],
        };
        Self { hull: Hull::of_parts(2, vec![Vec3::ZERO; 3], topology) }
    }
}

impl Patch {
    /// The hull of a triangle.
    pub(crate) fn of(&mut self, corners: [Vec3; 3]) -> &Hull {
        self.hull.vertices.copy_from_slice(&corners);
        self.hull.bounds = Aabb::from_points(corners);
        match self.hull.furthest_mut() {
            Some(furthest) => furthest.refill(&corners),
            None => self.hull.prepare(),
        }
        &self.hull
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::{distance, intersects};
    use crate::math::{Pose, Random};

    #[test]
    fn a_patch_answers_as_a_hull_does() {
        let mut random = Random::new(71);
        let mut patch = Patch::default();
        let points: Vec<Vec3> = (0..30).map(|_| random.direction()).collect();
        let body = Hull::new(&points).unwrap();
        let mut meeting = 0;
        for round in 0..400 {
            let size = 10_f64.powi(round % 7 - 3);
            let at = random.in_cube() * 0.9;
            let mut corners = [0; 3].map(|_| at + random.in_cube() * size);
            match round % 9 {
                0 => corners[2] = corners[1],
                1 => corners = [corners[0]; 3],
                2 => corners[2] = (corners[0] + corners[1]) * 0.5,
                _ => {}
            }
            let alone = Hull::new(&corners).unwrap();
            let pose = Pose::IDENTITY;
            let there = patch.of(corners);
            let decision = intersects(&body, there, &pose);
            assert!(decision.verify(body.vertices(), &corners), "{corners:?}");
            assert_eq!(
                decision.is_intersecting(),
                intersects(&body, &alone, &pose).is_intersecting()
            );
            meeting += usize::from(decision.is_intersecting());
            let (p, q) = (distance(&body, there, &pose), distance(&body, &alone, &pose));
            assert!(p.lower <= q.upper && q.lower <= p.upper, "{p:?} {q:?}");
            let other = distance(patch.of(corners), &body, &pose);
            assert!(p.lower <= other.upper && other.lower <= p.upper);
        }
        assert!((50..350).contains(&meeting), "{meeting}");
    }
}
