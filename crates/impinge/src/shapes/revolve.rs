//! Surfaces of revolution about the z axis, and the solids that are built in this way.
//!
//! The cylinder is among the shapes of Zachmann 1994, section 8.1.

use super::builder::Surface;
use super::circle::{turn, unit_circle};
use super::params::{bad, coordinate, count, length, total};
use crate::arrays::{MapEach, MapToVec};
use crate::error::Error;
use crate::math::Vec3;
use crate::mesh::Mesh;

/// The solid of revolution of a profile about the z axis, in `segments` steps.
///
/// The profile is a chain of points `[radius, z]`. If its last point equals its first, it is a loop
/// away from the axis and gives a ring. Otherwise each end either lies on the axis (`radius`
/// exactly 0) and becomes a single vertex, or is closed by one flat polygon of `segments` corners.
/// No other point may be on the axis. Profiles may have either direction: the surface is oriented
/// outward. A profile that crosses itself is not detected.
///
/// It has `segments` planar polygons for every step of the profile, and the two ends. Closed.
///
/// ```
/// use impinge::shapes::revolve;
///
/// let top = revolve(&[[0.0, 0.0], [1.0, 1.0], [0.2, 1.2], [0.2, 2.0]], 24)?;
/// assert_eq!(top.vertices().len(), 1 + 3 * 24);
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// `BadParameter` if a coordinate is not finite, a radius negative, an inner point on the axis, a
/// step of no length, the profile without volume, or if there are fewer than 2 points (3 for a
/// loop) or 3 segments.
pub fn revolve(profile: &[[f64; 2]], segments: usize) -> Result<Mesh, Error> {
    revolve_surface(profile, segments)?.finish()
}

/// The surface of the mesh that [`revolve`] makes.
pub fn revolve_surface(profile: &[[f64; 2]], segments: usize) -> Result<Surface, Error> {
    count("the number of segments", segments, 3)?;
    count("the number of points of the profile", profile.len(), 2)?;
    total("surface of revolution", &[segments, profile.len()])?;
    let is_loop = profile.first() == profile.last();
    let points = if is_loop { &profile[..profile.len() - 1] } else { profile };
    if is_loop && points.len() < 3 {
        return Err(bad("a closed profile needs at least 3 different points"));
    }
    let mut volume = 0.0;
    let largest = profile.iter().flatten().fold(0.0_f64, |m, c| m.max(c.abs()));
    for (i, [r, z]) in points.iter().copied().enumerate() {
        coordinate("a profile's radius", r)?;
        coordinate("a profile's height", z)?;
        let end = !is_loop && (i == 0 || i + 1 == points.len());
        if r < 0.0 || (r == 0.0 && !end) {
            return Err(bad(format!(
                "point {i} of the profile has radius {r}: radii must be positive, or 0 at the ends of an open profile"
            )));
        }
        let next = if is_loop {
            points[(i + 1) % points.len()]
        } else {
            profile[(i + 1).min(points.len() - 1)]
        };
        if next == [r, z] && !(end && i > 0) {
            return Err(bad(format!("points {i} and {} of the profile are the same", i + 1)));
        }
        // In units of the largest coordinate, so that the cubes neither overflow nor underflow.
        let [r0, r1, dz] = [r / largest, next[0] / largest, (next[1] - z) / largest];
        volume += (r0 * r0 + r0 * r1 + r1 * r1) * dz;
    }
    if volume == 0.0 || !volume.is_finite() {
        return Err(bad("the profile encloses no volume when turned about the z axis"));
    }
    let circle = unit_circle(segments);
    let mut surface = Surface::new();
    let mut rings: Vec<_> = points.map_to_vec(|[r, z]| {
        if *r == 0.0 {
            surface.pole(Vec3::new(0.0, 0.0, *z))
        } else {
            surface.ring(circle.iter().map(|[x, y]| Vec3::new(x * r, y * r, *z)))
        }
    });
    if volume < 0.0 {
        rings.reverse();
    }
    if is_loop {
        surface.closed_skin(&rings);
    } else {
        surface.capped_skin(&rings);
    }
    Ok(surface)
}

