//! One query in floating point: a search in `f32`, confirmed in `f64`. What neither can decide is
//! left to [exact arithmetic](super::exact), and a polytope that grows for long to a later call.

use std::cell::Cell;
use std::marker::PhantomData;

use glam::Vec3A;

use super::answer::{Answer, Overlap};
use super::boundary;
use super::cache::HullCache;
use super::certify::{
    certified_distance, certified_distance_by_normal, common, common_point, complete_tetrahedron,
    hint, points, separation, touching_overlap,
};
use super::ellipsoids::Ellipsoids;
use super::ending::{Ending, Leave};
use super::expand::{Growth, Surface};
use super::gjk::{Query, SearchEnd, certainly_contains_origin};
use super::rest::{Growing, Rest};
use super::search_f32::{Corners, QueryF32, SearchEndF32};
use super::simplex::Simplex;
use super::small_hulls::SmallHulls;
use super::stage::{Stage, record_stage};
use crate::convex::Hull;
use crate::convex::decide::{Hint, IntersectionCertificate, Verdict};
use crate::math::{Pose, Vec3};
use crate::wide::Wide;
use crate::wide::dispatch::Task;

/// Sizes for which no product of coordinates leaves the range of `f64`.
const SAFE_SIZES: std::ops::Range<f64> = 1e-40..1e40;

thread_local! {
    static SURFACE: Cell<Option<Box<Surface>>> = Cell::default();
}

/// Whether the bodies intersect. `WARM` if the cache holds a simplex: a cold and a warm search have
/// little in common, and both are faster as separate functions.
pub(super) struct IntersectionTask<'a, E, const WARM: bool> {
    pub(super) a: &'a Hull,
    pub(super) b: &'a Hull,
    pub(super) pose: &'a Pose,
    pub(super) cache: &'a mut HullCache,
    pub(super) ending: E,
}

/// The distance of the bodies, or the penetration depth if the answer has one. `WARM` as for
/// [`IntersectionTask`].
pub(super) struct ContactTask<'a, T, E, const WARM: bool> {
    pub(super) a: &'a Hull,
    pub(super) b: &'a Hull,
    pub(super) pose: &'a Pose,
    pub(super) cache: &'a mut HullCache,
    /// The most steps of a polytope that grows.
    pub(super) growth_steps: u32,
    pub(super) ending: E,
    pub(super) answer: PhantomData<T>,
}

