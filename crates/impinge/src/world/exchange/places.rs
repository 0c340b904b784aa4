//! The positions of the newest entries of a body in a queue.

/// No entry.
pub(super) const NONE: usize = usize::MAX;

/// The value of a free cell of the table.
const FREE: u32 = u32::MAX;

/// The positions of the newest entries of a body in a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The position of its newest pose, or [`NONE`].
    pub(super) pose: usize,
    /// The position of its newest command, or [`NONE`].
    pub(super) command: usize,
    body: u32,
    /// The cell of the table that refers to it.
    cell: u32,
}

/// A hash table from bodies to their places. Its size is proportional to the number of bodies in
/// it, and does not depend on their numbers.
///
/// Linear probing, never more than half full, entries are removed only all at once. It is never
/// iterated over.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    places: Vec<Place>,
    /// Indices into `places`, or [`FREE`]. The length is a power of two, or zero.
    table: Vec<u32>,
}

impl Places {
    /// The place of `body`, which is added if there is none.
    #[inline]
    pub(super) fn of(&mut self, body: u32) -> &mut Place {
        if self.places.len() * 2 >= self.table.len() {
            self.grow();
        }
        let cell = self.find(body);
        let index = match self.table[cell] {
            FREE => {
                let index = self.places.len();
                self.table[cell] = index as u32;
                self.places.push(Place { pose: NONE, command: NONE, body, cell: cell as u32 });
                index
            }
            index => index as usize,
        };
        &mut self.places[index]
    }

    pub(super) fn clear(&mut self) {
        // The time for a small frame does not depend on the table of a large frame before.
        if self.places.len() * 16 < self.table.len() {
            for place in &self.places {
                self.table[place.cell as usize] = FREE;
            }
        } else {
            self.table.fill(FREE);
        }
        self.places.clear();
    }

    /// The cell that refers to `body`, or the free cell where it would be added.
    #[inline]
    fn find(&self, body: u32) -> usize {
        let mask = self.table.len() - 1;
        // Fibonacci hashing: the high bits of the product with 2^64 / golden ratio.
        let hash = u64::from(body).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let mut cell = hash as usize & mask;
        loop {
            let index = self.table[cell];
            if index == FREE || self.places[index as usize].body == body {
                return cell;
            }
            cell = (cell + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(16);
        self.table.clear();
        self.table.resize(size, FREE);
        for index in 0..self.places.len() {
            let cell = self.find(self.places[index].body);
            self.table[cell] = index as u32;
            self.places[index].cell = cell as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn agrees_with_a_map() {
        let mut places = Places::default();
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32
        };
        for round in 0..20 {
            let mut map = HashMap::new();
            let range = [1, 7, 1000, u32::MAX][round % 4];
            for n in 0..[3, 5000, 100][round % 3] {
                // Consecutive numbers, strides, and the largest numbers.
                let body = [random() % range, n * 4096, u32::MAX - n % 3][n as usize % 3];
                let place = places.of(body);
                assert_eq!(place.pose, map.get(&body).copied().unwrap_or(NONE));
                place.pose = n as usize;
                map.insert(body, n as usize);
            }
            places.clear();
            assert!(places.table.iter().all(|&c| c == FREE));
        }
    }
}
