//! Every broad phase against a plain comparison of all boxes at the limits of single precision:
//! very large and very small coordinates, infinite faces, boxes that touch exactly or miss by one
//! step of `f32`, motion by one step, common motion, and bodies that are added and removed.

use std::collections::BTreeSet;

use impinge::broad::{BoxF32, BroadPhase, Changes, FrameInput, Moved, Neighbours, Pair};
use impinge::convex::Sphere;
use impinge::world::{Body, World, WorldOptions};
use impinge::{Aabb, Pose, Vec3};
use impinge_oracles::common::Random;
use impinge_papers::klosowski::dynamic_tree::{DynamicTree, DynamicTreeOptions};
use impinge_papers::zachmann::broad::{
    BROAD_PHASES, Grid, GridOptions, Octree, OctreeOptions, SlabOctree, SlabOctreeOptions, Slabs,
};

const SCALES: [f64; 16] = [
    5e-324, 1e-310, 1e-45, 3e-43, 1e-38, 1e-30, 1e-20, 1.0, 1e20, 9.9e29, 1.1e30, 1e31, 1e38, 3e38,
    1e39, 1e61,
];

/// A random box, usually on a lattice of the given scale, so that many boxes touch exactly.
fn place(random: &mut Random, scale: f64, far: f64) -> BoxF32 {
    let mut low = [0.0; 3];
    let mut high = [0.0; 3];
    let unit = if random.below(6) == 0 { SCALES[random.below(SCALES.len())] } else { scale };
    for k in 0..3 {
        let at = random.below(7) as f64 - 3.0;
        let side = [0.0, 1.0, 1.0, 2.0][random.below(4)];
        let jitter = if random.below(4) == 0 { random.unit() } else { 0.0 };
        low[k] = (at + jitter) * unit + far;
        high[k] = low[k] + side * unit;
    }
    let mut bounds = BoxF32::from(Aabb { min: Vec3::from(low), max: Vec3::from(high) });
    match random.below(24) {
        0 => bounds.min[random.below(3)] = f32::NEG_INFINITY,
        1 => bounds.max[random.below(3)] = f32::INFINITY,
        2 => bounds = BoxF32 { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] },
        3 => bounds.min[0] = bounds.max[0],
        // A box at infinity.
        4 => (bounds.min[1], bounds.max[1]) = (f32::INFINITY, f32::INFINITY),
        5 => (bounds.min[2], bounds.max[2]) = (f32::NEG_INFINITY, f32::NEG_INFINITY),
        _ => {}
    }
    bounds
}

/// Moves a box by one step of `f32` up or down.
fn move_one_step(bounds: &mut BoxF32, axis: usize, up: bool) {
    let next_up = |x: f32| match x {
        _ if x.is_nan() || x == f32::INFINITY => x,
        _ if x == 0.0 => f32::from_bits(1),
        _ if x > 0.0 => f32::from_bits(x.to_bits() + 1),
        _ => f32::from_bits(x.to_bits() - 1),
    };
    let step = |x: f32| if up { next_up(x) } else { -next_up(-x) };
    bounds.min[axis] = step(bounds.min[axis]);
    bounds.max[axis] = step(bounds.max[axis]);
}

/// The pairs that overlap, by six comparisons of `f64` for each pair.
fn expected(bounds: &[BoxF32]) -> BTreeSet<Pair> {
    let there = |b: &BoxF32| (0..3).all(|k| f64::from(b.min[k]) <= f64::from(b.max[k]));
    let meet = |a: &BoxF32, b: &BoxF32| {
        (0..3).all(|k| {
            f64::from(a.min[k]) <= f64::from(b.max[k]) && f64::from(b.min[k]) <= f64::from(a.max[k])
        })
    };
    let mut pairs = BTreeSet::new();
    for i in 0..bounds.len() {
        for j in i + 1..bounds.len() {
            if there(&bounds[i]) && there(&bounds[j]) && meet(&bounds[i], &bounds[j]) {
                pairs.insert(Pair::new(i as u32, j as u32));
            }
        }
    }
    pairs
}

