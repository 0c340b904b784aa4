//! The state that a query keeps for the next one of the same pair.

use super::simplex::Simplex;
use super::vector::Vector;
use crate::math::Vec3;

/// Where the last query of a pair ended. A similar query starts there and is several times faster.
///
/// Keep one for each pair of bodies. A cache of other bodies, or of a query long ago, costs a
/// little time; every answer stays correct.
#[derive(Clone, Debug, Default)]
pub struct HullCache {
    pairs: [[u32; 2]; 4],
    len: usize,
    /// The last direction that separated the bodies, from A to B; zero if there is none.
    pub(super) direction: Vec3,
    /// Whether the pairs surrounded the origin.
    pub(super) intersected: bool,
}

impl HullCache {
    /// Whether there is no last query.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The pairs of vertices; none if one does not exist in hulls of `in_a` and `in_b` vertices.
    #[inline(always)]
    pub(super) fn pairs(&self, in_a: usize, in_b: usize) -> &[[u32; 2]] {
        let pairs = &self.pairs[..self.len.min(4)];
        let exist = pairs.iter().all(|[a, b]| ((*a as usize) < in_a) & ((*b as usize) < in_b));
        if exist { pairs } else { &[] }
    }

    #[inline(always)]
    pub(super) fn store<V: Vector>(&mut self, simplex: &Simplex<V>, intersected: bool) {
        self.intersected = intersected;
        self.len = simplex.len();
        for (k, pair) in self.pairs.iter_mut().enumerate() {
            let corner = simplex.corner(k);
            *pair = [corner.a, corner.b];
        }
    }
}
