//! Pair methods defined outside of the engine, selected at run time; and the behaviour of a world
//! when one of them stops without an answer.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use impinge::convex::Sphere;
use impinge::pair::{Bias, Budget};
use impinge::world::{
    Body, BodyPart, EventKind, Geometry, Handle, MethodKind, PairAnswer, PairChecker, PairMethod,
    PairQuery, PairTraits, PairWitness, SelectedBy, World, WorldOptions,
};
use impinge::{Bounds, ErrorKind, Mesh, Pose, Shape, Vec3, pair, shapes};

fn at(x: f64) -> Pose {
    Pose::from_translation([x, 0.0, 0.0]).unwrap()
}

fn ring() -> Mesh {
    shapes::torus(1.0, 0.3, 24, 12).unwrap()
}

/// A method for meshes that calls a function.
#[derive(Clone, Copy, Debug)]
struct FunctionMethod {
    bias: Option<Bias>,
    nanoseconds: f64,
    check: fn(&PairQuery<'_>) -> PairAnswer,
}

impl PairMethod for FunctionMethod {
    fn applies(&self, pair: &PairTraits) -> bool {
        pair.a.triangles.is_some() && pair.b.triangles.is_some()
    }

    fn bias(&self) -> Option<Bias> {
        self.bias
    }

    fn nanoseconds(&self, _: &PairTraits) -> f64 {
        self.nanoseconds
    }

