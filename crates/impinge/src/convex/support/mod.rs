//! The vertex of a hull that lies furthest in a direction: the supporting vertex.
//!
//! [`Hull::support`] compares all vertices, `Hull::climb` walks over the edges from a vertex near
//! the result (Leung 1996, "An Efficient Collision Detection Algorithm for Polytopes in Virtual
//! Environments", section 3.3). [`VertexSearch`] is the interface of such searches; those with
//! tables and hierarchies are in the crate of published methods.
//!
//! Directions are in the hull's own frame: the caller rotates the direction once instead of every
//! vertex (Leung 1996, section 3.3). The state of a search (the vertices visited and their number)
//! is in a [`Climb`] of the caller, one for any number of hulls.
//!
//! **Exact** means: no vertex lies further, not even by less than a rounding error. Vertices are
//! compared with [`compare_along`](crate::exact::compare_along).

mod brute;
mod climb;

pub use climb::Climb;

use super::Hull;
use crate::math::Vec3;

/// The guarantee for the result of a [`VertexSearch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// No vertex lies further, exactly.
    Exact,
    /// No vertex near the result lies further as far as `f64` products can tell.
    ///
    /// A search that compares rounded products stops where all neighbours appear level. On a needle
    /// or a nearly flat face the body may extend further from there, so the error has **no bound**,
    /// and the result proves no separation. Confirm it with `Hull::climb` from the result, which
    /// mostly ends after one ring of neighbours, or by comparing every vertex.
    Rounded,
}

/// A search for the vertex of a hull that lies furthest in a direction.
///
/// ```
/// use impinge::Vec3;
/// use impinge::convex::Hull;
/// use impinge::internals::support::{Climb, VertexSearch};
///
/// fn extent(hull: &impl VertexSearch, direction: Vec3, climb: &mut Climb) -> f64 {
///     let mut last = hull.start(direction);
///     let mut ends = [direction, -direction].map(|d| {
///         last = hull.search(d, last, climb);
///         hull.hull().vertices()[last as usize].dot(direction)
///     });
///     ends[0] - ends[1]
/// }
///
/// let corners = (0..8).map(|i| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64));
/// let cube = Hull::new(&corners.collect::<Vec<_>>())?;
/// let climb = &mut Climb::default();
/// assert_eq!(extent(&cube, Vec3::ONE, climb), 3.0);
/// assert!(climb.evaluated() > 0);
/// # Ok::<(), impinge::Error>(())
/// ```
pub trait VertexSearch {
    /// The hull whose vertices are searched.
    fn hull(&self) -> &Hull;

    /// A vertex to start from if the caller has none from a similar direction.
    fn start(&self, direction: Vec3) -> u32;

    /// A vertex that lies furthest in `direction` (in the hull's frame, of any finite length), with
    /// the guarantee of [`VertexSearch::certainty`].
    ///
    /// `start` is a vertex of the hull; the search is fastest if it is near the result. A search
    /// that needs no start ignores it. Of several vertices that lie equally far any may be the
    /// result, the same one for the same arguments. For a direction that is not finite, an
    /// arbitrary vertex.
    ///
    /// # Panics
    /// If there is no vertex `start`.
    fn search(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32;

    /// The guarantee for the results.
    fn certainty(&self) -> Certainty;

    /// The bytes of additional memory, on the heap or in tables, beyond the hull's own.
    fn extra_bytes(&self) -> usize;
}

/// Exact hill climbing.
impl VertexSearch for Hull {
    fn hull(&self) -> &Hull {
        self
    }

    fn start(&self, _direction: Vec3) -> u32 {
        0
    }

    fn search(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32 {
        self.climb(direction, start, climb)
    }

    fn certainty(&self) -> Certainty {
        Certainty::Exact
    }

    fn extra_bytes(&self) -> usize {
        0
    }
}

impl<S: VertexSearch + ?Sized> VertexSearch for &S {
    fn hull(&self) -> &Hull {
        (**self).hull()
    }

    fn start(&self, direction: Vec3) -> u32 {
        (**self).start(direction)
    }

    fn search(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32 {
        (**self).search(direction, start, climb)
    }

    fn certainty(&self) -> Certainty {
        (**self).certainty()
    }

    fn extra_bytes(&self) -> usize {
        (**self).extra_bytes()
    }
}
