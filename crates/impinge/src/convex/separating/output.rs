//! What a search asks and answers.

use super::{Body, Rule};
use crate::math::{Pose, Vec3};

/// A question: do A and B meet?
#[derive(Clone, Copy, Debug)]
pub struct Query<'q> {
    /// The first body; its frame is the frame of the query.
    pub a: &'q Body<'q>,
    /// The second body, in its own frame.
    pub b: &'q Body<'q>,
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
    /// What the thesis uses: greedy directions, the hemisphere method; and as many steps as it takes, which in its experiments are 55 at most.
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
    /// None is, to rounding; and neither is one in front of these four, numbered as they came, where a number may repeat.
    Nowhere([usize; 4]),
}

/// What is known about two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// They share no point, for certain.
    Separated {
        /// A vector in A's frame, of about unit length, from A towards B.
        vector: Vec3,
        /// `vector . (y - x) >= gap > 0` for every vertex `x` of A and every moved vertex `y` of B, in real arithmetic. Divided by the vector's length, a lower bound of the distance.
        gap: f64,
    },
    /// No separating vector is left, by the termination rule.
    Intersecting {
        /// True if they certainly share a point: the four pairs of [`Hint::simplex`] surround the origin beyond rounding, or a vertex of A is a vertex of B.
        /// False if the rule says so of rounded vectors only, as it does for bodies that touch.
        certain: bool,
    },
    /// Nothing is certain.
    Undecided(Reason),
}

impl Verdict {
    /// Whether the verdict holds in real arithmetic.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        matches!(self, Self::Separated { .. } | Self::Intersecting { certain: true })
    }
}

/// Why a search ended without a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// [`Options::max_steps`] were taken.
    Limit,
    /// The bodies are within rounding of touching. The thesis would say "not colliding" here (lemmas 3 and 8).
    Rounding,
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
    /// Where another method may begin.
    pub hint: Hint,
}

/// What a search found that another method can begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hint {
    /// The last direction, in A's frame.
    pub direction: Vec3,
    /// Four pairs of vertices of A and B whose differences surround the origin, certainly or to rounding, if the search ended with "intersecting"; else none.
    pub simplex: Pairs,
    /// Pairs of vertices that lie close (section 5.5): up to four that recurred, else the last two that supported a direction.
    pub seeds: Pairs,
}

/// Up to four pairs of a vertex of A and one of B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    pairs: [(u32, u32); 4],
    count: usize,
}

impl Pairs {
    /// The pairs.
    #[must_use]
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.pairs[..self.count]
    }

    /// Adds a pair, unless it is there or there is no room.
    pub(super) fn push(&mut self, pair: (u32, u32)) {
        if self.count < 4 && !self.as_slice().contains(&pair) {
            self.pairs[self.count] = pair;
            self.count += 1;
        }
    }
}
