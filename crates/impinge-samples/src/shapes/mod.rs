//! Sample shapes: the objects of the papers, and an assembly with known faults.
//!
//! The tetra-flake, the hand, the hyperboloid and the arrays of cubes are from Zachmann 1994.
//! Pipes, stalagmites, a deformed torus, nested spheres, an aircraft among tetrahedra, a body in a
//! swept volume and a crowded interior are from Klosowski et al. 1998. The parameters of a
//! generator are sizes and counts; that of [`Model`] is the number of polygons, so that experiments
//! can iterate over it. [`sample_assembly`] is a small machine with known faults. The notes in
//! [`impinge::shapes`] about closed shapes, parameters and determinism apply here too. Its
//! generators are re-exported.

mod aircraft;
mod blocks;
mod catalogue;
mod deformed;
mod fields;
mod flake;
mod gear;
mod hand;
mod hills;
mod hyperboloid;
mod interior;
mod lamp;
mod nested;
mod pipes;
mod sample;
mod spiral;
mod swept;
mod touching;

pub use impinge::shapes::*;

pub use aircraft::aircraft;
pub use blocks::{axis_body, cube_array};
pub use catalogue::{MIN_POLYGONS, Model};
pub use deformed::deformed_torus;
pub use fields::{stalagmites, tetrahedra_field};
pub use flake::{MAX_FLAKE_LEVEL, tetra_flake};
pub use gear::Gear;
pub use hand::hand;
pub use hills::hills;
pub use hyperboloid::hyperboloid;
pub use interior::interior;
pub use lamp::lamp;
pub use nested::nested_spheres;
pub use pipes::pipes;
pub use sample::{SAMPLE_CLEARANCE, sample_assembly, sample_expectations};
pub use spiral::spiral_prism;
pub use swept::{SweptFlight, swept_flight};
pub use touching::{brick_wall, pallet, pins};
