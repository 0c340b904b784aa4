//! Generated shapes.
