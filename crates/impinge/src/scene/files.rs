//! Scenes and meshes from files.
//!
//! `impinge-io` reads bytes into arrays; this module converts arrays to meshes and matrices to
//! poses. A pose is rigid, so the rest of a file's matrix is applied to the part's vertices: a
//! uniform scale by [`Scene::add_scaled`], once for all parts with the same mesh and scale,
//! for all rotations; the whole matrix except its translation if it shears, mirrors, or scales axes
//! differently.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use glam::DMat3;

use crate::arrays::{MapEach, MapToVec};
use crate::error::{Error, ErrorKind};
use crate::exact::{Sign, orient3d};
use crate::math::{Pose, Vec3};
use crate::mesh::{Mesh, Weld};

use super::Scene;
use super::similarity::{MAX_ROTATION_DEVIATION, Scales};

pub use impinge_io::LoadReport;

/// How the vertices of a file are processed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoadOptions {
    /// Which vertices are welded. By default those with equal coordinates: many formats repeat a
    /// vertex for every triangle, and without welding no edge in them would have two triangles.
    /// Triangles keep their indices and their coordinates.
    pub weld: Option<Weld>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { weld: Some(Weld::Exact) }
    }
}

impl LoadOptions {
    /// With this [`weld`](Self#structfield.weld).
    #[must_use]
    pub fn weld(mut self, weld: impl Into<Option<Weld>>) -> Self {
        self.weld = weld.into();
        self
    }
}

/// A scene from a file, with a report about the file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The parts, in file order.
    pub scene: Scene,
    /// What was read, ignored and skipped.
    pub report: LoadReport,
    /// The number of parts whose matrix was a rotation only to single precision, and was replaced
    /// by the nearest rotation.
    pub straightened: usize,
    /// The number of parts with a uniform scale other than 1, added by [`Scene::add_scaled`].
    pub scaled: usize,
    /// The number of parts whose matrix shears, mirrors, or scales axes differently. It was applied
    /// to their vertices.
    pub deformed: usize,
}

impl fmt::Display for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.report)?;
        if self.straightened > 0 {
            write!(
                f,
                "\n  {} parts have rotations rounded to single precision, made exact",
                self.straightened
            )?;
        }
        if self.scaled > 0 {
            write!(
                f,
                "\n  {} parts are scaled, which was applied to their vertices, once for all parts \
                 with the same mesh and scale",
                self.scaled
            )?;
        }
        if self.deformed > 0 {
            write!(
                f,
                "\n  {} parts are sheared, mirrored or scaled by axis, which was applied to their \
                 vertices",
                self.deformed
            )?;
        }
        Ok(())
    }
}

impl Scene {
    /// The parts of a file: OBJ (one part per object), STL, PLY, OFF, glTF or GLB (one part per
    /// primitive, instances shared), or a scene file in TOML or JSON. Vertices with equal
    /// coordinates are welded; [`Scene::load_with`] has other choices.
    ///
    /// # Errors
    /// [`ErrorKind::File`] if the file cannot be read or parsed (the message names the file, the
    /// line or offset, and the reason), and the errors of [`Mesh`] and [`Pose`] if its numbers are
    /// out of range.
    ///
    /// ```no_run
    /// let loaded = impinge::Scene::load("assembly.glb")?;
    /// println!("{loaded}");
    /// for part in loaded.scene.parts() {
    ///     println!("{}: {} triangles", part.name, part.mesh.triangles().len());
    /// }
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Loaded, Error> {
        Self::load_with(path, &LoadOptions::default())
    }

    /// As [`Scene::load`], with options.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn load_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, Error> {
        let path = path.as_ref();
        let document = impinge_io::load(path)
            .map_err(|e| Error::new(ErrorKind::File, e.to_string()).with_source(e))?;
        from_document(document, options).map_err(|e| e.within(path.display()))
    }
}

