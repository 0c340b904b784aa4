//! Bounds of the distances of eight pairs of triangles at once, in `f32`.
//!
//! The closest points are searched as for a single pair: the nine pairs of sides by the normal
//! equations (Ericson 2005, "Real-Time Collision Detection", section 5.1.9), then the six vertices
//! above faces. The bounds hold for every result of the search. The upper bound is the distance of
//! two points of the triangles, the lower bound the gap between the triangles along the line
//! through those points. `docs/notes/distance.md` derives the slack.

use crate::wide::{Lanes3, Wide, Wide3, dispatch};

use super::MIN_SQUARED_LENGTH;
use super::leaf::Leaf;
use super::near_leaf::Close;

/// Up to eight pairs of triangles, each in the frame of B's leaf.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) p: [Lanes3; 3],
    pub(super) q: [Lanes3; 3],
    /// Upper bound of the error of a distance bound.
    pub(super) slack: [f32; 8],
    /// The triangles of A and B.
    pub(super) triangles: [(u32, u32); 8],
    pub(super) count: usize,
}

/// Bounds of the distances of the eight pairs, in B's local unit.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub(super) lower: [f32; 8],
    pub(super) upper: [f32; 8],
    /// From A's point to B's.
    pub(super) toward: Lanes3,
}

impl Batch {
    pub(super) const EMPTY: Self = Self {
        p: [Lanes3::splat(0.0); 3],
        q: [Lanes3::splat(0.0); 3],
        slack: [0.0; 8],
        triangles: [(0, 0); 8],
        count: 0,
    };

    #[inline(always)]
    pub(super) fn add(&mut self, a: &Leaf, b: &Leaf, close: &Close, (i, j): (u8, u8)) {
        let (lane, i, j) = (self.count & 7, usize::from(i & 7), usize::from(j & 7));
        for k in 0..3 {
            self.p[k].set(lane, close.corners[k].get(i));
            self.q[k].set(lane, b.corners[k].get(j));
        }
        self.slack[lane] = close.slack;
        self.triangles[lane] = (a.triangles[i], b.triangles[j]);
        self.count += 1;
    }

    /// Computes the bounds; lanes beyond `count` are meaningless.
    #[inline(always)]
    pub(super) fn measure<W: Wide>(&self) -> Bounds {
        W::run_out_of_line(Measure(self))
    }

    #[inline(always)]
    fn measure_here<W: Wide>(&self) -> Bounds {
        let p = [Wide3::<W>::load(&self.p[0]), Wide3::load(&self.p[1]), Wide3::load(&self.p[2])];
        let q = [Wide3::<W>::load(&self.q[0]), Wide3::load(&self.q[1]), Wide3::load(&self.q[2])];
        let u = [p[1].sub(p[0]), p[2].sub(p[1]), p[0].sub(p[2])];
        let v = [q[1].sub(q[0]), q[2].sub(q[1]), q[0].sub(q[2])];
        let (one, min_square) = (W::splat(1.0), W::splat(MIN_SQUARED_LENGTH));
        let uu = [
            u[0].dot(u[0]).max(min_square),
            u[1].dot(u[1]).max(min_square),
            u[2].dot(u[2]).max(min_square),
        ];
        let vv = [
            v[0].dot(v[0]).max(min_square),
            v[1].dot(v[1]).max(min_square),
            v[2].dot(v[2]).max(min_square),
        ];
        let per_u = [one.div(uu[0]), one.div(uu[1]), one.div(uu[2])];
        let per_v = [one.div(vv[0]), one.div(vv[1]), one.div(vv[2])];
        let mut best = Best { square: W::splat(f32::INFINITY), toward: Wide3::splat([0.0; 3]) };
        for i in 0..3 {
            for j in 0..3 {
                let r = q[j].sub(p[i]);
                let (ur, vr, uv) = (u[i].dot(r), v[j].dot(r), u[i].dot(v[j]));
                let det = uv.neg_mul_add(uv, uu[i].mul(vv[j])).max(min_square);
                let s = unit(uv.neg_mul_add(vr, ur.mul(vv[j])).div(det));
                let t = unit(uv.mul_add(s, W::splat(0.0).sub(vr)).mul(per_v[j]));
                let s = unit(uv.mul_add(t, ur).mul(per_u[i]));
                best.offer(along(along(r, v[j], t), u[i], W::splat(0.0).sub(s)), None);
            }
        }
        best.faces(p, u, q, 1.0);
        best.faces(q, v, p, -1.0);
        let Best { square, toward } = best;
        let length = square.max(min_square).sqrt();
        let (x, y, z) = (toward.dot(p[0]), toward.dot(p[1]), toward.dot(p[2]));
        let highest_a = x.max(y).max(z);
        let (x, y, z) = (toward.dot(q[0]), toward.dot(q[1]), toward.dot(q[2]));
        let lowest_b = x.min(y).min(z);
        let slack = W::load(&self.slack);
        Bounds {
            lower: lowest_b.sub(highest_a).div(length).sub(slack).array(),
            upper: length.add(slack).array(),
            toward: toward.lanes(),
        }
    }
}

