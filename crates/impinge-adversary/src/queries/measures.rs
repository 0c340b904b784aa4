//! Distances of two meshes.

use std::ops::ControlFlow;

use impinge::Pose;
use impinge::internals::pair::{Posed, brute};
use impinge::pair::{self, NearPair, NearSink};

use super::{Case, Row};
use crate::checker::Checker;
use crate::truth::Truth;

pub(super) const ROWS: &[Row] = &[
    Row { name: "distance", covers: &["pair::distance"], interval: 1, run: distance },
    Row { name: "near pairs", covers: &["pair::within", "pair::near"], interval: 8, run: near },
];

fn distance(case: &Case<'_>, checker: &mut Checker<'_>) {
    for (step, pose, truth) in case.steps() {
        let found = pair::distance(&case.a, &case.b, pose);
        checker.case(&found);
        checker.check(found.is_some() == truth.distance.is_some(), || {
            format!("step {step}: {found:?}")
        });
        let Some(found) = found else { continue };
        checker.check(truth.is_between(found.lower, found.upper), || {
            format!("step {step}: {found:?} excludes {:e}", truth.approximate())
        });
        checker.check((found.upper == 0.0) == truth.meet(), || {
            format!("step {step}: {found:?}, pairs that meet: {:?}", truth.pairs)
        });
        let (Some(i), Some(j)) = (found.triangle_a, found.triangle_b) else {
            checker.check(false, || format!("step {step}: {found:?} names no triangles"));
            continue;
        };
        let named = truth.of_pair(case.sample, i, j);
        checker.check(named.is_between(0.0, found.upper), || {
            format!("step {step}: the triangles of {found:?} are {:e} apart", named.root())
        });
        // Tightness, relative to the distance and to the size of the coordinates.
        let size = truth.posed.iter().chain(&case.sample.a.vertices);
        let size = size.fold(0.0_f64, |m, v| m.max(v.abs().max_element()));
        checker.check(found.upper - found.lower <= 1e-12 * (size + found.upper) + 1e-300, || {
            format!("step {step}: the bounds {found:?} are not tight")
        });
    }
}

/// Collects all pairs within a bound.
pub(super) struct Within(pub(super) f64, pub(super) Vec<NearPair>);

impl NearSink for Within {
    fn bound(&self) -> f64 {
        self.0
    }

    fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
        self.1.push(*pair);
        ControlFlow::Continue(())
    }
}

fn near(case: &Case<'_>, checker: &mut Checker<'_>) {
    for (step, pose, truth) in case.steps() {
        let distance = truth.approximate();
        let scale = case.sample.regime.scale_a;
        for epsilon in [0.0, scale, distance, distance * 2.0, f64::INFINITY] {
            if !epsilon.is_finite() && case.a.triangles().len() * case.b.triangles().len() > 200 {
                continue;
            }
            let found = pair::within(&case.a, &case.b, pose, epsilon);
            checker.case(&found);
            check_near(case, checker, truth, (step, epsilon), &found);
            let mut quick = Within(epsilon, Vec::new());
            pair::near(&case.a, &case.b, pose, &mut quick);
            checker.check(quick.1.len() == found.len(), || format!("step {step}: {:?}", quick.1));
            let mut slow = Within(epsilon, Vec::new());
            let a = Posed::new(&case.a, &Pose::IDENTITY);
            brute::near(&a, &Posed::new(&case.b, pose), &mut slow);
            slow.1.sort_by_key(|p| (p.triangle_a, p.triangle_b));
            checker.check(slow.1 == found, || {
                format!("step {step}, {epsilon:e}: brute force {:?}, found {found:?}", slow.1)
            });
        }
        for invalid in [-1.0, f64::NAN] {
            let found = pair::within(&case.a, &case.b, pose, invalid);
            checker.check(found.is_empty(), || format!("step {step}: within {invalid}: {found:?}"));
        }
    }
}

/// Checks the reported near pairs: their bounds hold and no pair is missing.
pub(super) fn check_near(
    case: &Case<'_>,
    checker: &mut Checker<'_>,
    truth: &Truth,
    (step, epsilon): (usize, f64),
    found: &[NearPair],
) {
    let zero: Vec<(u32, u32)> = found
        .iter()
        .filter(|p| p.closest.upper == 0.0)
        .map(|p| (p.triangle_a, p.triangle_b))
        .collect();
    checker.check(zero == truth.pairs, || {
        format!("step {step}, {epsilon:e}: {zero:?} at zero, expected {:?}", truth.pairs)
    });
    for near in found.iter().take(4) {
        let squared = truth.of_pair(case.sample, near.triangle_a, near.triangle_b);
        checker.check(squared.is_between(near.closest.lower, near.closest.upper), || {
            format!("step {step}: {near:?} excludes {:e}", squared.root())
        });
    }
    // Pairs that were not reported are further apart than `epsilon`.
    let missing = (0..case.a.triangles().len() as u32)
        .flat_map(|i| (0..case.b.triangles().len() as u32).map(move |j| (i, j)))
        .filter(|pair| found.binary_search_by_key(pair, |p| (p.triangle_a, p.triangle_b)).is_err());
    for (i, j) in missing.take(4) {
        let squared = truth.of_pair(case.sample, i, j);
        checker.check(squared.compare(epsilon).is_lt(), || {
            format!(
                "step {step}: {i} and {j} are {:e} apart, but missing within {epsilon:e}",
                squared.root()
            )
        });
    }
}
