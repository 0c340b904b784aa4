//! The files of `impinge::world::exchange`, compiled against the model checker's threads and
//! atomics instead of those of `std`.
//!
//! A crate of its own, so that an ordinary `cargo test` runs the models, without compiler flags and
//! without the rest of the library.
//!
//! Two things to know of loom 0.7. It looks for a conflict with the last access of an atomic only,
//! so that a thread which loads and then exchanges hides the loads of others from itself, and the
//! model ends after one interleaving; the writer of the cell does not load, and the models of the
//! cell state which outcomes they have to come across. And its `unpark` orders more than that of
//! `std`, namely also where no `park` is ended by it; so the models do not show that the request to
//! finish needs its acquire and release, which rests on the argument in `worker.rs`.

#[allow(dead_code, reason = "the hand-over makes few of the errors of the library")]
#[path = "../../impinge/src/error.rs"]
mod error;

pub mod exchange;

pub use error::{Error, ErrorKind};
