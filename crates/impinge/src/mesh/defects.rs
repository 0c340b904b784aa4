//! Everything invalid or unusual in a mesh, as complete lists.

use std::collections::HashMap;

use super::Mesh;
use super::connectivity::index;
use super::orientation::Orientation;
use super::polygon_checks::{collinear, convex, covered_once, deviation, planar, spanning_corners};
use super::topology::Topology;
use super::union_find::UnionFind;
use crate::arrays::{MapEach, MapToVec};
use crate::math::coordinate_key;
use crate::order::{sort_by, sort_numbers_by};

/// An edge with only one polygon side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenEdge {
    /// Its two vertices, in the direction of the polygon.
    pub vertices: [u32; 2],
    /// The polygon.
    pub polygon: u32,
}

/// An edge on which three or more polygon sides meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonManifoldEdge {
    /// Its two vertices, the smaller index first.
    pub vertices: [u32; 2],
    /// The polygons, one entry per side, ascending.
    pub polygons: Vec<u32>,
}

/// An edge whose two polygons run along it in the same direction: one of them has the wrong
/// orientation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MisorientedEdge {
    /// Its two vertices, in the direction of both polygons.
    pub vertices: [u32; 2],
    /// The polygons.
    pub polygons: [u32; 2],
    /// The polygon that is more likely wrong: it belongs to the minority of its component. `None`
    /// if the component is not orientable.
    pub suspect: Option<u32>,
}

/// A vertex whose polygons are not all connected around it through edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonManifoldVertex {
    /// The vertex.
    pub vertex: u32,
    /// The number of separate fans of polygons that meet there, two or more.
    pub fans: u32,
}

/// Why a polygon is degenerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DegenerateKind {
    /// All its corners are collinear, exactly.
    ZeroArea,
    /// Two consecutive corners have the same coordinates; this is the vertex of the second corner.
    ZeroLengthSide(u32),
}

/// A polygon of zero area, or with a side of zero length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DegeneratePolygon {
    /// The polygon.
    pub polygon: u32,
    /// The reason; [`DegenerateKind::ZeroArea`] where both hold.
    pub kind: DegenerateKind,
}

/// A polygon whose corners are not exactly coplanar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NonPlanarPolygon {
    /// The polygon.
    pub polygon: u32,
    /// The largest distance of a corner from the best-fit plane (Newell's normal through the mean
    /// of the corners).
    pub deviation: f64,
    /// The deviation relative to the diagonal of the polygon's box.
    pub relative: f64,
}

/// A polygon with the same corners as an earlier one, in the same or the reverse cyclic order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DuplicatePolygon {
    /// The first polygon with these corners.
    pub first: u32,
    /// The later polygon.
    pub polygon: u32,
    /// Whether its orientation is reversed.
    pub reversed: bool,
}

/// The complete report of a mesh's defects. Every list is in ascending order; indices are those of
/// the mesh.
///
/// Vertices are identified by index: vertices with equal coordinates are listed in
/// `duplicate_vertices`, and [`Mesh::welded`] merges them.
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
    /// Edges with one side.
    pub open_edges: Vec<OpenEdge>,
    /// The number of closed loops (or open chains, where other defects interrupt them) that the
    /// open edges form.
    pub boundary_loops: usize,
    /// Edges with three or more sides.
    pub non_manifold_edges: Vec<NonManifoldEdge>,
    /// Edges whose two polygons run along them in the same direction.
    pub misoriented_edges: Vec<MisorientedEdge>,
    /// The polygons to reverse to orient every orientable component: the minority of each
    /// component.
    pub suspect_polygons: Vec<u32>,
    /// The first polygon of each component that is not orientable, such as a Moebius strip.
    pub non_orientable: Vec<u32>,
    /// Vertices where separate fans of polygons meet.
    pub non_manifold_vertices: Vec<NonManifoldVertex>,
    /// Polygons of zero area or with sides of zero length.
    pub degenerate_polygons: Vec<DegeneratePolygon>,
    /// Polygons whose corners are not exactly coplanar.
    pub non_planar_polygons: Vec<NonPlanarPolygon>,
    /// Polygons whose outline passes through itself or winds around some points twice or in both
    /// directions, or that could not be triangulated without overlap; see
    /// [`triangulate_polygon`](super::triangulate_polygon).
    pub self_crossing_polygons: Vec<u32>,
    /// Polygons with two non-consecutive corners at one vertex: holes joined by bridges, and
    /// pinches. This is legal.
    pub pinched_polygons: Vec<u32>,
    /// Polygons with the same corners as an earlier polygon.
    pub duplicate_polygons: Vec<DuplicatePolygon>,
    /// Vertices with the same coordinates as an earlier vertex: `[first, later]`.
    pub duplicate_vertices: Vec<[u32; 2]>,
    /// Vertices that no polygon uses.
    pub unreferenced_vertices: Vec<u32>,
}

