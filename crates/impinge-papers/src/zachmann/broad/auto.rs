//! The fastest of several broad phases, found by trials.

use std::time::{Duration, Instant};

use super::{GRID, SWEEP};
use crate::klosowski::dynamic_tree::TREE;
use impinge::broad::{BroadPhase, Changes, Completeness, FrameInput, Moved, Pair, PhaseKind};
use impinge::pair::Budget;

/// Frames that a candidate runs beside the current broad phase before their times are compared. The
/// first frame, in which all items are new to the candidate, does not count.
const TRIAL_FRAMES: u32 = 6;
/// Frames before the first trial, and between trials at first. The number between trials is doubled
/// after each round of trials that changes nothing.
const FIRST_FRAMES_BETWEEN_TRIALS: u32 = 8;
/// The most frames between trials.
const MAX_FRAMES_BETWEEN_TRIALS: u32 = 4096;
/// A candidate replaces the current broad phase if it takes less than this share of its time.
const MAX_TIME_RATIO: f64 = 0.8;
/// [`AllPairs`](impinge::broad::AllPairs) is not tried with more items than this.
const MAX_ITEMS_FOR_ALL_PAIRS: usize = 256;
/// With more items than this, only the first candidate is used: lists of neighbours were ten times
/// faster than all others in every scene that was measured (`docs/results/broad-scenes.md`), and a
/// trial would cost more than it could save.
const MAX_ITEMS_FOR_TRIALS: usize = 4096;

/// Runs one broad phase, and from time to time another candidate beside it for a few frames; the
/// faster one is used from then on.
///
/// The results do not depend on which one is used: pairs are the same, and [`Changes`] are sorted.
/// Trials cost a few percent of the time of the frames at first, and less later. They start again
/// when the number of items has doubled or halved.
#[derive(Debug)]
pub struct Auto {
    current: Box<dyn BroadPhase>,
    /// The place of the current broad phase among the candidates.
    current_candidate: usize,
    trial: Option<Trial>,
    /// The candidate that is tried next.
    next: usize,
    /// Frames until the next trial.
    frames_until_trial: u32,
    /// Frames between trials.
    frames_between_trials: u32,
    /// The number of items when trials started.
    count: usize,
}

#[derive(Debug)]
struct Trial {
    phase: Box<dyn BroadPhase>,
    candidate: usize,
    frames: u32,
    /// Time spent by the candidate and by the current broad phase in the frames that count.
    own: Duration,
    current: Duration,
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
            current: CANDIDATES[0].make(),
            current_candidate: 0,
            trial: None,
            next: 1,
            frames_until_trial: FIRST_FRAMES_BETWEEN_TRIALS,
            frames_between_trials: FIRST_FRAMES_BETWEEN_TRIALS,
            count: 0,
        }
    }

    /// The name of the current broad phase.
    #[must_use]
    pub fn current_name(&self) -> &'static str {
        CANDIDATES[self.current_candidate].name()
    }

    /// Decides whether a trial starts, and of which candidate.
    fn plan_trials(&mut self, items: usize) {
        if self.count > 2 * items || items > 2 * self.count {
            self.count = items;
            self.frames_between_trials = FIRST_FRAMES_BETWEEN_TRIALS;
            self.frames_until_trial = self.frames_until_trial.min(FIRST_FRAMES_BETWEEN_TRIALS);
        }
        if self.trial.is_some() {
            return;
        }
        self.frames_until_trial = self.frames_until_trial.saturating_sub(1);
        if self.frames_until_trial > 0 {
            return;
        }
        let candidate = self.next;
        self.next = (candidate + 1) % CANDIDATES.len();
        if self.next == 0 {
            // All candidates have been tried.
            self.frames_between_trials =
                (2 * self.frames_between_trials).min(MAX_FRAMES_BETWEEN_TRIALS);
        }
        self.frames_until_trial = self.frames_between_trials;
        let has_too_many_items = items
            > if candidate == ALL_PAIRS { MAX_ITEMS_FOR_ALL_PAIRS } else { MAX_ITEMS_FOR_TRIALS };
        if candidate != self.current_candidate && (candidate == 0 || !has_too_many_items) {
            self.trial = Some(Trial {
                phase: CANDIDATES[candidate].make(),
                candidate,
                frames: 0,
                own: Duration::ZERO,
                current: Duration::ZERO,
                changes: Changes::default(),
            });
        }
    }

    /// Runs the trial, if there is one, for a frame in which the current broad phase took the given
    /// time; at the end of the trial decides which one is used.
    fn run_trial(&mut self, frame: &FrameInput<'_>, current: Duration) {
        let Some(trial) = &mut self.trial else { return };
        let start = Instant::now();
        let moved = if trial.frames == 0 { Moved::All } else { frame.moved };
        trial.phase.update_unlimited(&FrameInput { moved, ..*frame }, &mut trial.changes);
        if trial.frames > 0 {
            trial.own += start.elapsed();
            trial.current += current;
        }
        trial.frames += 1;
        let (own, others) = (trial.own.as_secs_f64(), trial.current.as_secs_f64());
        // A trial ends early if the candidate is much slower.
        if trial.frames < TRIAL_FRAMES && (trial.frames < 2 || own < 10.0 * others + 1e-4) {
            return;
        }
        if let Some(trial) = self.trial.take() {
            if own < MAX_TIME_RATIO * others && trial.frames >= TRIAL_FRAMES {
                self.current = trial.phase;
                self.current_candidate = trial.candidate;
                self.frames_between_trials = FIRST_FRAMES_BETWEEN_TRIALS;
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
        let completeness = self.current.update(frame, budget, changes);
        let took = start.elapsed();
        // The order must not depend on the current broad phase.
        changes.sort();
        self.plan_trials(frame.bounds.len());
        self.run_trial(frame, took);
        completeness
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        self.current.pairs(to);
    }

    fn bytes(&self) -> usize {
        self.current.bytes() + self.trial.as_ref().map_or(0, |c| c.phase.bytes())
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
