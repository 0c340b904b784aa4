//! Shapes of different kinds against each other.

use std::sync::Arc;

use impinge::convex::{Capsule, HalfSpace, Sphere};
use impinge::shape::{self, Shape, ShapeCache, Verdict};
use impinge::{Pose, Vec3};

use super::{Case, Row};
use crate::judge::Judge;
use crate::oracle::distance::Distances;
use crate::oracle::hulls::share_a_point;
use crate::oracle::units::{Square, Units};
use crate::sample::nudge;
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
        every: 2,
        ask: same_kind,
    },
    Row {
        name: "shapes: mesh and hull",
        covers: &["shape::triangles_met"],
        every: 3,
        ask: mesh_and_hull,
    },
    Row { name: "shapes: balls and capsules", covers: &[], every: 2, ask: balls },
    Row { name: "shapes: margins", covers: &[], every: 3, ask: margins },
    Row { name: "shapes: half-spaces and meshes", covers: &[], every: 3, ask: half_spaces },
];

/// Judges a verdict that must be exact.
fn judge_verdict(judge: &mut Judge<'_>, what: &str, step: usize, found: &Verdict, meet: bool) {
    judge.check(found.is_intersecting() == meet && found.is_separated() != meet, || {
        format!("step {step}: {what}: {found:?}, in truth {meet}")
    });
}

fn same_kind(case: &Case<'_>, judge: &mut Judge<'_>) {
    let meshes = [&case.a, &case.b].map(|m| Shape::from(Arc::new(m.clone())));
    let (mut first, mut second) = (ShapeCache::default(), ShapeCache::default());
    for (step, pose, truth) in case.steps() {
        let [a, b] = &meshes;
        for verdict in
            [shape::intersects(a, b, pose), shape::intersects_cached(a, b, pose, &mut first)]
        {
            judge.case(&verdict);
            judge_verdict(judge, "meshes", step, &verdict, truth.meet());
            if let Verdict::Separated(clear) = &verdict {
                judge.check(truth.is_at_least(clear.lower), || {
                    format!("step {step}: {clear:?} at {:e}", truth.roughly())
                });
            }
        }
        for found in [shape::distance(a, b, pose), shape::distance_cached(a, b, pose, &mut second)]
        {
            judge.case(&found);
            let holds = found.map_or(truth.distance.is_none(), |d| {
                truth.is_between(d.lower, d.upper) && (d.upper == 0.0) == truth.meet()
            });
            judge.check(holds, || format!("step {step}: {found:?} excludes {:e}", truth.roughly()));
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
            judge.case(&verdict);
            judge_verdict(judge, "hulls", step, &verdict, truth.meet);
            let verifies = match &verdict {
                Verdict::Separated(clear) => {
                    truth.distance_is_between(clear.lower, f64::INFINITY)
                        && clear.gap.is_some_and(|gap| gap.verify(&truth.a, &truth.b))
                }
                Verdict::Intersecting(meeting) => {
                    meeting.common.is_some_and(|common| common.verify(&truth.a, &truth.b))
                }
                Verdict::Undecided(_) => false,
            };
            judge.check(verifies, || format!("step {step}: {verdict:?} does not verify"));
        }
        for found in
            [shape::distance(&a, &b, pose), shape::distance_cached(&a, &b, pose, &mut caches[1])]
        {
            judge.case(&found);
            let holds = found.is_some_and(|d| truth.distance_is_between(d.lower, d.upper));
            judge.check(holds, || format!("step {step}: {found:?} excludes {}", truth.roughly()));
        }
        for found in
            [shape::contact(&a, &b, pose), shape::contact_cached(&a, &b, pose, &mut caches[2])]
        {
            judge.case(&found);
            let holds = found.is_some_and(|c| {
                if truth.meet {
                    c.lower <= 0.0 && truth.depth_is_between((-c.upper).max(0.0), -c.lower)
                } else {
                    truth.distance_is_between(c.lower.max(0.0), c.upper)
                }
            });
            judge.check(holds, || format!("step {step}: {found:?} excludes {}", truth.roughly()));
        }
    }
}

fn mesh_and_hull(case: &Case<'_>, judge: &mut Judge<'_>) {
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
        judge.case(&found);
        let holds = found.as_ref().is_some_and(|f| f.triangles == met && f.undecided.is_empty());
        judge.check(holds, || format!("step {step}: {found:?}, in truth {met:?}"));
        for verdict in [
            shape::intersects(&mesh, &hull, pose),
            shape::intersects_cached(&mesh, &hull, pose, &mut cache),
        ] {
            judge.case(&verdict);
            judge_verdict(judge, "mesh and hull", step, &verdict, !met.is_empty());
        }
        let distance = shape::distance(&mesh, &hull, pose);
        judge.case(&distance);
        let zero = distance.is_some_and(|d| d.upper == 0.0);
        judge.check(zero != met.is_empty(), || format!("step {step}: {distance:?}, {met:?}"));
    }
}

/// The squared distance of a mesh from a segment, given by its ends.
fn to_segment(case: &Case<'_>, ends: [Vec3; 2]) -> Option<Square> {
    let units = Units::new(&case.sample.a.vertices, &ends);
    let distances = Distances::new(&units);
    case.sample.a.triangles.iter().map(|t| distances.squared(*t, [0, 1, 1])).reduce(|x, y| {
        if &x.numerator * &y.denominator <= &y.numerator * &x.denominator { x } else { y }
    })
}

