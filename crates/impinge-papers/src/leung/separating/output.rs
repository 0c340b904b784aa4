//! What a search asks and answers.

use super::{Prepared, Rule};
use impinge::convex::{self, BodyCache, Common, Gap, HullMemory, Pairs};
use impinge::internals::decide::Hint;
use impinge::math::Pose;

/// A question: do A and B meet?
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// The first body; its frame is the frame of the query.
    pub a: &'q Prepared<'q>,
    /// The second body, in its own frame.
    pub b: &'q Prepared<'q>,
    /// The pose of B in A's frame.
    pub pose: &'q Pose,
    /// How to search.
    pub options: Options,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How the next direction is chosen.
    pub rule: Rule,
    /// How it is found out that there is no separating vector.
    pub termination: Termination,
    /// After so many steps the answer is [`Verdict::Undecided`].
    pub max_steps: u32,
}

impl Options {
    /// What the thesis uses: greedy directions, the hemisphere method; and as many steps as it
    /// takes, which in its experiments are 55 at most.
    pub const THESIS: Self =
        Self { rule: Rule::GREEDY, termination: Termination::Hemisphere, max_steps: u32::MAX };
}

impl Default for Options {
    fn default() -> Self {
        Self::THESIS
    }
}

/// How it is found out that no vector separates (section 4.2).
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
pub enum Fit {
    /// One is.
    Holds,
    /// None is, to rounding; and neither is one in front of these four, numbered as they came,
    /// where a number may repeat.
    Nowhere([usize; 4]),
}

/// What is certain about two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// They share no point; the proof names a vector in A's frame.
    Separated(Gap),
    /// They share a point: up to four pairs of vertices whose differences surround the origin
    /// beyond rounding, or are zero.
    Intersecting(Common),
    /// Nothing is certain.
    Undecided(Reason),
}

impl Verdict {
    /// Whether the bodies are certainly apart.
    #[must_use]
    pub fn is_separated(&self) -> bool {
        matches!(self, Self::Separated(_))
    }

    /// Whether the bodies certainly share a point.
    #[must_use]
    pub fn is_intersecting(&self) -> bool {
        matches!(self, Self::Intersecting(_))
    }

    /// The verdict as a decision, if there is one.
    #[must_use]
    pub fn decision(&self) -> Option<convex::Verdict> {
        match *self {
            Self::Separated(gap) => Some(convex::Verdict::Separated(gap)),
            Self::Intersecting(common) => Some(convex::Verdict::Intersecting(common)),
            Self::Undecided(_) => None,
        }
    }
}

/// Why a search ended without a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// [`Options::max_steps`] were taken.
    Limit,
    /// The termination method finds no vector in front of all kept ones, but only of the vectors as
    /// rounded. The thesis says "colliding" here.
    Exhausted,
    /// A pair recurs for a vector that should have been in front of it: the bodies are within
    /// rounding of touching. The thesis says "not colliding" here (lemmas 3 and 8).
    Recurrence,
}

/// The answer to a [`Query`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Output {
    /// The verdict.
    pub verdict: Verdict,
    /// Directions tried, the first included: `k` of the thesis' figures 6.3 and 6.4.
    pub steps: u32,
    /// Vectors kept for the termination rule: pairs of supporting vertices met, each once.
    pub kept: u32,
    /// Steps that came to a pair of vertices they had met before.
    pub repeats: u32,
    /// Where the exact decision may begin: the last direction, in A's frame, and the pairs that the
    /// termination method stopped at, or else the seeds.
    pub hint: Hint,
    /// Where a search for closest points may begin (section 5.5): up to four pairs that recurred,
    /// else the last two that supported a direction.
    pub seeds: Pairs,
}

impl Output {
    /// The start of a search for closest points of the same two hulls, at this pose or the last one
    /// where they were free (section 5.5): the simplex of the [`seeds`](Self::seeds).
    ///
    /// The way back is [`Cache::from_closest`](super::Cache::from_closest).
    #[must_use]
    pub fn closest_start(&self) -> BodyCache<HullMemory, HullMemory> {
        BodyCache::from_pairs(&self.seeds)
    }
}
