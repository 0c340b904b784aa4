//! A world on a separate thread whose updates have a budget.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use impinge::convex::Sphere;
use impinge::pair::Budget;
use impinge::world::{
    Body, Detached, DetachedOptions, DetachedReports, EventKind, Handle, Open, World,
};
use impinge::{Pose, shapes};
use impinge_oracles::common::Random;

/// What the application knows from the reports that it received.
#[derive(Default)]
struct Known {
    meeting: BTreeSet<(Handle, Handle)>,
    frame: u64,
    is_complete: bool,
    /// Reports of updates that did not finish.
    incomplete: usize,
    /// Reports that arrived together with an older one.
    merged: usize,
}

impl Known {
    fn read(&mut self, reports: &DetachedReports) {
        assert_eq!(reports.dropped().events, 0);
        self.merged += reports.frames().len().saturating_sub(1);
        for report in reports.frames() {
            assert!(report.frame >= self.frame);
            self.frame = report.frame;
            self.is_complete = report.is_complete();
            self.incomplete += usize::from(!report.is_complete());
            let (mut pairs, mut bodies) = (0, 0);
            for open in report.open {
                match open {
                    Open::Pair(pair) => {
                        pairs += 1;
                        assert!(pair.bounds.lower <= pair.bounds.upper);
                        // An undecided pair causes no event.
                        let is_same =
                            |event: &&impinge::world::Event| (event.a, event.b) == (pair.a, pair.b);
                        assert!(!report.events.iter().any(|event| is_same(&event)));
                    }
                    Open::Body(_) => bodies += 1,
                    _ => unreachable!("there are two kinds"),
                }
            }
            assert!(pairs <= report.counts.pairs && bodies <= report.counts.bodies);
            for event in report.events {
                let pair = (event.a, event.b);
                match event.kind {
                    EventKind::Began => assert!(self.meeting.insert(pair), "{pair:?} began twice"),
                    EventKind::Ended => assert!(self.meeting.remove(&pair), "{pair:?} ended twice"),
                    EventKind::Persists => panic!("not requested"),
                }
                if event.kind == EventKind::Began {
                    assert!(report.pose(event.a.slot() as u32).is_some());
                }
            }
        }
    }

    /// Reads reports until one of this frame is complete.
    fn read_to_the_end(&mut self, detached: &mut Detached, frame: u64) {
        let start = Instant::now();
        while !(self.is_complete && self.frame == frame) {
            if let Some(reports) = detached.receive() {
                self.read(reports);
            }
            detached.check().unwrap();
            assert!(start.elapsed() < Duration::from_secs(100), "the thread stopped");
            std::thread::yield_now();
        }
    }
}

fn pose(random: &mut Random) -> Pose {
    let turn = [0; 4].map(|_| random.signed());
    Pose::from_quaternion(turn, random.point() * 3.0).unwrap()
}

fn body(random: &mut Random, n: usize) -> Body {
    let body = match n % 2 {
        0 => Body::new(Sphere::new(0.5).unwrap()),
        _ => {
            let ring = shapes::torus(0.6, 0.2, 12, 6).unwrap();
            ring.prepare();
            Body::new(ring)
        }
    };
    body.at(pose(random)).user(n as u64)
}

fn meeting(world: &World) -> BTreeSet<(u64, u64)> {
    let user = |body| world.user(body).unwrap();
    let pairs = world.collisions().into_iter().map(|pair| (user(pair.a), user(pair.b)));
    pairs.map(|(a, b)| (a.min(b), a.max(b))).collect()
}

