//! Sphere-trees: balls that certainly cover a surface, level by level.
//!
//! Hubbard 1995, sections VII and VIII, approximates a body by levels of balls, each level finer
//! than the one before, so that a query can stop after any level. Here the covers are proven, not
//! sampled, and the error of every level has certified bounds.
//!
//! A [`SphereTree`] consists of levels of balls. Every ball has a *patch*, its own part of the
//! surface, and contains it. The patches of a ball's children make up its patch, and the patches of
//! a level make up the surface. A traversal that opens the children of a ball therefore loses no
//! part of the surface. A ball of the deepest level lists the triangles of its patch.
//!
//! - [`SphereTree::from_levels`] takes levels of balls from anywhere, assigns patches, and enlarges
//!   balls where they do not cover.
//! - [`verify`] proves a tree, by code that shares nothing with the builders. Every [`SphereTree`]
//!   has passed it.
//!
//! The argument and the error bounds are in `docs/notes/spheres.md`.

mod assign;
mod build;
mod chains;
mod frame;
mod patch;
mod radius;
mod reach;
mod surface;
mod tree;
mod verify;

pub use assign::CoverOptions;
pub use build::BuildOptions;
pub use reach::{Reach, ReachOptions, reach};
pub use tree::SphereTree;
pub use verify::{Flaw, verify};

use crate::math::Vec3;

/// The parent of the balls of the first level.
pub const NO_PARENT: u32 = u32::MAX;

/// A closed ball, in the frame of its mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ball {
    /// The centre.
    pub center: Vec3,
    /// The radius; zero for a point.
    pub radius: f64,
}

/// A ball of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// The ball.
    pub ball: Ball,
    /// Its parent: an index into the level above, or [`NO_PARENT`] in the first level.
    pub parent: u32,
}

impl Node {
    /// A ball of the first level.
    #[must_use]
    pub fn root(ball: Ball) -> Self {
        Self { ball, parent: NO_PARENT }
    }

    /// A ball below a parent, given by its index in the level above.
    #[must_use]
    pub fn child(ball: Ball, parent: u32) -> Self {
        Self { ball, parent }
    }
}

/// The contents of a tree as plain data: what [`verify`] judges.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// The balls, level by level, the coarsest first. The balls of a level are in the order of
    /// their parents, and each has a child in the level below.
    pub levels: Vec<Vec<Node>>,
    /// How triangles are divided among the balls of the deepest level, triangle after triangle: the
    /// numbers 0, 1 and 2 cut the edge from corner 0 to 1, 1 to 2, or 2 to 0 in the middle, and are
    /// followed by the half with the edge's first corner and the half with its second; any other
    /// number is a piece of the ball with that number less 3.
    pub cuts: Vec<u32>,
    /// For every ball of the deepest level, the triangles of its patch, ascending.
    pub triangles: Vec<Vec<u32>>,
}
