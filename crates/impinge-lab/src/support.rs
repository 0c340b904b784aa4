//! Support vertices: time, memory and preparation of each search for the vertex of a hull that lies
//! furthest in a direction.
//!
//! Leung 1996, sections 2.5, 3.3 and 3.5. Each search depends on the result of the previous one, as
//! in a query.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use impinge::Vec3;
use impinge::convex::Hull;
use impinge::internals::furthest_as_in_queries;
use impinge::internals::support::Climb;
use impinge_papers::leung::{BruteForce, DirectionTable, Hierarchy, LocalSearch, VertexSearch};

use crate::bodies::{Shape, direction};
use crate::common::Common;
use crate::report::{Progress, Report, Table, short};
use crate::timing;
use impinge::internals::Random;
use impinge_chart::{Axis, Chart, Mark};

/// Arguments of `impinge-lab support`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Directions per pass.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    directions: usize,
    /// Number of passes; the fastest counts.
    #[arg(long, default_value_t = 15, value_name = "N")]
    passes: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The numbers of vertices of the hulls.
const SIZES: [usize; 8] = [10, 20, 50, 100, 200, 500, 1000, 2000];

/// Directions that are timed together. Each part counts with its fastest pass, so that no single
/// pass has to be undisturbed from beginning to end.
const DIRECTIONS_PER_PART: usize = 100;

/// Degrees from one coherent direction to the next.
const STEP_DEGREES: f64 = 5.0;

/// A search for the support vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    Brute,
    /// Climbing from the vertex of a table of 8 x 16 directions.
    Table,
    /// The same, with coherent directions.
    TableCoherent,
    /// Climbing from the last answer, with coherent directions.
    Coherent,
    Hierarchy,
    /// The cube map of queries, in `f32`.
    Query,
    /// The same, with coherent directions.
    QueryCoherent,
}

impl Search {
    const ALL: [Self; 7] = [
        Self::Brute,
        Self::Table,
        Self::TableCoherent,
        Self::Coherent,
        Self::Hierarchy,
        Self::Query,
        Self::QueryCoherent,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Brute => "brute force",
            Self::Table => "climb from the table",
            Self::TableCoherent => "climb from the table, coherent",
            Self::Coherent => "climb from the last, coherent",
            Self::Hierarchy => "hierarchy",
            Self::Query => "queries",
            Self::QueryCoherent => "queries, coherent",
        }
    }

    fn is_coherent(self) -> bool {
        matches!(self, Self::TableCoherent | Self::Coherent | Self::QueryCoherent)
    }
}

/// The results for one hull.
struct Row {
    shape: Shape,
    vertices: usize,
    /// Nanoseconds per support vertex, by search.
    ns: [f64; Search::ALL.len()],
    /// Vertices evaluated by the climb from the table, the climb from the last answer and the
    /// hierarchy.
    evaluated: [f64; 3],
    /// Memory of the table, the hierarchy and the cube map of queries, in addition to the hull.
    bytes: [usize; 3],
    /// Microseconds to build them.
    build: [f64; 3],
    /// Memory and build time of the hull itself.
    hull_bytes: usize,
    hull_build: f64,
}

/// Measures every hull and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([(&mut arguments.directions, 200), (&mut arguments.passes, 2)]);
    let arguments = &arguments;
    let sizes = if arguments.common.quick { &[10, 100][..] } else { &SIZES[..] };
    let passes = arguments.passes.max(1);
    let mut progress = Progress::new(sizes.len() * Shape::ALL.len());
    let mut random = Random::new(arguments.seed);
    let mut rows = Vec::new();
    for shape in Shape::ALL {
        for n in sizes {
            progress.step(&format!("{}, n = {n}", shape.name()));
            let hull = shape.hull(*n, &mut random)?;
            let directions = Directions::new(arguments.directions.max(2), &mut random);
            rows.push(measure(shape, &hull, &directions, passes)?);
        }
    }
    println!("{}", report(arguments, &rows)?.display());
    Ok(())
}

/// The search directions.
struct Directions {
    random: Vec<Vec3>,
    /// Each [`STEP_DEGREES`] degrees from the previous one.
    coherent: Vec<Vec3>,
}

impl Directions {
    fn new(count: usize, random: &mut Random) -> Self {
        let mut d = direction(random);
        let coherent = (0..count).map(|_| {
            let sideways = direction(random).cross(d).normalize_or_zero();
            d = (d + sideways * STEP_DEGREES.to_radians().tan()).normalize();
            d
        });
        let coherent = coherent.collect();
        Self { random: (0..count).map(|_| direction(random)).collect(), coherent }
    }

