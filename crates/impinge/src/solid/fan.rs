//! What a mesh looks like around one point of its surface: a fan of plane sectors, or, on a sphere
//! about the point, arcs of great circles.

use std::cell::OnceCell;

use crate::exact::{Sign, is_inside};
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
    /// A point next to it, and how far away at most; `None` if the edges are nearly parallel, or if
    /// products of their lengths leave the range of numbers.
    ///
    /// Edges `u` and `w` whose ends differ by `d` cross at the share `s = (d x w).n / n.n` of `u`,
    /// with `n = u x w`. With `|n| > 1e-3 |u| |w|`, `s` is off by less than `1e-8 |d| / |u|` and
    /// `1e-11`.
    pub(super) fn nearby(&self) -> Option<(Vec3, f64)> {
        let (e, f) = match *self {
            Self::Corner(p) => return Some((p, 0.0)),
            Self::Crossing { e, f } => (e, f),
        };
        let (u, w, d) = (e[1] - e[0], f[1] - f[0], f[0] - e[0]);
        let n = u.cross(w);
        let square = n.length_squared();
        let well = square > 1e-6 * u.length_squared() * w.length_squared();
        if !(well && (1e-270..1e270).contains(&square)) {
            return None;
        }
        let share = (d.cross(w).dot(n) / square).clamp(0.0, 1.0);
        let near = e[0] + u * share;
        let size = d.length() + u.length();
        let slack = 1e-7 * size + 8.0 * f64::EPSILON * near.abs().max_element();
        slack.is_finite().then_some((near, slack))
    }

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

/// The directions and planes about one contact point, of both meshes together. A point gets one
/// direction and a plane one number, however many triangles have it, so that most coincidences are
/// known without arithmetic.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) dirs: Directions,
    point: ContactPoint,
    towards: Vec<(Vec3, Dir)>,
    /// Two directions in each plane, in the plane's sense of rotation.
    pub(super) planes: Vec<[Dir; 2]>,
    /// The coordinate axes, that of the rays first.
    axes: [Dir; 3],
    /// A direction next to the first axis, once somebody asked.
    far: OnceCell<Option<Dir>>,
}

impl Surroundings {
    /// Nothing known yet about `point`. Rays from it go along the coordinate axis number `axis`.
    pub(super) fn new(point: ContactPoint, axis: usize) -> Self {
        let mut dirs = Directions::default();
        let axes = [0, 1, 2].map(|i| dirs.between(Vec3::ZERO, Vec3::AXES[(axis + i) % 3]));
        Self { dirs, point, towards: Vec::new(), planes: Vec::new(), axes, far: OnceCell::new() }
    }

    /// The point that all of this is about.
    pub(super) fn point(&self) -> ContactPoint {
        self.point
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

    /// A direction next to `on`, on the side that `towards` points to, so close that no plane
    /// passes between the two, and on no plane. `within` is a plane that holds `on`. `None` if some
    /// plane holds both `on` and `towards`.
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
        self.search(&wanted, |dirs, halvings| dirs.sum(on, towards, halvings))
    }

    /// The first of the candidates, which come closer and closer to a direction, that is on the
    /// wanted side of every plane.
    fn search(
        &mut self,
        wanted: &[Sign],
        candidate: impl Fn(&mut Directions, u32) -> Dir,
    ) -> Option<Dir> {
        // The planes are finitely many, so some power of two is small enough; the limit covers the
        // whole range of f64.
        (2..9000).step_by(6).find_map(|halvings| {
            let found = candidate(&mut self.dirs, halvings);
            let good =
                wanted.iter().enumerate().all(|(plane, side)| self.side(plane, found) == *side);
            good.then_some(found)
        })
    }

    /// The sign of `det(g, u, v)` for `g = (1, e, e^2)`, counted from the axis of the rays, with an
    /// `e > 0` smaller than anything else that matters: zero only if `u` and `v` are parallel.
    fn det_with_far(&self, u: Dir, v: Dir) -> Sign {
        let signs = self.axes.iter().map(|axis| self.dirs.det(*axis, u, v));
        signs.into_iter().find(|s| !s.is_zero()).unwrap_or(Sign::Zero)
    }

