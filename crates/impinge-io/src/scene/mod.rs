//! Scene files in TOML or JSON: parts in other files, their poses, and pairs to ignore.
//!
//! ```toml
//! unit = "mm"                  # optional; shown in reports, not used otherwise
//!
//! [[part]]
//! name = "frame"               # optional; default: the file name without extension
//! file = "frame.obj"           # relative to the scene file; any format except scene files
//! pose = { translation = [0, 0, 12.5], axis = [0, 0, 1], angle_deg = 30 }
//! scale = 1.0                  # or [x, y, z]; applied before the pose, not inherited by children
//! object = "body"              # optional; only this part of the file
//!
//! [[ignore]]
//! pair = ["frame", "arm*"]     # `*` matches any text, `?` any one character
//!
//! [[ignore]]
//! group = ["link1", "link2"]   # all pairs of these parts
//! ```
//!
//! A pose has a `translation` and a rotation, given by `axis` and `angle_deg` or by
//! `quaternion = [x, y, z, w]`. Axis and quaternion may have any length except zero. Alternatively
//! it has a `matrix` of three rows of four numbers. If a file has several parts, their names are
//! `frame/a`, `frame/b`, ... Unknown keys are errors.
//!
//! # Moving parts
//!
//! ```toml
//! ignore_links = 1             # ignore a part and its ancestors up to this many links above it
//!
//! [motion]                     # the motion of every part with neither a motion nor a parent
//! kind = "brownian"
//! step = 0.2
//!
//! [[part]]
//! file = "arm.obj"
//! parent = "frame"             # an earlier part; pose and motion are in its frame
//!
//! [part.motion]
//! kind = "keyframes"
//! repeat = "back-and-forth"    # or "loop", or "once" (the default)
//! keyframe = [
//!     { time = 0 },
//!     { time = 2.5, pose = { axis = [0, 0, 1], angle_deg = 90 } },
//! ]
//! ```
//!
//! | kind | motion | fields, all optional except `keyframe` |
//! | --- | --- | --- |
//! | `still` | none | none |
//! | `billiard` | constant velocity, reflected by the walls of a box, with a constant rotation about the centre | `velocity = [x, y, z]` or `speed` (units per second), `axis`, `spin_deg` (degrees per second), `cage = [[x, y, z], [x, y, z]]` (corners of the box), `bounce` (turn back at collisions; default true), `seed` |
//! | `brownian` | random steps and rotations | `step` (maximum per frame along each axis), `turn_deg` (maximum rotation per frame), `cage`, `seed` |
//! | `falling` | free fall, reflected by a floor | `gravity = [x, y, z]`, `floor` (its height, opposite to gravity), `restitution` (0 to 1), `velocity`, `axis`, `spin_deg`, `seed` |
//! | `keyframes` | straight lines between poses, with the shortest rotation | `keyframe` (ascending times; poses as those of parts, rigid), `repeat` |
//!
//! All instances of one `[[part]]` move together. Programs that do not simulate motions use the
//! poses of the parts.

mod ignore;
mod motion;
mod pose;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use self::motion::MotionTable;
use self::pose::{Pose, Scale};
use crate::MAX_INSTANCES;
use crate::document::{Body, Document, IgnoreRule, Instance, Motion};
use crate::error::{Error, ErrorKind, ItemKind, Location};
use crate::format::Format;
use crate::matrix::Placement;
use crate::report::FileReport;
use crate::stem;
use crate::text::{excerpt, without_bom};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SceneFile {
    #[serde(default)]
    unit: Option<String>,
    #[serde(default)]
    ignore_links: usize,
    #[serde(default)]
    motion: Option<MotionTable>,
    #[serde(default)]
    part: Vec<Part>,
    #[serde(default)]
    ignore: Vec<Ignore>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    #[serde(default)]
    name: Option<String>,
    file: PathBuf,
    #[serde(default)]
    pose: Option<Pose>,
    #[serde(default)]
    scale: Option<Scale>,
    #[serde(default)]
    object: Option<String>,
    #[serde(default)]
    parent: Option<String>,
    #[serde(default)]
    motion: Option<MotionTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ignore {
    #[serde(default)]
    pair: Option<[String; 2]>,
    #[serde(default)]
    group: Option<Vec<String>>,
}

/// Reads a scene as TOML. Paths of parts are relative to `directory`.
///
/// # Errors
/// Invalid TOML, unknown keys, missing or unreadable files, invalid poses, and repeated names.
pub fn read_toml(bytes: &[u8], name: &str, directory: Option<&Path>) -> Result<Document, Error> {
    let bytes = without_bom(bytes);
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = 1 + bytes[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count() as u64;
        Error::new(ErrorKind::Syntax, Location::Line(line), "a TOML file must be UTF-8")
            .with_source(e)
    })?;
    let scene: SceneFile = toml::from_str(text).map_err(|e| {
        let place = e.span().map_or(Location::Whole, |span| {
            let before = &bytes[..span.start.min(bytes.len())];
            Location::Line(1 + before.iter().filter(|&&b| b == b'\n').count() as u64)
        });
        Error::new(ErrorKind::Syntax, place, e.message().to_string()).with_source(e)
    })?;
    resolve(scene, FileReport::new(name, Format::SceneToml), directory)
}

