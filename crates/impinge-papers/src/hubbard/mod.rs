//! P. Hubbard 1995, "Collision detection for interactive graphics applications" (IEEE Transactions
//! on Visualization and Computer Graphics 1(3)).
//!
//! # What the paper describes
//!
//! A broad phase bounds where bodies can be in the near future by hypertrapezoids in space and
//! time, each with a cutting plane, and does nothing until the first two of them meet. A narrow
//! phase compares trees of spheres, level by level, and stops when the time of the frame is up.
//!
//! # Where it is
//!
//! | section | what | here |
//! | --- | --- | --- |
//! | IV | space-time bounds | [`impinge::motion`] |
//! | V.B.1, V.B.2 | earliest intersection by projection, and by subdivision | [`earliest`] |
//! | V.C, V.D, Fig. 8 | faces and cutting planes, as printed and corrected | [`earliest::Planes`] |
//! | VI, Fig. 9 | the broad phase with its minimum temporal resolution | [`broad_phase`] |
//! | IX | Turk's uniform grid, which it is compared with | [`turk`] |
//! | VII, X | the interruptible narrow phase, which may start where the last frame ended | [`narrow`] |
//! | VIII | sphere-trees: from octrees, tightened by annealing, from the medial axis | [`spheres`] |
//! | VIII | Delaunay tetrahedra and Voronoi vertices of points on the surface, exact | [`delaunay`] |
//! | IX | BSP trees, which sphere-trees are compared with | [`bsp`] |
//!
//! Production computes the earliest meeting of two bounds in closed form
//! ([`impinge::motion::earliest_meeting`]) and keeps pairs in a queue
//! ([`impinge::motion::Scheduler`]).
//!
//! # Errors found in the paper
//!
//! - Fig. 8 and V.C: when the first intersection of two faces is cut off, only the face that enters
//!   is compared with the cutting plane of the other body. The common region may begin elsewhere,
//!   at another face; then the figure's time is too late, or there is none. The test
//!   `the_figure_misses_an_intersection_at_another_face` has an example.
//! - V.B.1: a rectangle is said to be cut off if its corners are *behind* one cutting plane.
//!   Normals point outward (IV), so the corners have to be in *front* of it.
//! - IV: the direction `d` of a ship is said to be its main axis, and that of a vehicle to point to
//!   the centre of its turn. With the paper's condition, `acceleration . d <= 0`, both point the
//!   opposite way.
//! - IV: a horn for a part of a body is not that of its centre of mass with another radius. A part
//!   at a distance from the centre has the acceleration of the rotation too, and `d` does not hold
//!   for it; see [`impinge::motion::Motion::part`].
//! - VI: contacts shorter than the minimum temporal resolution are lost. Production compares the
//!   interval instead of its end.
//! - VIII: merged spheres leave holes, which scaling closes level by level. A level that covers the
//!   surface is not enough: a pair of spheres is dropped with all below it, so the children of a
//!   sphere must cover the part that belongs to it. [`impinge::spheres::SphereTree`] proves both.
//! - X: starting where the last frame ended saves little, because with eight children of each
//!   sphere the pairs above the last ones are only a 64th of all.
//!
//! # How it performs
//!
//! `docs/results/hubbard-motion.md` repeats Figures 7, 11 and 12; `docs/results/hubbard-spheres.md`
//! Figures 13 to 17: on lamps in flight, sphere-trees stopped at a level are faster than BSP trees
//! at every level, by less than in the paper, and slower than the engine's exact tree at every
//! level. Their value is the bounded time of a level, and a bound of the distance after it.

pub mod broad_phase;
pub mod bsp;
pub mod delaunay;
pub mod earliest;
pub mod methods;
pub mod narrow;
pub mod spheres;
pub mod turk;
