//! The hull of a set of points.

use std::sync::{Arc, OnceLock};

use super::build::Builder;
use super::initial_simplex::{self, Span};
use super::query::{MAX_VERTICES_WITHOUT_CELLS, SupportTable};
use super::{merge, planar};
use crate::arrays::MapToVec;
use crate::error::{Error, ErrorKind};
use crate::math::{Aabb, Vec3, check_range, unit_scale};

/// The convex hull of points, with exact topology.
///
/// Every vertex is a corner: no vertex lies in the hull of the others. Every face is a polygon with
/// at least three corners, counter-clockwise seen from outside, no two neighbouring faces lie in
/// one plane and no three consecutive corners on one line. Coordinates are those of the input, bit
/// for bit, and in its frame.
///
/// | dimension | hull | vertices | edges | faces |
/// | --- | --- | --- | --- | --- |
/// | 0 | a point | 1 | 0 | 0 |
/// | 1 | a segment | 2 | 1 | 0 |
/// | 2 | a planar polygon | n | n | 2, one seen from each side |
/// | 3 | a solid | n | n + faces - 2 | at least 4 |
///
/// ```
/// use impinge::Vec3;
/// use impinge::convex::Hull;
///
/// // All points of a 5 x 5 x 5 grid: a cube.
/// let grid = (0..125).map(|i| Vec3::new((i % 5) as f64, (i / 5 % 5) as f64, (i / 25) as f64));
/// let hull = Hull::new(&grid.collect::<Vec<_>>())?;
/// assert_eq!((hull.vertices().len(), hull.edge_count(), hull.face_count()), (8, 12, 6));
/// assert!(hull.faces().all(|face| face.len() == 4));
/// assert_eq!(hull.vertices()[hull.support(Vec3::ONE) as usize], Vec3::splat(4.0));
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    pub(super) dimension: usize,
    /// Shared with queries that were stopped and may be continued, as is the topology.
    pub(super) vertices: Arc<[Vec3]>,
    pub(super) sources: Vec<u32>,
    pub(super) topology: Arc<Topology>,
    pub(super) bounds: Aabb,
    /// Built by the first query or by [`Hull::prepare`].
    table: LazyTable,
}

/// The support table, built on demand. It follows from the vertices and the topology, so it does
/// not count in comparisons.
#[derive(Clone, Debug, Default)]
struct LazyTable(OnceLock<Box<SupportTable>>);

