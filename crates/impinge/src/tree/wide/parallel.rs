//! All pairs of two meshes on all processors.

use rayon::prelude::*;

use crate::math::Pose;
use crate::mesh::Mesh;
use crate::sink::{Collect, sort_key};
use crate::wide::{Wide, dispatch};

use super::Tree;
use super::node::Link;
use super::traverse::{Query, Run, Work};

/// Pairs of nodes a thread to begin with.
const PARTS: usize = 64;

/// They are shared out in so many portions a thread, so that threads that finish early find more.
const SHARES: usize = 16;

/// Every pair of triangles that share a point, sorted, found by the threads of the current `rayon` pool. The same pairs as from
/// [`traverse`](super::traverse), whatever the number of threads; `None` where that returns false.
#[must_use]
pub(crate) fn par_pairs(
    a: (&Mesh, &Tree),
    b: (&Mesh, &Tree),
    pose: &Pose,
) -> Option<Vec<(u32, u32)>> {
    let query = Query::new(a, b, pose)?;
    let Some(roots) = query.roots() else {
        return Some(Vec::new());
    };
    let threads = rayon::current_num_threads();
    if threads == 1 {
        let mut all = Collect::default();
        dispatch::run(Run { query: &query, start: &[roots], sink: &mut all });
        return Some(all.into_sorted());
    }
    let parts = dispatch::run(Expand { query: &query, roots, enough: PARTS * threads });
    let share = parts.len().div_ceil(SHARES * threads).max(1);
    let sorted: Vec<Vec<(u32, u32)>> = parts
        .par_chunks(share)
        .map(|start| {
            let mut found = Collect::default();
            dispatch::run(Run { query: &query, start, sink: &mut found });
            found.into_sorted()
        })
        .collect();
    let mut pairs = sorted.concat();
    // A merge sort: it takes what is in order already as it is, and merges by all threads.
    pairs.par_sort_by_key(sort_key);
    Some(pairs)
}

/// The first levels of a traversal, until there are enough pairs to share out.
struct Expand<'q> {
    query: &'q Query<'q>,
    roots: (Link, Link),
    enough: usize,
}

impl dispatch::Task for Expand<'_> {
    type Output = Vec<(Link, Link)>;

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        let mut work = Work::default();
        work.add(self.roots.0, self.roots.1);
        loop {
            let count = std::mem::take(&mut work.steps.count);
            if count == 0 || count + work.leaves.count >= self.enough {
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
