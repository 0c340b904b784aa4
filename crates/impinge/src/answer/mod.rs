//! The answers of queries: one family of types for meshes, hulls, convex bodies and shapes.
//!
//! | question | answer |
//! | --- | --- |
//! | Do two bodies share a point? | a [`Verdict`], with its evidence |
//! | How far apart are they? | a [`Distance`] |
//! | How far apart are they, or how deep do they overlap? | a [`Contact`] |
//! | What is known if a query could not decide? | [`Bounds`] |
//! | Is a measure final, or was the budget spent before? | [`Within`] |
//!
//! # Verdicts and their evidence
//!
//! [`Verdict`] is generic over the evidence, because the proof of a verdict depends on the bodies.
//! Each module has an alias:
//!
//! | bodies | separated | intersecting | undecided |
//! | --- | --- | --- | --- |
//! | meshes: [`pair::Verdict`] | [`Separation`] | [`Hit`] | [`Never`] |
//! | meshes, with budget: [`pair::BudgetVerdict`] | [`Separation`] | two triangles | [`Bounds`] |
//! | hulls: [`convex::Verdict`] | [`SeparationCertificate`] | [`IntersectionCertificate`] | [`Never`] |
//! | hulls, with budget: [`convex::VerdictWithin`] | [`SeparationCertificate`] | [`IntersectionCertificate`] | [`Bounds`] |
//! | shapes: [`shape::Verdict`] | [`ShapeSeparation`] | [`ShapeHit`] | [`Bounds`] |
//!
//! `Never` has no values, so that "always decided" is part of the type: a `match` by value needs no
//! arm for it.
//!
//! # Names of fields
//!
//! They have the same meaning everywhere. All points and directions are in A's frame, the frame of
//! every query; queries of a `World` document their frame.
//!
//! - `lower` and `upper` bound the true number: `lower <= x <= upper`, including all rounding.
//!   Without a bound they are infinite.
//! - `point_a` and `point_b` are points of A and of B, rounded.
//! - `direction` is a vector from A towards B, of length one to rounding: a translation of B along
//!   it separates the bodies. Zero if none is known.
//! - `triangle_a` and `triangle_b` are triangle numbers; `None` if A or B is not a mesh.
//! - `feature_a` and `feature_b` are corners, sides or faces of a triangle.
//! - `point` is a common point, rounded.
//! - `pairs` are pairs of vertices, and `certificate` is the proof for two polytopes.
//!
//! # Signs
//!
//! A [`Distance`] is never negative. A [`Contact`] and [`Bounds`] are about the *signed* distance:
//! the distance of bodies that are apart, and minus the depth of bodies that overlap. The depth is
//! the length of the shortest translation of B after which the two have no inner point in common.
//!
//! [`pair::Verdict`]: crate::pair::Verdict
//! [`pair::BudgetVerdict`]: crate::pair::BudgetVerdict
//! [`convex::Verdict`]: crate::convex::Verdict
//! [`convex::VerdictWithin`]: crate::convex::VerdictWithin
//! [`shape::Verdict`]: crate::shape::Verdict
//! [`Separation`]: crate::Separation
//! [`Hit`]: crate::Hit
//! [`SeparationCertificate`]: crate::convex::SeparationCertificate
//! [`IntersectionCertificate`]: crate::convex::IntersectionCertificate
//! [`ShapeSeparation`]: crate::shape::ShapeSeparation
//! [`ShapeHit`]: crate::shape::ShapeHit

mod measure;
#[cfg(feature = "serde")]
mod serial;
mod verdict;
mod within;

pub use measure::{Bounds, Contact, Distance};
pub use verdict::{Never, Verdict};
pub use within::Within;
