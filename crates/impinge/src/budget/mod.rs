//! Limits on the work of a query (Klosowski et al. 1998, section 5.2.3).

mod clock;
mod quantum;

use std::fmt;
use std::time::{Duration, Instant};

use clock::Clock;
pub(crate) use quantum::Paid;
pub use quantum::Quantum;

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
    /// Units that may be taken before the limits are looked at again.
    credit: u64,
    /// Units taken so far, and the credit.
    granted: u64,
    /// Limit on the units taken.
    steps: u64,
    depth: u32,
    clock: Option<Clock>,
    watch: Watch<'a>,
    is_over: bool,
}

/// Code of the caller that is called before every unit.
enum Watch<'a> {
    Nothing,
    KeepGoing(&'a mut dyn FnMut() -> bool),
    Observer(&'a mut dyn FnMut(Quantum) -> bool),
}

impl<'a> Budget<'a> {
    /// No limit: the answer is never [`Verdict::Undecided`](crate::Verdict::Undecided).
    #[must_use]
    pub fn unlimited() -> Self {
        Self {
            credit: 0,
            granted: 0,
            steps: u64::MAX,
            depth: u32::MAX,
            clock: None,
            watch: Watch::Nothing,
            is_over: false,
        }
    }

    /// A deadline this many microseconds from now.
    #[must_use]
    pub fn micros(micros: u64) -> Self {
        // A deadline beyond the range of the clock is no limit.
        let deadline = Instant::now().checked_add(Duration::from_micros(micros));
        Self { clock: deadline.map(Clock::until), ..Self::unlimited() }
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
        Self { watch: Watch::KeepGoing(keep_going), ..Self::unlimited() }
    }

    /// The query continues as long as `observe` returns true, which is called before every unit
    /// with what the unit will be spent on: for measurements. The query works as with a deadline.
    #[cfg_attr(not(feature = "internals"), allow(dead_code, reason = "for `internals` and tests"))]
    #[must_use]
    pub(crate) fn observed(observe: &'a mut dyn FnMut(Quantum) -> bool) -> Self {
        Self { watch: Watch::Observer(observe), ..Self::unlimited() }
    }

    /// The same limits and a deadline.
    #[must_use]
    pub fn and_deadline(self, deadline: Instant) -> Self {
        // The next unit reads the clock.
        Self { clock: Some(Clock::until(deadline)), granted: self.spent(), credit: 0, ..self }
    }

    /// Whether no limit is set.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        let is_watched = !matches!(self.watch, Watch::Nothing);
        !self.is_reproducible() && self.clock.is_none() && !is_watched
    }

    /// Whether the result must not depend on the machine: it does not depend on a clock anyway.
    pub(crate) fn is_reproducible(&self) -> bool {
        let keeps_going = matches!(self.watch, Watch::KeepGoing(_));
        self.steps <= u64::MAX / 2 || self.depth < u32::MAX || keeps_going
    }

    /// Counts a step before it is taken; false if a limit is reached and the step must not be
    /// taken.
    #[inline]
    #[must_use]
    pub fn step(&mut self) -> bool {
        self.step_of(Quantum::Other)
    }

    /// As [`step`](Self::step), for this kind of work.
    #[inline(always)]
    #[must_use]
    pub(crate) fn step_of(&mut self, quantum: Quantum) -> bool {
        if self.credit > 0 {
            self.credit -= 1;
            return true;
        }
        self.grant(1, quantum)
    }

    /// Counts several units of work before they are done; false if a limit is reached and they must
    /// not be done. Once false, always false.
    ///
    /// Either all of `units` are counted or none, so that a query with a limit of steps stops at
    /// the same place on every machine.
    #[inline]
    #[must_use]
    pub fn take(&mut self, units: u64) -> bool {
        if units.max(1) <= self.credit {
            self.credit -= units;
            return true;
        }
        self.grant(units, Quantum::Other)
    }

    /// Takes up to this many units, as many as need no look at the limits; possibly none.
    #[inline(always)]
    pub(crate) fn claim(&mut self, units: u64) -> u64 {
        let claimed = units.min(self.credit);
        self.credit -= claimed;
        claimed
    }

    /// Returns units that were [claimed](Self::claim) and not used.
    #[inline(always)]
    pub(crate) fn give_back(&mut self, units: u64) {
        self.credit += units;
    }

    /// Takes units that the credit does not cover: looks at the limits, and gives the next credit.
    #[cold]
    #[inline(never)]
    fn grant(&mut self, units: u64, quantum: Quantum) -> bool {
        let spent = self.spent();
        let left = self.steps.saturating_sub(spent);
        let credit = if self.is_over || units > left { None } else { self.units_allowed(quantum) };
        let Some(credit) = credit else {
            (self.is_over, self.granted, self.credit) = (true, spent, 0);
            return false;
        };
        let granted = credit.min(left).max(units);
        (self.granted, self.credit) = (spent + granted, granted - units);
        true
    }

    /// Reads the clock and calls the caller's code. The number of units until that is necessary
    /// again; `None` if the query must stop.
    fn units_allowed(&mut self, quantum: Quantum) -> Option<u64> {
        let spent = self.spent();
        let units = match &mut self.clock {
            Some(clock) => clock.read(spent)?,
            None => u64::MAX,
        };
        let (goes_on, units) = match &mut self.watch {
            Watch::Nothing => (true, units),
            Watch::KeepGoing(keep_going) => (keep_going(), 1),
            Watch::Observer(observe) => (observe(quantum), 1),
        };
        goes_on.then_some(units)
    }

    /// Runs `work` with a share of what is left of the limits, between zero and one; what it does
    /// not spend stays.
    pub fn part<R>(&mut self, share: f64, work: impl FnOnce(&mut Budget<'_>) -> R) -> R {
        let share = share.clamp(0.0, 1.0);
        let clock = self.clock.map(|Clock { deadline: at, .. }| {
            let now = Instant::now();
            Clock::until(now + at.saturating_duration_since(now).mul_f64(share))
        });
        let spent = self.spent();
        let steps = match self.steps > u64::MAX / 2 {
            true => u64::MAX,
            false => ((self.steps - spent) as f64 * share) as u64,
        };
        let mut part = Budget {
            steps,
            clock,
            depth: self.depth,
            is_over: self.is_over,
            watch: match &mut self.watch {
                Watch::Nothing => Watch::Nothing,
                Watch::KeepGoing(keep_going) => Watch::KeepGoing(&mut **keep_going),
                Watch::Observer(observe) => Watch::Observer(&mut **observe),
            },
            ..Budget::unlimited()
        };
        let result = work(&mut part);
        // The next unit looks at the limits again.
        (self.granted, self.credit) = (spent + part.spent(), 0);
        result
    }

    /// The units of work counted so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.granted - self.credit
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
            .field("steps", &(self.steps - self.spent()))
            .field("depth", &self.depth)
            .field("deadline", &self.clock.map(|clock| clock.deadline))
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
    fn a_part_spends_its_share_and_leaves_the_rest() {
        let mut budget = Budget::steps(100);
        let taken = budget.part(0.25, |part| (0..100).filter(|_| part.step()).count());
        assert_eq!((taken, budget.spent(), budget.is_over()), (25, 25, false));
        assert_eq!(budget.part(1.0, |part| (0..100).filter(|_| part.step()).count()), 75);
        assert!(!budget.step());
        let mut stop = || false;
        let mut stopped = Budget::until(&mut stop);
        assert!(!stopped.part(0.5, |part| part.take(1)) && !stopped.step());
        let mut late = Budget::deadline(Instant::now());
        assert!(!late.part(0.5, |part| part.take(1)));
        let mut unlimited = Budget::unlimited();
        assert!(unlimited.part(0.1, |part| part.take(1 << 40)) && unlimited.step());
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
