//! Tables 1 to 5, Figure 3, and the statements of the paper's text on tumbling, traversals and
//! thresholds.

use anyhow::Result;

use super::compare::{Headings, Row, index_of_min, range_text, table};
use super::flight::{Kind, Measurements, mean};
use super::paper::{
    BYTES, MESH_BYTES, SCENES, TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5, TRIANGLE_PAIR,
};
use super::{Measured, OPEN_RULES, ORDERS, RULES, THRESHOLDS, TUMBLES};
use crate::report::{Report, Table, count, short};
use impinge_chart::{Axis, Chart, Mark};

/// The index of 18-DOPs, which the paper recommends.
const DOP18: usize = 2;
const PRODUCTION: &str = "production tree";

/// Writes all tables and figures.
pub(super) fn write(report: &mut Report, measured: &[Measured]) -> Result<()> {
    report.paragraph(
        "One thread, all contacts reported unless a table says otherwise; each step of a flight keeps the fastest of up to five passes, and times are means over the steps. The paper's numbers are from a 195 MHz R10000 \
         with other models of the same kind and size, so only the ratios, in brackets, can be compared. Every tree must report the same number of contacts as the production tree, or the report is not written.",
    );
    scenes(report, measured);
    table_1(report, measured);
    table_2(report, measured);
    work(report, measured);
    model(report, measured)?;
    table_3(report, measured);
    tables_4_and_5(report, measured);
    tumbles(report, measured);
    orders(report, measured);
    thresholds(report, measured);
    figure_3(report, measured)
}

fn names(measured: &[Measured]) -> Vec<&'static str> {
    measured.iter().map(|m| m.name).collect()
}

/// A number of each data set.
fn by_data_set(measured: &[Measured], value: impl Fn(&Measured) -> f64) -> Vec<f64> {
    measured.iter().map(value).collect()
}

fn scenes(report: &mut Report, measured: &[Measured]) {
    report.heading("The data sets");
    let mut table = Table::new([
        "data set",
        "environment, triangles",
        "paper",
        "object, triangles",
        "paper",
        "steps",
        "paper",
        "contacts",
        "paper",
    ]);
    for (m, paper) in measured.iter().zip(SCENES) {
        let mut cells = vec![m.name.to_owned()];
        for (ours, theirs) in m.sizes.iter().zip(paper) {
            cells.extend([count(*ours), count(theirs)]);
        }
        table.row(&cells);
    }
    report.table(&table);
}

fn table_1(report: &mut Report, measured: &[Measured]) {
    report.heading("Table 1: cost of single operations");
    let mut table = Table::new([
        "volume",
        "C_v, ns",
        "paper, \u{3bc}s",
        "C_u, ns",
        "paper, \u{3bc}s",
        "C_p, ns",
        "paper, \u{3bc}s",
    ]);
    // Means over the data sets, each weighted by the number of the operation there.
    let weighted =
        |kind: usize, cost: fn(&Measurements) -> f64, number: fn(&Measurements) -> u64| {
            let measurements = measured.iter().map(|m| &m.kinds[kind]);
            let total: f64 = measurements.clone().map(|f| number(f) as f64).sum();
            measurements.map(|f| cost(f) * number(f) as f64).sum::<f64>() / total.max(1.0)
        };
    let mut costs = Vec::new();
    for (i, kind) in Kind::FLYING.into_iter().enumerate() {
        let v = weighted(i, |f| f.costs.volume_pair, |f| f.counts.volume_pairs);
        let u = weighted(i, |f| f.costs.update, |f| f.counts.updates);
        let p = weighted(i, |f| f.costs.triangle_pair, |f| f.counts.triangle_pairs);
        let paper = |row: usize| TABLE_1[row].get(i).map(|ms| short(ms * 1e3)).unwrap_or_default();
        let paper_p = if i == 0 { short(TRIANGLE_PAIR * 1e3) } else { String::new() };
        table.row([kind.name(), &short(v), &paper(0), &short(u), &paper(1), &short(p), &paper_p]);
        costs.push([v, u]);
    }
    report.table(&table);
    let ratio = |k: usize| costs[3][k] / costs[0][k];
    let paper = |k: usize| TABLE_1[k][3] / TABLE_1[k][0];
    report.paragraph(&format!(
        "From 6- to 26-DOPs a comparison becomes {:.1} times as expensive (paper: {:.1}) and an update {:.1} times (paper: {:.1}). An update costs {} comparisons of the same kind (paper: {}). \
         The triangle test is exact here: a filter, followed by exact arithmetic where that cannot decide; its cost depends on how many pairs are near enough to need more than the first comparison.",
        ratio(0),
        paper(0),
        ratio(1),
        paper(1),
        range_text((0..4).map(|i| costs[i][1] / costs[i][0])),
        range_text((0..4).map(|i| TABLE_1[1][i] / TABLE_1[0][i])),
    ));
}

