//! Boxes and bounding volumes: their answers are conservative.

use impinge::Aabb;
use impinge_papers::klosowski::volume::{Dop6, Dop14, Dop18, Dop26, OrientedBox, Sphere, Volume};

use super::{Case, Row};
use crate::checker::Checker;
use crate::oracle::units::{Fraction, Square, Units};

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "bounding volumes",
        covers: &[
            "klosowski::volume::Volume::overlaps",
            "klosowski::volume::Volume::contains",
            "klosowski::volume::Volume::gap",
            "klosowski::volume::Volume::overlap_depth",
            "klosowski::volume::Volume::moved",
            "klosowski::volume::Volume::merged",
            "klosowski::volume::Volume::enlarged",
            "klosowski::volume::Volume::transformed",
            // Called by the volume of the same name.
            "math::OrientedBox::contains",
            "math::OrientedBox::gap",
            "math::OrientedBox::overlap_depth",
            "math::OrientedBox::overlaps",
        ],
        interval: 2,
        run: volumes,
    },
    Row {
        name: "axis-aligned boxes",
        covers: &[
            "math::Aabb::contains",
            "math::Aabb::contains_box",
            "math::Aabb::overlaps",
            "math::Aabb::distance_squared",
            "math::Pose::transform_point",
        ],
        interval: 2,
        run: boxes,
    },
];

fn volumes(case: &Case<'_>, checker: &mut Checker<'_>) {
    volumes_of::<Dop6>(case, checker);
    volumes_of::<Dop14>(case, checker);
    volumes_of::<Dop18>(case, checker);
    volumes_of::<Dop26>(case, checker);
    volumes_of::<OrientedBox>(case, checker);
    volumes_of::<Sphere>(case, checker);
}

fn volumes_of<V: Volume>(case: &Case<'_>, checker: &mut Checker<'_>) {
    let corners = |mesh: &impinge::Mesh| -> Vec<[impinge::Vec3; 3]> {
        (0..mesh.triangles().len()).map(|k| mesh.triangle(k)).collect()
    };
    let (in_a, in_b) = (corners(&case.a), corners(&case.b));
    if in_a.is_empty() || in_b.is_empty() {
        return;
    }
    let (a, b) = (V::around_triangles(&in_a), V::around_triangles(&in_b));
    checker.check(in_a.iter().flatten().all(|p| a.contains(*p)), || format!("{} of A", V::NAME));
    for (step, pose, truth) in case.steps() {
        let moved = b.moved(&V::motion(pose));
        checker.check(moved == b.transformed(pose), || format!("step {step}: {}", V::NAME));
        let holds = in_b.iter().flatten().all(|p| moved.contains(pose.transform_point(*p)));
        checker.check(holds, || format!("step {step}: {}: a moved vertex is outside", V::NAME));
        let overlap = a.overlaps(&moved);
        let gap = a.gap(&moved);
        checker.case(&(overlap, gap));
        checker.check(overlap || !truth.meet(), || format!("step {step}: {} apart", V::NAME));
        checker.check(truth.is_at_least(gap), || {
            format!("step {step}: {} gap {gap:e}, distance {:e}", V::NAME, truth.approximate())
        });
        let both = a.merged(&moved);
        let holds = in_a.iter().flatten().all(|p| both.contains(*p))
            && in_b.iter().flatten().all(|p| both.contains(pose.transform_point(*p)));
        checker.check(holds, || format!("step {step}: {}: merged", V::NAME));
        // Enlarged by the distance, the volumes must overlap.
        let distance = truth.approximate();
        if distance < 1e300 {
            let grown = moved.enlarged(distance * (1.0 + 1e-9) + 5e-324);
            checker.check(a.overlaps(&grown), || format!("step {step}: {}: enlarged", V::NAME));
        }
        if let Some(hulls) = case.hulls() {
            let (_, _, whole) = case.hull_steps(hulls).nth(step).expect("as many steps as poses");
            let depth = a.overlap_depth(&moved);
            checker.case(&depth);
            if whole.meet {
                checker.check(whole.depth_is_between(0.0, depth), || {
                    format!("step {step}: {} depth {depth:e}: {}", V::NAME, whole.approximate())
                });
            }
        }
    }
}

fn boxes(case: &Case<'_>, checker: &mut Checker<'_>) {
    let a = case.a.bounds();
    for (step, pose, truth) in case.steps() {
        if truth.distance.is_none() {
            continue;
        }
        let b = case.b.bounds_at(pose);
        let moved = case.b.bounds().transformed(pose);
        let points: Vec<_> = case.sample.b.triangles.iter().flatten().collect();
        let exact = Aabb::from_points(points.iter().map(|v| truth.posed[**v as usize]));
        checker.case(&(b, moved));
        checker.check(b == exact, || format!("step {step}: {b:?}, expected {exact:?}"));
        checker.check(moved.contains_box(&b), || {
            format!("step {step}: {moved:?} does not contain {b:?}")
        });
        let by_hand = (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k]);
        checker.check(a.overlaps(&b) == by_hand, || format!("step {step}: {a:?} {b:?}"));
        // The squared distance is rounded, so it is compared with a tolerance, where it neither
        // underflows nor overflows.
        let units = Units::new(&[a.min, a.max], &[b.min, b.max]);
        let mut numerator = num_bigint::BigInt::ZERO;
        for k in 0..3 {
            let gap = (&units.b[0][k] - &units.a[1][k]).max(&units.a[0][k] - &units.b[1][k]);
            let gap = gap.max(num_bigint::BigInt::ZERO);
            numerator += &gap * &gap;
        }
        let square = Square { value: Fraction::whole(numerator), exponent: units.exponent };
        let (found, expected) = (a.distance_squared(&b).sqrt(), square.root());
        let representable = expected == 0.0 || (1e-150..1e150).contains(&expected);
        checker.check(!representable || (found - expected).abs() <= 1e-14 * expected, || {
            format!("step {step}: boxes {found:e} apart, expected {expected:e}")
        });
    }
}
