//! Near pairs of two meshes that are far apart, relative to their sizes.
//!
//! There, `f32` cannot distinguish the distances of pairs: they differ by less than its rounding of
//! the separation. So everything is in `f64`, and the separation is subtracted: with `n` the
//! direction between the meshes, a pair of boxes is at least `D + e` apart, where `D` is the same
//! number for all pairs and the excess `e` is computed from local coordinates, whose rounding
//! errors are proportional to the meshes.
//!
//! The pair of least excess is opened next. A search for the minimum ends when no pair can have a
//! smaller certified lower bound than those that were measured: pairs that `f64` cannot distinguish
//! need not be measured. `docs/notes/distance.md` derives the errors.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use glam::DVec3;

use crate::arrays::MapEach;
use crate::closest;
use crate::math::{Pose, Vec3, direction, exponent};
use crate::mesh::Mesh;
use crate::order::sort_few_by;
use crate::sink::{NearPair, NearSink};

use super::disc::Disc;
use super::node::{Link, LocalBox};
use super::overlap::Bounds;
use super::relative::{DENORMAL_ERROR, MIN_REACH};
use super::{MAX_SIZE_RATIO, Tree};
use crate::math::rounding::UNIT_ROUNDOFF;

/// Two meshes are far apart if the distance of their centres is larger than the sum of their half
/// diagonals by more than this factor. There, this search is faster than the `f32` search.
const MIN_DISTANCE_RATIO: f64 = 64.0;

/// Sizes below this share of the separation are negligible compared with its rounding error.
const NEGLIGIBLE_SIZE_SHARE: f64 = 1.0 / (1_u128 << 100) as f64;

/// If the rounding error of transformed vertices exceeds this share of the meshes' sizes, the boxes
/// of B's tree exclude little.
const MAX_ROUNDING_SHARE: f64 = 1.0 / (1 << 16) as f64;

/// If the slack exceeds this share of the meshes' sizes, a search with a limit on triangle pairs is
/// abandoned at once: it would reach the limit among very many pairs.
const MAX_SLACK_SHARE: f64 = 1.0 / 1024.0;

/// Whether two meshes are so far apart that [`FarSearch`] finds near pairs faster.
pub(crate) fn are_far(a: &Mesh, b: &Mesh, pose: &Pose) -> bool {
    if a.is_empty() || b.is_empty() {
        return false;
    }
    let (box_a, box_b) = (a.bounds(), b.bounds());
    let between = (pose.transform_point(box_b.center()) - box_a.center()).abs().max_element();
    // The sum of the sides is at most sqrt(3) times the diagonal.
    let sizes = 0.5 * (box_a.extent().element_sum() + box_b.extent().element_sum());
    between > MIN_DISTANCE_RATIO * sizes && between > f64::MIN_POSITIVE
}

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchLimits {
    /// Pairs whose distance exceeds the sink's bound by more than this share of the separation are
    /// skipped. With zero, a pair may be missing whose lower bound is within the bound but whose
    /// distance is not.
    pub(crate) slack: f64,
    /// The number of pairs of triangles after which the search is abandoned.
    pub(crate) max_triangle_pairs: usize,
}

/// Sends every pair of triangles of two meshes that are [far apart](are_far) to `sink` if its
/// certified lower bound does not exceed the sink's bound. `None`, without doing anything, for
/// sizes that no power of two brings near one.
pub(crate) fn near_far(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    sink: &mut dyn NearSink,
    limits: SearchLimits,
) -> Option<SearchCounts> {
    let mut far = FarSearch::new((a, a.tree()), (b, b.tree()), pose)?;
    if far.coarse {
        // Rounding determines which vertices are closest, so the tree is built over the transformed
        // vertices.
        let moved = b.transformed(pose);
        let rounded = FarSearch::new((a, a.tree()), (&moved, moved.tree()), &Pose::IDENTITY);
        if let Some(mut far) = rounded {
            return Some(far.near(sink, limits));
        }
    }
    Some(far.near(sink, limits))
}

