//! Entries of a table at places that are checked many at a time.
#![allow(unsafe_code, reason = "reading what was checked; see the note at the block")]

use super::Wide;

/// Eight pairs of places in a table.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Row {
    pub(crate) low: [u32; 8],
    pub(crate) high: [u32; 8],
}

/// A table, and rows of places that are all in it.
pub(crate) struct Lookup<'a, T> {
    table: &'a [T],
    rows: &'a [Row],
}

impl<'a, T> Lookup<'a, T> {
    /// # Panics
    /// If one of the places is beyond the end of the table.
    #[inline(always)]
    pub(crate) fn new<W: Wide>(table: &'a [T], rows: &'a [Row]) -> Self {
        let bound = u32::try_from(table.len()).unwrap_or(u32::MAX);
        let mut inside = true;
        for row in rows {
            inside &= W::are_below(&row.low, bound) & W::are_below(&row.high, bound);
        }
        assert!(inside, "a place is beyond the end of the table");
        Self { table, rows }
    }

    /// The entries of each row.
    #[inline(always)]
    pub(crate) fn rows(&self) -> impl Iterator<Item = ([&'a T; 8], [&'a T; 8])> {
        self.rows.iter().map(|row| (self.entries(&row.low), self.entries(&row.high)))
    }

    #[inline(always)]
    fn entries(&self, places: &[u32; 8]) -> [&'a T; 8] {
        // SAFETY: the rows are borrowed and unchanged since all their places were found to be in the table; only rows come here.
        std::array::from_fn(|n| unsafe { self.table.get_unchecked(places[n] as usize) })
    }
}
