//! The two backends against each other, and the stages of a query against exact arithmetic.

use super::super::answer::Standing;
use super::*;
use crate::convex::query::stage;
use crate::math::Random;
use crate::wide::dispatch;
use crate::wide::dispatch::Baseline;

/// Hulls of all sizes and shapes.
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
fn arrays_and_registers_agree() {
    let mut random = Random::new(21);
    let hulls = hulls(&mut random);
    let (mut met, mut apart) = (0, 0);
    for a in &hulls {
        for b in &hulls {
            let turn = random.rotation();
            let pose = Pose::from_quaternion(turn.to_array(), random.in_cube()).unwrap();
            let pose = &pose;
            let mut caches: [HullCache; 4] = Default::default();
            let [p, q, r, s] = &mut caches;
            let quick = dispatch::run(Meet::<false> { a, b, pose, cache: p });
            let plain = Meet::<false> { a, b, pose, cache: q }.run::<Baseline>();
            assert_eq!(quick.is_intersecting(), plain.is_intersecting());
            let quick = dispatch::run(Measure::<Standing, false> {
                a,
                b,
                pose,
                cache: r,
                answer: PhantomData,
            });
            let plain = Measure::<Standing, false> { a, b, pose, cache: s, answer: PhantomData }
                .run::<Baseline>();
            match (quick, plain) {
                (Standing::Apart(p, ..), Standing::Apart(q, ..)) => {
                    assert!(p.lower <= q.upper && q.lower <= p.upper, "{p:?} {q:?}");
                    apart += 1;
                }
                (Standing::Meeting(p, _), Standing::Meeting(q, _)) => {
                    assert!(p.lower <= q.upper && q.lower <= p.upper, "{p:?} {q:?}");
                    met += 1;
                }
                _ => panic!("{quick:?} {plain:?}"),
            }
        }
    }
    assert!(met > 50 && apart > 50, "{met} {apart}");
}

