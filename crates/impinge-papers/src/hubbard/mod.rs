//! P. M. Hubbard 1995, "Collision detection for interactive graphics applications", IEEE
//! Transactions on Visualization and Computer Graphics 1(3): time-critical collision detection.
//!
//! # Sphere-trees and the narrow phase
//!
//! | section | what | here |
//! | --- | --- | --- |
//! | VII, X | the interruptible narrow phase, starting where the last frame ended | [`narrow`] |
//! | VIII | sphere-trees: from octrees, tightened by annealing, from the medial axis | [`spheres`] |
//! | VIII | Delaunay tetrahedra and Voronoi vertices of points on the surface, exact | [`delaunay`] |
//! | IX | BSP trees, the method that sphere-trees are compared with | [`bsp`] |

pub mod bsp;
pub mod delaunay;
pub mod methods;
pub mod narrow;
pub mod spheres;
