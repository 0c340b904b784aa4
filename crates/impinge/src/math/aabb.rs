//! Axis-aligned boxes, and their fast transformation (Zachmann 1994, section 5.2.1).

use super::{MAX_STRETCH, Pose, Vec3, length_up};

/// A closed axis-aligned box. Empty if a component of `min` exceeds that of `max`; [`Aabb::EMPTY`]
/// is the neutral element of [`Aabb::union`].
///
/// ```
/// use impinge::{Aabb, Pose, Vec3};
///
/// let unit = Aabb::from_points([Vec3::ZERO, Vec3::ONE]);
/// let beside = unit.transformed(&Pose::from_translation([1.0, 0.0, 0.0])?);
/// assert!(unit.overlaps(&beside)); // they share a face
/// assert_eq!(unit.union(&beside).extent(), Vec3::new(2.0, 1.0, 1.0));
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: Vec3,
    /// The corner with the largest coordinates.
    pub max: Vec3,
}

/// An upper bound of the rounding error of six denormal products.
const DENORMAL_ERROR: f64 = 8.0 * 5e-324;

impl Aabb {
    /// The box without points.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The box of two opposite corners, in any order.
    #[must_use]
    pub fn from_corners(a: Vec3, b: Vec3) -> Self {
        Self { min: a.min(b), max: a.max(b) }
    }

