//! Every public query over the table of families, judged in integers.

use impinge_adversary::run::{Findings, run};
use impinge_adversary::{digests, report};

/// What must have happened at least once, by row: a test that never comes to the exact path proves
/// nothing about it.
const MUST_HAPPEN: &[(&str, &[&str])] = &[
    ("two triangles", &["decided by the filter", "by expansions", "by integers"]),
    ("orientation", &["decided by the filter", "by expansions", "by integers"]),
    ("all pairs", &["by trees"]),
    ("trees from files", &["by trees", "refused"]),
    ("verdict with evidence", &["slabs", "distances"]),
    ("within a budget", &["undecided"]),
    ("trees of bounding volumes", &["undecided"]),
    ("hulls: verdict", &["meeting", "apart"]),
    ("hulls: separating vectors", &["left to the exact decision"]),
    ("hulls: clipping, perceptron, races", &["clipping in doubt", "clipping certain"]),
    ("shapes: balls and capsules", &["balls that meet"]),
    ("relations of solids", &["clear", "touching", "crossing", "contained", "duplicate"]),
];

fn happened(findings: &Findings, row: &str, what: &str) -> u64 {
    let counts =
        findings.tallies.iter().filter(|(name, _)| *name == row).flat_map(|(_, t)| &t.counts);
    counts.filter(|(name, _)| *name == what).map(|(_, n)| *n).sum()
}

#[test]
fn every_answer_is_right_and_the_same_as_before() {
    let findings = run(digests::SEED, 0..digests::SAMPLES, "");
    assert_eq!(findings.failed(), 0, "\n{}", report::failures(&findings));
    for (row, things) in MUST_HAPPEN {
        for what in *things {
            assert!(happened(&findings, row, what) > 0, "{row}: it never happened: {what}");
        }
    }
    for (name, tally) in &findings.tallies {
        assert!(tally.cases > 0, "the row {name:?} judged nothing");
    }
    let (now, kept) = (digests::lines(&findings), digests::kept().unwrap());
    let changed: Vec<(&str, &str)> =
        now.lines().zip(kept.lines()).filter(|(n, k)| n != k).collect();
    assert!(
        changed.is_empty() && now.lines().count() == kept.lines().count(),
        "answers are right, but not those of before. If that is what the change is for: cargo run --release \
         -p impinge-adversary -- --write-digests\n(now, before): {changed:#?}"
    );
}

/// The answers do not depend on the number of threads.
#[test]
fn answers_are_the_same_on_one_thread_and_on_three() {
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        digests::lines(&pool.install(|| run(7, 0..150, "")))
    };
    assert_eq!(with(1), with(3));
}
