//! Section 5.4.4: the levels of an octree's pointers, its memory, and its time over the depth.

use anyhow::Result;
use impinge::broad::BroadPhase;
use impinge_papers::zachmann::broad::{Entry, Octree, OctreeOptions};

use super::Arguments;
use super::cage::Flight;
use crate::report::{Progress, Report, Table, count, short};
use impinge_chart::{Axis, Chart, Mark};

/// Depths of the octree. At larger depths a rotated cube has thousands of octants.
const DEPTHS: [u32; 6] = [1, 2, 3, 4, 5, 6];

/// The number of progress steps.
pub(super) const STEPS: usize = DEPTHS.len();

/// The thesis' shares of pointers at each depth, in percent, by the tree's depth.
const SHARES: [(u32, &str); 4] = [
    (2, "0 / 100"),
    (3, "0 / 0 / 100"),
    (4, "0 / 0 / 0.6 / 99.4"),
    (5, "0 / 0 / 0.03 / 3.5 / 96.4"),
];

/// The thesis' memory in kB, and its calls of malloc, realloc and free per frame, by the tree's
/// depth.
const MEMORY: [(u32, f64, &str); 4] = [
    (2, 8.0, "9.4 / 78.7 / 9.4"),
    (3, 16.0, "113.7 / 78.2 / 113.7"),
    (4, 264.0, "839 / 55 / 839"),
    (5, 2264.0, "4821 / 14 / 4818"),
];

struct Row {
    depth: u32,
    /// Share of all references, by level below the root.
    shares: Vec<f64>,
    kilobytes: f64,
    touched: f64,
    compared: f64,
    /// Microseconds per frame: rebuilt, updated by the difference, and with oriented boxes.
    rebuilt: f64,
    moved: f64,
    oriented: f64,
}

