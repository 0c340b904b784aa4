//! The triangle predicates, compared with an independent exact oracle.
//!
//! `IMPINGE_EXACT_PAIRS` sets the number of pairs (20,000 by default). A failure prints the number
//! of its pair, from which `families::pair` generates the pair again.

#![allow(clippy::print_stderr, reason = "long runs report their progress")]

mod families;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use families::{FAMILIES, Pair, Random, Triangle};
use impinge::Vec3;
use impinge::exact::{
    Feature, HitKind, SegmentFeature, SharedSet, Sign, orient2d, orient3d, segment_triangle,
    triangle_intersection, triangle_triangle, triangles_intersect,
};
use impinge::internals::exact::{
    FilterStats, orient2d_counted, orient3d_counted, triangles_intersect_counted,
};
use impinge_oracles::triangles::{self as oracle, Number, scaled, unit_and_bits};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

/// The number of pairs to try, divided by `divisor` for the slower tests.
fn pairs(divisor: u64) -> u64 {
    let count = std::env::var("IMPINGE_EXACT_PAIRS").ok().map(|s| {
        s.replace('_', "").parse().expect("IMPINGE_EXACT_PAIRS must be a number of pairs")
    });
    count.unwrap_or(20_000) / divisor
}

/// Runs `check` for the numbers below `count` on all cores, and prints the progress every ten
/// seconds.
fn for_each(name: &str, count: u64, check: impl Fn(u64) + Sync) {
    const CHUNK: u64 = 256;
    let next = AtomicU64::new(0);
    let start = Instant::now();
    let reported = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if first >= count {
                        break;
                    }
                    (first..count.min(first + CHUNK)).for_each(&check);
                    let ticks = start.elapsed().as_secs() / 10;
                    if reported.fetch_max(ticks, Ordering::Relaxed) < ticks {
                        let elapsed = Duration::from_secs(ticks * 10);
                        eprintln!("{name}: {first} of {count} after {elapsed:?}");
                    }
                }
            });
        }
    });
    eprintln!("{name}: {count} in {:.1?}", start.elapsed());
}

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// The corners of the original triangle in a feature of the reordered one, as a bit set. Equal
/// corners are represented by the first.
fn corners_of(feature: Feature, triangle: &Triangle, order: [usize; 3]) -> u8 {
    let bit = |i: u8| {
        let corner = triangle[order[usize::from(i)]];
        1_u8 << triangle.iter().position(|v| *v == corner).expect("a corner is among the corners")
    };
    match feature {
        Feature::Vertex(i) => bit(i),
        Feature::Edge(i) => bit(i) | bit((i + 1) % 3),
        Feature::Face => 7,
    }
}

/// A contact in a form that does not depend on the order of the corners.
fn order_independent(
    contact: Option<HitKind>,
    [a, b]: &Pair,
    orders: [[usize; 3]; 2],
) -> Option<(u8, u8, u8)> {
    contact.map(|contact| match contact {
        HitKind::Crossing => (0, 7, 7),
        HitKind::Coplanar => (1, 7, 7),
        HitKind::Touching { feature_a: x, feature_b: y } => {
            (2, corners_of(x, a, orders[0]), corners_of(y, b, orders[1]))
        }
    })
}

/// Checks one pair in all orders of the corners against the oracle's contact.
fn check_contact(number: u64, family: &str, pair: &Pair) -> Option<HitKind> {
    let [a, b] = pair;
    let expected = oracle::contact(a, b);
    let found = triangle_triangle(a, b);
    assert_eq!(found, expected, "pair {number} ({family}): {a:?} {b:?}");
    let swapped = triangle_triangle(b, a).map(HitKind::swapped);
    assert_eq!(swapped, expected, "pair {number} ({family}), swapped: {a:?} {b:?}");
    let expected_contact = order_independent(expected, pair, [ORDERS[0]; 2]);
    // All orders of the corners for some pairs, and one order of each triangle for the others.
    let tried =
        if number / 64 % 4 == 0 { 0..6 } else { (number % 6) as usize..(number % 6) as usize + 1 };
    for i in tried {
        for orders in [[ORDERS[i], ORDERS[0]], [ORDERS[0], ORDERS[i]], [ORDERS[i], ORDERS[5 - i]]] {
            let (x, y) = (orders[0].map(|k| a[k]), orders[1].map(|k| b[k]));
            let found = triangle_triangle(&x, &y);
            let found = order_independent(found, pair, orders);
            assert_eq!(found, expected_contact, "pair {number} ({family}) {orders:?}: {a:?} {b:?}");
            let bare = triangles_intersect(&x, &y);
            assert_eq!(bare, expected.is_some(), "pair {number} ({family}): {a:?} {b:?}");
        }
    }
    let mut stats = FilterStats::default();
    assert_eq!(triangles_intersect_counted(a, b, &mut stats), expected.is_some());
    assert!(stats.total() >= 3 || expected.is_none());
    expected
}

