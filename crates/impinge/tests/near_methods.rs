//! Distances and near pairs by trees equal those by brute force: the same pairs with the same
//! bounds, bit for bit.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::ops::ControlFlow;

use impinge::internals;
use impinge::internals::pair::{Posed, brute};
use impinge::pair::{NearPair, NearSink, near, within};
use impinge::tree::Tree;
use impinge::{Mesh, Pose, Vec3, distance, shapes};
use impinge_oracles::common::Random;
use impinge_oracles::meshes::{soup, tilted_star};

/// Collects all pairs up to a fixed distance.
struct Keep {
    bound: f64,
    pairs: Vec<NearPair>,
    met: Vec<(u32, u32)>,
}

impl Keep {
    fn up_to(bound: f64) -> Self {
        Self { bound, pairs: Vec::new(), met: Vec::new() }
    }

    fn sorted(mut self) -> Vec<NearPair> {
        self.pairs.sort_unstable_by_key(|p| (p.triangle_a, p.triangle_b));
        self.pairs
    }
}

impl NearSink for Keep {
    fn bound(&self) -> f64 {
        self.bound
    }

    fn meet(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        self.met.push((a, b));
        ControlFlow::Continue(())
    }

    fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
        self.pairs.push(*pair);
        ControlFlow::Continue(())
    }
}

/// Keeps the closest pair and lowers the bound to announced upper bounds.
struct Closest {
    bound: f64,
    best: Option<NearPair>,
}

impl NearSink for Closest {
    fn bound(&self) -> f64 {
        self.bound
    }

    fn announce_upper_bound(&mut self, upper: f64) {
        self.bound = self.bound.min(upper);
    }

    fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
        let key = |p: &NearPair| (p.closest.upper, p.triangle_a, p.triangle_b);
        if self.best.is_none_or(|best| key(pair) < key(&best)) {
            self.best = Some(*pair);
            self.bound = self.bound.min(pair.closest.upper);
        }
        ControlFlow::Continue(())
    }
}

/// Compares every method with brute force at one pose; returns the distance.
fn compare(a: &Mesh, b: &Mesh, pose: &Pose) -> f64 {
    let mut all = Keep::up_to(f64::INFINITY);
    brute::near(&Posed::new(a, &Pose::IDENTITY), &Posed::new(b, pose), &mut all);
    let all = all.sorted();
    assert_eq!(all.len(), a.triangles().len() * b.triangles().len());
    let key = |p: &NearPair| (p.closest.upper, p.triangle_a, p.triangle_b);
    let nearest =
        *all.iter().min_by(|p, q| key(p).partial_cmp(&key(q)).unwrap()).expect("triangles");
    let lower = all.iter().map(|p| p.closest.lower).fold(f64::INFINITY, f64::min);

    // The distance.
    let d = distance(a, b, pose).unwrap();
    assert_eq!(d.upper, nearest.closest.upper);
    assert_eq!(d.lower, lower.min(d.upper));
    if d.upper > 0.0 {
        assert_eq!(
            (d.triangle_a, d.triangle_b),
            (Some(nearest.triangle_a), Some(nearest.triangle_b))
        );
        assert_eq!((d.point_a, d.point_b), (nearest.closest.point_a, nearest.closest.point_b));
    } else {
        let pair = all
            .iter()
            .find(|p| (Some(p.triangle_a), Some(p.triangle_b)) == (d.triangle_a, d.triangle_b))
            .unwrap();
        assert_eq!(pair.closest.upper, 0.0, "the returned features do not meet");
    }

    // The same with trees, for any number of triangles.
    let (tree_a, tree_b) = (Tree::build(a), Tree::build(b));
    let mut closest = Closest { bound: f64::INFINITY, best: None };
    if internals::tree::near((a, &tree_a), (b, &tree_b), pose, &mut closest) {
        assert_eq!(closest.best.map(|p| p.closest.upper), Some(nearest.closest.upper));
        if d.upper > 0.0 {
            assert_eq!(closest.best, Some(nearest));
        }
    }

    // All pairs up to several distances: none, the bounds of the closest pair, some, about half,
    // many.
    let mut uppers: Vec<f64> = all.iter().map(|p| p.closest.upper).collect();
    uppers.sort_by(f64::total_cmp);
    let n = uppers.len() - 1;
    let some = [0.0, d.lower, d.upper, uppers[n / 200], uppers[n / 20], uppers[n / 2]];
    for epsilon in some.into_iter().chain([d.lower - 1e-9, 1.5 * d.upper + 1e-9]) {
        let expected: Vec<NearPair> =
            all.iter().filter(|p| p.closest.lower <= epsilon).copied().collect();
        assert_same_pairs(&within(a, b, pose, epsilon), &expected, epsilon);
        let mut found = Keep::up_to(epsilon);
        if internals::tree::near((a, &tree_a), (b, &tree_b), pose, &mut found) {
            found.met.sort_unstable();
            let met: Vec<(u32, u32)> = expected
                .iter()
                .filter(|p| p.closest.upper == 0.0)
                .map(|p| (p.triangle_a, p.triangle_b))
                .collect();
            if epsilon >= 0.0 {
                assert_eq!(found.met, met);
            }
            assert_same_pairs(&found.sorted(), &expected, epsilon);
        }
    }
    d.upper
}

