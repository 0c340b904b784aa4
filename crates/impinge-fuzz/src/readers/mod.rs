//! Every reader of `impinge-io`, on bytes in memory.

pub mod seeds;

use impinge_io::{Document, Format, load_bytes};

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
