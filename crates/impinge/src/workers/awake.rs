//! Keeps workers of a `rayon` pool awake between the stages of a frame.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rayon::Yield;

use super::{ActiveHelpers, MAX_SHARES, fan_out};

/// Spin iterations after which an idle worker looks for work again: about half a microsecond.
const SPINS_BETWEEN_POLLS: usize = 8;

/// Runs `work` while up to `helpers` other workers of the current `rayon` pool stay awake and look
/// for the pieces that `work` shares with them. Waking a worker takes tens of microseconds, which
/// is about the duration of a stage. The workers also run other jobs of the pool, and the caller
/// waits for these at the end, as in every `join`: long jobs belong in another pool.
///
/// Has no effect if the caller is not a worker of the pool: it could hold a lock that a job of the
/// pool waits for.
pub(crate) fn keep_workers_awake(helpers: usize, work: &mut (dyn FnMut() + Send)) {
    let helpers = helpers.min(rayon::current_num_threads() - 1).min(MAX_SHARES - 1);
    let caller = rayon::current_thread_index();
    if helpers == 0 || caller.is_none() {
        return work();
    }
    let is_over = AtomicBool::new(false);
    let active = ActiveHelpers::default();
    let poll_for_work = || {
        // A worker runs its newest job first, so the caller runs this job only after the work is
        // over. The test excludes a pool with another order, where the caller would wait for
        // itself.
        if rayon::current_thread_index() == caller {
            return;
        }
        active.count_during(&mut || {
            while !is_over.load(Ordering::Relaxed) {
                if rayon::yield_now() != Some(Yield::Executed) {
                    (0..SPINS_BETWEEN_POLLS).for_each(|_| spin_loop());
                    // With more threads than cores, another thread may need this core.
                    thread::yield_now();
                }
            }
        });
    };
    let mut main = || {
        let end = SetOnDrop(&is_over);
        work();
        drop(end);
        active.wait();
    };
    fan_out(helpers, &mut main, &|_| poll_for_work());
}

/// Sets the flag at the end of the work, also if the work panics.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicUsize;

    use super::super::share;
    use super::*;

    /// Many stages, also of a frame inside another frame, and from a thread that belongs to no
    /// pool.
    #[test]
    fn every_stage_is_shared() {
        let frames = AtomicUsize::new(0);
        let mut frame = || {
            let mut items = vec![1_u64; 3000];
            for _ in 0..20 {
                let double = |piece: &mut [u64]| piece.iter_mut().for_each(|item| *item *= 2);
                share(&mut items[..], 8, double, || ());
            }
            assert!(items.iter().all(|item| *item == 1 << 20));
            frames.fetch_add(1, Ordering::Relaxed);
        };
        for workers in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
            for helpers in [0, 1, 3, 100] {
                let mut nested = || keep_workers_awake(helpers, &mut frame);
                pool.install(|| keep_workers_awake(helpers, &mut nested));
            }
        }
        keep_workers_awake(3, &mut frame);
        assert_eq!(frames.into_inner(), 13);
    }

    /// Workers that are kept awake run other jobs of the pool.
    #[test]
    fn other_jobs_are_run() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let done = AtomicBool::new(false);
        pool.in_place_scope(|scope| {
            scope.spawn(|scope| {
                keep_workers_awake(1, &mut || {
                    scope.spawn(|_| done.store(true, Ordering::Release));
                    while !done.load(Ordering::Acquire) {
                        thread::yield_now();
                    }
                });
            });
        });
        assert!(done.into_inner());
    }

    /// A caller outside the pool that holds a lock which jobs of the pool wait for.
    #[test]
    fn a_lock_of_the_caller_does_not_cause_a_deadlock() {
        let lock = std::sync::Mutex::new(0);
        rayon::scope(|_| {});
        rayon::in_place_scope(|scope| {
            let held = lock.lock().unwrap();
            scope.spawn(|_| *lock.lock().unwrap() += 1);
            let mut is_done = false;
            keep_workers_awake(3, &mut || is_done = true);
            assert!(is_done);
            drop(held);
        });
        assert_eq!(lock.into_inner().unwrap(), 1);
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let work = || keep_workers_awake(2, &mut || panic!("in a frame"));
        let found = pool.install(|| catch_unwind(AssertUnwindSafe(work)));
        assert!(found.is_err());
        let mut is_done = false;
        pool.install(|| keep_workers_awake(2, &mut || is_done = true));
        assert!(is_done);
    }
}
