//! The pairwise methods of the thesis, as methods of a [`World`](impinge::World).

use std::sync::Arc;

use impinge::Pose;
use impinge::internals::pair::Posed;
use impinge::mesh::Mesh;
use impinge::pair::{Bias, Budget, First};
use impinge::world::{
    BodyPart, MethodKind, PairAnswer, PairChecker, PairMethod, PairQuery, PairTraits, PairWitness,
};

use super::box_tree::{BoxTest, BoxTree, LeafTest, Options, Query, Scratch, traverse};
use super::edges::{EdgePreChecks, Relaxed, after_pre_checks, by_vertices};
use super::{clipping, edges, perceptron, race};
use crate::methods::{
    PerMesh, are_hulls, are_meshes, by_boxes, corners, decided, hulls_of, meshes_of, of_surfaces,
    triangle_pairs,
};

/// [Box-trees](super::box_tree), by clipping box edges, with pairs of triangles at the leaves
/// (section 3.6). Ignores budgets.
pub const BOX_TREE: MethodKind =
    MethodKind::new("box-tree", || Box::new(BoxTrees::new(BoxTest::Clipping, LeafTest::Triangles)));

/// As [`BOX_TREE`], with axis-aligned boxes instead of clipping (section 3.6.4).
pub const BOX_TREE_ALIGNED: MethodKind = MethodKind::new("box-tree-aligned", || {
    Box::new(BoxTrees::new(BoxTest::AxisAligned, LeafTest::Triangles))
});

/// As [`BOX_TREE`], with edges against polygons at the leaves, as published.
pub const BOX_TREE_EDGES: MethodKind = MethodKind::new("box-tree-edges", || {
    Box::new(BoxTrees::new(BoxTest::Clipping, LeafTest::Edges))
});

/// Every [edge](super::edges) of each mesh against the polygons of the other (section 3.2). Ignores
/// budgets.
pub const EDGES: MethodKind =
    MethodKind::new("edges", || Box::new(EdgesAgainstFaces { mode: Mode::Exact }));

/// As [`EDGES`], ended after the pre-checks: biased towards "collision" (section 3.2.1).
pub const EDGES_PRE_CHECKS: MethodKind =
    MethodKind::new("edges-pre-checks", || Box::new(EdgesAgainstFaces { mode: Mode::PreChecks }));

/// As [`EDGES`], with polygons collected by their vertices: biased towards "no collision" (section
/// 3.2.1).
pub const EDGES_BY_VERTICES: MethodKind =
    MethodKind::new("edges-by-vertices", || Box::new(EdgesAgainstFaces { mode: Mode::ByVertices }));

/// Edges of hulls [clipped](super::clipping) at half-spaces (section 3.4.1).
pub const CLIPPING: MethodKind = MethodKind::new("clipping", || Box::new(Clipping));

/// A plane between hulls by the [perceptron rule](super::perceptron) (section 3.4.2): biased
/// towards "collision" if it reaches its limit.
pub const PERCEPTRON: MethodKind =
    MethodKind::new("perceptron", || Box::new(Perceptron::default()));

/// Clipping and the perceptron rule in a [race] on one thread (section 6.5). Ignores
/// budgets.
pub const RACE: MethodKind = MethodKind::new("race", || Box::new(Race::default()));

/// The methods of this module.
pub const METHODS: &[MethodKind] = &[
    BOX_TREE,
    BOX_TREE_ALIGNED,
    BOX_TREE_EDGES,
    EDGES,
    EDGES_PRE_CHECKS,
    EDGES_BY_VERTICES,
    CLIPPING,
    PERCEPTRON,
    RACE,
];

#[derive(Debug)]
struct BoxTrees {
    boxes: BoxTest,
    leaves: LeafTest,
    /// `None` for a mesh of too many triangles.
    trees: PerMesh<Option<BoxTree>>,
}

impl BoxTrees {
    fn new(boxes: BoxTest, leaves: LeafTest) -> Self {
        Self { boxes, leaves, trees: PerMesh::default() }
    }

    fn tree(&self, mesh: &Arc<Mesh>) -> Arc<Option<BoxTree>> {
        self.trees.get(mesh, |mesh| BoxTree::build(mesh, &Options::DEEP).ok())
    }
}

impl PairMethod for BoxTrees {
    fn applies(&self, pair: &PairTraits) -> bool {
        are_meshes(pair)
    }

    fn bias(&self) -> Option<Bias> {
        None
    }

    fn nanoseconds(&self, pair: &PairTraits) -> f64 {
        let doubling = match self.boxes {
            BoxTest::Clipping => cost::CLIPPED_TREES_DOUBLING,
            BoxTest::AxisAligned => cost::ALIGNED_TREES_DOUBLING,
        };
        cost::TREES + doubling * triangle_pairs(pair).log2()
    }

