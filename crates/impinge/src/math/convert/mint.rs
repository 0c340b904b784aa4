//! Conversions between poses and the types of `mint`. `glam` itself converts points and vectors.

use mint::{ColumnMatrix3x4, ColumnMatrix4, Quaternion, RowMatrix3x4, RowMatrix4, Vector3};

use crate::error::Error;
use crate::math::Pose;

/// Conversions between poses and row-major matrices.
macro_rules! by_rows {
    ($($matrix:ident: $rows:ty),+) => {$(
        impl From<Pose> for $matrix<f64> {
            fn from(pose: Pose) -> Self {
                <$rows>::from(pose).into()
            }
        }

        impl TryFrom<$matrix<f64>> for Pose {
            type Error = Error;

            fn try_from(matrix: $matrix<f64>) -> Result<Self, Error> {
                <$rows>::from(matrix).try_into()
            }
        }
    )+};
}

by_rows!(RowMatrix4: [[f64; 4]; 4], RowMatrix3x4: [[f64; 4]; 3]);

/// Conversions between poses and column-major matrices.
macro_rules! by_columns {
    ($($matrix:ident: $rows:ident),+) => {$(
        impl From<Pose> for $matrix<f64> {
            fn from(pose: Pose) -> Self {
                $rows::from(pose).into()
            }
        }

        impl TryFrom<$matrix<f64>> for Pose {
            type Error = Error;

            fn try_from(matrix: $matrix<f64>) -> Result<Self, Error> {
                $rows::from(matrix).try_into()
            }
        }
    )+};
}

by_columns!(ColumnMatrix4: RowMatrix4, ColumnMatrix3x4: RowMatrix3x4);

/// The quaternion is rounded.
impl From<Pose> for (Quaternion<f64>, Vector3<f64>) {
    fn from(pose: Pose) -> Self {
        (pose.quaternion().into(), pose.translation().into())
    }
}

/// As [`Pose::from_quaternion`].
impl TryFrom<(Quaternion<f64>, Vector3<f64>)> for Pose {
    type Error = Error;

    fn try_from((q, t): (Quaternion<f64>, Vector3<f64>)) -> Result<Self, Error> {
        Self::from_quaternion([q.v.x, q.v.y, q.v.z, q.s], t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::math::Vec3;

    #[test]
    fn round_trips() {
        let pose = Pose::from_quaternion([0.1, -0.4, 0.2, 0.9], [3.0, -1.0, 0.5]).unwrap();
        assert_eq!(Pose::try_from(RowMatrix4::from(pose)).unwrap(), pose);
        assert_eq!(Pose::try_from(RowMatrix3x4::from(pose)).unwrap(), pose);
        assert_eq!(Pose::try_from(ColumnMatrix4::from(pose)).unwrap(), pose);
        assert_eq!(Pose::try_from(ColumnMatrix3x4::from(pose)).unwrap(), pose);
        let rows = RowMatrix4::from(pose);
        assert_eq!((rows.x.w, rows.y.w, rows.x.y), (3.0, -1.0, pose.rotation().y_axis.x));
        let columns = ColumnMatrix4::from(pose);
        assert_eq!((columns.w.x, columns.y.x), (3.0, pose.rotation().y_axis.x));
        assert_eq!(glam::DMat4::from(columns), glam::DMat4::from(pose));

        let (q, t): (Quaternion<f64>, Vector3<f64>) = pose.into();
        let near = Pose::try_from((q, t)).unwrap();
        assert!(near.rotation().abs_diff_eq(pose.rotation(), 1e-14));
        assert_eq!(near.translation(), pose.translation());
        assert_eq!(Vec3::from(mint::Point3::from(Vec3::new(1.0, -0.0, 1e60))).z, 1e60);
    }

    #[test]
    fn maps_that_are_not_rigid_motions_are_rejected() {
        let mut rows = RowMatrix3x4::from(Pose::IDENTITY);
        rows.y.y = -1.0;
        assert_eq!(Pose::try_from(rows).unwrap_err().kind(), ErrorKind::NotARotation);
        let mut columns = ColumnMatrix4::from(Pose::IDENTITY);
        columns.w.w = 2.0;
        assert_eq!(Pose::try_from(columns).unwrap_err().kind(), ErrorKind::NotARotation);
        let none = Quaternion { v: [0.0; 3].into(), s: 0.0 };
        let kind = Pose::try_from((none, Vector3::from([0.0; 3]))).unwrap_err().kind();
        assert_eq!(kind, ErrorKind::NotARotation);
    }
}