/// Reads a scene as JSON. Paths of parts are relative to `directory`.
///
/// # Errors
/// As [`read_toml`].
pub fn read_json(bytes: &[u8], name: &str, directory: Option<&Path>) -> Result<Document, Error> {
    let bytes = without_bom(bytes);
    let scene: SceneFile = serde_json::from_slice(bytes).map_err(|e| {
        let kind = if e.is_eof() { ErrorKind::UnexpectedEnd } else { ErrorKind::Syntax };
        let place = Location::Line(e.line() as u64);
        Error::new(kind, place, e.to_string()).with_source(e)
    })?;
    resolve(scene, FileReport::new(name, Format::SceneJson), directory)
}

/// A file of the scene. For each of its meshes: the index in the scene's document, once it has been
/// moved there.
struct Loaded {
    document: Document,
    scene_mesh: Vec<Option<usize>>,
}

fn resolve(
    scene: SceneFile,
    mut report: FileReport,
    directory: Option<&Path>,
) -> Result<Document, Error> {
    if let Some(unit) = scene.unit {
        report.variant = format!("unit {}", excerpt(unit.as_bytes()));
    }
    if scene.part.is_empty() {
        let message = "the scene has no [[part]]";
        return Err(Error::new(ErrorKind::Empty, Location::Whole, message));
    }
    let default_motion =
        scene.motion.as_ref().map(MotionTable::motion).transpose().map_err(|(kind, message)| {
            Error::new(kind, Location::Whole, format!("[motion]: {message}"))
        })?;
    let mut document = Document::default();
    let mut files: BTreeMap<PathBuf, Loaded> = BTreeMap::new();
    let mut names: BTreeMap<String, u64> = BTreeMap::new();
    let mut reports = Vec::new();
    // The pose of each part in the frame of the scene, without its scale.
    let mut frames: Vec<Placement> = Vec::new();
    for (i, part) in scene.part.into_iter().enumerate() {
        let here = Location::Item(ItemKind::Part, i as u64);
        let name = match part.name {
            Some(name) if !name.trim().is_empty() => name,
            _ => stem(&part.file.to_string_lossy()).to_string(),
        };
        let label = format!("part `{}`", excerpt(name.as_bytes()));
        if let Some(first) = names.insert(name.clone(), i as u64) {
            let message = format!("{label}: part {first} has that name; choose another name");
            return Err(Error::new(ErrorKind::Duplicate, here, message));
        }
        let fail = |kind, message: String| Error::new(kind, here, format!("{label}: {message}"));
        let (place, unscaled) = pose::placement(part.pose.as_ref(), part.scale.as_ref())
            .map_err(|(kind, message)| fail(kind, message))?;
        let parent = match &part.parent {
            None => None,
            Some(parent) => Some(
                names.get(parent).map(|at| *at as usize).filter(|at| *at < i).ok_or_else(|| {
                    let parent = excerpt(parent.as_bytes());
                    let message = format!("its parent `{parent}` is not an earlier part");
                    fail(ErrorKind::BadReference, message)
                })?,
            ),
        };
        let parent_frame = parent.map_or(Placement::IDENTITY, |parent: usize| frames[parent]);
        let place = parent_frame.compose(&place);
        frames.push(parent_frame.compose(&Placement::of_matrix(unscaled)));
        let motion = match &part.motion {
            Some(table) => Some(table.motion().map_err(|(kind, message)| fail(kind, message))?),
            None if parent.is_none() => default_motion.clone(),
            None => None,
        };
        if let (Some(Motion::Keyframes { .. }), true) = (&motion, part.motion.is_none()) {
            let message =
                "keyframes in [motion] would give all parts the same poses; define them per part";
            return Err(fail(ErrorKind::Syntax, message.into()));
        }
        let first = document.instances.len();
        let Some(directory) = directory else {
            let message = "its file cannot be located; load the scene from a path, not from bytes";
            return Err(fail(ErrorKind::BadReference, message.into()));
        };
        let path = directory.join(&part.file);
        let key = path.canonicalize().unwrap_or_else(|_| path.clone());
        let loaded = match files.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let mut loaded = load_part_file(&path).map_err(|e| e.within(&label))?;
                reports.append(&mut loaded.report.files);
                let scene_mesh = vec![None; loaded.meshes.len()];
                entry.insert(Loaded { document: loaded, scene_mesh })
            }
        };
        let capacity = MAX_INSTANCES - document.instances.len();
        let selected = select_instances(&loaded.document, part.object.as_deref())
            .map_err(|message| fail(ErrorKind::BadReference, message))?;
        if selected.len() > capacity {
            let message = format!("the scene has more than {MAX_INSTANCES} parts");
            return Err(fail(ErrorKind::TooLarge, message));
        }
        let is_single = selected.len() == 1;
        for k in selected {
            let inner = &loaded.document.instances[k];
            let place = place.compose(&Placement { matrix: inner.matrix, scale: inner.scale });
            if !place.is_finite() {
                return Err(fail(ErrorKind::NotFinite, "its pose is not finite".into()));
            }
            let mesh = match loaded.scene_mesh[inner.mesh] {
                Some(mesh) => mesh,
                None => {
                    // Each mesh is added at most once, so it is moved, not copied.
                    let mesh = std::mem::take(&mut loaded.document.meshes[inner.mesh]);
                    document.meshes.push(mesh);
                    loaded.scene_mesh[inner.mesh] = Some(document.meshes.len() - 1);
                    document.meshes.len() - 1
                }
            };
            let name = if is_single { name.clone() } else { format!("{name}/{}", inner.name) };
            let Placement { matrix, scale } = place;
            document.instances.push(Instance { name, mesh, matrix, scale });
        }
        let instances = first..document.instances.len();
        document.bodies.push(Body { name, instances, parent, matrix: unscaled, motion });
    }
    document.ignore = ignore::resolve(&scene.ignore, &document.instances, &mut report)?;
    ignore_links(&mut document, scene.ignore_links)?;
    report.parts = document.instances.len();
    report.vertices = document.meshes.iter().map(|m| m.positions.len()).sum();
    report.faces = document.meshes.iter().map(|m| m.faces.len()).sum();
    document.report.files.push(report);
    document.report.files.append(&mut reports);
    Ok(document)
}

