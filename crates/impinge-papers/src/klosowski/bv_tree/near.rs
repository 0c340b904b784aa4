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

/// Upper bound of the difference between the two bounds of a distance, relative to the size of the
/// two triangles.
const RELATIVE_BOUND_WIDTH: f64 = 1e-12;

/// Larger distances are reduced to this one, which already includes every pair.
const MAX_EPSILON: f64 = 1e300;

impl<V: Volume, T: Tumble<V>> BvQuery<'_, V, T> {
    /// Calls `found` once for every pair of triangles that is not certainly further apart than
    /// `epsilon`, until it returns [`ControlFlow::Break`].
    ///
    /// A pair is reported if and only if the lower bound of [`closest::triangle_triangle`] is at
    /// most `epsilon`, for every tree. So no pair within `epsilon` is missed. With `epsilon` zero
    /// the query reports the pairs that intersect and those whose distance is below the rounding
    /// error. Negative numbers and NaN count as zero.
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

    /// As [`BvQuery::near`]. Counts the work in `counter`.
    pub fn near_counted<C: Counter>(
        &mut self,
        pose: &Pose,
        epsilon: f64,
        order: Order,
        found: &mut dyn FnMut(NearPair) -> ControlFlow<()>,
        counter: &mut C,
    ) {
        let epsilon = if epsilon > 0.0 { epsilon.min(MAX_EPSILON) } else { 0.0 };
        let span = |mesh: &Mesh| mesh.bounds().extent().max(impinge::Vec3::ZERO).element_sum();
        // For denormal numbers the bounds differ by a few ulps.
        let margin = epsilon
            + RELATIVE_BOUND_WIDTH * (span(self.a.mesh) + span(self.b.mesh) + epsilon)
            + f64::MIN_POSITIVE;
        if self.begin(pose, margin) {
            let _ = self.descend(order, counter, &mut |a, corners_a, b, corners_b| {
                let closest = closest::triangle_triangle(corners_a, corners_b);
                if closest.lower <= epsilon {
                    return found(NearPair::new(a, b, closest));
                }
                ControlFlow::Continue(())
            });
        }
    }
}
