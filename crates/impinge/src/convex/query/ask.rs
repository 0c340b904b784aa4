//! One query: quick in `f32`, confirmed in `f64`, and handed on where that is not enough.

use std::cell::Cell;
use std::marker::PhantomData;

use glam::Vec3A;

use super::answer::{Answer, Overlap};
use super::border;
use super::cache::HullCache;
use super::expand::{Depth, Surface};
use super::gjk::{End, Query, inside_shares, is_certain};
use super::placed::Placed;
use super::rough::{Corners, Rough, RoughEnd};
use super::simplex::{Corner, Simplex, shares};
use super::slow;
use super::stage::{Stage, decided};
use super::start::Start;
use super::vector::Vector;
use crate::answer::Distance;
use crate::convex::Hull;
use crate::convex::decide::{Common, Gap, Hint, Pairs, Verdict};
use crate::math::{Pose, Vec3};
use crate::wide::Wide;
use crate::wide::dispatch::Task;

/// Sizes between which no product of coordinates leaves the range of `f64`.
const SIZES: std::ops::Range<f64> = 1e-40..1e40;

/// Bounds of the distance that are further apart, relative to the size, are not good enough.
const CLOSE: f64 = 5e-13;

thread_local! {
    static SURFACE: Cell<Option<Box<Surface>>> = Cell::default();
}

/// Whether the bodies meet. `KNOWN` if the cache holds something: what begins anew and what goes on
/// are so different that both are quicker apart.
pub(super) struct Meet<'a, const KNOWN: bool> {
    pub(super) a: &'a Hull,
    pub(super) b: &'a Hull,
    pub(super) pose: &'a Pose,
    pub(super) cache: &'a mut HullCache,
}

/// How far apart they are, or how deep they overlap, if the answer asks for that. `KNOWN` as for
/// [`Meet`].
pub(super) struct Measure<'a, T, const KNOWN: bool> {
    pub(super) a: &'a Hull,
    pub(super) b: &'a Hull,
    pub(super) pose: &'a Pose,
    pub(super) cache: &'a mut HullCache,
    pub(super) answer: PhantomData<T>,
}

impl<const KNOWN: bool> Task for Meet<'_, KNOWN> {
    type Output = Verdict;

    #[inline(always)]
    fn run<W: Wide>(self) -> Verdict {
        let Self { a, b, pose, cache } = self;
        let query = Query::new(a, b, pose);
        if !SIZES.contains(&query.size) {
            return slow::decide(&query, Hint::NONE);
        }
        let mut simplex = Simplex::EMPTY;
        if KNOWN && cache.met {
            // The corners that surrounded the origin may still do.
            for [i, j] in cache.pairs(query.points_a.len(), query.points_b.len()) {
                simplex.push(query.corner(*i, *j));
            }
            if is_certain(&simplex) {
                decided(Stage::Fine);
                return Verdict::Intersecting(common(&simplex));
            }
        } else if query.between.length_squared() > query.reach * query.reach {
            decided(Stage::Rough);
            let length = query.between.length();
            // The bound counts more roundings than there are: what this one leaves negative is a
            // gap.
            let gap = (length - query.reach).max(0.0);
            return Verdict::Separated(separation(query.between / length, gap));
        }
        let rough = Rough::new(&query);
        let mut near = Simplex::EMPTY;
        let end = if !KNOWN {
            let start = Start::new(&rough);
            // One direction will not do for bodies that overlap.
            let end = match start.is_deep() {
                true => RoughEnd::Close,
                false => rough.begin::<W>(start.normal, &mut near),
            };
            match end {
                RoughEnd::Close if Placed::fits(query.a, query.b) => {
                    let placed = Placed::new::<W>(&rough);
                    rough.search_anew::<W, _, false>(&placed, Some(&start), &mut near)
                }
                RoughEnd::Close => {
                    rough.search_anew::<W, _, false>(&rough, Some(&start), &mut near)
                }
                end => end,
            }
        } else {
            // Corners that surrounded the origin last time are nearer to it than any direction.
            let end = match cache.met {
                true => RoughEnd::Close,
                false => rough.begin::<W>(cache.apart.as_vec3a(), &mut near),
            };
            match end {
                RoughEnd::Close => rough.search_on::<W, false>(cache, &mut near),
                end => end,
            }
        };
        if let RoughEnd::Separated { direction, gap } = end {
            decided(Stage::Rough);
            cache.keep(&near, false);
            cache.apart = direction;
            return Verdict::Separated(separation(direction, gap));
        }
        let mut simplex = query.confirm(&near);
        let inside = matches!(end, RoughEnd::Inside);
        let end = if inside && (is_certain(&simplex) || border::holds(&query, &mut simplex)) {
            End::Inside
        } else {
            let mut end;
            (end, simplex) = W::run_out_of_line(Finely::<false> { query: &query, simplex });
            if matches!(end, End::Unclear) && border::holds(&query, &mut simplex) {
                end = End::Inside;
            }
            end
        };
        cache.keep(&simplex, matches!(end, End::Inside));
        match end {
            End::Inside => {
                decided(Stage::Fine);
                Verdict::Intersecting(common(&simplex))
            }
            End::Separated { direction, gap } => {
                decided(Stage::Fine);
                cache.apart = direction;
                Verdict::Separated(separation(direction, gap))
            }
            End::Closest | End::Unclear => {
                // Nothing is known but where the bodies are.
                cache.apart = query.between / query.size;
                slow::decide(&query, hint(&simplex))
            }
        }
    }
}

