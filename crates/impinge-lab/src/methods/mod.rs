//! Time of each method for a pair check over the sizes of meshes, and the constants of the cost
//! model by which the world chooses a method; published methods beside their estimates.

mod check;
mod fit;
mod published;
mod with_shapes;

use std::path::PathBuf;

use anyhow::{Context, Result};
use impinge::world::{Body as WorldBody, MethodKind, World};

use crate::common::Common;
use crate::report::{Progress, Report, Table, count, short};
use check::{Body, Poses, Regime, is_feasible, time};
use impinge::internals::Random;
use impinge_chart::{Axis, Chart, Mark};
use published::Published;
use with_shapes::WithShapes;

/// Arguments of `impinge-lab methods`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// The largest mesh, in triangles.
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    max: usize,
    /// Poses of each kind, and flights.
    #[arg(long, default_value_t = 12, value_name = "N")]
    poses: usize,
    /// Seconds for each cell of the table.
    #[arg(long, default_value_t = 0.3, value_name = "S")]
    budget: f64,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The approximate numbers of triangles of the meshes.
const SIZES: [usize; 11] = [2, 4, 8, 18, 36, 100, 300, 1000, 5000, 20_000, 100_000];

/// Up to this number of triangles in the smaller mesh, `pair` sweeps instead of traversing trees.
const MAX_TRIANGLES_WITHOUT_TREE: usize = 8;

/// Up to this number of triangle pairs, brute force is fitted; above, it is never the fastest.
const MAX_FITTED_BRUTE_PAIRS: f64 = 400.0;

/// The methods for two meshes.
const METHODS: [MethodKind; 5] = [
    MethodKind::HULLS,
    MethodKind::HULLS_THEN_TRIANGLES,
    MethodKind::TRIANGLES,
    MethodKind::SWEEP,
    MethodKind::BRUTE_FORCE,
];

/// The measurements for two sizes.
struct Row {
    sizes: [usize; 2],
    /// Nanoseconds per check, by regime and method.
    ns: [[Option<f64>; METHODS.len()]; Regime::ALL.len()],
    hulls_undecided: f64,
    /// The method that the library chooses now.
    chosen: MethodKind,
}

impl Row {
    fn cost(&self, regime: Regime, method: MethodKind) -> Option<f64> {
        let column = METHODS.iter().position(|m| *m == method)?;
        self.ns[regime as usize][column]
    }

    /// The fastest method in flight, and its cost. Hulls alone are excluded, since they do not
    /// decide whether these meshes intersect.
    fn fastest(&self) -> Option<(MethodKind, f64)> {
        let measured = METHODS.into_iter().filter(|m| *m != MethodKind::HULLS);
        let costs = measured.filter_map(|m| Some((m, self.cost(Regime::Flight, m)?)));
        costs.min_by(|x, y| x.1.total_cmp(&y.1))
    }

    /// Whether a query by triangles traverses trees; if a mesh is small, it is a sweep.
    fn uses_trees(&self) -> bool {
        self.sizes[0].min(self.sizes[1]) > MAX_TRIANGLES_WITHOUT_TREE
    }

    fn product(&self) -> f64 {
        self.sizes[0] as f64 * self.sizes[1] as f64
    }

    fn sum(&self) -> f64 {
        (self.sizes[0] + self.sizes[1]) as f64
    }
}

/// Measures and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([(&mut arguments.max, 100), (&mut arguments.poses, 2)]);
    arguments.common.limit_seconds(&mut arguments.budget, 0.004);
    let arguments = &arguments;
    let sizes: Vec<usize> = SIZES.into_iter().filter(|n| *n <= arguments.max.max(2)).collect();
    let bodies: Vec<Body> = sizes.iter().map(|n| Body::new(*n)).collect::<Result<_>>()?;
    let mut progress = Progress::new(bodies.len() * (bodies.len() + 1) / 2 + 2);
    let mut rows = Vec::new();
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[i..] {
            progress.step(&format!("{} and {} triangles", a.triangles(), b.triangles()));
            rows.push(measure(a, b, arguments)?);
        }
    }
    progress.step("shapes");
    let with_shapes = WithShapes::measure(&bodies, arguments)?;
    progress.step("published methods");
    let published = Published::measure(arguments)?;
    let path = report(arguments, &rows, &with_shapes, &published)?;
    println!("{}", path.display());
    Ok(())
}

