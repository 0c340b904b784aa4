//! The geometries of bodies, prepared once and shared by all bodies with the same geometry.

use std::sync::{Arc, OnceLock};

use crate::arrays::{MapEach, MapToVec};
use crate::convex::{self, Hull, Support};
use crate::error::{Error, ErrorKind};
use crate::math::OrientedBox;
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::order::sort_by;
use crate::shape::{Kind, Shape};

/// The largest number of parts of a compound for which each part has a separate box.
pub(super) const MAX_PARTS_BOXED_SINGLY: usize = 16;

/// Larger than every coordinate of a body in the world.
const MAX_BODY_COORDINATE: f64 = 1e70;

/// The geometry of a body in its own frame: a shape, or several that move together. Cheap to clone;
/// clones share everything.
///
/// ```
/// use impinge::convex::{Capsule, Sphere};
/// use impinge::world::Geometry;
/// use impinge::{Pose, Shape};
///
/// let bar = Shape::from(Capsule::new(1.0, 0.1)?);
/// let ball = Shape::from(Sphere::new(0.4)?);
/// let ends = [-1.0, 1.0].map(|z| Pose::from_translation([0.0, 0.0, z]).unwrap());
/// let dumb_bell = Geometry::compound([
///     (bar, Pose::IDENTITY),
///     (ball.clone(), ends[0]),
///     (ball, ends[1]),
/// ])?;
/// assert_eq!(dumb_bell.parts().len(), 3);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Geometry {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    parts: Vec<BodyPart>,
    bounds: Aabb,
    /// The parts, sorted by the start of their boxes along the first axis.
    order: Vec<u32>,
    /// The largest absolute value of a coordinate, also of parts in their own frames.
    max_coordinate: f64,
    /// Whether it is a single part whose frame is the body's.
    is_single_part: bool,
    /// Whether it has half-spaces, whose boxes cannot be computed from rotated boxes.
    unbounded: bool,
    oriented: OnceLock<OrientedBox>,
}

/// One shape of a body.
#[derive(Debug)]
pub struct BodyPart {
    shape: Shape,
    pose: Pose,
    /// In the body's frame.
    bounds: Aabb,
    hull: OnceLock<Option<Arc<Hull>>>,
}

impl BodyPart {
    /// The shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its pose in the body's frame.
    #[must_use]
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// A box around it in the body's frame. Infinite along some axes for a half-space; empty for a
    /// mesh without triangles.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The hull that the shape is, if it is a hull or a box without a margin.
    #[must_use]
    pub fn own_hull(&self) -> Option<&Hull> {
        self.shape.polytope()
    }

    /// The hull of a mesh, computed by the first call; `None` for other shapes, and for meshes
    /// without triangles.
    pub(super) fn hull(&self) -> Option<&Hull> {
        let make = || {
            let mesh = self.shape.mesh()?;
            let vertices = mesh.vertices();
            let points: Vec<Vec3> = mesh.used_vertices().map_to_vec(|v| vertices[*v as usize]);
            Hull::new(&points).ok().map(Arc::new)
        };
        self.hull.get_or_init(make).as_deref()
    }
}

impl BodyPart {
    /// An upper bound of the absolute values of coordinates, in the part's frame and in the body's.
    pub(super) fn max_coordinate(&self) -> f64 {
        let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
        let own = match self.shape.kind() {
            Kind::HalfSpace(half_space) => half_space.offset().abs(),
            Kind::Mesh(_)
            | Kind::Solid(_)
            | Kind::Hull(_)
            | Kind::Sphere(_)
            | Kind::Capsule(_)
            | Kind::Cuboid(_)
            | Kind::Cylinder(_)
            | Kind::Cone(_)
            | Kind::Ellipsoid(_) => {
                let Aabb { min, max } = self.box_at(&Pose::IDENTITY);
                min.to_array().into_iter().chain(max.to_array()).map(finite).fold(0.0, f64::max)
            }
        };
        own + self.pose.translation().abs().max_element()
    }

