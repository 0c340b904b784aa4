//! Queries with a budget: all bounds hold, for any budget.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use impinge::pair::{
    self, AllSearch, Budget, BudgetVerdict, DistanceSearch, FirstSearch, PairsWithin,
};
use impinge::shape::{self, Shape, ShapeSearch};
use impinge::{Bounds, Pose, Verdict};

use super::{Case, Row};
use crate::checker::Checker;
use crate::truth::Truth;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "within a budget",
        covers: &["pair::first_pair_within", "mesh::Mesh::prepare_with"],
        interval: 1,
        run: meshes,
    },
    Row {
        name: "first hit in parts",
        covers: &["pair::first_hit_within", "pair::FirstSearch::run", "math::Aabb::motion_bound"],
        interval: 2,
        run: first_hits,
    },
    Row {
        name: "all pairs in parts",
        covers: &["pair::all_pairs_within", "pair::AllSearch::run"],
        interval: 2,
        run: all_pairs,
    },
    Row {
        name: "shapes in parts",
        covers: &["shape::intersects_within", "shape::ShapeSearch::run"],
        interval: 6,
        run: shapes,
    },
    Row {
        name: "distance in parts",
        covers: &["pair::distance_within", "pair::DistanceSearch::run"],
        interval: 2,
        run: distances,
    },
];

/// Shapes within a budget decide as without one, however they are interrupted.
fn shapes(case: &Case<'_>, checker: &mut Checker<'_>) {
    let [a, b] = [&case.a, &case.b].map(|mesh| Arc::new(mesh.clone()));
    let mut shapes: Vec<[Shape; 2]> = vec![[Shape::from(a.clone()), Shape::from(b.clone())]];
    if let (Ok(one), Ok(other)) = (Shape::solid(a.clone()), Shape::solid(b.clone())) {
        shapes.push([one.clone(), shapes[0][1].clone()]);
        shapes.push([one, other]);
    }
    if let Some(hulls) = case.hulls() {
        let [one, other] = [&hulls.a, &hulls.b].map(|hull| Shape::from(hull.clone()));
        shapes.push([Shape::from(a), other.clone()]);
        shapes.push([one.clone(), Shape::from(b.clone())]);
        if let Ok(solid) = Shape::solid(b) {
            shapes.push([one.clone(), solid]);
        }
        shapes.push([one, other]);
    }
    let mut search = ShapeSearch::new();
    for (step, pose, truth) in case.steps() {
        for (k, [a, b]) in shapes.iter().enumerate() {
            if step > 0 || case.sample.index % 4 != 0 {
                a.prepare();
                b.prepare();
            }
            let expected = shape::intersects(a, b, pose);
            if k == 0 {
                let right = expected.is_intersecting() == truth.meet();
                checker.check(right, || format!("step {step}: {expected:?}"));
            }
            for steps in PARTS {
                let mut budget = Budget::steps(*steps);
                let found = shape::intersects_within(a, b, pose, &mut budget, &mut search);
                checker.case(&found);
                let again = search.run(a, b, pose, &mut Budget::steps(0));
                checker.check(again == found, || format!("step {step}: {found:?}, {again:?}"));
                match found {
                    Verdict::Undecided(known) => {
                        checker.count("undecided");
                        let holds = known.lower <= 0.0
                            && known.upper >= 0.0
                            && (k > 0 || truth.is_between(0.0, known.upper));
                        checker.check(holds, || format!("step {step}, {k}: {known:?}"));
                    }
                    decided => {
                        let same = decided.is_intersecting() == expected.is_intersecting()
                            && decided.is_separated() == expected.is_separated();
                        checker.check(same, || {
                            format!("step {step}, shapes {k}: {decided:?}, expected {expected:?}")
                        });
                    }
                }
            }
            let found = search.run(a, b, pose, &mut Budget::unlimited());
            checker.check(found.is_intersecting() == expected.is_intersecting(), || {
                format!("step {step}, shapes {k}: {found:?}, expected {expected:?}")
            });
        }
    }
}

/// Steps of the parts of a search.
const PARTS: &[u64] = &[0, 1, 3, 20, 17, 90, 1 << 40];

