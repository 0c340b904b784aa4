//! Times of a broad phase that follows moving boxes.

use std::time::Instant;

use anyhow::Result;
use impinge::broad::{BoxF32, BroadPhase, Changes, FrameInput, Moved, PhaseKind};

/// A broad phase, and the times of its frames. The time includes reporting the pairs that began and
/// ended; the number of pairs is counted from these events.
#[derive(Debug)]
pub(crate) struct TimedPhase {
    phase: Box<dyn BroadPhase>,
    changes: Changes,
    /// Milliseconds of each frame.
    ms: Vec<f64>,
    /// Pairs that overlap in the last frame.
    live: u64,
    /// Sum of the overlapping pairs over all frames.
    pairs: u64,
    /// Pairs that began or ended, without those of the first frame.
    events: u64,
}

impl TimedPhase {
    pub(crate) fn new(kind: PhaseKind) -> Self {
        let (phase, changes) = (kind.make(), Changes::default());
        Self { phase, changes, ms: Vec::new(), live: 0, pairs: 0, events: 0 }
    }

    /// Updates the broad phase with the next frame.
    pub(crate) fn frame(&mut self, bounds: &[BoxF32], moved: Moved<'_>) {
        let start = Instant::now();
        self.phase
            .update_unlimited(&FrameInput { bounds, oriented: None, moved }, &mut self.changes);
        let Changes { began, ended, .. } = &self.changes;
        self.live = self.live + began.len() as u64 - ended.len() as u64;
        self.ms.push(start.elapsed().as_secs_f64() * 1e3);
        self.pairs += self.live;
        if self.ms.len() > 1 {
            self.events += (began.len() + ended.len()) as u64;
        }
    }

    /// Keeps the shorter time of each frame, of this pass and another one over the same frames.
    pub(crate) fn keep_fastest(&mut self, other: &Self) {
        self.ms.iter_mut().zip(&other.ms).for_each(|(best, other_ms)| *best = best.min(*other_ms));
    }

    pub(crate) fn frames(&self) -> usize {
        self.ms.len()
    }

    /// Milliseconds of the first frame, in which all boxes are new.
    pub(crate) fn first(&self) -> f64 {
        self.ms.first().copied().unwrap_or(f64::NAN)
    }

    /// Milliseconds of all frames but the first, sorted.
    fn sorted(&self) -> Vec<f64> {
        let mut ms: Vec<f64> = self.ms.iter().skip(1).copied().collect();
        ms.sort_by(f64::total_cmp);
        ms
    }

    pub(crate) fn median(&self) -> f64 {
        let ms = self.sorted();
        ms.get(ms.len() / 2).copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn mean(&self) -> f64 {
        let ms = self.sorted();
        ms.iter().sum::<f64>() / ms.len() as f64
    }

    pub(crate) fn worst(&self) -> f64 {
        self.sorted().last().copied().unwrap_or(f64::NAN)
    }

    /// Pairs that overlap in the last frame.
    pub(crate) fn live(&self) -> u64 {
        self.live
    }

    /// The sum of the overlapping pairs over all frames.
    pub(crate) fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The mean number of pairs that began or ended per frame, without the first frame.
    pub(crate) fn events_per_frame(&self) -> f64 {
        self.events as f64 / self.ms.len().saturating_sub(1).max(1) as f64
    }

    pub(crate) fn bytes(&self) -> usize {
        self.phase.bytes()
    }
}

/// Runs a function in a pool of `threads` threads.
pub(crate) fn with_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build()?;
    Ok(pool.install(run))
}

/// Whether a broad phase is measured for this number of boxes. The slow ones would take minutes.
pub(crate) fn is_feasible(kind: PhaseKind, boxes: usize) -> bool {
    let max_boxes = match kind.name() {
        "neighbours" | "auto" | "grid" | "tree" => usize::MAX,
        "sweep" | "octree" => 200_000,
        "all-pairs" | "slabs" => 20_000,
        // The others need oriented boxes, which these scenes do not have.
        _ => 0,
    };
    boxes <= max_boxes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_from_events() {
        let at = |x: f32| [0.0, x].map(|x| BoxF32 { min: [x; 3], max: [x + 1.0; 3] });
        let mut timed = TimedPhase::new(PhaseKind::NEIGHBOURS);
        for x in [0.5, 0.6, 2.0, 0.1] {
            timed.frame(&at(x), Moved::All);
        }
        assert_eq!((timed.frames(), timed.live(), timed.pairs()), (4, 1, 3));
        assert!((timed.events_per_frame() - 2.0 / 3.0).abs() < 1e-12);
        assert!(timed.median() <= timed.worst() && timed.mean() > 0.0);
    }
}
