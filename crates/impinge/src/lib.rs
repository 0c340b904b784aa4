//! Exact, certified collision detection for triangle meshes and solids.
//!
//! Do two meshes meet, and where? Which parts of an assembly cross, touch, contain each other, or
//! are too close? The answers are those that real numbers would give for the `f64` coordinates as
//! they are, and they have evidence: two triangles with a common point, or a gap that the caller
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
//!     Verdict::Intersecting(hit) => println!("{hit}"),
//! }
//! // The south pole of the ball touches the top of the box, exactly.
//! let report = impinge::check_pair(&a, &b, &pose, &Default::default());
//! assert_eq!(report.relation, Relation::Touching);
//! # assert!(impinge::intersects(&a, &b, &pose).is_intersecting());
//! # Ok::<(), impinge::Error>(())
//! ```
//!
//! Meshes come from arrays ([`Mesh::from_triangles`], [`Mesh::from_polygons`]), from the generators
//! in [`shapes`], or from files with `Mesh::load` and `Scene::load`.
//!
//! # Queries
//!
//! | question | answer |
//! | --- | --- |
//! | Do two surfaces meet? | [`intersects`]: a [`Verdict`] with its evidence |
//! | Which triangles meet, and how? | [`all_pairs`], [`first_hit`]: a [`Hit`] has a [`HitKind`] |
//! | The same within a deadline, in parts? | [`pair::first_hit_within`]: decided, or [`Bounds`] |
//! | How far apart are they? | [`distance`]: closest points, and certain bounds |
//! | What is the relation of two solids? | [`check_pair`]: a [`Relation`] |
//! | Which pairs of a scene may meet? | [`candidate_pairs`] |
//! | The same for other shapes, with or without meshes? | a [`Shape`] |
//! | Many moving bodies: which pairs started or stopped meeting? | a [`World`] |
//! | Only their boxes? | [`broad`] |
//! | When can two bodies meet first, and which frames need no comparison? | [`motion`] |
//! | Into which convex bodies can a solid be divided? | [`pieces`] |
//! | Is a point inside? | [`solid::locate`] |
//! | The same for a body that deforms? | [`Deforming`]: its tree follows its vertices |
//! | What is wrong with a mesh? | [`Mesh::defects`], [`Mesh::classification`] |
//!
//! Other shapes are hulls, spheres, capsules, boxes, half-spaces and more: [`shape::intersects`],
//! [`shape::distance`], [`shape::contact`]. A [`World`] is updated by
//! [`World::update`](world::World::update), or on a separate thread after
//! [`World::detach`](world::World::detach). Convex bodies come from [`pieces::decompose`] and
//! [`pieces::decompose_exactly`].
//!
//! # The modules
//!
//! Each uses only those above it.
//!
//! | module | contents |
//! | --- | --- |
//! | [`math`] | vectors, poses, axis-aligned boxes |
//! | [`exact`] | predicates: orientations, triangle and triangle, point in polygon |
//! | [`answer`] | the answers of queries: verdicts, distances, contacts |
//! | [`closest`] | closest points of points, segments and triangles, with bounds of the distance |
//! | [`convex`] | convex hulls and primitives: intersection, distance, depth |
//! | [`mesh`] | polygon meshes: triangulation, adjacency, defects, classes, mass |
//! | [`tree`] | the bounding-volume trees that queries descend |
//! | [`pair`] | two meshes: the methods that find triangles that meet, distance, evidence |
//! | [`solid`] | inside and outside, and the space that two solids share |
//! | [`pieces`] | solids as unions of convex bodies |
//! | [`spheres`] | levels of balls that cover a surface, with proven bounds |
//! | [`shape`] | every kind of shape against every other |
//! | [`broad`] | many moving boxes: which of them overlap |
//! | [`motion`] | where moving bodies can be, and when two of them can meet first |
//! | [`world`] | many moving bodies: which of them meet |
//! | [`scene`] | named parts at poses, also from files |
//! | [`check`] | the relation of a pair of parts, as an engineer needs it |
//! | [`shapes`] | generated meshes and a sample assembly |
//!
//! # Guarantees
//!
//! - **Frames.** A pair query takes A, B and the pose of B in A's frame. The vertices of B are the
//!   results of [`Pose::transform_point`], one expression in one order, and "the triangle" is the
//!   triangle of those `f64` points. Points in answers are in A's frame.
//! - **Exact.** Triangles are closed sets: sharing one point is an intersection. No tolerance
//!   enters a verdict and rounding changes none. Measured numbers have bounds: a distance is
//!   `lower <= d <= upper`. Points in answers are rounded.
//! - **Range.** Coordinates are finite and at most [`MAX_COORDINATE`] in size, denormal numbers
//!   included; constructors return an error for others.
//! - **Reproducible.** The methods of [`pair`] report the same pairs of triangles; methods that may
//!   be wrong (relaxed modes, the Monte-Carlo test) document in which direction. The same input
//!   gives the same output, bit for bit.
//! - **Errors.** The construction of a mesh, a pose or a scene can fail, with an [`Error`] that
//!   states what is wrong, where, and what to do. Queries cannot fail, except queries about the
//!   inside of a mesh that has none. Nothing panics, except methods that take the number of a
//!   vertex, triangle, polygon, edge or part, for numbers that do not exist.
//!
//! # Features
//!
//! - `files`, on by default: `Mesh::load`, `Mesh::save` and `Scene::load` for OBJ, STL, PLY, OFF,
//!   glTF and scene files. Without it `impinge-io` and its dependencies are not compiled.
//! - `mint`, `nalgebra`: [`math::convert`] converts from and to their types.
//! - `serde`: poses, boxes, hulls, meshes, distances, reports and snapshots can be serialised.
//!   Deserialised values go through the constructors, so that hostile input gives errors.
//!
//! Serialised values are restored bit for bit; for JSON this needs the feature `float_roundtrip` of
//! `serde_json`.

// Items that are public only for `internals` are unreachable without that feature.
#![cfg_attr(not(feature = "internals"), allow(unreachable_pub))]

pub mod answer;
mod arrays;
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
pub mod motion;
mod order;
pub mod pair;
pub mod pieces;
pub mod scene;
#[cfg(feature = "serde")]
mod serial;
pub mod shape;
pub mod shapes;
mod sink;
pub mod solid;
pub mod spheres;
mod stamps;
pub mod tree;
mod wide;
mod workers;
pub mod world;

/// The vector and matrix types of this crate's interface.
pub use glam;
/// The file formats: readers and writers without geometry, and their errors.
#[cfg(feature = "files")]
pub use impinge_io as io;

pub use answer::{Bounds, Contact, Distance, Never, Verdict, Within};
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
