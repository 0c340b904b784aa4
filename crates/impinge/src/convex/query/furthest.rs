//! The vertex of a hull that lies furthest in a direction, eight vertices at a time.
//!
//! Vertices are kept in `f32` around the hull's middle, in blocks of eight. A small hull is asked
//! whole; for a larger one a [cube map](super::cells) gives, for each cell of directions, the
//! blocks of those vertices that are furthest in some direction of the cell. So the cost does not
//! grow with the hull, there are no local maxima, and what is found is furthest to the rounding of
//! one dot product.

use glam::DMat3;

use super::{cells, start};
use crate::convex::Hull;
use crate::convex::body::length_up;
use crate::math::{Vec3, unit_scale};
use crate::wide::{Lanes3, Wide, Wide3};

/// Hulls with up to so many vertices are asked whole. Measured: a cell costs as much as six blocks.
const WHOLE: usize = 48;
/// The box around a hull with up to so many vertices is found from all of them. Measured: looking
/// into a cell for each side of it costs as much as some twenty blocks.
const BOXED_WHOLE: usize = 160;

/// Eight vertices.
#[derive(Clone, Debug)]
#[repr(C, align(128))]
pub(super) struct Block {
    pub(super) points: Lanes3,
    /// The numbers of the vertices, as the bits of `f32`, so that they go through the same
    /// registers.
    vertices: [f32; 8],
}

impl Block {
    /// Up to eight vertices; the rest is filled up with the last.
    fn new(vertices: &[u32], local: &[Vec3]) -> Self {
        let mut block = Self { points: Lanes3::splat(0.0), vertices: [0.0; 8] };
        for lane in 0..8 {
            let vertex = at_most(vertices, lane);
            block.vertices[lane] = f32::from_bits(vertex);
            block.points.set(lane, local[vertex as usize].as_vec3().to_array());
        }
        block
    }
}

/// The vertex at a place, or the last.
fn at_most(vertices: &[u32], place: usize) -> u32 {
    vertices[place.min(vertices.len() - 1)]
}

/// Four vertices.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Fine {
    x: [f64; 4],
    y: [f64; 4],
    z: [f64; 4],
}

impl Fine {
    const NONE: Self = Self { x: [0.0; 4], y: [0.0; 4], z: [0.0; 4] };
}

/// A hull made ready for queries.
#[derive(Clone, Debug)]
pub(crate) struct Furthest {
    /// The middle of the hull's box.
    pub(super) center: Vec3,
    /// The largest coordinate of the center, in size.
    pub(super) far: f64,
    /// No vertex lies further from the center.
    pub(super) radius: f64,
    /// One in the coordinates of the blocks: at least the radius, less than twice as much.
    pub(super) unit: f64,
    /// The vertices in `f32`, from the center, in the unit.
    local: Vec<glam::Vec3A>,
    /// Its [second moments](start::spread), in the unit.
    pub(super) spread: glam::Mat3A,
    blocks: Vec<Block>,
    /// All vertices of a hull that is not asked whole, but boxed so.
    boxed: Vec<Block>,
    /// The vertices of the blocks in `f64`, two of these for each block.
    fine: Vec<Fine>,
    /// Cells along one side of a face of the cube; zero if there is no map.
    side: u32,
    /// Cell `i` has the blocks `starts[i]..starts[i + 1]`.
    starts: Vec<u32>,
}

impl Furthest {
    pub(in crate::convex) fn new(hull: &Hull) -> Self {
        let vertices = hull.vertices();
        let (mut ready, local) = Self::about(vertices);
        ready.spread = start::spread(hull, &local);
        if vertices.len() <= WHOLE {
            let all: Vec<u32> = (0..vertices.len() as u32).collect();
            ready.add(&all, &local);
        } else {
            if vertices.len() <= BOXED_WHOLE {
                let all: Vec<u32> = (0..vertices.len() as u32).collect();
                ready.boxed = all.chunks(8).map(|some| Block::new(some, &local)).collect();
            }
            ready.side = cells::side(vertices.len());
            cells::for_each(hull, &local, ready.side, |candidates| {
                ready.add(candidates, &local);
                ready.starts.push(ready.blocks.len() as u32);
            });
        }
        ready
    }

    /// Ready for points that are asked whole, however many.
    pub(in crate::convex) fn whole(points: &[Vec3]) -> Self {
        let (mut ready, local) = Self::about(points);
        let all: Vec<u32> = (0..points.len() as u32).collect();
        ready.add(&all, &local);
        ready
    }

