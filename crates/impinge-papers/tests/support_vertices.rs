//! Searches for the vertex furthest along a direction, compared with an exact evaluation of all
//! vertices.
//!
//! `IMPINGE_TEST_FACTOR` multiplies the number of cases.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use impinge::Vec3;
use impinge::convex::Hull;
use impinge::internals::HullInternals as _;
use impinge::internals::support::Climb;
use impinge_oracles::common::{Random, count_from};
use impinge_papers::leung::{
    BruteForce, Certainty, DirectionTable, Hierarchy, LocalSearch, VertexSearch,
};

fn factor() -> usize {
    count_from("IMPINGE_TEST_FACTOR", 1)
}

fn on_sphere(r: &mut Random) -> Vec3 {
    loop {
        let p = r.point();
        if (0.01..=1.0).contains(&p.length_squared()) {
            return p.normalize();
        }
    }
}

/// Hulls of every kind: name and points.
fn bodies(r: &mut Random) -> Vec<(&'static str, Vec<Vec3>)> {
    let mut many = |n: usize, f: &mut dyn FnMut(&mut Random) -> Vec3| -> Vec<Vec3> {
        (0..n).map(|_| f(r)).collect()
    };
    let ring = |n: usize| {
        (0..n).map(move |i| {
            let (y, x) = (i as f64 * 0.1).sin_cos();
            Vec3::new(x, y, 0.0)
        })
    };
    vec![
        ("cube points", many(300, &mut Random::point)),
        ("sphere", many(500, &mut on_sphere)),
        ("small sphere", many(20, &mut on_sphere)),
        ("needle", many(200, &mut |r| on_sphere(r) * Vec3::new(1.0, 1e-7, 1e-9))),
        ("plate", many(300, &mut |r| on_sphere(r) * Vec3::new(1.0, 1.0, 1e-14))),
        ("grid", many(200, &mut |r| r.grid_point(3))),
        ("fine grid", many(400, &mut |r| r.grid_point(1000))),
        ("far away", many(100, &mut |r| Vec3::splat(1e9) + r.point() * 1e-4)),
        ("tiny", many(100, &mut |r| r.point() * 1e-200)),
        ("cone", ring(60).chain([Vec3::Z, Vec3::Z * -0.5]).collect()),
        ("polygon", ring(40).collect()),
        ("square", many(60, &mut |r| Vec3::new(r.grid(5), r.grid(5), 1.0))),
        ("segment", many(9, &mut |r| Vec3::new(3.0, -2.0, 5.0) * r.grid(6))),
        ("point", vec![Vec3::new(1.0, 2.0, 3.0); 3]),
    ]
}

/// Directions of every kind for a hull.
fn directions(hull: &Hull, r: &mut Random) -> Vec<Vec3> {
    let mut all: Vec<Vec3> = (0..40).map(|_| on_sphere(r)).collect();
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    all.extend(axes.into_iter().chain(axes.map(|a| -a)));
    all.extend([Vec3::ZERO, Vec3::ONE, Vec3::new(1e300, -1e290, 0.0), Vec3::splat(-1e-300)]);
    let p = |i: u32| hull.vertices()[i as usize];
    for face in hull.faces().step_by(1 + hull.face_count() / 40) {
        // Normal to a face, exactly (grids) or up to rounding.
        let normal = (p(face[1]) - p(face[0])).cross(p(face[2]) - p(face[0]));
        all.extend([normal, -normal, normal + r.point() * normal.length() * 1e-15]);
    }
    for _ in 0..20 {
        // Perpendicular to the line through two vertices.
        let n = hull.vertices().len();
        let (a, b) = (p(r.below(n) as u32), p(r.below(n) as u32));
        all.push((b - a).cross(r.point()));
        all.push((b - a).cross(Vec3::new(r.grid(3), r.grid(3), r.grid(3))));
    }
    all
}

fn check(name: &str, search: &impl VertexSearch, r: &mut Random, climb: &mut Climb) {
    assert_eq!(search.certainty(), Certainty::Exact);
    let hull = search.hull();
    let mut last = r.below(hull.vertices().len()) as u32;
    for d in directions(hull, r) {
        for start in [last, search.start(d), r.below(hull.vertices().len()) as u32] {
            let found = search.search(d, start, climb);
            hull.validate_support(d, found).unwrap_or_else(|e| panic!("{name}: {e}"));
            last = found;
        }
    }
}

#[test]
fn every_search_finds_a_furthest_vertex() {
    let mut r = Random::new(31);
    let climb = &mut Climb::default();
    for _ in 0..factor() {
        for (name, points) in bodies(&mut r) {
            let hull = Hull::new(&points).unwrap();
            let (table, hierarchy) = (DirectionTable::new(&hull), Hierarchy::new(&hull));
            check(name, &BruteForce(&hull), &mut r, climb);
            check(name, &LocalSearch::exact(&hull), &mut r, climb);
            check(name, &LocalSearch::exact(&hull).with_table(&table), &mut r, climb);
            check(name, &hierarchy.search_in(&hull), &mut r, climb);
        }
    }
}

