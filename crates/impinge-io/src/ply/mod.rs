//! PLY: vertices and faces with any further properties, as text or binary.
//!
//! Turk, "The PLY Polygon File Format" (Stanford, 1994). The reader supports all scalar types,
//! elements and properties in any order, and list properties anywhere. It reads `x`, `y` and `z` of
//! `vertex`, and `vertex_indices` or `vertex_index` of `face` and `tristrips`. It skips and counts
//! everything else. Numbers in text are read as `f64`, for any type that the header declares.

mod body;
mod header;

use self::body::Body;
use self::header::{Element, Encoding, Header};
use crate::document::{Document, Faces, LargestIndex, RawMesh};
use crate::error::{Error, ErrorKind, Location};
use crate::format::Format;
use crate::report::FileReport;
use crate::stem;
use crate::text::excerpt;

/// Reads a PLY file.
///
/// # Errors
/// Malformed headers and rows, a body with fewer elements than declared, indices of vertices that
/// do not exist, and coordinates that are not finite.
pub fn read(bytes: &[u8], name: &str) -> Result<Document, Error> {
    let (header, cursor) = header::read(bytes)?;
    let mut report = FileReport::new(name, Format::Ply);
    report.variant = match header.encoding {
        Encoding::Ascii => "ASCII",
        Encoding::LittleEndian => "binary, little endian",
        Encoding::BigEndian => "binary, big endian",
    }
    .into();
    report.ignore("`comment` and `obj_info` lines", header.comments.0, header.comments.1);
    let body = Body::new(bytes, cursor, header.encoding);
    let mut reader = Reader {
        body,
        positions: Vec::new(),
        faces: Faces::new(),
        largest: LargestIndex::default(),
        corners: Vec::new(),
        list: Vec::new(),
        report,
    };
    reader.elements(&header)?;
    let Reader { positions, faces, report, largest, .. } = reader;
    if let Some((index, here)) = largest.out_of_bounds(positions.len()) {
        let message = format!(
            "a face references vertex {index}, but the file has {} vertices, counted from 0",
            positions.len()
        );
        return Err(Error::new(ErrorKind::IndexOutOfBounds, here, message));
    }
    let mesh = RawMesh { name: None, positions, faces };
    Ok(Document::of_meshes(vec![mesh], stem(name), report))
}

struct Reader<'a> {
    body: Body<'a>,
    positions: Vec<[f64; 3]>,
    faces: Faces,
    largest: LargestIndex,
    corners: Vec<u32>,
    list: Vec<f64>,
    report: FileReport,
}

