//! Closest points.
