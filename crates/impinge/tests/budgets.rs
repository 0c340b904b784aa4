//! Queries with a budget: no verdict is wrong and every bound holds, for any budget.

#![allow(clippy::unwrap_used, reason = "a test that fails should say where")]

use std::time::{Duration, Instant};

use impinge::pair::{
    AllSearch, Budget, BudgetVerdict, DistanceSearch, DistanceWithin, FirstSearch, PairsWithin,
    all_pairs_within, distance_within, first_hit_within, first_pair_within,
};
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

    /// Checks every budget from zero steps to the first that decides, each from the start and as a
    /// continued search. Returns that number of steps.
    fn check_all_budgets(&self) -> u64 {
        let mut last = (f64::INFINITY, f64::INFINITY);
        let mut search = FirstSearch::new();
        for steps in 0..1_000_000 {
            let outcome = self.query(&mut Budget::steps(steps));
            let mut part = Budget::steps(u64::from(steps > 0));
            match first_hit_within(self.a, self.b, &self.pose, &mut part, &mut search) {
                Verdict::Intersecting(hit) => {
                    let pair = (hit.triangle_a, hit.triangle_b);
                    assert_eq!(outcome, Verdict::Intersecting(pair), "a part");
                }
                Verdict::Separated(proof) => assert_eq!(outcome, Verdict::Separated(proof)),
                Verdict::Undecided(known) => assert_eq!(outcome, Verdict::Undecided(known)),
            }
            assert_eq!(outcome, self.query(&mut Budget::steps(steps)), "the same budget twice");
            let Verdict::Undecided(known) = outcome else {
                assert_eq!(outcome, self.query(&mut Budget::steps(1 << 40)), "with many steps");
                // Without a limit of steps the search may find another hit.
                let unlimited = self.query(&mut Budget::unlimited());
                assert_eq!(outcome.is_separated(), unlimited.is_separated());
                assert!(!unlimited.is_undecided());
                return steps;
            };
            assert!(known.open_depth <= last.0 && known.upper <= last.1, "{last:?} {known:?}");
            last = (known.open_depth, known.upper);
        }
        panic!("undecided after a million steps, {} triangles", self.a.triangles().len());
    }
}

impl Case<'_> {
    /// Measures the distance in parts of `steps` steps, checks every bound, and that a search
    /// without interruption knows the same. Returns the number of parts.
    fn check_distance(&self, steps: u64) -> u64 {
        let (mut search, mut fresh) = (DistanceSearch::new(), DistanceSearch::new());
        let mut last = (0.0, f64::INFINITY);
        for part in 1.. {
            let mut budget = Budget::steps(steps);
            let known = distance_within(self.a, self.b, &self.pose, &mut budget, &mut search);
            let Some(d) = known.distance() else {
                assert!(self.distance.is_none());
                return part;
            };
            let truth = self.distance.unwrap();
            assert!(d.lower <= truth.upper && truth.lower <= d.upper, "{d:?} {truth:?}");
            assert!(last.0 <= d.lower && d.upper <= last.1, "{last:?} {d:?}");
            last = (d.lower, d.upper);
            if known.is_final() || part % 13 == 0 {
                fresh.reset();
                let mut whole = Budget::steps(part * steps);
                let again = distance_within(self.a, self.b, &self.pose, &mut whole, &mut fresh);
                assert_eq!(known, again, "{part} parts of {steps}");
            }
            if known.is_final() {
                assert_eq!(d.upper == 0.0, truth.upper == 0.0);
                let corners = [self.a, self.b].map(|mesh| mesh.bounds().extent().max_element());
                let precise = 1e-12 * (d.upper + corners[0] + corners[1]);
                assert!(d.upper - d.lower <= precise, "{d:?}");
                assert!((d.upper - truth.upper).abs() <= precise, "{d:?} {truth:?}");
                return part;
            }
            assert!(part < 10_000_000, "{d:?}");
        }
        unreachable!()
    }

    /// Collects all pairs in parts of `steps` steps. Returns the number of parts.
    fn check_all_pairs(&self, steps: u64) -> u64 {
        let (mut search, mut fresh) = (AllSearch::new(), AllSearch::new());
        let (mut found, mut last) = (Vec::new(), f64::INFINITY);
        for part in 1.. {
            let mut budget = Budget::steps(steps);
            let known = all_pairs_within(self.a, self.b, &self.pose, &mut budget, &mut search);
            assert!(search.pairs().starts_with(&found), "pairs are added to the end");
            found = search.pairs().to_vec();
            let mut sorted = found.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().all(|pair| self.hits.binary_search(pair).is_ok()));
            if part % 13 == 0 {
                fresh.reset();
                let mut whole = Budget::steps(part * steps);
                let again = all_pairs_within(self.a, self.b, &self.pose, &mut whole, &mut fresh);
                assert_eq!((known, &found[..]), (again, fresh.pairs()), "{part} parts of {steps}");
            }
            match known {
                PairsWithin::Complete => {
                    assert_eq!(sorted, self.hits);
                    return part;
                }
                PairsWithin::Incomplete(known) => {
                    assert!(known.open > 0 && known.open_depth <= last, "{known:?} {last}");
                    last = known.open_depth;
                    // What is missing is not deeper than the bound.
                    for (i, j) in
                        self.hits.iter().filter(|pair| sorted.binary_search(pair).is_err())
                    {
                        let moved = self.b.triangle(*j as usize);
                        let moved = moved.map(|v| self.pose.transform_point(v));
                        let deep = depth(&self.a.triangle(*i as usize), &moved);
                        assert!(deep.is_infinite() || deep <= known.open_depth * (1.0 + 1e-12));
                    }
                }
            }
            assert!(part < 10_000_000);
        }
        unreachable!()
    }
}

