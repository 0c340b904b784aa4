//! Delaunay tetrahedra: empty spheres, judged in integers; the volume of the hull; independence of
//! the order of points.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use impinge::Vec3;
use impinge::convex::Hull;
use impinge_oracles::common::Random;
use impinge_oracles::points::Frame;
use impinge_oracles::vector::{cross, dot, sub};
use impinge_papers::hubbard::delaunay::Delaunay;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

type Int3 = [BigInt; 3];

/// Six times the volume of a tetrahedron, negative if the fourth point is on the side of the plane
/// of the first three from which they run clockwise.
fn volume([a, b, c, d]: [&Int3; 4]) -> BigInt {
    dot(&cross(&sub(b, a), &sub(c, a)), &sub(d, a))
}

/// Positive if `p` is inside the sphere of a tetrahedron: the centre and the squared radius as
/// fractions, by Cramer's rule, which is not how the predicate works.
fn power(corners: [&Int3; 4], p: &Int3) -> BigInt {
    let [a, b, c, d] = corners;
    let edges = [b, c, d].map(|v| sub(v, a));
    let squares = edges.each_ref().map(|e| dot(e, e));
    let det = dot(&cross(&edges[0], &edges[1]), &edges[2]);
    // The centre relative to a is `sum / (2 det)`.
    let mut sum = [BigInt::zero(), BigInt::zero(), BigInt::zero()];
    for i in 0..3 {
        let across = cross(&edges[(i + 1) % 3], &edges[(i + 2) % 3]);
        for (s, x) in sum.iter_mut().zip(across) {
            *s += &squares[i] * x;
        }
    }
    let r = sub(p, a);
    // |r - m|^2 < |m|^2 is |r|^2 < 2 r.m = r.sum / det.
    let side = dot(&r, &sum) - dot(&r, &r) * &det;
    if det.is_positive() { side } else { -side }
}

/// Checks every sphere against every point, and the volumes. Returns the number of tetrahedra, and
/// of points on the sphere of a tetrahedron of which they are no corner.
fn check(points: &[Vec3]) -> (usize, usize) {
    let delaunay = Delaunay::new(points).unwrap();
    delaunay.validate().unwrap();
    let frame = Frame::of(points);
    let exact: Vec<Int3> = points.iter().map(|p| frame.point(*p)).collect();
    let (mut total, mut count, mut cospherical) = (BigInt::zero(), 0, 0);
    for tetrahedron in delaunay.tetrahedra() {
        let corners = tetrahedron.corners.map(|i| &exact[i as usize]);
        let own = volume(corners);
        assert!(own.is_negative(), "{:?}", tetrahedron.corners);
        total -= own;
        count += 1;
        for p in &exact {
            let power = power(corners, p);
            assert!(!power.is_positive(), "a point in the sphere of {:?}", tetrahedron.corners);
            cospherical += usize::from(power.is_zero() && !corners.contains(&p));
        }
    }
    // The hull, by code that shares nothing with the tetrahedra.
    let hull = Hull::new(points).unwrap();
    let middle = frame.point(hull.vertices()[0]);
    let mut hull_volume = BigInt::zero();
    for face in 0..hull.faces().len() {
        let ring: Vec<Int3> =
            hull.face(face).iter().map(|v| frame.point(hull.vertices()[*v as usize])).collect();
        for pair in ring[1..].windows(2) {
            hull_volume += volume([&ring[0], &pair[0], &pair[1], &middle]).abs();
        }
    }
    assert_eq!(total, hull_volume, "{} points", points.len());
    (count, cospherical)
}

#[test]
fn spheres_are_empty_and_volumes_add_up() {
    let mut random = Random::new(4);
    for count in [5, 8, 30, 120] {
        let points: Vec<Vec3> = (0..count).map(|_| random.point()).collect();
        assert_eq!(check(&points).1, 0);
        // On a sphere, up to rounding: nearly every decision needs exact arithmetic.
        let points: Vec<Vec3> = (0..count).map(|_| random.point().normalize()).collect();
        check(&points);
        // Tiny and huge, and far from the origin.
        for (scale, offset) in [(1e-40, 0.0), (1e40, 0.0), (1e-9, 1.0)] {
            let points: Vec<Vec3> =
                (0..count).map(|_| random.point() * scale + Vec3::splat(offset)).collect();
            check(&points);
        }
    }
}