pub(super) fn report(
    arguments: &Arguments,
    progress: &mut Progress,
    report: &mut Report,
) -> Result<()> {
    let flight = Flight::new(100, 10.0, arguments.frames, arguments.seed)?;
    let mut rows = Vec::new();
    for depth in DEPTHS {
        progress.step(&format!("octree of depth {depth}"));
        rows.push(measure(&flight, depth, arguments.passes));
    }
    report.heading("Section 5.4.4: pointers in an octree");
    let mut table = Table::new(["depth", "at depth 1 / 2 / ..., %", "thesis, %"]);
    for row in &rows {
        let shares: Vec<String> = row.shares.iter().map(|s| percent(*s)).collect();
        let thesis = SHARES.iter().find(|s| s.0 == row.depth).map_or("", |s| s.1);
        table.row([row.depth.to_string(), shares.join(" / "), thesis.to_owned()]);
    }
    report.table(&table);
    let last = |depth: u32| rows.iter().find(|r| r.depth == depth).and_then(|r| r.shares.last());
    report.paragraph(&format!(
        "**We agree** that most pointers are at the last level. **We differ** in how many: at depth 3 it is {} % here and 100 % there, at depth 5 {} % and 96.4 %. Ours attaches a box to an octant as soon as it touches all the octant's cells on the finest level.",
        last(3).map_or_else(String::new, |s| percent(*s)),
        last(5).map_or_else(String::new, |s| percent(*s)),
    ));
    report.heading("Section 5.4.4: memory of an octree");
    let mut table = Table::new([
        "depth",
        "kB",
        "thesis: kB",
        "entered and left a frame",
        "thesis: malloc / realloc / free a frame",
    ]);
    for row in &rows {
        let thesis = MEMORY.iter().find(|m| m.0 == row.depth);
        table.row([
            row.depth.to_string(),
            short(row.kilobytes),
            thesis.map_or_else(String::new, |m| count(m.1 as u64)),
            short(row.touched),
            thesis.map_or_else(String::new, |m| m.2.to_owned()),
        ]);
    }
    report.table(&table);
    let at = |depth: u32, of: fn(&Row) -> f64| {
        rows.iter().find(|r| r.depth == depth).map_or(f64::NAN, of)
    };
    report.paragraph(&format!(
        "**We agree** that memory grows steeply once cells are smaller than objects: from depth 3 to 5 by {:.0} times here, 142 times there. The numbers measure different things: ours is all memory that the broad phase holds, the thesis' is the tree and the object arrays; it counts calls of the allocator, we count cells entered and left.",
        at(5, |r| r.kilobytes) / at(3, |r| r.kilobytes),
    ));
    report.heading("Figures 5.13 and 5.14: time of an octree over its depth");
    let mut table = Table::new([
        "depth",
        "rebuilt in every frame, \u{3bc}s",
        "moved, \u{3bc}s",
        "gain",
        "moved, by oriented boxes, \u{3bc}s",
        "pairs compared a frame",
    ]);
    for row in &rows {
        table.row([
            row.depth.to_string(),
            short(row.rebuilt),
            short(row.moved),
            format!("{:.2}", row.rebuilt / row.moved),
            short(row.oriented),
            short(row.compared),
        ]);
    }
    report.table(&table);
    let best = rows.iter().min_by(|x, y| x.moved.total_cmp(&y.moved)).map_or(0, |r| r.depth);
    let gains: Vec<f64> = rows.iter().map(|r| r.rebuilt / r.moved).collect();
    report.paragraph(&format!(
        "**Thesis:** visiting only the difference of the old and the new box is the fastest; nevertheless octrees seem slow, and not the best structure for moving objects. **Ours:** moving by the difference is {} to {} times as fast as rebuilding, and depth {best} is the fastest. We agree that moving by the difference is faster; for other structures see the table over the number of objects below.",
        short(gains.iter().copied().fold(f64::INFINITY, f64::min)),
        short(gains.iter().copied().fold(0.0, f64::max)),
    ));
    let points = |of: fn(&Row) -> f64| -> Vec<(f64, f64)> {
        rows.iter().map(|r| (f64::from(r.depth), of(r))).collect()
    };
    let chart = Chart::new(
        "An octree over its depth",
        Axis::linear("depth"),
        Axis::log("\u{3bc}s a frame"),
    )
    .caption(
        "100 cubes with sides of 1 in a cage with sides of 10; the thesis' Figures 5.13 and 5.14.",
    )
    .series("rebuilt in every frame", Mark::LineAndDots, points(|r| r.rebuilt))
    .series("moved by the difference", Mark::LineAndDots, points(|r| r.moved))
    .series("moved, oriented boxes", Mark::LineAndDots, points(|r| r.oriented));
    report.figure("octree", "Time of an octree over its depth", &chart)
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 1.0 { format!("{percent:.2}") } else { format!("{percent:.1}") }
}

fn measure(flight: &Flight, depth: u32, passes: usize) -> Row {
    let options = OctreeOptions::fixed(flight.cage, depth);
    let mut entries = vec![0.0; depth as usize + 1];
    let (mut kilobytes, mut touched, mut compared, mut frames) = (0.0, 0.0, 0.0, 0.0);
    flight.follow(false, Octree::with(options), |tree| {
        let stats = tree.stats();
        entries.iter_mut().zip(&stats.entries).for_each(|(sum, n)| *sum += *n as f64);
        kilobytes += tree.bytes() as f64 / 1e3;
        touched += stats.touched as f64;
        compared += stats.compared as f64;
        frames += 1.0;
    });
    let all: f64 = entries.iter().sum();
    let with_oriented = options.entry(Entry::Oriented);
    Row {
        depth,
        shares: entries[1..].iter().map(|n| n / all).collect(),
        kilobytes: kilobytes / frames,
        touched: touched / frames,
        compared: compared / frames,
        rebuilt: flight.time_rebuilt(passes, || Octree::with(options)),
        moved: flight.time(passes, false, || Octree::with(options)).0,
        oriented: flight.time(passes, true, || Octree::with(with_oriented)).0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_on_the_levels_of_small_cells() {
        let flight = Flight::new(100, 10.0, 20, 2).unwrap();
        let (shallow, deep) = (measure(&flight, 3, 1), measure(&flight, 5, 1));
        assert!(shallow.shares[2] > 0.9 && shallow.shares[0] == 0.0, "{:?}", shallow.shares);
        assert!(deep.shares[4] < 1.0 && deep.shares[4] > 0.8, "{:?}", deep.shares);
        assert!(deep.kilobytes > 2.0 * shallow.kilobytes);
    }
}
