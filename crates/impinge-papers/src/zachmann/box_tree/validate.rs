//! What every box-tree promises, checked.

use impinge::math::{Aabb, Vec3};
use impinge::mesh::Mesh;

use super::BoxTree;

/// How finely triangles and edges are sampled.
const SAMPLES: usize = 4;

impl BoxTree {
    /// Checks the invariants of [`BoxTree`] against the mesh it was built of. That leaves cover
    /// what they hold is checked at points of every triangle and edge: corners, middles and
    /// between. For tests; takes a pass over everything for every leaf a triangle is at.
    ///
    /// # Errors
    /// The first broken promise, in words.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        let (triangles, edges) = (mesh.triangles().len(), mesh.edges().len());
        if self.shared.len() != triangles {
            return Err(format!("made for {} triangles, not {triangles}", self.shared.len()));
        }
        if self.nodes.is_empty() {
            return if triangles == 0 { Ok(()) } else { Err("no nodes".to_owned()) };
        }
        if self.bounds != mesh.bounds() {
            return Err("the root's box is not the mesh's".to_owned());
        }
        let boxes = self.leaf_boxes()?;
        let mut at =
            Places { triangles: vec![Vec::new(); triangles], edges: vec![Vec::new(); edges] };
        for number in 0..self.leaf_count() as u32 {
            let leaf = self.leaf(number);
            place(leaf.triangles, number, &mut at.triangles, "triangle")?;
            place(leaf.edges, number, &mut at.edges, "edge")?;
            if leaf.triangles.is_empty() && !leaf.edges.is_empty() {
                return Err(format!("leaf {number} has edges but no triangles"));
            }
        }
        for (t, leaves) in at.triangles.iter().enumerate() {
            if self.shared[t] != (leaves.len() > 1) {
                return Err(format!(
                    "triangle {t} is at {} leaves, marked otherwise",
                    leaves.len()
                ));
            }
            let [p, q, r] = mesh.triangle(t);
            let points = (0..=SAMPLES).flat_map(|i| (0..=SAMPLES - i).map(move |j| (i, j)));
            for (i, j) in points {
                let (s, u) = (i as f64 / SAMPLES as f64, j as f64 / SAMPLES as f64);
                self.covered(p * (1.0 - s - u) + q * s + r * u, leaves, &boxes)
                    .map_err(|why| format!("triangle {t} {why}"))?;
            }
        }
        for (e, leaves) in at.edges.iter().enumerate() {
            let [p, q] = mesh.edges().ends(e).map(|v| mesh.vertices()[v as usize]);
            for i in 0..=SAMPLES {
                self.covered(
                    p * (1.0 - i as f64 / SAMPLES as f64) + q * (i as f64 / SAMPLES as f64),
                    leaves,
                    &boxes,
                )
                .map_err(|why| format!("edge {e} {why}"))?;
            }
        }
        Ok(())
    }

    /// The box of every leaf; fails where nodes or leaves are not reached exactly once.
    fn leaf_boxes(&self) -> Result<Vec<Aabb>, String> {
        let mut boxes = vec![None; self.leaf_count()];
        let mut reached = vec![false; self.nodes.len()];
        let mut open = vec![(0_usize, self.bounds)];
        while let Some((i, bounds)) = open.pop() {
            let node = *self.nodes.get(i).ok_or_else(|| format!("node {i} does not exist"))?;
            if std::mem::replace(&mut reached[i], true) {
                return Err(format!("node {i} is reached twice"));
            }
            if node.is_leaf() {
                match boxes.get_mut(node.link as usize) {
                    Some(slot @ None) => *slot = Some(bounds),
                    _ => return Err(format!("leaf {} is missing or reached twice", node.link)),
                }
                continue;
            }
            let axis = node.axis as usize;
            if !(bounds.min[axis] <= node.cut && node.cut <= bounds.max[axis]) {
                return Err(format!("node {i} is cut outside its box"));
            }
            if node.link as usize <= i {
                return Err(format!("node {i} has children before it"));
            }
            let (mut left, mut right) = (bounds, bounds);
            left.max[axis] = node.cut;
            right.min[axis] = node.cut;
            open.extend([(node.link as usize, left), (node.link as usize + 1, right)]);
        }
        if let Some(i) = reached.iter().position(|r| !r) {
            return Err(format!("node {i} is not in the tree"));
        }
        let missing = |i: usize| format!("leaf {i} is not in the tree");
        boxes.into_iter().enumerate().map(|(i, b)| b.ok_or_else(|| missing(i))).collect()
    }

    /// Whether a point is in one of the leaves' boxes, grown by `delta` and by what the sampling
    /// rounds.
    fn covered(&self, point: Vec3, leaves: &[u32], boxes: &[Aabb]) -> Result<(), String> {
        let grown = self.delta + 4.0 * f64::EPSILON * self.reach() + f64::MIN_POSITIVE;
        if leaves.iter().any(|l| boxes[*l as usize].grown(grown).contains(point)) {
            return Ok(());
        }
        Err(format!("is not covered by its {} leaves at {point}", leaves.len()))
    }
}

struct Places {
    triangles: Vec<Vec<u32>>,
    edges: Vec<Vec<u32>>,
}

fn place(members: &[u32], leaf: u32, at: &mut [Vec<u32>], what: &str) -> Result<(), String> {
    for m in members {
        let leaves = at.get_mut(*m as usize).ok_or_else(|| format!("{what} {m} does not exist"))?;
        if leaves.last() == Some(&leaf) {
            return Err(format!("{what} {m} is twice in leaf {leaf}"));
        }
        leaves.push(leaf);
    }
    Ok(())
}
