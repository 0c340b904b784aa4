//! Whether two meshes are the same triangles, in whatever order.

use crate::math::Vec3;
use crate::pair::Posed;

/// Whether both have the same triangles as sets of points, each as often, whatever their order, their first corner and their orientation.
pub(super) fn same_triangles(a: &Posed<'_>, b: &Posed<'_>) -> bool {
    a.len() == b.len() && a.bounds() == b.bounds() && keys(a) == keys(b)
}

fn keys(mesh: &Posed<'_>) -> Vec<[[u64; 3]; 3]> {
    let mut keys: Vec<_> = mesh
        .triangles()
        .map(|t| {
            // Adding zero gives both zeros one sign.
            let mut corners = t.map(|v| (v + Vec3::ZERO).to_array().map(f64::to_bits));
            corners.sort_unstable();
            corners
        })
        .collect();
    keys.sort_unstable();
    keys
}
