//! The tables of Zachmann 1994, section 3.2: the time that each pre-check saves, and how often each
//! comparison of the point-in-polygon test decides.

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::Result;
use impinge::Pose;
use impinge::internals::exact::{OneShotCounts, point_in_polygon_counted};
use impinge::internals::pair::Posed;
use impinge::pair::First;
use impinge_papers::zachmann::edges::{Counts, EdgePreChecks, after_pre_checks, traverse};

use crate::cage::{Flight, Request, flight};
use crate::common::Common;
use crate::report::{Progress, Report};
use impinge::internals::Random;

/// Arguments of `impinge-lab pre-checks`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Frames of the flight.
    #[arg(long, default_value_t = 200)]
    frames: usize,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A row: its name, the checks, the thesis' average in milliseconds per frame and its speed-up.
const ROWS: [(&str, EdgePreChecks, &str, &str); 5] = [
    ("without any pre-check", EdgePreChecks::NONE, "many seconds", ""),
    ("with edge against object box", EdgePreChecks::OBJECT_BOX, "5000", "1.0"),
    ("with edge against face box", EdgePreChecks::FACE_BOX, "444", "11.3"),
    ("with face collecting", EdgePreChecks::COLLECT, "484", "10.3"),
    ("with relaxed collecting", EdgePreChecks::RELAXED_COLLECT, "470", "10.6"),
];

/// Measures both tables and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    arguments.common.limit([(&mut arguments.frames, 5)]);
    let mut progress = Progress::new(ROWS.len() + 1);
    let title = "Zachmann 1994, section 3.2: pre-checks of the edge-against-polygon test";
    let mut report = Report::new(&arguments.common.out, "zachmann-3-2", title);
    let Flight { frames, polygons } = flight(arguments.frames, arguments.seed)?;
    let requests: usize = frames.iter().map(Vec::len).sum();
    writeln!(
        report,
        "Ten objects of {polygons} polygons and six walls, {} frames, {} requests a frame.\n",
        frames.len(),
        requests / frames.len().max(1)
    )?;
    writeln!(
        report,
        "| pre-checks, accumulated | ms a frame | shortest | longest | speed-up | thesis: ms | speed-up | edges near | faces collected | box tests | exact tests | collisions |"
    )?;
    writeln!(
        report,
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    )?;
    let mut first_mean = None;
    for (name, checks, paper_ms, paper_ratio) in ROWS {
        progress.step(name);
        // Without any check a frame takes hundreds of times longer, so only a few are measured.
        let shown = if checks == EdgePreChecks::NONE {
            &frames[..frames.len().min(5)]
        } else {
            &frames[..]
        };
        let Timed { mean, shortest, longest, counts, collisions } = time(shown, &checks);
        let ratio = match first_mean {
            None => String::new(),
            Some(first) => format!("{:.1}", first / mean),
        };
        if checks == EdgePreChecks::OBJECT_BOX {
            first_mean = Some(mean);
        }
        let ratio = if checks == EdgePreChecks::OBJECT_BOX { "1.0".to_owned() } else { ratio };
        let share =
            |part: u64, all: u64| format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64);
        let n = shown.len().max(1) as u64;
        writeln!(
            report,
            "| {name} | {:.3} | {:.3} | {:.3} | {ratio} | {paper_ms} | {paper_ratio} | {} | {} | {} | {} | {collisions} |",
            mean * 1e3,
            shortest * 1e3,
            longest * 1e3,
            share(counts.edges_near, counts.edges),
            share(counts.faces_collected, counts.faces),
            counts.box_tests / n,
            counts.exact_tests / n,
        )?;
    }
    let (mut reported, mut collisions) = (0, 0);
    for request in frames.iter().flatten() {
        let (a, b) = posed(request);
        let found = after_pre_checks(&a, &b).collision;
        let mut first = First::default();
        traverse(&a, &b, &EdgePreChecks::COLLECT, &mut first);
        reported += usize::from(found);
        collisions += usize::from(first.pair.is_some());
    }
    writeln!(
        report,
        "\nStopping after the pre-checks reports {reported} collisions where there are {collisions}; it never misses one.\n"
    )?;
    progress.step("points in polygons");
    let edges = if arguments.common.quick { 30_000 } else { 3_000_000 };
    one_shot(edges, arguments.seed, &mut report)?;
    println!("{}", report.finish()?.display());
    Ok(())
}

fn posed(request: &Request) -> (Posed<'_>, Posed<'_>) {
    (Posed::new(&request.a, &Pose::IDENTITY), Posed::new(&request.b, &request.pose))
}

struct Timed {
    mean: f64,
    shortest: f64,
    longest: f64,
    counts: Counts,
    collisions: usize,
}

/// The time of a frame includes moving the vertices, as in the thesis.
fn time(frames: &[Vec<Request>], checks: &EdgePreChecks) -> Timed {
    let mut timed = Timed {
        mean: 0.0,
        shortest: f64::INFINITY,
        longest: 0.0,
        counts: Counts::default(),
        collisions: 0,
    };
    for frame in frames {
        let start = Instant::now();
        for request in frame {
            let (a, b) = posed(request);
            if !a.bounds().overlaps(&b.bounds()) {
                continue; // the broad phase excludes these pairs, in every row
            }
            let mut first = First::default();
            let c = traverse(&a, &b, checks, &mut first);
            timed.collisions += usize::from(first.pair.is_some());
            timed.counts.edges += c.edges;
            timed.counts.edges_near += c.edges_near;
            timed.counts.faces += c.faces;
            timed.counts.faces_collected += c.faces_collected;
            timed.counts.box_tests += c.box_tests;
            timed.counts.exact_tests += c.exact_tests;
        }
        let seconds = start.elapsed().as_secs_f64();
        timed.mean += seconds / frames.len() as f64;
        timed.shortest = timed.shortest.min(seconds);
        timed.longest = timed.longest.max(seconds);
    }
    timed
}

/// The second table: random points against random star-shaped polygons of 3 to 12 corners.
fn one_shot(edges: u64, seed: u64, report: &mut Report) -> Result<()> {
    let mut random = Random::new(seed);
    let mut counts = OneShotCounts::default();
    while counts.edges() < edges {
        let n = 3 + (random.bits() % 10) as usize;
        let polygon: Vec<[f64; 2]> = (0..n)
            .map(|i| {
                let angle = std::f64::consts::TAU * i as f64 / n as f64;
                let radius = 0.6 + 0.4 * random.signed();
                [radius * angle.cos(), radius * angle.sin()]
            })
            .collect();
        for _ in 0..20 {
            let q = [random.signed(), random.signed()];
            let _ = point_in_polygon_counted(q, &polygon, &mut counts);
        }
    }
    writeln!(report, "| pre-check of the point-in-polygon test | decides | thesis |")?;
    writeln!(report, "| --- | ---: | ---: |")?;
    let names = [
        "1: left",
        "2: above",
        "3: below",
        "4: right",
        "5: rising diagonal",
        "6: falling diagonal",
    ];
    let thesis = ["50 %", "22 %", "26 %", "1 %", "0.00003 %", "0.00002 %"];
    let share = |part: u64| 100.0 * part as f64 / counts.edges() as f64;
    for ((name, part), thesis) in names.iter().zip(counts.pre_checks).zip(thesis) {
        writeln!(report, "| {name} | {:.2} % | {thesis} |", share(part))?;
    }
    writeln!(report, "| remaining | {:.2} % | 1 % |", share(counts.remaining))?;
    Ok(())
}
