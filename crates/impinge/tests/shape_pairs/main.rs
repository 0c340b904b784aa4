//! All pairs of kinds of shapes, compared with oracles: exact where the library guarantees it, by
//! bounds otherwise.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod curved;
mod oracle;
mod random;

use impinge::convex::{self, Capsule, Cuboid, HalfSpace, Hull, Sphere};
use impinge::shape::{self, Kind, Shape, ShapeCache, Verdict};
use impinge::{Mesh, Pose, Vec3, shapes};
use random::Random;

/// Shapes whose verdicts are exact, with integer coordinates and lengths.
fn exact_kinds(random: &mut Random) -> Vec<Shape> {
    let grid = |random: &mut Random, n: usize| -> Vec<Vec3> {
        (0..n).map(|_| random.on_grid(4)).collect()
    };
    let hull = |random: &mut Random, n: usize| Hull::new(&grid(random, n)).unwrap();
    let mut normal = random.on_grid(3);
    if normal == Vec3::ZERO {
        normal.z = 1.0;
    }
    let sizes = [0; 3].map(|_| random.integer(0, 3));
    let soup: Vec<[Vec3; 3]> = (0..12).map(|_| [0; 3].map(|_| random.on_grid(6))).collect();
    let block = shapes::cuboid([4.0, 6.0, 8.0]).unwrap();
    vec![
        Mesh::from_soup(&soup).unwrap().into(),
        shapes::octahedron(4.0).unwrap().into(),
        Shape::solid(block).unwrap(),
        hull(random, 12).into(),
        hull(random, 2).into(),
        Sphere::new(random.integer(0, 5)).unwrap().into(),
        Capsule::new(random.integer(0, 4), random.integer(0, 3)).unwrap().into(),
        Cuboid::new(sizes).unwrap().into(),
        Shape::from(hull(random, 6)).rounded(random.integer(1, 3)).unwrap(),
        HalfSpace::new(normal, random.integer(-3, 3)).unwrap().into(),
    ]
}

fn is_half_space(shape: &Shape) -> bool {
    matches!(shape.kind(), Kind::HalfSpace(_))
}

/// Compares all queries for one pair with the oracle. Returns whether the shapes meet.
fn check(a: &Shape, b: &Shape, pose: &Pose, cache: &mut ShapeCache) -> bool {
    let (p, q) = (oracle::placed(a, &Pose::IDENTITY), oracle::placed(b, pose));
    let expected = oracle::meet(&p, &q);
    for verdict in [shape::intersects(a, b, pose), shape::intersects_cached(a, b, pose, cache)] {
        match verdict {
            Verdict::Intersecting(meeting) => {
                assert!(expected, "{a:?} {b:?} {pose:?}");
                verify_certificate(
                    a,
                    b,
                    pose,
                    &meeting.certificate.map(convex::Verdict::Intersecting),
                    meeting.triangle_a,
                    meeting.triangle_b,
                );
            }
            Verdict::Separated(clear) => {
                assert!(!expected, "{a:?} {b:?} {pose:?}");
                assert!(clear.lower >= 0.0);
                verify_certificate(
                    a,
                    b,
                    pose,
                    &clear.certificate.map(convex::Verdict::Separated),
                    None,
                    None,
                );
            }
            Verdict::Undecided(_) => panic!("{a:?} {b:?} {pose:?}"),
        }
    }
    let first = shape::distance(a, b, pose).unwrap();
    let second = shape::distance_cached(a, b, pose, cache).unwrap();
    for found in [first, second] {
        let size = found.point_a.length() + found.point_b.length() + a.margin() + b.margin();
        assert_eq!(found.upper == 0.0, expected, "{found:?}");
        assert!(found.lower <= found.upper);
        if let Verdict::Separated(clear) = shape::intersects(a, b, pose) {
            assert!(clear.lower <= found.upper, "{clear:?} {found:?}");
            let between = found.point_a.distance(found.point_b);
            assert!((between - found.upper).abs() < 1e-9 * size, "{found:?}");
        }
        if let (Some(cores), false) = (oracle::core_distance(&p, &q), expected) {
            let margin = a.margin() + b.margin();
            assert!(found.lower <= cores.upper - margin + 1e-12 * size, "{found:?} {cores:?}");
            assert!(found.upper >= cores.lower - margin - 1e-12 * size, "{found:?} {cores:?}");
            assert!(found.upper - found.lower < 1e-9 * size, "{found:?}");
        }
    }
    if let Some(contact) = shape::contact(a, b, pose) {
        assert!(contact.lower <= contact.upper);
        assert!(if expected { contact.lower <= 0.0 } else { contact.upper >= 0.0 }, "{contact:?}");
        assert!(contact.lower <= first.upper && first.lower <= contact.upper.max(0.0));
    }
    expected
}

