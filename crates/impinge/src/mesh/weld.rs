//! Welding: merges vertices that coincide.

use std::collections::HashMap;

use super::Mesh;
use super::connectivity::index;
use super::union_find::UnionFind;
use crate::arrays::MapToVec;
use crate::error::{Error, ErrorKind};
use crate::math::{Vec3, coordinate_key};
use crate::order::{select_by, sort_by};

/// Which vertices [`Mesh::welded`] merges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weld {
    /// Vertices with equal coordinates; 0.0 equals -0.0.
    Exact,
    /// Vertices at this distance or less, in the unit of the coordinates. Chains merge: if A is
    /// near B and B near C, all three are merged, at any distance of C from A.
    Within(f64),
}

impl Mesh {
    /// The mesh with coinciding vertices merged.
    ///
    /// The first of the merged vertices is kept, with its coordinates and its place in the order of
    /// vertices. Polygons and triangles keep their indices and corners; those that collapse become
    /// degenerate and are listed by [`Mesh::defects`]. [`Weld::Exact`] takes linear time;
    /// [`Weld::Within`] takes a few sorts in addition.
    ///
    /// # Errors
    /// If the tolerance is negative or not finite.
    pub fn welded(&self, weld: Weld) -> Result<Self, Error> {
        let representatives = match weld {
            Weld::Exact => first_equal(self.vertices()),
            Weld::Within(tolerance) if tolerance.is_finite() && tolerance >= 0.0 => {
                let exact = first_equal(self.vertices());
                if tolerance > 0.0 {
                    first_linked(self.vertices(), &exact, tolerance)
                } else {
                    exact
                }
            }
            Weld::Within(tolerance) => {
                return Err(Error::new(
                    ErrorKind::BadParameter,
                    format!(
                        "the weld tolerance is {tolerance}; it must be zero or positive and finite"
                    ),
                ));
            }
        };
        let mut new_index = vec![0; representatives.len()];
        let mut vertices = Vec::new();
        for (v, representative) in representatives.iter().enumerate() {
            // A representative is the smallest of its set, so it already has a new index.
            if *representative as usize == v {
                new_index[v] = index(vertices.len());
                vertices.push(self.vertices()[v]);
            } else {
                new_index[v] = new_index[*representative as usize];
            }
        }
        let connectivity = self.connectivity.renumbered(vertices.len(), |v| new_index[v as usize]);
        Ok(Self::assemble(vertices, connectivity))
    }
}

/// For each point, the first point with the same coordinates.
fn first_equal(points: &[Vec3]) -> Vec<u32> {
    let mut first_at = HashMap::with_capacity(points.len());
    let first = |(i, p): (usize, &Vec3)| *first_at.entry(coordinate_key(*p)).or_insert(index(i));
    points.iter().enumerate().map(first).collect()
}

/// For each point, the first point that a chain of steps no longer than `tolerance` links it to.
/// `equal` is the result of [`first_equal`].
///
/// Cells are so small that two points of one cell are always within the tolerance. Points of
/// different cells are compared only until one pair within the tolerance is found.
fn first_linked(points: &[Vec3], equal: &[u32], tolerance: f64) -> Vec<u32> {
    let distinct: Vec<u32> =
        (0..index(points.len())).filter(|i| equal[*i as usize] == *i).collect();
    let keys = cell_keys(points, &distinct, tolerance);
    let mut order: Vec<u32> = (0..index(distinct.len())).collect();
    sort_by(&mut order, &|i, j| (keys[*i as usize], *i).cmp(&(keys[*j as usize], *j)));
    let cells: Vec<&[u32]> =
        order.chunk_by(|a, b| keys[*a as usize] == keys[*b as usize]).collect();
    let key = |cell: usize| keys[cells[cell][0] as usize];

    let mut sets = UnionFind::new(points.len());
    for (i, first) in equal.iter().enumerate() {
        sets.unite(index(i), *first);
    }
    let point = |i: u32| points[distinct[i as usize] as usize];
    for cell in &cells {
        for pair in cell.windows(2) {
            sets.unite(distinct[pair[0] as usize], distinct[pair[1] as usize]);
        }
    }
    // Neighbours are at most two cells away on each axis. Half of the offsets suffice, by symmetry.
    // For a fixed offset in x and y, cells and their neighbours both advance in sorted order.
    for dx in 0..=2_i64 {
        for dy in -2..=2_i64 {
            if dx == 0 && dy < 0 {
                continue;
            }
            let mut from = 0;
            for cell in 0..cells.len() {
                let [x, y, z] = key(cell);
                let lowest = [x + dx, y + dy, if dx == 0 && dy == 0 { z + 1 } else { z - 2 }];
                let highest = [x + dx, y + dy, z + 2];
                while from < cells.len() && key(from) < lowest {
                    from += 1;
                }
                let mut other = from;
                while other < cells.len() && key(other) <= highest {
                    let (a, b) =
                        (distinct[cells[cell][0] as usize], distinct[cells[other][0] as usize]);
                    if sets.find(a) != sets.find(b) {
                        let (mut left, mut right) = (cells[cell].to_vec(), cells[other].to_vec());
                        if any_within(&mut left, &mut right, &point, tolerance) {
                            sets.unite(a, b);
                        }
                    }
                    other += 1;
                }
            }
        }
    }
    (0..index(points.len())).map_to_vec(|i| sets.find(i))
}

