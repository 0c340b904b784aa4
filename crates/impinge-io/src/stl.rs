//! STL, ASCII and binary: a triangle soup.
//!
//! 3D Systems, "Stereolithography Interface Specification" (1989), as documented by Burns,
//! "Automated Fabrication" (1993), section 6.5. The reader does not weld vertices, because deciding
//! which vertices are equal is a geometric question: there are three positions per triangle, in
//! file order.

use crate::document::{Document, Faces, RawMesh};
use crate::error::{Error, ErrorKind, Location};
use crate::format::{Format, fits_binary_stl};
use crate::report::FileReport;
use crate::stem;
use crate::text::{Cursor, TextSyntax, excerpt, name_of, without_bom};

/// Reads an STL file, ASCII or binary.
///
/// The file is binary if its length agrees with the count in the header, for any first word.
/// Otherwise it is ASCII if it begins with `solid` and has no NUL among its first 1024 bytes.
/// Otherwise it is binary. Each `solid` of an ASCII file is one part.
///
/// # Errors
/// A file shorter than declared in its header, malformed ASCII, and coordinates that are not
/// finite.
pub fn read(bytes: &[u8], name: &str) -> Result<Document, Error> {
    let text = !fits_binary_stl(bytes) && looks_like_text(bytes);
    if text { read_ascii(bytes, name) } else { read_binary(bytes, name) }
}

fn looks_like_text(bytes: &[u8]) -> bool {
    let start = without_bom(bytes).trim_ascii_start();
    let solid = start.get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    // The name of a solid may be in any encoding, but only a binary file has NUL bytes.
    solid && !bytes[..bytes.len().min(1024)].contains(&0)
}

/// Reads a binary STL file.
///
/// # Errors
/// See [`read`].
pub fn read_binary(bytes: &[u8], name: &str) -> Result<Document, Error> {
    let Some(count) = bytes.get(80..84).and_then(|b| <[u8; 4]>::try_from(b).ok()) else {
        let message = format!(
            "the file has {} bytes, too few for binary STL, and does not begin with `solid` as ASCII STL",
            bytes.len()
        );
        return Err(Error::new(
            ErrorKind::UnexpectedEnd,
            Location::Offset(bytes.len() as u64),
            message,
        ));
    };
    let count = u32::from_le_bytes(count) as usize;
    let body = &bytes[84..];
    if body.len() / 50 < count {
        let message = format!(
            "the header declares {count} triangles, but the file ends after {}; it is truncated or not STL",
            body.len() / 50
        );
        return Err(Error::new(
            ErrorKind::UnexpectedEnd,
            Location::Offset(bytes.len() as u64),
            message,
        ));
    }
    let Some(corners) = count.checked_mul(3).and_then(|n| u32::try_from(n).ok()) else {
        return Err(too_many(Location::Offset(80)));
    };

    let mut report = FileReport::new(name, Format::Stl);
    report.variant = "binary".into();
    let mut positions = Vec::with_capacity(corners as usize);
    let mut attributes = 0;
    let mut first_attribute = Location::Whole;
    for (i, record) in body.chunks_exact(50).take(count).enumerate() {
        let at = 84 + 50 * i as u64;
        for (k, corner) in record[12..48].chunks_exact(12).enumerate() {
            let mut position = [0.0; 3];
            for (x, raw) in position.iter_mut().zip(corner.chunks_exact(4)) {
                *x = f64::from(f32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]]));
            }
            if !position.iter().all(|x| x.is_finite()) {
                let message =
                    format!("corner {k} of triangle {i} is {position:?}, not a finite point");
                let place = Location::Offset(at + 12 + 12 * k as u64);
                return Err(Error::new(ErrorKind::NotFinite, place, message));
            }
            positions.push(position);
        }
        if record[48..] != [0, 0] {
            if attributes == 0 {
                first_attribute = Location::Offset(at + 48);
            }
            attributes += 1;
        }
    }
    report.ignore("facet normals", count as u64, Location::Offset(84));
    report.ignore("attribute values that are not zero (colours)", attributes, first_attribute);
    let used = 84 + 50 * count;
    report.skip(
        "bytes after the last triangle",
        (bytes.len() - used) as u64,
        Location::Offset(used as u64),
    );
    let mesh = RawMesh { name: None, positions, faces: Faces::soup(corners) };
    Ok(Document::of_meshes(vec![mesh], stem(name), report))
}