/// Two meshes that are far apart.
#[derive(Debug)]
struct FarSearch<'a> {
    a: Side<'a>,
    b: Side<'a>,
    pose: &'a Pose,
    /// The distance between the origins along the direction from A to B, in the unit of the search.
    separation: f64,
    /// The factor to the unit of the search: a power of two.
    scale: f64,
    /// The sum of the meshes' reaches.
    sizes: f64,
    /// Upper bound by which `separation` plus an excess may exceed the distance, for boxes and for
    /// triangles.
    box_error: f64,
    triangle_error: f64,
    /// Upper bound of the error of a centre across the direction.
    aside_error: f64,
    /// Whether the rounding errors of transformed vertices are so large that boxes of B's tree
    /// exclude little.
    coarse: bool,
}

/// One of the two meshes.
#[derive(Debug)]
struct Side<'a> {
    mesh: &'a Mesh,
    tree: &'a Tree,
    /// From the tree's local unit to that of the search.
    unit: f64,
    /// Towards the other mesh, in the axes of the tree, and two directions across it.
    direction: DVec3,
    across: [DVec3; 2],
    /// The same direction in the frame of the query, multiplied by the scale, and the position of
    /// the tree's origin in that frame.
    scaled_direction: Vec3,
    origin: Vec3,
    /// Support values of the subtrees that reach furthest, computed from their triangles; sorted by
    /// the links' numbers.
    supports: Vec<(u32, f64)>,
}

/// The extent of a subtree.
#[derive(Clone, Copy, Debug)]
struct Part {
    link: Link,
    /// The support value in the direction of the other mesh, relative to the tree's origin.
    support: f64,
    /// The position of its centre across that direction, and its extent from there.
    aside: [f64; 2],
    reach: f64,
}

/// The leaf with the largest support value so far.
struct Furthest {
    leaf: Link,
    support: f64,
    /// Smaller differences are ignored.
    error: f64,
    /// Support values of the subtrees that were visited.
    supports: Vec<(u32, f64)>,
}

/// A pair of subtrees.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Lower bound of the distance of their points, minus `separation`.
    excess: f64,
    a: Link,
    b: Link,
}

impl Step {
    fn key(&self) -> (u32, u32) {
        (self.a.number(), self.b.number())
    }
}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        // The step with the least excess is the greatest, so that it is on top of the heap. Ties go
        // to the highest numbers, which are those of leaves, then of nodes further down: where very
        // many pairs are equally close, one of them is measured soon.
        other.excess.total_cmp(&self.excess).then(self.key().cmp(&other.key()))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Step {}

/// The work that a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchCounts {
    /// Number of pairs of subtrees that were opened.
    pub(crate) opened: usize,
    /// Number of pairs of leaves that were compared.
    pub(crate) leaf_pairs: usize,
    /// Number of pairs of triangles that were measured.
    pub(crate) triangle_pairs: usize,
    /// Whether the search ended at its limit of triangle pairs.
    pub(crate) reached_limit: bool,
}

