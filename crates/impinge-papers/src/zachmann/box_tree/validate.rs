//! Checks of the invariants of a box-tree.

use impinge::math::{Aabb, Vec3};
use impinge::mesh::Mesh;

use super::BoxTree;

/// Number of subdivisions of an edge at which triangles and edges are sampled.
const SUBDIVISIONS: usize = 4;

impl BoxTree {
    /// Checks the invariants of [`BoxTree`] against the mesh it was built from. The coverage by
    /// leaves is checked at sample points of every triangle and edge. For tests: every sample point
    /// is compared with all leaves that contain its triangle.
    ///
    /// # Errors
    /// A description of the first violated invariant.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        let (triangles, edges) = (mesh.triangles().len(), mesh.edges().len());
        if self.shared.len() != triangles {
            return Err(format!(
                "the tree has {} triangles, the mesh {triangles}",
                self.shared.len()
            ));
        }
        if self.nodes.is_empty() {
            return if triangles == 0 { Ok(()) } else { Err("the tree has no nodes".to_owned()) };
        }
        if self.bounds != mesh.bounds() {
            return Err("the box of the root differs from the box of the mesh".to_owned());
        }
        let boxes = self.leaf_boxes()?;
        let mut at =
            LeavesOf { triangles: vec![Vec::new(); triangles], edges: vec![Vec::new(); edges] };
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
                    "triangle {t} is in {} leaves, but its shared flag says otherwise",
                    leaves.len()
                ));
            }
            let [p, q, r] = mesh.triangle(t);
            let points =
                (0..=SUBDIVISIONS).flat_map(|i| (0..=SUBDIVISIONS - i).map(move |j| (i, j)));
            for (i, j) in points {
                let (s, u) = (i as f64 / SUBDIVISIONS as f64, j as f64 / SUBDIVISIONS as f64);
                self.covered(p * (1.0 - s - u) + q * s + r * u, leaves, &boxes)
                    .map_err(|why| format!("triangle {t} {why}"))?;
            }
        }
        for (e, leaves) in at.edges.iter().enumerate() {
            let [p, q] = mesh.edges().ends(e).map(|v| mesh.vertices()[v as usize]);
            for i in 0..=SUBDIVISIONS {
                self.covered(
                    p * (1.0 - i as f64 / SUBDIVISIONS as f64)
                        + q * (i as f64 / SUBDIVISIONS as f64),
                    leaves,
                    &boxes,
                )
                .map_err(|why| format!("edge {e} {why}"))?;
            }
        }
        Ok(())
    }

    /// Computes the box of every leaf. Fails if a node or leaf is not reached exactly once.
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
                return Err(format!("node {i} has children with smaller indices"));
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

    /// Checks that a point is in one of the boxes of the leaves, enlarged by `delta` and by the
    /// rounding error of the sampling.
    fn covered(&self, point: Vec3, leaves: &[u32], boxes: &[Aabb]) -> Result<(), String> {
        let grown = self.delta + 4.0 * f64::EPSILON * self.reach() + f64::MIN_POSITIVE;
        if leaves.iter().any(|l| boxes[*l as usize].grown(grown).contains(point)) {
            return Ok(());
        }
        Err(format!("is not covered by its {} leaves at {point}", leaves.len()))
    }
}

struct LeavesOf {
    triangles: Vec<Vec<u32>>,
    edges: Vec<Vec<u32>>,
}

fn place(members: &[u32], leaf: u32, at: &mut [Vec<u32>], what: &str) -> Result<(), String> {
    for m in members {
        let leaves = at.get_mut(*m as usize).ok_or_else(|| format!("{what} {m} does not exist"))?;
        if leaves.last() == Some(&leaf) {
            return Err(format!("{what} {m} is in leaf {leaf} twice"));
        }
        leaves.push(leaf);
    }
    Ok(())
}
