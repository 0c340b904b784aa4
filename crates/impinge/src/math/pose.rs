//! Rigid motions: a rotation followed by a translation.

use glam::DMat3;

use super::{Vec3, check_range};
use crate::arrays::MapEach;
use crate::error::{Error, ErrorKind};

/// The position and orientation of a body: a rotation `R`, then a translation `t`.
///
/// A pair query takes the pose of B in A's frame. A point `v` of B then lies at `R*v + t` in A's
/// frame, and [`Pose::transform_point`] is the only function that evaluates this:
///
/// ```text
/// x' = ((R00*x + R01*y) + R02*z) + t0      and likewise for y' and z'
/// ```
///
/// in this order, with every operation rounded to nearest in `f64` and no fused multiply-add. The
/// three resulting numbers are the vertex: they are not rounded again, and every result is exact
/// for them.
///
/// ```
/// use impinge::{Pose, Vec3};
///
/// let quarter_turn = Pose::from_axis_angle([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2)?;
/// let up = Pose::from_translation([0.0, 0.0, 5.0])?;
/// let p = up.compose(&quarter_turn)?.transform_point(Vec3::X);
/// assert!(p.distance(Vec3::new(0.0, 1.0, 5.0)) < 1e-15);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    rotation: DMat3,
    translation: Vec3,
}

/// The largest entry of `R^T R - I` for which [`Pose::from_matrix`] accepts `R` as a rotation.
///
/// A product of a few thousand `f64` rotations stays well below this tolerance; a matrix stored in
/// `f32` (error about 1e-7) does not, and needs [`Pose::from_nearest_rotation`].
pub const ROTATION_TOLERANCE: f64 = 1e-9;

/// The largest factor by which the rotation of a pose, or of one pose relative to another, can
/// lengthen a vector.
///
/// With `R^T R = I + E` and entries of `E` of at most `ROTATION_TOLERANCE`, `|R v|^2 <= (1 + 3e-9)
/// |v|^2`; a product of two such matrices doubles the exponent.
pub(crate) const MAX_STRETCH: f64 = 1.0 + 4.0 * ROTATION_TOLERANCE;

/// The largest entry of `R^T R - I` for which [`Pose::from_nearest_rotation`] repairs `R`.
pub const REPAIRABLE_ROTATION: f64 = 1e-3;

impl Pose {
    /// The identity.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: Vec3::ZERO };

    /// A translation without rotation.
    ///
    /// # Errors
    /// If a component is not finite or exceeds [`MAX_COORDINATE`](super::MAX_COORDINATE).
    pub fn from_translation(translation: impl Into<Vec3>) -> Result<Self, Error> {
        Self::checked(DMat3::IDENTITY, translation.into())
    }

    /// A rotation by the quaternion `x i + y j + z k + w`, then a translation. The quaternion may
    /// have any nonzero length.
    ///
    /// Rotations that map coordinate axes to coordinate axes are exact: after a quarter turn about
    /// an axis, flush faces are still flush.
    ///
    /// # Errors
    /// If a number is not finite or too large, or the quaternion is zero.
    pub fn from_quaternion(xyzw: [f64; 4], translation: impl Into<Vec3>) -> Result<Self, Error> {
        let largest = xyzw.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        if !xyzw.iter().all(|c| c.is_finite()) {
            return Err(Error::new(
                ErrorKind::NotFinite,
                format!("the quaternion is {xyzw:?}: its components must be finite numbers"),
            ));
        }
        if largest == 0.0 {
            return Err(Error::new(
                ErrorKind::NotARotation,
                "the quaternion is zero, which is not a rotation; the identity is [0, 0, 0, 1]",
            ));
        }
        // Scaled first, so that the length neither overflows nor underflows. Divided by the squared
        // length, so that no square root is rounded.
        let [x, y, z, w] = xyzw.map_each(|c| c / largest);
        let n = x * x + y * y + z * z + w * w;
        let rotation = DMat3::from_cols(
            Vec3::new(
                (w * w + x * x) - (y * y + z * z),
                2.0 * (x * y + z * w),
                2.0 * (x * z - y * w),
            ),
            Vec3::new(
                2.0 * (x * y - z * w),
                (w * w + y * y) - (x * x + z * z),
                2.0 * (y * z + x * w),
            ),
            Vec3::new(
                2.0 * (x * z + y * w),
                2.0 * (y * z - x * w),
                (w * w + z * z) - (x * x + y * y),
            ),
        );
        Self::checked(
            DMat3::from_cols_array(&rotation.to_cols_array().map(|c| c / n)),
            translation.into(),
        )
    }

