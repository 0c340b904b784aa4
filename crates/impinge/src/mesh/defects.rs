//! What is wrong or unusual about a mesh, in full lists.

use std::collections::HashMap;

use super::Mesh;
use super::connectivity::index;
use super::orientation::Orientation;
use super::polygon_checks::{collinear, convex, covered_once, deviation, planar, spanning_corners};
use super::topology::Topology;
use super::union_find::UnionFind;
use crate::math::coordinate_key;

/// An edge with one polygon only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenEdge {
    /// Its ends, in the direction of the polygon.
    pub vertices: [u32; 2],
    /// The polygon.
    pub polygon: u32,
}

/// An edge on which three or more polygon sides meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonManifoldEdge {
    /// Its ends, the smaller index first.
    pub vertices: [u32; 2],
    /// The polygons, one entry a side, ascending.
    pub polygons: Vec<u32>,
}

/// An edge along which its two polygons run the same way: one of them is turned around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MisorientedEdge {
    /// Its ends, in the direction of both polygons.
    pub vertices: [u32; 2],
    /// The polygons.
    pub polygons: [u32; 2],
    /// The one more likely wrong: it belongs to the smaller party of its piece. `None` if the piece
    /// cannot be oriented at all.
    pub suspect: Option<u32>,
}

/// A vertex at which polygons meet that do not hang together around it through edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonManifoldVertex {
    /// The vertex.
    pub vertex: u32,
    /// How many separate fans of polygons meet there, two or more.
    pub fans: u32,
}

/// Why a polygon is degenerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DegenerateKind {
    /// All its corners lie on one line, exactly.
    ZeroArea,
    /// Two corners in a row have the same coordinates; this is the second one's vertex.
    ZeroLengthSide(u32),
}

/// A polygon without area, or with a side of no length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DegeneratePolygon {
    /// The polygon.
    pub polygon: u32,
    /// What is degenerate; [`DegenerateKind::ZeroArea`] where both hold.
    pub kind: DegenerateKind,
}

/// A polygon whose corners are not in one plane, exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NonPlanarPolygon {
    /// The polygon.
    pub polygon: u32,
    /// The largest distance of a corner from the best-fit plane (Newell's normal through the mean
    /// of the corners).
    pub deviation: f64,
    /// The same over the diagonal of the polygon's box.
    pub relative: f64,
}

/// A polygon with the same corners as an earlier one, in the same cyclic order or the reverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DuplicatePolygon {
    /// The first polygon with these corners.
    pub first: u32,
    /// The later one.
    pub polygon: u32,
    /// Whether it is turned the other way.
    pub reversed: bool,
}

/// The full report of a mesh's defects. Every list is in ascending order; numbers are those of the
/// mesh.
///
/// Vertices count by index here: those that merely coincide are listed in `duplicate_vertices`, and
/// joined by [`Mesh::welded`].
///
/// ```
/// use impinge::{Mesh, Vec3};
///
/// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(9.0)];
/// let mesh = Mesh::from_triangles(vertices, vec![[0, 1, 2]])?;
/// let defects = mesh.defects();
/// assert_eq!((defects.open_edges.len(), defects.boundary_loops), (3, 1));
/// assert_eq!(defects.unreferenced_vertices, [3]);
/// println!("{defects}");
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Defects {
    /// Edges with one polygon.
    pub open_edges: Vec<OpenEdge>,
    /// How many closed loops (or open chains, where other defects interrupt them) the open edges
    /// form.
    pub boundary_loops: usize,
    /// Edges with three or more sides.
    pub non_manifold_edges: Vec<NonManifoldEdge>,
    /// Edges along which two polygons run the same way.
    pub misoriented_edges: Vec<MisorientedEdge>,
    /// The polygons to turn around to orient every piece that can be oriented: the smaller party of
    /// each.
    pub suspect_polygons: Vec<u32>,
    /// The first polygon of each piece that cannot be oriented, such as a Moebius strip.
    pub non_orientable: Vec<u32>,
    /// Vertices where separate fans of polygons meet.
    pub non_manifold_vertices: Vec<NonManifoldVertex>,
    /// Polygons without area or with sides of no length.
    pub degenerate_polygons: Vec<DegeneratePolygon>,
    /// Polygons not exactly in one plane.
    pub non_planar_polygons: Vec<NonPlanarPolygon>,
    /// Polygons whose outline passes through itself or goes around some points twice or in both
    /// senses, or that could not be triangulated without overlap; see
    /// [`triangulate_polygon`](super::triangulate_polygon).
    pub self_crossing_polygons: Vec<u32>,
    /// Polygons that visit a vertex twice, other than in a row: holes joined by bridges, and
    /// pinches. Not wrong.
    pub pinched_polygons: Vec<u32>,
    /// Polygons with the corners of an earlier one.
    pub duplicate_polygons: Vec<DuplicatePolygon>,
    /// Vertices with the coordinates of an earlier one: `[first, later]`.
    pub duplicate_vertices: Vec<[u32; 2]>,
    /// Vertices that no polygon uses.
    pub unreferenced_vertices: Vec<u32>,
}

