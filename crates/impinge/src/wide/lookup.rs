//! Reads entries of a table at indices that were checked in advance.
#![allow(unsafe_code, reason = "reads without a check of each index; see the note at the block")]

/// Eight pairs of indices into a table.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Row {
    pub(crate) low: [u32; 8],
    pub(crate) high: [u32; 8],
}

impl Row {
    const ZERO: Self = Self { low: [0; 8], high: [0; 8] };
}

/// Rows of pairs of indices, with the length that a table must have to contain them all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    /// All indices are below this, or zero.
    bound: u32,
}

impl Rows {
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.bound = 0;
    }

    /// Sets the number of rows; new rows hold zeros.
    pub(crate) fn resize(&mut self, rows: usize) {
        self.rows.resize(rows, Row::ZERO);
    }

    /// Stores a pair of indices. Pairs are numbered consecutively through all rows.
    #[inline(always)]
    pub(crate) fn put(&mut self, pair: u32, low: u32, high: u32) {
        let row = &mut self.rows[pair as usize / 8];
        row.low[pair as usize % 8] = low;
        row.high[pair as usize % 8] = high;
        self.bound = self.bound.max(low.saturating_add(1)).max(high.saturating_add(1));
    }

    #[inline(always)]
    pub(crate) fn get(&self, pair: u32) -> [u32; 2] {
        let row = &self.rows[pair as usize / 8];
        [row.low[pair as usize % 8], row.high[pair as usize % 8]]
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>()
    }

    /// The rows as indices into a table.
    ///
    /// # Panics
    /// If an index is beyond the end of the table.
    pub(crate) fn lookup_in<'a, T>(&'a self, table: &'a [T]) -> Lookup<'a, T> {
        assert!(
            self.bound.max(1) as usize <= table.len(),
            "an index is beyond the end of the table"
        );
        // A saturated bound may be too small.
        assert!(self.bound < u32::MAX, "the largest index is not supported");
        Lookup { table, rows: &self.rows }
    }
}

/// A table, and rows of indices that are all within it.
#[derive(Debug)]
pub(crate) struct Lookup<'a, T> {
    table: &'a [T],
    rows: &'a [Row],
}

impl<T> Clone for Lookup<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Lookup<'_, T> {}

impl<'a, T> Lookup<'a, T> {
    /// A range of the rows.
    pub(crate) fn part(self, rows: std::ops::Range<usize>) -> Self {
        Self { table: self.table, rows: &self.rows[rows] }
    }

    #[inline(always)]
    pub(crate) fn rows(self) -> &'a [Row] {
        self.rows
    }

    /// The entries of each row.
    #[inline(always)]
    pub(crate) fn entries(self) -> impl Iterator<Item = ([&'a T; 8], [&'a T; 8])> {
        self.rows.iter().map(move |row| (self.at(&row.low), self.at(&row.high)))
    }

    #[inline(always)]
    fn at(self, indices: &[u32; 8]) -> [&'a T; 8] {
        // SAFETY: a `Lookup` is only made by `Rows::lookup_in`, from rows whose indices are all
        // zero or below the bound. It asserts that the table is at least as long as the bound, and
        // not empty. Rows and table are borrowed, so they have not changed since; and only rows of
        // this `Lookup` are passed to this function.
        std::array::from_fn(|n| unsafe { self.table.get_unchecked(indices[n] as usize) })
    }
}
