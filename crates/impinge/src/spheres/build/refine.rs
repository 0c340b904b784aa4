//! Moves the balls of a level so that the largest reach falls.
//!
//! Rounds of two steps, as in Lloyd's method for the mean, here for the maximum: every point goes
//! to the ball in which it is deepest; every ball moves to where its slack is largest, that is, the
//! largest radius with reach `h` less the distance of its furthest point. A ball with slack `s`
//! would do with a reach of `h - s`, so the smallest slack of a level says which `h` all of its
//! balls need.

use super::cover::{Parents, Seed};
use super::parallel::map;
use super::point_tree::PointTree;
use super::restart::improve_worst;
use super::room::Room;
use super::samples::Samples;
use crate::math::{Random, Vec3};
use crate::order::sort_by;

/// Rounds without a better state after which the best one is disturbed, and after which the search
/// ends.
const SHAKE_INTERVAL: usize = 16;
const PATIENCE: usize = 56;

/// Places that are tried for a ball in a round.
pub(super) const STEPS: usize = 18;

/// A level whose balls have reach `h` at most, judged by samples.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) seeds: Vec<Seed>,
    pub(super) h: f64,
}

/// The points a level has to cover.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) points: &'a [Vec3],
    pub(super) tree: &'a PointTree,
    pub(super) parents: &'a Parents,
}

/// How much a level may be changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// The largest number of balls; fewer are made more by dividing the worst.
    pub(super) balls: usize,
    pub(super) rounds: usize,
}

/// Improves a level for a number of rounds; `proceed` is called before each, and ends them.
pub(super) fn refine(
    level: Level,
    target: &Target<'_>,
    samples: &Samples,
    effort: Effort,
    proceed: &mut dyn FnMut() -> bool,
) -> Level {
    let Effort { balls, rounds } = effort;
    // The target may have more points than before: what the level needs is not known yet.
    let given = level.h;
    let mut now = level;
    adopt(&mut now.seeds, target, balls);
    let mut best = Level { h: f64::INFINITY, seeds: now.seeds.clone() };
    let mut random = Random::new(7);
    let mut since_best = 0;
    // Short improvements begin with it: points were added because no ball contains them.
    let relocation = if rounds < 6 { 0 } else { 2 };
    for round in 0..rounds {
        if !proceed() {
            break;
        }
        let room = Room::new(samples, now.h);
        let mut assigned = assign(&now.seeds, target, &room);
        if now.seeds.len() < balls && round + 3 < rounds {
            divide_worst(&mut now.seeds, &mut assigned, &room, balls);
        } else if round % 3 == relocation && round + 2 < rounds {
            relocate(&mut now.seeds, &mut assigned, &room);
        }
        let moved = map(now.seeds.len(), &|i| {
            let start = i as u64 + ((round as u64) << 32);
            recenter(now.seeds[i].center, &assigned[i], &room, STEPS, start)
        });
        let mut slacks: Vec<f64> = moved.iter().map(|m| m.1).collect();
        for (seed, (center, _)) in now.seeds.iter_mut().zip(moved) {
            seed.center = center;
        }
        if round % 3 == 1 {
            improve_worst(&mut now.seeds, &mut assigned, &mut slacks, &room, round as u64);
        }
        let least = slacks.iter().copied().fold(f64::INFINITY, f64::min);
        if !least.is_finite() {
            break;
        }
        // Larger reaches give every ball at least as much more room. Smaller ones can open gaps of
        // the solid that were filled, so they count only once a round has succeeded with them.
        let enough = room.h - least.min(0.0);
        since_best += 1;
        if enough < best.h * (1.0 - 1e-4) {
            since_best = 0;
        }
        if enough < best.h {
            best = Level { seeds: now.seeds.clone(), h: enough };
        }
        now.h = (room.h - least).clamp(0.85 * room.h, 1.1 * room.h).min(best.h * 1.02);
        if since_best > PATIENCE {
            break;
        }
        if since_best % SHAKE_INTERVAL == SHAKE_INTERVAL / 2 {
            // A small disturbance, from the best state.
            now = best.clone();
            let size = 0.2 * now.h;
            now.seeds.iter_mut().for_each(|s| s.center += random.in_cube() * size);
        }
    }
    // Without a round nothing is known but what was given.
    if best.h == f64::INFINITY {
        best.h = given;
    }
    best
}

