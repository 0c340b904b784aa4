//! Test whether some vector is in front of all given vectors, by the intersection of half-planes
//! (Leung 1996, section 4.2.2).
//!
//! The vectors `w` with `w . r >= 0` for all vectors `r` so far form a cone. The thesis intersects
//! it with the plane `w . r_0 = 1`. The result is an intersection of half-planes: a convex polygon,
//! often unbounded. Here the corners of the polygon are stored as rays of the cone (homogeneous
//! coordinates), so that corners at infinity need no special treatment. The first two vectors that
//! are not parallel leave a wedge, described by four rays at right angles. Each further vector
//! clips the polygon once.
//!
//! `w` is the sum of the rays, which lies inside the cone. So unlike the `w` of the hemisphere
//! method, it is strictly in front of all vectors.

use super::Feasibility;
use impinge::math::Vec3;

/// The inserted vectors and the cone of all vectors in front of them.
///
/// ```
/// use impinge::Vec3;
/// use impinge_papers::leung::separating::{Feasibility, HalfPlanes};
///
/// let mut cone = HalfPlanes::default();
/// for r in [Vec3::X, Vec3::Y, Vec3::Z] {
///     assert_eq!(cone.insert(r), Feasibility::Feasible);
/// }
/// assert!(cone.middle().distance(Vec3::ONE.normalize()) < 1e-15);
/// ```
#[derive(Clone, Debug, Default)]
pub struct HalfPlanes {
    vectors: Vec<Vec3>,
    corners: Vec<Corner>,
    /// The polygon before the last clip; kept to reuse its memory.
    previous: Vec<Corner>,
    middle: Vec3,
}

/// A corner of the polygon as a unit vector, and the index of the vector perpendicular to the side
/// from this corner to the next.
#[derive(Clone, Copy, Debug)]
struct Corner {
    ray: Vec3,
    side: usize,
}

/// Unit vectors whose cross product is shorter than this are parallel.
const MIN_SINE: f64 = 1e-14;

/// The cosine of 120 degrees. Longer sides are divided by a corner at a right angle from their
/// start.
const MIN_SIDE_COSINE: f64 = -0.5;

impl HalfPlanes {
    /// Removes all vectors.
    pub fn clear(&mut self) {
        self.vectors.clear();
        self.corners.clear();
        self.middle = Vec3::ZERO;
    }

    /// The vectors, in the order of insertion.
    #[must_use]
    pub fn vectors(&self) -> &[Vec3] {
        &self.vectors
    }

    /// A unit vector inside the cone: strictly in front of all vectors, unless the width of the
    /// cone is at the level of rounding errors. Zero if there are no vectors; undefined after
    /// [`Feasibility::Infeasible`].
    #[must_use]
    pub fn middle(&self) -> Vec3 {
        self.middle
    }

    /// Inserts the unit vector `r`. Returns whether some vector is in front of all inserted ones.
    pub fn insert(&mut self, r: Vec3) -> Feasibility {
        let last = self.vectors.len();
        self.vectors.push(r);
        if last == 0 {
            self.middle = r;
            return Feasibility::Feasible;
        }
        if self.corners.is_empty() {
            return self.first_wedge(r, last);
        }
        if self.corners.iter().all(|c| c.ray.dot(r) <= 0.0) {
            return Feasibility::Infeasible(self.blockers(r, last));
        }
        self.clip(r, last);
        self.middle = self.corners.iter().map(|c| c.ray).sum::<Vec3>().normalize_or(self.middle);
        Feasibility::Feasible
    }

    /// The initial wedge of the first vector and `r`, if they are not parallel.
    fn first_wedge(&mut self, r: Vec3, last: usize) -> Feasibility {
        let first = self.vectors[0];
        let edge = first.cross(r);
        if edge.length() < MIN_SINE {
            return if first.dot(r) > 0.0 {
                Feasibility::Feasible
            } else {
                Feasibility::Infeasible([0, 0, last, last])
            };
        }
        let edge = edge.normalize();
        let corner = |ray: Vec3, side| Corner { ray, side };
        // In the plane perpendicular to the first vector to the opposite end of the edge, and back
        // in the plane perpendicular to `r`.
        self.corners.extend([
            corner(edge, 0),
            corner(edge.cross(first), 0),
            corner(-edge, last),
            corner(r.cross(edge), last),
        ]);
        self.middle = (first + r).normalize();
        Feasibility::Feasible
    }

    /// Removes the part of the cone that is behind `r`.
    fn clip(&mut self, r: Vec3, index: usize) {
        std::mem::swap(&mut self.corners, &mut self.previous);
        self.corners.clear();
        for (i, here) in self.previous.iter().enumerate() {
            let next = &self.previous[(i + 1) % self.previous.len()];
            let (s, t) = (here.ray.dot(r), next.ray.dot(r));
            if s >= 0.0 {
                // If the corner lies on the plane, the new side may start here.
                let side = if s == 0.0 && t < 0.0 { index } else { here.side };
                self.corners.push(Corner { ray: here.ray, side });
            }
            if (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0) {
                let ray = (here.ray * t.abs() + next.ray * s.abs()).normalize();
                let side = if s > 0.0 { index } else { here.side };
                self.corners.push(Corner { ray, side });
            }
        }
        self.divide_long_side(r, index);
    }

    /// Divides the new side if it is long: the direction of a side of half a turn would be
    /// ambiguous.
    fn divide_long_side(&mut self, r: Vec3, index: usize) {
        let Some(at) = self.corners.iter().position(|c| c.side == index) else { return };
        let (from, to) = (self.corners[at].ray, self.corners[(at + 1) % self.corners.len()].ray);
        if from.dot(to) < MIN_SIDE_COSINE {
            let ray = from.cross(r).normalize();
            self.corners.insert(at + 1, Corner { ray, side: index });
        }
    }

