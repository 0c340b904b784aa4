//! Trees of hulls: answers equal those of the meshes.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::ops::ControlFlow;

mod common;

use common::Random;
use impinge::pair::{Collect, Sink};
use impinge::pieces::{DecomposeOptions, HullTree, decompose, decompose_exactly, exact};
use impinge::{CheckOptions, Mesh, Pose, Relation, Vec3, check_pair, shapes};

/// Whether the solids share a point, by the meshes.
fn meshes_meet(a: &Mesh, b: &Mesh, pose: &Pose) -> bool {
    !matches!(
        check_pair(a, b, pose, &CheckOptions::default()).relation,
        Relation::Clear | Relation::Near
    )
}

fn l_shape() -> Mesh {
    let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    shapes::prism(&outline, 1.0).unwrap()
}

fn u_shape() -> Mesh {
    let outline = [
        [0.0, 0.0],
        [4.0, 0.0],
        [4.0, 3.0],
        [3.0, 3.0],
        [3.0, 1.0],
        [1.0, 1.0],
        [1.0, 3.0],
        [0.0, 3.0],
    ];
    shapes::prism(&outline, 2.0).unwrap()
}

/// Two boxes apart and a ring, in one mesh.
fn mixture() -> Mesh {
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    let at = |m: &Mesh, t: [f64; 3]| m.transformed(&Pose::from_translation(t).unwrap());
    let ring = shapes::torus(1.0, 0.25, 12, 8).unwrap();
    Mesh::merged([&at(&cube, [-3.0, 0.0, 0.0]), &at(&cube, [3.0, 0.0, 0.0]), &ring]).unwrap()
}

#[test]
fn answers_equal_those_of_the_meshes() {
    let bodies: Vec<(Mesh, HullTree)> = [l_shape(), u_shape(), mixture()]
        .into_iter()
        .map(|mesh| {
            let tree = HullTree::of_mesh(&mesh, 12).unwrap();
            assert!(tree.is_exact());
            (mesh, tree)
        })
        .collect();
    assert!((0..2).all(|i| (0..bodies[i].1.leaf_count()).all(|l| bodies[i].1.is_convex(l))));
    let ring = &bodies[2].1;
    assert_eq!((0..ring.leaf_count()).filter(|l| !ring.is_convex(*l)).count(), 1);
    let mut random = Random(11);
    let (mut meeting, mut apart) = (0, 0);
    for case in 0..400 {
        let (a, tree_a) = &bodies[case % 3];
        let (b, tree_b) = &bodies[case / 3 % 3];
        // Shifts in quarters, where touches abound and nothing is rounded, and any poses.
        let pose = if case % 2 == 0 {
            let t = (random.point() * 16.0).round() / 4.0;
            Pose::from_translation(t.to_array()).unwrap()
        } else {
            let turn = Pose::from_axis_angle(random.point().to_array(), random.unit() * 6.0);
            Pose::from_translation((random.point() * 4.0).to_array())
                .unwrap()
                .compose(&turn.unwrap())
                .unwrap()
        };
        let expected = meshes_meet(a, b, &pose);
        let found = tree_a.first_hit(tree_b, &pose);
        assert_eq!(found.is_some(), expected, "case {case} at {pose:?}");
        let mut all = Collect::default();
        tree_a.traverse(tree_b, &pose, &mut exact, &mut all);
        assert_eq!(all.pairs.is_empty(), !expected);
        if let Some(first) = found {
            assert_eq!(all.pairs[0], first);
        }
        let mut unique = all.into_sorted();
        let count = unique.len();
        unique.dedup();
        assert_eq!(unique.len(), count, "a pair came twice");
        if expected { meeting += 1 } else { apart += 1 }
    }
    assert!(meeting > 60 && apart > 60, "{meeting} meet, {apart} do not");
}

