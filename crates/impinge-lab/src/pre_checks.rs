//! The tables of Zachmann 1994, section 3.2: what each pre-check saves, and how often each
//! comparison of the point-in-polygon test decides.

use std::time::Instant;

use anyhow::Result;
use impinge::Pose;
use impinge::internals::exact::{OneShotCounts, point_in_polygon_counted};
use impinge::internals::pair::Posed;
use impinge::pair::First;
use impinge_papers::zachmann::edges::{Counts, PreChecks, after_pre_checks, traverse};

use crate::cage::{Flight, Request, flight};
use crate::random::Random;

/// Arguments of `impinge-lab pre-checks`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Frames of the flight.
    #[arg(long, default_value_t = 200)]
    frames: usize,
    /// Where the random numbers start.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A row: its name, the checks, the thesis' average in milliseconds a frame and its speed-up.
const ROWS: [(&str, PreChecks, &str, &str); 5] = [
    ("without any pre-check", PreChecks::NONE, "many seconds", ""),
    ("with edge against object box", PreChecks::OBJECT_BOX, "5000", "1.0"),
    ("with edge against face box", PreChecks::FACE_BOX, "444", "11.3"),
    ("with face collecting", PreChecks::COLLECT, "484", "10.3"),
    ("with relaxed collecting", PreChecks::RELAXED_COLLECT, "470", "10.6"),
];

/// Prints both tables.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Flight { frames, polygons } = flight(arguments.frames, arguments.seed)?;
    let requests: usize = frames.iter().map(Vec::len).sum();
    println!(
        "Ten objects of {polygons} polygons and six walls, {} frames, {} requests a frame.\n",
        frames.len(),
        requests / frames.len().max(1)
    );
    println!(
        "| pre-checks, accumulated | ms a frame | shortest | longest | speed-up | thesis: ms | speed-up | edges near | faces collected | box tests | exact tests | collisions |"
    );
    println!(
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    let mut first_mean = None;
    for (name, checks, paper_ms, paper_ratio) in ROWS {
        // Without any check a frame takes hundreds of times longer: a few are enough.
        let shown =
            if checks == PreChecks::NONE { &frames[..frames.len().min(5)] } else { &frames[..] };
        let Timed { mean, shortest, longest, counts, collisions } = time(shown, &checks);
        let ratio = match first_mean {
            None => String::new(),
            Some(first) => format!("{:.1}", first / mean),
        };
        if checks == PreChecks::OBJECT_BOX {
            first_mean = Some(mean);
        }
        let ratio = if checks == PreChecks::OBJECT_BOX { "1.0".to_owned() } else { ratio };
        let share =
            |part: u64, all: u64| format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64);
        let n = shown.len().max(1) as u64;
        println!(
            "| {name} | {:.3} | {:.3} | {:.3} | {ratio} | {paper_ms} | {paper_ratio} | {} | {} | {} | {} | {collisions} |",
            mean * 1e3,
            shortest * 1e3,
            longest * 1e3,
            share(counts.edges_near, counts.edges),
            share(counts.faces_collected, counts.faces),
            counts.box_tests / n,
            counts.exact_tests / n,
        );
    }
    let (mut said, mut true_ones) = (0, 0);
    for request in frames.iter().flatten() {
        let (a, b) = posed(request);
        let found = after_pre_checks(&a, &b).collision;
        let mut first = First::default();
        traverse(&a, &b, &PreChecks::COLLECT, &mut first);
        said += usize::from(found);
        true_ones += usize::from(first.pair.is_some());
    }
    println!(
        "\nStopping after the pre-checks says \"collision\" {said} times where {true_ones} are; it never misses one.\n"
    );
    one_shot(arguments.seed);
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
fn time(frames: &[Vec<Request>], checks: &PreChecks) -> Timed {
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
                continue; // what the level above the pairwise one prunes, in every row
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
fn one_shot(seed: u64) {
    let mut random = Random::new(seed);
    let mut counts = OneShotCounts::default();
    while counts.edges() < 3_000_000 {
        let n = 3 + (random.bits() % 10) as usize;
        let polygon: Vec<[f64; 2]> = (0..n)
            .map(|i| {
                let angle = std::f64::consts::TAU * i as f64 / n as f64;
                let radius = 0.6 + 0.4 * random.unit();
                [radius * angle.cos(), radius * angle.sin()]
            })
            .collect();
        for _ in 0..20 {
            let q = [random.unit(), random.unit()];
            let _ = point_in_polygon_counted(q, &polygon, &mut counts);
        }
    }
    println!("| pre-check of the point-in-polygon test | decides | thesis |");
    println!("| --- | ---: | ---: |");
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
        println!("| {name} | {:.2} % | {thesis} |", share(part));
    }
    println!("| remaining | {:.2} % | 1 % |", share(counts.remaining));
}
