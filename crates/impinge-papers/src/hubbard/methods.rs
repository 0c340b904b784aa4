//! The pairwise methods of the paper, as methods of a [`World`](impinge::World).

use std::sync::Arc;

use impinge::Verdict;
use impinge::mesh::Mesh;
use impinge::pair::{Bias, Budget};
use impinge::world::{
    BodyPart, MethodKind, PairAnswer, PairChecker, PairMethod, PairQuery, PairTraits, PairWitness,
};

use super::bsp::{BspEvidence, BspOptions, BspQuery, BspTree, Question, Scratch};
use crate::methods::{PerMesh, are_meshes, meshes_of, of_surfaces};

/// [BSP trees](super::bsp), the method that the paper compares with: the triangles of the second
/// mesh are inserted into the tree of the first. Keeps to a budget, and starts anew in every frame.
pub const BSP_TREE: MethodKind = MethodKind::new("bsp-tree", || Box::<BspTrees>::default());

/// The methods of this module.
pub const METHODS: &[MethodKind] = &[BSP_TREE];

#[derive(Debug, Default)]
struct BspTrees {
    trees: PerMesh<BspTree>,
}

impl PairMethod for BspTrees {
    fn applies(&self, pair: &PairTraits) -> bool {
        are_meshes(pair)
    }

    fn bias(&self) -> Option<Bias> {
        None
    }

    fn nanoseconds(&self, pair: &PairTraits) -> f64 {
        let count = |triangles: Option<usize>| triangles.unwrap_or(1).max(1) as f64;
        300.0 + NANOSECONDS_PER_VISIT * count(pair.b.triangles) * count(pair.a.triangles).sqrt()
    }

    fn checker(&self, a: &BodyPart, b: &BodyPart) -> Box<dyn PairChecker> {
        let build = |mesh: &Mesh| BspTree::build(mesh, &BspOptions::default());
        let tree = self.trees.get(meshes_of(a, b).0, build);
        Box::new(BspChecker { tree, scratch: Scratch::default() })
    }
}

/// Nanoseconds for a piece at a plane.
const NANOSECONDS_PER_VISIT: f64 = 12.0;

#[derive(Debug)]
struct BspChecker {
    tree: Arc<BspTree>,
    scratch: Scratch,
}

impl PairChecker for BspChecker {
    fn check(&mut self, pair: &PairQuery<'_>, budget: &mut Budget<'_>) -> PairAnswer {
        let (a, b) = meshes_of(pair.a, pair.b);
        let scratch = std::mem::take(&mut self.scratch);
        let mut query = BspQuery::with_scratch((a, &self.tree), b, scratch)
            .expect("the tree is that of the mesh");
        // Closed meshes may also be surfaces: then nothing is inside.
        let solids = [pair.a, pair.b].map(|part| part.shape().kind().is_solid());
        let question = if solids == [true; 2] { Question::Solids } else { Question::Surfaces };
        let verdict = query.within(pair.pose, question, budget);
        self.scratch = query.into_scratch();
        match verdict {
            Verdict::Separated(()) if question == Question::Surfaces => of_surfaces(pair, None),
            Verdict::Separated(()) => PairAnswer::Separated { certain: true },
            Verdict::Intersecting(BspEvidence::Triangles(a, b)) => of_surfaces(pair, Some((a, b))),
            Verdict::Intersecting(BspEvidence::Inside(point)) => {
                let witness = PairWitness { point: Some(point), ..PairWitness::default() };
                PairAnswer::Intersecting { certain: true, witness: Some(witness) }
            }
            Verdict::Undecided(bounds) => PairAnswer::Undecided(bounds),
        }
    }
}
