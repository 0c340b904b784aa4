//! Where a search begins that knows nothing of a pair: about where the bodies would be closest if
//! they were ellipsoids.
//!
//! A body is taken for the ellipsoid with its second moments: the points `Σ n / √(n . Σ n)` with
//! the normals `n`. The Minkowski difference of two ellipsoids is none, but hardly larger than it
//! is one with the matrix `Σ_A / σ_A + Σ_B / σ_B` times the sum of `σ_A` and `σ_B`, sizes of the
//! bodies, here the roots of the traces (Kurzhanski & Vályi 1997, "Ellipsoidal Calculus for
//! Estimation and Control", section 2.2). Let `M` be that matrix without the factor, which then is
//! its trace, and `c` the vector between the middles: the normal where the ellipsoid meets the line
//! of the middles is `n` with `M n = c`, and `c . n` over the trace, the *square*, is less than one
//! if the ellipsoids overlap.
//!
//! One corner there is a poor simplex to go on from: the second and the third would be asked for in
//! directions that know of one and two corners only. Three directions around the normal are asked
//! for at once, which takes little more time than one, because none waits for another. They are as
//! far from the normal as the ellipsoid is round: measured by `M`, where those across from `n` are
//! the ones across from `c`.
//!
//! Nothing is proven here. A bad start costs steps.

use glam::{DMat3, Mat3A, Vec3A};

use super::rough::Rough;
use crate::convex::Hull;
use crate::math::Vec3;

/// By so much of its size even a flat body is taken to be thick.
const THICKNESS: f64 = 1e-3;

/// Bodies of less volume, in the unit in which all vertices are within one, have the moments of
/// their vertices.
const FLAT: f64 = 1e-6;

/// The square of the distance of middles, in the unit of the search, that is too small to tell a
/// direction.
const CONCENTRIC: f32 = 1e-12;

/// Below this square bodies overlap, most likely; `docs/notes/convex.md` has what was measured.
const DEEP: f32 = 0.85;

/// Above this square bodies are so far apart that the closest points of ellipsoids are nowhere near
/// the line of the middles.
const FAR: f32 = 2.0;

/// The second moments of a hull about the middle of its box, divided by the root of their trace.
/// `local` are its vertices, from that middle, none further than one.
pub(super) fn spread(hull: &Hull, local: &[Vec3]) -> Mat3A {
    let (mut moments, mut volume) = (DMat3::ZERO, 0.0);
    for face in hull.faces() {
        for k in 2..face.len() {
            let [p, q, r] = [face[0], face[k - 1], face[k]].map(|v| local[v as usize]);
            // A tetrahedron with the middle has the moments of its sides' middles across from that,
            // times 3/5, which is that of a ball to its surface.
            let part = p.dot(q.cross(r)) / 3.0;
            for side in [p + q, q + r, r + p] {
                moments += square(side * 0.5) * part;
            }
            volume += part * 3.0;
        }
    }
    if volume > FLAT { sized(moments * (1.0 / volume)) } else { spread_of_points(local) }
}

/// The same of points.
pub(super) fn spread_of_points(local: &[Vec3]) -> Mat3A {
    let moments = local.iter().fold(DMat3::ZERO, |sum, p| sum + square(*p));
    sized(moments * (1.0 / local.len() as f64))
}

fn square(p: Vec3) -> DMat3 {
    DMat3::from_cols(p * p.x, p * p.y, p * p.z)
}

fn sized(moments: DMat3) -> Mat3A {
    let size = trace(&moments).sqrt().max(THICKNESS);
    let thick = DMat3::from_diagonal(Vec3::splat(THICKNESS * size));
    Mat3A::from((moments * (1.0 / size) + thick).as_mat3())
}

fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// Two ellipsoids.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// The matrix `M`.
    m: Mat3A,
    /// From the middle of A to that of B.
    c: Vec3A,
    /// Where the ellipsoids would touch, towards B, of any length.
    pub(super) normal: Vec3A,
    /// The determinant of `M`.
    whole: f32,
    /// `normal . c`
    height: f32,
    /// The height at which the ellipsoids would touch.
    touch: f32,
}

