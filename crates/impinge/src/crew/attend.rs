//! Threads that stay awake for as long as a frame takes.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rayon::Yield;

use super::{Helping, SHARES, fan_out};

/// So many turns one who stands by waits before he looks for work again: some half a microsecond.
const PAUSE: usize = 8;

/// Does `work` while so many other threads of the current `rayon` pool, or as many as there are,
/// look for what it shares, and do not fall asleep between its stages. A thread that sleeps takes
/// tens of microseconds to wake, a stage of a frame hardly more. They also do what else there is to
/// do in the pool, and the caller waits for them in the end, as in every `join`: what takes long
/// does not belong in the same pool.
///
/// Without effect where the caller is no thread of the pool: he may hold a lock that a job of the
/// pool waits for.
pub(crate) fn attend<R: Send>(helpers: usize, work: impl FnOnce() -> R + Send) -> R {
    let helpers = helpers.min(rayon::current_num_threads() - 1).min(SHARES - 1);
    let caller = rayon::current_thread_index();
    if helpers == 0 || caller.is_none() {
        return work();
    }
    let over = AtomicBool::new(false);
    let others = Helping::default();
    let stand_by = || {
        // Pools take the latest of their own jobs first, and the caller never comes to this one
        // before the work is over. Should one do otherwise, he must not wait for himself.
        if rayon::current_thread_index() == caller {
            return;
        }
        others.help(|| {
            while !over.load(Ordering::Relaxed) {
                if rayon::yield_now() != Some(Yield::Executed) {
                    (0..PAUSE).for_each(|_| spin_loop());
                    // Where there are more threads than cores, somebody else may need this one.
                    thread::yield_now();
                }
            }
        });
    };
    let main = || {
        let end = Over(&over);
        let result = work();
        drop(end);
        others.wait();
        result
    };
    fan_out(helpers, main, &|_| stand_by())
}

/// Says that the work is over, also where it panics.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::super::share;
    use super::*;

    /// Stage after stage, also of one frame within another, and from a thread that is in no pool.
    #[test]
    fn stages_find_their_helpers() {
        let frame = || {
            let mut items = vec![1_u64; 3000];
            for _ in 0..20 {
                let double = |piece: &mut [u64]| piece.iter_mut().for_each(|item| *item *= 2);
                share(&mut items[..], 8, double, || ());
            }
            assert!(items.iter().all(|item| *item == 1 << 20));
            items.len()
        };
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for helpers in [0, 1, 3, 100] {
                let found = pool.install(|| attend(helpers, || attend(helpers, frame)));
                assert_eq!(found, 3000);
            }
        }
        assert_eq!(attend(3, frame), 3000);
    }

    /// Those who stand by do other work meanwhile.
    #[test]
    fn other_work_goes_on() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let done = AtomicBool::new(false);
        pool.in_place_scope(|scope| {
            scope.spawn(|scope| {
                attend(1, || {
                    scope.spawn(|_| done.store(true, Ordering::Release));
                    while !done.load(Ordering::Acquire) {
                        thread::yield_now();
                    }
                });
            });
        });
        assert!(done.into_inner());
    }

    /// A caller from outside that holds a lock which jobs of the pool wait for.
    #[test]
    fn a_lock_of_the_caller_is_no_trap() {
        let lock = std::sync::Mutex::new(0);
        rayon::scope(|_| {});
        rayon::in_place_scope(|scope| {
            let held = lock.lock().unwrap();
            scope.spawn(|_| *lock.lock().unwrap() += 1);
            assert_eq!(attend(3, || 7), 7);
            drop(held);
        });
        assert_eq!(lock.into_inner().unwrap(), 1);
    }

    #[test]
    fn a_panic_goes_through() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let work = || attend(2, || -> u32 { panic!("in a frame") });
        let found = pool.install(|| catch_unwind(AssertUnwindSafe(work)));
        assert!(found.is_err());
        assert_eq!(pool.install(|| attend(2, || 7)), 7);
    }
}
