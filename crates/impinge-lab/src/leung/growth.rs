//! Time of a verdict on coherent motion over the number of vertices, from 10 to 2,000.

use anyhow::Result;

use super::Arguments;
use super::methods::{Method, Replay};
use super::world::{Setting, Shape, record};
use crate::report::{Progress, Report, Table, short};
use impinge_chart::{Axis, Chart, Mark};

/// The numbers of vertices of the bodies.
pub(super) const SIZES: [usize; 8] = [10, 20, 50, 100, 200, 500, 1000, 2000];

/// Motions: name, radii per frame and degrees per frame.
pub(super) const MOTIONS: [(&str, f64, f64); 2] =
    [("5 %, 10 degrees", 0.05, 10.0), ("0.5 %, 1 degree", 0.005, 1.0)];

pub(super) struct Row<const METHODS: usize> {
    pub(super) vertices: usize,
    /// Nanoseconds per test, by motion and method.
    pub(super) ns: [[f64; METHODS]; MOTIONS.len()],
}

/// The exponent of the growth of a method's time with *n*, from the first row to the last.
pub(super) fn power<const METHODS: usize>(
    rows: &[Row<METHODS>],
    motion: usize,
    method: usize,
) -> f64 {
    match rows {
        [first, .., last] => {
            (last.ns[motion][method] / first.ns[motion][method]).ln()
                / (last.vertices as f64 / first.vertices as f64).ln()
        }
        _ => f64::NAN,
    }
}

/// All times, and the exponents of their growth; `headings` are those of the columns after the
/// first.
pub(super) fn table<const METHODS: usize>(headings: Vec<String>, rows: &[Row<METHODS>]) -> Table {
    let headings: Vec<_> = std::iter::once("n".to_owned()).chain(headings).collect();
    let mut table = Table::new(&headings);
    for row in rows {
        let mut cells = vec![row.vertices.to_string()];
        cells.extend(row.ns.iter().flatten().map(|ns| short(*ns)));
        table.row(&cells);
    }
    let mut cells = vec!["grows as *n* to the power".to_owned()];
    for motion in 0..MOTIONS.len() {
        cells.extend((0..METHODS).map(|method| format!("{:.2}", power(rows, motion, method))));
    }
    table.row(&cells);
    table
}

pub(super) fn measure(arguments: &Arguments, progress: &mut Progress) -> Result<Vec<Row<2>>> {
    let mut rows = Vec::new();
    for vertices in SIZES {
        progress.step(&format!("growth: n = {vertices}"));
        let mut ns = [[0.0; 2]; MOTIONS.len()];
        for (ns, (_, velocity, rotation)) in ns.iter_mut().zip(MOTIONS) {
            let defaults =
                Setting::thesis(&Shape::ALL, vertices, 100, arguments.frames, arguments.seed);
            let recording = record(&Setting { velocity, rotation, ..defaults })?;
            let replay = Replay::new(&recording)?;
            *ns = [Method::Vectors, Method::Features]
                .map(|m| replay.time(m, arguments.passes).request);
        }
        rows.push(Row { vertices, ns });
    }
    Ok(rows)
}

pub(super) fn report(rows: &[Row<2>], report: &mut Report) -> Result<()> {
    report.heading("Growth with the number of vertices");
    let mut chart = Chart::new("A verdict on coherent motion, over the number of vertices", Axis::log("vertices n of each body"), Axis::log("ns a test"))
        .caption("100 bodies, a third of each shape; all tests of pairs whose boxes overlap. The thin line has power one.");
    let headings = MOTIONS.iter().flat_map(|(name, ..)| {
        [format!("separating vector, {name}, ns"), format!("closest features, {name}, ns")]
    });
    let table = table(headings.collect(), rows);
    for (method, label) in ["separating vector", "closest features"].into_iter().enumerate() {
        for (motion, (name, ..)) in MOTIONS.into_iter().enumerate() {
            let points = rows.iter().map(|r| (r.vertices as f64, r.ns[motion][method])).collect();
            chart = chart.series(format!("{label}, {name}"), Mark::LineAndDots, points);
        }
    }
    if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
        let (from, to) = (first.vertices as f64, last.vertices as f64);
        let base = first.ns.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        chart = chart.series(
            "proportional to n",
            Mark::Guide,
            vec![(from, base), (to, base * to / from)],
        );
    }
    report.figure("growth", "Growth of a verdict with n", &chart)?;
    report.table(&table);
    report.paragraph(&format!(
        "**Thesis:** with temporal coherence the empirical running time is almost constant in n. **Ours:** from {} to {} vertices the exponent is {:.2} at the thesis' usual motion and {:.2} at a tenth of it, for closest features {:.2} and {:.2}.",
        rows.first().map_or(0, |r| r.vertices),
        rows.last().map_or(0, |r| r.vertices),
        power(rows, 0, 0),
        power(rows, 1, 0),
        power(rows, 0, 1),
        power(rows, 1, 1),
    ));
    Ok(())
}
