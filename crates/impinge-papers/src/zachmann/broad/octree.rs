//! An octree of moving boxes (Zachmann 1994, section 5.4).
//!
//! The boxes have integer coordinates in the finest grid of the tree. An item is attached to every
//! octant that lies in its box, and to every octant of the last level that touches it (section
//! 5.4.1). Two items are neighbours if an octant of one equals, contains, or lies in an octant of
//! the other.
//!
//! **Moving.** The thesis cuts the part of the new box outside the old one into six boxes and
//! enters each of them (section 5.4.3). Here one descent follows both boxes, and stops at every
//! octant that contains the same part of both. It visits the octants of the difference as well, but
//! afterwards the item is attached to the same octants as after a new entry; six boxes entered one
//! by one would replace large octants by small ones permanently. With oriented boxes the octants
//! are determined again, and compared with the former ones by time-stamps.

use super::Entry;
use super::cell_core::{CellCore, CellTreeStats};
use super::cell_tree::CellTree;
use super::cells::Cells;
use super::layout::{Layout, Spread};
use super::stab::GrownBox;
use impinge::broad::{BroadPhase, Changes, Completeness, FrameInput, Pair};
use impinge::math::{Aabb, Vec3};
use impinge::pair::Budget;

/// The layout of an [`Octree`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct OctreeOptions {
    /// The box of the root. Boxes outside it are in the octants at its border. `None`: where most
    /// boxes are, chosen again when many have left.
    pub domain: Option<Aabb>,
    /// The levels below the root, at most 7: the finest grid has `2^depth` cells on each axis.
    /// `None`: from the number of boxes and their median size.
    pub depth: Option<u32>,
    /// The kind of box by which items are entered.
    pub entry: Entry,
    /// Items with more cells than this along an axis stay at coarser levels, in fewer and larger
    /// cells. The thesis has no such bound.
    pub span: u32,
}

impl OctreeOptions {
    /// With this [`domain`](Self#structfield.domain).
    #[must_use]
    pub fn domain(self, domain: impl Into<Option<Aabb>>) -> Self {
        Self { domain: domain.into(), ..self }
    }

    /// With this [`depth`](Self#structfield.depth).
    #[must_use]
    pub fn depth(self, depth: impl Into<Option<u32>>) -> Self {
        Self { depth: depth.into(), ..self }
    }

    /// With this kind of [`entry`](Self#structfield.entry).
    #[must_use]
    pub fn entry(self, entry: Entry) -> Self {
        Self { entry, ..self }
    }

    /// With this [`span`](Self#structfield.span).
    #[must_use]
    pub fn span(self, span: u32) -> Self {
        Self { span, ..self }
    }
}

impl Default for OctreeOptions {
    /// Everything chosen from the boxes; items are entered by their axis-aligned boxes.
    fn default() -> Self {
        Self { domain: None, depth: None, entry: Entry::Aligned, span: 8 }
    }
}

impl OctreeOptions {
    /// Everything chosen from the boxes; items are entered by their oriented boxes.
    #[must_use]
    pub fn oriented() -> Self {
        Self { entry: Entry::Oriented, ..Self::default() }
    }

    /// The octree of the thesis: a fixed domain and depth; items are entered down to the last
    /// level.
    #[must_use]
    pub fn fixed(domain: Aabb, depth: u32) -> Self {
        Self { domain: Some(domain), depth: Some(depth), span: u32::MAX, ..Self::default() }
    }
}

/// A broad phase by an octree. Better than a grid if a few boxes are much larger than the cells.
#[derive(Clone, Debug)]
pub struct Octree {
    options: OctreeOptions,
    layout: Layout,
    depth: u32,
    core: CellCore,
    places: Vec<Place>,
    /// The octants of an item that is entered again.
    fresh: Vec<u32>,
    stack: Vec<Octant>,
}

/// Where an item is entered.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    cells: Cells,
    /// The deepest level of its octants.
    level: u8,
    /// Whether it is entered by its oriented box.
    by_oriented_box: bool,
}

const EMPTY_PLACE: Place = Place { cells: Cells::EMPTY, level: 0, by_oriented_box: false };

