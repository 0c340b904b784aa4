//! Local search as a [`VertexSearch`]: a climb from the last result or from a vertex of a table.

use super::{Certainty, DirectionTable, VertexSearch};
use impinge::convex::Hull;
use impinge::internals::HullInternals as _;
use impinge::internals::support::Climb;
use impinge::math::Vec3;

/// A climb over the edges from the given start. [`VertexSearch::start`] returns the vertex from the
/// table, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct LocalSearch<'h> {
    hull: &'h Hull,
    table: Option<&'h DirectionTable>,
    certainty: Certainty,
}

impl<'h> LocalSearch<'h> {
    /// Exact comparisons and exact results: [`Hull::climb`].
    #[must_use]
    pub fn exact(hull: &'h Hull) -> Self {
        Self { hull, table: None, certainty: Certainty::Exact }
    }

    /// Comparisons of rounded `f64` products, so results are not certain: [`Hull::climb_rounded`].
    #[must_use]
    pub fn rounded(hull: &'h Hull) -> Self {
        Self { hull, table: None, certainty: Certainty::Rounded }
    }

    /// The same search with start vertices from `table`, which was built for this hull.
    ///
    /// # Panics
    /// If the table has the index of a vertex that this hull does not have.
    #[must_use]
    pub fn with_table(self, table: &'h DirectionTable) -> Self {
        assert!(table.fits(self.hull), "the direction table was built for another hull");
        Self { table: Some(table), ..self }
    }
}

impl VertexSearch for LocalSearch<'_> {
    fn hull(&self) -> &Hull {
        self.hull
    }

    fn start(&self, direction: Vec3) -> u32 {
        self.table.map_or(0, |table| table.near(direction))
    }

    #[inline]
    fn search(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32 {
        match self.certainty {
            Certainty::Exact => self.hull.climb(direction, start, climb),
            Certainty::Rounded => self.hull.climb_rounded(direction, start, climb),
        }
    }

    fn certainty(&self) -> Certainty {
        self.certainty
    }

    fn extra_bytes(&self) -> usize {
        self.table.map_or(0, size_of_val)
    }
}