/// `profile` with every step divided into `pieces` equal ones.
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn refine(profile: &[[f64; 2]], pieces: usize) -> Vec<[f64; 2]> {
    let mut fine = Vec::with_capacity(profile.len() * pieces);
    for step in profile.windows(2) {
        for k in 0..pieces {
            let t = k as f64 / pieces as f64;
            fine.push([0, 1].map(|c| step[0][c] + (step[1][c] - step[0][c]) * t));
        }
    }
    fine.extend(profile.last());
    fine
}

/// A cylinder along the z axis with its centre at the origin: `segments` rectangles and two end
/// polygons. Closed.
///
/// # Errors
/// `BadParameter` unless both lengths are positive numbers and there are at least 3 segments.
pub fn cylinder(radius: f64, height: f64, segments: usize) -> Result<Mesh, Error> {
    length("the cylinder's radius", radius)?;
    length("the cylinder's height", height)?;
    revolve(&[[radius, -0.5 * height], [radius, 0.5 * height]], segments)
}

/// A cone along the z axis, base at `z = 0`, tip at `z = height`: `segments` triangles and the base
/// polygon. Closed.
///
/// # Errors
/// `BadParameter` unless both lengths are positive numbers and there are at least 3 segments.
pub fn cone(radius: f64, height: f64, segments: usize) -> Result<Mesh, Error> {
    length("the cone's radius", radius)?;
    length("the cone's height", height)?;
    revolve(&[[radius, 0.0], [0.0, height]], segments)
}

/// A cylinder with half balls at its ends, along the z axis with its centre at the origin. Closed.
///
/// `length` is that of the cylinder between the half balls, each of which has `rings` bands:
/// `segments * (2 * rings + 1)` polygons.
///
/// # Errors
/// `BadParameter` unless both lengths are positive numbers, there is at least 1 ring and at least 3
/// segments.
pub fn capsule(radius: f64, length: f64, segments: usize, rings: usize) -> Result<Mesh, Error> {
    revolve(&capsule_profile(radius, radius, length, rings)?, segments)
}

/// The profile of a capsule whose half balls may differ, the lower of radius `low` about
/// `-length / 2`.
pub fn capsule_profile(
    low: f64,
    high: f64,
    long: f64,
    rings: usize,
) -> Result<Vec<[f64; 2]>, Error> {
    length("the capsule's radius", low)?;
    length("the capsule's radius", high)?;
    length("the capsule's length", long)?;
    count("the number of rings of a half ball", rings, 1)?;
    let mut profile = vec![[0.0, -0.5 * long - low]];
    for i in 1..=rings {
        let [c, s] = turn(i, 4 * rings);
        profile.push([low * s, -0.5 * long - low * c]);
    }
    for i in (1..=rings).rev() {
        let [c, s] = turn(i, 4 * rings);
        profile.push([high * s, 0.5 * long + high * c]);
    }
    profile.push([0.0, 0.5 * long + high]);
    Ok(profile)
}

/// A straight pipe with a wall, along the z axis with its centre at the origin: `4 * segments`
/// quads. Closed.
///
/// # Errors
/// `BadParameter` unless `0 < inner < outer`, the length is a positive number and there are at
/// least 3 segments.
pub fn tube(outer: f64, inner: f64, length: f64, segments: usize) -> Result<Mesh, Error> {
    revolve(&tube_profile(outer, inner, length)?, segments)
}

/// The profile of [`tube`].
pub fn tube_profile(outer: f64, inner: f64, long: f64) -> Result<Vec<[f64; 2]>, Error> {
    length("the tube's outer radius", outer)?;
    length("the tube's inner radius", inner)?;
    length("the tube's length", long)?;
    if inner >= outer {
        return Err(bad(format!(
            "the tube's inner radius {inner} must be below its outer radius {outer}"
        )));
    }
    let h = 0.5 * long;
    Ok(vec![[outer, -h], [outer, h], [inner, h], [inner, -h], [outer, -h]])
}

