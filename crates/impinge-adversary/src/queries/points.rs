//! Predicates and closest points of points, segments and triangles.

use impinge::Vec3;
use impinge::closest;
use impinge::exact::{self, Location, Sign};
use impinge::internals::{self, exact::FilterStats};
use impinge::pair::Hit;
use impinge_oracles::vector::sub;
use num_bigint::BigInt;

use super::{Case, Row};
use crate::checker::Checker;
use crate::oracle::units::{Units, integer};

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "two triangles",
        covers: &[
            "exact::triangles_intersect",
            "exact::triangle_triangle",
            "exact::triangle_intersection",
            "closest::triangle_triangle",
        ],
        interval: 1,
        run: triangles,
    },
    Row {
        name: "orientation",
        covers: &["exact::orient2d", "exact::orient3d"],
        interval: 1,
        run: orientation,
    },
    Row {
        name: "points and segments",
        covers: &[
            "exact::segment_triangle",
            "closest::point_triangle",
            "closest::point_segment",
            "closest::segment_segment",
        ],
        interval: 1,
        run: segments,
    },
    Row {
        name: "points in polygons",
        covers: &["exact::point_in_polygon", "exact::point_in_convex_polygon"],
        interval: 2,
        run: polygons,
    },
];

/// The approximate number of pairs of triangles that are checked at each step.
const PAIRS_PER_STEP: usize = 6;

/// Some pairs of triangles of a step, evenly spread.
fn some_pairs(case: &Case<'_>) -> impl Iterator<Item = (u32, u32)> {
    let (a, b) = (case.a.triangles().len(), case.b.triangles().len());
    let stride = (a * b / PAIRS_PER_STEP).max(1);
    (0..a * b).step_by(stride).map(move |k| ((k / b) as u32, (k % b) as u32))
}

fn triangles(case: &Case<'_>, checker: &mut Checker<'_>) {
    let mut stats = FilterStats::default();
    for (step, _, truth) in case.steps() {
        for (i, j) in some_pairs(case) {
            let (a, b) = truth.corners(case.sample, i, j);
            let squared = truth.of_pair(case.sample, i, j);
            let meet = squared.is_zero();
            let quick = exact::triangles_intersect(&a, &b);
            let counted = internals::exact::triangles_intersect_counted(&a, &b, &mut stats);
            let contact = exact::triangle_triangle(&a, &b);
            checker.case(&contact);
            checker.check(quick == meet && counted == meet && contact.is_some() == meet, || {
                format!("step {step}: {a:?} {b:?}: {quick} {counted} {contact:?}, expected {meet}")
            });
            let other = exact::triangle_triangle(&b, &a).map(exact::HitKind::swapped);
            checker
                .check(other == contact, || format!("step {step}: {contact:?}, swapped {other:?}"));
            if meet {
                let expected = truth.contact(case.sample, i, j);
                checker.check(contact == expected, || {
                    format!("step {step}: {a:?} {b:?}: {contact:?}, expected {expected:?}")
                });
            }
            let shared = exact::triangle_intersection(&a, &b);
            checker.check(shared.as_ref().map(|s| s.kind) == contact, || {
                format!("{a:?} {b:?}: {shared:?}")
            });
            let hit = Hit::between((i, &a), (j, &b));
            checker.check(hit.map(|h| h.kind) == contact, || format!("{a:?} {b:?}: {hit:?}"));
            let near = closest::triangle_triangle(&a, &b);
            checker.case(&near);
            checker.check(squared.is_between(near.lower, near.upper), || {
                format!("step {step}: {a:?} {b:?}: {near:?} excludes {:e}", squared.root())
            });
            checker.check((near.upper == 0.0) == meet, || format!("{a:?} {b:?}: {near:?}"));
        }
    }
    checker.count_by("decided by the filter", stats.filter);
    checker.count_by("by expansions", stats.adaptive);
    checker.count_by("by integers", stats.integer);
}

fn sign(x: &BigInt) -> Sign {
    match x.sign() {
        num_bigint::Sign::Minus => Sign::Negative,
        num_bigint::Sign::NoSign => Sign::Zero,
        num_bigint::Sign::Plus => Sign::Positive,
    }
}

/// The side of the last point: positive on the side of `(b - a) x (c - a)`.
fn side(points: [Vec3; 4]) -> Sign {
    let units = Units::new(&points, &[]);
    let [v, w, u] = [1, 2, 3].map(|k| sub(&units.a[k], &units.a[0]));
    let x = &v[1] * &w[2] - &v[2] * &w[1];
    let y = &v[2] * &w[0] - &v[0] * &w[2];
    let z = &v[0] * &w[1] - &v[1] * &w[0];
    sign(&(&u[0] * x + &u[1] * y + &u[2] * z))
}

/// The sign of the signed area of three points in a plane.
fn turn(points: [[f64; 2]; 3]) -> Sign {
    let flat = points.map(|[x, y]| Vec3::new(x, y, 0.0));
    let units = Units::new(&flat, &[]);
    let (u, v) = (sub(&units.a[0], &units.a[2]), sub(&units.a[1], &units.a[2]));
    sign(&(&u[0] * &v[1] - &u[1] * &v[0]))
}

