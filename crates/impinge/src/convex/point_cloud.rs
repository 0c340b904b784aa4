//! Points as a body for intersection queries, without computing which of them are corners of their
//! hull.
//!
//! Building a [`Hull`] takes as long as building the tree of a mesh, which is too long for a few
//! queries. A point cloud is built in one pass over the points. A query compares all of them, eight
//! at a time, to find the furthest in each of its few directions. Verdicts and proofs are those of
//! hulls.

use super::decide::Verdict;
use super::hull::Topology;
use super::query::SupportTable;
use super::{Hull, intersects};
use crate::math::{Pose, Vec3};

/// The hull of points, for [`PointCloud::intersects`] only.
#[derive(Clone, Debug)]
pub(crate) struct PointCloud {
    /// With all points as vertices, corners or not, and without faces.
    hull: Hull,
}

impl PointCloud {
    /// The hull of at least one point.
    pub(crate) fn new(points: Vec<Vec3>) -> Self {
        debug_assert!(!points.is_empty(), "a point cloud needs at least one point");
        let table = SupportTable::without_cells(&points);
        let hull = Hull::from_parts(3, points, Topology::default());
        hull.set_support_table(table);
        Self { hull }
    }

    /// Whether two hulls, `other` at `pose` in the frame of `self`, share a point, with the proof.
    /// Exact. The proof refers to the points as given.
    pub(crate) fn intersects(&self, other: &Self, pose: &Pose) -> Verdict {
        intersects(&self.hull, &other.hull, pose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn verdicts_are_those_of_hulls() {
        let mut random = Random::new(51);
        let mut intersecting = 0;
        for round in 0..200 {
            let count = [1, 2, 5, 40, 300][round % 5];
            let points = |random: &mut Random| -> Vec<Vec3> {
                (0..count).map(|_| random.in_cube()).collect()
            };
            let (p, q) = (points(&mut random), points(&mut random));
            let offset = random.direction() * random.range(0.0, 3.0);
            let pose = Pose::from_quaternion([0.2, 0.1, random.unit(), 0.5], offset).unwrap();
            let found = PointCloud::new(p.clone()).intersects(&PointCloud::new(q.clone()), &pose);
            let (a, b) = (Hull::new(&p).unwrap(), Hull::new(&q).unwrap());
            assert_eq!(found.is_intersecting(), intersects(&a, &b, &pose).is_intersecting());
            let posed_q: Vec<Vec3> = q.iter().map(|v| pose.transform_point(*v)).collect();
            assert!(found.verify(&p, &posed_q));
            intersecting += usize::from(found.is_intersecting());
        }
        assert!((40..160).contains(&intersecting), "{intersecting}");
    }
}
