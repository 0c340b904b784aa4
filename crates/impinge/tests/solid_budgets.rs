//! Points in solids and checks of pairs within a budget: exact, bounded, and in parts as without
//! interruption.

#![allow(clippy::unwrap_used, reason = "a test that fails should say where")]

use impinge::check::{
    CheckOptions, CheckStage, CheckWithin, PairKnown, PairReport, PairSearch, Relation, check_pair,
    check_pair_within,
};
use impinge::exact::Location;
use impinge::internals::{next_down, next_up};
use impinge::pair::Budget;
use impinge::solid::{LocateSearch, LocationWithin, locate, locate_within};
use impinge::{ErrorKind, Mesh, Pose, Vec3, shapes};
use impinge_oracles::common::Random;

/// Solids with vertices, edges and faces in every special position, at several scales.
fn solids() -> Vec<Mesh> {
    let tilt = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
    let mut solids = vec![
        shapes::cuboid([1.0, 1.5, 2.0]).unwrap(),
        shapes::cuboid_grid([1.0, 1.5, 2.0], [4, 3, 5]).unwrap(),
        shapes::icosphere(1.0, 8).unwrap(),
        shapes::uv_sphere(1.0, 12, 24).unwrap(),
        shapes::star_prism(9, 1.0, 0.7, 1.5).unwrap().transformed(&tilt),
    ];
    for scale in [1e-320, 1e-200, 1e-120, 1e50] {
        solids.push(solids[1].scaled(scale).unwrap());
        solids.push(solids[4].scaled(scale).unwrap());
    }
    solids
}

/// Points in the box of a solid, and its vertices, edges and faces, each moved by few ulps.
fn points(solid: &Mesh, random: &mut Random) -> Vec<Vec3> {
    let bounds = solid.bounds();
    let mut points = Vec::new();
    for k in 0..40 {
        let t = solid.triangle(random.below(solid.triangles().len()));
        let p = match k % 4 {
            0 => {
                let s = Vec3::from_array([0; 3].map(|_: usize| random.unit()));
                bounds.min + (bounds.max - bounds.min) * s
            }
            1 => t[0],
            2 => t[0] * 0.5 + t[1] * 0.5,
            _ => t[0] * 0.25 + t[1] * 0.25 + t[2] * 0.5,
        };
        let axis = random.below(3);
        let mut moved = p;
        moved[axis] = match random.below(4) {
            0 => next_up(moved[axis]),
            1 => next_down(moved[axis]),
            _ => moved[axis],
        };
        points.push(moved);
    }
    points
}

#[test]
fn every_number_of_steps_and_all_parts_agree_with_the_exact_location() {
    let mut random = Random::new(41);
    let (mut search, mut fresh) = (LocateSearch::new(), LocateSearch::new());
    let (mut open, mut boundary, mut inside) = (0, 0, 0);
    for solid in solids() {
        solid.prepare();
        for p in points(&solid, &mut random) {
            let truth = locate(&solid, p).unwrap();
            boundary += usize::from(truth == Location::Boundary);
            inside += usize::from(truth == Location::Inside);
            search.reset();
            for steps in 0.. {
                let mut whole = Budget::steps(steps);
                fresh.reset();
                let found = locate_within(&solid, p, &mut whole, &mut fresh).unwrap();
                assert!(whole.spent() <= steps);
                let mut part = Budget::steps(u64::from(steps > 0));
                let in_parts = locate_within(&solid, p, &mut part, &mut search).unwrap();
                assert_eq!(found, in_parts, "{steps} steps");
                match found {
                    LocationWithin::Final(location) => {
                        assert_eq!(location, truth, "{p}");
                        // Once known, it stays known, without work.
                        let mut none = Budget::steps(0);
                        assert_eq!(search.run(&solid, p, &mut none).unwrap(), found);
                        break;
                    }
                    LocationWithin::Open(known) => {
                        open += 1;
                        assert!(known.open > 0 && known.lower <= 0.0 && known.upper >= 0.0);
                        assert!(found.location().is_none() && !found.is_final());
                        let depth = (p - solid.bounds().min).min(solid.bounds().max - p);
                        assert!(-known.lower >= depth.min_element());
                    }
                }
                assert!(steps < 100_000);
            }
        }
    }
    assert!(open > 2_000 && boundary > 50 && inside > 50, "{open} {boundary} {inside}");
}

