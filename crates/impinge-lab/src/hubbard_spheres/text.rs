//! The report: tables beside the paper's figures, charts, and sentences that the numbers decide.

use std::path::PathBuf;

use anyhow::Result;
use impinge_chart::{Axis, Chart, Mark};

use super::cases::{Coherence, Means, Measured};
use super::frames::{FrameTimes, Run};
use super::graded::Misses;
use super::{Arguments, LEVELS, Subjects, paper};
use crate::report::{Report, Table, count, short};

pub(super) fn report(
    arguments: &Arguments,
    subjects: &Subjects,
    measured: &Measured,
    coherence: &Coherence,
    runs: &[Run; 2],
    graded: &[Misses],
) -> Result<PathBuf> {
    let title = "Sphere-trees and BSP trees: Figures 13 to 17 of Hubbard 1995";
    let mut report = Report::new(&arguments.common.out, "hubbard-spheres", title);
    report.paragraph(&format!(
        "{} ships shaped like a lamp of {} triangles fly with random controls; one follows a script. Cases are the {} pairs and frames in which the bounding cubes of two ships overlap. One thread; each time is the fastest of three passes. \
         BSP trees insert the faces of one lamp into the tree of the other. Sphere-trees are those of the medial axis, stopped after a level; level 5 compares triangles exactly. The exact tree is that of `impinge::first_hit`, asked whether the surfaces meet.",
        arguments.ships,
        count(subjects.lamp.triangles().len() as u64),
        count(measured.all[0].count)
    ));
    report.paragraph(&agreement(measured));
    trees(&mut report, subjects);
    report.heading("Figure 13: all cases that reached a level");
    report.table(&speedups(&measured.all, &paper::ALL));
    report.heading("Figure 14: cases that intersect at a level");
    report.table(&speedups(&measured.intersecting, &paper::INTERSECTING));
    chart_of_speedups(&mut report, measured)?;
    for sentence in verdicts(measured) {
        report.paragraph(&sentence);
    }
    chart_of_counts(&mut report, measured)?;
    bounds(&mut report, measured)?;
    cohere(&mut report, coherence);
    report.heading("Figures 16 and 17: whole frames");
    report.paragraph(FRAMES_NOTE);
    whole_frames(&mut report, &runs[0], "frames-published")?;
    whole_frames(&mut report, &runs[1], "frames")?;
    super::graded::report(&mut report, graded)?;
    report.finish()
}

fn agreement(measured: &Measured) -> String {
    format!(
        "All three methods gave the same verdict in every case{}.",
        match measured.contained {
            0 => String::new(),
            n => format!(
                ", except {} in which one lamp is inside the other: BSP trees compare solids, the others surfaces",
                count(n)
            ),
        }
    )
}

fn trees(report: &mut Report, subjects: &Subjects) {
    report.heading("The trees");
    let levels = (1..=LEVELS).map(|level| format!("level {level}: balls, reach"));
    let headings = ["builder".to_owned()].into_iter().chain(levels);
    let mut table = Table::new(headings.chain(["CPU seconds".to_owned()]));
    for built in &subjects.trees {
        let mut cells = vec![built.name.to_owned()];
        for (level, reaches) in built.reaches.iter().enumerate() {
            let most = reaches.iter().copied().fold(0.0, f64::max) / subjects.radius;
            cells.push(format!("{}, {}", count(built.tree.level(level).len() as u64), short(most)));
        }
        cells.resize(LEVELS + 1, String::new());
        cells.push(short(built.seconds));
        table.row(&cells);
    }
    report.table(&table);
    let stats = subjects.bsp.stats();
    report.paragraph(&format!(
        "*Reach*: a certified upper bound of the largest distance of a ball's points from the lamp, in radii of its bounding sphere. Every level is proven to cover the surface. The BSP tree, built for fewest cuts, has {} planes, {} cuts and a depth of {}; it took {} s.",
        count(stats.nodes as u64),
        count(stats.cuts as u64),
        count(stats.depth as u64),
        short(subjects.bsp_seconds)
    ));
}

