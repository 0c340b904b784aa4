//! Leung's pipeline (1996, section 3.1): the time of each stage and the number of pairs that pass
//! it, over the number of bodies and their velocity.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use impinge::Pose;
use impinge::convex::{self, Hull};

use super::follow::{LastStage, Run, follow};
use super::scene::{BodyKind, Motion, Scene};
use super::{Arguments, stage};
use crate::report::{Progress, Report, Table, count, short};
use impinge_chart::{Axis, Chart, Mark};

/// The numbers of bodies.
const BODIES: [usize; 5] = [100, 250, 500, 1000, 2000];
/// In percent of the radius per frame.
const VELOCITIES: [f64; 4] = [2.0, 5.0, 10.0, 20.0];
/// In degrees per frame, as in the thesis.
const ROTATION: f64 = 10.0;

/// The number of progress steps.
pub(super) const STEPS: usize = BODIES.len() + VELOCITIES.len();

/// Times of a flight in microseconds per frame.
struct Row {
    bodies: usize,
    velocity: f64,
    boxes: f64,
    vectors: f64,
    closest: f64,
    /// Mean numbers per frame: pairs of overlapping boxes, intersecting pairs, and pairs that
    /// started to intersect.
    pairs: f64,
    meeting: f64,
    began: f64,
}

impl Row {
    fn all(&self) -> f64 {
        self.boxes + self.vectors + self.closest
    }
}

pub(super) fn report(
    arguments: &Arguments,
    progress: &mut Progress,
    report: &mut Report,
) -> Result<()> {
    let mut measure = |bodies: usize, velocity: f64| -> Result<Row> {
        progress.step(&format!("pipeline: {bodies} bodies, {velocity} %"));
        row(arguments, bodies, velocity)
    };
    let by_bodies: Vec<Row> = BODIES.iter().map(|n| measure(*n, 5.0)).collect::<Result<_>>()?;
    let by_velocity: Vec<Row> =
        VELOCITIES.iter().map(|v| measure(500, *v)).collect::<Result<_>>()?;
    report.heading("Leung 1996, section 3.1: the pipeline");
    report.paragraph(
        "The thesis proposes four steps: partition space, sweep boxes within each region, search a separating vector for pairs whose boxes overlap, and, when two bodies start to intersect, compute their closest points in the frame before. Here one broad phase does the first two; the third tests hulls from the last separating vector; the fourth is `convex::distance` for every pair that started to intersect, at its poses one frame earlier. \
         Hulls of 20 to 100 vertices move straight and rotate by ten degrees a frame; the thesis' bodies also reverse when they collide. One thread, microseconds a frame.",
    );
    report.table(&table(&by_bodies));
    report.table(&table(&by_velocity));
    if let (Some(first), Some(last)) = (by_bodies.first(), by_bodies.last()) {
        let power = |of: fn(&Row) -> f64| {
            (of(last) / of(first)).ln() / (last.bodies as f64 / first.bodies as f64).ln()
        };
        report.paragraph(&format!(
            "**Thesis:** sweep and prune takes expected O(n + e) for n boxes and e overlaps, and a separating vector nearly constant time. **Ours:** from {} to {} bodies the stages of boxes grow as n^{:.2}, those of pairs as n^{:.2}, and a test takes {} and {} ns.",
            first.bodies,
            last.bodies,
            power(|r| r.boxes),
            power(|r| r.vectors),
            short(1e3 * first.vectors / first.pairs),
            short(1e3 * last.vectors / last.pairs),
        ));
    }
    if let (Some(slow), Some(fast)) = (by_velocity.first(), by_velocity.last()) {
        let max = by_velocity.iter().map(|r| r.closest / r.all()).fold(0.0, f64::max);
        report.paragraph(&format!(
            "**Thesis** (Figures 6.6 to 6.9, curves without numbers in our copy): with velocity the time of separating vectors grows slightly, and closest points after a collision add little, because few pairs collide. **Ours:** from {} % to {} % of the radius a frame a test takes {:.2} times as long; closest points are at most {:.1} % of the time. Leung's figures are in [leung.md](leung.md), compared with closest features.",
            short(slow.velocity),
            short(fast.velocity),
            (fast.vectors / fast.pairs) / (slow.vectors / slow.pairs),
            100.0 * max,
        ));
    }
    let points = |of: fn(&Row) -> f64| -> Vec<(f64, f64)> {
        by_bodies.iter().map(|r| (r.bodies as f64, of(r))).collect()
    };
    let chart = Chart::new(
        "The pipeline over the number of bodies",
        Axis::log("bodies"),
        Axis::log("\u{3bc}s a frame"),
    )
    .caption("Hulls of 20 to 100 vertices, 5 % of the radius and ten degrees a frame, one thread.")
    .series("boxes and broad phase", Mark::LineAndDots, points(|r| r.boxes))
    .series("separating vectors", Mark::LineAndDots, points(|r| r.vectors))
    .series("closest points", Mark::LineAndDots, points(|r| r.closest))
    .series("together", Mark::Line, points(Row::all));
    report.figure("pipeline", "Cost of each stage over the number of bodies", &chart)
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new([
        "bodies",
        "velocity, % of the radius",
        "all pairs",
        "boxes overlap",
        "intersect",
        "started to intersect, a frame",
        "boxes and broad phase, \u{3bc}s",
        "separating vectors, \u{3bc}s",
        "closest points, \u{3bc}s",
        "ns a test",
    ]);
    for row in rows {
        table.row([
            row.bodies.to_string(),
            short(row.velocity),
            count((row.bodies * row.bodies.saturating_sub(1) / 2) as u64),
            short(row.pairs),
            short(row.meeting),
            short(row.began),
            short(row.boxes),
            short(row.vectors),
            short(row.closest),
            short(1e3 * row.vectors / row.pairs),
        ]);
    }
    table
}

