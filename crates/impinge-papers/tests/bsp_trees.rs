//! BSP trees give the verdicts of brute force, with evidence that holds, and are correctly
//! labelled.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use impinge::exact::{Location, triangles_intersect};
use impinge::internals::pair::Posed;
use impinge::internals::solid::locate_posed;
use impinge::pair::Budget;
use impinge::{Mesh, Pose, Vec3, Verdict, shapes, solid};
use impinge_oracles::common::Random;
use impinge_oracles::meshes::{brute_pairs, far_soups, grid_soups, needles, pose, tilted_star};
use impinge_papers::hubbard::bsp::{BspEvidence, BspOptions, BspQuery, BspTree, Question};
use impinge_samples::shapes::lamp;

/// Compares the verdict on the surfaces with brute force. Returns whether they meet.
fn compare(a: &Mesh, tree: &BspTree, b: &Mesh, pose: &Pose) -> bool {
    let oracle = brute_pairs(a, b, pose);
    for cull in [false, true] {
        let mut query = BspQuery::new((a, tree), b).unwrap().cull(cull);
        match query.meets(pose, Question::Surfaces) {
            Verdict::Separated(()) => assert!(oracle.is_empty(), "missed {oracle:?} at {pose:?}"),
            Verdict::Intersecting(BspEvidence::Triangles(t, u)) => {
                assert!(oracle.contains(&(t, u)), "{t} and {u} do not meet");
            }
            other => panic!("{other:?}"),
        }
    }
    !oracle.is_empty()
}

/// Compares the verdict on solids with the relation of the pair and checks the evidence. Returns
/// the evidence.
fn compare_solids(a: &Mesh, tree: &BspTree, b: &Mesh, pose: &Pose) -> Option<BspEvidence> {
    let relation = impinge::check_pair(a, b, pose, &Default::default()).relation;
    let meets = relation.is_collision();
    let mut query = BspQuery::new((a, tree), b).unwrap();
    match query.meets(pose, Question::Solids) {
        Verdict::Separated(()) => {
            assert!(!meets, "{relation:?} at {pose:?}");
            None
        }
        Verdict::Intersecting(evidence) => {
            assert!(meets, "{relation:?} at {pose:?}");
            match evidence {
                BspEvidence::Triangles(t, u) => {
                    let u = b.triangle(u as usize).map(|v| pose.transform_point(v));
                    assert!(triangles_intersect(&a.triangle(t as usize), &u));
                }
                BspEvidence::Inside(p) => {
                    let in_a = solid::locate(a, p).unwrap();
                    let in_b = locate_posed(p, &Posed::new(b, pose));
                    assert!(in_a == Location::Inside || in_b == Location::Inside, "{p}");
                }
            }
            Some(evidence)
        }
        Verdict::Undecided(_) => panic!("there was no budget"),
    }
}

#[test]
fn surfaces_as_by_brute_force_on_degenerate_input() {
    let mut met = 0;
    let mut check = |a: &Mesh, b: &Mesh, pose: &Pose| {
        let tree = BspTree::build(a, &BspOptions::default());
        tree.validate(a).unwrap();
        met += usize::from(compare(a, &tree, b, pose));
    };
    grid_soups(150, &mut check);
    needles(30, &mut check);
    far_soups(60, 20, 20, &mut check);
    assert!(met > 60, "{met}");
}

/// At every scale, with contacts at single points.
#[test]
fn surfaces_as_by_brute_force_at_every_scale() {
    let mut random = Random::new(8);
    for scale in [1e59, 1e20, 1.0, 1e-100, 1e-200, 1e-300, 1e-310, 1e-320] {
        let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
        let scaled = |mesh: &Mesh| {
            let vertices = mesh.vertices().iter().map(|v| *v * scale).collect();
            Mesh::from_triangles(vertices, mesh.triangles().to_vec()).unwrap()
        };
        let (a, b) = (scaled(&cube), scaled(&shapes::octahedron(0.5).unwrap()));
        let tree = BspTree::build(&a, &BspOptions::default());
        tree.validate(&a).unwrap();
        let (mut met, mut apart) = (0, 0);
        for round in 0..60 {
            let at = match round % 3 {
                0 => Vec3::X * scale,
                1 => Vec3::X * (scale * (1.0 + f64::EPSILON)),
                _ => random.point() * (0.8 * scale),
            };
            let pose = match round % 2 {
                0 => Pose::from_translation(at).unwrap(),
                _ => Pose::from_quaternion([0; 4].map(|_| random.signed()), at).unwrap(),
            };
            match compare(&a, &tree, &b, &pose) {
                true => met += 1,
                false => apart += 1,
            }
        }
        assert!(met > 10 && (apart > 3 || scale < 1e-315), "{scale}: {met} {apart}");
    }
}

