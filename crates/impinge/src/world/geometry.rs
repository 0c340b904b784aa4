//! What bodies are made of, prepared once and shared by all that look alike.

use std::sync::{Arc, OnceLock};

use crate::convex::{Body, Hull};
use crate::error::{Error, ErrorKind};
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::shape::{Kind, Shape};
use crate::volume::{Oriented, Volume};

/// So many vertices are a few.
const FEW: usize = 64;

/// The form of a body in its own frame: a shape, or several that move together. Cheap to clone; clones share everything.
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
    /// The largest coordinate in it, of parts in their own frames too.
    reach: f64,
    /// Whether it has half-spaces, whose boxes are not those of other half-spaces turned around.
    unbounded: bool,
    /// Whether it has so few vertices that a look at all of them pays: the box is tighter, and fewer pairs have to be checked.
    few: bool,
    oriented: OnceLock<Oriented>,
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

    /// A box around it in the body's frame. Infinite along some axes for a half-space; empty for a mesh without triangles.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The hull of a mesh, made when it is first asked for; `None` for other shapes, and for meshes without triangles.
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
    /// No coordinate that goes into it is larger, in its own frame or its body's.
    pub(super) fn reach(&self) -> f64 {
        let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
        let own = match self.shape.kind() {
            Kind::HalfSpace(half_space) => half_space.offset().abs(),
            _ => {
                let Aabb { min, max } = bounds_of(&self.shape);
                min.to_array().into_iter().chain(max.to_array()).map(finite).fold(0.0, f64::max)
            }
        };
        own + self.pose.translation().abs().max_element()
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
                let bounds = bounds_at(&shape, &pose);
                Part { shape, pose, bounds, hull: OnceLock::new() }
            })
            .collect();
        if parts.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "a body needs at least one shape"));
        }
        let bounds = parts.iter().fold(Aabb::EMPTY, |all, part| all.union(&part.bounds));
        let points = |part: &Part| part.shape.core_points().map_or(usize::MAX, <[Vec3]>::len);
        let few = parts.iter().map(points).fold(0, usize::saturating_add) <= FEW;
        let reach = parts.iter().map(Part::reach).fold(0.0, f64::max);
        let unbounded = parts.iter().any(|part| matches!(part.shape.kind(), Kind::HalfSpace(_)));
        Ok(Self {
            inner: Arc::new(Inner {
                parts,
                bounds,
                reach,
                unbounded,
                few,
                oriented: OnceLock::new(),
            }),
        })
    }

    /// The shapes it is made of.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.inner.parts
    }

    /// A box around all of it, in the body's frame.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.inner.bounds
    }

    /// No coordinate in it is larger, of parts in their own frames too.
    pub(super) fn reach(&self) -> f64 {
        self.inner.reach
    }

    /// A box around all of it at a pose, by the fast transformation of its box (Zachmann 1994, section 5.2.1); of a few vertices, the smallest box.
    #[must_use]
    pub fn bounds_at(&self, pose: &Pose) -> Aabb {
        if self.inner.few {
            return self.tight_bounds_at(pose);
        }
        if !self.inner.unbounded {
            return self.inner.bounds.transformed(pose);
        }
        let at = |part: &Part| bounds_at(&part.shape, &pose.compose(&part.pose));
        self.parts().iter().fold(Aabb::EMPTY, |all, part| all.union(&at(part)))
    }

    /// The smallest box around all of it at a pose, to rounding: looks at every vertex.
    #[must_use]
    pub fn tight_bounds_at(&self, pose: &Pose) -> Aabb {
        let at = |part: &Part| {
            let whole = pose.compose(&part.pose);
            let points = match part.shape.kind() {
                Kind::Mesh(mesh) | Kind::Solid(mesh) => return mesh.bounds_at(&whole),
                _ => part.shape.core_points(),
            };
            match points {
                None => bounds_at(&part.shape, &whole),
                Some(points) => {
                    let moved = points.iter().map(|v| whole.transform_point(*v));
                    with_margin(Aabb::from_points(moved), part.shape.margin())
                }
            }
        };
        self.parts().iter().fold(Aabb::EMPTY, |all, part| all.union(&at(part)))
    }

    /// A box that holds it however it is turned, at a place (Zachmann 1994, section 5.2): it only has to be moved. Infinite for half-spaces.
    #[must_use]
    pub fn rotation_proof_bounds_at(&self, pose: &Pose) -> Aabb {
        if self.inner.unbounded || self.inner.bounds.is_empty() {
            return self.bounds_at(pose);
        }
        let proof = self.inner.bounds.rotation_proof();
        let half = (proof.max - proof.min) * 0.5;
        let center = pose.transform_point(proof.center());
        let slack = 8.0 * f64::EPSILON * (center.abs() + half + proof.center().abs());
        let reach = half.max_element() + slack.max_element();
        Aabb { min: center - Vec3::splat(reach), max: center + Vec3::splat(reach) }
    }

    /// An oriented box around all of it, in the body's frame. Where it has no end the box is cut off far beyond all coordinates.
    pub(super) fn oriented(&self) -> &Oriented {
        self.inner.oriented.get_or_init(|| {
            if let [part] = self.parts() {
                if let (Some(mesh), true) = (mesh_of(&part.shape), part.pose == Pose::IDENTITY) {
                    let triangles: Vec<[Vec3; 3]> =
                        (0..mesh.triangles().len()).map(|t| mesh.triangle(t)).collect();
                    return Oriented::around_triangles(&triangles);
                }
            }
            let far = Vec3::splat(1e70);
            let Aabb { min, max } = self.bounds();
            if self.bounds().is_empty() {
                return Oriented::around(&[]);
            }
            let ends = [min.clamp(-far, far), max.clamp(-far, far)];
            let corner = |i: usize| Vec3::from_array([0, 1, 2].map(|k| ends[i >> k & 1][k]));
            Oriented::around(&std::array::from_fn::<Vec3, 8, _>(corner))
        })
    }

    /// The mesh of a body that is one mesh, as it is if nobody else has it, or copied.
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

