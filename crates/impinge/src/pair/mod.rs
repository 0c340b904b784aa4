//! Pair queries.

use crate::exact::Contact;
use crate::math::Vec3;

/// Two triangles that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The triangle of A.
    pub a: u32,
    /// The triangle of B.
    pub b: u32,
    /// How they meet.
    pub contact: Contact,
    /// A common point of the two, rounded, in A's frame.
    pub point: Vec3,
}
