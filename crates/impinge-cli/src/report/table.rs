//! Aligned text tables.

use std::io::{self, Write};

use anstyle::Style;

/// The least width to which [`Table::shrink`] shortens a column, in characters.
const MIN_SHRUNK_WIDTH: usize = 12;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// For text.
    Left,
    /// For numbers.
    Right,
}

/// One cell: its text and its style.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), style: Style::new() }
    }
}

impl Cell {
    /// A cell with a style.
    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

/// Columns of aligned cells under headings, separated by two spaces. Columns without text are
/// omitted.
#[derive(Debug, Default)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug)]
struct Column {
    heading: &'static str,
    align: Align,
    /// The maximum number of characters of a cell.
    limit: usize,
}

impl Table {
    /// An empty table.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a column; text of more than `limit` characters is shortened in its middle.
    pub(crate) fn column(mut self, heading: &'static str, align: Align, limit: usize) -> Self {
        self.columns.push(Column { heading, align, limit });
        self
    }

    /// Adds a row; missing cells are empty.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        debug_assert!(cells.len() <= self.columns.len(), "the row has more cells than columns");
        self.rows.push(cells);
    }

    /// Shortens the text of `columns`, the widest first, until lines have at most `line_width`
    /// characters. Every column keeps at least [`MIN_SHRUNK_WIDTH`] characters.
    pub(crate) fn shrink(&mut self, columns: &[usize], line_width: usize) {
        let widths: Vec<usize> = (0..self.columns.len()).map(|i| self.width(i)).collect();
        let shown = widths.iter().filter(|w| **w > 0).count();
        let total = widths.iter().sum::<usize>() + 2 * shown.saturating_sub(1);
        let mut limits: Vec<usize> = columns.iter().map(|c| widths[*c]).collect();
        for _ in line_width..total {
            if let Some(widest) = limits.iter_mut().max().filter(|w| **w > MIN_SHRUNK_WIDTH) {
                *widest -= 1;
            }
        }
        for (column, limit) in columns.iter().zip(limits) {
            self.columns[*column].limit = limit;
        }
    }

    /// Writes the table, each line indented by `indent` spaces.
    pub(crate) fn write(&self, out: &mut dyn Write, indent: usize) -> io::Result<()> {
        let bold = Style::new().bold();
        let widths: Vec<usize> = (0..self.columns.len()).map(|i| self.width(i)).collect();
        let headings: Vec<Cell> =
            self.columns.iter().map(|c| Cell::styled(c.heading, bold)).collect();
        for row in std::iter::once(&headings).chain(&self.rows) {
            write!(out, "{:indent$}", "")?;
            let mut pending = 0;
            let mut first = true;
            for (i, column) in self.columns.iter().enumerate() {
                if widths[i] == 0 {
                    continue;
                }
                if !first {
                    pending += 2;
                }
                first = false;
                let empty = Cell::default();
                let cell = row.get(i).unwrap_or(&empty);
                let text = shorten(&cell.text, column.limit.max(column.heading.len()));
                let padding = widths[i] - display_width(&text);
                if column.align == Align::Right {
                    pending += padding;
                }
                // Spaces are written only before text, so that no line ends with spaces.
                if !text.is_empty() {
                    write!(out, "{:pending$}", "")?;
                    pending = 0;
                    write!(out, "{}{text}{}", cell.style.render(), cell.style.render_reset())?;
                }
                if column.align == Align::Left {
                    pending += padding;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// The width of a column; zero if the table has rows and none has text in the column.
    fn width(&self, i: usize) -> usize {
        let Column { heading, limit, .. } = self.columns[i];
        let widest = self
            .rows
            .iter()
            .filter_map(|row| row.get(i))
            .map(|cell| display_width(&shorten(&cell.text, limit.max(heading.len()))))
            .max()
            .unwrap_or(0);
        if widest == 0 && !self.rows.is_empty() { 0 } else { widest.max(heading.len()) }
    }
}

/// `text`, its middle replaced by `..` if it has more than `limit` characters. Control characters
/// become spaces.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let chars: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if chars.len() <= limit {
        return chars.into_iter().collect();
    }
    let keep = limit.saturating_sub(2);
    let (head, tail) = (keep.div_ceil(2), keep / 2);
    let start = chars[..head].iter().copied();
    start.chain("..".chars()).chain(chars[chars.len() - tail..].iter().copied()).collect()
}

fn display_width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(table: &Table) -> String {
        let mut out = Vec::new();
        table.write(&mut out, 2).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn columns_are_aligned_and_no_line_ends_with_spaces() {
        let mut table = Table::new()
            .column("name", Align::Left, 10)
            .column("n", Align::Right, 10)
            .column("unused", Align::Left, 10)
            .column("note", Align::Left, 10);
        table.row(vec!["a".into(), "1".into(), "".into(), "x".into()]);
        table.row(vec!["größer".into(), "1000".into()]);
        table.row(vec!["a very long name".into(), "22".into(), "".into(), "end".into()]);
        assert_eq!(
            text(&table),
            "  name           n  note\n  a              1  x\n  größer      1000\n  a ve..name    22  end\n"
        );
    }

    #[test]
    fn names_are_shortened_to_fit_the_line_width() {
        let mut table = Table::new()
            .column("a", Align::Left, 60)
            .column("b", Align::Left, 60)
            .column("n", Align::Right, 9);
        table.row(vec!["x".repeat(50).into(), "y".repeat(20).into(), "1".into()]);
        table.row(vec!["short".into(), "y".into(), "12345".into()]);
        table.shrink(&[0, 1], 48);
        let lines: Vec<usize> = text(&table).lines().map(|l| l.len() - 2).collect();
        assert!(lines.iter().all(|l| *l == 48), "{lines:?}");
        table.shrink(&[0, 1], 10);
        assert_eq!(text(&table).lines().map(str::len).max(), Some(2 + 12 + 2 + 12 + 2 + 5));
    }

    #[test]
    fn long_names_are_shortened_and_control_characters_replaced() {
        assert_eq!(shorten("abcdefgh", 8), "abcdefgh");
        assert_eq!(shorten("abcdefghi", 8), "abc..ghi");
        assert_eq!(shorten("a\x1b[31m\n", 9), "a [31m ");
        assert_eq!(shorten("abc", 1), "..");
    }

    #[test]
    fn a_table_without_rows_shows_its_headings() {
        assert_eq!(text(&Table::new().column("a", Align::Left, 5)), "  a\n");
    }
}