fn speedups(means: &[Means; LEVELS + 1], paper: &[(u64, f64); LEVELS + 1]) -> Table {
    let mut table = Table::new([
        "level",
        "cases, paper",
        "cases",
        "speedup over BSP, paper",
        "speedup over BSP",
        "exact tree over BSP",
        "speedup over the exact tree",
        "\u{3bc}s: spheres",
        "BSP",
        "exact tree",
    ]);
    for (level, (ours, (cases, speedup))) in means.iter().zip(paper).enumerate() {
        let name = if level == LEVELS { "5 (exact)".to_owned() } else { (level + 1).to_string() };
        let mut cells = vec![name, count(*cases), count(ours.count), short(*speedup)];
        if ours.count > 0 {
            let times = ours.times();
            cells.push(short(ours.speedup()));
            cells.push(short(times[1] / times[2]));
            cells.push(short(ours.speedup_over_exact()));
            cells.extend(times.map(|ns| short(ns / 1000.0)));
        }
        table.row(&cells);
    }
    table
}

/// The points of a series over the levels that have cases.
fn points(means: &[Means], value: impl Fn(&Means) -> f64) -> Vec<(f64, f64)> {
    let some = means.iter().enumerate().filter(|(_, m)| m.count > 0);
    some.map(|(level, m)| (level as f64 + 1.0, value(m))).collect()
}

fn numbered(values: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
    values.enumerate().map(|(level, value)| (level as f64 + 1.0, value)).collect()
}

fn chart_of_speedups(report: &mut Report, measured: &Measured) -> Result<()> {
    let exact = |m: &Means| {
        let [_, bsp, exact] = m.times();
        bsp / exact
    };
    let panel = |chart: Chart, means: &[Means], paper: &[(u64, f64)]| {
        chart
            .series("sphere-trees, here", Mark::LineAndDots, points(means, Means::speedup))
            .series("sphere-trees, paper", Mark::LineAndDots, numbered(paper.iter().map(|p| p.1)))
            .series("our exact tree, here", Mark::LineAndDots, points(means, exact))
    };
    let chart = Chart::new(
        "Speedup over BSP trees by level",
        Axis::linear("all cases that reached the level (Figure 13)"),
        Axis::log("mean speedup"),
    );
    let chart = panel(chart, &measured.all, &paper::ALL);
    let chart = chart.panel(
        Axis::linear("cases that intersect at the level (Figure 14)"),
        Axis::log("mean speedup"),
    );
    let chart = panel(chart, &measured.intersecting, &paper::INTERSECTING).caption(
        "The exact tree always decides completely; its speedup over BSP trees is that on the same cases. Level 5 is exact for sphere-trees too.",
    );
    report.figure(
        "speedups",
        "Speedup of sphere-trees and of the exact tree over BSP trees",
        &chart,
    )
}

fn chart_of_counts(report: &mut Report, measured: &Measured) -> Result<()> {
    let share = |total: u64| move |n: u64| 100.0 * n as f64 / total.max(1) as f64;
    let (ours, theirs) = (share(measured.all[0].count), share(paper::ALL[0].0));
    let chart =
        Chart::new("Cases that reach a level", Axis::linear("level"), Axis::log("% of all cases"))
            .series("here", Mark::LineAndDots, points(&measured.all, |m| ours(m.count)))
            .series("paper", Mark::LineAndDots, numbered(paper::ALL.iter().map(|p| theirs(p.0))))
            .caption(
                "The paper's cases come from its own flights, so only the shape can be compared.",
            );
    report.figure("cases", "Share of the cases that reach each level", &chart)
}

/// Sentences that compare the times of the methods, level by level.
fn verdicts(measured: &Measured) -> Vec<String> {
    let mut sentences = Vec::new();
    for (name, means, paper) in [
        ("All cases", &measured.all, &paper::ALL),
        ("Intersecting cases", &measured.intersecting, &paper::INTERSECTING),
    ] {
        let compared: Vec<(usize, f64, f64)> = (0..=LEVELS)
            .filter(|level| means[*level].count > 0)
            .map(|level| (level + 1, means[level].speedup(), paper[level].1))
            .collect();
        let falls = compared.windows(2).all(|w| w[0].1 > w[1].1);
        let within = compared.iter().filter(|(_, o, p)| *o > p / 3.0 && *o < p * 3.0).count();
        sentences.push(format!(
            "{name}: the speedup of sphere-trees over BSP trees {} with every level, {} in the paper; it is within a factor of three of the paper's at {within} of {} levels.",
            if falls { "falls" } else { "does not fall" },
            if falls { "as" } else { "which it does" },
            compared.len()
        ));
        let faster: Vec<String> = (0..=LEVELS)
            .filter(|l| means[*l].count > 0 && means[*l].times()[0] < means[*l].times()[2])
            .map(|l| (l + 1).to_string())
            .collect();
        sentences.push(match faster.as_slice() {
            [] => format!(
                "{name}: stopping sphere-trees is at no level faster than deciding exactly with our tree."
            ),
            levels => format!(
                "{name}: stopping sphere-trees takes less time on average than deciding exactly with our tree at level {}, and more at the others.",
                levels.join(", ")
            ),
        });
    }
    sentences.push(format!(
        "`impinge::intersects`, which also gives a certificate for every verdict, takes {} \u{3bc}s a case on average.",
        short(measured.certified / 1000.0)
    ));
    let [plain, culled] = measured.bsp;
    sentences.push(format!(
        "BSP trees take {} \u{3bc}s a case on average, {} \u{3bc}s without the faces outside the other lamp's box, which the published method does not leave out. {} pieces of faces are compared with planes in an average case.",
        short(plain / 1000.0),
        short(culled / 1000.0),
        short(measured.bsp_counts.visits as f64 / measured.all[0].count.max(1) as f64)
    ));
    sentences
}