#[test]
fn solids_meet_where_they_overlap() {
    let mut random = Random::new(5);
    let lamp = lamp(1.0, 10, 1).unwrap();
    let forms = [
        shapes::cuboid([1.0, 1.0, 1.0]).unwrap(),
        shapes::torus(0.7, 0.2, 12, 8).unwrap(),
        tilted_star(),
        shapes::icosphere(0.2, 2).unwrap(),
        lamp,
    ];
    let trees: Vec<BspTree> =
        forms.iter().map(|mesh| BspTree::build(mesh, &BspOptions::fewest_cuts())).collect();
    for (tree, mesh) in trees.iter().zip(&forms) {
        tree.validate(mesh).unwrap();
        let stats = tree.stats();
        assert!(stats.inside > 0 && stats.crowded == 0, "{stats:?}");
        assert!(stats.unknown * 50 <= stats.nodes, "{stats:?}");
    }
    let (mut apart, mut triangles, mut inside) = (0, 0, 0);
    for (a, tree) in forms.iter().zip(&trees) {
        for b in &forms {
            for round in 0..16 {
                let at = match round {
                    // Shared faces, edges and corners.
                    0 => Pose::from_translation([1.0, 0.0, 0.0]).unwrap(),
                    1 => Pose::IDENTITY,
                    2 => Pose::from_translation([1.0, 1.0, 0.5]).unwrap(),
                    _ => pose(&mut random, 2.5),
                };
                match compare_solids(a, tree, b, &at) {
                    None => apart += 1,
                    Some(BspEvidence::Triangles(..)) => triangles += 1,
                    Some(BspEvidence::Inside(_)) => inside += 1,
                }
            }
        }
    }
    assert!(apart > 50 && triangles > 50 && inside > 5, "{apart} {triangles} {inside}");
}

#[test]
fn a_solid_inside_another_is_found_from_both_sides() {
    let (large, small) = (shapes::icosphere(1.0, 3).unwrap(), shapes::icosphere(0.3, 2).unwrap());
    for (a, b) in [(&large, &small), (&small, &large)] {
        let tree = BspTree::build(a, &BspOptions::default());
        let found = compare_solids(a, &tree, b, &Pose::IDENTITY);
        assert!(matches!(found, Some(BspEvidence::Inside(_))), "{found:?}");
        assert!(!compare(a, &tree, b, &Pose::IDENTITY));
    }
    // A hollow body has room for another.
    let mut vertices = large.vertices().to_vec();
    let count = vertices.len() as u32;
    vertices.extend(large.vertices().iter().map(|v| *v * 0.5));
    let mut triangles = large.triangles().to_vec();
    triangles.extend(large.triangles().iter().map(|[i, j, k]| [i + count, k + count, j + count]));
    let hollow = Mesh::from_triangles(vertices, triangles).unwrap();
    assert!(hollow.is_solid());
    let tree = BspTree::build(&hollow, &BspOptions::default());
    tree.validate(&hollow).unwrap();
    assert_eq!(compare_solids(&hollow, &tree, &small, &Pose::IDENTITY), None);
}

#[test]
fn limits_leave_crowded_leaves_and_exact_verdicts() {
    let mut random = Random::new(6);
    let (a, b) =
        (shapes::torus(0.7, 0.2, 24, 12).unwrap(), shapes::torus(0.6, 0.2, 16, 8).unwrap());
    for options in [
        BspOptions::default().max_pieces(0),
        BspOptions::default().max_work(3000),
        BspOptions::default().candidates(1),
    ] {
        let tree = BspTree::build(&a, &options);
        tree.validate(&a).unwrap();
        assert!((tree.stats().crowded > 0) == (options.candidates > 1), "{:?}", tree.stats());
        for _ in 0..20 {
            compare(&a, &tree, &b, &pose(&mut random, 3.0));
        }
    }
    let most = BspTree::build(&a, &BspOptions::default().candidates(1)).stats().cuts;
    let fewest = BspTree::build(&a, &BspOptions::fewest_cuts()).stats().cuts;
    assert!(fewest * 2 < most, "{fewest} {most}");
}

#[test]
fn budgets_leave_bounds_and_wrong_meshes_are_refused() {
    let ring = shapes::torus(0.7, 0.2, 24, 12).unwrap();
    let tree = BspTree::build(&ring, &BspOptions::default());
    let mut query = BspQuery::new((&ring, &tree), &ring).unwrap();
    let near = Pose::from_translation([1.6, 0.0, 0.3]).unwrap();
    let found = query.within(&near, Question::Solids, &mut Budget::steps(20));
    let Verdict::Undecided(bounds) = found else { panic!("{found:?}") };
    let distance = impinge::distance(&ring, &ring, &near).unwrap();
    assert!(bounds.upper >= distance.lower && bounds.lower <= 0.0);
    assert!(query.counts().visits <= 20);
    let other = shapes::icosphere(1.0, 1).unwrap();
    assert!(BspQuery::new((&other, &tree), &ring).is_err());
    let empty = Mesh::from_triangles(Vec::new(), Vec::new()).unwrap();
    let tree = BspTree::build(&empty, &BspOptions::default());
    tree.validate(&empty).unwrap();
    assert!(
        BspQuery::new((&empty, &tree), &ring)
            .unwrap()
            .meets(&near, Question::Solids)
            .is_separated()
    );
}
