//! Every triangle of A against every triangle of B, without any pruning: slow, obvious, and the oracle for every other method.

use super::{Hit, Posed, Sink};

/// Sends every pair of triangles that share a point to `sink`, in ascending order.
pub fn traverse(a: &Posed<'_>, b: &Posed<'_>, sink: &mut impl Sink) {
    for i in 0..a.len() as u32 {
        for j in 0..b.len() as u32 {
            if let Some(hit) = Hit::of(a, i, b, j) {
                if sink.hit(hit).is_break() {
                    return;
                }
            }
        }
    }
}
