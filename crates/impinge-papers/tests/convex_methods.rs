//! Clipping, perceptron planes and races compared with exact results.

use impinge::convex::Hull;
use impinge::internals::decide::{Hint, decide};
use impinge::{Pose, Vec3};
use impinge_oracles::convex_scenes::{
    Random, Relation, fraction, meet, moved, relation_of_integer_hulls,
};
use impinge_papers::leung::separating::{self, Prepared, Query, Scratch, Search};
use impinge_papers::zachmann::clipping::{Clipping, ClippingPreChecks, clip};
use impinge_papers::zachmann::perceptron::{self, FirstPlane, Learning, Perceptron};
use impinge_papers::zachmann::race::{Winner, interleaved, parallel};

const CHECKS: [ClippingPreChecks; 3] =
    [ClippingPreChecks::NONE, ClippingPreChecks::OBJECT_BOX, ClippingPreChecks::COLLECT];

fn options() -> Vec<perceptron::Options> {
    let mut all = Vec::new();
    for learning in [
        Learning::Relaxed { eta: 0.25, relaxation: 1.0 },
        Learning::Relaxed { eta: 0.25, relaxation: 0.97 },
        Learning::Adaptive,
    ] {
        for first in [FirstPlane::Axis, FirstPlane::Centroids, FirstPlane::Boxes] {
            all.push(perceptron::Options::new(learning, first, 2000).expect("valid options"));
        }
    }
    all
}

/// Points, segments, polygons and solids, with contacts of every kind.
#[test]
fn verdicts_are_exact_for_integer_coordinates() {
    let mut random = Random::new(21);
    let mut seen = [0; 3];
    let (mut found, mut missed) = (0, 0);
    for _ in 0..250 {
        let (a, b) = (random.integer_hull(4), random.integer_hull(4));
        let pose = random.integer_pose(3);
        let truth = relation_of_integer_hulls(a.vertices(), &moved(&b, &pose));
        seen[truth as usize] += 1;
        for checks in CHECKS {
            assert_eq!(
                clip(&a, &b, &pose, checks).meet,
                truth != Relation::Apart,
                "{checks:?} {a:?} {b:?} {pose:?}"
            );
        }
        for options in options() {
            let output = perceptron::separate(&a, &b, &pose, options, &mut Default::default());
            assert_eq!(output.is_certain(), !output.collision);
            if let Some(gap) = output.separation {
                assert_eq!(truth, Relation::Apart);
                assert!(gap.verify(a.vertices(), &moved(&b, &pose)));
            }
            if truth == Relation::Apart {
                if output.collision { missed += 1 } else { found += 1 }
            }
        }
    }
    assert!(seen.iter().all(|n| *n > 10), "{seen:?}");
    assert!(found > 20 * missed, "{found} {missed}");
}

/// Random solids near first contact, where faces of the moved body are not flat because of
/// rounding.
#[test]
fn verdicts_are_exact_near_first_contact() {
    let mut random = Random::new(22);
    let cube: Vec<Vec3> = (0..8_u32)
        .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5)
        .collect();
    let cube = Hull::new(&cube).unwrap();
    let mut doubts = 0;
    for round in 0..30 {
        let a = if round % 2 == 0 {
            cube.clone()
        } else {
            random.ellipsoid(9, Vec3::new(1.0, 0.7, 0.4))
        };
        let turn = random.pose(Vec3::ZERO);
        let direction = random.direction();
        let at = |r: f64| Pose::from_translation(direction * r).unwrap().compose(&turn).unwrap();
        let hits =
            |r: f64| decide(a.vertices(), &moved(&cube, &at(r)), &Hint::NONE).is_intersecting();
        let (mut low, mut high) = (0.0, 3.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if hits(middle) { low = middle } else { high = middle }
        }
        for offset in [-0.3, -1e-6, -1e-12, -1e-15, 0.0, 1e-15, 1e-12, 1e-6, 0.3] {
            let pose = at(high + offset);
            let expected = hits(high + offset);
            if round < 2 {
                let b = Hull::new(&moved(&cube, &pose)).unwrap();
                assert_eq!(meet(&a, &b), expected);
            }
            for checks in CHECKS {
                let output = clip(&a, &cube, &pose, checks);
                assert_eq!(output.meet, expected, "{checks:?} {offset}");
                doubts += usize::from(output.was_in_doubt);
                assert!(!output.was_in_doubt || offset.abs() < 1e-9);
            }
            let output = perceptron::separate(
                &a,
                &cube,
                &pose,
                perceptron::Options::THESIS,
                &mut Default::default(),
            );
            assert!(output.collision || !expected);
        }
    }
    assert!(doubts > 30, "{doubts}");
}