/// Verifies a certificate for the core points of the shapes, or for the corners of triangles of
/// meshes.
fn verify_certificate(
    a: &Shape,
    b: &Shape,
    pose: &Pose,
    decision: &Option<convex::Verdict>,
    in_a: Option<u32>,
    in_b: Option<u32>,
) {
    let Some(decision) = decision else { return };
    let points = |shape: &Shape, pose: &Pose, triangle: Option<u32>| -> Vec<Vec3> {
        let own = match (shape.kind(), triangle) {
            (Kind::Mesh(mesh) | Kind::Solid(mesh), Some(t)) => mesh.triangle(t as usize).to_vec(),
            _ => shape.core_points().expect("a polytope").to_vec(),
        };
        own.into_iter().map(|v| pose.transform_point(v)).collect()
    };
    let (p, q) = (points(a, &Pose::IDENTITY, in_a), points(b, pose, in_b));
    assert!(decision.verify(&p, &q), "{decision:?} {a:?} {b:?} {pose:?}");
}

#[test]
fn all_pairs_of_exact_kinds_match_the_oracle() {
    let mut random = Random::new(3);
    let (mut meeting, mut apart) = (0, 0);
    for round in 0..8 {
        let (first, second) = (exact_kinds(&mut random), exact_kinds(&mut random));
        for a in &first {
            for b in &second {
                if is_half_space(a) && is_half_space(b) {
                    continue;
                }
                let mut cache = ShapeCache::default();
                for step in 0..3 {
                    // With exact poses on a grid, shapes touch often.
                    let exact = is_half_space(a) || is_half_space(b) || step > 0;
                    let pose = if exact { random.exact_pose(4 + round) } else { random.pose(8.0) };
                    let met = check(a, b, &pose, &mut cache);
                    *(if met { &mut meeting } else { &mut apart }) += 1;
                    if exact {
                        let back = pose.inverse();
                        assert_eq!(check(b, a, &back, &mut ShapeCache::default()), met);
                    }
                }
            }
        }
    }
    assert!(meeting > 400 && apart > 400, "{meeting} {apart}");
}

#[test]
fn swapping_the_shapes_swaps_the_answers() {
    let mut random = Random::new(31);
    for _ in 0..4 {
        let (kinds_a, kinds_b) = (exact_kinds(&mut random), exact_kinds(&mut random));
        for (a, b) in kinds_a.iter().flat_map(|a| kinds_b.iter().map(move |b| (a, b))) {
            let pose = random.exact_pose(7);
            let back = pose.inverse();
            let (one, two) =
                (shape::distance(a, b, &pose).unwrap(), shape::distance(b, a, &back).unwrap());
            assert!(one.lower <= two.upper && two.lower <= one.upper, "{one:?} {two:?}");
            for (found, first, second) in [(one, a, b), (two, b, a)] {
                let is_mesh = |s: &Shape| matches!(s.kind(), Kind::Mesh(_) | Kind::Solid(_));
                if found.upper > 0.0 {
                    assert_eq!(found.triangle_a.is_some(), is_mesh(first));
                    assert_eq!(found.triangle_b.is_some(), is_mesh(second));
                }
            }
            if let (Some(one), Some(two)) =
                (shape::contact(a, b, &pose), shape::contact(b, a, &back))
            {
                assert!(
                    one.lower <= two.upper + 1e-9 && two.lower <= one.upper + 1e-9,
                    "{one:?} {two:?}"
                );
                let turned = pose.transform_vector(two.direction);
                if one.lower > 0.1 {
                    assert!((turned + one.direction).length() < 1e-6, "{one:?} {two:?}");
                }
            }
        }
    }
}