impl Start {
    #[inline(always)]
    pub(super) fn new(rough: &Rough<'_>) -> Self {
        let (a, b) = (rough.query.a, rough.query.b);
        let m = a.spread * rough.scale + rough.turn * b.spread * rough.back;
        let far = Vec3A::splat(rough.between.length_squared()).cmpgt(Vec3A::splat(CONCENTRIC));
        let c = Vec3A::select(far, rough.between, Vec3A::X);
        // The inverse of M times its determinant is as good as the inverse.
        let x = m.y_axis.cross(m.z_axis);
        let inverse = Mat3A::from_cols(x, m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis));
        let normal = inverse * c;
        let whole = x.dot(m.x_axis);
        let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
        Self { m, c, normal, whole, height: normal.dot(c), touch: 3.0 * trace * whole }
    }

    /// Whether the bodies overlap, most likely.
    #[inline(always)]
    pub(super) fn is_deep(&self) -> bool {
        self.height < DEEP * self.touch
    }

    /// Whether the bodies are far apart for their size.
    #[inline(always)]
    pub(super) fn is_far(&self) -> bool {
        self.height > FAR * self.touch
    }

    /// The direction in which the ellipsoids are closest if they are far apart: the normal of
    /// `M + λ` where that meets the line of the middles, with `λ` as for balls.
    #[inline(always)]
    pub(super) fn distant(&self) -> Vec3A {
        let (m, c) = (self.m, self.c);
        let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let part = self.touch / self.height;
        let more = c.length_squared() / (3.0 * trace) * (part.sqrt() - part);
        self.normal + (c * (trace + more) - m * c) * more
    }

    /// Three directions around the normal, `tilt` of its length away from it.
    #[inline(always)]
    pub(super) fn around(&self, tilt: f32) -> [Vec3A; 3] {
        let (c, normal) = (self.c, self.normal);
        let size = c.abs();
        let flat = Vec3A::splat(size.x).cmplt(Vec3A::splat(size.y));
        let along = Vec3A::select(flat, Vec3A::new(0.0, c.z, -c.y), Vec3A::new(-c.z, 0.0, c.x));
        let image = self.m * along;
        // Across from both by M: the square of its length is that of the other times the height.
        let across = c.cross(image);
        // Nothing at all for two points.
        let square = along.dot(image).max(f32::MIN_POSITIVE);
        let length = tilt * (self.whole / square).sqrt();
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

    fn start(a: &Hull, b: &Hull, pose: &Pose) -> Start {
        Start::new(&Rough::new(&Query::new(a, b, pose)))
    }

    #[test]
    fn moments_are_those_of_the_solid() {
        let mut random = Random::new(41);
        let radii = Vec3::new(0.9, 0.6, 0.3);
        let hull = ellipsoid(&mut random, radii);
        let known = DMat3::from_diagonal(radii * radii / 3.0);
        let found = spread(&hull, hull.vertices());
        assert!(found.abs_diff_eq(sized(known), 0.02), "{found:?} {:?}", sized(known));
        // However unevenly the vertices lie.
        let corner = |k: u32| Vec3::from([k & 1, k >> 1 & 1, k >> 2].map(f64::from)) - 0.5;
        let mut points: Vec<Vec3> = (0..8).map(corner).collect();
        let cube = Hull::new(&points).unwrap();
        let cube = spread(&cube, cube.vertices());
        points.extend((0..500).map(|_| Vec3::splat(0.49) + random.in_cube() * 0.01));
        let uneven = Hull::new(&points).unwrap();
        let found = spread(&uneven, uneven.vertices());
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
            assert_eq!(found.is_deep(), found.height / found.touch < DEEP);
            assert!((found.height / found.touch - away.length_squared() as f32 / 4.0).abs() < 0.05);
            // Crossed rods meet across both, wherever their middles are.
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
            for d in found.around(0.4) {
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
                    let far = if found.is_far() { found.distant() } else { Vec3A::ZERO };
                    for d in found.around(0.4).into_iter().chain([found.normal, far]) {
                        assert!(d.is_finite(), "{found:?}");
                    }
                }
            }
        }
    }
}
