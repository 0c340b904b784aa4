//! Entries of a table at places that are known to be there.
#![allow(unsafe_code, reason = "reading what was checked; see the note at the block")]

/// Eight pairs of places in a table.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Row {
    pub(crate) low: [u32; 8],
    pub(crate) high: [u32; 8],
}

impl Row {
    const ZERO: Self = Self { low: [0; 8], high: [0; 8] };
}

/// Rows of pairs of places that know how long a table must be to have them all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    /// All places are below this, or zero.
    bound: u32,
}

impl Rows {
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.bound = 0;
    }

    /// Makes so many rows of them; those that are new hold zeros.
    pub(crate) fn resize(&mut self, rows: usize) {
        self.rows.resize(rows, Row::ZERO);
    }

    /// Sets one of the pairs, which are numbered through all rows.
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

    /// The rows as places in a table.
    ///
    /// # Panics
    /// If the table is too short for one of them.
    pub(crate) fn lookup_in<'a, T>(&'a self, table: &'a [T]) -> Lookup<'a, T> {
        assert!(
            self.bound.max(1) as usize <= table.len(),
            "a place is beyond the end of the table"
        );
        // A bound that could not count further would not be one.
        assert!(self.bound < u32::MAX, "a place is beyond what a bound can tell");
        Lookup { table, rows: &self.rows }
    }
}

/// A table, and rows of places that are all in it.
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
    /// Some of the rows.
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
        self.rows.iter().map(move |row| (self.of(&row.low), self.of(&row.high)))
    }

    #[inline(always)]
    fn of(self, places: &[u32; 8]) -> [&'a T; 8] {
        // SAFETY: a `Lookup` is only made by `Rows::lookup_in`, of rows whose places are all zero or
        // below the bound, which was found to be at most the length of the table, as was one; rows
        // and table are borrowed and so unchanged since. Only these rows come here.
        std::array::from_fn(|n| unsafe { self.table.get_unchecked(places[n] as usize) })
    }
}
