//! The tree of a deforming mesh stays valid and finds the same pairs as brute force, after any
//! sequence of moves.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use impinge::pair::{MeshCache, first_hit, first_hit_cached};
use impinge::tree::Tree;
use impinge::{DeformOptions, Deforming, ErrorKind, Mesh, Pose, Vec3, shapes};
use impinge_oracles::common::{Random, count_from};
use impinge_oracles::meshes::{compare_trees as compare, tilted_star};

/// Checks that the tree is valid and that the bounds equal those of a new mesh.
#[track_caller]
fn check(body: &Deforming) {
    let mesh = body.mesh();
    assert_eq!(mesh.tree().validate(mesh), Ok(()));
    let new = mesh.with_vertices(mesh.vertices().to_vec()).unwrap();
    assert_eq!(mesh.bounds(), new.bounds());
}

/// Moves vertices in a random way. Returns the number of triangles whose part of the tree was
/// rebuilt.
fn random_move(body: &mut Deforming, start: &[Vec3], random: &mut Random) -> usize {
    let now = body.mesh().vertices().to_vec();
    let n = now.len();
    let kind = random.below(10);
    let all: Vec<Vec3> = match kind {
        // A few vertices by index, possibly with duplicates.
        0..=2 => {
            let count = 1 + random.below(9);
            let size = [0.01, 0.3, 3.0][kind];
            let moved: Vec<(u32, Vec3)> = (0..count)
                .map(|_| {
                    let v = random.below(n);
                    (v as u32, now[v] + size * random.point())
                })
                .collect();
            return body.move_some(&moved).unwrap().rebuilt;
        }
        // A region is pulled out.
        3 => {
            let (center, pull) = (now[random.below(n)], random.point());
            now.iter().map(|v| *v + pull * (-4.0 * (*v - center).length_squared()).exp()).collect()
        }
        // Noise on all vertices; a twist; a scaling.
        4 => now.iter().map(|v| *v + 0.05 * random.point()).collect(),
        5 => {
            let turn = random.signed() * 2.0;
            now.iter()
                .map(|v| {
                    let (s, c) = (turn * v.z.clamp(-10.0, 10.0)).sin_cos();
                    Vec3::new(c * v.x - s * v.y, s * v.x + c * v.y, v.z)
                })
                .collect()
        }
        6 => {
            let factor = 10.0_f64.powf(2.0 * random.signed());
            now.iter().map(|v| *v * factor).collect()
        }
        // A reflection in the origin, a projection to a plane, a translation of the start.
        7 => now.iter().map(|v| -*v).collect(),
        8 => now.iter().map(|v| v.with_x(0.25)).collect(),
        _ => {
            let away = 10.0 * random.point();
            start.iter().map(|v| *v + away).collect()
        }
    };
    body.move_all(&all).unwrap().rebuilt
}

#[test]
fn the_tree_finds_all_pairs_after_any_sequence_of_moves() {
    let rounds = count_from("IMPINGE_MOVE_ROUNDS", 4) as u64;
    let meshes = [
        shapes::torus(1.0, 0.4, 24, 12).unwrap(),
        shapes::icosphere(1.0, 6).unwrap(),
        shapes::cuboid_grid([1.0, 2.0, 1.0], [5, 5, 5]).unwrap(),
        shapes::icosphere(1.0, 1).unwrap(),
        tilted_star(),
    ];
    let probe = shapes::torus(0.8, 0.3, 16, 9).unwrap();
    let (mut hits, mut rebuilt, mut partly) = (0, 0, 0);
    for round in 0..rounds {
        for (k, mesh) in meshes.iter().enumerate() {
            let mut random = Random::new(1000 * round + k as u64);
            let rebuild_at = [1.0, 1.2, 1.5, f64::INFINITY][round as usize % 4];
            let mut body = Deforming::with_options(
                mesh.clone(),
                &DeformOptions::default().rebuild_at(rebuild_at),
            )
            .unwrap();
            for _ in 0..15 {
                let done = random_move(&mut body, mesh.vertices(), &mut random);
                check(&body);
                rebuilt += done;
                partly += usize::from(done > 0 && done < mesh.triangles().len());
                assert!(rebuild_at < f64::INFINITY || done == 0);
                let q = [0; 4].map(|_: i32| random.signed());
                let on = body.mesh().vertices()[0];
                let at = Pose::from_quaternion(q, on + 0.2 * random.point()).unwrap();
                hits += compare(body.mesh(), &probe, &at).unwrap_or(0);
            }
        }
    }
    assert!(hits > 1000 && rebuilt > 1000 && partly > 10, "{hits} {rebuilt} {partly}");
}

