//! Exact predicates.

mod contact;
mod orient;
mod sign;

pub use contact::{Contact, Feature};
pub use orient::{orient2d, orient3d};
pub use sign::Sign;
