//! A race of two methods on one pair: the first to finish stops the other (Zachmann 1994, section
//! 6.5).
//!
//! Some methods are fast for intersecting bodies, others for separated bodies: clipping and the
//! perceptron rule are such a pair. [`parallel`] runs them on two threads. Each thread checks
//! between steps whether the other has finished. [`interleaved`] alternates a few steps of each on
//! one thread. This is faster for small pairs: in the thesis' own experiments with many objects,
//! racing on two processors was slower.
//!
//! The verdict does not depend on the winner, because a method returns a certain verdict or
//! stops without one. The winner depends on timing for [`parallel`], and is deterministic for
//! [`interleaved`].

use std::sync::atomic::{AtomicBool, Ordering};

use super::{clipping, perceptron};
use crate::leung::separating;

/// The state of a method after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is still running.
    Running,
    /// The bodies certainly share no point.
    Separated,
    /// The bodies certainly share a point.
    Intersecting,
    /// It has stopped without a verdict.
    GaveUp,
}

/// A method that runs step by step and ends by itself.
pub trait RaceMethod {
    /// Runs one step. It is not called again after it has returned anything but
    /// [`Status::Running`].
    fn step(&mut self) -> Status;
}

impl RaceMethod for clipping::Clipping<'_> {
    fn step(&mut self) -> Status {
        match Self::step(self) {
            None => Status::Running,
            Some(output) if output.meet => Status::Intersecting,
            Some(_) => Status::Separated,
        }
    }
}

impl RaceMethod for perceptron::Perceptron<'_> {
    fn step(&mut self) -> Status {
        match Self::step(self) {
            None => Status::Running,
            Some(output) if output.separation.is_some() => Status::Separated,
            Some(_) => Status::GaveUp,
        }
    }
}

impl RaceMethod for separating::Search<'_> {
    fn step(&mut self) -> Status {
        match Self::step(self) {
            None => Status::Running,
            Some(separating::Verdict::Separated(_)) => Status::Separated,
            Some(separating::Verdict::Intersecting(_)) => Status::Intersecting,
            Some(separating::Verdict::Undecided(_)) => Status::GaveUp,
        }
    }
}

/// The result of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceOutput {
    /// Whether the bodies share a point; `None` if both contenders stopped without a verdict.
    pub meet: Option<bool>,
    /// The method that decided.
    pub winner: Option<Winner>,
    /// The number of steps of the first method.
    pub first_steps: u64,
    /// The number of steps of the second method.
    pub second_steps: u64,
}

/// One of two contenders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Winner {
    /// The first method.
    First,
    /// The second method.
    Second,
}

/// A race on one thread: repeatedly runs `slices.0` steps of the first method and `slices.1` of
/// the second.
///
/// If both slices take about the same time, the race takes at most about twice as long as the
/// faster method. A slice of zero counts as one.
///
/// ```
/// use impinge::convex::Hull;
/// use impinge_papers::zachmann::clipping::{Clipping, ClippingPreChecks};
/// use impinge_papers::zachmann::perceptron::{PerceptronCache, Options, Perceptron};
/// use impinge_papers::zachmann::race::{Winner, interleaved};
/// use impinge::{Pose, Vec3};
///
/// let hull = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
/// let pose = Pose::from_translation([2.0, 0.5, 0.0])?;
/// let mut clipping = Clipping::new(&hull, &hull, &pose, ClippingPreChecks::NONE);
/// let mut planes =
///     Perceptron::new(&hull, &hull, &pose, Options::THESIS, &PerceptronCache::default());
/// let outcome = interleaved(&mut clipping, &mut planes, (2, 1));
/// assert_eq!((outcome.meet, outcome.winner), (Some(false), Some(Winner::Second)));
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn interleaved(
    first: &mut impl RaceMethod,
    second: &mut impl RaceMethod,
    slices: (u32, u32),
) -> RaceOutput {
    let mut steps = [0; 2];
    let mut statuses = [Status::Running; 2];
    loop {
        for _ in 0..slices.0.max(1) {
            if statuses[0] == Status::Running {
                statuses[0] = first.step();
                steps[0] += 1;
            }
        }
        if ends(statuses[0], statuses[1]) {
            return outcome(statuses, steps);
        }
        for _ in 0..slices.1.max(1) {
            if statuses[1] == Status::Running {
                statuses[1] = second.step();
                steps[1] += 1;
            }
        }
        if ends(statuses[1], statuses[0]) {
            return outcome(statuses, steps);
        }
    }
}

