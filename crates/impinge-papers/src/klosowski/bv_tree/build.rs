//! Construction of a tree: triangles are divided recursively, each subtree gets a bounding volume,
//! and the subtrees are stored in arrays.

use super::split::{self, Item};
use super::{BuildOptions, BvTree, Costs, Node, SplitRule, Threshold, cluster};
use crate::klosowski::volume::{Dop6, Volume};
use impinge::math::Vec3;
use impinge::mesh::Mesh;

/// From this depth on, nodes are split at the median for every rule, so that no input makes a tree
/// much deeper than this.
pub(super) const MAX_RULE_DEPTH: u32 = 64;

/// Subtrees of up to this many triangles are built on one thread.
pub(super) const MAX_TRIANGLES_PER_THREAD: usize = 1024;

/// The input of every step of the construction.
pub(super) struct Input<'a, V> {
    pub(super) options: &'a BuildOptions,
    /// The corners of each triangle.
    pub(super) triangles: Vec<[Vec3; 3]>,
    /// The volume of each single triangle. Empty for kinds of volume that do not merge exactly.
    pub(super) singles: Vec<V>,
    /// The box of each triangle.
    pub(super) boxes: Vec<Dop6>,
}

impl<V: Volume> Input<'_, V> {
    /// A volume around the given triangles.
    pub(super) fn around(&self, items: &[Item]) -> V {
        if V::MERGES_TIGHTLY {
            let mut single = items.iter().map(|item| &self.singles[item.triangle as usize]);
            let first = single.next().copied().unwrap_or_else(|| V::around(&[]));
            return single.fold(first, |sum, v| sum.merged(v));
        }
        let triangles: Vec<_> =
            items.iter().map(|item| self.triangles[item.triangle as usize]).collect();
        V::around_triangles(&triangles)
    }
}

/// A subtree that is not yet stored in the arrays.
pub(super) struct Subtree<V> {
    /// Position of its first triangle in the order of the tree.
    start: u32,
    count: u32,
    volume: V,
    /// Expected cost of a visit, for automatic thresholds.
    cost: f64,
    children: Option<Box<[Subtree<V>; 2]>>,
}

pub(super) fn build<V: Volume>(mesh: &Mesh, options: &BuildOptions) -> BvTree<V> {
    let triangles: Vec<[Vec3; 3]> = (0..mesh.triangles().len()).map(|i| mesh.triangle(i)).collect();
    let single = |t: &[Vec3; 3]| V::around(t);
    let singles =
        if V::MERGES_TIGHTLY { triangles.iter().map(single).collect() } else { Vec::new() };
    let boxes = triangles.iter().map(|t| Dop6::around(t)).collect();
    let mut items: Vec<Item> = (0_u32..)
        .zip(&triangles)
        .map(|(triangle, [p, q, r])| Item { center: *p / 3.0 + *q / 3.0 + *r / 3.0, triangle })
        .collect();
    let input = Input { options, triangles, singles, boxes };
    let mut tree = BvTree {
        nodes: Vec::new(),
        volumes: Vec::new(),
        order: Vec::new(),
        key: 0,
        mesh: mesh.fingerprint(),
    };
    if items.is_empty() {
        tree.key = tree.fingerprint();
        return tree;
    }
    let root = if options.split == SplitRule::BottomUp {
        cluster::build(&input, &mut items)
    } else {
        divide(&input, &mut items, 0, 0)
    };
    tree.order = items.iter().map(|item| item.triangle).collect();
    tree.lay_out(root, options.degree.max(2));
    tree.key = tree.fingerprint();
    tree
}

/// Builds the subtree of `items`. The first item has position `start` in the order of the tree.
pub(super) fn divide<V: Volume>(
    input: &Input<'_, V>,
    items: &mut [Item],
    start: u32,
    depth: u32,
) -> Subtree<V> {
    if is_leaf(input, items.len()) {
        return finish(input, items, start, None);
    }
    let middle = split::split(input, items, depth);
    let (left, right) = items.split_at_mut(middle);
    let parallel = input.options.parallel && left.len() + right.len() > MAX_TRIANGLES_PER_THREAD;
    let border = start + left.len() as u32;
    let children = if parallel {
        rayon::join(
            || divide(input, left, start, depth + 1),
            || divide(input, right, border, depth + 1),
        )
    } else {
        (divide(input, left, start, depth + 1), divide(input, right, border, depth + 1))
    };
    finish(input, items, start, Some(children))
}

