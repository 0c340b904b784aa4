//! Arrays of a few items, item by item.
//!
//! `map` of the standard library drops the items that are left if the closure panics, with three
//! hundred lines of code to compile for each closure. These functions have twenty.

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
}
