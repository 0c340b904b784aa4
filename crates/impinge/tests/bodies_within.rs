//! Queries of hulls and shapes within a budget: they end with the answer of the query without one,
//! however they are interrupted, bounds hold and never loosen, and no tree is built.

#![allow(clippy::unwrap_used, reason = "a test that fails should say where")]

use std::fmt::Debug;
use std::sync::Arc;

use impinge::convex::{
    self, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Hull, HullContactSearch,
    HullDistanceSearch, HullSearch, ProofSearch, Sphere,
};
use impinge::pair::{Budget, DistanceWithin};
use impinge::shape::{self, Shape, ShapeContactSearch, ShapeDistanceSearch, ShapeSearch};
use impinge::{Bounds, Pose, Vec3, Verdict, Within, shapes};
use impinge_oracles::common::Random;
use impinge_oracles::convex_families::{PLACEMENTS, pair};
use impinge_oracles::meshes::pose;

/// An answer of a query within a budget.
#[derive(Debug, PartialEq)]
struct Part {
    is_final: bool,
    /// Bounds of the signed distance; `None` for a decided verdict.
    bounds: Option<[f64; 2]>,
    /// The whole answer.
    text: String,
}

impl Part {
    fn new(is_final: bool, bounds: impl Into<Option<[f64; 2]>>, answer: &impl Debug) -> Self {
        Self { is_final, bounds: bounds.into(), text: format!("{answer:?}") }
    }
}

/// A query with its own state: answers with a number of steps.
type Query<'a> = Box<dyn FnMut(&mut Budget<'_>) -> Part + 'a>;

/// Steps of the parts, in turn.
const STEPS: [u64; 9] = [0, 1, 0, 3, 1, 20, 7, 150, 40];

/// Runs a query in parts. All bounds must hold, so that they overlap with those of `truth`; they
/// must not become looser; and a query without interruption must know the same. Returns the number
/// of units until the end, and the answer without a limit: with a limit of steps the search uses
/// other kernels, so that the evidence may differ.
fn check(name: &str, truth: [f64; 2], new: &dyn Fn() -> Query<'static>) -> (u64, Part) {
    let (mut query, mut spent) = (new(), 0);
    let mut last = [f64::NEG_INFINITY, f64::INFINITY];
    for part in 0..1_000_000 {
        let steps = STEPS[part % STEPS.len()];
        let mut budget = Budget::steps(steps);
        let found = query(&mut budget);
        spent += steps;
        assert!(budget.spent() <= steps);
        if let Some([lower, upper]) = found.bounds {
            let overlap = lower <= truth[1] && truth[0] <= upper;
            assert!(overlap, "{name}: {found:?} excludes {truth:?}");
            let is_tighter = last[0] <= lower && upper <= last[1];
            assert!(is_tighter, "{name}, part {part}: {last:?}, then {found:?}");
            last = [lower, upper];
        }
        if found.is_final || part % 11 == 0 {
            let whole = new()(&mut Budget::steps(spent));
            assert_eq!(found, whole, "{name}, {part} parts");
        }
        if found.is_final {
            assert_eq!(query(&mut Budget::steps(0)), found, "{name}: final answers stay");
            let unlimited = new()(&mut Budget::unlimited());
            let kind = |part: &Part| part.text.split(['(', ' ']).next().map(str::to_owned);
            assert!(unlimited.is_final && kind(&unlimited) == kind(&found), "{name}: {found:?}");
            return (spent, unlimited);
        }
    }
    panic!("{name}: no end");
}

fn bounds_of_verdict<S, W>(verdict: &Verdict<S, W, Bounds>) -> Option<[f64; 2]> {
    let Verdict::Undecided(known) = verdict else { return None };
    assert!(known.lower <= 0.0 && 0.0 <= known.upper && known.open > 0, "{known:?}");
    assert!(known.open_depth == 0.0 - known.lower || known.open > 1, "{known:?}");
    Some([known.lower, known.upper])
}

