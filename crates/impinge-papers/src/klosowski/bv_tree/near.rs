//! Pairs of triangles within a distance: detect-and-report with the user's epsilon (Klosowski et
//! al. 1998, sections 1 and 5).

use std::ops::ControlFlow;

use super::counters::Counter;
use super::query::BvQuery;
use super::traverse::Order;
use super::tumble::Tumble;
use crate::klosowski::volume::Volume;
use impinge::closest;
use impinge::math::Pose;
use impinge::mesh::Mesh;
use impinge::pair::NearPair;

/// The bounds of a distance differ by less than this share of the triangles' coordinates'
/// differences.
const BOUNDS: f64 = 1e-12;

/// Larger distances hold every pair anyhow.
const FAR: f64 = 1e300;

impl<V: Volume, T: Tumble<V>> BvQuery<'_, V, T> {
    /// Hands every pair of triangles that is not certainly further apart than `epsilon` to `found`,
    /// each once, until it says stop.
    ///
    /// So no pair within `epsilon` is missed, and a pair is reported if and only if the lower bound
    /// of [`closest::triangle_triangle`] is not above it, whatever the tree; `epsilon` zero gives
    /// the pairs that meet, and those closer than rounding can tell. A negative number, and NaN,
    /// count as zero.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use impinge_papers::klosowski::bv_tree::{BuildOptions, BvQuery, BvTree, Order};
    /// use impinge_papers::klosowski::volume::Dop26;
    /// use impinge::{Pose, shapes};
    ///
    /// let cube = shapes::cuboid([1.0, 1.0, 1.0])?;
    /// let tree = BvTree::<Dop26>::build(&cube, &BuildOptions::environment());
    /// let mut query = BvQuery::new((&cube, &tree), (&cube, &tree))?;
    /// let beside = Pose::from_translation([1.25, 0.0, 0.0])?;
    /// let mut pairs = 0;
    /// query.near(&beside, 0.25, Order::Larger, &mut |pair| {
    ///     assert!(pair.closest.lower <= 0.25 && 0.25 <= pair.closest.upper);
    ///     pairs += 1;
    ///     ControlFlow::Continue(())
    /// });
    /// assert!(pairs > 0);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn near(
        &mut self,
        pose: &Pose,
        epsilon: f64,
        order: Order,
        found: &mut dyn FnMut(NearPair) -> ControlFlow<()>,
    ) {
        self.near_counted(pose, epsilon, order, found, &mut ());
    }

    /// As [`BvQuery::near`], telling `counter` what it does.
    pub fn near_counted<C: Counter>(
        &mut self,
        pose: &Pose,
        epsilon: f64,
        order: Order,
        found: &mut dyn FnMut(NearPair) -> ControlFlow<()>,
        counter: &mut C,
    ) {
        let epsilon = if epsilon > 0.0 { epsilon.min(FAR) } else { 0.0 };
        let span = |mesh: &Mesh| mesh.bounds().extent().max(impinge::Vec3::ZERO).element_sum();
        // Where numbers are denormal, the bounds differ by a few of their last places.
        let margin = epsilon
            + BOUNDS * (span(self.a.mesh) + span(self.b.mesh) + epsilon)
            + f64::MIN_POSITIVE;
        if self.begin(pose, margin) {
            let _ = self.descend(order, counter, &mut |a, here, b, there| {
                let closest = closest::triangle_triangle(here, there);
                if closest.lower <= epsilon {
                    return found(NearPair::new(a, b, closest));
                }
                ControlFlow::Continue(())
            });
        }
    }
}
