//! The vertices of a k-DOP by duality (Klosowski et al. 1998, section 4.1 and footnote 6).
//!
//! Relative to an inner point `c`, the half-space `d . (x - c) <= h` has the dual point `d / h`. A
//! face of the hull of all dual points corresponds to a vertex of the k-DOP: the intersection point
//! of the planes whose duals are the corners of the face. The hull is exact, so the only errors are
//! the rounding of the `h` and of the intersection point of three planes.
//!
//! **Conservative.** The components of `d` are -1, 0 and 1. So a rounded dual point `d * (s / h)`
//! is the exact dual of a plane whose `h` has the error of two roundings. Every `h` is first
//! increased by more than that error and its own rounding error, so the hull is that of a k-DOP
//! around the given one. The increase also makes flat k-DOPs and single points solid. The
//! intersection point of three planes is a sum of `h` times integers over an integer, with an error
//! below [`VERTEX_TOLERANCE`]. Diagonal planes are moved outward more than axis planes, and space
//! diagonals more than face diagonals. So planes that touch the intersection points of other
//! planes, as in a k-DOP around a box, cut off no slivers there.

use super::Dop;
use impinge::convex::Hull;
use impinge::internals::rounding::UNIT_ROUNDOFF;
use impinge::math::Vec3;

/// How far the k-DOP may extend beyond the hull of [`Dop::vertices`], relative to the largest
/// absolute coordinate, along a direction whose components have an absolute sum of three or less.
/// Let `M` be the largest absolute coordinate, and `u` half an ulp of one. `h` is at most `6 M`.
/// The sum of three `h` times integers up to two has two roundings, the division one, the sum with
/// `c` one, and each `h` three. The error is below `256 u M` per coordinate. Vertices closer than
/// [`MERGE_TOLERANCE`] in every coordinate are merged: `512 u M`. Three times the sum of both is
/// `2304 u M`.
pub(super) const VERTEX_TOLERANCE: f64 = 2304.0 * UNIT_ROUNDOFF;

/// Vertices closer than this in every coordinate, relative to the largest absolute coordinate, are
/// merged.
const MERGE_TOLERANCE: f64 = 512.0 * UNIT_ROUNDOFF;

/// How far planes are moved outward, relative to the largest absolute coordinate, indexed by the
/// number of nonzero components of their direction. The rounding of `h` and of its dual takes 30
/// roundoffs. Each entry is larger than the sums of the entries before it, including their rounding
/// errors.
const PLANE_OFFSETS: [f64; 4] =
    [0.0, 32.0 * UNIT_ROUNDOFF, 160.0 * UNIT_ROUNDOFF, 384.0 * UNIT_ROUNDOFF];

/// For a smaller largest coordinate, [`UNIT_ROUNDOFF`] times a coordinate may be denormal.
const MIN_REACH: f64 = 1e-250;

impl<const HALF: usize> Dop<HALF> {
    /// Points whose hull contains the k-DOP up to the tolerance below: its vertices, at most 8, 24,
    /// 32 or 48. No points if the k-DOP is empty.
    ///
    /// `inside` is a point of the k-DOP; if the k-DOP is solid, a point well inside, such as the
    /// mean of the points it was built around. For other points the hull still contains the k-DOP,
    /// but is larger. Vertices of flat k-DOPs differ by rounding errors, or coincide and are
    /// returned once.
    ///
    /// **Tolerance.** Along every direction of length two or less, the extents of the hull and of
    /// the k-DOP differ by less than `3e-13` of the largest absolute coordinate, in either sense.
    ///
    /// ```
    /// use impinge::Vec3;
    /// use impinge_papers::klosowski::volume::{Dop14, Volume};
    ///
    /// // The octahedron is a 14-DOP.
    /// let corners = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
    /// let vertices = Dop14::around(&corners).vertices(Vec3::ZERO);
    /// assert!(vertices.iter().all(|v| corners.iter().any(|c| v.distance(*c) < 1e-12)));
    /// assert!(corners.iter().all(|c| vertices.iter().any(|v| v.distance(*c) < 1e-12)));
    /// ```
    #[must_use]
    pub fn vertices(&self, inside: Vec3) -> Vec<Vec3> {
        if self.min[0] > self.max[0] {
            return Vec::new();
        }
        let reach = self.reach();
        let low = Vec3::new(self.min[0], self.min[1], self.min[2]);
        let high = Vec3::new(self.max[0], self.max[1], self.max[2]);
        let found = if HALF > 3 && reach > MIN_REACH {
            self.by_duality(if inside.is_nan() { low } else { inside.clamp(low, high) })
        } else {
            None
        };
        // The hull of the corners of the box contains every k-DOP.
        let found = found.unwrap_or_else(|| {
            let pick = |i: u32, bit: u32| if i >> bit & 1 == 0 { low } else { high };
            (0..8).map(|i| Vec3::new(pick(i, 0).x, pick(i, 1).y, pick(i, 2).z)).collect()
        });
        let mut vertices: Vec<Vec3> = Vec::with_capacity(found.len());
        for p in found {
            let same = |q: &Vec3| (*q - p).abs().max_element() <= MERGE_TOLERANCE * reach;
            if !vertices.iter().any(same) {
                vertices.push(p);
            }
        }
        vertices
    }

