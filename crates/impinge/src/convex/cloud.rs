//! Points as a body of queries: their hull, without finding out which of them are its corners.
//!
//! Making a [`Hull`] takes as long as building the tree of a mesh. Where a few queries are all
//! there is to be asked, that does not pay: a cloud is made in one pass over the points, and a
//! query asks all of them, eight at a time, for the furthest in each of its few directions.
//! Verdicts and proofs are those of hulls.

use super::decide::Verdict;
use super::hull::Topology;
use super::query::Furthest;
use super::{Hull, intersects};
use crate::math::{Pose, Vec3};

/// The hull of points, for [`Cloud::meets`] only.
#[derive(Clone, Debug)]
pub(crate) struct Cloud {
    /// Of all points, corners or not, and without faces.
    hull: Hull,
}

impl Cloud {
    /// The hull of these points, of which there is at least one.
    pub(crate) fn new(points: Vec<Vec3>) -> Self {
        debug_assert!(!points.is_empty(), "a cloud of no points");
        let furthest = Furthest::whole(&points);
        let hull = Hull::of_parts(3, points, Topology::default());
        hull.ready_with(furthest);
        Self { hull }
    }

    /// Whether two hulls, `other` at `pose` in the frame of the first, share a point, with the
    /// proof. Exact. The proof speaks of the points as they were given.
    pub(crate) fn meets(&self, other: &Self, pose: &Pose) -> Verdict {
        intersects(&self.hull, &other.hull, pose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn clouds_decide_as_hulls_do() {
        let mut random = Random::new(51);
        let mut meeting = 0;
        for round in 0..200 {
            let count = [1, 2, 5, 40, 300][round % 5];
            let points = |random: &mut Random| -> Vec<Vec3> {
                (0..count).map(|_| random.in_cube()).collect()
            };
            let (p, q) = (points(&mut random), points(&mut random));
            let offset = random.direction() * random.range(0.0, 3.0);
            let pose = Pose::from_quaternion([0.2, 0.1, random.unit(), 0.5], offset).unwrap();
            let found = Cloud::new(p.clone()).meets(&Cloud::new(q.clone()), &pose);
            let (a, b) = (Hull::new(&p).unwrap(), Hull::new(&q).unwrap());
            assert_eq!(found.is_intersecting(), intersects(&a, &b, &pose).is_intersecting());
            let there: Vec<Vec3> = q.iter().map(|v| pose.transform_point(*v)).collect();
            assert!(found.verify(&p, &there));
            meeting += usize::from(found.is_intersecting());
        }
        assert!((40..160).contains(&meeting), "{meeting}");
    }
}
