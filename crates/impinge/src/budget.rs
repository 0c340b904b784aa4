//! Limits on the work of a query (Klosowski et al. 1998, section 5.2.3).

use std::fmt;
use std::time::Instant;

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
    depth: u32,
    deadline: Option<Instant>,
    keep_going: Option<&'a mut dyn FnMut() -> bool>,
}

impl<'a> Budget<'a> {
    /// No limit: the answer is never [`Verdict::Undecided`](crate::Verdict::Undecided).
    #[must_use]
    pub fn unlimited() -> Self {
        Self { steps: u64::MAX, depth: u32::MAX, deadline: None, keep_going: None }
    }

    /// A number of steps. The outermost volumes are always compared. The result does not depend on
    /// the machine.
    ///
    /// In [`first_pair_within`](crate::pair::first_pair_within) a step compares all boxes of two
    /// nodes, or all triangles of two leaves; in the published trees of `impinge-papers` it
    /// compares two volumes or two triangles.
    #[must_use]
    pub fn steps(steps: u64) -> Self {
        Self { steps, ..Self::unlimited() }
    }

    /// The depth of the nodes that are visited, as the number of openings below the roots; a step
    /// that opens nodes of both trees counts once.
    #[must_use]
    pub fn depth(depth: u32) -> Self {
        Self { depth, ..Self::unlimited() }
    }

    /// A deadline. The clock is read before every step, and the result is put together after the
    /// last one: the answer comes some microseconds after the deadline.
    #[must_use]
    pub fn deadline(deadline: Instant) -> Self {
        Self::unlimited().and_deadline(deadline)
    }

    /// The query continues as long as `keep_going`, which is called before every step, returns
    /// true: it may read a clock, or a flag that another thread sets.
    #[must_use]
    pub fn until(keep_going: &'a mut dyn FnMut() -> bool) -> Self {
        Self { keep_going: Some(keep_going), ..Self::unlimited() }
    }

    /// The same limits and a deadline.
    #[must_use]
    pub fn and_deadline(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Counts a step before it is taken; false if a limit is reached and the step must not be
    /// taken.
    #[inline]
    #[must_use]
    pub fn step(&mut self) -> bool {
        if self.steps == 0 || self.deadline.is_some_and(|at| Instant::now() >= at) {
            return false;
        }
        self.steps -= 1;
        match &mut self.keep_going {
            Some(keep_going) => keep_going(),
            None => true,
        }
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
