//! Hulls and shapes within a budget: all bounds hold and become tighter, however a query is
//! interrupted, and it ends with the answer of the query without a budget.

use std::sync::Arc;

use impinge::convex::{
    self, Cylinder, HalfSpace, HullCache, HullContactSearch, HullDistanceSearch, HullSearch,
    ProofSearch,
};
use impinge::pair::Budget;
use impinge::shape::{self, Shape, ShapeCache, ShapeContactSearch, ShapeDistanceSearch};
use impinge::{Pose, Verdict};

use super::convex::check_decision;
use super::{Case, Row};
use crate::checker::Checker;
use crate::truth::HullTruth;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "hulls in parts",
        covers: &[
            "convex::intersects_within",
            "convex::HullSearch::run",
            "convex::HullSearch::run_cached",
        ],
        interval: 2,
        run: verdicts,
    },
    Row {
        name: "hulls: measures in parts",
        covers: &[
            "convex::distance_within",
            "convex::HullDistanceSearch::run",
            "convex::HullDistanceSearch::run_cached",
            "convex::contact_within",
            "convex::HullContactSearch::run",
            "convex::HullContactSearch::run_cached",
        ],
        interval: 3,
        run: measures,
    },
    Row {
        name: "proofs in parts",
        covers: &["convex::ProofSearch::run"],
        interval: 3,
        run: proofs,
    },
    Row {
        name: "shapes: measures in parts",
        covers: &[
            "shape::distance_within",
            "shape::ShapeDistanceSearch::run",
            "shape::ShapeDistanceSearch::run_cached",
            "shape::contact_within",
            "shape::ShapeContactSearch::run",
            "shape::ShapeContactSearch::run_cached",
            "shape::ShapeSearch::run_cached",
        ],
        interval: 6,
        run: shapes,
    },
];

/// Steps of the parts of a search.
const PARTS: &[u64] = &[0, 1, 3, 20, 17, 90, 1 << 40];

/// Bounds of the signed distance that must not become looser.
struct Bounds([f64; 2]);

impl Bounds {
    fn new() -> Self {
        Self([f64::NEG_INFINITY, f64::INFINITY])
    }

    fn tighten(&mut self, checker: &mut Checker<'_>, step: usize, next: [f64; 2]) {
        let before = self.0;
        checker.check(before[0] <= next[0] && next[1] <= before[1], || {
            format!("step {step}: {before:?}, then {next:?}")
        });
        self.0 = next;
    }
}

/// Bounds of a signed distance must hold.
fn check_signed(checker: &mut Checker<'_>, truth: &HullTruth, step: usize, bounds: [f64; 2]) {
    let [lower, upper] = bounds;
    let holds = if truth.meet {
        lower <= 0.0 && truth.depth_is_between(-upper, -lower)
    } else {
        upper > 0.0 && truth.distance_is_between(lower.max(0.0), upper)
    };
    checker.check(holds, || {
        format!(
            "step {step}: {bounds:?} exclude {}; {:?} {:?}",
            truth.approximate(),
            truth.a,
            truth.b
        )
    });
}

fn verdicts(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let (a, b) = (&hulls.a, &hulls.b);
    let (mut cold, mut warm) = (HullSearch::new(), HullSearch::new());
    let mut cache = HullCache::default();
    for (step, pose, truth) in case.hull_steps(hulls) {
        let mut bounds = Bounds::new();
        for steps in PARTS {
            let found =
                convex::intersects_within(a, b, pose, &mut Budget::steps(*steps), &mut cold);
            checker.case(&found);
            let again = cold.run(a, b, pose, &mut Budget::steps(0));
            checker.check(again == found, || format!("step {step}: {found:?}, then {again:?}"));
            let mut budget = Budget::steps(*steps);
            let started = warm.run_cached(a, b, pose, &mut cache, &mut budget);
            for found in [found, started] {
                match found.undecided() {
                    Some(known) => {
                        checker.count("undecided");
                        checker.check(*steps < 1 << 40, || format!("step {step}: {known:?}"));
                        check_signed(checker, truth, step, [known.lower, known.upper]);
                    }
                    None => {
                        let decided = found.decided().expect("checked above");
                        check_decision(checker, truth, step, &decided);
                    }
                }
            }
            if let Some(known) = found.undecided() {
                bounds.tighten(checker, step, [known.lower, known.upper]);
            }
        }
        let expected = convex::intersects(a, b, pose);
        let found = cold.run(a, b, pose, &mut Budget::unlimited()).decided();
        // The proofs may differ: a search with a limit of steps uses other kernels.
        let same = found.is_some_and(|found| found.is_intersecting() == truth.meet);
        checker.check(same, || format!("{found:?}, expected {expected:?}"));
    }
}

