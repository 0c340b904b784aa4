//! The local frame of a tree: its origin, its axes and its unit.
//!
//! Boxes fit best along the directions in which the mesh's edges run. A part of a machine that was
//! modelled along the axes and stored askew has long, thin triangles whose boxes are mostly empty,
//! ten times as large as they need be; a tree in the part's own axes is as good as if it had been
//! stored straight. Scanned surfaces have no such directions, and keep their axes.
//!
//! The axes are those along which the edges' fourth powers are largest (quartimax: Neuhaus and
//! Wrigley 1954), found by turning in one plane after the other, each time by the best angle.

use glam::{DMat3, DVec3};

use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;

/// So many triangles, spread over the mesh, are enough to tell its directions.
const SAMPLES: usize = 64;

/// Axes are turned if that makes the boxes of triangles this much smaller, by their surface. A
/// little is not worth the multiplications at the beginning of every query.
const WORTH: f64 = 0.7;

/// Rounds of turning, and the angle at which no more are needed. Three or four rounds are usual.
const ROUNDS: usize = 6;
const STILL: f64 = 1e-7;

/// Local coordinates are `axes * (v - origin) * scale`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// In the mesh's frame: the centre of its box.
    pub(super) origin: Vec3,
    /// The local unit: a power of two that brings coordinates near one.
    pub(super) scale: f64,
    /// The length of the local unit in the mesh's: `1 / scale`, exactly.
    pub(super) unit: f64,
    /// From the mesh's axes to the local ones, a rotation to `f64` rounding; `None` if they are the
    /// same.
    axes: Option<DMat3>,
}

impl Frame {
    /// The frame that suits a mesh.
    pub(super) fn of(mesh: &Mesh) -> Self {
        let frame = Self::straight(mesh);
        Self { axes: Edges::of(mesh, frame.scale).axes(), ..frame }
    }

    /// The frame that suits a mesh of which this one suited another shape. Axes of its own are kept
    /// as long as they are worth it, and then chosen anew.
    pub(super) fn refitted(&self, mesh: &Mesh) -> Self {
        let frame = Self::straight(mesh);
        let axes = self.axes.and_then(|axes| {
            let edges = Edges::of(mesh, frame.scale);
            if edges.are_worth(&axes) { Some(axes) } else { edges.axes() }
        });
        Self { axes, ..frame }
    }

    /// The frame that suits a mesh best along its own axes.
    fn straight(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        let origin = if mesh.is_empty() { Vec3::ZERO } else { bounds.center() };
        // Of a box a few units in the last place wide, the centre may be one of the corners.
        let half = (bounds.max - origin).abs().max((bounds.min - origin).abs());
        let scale = unit_scale(half.max_element());
        Self { origin, scale, unit: 1.0 / scale, axes: None }
    }

    /// Whether a mesh lies where the frame gives its numbers their full precision: the size near
    /// one, and not far from the origin.
    pub(super) fn suits(&self, mesh: &Mesh) -> bool {
        let bounds = mesh.bounds();
        let far = (bounds.min - self.origin).abs().max((bounds.max - self.origin).abs());
        let half = 0.5 * self.scale * bounds.extent().max_element();
        far.max_element() * self.scale <= 3.0 && half >= 0.5
    }

    /// A point of the mesh in the local frame, rounded by an ulp or two of its distance from the
    /// origin.
    #[inline(always)]
    pub(super) fn local(&self, v: Vec3) -> Vec3 {
        let v = (v - self.origin) * self.scale;
        match &self.axes {
            Some(axes) => *axes * v,
            None => v,
        }
    }

    /// A direction of the mesh's frame along the local axes.
    pub(super) fn turned(&self, v: Vec3) -> Vec3 {
        self.axes.map_or(v, |axes| axes * v)
    }

    /// A local point in the mesh's frame.
    pub(super) fn back(&self, v: Vec3) -> Vec3 {
        let v = v * self.unit;
        self.origin + self.axes.map_or(v, |axes| axes.transpose() * v)
    }

    /// Half the sides of the box along the mesh's axes that holds a local box of these half sides.
    pub(super) fn back_sides(&self, half: Vec3) -> Vec3 {
        let half = half * self.unit;
        self.axes.map_or(half, |axes| {
            let back = axes.transpose();
            DMat3::from_cols(back.x_axis.abs(), back.y_axis.abs(), back.z_axis.abs()) * half
        })
    }

    /// Where the frame of B lies in that of A, for meshes at `pose`: the rotation from B's axes to
    /// A's, and B's origin along A's axes, both in the meshes' unit.
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

    /// How much more of the numbers' last places is lost where axes are turned.
    pub(super) fn roundings(a: &Self, b: &Self) -> f64 {
        if a.axes.is_none() && b.axes.is_none() { 1.0 } else { 2.0 }
    }
}