    /// Four vectors such that no vector is in front of all four: `r`, the first vector, and those
    /// of the two sides at the corner that violates `r` least in the plane of the polygon (the dual
    /// of the linear program in that plane).
    fn blockers(&self, r: Vec3, last: usize) -> [usize; 4] {
        let first = self.vectors[0];
        let violation = |c: &Corner| c.ray.dot(r) / c.ray.dot(first).max(f64::MIN_POSITIVE);
        let count = self.corners.len();
        let at = (0..count)
            .max_by(|i, j| violation(&self.corners[*i]).total_cmp(&violation(&self.corners[*j])))
            .unwrap_or(0);
        [last, 0, self.corners[at].side, self.corners[(at + count - 1) % count].side]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Hemisphere;
    use super::super::enclosing::brute_force;
    use super::*;
    use impinge::internals::Random;

    /// The largest minimum dot product of any vector with all vectors, by testing all candidates.
    /// Negative if no vector is in front of all.
    fn margin(vectors: &[Vec3]) -> f64 {
        let mut best = f64::NEG_INFINITY;
        let mut take = |w: Vec3| {
            let w = w.normalize_or_zero();
            best = best.max(vectors.iter().map(|v| v.dot(w)).fold(f64::INFINITY, f64::min));
        };
        for (i, a) in vectors.iter().enumerate() {
            take(*a);
            for (j, b) in vectors[..i].iter().enumerate() {
                take(*a + *b);
                for c in &vectors[..j] {
                    take((*a - *c).cross(*b - *c));
                    take((*b - *c).cross(*a - *c));
                }
            }
        }
        best
    }

    #[test]
    fn both_methods_and_brute_force_agree() {
        let mut random = Random::new(5);
        let mut counts = [0; 3];
        for round in 0..4000 {
            let mut cone = HalfPlanes::default();
            let mut hemisphere = Hemisphere::default();
            let axis = random.direction();
            let flatten = [1.0, 1e-2, 1e-4][round % 3];
            for _ in 0..3 + round % 9 {
                // Near the boundary of a hemisphere, where the decision is close.
                let mut r = random.direction();
                r -= axis * r.dot(axis) * (1.0 - flatten);
                let r = (r + axis * flatten * 0.5).normalize();
                let results = [
                    cone.insert(r) == Feasibility::Feasible,
                    hemisphere.insert(r) == Feasibility::Feasible,
                ];
                let margin_left = margin(cone.vectors());
                if margin_left.abs() < 1e-9 {
                    counts[2] += 1;
                    break;
                }
                assert_eq!(results, [margin_left > 0.0; 2], "{:?}", cone.vectors());
                assert_eq!(margin_left > 0.0, !brute_force(cone.vectors()));
                if margin_left < 0.0 {
                    counts[0] += 1;
                    break;
                }
                counts[1] += 1;
            }
        }
        assert!(counts[0] > 600 && counts[1] > 8000 && counts[2] < 100, "{counts:?}");
    }

    #[test]
    fn the_middle_is_strictly_in_front_and_blockers_block() {
        let mut random = Random::new(6);
        let (mut blocked, mut proven) = (0, 0);
        for _ in 0..3000 {
            let mut cone = HalfPlanes::default();
            for _ in 0..12 {
                match cone.insert(random.direction()) {
                    Feasibility::Feasible => {
                        let least = cone.vectors().iter().map(|v| v.dot(cone.middle()));
                        assert!(least.fold(f64::INFINITY, f64::min) > 0.0);
                    }
                    Feasibility::Infeasible(simplex) => {
                        blocked += 1;
                        proven += usize::from(brute_force(&simplex.map(|i| cone.vectors()[i])));
                        break;
                    }
                }
            }
        }
        assert!(blocked > 2500 && proven == blocked, "{proven} of {blocked}");
    }

    /// The cone of vectors in one plane has two opposite rays.
    #[test]
    fn vectors_in_one_plane_keep_their_middle() {
        let mut random = Random::new(7);
        for round in 0..500 {
            let x = if round % 2 == 0 { Vec3::X } else { random.direction() };
            let (y, z) = x.any_orthonormal_pair();
            let mut cone = HalfPlanes::default();
            for _ in 0..8 {
                let angle = random.range(-1.2, 1.2);
                assert_eq!(cone.insert(y * angle.cos() + z * angle.sin()), Feasibility::Feasible);
                assert!(cone.vectors().iter().all(|v| v.dot(cone.middle()) > 0.02));
            }
            let behind = cone.insert((x - y).normalize());
            assert_eq!(behind, Feasibility::Feasible);
            assert!(cone.vectors().iter().all(|v| v.dot(cone.middle()) > 0.002));
        }
    }

    #[test]
    fn parallel_vectors_are_accepted() {
        let mut cone = HalfPlanes::default();
        for r in [Vec3::X, Vec3::X, Vec3::X, Vec3::Y, Vec3::X, Vec3::Y] {
            assert_eq!(cone.insert(r), Feasibility::Feasible);
        }
        assert!(cone.middle().dot(Vec3::X) > 0.1 && cone.middle().dot(Vec3::Y) > 0.1);
        assert!(matches!(cone.insert(-Vec3::X), Feasibility::Infeasible(_)));
        cone.clear();
        assert_eq!(cone.insert(Vec3::Z), Feasibility::Feasible);
        assert!(matches!(cone.insert(-Vec3::Z), Feasibility::Infeasible(_)));
    }
}
