//! Both trees at once, from the roots down (the simultaneous traversal of Klosowski et al. 1998, section 4.2, and of Zachmann 1994, section 3.6.1).

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::exact::triangles_intersect;
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::sink::Sink;

use super::lanes::Wide;
use super::node::{Link, LocalBox};
use super::relative::Relative;
use super::triangles::compare;
use super::{Tree, dispatch};

/// Steps taken at once.
const CHUNK: usize = 4;

/// Two meshes with their trees.
#[derive(Debug)]
pub(super) struct Query<'a> {
    a: &'a Mesh,
    b: &'a Mesh,
    tree_a: &'a Tree,
    tree_b: &'a Tree,
    pose: &'a Pose,
    relative: Relative,
}

/// A box of one tree against a node of the other.
#[derive(Clone, Copy, Debug)]
struct Step {
    single: LocalBox,
    link: Link,
    node: u32,
    single_is_a: bool,
}

/// Sends every pair of triangles that share a point to `sink`, with B at `pose` in A's frame. The trees must be those of the meshes.
///
/// Returns false, having done nothing, if one mesh is a million times smaller than the other or than the distance between them, which is more
/// than `f32` can tell; [`pair::traverse`](crate::pair::traverse) has another method for that.
#[must_use]
pub fn traverse(
    (a, tree_a): (&Mesh, &Tree),
    (b, tree_b): (&Mesh, &Tree),
    pose: &Pose,
    sink: &mut dyn Sink,
) -> bool {
    let Some(relative) = Relative::new(tree_a, tree_b, pose) else {
        return false;
    };
    dispatch::run(&mut Query { a, b, tree_a, tree_b, pose, relative }, sink);
    true
}

/// The work that is left. Kept from query to query of a thread, so that small queries allocate nothing.
#[derive(Debug, Default)]
struct Work {
    /// The first `step_count` are real; the rest is room.
    steps: Vec<Step>,
    step_count: usize,
    /// Likewise.
    leaves: Vec<(u32, u32)>,
    leaf_count: usize,
}

thread_local! {
    static WORK: Cell<Work> = Cell::default();
}

impl Work {
    const NO_STEP: Step = Step {
        single: LocalBox { center: [0.0; 3], half: [0.0; 3] },
        link: Link::NONE,
        node: 0,
        single_is_a: false,
    };

    /// Makes room for one more chunk's results.
    #[inline(always)]
    fn reserve(&mut self) {
        if self.steps.len() < self.step_count + 8 * CHUNK {
            self.steps.resize(2 * self.steps.len() + 16 * CHUNK, Self::NO_STEP);
        }
        if self.leaves.len() < self.leaf_count + 8 * CHUNK {
            self.leaves.resize(2 * self.leaves.len() + 16 * CHUNK, (0, 0));
        }
    }

    /// Plans the comparison of two boxes that overlap: the larger one is opened, a leaf never. No branches: both lists are written, one of them counts.
    #[inline(always)]
    fn plan(&mut self, box_a: &LocalBox, link_a: Link, box_b: &LocalBox, link_b: Link, unit: f32) {
        let size = |b: &LocalBox| b.half[0] + b.half[1] + b.half[2];
        let (leaf_a, leaf_b) = (link_a.is_leaf(), link_b.is_leaf());
        let open_a = !leaf_a & (leaf_b | (size(box_a) * unit >= size(box_b)));
        let single = if open_a { box_b } else { box_a };
        let (link, node) = if open_a { (link_b, link_a) } else { (link_a, link_b) };
        self.steps[self.step_count] =
            Step { single: *single, link, node: node.index() as u32, single_is_a: !open_a };
        self.leaves[self.leaf_count] = (link_a.index() as u32, link_b.index() as u32);
        let leaves = usize::from(leaf_a & leaf_b);
        self.leaf_count += leaves;
        self.step_count += 1 - leaves;
    }
}