impl<T: Answer, const KNOWN: bool> Task for Measure<'_, T, KNOWN> {
    type Output = T;

    #[inline(always)]
    fn run<W: Wide>(self) -> T {
        let Self { a, b, pose, cache, .. } = self;
        let query = Query::new(a, b, pose);
        if !SIZES.contains(&query.size) {
            return T::of(slow::contact(&query, Hint::NONE, T::DEPTH));
        }
        let rough = Rough::new(&query);
        let mut near = Simplex::EMPTY;
        if KNOWN {
            let end = rough.search_on::<W, true>(cache, &mut near);
            return measure::<W, _, T>(&query, &rough, &rough, cache, &near, end);
        }
        if Placed::fits(query.a, query.b) {
            let placed = Placed::new::<W>(&rough);
            // Small bodies whose balls are apart need few steps from anywhere.
            let is_near = query.between.length_squared() <= query.reach * query.reach;
            let start = if is_near { Some(Start::new(&rough)) } else { None };
            let end = rough.search_anew::<W, _, true>(&placed, start.as_ref(), &mut near);
            measure::<W, _, T>(&query, &rough, &placed, cache, &near, end)
        } else {
            let start = Start::new(&rough);
            let end = rough.search_anew::<W, _, true>(&rough, Some(&start), &mut near);
            measure::<W, _, T>(&query, &rough, &rough, cache, &near, end)
        }
    }
}

/// A search on in `f64`.
struct Finely<'a, const MEASURE: bool> {
    query: &'a Query<'a>,
    simplex: Simplex<Vec3>,
}

impl<const MEASURE: bool> Task for Finely<'_, MEASURE> {
    type Output = (End, Simplex<Vec3>);

    #[inline(always)]
    fn run<W: Wide>(self) -> (End, Simplex<Vec3>) {
        let mut simplex = self.simplex;
        let nearest = simplex.reduce_all();
        let end = self.query.search::<MEASURE>(&mut simplex, nearest);
        (end, simplex)
    }
}

/// How deep the bodies overlap, from a tetrahedron around the origin.
struct Deepen<'a, C> {
    query: &'a Query<'a>,
    rough: &'a Rough<'a>,
    corners: &'a C,
    start: &'a Simplex<Vec3A>,
}

impl<C: Corners> Task for Deepen<'_, C> {
    type Output = Option<Depth>;

    #[inline(always)]
    fn run<W: Wide>(self) -> Option<Depth> {
        let mut surface = SURFACE.take().unwrap_or_default();
        let depth = surface.expand::<W, C>(self.query, self.rough, self.corners, self.start);
        SURFACE.set(Some(surface));
        depth
    }
}

