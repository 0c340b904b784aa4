//! The kinds of pairwise methods.

use std::fmt;

use super::method::Method;
use super::pair_method::PairMethod;
use crate::arrays::MapToVec;
use crate::{Error, ErrorKind};

/// A kind of pairwise method: its name, and for external methods a function that creates one. With
/// it a method of a [`World`](super::World) is selected for
/// [all pairs](super::WorldOptions::method), for pairs of two
/// [classes](super::World::set_class_method) of bodies, or for a
/// [single pair](super::World::set_method).
///
/// The engine's methods are [`MethodKind::ALL`], and all give the same verdict. A program adds
/// others with [`MethodKind::new`], as the crate `impinge-papers` does.
///
/// ```
/// use impinge::world::{Body, MethodKind, World};
/// use impinge::shapes;
///
/// let mut world = World::new();
/// let ring = shapes::torus(2.0, 0.5, 48, 24)?;
/// let [a, b] = [world.add(Body::new(ring.clone()))?, world.add(Body::new(ring))?];
/// world.set_method(a, b, Some(MethodKind::by_name("triangles", MethodKind::ALL)?))?;
/// assert_eq!(world.explain(a, b)?.chosen, MethodKind::TRIANGLES);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct MethodKind(pub(super) Source);

/// The origin of a method.
#[derive(Clone, Copy)]
pub(super) enum Source {
    Engine(Method),
    Other { name: &'static str, make: Make },
}

/// What creates an external method.
#[derive(Clone, Copy)]
pub(super) enum Make {
    Function(fn() -> Box<dyn PairMethod>),
    Closure(&'static (dyn Fn() -> Box<dyn PairMethod> + Send + Sync)),
}

impl MethodKind {
    /// The query for two shapes of which at least one is no mesh: certified GJK, or a search in the
    /// mesh's tree.
    pub const SHAPES: Self = Self(Source::Engine(Method::Shapes));

    /// The hulls of two convex solids, which decide if the solids are apart; a contact is confirmed
    /// by triangles, because the faces of a rotated body are not exactly planar after rounding.
    pub const HULLS: Self = Self(Source::Engine(Method::Hulls));

    /// The hulls of two meshes from the last separating vector, and their triangles only if the
    /// hulls do not decide.
    pub const HULLS_THEN_TRIANGLES: Self = Self(Source::Engine(Method::HullsThenTriangles));

    /// The trees of two meshes, starting where the last check ended.
    pub const TRIANGLES: Self = Self(Source::Engine(Method::Triangles));

    /// The boxes of all triangles, sorted along an axis.
    pub const SWEEP: Self = Self(Source::Engine(Method::Sweep));

    /// Every triangle of one mesh with every triangle of the other.
    pub const BRUTE_FORCE: Self = Self(Source::Engine(Method::BruteForce));

    /// The kinds of this crate.
    pub const ALL: &[Self] = &[
        Self::SHAPES,
        Self::HULLS,
        Self::HULLS_THEN_TRIANGLES,
        Self::TRIANGLES,
        Self::SWEEP,
        Self::BRUTE_FORCE,
    ];

    /// A method that `make` creates: a plain `fn`, so that kinds can be constants; it captures
    /// nothing. Each world creates its own method, when the kind is first selected. Two external
    /// kinds with the same name are equal.
    #[must_use]
    pub const fn new(name: &'static str, make: fn() -> Box<dyn PairMethod>) -> Self {
        Self(Source::Other { name, make: Make::Function(make) })
    }

    /// As [`MethodKind::new`], with a closure, which may capture options. It lives as long as the
    /// program, so that a kind is a copyable value: create it once, not for each world.
    ///
    /// ```
    /// use impinge::world::{MethodKind, PairMethod};
    ///
    /// fn kind<M: PairMethod + Clone + 'static>(name: &'static str, method: M) -> MethodKind {
    ///     let make = move || Box::new(method.clone()) as Box<dyn PairMethod>;
    ///     MethodKind::with_closure(name, Box::leak(Box::new(make)))
    /// }
    /// ```
    #[must_use]
    pub const fn with_closure(
        name: &'static str,
        make: &'static (dyn Fn() -> Box<dyn PairMethod> + Send + Sync),
    ) -> Self {
        Self(Source::Other { name, make: Make::Closure(make) })
    }

    /// The name, one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Source::Engine(method) => method.name(),
            Source::Other { name, .. } => name,
        }
    }

    /// Creates the method, if it is external; `None` for the engine's methods, which are part of
    /// the world.
    #[must_use]
    pub fn make(self) -> Option<Box<dyn PairMethod>> {
        match self.0 {
            Source::Engine(_) => None,
            Source::Other { make: Make::Function(make), .. } => Some(make()),
            Source::Other { make: Make::Closure(make), .. } => Some(make()),
        }
    }

    /// The kind of this name.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if there is none; the message lists the names.
    pub fn by_name(name: &str, among: &[Self]) -> Result<Self, Error> {
        among.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
            let known: Vec<&str> = among.map_to_vec(|kind| kind.name());
            let message =
                format!("there is no pairwise method {name:?}; there are {}", known.join(", "));
            Error::new(ErrorKind::BadParameter, message)
        })
    }
}

impl From<Method> for MethodKind {
    fn from(method: Method) -> Self {
        Self(Source::Engine(method))
    }
}

impl PartialEq for MethodKind {
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (Source::Engine(a), Source::Engine(b)) => a == b,
            (Source::Other { name: a, .. }, Source::Other { name: b, .. }) => a == b,
            (Source::Engine(_), Source::Other { .. })
            | (Source::Other { .. }, Source::Engine(_)) => false,
        }
    }
}

impl Eq for MethodKind {}

impl fmt::Debug for MethodKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MethodKind").field(&self.name()).finish()
    }
}

impl fmt::Display for MethodKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
