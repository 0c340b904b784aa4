//! External pairwise methods: the description of a method, and its answer about a pair.
//!
//! There are two traits, because one value cannot hold the data of all pairs: a [`PairMethod`] is
//! created once for a world and may keep data that pairs share (such as trees of meshes); for every
//! pair it creates a [`PairChecker`], which the world keeps with the pair and calls in every frame.

use std::fmt::Debug;

use super::geometry::BodyPart;
use crate::answer::Bounds;
use crate::math::{Aabb, Pose, Vec3};
use crate::pair::{Bias, Budget};
use crate::shape;

/// A method that decides whether two shapes meet. One value is used for all pairs of a
/// [`World`](super::World), by several threads at once.
///
/// # Solids
///
/// A method that [applies](PairMethod::applies) to all meshes ([`Traits::triangles`]) also gets
/// meshes that are solids ([`Traits::solid`]), and the inside of a solid belongs to it: if the
/// surfaces do not meet, the shapes still meet if one is inside the other. Either ask
/// [`PairQuery::contained_point`] after the surfaces, or do not apply to solids. The other shapes
/// are solid, too, and a point set each as [`shape`](crate::shape#point-sets) defines it, margin
/// included.
///
/// A complete method, exact for solids, is `examples/own_pair_method.rs`; this one has a bias:
///
/// ```
/// use impinge::pair::{Bias, Budget};
/// use impinge::world::{
///     Body, BodyPart, MethodKind, PairAnswer, PairChecker, PairMethod, PairQuery, PairTraits,
///     World, WorldOptions,
/// };
/// use impinge::{Pose, shapes};
///
/// /// Reports that meshes meet if their boxes do.
/// #[derive(Debug)]
/// struct Boxes;
///
/// impl PairMethod for Boxes {
///     fn applies(&self, pair: &PairTraits) -> bool {
///         pair.a.triangles.is_some() && pair.b.triangles.is_some()
///     }
///     fn bias(&self) -> Option<Bias> {
///         Some(Bias::TowardsCollision)
///     }
///     fn nanoseconds(&self, _: &PairTraits) -> f64 {
///         20.0
///     }
///     fn checker(&self, _: &BodyPart, _: &BodyPart) -> Box<dyn PairChecker> {
///         Box::new(Self)
///     }
/// }
///
/// impl PairChecker for Boxes {
///     fn check(&mut self, pair: &PairQuery<'_>, _: &mut Budget<'_>) -> PairAnswer {
///         let [a, b] = pair.boxes();
///         match a.overlaps(&b) {
///             true => PairAnswer::Intersecting { certain: false, witness: None },
///             false => PairAnswer::Separated { certain: true },
///         }
///     }
/// }
///
/// let boxes = MethodKind::new("boxes", || Box::new(Boxes));
/// let mut world = World::with_options(WorldOptions::default().method(Some(boxes)));
/// let ring = shapes::torus(2.0, 0.5, 48, 24)?;
/// world.add(Body::new(ring.clone()))?;
/// world.add(Body::new(ring).at(Pose::from_translation([0.0, 0.0, 0.9])?))?;
/// let event = world.update().events()[0];
/// assert_eq!(event.bias, Some(Bias::TowardsCollision));
/// # Ok::<(), impinge::Error>(())
/// ```
pub trait PairMethod: Debug + Send + Sync {
    /// Whether it can decide for two shapes with these traits. If it cannot, it is not used.
    fn applies(&self, pair: &PairTraits) -> bool;

    /// The direction of possible errors; `None` if all answers are certain, as those of the
    /// engine's methods are. With a bias towards "collision" the answer "no collision" is certain,
    /// and the reverse.
    fn bias(&self) -> Option<Bias>;

    /// The approximate time of a check in nanoseconds, for bodies that move a little from frame to
    /// frame. Called only for shapes to which the method [applies](PairMethod::applies).
    fn nanoseconds(&self, pair: &PairTraits) -> f64;

    /// The checker that the world keeps with a pair of shapes and calls in every frame. It is
    /// dropped with the pair: when the boxes of the two do not overlap any more, when one of them
    /// gets another shape or is removed, or when another method is selected.
    fn checker(&self, a: &BodyPart, b: &BodyPart) -> Box<dyn PairChecker>;
}

