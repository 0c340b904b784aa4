//! Solids: which space two closed meshes share.
//!
//! Surfaces that cross settle the matter. Where they only touch, or coincide in places, the solids
//! may still be apart, one inside the other, equal, or overlapping (two aligned boxes that share
//! faces have no crossing triangles at all). That is decided exactly, from two observations. A
//! connected piece of surface that meets nothing is wholly inside or wholly outside the other
//! solid, which one of its vertices tells. And space that reaches a contact is seen in the
//! immediate neighbourhood of a corner of the contact: a corner of one mesh on the other, or two
//! edges that cross. Finitely many local pictures then show whether there is space inside both, in
//! the first only, or in the second only. Inside is the same everywhere: what [`locate()`] says,
//! also where shells of one mesh overlap, lie in one another or are turned inside out.

mod contacts;
mod fan;
mod lazy;
pub(crate) mod locate;
#[cfg(test)]
mod locate_tests;
mod number;
mod overlay;
mod plane;
mod relate;
#[cfg(test)]
mod relate_tests;
mod surface;

pub use locate::locate;
pub(crate) use locate::{check_solid, locate_at};
pub use relate::{Occupancy, occupancy};
pub(crate) use relate::{occupancy_without_crossing, vertex_inside, vertex_of_inside};
