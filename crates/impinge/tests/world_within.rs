//! Updates within a budget: nothing that is decided is wrong, what is not decided is reported, and
//! nothing waits for ever.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use impinge::broad::PhaseKind;
use impinge::convex::{Capsule, Cone, Cuboid, Sphere};
use impinge::pair::Budget;
use impinge::world::{Body, EventKind, Geometry, Handle, Interest, PairInfo, World, WorldOptions};
use impinge::{Pose, Shape, Vec3, shapes};
use impinge_oracles::common::Random;

type Pairs = BTreeSet<(Handle, Handle)>;

fn at(v: Vec3) -> Pose {
    Pose::from_translation(v).unwrap()
}

/// The pairs that meet as the events of a world say.
#[derive(Default)]
struct Events(Pairs);

impl Events {
    fn add(&mut self, world: &World) {
        for event in world.report().events() {
            let pair = (event.a, event.b);
            match event.kind {
                EventKind::Began => assert!(self.0.insert(pair), "{pair:?} began twice"),
                EventKind::Ended => assert!(self.0.remove(&pair), "{pair:?} ended twice"),
                EventKind::Persists => panic!("not requested"),
            }
        }
    }
}

/// Compares what an update within a budget reports with the truth, by a world that is updated
/// without one.
fn check(world: &World, events: &Events, truth: &Pairs) {
    let report = world.report();
    let open: BTreeSet<Handle> = world.not_compared().collect();
    let undecided: Pairs = world.undecided().map(|pair| (pair.a, pair.b)).collect();
    assert!(report.open_bodies() >= open.len());
    assert_eq!(open.is_empty(), report.open_bodies() == 0);
    if !report.not_compared().is_empty() {
        assert!(report.not_compared().iter().copied().eq(open.iter().copied()));
    }
    assert!(
        report.open_pairs() <= undecided.len() && report.open_pairs() >= report.undecided().len()
    );
    for pair in report.undecided() {
        assert!(undecided.contains(&(pair.a, pair.b)) && pair.since <= report.frame);
    }
    let is_open = |pair: &(Handle, Handle)| {
        open.contains(&pair.0) || open.contains(&pair.1) || undecided.contains(pair)
    };
    // What is decided is right.
    for pair in events.0.symmetric_difference(truth) {
        assert!(is_open(pair), "frame {}: {pair:?} is wrong", report.frame);
    }
    assert_eq!(report.stats().meeting, events.0.len());
    if report.is_complete() {
        assert_eq!(events.0, *truth);
    }
}

fn meeting(world: &World) -> Pairs {
    world.collisions().into_iter().map(|pair| (pair.a, pair.b)).collect()
}

/// A body of several balls and bars in a ring.
fn chain(links: u32) -> Geometry {
    let ball = Shape::from(Sphere::new(0.15).unwrap());
    let bar = Shape::from(Capsule::new(0.2, 0.05).unwrap());
    let parts = (0..links).map(|n| {
        let angle = std::f64::consts::TAU * f64::from(n) / f64::from(links);
        let place = Vec3::new(angle.cos(), angle.sin(), 0.0) * 0.5;
        (if n % 2 == 0 { ball.clone() } else { bar.clone() }, at(place))
    });
    Geometry::compound(parts).unwrap()
}

fn geometries() -> Vec<Geometry> {
    let ring = shapes::torus(0.6, 0.25, 24, 12).unwrap();
    let cube = shapes::cuboid_grid([0.9, 0.9, 0.9], [3, 3, 3]).unwrap();
    vec![
        Geometry::from(Shape::from(ring)),
        Shape::solid(cube).unwrap().into(),
        Sphere::new(0.5).unwrap().into(),
        Cuboid::new([0.8, 0.5, 0.6]).unwrap().into(),
        Cone::new(0.9, 0.4).unwrap().into(),
        chain(12),
    ]
}

/// A world and one without a budget that goes through the same.
struct Twins {
    world: World,
    exact: World,
    /// Each body in both worlds: slots are reused at different times.
    bodies: Vec<(Handle, Handle)>,
    random: Random,
    events: Events,
}

impl Twins {
    fn new(count: usize, seed: u64) -> Self {
        let mut twins = Self {
            world: World::new(),
            exact: World::new(),
            bodies: Vec::new(),
            random: Random::new(seed),
            events: Events::default(),
        };
        for _ in 0..count {
            twins.add();
        }
        twins.world.prepare();
        twins
    }

