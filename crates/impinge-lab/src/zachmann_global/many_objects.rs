//! The broad phases over the number of objects, at the thesis' density.

use anyhow::Result;
use impinge::broad::{AllPairs, BroadPhase, PhaseKind};
use impinge_papers::zachmann::broad::SWEEP;
use impinge_papers::zachmann::broad::{Grid, GridOptions, Octree, OctreeOptions};

use super::Arguments;
use super::cage::Flight;
use crate::report::{Progress, Report, Table, short};
use impinge_chart::{Axis, Chart, Mark};

/// The numbers of objects.
const OBJECTS: [usize; 6] = [10, 30, 100, 300, 1000, 3000];
/// The broad phases compared, in the order of the columns.
const NAMES: [&str; 5] = [
    "all pairs",
    "octree, cells of about 1",
    "grid, cells of about 1",
    "sweep and prune",
    "neighbours",
];

/// The number of progress steps.
pub(super) const STEPS: usize = OBJECTS.len();

pub(super) fn report(
    arguments: &Arguments,
    progress: &mut Progress,
    report: &mut Report,
) -> Result<()> {
    let mut table = Table::new(std::iter::once("objects").chain(NAMES).chain(["pairs a frame"]));
    let mut rows = Vec::new();
    for objects in OBJECTS {
        progress.step(&format!("{objects} objects"));
        // As dense as 100 objects in a cage with sides of 10.
        let side = 10.0 * (objects as f64 / 100.0).cbrt();
        let frames = (arguments.frames * 100 / objects).clamp(20, arguments.frames.max(20));
        let flight = Flight::new(objects, side, frames, arguments.seed)?;
        let depth = side.log2().round().clamp(1.0, 7.0) as u32;
        let cells = side.round().max(1.0) as u32;
        let constructors: [&dyn Fn() -> Box<dyn BroadPhase>; 5] = [
            &|| Box::new(AllPairs::new()),
            &|| Box::new(Octree::with(OctreeOptions::fixed(flight.cage, depth))),
            &|| Box::new(Grid::with(GridOptions::fixed(flight.cage, cells))),
            &|| SWEEP.make(),
            &|| PhaseKind::NEIGHBOURS.make(),
        ];
        let timed =
            constructors.map(|make| flight.time(arguments.passes, false, || BoxedPhase(make())));
        anyhow::ensure!(
            timed.iter().all(|t| (t.1 - timed[0].1).abs() < 1e-9),
            "broad phases find different pairs of {objects} objects"
        );
        let mut line = vec![objects.to_string()];
        line.extend(timed.iter().map(|t| short(t.0)));
        line.push(short(timed[0].1));
        table.row(&line);
        rows.push((objects, timed.map(|t| t.0)));
    }
    report.heading("Over the number of objects");
    report.paragraph("Microseconds a frame in a cage that grows with the number of objects; octree and grid have cells about as large as objects.");
    report.table(&table);
    let from = rows.iter().find(|r| r.1[2] < r.1[0]).map(|r| r.0);
    let neighbours = rows.iter().find(|r| r.1[4] < r.1[0]).map(|r| r.0);
    let or_none = |n: Option<usize>| n.map_or("more than measured".to_owned(), |n| n.to_string());
    report.paragraph(&format!(
        "The thesis has no such table. A grid is faster than all pairs from {} objects on, `neighbours` from {}.",
        or_none(from),
        or_none(neighbours),
    ));
    let mut chart = Chart::new(
        "Broad phases over the number of objects",
        Axis::log("objects"),
        Axis::log("\u{3bc}s a frame"),
    )
    .caption("Cubes with sides of 1, as dense as 100 in a cage with sides of 10.");
    for (k, name) in NAMES.into_iter().enumerate() {
        let points = rows.iter().map(|(n, us)| (*n as f64, us[k])).collect();
        chart = chart.series(name, Mark::LineAndDots, points);
    }
    report.figure("objects", "Time of broad phases over the number of objects", &chart)
}

/// A boxed broad phase, for the generic `Flight::time`.
#[derive(Debug)]
struct BoxedPhase(Box<dyn BroadPhase>);

impl BroadPhase for BoxedPhase {
    fn update(
        &mut self,
        frame: &impinge::broad::FrameInput<'_>,
        budget: &mut impinge::pair::Budget<'_>,
        changes: &mut impinge::broad::Changes,
    ) -> impinge::broad::Completeness {
        self.0.update(frame, budget, changes)
    }

    fn pairs(&self, to: &mut Vec<impinge::broad::Pair>) {
        self.0.pairs(to);
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
