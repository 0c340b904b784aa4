//! Cost of exactness in the triangle test: the exact test compared with the same algorithm in plain
//! `f64`.
//!
//! All pairs have overlapping boxes, since a box test comes first in every application. They are
//! generated in advance, far more than a branch predictor can learn, and processed in blocks that
//! fit the cache. Each block is read once, then both tests run over it; which of them runs first
//! alternates. The reported ratio is the median over the blocks.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use impinge::exact::triangles_intersect;
use impinge::internals::exact::{FilterStats, triangles_intersect_counted};
use impinge::{Aabb, Vec3};

use crate::common::Common;
use crate::plain;
use crate::report::{Progress, Report};
use impinge::internals::Random;

type Triangle = [Vec3; 3];
type Pair = (Triangle, Triangle);

/// Arguments of `impinge-lab triangles`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Pairs of each kind.
    #[arg(long, default_value_t = 200_000)]
    pairs: usize,
    /// Passes over all pairs.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Only the kinds whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
}

/// Pairs per timed block: 144 bytes each.
const PAIRS_PER_BLOCK: usize = 1000;

/// A kind of pairs: its name and its generator.
type Kind = (&'static str, fn(usize, &mut Random) -> Vec<Pair>);

/// The kinds of pairs measured.
const KINDS: &[Kind] = &[
    ("random, same size", |n, r| random_pairs(n, 1.0, r)),
    ("random, sizes 1 : 10", |n, r| random_pairs(n, 0.1, r)),
    ("random, sizes 1 : 100", |n, r| random_pairs(n, 0.01, r)),
    ("two bumpy spheres", bumpy_spheres),
    ("the same, 1e6 from the origin", |n, r| far_away(bumpy_spheres(n, r))),
    ("integer grid (stress)", integer_grid),
];

pub(crate) fn run(mut arguments: Arguments) -> anyhow::Result<()> {
    arguments
        .common
        .limit([(&mut arguments.pairs, 2 * PAIRS_PER_BLOCK), (&mut arguments.rounds, 1)]);
    anyhow::ensure!(
        arguments.pairs >= PAIRS_PER_BLOCK,
        "--pairs must be at least {PAIRS_PER_BLOCK}"
    );
    anyhow::ensure!(arguments.rounds >= 1, "--rounds must be at least 1");
    let mut progress = Progress::new(KINDS.len());
    let title = "Cost of exactness in the triangle test";
    let mut report = Report::new(&arguments.common.out, "triangles", title);
    writeln!(
        report,
        "| pairs with overlapping boxes | intersect | plain ns | exact ns | ratio | filter | adaptive | integer | plain wrong |"
    )?;
    writeln!(report, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
    for (name, make) in KINDS.iter().filter(|(name, _)| name.contains(&arguments.only)) {
        progress.step(name);
        let pairs = make(arguments.pairs, &mut Random::new(1));
        row(name, &pairs, arguments.rounds, &mut report)?;
    }
    println!("{}", report.finish()?.display());
    Ok(())
}

/// Measures one kind of pairs and writes its row.
fn row(name: &str, pairs: &[Pair], rounds: usize, report: &mut Report) -> anyhow::Result<()> {
    let (mut ratios, mut plain_times, mut exact_times) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        for (i, block) in pairs.chunks_exact(PAIRS_PER_BLOCK).enumerate() {
            load_into_cache(block);
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
    let nanoseconds = 1e9 / PAIRS_PER_BLOCK as f64;
    let percent = |n: u64| 100.0 * n as f64 / stats.total() as f64;
    writeln!(
        report,
        "| {name} | {:.1} % | {:.1} | {:.1} | {:.3} | {:.4} % | {:.4} % | {:.4} % | {wrong} |",
        100.0 * meet as f64 / pairs.len() as f64,
        median(&mut plain_times) * nanoseconds,
        median(&mut exact_times) * nanoseconds,
        median(&mut ratios),
        percent(stats.filter),
        percent(stats.adaptive),
        percent(stats.integer),
    )?;
    Ok(())
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
fn load_into_cache(block: &[Pair]) {
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
        let triangle = |random: &mut Random| [(); 3].map(|()| random.in_cube());
        let (a, b) = (triangle(random), triangle(random));
        let center = random.in_cube() * (1.0 + ratio);
        let pair = (a, b.map(|v| v * ratio + center));
        if boxes_overlap(&pair) {
            pairs.push(if random.signed() < 0.0 { pair } else { (pair.1, pair.0) });
        }
    }
    pairs
}

/// Triangles of a sphere with random bumps.
fn bumpy_sphere(center: Vec3, rings: usize, random: &mut Random) -> Vec<Triangle> {
    let bumps: Vec<(Vec3, f64)> =
        (0..12).map(|_| (random.in_cube() * 6.0, random.signed())).collect();
    let rotation = random.in_cube();
    let vertex = |i: usize, j: usize| {
        let (latitude, longitude) = (
            (i as f64 / rings as f64) * std::f64::consts::PI,
            (j % (2 * rings)) as f64 / rings as f64 * std::f64::consts::PI + rotation.x,
        );
        let v = Vec3::new(
            latitude.sin() * longitude.cos(),
            latitude.sin() * longitude.sin(),
            latitude.cos(),
        );
        let height: f64 = bumps.iter().map(|(k, phase)| 0.02 * (k.dot(v) + phase).sin()).sum();
        // Rotated, so that the rings of two spheres are not parallel.
        let v = v * (1.0 + height);
        let axis = rotation.normalize();
        center
            + v * rotation.y.cos()
            + axis.cross(v) * rotation.y.sin()
            + axis * (axis.dot(v) * (1.0 - rotation.y.cos()))
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

/// The pairs of triangles with overlapping boxes of two penetrating meshes, in random order.
fn bumpy_spheres(count: usize, random: &mut Random) -> Vec<Pair> {
    let mut pairs = Vec::with_capacity(count);
    while pairs.len() < count {
        let a = bumpy_sphere(Vec3::ZERO, 48, random);
        let b = bumpy_sphere(random.in_cube() * 0.3, 40, random);
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

/// Corners from a small grid of integers: many determinants are zero, and only the exact stages can
/// decide them.
fn integer_grid(count: usize, random: &mut Random) -> Vec<Pair> {
    let mut pairs = Vec::with_capacity(count);
    while pairs.len() < count {
        let mut triangle = || [(); 3].map(|()| (random.in_cube() * 4.0).round());
        let pair = (triangle(), triangle());
        if boxes_overlap(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}
