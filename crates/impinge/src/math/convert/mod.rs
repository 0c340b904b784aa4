//! Conversions between poses, points, vectors and the types of other crates.
//!
//! `Pose::try_from` converts a matrix to a [`Pose`]. It keeps the rotation bit for bit and rejects
//! all matrices that are not rigid motions: those that scale, shear, mirror or project, those that
//! are a rotation only to single precision ([`Pose::from_nearest_rotation`] repairs these), and
//! those that are not finite or out of range. A quaternion may have any nonzero length. `From`
//! converts a pose to any of these types.
//!
//! | type | from a pose | to a pose | feature |
//! | --- | --- | --- | --- |
//! | `[[f64; 4]; 4]`, `[[f64; 4]; 3]` (rows) | exact | exact | |
//! | [`glam::DMat4`], [`glam::DAffine3`], ([`glam::DMat3`], [`Vec3`]) | exact | exact | |
//! | ([`glam::DQuat`], [`Vec3`]) | rounded | rounded | |
//! | `mint::RowMatrix4`, `RowMatrix3x4`, `ColumnMatrix4`, `ColumnMatrix3x4` of `f64` | exact | exact | `mint` |
//! | (`mint::Quaternion<f64>`, `mint::Vector3<f64>`) | rounded | rounded | `mint` |
//! | `nalgebra::IsometryMatrix3<f64>`, `Matrix4<f64>`, `Matrix3x4<f64>` | exact | exact | `nalgebra` |
//! | `nalgebra::Isometry3<f64>` | rounded | rounded | `nalgebra` |
//!
//! `From` converts points and vectors of `mint` to [`Vec3`] and back. For points and vectors of
//! `nalgebra`, which supports other versions of `glam`, this module has functions.
//!
//! ```
//! use impinge::glam::{DMat4, DQuat};
//! use impinge::{ErrorKind, Pose, Vec3};
//!
//! let turn = DQuat::from_rotation_z(0.3);
//! let pose = Pose::try_from((turn, Vec3::new(1.0, 2.0, 3.0)))?;
//! let matrix = DMat4::from(pose);
//! assert_eq!(Pose::try_from(matrix)?, pose);
//! assert_eq!(Pose::try_from(pose.to_matrix4())?, pose);
//!
//! let twice = matrix * DMat4::from_scale(Vec3::splat(2.0));
//! assert_eq!(Pose::try_from(twice).unwrap_err().kind(), ErrorKind::NotARotation);
//! # Ok::<(), impinge::Error>(())
//! ```
#![cfg_attr(
    feature = "mint",
    doc = r#"
With the feature `mint`:

```
use impinge::{Pose, Vec3};

let corner = Vec3::from(mint::Point3 { x: 1.0, y: 2.0, z: 3.0 });
assert_eq!(mint::Vector3::from(corner), mint::Vector3::from([1.0, 2.0, 3.0]));

let pose = Pose::from_translation(corner)?;
let matrix = mint::ColumnMatrix4::from(pose);
assert_eq!(matrix.w.y, 2.0);
assert_eq!(Pose::try_from(matrix)?, pose);
# Ok::<(), impinge::Error>(())
```"#
)]
#![cfg_attr(
    feature = "nalgebra",
    doc = r#"
With the feature `nalgebra`:

```
use impinge::{Pose, Vec3};
use impinge::math::convert::{from_nalgebra, to_nalgebra_point};
use nalgebra::{Isometry3, Point3, Vector3};

let motion = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::z() * 0.5);
let pose = Pose::try_from(motion)?;
let p = Point3::new(0.5, 0.25, 0.125);
let moved = pose.transform_point(from_nalgebra(p));
assert!((motion * p - to_nalgebra_point(moved)).norm() < 1e-15);
# Ok::<(), impinge::Error>(())
```"#
)]

mod matrices;
#[cfg(feature = "mint")]
mod mint;
#[cfg(feature = "nalgebra")]
mod nalgebra;

#[cfg(feature = "nalgebra")]
pub use self::nalgebra::{from_nalgebra, to_nalgebra_point, to_nalgebra_vector};

#[cfg(doc)]
use super::{Pose, Vec3};
