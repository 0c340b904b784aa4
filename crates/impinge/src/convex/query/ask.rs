//! One query: quick in `f32`, confirmed in `f64`, and handed on where that is not enough.

use std::cell::Cell;
use std::marker::PhantomData;

use glam::Vec3A;

use super::answer::{Answer, Distance, Overlap};
use super::border;
use super::cache::Cache;
use super::expand::{Depth, Surface};
use super::gjk::{End, Query, inside_shares, is_certain};
use super::placed::Placed;
use super::rough::{Corners, Rough, RoughEnd};
use super::simplex::{Corner, Simplex, shares};
use super::slow;
use super::stage::{Stage, decided};
use super::start::Start;
use super::vector::Vector;
use crate::convex::Hull;
use crate::convex::decide::{Common, Decision, Gap, Hint, Pairs};
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

/// Whether the bodies meet. `KNOWN` if the cache holds something: what begins anew and what goes on are so different that both are quicker apart.
pub(super) struct Meet<'a, const KNOWN: bool> {
    pub(super) a: &'a Hull,
    pub(super) b: &'a Hull,
    pub(super) pose: &'a Pose,
    pub(super) cache: &'a mut Cache,
}

/// How far apart they are, or how deep they overlap, if the answer asks for that. `KNOWN` as for [`Meet`].
pub(super) struct Measure<'a, T, const KNOWN: bool> {
    pub(super) a: &'a Hull,
    pub(super) b: &'a Hull,
    pub(super) pose: &'a Pose,
    pub(super) cache: &'a mut Cache,
    pub(super) answer: PhantomData<T>,
}

