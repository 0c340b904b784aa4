//! Points that stand for the surface, and for the surface at a distance from it.
//!
//! The points at distance `h` from a solid are `p + h u` for points `p` of the surface and normals
//! `u`: one direction in a face, a fan of directions at an edge, a cone of them at a vertex. Such a
//! point is at distance `h` up to a largest `h`, where the outer medial axis is reached. This
//! largest distance is found by shrinking a ball that touches the surface at `p` (Ma et al. 2012,
//! "3D medial axis point approximation using nearest neighbors and the normal field") until the
//! nearest point of the surface is `p` itself. Afterwards the points for any `h` need no search.

use super::super::surface::Surface;
use super::parallel::map;
use super::spike_tree::order;
use crate::math::{Random, Vec3};
use crate::mesh::Mesh;

/// Shrinking ends when the ball loses less than this share of its radius.
const SHRUNK: f64 = 1e-4;

/// Points this near to the surface tell its two sides apart.
const NEAR: f64 = 1e-7;

/// The largest number of steps of shrinking.
const MAX_STEPS: usize = 30;

/// Points of faces for each that has spikes. Where balls meet, a cover by points `s` apart leaves
/// holes of about that size, but balls that keep out of spikes `s` apart are too large by `s^2`
/// over their diameter only.
const POINTS_PER_SPIKE: usize = 3;

/// A point of the surface with an outward direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spike {
    pub(super) foot: Vec3,
    pub(super) direction: Vec3,
    /// Up to this distance the foot is the nearest point of the surface.
    pub(super) longest: f64,
}

/// How many points and directions are taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spacing {
    pub(super) spacing: f64,
    pub(super) most: usize,
    pub(super) height: f64,
    /// Spikes longer than this count as endless.
    pub(super) highest: f64,
}

/// Points of the surface and directions from it, `spacing` apart at the distance `height`.
#[derive(Debug)]
pub(super) struct Samples {
    /// Points that a cover has to contain.
    pub(super) points: Vec<Vec3>,
    /// In the order of a [`SpikeTree`](super::spike_tree::SpikeTree), those added later excepted.
    pub(super) spikes: Vec<Spike>,
    /// The distance at which spikes are ordered.
    height: f64,
}

impl Samples {
    /// [`POINTS_PER_SPIKE`] points of the surface for each square of `spacing`, its corners among
    /// them, and spikes such that their ends at `height` are about `spacing` apart. Of edges and of
    /// corners each, there are at most about `most` points and spikes: a soup can have many more
    /// edges than surface.
    pub(super) fn of(
        mesh: &Mesh,
        surface: &Surface,
        Spacing { spacing, most, height, highest }: Spacing,
    ) -> Self {
        let vertices: Vec<Vec3> = mesh.vertices().iter().map(|v| surface.frame.local(*v)).collect();
        let cell = spacing * spacing;
        let mut made = Maker {
            random: Random::new(1),
            cell,
            most: most as f64,
            height,
            points: Vec::new(),
            directed: Vec::new(),
            owed: 0.0,
        };
        for t in mesh.triangles() {
            made.face(&t.map(|v| vertices[v as usize]));
        }
        made.edges(mesh, &vertices);
        made.corners(mesh, &vertices);
        let spikes = map(made.directed.len(), &|i| {
            let (foot, direction) = made.directed[i];
            // The inside is never at a distance from the solid.
            if surface.contains(foot + direction * NEAR) {
                return None;
            }
            let longest = longest(surface, foot, direction, highest);
            (longest > NEAR).then_some(Spike { foot, direction, longest })
        });
        let spikes = spikes.into_iter().flatten().collect();
        let mut samples = Self { points: made.points, spikes, height };
        samples.order();
        samples
    }

    /// Every `step`-th point and spike.
    pub(super) fn thinned(&self, step: usize) -> Self {
        let mut samples = Self {
            points: self.points.iter().copied().step_by(step).collect(),
            spikes: self.spikes.iter().copied().step_by(step).collect(),
            height: self.height,
        };
        samples.order();
        samples
    }

    /// Orders spikes by the places of their ends.
    pub(super) fn order(&mut self) {
        let height = self.height;
        let end = |s: &Spike| s.foot + s.direction * height.min(s.longest);
        order(&mut self.spikes, end);
    }

    /// Adds the spike through a point outside, whose nearest point of the surface is `foot`.
    pub(super) fn add(&mut self, point: Vec3, foot: Vec3) {
        if let Some(direction) = (point - foot).try_normalize() {
            let longest = (point - foot).length();
            self.spikes.push(Spike { foot, direction, longest });
        }
    }

    /// The point of each spike at distance `h` from the surface; at infinity for shorter ones.
    pub(super) fn at(&self, h: f64) -> Vec<Vec3> {
        let end = |s: &Spike| match s.longest >= h {
            true => s.foot + s.direction * h,
            false => Vec3::INFINITY,
        };
        self.spikes.iter().map(end).collect()
    }