/// Whether the status of one method ends the race.
fn ends(one: Status, other: Status) -> bool {
    match one {
        Status::Running => false,
        Status::Separated | Status::Intersecting => true,
        Status::GaveUp => other == Status::GaveUp,
    }
}

/// A race on two threads of the current `rayon` pool. With one thread, the first method runs to
/// its end and then, if it has no verdict, the second.
pub fn parallel<F: RaceMethod + Send, S: RaceMethod + Send>(
    first: &mut F,
    second: &mut S,
) -> RaceOutput {
    let is_over = AtomicBool::new(false);
    let ((one, first_steps), (two, second_steps)) =
        rayon::join(|| run(first, &is_over), || run(second, &is_over));
    outcome([one, two], [first_steps, second_steps])
}

/// Runs steps until this method or the other has finished.
fn run(method: &mut impl RaceMethod, is_over: &AtomicBool) -> (Status, u64) {
    let mut steps = 0;
    // The flag transfers no data; the results are synchronised by the join.
    while !is_over.load(Ordering::Relaxed) {
        let status = method.step();
        steps += 1;
        match status {
            Status::Running => {}
            Status::GaveUp => return (status, steps),
            Status::Separated | Status::Intersecting => {
                is_over.store(true, Ordering::Relaxed);
                return (status, steps);
            }
        }
    }
    (Status::Running, steps)
}

fn outcome(statuses: [Status; 2], [first_steps, second_steps]: [u64; 2]) -> RaceOutput {
    let verdict = |status| match status {
        Status::Separated => Some(false),
        Status::Intersecting => Some(true),
        Status::Running | Status::GaveUp => None,
    };
    let verdicts = statuses.map(verdict);
    debug_assert!(
        verdicts[0].is_none() || verdicts[1].is_none() || verdicts[0] == verdicts[1],
        "the two contenders returned different certain verdicts"
    );
    let winner = match verdicts {
        [Some(_), _] => Some(Winner::First),
        [None, Some(_)] => Some(Winner::Second),
        [None, None] => None,
    };
    RaceOutput { meet: verdicts[0].or(verdicts[1]), winner, first_steps, second_steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A method that returns the given status after the given number of steps.
    struct After(u32, Status);

    impl RaceMethod for After {
        fn step(&mut self) -> Status {
            self.0 -= 1;
            if self.0 == 0 { self.1 } else { Status::Running }
        }
    }

    fn both(mut one: impl FnMut() -> (After, After), meet: Option<bool>) -> RaceOutput {
        let (mut first, mut second) = one();
        let outcome = interleaved(&mut first, &mut second, (3, 2));
        let (mut first, mut second) = one();
        let other = parallel(&mut first, &mut second);
        assert_eq!((outcome.meet, other.meet), (meet, meet));
        outcome
    }

    #[test]
    fn the_first_to_finish_wins() {
        use Status::{GaveUp, Intersecting, Separated};
        let o = both(|| (After(10, Separated), After(1000, Separated)), Some(false));
        assert_eq!((o.winner, o.first_steps, o.second_steps), (Some(Winner::First), 10, 6));
        let o = both(|| (After(1000, Intersecting), After(5, Intersecting)), Some(true));
        assert_eq!((o.winner, o.first_steps, o.second_steps), (Some(Winner::Second), 9, 5));
        let o = both(|| (After(2, GaveUp), After(7, Intersecting)), Some(true));
        assert_eq!((o.winner, o.first_steps, o.second_steps), (Some(Winner::Second), 2, 7));
        let o = both(|| (After(7, Separated), After(2, GaveUp)), Some(false));
        assert_eq!(o.winner, Some(Winner::First));
        let o = both(|| (After(4, GaveUp), After(9, GaveUp)), None);
        assert_eq!((o.winner, o.first_steps, o.second_steps), (None, 4, 9));
    }
}
