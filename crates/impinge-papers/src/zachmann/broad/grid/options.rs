//! How a grid is laid out, and what it says of itself.

use super::super::Entry;
use impinge::math::Aabb;

/// The most cells of an item, whatever the options say: an infinite box in a fine grid would
/// otherwise take a place in every one.
pub(super) const MOST_CELLS_OF_AN_ITEM: u32 = 1 << 15;

/// How a [`Grid`](super::Grid) is laid out.
///
/// ```
/// use impinge::broad::{Entry, Grid, GridOptions};
/// use impinge::{Aabb, Vec3};
///
/// let cage = Aabb::from_corners(Vec3::ZERO, Vec3::splat(10.0));
/// let grid = Grid::with(GridOptions { entry: Entry::Oriented, ..GridOptions::fixed(cage, 32) });
/// assert_eq!(grid.stats().cells, [32; 3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridOptions {
    /// Where the cells lie. Boxes outside of it are in the cells at its border. `None`: where most
    /// boxes are, chosen anew when many have left.
    pub domain: Option<Aabb>,
    /// The number of cells on each axis, at most 1024, and at most 2^24 in all; where more are
    /// asked for, the axes with the most get fewer. `None`: from the number of boxes and their
    /// median size.
    pub cells: Option<[u32; 3]>,
    /// By which box items are entered.
    pub entry: Entry,
    /// Items with more cells than this, or with more than 2^15, are kept in a list of their own,
    /// and compared with everything.
    pub large: u32,
}

impl Default for GridOptions {
    /// All chosen from the boxes, which are entered as axis-aligned ones.
    fn default() -> Self {
        Self { domain: None, cells: None, entry: Entry::Aligned, large: 1000 }
    }
}

impl GridOptions {
    /// All chosen from the boxes, which are entered as oriented ones.
    #[must_use]
    pub fn oriented() -> Self {
        Self { entry: Entry::Oriented, ..Self::default() }
    }

    /// The grid of the thesis: a cage, and as many cells on each axis; every item of at most 2^15
    /// cells is in them.
    #[must_use]
    pub fn fixed(cage: Aabb, cells: u32) -> Self {
        Self { domain: Some(cage), cells: Some([cells; 3]), large: u32::MAX, ..Self::default() }
    }
}

/// What a [`Grid`](super::Grid) holds, and what its last update cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridStats {
    /// The cells on each axis.
    pub cells: [u32; 3],
    /// Cells with an item.
    pub occupied: usize,
    /// The lengths of all cells' lists.
    pub entries: usize,
    /// Items in the list of large ones.
    pub large: usize,
    /// Cells entered and left in the last update.
    pub touched: usize,
    /// Comparisons of two boxes in the last update. Where few items moved, time-stamps have taken
    /// out what was seen before.
    pub compared: usize,
    /// How often the cells have been chosen anew.
    pub layouts: u32,
}

impl GridStats {
    /// Items in a cell on average, over all cells.
    #[must_use]
    pub fn mean_entries(&self) -> f64 {
        let cells: f64 = self.cells.iter().map(|n| f64::from(*n)).product();
        if cells > 0.0 { self.entries as f64 / cells } else { 0.0 }
    }
}
