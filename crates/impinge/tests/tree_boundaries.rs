//! Verdicts and bounds of all queries with trees, within a few ulps of contact, at all sizes and
//! offsets.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::cmp::Ordering;

use impinge::internals;
use impinge::pair::{
    Budget, MeshCache, Separation, first_hit, first_pair_cached, first_pair_within,
    intersecting_pairs, par_intersecting_pairs, within,
};
use impinge::tree::Tree;
use impinge::{Deforming, Mesh, Pose, Vec3, Verdict, distance, intersects, pair, shapes};
use impinge_oracles::common::Random;
use impinge_oracles::meshes::{brute_pairs, soup};
use impinge_papers::klosowski::bv_tree::{BuildOptions, BvQuery, BvTree};
use impinge_papers::klosowski::volume::{Dop6, Dop14, Dop18, Dop26, OrientedBox, Sphere, Volume};

/// From the smallest number to a few percent of the largest coordinate.
const SCALES: [f64; 18] = [
    5e-324, 1e-322, 1e-320, 1e-314, 1e-310, 1e-307, 1e-300, 1e-200, 1e-164, 1e-162, 1e-160, 1e-155,
    1e-100, 1e-30, 1.0, 1e30, 1e50, 5e58,
];

fn triangles(corners: &[[Vec3; 3]]) -> Mesh {
    let faces = (0..corners.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    Mesh::from_triangles(corners.as_flattened().to_vec(), faces).unwrap()
}

/// Compares numbers with the distance of two meshes, in integers. `Greater` means that a pair of
/// triangles is closer than the number.
fn compare_distance(a: &Mesh, b: &Mesh, pose: &Pose, numbers: &[f64]) -> Vec<Ordering> {
    let moved = b.transformed(pose);
    let all: Vec<Vec3> = a.vertices().iter().chain(moved.vertices()).copied().collect();
    let frame = impinge_oracles::points::Frame::of(&all);
    let list = |mesh: &Mesh| -> Vec<_> {
        (0..mesh.triangles().len()).map(|t| frame.points(&mesh.triangle(t))).collect()
    };
    let (list_a, list_b) = (list(a), list(&moved));
    let mut results: Vec<Ordering> = vec![Ordering::Less; numbers.len()];
    for p in &list_a {
        for q in &list_b {
            let square = impinge_oracles::points::triangle_triangle(p, q);
            for (result, x) in results.iter_mut().zip(numbers) {
                *result = (*result).max(frame.compare_square(*x, &square));
            }
        }
    }
    results
}

/// Checks all queries for two meshes. With `exactly`, distances are compared in integers. Returns
/// whether the meshes meet.
fn check(a: &Mesh, b: &Mesh, pose: &Pose, exactly: bool) -> bool {
    let pairs = brute_pairs(a, b, pose);
    let meet = !pairs.is_empty();
    let hit = first_hit(a, b, pose).map(|hit| (hit.triangle_a, hit.triangle_b));
    assert_eq!(hit.is_some(), meet);
    assert!(hit.is_none_or(|pair| pairs.binary_search(&pair).is_ok()));
    assert_eq!(intersecting_pairs(a, b, pose), pairs);
    assert_eq!(par_intersecting_pairs(a, b, pose), pairs);
    let mut cache = MeshCache::default();
    for _ in 0..3 {
        let cached = first_pair_cached(a, b, pose, &mut cache);
        assert_eq!(cached.is_some(), meet);
    }
    let mut gaps = vec![];
    for steps in [0, 1, 2, 5, u64::MAX] {
        match first_pair_within(a, b, pose, &mut Budget::steps(steps)) {
            Verdict::Intersecting((a, b)) => assert!(pairs.binary_search(&(a, b)).is_ok()),
            Verdict::Separated(proof) => {
                assert!(!meet, "{proof:?} after {steps} steps");
                gaps.push(proof.lower());
            }
            Verdict::Undecided(known) => {
                assert!(steps < u64::MAX);
                assert!(known.open_depth <= -known.lower && known.open_depth >= 0.0);
                if exactly {
                    let off = compare_distance(a, b, pose, &[known.upper]);
                    assert_ne!(off[0], Ordering::Less, "{known:?}");
                }
            }
        }
    }
    let near = within(a, b, pose, 0.0);
    let met: Vec<_> = near
        .iter()
        .filter(|p| p.closest.upper == 0.0)
        .map(|p| (p.triangle_a, p.triangle_b))
        .collect();
    assert_eq!(met, pairs);
    let d = distance(a, b, pose).unwrap();
    assert_eq!(d.upper == 0.0, meet);
    match intersects(a, b, pose) {
        Verdict::Intersecting(_) => assert!(meet),
        Verdict::Separated(proof) => {
            assert!(!meet && proof.verify(a, b, pose), "{proof:?}");
            gaps.push(proof.lower());
        }
    }
    if exactly {
        assert_ne!(compare_distance(a, b, pose, &[d.upper])[0], Ordering::Less, "{d:?}");
        gaps.push(d.lower);
        for (gap, order) in gaps.iter().zip(compare_distance(a, b, pose, &gaps)) {
            assert_ne!(order, Ordering::Greater, "{gap:e} is more than the distance");
        }
    }
    meet
}

/// Checks a tree that was read from a file, and a tree after a deformation.
fn check_derived(a: &Mesh, b: &Mesh, pose: &Pose) {
    let pairs = brute_pairs(a, b, pose);
    let mut file = Vec::new();
    a.tree().write(&mut file, a).unwrap();
    let tree = Tree::read(&*file, a).unwrap();
    assert_eq!(tree.validate(a), Ok(()));
    let mut found = pair::Collect::default();
    if internals::tree::traverse((a, &tree), (b, b.tree()), pose, &mut found) {
        assert_eq!(found.into_sorted(), pairs);
    }
    // Deformed from a shape of another size.
    let start = a.vertices().iter().map(|v| Vec3::new(v.y, v.z, v.x) * 0.5).collect();
    let mut deformed = Deforming::new(a.with_vertices(start).unwrap());
    deformed.move_all(a.vertices()).unwrap();
    assert_eq!(intersecting_pairs(deformed.mesh(), b, pose), pairs);
}

/// The next larger number.
fn next_up(x: f64) -> f64 {
    match x.to_bits() {
        _ if x == 0.0 => 5e-324,
        bits if x > 0.0 => f64::from_bits(bits + 1),
        bits => f64::from_bits(bits - 1),
    }
}

/// Meshes of ten triangles with one pair within a few ulps of touching: at a corner, on a side, or
/// in the interior of a triangle.
fn nearly_touching(random: &mut Random, scale: f64, offset: Vec3) -> [Mesh; 2] {
    let mut grid = |n: i32| random.grid_point(n) * scale + offset;
    let (mut a, mut b) = (vec![], vec![]);
    // The other triangles are further apart.
    let aside = Vec3::splat(9.0) * scale;
    for _ in 0..9 {
        a.push([(); 3].map(|()| grid(4) - aside));
        b.push([(); 3].map(|()| grid(4) + aside));
    }
    // Even coordinates, so that midpoints are on the grid.
    let even = |random: &mut Random| random.grid_point(2) * 2.0 * scale + offset;
    let t = [even(random), even(random), even(random)];
    let mut p = match random.below(3) {
        0 => t[0],
        1 => (t[0] - offset) * 0.5 + (t[1] - offset) * 0.5 + offset,
        _ => ((t[0] - offset) * 0.5 + (t[1] - offset) * 0.25) + (t[2] - offset) * 0.25 + offset,
    };
    let ulps = random.grid(2);
    let axis = random.below(3);
    for _ in 0..ulps.abs() as usize {
        p[axis] = if ulps > 0.0 { next_up(p[axis]) } else { -next_up(-p[axis]) };
    }
    // The other corners of the touching triangle are on one side of the first.
    let normal = (t[1] - t[0]) / scale;
    let normal = normal.cross((t[2] - t[0]) / scale);
    let side = |random: &mut Random| {
        let step = random.grid_point(3);
        p + step * scale * if step.dot(normal) < 0.0 { -1.0 } else { 1.0 }
    };
    a.push(t);
    b.push([p, side(random), side(random)]);
    [triangles(&a), triangles(&b)]
}

#[test]
fn first_pair_within_finds_a_shared_vertex() {
    let v = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    for scale in SCALES {
        let a = triangles(&[[v(3., 0., 0.), v(2., 2., 1.), v(3., 2., 3.)].map(|p| p * scale)]);
        let b = triangles(&[[v(3., 0., 0.), v(1., 2., 1.), v(0., 1., 3.)].map(|p| p * scale)]);
        let pose = Pose::from_translation(v(2., 1., -2.) * scale).unwrap();
        let found = first_pair_within(&a, &b, &pose, &mut Budget::unlimited());
        assert_eq!(
            found.is_intersecting(),
            first_hit(&a, &b, &pose).is_some(),
            "{scale:e} {found:?}"
        );
        assert!(found.is_intersecting() || scale > 1.0, "{scale:e}");
    }
}

#[test]
fn tetrahedra_that_touch_at_a_vertex_intersect() {
    let mut random = Random::new(11);
    let (mut touching, mut apart) = (0, 0);
    for round in 0..300 {
        let scale = [1.0, 1e30, 1e50, 1e-100, 1e-310][round % 5];
        let corner = |r: &mut Random| r.unit_point() * 3.0 * scale;
        let tetra = |p: [Vec3; 4]| {
            Mesh::from_triangles(p.to_vec(), vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
                .unwrap()
        };
        // One in the positive octant around the shared corner, one in the negative octant.
        let shared = random.point() * scale;
        let mut ends = |sign: f64| [(); 3].map(|()| shared + corner(&mut random) * sign);
        let ([p, q, r], [s, t, u]) = (ends(1.0), ends(-1.0));
        let mut tip = shared;
        if round % 3 == 0 {
            tip = -(-tip).map(next_up);
        }
        let (a, b) = (tetra([shared, p, q, r]), tetra([tip, s, t, u]));
        *(if check(&a, &b, &Pose::IDENTITY, true) { &mut touching } else { &mut apart }) += 1;
    }
    assert!(touching > 150 && apart > 75, "{touching} {apart}");
}

#[test]
fn contacts_of_denormal_size_are_found() {
    let v = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let p = [v(3., 0., 0.), v(2., 2., 1.), v(3., 2., 3.)];
    let q = [v(3., 0., 0.), v(1., 2., 1.), v(0., 1., 3.)].map(|w| w + v(1., 0., 0.));
    let mut random = Random::new(12);
    for scale in SCALES.into_iter().take(8) {
        let nine = |t: [Vec3; 3]| triangles(&[t.map(|w| w * scale); 9]);
        let (a, b) = (nine(p), nine(q));
        let poses = [
            Pose::IDENTITY,
            Pose::from_translation(v(-1., 0., 0.) * scale).unwrap(),
            impinge_oracles::meshes::pose(&mut random, 0.0),
            impinge_oracles::meshes::pose(&mut random, 0.0),
        ];
        for pose in &poses {
            check(&a, &b, pose, false);
            check_derived(&a, &b, pose);
        }
        assert_eq!(intersecting_pairs(&a, &a, &Pose::IDENTITY).len(), 81, "{scale:e}");
    }
}

#[test]
fn answers_hold_a_few_ulps_from_touching() {
    let mut random = Random::new(13);
    for scale in SCALES {
        let (mut meet, mut apart) = (0, 0);
        for round in 0..40 {
            let [a, b] = nearly_touching(&mut random, scale, Vec3::ZERO);
            let pose = match round % 3 {
                0 => Pose::IDENTITY,
                1 => Pose::from_translation(random.grid_point(1) * scale).unwrap(),
                _ => Pose::from_quaternion([0.0, 0.0, 1.0, 1.0], Vec3::ZERO).unwrap(),
            };
            let exactly = round % 20 == 0;
            *(if check(&a, &b, &pose, exactly) { &mut meet } else { &mut apart }) += 1;
            if round % 6 == 0 {
                check_derived(&a, &b, &pose);
            }
        }
        assert!(meet > 5 && apart > 5, "{scale:e}: {meet} meet, {apart} do not");
    }
}

#[test]
fn answers_hold_a_few_ulps_from_touching_far_from_the_origin() {
    let mut random = Random::new(14);
    let (mut meet, mut apart) = (0, 0);
    for offset in [1.0, 1e4, 1e8, 1e15, 1e30, 1e59] {
        for share in [1e-3, 1e-6, 1e-9, 1e-12, 1e-14, 1e-15, 1e-17, 1e-100] {
            for round in 0..8 {
                // Along all axes, or along one; then the other coordinates keep all their digits.
                let away = if round % 2 == 0 { Vec3::new(1.0, -1.0, 0.5) } else { Vec3::X };
                let [a, b] = nearly_touching(&mut random, offset * share, away * offset);
                let pose = match round % 4 {
                    0 | 1 => Pose::IDENTITY,
                    2 => Pose::from_translation(random.grid_point(1) * offset * share).unwrap(),
                    _ => Pose::from_quaternion([0.0, 1e-9, 0.0, 1.0], Vec3::ZERO).unwrap(),
                };
                *(if check(&a, &b, &pose, false) { &mut meet } else { &mut apart }) += 1;
                // B near its own origin, moved by its pose.
                let centered = b.vertices().iter().map(|v| *v - away * offset).collect();
                let centered = b.with_vertices(centered).unwrap();
                let pose = Pose::from_translation(away * offset).unwrap();
                check(&a, &centered, &pose, false);
            }
        }
    }
    assert!(meet > 60 && apart > 60, "{meet} meet, {apart} do not");
}

#[test]
fn caches_detect_motion_whose_square_underflows() {
    for scale in [1.0, 1e-150, 1e-162, 1e-170, 1e-250, 1e-300, 1e-306] {
        let ring = shapes::torus(1.0, 0.4, 24, 12).unwrap().scaled(scale).unwrap();
        let mut cache = MeshCache::default();
        let mut met = 0;
        for step in 0..200 {
            let x = 3.0 - 0.005 * f64::from(step);
            let pose = Pose::from_translation(Vec3::X * x * scale).unwrap();
            let cached = first_pair_cached(&ring, &ring, &pose, &mut cache).is_some();
            assert_eq!(cached, first_hit(&ring, &ring, &pose).is_some(), "{scale:e} at {x}");
            met += usize::from(cached);
        }
        assert!((10..190).contains(&met), "{scale:e}: {met}");
    }
}

#[test]
fn triangles_that_meet_beyond_the_largest_coordinate_have_distance_zero() {
    let mut random = Random::new(15);
    let mut met = 0;
    for round in 0..200 {
        let big = 1e60;
        let corner = |r: &mut Random| r.point() * big;
        let p = [(); 3].map(|()| corner(&mut random));
        let turn = impinge_oracles::meshes::pose(&mut random, 0.0);
        let pose = Pose::from_translation(random.point() * big).unwrap().compose(&turn).unwrap();
        let pose = if round % 2 == 0 {
            pose
        } else {
            let other = Pose::from_translation(random.point() * big).unwrap();
            Pose::relative(
                &other.compose(&impinge_oracles::meshes::pose(&mut random, 0.0)).unwrap(),
                &pose,
            )
        };
        // A triangle with a corner near a point of the moved one.
        let b = triangles(&[p]);
        let moved = b.transformed(&pose);
        let [x, y, z] = moved.triangle(0);
        let middle = x * 0.25 + y * 0.5 + z * 0.25;
        let normal = (y - x).cross(z - x).normalize() * big * 0.1;
        let side = normal.cross(x - y).normalize() * big * 0.1;
        // In eight steps, because a single translation would be out of range.
        let step = Pose::from_translation(middle * 0.125).unwrap();
        let a = (0..8).fold(triangles(&[[Vec3::ZERO, side, normal]]), |a, _| a.transformed(&step));
        let meet = !brute_pairs(&a, &b, &pose).is_empty();
        let near = within(&a, &b, &pose, 0.0);
        let zero = near.iter().any(|n| n.closest.upper == 0.0);
        assert_eq!(zero, meet, "{near:?}");
        met += usize::from(meet);
        assert_eq!(distance(&a, &b, &pose).unwrap().upper == 0.0, meet);
    }
    assert!((20..=200).contains(&met), "{met}");
}

fn gap_of_points<V: Volume>(p: Vec3, q: Vec3) -> f64 {
    V::around(&[p]).gap(&V::around(&[q]))
}

#[test]
fn gaps_of_volumes_are_lower_bounds() {
    let mut random = Random::new(16);
    let mut tight = 0;
    for round in 0..4_000 {
        let scale = if round % 2 == 0 {
            SCALES[round / 2 % SCALES.len()]
        } else {
            10.0_f64.powf(-154.0 - 9.0 * random.unit())
        };
        let (p, q) = (random.point() * scale, random.grid_point(3) * scale);
        let frame = impinge_oracles::points::Frame::of(&[p, q]);
        let difference = impinge_oracles::points::sub(&frame.point(p), &frame.point(q));
        let square = impinge_oracles::points::Fraction {
            numerator: impinge_oracles::points::dot(&difference, &difference),
            denominator: 1.into(),
        };
        let gaps = [
            gap_of_points::<Dop6>(p, q),
            gap_of_points::<Dop14>(p, q),
            gap_of_points::<Dop18>(p, q),
            gap_of_points::<Dop26>(p, q),
            gap_of_points::<OrientedBox>(p, q),
            gap_of_points::<Sphere>(p, q),
        ];
        for gap in gaps {
            assert_ne!(frame.compare_square(gap, &square), Ordering::Greater, "{p} {q} {gap:e}");
        }
        let wider = gaps[0] * (1.0 + 1e-12) + 1e-322;
        tight += usize::from(frame.compare_square(wider, &square) == Ordering::Greater);
    }
    assert!(tight > 3_900, "{tight}");
}

#[test]
fn published_trees_do_not_overstate_distances() {
    fn check_within<V: Volume>(a: &Mesh, b: &Mesh, pose: &Pose, separated: &mut usize) {
        let options = BuildOptions::environment();
        let (tree_a, tree_b) = (BvTree::<V>::build(a, &options), BvTree::<V>::build(b, &options));
        let mut query = BvQuery::new((a, &tree_a), (b, &tree_b)).unwrap();
        let meet = !brute_pairs(a, b, pose).is_empty();
        for steps in [0, 1, 2, 5, 40, u64::MAX] {
            let outcome = query.within(pose, &mut Budget::steps(steps));
            assert!(!(meet && outcome.is_separated()), "{outcome:?}");
            if let Verdict::Separated(proof) = outcome {
                let order = compare_distance(a, b, pose, &[proof.lower()]);
                assert_ne!(order[0], Ordering::Greater, "{} {outcome:?}", V::NAME);
                *separated += 1;
            }
        }
    }
    let mut random = Random::new(17);
    let mut separated = 0;
    for scale in SCALES {
        for round in 0..3 {
            let [a, b] = nearly_touching(&mut random, scale, Vec3::ZERO);
            let shift = Vec3::new(3.0, 2.0, 5.0) * scale * [0.0, 1.0, 2.0][round];
            let pose = Pose::from_translation(shift).unwrap();
            check_within::<Dop6>(&a, &b, &pose, &mut separated);
            check_within::<Dop26>(&a, &b, &pose, &mut separated);
            check_within::<Sphere>(&a, &b, &pose, &mut separated);
            check_within::<OrientedBox>(&a, &b, &pose, &mut separated);
        }
    }
    assert!(separated > 100, "{separated}");
}

#[test]
fn proofs_of_separation_verify_at_every_scale() {
    let mut random = Random::new(18);
    let mut slabs = 0;
    for exponent in (-323..60).step_by(3).chain(-165..-150) {
        let scale = 10.0_f64.powi(exponent);
        let a = shapes::icosphere(1.0, 2).unwrap().scaled(scale);
        let Ok(a) = a else { continue };
        for _ in 0..4 {
            let shift = random.point() * 4.0 * scale;
            let pose = Pose::from_translation(shift)
                .unwrap()
                .compose(&impinge_oracles::meshes::pose(&mut random, 0.0))
                .unwrap();
            if let Verdict::Separated(proof) = intersects(&a, &a, &pose) {
                assert!(proof.verify(&a, &a, &pose), "1e{exponent} {proof:?}");
                slabs += usize::from(matches!(proof, Separation::Slab { .. }));
            }
        }
    }
    assert!(slabs > 100, "{slabs}");
}

#[test]
fn distance_bounds_hold_and_are_tight_for_meshes_far_apart() {
    let mut random = Random::new(19);
    for exponent in [2, 3, 4, 6, 7, 8, 10, 12, 14, 15, 16, 20, 40, 59] {
        let far = 10.0_f64.powi(exponent);
        for (size, own) in [(1.0, 0.0), (1.0, 1e3), (1e-3, 1.0), (1.0, 1e12), (1e-20, 1e-3)] {
            let corner = |r: &mut Random| r.point() * size + Vec3::new(own, -own, 0.5 * own);
            let (a, b) = (soup(&mut random, 34, corner), soup(&mut random, 3, corner));
            let turn = impinge_oracles::meshes::pose(&mut random, 0.0);
            let shift = Vec3::new(0.6, -0.7, 0.4) * far;
            let pose = Pose::from_translation(shift).unwrap().compose(&turn).unwrap();
            for (a, b, pose) in [(&a, &b, pose), (&b, &a, pose.inverse())] {
                let d = distance(a, b, &pose).unwrap();
                let order = compare_distance(a, b, &pose, &[d.lower, d.upper]);
                assert_ne!(order[0], Ordering::Greater, "{far:e} {size:e} {own:e} {d:?}");
                assert_ne!(order[1], Ordering::Less, "{far:e} {size:e} {own:e} {d:?}");
                assert!(d.upper - d.lower <= 1e-13 * d.upper, "{d:?}");
                // The returned features have this distance.
                let moved =
                    b.triangle(d.triangle_b.unwrap() as usize).map(|v| pose.transform_point(v));
                let closest_a = triangles(&[a.triangle(d.triangle_a.unwrap() as usize)]);
                let closest_b = Mesh::from_triangles(moved.to_vec(), vec![[0, 1, 2]]);
                if let Ok(closest_b) = closest_b {
                    let of_pair = distance(&closest_a, &closest_b, &Pose::IDENTITY).unwrap();
                    assert!(of_pair.lower <= d.upper && of_pair.upper <= d.upper * (1.0 + 1e-13));
                }
                // Near pairs equal those of brute force.
                for epsilon in [d.lower, d.upper, d.upper + 0.3 * size] {
                    let found: Vec<_> = within(a, b, &pose, epsilon)
                        .iter()
                        .map(|p| (p.triangle_a, p.triangle_b))
                        .collect();
                    let mut known = vec![];
                    for i in 0..a.triangles().len() as u32 {
                        for j in 0..b.triangles().len() as u32 {
                            let q = b.triangle(j as usize).map(|v| pose.transform_point(v));
                            let p = a.triangle(i as usize);
                            let c = impinge::closest::triangle_triangle(&p, &q);
                            if c.lower <= epsilon {
                                known.push((i, j));
                            }
                        }
                    }
                    assert_eq!(found, known, "{far:e} {size:e} {own:e} within {epsilon}");
                }
            }
        }
    }
}
