//! The neighbourhood of one point of the surface of a mesh: a fan of plane sectors, or, on a sphere
//! about the point, arcs of great circles.

use std::cell::OnceCell;

use crate::exact::{Sign, is_inside};
use crate::math::{Aabb, Vec3};

use super::directions::{Dir, Directions};

/// A point at which two surfaces touch.
#[derive(Clone, Copy, Debug)]
pub(super) enum ContactPoint {
    /// A corner of one of the meshes.
    Corner(Vec3),
    /// The crossing of two edges in the interiors of both; in general not representable in `f64`.
    Crossing { e: [Vec3; 2], f: [Vec3; 2] },
}

impl ContactPoint {
    /// A point in `f64` close to the contact point, and a bound of the distance between the two;
    /// `None` if the edges are nearly parallel, or if products of their lengths overflow or
    /// underflow.
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
        let well_conditioned = square > 1e-6 * u.length_squared() * w.length_squared();
        if !(well_conditioned && (1e-270..1e270).contains(&square)) {
            return None;
        }
        let share = (d.cross(w).dot(n) / square).clamp(0.0, 1.0);
        let near = e[0] + u * share;
        let size = d.length() + u.length();
        let slack = 1e-7 * size + 8.0 * f64::EPSILON * near.abs().max_element();
        slack.is_finite().then_some((near, slack))
    }

    /// A box that contains the point.
    pub(super) fn bounds(&self) -> Aabb {
        match *self {
            Self::Corner(p) => Aabb { min: p, max: p },
            Self::Crossing { e, f } => {
                Aabb::from_corners(e[0], e[1]).intersection(&Aabb::from_corners(f[0], f[1]))
            }
        }
    }
}

/// The directions and planes about one contact point, of both meshes together. Every point has one
/// direction and every plane one index, shared by all triangles, so that most coincidences are
/// found without arithmetic.
#[derive(Debug)]
pub(super) struct Neighbourhood {
    pub(super) dirs: Directions,
    point: ContactPoint,
    towards: Vec<(Vec3, Dir)>,
    /// Two directions in each plane; their cross product is on its positive side.
    pub(super) planes: Vec<[Dir; 2]>,
    /// The coordinate axes; the axis of the rays is the first.
    axes: [Dir; 3],
    /// The direction of [`Self::reference_direction`], computed on first use.
    reference: OnceCell<Option<Dir>>,
}

impl Neighbourhood {
    /// The neighbourhood of `point` without any triangles. Rays from the point go along coordinate
    /// axis `axis`.
    pub(super) fn new(point: ContactPoint, axis: usize) -> Self {
        let mut dirs = Directions::default();
        let axes = [0, 1, 2].map(|i| dirs.between(Vec3::ZERO, Vec3::AXES[(axis + i) % 3]));
        Self {
            dirs,
            point,
            towards: Vec::new(),
            planes: Vec::new(),
            axes,
            reference: OnceCell::new(),
        }
    }

    /// The contact point.
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

    /// The side of a plane to which a direction points.
    pub(super) fn side(&self, plane: usize, d: Dir) -> Sign {
        let [p, q] = self.planes[plane];
        self.dirs.det(p, q, d)
    }

    /// A direction next to `on`, on the side that `towards` points to, so close that no plane
    /// separates the two, and not in any plane. `within` is a plane that contains `on`. `None` if a
    /// plane contains both `on` and `towards`.
    pub(super) fn direction_next_to(
        &mut self,
        on: Dir,
        within: usize,
        towards: Dir,
    ) -> Option<Dir> {
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

    /// The first candidate that is on the wanted side of every plane. The candidates converge to a
    /// direction.
    fn search(
        &mut self,
        wanted: &[Sign],
        candidate: impl Fn(&mut Directions, u32) -> Dir,
    ) -> Option<Dir> {
        // There are finitely many planes, so a sufficiently small power of two exists; the limit
        // covers the whole range of `f64`.
        (2..9000).step_by(6).find_map(|halvings| {
            let found = candidate(&mut self.dirs, halvings);
            let fits =
                wanted.iter().enumerate().all(|(plane, side)| self.side(plane, found) == *side);
            fits.then_some(found)
        })
    }

    /// The sign of `det(g, u, v)` for the reference direction `g = (1, e, e^2)`, whose first
    /// component is along the axis of the rays, with an infinitesimal `e > 0`. Zero only if `u` and
    /// `v` are parallel.
    fn det_with_reference(&self, u: Dir, v: Dir) -> Sign {
        let signs = self.axes.iter().map(|axis| self.dirs.det(*axis, u, v));
        signs.into_iter().find(|s| !s.is_zero()).unwrap_or(Sign::Zero)
    }

    /// A direction in no plane that no plane separates from `(1, e, e^2)`. All planes must have
    /// been added before the first call.
    fn reference_direction(&mut self) -> Option<Dir> {
        if let Some(known) = self.reference.get() {
            return *known;
        }
        let wanted: Vec<Sign> =
            self.planes.iter().map(|[p, q]| self.det_with_reference(*p, *q)).collect();
        let [x, y, z] = self.axes;
        let found = self.search(&wanted, |dirs, halvings| {
            let across = dirs.sum(y, z, halvings);
            dirs.sum(x, across, halvings)
        });
        *self.reference.get_or_init(|| found)
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
    /// Whether `x`, a direction on the arc's great circle, is strictly between the arc's ends.
    pub(super) fn contains_strictly(&self, dirs: &Directions, x: Dir) -> bool {
        dirs.det(self.normal, self.u, x) == Sign::Positive
            && dirs.det(self.normal, x, self.v) == Sign::Positive
    }

    /// Whether `x`, a direction on the arc's great circle, is on the arc.
    pub(super) fn contains(&self, dirs: &Directions, x: Dir) -> bool {
        let (from_u, to_v) = (dirs.det(self.normal, self.u, x), dirs.det(self.normal, x, self.v));
        from_u != Sign::Negative && to_v != Sign::Negative
    }
}

/// The arcs of one mesh about a point, and the winding number of the rest of the mesh.
///
/// The mesh has a winding number about each direction: that of the points next to the contact point
/// in this direction. It is known absolutely, not only up to a constant, because the crossings of a
/// ray from the point along the reference direction `(1, e, e^2)`, whose first component is along
/// the axis of the rays, are counted for all triangles that do not contain the point. A triangle
/// that contains the point is not crossed by a ray from it in a direction outside the triangle's
/// plane. So shells may be nested, touch or cross, and the surface may be turned inside out:
/// nothing is concluded from a triangle's orientation alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Fan {
    pub(super) arcs: Vec<Arc>,
    /// The winding number of the mesh about the direction `(1, e, e^2)`.
    reference_winding: i64,
    /// Whether only the parity of the winding number counts, because the mesh is not oriented.
    by_parity: bool,
}

impl Fan {
    /// A fan without triangles.
    pub(super) fn new(by_parity: bool) -> Self {
        Self { by_parity, ..Self::default() }
    }

