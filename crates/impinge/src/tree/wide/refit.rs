//! Refitting: keeps the structure of a tree whose triangles have moved (deforming objects,
//! Klosowski et al. 1998, section 6.1).
//!
//! The assignment of triangles to leaves and of leaves to nodes stays as it was; frame, corners and
//! boxes are computed again, bottom up, by the code that built them. So a refitted tree has all
//! invariants of a new one, and the answers are the same; only its boxes may overlap more, which
//! costs time.

use rayon::prelude::*;

use crate::arrays::MapEach;
use crate::error::{Error, ErrorKind};
use crate::mesh::Mesh;

use super::Tree;
use super::disc::Disc;
use super::leaf::Leaf;
use super::node::{Link, LocalBox, Node};
use super::split::LEAF_SIZE;

/// Subtrees with more leaves than this are hardly flat: their disc is a ball.
const MAX_LEAVES_FOR_DISC: usize = 1024;

/// Fewer leaves or discs than this are fitted by one thread.
const MIN_ITEMS_FOR_THREADS: usize = 1024;

impl Tree {
    /// Fits the tree to a mesh with the same triangles, whose vertices may have moved anywhere:
    /// takes about a quarter of the time of [`Tree::build`].
    ///
    /// Queries stay exact for any motion of the vertices, but slow down as neighbouring triangles
    /// move apart. [`Deforming`](crate::Deforming) refits repeatedly for a mesh that keeps moving,
    /// and rebuilds subtrees that have become slow.
    ///
    /// # Errors
    /// If the mesh has a different number of triangles; the tree is then unchanged.
    ///
    /// ```
    /// use impinge::{shapes, tree::Tree};
    ///
    /// let ball = shapes::icosphere(1.0, 8)?;
    /// let mut tree = Tree::build(&ball);
    /// let flattened = ball.vertices().iter().map(|v| v.with_z(0.1 * v.z));
    /// let flat = ball.with_vertices(flattened.collect())?;
    /// tree.refit(&flat)?;
    /// assert_eq!(tree.validate(&flat), Ok(()));
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn refit(&mut self, mesh: &Mesh) -> Result<(), Error> {
        self.check_count(mesh)?;
        self.stamp = Self::new_stamp();
        self.frame = self.frame.refitted(mesh);
        let mut leaves = std::mem::take(&mut self.leaves);
        let fit = |leaf: &mut Leaf| {
            let (fitted, bounds) = self.fit_leaf(mesh, &leaf.triangles[..leaf.count as usize]);
            *leaf = fitted;
            bounds
        };
        let boxes: Vec<LocalBox> =
            if leaves.len() < MIN_ITEMS_FOR_THREADS || rayon::current_num_threads() == 1 {
                leaves.iter_mut().map(fit).collect()
            } else {
                leaves.par_iter_mut().map(fit).collect()
            };
        self.leaves = leaves;
        for node in &mut self.nodes {
            for slot in 0..8 {
                let link = node.link[slot];
                if link != Link::NONE && link.is_leaf() {
                    let (leaf, bounds) = (&self.leaves[link.index()], &boxes[link.index()]);
                    node.set(slot, bounds, &disc_of(bounds, std::slice::from_ref(leaf)), link);
                }
            }
        }
        match self.root {
            Some((_, link)) if link.is_leaf() => self.set_root(&boxes[link.index()], link),
            Some((_, link)) => self.fit_nodes(link),
            None => {}
        }
        Ok(())
    }

    /// Fits everything above the leaves, whose slots are fitted already, and sets `root`, a node,
    /// as the root.
    pub(super) fn fit_nodes(&mut self, root: Link) {
        let order = self.preorder(root);
        let mut slots = Vec::new();
        for node in order.into_iter().rev() {
            let node = node as usize;
            for slot in 0..8 {
                let link = self.nodes[node].link[slot];
                if link != Link::NONE && !link.is_leaf() {
                    let bounds = self.nodes[link.index()].bounds;
                    self.nodes[node].set(slot, &bounds, &Disc::ball(0.0), link);
                    slots.push((node, slot));
                }
            }
            self.nodes[node].bounds = fit_node(&self.nodes[node]);
        }
        let discs = map_indices(slots.len(), |k| {
            let (node, slot) = slots[k];
            let node = &self.nodes[node];
            self.disc_below(&node.get(slot), node.link[slot])
        });
        for ((node, slot), disc) in slots.into_iter().zip(&discs) {
            self.nodes[node].discs.set(slot, disc);
        }
        let bounds = self.nodes[root.index()].bounds;
        self.set_root(&bounds, root);
    }

    /// Fits a leaf to the current positions of its triangles; returns its box.
    pub(super) fn refit_leaf(&mut self, mesh: &Mesh, index: usize) -> LocalBox {
        let old = &self.leaves[index];
        let (leaf, bounds) = self.fit_leaf(mesh, &old.triangles[..old.count as usize]);
        self.leaves[index] = leaf;
        bounds
    }

    /// A leaf of these one to eight triangles, in the tree's frame, with its box.
    pub(super) fn fit_leaf(&self, mesh: &Mesh, triangles: &[u32]) -> (Leaf, LocalBox) {
        let (mut min, mut max) = (glam::DVec3::INFINITY, glam::DVec3::NEG_INFINITY);
        let (mut numbers, mut corners) = ([0; LEAF_SIZE], [[[0.0; LEAF_SIZE]; 3]; 3]);
        for lane in 0..LEAF_SIZE {
            let number = triangles[lane.min(triangles.len() - 1)];
            numbers[lane] = number;
            let vertices = mesh.triangles()[number as usize];
            for (corner, vertex) in corners.iter_mut().zip(vertices) {
                let c = self.frame.local(mesh.vertices()[vertex as usize]);
                min = min.min(c);
                max = max.max(c);
                (corner[0][lane], corner[1][lane], corner[2][lane]) = (c.x, c.y, c.z);
            }
        }
        let bounds = LocalBox::around(min.to_array(), max.to_array());
        (Leaf::new(numbers, triangles.len(), &corners, &bounds), bounds)
    }

