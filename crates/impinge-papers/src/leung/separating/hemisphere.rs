//! Test whether some hemisphere contains all given vectors (Leung 1996, section 4.2.1).
//!
//! Vectors are inserted one by one. While a hemisphere contains them all, `w` is its middle. A
//! vector behind `w` lies on the boundary of the spherical hull of all vectors. So if any
//! hemisphere contains them, then one with that vector on its boundary does. Projected along that
//! vector, the others must lie in a half-plane.
//!
//! The implementation differs from the thesis in two places. The last line of the thesis takes `w`
//! along the sum of the two outermost projections. Unless these have equal lengths, the sum need
//! not lie in the half-plane, so they are normalised first. Zero projections are ignored, as in the
//! thesis. Two opposite projections, which the thesis does not mention, have no vector in front of
//! both and count as "no hemisphere".

use glam::DVec2;

use super::Feasibility;
use impinge::math::Vec3;

/// The inserted vectors and the middle of a hemisphere that contains them.
///
/// The cost is that of the thesis: a vector in front of `w` costs one dot product, any other costs
/// as many as there are vectors.
///
/// ```
/// use impinge::Vec3;
/// use impinge_papers::leung::separating::{Feasibility, Hemisphere};
///
/// let mut hemisphere = Hemisphere::default();
/// for r in [Vec3::X, Vec3::Y, Vec3::Z] {
///     assert_eq!(hemisphere.insert(r), Feasibility::Feasible);
/// }
/// let opposite = -Vec3::ONE.normalize();
/// assert!(matches!(hemisphere.insert(opposite), Feasibility::Infeasible(_)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Hemisphere {
    vectors: Vec<Vec3>,
    middle: Vec3,
}

/// Shorter projections of unit vectors count as zero.
const MIN_PROJECTION: f64 = 1e-14;

impl Hemisphere {
    /// Removes all vectors.
    pub fn clear(&mut self) {
        self.vectors.clear();
        self.middle = Vec3::ZERO;
    }

    /// The vectors, in the order of insertion.
    #[must_use]
    pub fn vectors(&self) -> &[Vec3] {
        &self.vectors
    }

    /// The middle `w` of a hemisphere that contains all vectors up to rounding, of unit length.
    /// Zero if there are no vectors; undefined after [`Feasibility::Infeasible`].
    #[must_use]
    pub fn middle(&self) -> Vec3 {
        self.middle
    }

    /// Inserts the unit vector `r`. Returns whether some hemisphere contains all inserted vectors.
    pub fn insert(&mut self, r: Vec3) -> Feasibility {
        let last = self.vectors.len();
        self.vectors.push(r);
        match last {
            0 => {
                self.middle = r;
                Feasibility::Feasible
            }
            1 => {
                // The bisector of the first two.
                let sum = self.vectors[0] + r;
                if sum.length() < MIN_PROJECTION {
                    return Feasibility::Infeasible([0, 0, 1, 1]);
                }
                self.middle = sum.normalize();
                Feasibility::Feasible
            }
            _ if r.dot(self.middle) > 0.0 => Feasibility::Feasible,
            _ => self.rotate_to_last(last),
        }
    }

    /// Searches for a hemisphere with the last vector on its boundary.
    fn rotate_to_last(&mut self, last: usize) -> Feasibility {
        let r = self.vectors[last];
        let (x, y) = perpendicular_pair(r);
        let mut wedge: Option<Wedge> = None;
        for (i, v) in self.vectors[..last].iter().enumerate() {
            let flat = DVec2::new(v.dot(x), v.dot(y));
            if flat.length() < MIN_PROJECTION {
                // Parallel to `r`: no constraint if in the same direction, infeasible if opposite.
                if v.dot(r) < 0.0 {
                    return Feasibility::Infeasible([last, i, last, i]);
                }
                continue;
            }
            match &mut wedge {
                None => wedge = Some(Wedge { right: (flat, i), left: (flat, i) }),
                Some(wedge) => {
                    if !wedge.widen(flat, i) {
                        return Feasibility::Infeasible([last, i, wedge.right.1, wedge.left.1]);
                    }
                }
            }
        }
        if let Some(wedge) = wedge {
            let middle = wedge.middle();
            self.middle = (x * middle.x + y * middle.y).normalize();
        } else {
            self.middle = r;
        }
        Feasibility::Feasible
    }
}

