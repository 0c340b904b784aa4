//! Boxes in the integer coordinates of a grid, and their differences (Zachmann 1994, section
//! 5.4.3).

/// The cells from `lo` to `hi` on each axis, both included; empty where a `lo` exceeds its `hi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cells {
    pub(super) lo: [u16; 3],
    pub(super) hi: [u16; 3],
}

impl Cells {
    /// No cell.
    pub(super) const EMPTY: Self = Self { lo: [1; 3], hi: [0; 3] };

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        (0..3).any(|k| self.lo[k] > self.hi[k])
    }

    /// The number of cells along an axis, for boxes that are not empty.
    #[inline]
    pub(super) fn along(&self, axis: usize) -> usize {
        usize::from(self.hi[axis] - self.lo[axis]) + 1
    }

    /// The number of cells.
    pub(super) fn count(&self) -> u64 {
        if self.is_empty() { 0 } else { (0..3).map(|k| self.along(k) as u64).product() }
    }

    /// The intersection with another box.
    #[inline]
    pub(super) fn clipped(&self, to: &Self) -> Self {
        let both = Self {
            lo: [0, 1, 2].map(|k| self.lo[k].max(to.lo[k])),
            hi: [0, 1, 2].map(|k| self.hi[k].min(to.hi[k])),
        };
        if both.is_empty() { Self::EMPTY } else { both }
    }

    /// Calls `part` with the parts of this box outside the other one: at most six disjoint boxes,
    /// those of the thesis. If the two boxes are disjoint, this is the whole box.
    pub(super) fn without(&self, other: &Self, mut part: impl FnMut(Self)) {
        if self.is_empty() {
            return;
        }
        let inner = self.clipped(other);
        if inner.is_empty() {
            return part(*self);
        }
        // The rest is cut at the inner box along one axis after the other.
        let mut rest = *self;
        for k in 0..3 {
            if rest.lo[k] < inner.lo[k] {
                let mut below = rest;
                below.hi[k] = inner.lo[k] - 1;
                part(below);
            }
            if rest.hi[k] > inner.hi[k] {
                let mut above = rest;
                above.lo[k] = inner.hi[k] + 1;
                part(above);
            }
            (rest.lo[k], rest.hi[k]) = (inner.lo[k], inner.hi[k]);
        }
    }

    /// Calls `cell` with the coordinates of each cell.
    #[inline]
    pub(super) fn for_each(&self, mut cell: impl FnMut([u16; 3])) {
        for z in self.lo[2]..=self.hi[2] {
            for y in self.lo[1]..=self.hi[1] {
                for x in self.lo[0]..=self.hi[0] {
                    cell([x, y, z]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::Random;

    #[test]
    fn the_difference_holds_each_cell_of_one_box_that_is_not_in_the_other_once() {
        let mut random = Random::new(4);
        for _ in 0..3000 {
            let mut draw = || {
                let lo = [0; 3].map(|_| random.index(6) as u16);
                let hi = lo.map(|l| l + random.index(4) as u16);
                if random.index(20) == 0 { Cells::EMPTY } else { Cells { lo, hi } }
            };
            let (new, old) = (draw(), draw());
            let mut times = [0; 1000];
            let index =
                |c: [u16; 3]| usize::from(c[0]) + 10 * usize::from(c[1]) + 100 * usize::from(c[2]);
            let mut parts = 0;
            new.without(&old, |part| {
                parts += 1;
                assert!(!part.is_empty() && part.clipped(&new) == part);
                part.for_each(|c| times[index(c)] += 1);
            });
            assert!(parts <= 6);
            let mut wanted = [0; 1000];
            if !new.is_empty() {
                new.for_each(|c| wanted[index(c)] += 1);
            }
            if !old.is_empty() {
                old.for_each(|c| wanted[index(c)] = 0);
            }
            assert_eq!(times, wanted, "{new:?} {old:?}");
        }
    }

    #[test]
    fn a_small_move_gives_at_most_three_parts() {
        let old = Cells { lo: [2; 3], hi: [4; 3] };
        let new = Cells { lo: [3; 3], hi: [5; 3] };
        let (mut parts, mut cells) = (0, 0);
        new.without(&old, |part| (parts, cells) = (parts + 1, cells + part.count()));
        assert_eq!((parts, cells), (3, 27 - 8));
        new.without(&new, |_| panic!("nothing is new"));
    }
}
