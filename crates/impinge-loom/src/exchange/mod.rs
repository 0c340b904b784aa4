//! The same modules as `impinge/src/world/exchange/mod.rs`, with a different `sync`.

#[path = "../../../impinge/src/world/exchange/latest.rs"]
mod latest;
#[path = "../../../impinge/src/world/exchange/merge.rs"]
mod merge;
#[path = "../../../impinge/src/world/exchange/outbox.rs"]
mod outbox;
#[path = "../../../impinge/src/world/exchange/places.rs"]
mod places;
#[path = "../../../impinge/src/world/exchange/reports.rs"]
mod reports;
mod sync;
#[path = "../../../impinge/src/world/exchange/worker.rs"]
mod worker;

pub use latest::{Reader, Writer, latest};
pub use merge::Merge;
pub use outbox::{Command, Entry, Outbox, Scope};
pub use reports::{DroppedCounts, FrameReport, FrameWriter, OpenCounts, Reports};
pub use worker::{Counters, Next, Step, Worker};
