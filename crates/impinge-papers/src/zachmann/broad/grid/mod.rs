//! A uniform grid (Zachmann 1994, section 5.5).
//!
//! Each cell has a list of the items that touch it. An item that moves is removed from the cells of
//! its old box that are not in the new one, and added to those of the new one that are not in the
//! old one (section 5.4.3). If both boxes have the same integer coordinates, which is the common
//! case, nothing is done. Pairs are found from the lists of all cells of the items that moved.
//! Time-stamps (section 7.3.1) ensure that each pair is compared once: one set has the items that
//! were found in the current query, the other one the items whose queries are done in this frame.
//! If most items moved, the lists are processed cell by cell instead.
//!
//! The thesis also tried indices from items into lists and back, and found them slower than a
//! search in the short lists; so there are none here.

mod options;

use super::Entry;
use super::cells::Cells;
use super::layout::{Fit, Layout, Spread};
use super::stab::{GrownBox, Sticks};
use crate::broad::{CandidatePairs, Movers};
use impinge::broad::{BoxF32, BroadPhase, Changes, Completeness, FrameInput, Pair};
use impinge::internals::Stamps;
use impinge::internals::broad::{List, Lists};
use impinge::math::Aabb;
use impinge::pair::Budget;
pub use options::{GridOptions, GridStats};

/// A broad phase by a uniform grid. Best for boxes of similar sizes that are spread evenly.
#[derive(Clone, Debug)]
pub struct Grid {
    options: GridOptions,
    layout: Layout,
    fit: Fit,
    movers: Movers,
    pairs: CandidatePairs,
    cells: Vec<List>,
    lists: Lists,
    places: Vec<Place>,
    /// The cells of each item entered by its oriented box.
    own: Vec<List>,
    own_lists: Lists,
    /// The items that are in no cell because they would be in too many.
    large: Vec<u32>,
    /// The items found in the current query.
    seen: Stamps,
    /// The items whose queries are done in this frame.
    done: Stamps,
    scratch: Scratch,
    /// Items that are present, and those of them that are outside the domain.
    present: usize,
    outside: usize,
    stats: GridStats,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    marks: Stamps,
    fresh: Vec<u32>,
    near: Vec<(u32, BoxF32)>,
    sticks: Sticks,
    sample: Vec<f32>,
}

/// Where an item is entered.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    kind: Kind,
    /// Whether the centre is outside the domain.
    outside: bool,
    /// The cells of the axis-aligned box; used for [`Kind::Aligned`] only.
    cells: Cells,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Nowhere,
    Aligned,
    Oriented,
    Large,
}

const EMPTY_PLACE: Place = Place { kind: Kind::Nowhere, outside: false, cells: Cells::EMPTY };

impl Default for Grid {
    fn default() -> Self {
        Self::with(GridOptions::default())
    }
}

impl Grid {
    /// Without items; everything is chosen from the boxes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Without items, with the given options.
    #[must_use]
    pub fn with(options: GridOptions) -> Self {
        let empty = Aabb::EMPTY;
        let layout = Layout::new(options.domain.unwrap_or(empty), options.cells.unwrap_or([1; 3]));
        let mut grid = Self {
            options,
            layout,
            fit: Fit::default(),
            movers: Movers::default(),
            pairs: CandidatePairs::default(),
            cells: Vec::new(),
            lists: Lists::default(),
            places: Vec::new(),
            own: Vec::new(),
            own_lists: Lists::default(),
            large: Vec::new(),
            seen: Stamps::default(),
            done: Stamps::default(),
            scratch: Scratch::default(),
            present: 0,
            outside: 0,
            stats: GridStats::default(),
        };
        grid.replace_cells(layout);
        grid
    }

    /// The size of the grid, and the work of the last update. Visits every cell.
    #[must_use]
    pub fn stats(&self) -> GridStats {
        GridStats {
            cells: self.layout.count,
            occupied: self.cells.iter().filter(|l| !l.is_empty()).count(),
            entries: self.cells.iter().map(List::len).sum(),
            large: self.large.len(),
            ..self.stats
        }
    }

