//! The vertex of a hull that lies furthest in a direction: the supporting vertex.
//!
//! Leung 1996, "An Efficient Collision Detection Algorithm for Polytopes in Virtual Environments",
//! sections 2.5, 3.3, 3.5 and 5.3. Four ways behind one interface, [`VertexSearch`]:
//!
//! | way | vertices looked at | beside the hull | right |
//! | --- | --- | --- | --- |
//! | [`BruteForce`] | all | nothing | exactly |
//! | [`LocalSearch::exact`] | those near the way from the start to the answer | 512 bytes if a [`DirectionTable`] gives the start | exactly |
//! | [`LocalSearch::rounded`] | the same, plain `f64` products | the same | up to rounding, see [`Certainty::Rounded`] |
//! | [`HierarchySearch`] | O(log n) if degrees are bounded | about 35 bytes a vertex | exactly |
//!
//! Directions are in the hull's own frame: the caller turns the direction once instead of every
//! vertex (Leung 1996, section 3.3). What a search remembers (which vertices it has seen, how many
//! it has looked at) is in a [`Climb`] of the caller, one for any number of hulls.
//!
//! **Exactly right** means: no vertex lies further, not even by less than a rounding error.
//! Vertices are compared with [`compare_along`](crate::exact::compare_along).

mod brute;
mod climb;

pub use climb::Climb;

use super::Hull;
use crate::math::Vec3;

/// How far an answer of a [`VertexSearch`] can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// No vertex lies further, exactly.
    Exact,
    /// No vertex near the answer lies further as far as `f64` products can tell.
    ///
    /// A search that compares rounded products stops where all neighbours look level. On a needle
    /// or a nearly flat face the body may go on rising from there, so the answer has **no bound**,
    /// and no separation may be concluded from it. Confirm it with `Hull::climb` from the answer,
    /// which ends after one ring of neighbours in the common case, or by asking every vertex.
    Rounded,
}

/// A way to find the vertex of a hull that lies furthest in a direction.
///
/// ```
/// use impinge::Vec3;
/// use impinge::convex::{Hierarchy, Hull, LocalSearch};
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
/// let hierarchy = Hierarchy::new(&cube);
/// let climb = &mut Climb::default();
/// assert_eq!(extent(&LocalSearch::exact(&cube), Vec3::ONE, climb), 3.0);
/// assert_eq!(extent(&hierarchy.search_in(&cube), Vec3::ONE, climb), 3.0);
/// # Ok::<(), impinge::Error>(())
/// ```
pub trait VertexSearch {
    /// The hull whose vertices are searched.
    fn hull(&self) -> &Hull;

    /// A vertex to start from where the caller has none from a similar question.
    fn start(&self, direction: Vec3) -> u32;

    /// A vertex that lies furthest in `direction` (in the hull's frame, of any finite length), as
    /// far as [`VertexSearch::certainty`] says.
    ///
    /// `start` is a vertex of the hull, quickest if near the answer; a way that needs no start
    /// ignores it. Of several vertices that lie equally far any may be the answer, the same one for
    /// the same arguments. For a direction that is not finite, some vertex.
    ///
    /// # Panics
    /// If there is no vertex `start`.
    fn search(&self, direction: Vec3, start: u32, climb: &mut Climb) -> u32;

    /// How far the answers can be trusted.
    fn certainty(&self) -> Certainty;

    /// The bytes on the heap or in tables beside the hull's own.
    fn extra_bytes(&self) -> usize;
}

/// Exact climbing.
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
