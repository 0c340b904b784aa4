//! Files to scenes: the one place that knows how the library reads them.

use std::path::Path;

use anyhow::{Context, Result, bail};
use impinge::scene::Scene;
use impinge::{Mesh, Pose, Vec3};

/// A scene, and what was skipped or repaired on the way in.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The parts of the file.
    pub(crate) scene: Scene,
    /// The loader's report, if it has anything to say.
    pub(crate) notes: Option<String>,
}

/// Reads one file. The error names it.
pub(crate) fn load(path: &Path) -> Result<Loaded> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read {}; check the name", path.display()))?;
    let scene = obj(&text).with_context(|| format!("{}", path.display()))?;
    Ok(Loaded { scene, notes: None })
}

/// Objects of a Wavefront OBJ file: `v`, `f` and `o` lines.
fn obj(text: &str) -> Result<Scene> {
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut parts: Vec<(String, Vec<[u32; 3]>)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let c: Vec<f64> = words
                    .map(str::parse)
                    .collect::<Result<_, _>>()
                    .with_context(|| format!("line {}", number + 1))?;
                if c.len() < 3 {
                    bail!("line {}: a vertex has three coordinates", number + 1);
                }
                vertices.push(Vec3::new(c[0], c[1], c[2]));
            }
            Some("f") => {
                let corners: Vec<u32> = words
                    .map(|w| {
                        w.split('/')
                            .next()
                            .unwrap_or_default()
                            .parse::<u32>()
                            .ok()
                            .and_then(|i| i.checked_sub(1))
                    })
                    .collect::<Option<_>>()
                    .with_context(|| format!("line {}: a corner is a vertex number", number + 1))?;
                if parts.is_empty() {
                    parts.push((String::new(), Vec::new()));
                }
                if let Some((_, triangles)) = parts.last_mut() {
                    triangles.extend(
                        (2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]),
                    );
                }
            }
            Some("o") => parts.push((words.collect::<Vec<_>>().join(" "), Vec::new())),
            _ => {}
        }
    }
    let mut scene = Scene::new();
    for (name, triangles) in parts {
        let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        if used.last().is_some_and(|v| *v as usize >= vertices.len()) {
            bail!("a face names a vertex that does not exist");
        }
        let local = |v: u32| used.binary_search(&v).unwrap_or_default() as u32;
        let own = used.iter().map(|v| vertices[*v as usize]).collect();
        let mesh = Mesh::from_triangles(own, triangles.iter().map(|t| t.map(local)).collect())?;
        scene.add(name, mesh, Pose::IDENTITY);
    }
    Ok(scene)
}
