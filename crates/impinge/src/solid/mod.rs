//! Solids: point location, and the space that two closed meshes share, on which the relation of
//! [`check_pair`](crate::check_pair) is based.
//!
//! Solids whose surfaces cross overlap. Where the surfaces only touch, or coincide in places, the
//! solids may still be apart, one inside the other, equal, or overlapping (two aligned boxes that
//! share faces have no crossing triangles at all). This is decided exactly, based on two
//! observations. A connected piece of surface that does not meet the other mesh is entirely inside
//! or entirely outside the other solid; testing one of its vertices is enough. Space next to a
//! contact is also next to a corner of the contact: a vertex of one mesh on the other, or the
//! crossing of two edges. So the neighbourhoods of finitely many points show whether there is space
//! inside both, in the first only, or in the second only. The inside is everywhere defined as by
//! [`locate()`], also where shells of one mesh overlap, are nested or are turned inside out.

mod contacts;
mod crossings;
mod directions;
mod exact_vector;
mod fan;
pub(crate) mod locate;
#[cfg(test)]
mod locate_tests;
mod nesting;
mod number;
mod outside;
mod overlay;
mod pauses;
mod plane;
pub(crate) mod relate;
#[cfg(test)]
mod relate_tests;
mod shells;
mod sorting;
mod surface;

pub use locate::{LocateSearch, LocationWithin, locate, locate_within};
pub(crate) use locate::{check_solid, locate_at};
pub(crate) use nesting::{Nesting, NestingSearch, vertex_in_solid};
pub(crate) use outside::share_no_space;
pub(crate) use relate::{Occupancy, RelateSearch};
pub(crate) use sorting::Sorting;