impl Defects {
    /// Whether nothing speaks against the mesh as the surface of a solid: no open, non-manifold or
    /// misoriented edges, no non-manifold vertices, no degenerate, crossing or duplicate polygons.
    ///
    /// Non-planar and pinched polygons, coinciding and unused vertices are legal and do not count.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.open_edges.is_empty()
            && self.non_manifold_edges.is_empty()
            && self.misoriented_edges.is_empty()
            && self.non_manifold_vertices.is_empty()
            && self.degenerate_polygons.is_empty()
            && self.self_crossing_polygons.is_empty()
            && self.duplicate_polygons.is_empty()
    }

    pub(super) fn find(mesh: &Mesh) -> Self {
        let mut found = Self::default();
        let topology = mesh.topology();
        found.find_edges(&topology, mesh.polygon_count());
        let mut fans = fans(&topology);
        found.find_vertices(mesh, &topology, &mut fans);
        found.boundary_loops = boundary_loops(&topology, &mut fans);
        found.find_polygons(mesh);
        found.duplicate_polygons = duplicate_polygons(mesh);
        found
    }

    fn find_edges(&mut self, t: &Topology<'_>, polygons: usize) {
        let orientation = Orientation::decide(t, polygons);
        for e in t.proper_edges() {
            match t.half_edges(e) {
                [h] => self.open_edges.push(OpenEdge {
                    vertices: [t.origin(*h), t.destination(*h)],
                    polygon: t.polygon(*h),
                }),
                [g, h] if t.origin(*g) == t.origin(*h) => {
                    let polygons = [t.polygon(*g), t.polygon(*h)];
                    let suspects = polygons.map(|p| orientation.suspect[p as usize]);
                    self.misoriented_edges.push(MisorientedEdge {
                        vertices: [t.origin(*g), t.destination(*g)],
                        polygons,
                        suspect: match suspects {
                            [true, false] => Some(polygons[0]),
                            [false, true] => Some(polygons[1]),
                            _ => None,
                        },
                    });
                }
                [_, _] => {}
                sides => self.non_manifold_edges.push(NonManifoldEdge {
                    vertices: t.ends(e),
                    polygons: sides.iter().map(|h| t.polygon(*h)).collect(),
                }),
            }
        }
        self.non_orientable = orientation.non_orientable;
        if !self.misoriented_edges.is_empty() {
            self.suspect_polygons =
                (0..index(polygons)).filter(|p| orientation.suspect[*p as usize]).collect();
        }
    }

    fn find_vertices(&mut self, mesh: &Mesh, t: &Topology<'_>, fans: &mut UnionFind) {
        let mut first_at = HashMap::with_capacity(mesh.vertices().len());
        for (v, point) in mesh.vertices().iter().enumerate() {
            let v = index(v);
            let first = *first_at.entry(coordinate_key(*point)).or_insert(v);
            if first != v {
                self.duplicate_vertices.push([first, v]);
            }
            if t.outgoing(v).is_empty() {
                self.unreferenced_vertices.push(v);
                continue;
            }
            let count = t.outgoing(v).iter().filter(|h| fans.find(**h) == **h).count();
            if count > 1 {
                self.non_manifold_vertices
                    .push(NonManifoldVertex { vertex: v, fans: index(count) });
            }
        }
    }

    fn find_polygons(&mut self, mesh: &Mesh) {
        let mut seen = vec![u32::MAX; mesh.vertices().len()];
        for p in 0..mesh.polygon_count() {
            let corners = mesh.polygon(p);
            let points = mesh.polygon_points(p);
            let polygon = index(p);
            if let Some(kind) = degenerate(mesh, corners) {
                self.degenerate_polygons.push(DegeneratePolygon { polygon, kind });
            }
            if corners.len() == 3 {
                continue;
            }
            if !planar(points.clone()) {
                let (deviation, diagonal) = deviation(points.clone());
                let relative = deviation / diagonal;
                self.non_planar_polygons.push(NonPlanarPolygon { polygon, deviation, relative });
            }
            let forced = mesh.connectivity.forced.binary_search(&polygon).is_ok();
            let covered = || {
                let triangles: Vec<_> = mesh.triangles_of(p).map(|t| mesh.triangle(t)).collect();
                covered_once(&points.clone().collect::<Vec<_>>(), &triangles)
            };
            if forced || (!convex(points.clone()) && !covered()) {
                self.self_crossing_polygons.push(polygon);
            }
            let mut last = corners.last().copied();
            let mut pinched = false;
            for v in corners {
                pinched |= last != Some(*v) && seen[*v as usize] == polygon;
                seen[*v as usize] = polygon;
                last = Some(*v);
            }
            if pinched {
                self.pinched_polygons.push(polygon);
            }
        }
    }
}