#[test]
fn shapes_that_touch_exactly_intersect() {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation([x, y, z]).unwrap();
    let meets = |a: &Shape, b: &Shape, pose: &Pose| {
        let verdict = shape::intersects(a, b, pose);
        assert!(!matches!(verdict, Verdict::Undecided(_)));
        verdict.is_intersecting()
    };
    let ball = |r: f64| Shape::from(Sphere::new(r).unwrap());
    let up = 5.0 * (1.0 + f64::EPSILON);
    let down = 5.0 * (1.0 - f64::EPSILON / 2.0);
    for (x, y, z) in [(3.0, 4.0, 0.0), (0.0, -3.0, 4.0), (-4.0, 0.0, -3.0)] {
        let pose = at(x, y, z);
        let point = ball(0.0);
        let far =
            Mesh::from_soup(&[[Vec3::ZERO, Vec3::new(x, y, z) * 3.0, Vec3::new(x, y, z) * 2.0]]);
        let spike = Shape::from(far.unwrap());
        let block = Shape::from(Cuboid::new([0.0; 3]).unwrap());
        for other in [&point, &spike, &block] {
            assert!(meets(&ball(5.0), other, &pose) && meets(other, &ball(5.0), &pose));
            assert!(!meets(&ball(down), other, &pose));
            assert!(meets(&ball(up), other, &pose));
        }
        assert!(meets(&ball(2.0), &ball(3.0), &pose));
        assert!(!meets(&ball(2.0), &ball(3.0 * (1.0 - f64::EPSILON)), &pose));
        let wall = Shape::from(HalfSpace::new([-x, -y, -z], -25.0).unwrap());
        assert!(
            meets(&ball(5.0), &wall, &Pose::IDENTITY) && meets(&wall, &ball(5.0), &Pose::IDENTITY)
        );
        assert!(!meets(&ball(down), &wall, &Pose::IDENTITY));
    }
    // A capsule beside a hull, a rounded box on a mesh.
    let capsule = Shape::from(Capsule::new(2.0, 1.0).unwrap());
    let plate =
        Shape::from(Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)]).unwrap());
    assert!(
        meets(&capsule, &plate, &at(1.0, 0.0, 0.0)) && meets(&capsule, &plate, &at(0.0, 0.0, 3.0))
    );
    assert!(!meets(&capsule, &plate, &at(1.0 + 1e-15, 0.0, 0.0)));
    let pillow = Shape::from(Cuboid::new([1.0, 1.0, 1.0]).unwrap()).rounded(0.5).unwrap();
    let floor = Shape::from(shapes::plane([10.0, 10.0], [4, 4]).unwrap());
    assert!(
        meets(&floor, &pillow, &at(0.3, 0.2, 1.5))
            && !meets(&floor, &pillow, &at(0.3, 0.2, 1.5 + 1e-15))
    );
}

#[test]
fn half_spaces_intersect_unless_antiparallel_and_apart() {
    let space = |n: [f64; 3], o: f64| Shape::from(HalfSpace::new(n, o).unwrap());
    let (down, up) = (space([0.0, 0.0, 1.0], 1.0), space([0.0, 0.0, -2.0], -6.0));
    let found = shape::distance(&down, &up, &Pose::IDENTITY).unwrap();
    assert!(found.lower <= 2.0 && 2.0 <= found.upper && found.upper - found.lower < 1e-13);
    assert!(shape::intersects(&down, &up, &Pose::IDENTITY).is_separated());
    let lower = |z: f64| Pose::from_translation([5.0, 0.0, z]).unwrap();
    assert!(shape::intersects(&down, &up, &lower(-2.0)).is_intersecting());
    assert!(shape::intersects(&down, &up, &lower(-2.0 + 1e-15)).is_separated());
    assert!(shape::intersects(&down, &down, &lower(-2.0)).is_intersecting());
    assert_eq!(shape::contact(&down, &up, &Pose::IDENTITY), None);
    // Nearly antiparallel: they meet far away.
    let tilted = space([1e-9, 0.0, -2.0], -6.0);
    let Verdict::Intersecting(meeting) = shape::intersects(&down, &tilted, &Pose::IDENTITY) else {
        panic!()
    };
    assert!(meeting.point.x < -1e9 && meeting.point.z < 1.0 + 1e-6, "{meeting:?}");
}

#[test]
fn empty_and_degenerate_shapes_have_valid_answers() {
    let nothing = Shape::from(Mesh::from_triangles(vec![], vec![]).unwrap());
    let ball = Shape::from(Sphere::new(1.0).unwrap());
    let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], 0.0).unwrap());
    for other in [&nothing, &ball, &ground] {
        for (a, b) in [(&nothing, other), (other, &nothing)] {
            let Verdict::Separated(clear) = shape::intersects(a, b, &Pose::IDENTITY) else {
                panic!()
            };
            assert_eq!(clear.lower, f64::INFINITY);
            assert_eq!(shape::distance(a, b, &Pose::IDENTITY), None);
        }
    }
    assert_eq!(shape::triangles_met(&nothing, &ball, &Pose::IDENTITY), Some(Default::default()));
    assert_eq!(shape::triangles_met(&ball, &ball, &Pose::IDENTITY), None);
    // Triangles that degenerate to segments and points.
    let v = |x: f64| Vec3::new(x, 0.0, 0.0);
    let thin = Shape::from(
        Mesh::from_soup(&[[v(1.0), v(3.0), v(2.0)], [v(-1.0); 3], [v(9.0); 3]]).unwrap(),
    );
    let met = shape::triangles_met(&thin, &ball, &Pose::IDENTITY).unwrap();
    assert_eq!((met.triangles, met.undecided), (vec![0, 1], vec![]));
    // Two concentric balls.
    let contact = shape::contact(&ball, &ball, &Pose::IDENTITY).unwrap();
    assert!(contact.lower <= -2.0 && -2.0 <= contact.upper, "{contact:?}");
}

