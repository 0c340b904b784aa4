//! One tree alone: how often its surface crosses a ray.
//!
//! The ray starts at a point of the frame that a pose leads to and runs along an axis of that
//! frame. It is brought into the tree's local frame, where boxes and triangles that it certainly
//! misses are left out and triangles that it certainly pierces are counted, eight at a time in
//! `f32`. What is left goes to the exact test of the caller, which works on the posed vertices.
//! The margins are derived in `docs/notes/tree.md`, section Rays.

use std::cell::Cell;

use crate::exact::RayAxis;
use crate::math::{Pose, Vec3};
use crate::wide::{Lanes3, Wide, Wide3, dispatch};

use super::Tree;
use super::leaf::Leaf;
use super::node::{Link, Node};
use super::relative::{DENORMAL, LEAST_REACH};

/// A ray in the local frame of a tree.
#[derive(Clone, Copy, Debug)]
struct Ray {
    origin: [f32; 3],
    /// Along the ray, of length one up to a few `1e-9`, and two directions across it: a
    /// right-handed frame `across[0]`, `across[1]`, `along`.
    along: [f32; 3],
    across: [[f32; 3]; 2],
    /// What a coordinate relative to the origin can be off by.
    margin: f32,
}

thread_local! {
    /// Subtrees that are left, kept from query to query so that nothing is allocated.
    static STACK: Cell<Vec<Link>> = const { Cell::new(Vec::new()) };
}

/// A ray along an axis of the frame that `pose` leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cast<'a> {
    /// Where the mesh is.
    pub(crate) pose: &'a Pose,
    /// Where the ray begins, up to `slack` in any direction.
    pub(crate) from: Vec3,
    pub(crate) slack: f64,
    pub(crate) along: RayAxis,
}

impl Tree {
    /// The signed number of triangles that a ray pierces: one for each that it leaves through its
    /// front, minus one for each that it enters there. `exact` tells this of a single triangle; if
    /// that is `None`, so is the result.
    ///
    /// Calls `exact` for triangles where `f32` leaves it open, each once; these include all that
    /// hold the beginning of the ray. The result of the outer option is `None`, and nothing was
    /// called, if the mesh is too small or the point too far away for `f32`.
    pub(crate) fn crossings(
        &self,
        cast: &Cast<'_>,
        exact: &mut dyn FnMut(u32) -> Option<i64>,
    ) -> Option<Option<i64>> {
        let Some((_, root)) = self.root else { return Some(Some(0)) };
        let ray = self.local_ray(cast)?;
        let mut stack = STACK.take();
        stack.clear();
        stack.push(root);
        let found = dispatch::run(Count { tree: self, ray: &ray, stack: &mut stack, exact });
        STACK.set(stack);
        Some(found)
    }

    /// The ray in the local frame, if `f32` holds it with a margin that means something.
    fn local_ray(&self, cast: &Cast<'_>) -> Option<Ray> {
        let Cast { pose, from, slack, along: RayAxis { axis, forward } } = *cast;
        // Not the transpose: a pose need not be a rotation to the last digit.
        let back = pose.rotation().inverse();
        let origin = self.frame.local(back * (from - pose.translation()));
        let span = self.reach + origin.length();
        let largest =
            self.largest + from.abs().max_element() + pose.translation().abs().max_element();
        let rounding = largest * f64::EPSILON * 64.0 + DENORMAL + slack * (1.0 + 1e-6);
        let margin = span * f64::from(f32::EPSILON) * 64.0 + rounding * self.frame.scale;
        if !(span < FURTHEST && margin < 1.0 && self.reach >= LEAST_REACH) {
            return None;
        }
        let along = self.frame.turned(if forward { back.col(axis) } else { -back.col(axis) });
        let (u, v) = along.any_orthonormal_pair();
        let single = |v: Vec3| v.as_vec3().to_array();
        Some(Ray {
            origin: single(origin),
            along: single(along),
            across: [single(u), single(v)],
            margin: (margin * (1.0 + 1e-6)) as f32,
        })
    }
}