/// Distances and lists in parts, of meshes that overlap, touch, and are apart.
#[test]
fn parts_give_what_a_search_without_interruption_gives() {
    let meshes = [
        shapes::torus(1.0, 0.4, 24, 12).unwrap(),
        shapes::icosphere(1.0, 5).unwrap(),
        shapes::cuboid_grid([1.0, 1.5, 2.0], [3, 3, 3]).unwrap(),
        shapes::cuboid([0.2, 3.0, 0.1]).unwrap(),
        tilted_star(),
    ];
    let mut random = Random::new(25);
    let mut parts = [0; 2];
    for (k, a) in meshes.iter().enumerate() {
        for b in &meshes[k..] {
            for reach in [0.8, 2.5, 1e3] {
                let case = Case::new(a, b, pose(&mut random, reach));
                let steps = 1 + random.below(40) as u64;
                parts[0] += case.check_distance(steps);
                parts[1] += case.check_all_pairs(steps);
            }
        }
    }
    // Faces, sides and corners that touch exactly.
    for shift in [[1.0, 0.0, 0.0], [1.0, 0.25, 0.5], [1.0, 1.5, 0.0], [1.0, 1.5, 2.0]] {
        let case = Case::new(&meshes[2], &meshes[2], Pose::from_translation(shift).unwrap());
        assert!(!case.hits.is_empty());
        parts[0] += case.check_distance(3);
        parts[1] += case.check_all_pairs(3);
        case.check_all_budgets();
    }
    assert!(parts[0] > 500 && parts[1] > 500, "{parts:?}");
}

/// Without trees, small meshes are compared triangle by triangle, others by their boxes.
#[test]
fn no_budgeted_query_builds_a_tree() {
    let pose = Pose::from_translation([0.3, 0.2, 0.1]).unwrap();
    let (ball, ring) =
        (shapes::icosphere(1.0, 5).unwrap(), shapes::torus(1.0, 0.4, 24, 12).unwrap());
    let away = Pose::from_translation([3.0, 0.0, 0.0]).unwrap();
    let far = Instant::now() + Duration::from_secs(3600);
    for budget in [|| Budget::steps(1 << 40), || Budget::micros(1 << 40), || Budget::depth(9)] {
        let found = first_pair_within(&ball, &ring, &pose, &mut budget());
        let Verdict::Undecided(known) = found else { panic!("{found:?}") };
        assert!(known.upper < 4.0 && known.open_depth < 4.0);
        let mut all = AllSearch::new();
        assert!(!all_pairs_within(&ball, &ring, &pose, &mut budget(), &mut all).is_complete());
        assert!(first_pair_within(&ball, &ring, &away, &mut budget()).is_separated());
        assert!(all_pairs_within(&ball, &ring, &away, &mut budget(), &mut all).is_complete());
        let mut search = DistanceSearch::new();
        let found = distance_within(&ball, &ring, &away, &mut budget(), &mut search);
        let DistanceWithin::Open(d) = found else { panic!("{found:?}") };
        let truth = distance(&ball.clone(), &ring.clone(), &away).unwrap();
        assert!(d.lower <= truth.upper && truth.lower <= d.upper, "{d:?} {truth:?}");
    }
    let mut until_later = || Instant::now() < far;
    assert!(
        first_pair_within(&ball, &ring, &pose, &mut Budget::until(&mut until_later)).is_undecided()
    );
    assert!(!ball.is_prepared() && !ring.is_prepared());
    // Clones were asked for the distance above.
    let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    let mut search = FirstSearch::new();
    let found = first_hit_within(&cube, &cube, &pose, &mut Budget::steps(1 << 40), &mut search);
    assert!(found.is_intersecting() && !cube.is_prepared());
    assert!(first_pair_within(&ball, &ring, &pose, &mut Budget::unlimited()).is_intersecting());
    // This built the trees, and with them queries with a limit decide.
    assert!(first_pair_within(&ball, &ring, &pose, &mut Budget::steps(1 << 40)).is_intersecting());
}