/// Adds balls for points that may belong to parents without children only. Where that makes too
/// many, balls with siblings are dropped, the last first.
fn adopt(seeds: &mut Vec<Seed>, target: &Target<'_>, balls: usize) {
    let parents = seeds.iter().map(|s| s.parent as usize + 1).max().unwrap_or(0);
    let mut children = vec![0_usize; parents];
    seeds.iter().for_each(|s| children[s.parent as usize] += 1);
    for (i, point) in target.points.iter().enumerate() {
        let allowed = target.parents.of(i);
        let has_child = |p: &u32| children.get(*p as usize).is_some_and(|count| *count > 0);
        if let (false, Some(parent)) = (allowed.iter().any(has_child), allowed.first()) {
            seeds.push(Seed { center: *point, parent: *parent });
            children.resize(children.len().max(*parent as usize + 1), 0);
            children[*parent as usize] += 1;
        }
    }
    let mut i = seeds.len();
    while seeds.len() > balls && i > 0 {
        i -= 1;
        let count = &mut children[seeds[i].parent as usize];
        if *count > 1 {
            *count -= 1;
            seeds.remove(i);
        }
    }
}

/// The points of each ball: every point goes to the ball in which it is deepest.
fn assign(seeds: &[Seed], target: &Target<'_>, room: &Room<'_>) -> Vec<Vec<Vec3>> {
    let radii: Vec<f64> = seeds.iter().map(|s| room.radius(s.center)).collect();
    // The owner of each point, and how deep it is.
    let mut owners = vec![(u32::MAX, f64::NEG_INFINITY); target.points.len()];
    // Points that are in no ball are looked for a little outside.
    for (i, seed) in seeds.iter().enumerate() {
        let look = radii[i] + 0.5 * room.h;
        target.tree.within(seed.center, look, |p, square| {
            let depth = radii[i] - square.sqrt();
            let owner = &mut owners[p as usize];
            if depth > owner.1 && target.parents.allow(p as usize, seed.parent) {
                *owner = (i as u32, depth);
            }
        });
    }
    let mut assigned = vec![Vec::new(); seeds.len()];
    for (p, (owner, _)) in owners.iter().enumerate() {
        let point = target.points[p];
        let owner = if *owner == u32::MAX {
            let depth = |i: usize| radii[i] - seeds[i].center.distance(point);
            let allowed = (0..seeds.len()).filter(|i| target.parents.allow(p, seeds[*i].parent));
            allowed.max_by(|a, b| depth(*a).total_cmp(&depth(*b)).then(b.cmp(a)))
        } else {
            Some(*owner as usize)
        };
        if let Some(owner) = owner {
            assigned[owner].push(point);
        }
    }
    assigned
}

/// The furthest of a ball's points, and its distance.
pub(super) fn furthest(c: Vec3, own: &[Vec3]) -> (f64, Vec3) {
    let mut best = (-1.0, c);
    for p in own {
        let square = p.distance_squared(c);
        if square > best.0 {
            best = (square, *p);
        }
    }
    (best.0.max(0.0).sqrt(), best.1)
}

/// A centre near `c` with more slack, and its slack; infinite without points.
pub(super) fn recenter(
    mut c: Vec3,
    own: &[Vec3],
    room: &Room<'_>,
    steps: usize,
    seed: u64,
) -> (Vec3, f64) {
    if own.is_empty() {
        return (c, f64::INFINITY);
    }
    // Points that stay nearer than the furthest while the centre moves by at most `range`.
    let radius = room.radius(c);
    let range = 0.25 * radius.min(2.0 * room.h + 0.1 * radius);
    let (far, _) = furthest(c, own);
    let near = (far - 2.0 * range).max(0.0);
    let outer: Vec<Vec3> =
        own.iter().copied().filter(|p| p.distance_squared(c) >= near * near).collect();
    let start = c;
    let mut guess = 0;
    // The slack at a centre if it is more than `least`, and its slope.
    let mut evaluate = |c: Vec3, least: f64| {
        let (far, point) = furthest(c, &outer);
        let free = room.free(c, guess, (least + far).max(0.0));
        guess = free.guess;
        let slope = (point - c).normalize_or_zero() - (free.limit - c).normalize_or_zero();
        (free.radius - far, slope)
    };
    let mut random = Random::new(seed);
    let (mut slack, mut slope) = evaluate(c, f64::NEG_INFINITY);
    let mut step = 0.5 * range;
    for i in 0..steps {
        // Along the slope, and along random directions where the two furthest or nearest points
        // balance.
        let way = if i % 3 == 0 { slope.normalize_or_zero() } else { random.direction() };
        let way = if way == Vec3::ZERO { random.direction() } else { way };
        let way = if way.dot(slope) < 0.0 { -way } else { way };
        let next = c + way * step;
        if next.distance_squared(start) > range * range {
            step *= 0.75;
            continue;
        }
        let found = evaluate(next, slack);
        if found.0 > slack {
            (c, slack, slope) = (next, found.0, found.1);
            step *= 1.3;
        } else {
            step *= 0.75;
        }
    }
    (c, slack)
}

