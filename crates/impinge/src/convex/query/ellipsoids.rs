//! Where a search without a cache starts: approximately where the bodies would be closest if they
//! were ellipsoids.
//!
//! A body is approximated by the ellipsoid with its second moments: the points `Σ n / √(n . Σ n)`
//! for the normals `n`. The Minkowski difference of two ellipsoids is not an ellipsoid, but it is
//! hardly larger than the one with the matrix `Σ_A / σ_A + Σ_B / σ_B` times the sum of `σ_A` and
//! `σ_B`, where `σ` is the size of a body, here the root of the trace (Kurzhanski & Vályi 1997,
//! "Ellipsoidal Calculus for Estimation and Control", section 2.2). Let `M` be that matrix without
//! the factor, which then is its trace, and `c` the vector between the centers. The normal where
//! the ellipsoid meets the line of the centers is `n` with `M n = c`, and `c . n` over the trace,
//! the *square*, is less than one if the ellipsoids overlap.
//!
//! A single corner there is a poor simplex to start from: the directions of the second and the
//! third corner would depend on one and two corners only. Instead three directions around the
//! normal are evaluated at once. That takes little more time than one, because none depends on
//! another. Their distance from the normal is measured by `M`, so that it fits the shape of the
//! ellipsoid: by `M`, the directions perpendicular to `n` are those perpendicular to `c`.
//!
//! Nothing is proven here. A bad start only costs steps.

use glam::{DMat3, Mat3A, Vec3A};

use super::search_f32::QueryF32;
use crate::convex::Hull;
use crate::math::Vec3;

/// The least thickness of a body, relative to its size; a flat body is taken to be this thick.
const MIN_THICKNESS: f64 = 1e-3;

/// Below this volume the moments of the vertices are used instead of those of the solid. In the
/// unit in which all vertices are within one.
const MIN_VOLUME: f64 = 1e-6;

/// Below this squared distance of the centers, in the unit of the search, their offset gives no
/// direction.
const MIN_SQUARED_OFFSET: f32 = 1e-12;

/// Below this *square* (see the module) the bodies most likely overlap; the measurements are in
/// `docs/notes/convex.md`.
const MAX_OVERLAP_SQUARE: f32 = 0.85;

/// Above this *square* the bodies are so far apart that the closest points of the ellipsoids do not
/// lie near the line of the centers.
const MIN_FAR_SQUARE: f32 = 2.0;

/// The second moments of a hull about the center of its box, divided by the root of their trace.
/// `local` are its vertices relative to that center, at most one long.
pub(super) fn moments_of_hull(hull: &Hull, local: &[Vec3]) -> Mat3A {
    let (mut moments, mut volume) = (DMat3::ZERO, 0.0);
    for face in hull.faces() {
        for k in 2..face.len() {
            let [p, q, r] = [face[0], face[k - 1], face[k]].map(|v| local[v as usize]);
            // The tetrahedron of this triangle and the center has the moments of the midpoints of
            // the triangle's sides times 3/5. That factor is the one from the surface of a ball to
            // the solid; it is left out, because the ellipsoid is given by its surface.
            let part = p.dot(q.cross(r)) / 3.0;
            for side in [p + q, q + r, r + p] {
                moments += outer_square(side * 0.5) * part;
            }
            volume += part * 3.0;
        }
    }
    if volume > MIN_VOLUME {
        normalized(moments * (1.0 / volume))
    } else {
        moments_of_points(local)
    }
}

/// The same for a set of points.
pub(super) fn moments_of_points(local: &[Vec3]) -> Mat3A {
    let moments = local.iter().fold(DMat3::ZERO, |sum, p| sum + outer_square(*p));
    normalized(moments * (1.0 / local.len() as f64))
}

fn outer_square(p: Vec3) -> DMat3 {
    DMat3::from_cols(p * p.x, p * p.y, p * p.z)
}

fn normalized(moments: DMat3) -> Mat3A {
    let size = trace(&moments).sqrt().max(MIN_THICKNESS);
    let min_moments = DMat3::from_diagonal(Vec3::splat(MIN_THICKNESS * size));
    Mat3A::from((moments * (1.0 / size) + min_moments).as_mat3())
}

fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// Two ellipsoids in place of two bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ellipsoids {
    /// The matrix `M`.
    m: Mat3A,
    /// From the center of A to the center of B.
    c: Vec3A,
    /// The normal where the ellipsoids would touch, from A to B, of any length.
    pub(super) normal: Vec3A,
    /// The determinant of `M`.
    determinant: f32,
    /// `normal . c`
    height: f32,
    /// The value of `height` at which the ellipsoids would touch.
    touching_height: f32,
}

impl Ellipsoids {
    #[inline(always)]
    pub(super) fn new(rough: &QueryF32<'_>) -> Self {
        let (a, b) = (rough.query.a, rough.query.b);
        let m = a.moments * rough.scale_a + rough.linear_b * b.moments * rough.rotation_to_b;
        let far = Vec3A::splat(rough.center_offset.length_squared())
            .cmpgt(Vec3A::splat(MIN_SQUARED_OFFSET));
        let c = Vec3A::select(far, rough.center_offset, Vec3A::X);
        // Only the direction matters, so the adjugate replaces the inverse of M.
        let x = m.y_axis.cross(m.z_axis);
        let adjugate = Mat3A::from_cols(x, m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis));
        let normal = adjugate * c;
        let determinant = x.dot(m.x_axis);
        let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
        Self {
            m,
            c,
            normal,
            determinant,
            height: normal.dot(c),
            touching_height: 3.0 * trace * determinant,
        }
    }

    /// Whether the bodies most likely overlap.
    #[inline(always)]
    pub(super) fn likely_overlaps(&self) -> bool {
        self.height < MAX_OVERLAP_SQUARE * self.touching_height
    }

    /// Whether the bodies are far apart for their size.
    #[inline(always)]
    pub(super) fn is_far(&self) -> bool {
        self.height > MIN_FAR_SQUARE * self.touching_height
    }

    /// The direction in which the ellipsoids are closest if they are far apart: the normal of `M +
    /// λ` where that ellipsoid meets the line of the centers, with the `λ` of balls.
    #[inline(always)]
    pub(super) fn far_normal(&self) -> Vec3A {
        let (m, c) = (self.m, self.c);
        let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let ratio = self.touching_height / self.height;
        let lambda = c.length_squared() / (3.0 * trace) * (ratio.sqrt() - ratio);
        self.normal + (c * (trace + lambda) - m * c) * lambda
    }

    /// Three directions around the normal, each `tilt` times its length away from it, measured by
    /// `M`.
    #[inline(always)]
    pub(super) fn directions_around(&self, tilt: f32) -> [Vec3A; 3] {
        let (c, normal) = (self.c, self.normal);
        let size = c.abs();
        let flat = Vec3A::splat(size.x).cmplt(Vec3A::splat(size.y));
        let along = Vec3A::select(flat, Vec3A::new(0.0, c.z, -c.y), Vec3A::new(-c.z, 0.0, c.x));
        let image = self.m * along;
        // Perpendicular to both by M: its square is that of `along` times the height.
        let across = c.cross(image);
        // Zero for two points.
        let square = along.dot(image).max(f32::MIN_POSITIVE);
        let length = tilt * (self.determinant / square).sqrt();
        let (along, across) = (along * (length * self.height.sqrt()), across * (length * 0.866));
        let back = normal - along * 0.5;
        [normal + along, back + across, back - across]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::query::gjk::Query;
    use crate::math::{Pose, Random};

    fn ellipsoid(random: &mut Random, radii: Vec3) -> Hull {
        let points: Vec<Vec3> = (0..1500).map(|_| random.direction() * radii).collect();
        Hull::new(&points).unwrap()
    }

    fn start(a: &Hull, b: &Hull, pose: &Pose) -> Ellipsoids {
        Ellipsoids::new(&QueryF32::new(&Query::new(a, b, pose)))
    }

    #[test]
    fn moments_are_those_of_the_solid() {
        let mut random = Random::new(41);
        let radii = Vec3::new(0.9, 0.6, 0.3);
        let hull = ellipsoid(&mut random, radii);
        let known = DMat3::from_diagonal(radii * radii / 3.0);
        let found = moments_of_hull(&hull, hull.vertices());
        assert!(found.abs_diff_eq(normalized(known), 0.02), "{found:?} {:?}", normalized(known));
        // Independent of how the vertices are distributed.
        let corner = |k: u32| Vec3::from([k & 1, k >> 1 & 1, k >> 2].map(f64::from)) - 0.5;
        let mut points: Vec<Vec3> = (0..8).map(corner).collect();
        let cube = Hull::new(&points).unwrap();
        let cube = moments_of_hull(&cube, cube.vertices());
        points.extend((0..500).map(|_| Vec3::splat(0.49) + random.in_cube() * 0.01));
        let uneven = Hull::new(&points).unwrap();
        let found = moments_of_hull(&uneven, uneven.vertices());
        assert!(found.abs_diff_eq(cube, 0.01), "{found:?} {cube:?}");
    }

    #[test]
    fn the_start_is_where_balls_and_rods_touch() {
        let mut random = Random::new(42);
        let ball = ellipsoid(&mut random, Vec3::ONE);
        let rod = ellipsoid(&mut random, Vec3::new(1.0, 0.1, 0.1));
        for round in 0..100 {
            let away = random.direction() * random.range(0.2, 1.9);
            let turn = random.rotation();
            let pose = Pose::from_quaternion(turn.to_array(), away).unwrap();
            let found = start(&ball, &ball, &pose);
            assert!(
                found.normal.normalize().as_dvec3().distance(away.normalize()) < 0.1,
                "{round}"
            );
            assert_eq!(
                found.likely_overlaps(),
                found.height / found.touching_height < MAX_OVERLAP_SQUARE
            );
            assert!(
                (found.height / found.touching_height - away.length_squared() as f32 / 4.0).abs()
                    < 0.05
            );
            // Crossed rods touch along the normal to both, wherever their centers are.
            let pose = Pose::from_matrix([
                [0.0, 1.0, 0.0, random.range(-0.4, 0.4)],
                [1.0, 0.0, 0.0, random.range(-0.4, 0.4)],
                [0.0, 0.0, -1.0, 0.2],
            ]);
            let found = start(&rod, &rod, &pose.unwrap());
            assert!(found.normal.normalize().z > 0.95, "{found:?}");
        }
    }

    #[test]
    fn directions_surround_the_normal() {
        let mut random = Random::new(43);
        let a = ellipsoid(&mut random, Vec3::new(1.0, 0.3, 0.05));
        let b = ellipsoid(&mut random, Vec3::new(2.0, 0.1, 0.7));
        for _ in 0..100 {
            let turn = random.rotation();
            let pose = Pose::from_quaternion(turn.to_array(), random.in_cube()).unwrap();
            let found = start(&a, &b, &pose);
            let square = |v: Vec3A| v.dot(found.m * v);
            let size = square(found.normal);
            for d in found.directions_around(0.4) {
                let tilt = d - found.normal;
                assert!(tilt.dot(found.c).abs() < 1e-3 * tilt.length() * found.c.length());
                assert!((square(tilt) / size - 0.16).abs() < 2e-3, "{}", square(tilt) / size);
            }
        }
    }

    #[test]
    fn every_body_has_a_start() {
        let line = Hull::new(&[Vec3::ZERO, Vec3::X]).unwrap();
        let point = Hull::new(&[Vec3::Y]).unwrap();
        let square = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE - Vec3::Z]).unwrap();
        for a in [&line, &point, &square] {
            for b in [&line, &point, &square] {
                for z in [0.0, 1e-30, 1e-7, 1e-3, 1.0, 1e6] {
                    let found = start(a, b, &Pose::from_translation([0.0, 0.0, z]).unwrap());
                    let far = if found.is_far() { found.far_normal() } else { Vec3A::ZERO };
                    for d in found.directions_around(0.4).into_iter().chain([found.normal, far]) {
                        assert!(d.is_finite(), "{found:?}");
                    }
                }
            }
        }
    }
}
