//! Merging spheres: a pair is replaced by one sphere that covers what the pair covers, the pair
//! with the tightest such sphere first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use impinge::Vec3;
use impinge::spheres::{NO_PARENT, Node};

use super::surface::Surface;

/// A sphere with the points of the surface that it has to cover.
#[derive(Clone, Debug)]
pub(super) struct Sphere {
    pub(super) center: Vec3,
    pub(super) radius: f64,
    pub(super) points: Vec<u32>,
}

/// Spheres near a sphere that it may be merged with.
const NEIGHBOURS: usize = 12;

/// With fewer spheres, every pair may be merged.
const ALL_PAIRS: usize = 512;

/// Steps towards the smallest enclosing sphere.
const ENCLOSING_STEPS: usize = 12;

/// The radius of the smallest sphere around a centre that covers points.
pub(super) fn covering_radius(center: Vec3, points: &[u32], all: &[Vec3]) -> f64 {
    let far = |p: &u32| all[*p as usize].distance_squared(center);
    points.iter().map(far).fold(0.0, f64::max).sqrt()
}

/// How far a sphere reaches beyond the surface of the object: its radius less the depth of its
/// centre. It bounds the Hausdorff distance from the sphere to the object.
pub(super) fn looseness(center: Vec3, radius: f64, surface: &Surface) -> f64 {
    radius - surface.depth(center)
}

/// The levels of the tree that merging leads to, the coarsest first. `counts` are the numbers of
/// spheres of the levels, descending. Spheres are merged until the first count is reached, which
/// gives the deepest level; then further to the next, and so on.
pub(super) fn levels(
    spheres: Vec<Sphere>,
    counts: &[usize],
    all: &[Vec3],
    surface: &Surface,
) -> Vec<Vec<Node>> {
    let mut merger = Merger::new(spheres, all, surface);
    let mut found: Vec<Vec<u32>> = Vec::new();
    for count in counts {
        merger.merge_to(*count);
        found.push(merger.alive());
    }
    found.reverse();
    let mut levels: Vec<Vec<Node>> = Vec::new();
    for (level, spheres) in found.iter().enumerate() {
        let node = |sphere: &u32| {
            let of = &merger.spheres[*sphere as usize];
            let parent = match level.checked_sub(1).map(|above| &found[above]) {
                None => NO_PARENT,
                Some(above) => {
                    let mut up = *sphere;
                    loop {
                        if let Ok(parent) = above.binary_search(&up) {
                            break parent as u32;
                        }
                        up = merger.merged_into[up as usize];
                    }
                }
            };
            Node { ball: surface.ball(of.center, of.radius), parent }
        };
        levels.push(spheres.iter().map(node).collect());
    }
    levels
}

struct Merger<'a> {
    all: &'a [Vec3],
    surface: &'a Surface,
    spheres: Vec<Sphere>,
    /// The sphere that replaced each sphere, or itself.
    merged_into: Vec<u32>,
    alive: usize,
    /// Possible merges, the cheapest first: cost and the two spheres.
    queue: BinaryHeap<Reverse<(Cost, u32, u32)>>,
    neighbours: Vec<Vec<u32>>,
    has_all_pairs: bool,
}

/// A cost, ordered.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cost(f64);

impl Eq for Cost {}

impl Ord for Cost {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> Merger<'a> {
    fn new(spheres: Vec<Sphere>, all: &'a [Vec3], surface: &'a Surface) -> Self {
        let count = spheres.len();
        Self {
            all,
            surface,
            spheres,
            merged_into: (0..count as u32).collect(),
            alive: count,
            queue: BinaryHeap::new(),
            neighbours: vec![Vec::new(); count],
            has_all_pairs: false,
        }
    }

    fn is_alive(&self, sphere: u32) -> bool {
        self.merged_into[sphere as usize] == sphere
    }

    /// The spheres that were not replaced, ascending.
    fn alive(&self) -> Vec<u32> {
        (0..self.spheres.len() as u32).filter(|s| self.is_alive(*s)).collect()
    }

    fn merge_to(&mut self, count: usize) {
        while self.alive > count.max(1) {
            if self.alive <= ALL_PAIRS && !self.has_all_pairs {
                self.has_all_pairs = true;
                self.link_all();
            }
            let Some(Reverse((_, a, b))) = self.queue.pop() else {
                // At the start, and where parts have become isolated.
                self.link_nearest();
                continue;
            };
            if self.is_alive(a) && self.is_alive(b) {
                self.merge(a, b);
            }
        }
    }