    /// A box around the shape at a pose, without its pose in the body. For a mesh, the box of its
    /// rotated box.
    pub(super) fn box_at(&self, pose: &Pose) -> Aabb {
        match self.shape.mesh() {
            Some(mesh) if *pose == Pose::IDENTITY => mesh.bounds(),
            Some(mesh) => mesh.bounds().transformed(pose),
            None => convex_bounds(&self.shape, pose, convex::bounds_at),
        }
    }

    /// The hull that the shape is, or the hull of its mesh.
    pub(super) fn polytope(&self) -> Option<&Hull> {
        self.shape.polytope().or_else(|| self.hull())
    }
}

impl Geometry {
    /// Several shapes that move together, each at its pose in the body's frame. They may overlap.
    ///
    /// # Errors
    /// If there are none.
    pub fn compound(parts: impl IntoIterator<Item = (Shape, Pose)>) -> Result<Self, Error> {
        let parts: Vec<BodyPart> = parts
            .into_iter()
            .map(|(shape, pose)| {
                let bounds = match shape.mesh() {
                    Some(mesh) => mesh.bounds_at(&pose),
                    None => convex_bounds(&shape, &pose, convex::bounds_at),
                };
                BodyPart { shape, pose, bounds, hull: OnceLock::new() }
            })
            .collect();
        if parts.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "a compound needs at least one shape; for a body without shapes add a frame",
            ));
        }
        let bounds = parts.iter().fold(Aabb::EMPTY, |all, part| all.union(&part.bounds));
        let mut order: Vec<u32> = (0..parts.len() as u32).collect();
        let start = |n: &u32| parts[*n as usize].bounds.min.x;
        sort_by(&mut order, &|i, j| start(i).total_cmp(&start(j)).then(i.cmp(j)));
        let max_coordinate = parts.iter().map(BodyPart::max_coordinate).fold(0.0, f64::max);
        let unbounded = parts.iter().any(|part| part.shape.kind().is_unbounded());
        let is_single_part = matches!(&parts[..], [part] if part.pose == Pose::IDENTITY);
        Ok(Self {
            inner: Arc::new(Inner {
                parts,
                is_single_part,
                bounds,
                order,
                max_coordinate,
                unbounded,
                oriented: OnceLock::new(),
            }),
        })
    }

    /// No shape: the geometry of a [frame](super::Body::frame) to which other bodies are attached.
    /// It has an empty box and meets no other body.
    #[must_use]
    pub fn empty() -> Self {
        static EMPTY: OnceLock<Geometry> = OnceLock::new();
        let make = || Self {
            inner: Arc::new(Inner {
                parts: Vec::new(),
                is_single_part: false,
                bounds: Aabb::EMPTY,
                order: Vec::new(),
                max_coordinate: 0.0,
                unbounded: false,
                oriented: OnceLock::new(),
            }),
        };
        EMPTY.get_or_init(make).clone()
    }

    /// Its shapes; none for a [frame](super::Body::frame).
    #[must_use]
    pub fn parts(&self) -> &[BodyPart] {
        &self.inner.parts
    }

    /// A box around all parts, in the body's frame.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.inner.bounds
    }

    /// The parts, sorted by the start of their boxes along the first axis.
    pub(super) fn order(&self) -> &[u32] {
        &self.inner.order
    }

    /// An upper bound of the absolute values of coordinates, also of parts in their own frames.
    pub(super) fn max_coordinate(&self) -> f64 {
        self.inner.max_coordinate
    }

    /// A box around all parts at a pose, without a pass over the vertices of meshes: for a mesh it
    /// is the box of its rotated box (Zachmann 1994, section 5.2.1). A convex shape gets the
    /// smallest box, to single precision, from its extent along the axes; a compound of many parts
    /// gets the box of its rotated box.
    #[must_use]
    pub fn bounds_at(&self, pose: &Pose) -> Aabb {
        if self.parts().len() > MAX_PARTS_BOXED_SINGLY && !self.inner.unbounded {
            return self.inner.bounds.transformed(pose);
        }
        self.union_of(pose, |part, part_pose| match part.shape.mesh() {
            Some(mesh) => mesh.bounds().transformed(part_pose),
            None => convex_bounds(&part.shape, part_pose, convex::bounds_at_f32),
        })
    }

    /// The smallest box around all parts at a pose, up to rounding, by a pass over every vertex of
    /// meshes.
    #[must_use]
    pub fn tight_bounds_at(&self, pose: &Pose) -> Aabb {
        self.union_of(pose, |part, part_pose| match part.shape.mesh() {
            Some(mesh) => mesh.bounds_at(part_pose),
            None => convex_bounds(&part.shape, part_pose, convex::bounds_at),
        })
    }

    /// The box around the boxes of all parts; `part_box` returns the box of a part at a pose.
    fn union_of(&self, pose: &Pose, part_box: impl Fn(&BodyPart, &Pose) -> Aabb) -> Aabb {
        if let ([part], true) = (self.parts(), self.inner.is_single_part) {
            return part_box(part, pose);
        }
        self.parts().iter().fold(Aabb::EMPTY, |all, part| {
            let part_pose =
                if part.pose == Pose::IDENTITY { *pose } else { pose.composed(&part.pose) };
            all.union(&part_box(part, &part_pose))
        })
    }

    /// A cube around all parts whose size does not depend on the rotation of the pose (Zachmann
    /// 1994, section 5.2), so that it only has to be moved. Infinite for half-spaces.
    #[must_use]
    pub fn rotation_proof_bounds_at(&self, pose: &Pose) -> Aabb {
        if self.inner.unbounded || self.inner.bounds.is_empty() {
            return self.bounds_at(pose);
        }
        let proof = self.inner.bounds.rotation_proof();
        let half = (proof.max - proof.min) * 0.5;
        let center = pose.transform_point(proof.center());
        // A vertex and the centre are each rounded four times by at most half an ulp of 1.8 times
        // their own size and of the translation, which is at most the moved centre and 1.8 times
        // the centre; and by denormal numbers where products underflow.
        let size =
            center.abs().max_element() + half.max_element() + proof.center().abs().max_element();
        let half = half.max_element() + 16.0 * f64::EPSILON * size + 32.0 * f64::from_bits(1);
        Aabb { min: center - Vec3::splat(half), max: center + Vec3::splat(half) }
    }

    /// An oriented box around all parts, in the body's frame. Infinite sides are cut off far beyond
    /// the range of coordinates.
    pub(super) fn oriented(&self) -> &OrientedBox {
        self.inner.oriented.get_or_init(|| {
            if let [part] = self.parts() {
                if let (Some(mesh), true) = (part.shape.mesh(), part.pose == Pose::IDENTITY) {
                    let triangles: Vec<[Vec3; 3]> =
                        (0..mesh.triangles().len()).map_to_vec(|t| mesh.triangle(t));
                    return OrientedBox::around_triangles(&triangles);
                }
            }
            let far = Vec3::splat(MAX_BODY_COORDINATE);
            let Aabb { min, max } = self.bounds();
            if self.bounds().is_empty() {
                return OrientedBox::around(&[]);
            }
            let ends = [min.clamp(-far, far), max.clamp(-far, far)];
            let corner = |i: usize| Vec3::from_array([0, 1, 2].map_each(|k| ends[i >> k & 1][k]));
            OrientedBox::around(&std::array::from_fn::<Vec3, 8, _>(corner))
        })
    }

    /// The mesh of a body that is one mesh: moved out if it is not shared, otherwise copied.
    pub(super) fn into_mesh(self) -> Option<Mesh> {
        let shape = match Arc::try_unwrap(self.inner) {
            Ok(mut inner) => inner.parts.pop()?.shape,
            Err(shared) => shared.parts.first()?.shape.clone(),
        };
        let mesh = Arc::clone(shape.mesh()?);
        drop(shape);
        Some(Arc::try_unwrap(mesh).unwrap_or_else(|shared| Mesh::clone(&shared)))
    }

    /// Whether both share the same memory.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl<S: Into<Shape>> From<S> for Geometry {
    fn from(shape: S) -> Self {
        let part = [(shape.into(), Pose::IDENTITY)];
        Self::compound(part).expect("there is one shape")
    }
}

