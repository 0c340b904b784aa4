//! Checks of a tree, by descents that share nothing with the cuts of pieces.

use impinge::exact::Location;
use impinge::internals::Random;
use impinge::mesh::Mesh;
use impinge::{Vec3, solid};

use super::piece::{Extent, margin};
use super::{BspTree, Child, NO_NODE};

/// Points of every triangle, and points in the box of the mesh, that are followed down the tree.
const POINTS: usize = 8;

pub(super) fn validate(tree: &BspTree, mesh: &Mesh) -> Result<(), String> {
    for (number, node) in tree.nodes.iter().enumerate() {
        if node.parent == NO_NODE {
            if tree.root != Child::Node(number as u32) {
                return Err(format!("node {number} has no parent and is not the root"));
            }
        } else if !tree.nodes[node.parent as usize].children.contains(&Child::Node(number as u32)) {
            return Err(format!("node {number} is not a child of its parent {}", node.parent));
        }
        if node.own.is_empty() {
            return Err(format!("node {number} has no triangle"));
        }
    }
    let mut random = Random::new(1);
    let bounds = mesh.bounds();
    if bounds.is_empty() {
        return if tree.root == Child::Unknown {
            Ok(())
        } else {
            Err("an empty mesh has nodes".into())
        };
    }
    let extent = Extent::of(bounds.min, bounds.max);
    for t in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.triangle(t);
        for _ in 0..POINTS {
            let (u, v) = (random.unit(), random.unit());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            // Within an error of a cut of the triangle.
            let p = a + (b - a) * u + (c - a) * v;
            if !descend(tree, p, &extent, |triangles| triangles.contains(&(t as u32)), |_| false) {
                return Err(format!("triangle {t} is not found at {p}"));
            }
        }
    }
    for _ in 0..POINTS * mesh.triangles().len() {
        let p = bounds.center() + random.in_cube() * (bounds.extent() * 0.5);
        let Ok(location) = solid::locate(mesh, p) else { break };
        let mut wrong = false;
        descend(
            tree,
            p,
            &extent,
            |_| false,
            |leaf| {
                wrong |= matches!(
                    (leaf, location),
                    (Child::Inside, Location::Outside) | (Child::Outside, Location::Inside)
                );
                false
            },
        );
        // Within a slab the label need not hold.
        if wrong && !is_near_a_plane(tree, p, &extent) {
            return Err(format!("{p} is {location:?}, and its leaf says the opposite"));
        }
    }
    Ok(())
}

/// Visits the nodes and the leaves that a point may belong to, until one is accepted.
fn descend(
    tree: &BspTree,
    p: Vec3,
    extent: &Extent,
    mut own: impl FnMut(&[u32]) -> bool,
    mut leaf: impl FnMut(&Child) -> bool,
) -> bool {
    let list =
        |range: &std::ops::Range<u32>| &tree.triangles[range.start as usize..range.end as usize];
    let mut open = vec![&tree.root];
    while let Some(child) = open.pop() {
        let node = match child {
            Child::Node(node) => &tree.nodes[*node as usize],
            Child::Crowded(range) if own(list(range)) => return true,
            other if leaf(other) => return true,
            _ => continue,
        };
        let (value, margin) = at(node, p, extent);
        if value.abs() <= node.slab + margin && own(list(&node.own)) {
            return true;
        }
        if value >= -margin {
            open.push(&node.children[0]);
        }
        if value <= margin {
            open.push(&node.children[1]);
        }
    }
    false
}

fn at(node: &super::Node, p: Vec3, extent: &Extent) -> (f64, f64) {
    let margin = margin(extent.error_of_cut, node.plane.error_within(extent.reach));
    (node.plane.value(p), margin)
}

/// Whether a point lies in the slab of any plane.
fn is_near_a_plane(tree: &BspTree, p: Vec3, extent: &Extent) -> bool {
    tree.nodes.iter().any(|node| {
        let (value, margin) = at(node, p, extent);
        value.abs() <= node.slab + margin
    })
}
