//! The box-tree reports exactly the pairs of brute force, each once, for all options.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::ops::ControlFlow;

use impinge::pair::{Collect, First, Sink};
use impinge::{Mesh, Pose, Vec3, shapes};
use impinge_oracles::common::Random;
use impinge_oracles::meshes::{brute_pairs, far_soups, grid_soups, needles, pose, star};
use impinge_papers::zachmann::box_tree::{
    BoxTest, BoxTree, Counts, LeafTest, Options, Query, Scratch, traverse, traverse_counted,
};

/// Options for trees of every kind: the thesis' defaults, fine trees, empty boxes, thin and thick
/// planes, a root only, limited copies, no limit of shares.
fn options() -> Vec<Options> {
    let t = Options::THESIS;
    let fine = t.max_depth(20).min_polygons(1);
    vec![
        t,
        fine,
        fine.empty_boxes(true),
        fine.thickness(0.0),
        fine.thickness(0.01),
        t.max_depth(0),
        fine.max_copies(1.0),
        t.max_share(1.0).max_depth(8).min_polygons(1).empty_boxes(true),
        fine.crossing_weight(0.0).balance_tolerance(3.0).max_iterations(3),
        Options::DEEP,
    ]
}

const TESTS: [(BoxTest, LeafTest, bool); 5] = [
    (BoxTest::Clipping, LeafTest::Triangles, true),
    (BoxTest::Clipping, LeafTest::Edges, true),
    (BoxTest::AxisAligned, LeafTest::Triangles, false),
    (BoxTest::AxisAligned, LeafTest::Edges, true),
    (BoxTest::Clipping, LeafTest::Edges, false),
];

/// Compares every method with brute force on trees built with the given options. Returns the number
/// of pairs.
fn compare(a: &Mesh, b: &Mesh, pose: &Pose, of_a: &Options, of_b: &Options) -> usize {
    let (ta, tb) = (BoxTree::build(a, of_a).unwrap(), BoxTree::build(b, of_b).unwrap());
    ta.validate(a).unwrap();
    tb.validate(b).unwrap();
    let expected = brute_pairs(a, b, pose);
    let mut scratch = Scratch::default();
    for (boxes, leaves, collect) in TESTS {
        let query = Query::new((a, &ta), (b, &tb), pose).unwrap();
        let query = query.boxes(boxes).leaves(leaves).collect(collect);
        let mut found = Collect::default();
        traverse(&query, &mut scratch, &mut found);
        assert_eq!(found.into_sorted(), expected, "{boxes:?} {leaves:?} {of_a:?} {of_b:?}");
        let mut first = First::default();
        traverse(&query, &mut scratch, &mut first);
        assert_eq!(first.pair.is_some(), !expected.is_empty());
        assert!(first.pair.is_none_or(|p| expected.binary_search(&p).is_ok()));
    }
    expected.len()
}

/// As [`compare`], pairing each set of options for A with another one for B.
fn compare_all(a: &Mesh, b: &Mesh, pose: &Pose) -> usize {
    let options = options();
    let others = options.iter().rev();
    options.iter().zip(others).map(|(p, q)| compare(a, b, pose, p, q)).max().unwrap()
}

#[test]
fn grid_soups_match_brute_force() {
    let mut hits = 0;
    grid_soups(40, |a, b, pose| hits += compare_all(a, b, pose));
    assert!(hits > 500, "{hits}");
}

#[test]
fn needles_of_all_sizes_match_brute_force() {
    let mut hits = 0;
    needles(20, |a, b, pose| hits += compare_all(a, b, pose));
    assert!(hits > 100, "{hits}");
}

