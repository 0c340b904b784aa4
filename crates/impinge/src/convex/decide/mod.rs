//! Whether two convex polytopes share a point, decided exactly and proven.
mod certificate;
mod verify;

pub use certificate::{Common, Gap, Pairs};
