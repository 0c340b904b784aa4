//! Search in a single tree: the triangles near something that is not a mesh.
//!
//! The nearest boxes are opened first, down to the triangles, with a limit that may fall as
//! triangles arrive. Everything is computed in `f64` and in the mesh's own frame, so sizes are not
//! restricted.

use std::ops::ControlFlow;

use crate::arrays::MapEach;
use crate::budget::Budget;
use crate::math::{Aabb, Vec3};
use crate::order::sort_few_by;

use super::Tree;
use super::node::{Link, LocalBox};

/// The target of a search in a single tree.
pub(crate) trait BoxSearch {
    /// A certified lower bound of the distance of a box, in the mesh's frame, from the target.
    fn lower_bound(&mut self, center: Vec3, half: Vec3) -> f64;

    /// Boxes whose lower bound exceeds this are skipped. May fall while the search runs.
    fn limit(&self) -> f64;

    /// Receives the lower bound of each box that was skipped.
    fn skipped(&mut self, lower: f64);

    /// Receives a triangle and the lower bound of a box around it; [`ControlFlow::Break`] ends the
    /// search.
    fn triangle(&mut self, index: u32, lower: f64) -> ControlFlow<()>;
}

/// The state of a search that can be interrupted after every node and every triangle.
#[derive(Debug, Default)]
pub(crate) struct BoxStack {
    open: Vec<(f64, Link)>,
    near: Vec<(f64, Link)>,
    /// The leaf that is searched with its lower bound, and its next triangle; without a tree, the
    /// next triangle.
    leaf: Option<(f64, Link)>,
    next: usize,
    /// Without a tree, the lower bound of the box of the mesh, until all triangles were passed.
    whole: Option<f64>,
    is_started: bool,
    /// Units already paid for the next triangle.
    paid: u64,
}

/// Units of a triangle compared with a convex body.
const UNITS_OF_TRIANGLE: u64 = 4;

impl BoxStack {
    /// Forgets the search, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
        (self.leaf, self.next, self.is_started, self.paid) = (None, 0, false, 0);
        self.whole = None;
    }

    /// The number of boxes that are not opened.
    pub(crate) fn len(&self) -> usize {
        self.open.len() + usize::from(self.leaf.is_some())
    }

    /// A lower bound of all boxes that are not opened, and of the triangles of the leaf that is
    /// searched; infinite after the search, and minus infinity before it.
    pub(crate) fn lower(&self) -> f64 {
        if !self.is_started {
            return f64::NEG_INFINITY;
        }
        let leaf = self.leaf.map(|(lower, _)| lower);
        let open = self.open.iter().map(|(lower, _)| *lower);
        open.chain(leaf).chain(self.whole).fold(f64::INFINITY, f64::min)
    }

    /// Pays for the next triangle; false if the budget is spent.
    fn affords_triangle(&mut self, budget: &mut Budget<'_>) -> bool {
        while self.paid < UNITS_OF_TRIANGLE {
            if !budget.step() {
                return false;
            }
            self.paid += 1;
        }
        self.paid = 0;
        true
    }

    /// Passes all triangles to `search`, for a mesh without a tree in this box. The result is that
    /// of [`Tree::search_within`].
    pub(crate) fn all_triangles(
        &mut self,
        count: usize,
        bounds: &Aabb,
        search: &mut impl BoxSearch,
        budget: &mut Budget<'_>,
    ) -> ControlFlow<(), bool> {
        if !self.is_started {
            self.is_started = true;
            let half = (bounds.max - bounds.min) * (0.5 + f64::EPSILON);
            self.whole = Some(search.lower_bound(bounds.min * 0.5 + bounds.max * 0.5, half));
        }
        let lower = self.whole.unwrap_or(f64::NEG_INFINITY);
        while self.next < count {
            if !self.affords_triangle(budget) {
                return ControlFlow::Continue(false);
            }
            self.next += 1;
            search.triangle(self.next as u32 - 1, lower)?;
        }
        self.whole = None;
        ControlFlow::Continue(true)
    }
}

impl Tree {
    /// As [`search`](Self::search), but stops when the budget is spent: the result is whether the
    /// search is finished, unless `search` ended it. A further call with the same state, tree and
    /// `search` continues it.
    pub(crate) fn search_within(
        &self,
        stack: &mut BoxStack,
        search: &mut impl BoxSearch,
        budget: &mut Budget<'_>,
    ) -> ControlFlow<(), bool> {
        let Some((bounds, root)) = &self.root else { return ControlFlow::Continue(true) };
        let slack = self.slack_of_boxes();
        if !stack.is_started {
            let first = search.lower_bound(self.center(bounds), self.half(bounds, slack));
            stack.open.push((first, *root));
            stack.is_started = true;
        }
        loop {
            if let Some((lower, link)) = stack.leaf {
                let leaf = &self.leaves[link.index()];
                while stack.next < leaf.count as usize {
                    if !stack.affords_triangle(budget) {
                        return ControlFlow::Continue(false);
                    }
                    stack.next += 1;
                    search.triangle(leaf.triangles[stack.next - 1], lower)?;
                }
                stack.leaf = None;
            }
            if stack.open.is_empty() {
                return ControlFlow::Continue(true);
            }
            if !budget.step() {
                return ControlFlow::Continue(false);
            }
            let Some((lower, link)) = stack.open.pop() else { continue };
            if lower > search.limit() {
                search.skipped(lower);
            } else if link.is_leaf() {
                (stack.leaf, stack.next) = (Some((lower, link)), 0);
            } else {
                let BoxStack { open, near, .. } = stack;
                self.push_children((lower, link), slack, search, open, near);
            }
        }
    }

