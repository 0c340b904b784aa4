//! Pipes: a circle swept along a path.
//!
//! Straight runs have a constant round section and meet in mitred joints: the cross section at a
//! bend is in the plane that bisects the angle. Reflecting the section's frame at that plane gives
//! the frame of the next run without twist, the discrete case of a rotation-minimising frame (W.
//! Wang, B. Juettler, D. Zheng, Y. Liu: Computation of rotation minimizing frames, ACM Trans.
//! Graph. 27(1), 2008, use two such reflections per step on smooth curves).

use std::f64::consts::PI;

use super::builder::Surface;
use super::circle::unit_circle;
use super::params::{bad, coordinate, count, length, total};
use crate::error::Error;
use crate::math::Vec3;
use crate::mesh::Mesh;

/// The sharpest bend of a pipe: the cosine of the angle between the directions before and after it.
///
/// About 151 degrees; a sharper bend has a mitre that extends by more than four radii.
const MIN_BEND_COSINE: f64 = -0.875;

/// A pipe of the given radius along `path`, with its ends closed by flat polygons.
///
/// `segments * (points - 1) + 2` planar polygons, closed. Every run has the full radius: its edges
/// are parallel to the path. A run that is shorter than its mitres makes the pipe intersect itself;
/// that is not detected.
///
/// ```
/// use impinge::{Vec3, shapes::pipe};
///
/// let elbow = pipe(&[Vec3::ZERO, Vec3::X * 4.0, Vec3::new(4.0, 3.0, 0.0)], 0.5, 16)?;
/// assert_eq!(elbow.vertices().len(), 3 * 16);
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// `BadParameter` unless the path has at least 2 points, all finite and different from their
/// neighbours, no bend is sharper than 150 degrees, the radius is a positive number and there are
/// at least 3 segments.
pub fn pipe(path: &[Vec3], radius: f64, segments: usize) -> Result<Mesh, Error> {
    pipe_surface(path, radius, segments)?.finish()
}

/// The surface of the mesh that [`pipe`] makes.
pub fn pipe_surface(path: &[Vec3], radius: f64, segments: usize) -> Result<Surface, Error> {
    length("the pipe's radius", radius)?;
    count("the number of segments", segments, 3)?;
    count("the number of points of the path", path.len(), 2)?;
    total("pipe", &[segments, path.len()])?;
    for p in path {
        for c in p.to_array() {
            coordinate("a coordinate of the path", c)?;
        }
    }
    let mut directions = Vec::with_capacity(path.len() - 1);
    for (i, run) in path.windows(2).enumerate() {
        // Scaled first, so that the squares of huge or tiny components neither overflow nor
        // underflow.
        let step = run[1] - run[0];
        let scale = step.abs().max_element();
        if scale == 0.0 {
            return Err(bad(format!("points {i} and {} of the path are the same", i + 1)));
        }
        directions.push((step / scale).normalize());
    }
    let circle = unit_circle(segments);
    let first = directions[0];
    let mut u = perpendicular(first);
    let mut v = first.cross(u);
    let mut surface = Surface::new();
    let mut rings = Vec::with_capacity(path.len());
    for (i, p) in path.iter().enumerate() {
        let before = directions[i.saturating_sub(1)];
        let after = directions[i.min(directions.len() - 1)];
        let turn = before.dot(after);
        if turn < MIN_BEND_COSINE {
            return Err(bad(format!(
                "the path bends back at point {i} by {:.0} degrees: at most 150 are allowed, round the bend with more points",
                turn.clamp(-1.0, 1.0).acos() * 180.0 / PI
            )));
        }
        let half = (before + after).normalize();
        let ring = circle.iter().map(|[x, y]| {
            let o = (u * *x + v * *y) * radius;
            // Projected along the previous run into the plane that bisects the angle.
            *p + (o - before * (o.dot(half) / before.dot(half)))
        });
        rings.push(surface.ring(ring));
        u = reflect(u, half);
        // Corrects the rounding errors that accumulate over many bends.
        u = (u - after * u.dot(after)).normalize();
        v = after.cross(u);
    }
    surface.capped_skin(&rings);
    Ok(surface)
}

fn reflect(v: Vec3, normal: Vec3) -> Vec3 {
    v - normal * (2.0 * v.dot(normal))
}

