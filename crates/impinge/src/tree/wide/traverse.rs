//! Both trees at once, from the roots down (the simultaneous traversal of Klosowski et al. 1998, section 4.2, and of Zachmann 1994, section 3.6.1).

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::exact::triangles_intersect;
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::sink::Sink;

use super::lanes::{Wide, prefetch};
use super::node::Link;
use super::relative::Relative;
use super::triangles::compare;
use super::{Tree, dispatch};

/// Nodes whose sizes differ by less than this are opened both at once.
const ALIKE: f32 = 3.0;

/// Leaves are fetched so many pairs ahead.
const AHEAD: usize = 4;

const BATCH: usize = 32;
const EAGER: usize = 4;

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

/// Pairs of links, the second half of which is room: pairs are written eight at a time and counted by what is real.
#[derive(Debug, Default)]
struct Pairs {
    a: Vec<Link>,
    b: Vec<Link>,
    count: usize,
}

impl Pairs {
    /// Makes room for the results of one step.
    #[inline(always)]
    fn reserve(&mut self) {
        if self.a.len() < self.count + 80 {
            self.a.resize(2 * self.count + 256, Link::NONE);
            self.b.resize(2 * self.count + 256, Link::NONE);
        }
    }

    fn push(&mut self, a: Link, b: Link) {
        self.reserve();
        (self.a[self.count], self.b[self.count]) = (a, b);
        self.count += 1;
    }

    /// One link of A with those of B whose bits are set.
    #[inline(always)]
    fn row<W: Wide>(&mut self, a: Link, b: &[Link; 8], mask: u32) {
        let (to_a, to_b) = self.room();
        *to_a = [a; 8];
        W::pack(b, mask, to_b);
        self.count += mask.count_ones() as usize;
    }

    /// One link of B with those of A whose bits are set.
    #[inline(always)]
    fn column<W: Wide>(&mut self, a: &[Link; 8], b: Link, mask: u32) {
        let (to_a, to_b) = self.room();
        W::pack(a, mask, to_a);
        *to_b = [b; 8];
        self.count += mask.count_ones() as usize;
    }

    /// The eight places behind the last pair.
    #[inline(always)]
    fn room(&mut self) -> (&mut [Link; 8], &mut [Link; 8]) {
        let places = self.count..self.count + 8;
        let made = "room was made for a step's results";
        (
            self.a[places.clone()].first_chunk_mut().expect(made),
            self.b[places].first_chunk_mut().expect(made),
        )
    }

    #[inline(always)]
    fn get(&self, k: usize) -> (Link, Link) {
        (self.a[k], self.b[k])
    }
}

/// The work that is left. Kept from query to query of a thread, so that small queries allocate nothing.
#[derive(Debug, Default)]
struct Work {
    /// Of which at least one is a node.
    steps: Pairs,
    leaves: Pairs,
}

thread_local! {
    static WORK: Cell<Work> = Cell::default();
}

