//! What every tree promises, checked.

use crate::math::Vec3;
use crate::mesh::Mesh;

use super::Tree;
use super::node::{Link, LocalBox};
use super::sheet::Sheet;

impl Tree {
    /// Checks the tree against the mesh it was built of: every triangle is in exactly one leaf,
    /// every leaf and node is reached once, every box holds the boxes and triangles below it, every
    /// sheet the triangles, and the `f32` corners are those of the mesh to rounding. For tests;
    /// takes a pass over everything.
    ///
    /// # Errors
    /// The first broken promise, in words.
    pub fn validate(&self, mesh: &Mesh) -> Result<(), String> {
        let mut seen = Seen {
            triangles: vec![false; mesh.triangles().len()],
            nodes: vec![false; self.nodes.len()],
            leaves: vec![false; self.leaves.len()],
            sheets: Vec::new(),
        };
        if let Some((bounds, link)) = &self.root {
            self.visit(mesh, bounds, *link, &mut seen)?;
        }
        let all = |flags: &[bool], what: &str| match flags.iter().position(|f| !f) {
            Some(i) => Err(format!("{what} {i} is not in the tree")),
            None => Ok(()),
        };
        all(&seen.triangles, "triangle")?;
        all(&seen.nodes, "node")?;
        all(&seen.leaves, "leaf")
    }

    fn visit(
        &self,
        mesh: &Mesh,
        bounds: &LocalBox,
        link: Link,
        seen: &mut Seen,
    ) -> Result<(), String> {
        let index = link.index();
        if link.is_leaf() {
            mark(&mut seen.leaves, index, "leaf")?;
            return self.visit_leaf(mesh, bounds, index, seen);
        }
        mark(&mut seen.nodes, index, "node")?;
        let node = &self.nodes[index];
        for slot in (0..8).filter(|s| node.link[*s] != Link::NONE) {
            let child = node.get(slot);
            for k in 0..3 {
                let reach =
                    |b: &LocalBox, sign: f64| f64::from(b.center[k]) + sign * f64::from(b.half[k]);
                for (b, which) in [(bounds, "parent"), (&node.own, "node")] {
                    if reach(&child, 1.0) > reach(b, 1.0) || reach(&child, -1.0) < reach(b, -1.0) {
                        return Err(format!(
                            "slot {slot} of node {index} sticks out of its {which}"
                        ));
                    }
                }
            }
            let sheet = Sheet {
                normal: node.sheets.normal.get(slot),
                offset: node.sheets.offset[slot],
                thick: node.sheets.thick[slot],
                radius: node.sheets.radius[slot],
            };
            seen.sheets.push((child.center, sheet));
            self.visit(mesh, &child, node.link[slot], seen)?;
            seen.sheets.pop();
        }
        Ok(())
    }

    fn visit_leaf(
        &self,
        mesh: &Mesh,
        bounds: &LocalBox,
        index: usize,
        seen: &mut Seen,
    ) -> Result<(), String> {
        let leaf = &self.leaves[index];
        if leaf.count == 0 || leaf.count > 8 {
            return Err(format!("leaf {index} has {} triangles", leaf.count));
        }
        for lane in 0..leaf.count as usize {
            let t = leaf.triangles[lane] as usize;
            mark(&mut seen.triangles, t, "triangle")?;
            for (corner, stored) in mesh.triangle(t).iter().zip(&leaf.corners) {
                let local = self.frame.local(*corner).to_array();
                let own = (leaf.origin, leaf.sheet);
                if !seen.sheets.iter().chain([&own]).all(|(c, sheet)| holds(sheet, c, local)) {
                    return Err(format!("triangle {t} sticks out of a sheet above leaf {index}"));
                }
                for k in 0..3 {
                    if (local[k] - f64::from(bounds.center[k])).abs() > f64::from(bounds.half[k]) {
                        return Err(format!("triangle {t} sticks out of leaf {index}"));
                    }
                    let off =
                        (local[k] - f64::from(leaf.origin[k]) - f64::from(stored.get(lane)[k]))
                            .abs();
                    if off > f64::from(leaf.reach) * f64::from(f32::EPSILON) + TINY {
                        return Err(format!(
                            "a corner of triangle {t} is {off} off in leaf {index}"
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

struct Seen {
    triangles: Vec<bool>,
    nodes: Vec<bool>,
    leaves: Vec<bool>,
    /// The sheets above what is visited, with their centres.
    sheets: Vec<([f32; 3], Sheet)>,
}

/// What is too small for `f32` is far below what the bounds allow for the rounding of vertices.
const TINY: f64 = f32::MIN_POSITIVE as f64;

/// What squares that underflow may take from a radius: 2^-74.
const TINY_RADIUS: f64 = 1.0 / (1_u128 << 74) as f64;

fn holds(sheet: &Sheet, center: &[f32; 3], point: [f64; 3]) -> bool {
    let x = Vec3::from_array(point) - Vec3::from_array(center.map(f64::from));
    let normal = Vec3::from_array(sheet.normal.map(f64::from)).normalize();
    let height = normal.dot(x);
    (height - f64::from(sheet.offset)).abs() <= f64::from(sheet.thick) + TINY
        && (x - normal * height).length() <= f64::from(sheet.radius) + TINY_RADIUS
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