fn measures(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let (a, b) = (&hulls.a, &hulls.b);
    let (mut distances, mut contacts) = (HullDistanceSearch::new(), HullContactSearch::new());
    let (mut warm_distances, mut warm_contacts) = Default::default();
    let mut caches = [HullCache::default(), HullCache::default()];
    for (step, pose, truth) in case.hull_steps(hulls) {
        let (mut distance, mut signed) = (Bounds::new(), Bounds::new());
        for steps in PARTS {
            let budget = || Budget::steps(*steps);
            let found = convex::distance_within(a, b, pose, &mut budget(), &mut distances);
            checker.case(&found);
            let d = found.get();
            distance.tighten(checker, step, [d.lower, d.upper]);
            let search: &mut HullDistanceSearch = &mut warm_distances;
            let warm = search.run_cached(a, b, pose, &mut caches[0], &mut budget());
            for found in [found, warm] {
                let d = found.get();
                checker.check(truth.distance_is_between(d.lower, d.upper), || {
                    format!("step {step}: {found:?} excludes {}", truth.approximate())
                });
                checker.check(!found.is_final() || (d.upper == 0.0) == truth.meet, || {
                    format!("step {step}: {found:?}")
                });
            }
            let found = convex::contact_within(a, b, pose, &mut budget(), &mut contacts);
            checker.case(&found);
            let contact = found.get().0;
            signed.tighten(checker, step, [contact.lower, contact.upper]);
            let search: &mut HullContactSearch = &mut warm_contacts;
            let warm = search.run_cached(a, b, pose, &mut caches[1], &mut budget());
            for found in [found, warm] {
                let (contact, verdict) = found.get();
                check_signed(checker, truth, step, [contact.lower, contact.upper]);
                if let Some(decided) = verdict.decided() {
                    check_decision(checker, truth, step, &decided);
                } else {
                    checker.check(!found.is_final(), || format!("step {step}: {found:?}"));
                }
            }
        }
        let expected = convex::distance(a, b, pose);
        let found = distances.run(a, b, pose, &mut Budget::unlimited()).get();
        let overlap = found.lower <= expected.upper && expected.lower <= found.upper;
        checker.check(overlap, || format!("{found:?}, expected {expected:?}"));
        let (expected, _) = convex::contact(a, b, pose);
        let (found, _) = contacts.run(a, b, pose, &mut Budget::unlimited()).get();
        let overlap = found.lower <= expected.upper && expected.lower <= found.upper;
        checker.check(overlap, || format!("{found:?}, expected {expected:?}"));
    }
}

fn proofs(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let (a, b) = (&hulls.a, &hulls.b);
    let mut search = ProofSearch::new();
    for (step, pose, truth) in case.hull_steps(hulls) {
        let right = convex::intersects(a, b, pose);
        for verdict in [right, right.swapped()] {
            let expected = verdict.verify(&truth.a, &truth.b);
            for steps in PARTS {
                let found = search.run(&verdict, a, b, pose, &mut Budget::steps(*steps));
                checker.case(&found);
                checker.check(found.is_none_or(|valid| valid == expected), || {
                    format!("step {step}: {verdict:?}: {found:?}, expected {expected}")
                });
            }
            let found = search.run(&verdict, a, b, pose, &mut Budget::unlimited());
            checker.check(found == Some(expected), || format!("step {step}: {verdict:?}"));
        }
    }
}

