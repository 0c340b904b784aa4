//! The point of the Minkowski difference closest to the origin (Gilbert, Johnson & Keerthi 1988),
//! with every step's bound certified.
//!
//! The search keeps a simplex of vertices of A - B and its point `v` closest to the origin, and
//! asks for the vertex `w` of A - B that lies furthest against `v`. All of A - B lies beyond the
//! plane through `w` across `v`: if that plane separates it from the origin, so do A and B, by at
//! least `v . w / |v|`.
//!
//! Vertices are found in `f32` ([`roughly`](super::furthest::Furthest::roughly)): the bound gives
//! way by what that can miss. Where it matters, at the end or close to contact, they are found to
//! the rounding of `f64`. What even that cannot decide is left to exact arithmetic: nothing here
//! ends by counting.

use super::furthest::Furthest;
use super::simplex::{Corner, Nearest, Simplex};
use crate::convex::Hull;
use crate::math::{Pose, Vec3};

/// The closest point is found when the bounds of the square of its distance are this close.
const CLOSE: f64 = 1e-13;

/// After so many steps exact arithmetic takes over; ten suffice almost always.
const MOST_STEPS: u32 = 256;

/// A bound of the error of a determinant of three corners, relative to the product of their
/// lengths.
const VOLUME_ERROR: f64 = 32.0 * f64::EPSILON;

/// Directions whose squares are less are left to exact arithmetic, because of numbers too small for
/// `f64`.
const LEAST_SQUARE: f64 = 1e-280;

/// So many steps are taken before each must come closer than the one before.
const FREE_STEPS: u32 = 16;

/// By how much more than its length a pose's matrix may stretch a vector. [`Pose::from_matrix`]
/// takes matrices that stretch by 2e-9; a thousandfold is left for products of such matrices.
const STRETCH: f64 = 2e-6;

/// Two hulls made ready, one at a pose in the frame of the other.
#[derive(Debug)]
pub(super) struct Query<'a> {
    pub(super) a: &'a Furthest,
    pub(super) b: &'a Furthest,
    pub(super) hulls: (&'a Hull, &'a Hull),
    pub(super) points_a: &'a [Vec3],
    pub(super) points_b: &'a [Vec3],
    pub(super) pose: &'a Pose,
    /// From A's frame into B's.
    pub(super) back: glam::DMat3,
    /// From the middle of A to the middle of B.
    pub(super) between: Vec3,
    /// A power of two that brings the sum of the radii and the largest coordinate between the
    /// middles to between a half and one.
    pub(super) unit: f64,
    /// The bodies are apart if their middles are further apart than this.
    pub(super) reach: f64,
    /// A plane through the corner found in `f64` may cut off so much. Counts the rounding of B's
    /// vertices where the pose puts them; derived in `docs/notes/convex.md`.
    pub(super) tiny: f64,
    /// No corner of A - B is longer.
    pub(super) size: f64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// `direction . (b - a) >= gap` for all points; the direction has length one to rounding.
    Separated { direction: Vec3, gap: f64 },
    /// The origin lies inside the simplex, for certain.
    Inside,
    /// The simplex holds the closest point.
    Closest,
    /// Floating point cannot tell.
    Unclear,
}

