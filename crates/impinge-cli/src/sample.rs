//! The built-in sample assembly, and its files.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use impinge::scene::Scene;
use impinge::{Mesh, Vec3};
use impinge_io::{Faces, RawMesh};

/// The sample assembly.
pub(crate) fn scene() -> Result<Scene> {
    Ok(impinge_samples::shapes::sample_assembly()?)
}

/// Writes the sample into `folder`, which is created: a scene file and one OBJ file per mesh.
/// Returns the paths, the scene file first.
pub(crate) fn write(folder: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder).with_context(|| {
        format!("cannot create the folder {}; choose a writable location", folder.display())
    })?;
    let scene = scene()?;
    let scene_file = folder.join("sample.toml");
    let mut files = vec![scene_file.clone()];
    let mut text = String::from("# impinge sample assembly\nunit = \"mm\"\n");
    let mut written: Vec<(&Arc<Mesh>, String)> = Vec::new();
    for part in scene.parts() {
        let existing = written.iter().find(|(mesh, _)| Arc::ptr_eq(mesh, &part.mesh));
        let file = match existing {
            Some((_, file)) => file.clone(),
            None => {
                let file = format!("{}.obj", part.name.replace(' ', "-"));
                files.push(folder.join(&file));
                write_mesh(&folder.join(&file), &part.name, &part.mesh)?;
                written.push((&part.mesh, file.clone()));
                file
            }
        };
        // Writing to a string cannot fail. The Debug text of an f64 reads back to the same bits and
        // is valid TOML.
        let _ = write!(text, "\n[[part]]\nname = {:?}\nfile = {file:?}\n", part.name);
        let _ = writeln!(text, "pose = {{ matrix = {:?} }}", part.pose.to_matrix());
    }
    for (a, b) in scene.ignored() {
        let [a, b] = [a, b].map(|i| &scene.parts()[i].name);
        let _ = write!(text, "\n[[ignore]]\npair = [{a:?}, {b:?}]\n");
    }
    fs::write(&scene_file, text)
        .with_context(|| format!("cannot write {}", scene_file.display()))?;
    Ok(files)
}

fn write_mesh(path: &Path, name: &str, mesh: &Mesh) -> Result<()> {
    let mut faces = Faces::new();
    for p in 0..mesh.polygon_count() {
        faces.push(mesh.polygon(p));
    }
    let positions = mesh.vertices().iter().map(Vec3::to_array).collect();
    let raw = RawMesh { name: Some(name.to_owned()), positions, faces };
    let out = || -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        impinge_io::write_obj(&mut file, &[raw])?;
        file.flush()
    };
    out().with_context(|| format!("cannot write {}", path.display()))
}
