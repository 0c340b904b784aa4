//! Queries between shapes of equal and of different kinds.

use std::sync::Arc;

use impinge::convex::{Capsule, HalfSpace, Sphere};
use impinge::shape::{self, Shape, ShapeCache, Verdict};
use impinge::{Pose, Vec3};

use super::{Case, Row};
use crate::checker::Checker;
use crate::oracle::distance::Distances;
use crate::oracle::hulls::share_a_point;
use crate::oracle::units::{Square, Units};
use crate::sample::add_ulps;
use crate::truth::{HullTruth, Measured};

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "shapes: meshes and hulls",
        covers: &[
            "shape::intersects",
            "shape::intersects_cached",
            "shape::distance",
            "shape::distance_cached",
            "shape::contact",
            "shape::contact_cached",
        ],
        interval: 2,
        run: same_kind,
    },
    Row {
        name: "shapes: mesh and hull",
        covers: &["shape::triangles_met"],
        interval: 3,
        run: mesh_and_hull,
    },
    Row { name: "shapes: balls and capsules", covers: &[], interval: 2, run: balls },
    Row { name: "shapes: margins", covers: &[], interval: 3, run: margins },
    Row { name: "shapes: half-spaces and meshes", covers: &[], interval: 3, run: half_spaces },
];

/// Checks a verdict that must be exact.
fn check_verdict(checker: &mut Checker<'_>, what: &str, step: usize, found: &Verdict, meet: bool) {
    checker.check(found.is_intersecting() == meet && found.is_separated() != meet, || {
        format!("step {step}: {what}: {found:?}, expected {meet}")
    });
}

fn same_kind(case: &Case<'_>, checker: &mut Checker<'_>) {
    let meshes = [&case.a, &case.b].map(|m| Shape::from(Arc::new(m.clone())));
    let (mut first, mut second) = (ShapeCache::default(), ShapeCache::default());
    for (step, pose, truth) in case.steps() {
        let [a, b] = &meshes;
        for verdict in
            [shape::intersects(a, b, pose), shape::intersects_cached(a, b, pose, &mut first)]
        {
            checker.case(&verdict);
            check_verdict(checker, "meshes", step, &verdict, truth.meet());
            if let Verdict::Separated(clear) = &verdict {
                checker.check(truth.is_at_least(clear.lower), || {
                    format!("step {step}: {clear:?} at {:e}", truth.approximate())
                });
            }
        }
        for found in [shape::distance(a, b, pose), shape::distance_cached(a, b, pose, &mut second)]
        {
            checker.case(&found);
            let holds = found.map_or(truth.distance.is_none(), |d| {
                truth.is_between(d.lower, d.upper) && (d.upper == 0.0) == truth.meet()
            });
            checker.check(holds, || {
                format!("step {step}: {found:?} excludes {:e}", truth.approximate())
            });
        }
    }
    let Some(hulls) = case.hulls() else { return };
    let [a, b] = [&hulls.a, &hulls.b].map(|h| Shape::from(h.clone()));
    let mut caches: [ShapeCache; 3] = Default::default();
    for (step, pose, truth) in case.hull_steps(hulls) {
        for verdict in [
            shape::intersects(&a, &b, pose),
            shape::intersects_cached(&a, &b, pose, &mut caches[0]),
        ] {
            checker.case(&verdict);
            check_verdict(checker, "hulls", step, &verdict, truth.meet);
            let verifies = match &verdict {
                Verdict::Separated(clear) => {
                    truth.distance_is_between(clear.lower, f64::INFINITY)
                        && clear.certificate.is_some_and(|gap| gap.verify(&truth.a, &truth.b))
                }
                Verdict::Intersecting(meeting) => {
                    meeting.certificate.is_some_and(|common| common.verify(&truth.a, &truth.b))
                }
                Verdict::Undecided(_) => false,
            };
            checker.check(verifies, || format!("step {step}: {verdict:?} does not verify"));
        }
        for found in
            [shape::distance(&a, &b, pose), shape::distance_cached(&a, &b, pose, &mut caches[1])]
        {
            checker.case(&found);
            let holds = found.is_some_and(|d| truth.distance_is_between(d.lower, d.upper));
            checker.check(holds, || {
                format!("step {step}: {found:?} excludes {}", truth.approximate())
            });
        }
        for found in
            [shape::contact(&a, &b, pose), shape::contact_cached(&a, &b, pose, &mut caches[2])]
        {
            checker.case(&found);
            let holds = found.is_some_and(|c| {
                if truth.meet {
                    c.lower <= 0.0 && truth.depth_is_between((-c.upper).max(0.0), -c.lower)
                } else {
                    truth.distance_is_between(c.lower.max(0.0), c.upper)
                }
            });
            checker.check(holds, || {
                format!("step {step}: {found:?} excludes {}", truth.approximate())
            });
        }
    }
}

