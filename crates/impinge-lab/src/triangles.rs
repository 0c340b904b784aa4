//! What exactness costs in the triangle test: the exact test and the same one in plain floats, side
//! by side.
//!
//! All pairs have overlapping boxes, since a box test comes first in every application. They are
//! made ahead, far more than a branch predictor can learn by heart, and worked off in blocks that
//! fit the cache: each block is touched once, then both tests run over it, in turns first. The
//! ratio reported is the median over the blocks.

use std::hint::black_box;
use std::time::{Duration, Instant};

use impinge::exact::triangles_intersect;
use impinge::internals::exact::{FilterStats, triangles_intersect_counted};
use impinge::{Aabb, Vec3};

use crate::plain;
use crate::random::Random;

type Triangle = [Vec3; 3];
type Pair = (Triangle, Triangle);

/// Arguments of `impinge-lab triangles`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Pairs of each kind.
    #[arg(long, default_value_t = 200_000)]
    pairs: usize,
    /// How often all pairs are worked off.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Only the kinds whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
}

/// Pairs per timed block: 144 bytes each.
const BLOCK: usize = 1000;

/// A kind of pairs: its name and how to make them.
type Kind = (&'static str, fn(usize, &mut Random) -> Vec<Pair>);

const KINDS: &[Kind] = &[
    ("random, same size", |n, r| random_pairs(n, 1.0, r)),
    ("random, sizes 1 : 10", |n, r| random_pairs(n, 0.1, r)),
    ("random, sizes 1 : 100", |n, r| random_pairs(n, 0.01, r)),
    ("two bumpy spheres", bumpy_spheres),
    ("the same, 1e6 from the origin", |n, r| far_away(bumpy_spheres(n, r))),
    ("integer grid (stress)", integer_grid),
];

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    anyhow::ensure!(arguments.pairs >= BLOCK, "--pairs must be at least {BLOCK}");
    anyhow::ensure!(arguments.rounds >= 1, "--rounds must be at least 1");
    println!(
        "| pairs with overlapping boxes | meet | plain ns | exact ns | ratio | filter | adaptive | integer | plain wrong |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, make) in KINDS.iter().filter(|(name, _)| name.contains(&arguments.only)) {
        let pairs = make(arguments.pairs, &mut Random::new(1));
        report(name, &pairs, arguments.rounds);
    }
    Ok(())
}

/// Measures one kind of pairs and prints its row.
fn report(name: &str, pairs: &[Pair], rounds: usize) {
    let (mut ratios, mut plain_times, mut exact_times) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        for (i, block) in pairs.chunks_exact(BLOCK).enumerate() {
            touch(block);
            let (plain, exact) = if (round + i) % 2 == 0 {
                let plain = time(|| count_plain(block));
                (plain, time(|| count_exact(block)))
            } else {
                let exact = time(|| count_exact(block));
                (time(|| count_plain(block)), exact)
            };
            ratios.push(exact.as_secs_f64() / plain.as_secs_f64());
            plain_times.push(plain.as_secs_f64());
            exact_times.push(exact.as_secs_f64());
        }
    }
    let mut stats = FilterStats::default();
    let (mut meet, mut wrong) = (0, 0);
    for (a, b) in pairs {
        let exact = triangles_intersect_counted(a, b, &mut stats);
        meet += usize::from(exact);
        wrong += usize::from(exact != plain::triangles_intersect(a, b));
    }
    let nanoseconds = 1e9 / BLOCK as f64;
    let percent = |n: u64| 100.0 * n as f64 / stats.total() as f64;
    println!(
        "| {name} | {:.1} % | {:.1} | {:.1} | {:.3} | {:.4} % | {:.4} % | {:.4} % | {wrong} |",
        100.0 * meet as f64 / pairs.len() as f64,
        median(&mut plain_times) * nanoseconds,
        median(&mut exact_times) * nanoseconds,
        median(&mut ratios),
        percent(stats.filter),
        percent(stats.adaptive),
        percent(stats.integer),
    );
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Brings a block into the cache.
fn touch(block: &[Pair]) {
    black_box(block.iter().map(|(a, b)| a[0].x + a[2].z + b[1].y).sum::<f64>());
}

#[inline(never)]
fn count_plain(block: &[Pair]) -> usize {
    block.iter().filter(|(a, b)| plain::triangles_intersect(a, b)).count()
}

