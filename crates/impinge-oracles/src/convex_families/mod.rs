//! Pairs of convex bodies for tests: every kind of body with every kind of placement, generated
//! from a seed.

mod bodies;
mod moves;
mod placements;

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use glam::DVec3 as Vec3;
use impinge::Pose;

use crate::common::{Random, count_from};
#[allow(unused_imports, reason = "each test file uses a part")]
pub use moves::RelativePosition;

/// Two bodies, given as the hulls of points, and the pose of B.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The seed it is generated from.
    pub seed: u64,
    /// The name of the placement of B.
    pub placement: &'static str,
    /// The names of the kinds of A and B.
    pub bodies: [&'static str; 2],
    /// The points of A. Some kinds have points that are not corners of the hull.
    pub a: Vec<Vec3>,
    /// The points of B in its own frame.
    pub b: Vec<Vec3>,
    /// The pose of B in A's frame.
    pub pose: Pose,
}

impl Pair {
    /// The points of B in A's frame, rounded as in queries.
    pub fn placed(&self) -> Vec<Vec3> {
        self.b.iter().map(|p| self.pose.transform_point(*p)).collect()
    }

    /// A short description of the pair, for failure messages.
    pub fn name(&self) -> String {
        let ([a, b], n, m) = (self.bodies, self.a.len(), self.b.len());
        format!("pair {}: {a} of {n} and {b} of {m}, {}", self.seed, self.placement)
    }
}

/// The number of placements. The placement of a pair is its seed modulo this number.
pub const PLACEMENTS: u64 = placements::ALL.len() as u64;

/// Generates the pair of a seed. No body has more than about `max_points` points (at least four);
/// usually fewer than 30.
///
/// Sizes are `1e-6` to `1e6`, distances from the origin up to `1e8` times the size, gaps and
/// overlaps `1e-16` to 1 times the size.
pub fn pair(seed: u64, max_points: usize) -> Pair {
    let mut random = Random::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5851_f42d_4c95_7f2d);
    let (placement, place) = placements::ALL[(seed % PLACEMENTS) as usize];
    let (bodies, a, b, pose) = place(&mut random, max_points.max(4));
    Pair { seed, placement, bodies, a, b, pose }
}

/// Runs `check` for the seeds below `count` on all cores, or on `RAYON_NUM_THREADS` threads. Prints
/// the progress of long runs.
pub fn for_each(count: u64, check: impl Fn(u64) + Sync) {
    const CHUNK: u64 = 16;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (next, start) = (AtomicU64::new(0), Instant::now());
    thread::scope(|scope| {
        for _ in 0..count_from("RAYON_NUM_THREADS", threads).max(1) {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if first >= count {
                        break;
                    }
                    let last = count.min(first + CHUNK);
                    (first..last).for_each(&check);
                    if first / 10_000 != last / 10_000 {
                        let seconds = start.elapsed().as_secs();
                        // Not `print`, whose output the test harness captures for successful tests.
                        let _ = writeln!(std::io::stderr(), "{last} of {count} in {seconds} s");
                    }
                }
            });
        }
    });
}
