//! Two meshes: first hit, all pairs and distance.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Result;
use impinge::internals::Random;
use impinge::pair::{
    self, AllSearch, Budget, DistanceSearch, FirstSearch, all_pairs_within, distance_within,
    first_hit_within,
};
use impinge::{Mesh, Pose, Vec3, shapes};

use super::scene::{Query, Scene};

/// Two meshes, and where B is put.
struct MeshScene {
    name: &'static str,
    a: Arc<Mesh>,
    b: Arc<Mesh>,
    placing: Placing,
    is_cold: bool,
}

/// Random places of B.
#[derive(Clone, Copy)]
enum Placing {
    /// Rotations, and translations of a length between the two.
    Between(f64, f64),
    /// Shifts in the plane of two faces that coincide, in units of `size`.
    FaceOnFace { size: f64 },
}

impl Placing {
    fn pose(self, random: &mut Random) -> Result<Pose> {
        Ok(match self {
            Self::Between(least, most) => {
                let at = random.direction() * random.range(least, most);
                Pose::from_quaternion(random.rotation().to_array(), at)?
            }
            Self::FaceOnFace { size } => {
                let shift = Vec3::new(1.0, random.range(0.0, 0.4), random.range(0.0, 0.4));
                Pose::from_translation(shift * size)?
            }
        })
    }
}

/// The scenes at about this number of triangles of a mesh.
pub(super) fn scenes(triangles: usize) -> Result<Vec<Box<dyn Scene>>> {
    let root = |share: f64| (triangles as f64 / share).sqrt().ceil().max(2.0) as usize;
    let ball = |radius: f64| shapes::icosphere(radius, root(20.0)).map(Arc::new);
    let ring = Arc::new(shapes::torus(1.0, 0.4, 2 * root(4.0), root(4.0))?);
    let block = Arc::new(shapes::cuboid_grid([1.0, 1.0, 1.0], [root(12.0); 3])?);
    let (tiny, huge) = (Arc::new(block.scaled(1e-120)?), Arc::new(block.scaled(1e50)?));
    let (unit, inner, middle) = (ball(1.0)?, ball(0.985)?, ball(0.9)?);
    let scene = |name, a: &Arc<Mesh>, b: &Arc<Mesh>, placing| {
        let (a, b, is_cold) = (Arc::clone(a), Arc::clone(b), false);
        MeshScene { name, a, b, placing, is_cold }
    };
    let nested = Placing::Between(0.005, 0.01);
    let on_face = |size| Placing::FaceOnFace { size };
    let cold = |scene: MeshScene| MeshScene { is_cold: true, ..scene };
    let scenes = [
        scene("nested, nearly touching", &unit, &inner, nested),
        scene("shallow contact", &unit, &unit, Placing::Between(1.99, 1.9999)),
        scene("crossing", &ring, &ring, Placing::Between(0.75, 1.5)),
        scene("deep", &ring, &middle, Placing::Between(0.1, 0.5)),
        scene("apart", &ring, &middle, Placing::Between(2.4, 4.0)),
        scene("touching, coplanar", &block, &block, on_face(1.0)),
        scene("coplanar, 1e-120", &tiny, &tiny, on_face(1e-120)),
        scene("coplanar, 1e50", &huge, &huge, on_face(1e50)),
        cold(scene("nested, cold caches", &unit, &inner, nested)),
        cold(scene("crossing, cold caches", &ring, &ring, Placing::Between(0.75, 1.5))),
    ];
    Ok(scenes.into_iter().map(|scene| Box::new(scene) as Box<dyn Scene>).collect())
}

impl Scene for MeshScene {
    fn name(&self) -> &'static str {
        self.name
    }

    fn triangles(&self) -> usize {
        self.a.triangles().len() + self.b.triangles().len()
    }

    fn is_cold(&self) -> bool {
        self.is_cold
    }

    fn prepare(&self) {
        self.a.prepare();
        self.b.prepare();
    }

    fn queries(&self) -> Vec<Box<dyn Query + '_>> {
        let searches = [
            Search::First(Box::default()),
            Search::All(Box::default()),
            Search::Distance(Box::default()),
        ];
        let query = |search| MeshQuery { scene: self, pose: Pose::IDENTITY, search };
        searches.into_iter().map(|search| Box::new(query(search)) as Box<dyn Query>).collect()
    }
}

struct MeshQuery<'s> {
    scene: &'s MeshScene,
    pose: Pose,
    search: Search,
}

enum Search {
    First(Box<FirstSearch>),
    All(Box<AllSearch>),
    Distance(Box<DistanceSearch>),
}

impl Query for MeshQuery<'_> {
    fn name(&self) -> &'static str {
        match self.search {
            Search::First(_) => "first hit",
            Search::All(_) => "all pairs",
            Search::Distance(_) => "distance",
        }
    }

    fn place(&mut self, random: &mut Random) -> Result<()> {
        self.pose = self.scene.placing.pose(random)?;
        self.reset();
        Ok(())
    }

    fn reset(&mut self) {
        match &mut self.search {
            Search::First(search) => search.reset(),
            Search::All(search) => search.reset(),
            Search::Distance(search) => search.reset(),
        }
    }

    fn within(&mut self, budget: &mut Budget<'_>) -> bool {
        let (a, b, pose) = (&self.scene.a, &self.scene.b, &self.pose);
        match &mut self.search {
            Search::First(search) => !first_hit_within(a, b, pose, budget, search).is_undecided(),
            Search::All(search) => all_pairs_within(a, b, pose, budget, search).is_complete(),
            Search::Distance(search) => distance_within(a, b, pose, budget, search).is_final(),
        }
    }

    fn unbudgeted(&self) {
        let (a, b, pose) = (&self.scene.a, &self.scene.b, &self.pose);
        match self.search {
            Search::First(_) => {
                black_box(pair::first_hit(a, b, pose));
            }
            Search::All(_) => {
                // Stored, as a search within a budget does.
                let mut pairs = pair::Collect::default();
                pair::traverse(a, b, pose, &mut pairs);
                black_box(pairs.pairs.len());
            }
            Search::Distance(_) => {
                black_box(pair::distance(a, b, pose));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_is_decided_and_forgotten() {
        let mut random = Random::new(3);
        let scenes = scenes(200).unwrap();
        for scene in &scenes {
            scene.prepare();
            for mut query in scene.queries() {
                query.place(&mut random).unwrap();
                let mut budget = Budget::unlimited();
                assert!(query.within(&mut budget), "{} {}", scene.name(), query.name());
                query.reset();
                let mut again = Budget::unlimited();
                assert!(query.within(&mut again));
                assert_eq!(budget.spent(), again.spent(), "{} {}", scene.name(), query.name());
            }
        }
        let names: std::collections::BTreeSet<_> = scenes.iter().map(|s| s.name()).collect();
        assert_eq!(names.len(), scenes.len());
    }
}
