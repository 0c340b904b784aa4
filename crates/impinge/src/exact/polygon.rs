//! Point in polygon by one ray, with its cheap comparisons first.
//!
//! Zachmann 1994, "Exact and fast collision detection", section 3.2.2 ("one-shot"). A ray goes from
//! the query point along +x; the number of edges it crosses is odd exactly inside. A vertex with
//! `y <= q.y` counts as below the ray and one with `y > q.y` as above: the ray is shifted up by an
//! infinitesimal amount, so it meets no vertex and every crossing is counted once. Six comparisons
//! of coordinates decide almost every edge; only the remaining edges need [`orient2d`].
//!
//! Differences from the paper: the answer is exact, and the boundary is a separate answer. The
//! diagonal tests (5 and 6) compare rounded differences, which is safe when they are strict:
//! rounding is monotone, so `fl(y) > fl(x)` implies `y > x`.

use super::{Location, Sign, orient2d};

/// How often each pre-check of the one-shot test decided an edge: the table of Zachmann 1994,
/// section 3.2.2.
#[cfg(any(test, feature = "internals"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OneShotCounts {
    /// Edges decided by the pre-checks (1) to (6), in the paper's order: left of the point, above
    /// it, below it, right of it, beyond the rising diagonal, beyond the falling diagonal.
    pub pre_checks: [u64; 6],
    /// Edges that no pre-check decided, which need the exact orientation.
    pub remaining: u64,
}

#[cfg(any(test, feature = "internals"))]
impl OneShotCounts {
    /// The number of edges tested.
    #[must_use]
    pub fn edges(&self) -> u64 {
        self.pre_checks.iter().sum::<u64>() + self.remaining
    }
}

/// Where `q` lies with respect to a polygon in the plane, exactly.
///
/// The polygon is the closed chain of its vertices, in either orientation, convex or not. Where it
/// touches or crosses itself, inside means: an odd number of crossings (parity). Every point of
/// every edge is [`Location::Boundary`], also of edges that coincide. Repeated vertices, collinear
/// vertices and polygons of zero area are allowed; one vertex is a point, two are a segment, and
/// every point is outside a polygon without vertices. Coordinates must be finite; with NaN the
/// answer is meaningless.
///
/// ```
/// use impinge::exact::{Location, point_in_polygon};
///
/// let triangle = [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]];
/// assert_eq!(point_in_polygon([1.0, 1.0], &triangle), Location::Inside);
/// assert_eq!(point_in_polygon([1.5, 1.5], &triangle), Location::Boundary);
/// assert_eq!(point_in_polygon([2.0, 2.0], &triangle), Location::Outside);
/// ```
#[must_use]
pub fn point_in_polygon(q: [f64; 2], polygon: &[[f64; 2]]) -> Location {
    one_shot(q, polygon, |_| ())
}

/// [`point_in_polygon`], adding to `counts` which test decided each edge.
///
/// Edges after one that holds the point are not tested and not counted.
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn point_in_polygon_counted(
    q: [f64; 2],
    polygon: &[[f64; 2]],
    counts: &mut OneShotCounts,
) -> Location {
    one_shot(q, polygon, |check| match counts.pre_checks.get_mut(check) {
        Some(count) => *count += 1,
        None => counts.remaining += 1,
    })
}

/// [`point_in_polygon`]; `decided` is called once for each edge with the number of the pre-check (0
/// to 5) that decided it, 6 for none.
#[inline]
fn one_shot(q: [f64; 2], polygon: &[[f64; 2]], mut decided: impl FnMut(usize)) -> Location {
    let Some(&last) = polygon.last() else {
        return Location::Outside;
    };
    let mut inside = false;
    let mut p = last;
    for &r in polygon {
        match edge_crossing(q, p, r, &mut decided) {
            Some(crossed) => inside ^= crossed,
            None => return Location::Boundary,
        }
        p = r;
    }
    if inside { Location::Inside } else { Location::Outside }
}

/// Whether the ray from `q` along +x, shifted up infinitesimally, crosses the edge; `None` if `q`
/// is on the edge.
#[inline]
fn edge_crossing(
    [x, y]: [f64; 2],
    p: [f64; 2],
    r: [f64; 2],
    decided: &mut impl FnMut(usize),
) -> Option<bool> {
    if p[0] <= x && r[0] <= x {
        decided(0);
        // The point is on the edge only if the edge reaches x: in an end, or along a vertical edge.
        let is_on_edge = (p[0] == x || r[0] == x)
            && (p == [x, y] || r == [x, y] || (p[0] == r[0] && (p[1] < y) != (r[1] < y)));
        return if is_on_edge { None } else { Some(false) };
    }
    if p[1] > y && r[1] > y {
        decided(1);
        return Some(false);
    }
    if p[1] <= y && r[1] <= y {
        decided(2);
        // The point is on the edge only if the edge reaches y: in an end, or along a horizontal
        // edge.
        let is_on_edge = (p[1] == y || r[1] == y)
            && (p == [x, y] || r == [x, y] || (p[1] == r[1] && (p[0] < x) != (r[0] < x)));
        return if is_on_edge { None } else { Some(false) };
    }
    if p[0] > x && r[0] > x {
        decided(3);
        return Some(true);
    }
    let (px, py, rx, ry) = (p[0] - x, p[1] - y, r[0] - x, r[1] - y);
    if py > px && ry > rx {
        decided(4);
        return Some(false);
    }
    if -py > px && -ry > rx {
        decided(5);
        return Some(false);
    }
    decided(6);
    // One end is above and the other is not, so a point on the edge's line is on the edge.
    let (low, high) = if p[1] <= y { (p, r) } else { (r, p) };
    match orient2d(low, high, [x, y]) {
        Sign::Positive => Some(true),
        Sign::Negative => Some(false),
        Sign::Zero => None,
    }
}
