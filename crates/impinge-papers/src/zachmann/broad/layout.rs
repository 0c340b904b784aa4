//! The position and size of the cells of a grid or an octree, chosen from the boxes.

use super::cells::Cells;
use impinge::broad::BoxF32;
use impinge::math::Aabb;

/// The maximum number of cells along an axis.
pub(super) const MAX_CELLS_PER_AXIS: u32 = 1024;

/// The maximum number of cells: the empty lists of that many take 192 MiB.
pub(super) const MAX_CELLS: u64 = 1 << 24;

/// The number of boxes from which the cells are chosen.
const SAMPLED_BOXES: usize = 1024;

/// The distribution of the boxes: where most of them are, and how large they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    /// On each axis, from the first to the last of 32 quantiles of the centres, and a margin: a few
    /// boxes far away have no influence.
    pub(super) domain: Aabb,
    /// The median of the sides along each axis.
    pub(super) side: [f64; 3],
    /// The number of boxes.
    pub(super) count: usize,
}

/// Maps coordinates to cells. Coordinates outside the domain belong to the first or the last cell.
/// The map is monotone, also after rounding, so boxes that share a point share a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The region that is cut into cells, up to rounding.
    pub(super) domain: Aabb,
    /// The number of cells on each axis, at least one.
    pub(super) count: [u32; 3],
    /// Cells per unit of length, finite and positive.
    scale: [f64; 3],
    /// A bound of the rounding errors of the borders of cells.
    pub(super) slack: f64,
}

impl Spread {
    /// The distribution of the boxes that are neither empty nor infinite; `None` if there is none.
    pub(super) fn of(bounds: &[BoxF32], scratch: &mut Vec<f32>) -> Option<Self> {
        let usual =
            |b: &&BoxF32| !b.is_empty() && b.min.iter().chain(&b.max).all(|x| x.is_finite());
        let count = bounds.iter().filter(usual).count();
        if count == 0 {
            return None;
        }
        let step = count.div_ceil(SAMPLED_BOXES);
        let mut spread = Self { domain: Aabb::EMPTY, side: [0.0; 3], count };
        for k in 0..3 {
            let mut middle = |value: fn(f32, f32) -> f32, share: usize| {
                scratch.clear();
                scratch.extend(
                    bounds.iter().filter(usual).step_by(step).map(|b| value(b.min[k], b.max[k])),
                );
                let at = (scratch.len() - 1) * share / 32;
                f64::from(*scratch.select_nth_unstable_by(at, f32::total_cmp).1)
            };
            let center = |lo: f32, hi: f32| 0.5 * lo + 0.5 * hi;
            spread.side[k] = middle(|lo, hi| 0.5 * hi - 0.5 * lo, 16) * 2.0;
            let (lo, hi) = (middle(center, 1), middle(center, 31));
            // If all coordinates are equal, any positive width is good.
            let more = ((hi - lo) / 16.0 + spread.side[k]).max(lo.abs() * 1e-6).max(1e-60);
            (spread.domain.min[k], spread.domain.max[k]) = (lo - more, hi + more);
        }
        Some(spread)
    }
}

impl Layout {
    /// Cells in a domain. A domain that is empty, flat, or not finite is replaced, because any
    /// domain gives correct results. At most [`MAX_CELLS_PER_AXIS`] on an axis and [`MAX_CELLS`]:
    /// where there would be more, the axes with the most get fewer.
    pub(super) fn new(domain: Aabb, count: [u32; 3]) -> Self {
        let limited = |limit: u32| count.map(|n| n.clamp(1, limit));
        let total = |limit: u32| limited(limit).into_iter().map(u64::from).product::<u64>();
        let limit = (1..=MAX_CELLS_PER_AXIS).rev().find(|limit| total(*limit) <= MAX_CELLS);
        let mut layout =
            Self { domain, count: limited(limit.unwrap_or(1)), scale: [1.0; 3], slack: 0.0 };
        for k in 0..3 {
            let (lo, hi) = (&mut layout.domain.min[k], &mut layout.domain.max[k]);
            // Also false for NaN.
            if !(*lo < *hi && lo.abs() < 1e60 && hi.abs() < 1e60 && *hi - *lo > 1e-100) {
                (*lo, *hi) = (-1.0, 1.0);
            }
            layout.scale[k] = f64::from(layout.count[k]) / (*hi - *lo);
            layout.slack = layout.slack.max(1e-12 * (lo.abs().max(hi.abs())));
        }
        layout
    }

