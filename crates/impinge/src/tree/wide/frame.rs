//! The local frame of a tree: its origin, its axes and its unit.
//!
//! Boxes fit best along the directions of the mesh's edges. A machine part that was modelled along
//! the axes and stored in an oblique pose has long, thin triangles whose boxes are mostly empty,
//! ten times as large as necessary; a tree in the part's own axes is as good as if the part had
//! been stored along the axes. Scanned surfaces have no such directions, and keep their axes.
//!
//! The chosen axes maximise the sum of fourth powers of the edges' components (quartimax: Neuhaus
//! and Wrigley 1954). They are found by rotating in one coordinate plane after the other, each time
//! by the best angle.

use glam::{DMat3, DVec3};

use crate::arrays::MapEach;
use crate::math::{Pose, Vec3, exponent};
use crate::mesh::Mesh;

/// Number of triangles, spread over the mesh, from which the directions are estimated.
const SAMPLE_TRIANGLES: usize = 64;

/// Own axes are used if they reduce the surface area of the triangles' boxes to less than this
/// share. A smaller gain is not worth the multiplications at the start of every query.
const MAX_SURFACE_SHARE: f64 = 0.7;

/// Maximum number of rounds of rotations, and the sine of the largest angle of a round below which
/// they stop. Three or four rounds are usual.
const MAX_ROUNDS: usize = 6;
const CONVERGED_SINE: f64 = 1e-7;

/// Local coordinates are `axes * (v - origin) * scale`.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The centre of the mesh's box, in the mesh's frame.
    pub origin: Vec3,
    /// The factor to local coordinates: a power of two that brings them near one.
    pub scale: f64,
    /// The length of the local unit in the unit of the mesh: `1 / scale`, exactly.
    pub unit: f64,
    /// The rotation, exact to `f64` rounding, from the mesh's axes to the local ones; `None` if
    /// they are the same.
    axes: Option<DMat3>,
}

impl Frame {
    /// The best frame for a mesh.
    pub(super) fn of(mesh: &Mesh) -> Self {
        let frame = Self::axis_aligned(mesh);
        Self { axes: Edges::of(mesh, frame.scale).axes(), ..frame }
    }

    /// The best frame for a mesh that was deformed since this frame was made. Own axes are kept as
    /// long as they reduce the boxes enough, and then chosen again.
    pub(super) fn refitted(&self, mesh: &Mesh) -> Self {
        let frame = Self::axis_aligned(mesh);
        let axes = self.axes.and_then(|axes| {
            let edges = Edges::of(mesh, frame.scale);
            if edges.are_worthwhile(&axes) { Some(axes) } else { edges.axes() }
        });
        Self { axes, ..frame }
    }

    /// The best frame whose axes are those of the mesh's coordinates.
    fn axis_aligned(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        let origin = if mesh.is_empty() { Vec3::ZERO } else { bounds.center() };
        // The centre of a box that is only a few ulps wide may coincide with a corner.
        let half = (bounds.max - origin).abs().max((bounds.min - origin).abs());
        let scale = unit_scale(half.max_element());
        Self { origin, scale, unit: 1.0 / scale, axes: None }
    }

    /// Whether the frame gives the coordinates of a mesh their full precision: its size is near
    /// one, and it is not far from the origin.
    pub(super) fn fits(&self, mesh: &Mesh) -> bool {
        let bounds = mesh.bounds();
        let far = (bounds.min - self.origin).abs().max((bounds.max - self.origin).abs());
        let half = 0.5 * self.scale * bounds.extent().max_element();
        far.max_element() * self.scale <= 3.0 && half >= 0.5
    }

    /// Converts a point of the mesh to the local frame; the rounding error is an ulp or two of its
    /// distance from the origin.
    #[inline(always)]
    #[must_use]
    pub fn local(&self, v: Vec3) -> Vec3 {
        let v = (v - self.origin) * self.scale;
        match &self.axes {
            Some(axes) => *axes * v,
            None => v,
        }
    }

    /// Converts a direction to the local axes.
    #[must_use]
    pub fn local_direction(&self, v: Vec3) -> Vec3 {
        self.axes.map_or(v, |axes| axes * v)
    }

    /// Converts a local point to the mesh's frame.
    #[must_use]
    pub fn point_in_mesh(&self, v: Vec3) -> Vec3 {
        let v = v * self.unit;
        self.origin + self.axes.map_or(v, |axes| axes.transpose() * v)
    }

    /// Converts a direction in the local axes to the mesh's frame.
    pub(super) fn direction_in_mesh(&self, v: Vec3) -> Vec3 {
        self.axes.map_or(v, |axes| axes.transpose() * v)
    }

    /// Half the sides of the box along the mesh's axes that contains a local box of these half
    /// sides.
    pub(super) fn half_sides_in_mesh(&self, half: Vec3) -> Vec3 {
        let half = half * self.unit;
        self.axes.map_or(half, |axes| {
            let back = axes.transpose();
            DMat3::from_cols(back.x_axis.abs(), back.y_axis.abs(), back.z_axis.abs()) * half
        })
    }