fn orientation(case: &Case<'_>, checker: &mut Checker<'_>) {
    let mut stats = FilterStats::default();
    for (step, _, truth) in case.steps() {
        for (i, j) in some_pairs(case) {
            let (a, b) = truth.corners(case.sample, i, j);
            for p in b {
                let points = [a[0], a[1], a[2], p];
                let expected = side(points);
                let found = exact::orient3d(a[0], a[1], a[2], p);
                let counted = internals::exact::orient3d_counted(a[0], a[1], a[2], p, &mut stats);
                checker.case(&found);
                checker.check(found == expected && counted == expected, || {
                    format!("step {step}: {points:?}: {found:?} {counted:?}, expected {expected:?}")
                });
                let flat = [a[0], a[1], p].map(|p| [p.x, p.y]);
                let expected = turn(flat);
                let found = exact::orient2d(flat[0], flat[1], flat[2]);
                let counted =
                    internals::exact::orient2d_counted(flat[0], flat[1], flat[2], &mut stats);
                checker.check(found == expected && counted == expected, || {
                    format!("step {step}: {flat:?}: {found:?} {counted:?}, expected {expected:?}")
                });
                let along = internals::exact::compare_along(a[1], a[2], p);
                let [n, q, r] = [a[1], a[2], p].map(|v| v.to_array().map(integer));
                let d = sub(&r, &q);
                let expected = sign(&(&n[0] * &d[0] + &n[1] * &d[1] + &n[2] * &d[2]));
                checker.check(along == expected, || {
                    format!(
                        "step {step}: along {} of {} and {p}: {along:?}, expected {expected:?}",
                        a[1], a[2]
                    )
                });
            }
        }
    }
    checker.count_by("decided by the filter", stats.filter);
    checker.count_by("by expansions", stats.adaptive);
    checker.count_by("by integers", stats.integer);
}

fn segments(case: &Case<'_>, checker: &mut Checker<'_>) {
    use crate::oracle::distance::Distances;
    for (step, _, truth) in case.steps() {
        for (i, j) in some_pairs(case) {
            let (a, b) = truth.corners(case.sample, i, j);
            let units = Units::new(&a, &b);
            let distances = Distances::new(&units);
            // A segment is a triangle with two equal corners, a point a triangle with three.
            let squared = distances.squared([0, 1, 1], [0, 1, 2]);
            let contact = exact::segment_triangle(a[0], a[1], &b);
            checker.case(&contact);
            checker.check(contact.is_some() == squared.is_zero(), || {
                format!("step {step}: segment {a:?} {b:?}: {contact:?}, {:e} apart", squared.root())
            });
            let squared = distances.squared([0, 0, 0], [0, 1, 2]);
            let on = internals::exact::point_on_triangle(a[0], &b);
            checker
                .check(on == squared.is_zero(), || format!("step {step}: {} on {b:?}: {on}", a[0]));
            let near = closest::point_triangle(a[0], &b);
            checker.case(&near);
            checker.check(squared.is_between(near.lower, near.upper), || {
                format!("step {step}: {} {b:?}: {near:?} excludes {:e}", a[0], squared.root())
            });
            let squared = distances.squared([0, 0, 0], [0, 1, 1]);
            let near = closest::point_segment(a[0], &[b[0], b[1]]);
            checker.case(&near);
            checker.check(squared.is_between(near.lower, near.upper), || {
                format!("step {step}: {} {b:?}: {near:?} excludes {:e}", a[0], squared.root())
            });
            let squared = distances.squared([0, 1, 1], [1, 2, 2]);
            let near = closest::segment_segment(&[a[0], a[1]], &[b[1], b[2]]);
            checker.case(&near);
            checker.check(squared.is_between(near.lower, near.upper), || {
                format!("step {step}: {a:?} {b:?}: {near:?} excludes {:e}", squared.root())
            });
        }
    }
}

fn polygons(case: &Case<'_>, checker: &mut Checker<'_>) {
    for (step, _, truth) in case.steps() {
        for (i, j) in some_pairs(case) {
            let (a, b) = truth.corners(case.sample, i, j);
            let mut polygon = b.map(|p| [p.x, p.y]);
            let whole = turn(polygon);
            if whole == Sign::Zero {
                continue;
            }
            if whole == Sign::Negative {
                polygon.swap(1, 2);
            }
            for q in a.map(|p| [p.x, p.y]) {
                let least = (0..3).map(|k| turn([polygon[k], polygon[(k + 1) % 3], q])).min();
                let expected = match least {
                    Some(Sign::Negative) => Location::Outside,
                    Some(Sign::Zero) => Location::Boundary,
                    _ => Location::Inside,
                };
                let general = exact::point_in_polygon(q, &polygon);
                let convex = exact::point_in_convex_polygon(q, &polygon);
                let mut visited = 0;
                let searched =
                    internals::exact::point_in_convex_polygon_counted(q, &polygon, &mut visited);
                let mut counts = internals::exact::OneShotCounts::default();
                let counted = internals::exact::point_in_polygon_counted(q, &polygon, &mut counts);
                checker.case(&general);
                checker.check([general, convex, searched, counted] == [expected; 4], || {
                    format!("step {step}: {q:?} in {polygon:?}: {general:?} {convex:?}, expected {expected:?}")
                });
            }
        }
    }
}
