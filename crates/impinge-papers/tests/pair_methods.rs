//! Every method reports the same pairs of triangles as brute force, and proofs that verify.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use impinge::exact::segment_triangle;
use impinge::internals::pair::{Posed, brute, sweep};
use impinge::pair::Collect;
use impinge::{Hit, Mesh, Pose, Separation, Vec3, Verdict, shapes};
use impinge_oracles::common::Random;
use impinge_oracles::meshes::{pose, soup};
use impinge_papers::zachmann::edges::{self, Bias, EdgePreChecks};
use impinge_papers::zachmann::{MonteCarlo, monte_carlo};

/// Triangles with corners on a small integer grid: most of them touch, coincide or have zero area.
fn grid_soup(random: &mut Random, count: usize, side: f64) -> Mesh {
    soup(random, count, |r| (r.unit_point() * side).floor())
}

/// Compares all methods on one pair and returns the number of pairs found.
fn compare(a: &Mesh, b: &Mesh, pose: &Pose) -> usize {
    let (pa, pb) = (Posed::new(a, &Pose::IDENTITY), Posed::new(b, pose));
    let mut sink = Collect::default();
    brute::traverse(&pa, &pb, &mut sink);
    let oracle = sink.into_sorted();
    let mut sink = Collect::default();
    sweep::traverse(&pa, &pb, &mut sink);
    assert_eq!(sink.into_sorted(), oracle, "sweep");
    for checks in [
        EdgePreChecks::NONE,
        EdgePreChecks::OBJECT_BOX,
        EdgePreChecks::FACE_BOX,
        EdgePreChecks::COLLECT,
    ] {
        let mut sink = Collect::default();
        let counts = edges::traverse(&pa, &pb, &checks, &mut sink);
        assert_eq!(sink.into_sorted(), oracle, "edges with {checks:?}");
        assert!(counts.exact_hits <= counts.exact_tests && counts.faces_collected <= counts.faces);
    }
    let mut sink = Collect::default();
    edges::traverse(&pa, &pb, &EdgePreChecks::RELAXED_COLLECT, &mut sink);
    assert!(
        sink.pairs.iter().all(|h| oracle.contains(h)),
        "the relaxed mode reports a pair that does not intersect"
    );

    let boxes = edges::after_pre_checks(&pa, &pb);
    assert_eq!(boxes.bias, Bias::TowardsCollision);
    assert!(
        oracle.is_empty() || boxes.collision,
        "the mode without exact tests missed a collision"
    );
    assert_eq!(boxes.is_certain(), !boxes.collision);
    let vertices = edges::by_vertices(&pa, &pb);
    assert!(!vertices.collision || !oracle.is_empty());
    assert_eq!(vertices.is_certain(), vertices.collision);

    match impinge::intersects(a, b, pose) {
        Verdict::Intersecting(hit) => assert!(oracle.contains(&(hit.triangle_a, hit.triangle_b))),
        Verdict::Separated(proof) => {
            assert!(oracle.is_empty());
            assert!(proof.verify(a, b, pose), "{proof}");
            if let Some(d) = impinge::distance(a, b, pose) {
                assert!(proof.lower() <= d.upper && d.lower <= d.upper && d.upper > 0.0);
            }
        }
    }
    assert_eq!(impinge::pair::intersecting_pairs(a, b, pose), oracle);
    let hits = impinge::all_pairs(a, b, pose);
    let hit = |i, j| Hit::between((i, &pa.triangle(i)), (j, &pb.triangle(j)));
    assert!(hits.iter().map(|h| (h.triangle_a, h.triangle_b)).eq(oracle.iter().copied()));
    assert!(hits.iter().all(|h| hit(h.triangle_a, h.triangle_b) == Some(*h)));
    for hit in &hits {
        let witness = hit
            .edge_and_face(a, b, pose)
            .expect("an edge of one triangle must intersect the other");
        let (edges, face) = if witness.edge_is_a { (&pa, &pb) } else { (&pb, &pa) };
        let [u, v] = witness.edge.map(|v| edges.vertices()[v as usize]);
        assert!(segment_triangle(u, v, &face.triangle(witness.face)).is_some());
    }
    oracle.len()
}

#[test]
fn grid_soups_match_brute_force() {
    let mut random = Random::new(11);
    let mut hits = 0;
    for round in 0..60 {
        let a = grid_soup(&mut random, 12, 4.0);
        let b = grid_soup(&mut random, 9, 4.0);
        let offset = (random.unit_point() * 3.0).floor();
        let pose = if round % 2 == 0 {
            Pose::from_translation(offset).unwrap()
        } else {
            pose(&mut random, 6.0)
        };
        hits += compare(&a, &b, &pose);
    }
    assert!(hits > 500, "{hits}");
}

