//! Figures 3.35 to 3.37 and the table of section 3.6.5: the box-tree compared with the best
//! conventional algorithm, that of section 3.2 with its pre-checks.

use anyhow::{Result, ensure};
use impinge::internals::pair::Posed;
use impinge::pair::First;
use impinge::{Mesh, Pose, first_hit};
use impinge_papers::zachmann::box_tree::{
    BoxTest, BoxTree, Counts, LeafTest, Options, Query, Scratch, traverse_counted,
};
use impinge_papers::zachmann::edges::{self, EdgePreChecks};
use impinge_samples::shapes::Model;

use super::bouncing_pair::bouncing_pair;
use super::depth::plural;
use super::{Arguments, Flight, Times, Traversal};
use crate::report::{Progress, Report, Table, count, short};
use impinge_chart::{Axis, Chart, Mark};

/// The numbers of polygons of each object.
const SIZES: [usize; 11] = [20, 50, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000];

/// Names of the methods, in the order of their times.
const METHODS: [&str; 7] = [
    "conventional (3.2)",
    "box-tree",
    "box-tree, empty boxes",
    "box-tree, triangle pairs",
    "box-tree, axis-aligned",
    "box-tree, no collecting",
    "impinge's own tree",
];

/// The sizes for which the thesis gives the ratio.
const THESIS_SIZES: [usize; 4] = [50, 100, 500, 1000];

/// The thesis' thresholds, and its ratios by [`THESIS_SIZES`], as printed.
const THESIS: [(&str, [&str; 4]); 3] = [
    ("300", ["0.47", "0.36", "1.18", "2.25"]),
    ("60", ["0.9", "1.58", "4.6", "200"]),
    ("300", ["0.4", "0.5", "1.6", "2.1"]),
];

/// One object at several sizes.
pub(super) struct Comparison {
    shape: Model,
    points: Vec<Point>,
}

struct Point {
    requested: usize,
    polygons: usize,
    triangles: usize,
    us: [f64; METHODS.len()],
    frames: usize,
    hits: usize,
    /// Sums over all frames, by clipping and by axis-aligned boxes.
    counts: [Counts; 2],
}

fn sizes(arguments: &Arguments) -> impl Iterator<Item = usize> + '_ {
    SIZES.into_iter().filter(|n| *n <= arguments.max)
}

pub(super) fn steps(arguments: &Arguments) -> usize {
    sizes(arguments).count()
}

pub(super) fn compare(
    shape: Model,
    max_depth: usize,
    arguments: &Arguments,
    progress: &mut Progress,
) -> Result<Comparison> {
    let mut points = Vec::new();
    for n in sizes(arguments) {
        progress.step(&format!("comparison: {}, {n} polygons", shape.name()));
        let mesh = shape.generate(n, arguments.seed)?;
        let poses = bouncing_pair(&mesh, arguments.frames, 1.0, arguments.seed)?;
        points.push(measure(n, &mesh, &poses, max_depth, arguments.passes)?);
    }
    Ok(Comparison { shape, points })
}

fn measure(
    requested: usize,
    mesh: &Mesh,
    poses: &[Pose],
    max_depth: usize,
    passes: usize,
) -> Result<Point> {
    let flight = Flight { mesh, poses };
    let options = Options::THESIS.max_depth(max_depth).min_polygons(1);
    let tree = BoxTree::build(mesh, &options)?;
    let with_empty_boxes = BoxTree::build(mesh, &options.empty_boxes(true))?;
    let mut scratch = Scratch::default();
    let mut times: [Times; METHODS.len()] = Default::default();
    let traversal = Traversal::THESIS;
    for _ in 0..passes.max(1) {
        let [edges, plain, empty, pairs, aligned, all, own] = &mut times;
        flight.time(edges, |pose| conventional(mesh, pose));
        flight.time_tree(plain, &tree, traversal, &mut scratch);
        flight.time_tree(empty, &with_empty_boxes, traversal, &mut scratch);
        let triangles = Traversal { leaves: LeafTest::Triangles, ..traversal };
        flight.time_tree(pairs, &tree, triangles, &mut scratch);
        let boxes = Traversal { boxes: BoxTest::AxisAligned, ..traversal };
        flight.time_tree(aligned, &tree, boxes, &mut scratch);
        flight.time_tree(all, &tree, Traversal { collect: false, ..traversal }, &mut scratch);
        flight.time(own, |pose| first_hit(mesh, mesh, pose).is_some());
    }
    let us = times.each_ref().map(Times::mean);
    let hits = times.each_ref().map(|t| t.hits);
    ensure!(
        hits.iter().all(|h| *h == hits[0]),
        "the methods find different numbers of intersecting frames: {hits:?}"
    );
    let counts = [BoxTest::Clipping, BoxTest::AxisAligned].map(|boxes| {
        let mut counts = Counts::default();
        for pose in poses {
            let query = Query::new((mesh, &tree), (mesh, &tree), pose)
                .expect("the tree is that of the mesh");
            let query = query.boxes(boxes).leaves(LeafTest::Edges);
            traverse_counted(&query, &mut scratch, &mut counts, &mut First::default());
        }
        counts
    });
    let (polygons, triangles) = (mesh.polygon_count(), mesh.triangles().len());
    Ok(Point { requested, polygons, triangles, us, frames: poses.len(), hits: hits[0], counts })
}

