//! The detection thread: wake-ups, reports, shutdown, panics.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use impinge_loom::ErrorKind;
use impinge_loom::exchange::{FrameWriter, Next, Reports, Step, Worker};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};

/// Adds up the numbers it receives. Reports one event per number, and the sum as the pose of body
/// 0.
fn adder(sum: &mut u32, step: Step, input: &mut Vec<u32>, output: &mut Reports<u32, u32>) {
    let mut report = FrameWriter::begin(output, step.frame);
    for n in input.drain(..) {
        *sum += n;
        report.event(n);
    }
    report.pose(0, *sum);
}

/// Sends `sends` frames. Every frame is in one step, every step in one report, the events arrive
/// once and in order, and a frame's pose is the pose after the frame.
fn check_frames(sends: u32, bound: Option<usize>) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = bound;
    builder.check(move || {
        let mut worker = Worker::spawn("adder", 0, adder).unwrap();
        let mut events = Vec::new();
        let mut newest = 0;
        let mut read = |reports: &Reports<u32, u32>| {
            for frame in reports.frames() {
                assert!(frame.frame > newest);
                newest = frame.frame;
                events.extend_from_slice(frame.events);
                assert_eq!(frame.pose(0), Some(&events.iter().sum()));
            }
        };
        for n in 1..=sends {
            worker.input().push(n);
            assert_eq!(worker.send().unwrap(), u64::from(n));
            if let Some(reports) = worker.receive() {
                read(reports);
            }
            let counters = worker.counters();
            assert!(counters.received + counters.reports_merged == counters.steps);
            assert!(counters.steps + counters.merged <= counters.sent);
        }
        let (sum, reports) = worker.join().unwrap();
        read(&reports);
        assert_eq!(events, (1..=sends).collect::<Vec<_>>());
        assert_eq!(newest, u64::from(sends));
        assert_eq!(sum, events.iter().sum::<u32>());
    });
}

#[test]
fn one_frame_arrives() {
    check_frames(1, None);
}

#[test]
fn three_frames_arrive_in_order() {
    check_frames(3, Some(3));
}

/// `join` processes input that was filled but not sent.
#[test]
fn join_processes_unsent_input() {
    loom::model(|| {
        let mut worker = Worker::spawn("adder", 0, adder).unwrap();
        worker.input().push(5);
        let (sum, reports) = worker.join().unwrap();
        assert_eq!((sum, reports.events()), (5, [5].as_slice()));
    });
}

/// A step that continues is called again without input, each time with a report of the same frame,
/// and new input is taken between. The end does not wait for it.
#[test]
fn a_step_continues_without_input() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(|| {
        // Adds up what is sent, one in each step.
        let step =
            |state: &mut (u32, Vec<u32>), step: Step, input: &mut Vec<u32>, output: &mut Vec<_>| {
                assert_eq!(input.is_empty(), step.frames == 0);
                state.1.append(input);
                state.0 += state.1.pop().unwrap();
                output.push((step.frame, state.0));
                if state.1.is_empty() { Next::Wait } else { Next::Continue }
            };
        let mut worker = Worker::spawn_continuing("adder", (0, Vec::new()), step).unwrap();
        worker.input().extend([1, 2]);
        worker.send().unwrap();
        worker.input().push(4);
        worker.send().unwrap();
        let mut reports = Vec::new();
        if let Some(new) = worker.receive() {
            reports.append(new);
        }
        let ((sum, left), rest) = worker.join().unwrap();
        reports.extend(rest);
        assert_eq!(sum + left.iter().sum::<u32>(), 7);
        assert!(reports.is_sorted() && !reports.is_empty() && reports.len() <= 3);
        assert_eq!(reports.last().map(|report| report.0), Some(2));
        assert_eq!(reports.last().map(|report| report.1), Some(sum));
    });
}

/// When the worker is dropped, the thread ends and drops its state, whether it is parked, running a
/// step, or not started yet.
#[test]
fn dropping_the_worker_ends_the_thread() {
    struct State(Arc<AtomicUsize>);
    impl Drop for State {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    loom::model(|| {
        let ended = Arc::new(AtomicUsize::new(0));
        let state = State(Arc::clone(&ended));
        let step = |_: &mut State, _: Step, _: &mut Vec<u32>, _: &mut Vec<u32>| {};
        let mut worker = Worker::spawn("dropped", state, step).unwrap();
        worker.input().push(1);
        worker.send().unwrap();
        drop(worker);
        while ended.load(Ordering::SeqCst) == 0 {
            loom::thread::yield_now();
        }
    });
}

/// After a panic in a step, the following calls return errors, whenever the panic occurs; no call
/// hangs.
#[test]
fn panic_in_a_step_becomes_an_error() {
    loom::model(|| {
        let step = |_: &mut (), step: Step, _: &mut Vec<u32>, _: &mut Vec<u32>| {
            // Not `panic!`, which would print a message for every interleaving.
            std::panic::resume_unwind(Box::new(format!("in frame {}", step.frame)));
        };
        let mut worker = Worker::spawn("panics", (), step).unwrap();
        worker.input().push(1);
        worker.send().unwrap();
        worker.input().push(2);
        let second = worker.send();
        let counters = worker.counters();
        assert_eq!(counters.sent + counters.dropped, 2);
        assert_eq!(second.is_err(), counters.dropped == 1);
        assert!(worker.input().is_empty() && worker.receive().is_none());
        let error = worker.join().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Thread);
        assert!(error.to_string().contains("in frame "), "{error}");
    });
}