fn table_2(report: &mut Report, measured: &[Measured]) {
    report.heading("Table 2: time of a check, by volume");
    let mut rows: Vec<Row<'_>> = Kind::FLYING
        .into_iter()
        .enumerate()
        .map(|(i, kind)| Row {
            name: kind.name(),
            ours: by_data_set(measured, |m| m.kinds[i].mean()),
            paper: TABLE_2.get(i).map(|row| row.to_vec()),
        })
        .collect();
    let production = by_data_set(measured, |m| m.production.mean());
    rows.push(Row { name: PRODUCTION, ours: production.clone(), paper: None });
    let columns = names(measured);
    let headings = Headings { rows: "volume", columns: &columns, ours: "\u{3bc}s", paper: "ms" };
    report.table(&table(&headings, &rows, DOP18));
    let fastest = |value: &dyn Fn(usize, usize) -> f64| -> Vec<usize> {
        (0..measured.len()).map(|m| index_of_min((0..4).map(|k| value(k, m)))).collect()
    };
    let ours = fastest(&|k, m| rows[k].ours[m]);
    let theirs = fastest(&|k, m| TABLE_2[k][m]);
    let list: Vec<String> = measured
        .iter()
        .zip(ours.iter().zip(&theirs))
        .map(|(m, (o, t))| {
            format!("{} {} ({})", m.name, Kind::DOPS[*o].name(), Kind::DOPS[*t].name())
        })
        .collect();
    let gain = |of: &dyn Fn(usize, usize) -> f64, best: &[usize]| {
        range_text((0..measured.len()).map(|m| of(0, m) / of(best[m], m)))
    };
    report.paragraph(&format!(
        "The fastest of the k-DOPs, in brackets the paper's: {}. It is {} times as fast as 6-DOPs (paper: {} times). The production tree is {} times as fast as the fastest k-DOP (below one, it is slower). \
         *Swept* differs most: the body has fewer triangles than a leaf may have, so each obstacle within its \
         k-DOP is tested against all of it, and our obstacles are so close to the crossed bars that thousands are within; leaves of one triangle (below, and the row of oriented boxes) avoid this.",
        list.join(", "),
        gain(&|k, m| rows[k].ours[m], &ours),
        gain(&|k, m| TABLE_2[k][m], &theirs),
        range_text((0..measured.len()).map(|m| rows[ours[m]].ours[m] / production[m])),
    ));

    report.paragraph(
        "The same flights, stopping at the first contact (detection only), in microseconds:",
    );
    let mut detect = Table::new(["volume"].into_iter().chain(columns.iter().copied()));
    let all = |m: &Measured| -> Vec<(&'static str, f64)> {
        let kinds = Kind::FLYING.into_iter().zip(&m.kinds);
        kinds
            .map(|(kind, measurements)| (kind.name(), mean(&measurements.detect)))
            .chain([(PRODUCTION, mean(&m.production.detect))])
            .collect()
    };
    let columns: Vec<_> = measured.iter().map(all).collect();
    for i in 0..=Kind::FLYING.len() {
        let mut cells: Vec<String> = columns.iter().map(|c| short(c[i].1)).collect();
        cells.insert(0, columns.first().map_or("", |c| c[i].0).to_owned());
        detect.row(&cells);
    }
    report.table(&detect);
}

fn work(report: &mut Report, measured: &[Measured]) {
    report.paragraph("Mean operations of a check: pairs of volumes compared (N_v), pairs of triangles compared (N_p), volumes moved (N_u); and the longest step and the mean, in microseconds.");
    let mut headings = vec!["volume".to_owned()];
    for m in measured {
        headings
            .extend(["N_v", "N_p", "N_u", "longest / mean"].map(|n| format!("{}, {n}", m.name)));
    }
    let mut table = Table::new(&headings);
    let longest =
        |measurements: &Measurements| measurements.report.iter().copied().fold(0.0, f64::max);
    for (i, kind) in Kind::FLYING.into_iter().enumerate() {
        let mut cells = vec![kind.name().to_owned()];
        for m in measured {
            let measurements = &m.kinds[i];
            let steps = measurements.report.len().max(1) as f64;
            let by_data_set = [
                measurements.counts.volume_pairs,
                measurements.counts.triangle_pairs,
                measurements.counts.updates,
            ];
            cells.extend(by_data_set.map(|n| short(n as f64 / steps)));
            cells.push(format!(
                "{} / {}",
                short(longest(measurements)),
                short(measurements.mean())
            ));
        }
        table.row(&cells);
    }
    let mut cells = vec![PRODUCTION.to_owned()];
    for m in measured {
        cells.extend(["", "", ""].map(str::to_owned));
        let measurements = &m.production;
        cells.push(format!("{} / {}", short(longest(measurements)), short(measurements.mean())));
    }
    table.row(&cells);
    report.table(&table);
}

