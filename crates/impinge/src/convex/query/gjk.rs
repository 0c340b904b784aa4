//! The point of the Minkowski difference closest to the origin (Gilbert, Johnson & Keerthi 1988),
//! with every step's bound certified.
//!
//! The search keeps a simplex of vertices of A - B and its point `v` closest to the origin, and
//! finds the vertex `w` of A - B that lies furthest in the direction `-v`. All of A - B lies beyond
//! the plane through `w` perpendicular to `v`: if that plane separates A - B from the origin, A and
//! B are separated, by at least `v . w / |v|`.
//!
//! The [first stage](super::search_f32) finds vertices [in
//! `f32`](super::support_table::SupportTable::support_f32); its bound includes the error of that.
//! The search in this module, near contact or at the end, finds them to the rounding of `f64`. What
//! `f64` leaves undecided goes to exact arithmetic: no answer depends on a limit of steps.

use super::simplex::{Corner, Nearest, Simplex};
use super::support_table::SupportTable;
use crate::closest::MIN_SQUARED_LENGTH;
use crate::convex::Hull;
use crate::math::{Pose, Vec3};

/// The closest point is found when the bounds of its squared distance differ by less than this,
/// relatively.
const RELATIVE_TOLERANCE: f64 = 1e-13;

/// After this number of steps exact arithmetic takes over; ten suffice almost always. All steps
/// together take a few microseconds, which is one piece of work of a query within a budget.
const MAX_STEPS: u32 = 64;

/// A bound of the error of a determinant of three corners, relative to the product of their
/// lengths.
const VOLUME_ERROR: f64 = 32.0 * f64::EPSILON;

/// After this number of steps every step must come closer than the one before.
const STEPS_BEFORE_PROGRESS_CHECK: u32 = 16;

/// By how much a pose's matrix may stretch a vector, relative to its length. [`Pose::from_matrix`]
/// accepts matrices that stretch by 2e-9; the factor of a thousand allows for products of such
/// matrices.
const MAX_STRETCH: f64 = 2e-6;

/// Two hulls with their support tables, B at a pose in the frame of A.
#[derive(Debug)]
pub(super) struct Query<'a> {
    pub(super) a: &'a SupportTable,
    pub(super) b: &'a SupportTable,
    pub(super) points_a: &'a [Vec3],
    pub(super) points_b: &'a [Vec3],
    pub(super) pose: &'a Pose,
    /// From directions in A's frame to directions in B's.
    pub(super) rotation_to_b: glam::DMat3,
    /// From the center of A to the center of B.
    pub(super) center_offset: Vec3,
    /// A power of two. It scales the sum of the radii and the largest coordinate of `center_offset`
    /// to between a half and one.
    pub(super) scale: f64,
    /// The sum of the radii, with its error. The bodies are apart if their centers are further
    /// apart than this.
    pub(super) radius_sum: f64,
    /// How far A - B may extend beyond a plane through the corner found in `f64`. Includes the
    /// rounding of B's vertices at the pose; derived in `docs/notes/convex.md`.
    pub(super) plane_error: f64,
    /// An upper bound of the length of every corner of A - B.
    pub(super) size: f64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum SearchEnd {
    /// `direction . (b - a) >= gap` for all points; the direction has length one to rounding.
    Separated { direction: Vec3, gap: f64 },
    /// The origin lies inside the simplex, for certain.
    Inside,
    /// The simplex holds the closest point.
    Closest,
    /// Undecided in floating point.
    Undecided,
}

impl<'a> Query<'a> {
    #[inline(always)]
    pub(super) fn new(hull_a: &'a Hull, hull_b: &'a Hull, pose: &'a Pose) -> Self {
        let (a, b) = (hull_a.support_table(), hull_b.support_table());
        let center_b = pose.transform_point(b.center);
        let center_offset = center_b - a.center;
        let apart = center_offset.abs().max_element();
        // The error of B's center is that of its own coordinates and of the translation, even where
        // these cancel.
        let coordinates =
            a.max_coordinate + b.max_coordinate + pose.translation().abs().max_element();
        let radius_sum = a.radius + b.radius;
        let plane_error = 32.0 * f64::EPSILON * (coordinates + apart + radius_sum);
        Self {
            a,
            b,
            points_a: hull_a.vertices(),
            points_b: hull_b.vertices(),
            pose,
            rotation_to_b: pose.rotation().transpose(),
            center_offset,
            scale: power_of_two_scale(apart + radius_sum),
            radius_sum: radius_sum * (1.0 + MAX_STRETCH) + plane_error,
            plane_error,
            size: 2.0 * apart + radius_sum + plane_error,
        }
    }

    /// Two vertices, in A's frame.
    #[inline(always)]
    pub(super) fn vertices(&self, a: u32, b: u32) -> (Vec3, Vec3) {
        (self.points_a[a as usize], self.pose.transform_point(self.points_b[b as usize]))
    }

    #[inline(always)]
    pub(super) fn corner(&self, a: u32, b: u32) -> Corner<Vec3> {
        let (p, q) = self.vertices(a, b);
        Corner { w: p - q, a, b }
    }

    /// The corner of A - B that lies furthest in the direction `-v`, to the rounding of `f64`.
    #[inline(always)]
    pub(super) fn support_against(&self, v: Vec3) -> Corner<Vec3> {
        let a = self.a.support_f64(-v);
        let b = self.b.support_f64(self.rotation_to_b * v);
        self.corner(a, b)
    }

