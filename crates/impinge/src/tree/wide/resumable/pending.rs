//! The pairs of triangles of two leaves that `f32` leaves open, or that certainly cross.

use crate::budget::Budget;
use crate::math::Vec3;
use crate::wide::Wide;

use super::super::node::Link;
use super::super::staged::StagedTest;
use super::super::traverse::Query;
use super::super::triangles::compare;
use super::{Progress, Receiver};

/// Pairs of triangles of two leaves, in the order in which they are decided.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// A lane of A, one of B, and whether the two certainly cross.
    pairs: [(u8, u8, bool); 64],
    next: usize,
    count: usize,
    leaves: (Link, Link),
    /// The test of the next pair, or of the pair that is being decided.
    test: StagedTest,
}

impl Pending {
    pub(super) const NONE: Self = Self {
        pairs: [(0, 0, false); 64],
        next: 0,
        count: 0,
        leaves: (Link::NONE, Link::NONE),
        test: StagedTest::NEW,
    };

    pub(super) fn clear(&mut self) {
        (self.next, self.count, self.test) = (0, 0, StagedTest::NEW);
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The leaves of the pairs.
    pub(super) fn leaves(&self) -> (Link, Link) {
        self.leaves
    }

    /// Compares two leaves, and decides the pairs of triangles as far as the budget goes; the
    /// others are left for [`decide`](Self::decide). True if a pair of triangles stopped the
    /// search.
    ///
    /// The budget has paid for further pairs of leaves, too. Triangles come before them.
    #[inline(always)]
    pub(super) fn compare<W: Wide, R: Receiver>(
        &mut self,
        query: &Query<'_>,
        leaves: (Link, Link),
        receiver: &mut R,
        (paid, budget): (&mut u64, &mut Budget<'_>),
    ) -> bool {
        let (a, b) = query.leaves(leaves);
        compare::<W>(a, b, query.relative, |lane, other, certain| {
            if self.count == 0 {
                let (t, u) = (a.triangles[lane], b.triangles[other]);
                let decided = if certain {
                    Some(true)
                } else {
                    budget.give_back(*paid);
                    let decided = query.decide(t, u, &mut self.test, budget);
                    *paid = budget.claim(*paid);
                    decided
                };
                if let Some(meet) = decided {
                    if meet {
                        receiver.pair(t, u);
                    }
                    return R::STOPS_AT_FIRST && meet;
                }
                (self.next, self.leaves) = (0, leaves);
            }
            self.pairs[self.count & 63] = (lane as u8, other as u8, certain);
            self.count += 1;
            // What follows a certain pair is not needed.
            R::STOPS_AT_FIRST && certain
        }) && self.count == 0
    }

    /// Decides the pairs; `None` if the search goes on.
    #[inline(never)]
    pub(super) fn decide<R: Receiver>(
        &mut self,
        query: &Query<'_>,
        receiver: &mut R,
        budget: &mut Budget<'_>,
    ) -> Option<Progress> {
        let (a, b) = query.leaves(self.leaves);
        while self.next < self.count {
            let (lane, other, certain) = self.pairs[self.next];
            let (t, u) = (a.triangles[usize::from(lane)], b.triangles[usize::from(other)]);
            let decided =
                if certain { Some(true) } else { query.decide(t, u, &mut self.test, budget) };
            let Some(meet) = decided else { return Some(Progress::Stopped) };
            self.next += 1;
            if meet {
                receiver.pair(t, u);
                if R::STOPS_AT_FIRST {
                    return Some(Progress::Finished);
                }
            }
        }
        self.count = 0;
        None
    }
}

impl Query<'_> {
    /// Whether two triangles meet; `None` if the budget is spent, and then `test` keeps what was
    /// paid.
    #[inline(never)]
    fn decide(
        &self,
        t: u32,
        u: u32,
        test: &mut StagedTest,
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        if !test.afford(1, budget) {
            return None;
        }
        let (here, there) = self.triangles(t, u);
        test.decide(&here, &there, budget)
    }

    /// Two triangles in A's frame.
    #[inline(always)]
    fn triangles(&self, t: u32, u: u32) -> ([Vec3; 3], [Vec3; 3]) {
        let there = self.b.triangle(u as usize).map(|v| self.pose.transform_point(v));
        (self.a.triangle(t as usize), there)
    }
}
