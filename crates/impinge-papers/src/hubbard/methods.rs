//! The pairwise methods of the paper, as methods of a [`World`](impinge::World).

use std::sync::Arc;

use impinge::mesh::Mesh;
use impinge::pair::{Bias, Budget};
use impinge::spheres::SphereTree;
use impinge::world::{
    BodyPart, MethodKind, PairAnswer, PairChecker, PairMethod, PairQuery, PairTraits, PairWitness,
};
use impinge::{Bounds, Verdict};

use super::bsp::{BspEvidence, BspOptions, BspQuery, BspTree, Question, Scratch};
use super::narrow::{self, NarrowQuery};
use super::spheres::{SphereOptions, medial};
use crate::methods::{PerMesh, are_meshes, meshes_of, of_surfaces};

/// [BSP trees](super::bsp), the method that the paper compares with: the triangles of the second
/// mesh are inserted into the tree of the first. Keeps to a budget, and starts anew in every frame.
pub const BSP_TREE: MethodKind = MethodKind::new("bsp-tree", || Box::<BspTrees>::default());

/// [Sphere-trees](super::spheres) of the medial axis with [`LEVELS`] levels, by the interruptible
/// [narrow phase](super::narrow), from where the last frame ended. Keeps to a budget; its bounds
/// are those of the last complete level. Trees are built when the first pair of a mesh is compared,
/// which takes seconds for meshes of thousands of triangles.
pub const SPHERE_TREE: MethodKind =
    MethodKind::new("sphere-tree", || Box::<SphereTrees>::default());

/// The methods of this module.
pub const METHODS: &[MethodKind] = &[BSP_TREE, SPHERE_TREE];

/// Levels of the trees of [`SPHERE_TREE`], up to 512 balls.
pub const LEVELS: usize = 3;

/// Meshes with more triangles are not approximated in a world, because building takes too long.
const MAX_TRIANGLES: usize = 20_000;

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

#[derive(Debug, Default)]
struct SphereTrees {
    /// `None` for a mesh without triangles.
    trees: PerMesh<Option<SphereTree>>,
}

impl PairMethod for SphereTrees {
    fn applies(&self, pair: &PairTraits) -> bool {
        [pair.a, pair.b].iter().all(|side| side.triangles.is_some_and(|n| n <= MAX_TRIANGLES))
    }

    fn bias(&self) -> Option<Bias> {
        None
    }

    fn nanoseconds(&self, _: &PairTraits) -> f64 {
        // Hardly depends on the number of triangles.
        4000.0
    }

    fn checker(&self, a: &BodyPart, b: &BodyPart) -> Box<dyn PairChecker> {
        let options = SphereOptions::default().levels(LEVELS);
        let (a, b) = meshes_of(a, b);
        let trees = [a, b].map(|mesh| self.trees.get(mesh, |mesh| medial(mesh, &options).ok()));
        Box::new(SphereChecker { trees, scratch: narrow::Scratch::default() })
    }
}

#[derive(Debug)]
struct SphereChecker {
    trees: [Arc<Option<SphereTree>>; 2],
    scratch: narrow::Scratch,
}

impl PairChecker for SphereChecker {
    fn check(&mut self, pair: &PairQuery<'_>, budget: &mut Budget<'_>) -> PairAnswer {
        let [Some(own), Some(its)] = self.trees.each_ref().map(|tree| tree.as_ref().as_ref())
        else {
            // A mesh without triangles.
            return PairAnswer::Separated { certain: true };
        };
        let (a, b) = meshes_of(pair.a, pair.b);
        let scratch = std::mem::take(&mut self.scratch);
        let mut query = NarrowQuery::with_scratch((a, own), (b, its), scratch);
        let verdict = query.coherent(pair.pose, budget);
        self.scratch = query.into_scratch();
        match verdict {
            Verdict::Separated(_) => of_surfaces(pair, None),
            Verdict::Intersecting(triangles) => of_surfaces(pair, Some(triangles)),
            Verdict::Undecided(answer) => {
                let [a, b] = pair.boxes();
                let bounds = Bounds::of_boxes(&a, &b);
                PairAnswer::Undecided(Bounds {
                    upper: bounds.upper.min(answer.gap),
                    open: answer.pairs,
                    ..bounds
                })
            }
        }
    }
}
