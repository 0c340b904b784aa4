//! The two SIMD backends against each other, and the stages of a query against exact arithmetic.

use super::super::answer::Outcome;
use super::super::ending::Finish;
use super::*;
use crate::convex::query::stage;
use crate::math::Random;
use crate::wide::dispatch;
use crate::wide::dispatch::Baseline;

/// Hulls of several vertex counts, long, flat and round.
fn hulls(random: &mut Random) -> Vec<Hull> {
    let mut hulls = Vec::new();
    for count in [1, 2, 4, 8, 30, 200] {
        for stretch in [Vec3::ONE, Vec3::new(1.0, 0.1, 0.1), Vec3::new(1.0, 1.0, 0.0)] {
            let points: Vec<_> = (0..count).map(|_| random.direction() * stretch).collect();
            hulls.push(Hull::new(&points).unwrap());
        }
    }
    hulls
}

#[test]
fn portable_and_simd_backends_agree() {
    let mut random = Random::new(21);
    let hulls = hulls(&mut random);
    let (mut intersecting, mut separated) = (0, 0);
    for a in &hulls {
        for b in &hulls {
            let turn = random.rotation();
            let pose = Pose::from_quaternion(turn.to_array(), random.in_cube()).unwrap();
            let pose = &pose;
            let mut caches: [HullCache; 4] = Default::default();
            let [p, q, r, s] = &mut caches;
            let simd = dispatch::run(IntersectionTask::<_, false> {
                a,
                b,
                pose,
                cache: p,
                ending: Finish,
            });
            let portable = IntersectionTask::<_, false> { a, b, pose, cache: q, ending: Finish }
                .run::<Baseline>();
            assert_eq!(simd.is_intersecting(), portable.is_intersecting());
            let simd = dispatch::run(ContactTask::<Outcome, _, false> {
                a,
                b,
                pose,
                cache: r,
                growth_steps: u32::MAX,
                ending: Finish,
                answer: PhantomData,
            });
            let portable = ContactTask::<Outcome, _, false> {
                a,
                b,
                pose,
                cache: s,
                growth_steps: u32::MAX,
                ending: Finish,
                answer: PhantomData,
            }
            .run::<Baseline>();
            match (simd, portable) {
                (Outcome::Separated(p, ..), Outcome::Separated(q, ..)) => {
                    assert!(p.lower <= q.upper && q.lower <= p.upper, "{p:?} {q:?}");
                    separated += 1;
                }
                (Outcome::Intersecting(p, _), Outcome::Intersecting(q, _)) => {
                    assert!(p.lower <= q.upper && q.lower <= p.upper, "{p:?} {q:?}");
                    intersecting += 1;
                }
                _ => panic!("{simd:?} {portable:?}"),
            }
        }
    }
    assert!(intersecting > 50 && separated > 50, "{intersecting} {separated}");
}

#[test]
fn depth_of_a_body_in_itself_is_its_least_width() {
    let mut random = Random::new(5);
    let points: Vec<_> = (0..60).map(|_| random.direction() * Vec3::new(3.0, 2.0, 1.0)).collect();
    let hull = Hull::new(&points).unwrap();
    let mut cache = HullCache::default();
    let (a, b, pose) = (&hull, &hull, &Pose::IDENTITY);
    let found = dispatch::run(ContactTask::<Outcome, _, false> {
        a,
        b,
        pose,
        cache: &mut cache,
        growth_steps: u32::MAX,
        ending: Finish,
        answer: PhantomData,
    });
    let Outcome::Intersecting(overlap, common) = found else {
        panic!("a body meets itself");
    };
    assert!(common.verify(hull.vertices(), hull.vertices()));
    let along = |d: Vec3| hull.vertices().iter().map(move |p| p.dot(d)).fold(f64::MIN, f64::max);
    let width = |d: Vec3| along(d) + along(-d);
    assert!((width(overlap.direction) - overlap.upper).abs() < 1e-13, "{overlap:?}");
    assert!(overlap.upper - overlap.lower < 1e-12, "{overlap:?}");
    for _ in 0..10_000 {
        assert!(width(random.direction()) >= overlap.lower);
    }
    assert!(
        (overlap.point_a - overlap.point_b).distance(overlap.direction * overlap.upper) < 1e-12,
        "{overlap:?}"
    );
}

