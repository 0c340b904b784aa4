//! Boxes in a hierarchy of grids, one for each power of two, stored in one hash table.
//!
//! A box is stored once: in the grid whose cells are larger than its longest side, in the cell of
//! its lower corner. A box that overlaps another one has its lower corner at most one cell before
//! the other box, so a search visits the cells of the other box and those before them, in every
//! grid that has boxes. Where these are more cells than the grid has boxes, it visits these boxes
//! instead.

use crate::arrays::MapEach;
use crate::broad::BoxF32;

/// Number of chains of the hash table. It is never enlarged, since that takes time proportional to
/// the number of boxes; chains become longer with more than about a hundred thousand boxes.
const CHAINS: usize = 1 << 17;

/// The index of a cell along an axis is at most about two to this power. The positions of boxes
/// that are far from the origin compared with their size have no more digits anyway.
const MAX_INDEX_BITS: i32 = 22;

/// The grid of boxes without a finite size, or with coordinates near the largest `f32`.
const UNBOUNDED: i16 = i16::MAX;

const NONE: u32 = u32::MAX;

/// A cell of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// Cells have sides of two to this power.
    level: i16,
    at: [i32; 3],
}

/// Where a box is stored.
#[derive(Clone, Copy, Debug)]
struct Place {
    cell: Cell,
    /// The neighbours in the chain.
    next: u32,
    previous: u32,
    /// The position in the list of the grid.
    position: u32,
}

/// All boxes of one size.
#[derive(Clone, Debug)]
struct Grid {
    level: i16,
    items: Vec<u32>,
}

/// The grids.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// The first box of each chain; empty until the first box is added.
    chains: Vec<u32>,
    /// The place of each item; `None` if it is not stored.
    places: Vec<Option<Place>>,
    /// In the order of first use. Few: one for each size of boxes.
    grids: Vec<Grid>,
}

/// Whether a visit of candidates is to continue.
pub(super) type Continue = bool;

impl Cell {
    /// The cell of a box that is not empty.
    fn of(bounds: &BoxF32) -> Self {
        let (min, max) = (bounds.min.map_each(f64::from), bounds.max.map_each(f64::from));
        let side = (0..3).map(|k| max[k] - min[k]).fold(0.0, f64::max);
        let far = (0..3).map(|k| min[k].abs().max(max[k].abs())).fold(0.0, f64::max);
        if !(side.is_finite() && far.is_finite()) {
            return Self { level: UNBOUNDED, at: [0; 3] };
        }
        // Cells are larger than the side; zero has the exponent of the smallest `f32`.
        let level = (exponent(side) + 1).max(exponent(far) - MAX_INDEX_BITS);
        let at = min.map_each(|x| (x * power_of_two(-level)).floor() as i32);
        Self { level: level as i16, at }
    }

    fn chain(self) -> usize {
        let [x, y, z] = self.at.map_each(|k| u64::from(k as u32));
        let mut hash = (x << 32 | y).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ (hash >> 29) ^ z ^ (self.level as u64) << 40)
            .wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (hash >> 40) as usize % CHAINS
    }
}

/// The exponent of a finite number of the range of `f32`, at least that of the smallest.
fn exponent(x: f64) -> i32 {
    const SMALLEST: i32 = -149;
    if x == 0.0 { SMALLEST } else { ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(SMALLEST) }
}