#[test]
fn a_body_in_itself_is_as_deep_as_it_is_narrow() {
    let mut random = Random::new(5);
    let points: Vec<_> = (0..60).map(|_| random.direction() * Vec3::new(3.0, 2.0, 1.0)).collect();
    let hull = Hull::new(&points).unwrap();
    let mut cache = HullCache::default();
    let (a, b, pose) = (&hull, &hull, &Pose::IDENTITY);
    let Standing::Meeting(overlap, common) = dispatch::run(Measure::<Standing, false> {
        a,
        b,
        pose,
        cache: &mut cache,
        answer: PhantomData,
    }) else {
        panic!()
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

/// Two bodies that touch, or nearly so, with numbers as far from their size as can be.
struct Close {
    a: Vec<Vec3>,
    b: Vec<Vec3>,
    pose: Pose,
}

fn ulps(x: f64, by: i64) -> f64 {
    // The order of numbers is that of their bits, from zero on either side.
    let place = |x: f64| if x < 0.0 { -((-x).to_bits() as i64) } else { x.to_bits() as i64 };
    // Adding zero gives both zeros one sign.
    let at = place(x + 0.0) + by;
    if at < 0 { -f64::from_bits(-at as u64) } else { f64::from_bits(at as u64) }
}

/// A rotation, an axis-aligned one, or a matrix that is barely taken for one.
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

/// Bodies of about `size`, with coordinates of about `far`: A, B in its own frame, the
/// translation, or all of them.
fn close(random: &mut Random, size: f64, far: f64, kind: usize) -> Option<Close> {
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
    // A touches the vertex of B that is furthest in some direction, or a point between several,
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
    (a.iter().all(fits) && b.iter().all(fits)).then_some(Close { a, b, pose })
}

/// A direction that separated bodies in `f32` did not count how B's vertices are rounded far
/// from the origin: the proof did not hold, and bodies that touch were called apart.
#[test]
fn verdicts_and_proofs_hold_where_numbers_are_large_for_the_bodies() {
    let mut random = Random::new(77);
    let sizes = [1.0, 1e-3, 1e-30, 1e-39, 1e-45, 1e-200, 1e-310, 1e20, 1e39, 1e41, 1e58];
    let ratios = [0.0, 1.0, 1e4, 1e7, 1e9, 1e10, 1e11, 1e12, 1e14, 1e16, 1e19, 1e30];
    // By how large the numbers are: which stage decided.
    let mut by_far = [[0_u32; 3]; 12];
    let mut verdicts = [0_u32; 2];
    for round in 0..12_000 {
        let ratio = round % 12;
        let size = if round % 2 == 0 { 1.0 } else { sizes[random.index(11)] };
        let far = ratios[ratio] * size;
        let kind = random.index(64);
        let Some(Close { a, b, pose }) = close(&mut random, size, far, kind) else { continue };
        let (Ok(p), Ok(q)) = (Hull::new(&a), Hull::new(&b)) else { continue };
        let (a, pose) = (p.vertices(), &pose);
        let there: Vec<Vec3> = q.vertices().iter().map(|v| pose.transform_point(*v)).collect();
        let exact = crate::convex::decide::decide(a, &there, &Hint::NONE);
        assert!(exact.verify(a, &there));
        let meets = exact.is_intersecting();
        verdicts[usize::from(meets)] += 1;
        let (a_hull, b_hull) = (&p, &q);
        let mut cache = HullCache::default();
        stage::take();
        let quick = dispatch::run(Meet::<false> { a: a_hull, b: b_hull, pose, cache: &mut cache });
        let counts = stage::take();
        assert_eq!(counts.iter().sum::<u32>(), 1, "{counts:?}");
        for (sum, count) in by_far[ratio].iter_mut().zip(counts) {
            *sum += count;
        }
        let mut none = HullCache::default();
        let plain =
            Meet::<false> { a: a_hull, b: b_hull, pose, cache: &mut none }.run::<Baseline>();
        let again = dispatch::run(Meet::<true> { a: a_hull, b: b_hull, pose, cache: &mut cache });
        let mut other = HullCache::default();
        let known = Measure::<Standing, false> {
            a: a_hull,
            b: b_hull,
            pose,
            cache: &mut other,
            answer: PhantomData,
        };
        let contact = dispatch::run(known);
        let after = dispatch::run(Meet::<true> { a: a_hull, b: b_hull, pose, cache: &mut other });
        let case = format!("{round}: size {size:e} far {far:e} kind {kind}");
        for decision in [quick, plain, again, after] {
            assert_eq!(decision.is_intersecting(), meets, "{case} {decision:?}");
            assert!(decision.verify(a, &there), "{case} {decision:?} {a:?} {there:?}");
        }
        match contact {
            Standing::Apart(distance, direction, gap) => {
                assert!(!meets && gap.verify(a, &there), "{case} {gap:?}");
                assert!((direction.length() - 1.0).abs() < 1e-14, "{case} {direction}");
                let exact = crate::convex::decide::closest(a, &there, &Hint::NONE).unwrap();
                let holds = distance.lower <= exact.upper && exact.lower <= distance.upper;
                assert!(holds, "{case} {distance:?} {exact:?}");
            }
            Standing::Meeting(overlap, common) => {
                assert!(meets && common.verify(a, &there), "{case}");
                assert!(overlap.lower <= overlap.upper, "{case} {overlap:?}");
            }
        }
    }
    assert!(verdicts.iter().all(|n| *n > 2000), "{verdicts:?}");
    // Every stage decides while the bodies are not too small for their numbers, and the exact
    // one to the end.
    for (ratio, counts) in ratios.iter().zip(by_far) {
        assert!(counts[2] > 50, "{ratio:e} {counts:?}");
        assert!(counts[0] > 20 || *ratio > 1e12, "{ratio:e} {counts:?}");
        assert!(counts[1] > 20 || *ratio > 1e12, "{ratio:e} {counts:?}");
    }
}
