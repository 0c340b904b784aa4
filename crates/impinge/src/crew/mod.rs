//! Work that the threads of a pool share, for frames of a tenth of a millisecond.
//!
//! A frame is too short to wait for a thread that sleeps. So the caller begins at once, and the
//! others join in when they are awake; who comes too late finds nothing left. Each thread begins
//! with a share of its own, the same from frame to frame, so that what it kept of the last frame is
//! still in its cache; when that is done it takes from the end of the others' shares (the dynamic
//! load balance that Zachmann 1994, section 6.3, asks for). Threads that [attend] a frame stay
//! awake from one stage of it to the next. Nothing is allocated where the caller is a thread of the
//! pool.

mod attend;
mod list;

pub(crate) use attend::attend;
pub(crate) use list::{Chunks, List};

use std::array;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// At most so many threads share one list.
const SHARES: usize = 16;
/// At most so many items are taken at a time.
const LARGEST: usize = 64;
/// So many turns the caller waits for the last pieces of others before it lets go of its core: some
/// twenty microseconds.
const PATIENCE: usize = 400;
/// So many turns a thread takes to leave when its last piece is done.
const LEAVING: usize = 8;

/// Does `work` on all of a list, in pieces of no fewer than `least` items but the last of a share,
/// by the threads of the current `rayon` pool. The caller does `first` before it joins in; the
/// others do not wait for that.
pub(crate) fn share<L: List, R: Send>(
    list: L,
    least: usize,
    work: impl Fn(L) + Sync,
    first: impl FnOnce() -> R + Send,
) -> R {
    let threads = rayon::current_num_threads().min(SHARES).min(list.len() / least.max(1));
    if threads < 2 {
        let result = first();
        work(list);
        return result;
    }
    let part = list.len().div_ceil(threads);
    let mut rest = Some(list);
    let shares: [Mutex<Option<L>>; SHARES] = array::from_fn(|_| {
        let (own, others) = rest.take().map(|list| list.split(part)).unzip();
        rest = others;
        Mutex::new(own)
    });
    let go = |home: usize| {
        while let Some(piece) = take(&shares[home], least, End::First) {
            work(piece);
        }
        for other in 1..threads {
            while let Some(piece) = take(&shares[(home + other) % threads], least, End::Last) {
                work(piece);
            }
        }
    };
    let others = Helping::default();
    let help = |home: usize| others.help(|| go(home));
    let main = || {
        let result = first();
        go(home(threads));
        others.wait();
        result
    };
    let is_inside = rayon::current_thread_index().is_some();
    offer(threads - 1, main, &|number| help(if is_inside { home(threads) } else { number }))
}

/// How many help at this moment.
#[derive(Debug, Default)]
struct Helping(AtomicUsize);

impl Helping {
    fn help(&self, work: impl FnOnce()) {
        self.0.fetch_add(1, Ordering::Relaxed);
        work();
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// Waits a little for all who help. The pool would give the core away at once, and on a busy
    /// machine not have it back for milliseconds. Who does the waiting in the end is the pool, so
    /// no order of memory hangs on this.
    fn wait(&self) {
        let mut patience = PATIENCE;
        while patience > 0 && self.0.load(Ordering::Relaxed) > 0 {
            spin_loop();
            patience -= 1;
        }
        (0..LEAVING).for_each(|_| spin_loop());
    }
}

/// The share of this thread.
fn home(threads: usize) -> usize {
    rayon::current_thread_index().map_or(0, |index| index % threads)
}

/// Offers `help` to so many other threads, with their numbers from one on, and does `main`.
fn offer<R: Send>(
    helpers: usize,
    main: impl FnOnce() -> R + Send,
    help: &(impl Fn(usize) + Sync),
) -> R {
    if rayon::current_thread_index().is_some() {
        return fan_out(helpers, main, help);
    }
    // A caller from outside would have to wait for a thread of the pool to take its place.
    rayon::in_place_scope(|scope| {
        for number in 1..=helpers {
            scope.spawn(move |_| help(number));
        }
        main()
    })
}

fn fan_out<R: Send>(
    helpers: usize,
    main: impl FnOnce() -> R + Send,
    help: &(impl Fn(usize) + Sync),
) -> R {
    match helpers {
        0 => main(),
        _ => rayon::join(|| fan_out(helpers - 1, main, help), || help(helpers)).0,
    }
}

/// Which end of a share to take from.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

/// A piece of a share: a quarter of what is there, so that there are few pieces, and small ones at
/// the end.
fn take<L: List>(share: &Mutex<Option<L>>, least: usize, end: End) -> Option<L> {
    // Nobody works while he holds the lock, so it is never poisoned.
    let mut share = share.lock().unwrap_or_else(PoisonError::into_inner);
    let list = share.take().filter(|list| list.len() > 0)?;
    let size = (list.len() / 4).min(LARGEST).max(least.max(1));
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

    /// Every item is worked on once, whoever does it, with what stands beside it.
    #[test]
    fn all_items_once() {
        for threads in [1, 2, 3, 20] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for count in [0, 1, 2, 7, 100, 5000] {
                for least in [0, 1, 4, 64] {
                    let beside: Vec<usize> = (0..count).collect();
                    let (mut items, mut done) = (vec![0_usize; count], vec![0_u32; count]);
                    let list = (&beside[..], (&mut items[..], &mut done[..]));
                    let work =
                        |(numbers, (items, done)): (&[usize], (&mut [usize], &mut [u32]))| {
                            assert!(!numbers.is_empty() || count == 0);
                            for (k, number) in numbers.iter().enumerate() {
                                items[k] = 3 * number;
                                done[k] += 1;
                            }
                        };
                    let seven = pool.install(|| share(list, least, work, || 7));
                    assert_eq!(seven, 7);
                    assert!(items.iter().zip(&beside).all(|(item, n)| *item == 3 * n));
                    assert!(done.iter().all(|done| *done == 1));
                }
            }
        }
    }

    /// From a thread that is in no pool.
    #[test]
    fn callers_from_outside() {
        let mut items = vec![1_u64; 3000];
        let double = |piece: &mut [u64]| piece.iter_mut().for_each(|item| *item *= 2);
        for _ in 0..20 {
            share(&mut items[..], 8, double, || ());
        }
        assert!(items.iter().all(|item| *item == 1 << 20));
    }
}
