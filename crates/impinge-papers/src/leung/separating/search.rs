//! The search itself (Leung 1996, section 3.2, 4.3 and appendix I).
//!
//! As published: the first direction, the caches, the step, the two termination methods, and the
//! rule that after a recurring pair of vertices the next direction is the termination method's `w`
//! (section 4.3).
//!
//! Stricter than published: the thesis counts `S . (q - p) = 0` as "not colliding", and concludes
//! the same from recurring pairs (lemmas 3 and 8). Here bodies that touch do intersect, and
//! "separated" requires a gap beyond rounding. Where the published rule would return without such a
//! gap, the search tests a vector strictly inside the cone of all candidates. This vector has a
//! certain gap, or leads to a new pair of vertices, or to a pair found before. The last case ends
//! the search without a verdict. The number of pairs is finite, so every search ends.

use super::cache::{Witness, unit};
use super::enclosing::surrounds_origin;
use super::gap::Rounding;
use super::{
    Feasibility, HalfPlanes, Hemisphere, Query, Reason, SeparatingCache, SeparatingOutput,
    Termination, Verdict,
};
use crate::visited_pairs::VisitedPairs;
use impinge::internals::decide::{
    Hint, IntersectionCertificate, SeparationCertificate, VertexPairs,
};
use impinge::internals::support::Climb;
use impinge::math::Vec3;

/// Memory reused by consecutive searches of any bodies.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    climb: Climb,
    /// Pairs of supporting vertices met (section 4.4). The thesis keeps a time-stamp for every pair
    /// of vertices, which for two bodies of 2,000 are four million; a search meets a few dozen.
    visited: VisitedPairs,
    hemisphere: Hemisphere,
    half_planes: HalfPlanes,
    strict_middle: HalfPlanes,
    kept: Vec<KeptPair>,
}

impl Scratch {
    /// The number of vertices evaluated by all searches together.
    #[must_use]
    pub fn evaluated(&self) -> u64 {
        self.climb.evaluated()
    }
}

/// A pair of supporting vertices and the vector between them.
#[derive(Clone, Copy, Debug)]
struct KeptPair {
    pair: (u32, u32),
    difference: Vec3,
}

/// The origin of the current direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The start of the search, or the [`Rule`](super::Rule).
    Rule,
    /// The termination method's `w`, after a recurring pair.
    Termination,
    /// A vector strictly inside the cone of all candidates.
    Strict,
}

/// A search that is advanced step by step.
///
/// [`separate`](super::separate) runs one to its end. Use a `Search` directly to interrupt it, to
/// interleave it with another method, or to observe it.
#[derive(Debug)]
pub struct Search<'q> {
    query: Query<'q>,
    scratch: &'q mut Scratch,
    rounding: Rounding,
    direction: Vec3,
    origin: Origin,
    pair: (u32, u32),
    previous: Option<(u32, u32)>,
    blockers: VertexPairs,
    recurring: FirstPairs,
    steps: u32,
    repeats: u32,
}

impl<'q> Search<'q> {
    /// Starts a search with the direction of `cache`, or with the direction between the centroids.
    #[must_use]
    pub fn new(query: Query<'q>, cache: &SeparatingCache, scratch: &'q mut Scratch) -> Self {
        scratch.visited.start();
        scratch.hemisphere.clear();
        scratch.half_planes.clear();
        scratch.kept.clear();
        let Witness { vector, a, b } = cache.start(query.a, query.b, query.pose);
        Self {
            query,
            scratch,
            rounding: Rounding::new(query.b, query.pose),
            direction: vector,
            origin: Origin::Rule,
            pair: (a, b),
            previous: None,
            blockers: VertexPairs::NONE,
            recurring: FirstPairs::default(),
            steps: 0,
            repeats: 0,
        }
    }

    /// The direction that the next step tests, in A's frame. After the last step, the direction it
    /// tested.
    #[must_use]
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// The supporting vertices of A and B for the last direction tested.
    #[must_use]
    pub fn vertices(&self) -> (u32, u32) {
        self.pair
    }

    /// The number of steps so far.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The termination method's vector `w`: in front of all kept vectors, up to rounding.
    #[must_use]
    pub fn middle(&self) -> Vec3 {
        match self.query.options.termination {
            Termination::Hemisphere => self.scratch.hemisphere.middle(),
            Termination::HalfPlanes => self.scratch.half_planes.middle(),
        }
    }

