//! Hubbard 1995, sections V and VI: the projection and the subdivision method agree with the exact
//! minimum over all pairs, and the figure as printed does not.

#![allow(clippy::unwrap_used, reason = "a failure in a test helper fails the test")]

use impinge::Vec3;
use impinge::internals::Random;
use impinge::motion::{
    CuttingPlane, Limits, Linear, Motion, Scheduler, SpaceTimeBound, earliest_meeting,
};
use impinge_papers::hubbard::broad_phase::{Bodies, BroadPhase};
use impinge_papers::hubbard::earliest::{Counts, Earliest, Planes, by_projection, by_subdivision};

/// The earliest meeting of all pairs, and the number of pairs that meet.
fn by_all_pairs(bounds: &[SpaceTimeBound], from: f64) -> (Option<f64>, usize) {
    let until = bounds.iter().fold(f64::INFINITY, |end, bound| end.min(bound.end()));
    let mut times = Vec::new();
    for (n, a) in bounds.iter().enumerate() {
        for b in &bounds[n + 1..] {
            let time = earliest_meeting(&a.starting_at(from), &b.starting_at(from));
            times.extend(time.filter(|time| *time <= until));
        }
    }
    (times.iter().copied().reduce(f64::min), times.len())
}

/// Bodies of random motion in a room of this size; with few bits, so that times coincide often.
fn scene(random: &mut Random, count: usize, room: f64, few_bits: bool) -> Vec<SpaceTimeBound> {
    let mut number = |size: f64| {
        let x = random.signed() * size;
        if few_bits { (x * 4.0).round() / 4.0 } else { x }
    };
    (0..count)
        .map(|n| {
            let mut limits = Limits::none().acceleration(number(2.0).abs());
            let d = Vec3::new(number(1.0), number(1.0), number(1.0));
            if n % 4 != 0 && d != Vec3::ZERO {
                limits = limits.never_towards(d);
            }
            let x = Vec3::new(number(room), number(room), number(room));
            let v = Vec3::new(number(2.0), number(2.0), number(2.0));
            let radius = if n % 5 == 0 { 0.0 } else { number(0.5).abs() };
            Motion::at(x).velocity(v).radius(radius).limits(limits).bound(3.0, 4.5).unwrap()
        })
        .collect()
}

#[test]
fn both_methods_find_the_minimum_over_all_pairs() {
    let mut random = Random::new(41);
    let (mut at_once, mut later, mut never, mut cut) = (0, 0, 0, 0);
    for round in 0..160 {
        let count = 2 + random.index(30);
        let room = [2.0, 6.0, 20.0, 60.0][random.index(4)];
        let bounds = scene(&mut random, count, room, round % 2 == 0);
        let from = [3.0, 3.0, 3.25][random.index(3)];
        let (first, _) = by_all_pairs(&bounds, from);
        let mut counts = Counts::default();
        let projected = by_projection(&bounds, from, Planes::Exact, &mut counts);
        assert_eq!(projected.map(|found| found.time), first, "{round}");
        for leaf_faces in [2, 8, 32] {
            let found = by_subdivision(&bounds, from, leaf_faces, Planes::Exact, &mut counts);
            assert_eq!(found.map(|found| found.time), first, "{round}");
        }
        if let Some(Earliest { time, pair: [a, b] }) = projected {
            assert!(a < b);
            let [a, b] = [a, b].map(|n| bounds[n].starting_at(from));
            assert_eq!(earliest_meeting(&a, &b), Some(time));
        }
        match first {
            None => never += 1,
            Some(time) if time == from => at_once += 1,
            Some(_) => later += 1,
        }
        // As printed: never earlier than the exact time, but for its own rounding.
        let printed = by_projection(&bounds, from, Planes::AsPrinted, &mut counts);
        let slack = 1e-9;
        match (printed, first) {
            (Some(printed), Some(first)) => assert!(printed.time >= first - slack, "{round}"),
            (Some(_), None) => panic!("round {round}: the figure finds what is not there"),
            (None, _) => {}
        }
        cut += usize::from(printed.map(|found| found.time) != first);
    }
    assert!(at_once > 15 && later > 30 && never > 15 && cut > 3, "{at_once} {later} {never} {cut}");
}

/// T2 = [-10, 10]^2 cut by y <= 0.1 x. T1 enters through x = 10 at y >= 2, above the plane, and
/// then reaches (10, 0.97), which is in both: at the face of T1 that is normal to y.
#[test]
fn the_figure_misses_an_intersection_at_another_face() {
    let still = |low: f64, high: f64| [low, high].map(|base| Linear { base, rate: 0.0 });
    let cut = CuttingPlane { normal: Vec3::new(-0.1, 1.0, 0.0), limit: Linear::default() };
    let t2 = [still(-10.0, 10.0), still(-10.0, 10.0), still(0.0, 1.0)];
    let t2 = SpaceTimeBound::from_faces(0.0, 1.0, t2, Some(cut)).unwrap();
    let moving =
        |base: f64, rate: f64, high: f64| [Linear { base, rate }, Linear { base: high, rate: 0.0 }];
    let t1 = [moving(10.5, -1.5, 12.0), moving(2.525, -1.575, 5.0), still(0.0, 1.0)];
    let t1 = SpaceTimeBound::from_faces(0.0, 1.0, t1, None).unwrap();
    // At the end T1 occupies x >= 9, y >= 0.95.
    assert_eq!((t1.section(1.0).min.x, (t1.section(1.0).min.y - 0.95).abs() < 1e-12), (9.0, true));
    assert!(t1.contains_point(Vec3::new(10.0, 0.97, 0.5), 1.0));
    assert!(t2.contains_point(Vec3::new(10.0, 0.97, 0.5), 1.0));
    let bounds = [t1, t2];
    let mut counts = Counts::default();
    assert_eq!(by_projection(&bounds, 0.0, Planes::AsPrinted, &mut counts), None);
    assert_eq!(by_subdivision(&bounds, 0.0, 2, Planes::AsPrinted, &mut counts), None);
    let exact = earliest_meeting(&t1, &t2);
    assert!((exact.unwrap() - 1.525 / 1.575).abs() < 1e-12, "{exact:?}");
    let corrected = Some(Earliest { time: exact.unwrap(), pair: [0, 1] });
    assert_eq!(by_projection(&bounds, 0.0, Planes::Exact, &mut counts), corrected);
    assert_eq!(by_subdivision(&bounds, 0.0, 2, Planes::Exact, &mut counts), corrected);
}