impl Defects {
    /// Whether the mesh can be the surface of a solid: no open, non-manifold or misoriented edges,
    /// no non-manifold vertices, no degenerate, self-crossing or duplicate polygons.
    ///
    /// Non-planar and pinched polygons, coinciding vertices and unused vertices are legal and do
    /// not count.
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
        let orientation = Orientation::by_majority(t, polygons);
        for e in t.proper_edges() {
            match t.half_edges(e) {
                [h] => self.open_edges.push(OpenEdge {
                    vertices: [t.origin(*h), t.destination(*h)],
                    polygon: t.polygon(*h),
                }),
                [g, h] if t.origin(*g) == t.origin(*h) => {
                    let polygons = [t.polygon(*g), t.polygon(*h)];
                    let suspects = polygons.map_each(|p| orientation.reversed_polygons[p as usize]);
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
                    polygons: sides.map_to_vec(|h| t.polygon(*h)),
                }),
            }
        }
        self.non_orientable = orientation.non_orientable;
        if !self.misoriented_edges.is_empty() {
            self.suspect_polygons = (0..index(polygons))
                .filter(|p| orientation.reversed_polygons[*p as usize])
                .collect();
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
            let forced = mesh.connectivity.forced_polygons.binary_search(&polygon).is_ok();
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

/// Why a polygon is degenerate; `None` if it is not.
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

/// The fans of all vertices: sets of corners (given as outgoing half-edges) that edges connect
/// around their vertex.
pub(super) fn fans(t: &Topology<'_>) -> UnionFind {
    let mut sets = UnionFind::new(t.half_edge_count());
    for e in 0..index(t.edge_count()) {
        let sides = t.half_edges(e);
        if t.is_loop(e) {
            // Both ends are the same vertex, at two consecutive corners of one polygon.
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

/// The number of loops or chains of open edges, connected through the fans at their ends.
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

/// Polygons with the same corners in the same or the reverse cyclic order.
fn duplicate_polygons(mesh: &Mesh) -> Vec<DuplicatePolygon> {
    // The canonical form of a polygon is the smallest rotation of its corners or of their reverse.
    // Sorting brings equal forms together.
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
    sort_by(&mut order, &|a, b| key(*a).cmp(key(*b)).then(a.cmp(b)));
    let mut found = Vec::new();
    for group in order.chunk_by(|a, b| key(*a) == key(*b)) {
        let first = group[0];
        // A needle, whose corners are the same in both directions, has no orientation to compare
        // and counts as not reversed.
        found.extend(group[1..].iter().map(|p| DuplicatePolygon {
            first,
            polygon: *p,
            reversed: reversed[*p as usize] != reversed[first as usize],
        }));
    }
    sort_numbers_by(&mut found, &|d, e| d.polygon.cmp(&e.polygon));
    found
}

/// The start of the lexicographically smallest rotation of a cycle, in linear time (Shiloach 1981).
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
    fn least_rotation_agrees_with_comparing_all_rotations() {
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