    fn checker(&self, a: &BodyPart, b: &BodyPart) -> Box<dyn PairChecker> {
        let (a, b) = meshes_of(a, b);
        let trees = [self.tree(a), self.tree(b)];
        let (boxes, leaves) = (self.boxes, self.leaves);
        Box::new(BoxTreeChecker { trees, boxes, leaves, scratch: Scratch::default() })
    }
}

#[derive(Debug)]
struct BoxTreeChecker {
    trees: [Arc<Option<BoxTree>>; 2],
    boxes: BoxTest,
    leaves: LeafTest,
    scratch: Scratch,
}

impl PairChecker for BoxTreeChecker {
    fn check(&mut self, pair: &PairQuery<'_>, _: &mut Budget<'_>) -> PairAnswer {
        let [Some(own), Some(its)] = self.trees.each_ref().map(|tree| tree.as_ref().as_ref())
        else {
            return by_boxes(pair);
        };
        let (a, b) = meshes_of(pair.a, pair.b);
        let query = Query::new((a, own), (b, its), pair.pose)
            .expect("the trees are those of the meshes")
            .boxes(self.boxes)
            .leaves(self.leaves);
        let mut first = First::default();
        traverse(&query, &mut self.scratch, &mut first);
        of_surfaces(pair, first.pair)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Exact,
    PreChecks,
    ByVertices,
}

#[derive(Clone, Copy, Debug)]
struct EdgesAgainstFaces {
    mode: Mode,
}

impl PairMethod for EdgesAgainstFaces {
    fn applies(&self, pair: &PairTraits) -> bool {
        are_meshes(pair)
    }

    fn bias(&self) -> Option<Bias> {
        match self.mode {
            Mode::Exact => None,
            Mode::PreChecks => Some(Bias::TowardsCollision),
            Mode::ByVertices => Some(Bias::TowardsNoCollision),
        }
    }

    fn nanoseconds(&self, pair: &PairTraits) -> f64 {
        let count = |triangles: Option<usize>| triangles.unwrap_or(0) as f64;
        let triangles = count(pair.a.triangles) + count(pair.b.triangles);
        // Edges near the other mesh, with the polygons collected near it.
        cost::EDGES + cost::EDGES_TRIANGLE * triangles + cost::EDGES_PAIR * triangle_pairs(pair)
    }

    fn checker(&self, _: &BodyPart, _: &BodyPart) -> Box<dyn PairChecker> {
        Box::new(*self)
    }
}

impl PairChecker for EdgesAgainstFaces {
    fn check(&mut self, pair: &PairQuery<'_>, _: &mut Budget<'_>) -> PairAnswer {
        let (a, b) = meshes_of(pair.a, pair.b);
        let (here, there) = (Posed::new(a, &Pose::IDENTITY), Posed::new(b, pair.pose));
        let relaxed = match self.mode {
            Mode::Exact => {
                let mut first = First::default();
                edges::traverse(&here, &there, &EdgePreChecks::COLLECT, &mut first);
                return of_surfaces(pair, first.pair);
            }
            Mode::PreChecks => after_pre_checks(&here, &there),
            Mode::ByVertices => by_vertices(&here, &there),
        };
        of_relaxed(pair, &relaxed)
    }
}

/// If a relaxed mode finds the surfaces separated, one solid may still be inside the other. This is
/// tested exactly.
fn of_relaxed(pair: &PairQuery<'_>, found: &Relaxed) -> PairAnswer {
    let certain = found.is_certain();
    if let Some((a, b)) = found.pair {
        let (triangle_a, triangle_b) = (Some(a), Some(b));
        let witness = certain.then_some(PairWitness { triangle_a, triangle_b, point: None });
        return PairAnswer::Intersecting { certain, witness };
    }
    match of_surfaces(pair, None) {
        PairAnswer::Separated { .. } => PairAnswer::Separated { certain },
        inside => inside,
    }
}

#[derive(Clone, Copy, Debug)]
struct Clipping;

impl PairMethod for Clipping {
    fn applies(&self, pair: &PairTraits) -> bool {
        are_hulls(pair)
    }

    fn bias(&self) -> Option<Bias> {
        None
    }

    fn nanoseconds(&self, pair: &PairTraits) -> f64 {
        cost::CLIPPING + cost::CLIPPING_CORNER * corners(pair)
    }

