//! The kinds of shapes.

use std::sync::{Arc, OnceLock};

use super::form::{Convex, Core, Form};
use crate::convex::{
    Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Hull, Rounded, Sphere, Support,
};
use crate::error::{Error, ErrorKind};
use crate::math::{MAX_COORDINATE, Vec3};
use crate::mesh::Mesh;

/// A shape of any kind, ready for queries. Cheap to clone: meshes and hulls are shared.
///
/// Use `Shape::from` for a mesh, a hull or a primitive, and [`Shape::solid`] and [`Shape::rounded`]
/// for the other shapes.
///
/// ```
/// use impinge::convex::Sphere;
/// use impinge::shape::{Kind, Shape};
/// use impinge::shapes;
///
/// let ball = Shape::from(Sphere::new(1.0)?);
/// let surface = Shape::from(shapes::icosphere(1.0, 3)?);
/// let solid = Shape::solid(shapes::icosphere(1.0, 3)?)?;
/// assert!(matches!(solid.kind(), Kind::Solid(_)));
/// assert_eq!(ball.rounded(0.5)?.margin(), 1.5);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shape {
    kind: Kind,
    /// The margin of the primitive plus that of [`Shape::rounded`].
    margin: f64,
    /// The core, if it is a polytope.
    core: Option<Arc<Hull>>,
}

/// The kinds of shapes, each in its own frame.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// The surface of a mesh.
    Mesh(Arc<Mesh>),
    /// The solid that a closed mesh bounds, with its surface; the inside is defined as by
    /// [`solid::locate`](crate::solid::locate()).
    Solid(Arc<Mesh>),
    /// A solid hull.
    Hull(Arc<Hull>),
    /// A ball.
    Sphere(Sphere),
    /// A segment with a margin.
    Capsule(Capsule),
    /// A solid box.
    Cuboid(Cuboid),
    /// A solid cylinder.
    Cylinder(Cylinder),
    /// A solid cone.
    Cone(Cone),
    /// A solid ellipsoid.
    Ellipsoid(Ellipsoid),
    /// Everything on one side of a plane.
    HalfSpace(HalfSpace),
}

/// The traits of the kinds. A new kind does not compile until each of them is answered for it.
impl Kind {
    /// The mesh of a mesh or a solid.
    #[inline]
    #[must_use]
    pub fn mesh(&self) -> Option<&Arc<Mesh>> {
        match self {
            Self::Mesh(mesh) | Self::Solid(mesh) => Some(mesh),
            Self::Hull(_)
            | Self::Sphere(_)
            | Self::Capsule(_)
            | Self::Cuboid(_)
            | Self::Cylinder(_)
            | Self::Cone(_)
            | Self::Ellipsoid(_)
            | Self::HalfSpace(_) => None,
        }
    }

    /// Whether its inside belongs to it. False for the surface of a mesh alone.
    #[inline]
    #[must_use]
    pub fn is_solid(&self) -> bool {
        match self {
            Self::Mesh(_) => false,
            Self::Solid(_)
            | Self::Hull(_)
            | Self::Sphere(_)
            | Self::Capsule(_)
            | Self::Cuboid(_)
            | Self::Cylinder(_)
            | Self::Cone(_)
            | Self::Ellipsoid(_)
            | Self::HalfSpace(_) => true,
        }
    }

    /// Whether its core is curved, so that answers about it come from bounds of a distance and not
    /// from exact decisions.
    #[inline]
    #[must_use]
    pub fn is_curved(&self) -> bool {
        match self {
            Self::Cylinder(_) | Self::Cone(_) | Self::Ellipsoid(_) => true,
            Self::Mesh(_)
            | Self::Solid(_)
            | Self::Hull(_)
            | Self::Sphere(_)
            | Self::Capsule(_)
            | Self::Cuboid(_)
            | Self::HalfSpace(_) => false,
        }
    }

    /// Whether it is infinite, so that no finite box contains it at every pose.
    #[inline]
    #[must_use]
    pub fn is_unbounded(&self) -> bool {
        match self {
            Self::HalfSpace(_) => true,
            Self::Mesh(_)
            | Self::Solid(_)
            | Self::Hull(_)
            | Self::Sphere(_)
            | Self::Capsule(_)
            | Self::Cuboid(_)
            | Self::Cylinder(_)
            | Self::Cone(_)
            | Self::Ellipsoid(_) => false,
        }
    }

