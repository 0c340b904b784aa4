//! Scene files: parts in other files, where they stand, and which pairs not to check. TOML or JSON.
//!
//! ```toml
//! unit = "mm"                  # optional, for people
//!
//! [[part]]
//! name = "frame"               # optional: the file's name without extension
//! file = "frame.obj"           # relative to the scene file, any format but a scene
//! pose = { translation = [0, 0, 12.5], axis = [0, 0, 1], angle_deg = 30 }
//! scale = 1.0                  # or [x, y, z]; before the pose, not passed on to children
//! object = "body"              # optional: only that part of the file
//!
//! [[ignore]]
//! pair = ["frame", "arm*"]     # `*` is any text, `?` any character
//!
//! [[ignore]]
//! group = ["link1", "link2"]   # every two of them
//! ```
//!
//! A pose has a `translation` and a rotation, as `axis` and `angle_deg` or as
//! `quaternion = [x, y, z, w]`, of any length but zero; or it has a `matrix` of three rows of four
//! numbers. The parts of a file with several become `frame/a`, `frame/b`, ... Unknown keys are
//! errors.
//!
//! # Parts that move
//!
//! ```toml
//! ignore_links = 1             # parts that hang on each other by at most so many links are not compared
//!
//! [motion]                     # of every part that has neither a motion nor a parent
//! kind = "brownian"
//! step = 0.2
//!
//! [[part]]
//! file = "arm.obj"
//! parent = "frame"             # a part before it: its pose and its motion are in that part's frame
//!
//! [part.motion]
//! kind = "keyframes"
//! repeat = "back-and-forth"    # or "loop", or "once", which is the default
//! keyframe = [
//!     { time = 0 },
//!     { time = 2.5, pose = { axis = [0, 0, 1], angle_deg = 90 } },
//! ]
//! ```
//!
//! | kind | fields, all optional but `keyframe` |
//! | --- | --- |
//! | `still` | none |
//! | `billiard` | straight on, reflected by the walls of a cage, turning about its middle: `velocity = [x, y, z]` or `speed` (units a second), `axis`, `spin_deg` (degrees a second), `cage = [[x, y, z], [x, y, z]]`, `bounce` (turn back at other parts; true), `seed` |
//! | `brownian` | random: `step` (the most a frame moves it along each axis), `turn_deg` (the most a frame turns it), `cage`, `seed` |
//! | `falling` | down to a floor and up again: `gravity = [x, y, z]`, `floor` (its height, against gravity), `restitution` (0 to 1), `velocity`, `axis`, `spin_deg`, `seed` |
//! | `keyframes` | from pose to pose, straight and by the shortest turn: `keyframe` (times ascending, poses as those of parts, rigid), `repeat` |
//!
//! All parts of one `[[part]]` move as one. Whoever only looks at a scene sees its parts where
//! their poses put them.

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
use crate::error::{Error, ErrorKind, Location};
use crate::format::Format;
use crate::matrix::Placement;
use crate::report::FileReport;
use crate::stem;
use crate::text::{excerpt, without_mark};

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