/// Whether, and why, a polygon is degenerate.
fn degenerate(mesh: &Mesh, corners: &[u32]) -> Option<DegenerateKind> {
    let at = |v: u32| mesh.vertices()[v as usize];
    let flat = match corners {
        [a, b, c] => collinear(at(*a), at(*b), at(*c)),
        _ => spanning_corners(corners.iter().map(|v| at(*v))).is_none(),
    };
    if flat {
        return Some(DegenerateKind::ZeroArea);
    }
    let before = corners.iter().cycle().skip(corners.len() - 1);
    let mut sides = before.zip(corners);
    sides.find(|(a, b)| at(**a) == at(**b)).map(|(_, b)| DegenerateKind::ZeroLengthSide(*b))
}

/// Corners (as outgoing half-edges) joined around their vertex wherever an edge connects them.
pub(super) fn fans(t: &Topology<'_>) -> UnionFind {
    let mut sets = UnionFind::new(t.half_edge_count());
    for e in 0..index(t.edge_count()) {
        let sides = t.half_edges(e);
        if t.is_loop(e) {
            // Both ends are the same vertex, visited twice in a row by one polygon.
            for h in sides {
                sets.unite(*h, t.next(*h));
            }
            continue;
        }
        let corner = |h: u32, v: u32| if t.origin(h) == v { h } else { t.next(h) };
        for v in t.ends(e) {
            for pair in sides.windows(2) {
                sets.unite(corner(pair[0], v), corner(pair[1], v));
            }
        }
    }
    sets
}

/// How many loops or chains the open edges form, following them through the fans at their ends.
fn boundary_loops(t: &Topology<'_>, fans: &mut UnionFind) -> usize {
    let open: Vec<u32> = t
        .proper_edges()
        .filter_map(|e| match t.half_edges(e) {
            [h] => Some(*h),
            _ => None,
        })
        .collect();
    let mut at_fan = HashMap::with_capacity(open.len());
    let mut sets = UnionFind::new(open.len());
    let mut loops = open.len();
    for (i, h) in open.iter().enumerate() {
        for corner in [*h, t.next(*h)] {
            let other = *at_fan.entry(fans.find(corner)).or_insert(index(i));
            loops -= usize::from(sets.unite(other, index(i)));
        }
    }
    loops
}

/// Polygons with the same corners in the same cyclic order, either way round.
fn duplicate_polygons(mesh: &Mesh) -> Vec<DuplicatePolygon> {
    // The smallest rotation of a polygon or of its reverse stands for it; equal ones are found by
    // sorting.
    let mut canonical = Vec::with_capacity(mesh.connectivity.corner_count());
    let mut reversed = Vec::with_capacity(mesh.polygon_count());
    let (mut forward, mut backward) = (Vec::new(), Vec::new());
    for p in 0..mesh.polygon_count() {
        forward.clear();
        forward.extend_from_slice(mesh.polygon(p));
        backward.clear();
        backward.extend(forward.iter().rev());
        for cycle in [&mut forward, &mut backward] {
            let start = least_rotation(cycle);
            cycle.rotate_left(start);
        }
        reversed.push(backward < forward);
        canonical.extend_from_slice(if backward < forward { &backward } else { &forward });
    }
    let key = |p: u32| &canonical[mesh.connectivity.corner_range(p as usize)];
    let mut order: Vec<u32> = (0..index(mesh.polygon_count())).collect();
    order.sort_unstable_by(|a, b| key(*a).cmp(key(*b)).then(a.cmp(b)));
    let mut found = Vec::new();
    for group in order.chunk_by(|a, b| key(*a) == key(*b)) {
        let first = group[0];
        // The same corners both ways round (a needle) has no direction to compare.
        found.extend(group[1..].iter().map(|p| DuplicatePolygon {
            first,
            polygon: *p,
            reversed: reversed[*p as usize] != reversed[first as usize],
        }));
    }
    found.sort_unstable_by_key(|d| d.polygon);
    found
}

/// Where the lexicographically smallest rotation of a cycle starts, in linear time (Shiloach 1981).
fn least_rotation(cycle: &[u32]) -> usize {
    let n = cycle.len();
    let (mut i, mut j, mut k) = (0, 1, 0);
    while i < n && j < n && k < n {
        let (a, b) = (cycle[(i + k) % n], cycle[(j + k) % n]);
        if a == b {
            k += 1;
            continue;
        }
        if a > b {
            i += k + 1;
        } else {
            j += k + 1;
        }
        if i == j {
            j += 1;
        }
        k = 0;
    }
    i.min(j)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_rotation_is_the_smallest_of_all() {
        let mut state = 3_u32;
        for n in 1..9 {
            for _ in 0..50 {
                let cycle: Vec<u32> = (0..n)
                    .map(|_| {
                        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (state >> 24) % 3
                    })
                    .collect();
                let rotated = |i: usize| [&cycle[i..], &cycle[..i]].concat();
                let best = (0..n).map(rotated).min().unwrap();
                assert_eq!(rotated(least_rotation(&cycle)), best);
            }
        }
    }
}
