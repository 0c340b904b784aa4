//! Supporting vertices: nanoseconds, bytes and preparation of each way to find the vertex of a hull
//! that lies furthest in a direction.
//!
//! Leung 1996, sections 2.5, 3.3 and 3.5. Every direction waits for the answer to the one before,
//! as it does in a query.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use impinge::Vec3;
use impinge::convex::Hull;
use impinge::internals::furthest_as_in_queries;
use impinge::internals::support::{Climb, VertexSearch};
use impinge_papers::leung::{BruteForce, DirectionTable, Hierarchy, LocalSearch};

use crate::bodies::{Shape, direction};
use crate::chart::{Axis, Chart, Mark};
use crate::random::Random;
use crate::report::{Progress, Report, Table, short};
use crate::timing;

/// Arguments of `impinge-lab support`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where the results go.
    #[arg(long, default_value = "docs/results", value_name = "DIR")]
    out: PathBuf,
    /// Directions of a pass.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    directions: usize,
    /// The fastest of so many passes counts.
    #[arg(long, default_value_t = 15, value_name = "N")]
    passes: usize,
    /// Where the random numbers start.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Two sizes and a few passes only.
    #[arg(long)]
    quick: bool,
}

const SIZES: [usize; 8] = [10, 20, 50, 100, 200, 500, 1000, 2000];

/// Directions that are timed together; each part counts with its fastest pass, so that no pass need
/// be left alone as a whole by whatever else the machine does.
const PART: usize = 100;

/// Degrees from one coherent direction to the next.
const STEP: f64 = 5.0;

/// A way to find a supporting vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Brute,
    /// Climbing from the vertex of a table of 8 x 16 directions.
    Table,
    /// The same, in directions that turn a little.
    TableCoherent,
    /// Climbing from the last answer, in directions that turn a little.
    Coherent,
    Hierarchy,
    /// The cube map of queries, in `f32`.
    Query,
    /// The same, in directions that turn a little.
    QueryCoherent,
}

impl Way {
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

/// What one hull gave.
struct Row {
    shape: Shape,
    vertices: usize,
    /// Nanoseconds a support, by way.
    ns: [f64; Way::ALL.len()],
    /// Vertices looked at by the climb from the table, the climb from the last and in the
    /// hierarchy.
    looked_at: [f64; 3],
    /// What the table, the hierarchy and queries take beside the hull.
    bytes: [usize; 3],
    /// Microseconds to make them.
    build: [f64; 3],
    /// And the hull itself.
    hull_bytes: usize,
    hull_build: f64,
}

/// Measures every hull and writes the report.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let sizes = if arguments.quick { &[10, 100][..] } else { &SIZES[..] };
    let passes = if arguments.quick { 2 } else { arguments.passes.max(1) };
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

/// Directions to ask for.
struct Directions {
    random: Vec<Vec3>,
    /// Each some degrees from the one before.
    coherent: Vec<Vec3>,
}

impl Directions {
    fn new(count: usize, random: &mut Random) -> Self {
        let mut d = direction(random);
        let coherent = (0..count).map(|_| {
            let sideways = direction(random).cross(d).normalize_or_zero();
            d = (d + sideways * STEP.to_radians().tan()).normalize();
            d
        });
        let coherent = coherent.collect();
        Self { random: (0..count).map(|_| direction(random)).collect(), coherent }
    }

