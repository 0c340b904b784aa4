//! Where the search in `f32` begins: about where the bodies [would be closest](super::start), or
//! where the last query ended.

use glam::Vec3A;

use super::cache::HullCache;
use super::near::{Near, Step};
use super::rough::{Corners, Rough, RoughEnd};
use super::simplex::{Nearest, Simplex};
use super::start::Start;
use crate::wide::Wide;

impl Rough<'_> {
    /// Looks along one direction, towards B, of any length.
    #[inline(always)]
    pub(super) fn begin<W: Wide>(&self, towards: Vec3A, near: &mut Simplex<Vec3A>) -> RoughEnd {
        let v = -towards;
        let corner = self.against::<W>(v);
        near.push(corner);
        let along = v.dot(corner.w);
        if self.separates(v, along) { self.separated(v, along) } else { RoughEnd::Close }
    }

    /// Searches without knowing where the bodies are close: from three corners at the start, or
    /// from one if they are far apart or if there is none.
    #[inline(always)]
    pub(super) fn search_anew<W: Wide, C: Corners, const MEASURE: bool>(
        &self,
        corners: &C,
        start: Option<&Start>,
        near: &mut Simplex<Vec3A>,
    ) -> RoughEnd {
        let (mut first, mut direction, mut height);
        match start {
            Some(start) if !start.is_far() => {
                let [p, q, r] = start.around(C::TILT);
                let (p, q) = (corners.against::<W>(-p), corners.against::<W>(-q));
                let r = corners.against::<W>(-r);
                // The other end, which is mostly what three corners in front of the origin lack;
                // asked for with them, it costs little.
                let is_deep = start.is_deep();
                let end = if is_deep { Some(corners.against::<W>(start.normal)) } else { None };
                (first, direction, height) = Near::of_triangle(&p, &q, &r);
                if let Some(end) = end {
                    if direction.dot(end.w) < 0.0 {
                        match first.add(&end) {
                            Step::Toward(next, at) => (direction, height) = (next, at),
                            Step::Inside => {
                                *near = first.with(&end);
                                return RoughEnd::Inside;
                            }
                        }
                    }
                }
            }
            _ => {
                let towards = start.map_or(self.between, Start::distant);
                (first, direction, height) = Near::of_point(&corners.against::<W>(-towards));
            }
        }
        self.search::<W, C, MEASURE>(corners, near, first, direction, height)
    }

    /// Searches from where the last query ended.
    #[inline(always)]
    pub(super) fn search_on<W: Wide, const MEASURE: bool>(
        &self,
        cache: &HullCache,
        near: &mut Simplex<Vec3A>,
    ) -> RoughEnd {
        let (a, b) = (self.query.points_a.len(), self.query.points_b.len());
        let (first, direction, height) = match *cache.pairs(a, b) {
            // It was of other bodies.
            [] => Near::of_point(&self.against::<W>(-self.between)),
            [p] => Near::of_point(&self.corner(p[0], p[1])),
            [p, q] => Near::of_segment(&self.corner(p[0], p[1]), &self.corner(q[0], q[1])),
            [p, q, r] => {
                let (p, q) = (self.corner(p[0], p[1]), self.corner(q[0], q[1]));
                Near::of_triangle(&p, &q, &self.corner(r[0], r[1]))
            }
            ref pairs => {
                *near = Simplex::EMPTY;
                for [i, j] in pairs {
                    near.push(self.corner(*i, *j));
                }
                let Nearest::Toward { direction, height } = near.reduce_kept() else {
                    return RoughEnd::Inside;
                };
                (Near::new(near), direction, height)
            }
        };
        self.search::<W, _, MEASURE>(self, near, first, direction, height)
    }
}