/// The smallest box around a shape that is no mesh, at a pose; conservative including rounding.
/// `hull_bounds` returns the box of a hull.
fn convex_bounds(shape: &Shape, pose: &Pose, hull_bounds: impl Fn(&Hull, &Pose) -> Aabb) -> Aabb {
    let core = match shape.kind() {
        Kind::HalfSpace(half_space) => {
            let normal = pose.transform_vector(half_space.normal());
            let offset = half_space.offset() + normal.dot(pose.translation());
            let size = normal.abs().dot(pose.translation().abs()) + half_space.offset().abs();
            return half_space_bounds(normal, offset, 16.0 * f64::EPSILON * size);
        }
        Kind::Cylinder(body) => curved_bounds(body, pose),
        Kind::Cone(body) => curved_bounds(body, pose),
        Kind::Ellipsoid(body) => curved_bounds(body, pose),
        Kind::Hull(_) | Kind::Sphere(_) | Kind::Capsule(_) | Kind::Cuboid(_) => {
            let hull = shape.core().expect("the core is a polytope");
            if hull.vertices().len() <= 8 {
                // For the few points of spheres, capsules and boxes this is as fast as a search for
                // the furthest.
                Aabb::from_points(hull.vertices().iter().map(|v| pose.transform_point(*v)))
            } else {
                hull_bounds(hull, pose)
            }
        }
        Kind::Mesh(_) | Kind::Solid(_) => unreachable!("meshes have boxes of their own"),
    };
    // The margin, and a bound of rounding errors.
    let size = core.min.abs().max(core.max.abs()).max_element() + shape.margin();
    core.grown(shape.margin() + 4.0 * f64::EPSILON * size)
}

