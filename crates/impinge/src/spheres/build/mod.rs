//! The builder of sphere-trees.
//!
//! Each level is a set of balls inside the solid grown by `h`, with `h` as small as the number of
//! balls allows. The first balls are medial balls of the grown solid, chosen greedily; the
//! smallest `h` for which the choice succeeds is searched by bisection. Then [`refine()`] moves the
//! balls. Samples judge the cover at first; the points where the proof of the cover fails join
//! them, until it fails by little or the rounds are used up. What then is left is closed by
//! enlarging balls.
//!
//! A ball of a level may only contain points that its parent contains, but neighbouring parents
//! overlap, and points there may belong to either: patches are fixed last.

mod cover;
mod point_tree;
mod refine;
mod room;
mod samples;

use std::ops::ControlFlow;

use cover::{Parents, Seed, greedy};
use point_tree::PointTree;
use refine::{Effort, Level, Target, refine};
use room::Room;
use samples::Samples;

use super::assign::{CoverOptions, Missing, assign, unassigned};
use rayon::prelude::*;

use super::reach::{ReachOptions, beyond};
use super::surface::Surface;
use super::tree::Fit;
use super::{Ball, Node, SphereTree};
use crate::error::{Error, ErrorKind};
use crate::math::{Aabb, Random, Vec3};
use crate::mesh::Mesh;

/// The numbers of balls, and how much work is done to place them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BuildOptions {
    /// The largest number of balls of each level below the first, which is one ball around
    /// everything. Ascending; 8, 64 and 512 by default.
    pub balls: Vec<usize>,
    /// The largest number of rounds in which the balls of a level are moved. The default is 60.
    pub rounds: usize,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { balls: vec![8, 64, 512], rounds: 60 }
    }
}

impl BuildOptions {
    /// With these numbers of [`balls`](Self#structfield.balls).
    #[must_use]
    pub fn balls(mut self, balls: impl Into<Vec<usize>>) -> Self {
        self.balls = balls.into();
        self
    }

    /// With this number of [`rounds`](Self#structfield.rounds).
    #[must_use]
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.rounds = rounds;
        self
    }
}

/// The largest number of balls of a level that can be asked for.
const MAX_BALLS: usize = 1 << 16;

/// Points for each ball of a level, and the least number for a level.
const POINTS_PER_BALL: f64 = 60.0;
const LEAST_POINTS: f64 = 8_000.0;

/// The largest number of points added to a level at a time.
const MAX_MISSING: usize = 20_000;

/// The largest number of points for the greedy choice.
const MAX_POINTS_FOR_GREEDY: usize = 12_000;

/// Candidates for each ball of a level, and the least number.
const CANDIDATES_PER_BALL: usize = 4;
const LEAST_CANDIDATES: usize = 1_500;

/// Levels of at most this many balls are refined from several starts; number of starts beside the
/// grid.
const MAX_BALLS_FOR_STARTS: usize = 128;
const STARTS: usize = 3;

/// Meshes with less area, in their size, count as points and segments.
const LEAST_AREA: f64 = 1e-3;

/// Reaches are searched from here on, in the size of the mesh.
const LEAST_REACH: f64 = 1e-4;

/// The balls of a grid are taken if their reach is less than this share of that of the others.
const GRID_ADVANTAGE: f64 = 0.995;

/// Times that points where the proof fails are added to the samples.
const REPAIRS: usize = 8;

/// The finest pieces, relative to the radius of a ball; of the last assignment, those that are in
/// no hole.
const FINEST: f64 = 1.0 / 1024.0;
const FINEST_AT_LAST: f64 = 1.0 / 16_384.0;

