//! OFF: the text format of Geomview, with its variants.
//!
//! "OFF Files", Geomview manual, section 4.2.5 (The Geometry Center). The keyword may have the
//! prefixes `ST`, `C` and `N` for texture coordinates, colours and normals after each vertex; it
//! may also be missing. `4OFF` and `nOFF` (other dimensions) and `BINARY` are not supported.
//!
//! The format is a stream of numbers, but a face ends with its line: values after its corners are
//! its colour. If the file has a line for each vertex, too, extra values on these lines are ignored
//! as colours even if the keyword does not declare them, because several exporters write such
//! files.

use crate::document::{Document, Faces, RawMesh};
use crate::error::{Error, ErrorKind, Location};
use crate::format::{Format, off_keyword};
use crate::report::FileReport;
use crate::stem;
use crate::text::{Cursor, TextSyntax, excerpt, finite, parse_u64};

const SYNTAX: TextSyntax = TextSyntax { comments: true, continuation: false };

/// Reads an OFF file.
///
/// # Errors
/// Other dimensions and binary OFF, fewer vertices or faces than declared, malformed or infinite
/// numbers, and faces with vertices that do not exist.
pub fn read(bytes: &[u8], name: &str) -> Result<Document, Error> {
    let mut cursor = Cursor::new(bytes, SYNTAX);
    let mut report = FileReport::new(name, Format::Off);
    let header = header(&mut cursor)?;
    report.variant.clone_from(&header.keyword);
    let mut reader = Reader { cursor, report, words_per_vertex: header.words_per_vertex };
    // Whether there is a line for each vertex and each face.
    let by_line = reader.has_lines(header.vertices.saturating_add(header.faces));
    let positions = reader.vertices(header.vertices, by_line)?;
    // Otherwise, there may still be a line for each face.
    let by_line = by_line || reader.has_lines(header.faces);
    let faces = reader.faces(header.faces, positions.len(), by_line)?;
    let here = reader.cursor.here();
    let mut lines = 0;
    while reader.cursor.seek_word() {
        lines += 1;
        reader.cursor.next_line();
    }
    reader.report.skip("lines after the last face", lines, here);
    let mesh = RawMesh { name: None, positions, faces };
    Ok(Document::of_meshes(vec![mesh], stem(name), reader.report))
}

struct Header {
    keyword: String,
    vertices: u64,
    faces: u64,
    words_per_vertex: usize,
}

fn header(cursor: &mut Cursor<'_>) -> Result<Header, Error> {
    let Some(mut word) = cursor.word_across_lines() else {
        return Err(Error::new(ErrorKind::Empty, Location::Whole, "the file is empty"));
    };
    let mut keyword = "no keyword".to_string();
    let mut words_per_vertex = 3;
    let missing = |cursor: &Cursor<'_>| {
        let message = "the counts of vertices and faces are missing";
        Error::new(ErrorKind::UnexpectedEnd, cursor.here(), message)
    };
    if off_keyword(word) {
        keyword = String::from_utf8_lossy(word).into_owned();
        if keyword.contains('4') || keyword.contains('n') {
            let message = format!("`{keyword}` is not supported; only OFF in three dimensions is");
            return Err(Error::new(ErrorKind::Unsupported, cursor.here(), message));
        }
        let prefix = &keyword[..keyword.len() - 3];
        words_per_vertex += if prefix.starts_with("ST") { 2 } else { 0 };
        words_per_vertex += if prefix.contains('C') { 4 } else { 0 };
        words_per_vertex += if prefix.contains('N') { 3 } else { 0 };
        word = cursor.word_across_lines().ok_or_else(|| missing(cursor))?;
        if word == b"BINARY" {
            let message = "binary OFF is not supported; save it as text or convert it to PLY";
            return Err(Error::new(ErrorKind::Unsupported, cursor.here(), message));
        }
    }
    let count = |word: &[u8], here: Location| {
        parse_u64(word).ok_or_else(|| {
            let message = format!(
                "`{}` is not a count; an OFF file must begin with `OFF` and the numbers of vertices, faces and edges",
                excerpt(word)
            );
            Error::new(ErrorKind::Syntax, here, message)
        })
    };
    let vertices = count(word, cursor.here())?;
    let word = cursor.word_across_lines().ok_or_else(|| missing(cursor))?;
    let faces = count(word, cursor.here())?;
    // The number of edges is not used and may be missing.
    if let Some(word) = cursor.word() {
        count(word, cursor.here())?;
    }
    if vertices > u64::from(u32::MAX) {
        let message = format!("{vertices} vertices; the limit is 4294967295; split the file");
        return Err(Error::new(ErrorKind::TooLarge, cursor.here(), message));
    }
    Ok(Header { keyword, vertices, faces, words_per_vertex })
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    report: FileReport,
    words_per_vertex: usize,
}

