//! Point in convex polygon in logarithmic time, without any precomputation.
//!
//! Zachmann 1994, "Exact and fast collision detection", section 3.3: along the boundary of a convex
//! polygon the heights of the vertices rise once and fall once (a bitonic sequence), so a
//! horizontal line through the query point meets the polygon in no edge or in two. Both are found
//! by binary search; then the one-shot test of section 3.2.2 decides on which sides of the point
//! they are.
//!
//! Differences from the paper: heights are compared as pairs (y, x), so that a horizontal edge with
//! collinear vertices on it does not stop the search; the search for a vertex on the other side is
//! the search for the extreme vertex of a convex polygon in a direction (O'Rourke, "Computational
//! Geometry in C"), which ends as soon as it visits such a vertex; the answer is exact, and the
//! boundary is a separate answer.

use std::cmp::Ordering;

use super::{Location, Sign, orient2d};

/// Where `q` lies with respect to a convex polygon, exactly, from O(log n) vertices.
///
/// Precondition: the closed chain of vertices bounds a convex set and winds around it once, in
/// either direction. Collinear vertices and repeated consecutive vertices are allowed, and so are
/// the degenerate polygons: none, one or two vertices, or a chain along a line and back. A run of
/// `m` equal vertices may cost `m` steps. Not handled: chains that wind twice or turn back on an
/// edge; the answer for them, and for chains that are not convex, is some [`Location`], after no
/// more steps. Coordinates must be finite.
///
/// ```
/// use impinge::exact::{Location, point_in_convex_polygon};
///
/// let square = [[0.0, 0.0], [0.0, 2.0], [2.0, 2.0], [2.0, 0.0]];
/// assert_eq!(point_in_convex_polygon([1.0, 0.5], &square), Location::Inside);
/// assert_eq!(point_in_convex_polygon([1.0, 2.0], &square), Location::Boundary);
/// assert_eq!(point_in_convex_polygon([3.0, 2.0], &square), Location::Outside);
/// ```
#[must_use]
pub fn point_in_convex_polygon(q: [f64; 2], polygon: &[[f64; 2]]) -> Location {
    let mut visited = 0;
    point_in_convex_polygon_counted(q, polygon, &mut visited)
}

/// [`point_in_convex_polygon`], adding to `visited` the number of times a vertex was read (some
/// vertices are read twice).
#[must_use]
pub fn point_in_convex_polygon_counted(
    q: [f64; 2],
    polygon: &[[f64; 2]],
    visited: &mut usize,
) -> Location {
    if polygon.is_empty() {
        return Location::Outside;
    }
    let mut search = Search { q, polygon, visited };
    let n = polygon.len();
    let start_is_above = search.is_above(0);
    let toward = if start_is_above { Direction::Down } else { Direction::Up };
    let other = match search.find_other_side(toward) {
        Found::OtherSide(k) => k,
        Found::Extreme(_) if start_is_above => return Location::Outside,
        Found::Extreme(right) => return search.locate_on_top_edge(right),
    };
    // From vertex 0 on, the side changes once before `other` and once after it.
    let first = search.side_change(0, other, start_is_above);
    let second = search.side_change(other, n, !start_is_above);
    let (Some(s), Some(t)) = (search.side_of_edge(first), search.side_of_edge(second)) else {
        return Location::Boundary;
    };
    if s == t {
        return Location::Outside;
    }
    // The point is between the two edges: inside, or on the bottom edge if no vertex is below that
    // edge.
    let (low, high) = if start_is_above { (first + 1, second) } else { (second + 1, first + n) };
    if search.is_flat_bottom(low, high) { Location::Boundary } else { Location::Inside }
}

/// The extreme vertex that is searched for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// The highest vertex; if there are several, the rightmost.
    Up,
    /// The highest vertex; if there are several, the leftmost.
    UpLeft,
    /// The lowest vertex.
    Down,
}

/// The result of the search for a vertex on the other side of the line.
enum Found {
    /// A vertex on the other side.
    OtherSide(usize),
    /// The extreme vertex, which is on the same side, so that all vertices are.
    Extreme(usize),
}

/// The state of a query. Vertex indices are cyclic.
struct Search<'a> {
    q: [f64; 2],
    polygon: &'a [[f64; 2]],
    visited: &'a mut usize,
}

