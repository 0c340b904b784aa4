//! Section 5.5.2: grids of several sizes, by axis-aligned and by oriented boxes.

use anyhow::Result;
use impinge::broad::BroadPhase;
use impinge_papers::zachmann::broad::{Entry, Grid, GridOptions};

use super::Arguments;
use super::cage::Flight;
use crate::report::{Progress, Report, Table, count, short};
use impinge_chart::{Axis, Chart, Mark};

/// The numbers of cells on an axis.
const SIZES: [u32; 5] = [4, 8, 16, 32, 64];

/// The number of progress steps.
pub(super) const STEPS: usize = SIZES.len();

/// The thesis' memory in kB by cells on an axis: of the simple structure, and of the one with
/// indices in both directions.
const MEMORY: [(u32, f64, &str); 5] = [
    (4, 16.0, "24"),
    (8, 16.0, "40"),
    (16, 168.0, "744"),
    (32, 1808.0, "6232"),
    (64, 14_752.0, "\u{2013}"),
];

struct Row {
    size: u32,
    aligned: Measured,
    oriented: Measured,
}

/// Results for one kind of boxes.
struct Measured {
    kilobytes: f64,
    us: f64,
    /// References in the cells, cells entered and left, comparisons, and pairs, per frame.
    entries: f64,
    touched: f64,
    compared: f64,
    pairs: f64,
}

pub(super) fn report(
    arguments: &Arguments,
    progress: &mut Progress,
    report: &mut Report,
) -> Result<()> {
    let flight = Flight::new(100, 10.0, arguments.frames, arguments.seed)?;
    let mut rows = Vec::new();
    for size in SIZES {
        progress.step(&format!("grid of {size}"));
        let options = GridOptions::fixed(flight.cage, size);
        let with_oriented = options.entry(Entry::Oriented);
        rows.push(Row {
            size,
            aligned: measure(&flight, false, options, arguments.passes),
            oriented: measure(&flight, true, with_oriented, arguments.passes),
        });
    }
    report.heading("Section 5.5.2: memory of a grid");
    let mut table = Table::new([
        "cells on an axis",
        "kB",
        "thesis: kB",
        "thesis, with indices: kB",
        "by oriented boxes: kB",
    ]);
    for row in &rows {
        let thesis = MEMORY.iter().find(|m| m.0 == row.size);
        table.row([
            row.size.to_string(),
            short(row.aligned.kilobytes),
            thesis.map_or_else(String::new, |m| count(m.1 as u64)),
            thesis.map_or_else(String::new, |m| m.2.to_owned()),
            short(row.oriented.kilobytes),
        ]);
    }
    report.table(&table);
    let growth = |value: fn(&Row) -> f64| {
        rows.last().map_or(f64::NAN, value) / rows.get(2).map_or(f64::NAN, value)
    };
    report.paragraph(&format!(
        "**We agree** that a fine grid costs memory: from 16 to 64 cells on an axis {:.0} times here, 88 times there. The structure with indices, which the thesis found larger and 1.5 times slower at 32 cells, is not built here.",
        growth(|r| r.aligned.kilobytes),
    ));
    report.heading("Figures 5.20 and 5.21: time of a grid over its size");
    let mut table = Table::new([
        "cells on an axis",
        "aligned, \u{3bc}s",
        "oriented, \u{3bc}s",
        "references: aligned",
        "oriented",
        "entered and left: aligned",
        "oriented",
        "comparisons: aligned",
        "oriented",
        "pairs: aligned",
        "oriented",
    ]);
    for Row { size, aligned, oriented } in &rows {
        let mut cells = vec![size.to_string()];
        for value in [
            |s: &Measured| s.us,
            |s: &Measured| s.entries,
            |s: &Measured| s.touched,
            |s: &Measured| s.compared,
            |s: &Measured| s.pairs,
        ] {
            cells.extend([short(value(aligned)), short(value(oriented))]);
        }
        table.row(&cells);
    }
    report.table(&table);
    let best = |value: fn(&Row) -> f64| {
        rows.iter()
            .min_by(|x, y| value(x).total_cmp(&value(y)))
            .map_or((0, f64::NAN), |r| (r.size, value(r)))
    };
    let (aligned, oriented) = (best(|r| r.aligned.us), best(|r| r.oriented.us));
    let (more, fewer) = rows.last().map_or((f64::NAN, f64::NAN), |r| {
        (r.oriented.us / r.aligned.us, r.oriented.entries / r.aligned.entries)
    });
    report.paragraph(&format!(
        "**Thesis:** updating a grid by oriented boxes will take much longer, but may take less time in total, because it avoids exact checks; Figure 5.21 compares them without exact checks. **Ours:** at the finest grid oriented boxes are in {:.0} % of the cells and take {} times as long; the best grid for aligned boxes has {} cells on an axis ({} \u{3bc}s), for oriented ones {} ({} \u{3bc}s). Oriented boxes leave {} of {} pairs to an exact check.",
        100.0 * fewer,
        short(more),
        aligned.0,
        short(aligned.1),
        oriented.0,
        short(oriented.1),
        short(rows[0].oriented.pairs),
        short(rows[0].aligned.pairs),
    ));
    let points = |value: fn(&Row) -> f64| -> Vec<(f64, f64)> {
        rows.iter().map(|r| (f64::from(r.size), value(r))).collect()
    };
    let chart = Chart::new(
        "A grid over its size",
        Axis::log("cells on an axis"),
        Axis::log("\u{3bc}s a frame"),
    )
    .caption(
        "100 cubes with sides of 1 in a cage with sides of 10; the thesis' Figures 5.20 and 5.21.",
    )
    .series("axis-aligned boxes", Mark::LineAndDots, points(|r| r.aligned.us))
    .series("oriented boxes", Mark::LineAndDots, points(|r| r.oriented.us));
    report.figure("grid", "Time of a grid over its size", &chart)
}

fn measure(flight: &Flight, oriented: bool, options: GridOptions, passes: usize) -> Measured {
    let mut measured =
        Measured { kilobytes: 0.0, us: 0.0, entries: 0.0, touched: 0.0, compared: 0.0, pairs: 0.0 };
    let frames = (flight.bounds.len() - 1) as f64;
    flight.follow(oriented, Grid::with(options), |grid| {
        let stats = grid.stats();
        measured.kilobytes += grid.bytes() as f64 / 1e3 / frames;
        measured.entries += stats.entries as f64 / frames;
        measured.touched += stats.touched as f64 / frames;
        measured.compared += stats.compared as f64 / frames;
    });
    (measured.us, measured.pairs) = flight.time(passes, oriented, || Grid::with(options));
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oriented_boxes_are_in_fewer_cells() {
        let flight = Flight::new(60, 10.0, 15, 2).unwrap();
        let options = GridOptions::fixed(flight.cage, 32);
        let aligned = measure(&flight, false, options, 1);
        let oriented = measure(&flight, true, options.entry(Entry::Oriented), 1);
        assert!(oriented.entries < 0.9 * aligned.entries);
        assert!(oriented.pairs < aligned.pairs && aligned.kilobytes > 100.0);
    }
}