    /// The domain cut into at most `max_cells` cells, on each axis about `relative_width` times as
    /// wide as the median box.
    pub(super) fn fitted(spread: &Spread, relative_width: f64, max_cells: f64) -> Self {
        let width = spread.domain.extent().to_array();
        let mut side: [f64; 3] =
            [0, 1, 2].map(|k| (spread.side[k] * relative_width).max(width[k] * 1e-4));
        let count = |side: &[f64; 3]| {
            [0, 1, 2].map(|k| (width[k] / side[k]).ceil().clamp(1.0, f64::from(MAX_CELLS_PER_AXIS)))
        };
        while count(&side).iter().product::<f64>() > max_cells.max(1.0) {
            // The finest cells are made coarser first, so that cells become cubes.
            let finest = side.iter().zip(count(&side)).filter(|(_, n)| *n > 1.0);
            let finest = finest.fold(f64::INFINITY, |f, (s, _)| f.min(*s));
            side = side.map(|s| s.max(finest * 1.1));
        }
        Self::new(spread.domain, count(&side).map(|n| n as u32))
    }

    /// The cell of a coordinate.
    #[inline]
    pub(super) fn cell(&self, axis: usize, x: f64) -> u16 {
        let t = (x - self.domain.min[axis]) * self.scale[axis];
        // The conversion rounds down and saturates: coordinates below go to the first cell.
        (t as u32).min(self.count[axis] - 1) as u16
    }

    /// The coordinate where a cell starts on an axis, up to rounding. The first cell starts at
    /// minus infinity; the index after the last cell gives infinity, where the last cell ends.
    pub(super) fn border(&self, axis: usize, cell: u32) -> f64 {
        if cell == 0 {
            return f64::NEG_INFINITY;
        }
        if cell >= self.count[axis] {
            return f64::INFINITY;
        }
        self.domain.min[axis] + f64::from(cell) / self.scale[axis]
    }

    /// The cells of a box, which may be infinite; no cell for an empty one.
    pub(super) fn cells(&self, bounds: &BoxF32) -> Cells {
        if bounds.is_empty() {
            return Cells::EMPTY;
        }
        Cells {
            lo: [0, 1, 2].map(|k| self.cell(k, f64::from(bounds.min[k]))),
            hi: [0, 1, 2].map(|k| self.cell(k, f64::from(bounds.max[k]))),
        }
    }

    /// The number of all cells.
    pub(super) fn total(&self) -> usize {
        self.count.iter().map(|n| *n as usize).product()
    }

    /// Whether the centre of a box, which is not empty, lies outside the domain.
    pub(super) fn is_center_outside(&self, bounds: &BoxF32) -> bool {
        (0..3).any(|k| {
            let middle = 0.5 * f64::from(bounds.min[k]) + 0.5 * f64::from(bounds.max[k]);
            !(self.domain.min[k] <= middle && middle <= self.domain.max[k])
        })
    }
}

/// Detects that new cells should be chosen: many boxes have left the domain, or there are many more
/// or many fewer of them than when the cells were chosen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fit {
    /// The number of boxes when the cells were chosen.
    chosen_for: usize,
    /// Frames since.
    age: u32,
}

impl Fit {
    /// For cells that have just been chosen for this number of boxes.
    pub(super) fn to(count: usize) -> Self {
        Self { chosen_for: count, age: 0 }
    }

