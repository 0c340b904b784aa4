//! Convex hulls of random, structured and degenerate points, with exact checks of all invariants.
//!
//! `IMPINGE_TEST_FACTOR` multiplies the number of cases.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use impinge::convex::Hull;
use impinge::exact::{Sign, orient3d};
use impinge::internals::HullInternals as _;
use impinge::internals::support::Climb;
use impinge::{ErrorKind, Mesh, Vec3};
use impinge_oracles::common::{Random, count_from};

fn factor() -> usize {
    count_from("IMPINGE_TEST_FACTOR", 1)
}

fn ball(r: &mut Random) -> Vec3 {
    loop {
        let p = r.point();
        if p.length_squared() <= 1.0 {
            return p;
        }
    }
}

fn sphere(r: &mut Random) -> Vec3 {
    loop {
        let p = ball(r);
        if p.length_squared() > 0.01 {
            return p.normalize();
        }
    }
}

/// A point with integer coordinates below `n`.
fn lattice(r: &mut Random, n: usize) -> Vec3 {
    Vec3::new(r.below(n) as f64, r.below(n) as f64, r.below(n) as f64)
}

fn repeat(n: usize, mut f: impl FnMut() -> Vec3) -> Vec<Vec3> {
    (0..n).map(|_| f()).collect()
}

/// The points of a family, by its number.
fn family(kind: usize, n: usize, r: &mut Random) -> Vec<Vec3> {
    let (u, v, o) = (r.point(), r.point(), r.point());
    match kind {
        0 => repeat(n, || sphere(r)),
        1 => repeat(n, || ball(r)),
        2 => repeat(n, || r.point()),
        // A lattice: coplanar, collinear and equal points everywhere.
        3 => repeat(n, || lattice(r, 4)),
        4 => repeat(n, || lattice(r, 100)),
        // In a plane through rounded coordinates: nearly coplanar.
        5 => repeat(n, || o + u * r.signed() + v * r.signed()),
        // Exactly coplanar: integer combinations, small enough to be exact.
        6 => {
            let (u, v, o) = (lattice(r, 9), lattice(r, 9), lattice(r, 50));
            repeat(n, || o + u * r.below(7) as f64 + v * r.below(7) as f64)
        }
        // Exactly collinear.
        7 => {
            let (u, o) = (lattice(r, 9) - Vec3::splat(4.0), lattice(r, 50));
            repeat(n, || o + u * r.below(20) as f64)
        }
        // Nearly collinear.
        8 => repeat(n, || o + u * r.signed()),
        // A few points with many duplicates.
        9 => {
            let few = repeat(1 + n / 10, || r.point());
            repeat(n, || few[r.below(few.len())])
        }
        // All equal.
        10 => vec![o; n],
        // Needles and plates.
        11 => repeat(n, || ball(r) * Vec3::new(1.0, 1e-9, 1e-11)),
        12 => repeat(n, || ball(r) * Vec3::new(1.0, 1.0, 1e-15)),
        // Far from the origin.
        13 => repeat(n, || Vec3::splat(1e9) + ball(r) * 1e-5),
        // Tiny and huge, down to denormal numbers.
        14 => repeat(n, || sphere(r) * 1e-300),
        15 => repeat(n, || sphere(r) * 1e60 * 0.99),
        16 => repeat(n, || ball(r) * 1e-320),
        // Mixed sizes.
        17 => repeat(n, || {
            let e = r.below(120) as i32 - 60;
            r.point() * 10_f64.powi(e)
        }),
        18 => repeat(n, || {
            let size = if r.below(2) == 0 { 1e59 } else { 1e-310 };
            r.point() * size
        }),
        // Cospherical with exact ties: signed permutations of integer triples of equal length.
        19 => repeat(n, || {
            let t = [[3.0, 4.0, 12.0], [0.0, 5.0, 12.0], [0.0, 0.0, 13.0]][r.below(3)];
            let k = r.below(3);
            let s = |r: &mut Random| if r.below(2) == 0 { 1.0 } else { -1.0 };
            Vec3::new(t[k] * s(r), t[(k + 1) % 3] * s(r), t[(k + 2) % 3] * s(r))
        }),
        // A prism: two rings in two planes, with points on its sides.
        20 => repeat(n, || {
            let a = r.below(12) as f64 * std::f64::consts::PI / 6.0;
            Vec3::new(a.cos(), a.sin(), r.below(5) as f64)
        }),
        // A rotated box: faces are coplanar up to rounding.
        21 => {
            let turn = impinge::Pose::from_axis_angle(u, 1.0).unwrap();
            repeat(n, || {
                let mut p = r.point();
                let axis = r.below(3);
                p[axis] = p[axis].signum();
                turn.transform_point(p)
            })
        }
        // Points of a narrow paraboloid, all on the hull, with needle-shaped faces.
        _ => repeat(n, || {
            let (x, y) = (r.signed(), r.signed() * 1e-6);
            Vec3::new(x, y, x * x + y * y)
        }),
    }
}