#[inline(never)]
fn count_exact(block: &[Pair]) -> usize {
    block.iter().filter(|(a, b)| triangles_intersect(a, b)).count()
}

fn boxes_overlap((a, b): &Pair) -> bool {
    Aabb::from_points(*a).overlaps(&Aabb::from_points(*b))
}

/// Random triangles, the second scaled by `ratio`, placed so that the boxes overlap.
fn random_pairs(count: usize, ratio: f64, random: &mut Random) -> Vec<Pair> {
    let mut pairs = Vec::with_capacity(count);
    while pairs.len() < count {
        let triangle = |random: &mut Random| [(); 3].map(|()| random.vector());
        let (a, b) = (triangle(random), triangle(random));
        let center = random.vector() * (1.0 + ratio);
        let pair = (a, b.map(|v| v * ratio + center));
        if boxes_overlap(&pair) {
            pairs.push(if random.unit() < 0.0 { pair } else { (pair.1, pair.0) });
        }
    }
    pairs
}

/// Triangles of a sphere with random bumps.
fn bumpy_sphere(center: Vec3, rings: usize, random: &mut Random) -> Vec<Triangle> {
    let bumps: Vec<(Vec3, f64)> = (0..12).map(|_| (random.vector() * 6.0, random.unit())).collect();
    let turn = random.vector();
    let vertex = |i: usize, j: usize| {
        let (latitude, longitude) = (
            (i as f64 / rings as f64) * std::f64::consts::PI,
            (j % (2 * rings)) as f64 / rings as f64 * std::f64::consts::PI + turn.x,
        );
        let v = Vec3::new(
            latitude.sin() * longitude.cos(),
            latitude.sin() * longitude.sin(),
            latitude.cos(),
        );
        let height: f64 = bumps.iter().map(|(k, phase)| 0.02 * (k.dot(v) + phase).sin()).sum();
        // Turned, so that the rings of two spheres are not parallel.
        let v = v * (1.0 + height);
        let axis = turn.normalize();
        center
            + v * turn.y.cos()
            + axis.cross(v) * turn.y.sin()
            + axis * (axis.dot(v) * (1.0 - turn.y.cos()))
    };
    let mut triangles = Vec::new();
    for i in 0..rings {
        for j in 0..2 * rings {
            let quad = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
            if i + 1 < rings {
                triangles.push([quad[0], quad[1], quad[2]]);
            }
            if i > 0 {
                triangles.push([quad[0], quad[2], quad[3]]);
            }
        }
    }
    triangles
}

/// The pairs of triangles with overlapping boxes of two meshes that penetrate each other, in random
/// order.
fn bumpy_spheres(count: usize, random: &mut Random) -> Vec<Pair> {
    let mut pairs = Vec::with_capacity(count);
    while pairs.len() < count {
        let a = bumpy_sphere(Vec3::ZERO, 48, random);
        let b = bumpy_sphere(random.vector() * 0.3, 40, random);
        let boxed = |t: &Triangle| (Aabb::from_points(*t), *t);
        let (a, b): (Vec<_>, Vec<_>) =
            (a.iter().map(boxed).collect(), b.iter().map(boxed).collect());
        for (box_a, t) in &a {
            pairs
                .extend(b.iter().filter(|(box_b, _)| box_a.overlaps(box_b)).map(|(_, u)| (*t, *u)));
        }
    }
    for i in (1..pairs.len()).rev() {
        pairs.swap(i, (random.bits() % (i as u64 + 1)) as usize);
    }
    pairs.truncate(count);
    pairs
}

/// The same pairs, a million units away.
fn far_away(pairs: Vec<Pair>) -> Vec<Pair> {
    let offset = Vec3::new(1.0e6, -0.7e6, 0.4e6);
    let shift = |t: Triangle| t.map(|v| v + offset);
    pairs.into_iter().map(|(a, b)| (shift(a), shift(b))).collect()
}

/// Corners from a small grid of integers: many zeros, where only the exact stages can decide.
fn integer_grid(count: usize, random: &mut Random) -> Vec<Pair> {
    let mut pairs = Vec::with_capacity(count);
    while pairs.len() < count {
        let mut triangle = || [(); 3].map(|()| (random.vector() * 4.0).round());
        let pair = (triangle(), triangle());
        if boxes_overlap(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}
