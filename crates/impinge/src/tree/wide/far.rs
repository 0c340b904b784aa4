//! Near pairs of two meshes that are far apart, compared with their sizes.
//!
//! There, `f32` tells no two triangles from each other: their distances differ by less than its
//! rounding of the separation. So everything is in `f64`, and the separation is left out: with `n`
//! the direction between the meshes, a pair of boxes is at least `D + e` apart, where `D` is the
//! same number for all pairs and the excess `e` is computed from local coordinates, whose rounding
//! is in proportion to the meshes.
//!
//! The pair of least excess is opened next. A search for the minimum ends when no pair can have a
//! smaller certified lower bound than those that were measured: what `f64` cannot tell apart need
//! not be looked at. Derivation of the errors: `docs/notes/distance.md`.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use glam::DVec3;

use crate::closest;
use crate::math::{Pose, Vec3, direction};
use crate::mesh::Mesh;
use crate::sink::{NearPair, NearSink};

use super::Tree;
use super::node::{Link, LocalBox};
use super::overlap::Bounds;
use super::relative::{DENORMAL, LEAST_REACH};
use super::sheet::Sheet;
use crate::math::rounding::U;

/// Meshes whose middles are further apart than this many times the sum of their half diagonals are
/// far apart. From there on this is quicker than `f32`.
const FAR: f64 = 64.0;

/// Nodes whose sizes differ by less than this are opened both at once.
const ALIKE: f64 = 3.0;

/// Sizes below this share of the separation are nothing beside its rounding.
const NOTHING: f64 = 1.0 / (1_u128 << 100) as f64;

/// If rounding of moved vertices exceeds this share of the meshes' sizes, the boxes of B's tree are
/// of little use.
const COARSE: f64 = 1.0 / (1 << 16) as f64;

/// Where the slack exceeds this share of the meshes' sizes, a search of limited length is given up
/// at once: it would end in the middle of very many pairs.
const HOPELESS: f64 = 1.0 / 1024.0;

/// Whether two meshes are so far apart that [`Far`] is the quicker way to near pairs.
pub(crate) fn are_far(a: &Mesh, b: &Mesh, pose: &Pose) -> bool {
    if a.is_empty() || b.is_empty() {
        return false;
    }
    let (here, there) = (a.bounds(), b.bounds());
    let between = (pose.transform_point(there.center()) - here.center()).abs().max_element();
    // The sum of the sides is at most the square root of three times the diagonal.
    let sizes = 0.5 * (here.extent().element_sum() + there.extent().element_sum());
    between > FAR * sizes && between > f64::MIN_POSITIVE
}

/// How thorough a search is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchLimits {
    /// Pairs that are further apart than the sink's bound by more than this share of the separation
    /// are skipped. With zero, a pair may be missing whose lower bound is within the bound though
    /// its distance is not.
    pub(crate) slack: f64,
    /// The number of pairs of triangles after which the search is given up.
    pub(crate) most: usize,
}

/// Sends every pair of triangles of two meshes that are [far apart](are_far) whose certified lower
/// bound does not exceed the sink's bound to `sink`. `None`, having done nothing, for sizes that no
/// power of two brings near one.
pub(crate) fn near_far(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    sink: &mut dyn NearSink,
    limits: SearchLimits,
) -> Option<Effort> {
    let mut far = Far::new((a, a.tree()), (b, b.tree()), pose)?;
    if far.coarse {
        // Vertices are rounded so much that only where they are tells which is closest.
        let moved = b.transformed(pose);
        let there = Far::new((a, a.tree()), (&moved, moved.tree()), &Pose::IDENTITY);
        if let Some(mut far) = there {
            return Some(far.near(sink, limits));
        }
    }
    Some(far.near(sink, limits))
}

