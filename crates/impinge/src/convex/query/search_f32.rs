//! The search for the closest point in `f32`: fast, and accurate enough for all steps but the last.
//!
//! Coordinates are those of the [support tables](super::support_table): relative to the centers of
//! the bodies, in a unit in which both bodies together have a size of about one. So a corner is
//! wrong by a few units of 2^-24. The search stops where that error begins to matter. The answer
//! "separated" is still certain: the gap is larger than all errors.

use glam::{Mat3A, Vec3A};

use super::gjk::Query;
use super::reduced_simplex::{ReducedSimplex, Step};
use super::simplex::{Corner, Simplex};
use crate::math::Vec3;
use crate::wide::Wide;

/// How far A - B may extend beyond a plane through the corner found, because of rounding in `f32`;
/// in the unit of the search. Derived in `docs/notes/convex.md`.
pub(super) const PLANE_ERROR_F32: f32 = 48.0 / 16_777_216.0;

/// Directions whose squared length is less prove nothing: their products lose digits to underflow
/// in `f32`.
const MIN_SQUARED_LENGTH: f32 = 1e-30;

/// After this number of steps the search continues in `f64`.
const MAX_STEPS: u32 = 24;

/// The two bodies of a query in `f32`.
#[derive(Debug)]
pub(super) struct QueryF32<'a> {
    pub(super) query: &'a Query<'a>,
    /// From local coordinates of A to the unit of the search.
    pub(super) scale_a: f32,
    /// From local coordinates of B to the unit of the search and the frame of A.
    pub(super) linear_b: Mat3A,
    /// From directions in A's frame to directions in B's.
    pub(super) rotation_to_b: Mat3A,
    /// From the center of A to the center of B.
    pub(super) center_offset: Vec3A,
    /// From A's unit to the unit of the search.
    pub(super) scale: f64,
    /// The [error of a plane in `f64`](Query::plane_error) in the unit of the search, rounded up.
    /// Negligible unless the coordinates of the bodies and of the pose are large against the size
    /// of the bodies.
    pub(super) plane_error_f64: f32,
    /// How far A - B may extend beyond a plane through the corner found, with all rounding.
    plane_error: f32,
}

/// A source of corners of A - B.
pub(super) trait Corners {
    /// How far the [first directions](super::ellipsoids::Ellipsoids::directions_around) lie from
    /// the normal; measured, see `docs/notes/convex.md`.
    const TILT: f32;

    /// Whether these are the corners of small hulls.
    const ARE_SMALL_HULLS: bool = false;

    /// A corner that lies furthest in the direction `-v`.
    fn support_against<W: Wide>(&self, v: Vec3A) -> Corner<Vec3A>;

    /// The difference of two vertices.
    fn corner(&self, a: u32, b: u32) -> Corner<Vec3A>;
}

/// The [tilt](Corners::TILT) for the search over any two hulls.
const SEARCH_TILT: f32 = 0.3;

impl Corners for QueryF32<'_> {
    const TILT: f32 = SEARCH_TILT;

    #[inline(always)]
    fn support_against<W: Wide>(&self, v: Vec3A) -> Corner<Vec3A> {
        let q = self.query;
        let a = q.a.support_f32::<W>((-v).to_array());
        let b = q.b.support_f32::<W>((self.rotation_to_b * v).to_array());
        self.corner(a, b)
    }

    #[inline(always)]
    fn corner(&self, a: u32, b: u32) -> Corner<Vec3A> {
        let q = self.query;
        let w = (q.a.local(a) * self.scale_a - self.center_offset) - self.linear_b * q.b.local(b);
        Corner { w, a, b }
    }
}

/// How a search in `f32` ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum SearchEndF32 {
    /// `direction . (b - a) >= gap` for all points, for certain; the direction has length one to
    /// rounding.
    Separated { direction: Vec3, gap: f64 },
    /// The origin lies inside the simplex, up to the rounding of `f32`.
    Inside,
    /// The simplex is about as close to the origin as `f32` can bring it.
    Undecided,
}

impl<'a> QueryF32<'a> {
    #[inline(always)]
    pub(super) fn new(query: &'a Query<'a>) -> Self {
        let (a, b) = (query.a, query.b);
        let scale = query.scale;
        let rotation = query.pose.rotation().as_mat3();
        let plane_error_f64 = (query.plane_error * scale) as f32 * (1.0 + f32::EPSILON);
        Self {
            query,
            scale_a: (a.unit * scale) as f32,
            linear_b: Mat3A::from(rotation) * (b.unit * scale) as f32,
            rotation_to_b: Mat3A::from(rotation.transpose()),
            center_offset: (query.center_offset * scale).as_vec3a(),
            scale,
            plane_error_f64,
            plane_error: PLANE_ERROR_F32 + plane_error_f64,
        }
    }

    /// Searches from the corners of `reduced`. Their closest point lies in `direction`; `height` is
    /// the product of the two. Stores the corners of the end in `simplex`.
    #[inline(always)]
    pub(super) fn search<W: Wide, C: Corners, const MEASURE: bool>(
        &self,
        corners: &C,
        simplex: &mut Simplex<Vec3A>,
        mut reduced: ReducedSimplex,
        mut direction: Vec3A,
        mut height: f32,
    ) -> SearchEndF32 {
        let squared_error = PLANE_ERROR_F32 * PLANE_ERROR_F32;
        for _ in 0..MAX_STEPS {
            let corner = corners.support_against::<W>(direction);
            let along = direction.dot(corner.w);
            let square = direction.length_squared();
            if !MEASURE && self.separates(direction, along) {
                *simplex = reduced.simplex();
                return self.separated(direction, along);
            }
            let progress = height - along;
            if (progress <= 1e-5 * height) | (progress.abs() * progress <= squared_error * square) {
                break;
            }
            match reduced.add(&corner) {
                Step::Toward(next, at) => (direction, height) = (next, at),
                Step::Inside => {
                    *simplex = reduced.with(&corner);
                    return SearchEndF32::Inside;
                }
            }
        }
        *simplex = reduced.simplex();
        SearchEndF32::Undecided
    }

    /// Whether `along`, the product of `v` and the corner that lies furthest in the direction `-v`,
    /// proves that the bodies are apart.
    #[inline(always)]
    pub(super) fn separates(&self, v: Vec3A, along: f32) -> bool {
        let square = v.length_squared();
        (square > MIN_SQUARED_LENGTH) & (along > self.plane_error * square.sqrt())
    }

    #[inline(always)]
    pub(super) fn separated(&self, v: Vec3A, along: f32) -> SearchEndF32 {
        let v = v.as_dvec3();
        let length = v.length();
        let gap = (f64::from(along) / length - f64::from(self.plane_error)) / self.scale;
        // The comparison in `f32` may be rounded in favour of a gap, by less than the reserve in
        // the plane error. So there is a gap, but it may be shorter than computed.
        SearchEndF32::Separated { direction: v / -length, gap: gap.max(0.0) }
    }
}
