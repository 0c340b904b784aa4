//! Lower bounds of the distances of many pairs of triangles at a time: gaps along their normals.
//!
//! The gap along a normal is the distance if a vertex is above a face, and a lower bound in any
//! case. It takes a tenth of the time of closest points. The loop over pairs is vectorised for the
//! instruction set that the caller is compiled for.

use super::bounds::{LOWER_SLACK, MAX_SQUARED_LENGTH, MIN_SQUARED_LENGTH, RELATIVE_ERROR};
use super::frame::{MAX_UNSCALED_SIZE, MIN_UNSCALED_SIZE};
use crate::math::Vec3;

/// The number of pairs that are computed at a time.
pub(crate) const PAIRS_PER_GROUP: usize = 32;

/// A number for each pair.
type Lanes = [f64; PAIRS_PER_GROUP];
/// A vector for each pair.
type Lanes3 = [Lanes; 3];

/// A group of pairs of triangles.
#[derive(Clone, Debug)]
pub(crate) struct PairGroup {
    a: [Lanes3; 3],
    b: [Lanes3; 3],
}

impl PairGroup {
    pub(crate) const EMPTY: Self =
        Self { a: [[[0.0; PAIRS_PER_GROUP]; 3]; 3], b: [[[0.0; PAIRS_PER_GROUP]; 3]; 3] };

    /// Sets the pair of a lane.
    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, a: &[Vec3; 3], b: &[Vec3; 3]) {
        for (to, from) in self.a.iter_mut().zip(a).chain(self.b.iter_mut().zip(b)) {
            to[0][lane] = from.x;
            to[1][lane] = from.y;
            to[2][lane] = from.z;
        }
    }

    /// Lower bounds of the distances, by the formula of
    /// [`bounds::lower_bound`](super::bounds::lower_bound) along both normals: zero where there is
    /// no gap, or where products might overflow or underflow.
    #[inline(always)]
    pub(crate) fn face_gaps(&self, gaps: &mut [f64; PAIRS_PER_GROUP]) {
        let Self { a, b } = self;
        for k in 0..PAIRS_PER_GROUP {
            let at = |p: &Lanes3| [p[0][k], p[1][k], p[2][k]];
            // Coordinates are relative to a vertex, as everywhere in this module.
            let origin = at(&a[0]);
            let (e, f) = (sub(at(&a[1]), origin), sub(at(&a[2]), origin));
            let q = [sub(at(&b[0]), origin), sub(at(&b[1]), origin), sub(at(&b[2]), origin)];
            let mut size = 0.0;
            for p in [e, f, q[0], q[1], q[2]] {
                size = greater(size, greater(greater(p[0].abs(), p[1].abs()), p[2].abs()));
            }
            let a = [[0.0; 3], e, f];
            let first = gap_along(cross(e, f), &a, &q);
            let second = gap_along(cross(sub(q[1], q[0]), sub(q[2], q[0])), &a, &q);
            let gap = greater(first, second) * (1.0 - RELATIVE_ERROR) - LOWER_SLACK * size;
            let unscaled = (MIN_UNSCALED_SIZE..=MAX_UNSCALED_SIZE).contains(&size);
            let usable = unscaled & (gap > 0.0);
            gaps[k] = if usable { gap } else { 0.0 };
        }
    }
}

/// The gap along a direction, divided by the length of the direction; negative if there is none.
#[inline(always)]
fn gap_along(n: [f64; 3], a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> f64 {
    let nn = dot(n, n);
    let (x, y, z) = (dot(n, a[0]), dot(n, a[1]), dot(n, a[2]));
    let (a_min, a_max) = (less(less(x, y), z), greater(greater(x, y), z));
    let (x, y, z) = (dot(n, b[0]), dot(n, b[1]), dot(n, b[2]));
    let (b_min, b_max) = (less(less(x, y), z), greater(greater(x, y), z));
    let gap = greater(b_min - a_max, a_min - b_max) / nn.sqrt();
    let usable = (nn > MIN_SQUARED_LENGTH) & (nn < MAX_SQUARED_LENGTH);
    if usable { gap } else { -1.0 }
}

#[inline(always)]
fn sub(p: [f64; 3], q: [f64; 3]) -> [f64; 3] {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

#[inline(always)]
fn cross(p: [f64; 3], q: [f64; 3]) -> [f64; 3] {
    [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
}

#[inline(always)]
fn dot(p: [f64; 3], q: [f64; 3]) -> f64 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

/// The minimum as one instruction, unlike `f64::min`, which also handles NaN.
#[inline(always)]
fn less(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

/// The maximum as one instruction, unlike `f64::max`, which also handles NaN.
#[inline(always)]
fn greater(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

#[cfg(test)]
mod tests {
    use super::super::disjoint;
    use super::*;
    use crate::math::Random;

    /// The gap of one pair, which is in all lanes but one; lane 7 has a pair without a gap.
    fn gaps(pair: [[Vec3; 3]; 2]) -> f64 {
        let mut group = PairGroup::EMPTY;
        for lane in 0..PAIRS_PER_GROUP {
            group.set(lane, &pair[0], &pair[1]);
        }
        group.set(7, &pair[0], &pair[0]);
        let mut gaps = [f64::NAN; PAIRS_PER_GROUP];
        group.face_gaps(&mut gaps);
        assert_eq!(gaps[7], 0.0);
        assert!(gaps.iter().enumerate().all(|(k, gap)| k == 7 || *gap == gaps[0]));
        gaps[0]
    }

    #[test]
    fn gaps_are_lower_bounds() {
        let mut random = Random::new(4);
        for scale in [1e-40, 1e-29, 1e-3, 1.0, 1e20, 1e31] {
            for far in [0.0, 1e6] {
                let offset = random.in_cube() * far * scale;
                for _ in 0..300 {
                    let mut triangle = || [(); 3].map(|()| random.in_cube() * scale + offset);
                    let (a, b) = (triangle(), triangle());
                    let shift = random.in_cube() * 3.0 * scale;
                    let b = b.map(|p| p + shift);
                    let found = disjoint(&a, &b);
                    let gap = gaps([a, b]);
                    assert!(gap <= found.upper, "{gap} {found:?}");
                }
            }
        }
    }

    #[test]
    fn gaps_are_tight_above_a_face() {
        let mut random = Random::new(5);
        for _ in 0..1000 {
            let a = [Vec3::ZERO, Vec3::X, Vec3::Y].map(|p| p + random.in_cube() * 0.1);
            let normal = (a[1] - a[0]).cross(a[2] - a[0]).normalize();
            let above = a[0] + ((a[1] - a[0]) + (a[2] - a[0])) * 0.3;
            let height = 0.01 + random.unit();
            let tip = above + normal * height;
            let b = [tip, tip + normal + Vec3::X * 0.2, tip + normal * 2.0 - Vec3::Y];
            let found = disjoint(&a, &b);
            assert!(found.upper - found.lower < 1e-13);
            for pair in [[a, b], [b, a]] {
                assert!((gaps(pair) - found.lower).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn gaps_of_triangles_without_a_normal_are_zero() {
        let flat = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
        assert_eq!(gaps([flat, flat.map(|p| p + Vec3::Z)]), 0.0);
        let point = [Vec3::ONE; 3];
        assert_eq!(gaps([point, point]), 0.0);
    }
}