    /// The frame of the vertices, and the vertices in it, without blocks yet.
    fn about(vertices: &[Vec3]) -> (Self, Vec<Vec3>) {
        let low = vertices.iter().fold(vertices[0], |low, p| low.min(*p));
        let high = vertices.iter().fold(vertices[0], |high, p| high.max(*p));
        let center = low + (high - low) * 0.5;
        let radius = radius(vertices, center);
        // A power of two, so that local coordinates are at most one in length.
        let (s, t) = unit_scale(radius);
        let local: Vec<Vec3> = vertices.iter().map(|p| (*p - center) * s * t * 0.5).collect();
        let ready = Self {
            center,
            far: center.abs().max_element(),
            radius,
            unit: 2.0 / s / t,
            local: local.iter().map(|p| p.as_vec3a()).collect(),
            spread: start::spread_of_points(&local),
            blocks: Vec::new(),
            boxed: Vec::new(),
            fine: Vec::new(),
            side: 0,
            starts: vec![0],
        };
        (ready, local)
    }

    /// Appends the vertices in blocks; the last block is filled up with the last vertex.
    fn add(&mut self, vertices: &[u32], local: &[Vec3]) {
        for chunk in vertices.chunks(8) {
            let mut fine = [Fine::NONE; 2];
            for lane in 0..8 {
                let p = local[at_most(chunk, lane) as usize];
                let four = &mut fine[lane / 4];
                (four.x[lane % 4], four.y[lane % 4], four.z[lane % 4]) = (p.x, p.y, p.z);
            }
            self.blocks.push(Block::new(chunk, local));
            self.fine.extend(fine);
        }
    }

    /// Makes what was ready for a hull of three vertices ready for one of these three.
    pub(in crate::convex) fn refill(&mut self, vertices: &[Vec3; 3]) {
        let [p, q, r] = *vertices;
        let (low, high) = (p.min(q).min(r), p.max(q).max(r));
        self.center = low + (high - low) * 0.5;
        self.far = self.center.abs().max_element();
        self.radius = radius(vertices, self.center);
        let (s, t) = unit_scale(self.radius);
        self.unit = 2.0 / s / t;
        let local = vertices.map(|v| (v - self.center) * s * t * 0.5);
        for (kept, v) in self.local.iter_mut().zip(local) {
            *kept = v.as_vec3a();
        }
        self.spread = start::spread_of_points(&local);
        self.blocks.clear();
        self.fine.clear();
        self.add(&[0, 1, 2], &local);
    }

    #[inline(always)]
    pub(super) fn local(&self, vertex: u32) -> glam::Vec3A {
        self.local[vertex as usize]
    }

    pub(in crate::convex) fn heap_bytes(&self) -> usize {
        size_of_val(self.local.as_slice())
            + size_of_val(self.blocks.as_slice())
            + size_of_val(self.boxed.as_slice())
            + size_of_val(self.fine.as_slice())
            + size_of_val(self.starts.as_slice())
    }

    /// The blocks of a hull that is asked whole, in the order of its vertices; none for a larger
    /// one.
    #[inline(always)]
    pub(super) fn all(&self) -> &[Block] {
        if self.side == 0 { &self.blocks } else { &[] }
    }

    /// The numbers of the blocks that hold every vertex that is furthest in `direction`.
    #[inline(always)]
    fn range(&self, direction: [f32; 3]) -> (usize, usize) {
        if self.side == 0 {
            return (0, self.blocks.len());
        }
        let cell = cells::of(direction, self.side);
        (self.starts[cell] as usize, self.starts[cell + 1] as usize)
    }

    #[inline(always)]
    fn candidates(&self, direction: [f32; 3]) -> &[Block] {
        let (from, to) = self.range(direction);
        &self.blocks[from..to]
    }

    /// A vertex that lies furthest in `direction`, to the rounding of `f32`.
    #[inline(always)]
    pub(super) fn roughly<W: Wide>(&self, direction: [f32; 3]) -> u32 {
        let blocks = self.candidates(direction);
        let d = Wide3::<W>::splat(direction);
        let [first, others @ ..] = blocks else { return 0 };
        let mut best = Wide3::load(&first.points).dot(d);
        let mut at = W::load(&first.vertices);
        for block in others {
            let along = Wide3::load(&block.points).dot(d);
            at = best.lt(along).select(W::load(&block.vertices), at);
            best = best.max(along);
        }
        at.array()[best.max_in_all_lanes().le(best).bits().trailing_zeros() as usize & 7].to_bits()
    }