/// A rectangle of which one corner is behind the plane is not cut off.
#[test]
fn a_rectangle_is_cut_off_when_all_corners_are_in_front_of_one_plane() {
    let still = |low: f64, high: f64| [low, high].map(|base| Linear { base, rate: 0.0 });
    let with_plane = |limit: f64| {
        let plane = CuttingPlane {
            normal: Vec3::new(0.0, 1.0, 1.0),
            limit: Linear { base: limit, rate: 0.0 },
        };
        let faces = [still(2.0, 3.0), still(0.0, 1.0), still(0.0, 1.0)];
        SpaceTimeBound::from_faces(0.0, 4.0, faces, Some(plane)).unwrap()
    };
    let faces =
        [[0.0, 1.0].map(|base| Linear { base, rate: 0.5 }), still(0.0, 1.0), still(0.0, 1.0)];
    let mover = SpaceTimeBound::from_faces(0.0, 4.0, faces, None).unwrap();
    for (limit, expected) in [(3.0, Some(2.0)), (0.5, Some(2.0)), (0.0, Some(2.0)), (-0.5, None)] {
        for planes in [Planes::Exact, Planes::AsPrinted] {
            let mut counts = Counts::default();
            let found = by_projection(&[mover, with_plane(limit)], 0.0, planes, &mut counts);
            assert_eq!(found.map(|found| found.time), expected, "{limit} {planes:?}");
        }
    }
}

/// Two points that approach each other along x, at constant speed, for the broad phase of Fig. 9.
struct Approaching {
    /// Where the second one is at time zero; it stands still.
    other: f64,
    asked: u32,
}

impl Bodies for Approaching {
    fn bounds(&mut self, time: f64, bounds: &mut Vec<SpaceTimeBound>) {
        let limits = Limits::none().acceleration(1.0);
        let at = |x: f64, v: f64| {
            let body = Motion::at(Vec3::X * x).velocity(Vec3::X * v).radius(0.5).limits(limits);
            body.bound(time, time + 2.0).unwrap()
        };
        bounds.extend([at(time, 1.0), at(self.other, 0.0)]);
    }

    fn intersect(&mut self, _: [usize; 2], time: f64) -> bool {
        self.asked += 1;
        self.other - time <= 1.0
    }
}

#[test]
fn the_broad_phase_works_only_when_bounds_meet_and_finds_the_contact() {
    let mut bodies = Approaching { other: 10.0, asked: 0 };
    let mut phase = BroadPhase::new(0.0, 0.01, Planes::Exact);
    let (mut idle, mut found) = (0, None);
    for frame in 0..400 {
        let now = f64::from(frame) * 0.025;
        let builds = phase.builds;
        found = phase.detect(now, &mut bodies);
        idle += u32::from(phase.builds == builds);
        if found.is_some() {
            break;
        }
        assert!(phase.next_time() > now);
    }
    let (pair, time) = found.unwrap();
    assert_eq!(pair, [0, 1]);
    // They touch at 9; the resolution is 0.01.
    assert!((9.0..9.02).contains(&time), "{time}");
    assert!(idle > 300, "{idle} of 361 frames did nothing");
}

/// A ball that passes another one within 0.2.
struct Passing;

impl Passing {
    fn motion(time: f64) -> [Motion; 2] {
        let limits = Limits::none().acceleration(1.0);
        let at = |x: f64, v: f64| {
            Motion::at(Vec3::X * x).velocity(Vec3::X * v).radius(0.5).limits(limits)
        };
        [at(10.0 * time - 5.0, 10.0), at(0.0, 0.0)]
    }
}

impl Bodies for Passing {
    fn bounds(&mut self, time: f64, bounds: &mut Vec<SpaceTimeBound>) {
        let all = Self::motion(time).map(|motion| motion.bound(time, time + 2.0).unwrap());
        bounds.extend(all);
    }

    fn intersect(&mut self, _: [usize; 2], time: f64) -> bool {
        (10.0 * time - 5.0).abs() <= 1.0
    }
}

#[test]
fn a_contact_shorter_than_the_resolution_is_missed_but_not_by_the_scheduler() {
    for (resolution, is_found) in [(0.05, true), (1.0, false)] {
        let mut phase = BroadPhase::new(0.0, resolution, Planes::Exact);
        let found = (1..=40).any(|n| phase.detect(f64::from(n) * 0.1, &mut Passing).is_some());
        assert_eq!(found, is_found, "{resolution}");
    }
    // The scheduler compares the interval, however long the frame is.
    let mut scheduler = Scheduler::new(0.0).unwrap();
    let bodies = [scheduler.add(), scheduler.add()];
    for (body, motion) in bodies.iter().zip(Passing::motion(0.0)) {
        scheduler.set(*body, &[motion.bound(0.0, 2.0).unwrap()]);
    }
    assert_eq!(scheduler.advance(1.0).unwrap().pairs(), [(bodies[0], bodies[1])]);
}
