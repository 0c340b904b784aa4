//! Pairs of convex bodies for tests: every kind of body against every kind of placement, made from
//! a number.
//!
//! A test crate that uses this module also has `mod common`.

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
pub use moves::Stand;

/// Two bodies, the hulls of their points, and where B is.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The number it is made from.
    pub seed: u64,
    /// How B is placed.
    pub placement: &'static str,
    /// What A and B are.
    pub bodies: [&'static str; 2],
    /// The points of A. Some families have points that are no corners of the hull.
    pub a: Vec<Vec3>,
    /// The points of B in its own frame.
    pub b: Vec<Vec3>,
    /// The pose of B in A's frame.
    pub pose: Pose,
}

impl Pair {
    /// The points of B in A's frame, as every query sees them.
    pub fn placed(&self) -> Vec<Vec3> {
        self.b.iter().map(|p| self.pose.transform_point(*p)).collect()
    }

    /// The pair in a few words, for failures.
    pub fn name(&self) -> String {
        let ([a, b], n, m) = (self.bodies, self.a.len(), self.b.len());
        format!("pair {}: {a} of {n} and {b} of {m}, {}", self.seed, self.placement)
    }
}

/// How many placements there are; the placement is the seed modulo this number.
pub const PLACEMENTS: u64 = placements::ALL.len() as u64;

/// The pair of a number. No body has more than about `most` points (four at least); most have fewer
/// than 30.
///
/// Sizes are `1e-6` to `1e6`, up to `1e8` times as far from the origin; gaps and overlaps `1e-16`
/// to 1 of the size.
pub fn pair(seed: u64, most: usize) -> Pair {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5851_f42d_4c95_7f2d);
    let (placement, place) = placements::ALL[(seed % PLACEMENTS) as usize];
    let (bodies, a, b, pose) = place(&mut random, most.max(4));
    Pair { seed, placement, bodies, a, b, pose }
}

/// Runs `check` for the numbers below `count` on all cores, or on as many as `RAYON_NUM_THREADS`
/// says; says how far it is when that takes long.
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
                        // Not `print`, which a test that succeeds keeps to itself.
                        let _ = writeln!(std::io::stderr(), "{last} of {count} in {seconds} s");
                    }
                }
            });
        }
    });
}
