//! Overlap test of two boxes by the parts of their edges inside each other (Zachmann 1994, sections
//! 3.6.1 and 3.6.2).
//!
//! Two convex bodies share a point only if an edge of one intersects the other. So the state of a
//! pair of boxes is 24 intervals: four edges along each of three axes, for each box. The edges
//! along axis `alpha` are a family. For edge `i` of a family, bit 0 of `i` selects the lower or
//! upper end of the first of the two other axes, bit 1 that of the second. The parameter of an edge
//! is the coordinate along `alpha` in the box's own frame.

use impinge::math::Aabb;

use super::BoxTree;
use super::counts::TraversalCounts;
use super::frames::{Frames, Map, shared};
use super::traverse::{BoxPair, Cut};

/// The two other axes of each axis.
const OTHERS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

/// An edge is parallel to a pair of planes if the component of its direction along their normal is
/// smaller than this: 2^-50.
const MIN_NORMAL_COMPONENT: f64 = f64::EPSILON * 4.0;

/// Precomputed quotients for clipping the edges of one box at the planes of the other. Constant for
/// a query. Indexed by the axis of the planes, then the family of edges.
#[derive(Clone, Debug)]
struct Table {
    /// The components of the directions of the edges.
    matrix: [[f64; 3]; 3],
    origin: [f64; 3],
    /// The reciprocal of the component of the family's direction, or zero if the family is parallel
    /// to the planes. The sign determines through which of the two planes the edges enter.
    inverse: [[f64; 3]; 3],
    /// The components of the directions of the two other families, divided by that of this family.
    quotient: [[[f64; 2]; 3]; 3],
    /// The margin, in units of the parameter.
    slack: [[f64; 3]; 3],
    margin: f64,
}

impl Table {
    fn new(frames: &Frames, side: usize) -> Self {
        let (map, margin) = (&frames.across[side], frames.margin[side]);
        let mut table = Self {
            matrix: map.matrix,
            origin: map.origin,
            inverse: [[0.0; 3]; 3],
            quotient: [[[0.0; 2]; 3]; 3],
            slack: [[0.0; 3]; 3],
            margin,
        };
        for plane in 0..3 {
            for family in 0..3 {
                let m = map.matrix[plane][family];
                if m.abs() >= MIN_NORMAL_COMPONENT {
                    table.inverse[plane][family] = 1.0 / m;
                    table.quotient[plane][family] =
                        OTHERS[family].map(|o| map.matrix[plane][o] / m);
                    table.slack[plane][family] = margin * (1.0 / m).abs();
                }
            }
        }
        table
    }

    /// The parameters at which the four edges of a family intersect a plane. For edges parallel to
    /// the plane, their coordinates along its normal. The four edges share the base and the four
    /// products.
    #[inline]
    fn intersections(&self, plane: usize, at: f64, family: usize, of: &Edges) -> [f64; 4] {
        let [j, k] = OTHERS[family];
        let inverse = self.inverse[plane][family];
        let (base, [p, q]) = if inverse == 0.0 {
            let m = &self.matrix[plane];
            (self.origin[plane], [-m[j], -m[k]])
        } else {
            ((at - self.origin[plane]) * inverse, self.quotient[plane][family])
        };
        let (low, high) = (base - of.lo[j] * p, base - of.hi[j] * p);
        let (near, far) = (of.lo[k] * q, of.hi[k] * q);
        [low - near, high - near, low - far, high - far]
    }

    /// The part of an edge inside a box, clipped at all six planes. `fixed` are the coordinates of
    /// the edge along the two other axes.
    fn clip(&self, family: usize, fixed: [f64; 2], ends: [f64; 2], at: &Edges) -> Option<[f64; 2]> {
        let [mut enter, mut leave] = ends;
        let [j, k] = OTHERS[family];
        for plane in 0..3 {
            let (inverse, extent) = (self.inverse[plane][family], at.hi[plane] - at.lo[plane]);
            if inverse == 0.0 {
                let m = &self.matrix[plane];
                let across = self.origin[plane] + m[j] * fixed[0] + m[k] * fixed[1];
                if across < at.lo[plane] - self.margin || across > at.hi[plane] + self.margin {
                    return None;
                }
                continue;
            }
            let [p, q] = self.quotient[plane][family];
            let low = ((at.lo[plane] - self.origin[plane]) * inverse - fixed[0] * p) - fixed[1] * q;
            let high = low + extent * inverse;
            let slack = self.slack[plane][family];
            enter = enter.max(low.min(high) - slack);
            leave = leave.min(low.max(high) + slack);
            if enter > leave {
                return None;
            }
        }
        Some([enter, leave])
    }
}