    /// The pose of B's frame in A's, for meshes at `pose`: the rotation from B's axes to A's, and
    /// B's origin along A's axes, both in the meshes' unit.
    #[inline(always)]
    pub(super) fn relative(a: &Self, b: &Self, pose: &Pose) -> (DMat3, Vec3) {
        let rotation = pose.rotation();
        let origin = (rotation * b.origin + pose.translation()) - a.origin;
        if a.axes.is_none() && b.axes.is_none() {
            return (rotation, origin);
        }
        let rotation = b.axes.map_or(rotation, |axes| rotation * axes.transpose());
        a.axes.map_or((rotation, origin), |axes| (axes * rotation, axes * origin))
    }

    /// The factor by which rounding errors grow if one of the frames has own axes.
    pub(super) fn rounding_factor(a: &Self, b: &Self) -> f64 {
        if a.axes.is_none() && b.axes.is_none() { 1.0 } else { 2.0 }
    }
}

/// The power of two that brings `size` near one; one for a mesh that is a point. Its range is
/// limited so that it can be inverted.
fn unit_scale(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() {
        2.0_f64.powi((-exponent(size)).clamp(-1000, 1020))
    } else {
        1.0
    }
}

/// The sides of sample triangles, in the mesh's axes and the local unit.
struct Edges(Vec<[DVec3; 3]>);

impl Edges {
    fn of(mesh: &Mesh, scale: f64) -> Self {
        let step = mesh.triangles().len().div_ceil(SAMPLE_TRIANGLES).max(1);
        let triangles = (0..mesh.triangles().len()).step_by(step);
        Self(
            triangles
                .map(|t| {
                    let [p, q, r] = mesh.triangle(t);
                    [(q - p) * scale, (r - q) * scale, (p - r) * scale]
                })
                .collect(),
        )
    }

    /// The axes that make the triangles' boxes smallest, if the gain is large enough.
    fn axes(&self) -> Option<DMat3> {
        if self.no_axes_are_worthwhile() {
            return None;
        }
        self.quartimax().filter(|axes| self.are_worthwhile(axes))
    }

    /// Whether no axes make the triangles' boxes small enough, which is known for most parts along
    /// the axes. A face of a box is at least twice the projection of its triangle, and the three
    /// projections of a triangle add up to its area at least.
    fn no_axes_are_worthwhile(&self) -> bool {
        let twice_area: f64 = self.0.iter().map(|[p, q, _]| p.cross(*q).length()).sum();
        twice_area >= MAX_SURFACE_SHARE * self.surface(&DMat3::IDENTITY)
    }

    /// Whether axes make the triangles' boxes small enough to be used.
    fn are_worthwhile(&self, axes: &DMat3) -> bool {
        self.surface(axes) < MAX_SURFACE_SHARE * self.surface(&DMat3::IDENTITY)
    }

    /// Half the surface area of all triangles' boxes along the given axes.
    fn surface(&self, axes: &DMat3) -> f64 {
        let mut sum = 0.0;
        for edges in &self.0 {
            let [p, q, r] = edges.map_each(|e| (*axes * e).abs());
            // The largest component of the three sides of a triangle is its extent.
            let d = p.max(q).max(r);
            sum += d.x * d.y + d.y * d.z + d.z * d.x;
        }
        sum
    }

    /// The axes for which the sum of fourth powers is largest, each edge weighted by the square of
    /// its length; `None` if they cannot be normalised in `f64`.
    fn quartimax(&self) -> Option<DMat3> {
        let mut edges: Vec<[f64; 3]> = Vec::with_capacity(3 * self.0.len());
        for e in self.0.as_flattened() {
            let length = e.length();
            if length > 0.0 {
                edges.push((*e / length.sqrt()).to_array());
            }
        }
        let mut axes = DMat3::IDENTITY.to_cols_array_2d();
        for _ in 0..MAX_ROUNDS {
            let mut most = 0.0_f64;
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                let (mut sin, mut cos) = (0.0, 0.0);
                for e in &edges {
                    let (u, v) = (e[i] * e[i] - e[j] * e[j], 2.0 * e[i] * e[j]);
                    sin += 2.0 * u * v;
                    cos += u * u - v * v;
                }
                let (sin, cos) = quarter_angle(sin, cos);
                most = most.max(sin.abs());
                for v in edges.iter_mut().chain(&mut axes) {
                    (v[i], v[j]) = (cos * v[i] + sin * v[j], cos * v[j] - sin * v[i]);
                }
            }
            if most < CONVERGED_SINE {
                break;
            }
        }
        // The mesh's axes were rotated together with the edges. The results are the columns of the
        // rotation, whose rows are orthonormalised again after many rotations.
        let rotated = DMat3::from_cols_array_2d(&axes).transpose();
        let x = rotated.x_axis.try_normalize()?;
        let z = x.cross(rotated.y_axis).try_normalize()?;
        Some(DMat3::from_cols(x, z.cross(x), z).transpose())
    }
}

