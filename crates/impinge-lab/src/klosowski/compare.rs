//! Tables of our numbers and the paper's.

use crate::report::{Table, short};

/// A row: its name, our numbers, and the paper's numbers if it has any.
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    pub(super) ours: Vec<f64>,
    pub(super) paper: Option<Vec<f64>>,
}

/// Headings: of the first column, the data sets, and the units of our numbers and of the paper's.
pub(super) struct Headings<'a> {
    pub(super) rows: &'a str,
    pub(super) columns: &'a [&'a str],
    pub(super) ours: &'a str,
    pub(super) paper: &'a str,
}

/// Two columns for each data set, ours and the paper's. In brackets the ratio to row `reference` of
/// the same column; ratios can be compared between different machines.
pub(super) fn table(headings: &Headings<'_>, rows: &[Row<'_>], reference: usize) -> Table {
    let mut first = vec![headings.rows.to_owned()];
    for column in headings.columns {
        first.push(format!("{column}, {}", headings.ours));
        first.push(format!("paper, {}", headings.paper));
    }
    let mut table = Table::new(&first);
    let ratio = |value: f64, base: f64| format!("{} ({:.2})", short(value), value / base);
    for row in rows {
        let mut cells = vec![row.name.to_owned()];
        for c in 0..headings.columns.len() {
            cells.push(ratio(row.ours[c], rows[reference].ours[c]));
            let paper = row.paper.as_ref().zip(rows[reference].paper.as_ref());
            cells.push(paper.map(|(p, base)| ratio(p[c], base[c])).unwrap_or_default());
        }
        table.row(&cells);
    }
    table
}

/// The index of the smallest value.
pub(super) fn index_of_min(values: impl IntoIterator<Item = f64>) -> usize {
    let values = values.into_iter().enumerate();
    values.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(i, _)| i)
}

/// The smallest and the largest value, as "a to b".
pub(super) fn range_text(values: impl IntoIterator<Item = f64>) -> String {
    let (low, high) = values
        .into_iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let (low, high) = (short(low), short(high));
    if low == high { low } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_in_brackets() {
        let headings = Headings { rows: "kind", columns: &["X"], ours: "us", paper: "ms" };
        let rows = [
            Row { name: "a", ours: vec![3.0], paper: Some(vec![0.2]) },
            Row { name: "b", ours: vec![1.5], paper: None },
        ];
        let text = table(&headings, &rows, 0).markdown();
        assert!(text.contains("| a | 3.00 (1.00) | 0.200 (1.00) |"), "{text}");
        assert!(text.contains("| b | 1.50 (0.50) |  |"), "{text}");
    }

    #[test]
    fn ranges_and_minima() {
        assert_eq!(index_of_min([3.0, 1.0, 2.0]), 1);
        assert_eq!(range_text([2.0, 1.0, 4.0]), "1.00 to 4.00");
        assert_eq!(range_text([2.0]), "2.00");
    }
}
