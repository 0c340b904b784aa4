//! Hulls of all kinds, compared with the hull of all differences.

use super::*;
use impinge::convex::{Hull, Stop};
use impinge_papers::leung::{BruteForce, DirectionTable, Hierarchy, LocalSearch};
use reference::signed_distance;

/// The points of a body of a kind, of size about one.
fn body(kind: usize, r: &mut Random) -> Vec<Vec3> {
    let mut points = |n: usize, f: &mut dyn FnMut(&mut Random) -> Vec3| -> Vec<Vec3> {
        (0..n).map(|_| f(r)).collect()
    };
    match kind {
        0 => points(30, &mut on_sphere),
        1 => points(4, &mut Random::point),
        2 => points(20, &mut |r| on_sphere(r) * Vec3::new(1.0, 1e-6, 1e-6)),
        3 => points(20, &mut |r| on_sphere(r) * Vec3::new(1.0, 1.0, 1e-6)),
        4 => points(12, &mut |r| r.grid_point(1)),
        // Flat, a segment, a point.
        5 => points(8, &mut |r| Vec3::new(r.grid(1), r.grid(1), 0.0)),
        6 => points(3, &mut |r| Vec3::new(r.grid(1), 0.0, 0.0)),
        7 => points(1, &mut |r| r.grid_point(1)),
        8 => points(20, &mut |r| on_sphere(r) * Vec3::new(1e-6, 1.0, 1e-3)),
        _ => points(10, &mut |r| on_sphere(r) + Vec3::new(40.0, -30.0, 20.0)),
    }
}

const KINDS: usize = 10;

/// A pose of B: apart, overlapping, on a grid, equal, aligned, or nearly on a grid.
fn placement(kind: usize, r: &mut Random) -> Pose {
    match kind {
        0 => {
            let t = on_sphere(r) * (2.0 + r.unit());
            random_pose(r, t)
        }
        1 => {
            let t = on_sphere(r) * r.unit();
            random_pose(r, t)
        }
        2 => Pose::from_translation(r.grid_point(2)).unwrap(),
        3 => Pose::IDENTITY,
        4 => {
            // A rotation about an axis: faces and edges are parallel up to rounding.
            let turn = std::f64::consts::FRAC_PI_8;
            let mut q = [0.0, 0.0, 0.0, turn.cos()];
            q[r.below(3)] = turn.sin();
            Pose::from_quaternion(q, r.grid_point(5) * 0.1).unwrap()
        }
        _ => {
            let s = 10_f64.powi(-(r.below(16) as i32));
            Pose::from_translation(r.grid_point(1) + r.point() * s).unwrap()
        }
    }
}

#[test]
fn bounds_hold_for_all_kinds_of_hulls() {
    let mut r = Random::new(64);
    for round in 0..600 * factor() {
        let (kind_a, kind_b) = (round % KINDS, round / KINDS % KINDS);
        let scale = 10_f64.powi(r.below(13) as i32 - 6);
        let resize = |points: Vec<Vec3>| points.iter().map(|p| *p * scale).collect::<Vec<_>>();
        let a = resize(body(kind_a, &mut r));
        let same = round % 11 == 0;
        let b = if same { a.clone() } else { resize(body(kind_b, &mut r)) };
        let pose = placement(r.below(6), &mut r).to_matrix();
        let pose = Pose::from_matrix(pose.map(|row| [row[0], row[1], row[2], row[3] * scale]));
        let pose = pose.unwrap();
        let placed: Vec<Vec3> = b.iter().map(|p| pose.transform_point(*p)).collect();
        let signed = signed_distance(&a, &placed);
        let size = if kind_a == 9 || kind_b == 9 { 50.0 } else { 1.0 } * scale;
        let (a, b) = (Hull::new(&a).unwrap(), Hull::new(&b).unwrap());
        let what = (round, kind_a, kind_b, scale);
        expect(&a, &b, &pose, [signed, 2e-15 * size, 1e-8 * size], &what);
    }
}

#[test]
fn all_support_searches_give_consistent_bounds() {
    let mut r = Random::new(65);
    for _ in 0..40 * factor() {
        let points: Vec<Vec3> = (0..200).map(|_| on_sphere(&mut r)).collect();
        let hull = Hull::new(&points).unwrap();
        let (table, hierarchy) = (DirectionTable::new(&hull), Hierarchy::new(&hull));
        let pose = {
            let t = on_sphere(&mut r) * (r.unit() * 3.0);
            random_pose(&mut r, t)
        };
        let options = ClosestOptions::default();
        let climbed = closest(&hull, &hull, &pose, &options).answer;
        let rounded = LocalSearch::rounded(&hull).with_table(&table);
        let descent = hierarchy.search_in(&hull);
        for found in [
            closest(&rounded, &rounded, &pose, &options),
            closest(&descent, &descent, &pose, &options),
            closest(&BruteForce(&hull), &rounded, &pose, &options),
        ] {
            let found = found.answer;
            assert!(found.lower <= climbed.upper && climbed.lower <= found.upper);
            assert!(found.upper - found.lower < 1e-11, "{found:?}");
        }
    }
}

#[test]
fn a_cache_saves_iterations_and_keeps_the_bounds() {
    let mut r = Random::new(66);
    let points: Vec<Vec3> = (0..300).map(|_| on_sphere(&mut r)).collect();
    let hull = Hull::new(&points).unwrap();
    let mut cache = BodyCache::default();
    let (mut warm_supports, mut cold_supports) = (0, 0);
    let options = ClosestOptions::default();
    for step in 0..300 {
        // One hull moves through the other.
        let t = Vec3::new(3.0 - 0.02 * f64::from(step), 0.3, 0.1);
        let pose = Pose::from_quaternion([0.1, 0.2, 1e-3 * f64::from(step), 1.0], t).unwrap();
        let warm = closest_points(&hull, &hull, &pose, &options, &mut cache);
        let cold = closest(&hull, &hull, &pose, &options);
        let (near, same) = (warm.answer, cold.answer);
        assert!(near.lower <= same.upper && same.lower <= near.upper, "{warm:?} {cold:?}");
        assert!(near.upper - near.lower < 1e-11, "{warm:?}");
        warm_supports += warm.iterations;
        cold_supports += cold.iterations;
    }
    assert!(2 * warm_supports < cold_supports, "{warm_supports} {cold_supports}");
}

#[test]
fn the_published_iteration_stops_at_a_repeated_vertex() {
    let mut r = Random::new(67);
    let (mut ended, mut early) = (0, 0);
    for _ in 0..400 {
        let points: Vec<Vec3> = (0..20).map(|_| on_sphere(&mut r)).collect();
        let hull = Hull::new(&points).unwrap();
        let t = on_sphere(&mut r) * 2.5;
        let pose = random_pose(&mut r, t);
        let found = closest(&hull, &hull, &pose, Method::published());
        assert!(found.iterations < 30 && found.stop != Stop::Limit, "{found:?}");
        ended += usize::from(matches!(found.stop, Stop::Repeated | Stop::Converged));
        // If a removed vertex is needed again, the iteration stops too early, and its bounds are
        // wide.
        let found = found.answer;
        let better = closest(&hull, &hull, &pose, &ClosestOptions::default()).answer;
        assert!(found.lower <= better.upper && better.lower <= found.upper, "{found:?}");
        assert!(better.upper - better.lower < 1e-12, "{better:?}");
        early += usize::from(found.upper - found.lower > 1e-6);
    }
    assert!(ended >= 390 && early <= 10, "{ended} ended, {early} too early");
}