impl<'a> FarSearch<'a> {
    /// `None` for sizes that no power of two brings near one, and for meshes that are not [far
    /// apart](are_far).
    fn new(
        (a, tree_a): (&'a Mesh, &'a Tree),
        (b, tree_b): (&'a Mesh, &'a Tree),
        pose: &'a Pose,
    ) -> Option<Self> {
        let (frame_a, frame_b) = (&tree_a.frame, &tree_b.frame);
        let middle = pose.transform_point(frame_b.origin);
        let between = middle - frame_a.origin;
        let toward = direction(between)?;
        let separation = toward.dot(between);
        let (reach_a, reach_b) = (tree_a.reach * frame_a.unit, tree_b.reach * frame_b.unit);
        let sizes = reach_a + reach_b;
        let usable = tree_a.reach.min(tree_b.reach) >= MIN_REACH
            || sizes < NEGLIGIBLE_SIZE_SHARE * separation;
        if !(usable && separation.is_finite() && separation > 8.0 * sizes) {
            return None;
        }
        let scale = power_of_two_over(sizes.max(NEGLIGIBLE_SIZE_SHARE * separation))?;
        let across = {
            let side = toward.any_orthonormal_vector();
            [side, toward.cross(side)]
        };
        let transpose = pose.rotation().transpose();
        let sides = (
            Side {
                mesh: a,
                tree: tree_a,
                unit: frame_a.unit * scale,
                direction: frame_a.local_direction(toward),
                across: across.map_each(|v| frame_a.local_direction(v)),
                scaled_direction: toward * scale,
                origin: frame_a.origin,
                supports: Vec::new(),
            },
            Side {
                mesh: b,
                tree: tree_b,
                unit: frame_b.unit * scale,
                direction: frame_b.local_direction(transpose * -toward),
                across: across.map_each(|v| frame_b.local_direction(transpose * v)),
                scaled_direction: -toward * scale,
                origin: middle,
                supports: Vec::new(),
            },
        );
        // With the identity as pose, vertices are not rounded.
        let moved = if *pose == Pose::IDENTITY {
            0.0
        } else {
            let size = frame_b.origin.abs().max_element() + reach_b;
            2.0 * UNIT_ROUNDOFF * toward.abs().dot(middle.abs())
                + 18.0 * UNIT_ROUNDOFF * size
                + DENORMAL_ERROR
        };
        let common =
            12.0 * UNIT_ROUNDOFF * separation + 32.0 * UNIT_ROUNDOFF * sizes + DENORMAL_ERROR;
        Some(Self {
            a: sides.0,
            b: sides.1,
            pose,
            separation: separation * scale,
            sizes: sizes * scale,
            scale,
            box_error: (common + moved) * scale,
            triangle_error: common * scale,
            aside_error: 4.0 * (common + moved) * scale,
            coarse: moved > (8.0 * UNIT_ROUNDOFF * separation).max(MAX_ROUNDING_SHARE * sizes),
        })
    }

    /// As [`near_far`].
    fn near(&mut self, sink: &mut dyn NearSink, limits: SearchLimits) -> SearchCounts {
        let mut counts = SearchCounts::default();
        // A bound that is NaN admits no pair either.
        let wanted = sink.bound() >= 0.0;
        let (true, Some((_, a)), Some((_, b))) = (wanted, self.a.tree.root, self.b.tree.root)
        else {
            return counts;
        };
        let SearchLimits { slack, max_triangle_pairs } = limits;
        let slack = slack * self.separation;
        if max_triangle_pairs < usize::MAX && slack > MAX_SLACK_SHARE * self.sizes {
            counts.reached_limit = true;
            return counts;
        }
        // The leaves with the largest support values are compared first: in a search for the
        // minimum, they usually decide it.
        let (error, pose) = (self.box_error, self.pose);
        let first = Step {
            excess: f64::NEG_INFINITY,
            a: self.a.find_supports(a, error, |v| v),
            b: self.b.find_supports(b, error, |v| pose.transform_point(v)),
        };
        if self.leaf_pair(&first, sink, slack, &mut counts).is_break() {
            return counts;
        }
        let mut open = BinaryHeap::new();
        let (root_a, root_b) = (self.a.part_of(a), self.b.part_of(b));
        open.push(Step { excess: self.excess(&root_a, &root_b), a, b });
        while let Some(step) = open.pop() {
            if step.excess > self.limit(sink, self.box_error + slack) {
                break;
            }
            if counts.triangle_pairs > max_triangle_pairs {
                counts.reached_limit = true;
                break;
            }
            if step.a.is_leaf() && step.b.is_leaf() {
                if step.key() != first.key()
                    && self.leaf_pair(&step, sink, slack, &mut counts).is_break()
                {
                    break;
                }
                continue;
            }
            counts.opened += 1;
            let (open_a, open_b) = self.opens(&step);
            let limit = self.limit(sink, self.box_error + slack);
            let mut parts = [Part::NONE; 8];
            let count = self.b.parts(step.b, open_b, &mut parts);
            let parts_b = &parts[..count];
            let mut parts = [Part::NONE; 8];
            let count = self.a.parts(step.a, open_a, &mut parts);
            for here in &parts[..count] {
                for there in parts_b {
                    if -(here.support + there.support) > limit {
                        continue;
                    }
                    let excess = self.excess(here, there);
                    if excess <= limit {
                        // Rounding may make a child extend beyond its parent.
                        let excess = excess.max(step.excess);
                        open.push(Step { excess, a: here.link, b: there.link });
                    }
                }
            }
        }
        counts
    }

