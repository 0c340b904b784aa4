//! The input and the output of a broad phase: a [`FrameInput`] of boxes goes in; [`Changes`], the
//! pairs that began and ended to overlap, come out, with their [`Completeness`].

use super::BoxF32;
use crate::math::OrientedBox;

/// The boxes of all items in one frame. Items are numbered; an absent item has an empty box.
#[derive(Clone, Copy, Debug)]
pub struct FrameInput<'a> {
    /// The box of each item. The list may grow or shrink from frame to frame; an item beyond its
    /// end is absent.
    pub bounds: &'a [BoxF32],
    /// Oriented boxes of the same items, if a pair must overlap in these too. If the box of an item
    /// is not empty, neither is its oriented box, which lies in the box up to rounding. Either all
    /// frames have oriented boxes or none.
    pub oriented: Option<&'a [OrientedBox]>,
    /// Which boxes may differ from those of the last frame. A change of an item that is not listed
    /// here may be missed.
    pub moved: Moved<'a>,
}

/// The items whose boxes may differ from those of the last frame.
#[derive(Clone, Copy, Debug)]
pub enum Moved<'a> {
    /// All items.
    All,
    /// Only these, in any order. An item that did not move may be listed, and an item may be listed
    /// twice.
    Only(&'a [u32]),
}

/// Whether it is faster to process all items than only the moved ones.
#[must_use]
pub fn are_many(moved: usize, all: usize) -> bool {
    moved * 4 > all
}

/// Two items, the smaller number first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The smaller number.
    pub a: u32,
    /// The larger number.
    pub b: u32,
}

/// The changes since the last frame. The order is the same for the same sequence of frames, but
/// differs between broad phases, unless [`Changes::sort`] is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The pairs that started overlapping, each once.
    pub began: Vec<Pair>,
    /// The pairs that stopped overlapping, each once.
    pub ended: Vec<Pair>,
    /// Items that were not compared with all others, of an update that is not
    /// [complete](Completeness); in any order.
    pub pending: Vec<u32>,
}

/// Whether an update of a broad phase found all changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[must_use]
pub enum Completeness {
    /// All changes were found.
    #[default]
    Complete,
    /// The budget was spent. The reported changes are valid; pairs of the items in
    /// [`Changes::pending`], and of these alone, may be missing among those that began and those
    /// that ended. The next update continues with these items, also if they are not listed as
    /// moved.
    Incomplete,
}

impl FrameInput<'_> {
    /// Whether the boxes of two items share a point. Every broad phase reports the results of this
    /// test.
    #[inline]
    #[must_use]
    pub fn overlap(&self, a: u32, b: u32) -> bool {
        let (i, j) = (a as usize, b as usize);
        i < self.bounds.len()
            && j < self.bounds.len()
            && self.bounds[i].overlaps(&self.bounds[j])
            && self.oriented.is_none_or(|boxes| boxes[i].overlaps(&boxes[j]))
    }

    /// The box of an item; empty if the item is absent.
    #[inline]
    #[must_use]
    pub fn of(&self, item: u32) -> BoxF32 {
        self.bounds.get(item as usize).copied().unwrap_or(BoxF32::EMPTY)
    }
}

impl Pair {
    /// The pair of two different items, given in any order.
    #[inline]
    #[must_use]
    pub fn new(a: u32, b: u32) -> Self {
        debug_assert!(a != b, "item {a} cannot form a pair with itself");
        if a < b { Self { a, b } } else { Self { a: b, b: a } }
    }
}

impl Changes {
    /// Empties all lists and keeps their memory.
    pub fn clear(&mut self) {
        self.began.clear();
        self.ended.clear();
        self.pending.clear();
    }

    /// Sorts all lists by the numbers of the items.
    pub fn sort(&mut self) {
        self.began.sort_unstable();
        self.ended.sort_unstable();
        self.pending.sort_unstable();
    }
}
