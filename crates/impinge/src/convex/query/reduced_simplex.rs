//! The simplex of the search in `f32`: the step of [`Simplex::reduce`] with as few operations as
//! possible between one corner and the next direction.
//!
//! A step can assume more than [`Simplex::reduce`] does: along the closest point of the old
//! corners, the new corner lies nearer to the origin than all of them. So the new closest point
//! needs the new corner. A triangle is kept in the order in which its normal points away from the
//! origin. Then the normals of the faces between the new corner and the triangle's sides point away
//! from the origin exactly where the origin sees the face, and no other test is needed. Where
//! rounding breaks an assumption, the search takes a wrong direction; the confirmation in `f64`
//! detects that.

use glam::Vec3A;

use super::simplex::{Corner, Simplex};

/// A point with its vertices, that of A in the low half, that of B in the high half.
type TaggedPoint = (Vec3A, u64);

/// Corners that are all needed for their closest point to the origin: one, two, or three, with
/// `(first - third) x (second - third)` pointing away from the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReducedSimplex {
    corners: [TaggedPoint; 3],
    len: usize,
}

/// The result of adding a corner.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The direction to the closest point, of any length, and its product with that point.
    Toward(Vec3A, f32),
    /// The simplex with the new corner contains the origin.
    Inside,
}

impl ReducedSimplex {
    /// From a simplex of up to three corners that is reduced.
    #[inline(always)]
    pub(super) fn new(simplex: &Simplex<Vec3A>) -> Self {
        let (p, q, r) = (simplex.corner(0), simplex.corner(1), simplex.corner(2));
        let (p, q, r) = ((p.w, vertex_bits(&p)), (q.w, vertex_bits(&q)), (r.w, vertex_bits(&r)));
        let away = (p.0 - r.0).cross(q.0 - r.0).dot(r.0) >= 0.0;
        let corners = if away || simplex.len() < 3 { [p, q, r] } else { [q, p, r] };
        Self { corners, len: simplex.len() }
    }

    /// The corners of a triangle that its closest point needs, the direction to that point, and the
    /// product of the two.
    #[inline(always)]
    pub(super) fn of_triangle(
        p: &Corner<Vec3A>,
        q: &Corner<Vec3A>,
        r: &Corner<Vec3A>,
    ) -> (Self, Vec3A, f32) {
        let [a, b, c] = [p.w, q.w, r.w];
        let (u, v) = (a - c, b - c);
        let normal = u.cross(v);
        let m = c.cross(normal);
        let (at_a, at_b) = (v.dot(m), -u.dot(m));
        if (at_a > 0.0) & (at_b > 0.0) & (at_a + at_b < normal.dot(normal)) {
            let height = normal.dot(c);
            let (a, b, c) = ((a, vertex_bits(p)), (b, vertex_bits(q)), (c, vertex_bits(r)));
            return if height < 0.0 {
                (Self { corners: [b, a, c], len: 3 }, -normal, -height)
            } else {
                (Self { corners: [a, b, c], len: 3 }, normal, height)
            };
        }
        // The closest point of a side beyond which the origin lies. It need not be the closest of
        // the triangle; the next steps correct that.
        let (from, to) = if at_a <= 0.0 {
            (q, r)
        } else if at_b <= 0.0 {
            (r, p)
        } else {
            (p, q)
        };
        Self::of_segment(from, to)
    }

    /// As [`of_triangle`](Self::of_triangle) of two corners.
    #[inline(always)]
    pub(super) fn of_segment(p: &Corner<Vec3A>, q: &Corner<Vec3A>) -> (Self, Vec3A, f32) {
        let side = q.w - p.w;
        if p.w.dot(side) >= 0.0 {
            return Self::of_point(p);
        }
        if q.w.dot(side) <= 0.0 {
            return Self::of_point(q);
        }
        let (p, q) = ((p.w, vertex_bits(p)), (q.w, vertex_bits(q)));
        let direction = side.cross(p.0).cross(side);
        (Self { corners: [p, q, q], len: 2 }, direction, direction.dot(p.0))
    }

    /// One corner, the direction to it and the square of its length.
    #[inline(always)]
    pub(super) fn of_point(p: &Corner<Vec3A>) -> (Self, Vec3A, f32) {
        let corner = (p.w, vertex_bits(p));
        (Self { corners: [corner; 3], len: 1 }, p.w, p.w.dot(p.w))
    }

    /// The corners as a simplex.
    #[inline(always)]
    pub(super) fn simplex(&self) -> Simplex<Vec3A> {
        let [p, q, r] = self.corners;
        Simplex::new([p.0, q.0, r.0, r.0], [p.1, q.1, r.1, r.1], self.len)
    }

