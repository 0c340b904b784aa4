//! Whether one of two meshes whose triangles do not meet is inside the other, in parts.

use crate::budget::{Budget, Paid, Quantum};
use crate::exact::Location;
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;

use super::locate::{LocateSearch, LocationWithin, with_search};

/// Pieces that are passed in one unit, in addition to the locations of their vertices.
const PIECES_PER_UNIT: usize = 32;

/// A mesh, and its pose in the frame of a query.
type Placed<'m> = (&'m Mesh, &'m Pose);

/// What is known of two meshes whose triangles do not meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Nesting {
    /// This vertex of one of them, in the frame of the poses, is inside the other.
    Inside(Vec3),
    /// Neither is inside the other.
    Apart,
    /// The budget was spent.
    Open,
}

/// The state of a search for a vertex of one mesh inside the other, for meshes whose triangles do
/// not meet. One vertex of each connected piece is located.
#[derive(Debug, Default)]
pub(crate) struct NestingSearch {
    /// The next piece: of A, then of B.
    of_b: bool,
    shell: usize,
    /// Whether the next piece is paid.
    is_in_piece: bool,
    locate: LocateSearch,
    payment: Paid,
}

impl NestingSearch {
    /// Forgets the query, and keeps the memory: the next call starts anew. The state does not
    /// recognise its query.
    pub(crate) fn reset(&mut self) {
        (self.of_b, self.shell, self.is_in_piece) = (false, 0, false);
        self.locate.reset();
        self.payment = Paid::default();
    }

    /// Continues the search. A is tested in B only if `b_is_solid`, and B in A only if
    /// `a_is_solid`; these meshes must be closed. Meshes that are not
    /// [prepared](Mesh::prepare) leave the search open, unless the budget is unlimited.
    pub(crate) fn run(
        &mut self,
        (a, a_is_solid): (Placed<'_>, bool),
        (b, b_is_solid): (Placed<'_>, bool),
        budget: &mut Budget<'_>,
    ) -> Nesting {
        let is_ready = |mesh: &Mesh| budget.is_unlimited() || mesh.is_prepared();
        if (a_is_solid || b_is_solid) && !(is_ready(a.0) && is_ready(b.0)) {
            return Nesting::Open;
        }
        if !self.of_b {
            if b_is_solid {
                match self.pieces_in(a, b, budget) {
                    Nesting::Apart => {}
                    found => return found,
                }
            }
            (self.of_b, self.shell) = (true, 0);
        }
        if a_is_solid { self.pieces_in(b, a, budget) } else { Nesting::Apart }
    }

    fn pieces_in(
        &mut self,
        (own, at): Placed<'_>,
        (solid, pose): Placed<'_>,
        budget: &mut Budget<'_>,
    ) -> Nesting {
        while self.shell < own.shells().count() {
            if !self.is_in_piece {
                let units = u64::from(self.shell % PIECES_PER_UNIT == 0);
                if !self.payment.afford(units, Quantum::Exact, budget) {
                    return Nesting::Open;
                }
                self.is_in_piece = true;
            }
            if let Some(v) = first_vertex(own, self.shell) {
                let p = at.transform_point(own.vertices()[v as usize]);
                match self.locate.run_at(p, solid, pose, budget) {
                    LocationWithin::Open(_) => return Nesting::Open,
                    // The piece is not passed, so that a further call finds the same.
                    LocationWithin::Final(Location::Inside) => return Nesting::Inside(p),
                    LocationWithin::Final(_) => {}
                }
            }
            (self.shell, self.is_in_piece) = (self.shell + 1, false);
        }
        Nesting::Apart
    }
}

/// A vertex of the first mesh inside the other solid, in the frame of the poses, for meshes whose
/// triangles do not meet; `None` if the other is not closed. One vertex of each connected piece is
/// tested.
pub(crate) fn vertex_in_solid(own: Placed<'_>, (solid, pose): Placed<'_>) -> Option<Vec3> {
    if !solid.is_solid() {
        return None;
    }
    let mut state = NestingSearch::default();
    let found = with_search(|search| {
        std::mem::swap(search, &mut state.locate);
        let found = state.pieces_in(own, (solid, pose), &mut Budget::unlimited());
        std::mem::swap(search, &mut state.locate);
        found
    });
    match found {
        Nesting::Inside(p) => Some(p),
        Nesting::Apart | Nesting::Open => None,
    }
}

/// A vertex of a connected piece of the mesh; `None` if it has no triangles.
pub(super) fn first_vertex(mesh: &Mesh, shell: usize) -> Option<u32> {
    let polygon = mesh.shells().first_polygons()[shell] as usize;
    mesh.triangles_of(polygon).next().map(|t| mesh.triangles()[t][0])
}
