//! Independent oracles for the tests of impinge: integer and rational arithmetic, families of
//! inputs, and utilities shared by the tests of several crates. No oracle uses the code it tests.

#![allow(missing_docs, missing_debug_implementations, reason = "not published")]
#![allow(
    clippy::must_use_candidate,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "used only by tests"
)]

pub mod common;
pub mod convex;
pub mod convex_families;
pub mod convex_scenes;
pub mod fraction;
pub mod meshes;
pub mod number;
pub mod points;
pub mod space_time;
pub mod triangles;
pub mod vector;
