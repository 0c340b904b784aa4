//! The algorithms of the thesis as methods of a [`World`](impinge::World).

use std::sync::Arc;

use impinge::convex::Verdict;
use impinge::internals::decide::{Hint, decide};
use impinge::math::Vec3;
use impinge::pair::{self, Bias, Budget, First};
use impinge::world::{
    BodyPart, MethodKind, PairAnswer, PairChecker, PairMethod, PairQuery, PairTraits,
};

use super::separating::{
    Options, Preparation, Prepared, Query, Scratch, Search, SeparatingCache, Termination,
};
use super::{Goal, HullTree, Method, Tracker, TrackerState};
use crate::methods::{
    PerMesh, are_hulls, by_boxes, corners, decided, hulls_of, meshes_of, of_surfaces,
    triangle_pairs,
};

/// The [separating-vector algorithm](super::separating) for hulls, as published, followed by the
/// exact decision if it has no certain verdict because of rounding.
pub const SEPARATING_VECTOR: MethodKind =
    MethodKind::new("separating-vector", || Box::new(Vectors { options: Options::THESIS }));

/// As [`SEPARATING_VECTOR`], with the other of the two termination methods (section 4.2.2).
pub const SEPARATING_VECTOR_HALF_PLANES: MethodKind =
    MethodKind::new("separating-vector-half-planes", || {
        Box::new(Vectors {
            options: Options { termination: Termination::HalfPlanes, ..Options::THESIS },
        })
    });

/// The combined algorithm: separating vectors, and closest points at the last free pose once two
/// hulls meet ([`Tracker`], section 6.1). Ignores budgets.
pub const TRACKER: MethodKind = MethodKind::new("tracker", || Box::new(Combined));

/// [Trees of hulls](HullTree) of two solids (section 5.6). Pieces at a distance within rounding
/// errors are decided by the triangles. Ignores budgets.
pub const HULL_TREE: MethodKind =
    MethodKind::new("hull-tree", || Box::new(HullTrees { trees: PerMesh::default() }));

/// The methods of this module.
pub const METHODS: &[MethodKind] =
    &[SEPARATING_VECTOR, SEPARATING_VECTOR_HALF_PLANES, TRACKER, HULL_TREE];

#[derive(Clone, Copy, Debug)]
struct Vectors {
    options: Options,
}

impl PairMethod for Vectors {
    fn applies(&self, pair: &PairTraits) -> bool {
        are_hulls(pair)
    }

    fn bias(&self) -> Option<Bias> {
        None
    }

    fn nanoseconds(&self, pair: &PairTraits) -> f64 {
        cost::VECTORS + cost::VECTORS_DOUBLING * corners(pair).max(1.0).log2()
    }

    fn checker(&self, a: &BodyPart, b: &BodyPart) -> Box<dyn PairChecker> {
        let (a, b) = hulls_of(a, b);
        Box::new(VectorChecker {
            options: self.options,
            prepared: [a, b].map(Preparation::new),
            cache: SeparatingCache::default(),
            scratch: Scratch::default(),
        })
    }
}

#[derive(Debug)]
struct VectorChecker {
    options: Options,
    prepared: [Preparation; 2],
    cache: SeparatingCache,
    scratch: Scratch,
}

impl PairChecker for VectorChecker {
    fn check(&mut self, pair: &PairQuery<'_>, budget: &mut Budget<'_>) -> PairAnswer {
        let (a, b) = hulls_of(pair.a, pair.b);
        let [own, its] = &self.prepared;
        let (a, b) = (Prepared::with(a, own), Prepared::with(b, its));
        let query = Query { a: &a, b: &b, pose: pair.pose, options: self.options };
        let mut search = Search::new(query, &self.cache, &mut self.scratch);
        while budget.step() {
            if let Some(verdict) = search.step() {
                let output = search.finish(verdict, &mut self.cache);
                let decision = output.verdict.decided().unwrap_or_else(|| {
                    let there = b.hull().vertices().iter();
                    let there: Vec<Vec3> = there.map(|v| pair.pose.transform_point(*v)).collect();
                    decide(a.hull().vertices(), &there, &output.hint)
                });
                return decided(decision.is_intersecting());
            }
        }
        by_boxes(pair)
    }
}

#[derive(Clone, Copy, Debug)]
struct Combined;

impl PairMethod for Combined {
    fn applies(&self, pair: &PairTraits) -> bool {
        are_hulls(pair)
    }

    fn bias(&self) -> Option<Bias> {
        None
    }

    fn nanoseconds(&self, pair: &PairTraits) -> f64 {
        cost::TRACKER + cost::VECTORS_DOUBLING * corners(pair).max(1.0).log2()
    }

