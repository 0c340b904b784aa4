//! Conversions between poses, arrays and the types of `glam`.

use glam::{DAffine3, DMat3, DMat4, DQuat};

use crate::arrays::MapEach;
use crate::error::{Error, ErrorKind};
use crate::math::{Pose, Vec3};

impl Pose {
    /// The pose of a row-major 4x4 matrix, whose last row is 0, 0, 0, 1. The rotation is kept bit
    /// for bit.
    ///
    /// # Errors
    /// As [`Pose::from_matrix`], and [`ErrorKind::NotARotation`] for any other last row, which
    /// would project or scale.
    ///
    /// ```
    /// use impinge::Pose;
    ///
    /// let pose = Pose::from_axis_angle([1.0, 2.0, 2.0], 0.7)?;
    /// assert_eq!(Pose::from_matrix4(pose.to_matrix4())?, pose);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn from_matrix4(rows: [[f64; 4]; 4]) -> Result<Self, Error> {
        let [x, y, z, last] = rows;
        if !last.iter().all(|c| c.is_finite()) {
            return Err(Error::new(
                ErrorKind::NotFinite,
                format!("the last row of the matrix is {last:?}: it must be 0, 0, 0, 1"),
            ));
        }
        if last != [0.0, 0.0, 0.0, 1.0] {
            return Err(Error::new(
                ErrorKind::NotARotation,
                format!(
                    "the last row of the matrix is {last:?}; the last row of a rigid motion in row-major \
                     order is 0, 0, 0, 1: divide by the last entry, or transpose a column-major matrix"
                ),
            ));
        }
        Self::from_matrix([x, y, z])
    }

    /// The row-major 4x4 matrix: `[R | t]` with the last row 0, 0, 0, 1.
    #[must_use]
    pub fn to_matrix4(&self) -> [[f64; 4]; 4] {
        let [x, y, z] = self.to_matrix();
        [x, y, z, [0.0, 0.0, 0.0, 1.0]]
    }

    /// The rotation as a quaternion, up to rounding. [`Pose::rotation`] is exact.
    ///
    /// ```
    /// use impinge::Pose;
    ///
    /// let pose = Pose::from_axis_angle([0.0, 0.0, 1.0], 0.5)?;
    /// let q = pose.quaternion();
    /// assert!((q.z - 0.25_f64.sin()).abs() < 1e-15 && (q.w - 0.25_f64.cos()).abs() < 1e-15);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    #[must_use]
    pub fn quaternion(&self) -> DQuat {
        // The length is one only to within about `ROTATION_TOLERANCE`, as the matrix is a rotation.
        DQuat::from_mat3(&self.rotation()).normalize()
    }
}

/// The rows of the matrix of a linear map and a translation.
fn rows(linear: &DMat3, t: Vec3) -> [[f64; 4]; 3] {
    [0, 1, 2].map_each(|i| [linear.x_axis[i], linear.y_axis[i], linear.z_axis[i], t[i]])
}

/// As [`Pose::to_matrix4`].
impl From<Pose> for [[f64; 4]; 4] {
    fn from(pose: Pose) -> Self {
        pose.to_matrix4()
    }
}

/// As [`Pose::from_matrix4`].
impl TryFrom<[[f64; 4]; 4]> for Pose {
    type Error = Error;

    fn try_from(rows: [[f64; 4]; 4]) -> Result<Self, Error> {
        Self::from_matrix4(rows)
    }
}

/// As [`Pose::to_matrix`].
impl From<Pose> for [[f64; 4]; 3] {
    fn from(pose: Pose) -> Self {
        pose.to_matrix()
    }
}

/// As [`Pose::from_matrix`].
impl TryFrom<[[f64; 4]; 3]> for Pose {
    type Error = Error;

    fn try_from(rows: [[f64; 4]; 3]) -> Result<Self, Error> {
        Self::from_matrix(rows)
    }
}

impl From<Pose> for DMat4 {
    fn from(pose: Pose) -> Self {
        Self::from_cols_array_2d(&pose.to_matrix4()).transpose()
    }
}

/// As [`Pose::from_matrix4`].
impl TryFrom<DMat4> for Pose {
    type Error = Error;

    fn try_from(matrix: DMat4) -> Result<Self, Error> {
        Self::from_matrix4(matrix.transpose().to_cols_array_2d())
    }
}

impl From<Pose> for DAffine3 {
    fn from(pose: Pose) -> Self {
        Self { matrix3: pose.rotation(), translation: pose.translation() }
    }
}

/// As [`Pose::from_matrix`].
impl TryFrom<DAffine3> for Pose {
    type Error = Error;

