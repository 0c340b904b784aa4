//! What a mesh looks like around one point of its surface: a fan of plane sectors, or, on a sphere about the point, arcs of great circles.

use std::cell::OnceCell;

use crate::exact::Sign;
use crate::math::{Aabb, Vec3};

use super::lazy::{Dir, Directions};

/// A point at which two surfaces touch.
#[derive(Clone, Copy, Debug)]
pub(super) enum ContactPoint {
    /// A corner of one of the meshes.
    Corner(Vec3),
    /// Where two edges cross inside each other; in general no `f64` holds it.
    Crossing { e: [Vec3; 2], f: [Vec3; 2] },
}

impl ContactPoint {
    /// A box that holds the point.
    pub(super) fn bounds(&self) -> Aabb {
        match *self {
            Self::Corner(p) => Aabb { min: p, max: p },
            Self::Crossing { e, f } => {
                Aabb::from_corners(e[0], e[1]).intersection(&Aabb::from_corners(f[0], f[1]))
            }
        }
    }
}

/// The directions and planes about one contact point, of both meshes together. A point gets one direction and a plane one number, however many
/// triangles have it, so that most coincidences are known without arithmetic.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) dirs: Directions,
    point: ContactPoint,
    towards: Vec<(Vec3, Dir)>,
    /// Two directions in each plane, in the plane's sense of rotation.
    pub(super) planes: Vec<[Dir; 2]>,
}

impl Surroundings {
    pub(super) fn new(point: ContactPoint) -> Self {
        Self { dirs: Directions::default(), point, towards: Vec::new(), planes: Vec::new() }
    }

    fn direction_to(&mut self, to: Vec3) -> Dir {
        if let Some((_, known)) = self.towards.iter().find(|(corner, _)| *corner == to) {
            return *known;
        }
        let direction = match self.point {
            ContactPoint::Corner(p) => self.dirs.between(p, to),
            ContactPoint::Crossing { e, f } => self.dirs.away_from_crossing(e, f, to),
        };
        self.towards.push((to, direction));
        direction
    }

    fn plane_of(&mut self, u: Dir, v: Dir) -> usize {
        let dirs = &self.dirs;
        let known =
            |[p, q]: &[Dir; 2]| dirs.det(*p, *q, u).is_zero() && dirs.det(*p, *q, v).is_zero();
        self.planes.iter().position(known).unwrap_or_else(|| {
            self.planes.push([u, v]);
            self.planes.len() - 1
        })
    }

    /// On which side of a plane a direction points.
    pub(super) fn side(&self, plane: usize, d: Dir) -> Sign {
        let [p, q] = self.planes[plane];
        self.dirs.det(p, q, d)
    }

    /// A direction next to `on`, on the side that `towards` points to, so close that no plane passes between the two, and on no plane.
    /// `within` is a plane that holds `on`. `None` if some plane holds both `on` and `towards`.
    pub(super) fn beside(&mut self, on: Dir, within: usize, towards: Dir) -> Option<Dir> {
        let mut wanted = Vec::with_capacity(self.planes.len());
        for plane in 0..self.planes.len() {
            let at = if plane == within { Sign::Zero } else { self.side(plane, on) };
            let side = if at.is_zero() { self.side(plane, towards) } else { at };
            if side.is_zero() {
                return None;
            }
            wanted.push(side);
        }
        // The planes are finitely many, so some power of two is small enough; the limit covers the whole range of f64.
        (2..9000).step_by(6).find_map(|halvings| {
            let candidate = self.dirs.sum(on, towards, halvings);
            let good =
                wanted.iter().enumerate().all(|(plane, side)| self.side(plane, candidate) == *side);
            good.then_some(candidate)
        })
    }
}

/// An arc shorter than half a great circle, from `u` to `v`, counter-clockwise about `normal`, which points out of the material.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) u: Dir,
    pub(super) v: Dir,
    pub(super) normal: Dir,
    pub(super) plane: usize,
}