    /// A rotation by `angle` (radians) about `axis` (of any nonzero length) through the origin.
    ///
    /// # Errors
    /// If a number is not finite, or the axis is zero.
    pub fn from_axis_angle(axis: impl Into<Vec3>, angle: f64) -> Result<Self, Error> {
        let axis = axis.into();
        let largest = axis.abs().max_element();
        if !axis.is_finite() || !angle.is_finite() {
            return Err(Error::new(
                ErrorKind::NotFinite,
                format!("axis {axis} and angle {angle} must be finite numbers"),
            ));
        }
        if largest == 0.0 {
            return Err(Error::new(
                ErrorKind::NotARotation,
                "the rotation axis is zero; it must have a nonzero length",
            ));
        }
        Self::checked(DMat3::from_axis_angle((axis / largest).normalize(), angle), Vec3::ZERO)
    }

    /// The pose of a row-major 3x4 matrix `[R | t]`. `R` is kept bit for bit.
    ///
    /// # Errors
    /// If a number is not finite or too large, or if `R` is not a rotation to within
    /// [`ROTATION_TOLERANCE`]: the message says whether it mirrors, scales, shears, or is only
    /// too imprecise.
    pub fn from_matrix(rows: [[f64; 4]; 3]) -> Result<Self, Error> {
        let (rotation, translation) = split_matrix(rows);
        check_rotation(&rotation, ROTATION_TOLERANCE)?;
        Self::checked(rotation, translation)
    }

    /// As [`Pose::from_matrix`], for a matrix that is only approximately a rotation (stored in
    /// `f32`, printed with few digits): it is replaced by the nearest rotation.
    ///
    /// # Errors
    /// If a number is not finite or too large, or if `R` is further than [`REPAIRABLE_ROTATION`]
    /// from any rotation.
    pub fn from_nearest_rotation(rows: [[f64; 4]; 3]) -> Result<Self, Error> {
        let (mut rotation, translation) = split_matrix(rows);
        check_rotation(&rotation, REPAIRABLE_ROTATION)?;
        rotation = nearest_rotation(rotation);
        Self::checked(rotation, translation)
    }

