//! What shapes there are.

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
/// Made `from` a mesh, a hull or a primitive; [`Shape::solid`] and [`Shape::rounded`] make the
/// rest.
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
    /// Of the primitive and around it, together.
    margin: f64,
    /// The core of whatever is a polytope with a margin.
    core: Option<Arc<Hull>>,
}

/// The kinds of shapes, each in its own frame.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// The surface of a mesh.
    Mesh(Arc<Mesh>),
    /// What a closed mesh bounds, with its surface; inside is where
    /// [`solid::locate`](crate::solid::locate()) says.
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

impl Shape {
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

    /// The shape with so much more around it: everything within `margin` of it. The margin of the
    /// whole is the `f64` sum of this and what there was.
    ///
    /// # Errors
    /// If the margin is negative, not finite or, with what there was, too large; or if the shape is
    /// a mesh or a half-space, for which there is [`distance`](super::distance).
    pub fn rounded(mut self, margin: f64) -> Result<Self, Error> {
        if matches!(self.kind, Kind::Mesh(_) | Kind::Solid(_) | Kind::HalfSpace(_)) {
            return Err(Error::new(
                ErrorKind::BadParameter,
                "only hulls and primitives take a margin; compare the distance of meshes and half-spaces with it",
            ));
        }
        let (kind, why) = match margin + self.margin {
            _ if !margin.is_finite() => (ErrorKind::NotFinite, "give a finite number".to_owned()),
            _ if margin < 0.0 => {
                (ErrorKind::BadParameter, "give a number that is not negative".to_owned())
            }
            whole if whole > MAX_COORDINATE => {
                let why = format!(
                    "with that of the shape, {whole:e}, the most is {MAX_COORDINATE:e}; choose a larger unit"
                );
                (ErrorKind::OutOfRange, why)
            }
            whole => {
                self.margin = whole;
                return Ok(self);
            }
        };
        Err(Error::new(kind, format!("the margin is {margin:e}: {why}")))
    }

    /// The shape with this margin of the whole, which is what it had when it was stored.
    #[cfg(feature = "serde")]
    pub(crate) fn with_whole_margin(mut self, margin: f64) -> Result<Self, Error> {
        let takes_one = !matches!(self.kind, Kind::Mesh(_) | Kind::Solid(_) | Kind::HalfSpace(_));
        if margin.to_bits() == self.margin.to_bits() {
            return Ok(self);
        }
        if !takes_one || !(self.margin..=MAX_COORDINATE).contains(&margin) {
            let message =
                format!("a stored shape has a margin of {margin:e}, which it cannot have");
            return Err(Error::new(ErrorKind::BadParameter, message));
        }
        self.margin = margin;
        Ok(self)
    }

    /// What kind of shape it is, without what [`Shape::rounded`] has put around it.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// How far the shape reaches beyond its core: the radius of a sphere or a capsule, and what
    /// [`Shape::rounded`] has put around it.
    #[must_use]
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// The points whose hull is the core, for hulls, boxes, spheres and capsules, rounded or not.
    /// Certificates in answers number these.
    #[must_use]
    pub fn core_points(&self) -> Option<&[Vec3]> {
        self.core.as_ref().map(|hull| hull.vertices())
    }

    /// The hull of its core, if that is a polytope.
    pub(crate) fn core(&self) -> Option<&Hull> {
        self.core.as_deref()
    }

    /// The hull that it is, if it is a polytope without a margin.
    pub(crate) fn polytope(&self) -> Option<&Hull> {
        self.core().filter(|_| self.margin == 0.0)
    }

    /// As the dispatch sees it.
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
                curved(Core::Hull(core.as_ref().expect("made with the shape")))
            }
        }
    }
}

/// The hull of the origin.
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

macro_rules! made_from {
    ($($kind:ident: $($from:ty),+;)+) => {$($(
        impl From<$from> for Shape {
            fn from(shape: $from) -> Self {
                Self::new(Kind::$kind(shape.into()))
            }
        }
    )+)+};
}

made_from! {
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
