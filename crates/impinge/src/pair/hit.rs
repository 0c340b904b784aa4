//! What a pair query reports.

use crate::exact::{Contact, triangle_intersection};
use crate::math::Vec3;

use super::{Posed, Separation};

/// Two triangles that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The triangle of A.
    pub a: u32,
    /// The triangle of B.
    pub b: u32,
    /// How they meet, decided exactly.
    pub contact: Contact,
    /// A point they share, in A's frame, rounded to the nearest numbers the construction reaches.
    pub point: Vec3,
}

impl Hit {
    /// The hit of triangle `i` of `a` with triangle `j` of `b`, if they meet.
    #[must_use]
    pub fn of(a: &Posed<'_>, i: u32, b: &Posed<'_>, j: u32) -> Option<Self> {
        Self::between((i, &a.triangle(i)), (j, &b.triangle(j)))
    }

    /// The hit of two numbered triangles, both given in A's frame, if they meet.
    #[must_use]
    pub fn between(a: (u32, &[Vec3; 3]), b: (u32, &[Vec3; 3])) -> Option<Self> {
        let shared = triangle_intersection(a.1, b.1)?;
        Some(Self { a: a.0, b: b.0, contact: shared.contact, point: shared.point() })
    }
}

/// The answer to "do the surfaces meet", with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// They share no point, and this shows it.
    Separated(Separation),
    /// They share this point, among others perhaps.
    Intersecting(Hit),
}

impl Verdict {
    /// Whether the surfaces share a point.
    #[must_use]
    pub fn is_intersecting(&self) -> bool {
        matches!(self, Self::Intersecting(_))
    }
}
