//! All pairs of triangles that meet, as far as a budget allows.

use super::bounds_of_boxes;
use super::selection::{SearchInF32, Searches, Selected, WithTree};
use crate::answer::Bounds;
use crate::budget::Budget;
use crate::math::Pose;
use crate::mesh::Mesh;
use crate::tree::{Aim, HitSearch, Progress, Receiver};

/// The state of a search for all pairs of triangles that meet, with the pairs found so far.
#[derive(Debug, Default)]
pub struct AllSearch {
    searches: Searches<AllByTrees>,
    found: Found,
}

/// The search by trees.
#[derive(Debug, Default)]
struct AllByTrees(HitSearch);

impl SearchInF32 for AllByTrees {
    fn start(&mut self, a: WithTree<'_>, b: WithTree<'_>, pose: &Pose, _: &Budget<'_>) -> bool {
        self.0.start(a.1, b.1, pose, false)
    }
}

#[derive(Debug, Default)]
struct Found(Vec<(u32, u32)>);

impl Receiver for Found {
    const STOPS_AT_FIRST: bool = false;

    #[inline(always)]
    fn pair(&mut self, a: u32, b: u32) {
        self.0.push((a, b));
    }
}

/// How complete the pairs of an [`AllSearch`] are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairsWithin {
    /// All pairs that meet were found.
    Complete,
    /// More pairs may meet. [`Bounds::open_depth`] bounds the depth of those that were not found;
    /// the other bounds are those of the whole meshes.
    Incomplete(Bounds),
}

impl PairsWithin {
    /// Whether all pairs were found.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::Complete)
    }
}

impl AllSearch {
    /// A state that belongs to no query yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the query, and keeps the memory: the next call starts anew.
    pub fn reset(&mut self) {
        self.searches.forget();
        self.found.0.clear();
    }

    /// The pairs found so far by the last query: triangles of A and of B that share a point, each
    /// pair once. Their order depends on the meshes and the pose alone; later calls add to the end.
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.found.0
    }

    /// Continues the search of this query, or starts it. See [`all_pairs_within`].
    pub fn run(&mut self, a: &Mesh, b: &Mesh, pose: &Pose, budget: &mut Budget<'_>) -> PairsWithin {
        let (selected, is_new) = self.searches.select((a, b, pose), Aim::AllHits, budget);
        let found = &mut self.found;
        if is_new {
            found.0.clear();
        }
        let known = match selected {
            Selected::Empty => return PairsWithin::Complete,
            Selected::Boxes => {
                return match bounds_of_boxes(a, b, pose) {
                    (lower, _) if lower > 0.0 => PairsWithin::Complete,
                    (_, known) => PairsWithin::Incomplete(known),
                };
            }
            Selected::Trees(AllByTrees(search), a, b) => {
                match search.run(a, b, pose, found, budget) {
                    Progress::Finished => return PairsWithin::Complete,
                    Progress::Stopped => search.bounds(a, b, pose),
                }
            }
            Selected::Uneven(search, a, b) => {
                match search.run(a, b, pose, &mut |t, u| found.pair(t, u), budget) {
                    Progress::Finished => return PairsWithin::Complete,
                    Progress::Stopped => search.bounds(),
                }
            }
            Selected::Small(search) => match search.run(&mut |t, u| found.pair(t, u), budget) {
                Progress::Finished => return PairsWithin::Complete,
                Progress::Stopped => search.bounds(),
            },
        };
        self.incomplete(known)
    }

    /// The distance of meshes that meet is zero.
    fn incomplete(&self, known: Bounds) -> PairsWithin {
        let upper = if self.found.0.is_empty() { known.upper } else { 0.0 };
        PairsWithin::Incomplete(Bounds { upper, ..known })
    }
}

/// As [`intersecting_pairs`](crate::pair::intersecting_pairs), but stops when the budget is spent.
/// The pairs so far are in [`AllSearch::pairs`]. A further call with the same meshes and pose
/// continues the search; with others it starts anew.
///
/// Everything that [`first_hit_within`](crate::pair::first_hit_within) says of budgets, bounds and
/// prepared meshes holds here, too. Only the list of pairs allocates, where it grows.
///
/// ```
/// use impinge::pair::{AllSearch, Budget, all_pairs_within, intersecting_pairs};
/// use impinge::{Pose, shapes};
///
/// let ring = shapes::torus(1.0, 0.4, 48, 24)?;
/// ring.prepare();
/// let pose = Pose::from_translation([0.5, 0.0, 0.1])?;
/// let mut search = AllSearch::new();
/// while !all_pairs_within(&ring, &ring, &pose, &mut Budget::micros(50), &mut search).is_complete()
/// {
///     println!("{} pairs so far", search.pairs().len());
/// }
/// assert_eq!(search.pairs().len(), intersecting_pairs(&ring, &ring, &pose).len());
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn all_pairs_within(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    budget: &mut Budget<'_>,
    search: &mut AllSearch,
) -> PairsWithin {
    search.run(a, b, pose, budget)
}