    /// The spikes that are at least as long as `h`.
    pub(super) fn reaching(&self, h: f64) -> Vec<u32> {
        let count = self.spikes.len() as u32;
        (0..count).filter(|i| self.spikes[*i as usize].longest >= h).collect()
    }
}

/// Up to which distance from `foot` along `direction` the foot is the nearest point of the surface.
fn longest(surface: &Surface, foot: Vec3, direction: Vec3, highest: f64) -> f64 {
    let mut t = highest;
    for _ in 0..MAX_STEPS {
        let c = foot + direction * t;
        let Some(found) = surface.nearest(c, t * t * (1.0 - SHRUNK)) else {
            return if t == highest { f64::INFINITY } else { t };
        };
        let way = found.point - foot;
        let along = way.dot(direction);
        if along <= 0.0 {
            return t;
        }
        let shrunk = way.length_squared() / (2.0 * along);
        if shrunk.is_nan() || shrunk >= t {
            return t;
        }
        t = shrunk;
    }
    t
}

/// Collects points and directions.
struct Maker {
    random: Random,
    /// The area of the surface, or of the surface at `height`, for one point.
    cell: f64,
    /// The largest number of points, and of directions, of edges, and the same of corners.
    most: f64,
    height: f64,
    points: Vec<Vec3>,
    directed: Vec<(Vec3, Vec3)>,
    /// The area that has not been spent on points.
    owed: f64,
}

impl Maker {
    /// The number of points for an area; what is left is carried over.
    fn count(&mut self, area: f64, cell: f64) -> usize {
        self.owed += area / cell;
        let count = self.owed.floor().max(0.0);
        self.owed -= count;
        count as usize
    }

    fn face(&mut self, &[a, b, c]: &[Vec3; 3]) {
        let cross = (b - a).cross(c - a);
        let count = self.count(0.5 * cross.length() * POINTS_PER_SPIKE as f64, self.cell);
        let Some(normal) = cross.try_normalize() else { return };
        // A low-discrepancy sequence in the parallelogram, folded into the triangle.
        let (mut s, mut t) = (self.random.unit(), self.random.unit());
        for _ in 0..count {
            s = (s + 0.754_877_666_246_692_8).fract();
            t = (t + 0.569_840_290_998_053_2).fract();
            let (u, v) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
            let p = a + (b - a) * u + (c - a) * v;
            self.points.push(p);
            if self.points.len() % POINTS_PER_SPIKE == 0 {
                self.directed.extend([(p, normal), (p, -normal)]);
            }
        }
    }

    /// Points of edges where the surface bends outward, with directions between the normals.
    fn edges(&mut self, mesh: &Mesh, vertices: &[Vec3]) {
        let turns = turns();
        let fans = fans(mesh, vertices, &turns);
        let area =
            |fan: &Fan| (fan.b - fan.a).length() * f64::from(fan.size()) * STEP * self.height;
        let cell = self.cell.max(fans.iter().map(area).sum::<f64>() / self.most);
        let sharp = fans.iter().filter(|fan| fan.is_sharp());
        let length: f64 = sharp.map(|fan| (fan.b - fan.a).length()).sum();
        let spacing = (self.cell / POINTS_PER_SPIKE as f64).sqrt().max(length / self.most);
        for fan in &fans {
            let (a, b) = (fan.a, fan.b);
            let length = (b - a).length();
            // Points of a sharp edge have to be covered too.
            if fan.is_sharp() {
                let count = ((length / spacing).floor() as usize).min(4096);
                self.points.extend((1..=count).map(|i| a.lerp(b, i as f64 / (count + 1) as f64)));
            }
            let count = self.count(length * f64::from(fan.size()) * STEP * self.height, cell);
            let open = if count > 0 { fan.directions(&turns) } else { Vec::new() };
            for _ in 0..count {
                let p = a.lerp(b, self.random.unit());
                // Between two neighbours, or beside the only one.
                let i = self.random.index(open.len());
                let d = open[i].lerp(open[(i + 1).min(open.len() - 1)], self.random.unit());
                if let Some(d) = d.try_normalize() {
                    self.directed.push((p, d));
                }
            }
        }
    }