const FAMILIES: usize = 23;

#[test]
fn hulls_of_all_families_are_valid() {
    let mut r = Random::new(1);
    let mut dimensions = [0; 4];
    for round in 0..40 * factor() {
        for kind in 0..FAMILIES {
            let n = [1, 2, 3, 4, 5, 8, 20, 100, 300][round % 9];
            let points = family(kind, n, &mut r);
            let hull = Hull::new(&points).unwrap();
            hull.validate(&points).unwrap_or_else(|e| panic!("family {kind}, {n} points: {e}"));
            dimensions[hull.dimension()] += 1;
        }
    }
    assert!(dimensions.iter().all(|n| *n > 20), "{dimensions:?}");
}

/// A point is a vertex of the hull if and only if a plane separates it from the other points. For
/// lattice points, a finite set of directions decides this.
#[test]
fn vertices_are_the_points_outside_of_the_hull_of_the_others() {
    let mut r = Random::new(2);
    for round in 0..60 * factor() {
        let points = repeat(5 + round % 5, || lattice(&mut r, 3));
        let hull = Hull::new(&points).unwrap();
        for p in &points {
            let others: Vec<Vec3> = points.iter().copied().filter(|q| q != p).collect();
            let is_corner = hull.vertices().contains(p);
            let without = others.is_empty() || !contains(&others, *p);
            assert_eq!(is_corner, without, "{p} of {points:?}");
        }
    }
}

/// Whether `p` lies in the hull of lattice points with coordinates 0, 1, 2, by a set of directions
/// that is sufficient for them.
fn contains(points: &[Vec3], p: Vec3) -> bool {
    // The normals of all planes through three lattice points have components from -4 to 4.
    let range = || (-4..=4).map(f64::from);
    range().all(|x| {
        range().all(|y| {
            range().all(|z| {
                let d = Vec3::new(x, y, z);
                d == Vec3::ZERO || points.iter().any(|q| d.dot(*q) >= d.dot(p))
            })
        })
    })
}

#[test]
fn hulls_do_not_depend_on_order_and_duplicates() {
    let mut r = Random::new(3);
    for kind in 0..FAMILIES {
        let points = family(kind, 60, &mut r);
        let corners = |points: &[Vec3]| {
            let hull = Hull::new(points).unwrap();
            let mut corners: Vec<_> = hull.vertices().iter().map(Vec3::to_array).collect();
            corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
            (corners, hull.edge_count(), hull.face_count())
        };
        let mut shuffled = points.clone();
        shuffled.extend_from_slice(&points[..30]);
        for i in (1..shuffled.len()).rev() {
            shuffled.swap(i, r.below(i + 1));
        }
        assert_eq!(corners(&points), corners(&shuffled), "family {kind}");
        assert_eq!(Hull::new(&points).unwrap(), Hull::new(&points).unwrap());
    }
}