/// The cost model of section 3.1 compared with measured times, a dot for each data set.
fn model(report: &mut Report, measured: &[Measured]) -> Result<()> {
    let mut chart = Chart::new(
        "The cost model and measured times",
        Axis::log("measured, \u{3bc}s a check"),
        Axis::log("N_v C_v + N_p C_p + N_u C_u, \u{3bc}s a check"),
    )
    .caption("A dot for each data set and volume; on the dashed line the model is correct. The distance below it is time that the model does not include: the stack, memory, the clock itself.");
    let mut ratios = Vec::new();
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for (i, kind) in Kind::FLYING.into_iter().enumerate() {
        let points: Vec<(f64, f64)> = measured
            .iter()
            .map(|m| {
                let measurements = &m.kinds[i];
                let steps = measurements.report.len().max(1) as f64;
                (measurements.mean(), measurements.counts.cost(&measurements.costs) / steps * 1e-3)
            })
            .collect();
        ratios.extend(points.iter().map(|(clock, model)| model / clock));
        low = points.iter().fold(low, |l, p| l.min(p.0));
        high = points.iter().fold(high, |h, p| h.max(p.0));
        chart =
            chart.series(kind.name().split(" (").next().unwrap_or_default(), Mark::Dots, points);
    }
    chart = chart.series("as measured", Mark::Guide, vec![(low, low), (high, high)]);
    report.figure("cost-model", "The cost model against measured times", &chart)?;
    report.paragraph(&format!(
        "The cost model of section 3.1, with the costs of Table 1 measured on each data set, explains {} of the time.",
        range_text(ratios),
    ));
    Ok(())
}

fn table_3(report: &mut Report, measured: &[Measured]) {
    report.heading("Table 3: building the environment's tree of 18-DOPs");
    let rule = |i: usize| by_data_set(measured, |m| m.mean[i].build);
    let mut rows: Vec<Row<'_>> = RULES
        .iter()
        .enumerate()
        .map(|(i, (name, _))| Row { name, ours: rule(i), paper: Some(TABLE_3[i].to_vec()) })
        .collect();
    rows.push(Row {
        name: "oriented boxes, splatter (paper: RAPID)",
        ours: by_data_set(measured, |m| m.kinds[4].build),
        paper: Some(TABLE_3[4].to_vec()),
    });
    for (i, (name, _)) in OPEN_RULES.iter().enumerate() {
        rows.push(Row { name, ours: by_data_set(measured, |m| m.open[i].build), paper: None });
    }
    let production = by_data_set(measured, |m| m.production.build);
    rows.push(Row { name: PRODUCTION, ours: production, paper: None });
    let columns = names(measured);
    let headings = Headings { rows: "rule", columns: &columns, ours: "s", paper: "min" };
    report.table(&table(&headings, &rows, 3));
    let against = |rows: &dyn Fn(usize, usize) -> f64, rule: usize| {
        range_text((0..measured.len()).map(|m| rows(rule, m) / rows(3, m)))
    };
    let ours = |rule: usize, m: usize| measured[m].mean[rule].build;
    let theirs = |rule: usize, m: usize| TABLE_3[rule][m];
    report.paragraph(&format!(
        "Longest side takes {} of splatter's time (paper: {}), min sum {} times as long (paper: {}).",
        against(&ours, 0),
        against(&theirs, 0),
        against(&ours, 1),
        against(&theirs, 1),
    ));
    report.paragraph(
        "Memory of the environment's tree, in bytes a triangle, in addition to the mesh:",
    );
    let mut memory = Table::new(["volume", "ours", "paper"]);
    let bytes = |i: usize| range_text(measured.iter().map(|m| m.kinds[i].bytes));
    for (i, kind) in Kind::FLYING.into_iter().enumerate() {
        let paper = BYTES.get(i).map(|b| short(b - MESH_BYTES)).unwrap_or_default();
        memory.row([kind.name(), &bytes(i), &paper]);
    }
    memory.row([PRODUCTION, &range_text(measured.iter().map(|m| m.production.bytes)), ""]);
    report.table(&memory);
}

