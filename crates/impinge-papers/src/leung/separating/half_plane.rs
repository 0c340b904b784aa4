//! Is there a vector in front of all vectors? The intersection of half-planes (Leung 1996, section
//! 4.2.2).
//!
//! The vectors `w` with `w . r >= 0` for all `r` so far form a cone. The thesis cuts it with the
//! plane `w . r_0 = 1`, where it is an intersection of half-planes: a convex polygon, often
//! unbounded. Here the polygon's corners are kept as the rays of the cone (their homogeneous
//! coordinates), so that corners at infinity need no special treatment: the first two vectors that
//! are not parallel leave a wedge, described by four rays a right angle apart, and each further
//! vector cuts the polygon once.
//!
//! `w` is the sum of the rays, which lies inside; so unlike that of the hemisphere method it is
//! strictly in front of all vectors.

use super::Fit;
use impinge::math::Vec3;

/// The vectors so far and the cone of all vectors in front of them.
///
/// ```
/// use impinge::Vec3;
/// use impinge_papers::leung::separating::{Fit, HalfPlanes};
///
/// let mut cone = HalfPlanes::default();
/// for r in [Vec3::X, Vec3::Y, Vec3::Z] {
///     assert_eq!(cone.insert(r), Fit::Holds);
/// }
/// assert!(cone.middle().distance(Vec3::ONE.normalize()) < 1e-15);
/// ```
#[derive(Clone, Debug, Default)]
pub struct HalfPlanes {
    vectors: Vec<Vec3>,
    corners: Vec<Corner>,
    /// The polygon before the last cut; kept for its memory.
    before: Vec<Corner>,
    middle: Vec3,
}

/// A corner of the polygon, as a unit vector, and the vector across which the side to the next
/// corner lies.
#[derive(Clone, Copy, Debug)]
struct Corner {
    ray: Vec3,
    side: usize,
}

/// Unit vectors whose cross product is shorter than this are parallel.
const PARALLEL: f64 = 1e-14;

/// The cosine of 120 degrees: longer sides get a corner a right angle from their beginning.
const LONG: f64 = -0.5;

impl HalfPlanes {
    /// Forgets all vectors.
    pub fn clear(&mut self) {
        self.vectors.clear();
        self.corners.clear();
        self.middle = Vec3::ZERO;
    }

    /// The vectors, in the order they came.
    #[must_use]
    pub fn vectors(&self) -> &[Vec3] {
        &self.vectors
    }

    /// A unit vector inside the cone, so strictly in front of all vectors unless the cone is as
    /// narrow as rounding; zero if there are none, and without meaning after [`Fit::Nowhere`].
    #[must_use]
    pub fn middle(&self) -> Vec3 {
        self.middle
    }

    /// Adds the unit vector `r`, and tells whether anything is in front of all.
    pub fn insert(&mut self, r: Vec3) -> Fit {
        let last = self.vectors.len();
        self.vectors.push(r);
        if last == 0 {
            self.middle = r;
            return Fit::Holds;
        }
        if self.corners.is_empty() {
            return self.first_wedge(r, last);
        }
        if self.corners.iter().all(|c| c.ray.dot(r) <= 0.0) {
            return Fit::Nowhere(self.blockers(r, last));
        }
        self.cut(r, last);
        self.middle = self.corners.iter().map(|c| c.ray).sum::<Vec3>().normalize_or(self.middle);
        Fit::Holds
    }

    /// What the first vector and `r` leave, if they are not parallel.
    fn first_wedge(&mut self, r: Vec3, last: usize) -> Fit {
        let first = self.vectors[0];
        let edge = first.cross(r);
        if edge.length() < PARALLEL {
            return if first.dot(r) > 0.0 { Fit::Holds } else { Fit::Nowhere([0, 0, last, last]) };
        }
        let edge = edge.normalize();
        let corner = |ray: Vec3, side| Corner { ray, side };
        // Along the plane across the first vector to the other end of the edge, and back along the
        // plane across `r`.
        self.corners.extend([
            corner(edge, 0),
            corner(edge.cross(first), 0),
            corner(-edge, last),
            corner(r.cross(edge), last),
        ]);
        self.middle = (first + r).normalize();
        Fit::Holds
    }

