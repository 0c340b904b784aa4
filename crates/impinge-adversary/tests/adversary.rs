//! Runs every public query on all families and checks the answers in integers.

use impinge_adversary::run::{Findings, run};
use impinge_adversary::{digests, report};

/// The events that must occur at least once, by row. A test that never reaches the exact path
/// proves nothing about it.
const REQUIRED_EVENTS: &[(&str, &[&str])] = &[
    ("two triangles", &["decided by the filter", "by expansions", "by integers"]),
    ("orientation", &["decided by the filter", "by expansions", "by integers"]),
    ("all pairs", &["by trees"]),
    ("trees from files", &["by trees", "refused"]),
    ("verdict with evidence", &["slabs", "distances"]),
    ("within a budget", &["undecided"]),
    ("first hit in parts", &["undecided"]),
    ("all pairs in parts", &["undecided"]),
    ("shapes in parts", &["undecided"]),
    ("distance in parts", &["undecided"]),
    ("trees of bounding volumes", &["undecided"]),
    ("hulls: verdict", &["meeting", "apart"]),
    ("hulls: separating vectors", &["left to the exact decision"]),
    ("hulls: clipping, perceptron, races", &["clipping in doubt", "clipping certain"]),
    ("shapes: balls and capsules", &["balls that meet"]),
    ("bounds of motions", &["bounds that meet", "bounds that stay apart"]),
    (
        "worlds at known times",
        &["idle frames", "bodies outside their limits", "limits set", "limits refused"],
    ),
    ("relations of solids", &["clear", "touching", "crossing", "contained", "duplicate"]),
];

fn event_count(findings: &Findings, row: &str, event: &str) -> u64 {
    let counts =
        findings.results.iter().filter(|(name, _)| *name == row).flat_map(|(_, t)| &t.counts);
    counts.filter(|(name, _)| *name == event).map(|(_, n)| *n).sum()
}

#[test]
fn answers_are_correct_and_match_the_stored_digests() {
    let findings = run(digests::SEED, 0..digests::SAMPLES, "");
    assert_eq!(findings.failed(), 0, "\n{}", report::failures(&findings));
    for (row, events) in REQUIRED_EVENTS {
        for event in *events {
            let count = event_count(&findings, row, event);
            assert!(count > 0, "the row {row:?} never counted the event {event:?}");
        }
    }
    for (name, results) in &findings.results {
        assert!(results.cases > 0, "the row {name:?} checked no answer");
    }
    let (new, stored) = (digests::lines(&findings), digests::stored().unwrap());
    let changed: Vec<(&str, &str)> =
        new.lines().zip(stored.lines()).filter(|(n, s)| n != s).collect();
    assert!(
        changed.is_empty() && new.lines().count() == stored.lines().count(),
        "the answers are correct, but differ from the stored digests. If the change is intended, run: cargo run \
         --release -p impinge-adversary -- --write-digests\n(new, stored): {changed:#?}"
    );
}

/// The answers do not depend on the number of threads.
#[test]
fn answers_are_equal_on_one_and_three_threads() {
    let digests_on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        digests::lines(&pool.install(|| run(7, 0..150, "")))
    };
    assert_eq!(digests_on(1), digests_on(3));
}
