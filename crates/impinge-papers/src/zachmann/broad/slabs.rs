//! The octree generalised to slabs: cells that are k-DOPs (Zachmann 1994, section 5.6).
//!
//! An octree cuts each cell at its centre by three planes. Here, all planes through the centre that
//! are normal to one of `k / 2` directions cut the cell, into 8, 32, 48 or 96 cells for `k` = 6,
//! 14, 18 or 26. The thesis proposes this tree and did not build it. It notes that the parts are
//! not similar to the whole cell, and that one may continue with the centres of the octree's cubes,
//! as is done here. A cell is then a cube of the octree minus the parts that planes through the
//! centres of larger cubes cut off.
//!
//! An item is entered by comparing its slabs with the planes, direction by direction. The expected
//! gain is the same resolution with fewer levels; the cost is the number of cells around each
//! centre, because a box at a centre is in all of them. Oriented boxes gain most, because their
//! slabs are tight in the diagonal directions as well.

use super::Entry;
use super::cell_core::{CellCore, CellTreeStats};
use super::cell_tree::CellTree;
use super::layout::{Layout, Spread};
use super::stab::GrownBox;
use crate::klosowski::volume::{Dop6, Dop14, Dop18, Dop26};
use impinge::broad::{BoxF32, BroadPhase, Changes, Completeness, FrameInput, Pair};
use impinge::math::{Aabb, Vec3};
use impinge::pair::Budget;

/// The maximum number of directions.
const MAX_DIRECTIONS: usize = 13;

/// The directions of the slabs, which are those of the [`Dop`](crate::klosowski::volume::Dop)s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Slabs {
    /// The axes only: cells are the octants.
    Six,
    /// The axes and the diagonals of the cube: 32 cells in a cell.
    #[default]
    Fourteen,
    /// The axes and the diagonals of the faces: 48 cells in a cell.
    Eighteen,
    /// The axes and both kinds of diagonals: 96 cells in a cell.
    TwentySix,
}

impl Slabs {
    /// The directions, the axes first.
    #[must_use]
    pub fn directions(self) -> &'static [[i8; 3]] {
        match self {
            Self::Six => &Dop6::DIRECTIONS,
            Self::Fourteen => &Dop14::DIRECTIONS,
            Self::Eighteen => &Dop18::DIRECTIONS,
            Self::TwentySix => &Dop26::DIRECTIONS,
        }
    }

    /// The parts into which the planes cut space, sorted. Bit `i` is set if the dot product with
    /// direction `i` is positive.
    fn sectors(self) -> Vec<u16> {
        // Each part contains a point with integer coordinates up to four that is on no plane.
        let mut sectors = Vec::new();
        for n in 0..9_i32.pow(3) {
            let p = [n % 9 - 4, n / 9 % 9 - 4, n / 81 - 4];
            let along = |d: &[i8; 3]| (0..3).map(|k| i32::from(d[k]) * p[k]).sum::<i32>();
            if self.directions().iter().all(|d| along(d) != 0) {
                let bits = self.directions().iter().enumerate();
                sectors.push(bits.fold(0, |s, (i, d)| s | u16::from(along(d) > 0) << i));
            }
        }
        sectors.sort_unstable();
        sectors.dedup();
        sectors
    }
}

/// The layout of a [`SlabOctree`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SlabOctreeOptions {
    /// The box of the root. Boxes outside it are in the cells at its border. `None`: where most
    /// boxes are, chosen again when many have left.
    pub domain: Option<Aabb>,
    /// The levels below the root; at most 7 for [`Slabs::Six`], 4 for [`Slabs::Fourteen`], 3 for
    /// the others. `None`: from the number of boxes and their median size.
    pub depth: Option<u32>,
    /// The directions of the planes.
    pub slabs: Slabs,
    /// The kind of box by which items are entered.
    pub entry: Entry,
    /// Items longer than this many cubes of the last level stay at coarser levels.
    pub span: u32,
}

impl SlabOctreeOptions {
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

