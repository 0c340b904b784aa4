//! The layout of a grid, and its statistics.

use super::super::Entry;
use impinge::math::Aabb;

/// The maximum number of cells of an item with any options: otherwise an infinite box in a fine
/// grid would be entered in every cell.
pub(super) const MAX_CELLS_PER_ITEM: u32 = 1 << 15;

/// The layout of a [`Grid`](super::Grid).
///
/// ```
/// use impinge::{Aabb, Vec3};
/// use impinge_papers::zachmann::broad::{Entry, Grid, GridOptions};
///
/// let domain = Aabb::from_corners(Vec3::ZERO, Vec3::splat(10.0));
/// let grid = Grid::with(GridOptions::fixed(domain, 32).entry(Entry::Oriented));
/// assert_eq!(grid.stats().cells, [32; 3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GridOptions {
    /// The region that is cut into cells. Boxes outside it are in the cells at its border. `None`:
    /// where most boxes are, chosen again when many have left.
    pub domain: Option<Aabb>,
    /// The number of cells on each axis, at most 1024, with a product of at most 2^24; if there
    /// would be more, the axes with the most get fewer. `None`: from the number of boxes and their
    /// median size.
    pub cells: Option<[u32; 3]>,
    /// The kind of box by which items are entered.
    pub entry: Entry,
    /// Items with more cells than this, or with more than 2^15, are kept in a separate list and
    /// compared with all items.
    pub large: u32,
}

impl GridOptions {
    /// With this [`domain`](Self#structfield.domain).
    #[must_use]
    pub fn domain(self, domain: impl Into<Option<Aabb>>) -> Self {
        Self { domain: domain.into(), ..self }
    }

    /// With these [`cells`](Self#structfield.cells).
    #[must_use]
    pub fn cells(self, cells: impl Into<Option<[u32; 3]>>) -> Self {
        Self { cells: cells.into(), ..self }
    }

    /// With this kind of [`entry`](Self#structfield.entry).
    #[must_use]
    pub fn entry(self, entry: Entry) -> Self {
        Self { entry, ..self }
    }

    /// With this number of cells of [`large`](Self#structfield.large) items.
    #[must_use]
    pub fn large(self, large: u32) -> Self {
        Self { large, ..self }
    }
}

impl Default for GridOptions {
    /// Everything chosen from the boxes; items are entered by their axis-aligned boxes.
    fn default() -> Self {
        Self { domain: None, cells: None, entry: Entry::Aligned, large: 1000 }
    }
}

impl GridOptions {
    /// Everything chosen from the boxes; items are entered by their oriented boxes.
    #[must_use]
    pub fn oriented() -> Self {
        Self { entry: Entry::Oriented, ..Self::default() }
    }

    /// The grid of the thesis: a fixed domain, and the same number of cells on each axis; items
    /// with at most 2^15 cells are entered into them.
    #[must_use]
    pub fn fixed(domain: Aabb, cells: u32) -> Self {
        Self { domain: Some(domain), cells: Some([cells; 3]), large: u32::MAX, ..Self::default() }
    }
}

/// The size of a [`Grid`](super::Grid), and the work of its last update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridStats {
    /// The number of cells on each axis.
    pub cells: [u32; 3],
    /// Cells with at least one item.
    pub occupied: usize,
    /// The sum of the lengths of the lists of all cells.
    pub entries: usize,
    /// Items in the list of large ones.
    pub large: usize,
    /// Cells that items were added to or removed from in the last update.
    pub touched: usize,
    /// Comparisons of two boxes in the last update. If few items moved, time-stamps exclude pairs
    /// that were compared before.
    pub compared: usize,
    /// How often new cells have been chosen.
    pub layouts: u32,
}

impl GridStats {
    /// The mean number of items in a cell, over all cells.
    #[must_use]
    pub fn mean_entries(&self) -> f64 {
        let cells: f64 = self.cells.iter().map(|n| f64::from(*n)).product();
        if cells > 0.0 { self.entries as f64 / cells } else { 0.0 }
    }
}
