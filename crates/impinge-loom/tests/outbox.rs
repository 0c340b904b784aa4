//! The transfer of the application's commands and poses through the cell.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use impinge_loom::exchange::{Command, Entry, Outbox, Scope, latest};
use loom::thread;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Add(u32),
    Remove(u32),
}

impl Command for Order {
    fn scope(&self) -> Scope {
        let (Order::Add(body) | Order::Remove(body)) = *self;
        Scope::Body(body)
    }
}

/// Bodies 0 and 1 by pose, and the commands that arrived.
#[derive(Default)]
struct Detector {
    poses: [Option<u32>; 2],
    commands: Vec<Order>,
}

impl Detector {
    fn take(&mut self, outbox: &mut Outbox<u32, Order>) {
        for entry in outbox.drain() {
            match entry {
                Entry::Pose(body, pose) => {
                    let old = &mut self.poses[body as usize];
                    assert!(old.is_some_and(|old| old < pose), "{pose} after {old:?}");
                    *old = Some(pose);
                }
                Entry::Command(order) => {
                    self.commands.push(order);
                    match order {
                        Order::Add(body) => self.poses[body as usize] = Some(0),
                        Order::Remove(body) => self.poses[body as usize] = None,
                    }
                }
            }
        }
    }
}

/// Every command arrives exactly once and in order, a pose is never replaced by an older one, and
/// the newest pose arrives last. Two bodies use the index 1, and a pose of the first does not reach
/// the second.
#[test]
fn no_command_is_lost_and_the_newest_pose_wins() {
    use Order::{Add, Remove};
    let parts = Arc::new(Mutex::new(BTreeSet::new()));
    let into = Arc::clone(&parts);
    loom::model(move || {
        let (mut writer, mut reader) = latest::<Outbox<u32, Order>>();
        let writing = thread::spawn(move || {
            let outbox = writer.value_mut();
            outbox.push(Add(0));
            outbox.push(Add(1));
            outbox.set(0, 1);
            outbox.set(1, 9);
            writer.publish_merged();
            let outbox = writer.value_mut();
            outbox.set(0, 2);
            outbox.push(Remove(1));
            outbox.push(Add(1));
            writer.publish_merged();
            writer.value_mut().set(0, 3);
            writer.publish_merged();
        });
        let mut detector = Detector::default();
        let mut parts = Vec::new();
        for _ in 0..3 {
            if reader.update() {
                detector.take(reader.value_mut());
                parts.push(detector.poses[0]);
            }
        }
        writing.join().unwrap();
        if reader.update() {
            detector.take(reader.value_mut());
        }
        assert_eq!(detector.commands, [Add(0), Add(1), Remove(1), Add(1)]);
        assert_eq!(detector.poses, [Some(3), Some(0)]);
        into.lock().unwrap().insert(parts);
    });
    // Before the writer ends, an update may end with any of the three frames.
    assert_eq!(parts.lock().unwrap().len(), 8);
}