/// Edges against polygons with all pre-checks. The time includes moving the vertices, as in the
/// thesis.
fn conventional(mesh: &Mesh, pose: &Pose) -> bool {
    let (a, b) = (Posed::new(mesh, &Pose::IDENTITY), Posed::new(mesh, pose));
    let mut first = First::default();
    if a.bounds().overlaps(&b.bounds()) {
        edges::traverse(&a, &b, &EdgePreChecks::COLLECT, &mut first);
    }
    first.pair.is_some()
}

impl Comparison {
    /// The speed-up by the box-tree, over the number of polygons.
    fn ratios(&self) -> Vec<(f64, f64)> {
        self.points.iter().map(|p| (p.polygons as f64, p.us[0] / p.us[1])).collect()
    }

    /// The number of polygons above which the box-tree is always faster, interpolated between the
    /// two nearest measurements.
    fn threshold(&self) -> String {
        let ratios = self.ratios();
        match ratios.iter().rposition(|(_, r)| *r < 1.0) {
            None => format!("below {}", ratios.first().map_or(0.0, |(n, _)| *n)),
            Some(last) => match ratios.get(last + 1) {
                None => format!("above {}", ratios[last].0),
                Some((n1, r1)) => {
                    let (n0, r0) = ratios[last];
                    let share = -r0.ln() / (r1.ln() - r0.ln());
                    short((n0.ln() + share * (n1.ln() - n0.ln())).exp().round())
                }
            },
        }
    }
}

pub(super) fn report(all: &[Comparison], depth: usize, report: &mut Report) -> Result<()> {
    report.heading("Figures 3.35 to 3.37: against the conventional algorithm");
    report.paragraph(&format!(
        "The conventional algorithm is edges against polygons (section 3.2) with all its pre-checks; it includes moving the vertices, which the box-tree does only at leaves that are reached. The box-tree has a maximum depth of {depth} and \
         at least one polygon a box. Its variants: *empty boxes*, the other splitting criteria of 3.6.3; *triangle pairs* instead of edges against polygons at the leaves; *axis-aligned*, the on-the-fly boxes of the \
         outlook (3.6.4); *no collecting* at the leaves. *impinge's own tree* is what the library uses. All methods find an intersection in the same frames.",
    ));
    for (comparison, number) in all.iter().zip(35..) {
        let name = plural(comparison.shape);
        let mut chart = Chart::new(
            format!("Figure 3.{number}: two {name}"),
            Axis::log("polygons of each object"),
            Axis::log("\u{3bc}s a frame"),
        );
        let mut headings = vec![format!("{name}: polygons"), "triangles".to_owned()];
        headings.extend(METHODS.map(|m| format!("{m}, \u{3bc}s")));
        headings.push("frames with intersection".to_owned());
        let mut table = Table::new(&headings);
        for (k, method) in METHODS.into_iter().enumerate() {
            let points = comparison.points.iter().map(|p| (p.polygons as f64, p.us[k])).collect();
            // The variant without collecting is only in the table, to keep the chart readable.
            if k != 5 {
                chart = chart.series(method, Mark::LineAndDots, points);
            }
        }
        for p in &comparison.points {
            let mut cells = vec![count(p.polygons as u64), count(p.triangles as u64)];
            cells.extend(p.us.map(short));
            cells.push(count(p.hits as u64));
            table.row(&cells);
        }
        report.figure(
            &format!("figure-3-{number}"),
            &format!("Box-tree against conventional, two {name}"),
            &chart,
        )?;
        report.table(&table);
    }
    ratios(all, report);
    variants(all, report);
    work_table(all, report);
    Ok(())
}

