//! Conversions between poses, points, vectors and the types of `nalgebra`.

use nalgebra::{
    Isometry3, IsometryMatrix3, Matrix3, Matrix3x4, Matrix4, Point3, Quaternion, Rotation3,
    Translation3, UnitQuaternion, Vector3,
};

use crate::error::Error;
use crate::math::{Pose, Vec3};

/// A `nalgebra` point or vector as a [`Vec3`], bit for bit.
pub fn from_nalgebra(v: impl Into<[f64; 3]>) -> Vec3 {
    Vec3::from(v.into())
}

/// The point as a `nalgebra` point, bit for bit.
#[must_use]
pub fn to_nalgebra_point(v: Vec3) -> Point3<f64> {
    Point3::new(v.x, v.y, v.z)
}

/// The vector as a `nalgebra` vector, bit for bit.
#[must_use]
pub fn to_nalgebra_vector(v: Vec3) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

/// The rotation is rounded, because `nalgebra` stores a quaternion.
impl From<Pose> for Isometry3<f64> {
    fn from(pose: Pose) -> Self {
        let q = pose.quaternion();
        let q = UnitQuaternion::new_unchecked(Quaternion::new(q.w, q.x, q.y, q.z));
        Self::from_parts(to_nalgebra_vector(pose.translation()).into(), q)
    }
}

/// As [`Pose::from_quaternion`].
impl TryFrom<Isometry3<f64>> for Pose {
    type Error = Error;

    fn try_from(motion: Isometry3<f64>) -> Result<Self, Error> {
        let q = motion.rotation.into_inner();
        Self::from_quaternion([q.i, q.j, q.k, q.w], from_nalgebra(motion.translation.vector))
    }
}

impl From<Pose> for IsometryMatrix3<f64> {
    fn from(pose: Pose) -> Self {
        let rows = pose.to_matrix();
        let rotation = Matrix3::from_fn(|i, j| rows[i][j]);
        let translation = Translation3::from(to_nalgebra_vector(pose.translation()));
        Self::from_parts(translation, Rotation3::from_matrix_unchecked(rotation))
    }
}

/// As [`Pose::from_matrix`].
impl TryFrom<IsometryMatrix3<f64>> for Pose {
    type Error = Error;

    fn try_from(motion: IsometryMatrix3<f64>) -> Result<Self, Error> {
        let (r, t) = (motion.rotation.into_inner(), motion.translation.vector);
        Self::from_matrix([0, 1, 2].map(|i| [r[(i, 0)], r[(i, 1)], r[(i, 2)], t[i]]))
    }
}

impl From<Pose> for Matrix4<f64> {
    fn from(pose: Pose) -> Self {
        let rows = pose.to_matrix4();
        Self::from_fn(|i, j| rows[i][j])
    }
}

/// As [`Pose::from_matrix4`].
impl TryFrom<Matrix4<f64>> for Pose {
    type Error = Error;

    fn try_from(m: Matrix4<f64>) -> Result<Self, Error> {
        Self::from_matrix4([0, 1, 2, 3].map(|i| [0, 1, 2, 3].map(|j| m[(i, j)])))
    }
}

impl From<Pose> for Matrix3x4<f64> {
    fn from(pose: Pose) -> Self {
        let rows = pose.to_matrix();
        Self::from_fn(|i, j| rows[i][j])
    }
}

/// As [`Pose::from_matrix`].
impl TryFrom<Matrix3x4<f64>> for Pose {
    type Error = Error;

    fn try_from(m: Matrix3x4<f64>) -> Result<Self, Error> {
        Self::from_matrix([0, 1, 2].map(|i| [0, 1, 2, 3].map(|j| m[(i, j)])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn round_trips() {
        let pose = Pose::from_quaternion([0.1, -0.4, 0.2, 0.9], [3.0, -1.0, 0.5]).unwrap();
        assert_eq!(Pose::try_from(IsometryMatrix3::from(pose)).unwrap(), pose);
        assert_eq!(Pose::try_from(Matrix4::from(pose)).unwrap(), pose);
        assert_eq!(Pose::try_from(Matrix3x4::from(pose)).unwrap(), pose);
        let near = Pose::try_from(Isometry3::from(pose)).unwrap();
        assert_eq!(near.translation(), pose.translation());
        assert!(near.rotation().abs_diff_eq(pose.rotation(), 1e-14));

        let p = Vec3::new(0.3, 0.7, -2.0);
        let moved = pose.transform_point(p);
        let q = to_nalgebra_point(p);
        assert!(from_nalgebra(Isometry3::from(pose) * q).distance(moved) < 1e-14);
        assert!(from_nalgebra(IsometryMatrix3::from(pose) * q).distance(moved) < 1e-14);
        assert!(from_nalgebra(Matrix4::from(pose).transform_point(&q)).distance(moved) < 1e-14);
        let turned = Isometry3::from(pose) * to_nalgebra_vector(p);
        assert!(from_nalgebra(turned).distance(pose.transform_vector(p)) < 1e-14);
    }

    #[test]
    fn maps_that_are_not_rigid_motions_are_rejected() {
        let mut m = Matrix4::from(Pose::IDENTITY);
        m[(0, 1)] = 0.25;
        assert_eq!(Pose::try_from(m).unwrap_err().kind(), ErrorKind::NotARotation);
        let mut m = Matrix3x4::from(Pose::IDENTITY);
        m[(2, 3)] = f64::INFINITY;
        assert_eq!(Pose::try_from(m).unwrap_err().kind(), ErrorKind::NotFinite);
        let far = Isometry3::translation(0.0, -2e60, 0.0);
        assert_eq!(Pose::try_from(far).unwrap_err().kind(), ErrorKind::OutOfRange);
    }
}
