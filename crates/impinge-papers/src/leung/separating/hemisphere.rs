//! Is there a hemisphere that holds all vectors? (Leung 1996, section 4.2.1)
//!
//! Vectors come one by one. While they fit, `w` is the middle of a hemisphere that holds them. A
//! vector behind `w` lies on the border of the spherical hull of all, so if any hemisphere holds
//! them, then one with that vector on its rim does; seen along the vector, the others must lie in a
//! half-plane.
//!
//! Two places where the thesis is silent or off, and what stands here. Its last line takes `w`
//! along the sum of the two outermost projections as they are; unless they have equal lengths, that
//! need not lie in the half-plane, so they are made unit vectors first. Projections that are zero
//! are left out, as it says; two that are opposite span no half-plane with anything in front of it,
//! and count as "no hemisphere".

use glam::DVec2;

use super::Fit;
use impinge::math::Vec3;

/// The vectors so far and the middle of a hemisphere that holds them.
///
/// Times are those of the thesis: a vector in front of `w` costs one product, another one costs as
/// many as there are vectors.
///
/// ```
/// use impinge::Vec3;
/// use impinge_papers::leung::separating::{Fit, Hemisphere};
///
/// let mut hemisphere = Hemisphere::default();
/// for r in [Vec3::X, Vec3::Y, Vec3::Z] {
///     assert_eq!(hemisphere.insert(r), Fit::Holds);
/// }
/// let opposite = -Vec3::ONE.normalize();
/// assert!(matches!(hemisphere.insert(opposite), Fit::Nowhere(_)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Hemisphere {
    vectors: Vec<Vec3>,
    middle: Vec3,
}

/// Projections of unit vectors shorter than this have no direction.
const SHORT: f64 = 1e-14;

impl Hemisphere {
    /// Forgets all vectors.
    pub fn clear(&mut self) {
        self.vectors.clear();
        self.middle = Vec3::ZERO;
    }

    /// The vectors, in the order they came.
    #[must_use]
    pub fn vectors(&self) -> &[Vec3] {
        &self.vectors
    }

    /// The middle `w` of a hemisphere that holds all vectors to rounding, of unit length; zero if
    /// there are none, and without meaning after [`Fit::Nowhere`].
    #[must_use]
    pub fn middle(&self) -> Vec3 {
        self.middle
    }

    /// Adds the unit vector `r`, and tells whether a hemisphere still holds all.
    pub fn insert(&mut self, r: Vec3) -> Fit {
        let last = self.vectors.len();
        self.vectors.push(r);
        match last {
            0 => {
                self.middle = r;
                Fit::Holds
            }
            1 => {
                // The bisector of the first two.
                let sum = self.vectors[0] + r;
                if sum.length() < SHORT {
                    return Fit::Nowhere([0, 0, 1, 1]);
                }
                self.middle = sum.normalize();
                Fit::Holds
            }
            _ if r.dot(self.middle) > 0.0 => Fit::Holds,
            _ => self.turn(last),
        }
    }

    /// Looks for a hemisphere with the last vector on its rim.
    fn turn(&mut self, last: usize) -> Fit {
        let r = self.vectors[last];
        let (x, y) = across(r);
        let mut wedge: Option<Wedge> = None;
        for (i, v) in self.vectors[..last].iter().enumerate() {
            let flat = DVec2::new(v.dot(x), v.dot(y));
            if flat.length() < SHORT {
                // Along `r`: in front of it nothing is said, behind it nothing fits.
                if v.dot(r) < 0.0 {
                    return Fit::Nowhere([last, i, last, i]);
                }
                continue;
            }
            match &mut wedge {
                None => wedge = Some(Wedge { right: (flat, i), left: (flat, i) }),
                Some(wedge) => {
                    if !wedge.widen(flat, i) {
                        return Fit::Nowhere([last, i, wedge.right.1, wedge.left.1]);
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
        Fit::Holds
    }
}

/// Two unit vectors that make a right-handed frame with the unit vector `r`.
pub(super) fn across(r: Vec3) -> (Vec3, Vec3) {
    r.any_orthonormal_pair()
}

/// The directions from the rightmost to the leftmost, counter-clockwise, by less than half a turn.
struct Wedge {
    right: (DVec2, usize),
    left: (DVec2, usize),
}

impl Wedge {
    /// Takes in one more direction; false if that makes half a turn or more.
    fn widen(&mut self, t: DVec2, index: usize) -> bool {
        let of_right = self.right.0.perp_dot(t);
        let of_left = self.left.0.perp_dot(t);
        if of_right >= 0.0 && of_left <= 0.0 {
            // Between them, or straight behind both.
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

    /// The middle direction. Of sum and difference of the outermost unit vectors the longer one
    /// tells it more exactly.
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

    /// The bisector of two projections as they are is not in front of both.
    #[test]
    fn projections_are_made_unit_vectors_first() {
        let (a, b) = (DVec2::new(0.1, 0.0), DVec2::new(-0.7, 0.7));
        assert!((a + b).dot(a) < 0.0, "the printed formula fails here");
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
    fn the_middle_is_in_front_of_all_and_refusals_are_right() {
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
                let fit = hemisphere.insert(r);
                if let Fit::Nowhere(simplex) = fit {
                    assert!(round % 3 == 0, "a hemisphere about the axis holds them");
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
    fn degenerate_vectors_are_taken() {
        let mut h = Hemisphere::default();
        for r in [Vec3::X, Vec3::X, Vec3::Y, Vec3::X] {
            assert_eq!(h.insert(r), Fit::Holds);
        }
        assert!(matches!(h.insert(-Vec3::X), Fit::Nowhere(_)));
        h.clear();
        assert_eq!(h.insert(Vec3::Z), Fit::Holds);
        assert!(matches!(h.insert(-Vec3::Z), Fit::Nowhere(_)));
    }
}
