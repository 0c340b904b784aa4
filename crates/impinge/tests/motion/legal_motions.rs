//! Motions that keep their limits stay in the bound, in exact arithmetic.

use impinge::internals::Random;
use impinge::motion::{Limits, Motion, SpaceTimeBound, Spin};
use impinge::{Aabb, Vec3};
use num_rational::BigRational;

use super::half_spaces;

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("a finite number")
}

fn ratio(a: i64, b: i64) -> BigRational {
    BigRational::new(a.into(), b.into())
}

type Exact3 = [BigRational; 3];

fn exact3(v: Vec3) -> Exact3 {
    v.to_array().map(exact)
}

/// `a + b s`.
fn along(a: &Exact3, b: &Exact3, s: &BigRational) -> Exact3 {
    [0, 1, 2].map(|k| &a[k] + &b[k] * s)
}

/// Whether a point is in a bound, from the definition of its half-spaces.
fn is_inside(bound: &SpaceTimeBound, p: &Exact3, t: &BigRational) -> bool {
    half_spaces(bound).iter().all(|half| {
        let normal = half.normal.map(exact);
        let left = &normal[0] * &p[0] + &normal[1] * &p[1] + &normal[2] * &p[2];
        left <= exact(half.base) + exact(half.rate) * (t - exact(half.start))
    })
}

/// A vector of sixteenths, of length at most one; now and then of length one along an axis.
fn direction(random: &mut Random) -> [i64; 3] {
    if random.index(3) == 0 {
        let mut axis = [0; 3];
        axis[random.index(3)] = [16, -16][random.index(2)];
        return axis;
    }
    loop {
        let v = [0; 3].map(|_| random.index(33) as i64 - 16);
        if v.iter().map(|x| x * x).sum::<i64>() <= 256 {
            return v;
        }
    }
}

#[test]
fn accelerations_up_to_the_limit_stay_inside_at_all_scales() {
    let mut random = Random::new(11);
    let mut extreme = 0;
    for round in 0..80 {
        let scale = [1.0, 1.0, 3e-7, 1e40, 1e-150, 7e-310][random.index(6)];
        let offset = [0.0, 1e3, 1e10][random.index(3)] * scale;
        let start = [0.0, -3.7, 1e9, 0.1][random.index(4)];
        let end = start + [0.3, 1.0, 7.0][random.index(3)];
        let acceleration = random.unit() * 4.0 * scale;
        let d = random.direction() * [1.0, 1e-9, 1e30][random.index(3)];
        let has_plane = random.index(2) == 0;
        let mut limits = Limits::none().acceleration(acceleration);
        if has_plane {
            limits = limits.never_towards(d);
        }
        let x = random.in_cube() * scale + Vec3::splat(offset);
        let v = random.in_cube() * 2.0 * scale;
        let radius = random.unit() * 0.2 * scale;
        let bound = Motion::at(x).velocity(v).radius(radius).limits(limits);
        let bound = bound.bound(start, end).unwrap();
        // Constant accelerations over parts of the time, all in rationals.
        let (mut x, mut v, mut t) = (exact3(x), exact3(v), exact(start));
        let parts = 1 + random.index(4) as i64;
        let step = (exact(end) - exact(start)) * ratio(1, parts);
        let fixed = direction(&mut random);
        for _ in 0..parts {
            let unit = if round % 2 == 0 { fixed } else { direction(&mut random) };
            let mut a = unit.map(|x| ratio(x, 16) * exact(acceleration));
            let towards: BigRational = (0..3).map(|k| &a[k] * exact(d[k])).sum();
            if has_plane && towards > ratio(0, 1) {
                a = a.map(|a| -a);
            }
            for sample in 0..=3 {
                let s = &step * ratio(sample, 3);
                let at = along(&along(&x, &v, &s), &a, &(&s * &s * ratio(1, 2)));
                let now = &t + &s;
                // Points of the ball: along the axes, and in between.
                for corner in [[16, 0, 0], [0, -16, 0], [0, 0, 16], direction(&mut random)] {
                    let ball = corner.map(|x| ratio(x, 16));
                    let point = along(&at, &ball, &exact(radius));
                    assert!(is_inside(&bound, &point, &now), "{round}: {bound:?}");
                    extreme += 1;
                }
            }
            x = along(&along(&x, &v, &step), &a, &(&step * &step * ratio(1, 2)));
            v = along(&v, &a, &step);
            t += &step;
        }
    }
    assert!(extreme > 1000, "{extreme}");
}

