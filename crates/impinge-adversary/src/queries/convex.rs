//! Two hulls, by every method.

use impinge::Distance;
use impinge::Vec3;
use impinge::convex::{
    self, HullCache, IntersectionCertificate, SeparationCertificate, Verdict, VertexPairs,
};
use impinge::exact::Sign;
use impinge::internals::HullInternals as _;
use impinge::internals::decide::{self, Hint};
use impinge::internals::support::Climb;
use impinge_papers::leung::separating::{self, Prepared, Scratch, Termination};
use impinge_papers::leung::{
    BruteForce, DirectionTable, Goal, Hierarchy, Method, Tracker, VertexSearch,
};
use impinge_papers::zachmann::clipping::{self, Clipping};
use impinge_papers::zachmann::perceptron::{self, Perceptron};
use impinge_papers::zachmann::race;

use super::{Case, Hulls, Row};
use crate::checker::Checker;
use crate::oracle::certificate::{features_hold, slab_holds, vertices_share_a_point};
use crate::sample::add_ulps;
use crate::truth::HullTruth;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "hulls: verdict",
        covers: &[
            "convex::intersects",
            "convex::intersects_cached",
            "convex::Verdict::verify",
            "convex::SeparationCertificate::verify",
            "convex::IntersectionCertificate::verify",
            "convex::IntersectionCertificate::point",
        ],
        interval: 1,
        run: verdict,
    },
    Row {
        name: "hulls: distance",
        covers: &["convex::distance", "convex::distance_cached"],
        interval: 1,
        run: distance,
    },
    Row {
        name: "hulls: contact",
        covers: &["convex::contact", "convex::contact_cached"],
        interval: 1,
        run: contact,
    },
    Row { name: "hulls: exact decision", covers: &[], interval: 1, run: decision },
    Row {
        name: "hulls: separating vectors",
        covers: &[
            "leung::separating::separate",
            "leung::separating::decide",
            "leung::separating::Search::run",
            "leung::separating::Prepared::start",
            "leung::Tracker::step",
        ],
        interval: 2,
        run: separating_vectors,
    },
    Row {
        name: "hulls: clipping, perceptron, races",
        covers: &[
            "zachmann::clipping::clip",
            "zachmann::perceptron::separate",
            "zachmann::race::interleaved",
            "zachmann::race::parallel",
            "zachmann::race::RaceMethod::step",
        ],
        interval: 2,
        run: clipping_perceptron_race,
    },
    Row {
        name: "hulls: support",
        covers: &[
            "convex::Hull::support",
            "leung::Hierarchy::search_in",
            "leung::VertexSearch::search",
            "leung::VertexSearch::start",
            "leung::DirectionTable::near",
        ],
        interval: 2,
        run: support,
    },
];

/// Checks a verdict about hulls and its proof.
pub(super) fn check_decision(
    checker: &mut Checker<'_>,
    truth: &HullTruth,
    step: usize,
    found: &Verdict,
) {
    let message = |what: &str| {
        format!(
            "step {step}: {found:?}: {what}; expected: {}; {:?} {:?}",
            truth.approximate(),
            truth.a,
            truth.b
        )
    };
    checker.check(found.is_intersecting() == truth.meet, || message("wrong verdict"));
    checker.check(found.verify(&truth.a, &truth.b), || message("the proof does not verify"));
    let proof = *found;
    match proof {
        Verdict::Separated(gap) => checker.check(gap_holds(truth, &gap), || message("false proof")),
        Verdict::Intersecting(IntersectionCertificate { pairs }) => {
            let holds = vertices_share_a_point(&truth.a, &truth.b, pairs.as_slice());
            checker.check(holds, || message("these vertices share no point"));
        }
    }
}

fn gap_holds(truth: &HullTruth, gap: &SeparationCertificate) -> bool {
    let (a, b) = (&truth.a, &truth.b);
    if gap.pairs.is_empty() {
        slab_holds(a, b, gap.direction, gap.lower)
    } else {
        features_hold(a, b, gap.pairs.as_slice(), gap.lower)
    }
}

