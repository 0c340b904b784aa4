//! The vertex of a hull that lies furthest in a direction, eight vertices at a time.
//!
//! Vertices are stored in `f32` relative to the center of the hull's box, in blocks of eight. For a
//! small hull a search compares all vertices. For a larger hull a [cube map](super::cells) gives,
//! for each cell of directions, the blocks of those vertices that are furthest in some direction of
//! the cell. So the time does not grow with the hull, there are no local maxima, and the vertex
//! found is furthest to the rounding of one dot product.

use glam::DMat3;

use super::{cells, ellipsoids};
use crate::convex::Hull;
use crate::convex::body::length_up;
use crate::math::{Vec3, unit_scale};
use crate::wide::{Lanes3, Wide, Wide3};

/// The most vertices of a hull without cells. Measured: the lookup of a cell costs as much as six
/// blocks.
pub(in crate::convex) const MAX_VERTICES_WITHOUT_CELLS: usize = 48;
/// The most vertices of a hull whose bounds are found from all vertices. Measured: looking up a
/// cell for each of the six sides costs as much as about twenty blocks.
const MAX_VERTICES_IN_BOUNDS_BLOCKS: usize = 160;

/// Eight vertices.
#[derive(Clone, Debug)]
#[repr(C, align(128))]
pub(super) struct Block {
    pub(super) points: Lanes3,
    /// The indices of the vertices, as the bits of `f32`, so that they use the same registers.
    vertices: [f32; 8],
}

impl Block {
    /// Up to eight vertices; unused lanes repeat the last vertex.
    fn new(vertices: &[u32], local: &[Vec3]) -> Self {
        let mut block = Self { points: Lanes3::splat(0.0), vertices: [0.0; 8] };
        for lane in 0..8 {
            let vertex = vertex_or_last(vertices, lane);
            block.vertices[lane] = f32::from_bits(vertex);
            block.points.set(lane, local[vertex as usize].as_vec3().to_array());
        }
        block
    }
}

/// The vertex at an index, or the last one.
fn vertex_or_last(vertices: &[u32], index: usize) -> u32 {
    vertices[index.min(vertices.len() - 1)]
}

/// Four vertices in `f64`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct BlockF64 {
    x: [f64; 4],
    y: [f64; 4],
    z: [f64; 4],
}

impl BlockF64 {
    const NONE: Self = Self { x: [0.0; 4], y: [0.0; 4], z: [0.0; 4] };
}

/// The vertices of a hull, prepared for searches.
#[derive(Clone, Debug)]
pub(crate) struct SupportTable {
    /// The center of the hull's box.
    pub(super) center: Vec3,
    /// The largest absolute coordinate of the center.
    pub(super) max_coordinate: f64,
    /// An upper bound of the distance of a vertex from the center.
    pub(super) radius: f64,
    /// The unit of the coordinates in the blocks: at least the radius, less than twice the radius.
    pub(super) unit: f64,
    /// The vertices in `f32`, relative to the center, in the unit.
    local: Vec<glam::Vec3A>,
    /// The [second moments](ellipsoids::moments_of_hull) of the hull, in the unit.
    pub(super) moments: glam::Mat3A,
    blocks: Vec<Block>,
    /// All vertices, for [`SupportTable::extents_f32`]: of a hull with cells and at most
    /// [`MAX_VERTICES_IN_BOUNDS_BLOCKS`] vertices; otherwise empty.
    bounds_blocks: Vec<Block>,
    /// The vertices of `blocks` in `f64`, two of these for each block.
    blocks_f64: Vec<BlockF64>,
    /// Cells along one side of a face of the cube; zero without cells.
    cells_per_side: u32,
    /// Cell `i` has the blocks `cell_starts[i]..cell_starts[i + 1]`.
    cell_starts: Vec<u32>,
}