/// The scene of a document.
pub fn from_document(
    document: impinge_io::Document,
    options: &LoadOptions,
) -> Result<Loaded, Error> {
    let ignored = document.ignored_pairs();
    let meshes: Vec<Arc<Mesh>> = document
        .meshes
        .iter()
        .enumerate()
        .map(|(i, raw)| {
            let vertices = raw.positions.iter().copied().map(Vec3::from).collect();
            let mesh =
                Mesh::from_polygons(vertices, raw.faces.iter()).and_then(|m| match options.weld {
                    Some(weld) => m.welded(weld),
                    None => Ok(m),
                });
            let name = raw.name.clone().unwrap_or_else(|| format!("number {i}"));
            mesh.map(Arc::new).map_err(|e| e.within(format_args!("mesh {name}")))
        })
        .collect::<Result<_, _>>()?;

    let mut loaded = Loaded {
        scene: Scene::new(),
        report: document.report,
        straightened: 0,
        scaled: 0,
        deformed: 0,
    };
    let mut scales = Scales::default();
    document.instances.iter().filter(|i| i.scale > 0.0).for_each(|i| scales.insert(i.scale));
    // One deformed copy for each mesh and linear map, shared by all parts that use it.
    let mut copies: BTreeMap<(usize, [u64; 9]), Arc<Mesh>> = BTreeMap::new();
    for part in document.instances {
        let in_part = |e: Error| e.within(format_args!("part {}", part.name));
        let mesh = &meshes[part.mesh];
        match placement(&part, &mut scales).map_err(in_part)? {
            Placement::Rigid { pose, scale, straightened } => {
                loaded.straightened += usize::from(straightened);
                loaded.scaled += usize::from(scale != 1.0);
                loaded.scene.add_scaled(&part.name, mesh, pose, scale).map_err(in_part)?;
            }
            Placement::Deformed { pose, linear } => {
                let key = (part.mesh, linear.to_cols_array().map(f64::to_bits));
                let mesh = match copies.get(&key) {
                    Some(copy) => Arc::clone(copy),
                    None => {
                        let copy = Arc::new(deformed(mesh, &linear).map_err(in_part)?);
                        copies.insert(key, Arc::clone(&copy));
                        copy
                    }
                };
                loaded.deformed += 1;
                loaded.scene.add(&part.name, mesh, pose);
            }
        }
    }
    for [i, j] in ignored {
        loaded.scene.ignore(i, j);
    }
    Ok(loaded)
}

/// An instance's matrix, split into a pose and a change of the mesh.
enum Placement {
    /// The mesh scaled, and a pose.
    Rigid {
        pose: Pose,
        scale: f64,
        /// Whether a matrix that is a rotation only to single precision was replaced by the nearest
        /// rotation.
        straightened: bool,
    },
    /// The mesh deformed, and a translation.
    Deformed { pose: Pose, linear: DMat3 },
}

fn placement(part: &impinge_io::Instance, scales: &mut Scales) -> Result<Placement, Error> {
    let [x, y, z] =
        [0, 1, 2].map_each(|j| Vec3::new(part.matrix[0][j], part.matrix[1][j], part.matrix[2][j]));
    let linear = DMat3::from_cols(x, y, z);
    if part.scale > 0.0 {
        if let Some((pose, straightened)) = nearly_rigid_pose(part.matrix) {
            return Ok(Placement::Rigid { pose, scale: part.scale, straightened });
        }
        if let Some(found) = scales.scale_of(&linear) {
            let matrix = part.matrix.map_each(|[x, y, z, t]| [x / found, y / found, z / found, t]);
            let scale = part.scale * found;
            if let (Some((pose, straightened)), true) =
                (nearly_rigid_pose(matrix), scale > 0.0 && scale.is_finite())
            {
                return Ok(Placement::Rigid { pose, scale, straightened });
            }
        }
    }
    let pose = Pose::from_translation([0, 1, 2].map_each(|i| part.matrix[i][3]))?;
    Ok(Placement::Deformed { pose, linear: linear * part.scale })
}

/// The pose of a matrix that is a rotation at least to single precision, and whether it was
/// replaced by the nearest rotation.
fn nearly_rigid_pose(matrix: [[f64; 4]; 3]) -> Option<(Pose, bool)> {
    if let Ok(pose) = Pose::from_matrix(matrix) {
        return Some((pose, false));
    }
    let [x, y, z] = [0, 1, 2].map_each(|j| Vec3::new(matrix[0][j], matrix[1][j], matrix[2][j]));
    let linear = DMat3::from_cols(x, y, z);
    let deviation = (linear.transpose() * linear - DMat3::IDENTITY).to_cols_array();
    let deviation = deviation.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    let rotates = deviation <= MAX_ROTATION_DEVIATION && linear.determinant() > 0.0;
    let pose = rotates.then(|| Pose::from_nearest_rotation(matrix)).and_then(Result::ok)?;
    Some((pose, true))
}

/// The mesh with a linear map applied to its vertices. If the map mirrors, its orientation is
/// reversed, so that outside stays outside.
fn deformed(mesh: &Mesh, linear: &DMat3) -> Result<Mesh, Error> {
    let moved = mesh.with_vertices(mesh.vertices().map_to_vec(|v| *linear * *v))?;
    // The exact sign of the determinant, which may be too small for `f64`.
    let mirrors =
        orient3d(Vec3::ZERO, linear.x_axis, linear.y_axis, linear.z_axis) == Sign::Negative;
    Ok(if mirrors { moved.flipped() } else { moved })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    #[test]
    fn mirrored_copies_keep_their_outward_orientation() {
        let cube = shapes::cuboid([1.0, 2.0, 3.0]).unwrap();
        for scale in [1.0, 1e-120] {
            for signs in [Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0), Vec3::splat(-1.0)] {
                let copy = deformed(&cube, &DMat3::from_diagonal(signs * scale)).unwrap();
                assert_eq!(copy.classification().outward, Some(true), "{signs} {scale}");
            }
        }
    }
}