    /// The intersection points of the planes, from the hull of the dual points about `c`, a point
    /// of the box. `None` if numbers overflow or underflow.
    fn by_duality(&self, c: Vec3) -> Option<Vec<Vec3>> {
        let reach = self.reach();
        let mut planes = Vec::with_capacity(2 * HALF);
        for i in 0..HALF {
            let d = Self::direction(i);
            let outward = PLANE_OFFSETS[d.abs().element_sum() as usize] * reach;
            let offset = d.dot(c);
            planes.push((d, (self.max[i] - offset).max(0.0) + outward));
            planes.push((-d, (offset - self.min[i]).max(0.0) + outward));
        }
        let largest = planes.iter().fold(0.0_f64, |m, (_, h)| m.max(*h));
        let duals: Vec<Vec3> = planes.iter().map(|(d, h)| *d * (largest / h)).collect();
        let hull = Hull::new(&duals).ok().filter(|hull| hull.dimension() == 3)?;
        let meet = |face: &[u32]| {
            // Three corners of a face are not collinear, and the plane of the face does not contain
            // the origin.
            let [(a, f), (b, g), (c, h)] =
                [0, 1, 2].map(|k| planes[hull.sources()[face[k] as usize] as usize]);
            (b.cross(c) * f + c.cross(a) * g + a.cross(b) * h) / a.dot(b.cross(c))
        };
        Some(hull.faces().map(|face| c + meet(face)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::klosowski::volume::{Dop6, Dop14, Dop18, Dop26, Volume};
    use impinge::internals::Random;

    /// Checks in many directions that the vertices of a k-DOP extend as far as the points, that
    /// they are not outside, and that their number is bounded.
    fn check<const HALF: usize>(points: &[Vec3], max_vertices: usize, random: &mut Random) {
        let dop = Dop::<HALF>::around(points);
        let mean = points.iter().map(|p| *p / points.len() as f64).sum();
        for inside in [mean, points[0], Vec3::NAN] {
            let vertices = dop.vertices(inside);
            let reach = dop.reach();
            assert!(!vertices.is_empty());
            assert!(vertices.len() <= max_vertices, "{} vertices", vertices.len());
            for k in 0..40 {
                let n = if k < HALF { Dop::<HALF>::direction(k) } else { random.direction() };
                for n in [n, -n] {
                    let far = |set: &[Vec3]| {
                        set.iter().map(|p| n.dot(*p)).fold(f64::NEG_INFINITY, f64::max)
                    };
                    let (v, p) = (far(&vertices), far(points));
                    assert!(v >= p - VERTEX_TOLERANCE * reach, "{v} {p} {dop:?}");
                }
            }
            if inside == mean {
                let outer = dop.enlarged(VERTEX_TOLERANCE * reach);
                let out = vertices.iter().find(|v| !outer.contains(**v));
                assert!(out.is_none() || reach < MIN_REACH, "{out:?} of {dop:?}");
            }
        }
    }

    fn check_all(points: &[Vec3], random: &mut Random) {
        check::<3>(points, 8, random);
        check::<7>(points, 24, random);
        check::<9>(points, 32, random);
        check::<13>(points, 48, random);
    }

    #[test]
    fn vertices_reach_as_far_as_the_points() {
        let mut random = Random::new(8);
        for round in 0..200 {
            let squash = [
                Vec3::ONE,
                Vec3::new(1.0, 1.0, 0.0),
                Vec3::new(0.0, 1.0, 0.0),
                Vec3::new(1.0, 1e-8, 1e-16),
                Vec3::ZERO,
            ][round % 5];
            let far = [0.0, 1.0, 1e9][round % 3];
            let scale = [1.0, 1e-200, 1e50, 1e-300, 1e-320][round / 5 % 5];
            let skew = random.rotation();
            let points: Vec<Vec3> = (0..1 + round % 30)
                .map(|_| {
                    let p = random.in_cube() * squash;
                    let p = if round % 2 == 0 { skew * p } else { p };
                    (p + Vec3::splat(far)) * scale
                })
                .collect();
            check_all(&points, &mut random);
        }
        let grid: Vec<Vec3> =
            (0..40).map(|_| Vec3::from([0; 3].map(|_| random.index(5) as f64))).collect();
        check_all(&grid, &mut random);
    }

    #[test]
    fn known_bodies_have_the_expected_vertices() {
        let cube: Vec<Vec3> = (0..8)
            .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)))
            .collect();
        let middle = Vec3::splat(0.5);
        assert_eq!(Dop6::around(&cube).vertices(middle).len(), 8);
        assert_eq!(Dop14::around(&cube).vertices(middle).len(), 8);
        assert_eq!(Dop18::around(&cube).vertices(middle).len(), 8);
        assert_eq!(Dop26::around(&cube).vertices(middle).len(), 8);
        assert_eq!(Dop26::around(&[Vec3::ONE]).vertices(Vec3::ONE).len(), 1);
        assert_eq!(Dop26::around(&[Vec3::ZERO]).vertices(Vec3::ZERO), [Vec3::ZERO]);
        assert!(Dop26::around(&[]).vertices(Vec3::ZERO).is_empty());
        // Around a ball no plane is redundant.
        let mut random = Random::new(1);
        let ball: Vec<Vec3> = (0..20_000).map(|_| random.direction()).collect();
        assert_eq!(Dop14::around(&ball).vertices(Vec3::ZERO).len(), 24);
        assert_eq!(Dop18::around(&ball).vertices(Vec3::ZERO).len(), 32);
        assert_eq!(Dop26::around(&ball).vertices(Vec3::ZERO).len(), 48);
    }
}