/// Reads an ASCII STL file.
///
/// # Errors
/// See [`read`].
pub fn read_ascii(bytes: &[u8], name: &str) -> Result<Document, Error> {
    let mut report = FileReport::new(name, Format::Stl);
    report.variant = "ASCII".into();
    let mut reader = AsciiReader {
        cursor: Cursor::new(bytes, TextSyntax { comments: false, continuation: false }),
        solids: Vec::new(),
        in_solid: false,
        facet: None,
        report,
    };
    reader.words()?;
    let AsciiReader { mut solids, mut report, .. } = reader;
    if solids.is_empty() {
        return Err(Error::new(
            ErrorKind::Empty,
            Location::Whole,
            "no `solid`: the file contains no geometry",
        ));
    }
    if solids.len() > 1 {
        let with_facets = solids.iter().filter(|(mesh, _)| !mesh.faces.is_empty()).count();
        let is_skipped = |mesh: &RawMesh| with_facets > 0 && mesh.faces.is_empty();
        for (_, line) in solids.iter().filter(|(mesh, _)| is_skipped(mesh)) {
            report.skip("solids without facets", 1, *line);
        }
        solids.retain(|(mesh, _)| !is_skipped(mesh));
    }
    let meshes = solids.into_iter().map(|(mesh, _)| mesh).collect();
    Ok(Document::of_meshes(meshes, stem(name), report))
}

struct AsciiReader<'a> {
    cursor: Cursor<'a>,
    solids: Vec<(RawMesh, Location)>,
    /// Whether the cursor is between `solid` and `endsolid`.
    in_solid: bool,
    /// The corners of the current facet and its line.
    facet: Option<(Vec<u32>, Location)>,
    report: FileReport,
}

impl AsciiReader<'_> {
    fn words(&mut self) -> Result<(), Error> {
        while let Some(word) = self.cursor.word_across_lines() {
            let here = self.cursor.here();
            let mut keyword = [0u8; 8];
            let short = &mut keyword[..word.len().min(8)];
            short.copy_from_slice(&word[..short.len()]);
            short.make_ascii_lowercase();
            match &*short {
                b"solid" => {
                    if self.facet.is_some() {
                        return Err(self.misplaced(word));
                    }
                    let name = name_of(self.cursor.rest_of_line());
                    self.solids.push((RawMesh { name, ..RawMesh::default() }, here));
                    self.in_solid = true;
                }
                b"endsolid" if word.len() == 8 => {
                    if self.facet.is_some() {
                        return Err(self.misplaced(word));
                    }
                    self.cursor.rest_of_line();
                    self.in_solid = false;
                }
                b"facet" => {
                    if self.facet.is_some() || !self.in_solid {
                        return Err(self.misplaced(word));
                    }
                    self.report.ignore("facet normals", 1, here);
                    self.facet = Some((Vec::new(), here));
                }
                b"normal" if self.facet.is_some() => {
                    for _ in 0..3 {
                        self.cursor.word();
                    }
                }
                b"outer" | b"loop" if self.facet.is_some() => {}
                b"vertex" => self.vertex(word)?,
                b"endloop" if self.facet.is_some() => {}
                b"endfacet" if word.len() == 8 => self.end_facet(word)?,
                b"color" => {
                    self.cursor.rest_of_line();
                    self.report.ignore("`color` lines", 1, here);
                }
                _ if self.facet.is_some() => return Err(self.misplaced(word)),
                _ => {
                    let reason = format!("lines of unknown keyword `{}`", excerpt(word));
                    self.cursor.rest_of_line();
                    self.report.skip(reason, 1, here);
                }
            }
        }
        if let Some((_, line)) = &self.facet {
            let message = format!("the file ends within the facet that begins at {line}");
            return Err(Error::new(ErrorKind::UnexpectedEnd, self.cursor.here(), message));
        }
        if self.in_solid {
            let here = self.cursor.here();
            self.report.skip("missing `endsolid` (the file may be truncated)", 1, here);
        }
        Ok(())
    }

    fn vertex(&mut self, word: &[u8]) -> Result<(), Error> {
        let (Some((corners, _)), Some((mesh, _))) = (&mut self.facet, self.solids.last_mut())
        else {
            return Err(self.misplaced(word));
        };
        let n = mesh.faces.len();
        let k = corners.len();
        let what = || format!("corner {k} of triangle {n} needs three coordinates");
        let mut position = [0.0; 3];
        for x in &mut position {
            *x = self.cursor.number(&what)?;
        }
        let Ok(index) = u32::try_from(mesh.positions.len()) else {
            return Err(too_many(self.cursor.here()));
        };
        mesh.positions.push(position);
        corners.push(index);
        Ok(())
    }

    fn end_facet(&mut self, word: &[u8]) -> Result<(), Error> {
        let (Some((corners, line)), Some((mesh, _))) = (self.facet.take(), self.solids.last_mut())
        else {
            return Err(self.misplaced(word));
        };
        if !mesh.faces.push(&corners) {
            mesh.positions.truncate(mesh.positions.len() - corners.len());
            self.report.skip("facets with fewer than three vertices", 1, line);
        }
        Ok(())
    }

    fn misplaced(&self, word: &[u8]) -> Error {
        let message = format!(
            "unexpected `{}`; a facet is `facet normal .. outer loop vertex .. vertex .. vertex .. endloop endfacet`",
            excerpt(word)
        );
        Error::new(ErrorKind::Syntax, self.cursor.here(), message)
    }
}