    /// Proposes to merge each sphere with the nearest ones.
    fn link_nearest(&mut self) {
        let alive = self.alive();
        let centers: Vec<Vec3> = alive.iter().map(|s| self.spheres[*s as usize].center).collect();
        let mut near: Vec<(f64, u32)> = Vec::new();
        for (i, a) in alive.iter().enumerate() {
            near.clear();
            let distance = |(j, c): (usize, &Vec3)| (c.distance_squared(centers[i]), alive[j]);
            near.extend(centers.iter().enumerate().filter(|(j, _)| *j != i).map(distance));
            let count = NEIGHBOURS.min(near.len());
            if count < near.len() {
                near.select_nth_unstable_by(count, |x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            }
            for (_, b) in near[..count].iter().copied() {
                self.link(*a, b);
            }
        }
    }

    fn link_all(&mut self) {
        self.queue.clear();
        self.neighbours.iter_mut().for_each(Vec::clear);
        let alive = self.alive();
        for (i, a) in alive.iter().enumerate() {
            alive[..i].iter().for_each(|b| self.link(*a, *b));
        }
    }

    /// Proposes to merge two spheres, unless that was proposed before.
    fn link(&mut self, a: u32, b: u32) {
        if self.neighbours[a as usize].contains(&b) {
            return;
        }
        self.neighbours[a as usize].push(b);
        self.neighbours[b as usize].push(a);
        let merged = self.merged(a, b);
        let cost = looseness(merged.center, merged.radius, self.surface);
        self.queue.push(Reverse((Cost(cost), a.min(b), a.max(b))));
    }

    /// The sphere that would replace two.
    fn merged(&self, a: u32, b: u32) -> Sphere {
        let [s, t] = [a, b].map(|i| &self.spheres[i as usize]);
        let mut points = s.points.clone();
        points.extend_from_slice(&t.points);
        tightest(points, &[s.center, t.center, (s.center + t.center) * 0.5], self.all, self.surface)
    }

    fn merge(&mut self, a: u32, b: u32) {
        let merged = self.merged(a, b);
        let new = self.spheres.len() as u32;
        self.spheres.push(merged);
        self.merged_into.push(new);
        self.neighbours.push(Vec::new());
        self.alive -= 1;
        let mut others: Vec<u32> = Vec::new();
        for old in [a, b] {
            self.merged_into[old as usize] = new;
            others.append(&mut self.neighbours[old as usize]);
            self.spheres[old as usize].points.shrink_to_fit();
        }
        others.sort_unstable();
        others.dedup();
        for other in others {
            if self.is_alive(other) {
                self.link(new, other);
            }
        }
    }
}

/// The tightest sphere around points of which the centre is one of those proposed, or that of the
/// smallest enclosing sphere (M. Badoiu, K. L. Clarkson 2003, "Smaller core-sets for balls").
pub(super) fn tightest(
    points: Vec<u32>,
    proposed: &[Vec3],
    all: &[Vec3],
    surface: &Surface,
) -> Sphere {
    let mut enclosing = proposed.last().copied().unwrap_or_default();
    for step in 1..=ENCLOSING_STEPS {
        let far =
            points.iter().map(|p| all[*p as usize]).fold(
                None,
                |best: Option<Vec3>, p| match best {
                    Some(q) if q.distance_squared(enclosing) >= p.distance_squared(enclosing) => {
                        best
                    }
                    _ => Some(p),
                },
            );
        let Some(far) = far else { break };
        enclosing += (far - enclosing) / (step as f64 + 1.0);
    }
    let mut best = (f64::INFINITY, enclosing, 0.0);
    for center in [enclosing].iter().chain(proposed) {
        let radius = covering_radius(*center, &points, all);
        // The looseness of a centre outside is never less than the radius, so the location of most
        // centres is not needed.
        let distance = surface.distance(*center);
        if radius - distance < best.0 {
            let loose =
                if surface.is_in_solid(*center) { radius - distance } else { radius + distance };
            if loose < best.0 {
                best = (loose, *center, radius);
            }
        }
    }
    Sphere { center: best.1, radius: best.2, points }
}
