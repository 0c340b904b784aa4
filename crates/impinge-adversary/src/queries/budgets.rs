//! Early answers: whatever the budget, every number holds.

use std::time::Instant;

use impinge::Verdict;
use impinge::pair::{self, Budget, BudgetVerdict};

use super::{Case, Row};
use crate::judge::Judge;
use crate::truth::Truth;

pub(super) const ROWS: &[Row] =
    &[Row { name: "within a budget", covers: &["pair::first_pair_within"], every: 1, ask: meshes }];

/// Budgets of steps; `None` is no limit.
pub(super) const STEPS: &[Option<u64>] = &[Some(0), Some(1), Some(2), Some(5), Some(20), None];

fn meshes(case: &Case<'_>, judge: &mut Judge<'_>) {
    for (step, pose, truth) in case.steps() {
        for steps in STEPS {
            let mut budget = steps.map_or_else(Budget::unlimited, Budget::steps);
            let found = pair::first_pair_within(&case.a, &case.b, pose, &mut budget);
            judge.case(&found);
            judge_outcome(case, judge, truth, (step, *steps), &found);
        }
        // Other limits: how deep, until when, until told.
        let mut told = 3;
        let mut go_on = || {
            told -= 1;
            told > 0
        };
        let budgets = [
            Budget::depth(0),
            Budget::depth(1),
            Budget::deadline(Instant::now()),
            Budget::until(&mut go_on),
        ];
        for mut budget in budgets {
            let found = pair::first_pair_within(&case.a, &case.b, pose, &mut budget);
            judge.case(&found);
            judge_outcome(case, judge, truth, (step, Some(0)), &found);
        }
    }
}

/// Judges an outcome.
pub(super) fn judge_outcome(
    case: &Case<'_>,
    judge: &mut Judge<'_>,
    truth: &Truth,
    (step, steps): (usize, Option<u64>),
    found: &BudgetVerdict,
) {
    let message = |what: &str| {
        format!("step {step}, {steps:?} steps: {found:?}: {what}; in truth {:e}", truth.roughly())
    };
    match found {
        Verdict::Intersecting((a, b)) => {
            let is_one = truth.pairs.binary_search(&(*a, *b)).is_ok();
            judge.check(is_one, || message("they do not meet"));
        }
        Verdict::Separated(proof) => {
            judge.check(!truth.meet(), || message("they meet"));
            judge.check(truth.is_at_least(proof.gap()), || message("they are closer"));
        }
        Verdict::Undecided(known) => {
            judge.count("undecided");
            judge.check(steps.is_some(), || message("undecided without a limit"));
            judge.check(truth.is_between(0.0, known.upper), || message("further apart"));
            // Triangles that meet can be brought apart by this much.
            for pair in truth.first_pairs(case.sample) {
                judge.check(pair.depth_is_between(0.0, known.open_depth), || {
                    message(&format!("{:?} {:?}: {}", pair.a, pair.b, pair.roughly()))
                });
            }
            if let Some(hulls) = case.hulls() {
                let (_, _, whole) =
                    case.hull_steps(hulls).nth(step).expect("as many steps as poses");
                if whole.meet {
                    judge.check(whole.depth_is_between(0.0, -known.lower), || {
                        message(&format!("hulls: {}", whole.roughly()))
                    });
                }
            }
        }
    }
}