impl SphereTree {
    /// Covers a mesh with levels of balls that reach beyond its surface as little as possible.
    ///
    /// Closed meshes are covered as solids: balls fill the inside. The balls of an open mesh lie
    /// along its surface. The same mesh and options give the same tree, whatever the number of
    /// threads.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`] for a mesh without triangles; [`ErrorKind::BadParameter`] for no
    /// levels, more than 15, levels of no or more than 65,536 balls, or a level with fewer balls
    /// than the one above.
    ///
    /// ```
    /// use impinge::shapes;
    /// use impinge::spheres::{BuildOptions, ReachOptions, SphereTree};
    ///
    /// let ring = shapes::torus(1.0, 0.4, 16, 12)?;
    /// let options = BuildOptions::default().balls([8, 32]).rounds(10);
    /// let tree = SphereTree::build(&ring, &options)?;
    /// assert_eq!(tree.levels(), 3);
    /// let reach = |level| tree.reach(&ring, level, &ReachOptions::default());
    /// assert!(reach(2).unwrap().upper < reach(1).unwrap().lower);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn build(mesh: &Mesh, options: &BuildOptions) -> Result<Self, Error> {
        Self::build_watched(mesh, options, &mut |_, _| ControlFlow::Continue(()))
    }

    /// As [`build`](Self::build), calling `watch` before each round with the number of rounds done
    /// and the largest number to do; [`ControlFlow::Break`] ends the improvement: the level at work
    /// is finished as it is, and those below are left out.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_watched(
        mesh: &Mesh,
        options: &BuildOptions,
        watch: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Self, Error> {
        check(mesh, options)?;
        let surface = Surface::of(mesh);
        let work = options.balls.len() * options.rounds;
        let mut builder = Builder {
            mesh,
            surface: &surface,
            area: area(mesh, &surface),
            levels: vec![vec![Node::root(bounding_ball(mesh, &surface))]],
            done: 0,
            work,
            watch,
            is_stopped: false,
        };
        let mut h = 0.5;
        for balls in &options.balls {
            if builder.is_stopped {
                break;
            }
            h = builder.level(*balls, options.rounds, h);
        }
        let levels = std::mem::take(&mut builder.levels);
        let fine = CoverOptions::default().finest(FINEST_AT_LAST).in_holes(0.25 * FINEST);
        let cuts = assign(mesh, &levels, &fine);
        Self::with_cuts(mesh, &levels, cuts, Fit::Exactly)
    }
}

fn check(mesh: &Mesh, options: &BuildOptions) -> Result<(), Error> {
    if mesh.is_empty() {
        return Err(Error::new(
            ErrorKind::Empty,
            "a mesh without triangles has no surface to cover with balls",
        ));
    }
    let balls = &options.balls;
    let is_valid = (1..=15).contains(&balls.len())
        && balls.iter().all(|n| (1..=MAX_BALLS).contains(n))
        && balls.is_sorted();
    if is_valid {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::BadParameter,
        format!(
            "levels of {balls:?} balls; there must be 1 to 15 levels of 1 to {MAX_BALLS} balls, none with fewer than the one above"
        ),
    ))
}

/// The area of the surface in its frame.
fn area(mesh: &Mesh, surface: &Surface) -> f64 {
    let twice = |t: usize| {
        let [a, b, c] = mesh.triangle(t).map(|p| surface.frame.local(p));
        (b - a).cross(c - a).length()
    };
    0.5 * (0..mesh.triangles().len()).map(twice).sum::<f64>()
}

/// A ball around everything, nearly the smallest: Bădoiu and Clarkson 2003, "Smaller core-sets for
/// balls".
fn bounding_ball(mesh: &Mesh, surface: &Surface) -> Ball {
    let points: Vec<Vec3> = mesh
        .used_vertices()
        .iter()
        .map(|v| surface.frame.local(mesh.vertices()[*v as usize]))
        .collect();
    let furthest = |c: Vec3| {
        points.iter().fold((0.0, c), |best: (f64, Vec3), p| {
            let square = p.distance_squared(c);
            if square > best.0 { (square, *p) } else { best }
        })
    };
    let mut best = (f64::INFINITY, Vec3::ZERO);
    let mut c = Vec3::ZERO;
    // As many steps as are negligible beside the rest.
    let steps = (2_000_000 / points.len().max(1)).clamp(100, 2_000);
    for k in 0..steps {
        let (square, p) = furthest(c);
        if square < best.0 {
            best = (square, c);
        }
        c += (p - c) / (k as f64 + 2.0);
    }
    let center = surface.frame.world(best.1);
    let radius = mesh.used_vertices().iter().map(|v| center.distance(mesh.vertices()[*v as usize]));
    Ball { center, radius: radius.fold(0.0, f64::max) }
}

struct Builder<'a> {
    mesh: &'a Mesh,
    surface: &'a Surface,
    area: f64,
    /// The finished levels.
    levels: Vec<Vec<Node>>,
    done: usize,
    work: usize,
    watch: &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    is_stopped: bool,
}

