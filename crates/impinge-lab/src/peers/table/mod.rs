//! Times of hull queries, ours and those of the fastest correct peer, from the rows that each
//! wrote.

mod rows;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;

use crate::common::Common;
use crate::report::{Report, Table, count, short};
use rows::{Entry, Row};

/// Arguments of `impinge-lab convex-table`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder with the rows, ours and the peers', in files `*.jsonl`; if there are several
    /// runs, the fastest counts.
    lines: PathBuf,
    /// The folder with the answers of all peers and ours.
    #[arg(long, env = "PEER_OUT", value_name = "DIR")]
    answers: PathBuf,
    #[command(flatten)]
    common: Common,
    /// A sentence on the conditions of the runs, for the report.
    #[arg(long, default_value = "", value_name = "TEXT")]
    note: String,
}

/// The modes, with headings for their queries.
const MODES: [(&str, &str); 6] = [
    ("bool", "Intersection"),
    ("dist", "Distance"),
    ("signed", "Distance or depth"),
    ("bool-warm", "Intersection, starting from the last pose"),
    ("dist-warm", "Distance, starting from the last pose"),
    ("signed-warm", "Distance or depth, starting from the last pose"),
];

/// Reads everything and writes the report.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let rows = rows::read(&arguments.lines, &arguments.answers)?;
    anyhow::ensure!(
        !rows.is_empty(),
        "{}: no rows of impinge; run `peers-convex` first",
        arguments.lines.display()
    );
    let mut report = Report::new(
        &arguments.common.out,
        "convex-pairs",
        "Hull against hull, compared with other libraries",
    );
    report.paragraph(
        "Microseconds a query on the workloads of the peer measurements: ellipsoids, rods and plates of 20, 100 and 500 vertices and links of a robot arm, at signed distances of -0.05 to 0.5 of A's longest side (1,000 poses each), \
         and a flight of 2,000 steps of 10 degrees and 5 % of the radius (*coherent*). A sample is a pass over all poses, and the fastest pass of all runs counts, because the machine is shared. One thread, the same core, ours and the peers in turn, workload by workload.",
    );
    report.paragraph(
        "Our rows, on generated hulls at the same distances:\n\n```sh\ncargo run --release -p impinge-lab -- workloads     # writes target/lab/work\ncargo run --release -p impinge-lab -- peers-convex --work target/lab/work --answers target/lab/answers --budget 0.1 --out target/lab/rows\n```",
    );
    report.paragraph(&format!(
        "The rows of the other libraries come from runners that are not part of the project: they read the same files, time in the same way, write the same rows and answers, and call parry3d 0.31.1 (`intersection_test`, `distance`, `contact`; `parry-f32`, `parry-f64`), Coal 3.0.3 (`collide`, `distance`) with its three variants of GJK (`early`: it may stop as soon as the bodies are proven apart), FCL 0.7.0 (`collide`, `distance`) with libccd and with its own solver, and Bullet 3.24 (`btGjkPairDetector`, `btGjkEpaSolver2`) in single and double precision. The table is made from the rows and answers of all libraries. \
         *times*: the time of the fastest peer that is correct in every pose, divided by ours. The reference is our answer, which is exact for the verdict and certain to about 1e-13 for distance and depth; a distance may be off by 1e-5 or by a thousandth. \
         The last column lists peers that are faster but wrong in some pose. For a query that starts from the last pose, a peer may also compute its answer without that start, if that is faster. Ours returns the proof with each verdict, and points and direction with each distance and depth. {}",
        arguments.note
    ));
    summary(&rows, &mut report);
    accuracy(&rows, &mut report);
    for (mode, title) in MODES {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.query.mode == mode).collect();
        if !rows.is_empty() {
            report.heading(&format!("{title} (`{mode}`)"));
            report.table(&cells(&rows));
        }
    }
    println!("{}", report.finish()?.display());
    Ok(())
}

fn cells(rows: &[&Row]) -> Table {
    let mut table = Table::new([
        "workload",
        "regime",
        "impinge",
        "fastest correct peer",
        "its time",
        "times",
        "faster, but wrong (wrong answers)",
    ]);
    for row in rows {
        let wrong: Vec<String> = row
            .faster_but_wrong()
            .map(|e| format!("{} {} ({} of {})", e.peer, short(e.us), e.wrong, count(e.of as u64)))
            .collect();
        table.row([
            row.query.workload.clone(),
            row.query.regime.clone(),
            short(row.ours),
            row.best().map_or_else(String::new, |e| e.peer.clone()),
            row.best().map_or_else(String::new, |e| short(e.us)),
            row.times().map_or_else(String::new, times),
            wrong.join("; "),
        ]);
    }
    table
}

fn times(ratio: f64) -> String {
    format!("{ratio:.2}")
}

fn summary(rows: &[Row], report: &mut Report) {
    report.heading("Summary");
    let mut table = Table::new([
        "mode",
        "cells",
        "minimum",
        "where",
        "median",
        "maximum",
        "cells below 10",
        "minimum against any peer, correct or not",
        "median",
    ]);
    for (mode, _) in MODES {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.query.mode == mode).collect();
        let mut ratios: Vec<(f64, &Row)> =
            rows.iter().filter_map(|row| Some((row.times()?, *row))).collect();
        ratios.sort_by(|x, y| x.0.total_cmp(&y.0));
        let mut against_any: Vec<f64> =
            rows.iter().filter_map(|row| Some(row.peers.first()?.us / row.ours)).collect();
        against_any.sort_by(f64::total_cmp);
        let (Some((min, at)), Some((max, _))) = (ratios.first(), ratios.last()) else {
            continue;
        };
        table.row([
            format!("`{mode}`"),
            ratios.len().to_string(),
            times(*min),
            format!("{}, {}", at.query.workload, at.query.regime),
            times(ratios[ratios.len() / 2].0),
            times(*max),
            ratios.iter().filter(|(ratio, _)| *ratio < 10.0).count().to_string(),
            against_any.first().copied().map_or_else(String::new, times),
            against_any.get(against_any.len() / 2).copied().map_or_else(String::new, times),
        ]);
    }
    report.table(&table);
}

/// The table of wrong answers by mode and peer.
fn accuracy(rows: &[Row], report: &mut Report) {
    report.heading("Wrong answers");
    report.paragraph("Sums over all poses; the worst error is that of a distance or depth, in the unit of the workload.");
    let mut sums: BTreeMap<(&str, &str), (usize, usize, f64)> = BTreeMap::new();
    for row in rows {
        for Entry { peer, wrong, of, worst, .. } in &row.peers {
            // A cold answer to a warm query was already counted in the cold mode.
            if !peer.ends_with(", cold") {
                let sum = sums.entry((&row.query.mode, peer)).or_default();
                *sum = (
                    sum.0 + wrong,
                    sum.1 + of,
                    if worst.is_nan() { *worst } else { sum.2.max(*worst) },
                );
            }
        }
    }
    let mut table = Table::new(["mode and peer", "wrong", "of", "worst error"]);
    for ((mode, peer), (wrong, of, worst)) in sums {
        let worst = match () {
            () if mode.starts_with("bool") => String::new(),
            () if worst.is_nan() => "no number".to_owned(),
            () => format!("{worst:.1e}"),
        };
        table.row([format!("`{mode}`, {peer}"), count(wrong as u64), count(of as u64), worst]);
    }
    report.table(&table);
}
