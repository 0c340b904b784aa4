//! What one query leaves for the next one of the same pair.

use super::simplex::Simplex;
use super::vector::Vector;
use crate::math::Vec3;

/// Where the last query of a pair ended. A similar query starts there, and is several times
/// quicker.
///
/// Keep one for each pair of bodies. It may be used with other bodies, or after long: it costs a
/// little time then, and changes no answer's truth.
#[derive(Clone, Debug, Default)]
pub struct HullCache {
    pairs: [[u32; 2]; 4],
    len: usize,
    /// The last direction that separated the bodies, against B; zero if there is none.
    pub(super) apart: Vec3,
    /// Whether the pairs surrounded the origin.
    pub(super) met: bool,
}

impl HullCache {
    /// Whether there is no last query.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Vertices that exist in hulls with so many.
    #[inline(always)]
    pub(super) fn pairs(&self, in_a: usize, in_b: usize) -> &[[u32; 2]] {
        let pairs = &self.pairs[..self.len.min(4)];
        let exist = pairs.iter().all(|[a, b]| ((*a as usize) < in_a) & ((*b as usize) < in_b));
        if exist { pairs } else { &[] }
    }

    #[inline(always)]
    pub(super) fn keep<V: Vector>(&mut self, simplex: &Simplex<V>, met: bool) {
        self.met = met;
        self.len = simplex.len();
        for (k, pair) in self.pairs.iter_mut().enumerate() {
            let corner = simplex.corner(k);
            *pair = [corner.a, corner.b];
        }
    }
}