fn measure(a: &Body, b: &Body, arguments: &Arguments) -> Result<Row> {
    let mut random = Random::new(arguments.seed);
    let poses = Poses::new(a, b, arguments.poses.max(1), &mut random)?;
    let mut ns = [[None; METHODS.len()]; Regime::ALL.len()];
    for regime in Regime::ALL {
        let runs = poses.runs(regime);
        for (column, method) in
            METHODS.into_iter().enumerate().filter(|(_, m)| is_feasible(*m, a, b))
        {
            let found = time(method, (a, b), &runs, arguments.budget / 4.0);
            ns[regime as usize][column] = Some(found.with_context(|| {
                format!("{method} finds other intersections than the test of triangles")
            })?);
        }
    }
    let mut world = World::new();
    let [x, y] = [a, b].map(|body| world.add(WorldBody::new(body.mesh.clone())));
    let chosen = world.explain(x?, y?)?.chosen;
    Ok(Row {
        sizes: [a.triangles(), b.triangles()],
        ns,
        hulls_undecided: poses.hulls_undecided(a, b),
        chosen,
    })
}

/// The constants of the cost model, in nanoseconds.
struct Model {
    hulls: f64,
    hulls_undecided: f64,
    /// For each doubling of the product of the sizes; a fitted base would be zero.
    trees: f64,
    sweep: (f64, f64),
    brute: (f64, f64),
}

impl Model {
    fn fit(rows: &[Row]) -> Self {
        let measured = |method: MethodKind| {
            rows.iter().filter_map(move |r| Some((r, r.cost(Regime::Flight, method)?)))
        };
        let points = |method, counts: fn(&Row) -> bool, x: fn(&Row) -> f64| -> Vec<(f64, f64)> {
            measured(method).filter(|(r, _)| counts(r)).map(|(r, cost)| (x(r), cost)).collect()
        };
        let hulls: Vec<f64> = measured(MethodKind::HULLS).map(|(_, cost)| cost).collect();
        Self {
            hulls: fit::constant(&hulls),
            hulls_undecided: rows.iter().map(|r| r.hulls_undecided).sum::<f64>()
                / rows.len().max(1) as f64,
            trees: fit::ratio(&points(MethodKind::TRIANGLES, Row::uses_trees, |r| {
                r.product().log2()
            })),
            sweep: fit::line(&points(MethodKind::SWEEP, |_| true, Row::sum)),
            brute: fit::line(&points(
                MethodKind::BRUTE_FORCE,
                |r| r.product() <= MAX_FITTED_BRUTE_PAIRS,
                Row::product,
            )),
        }
    }

    fn cost(&self, row: &Row, method: MethodKind) -> f64 {
        let sweep = self.sweep.0 + self.sweep.1 * row.sum();
        let triangles = if row.uses_trees() { self.trees * row.product().log2() } else { sweep };
        match method.name() {
            "hulls" => self.hulls,
            "hulls-then-triangles" => self.hulls + self.hulls_undecided * triangles,
            "sweep" => sweep,
            "brute-force" => self.brute.0 + self.brute.1 * row.product(),
            _ => triangles,
        }
    }

    fn choose(&self, row: &Row) -> MethodKind {
        let measured = METHODS.into_iter().filter(|m| *m != MethodKind::HULLS);
        let cost = |m: &MethodKind| self.cost(row, *m);
        measured.min_by(|x, y| cost(x).total_cmp(&cost(y))).unwrap_or(MethodKind::TRIANGLES)
    }
}

/// The time of the chosen methods relative to the fastest ones: the mean, the worst, and the sizes
/// of the worst.
fn time_over_fastest(rows: &[Row], choose: impl Fn(&Row) -> MethodKind) -> (f64, f64, [usize; 2]) {
    let (mut sum, mut counted, mut worst) = (0.0, 0, (1.0, [0, 0]));
    for row in rows {
        let Some((_, fastest)) = row.fastest() else { continue };
        // A method that was not measured would not have been the fastest.
        let ratio = row.cost(Regime::Flight, choose(row)).map_or(f64::INFINITY, |c| c / fastest);
        sum += ratio;
        counted += 1;
        if ratio > worst.0 {
            worst = (ratio, row.sizes);
        }
    }
    (sum / f64::from(counted.max(1)), worst.0, worst.1)
}

