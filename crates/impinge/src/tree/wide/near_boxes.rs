//! Lower bounds of the distances between one box with its disc and the eight of a node of the other
//! tree, in `f32`, rounded so that they never exceed the distances.
//!
//! The result is the largest of four kinds of bounds: the gap of the boxes along the axes of either
//! frame, the gap of the discs along either normal, and the gap of both along one direction, from A
//! to B between the closest points known so far. `docs/notes/distance.md` derives the margins.

use crate::wide::{Lanes3, Wide, Wide3};

use super::disc::{Disc, Discs, Heights, ONE_ROUNDED_UP, WideDiscs};
use super::node::{LocalBox, Node};
use super::relative::Map;

/// The goal of a search: pairs within a limit, and the direction along which gaps are computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// The limit in B's local unit, rounded up.
    pub(super) limit: f32,
    /// A direction from A to B in the local axes of A and of B, not longer than one; zero if none
    /// is known.
    pub(super) toward_a: [f32; 3],
    pub(super) toward_b: [f32; 3],
    /// The same direction in A's axes in `f64`, not shortened.
    pub(super) toward: glam::DVec3,
}

/// A box with its disc, transformed to the frame of a node of the other tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovedBox {
    /// The box around it along the node's axes, grown by the margin.
    low: [f32; 3],
    high: [f32; 3],
    /// The box itself, in its own frame.
    own_low: [f32; 3],
    own_high: [f32; 3],
    /// The disc in the node's frame and unit.
    center: [f32; 3],
    disc: Disc,
    /// Its support value in the direction of the node, in the node's frame and unit.
    support: f32,
}

impl MovedBox {
    /// Transforms a box. `toward` is the direction to the node in the axes of the box,
    /// `toward_node` the same in the node's.
    #[inline(always)]
    pub(super) fn new(
        own: &LocalBox,
        disc: &Disc,
        map: &Map,
        toward: &[f32; 3],
        toward_node: &[f32; 3],
    ) -> Self {
        let (c, h) = (&own.center, &own.half);
        let (center, extent) = (map.point(c), map.extent(h));
        let reach = toward[0].abs() * h[0] + toward[1].abs() * h[1] + toward[2].abs() * h[2];
        let cos = dot(toward, &disc.normal);
        let sin = (ONE_ROUNDED_UP - cos * cos).max(0.0).sqrt();
        let disc_reach = disc.offset * cos + disc.half_thickness * cos.abs() + disc.radius * sin;
        Self {
            low: [center[0] - extent[0], center[1] - extent[1], center[2] - extent[2]],
            high: [center[0] + extent[0], center[1] + extent[1], center[2] + extent[2]],
            own_low: [c[0] - h[0], c[1] - h[1], c[2] - h[2]],
            own_high: [c[0] + h[0], c[1] + h[1], c[2] + h[2]],
            center,
            disc: disc.moved(map),
            support: (dot(toward, c) + reach.min(disc_reach)) * map.unit
                + dot(toward_node, &map.translation),
        }
    }
}

/// The eight boxes of a node, each as a [`MovedBox`].
#[derive(Clone, Debug)]
pub(super) struct MovedBoxes {
    low: Lanes3,
    high: Lanes3,
    own_low: Lanes3,
    own_high: Lanes3,
    center: Lanes3,
    discs: Discs,
    pub(super) support: [f32; 8],
    /// The slots that are not empty.
    pub(super) real: u32,
}

