//! Closest points and bounds of the distance, compared with integer arithmetic.

use std::cmp::Ordering;

use impinge::closest::{point_segment, point_triangle, segment_segment, triangle_triangle};
use impinge::internals::triangle_triangle_with_error;
use impinge::{Distance, Vec3};
use impinge_oracles::points::{Fraction, Frame, Random, cases};

/// Largest difference of two coordinates.
fn size(points: &[Vec3]) -> f64 {
    points.iter().map(|p| (*p - points[0]).abs().max_element()).fold(0.0, f64::max)
}

/// The largest difference of the bounds, relative to the size, and a description of its case.
#[derive(Default)]
struct WidestBounds(f64, String);

impl WidestBounds {
    fn check(
        &mut self,
        what: &str,
        points: &[Vec3],
        found: &Distance,
        frame: &Frame,
        square: &Fraction,
    ) {
        let size = size(points);
        assert!(found.lower <= found.upper, "{what} {points:?}: {found:?}");
        assert_ne!(
            frame.compare_square(found.lower, square),
            Ordering::Greater,
            "{what} {points:?}: {found:?}"
        );
        assert_ne!(
            frame.compare_square(found.upper, square),
            Ordering::Less,
            "{what} {points:?}: {found:?}"
        );
        // Three denormal units are allowed, because the bounds are floats.
        let gap = (found.upper - found.lower - 1.5e-323).max(0.0);
        let gap = if gap == 0.0 { 0.0 } else { gap / size };
        if gap > self.0 {
            *self = Self(gap, format!("{what} {points:?}: {found:?}"));
        }
    }
}

/// Checks all four functions on six points.
fn check(points: &[Vec3; 6], widest: &mut WidestBounds) {
    let frame = Frame::of(points);
    let [a, b, c, d, e, f] = frame.points(points);
    let [pa, pb, pc, pd, pe, pf] = *points;
    let square = impinge_oracles::points::point_segment(&a, [&d, &e]);
    widest.check("point-segment", &[pa, pd, pe], &point_segment(pa, &[pd, pe]), &frame, &square);
    let found = point_triangle(pa, &[pd, pe, pf]);
    let square = impinge_oracles::points::point_triangle(&a, &[d.clone(), e.clone(), f.clone()]);
    widest.check("point-triangle", &[pa, pd, pe, pf], &found, &frame, &square);
    let found = segment_segment(&[pa, pb], &[pd, pe]);
    let square = impinge_oracles::points::segment_segment([&a, &b], [&d, &e]);
    widest.check("segment-segment", &[pa, pb, pd, pe], &found, &frame, &square);
    let found = triangle_triangle(&[pa, pb, pc], &[pd, pe, pf]);
    let square = impinge_oracles::points::triangle_triangle(&[a, b, c], &[d, e, f]);
    widest.check("triangle-triangle", points, &found, &frame, &square);
    assert_eq!(square.is_zero(), found.upper == 0.0, "{points:?}: {found:?}");
    check_points(points, &found);
}

/// Checks that the returned points are within the returned error of their triangles.
fn check_points(points: &[Vec3; 6], found: &Distance) {
    let [pa, pb, pc, pd, pe, pf] = *points;
    let with_error = triangle_triangle_with_error(&[pa, pb, pc], &[pd, pe, pf]);
    assert_eq!(with_error.distance, *found);
    let point_error = with_error.point_error;
    let mut all = points.to_vec();
    all.extend([found.point_a, found.point_b]);
    let frame = Frame::of(&all);
    let [a, b, c, d, e, f] = frame.points(points);
    for (x, triangle) in [(found.point_a, [a, b, c]), (found.point_b, [d, e, f])] {
        let square = impinge_oracles::points::point_triangle(&frame.point(x), &triangle);
        assert_ne!(
            frame.compare_square(point_error, &square),
            Ordering::Less,
            "{points:?}: {found:?}"
        );
    }
    let far = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    assert!(point_error <= 1e-13 * far + 1e-322, "{points:?}: {found:?}");
}

