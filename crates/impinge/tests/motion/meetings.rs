//! Earliest meetings, compared with exact elimination.

use impinge::Vec3;
use impinge::internals::Random;
use impinge::motion::{CuttingPlane, Limits, Linear, Motion, SpaceTimeBound, earliest_meeting};
use impinge_oracles::space_time::{earliest, fraction};

use super::half_spaces;

/// Compares a pair with the oracle. Returns the result.
///
/// The result may be early only by rounding: by as much as all faces, moved by `16` units in the
/// last place of the largest coordinate, can change the exact minimum. So the oracle's minimum for
/// these larger bounds must not be later.
fn checked(a: &SpaceTimeBound, b: &SpaceTimeBound) -> Option<f64> {
    let found = earliest_meeting(a, b);
    assert_eq!(found, earliest_meeting(b, a), "{a:?} {b:?}");
    let (from, until) = (a.start().max(b.start()), a.end().min(b.end()));
    let both = [half_spaces(a), half_spaces(b)].concat();
    let exact = earliest(&both, from, until);
    if let Some(exact) = &exact {
        let Some(found) = found else { panic!("they meet: {a:?} {b:?}") };
        assert!(fraction(found).compare(exact).is_le(), "{found:e} is late: {a:?} {b:?}");
        assert!(found >= from && found <= until);
    }
    if let Some(found) = found {
        let grown: Vec<_> = both
            .iter()
            .map(|half| {
                // The size of the coordinates in which this half-space was computed.
                let span = (until - half.start).abs();
                let largest = both
                    .iter()
                    .filter(|other| other.normal.iter().filter(|n| **n != 0.0).count() == 1)
                    .map(|other| other.base.abs() + other.rate.abs() * span)
                    .fold(0.0, f64::max);
                let is_face = half.normal.iter().filter(|n| **n != 0.0).count() == 1;
                let normal: f64 = half.normal.iter().map(|n| n.abs()).sum();
                let own = half.base.abs() + half.rate.abs() * span;
                let size = if is_face { own } else { normal * largest + own };
                let mut half = *half;
                half.base += size * 64.0 * f64::EPSILON + if size < 1e-290 { 1e-321 } else { 0.0 };
                half
            })
            .collect();
        let early = earliest(&grown, from, until);
        let Some(early) = early else { panic!("they stay apart: {found:e} {a:?} {b:?}") };
        let slack = fraction(found + found.abs() * 1e-15 + (until - from) * 1e-14);
        assert!(early.compare(&slack).is_le(), "{found:e} is early: {a:?} {b:?}");
    }
    found
}

/// Numbers with few bits, so that exact contacts are frequent, or any.
fn number(random: &mut Random, few_bits: bool) -> f64 {
    match few_bits {
        true => (random.signed() * 8.0).round(),
        false => random.signed() * 8.0,
    }
}

fn random_bound(random: &mut Random, few_bits: bool, scale: f64, offset: f64) -> SpaceTimeBound {
    loop {
        let start = number(random, few_bits).abs() / 8.0;
        let end = start + 1.0 + number(random, few_bits).abs();
        let faces = [0; 3].map(|_| {
            let place = number(random, few_bits) * 0.75;
            let width = number(random, few_bits).abs();
            let rate = number(random, few_bits);
            let growth = number(random, few_bits).abs();
            let at = |x: f64, rate: f64| Linear { base: x * scale + offset, rate: rate * scale };
            [at(place, rate), at(place + width, rate + growth)]
        });
        let normal = Vec3::from_array([0; 3].map(|_| number(random, few_bits)));
        let limit = faces
            .iter()
            .zip(normal.to_array())
            .map(|([min, max], n)| n * (0.5 * min.base + 0.5 * max.base))
            .sum::<f64>();
        let rate = number(random, few_bits) * scale;
        let plane = (random.index(4) > 0 && normal != Vec3::ZERO)
            .then_some(CuttingPlane { normal, limit: Linear { base: limit, rate } });
        if let Ok(bound) = SpaceTimeBound::from_faces(start, end, faces, plane) {
            return bound;
        }
    }
}

#[test]
fn earliest_meetings_agree_with_exact_elimination() {
    let mut random = Random::new(5);
    let (mut later, mut never, mut at_once) = (0, 0, 0);
    for round in 0..3000 {
        let few_bits = round % 2 == 0;
        let scale = [1.0, 1.0, 1e-9, 1e40, 1e-300, 1e9][random.index(6)];
        let offset = [0.0, 0.0, 1e3, -1e12][random.index(4)] * scale;
        let a = random_bound(&mut random, few_bits, scale, offset);
        let b = random_bound(&mut random, few_bits, scale, offset);
        match checked(&a, &b) {
            None => never += 1,
            Some(t) if t == a.start().max(b.start()) => at_once += 1,
            Some(_) => later += 1,
        }
    }
    assert!(later > 300 && never > 300 && at_once > 100, "{later} {never} {at_once}");
}