/// The points of the witness are exactly in both bodies.
#[test]
fn witnesses_are_common_points() {
    let mut random = Random::new(23);
    let mut count = 0;
    for _ in 0..60 {
        let (a, b) =
            (random.ellipsoid(10, Vec3::ONE), random.ellipsoid(10, Vec3::new(1.0, 0.5, 0.2)));
        let center = random.point() * 0.9;
        let pose = random.pose(center);
        let Some(inside) = clip(&a, &b, &pose, ClippingPreChecks::COLLECT).witness else {
            continue;
        };
        let b = Hull::new(&moved(&b, &pose)).unwrap();
        let other = if inside.of_a { &b } else { &a };
        for t in inside.interval {
            assert!((0.0..=1.0).contains(&t));
            let along = |k: usize| {
                let [p, q] = inside.edge.map(|v| fraction(v[k]));
                &p + (&q - &p) * fraction(t)
            };
            let x: [_; 3] = std::array::from_fn(along);
            for face in other.faces() {
                let c = [face[0], face[1], face[2]].map(|v| other.vertices()[v as usize]);
                let e = |i: usize, k: usize| fraction(c[i][k]) - fraction(c[0][k]);
                let w = |k: usize| &x[k] - fraction(c[0][k]);
                let minor = |i: usize, j: usize| e(1, i) * e(2, j) - e(1, j) * e(2, i);
                let height = minor(1, 2) * w(0) + minor(2, 0) * w(1) + minor(0, 1) * w(2);
                assert!(height <= fraction(0.0));
            }
        }
        count += 1;
    }
    assert!(count > 20, "{count}");
}

/// One body inside the other: no face is collected for one of the bodies, where the thesis would
/// return "outside".
#[test]
fn a_body_inside_the_other_intersects() {
    let mut random = Random::new(24);
    let small = random.ellipsoid(20, Vec3::ONE * 0.1);
    let large = random.ellipsoid(40, Vec3::ONE * 3.0);
    for checks in CHECKS {
        assert!(clip(&small, &large, &Pose::IDENTITY, checks).meet);
        assert!(clip(&large, &small, &Pose::IDENTITY, checks).meet);
        let away = Pose::from_translation([2.2, 2.2, 2.2]).unwrap();
        assert!(!clip(&small, &large, &away, checks).meet);
        assert!(!clip(&large, &small, &away, checks).meet);
    }
}

/// Pre-checks reduce the work and do not change the result.
#[test]
fn pre_checks_save_clips() {
    let mut random = Random::new(25);
    let (a, b) = (random.ellipsoid(100, Vec3::ONE), random.ellipsoid(100, Vec3::ONE));
    let pose = Pose::from_translation([2.01, 0.0, 0.0]).unwrap();
    let clips = CHECKS.map(|checks| clip(&a, &b, &pose, checks).counts.clips);
    assert!(clips[0] > 4 * clips[1] && clips[1] >= clips[2], "{clips:?}");
}

/// Every pairing of methods, on one thread and on two, has the verdict of the exact decision.
#[test]
fn races_do_not_change_the_verdict() {
    let mut random = Random::new(26);
    let mut winners = [0; 2];
    for round in 0..200 {
        let (a, b) = if round % 4 == 0 {
            (random.integer_hull(4), random.integer_hull(4))
        } else {
            (
                random.ellipsoid(30, Vec3::new(1.0, 0.8, 0.5)),
                random.ellipsoid(30, Vec3::new(1.0, 0.1, 0.1)),
            )
        };
        let pose = if round % 4 == 0 {
            random.integer_pose(3)
        } else {
            let center = random.point() * 1.1;
            random.pose(center)
        };
        let expected = decide(a.vertices(), &moved(&b, &pose), &Hint::NONE).is_intersecting();
        let clipping = || Clipping::new(&a, &b, &pose, ClippingPreChecks::COLLECT);
        let plane =
            || Perceptron::new(&a, &b, &pose, perceptron::Options::THESIS, &Default::default());
        for slices in [(1, 1), (8, 1), (0, 5)] {
            let outcome = interleaved(&mut clipping(), &mut plane(), slices);
            assert_eq!(outcome.meet, Some(expected));
            assert_eq!(outcome, interleaved(&mut clipping(), &mut plane(), slices));
            winners[usize::from(outcome.winner == Some(Winner::Second))] += 1;
        }
        assert_eq!(parallel(&mut clipping(), &mut plane()).meet, Some(expected));
        assert_eq!(parallel(&mut plane(), &mut clipping()).meet, Some(expected));
        let (body_a, body_b) = (Prepared::new(&a), Prepared::new(&b));
        let mut scratch = Scratch::default();
        let query =
            Query { a: &body_a, b: &body_b, pose: &pose, options: separating::Options::THESIS };
        let mut search = Search::new(query, &Default::default(), &mut scratch);
        assert_eq!(interleaved(&mut search, &mut clipping(), (1, 4)).meet, Some(expected));
    }
    assert!(winners.iter().all(|n| *n > 50), "{winners:?}");
}

