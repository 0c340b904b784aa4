//! Solids within a budget: what is decided is exact, what is open never excludes the truth.

use std::ops::ControlFlow;

use impinge::Vec3;
use impinge::check::{
    CheckOptions, CheckStage, CheckWithin, PairKnown, PairSearch, Relation, check_pair,
    check_pair_within,
};
use impinge::exact::Location;
use impinge::pair::Budget;
use impinge::solid::{LocateSearch, LocationWithin, locate_within};

use super::solids::Solids;
use super::{Case, Row};
use crate::checker::Checker;
use crate::truth::in_tetrahedron;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "points in solids in parts",
        covers: &["solid::locate_within", "solid::LocateSearch::run"],
        interval: 2,
        run: points,
    },
    Row {
        name: "relations of solids in parts",
        covers: &["check::check_pair_within", "check::PairSearch::run"],
        interval: 2,
        run: relations,
    },
    Row {
        name: "relations of surfaces in parts",
        covers: &["check::Relations::contains"],
        interval: 4,
        run: surfaces,
    },
];

/// Steps of the parts of a search; the last one is enough.
const PARTS: &[u64] = &[0, 1, 3, 40, 17, 300, 1 << 40];

/// Prepares both meshes, except for some samples.
fn prepare(case: &Case<'_>, step: usize) -> bool {
    if step > 0 || case.sample.index % 4 != 0 {
        let report = |_| ControlFlow::Continue(());
        assert!(case.a.prepare_with(&report) && case.b.prepare_with(&report));
    }
    case.a.is_prepared() && case.b.is_prepared()
}

fn points(case: &Case<'_>, checker: &mut Checker<'_>) {
    if !case.are_tetrahedra() {
        return;
    }
    let Ok(corners) = <[Vec3; 4]>::try_from(case.sample.a.vertices.as_slice()) else { return };
    let mut search = LocateSearch::new();
    for (step, _, truth) in case.steps() {
        let is_prepared = prepare(case, step);
        let middle = |p: Vec3, q: Vec3| p + (q - p) * 0.5;
        let more = (0..4).map(|k| middle(corners[k], truth.posed[k]));
        for p in truth.posed.iter().copied().chain(more) {
            let Some(side) = in_tetrahedron(p, &corners) else { return };
            let expected = match side {
                1 => Location::Inside,
                0 => Location::Boundary,
                _ => Location::Outside,
            };
            for steps in PARTS {
                let mut budget = Budget::steps(*steps);
                let found = locate_within(&case.a, p, &mut budget, &mut search).expect("closed");
                checker.case(&found);
                let again = search.run(&case.a, p, &mut Budget::steps(0)).expect("closed");
                checker.check(again == found, || format!("step {step}: {found:?}, {again:?}"));
                let holds = match found {
                    LocationWithin::Final(location) => location == expected && is_prepared,
                    LocationWithin::Open(known) => {
                        checker.count("undecided");
                        known.lower <= 0.0
                            && known.upper >= 0.0
                            && known.open > 0
                            && (*steps < 1 << 40 || !is_prepared)
                    }
                };
                checker.check(holds, || {
                    format!("step {step}: {p} in {corners:?}: {found:?}, expected {expected:?}")
                });
            }
            let found = search.run(&case.a, p, &mut Budget::unlimited()).expect("closed");
            checker.check(found == LocationWithin::Final(expected), || {
                format!("step {step}: {p} in {corners:?}: {found:?}, expected {expected:?}")
            });
        }
    }
}

/// The options of the checks.
fn options() -> [CheckOptions; 2] {
    let plain = CheckOptions::default();
    [plain.distance(true).keep_hits(true), plain.relation_only(true)]
}

/// Whether what is known never loosens.
fn is_tighter(known: &PairKnown, last: &PairKnown) -> bool {
    let (now, before) = (&known.bounds, &last.bounds);
    now.lower >= before.lower
        && now.upper <= before.upper
        && now.open_depth <= before.open_depth
        && known.relations.iter().all(|relation| last.relations.contains(relation))
        && known.hit_count >= last.hit_count
}

fn relations(case: &Case<'_>, checker: &mut Checker<'_>) {
    if !case.are_tetrahedra() {
        return;
    }
    for (step, pose, truth) in case.steps() {
        let Some(solids) = Solids::new(case, &truth.posed) else { continue };
        check_all(case, checker, (step, pose, truth), Some(solids.relation()));
    }
}

fn surfaces(case: &Case<'_>, checker: &mut Checker<'_>) {
    for at in case.steps() {
        check_all(case, checker, at, None);
    }
}

/// Checks the pair in parts with all options. Without an expected relation, that of the check
/// without a budget is expected, which another row judges.
fn check_all(
    case: &Case<'_>,
    checker: &mut Checker<'_>,
    (step, pose, truth): (usize, &impinge::Pose, &crate::truth::Truth),
    expected: Option<Relation>,
) {
    let is_prepared = prepare(case, step);
    let mut search = PairSearch::new();
    for options in options() {
        let report = check_pair(&case.a, &case.b, pose, &options);
        let expected = expected.unwrap_or(report.relation);
        let mut last: Option<PairKnown> = None;
        for steps in PARTS {
            let mut budget = Budget::steps(*steps);
            let (a, b) = (&case.a, &case.b);
            let found = check_pair_within(a, b, pose, &options, &mut budget, &mut search);
            checker.case(&found);
            match found {
                CheckWithin::Final(found) => {
                    let same = found.relation == expected
                        && found.distance.is_some() == report.distance.is_some()
                        && found.point.is_some() == report.point.is_some()
                        && (options.relation_only || found.hits == report.hits)
                        && (options.relation_only || found.hit_count == report.hit_count);
                    checker.check(same, || {
                        format!("step {step}: {found:?}, expected {expected:?}, {report:?}")
                    });
                    if let Some(d) = found.distance {
                        checker.check(truth.is_between(d.lower, d.upper), || {
                            format!("step {step}: {d:?} excludes {:e}", truth.approximate())
                        });
                    }
                }
                CheckWithin::Open(known) => {
                    checker.count("undecided");
                    let in_time = *steps < 1 << 40 || !is_prepared;
                    let holds = in_time
                        && known.relations.contains(expected)
                        && last.as_ref().is_none_or(|last| is_tighter(&known, last))
                        && (known.hit_count == 0 || truth.meet())
                        && (is_prepared || known.stage == CheckStage::Boxes);
                    checker.check(holds, || {
                        format!("step {step}: {last:?}, then {known:?}, expected {expected:?}")
                    });
                    checker.check(
                        truth.is_between(known.bounds.lower.max(0.0), known.bounds.upper),
                        || format!("step {step}: {known:?} excludes {:e}", truth.approximate()),
                    );
                    last = Some(known);
                }
            }
        }
        let mut unlimited = Budget::unlimited();
        let found = search.run(&case.a, &case.b, pose, &options, &mut unlimited);
        let relation = found.report().map(|report| report.relation);
        checker.check(relation == Some(expected), || {
            format!("step {step}: {found:?}, expected {expected:?}")
        });
    }
}
