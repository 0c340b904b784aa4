//! Which side of each triangle the material is on.
//!
//! Files disagree about orientation, cavities come with either sign, and some surfaces meet themselves along edges. So nothing is taken on
//! trust: triangles are grouped through the edges that exactly two of them share, each group is oriented consistently, and one exact
//! point-in-polyhedron test a group tells its outside from its inside.

use crate::exact::{Location, Sign, locate_point, orient3d, segment_triangle};
use crate::math::Aabb;
use crate::mesh::Mesh;

/// For every triangle whether its normal `(b - a) x (c - a)` points into the material. `None` if the mesh bounds no solid: open edges, a
/// one-sided surface, or sheets that coincide.
pub(super) fn inward_triangles(mesh: &Mesh) -> Option<Vec<bool>> {
    if !mesh.is_solid() {
        return None;
    }
    // Whether the triangle is turned against its group's first one, until the group's own sense is known.
    let mut turned: Vec<Option<bool>> = vec![None; mesh.triangles().len()];
    let neighbours = neighbours(mesh);
    let mut group = Vec::new();
    for seed in 0..turned.len() {
        if turned[seed].is_some() {
            continue;
        }
        turned[seed] = Some(false);
        group.clear();
        group.push(seed);
        let mut next = 0;
        while next < group.len() {
            let t = group[next];
            next += 1;
            for (other, same_way) in &neighbours[t] {
                let wanted = turned[t].map(|x| x != *same_way);
                if turned[*other].is_none() {
                    turned[*other] = wanted;
                    group.push(*other);
                } else if turned[*other] != wanted {
                    return None;
                }
            }
        }
        let flip = group_is_inward(mesh, &group, &turned)?;
        for t in &group {
            turned[*t] = turned[*t].map(|x| x != flip);
        }
    }
    Some(turned.into_iter().map(Option::unwrap_or_default).collect())
}

/// For every triangle its neighbours across the edges that only the two of them have, and whether both run along the edge the same way
/// (one of them is then turned against the other).
fn neighbours(mesh: &Mesh) -> Vec<Vec<(usize, bool)>> {
    let edges = mesh.edges();
    let mut neighbours = vec![Vec::with_capacity(3); mesh.triangles().len()];
    for e in 0..edges.len() {
        let [p, q] = edges.ends(e);
        let &[x, y] = edges.sides(e) else { continue };
        let (x, y) = (x / 3, y / 3);
        if x == y || p == q {
            continue;
        }
        let runs_along = |t: u32| {
            let t = mesh.triangles()[t as usize];
            (0..3).any(|i| t[i] == p && t[(i + 1) % 3] == q)
        };
        let same_way = runs_along(x) == runs_along(y);
        neighbours[x as usize].push((y as usize, same_way));
        neighbours[y as usize].push((x as usize, same_way));
    }
    neighbours
}

/// Whether the group's first triangle has its normal point into the material. `None` if no probe tells; a group without area has no side
/// and may have either.
fn group_is_inward(mesh: &Mesh, group: &[usize], turned: &[Option<bool>]) -> Option<bool> {
    // The triangle with the most room about it is the best one to step off from.
    let mut by_area: Vec<(f64, usize)> = group
        .iter()
        .map(|t| {
            let [p, q, r] = mesh.triangle(*t);
            ((q - p).cross(r - p).length(), *t)
        })
        .collect();
    by_area.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    if by_area.first().is_some_and(|(area, _)| *area == 0.0) {
        return Some(false);
    }
    let (inward, t) = by_area.iter().take(8).find_map(|(_, t)| Some((probe(mesh, *t)?, *t)))?;
    turned[t].map(|x| x != inward)
}

/// How often the probe is made sixteen times shorter before a triangle is given up: sheets coincide there, or nearly.
const PROBES: i32 = 10;

/// Whether the triangle's normal points into the material: a short segment through its middle that meets no other triangle has one end inside
/// and one outside.
fn probe(mesh: &Mesh, triangle: usize) -> Option<bool> {
    let corners = mesh.triangle(triangle);
    let [p, q, r] = corners;
    let scale = (q - p).abs().max((r - p).abs()).max_element();
    let (e, f) = ((q - p) / scale, (r - p) / scale);
    let normal = e.cross(f);
    let size = normal.length();
    let middle = p + (q - p) / 3.0 + (r - p) / 3.0;
    for shrink in 0..PROBES {
        let step = normal / size * (size * scale * 0.25 * 16.0_f64.powi(-shrink));
        let (front, back) = (middle + step, middle - step);
        if orient3d(p, q, r, front) != Sign::Positive || orient3d(p, q, r, back) != Sign::Negative {
            return None;
        }
        let reach = Aabb::from_corners(front, back);
        let alone = (0..mesh.triangles().len()).all(|other| {
            let t = mesh.triangle(other);
            other == triangle
                || !Aabb::from_points(t).overlaps(&reach)
                || segment_triangle(front, back, &t).is_none()
        });
        if alone {
            let inside = |x| locate_point(x, (0..mesh.triangles().len()).map(|t| mesh.triangle(t)));
            return match (inside(front), inside(back)) {
                (Location::Inside, Location::Outside) => Some(true),
                (Location::Outside, Location::Inside) => Some(false),
                _ => None,
            };
        }
    }
    None
}