    fn of(&self, search: Search) -> &[Vec3] {
        if search.is_coherent() { &self.coherent } else { &self.random }
    }
}

fn measure(shape: Shape, hull: &Hull, directions: &Directions, passes: usize) -> Result<Row> {
    let points = hull.vertices().to_vec();
    let budget = 0.01 * passes as f64;
    let us = |seconds: f64| seconds * 1e6;
    let hull_build = us(timing::preparation(budget, || Hull::new(&points)));
    let hull_bytes = hull.heap_bytes();
    let table = DirectionTable::new(hull);
    let hierarchy = Hierarchy::new(hull);
    let clone = timing::preparation(budget, || hull.clone());
    // A clone made before any query does not have the cube map yet.
    let ask = || furthest_as_in_queries(&hull.clone(), &[[1.0, 0.0, 0.0]], &mut [0]);
    let build = [
        us(timing::preparation(budget, || DirectionTable::new(hull))),
        us(timing::preparation(budget, || Hierarchy::new(hull))),
        us((timing::preparation(budget, ask) - clone).max(0.0)),
    ];
    let (brute, from_table) = (BruteForce(hull), LocalSearch::exact(hull).with_table(&table));
    let descend = hierarchy.search_in(hull);
    let parts = directions.random.len().div_ceil(DIRECTIONS_PER_PART);
    let mut ns = Search::ALL.map(|_| vec![f64::INFINITY; parts]);
    let mut evaluated = [0.0; 3];
    let climb = &mut Climb::default();
    let found = &mut vec![0; directions.random.len()];
    let to_f32 =
        |list: &[Vec3]| -> Vec<[f32; 3]> { list.iter().map(|d| d.as_vec3().to_array()).collect() };
    let (random_f32, coherent_f32) = (to_f32(&directions.random), to_f32(&directions.coherent));
    for _ in 0..passes {
        for (search, ns) in Search::ALL.into_iter().zip(&mut ns) {
            let list = directions.of(search);
            let before = climb.evaluated();
            for (i, ns) in ns.iter_mut().enumerate() {
                let part = i * DIRECTIONS_PER_PART..list.len().min((i + 1) * DIRECTIONS_PER_PART);
                let (list, found) = (&list[part.clone()], &mut found[part.clone()]);
                let start = Instant::now();
                match search {
                    Search::Brute => {
                        search_in_sequence(list, found, |d, _| brute.search(d, 0, climb));
                    }
                    Search::Table | Search::TableCoherent => {
                        search_in_sequence(list, found, |d, _| {
                            from_table.search(d, from_table.start(d), climb)
                        });
                    }
                    Search::Coherent => {
                        search_in_sequence(list, found, |d, last| {
                            from_table.search(d, last, climb)
                        });
                    }
                    Search::Hierarchy => {
                        search_in_sequence(list, found, |d, _| descend.search(d, 0, climb));
                    }
                    Search::Query => furthest_as_in_queries(hull, &random_f32[part], found),
                    Search::QueryCoherent => {
                        furthest_as_in_queries(hull, &coherent_f32[part], found);
                    }
                }
                *ns = ns.min(start.elapsed().as_secs_f64() * 1e9);
            }
            let count = (climb.evaluated() - before) as f64 / list.len() as f64;
            match search {
                Search::Table => evaluated[0] = count,
                Search::Coherent => evaluated[1] = count,
                Search::Hierarchy => evaluated[2] = count,
                Search::Brute | Search::TableCoherent | Search::Query | Search::QueryCoherent => {}
            }
            check(hull, search, list, found)?;
        }
    }
    let query_bytes = hull.heap_bytes() - hull_bytes;
    let bytes = [table.bytes(), hierarchy.heap_bytes(), query_bytes];
    let vertices = hull.vertices().len();
    let ns = ns.map(|ns| ns.iter().sum::<f64>() / directions.random.len() as f64);
    Ok(Row { shape, vertices, ns, evaluated, bytes, build, hull_bytes, hull_build })
}

/// Searches in all directions; each search depends on the result of the previous one, so that the
/// processor cannot overlap them.
fn search_in_sequence(
    directions: &[Vec3],
    found: &mut [u32],
    mut search: impl FnMut(Vec3, u32) -> u32,
) {
    let zero = black_box(0);
    let mut last = 0;
    for (i, found) in found.iter_mut().enumerate() {
        last = search(directions[i + (last & zero) as usize], last);
        *found = last;
    }
}

