//! The quality of the answer against time, for near misses: sphere-trees that stop after a level,
//! and the engine's exact tree that stops after some work.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use impinge::pair::{Budget, first_pair_within};
use impinge::spheres::{BuildOptions, SphereTree};
use impinge::{Mesh, Pose, Verdict, shapes};
use impinge_chart::{Axis, Chart, Mark};
use impinge_papers::hubbard::narrow::NarrowQuery;
use impinge_papers::hubbard::spheres::reaches;
use impinge_samples::shapes as samples;

use super::Arguments;
use crate::report::{Progress, Report, count, short};

/// Distances of near misses, in radii.
const GAPS: [f64; 3] = [0.003, 0.01, 0.05];

/// Passes over a query, and repetitions between two readings of the clock.
const PASSES: usize = 3;
const REPEATS: usize = 8;

/// The number of deadlines for a factor of two, between the shortest and the longest in
/// microseconds.
const DEADLINES_PER_DOUBLING: f64 = 3.0;
const SHORTEST: f64 = 0.05;
const LONGEST: f64 = 400.0;

/// Steps of the search for a pose with the wanted distance.
const BISECTIONS: usize = 40;

/// What a decided answer counts as, so that it can be drawn.
const DECIDED: f64 = 1e-4;

/// A query that ended after some time, and how much it leaves open: an upper bound of the distance
/// in radii, or zero if it decided.
#[derive(Clone, Copy, Debug)]
struct Answer {
    microseconds: f64,
    open: f64,
}

/// Near misses of two copies of a body at one distance.
pub(super) struct Misses {
    body: &'static str,
    triangles: usize,
    gap: f64,
    /// By deadline in microseconds: the mean of what sphere-trees and the exact tree leave open.
    curves: Vec<(f64, [f64; 2])>,
    /// The mean microseconds until they decide.
    decided: [f64; 2],
}

impl Misses {
    /// The deadlines at which sphere-trees leave less open.
    fn won(&self) -> Vec<f64> {
        let better = self.curves.iter().filter(|(_, [spheres, exact])| *spheres < 0.99 * exact);
        better.map(|(deadline, _)| *deadline).collect()
    }
}

/// Measures all bodies at all distances.
pub(super) fn measure(arguments: &Arguments, progress: &mut Progress) -> Result<Vec<Misses>> {
    let mut bodies = vec![
        ("lamp", samples::lamp(1.0, 14, 2)?),
        ("torus", shapes::torus(1.0, 0.4, 48, 24)?),
        ("torus", shapes::torus(1.0, 0.4, 144, 72)?),
        ("torus", shapes::torus(1.0, 0.4, 360, 180)?),
    ];
    arguments.common.shorten(&mut bodies, 1);
    let mut poses = arguments.poses;
    arguments.common.limit([(&mut poses, 2)]);
    let mut all = Vec::new();
    for (body, mesh) in bodies {
        progress.step(&format!("near misses: {body}, {} triangles", mesh.triangles().len()));
        mesh.prepare();
        let options = if arguments.common.quick {
            BuildOptions::default().balls([4, 12]).rounds(2)
        } else {
            BuildOptions::default()
        };
        let tree = SphereTree::build(&mesh, &options)?;
        for gap in GAPS {
            all.push(misses(body, &mesh, &tree, gap, poses, arguments.seed)?);
        }
    }
    Ok(all)
}

fn misses(
    body: &'static str,
    mesh: &Mesh,
    tree: &SphereTree,
    gap: f64,
    count: usize,
    seed: u64,
) -> Result<Misses> {
    let radius = tree.level(0)[0].ball.radius;
    let center = tree.level(0)[0].ball.center;
    let mut random = impinge::internals::Random::new(seed);
    let known = reaches(mesh, tree);
    let mut query = NarrowQuery::new((mesh, tree), (mesh, tree)).reaches(&known, &known);
    let mut answers: [Vec<Vec<Answer>>; 2] = [Vec::new(), Vec::new()];
    while answers[0].len() < count {
        let rotation = random.rotation().to_array();
        let way = random.direction();
        let at = |t: f64| Pose::from_quaternion(rotation, center + way * t);
        let pose = near_miss(mesh, &at, gap * radius, 2.5 * radius)?;
        let distance = impinge::distance(mesh, mesh, &pose).context("there are triangles")?;
        // The distance jumps where the bodies are stuck into each other.
        if (distance.upper / (gap * radius) - 1.0).abs() > 0.05 {
            continue;
        }
        let mut by_level = Vec::new();
        for level in 1..=tree.levels() + 1 {
            let limit = if level > tree.levels() { u32::MAX } else { level as u32 };
            let mut left = 0.0;
            let microseconds = time(|| match query.within(&pose, &mut Budget::depth(limit)) {
                Verdict::Undecided(known) => left = known.gap.min(known.solid_gap),
                _ => left = 0.0,
            });
            ensure!(left == 0.0 || left >= distance.lower * (1.0 - 1e-9), "wrong at {pose:?}");
            by_level.push(Answer { microseconds, open: left / radius });
            if left == 0.0 {
                break;
            }
        }
        answers[0].push(by_level);
        let mut by_steps = Vec::new();
        for doublings in 0..40 {
            let steps = 1_u64 << doublings;
            let mut left = 0.0;
            let budget = || Budget::steps(steps);
            let microseconds = time(|| match first_pair_within(mesh, mesh, &pose, &mut budget()) {
                Verdict::Undecided(known) => left = known.upper,
                _ => left = 0.0,
            });
            ensure!(left == 0.0 || left >= distance.lower * (1.0 - 1e-9), "wrong at {pose:?}");
            by_steps.push(Answer { microseconds, open: left / radius });
            if left == 0.0 {
                break;
            }
        }
        answers[1].push(by_steps);
    }
    let mut curves = Vec::new();
    let mut deadline = SHORTEST;
    while deadline <= LONGEST {
        let open = [0, 1].map(|k| {
            let sum: f64 = answers[k].iter().map(|list| left_open(list, deadline)).sum();
            sum / count as f64
        });
        curves.push((deadline, open));
        deadline *= (1.0 / DEADLINES_PER_DOUBLING).exp2();
    }
    let decided = [0, 1].map(|k| {
        let last = |list: &Vec<Answer>| list.last().map_or(0.0, |a| a.microseconds);
        answers[k].iter().map(last).sum::<f64>() / count as f64
    });
    Ok(Misses { body, triangles: mesh.triangles().len(), gap, curves, decided })
}

