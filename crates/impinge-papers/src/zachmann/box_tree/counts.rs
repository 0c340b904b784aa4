//! Optional counters of a traversal.

/// Receives the operations of a traversal. The implementation for `()` does nothing and costs
/// nothing.
pub trait TraversalCounts {
    /// A pair of boxes is tested.
    #[inline]
    fn boxes(&mut self) {}

    /// Box edges are clipped: `planes` is the number of clips at a single plane.
    #[inline]
    fn edges(&mut self, planes: u64) {
        let _ = planes;
    }

    /// Two leaves with `a` and `b` triangles overlap.
    #[inline]
    fn leaves(&mut self, a: usize, b: usize) {
        let _ = (a, b);
    }

    /// `triangles` triangles of two leaves are left after the collecting phase.
    #[inline]
    fn collected(&mut self, triangles: usize) {
        let _ = triangles;
    }

    /// The boxes of two triangles, or of an edge and a triangle, are compared.
    #[inline]
    fn box_test(&mut self) {}

    /// Two triangles, or an edge and a triangle, are tested exactly.
    #[inline]
    fn exact_test(&mut self) {}

    /// A pair of triangles was found again after it was reported.
    #[inline]
    fn repeated(&mut self) {}
}

impl TraversalCounts for () {}

/// The work of one or more traversals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of boxes tested.
    pub boxes: u64,
    /// Intersections of a box edge with a plane: the unit of clipping.
    pub edges_clipped: u64,
    /// Pairs of leaves.
    pub leaf_pairs: u64,
    /// Triangles in those leaves.
    pub leaf_triangles: u64,
    /// Triangles in those leaves that are left after the collecting phase.
    pub collected: u64,
    /// Comparisons of the boxes of two triangles, or of an edge and a triangle.
    pub box_tests: u64,
    /// Exact tests.
    pub exact_tests: u64,
    /// Pairs that were found again in other leaves.
    pub repeated: u64,
}

impl TraversalCounts for Counts {
    fn boxes(&mut self) {
        self.boxes += 1;
    }

    fn edges(&mut self, planes: u64) {
        self.edges_clipped += planes;
    }

    fn leaves(&mut self, a: usize, b: usize) {
        self.leaf_pairs += 1;
        self.leaf_triangles += (a + b) as u64;
    }

    fn collected(&mut self, triangles: usize) {
        self.collected += triangles as u64;
    }

    fn box_test(&mut self) {
        self.box_tests += 1;
    }

    fn exact_test(&mut self) {
        self.exact_tests += 1;
    }

    fn repeated(&mut self) {
        self.repeated += 1;
    }
}
