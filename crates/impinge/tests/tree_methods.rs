//! The tree reports exactly the same pairs as brute force, with all instruction sets.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use impinge::internals::pair::{Posed, brute};
use impinge::internals::tree::traverse;
use impinge::pair::Collect;
use impinge::{Mesh, Pose, Vec3, shapes};
use impinge_oracles::common::Random;
use impinge_oracles::meshes::{
    compare_trees, far_soups, grid_soups, needles, pose, star, tilted_star,
};

/// Compares the tree with brute force. Returns the number of pairs, or `None` if the trees cannot
/// be used.
fn compare(a: &Mesh, b: &Mesh, pose: &Pose) -> Option<usize> {
    a.tree().validate(a).unwrap();
    b.tree().validate(b).unwrap();
    compare_trees(a, b, pose)
}

#[test]
fn grid_soups_match_brute_force() {
    let mut hits = 0;
    grid_soups(120, |a, b, pose| hits += compare(a, b, pose).unwrap());
    assert!(hits > 1000, "{hits}");
}

#[test]
fn needles_of_all_sizes_match_brute_force() {
    needles(40, |a, b, pose| {
        compare(a, b, pose).unwrap();
    });
}

#[test]
fn shapes_near_and_far_from_the_origin_match_brute_force() {
    let mut random = Random::new(5);
    let meshes = [
        shapes::torus(1.0, 0.4, 24, 12).unwrap(),
        shapes::icosphere(1.0, 5).unwrap(),
        shapes::cuboid_grid([1.0, 2.0, 1.0], [4, 4, 4]).unwrap(),
        impinge_samples::shapes::stalagmites(4, 3, 6, 1).unwrap(),
        tilted_star(),
    ];
    let mut hits = 0;
    for a in &meshes {
        for b in &meshes {
            for reach in [0.0, 1.0, 3.0] {
                hits += compare(a, b, &pose(&mut random, reach)).unwrap();
            }
            // The same pair with both meshes translated far away, so that vertices are rounded
            // coarsely.
            let away = Pose::from_translation([1e7, -3e6, 5e5]).unwrap();
            compare(&a.transformed(&away), &b.transformed(&away), &Pose::IDENTITY).unwrap();
        }
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn small_triangles_far_away_match_brute_force() {
    let mut hits = 0;
    far_soups(60, 7, 60, |a, b, pose| hits += compare(a, b, pose).unwrap_or(0));
    assert!(hits > 500, "{hits}");
}

/// In a leaf of triangles much smaller than the distances between them, the rounding errors of
/// corners exceed the size of the triangles, and products of two errors matter in the error bound.
#[test]
fn triangles_smaller_than_the_rounding_of_their_leaf_match_brute_force() {
    let mut random = Random::new(31);
    let mut hits = 0;
    for round in 0..400 {
        let size = 10.0_f64.powi(-4 - round % 9);
        let point_count = 12 + round as usize % 20;
        let places: Vec<Vec3> = (0..point_count).map(|_| random.unit_point()).collect();
        let mut tiny_triangles = |shift: f64| {
            let mut corner =
                |place: Vec3| place + (random.unit_point() - Vec3::splat(0.5)) * size * shift;
            let soup: Vec<[Vec3; 3]> =
                places.iter().map(|p| [corner(*p), corner(*p), corner(*p)]).collect();
            Mesh::from_soup(&soup).unwrap()
        };
        let (a, b) = (tiny_triangles(1.0), tiny_triangles(1.2));
        hits += compare(&a, &b, &Pose::IDENTITY).unwrap();
        let turn = Pose::from_axis_angle(random.unit_point(), size).unwrap();
        hits += compare(&a, &b, &turn).unwrap();
    }
    assert!(hits > 500, "{hits}");
}

#[test]
fn equal_and_touching_meshes_match_brute_force() {
    for mesh in [
        shapes::icosphere(1.0, 3).unwrap(),
        shapes::cuboid_grid([2.0, 2.0, 2.0], [3, 3, 3]).unwrap(),
    ] {
        assert!(compare(&mesh, &mesh, &Pose::IDENTITY).unwrap() >= mesh.triangles().len());
        compare(&mesh, &mesh, &Pose::from_translation([2.0, 0.0, 0.0]).unwrap()).unwrap();
        let hair = Pose::from_translation([2.0 + 4.0 * f64::EPSILON, 0.0, 0.0]).unwrap();
        compare(&mesh, &mesh, &hair).unwrap();
    }
}

#[test]
fn equal_triangles_and_equal_centres_match_brute_force() {
    let t = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let same = Mesh::from_soup(&[t; 50]).unwrap();
    assert_eq!(compare(&same, &same, &Pose::IDENTITY), Some(2500));
    let mut random = Random::new(6);
    let star = star(&mut random, 100);
    compare(&star, &star, &pose(&mut random, 0.1)).unwrap();
    let point = Mesh::from_soup(&[[Vec3::ONE; 3]; 20]).unwrap();
    compare(&point, &same, &Pose::IDENTITY);
}

#[test]
fn empty_meshes_and_all_scales_match_brute_force() {
    let nothing = Mesh::from_triangles(Vec::new(), Vec::new()).unwrap();
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    assert!(matches!(compare(&nothing, &cube, &Pose::IDENTITY), None | Some(0)));
    for scale in [1e-300, 1e-30, 1e-9, 1e9, 1e30, 1e59] {
        let scaled = cube.scaled(scale).unwrap();
        compare(&scaled, &scaled, &Pose::from_translation([0.25 * scale, 0.0, 0.0]).unwrap());
        compare(&scaled, &cube, &Pose::IDENTITY);
    }
}

/// The inverse of the pose was taken as the transpose, whose error for leaves far from the centre
/// exceeds the size of small triangles.
#[test]
fn regression_inexact_rotations_match_brute_force() {
    let mut random = Random::new(77);
    let (mut pairs, mut poses) = (0, 0);
    // Small triangles far from the middle: two fine patches on long arms.
    let patch = shapes::icosphere(0.01, 5).unwrap();
    let arm = |at: Vec3| {
        let both = [at, -at];
        let vertices: Vec<Vec3> =
            both.iter().flat_map(|o| patch.vertices().iter().map(move |v| *v + *o)).collect();
        let n = patch.vertices().len() as u32;
        let triangles: Vec<[u32; 3]> = [0, n]
            .iter()
            .flat_map(|o| patch.triangles().iter().map(move |t| t.map(|i| i + o)))
            .collect();
        Mesh::from_triangles(vertices, triangles).unwrap()
    };
    let (a, b) = (arm(Vec3::new(3.0, 1.0, 0.5)), arm(Vec3::new(3.0, 1.0, 0.5)));
    for _ in 0..40 {
        let shift = [0; 3].map(|_: i32| 0.01 * random.signed());
        let mut rows =
            [[1.0, 0.0, 0.0, shift[0]], [0.0, 1.0, 0.0, shift[1]], [0.0, 0.0, 1.0, shift[2]]];
        for row in &mut rows {
            for entry in &mut row[..3] {
                *entry += 2e-10 * random.signed();
            }
        }
        let Ok(pose) = Pose::from_matrix(rows) else { continue };
        poses += 1;
        let (mut quick, mut slow) = (Collect::default(), Collect::default());
        assert!(traverse((&a, a.tree()), (&b, b.tree()), &pose, &mut quick));
        brute::traverse(&Posed::new(&a, &Pose::IDENTITY), &Posed::new(&b, &pose), &mut slow);
        let slow = slow.into_sorted();
        pairs += slow.len();
        assert_eq!(quick.into_sorted(), slow);
    }
    assert!(poses > 20 && pairs > 1000, "{poses} poses, {pairs} pairs");
}