fn mesh_and_hull(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    if case.a.triangles().len() > 20 {
        return;
    }
    let (mesh, hull) = (Shape::from(Arc::new(case.a.clone())), Shape::from(hulls.b.clone()));
    let mut cache = ShapeCache::default();
    for (step, pose, truth) in case.hull_steps(hulls) {
        let meets = |k: &u32| share_a_point(&case.a.triangle(*k as usize), &truth.b);
        let met: Vec<u32> = (0..case.a.triangles().len() as u32).filter(meets).collect();
        let found = shape::triangles_met(&mesh, &hull, pose);
        checker.case(&found);
        let holds = found.as_ref().is_some_and(|f| f.triangles == met && f.undecided.is_empty());
        checker.check(holds, || format!("step {step}: {found:?}, expected {met:?}"));
        for verdict in [
            shape::intersects(&mesh, &hull, pose),
            shape::intersects_cached(&mesh, &hull, pose, &mut cache),
        ] {
            checker.case(&verdict);
            check_verdict(checker, "mesh and hull", step, &verdict, !met.is_empty());
        }
        let distance = shape::distance(&mesh, &hull, pose);
        checker.case(&distance);
        let zero = distance.is_some_and(|d| d.upper == 0.0);
        checker.check(zero != met.is_empty(), || format!("step {step}: {distance:?}, {met:?}"));
    }
}

/// The squared distance of a mesh from a segment, given by its ends.
fn to_segment(case: &Case<'_>, ends: [Vec3; 2]) -> Option<Square> {
    let units = Units::new(&case.sample.a.vertices, &ends);
    let distances = Distances::new(&units);
    let squares = case.sample.a.triangles.iter().map(|t| distances.squared(*t, [0, 1, 1]));
    squares.min_by(|x, y| x.value.compare(&y.value))
}

fn balls(case: &Case<'_>, checker: &mut Checker<'_>) {
    let mesh = Shape::from(Arc::new(case.a.clone()));
    for (step, pose, truth) in case.steps() {
        if truth.posed.is_empty() {
            return;
        }
        // A ball at a vertex of B. Its radii are its distance from A, one ulp more and less, and
        // smaller ones.
        let center = truth.posed[0];
        if center.abs().max_element() > impinge::MAX_COORDINATE {
            continue;
        }
        let at = Pose::from_translation(center).expect("in range");
        let Some(squared) = to_segment(case, [center; 2]) else { return };
        let root = squared.root();
        for radius in [root, add_ulps(root, 1), add_ulps(root, -1).max(0.0), 0.0, root * 0.5] {
            let Ok(ball) = Sphere::new(radius) else { continue };
            let found = shape::intersects(&mesh, &ball.into(), &at);
            checker.case(&found);
            let meet = squared.compare(radius).is_ge();
            check_verdict(checker, "ball", step, &found, meet);
            if meet && radius > 0.0 {
                checker.count("balls that meet");
            }
        }
        // A capsule whose axis is rotated by the pose; its ends are rounded in the same way as
        // vertices.
        let (half, scale) = (case.sample.regime.scale_b, case.sample.regime.scale_b);
        let ends = [-half, half].map(|z| pose.transform_point(Vec3::new(0.0, 0.0, z)));
        let Some(squared) = to_segment(case, ends) else { return };
        for radius in [squared.root(), add_ulps(squared.root(), 1), scale] {
            let Ok(capsule) = Capsule::new(half, radius) else { continue };
            let found = shape::intersects(&mesh, &capsule.into(), pose);
            checker.case(&found);
            check_verdict(checker, "capsule", step, &found, squared.compare(radius).is_ge());
            let distance = shape::distance(&mesh, &capsule.into(), pose);
            checker.case(&distance);
            let zero = distance.is_some_and(|d| d.upper == 0.0);
            checker.check(zero == squared.compare(radius).is_ge(), || {
                format!("step {step}: capsule {distance:?}")
            });
        }
    }
}

