//! The builder of sphere-trees.
//!
//! Each level is a set of balls inside the solid grown by `h`, with `h` as small as the number of
//! balls allows. The first balls are medial balls of the grown solid, chosen greedily; the smallest
//! `h` for which the choice succeeds is searched by bisection. Then [`refine()`] moves the balls of
//! this and of other starts. Samples judge the cover at first; the points where the proof of the
//! cover fails join them, and the borders of the patches. At last balls move within their proven
//! patches. `docs/notes/spheres.md` describes the stages.
//!
//! A ball of a level may only contain points that its parent contains, but neighbouring parents
//! overlap, and points there may belong to either: patches are fixed last.

mod cover;
mod parallel;
mod point_tree;
mod refine;
mod restart;
mod room;
mod samples;
mod spike_tree;
mod starts;

use std::ops::ControlFlow;

use cover::{Parents, Seed};
use parallel::map;
use point_tree::PointTree;
use refine::{Effort, Level, STEPS, Target, furthest, recenter, refine};
use room::Room;
use samples::{Samples, Spacing};
use starts::{first, grid, shaken, spread};

use super::assign::{CoverOptions, Missing, assign, unassigned};
use super::reach::{ReachOptions, beyond};
use super::surface::Surface;
use super::tree::Fit;
use super::{Ball, Node, SphereTree};
use crate::error::{Error, ErrorKind};
use crate::math::Vec3;
use crate::mesh::Mesh;

/// The numbers of balls, and how much work is done to place them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BuildOptions {
    /// The largest number of balls of each level below the first, which is one ball around
    /// everything. Ascending; 8, 64 and 512 by default.
    pub balls: Vec<usize>,
    /// The number of rounds in which the balls of a start are moved, which the other stages follow.
    /// The default is 60.
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

/// The same for each round: few rounds are not worth more.
const POINTS_PER_ROUND: f64 = 400.0;

/// The largest number of points and of directions of edges, in the points of a level.
const MOST_OF_EDGES: usize = 4;

/// The largest number of parents that a point may have: those in which it is deepest. Where a body
/// is a point, all balls contain all of it.
const MAX_PARENTS: usize = 16;

/// The largest number of points added to a level at a time.
const MAX_MISSING: usize = 60_000;

/// Levels of at most this many balls are refined from several starts; their number beside the
/// greedy one and the grid.
const MAX_BALLS_FOR_STARTS: usize = 128;
const STARTS: usize = 2;

/// Levels of at most this many balls have more starts, on every third of the samples.
const FEW_BALLS: usize = 16;
const STARTS_OF_FEW: usize = 10;
const THINNING: usize = 3;

/// Meshes with less area, in their size, count as points and segments.
const LEAST_AREA: f64 = 1e-3;

/// Reaches are searched from here on, in the size of the mesh.
const LEAST_REACH: f64 = 1e-4;

/// Times that points where the proof fails are added to the samples.
const REPAIRS: usize = 8;

/// They end when the proof needs a reach of at most this share of the one that samples show.
const CLOSE: f64 = 1.005;

/// Rounds after each of them.
const ROUNDS_AFTER_REPAIR: usize = 8;

/// The largest number of rounds in which balls move within their proven patches, and the gain of
/// the reach below which they end.
const EXACT_ROUNDS: usize = 30;
const LEAST_GAIN: f64 = 0.001;

/// Pieces are cut down to this share of the reach of a level: balls that only just overlap have to
/// grow by about the size of the pieces between them.
const FINEST_IN_REACH: f64 = 0.02;

/// Pieces for each ball, and those that are allowed at least.
const PIECES_PER_BALL: usize = 1_000;
const LEAST_PIECES: usize = 50_000;