/// How far apart the bodies are, or how deep they overlap, after a search in `f32` with corners
/// from `corners`.
#[inline(always)]
fn measure<W: Wide, C: Corners, T: Answer>(
    query: &Query<'_>,
    rough: &Rough<'_>,
    corners: &C,
    cache: &mut HullCache,
    near: &Simplex<Vec3A>,
    end: RoughEnd,
) -> T {
    if !matches!(end, RoughEnd::Inside) {
        if let Some(distance) = apart(query, near, cache) {
            return T::apart(distance, cache.apart, separation(cache.apart, distance.lower));
        }
    }
    let mut simplex = query.confirm(near);
    let inside = matches!(end, RoughEnd::Inside);
    let mut certain = inside && is_certain(&simplex);
    if !(certain || inside && border::holds(query, &mut simplex)) {
        let end;
        (end, simplex) = W::run_out_of_line(Finely::<true> { query, simplex });
        match end {
            End::Inside => certain = true,
            End::Closest => {
                // If the bounds are still apart, the normal of a sliver misled the search.
                let distance = apart(query, &simplex, cache);
                return match distance.or_else(|| apart_by_normal(query, &simplex, cache)) {
                    Some(distance) => {
                        T::apart(distance, cache.apart, separation(cache.apart, distance.lower))
                    }
                    None => T::of(slow::contact(query, hint(&simplex), T::DEPTH)),
                };
            }
            End::Unclear if border::holds(query, &mut simplex) => {}
            End::Separated { .. } | End::Unclear => {
                return T::of(slow::contact(query, hint(&simplex), T::DEPTH));
            }
        }
    }
    cache.keep(&simplex, true);
    let common = common(&simplex);
    if !T::DEPTH {
        return match common_point(query, &simplex, certain) {
            Some(point) => {
                decided(Stage::Fine);
                T::meeting(Overlap::unknown(point), common)
            }
            None => T::of(slow::contact(query, hint(&simplex), T::DEPTH)),
        };
    }
    let mut start = Simplex::EMPTY;
    for corner in simplex.corners() {
        start.push(corners.corner(corner.a, corner.b));
    }
    if start.len() < 4 {
        if let Some(overlap) = touch(query, &simplex) {
            decided(Stage::Fine);
            return T::meeting(overlap, common);
        }
        surround::<W, C>(corners, &mut start);
    }
    let Some(depth) = W::run_out_of_line(Deepen { query, rough, corners, start: &start }) else {
        return T::of(slow::contact(query, hint(&simplex), T::DEPTH));
    };
    decided(Stage::Fine);
    let (point_a, point_b) = points(query, &depth.shares);
    let (lower, upper, direction) = (depth.lower, depth.upper, depth.direction);
    T::meeting(Overlap { lower, upper, direction, point_a, point_b }, common)
}

/// A common point of bodies whose corners hold the origin, `inside` for certain. `None` where
/// rounding spoils it.
#[inline(always)]
fn common_point(query: &Query<'_>, simplex: &Simplex<Vec3>, inside: bool) -> Option<Vec3> {
    if inside {
        let mut point = Vec3::ZERO;
        for (corner, share) in inside_shares(simplex) {
            point += query.points_a[corner.a as usize] * share;
        }
        return Some(point);
    }
    let (point_a, point_b) = if simplex.len() == 4 {
        points(query, &inside_shares(simplex))
    } else {
        points(query, &simplex.shares())
    };
    // Not if a tetrahedron is so flat that nothing is left of it.
    let agree = point_a.distance_squared(point_b) <= CLOSE * CLOSE * query.size * query.size;
    agree.then_some(point_a)
}

/// How deep bodies overlap that touch only, if three corners hold the origin and lie in a face of A - B.
#[inline(always)]
fn touch(query: &Query<'_>, simplex: &Simplex<Vec3>) -> Option<Overlap> {
    let [p, q, r] = [simplex.corner(0).w, simplex.corner(1).w, simplex.corner(2).w];
    let normal = (p - r).cross(q - r);
    let length = normal.length();
    let is_triangle = simplex.len() == 3 && length > 0.0;
    if !is_triangle {
        return None;
    }
    let unit = normal / length;
    // How far A - B goes beyond the origin along a direction is how far B must go that way.
    let (there, back) = (-query.least(-unit), -query.least(unit));
    let (reach, direction) = if there < back { (there, unit) } else { (back, -unit) };
    let upper = reach.max(0.0) + query.tiny;
    let (point_a, point_b) = points(query, &simplex.shares());
    (upper <= CLOSE * query.size).then_some(Overlap {
        lower: 0.0,
        upper,
        direction,
        point_a,
        point_b,
    })
}

