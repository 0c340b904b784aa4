//! Queries of two meshes within a budget, which can be continued (Klosowski et al. 1998, section
//! 5.2.3; Hubbard 1995, section V). `docs/notes/budgets.md` has the proofs.
//!
//! The caller owns the state of a search. A search that stopped continues where it stopped, as long
//! as the meshes and the pose are the same; otherwise it starts anew. Only the state's lists
//! allocate, and they keep their memory.
//!
//! | question | state | function |
//! | --- | --- | --- |
//! | Do they meet? | [`FirstSearch`] | [`first_hit_within`] |
//! | Which triangles meet? | [`AllSearch`] | [`all_pairs_within`] |
//! | How far apart are they? | [`DistanceSearch`] | [`distance_within`] |
//!
//! No budgeted query builds a tree: [`Mesh::prepare`] does. Without it, meshes of more than a few
//! triangles are compared by their boxes only, unless the budget is [unlimited](Budget::unlimited).

mod all;
mod contact;
mod distance;
mod first;
mod selection;
mod small;

pub use all::{AllSearch, PairsWithin, all_pairs_within};
pub use distance::{DistanceSearch, DistanceWithin, distance_within};
pub use first::{FirstSearch, HitVerdict, first_hit_within, first_pair_within};

use crate::answer::Bounds;
use crate::math::{Aabb, Pose, Vec3, length_down};
use crate::mesh::Mesh;

/// What the boxes of two meshes bound: a lower bound of their distance, and the bounds of an
/// undecided answer.
fn bounds_of_boxes(a: &Mesh, b: &Mesh, pose: &Pose) -> (f64, Bounds) {
    let (box_a, box_b): (Aabb, Aabb) = (a.bounds(), b.bounds().transformed(pose));
    let gap = (box_a.min - box_b.max).max(box_b.min - box_a.max).max(Vec3::ZERO);
    let mut known = Bounds::of_boxes(&box_a, &box_b);
    let corner = |mesh: &Mesh| mesh.vertices()[mesh.triangles()[0][0] as usize];
    known.include_points(corner(a), pose.transform_point(corner(b)));
    (length_down(gap), known)
}
