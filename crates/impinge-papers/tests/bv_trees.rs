//! Every bounding-volume tree, built by every rule and traversed in every order, reports exactly
//! the pairs of brute force.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::ops::ControlFlow;

use impinge::internals::pair::Posed;
use impinge::pair::{Budget, BudgetVerdict, Collect, First, NearPair};
use impinge::{Mesh, Pose, Vec3, Verdict, closest, shapes};
use impinge_oracles::common::Random;
use impinge_oracles::meshes::{brute_pairs, pose, soup};
use impinge_papers::klosowski::bv_tree::{
    BuildOptions, BvQuery, BvTree, Counts, Front, Measure, Order, Recording, SplitPoint, SplitRule,
    Threshold,
};
use impinge_papers::klosowski::volume::{Dop6, Dop14, Dop18, Dop26, OrientedBox, Sphere, Volume};

const ORDERS: [Order; 3] = [Order::Environment, Order::Restart, Order::Larger];

fn rules() -> Vec<BuildOptions> {
    let base = BuildOptions::environment().parallel(false);
    let mut all = Vec::new();
    for split in [SplitRule::LongestSide, SplitRule::MinSum, SplitRule::MinMax, SplitRule::Splatter]
    {
        for at in [SplitPoint::Mean, SplitPoint::Median] {
            all.push(base.split(split).at(at));
        }
    }
    for split in [
        SplitRule::AllPoints(Measure::Surface),
        SplitRule::SampledPoints(4, Measure::Volume),
        SplitRule::BottomUp,
    ] {
        all.push(base.split(split));
        all.push(base.split(split).threshold(Threshold::Automatic));
    }
    all.push(base.threshold(Threshold::Fixed(5)));
    all.push(base.degree(4));
    all.push(base.degree(3).threshold(Threshold::Automatic));
    all.push(base.parallel(true).degree(0).threshold(Threshold::Fixed(0)));
    all.push(BuildOptions::flying());
    all
}

/// Compares all queries of one pair with brute force.
fn compare<V: Volume>(
    (a, tree_a): (&Mesh, &BvTree<V>),
    (b, tree_b): (&Mesh, &BvTree<V>),
    pose: &Pose,
    expected: &[(u32, u32)],
) {
    let mut query = BvQuery::new((a, tree_a), (b, tree_b)).unwrap();
    for order in ORDERS {
        let (mut found, mut counts) = (Collect::default(), Counts::default());
        query.traverse_counted(pose, order, &mut found, &mut counts);
        assert_eq!(found.into_sorted(), expected, "{} {order:?}", V::NAME);
        assert!(counts.updates <= tree_b.nodes().len() as u64);
        let mut first = First::default();
        query.traverse(pose, order, &mut first);
        assert_eq!(first.pair.is_some(), !expected.is_empty());
        assert!(first.pair.is_none_or(|pair| expected.binary_search(&pair).is_ok()));
    }
    match query.within(pose, &mut Budget::unlimited()) {
        Verdict::Intersecting((a, b)) => assert!(expected.binary_search(&(a, b)).is_ok()),
        Verdict::Separated(_) => assert!(expected.is_empty(), "{}", V::NAME),
        Verdict::Undecided(_) => panic!("the verdict is undecided without a limit"),
    }
}

/// Builds both trees by each of the rules and compares at each pose.
fn compare_all<V: Volume>(
    a: &Mesh,
    b: &Mesh,
    poses: &[(Pose, Vec<(u32, u32)>)],
    rules: &[BuildOptions],
) {
    for (i, rule) in rules.iter().enumerate() {
        let tree_a = BvTree::<V>::build(a, rule);
        let tree_b = BvTree::<V>::build(b, &rules[(i + 1) % rules.len()]);
        tree_a.validate(a).unwrap();
        tree_b.validate(b).unwrap();
        for (pose, expected) in poses {
            compare((a, &tree_a), (b, &tree_b), pose, expected);
        }
    }
}

fn compare_kinds(a: &Mesh, b: &Mesh, poses: &[Pose], rules: &[BuildOptions]) -> usize {
    let poses: Vec<_> = poses.iter().map(|pose| (*pose, brute_pairs(a, b, pose))).collect();
    compare_all::<Dop6>(a, b, &poses, rules);
    compare_all::<Dop14>(a, b, &poses, rules);
    compare_all::<Dop18>(a, b, &poses, rules);
    compare_all::<Dop26>(a, b, &poses, rules);
    compare_all::<OrientedBox>(a, b, &poses, rules);
    compare_all::<Sphere>(a, b, &poses, rules);
    poses.iter().map(|p| p.1.len()).sum()
}