#[test]
fn faces_that_meet_exactly_at_a_time_meet_at_that_time() {
    let faces = |x: f64, v: f64| {
        let at = |x: f64, rate: f64| Linear { base: x, rate };
        [[at(x, v), at(x + 1.0, v)], [at(0.0, 0.0), at(1.0, 0.0)], [at(0.0, 0.0), at(1.0, 0.0)]]
    };
    let bound = |x: f64, v: f64| SpaceTimeBound::from_faces(8.0, 12.0, faces(x, v), None).unwrap();
    // Exact in binary: 3 apart, at 1.5.
    assert_eq!(checked(&bound(0.0, 1.0), &bound(4.0, -0.5)), Some(10.0));
    // At the end of both.
    assert_eq!(checked(&bound(0.0, 0.5), &bound(3.0, 0.0)), Some(12.0));
    let later = f64::from_bits(3.0_f64.to_bits() + 1);
    assert_eq!(checked(&bound(0.0, 0.5), &bound(later, 0.0)), None);
    // Sliding along each other: they touch from the start on.
    assert_eq!(checked(&bound(0.0, 3.0), &bound(1.0, 3.0)), Some(8.0));
    assert_eq!(checked(&bound(0.0, 3.0), &bound(f64::from_bits(1.0_f64.to_bits() + 1), 3.0)), None);
}

/// The counter-example to Figure 8 of the paper: T2 = [-10, 10]^2 cut by y <= 0.1 x. T1 enters
/// through x = 10 above the plane, then moves below it; no face of T1 that the figure tries meets
/// the plane.
#[test]
fn the_common_region_of_two_planes_counts_and_not_only_faces() {
    let still =
        |low: f64, high: f64| [Linear { base: low, rate: 0.0 }, Linear { base: high, rate: 0.0 }];
    let t2 = SpaceTimeBound::from_faces(
        0.0,
        2.0,
        [still(-10.0, 10.0), still(-10.0, 10.0), still(0.0, 1.0)],
        Some(CuttingPlane { normal: Vec3::new(-0.1, 1.0, 0.0), limit: Linear::default() }),
    )
    .unwrap();
    let falling = |base: f64, rate: f64| Linear { base, rate };
    let t1 = SpaceTimeBound::from_faces(
        0.0,
        2.0,
        [
            [falling(10.5, -1.5), falling(12.0, 0.0)],
            [falling(2.0, -1.05), falling(5.0, 0.0)],
            still(0.0, 1.0),
        ],
        None,
    )
    .unwrap();
    let time = checked(&t1, &t2).unwrap();
    // (10, 1) is common when the lower face of T1 is at y = 1.
    assert!((time - 1.0 / 1.05).abs() < 1e-12, "{time}");
    let section = t1.section(1.0);
    assert_eq!((section.min.x, section.min.y), (9.0, 0.95));
}

#[test]
fn planes_that_face_each_other_keep_boxes_apart_that_overlap() {
    // Points that fly apart: each avoids the direction to the other.
    let fly = |x: f64, away: Vec3| {
        let limits = Limits::none().acceleration(10.0).never_towards(-away);
        Motion::at(Vec3::X * x).velocity(Vec3::ZERO).limits(limits).bound(0.0, 1.0).unwrap()
    };
    let slanted = Vec3::new(1.0, 1.0, 0.5);
    let (a, b) = (fly(0.0, -slanted), fly(0.5, slanted));
    assert!(a.section(0.5).overlaps(&b.section(0.5)));
    assert_eq!(checked(&a, &b), None);
    // One of them without the direction: now they may meet.
    let free = Limits::none().acceleration(10.0);
    let free = Motion::at(Vec3::X * 0.5).velocity(Vec3::ZERO).limits(free).bound(0.0, 1.0).unwrap();
    assert!(checked(&a, &free).is_some());
}

#[test]
fn times_far_from_zero() {
    for start in [0.0_f64, 1e6, 1e15, -1e9, 1e40] {
        let step = f64::max(1.0, start.abs() * 1e-12);
        let make = |x: f64, v: f64| {
            let limits = Limits::none().acceleration(0.25 / (step * step));
            let body = Motion::at(Vec3::X * x).velocity(Vec3::X * (v / step)).radius(0.5);
            body.limits(limits).bound(start, start + 4.0 * step).unwrap()
        };
        let time = checked(&make(0.0, 1.0), &make(5.0, -1.0)).unwrap();
        // The faces are 4 apart and approach by 2 + 2 * (0.25 * 4 / 2).
        assert!(((time - start) / step - 4.0 / 3.0).abs() < 2e-3, "{start:e}: {time:e}");
    }
}

#[test]
fn bounds_that_do_not_hold_at_the_same_time_do_not_meet() {
    let limits = Limits::inert();
    let body = Motion::at(Vec3::ZERO).velocity(Vec3::ZERO).radius(1.0).limits(limits);
    let (early, late) = (body.bound(0.0, 1.0).unwrap(), body.bound(2.0, 3.0).unwrap());
    assert_eq!(checked(&early, &body.bound(1.0, 3.0).unwrap()), Some(1.0));
    assert_eq!(earliest_meeting(&early, &late), None);
    assert_eq!(earliest_meeting(&early.expiring(0.5), &body.bound(0.75, 3.0).unwrap()), None);
}
