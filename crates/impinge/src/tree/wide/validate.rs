//! Checks of the invariants of a tree.

use crate::arrays::MapEach;
use crate::math::Vec3;
use crate::mesh::Mesh;

use super::Tree;
use super::disc::Disc;
use super::node::{Link, LocalBox};

impl Tree {
    /// Checks the tree against the mesh it was built of: every triangle is in exactly one leaf,
    /// every leaf and node is reached once, every box contains the boxes and triangles below it,
    /// every disc contains the triangles below it, and the `f32` corners are those of the mesh up
    /// to rounding. For tests; visits the whole tree.
    ///
    /// # Errors
    /// A description of the first violation.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        let mut visited = Visited {
            triangles: vec![false; mesh.triangles().len()],
            nodes: vec![false; self.nodes.len()],
            leaves: vec![false; self.leaves.len()],
            discs: Vec::new(),
        };
        if let Some((bounds, link)) = &self.root {
            self.visit(mesh, bounds, *link, &mut visited)?;
        }
        let all = |flags: &[bool], what: &str| match flags.iter().position(|f| !f) {
            Some(i) => Err(format!("{what} {i} is not in the tree")),
            None => Ok(()),
        };
        all(&visited.triangles, "triangle")?;
        all(&visited.nodes, "node")?;
        all(&visited.leaves, "leaf")
    }

    fn visit(
        &self,
        mesh: &Mesh,
        bounds: &LocalBox,
        link: Link,
        visited: &mut Visited,
    ) -> Result<(), String> {
        let index = link.index();
        if link.is_leaf() {
            mark(&mut visited.leaves, index, "leaf")?;
            return self.visit_leaf(mesh, bounds, index, visited);
        }
        mark(&mut visited.nodes, index, "node")?;
        let node = &self.nodes[index];
        for slot in (0..8).filter(|s| node.link[*s] != Link::NONE) {
            let child = node.get(slot);
            for k in 0..3 {
                let reach =
                    |b: &LocalBox, sign: f64| f64::from(b.center[k]) + sign * f64::from(b.half[k]);
                for (b, which) in [(bounds, "parent"), (&node.bounds, "node")] {
                    if reach(&child, 1.0) > reach(b, 1.0) || reach(&child, -1.0) < reach(b, -1.0) {
                        return Err(format!(
                            "slot {slot} of node {index} is not contained in its {which}"
                        ));
                    }
                }
            }
            let disc = Disc {
                normal: node.discs.normal.get(slot),
                offset: node.discs.offset[slot],
                half_thickness: node.discs.half_thickness[slot],
                radius: node.discs.radius[slot],
            };
            visited.discs.push((child.center, disc));
            self.visit(mesh, &child, node.link[slot], visited)?;
            visited.discs.pop();
        }
        Ok(())
    }

    fn visit_leaf(
        &self,
        mesh: &Mesh,
        bounds: &LocalBox,
        index: usize,
        visited: &mut Visited,
    ) -> Result<(), String> {
        let leaf = &self.leaves[index];
        if leaf.count == 0 || leaf.count > 8 {
            return Err(format!("leaf {index} has {} triangles", leaf.count));
        }
        for lane in 0..leaf.count as usize {
            let t = leaf.triangles[lane] as usize;
            mark(&mut visited.triangles, t, "triangle")?;
            for (corner, stored) in mesh.triangle(t).iter().zip(&leaf.corners) {
                let local = self.frame.local(*corner).to_array();
                let leaf_disc = (leaf.origin, leaf.disc);
                if !visited
                    .discs
                    .iter()
                    .chain([&leaf_disc])
                    .all(|(c, disc)| contains(disc, c, local))
                {
                    return Err(format!(
                        "triangle {t} is not contained in a disc on the path to leaf {index}"
                    ));
                }
                for k in 0..3 {
                    if (local[k] - f64::from(bounds.center[k])).abs() > f64::from(bounds.half[k]) {
                        return Err(format!("triangle {t} is not contained in leaf {index}"));
                    }
                    let error =
                        (local[k] - f64::from(leaf.origin[k]) - f64::from(stored.get(lane)[k]))
                            .abs();
                    if error > f64::from(leaf.reach) * f64::from(f32::EPSILON) + UNDERFLOW_TOLERANCE
                    {
                        return Err(format!(
                            "a corner of triangle {t} in leaf {index} has the error {error}"
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

struct Visited {
    triangles: Vec<bool>,
    nodes: Vec<bool>,
    leaves: Vec<bool>,
    /// The discs on the path to the visited link, with their centres.
    discs: Vec<([f32; 3], Disc)>,
}

/// Tolerance for underflow in `f32`. It is far below the allowance that the bounds have for the
/// rounding of vertices.
const UNDERFLOW_TOLERANCE: f64 = f32::MIN_POSITIVE as f64;

/// Tolerance for the underflow of squares in the computation of a radius: 2^-74.
const RADIUS_TOLERANCE: f64 = 1.0 / (1_u128 << 74) as f64;

fn contains(disc: &Disc, center: &[f32; 3], point: [f64; 3]) -> bool {
    let x = Vec3::from_array(point) - Vec3::from_array(center.map_each(f64::from));
    let normal = Vec3::from_array(disc.normal.map_each(f64::from)).normalize();
    let height = normal.dot(x);
    (height - f64::from(disc.offset)).abs() <= f64::from(disc.half_thickness) + UNDERFLOW_TOLERANCE
        && (x - normal * height).length() <= f64::from(disc.radius) + RADIUS_TOLERANCE
}

fn mark(flags: &mut [bool], index: usize, what: &str) -> Result<(), String> {
    match flags.get_mut(index) {
        Some(flag) if !*flag => {
            *flag = true;
            Ok(())
        }
        Some(_) => Err(format!("{what} {index} is reached twice")),
        None => Err(format!("{what} {index} does not exist")),
    }
}
