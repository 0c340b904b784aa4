//! A queue of pairs of subtrees, the closest first, in constant time per pair.

use super::near::Step;
use super::node::Link;

const BUCKETS: usize = 64;
const NONE: u32 = u32::MAX;

/// Pairs of subtrees in buckets by their lower bounds; within a bucket, the last one is first.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    entries: Vec<(Step, u32)>,
    /// The first of the entries that are not used.
    free: u32,
    heads: [u32; BUCKETS],
    /// The smallest lower bound that was put into the bucket since it was empty.
    least: [f32; BUCKETS],
    /// The buckets that are not empty.
    full: u64,
    /// From a lower bound to its bucket.
    scale: f32,
    pub(super) count: usize,
}

impl Default for Buckets {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            free: NONE,
            heads: [NONE; BUCKETS],
            least: [0.0; BUCKETS],
            full: 0,
            scale: 0.0,
            count: 0,
        }
    }
}

impl Buckets {
    /// Empties the queue. Lower bounds will be at most about `limit`.
    pub(super) fn reset(&mut self, limit: f32) {
        self.clear();
        let scale = (BUCKETS - 1) as f32 / limit;
        self.scale = if scale.is_finite() { scale } else { 0.0 };
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        (self.free, self.full, self.count) = (NONE, 0, 0);
        self.heads = [NONE; BUCKETS];
    }

    #[inline(always)]
    pub(super) fn push(&mut self, step: Step) {
        let bucket = ((step.lower * self.scale) as usize).min(BUCKETS - 1);
        let entry = (step, self.heads[bucket]);
        let at = self.free;
        if at == NONE {
            self.heads[bucket] = self.entries.len() as u32;
            self.entries.push(entry);
        } else {
            self.free = self.entries[at as usize].1;
            self.entries[at as usize] = entry;
            self.heads[bucket] = at;
        }
        let is_first = self.full >> bucket & 1 == 0;
        if is_first || step.lower < self.least[bucket] {
            self.least[bucket] = step.lower;
        }
        self.full |= 1 << bucket;
        self.count += 1;
    }

    /// Removes a pair with about the smallest lower bound.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<Step> {
        if self.full == 0 {
            return None;
        }
        let bucket = self.full.trailing_zeros() as usize;
        let at = self.heads[bucket];
        let (step, next) = self.entries[at as usize];
        self.heads[bucket] = next;
        if next == NONE {
            self.full &= self.full - 1;
        }
        self.entries[at as usize].1 = self.free;
        self.free = at;
        self.count -= 1;
        Some(step)
    }

    /// The links of the pair that is next, for a prefetch.
    #[inline(always)]
    pub(super) fn peek(&self) -> Option<(Link, Link)> {
        if self.full == 0 {
            return None;
        }
        let at = self.heads[self.full.trailing_zeros() as usize];
        let step = &self.entries[at as usize].0;
        Some((step.a, step.b))
    }

    /// Lower bound of all lower bounds; it never falls as long as no pair is added that is closer
    /// than the one removed last. Infinite if the queue is empty.
    #[inline(always)]
    pub(super) fn least(&self) -> f32 {
        if self.full == 0 { f32::INFINITY } else { self.least[self.full.trailing_zeros() as usize] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn pairs_leave_by_bucket_and_the_bound_never_falls() {
        let mut random = Random::new(4);
        let mut queue = Buckets::default();
        for limit in [1.0, 3e-30, f32::INFINITY, 0.0] {
            queue.reset(limit);
            let top = if limit.is_finite() { limit } else { 1.0 };
            let (mut inside, mut bound) = (Vec::new(), 0.0_f32);
            for round in 0..2000_usize {
                let lower = bound + (random.unit() as f32) * (top - bound).max(0.0);
                queue.push(Step { a: Link::node(round), b: Link::NONE, lower });
                inside.push((round, lower));
                if round % 3 != 0 || round > 1500 {
                    let step = queue.pop().unwrap();
                    let at = inside.iter().position(|(r, _)| *r == step.a.index()).unwrap();
                    assert_eq!(inside.swap_remove(at).1, step.lower);
                    assert!(step.lower >= bound);
                    if queue.count > 0 {
                        assert!(queue.least() >= bound, "{} {bound}", queue.least());
                        bound = queue.least();
                    }
                }
                let least = inside.iter().map(|(_, l)| *l).fold(f32::INFINITY, f32::min);
                assert!(queue.least() <= least);
                assert_eq!(queue.count, inside.len());
            }
        }
    }
}