/// Moves balls whose points others could take most easily to the worst balls, if that helps those:
/// both then share the points of the worst.
fn relocate(seeds: &mut [Seed], assigned: &mut [Vec<Vec3>], room: &Room<'_>) {
    let radii: Vec<f64> = seeds.iter().map(|s| room.radius(s.center)).collect();
    let slacks: Vec<f64> =
        (0..seeds.len()).map(|i| radii[i] - furthest(seeds[i].center, &assigned[i]).0).collect();
    let mut worst: Vec<usize> = (0..seeds.len()).filter(|i| assigned[*i].len() > 1).collect();
    sort_by(&mut worst, &|a, b| slacks[*a].total_cmp(&slacks[*b]).then(a.cmp(b)));
    worst.truncate(1 + seeds.len() / 32);
    let Some(least) = worst.first().map(|i| slacks[*i] + 0.1 * room.h) else { return };
    // The least slack of a ball's points in other balls.
    let without = |i: usize| {
        let mut loss = f64::INFINITY;
        for p in &assigned[i] {
            let others =
                (0..seeds.len()).filter(|j| *j != i && seeds[*j].parent == seeds[i].parent);
            let depth = |j: usize| radii[j] - seeds[j].center.distance(*p);
            loss = loss.min(others.map(depth).fold(f64::NEG_INFINITY, f64::max));
            if loss <= least {
                break;
            }
        }
        loss
    };
    let losses = map(seeds.len(), &|i| without(i));
    let mut spares: Vec<(f64, usize)> = (losses.into_iter().enumerate())
        .map(|(i, loss)| (loss, i))
        .filter(|(loss, i)| *loss > least && !worst.contains(i))
        .collect();
    sort_by(&mut spares, &|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (worst, (loss, spare)) in worst.into_iter().zip(spares) {
        if loss <= slacks[worst] + 0.1 * room.h {
            return;
        }
        let Some((other, high, low)) = halves(seeds[worst], &assigned[worst], radii[worst]) else {
            continue;
        };
        let old_parent = seeds[spare].parent;
        for p in std::mem::take(&mut assigned[spare]) {
            let depth = |j: usize| radii[j] - seeds[j].center.distance(p);
            let heirs = (0..seeds.len()).filter(|j| *j != spare && seeds[*j].parent == old_parent);
            if let Some(heir) = heirs.max_by(|a, b| depth(*a).total_cmp(&depth(*b)).then(b.cmp(a)))
            {
                assigned[heir].push(p);
            }
        }
        seeds[spare] = other;
        assigned[spare] = high;
        assigned[worst] = low;
    }
}

/// Divides a ball's points by the direction of the furthest: a second ball for one half, and the
/// two halves.
fn halves(seed: Seed, own: &[Vec3], radius: f64) -> Option<(Seed, Vec<Vec3>, Vec<Vec3>)> {
    let (_, far) = furthest(seed.center, own);
    let way = far - seed.center;
    let (high, low): (Vec<Vec3>, Vec<Vec3>) =
        own.iter().partition(|p| (**p - seed.center).dot(way) > 0.0);
    if high.is_empty() || low.is_empty() {
        return None;
    }
    // Three tenths of the radius from the centre if the point is on the sphere.
    let inward = (0.7 * radius).min(way.length());
    let center = far - way.normalize_or_zero() * inward;
    Some((Seed { center, ..seed }, high, low))
}

/// Adds balls, up to `balls`, by dividing those with the least slack; at most every eighth.
fn divide_worst(
    seeds: &mut Vec<Seed>,
    assigned: &mut Vec<Vec<Vec3>>,
    room: &Room<'_>,
    balls: usize,
) {
    let slack = |i: usize| {
        let radius = room.radius(seeds[i].center);
        (radius - furthest(seeds[i].center, &assigned[i]).0, i, radius)
    };
    let mut order: Vec<(f64, usize, f64)> = (0..seeds.len()).map(slack).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let count = (balls - seeds.len()).min(1 + seeds.len() / 8);
    for (_, i, radius) in order.into_iter().take(count) {
        if let Some((other, high, low)) = halves(seeds[i], &assigned[i], radius) {
            seeds.push(other);
            assigned.push(high);
            assigned[i] = low;
        }
    }
}