    /// Tests one direction. `Some` ends the search; the results of further steps are not reliable.
    pub fn step(&mut self) -> Option<Verdict> {
        if self.steps >= self.query.options.max_steps {
            return Some(Verdict::Undecided(Reason::Limit));
        }
        if self.steps > 0 {
            self.previous = Some(self.pair);
        }
        self.steps += 1;
        let Query { a, b, pose, options } = self.query;
        let s = self.direction;
        let local = -(pose.rotation().transpose() * s);
        let climb = &mut self.scratch.climb;
        let is_first = self.steps == 1;
        self.pair = (
            a.climb(s, self.pair.0, is_first, climb),
            b.climb(local, self.pair.1, is_first, climb),
        );
        let p = a.hull().vertices()[self.pair.0 as usize];
        let q = pose.transform_point(b.hull().vertices()[self.pair.1 as usize]);
        let gap = self.rounding.distance(s, p, q);
        if gap > 0.0 {
            return Some(Verdict::Separated(SeparationCertificate {
                direction: s,
                lower: gap,
                pairs: VertexPairs::NONE,
            }));
        }
        let difference = q - p;
        let Some(r) = unit(difference) else {
            // The two vertices coincide.
            self.blockers = VertexPairs::new(&[[self.pair.0, self.pair.1]]);
            return Some(Verdict::Intersecting(IntersectionCertificate { pairs: self.blockers }));
        };
        let is_new = self.scratch.visited.insert(self.pair.0, self.pair.1);
        if is_new {
            self.scratch.kept.push(KeptPair { pair: self.pair, difference });
            if let Feasibility::Infeasible(simplex) = self.insert_kept(r) {
                return Some(self.exhausted(simplex));
            }
        } else {
            self.repeats += 1;
            self.recurring.push(self.pair);
        }
        let is_behind = s.dot(difference) < 0.0;
        if is_new && is_behind {
            self.direction = options.rule.next(s, r);
            self.origin = Origin::Rule;
        } else if is_behind && self.origin == Origin::Rule {
            self.direction = self.middle();
            self.origin = Origin::Termination;
        } else if is_new || self.origin != Origin::Strict {
            match self.strict_middle() {
                Ok(w) => self.direction = w,
                Err(simplex) => return Some(self.exhausted(simplex)),
            }
            self.origin = Origin::Strict;
        } else {
            return Some(Verdict::Undecided(Reason::Recurrence));
        }
        None
    }

    /// Steps until there is a verdict. Stores a separating vector in `cache`.
    pub fn run(mut self, cache: &mut SeparatingCache) -> SeparatingOutput {
        loop {
            if let Some(verdict) = self.step() {
                return self.finish(verdict, cache);
            }
        }
    }

    /// The output for the verdict of the last step. Stores a separating vector in `cache`.
    pub fn finish(self, verdict: Verdict, cache: &mut SeparatingCache) -> SeparatingOutput {
        if let Verdict::Separated(SeparationCertificate { direction: vector, .. }) = verdict {
            cache.store(Witness { vector, a: self.pair.0, b: self.pair.1 });
        }
        let mut seeds = self.recurring;
        if seeds.count == 0 {
            seeds.push(self.pair);
            seeds.push(self.previous.unwrap_or(self.pair));
        }
        let seeds = seeds.pairs();
        let pairs = if self.blockers.is_empty() { seeds } else { self.blockers };
        SeparatingOutput {
            verdict,
            steps: self.steps,
            kept: self.scratch.kept.len() as u32,
            repeats: self.repeats,
            hint: Hint { pairs, direction: self.direction },
            seeds,
        }
    }

    /// Adds a vector to the termination method.
    fn insert_kept(&mut self, r: Vec3) -> Feasibility {
        match self.query.options.termination {
            Termination::Hemisphere => self.scratch.hemisphere.insert(r),
            Termination::HalfPlanes => self.scratch.half_planes.insert(r),
        }
    }

    /// A vector strictly in front of all kept vectors, or the indices of four that have none.
    fn strict_middle(&mut self) -> Result<Vec3, [usize; 4]> {
        if self.query.options.termination == Termination::HalfPlanes {
            return Ok(self.scratch.half_planes.middle());
        }
        let strict_middle = &mut self.scratch.strict_middle;
        strict_middle.clear();
        for r in self.scratch.hemisphere.vectors() {
            if let Feasibility::Infeasible(simplex) = strict_middle.insert(*r) {
                return Err(simplex);
            }
        }
        Ok(strict_middle.middle())
    }

    /// The verdict if no vector is in front of these four kept vectors, up to rounding: certain if
    /// they surround the origin.
    fn exhausted(&mut self, simplex: [usize; 4]) -> Verdict {
        let four = simplex.map(|i| self.scratch.kept[i]);
        let mut first = FirstPairs::default();
        for kept in four {
            first.push(kept.pair);
        }
        self.blockers = first.pairs();
        if surrounds_origin(&four.map(|k| k.difference)) {
            Verdict::Intersecting(IntersectionCertificate { pairs: self.blockers })
        } else {
            Verdict::Undecided(Reason::Exhausted)
        }
    }
}

/// The first four distinct pairs.
#[derive(Clone, Copy, Debug, Default)]
struct FirstPairs {
    pairs: [[u32; 2]; 4],
    count: usize,
}

impl FirstPairs {
    fn push(&mut self, (a, b): (u32, u32)) {
        if self.count < 4 && !self.pairs[..self.count].contains(&[a, b]) {
            self.pairs[self.count] = [a, b];
            self.count += 1;
        }
    }

    fn pairs(&self) -> VertexPairs {
        VertexPairs::new(&self.pairs[..self.count])
    }
}
