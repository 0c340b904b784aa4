//! Bodies with a support function: closest points, depth, half-spaces.

use impinge::Vec3;
use impinge::convex::{
    BodyCache, ClosestOptions, HalfSpace, HullMemory, closest_points, penetration,
};
use impinge_papers::leung::closest::{self, Acceleration, Variant};

use super::{Case, Row};
use crate::judge::Judge;
use crate::oracle::units::integer;

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "support functions",
        covers: &["convex::closest_points", "convex::penetration"],
        every: 2,
        ask: bodies,
    },
    Row {
        name: "closest points, as published",
        covers: &["leung::closest::closest_points"],
        every: 4,
        ask: variants,
    },
    Row {
        name: "half-spaces",
        covers: &["convex::HalfSpace::contact"],
        every: 2,
        ask: half_spaces,
    },
];

fn bodies(case: &Case<'_>, judge: &mut Judge<'_>) {
    let Some(hulls) = case.hulls() else { return };
    let mut near: BodyCache<HullMemory, HullMemory> = BodyCache::default();
    let mut deep: BodyCache<HullMemory, HullMemory> = BodyCache::default();
    for (step, pose, truth) in case.hull_steps(hulls) {
        let found = closest_points(&hulls.a, &hulls.b, pose, &Default::default(), &mut near);
        judge.case(&found);
        let found = found.answer;
        judge.check(truth.distance_is_between(found.lower, found.upper), || {
            format!(
                "step {step}: {found:?} excludes {}; {:?} {:?}",
                truth.roughly(),
                truth.a,
                truth.b
            )
        });
        let found = penetration(&hulls.a, &hulls.b, pose, &Default::default(), &mut deep);
        judge.case(&found);
        let found = found.answer;
        // Signed: minus the depth of bodies that overlap.
        let holds = if truth.meet {
            found.lower <= 0.0 && truth.depth_is_between(-found.upper, -found.lower)
        } else {
            found.upper >= 0.0 && truth.distance_is_between(found.lower.max(0.0), found.upper)
        };
        judge.check(holds, || {
            format!(
                "step {step}: {found:?} excludes {}; {:?} {:?}",
                truth.roughly(),
                truth.a,
                truth.b
            )
        });
    }
}

/// Every variant of the published iteration; each has a cache of its own.
fn variants(case: &Case<'_>, judge: &mut Judge<'_>) {
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
            judge.case(&found);
            let found = found.answer;
            judge.check(truth.distance_is_between(found.lower, found.upper), || {
                let (a, b) = (&truth.a, &truth.b);
                format!("step {step}: {variant:?}: {found:?}, not {}; {a:?} {b:?}", truth.roughly())
            });
        }
    }
}

fn half_spaces(case: &Case<'_>, judge: &mut Judge<'_>) {
    let Some(hulls) = case.hulls() else { return };
    for (step, pose, truth) in case.hull_steps(hulls) {
        for (axis, normal) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            // Through a point of A, so that it touches B where A does.
            let offset = truth.a[0][axis];
            let Ok(half) = HalfSpace::new(normal, offset) else { continue };
            let found = half.contact(&hulls.b, pose, &mut HullMemory::default());
            judge.case(&found);
            let heights = truth.b.iter().map(|p| integer(p[axis]) - integer(offset));
            let truly = heights.min().expect("a body has points");
            let holds = integer(found.lower) <= truly && truly <= integer(found.upper);
            judge.check(holds, || {
                format!("step {step}: {found:?} beyond {offset:e} of {:?}", truth.b)
            });
            let verdict = impinge::shape::intersects(
                &half.into(),
                &impinge::Shape::from(hulls.b.clone()),
                pose,
            );
            judge.case(&verdict);
            let meets = truly <= 0.into();
            judge.check(
                verdict.is_intersecting() == meets && verdict.is_separated() != meets,
                || format!("step {step}: {verdict:?} beyond {offset:e} of {:?}", truth.b),
            );
        }
    }
}