    /// Whether it can have a margin: see [`Shape::rounded`].
    #[inline]
    #[must_use]
    pub fn can_be_rounded(&self) -> bool {
        match self {
            Self::Mesh(_) | Self::Solid(_) | Self::HalfSpace(_) => false,
            Self::Hull(_)
            | Self::Sphere(_)
            | Self::Capsule(_)
            | Self::Cuboid(_)
            | Self::Cylinder(_)
            | Self::Cone(_)
            | Self::Ellipsoid(_) => true,
        }
    }
}

impl Shape {
    /// Builds everything that queries within a budget need: for a mesh its tree, for a solid also
    /// its pieces, for a hull its [table](Hull::prepare).
    pub fn prepare(&self) {
        if let Some(core) = &self.core {
            core.prepare();
        }
        if let Some(mesh) = self.kind.mesh() {
            super::budgeted::prepare(mesh, self.kind.is_solid());
        }
    }

    fn new(kind: Kind) -> Self {
        let (margin, core) = match &kind {
            Kind::Hull(hull) => (0.0, Some(Arc::clone(hull))),
            Kind::Sphere(sphere) => (sphere.margin(), Some(origin())),
            Kind::Capsule(capsule) => (capsule.margin(), Some(core_of(capsule))),
            Kind::Cuboid(cuboid) => (0.0, Some(core_of(cuboid))),
            Kind::Mesh(_)
            | Kind::Solid(_)
            | Kind::Cylinder(_)
            | Kind::Cone(_)
            | Kind::Ellipsoid(_)
            | Kind::HalfSpace(_) => (0.0, None),
        };
        Self { kind, margin, core }
    }

    /// The solid that a closed mesh bounds.
    ///
    /// # Errors
    /// [`ErrorKind::NotSolid`] if the mesh is not closed.
    pub fn solid(mesh: impl Into<Arc<Mesh>>) -> Result<Self, Error> {
        let mesh = mesh.into();
        crate::solid::check_solid(&mesh, "the mesh")?;
        Ok(Self::new(Kind::Solid(mesh)))
    }

    /// The shape grown by a margin: all points within the distance `margin` of it. Its total margin
    /// is the `f64` sum of this and the previous margin.
    ///
    /// # Errors
    /// If the margin is negative, not finite or, added to the previous margin, too large; or if the
    /// shape is a mesh or a half-space. For those, compare [`distance`](super::distance) with the
    /// margin.
    pub fn rounded(mut self, margin: f64) -> Result<Self, Error> {
        if !self.kind.can_be_rounded() {
            return Err(Error::new(
                ErrorKind::BadParameter,
                "only hulls and primitives can have a margin; compare the distance of meshes and half-spaces with it",
            ));
        }
        let (kind, advice) = match margin + self.margin {
            _ if !margin.is_finite() => (ErrorKind::NotFinite, "give a finite number".to_owned()),
            _ if margin < 0.0 => {
                (ErrorKind::BadParameter, "give a number that is not negative".to_owned())
            }
            total if total > MAX_COORDINATE => {
                let advice = format!(
                    "added to that of the shape it is {total:e}, the largest allowed is {MAX_COORDINATE:e}; choose a larger unit"
                );
                (ErrorKind::OutOfRange, advice)
            }
            total => {
                self.margin = total;
                return Ok(self);
            }
        };
        Err(Error::new(kind, format!("the margin is {margin:e}: {advice}")))
    }

    /// The shape with this total margin, from a stored shape.
    #[cfg(feature = "serde")]
    pub(crate) fn with_total_margin(mut self, margin: f64) -> Result<Self, Error> {
        if margin.to_bits() == self.margin.to_bits() {
            return Ok(self);
        }
        if !self.kind.can_be_rounded() || !(self.margin..=MAX_COORDINATE).contains(&margin) {
            let message = format!(
                "a stored shape has a margin of {margin:e}, which is not possible for its kind; store it again"
            );
            return Err(Error::new(ErrorKind::BadParameter, message));
        }
        self.margin = margin;
        Ok(self)
    }

    /// The kind of shape, without the margin of [`Shape::rounded`].
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The mesh of a shape that is a mesh, as a surface or a solid.
    #[inline]
    #[must_use]
    pub fn mesh(&self) -> Option<&Arc<Mesh>> {
        self.kind.mesh()
    }

    /// The total margin, by which the shape extends beyond its core: the radius of a sphere or a
    /// capsule, plus the margin of [`Shape::rounded`].
    #[must_use]
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// The points whose hull is the core, for hulls, boxes, spheres and capsules, rounded or not.
    /// Certificates in answers use indices into these.
    #[must_use]
    pub fn core_points(&self) -> Option<&[Vec3]> {
        self.core.as_ref().map(|hull| hull.vertices())
    }

    /// The hull of its core, if that is a polytope.
    pub(crate) fn core(&self) -> Option<&Hull> {
        self.core.as_deref()
    }