/// Two bodies that touch or nearly touch, with coordinates that may be very large against their
/// size.
struct TouchingBodies {
    a: Vec<Vec3>,
    b: Vec<Vec3>,
    pose: Pose,
}

fn ulps(x: f64, by: i64) -> f64 {
    // Floating-point numbers are ordered as their bits, on either side of zero.
    let place = |x: f64| if x < 0.0 { -((-x).to_bits() as i64) } else { x.to_bits() as i64 };
    // Adding zero gives both zeros one sign.
    let at = place(x + 0.0) + by;
    if at < 0 { -f64::from_bits(-at as u64) } else { f64::from_bits(at as u64) }
}

/// A rotation, an axis-aligned one, or a matrix that is barely accepted as one.
fn turn(random: &mut Random, kind: usize) -> [[f64; 3]; 3] {
    let q = match kind % 4 {
        0 => glam::DQuat::IDENTITY,
        1 => glam::DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0).normalize(),
        _ => random.rotation(),
    };
    let m = Pose::from_quaternion(q.to_array(), Vec3::ZERO).unwrap().to_matrix();
    let stretch = if kind % 4 == 3 { 1.0 + 4e-10 * random.range(-1.0, 1.0) } else { 1.0 };
    m.map(|[x, y, z, _]| [x * stretch, y * stretch, z * stretch])
}

/// Bodies of about `size`. The coordinates of A, of B in its own frame, the translation, or all of
/// them are about `far`.
fn touching_bodies(
    random: &mut Random,
    size: f64,
    far: f64,
    kind: usize,
) -> Option<TouchingBodies> {
    let matrix_kind = random.index(4);
    let m = turn(random, matrix_kind);
    let offset = random.direction() * far;
    let (own, moved) = match kind % 4 {
        0 => (Vec3::ZERO, offset),
        1 => (offset, Vec3::ZERO),
        2 => (offset, random.direction() * far),
        _ => {
            let there = |i: usize| Vec3::from(m[i]).dot(offset);
            (offset, -Vec3::new(there(0), there(1), there(2)))
        }
    };
    let matrix = [0, 1, 2].map(|i| [m[i][0], m[i][1], m[i][2], moved[i]]);
    let pose = Pose::from_matrix(matrix).ok()?;
    let count = [1, 2, 3, 4, 8, 30, 60][random.index(7)];
    let b: Vec<Vec3> = (0..count).map(|_| random.direction() * size + own).collect();
    let b = Hull::new(&b).ok()?.vertices().to_vec();
    let placed: Vec<Vec3> = b.iter().map(|v| pose.transform_point(*v)).collect();
    // A touches the furthest vertex of B in some direction, or a point between several vertices,
    // and lies beyond it.
    let n = random.direction();
    let furthest = |k: usize, p: &Vec3| n.dot(*p) > n.dot(placed[k]);
    let mut on = (1..placed.len()).fold(0, |k, i| if furthest(k, &placed[i]) { i } else { k });
    if random.index(8) == 0 {
        on = random.index(placed.len());
    }
    let other = placed[random.index(placed.len())];
    let mut at = match random.index(4) {
        0 => placed[on] * 0.5 + other * 0.5,
        _ => placed[on],
    };
    for k in 0..3 {
        at[k] = ulps(at[k], [0, 0, 1, -1, 3, -40][random.index(6)] * (kind as i64 / 4 % 2));
    }
    if kind / 8 % 4 == 0 {
        at += n * size * random.range(-20.0, 1.0).exp2();
    }
    let mut a = vec![at];
    for _ in 0..[0, 1, 2, 3, 7, 25][random.index(6)] {
        a.push(at + (n + random.in_cube() * 0.7) * size);
    }
    let fits = |p: &Vec3| p.abs().max_element() <= 1e60;
    (a.iter().all(fits) && b.iter().all(fits)).then_some(TouchingBodies { a, b, pose })
}

