//! Separating-axis test for two oriented boxes along all fifteen axes, with a margin for rounding
//! (`docs/notes/volumes.md`).

use super::OrientedBox;
use crate::arrays::MapEach;
use crate::math::rounding::{UNDERFLOW_MARGIN, UNIT_ROUNDOFF};

/// The largest error of a comparison, caused by rounding and by axes that are not exactly
/// perpendicular, relative to the sizes that enter the comparison.
const MARGIN: f64 = 256.0 * UNIT_ROUNDOFF;

/// The values for the fifteen comparisons.
struct Comparison {
    /// Dot products of the axes: `c[i][j]` of axis `i` of the first box and axis `j` of the second.
    c: [[f64; 3]; 3],
    /// The vector between the centres, along the axes of the first box.
    t: [f64; 3],
    /// The half sides of the first box.
    h: [f64; 3],
    /// The half sides of the second box.
    g: [f64; 3],
    margin: f64,
}

impl Comparison {
    #[inline]
    fn new(first: &OrientedBox, second: &OrientedBox) -> Self {
        let between = second.center - first.center;
        let c = first.axes.map_each(|a| second.axes.map_each(|b| a.dot(b)));
        let t = first.axes.map_each(|a| a.dot(between));
        let (h, g) = (first.half, second.half);
        let sizes = between.abs().element_sum() + ((h[0] + h[1] + h[2]) + (g[0] + g[1] + g[2]));
        Self { c, t, h, g, margin: sizes * MARGIN + UNDERFLOW_MARGIN }
    }

    /// Calls `axis` with the gap along each axis (negative if the projections overlap) and the
    /// squared length of that axis, until it returns true; returns whether it did. Face normals
    /// come first because they separate most pairs.
    #[inline(always)]
    fn any(&self, mut axis: impl FnMut(f64, f64) -> bool) -> bool {
        let Self { c, t, h, g, .. } = self;
        for i in 0..3 {
            let reach = h[i] + (g[0] * c[i][0].abs() + g[1] * c[i][1].abs() + g[2] * c[i][2].abs());
            if axis(t[i].abs() - reach, 1.0) {
                return true;
            }
        }
        for j in 0..3 {
            let reach = g[j] + (h[0] * c[0][j].abs() + h[1] * c[1][j].abs() + h[2] * c[2][j].abs());
            let along = t[0] * c[0][j] + t[1] * c[1][j] + t[2] * c[2][j];
            if axis(along.abs() - reach, 1.0) {
                return true;
            }
        }
        for i in 0..3 {
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (m, n) = ((j + 1) % 3, (j + 2) % 3);
                let reach = (h[k] * c[l][j].abs() + h[l] * c[k][j].abs())
                    + (g[m] * c[i][n].abs() + g[n] * c[i][m].abs());
                let along = t[l] * c[k][j] - t[k] * c[l][j];
                if axis(along.abs() - reach, 1.0 - c[i][j] * c[i][j]) {
                    return true;
                }
            }
        }
        false
    }
}

impl OrientedBox {
    /// Whether the boxes certainly share no point.
    #[inline]
    pub(super) fn separated(&self, other: &Self) -> bool {
        if self.half[0] < 0.0 || other.half[0] < 0.0 {
            return true;
        }
        let comparison = Comparison::new(self, other);
        comparison.any(|gap, _| gap > comparison.margin)
    }

    /// A lower bound of the distance.
    pub(super) fn distance_bound(&self, other: &Self) -> f64 {
        if self.half[0] < 0.0 || other.half[0] < 0.0 {
            return f64::INFINITY;
        }
        let comparison = Comparison::new(self, other);
        let mut best = 0.0_f64;
        comparison.any(|gap, square| {
            // An upper bound of the length of the axis.
            let length = (square.max(0.0) + 64.0 * UNIT_ROUNDOFF).sqrt();
            best = best.max((gap - comparison.margin) / length * (1.0 - 8.0 * UNIT_ROUNDOFF));
            false
        });
        best
    }

    /// An upper bound of the distance by which one box has to be moved until the boxes share no
    /// inner point.
    pub(super) fn depth_bound(&self, other: &Self) -> f64 {
        if self.half[0] < 0.0 || other.half[0] < 0.0 {
            return 0.0;
        }
        let comparison = Comparison::new(self, other);
        let mut best = f64::INFINITY;
        comparison.any(|gap, square| {
            // Nearly parallel edges have no reliable common perpendicular; the face normals give
            // the bound in that case.
            if square > 1e-4 {
                let length = (square - 64.0 * UNIT_ROUNDOFF).sqrt();
                let depth = (comparison.margin - gap) / length * (1.0 + 8.0 * UNIT_ROUNDOFF);
                best = best.min(depth.max(0.0));
            }
            gap > comparison.margin
        });
        best
    }
}