/// A broad phase under test, and the pairs that follow from its reports so far.
struct Tested {
    phase: Box<dyn BroadPhase>,
    name: String,
    pairs: BTreeSet<Pair>,
}

impl Tested {
    fn follow(&mut self, frame: &FrameInput<'_>, known: &BTreeSet<Pair>, place: &str) {
        let mut changes = Changes::default();
        self.phase.update_unlimited(frame, &mut changes);
        for pair in &changes.ended {
            assert!(self.pairs.remove(pair), "{}: {place}: {pair:?} ended twice", self.name);
        }
        for pair in &changes.began {
            assert!(self.pairs.insert(*pair), "{}: {place}: {pair:?} began twice", self.name);
        }
        assert_eq!(&self.pairs, known, "{}: {place}", self.name);
        let mut listed = Vec::new();
        self.phase.pairs(&mut listed);
        assert_eq!(&listed.into_iter().collect::<BTreeSet<_>>(), known, "{}: {place}", self.name);
    }
}

fn phases(far: f64, scale: f64) -> Vec<Tested> {
    let cage = Aabb { min: Vec3::splat(far - 3.0 * scale), max: Vec3::splat(far + 3.0 * scale) };
    let mut made: Vec<(String, Box<dyn BroadPhase>)> =
        BROAD_PHASES.iter().map(|choice| (choice.to_string(), choice.make())).collect();
    made.push(("grid in a cage".into(), Box::new(Grid::with(GridOptions::fixed(cage, 9)))));
    made.push(("octree in a cage".into(), Box::new(Octree::with(OctreeOptions::fixed(cage, 3)))));
    let slabs = SlabOctreeOptions::fixed(cage, 1, Slabs::TwentySix);
    made.push(("slabs in a cage".into(), Box::new(SlabOctree::with(slabs))));
    let wide = DynamicTreeOptions::default().margin(f32::MAX).rebuild(0.0);
    made.push(("wide tree".into(), Box::new(DynamicTree::with(wide))));
    made.into_iter().map(|(name, phase)| Tested { phase, name, pairs: BTreeSet::new() }).collect()
}

/// Boxes, most of them of one scale, at one distance from the origin, through frames with every
/// kind of change.
#[test]
fn every_broad_phase_is_correct_at_every_scale() {
    let mut random = Random::new(1);
    let (mut touching, mut parted, mut infinite, mut beyond) = (0, 0, 0, 0);
    for scale in SCALES {
        for far in [0.0, scale * 1e5, -1e60, 2e30] {
            let count = 26;
            let mut bounds: Vec<BoxF32> =
                (0..count).map(|_| place(&mut random, scale, far)).collect();
            let mut tested = phases(far, scale);
            let mut before = BTreeSet::new();
            let mut moved: Vec<u32> = (0..count as u32).collect();
            for frame in 0..14 {
                let known = expected(&bounds);
                parted += before.difference(&known).count();
                for pair in &known {
                    let [a, b] = [pair.a, pair.b].map(|i| &bounds[i as usize]);
                    touching += usize::from((0..3).any(|k| a.max[k] == b.min[k]));
                }
                infinite +=
                    bounds.iter().filter(|b| b.min[0].is_infinite() && !b.is_empty()).count();
                beyond += bounds.iter().filter(|b| b.min[0] > 1e30 && !b.is_empty()).count();
                let moves = if frame % 5 == 2 { Moved::All } else { Moved::Only(&moved) };
                let view = FrameInput { bounds: &bounds, oriented: None, moved: moves };
                for phase in &mut tested {
                    phase.follow(&view, &known, &format!("scale {scale:e} at {far:e}, {frame}"));
                }
                before = known;
                moved.clear();
                let changes = [1, 3, bounds.len()][random.below(3)];
                for _ in 0..changes {
                    let item = random.below(bounds.len());
                    match random.below(8) {
                        0 => bounds[item] = BoxF32::EMPTY,
                        1 | 2 => bounds[item] = place(&mut random, scale, far),
                        _ => {
                            let (axis, up) = (random.below(3), random.below(2) == 0);
                            move_one_step(&mut bounds[item], axis, up);
                        }
                    }
                    moved.push(item as u32);
                }
                match random.below(6) {
                    0 => {
                        bounds.push(place(&mut random, scale, far));
                        moved.push(bounds.len() as u32 - 1);
                    }
                    1 => {
                        bounds.pop();
                        moved.push(bounds.len() as u32);
                    }
                    _ => {}
                }
            }
        }
    }
    let seen = [touching, parted, infinite, beyond];
    assert!(seen.iter().all(|n| *n > 1000), "{seen:?}");
}