/// Compares two lists and reports only the first difference, because the lists are long.
fn assert_same_pairs(found: &[NearPair], expected: &[NearPair], epsilon: f64) {
    for (p, q) in found.iter().zip(expected) {
        assert_eq!(p, q, "within {epsilon}");
    }
    assert_eq!(found.len(), expected.len(), "within {epsilon}");
}

fn pose(random: &mut Random, shift: Vec3) -> Pose {
    Pose::from_translation(shift)
        .unwrap()
        .compose(&impinge_oracles::meshes::pose(random, 0.0))
        .unwrap()
}

#[test]
fn random_triangles_match_brute_force() {
    let mut random = Random::new(1);
    for case in 0..impinge_oracles::common::count_from("IMPINGE_NEAR_CASES", 24) {
        let small = |r: &mut Random| r.point();
        let (n, m) = (1 + random.below(60), 1 + random.below(60));
        let (a, b) = (soup(&mut random, n, small), soup(&mut random, m, small));
        let reach = [0.0, 1.0, 2.5, 30.0][case % 4];
        let shift = random.point() * reach;
        compare(&a, &b, &pose(&mut random, shift));
    }
}

#[test]
fn separated_and_overlapping_surfaces_match_brute_force() {
    let mut random = Random::new(2);
    let meshes = [
        shapes::torus(1.0, 0.4, 16, 10).unwrap(),
        shapes::icosphere(1.0, 4).unwrap(),
        shapes::cuboid_grid([1.0, 2.0, 1.0], [4, 4, 4]).unwrap(),
        impinge_samples::shapes::stalagmites(3, 3, 5, 1).unwrap(),
        tilted_star(),
    ];
    let (mut apart, mut met) = (0, 0);
    for a in &meshes {
        for b in &meshes {
            for reach in [0.3, 1.6, 3.0] {
                let shift = random.point() * reach;
                let d = compare(a, b, &pose(&mut random, shift));
                if d > 0.0 { apart += 1 } else { met += 1 }
            }
        }
    }
    assert!(apart > 10 && met > 10, "{apart} {met}");
}

#[test]
fn coplanar_faces_and_ties_match_brute_force() {
    let grid = shapes::cuboid_grid([1.0, 1.0, 1.0], [3, 3, 3]).unwrap();
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    // Face on face, edge on edge, corner on corner; and the same with a gap, where dozens of pairs
    // have equal distances.
    for gap in [0.0, 1e-12, 1e-3, 0.5] {
        for shift in [
            Vec3::new(1.0 + gap, 0.0, 0.0),
            Vec3::new(1.0 + gap, 0.25, 0.125),
            Vec3::new(1.0 + gap, 1.0 + gap, 0.0),
            Vec3::new(1.0 + gap, 1.0 + gap, 1.0 + gap),
        ] {
            let pose = Pose::from_translation(shift).unwrap();
            let d = compare(&grid, &grid, &pose);
            assert_eq!(d == 0.0, gap == 0.0, "{shift}");
            compare(&grid, &cube, &pose);
            compare(&cube, &cube, &pose);
        }
    }
}

