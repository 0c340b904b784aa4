//! The cost model of a query: `T = N_v C_v + N_p C_p + N_u C_u` (Klosowski et al. 1998, section
//! 3.1).

/// Receives the operations of a traversal. The implementation for `()` does nothing and costs
/// nothing.
pub trait Counter {
    /// The volumes of node `a` of A and node `b` of B are compared.
    #[inline]
    fn volume_pair(&mut self, a: u32, b: u32) {
        let _ = (a, b);
    }

    /// Triangle `a` of A and triangle `b` of B are compared.
    #[inline]
    fn triangle_pair(&mut self, a: u32, b: u32) {
        let _ = (a, b);
    }

    /// The volume of node `b` of B is moved.
    #[inline]
    fn update(&mut self, b: u32) {
        let _ = b;
    }
}

impl Counter for () {}

/// Number of operations of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// `N_v`: pairs of volumes compared.
    pub volume_pairs: u64,
    /// `N_p`: pairs of triangles compared.
    pub triangle_pairs: u64,
    /// `N_u`: volumes moved.
    pub updates: u64,
}

impl Counter for Counts {
    #[inline]
    fn volume_pair(&mut self, _: u32, _: u32) {
        self.volume_pairs += 1;
    }

    #[inline]
    fn triangle_pair(&mut self, _: u32, _: u32) {
        self.triangle_pairs += 1;
    }

    #[inline]
    fn update(&mut self, _: u32) {
        self.updates += 1;
    }
}

impl Counts {
    /// The total cost T by the model, in nanoseconds.
    #[must_use]
    pub fn cost(&self, costs: &Costs) -> f64 {
        self.volume_pairs as f64 * costs.volume_pair
            + self.triangle_pairs as f64 * costs.triangle_pair
            + self.updates as f64 * costs.update
    }
}

/// Records all comparisons and moves, so that [`BvQuery::measure`](super::BvQuery::measure) can
/// repeat and time them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Pairs of nodes, in the order they were compared.
    pub volume_pairs: Vec<(u32, u32)>,
    /// Pairs of triangles, in the order they were compared.
    pub triangle_pairs: Vec<(u32, u32)>,
    /// Nodes of B, in the order they were moved.
    pub updates: Vec<u32>,
}

impl Counter for Recording {
    fn volume_pair(&mut self, a: u32, b: u32) {
        self.volume_pairs.push((a, b));
    }

    fn triangle_pair(&mut self, a: u32, b: u32) {
        self.triangle_pairs.push((a, b));
    }

    fn update(&mut self, b: u32) {
        self.updates.push(b);
    }
}

/// The cost of single operations, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// `C_v`: comparing two volumes.
    pub volume_pair: f64,
    /// `C_p`: comparing two triangles.
    pub triangle_pair: f64,
    /// `C_u`: moving a volume.
    pub update: f64,
}

impl Costs {
    /// Costs for 18-DOPs on one core of a 2.8 GHz Xeon, measured by
    /// [`BvQuery::measure`](super::BvQuery::measure) over the five flights of the paper: Table 1 of
    /// `cargo run --release -p impinge-lab -- klosowski`, rounded. Volumes are moved as published;
    /// [`ByMotion`](super::ByMotion) moves one in about 55 ns. Only the ratios matter, and their
    /// influence is small.
    pub const TYPICAL: Self = Self { volume_pair: 9.0, triangle_pair: 25.0, update: 420.0 };
}