/// Checks all queries of two hulls. Returns the units of the longest.
fn check_hulls(name: &str, a: &Hull, b: &Hull, pose: &Pose) -> u64 {
    let (contact, verdict) = convex::contact(a, b, pose);
    let distance = convex::distance(a, b, pose);
    let truth = [contact.lower, contact.upper];
    let hulls = Arc::new((a.clone(), b.clone(), *pose));
    let (verdict_units, found) = check(name, truth, &|| {
        let (hulls, mut search) = (Arc::clone(&hulls), HullSearch::new());
        Box::new(move |budget| {
            let (a, b, pose) = &*hulls;
            let found = convex::intersects_within(a, b, pose, budget, &mut search);
            Part::new(!found.is_undecided(), bounds_of_verdict(&found), &found)
        })
    });
    assert_eq!(found.text, format!("{:?}", convex::intersects(a, b, pose)), "{name}");
    let truth = [distance.lower, distance.upper];
    let (distance_units, found) = check(name, truth, &|| {
        let (hulls, mut search) = (Arc::clone(&hulls), HullDistanceSearch::new());
        Box::new(move |budget| {
            let (a, b, pose) = &*hulls;
            let found = convex::distance_within(a, b, pose, budget, &mut search);
            let d = found.get();
            Part::new(found.is_final(), [d.lower, d.upper], &d)
        })
    });
    assert_eq!(found.text, format!("{distance:?}"), "{name}");
    let truth = [contact.lower, contact.upper];
    let (contact_units, found) = check(name, truth, &|| {
        let (hulls, mut search) = (Arc::clone(&hulls), HullContactSearch::new());
        Box::new(move |budget| {
            let (a, b, pose) = &*hulls;
            let found = convex::contact_within(a, b, pose, budget, &mut search);
            let (contact, verdict) = found.get();
            Part::new(found.is_final(), [contact.lower, contact.upper], &(contact, verdict))
        })
    });
    // The boxes may give a better bound of the depth.
    let [lower, upper] = found.bounds.unwrap();
    assert!(lower >= contact.lower && upper <= contact.upper, "{name}: {found:?}");
    assert!(found.text.ends_with(&format!("{verdict:?})")), "{name}: {found:?}");
    // The proof, in parts.
    let moved: Vec<Vec3> = b.vertices().iter().map(|p| pose.transform_point(*p)).collect();
    assert!(verdict.verify(a.vertices(), &moved), "{name}");
    let (mut search, mut parts) = (ProofSearch::new(), 0);
    let is_valid = loop {
        parts += 1;
        if let Some(found) = search.run(&verdict, a, b, pose, &mut Budget::steps(3)) {
            break found;
        }
    };
    assert!(is_valid && parts < 1_000_000, "{name}");
    assert_eq!(search.run(&verdict, a, b, pose, &mut Budget::steps(0)), Some(true));
    let swapped = verdict.swapped();
    let found = search.run(&swapped, a, b, pose, &mut Budget::unlimited());
    assert_eq!(found, Some(swapped.verify(a.vertices(), &moved)), "{name}");
    verdict_units.max(distance_units).max(contact_units)
}

/// All placements of the exact decision: touching, within ulps, coplanar, denormal, huge, mixed.
#[test]
fn hulls_at_decision_boundaries() {
    let mut longest = 0;
    for seed in 0..PLACEMENTS * 6 {
        let found = pair(seed, 12);
        let (Ok(a), Ok(b)) = (Hull::new(&found.a), Hull::new(&found.b)) else { continue };
        longest = longest.max(check_hulls(&found.name(), &a, &b, &found.pose));
    }
    assert!(longest > 100, "{longest}");
}

fn ball(random: &mut Random, points: usize, scale: f64) -> Hull {
    let points: Vec<_> = (0..points).map(|_| random.direction() * scale).collect();
    Hull::new(&points).unwrap()
}

