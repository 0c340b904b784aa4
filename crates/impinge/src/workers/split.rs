//! Lists that can be split into pieces for workers.

use std::ops::Range;

/// A list that can be split.
pub(crate) trait Split: Send + Sized {
    fn len(&self) -> usize;

    /// The first `at` items, or all if there are fewer, and the rest.
    fn split(self, at: usize) -> (Self, Self);
}

impl<T: Send> Split for &mut [T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn split(self, at: usize) -> (Self, Self) {
        let at = at.min(<[T]>::len(self));
        self.split_at_mut(at)
    }
}

impl<T: Sync> Split for &[T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn split(self, at: usize) -> (Self, Self) {
        self.split_at(at.min(<[T]>::len(self)))
    }
}

/// Consecutive numbers.
impl Split for Range<usize> {
    fn len(&self) -> usize {
        ExactSizeIterator::len(self)
    }

    fn split(self, at: usize) -> (Self, Self) {
        let middle = self.end.min(self.start.saturating_add(at));
        (self.start..middle, middle..self.end)
    }
}

/// Lists in parallel; the first one determines the length.
impl<A: Split, B: Split> Split for (A, B) {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn split(self, at: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.0.split(at), self.1.split(at));
        ((a, b), (c, d))
    }
}

/// A list in chunks of `size` items that are never split; the last chunk may be shorter. Lengths
/// count chunks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunks<L> {
    pub(crate) list: L,
    pub(crate) size: usize,
}

impl<L: Split> Split for Chunks<L> {
    fn len(&self) -> usize {
        self.list.len().div_ceil(self.size)
    }

    fn split(self, at: usize) -> (Self, Self) {
        let Self { list, size } = self;
        let (first, rest) = list.split(at.saturating_mul(size));
        (Self { list: first, size }, Self { list: rest, size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_split_between_chunks_and_lists_in_parallel_stay_aligned() {
        let items = [0_u8, 1, 2, 3, 4, 5, 6];
        let list = (0..3, Chunks { list: &items[..], size: 3 });
        assert_eq!((list.len(), list.1.len()), (3, 3));
        let (first, rest) = list.split(2);
        assert_eq!((first.0, first.1.list), (0..2, &items[..6]));
        assert_eq!((rest.0.clone(), rest.1.list), (2..3, &items[6..]));
        let (all, none) = rest.split(usize::MAX);
        assert_eq!(
            (all.0, all.1.list, none.0.is_empty(), none.1.len()),
            (2..3, &items[6..], true, 0)
        );
    }
}