#[test]
fn the_tree_finds_all_pairs_after_extreme_moves_and_back() {
    let ball = shapes::icosphere(1.0, 3).unwrap();
    let probe = shapes::torus(0.8, 0.3, 20, 10).unwrap();
    let expected = compare(&ball, &probe, &Pose::IDENTITY).unwrap();
    assert!(expected > 50);
    let start = ball.vertices().to_vec();
    let mut body = Deforming::new(ball);
    let mut random = Random::new(5);
    let shapes: [&dyn Fn(Vec3, Vec3) -> Vec3; 8] = [
        &|_, _| Vec3::new(0.3, 0.2, 0.1),       // a point
        &|v, _| Vec3::new(v.x, 0.0, 0.0),       // a line
        &|v, _| Vec3::new(v.x, v.y, 7.0),       // a disc
        &|v, _| v * 1e6,                        // blown up
        &|_, r| r * 1e6,                        // torn apart
        &|v, _| v * 1e-300,                     // below f32
        &|v, _| v * 1e59,                       // beyond f32
        &|v, _| v + Vec3::new(1e9, -1e8, 3e10), // far away
    ];
    for shape in shapes {
        let there: Vec<Vec3> = start.iter().map(|v| shape(*v, random.point())).collect();
        body.move_all(&there).unwrap();
        check(&body);
        let at = Pose::from_translation(body.mesh().bounds().center()).unwrap();
        compare(body.mesh(), &probe, &at);
        compare(body.mesh(), body.mesh(), &Pose::IDENTITY);
        // Single vertices move back, so that the tree's frame may have to adapt.
        for v in 0..20 {
            body.move_some(&[(v, start[v as usize])]).unwrap();
            check(&body);
        }
        compare(body.mesh(), &probe, &Pose::IDENTITY);
        body.move_all(&start).unwrap();
        check(&body);
        assert_eq!(compare(body.mesh(), &probe, &Pose::IDENTITY), Some(expected));
    }
}

#[test]
fn invalid_moves_are_errors_and_change_nothing() {
    let cube = shapes::cuboid_grid([1.0, 1.0, 1.0], [3, 3, 3]).unwrap();
    let start = cube.vertices().to_vec();
    let mut body = Deforming::new(cube.clone());
    let mut with = |v: usize, place: Vec3| {
        let mut all = start.clone();
        all[v] = place;
        (
            body.move_all(&all).unwrap_err().kind(),
            body.move_some(&[(0, Vec3::ONE), (v as u32, place)]).unwrap_err().kind(),
        )
    };
    assert_eq!(with(5, Vec3::NAN), (ErrorKind::NotFinite, ErrorKind::NotFinite));
    assert_eq!(with(9, Vec3::X * f64::INFINITY), (ErrorKind::NotFinite, ErrorKind::NotFinite));
    assert_eq!(with(2, Vec3::Y * 1e61), (ErrorKind::OutOfRange, ErrorKind::OutOfRange));
    let out_of_range = u32::try_from(start.len()).unwrap();
    let error = body.move_some(&[(out_of_range, Vec3::ZERO)]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IndexOutOfBounds);
    assert_eq!(body.move_all(&start[1..]).unwrap_err().kind(), ErrorKind::BadParameter);
    assert_eq!(body.mesh().vertices(), start);
    check(&body);
    for rebuild_at in [0.9, f64::NAN, -1.0] {
        let error =
            Deforming::with_options(cube.clone(), &DeformOptions::default().rebuild_at(rebuild_at));
        assert_eq!(error.unwrap_err().kind(), ErrorKind::BadParameter);
    }
    let mut tree = Tree::build(&cube);
    let other = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    assert_eq!(tree.refit(&other).unwrap_err().kind(), ErrorKind::WrongMesh);
    assert_eq!(tree.validate(&cube), Ok(()));
}

#[test]
fn few_moved_vertices_update_few_leaves() {
    let ball = shapes::icosphere(1.0, 40).unwrap();
    let mut body = Deforming::new(ball);
    let v = body.mesh().vertices()[777];
    let done = body.move_some(&[(777, 0.98 * v)]).unwrap();
    assert!(done.leaves >= 1 && done.leaves <= 6 && done.nodes < 40, "{done:?}");
    assert_eq!(body.move_some(&[]).unwrap().leaves, 0);
    let same = body.mesh().vertices().to_vec();
    assert_eq!(body.move_all(&same).unwrap().leaves, 0);
    check(&body);
}

