//! Lists that can be split.

use std::ops::Range;

/// A list that can be split.
pub(crate) trait List: Send + Sized {
    fn len(&self) -> usize;

    /// The first items, at most so many, and the rest.
    fn split(self, at: usize) -> (Self, Self);
}

impl<T: Send> List for &mut [T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn split(self, at: usize) -> (Self, Self) {
        let at = at.min(<[T]>::len(self));
        self.split_at_mut(at)
    }
}

impl<T: Sync> List for &[T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn split(self, at: usize) -> (Self, Self) {
        self.split_at(at.min(<[T]>::len(self)))
    }
}

/// Numbers in a row.
impl List for Range<usize> {
    fn len(&self) -> usize {
        ExactSizeIterator::len(self)
    }

    fn split(self, at: usize) -> (Self, Self) {
        let middle = self.end.min(self.start.saturating_add(at));
        (self.start..middle, middle..self.end)
    }
}

/// Lists side by side, as long as the first.
impl<A: List, B: List> List for (A, B) {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn split(self, at: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.0.split(at), self.1.split(at));
        ((a, b), (c, d))
    }
}

/// A list of which so many items at a time, but for the last, count as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunks<L> {
    pub(crate) list: L,
    pub(crate) size: usize,
}

impl<L: List> List for Chunks<L> {
    fn len(&self) -> usize {
        self.list.len().div_ceil(self.size)
    }

    fn split(self, at: usize) -> (Self, Self) {
        let Self { list, size } = self;
        let (first, rest) = list.split(at.saturating_mul(size));
        (Self { list: first, size }, Self { list: rest, size })
    }
}