/// A state that was used for something else starts anew.
#[test]
fn a_search_of_another_query_starts_anew() {
    let mut random = Random::new(31);
    let meshes = [
        shapes::torus(1.0, 0.4, 24, 12).unwrap(),
        shapes::icosphere(1.0, 5).unwrap(),
        shapes::icosphere(1e-9, 3).unwrap(),
        shapes::cuboid([0.2, 3.0, 0.1]).unwrap(),
        Mesh::from_triangles(Vec::new(), Vec::new()).unwrap(),
    ];
    let (mut first, mut all, mut near) = Default::default();
    let mut decided = 0;
    for _ in 0..100 {
        let (a, b) = (&meshes[random.below(5)], &meshes[random.below(5)]);
        let case = Case::new(a, b, pose(&mut random, 2.0));
        for part in 0..3 {
            let budget = || Budget::steps([3, 40, 1 << 40][part]);
            let found = first_hit_within(a, b, &case.pose, &mut budget(), &mut first);
            let whole = || Budget::steps([3, 43, 1 << 40][part]);
            let fresh = first_hit_within(a, b, &case.pose, &mut whole(), &mut FirstSearch::new());
            assert_eq!(found, fresh);
            let found = all_pairs_within(a, b, &case.pose, &mut budget(), &mut all);
            let mut search = AllSearch::new();
            assert_eq!(found, all_pairs_within(a, b, &case.pose, &mut whole(), &mut search));
            assert_eq!(all.pairs(), search.pairs());
            let found = distance_within(a, b, &case.pose, &mut budget(), &mut near);
            let mut search = DistanceSearch::new();
            assert_eq!(found, distance_within(a, b, &case.pose, &mut whole(), &mut search));
            decided += usize::from(found.is_final());
        }
    }
    assert!(decided > 100, "{decided}");
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
        let case = Case::new(a, b, Pose::IDENTITY);
        assert_eq!(case.check_all_budgets(), 0);
        assert_eq!((case.check_distance(1), case.check_all_pairs(1)), (1, 1));
    }
    for a in [&cube, &one, &point, &speck] {
        for b in [&cube, &one, &point, &speck] {
            for place in [Pose::IDENTITY, far, corner, pose(&mut random, 1.0)] {
                let case = Case::new(a, b, place);
                case.check_all_budgets();
                case.check_distance(7);
                case.check_all_pairs(5);
            }
        }
    }
}

/// Regression: after a query of small meshes without trees, a finished search by trees was taken
/// for one that found nothing.
#[test]
fn a_query_in_between_starts_a_search_anew() {
    let (ball, cube) = (shapes::icosphere(1.0, 8).unwrap(), shapes::cuboid([1.0; 3]).unwrap());
    ball.prepare();
    let beside = Pose::from_translation([0.9, 0.1, 0.0]).unwrap();
    let mut search = AllSearch::new();
    let mut all = |mesh: &Mesh, pose: &Pose| {
        let mut budget = Budget::unlimited();
        assert!(all_pairs_within(mesh, mesh, pose, &mut budget, &mut search).is_complete());
        search.pairs().to_vec()
    };
    let pairs = all(&ball, &beside);
    assert!(!pairs.is_empty());
    assert!(!all(&cube, &Pose::IDENTITY).is_empty());
    assert_eq!(all(&ball, &beside), pairs);
}