    /// With these [`slabs`](Self#structfield.slabs).
    #[must_use]
    pub fn slabs(self, slabs: Slabs) -> Self {
        Self { slabs, ..self }
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

impl Default for SlabOctreeOptions {
    /// 14 slabs, everything else chosen from the boxes; items are entered by the slabs of their
    /// axis-aligned boxes.
    fn default() -> Self {
        Self { domain: None, depth: None, slabs: Slabs::Fourteen, entry: Entry::Aligned, span: 2 }
    }
}

impl SlabOctreeOptions {
    /// 14 slabs, everything else chosen from the boxes; items are entered by the slabs of their
    /// oriented boxes.
    #[must_use]
    pub fn oriented() -> Self {
        Self { entry: Entry::Oriented, ..Self::default() }
    }

    /// A fixed domain, depth and directions; items are entered down to the last level.
    #[must_use]
    pub fn fixed(domain: Aabb, depth: u32, slabs: Slabs) -> Self {
        let (domain, depth) = (Some(domain), Some(depth));
        Self { domain, depth, slabs, span: u32::MAX, ..Self::default() }
    }
}

/// A broad phase by a tree whose cells are cut by the planes of slabs.
#[derive(Clone, Debug)]
pub struct SlabOctree {
    options: SlabOctreeOptions,
    sectors: Vec<u16>,
    directions: Vec<Vec3>,
    layout: Layout,
    depth: u32,
    core: CellCore,
    /// The cells of an item that is entered again.
    fresh: Vec<u32>,
    stack: Vec<Cube>,
}

/// A cell of a descent: the cube at whose centre it is cut.
#[derive(Clone, Copy, Debug)]
struct Cube {
    index: u32,
    level: u32,
    center: Vec3,
    half: Vec3,
}

/// The slabs of an item.
#[derive(Clone, Copy, Debug)]
struct Item {
    min: [f64; MAX_DIRECTIONS],
    max: [f64; MAX_DIRECTIONS],
    /// A bound of the rounding errors of dot products of directions with points.
    margin: f64,
}

impl Default for SlabOctree {
    fn default() -> Self {
        Self::with(SlabOctreeOptions::default())
    }
}

impl SlabOctree {
    /// Without items; everything is chosen from the boxes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Without items, with the given options.
    #[must_use]
    pub fn with(options: SlabOctreeOptions) -> Self {
        let sectors = options.slabs.sectors();
        let branches = sectors.len() as u32;
        let depth = options.depth.unwrap_or(0).min(CellTree::max_depth(branches));
        let vector = |d: &[i8; 3]| Vec3::from(d.map(f64::from));
        Self {
            options,
            sectors,
            directions: options.slabs.directions().iter().map(vector).collect(),
            layout: Layout::new(options.domain.unwrap_or(Aabb::EMPTY), [1; 3]),
            depth,
            core: CellCore::new(CellTree::new(branches, depth)),
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
        let SlabOctreeOptions { domain, depth, .. } = self.options;
        if domain.is_some() && depth.is_some() {
            return;
        }
        let Some(spread) = self.core.outdated(frame, domain) else { return };
        let branches = self.sectors.len() as u32;
        let depth = depth.unwrap_or_else(|| fitting_depth(&spread, branches));
        self.depth = depth.min(CellTree::max_depth(branches));
        self.layout = Layout::new(spread.domain, [1; 3]);
        self.core.replace_tree(CellTree::new(branches, self.depth));
        for item in 0..frame.bounds.len() as u32 {
            self.place(item, frame);
        }
    }

    /// Enters an item where it should be, and removes it from other cells.
    fn place(&mut self, item: u32, frame: &FrameInput<'_>) {
        self.core.count(item, frame, &self.layout);
        self.fresh.clear();
        let bounds = frame.of(item);
        if !bounds.is_empty() {
            let boxes = frame.oriented.filter(|_| self.options.entry == Entry::Oriented);
            match boxes.map(|b| GrownBox::new(&b[item as usize], self.layout.slack)) {
                None => {
                    self.find_cells(&Item::of_box(&self.directions, &bounds, self.layout.slack));
                }
                Some(Some(oriented)) => {
                    self.find_cells(&Item::of_oriented(
                        &self.directions,
                        &oriented,
                        self.layout.slack,
                    ));
                }
                // An item whose oriented box is not finite is entered everywhere.
                Some(None) => self.fresh.push(0),
            }
        }
        self.core.tree.attach_to(item, &self.fresh);
    }

    /// Finds the cells of an item, in `fresh`.
    fn find_cells(&mut self, item: &Item) {
        let (center, half) = (self.layout.domain.center(), self.layout.domain.extent() * 0.5);
        let level = self.level_of(item, half);
        self.stack.push(Cube { index: 0, level: 0, center, half });
        while let Some(cube) = self.stack.pop() {
            if cube.level >= level || item.contains(&self.directions, &cube) {
                self.fresh.push(cube.index);
                continue;
            }
            let (above, below) = item.sides(&self.directions, cube.center);
            let first = self.core.tree.child(cube.index);
            for (k, sector) in self.sectors.iter().enumerate() {
                if sector & above == above && sector & below == 0 {
                    let half = cube.half * 0.5;
                    let sign = |axis: u16| if sector >> axis & 1 == 0 { -1.0 } else { 1.0 };
                    let center = cube.center + half * Vec3::new(sign(0), sign(1), sign(2));
                    self.stack.push(Cube {
                        index: first + k as u32,
                        level: cube.level + 1,
                        center,
                        half,
                    });
                }
            }
        }
    }

    /// The deepest level of the cells of an item.
    fn level_of(&self, item: &Item, half: Vec3) -> u32 {
        let span = f64::from(self.options.span);
        let fits = |level: &u32| {
            let cubes = f64::from(*level).exp2();
            (0..3).all(|k| (item.max[k] - item.min[k]) * cubes <= 2.0 * half[k] * span)
        };
        (0..=self.depth).rev().find(fits).unwrap_or(0)
    }
}

impl Item {
    fn of_box(directions: &[Vec3], bounds: &BoxF32, slack: f64) -> Self {
        let (min, max) = (bounds.min.map(f64::from), bounds.max.map(f64::from));
        Self::new(directions, slack, |d| {
            let (mut lo, mut hi) = (0.0, 0.0);
            for k in 0..3 {
                // If the direction is normal to this axis, the extent along the axis, which may be
                // infinite, has no influence.
                if d[k] != 0.0 {
                    let (a, b) = (d[k] * min[k], d[k] * max[k]);
                    (lo, hi) = (lo + a.min(b), hi + a.max(b));
                }
            }
            (lo, hi)
        })
    }

    fn of_oriented(directions: &[Vec3], oriented: &GrownBox, slack: f64) -> Self {
        Self::new(directions, slack, |d| oriented.along(d))
    }

    fn new(directions: &[Vec3], slack: f64, along: impl Fn(Vec3) -> (f64, f64)) -> Self {
        let mut item =
            Self { min: [0.0; MAX_DIRECTIONS], max: [0.0; MAX_DIRECTIONS], margin: 8.0 * slack };
        for (i, d) in directions.iter().enumerate() {
            (item.min[i], item.max[i]) = along(*d);
            for end in [item.min[i], item.max[i]] {
                if i < 3 && end.is_finite() {
                    item.margin = item.margin.max(8.0 * slack + 1e-14 * end.abs());
                }
            }
        }
        item
    }

    /// The directions along which the item is certainly above the centre, and those along which it
    /// is certainly below, as bits.
    ///
    /// Because of the margin, neither of two items excludes the sector of a common point. Sums of
    /// infinite ends may be NaN, which excludes nothing.
    fn sides(&self, directions: &[Vec3], center: Vec3) -> (u16, u16) {
        let (mut above, mut below) = (0, 0);
        for (i, d) in directions.iter().enumerate() {
            let plane = d.dot(center);
            above |= u16::from(self.min[i] > plane + self.margin) << i;
            below |= u16::from(self.max[i] < plane - self.margin) << i;
        }
        (above, below)
    }

    /// Whether the cube lies in all slabs.
    fn contains(&self, directions: &[Vec3], cube: &Cube) -> bool {
        directions.iter().enumerate().all(|(i, d)| {
            let (middle, reach) = (d.dot(cube.center), d.abs().dot(cube.half));
            self.min[i] <= middle - reach && middle + reach <= self.max[i]
        })
    }
}

/// The number of levels after which there are as many cells of the last level as boxes, or cubes
/// are about as large as two boxes.
fn fitting_depth(spread: &Spread, branches: u32) -> u32 {
    let width = spread.domain.extent();
    let ratio = |k: usize| width[k] / spread.side[k].max(width[k] * 1e-4);
    let by_size = (0..3).map(ratio).fold(1.0, f64::max).log2() - 1.0;
    let by_count = (2.0 * spread.count as f64).ln() / f64::from(branches).ln();
    by_size.min(by_count).clamp(0.0, 20.0) as u32
}

impl BroadPhase for SlabOctree {
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        let movers = self.core.begin(frame, changes);
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
            + self.sectors.capacity() * size_of::<u16>()
            + self.directions.capacity() * size_of::<Vec3>()
            + self.fresh.capacity() * size_of::<u32>()
            + self.stack.capacity() * size_of::<Cube>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Octree, OctreeOptions};
    use super::*;
    use impinge::broad::Moved;
    use impinge::internals::Random;
    use impinge::internals::broad::testing::{agrees_with_the_oracle, memory_stops_growing};
    use impinge::math::OrientedBox;
    use impinge::math::Pose;

    const ALL: [Slabs; 4] = [Slabs::Six, Slabs::Fourteen, Slabs::Eighteen, Slabs::TwentySix];

    fn cage() -> Aabb {
        Aabb::from_corners(Vec3::ZERO, Vec3::splat(8.0))
    }

    #[test]
    fn planes_through_a_point_cut_space_into_known_numbers_of_parts() {
        let counts = ALL.map(|s| s.sectors().len());
        assert_eq!(counts, [8, 32, 48, 96]);
        // Every point is in some part.
        let mut random = Random::new(3);
        for slabs in ALL {
            let sectors = slabs.sectors();
            for _ in 0..2000 {
                let p = random.in_cube();
                let bits = slabs.directions().iter().enumerate().fold(0, |s, (i, d)| {
                    s | u16::from(Vec3::from(d.map(f64::from)).dot(p) > 0.0) << i
                });
                assert!(sectors.contains(&bits), "{p}");
            }
        }
    }

    #[test]
    fn matches_the_oracle() {
        agrees_with_the_oracle(SlabOctree::new, false);
        agrees_with_the_oracle(|| SlabOctree::with(SlabOctreeOptions::oriented()), true);
        for slabs in [Slabs::Eighteen, Slabs::TwentySix] {
            let options = SlabOctreeOptions {
                span: 2,
                entry: Entry::Oriented,
                ..SlabOctreeOptions::fixed(cage(), 2, slabs)
            };
            agrees_with_the_oracle(|| SlabOctree::with(options), slabs == Slabs::Eighteen);
        }
    }

    #[test]
    fn repeated_frames_allocate_nothing() {
        memory_stops_growing(SlabOctree::new);
        memory_stops_growing(|| SlabOctree::with(SlabOctreeOptions::oriented()));
    }

    #[test]
    fn with_six_slabs_it_is_the_octree() {
        let mut random = Random::new(4);
        let boxes: Vec<BoxF32> = (0..200)
            .map(|_| {
                let p = random.in_cube() * 4.0 + 4.0;
                Aabb { min: p, max: p + random.in_cube().abs() * 3.0 }.into()
            })
            .collect();
        let frame = FrameInput { bounds: &boxes, oriented: None, moved: Moved::All };
        let mut slabs = SlabOctree::with(SlabOctreeOptions::fixed(cage(), 3, Slabs::Six));
        slabs.update_unlimited(&frame, &mut Changes::default());
        let mut octree = Octree::with(OctreeOptions::fixed(cage(), 3));
        octree.update_unlimited(&frame, &mut Changes::default());
        // The octree works with whole cells of the finest level, so it attaches items to larger
        // octants; the neighbours are the same.
        assert_eq!(slabs.stats().compared, octree.stats().compared);
        assert!(slabs.stats().entries[3] >= octree.stats().entries[3]);
    }

    #[test]
    fn diagonal_slabs_separate_oriented_boxes_at_the_first_level() {
        // Two needles along a diagonal of the cube, side by side in the same octant.
        let mut boxes = Vec::new();
        for shift in [-1.0, 1.0] {
            let pose = Pose::from_translation([2.0 + shift, 2.0 - shift, 2.0]).unwrap();
            let ends = [-1.0, 1.0].map(|s| pose.transform_point(Vec3::splat(s) * 0.9));
            boxes.push(OrientedBox::around(&ends));
        }
        let bounds: Vec<BoxF32> =
            boxes.iter().map(|b| Aabb::from_points(b.corners()).into()).collect();
        let frame = FrameInput { bounds: &bounds, oriented: Some(&boxes), moved: Moved::All };
        let compared = [Slabs::Six, Slabs::Eighteen].map(|slabs| {
            let entry = Entry::Oriented;
            let options = SlabOctreeOptions { entry, ..SlabOctreeOptions::fixed(cage(), 1, slabs) };
            let mut tree = SlabOctree::with(options);
            tree.update_unlimited(&frame, &mut Changes::default());
            tree.stats().compared
        });
        assert_eq!(compared, [1, 0]);
    }
}
