//! What may be sent on without having been read.

/// A buffer whose content can be joined with that of a later one, so that nothing is lost when the
/// other side is slow.
///
/// `Default` is the empty buffer, and should not allocate.
pub trait Merge: Default {
    /// Appends what is in `newer` to what is in `self`; where both say something of the same thing,
    /// the newer one holds. Leaves `newer` empty with its memory.
    fn merge(&mut self, newer: &mut Self);

    /// Removes the content and keeps the memory.
    fn clear(&mut self);

    /// Whether there is nothing in it.
    fn is_empty(&self) -> bool;
}

/// A list: all that is newer comes after all that is older.
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