    fn place(&mut self) -> Vec3 {
        let mut coordinate = || (self.random.below(24) as f64) * 0.25;
        Vec3::new(coordinate(), coordinate(), coordinate())
    }

    fn add(&mut self) {
        let forms = geometries();
        let form = forms[self.random.below(forms.len())].clone();
        let body = Body::new(form).at(at(self.place()));
        let mut both = (body.clone(), body);
        if !self.bodies.is_empty() && self.random.below(8) == 0 {
            let parent = self.bodies[self.random.below(self.bodies.len())];
            both = (both.0.attached_to(parent.0), both.1.attached_to(parent.1));
        }
        let handles = (self.world.add(both.0).unwrap(), self.exact.add(both.1).unwrap());
        self.bodies.push(handles);
    }

    fn change(&mut self) {
        let n = self.random.below(self.bodies.len());
        let body = self.bodies[n];
        let other = self.bodies[self.random.below(self.bodies.len())];
        match self.random.below(30) {
            0 => {
                self.world.remove(body.0).unwrap();
                self.exact.remove(body.1).unwrap();
                self.bodies.swap_remove(n);
                self.add();
                self.world.prepare();
            }
            1 => {
                let one = self.world.attach(body.0, Some(other.0));
                assert_eq!(self.exact.attach(body.1, Some(other.1)).is_ok(), one.is_ok());
            }
            2 if other != body => {
                let compared = [None, Some(false)][self.random.below(2)];
                self.world.set_interest(body.0, other.0, compared).unwrap();
                self.exact.set_interest(body.1, other.1, compared).unwrap();
            }
            3 => {
                let (groups, mask) =
                    (1 << self.random.below(3), [u32::MAX, 0b011][self.random.below(2)]);
                self.world.set_groups(body.0, groups, mask).unwrap();
                self.exact.set_groups(body.1, groups, mask).unwrap();
            }
            4 => {
                let mut rules = Interest::everything();
                rules.set_groups(0, self.random.below(3) as u32, false).unwrap();
                rules.ignore_links(self.random.below(2) as u32);
                self.world.set_rules(rules.clone());
                self.exact.set_rules(rules);
            }
            _ => {
                let pose = at(self.place());
                self.world.move_to(body.0, pose).unwrap();
                self.exact.move_to(body.1, pose).unwrap();
            }
        }
    }

    /// The pairs that meet in the exact world, by the handles of the other one.
    fn truth(&self) -> Pairs {
        let names: BTreeMap<Handle, Handle> = self.bodies.iter().map(|b| (b.1, b.0)).collect();
        let pairs = meeting(&self.exact).into_iter().map(|(a, b)| (names[&a], names[&b]));
        pairs.map(|(a, b)| if a.slot() < b.slot() { (a, b) } else { (b, a) }).collect()
    }

    fn update(&mut self, budget: &mut Budget<'_>) {
        self.world.update_within(budget);
        self.exact.update();
        self.events.add(&self.world);
        check(&self.world, &self.events, &self.truth());
        assert_eq!(meeting(&self.world), self.events.0);
    }
}

#[test]
fn what_is_decided_is_right_under_any_load() {
    for (seed, steps) in [(1, 60), (2, 300), (3, 2_000), (4, 20_000)] {
        let mut twins = Twins::new(60, seed);
        let (mut complete, mut incomplete) = (0, 0);
        for frame in 0..240 {
            // Times of rest between times of motion.
            let changes = if frame % 60 < 25 { twins.random.below(20) } else { 0 };
            (0..changes).for_each(|_| twins.change());
            twins.update(&mut Budget::steps(steps));
            match twins.world.report().is_complete() {
                true => complete += 1,
                false => incomplete += 1,
            }
        }
        assert!(incomplete > 0 || steps == 20_000, "{steps}: {incomplete}");
        assert!(complete > 0 || steps < 300, "{steps}: {complete}");
        // Without new changes everything is decided at last.
        let mut frames = 0;
        while !twins.world.report().is_complete() {
            twins.update(&mut Budget::steps(steps));
            frames += 1;
            assert!(frames < 20_000, "{steps} steps");
        }
    }
}

