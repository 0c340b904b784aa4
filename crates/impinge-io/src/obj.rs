//! Wavefront OBJ: polygons in text.
//!
//! Wavefront Technologies, "Object Files (.obj)", Advanced Visualizer manual, appendix B1. The
//! reader supports `v`, `f` (also in the forms `v/vt`, `v//vn`, `v/vt/vn`, with negative numbers,
//! and as the old `fo`) and `o`. Each `o` begins a part. A `g` does not, because exporters write
//! one per material or smoothing group.

use crate::document::{Document, Faces, LargestIndex, RawMesh};
use crate::error::{Error, ErrorKind, Location};
use crate::format::Format;
use crate::report::FileReport;
use crate::stem;
use crate::text::{Cursor, TextSyntax, excerpt, name_of, parse_u64};

/// Reads an OBJ file. `name` is used in messages and as the name of a part without `o` line.
///
/// If the file has one part, the part has all vertices with their numbers. If it has several, each
/// part has the vertices that its faces use, in the order of the file.
///
/// # Errors
/// Malformed `v` and `f` lines, faces with vertices that do not exist, numbers that are not finite,
/// and files without vertices.
pub fn read(bytes: &[u8], name: &str) -> Result<Document, Error> {
    let mut reader = Reader {
        cursor: Cursor::new(bytes, TextSyntax { comments: true, continuation: true }),
        positions: Vec::new(),
        faces: Faces::new(),
        corners: Vec::new(),
        parts: Vec::new(),
        largest: LargestIndex::default(),
        report: FileReport::new(name, Format::Obj),
    };
    reader.lines()?;
    reader.finish(name)
}

struct Part {
    name: Option<String>,
    first_face: usize,
    line: Location,
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    positions: Vec<[f64; 3]>,
    faces: Faces,
    corners: Vec<u32>,
    parts: Vec<Part>,
    largest: LargestIndex,
    report: FileReport,
}

