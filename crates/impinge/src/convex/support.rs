//! The vertex of a hull that lies furthest in a direction.
//!
//! Brute force asks every vertex. Climbing (Klosowski et al. 1998, section 4.1, method 1; Leung 1996 calls it local
//! search) goes from neighbour to neighbour, always to the one that lies furthest, until none lies further.
//!
//! **Never a vertex that is not furthest.** The edges that leave a corner of a convex body span a cone that holds the body, so a
//! corner with no neighbour strictly further is a furthest one. Coplanar and collinear points would break that (a point inside a face can
//! be level with all its neighbours while the body continues elsewhere), but a [`Hull`] has none: its vertices are corners and its faces are merged.
//! Rounding would break it too, where differences are small and many; so vertices are compared with
//! [`compare_along`], which is exact. Each step goes strictly further, so the climb ends.

use super::Hull;
use crate::exact::{Sign, compare_along};
use crate::math::Vec3;

/// Which vertices the current climb has seen: a time-stamp each, so that nothing is ever cleared.
///
/// Made once and passed to every [`Hull::climb`], of any hulls.
#[derive(Clone, Debug, Default)]
pub struct Climb {
    stamps: Vec<u32>,
    now: u32,
    evaluated: u64,
}

impl Climb {
    /// How many vertices all climbs together have looked at.
    #[must_use]
    pub fn evaluated(&self) -> u64 {
        self.evaluated
    }

    /// Starts a climb over `count` vertices.
    fn begin(&mut self, count: usize) {
        if self.stamps.len() < count {
            self.stamps.resize(count, 0);
        }
        if self.now == u32::MAX {
            self.stamps.fill(0);
            self.now = 0;
        }
        self.now += 1;
    }

    /// Whether `vertex` is seen for the first time in this climb.
    fn is_new(&mut self, vertex: u32) -> bool {
        let stamp = &mut self.stamps[vertex as usize];
        let is_new = *stamp != self.now;
        *stamp = self.now;
        self.evaluated += u64::from(is_new);
        is_new
    }
}

impl Hull {
    /// The vertex that lies furthest in `direction` (in the hull's frame, of any finite length), by asking all.
    ///
    /// Exact: no vertex lies further, not even by less than a rounding error. Of several that lie equally far, the
    /// one of lowest number; so 0 for the direction zero. For a direction that is not finite some vertex.
    #[must_use]
    pub fn support(&self, direction: Vec3) -> u32 {
        let mut best = 0;
        for (i, p) in self.vertices.iter().enumerate().skip(1) {
            if compare_along(direction, self.vertices[best], *p) == Sign::Positive {
                best = i;
            }
        }
        best as u32
    }

    /// The vertex that lies furthest in `direction`, by climbing from `start` over the edges.
    ///
    /// As exact as [`Hull::support`]; of several vertices that lie equally far, the one the climb comes to first, which is `start` if it
    /// is one of them. Quick if `start` is near, as the answer to a similar question is.
    ///
    /// # Panics
    /// If there is no vertex `start`.
    #[must_use]
    pub fn climb(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32 {
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
}
