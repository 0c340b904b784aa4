//! What a scene of this experiment has to offer. To add scenes, implement these traits in a file of
//! their own, and add its `scenes` to those of the experiment.

use anyhow::Result;
use impinge::internals::Random;
use impinge::pair::Budget;

/// Bodies whose budgeted queries are measured.
pub(super) trait Scene {
    /// As in the tables.
    fn name(&self) -> &'static str;

    /// Triangles of both bodies.
    fn triangles(&self) -> usize;

    /// Whether the caches are emptied before every query.
    fn is_cold(&self) -> bool;

    /// Builds what queries within a budget never build.
    fn prepare(&self);

    /// The queries of the scene.
    fn queries(&self) -> Vec<Box<dyn Query + '_>>;
}

/// A query with its state, and the place of the bodies.
pub(super) trait Query {
    /// As in the tables.
    fn name(&self) -> &'static str;

    /// Moves the bodies to a random place, and forgets the state.
    fn place(&mut self, random: &mut Random) -> Result<()>;

    /// Forgets the state, and keeps its memory.
    fn reset(&mut self);

    /// Starts the query, or continues it; whether it is decided within the budget.
    fn within(&mut self, budget: &mut Budget<'_>) -> bool;

    /// The same query without a budget.
    fn unbudgeted(&self);
}
