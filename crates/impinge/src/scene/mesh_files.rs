//! Single meshes from files and to files.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use impinge_io::{Faces, Format, IDENTITY, Instance, RawMesh};

use super::{LoadOptions, LoadReport, Scene};
use crate::error::{Error, ErrorKind};
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;

/// A mesh from a file, and what was found in the file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedMesh {
    /// All parts of the file in one mesh, in the file's frame.
    pub mesh: Mesh,
    /// What was read, ignored and skipped.
    pub report: LoadReport,
    /// How many parts the mesh was made of.
    pub parts: usize,
    /// Number of vertices that welding removed.
    pub welded: usize,
    /// Number of polygons with more than three corners, which were cut into triangles.
    pub triangulated: usize,
    /// Parts whose matrix was a rotation only to single precision, and was replaced by the nearest
    /// rotation.
    pub straightened: usize,
    /// Parts with a uniform scale other than 1, as [`Scene::add_scaled`] adds them.
    pub scaled: usize,
    /// Parts whose matrix shears, mirrors, or scales axes differently, which was applied to their
    /// vertices.
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
    /// What the reader skipped, welded or cut is not told: [`Mesh::load_with`] has a report.
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

    /// As [`Mesh::load`], with a choice of what is welded, and with a report.
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
        let given = mesh.vertices().len();
        if let Some(weld) = options.weld {
            mesh = mesh.welded(weld)?;
        }
        let triangulated = (0..mesh.polygon_count()).filter(|i| mesh.polygon(*i).len() > 3).count();
        Ok(LoadedMesh {
            parts: parts.len(),
            welded: given - mesh.vertices().len(),
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
    /// | `.stl` (binary) | their triangles | rounded to `f32` | three a triangle, unused ones lost |
    ///
    /// With [`LoadOptions::weld`] set to `None`, [`Mesh::load_with`] reads back what is kept, bit
    /// for bit. Two things no format keeps: how polygons were cut into triangles if vertices were
    /// moved since ([`Mesh::with_vertices`]), because readers cut them again where the vertices are
    /// now; and the tree, which has [`Tree::write`](crate::tree::Tree::write). A mesh without
    /// polygons can be written, but readers may refuse the file as empty.
    ///
    /// The path is checked first. The mesh is then written to another file in the same folder,
    /// which takes the place of an existing one only when it is complete.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if the extension names none of these formats or the path no
    /// place for a file, [`ErrorKind::OutOfRange`] for coordinates beyond `f32` in a format of
    /// `f32`, and [`ErrorKind::File`] if the file cannot be written, with the
    /// [`io::Error`] as its source. An existing file is then as it was.
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
        if matches!(format, Format::Stl | Format::Glb) {
            self.check_single_precision(path)?;
        }
        let raw = self.raw(matches!(format, Format::Stl | Format::Glb));
        replace_file(&target, |out| write_as(out, format, raw)).map_err(|e| {
            let message = format!("{}: the mesh cannot be written: {e}", path.display());
            Error::new(ErrorKind::File, message).with_source(e)
        })
    }

    /// The arrays that writers take.
    fn raw(&self, triangles_only: bool) -> RawMesh {
        let positions = self.vertices().iter().map(Vec3::to_array).collect();
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

fn write_as(out: &mut impl Write, format: Format, raw: RawMesh) -> io::Result<()> {
    match format {
        Format::Obj => impinge_io::write_obj(out, &[raw]),
        Format::Stl => impinge_io::write_stl(out, &raw),
        Format::Ply => impinge_io::write_ply(out, &raw),
        Format::Off => impinge_io::write_off(out, &raw),
        _ => {
            let instance = Instance { name: "mesh".into(), mesh: 0, matrix: IDENTITY, scale: 1.0 };
            impinge_io::write_glb(out, &[raw], &[instance])
        }
    }
}

/// The format to write for the extension of a path.
fn writable_format(path: &Path) -> Result<Format, Error> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let format = match &*extension.to_ascii_lowercase() {
        "obj" => Format::Obj,
        "stl" => Format::Stl,
        "ply" => Format::Ply,
        "off" => Format::Off,
        "glb" => Format::Glb,
        _ => {
            let message = format!(
                "{}: meshes are written as .obj, .stl, .ply, .off or .glb; name the file so",
                path.display()
            );
            return Err(Error::new(ErrorKind::BadParameter, message));
        }
    };
    Ok(format)
}

/// The file that `path` leads to, through links: one that can take the place of what is there.
fn checked_target(path: &Path) -> Result<PathBuf, Error> {
    let refuse = |what: &str| {
        Err(Error::new(ErrorKind::BadParameter, format!("{}: {what}", path.display())))
    };
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(e) if e.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
        Err(e) => {
            let message = format!("{}: the path cannot be followed: {e}", path.display());
            return Err(Error::new(ErrorKind::File, message).with_source(e));
        }
    };
    match fs::metadata(&target) {
        Ok(there) if there.is_dir() => return refuse("this is a folder; name a file in it"),
        Ok(there) if !there.is_file() => return refuse("this is not a regular file"),
        Ok(there) if there.permissions().readonly() => {
            return refuse("the file is there and write-protected");
        }
        _ => {}
    }
    if !fs::metadata(folder_of(&target)).is_ok_and(|there| there.is_dir()) {
        return refuse("there is no such folder; make it first");
    }
    Ok(target)
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Writes a file under a name of its own and renames it to `target`, so that others see all of the
/// old file or all of the new one.
fn replace_file(
    target: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}-{number}.tmp", std::process::id()));
    let own = folder_of(target).join(name);
    let file = File::create_new(&own)?;
    let written = (|| {
        if let Ok(there) = fs::metadata(target) {
            file.set_permissions(there.permissions())?;
        }
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        // Dropped, the buffer would lose an error of its last write.
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&own, target)
    })();
    if written.is_err() {
        // The error to report is the first one.
        let _ = fs::remove_file(&own);
    }
    written
}