/// Large hulls that touch, and coordinates whose integers have more than a thousand bits.
#[test]
fn large_hulls_and_extreme_exponents() {
    let mut random = Random::new(71);
    let large = ball(&mut random, 3000, 1.0);
    let corner = |k: u32| Vec3::from([k & 1, k >> 1 & 1, k >> 2].map(f64::from));
    let cube = |scale: f64, at: Vec3| {
        Hull::new(&(0..8).map(|k| corner(k) * scale + at).collect::<Vec<_>>()).unwrap()
    };
    let top = large.vertices()[large.support(Vec3::X) as usize];
    let third = cube(1.0 / 3.0, Vec3::ZERO);
    // A prism whose hundreds of vertices lie in two planes.
    let round = |z: f64| {
        (0..300).map(move |k| {
            let (s, c) = (f64::from(k) * 0.021).sin_cos();
            Vec3::new(s, c, z)
        })
    };
    let prism = Hull::new(&round(0.0).chain(round(1.0)).collect::<Vec<_>>()).unwrap();
    let at = |p: Vec3| Pose::from_translation(p).unwrap();
    let tiny = f64::from_bits(1);
    for (name, a, b, pose) in [
        ("vertex on face", &large, &third, at(top - Vec3::new(0.0, 0.1, 0.1))),
        ("the same hull", &large, &large, Pose::IDENTITY),
        ("vertex on vertex", &large, &large, at(top * 2.0)),
        ("cube on cube", &third, &third, at(Vec3::X / 3.0)),
        ("cube on cube, shifted", &third, &third, at(Vec3::new(1.0 / 3.0, 1e-300, 0.0))),
        ("apart by an ulp", &third, &third, at(Vec3::X * (1.0 / 3.0 + f64::EPSILON))),
        ("prism on prism", &prism, &prism, at(Vec3::Z)),
        ("prism beyond prism", &prism, &prism, at(Vec3::new(0.3, 0.1, 1.0 + f64::EPSILON))),
        (
            "denormal",
            &cube(8.0 * tiny, Vec3::ZERO),
            &cube(tiny, Vec3::ZERO),
            at(Vec3::X * tiny * 8.0),
        ),
        ("huge", &cube(1e50, Vec3::ZERO), &cube(1e49, Vec3::ZERO), at(Vec3::X * 1e50)),
        ("mixed", &cube(1e59, Vec3::ZERO), &cube(tiny, Vec3::splat(tiny)), at(Vec3::Y * 3e58)),
        ("mixed, apart", &cube(1e59, Vec3::X * 1e-300), &cube(tiny, Vec3::ZERO), Pose::IDENTITY),
        ("far away", &third, &third, at(Vec3::X * 1e15)),
    ] {
        check_hulls(name, a, b, &pose);
        let turned = Pose::from_quaternion([0.1, 0.7, 0.2, 0.4], pose.translation()).unwrap();
        check_hulls(&format!("{name}, turned"), a, b, &turned);
    }
}

fn kinds() -> Vec<(&'static str, Shape)> {
    let mut random = Random::new(5);
    let mesh = |name: &'static str, shape: Shape| {
        shape.prepare();
        (name, shape)
    };
    let hull = Hull::new(&(0..60).map(|_| random.point()).collect::<Vec<_>>()).unwrap();
    vec![
        ("ball", Sphere::new(0.75).unwrap().into()),
        ("capsule", Capsule::new(1.0, 0.25).unwrap().into()),
        ("box", Cuboid::new([1.0, 1.0, 1.0]).unwrap().into()),
        ("rounded", Shape::from(Cuboid::new([0.5, 1.0, 1.5]).unwrap()).rounded(0.25).unwrap()),
        ("hull", hull.into()),
        ("cylinder", Cylinder::new(1.0, 0.5).unwrap().into()),
        ("cone", Cone::new(1.0, 0.5).unwrap().into()),
        ("ellipsoid", Ellipsoid::new([0.5, 0.75, 1.0]).unwrap().into()),
        ("half-space", HalfSpace::new([0.0, 0.0, 1.0], -0.5).unwrap().into()),
        mesh("torus", shapes::torus(1.0, 0.4, 16, 8).unwrap().into()),
        mesh("solid", Shape::solid(shapes::icosphere(1.5, 3).unwrap()).unwrap()),
        mesh("small mesh", Shape::solid(shapes::cuboid([1.0, 1.0, 1.0]).unwrap()).unwrap()),
    ]
}