    fn checker(&self, _: &BodyPart, _: &BodyPart) -> Box<dyn PairChecker> {
        Box::new(*self)
    }
}

impl PairChecker for FunctionMethod {
    fn check(&mut self, pair: &PairQuery<'_>, budget: &mut Budget<'_>) -> PairAnswer {
        assert!(budget.is_unlimited());
        (self.check)(pair)
    }
}

fn mesh(part: &BodyPart) -> &Mesh {
    part.shape().mesh().expect("it applies to meshes only")
}

/// The exact answer for surfaces and solids.
fn exactly(pair: &PairQuery<'_>) -> PairAnswer {
    match pair::first_pair(mesh(pair.a), mesh(pair.b), pair.pose) {
        Some((a, b)) => {
            let (triangle_a, triangle_b) = (Some(a), Some(b));
            let witness = PairWitness { triangle_a, triangle_b, point: None };
            PairAnswer::Intersecting { certain: true, witness: Some(witness) }
        }
        None => pair.contained_point().map_or(PairAnswer::Separated { certain: true }, |point| {
            let witness = PairWitness { point: Some(point), ..PairWitness::default() };
            PairAnswer::Intersecting { certain: true, witness: Some(witness) }
        }),
    }
}

/// Whether the boxes overlap. An overlap is not certain to be an intersection.
fn by_boxes(pair: &PairQuery<'_>) -> PairAnswer {
    let [own, its] = pair.boxes();
    match own.overlaps(&its) {
        true => PairAnswer::Intersecting { certain: false, witness: None },
        false => PairAnswer::Separated { certain: true },
    }
}

const EXACT: MethodKind = MethodKind::new("test-exact", || {
    Box::new(FunctionMethod { bias: None, nanoseconds: 1.0, check: exactly })
});
const SLOW: MethodKind = MethodKind::new("test-slow", || {
    Box::new(FunctionMethod { bias: None, nanoseconds: 1e9, check: exactly })
});
const BOXES: MethodKind = MethodKind::new("test-boxes", || {
    let bias = Some(Bias::TowardsCollision);
    Box::new(FunctionMethod { bias, nanoseconds: 0.5, check: by_boxes })
});
/// Always answers "separated", without certainty.
const NEVER_INTERSECTING: MethodKind = MethodKind::new("test-never-intersecting", || {
    let bias = Some(Bias::TowardsNoCollision);
    let check = |_: &PairQuery<'_>| PairAnswer::Separated { certain: false };
    Box::new(FunctionMethod { bias, nanoseconds: 0.5, check })
});

#[test]
fn methods_of_pairs_precede_those_of_classes_and_of_the_world() {
    let mut world = World::new();
    let a = world.add(Body::new(ring()).class(3)).unwrap();
    let b = world.add(Body::new(ring()).class(5)).unwrap();
    let ball = world.add(Body::new(Sphere::new(0.5).unwrap()).class(5)).unwrap();
    let choice = |world: &World, a, b| {
        let explained = world.explain(a, b).unwrap();
        (explained.chosen, explained.chosen_by)
    };
    let by_cost = (MethodKind::HULLS_THEN_TRIANGLES, SelectedBy::Cost);
    assert_eq!(choice(&world, a, b), by_cost);
    world.set_options(WorldOptions::default().method(Some(EXACT)));
    assert_eq!(choice(&world, a, b), (EXACT, SelectedBy::World));
    // Symmetric.
    world.set_class_method(5, 3, Some(BOXES));
    assert_eq!(choice(&world, a, b), (BOXES, SelectedBy::Classes));
    assert_eq!(choice(&world, b, a), (BOXES, SelectedBy::Classes));
    world.set_method(b, a, Some(MethodKind::SWEEP)).unwrap();
    assert_eq!(choice(&world, a, b), (MethodKind::SWEEP, SelectedBy::Pair));
    // A method that does not apply is skipped, at every level.
    world.set_method(a, b, Some(MethodKind::SHAPES)).unwrap();
    assert_eq!(choice(&world, a, b), (BOXES, SelectedBy::Classes));
    assert_eq!(choice(&world, a, ball), (MethodKind::SHAPES, SelectedBy::Cost));
    let explained = world.explain(a, b).unwrap();
    assert_eq!(explained.method_bias, Some(Bias::TowardsCollision));
    assert_eq!(
        explained.selected,
        [
            (MethodKind::SHAPES, SelectedBy::Pair),
            (BOXES, SelectedBy::Classes),
            (EXACT, SelectedBy::World)
        ]
    );
    let estimate = |kind| explained.estimates.iter().find(|e| e.method == kind).unwrap();
    assert_eq!(estimate(BOXES).nanoseconds, Some(0.5));
    assert_eq!(estimate(MethodKind::SHAPES).nanoseconds, None);
    let text = explained.to_string();
    for line in [
        "shapes, selected for the pair, cannot decide for these",
        "checked by test-boxes: selected for their classes",
        "* test-boxes: about 0 ns, biased towards collision",
    ] {
        assert!(text.contains(line), "{text}");
    }
    // Remove the selections one by one.
    world.set_method(a, b, None).unwrap();
    world.set_class(b, 6).unwrap();
    assert_eq!(choice(&world, a, b), (EXACT, SelectedBy::World));
    world.set_class(b, 5).unwrap();
    assert_eq!(choice(&world, a, b), (BOXES, SelectedBy::Classes));
    world.set_class_method(3, 5, None);
    world.set_options(WorldOptions::default());
    assert_eq!(choice(&world, a, b), by_cost);
}

/// A ball within a larger one meets it if the larger one is a solid, and its point is in both.
#[test]
fn a_method_from_outside_answers_for_nested_solids() {
    let ball = |radius| shapes::icosphere(radius, 2).unwrap();
    for (larger_is_solid, smaller_is_solid) in [(false, false), (false, true), (true, false)] {
        let shape =
            |mesh: Mesh, solid| if solid { Shape::solid(mesh).unwrap() } else { mesh.into() };
        let large = shape(ball(2.0), larger_is_solid);
        let small = shape(ball(0.5), smaller_is_solid);
        for swapped in [false, true] {
            let run = |method| {
                let mut world = World::with_options(WorldOptions::default().method(method));
                let [first, second] = if swapped { [&small, &large] } else { [&large, &small] };
                world.add(Body::new(first.clone()).at(at(0.25))).unwrap();
                world.add(Body::new(second.clone())).unwrap();
                world.update().events().first().copied()
            };
            let event = run(Some(EXACT));
            assert_eq!(event, run(None));
            assert_eq!(event.is_some(), larger_is_solid, "{swapped}");
            if let Some(event) = event {
                let point = event.witness.unwrap().point;
                assert!(event.is_certain() && point.length() < 1.0 && point.length() > 0.2);
            }
        }
    }
}

#[test]
fn the_cheapest_certain_candidate_is_chosen_by_default() {
    let options = WorldOptions::default().candidates(vec![SLOW, BOXES]);
    let mut world = World::with_options(options);
    let [a, b] = [0.0, 0.1].map(|x| world.add(Body::new(ring()).at(at(x))).unwrap());
    let choice = |world: &World| world.explain(a, b).unwrap().chosen;
    assert_eq!(choice(&world), MethodKind::HULLS_THEN_TRIANGLES);
    let candidates = vec![SLOW, EXACT, BOXES];
    world.set_options(WorldOptions::default().candidates(candidates));
    assert_eq!(choice(&world), EXACT);
    assert_eq!(world.explain(a, b).unwrap().chosen_by, SelectedBy::Cost);
    let event = world.update().events()[0];
    // The witness does not depend on the method.
    let mut plain = World::new();
    for x in [0.0, 0.1] {
        plain.add(Body::new(ring()).at(at(x))).unwrap();
    }
    assert_eq!(event, plain.update().events()[0]);
    assert!(event.is_certain() && event.witness.is_some());
}

#[test]
fn events_report_the_bias_of_their_method() {
    // Boxes overlap, rings do not.
    let apart = Pose::from_translation([1.9, 1.9, 0.0]).unwrap();
    let run = |method, pose: Pose| {
        let options = WorldOptions::default().method(method).persisting(true);
        let mut world = World::with_options(options);
        let a = world.add(Body::new(ring())).unwrap();
        let b = world.add(Body::new(ring()).at(pose)).unwrap();
        let mut events = world.update().events().to_vec();
        events.extend_from_slice(world.update().events());
        world.move_to(b, at(9.0)).unwrap();
        events.extend_from_slice(world.update().events());
        (events, world.explain(a, b).unwrap())
    };
    let kinds = [EventKind::Began, EventKind::Persists, EventKind::Ended];
    assert!(run(None, apart).0.is_empty());
    let (events, _) = run(Some(BOXES), apart);
    assert!(events.iter().map(|e| e.kind).eq(kinds));
    let towards = Some(Bias::TowardsCollision);
    assert!(events.iter().map(|e| e.bias).eq([towards, towards, None]));
    // The engine finds no witness, because the bodies do not meet.
    assert_eq!(events[0].witness, None);
    // It finds one where the bodies meet.
    let (events, _) = run(Some(BOXES), at(0.1));
    assert!(events[0].bias == towards && events[0].witness == run(None, at(0.1)).0[0].witness);
    assert!(events[0].witness.is_some());
    // A method that never answers "intersecting" causes no events.
    assert!(run(Some(NEVER_INTERSECTING), at(0.1)).0.is_empty());
    let mut world = World::with_options(WorldOptions::default().method(Some(NEVER_INTERSECTING)));
    let [a, b] = [0.0, 0.1].map(|x| world.add(Body::new(ring()).at(at(x))).unwrap());
    world.update();
    let explained = world.explain(a, b).unwrap();
    assert_eq!(explained.meeting, Some(false));
    assert_eq!(explained.bias, Some(Bias::TowardsNoCollision));
    assert!(explained.to_string().ends_with("apart; not certain, biased towards no collision"));
    // Another method finds the intersection; with the first method again, the pair ends, with a
    // bias.
    world.set_method(a, b, Some(EXACT)).unwrap();
    world.move_to(b, at(0.2)).unwrap();
    assert_eq!(world.update().events()[0].bias, None);
    world.set_method(a, b, None).unwrap();
    world.move_to(b, at(0.1)).unwrap();
    let ended = world.update().events()[0];
    assert_eq!((ended.kind, ended.bias), (EventKind::Ended, Some(Bias::TowardsNoCollision)));
}

/// A certain answer for one pair of parts decides for the bodies.
#[test]
fn answers_for_parts_are_combined_for_compounds() {
    let parts = |x: f64| {
        let small = shapes::torus(0.3, 0.1, 12, 8).unwrap();
        Geometry::compound([(Shape::from(ring()), at(x)), (Shape::from(small), at(x + 4.0))])
            .unwrap()
    };
    let run = |method| {
        let options = WorldOptions::default().method(Some(method));
        let mut world = World::with_options(options);
        world.add(Body::new(parts(0.0))).unwrap();
        world.add(Body::new(parts(0.1))).unwrap();
        world.update().clone()
    };
    let exact = run(EXACT);
    assert!(exact.events()[0].is_certain() && exact.undecided().is_empty());
    assert_eq!(run(BOXES).events()[0].bias, Some(Bias::TowardsCollision));
    assert!(run(NEVER_INTERSECTING).events().is_empty());
    const SMALL_ONLY: MethodKind = MethodKind::new("test-small-only", || {
        // Undecided for the large rings.
        let check = |pair: &PairQuery<'_>| match mesh(pair.a).triangles().len() {
            576 => PairAnswer::Undecided(Bounds {
                lower: -0.25,
                upper: 0.5,
                open_depth: 0.25,
                open: 1,
            }),
            _ => exactly(pair),
        };
        Box::new(FunctionMethod { bias: None, nanoseconds: 1.0, check })
    });
    assert_eq!(ring().triangles().len(), 576);
    // The small ones meet.
    assert!(run(SMALL_ONLY).events()[0].is_certain());
    let mut world = World::with_options(WorldOptions::default().method(Some(SMALL_ONLY)));
    let ends = |y: f64| {
        let lifted = Pose::from_translation([4.0, y, 0.0]).unwrap();
        let small = shapes::torus(0.3, 0.1, 12, 8).unwrap();
        Geometry::compound([(Shape::from(ring()), Pose::IDENTITY), (Shape::from(small), lifted)])
            .unwrap()
    };
    world.add(Body::new(ends(0.0))).unwrap();
    world.add(Body::new(ends(2.0))).unwrap();
    let report = world.update();
    assert!(report.events().is_empty());
    let [open] = report.undecided() else { panic!("{report:?}") };
    // The depth of two parts is no bound of the depth of the bodies, but the overlap of their boxes
    // is.
    assert!(open.bounds.upper <= 0.5 && open.bounds.lower < -0.5);
}