fn too_many(here: Location) -> Error {
    Error::new(ErrorKind::TooLarge, here, "more than 1431655765 triangles; split the file")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACET: &str = " facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   \
                         vertex 0 1e-3 0\n  endloop\n endfacet\n";

    fn binary(count: u32, triangles: usize) -> Vec<u8> {
        let mut bytes = b"solid but binary".to_vec();
        bytes.resize(80, b' ');
        bytes.extend(count.to_le_bytes());
        for i in 0..triangles {
            for k in 0..12 {
                bytes.extend(((i * 12 + k) as f32).to_le_bytes());
            }
            bytes.extend([0, 0]);
        }
        bytes
    }

    #[test]
    fn every_ascii_solid_is_a_part() {
        let text = format!(
            "solid a b\n{FACET}{FACET}endsolid a b\nSOLID\n{FACET}endsolid\nsolid e\nendsolid e\n"
        );
        let document = read(text.as_bytes(), "t.stl").unwrap();
        let names: Vec<&str> = document.instances.iter().map(|i| &*i.name).collect();
        assert_eq!(names, ["a b", "t.1"]);
        assert_eq!(document.meshes[0].faces.len(), 2);
        assert_eq!(document.meshes[0].positions[5], [0.0, 1e-3, 0.0]);
        assert_eq!(document.report.files[0].variant, "ASCII");
        assert_eq!(document.report.files[0].skipped[0].reason, "solids without facets");
    }

    #[test]
    fn ascii_errors_have_kind_and_line() {
        let fails = |text: &str, kind, line| {
            let error = read(text.as_bytes(), "t.stl").unwrap_err();
            assert_eq!((error.kind(), error.location()), (kind, Location::Line(line)), "{error}");
        };
        let facet = |vertex: &str| FACET.replace("1 0 0", vertex);
        fails(&format!("solid\n{}", facet("1 x 0")), ErrorKind::Syntax, 5);
        fails(&format!("solid\n{}", facet("1 nan 0")), ErrorKind::NotFinite, 5);
        fails(&format!("solid\n{}", facet("1 0")), ErrorKind::Syntax, 5);
        fails("solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\n", ErrorKind::UnexpectedEnd, 5);
        fails("solid\nvertex 1 2 3\n", ErrorKind::Syntax, 2);
        fails("solid\nfacet\nfacet\n", ErrorKind::Syntax, 3);
        fails("solid\nfacet\nnonsense\n", ErrorKind::Syntax, 3);
    }

    #[test]
    fn skipped_ascii_content_is_reported() {
        let text = format!(
            "solid\nhello\n{FACET}facet normal 0 0 0\nouter loop\nvertex 0 0 0\nendloop\nendfacet\n"
        );
        let document = read(text.as_bytes(), "t.stl").unwrap();
        assert_eq!(document.meshes[0].faces.len(), 1);
        assert_eq!(document.meshes[0].positions.len(), 3);
        assert_eq!(document.report.files[0].skipped.len(), 3);
    }

    #[test]
    fn files_of_binary_length_are_binary_even_if_they_begin_with_solid() {
        let document = read(&binary(2, 2), "t.stl").unwrap();
        assert_eq!(document.report.files[0].variant, "binary");
        assert_eq!(document.meshes[0].positions[3], [15.0, 16.0, 17.0]);
        assert_eq!(document.meshes[0].faces.get(1), Some(&[3, 4, 5][..]));
        assert!(document.report.is_complete());
        assert_eq!(read(&binary(0, 0), "t.stl").unwrap().meshes[0].faces.len(), 0);
    }

    #[test]
    fn binary_files_of_wrong_length_are_reported() {
        let mut long = binary(1, 2);
        long[3] = 0;
        let document = read(&long, "t.stl").unwrap();
        assert_eq!(document.report.files[0].skipped[0].count, 50);
        for count in [3, u32::MAX] {
            let error = read_binary(&binary(count, 2), "t.stl").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEnd);
        }
        assert_eq!(read(b"short", "t.stl").unwrap_err().kind(), ErrorKind::UnexpectedEnd);
        let mut nan = binary(2, 2);
        nan[84 + 50 + 24..84 + 50 + 28].copy_from_slice(&f32::NAN.to_le_bytes());
        let error = read(&nan, "t.stl").unwrap_err();
        assert_eq!((error.kind(), error.location()), (ErrorKind::NotFinite, Location::Offset(158)));
    }
}
