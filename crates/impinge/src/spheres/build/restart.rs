//! Small groups of balls around the worst ones are placed anew.
//!
//! Rounds of [`refine`](super::refine) end where no ball can be improved alone. A ball and its
//! nearest siblings often can, together: one of them moves to the other side of the worst, or all
//! are moved a little at random, and a few rounds within the group follow. What is not better than
//! before is dropped, so that a level never gets worse.

use super::cover::Seed;
use super::parallel::map;
use super::refine::{furthest, recenter};
use super::room::Room;
use crate::math::{Random, Vec3};

/// Balls of a group.
const GROUP: usize = 6;

/// New places that are tried for a group, and the rounds for each.
const TRIALS: usize = 4;

/// Rounds for each of them and places that are tried for a ball in a round, in levels of many
/// balls, and of at most [`FEW_BALLS`]: there single balls decide more.
const ROUNDS: [usize; 2] = [4, 6];
const STEPS: [usize; 2] = [10, 16];
const FEW_BALLS: usize = 128;

/// Points of a group; of more, every second or third is taken.
const MAX_POINTS: usize = 1_200;

/// A change counts if it makes the worst ball better by this share of `h`.
const LEAST_GAIN: f64 = 0.004;

/// Balls that are improved together.
struct Group {
    balls: Vec<usize>,
    centers: Vec<Vec3>,
    owned: Vec<Vec<Vec3>>,
}

/// Improves the worst balls of a level; `slacks` has the slack of every ball.
pub(super) fn improve_worst(
    seeds: &mut [Seed],
    assigned: &mut [Vec<Vec3>],
    slacks: &mut [f64],
    room: &Room<'_>,
    number: u64,
) {
    let groups = groups(seeds, slacks);
    let improved = map(groups.len(), &|i| improve(&groups[i], seeds, assigned, room, number));
    for group in improved.into_iter().flatten() {
        for ((ball, center), own) in group.balls.into_iter().zip(group.centers).zip(group.owned) {
            let slack = room.radius(center) - furthest(center, &own).0;
            slacks[ball] = if own.is_empty() { f64::INFINITY } else { slack };
            seeds[ball].center = center;
            assigned[ball] = own;
        }
    }
}

/// The worst balls, each with its nearest siblings; no ball is in two groups.
fn groups(seeds: &[Seed], slacks: &[f64]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..seeds.len()).filter(|i| slacks[*i].is_finite()).collect();
    order.sort_by(|a, b| slacks[*a].total_cmp(&slacks[*b]).then(a.cmp(b)));
    let mut is_free = vec![true; seeds.len()];
    let mut groups = Vec::new();
    for worst in order.iter().copied().take(1 + seeds.len() / 8) {
        if !is_free[worst] || groups.len() > seeds.len() / 24 {
            continue;
        }
        let apart = |i: usize| seeds[i].center.distance_squared(seeds[worst].center);
        let mut near: Vec<(f64, usize)> = (0..seeds.len())
            .filter(|i| is_free[*i] && seeds[*i].parent == seeds[worst].parent)
            .map(|i| (apart(i), i))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let group: Vec<usize> = near.into_iter().take(GROUP).map(|(_, i)| i).collect();
        group.iter().for_each(|i| is_free[*i] = false);
        if group.len() > 1 {
            groups.push(group);
        }
    }
    groups
}

/// Better places for the balls of a group, if any were found.
fn improve(
    balls: &[usize],
    seeds: &[Seed],
    assigned: &[Vec<Vec3>],
    room: &Room<'_>,
    number: u64,
) -> Option<Group> {
    let all: Vec<Vec3> = balls.iter().flat_map(|i| assigned[*i].iter().copied()).collect();
    let points: Vec<Vec3> =
        all.iter().copied().step_by(all.len().div_ceil(MAX_POINTS).max(1)).collect();
    if points.is_empty() {
        return None;
    }
    let effort = usize::from(seeds.len() <= FEW_BALLS);
    let (rounds, steps) = (ROUNDS[effort], STEPS[effort]);
    let given: Vec<Vec3> = balls.iter().map(|i| seeds[*i].center).collect();
    let mut random = Random::new(number ^ (balls[0] as u64) << 20);
    let least = |centers: &[Vec3], points: &[Vec3]| {
        let owned = divide(centers, points, room);
        let slack = |(c, own): (&Vec3, &Vec<Vec3>)| room.radius(*c) - furthest(*c, own).0;
        let filled = centers.iter().zip(&owned).filter(|(_, own)| !own.is_empty());
        (filled.map(slack).fold(f64::INFINITY, f64::min), owned)
    };
    let before = least(&given, &points).0;
    let mut best: Option<(f64, Vec<Vec3>)> = None;
    for trial in 0..TRIALS {
        let from = best.as_ref().map_or(&given, |(_, centers)| centers);
        let mut centers = from.clone();
        if trial % 2 == 0 {
            transplant(&mut centers, &points, room, &mut random);
        } else {
            let size = 0.5 * room.h + 0.1 * room.radius(centers[0]);
            centers.iter_mut().for_each(|c| *c += random.in_cube() * size);
        }
        for round in 0..rounds {
            let owned = divide(&centers, &points, room);
            for (i, (center, own)) in centers.iter_mut().zip(&owned).enumerate() {
                let start = number ^ ((trial * rounds + round) * GROUP + i) as u64;
                *center = recenter(*center, own, room, steps, start).0;
            }
        }
        let found = least(&centers, &points).0;
        let known = best.as_ref().map_or(before, |(slack, _)| *slack);
        if found > known + LEAST_GAIN * room.h {
            best = Some((found, centers));
        }
    }
    let (_, centers) = best?;
    let owned = divide(&centers, &all, room);
    Some(Group { balls: balls.to_vec(), centers, owned })
}

/// Every point goes to the ball in which it is deepest.
fn divide(centers: &[Vec3], points: &[Vec3], room: &Room<'_>) -> Vec<Vec<Vec3>> {
    let radii: Vec<f64> = centers.iter().map(|c| room.radius(*c)).collect();
    let mut owned = vec![Vec::new(); centers.len()];
    for p in points {
        let mut best = (f64::NEG_INFINITY, 0);
        for (i, (c, r)) in centers.iter().zip(&radii).enumerate() {
            let depth = r - c.distance(*p);
            if depth > best.0 {
                best = (depth, i);
            }
        }
        owned[best.1].push(*p);
    }
    owned
}

/// Moves a ball, chosen at random, to the furthest point of the worst one.
fn transplant(centers: &mut [Vec3], points: &[Vec3], room: &Room<'_>, random: &mut Random) {
    let owned = divide(centers, points, room);
    let far = |i: usize| {
        let (distance, point) = furthest(centers[i], &owned[i]);
        (room.radius(centers[i]) - distance, i, point)
    };
    let filled = (0..centers.len()).filter(|i| !owned[*i].is_empty());
    let Some((_, worst, point)) =
        filled.map(far).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
    else {
        return;
    };
    let moved = random.index(centers.len());
    let toward = if moved == worst { 0.3 } else { 0.6 };
    centers[moved] = point.lerp(centers[worst], toward);
}