impl<'a> Query<'a> {
    #[inline(always)]
    pub(super) fn new(hull_a: &'a Hull, hull_b: &'a Hull, pose: &'a Pose) -> Self {
        let (a, b) = (hull_a.furthest(), hull_b.furthest());
        let middle = pose.transform_point(b.center);
        let between = middle - a.center;
        let apart = between.abs().max_element();
        // What cancels in B's middle is rounded all the same: its own coordinates and the
        // translation count, not what becomes of them.
        let far = a.far + b.far + pose.translation().abs().max_element();
        let reach = a.radius + b.radius;
        let tiny = 32.0 * f64::EPSILON * (far + apart + reach);
        Self {
            a,
            b,
            hulls: (hull_a, hull_b),
            points_a: hull_a.vertices(),
            points_b: hull_b.vertices(),
            pose,
            back: pose.rotation().transpose(),
            between,
            unit: unit_of(apart + reach),
            reach: reach * (1.0 + STRETCH) + tiny,
            tiny,
            size: 2.0 * apart + reach + tiny,
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

    /// The corner of A - B that lies furthest against `v`, to the rounding of `f64`.
    #[inline(always)]
    pub(super) fn against(&self, v: Vec3) -> Corner<Vec3> {
        let a = self.a.surely(-v);
        let b = self.b.surely(self.back * v);
        self.corner(a, b)
    }

    /// The least product of `v`, of a length between 1e-20 and two, and a corner of A - B, to the
    /// rounding of `f64`.
    #[inline(always)]
    pub(super) fn least(&self, v: Vec3) -> f64 {
        -v.dot(self.between) - self.a.reach(-v) - self.b.reach(self.back * v)
    }

    /// The same corners in `f64`.
    #[inline(always)]
    pub(super) fn confirm(&self, near: &Simplex<glam::Vec3A>) -> Simplex<Vec3> {
        let [p, q] = [near.corner(0), near.corner(1)];
        let [r, s] = [near.corner(2), near.corner(3)];
        let (p, q) = (self.corner(p.a, p.b).w, self.corner(q.a, q.b).w);
        let (r, s) = (self.corner(r.a, r.b).w, self.corner(s.a, s.b).w);
        near.at([p, q, r, s])
    }

    /// Searches on from a simplex whose closest point is `nearest`. With `MEASURE` until the
    /// closest point is found, else only until it is clear whether the bodies meet.
    #[inline(always)]
    pub(super) fn search<const MEASURE: bool>(
        &self,
        simplex: &mut Simplex<Vec3>,
        mut nearest: Nearest<Vec3>,
    ) -> End {
        let mut steps = 0_u32;
        let mut least = f64::INFINITY;
        loop {
            let Nearest::Toward { direction, height } = nearest else {
                return if is_certain(simplex) { End::Inside } else { End::Unclear };
            };
            // Corners that are very much smaller than the bodies: their products are not what they
            // should be.
            let is_large_enough = direction.length_squared() > LEAST_SQUARE;
            if !is_large_enough {
                return End::Unclear;
            }
            let corner = self.against(direction);
            let along = direction.dot(corner.w);
            if !MEASURE && along > self.tiny * direction.length() {
                return self.closest::<MEASURE>(direction, along);
            }
            if (height - along <= CLOSE * height) | simplex.has(&corner) {
                return self.closest::<MEASURE>(direction, along);
            }
            // Rounding may let a search go round in circles: from some point on every step must
            // come closer.
            steps += 1;
            if steps > FREE_STEPS {
                let square = nearest.square();
                let comes_closer = square < least;
                if !comes_closer || steps > MOST_STEPS {
                    return self.closest::<MEASURE>(direction, along);
                }
                least = square;
            }
            simplex.push(corner);
            nearest = simplex.reduce();
        }
    }

    /// The end of a search at the closest point it can find.
    fn closest<const MEASURE: bool>(&self, direction: Vec3, along: f64) -> End {
        let length = direction.length();
        let lower = along / length - self.tiny;
        if MEASURE && lower > 0.0 {
            End::Closest
        } else if lower > 0.0 {
            End::Separated { direction: direction / -length, gap: lower }
        } else {
            End::Unclear
        }
    }
}

/// The power of two that brings `size` to between a half and one. Anything for what is no normal
/// number.
#[inline(always)]
fn unit_of(size: f64) -> f64 {
    f64::from_bits((2045_u64 << 52).wrapping_sub(size.to_bits() & 2047 << 52))
}

/// Whether the origin lies inside the tetrahedron for certain, all rounding accounted for.
///
/// Each of the four volumes is a determinant of three differences of corners; corners are off by
/// half an ulp, and a determinant by less than 20 units of rounding times the product of the
/// lengths of its rows: see `docs/notes/convex.md`.
#[inline(always)]
pub(super) fn is_certain(simplex: &Simplex<Vec3>) -> bool {
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
        // A product that is too small for `f64` bounds nothing.
        certain &= squares[k] > 0.0;
    }
    certain
}

/// The corners of a tetrahedron with their shares of the origin, which add up to one.
#[inline(always)]
pub(super) fn inside_shares(simplex: &Simplex<Vec3>) -> [(Corner<Vec3>, f64); 4] {
    let Some([a, b, c, d]) = simplex.tetrahedron_corners() else {
        return [(Corner::NONE, 0.0); 4];
    };
    let volumes = volumes([a.w, b.w, c.w, d.w]);
    let part = 1.0 / (volumes[0] + volumes[1] + volumes[2] + volumes[3]);
    [(a, volumes[0] * part), (b, volumes[1] * part), (c, volumes[2] * part), (d, volumes[3] * part)]
}

/// Six times the volumes of the tetrahedra that the origin makes with the faces across from each
/// corner, of one sign if it lies inside.
#[inline(always)]
fn volumes([a, b, c, d]: [Vec3; 4]) -> [f64; 4] {
    let (ab, cd) = (a.cross(b), c.cross(d));
    [b.dot(cd), -a.dot(cd), d.dot(ab), -c.dot(ab)]
}
