//! How far apart boxes and sheets are at least: one of one tree against the eight of a node of the
//! other, in `f32` and never too much.
//!
//! Four kinds of bounds, the best of which counts: the gap of the boxes along the axes of either
//! frame, the gap of the sheets along either's normal, and the gap of both along one direction,
//! that from A to B where they are closest as far as is known. Derivation of the margins:
//! `docs/notes/distance.md`.

use crate::wide::{Lanes3, Wide, Wide3};

use super::node::{LocalBox, Node};
use super::relative::Map;
use super::sheet::{Heights, ONE, Sheet, Sheets, WideSheets};

/// What a search is after: pairs not further apart than a limit, and where to look for a gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// The limit in B's local unit, rounded up.
    pub(super) limit: f32,
    /// A direction from A to B in the local axes of A and of B, not longer than one; zero if none
    /// is known.
    pub(super) toward_a: [f32; 3],
    pub(super) toward_b: [f32; 3],
    /// The same in A's axes with all digits, neither rounded nor shortened.
    pub(super) toward: glam::DVec3,
}

/// A box with its sheet, as it lies in the frame of a node of the other tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct One {
    /// The box about it in the node's frame, grown by the margin.
    low: [f32; 3],
    high: [f32; 3],
    /// The box itself, in its own frame.
    own_low: [f32; 3],
    own_high: [f32; 3],
    /// The sheet in the node's frame and unit.
    center: [f32; 3],
    sheet: Sheet,
    /// How far it reaches in the direction of the node, in the node's frame and unit.
    top: f32,
}

impl One {
    /// A single box; `toward` leads towards the node in the box's axes, `toward_node` is the same
    /// in the node's.
    #[inline(always)]
    pub(super) fn new(
        own: &LocalBox,
        sheet: &Sheet,
        map: &Map,
        toward: &[f32; 3],
        toward_node: &[f32; 3],
    ) -> Self {
        let (c, h) = (&own.center, &own.half);
        let (center, extent) = (map.point(c), map.extent(h));
        let reach = toward[0].abs() * h[0] + toward[1].abs() * h[1] + toward[2].abs() * h[2];
        let cos = dot(toward, &sheet.normal);
        let sin = (ONE - cos * cos).max(0.0).sqrt();
        let flat = sheet.offset * cos + sheet.thick * cos.abs() + sheet.radius * sin;
        Self {
            low: [center[0] - extent[0], center[1] - extent[1], center[2] - extent[2]],
            high: [center[0] + extent[0], center[1] + extent[1], center[2] + extent[2]],
            own_low: [c[0] - h[0], c[1] - h[1], c[2] - h[2]],
            own_high: [c[0] + h[0], c[1] + h[1], c[2] + h[2]],
            center,
            sheet: sheet.moved(map),
            top: (dot(toward, c) + reach.min(flat)) * map.unit + dot(toward_node, &map.translation),
        }
    }
}

/// The eight of a node, each as [`One`].
#[derive(Clone, Debug)]
pub(super) struct Rows {
    low: Lanes3,
    high: Lanes3,
    own_low: Lanes3,
    own_high: Lanes3,
    center: Lanes3,
    sheets: Sheets,
    pub(super) top: [f32; 8],
    /// The slots that are not empty.
    pub(super) real: u32,
}

