//! The wide node: eight boxes and the links to their subtrees.

use crate::wide::{Lanes3, Wide};

use super::disc::{Disc, Discs};

/// The target of a slot of a node: a node, a leaf, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Link(u32);

impl Link {
    /// No target.
    pub const NONE: Self = Self(u32::MAX);
    const LEAF_BIT: u32 = 1 << 31;

    pub(super) fn node(index: usize) -> Self {
        debug_assert!(
            index < Self::LEAF_BIT as usize - 1,
            "a tree has fewer than 2^31 - 1 nodes and leaves"
        );
        Self(index as u32)
    }

    pub(super) fn leaf(index: usize) -> Self {
        debug_assert!(
            index < Self::LEAF_BIT as usize - 1,
            "a tree has fewer than 2^31 - 1 nodes and leaves"
        );
        Self(index as u32 | Self::LEAF_BIT)
    }

    /// The link after `nodes` nodes and `leaves` leaves were inserted before its target.
    pub(super) fn shifted(self, nodes: usize, leaves: usize) -> Self {
        if self.is_leaf() {
            Self::leaf(self.index() + leaves)
        } else {
            Self::node(self.index() + nodes)
        }
    }

    /// Links as plain numbers, for the vector code.
    #[inline(always)]
    pub(super) fn numbers(links: &[Self; 8]) -> [u32; 8] {
        let mut numbers = [0; 8];
        for k in 0..8 {
            numbers[k] = links[k].0;
        }
        numbers
    }

    /// The link as a number: the index, with the highest bit set for a leaf.
    #[inline(always)]
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(super) fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// The links that lead to leaves, as bits; empty links count as leaves.
    #[inline(always)]
    pub(super) fn leaves<W: Wide>(links: &[Self; 8]) -> u32 {
        W::high_bits(&Self::numbers(links))
    }

    /// As [`leaves`](Self::leaves), for the links at the given positions.
    #[inline(always)]
    pub(super) fn leaves_at<W: Wide>((links, positions): (&[Self; 8], &[u8; 8])) -> u32 {
        W::high_bits_at(&Self::numbers(links), positions)
    }

    /// Whether the target is a leaf; also true for [`Link::NONE`].
    #[inline(always)]
    #[must_use]
    pub fn is_leaf(self) -> bool {
        self.0 & Self::LEAF_BIT != 0
    }

    /// The index of the target in the array of the nodes or of the leaves.
    #[inline(always)]
    #[must_use]
    pub fn index(self) -> usize {
        (self.0 & !Self::LEAF_BIT) as usize
    }
}

/// Eight boxes side by side, in the tree's local frame, each stored as its centre and half its
/// sides, rounded outward; and the discs about their centres.
///
/// Empty slots have sides of negative infinity, which overlap nothing, and [`Link::NONE`].
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Node {
    /// The centres of the boxes.
    pub center: Lanes3,
    /// Half the sides of the boxes.
    pub half: Lanes3,
    /// The targets of the slots.
    pub link: [Link; 8],
    /// The discs about the centres of the boxes.
    pub discs: Discs,
    /// The box around all eight.
    pub bounds: LocalBox,
}

/// One box of a node, or of a whole tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalBox {
    /// The centre.
    pub center: [f32; 3],
    /// Half the sides.
    pub half: [f32; 3],
}

impl Node {
    pub(super) const EMPTY: Self = Self {
        center: Lanes3::splat(0.0),
        half: Lanes3::splat(f32::NEG_INFINITY),
        link: [Link::NONE; 8],
        discs: Discs::EMPTY,
        bounds: LocalBox { center: [0.0; 3], half: [f32::NEG_INFINITY; 3] },
    };

    /// The box of a slot.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, slot: usize) -> LocalBox {
        LocalBox { center: self.center.get(slot), half: self.half.get(slot) }
    }

    pub(super) fn set(&mut self, slot: usize, bounds: &LocalBox, disc: &Disc, link: Link) {
        self.center.set(slot, bounds.center);
        self.half.set(slot, bounds.half);
        self.discs.set(slot, disc);
        self.link[slot] = link;
    }
}

impl LocalBox {
    /// Half the sum of its sides: a cheap measure for comparing sizes.
    #[inline(always)]
    pub(super) fn size(&self) -> f32 {
        self.half[0] + self.half[1] + self.half[2]
    }

    /// Upper bound of the distance of its points from its centre.
    pub(super) fn reach(&self) -> f32 {
        // In f64: the squares of small sides underflow in f32.
        let squared: f64 = self.half.iter().map(|h| f64::from(*h) * f64::from(*h)).sum();
        round_up(squared.sqrt() * 1.000_001)
    }

    /// The smallest such box around `[min, max]`; its half sides are rounded up, so that it
    /// contains them.
    pub(super) fn around(min: [f64; 3], max: [f64; 3]) -> Self {
        let (mut center, mut half) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            let c = ((min[k] + max[k]) * 0.5) as f32;
            center[k] = c;
            half[k] = round_up((max[k] - f64::from(c)).max(f64::from(c) - min[k]));
        }
        Self { center, half }
    }
}

/// The smallest `f32` not below `x * (1 + 2^-50)`, for `x >= 0`: the factor covers the rounding of
/// the difference `x` itself.
fn round_up(x: f64) -> f32 {
    let x = x + x * 2.0_f64.powi(-50);
    let y = x as f32;
    if f64::from(y) >= x { y } else { f32::from_bits(y.to_bits() + 1) }
}
