//! Whether two triangles meet, in two stages that are paid one by one.

use crate::budget::{Budget, Paid, Quantum};
use crate::exact::{triangles_intersect_exactly, triangles_intersect_quickly};
use crate::math::Vec3;

/// Units of an exact test that the first error bound leaves open. It takes up to a few
/// microseconds.
pub(crate) const UNITS_OF_EXACT_TEST: u64 = 16;

/// The state of the test of two triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StagedTest {
    /// Whether the first error bound left the pair open.
    is_open: bool,
    /// Units already paid for the next stage.
    paid: Paid,
}

impl StagedTest {
    pub(crate) const NEW: Self = Self { is_open: false, paid: Paid::NOTHING };

    /// Pays for the first stage, unless that was done; false if the budget is spent.
    #[inline(always)]
    #[must_use]
    pub(crate) fn afford(&mut self, units: u64, budget: &mut Budget<'_>) -> bool {
        self.is_open || self.paid.afford(units, Quantum::Triangles, budget)
    }

    /// Whether two triangles meet, after the first stage was paid; `None` if the budget is spent
    /// before the second one.
    #[inline(always)]
    pub(crate) fn decide(
        &mut self,
        a: &[Vec3; 3],
        b: &[Vec3; 3],
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        if !self.is_open {
            if let Some(meet) = triangles_intersect_quickly(a, b) {
                return Some(meet);
            }
        }
        self.is_open = !self.paid.afford(UNITS_OF_EXACT_TEST, Quantum::Exact, budget);
        if self.is_open { None } else { Some(triangles_intersect_exactly(a, b)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_stage_waits_for_its_units() {
        let triangle = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]].map(Vec3::from);
        for (other, meet) in [(triangle(0.0), true), (triangle(1.0), false)] {
            // Coplanar triangles need the second stage; those further apart do not.
            let units = if meet { 1 + UNITS_OF_EXACT_TEST } else { 1 };
            let (mut test, mut spent, mut decided) = (StagedTest::NEW, 0, None);
            while decided.is_none() {
                let mut budget = Budget::steps(1);
                if test.afford(1, &mut budget) {
                    decided = test.decide(&triangle(0.0), &other, &mut budget);
                }
                spent += budget.spent();
            }
            assert_eq!((decided, spent), (Some(meet), units));
        }
    }
}
