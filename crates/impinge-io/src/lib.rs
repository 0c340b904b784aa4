//! Meshes, assemblies and scenes from files, as plain arrays.
//!
//! This crate converts bytes to positions, polygons and matrices. It does not weld vertices,
//! triangulate or repair. Everything it omits is counted in a [`LoadReport`]. What it cannot read
//! is an [`Error`] with the file, the line or byte, and advice.
//!
//! | format | parts |
//! | --- | --- |
//! | [OBJ](obj) | one per `o` line |
//! | [STL](stl), ASCII and binary | one per `solid` |
//! | [PLY](ply), ASCII and binary | one |
//! | [OFF](off), ASCII | one |
//! | [glTF 2.0](gltf), `.gltf` and `.glb` | one per node and primitive |
//! | [scene files](scene), TOML and JSON | the parts of the referenced files |
//!
//! ```
//! let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nl 1 3\n";
//! let document = impinge_io::load_bytes(text, None, "plate.obj")?;
//! assert_eq!(document.meshes[0].faces.get(0), Some(&[0, 1, 2, 3][..]));
//! assert_eq!(document.instances[0].name, "plate");
//! assert_eq!(document.report.skipped().count(), 1); // the `l` line
//! # Ok::<(), impinge_io::Error>(())
//! ```
//!
//! # Why this crate has readers of its own
//!
//! The result of a clash check is only as good as its input. Readers made for rendering triangulate
//! polygons, split vertices at texture seams, weld vertices, drop what they do not draw, round to
//! `f32`, or report no more than "parse error". The readers of this crate keep polygons and the
//! vertex numbers of the file, convert decimal numbers to the nearest `f64`, widen stored `f32`
//! exactly, and report everything they drop. JSON and TOML are read with `serde`.
//!
//! # Guarantees for any input
//!
//! No panic, no endless loop, and no allocation beyond a fixed multiple of the input size, for any
//! counts that a header declares. All coordinates and matrices in a [`Document`] are finite, all
//! indices are valid.

mod document;
mod error;
mod format;
pub mod gltf;
mod matrix;
pub mod obj;
pub mod off;
pub mod ply;
mod report;
pub mod scene;
pub mod stl;
mod text;
mod wildcard;
pub mod write;

use std::fs;
use std::path::Path;

pub use crate::document::{
    Body, Document, Faces, IDENTITY, IgnoreRule, Instance, Keyframe, Motion, RawMesh, Repeat,
};
pub use crate::error::{Error, ErrorKind, ItemKind, Location};
pub use crate::format::Format;
pub use crate::report::{FileReport, LoadReport, Note};
pub use crate::wildcard::name_matches;
pub use crate::write::{
    write_glb, write_glb_colored, write_gltf, write_obj, write_off, write_ply, write_stl,
};

/// The maximum number of instances of a document. A small file can reference the same parts so
/// often that the file size does not bound the number of instances.
pub const MAX_INSTANCES: usize = 1 << 20;

/// Loads a file. The format is detected from its content and its extension.
///
/// An unmistakable content takes precedence over the extension (a PLY file named `.obj`); the
/// report then contains a note.
///
/// # Errors
/// If the file, or a file it references, cannot be read; see [`ErrorKind`].
pub fn load(path: impl AsRef<Path>) -> Result<Document, Error> {
    let path = path.as_ref();
    let bytes = read_file(path)?;
    let name = path.to_string_lossy();
    let format = Format::detect(&bytes, &name).map_err(|e| e.in_file(path))?;
    // The parent of a bare file name is the empty path; joined with a relative path it gives the
    // relative path.
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut document =
        read_as(&bytes, format, &name, Some(directory)).map_err(|e| e.in_file(path))?;
    note_extension(&mut document, format, path);
    Ok(document)
}

/// Reads bytes in memory as `format`. Without a `format`, it is detected from the bytes and the
/// extension of `name`.
///
/// `name` is used in messages and as the name of the part. References to other files are errors.
///
/// # Errors
/// As [`load`].
pub fn load_bytes(bytes: &[u8], format: Option<Format>, name: &str) -> Result<Document, Error> {
    let read = || {
        let format = match format {
            Some(format) => format,
            None => Format::detect(bytes, name)?,
        };
        let mut document = read_as(bytes, format, name, None)?;
        note_extension(&mut document, format, Path::new(name));
        Ok(document)
    };
    read().map_err(|e: Error| e.in_file(name))
}

pub(crate) fn read_as(
    bytes: &[u8],
    format: Format,
    name: &str,
    directory: Option<&Path>,
) -> Result<Document, Error> {
    match format {
        Format::Obj => obj::read(bytes, name),
        Format::Stl => stl::read(bytes, name),
        Format::Ply => ply::read(bytes, name),
        Format::Off => off::read(bytes, name),
        Format::Gltf => gltf::read_gltf(bytes, name, directory),
        Format::Glb => gltf::read_glb(bytes, name, directory),
        Format::SceneToml => scene::read_toml(bytes, name, directory),
        Format::SceneJson => scene::read_json(bytes, name, directory),
    }
}

/// Adds a note to the report if the extension stands for another format than the detected one.
fn note_extension(document: &mut Document, format: Format, path: &Path) {
    let extension = path.extension().and_then(|e| e.to_str());
    let expected = extension.and_then(Format::from_extension);
    if let (Some(expected), Some(file)) = (expected, document.report.files.first_mut()) {
        if expected != format {
            let reason = format!("file extension of {expected}; the content is {format}");
            file.ignore(reason, 1, Location::Whole);
        }
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|e| {
        let kind = match e.kind() {
            std::io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::Io,
        };
        let message = match kind {
            ErrorKind::NotFound => "the file does not exist".to_string(),
            _ => format!("the file cannot be read: {e}"),
        };
        Error::new(kind, Location::Whole, message).with_source(e).in_file(path)
    })
}

/// Reads a file that another file references. It must be a regular file, so that a reference cannot
/// open a device.
pub(crate) fn read_referenced(path: &Path) -> Result<Vec<u8>, Error> {
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        let message = "the referenced path is not a regular file";
        return Err(Error::new(ErrorKind::Io, Location::Whole, message).in_file(path));
    }
    read_file(path)
}

/// The file name without directory and extension.
pub(crate) fn stem(name: &str) -> &str {
    Path::new(name).file_stem().and_then(|s| s.to_str()).unwrap_or("part")
}

/// Compiles and runs the examples of the package's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_file() {
        let error = load("no/such/file.obj").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(error.to_string(), "no/such/file.obj: the file does not exist");
        assert_eq!(load(env!("CARGO_MANIFEST_DIR")).unwrap_err().kind(), ErrorKind::Io);
        let error = load_bytes(b"v 0 0 x\n", None, "a.obj").unwrap_err();
        assert!(error.to_string().starts_with("a.obj, line 1: `x` is not a number"), "{error}");
    }

    #[test]
    fn a_wrong_extension_is_reported() {
        let document = load_bytes(b"OFF 0 0 0", None, "a.stl").unwrap();
        assert_eq!(document.report.files[0].format, Format::Off);
        assert!(
            document.report.to_string().contains("file extension of STL"),
            "{}",
            document.report
        );
        let forced = load_bytes(b"v 0 0 0\n", Some(Format::Obj), "points").unwrap();
        assert_eq!(forced.meshes[0].positions.len(), 1);
    }
}