    fn try_from(map: DAffine3) -> Result<Self, Error> {
        Self::from_matrix(rows(&map.matrix3, map.translation))
    }
}

impl From<Pose> for (DMat3, Vec3) {
    fn from(pose: Pose) -> Self {
        (pose.rotation(), pose.translation())
    }
}

/// As [`Pose::from_matrix`].
impl TryFrom<(DMat3, Vec3)> for Pose {
    type Error = Error;

    fn try_from((rotation, translation): (DMat3, Vec3)) -> Result<Self, Error> {
        Self::from_matrix(rows(&rotation, translation))
    }
}

/// The quaternion is rounded.
impl From<Pose> for (DQuat, Vec3) {
    fn from(pose: Pose) -> Self {
        (pose.quaternion(), pose.translation())
    }
}

/// As [`Pose::from_quaternion`].
impl TryFrom<(DQuat, Vec3)> for Pose {
    type Error = Error;

    fn try_from((rotation, translation): (DQuat, Vec3)) -> Result<Self, Error> {
        Self::from_quaternion(rotation.to_array(), translation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn matrix_round_trips_are_exact_bit_for_bit() {
        let mut random = Random::new(5);
        for size in [0.0, 5e-324, 1.0, 1e60] {
            let q = [0, 1, 2, 3].map(|_| random.range(-1.0, 1.0));
            let pose = Pose::from_quaternion(q, random.in_cube() * size).unwrap();
            let bits = |p: Pose| p.to_matrix().map(|row| row.map(f64::to_bits));
            for back in [
                Pose::try_from(<[[f64; 4]; 4]>::from(pose)),
                Pose::try_from(<[[f64; 4]; 3]>::from(pose)),
                Pose::try_from(DMat4::from(pose)),
                Pose::try_from(DAffine3::from(pose)),
                Pose::try_from(<(DMat3, Vec3)>::from(pose)),
            ] {
                assert_eq!(bits(back.unwrap()), bits(pose));
            }
            let (q, t): (DQuat, Vec3) = pose.into();
            assert!(q.is_normalized());
            let near = Pose::try_from((q, t)).unwrap();
            assert_eq!(near.translation(), t);
            assert!(near.rotation().abs_diff_eq(pose.rotation(), 1e-14));
        }
    }

    #[test]
    fn glam_types_transform_points_like_the_pose() {
        let pose = Pose::from_quaternion([0.1, -0.4, 0.2, 0.9], [3.0, -1.0, 0.5]).unwrap();
        let p = Vec3::new(0.3, 0.7, -2.0);
        let moved = pose.transform_point(p);
        assert!(DMat4::from(pose).transform_point3(p).distance(moved) < 1e-15);
        assert!(DAffine3::from(pose).transform_point3(p).distance(moved) < 1e-15);
        let (q, t): (DQuat, Vec3) = pose.into();
        assert!((q * p + t).distance(moved) < 1e-14);
    }

    #[test]
    fn maps_that_are_not_rigid_motions_are_rejected() {
        let kind = |r: Result<Pose, Error>| r.unwrap_err().kind();
        let good = Pose::from_axis_angle([1.0, 1.0, 0.0], 1.0).unwrap();
        let matrix = DMat4::from(good);
        for bad in [
            matrix * DMat4::from_scale(Vec3::new(1.0, 1.0, -1.0)),
            matrix * DMat4::from_scale(Vec3::splat(1.0 + 1e-8)),
            DMat4::ZERO,
            DMat4::from_cols_array(&[
                1.0, 0.0, 0.0, 0.1, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
            ]),
        ] {
            assert_eq!(kind(Pose::try_from(bad)), ErrorKind::NotARotation, "{bad}");
        }
        let mut rows = good.to_matrix4();
        rows[3][3] = f64::NAN;
        assert_eq!(kind(rows.try_into()), ErrorKind::NotFinite);
        rows = good.to_matrix4();
        rows[1][3] = -2e60;
        assert_eq!(kind(rows.try_into()), ErrorKind::OutOfRange);
        let none = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        assert_eq!(kind((none, Vec3::ZERO).try_into()), ErrorKind::NotARotation);
        let shear = DMat3::from_cols(Vec3::X, Vec3::new(0.1, 1.0, 0.0), Vec3::Z);
        assert_eq!(kind((shear, Vec3::ZERO).try_into()), ErrorKind::NotARotation);
        let infinite = DAffine3 { matrix3: DMat3::IDENTITY, translation: Vec3::INFINITY };
        assert_eq!(kind(infinite.try_into()), ErrorKind::NotFinite);
    }
}
