//! How the search in `f32` starts: approximately where the bodies [would be
//! closest](super::ellipsoids) if they were ellipsoids, or where the last query ended.

use glam::Vec3A;

use super::cache::HullCache;
use super::ellipsoids::Ellipsoids;
use super::reduced_simplex::{ReducedSimplex, Step};
use super::search_f32::{Corners, QueryF32, SearchEndF32};
use super::simplex::{Nearest, Simplex};
use crate::wide::Wide;

impl QueryF32<'_> {
    /// Tests one direction from A towards B, of any length: the bodies may be separated along it.
    #[inline(always)]
    pub(super) fn test_direction<W: Wide>(
        &self,
        towards: Vec3A,
        simplex: &mut Simplex<Vec3A>,
    ) -> SearchEndF32 {
        let v = -towards;
        let corner = self.support_against::<W>(v);
        simplex.push(corner);
        let along = v.dot(corner.w);
        if self.separates(v, along) { self.separated(v, along) } else { SearchEndF32::Undecided }
    }

    /// Searches without a cache: from three corners around the direction of `start`, or from one
    /// corner if the bodies are far apart or `start` is `None`.
    #[inline(always)]
    pub(super) fn search_cold<W: Wide, C: Corners, const MEASURE: bool>(
        &self,
        corners: &C,
        start: Option<&Ellipsoids>,
        simplex: &mut Simplex<Vec3A>,
    ) -> SearchEndF32 {
        let (mut first, mut direction, mut height);
        match start {
            Some(start) if !start.is_far() => {
                let [p, q, r] = start.directions_around(C::TILT);
                let (p, q) = (corners.support_against::<W>(-p), corners.support_against::<W>(-q));
                let r = corners.support_against::<W>(-r);
                // The corner at the opposite end. Usually three corners in front of the origin
                // enclose it together with this one, and evaluating all four together costs little
                // more.
                let likely_overlaps = start.likely_overlaps();
                let opposite = if likely_overlaps {
                    Some(corners.support_against::<W>(start.normal))
                } else {
                    None
                };
                (first, direction, height) = ReducedSimplex::of_triangle(&p, &q, &r);
                if let Some(end) = opposite {
                    if direction.dot(end.w) < 0.0 {
                        match first.add(&end) {
                            Step::Toward(next, at) => (direction, height) = (next, at),
                            Step::Inside => {
                                *simplex = first.with(&end);
                                return SearchEndF32::Inside;
                            }
                        }
                    }
                }
            }
            _ => {
                let towards = start.map_or(self.center_offset, Ellipsoids::far_normal);
                (first, direction, height) =
                    ReducedSimplex::of_point(&corners.support_against::<W>(-towards));
            }
        }
        self.search::<W, C, MEASURE>(corners, simplex, first, direction, height)
    }

    /// Searches from where the last query ended.
    #[inline(always)]
    pub(super) fn search_warm<W: Wide, const MEASURE: bool>(
        &self,
        cache: &HullCache,
        simplex: &mut Simplex<Vec3A>,
    ) -> SearchEndF32 {
        let (a, b) = (self.query.points_a.len(), self.query.points_b.len());
        let (first, direction, height) = match *cache.pairs(a, b) {
            // The cache belongs to other bodies.
            [] => ReducedSimplex::of_point(&self.support_against::<W>(-self.center_offset)),
            [p] => ReducedSimplex::of_point(&self.corner(p[0], p[1])),
            [p, q] => {
                ReducedSimplex::of_segment(&self.corner(p[0], p[1]), &self.corner(q[0], q[1]))
            }
            [p, q, r] => {
                let (p, q) = (self.corner(p[0], p[1]), self.corner(q[0], q[1]));
                ReducedSimplex::of_triangle(&p, &q, &self.corner(r[0], r[1]))
            }
            ref pairs => {
                *simplex = Simplex::EMPTY;
                for [i, j] in pairs {
                    simplex.push(self.corner(*i, *j));
                }
                let Nearest::Toward { direction, height } = simplex.reduce_cached() else {
                    return SearchEndF32::Inside;
                };
                (ReducedSimplex::new(simplex), direction, height)
            }
        };
        self.search::<W, _, MEASURE>(self, simplex, first, direction, height)
    }
}
