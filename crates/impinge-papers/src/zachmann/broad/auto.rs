//! The fastest of the broad phases, found by trying them.

use std::time::{Duration, Instant};

use super::{Grid, SweepAndPrune};
use impinge::broad::{
    AllPairs, BroadPhase, Changes, Completeness, DynamicTree, Frame, Moved, Neighbours, Pair,
};
use impinge::pair::Budget;

/// How many frames a challenger runs beside the incumbent before the two are compared. The first,
/// in which it takes in everything, does not count.
const TRIAL: u32 = 6;
/// The first trial begins after so many frames, and so long are the pauses between trials at first;
/// each round of trials that changes nothing doubles them.
const FIRST_PAUSE: u32 = 8;
/// The longest pause.
const LONGEST_PAUSE: u32 = 4096;
/// A challenger must be so much faster.
const BETTER: f64 = 0.8;
/// Comparing all with all is tried up to so many items only.
const FEW: usize = 256;
/// Up to so many items others than the first are tried. Beyond, lists of neighbours are ten times
/// ahead of all of them in every scene that was measured (`docs/results/broad-scenes.md`), and a
/// trial would cost more than it could ever save.
const TRIED: usize = 4096;

/// Runs one broad phase, and now and then another beside it for a few frames; the faster one goes
/// on.
///
/// Pairs are the same whichever it is, and [`Changes`] are sorted, so nothing but the time they
/// take shows which. Trials cost a few of a hundred frames at first and less and less later; a
/// change of the number of items to the double or the half starts them anew.
#[derive(Debug)]
pub struct Auto {
    incumbent: Box<dyn BroadPhase>,
    which: usize,
    challenger: Option<Challenger>,
    /// The next to be tried.
    next: usize,
    /// Frames until then.
    wait: u32,
    pause: u32,
    /// Items when trials began.
    count: usize,
}

#[derive(Debug)]
struct Challenger {
    phase: Box<dyn BroadPhase>,
    which: usize,
    frames: u32,
    own: Duration,
    others: Duration,
    changes: Changes,
}

const CANDIDATES: [fn() -> Box<dyn BroadPhase>; 5] = [
    || Box::new(Neighbours::new()),
    || Box::new(DynamicTree::new()),
    || Box::new(SweepAndPrune::new()),
    || Box::new(AllPairs::new()),
    || Box::new(Grid::new()),
];
/// The place of [`AllPairs`] among them.
const ALL_PAIRS: usize = 3;

impl Auto {
    /// Without items.
    #[must_use]
    pub fn new() -> Self {
        Self {
            incumbent: CANDIDATES[0](),
            which: 0,
            challenger: None,
            next: 1,
            wait: FIRST_PAUSE,
            pause: FIRST_PAUSE,
            count: 0,
        }
    }

    /// The name of the broad phase that is used at present.
    #[must_use]
    pub fn present(&self) -> &'static str {
        self.incumbent.name()
    }

    /// Decides when to try what.
    fn plan(&mut self, items: usize) {
        if self.count > 2 * items || items > 2 * self.count {
            self.count = items;
            self.pause = FIRST_PAUSE;
            self.wait = self.wait.min(FIRST_PAUSE);
        }
        if self.challenger.is_some() {
            return;
        }
        self.wait = self.wait.saturating_sub(1);
        if self.wait > 0 {
            return;
        }
        let which = self.next;
        self.next = (which + 1) % CANDIDATES.len();
        if self.next == 0 {
            // A whole round.
            self.pause = (2 * self.pause).min(LONGEST_PAUSE);
        }
        self.wait = self.pause;
        let hopeless = items > if which == ALL_PAIRS { FEW } else { TRIED };
        if which != self.which && (which == 0 || !hopeless) {
            self.challenger = Some(Challenger {
                phase: CANDIDATES[which](),
                which,
                frames: 0,
                own: Duration::ZERO,
                others: Duration::ZERO,
                changes: Changes::default(),
            });
        }
    }

    /// Lets a challenger run beside the incumbent, which took so long.
    fn compete(&mut self, frame: &Frame<'_>, incumbent: Duration) {
        let Some(trial) = &mut self.challenger else { return };
        let start = Instant::now();
        let moved = if trial.frames == 0 { Moved::All } else { frame.moved };
        trial.phase.update_unlimited(&Frame { moved, ..*frame }, &mut trial.changes);
        if trial.frames > 0 {
            trial.own += start.elapsed();
            trial.others += incumbent;
        }
        trial.frames += 1;
        let (own, others) = (trial.own.as_secs_f64(), trial.others.as_secs_f64());
        // One that is hopeless need not finish.
        if trial.frames < TRIAL && (trial.frames < 2 || own < 10.0 * others + 1e-4) {
            return;
        }
        if let Some(trial) = self.challenger.take() {
            if own < BETTER * others && trial.frames >= TRIAL {
                self.incumbent = trial.phase;
                self.which = trial.which;
                self.pause = FIRST_PAUSE;
            }
        }
    }
}

impl Default for Auto {
    fn default() -> Self {
        Self::new()
    }
}

impl BroadPhase for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn update(
        &mut self,
        frame: &Frame<'_>,
        budget: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        let start = Instant::now();
        let completeness = self.incumbent.update(frame, budget, changes);
        let took = start.elapsed();
        // Whoever it was.
        changes.sort();
        self.plan(frame.bounds.len());
        self.compete(frame, took);
        completeness
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        self.incumbent.pairs(to);
    }

    fn bytes(&self) -> usize {
        self.incumbent.bytes() + self.challenger.as_ref().map_or(0, |c| c.phase.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::broad::testing::agrees_with_the_oracle;

    #[test]
    fn reports_what_the_oracle_does_whoever_wins() {
        agrees_with_the_oracle(Auto::new, false);
        agrees_with_the_oracle(Auto::new, true);
    }
}