/// A box in its own frame, and the parts of its edges inside the other box.
#[derive(Clone, Copy, Debug)]
struct Edges {
    lo: [f64; 3],
    hi: [f64; 3],
    inside: [[[f64; 2]; 4]; 3],
    /// The edges that are not outside, as bits `4 * family + i`.
    alive: u16,
}

impl Edges {
    #[inline]
    fn set(&mut self, family: usize, i: usize, part: Option<[f64; 2]>) {
        let bit = 1 << (4 * family + i);
        match part {
            Some(part) => {
                self.inside[family][i] = part;
                self.alive |= bit;
            }
            None => self.alive &= !bit,
        }
    }

    /// Intersects the interval of an edge with `enter..leave`. Marks the edge as outside if nothing
    /// is left.
    #[inline]
    fn narrow(&mut self, family: usize, i: usize, enter: f64, leave: f64) {
        let part = &mut self.inside[family][i];
        *part = [part[0].max(enter), part[1].min(leave)];
        if part[0] > part[1] {
            self.alive &= !(1 << (4 * family + i));
        }
    }
}

/// The data common to all pairs of a query.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// The tables for the edges of A and for those of B.
    tables: [Table; 2],
    /// The map from B's frame to A's, and the margin of the common region there.
    map: Map,
    margin: f64,
}

/// A pair of boxes, A's first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clip([Edges; 2]);

impl BoxPair for Clip {
    type Context = Tables;

    fn context(frames: &Frames) -> Tables {
        Tables {
            tables: [Table::new(frames, 0), Table::new(frames, 1)],
            map: frames.across[1],
            margin: frames.aligned,
        }
    }

    fn root(
        tables: &Tables,
        a: &BoxTree,
        b: &BoxTree,
        counts: &mut impl TraversalCounts,
    ) -> Option<Self> {
        let start = |tree: &BoxTree| Edges {
            lo: tree.bounds.min.to_array(),
            hi: tree.bounds.max.to_array(),
            inside: [[[0.0; 2]; 4]; 3],
            alive: 0,
        };
        let mut pair = Self([start(a), start(b)]);
        for side in 0..2 {
            let other = pair.0[1 - side];
            let edges = &mut pair.0[side];
            for family in 0..3 {
                for i in 0..4 {
                    let fixed = [0, 1].map(|n| {
                        let axis = OTHERS[family][n];
                        if i >> n & 1 == 0 { edges.lo[axis] } else { edges.hi[axis] }
                    });
                    let ends = [edges.lo[family], edges.hi[family]];
                    counts.edges(6);
                    edges.set(family, i, tables.tables[side].clip(family, fixed, ends, &other));
                }
            }
        }
        counts.boxes();
        (pair.0[0].alive | pair.0[1].alive != 0).then_some(pair)
    }

    fn split(
        &self,
        Tables { tables, .. }: &Tables,
        Cut { side, axis, at: cut }: Cut,
        counts: &mut impl TraversalCounts,
    ) -> [Option<Self>; 2] {
        let (mut left, mut right) = (*self, *self);
        left.0[side].hi[axis] = cut;
        right.0[side].lo[axis] = cut;

        // The edges of the other box are clipped at one new plane, which both halves share.
        let (other, table) = (&self.0[1 - side], &tables[1 - side]);
        for family in 0..3 {
            let inside = other.alive >> (4 * family) & 15;
            if inside == 0 {
                continue;
            }
            counts.edges(u64::from(inside.count_ones()));
            let intersections = table.intersections(axis, cut, family, other);
            let inverse = table.inverse[axis][family];
            let slack = table.slack[axis][family];
            let (l, r) = (&mut left.0[1 - side], &mut right.0[1 - side]);
            for i in (0..4).filter(|i| inside >> i & 1 != 0) {
                let (minus, plus) = (intersections[i] - slack, intersections[i] + slack);
                if inverse > 0.0 {
                    l.narrow(family, i, f64::NEG_INFINITY, plus);
                    r.narrow(family, i, minus, f64::INFINITY);
                } else if inverse < 0.0 {
                    l.narrow(family, i, minus, f64::INFINITY);
                    r.narrow(family, i, f64::NEG_INFINITY, plus);
                } else {
                    // A parallel edge is on one side of the plane or, near the plane, on both.
                    if intersections[i] > cut + table.margin {
                        l.set(family, i, None);
                    }
                    if intersections[i] < cut - table.margin {
                        r.set(family, i, None);
                    }
                }
            }
        }

        // Of the edges of the box that is cut, those along the axis are divided, four are new in
        // each half, and four are unchanged.
        let (own, table) = (&self.0[side], &tables[side]);
        let (l, r) = (&mut left.0[side], &mut right.0[side]);
        for i in (0..4).filter(|i| own.alive >> (4 * axis + i) & 1 != 0) {
            l.narrow(axis, i, f64::NEG_INFINITY, cut);
            r.narrow(axis, i, cut, f64::INFINITY);
        }
        for family in OTHERS[axis] {
            // The index of the cut axis among the two other axes of the family.
            let place = usize::from(OTHERS[family][1] == axis);
            let third = OTHERS[family][1 - place];
            for (n, end) in [own.lo[third], own.hi[third]].into_iter().enumerate() {
                let fixed = if place == 0 { [cut, end] } else { [end, cut] };
                let ends = [own.lo[family], own.hi[family]];
                counts.edges(6);
                let part = table.clip(family, fixed, ends, &self.0[1 - side]);
                let low = n << (1 - place);
                l.set(family, low | 1 << place, part);
                r.set(family, low, part);
            }
        }
        [left, right].map(|pair| {
            counts.boxes();
            (pair.0[0].alive | pair.0[1].alive != 0).then_some(pair)
        })
    }