fn tables_4_and_5(report: &mut Report, measured: &[Measured]) {
    let columns = names(measured);
    let headings = Headings { rows: "rule", columns: &columns, ours: "\u{3bc}s", paper: "ms" };
    let rows = |measurements: fn(&Measured) -> &Vec<Measurements>,
                paper: &[[f64; 5]; 4]|
     -> Vec<Row<'_>> {
        RULES
            .iter()
            .enumerate()
            .map(|(i, (name, _))| Row {
                name,
                ours: by_data_set(measured, |m| measurements(m)[i].mean()),
                paper: Some(paper[i].to_vec()),
            })
            .collect()
    };
    report.heading("Table 4: time of a check with 18-DOPs, divided at the mean");
    let mut at_mean = rows(|m| &m.mean, &TABLE_4);
    for (i, (name, _)) in OPEN_RULES.iter().enumerate() {
        at_mean.push(Row { name, ours: by_data_set(measured, |m| m.open[i].mean()), paper: None });
    }
    at_mean.push(Row {
        name: PRODUCTION,
        ours: by_data_set(measured, |m| m.production.mean()),
        paper: None,
    });
    report.table(&table(&headings, &at_mean, 3));
    let best = |rows: &dyn Fn(usize, usize) -> f64| -> String {
        let list = (0..measured.len()).map(|m| RULES[index_of_min((0..4).map(|r| rows(r, m)))].0);
        list.collect::<Vec<_>>().join(", ")
    };
    report.paragraph(&format!(
        "Fastest rule by data set: {}. In the paper: {}. Of the rules that the paper leaves to future work, the best takes {} of splatter's time.",
        best(&|r, m| at_mean[r].ours[m]),
        best(&|r, m| TABLE_4[r][m]),
        range_text((0..measured.len()).map(|m| {
            let open = at_mean[4..4 + OPEN_RULES.len()].iter().map(|row| row.ours[m]);
            open.fold(f64::INFINITY, f64::min) / at_mean[3].ours[m]
        })),
    ));
    report.heading("Table 5: the same, divided at the median");
    let at_median = rows(|m| &m.median, &TABLE_5);
    report.table(&table(&headings, &at_median, 3));
    let mut ratios = Vec::new();
    let mut fewer = 0;
    for (m, set) in measured.iter().enumerate() {
        for r in 0..RULES.len() {
            ratios.push(at_median[r].ours[m] / at_mean[r].ours[m]);
            let compared = |f: &Measurements| f.counts.volume_pairs;
            fewer += usize::from(compared(&set.median[r]) < compared(&set.mean[r]));
        }
    }
    let slower = ratios.iter().filter(|r| **r > 1.0).count();
    let paper = (0..4).flat_map(|r| (0..5).map(move |m| TABLE_5[r][m] / TABLE_4[r][m]));
    report.paragraph(&format!(
        "The median is slower than the mean in {slower} of {} cells, by factors of {}; in the paper never faster, by factors of {}. It compares fewer volumes than the mean in {fewer} of the cells; in the paper in none.",
        ratios.len(),
        range_text(ratios.iter().copied()),
        range_text(paper),
    ));
}

fn thresholds(report: &mut Report, measured: &[Measured]) {
    report.heading("Section 4.3: leaves of the flying object's tree");
    report.paragraph("Microseconds a check with 18-DOPs, by the largest number of triangles in a leaf of the object's tree; in brackets the ratio to the paper's choice. The environment's leaves have one triangle.");
    let rows: Vec<Row<'_>> = THRESHOLDS
        .iter()
        .enumerate()
        .map(|(i, (name, _))| Row {
            name,
            ours: by_data_set(measured, |m| m.thresholds[i].mean()),
            paper: None,
        })
        .collect();
    report.table(&plain_table("threshold", measured, &rows, 3));
    let best: Vec<String> = (0..measured.len())
        .map(|m| THRESHOLDS[index_of_min(rows.iter().map(|row| row.ours[m]))].0.to_owned())
        .collect();
    report.paragraph(&format!("Best by data set: {}.", best.join(", ")));
}