#[test]
fn nested_surfaces_match_brute_force() {
    let (outer, inner) = (shapes::icosphere(1.0, 5).unwrap(), shapes::icosphere(0.97, 5).unwrap());
    let mut random = Random::new(3);
    for _ in 0..3 {
        let d = compare(&outer, &inner, &pose(&mut random, Vec3::ZERO));
        assert!(d > 0.0 && d < 0.03);
    }
    let small = shapes::torus(0.2, 0.05, 12, 8).unwrap();
    compare(&outer, &small, &pose(&mut random, Vec3::new(0.1, -0.2, 0.3)));
}

#[test]
fn thousands_of_equally_close_pairs_match_brute_force() {
    // Two spheres, one slightly smaller. Pairs that `f32` cannot distinguish are compared in `f64`,
    // by normals first.
    let outer = shapes::uv_sphere(1.0, 10, 14).unwrap();
    let turned = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
    let shifted = Pose::from_translation([1e-8, 0.0, 2e-8]).unwrap();
    for gap in [1e-2, 1e-4, 1e-7, 1e-12] {
        let inner = outer.scaled(1.0 - gap).unwrap();
        let mut random = Random::new(6);
        let mut rough = inner.vertices().to_vec();
        for v in &mut rough {
            *v += random.point() * (0.01 * gap);
        }
        let rough = inner.with_vertices(rough).unwrap();
        compare(&outer, &inner, &Pose::IDENTITY);
        compare(&inner, &outer, &shifted);
        compare(&outer, &rough, &Pose::IDENTITY);
        // Rotated, so that moved vertices are rounded.
        let moved = outer.vertices().iter().map(|v| turned.transform_point(*v)).collect();
        compare(&outer.with_vertices(moved).unwrap(), &inner, &turned);
    }
}

#[test]
fn needles_and_degenerate_triangles_match_brute_force() {
    let mut random = Random::new(4);
    for _ in 0..12 {
        let corner = |r: &mut Random| {
            let scale = 10.0_f64.powf(-5.0 * r.unit());
            r.point() * scale * Vec3::new(1.0, 1.0, 1e-4)
        };
        let (a, b) = (soup(&mut random, 40, corner), soup(&mut random, 40, corner));
        let shift = random.point() * 0.1;
        compare(&a, &b, &pose(&mut random, shift));
    }
    // Triangles of zero area, points, and equal triangles.
    let flat = |r: &mut Random| Vec3::new(r.grid(2), r.grid(1), 0.0);
    for shift in [0.0, 0.25, 3.0] {
        let (a, b) = (soup(&mut random, 30, flat), soup(&mut random, 30, flat));
        compare(&a, &b, &Pose::from_translation(Vec3::new(shift, 0.0, shift)).unwrap());
    }
    let same = |_: &mut Random| Vec3::new(0.5, 0.25, 0.125);
    let (a, b) = (soup(&mut random, 20, same), soup(&mut random, 20, same));
    compare(&a, &b, &Pose::from_translation(Vec3::new(1e-3, 0.0, 0.0)).unwrap());
    compare(&a, &shapes::icosphere(1.0, 2).unwrap(), &Pose::IDENTITY);
}

#[test]
fn meshes_far_from_the_origin_match_brute_force() {
    let mut random = Random::new(5);
    for far in [1e3, 1e7, 1e11] {
        let offset = Vec3::new(far, -0.7 * far, 0.3 * far);
        let corner = |r: &mut Random| r.point() + offset;
        let a = soup(&mut random, 50, corner);
        let b = soup(&mut random, 50, |r: &mut Random| r.point());
        for shift in [0.0, 1.0, 3.0] {
            let turned = pose(&mut random, offset + random_shift(shift));
            compare(&a, &b, &turned);
            let away = Pose::from_translation(random_shift(shift)).unwrap();
            compare(&a, &a, &away);
        }
    }
}