/// Builds the trees, except for some samples: these are answered triangle by triangle, or by their
/// boxes.
fn prepare(case: &Case<'_>, step: usize) -> bool {
    let prepared = step > 0 || case.sample.index % 4 != 0;
    if prepared {
        let report = |_| ControlFlow::Continue(());
        assert!(case.a.prepare_with(&report) && case.b.prepare_with(&report));
    }
    case.a.is_prepared() && case.b.is_prepared()
}

fn first_hits(case: &Case<'_>, checker: &mut Checker<'_>) {
    let mut search = FirstSearch::new();
    let mut before: Option<(Pose, Bounds)> = None;
    for (step, pose, truth) in case.steps() {
        prepare(case, step);
        // The bounds of the last pose, widened by the motion.
        if let Some((from, known)) = before.take() {
            let later = known.widened(case.b.bounds().motion_bound(&from, pose));
            let found = Verdict::Undecided(later);
            check_outcome(case, checker, truth, (step, Some(0)), &found);
        }
        let mut last = (f64::INFINITY, f64::INFINITY);
        for steps in PARTS {
            let mut budget = Budget::steps(*steps);
            let found = pair::first_hit_within(&case.a, &case.b, pose, &mut budget, &mut search);
            checker.case(&found);
            let again = search.run(&case.a, &case.b, pose, &mut Budget::steps(0));
            checker.check(again == found, || format!("step {step}: {found:?}, then {again:?}"));
            let outcome = match found {
                Verdict::Separated(proof) => Verdict::Separated(proof),
                Verdict::Undecided(known) => {
                    let is_tighter = known.open_depth <= last.0 && known.upper <= last.1;
                    checker.check(is_tighter, || format!("step {step}: {last:?}, then {known:?}"));
                    last = (known.open_depth, known.upper);
                    before = Some((*pose, known));
                    Verdict::Undecided(known)
                }
                Verdict::Intersecting(hit) => {
                    let kind = truth.contact(case.sample, hit.triangle_a, hit.triangle_b);
                    checker.check(kind == Some(hit.kind), || {
                        format!("step {step}: {hit:?} is {kind:?}")
                    });
                    Verdict::Intersecting((hit.triangle_a, hit.triangle_b))
                }
            };
            check_outcome(case, checker, truth, (step, Some(*steps)), &outcome);
        }
        let found = search.run(&case.a, &case.b, pose, &mut Budget::unlimited());
        checker.check(!found.is_undecided(), || format!("step {step}: {found:?} without a limit"));
    }
}

fn all_pairs(case: &Case<'_>, checker: &mut Checker<'_>) {
    let mut search = AllSearch::new();
    for (step, pose, truth) in case.steps() {
        prepare(case, step);
        let mut last = f64::INFINITY;
        for steps in PARTS {
            let mut budget = Budget::steps(*steps);
            let known = pair::all_pairs_within(&case.a, &case.b, pose, &mut budget, &mut search);
            checker.case(&known);
            let mut found = search.pairs().to_vec();
            found.sort_unstable();
            let meet = found.iter().all(|pair| truth.pairs.binary_search(pair).is_ok());
            checker.check(meet, || format!("step {step}: {found:?}, expected {:?}", truth.pairs));
            match known {
                PairsWithin::Complete => checker.check(found == truth.pairs, || {
                    format!("step {step}: {found:?}, expected {:?}", truth.pairs)
                }),
                PairsWithin::Incomplete(known) => {
                    checker.count("undecided");
                    checker.check(known.open_depth <= last, || {
                        format!("step {step}: {last:e}, then {known:?}")
                    });
                    last = known.open_depth;
                    checker.check(truth.is_between(0.0, known.upper), || {
                        format!("step {step}: {known:?} excludes {:e}", truth.approximate())
                    });
                    let missing = truth.first_pairs(case.sample).iter().zip(&truth.pairs);
                    for (pair, _) in missing.filter(|(_, at)| found.binary_search(at).is_err()) {
                        checker.check(pair.depth_is_between(0.0, known.open_depth), || {
                            format!("step {step}: {known:?} for a pair {}", pair.approximate())
                        });
                    }
                }
            }
        }
        let known = search.run(&case.a, &case.b, pose, &mut Budget::unlimited());
        checker.check(known.is_complete(), || format!("step {step}: {known:?} without a limit"));
    }
}

