//! Pairs of triangles that are close to each other, including those that meet.

use std::ops::ControlFlow;

use crate::math::Pose;
use crate::mesh::Mesh;
use crate::order::sort_numbers_by;
use crate::tree::{
    self, MAX_TRIANGLES_FOR_SWEEP, MAX_TRIANGLES_WITHOUT_TREE, SearchCounts, SearchLimits,
};

use super::{NearPair, NearSink, Posed, near_blocks};

/// Sends every pair of triangles whose certified lower bound does not exceed the sink's bound to
/// `sink`, by the fastest method: the meshes' [trees](crate::tree), which are built on first use,
/// or blocks of triangles where a mesh is small or the sizes differ too much.
///
/// Whether a pair is reported follows from
/// [`closest::triangle_triangle`](crate::closest::triangle_triangle) of its `f64` triangles alone.
/// If the sink lowers its bound, pairs above the final bound may be reported, depending on the
/// order of the traversal; every pair at or below the final bound is.
pub fn near(a: &Mesh, b: &Mesh, pose: &Pose, sink: &mut dyn NearSink) {
    if near_far(a, b, pose, sink, SearchLimits { slack: FAR_SLACK, max_triangle_pairs: usize::MAX })
        .is_some()
    {
        return;
    }
    let large_enough_for_trees =
        a.triangles().len().min(b.triangles().len()) > MAX_TRIANGLES_WITHOUT_TREE;
    if !(large_enough_for_trees && tree::near((a, a.tree()), (b, b.tree()), pose, sink)) {
        near_blocks::traverse(&Posed::new(a, &Pose::IDENTITY), &Posed::new(b, pose), sink);
    }
}

/// For distant meshes, pairs whose distance exceeds the bound by more than this fraction of the
/// separation are skipped. It is several times the gap between the bounds of
/// [`closest`](crate::closest) there (2^-44), so that those alone decide whether a pair is
/// reported.
pub(super) const FAR_SLACK: f64 = 1.0 / (1_u64 << 40) as f64;

/// [`near`] for meshes whose distance is large compared with their sizes; `None`, and no pair is
/// reported, for others.
pub(super) fn near_far(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    sink: &mut dyn NearSink,
    limits: SearchLimits,
) -> Option<SearchCounts> {
    let large = a.triangles().len().max(b.triangles().len()) > MAX_TRIANGLES_FOR_SWEEP;
    if large && tree::are_far(a, b, pose) { tree::near_far(a, b, pose, sink, limits) } else { None }
}

/// Every pair of triangles that is at most `epsilon` apart, with closest points and bounds of its
/// distance, sorted by triangle of `a`, then of `b`.
///
/// A pair is reported if and only if its certified lower bound is at most `epsilon`: every pair
/// with a distance of at most `epsilon`, and no pair whose distance exceeds it by more than the
/// rounding of [`closest`](crate::closest), about 1e-14 of the triangles' size. Bounds of zero mean
/// that the triangles meet, which is decided exactly. With an `epsilon` of zero these are the pairs
/// that meet and those whose distance `f64` cannot distinguish from zero; with infinity, all pairs;
/// with a negative number or NaN, none.
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
    let mut sink = CollectWithin { epsilon, pairs: Vec::new() };
    near(a, b, pose, &mut sink);
    sort_numbers_by(&mut sink.pairs, &|p, q| {
        (p.triangle_a, p.triangle_b).cmp(&(q.triangle_a, q.triangle_b))
    });
    sink.pairs
}

/// Stores every pair up to a fixed distance.
struct CollectWithin {
    epsilon: f64,
    pairs: Vec<NearPair>,
}

impl NearSink for CollectWithin {
    fn bound(&self) -> f64 {
        self.epsilon
    }

    fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
        self.pairs.push(*pair);
        ControlFlow::Continue(())
    }
}
