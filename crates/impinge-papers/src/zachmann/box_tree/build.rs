//! Construction of a box-tree, level by level (Zachmann 1994, section 3.6.3).

use std::collections::VecDeque;

use impinge::math::{Aabb, Vec3};
use impinge::mesh::Mesh;
use impinge::{Error, ErrorKind};

use super::cut::{Cut, Polygons};
use super::options::Options;
use super::{BoxTree, Node};

/// A node that is still to be split or made a leaf.
struct PendingNode {
    node: usize,
    depth: usize,
    bounds: Aabb,
    triangles: Vec<u32>,
    edges: Vec<u32>,
}

/// Builds the tree breadth-first, so that the limit on copies, once reached, stops all branches at
/// about the same depth.
pub(super) fn build(mesh: &Mesh, options: &Options) -> Result<BoxTree, Error> {
    let boxes: Vec<Aabb> = (0..mesh.triangles().len())
        .map(|t| {
            let [p, q, r] = mesh.triangle(t);
            Aabb { min: p.min(q).min(r), max: p.max(q).max(r) }
        })
        .collect();
    let bounds = mesh.bounds();
    let mut tree = BoxTree {
        mesh: mesh.fingerprint(),
        bounds,
        delta: 0.0,
        nodes: Vec::new(),
        starts: vec![[0, 0]],
        triangles: Vec::new(),
        edges: Vec::new(),
        shared: vec![false; boxes.len()],
    };
    if boxes.is_empty() {
        return Ok(tree);
    }
    let rounding = 4.0 * f64::EPSILON * tree_reach(&bounds);
    tree.delta = options.thickness * bounds.extent().max_element() + rounding;
    let all_edges = mesh.edges();
    let ends = |e: u32| all_edges.ends(e as usize).map(|v| mesh.vertices()[v as usize]);
    let mut copies = boxes.len();
    let max_copies = (options.max_copies * boxes.len() as f64).min(f64::from(u32::MAX)) as usize;
    let mut pending = VecDeque::from([PendingNode {
        node: 0,
        depth: 0,
        bounds,
        triangles: (0..boxes.len() as u32).collect(),
        edges: (0..all_edges.len() as u32).collect(),
    }]);
    tree.nodes.push(PLACEHOLDER);
    while let Some(next) = pending.pop_front() {
        let small = next.triangles.len() <= options.min_polygons;
        let cut = if small || next.depth >= options.max_depth {
            None
        } else {
            let mut within = Aabb::EMPTY;
            if options.empty_boxes {
                // Include the edges: an edge inside a thick plane may be in a box that contains
                // none of its triangles.
                within = Aabb::from_points(next.edges.iter().flat_map(|e| ends(*e)));
                within =
                    next.triangles.iter().fold(within, |sum, t| sum.union(&boxes[*t as usize]));
            }
            let (bounds, members) = (&next.bounds, &next.triangles[..]);
            Polygons { bounds, boxes: &boxes, members, within, delta: tree.delta }
                .cut(options)
                .filter(|cut| copies + cut.crossing <= max_copies)
        };
        let Some(cut) = cut else {
            tree.add_leaf(&next)?;
            continue;
        };
        copies += cut.crossing;
        let first = tree.nodes.len();
        tree.nodes[next.node] = Node {
            cut: cut.at,
            link: u32::try_from(first).map_err(|_| too_large())?,
            axis: cut.axis as u8,
        };
        tree.nodes.extend([PLACEHOLDER; 2]);
        let [left, right] = halve(&next.bounds, &cut);
        let span = |t: u32| {
            let b = &boxes[t as usize];
            (b.min[cut.axis], b.max[cut.axis])
        };
        let [left_triangles, right_triangles] = split(&next.triangles, &cut, tree.delta, span);
        let span = |e: u32| {
            let [p, q]: [Vec3; 2] = ends(e);
            (p[cut.axis].min(q[cut.axis]), p[cut.axis].max(q[cut.axis]))
        };
        let [left_edges, right_edges] = split(&next.edges, &cut, tree.delta, span);
        let depth = next.depth + 1;
        pending.push_back(PendingNode {
            node: first,
            depth,
            bounds: left,
            triangles: left_triangles,
            edges: left_edges,
        });
        pending.push_back(PendingNode {
            node: first + 1,
            depth,
            bounds: right,
            triangles: right_triangles,
            edges: right_edges,
        });
    }
    let mut seen = vec![false; boxes.len()];
    for t in &tree.triangles {
        tree.shared[*t as usize] |= std::mem::replace(&mut seen[*t as usize], true);
    }
    Ok(tree)
}

/// Placeholder for a node that is not built yet.
const PLACEHOLDER: Node = Node { cut: 0.0, link: 0, axis: Node::LEAF };

impl BoxTree {
    /// Makes the pending node a leaf.
    fn add_leaf(&mut self, pending: &PendingNode) -> Result<(), Error> {
        let link = u32::try_from(self.leaf_count()).map_err(|_| too_large())?;
        self.nodes[pending.node] = Node { cut: 0.0, link, axis: Node::LEAF };
        self.triangles.extend(&pending.triangles);
        self.edges.extend(&pending.edges);
        let index = |n: usize| u32::try_from(n).map_err(|_| too_large());
        self.starts.push([index(self.triangles.len())?, index(self.edges.len())?]);
        Ok(())
    }
}

fn too_large() -> Error {
    Error::new(
        ErrorKind::TooLarge,
        "the leaves of the box-tree hold more than 2^32 triangles or edges; lower max_copies or raise min_polygons",
    )
}

fn tree_reach(bounds: &Aabb) -> f64 {
    bounds.min.abs().max(bounds.max.abs()).max_element()
}

/// The two halves of a box.
pub(super) fn halve(bounds: &Aabb, cut: &Cut) -> [Aabb; 2] {
    let (mut left, mut right) = (*bounds, *bounds);
    left.max[cut.axis] = cut.at;
    right.min[cut.axis] = cut.at;
    [left, right]
}

fn split(
    members: &[u32],
    cut: &Cut,
    delta: f64,
    span: impl Fn(u32) -> (f64, f64),
) -> [Vec<u32>; 2] {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for member in members {
        let (lo, hi) = span(*member);
        let [to_left, to_right] = cut.halves(lo, hi, delta);
        if to_left {
            left.push(*member);
        }
        if to_right {
            right.push(*member);
        }
    }
    [left, right]
}