#[test]
fn bounds_are_tight_where_limits_are_reached() {
    // At the end, a body that accelerates by the limit along an axis is on the face.
    let limits = Limits::none().acceleration(2.0);
    let bound = Motion::at(Vec3::ONE).velocity(Vec3::X).radius(0.25).limits(limits);
    let bound = bound.bound(1.0, 4.0).unwrap();
    assert_eq!(bound.section(4.0).max.x, 1.0 + 3.0 + 9.0 + 0.25);
    assert_eq!(bound.section(1.0), Aabb::from_corners(Vec3::splat(0.75), Vec3::splat(1.25)));
    assert!(bound.contains_point(Vec3::new(13.25, 1.0, 1.0), 4.0));
    let beyond = f64::from_bits(13.25_f64.to_bits() + 1);
    assert!(!bound.contains_point(Vec3::new(beyond, 1.0, 1.0), 4.0));
    // A body that does not accelerate has a bound of its own size, at all times.
    let inert = Motion::at(Vec3::ONE).velocity(Vec3::X).radius(0.25).limits(Limits::inert());
    let inert = inert.bound(1.0, 4.0).unwrap();
    assert_eq!(inert.section(3.0).max - inert.section(3.0).min, Vec3::splat(0.5));
}

#[test]
fn speed_limits_hold_for_motions_that_reach_them() {
    let mut random = Random::new(3);
    for _ in 0..40 {
        let (limit, acceleration) = (0.5 + random.unit(), random.unit() * 3.0);
        let v = random.signed() * limit;
        let end = 0.5 + random.unit() * 4.0;
        let limits = Limits::none().acceleration(acceleration).speed(limit);
        let bound = Motion::at(Vec3::ZERO).velocity(Vec3::X * v).limits(limits);
        let bound = bound.bound(0.0, end).unwrap();
        let without = Limits::none().speed(limit);
        let without = Motion::at(Vec3::ZERO).limits(without).bound(0.0, end).unwrap();
        let (v, m, top) = (exact(v), exact(acceleration), exact(limit));
        for sample in 0..=8 {
            let t = exact(end) * ratio(sample, 8);
            for sign in [1, -1] {
                // Accelerates until it has the largest speed.
                let until = (&top - ratio(sign, 1) * &v) / &m;
                let gaining = if t < until { t.clone() } else { until };
                let x = &v * &t + ratio(sign, 1) * (&m * &gaining * (&t - &gaining * ratio(1, 2)));
                let p = [x, ratio(0, 1), ratio(0, 1)];
                assert!(is_inside(&bound, &p, &t) && is_inside(&without, &p, &t));
            }
        }
    }
}

#[test]
fn parts_of_a_body_that_tumbles_and_accelerates_stay_inside() {
    let mut random = Random::new(17);
    for _ in 0..100 {
        let axis = random.direction();
        let (spin_now, spin_up) = (random.unit() * 2.0, random.unit());
        let end = 0.2 + random.unit();
        let offset = random.in_cube() * 5.0;
        let (x, v, a) = (random.in_cube(), random.in_cube(), random.direction() * 1.5);
        // The slack of the radius and of the limits is for the rounding of this test.
        let spin = Spin {
            velocity: axis * spin_now,
            speed: (spin_now + spin_up * end) * (1.0 + 1e-12),
            acceleration: spin_up * (1.0 + 1e-12),
        };
        let limits = Limits::none().acceleration(1.5 * (1.0 + 1e-12)).never_towards(-a);
        let body = Motion::at(x).velocity(v).limits(limits);
        let part = body.part(offset, 1e-9, &spin).unwrap();
        let bound = part.bound(0.0, end).unwrap();
        assert_eq!(bound.cutting_plane(), None);
        for sample in 0..=100 {
            let t = end.min(end * f64::from(sample) / 100.0);
            let angle = spin_now * t + 0.5 * spin_up * t * t;
            let (sin, cos) = angle.sin_cos();
            let turned =
                offset * cos + axis.cross(offset) * sin + axis * (axis.dot(offset) * (1.0 - cos));
            let at = x + v * t + a * (0.5 * t * t) + turned;
            assert!(bound.contains_point(at, t), "{at} at {t} of {end}");
        }
        // The same body as one ball is not cut either if its part is at the reference point.
        assert!(
            body.part(Vec3::ZERO, 1.0, &spin)
                .unwrap()
                .bound(0.0, end)
                .unwrap()
                .cutting_plane()
                .is_some()
        );
    }
}

#[test]
fn a_tolerance_contains_all_states_within_it() {
    let mut random = Random::new(23);
    let limits = Limits::none().acceleration(1.0).never_towards(Vec3::new(1.0, 2.0, -3.0));
    let about = Motion::at(Vec3::ONE).velocity(Vec3::X).limits(limits).tolerance(0.1, 0.2);
    let about = about.bound(0.0, 2.0).unwrap();
    for _ in 0..100 {
        let (dx, dv) = (random.in_cube() * 0.1, random.in_cube() * 0.2);
        let state = Motion::at(Vec3::ONE + dx).velocity(Vec3::X + dv).limits(limits);
        let state = state.bound(0.0, 2.0).unwrap();
        for (outer, inner) in half_spaces(&about).iter().zip(half_spaces(&state)) {
            let slack = 1e-12;
            assert_eq!(outer.normal, inner.normal);
            assert!(outer.base + slack >= inner.base && outer.rate + slack >= inner.rate);
        }
    }
}