fn verdict(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let mut cache = HullCache::default();
    for (step, pose, truth) in case.hull_steps(hulls) {
        let cold = convex::intersects(&hulls.a, &hulls.b, pose);
        checker.case(&cold);
        check_decision(checker, truth, step, &cold);
        let warm = convex::intersects_cached(&hulls.a, &hulls.b, pose, &mut cache);
        checker.case(&warm);
        check_decision(checker, truth, step, &warm);
        if let Verdict::Intersecting(common) = &cold {
            // The point is rounded, so it is only compared with the boxes of both bodies.
            let size =
                truth.a.iter().chain(&truth.b).fold(0.0_f64, |m, p| m.max(p.abs().max_element()));
            let slack = size * 1e-14 + 1e-322;
            let point = common.point(&truth.a, &truth.b);
            let near = |points: &[Vec3], p: Vec3| {
                let low = points.iter().fold(points[0], |m, q| m.min(*q));
                let high = points.iter().fold(points[0], |m, q| m.max(*q));
                p.cmpge(low - slack).all() && p.cmple(high + slack).all()
            };
            checker.check(point.is_some_and(|p| near(&truth.a, p) && near(&truth.b, p)), || {
                format!("step {step}: the point {point:?} of {:?} {:?}", truth.a, truth.b)
            });
        }
        checker.count(if truth.meet { "meeting" } else { "apart" });
        check_false_proofs(checker, truth, step);
    }
}

/// False proofs must not verify.
fn check_false_proofs(checker: &mut Checker<'_>, truth: &HullTruth, step: usize) {
    let proof =
        SeparationCertificate { direction: Vec3::X, lower: f64::MAX, pairs: VertexPairs::NONE };
    checker.check(!proof.verify(&truth.a, &truth.b), || format!("step {step}: {proof:?} verifies"));
    if truth.meet {
        for direction in [Vec3::X, Vec3::NEG_Y, Vec3::Z] {
            let gap = SeparationCertificate { direction, lower: 0.0, pairs: VertexPairs::NONE };
            checker.check(!gap.verify(&truth.a, &truth.b), || {
                format!("step {step}: {gap:?} verifies")
            });
        }
    } else {
        let common = IntersectionCertificate { pairs: VertexPairs::new(&[[0, 0]]) };
        checker.check(!common.verify(&truth.a, &truth.b), || {
            format!("step {step}: {common:?} verifies")
        });
    }
}

fn distance(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let mut cache = HullCache::default();
    for (step, pose, truth) in case.hull_steps(hulls) {
        let cold = convex::distance(&hulls.a, &hulls.b, pose);
        let warm = convex::distance_cached(&hulls.a, &hulls.b, pose, &mut cache);
        for found in [cold, warm] {
            checker.case(&found);
            check_distance(checker, truth, step, &found);
        }
    }
}

fn check_distance(checker: &mut Checker<'_>, truth: &HullTruth, step: usize, found: &Distance) {
    checker.check(truth.distance_is_between(found.lower, found.upper), || {
        format!(
            "step {step}: {found:?} excludes {}; {:?} {:?}",
            truth.approximate(),
            truth.a,
            truth.b
        )
    });
    checker.check((found.upper == 0.0) == truth.meet, || {
        format!("step {step}: {found:?}; expected: {}", truth.approximate())
    });
}

fn contact(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let mut cache = HullCache::default();
    for (step, pose, truth) in case.hull_steps(hulls) {
        let cold = convex::contact(&hulls.a, &hulls.b, pose);
        let warm = convex::contact_cached(&hulls.a, &hulls.b, pose, &mut cache);
        for found in [cold, warm] {
            checker.case(&found);
            let (contact, verdict) = found;
            check_decision(checker, truth, step, &verdict);
            let holds = if verdict.is_separated() {
                contact.upper > 0.0 && truth.distance_is_between(contact.lower, contact.upper)
            } else {
                contact.upper <= 0.0 && truth.depth_is_between(-contact.upper, -contact.lower)
            };
            checker.check(holds, || {
                format!(
                    "step {step}: {contact:?} excludes {}; {:?} {:?}",
                    truth.approximate(),
                    truth.a,
                    truth.b
                )
            });
        }
    }
}