    /// The core, if the shape is a polytope without a margin.
    pub(crate) fn polytope(&self) -> Option<&Hull> {
        self.core().filter(|_| self.margin == 0.0)
    }

    /// The shape as a convex body, if it is one.
    pub(super) fn convex(&self) -> Option<Convex<'_>> {
        match self.form() {
            Form::Convex(body) => Some(body),
            Form::Mesh { .. } | Form::HalfSpace(_) => None,
        }
    }

    /// The form that the dispatch uses.
    pub(super) fn form(&self) -> Form<'_> {
        let curved = |core| Form::Convex(Convex { core, margin: self.margin });
        match (&self.kind, &self.core) {
            (Kind::Mesh(mesh), _) => Form::Mesh { mesh, solid: false },
            (Kind::Solid(mesh), _) => Form::Mesh { mesh, solid: true },
            (Kind::HalfSpace(half_space), _) => Form::HalfSpace(half_space),
            (Kind::Hull(hull), _) => curved(Core::Hull(hull)),
            (Kind::Cylinder(cylinder), _) => curved(Core::Cylinder(cylinder)),
            (Kind::Cone(cone), _) => curved(Core::Cone(cone)),
            (Kind::Ellipsoid(ellipsoid), _) => curved(Core::Ellipsoid(ellipsoid)),
            (Kind::Sphere(_) | Kind::Capsule(_) | Kind::Cuboid(_), core) => {
                curved(Core::Hull(core.as_ref().expect("the constructor computes the core")))
            }
        }
    }
}

/// The hull of the origin alone.
fn origin() -> Arc<Hull> {
    static ORIGIN: OnceLock<Arc<Hull>> = OnceLock::new();
    Arc::clone(ORIGIN.get_or_init(|| hull_of(&[Vec3::ZERO])))
}

fn core_of(body: &impl Support) -> Arc<Hull> {
    hull_of(&body.core_points().expect("the core is a polytope"))
}

fn hull_of(points: &[Vec3]) -> Arc<Hull> {
    Arc::new(Hull::new(points).expect("the lengths of a primitive are in range"))
}

macro_rules! impl_from_shapes {
    ($($kind:ident: $($from:ty),+;)+) => {$($(
        impl From<$from> for Shape {
            fn from(shape: $from) -> Self {
                Self::new(Kind::$kind(shape.into()))
            }
        }
    )+)+};
}

impl_from_shapes! {
    Mesh: Mesh, Arc<Mesh>;
    Hull: Hull, Arc<Hull>;
    Sphere: Sphere;
    Capsule: Capsule;
    Cuboid: Cuboid;
    Cylinder: Cylinder;
    Cone: Cone;
    Ellipsoid: Ellipsoid;
    HalfSpace: HalfSpace;
}

/// A rounded body as the body with its margin.
impl<B: Support + Clone + Into<Self>> From<Rounded<B>> for Shape {
    fn from(rounded: Rounded<B>) -> Self {
        let inside: Self = rounded.inside().clone().into();
        Self { margin: rounded.margin(), ..inside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    #[test]
    fn margins_add_up_and_are_checked() {
        let ball = Shape::from(Sphere::new(1.0).unwrap());
        assert_eq!(ball.clone().rounded(0.5).unwrap().margin(), 1.5);
        let pillow = Rounded::new(Cuboid::new([1.0, 2.0, 3.0]).unwrap(), 0.25).unwrap();
        let pillow = Shape::from(Rounded::new(pillow, 0.5).unwrap());
        assert_eq!((pillow.margin(), pillow.core_points().unwrap().len()), (0.75, 8));
        for (margin, kind) in [
            (f64::NAN, ErrorKind::NotFinite),
            (f64::INFINITY, ErrorKind::NotFinite),
            (-1.0, ErrorKind::BadParameter),
            (1e61, ErrorKind::OutOfRange),
        ] {
            assert_eq!(ball.clone().rounded(margin).unwrap_err().kind(), kind);
        }
        let cube = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
        for shape in [
            Shape::from(cube.clone()),
            Shape::solid(cube).unwrap(),
            HalfSpace::new([0.0, 0.0, 1.0], 0.0).unwrap().into(),
        ] {
            assert_eq!(shape.rounded(1.0).unwrap_err().kind(), ErrorKind::BadParameter);
        }
    }

    #[test]
    fn open_meshes_are_no_solids() {
        let sheet = shapes::plane([1.0, 1.0], [2, 2]).unwrap();
        assert_eq!(Shape::solid(sheet).unwrap_err().kind(), ErrorKind::NotSolid);
    }
}