/// Hulls with margins of their distance, one ulp more and less, half and twice of it; and a ball at
/// a vertex of B.
fn margins(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let (a, b) = (Shape::from(hulls.a.clone()), Shape::from(hulls.b.clone()));
    for (step, pose, truth) in case.hull_steps(hulls) {
        let Some(measured) = truth.measured() else { return };
        let Some(squared) = &measured.distance else { continue };
        let root = squared.root();
        for margin in [root, add_ulps(root, 1), add_ulps(root, -1).max(0.0), root * 0.5, root * 2.0]
        {
            let Ok(round) = b.clone().rounded(margin) else { continue };
            let meet = squared.compare(margin).is_ge();
            let found = shape::intersects(&a, &round, pose);
            checker.case(&found);
            check_verdict(checker, "rounded hull", step, &found, meet);
            checker.count(if meet { "meeting" } else { "apart" });
            let distance = shape::distance(&a, &round, pose);
            checker.case(&distance);
            let zero = distance.is_some_and(|d| d.upper == 0.0);
            checker.check(zero == meet, || format!("step {step}: {margin:e}: {distance:?}"));
            let contact = shape::contact(&a, &round, pose);
            checker.case(&contact);
            // The signed distance is the distance of the cores minus the margin.
            let holds = contact.is_some_and(|c| {
                c.lower <= c.upper
                    && (c.lower <= 0.0 || !meet)
                    && (c.upper >= 0.0 || meet)
                    && squared
                        .is_between((c.lower + margin).max(0.0) * (1.0 - 1e-12), f64::INFINITY)
            });
            checker
                .check(holds, || format!("step {step}: {margin:e}: {contact:?}, {root:e} apart"));
        }
        let center = truth.b[0];
        if center.abs().max_element() > impinge::MAX_COORDINATE {
            continue;
        }
        let at = Pose::from_translation(center).expect("in range");
        let point = HullTruth::new(truth.a.clone(), vec![center]);
        let Some(Measured { distance: Some(squared), .. }) = point.measured() else { continue };
        let root = squared.root();
        for radius in [root, add_ulps(root, 1), add_ulps(root, -1).max(0.0)] {
            let Ok(ball) = Sphere::new(radius) else { continue };
            let found = shape::intersects(&a, &ball.into(), &at);
            checker.case(&found);
            check_verdict(checker, "hull and ball", step, &found, squared.compare(radius).is_ge());
        }
    }
}

/// Half-spaces bounded at a coordinate of a vertex of A, or one ulp beside it, against B.
fn half_spaces(case: &Case<'_>, checker: &mut Checker<'_>) {
    let mesh = Shape::from(Arc::new(case.b.clone()));
    for (step, pose, truth) in case.steps() {
        let used: Vec<Vec3> =
            case.sample.b.triangles.iter().flatten().map(|v| truth.posed[*v as usize]).collect();
        let (Some(corner), false) = (case.sample.a.vertices.first(), used.is_empty()) else {
            continue;
        };
        for (axis, normal) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            for offset in [corner[axis], add_ulps(corner[axis], 1), add_ulps(corner[axis], -1)] {
                let Ok(half) = HalfSpace::new(normal, offset) else { continue };
                let found = shape::intersects(&half.into(), &mesh, pose);
                checker.case(&found);
                let meet = used.iter().any(|p| p[axis] <= offset);
                check_verdict(checker, "half-space", step, &found, meet);
                let distance = shape::distance(&half.into(), &mesh, pose);
                checker.case(&distance);
                let zero = distance.is_some_and(|d| d.upper == 0.0);
                checker.check(zero == meet, || format!("step {step}: half-space {distance:?}"));
            }
        }
    }
}
