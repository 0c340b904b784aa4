//! The trees that a check needs, built or read in parallel before the first pair is checked.
//!
//! Only parts of pairs that are checked by triangles need a tree. Parts that share a mesh share its
//! tree.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use impinge::Mesh;
use impinge::pair::uses_trees;

use crate::cache::{Cache, Source};
use crate::job::Job;
use crate::pairs::Plan;

/// How the trees of a check were obtained.
#[derive(Clone, Debug, Default)]
pub(crate) struct CacheReport {
    /// The cache folder as given by the user.
    pub(crate) folder: String,
    /// Number of trees read from the cache.
    pub(crate) reused: usize,
    /// Number of trees built and stored.
    pub(crate) stored: usize,
    /// Number of trees built and not stored: they are small, or storing them failed.
    pub(crate) built: usize,
    /// Problems with files of the cache, sorted.
    pub(crate) problems: Vec<String>,
}

/// The meshes of a plan that need a tree, each listed once, in the order of the parts.
fn meshes<'a>(job: &'a Job, plan: &Plan) -> Vec<&'a Mesh> {
    let parts = job.scene.parts();
    let mut needed = BTreeSet::new();
    for (a, b) in &plan.pairs {
        if uses_trees(&parts[*a].mesh, &parts[*b].mesh) {
            needed.extend([*a, *b]);
        }
    }
    let mut seen = BTreeSet::new();
    let mesh = |part: usize| &*parts[part].mesh;
    needed.into_iter().map(mesh).filter(|mesh| seen.insert(std::ptr::from_ref(*mesh))).collect()
}

/// Builds the trees for `plan`, or reads them from the cache. Returns a report if there is a cache.
pub(crate) fn prepare(
    pool: &rayon::ThreadPool,
    job: &Job,
    plan: &Plan,
    cache: Option<&Cache>,
) -> Option<CacheReport> {
    let meshes = meshes(job, plan);
    let counts = [Source::Reused, Source::Stored, Source::Built].map(|s| (s, AtomicUsize::new(0)));
    let problems = Mutex::new(Vec::new());
    pool.scope(|scope| {
        for mesh in &meshes {
            let (counts, problems) = (&counts, &problems);
            scope.spawn(move |_| {
                let (source, problem) = match cache {
                    Some(cache) => cache.ensure_tree(mesh),
                    None => {
                        let _ = mesh.tree();
                        (Source::Built, None)
                    }
                };
                for (kind, count) in counts {
                    if *kind == source {
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                }
                if let (Some(problem), Ok(mut problems)) = (problem, problems.lock()) {
                    problems.push(problem);
                }
            });
        }
    });
    let [reused, stored, built] = counts.map(|(_, count)| count.into_inner());
    let mut problems = problems.into_inner().unwrap_or_default();
    problems.sort();
    let folder = |cache: &Cache| Path::new(cache.folder()).display().to_string();
    cache.map(|cache| CacheReport { folder: folder(cache), reused, stored, built, problems })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::QueryArgs;
    use impinge::{Pose, Scene, shapes};
    use std::sync::Arc;

    #[test]
    fn only_meshes_of_candidate_pairs_get_a_tree_and_each_once() {
        let ball = Arc::new(shapes::icosphere(1.0, 3).unwrap());
        let other = Arc::new(shapes::icosphere(1.0, 4).unwrap());
        let far = Arc::new(shapes::icosphere(1.0, 5).unwrap());
        let triangle = Arc::new(Mesh::from_soup(&[[impinge::Vec3::ONE; 3]]).unwrap());
        let mut scene = Scene::new();
        for (mesh, x) in
            [(&ball, 0.0), (&other, 1.0), (&ball, 1.5), (&far, 50.0), (&triangle, 50.0)]
        {
            scene.add("", Arc::clone(mesh), Pose::from_translation([x, 0.0, 0.0]).unwrap());
        }
        let job = Job::from_scene("balls", scene);
        let plan = Plan::new(&job, &QueryArgs::default());
        let needed = meshes(&job, &plan);
        assert_eq!(needed.len(), 2);
        assert!(std::ptr::eq(needed[0], &*ball) && std::ptr::eq(needed[1], &*other));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert!(prepare(&pool, &job, &plan, None).is_none());
    }
}
