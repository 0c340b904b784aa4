//! Queries between two hulls within a budget, which can be continued.
//!
//! The search in `f32` and `f64` is the first piece of work. It takes some microseconds at most,
//! whatever the size of the hulls, and is always done. Almost always it decides; then no state is
//! kept. Only a polytope that grows for long, and exact arithmetic, become a [`Computation`].

use super::rest::Rest;
use super::{HullCache, Kernels, decide_in_floats, exact, grow, measure_in_floats};
use crate::answer::{self, Bounds, Contact, Distance, Within};
use crate::budget::Budget;
use crate::convex::Hull;
use crate::convex::decide::{Hint, IntersectionCertificate, SeparationCertificate, Verdict};
use crate::convex::interruptible::{Computation, pay, report};
use crate::math::{Pose, Vec3, length_up};

/// Units of the search in floating point. They stay due if the budget does not have them.
pub(crate) const UNITS_OF_START: u64 = 2;

/// Steps of a growing polytope in the first piece and in each further one, and their units.
pub(super) const GROWTH_STEPS: u32 = 8;
const UNITS_OF_GROWTH: u64 = 16;

/// Whether two hulls share a point, with the proof, or bounds of their signed distance if the
/// budget was spent before.
pub type VerdictWithin = answer::Verdict<SeparationCertificate, IntersectionCertificate, Bounds>;

/// An answer that a search finds.
pub(super) trait Question: Clone + Send + 'static {
    /// The first piece of work.
    fn start(
        a: &Hull,
        b: &Hull,
        pose: &Pose,
        cache: &mut HullCache,
        kernels: Kernels,
    ) -> Result<Self, Rest>;

    /// The answer with bounds at least as tight as those before.
    fn tightened(self, _: &Contact) -> Self {
        self
    }

    /// The rest.
    fn finish(
        a: Hull,
        b: Hull,
        pose: Pose,
        rest: Rest,
        kernels: Kernels,
    ) -> impl Future<Output = Self> + Send + 'static;
}

impl Question for Verdict {
    fn start(
        a: &Hull,
        b: &Hull,
        pose: &Pose,
        cache: &mut HullCache,
        kernels: Kernels,
    ) -> Result<Self, Rest> {
        decide_in_floats(a, b, pose, cache, kernels)
    }

    async fn finish(a: Hull, b: Hull, pose: Pose, rest: Rest, _: Kernels) -> Self {
        exact::decide(&a, &b, &pose, rest.hint()).await
    }
}

impl Question for Distance {
    fn start(
        a: &Hull,
        b: &Hull,
        pose: &Pose,
        cache: &mut HullCache,
        kernels: Kernels,
    ) -> Result<Self, Rest> {
        measure_in_floats(a, b, pose, cache, (0, kernels))
    }

    async fn finish(a: Hull, b: Hull, pose: Pose, rest: Rest, kernels: Kernels) -> Self {
        measure_in_pieces(&a, &b, &pose, rest, kernels).await
    }
}

impl Question for (Contact, Verdict) {
    fn start(
        a: &Hull,
        b: &Hull,
        pose: &Pose,
        cache: &mut HullCache,
        kernels: Kernels,
    ) -> Result<Self, Rest> {
        measure_in_floats(a, b, pose, cache, (GROWTH_STEPS, kernels))
    }

    /// The boxes may give a better bound of the depth than the end of an iteration.
    fn tightened(self, known: &Contact) -> Self {
        (self.0.tightened(known), self.1)
    }

    async fn finish(a: Hull, b: Hull, pose: Pose, rest: Rest, kernels: Kernels) -> Self {
        measure_in_pieces(&a, &b, &pose, rest, kernels).await
    }
}

