//! What bodies are made of, prepared once and shared by all that look alike.

use std::sync::{Arc, OnceLock};

use crate::convex::{self, Hull, Support};
use crate::error::{Error, ErrorKind};
use crate::math::OrientedBox;
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::shape::{Kind, Shape};

/// Compounds of more parts than this are boxed as a whole.
const MAX_PARTS_BOXED_SINGLY: usize = 16;

/// The form of a body in its own frame: a shape, or several that move together. Cheap to clone;
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
    parts: Vec<Part>,
    bounds: Aabb,
    /// The parts by where their boxes begin along the first axis.
    order: Vec<u32>,
    /// The largest coordinate in it, of parts in their own frames too.
    reach: f64,
    /// Whether it is one part in its own frame.
    plain: bool,
    /// Whether it has half-spaces, whose boxes are not those of other half-spaces turned around.
    unbounded: bool,
    oriented: OnceLock<OrientedBox>,
}

/// One shape of a body.
#[derive(Debug)]
pub struct Part {
    shape: Shape,
    pose: Pose,
    /// In the body's frame.
    bounds: Aabb,
    hull: OnceLock<Option<Arc<Hull>>>,
}

impl Part {
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

    /// The hull of a mesh, made when it is first asked for; `None` for other shapes, and for meshes
    /// without triangles.
    pub(super) fn hull(&self) -> Option<&Hull> {
        let make = || {
            let mesh = mesh_of(&self.shape)?;
            let vertices = mesh.vertices();
            let points: Vec<Vec3> =
                mesh.used_vertices().iter().map(|v| vertices[*v as usize]).collect();
            Hull::new(&points).ok().map(Arc::new)
        };
        self.hull.get_or_init(make).as_deref()
    }
}

impl Part {
    /// The largest size of a coordinate that is used of it, in its own frame or its body's.
    pub(super) fn reach(&self) -> f64 {
        let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
        let own = match self.shape.kind() {
            Kind::HalfSpace(half_space) => half_space.offset().abs(),
            _ => {
                let own = mesh_of(&self.shape).map(|mesh| mesh.bounds());
                let Aabb { min, max } = own
                    .unwrap_or_else(|| convex_at(&self.shape, &Pose::IDENTITY, convex::bounds_at));
                min.to_array().into_iter().chain(max.to_array()).map(finite).fold(0.0, f64::max)
            }
        };
        own + self.pose.translation().abs().max_element()
    }

    /// A box around the shape at a pose, whatever its pose in the body: of a mesh that of its box.
    pub(super) fn box_at(&self, pose: &Pose) -> Aabb {
        match mesh_of(&self.shape) {
            Some(mesh) if *pose == Pose::IDENTITY => mesh.bounds(),
            Some(mesh) => mesh.bounds().transformed(pose),
            None => convex_at(&self.shape, pose, convex::bounds_at),
        }
    }

    /// The hull that the shape is, or that of its mesh.
    pub(super) fn polytope(&self) -> Option<&Hull> {
        self.shape.polytope().or_else(|| self.hull())
    }
}

/// The mesh of a shape that is one, surface or solid.
pub(super) fn mesh_of(shape: &Shape) -> Option<&Arc<Mesh>> {
    match shape.kind() {
        Kind::Mesh(mesh) | Kind::Solid(mesh) => Some(mesh),
        _ => None,
    }
}

impl Geometry {
    /// Several shapes that move together, each at its pose in the body's frame. They may overlap.
    ///
    /// # Errors
    /// If there are none.
    pub fn compound(parts: impl IntoIterator<Item = (Shape, Pose)>) -> Result<Self, Error> {
        let parts: Vec<Part> = parts
            .into_iter()
            .map(|(shape, pose)| {
                let bounds = match mesh_of(&shape) {
                    Some(mesh) => mesh.bounds_at(&pose),
                    None => convex_at(&shape, &pose, convex::bounds_at),
                };
                Part { shape, pose, bounds, hull: OnceLock::new() }
            })
            .collect();
        if parts.is_empty() {
            return Err(Error::new(
                ErrorKind::Empty,
                "a compound of no shapes; give at least one, or add a frame, which has none",
            ));
        }
        let bounds = parts.iter().fold(Aabb::EMPTY, |all, part| all.union(&part.bounds));
        let mut order: Vec<u32> = (0..parts.len() as u32).collect();
        let begin = |n: &u32| parts[*n as usize].bounds.min.x;
        order.sort_by(|i, j| begin(i).total_cmp(&begin(j)));
        let reach = parts.iter().map(Part::reach).fold(0.0, f64::max);
        let unbounded = parts.iter().any(|part| matches!(part.shape.kind(), Kind::HalfSpace(_)));
        let plain = matches!(&parts[..], [part] if part.pose == Pose::IDENTITY);
        Ok(Self {
            inner: Arc::new(Inner {
                parts,
                plain,
                bounds,
                order,
                reach,
                unbounded,
                oriented: OnceLock::new(),
            }),
        })
    }

