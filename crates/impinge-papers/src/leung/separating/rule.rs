//! Where to look next: from one direction and the vertices it found to the next direction (Leung
//! 1996, sections 3.2, 3.7 and 3.8).

use impinge::math::Vec3;
use impinge::{Error, ErrorKind};

/// How the next direction is chosen: the one-parameter family of equation (3.9).
///
/// Let `S` be the direction that failed and `r` the unit vector from the supporting vertex of A to
/// that of B, so `S . r < 0`. The *greedy* direction (3.2) is `S` mirrored at the plane across `r`;
/// it is right at once for two balls. The *conservative* direction (3.5) is the part of `S` across
/// `r`; it turns half as far. The others are unit vectors along
/// `alpha * greedy + (1 - alpha) * conservative`.
///
/// Each of them comes closer to every separating vector `w` (lemma 2 for the greedy one; lemmas 5
/// and 7 for the others, from a first direction with `S . w > 0`, as the one between the centroids
/// is).
///
/// ```
/// use impinge::Vec3;
/// use impinge_papers::leung::separating::Rule;
///
/// let (s, r) = (Vec3::X, Vec3::new(-0.6, 0.8, 0.0));
/// assert!(Rule::GREEDY.next(s, r).distance(Vec3::new(0.28, 0.96, 0.0)) < 1e-15);
/// assert!(Rule::CONSERVATIVE.next(s, r).distance(Vec3::new(0.8, 0.6, 0.0)) < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    alpha: f64,
}

/// Shorter than this, the part of `S` across `r` has no direction worth the name.
const ALONG: f64 = 1e-14;

impl Rule {
    /// The greedy direction, formula (3.2): `alpha = 1`, the thesis' own choice.
    pub const GREEDY: Self = Self { alpha: 1.0 };

    /// The conservative direction, formula (3.5): `alpha = 0`.
    pub const CONSERVATIVE: Self = Self { alpha: 0.0 };

    /// A direction between them, formula (3.9).
    ///
    /// # Errors
    /// If `alpha` is not a number from 0 to 1.
    pub fn mixed(alpha: f64) -> Result<Self, Error> {
        if (0.0..=1.0).contains(&alpha) {
            Ok(Self { alpha })
        } else {
            Err(Error::new(
                ErrorKind::BadParameter,
                format!(
                    "a rule with alpha {alpha}; it must be from 0 (conservative) to 1 (greedy)"
                ),
            ))
        }
    }

    /// The share of the greedy direction.
    #[must_use]
    pub fn alpha(self) -> f64 {
        self.alpha
    }

    /// The direction after the unit vector `s`, where the supporting vertices lie along the unit
    /// vector `r` from each other.
    ///
    /// Where `s` points straight against `r`, nothing of it lies across `r`, and every rule takes
    /// the greedy direction.
    #[must_use]
    pub fn next(self, s: Vec3, r: Vec3) -> Vec3 {
        let along = r * r.dot(s);
        let across = s - along;
        let greedy = across - along;
        if self.alpha == 1.0 {
            return greedy;
        }
        let length = across.length();
        if length < ALONG {
            return greedy;
        }
        let conservative = across / length;
        if self.alpha == 0.0 {
            return conservative;
        }
        // The angle between the two is below 90 degrees, so the sum is not short.
        (greedy * self.alpha + conservative * (1.0 - self.alpha)).normalize()
    }
}

impl Default for Rule {
    fn default() -> Self {
        Self::GREEDY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::Random;

    fn rules() -> impl Iterator<Item = Rule> {
        (0..=8).map(|i| Rule::mixed(f64::from(i) / 8.0).unwrap())
    }

    #[test]
    fn alpha_is_checked() {
        assert_eq!(Rule::mixed(1.0).unwrap(), Rule::GREEDY);
        assert_eq!(Rule::mixed(0.0).unwrap(), Rule::CONSERVATIVE);
        for bad in [f64::NAN, -0.1, 1.1, f64::INFINITY] {
            assert_eq!(Rule::mixed(bad).unwrap_err().kind(), ErrorKind::BadParameter);
        }
    }

    /// Formula (3.2): a unit vector, in the plane of `s` and `r`, that makes the same angle with
    /// `r` on the other side.
    #[test]
    fn the_greedy_direction_is_a_mirror_image() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let (s, r) = (random.direction(), random.direction());
            let next = Rule::GREEDY.next(s, r);
            assert!((next.length() - 1.0).abs() < 1e-15);
            assert!((next.dot(r) + s.dot(r)).abs() < 1e-15);
            assert!(next.dot(s.cross(r)).abs() < 1e-15);
        }
    }

    /// Formula (3.5) as it is printed: `<(r x s) x r>`.
    #[test]
    fn the_conservative_direction_is_the_printed_cross_product() {
        let mut random = Random::new(2);
        for _ in 0..1000 {
            let (s, r) = (random.direction(), random.direction());
            let next = Rule::CONSERVATIVE.next(s, r);
            assert!(next.dot(r).abs() < 1e-12);
            assert!(next.distance(r.cross(s).cross(r).normalize()) < 1e-12);
        }
    }

    /// Lemmas 2, 5 and 7, for one step: with `s . r < 0`, `w . r > 0` and `w . s > 0` the angle to
    /// `w` decreases; for the greedy one without the last condition.
    #[test]
    fn every_rule_comes_closer_to_every_separating_vector() {
        let mut random = Random::new(3);
        let mut counts = [0; 2];
        for _ in 0..20_000 {
            let (s, r, w) = (random.direction(), random.direction(), random.direction());
            if s.dot(r) > -1e-3 || w.dot(r) < 1e-3 {
                continue;
            }
            assert!(Rule::GREEDY.next(s, r).dot(w) > s.dot(w));
            counts[0] += 1;
            if w.dot(s) > 1e-6 {
                for rule in rules() {
                    assert!(rule.next(s, r).dot(w) > s.dot(w), "{rule:?} {s} {r} {w}");
                }
                counts[1] += 1;
            }
        }
        assert!(counts[0] > 4000 && counts[1] > 1500, "{counts:?}");
    }

    /// Behind a separating vector the conservative step may lead away from it: the condition of
    /// lemma 5 is needed.
    #[test]
    fn the_conservative_direction_needs_a_first_direction_on_the_right_side() {
        let s = Vec3::new(-0.8, -0.6, 0.0);
        let (r, w) = (Vec3::Y, Vec3::new(0.99, 0.141_067_359_796_658_84, 0.0));
        assert!(s.dot(r) < 0.0 && w.dot(r) > 0.0 && w.dot(s) < 0.0);
        assert!(Rule::CONSERVATIVE.next(s, r).dot(w) < s.dot(w));
        assert!(Rule::GREEDY.next(s, r).dot(w) > s.dot(w));
    }

    #[test]
    fn straight_against_is_turned_round() {
        for rule in rules() {
            assert_eq!(rule.next(-Vec3::Z, Vec3::Z), Vec3::Z);
        }
    }
}