/// Sine and cosine of a quarter of the angle, between half a turn to either side, whose sine and
/// cosine are proportional to the arguments. By square roots alone, so that the axes of a tree are
/// the same on every machine.
fn quarter_angle(sin: f64, cos: f64) -> (f64, f64) {
    let length = (sin * sin + cos * cos).sqrt();
    if length == 0.0 {
        return (0.0, 1.0);
    }
    let half = |(sin, cos): (f64, f64)| {
        if cos >= 0.0 {
            let cos = (0.5 * (1.0 + cos)).sqrt();
            (0.5 * sin / cos, cos)
        } else {
            let other = (0.5 * (1.0 - cos)).sqrt().copysign(sin);
            (other, 0.5 * sin / other)
        }
    };
    half(half((sin / length, cos / length)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::shapes;

    fn random_pose(random: &mut Random) -> Pose {
        Pose::from_quaternion(random.rotation().to_array(), random.in_cube()).unwrap()
    }

    /// The surface of the triangles' boxes in the mesh's frame, relative to that of the mesh before
    /// it was rotated.
    fn fit(mesh: &Mesh, straight: &Mesh) -> f64 {
        let edges = Edges::of(mesh, 1.0);
        let axes = edges.axes().unwrap_or(DMat3::IDENTITY);
        edges.surface(&axes) / Edges::of(straight, 1.0).surface(&DMat3::IDENTITY)
    }

    #[test]
    fn a_quarter_of_an_angle() {
        for k in -1000..=1000 {
            let angle = f64::from(k) * (std::f64::consts::PI / 1000.0);
            for length in [1.0, 1e-9, 1e9] {
                let (sin, cos) = quarter_angle(angle.sin() * length, angle.cos() * length);
                assert!((sin - (0.25 * angle).sin()).abs() < 1e-15, "{angle}");
                assert!((cos - (0.25 * angle).cos()).abs() < 1e-15, "{angle}");
            }
        }
        assert_eq!(quarter_angle(0.0, 0.0), (0.0, 1.0));
        assert_eq!(quarter_angle(1e-12, 1.0), (2.5e-13, 1.0));
    }

    #[test]
    fn axes_of_a_rotated_mesh_are_recovered() {
        let mut random = Random::new(3);
        for straight in [
            shapes::cuboid(Vec3::ONE).unwrap(),
            shapes::cuboid(Vec3::new(1.0, 2.0, 7.0)).unwrap(),
            shapes::cylinder(0.2, 3.0, 40).unwrap(),
        ] {
            for _ in 0..100 {
                let pose = random_pose(&mut random);
                let mesh = straight.transformed(&pose);
                assert!(fit(&mesh, &straight) < 1.0 / MAX_SURFACE_SHARE, "{pose:?}");
            }
        }
    }

    #[test]
    fn own_axes_are_used_only_where_they_reduce_the_boxes() {
        let tilt = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
        let star = shapes::star_prism(9, 1.0, 0.7, 1.5).unwrap().transformed(&tilt);
        assert!(Frame::of(&star).axes.is_some());
        for mesh in [
            shapes::cuboid(Vec3::ONE).unwrap(),
            shapes::icosphere(1.0, 8).unwrap(),
            shapes::torus(1.0, 0.4, 40, 20).unwrap(),
            Mesh::from_triangles(vec![], vec![]).unwrap(),
            Mesh::from_triangles(vec![Vec3::ONE; 3], vec![[0, 1, 2]]).unwrap(),
        ] {
            assert!(Frame::of(&mesh).axes.is_none());
        }
    }

    #[test]
    fn axes_of_a_deforming_mesh_are_chosen_again() {
        let straight = shapes::star_prism(9, 1.0, 0.7, 1.5).unwrap();
        let tilted = |angle: f64| {
            straight.transformed(&Pose::from_axis_angle([1.0, 2.0, 3.0], angle).unwrap())
        };
        let frame = Frame::of(&tilted(0.7));
        let kept = frame.refitted(&tilted(0.71));
        assert_eq!(kept.axes, frame.axes);
        let chosen = frame.refitted(&tilted(1.4));
        assert!(chosen.axes.is_some() && chosen.axes != frame.axes);
        assert!(frame.refitted(&straight).axes.is_none());
    }

    #[test]
    fn points_survive_the_round_trip_to_local_coordinates() {
        let mut random = Random::new(4);
        for size in [1.0, 1e-55, 1e50] {
            let pose = random_pose(&mut random);
            let rod = shapes::cuboid(Vec3::new(1.0, 1.0, 20.0)).unwrap();
            let rod = rod.transformed(&pose).scaled(size).unwrap();
            let frame = Frame::of(&rod);
            let axes = frame.axes.unwrap();
            let error = axes * axes.transpose() - DMat3::IDENTITY;
            assert!(error.to_cols_array().iter().all(|e| e.abs() < 1e-15), "{error:?}");
            for v in rod.vertices() {
                assert!(frame.local(*v).abs().max_element() < 4.0);
                assert!(frame.point_in_mesh(frame.local(*v)).distance(*v) < 1e-14 * size * 20.0);
            }
        }
    }
}
