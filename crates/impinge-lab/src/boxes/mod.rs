//! Many moving boxes: scenes, files, and the time of a broad phase that follows them.

pub(crate) mod file;
pub(crate) mod follow;
pub(crate) mod scenes;
pub(crate) mod table;
