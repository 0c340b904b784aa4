//! For measurements: furthest vertices as queries find them.

use crate::convex::Hull;
use crate::wide::Wide;
use crate::wide::dispatch::{self, Task};

/// Finds, for each direction, the vertex of `hull` that a query takes for furthest, as a query
/// does: none before the one before it is found.
///
/// Not an interface to build on: what is found is furthest to the rounding of `f32` only.
pub fn furthest_as_in_queries(hull: &Hull, directions: &[[f32; 3]], found: &mut [u32]) {
    dispatch::run(InTurn { hull, directions, found });
}

struct InTurn<'a> {
    hull: &'a Hull,
    directions: &'a [[f32; 3]],
    found: &'a mut [u32],
}

impl Task for InTurn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Wide>(self) {
        let ready = self.hull.furthest();
        // The next direction depends on the last vertex, as far as the processor can tell.
        let nothing = std::hint::black_box(0);
        let mut last = 0;
        for (direction, found) in self.directions.iter().zip(self.found) {
            let shift = f32::from_bits(last & nothing);
            last = ready.roughly::<W>(direction.map(|x| x + shift));
            *found = last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Random, Vec3};

    #[test]
    fn all_directions_are_answered() {
        let mut random = Random::new(3);
        let points: Vec<Vec3> = (0..200).map(|_| random.direction()).collect();
        let hull = Hull::new(&points).unwrap();
        let directions: Vec<Vec3> = (0..500).map(|_| random.direction()).collect();
        let rough: Vec<[f32; 3]> = directions.iter().map(|d| d.as_vec3().to_array()).collect();
        let mut found = vec![u32::MAX; directions.len()];
        furthest_as_in_queries(&hull, &rough, &mut found);
        for (d, v) in directions.iter().zip(&found) {
            let most = hull.vertices()[hull.support(*d) as usize].dot(*d);
            assert!(most - hull.vertices()[*v as usize].dot(*d) < 3e-6);
        }
    }
}
