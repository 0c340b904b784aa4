//! Whether two meshes have the same triangles, in any order.

use crate::arrays::MapEach;
use crate::budget::{Budget, Paid, Quantum};
use crate::math::{Vec3, coordinate_key};
use crate::order::sort_few_by;
use crate::pair::Posed;
use crate::solid::Sorting;

/// Triangles that are compared, or whose keys are computed, in one unit.
const TRIANGLES_PER_UNIT: usize = 8;

/// A triangle as a set of points, in a form that has an order.
type Key = [[u64; 3]; 3];

/// A search for a difference between the triangles of two meshes as sets of points, with the same
/// multiplicity, in parts. The order of the triangles, their first corners and their orientations
/// do not matter.
#[derive(Debug, Default)]
pub(super) struct SameSearch {
    stage: Stage,
    next: usize,
    keys: [Vec<Key>; 2],
    sorting: [Sorting<Key>; 2],
    payment: Paid,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Copies have their triangles in the same order.
    #[default]
    InOrder,
    Keys,
    Sort,
    Compare,
}

impl SameSearch {
    /// Forgets the query, and keeps the memory.
    pub(super) fn reset(&mut self) {
        (self.stage, self.next) = (Stage::InOrder, 0);
        self.keys.iter_mut().for_each(Vec::clear);
        self.sorting.iter_mut().for_each(Sorting::reset);
        self.payment = Paid::default();
    }

    /// Continues the search; `None` if the budget is spent.
    pub(super) fn run(
        &mut self,
        a: &Posed<'_>,
        b: &Posed<'_>,
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        if a.len() != b.len() || a.bounds() != b.bounds() {
            return Some(false);
        }
        if self.stage == Stage::InOrder {
            if self.all(a.len(), budget, |_, t| a.triangle(t) == b.triangle(t))? {
                return Some(true);
            }
            self.next = 0;
            self.stage = Stage::Keys;
        }
        if self.stage == Stage::Keys {
            self.all(a.len(), budget, |keys, t| {
                keys[0].push(key(a.triangle(t)));
                keys[1].push(key(b.triangle(t)));
                true
            })?;
            self.stage = Stage::Sort;
        }
        if self.stage == Stage::Sort {
            for (sorting, keys) in self.sorting.iter_mut().zip(&mut self.keys) {
                if !sorting.sort(keys, budget) {
                    return None;
                }
            }
            self.next = 0;
            self.stage = Stage::Compare;
        }
        self.all(a.len(), budget, |[of_a, of_b], t| of_a[t as usize] == of_b[t as usize])
    }

    /// Calls `holds` for the next triangles up to the first for which it is false; whether there is
    /// none.
    fn all(
        &mut self,
        count: usize,
        budget: &mut Budget<'_>,
        mut holds: impl FnMut(&mut [Vec<Key>; 2], u32) -> bool,
    ) -> Option<bool> {
        while self.next < count {
            let units = u64::from(self.next % TRIANGLES_PER_UNIT == 0);
            if !self.payment.afford(units, Quantum::Exact, budget) {
                return None;
            }
            if !holds(&mut self.keys, self.next as u32) {
                return Some(false);
            }
            self.next += 1;
        }
        Some(true)
    }
}

fn key(triangle: [Vec3; 3]) -> Key {
    let mut corners = triangle.map_each(coordinate_key);
    sort_few_by(&mut corners, |p, q| p < q);
    corners
}

/// Whether both have the same triangles.
pub(super) fn same_triangles(a: &Posed<'_>, b: &Posed<'_>) -> bool {
    let found = SameSearch::default().run(a, b, &mut Budget::unlimited());
    found.expect("an unlimited budget is never spent")
}