/// The rest of a query for a distance or a depth.
pub(super) async fn measure_in_pieces<T: super::answer::Answer>(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    mut rest: Rest,
    kernels: Kernels,
) -> T {
    while let Rest::Growing(growing) = rest {
        report(|| Contact {
            lower: 0.0 - growing.surface.upper(),
            upper: 0.0,
            direction: Vec3::ZERO,
            point_a: a.vertices()[0],
            point_b: a.vertices()[0],
        });
        pay(UNITS_OF_GROWTH).await;
        match grow(a, b, pose, growing, (GROWTH_STEPS, kernels)) {
            Ok(answer) => return answer,
            Err(more) => rest = more,
        }
    }
    T::of(exact::contact(a, b, pose, rest.hint(), T::DEPTH).await)
}

/// A query that was stopped, or that has its answer.
#[derive(Debug)]
struct State<A> {
    a: Hull,
    b: Hull,
    pose: Pose,
    /// What was known after the first piece.
    known: Contact,
    /// The proof that the hulls share a point, if that is known.
    common: Option<IntersectionCertificate>,
    /// Units of the first piece that are still due.
    due: u64,
    computation: Computation<A>,
    answer: Option<A>,
}

/// The state of a search; small as long as no query was stopped.
#[derive(Debug)]
struct Search<A> {
    state: Option<Box<State<A>>>,
}

impl<A> Default for Search<A> {
    fn default() -> Self {
        Self { state: None }
    }
}

/// What a call finds.
enum Found<A> {
    Answer(A),
    Open(Known),
}

/// What is known of a query that was stopped.
struct Known {
    signed: Contact,
    common: Option<IntersectionCertificate>,
}

impl<A: Question> Search<A> {
    fn run(
        &mut self,
        (a, b, pose): (&Hull, &Hull, &Pose),
        cache: &mut HullCache,
        budget: &mut Budget<'_>,
    ) -> Found<A> {
        if let Some(state) = &mut self.state {
            if state.a.is_shared_with(a) && state.b.is_shared_with(b) && state.pose == *pose {
                return state.run(budget);
            }
        }
        if !(a.is_prepared() && b.is_prepared() || budget.is_unlimited()) {
            let signed = known_at_start(a, b, pose, &Rest::Exact(Hint::NONE));
            return Found::Open(Known { signed, common: None });
        }
        let mut due = UNITS_OF_START;
        while due > 0 && budget.step() {
            due -= 1;
        }
        match A::start(a, b, pose, cache, Kernels::within(budget)) {
            Ok(answer) => Found::Answer(answer),
            Err(rest) => self.continue_with(rest, (a, b, pose), due, budget),
        }
    }

    #[cold]
    #[inline(never)]
    fn continue_with(
        &mut self,
        rest: Rest,
        (a, b, pose): (&Hull, &Hull, &Pose),
        due: u64,
        budget: &mut Budget<'_>,
    ) -> Found<A> {
        let known = known_at_start(a, b, pose, &rest);
        let common = match &rest {
            Rest::Growing(growing) => Some(growing.common),
            Rest::Exact(_) => None,
        };
        let (a, b, pose) = (a.shared(), b.shared(), *pose);
        let kernels = Kernels::within(budget);
        let computation = Computation::new(A::finish(a.shared(), b.shared(), pose, rest, kernels));
        let state = State { a, b, pose, known, common, due, computation, answer: None };
        match &mut self.state {
            Some(kept) => **kept = state,
            None => self.state = Some(Box::new(state)),
        }
        match &mut self.state {
            Some(state) => state.run(budget),
            None => Found::Open(Known { signed: known, common }),
        }
    }
}

impl<A: Question> State<A> {
    fn run(&mut self, budget: &mut Budget<'_>) -> Found<A> {
        if let Some(answer) = &self.answer {
            return Found::Answer(answer.clone());
        }
        while self.due > 0 && budget.step() {
            self.due -= 1;
        }
        if self.due == 0 {
            let found = self.computation.run(budget);
            if let Some(now) = self.computation.known() {
                self.known = self.known.tightened(&now);
            }
            self.answer = found.map(|answer| answer.tightened(&self.known));
        }
        match &self.answer {
            Some(answer) => Found::Answer(answer.clone()),
            None => Found::Open(Known { signed: self.known, common: self.common }),
        }
    }
}

