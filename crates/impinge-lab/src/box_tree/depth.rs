//! Figures 3.32 to 3.34: the time of a frame over the maximum depth, with boxes that may hold a
//! single polygon.

use anyhow::Result;
use impinge_papers::zachmann::box_tree::{BoxTree, Options, Scratch};
use impinge_samples::shapes::Model;

use super::bouncing_pair::bouncing_pair;
use super::{Arguments, Flight, Times, Traversal};
use crate::report::{Progress, Report, Table, count, short};
use impinge_chart::{Axis, Chart, Mark};

/// The numbers of polygons of each object.
const SIZES: [usize; 6] = [50, 100, 200, 500, 1000, 2000];

/// The maximum depths of the trees.
const DEPTHS: std::ops::RangeInclusive<usize> = 0..=16;

/// One object at several sizes and depths.
pub(super) struct Sweep {
    shape: Model,
    lines: Vec<Line>,
}

struct Line {
    polygons: usize,
    /// Microseconds per frame, by depth.
    us: Vec<f64>,
    hits: usize,
}

impl Line {
    fn best(&self) -> usize {
        (0..self.us.len()).min_by(|i, j| self.us[*i].total_cmp(&self.us[*j])).unwrap_or(0)
    }
}

fn sizes(arguments: &Arguments) -> impl Iterator<Item = usize> + '_ {
    SIZES.into_iter().filter(|n| *n <= arguments.max)
}

pub(super) fn steps(arguments: &Arguments) -> usize {
    sizes(arguments).count()
}

pub(super) fn sweep(shape: Model, arguments: &Arguments, progress: &mut Progress) -> Result<Sweep> {
    let mut lines = Vec::new();
    let mut scratch = Scratch::default();
    for n in sizes(arguments) {
        progress.step(&format!("depth: {}, {n} polygons", shape.name()));
        let mesh = shape.generate(n, arguments.seed)?;
        let poses = bouncing_pair(&mesh, arguments.depth_frames, 1.2, arguments.seed)?;
        let flight = Flight { mesh: &mesh, poses: &poses };
        let trees: Vec<BoxTree> = DEPTHS
            .map(|max_depth| {
                BoxTree::build(&mesh, &Options::THESIS.max_depth(max_depth).min_polygons(1))
            })
            .collect::<Result<_, _>>()?;
        let mut times = vec![Times::default(); trees.len()];
        for _ in 0..arguments.passes.max(1) {
            for (tree, times) in trees.iter().zip(&mut times) {
                flight.time_tree(times, tree, Traversal::THESIS, &mut scratch);
            }
        }
        let us = times.iter().map(Times::mean).collect();
        let hits = times.first().map_or(0, |t| t.hits);
        lines.push(Line { polygons: mesh.polygon_count(), us, hits });
    }
    Ok(Sweep { shape, lines })
}

/// The depth that is closest to the fastest one over all lines of about 200 polygons and more, by
/// the mean logarithm of the ratio of the times.
pub(super) fn best_depth(sweeps: &[Sweep]) -> usize {
    let log_ratio_sum = |depth: usize| -> f64 {
        let lines = sweeps.iter().flat_map(|s| &s.lines);
        let large = lines.filter(|line| line.polygons >= 150);
        large.map(|line| (line.us[depth] / line.us[line.best()]).ln()).sum()
    };
    DEPTHS.min_by(|i, j| log_ratio_sum(*i).total_cmp(&log_ratio_sum(*j))).unwrap_or(10)
}

pub(super) fn report(sweeps: &[Sweep], best: usize, report: &mut Report) -> Result<()> {
    report.heading("Figures 3.32 to 3.34: the optimal maximum depth");
    report.paragraph(
        "Microseconds a frame over the maximum depth of the tree, at least one polygon a box, clipping and edges against polygons at the leaves, as in the thesis. Depth 0 is a single box: \
         the conventional algorithm with a box test before it.",
    );
    for (sweep, number) in sweeps.iter().zip(32..) {
        let name = sweep.shape.name();
        let mut chart = Chart::new(
            format!("Figure 3.{number}: maximum depth, two {}", plural(sweep.shape)),
            Axis::linear("maximum depth of the tree"),
            Axis::log("\u{3bc}s a frame"),
        )
        .caption("At least one polygon a box. One line for each number of polygons an object has.");
        let shown = [0, 2, 4, 6, 8, 10, 12, 14, 16];
        let mut headings = vec![format!("{name}: polygons")];
        headings.extend(shown.map(|d| format!("depth {d}")));
        headings.extend([
            "fastest at".to_owned(),
            "depth 0 over fastest".to_owned(),
            "frames with intersection".to_owned(),
        ]);
        let mut table = Table::new(&headings);
        for line in &sweep.lines {
            let points = line.us.iter().enumerate().map(|(d, us)| (d as f64, *us)).collect();
            chart = chart.series(
                format!("{} polygons", count(line.polygons as u64)),
                Mark::LineAndDots,
                points,
            );
            let mut cells = vec![count(line.polygons as u64)];
            cells.extend(shown.map(|d| short(line.us[d])));
            let fastest = line.best();
            cells.extend([
                fastest.to_string(),
                short(line.us[0] / line.us[fastest]),
                count(line.hits as u64),
            ]);
            table.row(&cells);
        }
        report.figure(
            &format!("figure-3-{number}"),
            &format!("Time over depth, two {}", plural(sweep.shape)),
            &chart,
        )?;
        report.table(&table);
    }
    let lines: Vec<&Line> = sweeps.iter().flat_map(|s| &s.lines).collect();
    let gain = |line: &&&Line| line.us[0] / line.us[line.best()];
    let small = lines.iter().filter(|l| l.polygons <= 60).map(|l| gain(&l)).fold(0.0, f64::max);
    let large =
        lines.iter().filter(|l| l.polygons >= 1000).map(|l| gain(&l)).fold(f64::INFINITY, f64::min);
    let depths: Vec<String> =
        lines.iter().filter(|l| l.polygons >= 150).map(|l| l.best().to_string()).collect();
    report.paragraph(&format!(
        "**Thesis:** \"Below a complexity of 50 polygons per object, no significant change could be measured.\" **Ours:** with about 50 polygons the best depth gains at most a factor of {} over a single box, from 1000 polygons on at least {}. \
         The fastest depths of the lines above 150 polygons are {}; the curves are flat beyond them, because a box is not split where a half would hold more than {} of the polygons. A maximum depth of {best} is closest to the \
         fastest overall and is used below; the thesis' own experiments used 10.",
        short(small),
        short(large),
        depths.join(", "),
        Options::THESIS.max_share,
    ));
    Ok(())
}

pub(super) fn plural(shape: Model) -> &'static str {
    match shape {
        Model::Torus => "tori",
        Model::TetraFlake => "tetra-flakes",
        _ => "spheres",
    }
}