    fn region(&self, tables: &Tables) -> Aabb {
        let [a, b] = &self.0;
        shared(&a.lo, &a.hi, &tables.map.around(&b.lo, &b.hi), tables.margin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zachmann::box_tree::Options;
    use impinge::internals::Random;
    use impinge::math::{Aabb, Pose, Vec3};
    use impinge::{Mesh, shapes};

    fn tree(mesh: &Mesh) -> BoxTree {
        BoxTree::build(mesh, &Options { min_polygons: 1, ..Options::THESIS }).unwrap()
    }

    /// The largest gap along the separating axes: the three axes of each frame and the nine cross
    /// products.
    fn separating_gap(a: &Aabb, b: &Aabb, pose: &Pose) -> f64 {
        let (r, d) = (pose.rotation(), pose.transform_point(b.center()) - a.center());
        let (ha, hb) = (a.extent() * 0.5, b.extent() * 0.5);
        let axes_b = [r.x_axis, r.y_axis, r.z_axis];
        let mut axes = vec![Vec3::X, Vec3::Y, Vec3::Z];
        for e in [Vec3::X, Vec3::Y, Vec3::Z] {
            axes.extend(axes_b.map(|f| e.cross(f)));
        }
        axes.extend(axes_b);
        let mut gap = f64::NEG_INFINITY;
        for axis in axes.iter().filter(|v| v.length() > 1e-6) {
            let axis = axis.normalize();
            let reach =
                ha.dot(axis.abs()) + (0..3).map(|k| hb[k] * axes_b[k].dot(axis).abs()).sum::<f64>();
            gap = gap.max(d.dot(axis).abs() - reach);
        }
        gap
    }

    /// Follows random paths and compares each result with the separating-axis test of the boxes.
    #[test]
    fn inherited_intervals_agree_with_separating_axes() {
        let mesh = shapes::cuboid_grid([2.0, 3.0, 1.0], [3, 3, 3]).unwrap();
        let tree = tree(&mesh);
        let mut random = Random::new(4);
        let (mut overlapping, mut disjoint) = (0, 0);
        for round in 0..3000 {
            let turn =
                if round % 5 == 0 { [0.0, 0.0, 1.0, 1.0] } else { random.rotation().to_array() };
            let pose = Pose::from_quaternion(turn, random.in_cube() * 3.0).unwrap();
            let frames = Frames::new(&tree, &tree, &pose);
            let tables = Clip::context(&frames);
            let mut boxes = [tree.bounds; 2];
            let mut state = Clip::root(&tables, &tree, &tree, &mut ());
            for _ in 0..12 {
                let gap = separating_gap(&boxes[0], &boxes[1], &pose);
                if gap.abs() > 1e-6 {
                    assert_eq!(state.is_some(), gap < 0.0, "{gap} {boxes:?} {pose:?}");
                }
                let Some(pair) = state else {
                    disjoint += 1;
                    break;
                };
                overlapping += 1;
                let side = (random.bits() & 1) as usize;
                let axis = (random.bits() % 3) as usize;
                let (lo, hi) = (boxes[side].min[axis], boxes[side].max[axis]);
                let cut = lo + (hi - lo) * (0.25 + 0.5 * random.unit());
                let halves = pair.split(&tables, Cut { side, axis, at: cut }, &mut ());
                let half = (random.bits() & 1) as usize;
                if half == 0 {
                    boxes[side].max[axis] = cut;
                } else {
                    boxes[side].min[axis] = cut;
                }
                state = halves[half];
            }
        }
        assert!(overlapping > 1000 && disjoint > 1000, "{overlapping} {disjoint}");
    }
}