    /// No shape at all: the form of a [frame](super::Body::frame) that carries other bodies. It has
    /// an empty box and meets nothing.
    #[must_use]
    pub fn empty() -> Self {
        static EMPTY: OnceLock<Geometry> = OnceLock::new();
        let make = || Self {
            inner: Arc::new(Inner {
                parts: Vec::new(),
                plain: false,
                bounds: Aabb::EMPTY,
                order: Vec::new(),
                reach: 0.0,
                unbounded: false,
                oriented: OnceLock::new(),
            }),
        };
        EMPTY.get_or_init(make).clone()
    }

    /// The shapes it is made of; none for a [frame](super::Body::frame).
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.inner.parts
    }

    /// A box around all of it, in the body's frame.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.inner.bounds
    }

    /// The parts by where their boxes begin along the first axis.
    pub(super) fn order(&self) -> &[u32] {
        &self.inner.order
    }

    /// No coordinate in it is larger, of parts in their own frames too.
    pub(super) fn reach(&self) -> f64 {
        self.inner.reach
    }

    /// A box around all of it at a pose, without a look at the vertices of meshes: theirs is the
    /// box of their box, turned (Zachmann 1994, section 5.2.1). Whatever is convex gets the
    /// smallest box, to single precision, by how far it reaches along the axes; so does not a
    /// compound of many parts.
    #[must_use]
    pub fn bounds_at(&self, pose: &Pose) -> Aabb {
        if self.parts().len() > MAX_PARTS_BOXED_SINGLY && !self.inner.unbounded {
            return self.inner.bounds.transformed(pose);
        }
        self.union_of(pose, |part, whole| match mesh_of(&part.shape) {
            Some(mesh) => mesh.bounds().transformed(whole),
            None => convex_at(&part.shape, whole, convex::bounds_at_f32),
        })
    }

    /// The smallest box around all of it at a pose, to rounding: looks at every vertex of meshes.
    #[must_use]
    pub fn tight_bounds_at(&self, pose: &Pose) -> Aabb {
        self.union_of(pose, |part, whole| match mesh_of(&part.shape) {
            Some(mesh) => mesh.bounds_at(whole),
            None => convex_at(&part.shape, whole, convex::bounds_at),
        })
    }

    /// The box around the boxes of all parts, of which `at` gives that of one at its pose.
    fn union_of(&self, pose: &Pose, at: impl Fn(&Part, &Pose) -> Aabb) -> Aabb {
        if let ([part], true) = (self.parts(), self.inner.plain) {
            return at(part, pose);
        }
        self.parts().iter().fold(Aabb::EMPTY, |all, part| {
            let whole = if part.pose == Pose::IDENTITY { *pose } else { pose.composed(&part.pose) };
            all.union(&at(part, &whole))
        })
    }

    /// A box that holds it however it is turned, at a place (Zachmann 1994, section 5.2): it only
    /// has to be moved. Infinite for half-spaces.
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
        // the centre; and by denormal numbers where products vanish.
        let size =
            center.abs().max_element() + half.max_element() + proof.center().abs().max_element();
        let reach = half.max_element() + 16.0 * f64::EPSILON * size + 32.0 * f64::from_bits(1);
        Aabb { min: center - Vec3::splat(reach), max: center + Vec3::splat(reach) }
    }

    /// An oriented box around all of it, in the body's frame. Where it has no end the box is cut
    /// off far beyond all coordinates.
    pub(super) fn oriented(&self) -> &OrientedBox {
        self.inner.oriented.get_or_init(|| {
            if let [part] = self.parts() {
                if let (Some(mesh), true) = (mesh_of(&part.shape), part.pose == Pose::IDENTITY) {
                    let triangles: Vec<[Vec3; 3]> =
                        (0..mesh.triangles().len()).map(|t| mesh.triangle(t)).collect();
                    return OrientedBox::around_triangles(&triangles);
                }
            }
            let far = Vec3::splat(1e70);
            let Aabb { min, max } = self.bounds();
            if self.bounds().is_empty() {
                return OrientedBox::around(&[]);
            }
            let ends = [min.clamp(-far, far), max.clamp(-far, far)];
            let corner = |i: usize| Vec3::from_array([0, 1, 2].map(|k| ends[i >> k & 1][k]));
            OrientedBox::around(&std::array::from_fn::<Vec3, 8, _>(corner))
        })
    }

    /// The mesh of a body that is one mesh, moved out if it is not shared, else copied.
    pub(super) fn into_mesh(self) -> Option<Mesh> {
        let shape = match Arc::try_unwrap(self.inner) {
            Ok(mut inner) => inner.parts.pop()?.shape,
            Err(shared) => shared.parts.first()?.shape.clone(),
        };
        let mesh = Arc::clone(mesh_of(&shape)?);
        drop(shape);
        Some(Arc::try_unwrap(mesh).unwrap_or_else(|shared| Mesh::clone(&shared)))
    }

    /// Whether both are the same in memory.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl<S: Into<Shape>> From<S> for Geometry {
    fn from(shape: S) -> Self {
        let part = [(shape.into(), Pose::IDENTITY)];
        Self::compound(part).expect("one shape is not none")
    }
}