fn decision(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    for (step, _, truth) in case.hull_steps(hulls) {
        let (a, b) = (&truth.a, &truth.b);
        let found = decide::decide(a, b, &Hint::NONE);
        checker.case(&found);
        check_decision(checker, truth, step, &found);
        let closest = decide::closest(a, b, &Hint::NONE).expect("finite points");
        checker.case(&closest);
        checker.check(truth.distance_is_between(closest.lower, closest.upper), || {
            format!("step {step}: {closest:?} excludes {}", truth.approximate())
        });
        let sign = decide::compare_distance(a, b, 0.0, 0.0, &Hint::NONE);
        let expected = if truth.meet { Sign::Zero } else { Sign::Positive };
        checker.check(sign == expected, || format!("step {step}: {sign:?}"));
        if let Some(square) = truth.measured().and_then(|m| m.distance.as_ref()) {
            // Radii at the bounds of the distance, and one ulp below.
            for radius in [add_ulps(closest.lower, -1), closest.lower, closest.upper] {
                let found = decide::compare_distance(a, b, radius.max(0.0), 0.0, &Hint::NONE);
                let expected = match square.compare(radius.max(0.0)) {
                    std::cmp::Ordering::Less => Sign::Positive,
                    std::cmp::Ordering::Equal => Sign::Zero,
                    std::cmp::Ordering::Greater => Sign::Negative,
                };
                checker.check(found == expected, || {
                    format!("step {step}: {radius:e}: {found:?}, expected {expected:?}")
                });
            }
        }
        for direction in [Vec3::X, Vec3::NEG_Z, (b[0] - a[0]).normalize_or_zero()] {
            let gap = decide::certain_gap(direction, a, b);
            checker.case(&gap);
            checker.check(gap <= 0.0 || slab_holds(a, b, direction, 0.0), || {
                format!("step {step}: a certain gap {gap:e} along {direction}")
            });
        }
        let corners: Vec<[Vec3; 2]> = a.iter().zip(b).take(4).map(|(p, q)| [*p, *q]).collect();
        if decide::contains_origin(&corners) == Some(true) {
            checker.check(truth.meet, || format!("step {step}: {corners:?} contain the origin"));
        }
    }
}

fn separating_vectors(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let (a, b) = (Prepared::new(&hulls.a), Prepared::new(&hulls.b));
    let mut scratch = Scratch::default();
    let options = [
        separating::Options::default(),
        separating::Options::THESIS,
        separating::Options::default().termination(Termination::HalfPlanes),
    ];
    for options in options {
        let mut cache = separating::SeparatingCache::default();
        for (step, pose, truth) in case.hull_steps(hulls) {
            let query = separating::Query { a: &a, b: &b, pose, options };
            let found = separating::decide(query, &mut cache, &mut scratch);
            checker.case(&found);
            check_decision(checker, truth, step, &found);
            let mut fresh = separating::SeparatingCache::default();
            let output = separating::separate(query, &mut fresh, &mut scratch);
            let rerun = separating::Search::new(query, &fresh, &mut scratch).run(&mut fresh);
            if let Some(decision) = rerun.verdict.decided() {
                check_decision(checker, truth, step, &decision);
            }
            let start = a.start(Vec3::X);
            checker.check((start as usize) < hulls.a.vertices().len(), || format!("start {start}"));
            if let Some(decision) = output.verdict.decided() {
                check_decision(checker, truth, step, &decision);
            } else {
                checker.count("left to the exact decision");
            }
        }
    }
    for goal in [Goal::Verdict, Goal::ClosestPoints, Goal::Combined] {
        for method in [Method::Production, Method::Published(separating::Options::THESIS)] {
            let mut tracker = Tracker::new(&a, &b, goal, method);
            for (step, pose, truth) in case.hull_steps(hulls) {
                let frame = tracker.step(pose, &mut scratch);
                checker.case(&frame);
                checker.check(frame.meets == truth.meet, || {
                    format!(
                        "step {step}: {goal:?} {method:?}: {frame:?}, expected: {}",
                        truth.approximate()
                    )
                });
                if let Some(proof) = frame.proof {
                    check_decision(checker, truth, step, &proof);
                }
                if let (Goal::ClosestPoints, Some(closest)) = (goal, frame.closest) {
                    let d = closest.distance;
                    checker.check(truth.distance_is_between(d.lower, d.upper), || {
                        format!("step {step}: {method:?} {d:?} excludes {}", truth.approximate())
                    });
                }
            }
        }
    }
}