fn orders(report: &mut Report, measured: &[Measured]) {
    report.heading("Section 4.2: traversals");
    report.paragraph("Microseconds a check with 18-DOPs; in brackets the ratio to Algorithm 1.");
    let rows: Vec<Row<'_>> = ORDERS
        .iter()
        .enumerate()
        .map(|(i, (name, _))| Row {
            name,
            ours: by_data_set(measured, |m| m.orders[i].mean()),
            paper: None,
        })
        .collect();
    report.table(&plain_table("traversal", measured, &rows, 0));
    let ratio =
        |row: usize| range_text((0..measured.len()).map(|m| rows[row].ours[m] / rows[0].ours[m]));
    report.paragraph(&format!(
        "Restarting takes {} times as long as Algorithm 1; the paper found it \"almost always slower, in some cases by as much as 10-20 percent\". Opening the larger node, which the paper did not try, takes {} times as long.",
        ratio(1),
        ratio(2),
    ));
}

fn tumbles(report: &mut Report, measured: &[Measured]) {
    report.heading("Section 4.1: tumbling");
    report.paragraph("Microseconds a check with 18-DOPs, by the method that moves the volumes of the flying object; in brackets the ratio to the paper's method.");
    let rows: Vec<Row<'_>> = TUMBLES
        .iter()
        .enumerate()
        .map(|(i, (name, _))| Row {
            name,
            ours: by_data_set(measured, |m| m.tumbles[i].mean()),
            paper: None,
        })
        .collect();
    report.table(&plain_table("moved", measured, &rows, 0));
    let compared = |row: usize| {
        range_text(measured.iter().map(|m| {
            let n = |i: usize| m.tumbles[i].counts.volume_pairs as f64;
            n(row) / n(0)
        }))
    };
    let ratio =
        |row: usize| range_text((0..measured.len()).map(|m| rows[row].ours[m] / rows[0].ours[m]));
    report.paragraph(&format!(
        "The paper found hill-climbing worth its time at the root in all cases and nowhere else. Here leaving it out takes {} times as long and compares {} times as many volumes; four levels of it take {} times as long and compare {} times as many.",
        ratio(1),
        compared(1),
        ratio(2),
        compared(2),
    ));
}

/// A table without the paper's columns.
fn plain_table(head: &str, measured: &[Measured], rows: &[Row<'_>], reference: usize) -> Table {
    let mut table = Table::new([head].into_iter().chain(names(measured)));
    for row in rows {
        let cells = row.ours.iter().zip(&rows[reference].ours);
        let cells = cells.map(|(us, reference)| format!("{} ({:.2})", short(*us), us / reference));
        table.row([row.name.to_owned()].into_iter().chain(cells));
    }
    table
}

fn figure_3(report: &mut Report, measured: &[Measured]) -> Result<()> {
    report.heading("Figure 3: time of each step, Pipes");
    let Some(pipes) = measured.first() else {
        return Ok(());
    };
    let steps = |measurements: &Measurements| -> Vec<(f64, f64)> {
        measurements.report.iter().enumerate().map(|(i, us)| (i as f64, *us)).collect()
    };
    let dops = &pipes.kinds[DOP18];
    let longest =
        |measurements: &Measurements| measurements.report.iter().copied().fold(0.0, f64::max);
    let linear = Chart::new(
        "Figure 3: a flight of the Pipes",
        Axis::linear("step"),
        Axis::linear("\u{3bc}s a check"),
    )
    .caption(
        "As in the paper: time of every check along the flight, 18-DOPs, splatter, all contacts reported. The peaks are where the object comes close to the environment.",
    )
    .series("18-DOP", Mark::Line, steps(dops));
    report.figure("figure-3", "Time of every step of the flight, 18-DOPs", &linear)?;
    let both = Chart::new(
        "The same flight, with the production tree",
        Axis::linear("step"),
        Axis::log("\u{3bc}s a check"),
    )
    .caption("Logarithmic, so that both are visible.")
    .series("18-DOP", Mark::Line, steps(dops))
    .series(PRODUCTION, Mark::Line, steps(&pipes.production));
    report.figure("figure-3-production", "The same flight in both trees", &both)?;
    report.paragraph(&format!(
        "The longest step takes {} times the mean with 18-DOPs; in the paper 18 ms, 49 times its mean. In the production tree the longest takes {} \u{3bc}s, {} times its mean.",
        short(longest(dops) / dops.mean()),
        short(longest(&pipes.production)),
        short(longest(&pipes.production) / pipes.production.mean()),
    ));
    Ok(())
}
