//! A binary tree of `f64` boxes, for two meshes whose sizes differ too much for the wide tree.
//!
//! It is built for one query over the triangles where they are, so that its boxes are exact and no
//! margin is needed. Pairs of nodes are opened deepest overlap first, so that the bound on the
//! penetration falls as fast as it can; `docs/notes/maybe.md` derives it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Within;
use crate::answer::{Bounds, Verdict};
use crate::budget::Budget;
use crate::closest;
use crate::exact::triangles_intersect;
use crate::math::{Aabb, Vec3, length_down, next_up};

/// A node: its box, and where its triangles or its two children are.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// The triangle of a leaf, or the first of two children that follow each other.
    first: u32,
    is_leaf: bool,
    /// A triangle below it.
    sample: u32,
}

/// A tree over triangles in the frame of the query. Every leaf has one triangle.
#[derive(Debug)]
pub(crate) struct PlainTree {
    nodes: Vec<Node>,
    triangles: Vec<[Vec3; 3]>,
}

impl PlainTree {
    /// Over these triangles: halved at the median along the longest side of the box of centres.
    pub(crate) fn build(triangles: Vec<[Vec3; 3]>) -> Self {
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::from_points(*t)).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes = Vec::with_capacity(2 * triangles.len());
        if let Some(root) = node_of(&boxes, &order) {
            nodes.push(root);
            let mut open = vec![(0, 0..order.len())];
            while let Some((at, range)) = open.pop() {
                if range.len() == 1 {
                    continue;
                }
                let part = &mut order[range.clone()];
                let centers = Aabb::from_points(part.iter().map(|t| boxes[*t as usize].center()));
                let extent = centers.extent();
                let axis = (0..3).max_by(|i, j| extent[*i].total_cmp(&extent[*j])).unwrap_or(0);
                let key = |t: &u32| boxes[*t as usize].center()[axis];
                let middle = part.len() / 2;
                part.select_nth_unstable_by(middle, |i, j| {
                    key(i).total_cmp(&key(j)).then(i.cmp(j))
                });
                let (low, high) = part.split_at(middle);
                let child = nodes.len();
                nodes.extend(node_of(&boxes, low));
                nodes.extend(node_of(&boxes, high));
                (nodes[at].first, nodes[at].is_leaf) = (child as u32, false);
                let split = range.start + middle;
                open.push((child, range.start..split));
                open.push((child + 1, split..range.end));
            }
        }
        Self { nodes, triangles }
    }
}

/// A node around some triangles, a leaf as yet.
fn node_of(boxes: &[Aabb], part: &[u32]) -> Option<Node> {
    let sample = *part.first()?;
    let bounds = part.iter().fold(Aabb::EMPTY, |sum, t| sum.union(&boxes[*t as usize]));
    Some(Node { bounds, first: sample, is_leaf: true, sample })
}

/// Two nodes whose boxes overlap.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// How deep what is in them can reach into each other.
    depth: f64,
    a: u32,
    b: u32,
    /// Openings from the roots.
    level: u32,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        // Deepest first; ties go to the lowest numbers.
        self.depth.total_cmp(&other.depth).then((other.a, other.b).cmp(&(self.a, self.b)))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