/// A pose along a line at which the surfaces are about `gap` apart.
fn near_miss(
    mesh: &Mesh,
    at: &dyn Fn(f64) -> Result<Pose, impinge::Error>,
    gap: f64,
    far: f64,
) -> Result<Pose> {
    let (mut low, mut high) = (0.0, far);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        let distance = impinge::distance(mesh, mesh, &at(middle)?).map_or(0.0, |d| d.upper);
        if distance > gap { high = middle } else { low = middle }
    }
    Ok(at(high)?)
}

/// What the best answer up to a deadline leaves open; that of no answer is two radii.
fn left_open(answers: &[Answer], deadline: f64) -> f64 {
    let in_time = answers.iter().filter(|a| a.microseconds <= deadline);
    in_time.map(|a| a.open).fold(2.0, f64::min)
}

/// Microseconds of a query, the fastest of some passes.
fn time(mut query: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..PASSES {
        let start = Instant::now();
        for _ in 0..REPEATS {
            query();
            black_box(());
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / REPEATS as f64);
    }
    best
}

/// Adds the section to the report.
pub(super) fn report(report: &mut Report, all: &[Misses]) -> Result<()> {
    report.heading("When does a sphere-tree beat the exact tree?");
    report.paragraph(&format!(
        "Two copies of a body miss each other by a share of its radius, in random poses. Sphere-trees are those of `SphereTree::build` with at most 8, 64 and 512 balls, stopped after a level; the exact tree is stopped after 1, 2, 4, ... units of work (`first_pair_within`). *Open* is the certified upper bound of the distance that an undecided answer has, in radii; a decided answer leaves nothing open, drawn as {DECIDED}; without an answer it is 2. The curves are means over the poses of the best answer that is complete at a deadline."
    ));
    for (number, of_body) in all.chunks(GAPS.len()).enumerate() {
        let title = format!(
            "What an answer leaves open: {} of {} triangles",
            of_body[0].body,
            count(of_body[0].triangles as u64)
        );
        let axis = |gap: f64| {
            Axis::log(format!("deadline in \u{3bc}s, {} % of the radius apart", short(100.0 * gap)))
        };
        let open = || Axis::log("open, in radii");
        let mut chart = Chart::new(title.clone(), axis(of_body[0].gap), open());
        for (k, misses) in of_body.iter().enumerate() {
            if k > 0 {
                chart = chart.panel(axis(misses.gap), open());
            }
            let curve = |k: usize| -> Vec<(f64, f64)> {
                misses.curves.iter().map(|(t, open)| (*t, open[k].max(DECIDED))).collect()
            };
            chart = chart.series("sphere-trees", Mark::Line, curve(0)).series(
                "our exact tree",
                Mark::Line,
                curve(1),
            );
        }
        report.figure(&format!("graded-{}", number + 1), &title, &chart)?;
    }
    let mut table = crate::report::Table::new([
        "body",
        "triangles",
        "apart, % of the radius",
        "\u{3bc}s to a decision: spheres",
        "exact tree",
        "deadlines at which spheres leave less open, \u{3bc}s",
    ]);
    for misses in all {
        let won = misses.won();
        let range = match (won.first(), won.last()) {
            (Some(first), Some(last)) => format!("{} to {}", short(*first), short(*last)),
            _ => "none".to_owned(),
        };
        table.row([
            misses.body.to_owned(),
            count(misses.triangles as u64),
            short(100.0 * misses.gap),
            short(misses.decided[0]),
            short(misses.decided[1]),
            range,
        ]);
    }
    report.table(&table);
    let some = all.iter().filter(|m| !m.won().is_empty()).count();
    let faster = all.iter().filter(|m| m.decided[0] < m.decided[1]).count();
    let longest = all.iter().flat_map(Misses::won).fold(0.0, f64::max);
    report.paragraph(&match some {
        0 => format!(
            "At no deadline does a sphere-tree leave less open than the exact tree, in any of the {} cases; it decides sooner in {faster} of them.",
            all.len()
        ),
        some => format!(
            "There are deadlines at which a sphere-tree leaves less open than the exact tree in {some} of {} cases, the longest of {} \u{3bc}s; it decides sooner in {faster} of them.",
            all.len(),
            short(longest)
        ),
    });
    Ok(())
}
