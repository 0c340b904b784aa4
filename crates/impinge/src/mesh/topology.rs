//! Half-edges of polygons and their adjacency: a doubly-connected edge list for arbitrary input.
//!
//! Zachmann 1994, section 4.1, stores the adjacency of closed manifold polyhedra; section 4.1.3
//! requires that its construction handles open, non-manifold, wrongly oriented and degenerate
//! input. Here every side of a polygon is a half-edge, edges list all their half-edges, and a twin
//! exists only where it is unambiguous.

use std::ops::Range;

use super::connectivity::{Connectivity, NONE, index};
use super::edges::{Edges, counting_sort};

/// The lookup tables of [`Topology`].
#[derive(Clone, Debug)]
pub(super) struct HalfEdgeTables {
    pub(super) edges: Edges,
    /// The twin of each half-edge, or [`NONE`].
    twins: Vec<u32>,
    /// The polygon of each half-edge; empty when every polygon is a triangle.
    polygon_of: Vec<u32>,
    /// Half-edges grouped by origin: those of vertex `v` are `outgoing[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    outgoing: Vec<u32>,
}

impl Connectivity {
    pub(super) fn half_edge_tables(&self) -> &HalfEdgeTables {
        self.half_edge_tables.get_or_init(|| HalfEdgeTables::build(self))
    }
}

impl HalfEdgeTables {
    fn build(c: &Connectivity) -> Self {
        let corners = c.corners();
        let mut polygon_of = Vec::new();
        if c.polygons.is_some() {
            polygon_of.reserve(corners.len());
            for p in 0..c.polygon_count() {
                polygon_of.resize(c.corner_range(p).end, index(p));
            }
        }
        let next = |h: usize| match &c.polygons {
            None => h - h % 3 + (h + 1) % 3,
            Some(list) => {
                let p = polygon_of[h] as usize;
                if h + 1 == list.starts[p + 1] as usize { list.starts[p] as usize } else { h + 1 }
            }
        };
        let edges =
            Edges::from_sides(c.vertex_count, corners.len(), |h| [corners[h], corners[next(h)]]);
        let mut twins = vec![NONE; corners.len()];
        for e in 0..edges.len() {
            let ends = edges.ends(e);
            if let [g, h] = edges.sides(e) {
                let (from_g, from_h) = (corners[*g as usize], corners[*h as usize]);
                if ends[0] != ends[1] && from_g != from_h {
                    twins[*g as usize] = *h;
                    twins[*h as usize] = *g;
                }
            }
        }
        let outgoing =
            counting_sort(c.vertex_count, 0..index(corners.len()), |h| corners[h as usize]);
        let mut starts = vec![0_u32; c.vertex_count + 1];
        for v in corners {
            starts[*v as usize + 1] += 1;
        }
        for v in 0..c.vertex_count {
            starts[v + 1] += starts[v];
        }
        Self { edges, twins, polygon_of, starts, outgoing }
    }
}

/// The adjacency of a mesh's polygons, as half-edges.
///
/// Half-edge `h` is a side of a polygon, from its origin to the origin of the next half-edge around
/// the polygon. The half-edges of a polygon have consecutive numbers, in the order of its corners.
/// Half-edges with the same two ends lie on the same undirected edge. Edges here are sides of
/// polygons; [`Mesh::edges`](super::Mesh::edges) also contains the diagonals of the triangulation.
/// All methods panic for numbers that do not exist.
///
/// ```
/// use impinge::{Mesh, Vec3};
///
/// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let mesh = Mesh::from_triangles(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let topology = mesh.topology();
/// for h in 0..topology.half_edge_count() as u32 {
///     let twin = topology.twin(h).expect("a tetrahedron is closed");
///     assert_eq!(topology.origin(twin), topology.destination(h));
/// }
/// assert_eq!(topology.fan(topology.outgoing(3)[0]).count(), 3);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Topology<'a> {
    connectivity: &'a Connectivity,
    tables: &'a HalfEdgeTables,
}