    /// Adds the signed crossings of the ray along `(1, e, e^2)` with triangles that do not contain
    /// the point.
    pub(super) fn add_crossings(&mut self, crossings: i64) {
        self.reference_winding += crossings;
    }

    /// Adds a triangle: its sectors about the point if it contains the point, otherwise its
    /// crossing with the ray. A triangle without area adds nothing.
    pub(super) fn add(&mut self, local: &mut Neighbourhood, triangle: &[Vec3; 3]) {
        let [p, q, r] = *triangle;
        let (e, f) = (local.dirs.between(p, q), local.dirs.between(p, r));
        let normal = local.dirs.cross(e, f);
        if local.dirs.is_zero(normal) {
            return;
        }
        let d = triangle.map(|c| local.direction_to(c));
        let side = local.dirs.det(d[0], d[1], d[2]);
        if !side.is_zero() {
            // The ray pierces the triangle if it lies in the cone of the three directions.
            if (0..3).all(|j| local.det_with_reference(d[j], d[(j + 1) % 3]) == side) {
                self.reference_winding += if side == Sign::Positive { 1 } else { -1 };
            }
            return;
        }
        let sides = [0, 1, 2].map(|j| local.dirs.det(normal, d[j], d[(j + 1) % 3]));
        if sides.contains(&Sign::Negative) {
            return;
        }
        for (j, side) in sides.iter().enumerate() {
            // Zero: the point is on this edge, and there is no sector.
            if *side == Sign::Positive {
                let (u, v) = (d[j], d[(j + 1) % 3]);
                let plane = local.plane_of(u, v);
                self.arcs.push(Arc { u, v, normal, plane });
            }
        }
    }

    /// Whether the direction `d`, which is not in any plane, points into the material.
    ///
    /// The winding number changes at each arc on a path from `(1, e, e^2)` to `d`. `None` if no
    /// generic path was found, which requires a fan of many planes in very special position.
    pub(super) fn contains(&self, local: &mut Neighbourhood, d: Dir) -> Option<bool> {
        let reference = local.reference_direction()?;
        if let Some(winding_difference) = self.winding_difference(&local.dirs, d, reference) {
            return Some(self.is_material(winding_difference));
        }
        for arc in &self.arcs {
            for weight in 0..8 {
                let on = local.dirs.sum(arc.u, arc.v, weight);
                let Some(over) = local.direction_next_to(on, arc.plane, arc.normal) else {
                    continue;
                };
                let first = self.winding_difference(&local.dirs, d, over);
                let second = self.winding_difference(&local.dirs, over, reference);
                if let (Some(first), Some(second)) = (first, second) {
                    return Some(self.is_material(first + second));
                }
            }
        }
        None
    }

    /// Whether there is material where the winding number is `winding_difference` more than about
    /// `(1, e, e^2)`.
    fn is_material(&self, winding_difference: i64) -> bool {
        is_inside(self.reference_winding + winding_difference, !self.by_parity)
    }

    /// The winding number about `d` minus the winding number about `g`, from the arcs that cross
    /// the shorter great-circle arc between them; `None` if that passes through the end of an arc.
    fn winding_difference(&self, dirs: &Directions, d: Dir, g: Dir) -> Option<i64> {
        let mut winding_difference = 0;
        for arc in &self.arcs {
            let (at_u, at_v) = (dirs.det(d, g, arc.u), dirs.det(d, g, arc.v));
            if at_u.is_zero() || at_v.is_zero() {
                return None;
            }
            if at_u == at_v {
                continue;
            }
            let (at_d, at_g) = (dirs.det(arc.u, arc.v, d), dirs.det(arc.u, arc.v, g));
            // The great circles meet in two opposite points; the last condition holds if both arcs
            // contain the same one.
            if at_d != at_g && at_d == at_v {
                winding_difference += if at_d == Sign::Negative { 1 } else { -1 };
            }
        }
        Some(winding_difference)
    }
}
