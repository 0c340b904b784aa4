//! A tree of cells with lists of items, for the octree and its generalisation to slabs (Zachmann
//! 1994, sections 5.4 and 5.6).
//!
//! The tree is complete: all cells down to the last level are allocated from the start, in one
//! array, with the children of cell `n` from `n * BRANCHES + 1` on. Each item has an array of the
//! cells that it is attached to ("octant arrays", figure 5.11), by which its neighbours are found:
//! they are attached to the same cell, to a cell above it, or to a cell below it.

use impinge::internals::Stamps;
use impinge::internals::broad::{List, Lists};

/// The maximum number of cells of a tree.
pub(super) const MAX_CELLS: usize = 3_000_000;

/// All cells, and the items that are attached to them.
#[derive(Clone, Debug)]
pub(super) struct CellTree {
    branches: u32,
    cells: Vec<Cell>,
    lists: Lists,
    /// The cells of each item, none twice and none above another.
    of_item: Vec<List>,
    item_lists: Lists,
    visited: Stamps,
    stack: Vec<u32>,
    /// Items attached to cells and detached from them since the last reset of this number.
    pub(super) touched: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    items: List,
    /// The number of entries in all cells below.
    below: u32,
}

impl CellTree {
    /// The root and `depth` levels below it, or fewer if there would be too many cells.
    pub(super) fn new(branches: u32, depth: u32) -> Self {
        let depth = depth.min(Self::max_depth(branches));
        let cells = vec![Cell::default(); count(branches, depth)];
        let mut visited = Stamps::default();
        visited.reserve(cells.len());
        Self {
            branches,
            cells,
            lists: Lists::default(),
            of_item: Vec::new(),
            item_lists: Lists::default(),
            visited,
            stack: Vec::new(),
            touched: 0,
        }
    }

    /// The maximum number of levels below the root.
    pub(super) fn max_depth(branches: u32) -> u32 {
        (0..).take_while(|d| count(branches, *d) <= MAX_CELLS).last().unwrap_or(0)
    }

    /// Makes space for items below `count`.
    pub(super) fn reserve(&mut self, count: usize) {
        if self.of_item.len() < count {
            self.of_item.resize(count, List::default());
        }
    }

    /// The first child of a cell.
    #[inline]
    pub(super) fn child(&self, cell: u32) -> u32 {
        cell * self.branches + 1
    }

    /// Attaches an item to a cell that it is not attached to.
    pub(super) fn attach(&mut self, item: u32, cell: u32) {
        self.item_lists.push(&mut self.of_item[item as usize], cell);
        self.enter(item, cell);
    }

    /// Detaches an item from a cell.
    pub(super) fn detach(&mut self, item: u32, cell: u32) {
        let was_attached = self.item_lists.remove(&mut self.of_item[item as usize], cell);
        debug_assert!(was_attached, "item {item} is not attached to cell {cell}");
        self.leave(item, cell);
    }

    /// Attaches an item to exactly these cells. Nothing is done for those that it has already.
    pub(super) fn attach_to(&mut self, item: u32, cells: &[u32]) {
        self.visited.clear();
        for cell in cells {
            self.visited.mark(*cell);
        }
        let mut own = std::mem::take(&mut self.of_item[item as usize]);
        let item_lists = std::mem::take(&mut self.item_lists);
        let mut kept = 0;
        for cell in item_lists.numbers(own) {
            if self.visited.unmark(cell) {
                kept += 1;
            } else {
                self.leave(item, cell);
            }
        }
        self.item_lists = item_lists;
        if kept < cells.len() || kept < own.len() {
            self.item_lists.clear(&mut own);
            for &cell in cells {
                self.item_lists.push(&mut own, cell);
                if self.visited.has(cell) {
                    self.enter(item, cell);
                }
            }
        }
        self.of_item[item as usize] = own;
    }

    fn enter(&mut self, item: u32, cell: u32) {
        self.touched += 1;
        self.lists.push(&mut self.cells[cell as usize].items, item);
        self.count_above(cell, 1);
    }

    fn leave(&mut self, item: u32, cell: u32) {
        self.touched += 1;
        let was_in_cell = self.lists.remove(&mut self.cells[cell as usize].items, item);
        debug_assert!(was_in_cell, "item {item} is not in cell {cell}");
        self.count_above(cell, -1);
    }