    fn checker(&self, a: &BodyPart, b: &BodyPart) -> Box<dyn PairChecker> {
        let (a, b) = hulls_of(a, b);
        Box::new(TrackerChecker {
            prepared: [a, b].map(Preparation::new),
            state: TrackerState::default(),
            scratch: Scratch::default(),
        })
    }
}

#[derive(Debug)]
struct TrackerChecker {
    prepared: [Preparation; 2],
    state: TrackerState,
    scratch: Scratch,
}

impl PairChecker for TrackerChecker {
    fn check(&mut self, pair: &PairQuery<'_>, _: &mut Budget<'_>) -> PairAnswer {
        let (a, b) = hulls_of(pair.a, pair.b);
        let [own, its] = &self.prepared;
        let (a, b) = (Prepared::with(a, own), Prepared::with(b, its));
        let state = std::mem::take(&mut self.state);
        let method = Method::Published(Options::THESIS);
        let mut tracker = Tracker::with_state(&a, &b, Goal::Combined, method, state);
        let frame = tracker.step(pair.pose, &mut self.scratch);
        self.state = tracker.into_state();
        decided(frame.meets)
    }
}

/// A part of a mesh that cannot be cut into at most this many convex pieces becomes a mesh leaf.
const MAX_PIECES: usize = 16;

#[derive(Debug)]
struct HullTrees {
    /// `None` for a mesh without a valid tree.
    trees: PerMesh<Option<HullTree>>,
}

impl PairMethod for HullTrees {
    fn applies(&self, pair: &PairTraits) -> bool {
        let is_solid_mesh = |traits: &impinge::world::Traits| {
            traits.solid && traits.triangles.is_some_and(|count| count > 0)
        };
        is_solid_mesh(&pair.a) && is_solid_mesh(&pair.b)
    }

    fn bias(&self) -> Option<Bias> {
        None
    }

    fn nanoseconds(&self, pair: &PairTraits) -> f64 {
        cost::HULL_TREES + cost::HULL_TREES_DOUBLING * triangle_pairs(pair).log2()
    }

    fn checker(&self, a: &BodyPart, b: &BodyPart) -> Box<dyn PairChecker> {
        let (a, b) = meshes_of(a, b);
        let tree = |mesh| self.trees.get(mesh, |mesh| HullTree::of_mesh(mesh, MAX_PIECES).ok());
        Box::new(HullTreeChecker { trees: [tree(a), tree(b)], meshes: pair::MeshCache::default() })
    }
}

#[derive(Debug)]
struct HullTreeChecker {
    trees: [Arc<Option<HullTree>>; 2],
    meshes: pair::MeshCache,
}

impl PairChecker for HullTreeChecker {
    fn check(&mut self, query: &PairQuery<'_>, _: &mut Budget<'_>) -> PairAnswer {
        let [Some(own), Some(its)] = self.trees.each_ref().map(|tree| tree.as_ref().as_ref())
        else {
            return by_boxes(query);
        };
        let (a, b) = meshes_of(query.a, query.b);
        // Moved corners of pieces, and moved vertices, are each off by at most four roundings of
        // three coordinates of at most this size; see `hull_excess` of the world.
        let bounds = b.bounds();
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        let size = 2.0 * reach + query.pose.translation().abs().max_element();
        let margin = 16.0 * f64::EPSILON * size + f64::MIN_POSITIVE;
        let mut near = |a: &[Vec3], b: &[Vec3]| match decide(a, b, &Hint::NONE) {
            Verdict::Separated(gap) => gap.lower <= margin,
            Verdict::Intersecting(_) => true,
        };
        let mut first = First::default();
        own.traverse(its, query.pose, &mut near, &mut first);
        if first.pair.is_none() {
            return PairAnswer::Separated { certain: true };
        }
        of_surfaces(query, pair::first_pair_cached(a, b, query.pose, &mut self.meshes))
    }
}

/// Costs in nanoseconds, measured by `methods_cost` in `tests/world_methods.rs`: bodies that pass
/// each other, from frame to frame.
mod cost {
    /// Separating vectors, and the increase for each doubling of the number of corners.
    pub(super) const VECTORS: f64 = 200.0;
    pub(super) const VECTORS_DOUBLING: f64 = 50.0;
    /// The combined algorithm.
    pub(super) const TRACKER: f64 = 300.0;
    /// Trees of hulls, and the increase for each doubling of the product of their triangle counts.
    pub(super) const HULL_TREES: f64 = 2000.0;
    pub(super) const HULL_TREES_DOUBLING: f64 = 1000.0;
}
