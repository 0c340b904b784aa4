//! Many short lists of numbers in one block of memory.

/// No chunk.
const NO_CHUNK: u32 = u32::MAX;

/// Numbers in a chunk; with the link to the next chunk it fills 32 bytes.
const NUMBERS_PER_CHUNK: usize = 7;

/// A list in a [`Lists`]. Only its first chunk may be partly filled. The order of the numbers is
/// arbitrary, but the same after the same operations.
#[derive(Clone, Copy, Debug)]
pub struct List {
    head: u32,
    len: u32,
}

/// The memory of lists. A chunk that one list frees is reused by another list, so the memory grows
/// to the largest number of chunks in use at one time and no further. (Object arrays that grow and
/// shrink with hysteresis, section 7.3.4 of Zachmann 1994, still allocate memory whenever one cell
/// has more entries than ever before.)
#[derive(Clone, Debug)]
pub struct Lists {
    chunks: Vec<Chunk>,
    free: u32,
}

#[derive(Clone, Copy, Debug)]
struct Chunk {
    numbers: [u32; NUMBERS_PER_CHUNK],
    next: u32,
}

impl Default for List {
    fn default() -> Self {
        Self { head: NO_CHUNK, len: 0 }
    }
}

impl Default for Lists {
    fn default() -> Self {
        Self { chunks: Vec::new(), free: NO_CHUNK }
    }
}

impl List {
    /// The number of entries.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether the list is empty.
    #[cfg(any(test, feature = "internals"))]
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of entries in the first chunk.
    #[inline]
    fn filled(&self) -> usize {
        if self.len == 0 { 0 } else { (self.len as usize - 1) % NUMBERS_PER_CHUNK + 1 }
    }
}

impl Lists {
    /// Adds a number to a list.
    pub fn push(&mut self, list: &mut List, number: u32) {
        let mut filled = list.filled();
        if list.len == 0 || filled == NUMBERS_PER_CHUNK {
            let next = std::mem::replace(&mut list.head, self.take());
            self.chunks[list.head as usize].next = next;
            filled = 0;
        }
        self.chunks[list.head as usize].numbers[filled] = number;
        list.len += 1;
    }

    /// Removes one occurrence of a number from a list; returns whether there was one.
    pub fn remove(&mut self, list: &mut List, number: u32) -> bool {
        let (mut chunk, mut filled) = (list.head, list.filled());
        while chunk != NO_CHUNK {
            let c = &self.chunks[chunk as usize];
            if let Some(k) = c.numbers[..filled].iter().position(|n| *n == number) {
                let last = self.pop(list);
                // If the number itself was the last one, its chunk may be free now: writing there
                // has no effect.
                self.chunks[chunk as usize].numbers[k] = last;
                return true;
            }
            (chunk, filled) = (c.next, NUMBERS_PER_CHUNK);
        }
        false
    }

    /// Removes the last number of a list that is not empty.
    fn pop(&mut self, list: &mut List) -> u32 {
        let filled = list.filled();
        let head = list.head;
        let number = self.chunks[head as usize].numbers[filled - 1];
        list.len -= 1;
        if filled == 1 {
            list.head = self.chunks[head as usize].next;
            self.chunks[head as usize].next = self.free;
            self.free = head;
        }
        number
    }

    /// Empties a list.
    #[cfg(any(test, feature = "internals"))]
    pub fn clear(&mut self, list: &mut List) {
        while list.len > 0 {
            list.len -= list.filled() as u32 - 1;
            self.pop(list);
        }
    }

    /// The numbers of a list, chunk by chunk.
    #[inline]
    pub fn pieces(&self, list: List) -> impl Iterator<Item = &[u32]> {
        let (mut chunk, mut filled) = (list.head, list.filled());
        std::iter::from_fn(move || {
            let c = self.chunks.get(chunk as usize)?;
            let piece = &c.numbers[..filled];
            (chunk, filled) = (c.next, NUMBERS_PER_CHUNK);
            Some(piece)
        })
    }

    /// The numbers of a list.
    #[inline]
    pub fn numbers(&self, list: List) -> impl Iterator<Item = u32> {
        self.pieces(list).flatten().copied()
    }

    /// Frees all chunks and keeps their memory. Lists in use become invalid.
    pub fn reset(&mut self) {
        self.chunks.clear();
        self.free = NO_CHUNK;
    }

    /// The memory held, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.chunks.capacity() * size_of::<Chunk>()
    }

    fn take(&mut self) -> u32 {
        if self.free == NO_CHUNK {
            self.chunks.push(Chunk { numbers: [0; NUMBERS_PER_CHUNK], next: NO_CHUNK });
            return self.chunks.len() as u32 - 1;
        }
        let chunk = self.free;
        self.free = self.chunks[chunk as usize].next;
        chunk
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn lists_hold_the_numbers_that_were_added_and_share_their_memory() {
        let mut random = Random::new(9);
        let mut lists = Lists::default();
        let mut own = [List::default(); 5];
        let mut known = vec![Vec::new(); 5];
        let mut most = 0;
        for _ in 0..20_000 {
            let (k, number) = (random.index(5), random.index(30) as u32);
            match random.index(100) {
                0 => {
                    lists.clear(&mut own[k]);
                    known[k].clear();
                }
                1..45 => {
                    let at = known[k].iter().position(|n| *n == number);
                    assert_eq!(lists.remove(&mut own[k], number), at.is_some());
                    at.map(|i| known[k].swap_remove(i));
                }
                _ => {
                    lists.push(&mut own[k], number);
                    known[k].push(number);
                }
            }
            for (list, known) in own.iter().zip(&mut known) {
                assert_eq!(list.len(), known.len());
                let mut numbers: Vec<u32> = lists.numbers(*list).collect();
                numbers.sort_unstable();
                known.sort_unstable();
                assert_eq!(numbers, *known);
            }
            most = most.max(known.iter().map(|k| k.len().div_ceil(NUMBERS_PER_CHUNK)).sum());
        }
        assert_eq!(lists.chunks.len(), most);
        assert_eq!(size_of::<Chunk>(), 32);
        lists.reset();
        assert!(lists.bytes() > 0);
    }
}