/// Uses one third of the rules for each kind of volume, and another third for the next. Several
/// rounds cover all rules.
fn compare_thirds(round: usize, a: &Mesh, b: &Mesh, poses: &[Pose]) -> usize {
    let poses: Vec<_> = poses.iter().map(|pose| (*pose, brute_pairs(a, b, pose))).collect();
    let third =
        |k: usize| -> Vec<_> { rules().into_iter().skip((round + k) % 3).step_by(3).collect() };
    compare_all::<Dop6>(a, b, &poses, &third(0));
    compare_all::<Dop14>(a, b, &poses, &third(1));
    compare_all::<Dop18>(a, b, &poses, &third(2));
    compare_all::<Dop26>(a, b, &poses, &third(0));
    compare_all::<OrientedBox>(a, b, &poses, &third(1));
    compare_all::<Sphere>(a, b, &poses, &third(2));
    poses.iter().map(|p| p.1.len()).sum()
}

#[test]
fn grid_soups_match_brute_force_with_every_rule() {
    let mut random = Random::new(1);
    let mut hits = 0;
    for (n, m) in [(1, 1), (2, 30), (40, 17), (50, 40)] {
        let a = soup(&mut random, n, |r| r.grid_point(2));
        let b = soup(&mut random, m, |r| r.grid_point(2));
        let poses = [
            Pose::IDENTITY,
            Pose::from_translation(random.grid_point(2)).unwrap(),
            Pose::from_quaternion([0.0, 0.0, 1.0, 1.0], random.grid_point(2)).unwrap(),
            pose(&mut random, 4.0),
        ];
        hits += compare_kinds(&a, &b, &poses, &rules());
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn shapes_match_brute_force_with_every_rule() {
    let mut random = Random::new(2);
    let ring = shapes::torus(1.0, 0.4, 12, 8).unwrap();
    let ball = shapes::icosphere(1.0, 3).unwrap();
    let grid = shapes::cuboid_grid([1.0, 1.0, 1.0], [3, 3, 3]).unwrap();
    let mut hits = 0;
    for (round, (a, b)) in [(&ring, &ball), (&grid, &grid), (&ball, &grid)].into_iter().enumerate()
    {
        let poses = [
            Pose::IDENTITY,
            Pose::from_translation([1.0, 0.0, 0.0]).unwrap(),
            Pose::from_translation([1.0 + f64::EPSILON, 0.5, 0.0]).unwrap(),
            pose(&mut random, 1.0),
            pose(&mut random, 3.0),
        ];
        hits += compare_thirds(round, a, b, &poses);
    }
    assert!(hits > 500, "{hits}");
}

#[test]
fn needles_small_triangles_and_large_offsets_match_brute_force() {
    let mut random = Random::new(3);
    let rules = [BuildOptions::environment(), BuildOptions::flying().split(SplitRule::MinSum)];
    let mut hits = 0;
    for round in 0..12 {
        let away = [0.0, 1e3, 1e7][round % 3];
        let mut corner = |r: &mut Random| {
            let scale = 10.0_f64.powf(-4.0 * r.unit());
            r.point() * scale * Vec3::new(1.0, 1.0, 1e-3) + Vec3::new(away, -away, 0.5 * away)
        };
        let (a, b) = (soup(&mut random, 40, &mut corner), soup(&mut random, 40, &mut corner));
        let turn = Pose::from_axis_angle(random.point(), 1e-9).unwrap();
        hits += compare_kinds(&a, &b, &[Pose::IDENTITY, turn], &rules);
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn all_scales_and_mixtures_of_scales_match_brute_force() {
    let mut random = Random::new(4);
    let rules = [
        BuildOptions::environment(),
        BuildOptions::environment().split(SplitRule::AllPoints(Measure::Volume)),
        BuildOptions::environment().split(SplitRule::BottomUp),
    ];
    let mut hits = 0;
    for scale in [1e-318, 1e-300, 1e-160, 1e-30, 1e30, 1e59] {
        let a = soup(&mut random, 20, |r| r.point() * scale);
        let b = soup(&mut random, 20, |r| r.point() * scale);
        let unit = soup(&mut random, 5, Random::point);
        hits += compare_kinds(&a, &b, &[Pose::IDENTITY, pose(&mut random, 0.1 * scale)], &rules);
        compare_kinds(&a, &unit, &[Pose::IDENTITY], &rules[..1]);
    }
    assert!(hits > 300, "{hits}");
}

#[test]
fn empty_meshes_single_and_equal_triangles_match_brute_force() {
    let mut random = Random::new(5);
    let t = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let empty = Mesh::from_triangles(Vec::new(), Vec::new()).unwrap();
    let one = Mesh::from_soup(&[t]).unwrap();
    let same = Mesh::from_soup(&[t; 33]).unwrap();
    let points = Mesh::from_soup(&[[Vec3::X; 3]; 20]).unwrap();
    let star: Vec<[Vec3; 3]> = (0..50)
        .map(|_| {
            let (p, q) = (random.grid_point(3), random.grid_point(3));
            [p, q, -p - q]
        })
        .collect();
    let star = Mesh::from_soup(&star).unwrap();
    let poses = [Pose::IDENTITY, pose(&mut random, 0.1)];
    let pairs = [
        (&empty, &one),
        (&one, &empty),
        (&empty, &empty),
        (&one, &one),
        (&same, &same),
        (&points, &same),
        (&star, &star),
        (&star, &points),
    ];
    for (round, (a, b)) in pairs.into_iter().enumerate() {
        compare_thirds(round, a, b, &poses);
    }
}

#[test]
fn no_input_makes_a_deep_tree() {
    // Each triangle is 0.65 times the size of the one before, so a split at the mean separates few
    // of them.
    let chain: Vec<[Vec3; 3]> = (0..500)
        .map(|i| {
            let s = 0.65_f64.powi(i);
            [Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 1.0)].map(|p| p * s)
        })
        .collect();
    let chain = Mesh::from_soup(&chain).unwrap();
    for rule in rules() {
        let tree = BvTree::<Dop14>::build(&chain, &rule);
        tree.validate(&chain).unwrap();
        assert!(tree.height() < 100, "{rule:?} {}", tree.height());
    }
}

#[test]
fn threads_do_not_change_the_tree() {
    let ring = shapes::torus(1.0, 0.4, 40, 20).unwrap();
    fn same<V: Volume>(mesh: &Mesh, splits: &[SplitRule]) {
        for split in splits {
            let one = BuildOptions::environment().split(*split).parallel(false);
            let many = one.parallel(true);
            let tree = BvTree::<V>::build(mesh, &many);
            assert!(tree == BvTree::<V>::build(mesh, &one), "{split:?}");
            tree.validate(mesh).unwrap();
        }
    }
    let all = [
        SplitRule::LongestSide,
        SplitRule::MinSum,
        SplitRule::SampledPoints(8, Measure::Surface),
        SplitRule::BottomUp,
    ];
    same::<Dop18>(&ring, &all);
    same::<OrientedBox>(&ring, &all[..1]);
    same::<Sphere>(&ring, &[SplitRule::Splatter, SplitRule::BottomUp]);
}

#[test]
fn near_pairs_match_brute_force() {
    let mut random = Random::new(6);
    fn near<V: Volume>(a: &Mesh, b: &Mesh, pose: &Pose, epsilon: f64, expected: &[NearPair]) {
        let tree_a = BvTree::<V>::build(a, &BuildOptions::environment());
        let tree_b = BvTree::<V>::build(b, &BuildOptions::flying());
        let mut query = BvQuery::new((a, &tree_a), (b, &tree_b)).unwrap();
        for order in ORDERS {
            let mut found = Vec::new();
            query.near(pose, epsilon, order, &mut |pair| {
                found.push(pair);
                ControlFlow::Continue(())
            });
            found.sort_by_key(|p| (p.triangle_a, p.triangle_b));
            assert_eq!(found, expected, "{} {order:?}", V::NAME);
        }
        let mut count = 0;
        query.near(pose, epsilon, Order::Larger, &mut |_| {
            count += 1;
            ControlFlow::Break(())
        });
        assert_eq!(count, expected.len().min(1));
    }
    let mut total = 0;
    for round in 0..10 {
        let a = soup(&mut random, 30, |r| r.grid_point(3));
        let b = soup(&mut random, 50, |r| r.point() * 3.0);
        let pose = match round {
            0 => Pose::from_translation([8.0, 0.0, 0.0]).unwrap(),
            _ => pose(&mut random, 6.0),
        };
        let epsilon = [2.0, 0.0, 0.1, 0.5, f64::NAN, -1.0, f64::INFINITY, 1e-9, 0.01, 1.0][round];
        let limit = if epsilon > 0.0 { epsilon } else { 0.0 };
        let there = Posed::new(&b, &pose);
        let mut expected = Vec::new();
        for i in 0..30 {
            for j in 0..50 {
                let closest = closest::triangle_triangle(&a.triangle(i), &there.triangle(j));
                if closest.lower <= limit {
                    expected.push(NearPair::new(i as u32, j, closest));
                }
            }
        }
        total += expected.len();
        near::<Dop6>(&a, &b, &pose, epsilon, &expected);
        near::<Dop14>(&a, &b, &pose, epsilon, &expected);
        near::<Dop18>(&a, &b, &pose, epsilon, &expected);
        near::<Dop26>(&a, &b, &pose, epsilon, &expected);
        near::<OrientedBox>(&a, &b, &pose, epsilon, &expected);
        near::<Sphere>(&a, &b, &pose, epsilon, &expected);
    }
    assert!(total > 1000, "{total}");
}

/// A flight along a line and back, with a rotation at each step.
fn flight(random: &mut Random, steps: usize, from: Vec3, step: f64) -> Vec<Pose> {
    let (velocity, axis) = (random.point() * step, random.point());
    (0..steps)
        .map(|i| {
            let turn = Pose::from_axis_angle(axis, step * i as f64).unwrap();
            // Forward in the first half, backward in the second.
            let t = if i < steps / 2 { i } else { steps - i } as f64;
            Pose::from_translation(from + velocity * t).unwrap().compose(&turn).unwrap()
        })
        .collect()
}

fn fly<V: Volume>(a: &Mesh, b: &Mesh, poses: &[Pose], options: [&BuildOptions; 2]) -> [u64; 2] {
    let tree_a = BvTree::<V>::build(a, options[0]);
    let tree_b = BvTree::<V>::build(b, options[1]);
    let mut query = BvQuery::new((a, &tree_a), (b, &tree_b)).unwrap();
    let (mut front, mut first_front) = (Front::new(), Front::new());
    let (mut cold, mut warm) = (Counts::default(), Counts::default());
    for pose in poses {
        let (mut expected, mut found) = (Collect::default(), Collect::default());
        query.traverse_counted(pose, Order::Larger, &mut expected, &mut cold);
        query.coherent_counted(pose, &mut front, &mut found, &mut warm);
        assert_eq!(found.pairs, expected.pairs, "{}", V::NAME);
        let (mut expected, mut found) = (First::default(), First::default());
        query.traverse(pose, Order::Larger, &mut expected);
        query.coherent(pose, &mut first_front, &mut found);
        assert_eq!(found.pair, expected.pair, "{}", V::NAME);
    }
    [cold.volume_pairs, warm.volume_pairs]
}

#[test]
fn a_front_finds_the_same_pairs_as_the_roots() {
    let mut random = Random::new(7);
    let ring = shapes::torus(1.0, 0.3, 24, 12).unwrap();
    let rocks = impinge_samples::shapes::stalagmites(4, 3, 6, 1).unwrap();
    let auto = BuildOptions::environment().threshold(Threshold::Automatic);
    let wide = BuildOptions::flying().degree(4);
    let environment = BuildOptions::environment();
    let (mut cold, mut warm) = (0, 0);
    for (a, b) in [(&ring, &ring), (&rocks, &ring), (&ring, &rocks)] {
        let from = random.point();
        let poses = flight(&mut random, 60, from, 0.02);
        for [c, w] in [
            fly::<Dop18>(a, b, &poses, [&environment, &environment]),
            fly::<Dop6>(a, b, &poses, [&environment, &wide]),
            fly::<OrientedBox>(a, b, &poses, [&auto, &environment]),
            fly::<Sphere>(a, b, &poses, [&auto, &auto]),
        ] {
            cold += c;
            warm += w;
        }
        // Large jumps between poses.
        let jumps: Vec<Pose> = (0..20).map(|_| pose(&mut random, 6.0)).collect();
        fly::<Dop14>(a, b, &jumps, [&environment, &wide]);
        fly::<Dop26>(a, b, &jumps, [&wide, &environment]);
    }
    assert!(warm < cold, "{warm} comparisons from fronts, {cold} from the roots");
}

#[test]
fn a_front_of_other_trees_starts_from_the_roots() {
    let (ring, ball) =
        (shapes::torus(1.0, 0.3, 24, 12).unwrap(), shapes::icosphere(1.0, 3).unwrap());
    let build = |mesh| BvTree::<Dop18>::build(mesh, &BuildOptions::environment());
    let (ring_tree, ball_tree) = (build(&ring), build(&ball));
    let mut front = Front::new();
    assert!(front.is_empty());
    for _ in 0..2 {
        for (a, b) in
            [((&ring, &ring_tree), (&ball, &ball_tree)), ((&ball, &ball_tree), (&ring, &ring_tree))]
        {
            let mut query = BvQuery::new(a, b).unwrap();
            let mut found = Collect::default();
            query.coherent(&Pose::IDENTITY, &mut front, &mut found);
            assert_eq!(found.into_sorted(), brute_pairs(a.0, b.0, &Pose::IDENTITY));
            assert!(!front.is_empty());
        }
    }
    let error = BvQuery::new((&ring, &ball_tree), (&ball, &ball_tree)).unwrap_err();
    assert!(error.to_string().contains("mesh A"), "{error}");
    // A mesh with as many triangles.
    let larger = ball.scaled(2.0).unwrap();
    let error = BvQuery::new((&ring, &ring_tree), (&larger, &ball_tree)).unwrap_err();
    assert!(error.to_string().contains("mesh B"), "{error}");
    assert!(BvQuery::new((&ring, &ring_tree), (&ball.clone(), &ball_tree)).is_ok());
}

#[test]
fn budgets_end_early_with_bounds_that_hold() {
    let mut random = Random::new(8);
    let ring = shapes::torus(1.0, 0.3, 24, 12).unwrap();
    fn check<V: Volume>(mesh: &Mesh, pose: &Pose, undecided: &mut usize) {
        let tree = BvTree::<V>::build(mesh, &BuildOptions::environment());
        let flying = BvTree::<V>::build(mesh, &BuildOptions::flying());
        let mut query = BvQuery::new((mesh, &tree), (mesh, &flying)).unwrap();
        let hits = brute_pairs(mesh, mesh, pose);
        let distance = impinge::distance(mesh, mesh, pose).unwrap();
        let mut last = f64::INFINITY;
        let mut check_verdict = |outcome: BudgetVerdict, falling: bool| match outcome {
            Verdict::Intersecting((a, b)) => assert!(hits.binary_search(&(a, b)).is_ok()),
            Verdict::Separated(proof) => {
                assert!(hits.is_empty());
                assert!(proof.lower() <= distance.upper, "{}", V::NAME);
            }
            Verdict::Undecided(known) => {
                *undecided += 1;
                assert!(known.upper >= distance.lower && known.open > 0);
                assert!(known.open_depth <= -known.lower);
                if falling {
                    assert!(known.open_depth <= last, "{}", V::NAME);
                    last = known.open_depth;
                }
                if !hits.is_empty() {
                    // The penetration depth of two crossing triangles is positive in this scene.
                    assert!(known.open_depth > 0.0);
                }
            }
        };
        for steps in [0, 1, 2, 5, 10, 50, 200, 1000, 100_000_000] {
            check_verdict(query.within(pose, &mut Budget::steps(steps)), true);
        }
        for depth in [0, 1, 2, 4, 8, 100] {
            check_verdict(query.within(pose, &mut Budget::depth(depth)), false);
        }
        let mut calls = 0;
        let mut continues = || {
            calls += 1;
            calls <= 30
        };
        check_verdict(query.within(pose, &mut Budget::until(&mut continues)), false);
        assert!(calls <= 31);
    }
    let mut undecided = 0;
    let linked = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0]).unwrap();
    let far = Pose::from_translation([5.0, 0.0, 0.0]).unwrap();
    for pose in [linked, far, pose(&mut random, 2.0), pose(&mut random, 2.0)] {
        check::<Dop6>(&ring, &pose, &mut undecided);
        check::<Dop26>(&ring, &pose, &mut undecided);
        check::<OrientedBox>(&ring, &pose, &mut undecided);
        check::<Sphere>(&ring, &pose, &mut undecided);
    }
    assert!(undecided > 50, "{undecided}");
}

/// The bounds hold for the meshes themselves: a translation by the total depth separates them, and
/// the depth of each pair of triangles is at most the depth of open pairs.
#[test]
fn the_bounds_of_an_undecided_verdict_hold() {
    let ball = shapes::icosphere(1.0, 3).unwrap();
    let tree = BvTree::<Dop26>::build(&ball, &BuildOptions::environment());
    let mut query = BvQuery::new((&ball, &tree), (&ball, &tree)).unwrap();
    let pose = Pose::from_translation([1.6, 0.1, 0.0]).unwrap();
    let Verdict::Undecided(known) = query.within(&pose, &mut Budget::steps(40)) else {
        panic!("the verdict must be undecided after forty steps");
    };
    let clear = Dop26::DIRECTIONS.iter().any(|d| {
        let d = Vec3::from(d.map(f64::from)).normalize();
        [d, -d].iter().any(|d| {
            let step = *d * -known.lower * (1.0 + 1e-9);
            let moved = Pose::from_translation(pose.translation() + step).unwrap();
            brute_pairs(&ball, &ball, &moved).is_empty()
        })
    });
    assert!(clear, "{known:?}");
    for (i, j) in brute_pairs(&ball, &ball, &pose) {
        let here = ball.triangle(i as usize);
        let there = ball.triangle(j as usize).map(|v| pose.transform_point(v));
        let depth = impinge_oracles::meshes::depth(&here, &there);
        assert!(depth <= known.open_depth * (1.0 + 1e-9), "{depth} {known:?}");
    }
}

#[test]
fn counters_count_and_costs_are_measured() {
    let ring = shapes::torus(1.0, 0.3, 32, 16).unwrap();
    let environment = BvTree::<Dop18>::build(&ring, &BuildOptions::environment());
    let flying = BvTree::<Dop18>::build(&ring, &BuildOptions::flying());
    // 2 n - 1 nodes with k numbers each and a few more, as counted in section 5 of the paper.
    assert_eq!(environment.nodes().len(), 2 * ring.triangles().len() - 1);
    assert!(environment.bytes() / ring.triangles().len() < 2 * (8 * 18 + 40));
    assert!(flying.nodes().len() < environment.nodes().len() / 10);
    let mut query = BvQuery::new((&ring, &environment), (&ring, &flying)).unwrap();
    let pose = Pose::from_quaternion([0.1, 0.2, 0.3, 0.9], [0.4, 0.1, 0.2]).unwrap();
    let (mut counts, mut recording) = (Counts::default(), Recording::default());
    let mut sink = Collect::default();
    query.traverse_counted(&pose, Order::Environment, &mut sink, &mut counts);
    query.traverse_counted(&pose, Order::Environment, &mut Collect::default(), &mut recording);
    assert_eq!(counts.volume_pairs, recording.volume_pairs.len() as u64);
    assert_eq!(counts.triangle_pairs, recording.triangle_pairs.len() as u64);
    assert_eq!(counts.updates, recording.updates.len() as u64);
    assert!(counts.updates > 1 && counts.triangle_pairs as usize >= sink.pairs.len());
    let mut once = recording.updates.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), recording.updates.len(), "a volume was moved more than once");
    let costs = query.measure(&pose, &recording, 3);
    assert!(costs.volume_pair > 0.0 && costs.triangle_pair > 0.0 && costs.update > 0.0);
    assert!(counts.cost(&costs) > 0.0);
    let none = query.measure(&pose, &Recording::default(), 3);
    assert_eq!((none.volume_pair, none.triangle_pair, none.update), (0.0, 0.0, 0.0));
}

#[test]
fn automatic_thresholds_differ_between_nodes() {
    let ring = shapes::torus(1.0, 0.3, 64, 32).unwrap();
    let auto = BuildOptions::flying().threshold(Threshold::Automatic);
    let tree = BvTree::<Dop18>::build(&ring, &auto);
    tree.validate(&ring).unwrap();
    let mut leaves: Vec<usize> =
        tree.nodes().iter().filter(|n| n.is_leaf()).map(|n| n.triangles().len()).collect();
    leaves.sort_unstable();
    assert!(leaves.len() > 10 && leaves[0] < leaves[leaves.len() - 1], "{leaves:?}");
    assert!(*leaves.last().unwrap() < 200, "{leaves:?}");
}
