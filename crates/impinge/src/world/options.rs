//! How a world works.

use super::MethodKind;
use crate::broad::PhaseKind;

/// How a [`World`](super::World) works. The events that it reports, with their witnesses, do not
/// depend on it, but for whether those that persist are among them, and as long as no method is
/// selected that [leans](super::PairMethod::bias) one way; what an update [took](super::Stats)
/// does.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WorldOptions {
    /// The broad phase.
    pub phase: PhaseKind,
    /// The boxes that the broad phase compares.
    pub boxes: BoxKind,
    /// Whether pairs must overlap by their oriented boxes too, which costs a little for each pair
    /// and saves checks of long bodies that lie askew.
    pub oriented: bool,
    /// The method that checks all pairs for which [no other](super::World::set_method) is selected
    /// and to which it applies. `None` for the one that is expected to cost least.
    pub method: Option<MethodKind>,
    /// Methods from which that one is chosen, beside the engine's own. Those that lean one way are
    /// never chosen for their cost.
    pub candidates: Vec<MethodKind>,
    /// Whether pairs that go on meeting are reported in every update. They can always be asked for
    /// by [`World::collisions`](super::World::collisions).
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

    /// With or without events of what [`persists`](Self#structfield.persisting).
    #[must_use]
    pub fn persisting(self, persisting: bool) -> Self {
        Self { persisting, ..self }
    }

    /// The methods that are named.
    pub(super) fn methods(&self) -> impl Iterator<Item = MethodKind> + '_ {
        self.method.into_iter().chain(self.candidates.iter().copied())
    }
}

/// The boxes around bodies (Zachmann 1994, section 5.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoxKind {
    /// Of meshes the box of the box: their own box, turned and boxed again, without a look at their
    /// vertices. Whatever is convex gets the smallest box.
    #[default]
    Fast,
    /// The smallest box: looks at every vertex of a mesh or hull in every frame.
    Tight,
    /// A cube that holds the body however it turns: only moved.
    RotationProof,
}