    /// Replaces the cells; no item is entered.
    fn replace_cells(&mut self, layout: Layout) {
        self.layout = layout;
        self.cells.clear();
        self.cells.resize(layout.total(), List::default());
        self.lists.reset();
        self.own.fill(List::default());
        self.own_lists.reset();
        self.places.fill(EMPTY_PLACE);
        self.large.clear();
        self.scratch.marks.reserve(layout.total());
        (self.present, self.outside) = (0, 0);
    }

    /// Chooses new cells if the options allow it and the current ones are outdated.
    fn refit(&mut self, frame: &FrameInput<'_>) {
        let is_free = self.options.domain.is_none() || self.options.cells.is_none();
        if !is_free || !self.fit.is_outdated(self.present, self.outside) {
            return;
        }
        self.fit = Fit::to(self.present);
        let Some(mut spread) = Spread::of(frame.bounds, &mut self.scratch.sample) else { return };
        spread.domain = self.options.domain.unwrap_or(spread.domain);
        // In measurements of evenly spread boxes, cells of one and a half to three sides were about
        // equally fast, and smaller ones slower.
        let fitted = Layout::fitted(
            &Spread { domain: Layout::new(spread.domain, [1; 3]).domain, ..spread },
            2.0,
            2.0 * spread.count as f64,
        );
        self.replace_cells(Layout::new(fitted.domain, self.options.cells.unwrap_or(fitted.count)));
        self.stats.layouts += 1;
        for item in 0..frame.bounds.len() as u32 {
            self.place(item, frame);
        }
    }

    /// Items with more cells than this are in the list of large items.
    fn max_cells_per_item(&self) -> u32 {
        self.options.large.min(options::MAX_CELLS_PER_ITEM)
    }

    /// The place where an item should be entered, and its oriented box if it is entered by that.
    fn wanted_place(&self, item: u32, frame: &FrameInput<'_>) -> (Place, Option<GrownBox>) {
        let bounds = frame.of(item);
        if bounds.is_empty() {
            return (EMPTY_PLACE, None);
        }
        let boxes = frame.oriented.filter(|_| self.options.entry == Entry::Oriented);
        let (kind, cells, oriented) = match boxes
            .map(|b| GrownBox::new(&b[item as usize], self.layout.slack))
        {
            None => (Kind::Aligned, self.layout.cells(&bounds), None),
            Some(None) => (Kind::Large, Cells::EMPTY, None),
            Some(Some(oriented)) => (Kind::Oriented, oriented.cells(&self.layout), Some(oriented)),
        };
        if kind == Kind::Large || cells.count() > u64::from(self.max_cells_per_item()) {
            return (Place { kind: Kind::Large, ..EMPTY_PLACE }, None);
        }
        (Place { kind, outside: self.layout.is_center_outside(&bounds), cells }, oriented)
    }

    /// Enters an item where it should be, and removes it from other cells.
    fn place(&mut self, item: u32, frame: &FrameInput<'_>) {
        let (new, oriented) = self.wanted_place(item, frame);
        let old = std::mem::replace(&mut self.places[item as usize], new);
        self.present = self.present + usize::from(new.kind != Kind::Nowhere)
            - usize::from(old.kind != Kind::Nowhere);
        self.outside = self.outside + usize::from(new.outside) - usize::from(old.outside);
        let (mut leave, mut enter) = (Cells::EMPTY, Cells::EMPTY);
        match old.kind {
            Kind::Aligned => leave = old.cells,
            Kind::Large if new.kind != Kind::Large => self.large.retain(|i| *i != item),
            _ => {}
        }
        match new.kind {
            Kind::Aligned => enter = new.cells,
            Kind::Large if old.kind != Kind::Large => self.large.push(item),
            _ => {}
        }
        if leave != enter {
            self.move_by_difference(item, leave, enter);
        }
        if old.kind == Kind::Oriented || new.kind == Kind::Oriented {
            self.enter_oriented(item, oriented);
        }
    }

