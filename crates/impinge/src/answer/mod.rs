//! What queries answer: one family of types for meshes, hulls, convex bodies and shapes.
//!
//! | question | answer |
//! | --- | --- |
//! | Do two bodies share a point? | a [`Verdict`], with its evidence |
//! | How far apart are they? | a [`Distance`] |
//! | How far apart, or how deep do they overlap? | a [`Contact`] |
//! | What is known where a query could not decide? | [`Bounds`] |
//!
//! # Verdicts and their evidence
//!
//! [`Verdict`] is generic over the evidence, because what proves a verdict depends on the bodies.
//! Each module has an alias for its own:
//!
//! | bodies | separated | intersecting | undecided |
//! | --- | --- | --- | --- |
//! | two meshes: [`pair::Verdict`](crate::pair::Verdict) | [`Separation`](crate::Separation) | [`Hit`](crate::Hit) | [`Never`] |
//! | two meshes, within a budget: [`pair::BudgetVerdict`](crate::pair::BudgetVerdict) | [`Separation`](crate::Separation) | two triangles | [`Bounds`] |
//! | two hulls: [`convex::Verdict`](crate::convex::Verdict) | [`Gap`](crate::convex::Gap) | [`Common`](crate::convex::Common) | [`Never`] |
//! | two shapes: [`shape::Verdict`](crate::shape::Verdict) | [`Clear`](crate::shape::Clear) | [`Meeting`](crate::shape::Meeting) | [`Bounds`] |
//!
//! `Never` has no values, so that "always decided" is part of the type: a `match` by value needs no
//! arm for it.
//!
//! # Names of fields
//!
//! They mean the same everywhere. All points and directions are in A's frame, the frame of every
//! query; `World` queries say which frame theirs is.
//!
//! - `lower` and `upper` bound the true number: `lower <= x <= upper`, all rounding accounted for.
//!   Without a bound they are infinite.
//! - `point_a` and `point_b` are points of A and of B, rounded.
//! - `direction` is a vector from A towards B, of length one to rounding: the way in which B leaves
//!   A. Zero if none is known.
//! - `feature_a` and `feature_b` are triangle numbers, if A or B is a mesh; else `None`.
//!
//! # Signs
//!
//! A [`Distance`] is never negative. A [`Contact`] and [`Bounds`] are about the *signed* distance:
//! the distance of bodies that are apart, and minus the depth of bodies that overlap. The depth is
//! the length of the shortest translation of B after which the two have no inner point in common.

mod measure;
#[cfg(feature = "serde")]
mod serial;
mod verdict;

pub use measure::{Bounds, Contact, Distance};
pub use verdict::{Never, Verdict};