impl Builder<'_> {
    /// Appends a level of at most `balls` balls, and returns its `h`; `above` is that of the level
    /// above, or an upper bound.
    fn level(&mut self, balls: usize, rounds: usize, above: f64) -> f64 {
        let wanted = (POINTS_PER_BALL * balls as f64).max(LEAST_POINTS);
        // An even share of the surface is a disc of the radius of a ball.
        let above = above.max(LEAST_REACH);
        let height = above.min((self.area / balls as f64).sqrt()).max(LEAST_REACH);
        // The surface at this distance from a point or from a segment as long as the mesh counts
        // where the mesh has no area.
        let around = height * height + if self.area < LEAST_AREA { 2.0 * height } else { 0.0 };
        let spacing = ((self.area + around) / wanted).sqrt();
        let mut samples = Samples::of(self.mesh, self.surface, spacing, height, 1.5 * above);
        let mut points = samples.points.clone();
        let mut tree = PointTree::new(&points);
        let mut parents = self.parents(&points);
        let target = Target { points: &points, tree: &tree, parents: &parents };
        let grid = self.grid_start(&target, balls);
        let mut starts = vec![first(&samples, &target, balls, above)];
        if balls <= MAX_BALLS_FOR_STARTS {
            let h = starts[0].h;
            starts.extend(grid.iter().map(|level| Level { h, ..level.clone() }));
            let greedy = starts[0].clone();
            starts.extend((1..STARTS).map(|k| shaken(&greedy, k as u64)));
        }
        let effort = Effort { balls, rounds: rounds / 4 };
        let tried: Vec<Level> = starts
            .into_iter()
            .map(|start| {
                refine(start, &target, &samples, effort, &mut || {
                    self.is_stopped |= (self.watch)(self.done.min(self.work), self.work).is_break();
                    !self.is_stopped
                })
            })
            .collect();
        let mut level = tried
            .into_iter()
            .min_by(|a, b| a.h.total_cmp(&b.h))
            .unwrap_or_else(|| first(&samples, &target, balls, above));
        let ended = self.done + rounds;
        // The best state, judged by the proof: with the reach that closes every hole.
        let mut best = (f64::INFINITY, Vec::new());
        for repair in 0..=REPAIRS {
            let target = Target { points: &points, tree: &tree, parents: &parents };
            let share = if repair == 0 { rounds / 4 } else { rounds / (2 * REPAIRS) };
            let effort = Effort { balls, rounds: share };
            level = refine(level, &target, &samples, effort, &mut || {
                self.done += 1;
                self.is_stopped |= (self.watch)(self.done.min(self.work), self.work).is_break();
                !self.is_stopped
            });
            let (mut nodes, mut missing) = self.judged(self.nodes(&level, &samples));
            let (needed, beyond) = self.reach(&level, &missing.radii);
            if needed < best.0 {
                self.fit(&mut nodes, &missing.radii, needed);
                best = (needed, nodes);
            }
            beyond.into_iter().for_each(|[point, foot]| samples.add(point, foot));
            if self.is_stopped {
                break;
            }
            let step = missing.points.len().div_ceil(MAX_MISSING).max(1);
            points.extend(missing.points.drain(..).step_by(step));
            tree = PointTree::new(&points);
            parents = self.parents(&points);
        }
        self.done = ended.max(self.done);
        if let Some(grid) = grid.map(|level| self.as_it_is(&level)) {
            // Balls around cells overlap little, which leaves the level below less freedom.
            if grid.0 < GRID_ADVANTAGE * best.0 {
                best = grid;
            }
        }
        if !best.1.is_empty() {
            self.levels.push(best.1);
        }
        best.0
    }

    /// The pieces that a new level leaves uncovered, and the radii that it needs.
    fn judged(&mut self, nodes: Vec<Node>) -> (Vec<Node>, Missing) {
        self.levels.push(nodes);
        let options = CoverOptions::default().finest(FINEST).in_holes(FINEST);
        let missing = unassigned(self.mesh, &self.levels, &options);
        (self.levels.pop().unwrap_or_default(), missing)
    }

    /// Makes balls as large as their patches need at least, and larger if they then reach no
    /// further than `needed`: a level below has more freedom if patches overlap.
    fn fit(&self, nodes: &mut [Node], radii: &[f64], needed: f64) {
        let frame = self.surface.frame;
        let options = ReachOptions::default().max_cells(1_000);
        nodes.par_iter_mut().zip(radii).for_each(|(node, used)| {
            let mut ball = self.surface.local(&node.ball);
            let used = used.max(0.0);
            for _ in 0..4 {
                if ball.radius <= used {
                    break;
                }
                if beyond(self.surface, &ball, needed, &options).0[1] <= needed {
                    node.ball.radius = frame.world_length_up(ball.radius);
                    return;
                }
                ball.radius = used + 0.5 * (ball.radius - used) - 1e-3 * used;
            }
            node.ball.radius = frame.world_length_up(used);
        });
    }

    /// The reach of a level whose balls are just as large as their patches need, and its balls.
    fn as_it_is(&mut self, level: &Level) -> (f64, Vec<Node>) {
        let frame = self.surface.frame;
        let node = |seed: &Seed| {
            let radius = frame.world_length_up(level.h);
            Node::child(Ball { center: frame.world(seed.center), radius }, seed.parent)
        };
        let (mut nodes, missing) = self.judged(level.seeds.iter().map(node).collect());
        let (needed, _) = self.reach(&Level { h: 0.0, ..level.clone() }, &missing.radii);
        for (node, radius) in nodes.iter_mut().zip(&missing.radii) {
            node.ball.radius = frame.world_length_up(radius.max(0.0));
        }
        (needed, nodes)
    }

    /// Balls around the cells of a cubic grid that the surface enters, if they are at most `balls`;
    /// `h` is their radius. A level is at most half a percent worse than these balls.
    fn grid_start(&self, target: &Target<'_>, balls: usize) -> Option<Level> {
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
            let seed =
                |(at, parent): &([u32; 3], u32)| Seed { center: center(*at), parent: *parent };
            let seeds = cells.iter().map(seed).collect();
            best = Some(Level { seeds, h: side * 0.75_f64.sqrt() });
        }
        best
    }

    /// The balls of a level as large as its `h` allows.
    fn nodes(&self, level: &Level, samples: &Samples) -> Vec<Node> {
        let room = Room::new(samples, level.h);
        let frame = &self.surface.frame;
        let node = |seed: &Seed| {
            let radius = frame.world_length_up(room.radius(seed.center).0);
            Node::child(Ball { center: frame.world(seed.center), radius }, seed.parent)
        };
        level.seeds.iter().map(node).collect()
    }

    /// The largest reach of the balls of a level with these radii, and points beyond its `h`.
    fn reach(&self, level: &Level, radii: &[f64]) -> (f64, Vec<[Vec3; 2]>) {
        let options = ReachOptions::default().tolerance(0.005).max_cells(2_000);
        let found: Vec<_> = (level.seeds.par_iter().zip(radii))
            .filter(|(_, radius)| **radius >= 0.0)
            .map(|(seed, radius)| {
                let ball = Ball { center: seed.center, radius: *radius };
                beyond(self.surface, &ball, level.h, &options)
            })
            .collect();
        let needed = found.iter().map(|f| f.0[0]).fold(0.0, f64::max);
        (needed, found.into_iter().flat_map(|f| f.1).collect())
    }

    /// Which balls of the last level contain each point, together with their own parents; the
    /// nearest of all if none does.
    fn parents(&self, points: &[Vec3]) -> Parents {
        let levels: Vec<Vec<(Ball, u32)>> = (self.levels.iter())
            .map(|nodes| nodes.iter().map(|n| (self.surface.local(&n.ball), n.parent)).collect())
            .collect();
        let deepest = levels.len() - 1;
        let deficit = |p: Vec3, ball: u32| {
            let mut most = f64::NEG_INFINITY;
            let mut ball = ball;
            for level in levels.iter().rev() {
                let (b, parent) = level[ball as usize];
                most = most.max(b.center.distance(p) - b.radius);
                ball = parent;
            }
            most
        };
        Parents::new(points.len(), |i, all| {
            let start = all.len();
            let mut nearest = (f64::INFINITY, 0);
            for ball in 0..levels[deepest].len() as u32 {
                let found = deficit(points[i], ball);
                if found <= 1e-9 {
                    all.push(ball);
                }
                if found < nearest.0 {
                    nearest = (found, ball);
                }
            }
            if all.len() == start {
                all.push(nearest.1);
            }
        })
    }
}

/// A level with its balls moved at random by up to half its `h`.
fn shaken(level: &Level, seed: u64) -> Level {
    let mut random = Random::new(seed);
    let mut moved = level.clone();
    moved.seeds.iter_mut().for_each(|s| s.center += random.in_cube() * (0.5 * level.h));
    moved
}

/// The first balls of a level: the greedy choice for the least `h` for which it needs at most
/// `balls`.
fn first(samples: &Samples, target: &Target<'_>, balls: usize, above: f64) -> Level {
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
