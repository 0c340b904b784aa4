//! Tumbled k-DOPs contain their triangles, have the documented tightness, and do not change the
//! results (Klosowski et al. 1998, section 4.1).
//!
//! `IMPINGE_TEST_FACTOR` multiplies the number of cases.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use impinge::internals::pair::{Posed, brute};
use impinge::pair::Collect;
use impinge::{ErrorKind, Mesh, Pose, Vec3, shapes};
use impinge_oracles::common::{Random, count_from};
use impinge_oracles::meshes::soup;
use impinge_papers::klosowski::bv_tree::{
    BuildOptions, BvQuery, BvTree, ByMotion, ByShape, DopShapes, Order, Tumble, TumbleOptions,
};
use impinge_papers::klosowski::volume::{Dop, Volume};

fn all_options() -> [TumbleOptions; 5] {
    [
        TumbleOptions::published(),
        TumbleOptions::approximate(),
        TumbleOptions::exact(),
        TumbleOptions::default(),
        TumbleOptions::published().hull_levels(3).few_corners(true),
    ]
}

fn meshes(random: &mut Random) -> Vec<Mesh> {
    vec![
        shapes::uv_sphere(1.0, 10, 20).unwrap(),
        shapes::torus(1.0, 0.3, 16, 10).unwrap(),
        shapes::cuboid([1.0, 2.0, 3.0]).unwrap(),
        soup(random, 60, Random::point),
        // Points on a lattice, flat (twice), on a line, equal points (twice), one triangle.
        soup(random, 60, |r| r.grid_point(2)),
        soup(random, 60, |r| r.grid_point(3) * Vec3::new(1.0, 1.0, 0.0)),
        soup(random, 60, |r| {
            let (s, t) = (r.grid(5), r.grid(5));
            Vec3::new(s, t, -s - t)
        }),
        soup(random, 20, |r| Vec3::new(1.0, 2.0, 3.0) * r.signed()),
        soup(random, 5, |_| Vec3::new(0.1, 0.2, 0.3)),
        soup(random, 5, |_| Vec3::ZERO),
        soup(random, 1, Random::point),
        // Needles, far from the origin, tiny, denormal, huge.
        soup(random, 50, |r| r.point() * Vec3::new(1.0, 1e-9, 1e-17)),
        soup(random, 50, |r| Vec3::splat(1e8) + r.point()),
        soup(random, 50, |r| r.point() * 1e-200),
        soup(random, 50, |r| r.point() * 1e-320),
        soup(random, 50, |r| r.point() * 1e59),
        Mesh::from_triangles(vec![], vec![]).unwrap(),
    ]
}

fn poses(random: &mut Random) -> Vec<Pose> {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let mut poses = vec![
        Pose::IDENTITY,
        Pose::from_translation([1.0, -1e6, 1e-3]).unwrap(),
        Pose::from_quaternion([0.0, 0.0, half, half], [0.0; 3]).unwrap(),
        Pose::from_axis_angle([1.0, 1.0, 0.0], std::f64::consts::FRAC_PI_4).unwrap(),
        Pose::from_axis_angle([1.0, 0.0, 0.0], 1e-9).unwrap(),
        Pose::from_translation([1e59, 1e59, -1e59]).unwrap(),
    ];
    for _ in 0..6 {
        let q = [0; 4].map(|_: i32| random.signed());
        poses.push(Pose::from_quaternion(q, random.point() * 3.0).unwrap());
    }
    poses
}

