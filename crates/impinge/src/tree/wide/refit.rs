//! Refitting: the same tree around triangles that have moved (deforming objects, Klosowski et al.
//! 1998, section 6.1).
//!
//! Which triangles share a leaf and which leaves share a node stays as it was; frame, corners and
//! boxes are computed again, bottom up, by the code that built them. So a refitted tree keeps every
//! promise of a new one, and answers are the same; only its boxes may overlap more, which costs
//! time.

use rayon::prelude::*;

use crate::error::{Error, ErrorKind};
use crate::mesh::Mesh;

use super::Tree;
use super::leaf::Leaf;
use super::node::{Link, LocalBox, Node};
use super::sheet::Sheet;
use super::split::LEAF;

/// More leaves than this are hardly flat: their sheet is a ball.
const SHEET: usize = 1024;

/// Fewer leaves, or sheets, than this are fitted by one thread.
const MANY: usize = 1024;

impl Tree {
    /// Fits the tree to a mesh with the same triangles, whose vertices may lie anywhere else: about
    /// a quarter of the time that [`Tree::build`] takes.
    ///
    /// Queries stay exact however far the vertices have moved, but slow down as triangles that were
    /// neighbours part. [`Deforming`](crate::Deforming) does this for a mesh that moves again and
    /// again, and rebuilds what has become slow.
    ///
    /// # Errors
    /// If the mesh has another number of triangles; the tree is left as it was.
    ///
    /// ```
    /// use impinge::{shapes, tree::Tree};
    ///
    /// let ball = shapes::icosphere(1.0, 8)?;
    /// let mut tree = Tree::build(&ball);
    /// let flat = ball.with_vertices(ball.vertices().iter().map(|v| v.with_z(0.1 * v.z)).collect())?;
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
        let hung: Vec<LocalBox> = if leaves.len() < MANY || rayon::current_num_threads() == 1 {
            leaves.iter_mut().map(fit).collect()
        } else {
            leaves.par_iter_mut().map(fit).collect()
        };
        self.leaves = leaves;
        for node in &mut self.nodes {
            for slot in 0..8 {
                let link = node.link[slot];
                if link != Link::NONE && link.is_leaf() {
                    let (leaf, bounds) = (&self.leaves[link.index()], &hung[link.index()]);
                    node.set(slot, bounds, &sheet(bounds, std::slice::from_ref(leaf)), link);
                }
            }
        }
        match self.root {
            Some((_, link)) if link.is_leaf() => self.set_root(&hung[link.index()], link),
            Some((_, link)) => self.fit_nodes(link),
            None => {}
        }
        Ok(())
    }

    /// Fits everything above the leaves, which hang in their slots fitted already, and hangs the
    /// tree on `root`, a node.
    pub(super) fn fit_nodes(&mut self, root: Link) {
        let order = self.preorder(root);
        let mut slots = Vec::new();
        for node in order.into_iter().rev() {
            let node = node as usize;
            for slot in 0..8 {
                let link = self.nodes[node].link[slot];
                if link != Link::NONE && !link.is_leaf() {
                    let bounds = self.nodes[link.index()].own;
                    self.nodes[node].set(slot, &bounds, &Sheet::ball(0.0), link);
                    slots.push((node, slot));
                }
            }
            self.nodes[node].own = fit_node(&self.nodes[node]);
        }
        let sheets = each(slots.len(), |k| {
            let (node, slot) = slots[k];
            let node = &self.nodes[node];
            self.sheet_of(&node.get(slot), node.link[slot])
        });
        for ((node, slot), sheet) in slots.into_iter().zip(&sheets) {
            self.nodes[node].sheets.set(slot, sheet);
        }
        let bounds = self.nodes[root.index()].own;
        self.set_root(&bounds, root);
    }

    /// Fits a leaf to where its triangles are now; returns its box.
    pub(super) fn refit_leaf(&mut self, mesh: &Mesh, index: usize) -> LocalBox {
        let old = &self.leaves[index];
        let (leaf, bounds) = self.fit_leaf(mesh, &old.triangles[..old.count as usize]);
        self.leaves[index] = leaf;
        bounds
    }

    /// A leaf of these one to eight triangles, in the tree's frame, with its box.
    pub(super) fn fit_leaf(&self, mesh: &Mesh, triangles: &[u32]) -> (Leaf, LocalBox) {
        let (mut min, mut max) = (glam::DVec3::INFINITY, glam::DVec3::NEG_INFINITY);
        let (mut numbers, mut corners) = ([0; LEAF], [[[0.0; LEAF]; 3]; 3]);
        for lane in 0..LEAF {
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

    /// Puts what `link` leads to, which is fitted already, into a slot of a node, with its box and
    /// the sheet of the triangles below.
    pub(super) fn hang(&mut self, node: usize, slot: usize, bounds: &LocalBox, link: Link) {
        let sheet = self.sheet_of(bounds, link);
        self.nodes[node].set(slot, bounds, &sheet, link);
    }

    /// The sheet of the triangles below a link, about the centre of their box.
    fn sheet_of(&self, bounds: &LocalBox, link: Link) -> Sheet {
        match self.leaves_below(link) {
            None => Sheet::ball(bounds.reach()),
            Some(below) => {
                let first = below.first().map_or(0, |leaf| *leaf as usize);
                if below.iter().enumerate().all(|(k, leaf)| *leaf as usize == first + k) {
                    sheet(bounds, &self.leaves[first..first + below.len()])
                } else {
                    let copies = below.iter().map(|leaf| self.leaves[*leaf as usize].clone());
                    sheet(bounds, &copies.collect::<Vec<_>>())
                }
            }
        }
    }

    /// The leaves below a link, in the order of the slots; `None` if there are too many for a
    /// sheet.
    fn leaves_below(&self, link: Link) -> Option<Vec<u32>> {
        let (mut leaves, mut open) = (Vec::new(), vec![link]);
        while let Some(link) = open.pop() {
            if link.is_leaf() {
                leaves.push(link.index() as u32);
            } else {
                open.extend(self.nodes[link.index()].links().rev().map(|(_, link)| link));
            }
            if leaves.len() + open.len() > SHEET {
                return None;
            }
        }
        Some(leaves)
    }

    /// Hangs the tree on its root and derives from the root's box how far it reaches.
    pub(super) fn set_root(&mut self, bounds: &LocalBox, link: Link) {
        let far = [0, 1, 2].map(|k| f64::from(bounds.center[k].abs()) + f64::from(bounds.half[k]));
        self.reach = far.iter().map(|h| h * h).sum::<f64>().sqrt();
        self.largest = self.frame.origin.abs().max_element() + self.reach * self.frame.unit;
        self.root = Some((*bounds, link));
    }

    /// The nodes from `top` down, each before those below it, in the order of their slots: the
    /// order that [`Tree::build`] stores them in. None for a leaf.
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

    /// All nodes, each before those below it.
    pub(super) fn all_nodes(&self) -> Vec<u32> {
        self.root.map_or_else(Vec::new, |(_, link)| self.preorder(link))
    }

    /// The number of triangles in the leaves.
    pub(super) fn triangle_count(&self) -> usize {
        self.leaves.iter().map(|leaf| leaf.count as usize).sum()
    }

    /// Refuses meshes that cannot be the tree's.
    pub(super) fn check_count(&self, mesh: &Mesh) -> Result<(), Error> {
        let (own, given) = (self.triangle_count(), mesh.triangles().len());
        if own != given {
            return Err(Error::new(
                ErrorKind::WrongMesh,
                format!(
                    "a mesh of {given} triangles given with a tree over {own}; give the mesh the tree was built of"
                ),
            ));
        }
        Ok(())
    }
}

impl Node {
    /// The occupied slots and where they lead.
    pub(super) fn links(&self) -> impl DoubleEndedIterator<Item = (usize, Link)> + '_ {
        self.link.iter().copied().enumerate().filter(|(_, link)| *link != Link::NONE)
    }
}

/// What `work` makes of each number below `count`, by all threads if there are many.
fn each<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if count < MANY || rayon::current_num_threads() == 1 {
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

/// The sheet about the centre of the box of these leaves.
pub(super) fn sheet(bounds: &LocalBox, leaves: &[Leaf]) -> Sheet {
    match leaves {
        // Its own is about the same centre.
        [leaf] if leaf.origin == bounds.center => leaf.sheet,
        _ if leaves.len() <= SHEET => Sheet::around(bounds, leaves),
        _ => Sheet::ball(bounds.reach()),
    }
}