impl Arc {
    /// Whether `x`, which lies on the arc's great circle, lies strictly between the arc's ends.
    pub(super) fn holds_inside(&self, dirs: &Directions, x: Dir) -> bool {
        dirs.det(self.normal, self.u, x) == Sign::Positive
            && dirs.det(self.normal, x, self.v) == Sign::Positive
    }

    /// Whether `x`, which lies on the arc's great circle, lies on the arc.
    pub(super) fn holds(&self, dirs: &Directions, x: Dir) -> bool {
        let (from_u, to_v) = (dirs.det(self.normal, self.u, x), dirs.det(self.normal, x, self.v));
        from_u != Sign::Negative && to_v != Sign::Negative
    }
}

/// The arcs of one mesh about a point.
#[derive(Clone, Debug, Default)]
pub(super) struct Fan {
    pub(super) arcs: Vec<Arc>,
    /// A direction just outside the material, once somebody asked.
    outside: OnceCell<Option<Dir>>,
}

impl Fan {
    /// Adds the sectors of a triangle about the point; nothing if the point is not in it or it has no area. `inward`: its
    /// normal points into the material.
    pub(super) fn add(&mut self, about: &mut Surroundings, triangle: &[Vec3; 3], inward: bool) {
        let [p, q, r] = *triangle;
        let corners = if inward { [p, r, q] } else { [p, q, r] };
        let (e, f) = (
            about.dirs.between(corners[0], corners[1]),
            about.dirs.between(corners[0], corners[2]),
        );
        let normal = about.dirs.cross(e, f);
        if about.dirs.is_zero(normal) {
            return;
        }
        let d = corners.map(|c| about.direction_to(c));
        if !about.dirs.det(d[0], d[1], d[2]).is_zero() {
            return;
        }
        let sides = [0, 1, 2].map(|j| about.dirs.det(normal, d[j], d[(j + 1) % 3]));
        if sides.contains(&Sign::Negative) {
            return;
        }
        for (j, side) in sides.iter().enumerate() {
            // Zero: the point is a corner of this side, or inside it; there is no sector then.
            if *side == Sign::Positive {
                let (u, v) = (d[j], d[(j + 1) % 3]);
                let plane = about.plane_of(u, v);
                self.arcs.push(Arc { u, v, normal, plane });
            }
        }
    }

    /// Whether the direction `d`, which lies on no plane, points into the material.
    ///
    /// The reference is a direction just outside one of the arcs; each arc on the way from there to `d` changes sides. `None` if no
    /// reference with a generic way was found, which takes a fan that covers itself.
    pub(super) fn contains(&self, about: &mut Surroundings, d: Dir) -> Option<bool> {
        let first = *self.outside.get_or_init(|| self.reference(about, self.arcs.first()?, 0));
        if let Some(crossings) = first.and_then(|g| self.crossings(&about.dirs, d, g)) {
            return Some(crossings % 2 == 1);
        }
        for arc in &self.arcs {
            for weight in 0..8 {
                let reference = self.reference(about, arc, weight);
                if let Some(crossings) = reference.and_then(|g| self.crossings(&about.dirs, d, g)) {
                    return Some(crossings % 2 == 1);
                }
            }
        }
        None
    }

    fn reference(&self, about: &mut Surroundings, arc: &Arc, weight: u32) -> Option<Dir> {
        let on = about.dirs.sum(arc.u, arc.v, weight);
        about.beside(on, arc.plane, arc.normal)
    }

    /// How many arcs the short way from `d` to `g` crosses; `None` if it runs through the end of an arc.
    fn crossings(&self, dirs: &Directions, d: Dir, g: Dir) -> Option<usize> {
        let mut count = 0;
        for arc in &self.arcs {
            let (at_u, at_v) = (dirs.det(d, g, arc.u), dirs.det(d, g, arc.v));
            if at_u.is_zero() || at_v.is_zero() {
                return None;
            }
            if at_u == at_v {
                continue;
            }
            let (at_d, at_g) = (dirs.det(arc.u, arc.v, d), dirs.det(arc.u, arc.v, g));
            // The great circles meet in two opposite points; the last condition says that both arcs hold the same one.
            count += usize::from(at_d != at_g && at_d == at_v);
        }
        Some(count)
    }
}