fn check_containment<const HALF: usize>() {
    let mut random = Random::new(21);
    for round in 0..count_from("IMPINGE_TEST_FACTOR", 1) {
        for (number, mesh) in meshes(&mut random).iter().enumerate() {
            let build = if (number + round) % 2 == 0 {
                BuildOptions::environment()
            } else {
                BuildOptions::flying()
            };
            let tree = BvTree::<Dop<HALF>>::build(mesh, &build);
            for options in all_options() {
                let tumbled = DopShapes::new(mesh, &tree, &options).unwrap();
                assert!(tumbled.bytes() > 0 || tree.nodes().is_empty());
                let mut by_shape = ByShape::new(&tumbled);
                for pose in poses(&mut random) {
                    by_shape.begin(&pose);
                    for node in 0..tree.nodes().len() as u32 {
                        let volume = by_shape.volume(&tree, node);
                        for triangle in tree.triangles_of(node) {
                            for v in mesh.triangle(*triangle as usize) {
                                let p = pose.transform_point(v);
                                assert!(
                                    volume.contains(p),
                                    "mesh {number}, node {node}, {options:?}, {pose:?}: {p} not in {volume:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_tumbled_6_dop_contains_the_moved_corners() {
    check_containment::<3>();
}

#[test]
fn a_tumbled_14_dop_contains_the_moved_corners() {
    check_containment::<7>();
}

#[test]
fn a_tumbled_18_dop_contains_the_moved_corners() {
    check_containment::<9>();
}

#[test]
fn a_tumbled_26_dop_contains_the_moved_corners() {
    check_containment::<13>();
}

/// Hulls yield the k-DOP of the moved corners, vertices a k-DOP around it, and plain motion a k-DOP
/// around that.
#[test]
fn hulls_are_exact_and_vertices_are_tighter_than_plain_motion() {
    let mesh = shapes::torus(1.0, 0.3, 40, 20).unwrap();
    let tree = BvTree::<Dop<9>>::build(&mesh, &BuildOptions::flying());
    let exact = DopShapes::new(&mesh, &tree, &TumbleOptions::exact()).unwrap();
    let approximate = DopShapes::new(&mesh, &tree, &TumbleOptions::approximate()).unwrap();
    let mut by_hull = ByShape::new(&exact);
    let mut by_vertices = ByShape::new(&approximate);
    let mut by_motion = ByMotion::default();
    let mut random = Random::new(5);
    let mut sums = [0.0; 3];
    for _ in 0..10 {
        let q = [0; 4].map(|_: i32| random.signed());
        let pose = Pose::from_quaternion(q, random.point()).unwrap();
        by_hull.begin(&pose);
        by_vertices.begin(&pose);
        by_motion.begin(&pose);
        for node in 0..tree.nodes().len() as u32 {
            let corners: Vec<Vec3> = tree
                .triangles_of(node)
                .iter()
                .flat_map(|t| mesh.triangle(*t as usize))
                .map(|v| pose.transform_point(v))
                .collect();
            let best = Dop::<9>::around(&corners);
            let hull = by_hull.volume(&tree, node);
            let vertices = by_vertices.volume(&tree, node);
            let motion = by_motion.volume(&tree, node);
            for i in 0..9 {
                let close = |a: f64, b: f64| (a - b).abs() < 1e-13;
                assert!(close(hull.min()[i], best.min()[i]) && close(hull.max()[i], best.max()[i]));
                assert!(vertices.max()[i] <= motion.max()[i] + 1e-11);
                assert!(vertices.min()[i] >= motion.min()[i] - 1e-11);
            }
            for (sum, volume) in sums.iter_mut().zip([hull, vertices, motion]) {
                *sum += volume.volume();
            }
        }
    }
    println!("exact : vertices : motion = 1 : {} : {}", sums[1] / sums[0], sums[2] / sums[0]);
    assert!(sums[0] < sums[1] && sums[1] <= sums[2] * (1.0 + 1e-9), "{sums:?}");
}

/// On a coherent flight a climb evaluates few vertices.
#[test]
fn climbs_start_where_the_last_ones_ended() {
    let mesh = shapes::uv_sphere(1.0, 60, 120).unwrap();
    let tree = BvTree::<Dop<13>>::build(&mesh, &BuildOptions::flying());
    let tumbled = DopShapes::new(&mesh, &tree, &TumbleOptions::published()).unwrap();
    let mut by_shape = ByShape::new(&tumbled);
    let evaluated = |by_shape: &mut ByShape<'_, 13>, angle: f64| {
        let before = by_shape.vertices_evaluated();
        by_shape.begin(&Pose::from_axis_angle([1.0, 2.0, 3.0], angle).unwrap());
        let _ = by_shape.volume(&tree, 0);
        by_shape.vertices_evaluated() - before
    };
    let first = evaluated(&mut by_shape, 0.5);
    let next = (1..20).map(|i| evaluated(&mut by_shape, 0.5 + 1e-3 * f64::from(i))).max().unwrap();
    assert!(next < 26 * 20 && next * 4 < first, "first {first}, then at most {next}");
}

#[test]
fn the_pairs_are_those_of_brute_force() {
    let mut random = Random::new(9);
    let all = meshes(&mut random);
    let (mut found, mut compared) = (0, 0);
    for (i, j) in
        [(0, 1), (1, 1), (3, 4), (4, 4), (5, 6), (6, 3), (7, 3), (2, 10), (11, 3), (12, 12)]
    {
        let (a, b) = (&all[i], &all[j]);
        let ta = BvTree::<Dop<7>>::build(a, &BuildOptions::environment());
        let tb = BvTree::<Dop<7>>::build(b, &BuildOptions::environment());
        for options in all_options() {
            let tumbled = DopShapes::new(b, &tb, &options).unwrap();
            let mut query =
                BvQuery::with_tumble((a, &ta), (b, &tb), ByShape::new(&tumbled)).unwrap();
            for k in 0..4 * count_from("IMPINGE_TEST_FACTOR", 1) {
                let pose = if k == 0 {
                    Pose::from_translation([1.0, 0.0, 0.0]).unwrap()
                } else {
                    // Rotate about a point of the mesh, so that meshes far from the origin
                    // intersect too.
                    let q = [0; 4].map(|_: i32| random.signed());
                    let center = b.bounds().center();
                    let rotation = Pose::from_quaternion(q, [0.0; 3]).unwrap();
                    let back = center - rotation.transform_point(center);
                    Pose::from_quaternion(q, back + random.point()).unwrap()
                };
                let mut sink = Collect::default();
                let brute_force = (Posed::new(a, &Pose::IDENTITY), Posed::new(b, &pose));
                brute::traverse(&brute_force.0, &brute_force.1, &mut sink);
                let expected = sink.into_sorted();
                for order in [Order::Environment, Order::Restart, Order::Larger] {
                    let mut sink = Collect::default();
                    query.traverse(&pose, order, &mut sink);
                    assert_eq!(sink.into_sorted(), expected, "{i} {j} {options:?} {order:?}");
                    compared += 1;
                }
                found += expected.len();
            }
        }
    }
    assert!(found > 10_000 && compared >= 600, "{found} {compared}");
}

#[test]
fn shapes_of_another_tree_are_errors_or_not_used() {
    let (a, b) = (shapes::uv_sphere(1.0, 10, 20).unwrap(), shapes::cuboid([1.0; 3]).unwrap());
    let (ta, tb) = (
        BvTree::<Dop<7>>::build(&a, &BuildOptions::environment()),
        BvTree::<Dop<7>>::build(&b, &BuildOptions::environment()),
    );
    let error = DopShapes::new(&a, &tb, &TumbleOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadParameter);
    let of_b = DopShapes::new(&b, &tb, &TumbleOptions::default()).unwrap();
    let mut by_shape = ByShape::new(&of_b);
    let pose = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.5).unwrap();
    by_shape.begin(&pose);
    for node in 0..ta.nodes().len() as u32 {
        let expected = ta.volumes()[node as usize].transformed(&pose);
        assert_eq!(by_shape.volume(&ta, node), expected);
    }
}
