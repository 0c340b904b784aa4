//! Work that can be interrupted inside nested calls and continued later.
//!
//! The local analysis of a contact nests several levels of loops above integers of any length. Its
//! functions are `async`: the compiler turns them into a state machine, which owns all its data and
//! pauses after a fixed amount of work. There is no executor: a search polls the machine for as
//! long as its budget pays, and no waker is ever used.

use std::fmt;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::budget::{Budget, Paid, Quantum};

/// The cost of the work between two pauses. A cost of one is a determinant in `f64`, about 20 ns.
const COST_PER_PAUSE: u32 = 96;

/// Units of a budget for the work between two pauses, paid before it.
const UNITS_PER_PAUSE: u64 = 16;

/// Counts work, and pauses it.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// The cost since the last pause.
    since_pause: u32,
}

impl Meter {
    /// Counts work before it is done, and pauses first if it exceeds what was paid.
    #[inline]
    pub(super) async fn pay(&mut self, cost: u32) {
        self.since_pause += cost;
        while self.since_pause >= COST_PER_PAUSE {
            self.since_pause -= COST_PER_PAUSE;
            Pause { is_over: false }.await;
        }
    }
}

/// Is pending once.
struct Pause {
    is_over: bool,
}

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.is_over {
            return Poll::Ready(());
        }
        self.is_over = true;
        Poll::Pending
    }
}

/// A piece of work that was started. The mutex is never locked: it makes states that own the work
/// `Sync`.
pub(super) struct Paused<T>(Mutex<Pin<Box<dyn Future<Output = T> + Send>>>);

impl<T> Paused<T> {
    pub(super) fn new(work: impl Future<Output = T> + Send + 'static) -> Self {
        Self(Mutex::new(Box::pin(work)))
    }

    /// Continues the work; `None` if the budget is spent. Must not be called after the result was
    /// returned.
    pub(super) fn run(&mut self, payment: &mut Paid, budget: &mut Budget<'_>) -> Option<T> {
        let work = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut context = Context::from_waker(Waker::noop());
        while payment.afford(UNITS_PER_PAUSE, Quantum::Exact, budget) {
            if let Poll::Ready(result) = work.as_mut().poll(&mut context) {
                return Some(result);
            }
        }
        None
    }
}

impl<T> fmt::Debug for Paused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paused").finish_non_exhaustive()
    }
}

/// Runs work to the end.
#[cfg(test)]
pub(super) fn to_the_end<T>(work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(result) = work.as_mut().poll(&mut context) {
            return result;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_pauses_after_its_cost_and_parts_take_what_the_whole_takes() {
        let work = || {
            Paused::new(async {
                let mut meter = Meter::default();
                for _ in 0..1000 {
                    meter.pay(1).await;
                }
                meter.pay(10 * COST_PER_PAUSE).await;
                7
            })
        };
        let mut whole = Budget::steps(1 << 40);
        let found = work().run(&mut Paid::default(), &mut whole);
        assert_eq!(found, Some(7));
        let pauses = u64::from(1000 / COST_PER_PAUSE) + 10;
        assert_eq!(whole.spent(), (pauses + 1) * UNITS_PER_PAUSE);
        let (mut parts, mut payment, mut spent) = (work(), Paid::default(), 0);
        loop {
            let mut part = Budget::steps(5);
            let found = parts.run(&mut payment, &mut part);
            spent += part.spent();
            if found.is_some() {
                break;
            }
        }
        assert_eq!(spent, whole.spent());
    }
}
