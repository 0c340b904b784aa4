//! glTF 2.0, as JSON with its buffers or in one GLB file.
//!
//! Khronos Group, "glTF 2.0 Specification" (version 2.0.1). Every primitive made of triangles is
//! one mesh, and every node that shows it one instance. Instances come in the order of the nodes in
//! the file, and within a node in the order of the primitives. The node tree is composed in `f64`,
//! from numbers parsed as `f64`, uniform scales apart from the rest.
//!
//! The document is read with `serde` rather than with the `gltf` crate, which rounds node
//! transforms to `f32`, cuts indices to 32 bits without a word, and subtracts from an unchecked
//! length in the GLB header.

mod accessor;
mod buffers;
mod json;
mod nodes;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use self::accessor::{Data, unsupported};
use self::json::{Primitive, Root};
use crate::MAX_INSTANCES;
use crate::document::{Document, Faces, Instance, RawMesh};
use crate::error::{Error, ErrorKind, Location};
use crate::format::Format;
use crate::matrix::Placement;
use crate::report::{FileReport, LoadReport};
use crate::text::{excerpt, without_mark};

const TRIANGLES: u32 = 4;
const TRIANGLE_STRIP: u32 = 5;
const TRIANGLE_FAN: u32 = 6;

/// Reads a glTF document as JSON. Buffers in other files are found relative to `directory`.
///
/// # Errors
/// Invalid JSON, references to what does not exist, data that do not fit their buffers, compressed
/// geometry (`KHR_draco_mesh_compression`, `EXT_meshopt_compression`), positions that are not
/// finite.
pub fn read_gltf(bytes: &[u8], name: &str, directory: Option<&Path>) -> Result<Document, Error> {
    let report = FileReport::new(name, Format::Gltf);
    read(without_mark(bytes), None, directory, report)
}

/// Reads a GLB file. Buffers in other files are found relative to `directory`.
///
/// # Errors
/// As [`read_gltf`], and for a broken container.
pub fn read_glb(bytes: &[u8], name: &str, directory: Option<&Path>) -> Result<Document, Error> {
    let mut report = FileReport::new(name, Format::Glb);
    let chunks = buffers::split_glb(bytes, &mut report)?;
    read(chunks.json, chunks.binary, directory, report)
}

fn read(
    json: &[u8],
    binary: Option<&[u8]>,
    directory: Option<&Path>,
    mut report: FileReport,
) -> Result<Document, Error> {
    let root: Root = serde_json::from_slice(json).map_err(|e| {
        // Within a GLB file the line is one of the JSON chunk, which is one long line as a rule.
        let kind = if e.is_eof() { ErrorKind::UnexpectedEnd } else { ErrorKind::Syntax };
        let place = Location::Line(e.line() as u64);
        Error::new(kind, place, format!("the glTF JSON is not valid: {e}")).with_source(e)
    })?;
    check_version(&root)?;
    report.variant = format!("version {}", excerpt(root.asset.version.as_bytes()));
    check_extensions(&root)?;
    note_ignored(&root, &mut report);
    let world = nodes::placements(&root)?;
    let buffers = buffers::load(&root, binary, directory)?;
    let data = Data::new(&root, buffers, json.len());
    let mut reader =
        Reader { data, report, meshes: Vec::new(), made: BTreeMap::new(), shared: BTreeMap::new() };
    let instances = reader.instances(&world)?;
    if instances.is_empty() {
        let message = "the scene shows no triangle mesh: the file holds no geometry";
        return Err(Error::new(ErrorKind::Empty, Location::Whole, message));
    }
    let Reader { meshes, mut report, .. } = reader;
    report.parts = instances.len();
    report.vertices = meshes.iter().map(|m| m.positions.len()).sum();
    report.faces = meshes.iter().map(|m| m.faces.len()).sum();
    Ok(Document {
        meshes,
        instances,
        ignore: Vec::new(),
        bodies: Vec::new(),
        report: LoadReport { files: vec![report] },
    })
}

fn check_version(root: &Root) -> Result<(), Error> {
    let version = root.asset.version.as_str();
    if version == "2" || version.starts_with("2.") {
        return Ok(());
    }
    let message = match version {
        "" => "no `asset.version`: this is not glTF 2.0".to_string(),
        v => format!("glTF version {} is not read; export it as glTF 2.0", excerpt(v.as_bytes())),
    };
    Err(Error::new(ErrorKind::Unsupported, Location::Whole, message))
}

/// Refuses required extensions that may change where the geometry is.
fn check_extensions(root: &Root) -> Result<(), Error> {
    const HARMLESS: [&str; 6] = [
        "KHR_materials_",
        "KHR_texture_",
        "EXT_texture_",
        "KHR_lights_",
        "EXT_lights_",
        "KHR_mesh_quantization",
    ];
    let bad = |name: &&String| !HARMLESS.iter().any(|h| name.starts_with(h));
    match root.extensions_required.iter().find(bad) {
        Some(name) => {
            let message = unsupported(&excerpt(name.as_bytes()));
            Err(Error::new(ErrorKind::Unsupported, Location::Whole, message))
        }
        None => Ok(()),
    }
}

