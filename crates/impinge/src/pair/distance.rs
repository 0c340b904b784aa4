//! The distance of two meshes, with certain bounds.
//!
//! After a short search for a hit, a search for near pairs whose bound is the smallest distance so
//! far.

use std::ops::ControlFlow;

use crate::answer::Distance;
use crate::math::Pose;
use crate::mesh::Mesh;
use crate::tree::SearchLimits;

use super::{
    FAR_SLACK, Hit, NearPair, NearSink, Posed, first_hit, first_pair_if_quick, near, near_blocks,
    near_far, resolve,
};

/// The distance of the surfaces of `a` and `b`, with `b` at `pose` in `a`'s frame. `None` if one of
/// them has no triangles.
///
/// The distance of a solid inside another is the distance of their surfaces.
///
/// ```
/// use impinge::{Pose, shapes};
///
/// let cube = shapes::cuboid([1.0, 1.0, 1.0])?;
/// let away = Pose::from_translation([3.0, 0.0, 0.0])?;
/// let d = impinge::distance(&cube, &cube, &away).expect("both have triangles");
/// assert!(d.lower <= 2.0 && 2.0 <= d.upper && d.upper - d.lower < 1e-12);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn distance(a: &Mesh, b: &Mesh, pose: &Pose) -> Option<Distance> {
    // The short search for a hit takes a fraction of the time of a search for close pairs.
    if let Some((i, j)) = first_pair_if_quick(a, b, pose) {
        return resolve(a, b, pose, i, j).map(|hit| distance_of_hit(&hit));
    }
    let closest = ClosestPair::of(a, b, pose, f64::INFINITY);
    if closest.hit.is_none() {
        return closest.finish();
    }
    // The traversal may find any of the pairs that meet; the result is the one that other queries
    // report.
    first_hit(a, b, pose).map(|hit| distance_of_hit(&hit))
}

/// The distance of meshes that meet.
fn distance_of_hit(hit: &Hit) -> Distance {
    Distance::zero(hit.point).of_triangles(hit.triangle_a, hit.triangle_b)
}

/// The closest pair of triangles of two meshes that share no point. `None` if they are certainly
/// further apart than `limit`, or one is empty.
pub(crate) fn closest_pair(a: &Mesh, b: &Mesh, pose: &Pose, limit: f64) -> Option<Distance> {
    ClosestPair::of(a, b, pose, limit).finish()
}

/// The number of pairs of triangles of distant meshes that are compared to find the closest one
/// with the lowest indices. If there are more whose distances are equal up to rounding, the result
/// is any of them.
const MAX_TIED_PAIRS: usize = 256;

/// Keeps the closest pair. Ties go to the lowest indices, so that the result does not depend on the
/// order of the traversal.
#[derive(Debug)]
pub(super) struct ClosestPair {
    best: Option<NearPair>,
    /// The smallest lower bound of any pair seen.
    pub(super) lower: f64,
    /// Pairs with a larger distance are not needed.
    pub(super) bound: f64,
    /// Two triangles that meet; the other fields are then meaningless.
    pub(super) hit: Option<(u32, u32)>,
    /// Whether pairs that do not lower the lower bound are not needed, either: if meshes are far
    /// apart, very many pairs have the same upper bound up to rounding.
    only_lower_bounds: bool,
}

impl ClosestPair {
    pub(super) fn up_to(limit: f64) -> Self {
        Self { best: None, lower: f64::INFINITY, bound: limit, hit: None, only_lower_bounds: false }
    }

    /// The closest pair by the fastest method.
    fn of(a: &Mesh, b: &Mesh, pose: &Pose, limit: f64) -> Self {
        let mut closest = Self::up_to(limit);
        let limits = SearchLimits { slack: FAR_SLACK, max_triangle_pairs: MAX_TIED_PAIRS };
        match near_far(a, b, pose, &mut closest, limits) {
            Some(counts) if counts.reached_limit => {
                closest = Self { only_lower_bounds: true, ..Self::up_to(limit) };
                near_far(
                    a,
                    b,
                    pose,
                    &mut closest,
                    SearchLimits { slack: 0.0, max_triangle_pairs: usize::MAX },
                );
                return closest;
            }
            Some(_) => return closest,
            None => {}
        }
        near(a, b, pose, &mut closest);
        closest
    }

    /// The closest pair without the meshes' trees.
    pub(super) fn in_blocks(a: &Posed<'_>, b: &Posed<'_>) -> Option<Distance> {
        let mut closest = Self::up_to(f64::INFINITY);
        near_blocks::traverse(a, b, &mut closest);
        closest.finish()
    }

    pub(super) fn finish(&self) -> Option<Distance> {
        self.best
            .map(|NearPair { closest: d, .. }| Distance { lower: self.lower.min(d.upper), ..d })
    }
}

impl NearSink for ClosestPair {
    fn bound(&self) -> f64 {
        self.bound
    }

    fn announce_upper_bound(&mut self, upper: f64) {
        self.bound = self.bound.min(upper);
    }

    fn meet(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        self.hit = Some((a, b));
        ControlFlow::Break(())
    }

    fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
        let key = |pair: &NearPair| (pair.closest.upper, pair.triangle_a, pair.triangle_b);
        self.lower = self.lower.min(pair.closest.lower);
        if self.best.is_none_or(|best| key(pair) < key(&best)) {
            self.best = Some(*pair);
            self.bound = self.bound.min(pair.closest.upper);
        }
        if self.only_lower_bounds {
            self.bound = self.bound.min(self.lower);
        }
        ControlFlow::Continue(())
    }
}