/// A unit vector at right angles to `d`: an axis if `d` is along one.
fn perpendicular(d: Vec3) -> Vec3 {
    let size = d.abs();
    let axis = if size.x <= size.y && size.x <= size.z {
        Vec3::X
    } else if size.y <= size.z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    (axis - d * axis.dot(d)).normalize()
}

/// `corners` with every inner corner replaced by an arc of `steps` chords that touches both its
/// runs.
///
/// The arc replaces as much of either run as `radius` requires, but at most 0.45 of the shorter
/// run. Corners without a bend are unchanged, and so are all corners unless `radius` is positive
/// and `steps` at least 1. The result is a path for [`pipe`], which checks it.
#[must_use]
pub fn round_corners(corners: &[Vec3], radius: f64, steps: usize) -> Vec<Vec3> {
    let mut path = Vec::with_capacity(corners.len() * (steps + 1));
    for (i, c) in corners.iter().enumerate() {
        if i == 0 || i + 1 == corners.len() {
            path.push(*c);
            continue;
        }
        let (backward, forward) = (corners[i - 1] - *c, corners[i + 1] - *c);
        let (b, a) = (backward.normalize_or_zero(), forward.normalize_or_zero());
        let cos = b.dot(a).clamp(-1.0, 1.0);
        let half_angle = 0.5 * cos.acos();
        if steps == 0
            || radius.is_nan()
            || radius <= 0.0
            || half_angle.cos() < 1e-9
            || half_angle < 1e-9
        {
            path.push(*c);
            continue;
        }
        let room = 0.45 * backward.length().min(forward.length());
        let cut = (radius / half_angle.tan()).min(room);
        let r = cut * half_angle.tan();
        let middle = *c + (b + a).normalize() * (r / half_angle.sin());
        let start = (*c + b * cut - middle) / r;
        let sweep = PI - 2.0 * half_angle;
        for k in 0..=steps {
            let (sin, cos) = (sweep * k as f64 / steps as f64).sin_cos();
            path.push(middle + (start * cos - b * sin) * r);
        }
    }
    path
}

/// A coil spring about the z axis with its centre at the origin: a [`pipe`] along a helix. Closed.
///
/// `radius` is that of the helix, `pitch` the rise of one turn, `steps` the number of straight runs
/// per turn. The wire has radius `wire` and `segments` sides: `segments * ceil(turns * steps) + 2`
/// polygons in all.
///
/// # Errors
/// `BadParameter` unless `0 < wire < radius`, `2 * wire < pitch`, `0 < turns <= 10000`, there are
/// at least 6 steps per turn and at least 3 segments.
pub fn coil(
    radius: f64,
    wire: f64,
    pitch: f64,
    turns: f64,
    steps: usize,
    segments: usize,
) -> Result<Mesh, Error> {
    coil_surface([radius, wire, pitch], turns, steps, segments)?.finish()
}

