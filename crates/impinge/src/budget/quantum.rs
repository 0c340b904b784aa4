//! What units of work are spent on, and units that are paid in parts.

use super::Budget;

/// A kind of work, for measurements of how long single units take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantum {
    /// Two nodes, or a node and a leaf, are opened.
    Open,
    /// Two leaves are compared in `f32`.
    Leaves,
    /// Eight pairs of triangles are measured in `f32`.
    Measure,
    /// Two triangles are compared or measured in `f64`.
    Triangles,
    /// Two triangles are compared exactly, or this is paid for.
    Exact,
    /// Candidates are sorted, or this is paid for.
    Sort,
    /// Everything else.
    Other,
}

/// Units that are already paid for the next piece of work. They are kept for the next part of the
/// query, so that a query in parts takes as many units as one without interruption.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Paid(u64);

impl Paid {
    pub(crate) const NOTHING: Self = Self(0);

    /// Pays for work of `cost` units; false if the budget is spent.
    #[inline(always)]
    #[must_use]
    pub(crate) fn afford(&mut self, cost: u64, quantum: Quantum, budget: &mut Budget<'_>) -> bool {
        if self.0 == 0 && cost <= budget.credit {
            budget.credit -= cost;
            return true;
        }
        self.afford_in_parts(cost, quantum, budget)
    }

    #[cold]
    #[inline(never)]
    fn afford_in_parts(&mut self, cost: u64, quantum: Quantum, budget: &mut Budget<'_>) -> bool {
        while self.0 < cost {
            if !budget.step_of(quantum) {
                return false;
            }
            self.0 += 1;
        }
        self.0 = 0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paid_units_are_kept() {
        let mut paid = Paid::NOTHING;
        let mut first = Budget::steps(5);
        assert!(paid.afford(2, Quantum::Other, &mut first));
        assert!(!paid.afford(10, Quantum::Other, &mut first));
        assert_eq!(first.spent(), 5);
        let mut second = Budget::steps(100);
        assert!(paid.afford(10, Quantum::Other, &mut second));
        assert_eq!(second.spent(), 7);
        assert!(paid.afford(93, Quantum::Other, &mut second));
        assert!(!paid.afford(1, Quantum::Other, &mut second));
    }

    #[test]
    fn an_observer_sees_what_every_unit_is_spent_on() {
        let mut seen = Vec::new();
        let mut observe = |quantum| {
            seen.push(quantum);
            seen.len() < 4
        };
        let mut budget = Budget::observed(&mut observe);
        assert!(budget.step() && budget.step_of(Quantum::Open));
        let mut paid = Paid::NOTHING;
        assert!(!paid.afford(3, Quantum::Exact, &mut budget));
        let exact = Quantum::Exact;
        assert_eq!(seen, [Quantum::Other, Quantum::Open, exact, exact]);
    }
}
