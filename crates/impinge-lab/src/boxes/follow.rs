//! A broad phase that follows boxes, and how long each frame takes it.

use std::time::Instant;

use anyhow::Result;
use impinge::broad::{Bounds, BroadPhase, Changes, Frame, Moved, PhaseKind};

/// A broad phase under the clock. What began and ended is part of the time, and the number of pairs
/// comes from it.
#[derive(Debug)]
pub(crate) struct Followed {
    phase: Box<dyn BroadPhase>,
    changes: Changes,
    /// Milliseconds of each frame.
    ms: Vec<f64>,
    /// Pairs that overlap in the last frame, and of all frames together.
    live: u64,
    pairs: u64,
    events: u64,
}

impl Followed {
    pub(crate) fn new(choice: PhaseKind) -> Self {
        let (phase, changes) = (choice.make(), Changes::default());
        Self { phase, changes, ms: Vec::new(), live: 0, pairs: 0, events: 0 }
    }

    /// Takes the next frame.
    pub(crate) fn frame(&mut self, bounds: &[Bounds], moved: Moved<'_>) {
        let start = Instant::now();
        self.phase.update_unlimited(&Frame { bounds, oriented: None, moved }, &mut self.changes);
        let Changes { began, ended, .. } = &self.changes;
        self.live = self.live + began.len() as u64 - ended.len() as u64;
        self.ms.push(start.elapsed().as_secs_f64() * 1e3);
        self.pairs += self.live;
        if self.ms.len() > 1 {
            self.events += (began.len() + ended.len()) as u64;
        }
    }

    /// Takes the times of another pass over the same frames where these are shorter.
    pub(crate) fn keep_fastest(&mut self, other: &Self) {
        self.ms.iter_mut().zip(&other.ms).for_each(|(own, its)| *own = own.min(*its));
    }

    pub(crate) fn frames(&self) -> usize {
        self.ms.len()
    }

    /// Milliseconds of the first frame, in which all is new.
    pub(crate) fn first(&self) -> f64 {
        self.ms.first().copied().unwrap_or(f64::NAN)
    }

    /// Milliseconds of all frames but the first, in order of length.
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

    /// The pairs of all frames together.
    pub(crate) fn pairs(&self) -> u64 {
        self.pairs
    }

    /// What began and ended a frame, without the first.
    pub(crate) fn events_a_frame(&self) -> f64 {
        self.events as f64 / self.ms.len().saturating_sub(1).max(1) as f64
    }

    pub(crate) fn bytes(&self) -> usize {
        self.phase.bytes()
    }
}

/// Runs with so many threads.
pub(crate) fn with_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build()?;
    Ok(pool.install(run))
}

/// The most boxes a broad phase is asked to follow: the slow ones would take minutes.
pub(crate) fn bears(choice: PhaseKind, boxes: usize) -> bool {
    let most = match choice.name() {
        "neighbours" | "auto" | "grid" | "tree" => usize::MAX,
        "sweep" | "octree" => 200_000,
        "all-pairs" | "slabs" => 20_000,
        // By oriented boxes, which these boxes do not have.
        _ => 0,
    };
    boxes <= most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_from_what_began_and_ended() {
        let at = |x: f32| [0.0, x].map(|x| Bounds { min: [x; 3], max: [x + 1.0; 3] });
        let mut followed = Followed::new(PhaseKind::NEIGHBOURS);
        for x in [0.5, 0.6, 2.0, 0.1] {
            followed.frame(&at(x), Moved::All);
        }
        assert_eq!((followed.frames(), followed.live(), followed.pairs()), (4, 1, 3));
        assert!((followed.events_a_frame() - 2.0 / 3.0).abs() < 1e-12);
        assert!(followed.median() <= followed.worst() && followed.mean() > 0.0);
    }
}
