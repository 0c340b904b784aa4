//! Assemblies whose parts touch exactly: face on face, facet in facet.
//!
//! Most neighbours share faces, parts of faces or edges, but no volume, which is decided from
//! coplanar triangles alone. All coordinates of walls and pallets are integers.

use std::sync::Arc;

use super::{cuboid_grid, cylinder, tube};
use impinge::Error;
use impinge::math::{Pose, Vec3};
use impinge::mesh::Mesh;
use impinge::scene::Scene;

/// A wall in running bond: `courses` of `bricks` bricks, every other course shifted by half a
/// brick. A brick is 24 by 12 by 8. Its faces are grids of squares, `cells` per 4 units.
///
/// Every brick touches its two neighbours and up to four bricks above and below, and no others.
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

/// Boxes on a pallet: layers of six by four boxes on a deck, rotated by a quarter turn from layer
/// to layer. The boxes are 20 by 30 by 20. Their faces are cut into `cells` by `cells` rectangles,
/// so that rectangles of neighbours and of adjacent layers overlap partly.
///
/// # Errors
/// `BadParameter` if `cells` is zero.
pub fn pallet(layers: usize, cells: usize) -> Result<Scene, Error> {
    let unrotated = Arc::new(cuboid_grid([20.0, 30.0, 20.0], [cells; 3])?);
    let rotated = Arc::new(cuboid_grid([30.0, 20.0, 20.0], [cells; 3])?);
    let deck = Arc::new(cuboid_grid([120.0, 120.0, 10.0], [4 * cells, 4 * cells, 1])?);
    let mut scene = Scene::new();
    scene.add("deck", deck, Pose::from_translation([60.0, 60.0, -15.0])?);
    for layer in 0..layers {
        let (mesh, size) = match layer % 2 {
            0 => (&unrotated, [20.0, 30.0]),
            _ => (&rotated, [30.0, 20.0]),
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

/// Pins in bushings in sleeves: `columns` side by side, each a stack of `levels`. Pin, bushing and
/// sleeve have the same number of facets, so the facets of a pin coincide with those of the hole
/// that it fills, and adjacent levels share their end rings.
///
/// # Errors
/// `BadParameter` if there are fewer than 3 facets.
pub fn pins(columns: usize, levels: usize, facets: usize) -> Result<Scene, Error> {
    let parts: [(&str, Arc<Mesh>); 3] = [
        ("pin", Arc::new(cylinder(4.0, 16.0, facets)?)),
        ("bushing", Arc::new(tube(7.0, 4.0, 16.0, facets)?)),
        ("sleeve", Arc::new(tube(10.0, 7.0, 16.0, facets)?)),
    ];
    let mut scene = Scene::new();
    for column in 0..columns {
        for level in 0..levels {
            let at = Pose::from_translation([20.0 * column as f64, 0.0, 16.0 * level as f64])?;
            for (name, mesh) in &parts {
                scene.add(format!("{name} {}.{}", column + 1, level + 1), mesh.clone(), at);
            }
        }
    }
    Ok(scene)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::check::{CheckOptions, Relation, candidate_pairs, check_pair};

    /// The number of pairs of parts that touch. All other pairs must be clear.
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
        // Two fits per level. Between levels, three pairs of equal parts and four of neighbouring
        // parts touch.
        assert_eq!(touching(&pins(1, 2, 12).unwrap()), 2 * 2 + 3 + 4);
        assert!(touching(&pins(2, 1, 12).unwrap()) > 2 * 2);
    }
}