impl<E: Ending<Verdict>, const WARM: bool> Task for IntersectionTask<'_, E, WARM> {
    type Output = E::Output;

    #[inline(always)]
    fn run<W: Wide>(self) -> E::Output {
        let Self { a, b, pose, cache, ending } = self;
        let pair = (a, b, pose);
        let query = Query::new(a, b, pose);
        if !SAFE_SIZES.contains(&query.size) {
            return ending.open(pair, Rest::Exact(Hint::NONE));
        }
        let mut simplex = Simplex::EMPTY;
        if WARM && cache.intersected {
            // The corners that surrounded the origin last time may still do so.
            for [i, j] in cache.pairs(query.points_a.len(), query.points_b.len()) {
                simplex.push(query.corner(*i, *j));
            }
            if certainly_contains_origin(&simplex) {
                record_stage(Stage::F64);
                return ending.decided(Verdict::Intersecting(common(&simplex)));
            }
        } else if query.center_offset.length_squared() > query.radius_sum * query.radius_sum {
            record_stage(Stage::F32);
            let length = query.center_offset.length();
            // The bound includes more roundings than there are. So the bodies are apart even where
            // the computed gap is negative.
            let gap = (length - query.radius_sum).max(0.0);
            return ending
                .decided(Verdict::Separated(separation(query.center_offset / length, gap)));
        }
        let query_f32 = QueryF32::new(&query);
        let mut simplex_f32 = Simplex::EMPTY;
        let end = if !WARM {
            let start = Ellipsoids::new(&query_f32);
            // One direction cannot settle bodies that overlap.
            let end = match start.likely_overlaps() {
                true => SearchEndF32::Undecided,
                false => query_f32.test_direction::<W>(start.normal, &mut simplex_f32),
            };
            match end {
                SearchEndF32::Undecided if SmallHulls::fits(query.a, query.b) => {
                    let small_hulls = SmallHulls::new::<W>(&query_f32);
                    query_f32.search_cold::<W, _, false>(
                        &small_hulls,
                        Some(&start),
                        &mut simplex_f32,
                    )
                }
                SearchEndF32::Undecided => {
                    query_f32.search_cold::<W, _, false>(&query_f32, Some(&start), &mut simplex_f32)
                }
                end => end,
            }
        } else {
            // Corners that surrounded the origin last time are a better start than any direction.
            let end = match cache.intersected {
                true => SearchEndF32::Undecided,
                false => {
                    query_f32.test_direction::<W>(cache.direction.as_vec3a(), &mut simplex_f32)
                }
            };
            match end {
                SearchEndF32::Undecided => {
                    query_f32.search_warm::<W, false>(cache, &mut simplex_f32)
                }
                end => end,
            }
        };
        if let SearchEndF32::Separated { direction, gap } = end {
            record_stage(Stage::F32);
            cache.store(&simplex_f32, false);
            cache.direction = direction;
            return ending.decided(Verdict::Separated(separation(direction, gap)));
        }
        let mut simplex = query.simplex_f64(&simplex_f32);
        let inside = matches!(end, SearchEndF32::Inside);
        let end = if inside
            && (certainly_contains_origin(&simplex)
                || boundary::contains_origin(&query, &mut simplex))
        {
            SearchEnd::Inside
        } else {
            let mut end;
            (end, simplex) = W::run_out_of_line(SearchF64Task::<false> { query: &query, simplex });
            if matches!(end, SearchEnd::Undecided)
                && boundary::contains_origin(&query, &mut simplex)
            {
                end = SearchEnd::Inside;
            }
            end
        };
        cache.store(&simplex, matches!(end, SearchEnd::Inside));
        match end {
            SearchEnd::Inside => {
                record_stage(Stage::F64);
                ending.decided(Verdict::Intersecting(common(&simplex)))
            }
            SearchEnd::Separated { direction, gap } => {
                record_stage(Stage::F64);
                cache.direction = direction;
                ending.decided(Verdict::Separated(separation(direction, gap)))
            }
            SearchEnd::Closest | SearchEnd::Undecided => {
                // No separating direction is known. The offset of the centers is the best guess for
                // the next query.
                cache.direction = query.center_offset / query.size;
                ending.open(pair, Rest::Exact(hint(&simplex)))
            }
        }
    }
}

impl<T: Answer, E: Ending<T>, const WARM: bool> Task for ContactTask<'_, T, E, WARM> {
    type Output = E::Output;

    #[inline(always)]
    fn run<W: Wide>(self) -> E::Output {
        let Self { a, b, pose, cache, growth_steps: steps, ending, .. } = self;
        let query = Query::new(a, b, pose);
        let end = ((a, b, pose), ending);
        if !SAFE_SIZES.contains(&query.size) {
            return ending.open(end.0, Rest::Exact(Hint::NONE));
        }
        let query_f32 = QueryF32::new(&query);
        let mut simplex = Simplex::EMPTY;
        if WARM {
            let found = query_f32.search_warm::<W, true>(cache, &mut simplex);
            let found = (&simplex, &found);
            return measure::<W, _, T, E>(
                (&query, &query_f32, &query_f32),
                cache,
                found,
                steps,
                end,
            );
        }
        if SmallHulls::fits(query.a, query.b) {
            let small_hulls = SmallHulls::new::<W>(&query_f32);
            // Small bodies with disjoint bounding balls need few steps from any start.
            let balls_overlap =
                query.center_offset.length_squared() <= query.radius_sum * query.radius_sum;
            let start = if balls_overlap { Some(Ellipsoids::new(&query_f32)) } else { None };
            let found =
                query_f32.search_cold::<W, _, true>(&small_hulls, start.as_ref(), &mut simplex);
            let found = (&simplex, &found);
            if T::DEPTH {
                let queries = (&query, &query_f32, &small_hulls);
                measure::<W, _, T, E>(queries, cache, found, steps, end)
            } else {
                // Only a depth needs further corners.
                let queries = (&query, &query_f32, &query_f32);
                measure::<W, _, T, E>(queries, cache, found, steps, end)
            }
        } else {
            let start = Ellipsoids::new(&query_f32);
            let found = query_f32.search_cold::<W, _, true>(&query_f32, Some(&start), &mut simplex);
            let queries = (&query, &query_f32, &query_f32);
            measure::<W, _, T, E>(queries, cache, (&simplex, &found), steps, end)
        }
    }
}

