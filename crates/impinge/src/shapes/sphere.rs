//! Spheres and ellipsoids.
//!
//! The sphere is the convex object of Zachmann 1994, section 3.6.

use std::collections::HashMap;

use super::builder::Surface;
use super::circle::{turn, unit_circle};
use super::params::{bad, count, length, total};
use crate::error::Error;
use crate::math::Vec3;
use crate::mesh::Mesh;
use crate::order::sort_few_by;

/// A sphere about the origin, from an icosahedron whose edges are divided into `subdivisions`
/// pieces: `20 n^2` triangles.
///
/// Closed; all vertices lie on the sphere, to rounding, so the mesh lies within it. The triangles
/// differ in area by less than a factor of 3.
///
/// ```
/// let ball = impinge::shapes::icosphere(1.0, 4)?;
/// assert_eq!(ball.triangles().len(), 320);
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// `BadParameter` unless the radius is a positive number and there is at least 1 subdivision.
pub fn icosphere(radius: f64, subdivisions: usize) -> Result<Mesh, Error> {
    icosphere_surface(radius, subdivisions)?.finish()
}

/// The surface of the mesh that [`icosphere`] makes.
pub fn icosphere_surface(radius: f64, n: usize) -> Result<Surface, Error> {
    length("the sphere's radius", radius)?;
    count("the number of subdivisions", n, 1)?;
    total("sphere", &[20, n, n])?;
    let corners = icosahedron_corners();
    let mut surface = Surface::new();
    // The key of a lattice point of a face is its weights at the face's corners; on an edge, two
    // weights identify it.
    let mut known: HashMap<[(usize, usize); 3], u32> = HashMap::new();
    for face in icosahedron_faces(&corners) {
        let mut point = |i: usize, j: usize| {
            let mut name = [(face[0], n - i - j), (face[1], i), (face[2], j)];
            for weight in &mut name {
                if weight.1 == 0 {
                    weight.0 = usize::MAX;
                }
            }
            sort_few_by(&mut name, |p, q| p < q);
            *known.entry(name).or_insert_with(|| {
                let sum: Vec3 = name
                    .iter()
                    .filter(|(corner, _)| *corner != usize::MAX)
                    .map(|(corner, weight)| corners[*corner] * (*weight as f64))
                    .sum();
                surface.vertex(sum.normalize() * radius)
            })
        };
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(n + 1);
        for i in 0..=n {
            rows.push((0..=n - i).map(|j| point(i, j)).collect());
        }
        for i in 0..n {
            for j in 0..n - i {
                surface.polygon([rows[i][j], rows[i + 1][j], rows[i][j + 1]]);
                if i + j + 1 < n {
                    surface.polygon([rows[i + 1][j], rows[i + 1][j + 1], rows[i][j + 1]]);
                }
            }
        }
    }
    Ok(surface)
}

fn icosahedron_corners() -> Vec<Vec3> {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut corners = Vec::with_capacity(12);
    for axis in 0..3 {
        for (one, tall) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
            let mut c = Vec3::ZERO;
            c[(axis + 1) % 3] = one;
            c[(axis + 2) % 3] = tall;
            corners.push(c.normalize());
        }
    }
    corners
}

/// The 20 triples of corners that are mutual neighbours, counter-clockwise seen from outside.
fn icosahedron_faces(corners: &[Vec3]) -> Vec<[usize; 3]> {
    let near = |a: usize, b: usize| corners[a].dot(corners[b]) > 0.4;
    let mut faces = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let outward = corners[a].dot(corners[b].cross(corners[c])) > 0.0;
                    faces.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    faces
}

/// A sphere about the origin, of `rings` bands between the poles on the z axis, each of `segments`
/// polygons.
///
/// `rings * segments` polygons: triangles at the poles, planar quads elsewhere. Closed, poles and
/// seam shared. All vertices lie on the sphere, to rounding.
///
/// # Errors
/// `BadParameter` unless the radius is a positive number, there are at least 2 rings and at least 3
/// segments.
pub fn uv_sphere(radius: f64, rings: usize, segments: usize) -> Result<Mesh, Error> {
    length("the sphere's radius", radius)?;
    ellipsoid(Vec3::splat(radius), rings, segments)
}

/// An ellipsoid about the origin with half axes `radii`: a [`uv_sphere`] stretched along the axes.
/// Closed.
///
/// # Errors
/// `BadParameter` unless all half axes are positive numbers, there are at least 2 rings and at
/// least 3 segments.
pub fn ellipsoid(radii: impl Into<Vec3>, rings: usize, segments: usize) -> Result<Mesh, Error> {
    ellipsoid_surface(radii.into(), rings, segments)?.finish()
}

