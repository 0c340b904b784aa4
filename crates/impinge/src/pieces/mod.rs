//! Convex pieces: solids as unions of convex bodies.
//!
//! Zachmann 1994, section 3.7.2, and Leung 1996, section 5.6, decompose bodies that are not convex
//! in a preprocessing step. There are two methods:
//!
//! - [`decompose_exactly`] cuts at the planes of the faces, first of all at notches (edges where
//!   the surface turns inward; Chazelle 1984), in integers of arbitrary length. The pieces are then
//!   convex in real numbers and their union is the solid. Their corners are points where three
//!   planes meet, and not every such point has `f64` coordinates. If all of them have such
//!   coordinates, the hulls are the pieces and the result is `exact`. Otherwise the hull takes the
//!   corners of the smallest box of `f64` points around such a point: it still covers the solid,
//!   with an error of one unit in the last place.
//! - [`decompose`] cuts at axis-parallel planes and, up to two times per piece, at planes through
//!   notches (those of the two faces and the one between them). The worst piece is cut first, until
//!   every hull is within a tolerance of the solid or the number of pieces reaches its limit. Then
//!   neighbours whose common hull is within the tolerance are merged. Cutting at planes that reduce
//!   the volume of the hulls follows V-HACD (Mamou and Ghorbel 2009, "A simple and efficient
//!   approach for 3D mesh approximate convex decomposition", and its later versions) and `CoACD`
//!   (Wei et al. 2022, "Approximate convex decomposition for 3D meshes with collision-aware
//!   concavity and tree search"), which also measures quality as the distance of the hull from the
//!   solid. Both work with samples or voxels and give no guarantee; here the error is a proven
//!   bound.
//!
//! Guarantees of every [`Decomposition`]:
//!
//! 1. **Cover.** Every point of the solid is in a hull, exactly.
//! 2. **Error.** Every point of a hull is within `error` of the solid. With 1: the Hausdorff
//!    distance between the union of the hulls and the solid is at most `error`.
//! 3. **Exact.** If `exact`, the union of the hulls is the solid, exactly, and `error` is zero.
//! 4. The same mesh and options give the same pieces, bit for bit, with any number of threads.
//!
//! The solid is the set of points that [`solid::locate`](crate::solid::locate) classifies as inside
//! or boundary: every triangle of the mesh is part of it, also one of zero area or with the outside
//! on both sides. A mesh that is not closed has no inside and is refused.

mod approximate;
pub(crate) mod bodies;
mod cell;
mod choose;
pub(crate) mod exactly;
mod excess;
pub(crate) mod furthest;
pub(crate) mod index;
mod merge;
mod planes;
mod rational;
mod region;
mod scale;
mod soup;

pub use approximate::{DecomposeOptions, decompose, decompose_watched};

pub use exactly::decompose_exactly;

use bodies::{bodies, check_closed};

use crate::convex::Hull;

/// A solid as a union of convex bodies, in the frame of its mesh.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decomposition {
    /// The pieces, at least one. Parts of the solid without volume are covered by hulls that are
    /// polygons, segments or points.
    pub pieces: Vec<Piece>,
    /// Whether the union of the hulls is the solid, exactly.
    pub exact: bool,
    /// No point of a hull is further than this from the solid, and no point of the solid is outside
    /// all hulls.
    pub error: f64,
}

/// A convex piece.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Piece {
    /// The piece, in the frame of the mesh. Its [`sources`](Hull::sources) have no meaning.
    pub hull: Hull,
    /// No point of the hull is further than this from the solid.
    pub error: f64,
}

impl Decomposition {
    fn of(pieces: Vec<Piece>) -> Self {
        let error = pieces.iter().map(|p| p.error).fold(0.0, f64::max);
        Self { exact: error == 0.0, error, pieces }
    }
}