impl SupportTable {
    pub(in crate::convex) fn new(hull: &Hull) -> Self {
        let vertices = hull.vertices();
        let (mut table, local) = Self::without_blocks(vertices);
        table.moments = ellipsoids::moments_of_hull(hull, &local);
        if vertices.len() <= MAX_VERTICES_WITHOUT_CELLS {
            let all: Vec<u32> = (0..vertices.len() as u32).collect();
            table.add_blocks(&all, &local);
        } else {
            if vertices.len() <= MAX_VERTICES_IN_BOUNDS_BLOCKS {
                let all: Vec<u32> = (0..vertices.len() as u32).collect();
                table.bounds_blocks = all.chunks(8).map(|some| Block::new(some, &local)).collect();
            }
            table.cells_per_side = cells::cells_per_side(vertices.len());
            cells::for_each(hull, &local, table.cells_per_side, |candidates| {
                table.add_blocks(candidates, &local);
                table.cell_starts.push(table.blocks.len() as u32);
            });
        }
        table
    }

    /// A table without cells, for any number of points.
    pub(in crate::convex) fn without_cells(points: &[Vec3]) -> Self {
        let (mut table, local) = Self::without_blocks(points);
        let all: Vec<u32> = (0..points.len() as u32).collect();
        table.add_blocks(&all, &local);
        table
    }

    /// The table without blocks, and the vertices in its frame and unit.
    fn without_blocks(vertices: &[Vec3]) -> (Self, Vec<Vec3>) {
        let low = vertices.iter().fold(vertices[0], |low, p| low.min(*p));
        let high = vertices.iter().fold(vertices[0], |high, p| high.max(*p));
        let center = low + (high - low) * 0.5;
        let radius = radius(vertices, center);
        // A power of two, so that local coordinates are at most one in length.
        let (s, t) = unit_scale(radius);
        let local: Vec<Vec3> = vertices.iter().map(|p| (*p - center) * s * t * 0.5).collect();
        let table = Self {
            center,
            max_coordinate: center.abs().max_element(),
            radius,
            unit: 2.0 / s / t,
            local: local.iter().map(|p| p.as_vec3a()).collect(),
            moments: ellipsoids::moments_of_points(&local),
            blocks: Vec::new(),
            bounds_blocks: Vec::new(),
            blocks_f64: Vec::new(),
            cells_per_side: 0,
            cell_starts: vec![0],
        };
        (table, local)
    }

    /// Appends the vertices in blocks; the last block is filled with the last vertex.
    fn add_blocks(&mut self, vertices: &[u32], local: &[Vec3]) {
        for chunk in vertices.chunks(8) {
            let mut halves = [BlockF64::NONE; 2];
            for lane in 0..8 {
                let p = local[vertex_or_last(chunk, lane) as usize];
                let four = &mut halves[lane / 4];
                (four.x[lane % 4], four.y[lane % 4], four.z[lane % 4]) = (p.x, p.y, p.z);
            }
            self.blocks.push(Block::new(chunk, local));
            self.blocks_f64.extend(halves);
        }
    }

    /// Replaces the vertices of a table of three vertices, without allocating.
    pub(in crate::convex) fn refill(&mut self, vertices: &[Vec3; 3]) {
        let [p, q, r] = *vertices;
        let (low, high) = (p.min(q).min(r), p.max(q).max(r));
        self.center = low + (high - low) * 0.5;
        self.max_coordinate = self.center.abs().max_element();
        self.radius = radius(vertices, self.center);
        let (s, t) = unit_scale(self.radius);
        self.unit = 2.0 / s / t;
        let unit_vertices = vertices.map(|v| (v - self.center) * s * t * 0.5);
        for (local, v) in self.local.iter_mut().zip(unit_vertices) {
            *local = v.as_vec3a();
        }
        self.moments = ellipsoids::moments_of_points(&unit_vertices);
        self.blocks.clear();
        self.blocks_f64.clear();
        self.add_blocks(&[0, 1, 2], &unit_vertices);
    }

    #[inline(always)]
    pub(super) fn local(&self, vertex: u32) -> glam::Vec3A {
        self.local[vertex as usize]
    }

    pub(in crate::convex) fn heap_bytes(&self) -> usize {
        size_of_val(self.local.as_slice())
            + size_of_val(self.blocks.as_slice())
            + size_of_val(self.bounds_blocks.as_slice())
            + size_of_val(self.blocks_f64.as_slice())
            + size_of_val(self.cell_starts.as_slice())
    }