    /// A pose from the stored matrix of a valid pose. As [`Pose::from_matrix`], but allows the
    /// deviation that [`Pose::relative`] may add, and translations of up to `max_translation`,
    /// which composed poses may have.
    #[cfg(feature = "serde")]
    pub(crate) fn from_stored(rows: [[f64; 4]; 3], max_translation: f64) -> Result<Self, Error> {
        let (rotation, translation) = split_matrix(rows);
        check_rotation(&rotation, 3.0 * ROTATION_TOLERANCE)?;
        let largest = translation.abs().max_element();
        if !matches!(largest.partial_cmp(&max_translation), Some(o) if o.is_le())
            || !translation.is_finite()
        {
            let message = format!(
                "the translation {translation} of a stored pose is out of range: \
                 its components must not exceed {max_translation:e} in size"
            );
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        Ok(Self { rotation, translation })
    }

    fn checked(rotation: DMat3, translation: Vec3) -> Result<Self, Error> {
        check_range(translation, || "the translation".into())?;
        Ok(Self { rotation, translation })
    }

    /// As `==`, but without a branch for each number: poses that are compared are mostly equal.
    #[inline]
    pub(crate) fn equals(&self, other: &Self) -> bool {
        let (r, s) = (self.rotation.to_cols_array(), other.rotation.to_cols_array());
        let (t, u) = (self.translation.to_array(), other.translation.to_array());
        let same = r.iter().zip(&s).fold(true, |same, (x, y)| same & (x == y));
        t.iter().zip(&u).fold(same, |same, (x, y)| same & (x == y))
    }

    /// The rotation matrix.
    #[must_use]
    pub fn rotation(&self) -> DMat3 {
        self.rotation
    }

    /// The translation.
    #[must_use]
    pub fn translation(&self) -> Vec3 {
        self.translation
    }

    /// The row-major 3x4 matrix `[R | t]`.
    #[must_use]
    pub fn to_matrix(&self) -> [[f64; 4]; 3] {
        let (r, t) = (self.rotation, self.translation);
        [0, 1, 2].map_each(|i| [r.x_axis[i], r.y_axis[i], r.z_axis[i], t[i]])
    }

    /// `R*v + t`, in the order that the documentation of the type gives. Every result refers to
    /// exactly this vertex.
    #[inline]
    #[must_use]
    pub fn transform_point(&self, v: Vec3) -> Vec3 {
        let r = &self.rotation;
        ((r.x_axis * v.x + r.y_axis * v.y) + r.z_axis * v.z) + self.translation
    }

    /// `R*v`: directions are rotated but not translated.
    #[inline]
    #[must_use]
    pub fn transform_vector(&self, v: Vec3) -> Vec3 {
        let r = &self.rotation;
        (r.x_axis * v.x + r.y_axis * v.y) + r.z_axis * v.z
    }

    /// First `inner`, then `self`: the pose of a body at `inner` in a frame that is at `self`.
    ///
    /// The rotation is the product of the two matrices, rounded; the translation is
    /// `self.transform_point(inner.translation())`.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfRange`] if a component of the translation exceeds
    /// [`MAX_COORDINATE`](super::MAX_COORDINATE), and [`ErrorKind::NotARotation`] if the product
    /// is not a rotation to within [`ROTATION_TOLERANCE`]: the deviations of matrices that are
    /// kept bit for bit add up. [`Pose::from_nearest_rotation`] repairs a matrix.
    ///
    /// ```
    /// use impinge::{ErrorKind, Pose};
    ///
    /// let far = Pose::from_translation([0.8e60, 0.0, 0.0])?;
    /// assert_eq!(far.compose(&far).unwrap_err().kind(), ErrorKind::OutOfRange);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn compose(&self, inner: &Self) -> Result<Self, Error> {
        let composed = self.composed(inner);
        check_range(composed.translation, || "the translation of the composed pose".into())?;
        let error = deviation(&composed.rotation);
        if error > ROTATION_TOLERANCE {
            let message = format!(
                "the composed matrix is not a rotation: its error is {error:.1e}, but at most \
                 {ROTATION_TOLERANCE:e} is allowed; the errors of the two poses add up: \
                 repair their matrices with Pose::from_nearest_rotation"
            );
            return Err(Error::new(ErrorKind::NotARotation, message));
        }
        Ok(composed)
    }

    /// As [`Pose::compose`], for the product of a few checked poses: the range and the rotation of
    /// the result are not checked.
    #[inline]
    pub(crate) fn composed(&self, inner: &Self) -> Self {
        Self {
            rotation: self.rotation * inner.rotation,
            translation: self.transform_point(inner.translation),
        }
    }

    /// As [`Pose::compose`], for chains of any length: a product that is not a rotation to within
    /// [`ROTATION_TOLERANCE`] is replaced by the nearest rotation, so that deviations do not add
    /// up. The range is not checked; the translation is finite for any chain that fits in memory.
    #[must_use]
    pub fn composed_in_chain(&self, inner: &Self) -> Self {
        let mut composed = self.composed(inner);
        if deviation(&composed.rotation) > ROTATION_TOLERANCE {
            composed.rotation = nearest_rotation(composed.rotation);
        }
        composed
    }

    /// Whether every component of the translation is within the range of coordinates.
    #[inline]
    pub(crate) fn is_in_range(&self) -> bool {
        self.translation.abs().max_element() <= super::MAX_COORDINATE
    }

