//! Independent truths that tests of impinge compare with: integers and rationals, families of
//! inputs, and what the tests of several crates share. Nothing here uses the code it judges.

#![allow(missing_docs, missing_debug_implementations, reason = "read by its users, not published")]
#![allow(
    clippy::must_use_candidate,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "its users are tests"
)]

pub mod common;
pub mod convex;
pub mod convex_families;
pub mod convex_scenes;
pub mod meshes;
pub mod points;
pub mod triangles;
