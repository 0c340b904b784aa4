//! The separate bodies of a solid. Each is decomposed on its own.

use crate::arrays::MapEach;
use crate::error::{Error, ErrorKind};
use crate::math::{Aabb, Vec3};
use crate::mesh::Mesh;
use crate::order::sort_numbers_by;

/// An error that lists the defects if the mesh is not closed.
pub fn check_closed(mesh: &Mesh) -> Result<(), Error> {
    if mesh.is_solid() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::NotSolid,
        format!(
            "the mesh is not closed, so it has no inside to decompose: {}; welding its vertices may help",
            mesh.defects()
        ),
    ))
}

/// Groups of shells, as lists of triangles. The boxes of two groups have no point in common, and
/// each group is closed.
pub fn bodies(mesh: &Mesh, vertices: &[Vec3]) -> Vec<Vec<u32>> {
    let shells = mesh.shells();
    let corners = |t: usize| mesh.triangles()[t].map_each(|v| vertices[v as usize]);
    let mut groups: Vec<(Aabb, Vec<u32>)> = vec![(Aabb::EMPTY, Vec::new()); shells.count()];
    for t in 0..mesh.triangles().len() {
        let group = &mut groups[mesh.shell_of(t) as usize];
        group.0 = group.0.union(&Aabb::from_points(corners(t)));
        group.1.push(t as u32);
    }
    // A joined box is larger and may overlap others: repeat until no boxes are joined.
    loop {
        sort_numbers_by(&mut groups, &|a, b| {
            a.0.min.x.total_cmp(&b.0.min.x).then(a.1[0].cmp(&b.1[0]))
        });
        let before = groups.len();
        let mut joined: Vec<(Aabb, Vec<u32>)> = Vec::with_capacity(before);
        // Groups that a later one can still reach along x.
        let mut open: Vec<usize> = Vec::new();
        for mut group in groups {
            open.retain(|i| joined[*i].0.max.x >= group.0.min.x);
            let mut met: Vec<usize> =
                open.iter().copied().filter(|i| joined[*i].0.overlaps(&group.0)).collect();
            match met.pop() {
                None => {
                    open.push(joined.len());
                    joined.push(group);
                }
                Some(into) => {
                    joined[into].0 = joined[into].0.union(&group.0);
                    joined[into].1.append(&mut group.1);
                }
            }
        }
        groups = joined;
        if groups.len() == before {
            break;
        }
    }
    groups.into_iter().map(|(_, triangles)| triangles).collect()
}
