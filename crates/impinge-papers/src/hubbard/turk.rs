//! Turk's uniform subdivision of space (G. Turk 1990, "Interactive collision detection for
//! molecular graphics"), which Hubbard compares space-time bounds with (section IX).
//!
//! In every frame all boxes are entered into the cells of a grid from scratch, and the boxes in a
//! cell are compared. Cells are found by hashing, so the space is not limited.

use impinge::Aabb;

/// The largest number of cells that a box is entered into; larger boxes are compared with all.
const MAX_CELLS: f64 = 512.0;

/// A uniform grid, filled again for every frame.
#[derive(Clone, Debug)]
pub struct TurkGrid {
    cell: f64,
    /// The first entry of each bucket, valid if its stamp is that of the frame.
    heads: Vec<(u32, u32)>,
    entries: Vec<Entry>,
    large: Vec<u32>,
    frame: u32,
    compared: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    cell: [i64; 3],
    item: u32,
    next: u32,
}

const NONE: u32 = u32::MAX;

impl TurkGrid {
    /// A grid with cells of this size. Best are cells of about the size of the boxes.
    ///
    /// # Panics
    /// If the size is not a positive finite number.
    #[must_use]
    pub fn new(cell: f64) -> Self {
        assert!(cell > 0.0 && cell.is_finite(), "a cell of size {cell}");
        Self {
            cell,
            heads: Vec::new(),
            entries: Vec::new(),
            large: Vec::new(),
            frame: 0,
            compared: 0,
        }
    }

    /// The number of pairs of boxes that were compared since the grid was made.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// The cells of the smallest and of the largest coordinates of a box; `None` if there are too
    /// many.
    fn cells(&self, bounds: &Aabb) -> Option<[[i64; 3]; 2]> {
        let at = |x: f64| (x / self.cell).floor();
        let [min, max] = [bounds.min, bounds.max].map(|corner| corner.to_array().map(at));
        let spans = [0, 1, 2].map(|k| max[k] - min[k] + 1.0);
        let is_small = spans.iter().product::<f64>() <= MAX_CELLS;
        let in_range = min.iter().chain(&max).all(|x| x.abs() < 1e15);
        (is_small && in_range).then(|| [min, max].map(|corner| corner.map(|x| x as i64)))
    }

    fn bucket(&self, [x, y, z]: [i64; 3]) -> usize {
        let mix =
            |h: u64, x: i64| (h ^ x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let hash = [y, z].into_iter().fold(mix(0x1234_5678, x), mix);
        (hash >> 7) as usize & (self.heads.len() - 1)
    }

    /// Passes every pair of boxes that overlap to `found`, once, with the smaller index first,
    /// until it returns false. Empty boxes overlap nothing.
    pub fn pairs(&mut self, boxes: &[Aabb], mut found: impl FnMut(u32, u32) -> bool) {
        self.entries.clear();
        self.large.clear();
        self.frame = self.frame.wrapping_add(1);
        let buckets = (8 * boxes.len()).next_power_of_two().max(16);
        if self.heads.len() != buckets || self.frame == 0 {
            self.frame = 1;
            self.heads.clear();
            self.heads.resize(buckets, (0, NONE));
        }
        for (item, bounds) in boxes.iter().enumerate() {
            if bounds.is_empty() {
                continue;
            }
            let Some([min, max]) = self.cells(bounds) else {
                self.large.push(item as u32);
                for (other, their) in boxes.iter().enumerate() {
                    // A pair of two large boxes is passed by the later one.
                    let is_later = other > item && self.cells(their).is_none();
                    if other == item || is_later || their.is_empty() {
                        continue;
                    }
                    self.compared += 1;
                    let pair = (item.min(other) as u32, item.max(other) as u32);
                    if bounds.overlaps(their) && !found(pair.0, pair.1) {
                        return;
                    }
                }
                continue;
            };
            for x in min[0]..=max[0] {
                for y in min[1]..=max[1] {
                    for z in min[2]..=max[2] {
                        if !self.enter(item as u32, [x, y, z], boxes, &mut found) {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Compares a box with the others in a cell, and enters it.
    fn enter(
        &mut self,
        item: u32,
        cell: [i64; 3],
        boxes: &[Aabb],
        found: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        let bucket = self.bucket(cell);
        let (stamp, head) = self.heads[bucket];
        let head = if stamp == self.frame { head } else { NONE };
        let mut at = head;
        let bounds = &boxes[item as usize];
        while at != NONE {
            let Entry { cell: their_cell, item: other, next } = self.entries[at as usize];
            at = next;
            if their_cell != cell {
                continue;
            }
            self.compared += 1;
            let their = &boxes[other as usize];
            if !bounds.overlaps(their) {
                continue;
            }
            // A pair that shares several cells belongs to the cell of the smallest corner of its
            // intersection.
            let corner = bounds.min.max(their.min).to_array();
            let is_first = (0..3).all(|k| (corner[k] / self.cell).floor() as i64 == cell[k]);
            if is_first && !found(other.min(item), other.max(item)) {
                return false;
            }
        }
        self.heads[bucket] = (self.frame, self.entries.len() as u32);
        self.entries.push(Entry { cell, item, next: head });
        true
    }
}

#[cfg(test)]
mod tests {
    use impinge::Vec3;
    use impinge::internals::Random;

    use super::*;

    #[test]
    fn all_pairs_are_found_once() {
        let mut random = Random::new(9);
        for cell in [0.3, 1.0, 50.0, 1e-3] {
            let mut grid = TurkGrid::new(cell);
            for frame in 0..5 {
                let mut boxes: Vec<Aabb> = (0..120)
                    .map(|n| {
                        let size = if n % 17 == 0 { 4.0 } else { 0.7 };
                        let min = random.in_cube() * 5.0;
                        Aabb::from_corners(min, min + Vec3::splat(size) * random.unit())
                    })
                    .collect();
                boxes[3] = Aabb::EMPTY;
                boxes[4] = Aabb::from_corners(boxes[5].max, boxes[5].max + Vec3::ONE);
                let mut pairs = Vec::new();
                grid.pairs(&boxes, |a, b| {
                    pairs.push((a, b));
                    true
                });
                let mut all = Vec::new();
                for a in 0..boxes.len() {
                    for b in a + 1..boxes.len() {
                        if !boxes[a].is_empty()
                            && !boxes[b].is_empty()
                            && boxes[a].overlaps(&boxes[b])
                        {
                            all.push((a as u32, b as u32));
                        }
                    }
                }
                pairs.sort_unstable();
                assert_eq!(pairs, all, "cells of {cell}, frame {frame}");
                let mut first = None;
                grid.pairs(&boxes, |a, b| {
                    first = Some((a, b));
                    false
                });
                assert!(first.is_some_and(|pair| all.contains(&pair)));
            }
        }
    }
}
