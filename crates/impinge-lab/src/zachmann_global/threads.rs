//! Section 6.6: coarse-grained parallelism, many pairs at once, and medium-grained, two processors
//! on one pair.

use std::time::Instant;

use anyhow::{Result, ensure};
use impinge::broad::PhaseKind;
use impinge::pair::{intersecting_pairs, par_intersecting_pairs};

use super::Arguments;
use super::exact_checks::{Scene, mixed_objects, tetrahedra};
use crate::boxes::follow::with_threads;
use crate::capacity::Capacity;
use crate::growth::{approach, torus};
use crate::report::{Progress, Report, Table, count, short};
use impinge::internals::Random;
use impinge_chart::{Axis, Chart, Mark};

/// The number of progress steps.
pub(super) const STEPS: usize = 4 + SIZES.len();

/// Triangles of each of two meshes; the thesis' objects had 42, 132 and 442 polygons.
const SIZES: [(usize, &str); 5] =
    [(42, "1.15"), (132, "1.73"), (442, "1.76; box-trees 1.83"), (10_000, ""), (100_000, "")];

pub(super) fn report(
    arguments: &Arguments,
    progress: &mut Progress,
    report: &mut Report,
) -> Result<()> {
    coarse(arguments, progress, report)?;
    medium(arguments, progress, report)
}

fn coarse(arguments: &Arguments, progress: &mut Progress, report: &mut Report) -> Result<()> {
    let max_threads = arguments.threads.max(1);
    report.heading("Section 6.6, coarse grain: many pairs at once");
    report.paragraph(
        "Whole frames of a `World`, microseconds; in brackets the speed-up over one thread.",
    );
    let (frames, seed) = (arguments.frames / 2, arguments.seed);
    let scenes: [(&str, Result<Scene>); 4] = [
        ("10 objects of 50 to 750 polygons", mixed_objects(10, 3.0, 750, frames, seed)),
        ("100 objects of 50 to 750 polygons", mixed_objects(100, 5.0, 750, frames / 2, seed)),
        ("100 tetrahedra", tetrahedra(100, 5.0, frames, seed)),
        ("2000 tetrahedra", tetrahedra(2000, 13.6, frames / 10, seed)),
    ];
    let headings =
        (1..=max_threads).map(|n| format!("{n} {}", if n == 1 { "thread" } else { "threads" }));
    let mut table = Table::new(
        std::iter::once("scene".to_owned()).chain(headings).chain(["pairs a frame".to_owned()]),
    );
    let mut chart = Chart::new(
        "Many pairs at once",
        Axis::linear("threads"),
        Axis::linear("speed-up over one thread"),
    )
    .caption("Whole frames; the thesis' Figure 6.3.");
    let mut gains = Vec::new();
    let before = Capacity::measure(max_threads);
    for (name, scene) in scenes {
        progress.step(name);
        let scene = scene?;
        let (mut cells, mut points, mut single) = (vec![name.to_owned()], Vec::new(), None);
        let mut pairs = 0.0;
        for threads in 1..=max_threads {
            let timed = with_threads(threads, || {
                scene.time(PhaseKind::NEIGHBOURS, None, arguments.passes)
            })??;
            let gain = *single.get_or_insert(timed.0) / timed.0;
            ensure!(threads == 1 || timed.1 == pairs, "{threads} threads check other pairs");
            pairs = timed.1;
            cells.push(format!("{} ({gain:.2})", short(timed.0)));
            points.push((threads as f64, gain));
        }
        gains.push(points.last().map_or(1.0, |p| p.1));
        cells.push(short(pairs));
        table.row(&cells);
        chart = chart.series(name, Mark::LineAndDots, points);
    }
    chart = chart.series(
        "ideal",
        Mark::Guide,
        (1..=max_threads).map(|n| (n as f64, n as f64)).collect(),
    );
    report.table(&table);
    report.paragraph(&format!(
        "**Thesis:** the gain is smallest for 100 tetrahedra, whose checks are short compared with the sequential update of the grid. **Ours:** with {max_threads} threads {} for ten large objects, {} for a hundred, {} for 100 tetrahedra and {} for 2000. {}",
        short(gains[0]),
        short(gains[1]),
        short(gains[2]),
        short(gains[3]),
        before.min(Capacity::measure(max_threads)).sentence(),
    ));
    report.figure(
        "coarse",
        "Speed-up by checking many pairs at once over the number of threads",
        &chart,
    )
}

fn medium(arguments: &Arguments, progress: &mut Progress, report: &mut Report) -> Result<()> {
    let threads = arguments.threads.max(2);
    report.heading("Section 6.6, medium grain: one pair by several threads");
    report.paragraph(&format!(
        "All pairs of triangles of two bumpy tori in deep contact, microseconds a query, with one thread and with {threads}. The thesis runs the edges of P against Q and those of Q against P on two processors; here the traversal of two trees is cut into parts that are distributed dynamically."
    ));
    let mut table = Table::new([
        "triangles",
        "one thread, \u{3bc}s",
        "threads, \u{3bc}s",
        "gain",
        "thesis: gain",
    ]);
    let mut gains = Vec::new();
    let before = Capacity::measure(threads);
    let sizes = if arguments.common.quick { &SIZES[..2] } else { &SIZES[..] };
    for &(triangles, thesis) in sizes {
        progress.step(&format!("one pair of {triangles} triangles"));
        let (a, b) = (torus(triangles)?, torus(triangles)?);
        let mut random = Random::new(arguments.seed);
        let poses = (0..10)
            .map(|_| Ok(approach(&a, &b, &mut random)?[2]))
            .collect::<Result<Vec<impinge::Pose>>>()?;
        let run = |is_parallel: bool| {
            let mut best = vec![f64::INFINITY; poses.len()];
            let mut found = 0;
            for _ in 0..3 * arguments.passes.max(1) {
                found = 0;
                for (pose, best) in poses.iter().zip(&mut best) {
                    let start = Instant::now();
                    let pairs = if is_parallel {
                        par_intersecting_pairs(&a, &b, pose)
                    } else {
                        intersecting_pairs(&a, &b, pose)
                    };
                    *best = best.min(start.elapsed().as_secs_f64() * 1e6);
                    found += pairs.len();
                }
            }
            (best.iter().sum::<f64>() / best.len() as f64, found)
        };
        let (single, pairs) = run(false);
        let (parallel_us, same) = with_threads(threads, || run(true))?;
        ensure!(pairs == same, "{threads} threads find other pairs than one");
        gains.push(single / parallel_us);
        table.row([
            format!("2 \u{d7} {}", count(a.triangles().len() as u64)),
            short(single),
            short(parallel_us),
            format!("{:.2}", single / parallel_us),
            thesis.to_owned(),
        ]);
    }
    report.table(&table);
    report.paragraph(&format!(
        "**Thesis:** 1.15 to 1.83 times as fast on two processors, more for larger objects. **Ours:** {} to {} on {threads} threads. {}",
        short(gains.iter().copied().fold(f64::INFINITY, f64::min)),
        short(gains.iter().copied().fold(0.0, f64::max)),
        before.min(Capacity::measure(threads)).sentence(),
    ));
    Ok(())
}