impl<'a> Topology<'a> {
    pub(super) fn of(connectivity: &'a Connectivity) -> Self {
        Self { connectivity, tables: connectivity.half_edge_tables() }
    }

    /// The number of half-edges, which is the number of corners of all polygons.
    #[must_use]
    pub fn half_edge_count(&self) -> usize {
        self.connectivity.corner_count()
    }

    /// The vertex at the start of a half-edge.
    #[must_use]
    pub fn origin(&self, h: u32) -> u32 {
        self.connectivity.corners()[h as usize]
    }

    /// The vertex at the end of a half-edge.
    #[must_use]
    pub fn destination(&self, h: u32) -> u32 {
        self.origin(self.next(h))
    }

    /// The polygon of a half-edge, which lies to its left.
    #[must_use]
    pub fn polygon(&self, h: u32) -> u32 {
        if self.connectivity.polygons.is_none() {
            h / 3
        } else {
            self.tables.polygon_of[h as usize]
        }
    }

    /// The half-edges of a polygon, in the order of its corners.
    #[must_use]
    pub fn around_polygon(&self, polygon: u32) -> Range<u32> {
        let range = self.connectivity.corner_range(polygon as usize);
        index(range.start)..index(range.end)
    }

    /// The next half-edge around the polygon.
    #[must_use]
    pub fn next(&self, h: u32) -> u32 {
        let range = self.around_polygon(self.polygon(h));
        if h + 1 == range.end { range.start } else { h + 1 }
    }

    /// The previous half-edge around the polygon.
    #[must_use]
    pub fn prev(&self, h: u32) -> u32 {
        let range = self.around_polygon(self.polygon(h));
        if h == range.start { range.end - 1 } else { h - 1 }
    }

    /// The half-edge along the same edge in the opposite direction, if the edge has exactly these
    /// two half-edges.
    ///
    /// There is no twin on the border of an open mesh, where three or more polygons meet, where the
    /// neighbour has the opposite orientation, and for a half-edge from a vertex to itself.
    #[must_use]
    pub fn twin(&self, h: u32) -> Option<u32> {
        let twin = self.tables.twins[h as usize];
        (twin != NONE).then_some(twin)
    }

