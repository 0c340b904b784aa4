//! BV-trees as methods of a [`World`](impinge::World).

use std::sync::Arc;

use impinge::Verdict;
use impinge::mesh::Mesh;
use impinge::pair::{Bias, Budget, First};
use impinge::world::{
    BodyPart, MethodKind, PairAnswer, PairChecker, PairMethod, PairQuery, PairTraits,
};

use super::bv_tree::{BuildOptions, BvQuery, BvTree, Front, Scratch};
use super::volume::{Dop6, Dop14, Dop18, Dop26, OrientedBox, Sphere, Volume};
use crate::methods::{PerMesh, are_meshes, meshes_of, of_surfaces, triangle_pairs};

/// Trees of 6-DOPs: axis-aligned boxes.
pub const DOP_6: MethodKind = MethodKind::new("6-dop", || Box::new(BvTrees::<Dop6>::new(160.0)));

/// Trees of 14-DOPs.
pub const DOP_14: MethodKind = MethodKind::new("14-dop", || Box::new(BvTrees::<Dop14>::new(160.0)));

/// Trees of 18-DOPs, the paper's best.
pub const DOP_18: MethodKind = MethodKind::new("18-dop", || Box::new(BvTrees::<Dop18>::new(160.0)));

/// Trees of 26-DOPs.
pub const DOP_26: MethodKind = MethodKind::new("26-dop", || Box::new(BvTrees::<Dop26>::new(200.0)));

/// Trees of oriented boxes.
pub const ORIENTED_BOXES: MethodKind =
    MethodKind::new("oriented-boxes", || Box::new(BvTrees::<OrientedBox>::new(200.0)));

/// Trees of spheres.
pub const SPHERES: MethodKind =
    MethodKind::new("spheres", || Box::new(BvTrees::<Sphere>::new(200.0)));

/// The methods of this module. All start from the front of the last frame (section 6.1), and keep
/// to a budget (section 5.2.3).
pub const METHODS: &[MethodKind] = &[DOP_6, DOP_14, DOP_18, DOP_26, ORIENTED_BOXES, SPHERES];

#[derive(Debug)]
struct BvTrees<V> {
    /// Nanoseconds for each doubling of the product of the numbers of triangles.
    doubling: f64,
    at_rest: PerMesh<BvTree<V>>,
    flying: PerMesh<BvTree<V>>,
}

impl<V: Volume> BvTrees<V> {
    fn new(doubling: f64) -> Self {
        Self { doubling, at_rest: PerMesh::default(), flying: PerMesh::default() }
    }
}

impl<V: Volume> PairMethod for BvTrees<V> {
    fn applies(&self, pair: &PairTraits) -> bool {
        are_meshes(pair)
    }

    fn bias(&self) -> Option<Bias> {
        None
    }

    fn nanoseconds(&self, pair: &PairTraits) -> f64 {
        300.0 + self.doubling * triangle_pairs(pair).log2()
    }

    fn checker(&self, a: &BodyPart, b: &BodyPart) -> Box<dyn PairChecker> {
        let build = |options: BuildOptions| move |mesh: &Mesh| BvTree::build(mesh, &options);
        let (a, b) = meshes_of(a, b);
        Box::new(BvChecker::<V> {
            a: self.at_rest.get(a, build(BuildOptions::environment())),
            b: self.flying.get(b, build(BuildOptions::flying())),
            front: Front::new(),
            scratch: Scratch::default(),
        })
    }
}

#[derive(Debug)]
struct BvChecker<V: Volume> {
    a: Arc<BvTree<V>>,
    b: Arc<BvTree<V>>,
    front: Front,
    scratch: Scratch<V>,
}

impl<V: Volume> PairChecker for BvChecker<V> {
    fn check(&mut self, pair: &PairQuery<'_>, budget: &mut Budget<'_>) -> PairAnswer {
        let (a, b) = meshes_of(pair.a, pair.b);
        let scratch = std::mem::take(&mut self.scratch);
        let mut query = BvQuery::with_scratch((a, &self.a), (b, &self.b), scratch)
            .expect("the trees are those of the meshes");
        let answer = if budget.is_unlimited() {
            let mut first = First::default();
            query.coherent(pair.pose, &mut self.front, &mut first);
            of_surfaces(pair, first.pair)
        } else {
            match query.within(pair.pose, budget) {
                Verdict::Intersecting(triangles) => of_surfaces(pair, Some(triangles)),
                Verdict::Separated(_) => of_surfaces(pair, None),
                Verdict::Undecided(bounds) => PairAnswer::Undecided(bounds),
            }
        };
        self.scratch = query.into_scratch();
        answer
    }
}
