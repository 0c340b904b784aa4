//! Solids: the location of a point, and the check of a pair.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Result;
use impinge::check::{CheckOptions, PairSearch, check_pair, check_pair_within};
use impinge::internals::Random;
use impinge::pair::Budget;
use impinge::solid::{LocateSearch, locate, locate_within};
use impinge::{Mesh, Pose, Vec3, shapes};

use super::scene::{Query, Scene};

/// Two solids, and where B is put; points are located in A.
struct SolidScene {
    name: &'static str,
    a: Arc<Mesh>,
    b: Arc<Mesh>,
    placing: Placing,
    is_cold: bool,
}

/// Random places of B.
#[derive(Clone, Copy)]
enum Placing {
    /// Rotations, and translations of up to this length.
    Within(f64),
    /// Shifts of up to 0.4 in the plane of two faces, in units of `size`, from this place.
    FromOutside { at: [f64; 3], size: f64 },
    /// Turns about z by multiples of the angle between facets.
    Turned { facets: usize },
}

impl Placing {
    fn pose(self, random: &mut Random) -> Result<Pose> {
        Ok(match self {
            Self::Within(reach) => {
                let at = random.direction() * random.range(0.0, reach);
                Pose::from_quaternion(random.rotation().to_array(), at)?
            }
            Self::FromOutside { at: [x, y, z], size } => {
                let shift = Vec3::new(0.0, random.range(0.0, 0.4), random.range(0.0, 0.4));
                Pose::from_translation((Vec3::new(x, y, z) + shift) * size)?
            }
            Self::Turned { facets } => {
                let step = random.index(facets) as f64 / facets as f64;
                Pose::from_axis_angle([0.0, 0.0, 1.0], step * std::f64::consts::TAU)?
            }
        })
    }
}

/// The scenes at about this number of triangles of a mesh.
pub(super) fn scenes(triangles: usize) -> Result<Vec<Box<dyn Scene>>> {
    let root = |share: f64| (triangles as f64 / share).sqrt().ceil().max(2.0) as usize;
    let ball = |radius: f64| shapes::icosphere(radius, root(20.0)).map(Arc::new);
    let block = Arc::new(shapes::cuboid_grid([1.0, 1.0, 1.0], [root(12.0); 3])?);
    let facets = (triangles / 8).clamp(4, 4096);
    let plate = Arc::new(shapes::tube(3.0, 1.0, 2.0, facets)?);
    let bolt = Arc::new(shapes::cylinder(1.0, 4.0, facets)?);
    let scaled = |size: f64| block.scaled(size).map(Arc::new);
    // In two steps: the reciprocal of 2^-1040 is not finite.
    let denormal = 2.0_f64.powi(-520) * 2.0_f64.powi(-520);
    let (tiny, huge) = (scaled(denormal)?, scaled(1e50)?);
    let scene = |name, a: &Arc<Mesh>, b: &Arc<Mesh>, placing| {
        let (a, b, is_cold) = (Arc::clone(a), Arc::clone(b), false);
        SolidScene { name, a, b, placing, is_cold }
    };
    let cold = |scene: SolidScene| SolidScene { is_cold: true, ..scene };
    let on_face = |size| Placing::FromOutside { at: [1.0, 0.0, 0.0], size };
    let in_corner = |size| Placing::FromOutside { at: [0.5, 0.0, 0.0], size };
    let (unit, inner) = (ball(1.0)?, ball(0.5)?);
    let scenes = [
        scene("solids, nested", &unit, &inner, Placing::Within(0.2)),
        scene("solids, crossing", &unit, &unit, Placing::Within(1.5)),
        scene("solids, face on face", &block, &block, on_face(1.0)),
        scene("solids, coplanar faces, common space", &block, &block, in_corner(1.0)),
        scene("solids, the same", &block, &block, Placing::Within(0.0)),
        scene("solids, bolt in a hole", &plate, &bolt, Placing::Turned { facets }),
        scene("solids, coplanar, 2^-1040", &tiny, &tiny, in_corner(denormal)),
        scene("solids, coplanar, 1e50", &huge, &huge, in_corner(1e50)),
        scene("solids, 1e50 and 2^-1040", &huge, &tiny, in_corner(1e50)),
        cold(scene("solids, face on face, cold caches", &block, &block, on_face(1.0))),
    ];
    Ok(scenes.into_iter().map(|scene| Box::new(scene) as Box<dyn Scene>).collect())
}

impl Scene for SolidScene {
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
        let plain = CheckOptions::default();
        let check = |name, options| {
            let search = Box::default();
            Box::new(CheckQuery { scene: self, pose: Pose::IDENTITY, name, options, search })
                as Box<dyn Query>
        };
        let (point, search) = (Vec3::ZERO, LocateSearch::new());
        vec![
            Box::new(LocateQuery { scene: self, point, search }),
            check("check", plain),
            check("check, relation and distance", plain.relation_only(true).distance(true)),
        ]
    }
}

/// A point: inside, or on the surface of A.
struct LocateQuery<'s> {
    scene: &'s SolidScene,
    point: Vec3,
    search: LocateSearch,
}

impl Query for LocateQuery<'_> {
    fn name(&self) -> &'static str {
        "locate"
    }

    fn place(&mut self, random: &mut Random) -> Result<()> {
        let mesh = &self.scene.a;
        let [p, q, r] = mesh.triangle(random.index(mesh.triangles().len()));
        self.point = match random.index(3) {
            0 => p,
            1 => p * 0.5 + q * 0.5,
            _ => (p + q + r) * random.range(0.0, 0.3),
        };
        self.reset();
        Ok(())
    }

    fn reset(&mut self) {
        self.search.reset();
    }

    fn within(&mut self, budget: &mut Budget<'_>) -> bool {
        let found = locate_within(&self.scene.a, self.point, budget, &mut self.search);
        found.is_ok_and(|found| found.is_final())
    }

    fn unbudgeted(&self) {
        let _ = black_box(locate(&self.scene.a, self.point));
    }
}

struct CheckQuery<'s> {
    scene: &'s SolidScene,
    pose: Pose,
    name: &'static str,
    options: CheckOptions,
    search: Box<PairSearch>,
}

impl Query for CheckQuery<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn place(&mut self, random: &mut Random) -> Result<()> {
        self.pose = self.scene.placing.pose(random)?;
        self.reset();
        Ok(())
    }

    fn reset(&mut self) {
        self.search.reset();
    }

    fn within(&mut self, budget: &mut Budget<'_>) -> bool {
        let SolidScene { a, b, .. } = self.scene;
        check_pair_within(a, b, &self.pose, &self.options, budget, &mut self.search).is_final()
    }

    fn unbudgeted(&self) {
        let SolidScene { a, b, .. } = self.scene;
        black_box(check_pair(a, b, &self.pose, &self.options));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_is_decided_and_forgotten() {
        let mut random = Random::new(3);
        for scene in &scenes(200).unwrap() {
            scene.prepare();
            for mut query in scene.queries() {
                query.place(&mut random).unwrap();
                let mut budget = Budget::steps(1 << 40);
                assert!(query.within(&mut budget), "{} {}", scene.name(), query.name());
                query.reset();
                let mut again = Budget::steps(1 << 40);
                assert!(query.within(&mut again));
                assert_eq!(budget.spent(), again.spent(), "{} {}", scene.name(), query.name());
            }
        }
    }
}
