//! The first hit within a budget.

use std::cell::Cell;

use super::bounds_of_boxes;
use super::selection::{SearchInF32, Searches, Selected, UnderWay, WithTree};
use crate::answer::{Bounds, Contact, Verdict};
use crate::budget::Budget;
use crate::math::Pose;
use crate::mesh::Mesh;
use crate::pair::{BudgetVerdict, Hit, Separation, resolve};
use crate::tree::{Aim, HitSearch, Progress, Receiver};

/// Whether two surfaces share a point, with the evidence, or bounds if the budget was spent before
/// the query could decide.
pub type HitVerdict = Verdict<Separation, Hit, Bounds>;

/// The state of a search for a hit. Keep one for each pair of bodies whose search may be continued.
#[derive(Debug, Default)]
pub struct FirstSearch {
    searches: Searches<FirstByTrees>,
    /// The hit of a finished search, once it was computed.
    hit: Option<Hit>,
    found: FirstPair,
}

/// The search by trees.
#[derive(Debug, Default)]
struct FirstByTrees(HitSearch);

impl SearchInF32 for FirstByTrees {
    fn start(
        &mut self,
        a: WithTree<'_>,
        b: WithTree<'_>,
        pose: &Pose,
        budget: &Budget<'_>,
    ) -> bool {
        // With a limit of the depth, pairs must be opened in the order of their depth.
        self.0.start(a.1, b.1, pose, budget.depth_limit() == u32::MAX)
    }
}

/// The pair of triangles that was found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FirstPair(pub(super) Option<(u32, u32)>);

impl Receiver for FirstPair {
    const STOPS_AT_FIRST: bool = true;

    #[inline(always)]
    fn pair(&mut self, a: u32, b: u32) {
        self.0 = Some((a, b));
    }
}

/// A decided answer without the evidence of a hit, or bounds.
type Found = Verdict<Separation, (u32, u32), Bounds>;

impl FirstSearch {
    /// A state that belongs to no query yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the query, and keeps the memory: the next call starts anew.
    pub fn reset(&mut self) {
        self.searches.forget();
    }

    /// Continues the search of this query, or starts it. See [`first_hit_within`].
    pub fn run(&mut self, a: &Mesh, b: &Mesh, pose: &Pose, budget: &mut Budget<'_>) -> HitVerdict {
        match self.find(a, b, pose, budget) {
            Verdict::Separated(proof) => Verdict::Separated(proof),
            Verdict::Undecided(known) => Verdict::Undecided(known),
            Verdict::Intersecting((i, j)) => {
                if self.hit.is_none() {
                    self.hit = resolve(a, b, pose, i, j);
                }
                let message = "the exact test found that these triangles meet";
                Verdict::Intersecting(self.hit.expect(message))
            }
        }
    }

    /// The contact of the open pairs, or `of_boxes` where pairs have none.
    pub(super) fn open_contact(
        &self,
        a: &Mesh,
        b: &Mesh,
        pose: &Pose,
        of_boxes: impl FnOnce() -> Contact,
    ) -> Option<Contact> {
        match self.searches.under_way(a, b, pose)? {
            UnderWay::Trees(FirstByTrees(search), tree_a, tree_b) => {
                let decided = self.found.0.is_some() || search.known_gap(tree_a, tree_b) > 0.0;
                if decided { None } else { search.contact(tree_a, tree_b, pose) }
            }
            UnderWay::Uneven(search) => {
                (search.hit().is_none() && search.open() > 0).then(of_boxes)
            }
            UnderWay::Small(search) => {
                (search.hit().is_none() && search.bounds().open > 0).then(of_boxes)
            }
        }
    }

