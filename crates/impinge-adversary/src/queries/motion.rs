//! Bounds of motions: the bodies of a sample at two times, and the time at which they can meet.

use impinge::motion::{Limits, Linear, Motion, Scheduler, SpaceTimeBound, earliest_meeting};
use impinge::{Aabb, Vec3};
use impinge_oracles::number::{Number, integer};
use impinge_oracles::space_time::{MovingHalfSpace, earliest, fraction};
use impinge_papers::hubbard::earliest::{Counts, Planes, by_projection, by_subdivision};
use impinge_papers::hubbard::turk::TurkGrid;

use super::{Case, Row};
use crate::checker::Checker;

pub(super) const ROWS: &[Row] = &[Row {
    name: "bounds of motions",
    covers: &[
        "motion::earliest_meeting",
        "motion::Motion::bound",
        "motion::SpaceTimeBound::contains_point",
        "motion::SpaceTimeBound::contains_box",
        "motion::SpaceTimeBound::section",
        "motion::SpaceTimeBound::swept",
        "motion::Scheduler::advance",
        "motion::Scheduler::observe",
        "hubbard::earliest::by_projection",
        "hubbard::earliest::by_subdivision",
    ],
    interval: 16,
    run: bounds,
}];

fn half_spaces(bound: &SpaceTimeBound) -> Vec<MovingHalfSpace> {
    let half = |normal: [f64; 3], line: Linear, sign: f64| MovingHalfSpace {
        normal,
        base: sign * line.base,
        rate: sign * line.rate,
        start: bound.start(),
    };
    let mut all = Vec::new();
    for (k, [min, max]) in bound.faces().into_iter().enumerate() {
        let unit = |x: f64| [0, 1, 2].map(|j| if j == k { x } else { 0.0 });
        all.extend([half(unit(1.0), max, 1.0), half(unit(-1.0), min, -1.0)]);
    }
    all.extend(bound.cutting_plane().map(|p| half(p.normal.to_array(), p.limit, 1.0)));
    all
}

/// Whether a point is in the bound, in integers.
fn holds(bound: &SpaceTimeBound, p: Vec3, t: f64) -> bool {
    half_spaces(bound).iter().all(|half| {
        let product = |x: f64, y: f64| integer(x).times(&integer(y));
        let left = (0..3).map(|k| product(half.normal[k], p[k]));
        let time = integer(t).minus(&integer(half.start));
        let right = product(half.base, 1.0).plus(&integer(half.rate).times(&time));
        left.fold(right, |room, term| room.minus(&term)).signum() >= 0
    })
}

