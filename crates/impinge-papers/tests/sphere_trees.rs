//! Sphere-trees by the published builders: proven covers, the numbers of balls, tightness; and the
//! narrow phase on them: exact verdicts, bounds that hold, budgets.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "a test prints its measurements")]

use impinge::pair::Budget;
use impinge::spheres::{SphereTree, verify};
use impinge::{Error, ErrorKind, Mesh, Pose, Verdict, shapes};
use impinge_oracles::common::Random;
use impinge_oracles::meshes::{grid_soups, pose};
use impinge_papers::hubbard::narrow::{NarrowQuery, NarrowVerdict};
use impinge_papers::hubbard::spheres::{SphereOptions, annealed, medial, octree, reaches};
use impinge_samples::shapes::lamp;

type Build = fn(&Mesh, &SphereOptions) -> Result<SphereTree, Error>;
const BUILDERS: [(&str, Build); 3] =
    [("octree", octree), ("annealed", annealed), ("medial", medial)];

/// The mean radius of the balls of a level.
fn mean_radius(tree: &SphereTree, level: usize) -> f64 {
    let balls = tree.level(level);
    balls.iter().map(|node| node.ball.radius).sum::<f64>() / balls.len() as f64
}

fn scaled(mesh: &Mesh, scale: f64) -> Mesh {
    let vertices = mesh.vertices().iter().map(|v| *v * scale).collect();
    Mesh::from_triangles(vertices, mesh.triangles().to_vec()).unwrap()
}

#[test]
fn every_level_covers_and_has_at_most_its_number_of_balls() {
    let torus = shapes::torus(1.0, 0.3, 16, 8).unwrap();
    let open = shapes::plane([2.0, 1.0], [3, 3]).unwrap();
    let meshes = [
        lamp(1.0, 9, 1).unwrap(),
        shapes::cuboid([1.0, 2.0, 0.01]).unwrap(),
        scaled(&torus, 0.9e59),
        scaled(&torus, 1e-300),
        scaled(&torus, 1e-318),
        torus,
        open,
        Mesh::from_triangles(vec![impinge::Vec3::ONE; 3], vec![[0, 1, 2]]).unwrap(),
    ];
    let options = SphereOptions::default().levels(3).samples(300).steps(40);
    for (number, mesh) in meshes.iter().enumerate() {
        for (name, build) in BUILDERS {
            let tree = build(mesh, &options).unwrap();
            verify(mesh, tree.parts()).unwrap();
            assert_eq!(tree.levels(), 3);
            for level in 0..3 {
                let count = tree.level(level).len();
                assert!(count <= 8_usize.pow(level as u32 + 1), "{number} {name} {level}: {count}");
            }
            if number == 0 {
                assert_eq!(tree, build(mesh, &options).unwrap(), "{name}");
            }
        }
    }
}

/// The medial axis gives the tightest spheres and annealing improves on octrees, as in the paper.
#[test]
fn medial_spheres_are_tighter_than_annealed_ones_and_these_than_octants() {
    let lamp = lamp(1.0, 16, 1).unwrap();
    let options = SphereOptions::default().levels(3).samples(1500).steps(150);
    let [octants, annealed, medial] = BUILDERS.map(|(_, build)| build(&lamp, &options).unwrap());
    for level in 0..3 {
        let [o, a, m] = [&octants, &annealed, &medial].map(|tree| mean_radius(tree, level));
        assert!(m < a && a < 0.9 * o, "level {level}: {m} {a} {o}");
    }
}

#[test]
fn options_out_of_range_are_refused() {
    let cube = shapes::cuboid([1.0; 3]).unwrap();
    let empty = Mesh::from_triangles(Vec::new(), Vec::new()).unwrap();
    let options = SphereOptions::default();
    for (_, build) in BUILDERS {
        assert_eq!(build(&empty, &options).unwrap_err().kind(), ErrorKind::Empty);
        for bad in [
            options.levels(0),
            options.levels(7),
            options.fan_out(1),
            options.fan_out(9),
            options.samples(1 << 30),
        ] {
            assert_eq!(build(&cube, &bad).unwrap_err().kind(), ErrorKind::BadParameter);
        }
    }
}

/// Compares a verdict with the engine's.
fn check(verdict: &NarrowVerdict, a: &Mesh, b: &Mesh, pose: &Pose) -> bool {
    let meets = impinge::intersects(a, b, pose).is_intersecting();
    match verdict {
        Verdict::Separated(_) => assert!(!meets, "missed at {pose:?}"),
        Verdict::Intersecting((t, u)) => {
            assert!(meets);
            let pairs = impinge_oracles::meshes::brute_pairs(a, b, pose);
            assert!(pairs.contains(&(*t, *u)));
        }
        Verdict::Undecided(answer) => {
            let distance = impinge::distance(a, b, pose).unwrap();
            assert!(answer.gap >= distance.lower, "{answer:?} {distance:?}");
            // Solids are no further apart than their surfaces; one inside the other counts as zero.
            let apart =
                !impinge::check_pair(a, b, pose, &Default::default()).relation.is_collision();
            assert!(!apart || answer.solid_gap >= distance.lower, "{answer:?} {distance:?}");
        }
    }
    meets
}

