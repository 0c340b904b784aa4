//! How often a ray pierces a mesh, in parts: by the mesh's tree, or triangle by triangle.

use crate::budget::{Budget, Paid, Quantum};
use crate::mesh::Mesh;
use crate::tree::{RayQuery, RaySearch, RayTest};

/// The largest number of triangles that are tested one by one, which takes no longer than the tree.
const MAX_TRIANGLES_FOR_LINEAR_RAY: u32 = 24;

/// A row of this many triangles, without a tree, takes one unit in addition to its exact tests.
const TRIANGLES_PER_UNIT: u32 = 16;

/// The state of a count of crossings. It keeps its memory from count to count.
#[derive(Debug, Default)]
pub(super) struct Crossings {
    tree: RaySearch,
    uses_tree: bool,
    /// Without a tree: the next triangle and the sum so far; `None` after the origin of the ray was
    /// found on a triangle.
    next: u32,
    sum: Option<i64>,
    payment: Paid,
}

impl Crossings {
    /// Starts a count. It uses the mesh's tree, or tests every triangle if there are only a few, or
    /// if the tree cannot be used at this pose.
    pub(super) fn start(&mut self, mesh: &Mesh, ray: &RayQuery<'_>) {
        let is_large = mesh.triangles().len() > MAX_TRIANGLES_FOR_LINEAR_RAY as usize;
        self.uses_tree = is_large && self.tree.start(mesh.tree(), ray);
        (self.next, self.sum, self.payment) = (0, Some(0), Paid::default());
    }

    /// Continues the count; `None` if the budget is spent. The result is the signed number of
    /// triangles that the ray pierces, or `None` if a test ended the count.
    pub(super) fn run(
        &mut self,
        mesh: &Mesh,
        test: &mut impl RayTest,
        budget: &mut Budget<'_>,
    ) -> Option<Option<i64>> {
        if self.uses_tree {
            return self.tree.run(mesh.tree(), test, budget);
        }
        let count = mesh.triangles().len() as u32;
        while let Some(sum) = self.sum {
            if self.next == count {
                break;
            }
            let row = u64::from(self.next % TRIANGLES_PER_UNIT == 0);
            if !self.payment.afford(row + test.units(self.next), Quantum::Exact, budget) {
                return None;
            }
            self.sum = test.crossing(self.next).map(|more| sum + more);
            self.next += 1;
        }
        Some(self.sum)
    }

    /// The number of subtrees, or triangles, that remain. Not zero.
    pub(super) fn open(&self, mesh: &Mesh) -> usize {
        let remaining = match self.uses_tree {
            true => self.tree.open(),
            false => mesh.triangles().len() - self.next as usize,
        };
        remaining.max(1)
    }
}