fn row(arguments: &Arguments, bodies: usize, velocity: f64) -> Result<Row> {
    let motion = Motion::Billiard { velocity: velocity / 100.0, rotation: ROTATION };
    let scene = Scene::new(BodyKind::Hulls, motion, bodies, arguments.frames, arguments.seed)?;
    let boxes = follow(&scene, LastStage::Boxes, 1, arguments.passes)?;
    let all = follow(&scene, LastStage::Verdict, 1, arguments.passes)?;
    let frames = all.ms.len().max(1) as f64;
    Ok(Row {
        bodies,
        velocity,
        boxes: 1e3 * boxes.mean(),
        vectors: 1e3 * stage(&all, &boxes),
        closest: closest(&scene, &all, arguments.passes)? / frames,
        pairs: all.average(|s| s.pairs),
        meeting: all.average(|s| s.meeting),
        began: all.began.len() as f64 / frames,
    })
}

/// Microseconds for the closest points of all pairs that started to intersect, at their poses one
/// frame earlier.
fn closest(scene: &Scene, run: &Run, passes: usize) -> Result<f64> {
    let hulls: Vec<Arc<Hull>> =
        scene.forms.iter().map(super::scene::Form::hull).collect::<Result<_>>()?;
    let mut best = f64::INFINITY;
    for _ in 0..passes.max(1) {
        let start = Instant::now();
        for (frame, [i, j]) in &run.began {
            let poses = &scene.poses[frame - 1];
            let pose = Pose::relative(&poses[*i], &poses[*j]);
            black_box(convex::distance(&hulls[scene.of[*i]], &hulls[scene.of[*j]], &pose));
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_passes_fewer_pairs() {
        let motion = Motion::Billiard { velocity: 0.1, rotation: ROTATION };
        let scene = Scene::new(BodyKind::Hulls, motion, 60, 20, 1).unwrap();
        let all = follow(&scene, LastStage::Verdict, 1, 2).unwrap();
        let (pairs, meeting) = (all.average(|s| s.pairs), all.average(|s| s.meeting));
        assert!(
            pairs < 1770.0 && pairs > 10.0 && meeting < pairs && meeting > 0.0,
            "{pairs} {meeting}"
        );
        assert!(!all.began.is_empty());
        assert!(closest(&scene, &all, 1).unwrap() > 0.0);
        let hulls = follow(&scene, LastStage::Hulls, 2, 1).unwrap();
        assert_eq!(hulls.began, all.began);
        assert_eq!(follow(&scene, LastStage::Boxes, 1, 1).unwrap().average(|s| s.checked), 0.0);
    }
}