fn random_shift(length: f64) -> Vec3 {
    Vec3::new(0.8, -0.6, 0.2) * length
}

#[test]
fn extreme_size_ratios_match_brute_force() {
    let mut random = Random::new(6);
    let huge = shapes::cuboid_grid([1.0, 1.0, 1.0], [4, 4, 4]).unwrap();
    for size in [1e-2, 1e-5, 3e-7, 1e-30] {
        let tiny = shapes::icosphere(size, 1).unwrap();
        for shift in [Vec3::new(0.5, 0.1, 0.2), Vec3::new(0.5 + 1.5 * size, 0.1, 0.2), Vec3::ZERO] {
            compare(&huge, &tiny, &pose(&mut random, shift));
            let turned = pose(&mut random, Vec3::ZERO);
            compare(
                &tiny,
                &huge,
                &Pose::from_translation(-shift).unwrap().compose(&turned).unwrap(),
            );
        }
    }
    // Both large, both small, far apart.
    for scale in [1e-40, 1e-8, 1e25] {
        let ball = shapes::icosphere(scale, 2).unwrap();
        for gap in [1.5, 2.5, 1e4, 1e9] {
            compare(&ball, &ball, &pose(&mut random, Vec3::new(gap * scale, 0.0, 0.0)));
        }
    }
}

#[test]
fn extreme_distances_give_all_or_no_pairs() {
    let (a, b) = (shapes::icosphere(1.0, 2).unwrap(), shapes::torus(1.0, 0.3, 8, 6).unwrap());
    let pose = Pose::from_translation([1.0, 0.5, 0.0]).unwrap();
    let all = a.triangles().len() * b.triangles().len();
    assert_eq!(within(&a, &b, &pose, f64::INFINITY).len(), all);
    assert_eq!(within(&a, &b, &pose, f64::MAX).len(), all);
    for epsilon in [f64::NAN, -1.0, f64::NEG_INFINITY, -f64::MIN_POSITIVE] {
        assert_eq!(within(&a, &b, &pose, epsilon), []);
    }
    let meeting: Vec<(u32, u32)> =
        within(&a, &b, &pose, 0.0).iter().map(|p| (p.triangle_a, p.triangle_b)).collect();
    assert_eq!(meeting, impinge::pair::intersecting_pairs(&a, &b, &pose));
    assert_eq!(within(&a, &b, &pose, -0.0).len(), meeting.len());
}

#[test]
fn empty_meshes_and_single_triangles_match_brute_force() {
    let empty = Mesh::from_triangles(Vec::new(), Vec::new()).unwrap();
    let ball = shapes::icosphere(1.0, 2).unwrap();
    let one = Mesh::from_triangles(vec![Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 1, 2]]).unwrap();
    for mesh in [&empty, &ball, &one] {
        assert!(distance(mesh, &empty, &Pose::IDENTITY).is_none());
        assert!(distance(&empty, mesh, &Pose::IDENTITY).is_none());
        assert_eq!(within(mesh, &empty, &Pose::IDENTITY, f64::INFINITY), []);
        assert_eq!(within(&empty, mesh, &Pose::IDENTITY, f64::INFINITY), []);
    }
    let mut random = Random::new(7);
    for shift in [0.0, 0.5, 2.0, 100.0] {
        let away = random.point() * shift;
        compare(&one, &ball, &pose(&mut random, away));
        compare(&ball, &one, &pose(&mut random, away));
        compare(&one, &one, &pose(&mut random, away));
    }
}

#[test]
fn a_sink_stops_the_search() {
    struct FirstTen(usize);
    impl NearSink for FirstTen {
        fn bound(&self) -> f64 {
            0.5
        }

        fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
            assert!(pair.closest.lower <= 0.5);
            self.0 += 1;
            if self.0 == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let ball = shapes::icosphere(1.0, 6).unwrap();
    for gap in [1.0, 2.1] {
        let mut sink = FirstTen(0);
        near(&ball, &ball, &Pose::from_translation([gap, 0.0, 0.0]).unwrap(), &mut sink);
        assert_eq!(sink.0, 10);
    }
}