/// The checks of one pair by one method, from frame to frame. Contains the data that the method
/// keeps for the pair.
pub trait PairChecker: Debug + Send + Sync {
    /// Whether the two shapes share a point. They are the shapes that the checker was created for.
    ///
    /// Stops when the budget is spent, as far as the method can stop, and returns the known bounds.
    /// [`World::update`](super::World::update) sets no limit. A certain answer must be that of
    /// exact arithmetic; it must not depend on earlier checks.
    fn check(&mut self, pair: &PairQuery<'_>, budget: &mut Budget<'_>) -> PairAnswer;
}

/// The input of a check: two shapes and their relative pose.
#[derive(Clone, Copy, Debug)]
pub struct PairQuery<'a> {
    /// The first shape; the query is in its frame.
    pub a: &'a BodyPart,
    /// The second shape.
    pub b: &'a BodyPart,
    /// The pose of the second shape in the frame of the first. It includes the poses of the parts
    /// in their bodies.
    pub pose: &'a Pose,
}

impl PairQuery<'_> {
    /// A box around each of the shapes, in the frame of the first, including the rounding of moved
    /// vertices. Infinite along some axes for a half-space, empty for a mesh without triangles.
    #[must_use]
    pub fn boxes(&self) -> [Aabb; 2] {
        [self.a.box_at(&Pose::IDENTITY), self.b.box_at(self.pose)]
    }

    /// A point of one of two meshes inside the solid that is the other one, in the frame of the
    /// first, exactly decided: for methods that compare surfaces, once these do not meet. `None` if
    /// neither is a [`Kind::Solid`](crate::shape::Kind::Solid), if neither is inside the other, or
    /// if a shape is not a mesh.
    #[must_use]
    pub fn contained_point(&self) -> Option<Vec3> {
        let cache = &mut shape::ShapeCache::default();
        shape::contained_point(self.a.shape(), self.b.shape(), self.pose, cache)
    }
}

/// The answer of a method about two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairAnswer {
    /// They share no point.
    Separated {
        /// Whether that is certain. False only for a method with a bias towards "no collision".
        certain: bool,
    },
    /// They share a point.
    Intersecting {
        /// Whether that is certain. False only for a method with a bias towards "collision".
        certain: bool,
        /// Where they meet, if the method computes it.
        witness: Option<PairWitness>,
    },
    /// The budget was spent, or the method stopped without a decision, with certain bounds of the
    /// signed distance.
    Undecided(Bounds),
}

/// Where two shapes meet, as computed by a method.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairWitness {
    /// The triangle of the first shape that meets the second, if it is a mesh and one does.
    pub triangle_a: Option<u32>,
    /// The triangle of the second shape that meets the first, as `triangle_a`.
    pub triangle_b: Option<u32>,
    /// A common point, in the frame of the first shape, rounded.
    pub point: Option<Vec3>,
}

/// The traits of two shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairTraits {
    /// The first shape.
    pub a: Traits,
    /// The second shape.
    pub b: Traits,
}

impl PairTraits {
    pub(super) fn of(a: &BodyPart, b: &BodyPart) -> Self {
        Self { a: Traits::of(a), b: Traits::of(b) }
    }
}

/// The traits of a shape that determine which methods apply, and their cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Traits {
    /// The number of triangles, if it is a mesh.
    pub triangles: Option<usize>,
    /// The number of corners, if it is a hull or a box, without a margin.
    pub corners: Option<usize>,
    /// Whether its inside belongs to it, which is not the case for a mesh that is a surface.
    pub solid: bool,
    /// Whether its inside belongs to it and it is convex, so that it is equal to its hull.
    pub convex_solid: bool,
}

impl Traits {
    pub(super) fn of(part: &BodyPart) -> Self {
        let mesh = part.shape().mesh();
        let solid = part.shape().kind().is_solid();
        Self {
            triangles: mesh.map(|mesh| mesh.triangles().len()),
            corners: part.shape().polytope().map(|hull| hull.vertices().len()),
            solid,
            convex_solid: solid && mesh.is_none_or(|mesh| mesh.classification().convex),
        }
    }
}
