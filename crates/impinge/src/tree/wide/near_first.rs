//! A first look, for a bound and a direction to start with: the nearest few pairs of subtrees on
//! each level, by their centres, down to the leaves.

use std::ops::ControlFlow;

use crate::wide::{Lanes3, Wide, Wide3};

use super::near::{NearQuery, Step};
use super::near_leaf::nearest_centers;
use super::near_pairs::Search;
use super::relative::Relative;

/// Pairs that are kept on each level.
const BEAM: usize = 4;

/// The nearest few pairs of subtrees, the nearest first. Here `apart` is the square of the centres'
/// distance.
#[derive(Clone, Copy, Debug)]
struct Beam {
    steps: [Step; BEAM],
    count: usize,
}

impl Beam {
    /// Which keys are small enough to get in.
    #[inline(always)]
    fn better<W: Wide>(&self, keys: W) -> u32 {
        let last = if self.count < BEAM { f32::INFINITY } else { self.steps[BEAM - 1].apart };
        keys.lt(W::splat(last)).bits()
    }

    #[inline(always)]
    fn offer(&mut self, step: Step) {
        let mut k = self.count.min(BEAM - 1);
        if self.count == BEAM && step.apart >= self.steps[k].apart {
            return;
        }
        self.count = k + 1;
        while k > 0 && self.steps[k - 1].apart > step.apart {
            self.steps[k] = self.steps[k - 1];
            k -= 1;
        }
        self.steps[k] = step;
    }
}

impl NearQuery<'_> {
    /// Looks at the triangles of the leaves it ends at.
    #[inline(always)]
    pub(super) fn descend<W: Wide>(&self, root: Step, search: &mut Search<'_>) -> ControlFlow<()> {
        let mut beam = Beam { steps: [root; BEAM], count: 1 };
        while beam.count > 0 {
            let now = beam;
            beam.count = 0;
            for step in &now.steps[..now.count] {
                if step.a.is_leaf() && step.b.is_leaf() {
                    if !search.see(step) {
                        return self.measure::<W>(search);
                    }
                    let leaves =
                        (&self.tree_a.leaves[step.a.index()], &self.tree_b.leaves[step.b.index()]);
                    let near = nearest_centers::<W>(leaves.0, leaves.1, &self.relative);
                    self.improve(near.0, near.1, search);
                    self.leaf_pair::<W>(step, search)?;
                } else {
                    self.look::<W>(step, &mut beam);
                }
            }
        }
        self.measure::<W>(search)
    }

    /// Opens both subtrees, and offers all pairs to the beam.
    #[inline(always)]
    fn look<W: Wide>(&self, step: &Step, beam: &mut Beam) {
        let Relative { to_a, to_b, .. } = &self.relative;
        if step.b.is_leaf() {
            let leaf = &self.tree_b.leaves[step.b.index()];
            let node = &self.tree_a.nodes[step.a.index()];
            let centers = Wide3::<W>::load(&node.center);
            let delta = centers.sub(Wide3::splat(to_a.point(&leaf.origin)));
            let keys = delta.dot(delta).mul(W::splat(to_b.unit * to_b.unit));
            let mut better = beam.better(keys) & node.real::<W>();
            let keys = keys.array();
            while better != 0 {
                let slot = better.trailing_zeros() as usize;
                better &= better - 1;
                beam.offer(Step { a: node.link[slot], b: step.b, apart: keys[slot] });
            }
            return;
        }
        let node = &self.tree_b.nodes[step.b.index()];
        let real = node.real::<W>();
        let centers = Wide3::<W>::load(&node.center);
        let (mut points, mut rows) = (Lanes3::splat(0.0), 1);
        if step.a.is_leaf() {
            points.set(0, to_b.point(&self.tree_a.leaves[step.a.index()].origin));
        } else {
            let other = &self.tree_a.nodes[step.a.index()];
            points = Wide3::<W>::load(&other.center)
                .mapped(&to_b.rotation, Wide3::splat(to_b.translation))
                .lanes();
            rows = other.real::<W>();
        }
        while rows != 0 {
            let i = rows.trailing_zeros() as usize;
            rows &= rows - 1;
            let delta = centers.sub(Wide3::splat(points.get(i)));
            let keys = delta.dot(delta);
            let mut better = beam.better(keys) & real;
            if better == 0 {
                continue;
            }
            let keys = keys.array();
            let a =
                if step.a.is_leaf() { step.a } else { self.tree_a.nodes[step.a.index()].link[i] };
            while better != 0 {
                let slot = better.trailing_zeros() as usize;
                better &= better - 1;
                beam.offer(Step { a, b: node.link[slot], apart: keys[slot] });
            }
        }
    }
}