/// The wall of a cylinder without its ends, along the z axis with its centre at the origin:
/// `segments` rectangles. Open.
///
/// # Errors
/// `BadParameter` unless both lengths are positive numbers and there are at least 3 segments.
pub fn open_cylinder(radius: f64, height: f64, segments: usize) -> Result<Mesh, Error> {
    length("the cylinder's radius", radius)?;
    length("the cylinder's height", height)?;
    count("the number of segments", segments, 3)?;
    let mut surface = Surface::new();
    let rings = [-0.5, 0.5].map_each(|share| {
        let z = share * height;
        surface.ring(
            unit_circle(segments).into_iter().map(|[x, y]| Vec3::new(x * radius, y * radius, z)),
        )
    });
    surface.skin(&rings);
    surface.finish()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn solids_of_revolution_are_closed_and_approach_their_volumes() {
        let n = 256;
        // An n-gon has this share of its circle's area.
        let share = (2.0 * PI / n as f64).sin() * n as f64 / (2.0 * PI);
        let cases = [
            (cylinder(2.0, 3.0, n), 12.0 * PI * share),
            (cone(2.0, 3.0, n), 4.0 * PI * share),
            (tube(2.0, 1.0, 3.0, n), 9.0 * PI * share),
        ];
        for (mesh, exact) in cases {
            let mesh = mesh.unwrap();
            assert_eq!(assert_closed(&mesh), 1);
            assert!((volume(&mesh) / exact - 1.0).abs() < 1e-12);
        }
        let pill = capsule(1.0, 2.0, n, 64).unwrap();
        assert_eq!(assert_closed(&pill), 1);
        assert!((volume(&pill) / (2.0 * PI + 4.0 * PI / 3.0) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn counts_are_as_documented_and_faces_planar() {
        let solid = revolve_surface(&capsule_profile(1.0, 1.0, 2.0, 3).unwrap(), 8).unwrap();
        assert_eq!(solid.polygon_count(), 8 * 7);
        assert_planar(&solid);
        let wall = open_cylinder(1.0, 2.0, 6).unwrap();
        assert_sound(&wall);
        assert_eq!((wall.vertices().len(), wall.triangles().len()), (12, 12));
        assert_eq!(tube(2.0, 1.0, 1.0, 5).unwrap().triangles().len(), 40);
    }

    #[test]
    fn either_direction_of_the_profile_gives_an_outward_surface() {
        let profile = [[0.0, 0.0], [2.0, 1.0], [1.0, 3.0]];
        let mut reversed = profile;
        reversed.reverse();
        for p in [profile, reversed] {
            assert_closed(&revolve(&p, 9).unwrap());
        }
        let mut ring = tube_profile(2.0, 1.0, 1.0).unwrap();
        ring.reverse();
        assert_closed(&revolve(&ring, 9).unwrap());
        assert_eq!(refine(&profile, 2)[1], [1.0, 0.5]);
        assert_eq!(refine(&profile, 3).len(), 7);
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert_bad(revolve(&[[1.0, 0.0]], 8), "points of the profile is 1");
        assert_bad(revolve(&[[1.0, 0.0], [1.0, 0.0]], 8), "closed profile");
        assert_bad(revolve(&[[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 2.0]], 8), "the same");
        assert_bad(revolve(&[[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]], 8), "point 1");
        assert_bad(revolve(&[[1.0, 0.0], [-1.0, 1.0]], 8), "point 1");
        assert_bad(revolve(&[[1.0, 0.0], [f64::NAN, 1.0]], 8), "radius is NaN");
        assert_bad(revolve(&[[1.0, 0.0], [2.0, 0.0]], 8), "no volume");
        assert_bad(revolve(&[[1.0, 0.0], [2.0, 1.0]], 2), "segments is 2");
        assert_bad(cylinder(1.0, 0.0, 8), "height is 0");
        assert_bad(cone(f64::NAN, 1.0, 8), "radius is NaN");
        assert_bad(tube(1.0, 1.0, 1.0, 8), "below its outer");
        assert_bad(capsule(1.0, 1.0, 8, 0), "half ball");
        assert_bad(open_cylinder(1.0, 1.0, 0), "segments is 0");
    }

    #[test]
    fn extreme_sizes_stay_closed() {
        for size in [1e-50, 0.5e50] {
            assert_closed(&cylinder(size, size, 5).unwrap());
            assert_closed(&capsule(size, size, 3, 1).unwrap());
        }
    }
}