/// Boxes that move together, so that they form a group, by steps up to the largest of `f32`, among
/// others that are at rest or infinite.
#[test]
fn common_motion_is_followed_to_the_limits_of_single_precision() {
    let mut random = Random::new(2);
    let (mut in_group, mut met) = (0, 0);
    for scale in [1e-44_f32, 1e-38, 1.0, 1e29, 3e30, 1e36, 5e37] {
        for start in [-3.4e38_f32, -3.0 * scale, 1e5 * scale.min(1e33)] {
            for step in [3.0 * scale, 40.0 * scale, 1e38_f32.min(1e4 * scale), 1.5e38] {
                let mut phase = Tested {
                    phase: Box::new(Neighbours::new()),
                    name: "neighbours".into(),
                    pairs: BTreeSet::new(),
                };
                let mut direct = Neighbours::new();
                let (mut began, mut at) = (Changes::default(), start);
                let offsets: Vec<[f32; 3]> =
                    (0..60).map(|_| [0; 3].map(|_| (random.unit() * 9.0) as f32 * scale)).collect();
                for frame in 0..16 {
                    let mut bounds: Vec<BoxF32> = offsets
                        .iter()
                        .enumerate()
                        .map(|(n, o)| {
                            let x = if n % 6 == 0 { start + 30.0 * scale } else { at };
                            let min = [o[0] + x, o[1], o[2]];
                            BoxF32 { min, max: min.map(|m| m + scale) }
                        })
                        .collect();
                    bounds[0].max[0] = f32::INFINITY;
                    bounds[1].min[0] = f32::NEG_INFINITY;
                    bounds[2] = BoxF32 { min: [f32::MAX; 3], max: [f32::INFINITY; 3] };
                    let far = f32::MAX - 100.0 * scale.min(1e36);
                    bounds[3] = BoxF32 { min: [far, 0.0, 0.0], max: [f32::MAX; 3] };
                    let known = expected(&bounds);
                    met += known.len();
                    let view = FrameInput { bounds: &bounds, oriented: None, moved: Moved::All };
                    let place = format!("scale {scale:e} from {start:e} by {step:e}, {frame}");
                    phase.follow(&view, &known, &place);
                    direct.update_unlimited(&view, &mut began);
                    in_group += direct.stats().in_group;
                    at = if frame == 11 { start } else { at + step };
                }
            }
        }
    }
    assert!(in_group > 5000 && met > 10_000, "{in_group} in the group, {met} met");
}

/// The smallest case of an earlier panic: one ball beyond 1e30.
#[test]
fn a_ball_beyond_1e30_does_not_panic() {
    for choice in BROAD_PHASES {
        for far in [1.1e30, 1e31, 1e38, 1e39, 9.9e59] {
            let options = WorldOptions::default().phase(*choice);
            let mut world = World::with_options(options);
            let ball = Sphere::new(1.0).unwrap();
            let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
            let a = world.add(Body::new(ball).at(at(far))).unwrap();
            world.update();
            let b = world.add(Body::new(ball).at(at(far))).unwrap();
            let c = world.add(Body::new(ball).at(at(-far))).unwrap();
            world.update();
            assert!(world.meet(a, b).unwrap() && !world.meet(a, c).unwrap(), "{choice}, {far:e}");
            world.move_to(b, at(1.0)).unwrap();
            assert_eq!(world.update().ended().count(), 1, "{choice}, {far:e}");
            world.remove(a).unwrap();
            world.update();
        }
    }
}