/// Points further away than this, in local units, are left to others. The points of a mesh's box
/// are never as far.
const FURTHEST: f64 = 64.0;

/// The descent, for whatever instructions there are.
struct Count<'a> {
    tree: &'a Tree,
    ray: &'a Ray,
    stack: &'a mut Vec<Link>,
    exact: &'a mut dyn FnMut(u32) -> Option<i64>,
}

impl dispatch::Task for Count<'_> {
    type Output = Option<i64>;

    #[inline(always)]
    fn run<W: Wide>(self) -> Option<i64> {
        let Self { tree, ray, stack, exact } = self;
        let mut crossings = 0;
        while let Some(link) = stack.pop() {
            if !link.is_leaf() {
                let node = &tree.nodes[link.index()];
                let mut near = ray.boxes::<W>(node);
                while near != 0 {
                    stack.push(node.link[near.trailing_zeros() as usize]);
                    near &= near - 1;
                }
                continue;
            }
            let leaf = &tree.leaves[link.index()];
            let Crossed { forward, backward, mut open } = ray.triangles::<W>(leaf);
            crossings += i64::from(forward.count_ones()) - i64::from(backward.count_ones());
            while open != 0 {
                crossings += exact(leaf.triangles[open.trailing_zeros() as usize])?;
                open &= open - 1;
            }
        }
        Some(crossings)
    }
}

/// What a ray does with the triangles of a leaf, a bit for each. Those it misses have none.
#[derive(Clone, Copy, Debug)]
struct Crossed {
    /// It leaves through the front.
    forward: u32,
    /// It enters through the front.
    backward: u32,
    /// To be decided from the vertices.
    open: u32,
}

impl Ray {
    /// Which boxes of a node the ray may meet: the axes across the ray and those of the boxes are
    /// tried, and whether the box is behind the origin.
    #[inline(always)]
    fn boxes<W: Wide>(&self, node: &Node) -> u32 {
        let [x, y, z] = self.along;
        let center = Wide3::<W>::load(&node.center).sub(Wide3::splat(self.origin));
        let half = Wide3::<W>::load(&node.half);
        let margin = W::splat(self.margin);
        let (dx, dy, dz) = (W::splat(x), W::splat(y), W::splat(z));
        let (ax, ay, az) = (dx.abs(), dy.abs(), dz.abs());
        let in_x = center.z.neg_mul_add(dy, center.y.mul(dz)).abs();
        let in_y = center.x.neg_mul_add(dz, center.z.mul(dx)).abs();
        let in_z = center.y.neg_mul_add(dx, center.x.mul(dy)).abs();
        let to_x = half.z.mul_add(ay, half.y.mul_add(az, margin));
        let to_y = half.x.mul_add(az, half.z.mul_add(ax, margin));
        let to_z = half.y.mul_add(ax, half.x.mul_add(ay, margin));
        let ahead = center.x.mul_add(dx, center.y.mul_add(dy, center.z.mul(dz)));
        let behind = half.x.mul_add(ax, half.y.mul_add(ay, half.z.mul_add(az, margin)));
        let far = W::splat(0.0).le(ahead.add(behind));
        in_x.le(to_x).and(in_y.le(to_y)).and(in_z.le(to_z)).and(far).bits()
    }