/// The maximum number of ignore rules of a scene with `ignore_links`.
const MAX_LINK_RULES: usize = 1 << 22;

/// Adds rules that ignore every pair of a body and an ancestor at most `links` links above it.
fn ignore_links(document: &mut Document, links: usize) -> Result<(), Error> {
    for body in &document.bodies {
        let mut ancestor = body.parent;
        for _ in 0..links {
            let Some(parent) = ancestor.map(|at| &document.bodies[at]) else { break };
            if document.ignore.len() >= MAX_LINK_RULES {
                let message = "ignore_links ignores too many pairs; use a smaller number";
                return Err(Error::new(ErrorKind::TooLarge, Location::Whole, message));
            }
            let rule = IgnoreRule::Between(
                parent.instances.clone().collect(),
                body.instances.clone().collect(),
            );
            if !rule.is_empty() {
                document.ignore.push(rule);
            }
            ancestor = parent.parent;
        }
    }
    Ok(())
}

fn load_part_file(path: &Path) -> Result<Document, Error> {
    let bytes = crate::read_referenced(path)?;
    let name = path.to_string_lossy();
    let format = Format::detect(&bytes, &name).map_err(|e| e.in_file(path))?;
    if format.is_scene() {
        let message = "a scene file cannot be a part; list the parts of that scene instead";
        return Err(Error::new(ErrorKind::Unsupported, Location::Whole, message).in_file(path));
    }
    let mut document =
        crate::read_as(&bytes, format, &name, path.parent()).map_err(|e| e.in_file(path))?;
    crate::note_extension(&mut document, format, path);
    Ok(document)
}

/// The instances of a file with the name `object`; all instances without a name.
fn select_instances(document: &Document, object: Option<&str>) -> Result<Vec<usize>, String> {
    let all = 0..document.instances.len();
    let Some(object) = object else { return Ok(all.collect()) };
    let selected: Vec<usize> = all.filter(|&k| document.instances[k].name == object).collect();
    if !selected.is_empty() {
        return Ok(selected);
    }
    let names: Vec<String> =
        document.instances.iter().take(8).map(|i| excerpt(i.name.as_bytes())).collect();
    let more = if document.instances.len() > 8 { ", ..." } else { "" };
    Err(format!(
        "its file has no object `{}`; it has {}{more}",
        excerpt(object.as_bytes()),
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests;