    /// Local coordinates are rounded in both directions where the tree has its own axes, and so are
    /// sums with the origin.
    fn slack_of_boxes(&self) -> f64 {
        16.0 * f64::EPSILON * self.largest + f64::MIN_POSITIVE
    }

    /// Adds the children of a node that are within the limit, the nearest last. Their lower bounds
    /// are at least that of the node.
    fn push_children(
        &self,
        (parent, link): (f64, Link),
        slack: f64,
        search: &mut impl BoxSearch,
        open: &mut Vec<(f64, Link)>,
        near: &mut Vec<(f64, Link)>,
    ) {
        let node = &self.nodes[link.index()];
        near.clear();
        for (slot, link) in node.link.iter().enumerate().filter(|(_, l)| **l != Link::NONE) {
            let bounds = node.get(slot);
            let own = search.lower_bound(self.center(&bounds), self.half(&bounds, slack));
            let lower = own.max(parent);
            if lower <= search.limit() {
                near.push((lower, *link));
            } else {
                search.skipped(lower);
            }
        }
        // The nearest is opened first; ties go to the lowest slot.
        near.reverse();
        sort_few_by(near, |p, q| q.0.total_cmp(&p.0).is_lt());
        open.extend_from_slice(near);
    }

    /// Passes every triangle whose box is not certainly beyond the limit to `search`, each once.
    pub(crate) fn search(&self, search: &mut impl BoxSearch) -> ControlFlow<()> {
        let Some((bounds, root)) = &self.root else { return ControlFlow::Continue(()) };
        let slack = self.slack_of_boxes();
        let first = search.lower_bound(self.center(bounds), self.half(bounds, slack));
        let mut open = vec![(first, *root)];
        let mut near: Vec<(f64, Link)> = Vec::with_capacity(8);
        while let Some((lower, link)) = open.pop() {
            if lower > search.limit() {
                search.skipped(lower);
                continue;
            }
            if link.is_leaf() {
                let leaf = &self.leaves[link.index()];
                for triangle in &leaf.triangles[..leaf.count as usize] {
                    search.triangle(*triangle, lower)?;
                }
                continue;
            }
            self.push_children((lower, link), slack, search, &mut open, &mut near);
        }
        ControlFlow::Continue(())
    }

    /// The centre of a box, in the mesh's frame.
    fn center(&self, bounds: &LocalBox) -> Vec3 {
        self.frame.point_in_mesh(Vec3::from(bounds.center.map_each(f64::from)))
    }

    /// Half its sides along the mesh's axes, plus the slack.
    fn half(&self, bounds: &LocalBox, slack: f64) -> Vec3 {
        self.frame.half_sides_in_mesh(Vec3::from(bounds.half.map_each(f64::from)))
            + Vec3::splat(slack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Pose, Random};
    use crate::mesh::Mesh;
    use crate::shapes;

    /// Finds all triangles within a distance of a point, by their boxes.
    struct Around<'a> {
        mesh: &'a Mesh,
        point: Vec3,
        limit: f64,
        found: Vec<u32>,
        least: f64,
    }

    impl BoxSearch for Around<'_> {
        fn lower_bound(&mut self, center: Vec3, half: Vec3) -> f64 {
            ((self.point - center).abs() - half).max(Vec3::ZERO).length()
        }

        fn limit(&self) -> f64 {
            self.limit
        }

        fn skipped(&mut self, lower: f64) {
            self.least = self.least.min(lower);
        }

        fn triangle(&mut self, index: u32, _: f64) -> ControlFlow<()> {
            self.found.push(index);
            ControlFlow::Continue(())
        }
    }

    impl Around<'_> {
        fn gap(&self, triangle: u32) -> f64 {
            let bounds = Aabb::from_points(self.mesh.triangle(triangle as usize));
            bounds.distance_squared(&Aabb { min: self.point, max: self.point }).sqrt()
        }
    }

    #[test]
    fn every_near_triangle_is_found_once() {
        let mut random = Random::new(5);
        let ring = shapes::torus(1.0, 0.4, 40, 20).unwrap();
        let tilt = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
        let tilted = shapes::star_prism(9, 1.0, 0.7, 1.5).unwrap().transformed(&tilt);
        for (shape, scale) in [(&ring, 1.0), (&ring, 1e-30), (&ring, 1e50), (&tilted, 3.0)] {
            let mesh = shape.scaled(scale).unwrap();
            for _ in 0..50 {
                let (point, limit) = (random.in_cube() * 2.0 * scale, random.unit() * scale);
                let mut around =
                    Around { mesh: &mesh, point, limit, found: vec![], least: f64::INFINITY };
                assert!(mesh.tree().search(&mut around).is_continue());
                around.found.sort_unstable();
                assert!(around.found.windows(2).all(|w| w[0] < w[1]));
                for t in 0..mesh.triangles().len() as u32 {
                    if around.found.binary_search(&t).is_err() {
                        assert!(around.gap(t) >= around.least.max(limit), "{t}");
                    }
                }
            }
        }
        let empty = Mesh::from_triangles(vec![], vec![]).unwrap();
        let mut around = Around {
            mesh: &empty,
            point: Vec3::ZERO,
            limit: f64::INFINITY,
            found: vec![],
            least: f64::INFINITY,
        };
        assert!(empty.tree().search(&mut around).is_continue());
        assert!(around.found.is_empty());
    }
}
