//! Many moving boxes: scenes of them, files of them, and what a broad phase takes to follow them.

pub(crate) mod file;
pub(crate) mod follow;
pub(crate) mod scenes;
pub(crate) mod table;