/// Reads a scene as TOML. Its files are found relative to `directory`.
///
/// # Errors
/// Invalid TOML, unknown keys, missing or unreadable files, poses that are not poses, and names
/// that repeat.
pub fn read_toml(bytes: &[u8], name: &str, directory: Option<&Path>) -> Result<Document, Error> {
    let bytes = without_mark(bytes);
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = 1 + bytes[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count() as u64;
        Error::new(ErrorKind::Syntax, Location::Line(line), "TOML must be UTF-8").with_source(e)
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

/// Reads a scene as JSON. Its files are found relative to `directory`.
///
/// # Errors
/// As [`read_toml`].
pub fn read_json(bytes: &[u8], name: &str, directory: Option<&Path>) -> Result<Document, Error> {
    let bytes = without_mark(bytes);
    let scene: SceneFile = serde_json::from_slice(bytes).map_err(|e| {
        let kind = if e.is_eof() { ErrorKind::UnexpectedEnd } else { ErrorKind::Syntax };
        let place = Location::Line(e.line() as u64);
        Error::new(kind, place, e.to_string()).with_source(e)
    })?;
    resolve(scene, FileReport::new(name, Format::SceneJson), directory)
}

/// A file read for the scene, and where its meshes went.
struct Loaded {
    document: Document,
    placed: Vec<Option<usize>>,
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
    let common =
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
        let here = Location::Item("part", i as u64);
        let name = match part.name {
            Some(name) if !name.trim().is_empty() => name,
            _ => stem(&part.file.to_string_lossy()).to_string(),
        };
        let wants = format!("part `{}`", excerpt(name.as_bytes()));
        if let Some(first) = names.insert(name.clone(), i as u64) {
            let message = format!("{wants}: part {first} has that name already; give it another");
            return Err(Error::new(ErrorKind::Duplicate, here, message));
        }
        let fail = |kind, message: String| Error::new(kind, here, format!("{wants}: {message}"));
        let (place, unscaled) = pose::placement(part.pose.as_ref(), part.scale.as_ref())
            .map_err(|(kind, message)| fail(kind, message))?;
        let parent = match &part.parent {
            None => None,
            Some(parent) => Some(
                names.get(parent).map(|at| *at as usize).filter(|at| *at < i).ok_or_else(|| {
                    let parent = excerpt(parent.as_bytes());
                    let message = format!("there is no part `{parent}` before it to be its parent");
                    fail(ErrorKind::BadReference, message)
                })?,
            ),
        };
        let around = parent.map_or(Placement::IDENTITY, |parent: usize| frames[parent]);
        let place = around.compose(&place);
        frames.push(around.compose(&Placement::of_matrix(unscaled)));
        let motion = match &part.motion {
            Some(table) => Some(table.motion().map_err(|(kind, message)| fail(kind, message))?),
            None if parent.is_none() => common.clone(),
            None => None,
        };
        if let (Some(Motion::Keyframes { .. }), true) = (&motion, part.motion.is_none()) {
            let message =
                "keyframes in [motion] would move all parts into one place; give them to a part";
            return Err(fail(ErrorKind::Syntax, message.into()));
        }
        let first = document.instances.len();
        let Some(directory) = directory else {
            let message = "its file cannot be found from bytes alone; load the scene by path";
            return Err(fail(ErrorKind::BadReference, message.into()));
        };
        let path = directory.join(&part.file);
        let key = path.canonicalize().unwrap_or_else(|_| path.clone());
        let loaded = match files.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let mut loaded = load_part_file(&path).map_err(|e| e.within(&wants))?;
                reports.append(&mut loaded.report.files);
                let placed = vec![None; loaded.meshes.len()];
                entry.insert(Loaded { document: loaded, placed })
            }
        };
        let room = MAX_INSTANCES - document.instances.len();
        let chosen = choose(&loaded.document, part.object.as_deref())
            .map_err(|message| fail(ErrorKind::BadReference, message))?;
        if chosen.len() > room {
            let message = format!("the scene has more than {MAX_INSTANCES} parts");
            return Err(fail(ErrorKind::TooLarge, message));
        }
        let alone = chosen.len() == 1;
        for k in chosen {
            let inner = &loaded.document.instances[k];
            let place = place.compose(&Placement { matrix: inner.matrix, scale: inner.scale });
            if !place.is_finite() {
                return Err(fail(ErrorKind::NotFinite, "its pose is not finite".into()));
            }
            let mesh = match loaded.placed[inner.mesh] {
                Some(mesh) => mesh,
                None => {
                    // Each mesh is wanted at most once: moved, not copied.
                    let mesh = std::mem::take(&mut loaded.document.meshes[inner.mesh]);
                    document.meshes.push(mesh);
                    loaded.placed[inner.mesh] = Some(document.meshes.len() - 1);
                    document.meshes.len() - 1
                }
            };
            let name = if alone { name.clone() } else { format!("{name}/{}", inner.name) };
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

/// The most pairs of parts that `ignore_links` may leave out.
const MAX_LINKED: usize = 1 << 22;

/// Leaves out pairs of which one hangs on the other by at most so many links.
fn ignore_links(document: &mut Document, links: usize) -> Result<(), Error> {
    for body in &document.bodies {
        let mut above = body.parent;
        for _ in 0..links {
            let Some(parent) = above.map(|at| &document.bodies[at]) else { break };
            if document.ignore.len() >= MAX_LINKED {
                let message = "ignore_links leaves out too many pairs; give a smaller number";
                return Err(Error::new(ErrorKind::TooLarge, Location::Whole, message));
            }
            let rule = IgnoreRule::Between(
                parent.instances.clone().collect(),
                body.instances.clone().collect(),
            );
            if !rule.is_empty() {
                document.ignore.push(rule);
            }
            above = parent.parent;
        }
    }
    Ok(())
}

fn load_part_file(path: &Path) -> Result<Document, Error> {
    let bytes = crate::read_referenced(path)?;
    let name = path.to_string_lossy();
    let format = Format::detect(&bytes, &name).map_err(|e| e.in_file(path))?;
    if matches!(format, Format::SceneToml | Format::SceneJson) {
        let message = "a scene file cannot be a part of a scene; list its parts instead";
        return Err(Error::new(ErrorKind::Unsupported, Location::Whole, message).in_file(path));
    }
    let mut document =
        crate::read_as(&bytes, format, &name, path.parent()).map_err(|e| e.in_file(path))?;
    crate::note_extension(&mut document, format, path);
    Ok(document)
}

/// The instances of a file that are wanted.
fn choose(document: &Document, object: Option<&str>) -> Result<Vec<usize>, String> {
    let all = 0..document.instances.len();
    let Some(object) = object else { return Ok(all.collect()) };
    let chosen: Vec<usize> = all.filter(|&k| document.instances[k].name == object).collect();
    if !chosen.is_empty() {
        return Ok(chosen);
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