/// Integer cells for the chosen points. On each axis, points within the tolerance are at most two
/// cells apart, and points of one cell are less than `tolerance / sqrt(3)` apart.
///
/// Cells are counted along the sorted coordinates, with a new base after every wide gap, so that
/// the cell numbers stay small and precise for any range of coordinates.
fn cell_keys(points: &[Vec3], chosen: &[u32], tolerance: f64) -> Vec<[i64; 3]> {
    let cell = 0.57 * tolerance;
    let mut keys = vec![[0; 3]; chosen.len()];
    let mut order: Vec<u32> = (0..index(chosen.len())).collect();
    for axis in 0..3 {
        let at = |i: u32| points[chosen[i as usize] as usize][axis];
        sort_by(&mut order, &|a, b| at(*a).total_cmp(&at(*b)));
        let (mut base, mut first_key, mut last, mut last_key) = (0.0, 0, f64::NEG_INFINITY, 0);
        for i in &order {
            let x = at(*i);
            if x - last > 3.0 * cell {
                base = x;
                first_key = last_key + 4;
            }
            last = x;
            last_key = first_key + ((x - base) / cell) as i64;
            keys[*i as usize][axis] = last_key;
        }
    }
    keys
}

/// Whether a point of one set is within `tolerance` of a point of the other. Splits the set of
/// larger extent at its median, so that cells with many points do not cost the product of their
/// sizes.
fn any_within(a: &mut [u32], b: &mut [u32], point: &impl Fn(u32) -> Vec3, tolerance: f64) -> bool {
    let is_within = |p: Vec3, q: Vec3| ((p - q) / tolerance).length_squared() <= 1.0;
    if a.len() * b.len() <= 64 {
        return a.iter().any(|i| b.iter().any(|j| is_within(point(*i), point(*j))));
    }
    let bounds = |s: &[u32]| {
        let points = s.iter().map(|i| point(*i));
        (points.clone().reduce(Vec3::min), points.reduce(Vec3::max))
    };
    let ((Some(amin), Some(amax)), (Some(bmin), Some(bmax))) = (bounds(a), bounds(b)) else {
        return false;
    };
    let gap = (amin - bmax).max(bmin - amax).max(Vec3::ZERO);
    if (gap / tolerance).length_squared() > 1.0 + 1e-9 {
        return false;
    }
    if is_within(point(a[0]), point(b[0])) {
        return true;
    }
    let swap = (amax - amin).max_element() < (bmax - bmin).max_element();
    let (large, small, extent) = if swap { (b, a, bmax - bmin) } else { (a, b, amax - amin) };
    let axis = (0..3).fold(0, |best, k| if extent[k] > extent[best] { k } else { best });
    let half = large.len() / 2;
    if half == 0 {
        return small.iter().any(|j| is_within(point(large[0]), point(*j)));
    }
    select_by(large, half, &|i, j| point(*i)[axis].total_cmp(&point(*j)[axis]).then(i.cmp(j)));
    let (low, high) = large.split_at_mut(half);
    any_within(low, small, point, tolerance) || any_within(high, small, point, tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn soup(points: &[[f64; 3]]) -> Mesh {
        let vertices: Vec<Vec3> = points.iter().map(|p| Vec3::from(*p)).collect();
        let last = index(vertices.len()) - 1;
        let triangles = (0..last / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        Mesh::from_triangles(vertices, triangles).unwrap()
    }

    #[test]
    fn zeros_of_either_sign_are_equal_and_the_first_vertex_is_kept() {
        let mesh = soup(&[
            [0.0, 1.0, 2.0],
            [3.0, 0.0, 0.0],
            [-0.0, 1.0, 2.0],
            [3.0, -0.0, 0.0],
            [9.0, 9.0, 9.0],
            [0.0, 1.0, 2.0],
            [1.0, 1.0, 1.0],
        ]);
        let welded = mesh.welded(Weld::Exact).unwrap();
        assert_eq!(welded.triangles(), [[0, 1, 0], [1, 2, 0]]);
        assert_eq!(welded.vertices().len(), 4);
        assert_eq!(welded.vertices()[0].x.to_bits(), 0.0_f64.to_bits());
        assert_eq!(welded.defects().degenerate_polygons.len(), 1);
        assert_eq!(mesh.welded(Weld::Within(0.0)).unwrap().triangles(), welded.triangles());
    }

    #[test]
    fn invalid_tolerances_are_rejected() {
        let mesh = soup(&[[0.0; 3]; 4]);
        for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
            let error = mesh.welded(Weld::Within(tolerance)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadParameter);
        }
    }

    #[test]
    fn tolerance_welding_agrees_with_comparing_all_pairs() {
        let mut draws = Random::new(11);
        let mut random = || draws.unit();
        for (scale, offset, tolerance) in [
            (1.0_f64, 0.0_f64, 0.1_f64),
            (1.0, 0.0, 0.05),
            (1.0, 0.0, 0.2),
            (1.0, 1e9, 1e-7),
            (1e-200, 0.0, 1e-201),
            (1e59, 0.0, 1e58),
            (1.0, 0.0, 1e-300),
            (1.0, 0.0, 1e61),
            (4e-323, 0.0, 1e-323),
        ] {
            let mut points: Vec<[f64; 3]> =
                (0..400).map(|_| [0; 3].map(|_| random() * scale + offset)).collect();
            // Pairs just below and above the tolerance, and a far outlier that must not coarsen the
            // grid.
            for i in 0..100 {
                let mut p = points[i];
                p[i % 3] += tolerance.min(1e59) * if i % 2 == 0 { 0.999 } else { 1.001 };
                points.push(p);
            }
            points.push([1e60, -1e60, 0.0]);
            let mesh = soup(&points);
            let welded = mesh.welded(Weld::Within(tolerance)).unwrap();
            let mut sets = UnionFind::new(points.len());
            for i in 0..points.len() {
                for j in 0..i {
                    let d = (Vec3::from(points[i]) - Vec3::from(points[j])) / tolerance;
                    if d.length_squared() <= 1.0 {
                        sets.unite(i as u32, j as u32);
                    }
                }
            }
            let representatives = (0..points.len()).filter(|i| sets.find(*i as u32) == *i as u32);
            let expected: Vec<Vec3> = representatives.map(|i| Vec3::from(points[i])).collect();
            assert_eq!(welded.vertices(), expected, "{scale} {tolerance}");
        }
    }

    #[test]
    fn crowded_neighbouring_cells_are_not_compared_pair_by_pair() {
        // Two clouds of 40,000 points whose gap is just above the tolerance.
        let mut points = Vec::new();
        for i in 0..40_000 {
            let t = f64::from(i) / 40_000.0;
            points.push([0.5 * t, f64::from(i % 199) / 400.0, f64::from(i % 211) / 422.0]);
            points.push([1.501 + 0.4 * t, f64::from(i % 197) / 400.0, f64::from(i % 223) / 446.0]);
        }
        let welded = soup(&points).welded(Weld::Within(1.0)).unwrap();
        assert_eq!(welded.vertices().len(), 2);
    }
}
