//! The assemblies: from files, if there are any, and generated ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use impinge::{Mesh, Pose, Scene, Vec3};
use impinge_samples::shapes::{brick_wall, pallet, pins, sample_assembly};

/// Vertices and triangles, the input of both libraries.
pub(super) type Raw = (Vec<Vec3>, Vec<[u32; 3]>);

/// Meshes, and parts: the index of a mesh and a pose.
#[derive(Debug)]
pub(super) struct Assembly {
    pub(super) name: String,
    pub(super) meshes: Vec<Raw>,
    pub(super) parts: Vec<(usize, Pose)>,
}

impl Assembly {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), meshes: Vec::new(), parts: Vec::new() }
    }

    /// The parts of a scene; equal parts share their mesh.
    fn of(name: &str, scene: &Scene) -> Self {
        let mut assembly = Self::new(name);
        let mut known: Vec<*const Mesh> = Vec::new();
        for part in scene.parts() {
            let mesh = Arc::as_ptr(&part.mesh);
            let index = known.iter().position(|other| *other == mesh).unwrap_or_else(|| {
                known.push(mesh);
                assembly.push_mesh(&part.mesh)
            });
            assembly.parts.push((index, part.pose));
        }
        assembly
    }

    fn push_mesh(&mut self, mesh: &Mesh) -> usize {
        self.meshes.push((mesh.vertices().to_vec(), mesh.triangles().to_vec()));
        self.meshes.len() - 1
    }

    /// Adds all parts of a file, moved by a pose.
    fn add_file(&mut self, file: &Path, pose: &Pose) -> Result<()> {
        let scene = Scene::load(file).with_context(|| file.display().to_string())?.scene;
        for part in scene.parts() {
            let mesh = self.push_mesh(&part.mesh);
            self.parts.push((mesh, pose.compose(&part.pose)?));
        }
        Ok(())
    }

    /// The same with a mesh of its own for every part, as in files without instances.
    fn separate(&self) -> Self {
        let mut separate = Self::new(&format!("{}, separate meshes", self.name));
        for (number, (mesh, pose)) in self.parts.iter().enumerate() {
            separate.meshes.push(self.meshes[*mesh].clone());
            separate.parts.push((number, *pose));
        }
        separate
    }

    /// The triangles of all parts.
    pub(super) fn triangles(&self) -> usize {
        self.parts.iter().map(|(mesh, _)| self.meshes[*mesh].1.len()).sum()
    }
}

/// All assemblies: those in the folder, then the generated ones.
pub(super) fn assemblies(folder: Option<&Path>) -> Result<Vec<Assembly>> {
    let mut all = Vec::new();
    if let Some(folder) = folder {
        for file in ["assemblies/2CylinderEngine.glb", "ifc/duplex_A.obj"] {
            let path = folder.join(file);
            let scene = Scene::load(&path).with_context(|| path.display().to_string())?.scene;
            all.push(Assembly::of(file, &scene));
        }
        all.push(differential(&folder.join("bullet_differential"))?);
        for name in ["Model_1", "Model_1_Scenario_1", "Model_2_Scenario_1"] {
            all.push(mechanism(&folder.join("fcl_mechanisms"), name)?);
        }
    }
    all.push(Assembly::of("sample gearbox", &sample_assembly()?));
    for (name, scene) in [
        ("wall of 96 plain bricks", brick_wall(12, 8, 1)?),
        ("wall of 24 fine bricks", brick_wall(6, 4, 3)?),
        ("pallet of 96 boxes", pallet(4, 1)?),
        ("pallet of 48 fine boxes", pallet(2, 5)?),
        ("pins in sleeves, 24 facets", pins(6, 4, 24)?),
        ("pins in sleeves, 120 facets", pins(2, 2, 120)?),
    ] {
        let assembly = Assembly::of(name, &scene);
        let separate = assembly.separate();
        all.extend([assembly, separate]);
    }
    Ok(all)
}

/// The parts of the differential, one per file, all in one frame.
fn differential(folder: &Path) -> Result<Assembly> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "stl"));
    files.sort();
    let mut assembly = Assembly::new("bullet_differential");
    for file in files {
        assembly.add_file(&file, &Pose::IDENTITY)?;
    }
    Ok(assembly)
}

/// Two bodies at the first of their recorded poses.
fn mechanism(folder: &Path, name: &str) -> Result<Assembly> {
    let frames = folder.join(format!("{name}_frames.tsv"));
    let text = fs::read_to_string(&frames).with_context(|| frames.display().to_string())?;
    let line = text.lines().nth(1).unwrap_or_default();
    let numbers: Vec<f64> = line.split('\t').map(str::parse).collect::<Result<_, _>>()?;
    ensure!(numbers.len() == 26, "{}: {} numbers a frame", frames.display(), numbers.len());
    let mut assembly = Assembly::new(name);
    for (body, at) in [(1, 2), (2, 14)] {
        let (t, r) = (&numbers[at..at + 3], &numbers[at + 3..at + 12]);
        let row = |k: usize| [r[3 * k], r[3 * k + 1], r[3 * k + 2], t[k]];
        // Written with six digits.
        let pose = Pose::from_nearest_rotation([row(0), row(1), row(2)])?;
        assembly.add_file(&folder.join(format!("{name}_obj{body}.obj")), &pose)?;
    }
    Ok(assembly)
}
