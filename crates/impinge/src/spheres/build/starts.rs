//! The first balls of a level, from which rounds begin.

use super::cover::{Parents, Seed, greedy};
use super::point_tree::PointTree;
use super::refine::{Level, Target};
use super::room::Room;
use super::samples::Samples;
use crate::math::{Aabb, Random, Vec3};

/// The largest number of points for the greedy choice.
const MAX_POINTS_FOR_GREEDY: usize = 12_000;

/// Points of which the furthest from the others is taken for [`spread`].
const CANDIDATES_OF_SPREAD: usize = 24;

/// Candidates for each ball of a level, and the least number.
const CANDIDATES_PER_BALL: usize = 4;
const LEAST_CANDIDATES: usize = 1_500;

/// Balls around the cells of a cubic grid that the surface enters, if they are at most `balls`;
/// `h` is their radius. No level is worse than these balls.
pub(super) fn grid(target: &Target<'_>, balls: usize) -> Option<Level> {
    let bounds = Aabb::from_points(target.points.iter().copied());
    let extent = bounds.extent();
    let mut best = None;
    for n in 2..12_u32 {
        let side = extent.max_element() / f64::from(n) * (1.0 + 1e-9);
        let mut cells: Vec<([u32; 3], u32)> = Vec::new();
        for (i, p) in target.points.iter().enumerate() {
            // A point on the border of cells belongs to one of them only.
            let at = ((*p - bounds.center()) / side + Vec3::splat(0.5 * f64::from(n))).floor();
            let at = at.clamp(Vec3::ZERO, Vec3::splat(f64::from(n - 1)));
            let parent = target.parents.of(i).first().copied().unwrap_or(0);
            cells.push((at.to_array().map(|x| x as u32), parent));
        }
        cells.sort_unstable();
        cells.dedup_by_key(|cell| cell.0);
        if cells.len() > balls {
            break;
        }
        let center = |at: [u32; 3]| {
            let middle = Vec3::from(at.map(f64::from)) + Vec3::splat(0.5 - 0.5 * f64::from(n));
            bounds.center() + middle * side
        };
        let seed = |(at, parent): &([u32; 3], u32)| Seed { center: center(*at), parent: *parent };
        let seeds = cells.iter().map(seed).collect();
        best = Some(Level { seeds, h: side * 0.75_f64.sqrt() });
    }
    best
}

/// A level with its balls moved at random by up to half its `h`.
pub(super) fn shaken(level: &Level, seed: u64) -> Level {
    let mut random = Random::new(seed);
    let mut moved = level.clone();
    moved.seeds.iter_mut().for_each(|s| s.center += random.in_cube() * (0.5 * level.h));
    moved
}

/// A level of balls at points of the surface that are far from each other.
pub(super) fn spread(target: &Target<'_>, balls: usize, h: f64, seed: u64) -> Level {
    let mut random = Random::new(seed);
    let count = target.points.len();
    let seed_at = |i: usize| {
        let parent = target.parents.of(i).first().copied().unwrap_or(0);
        Seed { center: target.points[i], parent }
    };
    let mut seeds = vec![seed_at(random.index(count))];
    while seeds.len() < balls {
        let apart = |i: usize| {
            let to = |s: &Seed| s.center.distance_squared(target.points[i]);
            seeds.iter().map(to).fold(f64::INFINITY, f64::min)
        };
        let tried = (0..CANDIDATES_OF_SPREAD).map(|_| random.index(count));
        let furthest = tried.map(|i| (apart(i), i)).max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, i)) = furthest else { break };
        seeds.push(seed_at(i));
    }
    Level { seeds, h }
}

/// The first balls of a level: the greedy choice for the least `h` for which it needs at most
/// `balls`.
pub(super) fn first(samples: &Samples, target: &Target<'_>, balls: usize, above: f64) -> Level {
    // A part of the points is enough for a start.
    let step = target.points.len().div_ceil(MAX_POINTS_FOR_GREEDY);
    let points: Vec<Vec3> = target.points.iter().copied().step_by(step).collect();
    let tree = &PointTree::new(&points);
    let parents = &Parents::new(points.len(), |i, all| all.extend(target.parents.of(i * step)));
    let attempt = |h: f64| {
        let room = Room::new(samples, h);
        let candidates = room.medial_centers((CANDIDATES_PER_BALL * balls).max(LEAST_CANDIDATES));
        let (seeds, left) = greedy(&room, &candidates, tree, parents, points.len(), balls);
        // Points that no candidate contains are left to the refinement.
        (left <= points.len() / 200).then_some(Level { seeds, h })
    };
    let mut high = above;
    let mut best = attempt(high);
    // A larger reach than that of the level above is needed only by a level of hardly more balls.
    while best.is_none() && high < 4.0 {
        high *= 1.4;
        best = attempt(high);
    }
    let mut low = 0.0;
    for _ in 0..6 {
        let middle = if low == 0.0 { high * 0.3 } else { (low * high).sqrt() };
        match attempt(middle) {
            Some(found) => (high, best) = (middle, Some(found)),
            None => low = middle,
        }
        if high < 1.12 * low || high < 1e-9 {
            break;
        }
    }
    best.unwrap_or_else(|| Level {
        seeds: vec![Seed {
            center: Vec3::ZERO,
            parent: parents.of(0).first().copied().unwrap_or(0),
        }],
        h: high,
    })
}