#[test]
fn climbing_reaches_the_furthest_vertex() {
    let mut r = Random::new(4);
    let mut climb = Climb::default();
    for kind in 0..FAMILIES {
        for n in [1, 2, 3, 10, 200] {
            let points = family(kind, n, &mut r);
            let hull = Hull::new(&points).unwrap();
            let mut last = 0;
            for round in 0..30 * factor() {
                let d = match round % 5 {
                    0 => Vec3::AXES[round / 5 % 3],
                    1 => lattice(&mut r, 3) - Vec3::ONE,
                    // Perpendicular to a face up to rounding: several vertices are almost furthest.
                    2 if hull.dimension() == 3 => {
                        let f = hull.face(r.below(hull.face_count()));
                        let [a, b, c] = [0, 1, 2].map(|i| hull.vertices()[f[i] as usize]);
                        (b - a).cross(c - a)
                    }
                    3 => r.point() * 1e-250,
                    _ => r.point(),
                };
                let brute = hull.support(d);
                hull.validate_support(d, brute).unwrap();
                last = hull.climb(d, last, &mut climb);
                hull.validate_support(d, last).unwrap_or_else(|e| panic!("family {kind}: {e}"));
            }
        }
    }
    assert!(climb.evaluated() > 0);
}

/// For large sets: the exact check of the mesh finds the hull convex, and no point is above one of
/// 200 sampled faces.
#[test]
fn hulls_of_large_sets_are_convex_and_closed() {
    let mut r = Random::new(5);
    let n = 20_000 * factor();
    let families: [fn(&mut Random) -> Vec3; 4] =
        [sphere, ball, |r| lattice(r, 30), |r| (sphere(r) * 1e3).round()];
    for (kind, draw) in families.into_iter().enumerate() {
        let points = repeat(n, || draw(&mut r));
        let hull = Hull::new(&points).unwrap();
        let mesh = Mesh::from_polygons(hull.vertices().to_vec(), hull.faces().map(<[u32]>::to_vec))
            .unwrap();
        assert!(mesh.classification().convex, "family {kind}");
        for _ in 0..200 {
            let f = hull.face(r.below(hull.face_count()));
            let [a, b, c] = [0, 1, 2].map(|i| hull.vertices()[f[i] as usize]);
            assert!(points.iter().all(|p| orient3d(a, b, c, *p) != Sign::Positive));
        }
    }
}

#[test]
fn known_bodies_have_the_expected_counts() {
    let counts = |points: &[Vec3]| {
        let hull = Hull::new(points).unwrap();
        hull.validate(points).unwrap();
        (hull.dimension(), hull.vertices().len(), hull.edge_count(), hull.face_count())
    };
    assert_eq!(counts(&[Vec3::ONE; 3]), (0, 1, 0, 0));
    assert_eq!(counts(&[Vec3::ONE, Vec3::ZERO, Vec3::splat(0.5)]), (1, 2, 1, 0));
    assert_eq!(counts(&[Vec3::X, Vec3::Y, Vec3::Z]), (2, 3, 3, 2));
    assert_eq!(counts(&[Vec3::X, Vec3::Y, Vec3::Z, Vec3::ZERO]), (3, 4, 6, 4));
    let axes = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
    assert_eq!(counts(&axes), (3, 6, 12, 8));
    // Positive and negative zero are equal coordinates.
    let zeros = [Vec3::ZERO, -Vec3::ZERO, Vec3::X, Vec3::new(1.0, -0.0, 0.0)];
    assert_eq!(counts(&zeros), (1, 2, 1, 0));
    // The smallest distance from a plane makes the hull three-dimensional.
    let mut square = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)];
    assert_eq!(counts(&square), (2, 4, 4, 2));
    square.push(Vec3::new(0.25, 0.5, f64::from_bits(1)));
    assert_eq!(counts(&square), (3, 5, 8, 5));
}

#[test]
fn invalid_point_sets_are_errors() {
    let kind = |points: &[Vec3]| Hull::new(points).unwrap_err().kind();
    assert_eq!(kind(&[]), ErrorKind::Empty);
    assert_eq!(kind(&[Vec3::ZERO, Vec3::new(0.0, f64::NAN, 0.0)]), ErrorKind::NotFinite);
    assert_eq!(kind(&[Vec3::ZERO, Vec3::new(0.0, f64::INFINITY, 0.0)]), ErrorKind::NotFinite);
    assert_eq!(kind(&[Vec3::NAN]), ErrorKind::NotFinite);
    assert_eq!(kind(&[Vec3::ONE, Vec3::splat(1e61)]), ErrorKind::OutOfRange);
    let message = Hull::new(&[Vec3::ZERO, Vec3::NAN]).unwrap_err().to_string();
    assert!(message.contains("point 1"), "{message}");
}
