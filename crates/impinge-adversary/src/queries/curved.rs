//! Bodies with a support function: closest points, depth, half-spaces.

use impinge::Vec3;
use impinge::convex::{
    BodyCache, ClosestOptions, HalfSpace, HullMemory, closest_points, penetration,
};
use impinge_papers::leung::closest::{self, Acceleration, Variant};

use super::{Case, Row};
use crate::checker::Checker;
use crate::oracle::units::integer;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "support functions",
        covers: &["convex::closest_points", "convex::penetration"],
        interval: 2,
        run: bodies,
    },
    Row {
        name: "closest points, as published",
        covers: &["leung::closest::closest_points"],
        interval: 4,
        run: variants,
    },
    Row {
        name: "half-spaces",
        covers: &["convex::HalfSpace::contact"],
        interval: 2,
        run: half_spaces,
    },
];

fn bodies(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let mut near: BodyCache<HullMemory, HullMemory> = BodyCache::default();
    let mut deep: BodyCache<HullMemory, HullMemory> = BodyCache::default();
    for (step, pose, truth) in case.hull_steps(hulls) {
        let found = closest_points(&hulls.a, &hulls.b, pose, &Default::default(), &mut near);
        checker.case(&found);
        let found = found.answer;
        checker.check(truth.distance_is_between(found.lower, found.upper), || {
            format!(
                "step {step}: {found:?} excludes {}; {:?} {:?}",
                truth.approximate(),
                truth.a,
                truth.b
            )
        });
        let found = penetration(&hulls.a, &hulls.b, pose, &Default::default(), &mut deep);
        checker.case(&found);
        let found = found.answer;
        // The distance is signed: for bodies that overlap, it is minus the depth.
        let holds = if truth.meet {
            found.lower <= 0.0 && truth.depth_is_between(-found.upper, -found.lower)
        } else {
            found.upper >= 0.0 && truth.distance_is_between(found.lower.max(0.0), found.upper)
        };
        checker.check(holds, || {
            format!(
                "step {step}: {found:?} excludes {}; {:?} {:?}",
                truth.approximate(),
                truth.a,
                truth.b
            )
        });
    }
}

/// Every variant of the published iteration, each with its own cache.
fn variants(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let published = Variant::PUBLISHED;
    let variants = [
        published,
        Variant::default(),
        Variant { acceleration: Acceleration::Nesterov, ..published },
        Variant { acceleration: Acceleration::Polyak, ..Variant::default() },
    ];
    let options = ClosestOptions::default().tolerance(0.0);
    for variant in variants {
        let mut cache: BodyCache<HullMemory, HullMemory> = BodyCache::default();
        for (step, pose, truth) in case.hull_steps(hulls) {
            let (a, b) = (&hulls.a, &hulls.b);
            let found = closest::closest_points(a, b, pose, &options, variant, &mut cache);
            checker.case(&found);
            let found = found.answer;
            checker.check(truth.distance_is_between(found.lower, found.upper), || {
                let (a, b) = (&truth.a, &truth.b);
                format!(
                    "step {step}: {variant:?}: {found:?}, not {}; {a:?} {b:?}",
                    truth.approximate()
                )
            });
        }
    }
}

fn half_spaces(case: &Case<'_>, checker: &mut Checker<'_>) {
    let Some(hulls) = case.hulls() else { return };
    for (step, pose, truth) in case.hull_steps(hulls) {
        for (axis, normal) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            // The plane contains a vertex of A, so it touches B if A touches B there.
            let offset = truth.a[0][axis];
            let Ok(half) = HalfSpace::new(normal, offset) else { continue };
            let found = half.contact(&hulls.b, pose, &mut HullMemory::default());
            checker.case(&found);
            let heights = truth.b.iter().map(|p| integer(p[axis]) - integer(offset));
            let expected = heights.min().expect("a body has points");
            let holds = integer(found.lower) <= expected && expected <= integer(found.upper);
            checker.check(holds, || {
                format!("step {step}: {found:?} beyond {offset:e} of {:?}", truth.b)
            });
            let verdict = impinge::shape::intersects(
                &half.into(),
                &impinge::Shape::from(hulls.b.clone()),
                pose,
            );
            checker.case(&verdict);
            let meets = expected <= 0.into();
            checker.check(
                verdict.is_intersecting() == meets && verdict.is_separated() != meets,
                || format!("step {step}: {verdict:?} beyond {offset:e} of {:?}", truth.b),
            );
        }
    }
}
