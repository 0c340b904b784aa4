//! A binary tree of boxes with insertion and removal of single leaves.
//!
//! A new leaf gets the sibling that adds the least surface to the tree, found by branch and bound
//! (Bittner, Hapala and Havran: Fast insertion-based optimization of bounding volume hierarchies,
//! 2013); on the path back to the root, rotations exchange a child with a grandchild where that
//! makes a box smaller (Kopta et al.: Fast, effective BVH updates for animated scenes, 2012).

use impinge::broad::BoxF32;

/// No node.
pub(super) const NO_NODE: u32 = u32::MAX;

/// The largest number of nodes that a search for a sibling visits. It then returns the best one so
/// far. Most searches visit far fewer.
const MAX_NODES_PER_SEARCH: usize = 200;

/// Nodes in one array; the free nodes are a list linked by `parent`.
///
/// Invariants, which [`Tree::validate`] checks: an inner node has two children, whose parent it is,
/// and its box is the smallest around theirs. The root has no parent. A node is either in use or in
/// the list of free nodes.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    root: u32,
    free: u32,
    leaves: usize,
    stack: Vec<u32>,
    search: Vec<(u32, f64)>,
    /// During a build: ranges of leaves, as start, length and parent.
    parts: Vec<(usize, usize, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: BoxF32,
    parent: u32,
    /// Two children; in a leaf [`NO_NODE`] and the item.
    children: [u32; 2],
}

impl Node {
    #[inline]
    fn is_leaf(&self) -> bool {
        self.children[0] == NO_NODE
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            root: NO_NODE,
            free: NO_NODE,
            leaves: 0,
            stack: Vec::new(),
            search: Vec::new(),
            parts: Vec::new(),
        }
    }
}

/// Half the surface. Infinite sides count as the longest finite ones, so that sums and differences
/// are not NaN.
#[inline]
pub(super) fn surface(b: &BoxF32) -> f64 {
    let side = |k: usize| {
        let end = |x: f32| f64::from(x.clamp(f32::MIN, f32::MAX));
        end(b.max[k]) - end(b.min[k])
    };
    let (x, y, z) = (side(0), side(1), side(2));
    x * y + y * z + z * x
}

/// The smallest box around two boxes that are not empty.
#[inline]
fn join(a: &BoxF32, b: &BoxF32) -> BoxF32 {
    BoxF32 {
        min: [0, 1, 2].map(|k| if a.min[k] < b.min[k] { a.min[k] } else { b.min[k] }),
        max: [0, 1, 2].map(|k| if a.max[k] > b.max[k] { a.max[k] } else { b.max[k] }),
    }
}

/// Whether two boxes that are not empty share a point.
#[inline]
pub(super) fn overlap(a: &BoxF32, b: &BoxF32) -> bool {
    (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k])
}

impl Tree {
    pub(super) fn leaves(&self) -> usize {
        self.leaves
    }

    /// The box of a node.
    #[inline]
    pub(super) fn bounds(&self, node: u32) -> &BoxF32 {
        &self.nodes[node as usize].bounds
    }

    /// Inserts a leaf with a box that is not empty. Returns its node.
    pub(super) fn insert(&mut self, item: u32, bounds: BoxF32) -> u32 {
        let leaf = self.allocate(Node { bounds, parent: NO_NODE, children: [NO_NODE, item] });
        self.leaves += 1;
        if self.root == NO_NODE {
            self.root = leaf;
            return leaf;
        }
        let sibling = self.best_sibling(&bounds);
        let parent = self.nodes[sibling as usize].parent;
        let around = join(&bounds, self.bounds(sibling));
        let inner = self.allocate(Node { bounds: around, parent, children: [sibling, leaf] });
        self.nodes[sibling as usize].parent = inner;
        self.nodes[leaf as usize].parent = inner;
        self.replace_child(parent, sibling, inner);
        self.refit_upward(parent);
        leaf
    }

    /// Removes a leaf.
    pub(super) fn remove(&mut self, leaf: u32) {
        self.leaves -= 1;
        let parent = self.nodes[leaf as usize].parent;
        self.free_node(leaf);
        if parent == NO_NODE {
            self.root = NO_NODE;
            return;
        }
        let Node { parent: above, children, .. } = self.nodes[parent as usize];
        let sibling = if children[0] == leaf { children[1] } else { children[0] };
        self.nodes[sibling as usize].parent = above;
        self.replace_child(above, parent, sibling);
        self.free_node(parent);
        self.refit_upward(above);
    }

