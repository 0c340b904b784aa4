//! The neighbourhood of one point of the surface of a mesh: a fan of plane sectors, or, on a sphere
//! about the point, arcs of great circles.

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
    reference: Option<Option<Dir>>,
}

impl Neighbourhood {
    /// The neighbourhood of `point` without any triangles. Rays from the point go along coordinate
    /// axis `axis`.
    pub(super) async fn new(point: ContactPoint, axis: usize) -> Self {
        let mut dirs = Directions::default();
        let along = |i: usize| Vec3::AXES[(axis + i) % 3];
        let axes = [
            dirs.between(Vec3::ZERO, along(0)).await,
            dirs.between(Vec3::ZERO, along(1)).await,
            dirs.between(Vec3::ZERO, along(2)).await,
        ];
        Self { dirs, point, towards: Vec::new(), planes: Vec::new(), axes, reference: None }
    }

    async fn direction_to(&mut self, to: Vec3) -> Dir {
        self.dirs.meter.pay(1 + self.towards.len() as u32 / 16).await;
        if let Some((_, known)) = self.towards.iter().find(|(corner, _)| *corner == to) {
            return *known;
        }
        let direction = match self.point {
            ContactPoint::Corner(p) => self.dirs.between(p, to).await,
            ContactPoint::Crossing { e, f } => self.dirs.away_from_crossing(e, f, to).await,
        };
        self.towards.push((to, direction));
        direction
    }

    async fn plane_of(&mut self, u: Dir, v: Dir) -> usize {
        for plane in 0..self.planes.len() {
            let [p, q] = self.planes[plane];
            if self.dirs.det(p, q, u).await.is_zero() && self.dirs.det(p, q, v).await.is_zero() {
                return plane;
            }
        }
        self.planes.push([u, v]);
        self.planes.len() - 1
    }

    /// The side of a plane to which a direction points.
    pub(super) async fn side(&mut self, plane: usize, d: Dir) -> Sign {
        let [p, q] = self.planes[plane];
        self.dirs.det(p, q, d).await
    }

    /// A direction next to `on`, on the side that `towards` points to, so close that no plane
    /// separates the two, and not in any plane. `within` is a plane that contains `on`. `None` if a
    /// plane contains both `on` and `towards`.
    pub(super) async fn direction_next_to(
        &mut self,
        on: Dir,
        within: usize,
        towards: Dir,
    ) -> Option<Dir> {
        let mut wanted = Vec::with_capacity(self.planes.len());
        for plane in 0..self.planes.len() {
            let at = if plane == within { Sign::Zero } else { self.side(plane, on).await };
            let side = if at.is_zero() { self.side(plane, towards).await } else { at };
            if side.is_zero() {
                return None;
            }
            wanted.push(side);
        }
        self.search(&wanted, Candidates::Towards { on, towards }).await
    }

    /// The first candidate that is on the wanted side of every plane. The candidates converge to a
    /// direction.
    async fn search(&mut self, wanted: &[Sign], candidates: Candidates) -> Option<Dir> {
        // There are finitely many planes, so a sufficiently small power of two exists; the limit
        // covers the whole range of `f64`.
        for halvings in (2..9000).step_by(6) {
            let found = match candidates {
                Candidates::Towards { on, towards } => self.dirs.sum(on, towards, halvings).await,
                Candidates::Reference => {
                    let [x, y, z] = self.axes;
                    let across = self.dirs.sum(y, z, halvings).await;
                    self.dirs.sum(x, across, halvings).await
                }
            };
            if self.is_on_sides(found, wanted).await {
                return Some(found);
            }
        }
        None
    }

    /// Whether a direction is on the wanted side of every plane.
    async fn is_on_sides(&mut self, d: Dir, wanted: &[Sign]) -> bool {
        for (plane, side) in wanted.iter().enumerate() {
            if self.side(plane, d).await != *side {
                return false;
            }
        }
        true
    }

    /// The sign of `det(g, u, v)` for the reference direction `g = (1, e, e^2)`, whose first
    /// component is along the axis of the rays, with an infinitesimal `e > 0`. Zero only if `u` and
    /// `v` are parallel.
    async fn det_with_reference(&mut self, u: Dir, v: Dir) -> Sign {
        for axis in self.axes {
            let sign = self.dirs.det(axis, u, v).await;
            if !sign.is_zero() {
                return sign;
            }
        }
        Sign::Zero
    }

    /// A direction in no plane that no plane separates from `(1, e, e^2)`. All planes must have
    /// been added before the first call.
    async fn reference_direction(&mut self) -> Option<Dir> {
        if let Some(known) = self.reference {
            return known;
        }
        let mut wanted = Vec::with_capacity(self.planes.len());
        for plane in 0..self.planes.len() {
            let [p, q] = self.planes[plane];
            wanted.push(self.det_with_reference(p, q).await);
        }
        let found = self.search(&wanted, Candidates::Reference).await;
        self.reference = Some(found);
        found
    }
}

