//! Single meshes from files and to files.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use impinge_io::{Faces, IDENTITY, Instance, RawMesh};

use super::{LoadOptions, LoadReport, Scene};
use crate::arrays::MapToVec;
use crate::error::{Error, ErrorKind};
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;

/// A mesh from a file, with a report about the file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedMesh {
    /// All parts of the file in one mesh, in the file's frame.
    pub mesh: Mesh,
    /// What was read, ignored and skipped.
    pub report: LoadReport,
    /// The number of parts that were merged into the mesh.
    pub parts: usize,
    /// Number of vertices that welding removed.
    pub welded: usize,
    /// Number of polygons with more than three corners, which were triangulated.
    pub triangulated: usize,
    /// The number of parts whose matrix was a rotation only to single precision, and was replaced
    /// by the nearest rotation.
    pub straightened: usize,
    /// The number of parts with a uniform scale other than 1, added by [`Scene::add_scaled`].
    pub scaled: usize,
    /// The number of parts whose matrix shears, mirrors, or scales axes differently. It was applied
    /// to their vertices.
    pub deformed: usize,
}

impl fmt::Display for LoadedMesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.report)?;
        for (count, what) in [
            (self.welded, "vertices were welded to others"),
            (self.triangulated, "polygons were cut into triangles"),
            (
                self.straightened,
                "parts have rotations rounded to single precision, replaced by the nearest rotation",
            ),
            (self.scaled, "parts are scaled"),
            (
                self.deformed,
                "parts are sheared, mirrored or scaled by axis, which was applied to their vertices",
            ),
        ] {
            if count > 0 {
                write!(f, "\n  {count} {what}")?;
            }
        }
        Ok(())
    }
}

impl Mesh {
    /// The mesh in a file; if the file has several parts, all of them in the file's frame as one
    /// mesh. Vertices with equal coordinates are welded.
    ///
    /// There is no report about skipped data, welded vertices and triangulated polygons; use
    /// [`Mesh::load_with`] for one.
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
        Self::load_with(path, &LoadOptions::default()).map(|loaded| loaded.mesh)
    }

    /// As [`Mesh::load`], with options and a report.
    ///
    /// Vertices of several parts are welded after all parts were moved to the file's frame.
    ///
    /// # Errors
    /// As [`Scene::load`], and [`ErrorKind::BadParameter`] for a weld tolerance that is negative or
    /// not finite.
    ///
    /// ```no_run
    /// use impinge::{LoadOptions, Mesh};
    ///
    /// let loaded = Mesh::load_with("frame.obj", &LoadOptions::default())?;
    /// println!("{loaded}");
    /// assert!(loaded.report.is_complete(), "something was skipped");
    /// let frame = loaded.mesh;
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn load_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<LoadedMesh, Error> {
        let path = path.as_ref();
        let loaded = Scene::load_with(path, &LoadOptions { weld: None })?;
        let parts = loaded.scene.parts();
        let mut mesh = match parts {
            [part] if part.pose == Pose::IDENTITY => Self::clone(&part.mesh),
            parts => {
                let moved: Vec<Self> = parts.iter().map(|p| p.mesh.transformed(&p.pose)).collect();
                Self::merged(&moved).map_err(|e| e.within(path.display()))?
            }
        };
        let vertices_before = mesh.vertices().len();
        if let Some(weld) = options.weld {
            mesh = mesh.welded(weld)?;
        }
        let triangulated = (0..mesh.polygon_count()).filter(|i| mesh.polygon(*i).len() > 3).count();
        Ok(LoadedMesh {
            parts: parts.len(),
            welded: vertices_before - mesh.vertices().len(),
            triangulated,
            straightened: loaded.straightened,
            scaled: loaded.scaled,
            deformed: loaded.deformed,
            report: loaded.report,
            mesh,
        })
    }

    /// Writes the mesh to a file, in the format of the extension.
    ///
    /// | extension | polygons | coordinates | vertices |
    /// | --- | --- | --- | --- |
    /// | `.obj`, `.off` | kept | all bits, as decimal numbers | kept |
    /// | `.ply` (binary) | kept | all bits | kept |
    /// | `.glb` | their triangles | rounded to `f32` | kept, if there are triangles |
    /// | `.stl` (binary) | their triangles | rounded to `f32` | three per triangle, unused ones lost |
    ///
    /// With [`LoadOptions::weld`] set to `None`, [`Mesh::load_with`] reads back what is kept, bit
    /// for bit. No format keeps the triangulation of polygons whose vertices were moved afterwards
    /// ([`Mesh::with_vertices`]), because readers triangulate them again with the moved vertices;
    /// nor the tree, for which there is [`Tree::write`](crate::tree::Tree::write). A mesh without
    /// polygons can be written, but readers may reject the file as empty.
    ///
    /// The path is checked first. The mesh is then written to a temporary file in the same folder,
    /// which replaces an existing file only when it is complete.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if the extension is none of these or the path cannot be that of
    /// a file, [`ErrorKind::OutOfRange`] for coordinates beyond `f32` in a format of `f32`, and
    /// [`ErrorKind::File`] if the file cannot be written, with the [`io::Error`] as its source. An
    /// existing file is unchanged after an error.
    ///
    /// ```
    /// use impinge::{LoadOptions, Mesh, shapes};
    ///
    /// let torus = shapes::torus(2.0, 0.5, 24, 12)?;
    /// let path = std::env::temp_dir().join("impinge-doc-torus.ply");
    /// torus.save(&path)?;
    /// let back = Mesh::load_with(&path, &LoadOptions::default())?.mesh;
    /// assert_eq!(back.vertices(), torus.vertices());
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let format = writable_format(path)?;
        let target = checked_target(path)?;
        if format.is_single_precision() {
            self.check_single_precision(path)?;
        }
        let raw = self.raw(format.has_triangles_only());
        replace_file(&target, |out| write_as(out, format, raw)).map_err(|e| {
            let message = format!("{}: the mesh cannot be written: {e}", path.display());
            Error::new(ErrorKind::File, message).with_source(e)
        })
    }

    /// The arrays for the writers.
    fn raw(&self, triangles_only: bool) -> RawMesh {
        let positions = self.vertices().map_to_vec(Vec3::to_array);
        let faces = if triangles_only || self.is_triangulated() {
            Faces::from_triangles(self.triangles())
        } else {
            let mut faces = Faces::default();
            for i in 0..self.polygon_count() {
                faces.push(self.polygon(i));
            }
            faces
        };
        RawMesh { name: None, positions, faces }
    }

    /// An error if a vertex is too large for `f32`.
    fn check_single_precision(&self, path: &Path) -> Result<(), Error> {
        let fits = |x: f64| (x as f32).is_finite();
        match self.vertices().iter().position(|v| !v.to_array().into_iter().all(fits)) {
            None => Ok(()),
            Some(i) => {
                let message = format!(
                    "{}: vertex {i} is {:?}, too large for the single precision of this format; \
                     write .obj, .ply or .off, or choose a larger unit",
                    path.display(),
                    self.vertices()[i].to_array()
                );
                Err(Error::new(ErrorKind::OutOfRange, message))
            }
        }
    }
}