/// Meshes, hulls, a half-space and a curved body against each other.
fn shapes(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let mesh = Shape::from(Arc::new(case.a.clone()));
    let hull = Shape::from(hulls.b.clone());
    let mut shapes = vec![
        [mesh.clone(), hull.clone()],
        [hull.clone(), mesh.clone()],
        [Shape::from(hulls.a.clone()), hull.clone()],
    ];
    if let Ok(solid) = Shape::solid(case.a.clone()) {
        shapes.push([hull.clone(), solid]);
    }
    let size = case.a.bounds().extent().max_element();
    if let Ok(plane) = HalfSpace::new([1.0, 2.0, -3.0], size * 0.25) {
        let plane = Shape::from(plane);
        shapes.push([plane.clone(), hull.clone()]);
        shapes.push([mesh.clone(), plane]);
    }
    if let Ok(can) = Cylinder::new(size, size * 0.25) {
        let can = Shape::from(can);
        shapes.push([can.clone(), hull.clone()]);
        if case.a.triangles().len() <= 12 {
            shapes.push([mesh, can]);
        }
    }
    if let Ok(rounded) = hull.clone().rounded(size * 0.125) {
        shapes.push([Shape::from(hulls.a.clone()), rounded]);
    }
    for (step, pose, _) in case.steps() {
        for [a, b] in &shapes {
            if step > 0 || case.sample.index % 4 != 0 {
                a.prepare();
                b.prepare();
            }
            check_shapes(checker, step, (a, b), pose);
        }
    }
}

fn check_shapes(checker: &mut Checker<'_>, step: usize, (a, b): (&Shape, &Shape), pose: &Pose) {
    let (mut distances, mut contacts) = (ShapeDistanceSearch::new(), ShapeContactSearch::new());
    let expected = shape::distance(a, b, pose);
    let expected_contact = shape::contact(a, b, pose);
    let (mut distance, mut signed) = (Bounds::new(), Bounds::new());
    for steps in PARTS {
        let budget = || Budget::steps(*steps);
        let found = shape::distance_within(a, b, pose, &mut budget(), &mut distances);
        checker.case(&found);
        checker.check(found.distance().is_some() == expected.is_some(), || {
            format!("step {step}: {found:?}, expected {expected:?}")
        });
        if let (Some(d), Some(exact)) = (found.distance(), expected) {
            distance.tighten(checker, step, [d.lower, d.upper]);
            checker.check(d.lower <= exact.upper && exact.lower <= d.upper, || {
                format!("step {step}: {found:?}, expected {expected:?}")
            });
            checker.check(!found.is_final() || (d.upper == 0.0) == (exact.upper == 0.0), || {
                format!("step {step}: {found:?}, expected {expected:?}")
            });
        }
        let found = shape::contact_within(a, b, pose, &mut budget(), &mut contacts);
        checker.case(&found);
        checker.check(found.is_some() == expected_contact.is_some(), || {
            format!("step {step}: {found:?}, expected {expected_contact:?}")
        });
        if let (Some(found), Some(exact)) = (found, expected_contact) {
            let contact = found.get();
            signed.tighten(checker, step, [contact.lower, contact.upper]);
            checker.check(contact.lower <= exact.upper && exact.lower <= contact.upper, || {
                format!("step {step}: {found:?}, expected {expected_contact:?}")
            });
        }
    }
    let found = contacts.run(a, b, pose, &mut Budget::unlimited());
    checker.check(found.is_none_or(|found| found.is_final()), || format!("{found:?}"));
    // Warm, the decision is the same.
    let mut cache = ShapeCache::default();
    let exact = shape::intersects(a, b, pose);
    for _ in 0..2 {
        let mut search = shape::ShapeSearch::new();
        let found = search.run_cached(a, b, pose, &mut cache, &mut Budget::unlimited());
        let same = match (&found, &exact) {
            // Bounds of curved shapes that touch depend on the start.
            (Verdict::Undecided(_), _) | (_, Verdict::Undecided(_)) => true,
            _ => found.is_separated() == exact.is_separated(),
        };
        checker.check(same, || format!("step {step}: {found:?}, expected {exact:?}"));
        let mut search = ShapeDistanceSearch::new();
        let found = search.run_cached(a, b, pose, &mut cache, &mut Budget::unlimited());
        checker.check(found.distance().is_some() == expected.is_some(), || format!("{found:?}"));
        let mut search = ShapeContactSearch::new();
        let found = search.run_cached(a, b, pose, &mut cache, &mut Budget::unlimited());
        checker.check(found.is_some() == expected_contact.is_some(), || format!("{found:?}"));
    }
}