/// Continues a search in `f64`.
struct SearchF64Task<'a, const MEASURE: bool> {
    query: &'a Query<'a>,
    simplex: Simplex<Vec3>,
}

impl<const MEASURE: bool> Task for SearchF64Task<'_, MEASURE> {
    type Output = (SearchEnd, Simplex<Vec3>);

    #[inline(always)]
    fn run<W: Wide>(self) -> (SearchEnd, Simplex<Vec3>) {
        let mut simplex = self.simplex;
        let nearest = simplex.reduce_expecting_all();
        let end = self.query.search::<MEASURE>(&mut simplex, nearest);
        (end, simplex)
    }
}

/// The penetration depth, from a tetrahedron around the origin.
struct ExpandTask<'a, C> {
    query: &'a Query<'a>,
    query_f32: &'a QueryF32<'a>,
    corners: &'a C,
    start: &'a Simplex<Vec3A>,
    steps: u32,
}

impl<C: Corners> Task for ExpandTask<'_, C> {
    type Output = Result<Growth, Box<Surface>>;

    #[inline(always)]
    fn run<W: Wide>(self) -> Self::Output {
        let mut surface = SURFACE.take().unwrap_or_default();
        let Self { query, query_f32, corners, start, steps } = self;
        let growth = match surface.start::<W>(query_f32, start) {
            Some(()) => surface.grow::<W, C>(query, query_f32, corners, steps),
            None => Growth::Failed,
        };
        match growth {
            Growth::Open => Err(surface),
            ended => {
                SURFACE.set(Some(surface));
                Ok(ended)
            }
        }
    }
}

/// Continues to grow a polytope.
pub(super) struct GrowTask<'a, T> {
    pub(super) a: &'a Hull,
    pub(super) b: &'a Hull,
    pub(super) pose: &'a Pose,
    pub(super) growing: Growing,
    pub(super) steps: u32,
    pub(super) answer: PhantomData<T>,
}

impl<T: Answer> Task for GrowTask<'_, T> {
    type Output = Result<T, Rest>;

    #[inline(always)]
    fn run<W: Wide>(self) -> Result<T, Rest> {
        let Self { a, b, pose, mut growing, steps, .. } = self;
        let query = Query::new(a, b, pose);
        let query_f32 = QueryF32::new(&query);
        let surface = &mut growing.surface;
        let growth = if growing.uses_small_hulls {
            let small_hulls = SmallHulls::new::<W>(&query_f32);
            surface.grow::<W, _>(&query, &query_f32, &small_hulls, steps)
        } else {
            surface.grow::<W, _>(&query, &query_f32, &query_f32, steps)
        };
        if matches!(growth, Growth::Open) {
            return Err(Rest::Growing(growing));
        }
        SURFACE.set(Some(growing.surface));
        depth_answer::<T, _>(&query, growth, growing.common, ((a, b, pose), Leave))
    }
}

