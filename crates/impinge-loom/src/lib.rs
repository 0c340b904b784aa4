//! The files of `impinge::world::exchange`, compiled against the model checker's threads and
//! atomics instead of those of `std`.
//!
//! This is a separate crate, so that `cargo test` runs the models without compiler flags and
//! without the rest of the library.
//!
//! Two limitations of loom 0.7:
//!
//! - It looks for conflicts with the last access of an atomic only. A thread that loads and then
//!   exchanges hides the loads of other threads from itself, and the model ends after one
//!   interleaving. Therefore the writer of the cell does not load, and the models of the cell
//!   assert which outcomes they reach.
//! - Its `unpark` orders more than that of `std`: it also orders where it ends no `park`. Therefore
//!   the models do not show that the request to finish needs its acquire and release; the argument
//!   in `worker.rs` does.

#[allow(dead_code, reason = "the exchange uses few of the library's errors")]
#[path = "../../impinge/src/error.rs"]
mod error;

pub mod exchange;

pub use error::{Error, ErrorKind};