    /// The inverse motion: the rotation is the transpose, the translation its product with `-t`,
    /// rounded.
    ///
    /// A component of the translation can reach `sqrt(3)` times
    /// [`MAX_COORDINATE`](super::MAX_COORDINATE), which all queries accept. With `R^T R = I + E`,
    /// where no entry of `E` exceeds [`ROTATION_TOLERANCE`], a point `v` that is moved and moved
    /// back ends at `v + E v`, an error of up to `3 * ROTATION_TOLERANCE * |v|` plus rounding. So
    /// the inverse is exact to rounding if the rotation is, and less accurate in proportion to the
    /// error of the matrix otherwise.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// The pose of `b` in the frame of `a`, both given in one common frame: the input of a pair
    /// query.
    ///
    /// Two bodies with the same rotation get exactly the identity as their relative rotation, and
    /// two bodies with the same pose exactly [`Pose::IDENTITY`]. So parts that differ only by a
    /// translation keep contacts that the rounding of a matrix product would open.
    ///
    /// A component of the translation can reach `2 * sqrt(3)` times
    /// [`MAX_COORDINATE`](super::MAX_COORDINATE), which all queries accept; results are exact for
    /// the returned pose. The transpose of `a`'s rotation replaces its inverse, as in
    /// [`Pose::inverse`]: after mapping back by `a`, a point `w` of `b` in the common frame has an
    /// error of up to `3 * ROTATION_TOLERANCE * |w - t|`, with `t` the translation of `a`, plus
    /// rounding. The error of the relative rotation can be twice [`ROTATION_TOLERANCE`].
    #[must_use]
    pub fn relative(a: &Self, b: &Self) -> Self {
        let offset = b.translation - a.translation;
        if a.rotation == DMat3::IDENTITY {
            return Self { rotation: b.rotation, translation: offset };
        }
        let inverse = a.rotation.transpose();
        let rotation =
            if a.rotation == b.rotation { DMat3::IDENTITY } else { inverse * b.rotation };
        Self { rotation, translation: inverse * offset }
    }
}

fn split_matrix(rows: [[f64; 4]; 3]) -> (DMat3, Vec3) {
    let column = |j: usize| Vec3::new(rows[0][j], rows[1][j], rows[2][j]);
    (DMat3::from_cols(column(0), column(1), column(2)), column(3))
}

/// The largest entry of `R^T R - I`.
fn deviation(r: &DMat3) -> f64 {
    let gram = r.transpose() * *r;
    (gram - DMat3::IDENTITY).to_cols_array().iter().fold(0.0_f64, |m, c| m.max(c.abs()))
}

/// The rotation nearest to a matrix that is a rotation to within [`REPAIRABLE_ROTATION`].
fn nearest_rotation(mut rotation: DMat3) -> DMat3 {
    // Newton's iteration for the orthogonal polar factor. From an error of 1e-3, three steps reach
    // rounding error.
    for _ in 0..4 {
        rotation = (rotation + rotation.inverse().transpose()) * 0.5;
    }
    rotation
}

