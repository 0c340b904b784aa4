//! The interface of convex bodies: a support function.
//!
//! A [`Support`] is a convex *core* and a *margin*: all points within `margin` of the core. A
//! sphere is a point with a margin, a capsule a segment with one, a rounded box a box with one.
//! Algorithms work on cores and add margins at the end, which costs no accuracy: the signed
//! distance of two bodies is that of their cores less both margins.
//!
//! [`Support::core_points`] says whether a core is a polytope. For polytopes a verdict can be
//! exact. The cores of cylinders, cones and ellipsoids are curved, so their support points are
//! rounded; [`Support::support_error`] bounds the error (`docs/notes/convex-shapes.md` derives each
//! bound).

use std::borrow::Cow;
use std::fmt::Debug;

use super::Hull;
use super::support::Climb;
use crate::math::Vec3;
pub(super) use crate::math::rounding::UNIT_ROUNDOFF;

/// The smallest positive number.
pub(super) const MIN_DENORMAL: f64 = f64::from_bits(1);

/// An upper bound of the length of a vector, for any size of it; hardly larger than the length.
#[must_use]
pub fn length_up(v: Vec3) -> f64 {
    let largest = v.abs().max_element();
    if largest > 0.0 {
        // Two roundings of a denormal number are at most the smallest number.
        largest * (v / largest).length() * (1.0 + 8.0 * UNIT_ROUNDOFF) + MIN_DENORMAL
    } else {
        0.0
    }
}

/// The identification of a support point, by which a body finds it again. See
/// [`Support::point_of_mark`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// The index of a vertex.
    Vertex(u32),
    /// The direction in which the point is furthest, in the body's frame.
    Direction(Vec3),
}

/// A convex body: a core with a support function, and a margin around it. All in the body's own
/// frame.
pub trait Support {
    /// The state that a search keeps for the next one; `()` where the support is a formula.
    type Memory: Clone + Debug + Default;

    /// A point of the core that lies furthest in `direction`, up to [`Support::support_error`].
    ///
    /// The length of `direction` must be between 1e-30 and 1e30. For any other direction the point
    /// returned is still near the core, but need not be furthest.
    fn furthest(&self, direction: Vec3, memory: &mut Self::Memory) -> Vec3;

    /// The mark of the point that the last [`Support::furthest`] with this memory found in
    /// `direction`.
    fn mark(&self, direction: Vec3, memory: &Self::Memory) -> Mark {
        let _ = memory;
        Mark::Direction(direction)
    }

    /// The point of a mark, as [`Support::furthest`] returns points.
    ///
    /// The mark may come from another body. Then the result is some point of this core, or none; it
    /// is never a point of the other body.
    fn point_of_mark(&self, mark: Mark, memory: &mut Self::Memory) -> Option<Vec3> {
        match mark {
            Mark::Vertex(_) => None,
            Mark::Direction(direction) => Some(self.furthest(direction, memory)),
        }
    }

    /// The error `e` of [`Support::furthest`]: for direction `d` and the point `p` returned, some
    /// point of the core is within `e` of `p`, and `d.x <= d.p + e |d|` for all points `x` of the
    /// core, in real numbers.
    fn support_error(&self) -> f64;

    /// The center and the radius of a ball around the core.
    fn ball(&self) -> (Vec3, f64);

    /// The distance by which the body extends beyond its core on all sides.
    fn margin(&self) -> f64 {
        0.0
    }

    /// Units of work of [`Support::furthest`] in queries within a budget; a unit takes about a
    /// tenth of a microsecond.
    fn support_units(&self) -> u64 {
        1
    }

    /// The points whose hull is the core, exactly, if it is a polytope.
    fn core_points(&self) -> Option<Cow<'_, [Vec3]>>;
}

/// Where the last search on a hull ended, and the buffers of the search.
#[derive(Clone, Debug, Default)]
pub struct HullMemory {
    climb: Climb,
    last: Option<u32>,
}

impl HullMemory {
    /// The vertex found last.
    #[must_use]
    pub fn last(&self) -> Option<u32> {
        self.last
    }

    /// Sets the vertex found last, and keeps the buffers.
    pub(crate) fn restart_at(&mut self, last: Option<u32>) {
        self.last = last;
    }

    /// The number of vertices that all searches together have evaluated.
    #[must_use]
    pub fn evaluated(&self) -> u64 {
        self.climb.evaluated()
    }
}

/// The vertex of a hull that `search` finds, from the vertex found last or from `start`.
#[inline]
pub fn furthest_by(
    hull: &Hull,
    memory: &mut HullMemory,
    start: impl FnOnce() -> u32,
    search: impl FnOnce(u32, &mut Climb) -> u32,
) -> Vec3 {
    // The memory may come from another hull.
    let last = memory.last.filter(|v| (*v as usize) < hull.vertices().len());
    let found = search(last.unwrap_or_else(start), &mut memory.climb);
    memory.last = Some(found);
    hull.vertices()[found as usize]
}

/// By climbing over the edges, exactly.
impl Support for Hull {
    type Memory = HullMemory;

    fn furthest(&self, direction: Vec3, memory: &mut HullMemory) -> Vec3 {
        furthest_by(self, memory, || 0, |start, climb| self.climb(direction, start, climb))
    }

    fn mark(&self, direction: Vec3, memory: &HullMemory) -> Mark {
        memory.last.map_or(Mark::Direction(direction), Mark::Vertex)
    }

    fn point_of_mark(&self, mark: Mark, memory: &mut HullMemory) -> Option<Vec3> {
        match mark {
            Mark::Vertex(vertex) => self.vertices().get(vertex as usize).copied(),
            Mark::Direction(direction) => Some(self.furthest(direction, memory)),
        }
    }

    fn support_error(&self) -> f64 {
        0.0
    }

    fn ball(&self) -> (Vec3, f64) {
        let bounds = self.bounds();
        let center = bounds.min * 0.5 + bounds.max * 0.5;
        let half = (bounds.max - center).max(center - bounds.min);
        (center, length_up(half) * (1.0 + 8.0 * UNIT_ROUNDOFF))
    }

    /// A climb passes a number of vertices that is proportional to the root of their number.
    fn support_units(&self) -> u64 {
        1 + self.vertices().len().isqrt() as u64 / 4
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        Some(Cow::Borrowed(self.vertices()))
    }
}

impl<S: Support + ?Sized> Support for &S {
    type Memory = S::Memory;

    fn furthest(&self, direction: Vec3, memory: &mut S::Memory) -> Vec3 {
        (**self).furthest(direction, memory)
    }

    fn mark(&self, direction: Vec3, memory: &S::Memory) -> Mark {
        (**self).mark(direction, memory)
    }

    fn point_of_mark(&self, mark: Mark, memory: &mut S::Memory) -> Option<Vec3> {
        (**self).point_of_mark(mark, memory)
    }

    fn support_error(&self) -> f64 {
        (**self).support_error()
    }

    fn ball(&self) -> (Vec3, f64) {
        (**self).ball()
    }

    fn margin(&self) -> f64 {
        (**self).margin()
    }

    fn support_units(&self) -> u64 {
        (**self).support_units()
    }

    fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
        (**self).core_points()
    }
}