/// The formats that meshes are written in.
#[derive(Clone, Copy, Debug)]
enum Writable {
    Obj,
    Stl,
    Ply,
    Off,
    Glb,
}

impl Writable {
    fn is_single_precision(self) -> bool {
        match self {
            Self::Stl | Self::Glb => true,
            Self::Obj | Self::Ply | Self::Off => false,
        }
    }

    fn has_triangles_only(self) -> bool {
        match self {
            Self::Stl | Self::Glb => true,
            Self::Obj | Self::Ply | Self::Off => false,
        }
    }
}

fn write_as(out: &mut impl Write, format: Writable, raw: RawMesh) -> io::Result<()> {
    match format {
        Writable::Obj => impinge_io::write_obj(out, &[raw]),
        Writable::Stl => impinge_io::write_stl(out, &raw),
        Writable::Ply => impinge_io::write_ply(out, &raw),
        Writable::Off => impinge_io::write_off(out, &raw),
        Writable::Glb => {
            let instance = Instance { name: "mesh".into(), mesh: 0, matrix: IDENTITY, scale: 1.0 };
            impinge_io::write_glb(out, &[raw], &[instance])
        }
    }
}

/// The format to write for the extension of a path.
fn writable_format(path: &Path) -> Result<Writable, Error> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let format = match &*extension.to_ascii_lowercase() {
        "obj" => Writable::Obj,
        "stl" => Writable::Stl,
        "ply" => Writable::Ply,
        "off" => Writable::Off,
        "glb" => Writable::Glb,
        _ => {
            let message = format!(
                "{}: meshes are written as .obj, .stl, .ply, .off or .glb; use one of these extensions",
                path.display()
            );
            return Err(Error::new(ErrorKind::BadParameter, message));
        }
    };
    Ok(format)
}

/// The file that `path` refers to, with links resolved. It does not exist yet or can be replaced.
fn checked_target(path: &Path) -> Result<PathBuf, Error> {
    let reject = |what: &str| {
        Err(Error::new(ErrorKind::BadParameter, format!("{}: {what}", path.display())))
    };
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(e) if e.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
        Err(e) => {
            let message = format!("{}: the path cannot be resolved: {e}", path.display());
            return Err(Error::new(ErrorKind::File, message).with_source(e));
        }
    };
    match fs::metadata(&target) {
        Ok(metadata) if metadata.is_dir() => {
            return reject("the path is a folder; name a file in it");
        }
        Ok(metadata) if !metadata.is_file() => {
            return reject("the path is not a regular file; name another file");
        }
        Ok(metadata) if metadata.permissions().readonly() => {
            return reject(
                "the file exists and is write-protected; choose another name or remove the protection",
            );
        }
        _ => {}
    }
    if !fs::metadata(folder_of(&target)).is_ok_and(|metadata| metadata.is_dir()) {
        return reject("the folder does not exist; create it first");
    }
    Ok(target)
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Writes a temporary file and renames it to `target`, so that other processes see either the
/// complete old file or the complete new one.
fn replace_file(
    target: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}-{number}.tmp", std::process::id()));
    let temporary = folder_of(target).join(name);
    let file = File::create_new(&temporary)?;
    let written = (|| {
        if let Ok(metadata) = fs::metadata(target) {
            file.set_permissions(metadata.permissions())?;
        }
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        // Dropping the buffer would ignore an error of its last write.
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&temporary, target)
    })();
    if written.is_err() {
        // The error to report is that of writing, not one of removing the temporary file.
        let _ = fs::remove_file(&temporary);
    }
    written
}
