//! Oriented boxes with axes from the covariance of the surface (Gottschalk, Lin and Manocha 1996,
//! compared in Klosowski et al. 1998, section 5.2).

mod axes;
mod parts;
mod separation;
#[cfg(test)]
mod tests;

use crate::arrays::MapEach;
use crate::math::rounding::{UNDERFLOW_MARGIN, UNIT_ROUNDOFF, distortion, length_up};
use crate::math::{Aabb, Pose, Vec3};

/// A box with arbitrary axes: the real points `x` with `|a[k] . (x - c)| <= h[k]`. Empty if a half
/// side is negative.
///
/// The axes are perpendicular unit vectors. All constructors guarantee that the dot products of any
/// two of them are within `16 u` of the exact values (`u` is half an ulp of one).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrientedBox {
    center: Vec3,
    axes: [Vec3; 3],
    half: [f64; 3],
}

/// A pose with the values that [`OrientedBox::moved`] needs: the deviation of its matrix from a
/// rotation and the size of its translation.
#[derive(Clone, Debug)]
pub struct OrientedMotion {
    pose: Pose,
    distortion: f64,
    /// The largest absolute component of the translation.
    max_translation: f64,
}

impl OrientedBox {
    const EMPTY: Self =
        Self { center: Vec3::ZERO, axes: axes::STANDARD, half: [f64::NEG_INFINITY; 3] };

    /// The centre.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// The axes.
    #[must_use]
    pub fn axes(&self) -> [Vec3; 3] {
        self.axes
    }

    /// Half the side lengths along the axes; negative if the box is empty.
    #[must_use]
    pub fn half(&self) -> [f64; 3] {
        self.half
    }

    /// The eight corners, rounded.
    #[must_use]
    pub fn corners(&self) -> [Vec3; 8] {
        let side = |k: usize| self.axes[k] * self.half[k];
        std::array::from_fn(|i| {
            let sign = |k: usize| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
            self.center + side(0) * sign(0) + side(1) * sign(1) + side(2) * sign(2)
        })
    }

    /// An upper bound of `|a . (p - center)|` for an axis `a`. The difference has a relative error
    /// of `u`, and the product an error of `3 u` times the sum of the absolute terms.
    #[inline]
    fn half_extent(center: Vec3, axis: Vec3, p: Vec3) -> f64 {
        let d = p - center;
        let terms = (axis * d).abs().element_sum();
        (axis.dot(d).abs() + terms * (6.0 * UNIT_ROUNDOFF)) * (1.0 + 2.0 * UNIT_ROUNDOFF)
            + UNDERFLOW_MARGIN
    }

    /// The box with the given axes around the points, which must not be empty.
    fn along(axes: [Vec3; 3], points: &[Vec3]) -> Self {
        let origin = Aabb::from_points(points.iter().copied()).center();
        let mut center = origin;
        for axis in axes {
            let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
            for p in points {
                let s = axis.dot(*p - origin);
                (lo, hi) = (lo.min(s), hi.max(s));
            }
            center += axis * (0.5 * lo + 0.5 * hi);
        }
        let half = axes.map_each(|axis| {
            points.iter().fold(0.0_f64, |half, p| half.max(Self::half_extent(center, axis, *p)))
        });
        Self { center, axes, half }
    }

    /// The smaller of two boxes by surface area, then by side lengths. Volumes are not compared
    /// because flat boxes have none.
    fn smaller(self, other: Self) -> Self {
        let key = |b: &Self| (b.surface(), b.size());
        let (a, b) = (key(&self), key(&other));
        if a.0 < b.0 || (a.0 == b.0 && a.1 <= b.1) { self } else { other }
    }

    /// The smaller of the boxes along `axes` and along the axes of the frame.
    fn best(axes: [Vec3; 3], points: &[Vec3]) -> Self {
        let oriented = Self::along(axes, points);
        if axes == axes::STANDARD {
            return oriented;
        }
        oriented.smaller(Self::along(axes::STANDARD, points))
    }
}

impl OrientedBox {
    /// A box around the points, with axes from the covariance of the points, or with the axes of
    /// the frame if that box is smaller.
    #[must_use]
    pub fn around(points: &[Vec3]) -> Self {
        if points.is_empty() {
            return Self::EMPTY;
        }
        Self::best(axes::of_points(points), points)
    }

    /// A box around the triangles, with axes from the covariance of the surface, or with the axes
    /// of the frame if that box is smaller. Uses the covariance of the points if the surface has no
    /// area.
    #[must_use]
    pub fn around_triangles(triangles: &[[Vec3; 3]]) -> Self {
        let points = triangles.as_flattened();
        match axes::of_surface(triangles) {
            Some(axes) => Self::best(axes, points),
            None => Self::around(points),
        }
    }

