//! Input and output of a search.

use super::{Prepared, Rule};
use impinge::answer;
use impinge::convex::{
    BodyCache, HullMemory, IntersectionCertificate, SeparationCertificate, VertexPairs,
};
use impinge::internals::decide::Hint;
use impinge::math::Pose;

/// The input of a search for a separating vector of A and B.
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// The first body. Its frame is the frame of the query.
    pub a: &'q Prepared<'q>,
    /// The second body, in its own frame.
    pub b: &'q Prepared<'q>,
    /// The pose of B in A's frame.
    pub pose: &'q Pose,
    /// Options of the search.
    pub options: Options,
}

/// Options of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// How the next direction is chosen.
    pub rule: Rule,
    /// The method that detects that there is no separating vector.
    pub termination: Termination,
    /// Iteration limit. After this many steps the verdict is [`Verdict::Undecided`].
    pub max_steps: u32,
}

impl Options {
    /// The options of the thesis: greedy directions, the hemisphere method, and no iteration limit.
    /// Its experiments took at most 55 steps.
    pub const THESIS: Self =
        Self { rule: Rule::GREEDY, termination: Termination::Hemisphere, max_steps: u32::MAX };
}

impl Options {
    /// With this [`rule`](Self#structfield.rule).
    #[must_use]
    pub fn rule(self, rule: Rule) -> Self {
        Self { rule, ..self }
    }

    /// With this [`termination`](Self#structfield.termination).
    #[must_use]
    pub fn termination(self, termination: Termination) -> Self {
        Self { termination, ..self }
    }

    /// With this [`max_steps`](Self#structfield.max_steps).
    #[must_use]
    pub fn max_steps(self, max_steps: u32) -> Self {
        Self { max_steps, ..self }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::THESIS
    }
}

/// The method that detects that no vector separates the bodies (section 4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Termination {
    /// [`Hemisphere`](super::Hemisphere), of section 4.2.1.
    #[default]
    Hemisphere,
    /// [`HalfPlanes`](super::HalfPlanes), of section 4.2.2.
    HalfPlanes,
}

/// Whether some vector is in front of all vectors inserted so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feasibility {
    /// Such a vector exists.
    Feasible,
    /// No such vector exists, up to rounding. Nor is any vector in front of the four with these
    /// indices. An index may repeat.
    Infeasible([usize; 4]),
}

/// Whether two bodies share a point.
///
/// The proof of a separation contains a separating vector in A's frame. The proof of an
/// intersection is up to four pairs of vertices whose differences surround the origin beyond
/// rounding, or are zero.
pub type Verdict = answer::Verdict<SeparationCertificate, IntersectionCertificate, Reason>;

/// Why a search ended without a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// [`Options::max_steps`] is reached.
    Limit,
    /// The termination method finds no vector in front of all kept vectors, but only for the
    /// rounded vectors. The thesis returns "colliding" in this case.
    Exhausted,
    /// A vector strictly in front of all kept vectors leads to a pair found before: the bodies are
    /// within rounding of touching. The thesis returns "not colliding" in this case (lemmas 3 and
    /// 8).
    Recurrence,
}

/// The result of a [`Query`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeparatingOutput {
    /// The verdict.
    pub verdict: Verdict,
    /// Number of directions tested, the first included: `k` of the thesis' figures 6.3 and 6.4.
    pub steps: u32,
    /// Number of vectors kept for the termination method: the distinct pairs of supporting vertices
    /// found.
    pub kept: u32,
    /// Number of steps that found a pair of vertices found before.
    pub repeats: u32,
    /// A start for the exact decision: the last direction, in A's frame, and the pairs where the
    /// termination method stopped, or else the seeds.
    pub hint: Hint,
    /// A start for a search for closest points (section 5.5): up to four pairs that recurred, or
    /// else the last two pairs of supporting vertices.
    pub seeds: VertexPairs,
}

impl SeparatingOutput {
    /// The start of a search for closest points of the same two hulls, at this pose or the last
    /// collision-free one (section 5.5): the simplex of the [`seeds`](Self::seeds).
    ///
    /// The reverse is [`SeparatingCache::from_closest`](super::SeparatingCache::from_closest).
    #[must_use]
    pub fn closest_start(&self) -> BodyCache<HullMemory, HullMemory> {
        BodyCache::from_pairs(&self.seeds)
    }
}