#[test]
fn updates_of_both_kinds_alternate() {
    let mut twins = Twins::new(50, 9);
    for frame in 0..160 {
        let changes = twins.random.below(6);
        (0..changes).for_each(|_| twins.change());
        match frame % 8 {
            0 => twins.update(&mut Budget::unlimited()),
            3 => {
                // Another broad phase, which cannot stop.
                let options = twins.world.options().clone();
                let phases = [PhaseKind::ALL_PAIRS, PhaseKind::NEIGHBOURS];
                twins.world.set_options(options.phase(phases[frame / 8 % 2]));
                twins.update(&mut Budget::steps(90));
            }
            7 => {
                twins.world.update();
                twins.exact.update();
                twins.events.add(&twins.world);
                assert_eq!(twins.events.0, twins.truth(), "frame {frame}");
                assert!(twins.world.report().is_complete());
            }
            5 => {
                // A clone and a restored snapshot continue with what was left.
                let mut copy = twins.world.clone();
                copy.update();
                twins.exact.update();
                assert_eq!(meeting(&copy), twins.truth(), "frame {frame}");
                twins.update(&mut Budget::steps(100));
            }
            _ => twins.update(&mut Budget::steps(150)),
        }
    }
}

/// Changed rules are applied in parts, each slot has its turn although they change in every frame,
/// and no event contradicts the rules.
#[test]
fn changed_rules_are_applied_in_parts() {
    const COUNT: usize = 3000;
    let mut world = World::new();
    let ball = Sphere::new(0.6).unwrap();
    let floor = Cuboid::new([2.0 * COUNT as f64, 4.0, 1.0]).unwrap();
    // One body with a pair with every other one, and pairs of neighbours.
    world.add(Body::new(floor).at(at(Vec3::Z * -0.5)).groups(0b10)).unwrap();
    let bodies: Vec<Handle> = (0..COUNT)
        .map(|n| world.add(Body::new(ball).at(at(Vec3::X * n as f64))).unwrap())
        .collect();
    world.update_within(&mut Budget::steps(1 << 30));
    assert_eq!(world.report().stats().meeting, 2 * COUNT - 1);
    let mut floor_only = Interest::nothing();
    floor_only.set_groups(0, 1, true).unwrap();
    let mut run = |rules: Interest, steps: u64, expected: usize, kind: EventKind| {
        world.set_rules(rules);
        let (mut frames, mut events) = (0, 0);
        loop {
            if frames < 60 {
                // It does not matter for any pair.
                world.set_groups(bodies[frames], 1, u32::MAX - ((frames as u32 % 2) << 9)).unwrap();
            }
            let report = world.update_within(&mut Budget::steps(steps));
            events += report.events().len();
            assert!(report.events().iter().all(|event| event.kind == kind));
            // Four pairs that end take one step.
            assert!(report.events().len() as u64 <= 4 * steps);
            frames += 1;
            if report.is_complete() {
                break;
            }
            assert!(frames < 400, "{frames}");
            if frames == 59 {
                assert_eq!(world.report().stats().meeting, expected);
            }
        }
        assert!(frames > 60, "{frames}");
        assert_eq!(world.report().stats().meeting, expected);
        events
    };
    assert_eq!(run(floor_only, 400, COUNT, EventKind::Ended), COUNT - 1);
    assert_eq!(run(Interest::nothing(), 400, 0, EventKind::Ended), COUNT);
    let began = run(Interest::everything(), 4000, 2 * COUNT - 1, EventKind::Began);
    assert_eq!(began, 2 * COUNT - 1);
}

/// Events of pairs that continue to meet are shared out over the updates, and are right.
#[test]
fn persisting_pairs_are_reported_within_the_budget() {
    let mut world = World::with_options(WorldOptions::default().persisting(true));
    let ball = Sphere::new(0.6).unwrap();
    let bodies: Vec<Handle> = (0..1000)
        .map(|n| world.add(Body::new(ball).at(at(Vec3::X * f64::from(n)))).unwrap())
        .collect();
    while !world.update_within(&mut Budget::steps(20_000)).is_complete() {}
    let mut last_reported = vec![0; 999];
    for frame in 1..200_usize {
        let lift = Vec3::Z * [0.0, 2.0][frame % 2];
        world.move_to(bodies[500], at(Vec3::X * 500.0 + lift)).unwrap();
        let report = world.update_within(&mut Budget::steps(100));
        assert!(report.is_complete() && report.open_persisting() > 0);
        let mut persisting = BTreeSet::new();
        for event in report.persisting() {
            let slot = event.a.slot();
            assert_eq!(event.b.slot(), slot + 1);
            assert!(persisting.insert(slot), "once");
            // Those of the body that moved began or ended in this update.
            assert!(!(499..=500).contains(&slot));
            last_reported[slot] = frame;
        }
        assert!(persisting.len() > 100 && persisting.len() < 900, "{}", persisting.len());
    }
    let late = last_reported.iter().enumerate().filter(|(_, last)| **last < 190);
    assert_eq!(late.map(|(slot, _)| slot).collect::<Vec<_>>(), [499, 500]);
    // With time for all, all are reported.
    world.update_within(&mut Budget::steps(20_000));
    let report = world.report();
    assert_eq!(
        (report.open_persisting(), report.persisting().count()),
        (0, report.stats().meeting)
    );
}

