//! All pairs of triangles that meet, as far as a budget allows.

use super::small::SmallSearch;
use super::{Method, bounds_of_boxes};
use crate::answer::Bounds;
use crate::budget::Budget;
use crate::math::Pose;
use crate::mesh::Mesh;
use crate::tree::{Aim, HitSearch, Progress, Receiver, Tree, UnevenSearch};

/// The state of a search for all pairs of triangles that meet, with the pairs found so far.
#[derive(Debug, Default)]
pub struct AllSearch {
    trees: HitSearch,
    uneven: Option<Box<UnevenSearch>>,
    small: Option<Box<SmallSearch>>,
    found: Found,
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
        self.trees.forget();
        if let Some(uneven) = &mut self.uneven {
            uneven.forget();
        }
        if let Some(small) = &mut self.small {
            small.forget();
        }
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
        match Method::of(a, b, budget) {
            Method::Empty => {
                self.found.0.clear();
                PairsWithin::Complete
            }
            Method::Trees(tree_a, tree_b) => self.by_trees((a, tree_a), (b, tree_b), pose, budget),
            Method::Small => {
                let search = self.small.get_or_insert_default();
                if !search.belongs_to(a, b, pose) {
                    self.found.0.clear();
                    search.start(a, b, pose, Aim::AllHits);
                }
                match search.run(&mut |t, u| self.found.0.push((t, u)), budget) {
                    Progress::Finished => PairsWithin::Complete,
                    Progress::Stopped => {
                        let known = search.bounds();
                        self.incomplete(known)
                    }
                }
            }
            Method::Boxes => {
                self.found.0.clear();
                match bounds_of_boxes(a, b, pose) {
                    (lower, _) if lower > 0.0 => PairsWithin::Complete,
                    (_, known) => PairsWithin::Incomplete(known),
                }
            }
        }
    }

    fn by_trees(
        &mut self,
        a: (&Mesh, &Tree),
        b: (&Mesh, &Tree),
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> PairsWithin {
        if !self.trees.belongs_to(a.1, b.1, pose) {
            let uneven = &mut self.uneven;
            if uneven.as_ref().is_none_or(|search| !search.belongs_to(a.1, b.1, pose)) {
                self.found.0.clear();
                if !self.trees.start(a.1, b.1, pose, false) {
                    uneven.get_or_insert_default().start(a, b, pose, Aim::AllHits);
                }
            }
        }
        if !self.trees.belongs_to(a.1, b.1, pose) {
            let search = self.uneven.get_or_insert_default();
            let found = &mut self.found.0;
            let progress = search.run(a, b, pose, &mut |t, u| found.push((t, u)), budget);
            let known = search.bounds();
            return match progress {
                Progress::Finished => PairsWithin::Complete,
                Progress::Stopped => self.incomplete(known),
            };
        }
        match self.trees.run(a, b, pose, &mut self.found, budget) {
            Progress::Finished => PairsWithin::Complete,
            Progress::Stopped => self.incomplete(self.trees.bounds(a, b, pose)),
        }
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