impl Search<'_> {
    fn vertex(&mut self, i: usize) -> [f64; 2] {
        *self.visited += 1;
        self.polygon[i % self.polygon.len()]
    }

    /// Whether a vertex is above `q`. A vertex at the height of `q` is not above.
    fn is_above(&mut self, i: usize) -> bool {
        self.vertex(i)[1] > self.q[1]
    }

    /// Searches for a vertex on the other side of the line than vertex 0, in the direction in which
    /// it must be.
    fn find_other_side(&mut self, toward: Direction) -> Found {
        let start_is_above = self.is_above(0);
        let (mut a, mut b) = (0, self.polygon.len());
        let mut a_rises = self.next_edge_ascends(0, toward);
        if !a_rises && self.previous_edge_ascends(0, toward) {
            return Found::Extreme(0);
        }
        // The extreme vertex is strictly between `a` and `b`; each step halves the range.
        while b - a > 1 {
            let c = a + (b - a) / 2;
            if toward != Direction::UpLeft && self.is_above(c) != start_is_above {
                return Found::OtherSide(c);
            }
            let c_rises = self.next_edge_ascends(c, toward);
            if !c_rises && self.previous_edge_ascends(c, toward) {
                return Found::Extreme(c);
            }
            let extreme_is_before_c = if a_rises == c_rises {
                // Both vertices are on the rising chain, or both on the falling one.
                let (pa, pc) = (self.vertex(a), self.vertex(c));
                match compare_height(pa, pc, toward) {
                    Ordering::Greater => a_rises,
                    Ordering::Less => !a_rises,
                    // One run of equal vertices, from `a` to `c` or from `c` to `a`.
                    Ordering::Equal => (a + 1..c).any(|i| self.vertex(i) != pa),
                }
            } else {
                a_rises
            };
            if extreme_is_before_c {
                b = c;
            } else {
                (a, a_rises) = (c, c_rises);
            }
        }
        // Reached only for chains that violate the precondition.
        if self.is_above(a) == start_is_above { Found::Extreme(a) } else { Found::OtherSide(a) }
    }

    /// Whether the last vertex that differs from vertex `i` is less extreme; true if there is none.
    fn previous_edge_ascends(&mut self, i: usize, toward: Direction) -> bool {
        let n = self.polygon.len();
        let p = self.vertex(i);
        for step in 1..n {
            let order = compare_height(self.vertex(i + n - step), p, toward);
            if order != Ordering::Equal {
                return order == Ordering::Less;
            }
        }
        true
    }

    /// Whether the next vertex that differs from vertex `i` is more extreme; false if there is
    /// none.
    fn next_edge_ascends(&mut self, i: usize, toward: Direction) -> bool {
        let p = self.vertex(i);
        for step in 1..self.polygon.len() {
            let order = compare_height(self.vertex(i + step), p, toward);
            if order != Ordering::Equal {
                return order == Ordering::Greater;
            }
        }
        false
    }

    /// The edge after which the side of the line is no longer `side`, for `i` on that side and
    /// `j > i` on the other.
    fn side_change(&mut self, mut i: usize, mut j: usize, side: bool) -> usize {
        while j - i > 1 {
            let k = i + (j - i) / 2;
            if self.is_above(k) == side {
                i = k;
            } else {
                j = k;
            }
        }
        i
    }

    /// On which side of `q` the edge after vertex `i` lies, which crosses the height of `q`: true
    /// for right, `None` if `q` is on it.
    fn side_of_edge(&mut self, i: usize) -> Option<bool> {
        let (p, r) = (self.vertex(i), self.vertex(i + 1));
        let x = self.q[0];
        if p[0] > x && r[0] > x {
            return Some(true);
        }
        if p[0] < x && r[0] < x {
            return Some(false);
        }
        let (low, high) = if p[1] <= self.q[1] { (p, r) } else { (r, p) };
        match orient2d(low, high, self.q) {
            Sign::Positive => Some(true),
            Sign::Negative => Some(false),
            Sign::Zero => None,
        }
    }

    /// Whether the vertices from `low` to `high`, none of them above `q`, are all at its height.
    ///
    /// By convexity the ends and the first vertex that differs from `low` are sufficient.
    fn is_flat_bottom(&mut self, low: usize, high: usize) -> bool {
        let first = self.vertex(low);
        let y = self.q[1];
        if first[1] != y || self.vertex(high)[1] != y {
            return false;
        }
        for i in low + 1..=high {
            let p = self.vertex(i);
            if p != first {
                return p[1] == y;
            }
        }
        true
    }

    /// The location if no vertex is above `q` and `right` is the highest one: `q` can only be on
    /// the top edge.
    fn locate_on_top_edge(&mut self, right: usize) -> Location {
        let right = self.vertex(right);
        let [x, y] = self.q;
        if right[1] != y || x > right[0] {
            return Location::Outside;
        }
        let (Found::Extreme(left) | Found::OtherSide(left)) =
            self.find_other_side(Direction::UpLeft);
        if self.vertex(left)[0] <= x { Location::Boundary } else { Location::Outside }
    }
}

/// Compares how extreme two vertices are.
fn compare_height(p: [f64; 2], r: [f64; 2], toward: Direction) -> Ordering {
    let [(px, py), (rx, ry)] = match toward {
        Direction::Up => [(p[0], p[1]), (r[0], r[1])],
        Direction::UpLeft => [(-p[0], p[1]), (-r[0], r[1])],
        Direction::Down => [(-p[0], -p[1]), (-r[0], -r[1])],
    };
    if py != ry {
        if py > ry { Ordering::Greater } else { Ordering::Less }
    } else if px > rx {
        Ordering::Greater
    } else if px < rx {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}