/// Two meshes that are far apart.
#[derive(Debug)]
struct Far<'a> {
    a: Side<'a>,
    b: Side<'a>,
    pose: &'a Pose,
    /// The way between the origins along the direction from A to B, in the unit of the search.
    apart: f64,
    /// The unit of the search, a power of two: lengths times this.
    scale: f64,
    /// The sum of the meshes' reaches.
    sizes: f64,
    /// How much less than `apart` and an excess the distance may be, for boxes and for triangles.
    box_error: f64,
    triangle_error: f64,
    /// How far centres may be off across the direction.
    aside_error: f64,
    /// Whether moved vertices are rounded so much that boxes of B's tree tell little.
    coarse: bool,
}

/// One of the two.
#[derive(Debug)]
struct Side<'a> {
    mesh: &'a Mesh,
    tree: &'a Tree,
    /// From the tree's local unit to that of the search.
    unit: f64,
    /// Towards the other mesh, in the axes of the tree, and two directions across it.
    ahead: DVec3,
    across: [DVec3; 2],
    /// The same direction in the frame of the query and times the scale, and where the tree's
    /// origin is there.
    way: Vec3,
    origin: Vec3,
    /// How far the subtrees that reach furthest do, from their triangles; sorted by the links'
    /// numbers.
    tops: Vec<(u32, f64)>,
}

/// How far a subtree reaches.
#[derive(Clone, Copy, Debug)]
struct Part {
    link: Link,
    /// Along the direction to the other mesh, from the tree's origin.
    top: f64,
    /// Where its middle is across that direction, and how far it reaches from there.
    aside: [f64; 2],
    reach: f64,
}

/// The leaf that reaches furthest so far.
struct Furthest {
    leaf: Link,
    top: f64,
    /// Less than this is no difference.
    error: f64,
    /// How far the subtrees that were looked at reach.
    tops: Vec<(u32, f64)>,
}

/// Two subtrees to look at.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Every point of the one is further from every point of the other than `apart` and this.
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
        // The least excess is the greatest step, so that the heap has it on top. Ties go to the
        // highest numbers, which are those of leaves, then of nodes further down: where very many
        // pairs are equally close, one of them is soon measured.
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

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Pairs of subtrees that were opened.
    pub(crate) opened: usize,
    /// Pairs of leaves.
    pub(crate) leaf_pairs: usize,
    /// Pairs of triangles whose closest points were looked for.
    pub(crate) triangle_pairs: usize,
    /// Whether there were more than the search was to look at.
    pub(crate) given_up: bool,
}

