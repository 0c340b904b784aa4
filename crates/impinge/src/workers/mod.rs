//! Shares the work of one frame among the workers of a `rayon` pool, for frames of a tenth of a
//! millisecond.
//!
//! Waking a worker takes as long as a stage of such a frame. So the caller starts at once, and the
//! other workers join in as soon as they are awake; a worker that is too late finds nothing left to
//! do. Each worker starts with its own share, the same in every frame, because the data of the
//! last frame is still in its cache. When its share is done, it takes work from the end of the
//! other shares (dynamic load balancing, as Zachmann 1994, section 6.3, requires).
//! [`keep_workers_awake`] keeps workers awake from one stage of a frame to the next. Nothing is
//! allocated if the caller is a worker of the pool.

mod awake;
mod calls;
mod split;

pub(crate) use awake::keep_workers_awake;
pub(crate) use calls::{for_each, join, lock, map};
pub(crate) use split::{Chunks, Split};

use std::array;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The most workers that share one list.
const MAX_SHARES: usize = 16;
/// The most items that a worker takes at a time.
const MAX_ITEMS_PER_PIECE: usize = 64;
/// Spin iterations in which the caller waits for the last pieces of other workers before it blocks:
/// about twenty microseconds.
const SPINS_BEFORE_BLOCKING: usize = 400;
/// Spin iterations that a worker needs to return after its last piece is done.
const SPINS_FOR_WORKER_RETURN: usize = 8;

/// Calls `work` on an entire list, in pieces of at least `min_items` (the last piece of a share may
/// be smaller), on the workers of the current `rayon` pool. The caller runs `before` first, once,
/// and then takes part; the other workers do not wait for `before`.
pub(crate) fn share<L: Split>(
    list: L,
    min_items: usize,
    work: impl Fn(L) + Sync,
    mut before: impl FnMut() + Send,
) {
    let workers = rayon::current_num_threads().min(MAX_SHARES).min(list.len() / min_items.max(1));
    if workers < 2 {
        before();
        return work(list);
    }
    let share_len = list.len().div_ceil(workers);
    let mut rest = Some(list);
    let shares: [Mutex<Option<L>>; MAX_SHARES] = array::from_fn(|_| {
        let (own, others) = rest.take().map(|list| list.split(share_len)).unzip();
        rest = others;
        Mutex::new(own)
    });
    let run = |home: usize| {
        while let Some(piece) = take(&shares[home], min_items, End::First) {
            work(piece);
        }
        for other in 1..workers {
            while let Some(piece) = take(&shares[(home + other) % workers], min_items, End::Last) {
                work(piece);
            }
        }
    };
    offer_shares(workers, &mut before, &run);
}

/// Calls `before` and then `run` with the caller's share, while up to `workers - 1` other workers
/// run with theirs. Like all that calls the pool here, not generic: each call of the pool with a
/// type of its own is a thousand lines of code.
fn offer_shares(workers: usize, before: &mut (dyn FnMut() + Send), run: &(dyn Fn(usize) + Sync)) {
    let is_inside = rayon::current_thread_index().is_some();
    let helpers = ActiveHelpers::default();
    let help = |number: usize| {
        helpers.count_during(&mut || run(if is_inside { own_share(workers) } else { number }));
    };
    let mut main = || {
        before();
        run(own_share(workers));
        helpers.wait();
    };
    if is_inside {
        return fan_out(workers - 1, &mut main, &help);
    }
    // With `join`, a caller outside the pool would have to wait until a worker runs its part.
    rayon::in_place_scope(|scope| {
        for number in 1..workers {
            let help = &help;
            scope.spawn(move |_| help(number));
        }
        main();
    });
}

/// Runs `main` and offers `help` to `helpers` other workers, numbered from one.
fn fan_out(helpers: usize, main: &mut (dyn FnMut() + Send), help: &(dyn Fn(usize) + Sync)) {
    if helpers == 0 {
        return main();
    }
    rayon::join(|| fan_out(helpers - 1, main, help), || help(helpers));
}

/// Counts the active helpers.
#[derive(Debug, Default)]
struct ActiveHelpers(AtomicUsize);

impl ActiveHelpers {
    fn count_during(&self, work: &mut dyn FnMut()) {
        self.0.fetch_add(1, Ordering::Relaxed);
        work();
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// Spins for a limited time until no helper is active. The pool would block at once, and on a
    /// busy machine the caller would not get its core back for milliseconds. The pool still does
    /// the final waiting, so correctness does not depend on the memory order used here.
    fn wait(&self) {
        let mut spins = SPINS_BEFORE_BLOCKING;
        while spins > 0 && self.0.load(Ordering::Relaxed) > 0 {
            spin_loop();
            spins -= 1;
        }
        (0..SPINS_FOR_WORKER_RETURN).for_each(|_| spin_loop());
    }
}

/// The share that this worker starts with.
fn own_share(workers: usize) -> usize {
    rayon::current_thread_index().map_or(0, |index| index % workers)
}

/// The end of a share that a piece is taken from.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

/// Takes a piece from a share: a quarter of what is left, so that there are few pieces, and small
/// ones at the end.
fn take<L: Split>(share: &Mutex<Option<L>>, min_items: usize, end: End) -> Option<L> {
    // No work is done under the lock, so it is never poisoned.
    let mut share = share.lock().unwrap_or_else(PoisonError::into_inner);
    let list = share.take().filter(|list| list.len() > 0)?;
    let size = (list.len() / 4).min(MAX_ITEMS_PER_PIECE).max(min_items.max(1));
    if size >= list.len() {
        return Some(list);
    }
    let (piece, rest) = match end {
        End::First => list.split(size),
        End::Last => {
            let at = list.len() - size;
            let (rest, piece) = list.split(at);
            (piece, rest)
        }
    };
    *share = Some(rest);
    Some(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every item is processed exactly once, together with the items at the same index of the other
    /// lists.
    #[test]
    fn every_item_is_processed_once() {
        for workers in [1, 2, 3, 20] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
            for count in [0, 1, 2, 7, 100, 5000] {
                for min_items in [0, 1, 4, 64] {
                    let numbers: Vec<usize> = (0..count).collect();
                    let (mut items, mut visits) = (vec![0_usize; count], vec![0_u32; count]);
                    let list = (&numbers[..], (&mut items[..], &mut visits[..]));
                    let work =
                        |(numbers, (items, visits)): (&[usize], (&mut [usize], &mut [u32]))| {
                            assert!(!numbers.is_empty() || count == 0);
                            for (k, number) in numbers.iter().enumerate() {
                                items[k] = 3 * number;
                                visits[k] += 1;
                            }
                        };
                    let mut before = 0;
                    pool.install(|| share(list, min_items, work, || before += 1));
                    assert_eq!(before, 1);
                    assert!(items.iter().zip(&numbers).all(|(item, n)| *item == 3 * n));
                    assert!(visits.iter().all(|visits| *visits == 1));
                }
            }
        }
    }

    /// The caller is a thread that belongs to no pool.
    #[test]
    fn callers_outside_the_pool_share_work() {
        let mut items = vec![1_u64; 3000];
        let double = |piece: &mut [u64]| piece.iter_mut().for_each(|item| *item *= 2);
        for _ in 0..20 {
            share(&mut items[..], 8, double, || ());
        }
        assert!(items.iter().all(|item| *item == 1 << 20));
    }
}