#[test]
fn contacts_agree_with_the_oracle() {
    // The number of answers of each kind for every family: every family must produce both verdicts.
    let tally: Vec<[AtomicU64; 4]> = FAMILIES.iter().map(|_| Default::default()).collect();
    for_each("contacts", pairs(1), |number| {
        let (family, pair) = families::pair(number);
        let kind = match check_contact(number, family, &pair) {
            None => 0,
            Some(HitKind::Crossing) => 1,
            Some(HitKind::Touching { .. }) => 2,
            Some(HitKind::Coplanar) => 3,
        };
        let index = FAMILIES.iter().position(|f| f.0 == family).expect("a known family");
        tally[index][kind].fetch_add(1, Ordering::Relaxed);
    });
    for (family, counts) in FAMILIES.iter().zip(&tally) {
        let [apart, crossing, touching, coplanar] =
            [0, 1, 2, 3].map(|i| counts[i].load(Ordering::Relaxed));
        eprintln!(
            "{:20} apart {apart}, crossing {crossing}, touching {touching}, coplanar {coplanar}",
            family.0
        );
        let meet = crossing + touching + coplanar;
        let as_designed = meet > 0 && (apart == 0) == family.0.starts_with("shared");
        assert!(
            pairs(1) < 10_000 || as_designed,
            "the family {} produces only one verdict",
            family.0
        );
    }
}

#[test]
fn segments_agree_with_the_oracle() {
    for_each("segments", pairs(2), |number| {
        let (family, [a, b]) = families::pair(number);
        let [p, q] = [a[(number % 3) as usize], a[((number + 1) % 3) as usize]];
        let expected = oracle::contact(&[p, q, q], &b).map(|contact| {
            let HitKind::Touching { feature_a: a, feature_b: b } = contact else {
                panic!("a segment can only touch");
            };
            let segment = match a {
                Feature::Vertex(0) => SegmentFeature::Start,
                Feature::Vertex(_) => SegmentFeature::End,
                _ => SegmentFeature::Inside,
            };
            (segment, b)
        });
        let found = segment_triangle(p, q, &b).map(|c| (c.segment, c.triangle));
        assert_eq!(found, expected, "pair {number} ({family}): {p:?} {q:?} {b:?}");
        let backwards = segment_triangle(q, p, &b).map(|c| (c.segment, c.triangle));
        let expected = expected.map(|(segment, feature)| match segment {
            SegmentFeature::Start if p != q => (SegmentFeature::End, feature),
            SegmentFeature::End => (SegmentFeature::Start, feature),
            other => (other, feature),
        });
        assert_eq!(backwards, expected, "pair {number} ({family}): {q:?} {p:?} {b:?}");
    });
}

/// The sign of a determinant of differences to the first point, in integers.
fn determinant_sign<const D: usize>(points: &[[f64; D]]) -> Sign {
    let (unit, _) = unit_and_bits(points.iter().flatten().copied());
    let rows: Vec<[BigInt; D]> =
        points.iter().map(|p| p.map(|x| scaled::<BigInt>(x, unit))).collect();
    let difference = |i: usize, j: usize| &rows[i][j] - &rows[0][j];
    let det = if D == 2 {
        difference(1, 0) * difference(2, 1) - difference(1, 1) * difference(2, 0)
    } else {
        let minor = |j: usize, k: usize| {
            difference(2, j) * difference(3, k) - difference(2, k) * difference(3, j)
        };
        difference(1, 0) * minor(1, 2) - difference(1, 1) * minor(0, 2)
            + difference(1, 2) * minor(0, 1)
    };
    [Sign::Negative, Sign::Zero, Sign::Positive][(Number::signum(&det) + 1) as usize]
}