/// A is at rest and may accelerate; B moves from its first pose to the others, one unit of time
/// each.
fn bounds(case: &Case<'_>, checker: &mut Checker<'_>) {
    let posed: Vec<Vec<Vec3>> = case.steps().map(|(_, _, truth)| truth.posed.clone()).collect();
    let of_a = Aabb::from_points(case.sample.a.vertices.iter().copied());
    let boxes: Vec<Aabb> = posed.iter().map(|p| Aabb::from_points(p.iter().copied())).collect();
    if of_a.is_empty() || boxes.iter().any(Aabb::is_empty) {
        return;
    }
    let size = of_a.extent().max_element().max(boxes[0].extent().max_element());
    let d = Vec3::new(1.0, -0.5, 0.25);
    let at_rest = Limits::none().acceleration(0.5 * size).never_towards(d);
    let a = Motion::at(Vec3::ZERO).velocity(Vec3::ZERO).extent(of_a).limits(at_rest);
    let start = if case.sample.index % 2 == 0 { 0.0 } else { 1e9 };
    let (Ok(a), (first, last)) = (a.bound(start, start + 2.0), (boxes[0], boxes[2])) else {
        return;
    };
    // B's box from pose to pose, as an application with faces of its own.
    let faces = [0, 1, 2].map(|k| {
        let low = first.min[k].min(boxes[1].min[k]).min(last.min[k]);
        let high = first.max[k].max(boxes[1].max[k]).max(last.max[k]);
        [Linear { base: low, rate: 0.0 }, Linear { base: high, rate: 0.0 }]
    });
    let b = SpaceTimeBound::from_faces(start, start + 2.0, faces, None);
    let Ok(b) = b else {
        checker.fail(format!("the box of B is no bound: {b:?}"));
        return;
    };
    for (step, corners) in posed.iter().enumerate() {
        let t = start + step as f64;
        for p in corners.iter().chain(&case.sample.a.vertices) {
            for bound in [&a, &b] {
                let inside = bound.contains_point(*p, t);
                checker.case(&inside);
                checker.check(inside == holds(bound, *p, t), || format!("{p} at {t}: {bound:?}"));
                let rounded = bound.section(t).contains(*p);
                checker.check(rounded || !inside, || format!("{p} out of the section at {t}"));
            }
        }
        let both = [(&a, &of_a), (&b, &boxes[step])];
        for (bound, bounds) in both {
            checker.check(bound.contains_box(bounds, t), || format!("{bounds:?} at {t}"));
            checker.check(bound.swept(start, t).contains_box(bounds), || format!("swept, {t}"));
        }
    }
    let found = earliest_meeting(&a, &b);
    checker.case(&found);
    let exact = earliest(&[half_spaces(&a), half_spaces(&b)].concat(), start, start + 2.0);
    let is_early = match (&found, &exact) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(found), Some(exact)) => fraction(*found).compare(exact).is_le(),
    };
    checker.check(is_early, || format!("{found:?} is late: {a:?} {b:?}"));
    checker.count(if found.is_some() { "bounds that meet" } else { "bounds that stay apart" });
    let pair = [a, b];
    let mut counts = Counts::default();
    let swept = by_projection(&pair, start, Planes::Exact, &mut counts);
    let divided = by_subdivision(&pair, start, 12, Planes::Exact, &mut counts);
    let times = [swept, divided].map(|first| first.map(|first| first.time));
    checker.check(times == [found; 2], || format!("{times:?}, expected {found:?}: {a:?} {b:?}"));
    scheduled(case, checker, &pair, found);
    grid(checker, &[of_a, first, boxes[1], last], size);
}

/// The pair is due in the first interval that ends at its earliest meeting or later.
fn scheduled(
    case: &Case<'_>,
    checker: &mut Checker<'_>,
    bounds: &[SpaceTimeBound; 2],
    earliest: Option<f64>,
) {
    let start = bounds[0].start();
    let Ok(mut scheduler) = Scheduler::new(start) else {
        checker.fail(format!("no scheduler at {start}"));
        return;
    };
    let bodies = [scheduler.add(), scheduler.add()];
    for (body, bound) in bodies.iter().zip(bounds) {
        scheduler.set(*body, &[*bound]);
        let own = Aabb::from_points(case.sample.a.vertices.iter().copied());
        if *body == bodies[0] {
            checker.check(scheduler.observe(*body, &[own]), || format!("A at rest: {bound:?}"));
        }
    }
    for step in 0..8 {
        let t = start + 0.25 * f64::from(step);
        let due = scheduler.advance(t).map(|due| due.pairs().to_vec());
        let expected = earliest.is_some_and(|earliest| earliest <= t);
        let is_due = due.as_ref().is_ok_and(|pairs| *pairs == [(bodies[0], bodies[1])]);
        checker.case(&is_due);
        checker.check(is_due == expected, || format!("at {t}: {due:?}, earliest {earliest:?}"));
    }
}

/// Turk's grid finds the pairs of boxes that overlap.
fn grid(checker: &mut Checker<'_>, boxes: &[Aabb], size: f64) {
    let mut pairs = Vec::new();
    TurkGrid::new(size.max(1e-300)).pairs(boxes, |a, b| {
        pairs.push((a as usize, b as usize));
        true
    });
    pairs.sort_unstable();
    let all = (0..boxes.len()).flat_map(|a| (a + 1..boxes.len()).map(move |b| (a, b)));
    let expected: Vec<_> = all.filter(|(a, b)| boxes[*a].overlaps(&boxes[*b])).collect();
    checker.check(pairs == expected, || format!("{pairs:?}, expected {expected:?}: {boxes:?}"));
}
