//! Every intersecting triangle pair as CSV (RFC 4180), written while the check runs.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use impinge::Vec3;
use impinge::pair::Hit;

/// Creates a file for buffered writing.
pub(crate) fn create_file(path: &Path) -> Result<BufWriter<File>> {
    let file = File::create(path).with_context(|| {
        format!("cannot create {}; check that the folder exists and is writable", path.display())
    })?;
    Ok(BufWriter::new(file))
}

const HEADER: &str = "part_a,part_b,name_a,name_b,triangle_a,triangle_b,contact,x,y,z";

/// The CSV file of `--pairs`. Points are in the scene's frame; numbers read back to the same bits.
pub(crate) struct PairsFile {
    path: PathBuf,
    out: BufWriter<File>,
}

/// The two parts of a row: index and name of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) a: (usize, &'a str),
    pub(crate) b: (usize, &'a str),
}

impl PairsFile {
    /// Creates the file and writes the header line.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let mut this = Self { path: path.to_owned(), out: create_file(path)? };
        writeln!(this.out, "{HEADER}").with_context(|| this.write_error())?;
        Ok(this)
    }

    /// Writes one row per hit; `point` maps a hit's point to the scene's frame.
    pub(crate) fn write(
        &mut self,
        parts: Parts<'_>,
        hits: &[Hit],
        point: impl Fn(Vec3) -> Vec3,
    ) -> Result<()> {
        for hit in hits {
            row(&mut self.out, parts, hit, point(hit.point)).with_context(|| self.write_error())?;
        }
        Ok(())
    }

    /// Flushes the buffer.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.out.flush().with_context(|| self.write_error())
    }

    fn write_error(&self) -> String {
        format!("cannot write to {}; the file is incomplete", self.path.display())
    }
}

fn row(out: &mut impl Write, parts: Parts<'_>, hit: &Hit, p: Vec3) -> io::Result<()> {
    write!(out, "{},{},", parts.a.0, parts.b.0)?;
    field(out, parts.a.1)?;
    write!(out, ",")?;
    field(out, parts.b.1)?;
    write!(out, ",{},{},", hit.triangle_a, hit.triangle_b)?;
    field(out, &hit.kind.to_string())?;
    // The shortest text that reads back to the same bits, with an exponent where that is shorter.
    writeln!(out, ",{:?},{:?},{:?}", p.x, p.y, p.z)
}

/// Writes a field, quoted if it contains a comma, a quote or a line break, or starts or ends with a
/// space.
fn field(out: &mut impl Write, text: &str) -> io::Result<()> {
    let special = |c: char| matches!(c, ',' | '"' | '\n' | '\r');
    if text.contains(special) || text.starts_with(' ') || text.ends_with(' ') {
        write!(out, "\"{}\"", text.replace('"', "\"\""))
    } else {
        write!(out, "{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::exact::{Feature, HitKind};

    #[test]
    fn fields_are_quoted_where_necessary() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            (" edge ", "\" edge \""),
        ] {
            let mut out = Vec::new();
            field(&mut out, text).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn a_row_has_all_columns_and_exact_numbers() {
        let hit = Hit {
            triangle_a: 3,
            triangle_b: 4,
            kind: HitKind::Touching { feature_a: Feature::Vertex(1), feature_b: Feature::Face },
            point: Vec3::ZERO,
        };
        let mut out = Vec::new();
        let parts = Parts { a: (0, "x"), b: (7, "y,z") };
        row(&mut out, parts, &hit, Vec3::new(0.1, -1e-300, 1e22)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "0,7,x,\"y,z\",3,4,touching (vertex 1 on face),0.1,-1e-300,1e22\n");
        assert_eq!(text.matches(',').count(), HEADER.matches(',').count() + 1);
    }
}
