//! Exact, certified collision detection for triangle meshes and solids.
//!
//! Do two meshes meet, and where? Which parts of an assembly cross, touch, contain each other, or
//! come too close? The answers are those that real numbers would give for the `f64` coordinates as
//! they are, and they carry evidence: two triangles with a common point, or a gap that the caller
//! can verify.
//!
//! ```
//! use impinge::{Pose, Relation, Verdict, shapes};
//!
//! let a = shapes::cuboid([2.0, 2.0, 2.0])?;
//! let b = shapes::uv_sphere(1.0, 12, 24)?;
//! let pose = Pose::from_translation([0.0, 0.0, 2.0])?; // of b, in a's frame
//! match impinge::intersects(&a, &b, &pose) {
//!     Verdict::Separated(proof) => println!("free: {proof}"),
//!     Verdict::Intersecting(hit) => println!("triangle {} meets {} at {}", hit.a, hit.b, hit.point),
//! }
//! // The south pole of the ball stands on the top of the box, exactly.
//! let report = impinge::check_pair(&a, &b, &pose, &Default::default());
//! assert_eq!(report.relation, Relation::Touching);
//! # assert!(impinge::intersects(&a, &b, &pose).is_intersecting());
//! # Ok::<(), impinge::Error>(())
//! ```
//!
//! Meshes come from arrays ([`Mesh::from_triangles`], [`Mesh::from_polygons`]), from the generators
//! in [`shapes`], or from files with `Mesh::load` and `Scene::load`.
//!
//! # What to ask
//!
//! | question | answer |
//! | --- | --- |
//! | Do two surfaces meet? | [`intersects`]: a [`Verdict`] with its evidence |
//! | Which triangles meet, and how? | [`all_pairs`]: every [`Hit`] with its [`HitKind`]; [`first_hit`]: one |
//! | The same, but now? | [`pair::first_pair_within`] a budget: hit, separated, or undecided with [`Bounds`] |
//! | How far apart are they? | [`distance`]: closest points, and bounds that hold |
//! | How do two solids stand to each other? | [`check_pair`]: a [`Relation`] |
//! | Which pairs of a scene are worth a look? | [`candidate_pairs`] |
//! | The same for hulls, spheres, capsules, boxes, half-spaces and more, with or without meshes? | a [`Shape`]: [`shape::intersects`], [`shape::distance`], [`shape::contact`] |
//! | Many bodies that move: what began to meet, what ended? | a [`World`]: [`World::update`](world::World::update), or [beside](world::World::detach) the application |
//! | Only their boxes? | [`broad`] |
//! | Which convex bodies is a solid made of? | [`pieces::decompose`], [`pieces::decompose_exactly`] |
//! | Is a point inside? | [`solid::locate`] |
//! | All that, of a body that bends? | [`Deforming`]: its vertices move, its tree follows |
//! | What is wrong with a mesh? | [`Mesh::defects`], [`Mesh::classification`] |
//!
//! # The modules
//!
//! Each uses only those above it.
//!
//! | module | what is in it |
//! | --- | --- |
//! | [`math`] | vectors, poses, axis-aligned boxes |
//! | [`exact`] | predicates: orientations, triangle and triangle, point in polygon and polyhedron |
//! | [`answer`] | what queries answer: verdicts, distances, contacts |
//! | [`closest`] | closest points of points, segments and triangles, with bounds of the distance |
//! | [`convex`] | convex hulls and primitives: do two meet, how far apart, how deep |
//! | [`mesh`] | polygon meshes: triangulation, adjacency, defects, classes, mass |
//! | [`tree`] | the bounding-volume trees that queries descend |
//! | [`pair`] | two meshes: the methods that find triangles that meet, distance, evidence |
//! | [`solid`] | inside and outside, and the space that two solids share |
//! | [`pieces`] | solids as unions of convex bodies, and trees of hulls |
//! | [`shape`] | every kind of shape against every other |
//! | [`broad`] | many moving boxes: which of them overlap |
//! | [`world`] | many moving bodies: which of them meet |
//! | [`scene`] | named parts at poses, from files too |
//! | [`check`] | an engineer's verdict about a pair of parts |
//! | [`shapes`] | generated meshes and a sample assembly |
//!
//! # What is promised
//!
//! - **Frames.** A pair query takes A, B and the pose of B in A's frame. The vertices of B are what
//!   [`Pose::transform_point`] returns, one expression in one order, and "the triangle" is the
//!   triangle of those `f64` points. Points in answers are in A's frame.
//! - **Exact.** Triangles are closed sets: sharing one point is an intersection. No tolerance
//!   enters a verdict and rounding changes none. What is measured has bounds: a distance is
//!   `lower <= d <= upper`. Points in answers are rounded.
//! - **Range.** Coordinates are finite and at most [`MAX_COORDINATE`] in size, denormal numbers
//!   included; whatever else is refused at construction.
//! - **One answer.** The methods of [`pair`] report the same pairs of triangles; those that may be
//!   wrong (relaxed modes, the Monte-Carlo test) say which way. The same input gives the same
//!   output, bit for bit.
//! - **Errors.** Making a mesh, a pose or a scene can fail, with an [`Error`] that says what, where
//!   and what to do. Queries on them cannot, but for questions about the inside of a mesh that has
//!   none. Nothing panics, except methods that take the number of a vertex, triangle, polygon, edge
//!   or part, for numbers that do not exist.
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `files`, on by default | `Mesh::load`, `Mesh::save` and `Scene::load` for OBJ, STL, PLY, OFF, glTF and scene files; without it `impinge-io` and its dependencies are not compiled |
//! | `mint`, `nalgebra` | [`math::convert`] knows their types |
//! | `serde` | poses, boxes, hulls, meshes, reports and snapshots of worlds can be serialised; what is read goes through the constructors, so that hostile input gives errors |
//!
//! With `serde` values come back bit for bit, in JSON if the feature `float_roundtrip` of
//! `serde_json` is on.

// What is public for `internals` alone is unreachable, or unused, without that feature.
#![cfg_attr(not(feature = "internals"), allow(dead_code, unreachable_pub, unused_imports))]

pub mod answer;
mod bias;
pub mod broad;
mod budget;
pub mod check;
pub mod closest;
pub mod convex;
mod error;
pub mod exact;
#[cfg(feature = "internals")]
pub mod internals;
pub mod math;
pub mod mesh;
pub mod pair;
pub mod pieces;
pub mod scene;
#[cfg(feature = "serde")]
mod serial;
pub mod shape;
pub mod shapes;
mod sink;
pub mod solid;
pub mod tree;
mod wide;
mod workers;
pub mod world;

/// The vector and matrix types of this crate's interface.
pub use glam;
/// The file formats: readers and writers without geometry, and their errors.
#[cfg(feature = "files")]
pub use impinge_io as io;

pub use answer::{Bounds, Contact, Distance, Never, Verdict};
pub use check::{CheckOptions, PairReport, Relation, candidate_pairs, check_pair};
pub use error::{Error, ErrorKind};
pub use exact::{Feature, HitKind, Location};
pub use math::{Aabb, MAX_COORDINATE, Pose, Vec3};
pub use mesh::{DeformOptions, Deforming, Mesh, Weld};
pub use pair::{EdgeAndFace, Hit, Separation, all_pairs, distance, first_hit, intersects};
#[cfg(feature = "files")]
pub use scene::{LoadOptions, Loaded, LoadedMesh};
pub use scene::{Part, Scene};
pub use shape::Shape;
pub use world::World;

/// The examples of the package's README compile.
#[cfg(all(doctest, feature = "files"))]
#[doc = include_str!("../README.md")]
struct Readme;
