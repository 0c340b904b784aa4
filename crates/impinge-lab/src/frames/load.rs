//! One load: frames with a budget in which a number of bodies moves.

use std::time::{Duration, Instant};

use anyhow::Result;
use impinge::pair::Budget;

use super::scene::{Compared, Scene};
use crate::report::thread_time;

/// What was measured with one load.
#[derive(Debug, Default)]
pub(super) struct Measured {
    /// Bodies that moved in a frame.
    pub(super) moved: usize,
    /// The share of the pairs with overlapping boxes that is decided, in the mean over frames.
    pub(super) decided: f64,
    /// Undecided pairs in a frame, in the mean; their mean width of bounds and age in frames.
    pub(super) undecided: f64,
    pub(super) width: f64,
    pub(super) age: f64,
    pub(super) max_age: u64,
    /// Microseconds beyond the budget, for updates that spent it: processor time of the thread.
    pub(super) late: Vec<f64>,
    pub(super) compared: Compared,
}

/// How long a load is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// Frames before those that count, so that the number of undecided pairs is steady.
    pub(super) before: usize,
    pub(super) frames: usize,
    /// Frames between two in which the undecided pairs are visited, and that are compared with the
    /// exact twin.
    pub(super) interval: usize,
}

/// Runs frames in which `moved` bodies move, each with this budget.
pub(super) fn measure(
    scene: &mut Scene,
    moved: usize,
    micros: u64,
    length: Length,
) -> Result<Measured> {
    scene.settle();
    let mut found = Measured { moved, ..Measured::default() };
    let (mut visits, mut pairs) = (0_u64, 0_u64);
    for frame in 0..length.before + length.frames {
        scene.step(moved)?;
        let (late, is_over) = update(scene, micros);
        if frame < length.before {
            continue;
        }
        if is_over {
            found.late.push(late);
        }
        if frame % length.interval != 0 {
            continue;
        }
        visits += 1;
        let report = scene.world.report();
        let (all, frame_now) = (report.stats().pairs.max(1), report.frame);
        let mut open = 0;
        for pair in scene.world.undecided() {
            open += 1;
            let age = frame_now - pair.since + 1;
            found.width += pair.bounds.upper - pair.bounds.lower;
            found.age += age as f64;
            found.max_age = found.max_age.max(age);
        }
        pairs += open;
        found.decided += 1.0 - open as f64 / all as f64;
        let compared = scene.compare();
        found.compared.pairs += compared.pairs;
        found.compared.wrong += compared.wrong;
    }
    found.decided /= visits.max(1) as f64;
    found.undecided = pairs as f64 / visits.max(1) as f64;
    found.width /= pairs.max(1) as f64;
    found.age /= pairs.max(1) as f64;
    Ok(found)
}

/// One update: the microseconds beyond the budget, and whether the budget was spent.
fn update(scene: &mut Scene, micros: u64) -> (f64, bool) {
    let allowed = Duration::from_micros(micros);
    let start = thread_time();
    let mut budget = Budget::deadline(Instant::now() + allowed);
    scene.world.update_within(&mut budget);
    let late = (thread_time() - start).saturating_sub(allowed);
    (late.as_secs_f64() * 1e6, budget.is_over())
}

/// The processor time in microseconds of an update without a limit that counts, for each body that
/// moves.
pub(super) fn micros_per_body(scene: &mut Scene, frames: usize) -> Result<f64> {
    let moved = (scene.count() / 4).max(1);
    let mut times = Vec::new();
    for _ in 0..frames.max(1) {
        scene.step(moved)?;
        let start = thread_time();
        scene.world.update_within(&mut Budget::steps(1 << 40));
        times.push((thread_time() - start).as_secs_f64() * 1e6 / moved as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