#[test]
fn orientations_agree_with_integers() {
    for_each("orientations", pairs(1), |number| {
        let (family, [a, b]) = families::pair(number);
        let mut stats = FilterStats::default();
        for p in b {
            let expected = determinant_sign(&[a[0], a[1], a[2], p].map(|v| v.to_array()));
            let found = orient3d(a[0], a[1], a[2], p);
            assert_eq!(found, expected, "pair {number} ({family}): {a:?} {p:?}");
            assert_eq!(orient3d_counted(a[1], a[0], a[2], p, &mut stats), -expected);
            assert_eq!(orient3d(p, a[2], a[1], a[0]), expected, "pair {number} ({family})");
        }
        for axes in [[0, 1], [1, 2], [0, 2]] {
            let flat = |v: Vec3| axes.map(|i| v[i]);
            let points = [flat(a[0]), flat(a[1]), flat(b[0])];
            let [p, q, r] = points;
            let expected = determinant_sign(&points);
            let found = orient2d(p, q, r);
            assert_eq!(found, expected, "pair {number} ({family}): {points:?}");
            assert_eq!(orient2d(q, r, p), expected, "pair {number} ({family})");
            assert_eq!(orient2d_counted(q, p, r, &mut stats), -expected);
        }
        assert_eq!(stats.total(), 6);
    });
}

/// The distinct corners of a convex polygon in cyclic order, without points between two others.
fn proper_corners(corners: &[[BigRational; 4]]) -> Vec<[BigRational; 3]> {
    let mut points: Vec<[BigRational; 3]> = Vec::new();
    for [x, y, z, w] in corners {
        let point = [x / w, y / w, z / w];
        if !points.contains(&point) {
            points.push(point);
        }
    }
    let between = |p: &[BigRational; 3], q: &[BigRational; 3], r: &[BigRational; 3]| {
        let u = [0, 1, 2].map(|i| &q[i] - &p[i]);
        let v = [0, 1, 2].map(|i| &r[i] - &q[i]);
        let cross = |i: usize, j: usize| &u[i] * &v[j] == &u[j] * &v[i];
        let forward = (0..3).map(|i| &u[i] * &v[i]).reduce(|s, t| s + t).expect("three terms");
        cross(0, 1) && cross(1, 2) && cross(2, 0) && Number::signum(&forward) > 0
    };
    let n = points.len();
    if n < 3 {
        return points;
    }
    // Compares with any two others, so that it also works for collinear points in any order.
    let keep = |i: &usize| {
        !(0..n).any(|j| {
            (0..n).any(|k| j != *i && k != *i && between(&points[j], &points[*i], &points[k]))
        })
    };
    (0..n).filter(keep).map(|i| points[i].clone()).collect()
}

