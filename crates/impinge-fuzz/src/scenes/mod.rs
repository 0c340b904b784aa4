//! Scenes built from documents: meshes, poses, and the data that queries need first.

pub mod seeds;

use std::path::PathBuf;
use std::sync::OnceLock;

use impinge::internals::scene::from_document;
use impinge::scene::LoadOptions;
use impinge_io::{Document, Error, load_bytes, scene, write_obj};

use crate::readers;

/// Documents with more triangles are read, but no meshes are built from them, which takes longer.
const MAX_TRIANGLES: usize = 20_000;

/// A folder with the file that the seeds name, `a.obj`. It is not removed, because other processes
/// may be using it.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join("impinge-fuzz");
        std::fs::create_dir_all(&folder).unwrap();
        let mut bytes = Vec::new();
        let mesh = readers::seeds::mesh();
        write_obj(&mut bytes, &[mesh.clone(), mesh]).unwrap();
        // Written to a temporary file and renamed, so that no process reads an incomplete file.
        let own = folder.join(format!("{}.tmp", std::process::id()));
        std::fs::write(&own, bytes).unwrap();
        std::fs::rename(own, folder.join("a.obj")).unwrap();
        folder
    })
}

/// A scene file in TOML.
pub fn toml(bytes: &[u8]) {
    build(scene::read_toml(bytes, "scene.toml", Some(folder())), bytes.len());
}

/// A scene file in JSON.
pub fn json(bytes: &[u8]) {
    build(scene::read_json(bytes, "scene.json", Some(folder())), bytes.len());
}

/// The steps of `Scene::load` after the file is in memory.
pub fn load(bytes: &[u8]) {
    build(load_bytes(bytes, None, "input"), bytes.len());
}

/// Builds a scene from a document. An error is a valid result; a panic or an invalid scene is not.
fn build(document: Result<Document, Error>, size: usize) {
    let Ok(document) = document else { return };
    // The size of the file that scene files name is added.
    readers::validate(&document, 10_000 + size);
    let triangles: usize = document.meshes.iter().map(|m| m.faces.indices().len()).sum();
    if triangles > MAX_TRIANGLES || document.instances.len() > 1000 {
        return;
    }
    match from_document(document, &LoadOptions::default()) {
        Ok(loaded) => {
            assert!(!loaded.to_string().is_empty());
            for (i, part) in loaded.scene.parts().iter().enumerate() {
                let bounds = loaded.scene.bounds_of(i);
                assert!(part.mesh.is_empty() || bounds.min.cmple(bounds.max).all());
                assert!(!part.mesh.defects().to_string().is_empty());
                let _ = part.mesh.classification();
                assert_eq!(part.mesh.tree().validate(&part.mesh), Ok(()));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