/// The thesis' table beside ours.
fn ratios(all: &[Comparison], report: &mut Report) {
    report.heading("The table of section 3.6.5: threshold and speed-up");
    let mut headings = vec!["object".to_owned(), "threshold".to_owned(), "thesis".to_owned()];
    for n in THESIS_SIZES {
        headings.extend([format!("n = {n}"), "thesis".to_owned()]);
    }
    let mut table = Table::new(&headings);
    for (comparison, (threshold, thesis)) in all.iter().zip(THESIS) {
        let mut cells =
            vec![comparison.shape.name().to_owned(), comparison.threshold(), threshold.to_owned()];
        for (n, thesis) in THESIS_SIZES.into_iter().zip(thesis) {
            let point = comparison.points.iter().find(|p| p.requested == n);
            let ratio = point.map_or(f64::NAN, |p| p.us[0] / p.us[1]);
            cells.extend([short(ratio), thesis.to_owned()]);
        }
        table.row(&cells);
    }
    report.paragraph(
        "The time of the conventional algorithm over that of the box-tree, for *n* polygons an object, and the number of polygons above which the box-tree is faster. The 200 of the torus is as printed; the numbers before it make 20 likely.",
    );
    report.table(&table);
    let join_values =
        |of: &dyn Fn(&Comparison) -> String| all.iter().map(of).collect::<Vec<_>>().join(", ");
    let smallest = |c: &Comparison| c.ratios().first().map_or_else(String::new, |(_, r)| short(*r));
    let largest = |c: &Comparison| c.ratios().last().map_or_else(String::new, |(_, r)| short(*r));
    report.paragraph(&format!(
        "**Where we agree.** Small objects are faster without a tree and large ones with it, and the ratio grows with the number of polygons: from {} for the smallest objects to {} for the largest (sphere, torus, tetra-flake). \
         The torus has the lowest threshold, as in the thesis. **Where we do not.** The thresholds are {} polygons, higher than in the thesis, and the torus gains less. The passes over polygons and edges, where the thesis found \
         82 % of the conventional algorithm's time, are sequences of box comparisons, which suit today's processors; we suppose that this raised the thresholds. The thesis saw such an effect between its own machines: on the Skywriter the \
         box-tree was twice as slow as the conventional algorithm.",
        join_values(&smallest),
        join_values(&largest),
        join_values(&Comparison::threshold),
    ));
}

/// The speed-up by each variant.
fn variants(all: &[Comparison], report: &mut Report) {
    report.heading("Variants");
    let mut headings =
        vec!["time of the box-tree over that of the variant, 500 polygons and more".to_owned()];
    headings.extend(METHODS[2..].iter().map(|m| (*m).to_owned()));
    let mut table = Table::new(&headings);
    let mean = |c: &Comparison, k: usize| {
        let large = c.points.iter().filter(|p| p.requested >= 500);
        let logs: Vec<f64> = large.map(|p| (p.us[1] / p.us[k]).ln()).collect();
        (logs.iter().sum::<f64>() / logs.len() as f64).exp()
    };
    for comparison in all {
        let mut cells = vec![comparison.shape.name().to_owned()];
        cells.extend((2..METHODS.len()).map(|k| short(mean(comparison, k))));
        table.row(&cells);
    }
    report.table(&table);
    let join_values = |k: usize, inverse: bool| {
        let value = |c: &Comparison| if inverse { 1.0 / mean(c, k) } else { mean(c, k) };
        all.iter().map(|c| short(value(c))).collect::<Vec<_>>().join(", ")
    };
    report.paragraph(&format!(
        "In the order sphere, torus, tetra-flake. **Thesis:** the collecting phase at the leaves gains \"about a factor of 1.5\". **Ours:** {}; ours collects with the other leaf's box, the thesis' with the other object's. \
         **Thesis:** among \"many more possibilities for further speed-up\" are on-the-fly axis-aligned boxes and empty boxes. **Ours:** axis-aligned boxes run at {} times the speed of clipping: a test costs less, but there are about twice as many of \
         them, and twice as many leaves to compare, as the next table shows. With empty boxes it runs at {} times the speed: a small gain for every object, where the thesis expected more. With triangle pairs at the leaves, which the thesis did not try, it runs at {} times the speed. \
         The 14 % that flags for edges outside gained in the thesis are not measured: our clipping has them throughout.",
        join_values(5, true),
        join_values(4, false),
        join_values(2, false),
        join_values(3, false),
    ));
}

/// The table of work counters.
fn work_table(all: &[Comparison], report: &mut Report) {
    report.heading("The work of a frame");
    let mut table = Table::new([
        "object, polygons",
        "box pairs",
        "edge-plane intersections",
        "leaf pairs",
        "triangles a leaf pair",
        "box tests at leaves",
        "exact tests",
        "aligned: box pairs",
        "leaf pairs",
        "exact tests",
    ]);
    for comparison in all {
        for p in comparison
            .points
            .iter()
            .filter(|p| THESIS_SIZES.contains(&p.requested) || p.requested == 2000)
        {
            let [clip, aligned] = &p.counts;
            let n = p.frames as f64;
            let per = |x: u64| short(x as f64 / n);
            table.row([
                format!("{}, {}", comparison.shape.name(), count(p.polygons as u64)),
                per(clip.boxes),
                per(clip.edges_clipped),
                per(clip.leaf_pairs),
                short(clip.leaf_triangles as f64 / clip.leaf_pairs.max(1) as f64),
                per(clip.box_tests),
                per(clip.exact_tests),
                per(aligned.boxes),
                per(aligned.leaf_pairs),
                per(aligned.exact_tests),
            ]);
        }
    }
    report.table(&table);
}
