//! A set of numbers that is cleared in constant time, by time stamps (Zachmann 1994, section
//! 7.3.1).

/// A set of small numbers that is cleared in constant time: a number is in the set if its stamp is
/// the current one.
#[derive(Clone, Debug)]
pub struct Stamps {
    stamps: Vec<u32>,
    /// The current stamp. Never zero, which is the stamp of numbers that are not in the set.
    current: u32,
}

impl Default for Stamps {
    fn default() -> Self {
        Self { stamps: Vec::new(), current: 1 }
    }
}

impl Stamps {
    /// Makes space for the numbers below `count`; the set does not change.
    pub fn reserve(&mut self, count: usize) {
        if self.stamps.len() < count {
            self.stamps.resize(count, 0);
        }
    }

    /// Clears the set. Once in four billion calls the current stamp wraps, and all stamps are
    /// reset.
    pub fn clear(&mut self) {
        self.current = self.current.checked_add(1).unwrap_or_else(|| {
            self.stamps.fill(0);
            1
        });
    }

    /// Adds a number; returns whether it was new.
    #[inline]
    pub fn mark(&mut self, number: u32) -> bool {
        let stamp = &mut self.stamps[number as usize];
        let is_new = *stamp != self.current;
        *stamp = self.current;
        is_new
    }

    /// Removes a number; returns whether it was in the set.
    #[cfg(feature = "internals")]
    #[inline]
    pub fn unmark(&mut self, number: u32) -> bool {
        let stamp = &mut self.stamps[number as usize];
        let present = *stamp == self.current;
        if present {
            *stamp = 0;
        }
        present
    }

    /// Whether a number is in the set.
    #[inline]
    #[must_use]
    pub fn has(&self, number: u32) -> bool {
        self.stamps[number as usize] == self.current
    }

    /// The current stamp.
    #[cfg(test)]
    pub(crate) fn current(&self) -> u32 {
        self.current
    }

    /// Sets the current stamp, to test the wrap.
    #[cfg(test)]
    pub(crate) fn set_current(&mut self, stamp: u32) {
        self.current = stamp;
    }

    /// The memory held, in bytes.
    #[cfg(any(test, feature = "internals"))]
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.stamps.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_is_cleared_also_when_the_stamp_wraps() {
        let mut stamps = Stamps::default();
        stamps.reserve(4);
        assert!(stamps.mark(2) && !stamps.mark(2) && stamps.has(2) && !stamps.has(0));
        stamps.clear();
        assert!(!stamps.has(2) && stamps.mark(2));
        stamps.current = u32::MAX;
        assert!(stamps.mark(1));
        stamps.clear();
        assert!((0..4).all(|i| !stamps.has(i)));
        stamps.reserve(9);
        assert!(stamps.mark(8) && stamps.bytes() >= 36);
    }

    #[cfg(feature = "internals")]
    #[test]
    fn numbers_are_removed() {
        let mut stamps = Stamps::default();
        stamps.reserve(4);
        assert!(!stamps.unmark(2) && stamps.mark(2));
        assert!(stamps.unmark(2) && !stamps.unmark(2) && stamps.mark(2));
    }
}