impl Query<'_> {
    #[inline(always)]
    pub(super) fn run<W: Wide>(&mut self, sink: &mut dyn Sink) {
        let (Some((box_a, link_a)), Some((box_b, link_b))) = (self.tree_a.root, self.tree_b.root)
        else {
            return;
        };
        let mut work = WORK.take();
        (work.step_count, work.leaf_count) = (0, 0);
        work.reserve();
        let unit = self.relative.unit;
        work.plan(&box_a, link_a, &box_b, link_b, unit);
        loop {
            let leaves = std::mem::take(&mut work.leaf_count);
            for k in (0..leaves).rev() {
                let (i, j) = work.leaves[k];
                if self.leaf_pair::<W>(i as usize, j as usize, sink).is_break() {
                    WORK.set(work);
                    return;
                }
            }
            if work.step_count == 0 {
                break;
            }
            // Several steps at once: their masks do not wait for each other's branches.
            let start = work.step_count.saturating_sub(CHUNK);
            let count = work.step_count - start;
            let mut masks = [0; CHUNK];
            let mut chunk = [Work::NO_STEP; CHUNK];
            chunk[..count].copy_from_slice(&work.steps[start..start + count]);
            work.step_count = start;
            work.reserve();
            for k in 0..count {
                masks[k] = self.masks::<W>(&chunk[k]);
            }
            for k in 0..count {
                let step = &chunk[k];
                let tree = if step.single_is_a { self.tree_b } else { self.tree_a };
                let node = &tree.nodes[step.node as usize];
                let mut hits = masks[k];
                while hits != 0 {
                    let slot = hits.trailing_zeros() as usize;
                    hits &= hits - 1;
                    let (other, link) = (&node.get(slot), node.link[slot]);
                    let own = (&step.single, step.link);
                    let (a, b) =
                        if step.single_is_a { (own, (other, link)) } else { ((other, link), own) };
                    work.plan(a.0, a.1, b.0, b.1, unit);
                }
            }
        }
        WORK.set(work);
    }

    #[inline(always)]
    fn masks<W: Wide>(&self, step: &Step) -> u32 {
        let tree = if step.single_is_a { self.tree_b } else { self.tree_a };
        self.relative.overlaps::<W>(&step.single, step.single_is_a, &tree.nodes[step.node as usize])
    }

    #[inline(always)]
    fn leaf_pair<W: Wide>(&self, i: usize, j: usize, sink: &mut dyn Sink) -> ControlFlow<()> {
        let (a, b) = (&self.tree_a.leaves[i], &self.tree_b.leaves[j]);
        let stopped = compare::<W>(a, b, &self.relative, |lane, crossing, open| {
            let mut left = crossing | open;
            while left != 0 {
                let other = left.trailing_zeros() as usize;
                left &= left - 1;
                let (t, u) = (a.triangles[lane], b.triangles[other]);
                if (crossing >> other & 1 != 0 || self.exact(t, u)) && sink.pair(t, u).is_break() {
                    return true;
                }
            }
            false
        });
        if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    #[inline(never)]
    fn exact(&self, t: u32, u: u32) -> bool {
        let there: [Vec3; 3] = self.b.triangle(u as usize).map(|v| self.pose.transform_point(v));
        triangles_intersect(&self.a.triangle(t as usize), &there)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::Portable;
    use super::*;
    use crate::math::Random;
    use crate::shapes;
    use crate::sink::Collect;

    #[test]
    fn arrays_and_registers_find_the_same_pairs() {
        let meshes = [
            shapes::torus(1.0, 0.4, 30, 15).unwrap(),
            shapes::icosphere(1.0, 8).unwrap(),
            shapes::cuboid_grid([1.0, 1.5, 2.0], [5, 5, 5]).unwrap(),
        ];
        let mut random = Random::new(9);
        let mut pairs = 0;
        for a in &meshes {
            for b in &meshes {
                for reach in [0.0, 0.5, 2.0] {
                    let turn = random.rotation();
                    let pose =
                        Pose::from_quaternion(turn.to_array(), random.in_cube() * reach).unwrap();
                    let (tree_a, tree_b) = (a.tree(), b.tree());
                    let relative = Relative::new(tree_a, tree_b, &pose).unwrap();
                    let mut query = Query { a, b, tree_a, tree_b, pose: &pose, relative };
                    let (mut plain, mut best) = (Collect::default(), Collect::default());
                    query.run::<Portable>(&mut plain);
                    dispatch::run(&mut query, &mut best);
                    let plain = plain.into_sorted();
                    pairs += plain.len();
                    assert_eq!(plain, best.into_sorted());
                }
            }
        }
        assert!(pairs > 1000, "{pairs}");
    }
}