#[test]
fn answers_are_exact_at_all_scales_far_from_the_origin() {
    let mut random = Random::new(8);
    for scale in [1e-30, 1e-6, 1.0, 1e9, 1e50] {
        let away = Vec3::new(3e6, -2e6, 1e6) * scale;
        let points: Vec<Vec3> = (0..20).map(|_| away + random.in_cube() * scale).collect();
        let hull = Shape::from(Hull::new(&points).unwrap());
        let ring = shapes::torus(1.0, 0.4, 24, 12).unwrap().scaled(scale).unwrap();
        let mesh = Shape::from(ring.transformed(&Pose::from_translation(away).unwrap()));
        let ball = Shape::from(Sphere::new(0.3 * scale).unwrap());
        for _ in 0..12 {
            let near = Pose::from_translation(random.in_cube() * 3.0 * scale).unwrap();
            check(&hull, &mesh, &near, &mut ShapeCache::default());
            check(&mesh, &hull, &near, &mut ShapeCache::default());
            let pose = Pose::from_translation(away + random.in_cube() * 2.0 * scale).unwrap();
            let (p, q) = (oracle::placed(&mesh, &Pose::IDENTITY), oracle::placed(&ball, &pose));
            assert_eq!(
                shape::intersects(&mesh, &ball, &pose).is_intersecting(),
                oracle::meet(&p, &q)
            );
        }
    }
}

#[test]
fn triangles_met_match_the_oracle() {
    let mut random = Random::new(12);
    let mesh = shapes::torus(1.0, 0.4, 20, 12).unwrap();
    let surface = Shape::from(mesh.clone());
    let mut met_count = 0;
    for _ in 0..12 {
        for body in [
            Shape::from(Cuboid::new([0.4, 0.3, 0.5]).unwrap()),
            Shape::from(Capsule::new(0.6, 0.25).unwrap()),
            Shape::from(Cuboid::new([2.0, 2.0, 2.0]).unwrap()),
        ] {
            let pose = random.pose(1.2);
            let met = shape::triangles_met(&surface, &body, &pose).unwrap();
            let expected: Vec<u32> = (0..mesh.triangles().len() as u32)
                .filter(|t| {
                    let one = Shape::from(Mesh::from_soup(&[mesh.triangle(*t as usize)]).unwrap());
                    oracle::meet(
                        &oracle::placed(&one, &Pose::IDENTITY),
                        &oracle::placed(&body, &pose),
                    )
                })
                .collect();
            met_count += expected.len();
            assert_eq!(met.triangles, expected);
            assert!(met.undecided.is_empty());
        }
    }
    assert!(met_count > 200, "{met_count}");
}

#[test]
fn solids_intersect_bodies_inside() {
    let room = shapes::cuboid([8.0, 8.0, 8.0]).unwrap();
    let (surface, solid) = (Shape::from(room.clone()), Shape::solid(room).unwrap());
    let small = shapes::octahedron(0.5).unwrap();
    let inside: [Shape; 5] = [
        Sphere::new(1.0).unwrap().into(),
        Cuboid::new([1.0, 1.0, 1.0]).unwrap().into(),
        convex::Cone::new(1.0, 1.0).unwrap().into(),
        small.clone().into(),
        Shape::solid(small).unwrap(),
    ];
    for (i, body) in inside.iter().enumerate() {
        for (x, meets) in [(0.5, true), (20.0, false)] {
            let pose = Pose::from_translation([x, 0.0, 0.0]).unwrap();
            assert_eq!(shape::intersects(&solid, body, &pose).is_intersecting(), meets, "{i}");
            assert_eq!(shape::intersects(body, &solid, &pose).is_intersecting(), meets, "{i}");
            assert_eq!(shape::distance(body, &solid, &pose).unwrap().upper == 0.0, meets, "{i}");
            assert!(shape::intersects(&surface, body, &pose).is_separated(), "{i}");
            let apart = shape::distance(&surface, body, &pose).unwrap();
            assert!(apart.lower > 1.0, "{i} {apart:?}");
        }
    }
}
