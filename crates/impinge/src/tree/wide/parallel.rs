//! All pairs of two meshes, found by all threads.
//!
//! One thread opens the first levels. Each thread then repeatedly takes a share of the remaining
//! parts: large shares at first, single parts in the end. It keeps its results in one list, so
//! there are as many lists to sort and merge as threads. Merging is divided among the threads by
//! ranges of the result.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::math::Pose;
use crate::mesh::Mesh;
use crate::sink::{Collect, sort_key};
use crate::wide::{Wide, dispatch};
use crate::workers::{self, lock};

use super::Tree;
use super::node::Link;
use super::relative::Relative;
use super::traverse::{Query, Traversal, Work};

/// Number of parts for each thread: enough for threads that finish early to take more.
const PARTS_PER_THREAD: usize = 64;

/// A share is the number of remaining parts divided by this number for each thread.
const SHARES_PER_THREAD: usize = 4;

/// A pair of triangles.
type Pair = (u32, u32);

/// Every pair of triangles that share a point, sorted, found by the threads of the current `rayon`
/// pool. The pairs are those of [`traverse`](super::traverse), for any number of threads; `None`
/// where that returns false.
#[must_use]
pub(crate) fn par_pairs(a: (&Mesh, &Tree), b: (&Mesh, &Tree), pose: &Pose) -> Option<Vec<Pair>> {
    let relative = Relative::new(a.1, b.1, pose)?;
    let query = Query::new(a, b, pose, &relative);
    let Some(roots) = query.roots() else {
        return Some(Vec::new());
    };
    let threads = rayon::current_num_threads();
    if threads == 1 {
        let mut all = Collect::default();
        dispatch::run(Traversal {
            query: &query,
            start: &[roots],
            sink: &mut all,
            steps: usize::MAX,
        });
        return Some(all.into_sorted());
    }
    let parts =
        dispatch::run(Expand { query: &query, roots, min_pairs: PARTS_PER_THREAD * threads });
    let shared = Shared {
        query: &query,
        parts: &parts,
        shares: SHARES_PER_THREAD * threads,
        next: AtomicUsize::new(0),
        runs: Mutex::default(),
    };
    rayon::scope(|scope| {
        // A task that starts late finds no parts left and ends at once, so busy threads delay
        // nothing.
        for _ in 1..threads.min(parts.len()) {
            scope.spawn(|_| shared.work());
        }
        shared.work();
    });
    let runs = shared.runs.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Some(merge(runs, threads))
}

/// The parts of a traversal, shared by all threads.
struct Shared<'q> {
    query: &'q Query<'q>,
    parts: &'q [(Link, Link)],
    shares: usize,
    /// The first part that is not taken.
    next: AtomicUsize,
    /// The sorted results of each thread.
    runs: Mutex<Vec<Vec<Pair>>>,
}

impl Shared<'_> {
    /// Takes a share of the remaining parts; empty if there are none.
    fn take(&self) -> &[(Link, Link)] {
        let all = self.parts.len();
        let after = |start: usize| start + (all - start).div_ceil(self.shares);
        let taken = self
            .next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |start| Some(after(start)));
        let (Ok(start) | Err(start)) = taken;
        &self.parts[start..after(start)]
    }

    /// Processes parts until there are none, and stores the results.
    fn work(&self) {
        let mut found = Collect::default();
        loop {
            let start = self.take();
            if start.is_empty() {
                break;
            }
            dispatch::run(Traversal {
                query: self.query,
                start,
                sink: &mut found,
                steps: usize::MAX,
            });
        }
        if !found.pairs.is_empty() {
            let run = found.into_sorted();
            self.runs.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(run);
        }
    }
}

/// Merges sorted lists without common elements, with `threads` threads.
fn merge(mut runs: Vec<Vec<Pair>>, threads: usize) -> Vec<Pair> {
    if runs.len() < 2 {
        return runs.pop().unwrap_or_default();
    }
    // The ranges are bounded by evenly spaced elements of the sorted samples, which are evenly
    // spaced elements of each list.
    let mut samples: Vec<u64> = Vec::with_capacity(runs.len() * threads);
    for run in &runs {
        samples.extend((1..=threads).map(|k| sort_key(&run[(run.len() - 1) * k / threads])));
    }
    samples.sort_unstable();
    let cuts: Vec<u64> = (1..threads).map(|k| samples[samples.len() * k / threads]).collect();
    let mut merged = vec![(0, 0); runs.iter().map(Vec::len).sum()];
    let mut rest: Vec<&[Pair]> = runs.iter().map(Vec::as_slice).collect();
    let mut left = merged.as_mut_slice();
    let mut ranges = Vec::with_capacity(threads);
    for cut in cuts.into_iter().chain([u64::MAX]) {
        let mut pieces = Vec::with_capacity(rest.len());
        for run in &mut rest {
            let (piece, after) = run.split_at(run.partition_point(|pair| sort_key(pair) < cut));
            pieces.push(piece);
            *run = after;
        }
        let (to, after) = left.split_at_mut(pieces.iter().map(|piece| piece.len()).sum());
        ranges.push(Mutex::new((to, pieces)));
        left = after;
    }
    workers::for_each(ranges.len(), &|k| {
        let (to, pieces) = &mut *lock(&ranges[k]);
        let mut rest = &mut **to;
        for piece in pieces {
            let (place, after) = rest.split_at_mut(piece.len());
            place.copy_from_slice(piece);
            rest = after;
        }
        // The stable sort is a merge sort that detects the sorted runs.
        to.sort_by_key(sort_key);
    });
    merged
}

/// Opens the first levels of a traversal, until there are at least `min_pairs` pairs.
struct Expand<'q> {
    query: &'q Query<'q>,
    roots: (Link, Link),
    min_pairs: usize,
}

impl dispatch::Task for Expand<'_> {
    type Output = Vec<(Link, Link)>;

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        let mut work = Work::default();
        work.add(self.roots.0, self.roots.1);
        loop {
            let count = std::mem::take(&mut work.steps.count);
            if count == 0 || count + work.leaves.count >= self.min_pairs {
                work.steps.count = count;
                break;
            }
            let level: Vec<_> = (0..count).map(|k| work.steps.get(k)).collect();
            for step in level {
                self.query.step::<W, false>(step, &mut work);
            }
        }
        let Work { steps, leaves } = &work;
        let steps = (0..steps.count).map(|k| steps.get(k));
        steps.chain((0..leaves.count).map(|k| leaves.get(k))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn runs_of_any_length_are_merged() {
        let mut random = Random::new(8);
        let mut below = |n: usize| (random.unit() * n as f64) as usize;
        for lists in 0..9 {
            for threads in [1, 2, 3, 16] {
                // Each pair is in one list; there are few distinct first numbers, so that range
                // borders fall between pairs with equal first numbers.
                let mut runs = vec![Vec::new(); lists];
                let all: Vec<Pair> =
                    (0..40 * lists as u32).map(|k| (k / 100 * 7, k % 100 * 3)).collect();
                for pair in &all {
                    runs[below(lists).min(below(lists))].push(*pair);
                }
                runs.retain(|run| !run.is_empty());
                assert_eq!(merge(runs, threads), all);
            }
        }
    }
}
