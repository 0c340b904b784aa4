//! The built-in sample assembly: the one place that knows where it comes from and how it is written.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use impinge::scene::Scene;
use impinge::{Mesh, Pose, Vec3};

/// The sample.
pub(crate) fn scene() -> Result<Scene> {
    let cube = std::sync::Arc::new(cube()?);
    let mut scene = Scene::new();
    scene.add("cube", cube.clone(), Pose::IDENTITY);
    scene.add("moved cube", cube, Pose::from_translation([0.5, 0.25, 0.75])?);
    Ok(scene)
}

/// Writes the sample into `folder`, which is created, and returns the files, the one to check first.
pub(crate) fn write(folder: &Path) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder).with_context(|| {
        format!("cannot create the folder {}; choose one that may be written", folder.display())
    })?;
    let path = folder.join("sample.obj");
    std::fs::write(&path, obj(&scene()?))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(vec![path])
}

/// The scene as one OBJ text, every part an object in the scene's frame.
fn obj(scene: &Scene) -> String {
    let mut text = String::from("# impinge sample assembly\n");
    let mut first = 1;
    for part in scene.parts() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "o {}", part.name);
        for v in part.mesh.vertices() {
            let p = part.pose.transform_point(*v);
            let _ = writeln!(text, "v {:?} {:?} {:?}", p.x, p.y, p.z);
        }
        for t in part.mesh.triangles() {
            let [a, b, c] = t.map(|v| v as usize + first);
            let _ = writeln!(text, "f {a} {b} {c}");
        }
        first += part.mesh.vertices().len();
    }
    text
}

fn cube() -> Result<Mesh> {
    let corner = |i: u32| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Ok(Mesh::from_triangles((0..8).map(corner).collect(), triangles)?)
}