/// A box around a curved core at a pose: its extent along each axis, enlarged by the error of its
/// furthest points.
fn curved_bounds<B: Support<Memory = ()>>(body: &B, pose: &Pose) -> Aabb {
    let rows = pose.rotation().transpose();
    let (mut bounds, mut size) = (Aabb::EMPTY, 0.0_f64);
    for (k, row) in [rows.x_axis, rows.y_axis, rows.z_axis].into_iter().enumerate() {
        let [low, high] = [-row, row].map_each(|direction| {
            let point = body.furthest(direction, &mut ());
            size = size.max(point.abs().max_element());
            pose.transform_point(point)[k]
        });
        (bounds.min[k], bounds.max[k]) = (low, high);
    }
    // The support error holds for directions of length one. The rows have length one up to the
    // tolerance of rotations.
    let slack = 32.0 * f64::EPSILON * (size + pose.translation().abs().max_element());
    bounds.grown(body.support_error() * (1.0 + 1e-6) + slack)
}

/// A box around one side of a plane, enlarged by `slack`. It is bounded only if the plane is
/// perpendicular to an axis.
fn half_space_bounds(normal: Vec3, offset: f64, slack: f64) -> Aabb {
    let mut bounds = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    for k in 0..3 {
        let other = [normal[(k + 1) % 3], normal[(k + 2) % 3]];
        if other == [0.0, 0.0] && normal[k] != 0.0 {
            let end = offset / normal[k];
            let slack =
                slack / normal[k].abs() + 4.0 * f64::EPSILON * end.abs() + f64::MIN_POSITIVE;
            if normal[k] > 0.0 { bounds.max[k] = end + slack } else { bounds.min[k] = end - slack }
        }
    }
    bounds
}