    /// The blocks of a hull without cells, in the order of its vertices; none for a hull with
    /// cells.
    #[inline(always)]
    pub(super) fn all_blocks(&self) -> &[Block] {
        if self.cells_per_side == 0 { &self.blocks } else { &[] }
    }

    /// The range of the blocks that contain every vertex that is furthest in `direction`.
    #[inline(always)]
    fn block_range(&self, direction: [f32; 3]) -> (usize, usize) {
        if self.cells_per_side == 0 {
            return (0, self.blocks.len());
        }
        let cell = cells::cell_of(direction, self.cells_per_side);
        (self.cell_starts[cell] as usize, self.cell_starts[cell + 1] as usize)
    }

    #[inline(always)]
    fn candidate_blocks(&self, direction: [f32; 3]) -> &[Block] {
        let (from, to) = self.block_range(direction);
        &self.blocks[from..to]
    }

    /// A vertex that lies furthest in `direction`, to the rounding of `f32`.
    #[inline(always)]
    pub(super) fn support_f32<W: Wide>(&self, direction: [f32; 3]) -> u32 {
        let blocks = self.candidate_blocks(direction);
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

    /// The extent of the hull along `direction` from the center, to the rounding of `f64`. The
    /// length of `direction` must lie between 1e-20 and two.
    #[inline(always)]
    pub(super) fn extent_f64(&self, direction: Vec3) -> f64 {
        let (from, to) = self.block_range(direction.as_vec3().to_array());
        let mut best = [f64::NEG_INFINITY; 4];
        for four in &self.blocks_f64[2 * from..2 * to] {
            for (k, best) in best.iter_mut().enumerate() {
                let along =
                    direction.x * four.x[k] + direction.y * four.y[k] + direction.z * four.z[k];
                *best = larger(along, *best);
            }
        }
        self.unit * larger(larger(best[0], best[1]), larger(best[2], best[3]))
    }

    /// The extents of the hull from the center against and along the columns, which have length
    /// one, to the rounding of `f32`.
    #[inline(always)]
    pub(super) fn extents_f32<W: Wide>(&self, columns: &DMat3) -> [Vec3; 2] {
        let columns =
            [columns.x_axis, columns.y_axis, columns.z_axis].map(|c| c.as_vec3().to_array());
        let (mut low, mut high) = ([0.0_f32; 3], [0.0_f32; 3]);
        let all = if self.cells_per_side == 0 { &self.blocks } else { &self.bounds_blocks };
        if let [first, others @ ..] = &all[..] {
            // All columns together, so that every vertex is loaded once.
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
                low[k] = -self.extent_f32::<W>([-d[0], -d[1], -d[2]]);
                high[k] = self.extent_f32::<W>(d);
            }
        }
        [low, high].map(|extents| Vec3::from(extents.map(f64::from)) * self.unit)
    }

    /// The extent of the hull in `direction` from the center, in the unit, to the rounding of
    /// `f32`.
    #[inline(always)]
    fn extent_f32<W: Wide>(&self, direction: [f32; 3]) -> f32 {
        let d = Wide3::<W>::splat(direction);
        let mut best = W::splat(f32::NEG_INFINITY);
        for block in self.candidate_blocks(direction) {
            best = best.max(Wide3::load(&block.points).dot(d));
        }
        best.max_lane()
    }

    /// The vertex that lies furthest in `direction`, to the rounding of `f64`.
    #[inline(always)]
    pub(super) fn support_f64(&self, direction: Vec3) -> u32 {
        let (from, to) = if self.cells_per_side == 0 {
            (0, self.blocks.len())
        } else {
            self.block_range((direction / direction.abs().max_element()).as_vec3().to_array())
        };
        let mut best = [f64::NEG_INFINITY; 4];
        let mut at = [0_u64; 4];
        let mut number = 0;
        for four in &self.blocks_f64[2 * from..2 * to] {
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
        // If the direction is not finite, this is the first vertex.
        let number = at[lane] as usize + lane;
        self.blocks[from + number / 8].vertices[number % 8].to_bits()
    }
}

/// An upper bound of the distance of the vertices from `center`; positive.
#[inline(always)]
fn radius(vertices: &[Vec3], center: Vec3) -> f64 {
    let mut furthest = vertices.iter().map(|v| v.distance(center)).fold(0.0, f64::max);
    // Smaller squares underflow or lose digits.
    if furthest < 1e-140 {
        furthest = vertices.iter().map(|v| length_up(*v - center)).fold(0.0, f64::max);
    }
    furthest.max(f64::MIN_POSITIVE) * (1.0 + 8.0 * f64::EPSILON)
}

/// The larger of two numbers, without handling of NaN.
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

