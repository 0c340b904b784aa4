//! The interface of the searches, and convex bodies whose support function is a search.

use std::borrow::Cow;

use impinge::convex::{Hull, HullMemory, Mark, Support};
use impinge::internals::HullInternals as _;
use impinge::internals::support::{Climb, furthest_by};
use impinge::math::Vec3;

use super::{BruteForce, HierarchySearch, LocalSearch};

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
/// use impinge::internals::support::Climb;
/// use impinge_papers::leung::{Hierarchy, LocalSearch, VertexSearch};
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

/// Hulls with any vertex search. The results of searches that are not certain are confirmed.
macro_rules! support_by_search {
    ($($search:ty),*) => {$(
        impl Support for $search {
            type Memory = HullMemory;

            fn furthest(&self, direction: Vec3, memory: &mut HullMemory) -> Vec3 {
                let start = || self.start(direction);
                furthest_by(self.hull(), memory, start, |start, climb| {
                    let found = self.search(direction, start, climb);
                    match self.certainty() {
                        Certainty::Exact => found,
                        Certainty::Rounded => self.hull().climb(direction, found, climb),
                    }
                })
            }

            fn mark(&self, direction: Vec3, memory: &HullMemory) -> Mark {
                self.hull().mark(direction, memory)
            }

            fn point_of_mark(&self, mark: Mark, memory: &mut HullMemory) -> Option<Vec3> {
                match mark {
                    Mark::Vertex(_) => self.hull().point_of_mark(mark, memory),
                    Mark::Direction(direction) => Some(self.furthest(direction, memory)),
                }
            }

            fn support_error(&self) -> f64 {
                0.0
            }

            fn ball(&self) -> (Vec3, f64) {
                self.hull().ball()
            }

            fn core_points(&self) -> Option<Cow<'_, [Vec3]>> {
                self.hull().core_points()
            }
        }
    )*};
}

support_by_search!(BruteForce<'_>, LocalSearch<'_>, HierarchySearch<'_>);