/// A random pair of triangles that are degenerate, parallel, thin or close to each other.
fn difficult_pair(random: &mut Random) -> [Vec3; 6] {
    let mut p = [0; 6].map(|_| random.point());
    let tiny = |random: &mut Random| 2f64.powi(-(random.below(60) as i32));
    match random.below(16) {
        0 => p = [0; 6].map(|_| random.grid_point(2)),
        // Needles and caps.
        1 => {
            let h = tiny(random);
            p[2] = p[1] + random.point() * h;
            p[4] = p[3] + random.point() * h;
        }
        2 => {
            let h = tiny(random);
            p[2] = p[0].lerp(p[1], random.signed().abs()) + random.point() * h;
            p[5] = p[3].lerp(p[4], random.signed().abs()) + random.point() * h;
        }
        // Collinear and equal vertices.
        3 => {
            p[2] = p[0] + (p[1] - p[0]) * 0.5;
            p[5] = p[4];
        }
        4 => {
            p[1] = p[0];
            p[2] = p[0];
        }
        // Parallel planes, parallel sides, nearly so.
        5 => {
            let h = random.point() * tiny(random);
            for i in 0..3 {
                p[i + 3] = p[i] + h;
            }
        }
        6 => {
            let h = tiny(random);
            p[4] = p[3] + (p[1] - p[0]) * random.signed() + random.point() * h;
        }
        // A vertex of B close to a vertex, a side or the interior of A.
        7 => {
            let h = tiny(random);
            p[3] = p[0] + random.point() * h;
        }
        8 => {
            let h = tiny(random);
            p[3] = p[0].lerp(p[1], random.signed().abs()) + random.point() * h;
        }
        9 => {
            let (s, t, h) =
                (random.signed().abs() / 2.0, random.signed().abs() / 2.0, tiny(random));
            p[3] = p[0] + (p[1] - p[0]) * s + (p[2] - p[0]) * t + random.point() * h;
        }
        // Sides that nearly cross.
        10 => {
            let (s, h) = (random.signed().abs(), tiny(random));
            let x = p[0].lerp(p[1], s) + random.point() * h;
            p[4] = x + (x - p[3]) * random.signed().abs();
        }
        // Very different sizes.
        11 => {
            let (h, x) = (tiny(random), random.point());
            for q in &mut p[3..] {
                *q = x + *q * h;
            }
        }
        12 => {
            let h = tiny(random);
            for q in &mut p[3..] {
                *q *= h;
            }
            p[0] = Vec3::ZERO;
        }
        // One plane.
        13 => {
            for q in &mut p {
                q.z = 0.0;
            }
        }
        14 => {
            let h = tiny(random);
            for q in &mut p {
                q.z *= h;
            }
        }
        // Facing each other at a small gap.
        _ => {
            let h = tiny(random);
            for (i, q) in p.iter_mut().enumerate() {
                q.z = q.z * h * 0.25 + if i < 3 { 0.0 } else { h };
            }
        }
    }
    p
}

/// The largest allowed difference of the bounds, relative to the size.
const MAX_RELATIVE_WIDTH: f64 = 1e-13;

fn finish(widest: &WidestBounds) {
    assert!(widest.0 <= MAX_RELATIVE_WIDTH, "relative width {:e}: {}", widest.0, widest.1);
}

#[test]
fn bounds_hold_for_random_triangles() {
    let mut random = Random::new(1);
    let mut widest = WidestBounds::default();
    for _ in 0..cases(1_500) {
        let mut p = [0; 6].map(|_| random.point());
        let shift = random.point() * 2.0;
        for q in &mut p[3..] {
            *q += shift;
        }
        check(&p, &mut widest);
    }
    finish(&widest);
}

#[test]
fn bounds_hold_for_difficult_triangles() {
    let mut random = Random::new(2);
    let mut widest = WidestBounds::default();
    for _ in 0..cases(5_000) {
        check(&difficult_pair(&mut random), &mut widest);
    }
    finish(&widest);
}