fn bounds(report: &mut Report, measured: &Measured) -> Result<()> {
    report.heading("Figure 15: the bound of the separation of cases that intersect at a level");
    let mut table = Table::new(["level", "paper", "here", "mean distance"]);
    for level in 0..LEVELS {
        let means = &measured.intersecting[level];
        let mut cells = vec![(level + 1).to_string(), short(paper::BOUNDS[level])];
        if means.count > 0 {
            cells.extend([short(means.bound()), short(means.distance())]);
        }
        table.row(&cells);
    }
    report.table(&table);
    let means = &measured.intersecting[..LEVELS];
    let chart = Chart::new(
        "Bound of the separation",
        Axis::linear("level"),
        Axis::log("radii of the bounding sphere"),
    )
    .series("bound, here", Mark::LineAndDots, points(means, Means::bound))
    .series("bound, paper", Mark::LineAndDots, numbered(paper::BOUNDS.into_iter()))
    .series("mean distance, here", Mark::LineAndDots, points(means, Means::distance));
    report.figure("bounds", "Mean bound of the separation by level", &chart)?;
    let some: Vec<usize> = (0..LEVELS).filter(|l| means[*l].count > 0).collect();
    let tighter = some.iter().filter(|l| means[**l].bound() <= paper::BOUNDS[**l]).count();
    report.paragraph(&format!(
        "In radii of the lamp's bounding sphere. The bound is the smaller of the sum of the reaches of two balls that meet, and the largest distance of their points; it is certified, and was at least the distance in every case. It is at most the paper's at {tighter} of {} levels.",
        some.len()
    ));
    Ok(())
}

fn cohere(report: &mut Report, coherence: &Coherence) {
    report.heading("Starting where the last frame ended (section X)");
    let mut table = Table::new(["start", "pairs compared", "\u{3bc}s a query"]);
    for (i, name) in ["at the roots", "where the last frame ended"].into_iter().enumerate() {
        table.row([
            name.to_owned(),
            count(coherence.tests[i]),
            short(coherence.nanoseconds[i] / 1000.0),
        ]);
    }
    report.table(&table);
    let saved = 1.0 - coherence.tests[1] as f64 / coherence.tests[0].max(1) as f64;
    report.paragraph(&format!(
        "{} queries, {} of them decided by the two triangles that met in the frame before. Starting where the last frame ended {} {} % of the comparisons. With eight children of each ball, all pairs above the last ones are only a 64th.",
        count(coherence.queries),
        count(coherence.witnesses),
        if saved >= 0.0 { "saves" } else { "adds" },
        short(100.0 * saved.abs())
    ));
}

/// A time of a frame.
type Value = fn(&FrameTimes) -> f64;

/// The mean of a value, and its largest value.
fn mean_and_most(run: &Run, value: impl Fn(&FrameTimes) -> f64) -> (f64, f64) {
    let values = || run.frames.iter().map(&value);
    (values().sum::<f64>() / run.frames.len() as f64, values().fold(0.0, f64::max))
}

/// What the two runs have in common.
const FRAMES_NOTE: &str = "Turk's grid with BSP trees is the paper's first system; space-time bounds with sphere-trees that are interrupted the second. The bounds are those of `impinge::motion`, from the largest speed of a ship; a ship that jumps home is an early expiry. Every pair that meets was due in every frame. Sphere-trees compare all due pairs at one level before any at the next, and stop when the target is reached. Our exact tree stands behind both broad phases. *Detection* is the broad and the narrow phase, *other* moving the ships and the simulator's own response, *slack* what is left of the target; the narrow phases are the fastest of three passes.";