/// Whether a node of `count` triangles is a leaf by the threshold alone.
pub(super) fn is_leaf<V>(input: &Input<'_, V>, count: usize) -> bool {
    match input.options.threshold {
        Threshold::Fixed(n) => count <= n.max(1) as usize,
        Threshold::Automatic => count <= 1,
    }
}

/// The subtree of `items` with the given children. With automatic thresholds it becomes a leaf if
/// testing its triangles is expected to cost less than visiting the children.
pub(super) fn finish<V: Volume>(
    input: &Input<'_, V>,
    items: &[Item],
    start: u32,
    children: Option<(Subtree<V>, Subtree<V>)>,
) -> Subtree<V> {
    let count = items.len() as u32;
    let volume = match &children {
        Some((left, right)) if V::MERGES_TIGHTLY => left.volume.merged(&right.volume),
        _ => input.around(items),
    };
    let mut part = Subtree { start, count, volume, cost: 0.0, children: None };
    if input.options.threshold == Threshold::Automatic {
        let Costs { volume_pair, triangle_pair, update } = input.options.costs;
        part.cost = f64::from(count) * triangle_pair;
        if let Some((left, right)) = children {
            let surface = part.volume.surface();
            let share = |child: &Subtree<V>| {
                let share = child.volume.surface() / surface;
                volume_pair + update + child.cost * if share < 1.0 { share } else { 1.0 }
            };
            let opened = share(&left) + share(&right);
            if opened < part.cost {
                part.cost = opened;
                part.children = Some(Box::new([left, right]));
            }
        }
    } else {
        part.children = children.map(|(left, right)| Box::new([left, right]));
    }
    part
}

impl<V: Volume> BvTree<V> {
    /// Stores a subtree in the arrays.
    fn lay_out(&mut self, root: Subtree<V>, degree: usize) {
        // Stack of subtrees whose root is stored and whose children are not.
        let mut stack = vec![(self.place(&root, 0), root)];
        while let Some((node, part)) = stack.pop() {
            let Some(children) = part.children else {
                continue;
            };
            let children = widen(*children, degree);
            self.nodes[node as usize].child = self.nodes.len() as u32;
            self.nodes[node as usize].degree = children.len() as u32;
            let first = stack.len();
            for child in children {
                stack.push((self.place(&child, node), child));
            }
            // The first child is stored next, so that neighbours in the tree are neighbours in
            // memory.
            stack[first..].reverse();
        }
        for i in (1..self.nodes.len()).rev() {
            let Node { size, parent, .. } = self.nodes[i];
            let above = &mut self.nodes[parent as usize].size;
            *above = above.max(size);
        }
    }

    fn place(&mut self, part: &Subtree<V>, parent: u32) -> u32 {
        let Subtree { start, count, volume, .. } = *part;
        self.nodes.push(Node { start, count, child: 0, degree: 0, parent, size: volume.size() });
        self.volumes.push(volume);
        self.nodes.len() as u32 - 1
    }

    /// A hash of the nodes and the order (FNV-1a).
    fn fingerprint(&self) -> u64 {
        let numbers = self.nodes.iter().flat_map(|n| [n.start, n.count, n.child, n.degree]);
        numbers.chain(self.order.iter().copied()).fold(0xcbf2_9ce4_8422_2325, |hash, number| {
            (hash ^ u64::from(number)).wrapping_mul(0x0100_0000_01b3)
        })
    }
}

/// Up to `degree` children in place of two. Repeatedly replaces the inner node with the most
/// triangles by its children.
fn widen<V>(children: [Subtree<V>; 2], degree: usize) -> Vec<Subtree<V>> {
    let mut parts: Vec<Subtree<V>> = children.into();
    while parts.len() < degree {
        let inner = parts.iter().enumerate().filter(|(_, p)| p.children.is_some());
        let Some((i, _)) = inner.max_by_key(|(i, p)| (p.count, std::cmp::Reverse(*i))) else {
            break;
        };
        if let Some(below) = parts[i].children.take() {
            parts.splice(i..=i, *below);
        }
    }
    parts
}