    /// The number of undirected edges, including edges from a vertex to itself.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.tables.edges.len()
    }

    /// The two vertices of an edge, the smaller first; equal for a side from a vertex to itself.
    #[must_use]
    pub fn ends(&self, edge: u32) -> [u32; 2] {
        self.tables.edges.ends(edge as usize)
    }

    /// The half-edges along an edge, ascending.
    #[must_use]
    pub fn half_edges(&self, edge: u32) -> &'a [u32] {
        self.tables.edges.sides(edge as usize)
    }

    /// The undirected edge of a half-edge.
    #[must_use]
    pub fn edge_of(&self, h: u32) -> u32 {
        self.tables.edges.edge_of(h as usize)
    }

    /// The half-edges that start at a vertex, ascending; none if no polygon uses it. Complete for
    /// every vertex, whereas [`Topology::fan`] follows twins only.
    #[must_use]
    pub fn outgoing(&self, vertex: u32) -> &'a [u32] {
        let v = vertex as usize;
        &self.tables.outgoing[self.tables.starts[v] as usize..self.tables.starts[v + 1] as usize]
    }

    /// The polygons around a vertex, ascending; a polygon with two corners there occurs twice.
    pub fn polygons_at(&self, vertex: u32) -> impl Iterator<Item = u32> + 'a {
        let topology = *self;
        self.outgoing(vertex).iter().map(move |h| topology.polygon(*h))
    }

    /// The outgoing half-edges around the origin of `h` that are connected across twins,
    /// counter-clockwise as seen from outside. A full turn starts with `h`; on a border, the fan
    /// starts with the half-edge that has no twin.
    #[must_use]
    pub fn fan(&self, h: u32) -> VertexFan<'a> {
        let mut first = h;
        while let Some(twin) = self.twin(first) {
            first = self.next(twin);
            if first == h {
                break;
            }
        }
        VertexFan { topology: *self, first, next: Some(first) }
    }

    /// Whether an edge leads from a vertex to itself.
    pub(super) fn is_loop(&self, edge: u32) -> bool {
        let [a, b] = self.ends(edge);
        a == b
    }

    /// The edges between two different vertices.
    pub(super) fn proper_edges(&self) -> impl Iterator<Item = u32> + 'a {
        let topology = *self;
        (0..index(self.edge_count())).filter(move |e| !topology.is_loop(*e))
    }

    /// Whether every edge is shared by an even number of polygon sides, so that parity defines
    /// inside and outside. Sides from a vertex to itself do not count.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.connectivity.closed_and_balanced()[0]
    }

    /// Whether every edge has the same number of sides in both directions. Then the surface is
    /// closed and the signed volume is defined.
    #[must_use]
    pub fn is_balanced(&self) -> bool {
        self.connectivity.closed_and_balanced()[1]
    }

    /// Checks all invariants of this structure; the error is the first that does not hold.
    #[cfg(any(test, feature = "internals"))]
    pub(crate) fn validate(&self) -> Result<(), String> {
        let count = index(self.half_edge_count());
        let check = |holds: bool, what: &str, i: u32| {
            if holds { Ok(()) } else { Err(format!("{what} {i}")) }
        };
        for h in 0..count {
            check(self.prev(self.next(h)) == h, "wrong prev of next of half-edge", h)?;
            check(self.next(self.prev(h)) == h, "wrong next of prev of half-edge", h)?;
            check(
                self.polygon(self.next(h)) == self.polygon(h),
                "next is in another polygon than half-edge",
                h,
            )?;
            check(
                self.around_polygon(self.polygon(h)).contains(&h),
                "polygon does not list half-edge",
                h,
            )?;
            let listed = self.half_edges(self.edge_of(h)).binary_search(&h).is_ok();
            check(listed, "edge does not list half-edge", h)?;
            let (from, to) = (self.origin(h), self.destination(h));
            check(
                self.ends(self.edge_of(h)) == [from.min(to), from.max(to)],
                "wrong edge ends of half-edge",
                h,
            )?;
            let starts_there = self.outgoing(from).binary_search(&h).is_ok();
            check(starts_there, "origin does not list outgoing half-edge", h)?;
            let sides = self.half_edges(self.edge_of(h));
            let other = sides.iter().copied().find(|g| *g != h);
            let partner = other.filter(|g| sides.len() == 2 && self.origin(*g) == to && from != to);
            check(self.twin(h) == partner, "wrong twin of half-edge", h)?;
            if let Some(twin) = self.twin(h) {
                check(self.twin(twin) == Some(h), "wrong twin of the twin of half-edge", h)?;
            }
        }
        let edges = 0..index(self.edge_count());
        for (e, f) in edges.clone().zip(edges.clone().skip(1)) {
            check(self.ends(e) < self.ends(f), "edges are not ascending after edge", e)?;
        }
        let sides: usize = edges.clone().map(|e| self.half_edges(e).len()).sum();
        check(
            sides == count as usize,
            "the numbers of half-edges of all edges do not add up to",
            count,
        )?;
        for e in edges {
            check(!self.half_edges(e).is_empty(), "no half-edge on edge", e)?;
            check(self.half_edges(e).is_sorted(), "half-edges are not ascending on edge", e)?;
        }
        let outgoing: usize =
            (0..index(self.connectivity.vertex_count)).map(|v| self.outgoing(v).len()).sum();
        check(
            outgoing == count as usize,
            "the numbers of half-edges of all vertices do not add up to",
            count,
        )
    }
}

