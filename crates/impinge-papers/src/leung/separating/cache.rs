//! What one search leaves for the next of the same pair (Leung 1996, sections 3.4, 3.6 and 5.5).

use super::Prepared;
use impinge::math::{Pose, Vec3};

/// The last separating vector of a pair, in A's frame, and the two vertices that support it.
///
/// One per pair, kept by the caller. Empty at first; a search that finds the bodies apart fills it,
/// one that does not leaves it as it is, as published. A cache of other bodies does no harm but to
/// time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cache {
    known: Option<Witness>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Witness {
    pub(super) vector: Vec3,
    pub(super) a: u32,
    pub(super) b: u32,
}

impl Cache {
    /// A cache from a search for closest points (section 5.5): `vector` from the closest point of A
    /// to that of B, in A's frame and of any length, and a vertex of each closest feature.
    ///
    /// Empty if the vector is zero or not finite, as it is for bodies that meet.
    #[must_use]
    pub fn from_closest(vector: Vec3, a: u32, b: u32) -> Self {
        let known = unit(vector).map(|vector| Witness { vector, a, b });
        Self { known }
    }

    /// Forgets.
    pub fn clear(&mut self) {
        self.known = None;
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_none()
    }

    /// The last separating vector, in A's frame.
    #[must_use]
    pub fn vector(&self) -> Option<Vec3> {
        self.known.map(|w| w.vector)
    }

    /// The supporting vertices of A and B.
    #[must_use]
    pub fn vertices(&self) -> Option<(u32, u32)> {
        self.known.map(|w| (w.a, w.b))
    }

    pub(super) fn store(&mut self, witness: Witness) {
        self.known = Some(witness);
    }

    /// Where to begin: what is known, or the direction between the centroids (section 3.4) with
    /// vertices from the table of directions (3.5).
    pub(super) fn begin(&self, a: &Prepared<'_>, b: &Prepared<'_>, pose: &Pose) -> Witness {
        let counts = (a.hull().vertices().len(), b.hull().vertices().len());
        match self.known {
            Some(w) if (w.a as usize) < counts.0 && (w.b as usize) < counts.1 => w,
            _ => {
                let between = pose.transform_point(b.centroid()) - a.centroid();
                // With centroids in one place every direction is as good.
                let vector = unit(between).unwrap_or(Vec3::X);
                let local = -(pose.rotation().transpose() * vector);
                Witness { vector, a: a.start(vector), b: b.start(local) }
            }
        }
    }
}

/// The unit vector along `v`, whatever its length; `None` for zero and for what is not finite.
pub(super) fn unit(v: Vec3) -> Option<Vec3> {
    let largest = v.abs().max_element();
    (largest > 0.0 && v.is_finite()).then(|| (v / largest).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_has_a_direction() {
        for scale in [5e-324, 1e-300, 1.0, 1e60, 1e300] {
            assert_eq!(unit(Vec3::Y * scale), Some(Vec3::Y));
        }
        assert_eq!(unit(Vec3::ZERO), None);
        assert_eq!(unit(Vec3::new(1.0, f64::NAN, 0.0)), None);
        assert_eq!(unit(Vec3::new(1.0, f64::INFINITY, 0.0)), None);
    }

    #[test]
    fn a_cache_from_closest_points_is_a_unit_vector() {
        let cache = Cache::from_closest(Vec3::Z * 3.0, 4, 5);
        assert_eq!((cache.vector(), cache.vertices()), (Some(Vec3::Z), Some((4, 5))));
        assert!(Cache::from_closest(Vec3::ZERO, 0, 0).is_empty());
    }
}
