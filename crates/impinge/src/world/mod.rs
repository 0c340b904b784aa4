//! Many moving bodies.

pub mod exchange;
