//! Receivers of the pairs that a traversal finds. First hits, lists and counts are sinks, not
//! separate traversals: the sink decides when a traversal stops.

use std::ops::ControlFlow;

use crate::answer::Distance;

/// Receives the pairs of triangles that a traversal finds, each once, in an order that the
/// traversal chooses.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use impinge::pair::{Sink, traverse};
/// use impinge::{Pose, shapes};
///
/// /// Stops after a hundred pairs.
/// struct FirstHundred(usize);
///
/// impl Sink for FirstHundred {
///     fn pair(&mut self, _: u32, _: u32) -> ControlFlow<()> {
///         self.0 += 1;
///         if self.0 == 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
///     }
/// }
///
/// let ring = shapes::torus(1.0, 0.4, 48, 24)?;
/// let mut sink = FirstHundred(0);
/// traverse(&ring, &ring, &Pose::IDENTITY, &mut sink);
/// assert_eq!(sink.0, 100);
/// # Ok::<(), impinge::Error>(())
/// ```
pub trait Sink {
    /// Receives a triangle of A and a triangle of B that share a point. [`ControlFlow::Break`] ends
    /// the traversal.
    fn pair(&mut self, a: u32, b: u32) -> ControlFlow<()>;

    /// Whether the sink stops at the first pair. A traversal may then search first where a pair is
    /// likely. The pair that it reports is exact in any case.
    fn stops_at_first(&self) -> bool {
        false
    }
}

/// Stores the first pair and stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct First {
    /// The triangles of A and B, if a pair was found.
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

/// Stores every pair.
#[derive(Clone, Debug, Default)]
pub struct Collect {
    /// The triangles of A and B, in the order in which they were found.
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

/// A key that sorts pairs by triangle of A, then of B, in one comparison.
pub(crate) fn sort_key(&(a, b): &(u32, u32)) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

impl Sink for Collect {
    fn pair(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        self.pairs.push((a, b));
        ControlFlow::Continue(())
    }
}

/// Counts the pairs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// The number of pairs.
    pub pairs: usize,
}

impl Sink for Count {
    fn pair(&mut self, _: u32, _: u32) -> ControlFlow<()> {
        self.pairs += 1;
        ControlFlow::Continue(())
    }
}

/// Two triangles and their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair {
    /// The triangle of A.
    pub triangle_a: u32,
    /// The triangle of B.
    pub triangle_b: u32,
    /// Their closest points in A's frame, and bounds of their distance. Both bounds are zero if and
    /// only if the triangles share a point.
    pub closest: Distance,
}

impl NearPair {
    /// Triangle `a` of A and triangle `b` of B, with their distance.
    #[inline(always)]
    #[must_use]
    pub fn new(a: u32, b: u32, closest: Distance) -> Self {
        Self { triangle_a: a, triangle_b: b, closest: closest.of_triangles(a, b) }
    }
}

/// Receives pairs of triangles that are close to each other, each at most once, in an order that
/// the traversal chooses.
///
/// The sink sets the bound for "close", and may lower it with every pair: that is how the minimum
/// is found.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use impinge::pair::{NearPair, NearSink, near};
/// use impinge::{Pose, shapes};
///
/// /// The distance of the closest triangles, up to a limit.
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
/// let mut clearance = Clearance(10.0); // larger distances are not needed
/// near(&ring, &ring, &Pose::from_translation([3.0, 0.0, 0.0])?, &mut clearance);
/// assert!((clearance.0 - 0.2).abs() < 1e-12);
/// # Ok::<(), impinge::Error>(())
/// ```
pub trait NearSink {
    /// Pairs whose certified lower bound exceeds this need not be reported. Must not grow while a
    /// traversal runs. With infinity every pair is reported, with NaN or a negative number none.
    fn bound(&self) -> f64;

    /// Announces that a pair with `closest.upper <= upper` exists and will be reported, unless the
    /// bound excludes it. A sink that searches for the closest pair may lower its bound to `upper`
    /// at once.
    fn announce_upper_bound(&mut self, upper: f64) {
        let _ = upper;
    }

    /// Receives a pair that shares a point, before its closest points are computed, which takes
    /// longer. [`ControlFlow::Break`] ends the traversal; otherwise the pair is also passed to
    /// `pair`.
    fn meet(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        let _ = (a, b);
        ControlFlow::Continue(())
    }

    /// Receives a pair with `pair.closest.lower <= bound()`. [`ControlFlow::Break`] ends the
    /// traversal.
    fn pair(&mut self, pair: &NearPair) -> ControlFlow<()>;
}