#[test]
fn equal_budgets_of_steps_give_equal_reports() {
    let run = || {
        let mut twins = Twins::new(40, 5);
        let mut reports = Vec::new();
        for _ in 0..80 {
            (0..4).for_each(|_| twins.change());
            twins.world.update_within(&mut Budget::steps(400));
            let report = twins.world.report();
            reports.push((
                report.events().to_vec(),
                report.undecided().to_vec(),
                report.open_pairs(),
            ));
        }
        reports
    };
    assert_eq!(run(), run());
}

#[test]
fn a_body_is_removed_while_its_pairs_are_undecided() {
    let mut world = World::new();
    let ring = shapes::torus(1.0, 0.495, 160, 80).unwrap();
    ring.prepare();
    let a = world.add(Body::new(ring.clone())).unwrap();
    let linked = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0]).unwrap();
    let b = world.add(Body::new(ring).at(linked)).unwrap();
    let report = world.update_within(&mut Budget::steps(60));
    assert_eq!((report.open_pairs(), report.events().len()), (1, 0));
    assert_eq!(world.undecided().next().map(|pair| (pair.a, pair.b)), Some((a, b)));
    world.remove(b).unwrap();
    let report = world.update_within(&mut Budget::steps(60));
    assert!(report.is_complete() && report.events().is_empty());
    assert_eq!(world.undecided().count(), 0);
}

#[test]
fn bounds_of_undecided_pairs_contain_the_truth_and_improve() {
    let mut world = World::new();
    let ring = shapes::torus(1.0, 0.495, 160, 80).unwrap();
    ring.prepare();
    world.add(Body::new(ring.clone())).unwrap();
    let linked = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0]).unwrap();
    let distance = impinge::distance(&ring, &ring, &linked).unwrap();
    world.add(Body::new(ring).at(linked)).unwrap();
    let mut last = impinge::Bounds::UNKNOWN;
    let mut frames = 0;
    while !world.update_within(&mut Budget::steps(60)).is_complete() {
        let pair = world.report().undecided()[0];
        let bounds = pair.bounds;
        assert!(bounds.upper >= distance.lower && bounds.lower <= 0.0);
        assert!(bounds.upper <= last.upper && bounds.lower >= last.lower, "{bounds} {last}");
        assert_eq!(pair.since, 1);
        last = bounds;
        frames += 1;
    }
    assert!(frames > 2, "{frames}");
    assert_eq!(world.report().stats().meeting, 0);
}

#[test]
fn important_pairs_are_decided_first_and_others_do_not_starve() {
    let mut world = World::new();
    let ball = Sphere::new(0.6).unwrap();
    let mut bodies = Vec::new();
    for n in 0..200 {
        let body = Body::new(ball).at(at(Vec3::X * f64::from(n))).user(u64::from(n == 150));
        bodies.push(world.add(body).unwrap());
    }
    world.set_importance(Some(Box::new(
        |pair: &PairInfo| {
            if pair.user_a + pair.user_b > 0 { 100.0 } else { 1.0 }
        },
    )));
    world.update();
    let mut decided = vec![0_u32; 200];
    for frame in 0..120_u32 {
        // All move in every frame, more than the budget allows to check.
        for (n, body) in bodies.iter().enumerate() {
            let lift = if frame % 2 == 0 { Vec3::ZERO } else { Vec3::Y * 10.0 * (n % 2) as f64 };
            world.move_to(*body, at(Vec3::X * n as f64 + lift)).unwrap();
        }
        world.update_within(&mut Budget::steps(3_000));
        for event in world.report().events() {
            decided[event.a.slot()] += 1;
        }
    }
    let others = decided.iter().enumerate().filter(|(n, _)| !(149..=150).contains(n) && *n < 199);
    let most = others.clone().map(|(_, count)| *count).max().unwrap();
    assert!(others.clone().all(|(_, count)| *count > 0), "{decided:?}");
    assert!(decided[149] + decided[150] >= most, "{decided:?}");
}