static UNDECIDED: AtomicBool = AtomicBool::new(false);
static CHECKS: AtomicUsize = AtomicUsize::new(0);
const BOUNDS: Bounds = Bounds { lower: -0.75, upper: 3.0, open_depth: 0.5, open: 2 };

/// Exact, except while `UNDECIDED` is set.
const SOMETIMES_UNDECIDED: MethodKind = MethodKind::new("test-undecided", || {
    let check = |pair: &PairQuery<'_>| {
        CHECKS.fetch_add(1, Ordering::Relaxed);
        match UNDECIDED.load(Ordering::Relaxed) {
            true => PairAnswer::Undecided(BOUNDS),
            false => exactly(pair),
        }
    };
    Box::new(FunctionMethod { bias: None, nanoseconds: 1.0, check })
});

/// A single test, because the method reads a global.
#[test]
fn undecided_pairs_keep_their_state() {
    let options = WorldOptions::default().method(Some(SOMETIMES_UNDECIDED));
    let set_undecided = |undecided| UNDECIDED.store(undecided, Ordering::Relaxed);
    let mut world = World::with_options(options.clone());
    let a = world.add(Body::new(ring())).unwrap();
    let b = world.add(Body::new(ring()).at(at(0.1))).unwrap();
    // Many bodies at rest, so that the world uses the lists of pairs of moved bodies.
    for n in 0..20 {
        world.add(Body::new(Sphere::new(0.1).unwrap()).at(at(100.0 + f64::from(n)))).unwrap();
    }
    // At first the pair is not known to meet, and causes no event.
    set_undecided(true);
    let report = world.update();
    assert!(report.events().is_empty());
    let [open] = report.undecided() else { panic!("{report:?}") };
    assert_eq!((open.a, open.b, open.met, open.since), (a, b, false, 1));
    assert_eq!(open.bounds, BOUNDS);
    assert!(!world.meet(a, b).unwrap());
    let explained = world.explain(a, b).unwrap();
    assert!(explained.undecided && explained.meeting.is_none());
    assert!(explained.to_string().ends_with("not known; undecided since"));
    // It is checked again although nothing moves, and the first undecided update is reported.
    let checks = CHECKS.load(Ordering::Relaxed);
    let report = world.update();
    assert_eq!((report.undecided()[0].since, report.frame), (1, 2));
    assert_eq!(CHECKS.load(Ordering::Relaxed), checks + 1);
    // A decision causes an event.
    set_undecided(false);
    let report = world.update();
    assert!(report.undecided().is_empty());
    assert_eq!(report.events()[0].kind, EventKind::Began);
    // A decided pair is not checked again.
    let checks = CHECKS.load(Ordering::Relaxed);
    world.update();
    assert_eq!(CHECKS.load(Ordering::Relaxed), checks);
    // The bodies separate, but the method is undecided: the pair keeps its state.
    set_undecided(true);
    world.move_to(b, Pose::from_translation([1.9, 1.9, 0.0]).unwrap()).unwrap();
    let report = world.update();
    assert!(report.events().is_empty() && report.undecided()[0].met);
    assert_eq!(report.undecided()[0].since, 5);
    assert!(world.meet(a, b).unwrap() && world.collisions().len() == 1);
    assert_eq!(world.witness_of(a, b).unwrap(), None);
    // Snapshots and clones contain it.
    let saved = world.snapshot();
    let mut clone = world.clone();
    assert_eq!(clone.report().undecided(), world.report().undecided());
    for world in [&mut clone, &mut World::from_snapshot(&saved, options.clone())] {
        let report = world.update();
        assert_eq!((report.undecided()[0].since, report.undecided()[0].met), (5, true));
        assert!(report.events().is_empty());
    }
    set_undecided(false);
    for world in [&mut clone, &mut world, &mut World::from_snapshot(&saved, options.clone())] {
        let report = world.update();
        assert_eq!(report.events()[0].kind, EventKind::Ended);
        assert!(report.undecided().is_empty() && report.events().len() == 1);
    }
    // When the boxes separate, the method is not called, and the pair ends.
    set_undecided(true);
    world.move_to(b, at(0.1)).unwrap();
    assert_eq!(world.update().undecided().len(), 1);
    world.move_to(b, at(50.0)).unwrap();
    let report = world.update();
    assert!(report.undecided().is_empty() && report.events().is_empty());
    // A body that reuses the slot of an undecided one has its own state.
    world.move_to(b, at(0.1)).unwrap();
    world.update();
    world.remove(b).unwrap();
    world.update();
    let next = world.add(Body::new(ring()).at(at(0.1))).unwrap();
    assert_eq!(next.slot(), b.slot());
    let frame = world.update().frame;
    assert_eq!(world.report().undecided()[0].since, frame);
    // With all bodies moving, the world uses the other schedule.
    set_undecided(false);
    let mut crowd = World::with_options(options);
    let bodies: Vec<Handle> =
        (0..80).map(|n| crowd.add(Body::new(ring()).at(at(1.5 * f64::from(n)))).unwrap()).collect();
    let began = crowd.update().events().len();
    assert!(began > 70);
    set_undecided(true);
    for (n, body) in bodies.iter().enumerate() {
        crowd.move_to(*body, at(1.5 * n as f64 + 0.01)).unwrap();
    }
    let report = crowd.update();
    assert!(report.events().is_empty() && report.undecided().len() >= began);
    assert!(report.undecided().is_sorted_by_key(|open| (open.a, open.b)));
    set_undecided(false);
    let report = crowd.update();
    assert!(report.events().is_empty() && report.undecided().is_empty());
}