#[test]
fn bounds_hold_far_from_the_origin() {
    let mut random = Random::new(3);
    let mut widest = WidestBounds::default();
    for _ in 0..cases(1_500) {
        let far = random.point() * 10f64.powi(random.below(14) as i32);
        check(&difficult_pair(&mut random).map(|p| p + far), &mut widest);
    }
    finish(&widest);
}

#[test]
fn bounds_hold_at_all_scales() {
    let mut random = Random::new(4);
    let mut widest = WidestBounds::default();
    for _ in 0..cases(1_500) {
        let scale = 10f64.powi(random.below(120) as i32 - 60);
        check(&difficult_pair(&mut random).map(|p| p * scale), &mut widest);
    }
    for _ in 0..cases(500) {
        let scale = 10f64.powi(-60 - random.below(264) as i32);
        check(&difficult_pair(&mut random).map(|p| p * scale), &mut widest);
    }
    finish(&widest);
}

#[test]
fn bounds_hold_for_all_bit_patterns_in_range() {
    let mut random = Random::new(5);
    let mut widest = WidestBounds::default();
    for _ in 0..cases(500) {
        let mut number = || loop {
            let x = f64::from_bits(random.bits());
            if x.abs() <= 1e60 {
                return x;
            }
        };
        let p = [0; 6].map(|_| Vec3::new(number(), number(), number()));
        check(&p, &mut widest);
        let found = triangle_triangle_with_error(&[p[0], p[1], p[2]], &[p[3], p[4], p[5]]);
        let Distance { lower, upper, .. } = found.distance;
        assert!(lower <= upper && found.point_error < 1e60);
    }
    finish(&widest);
}

#[test]
fn coordinates_that_are_not_finite_give_trivial_bounds() {
    for bad in [Vec3::NAN, Vec3::INFINITY, Vec3::new(0.0, f64::NEG_INFINITY, 0.0), Vec3::MAX] {
        for i in 0..6 {
            let mut p = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE, Vec3::MIN];
            if bad != Vec3::MAX {
                p[5] = Vec3::NEG_ONE;
            }
            p[i] = bad;
            let segments = segment_segment(&[p[0], p[1]], &[p[4], p[5]]);
            let triangles = triangle_triangle(&[p[0], p[1], p[2]], &[p[3], p[4], p[5]]);
            let point = point_triangle(p[0], &[p[3], p[4], p[5]]);
            assert!(triangles.upper > 0.0, "{p:?}");
            if bad != Vec3::MAX {
                assert_eq!((triangles.lower, triangles.upper), (0.0, f64::INFINITY), "{p:?}");
            }
            for found in [segments, triangles, point] {
                assert!(
                    found.lower <= found.upper && found.lower < f64::INFINITY,
                    "{p:?}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn equal_points_have_distance_zero() {
    for x in [Vec3::ZERO, Vec3::splat(1e60), Vec3::splat(5e-324)] {
        let found = triangle_triangle(&[x; 3], &[x; 3]);
        assert_eq!((found.lower, found.upper, found.point_a, found.point_b), (0.0, 0.0, x, x));
        let found = point_segment(x, &[x; 2]);
        assert_eq!((found.lower, found.upper, found.point_a, found.point_b), (0.0, 0.0, x, x));
    }
}

#[test]
fn grid_triangles_have_distance_zero_if_and_only_if_they_meet() {
    let mut random = Random::new(6);
    let mut meeting = 0;
    let total = cases(6_000);
    for _ in 0..total {
        let size = 1 + random.below(3) as i32;
        let p = [0; 6].map(|_| random.grid_point(size));
        let found = triangle_triangle(&[p[0], p[1], p[2]], &[p[3], p[4], p[5]]);
        let frame = Frame::of(&p);
        let [a, b, c, d, e, f] = frame.points(&p);
        let meet = impinge_oracles::points::triangle_triangle(&[a, b, c], &[d, e, f]).is_zero();
        assert_eq!(found.upper == 0.0, meet, "{p:?}: {found:?}");
        assert_eq!(found.point_a == found.point_b && found.lower == 0.0, meet, "{p:?}: {found:?}");
        meeting += usize::from(meet);
    }
    assert!(meeting * 5 > total && meeting * 5 < total * 4, "{meeting} of {total}");
}
