//! Compares two nodes: finds the pairs of their eight boxes and discs that may meet.

use crate::wide::{Wide, Wide3};

use super::disc::WideDiscs;
use super::lanes::Lanes;
use super::node::Node;
use super::relative::Relative;
use super::traverse::Work;

/// In a search for the first hit, discs are compared with boxes only if at most this many pairs of
/// boxes overlap: with more, a hit is near.
const MAX_PAIRS_FOR_DISC_BOX_TEST: usize = 8;

/// The highest score of the lanes in the mask, and the bit of the first lane with this score; no
/// bit if no score is a number.
#[inline(always)]
pub(super) fn likeliest<W: Wide>(mask: W, scores: W) -> (f32, u32) {
    let scores = mask.select(scores, W::splat(f32::NEG_INFINITY));
    let highest = scores.max_lane();
    // Lanes outside of the mask have the lowest score, which may also be the highest.
    let bits = W::splat(highest).le(scores).and(mask).bits();
    (highest, bits & bits.wrapping_neg())
}

impl Relative {
    /// Adds the pairs of children that may meet to the lists; with `RANK` the likeliest is added
    /// last.
    #[inline(always)]
    pub(super) fn two_nodes<W: Wide, const RANK: bool>(&self, a: &Node, b: &Node, work: &mut Work) {
        let Self { to_a, to_b, .. } = self;
        // A's boxes in B's frame. Rows that miss the box of B's whole node are dropped.
        let boxes_a = (Wide3::<W>::load(&a.center), Wide3::<W>::load(&a.half));
        let moved_a = (
            boxes_a.0.mapped(&to_b.matrix, Wide3::splat(to_b.translation)),
            boxes_a.1.mapped(&to_b.abs_matrix, Wide3::splat([to_b.margin; 3])),
        );
        let (min, max) = (moved_a.0.sub(moved_a.1), moved_a.0.add(moved_a.1));
        let (c, h) = (b.bounds.center, b.bounds.half);
        let low = Wide3::splat([c[0] - h[0], c[1] - h[1], c[2] - h[2]]);
        let high = Wide3::splat([c[0] + h[0], c[1] + h[1], c[2] + h[2]]);
        let mut rows = min.all_le(high).and(low.all_le(max)).bits();
        if rows == 0 {
            return;
        }
        let a_in_b = [min.lanes(), max.lanes()];
        let a_in_a = [boxes_a.0.sub(boxes_a.1).lanes(), boxes_a.0.add(boxes_a.1).lanes()];
        let boxes_b = (Wide3::<W>::load(&b.center), Wide3::<W>::load(&b.half));
        let b_in_b = (boxes_b.0.sub(boxes_b.1), boxes_b.0.add(boxes_b.1));
        let moved_b = (
            boxes_b.0.mapped(&to_a.matrix, Wide3::splat(to_a.translation)),
            boxes_b.1.mapped(&to_a.abs_matrix, Wide3::splat([to_a.margin; 3])),
        );
        let b_in_a = (moved_b.0.sub(moved_b.1), moved_b.0.add(moved_b.1));
        let mut pairs = Lanes::NONE;
        while rows != 0 {
            let i = rows.trailing_zeros() as usize;
            rows &= rows - 1;
            let meet = Wide3::<W>::splat(a_in_b[0].get(i))
                .all_le(b_in_b.1)
                .and(b_in_b.0.all_le(Wide3::splat(a_in_b[1].get(i))))
                .and(Wide3::<W>::splat(a_in_a[0].get(i)).all_le(b_in_a.1))
                .and(b_in_a.0.all_le(Wide3::splat(a_in_a[1].get(i))));
            pairs.add(i, meet.bits());
        }
        // Compares the discs of the pairs whose boxes overlap, eight pairs at a time.
        let discs_a = WideDiscs::<W>::load(&a.discs).moved(to_b);
        let discs_b = WideDiscs::<W>::load(&b.discs);
        // The normals of B's discs in A's axes.
        let normals_b =
            Wide3::<W>::load(&b.discs.normal).mapped(&to_a.rotation, Wide3::splat([0.0; 3]));
        let mut hits = [0_u32; 8];
        let (mut any, mut best, mut highest) = (0, (0, 0), f32::NEG_INFINITY);
        let groups = pairs.count.div_ceil(8);
        for group in 0..groups {
            let (i, j) = pairs.get(8 * group);
            let (picks, others) = (W::index(i), W::index(j));
            let delta = boxes_b.0.permuted(others).sub(moved_a.0.permuted(picks));
            let (one, other) = (discs_a.permuted(picks), discs_b.permuted(others));
            let heights = other.heights(delta, &one, W::splat(to_b.margin));
            let mut meet = heights.meet().and(pairs.real::<W>(8 * group));
            if !RANK || pairs.count <= MAX_PAIRS_FOR_DISC_BOX_TEST {
                let halves = boxes_b.1.permuted(others);
                meet = meet.and(one.may_meet_boxes(delta, halves, to_b.margin));
                let normals = normals_b.permuted(others);
                let halves = boxes_a.1.permuted(picks);
                meet = meet.and(other.may_meet_boxes_of_other(delta, (normals, halves), to_b));
            }
            let bits = meet.bits();
            if !RANK {
                work.add_pairs::<W>((&a.link, i), (&b.link, j), bits);
                continue;
            }
            hits[group] = bits;
            if bits != 0 {
                any |= bits;
                let (score, bit) = likeliest(meet, other.scores(delta, &one, &heights));
                if score > highest {
                    (best, highest) = ((group, bit), score);
                }
            }
        }
        if any == 0 {
            return;
        }
        hits[best.0] &= !best.1;
        for group in 0..groups {
            let (i, j) = pairs.get(8 * group);
            work.add_pairs::<W>((&a.link, i), (&b.link, j), hits[group]);
        }
        let (i, j) = pairs.get(8 * best.0);
        work.add_pairs::<W>((&a.link, i), (&b.link, j), best.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide::dispatch::Baseline;
    use crate::wide::dispatch::{self, Task};

    struct Likeliest {
        mask: [f32; 8],
        scores: [f32; 8],
    }

    impl Task for Likeliest {
        type Output = u32;

        #[inline(always)]
        fn run<W: Wide>(self) -> u32 {
            let mask = W::splat(0.0).lt(W::load(&self.mask));
            likeliest(mask, W::load(&self.scores)).1
        }
    }

    /// Regression: if no score was a number, a lane outside of the mask was chosen, which led to an
    /// empty slot.
    #[test]
    fn the_likeliest_lane_is_in_the_mask() {
        let mask = [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        for (score, known) in [(f32::NAN, 0), (f32::NEG_INFINITY, 1), (2.0, 1)] {
            let mut scores = [9.0; 8];
            (scores[0], scores[1], scores[5]) = (score, score, score);
            let found = dispatch::run(Likeliest { mask, scores });
            assert_eq!(found & !0b10_0011, 0, "{score}");
            let portable = Likeliest { mask, scores }.run::<Baseline>();
            assert_eq!(portable & !0b10_0011, 0, "{score}");
            if !score.is_nan() {
                assert_eq!([found, portable], [known; 2]);
            }
        }
        let scores = [1.0, 2.0, 9.0, 9.0, 9.0, 3.0, 9.0, 9.0];
        assert_eq!(dispatch::run(Likeliest { mask, scores }), 1 << 5);
    }
}
