//! Lists that all threads of the pool compute.

use crate::workers::share;

/// The results of `work` for the numbers below `count`, in their order: the same for any number of
/// threads. One instance for each type of result, because iterators of the pool are a thousand
/// lines of code to compile wherever they are used.
pub(super) fn map<R: Default + Send>(count: usize, work: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let mut results: Vec<R> = (0..count).map(|_| R::default()).collect();
    let fill = |(numbers, results): (std::ops::Range<usize>, &mut [R])| {
        for (number, result) in numbers.zip(results) {
            *result = work(number);
        }
    };
    share((0..count, &mut results[..]), 1, fill, || ());
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_their_numbers() {
        for workers in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build();
            for count in [0, 1, 3, 1000] {
                let found = pool.as_ref().map(|pool| pool.install(|| map(count, &|i| 3 * i)));
                assert!(
                    found.is_ok_and(|found| found == (0..count).map(|i| 3 * i).collect::<Vec<_>>())
                );
            }
        }
    }
}