#[test]
fn other_points_and_solids_start_anew() {
    let mut random = Random::new(43);
    let solids = solids();
    let mut search = LocateSearch::new();
    let mut decided = 0;
    for _ in 0..600 {
        let solid = &solids[random.below(5)];
        solid.prepare();
        let p = points(solid, &mut random)[0];
        for steps in [2, 5, 1 << 30] {
            let found = locate_within(solid, p, &mut Budget::steps(steps), &mut search).unwrap();
            if let Some(location) = found.location() {
                assert_eq!(location, locate(solid, p).unwrap());
                decided += 1;
            }
        }
    }
    assert!(decided >= 600);
}

#[test]
fn a_mesh_that_is_not_prepared_is_not_examined() {
    let ball = shapes::icosphere(1.0, 6).unwrap();
    let mut search = LocateSearch::new();
    for p in [Vec3::ZERO, Vec3::splat(3.0)] {
        let found = locate_within(&ball, p, &mut Budget::steps(1 << 40), &mut search).unwrap();
        assert!(!found.is_final());
    }
    assert!(!ball.is_prepared());
    let found = locate_within(&ball, Vec3::ZERO, &mut Budget::unlimited(), &mut search).unwrap();
    assert_eq!(found, LocationWithin::Final(Location::Inside));
    ball.prepare();
    assert!(ball.is_prepared());
    let found = locate_within(&ball, Vec3::ZERO, &mut Budget::steps(1 << 40), &mut search);
    assert_eq!(found.unwrap().location(), Some(Location::Inside));
    let open = Mesh::from_triangles(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    open.prepare();
    let error = locate_within(&open, Vec3::ZERO, &mut Budget::steps(9), &mut search);
    assert_eq!(error.unwrap_err().kind(), ErrorKind::NotSolid);
}

/// Pairs of parts in all relations, at several scales, with contacts at the last unit.
fn pairs() -> Vec<(Mesh, Mesh, Pose)> {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation([x, y, z]).unwrap();
    let turned = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
    let flipped = |mesh: &Mesh| {
        let triangles = mesh.triangles().iter().map(|[p, q, r]| [*q, *p, *r]).collect();
        Mesh::from_triangles(mesh.vertices().to_vec(), triangles).unwrap()
    };
    let join = |meshes: &[&Mesh]| {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for mesh in meshes {
            let first = vertices.len() as u32;
            vertices.extend_from_slice(mesh.vertices());
            triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
        }
        Mesh::from_triangles(vertices, triangles).unwrap()
    };
    let cube = shapes::cuboid([2.0, 2.0, 2.0]).unwrap();
    let grid = shapes::cuboid_grid([2.0, 2.0, 2.0], [4, 4, 4]).unwrap();
    let small = shapes::cuboid_grid([1.0, 1.0, 1.0], [2, 2, 2]).unwrap();
    let ball = shapes::icosphere(1.0, 5).unwrap();
    let pebble = shapes::icosphere(0.25, 2).unwrap();
    let (plate, bolt) =
        (shapes::tube(3.0, 1.0, 2.0, 12).unwrap(), shapes::cylinder(1.0, 4.0, 12).unwrap());
    let thick = shapes::cylinder(1.0 + f64::EPSILON, 4.0, 12).unwrap();
    let thin = shapes::cylinder(1.0 - f64::EPSILON, 4.0, 12).unwrap();
    let sheet = shapes::plane([4.0, 4.0], [3, 3]).unwrap();
    // A shell with a cavity, and closed surfaces that are not oriented or share an edge.
    let hollow = join(&[&grid, &flipped(&small)]);
    let reversed = small.triangles().iter().enumerate();
    let reversed =
        reversed.map(|(i, [p, q, r])| if i % 3 == 0 { [*q, *p, *r] } else { [*p, *q, *r] });
    let mixed = Mesh::from_triangles(small.vertices().to_vec(), reversed.collect()).unwrap();
    let two = join(&[&pebble, &pebble.transformed(&at(3.0, 0.0, 0.0)).clone()]);
    let ulp = f64::EPSILON;
    let mut pairs = vec![
        (grid.clone(), grid.clone(), at(2.0, 0.5, 0.5)),
        (grid.clone(), grid.clone(), at(2.0, 2.0, 2.0)),
        (grid.clone(), grid.clone(), at(2.0 - ulp, 0.5, 0.25)),
        (grid.clone(), grid.clone(), at(2.0 + 2.0 * ulp, 0.5, 0.25)),
        (grid.clone(), grid.clone(), at(1.0, 0.0, 0.0)),
        (grid.clone(), grid.clone(), Pose::IDENTITY),
        (cube.clone(), grid.clone(), Pose::IDENTITY),
        (grid.clone(), small.clone(), at(0.5, 0.5, 0.5)),
        (small.clone(), grid.clone(), Pose::IDENTITY),
        (hollow.clone(), small.clone(), Pose::IDENTITY),
        (hollow.clone(), pebble.clone(), Pose::IDENTITY),
        (hollow, pebble.clone(), at(0.625, 0.625, 0.625)),
        (plate.clone(), bolt.clone(), Pose::IDENTITY),
        (plate.clone(), thick, Pose::IDENTITY),
        (plate.clone(), thin, Pose::IDENTITY),
        (plate, bolt, at(0.0, 0.0, 3.0)),
        (ball.clone(), two, Pose::IDENTITY),
        (ball.clone(), ball.clone(), at(3.0, 0.1, 0.2)),
        (ball.clone(), ball.clone(), at(2.0, 0.0, 0.0)),
        (ball.clone(), ball.clone(), turned),
        (sheet.clone(), grid.clone(), at(0.0, 0.0, 1.0)),
        (sheet.clone(), grid, at(0.0, 0.0, 0.5)),
        (sheet.clone(), sheet.clone(), at(0.5, 0.25, 0.0)),
        (sheet.clone(), sheet, at(0.0, 0.0, 2.0)),
        (mixed.clone(), small.clone(), at(0.5, 0.5, 0.0)),
        (mixed, cube, Pose::IDENTITY),
        (ball, pebble, at(1e6, 0.0, 0.0)),
    ];
    // Contacts and overlaps where products underflow, and at large scales.
    for k in [0, 2, 4, 7, 8, 12] {
        for scale in [f64::from_bits(64), 2.0_f64.powi(-400), 2.0_f64.powi(166)] {
            let (a, b, pose) = &pairs[k];
            let moved = Pose::from_translation(pose.translation() * scale).unwrap();
            pairs.push((a.scaled(scale).unwrap(), b.scaled(scale).unwrap(), moved));
        }
    }
    pairs
}

fn options() -> [CheckOptions; 6] {
    let plain = CheckOptions::default();
    [
        plain,
        plain.keep_hits(true).distance(true),
        plain.clearance(0.25),
        plain.clearance(1.5).distance(true),
        plain.relation_only(true),
        plain.relation_only(true).clearance(1.5),
    ]
}

/// Checks what is known of a check that is not finished. `all`: the report counts all hits.
fn check_known(known: &PairKnown, last: Option<&PairKnown>, truth: &PairReport, all: bool) {
    assert!(known.relations.contains(truth.relation), "{known:?} {truth:?}");
    assert!(known.bounds.open > 0 && known.bounds.open_depth >= 0.0, "{known:?}");
    assert!(!all || known.hit_count <= truth.hit_count, "{known:?} {truth:?}");
    if known.hit_count > 0 {
        assert!(truth.relation.is_collision() && known.relations.are_collisions());
    }
    if let Some(d) = truth.distance {
        assert!(known.bounds.lower <= d.upper && d.lower <= known.bounds.upper, "{known:?} {d:?}");
    }
    if let Some(last) = last {
        assert!(known.relations.iter().all(|r| last.relations.contains(r)), "{last:?} {known:?}");
        assert!(known.bounds.lower >= last.bounds.lower && known.bounds.upper <= last.bounds.upper);
        assert!(known.bounds.open_depth <= last.bounds.open_depth, "{last:?} {known:?}");
        assert!(known.stage >= last.stage && known.hit_count >= last.hit_count);
    }
}

fn check_same(found: &PairReport, truth: &PairReport, options: &CheckOptions) {
    let mut found = found.clone();
    if let (Some(d), Some(expected)) = (found.distance, truth.distance) {
        // Far apart, a search within a budget ends when the bounds differ by rounding only.
        if expected.lower > 1e5 {
            assert!(d.lower <= expected.upper && expected.lower <= d.upper, "{d:?} {expected:?}");
            assert!(d.upper - d.lower <= 1e-12 * d.upper, "{d:?}");
            found.distance = truth.distance;
        }
    }
    if options.relation_only {
        assert_eq!((found.relation, found.distance), (truth.relation, truth.distance));
        assert_eq!(found.hit_count > 0, truth.hit_count > 0);
        assert_eq!(found.point.is_some(), truth.point.is_some());
    } else {
        assert_eq!(found, *truth);
    }
}

#[test]
fn checks_in_parts_give_the_report_without_a_budget() {
    let (mut search, mut fresh) = (PairSearch::new(), PairSearch::new());
    let mut seen = std::collections::BTreeMap::new();
    let (mut parts, mut random) = (0, Random::new(3));
    for (k, (a, b, pose)) in pairs().iter().enumerate() {
        a.prepare();
        b.prepare();
        // Exact tests at extreme scales take long: they do not depend on the options.
        for options in options().into_iter().step_by(if k < 27 { 1 } else { 4 }) {
            let truth = check_pair(a, b, pose, &options);
            *seen.entry(truth.relation).or_insert(0) += 1;
            let mut whole = Budget::steps(1 << 50);
            fresh.reset();
            let found = check_pair_within(a, b, pose, &options, &mut whole, &mut fresh);
            let found = found.report().expect("without a limit").clone();
            check_same(&found, &truth, &options);
            let all = whole.spent();
            // Once it is known, it stays known, without work.
            let again = fresh.run(a, b, pose, &options, &mut Budget::steps(0));
            assert_eq!(again.report(), Some(&found));
            let mut unlimited = Budget::unlimited();
            fresh.reset();
            let report = fresh.run(a, b, pose, &options, &mut unlimited);
            check_same(report.report().expect("unlimited"), &truth, &options);
            // In parts: the same units, and the same answers as from the start.
            search.reset();
            let step = 1 + random.below(1 + all as usize / 12) as u64;
            let (mut spent, mut last) = (0, None);
            loop {
                let mut part = Budget::steps(step);
                let answer = check_pair_within(a, b, pose, &options, &mut part, &mut search);
                spent += part.spent();
                parts += 1;
                if parts % 3 == 0 {
                    fresh.reset();
                    let mut budget = Budget::steps(spent);
                    assert_eq!(fresh.run(a, b, pose, &options, &mut budget), answer, "{k} {spent}");
                }
                match answer {
                    CheckWithin::Final(report) => {
                        assert_eq!(report, &found, "pair {k} {options:?}");
                        break;
                    }
                    CheckWithin::Open(known) => {
                        check_known(&known, last.as_ref(), &truth, !options.relation_only);
                        last = Some(known);
                    }
                }
                assert!(spent < all, "pair {k}: {spent} of {all}, {last:?}");
            }
            assert_eq!(spent, all, "pair {k} {options:?}");
        }
    }
    assert!(parts > 1_000 && seen.len() == 7, "{parts} {seen:?}");
}

#[test]
fn parts_that_are_not_prepared_are_compared_by_their_boxes() {
    let (ball, ring) =
        (shapes::icosphere(1.0, 5).unwrap(), shapes::torus(1.0, 0.4, 24, 12).unwrap());
    let mut search = PairSearch::new();
    let plain = CheckOptions::default();
    let away = Pose::from_translation([5.0, 0.0, 0.0]).unwrap();
    let mut check = |pose: &Pose, options: CheckOptions| {
        let mut budget = Budget::steps(1 << 40);
        match check_pair_within(&ball, &ring, pose, &options, &mut budget, &mut search) {
            CheckWithin::Final(report) => Ok(report.relation),
            CheckWithin::Open(known) => Err(known),
        }
    };
    let known = check(&Pose::IDENTITY, plain).unwrap_err();
    assert_eq!(known.stage, CheckStage::Boxes);
    assert!(known.relations.contains(Relation::Crossing) && known.bounds.upper < 6.0);
    assert_eq!(check(&away, plain), Ok(Relation::Clear));
    assert_eq!(check(&away, plain.clearance(1.0)), Ok(Relation::Clear));
    let known = check(&away, plain.clearance(3.0)).unwrap_err();
    assert!(!known.relations.are_collisions() && known.bounds.lower > 2.0);
    assert!(check(&away, plain.distance(true)).is_err());
    assert!(!ball.is_prepared() && !ring.is_prepared());
    let mut unlimited = Budget::unlimited();
    let found = search.run(&ball, &ring, &Pose::IDENTITY, &plain, &mut unlimited);
    assert_eq!(found.report(), Some(&check_pair(&ball, &ring, &Pose::IDENTITY, &plain)));
}

#[test]
fn a_check_of_another_pair_starts_anew() {
    let mut random = Random::new(8);
    let pairs = pairs();
    let mut search = PairSearch::new();
    for _ in 0..300 {
        let (a, b, pose) = &pairs[random.below(27)];
        a.prepare();
        b.prepare();
        let options = options()[random.below(6)];
        let truth = check_pair(a, b, pose, &options);
        for steps in [5, 60, 1 << 50] {
            let answer = search.run(a, b, pose, &options, &mut Budget::steps(steps));
            match answer {
                CheckWithin::Final(report) => check_same(report, &truth, &options),
                CheckWithin::Open(known) => {
                    check_known(&known, None, &truth, !options.relation_only);
                }
            }
        }
    }
}