    /// Cuts away what is behind `r`.
    fn cut(&mut self, r: Vec3, index: usize) {
        std::mem::swap(&mut self.corners, &mut self.before);
        self.corners.clear();
        for (i, here) in self.before.iter().enumerate() {
            let next = &self.before[(i + 1) % self.before.len()];
            let (s, t) = (here.ray.dot(r), next.ray.dot(r));
            if s >= 0.0 {
                // The side may leave right here.
                let side = if s == 0.0 && t < 0.0 { index } else { here.side };
                self.corners.push(Corner { ray: here.ray, side });
            }
            if (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0) {
                let ray = (here.ray * t.abs() + next.ray * s.abs()).normalize();
                let side = if s > 0.0 { index } else { here.side };
                self.corners.push(Corner { ray, side });
            }
        }
        self.divide(r, index);
    }

    /// Puts a corner into the new side if it is long: one of half a turn would not know which way
    /// it goes.
    fn divide(&mut self, r: Vec3, index: usize) {
        let Some(at) = self.corners.iter().position(|c| c.side == index) else { return };
        let (from, to) = (self.corners[at].ray, self.corners[(at + 1) % self.corners.len()].ray);
        if from.dot(to) < LONG {
            let ray = from.cross(r).normalize();
            self.corners.insert(at + 1, Corner { ray, side: index });
        }
    }

    /// Four vectors with nothing in front of all of them: `r`, the first, and those of the two
    /// sides at the corner where `r` is missed least in the plane of the polygon (the dual of the
    /// linear program there).
    fn blockers(&self, r: Vec3, last: usize) -> [usize; 4] {
        let first = self.vectors[0];
        let miss = |c: &Corner| c.ray.dot(r) / c.ray.dot(first).max(f64::MIN_POSITIVE);
        let count = self.corners.len();
        let at = (0..count)
            .max_by(|i, j| miss(&self.corners[*i]).total_cmp(&miss(&self.corners[*j])))
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

    /// How far the vectors are from having nothing in front of them, by the best of all planes
    /// through two of them.
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
                // About the rim of a hemisphere, where it is close.
                let mut r = random.direction();
                r -= axis * r.dot(axis) * (1.0 - flatten);
                let r = (r + axis * flatten * 0.5).normalize();
                let fits = [cone.insert(r) == Fit::Holds, hemisphere.insert(r) == Fit::Holds];
                let room = margin(cone.vectors());
                if room.abs() < 1e-9 {
                    counts[2] += 1;
                    break;
                }
                assert_eq!(fits, [room > 0.0; 2], "{:?}", cone.vectors());
                assert_eq!(room > 0.0, !brute_force(cone.vectors()));
                if room < 0.0 {
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
                    Fit::Holds => {
                        let least = cone.vectors().iter().map(|v| v.dot(cone.middle()));
                        assert!(least.fold(f64::INFINITY, f64::min) > 0.0);
                    }
                    Fit::Nowhere(simplex) => {
                        blocked += 1;
                        proven += usize::from(brute_force(&simplex.map(|i| cone.vectors()[i])));
                        break;
                    }
                }
            }
        }
        assert!(blocked > 2500 && proven == blocked, "{proven} of {blocked}");
    }

    /// Vectors in one plane leave a cone with two opposite rays.
    #[test]
    fn vectors_in_one_plane_keep_their_middle() {
        let mut random = Random::new(7);
        for round in 0..500 {
            let x = if round % 2 == 0 { Vec3::X } else { random.direction() };
            let (y, z) = x.any_orthonormal_pair();
            let mut cone = HalfPlanes::default();
            for _ in 0..8 {
                let angle = random.range(-1.2, 1.2);
                assert_eq!(cone.insert(y * angle.cos() + z * angle.sin()), Fit::Holds);
                assert!(cone.vectors().iter().all(|v| v.dot(cone.middle()) > 0.02));
            }
            let behind = cone.insert((x - y).normalize());
            assert_eq!(behind, Fit::Holds);
            assert!(cone.vectors().iter().all(|v| v.dot(cone.middle()) > 0.002));
        }
    }

    #[test]
    fn parallel_vectors_are_taken() {
        let mut cone = HalfPlanes::default();
        for r in [Vec3::X, Vec3::X, Vec3::X, Vec3::Y, Vec3::X, Vec3::Y] {
            assert_eq!(cone.insert(r), Fit::Holds);
        }
        assert!(cone.middle().dot(Vec3::X) > 0.1 && cone.middle().dot(Vec3::Y) > 0.1);
        assert!(matches!(cone.insert(-Vec3::X), Fit::Nowhere(_)));
        cone.clear();
        assert_eq!(cone.insert(Vec3::Z), Fit::Holds);
        assert!(matches!(cone.insert(-Vec3::Z), Fit::Nowhere(_)));
    }
}