    fn find(&mut self, a: &Mesh, b: &Mesh, pose: &Pose, budget: &mut Budget<'_>) -> Found {
        let (selected, is_new) = self.searches.select((a, b, pose), Aim::FirstHit, budget);
        if is_new {
            (self.found, self.hit) = (FirstPair(None), None);
        }
        match selected {
            Selected::Empty => Verdict::Separated(Separation::Empty),
            Selected::Boxes => match bounds_of_boxes(a, b, pose) {
                (lower, _) if lower > 0.0 => Verdict::Separated(Separation::Distance { lower }),
                (_, known) => Verdict::Undecided(known),
            },
            Selected::Trees(FirstByTrees(search), a, b) => {
                let progress = search.run(a, b, pose, &mut self.found, budget);
                if let Some(pair) = self.found.0 {
                    return Verdict::Intersecting(pair);
                }
                // Meshes whose outermost boxes are apart are decided without a step.
                let gap = search.gap(a.1, b.1);
                let gap = (progress == Progress::Finished || gap > 0.0).then_some(gap);
                verdict(None, gap, || search.bounds(a, b, pose))
            }
            Selected::Uneven(search, a, b) => {
                let progress = search.run(a, b, pose, &mut |_, _| {}, budget);
                let gap = (progress == Progress::Finished).then(|| search.gap());
                verdict(search.hit(), gap, || search.bounds())
            }
            Selected::Small(search) => {
                let progress = search.run(&mut |_, _| {}, budget);
                let gap = (progress == Progress::Finished).then(|| search.gap());
                verdict(search.hit(), gap, || search.bounds())
            }
        }
    }
}

/// The answer of a search: a pair that meets, the gap of a finished search, or else bounds.
fn verdict(pair: Option<(u32, u32)>, gap: Option<f64>, bounds: impl FnOnce() -> Bounds) -> Found {
    match (pair, gap) {
        (Some(pair), _) => Verdict::Intersecting(pair),
        (None, Some(lower)) => Verdict::Separated(Separation::Distance { lower }),
        (None, None) => Verdict::Undecided(bounds()),
    }
}

/// As [`first_hit`](crate::pair::first_hit), but stops when the budget is spent, and then returns
/// bounds: of the penetration depth of the surfaces, and of their distance. A further call with the
/// same meshes and pose continues the search; with others it starts anew.
///
/// A decided answer is exact. The bounds never loosen as the budget grows. With a budget of
/// [steps](Budget::steps) the answer is the same on every machine, and a search in parts takes as
/// many steps as one without interruption.
///
/// The evidence for "separated" is [`Separation::Empty`] or a [`Separation::Distance`], whose bound
/// is zero where no gap was measured; [`distance_within`](crate::pair::distance_within) measures
/// it.
///
/// The meshes should be [prepared](Mesh::prepare); otherwise the answer follows from their boxes.
///
/// ```
/// use impinge::pair::{Budget, FirstSearch, first_hit_within};
/// use impinge::{Pose, Verdict, shapes};
///
/// let ring = shapes::torus(1.0, 0.3, 96, 48)?;
/// ring.prepare();
/// // Like two links of a chain.
/// let linked = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0])?;
/// let mut search = FirstSearch::new();
/// let mut parts = 1;
/// let verdict = loop {
///     match first_hit_within(&ring, &ring, &linked, &mut Budget::micros(20), &mut search) {
///         Verdict::Undecided(known) => println!("at most {} deep", known.open_depth),
///         decided => break decided,
///     }
///     parts += 1;
/// };
/// println!("decided in part {parts}");
/// assert!(verdict.is_separated());
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn first_hit_within(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    budget: &mut Budget<'_>,
    search: &mut FirstSearch,
) -> HitVerdict {
    search.run(a, b, pose, budget)
}

thread_local! {
    /// The memory of the last query of this thread.
    static SEARCH: Cell<Option<Box<FirstSearch>>> = const { Cell::new(None) };
}

/// As [`first_hit_within`], from the start, and only the numbers of the triangles: computing how
/// they meet, and where, takes longer than the query.
///
/// ```
/// use impinge::pair::{Budget, first_pair_within};
/// use impinge::{Pose, Verdict, shapes};
///
/// let ring = shapes::torus(1.0, 0.3, 96, 48)?;
/// ring.prepare();
/// // Like two links of a chain.
/// let linked = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0])?;
/// match first_pair_within(&ring, &ring, &linked, &mut Budget::steps(5)) {
///     Verdict::Intersecting((a, b)) => println!("triangle {a} meets {b}"),
///     Verdict::Separated(proof) => println!("free: {proof}"),
///     Verdict::Undecided(known) => println!("at most {} deep", known.open_depth),
/// }
/// assert!(first_pair_within(&ring, &ring, &linked, &mut Budget::unlimited()).is_separated());
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn first_pair_within(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    budget: &mut Budget<'_>,
) -> BudgetVerdict {
    let mut search = SEARCH.take().unwrap_or_default();
    search.reset();
    let found = search.find(a, b, pose, budget);
    SEARCH.set(Some(search));
    found
}