/// The candidates of a search for a direction.
#[derive(Clone, Copy)]
enum Candidates {
    /// From `towards` to `on`.
    Towards { on: Dir, towards: Dir },
    /// From the axes to `(1, e, e^2)`.
    Reference,
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
    pub(super) async fn contains_strictly(&self, dirs: &mut Directions, x: Dir) -> bool {
        dirs.det(self.normal, self.u, x).await == Sign::Positive
            && dirs.det(self.normal, x, self.v).await == Sign::Positive
    }

    /// Whether `x`, a direction on the arc's great circle, is on the arc.
    pub(super) async fn contains(&self, dirs: &mut Directions, x: Dir) -> bool {
        dirs.det(self.normal, self.u, x).await != Sign::Negative
            && dirs.det(self.normal, x, self.v).await != Sign::Negative
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
    /// The fan of the triangles near a point, which may be all. The ray along `(1, e, e^2)` has
    /// this signed number of crossings with the others.
    pub(super) async fn of(
        local: &mut Neighbourhood,
        near: &[[Vec3; 3]],
        crossings: i64,
        by_parity: bool,
    ) -> Self {
        let mut fan = Self { by_parity, reference_winding: crossings, ..Self::default() };
        for triangle in near {
            fan.add(local, triangle).await;
        }
        fan
    }

    /// Adds a triangle: its sectors about the point if it contains the point, otherwise its
    /// crossing with the ray. A triangle without area adds nothing.
    async fn add(&mut self, local: &mut Neighbourhood, triangle: &[Vec3; 3]) {
        let [p, q, r] = *triangle;
        let e = local.dirs.between(p, q).await;
        let f = local.dirs.between(p, r).await;
        let normal = local.dirs.cross(e, f).await;
        if local.dirs.is_zero(normal).await {
            return;
        }
        let d =
            [local.direction_to(p).await, local.direction_to(q).await, local.direction_to(r).await];
        let side = local.dirs.det(d[0], d[1], d[2]).await;
        if !side.is_zero() {
            // The ray pierces the triangle if it lies in the cone of the three directions.
            for j in 0..3 {
                if local.det_with_reference(d[j], d[(j + 1) % 3]).await != side {
                    return;
                }
            }
            self.reference_winding += if side == Sign::Positive { 1 } else { -1 };
            return;
        }
        let mut sides = [Sign::Zero; 3];
        for (j, side) in sides.iter_mut().enumerate() {
            *side = local.dirs.det(normal, d[j], d[(j + 1) % 3]).await;
        }
        if sides.contains(&Sign::Negative) {
            return;
        }
        for (j, side) in sides.iter().enumerate() {
            // Zero: the point is on this edge, and there is no sector.
            if *side == Sign::Positive {
                let (u, v) = (d[j], d[(j + 1) % 3]);
                let plane = local.plane_of(u, v).await;
                self.arcs.push(Arc { u, v, normal, plane });
            }
        }
    }

    /// Whether the direction `d`, which is not in any plane, points into the material.
    ///
    /// The winding number changes at each arc on a path from `(1, e, e^2)` to `d`. `None` if no
    /// generic path was found, which requires a fan of many planes in very special position.
    pub(super) async fn contains(&self, local: &mut Neighbourhood, d: Dir) -> Option<bool> {
        let reference = local.reference_direction().await?;
        let direct = self.winding_difference(&mut local.dirs, d, reference).await;
        if let Some(winding_difference) = direct {
            return Some(self.is_material(winding_difference));
        }
        for arc in &self.arcs {
            for weight in 0..8 {
                let on = local.dirs.sum(arc.u, arc.v, weight).await;
                let over = local.direction_next_to(on, arc.plane, arc.normal).await;
                let Some(over) = over else { continue };
                let first = self.winding_difference(&mut local.dirs, d, over).await;
                let second = self.winding_difference(&mut local.dirs, over, reference).await;
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
    async fn winding_difference(&self, dirs: &mut Directions, d: Dir, g: Dir) -> Option<i64> {
        let mut winding_difference = 0;
        for arc in &self.arcs {
            let (at_u, at_v) = (dirs.det(d, g, arc.u).await, dirs.det(d, g, arc.v).await);
            if at_u.is_zero() || at_v.is_zero() {
                return None;
            }
            if at_u == at_v {
                continue;
            }
            let at_d = dirs.det(arc.u, arc.v, d).await;
            let at_g = dirs.det(arc.u, arc.v, g).await;
            // The great circles meet in two opposite points; the last condition holds if both arcs
            // contain the same one.
            if at_d != at_g && at_d == at_v {
                winding_difference += if at_d == Sign::Negative { 1 } else { -1 };
            }
        }
        Some(winding_difference)
    }
}
