//! Queries between two hulls: whether they intersect, their distance, their penetration depth.
//!
//! | question | answer |
//! | --- | --- |
//! | Do they share a point? | [`intersects`]: a [`Verdict`] with its proof |
//! | How far apart are they? | [`distance`]: bounds and closest points |
//! | How deep do they overlap? | [`contact`]: distance or depth, with points and direction |
//!
//! Each has a variant that takes a [`HullCache`], for bodies that move a little between queries,
//! and one that stops when a [`Budget`](crate::budget::Budget) is spent
//! ([`intersects_within`], [`distance_within`], [`contact_within`]).
//!
//! The method is the search for the point of the Minkowski difference closest to the origin
//! (`gjk.rs`), first in `f32` (`search_f32.rs`). It starts where ellipsoids would be closest
//! (`ellipsoids.rs`) or where the last query ended (`start.rs`), and finds furthest vertices in a
//! table of directions (`support_table.rs`, `cells.rs`). The result is confirmed in `f64`. For the
//! depth, a polytope grows around the origin (`expand.rs`). Every bound includes its rounding, and
//! what floating point cannot decide goes to [exact arithmetic](super::decide). No answer depends
//! on a limit of steps.

mod answer;
mod boundary;
mod bounds;
mod cache;
mod cells;
mod certify;
#[cfg(feature = "internals")]
mod dependent_searches;
mod ellipsoids;
mod ending;
mod exact;
mod expand;
mod gjk;
mod pipeline;
mod reduced_simplex;
mod rest;
mod search_f32;
mod simplex;
mod small_hulls;
mod stage;
mod start;
mod support_table;
mod vector;
mod within;

pub(crate) use bounds::{bounds_at, bounds_at_f32};
pub use cache::HullCache;
#[cfg(feature = "internals")]
pub use dependent_searches::furthest_as_in_queries;
pub(crate) use exact::moved_vertices;
pub(crate) use rest::Rest;
pub(super) use support_table::{MAX_VERTICES_WITHOUT_CELLS, SupportTable};
pub(crate) use within::known_at_start;
pub use within::{
    HullContactSearch, HullDistanceSearch, HullSearch, ProofSearch, VerdictWithin, contact_within,
    distance_within, intersects_within,
};

use std::marker::PhantomData;

use super::Hull;
use super::decide::Verdict;
use crate::answer::{Contact, Distance};
use crate::budget::Budget;
use crate::math::Pose;
use crate::wide::dispatch::{self, Task};
use answer::Answer;
use ending::{Ending, Finish, Leave};
use pipeline::{ContactTask, GrowTask, IntersectionTask};
use rest::Growing;

/// The first piece of [`intersects_cached`], which takes a few microseconds at most.
#[inline(always)]
pub(crate) fn start_intersects(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    cache: &mut HullCache,
    kernels: Kernels,
) -> Result<Verdict, Rest> {
    decide_in_floats(a, b, pose, cache, kernels)
}

/// The rest of [`intersects_cached`].
pub(crate) async fn finish_intersects(a: &Hull, b: &Hull, pose: &Pose, rest: Rest) -> Verdict {
    exact::decide(a, b, pose, rest.hint()).await
}

/// The first piece of [`distance_cached`].
#[inline(always)]
pub(crate) fn start_distance(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    cache: &mut HullCache,
    kernels: Kernels,
) -> Result<Distance, Rest> {
    measure_in_floats(a, b, pose, cache, (0, kernels))
}

/// The rest of [`distance_cached`].
pub(crate) async fn finish_distance(a: &Hull, b: &Hull, pose: &Pose, rest: Rest) -> Distance {
    within::measure_in_pieces(a, b, pose, rest, Kernels::Fastest).await
}

/// The first piece of [`contact_cached`].
#[inline(always)]
pub(crate) fn start_contact(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    cache: &mut HullCache,
    kernels: Kernels,
) -> Result<(Contact, Verdict), Rest> {
    measure_in_floats(a, b, pose, cache, (within::GROWTH_STEPS, kernels))
}

/// The rest of [`contact_cached`].
pub(crate) async fn finish_contact(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    rest: Rest,
    kernels: Kernels,
) -> (Contact, Verdict) {
    within::measure_in_pieces(a, b, pose, rest, kernels).await
}

/// Whether `a` and `b`, at `pose` in `a`'s frame, share a point, with the proof. Exact.
///
/// ```
/// use impinge::convex::{self, Hull};
/// use impinge::{Pose, Vec3};
///
/// let corners = |k: u32| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
/// let cube = Hull::new(&(0..8).map(corners).collect::<Vec<_>>())?;
/// let beside = Pose::from_translation([1.0, 0.5, 0.0])?; // face on face
/// assert!(convex::intersects(&cube, &cube, &beside).is_intersecting());
/// let apart = Pose::from_translation([1.0 + 1e-15, 0.5, 0.0])?;
/// assert!(!convex::intersects(&cube, &cube, &apart).is_intersecting());
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn intersects(a: &Hull, b: &Hull, pose: &Pose) -> Verdict {
    intersects_cached(a, b, pose, &mut HullCache::default())
}

/// As [`intersects`], starting where the last query of the pair ended. The verdict is the same; the
/// proof may differ.
#[must_use]
pub fn intersects_cached(a: &Hull, b: &Hull, pose: &Pose, cache: &mut HullCache) -> Verdict {
    decide(a, b, pose, cache, Kernels::Fastest, Finish)
}

