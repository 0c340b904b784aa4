//! Many bodies that move a little, in a world with a budget and in one without.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::Result;
use impinge::convex::{Cuboid, Sphere};
use impinge::internals::Random;
use impinge::pair::Budget;
use impinge::world::{Body, Geometry, Handle, World};
use impinge::{Pose, Shape, Vec3, shapes};

/// The distance of neighbouring bodies at the start, whose boxes have sides of about 1.
const SPACING: f64 = 1.5;
/// How far a body moves from its place at most, along each axis.
const REACH: f64 = 0.4;
/// How far a body moves in a frame at most, along each axis.
const STEP: f64 = 0.1;

type Pairs = BTreeSet<(Handle, Handle)>;

/// The bodies, their places, and an exact twin.
pub(super) struct Scene {
    pub(super) world: World,
    exact: World,
    bodies: Vec<Handle>,
    /// The first place and the place now.
    places: Vec<[Vec3; 2]>,
    turns: Vec<[f64; 4]>,
    random: Random,
}

/// What a comparison with the exact twin has found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Compared {
    /// Pairs that meet, or are reported to meet.
    pub(super) pairs: u64,
    /// Pairs among these whose state is wrong although they are not undecided.
    pub(super) wrong: u64,
}

impl Scene {
    /// Half of the bodies are balls, a quarter boxes, a quarter rings of 288 triangles.
    pub(super) fn new(count: usize, seed: u64) -> Result<Self> {
        let ring = Arc::new(shapes::torus(0.35, 0.15, 24, 12)?);
        let forms: [Geometry; 4] = [
            Sphere::new(0.5)?.into(),
            Cuboid::new([0.9, 0.7, 0.8])?.into(),
            Sphere::new(0.45)?.into(),
            Shape::from(ring).into(),
        ];
        let mut random = Random::new(seed);
        let (mut world, mut exact) = (World::new(), World::new());
        world.reserve(count, 4 * count);
        let side = (count as f64).cbrt().ceil() as usize;
        let (mut bodies, mut places, mut turns) = (Vec::new(), Vec::new(), Vec::new());
        for n in 0..count {
            let cell = [n % side, n / side % side, n / (side * side)];
            let place = Vec3::from_array(cell.map(|k| SPACING * k as f64));
            let turn = [(); 4].map(|()| random.signed());
            let pose = Pose::from_quaternion(turn, place)?;
            let body = Body::new(forms[random.index(forms.len())].clone()).at(pose);
            bodies.push(world.add(body.clone())?);
            exact.add(body)?;
            places.push([place; 2]);
            turns.push(turn);
        }
        world.prepare();
        Ok(Self { world, exact, bodies, places, turns, random })
    }

    pub(super) fn count(&self) -> usize {
        self.bodies.len()
    }

    /// Moves this number of bodies, chosen at random.
    pub(super) fn step(&mut self, moved: usize) -> Result<()> {
        for _ in 0..moved {
            let n = self.random.index(self.bodies.len());
            let [first, now] = &mut self.places[n];
            let limit = Vec3::splat(REACH);
            let next = *now + self.random.in_cube() * STEP;
            *now = next.clamp(*first - limit, *first + limit);
            let pose = Pose::from_quaternion(self.turns[n], *now)?;
            // Both have the same handles: none is removed.
            self.world.move_to(self.bodies[n], pose)?;
            self.exact.move_to(self.bodies[n], pose)?;
        }
        Ok(())
    }

    /// Updates until nothing is undecided.
    pub(super) fn settle(&mut self) {
        while !self.world.update_within(&mut Budget::steps(1 << 32)).is_complete() {}
    }

    /// Compares all states with those of the exact twin.
    pub(super) fn compare(&mut self) -> Compared {
        self.exact.update();
        let truth = meeting(&self.exact);
        let found = meeting(&self.world);
        let open: BTreeSet<Handle> = self.world.not_compared().collect();
        let undecided: Pairs = self.world.undecided().map(|pair| (pair.a, pair.b)).collect();
        let is_open = |pair: &&(Handle, Handle)| {
            open.contains(&pair.0) || open.contains(&pair.1) || undecided.contains(pair)
        };
        let wrong = truth.symmetric_difference(&found).filter(|pair| !is_open(pair)).count();
        Compared { pairs: truth.union(&found).count() as u64, wrong: wrong as u64 }
    }
}

fn meeting(world: &World) -> Pairs {
    world.collisions().into_iter().map(|pair| (pair.a, pair.b)).collect()
}