    fn count_above(&mut self, mut cell: u32, by: i32) {
        while cell > 0 {
            cell = (cell - 1) / self.branches;
            let below = &mut self.cells[cell as usize].below;
            *below = below.wrapping_add_signed(by);
        }
    }

    /// Calls `found` with each item that shares a cell with this one, itself included; with some of
    /// them several times.
    pub(super) fn neighbours(&mut self, item: u32, mut found: impl FnMut(u32)) {
        let Self { branches, cells, lists, of_item, item_lists, visited, stack, .. } = self;
        visited.clear();
        for cell in item_lists.numbers(of_item[item as usize]) {
            // The items attached to the cells above, up to one that was visited from another cell
            // of this item.
            let mut above = cell;
            while above > 0 {
                above = (above - 1) / *branches;
                if !visited.mark(above) {
                    break;
                }
                lists.numbers(cells[above as usize].items).for_each(&mut found);
            }
            stack.push(cell);
            while let Some(cell) = stack.pop() {
                let Cell { items, below } = cells[cell as usize];
                lists.numbers(items).for_each(&mut found);
                if below > 0 {
                    let first = cell * *branches + 1;
                    stack.extend((first..first + *branches).filter(|c| {
                        let c = &cells[*c as usize];
                        c.below > 0 || !c.items.is_empty()
                    }));
                }
            }
        }
    }

    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The entries of each level, from the root down, and the number of cells that have some.
    pub(super) fn levels(&self) -> (Vec<usize>, usize) {
        let (mut levels, mut occupied) = (vec![0], 0);
        let (mut end, mut width) = (1, 1);
        for (n, cell) in self.cells.iter().enumerate() {
            if n == end {
                width *= self.branches as usize;
                end += width;
                levels.push(0);
            }
            let level = levels.len() - 1;
            levels[level] += cell.items.len();
            occupied += usize::from(!cell.items.is_empty());
        }
        (levels, occupied)
    }

    pub(super) fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
            + self.of_item.capacity() * size_of::<List>()
            + self.stack.capacity() * size_of::<u32>()
            + self.lists.bytes()
            + self.item_lists.bytes()
            + self.visited.bytes()
    }
}

/// The number of cells of a complete tree.
fn count(branches: u32, depth: u32) -> usize {
    (0..=depth).fold(0_usize, |n, level| {
        n.saturating_add((branches as usize).checked_pow(level).unwrap_or(usize::MAX))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::Random;
    use std::collections::BTreeSet;

    #[test]
    fn neighbours_are_in_the_same_cell_above_it_or_below_it() {
        let mut random = Random::new(12);
        let mut tree = CellTree::new(5, 3);
        assert_eq!(
            (tree.len(), CellTree::max_depth(8), CellTree::max_depth(3_000_000)),
            (156, 7, 0)
        );
        tree.reserve(20);
        let mut known: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); 20];
        let above = |mut low: u32, high: u32| {
            while low > high {
                low = (low - 1) / 5;
            }
            low == high
        };
        let related = |a: u32, b: u32| above(a, b) || above(b, a);
        for _ in 0..3000 {
            let (item, cell) = (random.index(20), random.index(156) as u32);
            if known[item].remove(&cell) {
                tree.detach(item as u32, cell);
            } else if !known[item].iter().any(|c| related(*c, cell)) {
                known[item].insert(cell);
                match random.index(2) {
                    0 => tree.attach(item as u32, cell),
                    _ => tree
                        .attach_to(item as u32, &known[item].iter().copied().collect::<Vec<_>>()),
                }
            }
            let item = random.index(20);
            let mut found = BTreeSet::new();
            tree.neighbours(item as u32, |other| _ = found.insert(other as usize));
            let wanted: BTreeSet<usize> = (0..20)
                .filter(|o| known[item].iter().any(|c| known[*o].iter().any(|d| related(*c, *d))))
                .collect();
            assert_eq!(found, wanted);
        }
        let entries: usize = known.iter().map(BTreeSet::len).sum();
        let (levels, occupied) = tree.levels();
        assert_eq!((levels.len(), levels.iter().sum::<usize>()), (4, entries));
        assert!(occupied <= entries && tree.bytes() > 156 * 12);
    }
}
