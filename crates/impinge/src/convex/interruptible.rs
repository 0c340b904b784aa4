//! Computations that are paid in units and can stop before each piece of work.
//!
//! A computation is an `async fn` that awaits [`pay`] before each piece. [`finish`] runs it without
//! interruption. A [`Computation`] stops where the budget ends and continues in a later call: the
//! compiler turns the function into a state that it can be continued from, so that a search in
//! integers with many nested loops needs no second version. There is no executor, and nothing waits
//! for an event: a call of the future is a call of the function up to its next unpaid piece.
//!
//! The units that a piece asks for depend on the input alone, and a piece is begun only when it is
//! paid. So a computation in parts is the same as one without interruption.

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::answer::Contact;
use crate::budget::Budget;

/// A unit of a budget in the smallest unit of a payment: products of short integers take less than
/// a unit.
const QUARTERS: u64 = 4;

thread_local! {
    /// Quarters of units that the running computation may use.
    static ALLOWANCE: Cell<u64> = const { Cell::new(0) };
    /// Quarters that the computation asks for, which was stopped.
    static DUE: Cell<u64> = const { Cell::new(0) };
    /// What the computation knows so far, if it has reported something since it was continued.
    static KNOWN: Cell<Option<Contact>> = const { Cell::new(None) };
}

/// Ready when the units are paid.
#[must_use]
pub(crate) struct Payment {
    quarters: u64,
}

/// Pays for the next piece of work in units.
#[inline]
pub(crate) fn pay(units: u64) -> Payment {
    Payment { quarters: QUARTERS * units }
}

/// Pays for the next piece of work in quarters of units.
#[inline]
pub(crate) fn pay_quarters(quarters: u64) -> Payment {
    Payment { quarters }
}

impl Future for Payment {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let left = ALLOWANCE.get();
        if left >= self.quarters {
            ALLOWANCE.set(left - self.quarters);
            Poll::Ready(())
        } else {
            DUE.set(self.quarters);
            Poll::Pending
        }
    }
}

/// Reports what is known so far: the answer if the budget ends before the next piece. Bounds that
/// were tighter in an earlier report stay. Does nothing in a computation without interruption.
#[inline]
pub(crate) fn report(known: impl FnOnce() -> Contact) {
    if ALLOWANCE.get() < u64::MAX / 2 {
        let known = known();
        KNOWN.set(Some(match KNOWN.get() {
            Some(before) => known.tightened(&before),
            None => known,
        }));
    }
}

/// Runs a computation without interruption.
pub(crate) fn finish<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    // Of a computation in parts that calls this one.
    let outer = (ALLOWANCE.get(), KNOWN.get());
    let result = loop {
        ALLOWANCE.set(u64::MAX);
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            break result;
        }
    };
    ALLOWANCE.set(outer.0);
    KNOWN.set(outer.1);
    result
}

/// A computation that may have been stopped.
pub(crate) struct Computation<T> {
    /// `None` once it has ended. A future need not be `Sync`; the mutex makes it so, and is never
    /// locked.
    future: Mutex<Option<BoxedFuture<T>>>,
    /// Quarters of units: those of the next piece, and those that are paid and not used yet.
    due: u64,
    paid: u64,
    known: Option<Contact>,
}

/// Units that are paid together, so that a call of the future does more than one piece: one to two
/// microseconds of work. They are paid in full before the call, so that it does not matter where a
/// budget ends; what is left at the end of the computation is lost.
const UNITS_AT_ONCE: u64 = 16;

type BoxedFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

impl<T> Computation<T> {
    pub(crate) fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self { future: Mutex::new(Some(Box::pin(future))), due: 0, paid: 0, known: None }
    }

    /// Continues; the result, once there is one, is returned once. `None` if the budget is spent.
    pub(crate) fn run(&mut self, budget: &mut Budget<'_>) -> Option<T> {
        let future = self.future.get_mut().unwrap_or_else(PoisonError::into_inner);
        let is_unlimited = budget.is_unlimited();
        loop {
            if !is_unlimited {
                let batch = self.due.max(QUARTERS * UNITS_AT_ONCE);
                while self.paid < batch {
                    if !budget.step() {
                        return None;
                    }
                    self.paid += QUARTERS;
                }
            }
            ALLOWANCE.set(if is_unlimited { u64::MAX } else { self.paid });
            KNOWN.set(self.known);
            let polled = future.as_mut()?.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            self.known = KNOWN.take();
            if let Poll::Ready(result) = polled {
                *future = None;
                return Some(result);
            }
            self.due = DUE.get();
            if !is_unlimited {
                self.paid = ALLOWANCE.get();
            }
        }
    }

    /// What it knows so far.
    pub(crate) fn known(&self) -> Option<Contact> {
        self.known
    }
}

impl<T> fmt::Debug for Computation<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Computation")
            .field("due", &self.due)
            .field("paid", &self.paid)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn sum(pieces: u64) -> u64 {
        let mut sum = 0;
        for k in 0..pieces {
            pay(k).await;
            sum += k;
        }
        sum
    }

    #[test]
    fn parts_take_the_same_units_as_the_whole() {
        assert_eq!(finish(sum(20)), 190);
        let mut whole = Budget::steps(1 << 40);
        assert_eq!(Computation::new(sum(20)).run(&mut whole), Some(190));
        assert!((190..190 + UNITS_AT_ONCE).contains(&whole.spent()), "{whole:?}");
        for part in 1..50 {
            let mut computation = Computation::new(sum(20));
            let mut spent = 0;
            let found = loop {
                let mut budget = Budget::steps(part);
                let found = computation.run(&mut budget);
                spent += budget.spent();
                if let Some(found) = found {
                    break found;
                }
            };
            assert_eq!((found, spent), (190, whole.spent()), "{part}");
            assert_eq!(computation.run(&mut Budget::unlimited()), None, "it has ended");
        }
        assert_eq!(Computation::new(sum(20)).run(&mut Budget::unlimited()), Some(190));
        let mut quarters = Computation::new(async {
            for _ in 0..9 {
                pay_quarters(1).await;
            }
        });
        assert_eq!(quarters.run(&mut Budget::steps(UNITS_AT_ONCE - 1)), None);
        assert_eq!(quarters.run(&mut Budget::steps(1)), Some(()));
    }

    #[test]
    fn a_computation_may_finish_another_one() {
        let mut outer = Computation::new(async {
            pay(3).await;
            let inner = finish(sum(5));
            pay(4).await;
            inner
        });
        assert_eq!(outer.run(&mut Budget::steps(UNITS_AT_ONCE - 1)), None);
        assert_eq!(outer.run(&mut Budget::steps(1)), Some(10));
    }

    #[test]
    fn computations_can_be_sent_and_shared() {
        fn check<T: Send + Sync>(_: &T) {}
        check(&Computation::new(sum(2)));
    }
}