/// The answer when a polytope has ended to grow.
#[inline(always)]
fn depth_answer<T: Answer, E: Ending<T>>(
    query: &Query<'_>,
    growth: Growth,
    common: IntersectionCertificate,
    (pair, ending): End<'_, E>,
) -> E::Output {
    let Growth::Ended(depth) = growth else {
        let hint = Hint { pairs: common.pairs, direction: Vec3::ZERO };
        return ending.open(pair, Rest::Exact(hint));
    };
    record_stage(Stage::F64);
    let (point_a, point_b) = points(query, &depth.weights);
    let (lower, upper, direction) = (depth.lower, depth.upper, depth.direction);
    let overlap = Overlap { lower, upper, direction, point_a, point_b };
    ending.decided(T::intersecting(overlap, common))
}

/// The two bodies with the pose, and how their query ends.
type End<'a, E> = ((&'a Hull, &'a Hull, &'a Pose), E);

/// The distance or the penetration depth after a search in `f32` with corners from `corners`.
#[inline(always)]
fn measure<W: Wide, C: Corners, T: Answer, E: Ending<T>>(
    (query, query_f32, corners): (&Query<'_>, &QueryF32<'_>, &C),
    cache: &mut HullCache,
    (simplex_f32, end): (&Simplex<Vec3A>, &SearchEndF32),
    steps: u32,
    (pair, ending): End<'_, E>,
) -> E::Output {
    if !matches!(end, SearchEndF32::Inside) {
        if let Some(distance) = certified_distance(query, simplex_f32, cache) {
            return ending.decided(T::separated(
                distance,
                cache.direction,
                separation(cache.direction, distance.lower),
            ));
        }
    }
    let mut simplex = query.simplex_f64(simplex_f32);
    let inside = matches!(end, SearchEndF32::Inside);
    let mut certain = inside && certainly_contains_origin(&simplex);
    if !(certain || inside && boundary::contains_origin(query, &mut simplex)) {
        let end;
        (end, simplex) = W::run_out_of_line(SearchF64Task::<true> { query, simplex });
        match end {
            SearchEnd::Inside => certain = true,
            SearchEnd::Closest => {
                // If the bounds still differ too much, the normal of a sliver misled the search.
                let distance = certified_distance(query, &simplex, cache);
                return match distance
                    .or_else(|| certified_distance_by_normal(query, &simplex, cache))
                {
                    Some(distance) => ending.decided(T::separated(
                        distance,
                        cache.direction,
                        separation(cache.direction, distance.lower),
                    )),
                    None => ending.open(pair, Rest::Exact(hint(&simplex))),
                };
            }
            SearchEnd::Undecided if boundary::contains_origin(query, &mut simplex) => {}
            SearchEnd::Separated { .. } | SearchEnd::Undecided => {
                return ending.open(pair, Rest::Exact(hint(&simplex)));
            }
        }
    }
    cache.store(&simplex, true);
    let common = common(&simplex);
    if !T::DEPTH {
        return match common_point(query, &simplex, certain) {
            Some(point) => {
                record_stage(Stage::F64);
                ending.decided(T::intersecting(Overlap::unknown(point), common))
            }
            None => ending.open(pair, Rest::Exact(hint(&simplex))),
        };
    }
    let mut start = Simplex::EMPTY;
    for corner in simplex.corners() {
        start.push(corners.corner(corner.a, corner.b));
    }
    if start.len() < 4 {
        if let Some(overlap) = touching_overlap(query, &simplex) {
            record_stage(Stage::F64);
            return ending.decided(T::intersecting(overlap, common));
        }
        complete_tetrahedron::<W, C>(corners, &mut start);
    }
    let expand = ExpandTask { query, query_f32, corners, start: &start, steps };
    match W::run_out_of_line(expand) {
        Ok(growth) => depth_answer::<T, E>(query, growth, common, (pair, ending)),
        Err(surface) => ending.open(
            pair,
            Rest::Growing(Growing { surface, common, uses_small_hulls: C::ARE_SMALL_HULLS }),
        ),
    }
}

#[cfg(test)]
#[path = "pipeline_tests.rs"]
mod tests;
