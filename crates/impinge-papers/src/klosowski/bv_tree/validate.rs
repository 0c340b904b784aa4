//! Checks of the invariants of a tree.

use super::BvTree;
use crate::klosowski::volume::Volume;
use impinge::mesh::Mesh;

impl<V: Volume> BvTree<V> {
    /// Checks the invariants of [`BvTree`] against the mesh it was built from. For tests: makes a
    /// pass over all triangles at each level.
    ///
    /// # Errors
    /// A description of the first violated invariant.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        let count = mesh.triangles().len();
        let mut seen = vec![false; count];
        for triangle in &self.order {
            match seen.get_mut(*triangle as usize) {
                None => return Err(format!("triangle {triangle} does not exist")),
                Some(true) => return Err(format!("triangle {triangle} is in the order twice")),
                Some(flag) => *flag = true,
            }
        }
        if self.order.len() != count {
            return Err(format!("{count} triangles in the mesh, {} in the tree", self.order.len()));
        }
        if self.volumes.len() != self.nodes.len() {
            return Err(format!("{} nodes, {} volumes", self.nodes.len(), self.volumes.len()));
        }
        match self.nodes.first() {
            None if count > 0 => return Err("the tree has triangles but no root".into()),
            Some(root) if root.triangles() != (0..count) || root.parent != 0 => {
                return Err("the root does not contain all triangles".into());
            }
            _ => {}
        }
        let mut reached = 1;
        for i in 0..self.nodes.len() {
            self.check_node(mesh, i)?;
            reached += self.nodes[i].degree as usize;
        }
        if !self.nodes.is_empty() && reached != self.nodes.len() {
            return Err(format!(
                "{} nodes, but {reached} are reachable from the root",
                self.nodes.len()
            ));
        }
        Ok(())
    }

    fn check_node(&self, mesh: &Mesh, i: usize) -> Result<(), String> {
        let node = &self.nodes[i];
        let range = node.triangles();
        if range.is_empty() || range.end > self.order.len() {
            return Err(format!("node {i} has an invalid range of triangles {range:?}"));
        }
        for triangle in &self.order[range.clone()] {
            for corner in mesh.triangle(*triangle as usize) {
                if !self.volumes[i].contains(corner) {
                    return Err(format!(
                        "triangle {triangle} is not inside the volume of node {i}"
                    ));
                }
            }
        }
        if node.is_leaf() {
            return Ok(());
        }
        let children = node.children();
        if node.degree < 2
            || children.start as usize <= i
            || children.end as usize > self.nodes.len()
        {
            return Err(format!("node {i} has an invalid range of children {children:?}"));
        }
        let mut start = range.start;
        for c in children {
            let child = &self.nodes[c as usize];
            if child.parent as usize != i {
                return Err(format!("node {c} is not a child of its parent {}", child.parent));
            }
            if child.triangles().start != start {
                return Err(format!("triangles of node {i} are missing before child {c}"));
            }
            if child.size > node.size {
                return Err(format!("node {c} is larger than its parent {i}"));
            }
            start = child.triangles().end;
        }
        if start != range.end {
            return Err(format!("triangles of node {i} are missing in its children"));
        }
        Ok(())
    }
}