static ALIVE: AtomicUsize = AtomicUsize::new(0);

/// A method that counts its checkers.
#[derive(Debug)]
struct Counted;

#[derive(Debug)]
struct CountedChecker;

impl Drop for CountedChecker {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

impl PairMethod for Counted {
    fn applies(&self, _: &PairTraits) -> bool {
        true
    }

    fn bias(&self) -> Option<Bias> {
        None
    }

    fn nanoseconds(&self, _: &PairTraits) -> f64 {
        1.0
    }

    fn checker(&self, _: &BodyPart, _: &BodyPart) -> Box<dyn PairChecker> {
        ALIVE.fetch_add(1, Ordering::Relaxed);
        Box::new(CountedChecker)
    }
}

impl PairChecker for CountedChecker {
    fn check(&mut self, _: &PairQuery<'_>, _: &mut Budget<'_>) -> PairAnswer {
        PairAnswer::Intersecting { certain: true, witness: None }
    }
}

#[test]
fn checkers_are_dropped_with_their_pairs() {
    const COUNTED: MethodKind = MethodKind::new("test-counted", || Box::new(Counted));
    let alive = || ALIVE.load(Ordering::Relaxed);
    let mut world = World::new();
    let ball = || Body::new(Sphere::new(0.5).unwrap()).class(1);
    let bodies: Vec<Handle> =
        (0..4).map(|n| world.add(ball().at(at(0.1 * f64::from(n)))).unwrap()).collect();
    world.set_class_method(1, 1, Some(COUNTED));
    world.update();
    assert_eq!(alive(), 6);
    world.update();
    assert_eq!(alive(), 6);
    // One body leaves the boxes of the others.
    world.move_to(bodies[3], at(9.0)).unwrap();
    world.update();
    assert_eq!(alive(), 3);
    // A change of geometry, of method, of class; and a removal.
    world.replace(bodies[0], Sphere::new(0.6).unwrap()).unwrap();
    assert_eq!(alive(), 1);
    world.update();
    assert_eq!(alive(), 3);
    world.set_method(bodies[0], bodies[1], Some(MethodKind::SHAPES)).unwrap();
    assert_eq!(alive(), 2);
    world.set_class(bodies[2], 2).unwrap();
    assert_eq!(alive(), 0);
    world.set_class(bodies[2], 1).unwrap();
    for body in &bodies {
        world.move_to(*body, Pose::IDENTITY).unwrap();
    }
    world.update();
    assert_eq!(alive(), 5);
    world.remove(bodies[2]).unwrap();
    assert_eq!(alive(), 2);
    drop(world);
    assert_eq!(alive(), 0);
}

#[test]
fn a_clone_is_independent() {
    let mut world = World::new();
    let [a, b] = [0.0, 3.0].map(|x| world.add(Body::new(ring()).at(at(x))).unwrap());
    world.set_method(a, b, Some(EXACT)).unwrap();
    world.set_pair_user(a, b, 7).unwrap();
    world.update();
    static CALLED: AtomicUsize = AtomicUsize::new(0);
    world
        .on_pair(a, b, |_, _| {
            CALLED.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
    let mut clone = world.clone();
    world.move_to(b, at(0.2)).unwrap();
    clone.move_to(b, at(0.1)).unwrap();
    let began = world.update_calling(|_, _| {});
    assert_eq!((began.updates, CALLED.load(Ordering::Relaxed)), (1, 1));
    clone.update_calling(|_, _| {});
    // Callbacks are not cloned.
    assert_eq!(CALLED.load(Ordering::Relaxed), 1);
    assert_eq!(world.pose(b).unwrap(), at(0.2));
    assert_eq!(clone.pose(b).unwrap(), at(0.1));
    assert_eq!(clone.pair_user(a, b).unwrap(), 7);
    assert_eq!(clone.explain(a, b).unwrap().chosen, EXACT);
    clone.move_to(b, at(0.2)).unwrap();
    clone.update();
    assert_eq!(clone.witness_of(a, b).unwrap(), world.witness_of(a, b).unwrap());
    assert_eq!(clone.collisions().len(), 1);
}

#[test]
fn bodies_without_geometry_move_attached_bodies_and_meet_nothing() {
    let mut world = World::new();
    let base = world.add(Body::frame().at(at(5.0))).unwrap();
    let joint = world.add(Body::frame().attached_to(base)).unwrap();
    let link = world.add(Body::new(ring()).at(at(1.0)).attached_to(joint)).unwrap();
    let wall = world.add(Body::new(Sphere::new(0.5).unwrap())).unwrap();
    assert!(world.update().events().is_empty());
    assert_eq!(world.len(), 4);
    assert_eq!(world.pose(link).unwrap(), at(6.0));
    assert!(world.bounds(joint).unwrap().is_empty());
    assert!(world.geometry(joint).unwrap().parts().is_empty());
    assert_eq!(world.distance(joint, wall).unwrap(), None);
    assert_eq!(world.contact(joint, wall).unwrap(), None);
    assert_eq!(world.witness_of(joint, wall).unwrap(), None);
    assert!(!world.meet(joint, wall).unwrap());
    assert!(world.explain(joint, wall).unwrap().to_string().contains("not checked"));
    assert_eq!(world.deform(joint, &[Vec3::ZERO]).unwrap_err().kind(), ErrorKind::BadParameter);
    // The ring moves with the base, and touches the ball.
    world.move_to(base, at(-1.0)).unwrap();
    assert!(world.update().events().is_empty());
    world.move_to(joint, at(1.0)).unwrap();
    assert_eq!(world.update().events()[0].kind, EventKind::Began);
    // The frame gets a shape, which meets the ring and the ball, and then loses it.
    world.replace(joint, Sphere::new(3.0).unwrap()).unwrap();
    assert_eq!(world.update().began().count(), 2);
    world.replace(joint, Geometry::empty()).unwrap();
    assert_eq!(world.update().ended().count(), 2);
    world.set_options(WorldOptions::default().oriented(true));
    assert!(world.update().events().is_empty());
    world.remove(joint).unwrap();
    world.update();
    assert_eq!(world.parent(link).unwrap(), Some(base));
}

#[test]
fn invalid_arguments_are_errors() {
    let mut rules = impinge::world::Interest::nothing();
    assert!(rules.set_groups(0, 31, true).is_ok());
    for (a, b) in [(32, 0), (0, 32), (u32::MAX, 1)] {
        let error = rules.set_groups(a, b, true).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadParameter);
        assert!(error.to_string().contains(&a.max(b).to_string()));
    }
    let mut world = World::new();
    let ball = || Body::new(Sphere::new(0.5).unwrap());
    let parent = world.add(ball()).unwrap();
    let mut detached = world.detach().unwrap();
    detached.remove(parent);
    let error = detached.add(ball().attached_to(parent)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoSuchBody);
    assert_eq!((detached.stats().refused, detached.len()), (1, 0));
    let added = detached.add(ball()).unwrap();
    detached.send().unwrap();
    let (world, _) = detached.reattach().unwrap();
    assert!(world.contains(added) && world.len() == 1);
}
