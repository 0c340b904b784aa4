//! The vertex of a hull that lies furthest in a direction: the supporting vertex.
//!
//! By comparing all vertices ([`Hull::support`](super::Hull::support)), or by climbing over the
//! edges from a vertex nearby ([`Hull::climb`](super::Hull::climb)). Both are **exact**: no vertex
//! lies further, not even by less than a rounding error, because vertices are compared with
//! [`compare_along`](crate::exact::compare_along). Directions are in the hull's own frame: the
//! caller rotates the direction once instead of every vertex (Leung 1996, section 3.3).

mod brute;
mod climb;

pub use climb::Climb;