/// The smallest box around a shape that is no mesh, at a pose, of which `hull_at` gives that of a
/// hull; conservative including rounding.
fn convex_at(shape: &Shape, pose: &Pose, hull_at: impl Fn(&Hull, &Pose) -> Aabb) -> Aabb {
    let core = match shape.kind() {
        Kind::HalfSpace(half_space) => {
            let normal = pose.transform_vector(half_space.normal());
            let offset = half_space.offset() + normal.dot(pose.translation());
            let size = normal.abs().dot(pose.translation().abs()) + half_space.offset().abs();
            return half_space_bounds(normal, offset, 16.0 * f64::EPSILON * size);
        }
        Kind::Cylinder(body) => curved_at(body, pose),
        Kind::Cone(body) => curved_at(body, pose),
        Kind::Ellipsoid(body) => curved_at(body, pose),
        _ => match shape.core() {
            // The points of spheres, capsules and boxes are no more than it takes to find the
            // furthest.
            Some(hull) if hull.vertices().len() <= 8 => {
                Aabb::from_points(hull.vertices().iter().map(|v| pose.transform_point(*v)))
            }
            Some(hull) => hull_at(hull, pose),
            None => Aabb::EMPTY,
        },
    };
    // The margin, and what rounding may hide.
    let size = core.min.abs().max(core.max.abs()).max_element() + shape.margin();
    core.grown(shape.margin() + 4.0 * f64::EPSILON * size)
}

/// A box around a curved core at a pose: how far it reaches along each axis, and by how much its
/// furthest points may be off.
fn curved_at<B: Support<Memory = ()>>(body: &B, pose: &Pose) -> Aabb {
    let rows = pose.rotation().transpose();
    let (mut bounds, mut size) = (Aabb::EMPTY, 0.0_f64);
    for (k, row) in [rows.x_axis, rows.y_axis, rows.z_axis].into_iter().enumerate() {
        let [low, high] = [-row, row].map(|direction| {
            let point = body.furthest(direction, &mut ());
            size = size.max(point.abs().max_element());
            pose.transform_point(point)[k]
        });
        (bounds.min[k], bounds.max[k]) = (low, high);
    }
    // The support error holds for directions of length one, which rows are to the tolerance of
    // rotations.
    let slack = 32.0 * f64::EPSILON * (size + pose.translation().abs().max_element());
    bounds.grown(body.support_error() * (1.0 + 1e-6) + slack)
}

/// Everything on one side of a plane, give or take: bounded only if the plane is perpendicular to
/// an axis.
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
