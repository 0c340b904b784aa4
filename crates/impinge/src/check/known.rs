//! What is known of a pair of parts after a check within a budget.

use std::fmt;

use crate::answer::Bounds;

use super::{PairReport, Relation};

/// The answer of a check within a budget.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckWithin<'s> {
    /// The report, which stays in the [`PairSearch`](super::PairSearch).
    Final(&'s PairReport),
    /// The budget was spent.
    Open(PairKnown),
}

impl<'s> CheckWithin<'s> {
    /// The report, if the check is finished.
    #[must_use]
    pub fn report(&self) -> Option<&'s PairReport> {
        match self {
            Self::Final(report) => Some(report),
            Self::Open(_) => None,
        }
    }

    /// Whether the check is finished.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Final(_))
    }
}

/// What is known of a pair of parts whose check is not finished. With a growing budget the bounds
/// never loosen, and relations are only ever excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairKnown {
    /// Bounds of the signed distance of the surfaces. [`Bounds::open_depth`] bounds the depth of
    /// the pairs of triangles that were not compared: it is zero once all were.
    pub bounds: Bounds,
    /// The relations that are still possible.
    pub relations: Relations,
    /// The number of pairs of triangles that are known to meet.
    pub hit_count: usize,
    /// What the check is computing.
    pub stage: CheckStage,
}

/// What a check computes, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CheckStage {
    /// The parts are not [prepared](crate::Mesh::prepare): only their boxes are known.
    Boxes,
    /// Which triangles meet.
    Triangles,
    /// How they meet: whether two of them cross.
    Kinds,
    /// Whether the parts have the same triangles.
    Duplicate,
    /// Which space the parts share.
    Space,
    /// A common point, and the points of all pairs of triangles that meet.
    Points,
    /// The distance.
    Distance,
}

/// A set of relations.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Relations(u8);

impl Relations {
    /// All relations, in the order of their declaration.
    const ALL: [Relation; 7] = [
        Relation::Clear,
        Relation::Near,
        Relation::Touching,
        Relation::Crossing,
        Relation::AInsideB,
        Relation::BInsideA,
        Relation::Duplicate,
    ];

    pub(super) fn all() -> Self {
        Self::of(&Self::ALL)
    }

    pub(super) fn of(relations: &[Relation]) -> Self {
        Self(relations.iter().fold(0, |set, relation| set | 1 << *relation as u8))
    }

    /// Whether the set has a relation.
    #[must_use]
    pub fn contains(self, relation: Relation) -> bool {
        self.0 & (1 << relation as u8) != 0
    }

    /// The relations of the set.
    pub fn iter(self) -> impl Iterator<Item = Relation> {
        Self::ALL.into_iter().filter(move |relation| self.contains(*relation))
    }

    /// The number of relations.
    #[must_use]
    pub fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether all of them are collisions: the parts certainly share a point.
    #[must_use]
    pub fn are_collisions(self) -> bool {
        self.iter().all(Relation::is_collision)
    }

    /// Removes the relations for which `stays` is false.
    pub(super) fn retain(&mut self, stays: &dyn Fn(Relation) -> bool) {
        for relation in Self::ALL {
            if !stays(relation) {
                self.0 &= !(1 << relation as u8);
            }
        }
    }
}

impl fmt::Debug for Relations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_their_relations() {
        let mut set = Relations::all();
        assert_eq!(set.count(), 7);
        set.retain(&Relation::is_collision);
        assert!(!set.contains(Relation::Near) && set.contains(Relation::Touching));
        assert!(set.are_collisions() && set.count() == 5);
        let two = Relations::of(&[Relation::Clear, Relation::AInsideB]);
        assert_eq!(two.iter().collect::<Vec<_>>(), [Relation::Clear, Relation::AInsideB]);
        assert_eq!(format!("{two:?}"), "{Clear, AInsideB}");
        assert!(!two.are_collisions());
    }
}