/// The kernels of a search in floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernels {
    /// The fastest of this machine.
    Fastest,
    /// With the same results, and so with the same steps, on every machine.
    Reproducible,
}

impl Kernels {
    /// Those for a query within this budget.
    #[inline]
    pub(crate) fn within(budget: &Budget<'_>) -> Self {
        if budget.is_reproducible() { Self::Reproducible } else { Self::Fastest }
    }

    #[inline(always)]
    fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Self::Fastest => dispatch::run(task),
            Self::Reproducible => dispatch::run_reproducibly(task),
        }
    }
}

/// The verdict, as far as floating point decides it.
#[inline(always)]
fn decide_in_floats(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    cache: &mut HullCache,
    kernels: Kernels,
) -> Result<Verdict, Rest> {
    decide(a, b, pose, cache, kernels, Leave)
}

#[inline(always)]
fn decide<E: Ending<Verdict>>(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    cache: &mut HullCache,
    kernels: Kernels,
    ending: E,
) -> E::Output {
    if cache.is_empty() {
        kernels.run(IntersectionTask::<E, false> { a, b, pose, cache, ending })
    } else {
        kernels.run(IntersectionTask::<E, true> { a, b, pose, cache, ending })
    }
}

/// The distance of `a` and `b`, at `pose` in `a`'s frame, with closest points in `a`'s frame; zero
/// if they share a point.
///
/// The bounds differ by rounding: by at most 1e-12 of the size of both bodies together, usually a
/// hundredth of that.
///
/// ```
/// use impinge::convex::{self, Hull};
/// use impinge::{Pose, Vec3};
///
/// let tetrahedron = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
/// let point = Hull::new(&[Vec3::ZERO])?;
/// let pose = Pose::from_translation([1.0, 1.0, 1.0])?;
/// let found = convex::distance(&tetrahedron, &point, &pose);
/// let exact = 2.0 / 3.0_f64.sqrt();
/// assert!(found.lower <= exact && exact <= found.upper && found.upper - found.lower < 1e-13);
/// assert!(found.point_a.distance(Vec3::splat(1.0 / 3.0)) < 1e-15);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn distance(a: &Hull, b: &Hull, pose: &Pose) -> Distance {
    distance_cached(a, b, pose, &mut HullCache::default())
}

/// As [`distance`], starting where the last query of the pair ended.
#[must_use]
pub fn distance_cached(a: &Hull, b: &Hull, pose: &Pose, cache: &mut HullCache) -> Distance {
    measure(a, b, pose, cache)
}

/// The distance or the penetration depth of `a` and `b`, at `pose` in `a`'s frame; and whether they
/// share a point, with the proof. That verdict is exact also where the signed distance is zero to
/// rounding.
///
/// For bodies that overlap, the bounds usually agree to 1e-11 of their size. Where floating point
/// cannot bring them closer (for example for depths of less than a millionth of the size), they are
/// returned as they are.
///
/// ```
/// use impinge::convex::{self, Hull};
/// use impinge::{Pose, Vec3};
///
/// let corners = |k: u32| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
/// let cube = Hull::new(&(0..8).map(corners).collect::<Vec<_>>())?;
/// let pose = Pose::from_translation([0.25, 0.75, 0.0])?;
/// let (contact, verdict) = convex::contact(&cube, &cube, &pose);
/// assert!(verdict.is_intersecting());
/// assert!(contact.lower <= -0.25 && -0.25 <= contact.upper);
/// assert!(contact.upper - contact.lower < 1e-12);
/// assert!(contact.direction.distance(Vec3::Y) < 1e-12);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn contact(a: &Hull, b: &Hull, pose: &Pose) -> (Contact, Verdict) {
    contact_cached(a, b, pose, &mut HullCache::default())
}

/// As [`contact`], starting where the last query of the pair ended.
#[must_use]
pub fn contact_cached(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    cache: &mut HullCache,
) -> (Contact, Verdict) {
    measure(a, b, pose, cache)
}

fn measure<T: Answer>(a: &Hull, b: &Hull, pose: &Pose, cache: &mut HullCache) -> T {
    measure_and_end::<T, _>(a, b, pose, cache, (u32::MAX, Kernels::Fastest), Finish)
}

/// The distance or the depth, as far as floating point decides it within the limit of growth steps.
#[inline(always)]
fn measure_in_floats<T: Answer>(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    cache: &mut HullCache,
    limits: (u32, Kernels),
) -> Result<T, Rest> {
    measure_and_end::<T, _>(a, b, pose, cache, limits, Leave)
}

#[inline(always)]
fn measure_and_end<T: Answer, E: Ending<T>>(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    cache: &mut HullCache,
    (growth_steps, kernels): (u32, Kernels),
    ending: E,
) -> E::Output {
    let answer = PhantomData;
    if cache.is_empty() {
        kernels.run(ContactTask::<T, E, false> { a, b, pose, cache, growth_steps, ending, answer })
    } else {
        kernels.run(ContactTask::<T, E, true> { a, b, pose, cache, growth_steps, ending, answer })
    }
}

/// Continues to grow a polytope.
fn grow<T: Answer>(
    a: &Hull,
    b: &Hull,
    pose: &Pose,
    growing: Growing,
    (steps, kernels): (u32, Kernels),
) -> Result<T, Rest> {
    kernels.run(GrowTask { a, b, pose, growing, steps, answer: PhantomData })
}
