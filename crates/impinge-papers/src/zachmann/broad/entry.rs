//! The kind of box by which items are entered into cells.

/// The box that determines which cells of a grid or an octree an item is in (Zachmann 1994, section
/// 5.5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Entry {
    /// The axis-aligned box: fast, and the cells that change are the difference of two boxes in
    /// integer coordinates.
    #[default]
    Aligned,
    /// The oriented box, if the frame has oriented boxes: fewer cells and fewer neighbours, but
    /// more work to find the cells.
    Oriented,
}
