//! The exchange between the application and the detection thread on real threads, at full speed and
//! with either side slow.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and prints its measurements"
)]

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use impinge::ErrorKind;
use impinge::internals::exchange::{
    Command, Counters, DroppedCounts, Entry, FrameWriter, Merge, Outbox, Reports, Scope, Step,
    Worker, latest,
};

/// The number of poses that are sent. Smaller under Miri, which is slow.
const POSES: u64 = if cfg!(miri) { 600 } else { 400_000 };
const BODIES: u64 = 500;

/// A pose with equal numbers, so that a torn value is detected.
type Wide = [u64; 12];

/// Adds or removes a body. The second number is the number of the command.
#[derive(Clone, Copy, Debug)]
enum Order {
    Add(u32, u64),
    Remove(u32, u64),
}

impl Command for Order {
    fn scope(&self) -> Scope {
        let (Order::Add(body, _) | Order::Remove(body, _)) = *self;
        Scope::Body(body)
    }
}

type Input = Outbox<Wide, Order>;
type Output = Reports<Wide, (u32, u64)>;

/// The state of the detector. It checks that every command arrives in order and that no pose is
/// replaced by an older one.
#[derive(Default)]
struct Detector {
    poses: Vec<Option<u64>>,
    commands: u64,
    frame: u64,
    frames: u64,
    steps: u64,
    events: u64,
    moved: Vec<u32>,
}

impl Detector {
    fn step(&mut self, step: Step, input: &mut Input, output: &mut Output) {
        assert!(step.frame > self.frame, "frame {} after {}", step.frame, self.frame);
        assert_eq!(step.frame - self.frame, step.frames);
        self.frame = step.frame;
        self.frames += step.frames;
        self.steps += 1;
        self.moved.clear();
        for entry in input.drain() {
            match entry {
                Entry::Pose(body, pose) => {
                    assert!(pose.iter().all(|&p| p == pose[0]), "torn: {pose:?}");
                    let old = &mut self.poses[body as usize];
                    assert!(old.is_some_and(|old| old < pose[0]), "{} after {old:?}", pose[0]);
                    *old = Some(pose[0]);
                    self.moved.push(body);
                }
                Entry::Command(order) => {
                    let (Order::Add(body, number) | Order::Remove(body, number)) = order;
                    assert_eq!(number, self.commands);
                    self.commands += 1;
                    let place = body as usize;
                    if place >= self.poses.len() {
                        self.poses.resize(place + 1, None);
                    }
                    let add = matches!(order, Order::Add(..));
                    assert_eq!(self.poses[place].is_none(), add);
                    self.poses[place] = add.then_some(0);
                }
            }
        }
        // An index that is reused by another body has two poses in one input.
        self.moved.sort_unstable();
        self.moved.dedup();
        let mut report = FrameWriter::begin(output, step.frame);
        for &body in self.moved.iter().rev() {
            if let Some(pose) = self.poses[body as usize] {
                report.pose(body, [pose; 12]);
                report.event((body, pose));
                self.events += 1;
            }
        }
    }
}

/// The longest call, and the total time and number of calls.
#[derive(Default)]
struct Clock {
    longest: Duration,
    total: Duration,
    calls: u32,
}

impl Clock {
    fn time<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let value = call();
        let took = start.elapsed();
        self.longest = self.longest.max(took);
        self.total += took;
        self.calls += 1;
        value
    }
}

/// The number of voluntary context switches of this thread, where the system provides it. (A long
/// call without one was preempted by the system and did not wait.)
fn voluntary_switches() -> Option<u64> {
    if cfg!(miri) {
        return None;
    }
    let status = std::fs::read_to_string("/proc/thread-self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches"))?;
    line.split_whitespace().last()?.parse().ok()
}

struct Reading {
    frame: u64,
    events: u64,
    dropped: DroppedCounts,
}