/// Two to a power between -1022 and 1023, exactly.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Cells {
    /// Makes room for items below `count`.
    pub(super) fn grow(&mut self, count: usize) {
        if self.places.len() < count {
            self.places.resize(count, None);
        }
        if self.chains.is_empty() {
            self.chains.resize(CHAINS, NONE);
        }
    }

    /// Stores an item, which may be stored already, by its box; an empty box is not stored.
    pub(super) fn set(&mut self, item: u32, bounds: &BoxF32) {
        let cell = (!bounds.is_empty()).then(|| Cell::of(bounds));
        if self.places[item as usize].map(|place| place.cell) == cell {
            return;
        }
        self.remove(item);
        let Some(cell) = cell else { return };
        let chain = cell.chain();
        let next = std::mem::replace(&mut self.chains[chain], item);
        if let Some(Some(next)) = self.places.get_mut(next as usize) {
            next.previous = item;
        }
        let items = self.items_of(cell.level);
        let position = items.len() as u32;
        items.push(item);
        self.places[item as usize] = Some(Place { cell, next, previous: NONE, position });
    }

    fn items_of(&mut self, level: i16) -> &mut Vec<u32> {
        let known = self.grids.iter().position(|grid| grid.level == level);
        let at = known.unwrap_or_else(|| {
            self.grids.push(Grid { level, items: Vec::new() });
            self.grids.len() - 1
        });
        &mut self.grids[at].items
    }

    fn remove(&mut self, item: u32) {
        let Some(place) = self.places[item as usize].take() else { return };
        if place.previous == NONE {
            self.chains[place.cell.chain()] = place.next;
        } else if let Some(previous) = &mut self.places[place.previous as usize] {
            previous.next = place.next;
        }
        if let Some(Some(next)) = self.places.get_mut(place.next as usize) {
            next.previous = place.previous;
        }
        let items = self.items_of(place.cell.level);
        items.swap_remove(place.position as usize);
        if let Some(moved) = items.get(place.position as usize).copied() {
            if let Some(moved) = &mut self.places[moved as usize] {
                moved.position = place.position;
            }
        }
    }

    /// Calls `visit` for every stored item whose box may overlap a box that is not empty, and for
    /// others, each once, until it returns false. Returns whether it never did.
    ///
    /// Boxes that were stored may have changed since; only the stored ones matter.
    pub(super) fn candidates(
        &self,
        bounds: &BoxF32,
        mut visit: impl FnMut(u32) -> Continue,
    ) -> Continue {
        for grid in &self.grids {
            if grid.items.is_empty() {
                continue;
            }
            let cells = range(bounds, grid.level);
            let visited = match cells.filter(|cells| count(cells) < grid.items.len() as f64) {
                None => grid.items.iter().all(|item| visit(*item)),
                Some([x, y, z]) => (x[0]..=x[1]).all(|x| {
                    (y[0]..=y[1]).all(|y| {
                        (z[0]..=z[1]).all(|z| {
                            self.visit_cell(Cell { level: grid.level, at: [x, y, z] }, &mut visit)
                        })
                    })
                }),
            };
            if !visited {
                return false;
            }
        }
        true
    }

    fn visit_cell(&self, cell: Cell, visit: &mut impl FnMut(u32) -> Continue) -> Continue {
        let mut item = self.chains[cell.chain()];
        while let Some(Some(place)) = self.places.get(item as usize) {
            if place.cell == cell && !visit(item) {
                return false;
            }
            item = place.next;
        }
        true
    }

    pub(super) fn bytes(&self) -> usize {
        let lists: usize = self.grids.iter().map(|g| g.items.capacity() * size_of::<u32>()).sum();
        self.chains.capacity() * size_of::<u32>()
            + self.places.capacity() * size_of::<Option<Place>>()
            + self.grids.capacity() * size_of::<Grid>()
            + lists
    }
}

/// The cells of a grid that may have boxes that overlap a box, as the first and the last index
/// along each axis; `None` for the grid of unbounded boxes.
fn range(bounds: &BoxF32, level: i16) -> Option<[[i32; 2]; 3]> {
    if level == UNBOUNDED {
        return None;
    }
    let scale = power_of_two(-i32::from(level));
    // No stored box has an index beyond these.
    let limit = f64::from(1 << (MAX_INDEX_BITS + 2));
    let index = |x: f32| (f64::from(x) * scale).floor().clamp(-limit, limit) as i32;
    Some([0, 1, 2].map_each(|k| [index(bounds.min[k]) - 1, index(bounds.max[k])]))
}

/// The number of cells of a range.
fn count(cells: &[[i32; 2]; 3]) -> f64 {
    cells.iter().map(|[first, last]| f64::from(last - first) + 1.0).product()
}
