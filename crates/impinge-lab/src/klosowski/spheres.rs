//! Tables 6 and 7: the number of volume comparisons of a query on nested spheres.

use anyhow::Result;

use super::flight::{Kind, overlap_queries};
use super::paper::{ALPHAS, TABLE_6, TABLE_7};
use crate::report::{Report, Table, count, short};
use crate::scenes::spheres;
use impinge_chart::{Axis, Chart, Mark};

/// `N_v` of one size of spheres.
pub(super) struct Nested {
    table: usize,
    triangles: usize,
    /// By [`Kind::ALL`], then by [`ALPHAS`].
    queries: Vec<[u64; ALPHAS.len()]>,
}

/// Counts the comparisons for every kind and distance.
pub(super) fn measure(table: usize, triangles: usize) -> Result<Nested> {
    let mut queries = vec![[0; ALPHAS.len()]; Kind::ALL.len()];
    for (k, alpha) in ALPHAS.into_iter().enumerate() {
        let (outer, inner) = spheres(triangles, alpha)?;
        for (row, kind) in queries.iter_mut().zip(Kind::ALL) {
            row[k] = overlap_queries(kind, &outer, &inner)?;
        }
    }
    Ok(Nested { table, triangles, queries })
}

/// Writes the table, its chart and remarks.
pub(super) fn write(report: &mut Report, nested: &Nested) -> Result<()> {
    let paper = if nested.table == 6 { &TABLE_6 } else { &TABLE_7 };
    report.heading(&format!(
        "Table {}: overlap queries N_v, nested spheres of {} triangles",
        nested.table,
        count(nested.triangles as u64)
    ));
    report.paragraph(
        "Both trees down to single triangles. The first line of each kind is ours, the second the paper's; the columns are the differences of the radii.",
    );
    let mut headings = vec!["volume".to_owned()];
    headings.extend(ALPHAS.map(|alpha| alpha.to_string()));
    let mut table = Table::new(&headings);
    let mut chart = Chart::new(
        format!("Nested spheres of {} triangles", count(nested.triangles as u64)),
        Axis::log("difference of the radii"),
        Axis::log("pairs of volumes compared"),
    )
    .caption(format!(
        "Table {} of Klosowski et al. 1998. Lines: ours; hollow dots: the paper's.",
        nested.table
    ));
    let points = |row: &[u64]| -> Vec<(f64, f64)> {
        ALPHAS.into_iter().zip(row).map(|(alpha, n)| (alpha, *n as f64)).collect()
    };
    for (i, (kind, ours)) in Kind::ALL.into_iter().zip(&nested.queries).enumerate() {
        let line = |name: String, row: &[u64]| {
            let mut cells = vec![name];
            cells.extend(row.iter().map(|n| count(*n)));
            cells
        };
        table.row(line(kind.name().to_owned(), ours));
        let name = kind.name().split(" (").next().unwrap_or_default();
        chart = chart.series(name, Mark::LineAndDots, points(ours));
        if let Some(theirs) = paper.get(i) {
            table.row(line("\u{2003}paper".to_owned(), theirs));
            let name = if i < Kind::DOPS.len() { "paper" } else { "paper: RAPID" };
            chart = chart.series(name, Mark::Compared, points(theirs));
        }
    }
    report.table(&table);
    report.figure(
        &format!("table-{}", nested.table),
        &format!("N_v over the difference of the radii, {} triangles", nested.triangles),
        &chart,
    )?;
    report.paragraph(&write_remarks(nested, paper));
    Ok(())
}

fn write_remarks(nested: &Nested, paper: &[[u64; ALPHAS.len()]; 5]) -> String {
    let (dop26, boxes) = (3, 4);
    let ranges_with_fewer_box_tests = |rows: &[[u64; ALPHAS.len()]]| -> String {
        // The range of gaps, from the widest on, in which oriented boxes need fewer comparisons.
        let fewer: Vec<f64> = (0..ALPHAS.len())
            .filter(|k| rows[boxes][*k] < rows[dop26][*k])
            .map(|k| ALPHAS[k])
            .collect();
        match fewer.as_slice() {
            [] => "at no distance".to_owned(),
            [only] => format!("at {only}"),
            [first, .., last] => format!("from {first} to {last}"),
        }
    };
    let closest = ALPHAS.len() - 1;
    let share = |rows: &[[u64; ALPHAS.len()]]| rows[3][closest] as f64 / rows[0][closest] as f64;
    format!(
        "For close spheres, more directions save little: at {} the 26-DOPs need {} of what 6-DOPs need, in the paper {}. Oriented boxes need fewer than 26-DOPs {}; in the paper, {}. \
         The absolute numbers depend on the triangulation of the spheres, which the paper does not state; RAPID also divides across a box's own axis, our builder across one of the mesh's.",
        ALPHAS[closest],
        short(share(&nested.queries)),
        short(share(paper)),
        ranges_with_fewer_box_tests(&nested.queries),
        ranges_with_fewer_box_tests(paper),
    )
}
