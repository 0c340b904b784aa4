//! The figures of the paper.

/// Figure 13: the number of cases that reached a level, and the mean speedup over BSP trees.
pub(super) const ALL: [(u64, f64); 5] =
    [(50_042, 1049.3), (5079, 581.6), (2180, 243.2), (915, 112.8), (483, 2.7)];

/// Figure 14: the same for cases that intersect at the level.
pub(super) const INTERSECTING: [(u64, f64); 5] =
    [(5079, 1576.7), (2180, 607.1), (915, 181.3), (483, 83.1), (143, 1.3)];

/// Figure 15: the mean bound of the separation of cases that intersect at a level, in radii of the
/// lamp's bounding sphere.
pub(super) const BOUNDS: [f64; 4] = [0.85, 0.39, 0.15, 0.06];