/// Bounds of the signed distance from the boxes, and from the vertices where the search ended.
pub(crate) fn known_at_start(a: &Hull, b: &Hull, pose: &Pose, rest: &Rest) -> Contact {
    let Bounds { lower, upper, .. } = Bounds::of_boxes(&a.bounds(), &b.bounds().transformed(pose));
    let first = [a.vertices()[0], pose.transform_point(b.vertices()[0])];
    let mut known =
        Contact { lower, upper, direction: Vec3::ZERO, point_a: first[0], point_b: first[1] };
    let hint = rest.hint();
    let vertices = hint.pairs.as_slice().iter().filter_map(|[i, j]| {
        let (p, q) = (a.vertices().get(*i as usize)?, b.vertices().get(*j as usize)?);
        Some([*p, pose.transform_point(*q)])
    });
    for [p, q] in [first].into_iter().chain(vertices) {
        let upper = length_up(p - q) * (1.0 + 4.0 * f64::EPSILON);
        if upper < known.upper {
            known = Contact { upper, point_a: p, point_b: q, ..known };
        }
    }
    match rest {
        Rest::Growing(growing) => {
            Contact { lower: lower.max(0.0 - growing.surface.upper()), upper: 0.0, ..known }
        }
        Rest::Exact(_) => known,
    }
}

impl Known {
    fn bounds(&self) -> Bounds {
        let lower = self.signed.lower.min(0.0);
        let upper = self.signed.upper.max(0.0);
        Bounds { lower, upper, open_depth: 0.0 - lower, open: 1 }
    }

    fn distance(&self) -> Distance {
        let Contact { lower, upper, point_a, point_b, .. } = self.signed;
        Distance::between(lower.max(0.0), upper.max(0.0), [point_a, point_b])
    }
}

