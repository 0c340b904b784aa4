//! The data sets of Klosowski et al. 1998, section 5.2, with generated shapes of the same kind and
//! number of triangles, and flights of the same number of steps.
//!
//! The paper's models are not public any more (UNC's pipes and torus, Boeing's interior and 747).
//! The paper does not state sizes and step lengths. They are chosen so that a flight meets its
//! environment about as often as the paper's; the number of contacts is part of each table.

use anyhow::Result;
use impinge::{Aabb, Mesh, Pose, Vec3};
use impinge_samples::shapes::{self, swept_flight};

use crate::flight::{Motion, billiard, reaching};

/// An environment, a body and its flight.
#[derive(Debug)]
pub(crate) struct Scene {
    /// The paper's name for the data set.
    pub(crate) name: &'static str,
    /// The fixed mesh.
    pub(crate) environment: Mesh,
    /// The moving mesh.
    pub(crate) body: Mesh,
    /// The body's pose in the environment's frame at each step.
    pub(crate) poses: Vec<Pose>,
}

/// The five data sets of the paper's Table 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataSet {
    /// A system of pipes among a larger copy of itself.
    Pipes,
    /// A deformed torus among stalagmites.
    Torus,
    /// An airliner among 25,000 disjoint tetrahedra.
    Aircraft,
    /// Three crossed bars through a swept volume lined with 10,000 tetrahedra.
    Swept,
    /// A hand in a crowded room.
    Interior,
}

/// The size of a scene relative to the paper's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    /// The number of triangles divided by the paper's.
    pub(crate) triangles: f64,
    /// The number of steps divided by the paper's.
    pub(crate) steps: f64,
}

impl Size {
    /// As in the paper.
    pub(crate) const FULL: Self = Self { triangles: 1.0, steps: 1.0 };

    fn steps(&self, paper: usize) -> usize {
        ((paper as f64 * self.steps).round() as usize).max(1)
    }

    fn triangles(&self, paper: usize) -> usize {
        ((paper as f64 * self.triangles).round() as usize).max(1)
    }

    /// The number of cells in one direction of a surface, so that their product scales with
    /// `triangles`.
    fn along(&self, paper: usize, min: usize) -> usize {
        ((paper as f64 * self.triangles.sqrt()).round() as usize).max(min)
    }
}

impl DataSet {
    /// In the order of the paper's tables.
    pub(crate) const ALL: [Self; 5] =
        [Self::Pipes, Self::Torus, Self::Aircraft, Self::Swept, Self::Interior];

    /// The paper's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pipes => "Pipes",
            Self::Torus => "Torus",
            Self::Aircraft => "747",
            Self::Swept => "Swept",
            Self::Interior => "Interior",
        }
    }

    /// Generates the meshes and the flight.
    pub(crate) fn scene(self, size: &Size, seed: u64) -> Result<Scene> {
        let flight = |steps, step, turn| Motion { steps: size.steps(steps), step, turn, seed };
        let (environment, body, poses) = match self {
            Self::Pipes => {
                let environment = shapes::pipes(size.triangles(90), 10, 21, seed)?;
                let body = fitted(&environment, 0.1 / size.triangles.cbrt())?;
                let poses = billiard(&environment, &body, &flight(2000, 0.005, 1.0))?;
                (environment, body, poses)
            }
            Self::Torus => {
                let environment = shapes::stalagmites(size.triangles(271), 13, 14, seed)?;
                let (around, across) = (size.along(200, 6), size.along(50, 4));
                let torus = shapes::deformed_torus(0.65, 0.25, around, across, 0.35, seed)?;
                let body = fitted(&torus, 0.3 / size.triangles.sqrt())?;
                let poses = billiard(&environment, &body, &flight(2000, 0.003, 1.0))?;
                (environment, body, poses)
            }
            Self::Aircraft => {
                let space = Aabb::from_corners(Vec3::splat(-1.0), Vec3::splat(1.0));
                let obstacle = 0.008 / size.triangles.cbrt();
                let field =
                    shapes::tetrahedra_field(size.triangles(25_000), seed, space, obstacle)?;
                let plane = shapes::aircraft(1.0, 2 * size.along(8, 2), size.along(18, 1))?;
                let body = fitted(&plane, 0.2 / size.triangles.cbrt())?;
                let poses = billiard(&field, &body, &flight(10_000, 0.002, 1.0))?;
                (field, body, poses)
            }
            Self::Swept => {
                let swept = swept_flight(size.steps(1000), size.triangles(10_000), seed)?;
                (swept.obstacles, swept.body, swept.poses)
            }
            Self::Interior => {
                let environment = shapes::interior(size.triangles(1900), seed)?;
                let hand = shapes::hand(0.1, 0.3, 7, 1)?;
                let body = fitted(&hand, 0.3)?;
                let poses = reaching(&environment, &flight(2528, 0.02, 2.0))?;
                (environment, body, poses)
            }
        };
        Ok(Scene { name: self.name(), environment, body, poses })
    }
}

/// A copy with the middle of its box at the origin and the longest side of its box `side` long.
fn fitted(mesh: &Mesh, side: f64) -> Result<Mesh> {
    let bounds = mesh.bounds();
    let factor = side / bounds.extent().max_element();
    let moved = mesh.vertices().iter().map(|v| (*v - bounds.center()) * factor).collect();
    Ok(mesh.with_vertices(moved)?)
}

/// The outer and the inner sphere of the paper's Tables 6 and 7, of 2,000 or 20,000 triangles each
/// in the paper.
pub(crate) fn spheres(triangles: usize, alpha: f64) -> Result<(Mesh, Mesh)> {
    // `2 * segments * (rings - 1)` triangles.
    let segments = match triangles {
        2000 => 50,
        20_000 => 100,
        n => ((n as f64).sqrt() as usize).max(3),
    };
    let rings = (triangles / (2 * segments)).max(1) + 1;
    Ok(shapes::nested_spheres(alpha, rings, segments)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_scenes_have_meshes_and_poses() {
        let size = Size { triangles: 0.02, steps: 0.02 };
        for set in DataSet::ALL {
            let scene = set.scene(&size, 1).unwrap();
            assert!(scene.poses.len() >= 20, "{}", scene.name);
            assert!(!scene.environment.is_empty() && !scene.body.is_empty());
        }
    }

    #[test]
    fn bodies_and_environments_have_the_papers_sizes() {
        let size = Size { triangles: 1.0, steps: 0.001 };
        let paper =
            [(143_690, 143_690), (98_114, 20_000), (100_000, 14_646), (40_000, 36), (169_944, 404)];
        for (set, (environment, body)) in DataSet::ALL.into_iter().zip(paper) {
            let scene = set.scene(&size, 1).unwrap();
            let near = |ours: usize, paper: usize| ours.abs_diff(paper) * 20 <= paper;
            let (e, b) = (scene.environment.triangles().len(), scene.body.triangles().len());
            assert!(near(e, environment) && near(b, body), "{}: {e} and {b}", scene.name);
        }
    }

    #[test]
    fn spheres_have_the_papers_sizes() {
        for triangles in [2000, 20_000] {
            let (outer, inner) = spheres(triangles, 0.1).unwrap();
            assert_eq!(outer.triangles().len(), inner.triangles().len());
            assert_eq!(outer.triangles().len(), triangles);
        }
    }
}
