//! The triangles of two leaves: measured in `f32` eight pairs at a time, then in `f64`, in pieces
//! that are paid one by one.

use crate::budget::{Budget, Quantum};
use crate::closest::PAIRS_PER_GROUP;
use crate::exact::triangles_intersect_quickly;
use crate::wide::Wide;

use super::super::candidate::Candidate;
use super::super::near::{NearQuery, Step};
use super::super::near_leaf::close;
use super::super::near_pairs::{CANDIDATES_PER_CHECK, Search};
use super::super::staged::UNITS_OF_EXACT_TEST;
use super::{Check, Course, End, go_on};

/// Units of two leaves, and of two triangles in `f64`.
const UNITS_OF_LEAF_PAIR: u64 = 2;
const UNITS_OF_MEASUREMENT: u64 = 2;

/// Candidates that are compared and sorted in a unit.
const CANDIDATES_PER_UNIT: usize = 4;

impl Course {
    /// Pays for two leaves.
    #[inline(always)]
    pub(super) fn afford_leaves(&mut self, budget: &mut Budget<'_>) -> Result<(), End> {
        self.afford(UNITS_OF_LEAF_PAIR, Quantum::Leaves, budget)
    }

    /// Finds the pairs of triangles of two leaves that may be within the limit, and passes them
    /// through the batch and the check.
    #[inline(always)]
    pub(super) fn compare_leaves<W: Wide>(
        &mut self,
        query: &NearQuery<'_>,
        pair: &Step,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        let (a, b) = (&query.tree_a.leaves[pair.a.index()], &query.tree_b.leaves[pair.b.index()]);
        close::<W>(a, b, query.relative, &search.goal, &mut self.close);
        (self.close_done, self.leaves) = (0, *pair);
        if self.close.count == 0 {
            // As for most pairs of leaves.
            return Ok(());
        }
        self.finish_pairs::<W>(query, search, budget)
    }

    /// Passes the pairs of triangles found last through the batch and the check.
    #[inline(always)]
    pub(super) fn finish_pairs<W: Wide>(
        &mut self,
        query: &NearQuery<'_>,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        loop {
            if self.likely_count > 0 {
                self.test_likely(query, search, budget)?;
            }
            if self.check != Check::Collecting || search.candidates.len() >= CANDIDATES_PER_CHECK {
                self.check(query, search, budget)?;
            }
            if self.close_done == self.close.count {
                return Ok(());
            }
            let a = &query.tree_a.leaves[self.leaves.a.index()];
            let b = &query.tree_b.leaves[self.leaves.b.index()];
            if search.direct {
                for (i, j) in &self.close.pairs[self.close_done..self.close.count] {
                    let (t, u) = (a.triangles[usize::from(i & 7)], b.triangles[usize::from(j & 7)]);
                    search.candidates.push(Candidate::new(f64::from(self.leaves.lower), t, u));
                }
                self.include_candidate(self.leaves.lower);
                self.close_done = self.close.count;
                continue;
            }
            while self.close_done < self.close.count && search.batch.count < 8 {
                search.batch.add(a, b, &self.close, self.close.pairs[self.close_done]);
                self.close_done += 1;
            }
            self.batch_lower = self.batch_lower.min(self.leaves.lower);
            if search.batch.count == 8 {
                self.afford(1, Quantum::Measure, budget)?;
                self.measure::<W>(query, search);
            }
        }
    }

    /// The same for a batch that is not full.
    #[inline(always)]
    pub(super) fn finish_batch<W: Wide>(
        &mut self,
        query: &NearQuery<'_>,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        if search.batch.count > 0 {
            self.measure::<W>(query, search);
        }
        self.finish_pairs::<W>(query, search, budget)
    }

    /// Computes the bounds of the batch, and empties it.
    #[inline(always)]
    fn measure<W: Wide>(&mut self, query: &NearQuery<'_>, search: &mut Search<'_>) {
        let (count, lower) = query.measure_batch::<W>(search);
        for k in 0..count {
            let (t, u) = search.batch.triangles[k];
            if lower[k] <= 0.0 {
                self.likely[self.likely_count] = (t, u);
                self.likely_count += 1;
            } else if lower[k] <= search.goal.limit {
                let lower = lower[k].max(self.batch_lower);
                search.candidates.push(Candidate::new(f64::from(lower), t, u));
                self.include_candidate(lower);
            }
        }
        if self.likely_count == 0 {
            self.batch_lower = f32::INFINITY;
        }
    }

    /// Includes the lower bound of a new candidate.
    #[inline(always)]
    fn include_candidate(&mut self, lower: f32) {
        self.candidates_lower = self.candidates_lower.min(lower);
    }

    /// Tests pairs of triangles that may meet.
    #[inline(never)]
    fn test_likely(
        &mut self,
        query: &NearQuery<'_>,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        while self.likely_count > 0 {
            let (t, u) = self.likely[self.likely_count - 1];
            let (here, there) = query.triangles(t, u);
            let (exact, quantum) = match triangles_intersect_quickly(&here, &there) {
                Some(_) => (0, Quantum::Triangles),
                None => (UNITS_OF_EXACT_TEST, Quantum::Exact),
            };
            self.afford(UNITS_OF_MEASUREMENT + exact, quantum, budget)?;
            self.likely_count -= 1;
            go_on(query.pair(t, u, true, search))?;
        }
        if search.batch.count == 0 {
            self.batch_lower = f32::INFINITY;
        }
        Ok(())
    }

    /// Checks the candidates, the closest first, and empties their list.
    #[inline(never)]
    pub(super) fn check(
        &mut self,
        query: &NearQuery<'_>,
        search: &mut Search<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<(), End> {
        if self.check == Check::Collecting && search.candidates.is_empty() {
            return Ok(());
        }
        if self.check == Check::Collecting {
            let limit = query.limit(search);
            self.afford(1, Quantum::Sort, budget)?;
            search.candidates.retain(|candidate| candidate.lower <= limit);
            self.check = Check::Raising { done: 0, limit };
        }
        if let Check::Raising { mut done, limit } = self.check {
            let count = search.candidates.len();
            let dismisses = count >= PAIRS_PER_GROUP;
            while dismisses && done < count {
                let end = count.min(done + PAIRS_PER_GROUP);
                let cost = (end - done).div_ceil(CANDIDATES_PER_UNIT);
                self.afford(cost as u64, Quantum::Sort, budget)?;
                query.raise_lower_bounds(&mut search.candidates[done..end]);
                done = end;
                self.check = Check::Raising { done, limit };
            }
            if dismisses {
                query.dismiss_beyond(limit, search);
            }
            Candidate::arrange(&mut search.candidates);
            self.check = Check::Measuring;
        }
        while let Some(Candidate { lower, a: t, b: u }) = search.candidates.first().copied() {
            if lower > query.limit(search) {
                break;
            }
            self.afford(UNITS_OF_MEASUREMENT, Quantum::Triangles, budget)?;
            Candidate::remove_first(&mut search.candidates);
            go_on(query.pair(t, u, false, search))?;
        }
        search.candidates.clear();
        (self.check, self.candidates_lower) = (Check::Collecting, f32::INFINITY);
        Ok(())
    }
}