/// Regression: a separating direction found in `f32` ignored the rounding of B's vertices far from
/// the origin. The proof was wrong, and touching bodies were reported as separated.
#[test]
fn verdicts_and_proofs_hold_for_large_coordinates() {
    let mut random = Random::new(77);
    let sizes = [1.0, 1e-3, 1e-30, 1e-39, 1e-45, 1e-200, 1e-310, 1e20, 1e39, 1e41, 1e58];
    let ratios = [0.0, 1.0, 1e4, 1e7, 1e9, 1e10, 1e11, 1e12, 1e14, 1e16, 1e19, 1e30];
    // For each ratio of coordinates to size: how many queries each stage decided.
    let mut stage_counts = [[0_u32; 3]; 12];
    let mut verdicts = [0_u32; 2];
    for round in 0..12_000 {
        let ratio = round % 12;
        let size = if round % 2 == 0 { 1.0 } else { sizes[random.index(11)] };
        let far = ratios[ratio] * size;
        let kind = random.index(64);
        let Some(TouchingBodies { a, b, pose }) = touching_bodies(&mut random, size, far, kind)
        else {
            continue;
        };
        let (Ok(p), Ok(q)) = (Hull::new(&a), Hull::new(&b)) else { continue };
        let (a, pose) = (p.vertices(), &pose);
        let there: Vec<Vec3> = q.vertices().iter().map(|v| pose.transform_point(*v)).collect();
        let exact = crate::convex::decide::decide(a, &there, &Hint::NONE);
        assert!(exact.verify(a, &there));
        let intersects = exact.is_intersecting();
        verdicts[usize::from(intersects)] += 1;
        let (a_hull, b_hull) = (&p, &q);
        let mut cache = HullCache::default();
        stage::take_counts();
        let simd = dispatch::run(IntersectionTask::<_, false> {
            a: a_hull,
            b: b_hull,
            pose,
            cache: &mut cache,
            ending: Finish,
        });
        let counts = stage::take_counts();
        assert_eq!(counts.iter().sum::<u32>(), 1, "{counts:?}");
        for (sum, count) in stage_counts[ratio].iter_mut().zip(counts) {
            *sum += count;
        }
        let mut none = HullCache::default();
        let portable = IntersectionTask::<_, false> {
            a: a_hull,
            b: b_hull,
            pose,
            cache: &mut none,
            ending: Finish,
        }
        .run::<Baseline>();
        let again = dispatch::run(IntersectionTask::<_, true> {
            a: a_hull,
            b: b_hull,
            pose,
            cache: &mut cache,
            ending: Finish,
        });
        let mut other = HullCache::default();
        let task = ContactTask::<Outcome, _, false> {
            a: a_hull,
            b: b_hull,
            pose,
            cache: &mut other,
            growth_steps: u32::MAX,
            ending: Finish,
            answer: PhantomData,
        };
        let contact = dispatch::run(task);
        let after = dispatch::run(IntersectionTask::<_, true> {
            a: a_hull,
            b: b_hull,
            pose,
            cache: &mut other,
            ending: Finish,
        });
        let case = format!("{round}: size {size:e} far {far:e} kind {kind}");
        let others = [portable, again, after].map(|found| found);
        for decision in [simd].into_iter().chain(others) {
            assert_eq!(decision.is_intersecting(), intersects, "{case} {decision:?}");
            assert!(decision.verify(a, &there), "{case} {decision:?} {a:?} {there:?}");
        }
        match contact {
            Outcome::Separated(distance, direction, gap) => {
                assert!(!intersects && gap.verify(a, &there), "{case} {gap:?}");
                assert!((direction.length() - 1.0).abs() < 1e-14, "{case} {direction}");
                let exact = crate::convex::decide::closest(a, &there, &Hint::NONE).unwrap();
                let holds = distance.lower <= exact.upper && exact.lower <= distance.upper;
                assert!(holds, "{case} {distance:?} {exact:?}");
            }
            Outcome::Intersecting(overlap, common) => {
                assert!(intersects && common.verify(a, &there), "{case}");
                assert!(overlap.lower <= overlap.upper, "{case} {overlap:?}");
            }
        }
    }
    assert!(verdicts.iter().all(|n| *n > 2000), "{verdicts:?}");
    // Every stage decides some queries while the bodies are not too small for their coordinates;
    // the exact stage decides some at every ratio.
    for (ratio, counts) in ratios.iter().zip(stage_counts) {
        assert!(counts[2] > 50, "{ratio:e} {counts:?}");
        assert!(counts[0] > 20 || *ratio > 1e12, "{ratio:e} {counts:?}");
        assert!(counts[1] > 20 || *ratio > 1e12, "{ratio:e} {counts:?}");
    }
}