macro_rules! search {
    ($(#[$about:meta])* $name:ident, $state:ty) => {
        $(#[$about])*
        ///
        /// Keep one for each pair of hulls whose query may be continued. It allocates only when a
        /// query is stopped.
        #[derive(Debug, Default)]
        pub struct $name($state);

        impl $name {
            /// A state that belongs to no query yet.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            /// Forgets the query: the next call starts anew.
            pub fn reset(&mut self) {
                self.0.state = None;
            }
        }
    };
}

search! {
    /// The state of a query whether two hulls share a point: see [`intersects_within`].
    HullSearch, Search<Verdict>
}

search! {
    /// The state of a query for the distance of two hulls: see [`distance_within`].
    HullDistanceSearch, Search<Distance>
}

search! {
    /// The state of a query for the signed distance of two hulls: see [`contact_within`].
    HullContactSearch, Search<(Contact, Verdict)>
}

impl HullSearch {
    /// Continues the query, or starts it. See [`intersects_within`].
    pub fn run(
        &mut self,
        a: &Hull,
        b: &Hull,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> VerdictWithin {
        self.run_cached(a, b, pose, &mut HullCache::default(), budget)
    }

    /// As [`run`](Self::run), starting where the last query of the pair ended.
    pub fn run_cached(
        &mut self,
        a: &Hull,
        b: &Hull,
        pose: &Pose,
        cache: &mut HullCache,
        budget: &mut Budget<'_>,
    ) -> VerdictWithin {
        match self.0.run((a, b, pose), cache, budget) {
            Found::Answer(Verdict::Separated(gap)) => VerdictWithin::Separated(gap),
            Found::Answer(Verdict::Intersecting(common)) => VerdictWithin::Intersecting(common),
            Found::Open(known) => VerdictWithin::Undecided(known.bounds()),
        }
    }
}

impl HullDistanceSearch {
    /// Continues the query, or starts it. See [`distance_within`].
    pub fn run(
        &mut self,
        a: &Hull,
        b: &Hull,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> Within<Distance> {
        self.run_cached(a, b, pose, &mut HullCache::default(), budget)
    }

    /// As [`run`](Self::run), starting where the last query of the pair ended.
    pub fn run_cached(
        &mut self,
        a: &Hull,
        b: &Hull,
        pose: &Pose,
        cache: &mut HullCache,
        budget: &mut Budget<'_>,
    ) -> Within<Distance> {
        match self.0.run((a, b, pose), cache, budget) {
            Found::Answer(distance) => Within::Final(distance),
            Found::Open(known) => Within::Open(known.distance()),
        }
    }
}

impl HullContactSearch {
    /// Continues the query, or starts it. See [`contact_within`].
    pub fn run(
        &mut self,
        a: &Hull,
        b: &Hull,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> Within<(Contact, VerdictWithin)> {
        self.run_cached(a, b, pose, &mut HullCache::default(), budget)
    }

    /// As [`run`](Self::run), starting where the last query of the pair ended.
    pub fn run_cached(
        &mut self,
        a: &Hull,
        b: &Hull,
        pose: &Pose,
        cache: &mut HullCache,
        budget: &mut Budget<'_>,
    ) -> Within<(Contact, VerdictWithin)> {
        match self.0.run((a, b, pose), cache, budget) {
            Found::Answer((contact, Verdict::Separated(gap))) => {
                Within::Final((contact, VerdictWithin::Separated(gap)))
            }
            Found::Answer((contact, Verdict::Intersecting(common))) => {
                Within::Final((contact, VerdictWithin::Intersecting(common)))
            }
            Found::Open(known) => {
                let undecided = VerdictWithin::Undecided(known.bounds());
                let verdict = known.common.map_or(undecided, VerdictWithin::Intersecting);
                Within::Open((known.signed, verdict))
            }
        }
    }
}

/// As [`intersects`](super::intersects), but stops when the budget is spent, and then returns
/// bounds. A further call with the same hulls and pose continues the query; with others it starts
/// anew.
///
/// The search in floating point takes a few microseconds at most and is always done; it decides
/// almost all pairs. What it leaves open, such as hulls that touch, is decided in integers, in
/// pieces of a few microseconds for hulls of any size and coordinates of any exponents. Hulls of
/// more than about fifty vertices should be [prepared](Hull::prepare); otherwise the answer follows
/// from their boxes. With a budget of [steps](Budget::steps) the answer is the same on every
/// machine. A decided answer is that of [`intersects`](super::intersects).
///
/// [`HullSearch::run_cached`] is the same for hulls that move a little from query to query.
///
/// ```
/// use impinge::convex::{self, Hull, HullSearch};
/// use impinge::pair::Budget;
/// use impinge::{Pose, Vec3};
///
/// let corners = |k: u32| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64) / 3.0;
/// let cube = Hull::new(&(0..8).map(corners).collect::<Vec<_>>())?;
/// let pose = Pose::from_translation([1.0 / 3.0, 1e-300, 0.0])?; // face on face
/// let mut search = HullSearch::new();
/// let mut parts = 1;
/// while convex::intersects_within(&cube, &cube, &pose, &mut Budget::micros(5), &mut search)
///     .is_undecided()
/// {
///     parts += 1;
/// }
/// println!("decided in part {parts}");
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn intersects_within(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    budget: &mut Budget<'_>,
    search: &mut HullSearch,
) -> VerdictWithin {
    search.run(a, b, pose, budget)
}

/// As [`distance`](super::distance), but stops when the budget is spent, and then returns the
/// bounds so far. All that [`intersects_within`] says of budgets holds here, too.
///
/// ```
/// use impinge::convex::{self, Hull, HullDistanceSearch};
/// use impinge::pair::Budget;
/// use impinge::{Pose, Vec3};
///
/// let tetrahedron = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
/// let pose = Pose::from_translation([1.0, 1.0, 1.0])?;
/// let mut search = HullDistanceSearch::new();
/// let mut budget = Budget::steps(100);
/// let (a, b) = (&tetrahedron, &tetrahedron);
/// let found = convex::distance_within(a, b, &pose, &mut budget, &mut search);
/// assert!(found.is_final() && found.get().lower > 1.1);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn distance_within(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    budget: &mut Budget<'_>,
    search: &mut HullDistanceSearch,
) -> Within<Distance> {
    search.run(a, b, pose, budget)
}

/// As [`contact`](super::contact), but stops when the budget is spent, and then returns the bounds
/// so far. The verdict may be decided before the depth is known. All that [`intersects_within`]
/// says of budgets holds here, too.
///
/// ```
/// use impinge::convex::{self, Hull, HullContactSearch};
/// use impinge::pair::Budget;
/// use impinge::{Pose, Vec3};
///
/// let corners = |k: u32| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
/// let cube = Hull::new(&(0..8).map(corners).collect::<Vec<_>>())?;
/// let pose = Pose::from_translation([0.25, 0.75, 0.0])?;
/// let mut search = HullContactSearch::new();
/// let mut budget = Budget::steps(1000);
/// let (contact, verdict) =
///     convex::contact_within(&cube, &cube, &pose, &mut budget, &mut search).get();
/// assert!(verdict.is_intersecting() && contact.lower <= -0.25 && -0.25 <= contact.upper);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn contact_within(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    budget: &mut Budget<'_>,
    search: &mut HullContactSearch,
) -> Within<(Contact, VerdictWithin)> {
    search.run(a, b, pose, budget)
}

/// The state of a [verification](Self::run) of a verdict about two hulls.
#[derive(Debug, Default)]
pub struct ProofSearch {
    state: Option<Box<Proof>>,
}

#[derive(Debug)]
struct Proof {
    verdict: Verdict,
    a: Hull,
    b: Hull,
    pose: Pose,
    computation: Computation<bool>,
    is_valid: Option<bool>,
}

impl ProofSearch {
    /// A state that belongs to no verdict yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the proof of a verdict about these hulls, B at `pose` in A's frame, is valid: as
    /// [`Verdict::verify`], but stops when the budget is spent, and then returns `None`. A further
    /// call with the same verdict, hulls and pose continues; with others it starts anew.
    ///
    /// ```
    /// use impinge::convex::{self, Hull, ProofSearch};
    /// use impinge::pair::Budget;
    /// use impinge::{Pose, Vec3};
    ///
    /// let segment = Hull::new(&[Vec3::ZERO, Vec3::X])?;
    /// let pose = Pose::from_translation([1.0, 0.0, 0.0])?;
    /// let verdict = convex::intersects(&segment, &segment, &pose);
    /// let mut search = ProofSearch::new();
    /// let mut budget = Budget::steps(1000);
    /// assert_eq!(search.run(&verdict, &segment, &segment, &pose, &mut budget), Some(true));
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn run(
        &mut self,
        verdict: &Verdict,
        a: &Hull,
        b: &Hull,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        let belongs = |proof: &&mut Box<Proof>| {
            proof.verdict == *verdict
                && proof.pose == *pose
                && proof.a.is_shared_with(a)
                && proof.b.is_shared_with(b)
        };
        if self.state.as_mut().filter(belongs).is_none() {
            let (verdict, pose) = (*verdict, *pose);
            let (p, q) = (a.shared(), b.shared());
            let computation = Computation::new(async move {
                let moved = exact::moved_vertices(&q, &pose).await;
                verdict.verify_in_pieces(p.vertices(), &moved).await
            });
            let (a, b) = (a.shared(), b.shared());
            let proof = Proof { verdict, a, b, pose, computation, is_valid: None };
            self.state = Some(Box::new(proof));
        }
        let proof = self.state.as_mut()?;
        if proof.is_valid.is_none() {
            proof.is_valid = proof.computation.run(budget);
        }
        proof.is_valid
    }
}
