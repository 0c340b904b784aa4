//! Where pairs go. A traversal knows nothing of first hits, lists or budgets: the sink says when to stop.

use std::ops::ControlFlow;

/// Receives the pairs of triangles a traversal finds, each once, in an order of the traversal's own.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use impinge::pair::{Sink, traverse};
/// use impinge::{Pose, shapes};
///
/// /// Stops after a hundred pairs.
/// struct Enough(usize);
///
/// impl Sink for Enough {
///     fn pair(&mut self, _: u32, _: u32) -> ControlFlow<()> {
///         self.0 += 1;
///         if self.0 == 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
///     }
/// }
///
/// let ring = shapes::torus(1.0, 0.4, 48, 24)?;
/// let mut enough = Enough(0);
/// traverse(&ring, &ring, &Pose::IDENTITY, &mut enough);
/// assert_eq!(enough.0, 100);
/// # Ok::<(), impinge::Error>(())
/// ```
pub trait Sink {
    /// Takes a triangle of A and a triangle of B that share a point; [`ControlFlow::Break`] ends the traversal.
    fn pair(&mut self, a: u32, b: u32) -> ControlFlow<()>;

    /// Whether the sink stops at the first pair. A traversal may then look where one is likely before it looks elsewhere; what it reports is no less true.
    fn stops_at_first(&self) -> bool {
        false
    }
}

/// Keeps the first pair and stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct First {
    /// The triangles of A and B, once there are any.
    pub pair: Option<(u32, u32)>,
}

impl Sink for First {
    fn pair(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        self.pair = Some((a, b));
        ControlFlow::Break(())
    }

    fn stops_at_first(&self) -> bool {
        true
    }
}

/// Keeps every pair.
#[derive(Clone, Debug, Default)]
pub struct Collect {
    /// The triangles of A and B, in the order they were found.
    pub pairs: Vec<(u32, u32)>,
}

impl Collect {
    /// The pairs sorted by triangle of A, then of B.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<(u32, u32)> {
        self.pairs.sort_unstable();
        self.pairs
    }
}

impl Sink for Collect {
    fn pair(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        self.pairs.push((a, b));
        ControlFlow::Continue(())
    }
}

/// Counts pairs and keeps none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// How many there were.
    pub pairs: usize,
}

impl Sink for Count {
    fn pair(&mut self, _: u32, _: u32) -> ControlFlow<()> {
        self.pairs += 1;
        ControlFlow::Continue(())
    }
}
