//! Whether two meshes have the same triangles, in any order.

use crate::math::coordinate_key;
use crate::pair::Posed;

/// Whether both have the same triangles as sets of points, with the same multiplicity. The order of
/// the triangles, their first corners and their orientations do not matter.
pub(super) fn same_triangles(a: &Posed<'_>, b: &Posed<'_>) -> bool {
    if a.len() != b.len() || a.bounds() != b.bounds() {
        return false;
    }
    // Copies have their triangles in the same order.
    a.triangles().eq(b.triangles()) || keys(a) == keys(b)
}

fn keys(mesh: &Posed<'_>) -> Vec<[[u64; 3]; 3]> {
    let mut keys: Vec<_> = mesh
        .triangles()
        .map(|t| {
            let mut corners = t.map(coordinate_key);
            corners.sort_unstable();
            corners
        })
        .collect();
    keys.sort_unstable();
    keys
}