/// The power of two that brings `size` near one; one for a mesh that is a point. Kept within what
/// can be inverted.
fn unit_scale(size: f64) -> f64 {
    let exponent = ((size.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    if size > 0.0 && size.is_finite() { 2.0_f64.powi((-exponent).clamp(-1000, 1020)) } else { 1.0 }
}

/// The sides of some triangles, in the mesh's axes and the local unit.
struct Edges(Vec<[DVec3; 3]>);

impl Edges {
    fn of(mesh: &Mesh, scale: f64) -> Self {
        let step = mesh.triangles().len().div_ceil(SAMPLES).max(1);
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

    /// The axes that make the triangles' boxes smallest, if they are worth it.
    fn axes(&self) -> Option<DMat3> {
        self.quartimax().filter(|axes| self.are_worth(axes))
    }

    /// Whether axes make the triangles' boxes so much smaller that they are worth it.
    fn are_worth(&self, axes: &DMat3) -> bool {
        self.surface(axes) < WORTH * self.surface(&DMat3::IDENTITY)
    }

    /// The surface of all triangles' boxes along the axes given, halved.
    fn surface(&self, axes: &DMat3) -> f64 {
        let mut sum = 0.0;
        for edges in &self.0 {
            let [p, q, r] = edges.map(|e| (*axes * e).abs());
            // The longest side of three that close a triangle is its extent.
            let d = p.max(q).max(r);
            sum += d.x * d.y + d.y * d.z + d.z * d.x;
        }
        sum
    }

    /// The axes for which the sum of fourth powers is largest, each edge counted by the square of
    /// its length; `None` if they are those of the mesh, or out of what numbers hold.
    fn quartimax(&self) -> Option<DMat3> {
        let mut edges: Vec<[f64; 3]> = Vec::with_capacity(3 * self.0.len());
        for e in self.0.as_flattened() {
            let length = e.length();
            if length > 0.0 {
                edges.push((*e / length.sqrt()).to_array());
            }
        }
        let mut axes = DMat3::IDENTITY.to_cols_array_2d();
        for _ in 0..ROUNDS {
            let mut most = 0.0_f64;
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                let (mut sin, mut cos) = (0.0, 0.0);
                for e in &edges {
                    let (u, v) = (e[i] * e[i] - e[j] * e[j], 2.0 * e[i] * e[j]);
                    sin += 2.0 * u * v;
                    cos += u * u - v * v;
                }
                let angle = 0.25 * f64::atan2(sin, cos);
                most = most.max(angle.abs());
                let (sin, cos) = angle.sin_cos();
                for v in edges.iter_mut().chain(&mut axes) {
                    (v[i], v[j]) = (cos * v[i] + sin * v[j], cos * v[j] - sin * v[i]);
                }
            }
            if most < STILL {
                break;
            }
        }
        // The mesh's axes were turned with the edges. What they have become are the columns of the
        // rotation, whose rows are made square again after many turns.
        let turned = DMat3::from_cols_array_2d(&axes).transpose();
        let x = turned.x_axis.try_normalize()?;
        let z = x.cross(turned.y_axis).try_normalize()?;
        Some(DMat3::from_cols(x, z.cross(x), z).transpose())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use crate::shapes;

    fn turn(random: &mut Random) -> Pose {
        Pose::from_quaternion(random.rotation().to_array(), random.in_cube()).unwrap()
    }

    /// How large the boxes of triangles are in the mesh's frame, against those of the mesh before
    /// it was turned.
    fn fit(mesh: &Mesh, straight: &Mesh) -> f64 {
        let edges = Edges::of(mesh, 1.0);
        let axes = edges.axes().unwrap_or(DMat3::IDENTITY);
        edges.surface(&axes) / Edges::of(straight, 1.0).surface(&DMat3::IDENTITY)
    }

    #[test]
    fn what_was_straight_is_found_to_be_so_after_a_turn() {
        let mut random = Random::new(3);
        for straight in [
            shapes::cuboid(Vec3::ONE).unwrap(),
            shapes::cuboid(Vec3::new(1.0, 2.0, 7.0)).unwrap(),
            shapes::cylinder(0.2, 3.0, 40).unwrap(),
        ] {
            for _ in 0..100 {
                let turn = turn(&mut random);
                let mesh = straight.transformed(&turn);
                assert!(fit(&mesh, &straight) < 1.0 / WORTH, "{turn:?}");
            }
        }
    }

    #[test]
    fn axes_are_turned_only_where_it_pays() {
        let lean = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
        let star = shapes::star_prism(9, 1.0, 0.7, 1.5).unwrap().transformed(&lean);
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

    /// A mesh that bends.
    #[test]
    fn axes_that_do_not_pay_any_more_are_chosen_anew() {
        let straight = shapes::star_prism(9, 1.0, 0.7, 1.5).unwrap();
        let leaning = |angle: f64| {
            straight.transformed(&Pose::from_axis_angle([1.0, 2.0, 3.0], angle).unwrap())
        };
        let frame = Frame::of(&leaning(0.7));
        let kept = frame.refitted(&leaning(0.71));
        assert_eq!(kept.axes, frame.axes);
        let anew = frame.refitted(&leaning(1.4));
        assert!(anew.axes.is_some() && anew.axes != frame.axes);
        assert!(frame.refitted(&straight).axes.is_none());
    }

    #[test]
    fn there_and_back_is_the_same() {
        let mut random = Random::new(4);
        for size in [1.0, 1e-55, 1e50] {
            let turn = turn(&mut random);
            let rod = shapes::cuboid(Vec3::new(1.0, 1.0, 20.0)).unwrap();
            let rod = rod.transformed(&turn).scaled(size).unwrap();
            let frame = Frame::of(&rod);
            let axes = frame.axes.unwrap();
            let error = axes * axes.transpose() - DMat3::IDENTITY;
            assert!(error.to_cols_array().iter().all(|e| e.abs() < 1e-15), "{error:?}");
            for v in rod.vertices() {
                assert!(frame.local(*v).abs().max_element() < 4.0);
                assert!(frame.back(frame.local(*v)).distance(*v) < 1e-14 * size * 20.0);
            }
        }
    }
}