    /// Calls `found` with the item of each leaf whose box overlaps the given one, which is not
    /// empty.
    #[inline]
    pub(super) fn query(&mut self, bounds: &BoxF32, mut found: impl FnMut(u32)) {
        if self.root == NO_NODE {
            return;
        }
        self.stack.push(self.root);
        while let Some(at) = self.stack.pop() {
            let node = &self.nodes[at as usize];
            if overlap(&node.bounds, bounds) {
                match node.children {
                    [NO_NODE, item] => found(item),
                    children => self.stack.extend(children),
                }
            }
        }
    }

    /// The best sibling for a new leaf: the node for which the sum of all surfaces grows least.
    ///
    /// A new parent of a node and the leaf adds the surface around both, and all boxes above grow.
    /// A sibling below a node adds at least the surface of the leaf, and the growth of the node and
    /// of all boxes above it; if that is not less than the best cost so far, the search does not
    /// descend.
    fn best_sibling(&mut self, bounds: &BoxF32) -> u32 {
        let own = surface(bounds);
        let (mut best, mut least) = (self.root, f64::INFINITY);
        self.search.clear();
        self.search.push((self.root, 0.0));
        for _ in 0..MAX_NODES_PER_SEARCH {
            let Some((at, inherited)) = self.search.pop() else { break };
            if own + inherited >= least {
                continue;
            }
            let node = &self.nodes[at as usize];
            let around = surface(&join(&node.bounds, bounds));
            if around + inherited < least {
                (best, least) = (at, around + inherited);
            }
            let inherited = inherited + (around - surface(&node.bounds));
            if !node.is_leaf() && own + inherited < least {
                // The child that grows less is visited first.
                let growth = node.children.map(|c| {
                    let b = &self.nodes[c as usize].bounds;
                    surface(&join(b, bounds)) - surface(b)
                });
                let [a, b] = node.children;
                let (first, second) = if growth[0] <= growth[1] { (a, b) } else { (b, a) };
                self.search.push((second, inherited));
                self.search.push((first, inherited));
            }
        }
        best
    }

    /// Refits the boxes from a node up to the root, with a rotation wherever it helps.
    fn refit_upward(&mut self, mut at: u32) {
        while at != NO_NODE {
            let [a, b] = self.nodes[at as usize].children;
            self.nodes[at as usize].bounds = join(self.bounds(a), self.bounds(b));
            self.rotate(at);
            at = self.nodes[at as usize].parent;
        }
    }

    /// Exchanges a child of a node with a child of the other child, if that makes the box of the
    /// other child smaller; chooses the exchange with the largest gain.
    fn rotate(&mut self, at: u32) {
        let children = self.nodes[at as usize].children;
        let mut best = (0.0, NO_NODE, NO_NODE, NO_NODE);
        for (up, down) in [(children[0], children[1]), (children[1], children[0])] {
            let node = &self.nodes[down as usize];
            if node.is_leaf() {
                continue;
            }
            let now = surface(&node.bounds);
            for (moved, kept) in [(0, 1), (1, 0)] {
                let other = self.bounds(node.children[kept]);
                let gain = now - surface(&join(other, self.bounds(up)));
                if gain > best.0 {
                    best = (gain, up, down, node.children[moved]);
                }
            }
        }
        let (_, up, down, moved) = best;
        if up == NO_NODE {
            return;
        }
        self.replace_child(at, up, moved);
        self.replace_child(down, moved, up);
        self.nodes[moved as usize].parent = at;
        self.nodes[up as usize].parent = down;
        let [a, b] = self.nodes[down as usize].children;
        self.nodes[down as usize].bounds = join(self.bounds(a), self.bounds(b));
    }