    fn checker(&self, _: &BodyPart, _: &BodyPart) -> Box<dyn PairChecker> {
        Box::new(*self)
    }
}

impl PairChecker for Clipping {
    fn check(&mut self, pair: &PairQuery<'_>, budget: &mut Budget<'_>) -> PairAnswer {
        let (a, b) = hulls_of(pair.a, pair.b);
        let mut clipping =
            clipping::Clipping::new(a, b, pair.pose, clipping::ClippingPreChecks::COLLECT);
        while budget.step() {
            if let Some(output) = clipping.step() {
                let point = output.witness.map(|inside| {
                    let [u, v] = inside.edge;
                    let [begin, end] = inside.interval;
                    u + (v - u) * (0.5 * (begin + end))
                });
                return match output.meet {
                    true => PairAnswer::Intersecting {
                        certain: true,
                        witness: point
                            .map(|p| PairWitness { point: Some(p), ..PairWitness::default() }),
                    },
                    false => PairAnswer::Separated { certain: true },
                };
            }
        }
        by_boxes(pair)
    }
}

/// The method, and the checker of a pair with the plane of the last frame.
#[derive(Clone, Copy, Debug, Default)]
struct Perceptron {
    cache: perceptron::PerceptronCache,
}

impl PairMethod for Perceptron {
    fn applies(&self, pair: &PairTraits) -> bool {
        are_hulls(pair)
    }

    fn bias(&self) -> Option<Bias> {
        Some(Bias::TowardsCollision)
    }

    fn nanoseconds(&self, pair: &PairTraits) -> f64 {
        cost::PERCEPTRON + cost::PERCEPTRON_CORNER * corners(pair)
    }

    fn checker(&self, _: &BodyPart, _: &BodyPart) -> Box<dyn PairChecker> {
        Box::new(Self::default())
    }
}

impl PairChecker for Perceptron {
    fn check(&mut self, pair: &PairQuery<'_>, budget: &mut Budget<'_>) -> PairAnswer {
        let (a, b) = hulls_of(pair.a, pair.b);
        let options = perceptron::Options::THESIS;
        let mut search = perceptron::Perceptron::new(a, b, pair.pose, options, &self.cache);
        while budget.step() {
            if let Some(output) = search.step() {
                search.store_plane(&mut self.cache);
                let certain = output.is_certain();
                return match output.collision {
                    true => PairAnswer::Intersecting { certain, witness: None },
                    false => PairAnswer::Separated { certain },
                };
            }
        }
        search.store_plane(&mut self.cache);
        by_boxes(pair)
    }
}

/// The method, and the checker of a pair with the plane of the last frame.
#[derive(Clone, Copy, Debug, Default)]
struct Race {
    cache: perceptron::PerceptronCache,
}

impl PairMethod for Race {
    fn applies(&self, pair: &PairTraits) -> bool {
        are_hulls(pair)
    }

    fn bias(&self) -> Option<Bias> {
        None
    }

    fn nanoseconds(&self, pair: &PairTraits) -> f64 {
        cost::CLIPPING + (cost::CLIPPING_CORNER + cost::PERCEPTRON_CORNER) * corners(pair)
    }

    fn checker(&self, _: &BodyPart, _: &BodyPart) -> Box<dyn PairChecker> {
        Box::new(Self::default())
    }
}

impl PairChecker for Race {
    fn check(&mut self, pair: &PairQuery<'_>, _: &mut Budget<'_>) -> PairAnswer {
        let (a, b) = hulls_of(pair.a, pair.b);
        let options = perceptron::Options::THESIS;
        let mut planes = perceptron::Perceptron::new(a, b, pair.pose, options, &self.cache);
        let mut clipping =
            clipping::Clipping::new(a, b, pair.pose, clipping::ClippingPreChecks::COLLECT);
        let outcome = race::interleaved(&mut clipping, &mut planes, (2, 1));
        planes.store_plane(&mut self.cache);
        // Clipping always has a verdict.
        outcome.meet.map_or_else(|| by_boxes(pair), decided)
    }
}

/// Costs in nanoseconds, measured by `methods_cost` in `tests/world_methods.rs`: bodies that pass
/// each other, from frame to frame.
mod cost {
    /// Two box-trees, and the increase for each doubling of the product of their triangle counts.
    pub(super) const TREES: f64 = 500.0;
    pub(super) const CLIPPED_TREES_DOUBLING: f64 = 250.0;
    pub(super) const ALIGNED_TREES_DOUBLING: f64 = 150.0;
    /// Edges against faces; the cost per triangle, and per pair of triangles.
    pub(super) const EDGES: f64 = 500.0;
    pub(super) const EDGES_TRIANGLE: f64 = 20.0;
    pub(super) const EDGES_PAIR: f64 = 0.5;
    /// Clipping, and the cost per corner of the two hulls.
    pub(super) const CLIPPING: f64 = 500.0;
    pub(super) const CLIPPING_CORNER: f64 = 60.0;
    /// The perceptron rule, and the cost per corner.
    pub(super) const PERCEPTRON: f64 = 200.0;
    pub(super) const PERCEPTRON_CORNER: f64 = 10.0;
}