#[test]
fn pairs_of_leaves_are_those_of_all_against_all() {
    let found = decompose_exactly(&u_shape(), 16).unwrap();
    let tree = HullTree::of_pieces(&found).unwrap();
    let mut random = Random(5);
    for _ in 0..100 {
        let turn = Pose::from_axis_angle(random.point().to_array(), random.unit() * 6.0);
        let pose = Pose::from_translation((random.point() * 3.0).to_array())
            .unwrap()
            .compose(&turn.unwrap())
            .unwrap();
        let mut expected = Vec::new();
        for (i, p) in found.pieces.iter().enumerate() {
            for (j, q) in found.pieces.iter().enumerate() {
                let moved: Vec<Vec3> =
                    q.hull.vertices().iter().map(|v| pose.transform_point(*v)).collect();
                if exact(p.hull.vertices(), &moved) {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        let mut all = Collect::default();
        let mut tests = 0;
        let mut counting = |a: &[Vec3], b: &[Vec3]| {
            tests += 1;
            exact(a, b)
        };
        tree.traverse(&tree, &pose, &mut counting, &mut all);
        assert_eq!(all.into_sorted(), expected);
        assert!(tests > 0);
    }
}

#[test]
fn one_inside_the_other_is_met() {
    let ball = HullTree::of_mesh(&shapes::spherical_shell(3.0, 2.5, 6, 12).unwrap(), 2).unwrap();
    assert!(!ball.is_convex(0));
    let small = HullTree::of_mesh(&shapes::cuboid([0.1; 3]).unwrap(), 2).unwrap();
    let ring = HullTree::of_mesh(&shapes::torus(0.1, 0.02, 8, 6).unwrap(), 2).unwrap();
    for inner in [&small, &ring] {
        let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
        for (x, expected) in [(0.0, false), (2.75, true), (4.0, false)] {
            assert_eq!(ball.first_hit(inner, &at(x)).is_some(), expected, "{x}");
            assert_eq!(inner.first_hit(&ball, &at(-x)).is_some(), expected, "{x}");
        }
    }
}

#[test]
fn a_cover_never_misses_a_hit() {
    let gear = shapes::torus(1.0, 0.4, 16, 10).unwrap();
    let found = decompose(&gear, &DecomposeOptions::new(0.1, 24)).unwrap();
    let tree = HullTree::of_pieces(&found).unwrap();
    assert_eq!(tree.error(), found.error);
    let cube = shapes::cuboid([0.3, 0.3, 0.3]).unwrap();
    let cube_tree = HullTree::of_mesh(&cube, 2).unwrap();
    let mut random = Random(8);
    let mut missed = 0;
    for _ in 0..300 {
        let pose = Pose::from_translation((random.point() * 1.6).to_array()).unwrap();
        let hit = tree.first_hit(&cube_tree, &pose).is_some();
        let expected = meshes_meet(&gear, &cube, &pose);
        assert!(hit || !expected, "missed at {pose:?}");
        if hit && !expected {
            missed += 1;
            let gap = impinge::distance(&gear, &cube, &pose).unwrap();
            assert!(gap.lower <= tree.error(), "{} > {}", gap.lower, tree.error());
        }
    }
    assert!(missed < 60, "{missed}");
}

#[test]
fn a_sink_stops_the_descent() {
    struct Enough(usize);
    impl Sink for Enough {
        fn pair(&mut self, _: u32, _: u32) -> ControlFlow<()> {
            self.0 += 1;
            if self.0 == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let tree = HullTree::of_mesh(&u_shape(), 12).unwrap();
    let mut enough = Enough(0);
    tree.traverse(&tree, &Pose::IDENTITY, &mut exact, &mut enough);
    assert_eq!(enough.0, 2);
    let sheet = Mesh::from_triangles(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    assert_eq!(HullTree::of_mesh(&sheet, 2).unwrap_err().kind(), impinge::ErrorKind::NotSolid);
}

#[cfg(feature = "files")]
#[test]
fn real_meshes_are_covered_within_the_error() {
    let folder =
        std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/meshes"));
    for (file, most) in [("standard/cgal/eight.off", 20), ("standard/cgal/hand.off", 24)] {
        let path = folder.join(file);
        if !path.exists() {
            println!("skipped: {} not present", path.display());
            continue;
        }
        let mesh = Mesh::load(&path).unwrap();
        let size = mesh.bounds().extent().length();
        let found = decompose(&mesh, &DecomposeOptions::new(0.05 * size, 64)).unwrap();
        assert!(found.error <= 0.05 * size && found.pieces.len() <= most, "{}", found.pieces.len());
        let holds = |p: Vec3| found.pieces.iter().any(|piece| exact(piece.hull.vertices(), &[p]));
        let mut random = Random(3);
        let bounds = mesh.bounds();
        for _ in 0..2_000 {
            let unit = random.point() * 0.5 + Vec3::splat(0.5);
            let p = bounds.min + bounds.extent() * unit;
            let inside = impinge::solid::locate(&mesh, p).unwrap() != impinge::Location::Outside;
            if inside {
                assert!(holds(p), "{p} is in no hull");
            } else if holds(p) {
                let nearest = (0..mesh.triangles().len())
                    .map(|t| impinge::closest::point_triangle(p, &mesh.triangle(t)).lower)
                    .fold(f64::INFINITY, f64::min);
                assert!(
                    nearest <= found.error,
                    "{p} is {nearest} off, the bound is {}",
                    found.error
                );
            }
        }
    }
}
