//! What a query does where floating point leaves something open: exact arithmetic at once, or later
//! by the caller.

use super::answer::Answer;
use super::exact;
use super::rest::Rest;
use super::stage::{Stage, record_stage};
use crate::convex::Hull;
use crate::convex::decide::Verdict;
use crate::convex::interruptible::finish;
use crate::math::Pose;

/// How a query ends. The kernels are compiled for each of the two: returning the rest of a query
/// that has none made the fastest verdicts take a fifth longer.
pub(super) trait Ending<T>: Copy {
    type Output;

    /// The answer that floating point has proven.
    fn decided(self, answer: T) -> Self::Output;

    /// What is left of the query.
    fn open(self, pair: (&Hull, &Hull, &Pose), rest: Rest) -> Self::Output;
}

/// Exact arithmetic finishes the query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finish;

/// The caller gets what is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leave;

impl<T> Ending<T> for Leave {
    type Output = Result<T, Rest>;

    #[inline(always)]
    fn decided(self, answer: T) -> Self::Output {
        Ok(answer)
    }

    #[inline(always)]
    fn open(self, _: (&Hull, &Hull, &Pose), rest: Rest) -> Self::Output {
        Err(rest)
    }
}

impl Ending<Verdict> for Finish {
    type Output = Verdict;

    #[inline(always)]
    fn decided(self, answer: Verdict) -> Verdict {
        answer
    }

    #[cold]
    #[inline(never)]
    fn open(self, (a, b, pose): (&Hull, &Hull, &Pose), rest: Rest) -> Verdict {
        record_stage(Stage::Exact);
        finish(exact::decide(a, b, pose, rest.hint()))
    }
}

impl<T: Answer> Ending<T> for Finish {
    type Output = T;

    #[inline(always)]
    fn decided(self, answer: T) -> T {
        answer
    }

    #[cold]
    #[inline(never)]
    fn open(self, (a, b, pose): (&Hull, &Hull, &Pose), rest: Rest) -> T {
        record_stage(Stage::Exact);
        T::of(finish(exact::contact(a, b, pose, rest.hint(), T::DEPTH)))
    }
}
