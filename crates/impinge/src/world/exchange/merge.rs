//! Buffers that can be merged if they were not read.

/// A buffer whose content can be merged with that of a later one, so that nothing is lost when the
/// other side is slow.
///
/// `Default` is the empty buffer, and should not allocate.
pub trait Merge: Default {
    /// Appends the content of `newer`; entries of `newer` replace older ones about the same item.
    /// Leaves `newer` empty, with its memory.
    fn merge(&mut self, newer: &mut Self);

    /// Removes the content and keeps the memory.
    fn clear(&mut self);

    /// Whether it is empty.
    fn is_empty(&self) -> bool;
}

/// A list: newer entries come after older ones.
impl<T> Merge for Vec<T> {
    fn merge(&mut self, newer: &mut Self) {
        self.append(newer);
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}