    /// The largest excess of a pair within the sink's bound, if the excess may be too large by
    /// `error`.
    #[inline]
    fn limit(&self, sink: &dyn NearSink, error: f64) -> f64 {
        sink.bound() * self.scale - self.separation + error
    }

    /// Which of two subtrees are opened: both, unless one is a leaf or much smaller.
    fn opens(&self, step: &Step) -> (bool, bool) {
        if step.a.is_leaf() || step.b.is_leaf() {
            return (!step.a.is_leaf(), !step.b.is_leaf());
        }
        let size = |side: &Side<'_>, link: Link| {
            f64::from(side.tree.nodes[link.index()].bounds.size()) * side.unit
        };
        let (size_a, size_b) = (size(&self.a, step.a), size(&self.b, step.b));
        let ratio = f64::from(MAX_SIZE_RATIO);
        (size_a * ratio >= size_b, size_b * ratio >= size_a)
    }

    /// Lower bound of the distance of two subtrees, minus `separation`, up to `box_error`.
    #[inline]
    fn excess(&self, here: &Part, there: &Part) -> f64 {
        let along_direction = -(here.support + there.support);
        let (x, y) = (there.aside[0] - here.aside[0], there.aside[1] - here.aside[1]);
        let gap = (x * x + y * y).sqrt() - (here.reach + there.reach + self.aside_error);
        if gap <= 0.0 {
            return along_direction;
        }
        // The hypotenuse minus the longer side, without cancellation.
        let long = self.separation + along_direction;
        along_direction + gap * gap / ((long * long + gap * gap).sqrt() + long)
    }

    fn leaf_pair(
        &self,
        step: &Step,
        sink: &mut dyn NearSink,
        slack: f64,
        counts: &mut SearchCounts,
    ) -> ControlFlow<()> {
        counts.leaf_pairs += 1;
        let (a, b) = (&self.a.tree.leaves[step.a.index()], &self.b.tree.leaves[step.b.index()]);
        let mut triangles_b = [([Vec3::ZERO; 3], 0.0); 8];
        for (lane, slot) in triangles_b.iter_mut().enumerate().take(b.count as usize) {
            let corners = self.b.mesh.triangle(b.triangles[lane] as usize);
            let corners = corners.map_each(|v| self.pose.transform_point(v));
            *slot = (corners, self.b.support(&corners));
        }
        let mut pairs = [(0.0, 0_u8, 0_u8); 64];
        let mut count = 0;
        let mut triangles_a = [[Vec3::ZERO; 3]; 8];
        let limit = self.limit(sink, self.triangle_error + slack);
        for lane in 0..a.count as usize {
            triangles_a[lane] = self.a.mesh.triangle(a.triangles[lane] as usize);
            let support_a = self.a.support(&triangles_a[lane]);
            for (other, (_, support_b)) in triangles_b.iter().enumerate().take(b.count as usize) {
                let excess = -(support_a + support_b);
                if excess <= limit {
                    pairs[count] = (excess, lane as u8, other as u8);
                    count += 1;
                }
            }
        }
        let pairs = &mut pairs[..count];
        pairs.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2))));
        for (excess, i, j) in pairs {
            if *excess > self.limit(sink, self.triangle_error + slack) {
                break;
            }
            let (i, j) = (usize::from(*i), usize::from(*j));
            counts.triangle_pairs += 1;
            let closest = closest::disjoint(&triangles_a[i], &triangles_b[j].0);
            if closest.lower <= sink.bound() {
                sink.pair(&NearPair::new(a.triangles[i], b.triangles[j], closest))?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl Part {
    const NONE: Self = Self { link: Link::NONE, support: 0.0, aside: [0.0; 2], reach: 0.0 };
}

impl Side<'_> {
    fn part(&self, link: Link, of: (LocalBox, Disc)) -> Part {
        let bounds = Bounds::new(of, self.unit);
        let known = self.supports.binary_search_by_key(&link.number(), |(known, _)| *known);
        let support =
            known.map_or_else(|_| bounds.interval(self.direction).1, |at| self.supports[at].1);
        let aside = self.across.map_each(|v| v.dot(bounds.center));
        Part { link, support, aside, reach: bounds.half.length() }
    }

    /// The support value of a triangle, given in the frame of the query.
    #[inline]
    fn support(&self, corners: &[Vec3; 3]) -> f64 {
        let [x, y, z] = corners.map_each(|v| self.scaled_direction.dot(v - self.origin));
        x.max(y).max(z)
    }

    /// Computes the support value of the whole mesh, up to the error, and those of the subtrees on
    /// the path to it. Boxes reach further than their contents, and none of the pairs of subtrees
    /// whose boxes reach too far could be distinguished from the closest pair. Returns the leaf
    /// with the largest support value.
    fn find_supports(&mut self, root: Link, error: f64, at: impl Fn(Vec3) -> Vec3) -> Link {
        let mut furthest =
            Furthest { leaf: Link::NONE, support: f64::NEG_INFINITY, error, supports: Vec::new() };
        self.supports.clear();
        self.refine(root, &at, &mut furthest);
        self.supports = furthest.supports;
        self.sort_supports();
        furthest.leaf
    }

    fn sort_supports(&mut self) {
        self.supports.sort_unstable_by_key(|(link, _)| *link);
    }

    /// Upper bound of the support value of a subtree, computed from its triangles where it may
    /// exceed the largest so far.
    fn refine(&mut self, link: Link, at: &impl Fn(Vec3) -> Vec3, furthest: &mut Furthest) -> f64 {
        let mut support = f64::NEG_INFINITY;
        if link.is_leaf() {
            let leaf = &self.tree.leaves[link.index()];
            for triangle in &leaf.triangles[..leaf.count as usize] {
                let corners = self.mesh.triangle(*triangle as usize);
                support = support.max(self.support(&corners.map_each(at)));
            }
            if support > furthest.support {
                (furthest.leaf, furthest.support) = (link, support);
            }
        } else {
            let mut parts = [Part::NONE; 8];
            let count = self.parts(link, true, &mut parts);
            let parts = &mut parts[..count];
            sort_few_by(parts, |p, q| q.support.total_cmp(&p.support).is_lt());
            for part in parts {
                let further = part.support > furthest.support + furthest.error;
                let of_part =
                    if further { self.refine(part.link, at, furthest) } else { part.support };
                support = support.max(of_part);
            }
        }
        furthest.supports.push((link.number(), support));
        support
    }

    fn part_of(&self, link: Link) -> Part {
        self.part(link, self.tree.bounds_of(link))
    }

    /// The subtree itself, or its children if `open`; returns their number.
    fn parts(&self, link: Link, open: bool, parts: &mut [Part; 8]) -> usize {
        if !open {
            parts[0] = self.part_of(link);
            return 1;
        }
        let node = &self.tree.nodes[link.index()];
        let mut count = 0;
        for (slot, below) in node.links() {
            parts[count] = self.part(below, (node.get(slot), node.discs.get(slot)));
            count += 1;
        }
        count
    }
}

/// The power of two that brings `size` near one, if that and its inverse are normal numbers whose
/// products do not overflow.
fn power_of_two_over(size: f64) -> Option<f64> {
    let exponent = exponent(size);
    (-900..=900).contains(&exponent).then(|| 2.0_f64.powi(-exponent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    /// The least lower and upper bound so far, as in a search for the minimum.
    #[derive(Debug)]
    struct Least {
        lower: f64,
        upper: f64,
    }

    impl NearSink for Least {
        fn bound(&self) -> f64 {
            self.lower
        }

        fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
            self.lower = self.lower.min(pair.closest.lower);
            self.upper = self.upper.min(pair.closest.upper);
            ControlFlow::Continue(())
        }
    }

    fn least(a: &Mesh, b: &Mesh, pose: &Pose) -> (Least, SearchCounts) {
        assert!(are_far(a, b, pose));
        let mut least = Least { lower: f64::INFINITY, upper: f64::INFINITY };
        let limits = SearchLimits { slack: 0.0, max_triangle_pairs: usize::MAX };
        let counts = near_far(a, b, pose, &mut least, limits).unwrap();
        (least, counts)
    }

    /// The search takes at most as many steps as at a distance of a thousand, where `f32` suffices:
    /// about a hundred, of 5 or 85 million pairs.
    fn check(a: &Mesh, b: &Mesh, pose: &Pose) {
        let (found, counts) = least(a, b, pose);
        let SearchCounts { opened, leaf_pairs, triangle_pairs, .. } = counts;
        assert!(opened <= 128 && leaf_pairs <= 16 && triangle_pairs <= 128, "{counts:?} {pose:?}");
        assert!(found.upper - found.lower < 1e-13 * found.upper, "{found:?}");
    }

    #[test]
    fn bodies_far_apart_take_few_steps() {
        for (around, along) in [(48, 24), (96, 48)] {
            let ring = shapes::torus(1.0, 0.4, around, along).unwrap();
            for exponent in 3..60 {
                let translation = Vec3::new(0.8, 0.5, 0.33) * 10.0_f64.powi(exponent);
                check(
                    &ring,
                    &ring,
                    &Pose::from_quaternion([0.3, 0.2, -0.5, 0.8], translation).unwrap(),
                );
                check(&ring, &ring, &Pose::from_translation(translation).unwrap());
            }
        }
    }

    #[test]
    fn bodies_far_from_their_own_origins_take_few_steps() {
        let ring = shapes::torus(1.0, 0.4, 48, 24).unwrap();
        for own in [1e3, 1e6, 1e9, 1e12, 1e14] {
            let away = Pose::from_translation(Vec3::new(own, -0.3 * own, 0.7 * own)).unwrap();
            let there = ring.transformed(&away);
            for exponent in (3..60).step_by(2) {
                let translation = Vec3::new(0.8, 0.5, 0.33) * 10.0_f64.powi(exponent);
                let pose = Pose::from_translation(translation).unwrap();
                check(&there, &there, &pose);
                let rotated = Pose::from_quaternion([0.3, 0.2, -0.5, 0.8], translation).unwrap();
                if are_far(&ring, &there, &rotated) {
                    check(&ring, &there, &rotated);
                }
            }
        }
    }

    #[test]
    fn flat_faces_far_apart_take_few_steps() {
        // All triangles of two faces are equally far along the direction between them.
        let grid = shapes::cuboid_grid([1.0, 1.0, 1.0], [24, 24, 24]).unwrap();
        for exponent in (3..60).step_by(3) {
            for rotation in [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [1e-6, 0.0, 2e-6, 1.0]] {
                let translation = Vec3::X * 10.0_f64.powi(exponent);
                check(&grid, &grid, &Pose::from_quaternion(rotation, translation).unwrap());
            }
        }
    }
}
