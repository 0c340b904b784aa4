//! Vectors of exact numbers.

use num_bigint::BigInt;

use crate::number::Number;

/// A vector of integers.
pub type Int3 = [BigInt; 3];

pub fn sub<N: Number>(a: &[N; 3], b: &[N; 3]) -> [N; 3] {
    [0, 1, 2].map(|k| a[k].minus(&b[k]))
}

pub fn dot<N: Number>(a: &[N; 3], b: &[N; 3]) -> N {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

pub fn cross<N: Number>(a: &[N; 3], b: &[N; 3]) -> [N; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i].times(&b[j]).minus(&a[j].times(&b[i])))
}

pub fn is_zero<N: Number>(v: &[N; 3]) -> bool {
    v.iter().all(|x| x.signum() == 0)
}
