//! Which search answers a query, and whether it continues the last one.

use super::small::{SmallSearch, are_small};
use crate::budget::Budget;
use crate::math::Pose;
use crate::mesh::Mesh;
use crate::tree::{Aim, Tree, UnevenSearch};

/// A mesh with its tree.
pub(super) type WithTree<'m> = (&'m Mesh, &'m Tree);

/// A search by trees in `f32`.
pub(super) trait SearchInF32: Default {
    /// Starts a query; false if the sizes, or the distance, exceed the precision of `f32`.
    fn start(&mut self, a: WithTree<'_>, b: WithTree<'_>, pose: &Pose, budget: &Budget<'_>)
    -> bool;
}

/// The searches for one question; at most one of them is under way.
#[derive(Debug, Default)]
pub(super) struct Searches<T> {
    by_trees: T,
    uneven: Option<Box<UnevenSearch>>,
    small: Option<Box<SmallSearch>>,
    /// The stamps of the trees and the pose of the search by trees that is under way.
    key: Option<([u64; 2], Pose)>,
    /// Whether that is the one in `f64`.
    is_uneven: bool,
}

/// The search that answers a query.
pub(super) enum Selected<'s, 'm, T> {
    /// One of the meshes has no triangles.
    Empty,
    /// By the boxes of the meshes: at least one tree is missing.
    Boxes,
    /// By the trees, in `f32`.
    Trees(&'s mut T, WithTree<'m>, WithTree<'m>),
    /// By the trees, in `f64`, for sizes and distances beyond the precision of `f32`.
    Uneven(&'s mut UnevenSearch, WithTree<'m>, WithTree<'m>),
    /// Every triangle against every triangle.
    Small(&'s mut SmallSearch),
}

/// The search that was started for a query.
pub(super) enum UnderWay<'s, 'm, T> {
    /// See [`Selected::Trees`].
    Trees(&'s T, &'m Tree, &'m Tree),
    /// See [`Selected::Uneven`].
    Uneven(&'s UnevenSearch),
    /// See [`Selected::Small`].
    Small(&'s SmallSearch),
}

impl<T: SearchInF32> Searches<T> {
    /// The search of a query, if it was the last one.
    pub(super) fn under_way<'m>(
        &self,
        a: &'m Mesh,
        b: &'m Mesh,
        pose: &Pose,
    ) -> Option<UnderWay<'_, 'm, T>> {
        let (Some(tree_a), Some(tree_b)) = (a.built_tree(), b.built_tree()) else {
            let small = self.small.as_ref().filter(|small| small.belongs_to(a, b, pose))?;
            return Some(UnderWay::Small(small));
        };
        let (stamps, at) = self.key.as_ref()?;
        if *stamps != [tree_a.stamp(), tree_b.stamp()] || at != pose {
            return None;
        }
        if self.is_uneven {
            return self.uneven.as_deref().map(UnderWay::Uneven);
        }
        Some(UnderWay::Trees(&self.by_trees, tree_a, tree_b))
    }

    /// Forgets the query, and keeps the memory.
    pub(super) fn forget(&mut self) {
        self.key = None;
        if let Some(small) = &mut self.small {
            small.forget();
        }
    }

    /// The search of a query, and whether it was started now. It is continued if the meshes and the
    /// pose are those of the last call.
    pub(super) fn select<'m>(
        &mut self,
        (a, b, pose): (&'m Mesh, &'m Mesh, &Pose),
        aim: Aim,
        budget: &Budget<'_>,
    ) -> (Selected<'_, 'm, T>, bool) {
        if a.is_empty() || b.is_empty() {
            self.forget();
            return (Selected::Empty, true);
        }
        let trees = match (a.built_tree(), b.built_tree()) {
            (Some(tree_a), Some(tree_b)) => Some((tree_a, tree_b)),
            _ if are_small(a, b) => return self.select_small((a, b, pose), aim),
            _ => budget.is_unlimited().then(|| (a.tree(), b.tree())),
        };
        let Some((tree_a, tree_b)) = trees else {
            self.forget();
            return (Selected::Boxes, true);
        };
        self.select_tree((a, tree_a), (b, tree_b), pose, aim, budget)
    }

    fn select_small<'m>(
        &mut self,
        (a, b, pose): (&'m Mesh, &'m Mesh, &Pose),
        aim: Aim,
    ) -> (Selected<'_, 'm, T>, bool) {
        self.key = None;
        let small = self.small.get_or_insert_default();
        let is_new = !small.belongs_to(a, b, pose);
        if is_new {
            small.start(a, b, pose, aim);
        }
        (Selected::Small(small), is_new)
    }

    #[inline]
    fn select_tree<'m>(
        &mut self,
        a: WithTree<'m>,
        b: WithTree<'m>,
        pose: &Pose,
        aim: Aim,
        budget: &Budget<'_>,
    ) -> (Selected<'_, 'm, T>, bool) {
        let stamps = [a.1.stamp(), b.1.stamp()];
        let is_new = !self.key.as_ref().is_some_and(|(own, at)| *own == stamps && at.equals(pose));
        if is_new {
            self.forget();
            self.is_uneven = !self.by_trees.start(a, b, pose, budget);
            if self.is_uneven {
                self.uneven.get_or_insert_default().start(a, b, pose, aim);
            }
            self.key = Some((stamps, *pose));
        }
        let selected = if self.is_uneven {
            Selected::Uneven(self.uneven.get_or_insert_default(), a, b)
        } else {
            Selected::Trees(&mut self.by_trees, a, b)
        };
        (selected, is_new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    /// Counts its queries; even ones exceed the precision of `f32`.
    #[derive(Default)]
    struct Counter(u32);

    impl SearchInF32 for Counter {
        fn start(&mut self, _: WithTree<'_>, _: WithTree<'_>, _: &Pose, _: &Budget<'_>) -> bool {
            self.0 += 1;
            self.0 % 2 == 1
        }
    }

    fn kind(selected: &Selected<'_, '_, Counter>) -> &'static str {
        match selected {
            Selected::Empty => "empty",
            Selected::Boxes => "boxes",
            Selected::Trees(..) => "trees",
            Selected::Uneven(..) => "uneven",
            Selected::Small(_) => "small",
        }
    }

    #[test]
    fn a_search_is_continued_only_if_nothing_else_was_asked_since() {
        let cube = shapes::cuboid([1.0; 3]).unwrap();
        let (bare, ball) = (shapes::icosphere(1.0, 4).unwrap(), shapes::icosphere(1.0, 3).unwrap());
        ball.prepare();
        let none = Mesh::from_soup(&[]).unwrap();
        let here = Pose::IDENTITY;
        let there = Pose::from_translation([0.5, 0.0, 0.0]).unwrap();
        let mut searches = Searches::<Counter>::default();
        let mut ask = |a, b, pose: &Pose| {
            let budget = Budget::steps(1);
            let (selected, is_new) = searches.select((a, b, pose), Aim::FirstHit, &budget);
            (kind(&selected), is_new)
        };
        assert_eq!(ask(&ball, &ball, &here), ("trees", true));
        assert_eq!(ask(&ball, &ball, &here), ("trees", false));
        assert_eq!(ask(&ball, &ball, &there), ("uneven", true));
        assert_eq!(ask(&ball, &ball, &there), ("uneven", false));
        assert_eq!(ask(&cube, &cube, &here), ("small", true));
        assert_eq!(ask(&cube, &cube, &here), ("small", false));
        assert_eq!(ask(&ball, &ball, &there), ("trees", true));
        assert_eq!(ask(&cube, &cube, &here), ("small", true));
        assert_eq!(ask(&bare, &ball, &here), ("boxes", true));
        assert_eq!(ask(&none, &ball, &here), ("empty", true));
        searches.forget();
        let unlimited = Budget::unlimited();
        let (selected, _) = searches.select((&bare, &ball, &here), Aim::FirstHit, &unlimited);
        assert_eq!(kind(&selected), "uneven");
    }
}