    /// How far the hull reaches along `direction`, of a length between 1e-20 and two, from the
    /// center, to the rounding of `f64`.
    #[inline(always)]
    pub(super) fn reach(&self, direction: Vec3) -> f64 {
        let (from, to) = self.range(direction.as_vec3().to_array());
        let mut best = [f64::NEG_INFINITY; 4];
        for four in &self.fine[2 * from..2 * to] {
            for (k, best) in best.iter_mut().enumerate() {
                let along =
                    direction.x * four.x[k] + direction.y * four.y[k] + direction.z * four.z[k];
                *best = larger(along, *best);
            }
        }
        self.unit * larger(larger(best[0], best[1]), larger(best[2], best[3]))
    }

    /// How far the hull reaches against and along the columns, which are of length one, from the
    /// center, to the rounding of `f32`.
    #[inline(always)]
    pub(super) fn span<W: Wide>(&self, columns: &DMat3) -> [Vec3; 2] {
        let columns =
            [columns.x_axis, columns.y_axis, columns.z_axis].map(|c| c.as_vec3().to_array());
        let (mut low, mut high) = ([0.0_f32; 3], [0.0_f32; 3]);
        let whole = if self.side == 0 { &self.blocks } else { &self.boxed };
        if let [first, others @ ..] = &whole[..] {
            // All at once, so that every vertex is loaded once.
            let (x, y, z) =
                (Wide3::<W>::splat(columns[0]), Wide3::splat(columns[1]), Wide3::splat(columns[2]));
            let points = Wide3::load(&first.points);
            let mut most = Wide3 { x: points.dot(x), y: points.dot(y), z: points.dot(z) };
            let mut least = most;
            for block in others {
                let points = Wide3::load(&block.points);
                let along = Wide3 { x: points.dot(x), y: points.dot(y), z: points.dot(z) };
                most = Wide3 {
                    x: most.x.max(along.x),
                    y: most.y.max(along.y),
                    z: most.z.max(along.z),
                };
                least = Wide3 {
                    x: least.x.min(along.x),
                    y: least.y.min(along.y),
                    z: least.z.min(along.z),
                };
            }
            let zero = W::splat(0.0);
            high = [most.x.max_lane(), most.y.max_lane(), most.z.max_lane()];
            low = [
                -zero.sub(least.x).max_lane(),
                -zero.sub(least.y).max_lane(),
                -zero.sub(least.z).max_lane(),
            ];
        } else {
            for k in 0..3 {
                let d = columns[k];
                low[k] = -self.furthest::<W>([-d[0], -d[1], -d[2]]);
                high[k] = self.furthest::<W>(d);
            }
        }
        [low, high].map(|span| Vec3::from(span.map(f64::from)) * self.unit)
    }

    /// How far the hull reaches in `direction`, in the unit, to the rounding of `f32`.
    #[inline(always)]
    fn furthest<W: Wide>(&self, direction: [f32; 3]) -> f32 {
        let d = Wide3::<W>::splat(direction);
        let mut best = W::splat(f32::NEG_INFINITY);
        for block in self.candidates(direction) {
            best = best.max(Wide3::load(&block.points).dot(d));
        }
        best.max_lane()
    }

    /// The vertex that lies furthest in `direction`, to the rounding of `f64`.
    #[inline(always)]
    pub(super) fn surely(&self, direction: Vec3) -> u32 {
        let (from, to) = if self.side == 0 {
            (0, self.blocks.len())
        } else {
            self.range((direction / direction.abs().max_element()).as_vec3().to_array())
        };
        let mut best = [f64::NEG_INFINITY; 4];
        let mut at = [0_u64; 4];
        let mut number = 0;
        for four in &self.fine[2 * from..2 * to] {
            for k in 0..4 {
                let along =
                    direction.x * four.x[k] + direction.y * four.y[k] + direction.z * four.z[k];
                let further = along > best[k];
                best[k] = if further { along } else { best[k] };
                at[k] = if further { number } else { at[k] };
            }
            number += 4;
        }
        let low = usize::from(best[1] > best[0]);
        let high = 2 + usize::from(best[3] > best[2]);
        let lane = if best[high] > best[low] { high } else { low };
        // The first vertex if the direction is not finite.
        let number = at[lane] as usize + lane;
        self.blocks[from + number / 8].vertices[number % 8].to_bits()
    }
}

/// No vertex lies further from the center; positive.
#[inline(always)]
fn radius(vertices: &[Vec3], center: Vec3) -> f64 {
    let mut furthest = vertices.iter().map(|v| v.distance(center)).fold(0.0, f64::max);
    // Squares of less vanish, or lose digits.
    if furthest < 1e-140 {
        furthest = vertices.iter().map(|v| length_up(*v - center)).fold(0.0, f64::max);
    }
    furthest.max(f64::MIN_POSITIVE) * (1.0 + 8.0 * f64::EPSILON)
}

