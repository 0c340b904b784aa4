//! All pairs of a job, checked in parallel and reported in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use anyhow::{Context, Result};
use impinge::Pose;
use impinge::check::{
    CheckOptions, PairReport, Relation, candidate_pairs, check_pair, first_equal_pairs,
};

use crate::args::QueryArgs;
use crate::ignore::IgnoredPairs;
use crate::job::Job;
use crate::pair_result::{Kind, PairResult, distance_in_scene};
use crate::progress::Progress;

/// The pairs of a job; each is checked, ignored or pruned.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Pairs to check, sorted.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// Number of pairs of the job.
    pub(crate) total: usize,
    /// Number of pairs ignored by the scene or by `--ignore`.
    pub(crate) ignored: usize,
    /// Number of pairs that are clear because their bounding boxes are disjoint.
    pub(crate) pruned: usize,
    ignored_pairs: IgnoredPairs,
}

impl Plan {
    /// The plan for `job`.
    pub(crate) fn new(job: &Job, query: &QueryArgs) -> Self {
        let parts = job.scene.parts();
        let names: Vec<[&str; 2]> =
            job.names.iter().zip(parts).map(|(n, p)| [n.as_str(), p.name.as_str()]).collect();
        let ignored_pairs = IgnoredPairs::new(&query.ignore, &names);
        // `--distance` needs every pair, so none is pruned then.
        let mut pairs = if query.distance {
            every_pair(job.names.len()).filter(|(a, b)| !job.scene.is_ignored(*a, *b)).collect()
        } else {
            candidate_pairs(&job.scene, query.clearance.unwrap_or(0.0))
        };
        pairs.retain(|(a, b)| job.includes_pair(*a, *b) && !ignored_pairs.contains(*a, *b));
        let by_scene = job
            .scene
            .ignored()
            .filter(|(a, b)| job.includes_pair(*a, *b) && !ignored_pairs.contains(*a, *b));
        let ignored =
            by_scene.count() + ignored_pairs.count(&job.file_of, |a, b| job.includes_pair(a, b));
        let total = job.pair_count();
        let pruned = total - ignored - pairs.len();
        Self { pairs, total, ignored, pruned, ignored_pairs }
    }

    /// The results of the pairs that were pruned.
    pub(crate) fn pruned_results(&self, job: &Job) -> Vec<PairResult> {
        every_pair(job.names.len())
            .filter(|(a, b)| job.includes_pair(*a, *b) && !job.scene.is_ignored(*a, *b))
            .filter(|(a, b)| {
                !self.ignored_pairs.contains(*a, *b) && self.pairs.binary_search(&(*a, *b)).is_err()
            })
            .map(|(a, b)| PairResult {
                a,
                b,
                relation: Relation::Clear,
                triangle_pairs: Some(0),
                point: None,
                distance: None,
            })
            .collect()
    }

    /// Whether the `--ignore` pattern of that index matches any pair.
    pub(crate) fn pattern_matches_a_pair(&self, pattern: usize) -> bool {
        self.ignored_pairs.matches_a_pair(pattern)
    }
}

fn every_pair(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)))
}

/// A pool with the number of threads of `--threads`.
pub(crate) fn pool(query: &QueryArgs) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(query.threads.map_or(0, std::num::NonZero::get))
        .build()
        .context("cannot start the threads; give a smaller number with --threads")
}