#[test]
fn an_exact_climb_confirms_a_rounded_one() {
    let mut r = Random::new(32);
    let climb = &mut Climb::default();
    for _ in 0..factor() {
        for (name, points) in bodies(&mut r) {
            let hull = Hull::new(&points).unwrap();
            let search = LocalSearch::rounded(&hull);
            assert_eq!(search.certainty(), Certainty::Rounded);
            for d in directions(&hull, &mut r) {
                let start = r.below(hull.vertices().len()) as u32;
                let rough = search.search(d, start, climb);
                let found = hull.climb(d, rough, climb);
                hull.validate_support(d, found).unwrap_or_else(|e| panic!("{name}: {e}"));
                // On a round body around the origin the error of the rounded climb is at the level
                // of rounding.
                if name == "sphere" && d.length_squared().is_normal() {
                    let [p, q] = [rough, found].map(|v| hull.vertices()[v as usize]);
                    assert!((q - p).dot(d.normalize()) < 1e-14, "{name}");
                }
            }
        }
    }
}

#[test]
fn a_rounded_climb_can_stop_short() {
    // A direction along which the rounded products of the start and all its neighbours are equal:
    // the term 1e20 absorbs the others.
    let points = [
        Vec3::new(1e4, 0.0, 0.0),
        Vec3::new(1e4, 1.0, 0.0),
        Vec3::new(1e4, 2.0, 1.0),
        Vec3::new(1e4, 0.0, 3.0),
    ];
    let hull = Hull::new(&points).unwrap();
    let climb = &mut Climb::default();
    let d = Vec3::new(1e16, 1.0, 1.0);
    let start = hull.sources().iter().position(|s| *s == 0).unwrap() as u32;
    let rough = hull.climb_rounded(d, start, climb);
    assert_eq!(rough, start);
    hull.validate_support(d, rough).unwrap_err();
    hull.validate_support(d, hull.climb(d, rough, climb)).unwrap();
}

/// The mean number of vertices evaluated per search.
fn mean_evaluations(search: &impl VertexSearch, r: &mut Random) -> f64 {
    let climb = &mut Climb::default();
    for _ in 0..500 {
        let d = on_sphere(r);
        search.search(d, search.start(d), climb);
    }
    climb.evaluated() as f64 / 500.0
}

#[test]
fn the_hierarchy_grows_with_the_logarithm() {
    let mut r = Random::new(33);
    let sphere = |n: usize, r: &mut Random| {
        Hull::new(&(0..n).map(|_| on_sphere(r)).collect::<Vec<_>>()).unwrap()
    };
    let mut evaluations = Vec::new();
    for n in [100, 1_000, 10_000] {
        let hull = sphere(n, &mut r);
        let hierarchy = Hierarchy::new(&hull);
        assert!(hierarchy.levels() <= 6 + 4 * n.ilog2() as usize, "{}", hierarchy.levels());
        assert!(hierarchy.heap_bytes() < 64 * n, "{} bytes", hierarchy.heap_bytes());
        evaluations.push(mean_evaluations(&hierarchy.search_in(&hull), &mut r));
    }
    // Each factor of ten in the number of vertices adds about the same number of evaluations: a
    // logarithm.
    let steps = [evaluations[1] - evaluations[0], evaluations[2] - evaluations[1]];
    assert!(evaluations[2] < 100.0 && steps[1] < 1.5 * steps[0], "{evaluations:?}");
}

#[test]
fn coherent_local_search_is_nearly_constant() {
    let mut r = Random::new(34);
    let mut evaluations = Vec::new();
    for n in [50, 500, 5_000] {
        let points: Vec<_> = (0..n).map(|_| on_sphere(&mut r)).collect();
        let hull = Hull::new(&points).unwrap();
        let search = LocalSearch::exact(&hull);
        let climb = &mut Climb::default();
        let mut d = on_sphere(&mut r);
        let mut last = search.search(d, 0, climb);
        let before = climb.evaluated();
        for _ in 0..1000 {
            d = (d + r.point() * 0.01).normalize();
            last = search.search(d, last, climb);
        }
        evaluations.push((climb.evaluated() - before) as f64 / 1000.0);
    }
    // Most searches evaluate a vertex and its neighbours: with 100 times the vertices there are
    // less than twice the evaluations.
    assert!(evaluations[2] < 2.0 * evaluations[0] && evaluations[2] < 15.0, "{evaluations:?}");
}

#[test]
fn the_table_shortens_the_climb() {
    let mut r = Random::new(35);
    let points: Vec<_> = (0..2000).map(|_| on_sphere(&mut r)).collect();
    let hull = Hull::new(&points).unwrap();
    let table = DirectionTable::new(&hull);
    let cold = mean_evaluations(&LocalSearch::exact(&hull), &mut r);
    let warm = mean_evaluations(&LocalSearch::exact(&hull).with_table(&table), &mut r);
    assert!(warm < 0.4 * cold, "{warm} with the table, {cold} without");
    assert_eq!(LocalSearch::exact(&hull).with_table(&table).extra_bytes(), 512);
}
