//! Every reader of `impinge-io`, on bytes in memory, and glTF with buffers in files.

mod gltf_seeds;
pub mod seeds;

use impinge_io::{Document, Error, Format, gltf, load_bytes};

use crate::folder;

/// Reads bytes as a format.
fn read(bytes: &[u8], format: Option<Format>) {
    match load_bytes(bytes, format, "input") {
        Ok(document) => validate(&document, bytes.len()),
        Err(error) => assert!(!error.message().is_empty()),
    }
}

pub fn obj(bytes: &[u8]) {
    read(bytes, Some(Format::Obj));
}

pub fn stl(bytes: &[u8]) {
    read(bytes, Some(Format::Stl));
}

pub fn ply(bytes: &[u8]) {
    read(bytes, Some(Format::Ply));
}

pub fn off(bytes: &[u8]) {
    read(bytes, Some(Format::Off));
}

pub fn gltf(bytes: &[u8]) {
    read(bytes, Some(Format::Gltf));
}

pub fn glb(bytes: &[u8]) {
    read(bytes, Some(Format::Glb));
}

/// Reads a glTF document, or a GLB file, whose buffers may be files of [`crate::folder`].
fn read_with_files(bytes: &[u8]) -> Result<Document, Error> {
    let read = if bytes.starts_with(b"glTF") { gltf::read_glb } else { gltf::read_gltf };
    read(bytes, "input", Some(folder::path()))
}

pub fn gltf_files(bytes: &[u8]) {
    match read_with_files(bytes) {
        Ok(document) => validate(&document, folder::MAX_SIZE + bytes.len()),
        Err(error) => assert!(!error.message().is_empty()),
    }
}

/// Reads bytes as the format that their contents suggest.
pub fn any(bytes: &[u8]) {
    read(bytes, None);
}

/// Checks what every document guarantees, for a file of `size` bytes.
pub fn validate(document: &Document, size: usize) {
    for mesh in &document.meshes {
        assert!(mesh.positions.iter().flatten().all(|x| x.is_finite()));
        assert!(mesh.faces.iter().all(|f| f.len() >= 3));
        assert!(mesh.faces.indices().iter().all(|&v| (v as usize) < mesh.positions.len()));
        assert!(mesh.positions.len() <= 1_000_000 + size);
        assert!(mesh.faces.len() <= 1_000_000 + 8 * size);
    }
    for instance in &document.instances {
        assert!(instance.mesh < document.meshes.len());
        assert!(instance.matrix.iter().flatten().all(|x| x.is_finite()));
        assert!(instance.scale.is_finite() && instance.scale >= 0.0);
    }
    for [i, j] in document.ignored_pairs() {
        assert!(i < j && j < document.instances.len());
    }
    assert!(!document.report.to_string().is_empty());
}
