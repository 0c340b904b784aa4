//! Both trees at once, from the roots down.

use std::ops::ControlFlow;

use crate::exact::triangles_intersect;
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::Sink;

use super::node::{Link, LocalBox};
use super::relative::Relative;
use super::triangles::compare;
use super::wide::Wide;
use super::{Tree, dispatch};

/// Steps taken at once.
const CHUNK: usize = 8;

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

/// Sends every pair of triangles that share a point to `sink`, with B at `pose` in A's frame. Returns false, having done nothing, if the
/// numbers are beyond what the tree's `f32` can hold.
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

impl Query<'_> {
    #[inline(always)]
    pub(super) fn run<W: Wide>(&mut self, sink: &mut dyn Sink) {
        let (Some((box_a, link_a)), Some((box_b, link_b))) = (self.tree_a.root, self.tree_b.root)
        else {
            return;
        };
        let mut steps: Vec<Step> = Vec::with_capacity(256);
        let mut leaves: Vec<(u32, u32)> = Vec::with_capacity(256);
        enqueue(&mut steps, &mut leaves, (box_a, link_a), (box_b, link_b));
        loop {
            while let Some((i, j)) = leaves.pop() {
                if self.leaf_pair::<W>(i as usize, j as usize, sink).is_break() {
                    return;
                }
            }
            if steps.is_empty() {
                return;
            }
            // Several steps at once: their masks do not wait for each other's branches.
            let start = steps.len().saturating_sub(CHUNK);
            let count = steps.len() - start;
            let mut masks = [0; CHUNK];
            let mut chunk = [steps[start]; CHUNK];
            chunk[..count].copy_from_slice(&steps[start..]);
            steps.truncate(start);
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
                    let (other, link) = (node.get(slot), node.link[slot]);
                    if step.single_is_a {
                        enqueue(&mut steps, &mut leaves, (step.single, step.link), (other, link));
                    } else {
                        enqueue(&mut steps, &mut leaves, (other, link), (step.single, step.link));
                    }
                }
            }
        }
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

/// Plans the comparison of two boxes that overlap: the larger one is opened, a leaf never.
#[inline(always)]
fn enqueue(
    steps: &mut Vec<Step>,
    leaves: &mut Vec<(u32, u32)>,
    (box_a, link_a): (LocalBox, Link),
    (box_b, link_b): (LocalBox, Link),
) {
    let size = |b: &LocalBox| b.half[0] + b.half[1] + b.half[2];
    match (link_a.is_leaf(), link_b.is_leaf()) {
        (true, true) => leaves.push((link_a.index() as u32, link_b.index() as u32)),
        (false, leaf) if leaf || size(&box_a) >= size(&box_b) => {
            steps.push(Step {
                single: box_b,
                link: link_b,
                node: link_a.index() as u32,
                single_is_a: false,
            });
        }
        _ => steps.push(Step {
            single: box_a,
            link: link_a,
            node: link_b.index() as u32,
            single_is_a: true,
        }),
    }
}