/// A box around a shape at a pose, conservative including rounding.
fn bounds_at(shape: &Shape, pose: &Pose) -> Aabb {
    if let Kind::HalfSpace(half_space) = shape.kind() {
        let normal = pose.transform_vector(half_space.normal());
        let offset = half_space.offset() + normal.dot(pose.translation());
        let size = normal.abs().dot(pose.translation().abs()) + half_space.offset().abs();
        return half_space_bounds(normal, offset, 16.0 * f64::EPSILON * size);
    }
    bounds_of(shape).transformed(pose)
}

/// A box around a shape that is no half-space, in its own frame.
fn bounds_of(shape: &Shape) -> Aabb {
    let core = match shape.kind() {
        Kind::Mesh(mesh) | Kind::Solid(mesh) => return mesh.bounds(),
        Kind::Cylinder(body) => curved_bounds(body),
        Kind::Cone(body) => curved_bounds(body),
        Kind::Ellipsoid(body) => curved_bounds(body),
        Kind::Hull(_)
        | Kind::Sphere(_)
        | Kind::Capsule(_)
        | Kind::Cuboid(_)
        | Kind::HalfSpace(_) => {
            Aabb::from_points(shape.core_points().into_iter().flatten().copied())
        }
    };
    with_margin(core, shape.margin())
}

/// The box with a margin, and what rounding may hide.
fn with_margin(core: Aabb, margin: f64) -> Aabb {
    let size = core.min.abs().max(core.max.abs()).max_element() + margin;
    core.grown(margin + 4.0 * f64::EPSILON * size)
}

/// A box around a curved core: how far it reaches along each axis, and by how much its furthest points may be off.
fn curved_bounds<B: Body<Memory = ()>>(body: &B) -> Aabb {
    let reach = |direction: Vec3| body.furthest(direction, &mut ());
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let max = Vec3::from_array([0, 1, 2].map(|k| reach(axes[k])[k]));
    let min = Vec3::from_array([0, 1, 2].map(|k| reach(-axes[k])[k]));
    Aabb { min, max }.grown(body.support_error())
}

/// Everything on one side of a plane, give or take: bounded only if the plane is perpendicular to an axis.
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