/// Whether any two triangles of the trees meet, as far as the budget allows to tell. A step
/// compares two boxes or two triangles.
pub(crate) fn first_within(a: &PlainTree, b: &PlainTree, budget: &mut Budget<'_>) -> Within {
    if a.nodes.is_empty() || b.nodes.is_empty() {
        return Verdict::Separated(f64::INFINITY);
    }
    let mut search = Search { a, b, open: BinaryHeap::new(), left: Vec::new(), gap: None };
    search.compare(f64::INFINITY, 0, 0, 0);
    let total_depth = search.open.peek().map_or(0.0, |open| open.depth);
    while let Some(pair) = search.open.pop() {
        let (node_a, node_b) = (a.nodes[pair.a as usize], b.nodes[pair.b as usize]);
        if node_a.is_leaf && node_b.is_leaf {
            if !budget.step() {
                search.left.push(pair);
                break;
            }
            let (i, j) = (node_a.first, node_b.first);
            let (here, there) = (&a.triangles[i as usize], &b.triangles[j as usize]);
            if triangles_intersect(here, there) {
                return Verdict::Intersecting((i, j));
            }
            search.apart(closest::disjoint(here, there).lower);
            continue;
        }
        if pair.level >= budget.depth_limit() {
            search.left.push(pair);
            continue;
        }
        let open_a = opens_first(&node_a, &node_b);
        let first = if open_a { node_a.first } else { node_b.first };
        let children =
            [first, first + 1].map(|child| if open_a { (child, pair.b) } else { (pair.a, child) });
        let compared = children.iter().take_while(|(p, q)| {
            let goes_on = budget.step();
            if goes_on {
                search.compare(pair.depth, *p, *q, pair.level + 1);
            }
            goes_on
        });
        let compared = compared.count();
        if compared < children.len() {
            // What was not compared is as deep as the pair it came from, at most.
            let rest = children[compared..].iter().map(|(p, q)| Open { a: *p, b: *q, ..pair });
            search.left.extend(rest);
            break;
        }
    }
    search.left.extend(search.open.drain());
    if search.left.is_empty() {
        return Verdict::Separated(search.gap.unwrap_or(0.0));
    }
    Verdict::Undecided(search.bounds(total_depth))
}

/// Whether of two nodes the first is opened: the one with the longer box, if it is no leaf.
fn opens_first(a: &Node, b: &Node) -> bool {
    let size = |node: &Node| node.bounds.extent().max_element();
    b.is_leaf || (!a.is_leaf && size(a) >= size(b))
}

/// A search under way.
struct Search<'a> {
    a: &'a PlainTree,
    b: &'a PlainTree,
    open: BinaryHeap<Open>,
    /// Pairs at the depth limit, or left when the budget was spent.
    left: Vec<Open>,
    /// The smallest gap between anything that was told apart.
    gap: Option<f64>,
}

impl Search<'_> {
    fn apart(&mut self, gap: f64) {
        self.gap = Some(self.gap.map_or(gap, |g| g.min(gap)));
    }

    /// Compares two nodes below a pair that overlap by `depth` at most.
    fn compare(&mut self, depth: f64, a: u32, b: u32, level: u32) {
        let (here, there) = (self.a.nodes[a as usize].bounds, self.b.nodes[b as usize].bounds);
        if here.overlaps(&there) {
            self.open.push(Open { depth: overlap_depth(&here, &there).min(depth), a, b, level });
        } else {
            self.apart(gap(&here, &there));
        }
    }

    fn bounds(&self, total_depth: f64) -> Bounds {
        let mut known = Bounds { open: self.left.len(), ..Bounds::of_meshes(total_depth) };
        for pair in &self.left {
            known.open_depth = known.open_depth.max(pair.depth.min(total_depth));
            let i = self.a.nodes[pair.a as usize].sample;
            let j = self.b.nodes[pair.b as usize].sample;
            known.include_points(self.a.triangles[i as usize][0], self.b.triangles[j as usize][0]);
        }
        known
    }
}

/// How far one of two boxes has to be moved along an axis, at most, to leave no common inner point.
fn overlap_depth(a: &Aabb, b: &Aabb) -> f64 {
    let ways = (a.max - b.min).min(b.max - a.min);
    next_up(ways.min_element()).max(0.0)
}

/// Two boxes that are apart are so by at least this much.
fn gap(a: &Aabb, b: &Aabb) -> f64 {
    // A difference that is rounded up is larger by half an ulp at most.
    let apart = (b.min - a.max).max(a.min - b.max).max(Vec3::ZERO);
    length_down(apart) * (1.0 - f64::EPSILON)
}