/// Two bodies that both move in every frame are up to date at the same time now and then, however
/// far apart they are in the order of their slots, and however different the importances are.
#[test]
fn pairs_of_bodies_that_always_move_do_not_wait_for_ever() {
    const COUNT: usize = 400;
    let mut world = World::new();
    let ball = Sphere::new(0.6).unwrap();
    // Slots n and 399 - n are a pair.
    let place = |n: usize| Vec3::X * (5 * n.min(COUNT - 1 - n)) as f64;
    for n in 0..COUNT {
        world.add(Body::new(ball).at(at(place(n))).user(n as u64)).unwrap();
    }
    world.set_importance(Some(Box::new(|pair: &PairInfo| match pair.user_a % 3 {
        0 => 1e-1,
        1 => 1.0,
        _ => 1e3,
    })));
    let bodies: Vec<Handle> = world.handles().collect();
    let mut meeting: BTreeSet<u64> = BTreeSet::new();
    let mut last_decided = vec![0; COUNT / 2];
    for frame in 0..400_usize {
        // Pairs meet for 100 frames, and are apart for 100 frames.
        let apart = frame / 100 % 2 == 1;
        for (n, body) in bodies.iter().enumerate() {
            let jitter = Vec3::Y * 1e-3 * (frame % 5) as f64;
            let lift = if apart && n < COUNT / 2 { Vec3::Z * 1.25 } else { Vec3::ZERO };
            world.move_to(*body, at(place(n) + jitter + lift)).unwrap();
        }
        // All would take about 12,000 steps.
        let report = world.update_within(&mut Budget::steps(2_000));
        assert!(report.open_bodies() > 0);
        for event in report.events() {
            let pair = event.a.slot() as u64;
            match event.kind {
                EventKind::Began => assert!(!apart && meeting.insert(pair)),
                EventKind::Ended => assert!(apart && meeting.remove(&pair)),
                EventKind::Persists => panic!("not requested"),
            }
            last_decided[event.a.slot()] = frame;
        }
        if frame % 100 == 99 {
            assert_eq!(meeting.len(), if apart { 0 } else { COUNT / 2 }, "frame {frame}");
        }
    }
    assert!(last_decided.iter().all(|frame| *frame >= 300), "{last_decided:?}");
}

/// A check that needs nearly a whole budget is not interrupted in every frame by what comes before.
#[test]
fn a_long_check_of_bodies_that_always_move_is_decided() {
    let ring = shapes::torus(1.0, 0.495, 160, 80).unwrap();
    ring.prepare();
    let linked = |x: f64| Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [x, 0.0, 0.0]).unwrap();
    let steps_needed = {
        let mut world = World::new();
        world.add(Body::new(ring.clone())).unwrap();
        world.add(Body::new(ring.clone()).at(linked(1.0))).unwrap();
        let mut budget = Budget::steps(u64::MAX / 4);
        assert!(world.update_within(&mut budget).is_complete());
        budget.spent()
    };
    let mut world = World::new();
    world.add(Body::new(ring.clone())).unwrap();
    let other = world.add(Body::new(ring).at(linked(1.0))).unwrap();
    // The bodies and boxes of these take the other half of the budget, and their checks more than
    // is left.
    let ball = Sphere::new(0.6).unwrap();
    let place = |n: usize| Vec3::new(n as f64, 100.0, 0.0);
    let balls: Vec<Handle> =
        (0..2000).map(|n| world.add(Body::new(ball).at(at(place(n)))).unwrap()).collect();
    let mut decided = 0;
    for frame in 0..200_u32 {
        let lift = Vec3::Z * 1e-3 * f64::from(frame % 3);
        for (n, body) in balls.iter().enumerate() {
            world.move_to(*body, at(place(n) + lift)).unwrap();
        }
        world.move_to(other, linked(1.0 + 1e-6 * f64::from(frame % 3))).unwrap();
        world.update_within(&mut Budget::steps(3 * steps_needed));
        let is_open = world.undecided().any(|pair| pair.b == other);
        decided += u32::from(!is_open && !world.not_compared().any(|body| body == other));
    }
    assert!(decided > 2, "{decided}");
}