fn balls(case: &Case<'_>, judge: &mut Judge<'_>) {
    let mesh = Shape::from(Arc::new(case.a.clone()));
    for (step, pose, truth) in case.steps() {
        if truth.posed.is_empty() {
            return;
        }
        // A ball in the middle of B, with radii just around its distance from A.
        let center = truth.posed[0];
        if center.abs().max_element() > impinge::MAX_COORDINATE {
            continue;
        }
        let at = Pose::from_translation(center).expect("in range");
        let Some(squared) = to_segment(case, [center; 2]) else { return };
        let root = squared.root();
        for radius in [root, nudge(root, 1), nudge(root, -1).max(0.0), 0.0, root * 0.5] {
            let Ok(ball) = Sphere::new(radius) else { continue };
            let found = shape::intersects(&mesh, &ball.into(), &at);
            judge.case(&found);
            let meet = squared.compare(radius).is_ge();
            judge_verdict(judge, "ball", step, &found, meet);
            if meet && radius > 0.0 {
                judge.count("balls that meet");
            }
        }
        // A capsule whose axis is turned by the pose: its ends are rounded as vertices are.
        let (half, scale) = (case.sample.regime.scale_b, case.sample.regime.scale_b);
        let ends = [-half, half].map(|z| pose.transform_point(Vec3::new(0.0, 0.0, z)));
        let Some(squared) = to_segment(case, ends) else { return };
        for radius in [squared.root(), nudge(squared.root(), 1), scale] {
            let Ok(capsule) = Capsule::new(half, radius) else { continue };
            let found = shape::intersects(&mesh, &capsule.into(), pose);
            judge.case(&found);
            judge_verdict(judge, "capsule", step, &found, squared.compare(radius).is_ge());
            let distance = shape::distance(&mesh, &capsule.into(), pose);
            judge.case(&distance);
            let zero = distance.is_some_and(|d| d.upper == 0.0);
            judge.check(zero == squared.compare(radius).is_ge(), || {
                format!("step {step}: capsule {distance:?}")
            });
        }
    }
}

/// Hulls with margins just around their distance, and one vertex of B as a ball.
fn margins(case: &Case<'_>, judge: &mut Judge<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let (a, b) = (Shape::from(hulls.a.clone()), Shape::from(hulls.b.clone()));
    for (step, pose, truth) in case.hull_steps(hulls) {
        let Some(measured) = truth.measured() else { return };
        let Some(squared) = &measured.distance else { continue };
        let root = squared.root();
        for margin in [root, nudge(root, 1), nudge(root, -1).max(0.0), root * 0.5, root * 2.0] {
            let Ok(round) = b.clone().rounded(margin) else { continue };
            let meet = squared.compare(margin).is_ge();
            let found = shape::intersects(&a, &round, pose);
            judge.case(&found);
            judge_verdict(judge, "rounded hull", step, &found, meet);
            judge.count(if meet { "meeting" } else { "apart" });
            let distance = shape::distance(&a, &round, pose);
            judge.case(&distance);
            let zero = distance.is_some_and(|d| d.upper == 0.0);
            judge.check(zero == meet, || format!("step {step}: {margin:e}: {distance:?}"));
            let contact = shape::contact(&a, &round, pose);
            judge.case(&contact);
            // The signed distance is that of the cores less the margin.
            let holds = contact.is_some_and(|c| {
                c.lower <= c.upper
                    && (c.lower <= 0.0 || !meet)
                    && (c.upper >= 0.0 || meet)
                    && squared
                        .is_between((c.lower + margin).max(0.0) * (1.0 - 1e-12), f64::INFINITY)
            });
            judge.check(holds, || format!("step {step}: {margin:e}: {contact:?}, {root:e} apart"));
        }
        let center = truth.b[0];
        if center.abs().max_element() > impinge::MAX_COORDINATE {
            continue;
        }
        let at = Pose::from_translation(center).expect("in range");
        let point = HullTruth::new(truth.a.clone(), vec![center]);
        let Some(Measured { distance: Some(squared), .. }) = point.measured() else { continue };
        let root = squared.root();
        for radius in [root, nudge(root, 1), nudge(root, -1).max(0.0)] {
            let Ok(ball) = Sphere::new(radius) else { continue };
            let found = shape::intersects(&a, &ball.into(), &at);
            judge.case(&found);
            judge_verdict(judge, "hull and ball", step, &found, squared.compare(radius).is_ge());
        }
    }
}

/// Half-spaces that end at a coordinate of a vertex of the other body.
fn half_spaces(case: &Case<'_>, judge: &mut Judge<'_>) {
    let mesh = Shape::from(Arc::new(case.b.clone()));
    for (step, pose, truth) in case.steps() {
        let used: Vec<Vec3> =
            case.sample.b.triangles.iter().flatten().map(|v| truth.posed[*v as usize]).collect();
        let (Some(corner), false) = (case.sample.a.vertices.first(), used.is_empty()) else {
            continue;
        };
        for (axis, normal) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            for offset in [corner[axis], nudge(corner[axis], 1), nudge(corner[axis], -1)] {
                let Ok(half) = HalfSpace::new(normal, offset) else { continue };
                let found = shape::intersects(&half.into(), &mesh, pose);
                judge.case(&found);
                let meet = used.iter().any(|p| p[axis] <= offset);
                judge_verdict(judge, "half-space", step, &found, meet);
                let distance = shape::distance(&half.into(), &mesh, pose);
                judge.case(&distance);
                let zero = distance.is_some_and(|d| d.upper == 0.0);
                judge.check(zero == meet, || format!("step {step}: half-space {distance:?}"));
            }
        }
    }
}