    /// How much further than the vertex found in `f32` another vertex may lie, in
    /// [units](SupportTable::unit) times the length of the direction: twice the error of one dot
    /// product, derived in `docs/notes/convex.md`.
    const MAX_SHORTFALL: f32 = 11.0 / 16_777_216.0;

    struct Find<'a> {
        table: &'a SupportTable,
        direction: Vec3,
    }

    impl Task for Find<'_> {
        type Output = [u32; 2];

        #[inline(always)]
        fn run<W: Wide>(self) -> [u32; 2] {
            let direction = self.direction.as_vec3().to_array();
            [self.table.support_f32::<W>(direction), self.table.support_f64(self.direction)]
        }
    }

    #[test]
    fn no_vertex_lies_further_than_the_error_allows() {
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
            let (table, points) = (SupportTable::new(&hull), hull.vertices());
            for k in 0..2000 {
                // Also along axes and diagonals, where cells meet.
                let direction = match k % 4 {
                    0 => random.in_cube().round(),
                    1 => (random.in_cube() * 4.0).round(),
                    _ => random.direction(),
                };
                if direction == Vec3::ZERO {
                    continue;
                }
                let far = |v: u32| direction.dot(points[v as usize] - table.center);
                let furthest = (0..points.len() as u32).map(far).fold(f64::NEG_INFINITY, f64::max);
                let find = || Find { table: &table, direction };
                for [in_f32, in_f64] in [dispatch::run(find()), find().run::<Baseline>()] {
                    let slack = f64::from(MAX_SHORTFALL) * table.unit * direction.length();
                    assert!(far(in_f32) >= furthest - slack, "{count} {direction}");
                    let tiny = 8.0 * f64::EPSILON * table.radius * direction.length();
                    assert!(far(in_f64) >= furthest - tiny, "{count} {direction}");
                }
            }
        }
    }

    /// Regression: a cluster of vertices that coincide in rounded coordinates hid the vertex at the
    /// other end of the hull.
    #[test]
    fn vertices_beside_a_cluster_are_found() {
        let mut random = Random::new(12);
        for size in [1e-160, 1e-20, 1e-16, 1e-14, 1e-12, 1e-8] {
            let far = random.direction();
            let mut points: Vec<Vec3> = (0..100).map(|_| random.direction() * size).collect();
            points.push(far);
            let hull = Hull::new(&points).unwrap();
            let (table, points) = (SupportTable::new(&hull), hull.vertices());
            assert!(table.cells_per_side > 0);
            for k in 0..2000 {
                let across = far.cross(random.direction());
                let direction = match k % 4 {
                    0 => random.direction(),
                    1 => across,
                    _ => (across + far * random.range(-1.0, 1.0) * 1e-3).normalize(),
                };
                let along = |v: u32| direction.dot(points[v as usize] - table.center);
                let furthest = (0..points.len() as u32).map(along).fold(f64::MIN, f64::max);
                let [in_f32, in_f64] = dispatch::run(Find { table: &table, direction });
                let slack = f64::from(MAX_SHORTFALL) * table.unit;
                assert!(along(in_f32) >= furthest - slack, "{size:e} {direction}");
                assert!(along(in_f64) >= furthest - 8.0 * f64::EPSILON, "{size:e} {direction}");
            }
        }
    }

    #[test]
    fn zero_and_non_finite_directions_give_a_vertex() {
        let mut random = Random::new(3);
        let points: Vec<Vec3> = (0..200).map(|_| random.direction()).collect();
        let hull = Hull::new(&points).unwrap();
        let table = SupportTable::new(&hull);
        for direction in [Vec3::ZERO, Vec3::splat(f64::NAN), Vec3::splat(f64::INFINITY)] {
            let find = Find { table: &table, direction };
            assert!(dispatch::run(find).iter().all(|v| (*v as usize) < hull.vertices().len()));
        }
    }
}