/// Checks the pairs of `plan` and passes each report to `on_report`, in the order of the plan for
/// any number of threads. Pairs of the same meshes at the same relative pose are checked once.
///
/// `on_report` runs on the calling thread while the workers check further pairs. An error from it
/// stops the run.
pub(crate) fn run(
    job: &Job,
    plan: &Plan,
    options: &CheckOptions,
    pool: &rayon::ThreadPool,
    quiet: bool,
    mut on_report: impl FnMut(PairResult, PairReport) -> Result<()>,
) -> Result<()> {
    let first = first_equal_pairs(&job.scene, &plan.pairs);
    let different: Vec<usize> = (0..first.len()).filter(|at| first[*at] == *at).collect();
    // For each pair, the last one with the same report.
    let mut last: Vec<usize> = (0..first.len()).collect();
    for (at, first) in first.iter().enumerate() {
        last[*first] = at;
    }
    let (workers, different) = (pool.current_num_threads().min(different.len()), &different);
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (next, stop) = (&next, &stop);
    let (sender, receiver) = mpsc::channel();
    let mut progress = Progress::new(plan.pairs.len(), "checking pairs", quiet);
    pool.in_place_scope(|scope| {
        for _ in 0..workers {
            let sender = sender.clone();
            // Workers take pairs in order, so few finished reports wait behind a slow pair.
            scope.spawn(move |_| {
                while !stop.load(Ordering::Relaxed) {
                    let Some(&at) = different.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        break;
                    };
                    if sender.send((at, check(job, plan.pairs[at], options))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // Reports are kept up to the last pair that has them.
        let mut finished = BTreeMap::new();
        let mut at = 0;
        for (number, report) in receiver {
            finished.insert(number, report);
            while at < first.len() && finished.contains_key(&first[at]) {
                let report = if last[first[at]] == at {
                    finished.remove(&first[at])
                } else {
                    finished.get(&first[at]).cloned()
                };
                let report = report.expect("the report is there");
                let result = result_of(job, plan.pairs[at], options, &report);
                progress.step();
                at += 1;
                if let Err(error) = on_report(result, report) {
                    stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
        Ok(())
    })
}

/// Checks one pair. Points of the report are in the first part's frame.
fn check(job: &Job, (a, b): (usize, usize), options: &CheckOptions) -> PairReport {
    let (first, second) = (&job.scene.parts()[a], &job.scene.parts()[b]);
    let pose = Pose::relative(&first.pose, &second.pose);
    check_pair(&first.mesh, &second.mesh, &pose, options)
}

/// The result of a pair from its report. Points of the result are in the scene's frame.
fn result_of(
    job: &Job,
    (a, b): (usize, usize),
    options: &CheckOptions,
    report: &PairReport,
) -> PairResult {
    let first = &job.scene.parts()[a];
    PairResult {
        a,
        b,
        relation: report.relation,
        triangle_pairs: (!options.relation_only || report.hit_count == 0)
            .then_some(report.hit_count),
        point: report.point.map(|p| first.pose.transform_point(p)),
        distance: report.distance.map(|d| distance_in_scene(&d, &first.pose)),
    }
}

/// The number of pairs with each relation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// Number of parts of the job.
    pub(crate) parts: usize,
    /// Number of pairs of the job.
    pub(crate) pairs: usize,
    /// Number of pairs checked by hulls and triangles.
    pub(crate) checked: usize,
    /// Number of pairs with disjoint bounding boxes; they count as clear.
    pub(crate) pruned: usize,
    /// Number of ignored pairs; they have no relation.
    pub(crate) ignored: usize,
    counts: [usize; 6],
}

impl Summary {
    /// The counts for `results` of a job planned as `plan`.
    pub(crate) fn new(job: &Job, plan: &Plan, results: &[PairResult]) -> Self {
        let mut counts = [0; 6];
        for result in results {
            counts[result.kind() as usize] += 1;
        }
        counts[Kind::Clear as usize] += plan.pruned;
        Self {
            parts: job.names.len(),
            pairs: plan.total,
            checked: plan.pairs.len(),
            pruned: plan.pruned,
            ignored: plan.ignored,
            counts,
        }
    }

    /// The counts for `results` alone, on some pairs of `parts` parts.
    pub(crate) fn of_results(parts: usize, results: &[PairResult]) -> Self {
        let mut counts = [0; 6];
        for result in results {
            counts[result.kind() as usize] += 1;
        }
        let (pairs, checked) = (results.len(), results.len());
        Self { parts, pairs, checked, pruned: 0, ignored: 0, counts }
    }

    /// The number of pairs of one kind.
    pub(crate) fn of(&self, kind: Kind) -> usize {
        self.counts[kind as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::scene::Scene;
    use impinge::{Mesh, Vec3};

    fn row(n: u32) -> Job {
        let mut scene = Scene::new();
        for i in 0..n {
            let mesh =
                Mesh::from_triangles(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
            scene.add(
                format!("p{i}"),
                mesh,
                Pose::from_translation([f64::from(i) * 0.9, 0.0, 0.0]).unwrap(),
            );
        }
        scene.ignore(0, 1);
        Job::from_scene("row", scene)
    }

    #[test]
    fn every_pair_is_checked_pruned_or_ignored() {
        let job = row(30);
        let mut query = QueryArgs::default();
        for (clearance, distance) in [(None, false), (Some(1.0), false), (None, true)] {
            query.clearance = clearance;
            query.distance = distance;
            let plan = Plan::new(&job, &query);
            assert_eq!(plan.pairs.len() + plan.pruned + plan.ignored, 30 * 29 / 2);
            assert_eq!(plan.ignored, 1);
            assert_eq!(plan.pruned == 0, distance);
        }
        query.distance = false;
        query.ignore.push(crate::ignore::IgnorePattern::parse("p2*:*").unwrap());
        let plan = Plan::new(&job, &query);
        // p2 and p20 to p29 with any part: 11 of 30 parts; and the pair that the scene ignores.
        assert_eq!(plan.ignored, 30 * 29 / 2 - 19 * 18 / 2 + 1);
        assert_eq!(plan.pruned_results(&job).len(), plan.pruned);
    }

    #[test]
    fn reports_are_in_order_for_any_thread_count() {
        let job = row(60);
        for threads in [1, 2, 7] {
            let query = QueryArgs {
                threads: std::num::NonZero::new(threads),
                distance: true,
                ..QueryArgs::default()
            };
            let plan = Plan::new(&job, &query);
            let mut seen = Vec::new();
            run(&job, &plan, &CheckOptions::default(), &pool(&query).unwrap(), true, |v, _| {
                seen.push((v.a, v.b));
                Ok(())
            })
            .unwrap();
            assert_eq!(seen, plan.pairs);
        }
    }

    #[test]
    fn an_error_stops_the_run() {
        let job = row(40);
        let query = QueryArgs { distance: true, ..QueryArgs::default() };
        let plan = Plan::new(&job, &query);
        let mut reports = 0;
        let result =
            run(&job, &plan, &CheckOptions::default(), &pool(&query).unwrap(), true, |_, _| {
                reports += 1;
                anyhow::ensure!(reports < 5, "full");
                Ok(())
            });
        assert!(result.is_err() && reports == 5);
    }
}