    /// Vertices where the surface is convex, with directions between the normals.
    fn corners(&mut self, mesh: &Mesh, vertices: &[Vec3]) {
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); vertices.len()];
        for t in mesh.triangles() {
            for i in 0..3 {
                around[t[i] as usize].extend([t[(i + 1) % 3], t[(i + 2) % 3]]);
            }
        }
        let directions = spread_directions();
        let piece = 4.0 * std::f64::consts::PI / directions.len() as f64;
        let mut corners: Vec<(Vec3, Vec<Vec3>, Vec<u16>)> = Vec::new();
        for (v, around) in around.iter_mut().enumerate().filter(|(_, a)| !a.is_empty()) {
            around.sort_unstable();
            around.dedup();
            let p = vertices[v];
            let ways: Vec<Vec3> =
                around.iter().map(|w| (vertices[*w as usize] - p).normalize_or_zero()).collect();
            let is_open = |i: &u16| ways.iter().all(|w| w.dot(directions[usize::from(*i)]) <= 0.0);
            let open: Vec<u16> = (0..directions.len() as u16).filter(is_open).collect();
            if !open.is_empty() {
                corners.push((p, ways, open));
            }
        }
        let area = |open: &[u16]| open.len() as f64 * piece * self.height * self.height;
        let all: f64 = corners.iter().map(|(_, _, open)| area(open)).sum();
        let cell = self.cell.max(all / self.most);
        let areas: Vec<f64> = corners.iter().map(|(_, _, open)| area(open)).collect();
        for ((p, ways, open), area) in corners.into_iter().zip(areas) {
            self.points.push(p);
            for _ in 0..self.count(area, cell) {
                let d = directions[usize::from(open[self.random.index(open.len())])]
                    + self.random.in_cube() * piece.sqrt() * 0.5;
                let Some(d) = d.try_normalize() else { continue };
                if ways.iter().all(|w| w.dot(d) <= 0.0) {
                    self.directed.push((p, d));
                }
            }
        }
    }
}

/// The directions from an edge in which no face is in front.
#[derive(Clone, Copy, Debug)]
struct Fan {
    a: Vec3,
    b: Vec3,
    /// Directions are `first` turned by multiples of [`STEP`] towards `side`.
    first: Vec3,
    side: Vec3,
    /// A bit for each of them.
    open: u64,
}

impl Fan {
    /// The number of directions.
    fn size(&self) -> u32 {
        self.open.count_ones()
    }

    fn is_sharp(&self) -> bool {
        self.size() > 3
    }

    fn directions(&self, turns: &[[f64; 2]]) -> Vec<Vec3> {
        let open = turns.iter().enumerate().filter(|(i, _)| self.open >> i & 1 == 1);
        open.map(|(_, [c, s])| self.first * *c + self.side * *s).collect()
    }
}

/// The fans of all edges with a length and a face.
fn fans(mesh: &Mesh, vertices: &[Vec3], turns: &[[f64; 2]]) -> Vec<Fan> {
    let edges = mesh.edges();
    let opposite = |t: u32, ends: [u32; 2]| {
        let corners = mesh.triangles()[t as usize];
        corners.into_iter().find(|v| !ends.contains(v)).map(|v| vertices[v as usize])
    };
    let mut fans = Vec::new();
    for e in 0..edges.len() {
        let ends = edges.ends(e);
        let [a, b] = ends.map(|v| vertices[v as usize]);
        let Some(along) = (b - a).try_normalize() else { continue };
        // Directions into the faces, square to the edge.
        let mut into: Vec<Vec3> = Vec::with_capacity(2);
        for t in edges.triangles(e) {
            if let Some(w) = opposite(t, ends) {
                into.extend((w - a).reject_from_normalized(along).try_normalize());
            }
        }
        let Some(first) = into.first().copied() else { continue };
        let side = along.cross(first);
        let mut open = 0;
        for (i, [c, s]) in turns.iter().enumerate() {
            let d = first * *c + side * *s;
            open |= u64::from(into.iter().all(|w| w.dot(d) <= 0.0)) << i;
        }
        fans.push(Fan { a, b, first, side, open });
    }
    fans
}

/// The angle between neighbouring directions of a fan: a 64th of a full turn.
const STEP: f64 = std::f64::consts::TAU / 64.0;

/// Cosine and sine of the multiples of [`STEP`]: products only, so that they are the same bits on
/// every platform.
fn turns() -> Vec<[f64; 2]> {
    let [c, s] = [0.995_184_726_672_196_9, 0.098_017_140_329_560_6];
    let next = |[x, y]: [f64; 2]| [x * c - y * s, x * s + y * c];
    std::iter::successors(Some([1.0, 0.0]), |at| Some(next(*at))).take(64).collect()
}

/// 400 directions, evenly spread: a spiral that turns by the golden angle.
fn spread_directions() -> Vec<Vec3> {
    let [c, s] = [-0.737_368_878_078_319_7, 0.675_490_294_261_523_8];
    let mut at = [1.0, 0.0];
    (0..400)
        .map(|i| {
            at = [at[0] * c - at[1] * s, at[0] * s + at[1] * c];
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 400.0;
            let r = (1.0 - z * z).sqrt();
            Vec3::new(r * at[0], r * at[1], z)
        })
        .collect()
}