/// Checks the queries of two shapes. Returns the units of the longest.
fn check_shapes(name: &str, a: &Shape, b: &Shape, pose: &Pose) -> u64 {
    let verdict = shape::intersects(a, b, pose);
    let distance = shape::distance(a, b, pose);
    let contact = shape::contact(a, b, pose);
    let is_mesh = a.mesh().is_some() || b.mesh().is_some();
    let is_curved = a.kind().is_curved() || b.kind().is_curved();
    let shapes = Arc::new((a.clone(), b.clone(), *pose));
    let truth = match (&contact, &distance) {
        (Some(contact), _) => [contact.lower, contact.upper],
        (None, Some(distance)) if distance.lower > 0.0 => [distance.lower, distance.upper],
        // A depth is not defined: only that it is not positive.
        _ => [f64::NEG_INFINITY, 0.0],
    };
    let (mut units, found) = check(name, truth, &|| {
        let (shapes, mut search) = (Arc::clone(&shapes), ShapeSearch::new());
        Box::new(move |budget| {
            let (a, b, pose) = &*shapes;
            let found = shape::intersects_within(a, b, pose, budget, &mut search);
            Part::new(search.is_finished(), bounds_of_verdict(&found), &found)
        })
    });
    if is_mesh {
        let mut search = ShapeSearch::new();
        let found = search.run(a, b, pose, &mut Budget::unlimited());
        assert_eq!(found.is_intersecting(), verdict.is_intersecting(), "{name}: {found:?}");
        assert_eq!(found.is_separated(), verdict.is_separated(), "{name}: {found:?}");
    } else if verdict.is_undecided() {
        assert!(found.text.starts_with("Undecided"), "{name}: {found:?}");
    } else {
        assert_eq!(found.text, format!("{verdict:?}"), "{name}");
    }
    let truth = distance.map_or([0.0, f64::INFINITY], |d| [d.lower, d.upper]);
    let (more, found) = check(name, truth, &|| {
        let (shapes, mut search) = (Arc::clone(&shapes), ShapeDistanceSearch::new());
        Box::new(move |budget| {
            let (a, b, pose) = &*shapes;
            let found = shape::distance_within(a, b, pose, budget, &mut search);
            let bounds = found.distance().map(|d| [d.lower, d.upper]);
            Part::new(found.is_final(), bounds, &found)
        })
    });
    units = units.max(more);
    match distance {
        None => assert_eq!(found.text, "Empty"),
        Some(d) if !is_mesh && !is_curved => {
            assert_eq!(found.text, format!("Final({d:?})"), "{name}");
        }
        Some(d) => {
            let [lower, upper] = found.bounds.unwrap();
            assert_eq!(upper == 0.0, d.upper == 0.0, "{name}");
            assert!(upper - lower <= (d.upper - d.lower) * 2.0 + 1e-11, "{name}");
        }
    }
    let Some(contact) = contact else {
        let mut search = ShapeContactSearch::new();
        assert_eq!(search.run(a, b, pose, &mut Budget::unlimited()), None, "{name}");
        return units;
    };
    let (more, found) = check(name, [contact.lower, contact.upper], &|| {
        let (shapes, mut search) = (Arc::clone(&shapes), ShapeContactSearch::new());
        Box::new(move |budget| {
            let (a, b, pose) = &*shapes;
            let found = shape::contact_within(a, b, pose, budget, &mut search).unwrap();
            let contact = found.get();
            Part::new(found.is_final(), [contact.lower, contact.upper], &contact)
        })
    });
    let final_contact = shape::contact(a, b, pose).unwrap();
    let [lower, upper] = found.bounds.unwrap();
    assert!(lower >= final_contact.lower && upper <= final_contact.upper, "{name}");
    units.max(more)
}

#[test]
fn shapes_of_all_kinds() {
    let mut random = Random::new(17);
    let kinds = kinds();
    let mut longest = 0;
    for (name_a, a) in &kinds {
        for (name_b, b) in &kinds {
            // Deep, at a random pose, touching, just apart, far away.
            let poses = [
                Pose::IDENTITY,
                pose(&mut random, 1.5),
                Pose::from_translation([1.0, 0.25, 0.0]).unwrap(),
                Pose::from_translation([1.25, 0.0, 0.0]).unwrap(),
                Pose::from_translation([0.0, 0.0, 1.0 + f64::EPSILON]).unwrap(),
                pose(&mut random, 8.0),
            ];
            for (k, pose) in poses.iter().enumerate() {
                let name = format!("{name_a}, {name_b}, pose {k}");
                longest = longest.max(check_shapes(&name, a, b, pose));
            }
        }
    }
    assert!(longest > 100, "{longest}");
}