    /// Sets a slot of a node to `link`, whose target is fitted already, with its box and the disc
    /// of the triangles below.
    pub(super) fn set_child(&mut self, node: usize, slot: usize, bounds: &LocalBox, link: Link) {
        let disc = self.disc_below(bounds, link);
        self.nodes[node].set(slot, bounds, &disc, link);
    }

    /// The disc of the triangles below a link, about the centre of their box.
    fn disc_below(&self, bounds: &LocalBox, link: Link) -> Disc {
        match self.leaves_below(link) {
            None => Disc::ball(bounds.reach()),
            Some(below) => {
                let first = below.first().map_or(0, |leaf| *leaf as usize);
                if below.iter().enumerate().all(|(k, leaf)| *leaf as usize == first + k) {
                    disc_of(bounds, &self.leaves[first..first + below.len()])
                } else {
                    let copies = below.iter().map(|leaf| self.leaves[*leaf as usize].clone());
                    disc_of(bounds, &copies.collect::<Vec<_>>())
                }
            }
        }
    }

    /// The leaves below a link, in the order of the slots; `None` if there are more than
    /// [`MAX_LEAVES_FOR_DISC`].
    fn leaves_below(&self, link: Link) -> Option<Vec<u32>> {
        let (mut leaves, mut open) = (Vec::new(), vec![link]);
        while let Some(link) = open.pop() {
            if link.is_leaf() {
                leaves.push(link.index() as u32);
            } else {
                open.extend(self.nodes[link.index()].links().rev().map(|(_, link)| link));
            }
            if leaves.len() + open.len() > MAX_LEAVES_FOR_DISC {
                return None;
            }
        }
        Some(leaves)
    }

    /// Sets the root, and computes the extent of the tree from its box.
    pub(super) fn set_root(&mut self, bounds: &LocalBox, link: Link) {
        let far =
            [0, 1, 2].map_each(|k| f64::from(bounds.center[k].abs()) + f64::from(bounds.half[k]));
        self.reach = far.iter().map(|h| h * h).sum::<f64>().sqrt();
        self.largest = self.frame.origin.abs().max_element() + self.reach * self.frame.unit;
        self.root = Some((*bounds, link));
    }

    /// The nodes from `top` down in preorder: parents before children, children in the order of
    /// their slots, as [`Tree::build`] stores them. Empty for a leaf.
    pub(super) fn preorder(&self, top: Link) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut open = Vec::new();
        if !top.is_leaf() {
            open.push(top.index() as u32);
        }
        while let Some(node) = open.pop() {
            order.push(node);
            let below = self.nodes[node as usize].links().filter(|(_, link)| !link.is_leaf());
            open.extend(below.rev().map(|(_, link)| link.index() as u32));
        }
        order
    }

    /// All nodes in preorder.
    pub(super) fn all_nodes(&self) -> Vec<u32> {
        self.root.map_or_else(Vec::new, |(_, link)| self.preorder(link))
    }

    /// The number of triangles in the leaves.
    pub(super) fn triangle_count(&self) -> usize {
        self.leaves.iter().map(|leaf| leaf.count as usize).sum()
    }

    /// Checks that a mesh has as many triangles as the tree.
    pub(super) fn check_count(&self, mesh: &Mesh) -> Result<(), Error> {
        let (own, given) = (self.triangle_count(), mesh.triangles().len());
        if own != given {
            return Err(Error::new(
                ErrorKind::WrongMesh,
                format!(
                    "the mesh has {given} triangles, but its tree has {own}; give the mesh that the tree was built of"
                ),
            ));
        }
        Ok(())
    }
}

impl Node {
    /// The occupied slots and their links.
    #[must_use]
    pub fn links(&self) -> impl DoubleEndedIterator<Item = (usize, Link)> + '_ {
        self.link.iter().copied().enumerate().filter(|(_, link)| *link != Link::NONE)
    }
}

/// The results of `work` for each index below `count`, computed by all threads if there are many.
fn map_indices<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if count < MIN_ITEMS_FOR_THREADS || rayon::current_num_threads() == 1 {
        (0..count).map(work).collect()
    } else {
        (0..count).into_par_iter().map(work).collect()
    }
}

/// The box around the boxes of a node.
pub(super) fn fit_node(node: &Node) -> LocalBox {
    let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for (slot, _) in node.links() {
        let bounds = node.get(slot);
        for k in 0..3 {
            let (c, h) = (f64::from(bounds.center[k]), f64::from(bounds.half[k]));
            min[k] = min[k].min(c - h);
            max[k] = max[k].max(c + h);
        }
    }
    LocalBox::around(min, max)
}

/// The disc of these leaves, about the centre of their box.
pub(super) fn disc_of(bounds: &LocalBox, leaves: &[Leaf]) -> Disc {
    match leaves {
        // The leaf's own disc has the same centre.
        [leaf] if leaf.origin == bounds.center => leaf.disc,
        _ if leaves.len() <= MAX_LEAVES_FOR_DISC => Disc::around(bounds, leaves),
        _ => Disc::ball(bounds.reach()),
    }
}
