//! When a query gives up (Klosowski et al. 1998, section 5.2.3).

use std::fmt;
use std::time::Instant;

/// When to stop. All limits hold at once.
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
    go_on: Option<&'a mut dyn FnMut() -> bool>,
}

impl<'a> Budget<'a> {
    /// No limit: the answer is never "maybe".
    #[must_use]
    pub fn unlimited() -> Self {
        Self { steps: u64::MAX, depth: u32::MAX, deadline: None, go_on: None }
    }

    /// At most so many steps; the outermost volumes are always compared. What is found does not
    /// depend on the machine.
    ///
    /// In [`first_pair_within`](crate::pair::first_pair_within) a step compares all boxes of two
    /// nodes, or all triangles of two leaves; in the published trees of `impinge-papers` it
    /// compares two volumes or two triangles.
    #[must_use]
    pub fn steps(steps: u64) -> Self {
        Self { steps, ..Self::unlimited() }
    }

    /// No node deeper than so many openings below the roots: steps that open nodes of both trees
    /// count once.
    #[must_use]
    pub fn depth(depth: u32) -> Self {
        Self { depth, ..Self::unlimited() }
    }

    /// Until then. The clock is asked before every step, and what is left is summed up afterwards:
    /// expect an answer some microseconds late.
    #[must_use]
    pub fn deadline(deadline: Instant) -> Self {
        Self::unlimited().and_deadline(deadline)
    }

    /// As long as `go_on`, asked before every step, returns true: a clock of its own, or a flag
    /// that another thread sets.
    #[must_use]
    pub fn until(go_on: &'a mut dyn FnMut() -> bool) -> Self {
        Self { go_on: Some(go_on), ..Self::unlimited() }
    }

    /// The same and a deadline.
    #[must_use]
    pub fn and_deadline(self, deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Whether it sets no limit at all.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.steps > u64::MAX / 2
            && self.depth == u32::MAX
            && self.deadline.is_none()
            && self.go_on.is_none()
    }

    /// Takes a step of the work that is limited; false if there is none left.
    #[inline]
    #[must_use]
    pub fn step(&mut self) -> bool {
        if self.steps == 0 || self.deadline.is_some_and(|at| Instant::now() >= at) {
            return false;
        }
        self.steps -= 1;
        match &mut self.go_on {
            Some(go_on) => go_on(),
            None => true,
        }
    }

    /// Nodes so many openings below the roots are not opened.
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