/// Adds corners until there are four that span as much as they can. What holds the origin still
/// does.
#[inline(always)]
fn surround<W: Wide, C: Corners>(corners: &C, simplex: &mut Simplex<Vec3A>) {
    while simplex.len() < 4 {
        let [p, q, r] = [simplex.corner(0).w, simplex.corner(1).w, simplex.corner(2).w];
        let across = match simplex.len() {
            0 | 1 => Vec3A::X,
            2 => (q - p).any_orthogonal_vector(),
            _ => (q - p).cross(r - p),
        };
        let (there, back) = (corners.against::<W>(-across), corners.against::<W>(across));
        let away = |corner: &Corner<Vec3A>| across.dot(corner.w - p).abs();
        simplex.push(if away(&there) < away(&back) { back } else { there });
    }
}

/// The distance, if the closest point of A - B lies on the simplex, needs all its corners, and lies
/// in no other place.
#[inline(always)]
fn apart<V: Vector>(
    query: &Query<'_>,
    simplex: &Simplex<V>,
    cache: &mut HullCache,
) -> Option<Distance> {
    // Corners that are not there are some others, or the first, and get no share.
    let [i, j, k] = [simplex.corner(0), simplex.corner(1), simplex.corner(2)];
    let (p, q) = (query.vertices(i.a, i.b), query.vertices(j.a, j.b));
    let r = query.vertices(k.a, k.b);
    let shares = shares([p.0 - p.1, q.0 - q.1, r.0 - r.1], simplex.len());
    let point_a = p.0 * shares[0] + q.0 * shares[1] + r.0 * shares[2];
    let point_b = p.1 * shares[0] + q.1 * shares[1] + r.1 * shares[2];
    let v = point_a - point_b;
    let length = v.length();
    // Not divided by the length, which takes its time.
    let lower = query.least(v * query.unit) / (length * query.unit) - query.tiny;
    // The points are in the bodies, to rounding: what is between them is not too little.
    let upper = length + query.tiny;
    // Something shorter than the rounding has no direction.
    if !(length > query.tiny && lower > 0.0 && upper - lower <= CLOSE * query.size) {
        return None;
    }
    decided(Stage::Fine);
    cache.keep(simplex, false);
    cache.apart = v / -length;
    Some(Distance::between(lower, upper, [point_a, point_b]))
}

/// As [`apart`], by the normal of three corners: the points of bodies that are very close say
/// little about the direction between them.
#[cold]
#[inline(never)]
fn apart_by_normal(
    query: &Query<'_>,
    simplex: &Simplex<Vec3>,
    cache: &mut HullCache,
) -> Option<Distance> {
    let [p, q, r] = [simplex.corner(0).w, simplex.corner(1).w, simplex.corner(2).w];
    let normal = (p - r).cross(q - r);
    let unit = if normal.dot(r) < 0.0 { -normal } else { normal }.try_normalize()?;
    let (point_a, point_b) = points(query, &simplex.shares());
    let lower = query.least(unit) - query.tiny;
    let upper = point_a.distance(point_b) + query.tiny;
    if !(simplex.len() == 3 && lower > 0.0 && upper - lower <= CLOSE * query.size) {
        return None;
    }
    decided(Stage::Fine);
    cache.keep(simplex, false);
    cache.apart = -unit;
    Some(Distance::between(lower, upper, [point_a, point_b]))
}

/// The points of the bodies with these shares of the corners.
#[inline(always)]
fn points(query: &Query<'_>, shares: &[(Corner<Vec3>, f64)]) -> (Vec3, Vec3) {
    let [mut point_a, mut point_b] = [Vec3::ZERO; 2];
    for (corner, share) in shares {
        let (p, q) = query.vertices(corner.a, corner.b);
        point_a += p * *share;
        point_b += q * *share;
    }
    (point_a, point_b)
}

#[inline(always)]
fn separation(direction: Vec3, gap: f64) -> Gap {
    Gap { direction, gap, features: Pairs::NONE }
}

#[inline(always)]
fn pairs(simplex: &Simplex<Vec3>) -> Pairs {
    let mut pairs = [[0; 2]; 4];
    for (pair, corner) in pairs.iter_mut().zip(simplex.corners()) {
        *pair = [corner.a, corner.b];
    }
    Pairs::new(&pairs[..simplex.len()])
}

#[inline(always)]
fn common(simplex: &Simplex<Vec3>) -> Common {
    Common { pairs: pairs(simplex) }
}

fn hint(simplex: &Simplex<Vec3>) -> Hint {
    Hint { pairs: pairs(simplex), direction: Vec3::ZERO }
}

#[cfg(test)]
#[path = "ask_tests.rs"]
mod tests;