    /// Removes an item from the cells of one box and adds it to those of the other one; cells of
    /// both are not touched.
    fn move_by_difference(&mut self, item: u32, leave: Cells, enter: Cells) {
        let Self { cells, lists, layout, stats, .. } = self;
        leave.without(&enter, |part| {
            part.for_each(|c| {
                stats.touched += 1;
                let was_in_cell = lists.remove(&mut cells[index(layout, c)], item);
                debug_assert!(was_in_cell, "item {item} was not in cell {c:?}");
            });
        });
        enter.without(&leave, |part| {
            part.for_each(|c| {
                stats.touched += 1;
                lists.push(&mut cells[index(layout, c)], item);
            });
        });
    }

    /// Adds an item to the cells that its oriented box touches, and removes it from its other
    /// cells.
    fn enter_oriented(&mut self, item: u32, oriented: Option<GrownBox>) {
        let Self { cells, lists, own, own_lists, layout, stats, scratch, .. } = self;
        let Scratch { marks, fresh, sticks, .. } = scratch;
        fresh.clear();
        if let Some(oriented) = oriented {
            sticks.of(&oriented, layout, |s| s.for_each(|c| fresh.push(index(layout, c) as u32)));
        }
        marks.clear();
        for cell in &*fresh {
            marks.mark(*cell);
        }
        let own = &mut own[item as usize];
        let mut kept = 0;
        for cell in own_lists.numbers(*own) {
            if marks.unmark(cell) {
                kept += 1;
            } else {
                stats.touched += 1;
                let was_in_cell = lists.remove(&mut cells[cell as usize], item);
                debug_assert!(was_in_cell, "item {item} was not in cell {cell}");
            }
        }
        if kept == fresh.len() && kept == own.len() {
            return;
        }
        own_lists.clear(own);
        for &cell in &*fresh {
            own_lists.push(own, cell);
            if marks.has(cell) {
                stats.touched += 1;
                lists.push(&mut cells[cell as usize], item);
            }
        }
    }

    /// Finds the pairs of all items, cell by cell; used if most items moved and none is entered by
    /// its oriented box. A pair is compared in each cell that both items are in, but reported in
    /// one: the first cell of the intersection of their boxes. This takes half the time of queries
    /// for all items.
    fn find_all_pairs(&mut self, frame: &FrameInput<'_>, changes: &mut Changes) {
        let Self { cells, lists, layout, places, pairs, stats, scratch, .. } = self;
        let all = Cells { lo: [0; 3], hi: layout.count.map(|n| n as u16 - 1) };
        let mut lists_of_cells = cells.iter();
        all.for_each(|cell| {
            let Some(list) = lists_of_cells.next().filter(|l| l.len() > 1) else { return };
            let near = &mut scratch.near;
            near.clear();
            near.extend(lists.numbers(*list).map(|i| (i, frame.bounds[i as usize])));
            for (k, (a, bounds)) in near.iter().enumerate() {
                stats.compared += k;
                for (b, other) in &near[..k] {
                    if are_disjoint(bounds, other) {
                        continue;
                    }
                    let lo = [*a, *b].map(|i| places[i as usize].cells.lo);
                    let first = [0, 1, 2].map(|k| lo[0][k].max(lo[1][k]));
                    if first == cell && frame.overlap(*a, *b) {
                        pairs.add(Pair::new(*a, *b), true, changes);
                    }
                }
            }
        });
        for k in 0..self.large.len() {
            self.find_pairs_of(self.large[k], frame, changes);
        }
    }

