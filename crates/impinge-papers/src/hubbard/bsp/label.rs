//! Whether the cells at the leaves are inside the solid.
//!
//! The core of a cell are its points outside the slabs of all planes above it. All of the surface
//! in the cell belongs to a node above it, and lies in that node's slab. So the core has no point
//! of the surface; it is convex, and therefore all inside or all outside. One point decides,
//! located exactly.

use impinge::exact::Location;
use impinge::mesh::Mesh;
use impinge::{Vec3, solid};

use super::piece::Extent;
use super::{BspTree, Child, NO_NODE};

/// Labels all leaves that are cells of a solid. `samples` has a point of a face on every plane.
pub(super) fn leaves(tree: &mut BspTree, mesh: &Mesh, samples: &[Vec3]) {
    if !mesh.is_solid() {
        return;
    }
    let bounds = mesh.bounds();
    let extent = Extent::of(bounds.min, bounds.max);
    for (node, sample) in samples.iter().enumerate() {
        for side in 0..2 {
            if tree.nodes[node].children[side] == Child::Unknown {
                let point = point_in_core(tree, (node as u32, side), *sample, &extent);
                tree.nodes[node].children[side] = match point {
                    None => Child::Unknown,
                    Some(p) => match solid::locate(mesh, p).expect("the mesh is a solid") {
                        Location::Inside => Child::Inside,
                        Location::Outside => Child::Outside,
                        // The point is near the surface after all, which would be a bug; without a
                        // label no verdict is wrong.
                        Location::Boundary => Child::Unknown,
                    },
                };
            }
        }
    }
}

/// A point that is certainly in the core of a leaf, on the line through `sample` along the normal
/// of the leaf's node; `None` if rounding leaves no such point.
fn point_in_core(
    tree: &BspTree,
    leaf: (u32, usize),
    sample: Vec3,
    extent: &Extent,
) -> Option<Vec3> {
    let node = &tree.nodes[leaf.0 as usize];
    let along = if leaf.1 == 0 { node.plane.normal } else { -node.plane.normal };
    // No further than the size of the mesh.
    let (mut near, mut far) = (0.0_f64, 0.25 * extent.reach);
    for (above, side) in Path::above(tree, leaf) {
        let plane = &tree.nodes[above as usize].plane;
        let sign = [1.0, -1.0][side];
        let excess = sign * plane.value(sample) - clearance(tree, above, 0.0, extent);
        let slope = sign * plane.normal.dot(along);
        if slope > 0.0 {
            near = near.max(-excess / slope);
        } else if slope < 0.0 {
            far = far.min(excess / -slope);
        } else if excess <= 0.0 {
            return None;
        }
    }
    let point = sample + along * (0.5 * (near + far));
    (near < far && is_in_core(tree, leaf, point, 0.0, extent)).then_some(point)
}

/// Whether a point within `error` of `point` is certainly in the core of a leaf.
pub(super) fn is_in_core(
    tree: &BspTree,
    leaf: (u32, usize),
    point: Vec3,
    error: f64,
    extent: &Extent,
) -> bool {
    Path::above(tree, leaf).all(|(above, side)| {
        let value = [1.0, -1.0][side] * tree.nodes[above as usize].plane.value(point);
        value > clearance(tree, above, error, extent)
    })
}

/// Rounded values above this belong to points outside the slab of a node, and so do those of all
/// points within `error`.
fn clearance(tree: &BspTree, node: u32, error: f64, extent: &Extent) -> f64 {
    let node = &tree.nodes[node as usize];
    node.slab + super::piece::margin(error, node.plane.error_within(extent.reach))
}

/// The nodes above a leaf, from the lowest to the root, each with the side on which the leaf is.
struct Path<'a> {
    tree: &'a BspTree,
    next: Option<(u32, usize)>,
}

impl<'a> Path<'a> {
    fn above(tree: &'a BspTree, leaf: (u32, usize)) -> Self {
        Self { tree, next: Some(leaf) }
    }
}

impl Iterator for Path<'_> {
    type Item = (u32, usize);

    fn next(&mut self) -> Option<(u32, usize)> {
        let (node, side) = self.next?;
        let parent = self.tree.nodes[node as usize].parent;
        self.next = (parent != NO_NODE).then(|| {
            let children = &self.tree.nodes[parent as usize].children;
            (parent, usize::from(children[1] == Child::Node(node)))
        });
        Some((node, side))
    }
}