/// Two unit vectors that form a right-handed frame with the unit vector `r`.
pub(super) fn perpendicular_pair(r: Vec3) -> (Vec3, Vec3) {
    r.any_orthonormal_pair()
}

/// The range of directions from the rightmost to the leftmost, counter-clockwise, less than half a
/// turn.
struct Wedge {
    right: (DVec2, usize),
    left: (DVec2, usize),
}

impl Wedge {
    /// Adds a direction. Returns false if the range becomes half a turn or more.
    fn widen(&mut self, t: DVec2, index: usize) -> bool {
        let of_right = self.right.0.perp_dot(t);
        let of_left = self.left.0.perp_dot(t);
        if of_right >= 0.0 && of_left <= 0.0 {
            // Between the two, or exactly opposite to both.
            return self.right.0.dot(t) > 0.0 || self.left.0.dot(t) > 0.0;
        }
        if of_right > 0.0 {
            self.left = (t, index);
        } else if of_left < 0.0 {
            self.right = (t, index);
        } else {
            return false;
        }
        true
    }

    /// The middle direction, computed from the sum or the difference of the outermost unit vectors,
    /// whichever is longer and so more accurate.
    fn middle(&self) -> DVec2 {
        let (a, b) = (self.right.0.normalize(), self.left.0.normalize());
        let (sum, difference) = (a + b, b - a);
        if sum.length_squared() >= difference.length_squared() { sum } else { -difference.perp() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::enclosing::brute_force;
    use super::*;
    use impinge::internals::Random;

    /// The sum of two projections of different lengths is not in front of both.
    #[test]
    fn projections_are_normalised_first() {
        let (a, b) = (DVec2::new(0.1, 0.0), DVec2::new(-0.7, 0.7));
        assert!((a + b).dot(a) < 0.0, "the printed formula must fail for this input");
        let middle = Wedge { right: (a, 0), left: (b, 1) }.middle();
        assert!(middle.dot(a) > 0.0 && middle.dot(b) > 0.0);
    }

    #[test]
    fn a_wedge_closes_at_half_a_turn() {
        let at = |degrees: f64| DVec2::from_angle(degrees.to_radians());
        let mut wedge = Wedge { right: (at(10.0), 0), left: (at(10.0), 0) };
        assert!(wedge.widen(at(100.0), 1) && wedge.widen(at(-60.0), 2));
        assert_eq!((wedge.right.1, wedge.left.1), (2, 1));
        assert!(!wedge.widen(at(150.0), 3), "250 degrees from right to left");
        assert!(wedge.widen(at(0.0), 4) && wedge.widen(at(119.0), 5));
        assert!(!wedge.widen(at(190.0), 6));
        let mut ray = Wedge { right: (at(0.0), 0), left: (at(0.0), 0) };
        assert!(!ray.widen(-at(0.0), 1));
    }

    #[test]
    fn the_middle_is_in_front_of_all_and_infeasibility_is_right() {
        let mut random = Random::new(4);
        let mut counts = [0; 2];
        for round in 0..3000 {
            let mut hemisphere = Hemisphere::default();
            let axis = random.direction();
            for _ in 0..3 + round % 9 {
                let mut r = random.direction();
                if round % 3 != 0 && r.dot(axis) < 0.0 {
                    r = -r;
                }
                let feasibility = hemisphere.insert(r);
                if let Feasibility::Infeasible(simplex) = feasibility {
                    assert!(round % 3 == 0, "the hemisphere about the axis contains all vectors");
                    assert!(brute_force(&simplex.map(|i| hemisphere.vectors()[i])));
                    counts[0] += 1;
                    break;
                }
                assert!(hemisphere.vectors().iter().all(|v| v.dot(hemisphere.middle()) > -1e-14));
                assert!(!brute_force(hemisphere.vectors()));
                counts[1] += 1;
            }
        }
        assert!(counts[0] > 400 && counts[1] > 10_000, "{counts:?}");
    }

    #[test]
    fn degenerate_vectors_are_accepted() {
        let mut h = Hemisphere::default();
        for r in [Vec3::X, Vec3::X, Vec3::Y, Vec3::X] {
            assert_eq!(h.insert(r), Feasibility::Feasible);
        }
        assert!(matches!(h.insert(-Vec3::X), Feasibility::Infeasible(_)));
        h.clear();
        assert_eq!(h.insert(Vec3::Z), Feasibility::Feasible);
        assert!(matches!(h.insert(-Vec3::Z), Feasibility::Infeasible(_)));
    }
}
