//! Tables with the paper's numbers beside ours.

use crate::report::{Table, short};

/// A row: its name, our numbers, and the paper's where it has them.
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    pub(super) ours: Vec<f64>,
    pub(super) paper: Option<Vec<f64>>,
}

/// How the columns are headed: the data sets, and the units of our numbers and of the paper's.
pub(super) struct Heads<'a> {
    pub(super) rows: &'a str,
    pub(super) columns: &'a [&'a str],
    pub(super) ours: &'a str,
    pub(super) paper: &'a str,
}

/// Two columns for each data set, ours and the paper's. In brackets the ratio to the row `to` of
/// the same column: what can be compared over the years.
pub(super) fn table(heads: &Heads<'_>, rows: &[Row<'_>], to: usize) -> Table {
    let mut first = vec![heads.rows.to_owned()];
    for column in heads.columns {
        first.push(format!("{column}, {}", heads.ours));
        first.push(format!("paper, {}", heads.paper));
    }
    let mut table = Table::new(&first);
    let ratio = |value: f64, reference: f64| format!("{} ({:.2})", short(value), value / reference);
    for row in rows {
        let mut cells = vec![row.name.to_owned()];
        for c in 0..heads.columns.len() {
            cells.push(ratio(row.ours[c], rows[to].ours[c]));
            let paper = row.paper.as_ref().zip(rows[to].paper.as_ref());
            cells.push(paper.map(|(p, to)| ratio(p[c], to[c])).unwrap_or_default());
        }
        table.row(&cells);
    }
    table
}

/// The number of the smallest value.
pub(super) fn smallest(values: impl IntoIterator<Item = f64>) -> usize {
    let values = values.into_iter().enumerate();
    values.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(i, _)| i)
}

/// The least and the greatest, as "a to b".
pub(super) fn span(values: impl IntoIterator<Item = f64>) -> String {
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
    fn ratios_stand_in_brackets() {
        let heads = Heads { rows: "kind", columns: &["X"], ours: "us", paper: "ms" };
        let rows = [
            Row { name: "a", ours: vec![3.0], paper: Some(vec![0.2]) },
            Row { name: "b", ours: vec![1.5], paper: None },
        ];
        let text = table(&heads, &rows, 0).markdown();
        assert!(text.contains("| a | 3.00 (1.00) | 0.200 (1.00) |"), "{text}");
        assert!(text.contains("| b | 1.50 (0.50) |  |"), "{text}");
    }

    #[test]
    fn spans_and_smallest() {
        assert_eq!(smallest([3.0, 1.0, 2.0]), 1);
        assert_eq!(span([2.0, 1.0, 4.0]), "1.00 to 4.00");
        assert_eq!(span([2.0]), "2.00");
    }
}
