//! Where pairs go. A traversal knows nothing of first hits, lists or budgets: the sink says when to
//! stop.

use std::ops::ControlFlow;

use crate::answer::Distance;

/// Receives the pairs of triangles a traversal finds, each once, in an order of the traversal's
/// own.
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
    /// Takes a triangle of A and a triangle of B that share a point; [`ControlFlow::Break`] ends
    /// the traversal.
    fn pair(&mut self, a: u32, b: u32) -> ControlFlow<()>;

    /// Whether the sink stops at the first pair. A traversal may then look where one is likely
    /// before it looks elsewhere; what it reports is no less true.
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
        self.pairs.sort_unstable_by_key(sort_key);
        self.pairs
    }
}

/// Pairs in the order of their triangle of A, then of B, by one comparison.
pub(crate) fn sort_key(&(a, b): &(u32, u32)) -> u64 {
    u64::from(a) << 32 | u64::from(b)
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

/// Two triangles, and how far apart they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair {
    /// The triangle of A.
    pub a: u32,
    /// The triangle of B.
    pub b: u32,
    /// Their closest points in A's frame, and bounds of their distance: both zero exactly if they
    /// share a point.
    pub closest: Distance,
}

impl NearPair {
    /// Triangle `a` of A and triangle `b` of B, which are this far apart.
    #[inline(always)]
    #[must_use]
    pub fn new(a: u32, b: u32, closest: Distance) -> Self {
        Self { a, b, closest: closest.of_triangles(a, b) }
    }
}

/// Receives pairs of triangles that are close to each other, each at most once, in an order of the
/// traversal's own.
///
/// The sink says what "close" means, and may ask for less and less as pairs come in: that is how
/// the minimum is found.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use impinge::pair::{NearPair, NearSink, near};
/// use impinge::{Pose, shapes};
///
/// /// How close the closest triangles are, as far as it matters.
/// struct Clearance(f64);
///
/// impl NearSink for Clearance {
///     fn bound(&self) -> f64 {
///         self.0
///     }
///
///     fn pair(&mut self, pair: &NearPair) -> ControlFlow<()> {
///         self.0 = self.0.min(pair.closest.upper);
///         if self.0 > 0.0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
///     }
/// }
///
/// let ring = shapes::torus(1.0, 0.4, 48, 24)?;
/// let mut clearance = Clearance(10.0); // nothing above ten is of interest
/// near(&ring, &ring, &Pose::from_translation([3.0, 0.0, 0.0])?, &mut clearance);
/// assert!((clearance.0 - 0.2).abs() < 1e-12);
/// # Ok::<(), impinge::Error>(())
/// ```
pub trait NearSink {
    /// Pairs whose certified lower bound exceeds this are of no interest. Must never grow while a
    /// traversal runs; infinity asks for every pair, NaN or a negative number for none.
    fn bound(&self) -> f64;

    /// Says beforehand that a pair with `closest.upper <= upper` exists and will come, unless the
    /// bound keeps it out: a sink that is after the closest pair may lower its bound to `upper` at
    /// once.
    fn foresee(&mut self, upper: f64) {
        let _ = upper;
    }

    /// Takes a pair that meets, before its closest points are looked for, which takes longer:
    /// [`ControlFlow::Break`] ends the traversal, otherwise it comes to `pair`, too.
    fn meet(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        let _ = (a, b);
        ControlFlow::Continue(())
    }

    /// Takes a pair with `pair.closest.lower <= bound()`; [`ControlFlow::Break`] ends the
    /// traversal.
    fn pair(&mut self, pair: &NearPair) -> ControlFlow<()>;
}
