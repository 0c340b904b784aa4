//! Where hits go. A traversal knows nothing of first hits, lists or budgets: the sink says when to stop.

use std::ops::ControlFlow;

use super::Hit;

/// Receives the pairs a traversal finds, each once, in an order of the traversal's own.
pub trait Sink {
    /// Takes a pair; [`ControlFlow::Break`] ends the traversal.
    fn hit(&mut self, hit: Hit) -> ControlFlow<()>;
}

/// Keeps the first hit and stops.
#[derive(Clone, Debug, Default)]
pub struct First {
    /// The hit, once there is one.
    pub hit: Option<Hit>,
}

impl Sink for First {
    fn hit(&mut self, hit: Hit) -> ControlFlow<()> {
        self.hit = Some(hit);
        ControlFlow::Break(())
    }
}

/// Keeps every hit.
#[derive(Clone, Debug, Default)]
pub struct Collect {
    /// The hits, in the order they were found.
    pub hits: Vec<Hit>,
}

impl Collect {
    /// The hits sorted by triangle of A, then of B.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Hit> {
        self.hits.sort_unstable_by_key(|h| (h.a, h.b));
        self.hits
    }
}

impl Sink for Collect {
    fn hit(&mut self, hit: Hit) -> ControlFlow<()> {
        self.hits.push(hit);
        ControlFlow::Continue(())
    }
}

/// Counts hits and keeps none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// How many there were.
    pub hits: usize,
}

impl Sink for Count {
    fn hit(&mut self, _: Hit) -> ControlFlow<()> {
        self.hits += 1;
        ControlFlow::Continue(())
    }
}