/// The surface of the mesh that [`coil`] makes.
pub fn coil_surface(
    [radius, wire, pitch]: [f64; 3],
    turns: f64,
    steps: usize,
    segments: usize,
) -> Result<Surface, Error> {
    length("the coil's radius", radius)?;
    length("the coil's wire radius", wire)?;
    length("the coil's pitch", pitch)?;
    count("the number of steps of a turn", steps, 6)?;
    if wire >= radius || 2.0 * wire >= pitch {
        return Err(bad(format!(
            "the coil's wire radius {wire} must be below its radius {radius} and below half its pitch {pitch}"
        )));
    }
    if !(turns > 0.0 && turns <= 10_000.0) {
        return Err(bad(format!(
            "the coil has {turns} turns: more than 0 and at most 10000 are allowed"
        )));
    }
    let runs = (turns * steps as f64).ceil() as usize;
    total("coil", &[runs, segments])?;
    let path: Vec<Vec3> = (0..=runs)
        .map(|i| {
            let t = turns * (i as f64 / runs as f64);
            let (sin, cos) = (t * 2.0 * PI).sin_cos();
            Vec3::new(radius * cos, radius * sin, pitch * (t - 0.5 * turns))
        })
        .collect();
    pipe_surface(&path, wire, segments)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn a_straight_pipe_is_a_cylinder() {
        let surface = pipe_surface(&[Vec3::ZERO, Vec3::Z, Vec3::Z * 4.0], 0.5, 12).unwrap();
        assert_eq!(surface.polygon_count(), 26);
        assert_planar(&surface);
        let mesh = surface.finish().unwrap();
        assert_eq!(assert_closed(&mesh), 1);
        let section = 0.25 * 6.0 * (PI / 6.0).sin();
        assert!((volume(&mesh) - 4.0 * section).abs() < 1e-12);
    }

    #[test]
    fn bends_keep_the_radius_of_every_run_and_planar_faces() {
        let path =
            [[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [5.0, 4.0, 1.0], [1.0, 6.0, 5.0], [0.0, 0.0, 9.0]]
                .map(Vec3::from);
        let surface = pipe_surface(&path, 0.5, 16).unwrap();
        assert_planar(&surface);
        for (run, ends) in path.windows(2).enumerate() {
            let d = (ends[1] - ends[0]).normalize();
            for v in &surface.vertices()[run * 16..(run + 2) * 16] {
                let o = *v - ends[0];
                assert!(((o - d * o.dot(d)).length() - 0.5).abs() < 1e-12);
            }
        }
        assert_eq!(assert_closed(&surface.finish().unwrap()), 1);
    }

    #[test]
    fn rounded_corners_touch_their_runs() {
        let corners = [Vec3::ZERO, Vec3::X * 10.0, Vec3::new(10.0, 10.0, 0.0)];
        let path = round_corners(&corners, 2.0, 8);
        assert_eq!(path.len(), 11);
        assert!(path[1].distance(Vec3::X * 8.0) < 1e-12);
        assert!(path[9].distance(Vec3::new(10.0, 2.0, 0.0)) < 1e-12);
        let middle = Vec3::new(8.0, 2.0, 0.0);
        assert!(path[1..10].iter().all(|p| (p.distance(middle) - 2.0).abs() < 1e-12));
        let straight = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
        assert_eq!(round_corners(&straight, 1.0, 4), straight);
        for radius in [0.0, -1.0, f64::NAN] {
            assert_eq!(round_corners(&corners, radius, 4), corners);
        }
        assert_closed(&pipe(&path, 0.5, 8).unwrap());
    }

    #[test]
    fn coils_are_closed_and_have_their_wire_s_volume() {
        let mesh = coil(3.0, 0.5, 1.5, 4.5, 48, 16).unwrap();
        assert_eq!(assert_closed(&mesh), 1);
        let path = 4.5 * ((2.0 * PI * 3.0_f64).powi(2) + 1.5 * 1.5).sqrt();
        assert!((volume(&mesh) / (path * PI * 0.25) - 1.0).abs() < 0.04);
        assert_eq!(mesh.triangles().len(), 2 * (16 * 216) + 2 * 14);
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        let line = [Vec3::ZERO, Vec3::X];
        assert_bad(pipe(&line[..1], 1.0, 8), "points of the path is 1");
        assert_bad(pipe(&[Vec3::X, Vec3::X], 1.0, 8), "the same");
        assert_bad(pipe(&[Vec3::ZERO, Vec3::X, Vec3::ZERO], 1.0, 8), "bends back");
        assert_bad(pipe(&[Vec3::ZERO, Vec3::NAN], 1.0, 8), "coordinate");
        assert_bad(pipe(&line, 0.0, 8), "radius is 0");
        assert_bad(pipe(&line, 1.0, 2), "segments is 2");
        assert_bad(coil(1.0, 1.0, 3.0, 2.0, 12, 8), "wire radius");
        assert_bad(coil(1.0, 0.1, 0.2, 2.0, 12, 8), "half its pitch");
        assert_bad(coil(1.0, 0.1, 0.3, f64::NAN, 12, 8), "NaN turns");
        assert_bad(coil(1.0, 0.1, 0.3, 1.0, 5, 8), "steps of a turn is 5");
        assert_bad(coil(1.0, 0.1, 0.3, 9000.0, 1 << 20, 8), "polygons");
        assert_closed(&pipe(&[Vec3::ZERO, Vec3::X * 1e50], 1e49, 5).unwrap());
        assert_closed(&pipe(&[Vec3::ZERO, Vec3::X * 1e-49], 1e-50, 5).unwrap());
    }
}