impl Rows {
    #[inline(always)]
    pub(super) fn new<W: Wide>(
        node: &Node,
        map: &Map,
        toward: &[f32; 3],
        toward_node: &[f32; 3],
    ) -> Self {
        let (c, h) = (Wide3::<W>::load(&node.center), Wide3::<W>::load(&node.half));
        let center = c.mapped(&map.rotation, Wide3::splat(map.translation));
        let extent = h.mapped(&map.size, Wide3::splat([map.margin; 3]));
        let unit = W::splat(map.unit);
        let shift = W::splat(dot(toward_node, &map.translation));
        Self {
            low: center.sub(extent).lanes(),
            high: center.add(extent).lanes(),
            own_low: c.sub(h).lanes(),
            own_high: c.add(h).lanes(),
            center: center.lanes(),
            sheets: WideSheets::<W>::load(&node.sheets).moved(map).sheets(),
            top: top::<W>(node, toward).mul_add(unit, shift).array(),
            real: node.real::<W>(),
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> One {
        One {
            low: self.low.get(i),
            high: self.high.get(i),
            own_low: self.own_low.get(i),
            own_high: self.own_high.get(i),
            center: self.center.get(i),
            sheet: self.sheets.get(i),
            top: self.top[i],
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

/// How far a node's eight reach along a direction not longer than one; the box or the sheet tells,
/// whichever reaches less far.
#[inline(always)]
fn top<W: Wide>(node: &Node, toward: &[f32; 3]) -> W {
    let n = Wide3::<W>::splat(*toward);
    let (c, h) = (Wide3::<W>::load(&node.center), Wide3::<W>::load(&node.half));
    let flat = WideSheets::<W>::load(&node.sheets).top(n);
    n.dot(c).add(n.abs().dot(h).min(flat))
}

/// The eight of a node, ready to be compared with one box after the other.
pub(super) struct Eight<W> {
    center: Wide3<W>,
    low: Wide3<W>,
    high: Wide3<W>,
    /// In the other tree's frame, grown by the margin.
    there_low: Wide3<W>,
    there_high: Wide3<W>,
    sheets: WideSheets<W>,
    /// How far they reach in the direction of the other tree.
    top: W,
    /// The slots that are not empty.
    real: u32,
    margin: W,
    /// The other tree's unit in this one's.
    unit: W,
}

impl<W: Wide> Eight<W> {
    /// `to_other` leads from the node's frame to the other tree's, `from_other` back; `toward`
    /// leads towards the other tree, in the node's axes.
    #[inline(always)]
    pub(super) fn new(node: &Node, to_other: &Map, from_other: &Map, toward: &[f32; 3]) -> Self {
        let (c, h) = (Wide3::<W>::load(&node.center), Wide3::<W>::load(&node.half));
        let center = c.mapped(&to_other.rotation, Wide3::splat(to_other.translation));
        let extent = h.mapped(&to_other.size, Wide3::splat([to_other.margin; 3]));
        Self {
            center: c,
            low: c.sub(h),
            high: c.add(h),
            there_low: center.sub(extent),
            there_high: center.add(extent),
            sheets: WideSheets::load(&node.sheets),
            top: top::<W>(node, toward),
            real: node.real::<W>(),
            margin: W::splat(from_other.margin),
            unit: W::splat(from_other.unit),
        }
    }

    /// Which of `tops`, of the other tree's eight, may be within the limit of any of these along
    /// the direction.
    #[inline(always)]
    pub(super) fn rows(&self, tops: &[f32; 8], limit: f32) -> u32 {
        let top = self.top.array();
        let mut most = f32::NEG_INFINITY;
        for k in 0..8 {
            let x = if self.real >> k & 1 != 0 { top[k] } else { f32::NEG_INFINITY };
            most = if x > most { x } else { most };
        }
        W::splat(-most).sub(W::load(tops)).sub(self.margin).le(W::splat(limit)).bits()
    }

    /// Lower bounds of the distances from one box of the other tree, in the node's unit, and which
    /// of them do not exceed the limit.
    #[inline(always)]
    pub(super) fn apart(&self, one: &One, limit: f32) -> (W, u32) {
        let zero = W::splat(0.0);
        let zeros = Wide3::splat([0.0; 3]);
        let limits = W::splat(limit);
        // Along the direction.
        let straight = zero.sub(self.top).sub(W::splat(one.top)).sub(self.margin);
        let mut near = straight.le(limits).bits() & self.real;
        if near == 0 {
            return (straight, 0);
        }
        // Along the axes of both frames.
        let gap = Wide3::<W>::splat(one.low)
            .sub(self.high)
            .max(self.low.sub(Wide3::splat(one.high)))
            .max(zeros);
        let there = Wide3::<W>::splat(one.own_low)
            .sub(self.there_high)
            .max(self.there_low.sub(Wide3::splat(one.own_high)))
            .max(zeros);
        let square = gap.dot(gap).max(there.dot(there).mul(self.unit).mul(self.unit));
        let apart = straight.max(square.sqrt());
        near &= apart.le(limits).bits();
        if near == 0 {
            return (apart, 0);
        }
        // Along the normals of both sheets.
        let delta = self.center.sub(Wide3::splat(one.center));
        let Heights { here, reach, there, reach_there } =
            self.sheets.heights(delta, &WideSheets::splat(&one.sheet), self.margin);
        let apart = apart.max(here.sub(reach)).max(there.sub(reach_there));
        (apart, near & apart.le(limits).bits())
    }
}

#[inline(always)]
fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
