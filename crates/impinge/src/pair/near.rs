//! Pairs of triangles that are close to each other, meeting ones included.

use std::ops::ControlFlow;

use crate::math::Pose;
use crate::mesh::Mesh;
use crate::tree::{
    self, Effort, MAX_TRIANGLES_FOR_SWEEP, MAX_TRIANGLES_WITHOUT_TREE, SearchLimits,
};

use super::{NearPair, NearSink, Posed, near_blocks};

/// Sends every pair of triangles whose certified lower bound does not exceed the sink's bound to
/// `sink`, by the fastest method: the meshes' [trees](crate::tree), which are built on first use,
/// or blocks of triangles where a mesh is small or the sizes differ too much.
///
/// Whether a pair is reported follows from
/// [`closest::triangle_triangle`](crate::closest::triangle_triangle) of its `f64` triangles alone.
/// While the sink lowers its bound, it depends on the order, too, whether a pair above the final
/// bound is; one at or below it always is.
pub fn near(a: &Mesh, b: &Mesh, pose: &Pose, sink: &mut dyn NearSink) {
    if near_far(a, b, pose, sink, SearchLimits { slack: FAR_SLACK, max_triangle_pairs: usize::MAX })
        .is_some()
    {
        return;
    }
    let worth_a_tree = a.triangles().len().min(b.triangles().len()) > MAX_TRIANGLES_WITHOUT_TREE;
    if !(worth_a_tree && tree::near((a, a.tree()), (b, b.tree()), pose, sink)) {
        near_blocks::traverse(&Posed::new(a, &Pose::IDENTITY), &Posed::new(b, pose), sink);
    }
}

/// Pairs of meshes far apart that are further from each other than the bound by more than this
/// share of the separation are skipped: several times what the bounds of
/// [`closest`](crate::closest) are apart there (2^-44), so that those alone decide whether a pair
/// is reported.
pub(super) const FAR_SLACK: f64 = 1.0 / (1_u64 << 40) as f64;

/// [`near`] for meshes that are far apart, compared with their sizes; `None`, having done nothing,
/// for others.
pub(super) fn near_far(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    sink: &mut dyn NearSink,
    limits: SearchLimits,
) -> Option<Effort> {
    let large = a.triangles().len().max(b.triangles().len()) > MAX_TRIANGLES_FOR_SWEEP;
    if large && tree::are_far(a, b, pose) { tree::near_far(a, b, pose, sink, limits) } else { None }
}

/// Every pair of triangles that is at most `epsilon` apart, with closest points and bounds of its
/// distance, sorted by triangle of `a`, then of `b`.
///
/// A pair is reported if and only if its certified lower bound is at most `epsilon`: so all that
/// are at most `epsilon` apart are, and none that is further away by more than the rounding of
/// [`closest`](crate::closest), some 1e-14 of the triangles' size. Bounds of zero mean that the
/// triangles meet, which is decided exactly. With an `epsilon` of zero these are the pairs that
/// meet and those too close for `f64` to tell; with infinity, all pairs; with a negative number or
/// NaN, none.
///
/// ```
/// use impinge::{Pose, pair, shapes};
///
/// let cube = shapes::cuboid([1.0, 1.0, 1.0])?;
/// let above = Pose::from_translation([0.0, 0.0, 1.125])?;
/// for near in pair::within(&cube, &cube, &above, 0.25) {
///     assert!(near.closest.lower <= 0.125 && 0.125 <= near.closest.upper);
/// }
/// # assert_eq!(pair::within(&cube, &cube, &above, 0.1).len(), 0);
/// # assert!(pair::within(&cube, &cube, &above, 0.25).len() >= 4);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn within(a: &Mesh, b: &Mesh, pose: &Pose, epsilon: f64) -> Vec<NearPair> {
    let mut within = Within { epsilon, pairs: Vec::new() };
    near(a, b, pose, &mut within);
    within.pairs.sort_unstable_by_key(|p| (p.a, p.b));
    within.pairs
}

/// Keeps every pair up to a fixed distance.
struct Within {
    epsilon: f64,
    pairs: Vec<NearPair>,
}

impl NearSink for Within {
    fn bound(&self) -> f64 {
        self.epsilon
    }

    fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
        self.pairs.push(*pair);
        ControlFlow::Continue(())
    }
}