/// A move invalidates what a cache has stored for the mesh: a separation as well as the last hit.
#[test]
fn caches_are_invalidated_by_moves() {
    let mut random = Random::new(21);
    let ball = shapes::icosphere(1.0, 4).unwrap();
    let start = ball.vertices().to_vec();
    let mut body = Deforming::new(ball);
    let probe = shapes::icosphere(0.5, 3).unwrap();
    let mut cache = MeshCache::default();
    let (mut hits, mut misses) = (0, 0);
    for step in 0..200 {
        // The probe moves slowly. At some steps the body grows to the probe, or shrinks back.
        let pose = Pose::from_translation([1.8 + 1e-4 * f64::from(step), 0.0, 0.0]).unwrap();
        match step % 8 {
            3 => {
                let large: Vec<Vec3> = start.iter().map(|v| 1.6 * *v).collect();
                body.move_all(&large).unwrap();
            }
            5 => {
                body.move_all(&start).unwrap();
            }
            7 => {
                let v = random.below(start.len());
                body.move_some(&[(v as u32, start[v] * (1.0 + 2.0 * random.unit()))]).unwrap();
            }
            _ => {}
        }
        let hit = first_hit_cached(body.mesh(), &probe, &pose, &mut cache);
        let plain = first_hit(body.mesh(), &probe, &pose);
        assert_eq!(hit.is_some(), plain.is_some(), "step {step}");
        *(if hit.is_some() { &mut hits } else { &mut misses }) += 1;
    }
    assert!(hits > 20 && misses > 20, "{hits} {misses}");
}

#[test]
fn a_clone_taken_before_a_move_does_not_change() {
    let mut body = Deforming::new(shapes::icosphere(1.0, 5).unwrap());
    let before = body.mesh().clone();
    let there: Vec<Vec3> = before.vertices().iter().map(|v| 2.0 * *v).collect();
    body.move_all(&there).unwrap();
    assert_eq!(before.tree().validate(&before), Ok(()));
    check(&body);
    // Derived data of the mesh is updated.
    assert!(body.mesh().defects().is_clean() && body.mesh().classification().closed);
    body.move_some(&[(0, Vec3::ZERO), (1, Vec3::ZERO)]).unwrap();
    assert!(!body.mesh().defects().is_clean());
    body.move_all(&there).unwrap();
    let after = body.into_mesh();
    assert_eq!(after.bounds().max, 2.0 * before.bounds().max);
}

#[test]
fn empty_and_single_triangle_meshes_can_move() {
    let mut nothing = Deforming::new(Mesh::from_triangles(vec![Vec3::ONE], Vec::new()).unwrap());
    nothing.move_some(&[(0, Vec3::ZERO)]).unwrap();
    nothing.move_all(&[Vec3::X]).unwrap();
    check(&nothing);
    let mut one = Deforming::new(Mesh::from_soup(&[[Vec3::ZERO, Vec3::X, Vec3::Y]]).unwrap());
    one.move_some(&[(2, Vec3::new(0.0, 3.0, 5.0)), (2, Vec3::Z)]).unwrap();
    assert_eq!(one.mesh().bounds().max, Vec3::new(1.0, 0.0, 1.0));
    check(&one);
}

/// The vertices near one corner of a sheet move to random positions of each other. The tree is
/// rebuilt there and not elsewhere.
#[test]
fn only_the_shuffled_region_is_rebuilt() {
    let mut random = Random::new(8);
    let mut body =
        Deforming::new(impinge_samples::shapes::hills([4.0, 4.0], [60, 60], 0.3, 1).unwrap());
    let total = body.mesh().triangles().len();
    let all = body.mesh().vertices().to_vec();
    let corner = body.mesh().bounds().min;
    let near: Vec<u32> = (0..all.len() as u32)
        .filter(|v| (all[*v as usize] - corner).truncate().length() < 0.7)
        .collect();
    for round in 0..30 {
        let moved: Vec<(u32, Vec3)> =
            near.iter().map(|v| (*v, all[near[random.below(near.len())] as usize])).collect();
        let done = body.move_some(&moved).unwrap();
        check(&body);
        assert!(done.rebuilt < total / 2, "{done:?} of {total}");
        assert!(round > 0 || done.rebuilt >= near.len() / 2, "{done:?} for {}", near.len());
    }
}
