//! A quick first descent, which finds an upper bound and a direction for the search: on each level
//! it keeps the few nearest pairs of subtrees, by their centres, down to the leaves (beam search).

use std::ops::ControlFlow;

use crate::wide::{Lanes3, Wide, Wide3, dispatch};

use super::near::{NearQuery, Step};
use super::near_leaf::nearest_centers;
use super::near_pairs::Search;
use super::relative::Relative;

/// Pairs that are kept on each level.
const BEAM_WIDTH: usize = 4;

/// The nearest few pairs of subtrees, the nearest first. Here `Step::lower` holds the squared
/// distance of the centres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beam {
    pub(super) steps: [Step; BEAM_WIDTH],
    pub(super) count: usize,
}

impl Beam {
    pub(super) fn of(root: Step) -> Self {
        Self { steps: [root; BEAM_WIDTH], count: 1 }
    }

    /// The lanes whose keys are small enough to be kept.
    #[inline(always)]
    fn better<W: Wide>(&self, keys: W) -> u32 {
        let last =
            if self.count < BEAM_WIDTH { f32::INFINITY } else { self.steps[BEAM_WIDTH - 1].lower };
        keys.lt(W::splat(last)).bits()
    }

    #[inline(always)]
    fn offer(&mut self, step: Step) {
        let mut k = self.count.min(BEAM_WIDTH - 1);
        if self.count == BEAM_WIDTH && step.lower >= self.steps[k].lower {
            return;
        }
        self.count = k + 1;
        while k > 0 && self.steps[k - 1].lower > step.lower {
            self.steps[k] = self.steps[k - 1];
            k -= 1;
        }
        self.steps[k] = step;
    }
}

/// [`NearQuery::expand`], compiled once for each backend.
struct Expand<'s, 'q> {
    query: &'s NearQuery<'q>,
    step: &'s Step,
    beam: &'s mut Beam,
}

impl dispatch::Task for Expand<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        self.query.expand_here::<W>(self.step, self.beam);
    }
}

impl NearQuery<'_> {
    /// Descends from the roots, and processes the triangles of the leaves it reaches.
    #[inline(always)]
    pub(super) fn descend<W: Wide>(&self, root: Step, search: &mut Search<'_>) -> ControlFlow<()> {
        let mut beam = Beam::of(root);
        while beam.count > 0 {
            let now = beam;
            beam.count = 0;
            for step in &now.steps[..now.count] {
                if step.a.is_leaf() && step.b.is_leaf() {
                    if !search.mark_done(step) {
                        return self.measure::<W>(search);
                    }
                    self.offer_centers::<W>(step, search);
                    self.leaf_pair::<W>(step, search)?;
                } else {
                    self.expand::<W>(step, &mut beam);
                }
            }
        }
        self.measure::<W>(search)
    }

    /// Lowers the bound to the distance of the nearest centres of triangles of two leaves.
    #[inline(always)]
    pub(super) fn offer_centers<W: Wide>(&self, pair: &Step, search: &mut Search<'_>) {
        let (a, b) = (&self.tree_a.leaves[pair.a.index()], &self.tree_b.leaves[pair.b.index()]);
        let near = nearest_centers::<W>(a, b, self.relative);
        self.offer_upper_bound(near.0, near.1, search);
    }

    /// Opens both subtrees, and offers all pairs of children to the beam.
    #[inline(always)]
    pub(super) fn expand<W: Wide>(&self, step: &Step, beam: &mut Beam) {
        W::run_out_of_line(Expand { query: self, step, beam });
    }

    #[inline(always)]
    fn expand_here<W: Wide>(&self, step: &Step, beam: &mut Beam) {
        let Relative { to_a, to_b, .. } = self.relative;
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
                beam.offer(Step { a: node.link[slot], b: step.b, lower: keys[slot] });
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
                .mapped(&to_b.matrix, Wide3::splat(to_b.translation))
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
                beam.offer(Step { a, b: node.link[slot], lower: keys[slot] });
            }
        }
    }
}
