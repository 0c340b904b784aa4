//! A hull with the data precomputed for searches (Leung 1996, sections 3.4 and 3.5).

use std::borrow::Cow;

use crate::leung::DirectionTable;
use impinge::convex::Hull;
use impinge::internals::HullInternals as _;
use impinge::internals::support::Climb;
use impinge::math::Vec3;

/// A hull prepared for searches: its centroid, its reach, and a table of start vertices for climbs.
///
/// Computed once per hull, in time proportional to the number of vertices. All data is in the
/// hull's own frame: searches transform directions to this frame, not vertices to the world.
#[derive(Clone, Debug)]
pub struct Prepared<'h> {
    hull: &'h Hull,
    own: Cow<'h, Preparation>,
}

/// The precomputed data of a hull without the hull itself, so that it can be stored separately.
#[derive(Clone, Debug)]
pub struct Preparation {
    centroid: Vec3,
    reach: Vec3,
    table: DirectionTable,
}

impl Preparation {
    /// Of a hull.
    #[must_use]
    pub fn new(hull: &Hull) -> Self {
        let vertices = hull.vertices();
        // Each vertex is scaled before summing, so that the sum cannot overflow.
        let share = 1.0 / vertices.len() as f64;
        let centroid = vertices.iter().map(|v| *v * share).sum();
        let reach = vertices.iter().fold(Vec3::ZERO, |most, v| most.max(v.abs()));
        Self { centroid, reach, table: DirectionTable::new(hull) }
    }
}

impl<'h> Prepared<'h> {
    /// Prepares a hull.
    #[must_use]
    pub fn new(hull: &'h Hull) -> Self {
        Self { hull, own: Cow::Owned(Preparation::new(hull)) }
    }

    /// A hull with its precomputed data. (With the data of another hull, climbs may start at
    /// vertices that do not exist.)
    #[must_use]
    pub fn with(hull: &'h Hull, own: &'h Preparation) -> Self {
        Self { hull, own: Cow::Borrowed(own) }
    }

    /// The hull.
    #[must_use]
    pub fn hull(&self) -> &'h Hull {
        self.hull
    }

    /// The mean of the vertices: inside the hull, up to rounding.
    #[must_use]
    pub fn centroid(&self) -> Vec3 {
        self.own.centroid
    }

    /// The largest absolute value of each coordinate.
    #[must_use]
    pub fn reach(&self) -> Vec3 {
        self.own.reach
    }

    /// A start vertex for a climb towards `direction`, from the table of 8 x 16 directions.
    #[must_use]
    pub fn start(&self, direction: Vec3) -> u32 {
        self.own.table.near(direction)
    }

    /// The vertex furthest along `direction`, exact. The climb starts at `start`, or at the vertex
    /// from the table if that lies further.
    ///
    /// The thesis uses the table only once per pair, but directions change by large angles within a
    /// search. With the table at every step, a query of bodies that rotate by 10 degrees per frame
    /// took 0.9 times as long for 10 vertices, 0.43 times for 100 and 0.28 times for 2,000. If
    /// `is_near`, which holds for the vertex of the last frame, the table is faster for large hulls
    /// only.
    pub(super) fn climb(
        &self,
        direction: Vec3,
        start: u32,
        is_near: bool,
        climb: &mut Climb,
    ) -> u32 {
        if is_near && self.hull.vertices().len() < MIN_VERTICES_FOR_TABLE {
            return self.hull.climb(direction, start, climb);
        }
        let height = |v: u32| self.hull.vertices()[v as usize].dot(direction);
        let near = self.own.table.near(direction);
        let start = if height(near) > height(start) { near } else { start };
        self.hull.climb(direction, start, climb)
    }
}

/// From this number of vertices on, a climb over a few degrees costs more than the table.
const MIN_VERTICES_FOR_TABLE: usize = 100;