impl Reader<'_> {
    fn lines(&mut self) -> Result<(), Error> {
        loop {
            if let Some(keyword) = self.cursor.word() {
                match keyword {
                    b"v" => self.vertex()?,
                    b"f" | b"fo" => self.face()?,
                    b"o" => {
                        let line = self.cursor.here();
                        let name = name_of(self.cursor.rest_of_line());
                        self.parts.push(Part { name, first_face: self.faces.len(), line });
                    }
                    other => self.omit_line(other),
                }
            }
            if !self.cursor.next_line() {
                return Ok(());
            }
        }
    }

    fn vertex(&mut self) -> Result<(), Error> {
        let n = self.positions.len() + 1;
        let what = || format!("vertex {n} needs three coordinates");
        let mut position = [0.0; 3];
        for x in &mut position {
            *x = self.cursor.number(&what)?;
        }
        if n > u32::MAX as usize {
            return Err(too_many(self.cursor.here()));
        }
        self.positions.push(position);
        let mut extra = 0;
        while self.cursor.word().is_some() {
            extra += 1;
        }
        let here = self.cursor.here();
        match extra {
            0 => {}
            1 => self.report.ignore("weights of `v` lines", 1, here),
            3 | 4 => self.report.ignore("colours of `v` lines", 1, here),
            _ => self.report.ignore("extra values of `v` lines", 1, here),
        }
        Ok(())
    }

    fn face(&mut self) -> Result<(), Error> {
        self.corners.clear();
        let here = self.cursor.here();
        while let Some(word) = self.cursor.word() {
            let end = word.iter().position(|&b| b == b'/').unwrap_or(word.len());
            let (index, rest) = word.split_at(end);
            if !rest.iter().all(|b| matches!(b, b'/' | b'-' | b'+' | b'0'..=b'9')) {
                return Err(bad_corner(word, self.cursor.here()));
            }
            let index = self.index(index, word)?;
            self.corners.push(index);
        }
        if !self.faces.push(&self.corners) {
            self.report.skip("faces with fewer than three corners", 1, here);
        }
        Ok(())
    }

    /// A vertex number of a face, counted from 0.
    #[inline]
    fn index(&mut self, digits: &[u8], word: &[u8]) -> Result<u32, Error> {
        let here = self.cursor.here();
        let known = self.positions.len() as u64;
        let out_of_range = |reason: String| {
            let message = format!("a face references vertex `{}`, but {reason}", excerpt(word));
            Error::new(ErrorKind::IndexOutOfBounds, here, message)
        };
        if let Some(back) = digits.strip_prefix(b"-") {
            let back = parse_u64(back).ok_or_else(|| bad_corner(word, here))?;
            if back == 0 || back > known {
                return Err(out_of_range(format!("there are {known} vertices before it")));
            }
            // No overflow: there are at most u32::MAX vertices.
            return Ok((known - back) as u32);
        }
        let index = parse_u64(digits).ok_or_else(|| bad_corner(word, here))?;
        let index = match index {
            0 => return Err(out_of_range("OBJ counts vertices from 1".into())),
            n => u32::try_from(n - 1)
                .map_err(|_| out_of_range("the limit is 4294967295 vertices".into()))?,
        };
        if u64::from(index) >= known {
            // A later vertex; its existence is checked at the end of the file.
            self.largest.update(index, here);
        }
        Ok(index)
    }

    /// Counts a line that is not read: as ignored if it is not geometry, as skipped if it is
    /// geometry or unknown.
    fn omit_line(&mut self, keyword: &[u8]) {
        let here = self.cursor.here();
        let ignored = match keyword {
            b"vn" => "`vn` lines (normals)",
            b"vt" => "`vt` lines (texture coordinates)",
            b"g" => "`g` lines (groups; parts begin at `o`)",
            b"s" | b"mg" => "`s` and `mg` lines (smoothing and merging groups)",
            b"usemtl" | b"mtllib" | b"usemap" | b"maplib" => "material and texture map lines",
            b"bevel" | b"c_interp" | b"d_interp" | b"lod" | b"shadow_obj" | b"trace_obj" => {
                "display attribute lines"
            }
            _ => "",
        };
        if !ignored.is_empty() {
            return self.report.ignore(ignored, 1, here);
        }
        let skipped = match keyword {
            b"p" => "`p` lines (points)",
            b"l" => "`l` lines (line elements)",
            b"vp" | b"cstype" | b"deg" | b"bmat" | b"step" | b"curv" | b"curv2" | b"surf"
            | b"parm" | b"trim" | b"hole" | b"scrv" | b"sp" | b"end" | b"con" | b"ctech"
            | b"stech" | b"bsp" | b"bzp" | b"cdc" | b"cdp" | b"res" => {
                "lines of free-form curves and surfaces"
            }
            b"call" | b"csh" => "`call` and `csh` lines (other files and commands)",
            [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => "lines that begin with a number",
            _ => "",
        };
        if skipped.is_empty() {
            let reason = format!("lines of unknown keyword `{}`", excerpt(keyword));
            self.report.skip(reason, 1, here);
        } else {
            self.report.skip(skipped, 1, here);
        }
    }

    fn finish(mut self, name: &str) -> Result<Document, Error> {
        let count = self.positions.len();
        if let Some((index, here)) = self.largest.out_of_bounds(count) {
            let message = format!(
                "a face references vertex {}, but the file has {count} vertices",
                u64::from(index) + 1
            );
            return Err(Error::new(ErrorKind::IndexOutOfBounds, here, message));
        }
        if count == 0 {
            return Err(Error::new(
                ErrorKind::Empty,
                Location::Whole,
                "no `v` line: the file contains no geometry, or is not OBJ",
            ));
        }
        let meshes = self.split();
        Ok(Document::of_meshes(meshes, stem(name), self.report))
    }

    /// Splits the file into one mesh per part with faces.
    fn split(&mut self) -> Vec<RawMesh> {
        let faces = std::mem::take(&mut self.faces);
        let mut parts = std::mem::take(&mut self.parts);
        if parts.first().is_none_or(|p| p.first_face > 0) {
            parts.insert(0, Part { name: None, first_face: 0, line: Location::Line(1) });
        }
        let mut ranges = Vec::with_capacity(parts.len());
        for i in 0..parts.len() {
            let end = parts.get(i + 1).map_or(faces.len(), |next| next.first_face);
            ranges.push(parts[i].first_face..end);
        }
        let with_faces = ranges.iter().filter(|r| !r.is_empty()).count();
        if with_faces <= 1 {
            // The single part gets all vertices, including unused ones.
            let at = ranges.iter().position(|r| !r.is_empty()).unwrap_or(0);
            for part in parts.iter().enumerate().filter(|&(i, _)| i != at).map(|(_, p)| p) {
                self.report.skip("objects without faces", 1, part.line);
            }
            let name = parts[at].name.take();
            let positions = std::mem::take(&mut self.positions);
            return vec![RawMesh { name, positions, faces }];
        }

        let mut meshes = Vec::with_capacity(with_faces);
        let mut renumbered = vec![u32::MAX; self.positions.len()];
        let mut used = vec![false; self.positions.len()];
        for (part, range) in parts.into_iter().zip(ranges) {
            if range.is_empty() {
                self.report.skip("objects without faces", 1, part.line);
                continue;
            }
            let corners = faces.offsets()[range.start]..faces.offsets()[range.end];
            let mut vertices = faces.indices()[corners.clone()].to_vec();
            vertices.sort_unstable();
            vertices.dedup();
            let mut positions = Vec::with_capacity(vertices.len());
            for &v in &vertices {
                renumbered[v as usize] = positions.len() as u32;
                used[v as usize] = true;
                positions.push(self.positions[v as usize]);
            }
            let mut part_faces = Faces::new();
            part_faces.reserve(range.len(), corners.len());
            for face in range.filter_map(|f| faces.get(f)) {
                self.corners.clear();
                self.corners.extend(face.iter().map(|&v| renumbered[v as usize]));
                part_faces.push(&self.corners);
            }
            meshes.push(RawMesh { name: part.name, positions, faces: part_faces });
        }
        let unused = used.iter().filter(|&&u| !u).count();
        self.report.skip("vertices that no face of any part uses", unused as u64, Location::Whole);
        meshes
    }
}

