//! A binary tree of `f64` boxes, for two meshes whose sizes differ too much for the wide tree.
//!
//! The tree is built for one query, from the triangles in the frame of that query. Its boxes are
//! exact and need no margin. The pair of nodes with the deepest overlap is opened first, so that
//! the bound on the penetration falls quickly; `docs/notes/maybe.md` derives it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Within;
use crate::answer::{Bounds, Verdict};
use crate::budget::Budget;
use crate::closest;
use crate::exact::triangles_intersect;
use crate::math::{Aabb, Vec3, length_down, next_up};

/// A node with its box and the position of its triangle or children.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// The triangle of a leaf, or the first of two consecutive children.
    first: u32,
    is_leaf: bool,
    /// Any triangle of the subtree.
    some_triangle: u32,
}

/// A tree over triangles in the frame of the query. Every leaf has one triangle.
#[derive(Debug)]
pub(crate) struct PlainTree {
    nodes: Vec<Node>,
    triangles: Vec<[Vec3; 3]>,
}

impl PlainTree {
    /// Builds the tree. Each set of triangles is split at the median along the longest side of the
    /// box of their centres.
    pub(crate) fn build(triangles: Vec<[Vec3; 3]>) -> Self {
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::from_points(*t)).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes = Vec::with_capacity(2 * triangles.len());
        if let Some(root) = leaf_node(&boxes, &order) {
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
                nodes.extend(leaf_node(&boxes, low));
                nodes.extend(leaf_node(&boxes, high));
                (nodes[at].first, nodes[at].is_leaf) = (child as u32, false);
                let split = range.start + middle;
                open.push((child, range.start..split));
                open.push((child + 1, split..range.end));
            }
        }
        Self { nodes, triangles }
    }
}

/// A node around these triangles, initially marked as a leaf.
fn leaf_node(boxes: &[Aabb], part: &[u32]) -> Option<Node> {
    let some_triangle = *part.first()?;
    let bounds = part.iter().fold(Aabb::EMPTY, |sum, t| sum.union(&boxes[*t as usize]));
    Some(Node { bounds, first: some_triangle, is_leaf: true, some_triangle })
}

/// Two nodes whose boxes overlap.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Upper bound of the depth of the penetration of their contents.
    depth: f64,
    a: u32,
    b: u32,
    /// Number of pairs opened on the path from the roots.
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

/// Whether any two triangles of the trees meet, as far as the budget allows. A step compares two
/// boxes or two triangles.
pub(crate) fn first_within(a: &PlainTree, b: &PlainTree, budget: &mut Budget<'_>) -> Within {
    if a.nodes.is_empty() || b.nodes.is_empty() {
        return Verdict::Separated(f64::INFINITY);
    }
    let mut search = Search { a, b, open: BinaryHeap::new(), remaining: Vec::new(), gap: None };
    search.compare(f64::INFINITY, 0, 0, 0);
    let total_depth = search.open.peek().map_or(0.0, |open| open.depth);
    while let Some(pair) = search.open.pop() {
        let (node_a, node_b) = (a.nodes[pair.a as usize], b.nodes[pair.b as usize]);
        if node_a.is_leaf && node_b.is_leaf {
            if !budget.step() {
                search.remaining.push(pair);
                break;
            }
            let (i, j) = (node_a.first, node_b.first);
            let (triangle_a, triangle_b) = (&a.triangles[i as usize], &b.triangles[j as usize]);
            if triangles_intersect(triangle_a, triangle_b) {
                return Verdict::Intersecting((i, j));
            }
            search.add_gap(closest::disjoint(triangle_a, triangle_b).lower);
            continue;
        }
        if pair.level >= budget.depth_limit() {
            search.remaining.push(pair);
            continue;
        }
        let open_a = opens_a(&node_a, &node_b);
        let first = if open_a { node_a.first } else { node_b.first };
        let children =
            [first, first + 1].map(|child| if open_a { (child, pair.b) } else { (pair.a, child) });
        let compared = children.iter().take_while(|(p, q)| {
            let has_budget = budget.step();
            if has_budget {
                search.compare(pair.depth, *p, *q, pair.level + 1);
            }
            has_budget
        });
        let compared = compared.count();
        if compared < children.len() {
            // Pairs that were not compared are at most as deep as the pair they came from.
            let rest = children[compared..].iter().map(|(p, q)| Open { a: *p, b: *q, ..pair });
            search.remaining.extend(rest);
            break;
        }
    }
    search.remaining.extend(search.open.drain());
    if search.remaining.is_empty() {
        return Verdict::Separated(search.gap.unwrap_or(0.0));
    }
    Verdict::Undecided(search.bounds(total_depth))
}

/// Whether the first of two nodes is opened: the one with the longer box, unless it is a leaf.
fn opens_a(a: &Node, b: &Node) -> bool {
    let size = |node: &Node| node.bounds.extent().max_element();
    b.is_leaf || (!a.is_leaf && size(a) >= size(b))
}

/// State of a search.
struct Search<'a> {
    a: &'a PlainTree,
    b: &'a PlainTree,
    open: BinaryHeap<Open>,
    /// Pairs at the depth limit, and those that remained when the budget was spent.
    remaining: Vec<Open>,
    /// The smallest gap between two boxes or triangles that were found to be disjoint.
    gap: Option<f64>,
}

impl Search<'_> {
    fn add_gap(&mut self, gap: f64) {
        self.gap = Some(self.gap.map_or(gap, |g| g.min(gap)));
    }

    /// Compares two nodes below a pair whose penetration is at most `depth`.
    fn compare(&mut self, depth: f64, a: u32, b: u32, level: u32) {
        let (box_a, box_b) = (self.a.nodes[a as usize].bounds, self.b.nodes[b as usize].bounds);
        if box_a.overlaps(&box_b) {
            self.open.push(Open { depth: overlap_depth(&box_a, &box_b).min(depth), a, b, level });
        } else {
            self.add_gap(gap(&box_a, &box_b));
        }
    }

    fn bounds(&self, total_depth: f64) -> Bounds {
        let mut known = Bounds { open: self.remaining.len(), ..Bounds::of_meshes(total_depth) };
        for pair in &self.remaining {
            known.open_depth = known.open_depth.max(pair.depth.min(total_depth));
            let i = self.a.nodes[pair.a as usize].some_triangle;
            let j = self.b.nodes[pair.b as usize].some_triangle;
            known.include_points(self.a.triangles[i as usize][0], self.b.triangles[j as usize][0]);
        }
        known
    }
}

/// Upper bound of the distance by which one of two boxes must be moved along an axis until they
/// share no inner point.
fn overlap_depth(a: &Aabb, b: &Aabb) -> f64 {
    let shifts = (a.max - b.min).min(b.max - a.min);
    next_up(shifts.min_element()).max(0.0)
}

/// Lower bound of the distance between two disjoint boxes.
fn gap(a: &Aabb, b: &Aabb) -> f64 {
    // A difference that is rounded up is too large by at most half an ulp.
    let apart = (b.min - a.max).max(a.min - b.max).max(Vec3::ZERO);
    length_down(apart) * (1.0 - f64::EPSILON)
}
