//! Spheres on the medial axis, from Voronoi vertices of points on the surface (J. Goldak, X. Yu, A.
//! Knight, L. Dong 1991, "Constructing discrete medial axis of 3-D objects"), with the corrections
//! of section VIII where points are too far apart.

use impinge::internals::Random;
use impinge::mesh::Mesh;
use impinge::spheres::SphereTree;
use impinge::{Error, ErrorKind, Vec3};

use super::merge::{self, Sphere};
use super::surface::{Surface, flushed};
use super::{SphereOptions, finish, octree};
use crate::hubbard::delaunay::Delaunay;

/// Rounds of corrections.
const ROUNDS: usize = 8;

/// A sphere that reaches beyond the surface by more than this share of its radius is corrected by
/// another point.
const MAX_PROTRUSION: f64 = 0.05;

/// Points to be covered for each point of the Voronoi diagram, approximately.
const COVER_POINTS: usize = 3;

/// The tree of merged spheres of the medial axis.
///
/// Points are distributed on the surface. The Voronoi vertices inside the solid are centres of
/// spheres that touch the surface; those of an open mesh are all Voronoi vertices near it. Where
/// such a sphere leaves the solid, the point of the surface closest to its centre is added. Then
/// spheres are merged until 4096 (for the default options) are left, which are the deepest level,
/// and further to 512, 64 and 8. The cost of a merge is the looseness of the new sphere.
///
/// If all points lie in one plane, which has no medial axis, the tree is that of [`octree`].
///
/// # Errors
/// As [`octree`].
pub fn medial(mesh: &Mesh, options: &SphereOptions) -> Result<SphereTree, Error> {
    options.check(mesh)?;
    let surface = Surface::new(mesh);
    let mut random = Random::new(options.seed);
    let sites = surface.samples(options.sample_count(), &mut random);
    let diagram = match refined(&sites, &surface) {
        Ok(diagram) => diagram,
        Err(error) if error.kind() == ErrorKind::BadParameter => return octree(mesh, options),
        Err(error) => return Err(error),
    };
    let mut points = surface.samples(COVER_POINTS * options.sample_count(), &mut random);
    points.extend_from_slice(diagram.points());
    let spheres = owners(balls(&diagram, &surface), &points);
    let counts: Vec<usize> = (0..options.levels).rev().map(|l| options.balls(l)).collect();
    finish(mesh, &merge::levels(spheres, &counts, &points, &surface), options)
}

/// The centres and radii of the spheres of Voronoi vertices inside.
fn balls(diagram: &Delaunay, surface: &Surface) -> Vec<(Vec3, f64)> {
    let bounds = surface.bounds();
    // Without an inside, spheres as large as the mesh say nothing about it.
    let largest = if surface.is_solid() { f64::INFINITY } else { 0.5 * bounds.extent().length() };
    let ball = |t: crate::hubbard::delaunay::Tetrahedron| {
        let center = diagram.voronoi_vertex(t)?;
        let radius = diagram.points()[t.corners[0] as usize].distance(center);
        (bounds.contains(center) && radius <= largest && surface.is_inside(center))
            .then_some((center, radius))
    };
    diagram.tetrahedra().filter_map(ball).collect()
}

/// The Voronoi diagram with points added where its spheres leave the solid.
fn refined(sites: &[Vec3], surface: &Surface) -> Result<Delaunay, Error> {
    let most = 2 * sites.len();
    let mut diagram = Delaunay::new(sites)?;
    for _ in 0..ROUNDS {
        let mut added: Vec<Vec3> = Vec::new();
        for (center, radius) in balls(&diagram, surface) {
            let closest = surface.closest(center);
            if radius - closest.distance(center) > MAX_PROTRUSION * radius {
                added.push(flushed(closest));
            }
        }
        let before = diagram.points().len();
        for point in added {
            if diagram.points().len() >= most {
                break;
            }
            diagram.insert(point)?;
        }
        if diagram.points().len() == before {
            break;
        }
    }
    Ok(diagram)
}

/// Each point belongs to the ball in which it is deepest, or which has to grow least. Balls without
/// points are dropped; the others shrink or grow to their points.
fn owners(balls: Vec<(Vec3, f64)>, points: &[Vec3]) -> Vec<Sphere> {
    if balls.is_empty() {
        let all: Vec<u32> = (0..points.len() as u32).collect();
        let center = points.iter().fold(Vec3::ZERO, |sum, p| sum + *p / points.len() as f64);
        let radius = merge::covering_radius(center, &all, points);
        return vec![Sphere { center, radius, points: all }];
    }
    let mut owned: Vec<Vec<u32>> = vec![Vec::new(); balls.len()];
    for (i, point) in points.iter().enumerate() {
        let (mut best, mut owner) = (f64::INFINITY, 0);
        for (b, (center, radius)) in balls.iter().enumerate() {
            // Only balls that come closer than the best need a square root.
            let limit = best + radius;
            let square = center.distance_squared(*point);
            if limit > 0.0 && square < limit * limit {
                (best, owner) = (square.sqrt() - radius, b);
            }
        }
        owned[owner].push(i as u32);
    }
    let sphere = |((center, _), owned): ((Vec3, f64), Vec<u32>)| Sphere {
        center,
        radius: merge::covering_radius(center, &owned, points),
        points: owned,
    };
    balls.into_iter().zip(owned).filter(|(_, owned)| !owned.is_empty()).map(sphere).collect()
}
