//! Queries with a budget: no verdict is wrong and every bound holds, for any budget.

#![allow(clippy::unwrap_used, reason = "a test that fails should say where")]

use std::time::{Duration, Instant};

use impinge::pair::{Budget, BudgetVerdict, first_pair_within};
use impinge::{Bounds, Distance, Mesh, Pose, Separation, Vec3, Verdict, distance, shapes};
use impinge_oracles::common::Random;
use impinge_oracles::meshes::{brute_pairs, depth, pose, soup, tilted_star};

/// Two meshes at a pose, and the exact results.
struct Case<'a> {
    a: &'a Mesh,
    b: &'a Mesh,
    pose: Pose,
    hits: Vec<(u32, u32)>,
    distance: Option<Distance>,
    /// The largest penetration depth of two triangles.
    depth: f64,
}

impl<'a> Case<'a> {
    fn new(a: &'a Mesh, b: &'a Mesh, pose: Pose) -> Self {
        a.prepare();
        b.prepare();
        let hits = brute_pairs(a, b, &pose);
        let depth_of = |(i, j): &(u32, u32)| {
            let moved = b.triangle(*j as usize).map(|v| pose.transform_point(v));
            depth(&a.triangle(*i as usize), &moved)
        };
        // Triangles of zero area have no separating directions, so their depth is infinite; it
        // counts as zero.
        let depth = hits.iter().map(depth_of).filter(|d| d.is_finite()).fold(0.0, f64::max);
        Self { a, b, distance: distance(a, b, &pose), hits, depth, pose }
    }

    /// Runs the query with a budget and checks the outcome.
    fn query(&self, budget: &mut Budget<'_>) -> BudgetVerdict {
        let outcome = first_pair_within(self.a, self.b, &self.pose, budget);
        match outcome {
            Verdict::Intersecting((a, b)) => assert!(self.hits.binary_search(&(a, b)).is_ok()),
            Verdict::Separated(proof) => {
                assert!(self.hits.is_empty());
                match &self.distance {
                    Some(d) => assert!(proof.lower() <= d.upper, "{outcome:?}"),
                    None => assert_eq!(proof, Separation::Empty),
                }
            }
            Verdict::Undecided(known) => self.check_bounds(&known),
        }
        outcome
    }

    fn check_bounds(&self, known: &Bounds) {
        assert!(known.open > 0);
        assert!(0.0 <= known.open_depth && known.open_depth <= -known.lower, "{known:?}");
        assert!(self.depth <= known.open_depth * (1.0 + 1e-12), "{} {known:?}", self.depth);
        let lower = self.distance.as_ref().unwrap().lower;
        assert!(lower <= known.upper && known.upper < f64::INFINITY);
    }

    /// Checks every budget from zero steps to the first that decides. Returns that number of steps.
    fn check_all_budgets(&self) -> u64 {
        let mut last = (f64::INFINITY, f64::INFINITY);
        for steps in 0..1_000_000 {
            let outcome = self.query(&mut Budget::steps(steps));
            assert_eq!(outcome, self.query(&mut Budget::steps(steps)), "the same budget twice");
            let Verdict::Undecided(known) = outcome else {
                assert_eq!(outcome, self.query(&mut Budget::unlimited()), "without a limit");
                return steps;
            };
            assert!(known.open_depth <= last.0 && known.upper <= last.1, "{last:?} {known:?}");
            last = (known.open_depth, known.upper);
        }
        panic!("undecided after a million steps, {} triangles", self.a.triangles().len());
    }
}

#[test]
fn answers_hold_for_every_number_of_steps() {
    let meshes = [
        shapes::torus(1.0, 0.4, 24, 12).unwrap(),
        shapes::icosphere(1.0, 5).unwrap(),
        shapes::cuboid_grid([1.0, 1.5, 2.0], [3, 3, 3]).unwrap(),
        shapes::cuboid([0.2, 3.0, 0.1]).unwrap(),
        tilted_star(),
    ];
    let mut random = Random::new(5);
    let (mut steps, mut free) = (0, 0);
    for a in &meshes {
        for b in &meshes {
            for reach in [0.5, 1.0, 1.5, 2.0, 3.0, 4.0] {
                let case = Case::new(a, b, pose(&mut random, reach));
                steps += case.check_all_budgets();
                free += usize::from(case.hits.is_empty());
            }
        }
    }
    assert!(steps > 400 && free > 10, "{steps} {free}");
}

#[test]
fn open_depth_falls_with_the_budget_for_nearly_touching_surfaces() {
    let (inner, outer) =
        (shapes::icosphere(0.97, 12).unwrap(), shapes::icosphere(1.0, 12).unwrap());
    let case = Case::new(&outer, &inner, pose(&mut Random::new(2), 0.0));
    assert!(case.hits.is_empty());
    let enough = case.check_all_budgets();
    assert!(enough > 100, "{enough}");
    let at = |steps| match case.query(&mut Budget::steps(steps)) {
        Verdict::Undecided(known) => known.open_depth,
        decided => panic!("{decided:?}"),
    };
    assert!(at(enough / 2) < 0.5 * at(0), "{} {}", at(enough / 2), at(0));
}

