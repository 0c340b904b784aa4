//! glTF 2.0, as JSON with its buffers or in one GLB file.
//!
//! Khronos Group, "glTF 2.0 Specification" (version 2.0.1). Every primitive of triangles is one
//! mesh, and every node that uses it is one instance. Instances are in the order of the nodes in
//! the file, and within a node in the order of the primitives. Numbers are parsed as `f64` and the
//! transforms of the node tree are composed in `f64`, with uniform scales kept separate.
//!
//! The document is read with `serde`. The `gltf` crate rounds node transforms to `f32`, truncates
//! indices to 32 bits silently, and subtracts from an unchecked length in the GLB header.

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
use crate::error::{Error, ErrorKind, ItemKind, Location};
use crate::format::Format;
use crate::matrix::Placement;
use crate::report::{FileReport, LoadReport};
use crate::text::{excerpt, without_bom};

const TRIANGLES: u32 = 4;
const TRIANGLE_STRIP: u32 = 5;
const TRIANGLE_FAN: u32 = 6;

/// Reads a glTF document as JSON. Paths of buffers in other files are relative to `directory`.
///
/// # Errors
/// Invalid JSON, invalid references, data beyond the end of their buffers, compressed geometry
/// (`KHR_draco_mesh_compression`, `EXT_meshopt_compression`), and positions that are not finite.
pub fn read_gltf(bytes: &[u8], name: &str, directory: Option<&Path>) -> Result<Document, Error> {
    let report = FileReport::new(name, Format::Gltf);
    read(without_bom(bytes), None, directory, report)
}

/// Reads a GLB file. Paths of buffers in other files are relative to `directory`.
///
/// # Errors
/// As [`read_gltf`], and for an invalid container.
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
        // In a GLB file the line number is relative to the JSON chunk, which usually has one line.
        let kind = if e.is_eof() { ErrorKind::UnexpectedEnd } else { ErrorKind::Syntax };
        let place = Location::Line(e.line() as u64);
        Error::new(kind, place, format!("the glTF JSON is not valid: {e}")).with_source(e)
    })?;
    check_version(&root)?;
    report.variant = format!("version {}", excerpt(root.asset.version.as_bytes()));
    check_extensions(&root)?;
    note_ignored(&root, &mut report);
    let placements = nodes::placements(&root)?;
    let buffers = buffers::load(&root, binary, directory)?;
    let data = Data::new(&root, buffers, json.len());
    let mut reader = Reader {
        data,
        report,
        meshes: Vec::new(),
        mesh_of: BTreeMap::new(),
        shared: BTreeMap::new(),
    };
    let instances = reader.instances(&placements)?;
    if instances.is_empty() {
        let message = "the scene has no triangle mesh; the file contains no geometry";
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
        "" => "`asset.version` is missing; the file is not glTF 2.0".to_string(),
        v => {
            let version = excerpt(v.as_bytes());
            format!("glTF version {version} is not supported; export the file as glTF 2.0")
        }
    };
    Err(Error::new(ErrorKind::Unsupported, Location::Whole, message))
}

/// An error for required extensions that may affect the geometry.
fn check_extensions(root: &Root) -> Result<(), Error> {
    /// Prefixes of extensions without effect on geometry, and an extension that is supported.
    const ACCEPTED_PREFIXES: [&str; 6] = [
        "KHR_materials_",
        "KHR_texture_",
        "EXT_texture_",
        "KHR_lights_",
        "EXT_lights_",
        "KHR_mesh_quantization",
    ];
    let unaccepted = |name: &&String| !ACCEPTED_PREFIXES.iter().any(|p| name.starts_with(p));
    match root.extensions_required.iter().find(unaccepted) {
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
        ("skins (meshes are not deformed)", root.skins.len()),
        ("textures", root.textures.len()),
    ] {
        report.ignore(what, count as u64, Location::Whole);
    }
    for name in &root.extensions_used {
        if name != "KHR_mesh_quantization" {
            let reason = format!("uses of extension {}", excerpt(name.as_bytes()));
            report.ignore(reason, 1, Location::Whole);
        }
    }
}

/// Position accessor, index accessor and mode. Primitives with equal keys have the same geometry.
type GeometryKey = (usize, Option<usize>, u32);

struct Reader<'a> {
    data: Data<'a>,
    report: FileReport,
    meshes: Vec<RawMesh>,
    /// The index in `meshes` for each geometry.
    mesh_of: BTreeMap<GeometryKey, usize>,
    /// Decoded positions of accessors that several primitives use.
    shared: BTreeMap<usize, Vec<[f64; 3]>>,
}