/// The outgoing half-edges around a vertex that are connected across twins; see
/// [`Topology::fan`].
#[derive(Clone, Debug)]
pub struct VertexFan<'a> {
    topology: Topology<'a>,
    first: u32,
    next: Option<u32>,
}

impl Iterator for VertexFan<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let h = self.next?;
        // Counter-clockwise: across the side that precedes `h` in its polygon.
        self.next = self.topology.twin(self.topology.prev(h)).filter(|g| *g != self.first);
        Some(h)
    }
}

#[cfg(test)]
mod tests {
    use crate::math::Random;
    use crate::math::Vec3;
    use crate::mesh::Mesh;

    fn mesh(vertices: usize, polygons: &[&[u32]]) -> Mesh {
        let points = (0..vertices).map(|i| {
            let i = i as f64;
            Vec3::new(i, (i * 0.7).sin(), (i * 1.3).cos())
        });
        let mesh = Mesh::from_polygons(points.collect(), polygons).unwrap();
        mesh.topology().validate().unwrap();
        mesh
    }

    #[test]
    fn fans_make_one_turn_and_start_at_borders() {
        // A pyramid without its base: four triangles around vertex 4.
        let open = mesh(5, &[&[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]]);
        let t = open.topology();
        let around: Vec<u32> = t.fan(5).map(|h| t.destination(h)).collect();
        assert_eq!(around, [1, 2, 3, 0]);
        let border: Vec<u32> = t.fan(t.outgoing(0)[1]).map(|h| t.destination(h)).collect();
        assert_eq!(border, [1, 4]);
        assert_eq!(t.fan(t.outgoing(0)[0]).count(), 2);
        assert!(!t.is_closed());
        let closed = mesh(5, &[&[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4], &[3, 2, 1, 0]]);
        let t = closed.topology();
        assert!(t.is_closed() && t.is_balanced());
        assert_eq!(t.fan(t.outgoing(0)[0]).count(), 3);
        assert_eq!(t.polygons_at(0).collect::<Vec<_>>(), [0, 3, 4]);
        assert_eq!(t.around_polygon(4), 12..16);
    }

    #[test]
    fn twins_exist_only_where_they_are_unambiguous() {
        // Three triangles at the edge 0-1; then two neighbours that run along 0-1 in the same
        // direction.
        let three = mesh(5, &[&[0, 1, 2], &[1, 0, 3], &[1, 0, 4]]);
        assert_eq!(three.topology().half_edges(0), [0, 3, 6]);
        assert_eq!(three.topology().twin(0), None);
        let misoriented = mesh(4, &[&[0, 1, 2], &[0, 1, 3]]);
        assert_eq!(misoriented.topology().twin(0), None);
        assert!(!misoriented.topology().is_balanced());
        // A needle is closed by its own two sides; a point has only sides from a vertex to itself.
        let needle = mesh(2, &[&[0, 0, 1], &[1, 1, 1]]);
        assert_eq!((needle.topology().twin(0), needle.topology().twin(1)), (None, Some(2)));
        assert!(needle.topology().is_closed());
    }

    #[test]
    fn random_polygons_keep_the_invariants() {
        let mut draws = Random::new(7);
        let mut random = |below: u64| draws.bits() % below;
        for _ in 0..200 {
            let vertices = 1 + random(12);
            let polygons: Vec<Vec<u32>> = (0..random(20))
                .map(|_| (0..3 + random(6)).map(|_| random(vertices) as u32).collect())
                .collect();
            let slices: Vec<&[u32]> = polygons.iter().map(Vec::as_slice).collect();
            let mesh = mesh(vertices as usize, &slices);
            let t = mesh.topology();
            for h in 0..t.half_edge_count() as u32 {
                assert!(t.fan(h).any(|g| g == h));
                assert!(t.fan(h).all(|g| t.origin(g) == t.origin(h)));
            }
        }
    }
}