    /// Finds the pairs of an item that moved with all items whose queries are not done yet.
    fn find_pairs_of(&mut self, item: u32, frame: &FrameInput<'_>, changes: &mut Changes) {
        let Self { cells, lists, own, own_lists, layout, large, seen, done, pairs, stats, .. } =
            self;
        let place = self.places[item as usize];
        seen.clear();
        seen.mark(item);
        let mut compare = |other: u32| {
            if !done.has(other) && seen.mark(other) {
                stats.compared += 1;
                if frame.overlap(item, other) {
                    pairs.add(Pair::new(item, other), true, changes);
                }
            }
        };
        match place.kind {
            Kind::Nowhere => return,
            Kind::Large => (0..frame.bounds.len() as u32).for_each(&mut compare),
            Kind::Aligned => place.cells.for_each(|c| {
                lists.numbers(cells[index(layout, c)]).for_each(&mut compare);
            }),
            Kind::Oriented => {
                for cell in own_lists.numbers(own[item as usize]) {
                    lists.numbers(cells[cell as usize]).for_each(&mut compare);
                }
            }
        }
        large.iter().copied().for_each(&mut compare);
        done.mark(item);
    }
}

/// Whether boxes that are not empty share no point.
#[inline]
fn are_disjoint(a: &BoxF32, b: &BoxF32) -> bool {
    // All six comparisons without branches between them.
    (a.min[0] > b.max[0])
        | (b.min[0] > a.max[0])
        | (a.min[1] > b.max[1])
        | (b.min[1] > a.max[1])
        | (a.min[2] > b.max[2])
        | (b.min[2] > a.max[2])
}

/// The number of a cell.
#[inline]
fn index(layout: &Layout, [x, y, z]: [u16; 3]) -> usize {
    let [nx, ny, _] = layout.count;
    (z as usize * ny as usize + y as usize) * nx as usize + x as usize
}