impl PartialEq for LazyTable {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Faces and adjacency in compressed rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Topology {
    /// Face `f` has the corners `face_vertices[face_starts[f]..face_starts[f + 1]]`.
    pub(super) face_starts: Vec<u32>,
    pub(super) face_vertices: Vec<u32>,
    /// Vertex `v` has the neighbours `neighbors[neighbor_starts[v]..neighbor_starts[v + 1]]`.
    pub(super) neighbor_starts: Vec<u32>,
    pub(super) neighbors: Vec<u32>,
}

/// Points with a smaller extent are scaled up first, so that determinants are not lost to
/// underflow.
const MIN_UNSCALED_EXTENT: f64 = 1e-50;

/// The most points: every face and half-edge has a `u32` index.
const MAX_POINTS: usize = (u32::MAX / 6) as usize;

impl Hull {
    /// The hull of `points`, in any order, with any duplicates.
    ///
    /// Time is about proportional to `n log h` for `n` points and `h` corners; the result is the
    /// same for the same points in the same order, bit for bit.
    ///
    /// # Errors
    /// If there is no point, if a coordinate is not finite or beyond
    /// [`MAX_COORDINATE`](crate::math::MAX_COORDINATE), or if there are more than 700 million
    /// points.
    pub fn new(points: &[Vec3]) -> Result<Self, Error> {
        if points.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "a hull of no points; give at least one point",
            ));
        }
        if points.len() > MAX_POINTS {
            return Err(Error::new(
                ErrorKind::TooLarge,
                format!(
                    "a hull of {} points; the most is {MAX_POINTS}, so give fewer points",
                    points.len()
                ),
            ));
        }
        let mut low = points[0];
        let mut high = points[0];
        let mut sum = Vec3::ZERO;
        for p in points {
            low = low.min(*p);
            high = high.max(*p);
            sum += *p * 0.0;
        }
        // The minimum of a number and NaN may be the number; zero times NaN or infinity is NaN.
        if sum != Vec3::ZERO || low.abs().max(high.abs()).max_element() > crate::MAX_COORDINATE {
            for (i, p) in points.iter().enumerate() {
                check_range(*p, || format!("point {i}"))?;
            }
        }
        let extent = (high - low).max_element();
        if extent > 0.0 && extent < MIN_UNSCALED_EXTENT {
            if let Some(scaled) = scaled_up(points, low.abs().max(high.abs()).max_element()) {
                let bounds = Aabb::from_points(scaled.iter().copied());
                return Ok(Self::from_checked(points, &scaled, bounds));
            }
        }
        Ok(Self::from_checked(points, points, Aabb { min: low, max: high }))
    }

    /// The hull of `points`. `scaled` are the same points in another unit, used for the decisions;
    /// `bounds` is their box.
    fn from_checked(points: &[Vec3], scaled: &[Vec3], bounds: Aabb) -> Self {
        let (dimension, ids, topology) = match initial_simplex::find(scaled, bounds) {
            Span::Point(id) => (0, vec![id], Topology::of_point()),
            Span::Segment(mut ids) => {
                ids.sort_unstable();
                (1, ids.to_vec(), Topology::of_segment())
            }
            Span::Plane { corners, drop } => {
                let (ids, topology) = planar::polygon(scaled, corners, drop);
                (2, ids, topology)
            }
            Span::Space { corners, bounds } => {
                let (ids, topology) =
                    merge::polygons(&Builder::new(scaled, corners, bounds).build());
                (3, ids, topology)
            }
        };
        let vertices: Arc<[Vec3]> = ids.iter().map(|i| points[*i as usize]).collect();
        let bounds = Aabb::from_points(vertices.iter().copied());
        let topology = Arc::new(topology);
        Self { dimension, vertices, sources: ids, topology, bounds, table: LazyTable::default() }
    }

    /// A hull from vertices and their topology, which must match.
    pub(super) fn from_parts(
        dimension: usize,
        vertices: Vec<Vec3>,
        topology: impl Into<Arc<Topology>>,
    ) -> Self {
        let sources = (0..vertices.len() as u32).collect();
        let bounds = Aabb::from_points(vertices.iter().copied());
        let (vertices, topology) = (vertices.into(), topology.into());
        Self { dimension, vertices, sources, topology, bounds, table: LazyTable::default() }
    }

    /// The same hull for points that were chosen from a larger set: `chosen[i]` is the index of
    /// point `i` in that set.
    pub(crate) fn with_source_indices(mut self, chosen: &[u32]) -> Self {
        for source in &mut self.sources {
            *source = chosen[*source as usize];
        }
        self
    }

    /// The same hull with its own vertices as sources, and perhaps in another unit: the vertices,
    /// or the vertices times a power of two.
    pub(crate) fn with_vertices(self, vertices: Vec<Vec3>) -> Self {
        debug_assert_eq!(
            vertices.len(),
            self.vertices.len(),
            "the number of vertices must not change"
        );
        Self::from_parts(self.dimension, vertices, self.topology)
    }

    /// The same hull without its sources and its support table, sharing the rest: for a query that
    /// is continued later. Takes constant time.
    pub(crate) fn shared(&self) -> Self {
        Self {
            dimension: self.dimension,
            vertices: Arc::clone(&self.vertices),
            sources: Vec::new(),
            topology: Arc::clone(&self.topology),
            bounds: self.bounds,
            table: LazyTable::default(),
        }
    }

    /// Whether both are the same hull, sharing their vertices.
    pub(crate) fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.vertices, &other.vertices)
    }

    /// The dimension of the hull: 0 for a point, 1 for a segment, 2 for a planar polygon, 3 for a
    /// solid.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The corners, numbered so that neighbours usually have close numbers.
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// For each vertex the index of its point in the input; if several points are equal, the index
    /// of one of them.
    #[must_use]
    pub fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// The smallest box around the hull, in its frame.
    #[inline]
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The number of faces.
    #[must_use]
    pub fn face_count(&self) -> usize {
        self.topology.face_starts.len() - 1
    }

    /// The number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.topology.neighbors.len() / 2
    }

    /// The vertices of face `index`, counter-clockwise seen from outside.
    ///
    /// # Panics
    /// If there is no such face.
    #[must_use]
    pub fn face(&self, index: usize) -> &[u32] {
        row(&self.topology.face_starts, &self.topology.face_vertices, index)
    }

    /// The vertices of each face, counter-clockwise seen from outside.
    #[must_use]
    pub fn faces(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        (0..self.face_count()).map(|i| self.face(i))
    }

    /// The vertices that share an edge with `vertex`, counter-clockwise seen from outside.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[inline]
    #[must_use]
    pub fn neighbors(&self, vertex: u32) -> &[u32] {
        row(&self.topology.neighbor_starts, &self.topology.neighbors, vertex as usize)
    }

    /// The support table for queries; built if necessary.
    #[inline(always)]
    pub(super) fn support_table(&self) -> &SupportTable {
        match self.table.0.get() {
            Some(table) => table,
            None => self.table.0.get_or_init(|| Box::new(SupportTable::new(self))),
        }
    }

    /// The support table, mutable, if it is built.
    pub(super) fn support_table_mut(&mut self) -> Option<&mut SupportTable> {
        self.table.0.get_mut().map(|table| &mut **table)
    }

    /// Sets the support table, if none is built.
    pub(super) fn set_support_table(&self, table: SupportTable) {
        self.table.0.get_or_init(|| Box::new(table));
    }

    /// Builds the table in which queries find furthest vertices, if it is not built, so that the
    /// first query does not take longer. Queries within a budget do not build it for hulls of more
    /// than about fifty vertices.
    pub fn prepare(&self) {
        let _ = self.support_table();
    }

    /// Whether the [table](Self::prepare) is built, or takes no longer to build than a query.
    #[inline]
    #[must_use]
    pub fn is_prepared(&self) -> bool {
        self.table.0.get().is_some() || self.vertices.len() <= MAX_VERTICES_WITHOUT_CELLS
    }

    /// The bytes that the hull holds on the heap, including the support table if it is built.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let t = &self.topology;
        let numbers =
            [&self.sources, &t.face_starts, &t.face_vertices, &t.neighbor_starts, &t.neighbors];
        let table = self.table.0.get().map_or(0, |table| table.heap_bytes());
        table
            + size_of_val(&self.vertices[..])
            + numbers.into_iter().map(|v| size_of_val(v.as_slice())).sum::<usize>()
    }
}

/// Row `index` of compressed rows.
#[inline]
fn row<'a>(starts: &[u32], values: &'a [u32], index: usize) -> &'a [u32] {
    &values[starts[index] as usize..starts[index + 1] as usize]
}

/// The points times the power of two that brings the largest coordinate to about one, if no point
/// is rounded by it.
fn scaled_up(points: &[Vec3], largest: f64) -> Option<Vec<Vec3>> {
    let (s, t) = unit_scale(largest);
    let scaled: Vec<_> = points.map_to_vec(|p| *p * s * t);
    let unscale = |q: Vec3| q / t / s;
    scaled.iter().zip(points).all(|(q, p)| unscale(*q) == *p).then_some(scaled)
}

impl Topology {
    fn of_point() -> Self {
        Self { face_starts: vec![0], neighbor_starts: vec![0, 0], ..Self::default() }
    }

    fn of_segment() -> Self {
        Self {
            face_starts: vec![0],
            neighbor_starts: vec![0, 1, 2],
            neighbors: vec![1, 0],
            ..Self::default()
        }
    }
}