#[test]
fn answers_hold_for_grid_soups_and_needles() {
    let mut random = Random::new(6);
    let mut steps = 0;
    for round in 0..40 {
        let (n, m) = (1 + random.below(40), 1 + random.below(40));
        let (a, b) = if round % 2 == 0 {
            (soup(&mut random, n, |r| r.grid_point(4)), soup(&mut random, m, |r| r.grid_point(4)))
        } else {
            let thin = |r: &mut Random| r.point() * Vec3::new(1.0, 1e-3, 1e-6);
            (soup(&mut random, n, thin), soup(&mut random, m, thin))
        };
        let place = if round % 4 == 0 {
            Pose::from_translation(random.grid_point(6)).unwrap()
        } else {
            pose(&mut random, 6.0)
        };
        steps += Case::new(&a, &b, place).check_all_budgets();
    }
    assert!(steps > 40, "{steps}");
}

/// A translation by the total depth, along an axis of one of the frames, separates the meshes.
#[test]
fn translation_by_the_total_depth_separates() {
    let mut random = Random::new(7);
    let (a, b) = (shapes::icosphere(1.0, 6).unwrap(), shapes::torus(0.6, 0.3, 20, 10).unwrap());
    for _ in 0..20 {
        let place = pose(&mut random, 2.0);
        let outcome = first_pair_within(&a, &b, &place, &mut Budget::steps(0));
        let Verdict::Undecided(known) = outcome else { panic!("{outcome:?}") };
        let turn = place.rotation();
        let axes = [Vec3::X, Vec3::Y, Vec3::Z, turn.x_axis, turn.y_axis, turn.z_axis];
        let separates = axes.iter().flat_map(|d| [*d, -*d]).any(|d| {
            let step = Pose::from_translation(d * -known.lower * (1.0 + 1e-9)).unwrap();
            brute_pairs(&a, &b, &step.compose(&place).unwrap()).is_empty()
        });
        assert!(separates, "{known:?}");
    }
}

#[test]
fn depth_limits_deadlines_and_callbacks_stop_the_query() {
    let mut random = Random::new(8);
    let (a, b) = (shapes::torus(1.0, 0.4, 40, 20).unwrap(), shapes::icosphere(0.9, 8).unwrap());
    let mut undecided = 0;
    for _ in 0..6 {
        let case = Case::new(&a, &b, pose(&mut random, 1.5));
        for limit in 0..8 {
            undecided +=
                usize::from(matches!(case.query(&mut Budget::depth(limit)), Verdict::Undecided(_)));
        }
        assert!(!matches!(case.query(&mut Budget::depth(100)), Verdict::Undecided(_)));
        let past = Instant::now();
        let none = case.query(&mut Budget::deadline(past));
        assert_eq!(none, case.query(&mut Budget::steps(0)), "an expired deadline allows no step");
        let hour = past + Duration::from_secs(3600);
        let all = case.query(&mut Budget::unlimited());
        assert_eq!(all, case.query(&mut Budget::unlimited().and_deadline(hour)));
        let mut calls = 0;
        let mut may_continue = || {
            calls += 1;
            calls <= 5
        };
        assert_eq!(
            case.query(&mut Budget::until(&mut may_continue)),
            case.query(&mut Budget::steps(5))
        );
        assert!(calls <= 6);
    }
    assert!(undecided > 5, "{undecided}");
}

#[test]
fn answers_hold_for_empty_meshes_single_triangles_and_extreme_size_ratios() {
    let empty = Mesh::from_triangles(Vec::new(), Vec::new()).unwrap();
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    let mut random = Random::new(9);
    let one = soup(&mut random, 1, Random::point);
    let point = soup(&mut random, 1, |_| Vec3::splat(0.25));
    let speck = shapes::icosphere(1e-8, 3).unwrap();
    let far = Pose::from_translation([1e12, 0.0, 0.0]).unwrap();
    let corner = Pose::from_translation([0.5, 0.5, 0.5]).unwrap();
    for (a, b) in [(&empty, &cube), (&cube, &empty), (&empty, &empty)] {
        assert_eq!(Case::new(a, b, Pose::IDENTITY).check_all_budgets(), 0);
    }
    for a in [&cube, &one, &point, &speck] {
        for b in [&cube, &one, &point, &speck] {
            for place in [Pose::IDENTITY, far, corner, pose(&mut random, 1.0)] {
                Case::new(a, b, place).check_all_budgets();
            }
        }
    }
}
