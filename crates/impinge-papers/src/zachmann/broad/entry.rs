//! By which box items are entered into cells.

/// The box that decides which cells of a grid or an octree an item is in (Zachmann 1994, section
/// 5.5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Entry {
    /// The axis-aligned one: quick, and the cells that change are those of the difference of two
    /// boxes of integers.
    #[default]
    Aligned,
    /// The oriented one, where the frame has oriented boxes: fewer cells and fewer neighbours, but
    /// more work to find the cells.
    Oriented,
}
