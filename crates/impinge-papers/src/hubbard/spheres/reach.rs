//! How far the balls of a tree reach beyond a solid: upper bounds.

use impinge::closest::point_triangle;
use impinge::exact::Location;
use impinge::internals::next_up;
use impinge::mesh::Mesh;
use impinge::spheres::{Ball, SphereTree};
use impinge::{Vec3, solid};

/// For every ball of every level, an upper bound of the distance of its points from the solid that
/// the mesh bounds; of a mesh that bounds none, from its surface.
///
/// A point of a ball whose centre is `k` deep in the solid is in the solid if it is nearer than `k`
/// to the centre; otherwise the solid has a point at `k` on the way to it. So the ball reaches at
/// most `r - k` beyond the solid; with the centre at the distance `d` from it, `r + d`. Two balls
/// that meet are therefore evidence that two solids are at most the sum of two such bounds apart,
/// even where their centres are far from the surfaces.
///
/// Every triangle is visited for every ball.
#[must_use]
pub fn reaches(mesh: &Mesh, tree: &SphereTree) -> Vec<Vec<f64>> {
    let triangles: Vec<[Vec3; 3]> = (0..mesh.triangles().len()).map(|t| mesh.triangle(t)).collect();
    let reach = |ball: &Ball| {
        let distances = triangles.iter().map(|t| point_triangle(ball.center, t));
        let (lower, upper) = distances
            .fold((f64::INFINITY, f64::INFINITY), |(l, u), d| (d.lower.min(l), d.upper.min(u)));
        match solid::locate(mesh, ball.center) {
            Ok(Location::Inside | Location::Boundary) => next_up(ball.radius - lower).max(0.0),
            _ => next_up(ball.radius + upper),
        }
    };
    let level = |l: usize| tree.level(l).iter().map(|node| reach(&node.ball)).collect();
    (0..tree.levels()).map(level).collect()
}
