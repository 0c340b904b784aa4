//! Scenes and meshes from files.
//!
//! `impinge-io` reads bytes into arrays; here arrays become meshes and matrices become poses. A
//! pose is rigid, so whatever else a file's matrix does to a part (scale, shear, mirror) is applied
//! to the part's vertices.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use glam::DMat3;

use crate::error::{Error, ErrorKind};
use crate::exact::{Sign, orient3d};
use crate::math::{Pose, Vec3};
use crate::mesh::{Mesh, Weld};

use super::Scene;

pub use impinge_io::LoadReport;

/// How far from a rotation a file's matrix may be, in the largest entry of `M^T M - I`, to count as
/// one written in single precision.
const SINGLE_PRECISION: f64 = 4e-6;

/// What to do with the vertices of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadOptions {
    /// Which vertices become one. By default those with equal coordinates: many formats repeat a
    /// vertex for every triangle, and without welding no edge of theirs has two sides. Triangles
    /// keep their numbers and their coordinates.
    pub weld: Option<Weld>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { weld: Some(Weld::Exact) }
    }
}

/// A scene from a file, and what was found in the file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The parts, in file order.
    pub scene: Scene,
    /// What was read, ignored and skipped.
    pub report: LoadReport,
    /// Parts whose matrix was a rotation only to single precision, and was replaced by the nearest
    /// rotation.
    pub straightened: usize,
    /// Parts whose matrix scales, shears or mirrors, which was applied to their vertices.
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
        if self.deformed > 0 {
            write!(
                f,
                "\n  {} parts are scaled, sheared or mirrored, which was applied to their vertices",
                self.deformed
            )?;
        }
        Ok(())
    }
}

impl Scene {
    /// The parts of a file: OBJ (an object a part), STL, PLY, OFF, glTF or GLB (a primitive a part,
    /// instances shared), or a scene file in TOML or JSON. Vertices with equal coordinates are
    /// welded; [`Scene::load_with`] has other choices.
    ///
    /// # Errors
    /// [`ErrorKind::File`] if the file cannot be read or understood (the message names the file,
    /// the line or offset, and the reason), and the errors of [`Mesh`] and [`Pose`] if its numbers
    /// are out of range.
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

    /// As [`Scene::load`], with a choice of what is welded.
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

impl Mesh {
    /// The mesh in a file; if the file has several parts, all of them in the file's frame as one
    /// mesh. Vertices with equal coordinates are welded.
    ///
    /// # Errors
    /// As [`Scene::load`].
    ///
    /// ```no_run
    /// let frame = impinge::Mesh::load("frame.obj")?;
    /// println!("{} triangles, {}", frame.triangles().len(), frame.defects());
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let loaded = Scene::load(path)?;
        match loaded.scene.parts() {
            [part] if part.pose == Pose::IDENTITY => Ok(Self::clone(&part.mesh)),
            parts => {
                let moved: Vec<Self> = parts.iter().map(|p| p.mesh.transformed(&p.pose)).collect();
                Self::merged(&moved)?.welded(Weld::Exact)
            }
        }
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

    let mut loaded =
        Loaded { scene: Scene::new(), report: document.report, straightened: 0, deformed: 0 };
    // One deformed copy for each mesh and linear map, however many parts use it.
    let mut copies: BTreeMap<(usize, [u64; 9]), Arc<Mesh>> = BTreeMap::new();
    for part in document.instances {
        let in_part = |e: Error| e.within(format_args!("part {}", part.name));
        let [x, y, z] =
            [0, 1, 2].map(|j| Vec3::new(part.matrix[0][j], part.matrix[1][j], part.matrix[2][j]));
        let linear = DMat3::from_cols(x, y, z);
        let off = (linear.transpose() * linear - DMat3::IDENTITY).to_cols_array();
        let off = off.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        if let Ok(pose) = Pose::from_matrix(part.matrix) {
            loaded.scene.add(part.name, Arc::clone(&meshes[part.mesh]), pose);
        } else if off <= SINGLE_PRECISION && linear.determinant() > 0.0 {
            let pose = Pose::from_nearest_rotation(part.matrix).map_err(in_part)?;
            loaded.straightened += 1;
            loaded.scene.add(part.name, Arc::clone(&meshes[part.mesh]), pose);
        } else {
            let translation = [0, 1, 2].map(|i| part.matrix[i][3]);
            let pose = Pose::from_translation(translation).map_err(in_part)?;
            let key = (part.mesh, linear.to_cols_array().map(f64::to_bits));
            let mesh = match copies.get(&key) {
                Some(copy) => Arc::clone(copy),
                None => {
                    let copy = Arc::new(deformed(&meshes[part.mesh], &linear).map_err(in_part)?);
                    copies.insert(key, Arc::clone(&copy));
                    copy
                }
            };
            loaded.deformed += 1;
            loaded.scene.add(part.name, mesh, pose);
        }
    }
    for [i, j] in ignored {
        loaded.scene.ignore(i, j);
    }
    Ok(loaded)
}

/// The mesh with a linear map applied to its vertices; turned around if the map mirrors, so that
/// what was outside stays outside.
fn deformed(mesh: &Mesh, linear: &DMat3) -> Result<Mesh, Error> {
    let moved = mesh.with_vertices(mesh.vertices().iter().map(|v| *linear * *v).collect())?;
    // The exact sign of the determinant, which may be too small for f64.
    let mirrors =
        orient3d(Vec3::ZERO, linear.x_axis, linear.y_axis, linear.z_axis) == Sign::Negative;
    Ok(if mirrors { moved.flipped() } else { moved })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    #[test]
    fn a_mirror_of_any_scale_keeps_the_outside_outside() {
        let cube = shapes::cuboid([1.0, 2.0, 3.0]).unwrap();
        for scale in [1.0, 1e-120] {
            for signs in [Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0), Vec3::splat(-1.0)] {
                let copy = deformed(&cube, &DMat3::from_diagonal(signs * scale)).unwrap();
                assert_eq!(copy.classification().outward, Some(true), "{signs} {scale}");
            }
        }
    }
}
