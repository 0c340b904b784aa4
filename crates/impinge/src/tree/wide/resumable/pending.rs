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
    /// The test of the next pair.
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

    /// Compares two leaves; true if a pair of triangles stopped the search.
    #[inline(always)]
    pub(super) fn compare<W: Wide, R: Receiver>(
        &mut self,
        query: &Query<'_>,
        leaves: (Link, Link),
        receiver: &mut R,
    ) -> bool {
        let (a, b) = query.leaves(leaves);
        (self.next, self.count, self.leaves) = (0, 0, leaves);
        compare::<W>(a, b, query.relative, |lane, other, certain| {
            if R::STOPS_AT_FIRST && certain && self.count == 0 {
                receiver.pair(a.triangles[lane], b.triangles[other]);
                return true;
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
            let mut meet = certain;
            if !certain {
                if !self.test.afford(1, budget) {
                    return Some(Progress::Stopped);
                }
                let (here, there) = query.triangles(t, u);
                match self.test.decide(&here, &there, budget) {
                    Some(decided) => meet = decided,
                    None => return Some(Progress::Stopped),
                }
            }
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
    /// Two triangles in A's frame.
    #[inline(always)]
    fn triangles(&self, t: u32, u: u32) -> ([Vec3; 3], [Vec3; 3]) {
        let there = self.b.triangle(u as usize).map(|v| self.pose.transform_point(v));
        (self.a.triangle(t as usize), there)
    }
}