    /// Replaces a child, or the root if there is no parent.
    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NO_NODE {
            self.root = new;
            return;
        }
        let children = &mut self.nodes[parent as usize].children;
        children[usize::from(children[0] != old)] = new;
    }

    fn allocate(&mut self, node: Node) -> u32 {
        if self.free == NO_NODE {
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        let at = self.free;
        self.free = self.nodes[at as usize].parent;
        self.nodes[at as usize] = node;
        at
    }

    fn free_node(&mut self, at: u32) {
        self.nodes[at as usize].parent = self.free;
        self.free = at;
    }

    /// Rebuilds the tree from these leaves. Halves them along the axis with the largest extent of
    /// their centres. `placed` is called with each item and its node.
    pub(super) fn build(&mut self, leaves: &mut [(u32, BoxF32)], mut placed: impl FnMut(u32, u32)) {
        self.nodes.clear();
        (self.root, self.free, self.leaves) = (NO_NODE, NO_NODE, leaves.len());
        if leaves.is_empty() {
            return;
        }
        self.root = 0;
        let middle = |b: &BoxF32, k: usize| {
            0.5 * b.min[k].clamp(f32::MIN, f32::MAX) + 0.5 * b.max[k].clamp(f32::MIN, f32::MAX)
        };
        // A parent comes before its children.
        self.parts.push((0, leaves.len(), NO_NODE));
        while let Some((start, count, parent)) = self.parts.pop() {
            let part = &mut leaves[start..start + count];
            let at = self.nodes.len() as u32;
            if parent != NO_NODE {
                let children = &mut self.nodes[parent as usize].children;
                children[usize::from(children[0] != NO_NODE)] = at;
            }
            let node = Node { bounds: part[0].1, parent, children: [NO_NODE, part[0].0] };
            self.nodes.push(node);
            if count == 1 {
                placed(part[0].0, at);
                continue;
            }
            self.nodes[at as usize].children = [NO_NODE; 2];
            let spread = |k: usize| {
                let ends = part.iter().map(|(_, b)| middle(b, k));
                let (lo, hi) =
                    ends.fold((f32::MAX, f32::MIN), |(lo, hi), x| (lo.min(x), hi.max(x)));
                0.5 * hi - 0.5 * lo
            };
            let widths = [0, 1, 2].map(spread);
            let axis = (0..3).fold(0, |best, k| if widths[k] > widths[best] { k } else { best });
            part.select_nth_unstable_by(count / 2, |a, b| {
                middle(&a.1, axis).total_cmp(&middle(&b.1, axis)).then(a.0.cmp(&b.0))
            });
            self.parts.push((start + count / 2, count - count / 2, at));
            self.parts.push((start, count / 2, at));
        }
        for at in (0..self.nodes.len()).rev() {
            let [a, b] = self.nodes[at].children;
            if a != NO_NODE {
                self.nodes[at].bounds = join(self.bounds(a), self.bounds(b));
            }
        }
    }

    /// The number of edges from the root to the deepest leaf.
    pub(super) fn height(&self) -> usize {
        let (mut height, mut stack) = (0, vec![(self.root, 0)]);
        while let Some((at, depth)) = stack.pop() {
            if let Some(node) = self.nodes.get(at as usize) {
                height = height.max(depth);
                if !node.is_leaf() {
                    stack.extend(node.children.map(|c| (c, depth + 1)));
                }
            }
        }
        height
    }

    /// The sum of the surfaces of the inner nodes, divided by that of the root: the number of inner
    /// nodes that a small query is expected to visit.
    pub(super) fn cost(&self) -> f64 {
        let (mut sum, mut stack) = (0.0, vec![self.root]);
        while let Some(at) = stack.pop() {
            if let Some(node) = self.nodes.get(at as usize).filter(|n| !n.is_leaf()) {
                sum += surface(&node.bounds);
                stack.extend(node.children);
            }
        }
        let all = if self.root == NO_NODE { 0.0 } else { surface(self.bounds(self.root)) };
        if all > 0.0 { sum / all } else { 0.0 }
    }

    /// Checks the invariants; calls `leaf` with each item, its node and its box.
    pub(super) fn validate(
        &self,
        mut leaf: impl FnMut(u32, u32, &BoxF32) -> Result<(), String>,
    ) -> Result<(), String> {
        let (mut used, mut leaves) = (0, 0);
        let mut stack = vec![(self.root, NO_NODE)];
        while let Some((at, parent)) = stack.pop().filter(|(at, _)| *at != NO_NODE) {
            used += 1;
            let node = self.nodes.get(at as usize).ok_or(format!("node {at} does not exist"))?;
            if node.parent != parent {
                return Err(format!("node {at} has parent {}, not {parent}", node.parent));
            }
            if used > self.nodes.len() {
                return Err(format!("node {at} is reached twice"));
            }
            if node.is_leaf() {
                leaves += 1;
                leaf(node.children[1], at, &node.bounds)?;
                continue;
            }
            let [a, b] = node.children;
            if node.bounds != join(self.bounds(a), self.bounds(b)) {
                return Err(format!("the box of node {at} is not the one around its children"));
            }
            stack.extend([(a, at), (b, at)]);
        }
        let (mut free, mut at) = (0, self.free);
        while at != NO_NODE && free <= self.nodes.len() {
            (free, at) = (free + 1, self.nodes[at as usize].parent);
        }
        if used + free != self.nodes.len() || leaves != self.leaves {
            return Err(format!(
                "{used} nodes in use, {free} free, of {}; {leaves} leaves of {}",
                self.nodes.len(),
                self.leaves
            ));
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.stack.capacity() * size_of::<u32>()
            + self.search.capacity() * size_of::<(u32, f64)>()
            + self.parts.capacity() * size_of::<(usize, usize, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use impinge::internals::Random;
    use impinge::{Aabb, Vec3};

    use super::*;

    fn random_box(random: &mut Random) -> BoxF32 {
        let p = random.in_cube() * 10.0;
        Aabb { min: p, max: p + random.in_cube().abs() }.into()
    }

    fn count(tree: &Tree) -> usize {
        let mut count = 0;
        tree.validate(|_, _, _| {
            count += 1;
            Ok(())
        })
        .unwrap();
        count
    }

    #[test]
    fn queries_are_right_after_any_insertions_and_removals() {
        let mut random = Random::new(31);
        let mut tree = Tree::default();
        let mut known: Vec<Option<(u32, BoxF32)>> = vec![None; 300];
        for round in 0..6000 {
            let item = random.index(300);
            match known[item].take() {
                Some((node, _)) => tree.remove(node),
                None => {
                    let b = random_box(&mut random);
                    known[item] = Some((tree.insert(item as u32, b), b));
                }
            }
            if round % 100 == 0 {
                assert_eq!(count(&tree), known.iter().flatten().count());
                let query = random_box(&mut random).grown(1.0);
                let mut found = Vec::new();
                tree.query(&query, |i| found.push(i));
                found.sort_unstable();
                let expected = known.iter().enumerate();
                let expected = expected.filter(|(_, k)| k.is_some_and(|(_, b)| b.overlaps(&query)));
                assert_eq!(found, expected.map(|(i, _)| i as u32).collect::<Vec<_>>());
            }
        }
        for (node, _) in known.iter().flatten() {
            tree.remove(*node);
        }
        assert_eq!((count(&tree), tree.root, tree.height(), tree.cost()), (0, NO_NODE, 0, 0.0));
    }

    #[test]
    fn boxes_inserted_in_a_row_give_a_tree_almost_as_good_as_a_build() {
        let at = |i: u32| BoxF32 { min: [i as f32, 0.0, 0.0], max: [i as f32 + 0.5, 1.0, 1.0] };
        let mut tree = Tree::default();
        (0..1000).for_each(|i| _ = tree.insert(i, at(i)));
        assert!(tree.height() < 40, "{}", tree.height());
        assert_eq!(count(&tree), 1000);
        let mut built = Tree::default();
        let mut leaves: Vec<(u32, BoxF32)> = (0..1000).map(|i| (i, at(i))).collect();
        let mut nodes = vec![NO_NODE; 1000];
        built.build(&mut leaves, |item, node| nodes[item as usize] = node);
        assert_eq!((count(&built), built.height()), (1000, 10));
        assert!(tree.cost() < built.cost() * 1.5, "{} {}", tree.cost(), built.cost());
        nodes.iter().step_by(2).for_each(|n| built.remove(*n));
        assert_eq!(count(&built), 500);
    }

    #[test]
    fn equal_nested_and_infinite_boxes_are_found() {
        let mut tree = Tree::default();
        let all = BoxF32 { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };
        let mut nodes = Vec::new();
        for i in 0..2000 {
            let b = match i % 4 {
                0 => all,
                1 => BoxF32 { min: [0.0; 3], max: [1.0; 3] },
                2 => Aabb::from_corners(Vec3::ZERO, Vec3::splat(f64::from(i))).into(),
                _ => BoxF32 { min: [f32::MAX; 3], max: [f32::INFINITY; 3] },
            };
            nodes.push(tree.insert(i, b));
        }
        assert_eq!(count(&tree), 2000);
        let mut found = 0;
        tree.query(&BoxF32 { min: [0.5; 3], max: [0.5; 3] }, |_| found += 1);
        assert_eq!(found, 1500);
        nodes.into_iter().for_each(|n| tree.remove(n));
        assert_eq!(tree.leaves(), 0);
    }
}