fn whole_frames(report: &mut Report, run: &Run, figure: &str) -> Result<()> {
    let (pairs, _) = mean_and_most(run, |f| f.pairs as f64);
    report.paragraph(&format!(
        "{} ships, {} frames, a target of {} ms ({}): {} pairs with overlapping bounding cubes in an average frame, and BSP trees take {} targets.",
        count(run.ships as u64),
        count(run.frames.len() as u64),
        short(run.target),
        if figure == "frames" {
            "ships were added until BSP trees took about 50 targets a frame in a trial"
        } else {
            "the paper's"
        },
        short(pairs),
        short(mean_and_most(run, |f| f.bsp).0 / run.target)
    ));
    let mut table = Table::new([
        "system",
        "detection, ms a frame",
        "largest",
        "other",
        "slack",
        "frames in time, %",
    ]);
    let systems: [(&str, Value); 4] = [
        ("Turk's grid, BSP trees", |f| f.bsp),
        ("space-time bounds, sphere-trees interrupted", |f| f.spheres),
        ("Turk's grid, our exact tree", |f| f.exact),
        ("space-time bounds, our exact tree", |f| f.exact_behind_bounds),
    ];
    let in_time = |value: Value| {
        let met = run.frames.iter().filter(|f| value(f) <= run.target).count();
        100.0 * met as f64 / run.frames.len() as f64
    };
    let (other, _) = mean_and_most(run, |f| f.other);
    for (name, value) in systems {
        let (mean, most) = mean_and_most(run, value);
        let (slack, _) = mean_and_most(run, |f| (run.target - value(f) - f.other).max(0.0));
        let cells = [short(mean), short(most), short(other), short(slack), short(in_time(value))];
        table.row([name.to_owned()].into_iter().chain(cells));
    }
    report.table(&table);
    let mut chart = Chart::new(
        format!("Time of every frame: {} ships", count(run.ships as u64)),
        Axis::linear("frame"),
        Axis::log("detection in milliseconds"),
    );
    for (name, value) in systems {
        chart = chart.series(name, Mark::Line, numbered(run.frames.iter().map(value)));
    }
    let ends = vec![(1.0, run.target), (run.frames.len() as f64, run.target)];
    let undecided = |f: &FrameTimes| 100.0 * f.undecided as f64 / f.pairs.max(1) as f64;
    let slack = |f: &FrameTimes| (run.target - f.spheres - f.other).max(0.0);
    let chart = chart
        .series("target", Mark::Guide, ends)
        .panel(Axis::linear("frame"), Axis::linear("ms, bounds and sphere-trees"))
        .series("detection", Mark::Line, numbered(run.frames.iter().map(|f| f.spheres)))
        .series("other", Mark::Line, numbered(run.frames.iter().map(|f| f.other)))
        .series("slack", Mark::Line, numbered(run.frames.iter().map(slack)))
        .panel(Axis::linear("frame"), Axis::linear("% of the pairs"))
        .series(
            "undecided by sphere-trees",
            Mark::Line,
            numbered(run.frames.iter().map(undecided)),
        );
    report.figure(figure, "Time of every frame", &chart)?;
    let (_, gain) = mean_and_most(run, |f| f.bsp / f.spheres);
    let (share, _) = mean_and_most(run, undecided);
    let (_, bound) = mean_and_most(run, |f| f.bound);
    let (own, _) = mean_and_most(run, |f| f.space_time);
    report.paragraph(&format!(
        "Space-time bounds with interrupted sphere-trees are up to {} times as fast as Turk's grid with BSP trees in a frame (paper: over 200 at some frames). They keep the target in {} % of the frames (paper: almost all), of which the bounds take {} ms, and leave {} % of the pairs undecided on average, at most {} radii apart by their bounds. No decided pair was wrong. {}",
        short(gain),
        short(in_time(systems[1].1)),
        short(own),
        short(share),
        short(bound),
        match in_time(systems[2].1) {
            all if all >= 100.0 => "Our exact tree behind Turk's grid decides all pairs within the target in every frame, so nothing has to be interrupted.".to_owned(),
            some => format!("Our exact tree behind Turk's grid decides all pairs within the target in {} % of the frames.", short(some)),
        }
    ));
    Ok(())
}
