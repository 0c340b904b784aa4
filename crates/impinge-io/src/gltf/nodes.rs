//! The node tree of a glTF document: the map of each node to the scene.

use super::accessor::unsupported;
use super::json::{Node, Root};
use crate::document::IDENTITY;
use crate::error::{Error, ErrorKind, ItemKind, Location};
use crate::matrix::{Placement, from_quaternion};

/// For each node its map to the scene, or `None` for nodes outside the default scene.
///
/// The traversal uses an explicit stack, so the depth of the tree is not limited. A node with two
/// parents, a root with a parent and a cycle are errors.
pub(super) fn placements(root: &Root) -> Result<Vec<Option<Placement>>, Error> {
    let parents = parents(root)?;
    let roots = roots(root, &parents)?;
    let mut placements: Vec<Option<Placement>> = vec![None; root.nodes.len()];
    let mut stack: Vec<(usize, Placement)> = Vec::new();
    for start in roots {
        // A node may be a root of several scenes.
        if placements[start].is_some() {
            continue;
        }
        stack.push((start, Placement::IDENTITY));
        while let Some((i, parent)) = stack.pop() {
            let node = &root.nodes[i];
            let place = parent.compose(&local(node, i)?);
            if !place.is_finite() {
                let message = "its transformation is not finite";
                return Err(Error::new(ErrorKind::NotFinite, item(i), message));
            }
            placements[i] = Some(place);
            stack.extend(node.children.iter().map(|&child| (child, place)));
        }
    }
    Ok(placements)
}

fn item(i: usize) -> Location {
    Location::Item(ItemKind::Node, i as u64)
}

/// The parent of each node.
fn parents(root: &Root) -> Result<Vec<Option<usize>>, Error> {
    let bad = |i, message| Err(Error::new(ErrorKind::BadReference, item(i), message));
    let mut parents = vec![None; root.nodes.len()];
    for (i, node) in root.nodes.iter().enumerate() {
        for &child in &node.children {
            match parents.get_mut(child) {
                None => return bad(i, format!("its child {child} does not exist")),
                Some(Some(other)) => {
                    return bad(child, format!("it is a child of node {other} and of node {i}"));
                }
                Some(slot) => *slot = Some(i),
            }
        }
    }
    // Every node has at most one parent, so a node that is not reached from a root is in a cycle or
    // below one.
    let mut reached = vec![false; root.nodes.len()];
    let mut stack: Vec<usize> = (0..parents.len()).filter(|&i| parents[i].is_none()).collect();
    while let Some(i) = stack.pop() {
        reached[i] = true;
        stack.extend(&root.nodes[i].children);
    }
    match reached.iter().position(|r| !r) {
        Some(i) => bad(i, "its ancestors form a cycle".into()),
        None => Ok(parents),
    }
}

/// The roots of the default scene; without one, of all scenes; without scenes, all nodes without a
/// parent.
fn roots(root: &Root, parents: &[Option<usize>]) -> Result<Vec<usize>, Error> {
    let scenes = match root.scene {
        Some(i) => match root.scenes.get(i) {
            Some(scene) => std::slice::from_ref(scene),
            None => {
                let message =
                    format!("the default scene is {i}, but the file has {}", root.scenes.len());
                return Err(Error::new(ErrorKind::BadReference, Location::Whole, message));
            }
        },
        None if root.scenes.is_empty() => {
            return Ok((0..parents.len()).filter(|&i| parents[i].is_none()).collect());
        }
        None => &root.scenes[..],
    };
    let mut roots = Vec::new();
    for &i in scenes.iter().flat_map(|s| &s.nodes) {
        match parents.get(i) {
            None => {
                let message = format!("a scene references node {i}, which does not exist");
                return Err(Error::new(ErrorKind::BadReference, Location::Whole, message));
            }
            Some(Some(parent)) => {
                let message = format!("it is the root of a scene and a child of node {parent}");
                return Err(Error::new(ErrorKind::BadReference, item(i), message));
            }
            Some(None) => roots.push(i),
        }
    }
    Ok(roots)
}

/// The map from the frame of `node` to that of its parent.
fn local(node: &Node, i: usize) -> Result<Placement, Error> {
    if let Some(name) = node.extensions.keys().find(|k| k.as_str() == "EXT_mesh_gpu_instancing") {
        return Err(Error::new(ErrorKind::Unsupported, item(i), unsupported(name)));
    }
    if let Some(m) = &node.matrix {
        if m[3] != 0.0 || m[7] != 0.0 || m[11] != 0.0 || m[15] != 1.0 {
            let message = "its matrix is not affine: the last row is not 0 0 0 1";
            return Err(Error::new(ErrorKind::Unsupported, item(i), message));
        }
        let rows = [0, 1, 2].map(|r| [m[r], m[4 + r], m[8 + r], m[12 + r]]);
        return Ok(Placement::of_matrix(rows));
    }
    let mut matrix = match node.rotation {
        None => IDENTITY,
        Some(q) => from_quaternion(q).ok_or_else(|| {
            Error::new(ErrorKind::Syntax, item(i), "its rotation is a zero quaternion")
        })?,
    };
    if let Some(t) = node.translation {
        for (row, x) in matrix.iter_mut().zip(t) {
            row[3] = x;
        }
    }
    let place = Placement { matrix, scale: 1.0 };
    Ok(node.scale.map_or(place, |s| place.scaled_first(s)))
}
