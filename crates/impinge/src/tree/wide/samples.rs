//! Pairs of meshes for the unit tests of the traversals.

use crate::math::{Pose, Random};
use crate::mesh::Mesh;
use crate::shapes;

/// Calls `each` with every ordered pair of four meshes, at one random pose for each reach.
pub(super) fn pairs(seed: u64, reaches: [f64; 3], mut each: impl FnMut(&Mesh, &Mesh, &Pose)) {
    // The tree of the last mesh has its own axes.
    let tilt = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
    let meshes = [
        shapes::torus(1.0, 0.4, 30, 15).unwrap(),
        shapes::icosphere(1.0, 8).unwrap(),
        shapes::cuboid_grid([1.0, 1.5, 2.0], [5, 5, 5]).unwrap(),
        shapes::star_prism(9, 1.0, 0.7, 1.5).unwrap().transformed(&tilt),
    ];
    let mut random = Random::new(seed);
    for a in &meshes {
        for b in &meshes {
            for reach in reaches {
                let rotation = random.rotation().to_array();
                each(a, b, &Pose::from_quaternion(rotation, random.in_cube() * reach).unwrap());
            }
        }
    }
}
