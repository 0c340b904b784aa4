//! The tetra-flake: a tetrahedron with a smaller one on every face, recursively.
//!
//! The "very non-convex" object of Zachmann 1994, sections 3.6 and 8.1. A level puts a tetrahedron
//! of half the size on the middle of each newest face, so its polygon counts 4, 16, 52, ... grow
//! threefold. Here each face with a smaller tetrahedron is cut into three trapezoids around it,
//! which keeps the surface closed: 4, 24, 84, ...

use impinge::Error;
use impinge::internals::shapes::builder::Surface;
use impinge::internals::shapes::params::{bad, length};
use impinge::internals::shapes::solids::{TETRAHEDRON_FACES, tetrahedron_corners};
use impinge::mesh::Mesh;

/// The highest level of a [`tetra_flake`]: about 6 million polygons.
pub const MAX_FLAKE_LEVEL: usize = 12;

/// A tetra-flake around the origin. The corners of its first tetrahedron are at distance `radius`.
///
/// Level 0 is the tetrahedron. `10 * 3^level - 6` polygons: `4 * 3^level` triangles and the
/// trapezoids between them. Closed and free of self-intersections.
///
/// ```
/// let flake = impinge_samples::shapes::tetra_flake(1.0, 2)?;
/// assert_eq!(flake.triangles().len(), 36 + 2 * 48);
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// `BadParameter` unless the radius is a positive number and the level at most [`MAX_FLAKE_LEVEL`].
pub fn tetra_flake(radius: f64, level: usize) -> Result<Mesh, Error> {
    if level > MAX_FLAKE_LEVEL {
        return Err(bad(format!(
            "the flake's level is {level}: it must lie from 0 to {MAX_FLAKE_LEVEL}"
        )));
    }
    let power = (0..level).fold(1, |p, _| 3 * p);
    flake_surface(radius, 2 * (power - 1))?.finish()
}

/// The flake with the given number of tetrahedra on the first, level by level: `4 + 5 * tips`
/// polygons.
pub(super) fn flake_surface(radius: f64, tips: usize) -> Result<Surface, Error> {
    length("the flake's radius", radius)?;
    let mut surface = Surface::new();
    let corners = tetrahedron_corners().map(|c| surface.vertex(c * radius));
    // Faces in the order of creation. The first `tips` of them get a tetrahedron.
    let mut faces =
        std::collections::VecDeque::from(TETRAHEDRON_FACES.map(|f| f.map(|i| corners[i])));
    for _ in 0..tips {
        let Some(face) = faces.pop_front() else { break };
        let [a, b, c] = face.map(|v| surface.vertices()[v as usize]);
        let middle = (a + b + c) / 3.0;
        let base = [a, b, c].map(|p| surface.vertex(middle + (p - middle) * 0.5));
        // The height of a regular tetrahedron is sqrt(2/3) times its edge; twice the area of a face
        // is sqrt(3)/2 times the squared edge.
        let edge = a.distance(b) * 0.5;
        let up = ((b - a) / edge).cross((c - a) / edge).normalize();
        let tip = surface.vertex(middle + up * (edge * (2.0_f64 / 3.0).sqrt()));
        for i in 0..3 {
            let k = (i + 1) % 3;
            surface.polygon([face[i], face[k], base[k], base[i]]);
            faces.push_back([base[i], base[k], tip]);
        }
    }
    for face in faces {
        surface.polygon(face);
    }
    Ok(surface)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::shapes::testing::*;
    use impinge::math::Vec3;

    #[test]
    fn levels_are_closed_and_counted() {
        let first = volume(&tetra_flake(1.0, 0).unwrap());
        let mut expected = first;
        let mut newest = 4.0;
        let mut share = 1.0 / 8.0;
        for (level, polygons) in [4, 24, 84, 264, 804].into_iter().enumerate() {
            let power = 3_usize.pow(u32::try_from(level).unwrap());
            let surface = flake_surface(1.0, 2 * (power - 1)).unwrap();
            assert_eq!(surface.polygon_count(), polygons);
            assert_planar(&surface);
            let mesh = tetra_flake(1.0, level).unwrap();
            assert_eq!(assert_closed(&mesh), 1);
            assert!((volume(&mesh) / expected - 1.0).abs() < 1e-12, "{level}");
            assert_eq!(mesh.vertices()[0], tetrahedron_corners()[0]);
            expected += newest * share * first;
            newest *= 3.0;
            share /= 8.0;
        }
    }

    #[test]
    fn no_edge_passes_through_a_face() {
        let mesh = tetra_flake(1.0, 4).unwrap();
        let crossing = |p: Vec3, q: Vec3, [a, b, c]: [Vec3; 3]| {
            let side = |o: Vec3, u: Vec3, v: Vec3, w: Vec3| (u - o).dot((v - o).cross(w - o));
            let (sp, sq) = (side(a, b, c, p), side(a, b, c, q));
            let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
            let tiny = 1e-13;
            sp.abs().min(sq.abs()) > tiny
                && sp * sq < 0.0
                && (turns.iter().all(|t| *t > tiny) || turns.iter().all(|t| *t < -tiny))
        };
        for (i, t) in mesh.triangles().iter().enumerate() {
            for (j, u) in mesh.triangles().iter().enumerate() {
                if i == j || t.iter().any(|v| u.contains(v)) {
                    continue;
                }
                let e = mesh.triangle(j);
                for k in 0..3 {
                    assert!(!crossing(e[k], e[(k + 1) % 3], mesh.triangle(i)), "{i} {j}");
                }
            }
        }
    }

    #[test]
    fn invalid_parameters_are_refused() {
        assert_bad(tetra_flake(1.0, 13), "from 0 to 12");
        assert_bad(tetra_flake(1.0, usize::MAX), "from 0 to 12");
        assert_bad(tetra_flake(0.0, 1), "radius is 0");
        assert_closed(&tetra_flake(1e-50, 2).unwrap());
        assert_closed(&tetra_flake(1e50, 2).unwrap());
    }
}