    /// What the ray does with the triangles of a leaf.
    ///
    /// Seen along the ray, the origin is at zero. A triangle is missed if its box does not hold
    /// zero, or if zero is strictly to the left of one side and strictly to the right of another;
    /// it is pierced if zero is strictly to the same side of all three and the whole of the
    /// triangle is ahead.
    #[inline(always)]
    fn triangles<W: Wide>(&self, leaf: &Leaf) -> Crossed {
        let offset = [0, 1, 2].map(|k| leaf.origin[k] - self.origin[k]);
        let p = self.seen::<W>(&leaf.corners[0], offset);
        let q = self.seen::<W>(&leaf.corners[1], offset);
        let r = self.seen::<W>(&leaf.corners[2], offset);
        let (margin, zero) = (W::splat(self.margin), W::splat(0.0));
        let least = zero.sub(margin);
        let (low_x, high_x) = (p.x.min(q.x).min(r.x), p.x.max(q.x).max(r.x));
        let (low_y, high_y) = (p.y.min(q.y).min(r.y), p.y.max(q.y).max(r.y));
        let (low_z, high_z) = (p.z.min(q.z).min(r.z), p.z.max(q.z).max(r.z));
        let within = low_x.le(margin).and(least.le(high_x));
        let within = within.and(low_y.le(margin)).and(least.le(high_y)).and(least.le(high_z));
        let real = (1 << leaf.count) - 1;
        let within = within.bits() & real;
        if within == 0 {
            return Crossed { forward: 0, backward: 0, open: 0 };
        }
        let far = high_x.max(high_y).max(zero.sub(low_x.min(low_y)));
        let bound = far.add(margin).mul(margin).mul(W::splat(8.0));
        let under = zero.sub(bound);
        let pq = p.y.neg_mul_add(q.x, p.x.mul(q.y));
        let qr = q.y.neg_mul_add(r.x, q.x.mul(r.y));
        let rp = r.y.neg_mul_add(p.x, r.x.mul(p.y));
        let (low, high) = (pq.min(qr).min(rp), pq.max(qr).max(rp));
        let missed = low.lt(under).and(bound.lt(high)).bits();
        let ahead = margin.lt(low_z).bits();
        let forward = bound.lt(low).bits() & ahead & within;
        let backward = high.lt(under).bits() & ahead & within;
        Crossed { forward, backward, open: within & !missed & !forward & !backward }
    }

    /// Eight points about a leaf's origin, along the axes of the ray.
    #[inline(always)]
    fn seen<W: Wide>(&self, points: &Lanes3, offset: [f32; 3]) -> Wide3<W> {
        let p = Wide3::<W>::load(points).add(Wide3::splat(offset));
        let [u, v] = &self.across;
        Wide3 { x: dot(p, u), y: dot(p, v), z: dot(p, &self.along) }
    }
}

#[inline(always)]
fn dot<W: Wide>(p: Wide3<W>, d: &[f32; 3]) -> W {
    p.x.mul_add(W::splat(d[0]), p.y.mul_add(W::splat(d[1]), p.z.mul(W::splat(d[2]))))
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::math::Random;
    use crate::wide::dispatch::Baseline;
    use dispatch::Task;

    /// The counts of the backends, and what `f32` decided of them.
    #[test]
    fn arrays_and_registers_count_the_same() {
        let mut random = Random::new(8);
        let (mut open, mut sure) = (0, 0);
        samples::pairs(6, [0.0, 1.0, 4.0], |_, mesh, pose| {
            let tree = mesh.tree();
            let bounds = mesh.bounds_at(pose);
            for _ in 0..20 {
                let s = Vec3::new(random.unit(), random.unit(), random.unit());
                let from = bounds.min + bounds.extent() * s;
                let along = RayAxis { axis: random.index(3), forward: random.index(2) == 0 };
                let cast = Cast { pose, from, slack: 0.0, along };
                let Some(ray) = tree.local_ray(&cast) else { continue };
                let corners = |t: u32| mesh.triangle(t as usize).map(|v| pose.transform_point(v));
                let mut asked = 0;
                let mut exact = |t: u32| {
                    asked += 1;
                    along.crossing(from, &corners(t))
                };
                let mut stack: Vec<Link> = tree.root.iter().map(|(_, link)| *link).collect();
                let count = Count { tree, ray: &ray, stack: &mut stack, exact: &mut exact };
                let plain = count.run::<Baseline>();
                assert_eq!(tree.crossings(&cast, &mut exact), Some(plain));
                let all = 0..mesh.triangles().len() as u32;
                let expected: Option<i64> = all.map(|t| along.crossing(from, &corners(t))).sum();
                assert_eq!(plain, expected);
                open += asked;
                sure += plain.unwrap_or(0).unsigned_abs();
            }
        });
        assert!(open < 1_000 && sure > 200, "{open} {sure}");
    }
}