    /// Counts a frame, and returns whether new cells should be chosen. `outside` of the `present`
    /// boxes are outside the domain. This must not happen in every frame, because choosing cells
    /// costs as much as entering all items again.
    pub(super) fn is_outdated(&mut self, present: usize, outside: usize) -> bool {
        self.age = self.age.saturating_add(1);
        let grown = present > 4 * self.chosen_for + 8 || 8 * present + 64 < self.chosen_for;
        grown || (self.age >= 16 && 3 * outside > present + 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::Random;
    use impinge::math::Vec3;

    #[test]
    fn boxes_that_share_a_point_share_a_cell() {
        let mut random = Random::new(1);
        let layout =
            Layout::new(Aabb::from_corners(Vec3::splat(-0.7), Vec3::splat(1.1)), [7, 1, 64]);
        assert_eq!(layout.total(), 7 * 64);
        let mut seen = 0;
        for _ in 0..20_000 {
            let mut draw = || {
                let size = random.range(-3.0, 3.0).exp2();
                let (p, d) = (random.in_cube() * size, random.in_cube().abs() * 0.5);
                let mut b = BoxF32::from(Aabb { min: p, max: p + d });
                if random.index(10) == 0 {
                    b.max[random.index(3)] = f32::INFINITY;
                }
                b
            };
            let (a, b) = (draw(), draw());
            if a.overlaps(&b) {
                seen += 1;
                assert!(!layout.cells(&a).clipped(&layout.cells(&b)).is_empty());
            }
        }
        assert!(seen > 500);
        assert!(layout.cells(&BoxF32::EMPTY).is_empty());
        for cell in 1..64 {
            let x = layout.border(2, cell);
            assert_eq!(u32::from(layout.cell(2, x + layout.slack)), cell);
            assert_eq!(u32::from(layout.cell(2, x - layout.slack)), cell - 1);
        }
    }

    #[test]
    fn outliers_and_unusual_domains_give_good_cells() {
        let at = |x: f32| BoxF32 { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
        let mut boxes: Vec<BoxF32> = (0..1000).map(|i| at(i as f32)).collect();
        boxes.extend([at(1e38), at(-1e38), BoxF32::EMPTY]);
        boxes.push(BoxF32 { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] });
        let spread = Spread::of(&boxes, &mut Vec::new()).unwrap();
        assert_eq!(spread.count, 1002);
        assert!(spread.domain.extent().x < 1100.0, "{spread:?}");
        let layout = Layout::fitted(&spread, 2.0, 4000.0);
        assert!(layout.count[0] > 400 && layout.count[1] <= 2, "{layout:?}");
        let few = Layout::fitted(&spread, 2.0, 10.0);
        assert!(few.total() <= 10 && few.total() > 5, "{few:?}");
        assert!(Spread::of(&boxes[1002..], &mut Vec::new()).is_none());
        let odd = Layout::new(Aabb { min: Vec3::NAN, max: Vec3::INFINITY }, [0, 9999, 3]);
        assert_eq!(odd.count, [1, MAX_CELLS_PER_AXIS, 3]);
        assert_eq!(odd.cells(&boxes[1003]).count(), u64::from(MAX_CELLS_PER_AXIS) * 3);
        let cage = Aabb::from_corners(Vec3::ZERO, Vec3::ONE);
        for (wanted, count) in [
            ([u32::MAX; 3], [256; 3]),
            ([u32::MAX, 1, u32::MAX], [1024, 1, 1024]),
            ([16, u32::MAX, 1000], [16, 1024, 1000]),
            ([17, 1024, 1024], [17, 993, 993]),
        ] {
            assert_eq!(Layout::new(cage, wanted).count, count);
        }
        let point = [BoxF32 { min: [5e37; 3], max: [5e37; 3] }];
        let spread = Spread::of(&point, &mut Vec::new()).unwrap();
        assert!(Layout::fitted(&spread, 1.0, 100.0).total() <= 100);
    }
}
