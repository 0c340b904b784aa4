//! Search in a single tree: the signed number of crossings of its surface with a ray.
//!
//! The ray starts at a point of the target frame of a pose and runs along an axis of that frame. It
//! is transformed into the tree's local frame. There, eight at a time in `f32`, boxes and triangles
//! that it certainly misses are skipped and triangles that it certainly pierces are counted. The
//! other triangles go to the exact test of the caller, which uses the transformed vertices. The
//! margins are derived in `docs/notes/tree.md`, section Rays.

use crate::budget::{Budget, Paid, Quantum};
use crate::exact::RayAxis;
use crate::math::{Pose, Vec3};
use crate::wide::{Lanes3, Wide, Wide3, dispatch};

use super::Tree;
use super::leaf::Leaf;
use super::node::{Link, Node};
use super::relative::{DENORMAL_ERROR, MIN_REACH};

/// A ray in the local frame of a tree.
#[derive(Clone, Copy, Debug)]
struct Ray {
    origin: [f32; 3],
    /// The direction of the ray, of length one up to a few `1e-9`, and two directions across it:
    /// `across[0]`, `across[1]`, `along` is a right-handed frame.
    along: [f32; 3],
    across: [[f32; 3]; 2],
    /// Upper bound of the error of a coordinate relative to the origin.
    margin: f32,
}

/// A ray along an axis of the target frame of `pose`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RayQuery<'a> {
    /// The pose of the mesh.
    pub(crate) pose: &'a Pose,
    /// The origin of the ray, up to an error of `slack` in any direction.
    pub(crate) from: Vec3,
    pub(crate) slack: f64,
    pub(crate) along: RayAxis,
}

/// The exact tests of the triangles that `f32` does not decide. These include all triangles that
/// contain the origin of the ray.
pub(crate) trait RayTest {
    /// Units of work of the test of a triangle, which are paid before it.
    fn units(&mut self, triangle: u32) -> u64;

    /// The signed number of times that the ray pierces the triangle: plus one if it leaves through
    /// the front, minus one if it enters there. `None` ends the search.
    fn crossing(&mut self, triangle: u32) -> Option<i64>;
}

/// The state of a search along a ray, which can be interrupted after every node, leaf and test. It
/// keeps its memory from query to query.
#[derive(Debug, Default)]
pub(crate) struct RaySearch {
    ray: Option<Ray>,
    /// Subtrees that remain to be visited.
    stack: Vec<Link>,
    /// The last leaf, and the triangles of it that remain to be tested, one bit each.
    leaf: usize,
    open: u32,
    crossings: i64,
    /// Whether a test ended the search.
    is_ended: bool,
    payment: Paid,
}

impl RaySearch {
    /// Starts a search; false if the mesh is too small or the origin too far away for `f32`.
    pub(crate) fn start(&mut self, tree: &Tree, query: &RayQuery<'_>) -> bool {
        self.stack.clear();
        (self.open, self.crossings, self.is_ended) = (0, 0, false);
        self.payment = Paid::default();
        self.ray = None;
        let Some((_, root)) = tree.root else { return true };
        self.ray = tree.local_ray(query);
        self.stack.push(root);
        self.ray.is_some()
    }

    /// Continues the search; `None` if the budget is spent. The result is the signed number of
    /// triangles that the ray pierces, or `None` if a test ended the search.
    pub(crate) fn run(
        &mut self,
        tree: &Tree,
        test: &mut dyn RayTest,
        budget: &mut Budget<'_>,
    ) -> Option<Option<i64>> {
        let Some(ray) = self.ray else { return Some(Some(0)) };
        let everywhere_the_same = budget.is_reproducible();
        let task = Count { tree, ray: &ray, search: self, test, budget };
        let is_finished = if everywhere_the_same {
            dispatch::run_reproducibly(task)
        } else {
            dispatch::run(task)
        };
        is_finished.then_some(if self.is_ended { None } else { Some(self.crossings) })
    }

    /// The number of subtrees and triangles that were found and not yet searched.
    pub(crate) fn open(&self) -> usize {
        self.stack.len() + self.open.count_ones() as usize
    }
}

