//! Climbing over the edges of a hull, from neighbour to neighbour, always to the one that lies
//! furthest, until none lies further.
//!
//! Klosowski et al. 1998, section 4.1, method 1; Leung 1996, section 3.3, calls it local search.
//! Vertices seen before are recognised by their time-stamp, so that nothing is ever cleared (Leung
//! 1996, section 3.3 and appendix I).
//!
//! **Never a vertex that is not furthest**, for the exact one. The edges that leave a corner of a
//! convex body span a cone that holds the body, so a corner with no neighbour strictly further is a
//! furthest one. Coplanar and collinear points would break that (a point inside a face can be level
//! with all its neighbours while the body continues elsewhere), but a [`Hull`] has none: its
//! vertices are corners and its faces are merged. Rounding would break it too, where differences
//! are small and many. So a climb over rounded products counts only if its end lies further than
//! all other vertices it looked at by more than the rounding of products; otherwise the climb is
//! made again with [`compare_along`], which is exact. Each step goes strictly further, so the climb
//! ends.

use crate::convex::Hull;
use crate::exact::{Sign, compare_along};
use crate::math::Vec3;
use crate::stamps::Stamps;

/// More than the relative error of the difference of two products with a direction, in units of the
/// largest such product's parts: each product is off by three roundings of parts of that size at
/// most, and their difference by one more.
const TWO_HEIGHTS: f64 = 8.0 * (f64::EPSILON / 2.0);

/// More than what products that underflow can lose.
const UNDERFLOW: f64 = f64::MIN_POSITIVE;

/// Which vertices the current climb has seen: a time-stamp each, so that nothing is ever cleared.
///
/// Made once and passed to every `Hull::climb`, of any hulls.
#[derive(Clone, Debug, Default)]
pub struct Climb {
    seen: Stamps,
    evaluated: u64,
}

impl Climb {
    /// How many vertices all searches together have looked at.
    #[must_use]
    pub fn evaluated(&self) -> u64 {
        self.evaluated
    }

    /// Starts a climb over `count` vertices.
    fn begin(&mut self, count: usize) {
        self.seen.reserve(count);
        self.seen.clear();
    }

    /// Whether `vertex` is seen for the first time in this climb.
    fn is_new(&mut self, vertex: u32) -> bool {
        let is_new = self.seen.mark(vertex);
        self.evaluated += u64::from(is_new);
        is_new
    }

    /// Counts vertices that a search without time-stamps has looked at.
    pub fn count(&mut self, vertices: usize) {
        self.evaluated += vertices as u64;
    }
}

impl Hull {
    /// The vertex that lies furthest in `direction`, by climbing from `start` over the edges.
    ///
    /// As exact as [`Hull::support`]; of several vertices that lie equally far, the one the climb
    /// comes to first, which is `start` if it is one of them. Quick if `start` is near, as the
    /// answer to a similar question is.
    ///
    /// # Panics
    /// If there is no vertex `start`.
    #[must_use]
    pub(crate) fn climb(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32 {
        // If one vertex is certainly further than all others looked at, its neighbours among them,
        // it is furthest. Otherwise again, exactly.
        let Summit { vertex, lead } = self.climb_in_floats(direction, start, climb);
        let reach = self.bounds.max.max(-self.bounds.min);
        let error = TWO_HEIGHTS * direction.abs().dot(reach) + UNDERFLOW;
        if lead > error && error.is_finite() {
            return vertex;
        }
        self.climb_exactly(direction, start, climb)
    }

    /// The climb with every comparison exact.
    fn climb_exactly(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32 {
        climb.begin(self.vertices.len());
        climb.is_new(start);
        let mut best = start;
        loop {
            let here = best;
            for next in self.neighbors(here) {
                if climb.is_new(*next) {
                    let (p, q) = (self.vertices[best as usize], self.vertices[*next as usize]);
                    if compare_along(direction, p, q) == Sign::Positive {
                        best = *next;
                    }
                }
            }
            if best == here {
                return best;
            }
        }
    }

    /// As [`Hull::climb`], comparing `f64` products: quicker, and not certain.
    ///
    /// The climb stops at a vertex whose neighbours look no further in rounded products. That can
    /// be short of the furthest vertex, by any amount on a needle (see
    /// [`Certainty::Rounded`](super::Certainty::Rounded)). Every step goes strictly further in
    /// rounded products, so the climb ends.
    ///
    /// # Panics
    /// If there is no vertex `start`.
    #[inline]
    #[must_use]
    pub(crate) fn climb_rounded(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32 {
        self.climb_in_floats(direction, start, climb).vertex
    }

    #[inline]
    fn climb_in_floats(&self, direction: Vec3, start: u32, climb: &mut Climb) -> Summit {
        climb.begin(self.vertices.len());
        climb.is_new(start);
        let mut best = start;
        let mut height = direction.dot(self.vertices[start as usize]);
        let mut second = f64::NEG_INFINITY;
        loop {
            let here = best;
            for next in self.neighbors(here) {
                if climb.is_new(*next) {
                    let other = direction.dot(self.vertices[*next as usize]);
                    second = second.max(height.min(other));
                    if other > height {
                        (best, height) = (*next, other);
                    }
                }
            }
            if best == here {
                return Summit { vertex: best, lead: height - second };
            }
        }
    }
}

/// Where a climb in floats ended.
struct Summit {
    vertex: u32,
    /// How much higher it is than the next of all vertices looked at, in rounded products.
    lead: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps_survive_the_end_of_time() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE];
        let hull = Hull::new(&points).unwrap();
        let mut climb = Climb::default();
        for start in 0..5 {
            assert_eq!(hull.climb(Vec3::ONE, start, &mut climb), hull.support(Vec3::ONE));
        }
        // Stamps of the last times before the counter wraps, and of the first after it.
        climb.seen.set_current(u32::MAX - 2);
        for round in 0..5 {
            for direction in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::ONE] {
                let found = hull.climb(direction, round, &mut climb);
                hull.validate_support(direction, found).unwrap();
            }
        }
        assert!(climb.seen.current() < 100);
    }
}