impl Reader<'_> {
    fn elements(&mut self, header: &Header) -> Result<(), Error> {
        if !header.elements.iter().any(|e| e.name == "vertex") {
            return Err(Error::new(
                ErrorKind::Empty,
                Location::Whole,
                "the header declares no element `vertex`; the file contains no geometry",
            ));
        }
        for element in &header.elements {
            match element.name.as_str() {
                "vertex" => self.vertices(element)?,
                "face" | "tristrips" => self.polygons(element)?,
                _ => self.other(element)?,
            }
        }
        if let Body::Text(cursor) = &mut self.body {
            let here = cursor.here();
            let mut lines = 0;
            while cursor.seek_word() {
                lines += 1;
                cursor.next_line();
            }
            self.report.skip("lines after the last element", lines, here);
        } else {
            let here = self.body.here();
            self.report.skip("bytes after the last element", self.body.remaining() as u64, here);
        }
        Ok(())
    }

    /// Begins row `i` of `element`.
    fn begin(&mut self, element: &Element, i: u64) -> Result<(), Error> {
        if self.body.begin_row() {
            return Ok(());
        }
        let message = format!(
            "the header declares {} rows of `{}`, but the file ends after {i}",
            element.count,
            excerpt(element.name.as_bytes())
        );
        Err(Error::new(ErrorKind::UnexpectedEnd, self.body.here(), message))
    }

    fn end(&mut self) {
        let here = self.body.here();
        let extra = self.body.end_row();
        self.report.ignore("values beyond the declared properties", extra, here);
    }

    /// Counts the properties of `element` that are not among `read`.
    fn unread_properties(&mut self, element: &Element, read: &[usize]) {
        for (i, property) in element.properties.iter().enumerate() {
            if !read.contains(&i) {
                let reason = format!(
                    "values of property `{}` of `{}`",
                    excerpt(property.name.as_bytes()),
                    element.name
                );
                self.report.ignore(reason, element.count, element.line);
            }
        }
    }

    fn vertices(&mut self, element: &Element) -> Result<(), Error> {
        let mut axes = [0; 3];
        for (axis, name) in axes.iter_mut().zip(["x", "y", "z"]) {
            match element.position_of(name) {
                Some(at) if element.properties[at].list.is_none() => *axis = at,
                _ => {
                    let message = format!("element `vertex` has no number property `{name}`");
                    return Err(Error::new(ErrorKind::Syntax, element.line, message));
                }
            }
        }
        if element.count > u64::from(u32::MAX) {
            return Err(too_large(element));
        }
        self.unread_properties(element, &axes);
        // The index in `values` of each property: 0 to 2 for x, y and z, 3 for all others.
        let slots: Vec<usize> = (0..element.properties.len())
            .map(|k| axes.iter().position(|&axis| axis == k).unwrap_or(3))
            .collect();
        let room = self.body.rows_left(element);
        self.positions.reserve(room.min(element.count as usize));
        for i in 0..element.count {
            self.begin(element, i)?;
            let here = self.body.here();
            let mut values = [0.0; 4];
            for (property, &slot) in element.properties.iter().zip(&slots) {
                if let Some(count) = property.list {
                    let n = self.body.count(count)?;
                    self.body.skip(property.value, n)?;
                } else {
                    values[slot] = self.body.scalar(property.value)?;
                }
            }
            let position = [values[0], values[1], values[2]];
            if !position.iter().all(|x| x.is_finite()) {
                let message = format!("vertex {i} is {position:?}, not a finite point");
                return Err(Error::new(ErrorKind::NotFinite, here, message));
            }
            self.end();
            self.positions.push(position);
        }
        Ok(())
    }

    fn polygons(&mut self, element: &Element) -> Result<(), Error> {
        let list = element
            .position_of("vertex_indices")
            .or_else(|| element.position_of("vertex_index"))
            .filter(|&at| element.properties[at].list.is_some());
        let Some(list) = list else {
            if element.count == 0 {
                return Ok(());
            }
            let message =
                format!("element `{}` has no list property `vertex_indices`", element.name);
            return Err(Error::new(ErrorKind::Syntax, element.line, message));
        };
        if !element.properties[list].value.is_integer() {
            let message = "the vertex indices do not have an integer type";
            return Err(Error::new(ErrorKind::Syntax, element.line, message));
        }
        self.unread_properties(element, &[list]);
        let strips = element.name == "tristrips";
        if !strips {
            let room = self.body.rows_left(element);
            let rows = usize::try_from(element.count).map_or(room, |n| n.min(room));
            self.faces.reserve(rows, (3 * rows).min(self.body.remaining()));
        }
        for i in 0..element.count {
            self.begin(element, i)?;
            let here = self.body.here();
            for (k, property) in element.properties.iter().enumerate() {
                let Some(count) = property.list else {
                    self.body.scalar(property.value)?;
                    continue;
                };
                let n = self.body.count(count)?;
                if k != list {
                    self.body.skip(property.value, n)?;
                    continue;
                }
                self.body.list(property.value, n, &mut self.list)?;
                self.corners.clear();
                for k in 0..self.list.len() {
                    let index = self.list[k];
                    if strips && index == -1.0 {
                        self.strip(here);
                        self.corners.clear();
                        continue;
                    }
                    // False for NaN.
                    let valid = index >= 0.0 && index < f64::from(u32::MAX) && index.fract() == 0.0;
                    if !valid {
                        let message = format!(
                            "row {i} of `{}` references vertex {index}, which is not a valid index",
                            element.name
                        );
                        return Err(Error::new(ErrorKind::IndexOutOfBounds, here, message));
                    }
                    self.largest.update(index as u32, here);
                    self.corners.push(index as u32);
                }
                if strips {
                    self.strip(here);
                } else if !self.faces.push(&self.corners) {
                    self.report.skip("faces with fewer than three corners", 1, here);
                }
            }
            self.end();
        }
        Ok(())
    }

    /// Adds the triangle strip in `corners`, all triangles with the same winding.
    fn strip(&mut self, here: Location) {
        let repeated = self.faces.push_strip(&self.corners);
        self.report.ignore("strip triangles with a repeated corner (joints)", repeated, here);
        if (1..3).contains(&self.corners.len()) {
            self.report.skip("strips with fewer than three corners", 1, here);
        }
    }

    fn other(&mut self, element: &Element) -> Result<(), Error> {
        let name = excerpt(element.name.as_bytes());
        let reason = format!("rows of element `{name}`");
        self.report.skip(reason, element.count, element.line);
        if element.properties.is_empty() {
            return Ok(());
        }
        for i in 0..element.count {
            self.begin(element, i)?;
            for property in &element.properties {
                let n = match property.list {
                    Some(count) => self.body.count(count)?,
                    None => 1,
                };
                self.body.skip(property.value, n)?;
            }
            self.end();
        }
        Ok(())
    }
}

fn too_large(element: &Element) -> Error {
    let message = format!("{} vertices; the limit is 4294967295; split the file", element.count);
    Error::new(ErrorKind::TooLarge, element.line, message)
}

#[cfg(test)]
mod tests;
