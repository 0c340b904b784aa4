//! Limits on the work of a query (Klosowski et al. 1998, section 5.2.3).

use std::fmt;
use std::time::{Duration, Instant};

/// The longest time between two readings of the clock that a query aims at, and half of it the
/// shortest. A reading takes 20 to 50 ns, about one percent of this.
const TIME_BETWEEN_READINGS: Duration = Duration::from_micros(4);

/// Units of work before the second reading of the clock, and the maximum between two readings. A
/// unit takes 20 to 200 ns, and up to a microsecond where nothing is in the cache: the number of
/// units between two readings follows from the time that the last ones took. It never influences
/// what a unit does, so that it has no effect on results with a limit of steps.
const FIRST_UNITS: u64 = 4;
const MAX_UNITS: u64 = 64;

/// Limits on the work of a query, which stops at the first limit that it reaches.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use impinge::pair::Budget;
///
/// let budget = Budget::steps(1000).and_deadline(Instant::now() + Duration::from_millis(1));
/// println!("{budget:?}");
/// ```
pub struct Budget<'a> {
    steps: u64,
    spent: u64,
    depth: u32,
    deadline: Option<Instant>,
    /// The clock is read when `spent` has reached this.
    next_reading: u64,
    /// The last reading, and the units until the next one.
    last_reading: Option<Instant>,
    units_per_reading: u64,
    keep_going: Option<&'a mut dyn FnMut() -> bool>,
    is_over: bool,
}

impl<'a> Budget<'a> {
    /// No limit: the answer is never [`Verdict::Undecided`](crate::Verdict::Undecided).
    #[must_use]
    pub fn unlimited() -> Self {
        Self {
            steps: u64::MAX,
            spent: 0,
            depth: u32::MAX,
            deadline: None,
            next_reading: 0,
            last_reading: None,
            units_per_reading: FIRST_UNITS,
            keep_going: None,
            is_over: false,
        }
    }

    /// A deadline this many microseconds from now.
    #[must_use]
    pub fn micros(micros: u64) -> Self {
        // A deadline beyond the range of the clock is no limit.
        let deadline = Instant::now().checked_add(Duration::from_micros(micros));
        Self { deadline, ..Self::unlimited() }
    }

    /// A limit on the number of steps. The outermost volumes are always compared. The result does
    /// not depend on the machine.
    ///
    /// `docs/notes/budgets.md` lists what a step is in each query. For two meshes it compares all
    /// boxes of two nodes, all triangles of two leaves in `f32`, or two triangles in `f64`; an
    /// exact test takes several. In the published trees of `impinge-papers` it compares two volumes
    /// or two triangles.
    #[must_use]
    pub fn steps(steps: u64) -> Self {
        Self { steps, ..Self::unlimited() }
    }

    /// A limit on the depth of the nodes that are visited, as the number of openings below the
    /// roots; a step that opens nodes of both trees counts once.
    #[must_use]
    pub fn depth(depth: u32) -> Self {
        Self { depth, ..Self::unlimited() }
    }

    /// A deadline. The clock is read every few steps, and the result is computed after the last
    /// one: the query returns some microseconds after the deadline.
    #[must_use]
    pub fn deadline(deadline: Instant) -> Self {
        Self::unlimited().and_deadline(deadline)
    }

    /// The query continues as long as `keep_going` returns true, which is called before every step.
    /// It may read a clock, or a flag that another thread sets.
    #[must_use]
    pub fn until(keep_going: &'a mut dyn FnMut() -> bool) -> Self {
        Self { keep_going: Some(keep_going), ..Self::unlimited() }
    }

    /// The same limits and a deadline.
    #[must_use]
    pub fn and_deadline(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), next_reading: 0, ..self }
    }

    /// Whether no limit is set.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        !self.is_reproducible() && self.deadline.is_none()
    }

    /// Whether the result must not depend on the machine: it does not depend on a clock anyway.
    pub(crate) fn is_reproducible(&self) -> bool {
        self.steps <= u64::MAX / 2 || self.depth < u32::MAX || self.keep_going.is_some()
    }

    /// Counts a step before it is taken; false if a limit is reached and the step must not be
    /// taken.
    #[inline]
    #[must_use]
    pub fn step(&mut self) -> bool {
        self.take(1)
    }

    /// Counts several units of work before they are done; false if a limit is reached and they must
    /// not be done. Once false, always false.
    ///
    /// Either all of `units` are counted or none, so that a query with a limit of steps stops at
    /// the same place on every machine.
    #[inline]
    #[must_use]
    pub fn take(&mut self, units: u64) -> bool {
        if units > self.steps || self.is_over {
            self.is_over = true;
            return false;
        }
        if self.spent >= self.next_reading && !self.may_continue() {
            return false;
        }
        self.steps -= units;
        self.spent += units;
        true
    }

    /// Reads the clock and calls `keep_going`.
    #[cold]
    #[inline(never)]
    fn may_continue(&mut self) -> bool {
        let in_time = self.deadline.is_none_or(|at| self.is_before(at));
        self.is_over = !in_time || self.keep_going.as_mut().is_some_and(|keep_going| !keep_going());
        self.next_reading = match (&self.deadline, &self.keep_going) {
            (None, None) => u64::MAX,
            (_, Some(_)) => self.spent + 1,
            (Some(_), None) => self.spent + self.units_per_reading,
        };
        !self.is_over
    }

    /// Reads the clock, and adapts the number of units until the next reading.
    fn is_before(&mut self, deadline: Instant) -> bool {
        let now = Instant::now();
        if let Some(last) = self.last_reading.replace(now) {
            let elapsed = now.saturating_duration_since(last);
            if elapsed > TIME_BETWEEN_READINGS {
                self.units_per_reading = (self.units_per_reading / 2).max(1);
            } else if elapsed < TIME_BETWEEN_READINGS / 2 {
                self.units_per_reading = (self.units_per_reading * 2).min(MAX_UNITS);
            }
        }
        now < deadline
    }

    /// The units of work counted so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Whether a limit was reached.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Nodes at this depth are not opened.
    #[inline]
    #[must_use]
    pub fn depth_limit(&self) -> u32 {
        self.depth
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("steps", &self.steps)
            .field("depth", &self.depth)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_counted_all_or_none() {
        let mut budget = Budget::steps(10);
        assert!(budget.take(4) && budget.take(6));
        assert!(!budget.step() && budget.is_over());
        assert_eq!(budget.spent(), 10);

        let mut budget = Budget::steps(10);
        assert!(budget.take(7) && !budget.take(4));
        assert!(!budget.step(), "a budget that is over stays over");
        assert_eq!(budget.spent(), 7);
    }

    #[test]
    fn a_deadline_that_has_passed_allows_nothing() {
        assert!(!Budget::deadline(Instant::now()).step());
        assert!(!Budget::micros(0).step());
        let mut passed = Budget::steps(5).and_deadline(Instant::now());
        assert!(!passed.step());
        assert!(Budget::micros(u64::MAX).step());
    }

    #[test]
    fn keep_going_is_called_before_every_step() {
        let mut left = 3;
        let mut keep_going = || {
            left -= 1;
            left >= 0
        };
        let mut budget = Budget::until(&mut keep_going);
        assert_eq!((0..10).filter(|_| budget.step()).count(), 3);
    }
}
