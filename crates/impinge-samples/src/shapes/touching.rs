//! Assemblies whose parts touch exactly: face on face, facet in facet.
//!
//! Most pairs of neighbours share whole faces, parts of faces or edges and no space, which is decided
//! from coplanar triangles alone. All coordinates of walls and pallets are whole numbers.

use std::sync::Arc;

use super::{cuboid_grid, cylinder, tube};
use impinge::Error;
use impinge::math::{Pose, Vec3};
use impinge::mesh::Mesh;
use impinge::scene::Scene;

/// A wall in running bond: `courses` of `bricks` bricks, every other course half a brick further
/// along. A brick is 24 by 12 by 8 and its faces are grids of squares, `cells` for each 4 units.
///
/// Every brick touches its two neighbours and up to four above and below, and nothing else.
///
/// # Errors
/// `BadParameter` if `cells` is zero.
pub fn brick_wall(courses: usize, bricks: usize, cells: usize) -> Result<Scene, Error> {
    let size = Vec3::new(24.0, 12.0, 8.0);
    let brick = Arc::new(cuboid_grid(size, [6 * cells, 3 * cells, 2 * cells])?);
    let mut scene = Scene::new();
    for course in 0..courses {
        for n in 0..bricks {
            let along = 24.0 * n as f64 + if course % 2 == 0 { 0.0 } else { 12.0 };
            let at = Vec3::new(along, 0.0, 8.0 * course as f64);
            scene.add(
                format!("brick {}.{}", course + 1, n + 1),
                brick.clone(),
                Pose::from_translation(at)?,
            );
        }
    }
    Ok(scene)
}

/// Boxes on a pallet: layers of six by four boxes, turned by a quarter from layer to layer, on a
/// deck. Boxes of 20 by 30 by 20 whose faces are cut into `cells` by `cells` rectangles, so that
/// those of neighbours and layers overlap in parts.
///
/// # Errors
/// `BadParameter` if `cells` is zero.
pub fn pallet(layers: usize, cells: usize) -> Result<Scene, Error> {
    let lying = Arc::new(cuboid_grid([20.0, 30.0, 20.0], [cells; 3])?);
    let turned = Arc::new(cuboid_grid([30.0, 20.0, 20.0], [cells; 3])?);
    let deck = Arc::new(cuboid_grid([120.0, 120.0, 10.0], [4 * cells, 4 * cells, 1])?);
    let mut scene = Scene::new();
    scene.add("deck", deck, Pose::from_translation([60.0, 60.0, -15.0])?);
    for layer in 0..layers {
        let (mesh, size) = match layer % 2 {
            0 => (&lying, [20.0, 30.0]),
            _ => (&turned, [30.0, 20.0]),
        };
        let counts = size.map(|s: f64| (120.0 / s) as usize);
        for n in 0..counts[0] * counts[1] {
            let cell = [n % counts[0], n / counts[0]];
            let [x, y] = [0, 1].map(|k| (cell[k] as f64 + 0.5) * size[k]);
            let at = Vec3::new(x, y, 20.0 * layer as f64);
            let name = format!("box {}.{}", layer + 1, n + 1);
            scene.add(name, mesh.clone(), Pose::from_translation(at)?);
        }
    }
    Ok(scene)
}

/// Pins in bushings in sleeves: `columns` of them side by side, each of `storeys` that stand on each
/// other. Pin, bushing and sleeve have the same number of facets, so that the pin's are those of the
/// hole that it fills, and storeys share the rings they stand on.
///
/// # Errors
/// `BadParameter` if there are fewer than 3 facets.
pub fn pins(columns: usize, storeys: usize, facets: usize) -> Result<Scene, Error> {
    let parts: [(&str, Arc<Mesh>); 3] = [
        ("pin", Arc::new(cylinder(4.0, 16.0, facets)?)),
        ("bushing", Arc::new(tube(7.0, 4.0, 16.0, facets)?)),
        ("sleeve", Arc::new(tube(10.0, 7.0, 16.0, facets)?)),
    ];
    let mut scene = Scene::new();
    for column in 0..columns {
        for storey in 0..storeys {
            let at = Pose::from_translation([20.0 * column as f64, 0.0, 16.0 * storey as f64])?;
            for (name, mesh) in &parts {
                scene.add(format!("{name} {}.{}", column + 1, storey + 1), mesh.clone(), at);
            }
        }
    }
    Ok(scene)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::check::{CheckOptions, Relation, candidate_pairs, check_pair};

    /// How many pairs of parts touch; all others are apart.
    fn touching(scene: &Scene) -> usize {
        let mut touching = 0;
        for (i, j) in candidate_pairs(scene, 0.0) {
            let (a, b) = (&scene.parts()[i], &scene.parts()[j]);
            let pose = Pose::relative(&a.pose, &b.pose);
            match check_pair(&a.mesh, &b.mesh, &pose, &CheckOptions::default()).relation {
                Relation::Touching => touching += 1,
                relation => assert_eq!(relation, Relation::Clear, "{} {}", a.name, b.name),
            }
        }
        touching
    }

    #[test]
    fn bricks_touch_their_neighbours() {
        // In three courses of four: three in each course, seven between two courses.
        assert_eq!(touching(&brick_wall(3, 4, 1).unwrap()), 3 * 3 + 2 * 7);
    }

    #[test]
    fn boxes_touch_beside_below_and_above() {
        // In a layer of six by four: 5 * 4 + 6 * 3 over faces, 2 * 5 * 3 over edges.
        let single = touching(&pallet(1, 2).unwrap());
        assert_eq!(single, 24 + 38 + 30);
        assert!(touching(&pallet(2, 2).unwrap()) > 2 * single);
    }

    #[test]
    fn pins_fill_their_holes() {
        // Two fits a storey; between storeys each part stands on its like and meets its neighbours.
        assert_eq!(touching(&pins(1, 2, 12).unwrap()), 2 * 2 + 3 + 4);
        assert!(touching(&pins(2, 1, 12).unwrap()) > 2 * 2);
    }
}