fn clipping_perceptron_race(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let Hulls { a, b, .. } = hulls;
    let mut cache = perceptron::PerceptronCache::default();
    for (step, pose, truth) in case.hull_steps(hulls) {
        for checks in [clipping::ClippingPreChecks::NONE, clipping::ClippingPreChecks::COLLECT] {
            let found = clipping::clip(a, b, pose, checks);
            checker.case(&found.meet);
            checker.check(found.meet == truth.meet, || {
                format!(
                    "step {step}: {found:?}, expected: {}; {:?} {:?}",
                    truth.approximate(),
                    truth.a,
                    truth.b
                )
            });
            checker.count(if found.was_in_doubt {
                "clipping in doubt"
            } else {
                "clipping certain"
            });
        }
        let options = perceptron::Options::THESIS;
        let found = perceptron::separate(a, b, pose, options, &mut cache);
        checker.case(&found.collision);
        checker.check(found.collision || !truth.meet, || format!("step {step}: {found:?}"));
        if let Some(gap) = found.separation {
            check_decision(checker, truth, step, &Verdict::Separated(gap));
        }
        let clip = || Clipping::new(a, b, pose, clipping::ClippingPreChecks::COLLECT);
        let plane =
            || Perceptron::new(a, b, pose, options, &perceptron::PerceptronCache::default());
        // A single method, step by step.
        let mut single = clip();
        let status = loop {
            let status = race::RaceMethod::step(&mut single);
            if status != race::Status::Running {
                break status;
            }
        };
        let meets = status == race::Status::Intersecting;
        checker.check(meets == truth.meet, || format!("step {step}: {status:?}"));
        let interleaved = race::interleaved(&mut clip(), &mut plane(), (2, 1));
        checker.case(&interleaved.meet);
        checker.check(interleaved.meet == Some(truth.meet), || {
            format!("step {step}: {interleaved:?}")
        });
        // The parallel race starts threads, so it runs for one sample in 64.
        if case.sample.index % 64 == 0 {
            let both = race::parallel(&mut clip(), &mut plane());
            checker.check(both.meet == Some(truth.meet), || format!("step {step}: {both:?}"));
        }
    }
}

fn support(case: &Case<'_>, checker: &mut Checker<'_>) {
    use crate::oracle::units::integer;
    let Some(hulls) = case.hulls() else { return };
    let mut climb = Climb::default();
    for (hull, soup) in [(&hulls.a, &case.sample.a), (&hulls.b, &case.sample.b)] {
        let points: Vec<Vec3> =
            soup.triangles.iter().flatten().map(|v| soup.vertices[*v as usize]).collect();
        checker.check(hull.validate(&points).is_ok(), || format!("{:?}", hull.validate(&points)));
        let (table, hierarchy) = (DirectionTable::new(hull), Hierarchy::new(hull));
        let searched = hierarchy.search_in(hull);
        let edges = points.windows(2).map(|w| w[1] - w[0]);
        let directions = [Vec3::X, Vec3::new(-1.0, 2.0, 0.5)].into_iter().chain(edges.take(3));
        for direction in directions.filter(|d| *d != Vec3::ZERO && d.is_finite()) {
            let n = direction.to_array().map(integer);
            let along = |v: u32| {
                let p = hull.vertices()[v as usize].to_array().map(integer);
                &n[0] * &p[0] + &n[1] * &p[1] + &n[2] * &p[2]
            };
            let best = (0..hull.vertices().len() as u32).map(along).max().expect("vertices");
            let found = [
                hull.support(direction),
                hull.climb(direction, 0, &mut climb),
                BruteForce(hull).search(direction, 0, &mut climb),
                searched.search(direction, searched.start(direction), &mut climb),
            ];
            checker.case(&found);
            for v in found {
                checker
                    .check(along(v) == best && hull.validate_support(direction, v).is_ok(), || {
                        format!("vertex {v} along {direction} of {:?}: {found:?}", hull.vertices())
                    });
            }
            let near = [table.near(direction), hull.climb_rounded(direction, 0, &mut climb)];
            let exists = near.iter().all(|v| (*v as usize) < hull.vertices().len());
            checker.check(exists, || format!("{near:?}"));
        }
    }
}