/// Checks that no vertex lies further than the one found, up to rounding. Queries work in `f32`:
/// for them 2e-6 is allowed, a millionth of the hulls' size.
fn check(hull: &Hull, search: Search, directions: &[Vec3], found: &[u32]) -> Result<()> {
    let slack = if matches!(search, Search::Query | Search::QueryCoherent) { 2e-6 } else { 1e-14 };
    for (d, v) in directions.iter().zip(found).step_by(37) {
        let along = |v: &Vec3| v.dot(*d);
        let most = hull.vertices().iter().map(along).fold(f64::NEG_INFINITY, f64::max);
        let here = along(&hull.vertices()[*v as usize]);
        anyhow::ensure!(most - here <= slack, "{}: {most} along {d}, found {here}", search.name());
    }
    Ok(())
}

fn report(arguments: &Arguments, rows: &[Row]) -> Result<PathBuf> {
    let mut report = Report::new(&arguments.common.out, "support", "Support vertices");
    report.paragraph(&format!(
        "The vertex of a hull that lies furthest in a direction: nanoseconds, each search depends on the previous result, as in a query; {} directions, each hundred with their fastest of several passes, the searches in turn. Random directions, except *coherent* ones, which turn by {STEP_DEGREES} degrees from one to the next. *Brute force*, the climbs and the *hierarchy* \
         (Dobkin and Kirkpatrick) are exact, to the last bit. *Queries*: the cube map of `convex::intersects` and related queries, which reads one to a few blocks of eight vertices in `f32` and is furthest to about 6e-7 of the size; queries account for the rest themselves. Shapes: points on ellipsoids with half axes 1, 0.8, 0.6 (ellipsoid), 1, 0.2, 0.2 (rod) and 1, 1, 0.2 (plate), and \
         vertices of the hull of random points in a ball (random).",
        arguments.directions
    ));
    report.heading("Time");
    let mut headings = vec!["hull".to_owned(), "n".to_owned()];
    headings.extend(Search::ALL.map(|search| format!("{}, ns", search.name())));
    headings.extend(["vertices evaluated: table", "last", "hierarchy"].map(str::to_owned));
    let mut table = Table::new(&headings);
    for row in rows {
        let mut cells = vec![row.shape.name().to_owned(), row.vertices.to_string()];
        cells.extend(row.ns.map(short));
        cells.extend(row.evaluated.map(short));
        table.row(&cells);
    }
    report.table(&table);
    for shape in Shape::ALL {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.shape == shape).collect();
        let mut chart = Chart::new(
            format!("Support vertex: {}", shape.name()),
            Axis::log("vertices n"),
            Axis::log("ns per direction"),
        )
        .caption(
            "Each search depends on the previous result. Coherent directions turn by 5 degrees.",
        );
        for (i, search) in Search::ALL.into_iter().enumerate() {
            let points = rows.iter().map(|row| (row.vertices as f64, row.ns[i])).collect();
            chart = chart.series(search.name(), Mark::LineAndDots, points);
        }
        report.figure(
            shape.name(),
            &format!("Time per support vertex, {}", shape.name()),
            &chart,
        )?;
    }
    report.heading("Memory and preparation");
    report.paragraph("Bytes in addition to the hull, and microseconds of processor time to build each structure from the hull; the cube map of queries is built by the first query.");
    let mut table = Table::new([
        "hull",
        "n",
        "hull, bytes",
        "table 8 x 16",
        "hierarchy",
        "queries",
        "hull, \u{3bc}s",
        "table 8 x 16",
        "hierarchy",
        "queries",
    ]);
    for row in rows {
        let mut cells = vec![row.shape.name().to_owned(), row.vertices.to_string()];
        cells.push(short(row.hull_bytes as f64));
        cells.extend(row.bytes.map(|bytes| short(bytes as f64)));
        cells.push(short(row.hull_build));
        cells.extend(row.build.map(short));
        table.row(&cells);
    }
    report.table(&table);
    report.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_search_is_measured_and_correct() {
        let mut random = Random::new(5);
        for shape in Shape::ALL {
            let hull = shape.hull(120, &mut random).unwrap();
            let directions = Directions::new(200, &mut random);
            let row = measure(shape, &hull, &directions, 1).unwrap();
            assert!(
                row.ns.iter().all(|t| t.is_finite() && *t > 0.0)
                    && row.build.iter().all(|t| *t >= 0.0)
            );
            assert!(row.bytes.iter().all(|b| *b > 0));
            assert!(row.evaluated.iter().all(|n| *n >= 4.0 && *n < 120.0), "{:?}", row.evaluated);
        }
    }

    #[test]
    fn coherent_directions_turn_by_the_step() {
        let directions = Directions::new(50, &mut Random::new(6)).coherent;
        for two in directions.windows(2) {
            let angle = two[0].dot(two[1]).acos().to_degrees();
            assert!((angle - STEP_DEGREES).abs() < 1e-6, "{angle}");
        }
    }
}
