//! Hill climbing over the edges of a hull: from neighbour to neighbour, always to the one that lies
//! furthest, until no neighbour lies further.
//!
//! Klosowski et al. 1998, section 4.1, method 1; Leung 1996, section 3.3, calls it local search.
//! Vertices visited before are recognised by their time-stamp, so nothing is ever cleared (Leung
//! 1996, section 3.3 and appendix I).
//!
//! **The exact climb always ends at a furthest vertex.** The edges that leave a corner of a convex
//! body span a cone that contains the body, so a corner with no neighbour strictly further is a
//! furthest one. Coplanar and collinear points would break that (a point inside a face can be level
//! with all its neighbours while the body continues elsewhere), but a [`Hull`] has none: its
//! vertices are corners and its faces are merged. Rounding would break it too, where differences
//! are small and many. So the result of a climb over rounded products is used only if its end lies
//! further than all other vertices it evaluated by more than the rounding of products. Otherwise
//! the climb is repeated with [`compare_along`], which is exact. Each step goes strictly further,
//! so the climb ends.

use crate::convex::Hull;
use crate::exact::{Sign, compare_along};
use crate::math::Vec3;
use crate::math::rounding::UNIT_ROUNDOFF;
use crate::stamps::Stamps;

/// A bound of the error of the difference of two products with a direction, relative to the largest
/// possible sum of the absolute values of their terms: each product has three roundings of terms of
/// that size at most, and their difference one more.
const RELATIVE_ERROR: f64 = 8.0 * UNIT_ROUNDOFF;

/// More than underflow of the products can change.
const UNDERFLOW_ERROR: f64 = f64::MIN_POSITIVE;

/// The vertices that the current climb has visited, and the number of vertices evaluated. Each
/// vertex has a time-stamp, so nothing is ever cleared.
///
/// Created once and passed to every `Hull::climb`, of any hulls.
#[derive(Clone, Debug, Default)]
pub struct Climb {
    seen: Stamps,
    evaluated: u64,
}

impl Climb {
    /// The number of vertices that all searches together have evaluated.
    #[must_use]
    pub fn evaluated(&self) -> u64 {
        self.evaluated
    }

    /// Starts a climb over `count` vertices.
    fn start(&mut self, count: usize) {
        self.seen.reserve(count);
        self.seen.clear();
    }

    /// Marks `vertex` as visited; whether this is the first time in this climb.
    fn is_new(&mut self, vertex: u32) -> bool {
        let is_new = self.seen.mark(vertex);
        self.evaluated += u64::from(is_new);
        is_new
    }

    /// Adds vertices that a search without time-stamps has evaluated.
    #[cfg(feature = "internals")]
    pub fn count(&mut self, vertices: usize) {
        self.evaluated += vertices as u64;
    }
}

impl Hull {
    /// The vertex that lies furthest in `direction`, by climbing from `start` over the edges.
    ///
    /// As exact as [`Hull::support`]. If several vertices lie equally far, the first that the climb
    /// reaches, which is `start` if it is one of them. Fast if `start` is near the result, as the
    /// result for a similar direction is.
    ///
    /// # Panics
    /// If there is no vertex `start`.
    #[must_use]
    pub(crate) fn climb(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32 {
        // A vertex that is certainly further than all others evaluated, which include its
        // neighbours, is furthest. Otherwise the climb is repeated exactly.
        let ClimbEnd { vertex, lead } = self.climb_in_f64(direction, start, climb);
        let extent = self.bounds.max.max(-self.bounds.min);
        let error = RELATIVE_ERROR * direction.abs().dot(extent) + UNDERFLOW_ERROR;
        if lead > error && error.is_finite() {
            return vertex;
        }
        self.climb_exactly(direction, start, climb)
    }

    /// The climb with every comparison exact.
    fn climb_exactly(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32 {
        climb.start(self.vertices.len());
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

    /// As [`Hull::climb`], comparing rounded `f64` products: faster, and not certain.
    ///
    /// The climb stops at a vertex whose neighbours lie no further in rounded products. That can be
    /// short of the furthest vertex, by any amount on a needle. Every step goes strictly further in
    /// rounded products, so the climb ends.
    ///
    /// # Panics
    /// If there is no vertex `start`.
    #[cfg(feature = "internals")]
    #[inline]
    #[must_use]
    pub(crate) fn climb_rounded(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32 {
        self.climb_in_f64(direction, start, climb).vertex
    }

    #[inline]
    fn climb_in_f64(&self, direction: Vec3, start: u32, climb: &mut Climb) -> ClimbEnd {
        climb.start(self.vertices.len());
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
                return ClimbEnd { vertex: best, lead: height - second };
            }
        }
    }
}

/// The end of a climb in floating point.
struct ClimbEnd {
    vertex: u32,
    /// The height of the vertex above the next highest of all vertices evaluated, in rounded
    /// products.
    lead: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn climbs_are_correct_when_the_clock_wraps() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE];
        let hull = Hull::new(&points).unwrap();
        let mut climb = Climb::default();
        for start in 0..5 {
            assert_eq!(hull.climb(Vec3::ONE, start, &mut climb), hull.support(Vec3::ONE));
        }
        // The last clock values before the counter wraps, and the first after it.
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