impl Reader<'_> {
    fn instances(&mut self, placements: &[Option<Placement>]) -> Result<Vec<Instance>, Error> {
        let root = self.data.root;
        // The primitives of each used mesh: the index in the file, and in the result.
        let mut used: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        let mut instances = Vec::new();
        let users = self.users(placements);
        for (i, node) in root.nodes.iter().enumerate() {
            let here = Location::Item(ItemKind::Node, i as u64);
            let Some(m) = node.mesh else { continue };
            let Some(place) = placements[i] else {
                self.report.skip("nodes with a mesh outside the default scene", 1, here);
                continue;
            };
            let Some(mesh) = root.meshes.get(m) else {
                let message = format!("its mesh {m} does not exist");
                return Err(Error::new(ErrorKind::BadReference, here, message));
            };
            if node.skin.is_some() {
                self.report.ignore("nodes whose mesh has a skin", 1, here);
            }
            let primitives = match used.entry(m) {
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
            for &(k, mesh_index) in primitives.iter() {
                let name = match mesh.primitives.len() {
                    1 => name.clone(),
                    _ => format!("{name}.{k}"),
                };
                let Placement { matrix, scale } = place;
                instances.push(Instance { name, mesh: mesh_index, matrix, scale });
            }
        }
        let unused = (0..root.meshes.len()).filter(|m| !used.contains_key(m));
        for m in unused {
            self.report.skip(
                "meshes that no node uses",
                1,
                Location::Item(ItemKind::Mesh, m as u64),
            );
        }
        Ok(instances)
    }

    /// The number of different geometries in the scene that use each position accessor.
    fn users(&self, placements: &[Option<Placement>]) -> BTreeMap<usize, usize> {
        let root = self.data.root;
        let mut meshes: Vec<usize> = root
            .nodes
            .iter()
            .zip(placements)
            .filter(|(_, placement)| placement.is_some())
            .filter_map(|(node, _)| node.mesh)
            .collect();
        meshes.sort_unstable();
        meshes.dedup();
        let mut keys: Vec<GeometryKey> = meshes
            .iter()
            .filter_map(|&m| root.meshes.get(m))
            .flat_map(|m| &m.primitives)
            .filter_map(geometry_key)
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let mut users = BTreeMap::new();
        for (position, _, _) in keys {
            *users.entry(position).or_insert(0) += 1;
        }
        users
    }

    /// The primitives of mesh `m` that are triangles: the index in the mesh, and the index in
    /// `meshes`.
    fn primitives(
        &mut self,
        m: usize,
        users: &BTreeMap<usize, usize>,
    ) -> Result<Vec<(usize, usize)>, Error> {
        let mesh = &self.data.root.meshes[m];
        let here = Location::Item(ItemKind::Mesh, m as u64);
        let mut out = Vec::new();
        for (k, primitive) in mesh.primitives.iter().enumerate() {
            match primitive.mode.unwrap_or(TRIANGLES) {
                0 => {
                    self.report.skip("primitives of points", 1, here);
                    continue;
                }
                1..=3 => {
                    self.report.skip("primitives of lines", 1, here);
                    continue;
                }
                TRIANGLES..=TRIANGLE_FAN => {}
                mode => {
                    let message = format!("primitive {k} has mode {mode}, which is not valid");
                    return Err(Error::new(ErrorKind::Syntax, here, message));
                }
            }
            let Some(key) = geometry_key(primitive) else {
                self.report.skip("primitives without positions", 1, here);
                continue;
            };
            let targets = primitive.targets.len() as u64;
            self.report.ignore("morph targets (meshes are not deformed)", targets, here);
            let other = primitive.attributes.len() as u64 - 1;
            self.report.ignore("vertex attributes other than positions", other, here);
            let mesh_index = match self.mesh_of.get(&key) {
                Some(&mesh_index) => mesh_index,
                None => {
                    self.check_compression(primitive, key, k, here)?;
                    let shared = users.get(&key.0).is_some_and(|&n| n > 1);
                    let mut raw = self
                        .mesh(key, shared, here)
                        .map_err(|e| e.within(format!("mesh {m}, primitive {k}")))?;
                    raw.name.clone_from(&mesh.name);
                    self.meshes.push(raw);
                    self.mesh_of.insert(key, self.meshes.len() - 1);
                    self.meshes.len() - 1
                }
            };
            out.push((k, mesh_index));
        }
        Ok(out)
    }

    /// An error for Draco geometry without an uncompressed copy.
    fn check_compression(
        &self,
        primitive: &Primitive,
        key: GeometryKey,
        k: usize,
        here: Location,
    ) -> Result<(), Error> {
        let Some(name) = primitive.extensions.keys().find(|n| n.contains("draco")) else {
            return Ok(());
        };
        let is_stored =
            |i: usize| self.data.root.accessors.get(i).is_some_and(|a| a.buffer_view.is_some());
        if is_stored(key.0) && key.1.is_none_or(is_stored) {
            return Ok(());
        }
        let message = format!("primitive {k}: {}", unsupported(name));
        Err(Error::new(ErrorKind::Unsupported, here, message))
    }

    fn mesh(&mut self, key: GeometryKey, shared: bool, here: Location) -> Result<RawMesh, Error> {
        let (position, indices, mode) = key;
        if !shared {
            let positions = self.data.positions(position)?;
            let corners = self.corners(indices, positions.len(), here)?;
            let faces = self.faces(&corners, mode, here)?;
            return Ok(RawMesh { name: None, positions, faces });
        }
        // Several primitives share one array of vertices: each gets those it uses, in the order of
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
            // No overflow: `positions` has checked the count.
            return Ok((0..count as u32).collect());
        };
        let corners = self.data.indices(indices)?;
        match corners.iter().position(|&v| v as usize >= count) {
            None => Ok(corners),
            Some(at) => {
                let message = format!(
                    "corner {at} references vertex {}, but there are {count}, counted from 0",
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
                let repeated = faces.push_strip(corners);
                let reason = "strip triangles with a repeated corner (joints)";
                self.report.ignore(reason, repeated, here);
            }
            _ => {
                self.data.spend(2 * corners.len(), here)?;
                if let Some((&center, rest)) = corners.split_first() {
                    rest.windows(2).for_each(|w| {
                        faces.push(&[center, w[0], w[1]]);
                    });
                }
            }
        }
        Ok(faces)
    }
}

fn geometry_key(primitive: &Primitive) -> Option<GeometryKey> {
    let position = *primitive.attributes.get("POSITION")?;
    Some((position, primitive.indices, primitive.mode.unwrap_or(TRIANGLES)))
}

#[cfg(test)]
mod tests;
