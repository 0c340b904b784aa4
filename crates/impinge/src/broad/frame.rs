//! What a broad phase is told, and what it says.

use super::Bounds;
use crate::math::OrientedBox;

/// The boxes of all items at one moment. Items are numbered; one that is not there has an empty
/// box.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The box of each item. The list may grow or shrink from frame to frame; an item beyond its
    /// end is not there.
    pub bounds: &'a [Bounds],
    /// Oriented boxes of the same items, if pairs are to be told apart by these too. An item whose
    /// box is not empty has one that is not empty and lies in that box, to rounding. They are given
    /// in every frame or in none.
    pub oriented: Option<&'a [OrientedBox]>,
    /// Which boxes may differ from those of the last frame. An item that came, went or changed and
    /// is not named here may be missed.
    pub moved: Moved<'a>,
}

/// Which items have other boxes than in the last frame.
#[derive(Clone, Copy, Debug)]
pub enum Moved<'a> {
    /// Any of them.
    All,
    /// None but these, in any order; naming one that did not move does no harm, nor does naming one
    /// twice.
    Only(&'a [u32]),
}

/// Two items, the smaller number first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The smaller number.
    pub a: u32,
    /// The larger number.
    pub b: u32,
}

/// What is different from the last frame. The order is the same for the same sequence of frames,
/// but differs between broad phases; [`Changes::sort`] makes it one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Pairs that overlap now and did not before, each once.
    pub began: Vec<Pair>,
    /// Pairs that overlapped before and do not now, each once.
    pub ended: Vec<Pair>,
    /// Items that were not compared with all others, of an update that is not
    /// [complete](Completeness); in any order.
    pub pending: Vec<u32>,
}

/// Whether an update of a broad phase found all changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[must_use]
pub enum Completeness {
    /// It did.
    #[default]
    Complete,
    /// The budget was spent. The changes that were found hold; of the items in [`Changes::pending`],
    /// and of these alone, some pairs may be missing among those that began and those that ended.
    /// The next update goes on with them, whether they are named as moved again or not.
    Incomplete,
}

impl Frame<'_> {
    /// Whether the boxes of two items share a point: the one test that decides in every broad
    /// phase.
    #[inline]
    #[must_use]
    pub fn overlap(&self, a: u32, b: u32) -> bool {
        let (i, j) = (a as usize, b as usize);
        i < self.bounds.len()
            && j < self.bounds.len()
            && self.bounds[i].overlaps(&self.bounds[j])
            && self.oriented.is_none_or(|boxes| boxes[i].overlaps(&boxes[j]))
    }

    /// The box of an item; empty if the item is not there.
    #[inline]
    #[must_use]
    pub fn of(&self, item: u32) -> Bounds {
        self.bounds.get(item as usize).copied().unwrap_or(Bounds::EMPTY)
    }
}

impl Pair {
    /// Of two different items, in any order.
    #[inline]
    #[must_use]
    pub fn new(a: u32, b: u32) -> Self {
        debug_assert!(a != b, "item {a} does not pair with itself");
        if a < b { Self { a, b } } else { Self { a: b, b: a } }
    }
}

impl Changes {
    /// Forgets all, keeping the memory.
    pub fn clear(&mut self) {
        self.began.clear();
        self.ended.clear();
        self.pending.clear();
    }

    /// Puts all lists in the order of the items' numbers.
    pub fn sort(&mut self) {
        self.began.sort_unstable();
        self.ended.sort_unstable();
        self.pending.sort_unstable();
    }
}
