//! The rule for the next direction, from the last direction and its supporting vertices (Leung
//! 1996, sections 3.2, 3.7 and 3.8).

use impinge::math::Vec3;
use impinge::{Error, ErrorKind};

/// How the next direction is chosen: the one-parameter family of equation (3.9).
///
/// Let `S` be the direction that failed and `r` the unit vector from the supporting vertex of A to
/// that of B, so `S . r < 0`. The *greedy* direction (3.2) is `S` reflected at the plane
/// perpendicular to `r`. For two balls it separates at once. The *conservative* direction (3.5) is
/// the component of `S` perpendicular to `r`. It differs from `S` by half the angle. The other
/// directions are unit vectors along `alpha * greedy + (1 - alpha) * conservative`.
///
/// Each of them is closer than `S` to every separating vector `w`: by lemma 2 for the greedy
/// direction, by lemmas 5 and 7 for the others. The latter require `S . w > 0` for the first
/// direction, which holds for the direction between the centroids.
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

/// If the component of `S` perpendicular to `r` is shorter than this, its direction is not
/// reliable.
const MIN_PERPENDICULAR_LENGTH: f64 = 1e-14;

impl Rule {
    /// The greedy direction, formula (3.2): `alpha = 1`, the choice of the thesis.
    pub const GREEDY: Self = Self { alpha: 1.0 };

    /// The conservative direction, formula (3.5): `alpha = 0`.
    pub const CONSERVATIVE: Self = Self { alpha: 0.0 };

    /// A direction between the two, formula (3.9).
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
                    "alpha of a direction rule is {alpha}: it must be from 0 (conservative) to 1 (greedy)"
                ),
            ))
        }
    }

    /// The weight of the greedy direction.
    #[must_use]
    pub fn alpha(self) -> f64 {
        self.alpha
    }

    /// The direction that follows the unit vector `s`. `r` is the unit vector from the supporting
    /// vertex of A to that of B.
    ///
    /// If `s` is opposite to `r`, its perpendicular component is zero, and every rule returns the
    /// greedy direction.
    #[must_use]
    pub fn next(self, s: Vec3, r: Vec3) -> Vec3 {
        let parallel = r * r.dot(s);
        let perpendicular = s - parallel;
        let greedy = perpendicular - parallel;
        if self.alpha == 1.0 {
            return greedy;
        }
        let length = perpendicular.length();
        if length < MIN_PERPENDICULAR_LENGTH {
            return greedy;
        }
        let conservative = perpendicular / length;
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

    /// Formula (3.2): a unit vector in the plane of `s` and `r` that has the same angle to `r` on
    /// the other side.
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

    /// Formula (3.5) as printed: `<(r x s) x r>`.
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

    /// Lemmas 2, 5 and 7 for one step: with `s . r < 0`, `w . r > 0` and `w . s > 0` the angle to
    /// `w` decreases. The greedy direction does not need the last condition.
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

    /// If `s` points away from a separating vector, the conservative step may increase the angle to
    /// it. So the condition of lemma 5 is needed.
    #[test]
    fn the_conservative_direction_needs_a_first_direction_on_the_right_side() {
        let s = Vec3::new(-0.8, -0.6, 0.0);
        let (r, w) = (Vec3::Y, Vec3::new(0.99, 0.141_067_359_796_658_84, 0.0));
        assert!(s.dot(r) < 0.0 && w.dot(r) > 0.0 && w.dot(s) < 0.0);
        assert!(Rule::CONSERVATIVE.next(s, r).dot(w) < s.dot(w));
        assert!(Rule::GREEDY.next(s, r).dot(w) > s.dot(w));
    }

    #[test]
    fn an_opposite_direction_is_reversed() {
        for rule in rules() {
            assert_eq!(rule.next(-Vec3::Z, Vec3::Z), Vec3::Z);
        }
    }
}