/// Checks that `r` is a rotation to within `tolerance`. The error gives the most likely cause.
fn check_rotation(r: &DMat3, tolerance: f64) -> Result<(), Error> {
    if !r.is_finite() {
        return Err(Error::new(
            ErrorKind::NotFinite,
            "the rotation matrix has an entry that is not finite",
        ));
    }
    let gram = r.transpose() * *r;
    let deviation = deviation(r);
    let determinant = r.determinant();
    if deviation <= tolerance && determinant > 0.0 {
        return Ok(());
    }
    let lengths = [r.x_axis.length(), r.y_axis.length(), r.z_axis.length()];
    let skew = gram.x_axis.y.abs().max(gram.x_axis.z.abs()).max(gram.y_axis.z.abs());
    let reason = if deviation <= tolerance {
        "it mirrors (determinant -1); flip one axis of the mesh instead".to_owned()
    } else if deviation <= REPAIRABLE_ROTATION {
        format!(
            "its error is {deviation:.1e}, but at most {tolerance:e} is allowed; use Pose::from_nearest_rotation for rounded matrices"
        )
    } else if skew <= REPAIRABLE_ROTATION {
        format!(
            "its columns have lengths {:.6}, {:.6}, {:.6}; apply the scale to the mesh instead",
            lengths[0], lengths[1], lengths[2]
        )
    } else {
        format!("its columns are not perpendicular (error {skew:.1e})")
    };
    Err(Error::new(ErrorKind::NotARotation, format!("the matrix is not a rotation: {reason}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_3;

    fn sample() -> Pose {
        Pose::from_translation([3.0, -2.0, 0.5])
            .unwrap()
            .compose(&Pose::from_axis_angle([1.0, 2.0, -0.5], 1.1).unwrap())
            .unwrap()
    }

    #[test]
    fn the_identity_keeps_every_bit() {
        for v in [[0.1, -0.2, 1e-310], [1e60, 3.0, -1e-60]] {
            assert_eq!(Pose::IDENTITY.transform_point(v.into()), Vec3::from(v));
        }
    }

    #[test]
    fn the_documented_expression_is_the_one_evaluated() {
        let pose = sample();
        let m = pose.to_matrix();
        let v = Vec3::new(0.1, 0.7, -1.3);
        let by_hand =
            [0, 1, 2].map(|i| ((m[i][0] * v.x + m[i][1] * v.y) + m[i][2] * v.z) + m[i][3]);
        assert_eq!(pose.transform_point(v).to_array(), by_hand);
    }

    #[test]
    fn composition_and_inverse_agree() {
        let (p, q) = (sample(), Pose::from_axis_angle([0.0, 1.0, 1.0], FRAC_PI_3).unwrap());
        let v = Vec3::new(1.0, 2.0, 3.0);
        let both = p.compose(&q).unwrap().transform_point(v);
        assert!(both.distance(p.transform_point(q.transform_point(v))) < 1e-14);
        assert!(p.compose(&p.inverse()).unwrap().transform_point(v).distance(v) < 1e-14);
        let relative = Pose::relative(&p, &q);
        assert!(
            p.compose(&relative).unwrap().transform_point(v).distance(q.transform_point(v)) < 1e-14
        );
    }

    #[test]
    fn relative_poses_of_equal_rotations_are_exact() {
        let p = sample();
        assert_eq!(Pose::relative(&p, &p), Pose::IDENTITY);
        let moved = Pose::from_translation([1.0, 0.0, 0.0]).unwrap().compose(&p).unwrap();
        assert_eq!(Pose::relative(&p, &moved).rotation(), DMat3::IDENTITY);
    }

    #[test]
    fn compose_rejects_results_out_of_range_and_results_that_are_no_rotations() {
        let turn = Pose::from_axis_angle([0.0, 0.0, 1.0], 0.7).unwrap();
        let mut far = Pose::from_translation([0.9e60, 0.9e60, -0.9e60]).unwrap();
        far = far.compose(&turn).unwrap();
        let error = far.compose(&far).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfRange);
        // An error of eight tenths of the tolerance: one such factor is accepted, the product of
        // two is rejected, and after the repair it is accepted.
        let mut rows = turn.to_matrix();
        rows.iter_mut().for_each(|row| row[0] *= 1.0 + 0.4e-9);
        let coarse = Pose::from_matrix(rows).unwrap();
        assert!(coarse.compose(&turn).is_ok());
        let error = coarse.compose(&coarse).map(|p| p.compose(&coarse)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotARotation);
        assert!(error.to_string().contains("from_nearest_rotation"), "{error}");
        let repaired = Pose::from_nearest_rotation(coarse.to_matrix()).unwrap();
        assert!(repaired.compose(&repaired).is_ok());
        // A chain repairs itself.
        let mut chain = Pose::IDENTITY;
        for _ in 0..10_000 {
            chain = chain.composed_in_chain(&coarse);
            check_rotation(&chain.rotation(), 1.0001 * ROTATION_TOLERANCE).unwrap();
        }
    }

    /// The bounds that the documentation gives.
    #[test]
    fn inverse_and_relative_stay_within_the_documented_bounds() {
        let corner = Pose::from_axis_angle([0.0, 1.0, -1.0], (1.0 / 3f64.sqrt()).acos()).unwrap();
        for rotation in [corner, corner.inverse(), sample()] {
            for signs in 0..8 {
                let sign = |k: usize| if signs >> k & 1 == 0 { 1e60 } else { -1e60 };
                let t = Vec3::new(sign(0), sign(1), sign(2));
                let there = Pose::from_translation(t).unwrap().compose(&rotation).unwrap();
                let back = Pose::from_translation(-t).unwrap();
                let max = 1e60 * 3f64.sqrt() * (1.0 + 1e-9);
                assert!(there.inverse().translation().abs().max_element() <= max);
                let relative = Pose::relative(&there, &back);
                assert!(relative.translation().abs().max_element() <= 2.0 * max);
            }
        }
        let mut rows = sample().to_matrix();
        rows.iter_mut().for_each(|row| row[1] *= 1.0 + 0.49e-9);
        let coarse = Pose::from_matrix(rows).unwrap();
        for v in [Vec3::new(1.0, -2.0, 3.0), Vec3::new(0.0, 1e8, 0.0)] {
            let back = coarse.inverse().transform_point(coarse.transform_point(v));
            assert!(back.distance(v) <= 3.0 * ROTATION_TOLERANCE * v.length() + 1e-14);
            assert!(back.distance(v) > 1e-10 * v.length());
        }
    }

    #[test]
    fn every_nonzero_quaternion_is_normalised() {
        let unit = Pose::from_quaternion([0.1, 0.2, 0.3, 0.9], Vec3::ZERO).unwrap();
        for scale in [1e-300, 7.0, 1e300] {
            let q = [0.1, 0.2, 0.3, 0.9].map(|c| c * scale);
            let p = Pose::from_quaternion(q, Vec3::ZERO).unwrap();
            assert!(p.transform_point(Vec3::ONE).distance(unit.transform_point(Vec3::ONE)) < 1e-14);
        }
        let zero = Pose::from_quaternion([0.0; 4], Vec3::ZERO).unwrap_err();
        assert_eq!(zero.kind(), ErrorKind::NotARotation);
    }

    #[test]
    fn quaternions_of_quarter_turns_are_exact() {
        let (half, third) = (std::f64::consts::FRAC_1_SQRT_2, 0.707_106_77);
        let p = Vec3::new(0.1, 0.7, -0.3);
        for s in [half, third, 0.5, 3.0] {
            let turned = |q| Pose::from_quaternion(q, Vec3::ZERO).unwrap().transform_point(p);
            assert_eq!(turned([0.0, 0.0, s, s]), Vec3::new(-0.7, 0.1, -0.3));
            assert_eq!(turned([s, 0.0, 0.0, -s]), Vec3::new(0.1, -0.3, -0.7));
            assert_eq!(turned([s, s, s, s]), Vec3::new(-0.3, 0.1, 0.7));
            assert_eq!(turned([s, s, 0.0, 0.0]), Vec3::new(0.7, 0.1, 0.3));
        }
    }

    #[test]
    fn matrices_that_are_not_rotations_are_rejected_with_the_reason() {
        let with = |r: [[f64; 3]; 3]| Pose::from_matrix(r.map(|[a, b, c]| [a, b, c, 0.0]));
        let cases = [
            ([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "mirrors"),
            ([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]], "lengths 2.0"),
            ([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "perpendicular"),
            ([[1.0, 1e-6, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "nearest_rotation"),
        ];
        for (matrix, reason) in cases {
            let error = with(matrix).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotARotation);
            assert!(error.to_string().contains(reason), "{error}");
        }
        let nan = with([[f64::NAN, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap_err();
        assert_eq!(nan.kind(), ErrorKind::NotFinite);
    }

    #[test]
    fn a_single_precision_rotation_is_repaired() {
        let exact = sample();
        let coarse = exact.to_matrix().map(|row| row.map(|c| f64::from(c as f32)));
        assert!(Pose::from_matrix(coarse).is_err());
        let repaired = Pose::from_nearest_rotation(coarse).unwrap();
        check_rotation(&repaired.rotation(), 1e-15).unwrap();
        assert!(
            repaired.transform_point(Vec3::ONE).distance(exact.transform_point(Vec3::ONE)) < 1e-6
        );
    }
}