impl Query<'_> {
    #[inline(always)]
    pub(super) fn run<W: Wide>(&mut self, sink: &mut dyn Sink) {
        let (Some((_, link_a)), Some((_, link_b))) = (self.tree_a.root, self.tree_b.root) else {
            return;
        };
        let mut work = WORK.take();
        (work.steps.count, work.leaves.count) = (0, 0);
        let first =
            if link_a.is_leaf() && link_b.is_leaf() { &mut work.leaves } else { &mut work.steps };
        first.push(link_a, link_b);
        let mut compared = 0;
        loop {
            while work.steps.count > 0 && work.leaves.count <= compared / EAGER {
                self.step::<W>(&mut work);
            }
            compared = (compared + work.leaves.count).min(EAGER * BATCH);
            if self.leaf_pairs::<W>(&mut work.leaves, sink).is_break() || work.steps.count == 0 {
                break;
            }
        }
        WORK.set(work);
    }

    /// Takes the last step off the list and does it.
    #[inline(always)]
    fn step<W: Wide>(&self, work: &mut Work) {
        let Work { steps, leaves } = work;
        steps.count -= 1;
        let (link_a, link_b) = steps.get(steps.count);
        if steps.count > 0 {
            self.prefetch(steps.get(steps.count - 1));
        }
        steps.reserve();
        leaves.reserve();
        let relative = &self.relative;
        let (to_a, to_b) = (&relative.to_a, &relative.to_b);
        if link_a.is_leaf() {
            let leaf = &self.tree_a.leaves[link_a.index()];
            let node = &self.tree_b.nodes[link_b.index()];
            let mut hits = Relative::one_box::<W>(&leaf.bounds(), node, to_b, to_a);
            if hits != 0 {
                hits &= Relative::one_sheet::<W>(&leaf.origin, &leaf.sheet, node, to_b);
                let ends = W::leaves(&node.link);
                leaves.row::<W>(link_a, &node.link, hits & ends);
                steps.row::<W>(link_a, &node.link, hits & !ends);
            }
            return;
        }
        let node_a = &self.tree_a.nodes[link_a.index()];
        if link_b.is_leaf() {
            let leaf = &self.tree_b.leaves[link_b.index()];
            let mut hits = Relative::one_box::<W>(&leaf.bounds(), node_a, to_a, to_b);
            if hits != 0 {
                hits &= Relative::one_sheet::<W>(&leaf.origin, &leaf.sheet, node_a, to_a);
                let ends = W::leaves(&node_a.link);
                leaves.column::<W>(&node_a.link, link_b, hits & ends);
                steps.column::<W>(&node_a.link, link_b, hits & !ends);
            }
            return;
        }
        let node_b = &self.tree_b.nodes[link_b.index()];
        let (size_a, size_b) = (node_a.own.size() * to_b.unit, node_b.own.size());
        if size_a > ALIKE * size_b {
            let hits = Relative::one_box::<W>(&node_b.own, node_a, to_a, to_b);
            steps.column::<W>(&node_a.link, link_b, hits);
        } else if size_b > ALIKE * size_a {
            let hits = Relative::one_box::<W>(&node_a.own, node_b, to_b, to_a);
            steps.row::<W>(link_a, &node_b.link, hits);
        } else {
            let (hits, mut rows) = relative.eight_by_eight::<W>(node_a, node_b);
            let (ends_a, ends_b) = (W::leaves(&node_a.link) & rows, W::leaves(&node_b.link));
            if ends_a == rows && ends_b == 255 {
                while rows != 0 {
                    let i = rows.trailing_zeros() as usize;
                    rows &= rows - 1;
                    leaves.row::<W>(node_a.link[i], &node_b.link, hits[i]);
                }
                return;
            }
            while rows != 0 {
                let i = rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let last = if ends_a >> i & 1 != 0 { ends_b } else { 0 };
                leaves.row::<W>(node_a.link[i], &node_b.link, hits[i] & last);
                steps.row::<W>(node_a.link[i], &node_b.link, hits[i] & !last);
            }
        }
    }

    #[inline(always)]
    fn prefetch(&self, (a, b): (Link, Link)) {
        if !a.is_leaf() {
            prefetch(&self.tree_a.nodes[a.index()]);
        }
        if !b.is_leaf() {
            prefetch(&self.tree_b.nodes[b.index()]);
        }
    }

    /// Compares the triangles of all pairs of leaves, and empties the list.
    #[inline(always)]
    fn leaf_pairs<W: Wide>(&self, pairs: &mut Pairs, sink: &mut dyn Sink) -> ControlFlow<()> {
        let count = std::mem::take(&mut pairs.count);
        for k in 0..count {
            if k + AHEAD < count {
                let (a, b) = pairs.get(k + AHEAD);
                prefetch(&self.tree_a.leaves[a.index()]);
                prefetch(&self.tree_b.leaves[b.index()]);
            }
            let (a, b) = pairs.get(k);
            self.leaf_pair::<W>(a.index(), b.index(), sink)?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn leaf_pair<W: Wide>(&self, i: usize, j: usize, sink: &mut dyn Sink) -> ControlFlow<()> {
        let (a, b) = (&self.tree_a.leaves[i], &self.tree_b.leaves[j]);
        let stopped = compare::<W>(a, b, &self.relative, |lane, other, certain| {
            let (t, u) = (a.triangles[lane], b.triangles[other]);
            (certain || self.exact(t, u)) && sink.pair(t, u).is_break()
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