fn report(
    arguments: &Arguments,
    rows: &[Row],
    with_shapes: &WithShapes,
    published: &Published,
) -> Result<PathBuf> {
    let mut report =
        Report::new(&arguments.common.out, "methods", "Time of each method for a pair check");
    report.paragraph(&format!(
        "Nanoseconds a check for two meshes, one thread, the fastest pass of those within the budget; in flight each method keeps its state from frame to frame, as in a world. Meshes are bumpy tori, or bumpy sheets where there are fewer than 36 triangles. *Near* is 1 % of the size apart, *touching* 0.05 %, *deep* at 30 % of the distance of first contact: {} poses each, without state from earlier poses. *Flight*: \
         B passes A or goes through it by 1 % of A's size and one degree a frame, {} times; only frames in which the boxes overlap count, because a world checks only such pairs. Brute force is not measured above 100,000 pairs of triangles, the sweep not above 30,000 triangles.",
        arguments.poses, arguments.poses,
    ));
    let model = Model::fit(rows);
    constants(&mut report, rows, &model, with_shapes);
    report.heading("In flight");
    let mut headings = vec!["triangles".to_owned()];
    headings.extend(METHODS.map(|m| m.to_string()));
    headings.extend(
        ["hulls leave open", "fastest", "by the fitted model", "chosen now"].map(str::to_owned),
    );
    let mut table = Table::new(&headings);
    for row in rows {
        let mut cells =
            vec![format!("{} \u{d7} {}", count(row.sizes[0] as u64), count(row.sizes[1] as u64))];
        cells.extend(METHODS.map(|m| cell(row, Regime::Flight, m)));
        cells.push(format!("{:.0} %", 100.0 * row.hulls_undecided));
        cells.push(row.fastest().map_or(String::new(), |f| f.0.to_string()));
        cells.extend([model.choose(row).to_string(), row.chosen.to_string()]);
        table.row(&cells);
    }
    report.table(&table);
    report.heading("Single poses");
    let mut headings = vec!["triangles".to_owned()];
    for regime in &Regime::ALL[..3] {
        headings.extend(METHODS.map(|m| format!("{}: {m}", regime.name())));
    }
    let mut table = Table::new(&headings);
    for row in rows.iter().filter(|row| row.sizes[0] == row.sizes[1]) {
        let mut cells =
            vec![format!("{} \u{d7} {}", count(row.sizes[0] as u64), count(row.sizes[1] as u64))];
        for regime in &Regime::ALL[..3] {
            cells.extend(METHODS.map(|m| cell(row, *regime, m)));
        }
        table.row(&cells);
    }
    report.table(&table);
    with_shapes.report(&mut report);
    published.report(&mut report);
    let mut chart = Chart::new(
        "A check in flight",
        Axis::log("triangles of each mesh"),
        Axis::log("nanoseconds a check"),
    )
    .caption("Two meshes of the same size; frames in which their boxes overlap.");
    for method in METHODS {
        let same = rows.iter().filter(|row| row.sizes[0] == row.sizes[1]);
        let points = same
            .map(|row| (row.sizes[0] as f64, row.cost(Regime::Flight, method).unwrap_or(f64::NAN)));
        chart = chart.series(method.to_string(), Mark::LineAndDots, points.collect());
    }
    report.figure("flight", "Nanoseconds a check over the number of triangles", &chart)?;
    report.finish()
}

fn cell(row: &Row, regime: Regime, method: MethodKind) -> String {
    row.cost(regime, method).map_or("\u{2013}".to_owned(), short)
}

