//! Two methods on one pair, the first to finish stops the other (Zachmann 1994, section 6.5).
//!
//! Some methods find a common point early, some find early that there is none: clipping and the
//! perceptron rule are such a pair. [`parallel`] runs them on two threads, each of which asks
//! between steps whether the other has finished. [`interleaved`] takes turns of a few steps on one
//! thread, which is what pays for small pairs: the thesis' own trials with many objects became
//! slower by racing on two processors.
//!
//! Whoever wins, the verdict is the same: contenders answer for certain or give up. Which of them
//! won is a matter of luck for [`parallel`], and the same every time for [`interleaved`].

use std::sync::atomic::{AtomicBool, Ordering};

use super::{clipping, perceptron};
use crate::leung::separating;

/// What a contender says after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It goes on.
    Running,
    /// The bodies share no point, for certain.
    Separated,
    /// They share a point, for certain.
    Intersecting,
    /// It cannot tell and has stopped.
    GaveUp,
}

/// A method that goes step by step and ends by itself.
pub trait Contender {
    /// Takes one step. After it has said anything but [`Standing::Running`] it is not asked again.
    fn step(&mut self) -> Standing;
}

impl Contender for clipping::Clipping<'_> {
    fn step(&mut self) -> Standing {
        match Self::step(self) {
            None => Standing::Running,
            Some(output) if output.meet => Standing::Intersecting,
            Some(_) => Standing::Separated,
        }
    }
}

impl Contender for perceptron::Perceptron<'_> {
    fn step(&mut self) -> Standing {
        match Self::step(self) {
            None => Standing::Running,
            Some(output) if output.separation.is_some() => Standing::Separated,
            Some(_) => Standing::GaveUp,
        }
    }
}

impl Contender for separating::Search<'_> {
    fn step(&mut self) -> Standing {
        match Self::step(self) {
            None => Standing::Running,
            Some(separating::Verdict::Separated(_)) => Standing::Separated,
            Some(separating::Verdict::Intersecting(_)) => Standing::Intersecting,
            Some(separating::Verdict::Undecided(_)) => Standing::GaveUp,
        }
    }
}

/// How a race ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the bodies share a point; `None` if both contenders gave up.
    pub meet: Option<bool>,
    /// Who said so.
    pub winner: Option<Winner>,
    /// How many steps the first contender took.
    pub first_steps: u64,
    /// How many steps the second contender took.
    pub second_steps: u64,
}

/// One of two contenders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Winner {
    /// The first.
    First,
    /// The second.
    Second,
}

/// A race on one thread: `slices.0` steps of the first, `slices.1` of the second, and so on.
///
/// Choose slices that take about the same time; then the race takes at most about twice as long as
/// the faster of the two. A slice of zero counts as one.
///
/// ```
/// use impinge::convex::Hull;
/// use impinge_papers::zachmann::clipping::{Clipping, PreChecks};
/// use impinge_papers::zachmann::perceptron::{Cache, Options, Perceptron};
/// use impinge_papers::zachmann::race::{Winner, interleaved};
/// use impinge::{Pose, Vec3};
///
/// let hull = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
/// let pose = Pose::from_translation([2.0, 0.5, 0.0])?;
/// let mut clipping = Clipping::new(&hull, &hull, &pose, PreChecks::NONE);
/// let mut planes = Perceptron::new(&hull, &hull, &pose, Options::THESIS, &Cache::default());
/// let outcome = interleaved(&mut clipping, &mut planes, (2, 1));
/// assert_eq!((outcome.meet, outcome.winner), (Some(false), Some(Winner::Second)));
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn interleaved(
    first: &mut impl Contender,
    second: &mut impl Contender,
    slices: (u32, u32),
) -> Outcome {
    let mut steps = [0; 2];
    let mut standings = [Standing::Running; 2];
    loop {
        for _ in 0..slices.0.max(1) {
            if standings[0] == Standing::Running {
                standings[0] = first.step();
                steps[0] += 1;
            }
        }
        if ends(standings[0], standings[1]) {
            return outcome(standings, steps);
        }
        for _ in 0..slices.1.max(1) {
            if standings[1] == Standing::Running {
                standings[1] = second.step();
                steps[1] += 1;
            }
        }
        if ends(standings[1], standings[0]) {
            return outcome(standings, steps);
        }
    }
}

/// Whether one standing ends the race.
fn ends(one: Standing, other: Standing) -> bool {
    match one {
        Standing::Running => false,
        Standing::Separated | Standing::Intersecting => true,
        Standing::GaveUp => other == Standing::GaveUp,
    }
}

/// A race on two threads of the current `rayon` pool. With one thread, the first runs to its end
/// and then, if it gave up, the second.
pub fn parallel<F: Contender + Send, S: Contender + Send>(
    first: &mut F,
    second: &mut S,
) -> Outcome {
    let is_over = AtomicBool::new(false);
    let ((one, first_steps), (two, second_steps)) =
        rayon::join(|| run(first, &is_over), || run(second, &is_over));
    outcome([one, two], [first_steps, second_steps])
}

/// Steps until there is an end, one's own or the other's.
fn run(contender: &mut impl Contender, is_over: &AtomicBool) -> (Standing, u64) {
    let mut steps = 0;
    // The flag carries no data; the join does.
    while !is_over.load(Ordering::Relaxed) {
        let standing = contender.step();
        steps += 1;
        match standing {
            Standing::Running => {}
            Standing::GaveUp => return (standing, steps),
            Standing::Separated | Standing::Intersecting => {
                is_over.store(true, Ordering::Relaxed);
                return (standing, steps);
            }
        }
    }
    (Standing::Running, steps)
}

fn outcome(standings: [Standing; 2], [first_steps, second_steps]: [u64; 2]) -> Outcome {
    let says = |standing| match standing {
        Standing::Separated => Some(false),
        Standing::Intersecting => Some(true),
        Standing::Running | Standing::GaveUp => None,
    };
    let answers = standings.map(says);
    debug_assert!(
        answers[0].is_none() || answers[1].is_none() || answers[0] == answers[1],
        "two certain answers that differ"
    );
    let winner = match answers {
        [Some(_), _] => Some(Winner::First),
        [None, Some(_)] => Some(Winner::Second),
        [None, None] => None,
    };
    Outcome { meet: answers[0].or(answers[1]), winner, first_steps, second_steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says something after so many steps.
    struct After(u32, Standing);

    impl Contender for After {
        fn step(&mut self) -> Standing {
            self.0 -= 1;
            if self.0 == 0 { self.1 } else { Standing::Running }
        }
    }

    fn both(mut one: impl FnMut() -> (After, After), meet: Option<bool>) -> Outcome {
        let (mut first, mut second) = one();
        let outcome = interleaved(&mut first, &mut second, (3, 2));
        let (mut first, mut second) = one();
        let other = parallel(&mut first, &mut second);
        assert_eq!((outcome.meet, other.meet), (meet, meet));
        outcome
    }

    #[test]
    fn the_first_to_finish_wins() {
        use Standing::{GaveUp, Intersecting, Separated};
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
