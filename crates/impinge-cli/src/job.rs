//! The files of one command as one scene, with a unique name for every part.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use impinge::Pose;
use impinge::scene::Scene;

/// The parts of one or several files in one frame.
#[derive(Debug)]
pub(crate) struct Job {
    /// All parts, with the ignored pairs of the files.
    pub(crate) scene: Scene,
    /// A unique name for every part; a number is added to repeated names.
    pub(crate) names: Vec<String>,
    /// The file of each part, as an index into `files`.
    pub(crate) file_of: Vec<usize>,
    /// The files as given by the user.
    pub(crate) files: Vec<String>,
    /// Notes of the loader, at most one per file.
    pub(crate) notes: Vec<String>,
}

impl Job {
    /// Loads the files; the parts of the second file are moved by `pose`.
    pub(crate) fn load(paths: &[PathBuf], pose: &Pose) -> Result<Self> {
        let mut scenes = Vec::with_capacity(paths.len());
        let mut notes = Vec::new();
        for (i, path) in paths.iter().enumerate() {
            let mut loaded = Scene::load(path)?;
            let changed = loaded.straightened + loaded.scaled + loaded.deformed > 0;
            if changed || !loaded.report.is_complete() {
                notes.push(loaded.to_string());
            }
            if i == 1 {
                loaded.scene = moved(&loaded.scene, pose)
                    .with_context(|| format!("{}: cannot apply the pose", path.display()))?;
            }
            scenes.push((path.display().to_string(), loaded.scene));
        }
        let mut job = Self::combine(scenes);
        job.notes = notes;
        Ok(job)
    }

    /// A job for a scene in memory.
    pub(crate) fn from_scene(name: &str, scene: Scene) -> Self {
        Self::combine(vec![(name.to_owned(), scene)])
    }

    /// The parts of several jobs of one file each, as if one job had loaded all files.
    pub(crate) fn merge(jobs: &[Self]) -> Self {
        let scenes = jobs.iter().map(|j| (j.files.join(", "), j.scene.clone())).collect();
        Self::combine(scenes)
    }

    fn combine(scenes: Vec<(String, Scene)>) -> Self {
        let several = scenes.len() > 1;
        let mut scene = Scene::new();
        let (mut names, mut file_of, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for (file, from) in scenes {
            let offset = scene.parts().len();
            let stem = Path::new(&file)
                .file_stem()
                .map_or_else(|| file.clone(), |s| s.to_string_lossy().into_owned());
            for (i, part) in from.parts().iter().enumerate() {
                let part_name =
                    if part.name.is_empty() { format!("part {i}") } else { part.name.clone() };
                names.push(match (several, from.parts().len()) {
                    (false, _) => part_name,
                    (true, 1) => stem.clone(),
                    (true, _) => format!("{stem}/{part_name}"),
                });
                file_of.push(files.len());
                scene.add(part.name.clone(), part.mesh.clone(), part.pose);
            }
            for (a, b) in from.ignored() {
                scene.ignore(a + offset, b + offset);
            }
            files.push(file);
        }
        Self { scene, names: unique_names(&names), file_of, files, notes: Vec::new() }
    }

    /// Whether the pair belongs to the job: with several files, parts of the same file do not form
    /// a pair.
    pub(crate) fn includes_pair(&self, a: usize, b: usize) -> bool {
        self.files.len() == 1 || self.file_of[a] != self.file_of[b]
    }

    /// The number of pairs for which [`Job::includes_pair`] is true.
    pub(crate) fn pair_count(&self) -> usize {
        let pairs = |n: usize| n * n.saturating_sub(1) / 2;
        let all = pairs(self.names.len());
        if self.files.len() == 1 {
            return all;
        }
        let mut of_file = vec![0; self.files.len()];
        for file in &self.file_of {
            of_file[*file] += 1;
        }
        all - of_file.into_iter().map(pairs).sum::<usize>()
    }

    /// A title: the names of the files.
    pub(crate) fn title(&self) -> String {
        let short = |f: &String| {
            Path::new(f).file_name().map_or_else(|| f.clone(), |n| n.to_string_lossy().into_owned())
        };
        match self.files.as_slice() {
            [one] => short(one),
            [a, b] => format!("{} against {}", short(a), short(b)),
            many => format!("{} files", many.len()),
        }
    }
}

/// The scene with every part moved by `pose`; the error names the part.
fn moved(scene: &Scene, pose: &Pose) -> Result<Scene> {
    let mut moved = Scene::new();
    for part in scene.parts() {
        let at = pose.compose(&part.pose).with_context(|| format!("part {}", part.name))?;
        moved.add(part.name.clone(), part.mesh.clone(), at);
    }
    scene.ignored().for_each(|(a, b)| moved.ignore(a, b));
    Ok(moved)
}

/// The names, repeated ones followed by `#1`, `#2` and so on. A number that would give the name of
/// another part is skipped.
pub(crate) fn unique_names(names: &[String]) -> Vec<String> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *times.entry(name).or_default() += 1;
    }
    let mut last: BTreeMap<&str, usize> = BTreeMap::new();
    names
        .iter()
        .map(|name| {
            if times[name.as_str()] == 1 {
                return name.clone();
            }
            let n = last.entry(name).or_default();
            loop {
                *n += 1;
                let numbered = format!("{name} #{n}");
                if !times.contains_key(numbered.as_str()) {
                    return numbered;
                }
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::{Mesh, Vec3};

    fn scene(names: &[&str]) -> Scene {
        let mut scene = Scene::new();
        for name in names {
            let mesh =
                Mesh::from_triangles(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
            scene.add(*name, mesh, Pose::IDENTITY);
        }
        scene
    }

    #[test]
    fn part_names_are_unique() {
        let one = Job::from_scene("x.glb", scene(&["bolt", "plate", "bolt", ""]));
        assert_eq!(one.names, ["bolt #1", "plate", "bolt #2", "part 3"]);
        assert_eq!((one.pair_count(), one.includes_pair(0, 2)), (6, true));
        let numbered = Job::from_scene("x.glb", scene(&["bolt", "bolt #1", "bolt"]));
        assert_eq!(numbered.names, ["bolt #2", "bolt #1", "bolt #3"]);
    }

    #[test]
    fn two_files_are_checked_against_each_other_and_the_second_moves() {
        let mut first = scene(&["a", "b"]);
        first.ignore(0, 1);
        let up = Pose::from_translation([0.0, 0.0, 2.0]).unwrap();
        let second = moved(&scene(&["c"]), &up).unwrap();
        let far = Pose::from_translation([0.0, 0.0, 1e60]).unwrap();
        let error = moved(&moved(&second, &far).unwrap(), &far).unwrap_err();
        assert!(error.to_string().contains("part c"), "{error}");
        let files = vec![("d/x.glb".to_owned(), first), ("y.stl".to_owned(), second)];
        let job = Job::combine(files);
        assert_eq!(job.names, ["x/a", "x/b", "y"]);
        assert_eq!(job.pair_count(), 2);
        assert!(!job.includes_pair(0, 1) && job.includes_pair(1, 2));
        assert!(job.scene.ignored().eq([(0, 1)]));
        let at: Vec<f64> = job.scene.parts().iter().map(|p| p.pose.translation().z).collect();
        assert_eq!(at, [0.0, 0.0, 2.0]);
        assert_eq!(job.title(), "x.glb against y.stl");
    }
}
