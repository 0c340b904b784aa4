//! Pairwise methods that come from outside of the engine: what a method says about itself, and what
//! it answers about a pair.
//!
//! Two traits, because one value cannot serve all pairs: a [`PairMethod`] is made once for a world
//! and may keep what pairs share (the trees of meshes, say); for every pair it makes a
//! [`PairChecker`], which the world keeps with the pair and asks frame after frame.

use std::fmt::Debug;

use super::geometry::{Part, mesh_of};
use crate::answer::Bounds;
use crate::math::{Aabb, Pose, Vec3};
use crate::pair::{Bias, Budget};
use crate::shape::Kind;

/// A way to find out whether two shapes meet. One value serves all pairs of a
/// [`World`](super::World), from several threads at once.
///
/// ```
/// use impinge::pair::{Bias, Budget};
/// use impinge::world::{
///     Body, MethodKind, PairAnswer, PairChecker, PairMethod, PairQuery, PairTraits, Part, World,
///     WorldOptions,
/// };
/// use impinge::{Pose, shapes};
///
/// /// Says that meshes meet as soon as their boxes do.
/// #[derive(Debug)]
/// struct Boxes;
///
/// impl PairMethod for Boxes {
///     fn name(&self) -> &'static str {
///         "boxes"
///     }
///     fn applies(&self, pair: &PairTraits) -> bool {
///         pair.a.triangles.is_some() && pair.b.triangles.is_some()
///     }
///     fn bias(&self) -> Option<Bias> {
///         Some(Bias::TowardsCollision)
///     }
///     fn nanoseconds(&self, _: &PairTraits) -> f64 {
///         20.0
///     }
///     fn checker(&self, _: &Part, _: &Part) -> Box<dyn PairChecker> {
///         Box::new(Self)
///     }
/// }
///
/// impl PairChecker for Boxes {
///     fn check(&mut self, pair: &PairQuery<'_>, _: &mut Budget<'_>) -> PairAnswer {
///         let [own, other] = pair.boxes();
///         match own.overlaps(&other) {
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
    /// What it is called in tables.
    fn name(&self) -> &'static str;

    /// Whether it can decide about two shapes like these. Where it cannot, it is not asked.
    fn applies(&self, pair: &PairTraits) -> bool;

    /// Which way its answers can be wrong; `None` if all of them are certain, which is the contract
    /// of the engine's own methods. Of answers that lean towards "collision", "no collision" is
    /// certain, and the other way round.
    fn bias(&self) -> Option<Bias>;

    /// Nanoseconds a check is expected to take, roughly, for bodies that move a little from frame
    /// to frame. Asked only about shapes to which the method [applies](PairMethod::applies).
    fn nanoseconds(&self, pair: &PairTraits) -> f64;

    /// What the world keeps with a pair of shapes and asks in every frame. It is dropped with the
    /// pair: when the boxes of the two do not overlap any more, when one of them gets another shape
    /// or goes, when another method is selected.
    fn checker(&self, a: &Part, b: &Part) -> Box<dyn PairChecker>;
}

/// The checks of one pair by one method, from frame to frame. Holds whatever the method keeps.
pub trait PairChecker: Debug + Send + Sync {
    /// Whether the two shapes share a point. They are those that the checker was made for.
    ///
    /// Stops when the budget is spent, as far as the method can stop, and says what is known then.
    /// [`World::update`](super::World::update) sets no limit. An answer that is certain is that of
    /// the exact arithmetic that the crate promises; it must not depend on earlier checks.
    fn check(&mut self, pair: &PairQuery<'_>, budget: &mut Budget<'_>) -> PairAnswer;
}

/// A question about two shapes.
#[derive(Clone, Copy, Debug)]
pub struct PairQuery<'a> {
    /// The first shape; the frame of the question is its own.
    pub a: &'a Part,
    /// The second shape.
    pub b: &'a Part,
    /// The pose of the second shape in the frame of the first. (The poses that parts have in their
    /// bodies are accounted for.)
    pub pose: &'a Pose,
}

impl PairQuery<'_> {
    /// A box around each of the shapes, in the frame of the first, rounding of moved vertices
    /// included. Infinite along some axes for a half-space, empty for a mesh without triangles.
    #[must_use]
    pub fn boxes(&self) -> [Aabb; 2] {
        [self.a.box_at(&Pose::IDENTITY), self.b.box_at(self.pose)]
    }
}

/// What a method found out about two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairAnswer {
    /// They share no point.
    Separated {
        /// Whether that cannot be wrong. False only for a method that leans towards "no collision".
        certain: bool,
    },
    /// They share a point.
    Intersecting {
        /// Whether that cannot be wrong. False only for a method that leans towards "collision".
        certain: bool,
        /// Where, if the method knows.
        witness: Option<PairWitness>,
    },
    /// The budget was spent, or the method gave up; this is known all the same.
    Undecided(Bounds),
}

/// Where two shapes meet, as far as a method knows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairWitness {
    /// The triangles that meet, where a shape is a mesh and one of its triangles does.
    pub triangles: [Option<u32>; 2],
    /// A common point, in the frame of the first shape, rounded.
    pub point: Option<Vec3>,
}

/// What two shapes are like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairTraits {
    /// The first shape.
    pub a: Traits,
    /// The second shape.
    pub b: Traits,
}

impl PairTraits {
    pub(super) fn of(a: &Part, b: &Part) -> Self {
        Self { a: Traits::of(a), b: Traits::of(b) }
    }
}

/// What a shape is like, as far as methods differ about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Traits {
    /// How many triangles, if it is a mesh.
    pub triangles: Option<usize>,
    /// How many corners, if it is a hull or a box, without a margin.
    pub corners: Option<usize>,
    /// Whether its inside counts. Of a mesh that is a surface it does not.
    pub solid: bool,
    /// Whether its inside counts and it is convex, so that its hull is all there is to know.
    pub convex_solid: bool,
}

impl Traits {
    pub(super) fn of(part: &Part) -> Self {
        let mesh = mesh_of(part.shape());
        let solid = !matches!(part.shape().kind(), Kind::Mesh(_));
        Self {
            triangles: mesh.map(|mesh| mesh.triangles().len()),
            corners: part.shape().polytope().map(|hull| hull.vertices().len()),
            solid,
            convex_solid: solid && mesh.is_none_or(|mesh| mesh.classification().convex),
        }
    }
}