impl MovedBoxes {
    #[inline(always)]
    pub(super) fn new<W: Wide>(
        node: &Node,
        map: &Map,
        toward: &[f32; 3],
        toward_node: &[f32; 3],
    ) -> Self {
        let (c, h) = (Wide3::<W>::load(&node.center), Wide3::<W>::load(&node.half));
        let center = c.mapped(&map.matrix, Wide3::splat(map.translation));
        let extent = h.mapped(&map.abs_matrix, Wide3::splat([map.margin; 3]));
        let unit = W::splat(map.unit);
        let shift = W::splat(dot(toward_node, &map.translation));
        Self {
            low: center.sub(extent).lanes(),
            high: center.add(extent).lanes(),
            own_low: c.sub(h).lanes(),
            own_high: c.add(h).lanes(),
            center: center.lanes(),
            discs: WideDiscs::<W>::load(&node.discs).moved(map).discs(),
            support: support::<W>(node, toward).mul_add(unit, shift).array(),
            real: node.real::<W>(),
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> MovedBox {
        MovedBox {
            low: self.low.get(i),
            high: self.high.get(i),
            own_low: self.own_low.get(i),
            own_high: self.own_high.get(i),
            center: self.center.get(i),
            disc: self.discs.get(i),
            support: self.support[i],
        }
    }
}

impl Node {
    /// The slots that are not empty, as bits.
    #[inline(always)]
    pub(super) fn real<W: Wide>(&self) -> u32 {
        W::splat(0.0).le(W::load(&self.half.x)).bits()
    }
}

/// Support values of a node's eight slots along a direction not longer than one: the smaller of the
/// box's and the disc's.
#[inline(always)]
fn support<W: Wide>(node: &Node, toward: &[f32; 3]) -> W {
    let n = Wide3::<W>::splat(*toward);
    let (c, h) = (Wide3::<W>::load(&node.center), Wide3::<W>::load(&node.half));
    let of_discs = WideDiscs::<W>::load(&node.discs).support(n);
    n.dot(c).add(n.abs().dot(h).min(of_discs))
}

/// The eight boxes of a node, prepared for comparison with boxes of the other tree.
pub(super) struct NodeBoxes<W> {
    center: Wide3<W>,
    low: Wide3<W>,
    high: Wide3<W>,
    /// The boxes along the other tree's axes, grown by the margin.
    there_low: Wide3<W>,
    there_high: Wide3<W>,
    discs: WideDiscs<W>,
    /// Their support values in the direction of the other tree.
    support: W,
    /// The slots that are not empty.
    real: u32,
    margin: W,
    /// The other tree's unit, measured in the unit of this one.
    unit: W,
}

impl<W: Wide> NodeBoxes<W> {
    /// `to_other` maps from the node's frame to the other tree's, `from_other` back; `toward` is
    /// the direction to the other tree in the node's axes.
    #[inline(always)]
    pub(super) fn new(node: &Node, to_other: &Map, from_other: &Map, toward: &[f32; 3]) -> Self {
        let (c, h) = (Wide3::<W>::load(&node.center), Wide3::<W>::load(&node.half));
        let center = c.mapped(&to_other.matrix, Wide3::splat(to_other.translation));
        let extent = h.mapped(&to_other.abs_matrix, Wide3::splat([to_other.margin; 3]));
        Self {
            center: c,
            low: c.sub(h),
            high: c.add(h),
            there_low: center.sub(extent),
            there_high: center.add(extent),
            discs: WideDiscs::load(&node.discs),
            support: support::<W>(node, toward),
            real: node.real::<W>(),
            margin: W::splat(from_other.margin),
            unit: W::splat(from_other.unit),
        }
    }

    /// The rows, given by the support values of the other tree's eight boxes, that may be within
    /// the limit of any of these boxes along the direction.
    #[inline(always)]
    pub(super) fn rows_within(&self, supports: &[f32; 8], limit: f32) -> u32 {
        let support = self.support.array();
        let mut largest = f32::NEG_INFINITY;
        for k in 0..8 {
            let x = if self.real >> k & 1 != 0 { support[k] } else { f32::NEG_INFINITY };
            largest = if x > largest { x } else { largest };
        }
        W::splat(-largest).sub(W::load(supports)).sub(self.margin).le(W::splat(limit)).bits()
    }

    /// Lower bounds of the distances from one box of the other tree, in the node's unit, and a mask
    /// of those that do not exceed the limit.
    #[inline(always)]
    pub(super) fn lower_bounds(&self, single: &MovedBox, limit: f32) -> (W, u32) {
        let zero = W::splat(0.0);
        let zeros = Wide3::splat([0.0; 3]);
        let limits = W::splat(limit);
        // Along the direction.
        let along_direction = zero.sub(self.support).sub(W::splat(single.support)).sub(self.margin);
        let mut near = along_direction.le(limits).bits() & self.real;
        if near == 0 {
            return (along_direction, 0);
        }
        // Along the axes of both frames.
        let gap = Wide3::<W>::splat(single.low)
            .sub(self.high)
            .max(self.low.sub(Wide3::splat(single.high)))
            .max(zeros);
        let there = Wide3::<W>::splat(single.own_low)
            .sub(self.there_high)
            .max(self.there_low.sub(Wide3::splat(single.own_high)))
            .max(zeros);
        let square = gap.dot(gap).max(there.dot(there).mul(self.unit).mul(self.unit));
        let lower = along_direction.max(square.sqrt());
        near &= lower.le(limits).bits();
        if near == 0 {
            return (lower, 0);
        }
        // Along the normals of both discs.
        let delta = self.center.sub(Wide3::splat(single.center));
        let Heights { along_other, reach_along_other, along_own, reach_along_own } =
            self.discs.heights(delta, &WideDiscs::splat(&single.disc), self.margin);
        let lower =
            lower.max(along_other.sub(reach_along_other)).max(along_own.sub(reach_along_own));
        (lower, near & lower.le(limits).bits())
    }
}

#[inline(always)]
fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
