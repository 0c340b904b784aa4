//! Bounding volumes: convex sets around triangles that are cheap to compare and to move (Klosowski
//! et al. 1998, sections 3.1 and 3.2).
//!
//! - [`Dop`]: the intersection of slabs in fixed directions, 6, 14, 18 or 26 half-spaces ([`Dop6`]
//!   is the axis-aligned box);
//! - [`OrientedBox`]: a box with its own axes;
//! - [`Sphere`].
//!
//! All implement one small interface, [`Volume`]. **Conservative** includes rounding: a volume is a
//! set of real points. It contains exactly the points it was built around, and so all of their
//! triangles. [`Volume::overlaps`] is false only if the real sets share no point. A moved volume
//! contains the result of [`Pose::transform_point`], including its rounding, for every vertex in
//! the original volume. The margins are derived in `docs/notes/volumes.md`.
//!
//! ```
//! use impinge_papers::klosowski::volume::{Dop18, Volume};
//! use impinge::{Pose, Vec3};
//!
//! let needle = Dop18::around(&[Vec3::ZERO, Vec3::ONE]);
//! let beside = needle.transformed(&Pose::from_translation([0.5, -0.5, 0.0])?);
//! // The boxes of the two overlap, but the diagonal slabs separate them.
//! assert!(!needle.overlaps(&beside));
//! assert!(needle.gap(&beside) > 0.7);
//! # Ok::<(), impinge::Error>(())
//! ```

mod dop;
mod oriented;
mod sphere;

use std::fmt::Debug;

pub(crate) use dop::RotatedDirections;
pub use dop::{Dop, Dop6, Dop14, Dop18, Dop26, DopMotion};
pub use impinge::math::{OrientedBox, OrientedMotion};
pub use sphere::{Sphere, SphereMotion};

use impinge::math::{Pose, Vec3};

/// A kind of bounding volume. The frame is that of the points. Two volumes that are compared must
/// be in the same frame.
///
/// Coordinates are those of meshes and moved meshes: finite, and at most a few times
/// [`MAX_COORDINATE`](impinge::MAX_COORDINATE).
pub trait Volume: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// The name of the kind in tables.
    const NAME: &'static str;

    /// Whether merging the volumes of parts yields the same volume as building it around all parts
    /// at once.
    const MERGES_TIGHTLY: bool;

    /// A pose, prepared once for moving many volumes of this kind.
    type Motion: Clone + Debug + Send + Sync;

    /// A small volume around the points. Without points it is empty: it overlaps nothing and
    /// contains nothing.
    #[must_use]
    fn around(points: &[Vec3]) -> Self;

    /// A small volume around the triangles. Same as [`Volume::around`] for kinds that do not use
    /// the surface between the points.
    #[must_use]
    fn around_triangles(triangles: &[[Vec3; 3]]) -> Self {
        Self::around(triangles.as_flattened())
    }

    /// A volume around both volumes.
    #[must_use]
    fn merged(&self, other: &Self) -> Self;

    /// False only if the two volumes share no point. Comparisons are ordered so that disjoint
    /// volumes are detected early.
    #[must_use]
    fn overlaps(&self, other: &Self) -> bool;

    /// Whether the point certainly lies in the volume. True for every point that the volume, or a
    /// volume it was [merged](Volume::merged) from, was built around.
    #[must_use]
    fn contains(&self, point: Vec3) -> bool;

    /// Whether the volume contains no point.
    #[must_use]
    fn is_empty(&self) -> bool;

    /// Prepares a pose for [`Volume::moved`].
    #[must_use]
    fn motion(pose: &Pose) -> Self::Motion;

    /// A volume around the moved volume: it contains `pose.transform_point(v)` for every `f64`
    /// point `v` of this volume.
    #[must_use]
    fn moved(&self, motion: &Self::Motion) -> Self;

    /// [`Volume::moved`] for a pose that is used once.
    #[must_use]
    fn transformed(&self, pose: &Pose) -> Self {
        self.moved(&Self::motion(pose))
    }

    /// A volume that contains every point at distance `by` or less from this volume. `by` is not
    /// negative.
    #[must_use]
    fn enlarged(&self, by: f64) -> Self;

    /// The volume in cubic units, up to rounding. Zero for flat and empty volumes.
    #[must_use]
    fn volume(&self) -> f64;

    /// The surface area, up to rounding. A flat volume has two sides.
    #[must_use]
    fn surface(&self) -> f64;

    /// A cheap measure of the size: it grows with the extent, and is not zero for flat volumes.
    #[must_use]
    fn size(&self) -> f64;

    /// A certain lower bound of the distance between the two volumes. Zero if they overlap, or
    /// nearly overlap.
    #[must_use]
    fn gap(&self, other: &Self) -> f64;

    /// An upper bound of the penetration depth: moving one of the two volumes by this distance in a
    /// suitable direction leaves them no common inner point. Zero if they do not overlap.
    #[must_use]
    fn overlap_depth(&self, other: &Self) -> f64;
}
