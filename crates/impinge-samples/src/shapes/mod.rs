//! Sample shapes: the cast of the papers, and an assembly with known faults.
//!
//! The tetra-flake and the hand are from Zachmann 1994; pipes, stalagmites, an aircraft among
//! tetrahedra, a body in a swept volume and a crowded interior from Klosowski et al. 1998. Every
//! generator takes its sizes and counts as parameters; [`Model`] takes the number of polygons
//! instead, so that experiments can loop over it. [`sample_assembly`] is a small machine with known
//! faults. What is said in [`impinge::shapes`] about closed shapes, parameters and determinism
//! holds here too; its generators are re-exported.

mod aircraft;
mod catalogue;
mod fields;
mod flake;
mod gear;
mod hand;
mod interior;
mod lamp;
mod pipes;
mod sample;
mod swept;
mod touching;

pub use impinge::shapes::*;

pub use aircraft::aircraft;
pub use catalogue::{MIN_POLYGONS, Model};
pub use fields::{stalagmites, tetrahedra_field};
pub use flake::{MAX_FLAKE_LEVEL, tetra_flake};
pub use gear::Gear;
pub use hand::hand;
pub use interior::interior;
pub use lamp::lamp;
pub use pipes::pipes;
pub use sample::{SAMPLE_CLEARANCE, sample_assembly, sample_expectations};
pub use swept::{SweptFlight, swept_flight};
pub use touching::{brick_wall, pallet, pins};