/// An octant of a descent.
#[derive(Clone, Copy, Debug)]
struct Octant {
    index: u32,
    level: u8,
    /// In the coordinates of its own level.
    at: [u16; 3],
}

/// The relation of a box to an octant.
enum Relation {
    Disjoint,
    /// The children of the octant have to be examined.
    Partial,
    /// The item is attached to the octant.
    Attached,
}

impl Octant {
    const ROOT: Self = Self { index: 0, level: 0, at: [0; 3] };

    /// Its cells on the finest level.
    fn cells(&self, depth: u32) -> Cells {
        let shift = depth - u32::from(self.level);
        let lo = self.at.map(|x| x << shift);
        Cells { lo, hi: lo.map(|x| x + ((1 << shift) - 1)) }
    }

    fn children(&self, first: u32) -> impl Iterator<Item = Self> {
        let Self { level, at, .. } = *self;
        (0..8).map(move |k| Self {
            index: first + k,
            level: level + 1,
            at: [0, 1, 2].map(|axis| at[axis] << 1 | (k >> axis & 1) as u16),
        })
    }
}

impl Place {
    fn relation(&self, part: Cells, octant: &Octant, cells: &Cells) -> Relation {
        if part.is_empty() {
            Relation::Disjoint
        } else if octant.level >= self.level || part == *cells {
            Relation::Attached
        } else {
            Relation::Partial
        }
    }
}

impl Default for Octree {
    fn default() -> Self {
        Self::with(OctreeOptions::default())
    }
}

