//! Bounding volumes: convex sets around some triangles, cheap to compare and to move (Klosowski et
//! al. 1998, sections 3.1 and 3.2).
//!
//! - [`Dop`]: the intersection of slabs in fixed directions, 6, 14, 18 or 26 half-spaces ([`Dop6`]
//!   is the axis-aligned box);
//! - [`OrientedBox`]: a box with axes of its own;
//! - [`Sphere`].
//!
//! All of them through one small interface, [`Volume`]. **Conservative** includes rounding: a
//! volume is a set of real points, and it holds the points it was made around, as they are, and so
//! all of their triangles. [`Volume::overlaps`] is false only if the real sets share no point. A
//! moved volume holds what [`Pose::transform_point`] makes of every vertex in the original,
//! rounding of that vertex included. The margins are derived in `docs/notes/volumes.md`.
//!
//! ```
//! use impinge_papers::klosowski::volume::{Dop18, Volume};
//! use impinge::{Pose, Vec3};
//!
//! let needle = Dop18::around(&[Vec3::ZERO, Vec3::ONE]);
//! let beside = needle.transformed(&Pose::from_translation([0.5, -0.5, 0.0])?);
//! // The boxes of the two overlap; the diagonal slabs tell them apart.
//! assert!(!needle.overlaps(&beside));
//! assert!(needle.gap(&beside) > 0.7);
//! # Ok::<(), impinge::Error>(())
//! ```

mod dop;
mod oriented;
mod sphere;

use std::fmt::Debug;

pub(crate) use dop::Turned;
pub use dop::{Dop, Dop6, Dop14, Dop18, Dop26, DopMotion};
pub use impinge::math::{OrientedBox, OrientedMotion};
pub use sphere::{Sphere, SphereMotion};

use impinge::math::{Pose, Vec3};

/// A kind of bounding volume. The frame is whatever the points were given in; two volumes that are
/// compared must be in the same one.
///
/// Coordinates are those of meshes and moved meshes: finite, at most a few times
/// [`MAX_COORDINATE`](impinge::MAX_COORDINATE).
pub trait Volume: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// What the kind is called in tables.
    const NAME: &'static str;

    /// Whether merging the volumes of parts gives the very volume that would be put around all of
    /// them at once.
    const MERGES_TIGHTLY: bool;

    /// A pose as this kind of volume needs it, prepared once and used for many volumes.
    type Motion: Clone + Debug + Send + Sync;

    /// A small volume around the points. Around none it is empty: it overlaps nothing and holds
    /// nothing.
    #[must_use]
    fn around(points: &[Vec3]) -> Self;

    /// A small volume around the triangles; as [`Volume::around`] for kinds that do not look at the
    /// surface between the points.
    #[must_use]
    fn around_triangles(triangles: &[[Vec3; 3]]) -> Self {
        Self::around(triangles.as_flattened())
    }

    /// A volume around both.
    #[must_use]
    fn merged(&self, other: &Self) -> Self;

    /// False only if the two share no point. Comparisons are ordered so that volumes that are apart
    /// are told early.
    #[must_use]
    fn overlaps(&self, other: &Self) -> bool;

    /// Whether the point certainly lies in the volume. True for every point it was made around, or
    /// that a volume it was [merged](Volume::merged) from was made around.
    #[must_use]
    fn contains(&self, point: Vec3) -> bool;

    /// Whether the volume holds no point.
    #[must_use]
    fn is_empty(&self) -> bool;

    /// Prepares a pose for [`Volume::moved`].
    #[must_use]
    fn motion(pose: &Pose) -> Self::Motion;

    /// A volume around the moved volume: it holds `pose.transform_point(v)` for every `f64` point
    /// `v` of this one.
    #[must_use]
    fn moved(&self, motion: &Self::Motion) -> Self;

    /// [`Volume::moved`] by a pose that is used once.
    #[must_use]
    fn transformed(&self, pose: &Pose) -> Self {
        self.moved(&Self::motion(pose))
    }

    /// A volume that holds every point not further than `by` (not negative) from this one.
    #[must_use]
    fn enlarged(&self, by: f64) -> Self;

    /// The volume, in cubic units, to rounding; zero for flat and empty ones.
    #[must_use]
    fn volume(&self) -> f64;

    /// The area of the surface, to rounding; a flat volume has two sides.
    #[must_use]
    fn surface(&self) -> f64;

    /// How large the volume is, roughly and quickly: grows with its extent, and does not vanish for
    /// flat ones.
    #[must_use]
    fn size(&self) -> f64;

    /// A certain lower bound of the distance between the two; zero if they overlap, or nearly.
    #[must_use]
    fn gap(&self, other: &Self) -> f64;

    /// How deep the two reach into each other, at most: moving one of them by this much in the
    /// right direction leaves them no common inner point. Zero if they do not overlap.
    #[must_use]
    fn overlap_depth(&self, other: &Self) -> f64;
}