#[test]
fn cospherical_and_coplanar_points_have_tetrahedra_without_flat_ones() {
    let lattice = |n: i32| {
        let side = move || 0..n;
        side().flat_map(move |x| {
            side()
                .flat_map(move |y| side().map(move |z| Vec3::from_array([x, y, z].map(f64::from))))
        })
    };
    let cube: Vec<Vec3> = lattice(2).collect();
    let (count, cospherical) = check(&cube);
    assert!((5..=6).contains(&count) && cospherical == 4 * count, "{count} {cospherical}");
    let (_, cospherical) = check(&lattice(5).collect::<Vec<_>>());
    assert!(cospherical > 1000, "{cospherical}");
    // All points but one in a plane, on circles.
    let mut disc: Vec<Vec3> = lattice(7).filter(|p| p.z == 0.0).collect();
    disc.push(Vec3::new(3.0, 3.0, 5.0));
    check(&disc);
    // A cylinder of squares, and a repeated point.
    let mut rings: Vec<Vec3> =
        lattice(4).filter(|p| [0.0, 3.0].contains(&p.x) || [0.0, 3.0].contains(&p.y)).collect();
    rings.push(rings[3]);
    check(&rings);
}

#[test]
fn the_order_of_points_does_not_matter() {
    let mut random = impinge::internals::Random::new(9);
    let points: Vec<Vec3> = (0..60)
        .map(|i| Vec3::new(f64::from(i % 5), f64::from(i / 5 % 4), f64::from(i / 20)))
        .collect();
    let sets = (0..6).map(|round| {
        let order = random.permutation(points.len());
        let moved: Vec<Vec3> = order.iter().map(|i| points[*i]).collect();
        let mut delaunay = Delaunay::new(&moved[..30.max(60 * round / 5)]).unwrap();
        for p in &moved[delaunay.points().len()..] {
            delaunay.insert(*p).unwrap();
        }
        delaunay.validate().unwrap();
        let tetrahedra = delaunay.tetrahedra().map(|t| {
            let mut corners = t.corners.map(|i| order[i as usize]);
            corners.sort_unstable();
            corners
        });
        tetrahedra.collect::<BTreeSet<_>>()
    });
    let sets: Vec<_> = sets.collect();
    assert!(sets.iter().all(|set| *set == sets[0]) && sets[0].len() > 100);
}

#[test]
fn voronoi_vertices_are_equally_far_from_their_corners() {
    let mut random = Random::new(7);
    let points: Vec<Vec3> = (0..500).map(|_| random.point()).collect();
    let delaunay = Delaunay::new(&points).unwrap();
    let mut close = 0;
    for tetrahedron in delaunay.tetrahedra() {
        let Some(centre) = delaunay.voronoi_vertex(tetrahedron) else { continue };
        let lengths = tetrahedron.corners.map(|i| points[i as usize].distance(centre));
        let spread = lengths.iter().fold(0.0_f64, |max, l| max.max((l - lengths[0]).abs()));
        close += usize::from(spread <= 1e-9 * lengths[0]);
        let neighbours = delaunay.neighbours(tetrahedron);
        for (corner, neighbour) in tetrahedron.corners.iter().zip(neighbours) {
            let Some(neighbour) = neighbour else { continue };
            assert!(!neighbour.corners.contains(corner));
            assert!(delaunay.neighbours(neighbour).contains(&Some(tetrahedron)));
        }
    }
    assert!(close * 100 > 99 * delaunay.tetrahedra().count(), "{close}");
}

#[test]
fn points_without_tetrahedra_are_refused() {
    let flat: Vec<Vec3> =
        (0..9).map(|i| Vec3::new(f64::from(i % 3), f64::from(i / 3), 1.0)).collect();
    let message = Delaunay::new(&flat).unwrap_err().to_string();
    assert!(message.contains("one plane"), "{message}");
    assert!(Delaunay::new(&[]).is_err() && Delaunay::new(&[Vec3::ONE; 9]).is_err());
    let mut far = flat.clone();
    for bad in [1e60, 1e-60, f64::NAN, f64::INFINITY] {
        far[4].z = bad;
        let error = Delaunay::new(&far).unwrap_err();
        assert_eq!(error.kind(), impinge::ErrorKind::OutOfRange);
        assert!(error.to_string().contains("point 4"), "{error}");
    }
    far[4].z = 2.0;
    let mut delaunay = Delaunay::new(&far).unwrap();
    assert!(delaunay.insert(Vec3::splat(f64::NAN)).is_err());
    assert_eq!(delaunay.insert(far[4]).unwrap(), 4);
    assert_eq!(delaunay.insert(Vec3::splat(5.0)).unwrap(), 9);
}