impl BroadPhase for Grid {
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        changes.clear();
        self.movers.gather(frame);
        let count = self.movers.count();
        if self.places.len() < count {
            self.places.resize(count, EMPTY_PLACE);
            self.own.resize(count, List::default());
            self.pairs.reserve(count);
            self.seen.reserve(count);
            self.done.reserve(count);
        }
        (self.stats.touched, self.stats.compared) = (0, 0);
        let movers = std::mem::take(&mut self.movers);
        for item in movers.items() {
            self.place(*item, frame);
        }
        self.refit(frame);
        self.pairs.refresh(frame, &movers, changes, |_| false);
        self.done.clear();
        let aligned = self.options.entry == Entry::Aligned || frame.oriented.is_none();
        if aligned && movers.are_many() {
            self.find_all_pairs(frame, changes);
        } else {
            for item in movers.items() {
                self.find_pairs_of(*item, frame, changes);
            }
        }
        self.movers = movers;
        Completeness::Complete
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        self.pairs.reported(to);
    }

    fn bytes(&self) -> usize {
        let Scratch { marks, fresh, near, sticks, sample } = &self.scratch;
        self.movers.bytes()
            + self.pairs.bytes()
            + (self.cells.capacity() + self.own.capacity()) * size_of::<List>()
            + self.lists.bytes()
            + self.own_lists.bytes()
            + self.places.capacity() * size_of::<Place>()
            + (self.large.capacity() + fresh.capacity()) * size_of::<u32>()
            + self.seen.bytes()
            + self.done.bytes()
            + marks.bytes()
            + sticks.bytes()
            + near.capacity() * size_of::<(u32, BoxF32)>()
            + sample.capacity() * size_of::<f32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::broad::Moved;
    use impinge::internals::broad::testing::{agrees_with_the_oracle, memory_stops_growing};
    use impinge::math::OrientedBox;
    use impinge::math::{Pose, Vec3};

    fn cage(cells: u32) -> GridOptions {
        GridOptions::fixed(Aabb::from_corners(Vec3::ZERO, Vec3::splat(10.0)), cells)
    }

    #[test]
    fn matches_the_oracle() {
        agrees_with_the_oracle(Grid::new, false);
        agrees_with_the_oracle(Grid::new, true);
        agrees_with_the_oracle(|| Grid::with(GridOptions::oriented()), true);
        agrees_with_the_oracle(|| Grid::with(cage(7)), false);
        let few = GridOptions { large: 3, entry: Entry::Oriented, ..cage(16) };
        agrees_with_the_oracle(|| Grid::with(few), true);
    }

    #[test]
    fn repeated_frames_allocate_nothing() {
        memory_stops_growing(Grid::new);
        memory_stops_growing(|| Grid::with(GridOptions::oriented()));
    }

    /// Options that would need more memory than is available are limited before memory is
    /// allocated.
    #[test]
    fn excessive_options_are_limited() {
        let all = BoxF32 { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };
        for (cells, count) in [(u32::MAX, 256), (0, 1)] {
            let mut grid = Grid::with(cage(cells));
            assert_eq!(grid.stats().cells, [count; 3]);
            let mut changes = Changes::default();
            let bounds = [all; 12];
            let frame = FrameInput { bounds: &bounds, oriented: None, moved: Moved::All };
            grid.update_unlimited(&frame, &mut changes);
            assert_eq!(changes.began.len(), 66);
            assert_eq!(grid.stats().large, if count == 1 { 0 } else { 12 });
        }
    }

    #[test]
    fn only_the_difference_is_touched() {
        let mut grid = Grid::with(cage(10));
        let mut changes = Changes::default();
        let mut at = |x: f32| {
            let bounds = [BoxF32 { min: [x, 0.5, 0.5], max: [x + 2.0, 2.5, 2.5] }];
            grid.update_unlimited(
                &FrameInput { bounds: &bounds, oriented: None, moved: Moved::All },
                &mut changes,
            );
            grid.stats()
        };
        assert_eq!((at(0.25).touched, at(0.5).touched), (27, 0));
        // The item leaves one layer of cells and enters another one.
        assert_eq!((at(1.25).touched, at(1.25).entries), (18, 27));
        assert_eq!((at(7.75).touched, at(100.0).occupied), (54, 9));
        assert_eq!(at(f32::NAN).entries, 0);
    }

    #[test]
    fn oriented_boxes_are_in_fewer_cells() {
        let pose = Pose::from_quaternion([0.3, 0.4, 0.1, 0.9], [5.0; 3]).unwrap();
        let half = Vec3::new(4.0, 0.2, 0.2);
        let corners =
            OrientedBox::around(&[-half, half]).corners().map(|c| pose.transform_point(c));
        let (oriented, bounds) =
            ([OrientedBox::around(&corners)], [Aabb::from_points(corners).into()]);
        let frame = FrameInput { bounds: &bounds, oriented: Some(&oriented), moved: Moved::All };
        let entries = [Entry::Aligned, Entry::Oriented].map(|entry| {
            let mut grid = Grid::with(GridOptions { entry, ..cage(20) });
            grid.update_unlimited(&frame, &mut Changes::default());
            assert_eq!(grid.stats().touched, grid.stats().entries);
            grid.update_unlimited(&frame, &mut Changes::default());
            assert_eq!(grid.stats().touched, 0);
            grid.stats().entries
        });
        assert!(entries[1] * 8 < entries[0], "{entries:?}");
    }

    #[test]
    fn cells_are_chosen_again_when_the_boxes_change() {
        let (mut grid, mut changes) = (Grid::new(), Changes::default());
        let mut boxes = vec![BoxF32 { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] }];
        for i in 0..1000_u16 {
            let p = [i % 10, i / 10 % 10, i / 100].map(|x| f32::from(x) * 3.0);
            boxes.push(BoxF32 { min: p, max: p.map(|x| x + 1.0) });
        }
        for frame in 0..40 {
            grid.update_unlimited(
                &FrameInput { bounds: &boxes, oriented: None, moved: Moved::All },
                &mut changes,
            );
            let stats = grid.stats();
            assert_eq!(stats.large, 1);
            if frame % 20 == 10 {
                assert!(stats.occupied > 500 && stats.mean_entries() > 0.3, "{frame}: {stats:?}");
                boxes[1..].iter_mut().for_each(|b| {
                    (b.min[0], b.max[0]) = (b.min[0] + 1e6, b.max[0] + 1e6);
                });
            }
        }
        assert_eq!(grid.stats().layouts, 3);
        assert_eq!(grid.pairs.len(), 1000);
    }
}