#[test]
fn generated_shapes_match_brute_force_at_all_distances() {
    let mut random = Random::new(5);
    let meshes = [
        shapes::cuboid([1.0, 2.0, 0.5]).unwrap(),
        shapes::icosphere(1.0, 1).unwrap(),
        shapes::torus(1.0, 0.3, 10, 6).unwrap(),
        shapes::uv_sphere(0.7, 6, 9).unwrap(),
    ];
    let (mut together, mut apart) = (0, 0);
    for a in &meshes {
        for b in &meshes {
            for reach in [0.0, 2.0, 4.0, 12.0] {
                let found = compare(a, b, &pose(&mut random, reach));
                if found == 0 { apart += 1 } else { together += 1 }
            }
        }
    }
    assert!(together > 10 && apart > 10, "{together} {apart}");
}

#[test]
fn equal_meshes_moved_by_their_edges_match_brute_force() {
    let ball = shapes::icosphere(1.0, 1).unwrap();
    assert!(compare(&ball, &ball, &Pose::IDENTITY) >= ball.triangles().len());
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    for offset in
        [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.5, 0.0, 0.0], [1.0, 0.5, 0.25]]
    {
        assert!(compare(&cube, &cube, &Pose::from_translation(offset).unwrap()) > 0);
    }
    let just_apart = Pose::from_translation([1.0 + f64::EPSILON, 0.0, 0.0]).unwrap();
    assert_eq!(compare(&cube, &cube, &just_apart), 0);
}

#[test]
fn interlocked_rings_cannot_be_separated_by_a_slab() {
    let ring = shapes::torus(1.0, 0.2, 24, 12).unwrap();
    let pose = Pose::from_translation([1.0, 0.0, 0.0])
        .unwrap()
        .compose(&Pose::from_axis_angle([1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_2).unwrap())
        .unwrap();
    let Verdict::Separated(proof) = impinge::intersects(&ring, &ring, &pose) else {
        panic!("the rings do not intersect");
    };
    assert!(matches!(proof, Separation::Distance { lower } if lower > 0.5), "{proof:?}");
    assert!(proof.verify(&ring, &ring, &pose));
    assert!(!Separation::Distance { lower: 1.0 }.verify(&ring, &ring, &pose));
    let wrong = Separation::Slab { direction: Vec3::X, lower: 0.1 };
    assert!(!wrong.verify(&ring, &ring, &pose));
}

/// Regression: a lower bound of zero was accepted as a proof for any meshes.
#[test]
fn no_proof_of_separation_verifies_for_intersecting_meshes() {
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    for offset in [[0.5, 0.25, 0.0], [1.0, 0.0, 0.0]] {
        let pose = Pose::from_translation(offset).unwrap();
        assert!(!Separation::Distance { lower: 0.0 }.verify(&cube, &cube, &pose));
        assert!(
            !Separation::Slab { direction: Vec3::X, lower: 1e-300 }.verify(&cube, &cube, &pose)
        );
        assert!(!Separation::Empty.verify(&cube, &cube, &pose));
    }
}

#[test]
fn empty_meshes_have_no_pairs() {
    let nothing = Mesh::from_triangles(Vec::new(), Vec::new()).unwrap();
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    for (a, b) in [(&nothing, &cube), (&cube, &nothing), (&nothing, &nothing)] {
        assert_eq!(
            impinge::intersects(a, b, &Pose::IDENTITY),
            Verdict::Separated(Separation::Empty)
        );
        assert!(impinge::all_pairs(a, b, &Pose::IDENTITY).is_empty());
        assert!(impinge::distance(a, b, &Pose::IDENTITY).is_none());
    }
}

#[test]
fn the_monte_carlo_test_reports_no_false_collision() {
    let mut random = Random::new(21);
    let (ball, ring) =
        (shapes::icosphere(1.0, 2).unwrap(), shapes::torus(1.5, 0.4, 16, 8).unwrap());
    let (mut found, mut missed) = (0, 0);
    for seed in 0..60 {
        let pose = pose(&mut random, 6.0);
        let truth = impinge::check::check_pair(&ball, &ring, &pose, &Default::default())
            .relation
            .is_collision();
        let outcome = monte_carlo(&ball, &ring, &pose, &MonteCarlo::default().seed(seed)).unwrap();
        assert!(truth || outcome.point.is_none());
        if truth {
            if outcome.point.is_some() { found += 1 } else { missed += 1 }
        }
    }
    assert!(found > 10 * missed, "{found} found, {missed} missed");
    let open = Mesh::from_triangles(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    assert!(monte_carlo(&open, &ball, &Pose::IDENTITY, &MonteCarlo::default()).is_err());
}