#[test]
fn shared_sets_agree_with_rationals() {
    for_each("shared sets", pairs(40), |number| {
        let (family, [a, b]) = families::pair(number);
        let expected = oracle::share::<BigRational>(&a, &b);
        let found = triangle_intersection(&a, &b);
        let (Some(expected), Some(found)) = (&expected, &found) else {
            assert!(expected.is_none() && found.is_none(), "pair {number} ({family})");
            return;
        };
        let context = || format!("pair {number} ({family}): {a:?} {b:?} {found:?}");
        assert_eq!(found.kind, expected.contact, "{}", context());
        let unit: BigRational = num_traits::pow(
            if expected.unit < 0 {
                BigRational::new(1.into(), 2.into())
            } else {
                BigRational::from_integer(2.into())
            },
            expected.unit.unsigned_abs() as usize,
        );
        let corners = proper_corners(&expected.corners);
        let positions: Vec<Vec3> = corners
            .iter()
            .map(|p| Vec3::from([0, 1, 2].map(|i| (&p[i] * &unit).to_f64().expect("a number"))))
            .collect();
        let returned = match &found.set {
            SharedSet::Point(p) => vec![*p],
            SharedSet::Segment(p, q) => vec![*p, *q],
            SharedSet::Polygon(corners) => {
                assert!((3..=6).contains(&corners.len()), "{}", context());
                corners.clone()
            }
        };
        assert_eq!(returned.len(), positions.len(), "{} {positions:?}", context());
        let close = |p: Vec3, q: Vec3| {
            (0..3).all(|i| {
                let coordinates = || a.iter().chain(&b).map(|v| v[i]);
                let extent = coordinates().fold(f64::NEG_INFINITY, f64::max)
                    - coordinates().fold(f64::INFINITY, f64::min);
                let last_place = f64::from_bits(q[i].abs().to_bits() + 1) - q[i].abs();
                (p[i] - q[i]).abs() <= last_place + 2_f64.powi(-60) * extent
            })
        };
        // A vertex is returned bit for bit, A's if both bodies have it. Other corners are rounded.
        let matches = |p: Vec3, corner: usize| {
            let is_vertex = |v: &&Vec3| {
                (0..3).all(|i| corners[corner][i] == scaled::<BigRational>(v[i], expected.unit))
            };
            let of_a: Vec<_> = a.iter().filter(is_vertex).collect();
            let of_b: Vec<_> = b.iter().filter(is_vertex).collect();
            let vertices = if of_a.is_empty() { of_b } else { of_a };
            let same_bits =
                |v: &&Vec3| v.to_array().map(f64::to_bits) == p.to_array().map(f64::to_bits);
            if vertices.is_empty() {
                close(p, positions[corner])
            } else {
                vertices.iter().any(same_bits)
            }
        };
        // The same corners in the same cyclic order, in one direction or the other.
        let n = returned.len();
        let same_cycle = (0..n).any(|shift| {
            (0..n).all(|i| matches(returned[i], (i + shift) % n))
                || (0..n).all(|i| matches(returned[i], (n + shift - i) % n))
        });
        assert!(same_cycle, "{} {positions:?}", context());
        let point = found.point();
        let low = returned.iter().copied().reduce(Vec3::min).expect("at least one");
        let high = returned.iter().copied().reduce(Vec3::max).expect("at least one");
        let slack = (high.abs().max(low.abs())) * 1e-15;
        assert!((point.cmpge(low - slack) & point.cmple(high + slack)).all(), "{}", context());
    });
}

#[test]
fn predicates_do_not_panic_on_any_bit_pattern() {
    for_each("any bits", pairs(10), |number| {
        let mut random = Random::new(number ^ 0xb175);
        let any_bits = random.chance(4);
        let mut draw = |r: &mut Random| {
            if any_bits { f64::from_bits(r.bits()) } else { families::any_number(r) }
        };
        let [a, b]: Pair = [[(); 3]; 2].map(|t| t.map(|()| random.vector(&mut draw)));
        let contact = triangle_triangle(&a, &b);
        let _ = segment_triangle(a[0], a[1], &b);
        let _ = orient3d(a[0], a[1], a[2], b[0]);
        let _ = orient2d([a[0].x, a[0].y], [a[1].x, a[1].y], [b[0].x, b[0].y]);
        let _ = triangle_intersection(&a, &b).map(|i| i.point());
        if !any_bits {
            assert_eq!(contact.is_some(), triangles_intersect(&a, &b), "{a:?} {b:?}");
        }
        // Special values in every place.
        let special =
            [0.0, -0.0, f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e100];
        let mut draw = |r: &mut Random| special[r.below(special.len() as u64) as usize];
        let [a, b]: Pair = [[(); 3]; 2].map(|t| t.map(|()| random.vector(&mut draw)));
        let _ = triangle_triangle(&a, &b);
        let _ = segment_triangle(a[0], a[1], &b);
        let _ = triangle_intersection(&a, &b).map(|i| i.point());
    });
}
