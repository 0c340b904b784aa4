//! Overlap test of two boxes by axis-aligned boxes in A's frame, each computed from that of its
//! parent (Zachmann 1994, section 3.6.4 and Figure 3.30).
//!
//! The trees are the same as for clipping. A's boxes are already axis-aligned. When a box of B is
//! cut, one face of the axis-aligned box around it moves per axis, by the cut-off length times an
//! entry of the rotation matrix.

use impinge::math::Aabb;

use super::BoxTree;
use super::counts::TraversalCounts;
use super::frames::{Frames, Map, shared};
use super::traverse::{BoxPair, Cut};

/// The map from B's frame to A's, and the margin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    map: Map,
    margin: f64,
}

/// A pair of boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aligned {
    /// The bounds of each box in its own frame.
    lo: [[f64; 3]; 2],
    hi: [[f64; 3]; 2],
    /// The axis-aligned box around B's box, in A's frame.
    around: [[f64; 3]; 2],
}

impl Aligned {
    fn checked(self, context: &Context, counts: &mut impl TraversalCounts) -> Option<Self> {
        counts.boxes();
        let overlap = (0..3).all(|k| {
            self.lo[0][k] <= self.around[1][k] + context.margin
                && self.around[0][k] <= self.hi[0][k] + context.margin
        });
        overlap.then_some(self)
    }
}

impl BoxPair for Aligned {
    type Context = Context;

    fn context(frames: &Frames) -> Context {
        Context { map: frames.across[1], margin: frames.aligned }
    }

    fn root(
        context: &Context,
        a: &BoxTree,
        b: &BoxTree,
        counts: &mut impl TraversalCounts,
    ) -> Option<Self> {
        let lo = [a, b].map(|tree| tree.bounds.min.to_array());
        let hi = [a, b].map(|tree| tree.bounds.max.to_array());
        let around = context.map.around(&lo[1], &hi[1]);
        Self { lo, hi, around }.checked(context, counts)
    }

    fn split(
        &self,
        context: &Context,
        cut: Cut,
        counts: &mut impl TraversalCounts,
    ) -> [Option<Self>; 2] {
        let Cut { side, axis, at } = cut;
        let (mut left, mut right) = (*self, *self);
        left.hi[side][axis] = at;
        right.lo[side][axis] = at;
        if side == 1 {
            for k in 0..3 {
                let m = context.map.matrix[k][axis];
                // The end of the surrounding box that the upper face of B's box determines.
                let upper = usize::from(m > 0.0);
                left.around[upper][k] += m * (at - self.hi[1][axis]);
                right.around[1 - upper][k] += m * (at - self.lo[1][axis]);
            }
        }
        [left.checked(context, counts), right.checked(context, counts)]
    }

    fn region(&self, context: &Context) -> Aabb {
        shared(&self.lo[0], &self.hi[0], &self.around, context.margin)
    }
}
