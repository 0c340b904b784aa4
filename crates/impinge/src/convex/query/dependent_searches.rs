//! Furthest vertices as queries find them, for measurements.

use crate::convex::Hull;
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// Finds, for each direction, the vertex of `hull` that a query takes as furthest. As in a query,
/// each search depends on the result of the one before it.
///
/// Not for other uses: the vertex is furthest to the rounding of `f32` only.
pub fn furthest_as_in_queries(hull: &Hull, directions: &[[f32; 3]], found: &mut [u32]) {
    dispatch::run(DependentSearches { hull, directions, found });
}

struct DependentSearches<'a> {
    hull: &'a Hull,
    directions: &'a [[f32; 3]],
    found: &'a mut [u32],
}

impl Task for DependentSearches<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let table = self.hull.support_table();
        // The next direction depends on the last vertex as far as the compiler and the processor
        // know.
        let zero_mask = std::hint::black_box(0);
        let mut last = 0;
        for (direction, found) in self.directions.iter().zip(self.found) {
            let shift = f32::from_bits(last & zero_mask);
            last = table.support_f32::<W>(direction.map(|x| x + shift));
            *found = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Random, Vec3};

    #[test]
    fn every_direction_gets_its_furthest_vertex() {
        let mut random = Random::new(3);
        let points: Vec<Vec3> = (0..200).map(|_| random.direction()).collect();
        let hull = Hull::new(&points).unwrap();
        let directions: Vec<Vec3> = (0..500).map(|_| random.direction()).collect();
        let directions_f32: Vec<[f32; 3]> =
            directions.iter().map(|d| d.as_vec3().to_array()).collect();
        let mut found = vec![u32::MAX; directions.len()];
        furthest_as_in_queries(&hull, &directions_f32, &mut found);
        for (d, v) in directions.iter().zip(&found) {
            let most = hull.vertices()[hull.support(*d) as usize].dot(*d);
            assert!(most - hull.vertices()[*v as usize].dot(*d) < 3e-6);
        }
    }
}
