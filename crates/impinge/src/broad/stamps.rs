//! Marks that are cleared in constant time: time-stamps (Zachmann 1994, section 7.3.1).

/// A set of small numbers that is emptied in constant time: a number is in the set if its stamp is
/// the current one.
#[derive(Clone, Debug)]
pub struct Stamps {
    stamps: Vec<u32>,
    /// The current stamp. Never zero, which is the stamp of numbers that were never marked.
    now: u32,
}

impl Default for Stamps {
    fn default() -> Self {
        Self { stamps: Vec::new(), now: 1 }
    }
}

impl Stamps {
    /// Makes space for the numbers below `count`; marks are kept.
    pub fn reserve(&mut self, count: usize) {
        if self.stamps.len() < count {
            self.stamps.resize(count, 0);
        }
    }

    /// Empties the set. Once in four billion calls the current stamp wraps, and all stamps are
    /// cleared.
    pub fn clear(&mut self) {
        self.now = self.now.checked_add(1).unwrap_or_else(|| {
            self.stamps.fill(0);
            1
        });
    }

    /// Adds a number; returns whether it was new.
    #[inline]
    pub fn mark(&mut self, number: u32) -> bool {
        let stamp = &mut self.stamps[number as usize];
        let new = *stamp != self.now;
        *stamp = self.now;
        new
    }

    /// Removes a number; returns whether it was in the set.
    #[inline]
    pub fn unmark(&mut self, number: u32) -> bool {
        let stamp = &mut self.stamps[number as usize];
        let there = *stamp == self.now;
        if there {
            *stamp = 0;
        }
        there
    }

    /// Whether a number is in the set.
    #[inline]
    #[must_use]
    pub fn has(&self, number: u32) -> bool {
        self.stamps[number as usize] == self.now
    }

    /// The memory held, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.stamps.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_cleared_also_when_the_stamp_wraps() {
        let mut stamps = Stamps::default();
        stamps.reserve(4);
        assert!(stamps.mark(2) && !stamps.mark(2) && stamps.has(2) && !stamps.has(0));
        assert!(stamps.unmark(2) && !stamps.unmark(2) && stamps.mark(2));
        stamps.clear();
        assert!(!stamps.has(2) && stamps.mark(2));
        stamps.now = u32::MAX;
        assert!(stamps.mark(1));
        stamps.clear();
        assert!((0..4).all(|i| !stamps.has(i)));
        stamps.reserve(9);
        assert!(stamps.mark(8) && stamps.bytes() >= 36);
    }
}