fn note_ignored(root: &Root, report: &mut FileReport) {
    for (what, count) in [
        ("animations", root.animations.len()),
        ("cameras", root.cameras.len()),
        ("images", root.images.len()),
        ("materials", root.materials.len()),
        ("skins (meshes stay as modelled)", root.skins.len()),
        ("textures", root.textures.len()),
    ] {
        report.ignore(what, count as u64, Location::Whole);
    }
    for name in &root.extensions_used {
        if name != "KHR_mesh_quantization" {
            let reason = format!("use of extension {}", excerpt(name.as_bytes()));
            report.ignore(reason, 1, Location::Whole);
        }
    }
}

/// What makes two primitives the same geometry.
type Key = (usize, Option<usize>, u32);

struct Reader<'a> {
    data: Data<'a>,
    report: FileReport,
    meshes: Vec<RawMesh>,
    made: BTreeMap<Key, usize>,
    /// Decoded positions that several primitives use.
    shared: BTreeMap<usize, Vec<[f64; 3]>>,
}

impl Reader<'_> {
    fn instances(&mut self, world: &[Option<Placement>]) -> Result<Vec<Instance>, Error> {
        let root = self.data.root;
        // The primitives of each mesh that is shown: their index in the file, and in the result.
        let mut shown: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        let mut instances = Vec::new();
        let users = self.users(world);
        for (i, node) in root.nodes.iter().enumerate() {
            let here = Location::Item("node", i as u64);
            let Some(m) = node.mesh else { continue };
            let Some(place) = world[i] else {
                self.report.skip("nodes with a mesh outside of the default scene", 1, here);
                continue;
            };
            let Some(mesh) = root.meshes.get(m) else {
                let message = format!("its mesh {m} does not exist");
                return Err(Error::new(ErrorKind::BadReference, here, message));
            };
            if node.skin.is_some() {
                self.report.ignore("nodes whose mesh has a skin", 1, here);
            }
            let primitives = match shown.entry(m) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(self.primitives(m, &users)?),
            };
            if instances.len() + primitives.len() > MAX_INSTANCES {
                let message = format!("more than {MAX_INSTANCES} parts; split the file");
                return Err(Error::new(ErrorKind::TooLarge, here, message));
            }
            let name = [&node.name, &mesh.name]
                .into_iter()
                .flatten()
                .find(|n| !n.trim().is_empty())
                .cloned()
                .unwrap_or_else(|| format!("node{i}"));
            for &(k, made) in primitives.iter() {
                let name = match mesh.primitives.len() {
                    1 => name.clone(),
                    _ => format!("{name}.{k}"),
                };
                let Placement { matrix, scale } = place;
                instances.push(Instance { name, mesh: made, matrix, scale });
            }
        }
        let unshown = (0..root.meshes.len()).filter(|m| !shown.contains_key(m));
        for m in unshown {
            self.report.skip("meshes that no node shows", 1, Location::Item("mesh", m as u64));
        }
        Ok(instances)
    }

    /// How many different primitives in the scene use each accessor of positions.
    fn users(&self, world: &[Option<Placement>]) -> BTreeMap<usize, usize> {
        let root = self.data.root;
        let mut meshes: Vec<usize> = root
            .nodes
            .iter()
            .zip(world)
            .filter(|(_, w)| w.is_some())
            .filter_map(|(node, _)| node.mesh)
            .collect();
        meshes.sort_unstable();
        meshes.dedup();
        let mut keys: Vec<Key> = meshes
            .iter()
            .filter_map(|&m| root.meshes.get(m))
            .flat_map(|m| &m.primitives)
            .filter_map(key)
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let mut users = BTreeMap::new();
        for (position, _, _) in keys {
            *users.entry(position).or_insert(0) += 1;
        }
        users
    }

    /// The primitives of mesh `m` that are triangles: their index in the mesh and that of the mesh
    /// made of them.
    fn primitives(
        &mut self,
        m: usize,
        users: &BTreeMap<usize, usize>,
    ) -> Result<Vec<(usize, usize)>, Error> {
        let mesh = &self.data.root.meshes[m];
        let here = Location::Item("mesh", m as u64);
        let mut out = Vec::new();
        for (k, primitive) in mesh.primitives.iter().enumerate() {
            match primitive.mode.unwrap_or(TRIANGLES) {
                0 => {
                    self.report.skip("primitives made of points", 1, here);
                    continue;
                }
                1..=3 => {
                    self.report.skip("primitives made of lines", 1, here);
                    continue;
                }
                TRIANGLES..=TRIANGLE_FAN => {}
                mode => {
                    let message =
                        format!("primitive {k} has the mode {mode}, which glTF does not have");
                    return Err(Error::new(ErrorKind::Syntax, here, message));
                }
            }
            let Some(key) = key(primitive) else {
                self.report.skip("primitives without positions", 1, here);
                continue;
            };
            let targets = primitive.targets.len() as u64;
            self.report.ignore("morph targets (meshes stay as modelled)", targets, here);
            let other = primitive.attributes.len() as u64 - 1;
            self.report.ignore("vertex attributes other than positions", other, here);
            let made = match self.made.get(&key) {
                Some(&made) => made,
                None => {
                    self.check_compression(primitive, key, k, here)?;
                    let shared = users.get(&key.0).is_some_and(|&n| n > 1);
                    let mut raw = self
                        .mesh(key, shared, here)
                        .map_err(|e| e.within(format!("mesh {m}, primitive {k}")))?;
                    raw.name.clone_from(&mesh.name);
                    self.meshes.push(raw);
                    self.made.insert(key, self.meshes.len() - 1);
                    self.meshes.len() - 1
                }
            };
            out.push((k, made));
        }
        Ok(out)
    }

    /// Draco geometry may come with a plain copy; without one, there is nothing to read.
    fn check_compression(
        &self,
        primitive: &Primitive,
        key: Key,
        k: usize,
        here: Location,
    ) -> Result<(), Error> {
        let Some(name) = primitive.extensions.keys().find(|n| n.contains("draco")) else {
            return Ok(());
        };
        let plain =
            |i: usize| self.data.root.accessors.get(i).is_some_and(|a| a.buffer_view.is_some());
        if plain(key.0) && key.1.is_none_or(plain) {
            return Ok(());
        }
        let message = format!("primitive {k}: {}", unsupported(name));
        Err(Error::new(ErrorKind::Unsupported, here, message))
    }

    fn mesh(&mut self, key: Key, shared: bool, here: Location) -> Result<RawMesh, Error> {
        let (position, indices, mode) = key;
        if !shared {
            let positions = self.data.positions(position)?;
            let corners = self.corners(indices, positions.len(), here)?;
            let faces = self.faces(&corners, mode, here)?;
            return Ok(RawMesh { name: None, positions, faces });
        }
        // Several primitives in one array of vertices: each keeps the ones it uses, in the order of
        // the array.
        let all = match self.shared.remove(&position) {
            Some(all) => all,
            None => self.data.positions(position)?,
        };
        let mut corners = self.corners(indices, all.len(), here)?;
        let mut used = corners.clone();
        used.sort_unstable();
        used.dedup();
        for v in &mut corners {
            *v = used.binary_search(v).unwrap_or(0) as u32;
        }
        let positions = used.iter().map(|&v| all[v as usize]).collect();
        self.shared.insert(position, all);
        let faces = self.faces(&corners, mode, here)?;
        Ok(RawMesh { name: None, positions, faces })
    }

    /// The corners of a primitive over `count` vertices.
    fn corners(
        &mut self,
        indices: Option<usize>,
        count: usize,
        here: Location,
    ) -> Result<Vec<u32>, Error> {
        let Some(indices) = indices else {
            self.data.spend(count, here)?;
            // Fits: the count of positions was checked.
            return Ok((0..count as u32).collect());
        };
        let corners = self.data.indices(indices)?;
        match corners.iter().position(|&v| v as usize >= count) {
            None => Ok(corners),
            Some(at) => {
                let message = format!(
                    "corner {at} names vertex {}, but there are {count}, counted from 0",
                    corners[at]
                );
                Err(Error::new(ErrorKind::IndexOutOfBounds, here, message))
            }
        }
    }

    fn faces(&mut self, corners: &[u32], mode: u32, here: Location) -> Result<Faces, Error> {
        let mut faces = Faces::new();
        match mode {
            TRIANGLES => {
                faces.reserve(corners.len() / 3, corners.len());
                let triangles = corners.chunks_exact(3);
                let rest = triangles.remainder().len() as u64;
                self.report.skip("corners after the last whole triangle", rest, here);
                triangles.for_each(|t| {
                    faces.push(t);
                });
            }
            TRIANGLE_STRIP => {
                self.data.spend(2 * corners.len(), here)?;
                let joints = faces.push_strip(corners);
                self.report.ignore("strip triangles with a repeated corner (joints)", joints, here);
            }
            _ => {
                self.data.spend(2 * corners.len(), here)?;
                if let Some((&hub, rim)) = corners.split_first() {
                    rim.windows(2).for_each(|w| {
                        faces.push(&[hub, w[0], w[1]]);
                    });
                }
            }
        }
        Ok(faces)
    }
}

fn key(primitive: &Primitive) -> Option<Key> {
    let position = *primitive.attributes.get("POSITION")?;
    Some((position, primitive.indices, primitive.mode.unwrap_or(TRIANGLES)))
}

#[cfg(test)]
mod tests;