impl Reading {
    /// Checks that frames are in order and that every event has its pose.
    fn read(&mut self, reports: &Output) {
        for report in reports.frames() {
            assert!(report.frame > self.frame);
            self.frame = report.frame;
            for &(body, pose) in report.events {
                assert_eq!(report.pose(body), Some(&[pose; 12]));
            }
        }
        self.events += reports.events().len() as u64;
        self.dropped.frames += reports.dropped().frames;
        self.dropped.events += reports.dropped().events;
    }
}

/// Sends `POSES` poses as fast as possible, `per_frame` in each frame, with commands in between,
/// and reads reports every `read_every` frames. The detector sleeps for `step_sleep` in each step.
fn stress(name: &str, per_frame: u64, read_every: u64, step_sleep: Duration) -> Counters {
    let step =
        move |detector: &mut Detector, step: Step, input: &mut Input, output: &mut Output| {
            detector.step(step, input, output);
            if !step_sleep.is_zero() {
                thread::sleep(step_sleep);
            }
        };
    let mut worker = Worker::spawn(name, Detector::default(), step).unwrap();
    let (mut set, mut send, mut receive) = (Clock::default(), Clock::default(), Clock::default());
    let mut newest = vec![None; BODIES as usize];
    let mut commands = 0;
    let mut reading = Reading { frame: 0, events: 0, dropped: DroppedCounts::default() };
    let mut random = 1_u64;
    let before = voluntary_switches();
    for n in 1..=POSES {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let body = (random >> 33) % BODIES;
        let place = &mut newest[body as usize];
        let body = body as u32;
        if place.is_none() {
            worker.input().push(Order::Add(body, commands));
            commands += 1;
        }
        set.time(|| worker.input().set(body, [n; 12]));
        *place = Some(n);
        if random >> 60 == 0 {
            worker.input().push(Order::Remove(body, commands));
            commands += 1;
            *place = None;
        }
        if n % per_frame == 0 {
            let frame = send.time(|| worker.send()).unwrap();
            assert_eq!(frame, n / per_frame);
            if frame % read_every == 0 {
                if let Some(reports) = receive.time(|| worker.receive()) {
                    reading.read(reports);
                }
                let counters = worker.counters();
                assert_eq!(counters.detected, reading.frame);
                assert_eq!(counters.lag(), frame - reading.frame);
            }
        }
    }
    let waited = before.zip(voluntary_switches()).map(|(before, after)| after - before);
    let counters = worker.counters();
    let (detector, reports) = worker.join().unwrap();
    reading.read(&reports);
    assert_eq!(detector.commands, commands);
    assert!(detector.poses.iter().eq(&newest[..detector.poses.len()]));
    assert_eq!(detector.frames, POSES / per_frame);
    assert_eq!(detector.frame, reading.frame);
    assert_eq!(detector.events, reading.events + reading.dropped.events);
    assert_eq!(counters.sent, detector.frames);
    assert_eq!(counters.merged, detector.frames - detector.steps);
    println!(
        "{name}: {} frames, {} of them merged, {} steps, {} events read and {} dropped",
        counters.sent, counters.merged, detector.steps, reading.events, reading.dropped.events
    );
    println!("  the application's thread waited {waited:?} times");
    for (call, clock) in [("set", set), ("send", send), ("receive", receive)] {
        let mean = clock.total / clock.calls.max(1);
        println!("  {call}: longest {:?}, mean {mean:?}, {} calls", clock.longest, clock.calls);
    }
    counters
}

#[test]
fn commands_and_poses_arrive_with_a_slow_detector() {
    let step_sleep = Duration::from_millis(if cfg!(miri) { 500 } else { 1 });
    let counters = stress("slow detector", 100, 1, step_sleep);
    assert!(counters.merged > 0);
}

#[test]
fn commands_and_poses_arrive_at_full_speed() {
    stress("fast detector", 20, 1, Duration::ZERO);
}

#[test]
fn commands_and_poses_arrive_with_a_slow_reader() {
    stress("rare reader", 10, 1000, Duration::ZERO);
}