/// Whatever the budget, and however seldom the application reads: once the load drops, the reports
/// have led to the same pairs as complete updates.
#[test]
fn reports_lead_to_the_pairs_of_a_synchronous_world() {
    for (seed, steps, frames_until_read) in [(1, 40, 1), (2, 150, 7), (3, 1000, 30), (4, 60, 400)] {
        let mut random = Random::new(seed);
        let mut world = World::new();
        let mut handles: Vec<Handle> =
            (0..40).map(|n| world.add(body(&mut random, n)).unwrap()).collect();
        let mut exact = world.clone();
        let mut exact_handles = handles.clone();
        let options = DetachedOptions::default().steps(steps);
        let mut detached = world.detach_with(options).unwrap();
        let mut known = Known::default();
        let mut last = 0;
        for frame in 0..300 {
            let rests = frame % 100 > 80;
            for _ in 0..if rests { 0 } else { 10 } {
                let n = random.below(handles.len());
                let pose = pose(&mut random);
                detached.move_to(handles[n], pose);
                exact.move_to(exact_handles[n], pose).unwrap();
            }
            if frame % 10 == 3 {
                let n = random.below(handles.len());
                detached.remove(handles.swap_remove(n));
                exact.remove(exact_handles.swap_remove(n)).unwrap();
                let added = body(&mut random, 1000 + frame);
                handles.push(detached.add(added.clone()).unwrap());
                exact_handles.push(exact.add(added).unwrap());
            }
            exact.update();
            last = detached.send().unwrap();
            if frame % frames_until_read == 0 {
                if let Some(reports) = detached.receive() {
                    known.read(reports);
                }
            }
        }
        known.read_to_the_end(&mut detached, last);
        let (world, rest) = detached.reattach().unwrap();
        known.read(&rest);
        assert!(known.is_complete && known.incomplete > 0, "{steps}: {}", known.incomplete);
        assert_eq!(meeting(&world), meeting(&exact));
        let pairs: BTreeSet<_> =
            world.collisions().into_iter().map(|pair| (pair.a, pair.b)).collect();
        assert_eq!(known.meeting, pairs);
    }
}

#[test]
fn a_body_is_removed_while_its_pair_is_undecided() {
    let mut world = World::new();
    let ring = shapes::torus(1.0, 0.495, 160, 80).unwrap();
    ring.prepare();
    let a = world.add(Body::new(ring.clone())).unwrap();
    let linked = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0]).unwrap();
    let b = world.add(Body::new(ring).at(linked)).unwrap();
    let mut detached = world.detach_with(DetachedOptions::default().steps(60)).unwrap();
    detached.send().unwrap();
    let mut known = Known::default();
    // It moves in every frame, so that no update decides.
    for n in 1..100 {
        let turned =
            Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0 + 1e-6 * f64::from(n), 0.0, 0.0]);
        detached.move_to(b, turned.unwrap());
        detached.send().unwrap();
    }
    let mut has_seen_pair = false;
    while !has_seen_pair {
        let Some(reports) = detached.receive() else { continue };
        for frame in reports.frames() {
            let is_pair = |open: &Open| matches!(open, Open::Pair(p) if (p.a, p.b) == (a, b));
            has_seen_pair |= frame.open.iter().any(is_pair) && frame.counts.pairs == 1;
        }
        known.read(reports);
    }
    detached.remove(b);
    let last = detached.send().unwrap();
    known.read_to_the_end(&mut detached, last);
    assert!(known.meeting.is_empty());
    let (mut world, rest) = detached.reattach().unwrap();
    assert!(rest.events().is_empty());
    assert!(world.update_within(&mut Budget::steps(60)).is_complete());
    assert_eq!(world.len(), 1);
}

/// The thread stops when nothing can be done: a mesh without a tree stays undecided.
#[test]
fn the_thread_rests_when_no_budget_would_help() {
    let mut world = World::new();
    let ring = shapes::torus(1.0, 0.4, 60, 40).unwrap();
    world.add(Body::new(ring.clone())).unwrap();
    world.add(Body::new(ring)).unwrap();
    let mut detached = world.detach_with(DetachedOptions::default().steps(5_000)).unwrap();
    detached.send().unwrap();
    let mut known = Known::default();
    let start = Instant::now();
    while known.frame == 0 {
        if let Some(reports) = detached.receive() {
            known.read(reports);
        }
        assert!(start.elapsed() < Duration::from_secs(100), "no report");
    }
    std::thread::sleep(Duration::from_millis(50));
    if let Some(reports) = detached.receive() {
        known.read(reports);
    }
    assert!(!known.is_complete);
    let steps = detached.stats().counters.steps;
    assert!(steps <= 2, "{steps}");
    let (mut world, _) = detached.reattach().unwrap();
    world.prepare();
    assert!(world.update_within(&mut Budget::steps(5_000)).is_complete());
    assert_eq!(world.report().stats().meeting, 1);
}
