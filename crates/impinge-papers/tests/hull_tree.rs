//! Hull trees have the same results as the meshes.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::ops::ControlFlow;

use impinge::exact::{Location, triangles_intersect};
use impinge::internals::exact::{locate_point, winding_number};
use impinge::pair::{Collect, Sink};
use impinge::pieces::{DecomposeOptions, decompose, decompose_exactly};
use impinge::{CheckOptions, Mesh, Pose, Relation, Vec3, check_pair, shapes};
use impinge_oracles::common::{Random, model};
use impinge_papers::leung::{HullTree, exact};

/// Whether the solids share a point, by a check of the meshes.
fn meshes_intersect(a: &Mesh, b: &Mesh, pose: &Pose) -> bool {
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

/// A mesh of two disjoint boxes and a ring.
fn mixture() -> Mesh {
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    let at = |m: &Mesh, t: [f64; 3]| m.transformed(&Pose::from_translation(t).unwrap());
    let ring = shapes::torus(1.0, 0.25, 12, 8).unwrap();
    Mesh::merged([&at(&cube, [-3.0, 0.0, 0.0]), &at(&cube, [3.0, 0.0, 0.0]), &ring]).unwrap()
}

#[test]
fn results_equal_those_of_the_meshes() {
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
    let mut random = Random::new(11);
    let (mut intersecting, mut disjoint) = (0, 0);
    for case in 0..400 {
        let (a, tree_a) = &bodies[case % 3];
        let (b, tree_b) = &bodies[case / 3 % 3];
        // Translations by multiples of a quarter, which often touch and are not rounded, and
        // arbitrary poses.
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
        let expected = meshes_intersect(a, b, &pose);
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
        assert_eq!(unique.len(), count, "a pair was reported twice");
        if expected { intersecting += 1 } else { disjoint += 1 }
    }
    assert!(intersecting > 60 && disjoint > 60, "{intersecting} intersect, {disjoint} do not");
}

#[test]
fn pairs_of_leaves_are_those_of_all_against_all() {
    let found = decompose_exactly(&u_shape(), 16).unwrap();
    let tree = HullTree::of_pieces(&found).unwrap();
    let mut random = Random::new(5);
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
fn one_solid_inside_the_other_is_a_hit() {
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
    let mut random = Random::new(8);
    let mut false_hits = 0;
    for _ in 0..300 {
        let pose = Pose::from_translation((random.point() * 1.6).to_array()).unwrap();
        let hit = tree.first_hit(&cube_tree, &pose).is_some();
        let expected = meshes_intersect(&gear, &cube, &pose);
        assert!(hit || !expected, "missed at {pose:?}");
        if hit && !expected {
            false_hits += 1;
            let gap = impinge::distance(&gear, &cube, &pose).unwrap();
            assert!(gap.lower <= tree.error(), "{} > {}", gap.lower, tree.error());
        }
    }
    assert!(false_hits < 60, "{false_hits}");
}

#[test]
fn a_sink_stops_the_traversal() {
    struct StopAtTwo(usize);
    impl Sink for StopAtTwo {
        fn pair(&mut self, _: u32, _: u32) -> ControlFlow<()> {
            self.0 += 1;
            if self.0 == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let tree = HullTree::of_mesh(&u_shape(), 12).unwrap();
    let mut sink = StopAtTwo(0);
    tree.traverse(&tree, &Pose::IDENTITY, &mut exact, &mut sink);
    assert_eq!(sink.0, 2);
    let sheet = Mesh::from_triangles(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    assert_eq!(HullTree::of_mesh(&sheet, 2).unwrap_err().kind(), impinge::ErrorKind::NotSolid);
}

#[test]
fn real_meshes_are_covered_within_the_error() {
    for (file, max_pieces) in [("standard/cgal/eight.off", 20), ("standard/cgal/hand.off", 24)] {
        let Some(path) = model(file) else { continue };
        let mesh = Mesh::load(&path).unwrap();
        let size = mesh.bounds().extent().length();
        let found = decompose(&mesh, &DecomposeOptions::new(0.05 * size, 64)).unwrap();
        assert!(
            found.error <= 0.05 * size && found.pieces.len() <= max_pieces,
            "{}",
            found.pieces.len()
        );
        let holds = |p: Vec3| found.pieces.iter().any(|piece| exact(piece.hull.vertices(), &[p]));
        let mut random = Random::new(3);
        let bounds = mesh.bounds();
        for _ in 0..2_000 {
            let unit = random.point() * 0.5 + Vec3::splat(0.5);
            let p = bounds.min + bounds.extent() * unit;
            let inside = impinge::solid::locate(&mesh, p).unwrap() != Location::Outside;
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

/// Closed surfaces, some with parts that enclose no volume. The corners are small integers.
fn surfaces_with_flat_parts() -> Vec<(&'static str, Mesh)> {
    let at = |m: &Mesh, t: [f64; 3]| m.transformed(&Pose::from_translation(t).unwrap());
    let cube = shapes::cuboid([2.0; 3]).unwrap();
    let points = |p: &[[f64; 3]]| p.iter().map(|p| Vec3::from(*p)).collect::<Vec<_>>();
    let two_sided =
        |p: [[f64; 3]; 3]| Mesh::from_triangles(points(&p), vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    // Each edge occurs twice, also for triangles of zero area.
    let fin = two_sided([[1.0, 0.0, 0.0], [3.0, 0.0, 1.0], [3.0, 0.0, -1.0]]);
    let through = two_sided([[-3.0, 0.0, 0.0], [3.0, 1.0, 0.0], [3.0, -1.0, 0.0]]);
    let face = two_sided([[1.0, -1.0, -1.0], [1.0, 3.0, -1.0], [1.0, -1.0, 3.0]]);
    let inner = two_sided([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
    let needle = two_sided([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0]]);
    let hair = two_sided([[0.0, 0.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 1.0]]);
    let far = two_sided([[-3.0, -2.0, 0.0], [-3.0, -2.0, 0.0], [-3.0, -2.0, 0.0]]);
    let away = two_sided([[3.0, 0.0, 0.0], [5.0, 0.0, 0.0], [3.0, 2.0, 0.0]]);
    let sheet = Mesh::from_polygons(
        points(&[[-1.0, -1.0, 1.0], [3.0, -1.0, 1.0], [3.0, 3.0, 1.0], [-1.0, 3.0, 1.0]]),
        [[0, 1, 2, 3], [3, 2, 1, 0]],
    )
    .unwrap();
    let with = |parts: &[&Mesh]| Mesh::merged(parts.iter().copied()).unwrap();
    let soup = |m: &Mesh| m.welded(impinge::mesh::Weld::Exact).unwrap();
    let mut all = vec![
        ("fin at a face", with(&[&cube, &fin])),
        ("sheet through a cube", with(&[&cube, &through])),
        ("sheet in a face", with(&[&cube, &face])),
        ("sheet inside", with(&[&cube, &inner])),
        ("needle at a corner", with(&[&cube, &needle])),
        ("hair out of a face", with(&[&cube, &hair])),
        ("point apart", with(&[&cube, &far])),
        ("sheet apart", with(&[&cube, &away])),
        ("square on a cube", with(&[&cube, &sheet])),
        ("sheet alone", sheet.clone()),
        ("needle alone", needle.clone()),
        ("twice", with(&[&cube, &cube])),
        ("twice, one inside out", with(&[&cube, &cube.flipped()])),
        ("inside out", cube.flipped()),
        ("common face", with(&[&cube, &at(&cube, [2.0, 0.0, 0.0])])),
        ("common part of a face", with(&[&cube, &at(&cube, [2.0, 1.0, 0.0])])),
        ("common edge", with(&[&cube, &at(&cube, [2.0, 2.0, 0.0])])),
        ("common corner", with(&[&cube, &at(&cube, [2.0, 2.0, 2.0])])),
        ("nested", with(&[&cube, &shapes::cuboid([6.0; 3]).unwrap()])),
        ("hollow", with(&[&cube.flipped(), &shapes::cuboid([6.0; 3]).unwrap()])),
        ("cavity of no wall", with(&[&cube.flipped(), &cube, &at(&cube, [4.0, 0.0, 0.0])])),
        ("welded common face", soup(&with(&[&cube, &at(&cube, [2.0, 0.0, 0.0])]))),
        ("everything", with(&[&cube, &fin, &needle, &far, &away, &sheet, &hair])),
    ];
    // Two triangles of the same orientation make the mesh unbalanced: a point is inside if its
    // parity is odd, also in the overlapping cubes.
    let odd = Mesh::from_triangles(
        points(&[[9.0, 0.0, 0.0], [11.0, 0.0, 0.0], [9.0, 2.0, 0.0]]),
        vec![[0, 1, 2], [0, 1, 2]],
    )
    .unwrap();
    all.push(("parity", with(&[&cube, &at(&cube, [1.0, 1.0, 1.0]), &odd])));
    all.push(("parity, twice", with(&[&cube, &cube, &odd])));
    all.push(("parity, sheet", with(&[&cube, &fin, &odd])));
    all
}

/// Whether two solids share a point, by testing all pairs of triangles and all corners.
fn solids_intersect(a: &Mesh, b: &Mesh, pose: &Pose) -> bool {
    let moved = |t: [Vec3; 3]| t.map(|p| pose.transform_point(p));
    let of = |m: &Mesh| (0..m.triangles().len()).map(|t| m.triangle(t)).collect::<Vec<_>>();
    let (s, t) = (of(a), of(b).into_iter().map(moved).collect::<Vec<_>>());
    let holds = |mesh: &Mesh, triangles: &[[Vec3; 3]], p: Vec3| {
        if mesh.topology().is_balanced() {
            winding_number(p, triangles.iter().copied()) != Some(0)
        } else {
            locate_point(p, triangles.iter().copied()) != Location::Outside
        }
    };
    s.iter().any(|x| t.iter().any(|y| triangles_intersect(x, y)))
        || t.iter().flatten().any(|p| holds(a, &s, *p))
        || s.iter().flatten().any(|p| holds(b, &t, *p))
}

#[test]
fn parts_without_volume_are_hit() {
    let mut random = Random::new(77);
    let (mut intersecting, mut disjoint) = (0, 0);
    let named = surfaces_with_flat_parts();
    // Powers of two, so that poses move corners of pieces and of triangles without rounding. The
    // last but one is 5e58.
    for (i, exponent) in [0, -1000, -530, -300, 66, 195, -1072].into_iter().enumerate() {
        // Four times the smallest positive number can be halved exactly.
        let scale = if exponent < -1022 { f64::from_bits(4) } else { 2.0_f64.powi(exponent) };
        assert!(scale > 0.0);
        let scaled =
            |m: &Mesh| m.with_vertices(m.vertices().iter().map(|v| *v * scale).collect()).unwrap();
        let bodies: Vec<(&str, Mesh, [HullTree; 2])> = named
            .iter()
            .map(|(name, mesh)| {
                let mesh = scaled(mesh);
                let cut = HullTree::of_mesh(&mesh, 64).unwrap();
                assert!(cut.is_exact(), "{name}");
                assert!((0..cut.leaf_count()).all(|l| cut.is_convex(l)), "{name} at {scale:e}");
                // The uncut mesh, because the limit allows no pieces.
                let whole = HullTree::of_mesh(&mesh, 0).unwrap();
                let found = decompose_exactly(&mesh, 64).unwrap();
                assert!(found.exact, "{name}");
                assert!(found.pieces.iter().all(|p| p.hull.bounds().extent().is_finite()));
                (*name, mesh, [cut, whole])
            })
            .collect();
        for (n, (name, a, trees)) in bodies.iter().enumerate() {
            for _ in 0..if i == 0 { 16 } else { 4 } {
                let m = random.below(bodies.len() + 4).min(bodies.len() - 1);
                let (other, b, others) = &bodies[(n + m) % bodies.len()];
                let t = (random.point() * 9.0).round() * 0.5 * scale;
                let pose = Pose::from_translation(t.to_array()).unwrap();
                let expected = solids_intersect(a, b, &pose);
                let what = format!("{name} and {other} at {t} of {scale:e}");
                assert_eq!(meshes_intersect(a, b, &pose), expected, "meshes: {what}");
                for (s, t) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let hit = trees[s].first_hit(&others[t], &pose);
                    assert_eq!(hit.is_some(), expected, "trees {s} {t}: {what}");
                }
                if expected { intersecting += 1 } else { disjoint += 1 }
            }
        }
    }
    assert!(intersecting > 200 && disjoint > 200, "{intersecting} intersect, {disjoint} do not");
}

#[test]
fn first_hit_finds_a_two_sided_triangle_beside_a_cube() {
    let cube = shapes::cuboid([2.0; 3]).unwrap();
    let corners =
        vec![Vec3::new(3.0, 0.0, 0.0), Vec3::new(5.0, 0.0, 0.0), Vec3::new(3.0, 2.0, 0.0)];
    let fin = Mesh::from_triangles(corners, vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    let both = Mesh::merged([&cube, &fin]).unwrap();
    let found = decompose_exactly(&both, 8).unwrap();
    let dimensions: Vec<usize> = found.pieces.iter().map(|p| p.hull.dimension()).collect();
    assert_eq!((dimensions, found.exact), (vec![3, 2], true));
    let probe = shapes::cuboid([0.5; 3]).unwrap();
    let pose = Pose::from_translation([3.5, 0.5, 0.0]).unwrap();
    let (a, b) = (HullTree::of_mesh(&both, 8).unwrap(), HullTree::of_mesh(&probe, 8).unwrap());
    assert!(meshes_intersect(&both, &probe, &pose));
    assert!(a.first_hit(&b, &pose).is_some());
    let pieces = HullTree::of_pieces(&found).unwrap();
    assert_eq!(pieces.first_hit(&b, &pose), Some((1, 0)));
    // Flat pieces count towards the limit.
    let error = decompose_exactly(&both, 1).unwrap_err();
    assert_eq!(error.kind(), impinge::ErrorKind::TooLarge);
}

#[test]
fn covers_within_a_tolerance_contain_parts_without_volume() {
    for (name, mesh) in surfaces_with_flat_parts() {
        for (tolerance, limit) in [(0.01, 64), (0.5, 8), (1e-6, 3)] {
            let mut options = DecomposeOptions::new(tolerance, limit);
            options.effort = 2_000;
            let found = decompose(&mesh, &options).unwrap();
            let holds =
                |p: Vec3| found.pieces.iter().any(|piece| exact(piece.hull.vertices(), &[p]));
            for t in 0..mesh.triangles().len() {
                let [a, b, c] = mesh.triangle(t);
                // Multiples of a quarter are exact.
                for p in [a, b, c, (a + b) * 0.5, (b + c) * 0.5, (a + b) * 0.25 + c * 0.5] {
                    assert!(holds(p), "{name}, tolerance {tolerance}: {p} is in no hull");
                }
            }
            let mut random = Random::new(5);
            for piece in &found.pieces {
                let corners = piece.hull.vertices();
                for _ in 0..40 {
                    let [s, t] = [0; 2].map(|_| corners[random.below(corners.len())]);
                    let p = (s + t) * 0.5;
                    if impinge::solid::locate(&mesh, p).unwrap() == Location::Outside {
                        let gap = (0..mesh.triangles().len())
                            .map(|t| impinge::closest::point_triangle(p, &mesh.triangle(t)).lower)
                            .fold(f64::INFINITY, f64::min);
                        assert!(gap <= piece.error + 1e-15, "{name}: {gap} > {}", piece.error);
                    }
                }
            }
        }
    }
}