#[test]
fn shapes_near_and_far_from_the_origin_match_brute_force() {
    let mut random = Random::new(5);
    let meshes = [
        shapes::torus(1.0, 0.4, 16, 8).unwrap(),
        shapes::icosphere(1.0, 3).unwrap(),
        shapes::cuboid_grid([1.0, 2.0, 1.0], [3, 3, 3]).unwrap(),
        impinge_samples::shapes::tetra_flake(1.0, 2).unwrap(),
    ];
    let away = Pose::from_translation([1e7, -3e6, 5e5]).unwrap();
    let kinds = options();
    let mut hits = 0;
    for (i, a) in meshes.iter().enumerate() {
        for (j, b) in meshes.iter().enumerate() {
            for (k, reach) in [0.0, 1.0, 3.0].into_iter().enumerate() {
                let (p, q) = (&kinds[(i + 3 * k) % kinds.len()], &kinds[(2 * j + k) % kinds.len()]);
                hits += compare(a, b, &pose(&mut random, reach), p, q);
            }
            // Both are moved by the same large step, so that the rounding errors of vertices are
            // large.
            let (far_a, far_b) = (a.transformed(&away), b.transformed(&away));
            compare(&far_a, &far_b, &Pose::IDENTITY, &kinds[1], &kinds[2]);
        }
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn small_triangles_far_away_match_brute_force() {
    let kinds = options();
    let (mut hits, mut round) = (0, 0);
    far_soups(impinge_oracles::common::count_from("BOX_TREE_ROUNDS", 24), 8, 50, |a, b, pose| {
        hits += compare(a, b, pose, &kinds[1], &kinds[round % kinds.len()]);
        round += 1;
    });
    assert!(hits > 200, "{hits}");
}

#[test]
fn identical_poses_touching_faces_and_parallel_axes_match_brute_force() {
    let quarter = |axis: Vec3| Pose::from_axis_angle(axis, std::f64::consts::FRAC_PI_2).unwrap();
    let turns = [Pose::IDENTITY, quarter(Vec3::X), quarter(Vec3::Y), quarter(Vec3::Z)];
    let exact = Pose::from_quaternion([0.0, 0.0, 1.0, 1.0], [0.0; 3]).unwrap();
    let kinds = options();
    let mut case = 0;
    for mesh in [
        shapes::icosphere(1.0, 2).unwrap(),
        shapes::cuboid_grid([2.0, 2.0, 2.0], [3, 3, 3]).unwrap(),
        shapes::plane([2.0, 2.0], [6, 5]).unwrap(),
    ] {
        assert!(compare_all(&mesh, &mesh, &Pose::IDENTITY) >= mesh.triangles().len());
        for turn in turns.iter().chain([&exact]) {
            for shift in [0.0, 1.0, 2.0, 2.0 + 4.0 * f64::EPSILON, 2.0 - 1e-9, 3.0] {
                for axis in [Vec3::X, Vec3::Z, Vec3::ONE] {
                    let pose = Pose::from_translation(axis * shift).unwrap().compose(turn).unwrap();
                    let (p, q) = [(1, 2), (4, 0), (2, 3)][case % 3];
                    compare(&mesh, &mesh, &pose, &kinds[p], &kinds[q]);
                    case += 1;
                }
            }
        }
    }
}

/// Rotations by small angles, so that edges are almost but not exactly parallel to planes.
#[test]
fn edges_almost_parallel_to_planes_match_brute_force() {
    let mesh = shapes::cuboid_grid([2.0, 2.0, 2.0], [3, 2, 3]).unwrap();
    let kinds = options();
    let mut hits = 0;
    for exponent in [-20, -17, -16, -15, -14, -12, -8, -4] {
        let angle = 3.0 * 10.0_f64.powi(exponent);
        for axis in [Vec3::X, Vec3::Y, Vec3::new(0.3, -1.0, 0.1)] {
            let turn = Pose::from_axis_angle(axis, angle).unwrap();
            for shift in [Vec3::ZERO, Vec3::X * 2.0, Vec3::new(2.0, 2.0, 2.0), Vec3::Z * 0.5] {
                let pose = Pose::from_translation(shift).unwrap().compose(&turn).unwrap();
                hits += compare(&mesh, &mesh, &pose, &kinds[1], &kinds[2]);
            }
        }
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn single_equal_and_degenerate_triangles_match_brute_force() {
    let t = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let one = Mesh::from_soup(&[t]).unwrap();
    assert_eq!(compare_all(&one, &one, &Pose::IDENTITY), 1);
    let same = Mesh::from_soup(&[t; 30]).unwrap();
    assert_eq!(compare_all(&same, &same, &Pose::IDENTITY), 900);
    let point = Mesh::from_soup(&[[Vec3::ONE; 3]; 20]).unwrap();
    assert_eq!(compare_all(&point, &point, &Pose::IDENTITY), 400);
    compare_all(&point, &same, &Pose::IDENTITY);
    let mut random = Random::new(6);
    let star = star(&mut random, 60);
    assert!(compare_all(&star, &star, &pose(&mut random, 0.1)) > 0);
}

#[test]
fn empty_meshes_and_all_scales_match_brute_force() {
    let nothing = Mesh::from_triangles(Vec::new(), Vec::new()).unwrap();
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    assert_eq!(compare_all(&nothing, &cube, &Pose::IDENTITY), 0);
    assert_eq!(compare_all(&cube, &nothing, &Pose::IDENTITY), 0);
    for scale in [1e-310, 1e-300, 1e-30, 1e-9, 1e9, 1e30, 1e59] {
        let scaled = cube.scaled(scale).unwrap();
        let beside = Pose::from_translation([scale, 0.25 * scale, 0.0]).unwrap();
        assert!(compare_all(&scaled, &scaled, &beside) > 0, "{scale}");
        compare_all(&scaled, &cube, &Pose::IDENTITY);
        compare_all(&scaled, &cube, &Pose::from_translation([1e59, -1e59, 1.0]).unwrap());
    }
}

/// A matrix that is a rotation only within the tolerance: its transpose is not its inverse.
#[test]
fn inexact_rotations_match_brute_force() {
    let mesh = shapes::icosphere(1.0, 4)
        .unwrap()
        .transformed(&Pose::from_translation([1e6, 0.0, 0.0]).unwrap());
    let s = 1.0 + 4e-10;
    let rows = [[0.0, -s, 0.0, 1.9], [s, 0.0, 0.0, -1e6], [0.0, 0.0, s, 0.0]];
    let pose = Pose::from_matrix(rows).unwrap();
    let moved = Pose::from_translation([1e6 - 0.1, 0.0, 0.0]).unwrap().compose(&pose).unwrap();
    let kinds = options();
    for (p, q) in [(1, 2), (2, 3), (4, 9)] {
        assert!(compare(&mesh, &mesh, &moved, &kinds[p], &kinds[q]) > 0);
    }
}

#[test]
fn a_sink_that_stops_gets_no_more_pairs_and_scratch_is_reusable() {
    struct FirstFive(Vec<(u32, u32)>);
    impl Sink for FirstFive {
        fn pair(&mut self, a: u32, b: u32) -> ControlFlow<()> {
            self.0.push((a, b));
            if self.0.len() == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let ring = shapes::torus(1.0, 0.4, 24, 12).unwrap();
    let ball = shapes::icosphere(1.0, 3).unwrap();
    let trees = [&ring, &ball].map(|m| BoxTree::build(m, &Options::THESIS).unwrap());
    let mut scratch = Scratch::default();
    for leaves in [LeafTest::Triangles, LeafTest::Edges] {
        for _ in 0..3 {
            for (i, a) in [&ring, &ball].into_iter().enumerate() {
                let query = Query::new((a, &trees[i]), (&ball, &trees[1]), &Pose::IDENTITY);
                let query = query.unwrap().leaves(leaves);
                let mut five = FirstFive(Vec::new());
                traverse(&query, &mut scratch, &mut five);
                assert_eq!(five.0.len(), 5);
            }
        }
    }
}

#[test]
fn trees_of_other_meshes_are_errors() {
    let ball = shapes::icosphere(1.0, 2).unwrap();
    let larger = ball.scaled(2.0).unwrap(); // with as many triangles
    let [own, other] = [&ball, &larger].map(|m| BoxTree::build(m, &Options::THESIS).unwrap());
    let query = |a, b| Query::new((&ball, a), (&ball, b), &Pose::IDENTITY).err();
    assert!(query(&own, &own).is_none());
    for (error, name) in [(query(&other, &own), "mesh A"), (query(&own, &other), "mesh B")] {
        let error = error.unwrap();
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn counts_match_the_work_done() {
    let ring = shapes::torus(1.0, 0.4, 40, 20).unwrap();
    let fine = Options::THESIS.max_depth(12).min_polygons(4);
    let tree = BoxTree::build(&ring, &fine).unwrap();
    let stats = tree.stats();
    assert!(stats.depth > 5 && stats.depth <= 12, "{stats:?}");
    assert!(stats.triangle_copies >= 1.0 && stats.triangle_copies < 16.0, "{stats:?}");
    assert!(stats.edge_copies >= 1.0 && stats.edge_copies < 16.0, "{stats:?}");
    assert!(stats.empty_leaves == 0 && stats.nodes == 2 * stats.leaves - 1, "{stats:?}");
    let hollow = BoxTree::build(&ring, &fine.empty_boxes(true)).unwrap();
    assert!(hollow.stats().empty_leaves > 0);
    assert!(tree.bytes() > 16 * stats.nodes);

    let pose = Pose::from_translation([1.2, 0.0, 0.1]).unwrap();
    let query = Query::new((&ring, &tree), (&ring, &tree), &pose).unwrap();
    let run = |query: &Query<'_>| {
        let (mut counts, mut all) = (Counts::default(), Collect::default());
        traverse_counted(query, &mut Scratch::default(), &mut counts, &mut all);
        (counts, all.pairs.len() as u64)
    };
    let (clipped, pairs) = run(&query);
    assert!(clipped.boxes > 100 && clipped.edges_clipped > clipped.boxes, "{clipped:?}");
    assert!(clipped.leaf_pairs > 10 && clipped.leaf_triangles >= clipped.collected, "{clipped:?}");
    assert!(
        clipped.exact_tests >= pairs && clipped.box_tests >= clipped.exact_tests,
        "{clipped:?}"
    );
    assert!(clipped.repeated > 0, "{clipped:?}");
    let (aligned, same) = run(&query.boxes(BoxTest::AxisAligned));
    assert_eq!((same, aligned.edges_clipped), (pairs, 0));
    assert!(
        aligned.leaf_pairs >= clipped.leaf_pairs,
        "axis-aligned boxes are larger, so they cannot have fewer leaf pairs"
    );
}
