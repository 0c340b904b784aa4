//! Two nodes against each other: which of the eight boxes and sheets of the one may meet which of
//! the other.

use crate::wide::{Wide, Wide3};

use super::lanes::Lanes;
use super::node::Node;
use super::relative::Relative;
use super::sheet::WideSheets;
use super::traverse::Work;

/// Where only the first hit is asked for and more pairs than this overlap, it is near: sheets and
/// boxes are not compared then.
const FEW: usize = 8;

/// The highest score of the lanes in the mask, and the bit of the first lane that has it; no bit if
/// none has a score that is a number.
#[inline(always)]
pub(super) fn likeliest<W: Wide>(mask: W, scores: W) -> (f32, u32) {
    let scores = mask.select(scores, W::splat(f32::NEG_INFINITY));
    let top = scores.max_lane();
    // Lanes that are not in the mask have the lowest score, which may be the highest.
    let bits = W::splat(top).le(scores).and(mask).bits();
    (top, bits & bits.wrapping_neg())
}

impl Relative {
    /// Puts what may meet below two nodes on the lists; with `RANK` the likeliest last.
    #[inline(always)]
    pub(super) fn two_nodes<W: Wide, const RANK: bool>(&self, a: &Node, b: &Node, work: &mut Work) {
        let Self { to_a, to_b, .. } = self;
        // In B's frame: A's boxes as they lie there. Rows that miss the whole of B's node are out.
        let own_a = (Wide3::<W>::load(&a.center), Wide3::<W>::load(&a.half));
        let there = (
            own_a.0.mapped(&to_b.rotation, Wide3::splat(to_b.translation)),
            own_a.1.mapped(&to_b.size, Wide3::splat([to_b.margin; 3])),
        );
        let (min, max) = (there.0.sub(there.1), there.0.add(there.1));
        let (c, h) = (b.own.center, b.own.half);
        let low = Wide3::splat([c[0] - h[0], c[1] - h[1], c[2] - h[2]]);
        let high = Wide3::splat([c[0] + h[0], c[1] + h[1], c[2] + h[2]]);
        let mut rows = min.all_le(high).and(low.all_le(max)).bits();
        if rows == 0 {
            return;
        }
        let a_in_b = [min.lanes(), max.lanes()];
        let a_in_a = [own_a.0.sub(own_a.1).lanes(), own_a.0.add(own_a.1).lanes()];
        let own_b = (Wide3::<W>::load(&b.center), Wide3::<W>::load(&b.half));
        let b_in_b = (own_b.0.sub(own_b.1), own_b.0.add(own_b.1));
        let here = (
            own_b.0.mapped(&to_a.rotation, Wide3::splat(to_a.translation)),
            own_b.1.mapped(&to_a.size, Wide3::splat([to_a.margin; 3])),
        );
        let b_in_a = (here.0.sub(here.1), here.0.add(here.1));
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
        // The sheets of those that overlap, eight pairs at a time.
        let sheets_a = WideSheets::<W>::load(&a.sheets).moved(to_b);
        let sheets_b = WideSheets::<W>::load(&b.sheets);
        // The normals of B's sheets along A's axes.
        let normals_b =
            Wide3::<W>::load(&b.sheets.normal).mapped(&to_a.turn, Wide3::splat([0.0; 3]));
        let mut hits = [0_u32; 8];
        let (mut any, mut best, mut highest) = (0, (0, 0), f32::NEG_INFINITY);
        let groups = pairs.count.div_ceil(8);
        for group in 0..groups {
            let (i, j) = pairs.get(8 * group);
            let (picks, others) = (W::index(i), W::index(j));
            let delta = own_b.0.permuted(others).sub(there.0.permuted(picks));
            let (one, other) = (sheets_a.permuted(picks), sheets_b.permuted(others));
            let seen = other.heights(delta, &one, W::splat(to_b.margin));
            let mut meet = seen.meet().and(pairs.real::<W>(8 * group));
            if !RANK || pairs.count <= FEW {
                let halves = own_b.1.permuted(others);
                meet = meet.and(one.above(delta, halves, to_b.margin));
                let normals = normals_b.permuted(others);
                let halves = own_a.1.permuted(picks);
                meet = meet.and(other.below(delta, (normals, halves), to_b));
            }
            let bits = meet.bits();
            if !RANK {
                work.pairs::<W>((&a.link, i), (&b.link, j), bits);
                continue;
            }
            hits[group] = bits;
            if bits != 0 {
                any |= bits;
                let (top, one) = likeliest(meet, other.likely(delta, &one, &seen));
                if top > highest {
                    (best, highest) = ((group, one), top);
                }
            }
        }
        if any == 0 {
            return;
        }
        hits[best.0] &= !best.1;
        for group in 0..groups {
            let (i, j) = pairs.get(8 * group);
            work.pairs::<W>((&a.link, i), (&b.link, j), hits[group]);
        }
        let (i, j) = pairs.get(8 * best.0);
        work.pairs::<W>((&a.link, i), (&b.link, j), best.1);
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
            let chosen = W::splat(0.0).lt(W::load(&self.mask));
            likeliest(chosen, W::load(&self.scores)).1
        }
    }

    /// Where no score is a number, a lane outside of the mask was chosen, and a child that is not
    /// there.
    #[test]
    fn the_likeliest_is_one_of_the_chosen() {
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
