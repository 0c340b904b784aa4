//! The cache between searches of the same pair (Leung 1996, sections 3.4, 3.6 and 5.5).

use super::Prepared;
use impinge::math::{Pose, Vec3};

/// The last separating vector of a pair, in A's frame, and the two vertices that support it.
///
/// The caller keeps one per pair. It is empty at first. A search that finds the bodies separated
/// fills it; other searches leave it unchanged, as published. The cache of another pair costs time,
/// but does not change the result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeparatingCache {
    witness: Option<Witness>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Witness {
    pub(super) vector: Vec3,
    pub(super) a: u32,
    pub(super) b: u32,
}

impl SeparatingCache {
    /// A cache from a search for closest points (section 5.5). `vector` points from the closest
    /// point of A to that of B, in A's frame, and has any length. `a` and `b` are vertices of the
    /// closest features.
    ///
    /// Empty if the vector is zero or not finite, as it is for bodies that meet.
    #[must_use]
    pub fn from_closest(vector: Vec3, a: u32, b: u32) -> Self {
        let witness = unit(vector).map(|vector| Witness { vector, a, b });
        Self { witness }
    }

    /// Empties the cache.
    pub fn clear(&mut self) {
        self.witness = None;
    }

    /// Whether the cache is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.witness.is_none()
    }

    /// The last separating vector, in A's frame.
    #[must_use]
    pub fn vector(&self) -> Option<Vec3> {
        self.witness.map(|w| w.vector)
    }

    /// The supporting vertices of A and B.
    #[must_use]
    pub fn vertices(&self) -> Option<(u32, u32)> {
        self.witness.map(|w| (w.a, w.b))
    }

    pub(super) fn store(&mut self, witness: Witness) {
        self.witness = Some(witness);
    }

    /// The start of a search: the cached witness, or the direction between the centroids (section
    /// 3.4) with vertices from the table of directions (3.5).
    pub(super) fn start(&self, a: &Prepared<'_>, b: &Prepared<'_>, pose: &Pose) -> Witness {
        let counts = (a.hull().vertices().len(), b.hull().vertices().len());
        match self.witness {
            Some(w) if (w.a as usize) < counts.0 && (w.b as usize) < counts.1 => w,
            _ => {
                let between = pose.transform_point(b.centroid()) - a.centroid();
                // If the centroids coincide, every direction is equally good.
                let vector = unit(between).unwrap_or(Vec3::X);
                let local = -(pose.rotation().transpose() * vector);
                Witness { vector, a: a.start(vector), b: b.start(local) }
            }
        }
    }
}

/// The unit vector along `v`, for any length of `v`. `None` if `v` is zero or not finite.
pub(super) fn unit(v: Vec3) -> Option<Vec3> {
    let largest = v.abs().max_element();
    (largest > 0.0 && v.is_finite()).then(|| (v / largest).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_every_length_are_normalised() {
        for scale in [5e-324, 1e-300, 1.0, 1e60, 1e300] {
            assert_eq!(unit(Vec3::Y * scale), Some(Vec3::Y));
        }
        assert_eq!(unit(Vec3::ZERO), None);
        assert_eq!(unit(Vec3::new(1.0, f64::NAN, 0.0)), None);
        assert_eq!(unit(Vec3::new(1.0, f64::INFINITY, 0.0)), None);
    }

    #[test]
    fn a_cache_from_closest_points_is_a_unit_vector() {
        let cache = SeparatingCache::from_closest(Vec3::Z * 3.0, 4, 5);
        assert_eq!((cache.vector(), cache.vertices()), (Some(Vec3::Z), Some((4, 5))));
        assert!(SeparatingCache::from_closest(Vec3::ZERO, 0, 0).is_empty());
    }
}