/// The surface of the mesh that [`ellipsoid`] makes.
pub fn ellipsoid_surface(radii: Vec3, rings: usize, segments: usize) -> Result<Surface, Error> {
    for axis in 0..3 {
        length("a half axis of the ellipsoid", radii[axis])?;
    }
    count("the number of rings", rings, 2)?;
    count("the number of segments", segments, 3)?;
    total("sphere", &[rings, segments])?;
    let circle = unit_circle(segments);
    let mut surface = Surface::new();
    let mut loops = vec![surface.pole(Vec3::NEG_Z * radii)];
    for i in 1..rings {
        let [cos, sin] = turn(i, 2 * rings);
        loops.push(
            surface.ring(circle.iter().map(|[x, y]| Vec3::new(x * sin, y * sin, -cos) * radii)),
        );
    }
    loops.push(surface.pole(Vec3::Z * radii));
    surface.skin(&loops);
    Ok(surface)
}

/// A hollow ball: a sphere with a concentric spherical cavity. Two closed skins; the inner one is
/// oriented towards the cavity.
///
/// `2 * rings * segments` polygons.
///
/// # Errors
/// `BadParameter` unless `0 < inner < outer`, there are at least 2 rings and at least 3 segments.
pub fn spherical_shell(
    outer: f64,
    inner: f64,
    rings: usize,
    segments: usize,
) -> Result<Mesh, Error> {
    length("the shell's outer radius", outer)?;
    length("the shell's inner radius", inner)?;
    if inner >= outer {
        return Err(bad(format!(
            "the shell's inner radius {inner} must be below the outer one, {outer}"
        )));
    }
    let mut surface = ellipsoid_surface(Vec3::splat(outer), rings, segments)?;
    let mut cavity = ellipsoid_surface(Vec3::splat(inner), rings, segments)?;
    cavity.flip();
    surface.append(&cavity, |v| v);
    surface.finish()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn icospheres_are_closed_and_approach_the_ball() {
        let mut last = 0.0;
        for n in [1, 2, 3, 7, 16] {
            let mesh = icosphere(2.0, n).unwrap();
            assert_eq!(mesh.triangles().len(), 20 * n * n);
            assert_eq!(mesh.vertices().len(), 10 * n * n + 2);
            assert_eq!(assert_closed(&mesh), 1);
            assert!(mesh.vertices().iter().all(|v| (v.length() - 2.0).abs() < 1e-14));
            let v = volume(&mesh);
            assert!(v > last && v < 32.0 * PI / 3.0);
            last = v;
        }
        assert!(last > 0.99 * 32.0 * PI / 3.0);
    }

    #[test]
    fn rings_and_segments_are_counted_and_closed() {
        for (rings, segments) in [(2, 3), (3, 4), (5, 7), (32, 64)] {
            let surface = ellipsoid_surface(Vec3::new(1.0, 2.0, 3.0), rings, segments).unwrap();
            assert_eq!(surface.polygon_count(), rings * segments);
            assert_planar(&surface);
            let mesh = surface.finish().unwrap();
            assert_eq!(mesh.vertices().len(), (rings - 1) * segments + 2);
            assert_eq!(assert_closed(&mesh), 1);
        }
        let fine = ellipsoid([1.0, 2.0, 3.0], 64, 128).unwrap();
        assert!((volume(&fine) / (8.0 * PI) - 1.0).abs() < 2e-3);
        assert!((area(&uv_sphere(1.0, 64, 128).unwrap()) / (4.0 * PI) - 1.0).abs() < 2e-3);
    }

    #[test]
    fn a_shell_has_an_outer_and_an_inner_skin() {
        let shell = spherical_shell(2.0, 1.0, 8, 12).unwrap();
        let volumes = closed_pieces(&shell);
        assert!(volumes.len() == 2 && volumes[0] > 0.0 && volumes[1] < 0.0);
        assert_bad(spherical_shell(1.0, 1.0, 8, 8), "below the outer");
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert_bad(icosphere(0.0, 3), "radius is 0");
        assert_bad(icosphere(1.0, 0), "subdivisions is 0");
        assert_bad(icosphere(1.0, 1 << 20), "polygons");
        assert_bad(uv_sphere(f64::NAN, 4, 4), "NaN");
        assert_bad(uv_sphere(1.0, 1, 4), "rings is 1");
        assert_bad(uv_sphere(1.0, 4, 2), "segments is 2");
        assert_bad(ellipsoid([1.0, -1.0, 1.0], 4, 4), "half axis");
    }

    #[test]
    fn extreme_radii_stay_closed() {
        for radius in [1e-50, 1e-5, 1e50] {
            assert_closed(&icosphere(radius, 3).unwrap());
            assert_closed(&uv_sphere(radius, 5, 6).unwrap());
        }
    }
}
