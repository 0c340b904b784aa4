//! Where the cells of a grid or an octree lie, chosen from the boxes.

use super::cells::Cells;
use impinge::broad::Bounds;
use impinge::math::Aabb;

/// The most cells along an axis.
pub(super) const MOST_CELLS: u32 = 1024;

/// The most cells in all: their lists take 192 MiB before anything is in them.
pub(super) const MOST_CELLS_IN_ALL: u64 = 1 << 24;

/// How many boxes are looked at to choose where cells lie.
const SAMPLES: usize = 1024;

/// Where most of the boxes are, and how large they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    /// From one thirty-second of the centres to thirty-one of them on each axis, and some more: a
    /// few boxes far away do not count.
    pub(super) domain: Aabb,
    /// The median of the sides along each axis.
    pub(super) side: [f64; 3],
    /// How many boxes there are.
    pub(super) count: usize,
}

/// Maps coordinates to cells. Every coordinate has one: those outside of the domain the first or
/// the last. The map is monotone, so boxes that share a point share a cell, rounding included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Where the cells lie, to rounding.
    pub(super) domain: Aabb,
    /// The cells on each axis, at least one.
    pub(super) count: [u32; 3],
    /// Cells in a unit, finite and positive.
    scale: [f64; 3],
    /// More than the borders of cells are off by rounding.
    pub(super) slack: f64,
}

impl Spread {
    /// Of the boxes that are neither empty nor infinite; `None` without such a box.
    pub(super) fn of(bounds: &[Bounds], scratch: &mut Vec<f32>) -> Option<Self> {
        let usual =
            |b: &&Bounds| !b.is_empty() && b.min.iter().chain(&b.max).all(|x| x.is_finite());
        let count = bounds.iter().filter(usual).count();
        if count == 0 {
            return None;
        }
        let step = count.div_ceil(SAMPLES);
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
            // Where the coordinates are all the same, any positive width does.
            let more = ((hi - lo) / 16.0 + spread.side[k]).max(lo.abs() * 1e-6).max(1e-60);
            (spread.domain.min[k], spread.domain.max[k]) = (lo - more, hi + more);
        }
        Some(spread)
    }
}

impl Layout {
    /// Cells in a domain; one that is empty, flat, or not finite is replaced by one that is not,
    /// for any domain will do. At most [`MOST_CELLS`] on an axis and [`MOST_CELLS_IN_ALL`]: where
    /// there would be more, the axes with the most get fewer.
    pub(super) fn new(domain: Aabb, count: [u32; 3]) -> Self {
        let at_most = |most: u32| count.map(|n| n.clamp(1, most));
        let in_all = |most: u32| at_most(most).into_iter().map(u64::from).product::<u64>();
        let most = (1..=MOST_CELLS).rev().find(|most| in_all(*most) <= MOST_CELLS_IN_ALL);
        let mut layout =
            Self { domain, count: at_most(most.unwrap_or(1)), scale: [1.0; 3], slack: 0.0 };
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

    /// The domain cut into cells, on each axis about `wanted` times as wide as the median box, and
    /// at most `most` of them in all.
    pub(super) fn fitted(spread: &Spread, wanted: f64, most: f64) -> Self {
        let width = spread.domain.extent().to_array();
        let mut side: [f64; 3] = [0, 1, 2].map(|k| (spread.side[k] * wanted).max(width[k] * 1e-4));
        let count = |side: &[f64; 3]| {
            [0, 1, 2].map(|k| (width[k] / side[k]).ceil().clamp(1.0, f64::from(MOST_CELLS)))
        };
        while count(&side).iter().product::<f64>() > most.max(1.0) {
            // The finest cells are made coarser first: they are cubes where that matters.
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
        // The conversion is the floor, and saturates: what is below goes to the first cell.
        (t as u32).min(self.count[axis] - 1) as u16
    }

    /// Where the cell begins on an axis, to rounding; the first one begins nowhere, and the one
    /// after the last, where the last one ends, neither.
    pub(super) fn border(&self, axis: usize, cell: u32) -> f64 {
        if cell == 0 {
            return f64::NEG_INFINITY;
        }
        if cell >= self.count[axis] {
            return f64::INFINITY;
        }
        self.domain.min[axis] + f64::from(cell) / self.scale[axis]
    }

    /// The cells of a box, which may be infinite; none of an empty one.
    pub(super) fn cells(&self, bounds: &Bounds) -> Cells {
        if bounds.is_empty() {
            return Cells::EMPTY;
        }
        Cells {
            lo: [0, 1, 2].map(|k| self.cell(k, f64::from(bounds.min[k]))),
            hi: [0, 1, 2].map(|k| self.cell(k, f64::from(bounds.max[k]))),
        }
    }

    /// All cells.
    pub(super) fn total(&self) -> usize {
        self.count.iter().map(|n| *n as usize).product()
    }

    /// Whether the middle of a box that is not empty lies outside of the domain.
    pub(super) fn misses(&self, bounds: &Bounds) -> bool {
        (0..3).any(|k| {
            let middle = 0.5 * f64::from(bounds.min[k]) + 0.5 * f64::from(bounds.max[k]);
            !(self.domain.min[k] <= middle && middle <= self.domain.max[k])
        })
    }
}

/// When cells no longer suit the boxes: many boxes have left the domain, or there are many more or
/// many fewer of them than when the cells were chosen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fit {
    /// Boxes when the cells were chosen.
    chosen_for: usize,
    /// Frames since.
    age: u32,
}

impl Fit {
    /// The cells have just been chosen for this many boxes.
    pub(super) fn to(count: usize) -> Self {
        Self { chosen_for: count, age: 0 }
    }