impl Tree {
    /// The ray in the local frame; `None` if `f32` is not precise enough.
    fn local_ray(&self, query: &RayQuery<'_>) -> Option<Ray> {
        let RayQuery { pose, from, slack, along: RayAxis { axis, forward } } = *query;
        // Not the transpose: a pose need not be a rotation to the last digit.
        let inverse = pose.rotation().inverse();
        let origin = self.frame.local(inverse * (from - pose.translation()));
        let span = self.reach + origin.length();
        let largest =
            self.largest + from.abs().max_element() + pose.translation().abs().max_element();
        let rounding = largest * f64::EPSILON * 64.0 + DENORMAL_ERROR + slack * (1.0 + 1e-6);
        let margin = span * f64::from(f32::EPSILON) * 64.0 + rounding * self.frame.scale;
        if !(span < MAX_SPAN && margin < 1.0 && self.reach >= MIN_REACH) {
            return None;
        }
        let along = self.frame.local_direction(if forward {
            inverse.col(axis)
        } else {
            -inverse.col(axis)
        });
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

/// Maximum distance of a point of the mesh from the ray's origin, in local units; the tree declines
/// rays beyond it. Origins within the mesh's box are never that far.
const MAX_SPAN: f64 = 64.0;

/// The descent, compiled for each backend. The result is whether it is finished.
struct Count<'a, 'b> {
    tree: &'a Tree,
    ray: &'a Ray,
    search: &'a mut RaySearch,
    test: &'a mut dyn RayTest,
    budget: &'a mut Budget<'b>,
}

impl dispatch::Task for Count<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<W: Wide>(self) -> bool {
        let Self { tree, ray, search, test, budget } = self;
        if search.is_ended {
            return true;
        }
        loop {
            while search.open != 0 {
                let slot = search.open.trailing_zeros() as usize;
                let triangle = tree.leaves[search.leaf].triangles[slot];
                if !search.payment.afford(test.units(triangle), Quantum::Exact, budget) {
                    return false;
                }
                let Some(crossing) = test.crossing(triangle) else {
                    search.is_ended = true;
                    return true;
                };
                search.crossings += crossing;
                search.open &= search.open - 1;
            }
            if search.stack.is_empty() {
                return true;
            }
            if !budget.step() {
                return false;
            }
            let Some(link) = search.stack.pop() else { return true };
            if !link.is_leaf() {
                let node = &tree.nodes[link.index()];
                let mut near = ray.boxes::<W>(node);
                while near != 0 {
                    search.stack.push(node.link[near.trailing_zeros() as usize]);
                    near &= near - 1;
                }
                continue;
            }
            let Crossed { forward, backward, open } =
                ray.triangles::<W>(&tree.leaves[link.index()]);
            search.crossings += i64::from(forward.count_ones()) - i64::from(backward.count_ones());
            (search.leaf, search.open) = (link.index(), open);
        }
    }
}

/// The results for the triangles of a leaf, one bit each. Triangles that the ray misses have no
/// bit.
#[derive(Clone, Copy, Debug)]
struct Crossed {
    /// The ray leaves through the front.
    forward: u32,
    /// The ray enters through the front.
    backward: u32,
    /// Undecided in `f32`; the exact test decides.
    open: u32,
}

impl Ray {
    /// The boxes of a node that the ray may meet: tests the cross products of the ray with the axes
    /// of the boxes, and whether the box is behind the origin.
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

    /// Classifies the triangles of a leaf.
    ///
    /// In coordinates along the axes of the ray, its origin is zero. A triangle is missed if its
    /// box does not contain zero, or if zero is strictly to the left of one side and strictly to
    /// the right of another; it is pierced if zero is strictly to the same side of all three sides
    /// and the whole triangle is ahead of the origin.
    #[inline(always)]
    fn triangles<W: Wide>(&self, leaf: &Leaf) -> Crossed {
        let offset = [0, 1, 2].map(|k| leaf.origin[k] - self.origin[k]);
        let p = self.along_ray::<W>(&leaf.corners[0], offset);
        let q = self.along_ray::<W>(&leaf.corners[1], offset);
        let r = self.along_ray::<W>(&leaf.corners[2], offset);
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

    /// Eight points relative to a leaf's origin, in coordinates along the axes of the ray.
    #[inline(always)]
    fn along_ray<W: Wide>(&self, points: &Lanes3, offset: [f32; 3]) -> Wide3<W> {
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
    use crate::mesh::Mesh;
    use crate::wide::dispatch::Baseline;
    use dispatch::Task;

    /// The exact test of every triangle, and the number of tests.
    struct Test<'a> {
        mesh: &'a Mesh,
        query: RayQuery<'a>,
        count: usize,
    }

    impl RayTest for Test<'_> {
        fn units(&mut self, _: u32) -> u64 {
            3
        }

        fn crossing(&mut self, t: u32) -> Option<i64> {
            self.count += 1;
            let RayQuery { pose, from, along, .. } = self.query;
            let corners = self.mesh.triangle(t as usize).map(|v| pose.transform_point(v));
            along.crossing(from, &corners)
        }
    }

    /// The counts of both backends, in parts, and of the exact test, and the number of triangles
    /// that `f32` leaves open.
    #[test]
    fn both_backends_count_the_same_crossings() {
        let mut random = Random::new(8);
        let (mut open, mut crossings, mut parts) = (0, 0, 0);
        let mut search = RaySearch::default();
        samples::pairs(6, [0.0, 1.0, 4.0], |_, mesh, pose| {
            let tree = mesh.tree();
            let bounds = mesh.bounds_at(pose);
            for _ in 0..20 {
                let s = Vec3::new(random.unit(), random.unit(), random.unit());
                let from = bounds.min + bounds.extent() * s;
                let along = RayAxis { axis: random.index(3), forward: random.index(2) == 0 };
                let query = RayQuery { pose, from, slack: 0.0, along };
                if !search.start(tree, &query) {
                    continue;
                }
                let Some(ray) = search.ray else { continue };
                let mut test = Test { mesh, query, count: 0 };
                let mut whole = Budget::steps(1 << 40);
                let count = Count {
                    tree,
                    ray: &ray,
                    search: &mut search,
                    test: &mut test,
                    budget: &mut whole,
                };
                assert!(count.run::<<Baseline as Wide>::Reproducible>());
                let plain = if search.is_ended { None } else { Some(search.crossings) };
                open += test.count;
                assert!(search.start(tree, &query));
                assert_eq!(search.run(tree, &mut test, &mut Budget::unlimited()), Some(plain));
                // In parts, with the best backend: the same units.
                assert!(search.start(tree, &query));
                let mut spent = 0;
                let found = loop {
                    let mut part = Budget::steps(2);
                    let found = search.run(tree, &mut test, &mut part);
                    spent += part.spent();
                    parts += 1;
                    if let Some(found) = found {
                        break found;
                    }
                };
                assert_eq!((found, spent), (plain, whole.spent()));
                let all = 0..mesh.triangles().len() as u32;
                let expected: Option<i64> = all.map(|t| test.crossing(t)).sum();
                assert_eq!(plain, expected);
                crossings += plain.unwrap_or(0).unsigned_abs();
            }
        });
        assert!(open < 1_000 && crossings > 200 && parts > 1_000, "{open} {crossings} {parts}");
    }
}
