//! Work for all workers of the current `rayon` pool that takes longer than waking them.
//!
//! Each call of the pool with a type of its own is one to four thousand lines of code to compile,
//! so here the pool calls through pointers.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

/// Calls both, the second on another worker if one is free.
pub(crate) fn join<A: Send, B: Send>(
    mut first: impl FnMut() -> A + Send,
    mut second: impl FnMut() -> B + Send,
) -> (A, B) {
    let (mut a, mut b) = (None, None);
    join_both(&mut || a = Some(first()), &mut || b = Some(second()));
    a.zip(b).expect("the pool has called both")
}

fn join_both(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
    rayon::join(first, second);
}

/// Calls `work` with each number below `count`.
pub(crate) fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// The results of `work` for the numbers below `count`, which has to take longer than a lock.
pub(crate) fn map<T: Send>(count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let mut results: Vec<Mutex<Option<T>>> = Vec::new();
    results.resize_with(count, Mutex::default);
    for_each(count, &|k| *lock(&results[k]) = Some(work(k)));
    results
        .into_iter()
        .filter_map(|x| x.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

/// The value, also after a panic of another worker.
pub(crate) fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        for workers in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
            pool.install(|| {
                for count in [0, 1, 7, 1000] {
                    let squares: Vec<usize> = (0..count).map(|k| k * k).collect();
                    assert_eq!(map(count, &|k| k * k), squares);
                }
                let (mut left, mut right) = ([1, 2], [3]);
                let sums = join(
                    || left.iter_mut().map(|x| std::mem::replace(x, 0)).sum::<i32>(),
                    || right.iter_mut().map(|x| std::mem::replace(x, 0)).sum::<i32>(),
                );
                assert_eq!((sums, left, right), ((3, 3), [0, 0], [0]));
            });
        }
    }
}