/// The application continues while a step is blocked. It would not if a call waited for the
/// detector.
#[test]
fn no_call_waits_for_a_step() {
    let (release, released) = mpsc::channel::<()>();
    let (begin, begun) = mpsc::channel();
    let step = move |sum: &mut u64, step: Step, input: &mut Vec<u64>, output: &mut Vec<u64>| {
        if step.frame == 1 {
            begin.send(()).unwrap();
            released.recv().unwrap();
        }
        *sum += input.drain(..).sum::<u64>();
        output.push(step.frames);
    };
    let mut worker = Worker::spawn("stuck", 0, step).unwrap();
    worker.input().push(1);
    worker.send().unwrap();
    begun.recv().unwrap();
    for n in 2..=1000 {
        worker.input().push(n);
        worker.send().unwrap();
        assert!(worker.receive().is_none());
    }
    let counters = worker.counters();
    assert_eq!((counters.sent, counters.merged, counters.lag()), (1000, 998, 1000));
    release.send(()).unwrap();
    let (sum, frames) = worker.join().unwrap();
    assert_eq!((sum, frames), (500_500, vec![1, 999]));
}

#[test]
fn a_panic_becomes_an_error_with_its_message() {
    let step = |_: &mut (), step: Step, _: &mut Vec<u64>, out: &mut Vec<u64>| {
        assert!(step.frame < 3, "no frame {}", step.frame);
        out.push(step.frame);
    };
    let mut worker = Worker::spawn("with a zero \0 byte", (), step).unwrap();
    let error = loop {
        worker.input().push(1);
        match worker.send() {
            Ok(_) => thread::yield_now(),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::Thread);
    assert!(error.to_string().contains("no frame "), "{error}");
    assert_eq!(worker.counters().dropped, 1);
    assert!(worker.input().is_empty() && worker.check().is_err());
    // Earlier reports are still available.
    if let Some(reports) = worker.receive() {
        assert!(reports.iter().all(|&frame| frame < 3));
    }
    assert_eq!(worker.join().unwrap_err().kind(), ErrorKind::Thread);
}

/// The thread drops its state and ends, although no thread joins it.
#[test]
fn dropping_the_worker_ends_the_thread() {
    let (state, dropped) = mpsc::channel::<()>();
    let step = |_: &mut mpsc::Sender<()>, _: Step, _: &mut Vec<u64>, _: &mut Vec<u64>| {};
    let mut worker = Worker::spawn("dropped", state, step).unwrap();
    worker.send().unwrap();
    drop(worker);
    assert_eq!(dropped.recv(), Err(mpsc::RecvError));
}

/// Only the cell, with writer and reader at full speed.
#[test]
fn the_cell_delivers_complete_values_in_order() {
    let (mut writer, mut reader) = latest::<(Vec<u64>, Wide)>();
    let writing = thread::spawn(move || {
        for n in 1..=POSES {
            let value = writer.value_mut();
            value.0.clear();
            value.0.resize(n as usize % 7, n);
            value.1 = [n; 12];
            writer.publish();
        }
    });
    let (mut last, mut seen) = (0, 0);
    while last < POSES {
        if reader.update() {
            let (list, wide) = reader.value();
            let n = wide[0];
            assert!(n > last && wide.iter().all(|&w| w == n));
            assert!(list.len() as u64 == n % 7 && list.iter().all(|&l| l == n));
            (last, seen) = (n, seen + 1);
        } else {
            thread::yield_now();
        }
    }
    writing.join().unwrap();
    println!("{seen} of {POSES} values seen");
    assert!(!reader.update());
}

/// Only the cell, with merging: no value is lost.
#[test]
fn the_merging_cell_delivers_every_value_once() {
    let (mut writer, mut reader) = latest::<Vec<u64>>();
    let writing = thread::spawn(move || {
        for n in 1..=POSES {
            writer.value_mut().push(n);
            writer.publish_merged();
        }
    });
    let mut last = 0;
    while last < POSES {
        if reader.update() {
            for &n in reader.value() {
                assert_eq!(n, last + 1);
                last = n;
            }
        } else {
            thread::yield_now();
        }
    }
    writing.join().unwrap();
    assert!(!reader.update() && !Merge::is_empty(reader.value()));
}
