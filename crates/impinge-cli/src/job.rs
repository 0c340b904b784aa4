//! The files of one command as one scene, with names that tell the parts apart.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use impinge::Pose;
use impinge::scene::Scene;

/// Parts of one or several files in one frame.
#[derive(Debug)]
pub(crate) struct Job {
    /// All parts; ignored pairs carried over from the files.
    pub(crate) scene: Scene,
    /// A name for every part; parts that share one are told apart by a number.
    pub(crate) names: Vec<String>,
    /// The file each part came from, as an index into `files`.
    pub(crate) file_of: Vec<usize>,
    /// The files as the user named them.
    pub(crate) files: Vec<String>,
    /// What the loader had to say, one entry a file that had anything.
    pub(crate) notes: Vec<String>,
}

impl Job {
    /// Loads the files; the parts of the second are moved by `pose`.
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
                    .with_context(|| format!("{}: cannot be moved so far", path.display()))?;
            }
            scenes.push((path.display().to_string(), loaded.scene));
        }
        let mut job = Self::combine(scenes);
        job.notes = notes;
        Ok(job)
    }

    /// A scene that is in memory already.
    pub(crate) fn from_scene(name: &str, scene: Scene) -> Self {
        Self::combine(vec![(name.to_owned(), scene)])
    }

    /// The parts of several jobs of one file each, as if the files had been loaded together.
    pub(crate) fn together(jobs: &[Self]) -> Self {
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
                let own =
                    if part.name.is_empty() { format!("part {i}") } else { part.name.clone() };
                names.push(match (several, from.parts().len()) {
                    (false, _) => own,
                    (true, 1) => stem.clone(),
                    (true, _) => format!("{stem}/{own}"),
                });
                file_of.push(files.len());
                scene.add(part.name.clone(), part.mesh.clone(), part.pose);
            }
            for (a, b) in from.ignored() {
                scene.ignore(a + offset, b + offset);
            }
            files.push(file);
        }
        Self { scene, names: unique(&names), file_of, files, notes: Vec::new() }
    }

    /// Whether the pair is to be checked at all: of several files, parts of the same one are not.
    pub(crate) fn wants(&self, a: usize, b: usize) -> bool {
        self.files.len() == 1 || self.file_of[a] != self.file_of[b]
    }

    /// The number of pairs that [`Job::wants`].
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

    /// What the job is about, for a title.
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

/// The names, those that occur more than once followed by `#1`, `#2` and so on, past the numbers
/// that would make a name of another part.
pub(crate) fn unique(names: &[String]) -> Vec<String> {
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
    fn names_tell_parts_apart() {
        let one = Job::from_scene("x.glb", scene(&["bolt", "plate", "bolt", ""]));
        assert_eq!(one.names, ["bolt #1", "plate", "bolt #2", "part 3"]);
        assert_eq!((one.pair_count(), one.wants(0, 2)), (6, true));
        let numbered = Job::from_scene("x.glb", scene(&["bolt", "bolt #1", "bolt"]));
        assert_eq!(numbered.names, ["bolt #2", "bolt #1", "bolt #3"]);
    }

    #[test]
    fn of_two_files_only_pairs_across_are_wanted_and_the_second_moves() {
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
        assert!(!job.wants(0, 1) && job.wants(1, 2));
        assert!(job.scene.ignored().eq([(0, 1)]));
        let at: Vec<f64> = job.scene.parts().iter().map(|p| p.pose.translation().z).collect();
        assert_eq!(at, [0.0, 0.0, 2.0]);
        assert_eq!(job.title(), "x.glb against y.stl");
    }
}
