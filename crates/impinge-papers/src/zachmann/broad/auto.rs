//! The fastest of several broad phases, found by trials.

use std::time::{Duration, Instant};

use super::{GRID, SWEEP};
use crate::klosowski::dynamic_tree::TREE;
use impinge::broad::{BroadPhase, Changes, Completeness, FrameInput, Moved, Pair, PhaseKind};
use impinge::pair::Budget;

/// Frames that a challenger runs beside the incumbent before their times are compared. The first
/// frame, in which all items are new to the challenger, does not count.
const TRIAL_FRAMES: u32 = 6;
/// Frames before the first trial, and between trials at first. The pause is doubled after each
/// round of trials that changes nothing.
const FIRST_PAUSE_FRAMES: u32 = 8;
/// The longest pause.
const MAX_PAUSE_FRAMES: u32 = 4096;
/// A challenger replaces the incumbent if it takes less than this share of its time.
const MAX_TIME_RATIO: f64 = 0.8;
/// [`AllPairs`](impinge::broad::AllPairs) is not tried with more items than this.
const MAX_ITEMS_FOR_ALL_PAIRS: usize = 256;
/// With more items than this, only the first candidate is used: lists of neighbours were ten times
/// faster than all others in every scene that was measured (`docs/results/broad-scenes.md`), and a
/// trial would cost more than it could save.
const MAX_ITEMS_FOR_TRIALS: usize = 4096;

/// Runs one broad phase, the *incumbent*, and from time to time another one, the *challenger*,
/// beside it for a few frames; the faster one is used from then on.
///
/// The results do not depend on which one is used: pairs are the same, and [`Changes`] are sorted.
/// Trials cost a few percent of the time of the frames at first, and less later. They start again
/// when the number of items has doubled or halved.
#[derive(Debug)]
pub struct Auto {
    incumbent: Box<dyn BroadPhase>,
    /// The incumbent's place among the candidates.
    which: usize,
    challenger: Option<Challenger>,
    /// The candidate that is tried next.
    next: usize,
    /// Frames until the next trial.
    wait: u32,
    /// Frames between trials.
    pause: u32,
    /// The number of items when trials started.
    count: usize,
}

#[derive(Debug)]
struct Challenger {
    phase: Box<dyn BroadPhase>,
    which: usize,
    frames: u32,
    /// Time spent by the challenger and by the incumbent in the frames that count.
    own: Duration,
    incumbent: Duration,
    changes: Changes,
}

const CANDIDATES: [PhaseKind; 5] = [PhaseKind::NEIGHBOURS, TREE, SWEEP, PhaseKind::ALL_PAIRS, GRID];
/// The place of [`AllPairs`](impinge::broad::AllPairs) among the candidates.
const ALL_PAIRS: usize = 3;

impl Auto {
    /// Without items.
    #[must_use]
    pub fn new() -> Self {
        Self {
            incumbent: CANDIDATES[0].make(),
            which: 0,
            challenger: None,
            next: 1,
            wait: FIRST_PAUSE_FRAMES,
            pause: FIRST_PAUSE_FRAMES,
            count: 0,
        }
    }

    /// The name of the broad phase that is used at present.
    #[must_use]
    pub fn present(&self) -> &'static str {
        CANDIDATES[self.which].name()
    }

    /// Decides whether a trial starts, and of which candidate.
    fn plan_trials(&mut self, items: usize) {
        if self.count > 2 * items || items > 2 * self.count {
            self.count = items;
            self.pause = FIRST_PAUSE_FRAMES;
            self.wait = self.wait.min(FIRST_PAUSE_FRAMES);
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
            // All candidates have been tried.
            self.pause = (2 * self.pause).min(MAX_PAUSE_FRAMES);
        }
        self.wait = self.pause;
        let is_hopeless =
            items > if which == ALL_PAIRS { MAX_ITEMS_FOR_ALL_PAIRS } else { MAX_ITEMS_FOR_TRIALS };
        if which != self.which && (which == 0 || !is_hopeless) {
            self.challenger = Some(Challenger {
                phase: CANDIDATES[which].make(),
                which,
                frames: 0,
                own: Duration::ZERO,
                incumbent: Duration::ZERO,
                changes: Changes::default(),
            });
        }
    }

    /// Runs the challenger, if there is one, for a frame in which the incumbent took the given
    /// time; at the end of the trial decides which one is used.
    fn run_trial(&mut self, frame: &FrameInput<'_>, incumbent: Duration) {
        let Some(trial) = &mut self.challenger else { return };
        let start = Instant::now();
        let moved = if trial.frames == 0 { Moved::All } else { frame.moved };
        trial.phase.update_unlimited(&FrameInput { moved, ..*frame }, &mut trial.changes);
        if trial.frames > 0 {
            trial.own += start.elapsed();
            trial.incumbent += incumbent;
        }
        trial.frames += 1;
        let (own, others) = (trial.own.as_secs_f64(), trial.incumbent.as_secs_f64());
        // A trial ends early if the challenger is much slower.
        if trial.frames < TRIAL_FRAMES && (trial.frames < 2 || own < 10.0 * others + 1e-4) {
            return;
        }
        if let Some(trial) = self.challenger.take() {
            if own < MAX_TIME_RATIO * others && trial.frames >= TRIAL_FRAMES {
                self.incumbent = trial.phase;
                self.which = trial.which;
                self.pause = FIRST_PAUSE_FRAMES;
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
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        budget: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        let start = Instant::now();
        let completeness = self.incumbent.update(frame, budget, changes);
        let took = start.elapsed();
        // The order must not depend on the incumbent.
        changes.sort();
        self.plan_trials(frame.bounds.len());
        self.run_trial(frame, took);
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
    fn matches_the_oracle_during_and_after_trials() {
        agrees_with_the_oracle(Auto::new, false);
        agrees_with_the_oracle(Auto::new, true);
    }
}