fn bad_corner(word: &[u8], here: Location) -> Error {
    let message = format!(
        "`{}` is not a face corner; expected v, v/vt, v//vn or v/vt/vn with integers",
        excerpt(word)
    );
    Error::new(ErrorKind::Syntax, here, message)
}

fn too_many(here: Location) -> Error {
    Error::new(ErrorKind::TooLarge, here, "more than 4294967295 vertices; split the file")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(text: &str, kind: ErrorKind, line: u64) {
        let error = read(text.as_bytes(), "t.obj").unwrap_err();
        assert_eq!((error.kind(), error.location()), (kind, Location::Line(line)), "{error}");
    }

    #[test]
    fn all_forms_of_face_corners_are_read() {
        let text = "# c\r\nmtllib a.mtl\r\nv 0 0 0\r\nv 1 0 0 1.0\r\nv 1 1 0 0.5 0.5 0.5\r\nv 0 1 0\r\n\
                    vt 0 0\r\nvn 0 0 1\r\nf 1 2 3\r\nf 1/1 3/1 4/1\r\nf -4//1 -3//1 -2//1 \\\r\n -1//1\r\n\
                    f 1/1/1 2/1/1 3/1/1 # end\r\nl 1 2\r\nf 1 2\r\nfoo\r\n648 216\r\n";
        let document = read(text.as_bytes(), "dir/plate.obj").unwrap();
        assert_eq!(document.meshes.len(), 1);
        let mesh = &document.meshes[0];
        assert_eq!(mesh.positions.len(), 4);
        let faces: Vec<&[u32]> = mesh.faces.iter().collect();
        assert_eq!(faces, [&[0, 1, 2][..], &[0, 2, 3], &[0, 1, 2, 3], &[0, 1, 2]]);
        assert_eq!(document.instances[0].name, "plate");
        let file = &document.report.files[0];
        let skipped: Vec<(&str, u64, Location)> =
            file.skipped.iter().map(|n| (&*n.reason, n.count, n.first)).collect();
        assert_eq!(
            skipped,
            [
                ("`l` lines (line elements)", 1, Location::Line(14)),
                ("faces with fewer than three corners", 1, Location::Line(15)),
                ("lines of unknown keyword `foo`", 1, Location::Line(16)),
                ("lines that begin with a number", 1, Location::Line(17)),
            ]
        );
        assert_eq!(file.ignored.iter().map(|n| n.count).sum::<u64>(), 5);
    }

    #[test]
    fn a_single_part_has_all_vertices() {
        let document =
            read(b"o one\nv 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 2 3 4\n", "t.obj").unwrap();
        assert_eq!(document.meshes[0].positions.len(), 4);
        assert_eq!(document.meshes[0].faces.get(0), Some(&[1, 2, 3][..]));
        assert_eq!(document.instances[0].name, "one");
        assert!(document.report.is_complete());
    }

    #[test]
    fn parts_have_their_used_vertices_in_file_order() {
        let text = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nv 4 0 0\nf 5 3 1\no b\nf 3 2 1\no empty\no c#1 x\nf 2 4 3\n";
        // Part c uses vertex 4 of the file, so all vertices are used.
        let document = read(text.as_bytes(), "t.obj").unwrap();
        let names: Vec<&str> = document.instances.iter().map(|i| &*i.name).collect();
        assert_eq!(names, ["t.0", "b", "c#1 x"]);
        assert_eq!(document.meshes[0].positions, [[0.0; 3], [2.0, 0.0, 0.0], [4.0, 0.0, 0.0]]);
        assert_eq!(document.meshes[0].faces.get(0), Some(&[2, 1, 0][..]));
        assert_eq!(document.meshes[2].faces.get(0), Some(&[0, 2, 1][..]));
        assert_eq!(document.report.files[0].skipped[0].reason, "objects without faces");
    }

    #[test]
    fn faces_may_precede_their_vertices() {
        let document = read(b"f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", "t.obj").unwrap();
        assert_eq!(document.meshes[0].faces.len(), 1);
    }

    #[test]
    fn errors_have_kind_and_line() {
        fails("v 0 0\n", ErrorKind::Syntax, 1);
        fails("v 0 0 0\nv 0 x 0\n", ErrorKind::Syntax, 2);
        fails("v 0 0 0\nv 0 nan 0\n", ErrorKind::NotFinite, 2);
        fails("v 0 0 1e400\n", ErrorKind::NotFinite, 1);
        fails("v 0 0 0\n\nf 1 1 2\n", ErrorKind::IndexOutOfBounds, 3);
        fails("v 0 0 0\nf 0 1 1\n", ErrorKind::IndexOutOfBounds, 2);
        fails("v 0 0 0\nf -2 1 1\n", ErrorKind::IndexOutOfBounds, 2);
        fails("v 0 0 0\nf 1 1 4294967297\n", ErrorKind::IndexOutOfBounds, 2);
        fails("v 0 0 0\nf 1 1 99999999999999999999\n", ErrorKind::Syntax, 2);
        fails("v 0 0 0\nf 1 1 1.5\n", ErrorKind::Syntax, 2);
        fails("v 0 0 0\nf 1/a 1 1\n", ErrorKind::Syntax, 2);
        assert_eq!(read(b"", "t.obj").unwrap_err().kind(), ErrorKind::Empty);
        assert_eq!(read(b"garbage\n", "t.obj").unwrap_err().kind(), ErrorKind::Empty);
    }
}