/// Bodies of many parts are compared in pieces, too.
#[test]
fn bodies_of_many_parts_are_compared_in_parts() {
    let link = Shape::from(Capsule::new(0.2, 0.05).unwrap());
    let comb = |offset: Vec3| {
        let parts = (0..300).map(|n| (link.clone(), at(Vec3::X * (0.3 * f64::from(n)) + offset)));
        Geometry::compound(parts).unwrap()
    };
    // Links have a diameter of 0.1. In the first case the boxes of 300 pairs of links overlap.
    for (offset, meets) in [([0.09, 0.06, 0.0], false), ([0.09, 0.0, 0.0], true)] {
        let worlds = || {
            let mut world = World::new();
            world.add(Body::new(comb(Vec3::ZERO))).unwrap();
            world.add(Body::new(comb(Vec3::from_array(offset)))).unwrap();
            world
        };
        let mut world = worlds();
        let (mut frames, mut last) = (1, impinge::Bounds::UNKNOWN);
        while !world.update_within(&mut Budget::steps(60)).is_complete() {
            let report = world.report();
            assert!(report.events().is_empty());
            for pair in report.undecided() {
                assert!(pair.bounds.lower >= last.lower && pair.bounds.upper <= last.upper);
                assert!(pair.bounds.lower <= 0.0 && pair.bounds.upper > 0.01);
                last = pair.bounds;
            }
            frames += 1;
            assert!(frames < 1000);
        }
        assert_eq!(world.report().stats().meeting == 1, meets);
        // 75 units each for the boxes and their order, and three for each pair of links.
        assert!(frames > if meets { 2 } else { 15 }, "{offset:?}: {frames}");
        // In one piece as in parts.
        let mut whole = worlds();
        whole.update_within(&mut Budget::steps(1 << 40));
        assert_eq!(whole.report().events(), world.report().events());
    }
}

/// Witnesses depend on geometries and poses, not on where earlier searches ended.
#[test]
fn witnesses_do_not_depend_on_earlier_updates() {
    let mut random = Random::new(77);
    let forms = geometries();
    for round in 0..40 {
        let [one, other] = [(); 2].map(|()| forms[random.below(forms.len())].clone());
        let mut world = World::new();
        world.add(Body::new(one.clone())).unwrap();
        let moving = world.add(Body::new(other.clone())).unwrap();
        world.prepare();
        for step in 0..30 {
            let pose = at(Vec3::new(0.07 * f64::from(30 - step), 0.021, 0.013 * f64::from(round)));
            world.move_to(moving, pose).unwrap();
            let report = world.update_within(&mut Budget::steps(1 << 30));
            let Some(event) = report.began().next() else { continue };
            let mut fresh = World::new();
            fresh.add(Body::new(one.clone())).unwrap();
            fresh.add(Body::new(other.clone()).at(pose)).unwrap();
            let report = fresh.update_within(&mut Budget::steps(1 << 30));
            assert_eq!(report.began().next(), Some(event));
            assert!(event.witness.is_some() || !event.is_certain());
        }
    }
}

#[test]
fn a_hundred_thousand_bodies_within_a_small_budget() {
    let mut world = World::new();
    world.reserve(100_001, 200_000);
    let floor = Cuboid::new([2000.0, 2000.0, 1.0]).unwrap();
    world.add(Body::new(floor).at(at(Vec3::new(500.0, 500.0, -0.9)))).unwrap();
    let ball = Sphere::new(0.45).unwrap();
    for n in 0..100_000_u32 {
        let place = Vec3::new(f64::from(n % 317), f64::from(n / 317), 0.0);
        world.add(Body::new(ball).at(at(place))).unwrap();
    }
    let mut events = 0;
    let mut frames = 0;
    while !world.update_within(&mut Budget::steps(40_000)).is_complete() {
        let report = world.report();
        events += report.events().len();
        // The work of a frame is limited, whatever is left to do.
        assert!(report.stats().checked <= 10_000 && report.stats().moved <= 10_000);
        frames += 1;
        assert!(frames < 2_000);
    }
    events += world.report().events().len();
    // Every ball touches the floor, which is below its centre by 0.4; no ball another one.
    assert_eq!((events, world.report().stats().meeting), (100_000, 100_000));
    assert!(frames > 20, "{frames}");
}
