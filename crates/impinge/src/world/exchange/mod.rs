//! The exchange between an application and a detection thread that runs beside it, after Zachmann
//! (1994), section 6.4.
//!
//! The application never waits. It fills an [`Outbox`] (commands, and for each body the newest
//! pose), sends it as a frame, and checks for new [`Reports`]; the thread of a [`Worker`] takes the
//! newest frame, detects, and reports. If one side is slower than the other, buffers that were not
//! read are merged with the next: poses are replaced by newer ones, commands and events are kept in
//! order, and [`Counters`] contain how often that happened and how far detection lags. It is based
//! on [`latest`], a cell through which two threads exchange buffers by single atomic exchanges.
//!
//! All of it is safe code, and all of it is tested in every interleaving (crate `impinge-loom` of
//! the repository).
//!
//! ```
//! use impinge::Pose;
//! use impinge::internals::exchange::{Command, Entry, FrameWriter, Outbox, Reports, Scope, Worker};
//!
//! /// The only command that this application sends, in addition to poses.
//! struct Add(u32);
//!
//! impl Command for Add {
//!     fn scope(&self) -> Scope {
//!         Scope::Body(self.0)
//!     }
//! }
//!
//! // A "detector" that reports which bodies are below the floor.
//! let mut worker = Worker::spawn(
//!     "detection",
//!     0_usize, // bodies
//!     |bodies, step, input: &mut Outbox<Pose, Add>, output: &mut Reports<Pose, u32>| {
//!         let mut report = FrameWriter::begin(output, step.frame);
//!         for entry in input.drain() {
//!             match entry {
//!                 Entry::Command(Add(_)) => *bodies += 1,
//!                 Entry::Pose(body, pose) => {
//!                     if pose.translation().z < 0.0 {
//!                         report.event(body);
//!                         report.pose(body, pose);
//!                     }
//!                 }
//!             }
//!         }
//!     },
//! )?;
//! worker.input().push(Add(0));
//! for n in 0..10 {
//!     worker.input().set(0, Pose::from_translation([0.0, 0.0, 8.5 - f64::from(n)])?);
//!     worker.send()?;
//! }
//! let (bodies, reports) = worker.join()?;
//! assert_eq!((bodies, reports.events()), (1, [0].as_slice()));
//! assert_eq!(reports.newest().map(|r| r.frame), Some(10));
//! # Ok::<(), impinge::Error>(())
//! ```

#[cfg_attr(
    not(feature = "internals"),
    allow(dead_code, reason = "some of the interface is for models and tests only")
)]
mod latest;
mod merge;
#[cfg_attr(
    not(feature = "internals"),
    allow(dead_code, reason = "some of the interface is for models and tests only")
)]
mod outbox;
mod places;
mod reports;
mod sync;
#[cfg_attr(
    not(feature = "internals"),
    allow(dead_code, reason = "some of the interface is for models and tests only")
)]
mod worker;

#[cfg(any(test, feature = "internals"))]
pub use latest::{Reader, Writer, latest};
#[cfg(any(test, feature = "internals"))]
pub use merge::Merge;
pub use outbox::{Command, Entry, Outbox, Scope};
pub use reports::{DroppedCounts, FrameReport, FrameWriter, OpenCounts, Reports};
pub use worker::{Counters, Next, SpawnError, Step, Worker};

#[cfg(test)]
mod tests {
    use super::worker::{Step, Worker};
    use crate::ErrorKind;
    use std::thread::Builder;

    #[test]
    fn a_thread_that_does_not_start_returns_the_state() {
        // A stack larger than the address space.
        let builder = Builder::new().stack_size(usize::MAX / 4);
        let step = |_: &mut String, _: Step, _: &mut Vec<u32>, _: &mut Vec<u32>| {};
        let started = Worker::spawn_by(builder, "large", "kept".to_owned(), step);
        let failed = started.unwrap_err();
        assert_eq!(failed.error().kind(), ErrorKind::Thread);
        assert!(failed.to_string().contains("large"), "{failed}");
        assert_eq!(failed.into_state(), "kept");
    }
}