fn constants(report: &mut Report, rows: &[Row], model: &Model, with_shapes: &WithShapes) {
    report.heading("The constants");
    report.paragraph(&format!(
        "Fitted to the flights by least squares of the relative errors. `crates/impinge/src/world/method.rs` has them rounded; they differ a little from run to run, most of all those of a shape and a mesh:\n\n```text\nSHAPES_NS {:.0}  SHAPE_MESH_NS {:.0}  SHAPE_MESH_NS_PER_DOUBLING {:.0}\nHULLS_NS {:.0}  SHARE_UNDECIDED_BY_HULLS {:.2}\nTREES_NS_PER_DOUBLING {:.0}\nSWEEP_NS {:.0}  SWEEP_NS_PER_TRIANGLE {:.1}\nBRUTE_NS {:.0}  BRUTE_NS_PER_PAIR {:.1}\n```",
        with_shapes.two_shapes,
        with_shapes.mesh.0,
        with_shapes.mesh.1,
        model.hulls,
        model.hulls_undecided,
        model.trees,
        model.sweep.0,
        model.sweep.1,
        model.brute.0,
        model.brute.1,
    ));
    let sentence = |(mean, worst, at): (f64, f64, [usize; 2])| {
        format!(
            "{mean:.2} times as long as the fastest method on average, {worst:.2} times at worst ({} \u{d7} {} triangles)",
            count(at[0] as u64),
            count(at[1] as u64)
        )
    };
    report.paragraph(&format!(
        "The choices of the fitted model take {}; the present choices of the library, {}; always triangles, {}.{}",
        sentence(time_over_fastest(rows, |row| model.choose(row))),
        sentence(time_over_fastest(rows, |row| row.chosen)),
        sentence(time_over_fastest(rows, |_| MethodKind::TRIANGLES)),
        sentence_on_sweeps(rows),
    ));
}

/// A sentence on small meshes against the largest one, if they take much longer than meshes that
/// are just large enough for trees.
fn sentence_on_sweeps(rows: &[Row]) -> String {
    let largest = rows.iter().map(|row| row.sizes[1]).max();
    let with_largest = |uses_trees: bool| {
        rows.iter()
            .filter(|row| Some(row.sizes[1]) == largest && row.uses_trees() == uses_trees)
            .find_map(|row| Some((row.sizes, row.cost(Regime::Flight, MethodKind::TRIANGLES)?)))
    };
    match (with_largest(false), with_largest(true)) {
        (Some((small, sentence_on_sweeps)), Some((large, with_tree)))
            if sentence_on_sweeps > 10.0 * with_tree =>
        {
            format!(
                " Where one mesh has at most {MAX_TRIANGLES_WITHOUT_TREE} triangles a query by triangles is a sweep over both: {} \u{d7} {} triangles take {} times as long as {} \u{d7} {}. That saves building a tree for a single query, but a world repeats the query in every frame.",
                small[0],
                count(small[1] as u64),
                short(sentence_on_sweeps / with_tree),
                large[0],
                count(large[1] as u64),
            )
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_recovered() {
        let row = |m: usize, n: usize| {
            let (sum, product) = ((m + n) as f64, (m * n) as f64);
            let sweep = 100.0 + 30.0 * sum;
            let trees =
                if m.min(n) > MAX_TRIANGLES_WITHOUT_TREE { 40.0 * product.log2() } else { sweep };
            let ns = [90.0, 90.0 + 0.5 * trees, trees, sweep, 80.0 + 10.0 * product];
            Row {
                sizes: [m, n],
                ns: [ns.map(Some); 4],
                hulls_undecided: 0.5,
                chosen: MethodKind::TRIANGLES,
            }
        };
        let rows = [row(2, 2), row(10, 5), row(100, 1000), row(10_000, 20), row(12, 12)];
        let model = Model::fit(&rows);
        assert!((model.hulls - 90.0).abs() < 1e-6 && (model.hulls_undecided - 0.5).abs() < 1e-12);
        assert!((model.trees - 40.0).abs() < 1e-6 && (model.brute.1 - 10.0).abs() < 1e-6);
        assert_eq!(model.choose(&rows[0]), MethodKind::BRUTE_FORCE);
        assert_eq!(model.choose(&rows[2]), MethodKind::HULLS_THEN_TRIANGLES);
        assert!((time_over_fastest(&rows, |r| model.choose(r)).0 - 1.0).abs() < 1e-12);
        assert!(time_over_fastest(&rows, |_| MethodKind::TRIANGLES).1 > 1.5);
    }
}
