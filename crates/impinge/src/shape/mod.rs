//! Queries for pairs of shapes of any kinds: meshes, hulls, primitives, rounded bodies,
//! half-spaces.
//!
//! | question | answer |
//! | --- | --- |
//! | Do two shapes meet? | [`intersects`]: a [`Verdict`] with its evidence |
//! | How far apart are they? | [`distance`]: bounds and closest points |
//! | How deep do two convex bodies overlap? | [`contact`]: bounds, direction and points |
//! | Which triangles of a mesh does a body meet? | [`triangles_met`] |
//! | The same within a deadline, continued later? | [`intersects_within`], [`distance_within`], [`contact_within`] |
//! | The same for shapes that move a little from query to query? | [`intersects_cached`], [`distance_cached`], [`contact_cached`] with a [`ShapeCache`] |
//!
//! All take A, B and the pose of B in A's frame, and answer in A's frame.
//!
//! # Point sets
//!
//! - A **mesh** is its surface, as everywhere in [`pair`](crate::pair); [`Shape::solid`] makes it
//!   the closed solid that the surface bounds.
//! - A **hull** or a box is the solid hull of its points; at a pose, of its points as
//!   [`Pose::transform_point`] rounds them.
//! - A **sphere**, a **capsule** and a [rounded](Shape::rounded) hull or box is the set of points
//!   within its margin of such a core.
//! - A **cylinder**, a **cone** or an **ellipsoid** is moved in real numbers.
//! - A **half-space** `n . x <= o` at the pose `(R, t)` is `n' . (x - t) <= o`, where `n'` is `R n`
//!   as [`Pose::transform_vector`] rounds it.
//!
//! All are closed: shapes meet if they have one common point.
//!
//! # Exactness
//!
//! | | mesh, hull, box, sphere, capsule, rounded hull or box, half-space | cylinder, cone, ellipsoid, rounded or not |
//! | --- | --- | --- |
//! | mesh, hull, box, sphere, capsule, rounded hull or box, half-space | exact | bounds |
//! | cylinder, cone, ellipsoid, rounded or not | bounds | bounds |
//!
//! *Exact*: the verdict is that of real arithmetic. *Bounds*: the verdict is certain if bounds of
//! the signed distance prove it. Otherwise it is [`Undecided`](crate::Verdict::Undecided), with
//! these bounds; that happens only for shapes that touch to about twelve digits, and for curved
//! ones smaller than about 1e-280. Margins are also compared exactly: a ball of radius 5 about the
//! origin meets the point (3, 4, 0).
//!
//! ```
//! use impinge::convex::{Cuboid, Sphere};
//! use impinge::{Pose, Shape, shape, shapes};
//!
//! let ball = Shape::from(Sphere::new(5.0)?);
//! let point = Shape::from(Sphere::new(0.0)?);
//! let pose = Pose::from_translation([3.0, 4.0, 0.0])?;
//! assert!(shape::intersects(&ball, &point, &pose).is_intersecting());
//!
//! let room = shapes::open_box([4.0, 4.0, 3.0], 0.1)?;
//! let crate_ = Shape::from(Cuboid::new([0.5, 0.5, 0.5])?).rounded(0.05)?;
//! let found = shape::distance(&room.into(), &crate_, &Pose::from_translation([0.0, 0.0, 1.0])?);
//! println!("{:?}", found);
//! # Ok::<(), impinge::Error>(())
//! ```

mod answer;
mod budgeted;
mod cache;
mod convexes;
mod curved;
mod dispatch;
mod form;
mod half_space;
mod kind;
mod margins;
mod meshes;
mod plane;
mod probe;
mod quick_verdict;
mod search;
mod triangle;

pub use answer::{ShapeHit, ShapeSeparation, Verdict};
pub use budgeted::{
    ShapeContactSearch, ShapeDistanceSearch, ShapeSearch, contact_within, distance_within,
    intersects_within,
};
pub use cache::ShapeCache;
pub use kind::{Kind, Shape};
pub(crate) use quick_verdict::QuickVerdict;
pub use search::MetTriangles;

use crate::answer::{Contact, Distance};
use crate::math::{Pose, Vec3};

/// Whether `a` and `b`, at `pose` in `a`'s frame, share a point, with the evidence.
///
/// ```
/// use impinge::convex::{Capsule, Cylinder};
/// use impinge::shape::{self, Shape, Verdict};
/// use impinge::{Pose, shapes};
///
/// let table = Shape::from(shapes::cuboid([2.0, 2.0, 0.1])?); // its top is at 0.05
/// let pen = Shape::from(Capsule::new(0.5, 0.05)?);
/// let pose = Pose::from_quaternion([0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.1])?; // lying on the table
/// assert!(shape::intersects(&table, &pen, &pose).is_intersecting());
/// let can = Shape::from(Cylinder::new(0.25, 0.1)?);
/// match shape::intersects(&table, &can, &Pose::from_translation([0.0, 0.0, 0.5])?) {
///     Verdict::Separated(clear) => assert!(clear.lower > 0.0 && clear.lower <= 0.2),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn intersects(a: &Shape, b: &Shape, pose: &Pose) -> Verdict {
    intersects_cached(a, b, pose, &mut ShapeCache::default())
}