/// Margins that touch exactly: a ball of radius 5 meets the point (3, 4, 0).
#[test]
fn margins_that_touch() {
    let ball = |radius: f64| Shape::from(Sphere::new(radius).unwrap());
    let pose = Pose::from_translation([3.0, 4.0, 0.0]).unwrap();
    let radius = [5.0, 5.0 - 1e-15, 5.0 + 1e-15];
    for (radius, meets) in radius.into_iter().zip([true, false, true]) {
        check_shapes("balls", &ball(radius), &ball(0.0), &pose);
        let mut search = ShapeSearch::new();
        let found = search.run(&ball(radius), &ball(0.0), &pose, &mut Budget::steps(1 << 40));
        assert_eq!(found.is_intersecting(), meets);
    }
}

#[test]
fn no_query_builds_a_tree() {
    let ring = Shape::from(shapes::torus(1.0, 0.4, 24, 12).unwrap());
    let solid = Shape::solid(shapes::icosphere(1.0, 5).unwrap()).unwrap();
    let bodies: [Shape; 3] = [
        Cuboid::new([0.5, 0.5, 0.5]).unwrap().into(),
        Cylinder::new(0.5, 0.25).unwrap().into(),
        HalfSpace::new([0.0, 0.0, 1.0], -0.5).unwrap().into(),
    ];
    for mesh in [&ring, &solid] {
        for body in &bodies {
            for (a, b) in [(mesh, body), (body, mesh)] {
                for x in [0.0, 0.3, 9.0] {
                    let pose = Pose::from_translation([x, 0.2, x * -0.5]).unwrap();
                    let mut verdicts = ShapeSearch::new();
                    let found = verdicts.run(a, b, &pose, &mut Budget::steps(1 << 40));
                    let copy = |shape: &Shape| match shape.mesh() {
                        Some(mesh) if shape.kind().is_solid() => {
                            Shape::solid((**mesh).clone()).unwrap()
                        }
                        Some(mesh) => Shape::from((**mesh).clone()),
                        None => shape.clone(),
                    };
                    let (p, q) = (copy(a), copy(b));
                    if !found.is_undecided() {
                        let exact = shape::intersects(&p, &q, &pose);
                        assert_eq!(found.is_separated(), exact.is_separated());
                    }
                    let mut distances = ShapeDistanceSearch::new();
                    let found = distances.run(a, b, &pose, &mut Budget::steps(1 << 40));
                    let DistanceWithin::Open(d) = found else { panic!("{found:?}") };
                    let exact = shape::distance(&p, &q, &pose).unwrap();
                    assert!(d.lower <= exact.upper && exact.lower <= d.upper, "{d:?} {exact:?}");
                }
            }
        }
        assert!(!mesh.mesh().unwrap().is_prepared());
    }
}

/// The state of one pair must not answer for another one.
#[test]
fn a_search_of_another_pair_starts_anew() {
    let mut random = Random::new(9);
    let kinds = kinds();
    let (mut verdicts, mut distances) = (ShapeSearch::new(), ShapeDistanceSearch::new());
    let mut contacts = ShapeContactSearch::new();
    for round in 0..400 {
        let [(_, a), (_, b)] = [0; 2].map(|_| &kinds[random.below(kinds.len())]);
        let pose = pose(&mut random, 1.5);
        for steps in [2, 30, 1 << 40] {
            let budget = || Budget::steps(steps);
            let sums = || {
                Budget::steps([2, 32, 1 << 41][usize::from(steps > 2) + usize::from(steps > 30)])
            };
            let found = verdicts.run(a, b, &pose, &mut budget());
            assert_eq!(found, ShapeSearch::new().run(a, b, &pose, &mut sums()), "{round}");
            let found = distances.run(a, b, &pose, &mut budget());
            let mut fresh = ShapeDistanceSearch::new();
            assert_eq!(found, fresh.run(a, b, &pose, &mut sums()), "{round}");
            let found = contacts.run(a, b, &pose, &mut budget());
            let mut fresh = ShapeContactSearch::new();
            assert_eq!(found, fresh.run(a, b, &pose, &mut sums()), "{round}");
            assert!(steps < 1 << 40 || found.is_none_or(|found: Within<_>| found.is_final()));
        }
    }
}
