//! Scenes built from documents: meshes, poses, motions, and the data that queries need first.

pub mod seeds;

use impinge::internals::scene::from_document;
use impinge::scene::LoadOptions;
use impinge_io::{Document, Error, load_bytes, scene};
use impinge_samples::motion::{Motion, MovingScene, Stage};

use crate::{folder, readers};

/// Documents with more triangles are read, but no meshes are built from them, which takes longer.
const MAX_TRIANGLES: usize = 20_000;
/// Scenes with more bodies are not simulated, for the same reason.
const MAX_MOVING_BODIES: usize = 100;
/// The time steps of a simulation, in seconds: usual ones, none, and ones that lead out of range.
const TIME_STEPS: [f64; 6] = [1.0 / 30.0, 0.5, 0.0, 1e4, 1e100, 1e300];

/// A scene file in TOML.
pub fn toml(bytes: &[u8]) {
    build(scene::read_toml(bytes, "scene.toml", Some(folder::path())), bytes.len());
}

/// A scene file in JSON.
pub fn json(bytes: &[u8]) {
    build(scene::read_json(bytes, "scene.json", Some(folder::path())), bytes.len());
}

/// The steps of `MovingScene::load` after the file is in memory, for a scene file in TOML, or in
/// JSON if it begins with a brace; then a short simulation.
pub fn motion(bytes: &[u8]) {
    let read = if bytes.starts_with(b"{") { scene::read_json } else { scene::read_toml };
    let Ok(document) = read(bytes, "scene", Some(folder::path())) else { return };
    let size = folder::MAX_SIZE + bytes.len();
    readers::validate(&document, size);
    if document.instances.len() > MAX_MOVING_BODIES || document.bodies.len() > MAX_MOVING_BODIES {
        return;
    }
    let moving = match MovingScene::from_document(document, &Motion::Still) {
        Ok((moving, loaded)) => {
            assert!(!loaded.to_string().is_empty());
            moving
        }
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let mut next = 0;
    for (i, body) in moving.bodies.iter().enumerate() {
        assert!(body.parts.start == next && body.parts.end >= next);
        assert!(body.parent.is_none_or(|parent| parent < i));
        next = body.parts.end;
    }
    assert_eq!(next, moving.scene.parts().len());
    match Stage::new(&moving, &Default::default(), 1) {
        Ok(mut stage) => simulate(&mut stage),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Some steps of a simulation, until a body leaves the range of coordinates.
fn simulate(stage: &mut Stage) {
    for seconds in TIME_STEPS {
        let frame = stage.update().frame;
        assert!(frame > 0 && stage.time().is_finite());
        match stage.part_poses() {
            Ok(poses) => assert!(poses.iter().all(|pose| pose.translation().is_finite())),
            Err(error) => return assert!(!error.to_string().is_empty()),
        }
        if let Err(error) = stage.advance(seconds) {
            return assert!(!error.to_string().is_empty());
        }
    }
}

/// The steps of `Scene::load` after the file is in memory.
pub fn load(bytes: &[u8]) {
    build(load_bytes(bytes, None, "input"), bytes.len());
}

/// Builds a scene from a document. An error is a valid result; a panic or an invalid scene is not.
fn build(document: Result<Document, Error>, size: usize) {
    let Ok(document) = document else { return };
    // The size of the files that scene files name is added.
    readers::validate(&document, folder::MAX_SIZE + size);
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