/// The finest pieces of the last assignment, relative to the radius of a ball, and the same in
/// holes, of which there are none.
const FINEST_AT_LAST: f64 = 1.0 / 16_384.0;
const FINEST_IN_HOLES_AT_LAST: f64 = 1.0 / 4096.0;

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
        let pieces = builder.max_pieces();
        let levels = std::mem::take(&mut builder.levels);
        let fine = CoverOptions::default()
            .finest(FINEST_AT_LAST)
            .in_holes(FINEST_IN_HOLES_AT_LAST)
            .max_pieces(pieces);
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
        let most = POINTS_PER_ROUND * (rounds + 1) as f64;
        let wanted = (POINTS_PER_BALL * balls as f64).max(LEAST_POINTS.min(most));
        // An even share of the surface is a disc of the radius of a ball.
        let above = above.max(LEAST_REACH);
        let height = above.min((self.area / balls as f64).sqrt()).max(LEAST_REACH);
        // The surface at this distance from a point or from a segment as long as the mesh counts
        // where the mesh has no area.
        let around = height * height + if self.area < LEAST_AREA { 2.0 * height } else { 0.0 };
        let spacing = ((self.area + around) / wanted).sqrt();
        let most = MOST_OF_EDGES * wanted as usize;
        let taken = Spacing { spacing, most, height, highest: 1.5 * above };
        let mut samples = Samples::of(self.mesh, self.surface, taken);
        let mut points = samples.points.clone();
        let mut tree = PointTree::new(&points);
        let mut parents = self.parents(&points);
        let target = Target { points: &points, tree: &tree, parents: &parents };
        let cells = grid(&target, balls);
        let mut level = first(&samples, &target, balls, above);
        let mut improve = |start: Level, samples: &Samples, target: &Target<'_>, rounds: usize| {
            refine(start, target, samples, Effort { balls, rounds }, &mut || {
                self.is_stopped |= (self.watch)(self.done.min(self.work), self.work).is_break();
                !self.is_stopped
            })
        };
        if balls <= MAX_BALLS_FOR_STARTS {
            // Many starts on few samples; the best one on all of them, for longer.
            let few = balls <= FEW_BALLS;
            let thinned = samples.thinned(if few { THINNING } else { 1 });
            let tree = PointTree::new(&thinned.points);
            let step = if few { THINNING } else { 1 };
            let parents = Parents::new(thinned.points.len(), |i, all| {
                all.extend(target.parents.of(i * step));
            });
            let coarse = Target { points: &thinned.points, tree: &tree, parents: &parents };
            let mut starts = vec![level.clone()];
            starts.extend(cells.iter().map(|grid| Level { h: level.h, ..grid.clone() }));
            let count = if few { STARTS_OF_FEW.min(rounds) } else { STARTS };
            starts.extend((0..count as u64).map(|k| match k % 2 {
                0 => shaken(&level, k + 1),
                _ => spread(&coarse, balls, level.h, k),
            }));
            let tried = starts.into_iter().map(|s| improve(s, &thinned, &coarse, rounds));
            if let Some(best) = tried.min_by(|a, b| a.h.total_cmp(&b.h)) {
                level = improve(best, &samples, &target, 2 * rounds);
            }
        } else {
            level = improve(level, &samples, &target, 3 * rounds / 5);
        }
        let ended = self.done + rounds;
        // The best state, judged by the proof: with the reach that closes every hole.
        let mut best = (f64::INFINITY, Vec::new());
        let mut kept = points.len();
        for repair in 0..=REPAIRS.min(rounds) {
            let target = Target { points: &points, tree: &tree, parents: &parents };
            let share = if repair == 0 { rounds / 4 } else { ROUNDS_AFTER_REPAIR.min(rounds / 2) };
            let effort = Effort { balls, rounds: share };
            level = refine(level, &target, &samples, effort, &mut || {
                self.done += 1;
                self.is_stopped |= (self.watch)(self.done.min(self.work), self.work).is_break();
                !self.is_stopped
            });
            let (mut nodes, mut missing) = self.judged(self.nodes(&level, &samples), level.h);
            let (needed, beyond) = self.reach(&level, &missing.radii);
            if needed < best.0 {
                self.fit(&mut nodes, &missing.radii, needed);
                best = (needed, nodes);
            }
            beyond.into_iter().for_each(|[point, foot]| samples.add(point, foot));
            samples.order();
            if self.is_stopped || needed <= CLOSE * level.h {
                break;
            }
            // Where the cover fails, for all later rounds, and the fine border of the patches.
            points.truncate(kept);
            parents.truncate(kept);
            kept += missing.points.len();
            missing.points.extend(missing.patches.iter().flatten());
            let step = missing.points.len().div_ceil(MAX_MISSING).max(1);
            kept = if step > 1 { points.len() } else { kept };
            let known = points.len();
            points.extend(missing.points.drain(..).step_by(step));
            tree = PointTree::new(&points);
            parents.extend(self.parents(&points[known..]));
        }
        self.polish(&mut best, &level, &mut samples, rounds);
        self.done = ended.max(self.done);
        if let Some(grid) = cells.map(|level| self.as_it_is(&level)) {
            if grid.0 < best.0 {
                best = grid;
            }
        }
        if !best.1.is_empty() {
            self.levels.push(best.1);
        }
        best.0
    }

    /// Moves the balls of the best state of a level, each within the room that its proven patch
    /// leaves it. No sampled points of the surface are involved, so the reach only falls.
    fn polish(
        &mut self,
        best: &mut (f64, Vec<Node>),
        level: &Level,
        samples: &mut Samples,
        rounds: usize,
    ) {
        let mut nodes = best.1.clone();
        let mut h = best.0;
        let mut since = 0;
        for round in 0..EXACT_ROUNDS.min(rounds) {
            if self.is_stopped || nodes.is_empty() {
                break;
            }
            let room = Room::new(samples, h).exactly(self.surface);
            for node in &mut nodes {
                let free = room.radius(self.surface.frame.local(node.ball.center));
                let radius = self.surface.frame.world_length_up(free);
                node.ball.radius = node.ball.radius.max(radius);
            }
            let (given, missing) = self.judged(nodes, h);
            nodes = given;
            let moved: Vec<(Vec3, f64)> = map(nodes.len(), &|i| {
                let (node, patch) = (&nodes[i], &missing.patches[i]);
                let c = self.surface.frame.local(node.ball.center);
                let (center, _) = recenter(c, patch, &room, 2 * STEPS, (round * 65_536 + i) as u64);
                (center, furthest(center, patch).0)
            });
            let mut radii = Vec::with_capacity(nodes.len());
            let mut seeds = Vec::with_capacity(nodes.len());
            for ((node, (center, radius)), used) in nodes.iter_mut().zip(moved).zip(&missing.radii)
            {
                let is_empty = *used < 0.0;
                node.ball.center = self.surface.frame.world(center);
                node.ball.radius = self.surface.frame.world_length_up(radius);
                radii.push(if is_empty { -1.0 } else { radius });
                seeds.push(Seed { center, parent: node.parent });
            }
            let (needed, beyond) = self.reach(&Level { seeds, h: level.h.min(h) }, &radii);
            if needed < best.0 {
                let gain = 1.0 - needed / best.0;
                let mut kept = nodes.clone();
                for node in &mut kept {
                    let free = room.radius(self.surface.frame.local(node.ball.center));
                    let radius = self.surface.frame.world_length_up(free);
                    node.ball.radius = node.ball.radius.max(radius);
                }
                self.fit(&mut kept, &radii, needed);
                *best = (needed, kept);
                if gain < LEAST_GAIN {
                    since += 1;
                }
            } else {
                since += 1;
            }
            if since > 3 {
                break;
            }
            beyond.into_iter().for_each(|[point, foot]| samples.add(point, foot));
            samples.order();
            h = best.0;
        }
    }

    /// The largest number of pieces that the triangles are cut into: far more than covers without
    /// large holes need.
    fn max_pieces(&self) -> usize {
        let balls = self.levels.last().map_or(0, Vec::len);
        4 * self.mesh.triangles().len() + PIECES_PER_BALL * balls + LEAST_PIECES
    }

    /// The pieces that a new level of reach `h` leaves uncovered, and the radii that it needs.
    fn judged(&mut self, nodes: Vec<Node>, h: f64) -> (Vec<Node>, Missing) {
        let mut radii: Vec<f64> =
            nodes.iter().map(|n| self.surface.local(&n.ball).radius).collect();
        radii.sort_by(f64::total_cmp);
        let typical = radii.get(radii.len() / 2).copied().unwrap_or(1.0);
        let finest = (FINEST_IN_REACH * h / typical).clamp(1.0 / 8192.0, 1.0 / 512.0);
        self.levels.push(nodes);
        let options = CoverOptions::default()
            .finest(finest)
            .in_holes(2.0 * finest)
            .max_pieces(self.max_pieces());
        let missing = unassigned(self.mesh, &self.levels, &options);
        (self.levels.pop().unwrap_or_default(), missing)
    }

    /// Makes balls as large as their patches need at least, and larger if they then reach no
    /// further than `needed`: a level below has more freedom if patches overlap.
    fn fit(&self, nodes: &mut [Node], radii: &[f64], needed: f64) {
        let frame = self.surface.frame;
        let options = ReachOptions::default().max_cells(1_000);
        let fitted = map(nodes.len(), &|i| {
            let mut ball = self.surface.local(&nodes[i].ball);
            let used = radii[i].max(0.0);
            for _ in 0..4 {
                if ball.radius <= used {
                    break;
                }
                if beyond(self.surface, &ball, needed, &options).0[1] <= needed {
                    return ball.radius;
                }
                ball.radius = used + 0.5 * (ball.radius - used) - 1e-3 * used;
            }
            used
        });
        for (node, radius) in nodes.iter_mut().zip(fitted) {
            node.ball.radius = frame.world_length_up(radius);
        }
    }

    /// The reach of a level whose balls are just as large as their patches need, and its balls.
    fn as_it_is(&mut self, level: &Level) -> (f64, Vec<Node>) {
        let frame = self.surface.frame;
        let node = |seed: &Seed| {
            let radius = frame.world_length_up(level.h);
            Node::child(Ball { center: frame.world(seed.center), radius }, seed.parent)
        };
        let (mut nodes, missing) = self.judged(level.seeds.iter().map(node).collect(), 0.0);
        let (needed, _) = self.reach(&Level { h: 0.0, ..level.clone() }, &missing.radii);
        for (node, radius) in nodes.iter_mut().zip(&missing.radii) {
            node.ball.radius = frame.world_length_up(radius.max(0.0));
        }
        (needed, nodes)
    }

    /// The balls of a level as large as its `h` allows.
    fn nodes(&self, level: &Level, samples: &Samples) -> Vec<Node> {
        let room = Room::new(samples, level.h);
        let frame = &self.surface.frame;
        let node = |seed: &Seed| {
            let radius = frame.world_length_up(room.radius(seed.center));
            Node::child(Ball { center: frame.world(seed.center), radius }, seed.parent)
        };
        level.seeds.iter().map(node).collect()
    }

    /// The largest reach of the balls of a level with these radii, and points beyond its `h`.
    fn reach(&self, level: &Level, radii: &[f64]) -> (f64, Vec<[Vec3; 2]>) {
        let options = ReachOptions::default().tolerance(0.005).max_cells(2_000);
        let found = map(level.seeds.len(), &|i| {
            let ball = Ball { center: level.seeds[i].center, radius: radii[i] };
            match ball.radius >= 0.0 {
                true => beyond(self.surface, &ball, level.h, &options),
                false => ([0.0; 2], Vec::new()),
            }
        });
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
            let mut inside = Vec::new();
            let mut nearest = (f64::INFINITY, 0);
            for ball in 0..levels[deepest].len() as u32 {
                let found = deficit(points[i], ball);
                if found <= 1e-9 {
                    inside.push((found, ball));
                }
                if found < nearest.0 {
                    nearest = (found, ball);
                }
            }
            if inside.is_empty() {
                inside.push(nearest);
            }
            if inside.len() > MAX_PARENTS {
                inside.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                inside.truncate(MAX_PARENTS);
            }
            all.extend(inside.iter().map(|(_, ball)| *ball));
        })
    }
}