    /// The least product of `v` with any corner of A - B, to the rounding of `f64`. The length of
    /// `v` must lie between 1e-20 and two.
    #[inline(always)]
    pub(super) fn min_product(&self, v: Vec3) -> f64 {
        -v.dot(self.center_offset)
            - self.a.extent_f64(-v)
            - self.b.extent_f64(self.rotation_to_b * v)
    }

    /// The same corners with coordinates in `f64`.
    #[inline(always)]
    pub(super) fn simplex_f64(&self, simplex_f32: &Simplex<glam::Vec3A>) -> Simplex<Vec3> {
        let [p, q] = [simplex_f32.corner(0), simplex_f32.corner(1)];
        let [r, s] = [simplex_f32.corner(2), simplex_f32.corner(3)];
        let (p, q) = (self.corner(p.a, p.b).w, self.corner(q.a, q.b).w);
        let (r, s) = (self.corner(r.a, r.b).w, self.corner(s.a, s.b).w);
        simplex_f32.at([p, q, r, s])
    }

    /// Searches from a simplex whose closest point is `nearest`. With `MEASURE` until the closest
    /// point is found, otherwise only until it is clear whether the bodies intersect.
    #[inline(always)]
    pub(super) fn search<const MEASURE: bool>(
        &self,
        simplex: &mut Simplex<Vec3>,
        mut nearest: Nearest<Vec3>,
    ) -> SearchEnd {
        let mut steps = 0_u32;
        let mut least = f64::INFINITY;
        loop {
            let Nearest::Toward { direction, height } = nearest else {
                return if certainly_contains_origin(simplex) {
                    SearchEnd::Inside
                } else {
                    SearchEnd::Undecided
                };
            };
            // The products of corners that are very small against the bodies underflow.
            let is_large_enough = direction.length_squared() > MIN_SQUARED_LENGTH;
            if !is_large_enough {
                return SearchEnd::Undecided;
            }
            let corner = self.support_against(direction);
            let along = direction.dot(corner.w);
            if !MEASURE && along > self.plane_error * direction.length() {
                return self.search_end::<MEASURE>(direction, along);
            }
            if (height - along <= RELATIVE_TOLERANCE * height) | simplex.has(&corner) {
                return self.search_end::<MEASURE>(direction, along);
            }
            // Rounding may make a search cycle: from this step on every step must come closer.
            steps += 1;
            if steps > STEPS_BEFORE_PROGRESS_CHECK {
                let square = nearest.square();
                let comes_closer = square < least;
                if !comes_closer || steps > MAX_STEPS {
                    return self.search_end::<MEASURE>(direction, along);
                }
                least = square;
            }
            simplex.push(corner);
            nearest = simplex.reduce();
        }
    }

    /// How the search ends when `direction` cannot be improved.
    fn search_end<const MEASURE: bool>(&self, direction: Vec3, along: f64) -> SearchEnd {
        let length = direction.length();
        let lower = along / length - self.plane_error;
        if MEASURE && lower > 0.0 {
            SearchEnd::Closest
        } else if lower > 0.0 {
            SearchEnd::Separated { direction: direction / -length, gap: lower }
        } else {
            SearchEnd::Undecided
        }
    }
}

/// The power of two that scales `size` to between a half and one. Unspecified for a number that is
/// not normal.
#[inline(always)]
fn power_of_two_scale(size: f64) -> f64 {
    f64::from_bits((2045_u64 << 52).wrapping_sub(size.to_bits() & 2047 << 52))
}

/// Whether the origin certainly lies inside the tetrahedron, with all rounding.
///
/// Each of the four volumes is a determinant of three differences of corners. A corner is wrong by
/// half an ulp, and a determinant by less than 20 units of rounding times the product of the
/// lengths of its rows: see `docs/notes/convex.md`.
#[inline(always)]
pub(super) fn certainly_contains_origin(simplex: &Simplex<Vec3>) -> bool {
    let Some([a, b, c, d]) = simplex.tetrahedron_corners() else { return false };
    let volumes = volumes([a.w, b.w, c.w, d.w]);
    let (la, lb) = (a.w.length_squared(), b.w.length_squared());
    let (lc, ld) = (c.w.length_squared(), d.w.length_squared());
    let squares = [lb * lc * ld, la * lc * ld, la * lb * ld, la * lb * lc];
    let sign = volumes[0].signum();
    let mut certain = true;
    for k in 0..4 {
        let inside = volumes[k] * sign;
        certain &= (inside > 0.0) & (inside * inside > VOLUME_ERROR * VOLUME_ERROR * squares[k]);
        // A product that underflows to zero bounds nothing.
        certain &= squares[k] > 0.0;
    }
    certain
}

/// The corners of a tetrahedron with their weights for the origin; the weights add up to one.
#[inline(always)]
pub(super) fn origin_weights(simplex: &Simplex<Vec3>) -> [(Corner<Vec3>, f64); 4] {
    let Some([a, b, c, d]) = simplex.tetrahedron_corners() else {
        return [(Corner::NONE, 0.0); 4];
    };
    let volumes = volumes([a.w, b.w, c.w, d.w]);
    let factor = 1.0 / (volumes[0] + volumes[1] + volumes[2] + volumes[3]);
    [
        (a, volumes[0] * factor),
        (b, volumes[1] * factor),
        (c, volumes[2] * factor),
        (d, volumes[3] * factor),
    ]
}

/// Six times the volumes of the tetrahedra that the origin forms with the face opposite each
/// corner. All have one sign if the origin lies inside.
#[inline(always)]
fn volumes([a, b, c, d]: [Vec3; 4]) -> [f64; 4] {
    let (ab, cd) = (a.cross(b), c.cross(d));
    [b.dot(cd), -a.dot(cd), d.dot(ab), -c.dot(ab)]
}
