//! The options of a world.

use super::MethodKind;
use crate::broad::PhaseKind;

/// The options of a [`World`](super::World). Its events and their witnesses do not depend on them,
/// except whether events of persisting pairs are included, and unless a method with a
/// [bias](super::PairMethod::bias) is selected. The [counts](super::Stats) of an update do.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WorldOptions {
    /// The broad phase.
    pub phase: PhaseKind,
    /// The boxes that the broad phase compares.
    pub boxes: BoxKind,
    /// Whether the oriented boxes of a pair must overlap, too. This costs a little for each pair
    /// and saves checks of long bodies that are not parallel to the axes.
    pub oriented: bool,
    /// The method that checks all pairs for which [no other](super::World::set_method) is selected
    /// and to which it applies. `None` for the method of least expected cost.
    pub method: Option<MethodKind>,
    /// Methods from which that one is chosen, in addition to the engine's. Methods with a bias are
    /// never chosen by cost.
    pub candidates: Vec<MethodKind>,
    /// Whether pairs that continue to meet are reported in every update.
    /// [`World::collisions`](super::World::collisions) returns them in any case.
    pub persisting: bool,
}

impl WorldOptions {
    /// With this [`phase`](Self#structfield.phase).
    #[must_use]
    pub fn phase(self, phase: PhaseKind) -> Self {
        Self { phase, ..self }
    }

    /// With these [`boxes`](Self#structfield.boxes).
    #[must_use]
    pub fn boxes(self, boxes: BoxKind) -> Self {
        Self { boxes, ..self }
    }

    /// With or without [`oriented`](Self#structfield.oriented) boxes.
    #[must_use]
    pub fn oriented(self, oriented: bool) -> Self {
        Self { oriented, ..self }
    }

    /// With this [`method`](Self#structfield.method).
    #[must_use]
    pub fn method(self, method: impl Into<Option<MethodKind>>) -> Self {
        Self { method: method.into(), ..self }
    }

    /// With these [`candidates`](Self#structfield.candidates).
    #[must_use]
    pub fn candidates(self, candidates: Vec<MethodKind>) -> Self {
        Self { candidates, ..self }
    }

    /// With or without events of [persisting](Self#structfield.persisting) pairs.
    #[must_use]
    pub fn persisting(self, persisting: bool) -> Self {
        Self { persisting, ..self }
    }

    /// The method and the candidates.
    pub(super) fn methods(&self) -> impl Iterator<Item = MethodKind> + '_ {
        self.method.into_iter().chain(self.candidates.iter().copied())
    }
}

/// The boxes around bodies (Zachmann 1994, section 5.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoxKind {
    /// For meshes the box of the rotated local box, without a pass over their vertices. Convex
    /// shapes get the smallest box.
    #[default]
    Fast,
    /// The smallest box: a pass over every vertex of a mesh or hull in every frame.
    Tight,
    /// A cube that contains the body in every orientation, and only has to be moved.
    RotationProof,
}
