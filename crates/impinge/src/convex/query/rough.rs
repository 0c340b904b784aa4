//! The search for the closest point in `f32`: quick, and good for all but the end.
//!
//! Coordinates are those of the blocks, around the middles of the bodies, and in a unit in which
//! the whole is about one; so a corner is off by a few units of 2^-24. The search stops where that
//! begins to matter. "Separated" is certain all the same, by a gap that is larger than all errors.

use glam::{Mat3A, Vec3A};

use super::gjk::Query;
use super::near::{Near, Step};
use super::simplex::{Corner, Simplex};
use crate::math::Vec3;
use crate::wide::Wide;

/// A plane through the corner found may cut off so much, in the unit of the search, by what is
/// rounded in `f32`; derived in `docs/notes/convex.md`.
pub(super) const SLACK: f32 = 48.0 / 16_777_216.0;

/// Directions whose squares are less prove nothing, because of numbers too small for `f32`.
const LEAST_SQUARE: f32 = 1e-30;

/// After so many steps the search goes on in `f64` whatever it has reached.
const STEPS: u32 = 24;

/// The two bodies in `f32`.
#[derive(Debug)]
pub(super) struct Rough<'a> {
    pub(super) query: &'a Query<'a>,
    /// From local coordinates of A into the unit of the search.
    pub(super) scale: f32,
    /// From local coordinates of B into the unit of the search and the frame of A.
    pub(super) turn: Mat3A,
    /// From directions in A's frame to directions in B's.
    pub(super) back: Mat3A,
    /// From the middle of A to that of B.
    pub(super) between: Vec3A,
    /// One in A's unit is so much here.
    pub(super) unit: f64,
    /// What is rounded in `f64`, in the unit of the search: next to nothing, unless the bodies are
    /// small for the numbers that they and the pose are given by. Not less than it is.
    pub(super) coarse: f32,
    /// A plane through the corner found may cut off so much, all rounding accounted for.
    slack: f32,
}

/// Where corners of A - B come from.
pub(super) trait Corners {
    /// How far from the normal the [first directions](super::start::Start::around) are; measured,
    /// see `docs/notes/convex.md`.
    const TILT: f32;

    /// A corner that lies furthest against `v`.
    fn against<W: Wide>(&self, v: Vec3A) -> Corner<Vec3A>;

    /// The corner that two vertices make.
    fn corner(&self, a: u32, b: u32) -> Corner<Vec3A>;
}

impl Corners for Rough<'_> {
    const TILT: f32 = 0.3;

    #[inline(always)]
    fn against<W: Wide>(&self, v: Vec3A) -> Corner<Vec3A> {
        let q = self.query;
        let a = q.a.roughly::<W>((-v).to_array());
        let b = q.b.roughly::<W>((self.back * v).to_array());
        self.corner(a, b)
    }

    #[inline(always)]
    fn corner(&self, a: u32, b: u32) -> Corner<Vec3A> {
        let q = self.query;
        let w = (q.a.local(a) * self.scale - self.between) - self.turn * q.b.local(b);
        Corner { w, a, b }
    }
}

/// How a search in `f32` ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum RoughEnd {
    /// `direction . (b - a) >= gap` for all points, for certain; the direction has length one to
    /// rounding.
    Separated { direction: Vec3, gap: f64 },
    /// The origin lies inside the simplex, as far as `f32` can tell.
    Inside,
    /// The simplex is about as close as `f32` can bring it.
    Close,
}

impl<'a> Rough<'a> {
    #[inline(always)]
    pub(super) fn new(query: &'a Query<'a>) -> Self {
        let (a, b) = (query.a, query.b);
        let unit = query.unit;
        let turn = query.pose.rotation().as_mat3();
        let coarse = (query.tiny * unit) as f32 * (1.0 + f32::EPSILON);
        Self {
            query,
            scale: (a.unit * unit) as f32,
            turn: Mat3A::from(turn) * (b.unit * unit) as f32,
            back: Mat3A::from(turn.transpose()),
            between: (query.between * unit).as_vec3a(),
            unit,
            coarse,
            slack: SLACK + coarse,
        }
    }

    /// Searches on from the corners `near`, whose closest point is that in the `direction` given,
    /// `height` the product of both. Leaves the corners it ends with in `simplex`.
    #[inline(always)]
    pub(super) fn search<W: Wide, C: Corners, const MEASURE: bool>(
        &self,
        corners: &C,
        simplex: &mut Simplex<Vec3A>,
        mut near: Near,
        mut direction: Vec3A,
        mut height: f32,
    ) -> RoughEnd {
        let slack_squared = SLACK * SLACK;
        for _ in 0..STEPS {
            let corner = corners.against::<W>(direction);
            let along = direction.dot(corner.w);
            let square = direction.length_squared();
            if !MEASURE && self.separates(direction, along) {
                *simplex = near.simplex();
                return self.separated(direction, along);
            }
            let short = height - along;
            if (short <= 1e-5 * height) | (short.abs() * short <= slack_squared * square) {
                break;
            }
            match near.add(&corner) {
                Step::Toward(next, at) => (direction, height) = (next, at),
                Step::Inside => {
                    *simplex = near.with(&corner);
                    return RoughEnd::Inside;
                }
            }
        }
        *simplex = near.simplex();
        RoughEnd::Close
    }

    /// Whether `along`, the product of `v` and the corner furthest against it, proves that the
    /// bodies are apart.
    #[inline(always)]
    pub(super) fn separates(&self, v: Vec3A, along: f32) -> bool {
        let square = v.length_squared();
        (square > LEAST_SQUARE) & (along > self.slack * square.sqrt())
    }

    #[inline(always)]
    pub(super) fn separated(&self, v: Vec3A, along: f32) -> RoughEnd {
        let v = v.as_dvec3();
        let length = v.length();
        let gap = (f64::from(along) / length - f64::from(self.slack)) / self.unit;
        // The comparison in `f32` may have rounded in favour of the gap, by less than the slack has
        // to spare: there is a gap, if not of this length.
        RoughEnd::Separated { direction: v / -length, gap: gap.max(0.0) }
    }
}