impl<const KNOWN: bool> Task for Meet<'_, KNOWN> {
    type Output = Decision;

    #[inline(always)]
    fn run<W: Wide>(self) -> Decision {
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
                return Decision::Intersecting(common(&simplex));
            }
        } else if query.between.length_squared() > query.reach * query.reach {
            decided(Stage::Rough);
            let length = query.between.length();
            // The bound counts more roundings than there are: what this one leaves negative is a gap.
            let gap = (length - query.reach).max(0.0);
            return Decision::Separated(separation(query.between / length, gap));
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
            return Decision::Separated(separation(direction, gap));
        }
        let mut simplex = query.confirm(&near);
        let inside = matches!(end, RoughEnd::Inside);
        let end = if inside && (is_certain(&simplex) || border::holds(&query, &mut simplex)) {
            End::Inside
        } else {
            let mut end;
            (end, simplex) = W::call(Finely::<false> { query: &query, simplex });
            if matches!(end, End::Unclear) && border::holds(&query, &mut simplex) {
                end = End::Inside;
            }
            end
        };
        cache.keep(&simplex, matches!(end, End::Inside));
        match end {
            End::Inside => {
                decided(Stage::Fine);
                Decision::Intersecting(common(&simplex))
            }
            End::Separated { direction, gap } => {
                decided(Stage::Fine);
                cache.apart = direction;
                Decision::Separated(separation(direction, gap))
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
            return T::from(slow::contact(&query, Hint::NONE, T::DEPTH));
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

/// How far apart the bodies are, or how deep they overlap, after a search in `f32` with corners from `corners`.
#[inline(always)]
fn measure<W: Wide, C: Corners, T: Answer>(
    query: &Query<'_>,
    rough: &Rough<'_>,
    corners: &C,
    cache: &mut Cache,
    near: &Simplex<Vec3A>,
    end: RoughEnd,
) -> T {
    if !matches!(end, RoughEnd::Inside) {
        if let Some(distance) = apart(query, near, cache) {
            return T::apart(distance, separation(cache.apart, distance.lower));
        }
    }
    let mut simplex = query.confirm(near);
    let inside = matches!(end, RoughEnd::Inside);
    let mut certain = inside && is_certain(&simplex);
    if !(certain || inside && border::holds(query, &mut simplex)) {
        let end;
        (end, simplex) = W::call(Finely::<true> { query, simplex });
        match end {
            End::Inside => certain = true,
            End::Closest => {
                // If the bounds are still apart, the normal of a sliver misled the search.
                let distance = apart(query, &simplex, cache);
                return match distance.or_else(|| apart_by_normal(query, &simplex, cache)) {
                    Some(distance) => T::apart(distance, separation(cache.apart, distance.lower)),
                    None => T::from(slow::contact(query, hint(&simplex), T::DEPTH)),
                };
            }
            End::Unclear if border::holds(query, &mut simplex) => {}
            End::Separated { .. } | End::Unclear => {
                return T::from(slow::contact(query, hint(&simplex), T::DEPTH));
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
            None => T::from(slow::contact(query, hint(&simplex), T::DEPTH)),
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
    let Some(depth) = W::call(Deepen { query, rough, corners, start: &start }) else {
        return T::from(slow::contact(query, hint(&simplex), T::DEPTH));
    };
    decided(Stage::Fine);
    let (point_a, point_b) = points(query, &depth.shares);
    let (lower, upper, direction) = (depth.lower, depth.upper, depth.direction);
    T::meeting(Overlap { lower, upper, direction, point_a, point_b }, common)
}

/// A common point of bodies whose corners hold the origin, `inside` for certain. `None` where rounding spoils it.
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

/// Adds corners until there are four that span as much as they can. What holds the origin still does.
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

/// The distance, if the closest point of A - B lies on the simplex, needs all its corners, and lies in no other place.
#[inline(always)]
fn apart<V: Vector>(
    query: &Query<'_>,
    simplex: &Simplex<V>,
    cache: &mut Cache,
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
    Some(Distance { lower, upper, point_a, point_b })
}

/// As [`apart`], by the normal of three corners: the points of bodies that are very close say little about the direction between them.
#[cold]
#[inline(never)]
fn apart_by_normal(
    query: &Query<'_>,
    simplex: &Simplex<Vec3>,
    cache: &mut Cache,
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
    Some(Distance { lower, upper, point_a, point_b })
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
mod tests {
    use super::*;
    use crate::convex::query::{Contact, stage};
    use crate::math::Random;
    use crate::wide::Portable;
    use crate::wide::dispatch;

    /// Hulls of all sizes and shapes.
    fn hulls(random: &mut Random) -> Vec<Hull> {
        let mut hulls = Vec::new();
        for count in [1, 2, 4, 8, 30, 200] {
            for stretch in [Vec3::ONE, Vec3::new(1.0, 0.1, 0.1), Vec3::new(1.0, 1.0, 0.0)] {
                let points: Vec<_> = (0..count).map(|_| random.direction() * stretch).collect();
                hulls.push(Hull::new(&points).unwrap());
            }
        }
        hulls
    }

    #[test]
    fn arrays_and_registers_agree() {
        let mut random = Random::new(21);
        let hulls = hulls(&mut random);
        let (mut met, mut apart) = (0, 0);
        for a in &hulls {
            for b in &hulls {
                let turn = random.rotation();
                let pose = Pose::from_quaternion(turn.to_array(), random.in_cube()).unwrap();
                let pose = &pose;
                let mut caches: [Cache; 4] = Default::default();
                let [p, q, r, s] = &mut caches;
                let quick = dispatch::run(Meet::<false> { a, b, pose, cache: p });
                let plain = Meet::<false> { a, b, pose, cache: q }.run::<Portable>();
                assert_eq!(quick.is_intersecting(), plain.is_intersecting());
                let quick = dispatch::run(Measure::<Contact, false> {
                    a,
                    b,
                    pose,
                    cache: r,
                    answer: PhantomData,
                });
                let plain = Measure::<Contact, false> { a, b, pose, cache: s, answer: PhantomData }
                    .run::<Portable>();
                match (quick, plain) {
                    (Contact::Apart(p, _), Contact::Apart(q, _)) => {
                        assert!(p.lower <= q.upper && q.lower <= p.upper, "{p:?} {q:?}");
                        apart += 1;
                    }
                    (Contact::Meeting(p, _), Contact::Meeting(q, _)) => {
                        assert!(p.lower <= q.upper && q.lower <= p.upper, "{p:?} {q:?}");
                        met += 1;
                    }
                    _ => panic!("{quick:?} {plain:?}"),
                }
            }
        }
        assert!(met > 50 && apart > 50, "{met} {apart}");
    }

    #[test]
    fn a_body_in_itself_is_as_deep_as_it_is_narrow() {
        let mut random = Random::new(5);
        let points: Vec<_> =
            (0..60).map(|_| random.direction() * Vec3::new(3.0, 2.0, 1.0)).collect();
        let hull = Hull::new(&points).unwrap();
        let mut cache = Cache::default();
        let (a, b, pose) = (&hull, &hull, &Pose::IDENTITY);
        let Contact::Meeting(overlap, common) = dispatch::run(Measure::<Contact, false> {
            a,
            b,
            pose,
            cache: &mut cache,
            answer: PhantomData,
        }) else {
            panic!()
        };
        assert!(common.verify(hull.vertices(), hull.vertices()));
        let along =
            |d: Vec3| hull.vertices().iter().map(move |p| p.dot(d)).fold(f64::MIN, f64::max);
        let width = |d: Vec3| along(d) + along(-d);
        assert!((width(overlap.direction) - overlap.upper).abs() < 1e-13, "{overlap:?}");
        assert!(overlap.upper - overlap.lower < 1e-12, "{overlap:?}");
        for _ in 0..10_000 {
            assert!(width(random.direction()) >= overlap.lower);
        }
        assert!(
            (overlap.point_a - overlap.point_b).distance(overlap.direction * overlap.upper) < 1e-12,
            "{overlap:?}"
        );
    }

    /// Two bodies that touch, or nearly so, with numbers as far from their size as can be.
    struct Close {
        a: Vec<Vec3>,
        b: Vec<Vec3>,
        pose: Pose,
    }

    fn ulps(x: f64, by: i64) -> f64 {
        // The order of numbers is that of their bits, from zero on either side.
        let place = |x: f64| if x < 0.0 { -((-x).to_bits() as i64) } else { x.to_bits() as i64 };
        // Adding zero gives both zeros one sign.
        let at = place(x + 0.0) + by;
        if at < 0 { -f64::from_bits(-at as u64) } else { f64::from_bits(at as u64) }
    }

    /// A rotation, an axis-aligned one, or a matrix that is barely taken for one.
    fn turn(random: &mut Random, kind: usize) -> [[f64; 3]; 3] {
        let q = match kind % 4 {
            0 => glam::DQuat::IDENTITY,
            1 => glam::DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0).normalize(),
            _ => random.rotation(),
        };
        let m = Pose::from_quaternion(q.to_array(), Vec3::ZERO).unwrap().to_matrix();
        let stretch = if kind % 4 == 3 { 1.0 + 4e-10 * random.range(-1.0, 1.0) } else { 1.0 };
        m.map(|[x, y, z, _]| [x * stretch, y * stretch, z * stretch])
    }

    /// Bodies of about `size`, with coordinates of about `far`: A, B in its own frame, the translation, or all of them.
    fn close(random: &mut Random, size: f64, far: f64, kind: usize) -> Option<Close> {
        let matrix_kind = random.index(4);
        let m = turn(random, matrix_kind);
        let offset = random.direction() * far;
        let (own, moved) = match kind % 4 {
            0 => (Vec3::ZERO, offset),
            1 => (offset, Vec3::ZERO),
            2 => (offset, random.direction() * far),
            _ => {
                let there = |i: usize| Vec3::from(m[i]).dot(offset);
                (offset, -Vec3::new(there(0), there(1), there(2)))
            }
        };
        let matrix = [0, 1, 2].map(|i| [m[i][0], m[i][1], m[i][2], moved[i]]);
        let pose = Pose::from_matrix(matrix).ok()?;
        let count = [1, 2, 3, 4, 8, 30, 60][random.index(7)];
        let b: Vec<Vec3> = (0..count).map(|_| random.direction() * size + own).collect();
        let b = Hull::new(&b).ok()?.vertices().to_vec();
        let placed: Vec<Vec3> = b.iter().map(|v| pose.transform_point(*v)).collect();
        // A touches the vertex of B that is furthest in some direction, or a point between several, and lies beyond it.
        let n = random.direction();
        let furthest = |k: usize, p: &Vec3| n.dot(*p) > n.dot(placed[k]);
        let mut on = (1..placed.len()).fold(0, |k, i| if furthest(k, &placed[i]) { i } else { k });
        if random.index(8) == 0 {
            on = random.index(placed.len());
        }
        let other = placed[random.index(placed.len())];
        let mut at = match random.index(4) {
            0 => placed[on] * 0.5 + other * 0.5,
            _ => placed[on],
        };
        for k in 0..3 {
            at[k] = ulps(at[k], [0, 0, 1, -1, 3, -40][random.index(6)] * (kind as i64 / 4 % 2));
        }
        if kind / 8 % 4 == 0 {
            at += n * size * random.range(-20.0, 1.0).exp2();
        }
        let mut a = vec![at];
        for _ in 0..[0, 1, 2, 3, 7, 25][random.index(6)] {
            a.push(at + (n + random.in_cube() * 0.7) * size);
        }
        let fits = |p: &Vec3| p.abs().max_element() <= 1e60;
        (a.iter().all(fits) && b.iter().all(fits)).then_some(Close { a, b, pose })
    }

    /// A direction that separated bodies in `f32` did not count how B's vertices are rounded far from the origin: the proof did not hold, and bodies
    /// that touch were called apart.
    #[test]
    fn verdicts_and_proofs_hold_where_numbers_are_large_for_the_bodies() {
        let mut random = Random::new(77);
        let sizes = [1.0, 1e-3, 1e-30, 1e-39, 1e-45, 1e-200, 1e-310, 1e20, 1e39, 1e41, 1e58];
        let ratios = [0.0, 1.0, 1e4, 1e7, 1e9, 1e10, 1e11, 1e12, 1e14, 1e16, 1e19, 1e30];
        // By how large the numbers are: which stage decided.
        let mut by_far = [[0_u32; 3]; 12];
        let mut verdicts = [0_u32; 2];
        for round in 0..12_000 {
            let ratio = round % 12;
            let size = if round % 2 == 0 { 1.0 } else { sizes[random.index(11)] };
            let far = ratios[ratio] * size;
            let kind = random.index(64);
            let Some(Close { a, b, pose }) = close(&mut random, size, far, kind) else { continue };
            let (Ok(p), Ok(q)) = (Hull::new(&a), Hull::new(&b)) else { continue };
            let (a, pose) = (p.vertices(), &pose);
            let there: Vec<Vec3> = q.vertices().iter().map(|v| pose.transform_point(*v)).collect();
            let exact = crate::convex::decide::decide(a, &there, &Hint::NONE);
            assert!(exact.verify(a, &there));
            let meets = exact.is_intersecting();
            verdicts[usize::from(meets)] += 1;
            let (a_hull, b_hull) = (&p, &q);
            let mut cache = Cache::default();
            stage::take();
            let quick =
                dispatch::run(Meet::<false> { a: a_hull, b: b_hull, pose, cache: &mut cache });
            let counts = stage::take();
            assert_eq!(counts.iter().sum::<u32>(), 1, "{counts:?}");
            for (sum, count) in by_far[ratio].iter_mut().zip(counts) {
                *sum += count;
            }
            let mut none = Cache::default();
            let plain =
                Meet::<false> { a: a_hull, b: b_hull, pose, cache: &mut none }.run::<Portable>();
            let again =
                dispatch::run(Meet::<true> { a: a_hull, b: b_hull, pose, cache: &mut cache });
            let mut other = Cache::default();
            let known = Measure::<Contact, false> {
                a: a_hull,
                b: b_hull,
                pose,
                cache: &mut other,
                answer: PhantomData,
            };
            let contact = dispatch::run(known);
            let after =
                dispatch::run(Meet::<true> { a: a_hull, b: b_hull, pose, cache: &mut other });
            let case = format!("{round}: size {size:e} far {far:e} kind {kind}");
            for decision in [quick, plain, again, after] {
                assert_eq!(decision.is_intersecting(), meets, "{case} {decision:?}");
                assert!(decision.verify(a, &there), "{case} {decision:?} {a:?} {there:?}");
            }
            match contact {
                Contact::Apart(distance, gap) => {
                    assert!(!meets && gap.verify(a, &there), "{case} {gap:?}");
                    let exact = crate::convex::decide::closest(a, &there, &Hint::NONE).unwrap();
                    let holds = distance.lower <= exact.upper && exact.lower <= distance.upper;
                    assert!(holds, "{case} {distance:?} {exact:?}");
                }
                Contact::Meeting(overlap, common) => {
                    assert!(meets && common.verify(a, &there), "{case}");
                    assert!(overlap.lower <= overlap.upper, "{case} {overlap:?}");
                }
            }
        }
        assert!(verdicts.iter().all(|n| *n > 2000), "{verdicts:?}");
        // Every stage decides while the bodies are not too small for their numbers, and the exact one to the end.
        for (ratio, counts) in ratios.iter().zip(by_far) {
            assert!(counts[2] > 50, "{ratio:e} {counts:?}");
            assert!(counts[0] > 20 || *ratio > 1e12, "{ratio:e} {counts:?}");
            assert!(counts[1] > 20 || *ratio > 1e12, "{ratio:e} {counts:?}");
        }
    }
}