    fn of(&self, way: Way) -> &[Vec3] {
        if way.is_coherent() { &self.coherent } else { &self.random }
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
    // A clone made before any query has its tables still to make.
    let ask = || furthest_as_in_queries(&hull.clone(), &[[1.0, 0.0, 0.0]], &mut [0]);
    let build = [
        us(timing::preparation(budget, || DirectionTable::new(hull))),
        us(timing::preparation(budget, || Hierarchy::new(hull))),
        us((timing::preparation(budget, ask) - clone).max(0.0)),
    ];
    let (brute, from_table) = (BruteForce(hull), LocalSearch::exact(hull).with_table(&table));
    let descend = hierarchy.search_in(hull);
    let parts = directions.random.len().div_ceil(PART);
    let mut ns = Way::ALL.map(|_| vec![f64::INFINITY; parts]);
    let mut looked_at = [0.0; 3];
    let climb = &mut Climb::default();
    let found = &mut vec![0; directions.random.len()];
    let rough =
        |list: &[Vec3]| -> Vec<[f32; 3]> { list.iter().map(|d| d.as_vec3().to_array()).collect() };
    let (rough_random, rough_coherent) = (rough(&directions.random), rough(&directions.coherent));
    for _ in 0..passes {
        for (way, ns) in Way::ALL.into_iter().zip(&mut ns) {
            let list = directions.of(way);
            let before = climb.evaluated();
            for (i, ns) in ns.iter_mut().enumerate() {
                let part = i * PART..list.len().min((i + 1) * PART);
                let (list, found) = (&list[part.clone()], &mut found[part.clone()]);
                let start = Instant::now();
                match way {
                    Way::Brute => in_a_row(list, found, |d, _| brute.search(d, 0, climb)),
                    Way::Table | Way::TableCoherent => in_a_row(list, found, |d, _| {
                        from_table.search(d, from_table.start(d), climb)
                    }),
                    Way::Coherent => {
                        in_a_row(list, found, |d, last| from_table.search(d, last, climb));
                    }
                    Way::Hierarchy => in_a_row(list, found, |d, _| descend.search(d, 0, climb)),
                    Way::Query => furthest_as_in_queries(hull, &rough_random[part], found),
                    Way::QueryCoherent => {
                        furthest_as_in_queries(hull, &rough_coherent[part], found);
                    }
                }
                *ns = ns.min(start.elapsed().as_secs_f64() * 1e9);
            }
            let looked = (climb.evaluated() - before) as f64 / list.len() as f64;
            match way {
                Way::Table => looked_at[0] = looked,
                Way::Coherent => looked_at[1] = looked,
                Way::Hierarchy => looked_at[2] = looked,
                Way::Brute | Way::TableCoherent | Way::Query | Way::QueryCoherent => {}
            }
            check(hull, way, list, found)?;
        }
    }
    let query_bytes = hull.heap_bytes() - hull_bytes;
    let bytes = [table.bytes(), hierarchy.heap_bytes(), query_bytes];
    let vertices = hull.vertices().len();
    let ns = ns.map(|ns| ns.iter().sum::<f64>() / directions.random.len() as f64);
    Ok(Row { shape, vertices, ns, looked_at, bytes, build, hull_bytes, hull_build })
}

/// Answers every direction; none begins before the answer to the last is there.
fn in_a_row(directions: &[Vec3], found: &mut [u32], mut search: impl FnMut(Vec3, u32) -> u32) {
    let nothing = black_box(0);
    let mut last = 0;
    for (i, found) in found.iter_mut().enumerate() {
        last = search(directions[i + (last & nothing) as usize], last);
        *found = last;
    }
}

/// That no vertex lies further than the one found: not at all, or for queries by less than a
/// millionth of the size.
fn check(hull: &Hull, way: Way, directions: &[Vec3], found: &[u32]) -> Result<()> {
    let slack = if matches!(way, Way::Query | Way::QueryCoherent) { 2e-6 } else { 1e-14 };
    for (d, v) in directions.iter().zip(found).step_by(37) {
        let along = |v: &Vec3| v.dot(*d);
        let most = hull.vertices().iter().map(along).fold(f64::NEG_INFINITY, f64::max);
        let here = along(&hull.vertices()[*v as usize]);
        anyhow::ensure!(most - here <= slack, "{}: {most} along {d}, found {here}", way.name());
    }
    Ok(())
}

fn report(arguments: &Arguments, rows: &[Row]) -> Result<PathBuf> {
    let mut report = Report::new(&arguments.out, "support", "Supporting vertices");
    report.paragraph(&format!(
        "The vertex of a hull that lies furthest in a direction: nanoseconds, each direction waiting for the answer before it, as in a query; {} directions, each hundred with their fastest of several passes, the ways in turn. Random directions, except *coherent* ones, which turn by {STEP} degrees from one to the next. *Brute force*, the climbs and the *hierarchy* \
         (Dobkin and Kirkpatrick) are exact, to the last bit. *Queries*: the cube map of `convex::intersects` and its kin, which looks at one to a few blocks of eight vertices in `f32` and is furthest to about 6e-7 of the size; what that leaves open, queries settle themselves. Shapes: points on ellipsoids with half axes 1, 0.8, 0.6 (ellipsoid), 1, 0.2, 0.2 (rod) and 1, 1, 0.2 (plate), and \
         outermost points of a ball full of points (random).",
        arguments.directions
    ));
    report.heading("Time");
    let mut heads = vec!["hull".to_owned(), "n".to_owned()];
    heads.extend(Way::ALL.map(|way| format!("{}, ns", way.name())));
    heads.extend(["looked at: table", "last", "hierarchy"].map(str::to_owned));
    let mut table = Table::new(&heads);
    for row in rows {
        let mut cells = vec![row.shape.name().to_owned(), row.vertices.to_string()];
        cells.extend(row.ns.map(short));
        cells.extend(row.looked_at.map(short));
        table.row(&cells);
    }
    report.table(&table);
    for shape in Shape::ALL {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.shape == shape).collect();
        let mut chart = Chart::new(
            format!("A supporting vertex: {}", shape.name()),
            Axis::log("vertices n"),
            Axis::log("ns a direction"),
        )
        .caption("Each direction waits for the answer to the one before. Coherent directions turn by 5 degrees.");
        for (i, way) in Way::ALL.into_iter().enumerate() {
            let points = rows.iter().map(|row| (row.vertices as f64, row.ns[i])).collect();
            chart = chart.series(way.name(), Mark::LineAndDots, points);
        }
        report.figure(shape.name(), &format!("Time of a support, {}", shape.name()), &chart)?;
    }
    report.heading("Memory and preparation");
    report.paragraph("Bytes beside the hull, and microseconds on the processor to make them from the hull; the table of queries is made on the first query.");
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
    fn every_way_is_measured_and_right() {
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
            assert!(row.looked_at.iter().all(|n| *n >= 4.0 && *n < 120.0), "{:?}", row.looked_at);
        }
    }

    #[test]
    fn coherent_directions_turn_by_the_step() {
        let directions = Directions::new(50, &mut Random::new(6)).coherent;
        for two in directions.windows(2) {
            let angle = two[0].dot(two[1]).acos().to_degrees();
            assert!((angle - STEP).abs() < 1e-6, "{angle}");
        }
    }
}
