//! The distance of two meshes, with bounds that hold.
//!
//! A search for near pairs whose bound is the best distance so far, after a short one for a hit.

use std::ops::ControlFlow;

use crate::answer::Distance;
use crate::math::Pose;
use crate::mesh::Mesh;
use crate::tree::SearchLimits;

use super::{
    FAR_SLACK, Hit, NearPair, NearSink, Posed, first_hit, first_pair_soon, near, near_blocks,
    near_far, resolve,
};

/// How far apart the surfaces of `a` and `b` are, with `b` at `pose` in `a`'s frame. `None` if one
/// of them has no triangles.
///
/// A solid inside another is as far away as its surface is.
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
    // A hit that is soon found takes a fraction of the time that a search for close pairs does.
    if let Some((i, j)) = first_pair_soon(a, b, pose) {
        return resolve(a, b, pose, i, j).map(|hit| zero(&hit));
    }
    let nearest = Nearest::of(a, b, pose, f64::INFINITY);
    if !nearest.met {
        return nearest.finish();
    }
    // Which of the pairs that meet was found is the traversal's affair, so the one that other
    // queries name is taken.
    first_hit(a, b, pose).map(|hit| zero(&hit))
}

/// That of meshes that meet.
fn zero(hit: &Hit) -> Distance {
    Distance::zero(hit.point).of_triangles(hit.a, hit.b)
}

/// The closest pair of triangles of two meshes that share no point. `None` if they are certainly
/// further apart than `limit`, or one is empty.
pub(crate) fn closest_pair(a: &Mesh, b: &Mesh, pose: &Pose, limit: f64) -> Option<Distance> {
    Nearest::of(a, b, pose, limit).finish()
}

/// So many pairs of triangles of meshes far apart are looked at to find the one of lowest indices
/// that is closest. If there are more that `f64` hardly tells apart, any of them will do.
const TIED: usize = 256;

/// Keeps the closest pair; ties go to the lowest indices, so that the order of the traversal does
/// not show.
pub(super) struct Nearest {
    best: Option<NearPair>,
    /// The smallest lower bound of any pair seen.
    lower: f64,
    /// Pairs further apart than this do not matter.
    bound: f64,
    /// Whether two triangles meet: then nothing else is known.
    met: bool,
    /// Whether pairs that do not lower the lower bound do not matter, either: where meshes are far
    /// apart, very many have the same upper bound to rounding.
    far: bool,
}

impl Nearest {
    fn up_to(limit: f64) -> Self {
        Self { best: None, lower: f64::INFINITY, bound: limit, met: false, far: false }
    }

    /// The closest pair by the fastest method.
    fn of(a: &Mesh, b: &Mesh, pose: &Pose, limit: f64) -> Self {
        let mut nearest = Self::up_to(limit);
        let limits = SearchLimits { slack: FAR_SLACK, max_triangle_pairs: TIED };
        match near_far(a, b, pose, &mut nearest, limits) {
            Some(effort) if effort.was_abandoned => {
                nearest = Self { far: true, ..Self::up_to(limit) };
                near_far(
                    a,
                    b,
                    pose,
                    &mut nearest,
                    SearchLimits { slack: 0.0, max_triangle_pairs: usize::MAX },
                );
                return nearest;
            }
            Some(_) => return nearest,
            None => {}
        }
        near(a, b, pose, &mut nearest);
        nearest
    }

    /// The closest pair without the meshes' trees.
    pub(super) fn in_blocks(a: &Posed<'_>, b: &Posed<'_>) -> Option<Distance> {
        let mut nearest = Self::up_to(f64::INFINITY);
        near_blocks::traverse(a, b, &mut nearest);
        nearest.finish()
    }

    fn finish(&self) -> Option<Distance> {
        self.best
            .map(|NearPair { closest: d, .. }| Distance { lower: self.lower.min(d.upper), ..d })
    }
}

impl NearSink for Nearest {
    fn bound(&self) -> f64 {
        self.bound
    }

    fn announce_upper_bound(&mut self, upper: f64) {
        self.bound = self.bound.min(upper);
    }

    fn meet(&mut self, _: u32, _: u32) -> ControlFlow<()> {
        self.met = true;
        ControlFlow::Break(())
    }

    fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
        let key = |pair: &NearPair| (pair.closest.upper, pair.a, pair.b);
        self.lower = self.lower.min(pair.closest.lower);
        if self.best.is_none_or(|best| key(pair) < key(&best)) {
            self.best = Some(*pair);
            self.bound = self.bound.min(pair.closest.upper);
        }
        if self.far {
            self.bound = self.bound.min(self.lower);
        }
        ControlFlow::Continue(())
    }
}