#[test]
fn verdicts_are_exact_and_bounds_hold_at_every_level() {
    let mut random = Random::new(11);
    let lamp = lamp(1.0, 9, 1).unwrap();
    let ring = shapes::torus(0.5, 0.15, 16, 8).unwrap();
    let options = SphereOptions::default().samples(800).steps(60);
    let trees = [
        (&lamp, medial(&lamp, &options.levels(3)).unwrap()),
        (&ring, octree(&ring, &options.levels(2)).unwrap()),
        (&ring, annealed(&ring, &options.levels(4)).unwrap()),
    ];
    let (mut met, mut apart, mut undecided) = (0, 0, 0);
    let beyond: Vec<_> = trees.iter().map(|(mesh, tree)| reaches(mesh, tree)).collect();
    for ((a, tree_a), beyond_a) in trees.iter().zip(&beyond) {
        for ((b, tree_b), beyond_b) in trees.iter().zip(&beyond) {
            let mut query = NarrowQuery::new((a, tree_a), (b, tree_b)).reaches(beyond_a, beyond_b);
            for _ in 0..12 {
                let pose = pose(&mut random, 2.4);
                match check(&query.within(&pose, &mut Budget::unlimited()), a, b, &pose) {
                    true => met += 1,
                    false => apart += 1,
                }
                // The verdict never changes with more budget, and bounds do not get wider.
                let mut last = f64::INFINITY;
                let levels = query.levels() as u32;
                let budgets =
                    (0..=levels).map(Budget::depth).chain((0..12).map(|k| Budget::steps(3 << k)));
                for (number, mut budget) in budgets.enumerate() {
                    let verdict = query.within(&pose, &mut budget);
                    check(&verdict, a, b, &pose);
                    if number as u32 == levels + 1 {
                        last = f64::INFINITY;
                    }
                    if let Verdict::Undecided(answer) = verdict {
                        undecided += 1;
                        assert!(answer.gap <= last && answer.pairs > 0, "{answer:?} {last}");
                        assert!(answer.normal.length() < 1.0 + 1e-9);
                        last = answer.gap;
                    }
                }
            }
            let counts = query.counts();
            for level in counts.levels.windows(2) {
                assert!(level[1].reached <= level[0].meeting, "{counts:?}");
            }
        }
    }
    assert!(met > 20 && apart > 20 && undecided > 250, "{met} {apart} {undecided}");
}

#[test]
fn soups_of_degenerate_triangles_are_decided() {
    let options = SphereOptions::default().levels(2);
    let mut met = 0;
    grid_soups(40, |a, b, pose| {
        let [tree_a, tree_b] = [a, b].map(|mesh| octree(mesh, &options).unwrap());
        let mut query = NarrowQuery::new((a, &tree_a), (b, &tree_b));
        met += usize::from(check(&query.within(pose, &mut Budget::unlimited()), a, b, pose));
    });
    assert!(met > 10);
}

#[test]
fn coherent_queries_give_the_same_verdicts() {
    let mut random = Random::new(12);
    let lamp = lamp(1.0, 9, 1).unwrap();
    let tree = medial(&lamp, &SphereOptions::default().levels(3).samples(800)).unwrap();
    let mut coherent = NarrowQuery::new((&lamp, &tree), (&lamp, &tree));
    let mut anew = NarrowQuery::new((&lamp, &tree), (&lamp, &tree));
    let (mut met, mut apart) = (0, 0);
    for _ in 0..12 {
        let (q, from, step) =
            ([0; 4].map(|_: i32| random.signed()), random.point(), random.point() * 0.01);
        for frame in 0..20 {
            let pose = Pose::from_quaternion(q, from + step * f64::from(frame)).unwrap();
            let budget = || match frame {
                // A frame that ends too early.
                13 => Budget::steps(30),
                _ => Budget::unlimited(),
            };
            let first = coherent.coherent(&pose, &mut budget());
            let second = anew.within(&pose, &mut Budget::unlimited());
            check(&first, &lamp, &lamp, &pose);
            if frame != 13 {
                assert_eq!(first.is_intersecting(), second.is_intersecting());
            }
            match second.is_intersecting() {
                true => met += 1,
                false => apart += 1,
            }
        }
    }
    let tests = |query: &NarrowQuery<'_>| -> u64 {
        query.counts().levels.iter().map(|level| level.tests).sum()
    };
    assert!(met > 20 && apart > 60, "{met} {apart}");
    // Most frames that meet are decided by the triangles of the frame before.
    assert!(coherent.counts().witnesses * 2 > met, "{met} {:?}", coherent.counts());
    assert!(tests(&coherent) < 2 * tests(&anew), "{} {}", tests(&coherent), tests(&anew));
}

/// Points of balls are no further from the solid than the reach says.
#[test]
fn reaches_bound_the_distance_from_the_solid() {
    let mut random = Random::new(21);
    for mesh in
        [shapes::torus(0.5, 0.15, 16, 8).unwrap(), shapes::plane([1.0, 1.0], [2, 2]).unwrap()]
    {
        let tree = octree(&mesh, &SphereOptions::default().levels(2)).unwrap();
        let beyond = reaches(&mesh, &tree);
        let mut tight = 0.0_f64;
        for (level, reaches) in beyond.iter().enumerate() {
            for (node, reach) in tree.level(level).iter().zip(reaches) {
                for _ in 0..100 {
                    let p = node.ball.center
                        + random.point().normalize() * (0.999_999 * node.ball.radius);
                    let triangles = (0..mesh.triangles().len()).map(|t| mesh.triangle(t));
                    let least = triangles
                        .map(|t| impinge::closest::point_triangle(p, &t).lower)
                        .fold(f64::INFINITY, f64::min);
                    let inside = impinge::solid::locate(&mesh, p)
                        .is_ok_and(|l| l != impinge::exact::Location::Outside);
                    assert!(inside || least <= *reach, "{least} {reach}");
                    tight = tight.max(if inside { 0.0 } else { least / reach });
                }
            }
        }
        assert!(tight > 0.7, "{tight}");
    }
}
