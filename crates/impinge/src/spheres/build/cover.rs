//! A first cover: greedily chosen medial balls.

use std::collections::BinaryHeap;

use super::point_tree::PointTree;
use super::room::Room;
use crate::math::Vec3;

/// Which parents a point may have: the balls of the level above that contain it.
#[derive(Debug)]
pub(super) struct Parents {
    first: Vec<u32>,
    all: Vec<u32>,
}

impl Parents {
    /// Of points, each with the parents that `each` appends for it.
    pub(super) fn new(count: usize, mut each: impl FnMut(usize, &mut Vec<u32>)) -> Self {
        let mut found = Self { first: vec![0], all: Vec::new() };
        for i in 0..count {
            each(i, &mut found.all);
            found.first.push(found.all.len() as u32);
        }
        found
    }

    /// Forgets all points but the first ones.
    pub(super) fn truncate(&mut self, count: usize) {
        self.first.truncate(count + 1);
        self.all.truncate(self.first.last().map_or(0, |end| *end as usize));
    }

    /// Adds further points.
    pub(super) fn extend(&mut self, more: Self) {
        let start = self.all.len() as u32;
        self.first.extend(more.first[1..].iter().map(|first| start + first));
        self.all.extend(more.all);
    }

    pub(super) fn of(&self, point: usize) -> &[u32] {
        &self.all[self.first[point] as usize..self.first[point + 1] as usize]
    }

    pub(super) fn allow(&self, point: usize, parent: u32) -> bool {
        self.of(point).contains(&parent)
    }
}

/// A ball of a level that is being built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seed {
    pub(super) center: Vec3,
    pub(super) parent: u32,
}

/// Chooses from `candidates` until every point is in a ball, or there are `limit` balls. Returns
/// the balls, and the number of points that are in none.
pub(super) fn greedy(
    room: &Room<'_>,
    candidates: &[Vec3],
    points: &PointTree,
    parents: &Parents,
    count: usize,
    limit: usize,
) -> (Vec<Seed>, usize) {
    // The points of each candidate, once for each of the parents that most of its points may have.
    let mut lists: Vec<(Seed, Vec<u32>)> = Vec::with_capacity(2 * candidates.len());
    let mut votes: Vec<(u32, u32)> = Vec::new();
    for center in candidates {
        let radius = room.radius(*center);
        let mut inside = Vec::new();
        points.within(*center, radius, |i, _| inside.push(i));
        votes.clear();
        for i in &inside {
            for parent in parents.of(*i as usize) {
                match votes.iter_mut().find(|v| v.0 == *parent) {
                    Some(vote) => vote.1 += 1,
                    None => votes.push((*parent, 1)),
                }
            }
        }
        votes.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        for (parent, _) in votes.iter().take(2) {
            let fits = |i: &u32| parents.allow(*i as usize, *parent);
            let list = inside.iter().copied().filter(fits).collect();
            lists.push((Seed { center: *center, parent: *parent }, list));
        }
    }
    let mut covered = vec![false; count];
    let mut left = count;
    let mut chosen = Vec::new();
    // Gains only fall: the largest stored gain is recomputed, and taken if it is still the largest.
    let gains = lists.iter().enumerate();
    let mut heap: BinaryHeap<(usize, usize)> =
        gains.map(|(i, (_, list))| (list.len(), usize::MAX - i)).collect();
    while let Some((_, key)) = heap.pop() {
        if left == 0 || chosen.len() == limit {
            break;
        }
        let (seed, list) = &lists[usize::MAX - key];
        let gain = list.iter().filter(|i| !covered[**i as usize]).count();
        if gain == 0 {
            continue;
        }
        if heap.peek().is_some_and(|next| next.0 > gain) {
            heap.push((gain, key));
            continue;
        }
        chosen.push(*seed);
        left -= gain;
        list.iter().for_each(|i| covered[*i as usize] = true);
    }
    (chosen, left)
}
