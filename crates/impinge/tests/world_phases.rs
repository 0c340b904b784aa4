//! Broad phases defined outside of the engine; and the behaviour of a world when one of them stops
//! before it has compared all boxes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicBool, Ordering};

use impinge::Pose;
use impinge::broad::{
    AllPairs, BroadPhase, Changes, Completeness, FrameInput, Moved, Pair, PhaseKind, testing,
};
use impinge::convex::Sphere;
use impinge::pair::Budget;
use impinge::world::{Body, Handle, World, WorldOptions};

fn at(x: f64) -> Pose {
    Pose::from_translation([x, 0.0, 0.0]).unwrap()
}

/// All pairs, by a broad phase that appends changes and never clears them.
#[derive(Debug, Default)]
struct OnlyAppends {
    pairs: Vec<Pair>,
}

impl BroadPhase for OnlyAppends {
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        let count = frame.bounds.len() as u32;
        let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| Pair { a, b }));
        let now: Vec<Pair> = all.filter(|pair| frame.overlap(pair.a, pair.b)).collect();
        let before = std::mem::replace(&mut self.pairs, now);
        let is_in = |list: &[Pair], pair: &Pair| list.binary_search(pair).is_ok();
        changes.began.extend(self.pairs.iter().filter(|pair| !is_in(&before, pair)));
        changes.ended.extend(before.iter().filter(|pair| !is_in(&self.pairs, pair)));
        Completeness::Complete
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        to.extend_from_slice(&self.pairs);
    }

    fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>()
    }
}

#[test]
fn a_phase_that_only_appends_agrees_with_the_oracle() {
    testing::agrees_with_the_oracle(OnlyAppends::default, false);
}

/// In worlds that check pairs after the broad phase, and in worlds that check them beside it.
#[test]
fn a_phase_that_only_appends_gives_the_events_of_the_default_one() {
    const APPENDING: PhaseKind = PhaseKind::new("appending", || Box::new(OnlyAppends::default()));
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for count in [5, 120] {
        let run = |phase: PhaseKind| {
            let mut world = World::with_options(WorldOptions::default().phase(phase));
            let ball = || Body::new(Sphere::new(1.0).unwrap());
            let bodies: Vec<Handle> = (0..count).map(|_| world.add(ball()).unwrap()).collect();
            let mut events = Vec::new();
            for frame in 0..30 {
                // All bodies move in some frames, one in others, none in every fifth.
                for (n, body) in bodies.iter().enumerate() {
                    let moves = frame % 5 != 4 && (frame % 2 == 0 || n == frame);
                    if moves {
                        let x = 0.8 * (n * (frame + 3) % count) as f64;
                        world.move_to(*body, at(x)).unwrap();
                    }
                }
                let report = world.update();
                events.push((report.events().to_vec(), report.stats().boxes_began));
            }
            (events, world.collisions().len())
        };
        let (own, default) = threads.install(|| (run(APPENDING), run(PhaseKind::NEIGHBOURS)));
        assert_eq!(own, default);
        assert!(own.0.iter().filter(|(events, _)| !events.is_empty()).count() > 5);
    }
}

static STALLED: AtomicBool = AtomicBool::new(false);

/// All pairs, except those with odd items while `STALLED` is set.
#[derive(Debug, Default)]
struct Stalling {
    whole: AllPairs,
    /// The pairs that were reported.
    known: Vec<Pair>,
    behind: bool,
    named: usize,
}

impl BroadPhase for Stalling {
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        if let (Moved::All, true) = (frame.moved, self.behind) {
            self.named += 1;
        }
        self.whole.update_unlimited(frame, changes);
        changes.clear();
        let mut now = Vec::new();
        self.whole.pairs(&mut now);
        let stalled = STALLED.load(Ordering::Relaxed);
        let open = |pair: &Pair| stalled && (pair.a % 2 == 1 || pair.b % 2 == 1);
        let was = std::mem::take(&mut self.known);
        changes.began.extend(now.iter().filter(|p| !was.contains(p) && !open(p)));
        changes.ended.extend(was.iter().filter(|p| !now.contains(p) && !open(p)));
        self.known.extend(was.iter().filter(|p| now.contains(p) || open(p)));
        self.known.extend(&changes.began);
        self.behind = stalled;
        if stalled {
            changes.pending.extend((0..frame.bounds.len() as u32).rev().filter(|n| n % 2 == 1));
            return Completeness::Incomplete;
        }
        Completeness::Complete
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        to.extend_from_slice(&self.known);
    }

    fn bytes(&self) -> usize {
        self.whole.bytes()
    }
}

#[test]
fn pairs_that_are_not_compared_keep_their_state() {
    const STALLING: PhaseKind = PhaseKind::new("stalling", || Box::new(Stalling::default()));
    let stall = |stalled| STALLED.store(stalled, Ordering::Relaxed);
    let mut world = World::with_options(WorldOptions::default().phase(STALLING));
    let ball = || Body::new(Sphere::new(0.5).unwrap());
    let bodies: Vec<Handle> =
        (0..4).map(|n| world.add(ball().at(at(10.0 * f64::from(n)))).unwrap()).collect();
    assert!(world.update().events().is_empty() && world.report().not_compared().is_empty());
    // 0 and 2 are compared, 0 and 1 are not.
    stall(true);
    world.move_to(bodies[2], at(0.5)).unwrap();
    world.move_to(bodies[1], at(0.2)).unwrap();
    let report = world.update();
    assert_eq!(report.not_compared(), [bodies[1], bodies[3]]);
    assert_eq!(report.events().len(), 1);
    assert!(
        world.meet(bodies[0], bodies[2]).unwrap() && !world.meet(bodies[0], bodies[1]).unwrap()
    );
    // The broad phase runs again although nothing moves.
    stall(false);
    let report = world.update();
    assert!(report.not_compared().is_empty());
    assert!(report.events().len() == 2 && report.began().count() == 2);
    // Pairs that meet are kept while options change and a new broad phase has not found them yet.
    stall(true);
    world.move_to(bodies[3], at(30.5)).unwrap();
    world.set_options(world.options().clone().oriented(true));
    let report = world.update();
    assert!(report.events().is_empty() && report.not_compared().len() == 2);
    assert_eq!(world.collisions().len(), 3);
    world.set_interest(bodies[0], bodies[1], Some(false)).unwrap();
    let report = world.update();
    assert_eq!(report.ended().count(), 1);
    // Body 1 leaves body 2; this is detected when the broad phase compares them.
    world.move_to(bodies[1], at(70.0)).unwrap();
    world.update();
    stall(false);
    world.update();
    assert!(world.report().not_compared().is_empty());
    assert_eq!(world.collisions().len(), 1);
    assert!(world.meet(bodies[0], bodies[2]).unwrap());
}