    /// A box around both, along the axes of the box that gives the smaller result.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { *other } else { *self };
        }
        let mut points = [Vec3::ZERO; 16];
        points[..8].copy_from_slice(&self.corners());
        points[8..].copy_from_slice(&other.corners());
        let best = Self::along(self.axes, &points).smaller(Self::along(other.axes, &points));
        // Corners have errors of a few roundings of the coordinates and, because the axes are not
        // exactly perpendicular, of the sides.
        let size = points.iter().fold(0.0_f64, |s, p| s.max(p.abs().max_element()));
        let sides = self.size().max(other.size());
        best.grown(64.0 * UNIT_ROUNDOFF * (size + sides) + UNDERFLOW_MARGIN)
    }

    /// Whether the boxes may share a point: false only if they certainly do not.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        !self.separated(other)
    }

    /// Whether the point certainly lies in the box. True for every point that the box was built
    /// around.
    #[must_use]
    pub fn contains(&self, point: Vec3) -> bool {
        (0..3).all(|k| Self::half_extent(self.center, self.axes[k], point) <= self.half[k])
    }

    /// Whether the box contains no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.half[0] < 0.0
    }

    /// Prepares a pose for [`OrientedBox::moved`].
    #[must_use]
    pub fn motion(pose: &Pose) -> OrientedMotion {
        OrientedMotion {
            pose: *pose,
            distortion: distortion(&pose.rotation()),
            max_translation: pose.translation().abs().max_element(),
        }
    }

    /// A box around the moved box: it contains `pose.transform_point(v)` for every `f64` point `v`
    /// of this box.
    #[inline]
    #[must_use]
    pub fn moved(&self, motion: &OrientedMotion) -> Self {
        if self.is_empty() || motion.pose == Pose::IDENTITY {
            return *self;
        }
        let center = motion.pose.transform_point(self.center);
        let rotated = self.axes.map_each(|a| motion.pose.transform_vector(a));
        let axes = axes::orthonormal(rotated[0], rotated[1], rotated[2]);
        // With y = R (x - c): a' . y = a . (x - c) + (a' - R a) . y + a . (R^T R - I) (x - c), plus
        // the rounding of the centre and of the vertices.
        let diagonal = length_up(Vec3::from(self.half)) * (1.0 + 64.0 * UNIT_ROUNDOFF);
        let stretched = diagonal * (1.0 + motion.distortion);
        let rounding = 32.0
            * UNIT_ROUNDOFF
            * (self.center.abs().max_element() + diagonal + motion.max_translation)
            + UNDERFLOW_MARGIN;
        let half = [0, 1, 2].map_each(|k| {
            let axis_error = length_up(axes[k] - rotated[k]) + 8.0 * UNIT_ROUNDOFF;
            (self.half[k] + (axis_error * stretched + motion.distortion * diagonal) + rounding)
                * (1.0 + 4.0 * UNIT_ROUNDOFF)
        });
        Self { center, axes, half }
    }

    /// [`OrientedBox::moved`] by a pose that is used once.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        self.moved(&Self::motion(pose))
    }

    /// A box that contains every point at a distance of at most `by` (not negative) from this box.
    #[must_use]
    pub fn enlarged(&self, by: f64) -> Self {
        if by <= 0.0 || self.is_empty() {
            return *self;
        }
        self.grown(by * (1.0 + 32.0 * UNIT_ROUNDOFF) + UNDERFLOW_MARGIN)
    }

    /// The volume, up to rounding; zero for flat and empty boxes.
    #[must_use]
    pub fn volume(&self) -> f64 {
        let [x, y, z] = self.half.map_each(|h| 2.0 * h.max(0.0));
        x * y * z
    }

    /// The surface area, up to rounding; a flat box counts both sides.
    #[must_use]
    pub fn surface(&self) -> f64 {
        let [x, y, z] = self.half.map_each(|h| 2.0 * h.max(0.0));
        2.0 * (x * y + y * z + z * x)
    }

    /// The sum of the half sides: a rough measure of the size.
    #[inline]
    #[must_use]
    pub fn size(&self) -> f64 {
        let [x, y, z] = self.half;
        (x + y + z).max(0.0)
    }

    /// A lower bound of the distance between the boxes; zero if they overlap or nearly overlap.
    #[must_use]
    pub fn gap(&self, other: &Self) -> f64 {
        self.distance_bound(other)
    }

    /// An upper bound of the penetration depth: some translation of this length leaves the boxes
    /// without a common inner point. Zero if they do not overlap.
    #[must_use]
    pub fn overlap_depth(&self, other: &Self) -> f64 {
        self.depth_bound(other)
    }
}

impl OrientedBox {
    fn grown(&self, by: f64) -> Self {
        Self { half: self.half.map_each(|h| (h + by) * (1.0 + 2.0 * UNIT_ROUNDOFF)), ..*self }
    }
}