    /// Three corners and one more, as a tetrahedron.
    #[inline(always)]
    pub(super) fn with(&self, last: &Corner<Vec3A>) -> Simplex<Vec3A> {
        let [p, q, r] = self.corners;
        Simplex::new([p.0, q.0, r.0, last.w], [p.1, q.1, r.1, vertex_bits(last)], 4)
    }

    /// Adds a corner that comes closer, and drops those that are no longer needed.
    #[inline(always)]
    pub(super) fn add(&mut self, corner: &Corner<Vec3A>) -> Step {
        let new = (corner.w, vertex_bits(corner));
        let d = corner.w;
        let [a, b, c] = self.corners;
        match self.len {
            1 => self.edge(a, new),
            2 => {
                let (u, v) = (a.0 - d, b.0 - d);
                let normal = u.cross(v);
                if !projects_inside_edges(d, u, v, normal) {
                    return self.edges(&[a, b], new);
                }
                let height = normal.dot(d);
                let back = Vec3A::splat(height).cmplt(Vec3A::ZERO);
                let (p, q) = (Vec3A::select(back, b.0, a.0), Vec3A::select(back, a.0, b.0));
                let (m, n) = if height < 0.0 { (b.1, a.1) } else { (a.1, b.1) };
                self.corners = [(p, m), (q, n), new];
                self.len = 3;
                Step::Toward(Vec3A::select(back, -normal, normal), height.abs())
            }
            _ => {
                let (u, v, w) = (a.0 - d, b.0 - d, c.0 - d);
                let faces = [v.cross(w), w.cross(u), u.cross(v)];
                let heights = [faces[0].dot(d), faces[1].dot(d), faces[2].dot(d)];
                let is_visible_from_origin = [heights[0] > 0.0, heights[1] > 0.0, heights[2] > 0.0];
                if !(is_visible_from_origin[0]
                    | is_visible_from_origin[1]
                    | is_visible_from_origin[2])
                {
                    return Step::Inside;
                }
                if is_visible_from_origin[2] && projects_inside_edges(d, u, v, faces[2]) {
                    self.corners = [a, b, new];
                    return Step::Toward(faces[2], heights[2]);
                }
                if is_visible_from_origin[0] && projects_inside_edges(d, v, w, faces[0]) {
                    self.corners = [b, c, new];
                    return Step::Toward(faces[0], heights[0]);
                }
                if is_visible_from_origin[1] && projects_inside_edges(d, w, u, faces[1]) {
                    self.corners = [c, a, new];
                    return Step::Toward(faces[1], heights[1]);
                }
                self.edges(&[a, b, c], new)
            }
        }
    }

    /// Reduces to the edge between the new corner and an old one, or to the new one alone.
    #[inline(always)]
    fn edge(&mut self, old: TaggedPoint, new: TaggedPoint) -> Step {
        let edge = old.0 - new.0;
        if new.0.dot(edge) >= 0.0 {
            self.corners[0] = new;
            self.len = 1;
            return Step::Toward(new.0, new.0.dot(new.0));
        }
        self.corners[0] = old;
        self.corners[1] = new;
        self.len = 2;
        let direction = edge.cross(new.0).cross(edge);
        Step::Toward(direction, direction.dot(new.0))
    }

    /// Reduces to the edge of the new corner on which the closest point lies, if it lies on no
    /// face.
    #[inline(always)]
    fn edges<const N: usize>(&mut self, old: &[TaggedPoint; N], new: TaggedPoint) -> Step {
        let mut best = (0.0, old[0]);
        for corner in old {
            let edge = corner.0 - new.0;
            let (along, square) = (-new.0.dot(edge), edge.dot(edge));
            let on = along.min(square);
            // The decrease of the squared distance from the new corner along this edge.
            let gain = (along + along - on) * on / square;
            if (along > 0.0) & (gain > best.0) {
                best = (gain, *corner);
            }
        }
        self.edge(best.1, new)
    }
}

#[inline(always)]
fn vertex_bits(corner: &Corner<Vec3A>) -> u64 {
    u64::from(corner.a) | u64::from(corner.b) << 32
}

/// Whether the origin lies over a triangle, seen along its normal `u x v`. `u` and `v` are its
/// sides at the corner `d`; the third side is not tested.
#[inline(always)]
fn projects_inside_edges(d: Vec3A, u: Vec3A, v: Vec3A, normal: Vec3A) -> bool {
    let m = d.cross(normal);
    (v.dot(m) > 0.0) & (u.dot(m) < 0.0)
}