/// The larger of two numbers; no care is taken of what is none.
#[inline(always)]
fn larger(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::wide::dispatch::Baseline;
    use crate::wide::dispatch::{self, Task};

    /// How much further than the vertex found in `f32` another may lie, in [units](Furthest::unit)
    /// times the length of the direction: twice the error of one dot product, derived in
    /// `docs/notes/convex.md`.
    const SLACK: f32 = 11.0 / 16_777_216.0;

    struct Find<'a> {
        ready: &'a Furthest,
        direction: Vec3,
    }

    impl Task for Find<'_> {
        type Output = [u32; 2];

        #[inline(always)]
        fn run<W: Wide>(self) -> [u32; 2] {
            let rough = self.direction.as_vec3().to_array();
            [self.ready.roughly::<W>(rough), self.ready.surely(self.direction)]
        }
    }

    #[test]
    fn no_vertex_lies_further_than_the_bounds_allow() {
        let mut random = Random::new(11);
        for (count, stretch) in [
            (1, Vec3::ONE),
            (5, Vec3::new(1.0, 1.0, 0.0)),
            (20, Vec3::ONE),
            (100, Vec3::new(1.0, 1e-3, 1e-3)),
            (300, Vec3::new(1.0, 1.0, 1e-2)),
            (1000, Vec3::ONE),
        ] {
            let away = random.in_cube() * 100.0;
            let points: Vec<Vec3> =
                (0..count).map(|_| random.direction() * stretch + away).collect();
            let hull = Hull::new(&points).unwrap();
            let (ready, points) = (Furthest::new(&hull), hull.vertices());
            for k in 0..2000 {
                // Along axes and diagonals too, where cells meet.
                let direction = match k % 4 {
                    0 => random.in_cube().round(),
                    1 => (random.in_cube() * 4.0).round(),
                    _ => random.direction(),
                };
                if direction == Vec3::ZERO {
                    continue;
                }
                let far = |v: u32| direction.dot(points[v as usize] - ready.center);
                let furthest = (0..points.len() as u32).map(far).fold(f64::NEG_INFINITY, f64::max);
                let find = || Find { ready: &ready, direction };
                for [rough, sure] in [dispatch::run(find()), find().run::<Baseline>()] {
                    let slack = f64::from(SLACK) * ready.unit * direction.length();
                    assert!(far(rough) >= furthest - slack, "{count} {direction}");
                    let tiny = 8.0 * f64::EPSILON * ready.radius * direction.length();
                    assert!(far(sure) >= furthest - tiny, "{count} {direction}");
                }
            }
        }
    }

    /// Vertices that are one point seen from the middle of the hull hid the one at the other end.
    #[test]
    fn a_cluster_hides_nothing() {
        let mut random = Random::new(12);
        for size in [1e-160, 1e-20, 1e-16, 1e-14, 1e-12, 1e-8] {
            let far = random.direction();
            let mut points: Vec<Vec3> = (0..100).map(|_| random.direction() * size).collect();
            points.push(far);
            let hull = Hull::new(&points).unwrap();
            let (ready, points) = (Furthest::new(&hull), hull.vertices());
            assert!(ready.side > 0);
            for k in 0..2000 {
                let across = far.cross(random.direction());
                let direction = match k % 4 {
                    0 => random.direction(),
                    1 => across,
                    _ => (across + far * random.range(-1.0, 1.0) * 1e-3).normalize(),
                };
                let along = |v: u32| direction.dot(points[v as usize] - ready.center);
                let furthest = (0..points.len() as u32).map(along).fold(f64::MIN, f64::max);
                let [rough, sure] = dispatch::run(Find { ready: &ready, direction });
                let slack = f64::from(SLACK) * ready.unit;
                assert!(along(rough) >= furthest - slack, "{size:e} {direction}");
                assert!(along(sure) >= furthest - 8.0 * f64::EPSILON, "{size:e} {direction}");
            }
        }
    }

    #[test]
    fn directions_without_a_direction_give_some_vertex() {
        let mut random = Random::new(3);
        let points: Vec<Vec3> = (0..200).map(|_| random.direction()).collect();
        let hull = Hull::new(&points).unwrap();
        let ready = Furthest::new(&hull);
        for direction in [Vec3::ZERO, Vec3::splat(f64::NAN), Vec3::splat(f64::INFINITY)] {
            let find = Find { ready: &ready, direction };
            assert!(dispatch::run(find).iter().all(|v| (*v as usize) < hull.vertices().len()));
        }
    }
}