/// The plane of one frame usually separates the bodies in the next frame.
#[test]
fn planes_are_reused_in_the_next_frame() {
    let mut random = Random::new(27);
    let (a, b) = (random.ellipsoid(50, Vec3::ONE), random.ellipsoid(50, Vec3::new(1.0, 0.3, 0.3)));
    let learning = Learning::Relaxed { eta: 0.03, relaxation: 1.0 };
    let options = perceptron::Options::new(learning, FirstPlane::Axis, 1000).unwrap();
    let mut cache = perceptron::PerceptronCache::default();
    let mut turns = [0; 2];
    for frame in 0..100 {
        let t = f64::from(frame) * 0.01;
        let turn = Pose::from_axis_angle([1.0, 2.0, 3.0], t).unwrap();
        let pose = Pose::from_translation([t, 1.9, t]).unwrap().compose(&turn).unwrap();
        let cold = perceptron::separate(&a, &b, &pose, options, &mut Default::default());
        let warm = perceptron::separate(&a, &b, &pose, options, &mut cache);
        turns[0] += cold.iterations;
        turns[1] += warm.iterations;
    }
    assert!(turns[0] > 500 && turns[1] * 10 < turns[0], "{turns:?}");
}

#[test]
fn all_methods_decide_at_every_scale() {
    let mut random = Random::new(28);
    for scale in [1e-300, 1e-160, 1e-30, 1.0, 1e30, 6e59] {
        let (a, b) =
            (random.ellipsoid(12, Vec3::ONE * scale), random.ellipsoid(12, Vec3::ONE * scale));
        for (distance, expected) in [(2.5, false), (0.5, true)] {
            let Ok(shift) = Pose::from_translation(Vec3::new(0.6, 0.8, 0.0) * scale * distance)
            else {
                continue;
            };
            assert_eq!(clip(&a, &b, &shift, ClippingPreChecks::COLLECT).meet, expected, "{scale}");
            let output = perceptron::separate(
                &a,
                &b,
                &shift,
                perceptron::Options::THESIS,
                &mut Default::default(),
            );
            assert!(output.collision || !expected);
            if (1e-100..1e50).contains(&scale) {
                assert_eq!(output.collision, expected, "{scale}");
            }
        }
    }
}

/// Two disjoint cones, where the box of a face of one reaches into the box of the other but the
/// face does not. After clipping at the collected faces alone, a part of an edge remains.
#[test]
fn edges_are_clipped_at_faces_not_collected_too() {
    let mut cone: Vec<Vec3> = (0..99)
        .map(|k| {
            let (s, c) = (std::f64::consts::TAU * f64::from(k) / 99.0).sin_cos();
            Vec3::new(c, s, 0.0)
        })
        .collect();
    cone.push(Vec3::Z * 2.0);
    let cone = Hull::new(&cone).unwrap();
    let pose = Pose::from_matrix([
        [
            -0.294_581_085_364_061_7,
            0.808_662_113_867_687_5,
            -0.509_202_876_799_389_9,
            1.990_488_083_710_443_5,
        ],
        [
            -0.955_584_374_557_164,
            -0.254_269_309_298_562_2,
            0.149_015_507_417_938_8,
            -1.433_962_340_764_707,
        ],
        [
            -0.008_971_468_548_965_467,
            0.530_483_462_460_306_5,
            0.847_647_809_416_269,
            -0.219_045_892_302_609_62,
        ],
    ])
    .unwrap();
    for checks in CHECKS {
        assert!(!clip(&cone, &cone, &pose, checks).meet, "{checks:?}");
    }
    // Random poses near contact.
    let mut random = Random::new(29);
    let mut seen = [0; 2];
    for _ in 0..400 {
        let at = random.point() * 2.0;
        let pose = random.pose(at);
        let expected = decide(cone.vertices(), &moved(&cone, &pose), &Hint::NONE).is_intersecting();
        seen[usize::from(expected)] += 1;
        for checks in CHECKS {
            assert_eq!(clip(&cone, &cone, &pose, checks).meet, expected, "{checks:?} {pose:?}");
        }
    }
    assert!(seen.iter().all(|n| *n > 50), "{seen:?}");
}