    /// Counts a frame; whether to choose again, with `outside` of the `present` boxes outside of
    /// the domain. Not in every frame: choosing costs as much as starting anew.
    pub(super) fn is_lost(&mut self, present: usize, outside: usize) -> bool {
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
                let mut b = Bounds::from(Aabb { min: p, max: p + d });
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
        assert!(layout.cells(&Bounds::EMPTY).is_empty());
        for cell in 1..64 {
            let x = layout.border(2, cell);
            assert_eq!(u32::from(layout.cell(2, x + layout.slack)), cell);
            assert_eq!(u32::from(layout.cell(2, x - layout.slack)), cell - 1);
        }
    }

    #[test]
    fn outliers_and_odd_domains_do_not_spoil_the_cells() {
        let at = |x: f32| Bounds { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
        let mut boxes: Vec<Bounds> = (0..1000).map(|i| at(i as f32)).collect();
        boxes.extend([at(1e38), at(-1e38), Bounds::EMPTY]);
        boxes.push(Bounds { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] });
        let spread = Spread::of(&boxes, &mut Vec::new()).unwrap();
        assert_eq!(spread.count, 1002);
        assert!(spread.domain.extent().x < 1100.0, "{spread:?}");
        let layout = Layout::fitted(&spread, 2.0, 4000.0);
        assert!(layout.count[0] > 400 && layout.count[1] <= 2, "{layout:?}");
        let few = Layout::fitted(&spread, 2.0, 10.0);
        assert!(few.total() <= 10 && few.total() > 5, "{few:?}");
        assert!(Spread::of(&boxes[1002..], &mut Vec::new()).is_none());
        let odd = Layout::new(Aabb { min: Vec3::NAN, max: Vec3::INFINITY }, [0, 9999, 3]);
        assert_eq!(odd.count, [1, MOST_CELLS, 3]);
        assert_eq!(odd.cells(&boxes[1003]).count(), u64::from(MOST_CELLS) * 3);
        let cage = Aabb::from_corners(Vec3::ZERO, Vec3::ONE);
        for (wanted, count) in [
            ([u32::MAX; 3], [256; 3]),
            ([u32::MAX, 1, u32::MAX], [1024, 1, 1024]),
            ([16, u32::MAX, 1000], [16, 1024, 1000]),
            ([17, 1024, 1024], [17, 993, 993]),
        ] {
            assert_eq!(Layout::new(cage, wanted).count, count);
        }
        let point = [Bounds { min: [5e37; 3], max: [5e37; 3] }];
        let spread = Spread::of(&point, &mut Vec::new()).unwrap();
        assert!(Layout::fitted(&spread, 1.0, 100.0).total() <= 100);
    }
}