/// As [`intersects`], starting from the final state of the last query of the pair. Exact verdicts
/// are the same; the evidence may be different.
#[must_use]
pub fn intersects_cached(a: &Shape, b: &Shape, pose: &Pose, cache: &mut ShapeCache) -> Verdict {
    dispatch::answer(&mut dispatch::IntersectsQuery(cache), a, b, pose)
}

/// As [`intersects_cached`], with only the evidence that needs no extra work.
pub(crate) fn meet_cached(
    a: &Shape,
    b: &Shape,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> QuickVerdict {
    dispatch::answer(&mut dispatch::QuickIntersectsQuery(cache), a, b, pose)
}

/// A point of one of two meshes inside the solid that is the other, in `a`'s frame, for meshes
/// whose surfaces do not meet; `None` also if one of the shapes is not a mesh.
#[must_use]
pub(crate) fn contained_point(
    a: &Shape,
    b: &Shape,
    pose: &Pose,
    _: &mut ShapeCache,
) -> Option<Vec3> {
    dispatch::answer(&mut dispatch::ContainedPointQuery, a, b, pose)
}

/// The triangles of a mesh that a convex body meets. One of `a` and `b` is the mesh and the other
/// the body, with `b` at `pose` in `a`'s frame; `None` for other kinds. For two meshes use
/// [`pair::all_pairs`](crate::pair::all_pairs).
///
/// The body is solid: triangles inside it are met. The mesh is its surface, also if the shape is
/// the solid that it bounds.
///
/// ```
/// use impinge::convex::Sphere;
/// use impinge::{Pose, shape, shapes};
///
/// let cube = shapes::cuboid([2.0, 2.0, 2.0])?.into();
/// let ball = Sphere::new(1.0)?.into(); // touches all six sides from within, each on its diagonal
/// let met = shape::triangles_met(&cube, &ball, &Pose::IDENTITY).expect("a mesh and a body");
/// assert_eq!((met.triangles.len(), met.undecided.len()), (12, 0));
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn triangles_met(a: &Shape, b: &Shape, pose: &Pose) -> Option<MetTriangles> {
    dispatch::answer(&mut dispatch::TrianglesMetQuery(&mut ShapeCache::default()), a, b, pose)
}

/// The distance of `a` and `b`, with `b` at `pose` in `a`'s frame; zero if they share a point.
/// `None` if a mesh has no triangles.
///
/// ```
/// use impinge::convex::{Cone, HalfSpace};
/// use impinge::{Pose, shape};
///
/// let ground = HalfSpace::new([0.0, 0.0, 1.0], 0.0)?.into();
/// let cone = Cone::new(0.5, 0.25)?.into(); // its base is at -0.5
/// let pose = Pose::from_translation([3.0, 0.0, 2.5])?;
/// let found = shape::distance(&ground, &cone, &pose).expect("no mesh");
/// assert!(found.lower <= 2.0 && 2.0 <= found.upper && found.upper - found.lower < 1e-12);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn distance(a: &Shape, b: &Shape, pose: &Pose) -> Option<Distance> {
    distance_cached(a, b, pose, &mut ShapeCache::default())
}

/// As [`distance`], starting from the final state of the last query of the pair.
#[must_use]
pub fn distance_cached(
    a: &Shape,
    b: &Shape,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> Option<Distance> {
    dispatch::answer(&mut dispatch::DistanceQuery(cache), a, b, pose)
}

/// The signed distance of `a` and `b`, with `b` at `pose` in `a`'s frame: negative if they overlap.
/// `None` if one is a mesh, for which no depth is defined, or if both are half-spaces.
///
/// ```
/// use impinge::convex::{Capsule, Cuboid};
/// use impinge::{Pose, Vec3, shape};
///
/// let (block, rod) = (Cuboid::new([1.0, 1.0, 1.0])?.into(), Capsule::new(2.0, 0.25)?.into());
/// let pose = Pose::from_translation([1.0, 0.0, 0.0])?; // half in, standing up
/// let contact = shape::contact(&block, &rod, &pose).expect("both are convex");
/// assert!(contact.lower <= -0.25 && -0.25 <= contact.upper);
/// assert!(contact.upper - contact.lower < 1e-9);
/// assert!(contact.direction.distance(Vec3::X) < 1e-9);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn contact(a: &Shape, b: &Shape, pose: &Pose) -> Option<Contact> {
    contact_cached(a, b, pose, &mut ShapeCache::default())
}

/// As [`contact`], starting from the final state of the last query of the pair.
#[must_use]
pub fn contact_cached(
    a: &Shape,
    b: &Shape,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> Option<Contact> {
    dispatch::answer(&mut dispatch::ContactQuery(cache), a, b, pose)
}