    /// The smallest box around the points; [`Aabb::EMPTY`] if there are none.
    #[must_use]
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut bounds = Self::EMPTY;
        for p in points {
            bounds.min = bounds.min.min(p);
            bounds.max = bounds.max.max(p);
        }
        bounds
    }

    /// Whether the box contains no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Whether the closed boxes share a point.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// Whether the point lies in the closed box.
    #[inline]
    #[must_use]
    pub fn contains(&self, p: Vec3) -> bool {
        self.min.cmple(p).all() && p.cmple(self.max).all()
    }

    /// Whether the other box lies in this one.
    #[must_use]
    pub fn contains_box(&self, other: &Self) -> bool {
        other.is_empty() || (self.contains(other.min) && self.contains(other.max))
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The intersection of both boxes; empty if they do not overlap.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// The box extended by `margin` on every side.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Self {
        Self { min: self.min - Vec3::splat(margin), max: self.max + Vec3::splat(margin) }
    }

    /// The centre of the box.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// The lengths of the sides.
    #[must_use]
    pub fn extent(&self) -> Vec3 {
        self.max - self.min
    }

    /// The squared distance between the two boxes, up to rounding; zero if they overlap.
    #[inline]
    #[must_use]
    pub fn distance_squared(&self, other: &Self) -> f64 {
        (self.min - other.max).max(other.min - self.max).max(Vec3::ZERO).length_squared()
    }

    /// Upper bound of the distance by which a point of the box moves from one pose to the other,
    /// including the rounding of [`Pose::transform_point`] for each; zero for equal poses.
    ///
    /// Bounds of a query at the first pose hold at the second if they are
    /// [widened](crate::Bounds::widened) by it.
    ///
    /// ```
    /// use impinge::{Aabb, Pose, Vec3};
    ///
    /// let bounds = Aabb { min: Vec3::NEG_ONE, max: Vec3::ONE };
    /// let (here, there) = (Pose::IDENTITY, Pose::from_translation([0.0, 0.5, 0.0])?);
    /// let motion = bounds.motion_bound(&here, &there);
    /// assert!(motion >= 0.5 && motion < 0.5 + 1e-12);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    #[must_use]
    pub fn motion_bound(&self, from: &Pose, to: &Pose) -> f64 {
        if self.is_empty() || from == to {
            return 0.0;
        }
        // The motion is an affine function of the point, so its length is largest at a corner.
        let corner = |k: usize| {
            let pick =
                |axis: usize| if k >> axis & 1 == 0 { self.min[axis] } else { self.max[axis] };
            Vec3::new(pick(0), pick(1), pick(2))
        };
        let moved = |p: Vec3| length_up(to.transform_point(p) - from.transform_point(p));
        let largest = (0..8).map(|k| moved(corner(k))).fold(0.0, f64::max);
        // Four transformed points, of corners and of a point of the box, are rounded: each
        // coordinate is a sum of three products and a translation.
        let size = self.min.abs().max(self.max.abs()).element_sum();
        let shift = from.translation().abs().max_element() + to.translation().abs().max_element();
        let rounding = 64.0 * f64::EPSILON * (size + shift) + 64.0 * f64::from_bits(1);
        (largest + rounding) * (1.0 + 4.0 * f64::EPSILON)
    }

    /// The axis-aligned box of this box moved by `pose`, without transforming its eight corners:
    /// each of the nine entries of the rotation is multiplied by the two ends of one side, and the
    /// smaller and the larger products are summed up.
    ///
    /// Conservative including rounding: for every point `p` of the box, `pose.transform_point(p)`
    /// lies in the result. Rounding is monotone, and the sums below are taken in the same order as
    /// in that function, so the largest terms give the largest sum, bit for bit.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let r = pose.rotation();
        let terms = |column: Vec3, lo: f64, hi: f64| {
            let (a, b) = (column * lo, column * hi);
            (a.min(b), a.max(b))
        };
        let (x0, x1) = terms(r.x_axis, self.min.x, self.max.x);
        let (y0, y1) = terms(r.y_axis, self.min.y, self.max.y);
        let (z0, z1) = terms(r.z_axis, self.min.z, self.max.z);
        let t = pose.translation();
        Self { min: ((x0 + y0) + z0) + t, max: ((x1 + y1) + z1) + t }
    }

    /// A box with the same centre that contains this box for every rotation about that centre, so
    /// that it needs no update when only the rotation changes.
    #[must_use]
    pub fn rotation_proof(&self) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let center = self.center();
        // Half the diagonal, plus bounds of the rounding of the subtractions and of the final sums,
        // and of the stretch by a matrix that is a rotation only within the tolerance.
        let radius = length_up((self.max - center).max(center - self.min))
            * (MAX_STRETCH + 8.0 * f64::EPSILON)
            + 4.0 * f64::EPSILON * center.abs().max_element()
            + DENORMAL_ERROR;
        Self { min: center - Vec3::splat(radius), max: center + Vec3::splat(radius) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Random;
    use super::*;

    fn unit() -> Aabb {
        Aabb::from_corners(Vec3::new(-1.0, 0.5, 2.0), Vec3::new(0.25, 3.0, 2.5))
    }

    #[test]
    fn closed_boxes_that_share_a_face_overlap() {
        let b = Aabb::from_corners(Vec3::new(0.25, 0.0, 0.0), Vec3::new(1.0, 9.0, 9.0));
        assert!(unit().overlaps(&b));
        assert!(!unit().overlaps(&Aabb::EMPTY));
        assert!(Aabb::EMPTY.is_empty() && Aabb::EMPTY.transformed(&Pose::IDENTITY).is_empty());
        assert_eq!(unit().transformed(&Pose::IDENTITY), unit());
    }

    #[test]
    fn the_transformed_box_contains_every_transformed_point_bit_for_bit() {
        let mut draws = Random::new(1);
        let mut random = || draws.unit();
        for _ in 0..2_000 {
            let pose = Pose::from_quaternion(
                [random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5],
                [random() * 10.0, -random(), random() * 1e-9],
            )
            .unwrap();
            let moved = unit().transformed(&pose);
            let proof = unit().rotation_proof();
            let center = unit().center();
            for i in 0..16 {
                let pick = |axis: usize| match (i >> axis) & 1 {
                    0 => unit().min[axis],
                    _ => unit().max[axis],
                };
                let mut p = Vec3::new(pick(0), pick(1), pick(2));
                if i >= 8 {
                    let s = Vec3::new(random(), random(), random());
                    p = (unit().min + (unit().max - unit().min) * s).clamp(unit().min, unit().max);
                }
                assert!(moved.contains(pose.transform_point(p)));
                assert!(proof.contains(center + pose.transform_vector(p - center)));
            }
        }
    }

    #[test]
    fn rotation_proof_boxes_of_any_size_contain_every_rotation() {
        let mut random = Random::new(2);
        for exponent in -323..60 {
            let scale = 10.0_f64.powi(exponent);
            let small = Aabb::from_corners(random.in_cube() * scale, random.in_cube() * scale);
            let (proof, center) = (small.rotation_proof(), small.center());
            for _ in 0..20 {
                let turn = Pose::from_quaternion(random.rotation().to_array(), Vec3::ZERO).unwrap();
                for corner in [small.min, small.max, small.max.with_x(small.min.x)] {
                    let turned = center + turn.transform_vector(corner - center);
                    assert!(proof.contains(turned), "1e{exponent}");
                }
            }
        }
    }
}