impl<'a> Reader<'a> {
    /// Whether at least `rows` non-empty lines follow.
    fn has_lines(&self, rows: u64) -> bool {
        let mut ahead = self.cursor;
        // Every line except the last takes at least two bytes.
        if rows > ahead.remaining() as u64 / 2 + 1 {
            return false;
        }
        let mut lines = 0;
        while lines < rows && ahead.seek_word() {
            lines += 1;
            ahead.rest_of_line();
        }
        lines >= rows
    }

    fn next_word(&mut self, what: &dyn Fn() -> String) -> Result<&'a [u8], Error> {
        self.cursor.word_across_lines().ok_or_else(|| {
            let message = format!("the file ends before {}", what());
            Error::new(ErrorKind::UnexpectedEnd, self.cursor.here(), message)
        })
    }

    /// Skips the remaining words of this line and returns their number.
    fn skip_rest_of_line(&mut self) -> u64 {
        let mut words = 0;
        while self.cursor.word().is_some() {
            words += 1;
        }
        words
    }

    fn vertices(&mut self, count: u64, by_line: bool) -> Result<Vec<[f64; 3]>, Error> {
        // In text, a vertex takes at least six bytes.
        let capacity = self.cursor.remaining() / 6 + 1;
        let mut positions = Vec::with_capacity(capacity.min(count as usize));
        for i in 0..count {
            let what = || format!("vertex {i} of {count}");
            let mut position = [0.0; 3];
            if by_line {
                self.cursor.seek_word();
                for x in &mut position {
                    *x = self.cursor.number(&what)?;
                }
                let here = self.cursor.here();
                let extra = self.skip_rest_of_line();
                if extra > 0 {
                    let reason = "vertices with further values (normals, colours, texture)";
                    self.report.ignore(reason, 1, here);
                }
            } else {
                for x in &mut position {
                    let word = self.next_word(&what)?;
                    *x = finite(word, self.cursor.here(), &what)?;
                }
                for _ in 3..self.words_per_vertex {
                    self.next_word(&what)?;
                }
                if self.words_per_vertex > 3 {
                    let reason = "vertices with further values (normals, colours, texture)";
                    self.report.ignore(reason, 1, self.cursor.here());
                }
            }
            positions.push(position);
        }
        Ok(positions)
    }

    fn faces(&mut self, count: u64, vertices: usize, by_line: bool) -> Result<Faces, Error> {
        let mut faces = Faces::new();
        let mut corners = Vec::new();
        // In text, a triangle takes at least eight bytes.
        let capacity =
            usize::try_from(count).map_or(usize::MAX, |n| n.min(self.cursor.remaining() / 8));
        faces.reserve(capacity, 3 * capacity);
        for i in 0..count {
            let what = || format!("face {i} of {count}");
            let word = self.next_word(&what)?;
            let here = self.cursor.here();
            let Some(n) = parse_u64(word) else {
                let message = format!("`{}` is not the corner count of face {i}", excerpt(word));
                return Err(Error::new(ErrorKind::Syntax, here, message));
            };
            corners.clear();
            for _ in 0..n {
                let word = self.next_word(&what)?;
                let place = self.cursor.here();
                let Some(index) = parse_u64(word) else {
                    let message = format!("`{}` in face {i} is not a vertex number", excerpt(word));
                    return Err(Error::new(ErrorKind::Syntax, place, message));
                };
                if index >= vertices as u64 {
                    let message = format!(
                        "face {i} references vertex {index}, but there are {vertices}, counted from 0"
                    );
                    return Err(Error::new(ErrorKind::IndexOutOfBounds, place, message));
                }
                corners.push(index as u32);
            }
            if by_line && self.skip_rest_of_line() > 0 {
                self.report.ignore("faces with colour values", 1, here);
            }
            if !faces.push(&corners) {
                self.report.skip("faces with fewer than three corners", 1, here);
            }
        }
        Ok(faces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRA: &str = "OFF\n# a comment\n4 4 6\n0 0 0\n1 0 0\n0 1 0 # end\n0 0 1\n\
                         3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";

    #[test]
    fn all_variants_of_the_header_are_read() {
        let expected = read(TETRA.as_bytes(), "t.off").unwrap().meshes;
        for (from, to) in [
            ("OFF\n# a comment\n", "OFF "),
            ("OFF\n# a comment\n", ""),
            ("OFF\n# a comment\n4 4 6", "OFF 4 4"),
            ("\n", "\r\n"),
            ("0 0 0\n1 0 0", "0 0 0 1 0 0"),
        ] {
            let text = TETRA.replace(from, to);
            assert_eq!(read(text.as_bytes(), "t.off").unwrap().meshes, expected, "{text}");
        }
    }

    #[test]
    fn files_of_one_line_are_read() {
        let text = "OFF 3 2 0 0 0 0 1 0 0 0 1 0 3 0 1 2 3 2 1 0";
        let mesh = &read(text.as_bytes(), "t.off").unwrap().meshes[0];
        assert_eq!(mesh.positions.len(), 3);
        assert_eq!(mesh.faces.get(1), Some(&[2, 1, 0][..]));
        let coloured =
            "CNOFF 3 1 0 0 0 0 1 1 1 9 9 9 9 1 0 0 1 1 1 9 9 9 9 0 1 0 1 1 1 9 9 9 9 3 0 1 2";
        assert_eq!(read(coloured.as_bytes(), "t.off").unwrap().meshes[0].positions, mesh.positions);
    }

    #[test]
    fn colours_are_ignored_and_counted() {
        let text = "COFF\n4 2 0\n0 0 0 1 0 0 1\n1 0 0 1 0 0 1\n1 1 0 1 0 0 1\n0 1 0 1 0 0 1\n\
                    4 0 1 2 3 0.5 0.5 0.5\n2 0 1\n\nend of it\n";
        let document = read(text.as_bytes(), "t.off").unwrap();
        assert_eq!(document.meshes[0].faces.get(0), Some(&[0, 1, 2, 3][..]));
        let file = &document.report.files[0];
        assert_eq!(file.variant, "COFF");
        let ignored: Vec<(u64, Location)> =
            file.ignored.iter().map(|n| (n.count, n.first)).collect();
        assert_eq!(ignored, [(4, Location::Line(3)), (1, Location::Line(7))]);
        let skipped: Vec<(u64, Location)> =
            file.skipped.iter().map(|n| (n.count, n.first)).collect();
        assert_eq!(skipped[0], (1, Location::Line(8)));
        assert_eq!(skipped[1].0, 1);
        // Colours that the keyword does not declare.
        let plain = text.replace("COFF", "OFF");
        assert_eq!(read(plain.as_bytes(), "t.off").unwrap().meshes, document.meshes);
    }

    #[test]
    fn errors_have_kind_and_line() {
        let fails = |from: &str, to: &str, kind, line| {
            assert!(TETRA.contains(from));
            let error = read(TETRA.replacen(from, to, 1).as_bytes(), "t.off").unwrap_err();
            assert_eq!((error.kind(), error.location()), (kind, Location::Line(line)), "{error}");
        };
        fails("OFF\n", "4OFF\n", ErrorKind::Unsupported, 1);
        fails("OFF\n", "nOFF\n", ErrorKind::Unsupported, 1);
        fails("OFF\n", "OFF BINARY\n", ErrorKind::Unsupported, 1);
        fails("OFF\n", "FFO\n", ErrorKind::Syntax, 1);
        fails("4 4 6", "4 x 6", ErrorKind::Syntax, 3);
        fails("4 4 6", "4 4 6.5", ErrorKind::Syntax, 3);
        fails("4 4 6", "5000000000 4 6", ErrorKind::TooLarge, 3);
        fails("4 4 6", "4 4294967295 6", ErrorKind::UnexpectedEnd, 12);
        fails("1 0 0", "1 z 0", ErrorKind::Syntax, 5);
        fails("1 0 0", "1 inf 0", ErrorKind::NotFinite, 5);
        fails("3 0 1 3", "3 0 1 4", ErrorKind::IndexOutOfBounds, 9);
        fails("3 0 1 3", "3 0 1 -1", ErrorKind::Syntax, 9);
        fails("3 0 1 3", "x 0 1 3", ErrorKind::Syntax, 9);
        fails("3 2 0 3\n", "3 2 0", ErrorKind::UnexpectedEnd, 11);
        assert_eq!(read(b"", "t.off").unwrap_err().kind(), ErrorKind::Empty);
    }
}
