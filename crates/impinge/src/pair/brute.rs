//! Every triangle of A against every triangle of B, without any pruning: the oracle for every other
//! method.

use crate::exact::triangle_triangle;

#[cfg(any(test, feature = "internals"))]
use super::{NearPair, NearSink};
use super::{Posed, Sink};
#[cfg(any(test, feature = "internals"))]
use crate::closest;

/// Sends every pair of triangles that share a point to `sink`, in ascending order.
pub fn traverse(a: &Posed<'_>, b: &Posed<'_>, sink: &mut dyn Sink) {
    for i in 0..a.len() as u32 {
        for j in 0..b.len() as u32 {
            let meet = triangle_triangle(&a.triangle(i), &b.triangle(j)).is_some();
            if meet && sink.pair(i, j).is_break() {
                return;
            }
        }
    }
}

/// Sends every pair of triangles whose certified lower bound does not exceed the sink's bound to
/// `sink`, in ascending order.
#[cfg(any(test, feature = "internals"))]
pub fn near(a: &Posed<'_>, b: &Posed<'_>, sink: &mut dyn NearSink) {
    for i in 0..a.len() as u32 {
        for j in 0..b.len() as u32 {
            let closest = closest::triangle_triangle(&a.triangle(i), &b.triangle(j));
            let near = closest.lower <= sink.bound();
            if near && sink.pair(&NearPair::new(i, j, closest)).is_break() {
                return;
            }
        }
    }
}