impl Octree {
    /// Without items; everything is chosen from the boxes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Without items, with the given options.
    #[must_use]
    pub fn with(options: OctreeOptions) -> Self {
        let depth = options.depth.unwrap_or(0).min(CellTree::max_depth(8));
        Self {
            options,
            layout: Layout::new(options.domain.unwrap_or(Aabb::EMPTY), [1 << depth; 3]),
            depth,
            core: CellCore::new(CellTree::new(8, depth)),
            places: Vec::new(),
            fresh: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// The size of the tree, and the work of the last update. Visits every cell.
    #[must_use]
    pub fn stats(&self) -> CellTreeStats {
        self.core.stats()
    }

    /// Chooses new cells if the options allow it and the current ones are outdated.
    fn refit(&mut self, frame: &FrameInput<'_>) {
        let OctreeOptions { domain, depth, .. } = self.options;
        if domain.is_some() && depth.is_some() {
            return;
        }
        let Some(spread) = self.core.outdated(frame, domain) else { return };
        let depth = depth.unwrap_or_else(|| fitting_depth(&spread));
        self.depth = depth.min(CellTree::max_depth(8));
        self.layout = Layout::new(spread.domain, [1 << self.depth; 3]);
        self.core.replace_tree(CellTree::new(8, self.depth));
        self.places.fill(EMPTY_PLACE);
        for item in 0..frame.bounds.len() as u32 {
            self.place(item, frame);
        }
    }

    /// The place where an item should be entered, and its oriented box if it is entered by that.
    fn wanted_place(&self, item: u32, frame: &FrameInput<'_>) -> (Place, Option<GrownBox>) {
        let bounds = frame.of(item);
        if bounds.is_empty() {
            return (EMPTY_PLACE, None);
        }
        let boxes = frame.oriented.filter(|_| self.options.entry == Entry::Oriented);
        // An item whose oriented box is not finite is entered everywhere.
        let oriented = boxes.map(|b| GrownBox::new(&b[item as usize], self.layout.slack));
        let cells = match &oriented {
            None => self.layout.cells(&bounds),
            Some(None) => Octant::ROOT.cells(self.depth),
            Some(Some(oriented)) => oriented.cells(&self.layout),
        };
        let longest = (0..3).map(|k| cells.along(k) as u32).max().unwrap_or(1);
        let steps = longest.div_ceil(self.options.span.max(1)).next_power_of_two().trailing_zeros();
        let oriented = oriented.flatten();
        let place = Place {
            cells,
            level: self.depth.saturating_sub(steps) as u8,
            by_oriented_box: oriented.is_some(),
        };
        (place, oriented)
    }

    /// Enters an item where it should be, and removes it from other octants.
    fn place(&mut self, item: u32, frame: &FrameInput<'_>) {
        let (new, oriented) = self.wanted_place(item, frame);
        let old = std::mem::replace(&mut self.places[item as usize], new);
        self.core.count(item, frame, &self.layout);
        if old.by_oriented_box || new.by_oriented_box {
            match oriented {
                Some(oriented) => self.find_octants_of_oriented(&oriented, &new),
                None => self.find_octants(&new),
            }
            self.core.tree.attach_to(item, &self.fresh);
        } else if (old.cells, old.level) != (new.cells, new.level) {
            self.move_by_difference(item, &old, &new);
        }
    }

    /// Moves an item by the difference of its boxes.
    fn move_by_difference(&mut self, item: u32, old: &Place, new: &Place) {
        self.stack.push(Octant::ROOT);
        while let Some(octant) = self.stack.pop() {
            let cells = octant.cells(self.depth);
            let (before, now) = (old.cells.clipped(&cells), new.cells.clipped(&cells));
            if before == now && old.level == new.level {
                continue;
            }
            let (was, is) =
                (old.relation(before, &octant, &cells), new.relation(now, &octant, &cells));
            match (was, is) {
                (Relation::Partial, Relation::Partial) => {
                    self.stack.extend(octant.children(self.core.tree.child(octant.index)));
                }
                (Relation::Attached, Relation::Attached) => {}
                _ => {
                    self.descend(octant, old, |tree, octant| tree.detach(item, octant));
                    self.descend(octant, new, |tree, octant| tree.attach(item, octant));
                }
            }
        }
    }

    /// Calls `attached` with all octants of an axis-aligned box within the given octant.
    fn descend(
        &mut self,
        from: Octant,
        place: &Place,
        mut attached: impl FnMut(&mut CellTree, u32),
    ) {
        let bottom = self.stack.len();
        self.stack.push(from);
        while self.stack.len() > bottom {
            let Some(octant) = self.stack.pop() else { break };
            let cells = octant.cells(self.depth);
            match place.relation(place.cells.clipped(&cells), &octant, &cells) {
                Relation::Disjoint => {}
                Relation::Attached => attached(&mut self.core.tree, octant.index),
                Relation::Partial => {
                    self.stack.extend(octant.children(self.core.tree.child(octant.index)));
                }
            }
        }
    }

    /// Finds the octants of an axis-aligned box, in `fresh`.
    fn find_octants(&mut self, place: &Place) {
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.clear();
        self.descend(Octant::ROOT, place, |_, octant| fresh.push(octant));
        self.fresh = fresh;
    }

    /// Finds the octants of an oriented box, in `fresh`.
    fn find_octants_of_oriented(&mut self, oriented: &GrownBox, place: &Place) {
        self.fresh.clear();
        self.stack.push(Octant::ROOT);
        while let Some(octant) = self.stack.pop() {
            let cells = octant.cells(self.depth);
            if place.cells.clipped(&cells).is_empty() {
                continue;
            }
            let corner = |c: [u16; 3], more: u32| {
                Vec3::from([0, 1, 2].map(|k| self.layout.border(k, u32::from(c[k]) + more)))
            };
            let (min, max) = (corner(cells.lo, 0), corner(cells.hi, 1));
            if !oriented.touches(min, max) {
                continue;
            }
            if octant.level >= place.level || oriented.contains(min, max) {
                self.fresh.push(octant.index);
            } else {
                self.stack.extend(octant.children(self.core.tree.child(octant.index)));
            }
        }
    }
}

/// The number of levels after which cells are two to four times as wide as the median box, or there
/// are eight cells of the last level for each box.
fn fitting_depth(spread: &Spread) -> u32 {
    let width = spread.domain.extent();
    let ratio = |k: usize| width[k] / spread.side[k].max(width[k] * 1e-4);
    let by_size = (0..3).map(ratio).fold(1.0, f64::max).log2() - 1.0;
    let by_count = (8.0 * spread.count as f64).log2() / 3.0;
    by_size.min(by_count).clamp(0.0, 20.0) as u32
}

impl BroadPhase for Octree {
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        let movers = self.core.begin(frame, changes);
        if self.places.len() < movers.count() {
            self.places.resize(movers.count(), EMPTY_PLACE);
        }
        for item in movers.items() {
            self.place(*item, frame);
        }
        self.refit(frame);
        self.core.finish(frame, movers, changes);
        Completeness::Complete
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        self.core.pairs(to);
    }

    fn bytes(&self) -> usize {
        self.core.bytes()
            + self.places.capacity() * size_of::<Place>()
            + self.fresh.capacity() * size_of::<u32>()
            + self.stack.capacity() * size_of::<Octant>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::broad::{BoxF32, Moved};
    use impinge::internals::Random;
    use impinge::internals::broad::testing::{agrees_with_the_oracle, memory_stops_growing};

    fn cage(depth: u32) -> OctreeOptions {
        OctreeOptions::fixed(Aabb::from_corners(Vec3::ZERO, Vec3::splat(8.0)), depth)
    }

    #[test]
    fn matches_the_oracle() {
        agrees_with_the_oracle(Octree::new, false);
        agrees_with_the_oracle(Octree::new, true);
        agrees_with_the_oracle(|| Octree::with(OctreeOptions::oriented()), true);
        agrees_with_the_oracle(|| Octree::with(cage(3)), false);
        agrees_with_the_oracle(
            || Octree::with(OctreeOptions { span: 2, entry: Entry::Oriented, ..cage(4) }),
            true,
        );
    }

    #[test]
    fn repeated_frames_allocate_nothing() {
        memory_stops_growing(Octree::new);
        memory_stops_growing(|| Octree::with(OctreeOptions::oriented()));
    }

    #[test]
    fn large_boxes_are_in_large_octants() {
        let mut tree = Octree::with(cage(3));
        let bounds = [BoxF32 { min: [0.0; 3], max: [3.5, 3.5, 7.5] }];
        tree.update_unlimited(
            &FrameInput { bounds: &bounds, oriented: None, moved: Moved::All },
            &mut Changes::default(),
        );
        assert_eq!(tree.stats().entries, [0, 2, 0, 0]);
        let bounds = [BoxF32 { min: [0.0; 3], max: [4.5, 3.5, 3.5] }];
        tree.update_unlimited(
            &FrameInput { bounds: &bounds, oriented: None, moved: Moved::All },
            &mut Changes::default(),
        );
        // One octant stays, the other one is replaced by a layer of sixteen small ones.
        assert_eq!((tree.stats().entries, tree.stats().touched), (vec![0, 1, 0, 16], 17));
        assert_eq!((tree.stats().cells, tree.stats().occupied), (585, 17));
        let bounds = [BoxF32 { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] }];
        tree.update_unlimited(
            &FrameInput { bounds: &bounds, oriented: None, moved: Moved::All },
            &mut Changes::default(),
        );
        assert_eq!(tree.stats().entries, [1, 0, 0, 0]);
    }

    #[test]
    fn the_difference_leads_to_the_octants_of_a_new_entry() {
        let mut random = Random::new(2);
        let mut tree = Octree::with(OctreeOptions { span: 5, ..cage(4) });
        let (mut visited, mut fresh) = (0, 0);
        let mut p = Vec3::splat(4.0);
        for round in 0..400 {
            p = if round % 50 == 0 { random.in_cube() * 6.0 } else { p + random.in_cube() * 0.2 };
            let size = 0.5 + f64::from(round % 3) + random.unit() * 0.1;
            let bounds = [Aabb { min: p, max: p + Vec3::splat(size) }.into()];
            let frame = FrameInput { bounds: &bounds, oriented: None, moved: Moved::All };
            tree.update_unlimited(&frame, &mut Changes::default());
            visited += tree.stats().touched;
            let mut again = Octree::with(tree.options);
            again.update_unlimited(&frame, &mut Changes::default());
            fresh += again.stats().touched;
            assert_eq!(tree.stats().entries, again.stats().entries);
            let mut known = tree.clone();
            let place = known.places[0];
            known.find_octants(&place);
            known.core.tree.touched = 0;
            known.core.tree.attach_to(0, &known.fresh.clone());
            assert_eq!(known.core.tree.touched, 0, "round {round}");
        }
        assert!(visited < fresh * 2, "{visited} {fresh}");
    }
}