fn distances(case: &Case<'_>, checker: &mut Checker<'_>) {
    let mut search = DistanceSearch::new();
    for (step, pose, truth) in case.steps() {
        prepare(case, step);
        let mut last = (0.0, f64::INFINITY);
        for steps in PARTS {
            let mut budget = Budget::steps(*steps);
            let known = pair::distance_within(&case.a, &case.b, pose, &mut budget, &mut search);
            checker.case(&known);
            let found = known.distance();
            checker.check(found.is_some() == truth.distance.is_some(), || {
                format!("step {step}: {known:?}")
            });
            let Some(found) = found else { continue };
            checker.check(truth.is_between(found.lower, found.upper), || {
                format!("step {step}: {known:?} excludes {:e}", truth.approximate())
            });
            checker.check(last.0 <= found.lower && found.upper <= last.1, || {
                format!("step {step}: {last:?}, then {known:?}")
            });
            last = (found.lower, found.upper);
            if known.is_final() {
                checker.check((found.upper == 0.0) == truth.meet(), || {
                    format!("step {step}: {known:?}, pairs that meet: {:?}", truth.pairs)
                });
            } else {
                checker.count("undecided");
            }
        }
        let known = search.run(&case.a, &case.b, pose, &mut Budget::unlimited());
        checker.check(known.is_final(), || format!("step {step}: {known:?} without a limit"));
    }
}

/// Limits of the number of steps; `None` is unlimited.
pub(super) const STEP_LIMITS: &[Option<u64>] =
    &[Some(0), Some(1), Some(2), Some(5), Some(20), None];

fn meshes(case: &Case<'_>, checker: &mut Checker<'_>) {
    for (step, pose, truth) in case.steps() {
        prepare(case, step);
        for steps in STEP_LIMITS {
            let mut budget = steps.map_or_else(Budget::unlimited, Budget::steps);
            let found = pair::first_pair_within(&case.a, &case.b, pose, &mut budget);
            checker.case(&found);
            check_outcome(case, checker, truth, (step, *steps), &found);
        }
        // Other limits: depth, deadline, and a stop callback.
        let mut calls_left = 3;
        let mut may_continue = || {
            calls_left -= 1;
            calls_left > 0
        };
        let budgets = [
            Budget::depth(0),
            Budget::depth(1),
            Budget::deadline(Instant::now()),
            Budget::until(&mut may_continue),
        ];
        for mut budget in budgets {
            let found = pair::first_pair_within(&case.a, &case.b, pose, &mut budget);
            checker.case(&found);
            check_outcome(case, checker, truth, (step, Some(0)), &found);
        }
    }
}

/// Checks an outcome.
pub(super) fn check_outcome(
    case: &Case<'_>,
    checker: &mut Checker<'_>,
    truth: &Truth,
    (step, steps): (usize, Option<u64>),
    found: &BudgetVerdict,
) {
    let message = |what: &str| {
        format!(
            "step {step}, {steps:?} steps: {found:?}: {what}; the distance is {:e}",
            truth.approximate()
        )
    };
    match found {
        Verdict::Intersecting((a, b)) => {
            let is_one = truth.pairs.binary_search(&(*a, *b)).is_ok();
            checker.check(is_one, || message("the triangles do not meet"));
        }
        Verdict::Separated(proof) => {
            checker.check(!truth.meet(), || message("the meshes meet"));
            checker.check(truth.is_at_least(proof.lower()), || message("the gap is too large"));
        }
        Verdict::Undecided(known) => {
            checker.count("undecided");
            checker.check(steps.is_some(), || message("undecided without a limit"));
            checker.check(truth.is_between(0.0, known.upper), || {
                message("the upper bound is too small")
            });
            // A translation by `open_depth` separates any two triangles that meet.
            for pair in truth.first_pairs(case.sample) {
                checker.check(pair.depth_is_between(0.0, known.open_depth), || {
                    message(&format!("{:?} {:?}: {}", pair.a, pair.b, pair.approximate()))
                });
            }
            if let Some(hulls) = case.hulls() {
                let (_, _, whole) =
                    case.hull_steps(hulls).nth(step).expect("as many steps as poses");
                if whole.meet {
                    checker.check(whole.depth_is_between(0.0, -known.lower), || {
                        message(&format!("hulls: {}", whole.approximate()))
                    });
                }
            }
        }
    }
}
