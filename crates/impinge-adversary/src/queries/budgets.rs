//! Queries with a budget: all bounds hold, for any budget.

use std::time::Instant;

use impinge::Verdict;
use impinge::pair::{self, Budget, BudgetVerdict};

use super::{Case, Row};
use crate::checker::Checker;
use crate::truth::Truth;

pub(super) const ROWS: &[Row] = &[Row {
    name: "within a budget",
    covers: &["pair::first_pair_within"],
    interval: 1,
    run: meshes,
}];

/// Limits of the number of steps; `None` is unlimited.
pub(super) const STEP_LIMITS: &[Option<u64>] =
    &[Some(0), Some(1), Some(2), Some(5), Some(20), None];

fn meshes(case: &Case<'_>, checker: &mut Checker<'_>) {
    for (step, pose, truth) in case.steps() {
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
