//! Functions of all items of an array or a list.
//!
//! `map` and `collect` of the standard library are three hundred lines of code to compile for each
//! closure: `map` of an array drops the items that are left if the closure panics, and `collect`
//! does not check the length of a list while it fills it. The functions here have twenty and eighty
//! lines. That of arrays is as fast; that of lists is for closures that take longer than a check.

use std::ops::Range;

/// Arrays of two to four items.
pub(crate) trait MapEach {
    type Item;
    /// An array of the same length.
    type Of<T>;

    /// As `map` of an array.
    fn map_each<T>(self, function: impl FnMut(Self::Item) -> T) -> Self::Of<T>;
}

impl<S> MapEach for [S; 2] {
    type Item = S;
    type Of<T> = [T; 2];

    #[inline]
    fn map_each<T>(self, mut function: impl FnMut(S) -> T) -> [T; 2] {
        let [a, b] = self;
        [function(a), function(b)]
    }
}

impl<S> MapEach for [S; 3] {
    type Item = S;
    type Of<T> = [T; 3];

    #[inline]
    fn map_each<T>(self, mut function: impl FnMut(S) -> T) -> [T; 3] {
        let [a, b, c] = self;
        [function(a), function(b), function(c)]
    }
}

impl<S> MapEach for [S; 4] {
    type Item = S;
    type Of<T> = [T; 4];

    #[inline]
    fn map_each<T>(self, mut function: impl FnMut(S) -> T) -> [T; 4] {
        let [a, b, c, d] = self;
        [function(a), function(b), function(c), function(d)]
    }
}

/// Lists of items or numbers.
pub(crate) trait MapToVec<S> {
    /// As `map` of an iterator, collected.
    fn map_to_vec<T>(self, function: impl FnMut(S) -> T) -> Vec<T>;
}

impl<'a, S> MapToVec<&'a S> for &'a [S] {
    fn map_to_vec<T>(self, mut function: impl FnMut(&'a S) -> T) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len());
        for item in self {
            all.push(function(item));
        }
        all
    }
}

impl MapToVec<usize> for Range<usize> {
    fn map_to_vec<T>(self, mut function: impl FnMut(usize) -> T) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len());
        for item in self {
            all.push(function(item));
        }
        all
    }
}

impl MapToVec<u32> for Range<u32> {
    fn map_to_vec<T>(self, mut function: impl FnMut(u32) -> T) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len());
        for item in self {
            all.push(function(item));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_mapped_in_order() {
        let mut seen = String::new();
        let mut note = |x: u32| {
            seen += &x.to_string();
            2 * x
        };
        assert_eq!([1, 2].map_each(&mut note), [2, 4]);
        assert_eq!([3, 4, 5].map_each(&mut note), [6, 8, 10]);
        assert_eq!([6, 7, 8, 9].map_each(&mut note), [12, 14, 16, 18]);
        assert_eq!(seen, "123456789");
    }

    #[test]
    fn lists_are_mapped_in_order() {
        assert_eq!((3..6_u32).map_to_vec(|x| 2 * x), [6, 8, 10]);
        assert!((3..3_usize).map_to_vec(|x| 2 * x).is_empty());
        assert_eq!([1, 2, 4].map_to_vec(|x| x + 1), [2, 3, 5]);
        assert_eq!(["a", "bc"].map_to_vec(|x| x.len()), [1, 2]);
    }
}