    /// A direction that no plane separates from `(1, e, e^2)`, on no plane. To be asked for when
    /// all planes are known.
    fn far(&mut self) -> Option<Dir> {
        if let Some(known) = self.far.get() {
            return *known;
        }
        let wanted: Vec<Sign> =
            self.planes.iter().map(|[p, q]| self.det_with_far(*p, *q)).collect();
        let [x, y, z] = self.axes;
        let found = self.search(&wanted, |dirs, halvings| {
            let across = dirs.sum(y, z, halvings);
            dirs.sum(x, across, halvings)
        });
        *self.far.get_or_init(|| found)
    }
}

/// An arc shorter than half a great circle, from `u` to `v`, counter-clockwise about `normal`,
/// which is the triangle's.
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

/// The arcs of one mesh about a point, and what the rest of the mesh makes of the point.
///
/// Around the point the mesh is known by how often it winds about each direction. The number is
/// known absolutely, not only by its changes: a ray from the point along the direction
/// `(1, e, e^2)`, counted from the axis of the rays, is counted through all triangles that do not
/// hold the point. Triangles that do are met by no ray from it in a direction outside their planes.
/// So shells may lie in one another, touch or cross, and the surface may be turned inside out:
/// nothing is concluded from a triangle's orientation alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Fan {
    pub(super) arcs: Vec<Arc>,
    /// How often the mesh winds about the direction `(1, e, e^2)`.
    far: i64,
    /// Whether only the parity of the winding means something, because the mesh is not oriented.
    by_parity: bool,
}

impl Fan {
    /// No triangles yet.
    pub(super) fn new(by_parity: bool) -> Self {
        Self { by_parity, ..Self::default() }
    }

    /// Adds what a ray along `(1, e, e^2)`, counted from the axis of the rays, does with triangles
    /// that do not hold the point.
    pub(super) fn add_beyond(&mut self, crossings: i64) {
        self.far += crossings;
    }

    /// Adds a triangle: its sectors about the point if it holds the point, else what the ray does
    /// with it. A triangle without area adds nothing.
    pub(super) fn add(&mut self, about: &mut Surroundings, triangle: &[Vec3; 3]) {
        let [p, q, r] = *triangle;
        let (e, f) = (about.dirs.between(p, q), about.dirs.between(p, r));
        let normal = about.dirs.cross(e, f);
        if about.dirs.is_zero(normal) {
            return;
        }
        let d = triangle.map(|c| about.direction_to(c));
        let side = about.dirs.det(d[0], d[1], d[2]);
        if !side.is_zero() {
            // The ray pierces the triangle if it lies in the cone of the three directions.
            if (0..3).all(|j| about.det_with_far(d[j], d[(j + 1) % 3]) == side) {
                self.far += if side == Sign::Positive { 1 } else { -1 };
            }
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
    /// The way from `(1, e, e^2)` to `d` changes the winding at each arc. `None` if no generic way
    /// was found, which takes a fan of many planes in very special position.
    pub(super) fn contains(&self, about: &mut Surroundings, d: Dir) -> Option<bool> {
        let far = about.far()?;
        if let Some(change) = self.change(&about.dirs, d, far) {
            return Some(self.is_material(change));
        }
        for arc in &self.arcs {
            for weight in 0..8 {
                let on = about.dirs.sum(arc.u, arc.v, weight);
                let Some(over) = about.beside(on, arc.plane, arc.normal) else { continue };
                let first = self.change(&about.dirs, d, over);
                let second = self.change(&about.dirs, over, far);
                if let (Some(first), Some(second)) = (first, second) {
                    return Some(self.is_material(first + second));
                }
            }
        }
        None
    }

    /// Whether there is material where the mesh winds `change` times more than about `(1, e, e^2)`.
    fn is_material(&self, change: i64) -> bool {
        is_inside(self.far + change, !self.by_parity)
    }

    /// The winding about `d` less the winding about `g`, from the arcs on the short way; `None` if
    /// it runs through the end of an arc.
    fn change(&self, dirs: &Directions, d: Dir, g: Dir) -> Option<i64> {
        let mut change = 0;
        for arc in &self.arcs {
            let (at_u, at_v) = (dirs.det(d, g, arc.u), dirs.det(d, g, arc.v));
            if at_u.is_zero() || at_v.is_zero() {
                return None;
            }
            if at_u == at_v {
                continue;
            }
            let (at_d, at_g) = (dirs.det(arc.u, arc.v, d), dirs.det(arc.u, arc.v, g));
            // The great circles meet in two opposite points; the last condition says that both arcs
            // hold the same one.
            if at_d != at_g && at_d == at_v {
                change += if at_d == Sign::Negative { 1 } else { -1 };
            }
        }
        Some(change)
    }
}