/// [`Batch::measure`], compiled once for each backend.
struct Measure<'b>(&'b Batch);

impl dispatch::Task for Measure<'_> {
    type Output = Bounds;

    #[inline(always)]
    fn run<W: Wide>(self) -> Bounds {
        self.0.measure_here::<W>()
    }
}

/// The vector between the closest points so far, and its squared length.
struct Best<W> {
    square: W,
    toward: Wide3<W>,
}

impl<W: Wide> Best<W> {
    #[inline(always)]
    fn offer(&mut self, toward: Wide3<W>, only: Option<W>) {
        let square = toward.dot(toward);
        let mut better = square.lt(self.square);
        if let Some(mask) = only {
            better = better.and(mask);
        }
        self.square = better.select(square, self.square);
        self.toward = Wide3 {
            x: better.select(toward.x, self.toward.x),
            y: better.select(toward.y, self.toward.y),
            z: better.select(toward.z, self.toward.z),
        };
    }

    /// Tests the vertices of `other` above the interior of the face with the given sides; `sign` is
    /// positive if the face is A's.
    #[inline(always)]
    fn faces(
        &mut self,
        face: [Wide3<W>; 3],
        sides: [Wide3<W>; 3],
        other: [Wide3<W>; 3],
        sign: f32,
    ) {
        let zero = W::splat(0.0);
        let (e, f) = (sides[0], Wide3::splat([0.0; 3]).sub(sides[2]));
        let (ee, ef, ff) = (e.dot(e), e.dot(f), f.dot(f));
        let det = ef.neg_mul_add(ef, ee.mul(ff));
        let usable = W::splat(MIN_SQUARED_LENGTH).le(det);
        let per_det = W::splat(1.0).div(det.max(W::splat(MIN_SQUARED_LENGTH)));
        for k in 0..3 {
            let w = other[k].sub(face[0]);
            let (ew, fw) = (e.dot(w), f.dot(w));
            let s = ef.neg_mul_add(fw, ff.mul(ew)).mul(per_det);
            let t = ef.neg_mul_add(ew, ee.mul(fw)).mul(per_det);
            let inside = zero.le(s).and(zero.le(t)).and(s.add(t).le(W::splat(1.0))).and(usable);
            let foot = along(along(w, e, zero.sub(s)), f, zero.sub(t));
            let sign = W::splat(sign);
            let toward = Wide3 { x: foot.x.mul(sign), y: foot.y.mul(sign), z: foot.z.mul(sign) };
            self.offer(toward, Some(inside));
        }
    }
}

/// `from + step * direction`.
#[inline(always)]
fn along<W: Wide>(from: Wide3<W>, direction: Wide3<W>, step: W) -> Wide3<W> {
    Wide3 {
        x: direction.x.mul_add(step, from.x),
        y: direction.y.mul_add(step, from.y),
        z: direction.z.mul_add(step, from.z),
    }
}

/// Clamps to 0..=1; NaN becomes zero.
#[inline(always)]
fn unit<W: Wide>(x: W) -> W {
    x.max(W::splat(0.0)).min(W::splat(1.0))
}