impl<'a> Far<'a> {
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
        let apart = toward.dot(between);
        let (reach_a, reach_b) = (tree_a.reach * frame_a.unit, tree_b.reach * frame_b.unit);
        let sizes = reach_a + reach_b;
        let usable = tree_a.reach.min(tree_b.reach) >= LEAST_REACH || sizes < NOTHING * apart;
        if !(usable && apart.is_finite() && apart > 8.0 * sizes) {
            return None;
        }
        let scale = power_of_two_over(sizes.max(NOTHING * apart))?;
        let across = {
            let side = toward.any_orthonormal_vector();
            [side, toward.cross(side)]
        };
        let back = pose.rotation().transpose();
        let sides = (
            Side {
                mesh: a,
                tree: tree_a,
                unit: frame_a.unit * scale,
                ahead: frame_a.turned(toward),
                across: across.map(|v| frame_a.turned(v)),
                way: toward * scale,
                origin: frame_a.origin,
                tops: Vec::new(),
            },
            Side {
                mesh: b,
                tree: tree_b,
                unit: frame_b.unit * scale,
                ahead: frame_b.turned(back * -toward),
                across: across.map(|v| frame_b.turned(back * v)),
                way: -toward * scale,
                origin: middle,
                tops: Vec::new(),
            },
        );
        // Where the pose is the identity, vertices are not rounded.
        let moved = if *pose == Pose::IDENTITY {
            0.0
        } else {
            let own = frame_b.origin.abs().max_element() + reach_b;
            2.0 * U * toward.abs().dot(middle.abs()) + 18.0 * U * own + DENORMAL
        };
        let common = 12.0 * U * apart + 32.0 * U * sizes + DENORMAL;
        Some(Self {
            a: sides.0,
            b: sides.1,
            pose,
            apart: apart * scale,
            sizes: sizes * scale,
            scale,
            box_error: (common + moved) * scale,
            triangle_error: common * scale,
            aside_error: 4.0 * (common + moved) * scale,
            coarse: moved > (8.0 * U * apart).max(COARSE * sizes),
        })
    }

    /// As [`near_far`].
    fn near(&mut self, sink: &mut dyn NearSink, limits: SearchLimits) -> Effort {
        let mut effort = Effort::default();
        // NaN asks for nothing, too.
        let wanted = sink.bound() >= 0.0;
        let (true, Some((_, a)), Some((_, b))) = (wanted, self.a.tree.root, self.b.tree.root)
        else {
            return effort;
        };
        let SearchLimits { slack, most } = limits;
        let slack = slack * self.apart;
        if most < usize::MAX && slack > HOPELESS * self.sizes {
            effort.given_up = true;
            return effort;
        }
        // The leaves that reach furthest first: for the minimum, that is nearly always all.
        let (error, pose) = (self.box_error, self.pose);
        let first = Step {
            excess: f64::NEG_INFINITY,
            a: self.a.support(a, error, |v| v),
            b: self.b.support(b, error, |v| pose.transform_point(v)),
        };
        if self.leaf_pair(&first, sink, slack, &mut effort).is_break() {
            return effort;
        }
        let mut open = BinaryHeap::new();
        let (here, there) = (self.a.single(a), self.b.single(b));
        open.push(Step { excess: self.excess(&here, &there), a, b });
        while let Some(step) = open.pop() {
            if step.excess > self.limit(sink, self.box_error + slack) {
                break;
            }
            if effort.triangle_pairs > most {
                effort.given_up = true;
                break;
            }
            if step.a.is_leaf() && step.b.is_leaf() {
                if step.key() != first.key()
                    && self.leaf_pair(&step, sink, slack, &mut effort).is_break()
                {
                    break;
                }
                continue;
            }
            effort.opened += 1;
            let (open_a, open_b) = self.opens(&step);
            let limit = self.limit(sink, self.box_error + slack);
            let mut parts = [Part::NONE; 8];
            let count = self.b.parts(step.b, open_b, &mut parts);
            let theirs = &parts[..count];
            let mut parts = [Part::NONE; 8];
            let count = self.a.parts(step.a, open_a, &mut parts);
            for here in &parts[..count] {
                for there in theirs {
                    if -(here.top + there.top) > limit {
                        continue;
                    }
                    let excess = self.excess(here, there);
                    if excess <= limit {
                        // A child may stick out of its parent by the rounding of boxes.
                        let excess = excess.max(step.excess);
                        open.push(Step { excess, a: here.link, b: there.link });
                    }
                }
            }
        }
        effort
    }

    /// Pairs of more excess are beyond the sink's bound, if their excess may be too large by
    /// `error`.
    #[inline]
    fn limit(&self, sink: &dyn NearSink, error: f64) -> f64 {
        sink.bound() * self.scale - self.apart + error
    }

    /// What of two subtrees is opened: both, unless one is a leaf or much smaller.
    fn opens(&self, step: &Step) -> (bool, bool) {
        if step.a.is_leaf() || step.b.is_leaf() {
            return (!step.a.is_leaf(), !step.b.is_leaf());
        }
        let size = |side: &Side<'_>, link: Link| {
            f64::from(side.tree.nodes[link.index()].own.size()) * side.unit
        };
        let (size_a, size_b) = (size(&self.a, step.a), size(&self.b, step.b));
        (size_a * ALIKE >= size_b, size_b * ALIKE >= size_a)
    }

    /// How much more than `apart` two subtrees are apart at least, up to `box_error`.
    #[inline]
    fn excess(&self, here: &Part, there: &Part) -> f64 {
        let straight = -(here.top + there.top);
        let (x, y) = (there.aside[0] - here.aside[0], there.aside[1] - here.aside[1]);
        let gap = (x * x + y * y).sqrt() - (here.reach + there.reach + self.aside_error);
        if gap <= 0.0 {
            return straight;
        }
        // The root of the sum of squares, less the longer side.
        let long = self.apart + straight;
        straight + gap * gap / ((long * long + gap * gap).sqrt() + long)
    }

    fn leaf_pair(
        &self,
        step: &Step,
        sink: &mut dyn NearSink,
        slack: f64,
        effort: &mut Effort,
    ) -> ControlFlow<()> {
        effort.leaf_pairs += 1;
        let (a, b) = (&self.a.tree.leaves[step.a.index()], &self.b.tree.leaves[step.b.index()]);
        let mut theirs = [([Vec3::ZERO; 3], 0.0); 8];
        for (lane, slot) in theirs.iter_mut().enumerate().take(b.count as usize) {
            let corners = self.b.mesh.triangle(b.triangles[lane] as usize);
            let corners = corners.map(|v| self.pose.transform_point(v));
            *slot = (corners, self.b.top(&corners));
        }
        let mut pairs = [(0.0, 0_u8, 0_u8); 64];
        let mut count = 0;
        let mut ours = [[Vec3::ZERO; 3]; 8];
        let limit = self.limit(sink, self.triangle_error + slack);
        for lane in 0..a.count as usize {
            ours[lane] = self.a.mesh.triangle(a.triangles[lane] as usize);
            let own = self.a.top(&ours[lane]);
            for (other, (_, top)) in theirs.iter().enumerate().take(b.count as usize) {
                let excess = -(own + top);
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
            effort.triangle_pairs += 1;
            let closest = closest::disjoint(&ours[i], &theirs[j].0);
            if closest.lower <= sink.bound() {
                sink.pair(&NearPair::new(a.triangles[i], b.triangles[j], closest))?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl Part {
    const NONE: Self = Self { link: Link::NONE, top: 0.0, aside: [0.0; 2], reach: 0.0 };
}

impl Side<'_> {
    fn part(&self, link: Link, of: (LocalBox, Sheet)) -> Part {
        let bounds = Bounds::new(of, self.unit);
        let known = self.tops.binary_search_by_key(&link.number(), |(known, _)| *known);
        let top = known.map_or_else(|_| bounds.interval(self.ahead).1, |at| self.tops[at].1);
        let aside = self.across.map(|v| v.dot(bounds.center));
        Part { link, top, aside, reach: bounds.half.length() }
    }

    /// How far a triangle, in the frame of the query, reaches.
    #[inline]
    fn top(&self, corners: &[Vec3; 3]) -> f64 {
        let [x, y, z] = corners.map(|v| self.way.dot(v - self.origin));
        x.max(y).max(z)
    }

    /// Finds out how far the whole reaches, up to the error, and with it the subtrees on the way
    /// there: boxes reach further than what is in them, and of all pairs of subtrees that reach too
    /// far on either side none can be told from the closest. Returns the leaf that reaches
    /// furthest.
    fn support(&mut self, root: Link, error: f64, at: impl Fn(Vec3) -> Vec3) -> Link {
        let mut furthest =
            Furthest { leaf: Link::NONE, top: f64::NEG_INFINITY, error, tops: Vec::new() };
        self.tops.clear();
        self.refine(root, &at, &mut furthest);
        self.tops = furthest.tops;
        self.tops.sort_unstable_by_key(|(link, _)| *link);
        furthest.leaf
    }

    /// How far a subtree reaches at most, by its triangles where it may reach further than the
    /// furthest so far.
    fn refine(&mut self, link: Link, at: &impl Fn(Vec3) -> Vec3, furthest: &mut Furthest) -> f64 {
        let mut top = f64::NEG_INFINITY;
        if link.is_leaf() {
            let leaf = &self.tree.leaves[link.index()];
            for triangle in &leaf.triangles[..leaf.count as usize] {
                let corners = self.mesh.triangle(*triangle as usize);
                top = top.max(self.top(&corners.map(at)));
            }
            if top > furthest.top {
                (furthest.leaf, furthest.top) = (link, top);
            }
        } else {
            let mut parts = [Part::NONE; 8];
            let count = self.parts(link, true, &mut parts);
            let parts = &mut parts[..count];
            parts.sort_by(|p, q| q.top.total_cmp(&p.top));
            for part in parts {
                let further = part.top > furthest.top + furthest.error;
                let own = if further { self.refine(part.link, at, furthest) } else { part.top };
                top = top.max(own);
            }
        }
        furthest.tops.push((link.number(), top));
        top
    }

    fn single(&self, link: Link) -> Part {
        self.part(link, self.tree.single(link))
    }

    /// The subtree itself, or those below it; how many there are.
    fn parts(&self, link: Link, open: bool, parts: &mut [Part; 8]) -> usize {
        if !open {
            parts[0] = self.single(link);
            return 1;
        }
        let node = &self.tree.nodes[link.index()];
        let mut count = 0;
        for (slot, below) in node.links() {
            parts[count] = self.part(below, (node.get(slot), node.sheets.get(slot)));
            count += 1;
        }
        count
    }
}

/// The power of two that brings `size` near one, if that and its inverse are normal numbers with
/// room for products.
fn power_of_two_over(size: f64) -> Option<f64> {
    let exponent = ((size.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    (-900..=900).contains(&exponent).then(|| 2.0_f64.powi(-exponent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    /// The least lower and upper bound so far, as a search for the minimum keeps them.
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

    fn least(a: &Mesh, b: &Mesh, pose: &Pose) -> (Least, Effort) {
        assert!(are_far(a, b, pose));
        let mut least = Least { lower: f64::INFINITY, upper: f64::INFINITY };
        let limits = SearchLimits { slack: 0.0, most: usize::MAX };
        let effort = near_far(a, b, pose, &mut least, limits).unwrap();
        (least, effort)
    }

    /// As many as at a thousand, where `f32` does as well: a hundred at most, of 5 or 85 million
    /// pairs.
    fn check(a: &Mesh, b: &Mesh, pose: &Pose) {
        let (found, effort) = least(a, b, pose);
        let Effort { opened, leaf_pairs, triangle_pairs, .. } = effort;
        assert!(opened <= 128 && leaf_pairs <= 16 && triangle_pairs <= 128, "{effort:?} {pose:?}");
        assert!(found.upper - found.lower < 1e-13 * found.upper, "{found:?}");
    }

    #[test]
    fn bodies_far_apart_do_not_take_a_look_at_every_pair() {
        for (around, along) in [(48, 24), (96, 48)] {
            let ring = shapes::torus(1.0, 0.4, around, along).unwrap();
            for exponent in 3..60 {
                let way = Vec3::new(0.8, 0.5, 0.33) * 10.0_f64.powi(exponent);
                check(&ring, &ring, &Pose::from_quaternion([0.3, 0.2, -0.5, 0.8], way).unwrap());
                check(&ring, &ring, &Pose::from_translation(way).unwrap());
            }
        }
    }

    #[test]
    fn bodies_far_from_their_own_origins_do_not_either() {
        let ring = shapes::torus(1.0, 0.4, 48, 24).unwrap();
        for own in [1e3, 1e6, 1e9, 1e12, 1e14] {
            let away = Pose::from_translation(Vec3::new(own, -0.3 * own, 0.7 * own)).unwrap();
            let there = ring.transformed(&away);
            for exponent in (3..60).step_by(2) {
                let way = Vec3::new(0.8, 0.5, 0.33) * 10.0_f64.powi(exponent);
                let pose = Pose::from_translation(way).unwrap();
                check(&there, &there, &pose);
                let turned = Pose::from_quaternion([0.3, 0.2, -0.5, 0.8], way).unwrap();
                if are_far(&ring, &there, &turned) {
                    check(&ring, &there, &turned);
                }
            }
        }
    }

    #[test]
    fn flat_faces_far_apart_do_not_either() {
        // All triangles of two faces are equally far along the way between them.
        let grid = shapes::cuboid_grid([1.0, 1.0, 1.0], [24, 24, 24]).unwrap();
        for exponent in (3..60).step_by(3) {
            for turn in [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [1e-6, 0.0, 2e-6, 1.0]] {
                let way = Vec3::X * 10.0_f64.powi(exponent);
                check(&grid, &grid, &Pose::from_quaternion(turn, way).unwrap());
            }
        }
    }
}
