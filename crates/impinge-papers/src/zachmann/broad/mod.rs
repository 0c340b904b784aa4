//! Broad phases.

mod auto;
mod cell_core;
mod cell_tree;
mod cells;
mod entry;
mod grid;
mod kinds;
mod layout;
mod octree;
mod slabs;
mod stab;
mod sweep;

pub use auto::Auto;
pub use cell_core::CellTreeStats;
pub use entry::Entry;
pub use grid::{Grid, GridOptions, GridStats};
pub use kinds::{
    AUTO, BROAD_PHASES, GRID, GRID_ORIENTED, OCTREE, OCTREE_ORIENTED, SLABS, SLABS_ORIENTED, SWEEP,
    phase_by_name,
};
pub use octree::{Octree, OctreeOptions};
pub use slabs::{SlabOctree, SlabOctreeOptions, Slabs};
pub use sweep::{SweepAndPrune, SweepStats};
