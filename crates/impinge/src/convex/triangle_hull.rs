//! A hull of one triangle that can be replaced by another.
//!
//! Comparing a body with many triangles of a mesh would take longer for building their hulls than
//! for the queries. A [`TriangleHull`] is built once; its corners are replaced without allocating.

use std::sync::Arc;

use super::Hull;
use super::hull::Topology;
use crate::math::{Aabb, Vec3};

/// A triangle as a body for queries: the hull of its three corners.
///
/// If the corners are collinear or coincide, the hull still has three vertices. Queries accept
/// that; [`Hull::validate`] does not.
#[derive(Clone, Debug)]
pub(crate) struct TriangleHull {
    hull: Hull,
}

impl Default for TriangleHull {
    fn default() -> Self {
        let topology = Topology {
            face_starts: vec![0, 3, 6],
            face_vertices: vec![0, 1, 2, 2, 1, 0],
            neighbor_starts: vec![0, 2, 4, 6],
            neighbors: vec![1, 2, 2, 0, 0, 1],
        };
        Self { hull: Hull::from_parts(2, vec![Vec3::ZERO; 3], topology) }
    }
}

impl TriangleHull {
    /// The hull with the current corners.
    pub(crate) fn hull(&self) -> &Hull {
        &self.hull
    }

    /// Sets the corners; returns the hull of the triangle.
    pub(crate) fn set(&mut self, corners: [Vec3; 3]) -> &Hull {
        match Arc::get_mut(&mut self.hull.vertices) {
            Some(vertices) => vertices.copy_from_slice(&corners),
            // A query that was stopped still uses them.
            None => self.hull.vertices = Arc::new(corners),
        }
        self.hull.bounds = Aabb::from_points(corners);
        match self.hull.support_table_mut() {
            Some(table) => table.refill(&corners),
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
    fn answers_are_those_of_a_new_hull() {
        let mut random = Random::new(71);
        let mut triangle = TriangleHull::default();
        let points: Vec<Vec3> = (0..30).map(|_| random.direction()).collect();
        let body = Hull::new(&points).unwrap();
        let mut intersecting = 0;
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
            let new_hull = Hull::new(&corners).unwrap();
            let pose = Pose::IDENTITY;
            let reused = triangle.set(corners);
            let decision = intersects(&body, reused, &pose);
            assert!(decision.verify(body.vertices(), &corners), "{corners:?}");
            assert_eq!(
                decision.is_intersecting(),
                intersects(&body, &new_hull, &pose).is_intersecting()
            );
            intersecting += usize::from(decision.is_intersecting());
            let (p, q) = (distance(&body, reused, &pose), distance(&body, &new_hull, &pose));
            assert!(p.lower <= q.upper && q.lower <= p.upper, "{p:?} {q:?}");
            let other = distance(triangle.set(corners), &body, &pose);
            assert!(p.lower <= other.upper && other.lower <= p.upper);
        }
        assert!((50..350).contains(&intersecting), "{intersecting}");
    }
}
