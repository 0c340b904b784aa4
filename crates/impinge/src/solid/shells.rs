//! The connected pieces of surface that do not meet the other mesh.

use crate::budget::{Budget, Paid, Quantum};
use crate::exact::Location;
use crate::math::Vec3;
use crate::pair::Posed;

use super::locate::{LocateSearch, LocationWithin};
use super::nesting::first_vertex;
use super::overlay::Overlay;
use super::relate::Pair;
use super::surface::{FreeSpaceSearch, Surface};

/// Pairs of triangles, or pieces, that are marked or skipped in one unit.
const MARKED_PER_UNIT: usize = 32;

/// Adds the kinds of space at these pieces, in parts: each piece is entirely inside or outside the
/// other solid.
#[derive(Debug, Default)]
pub(super) struct ShellSearch {
    /// Whether the pieces of B are examined, after those of A, and whether all are.
    of_b: bool,
    is_finished: bool,
    /// Whether each piece meets the other mesh.
    meets: Vec<bool>,
    /// The next pair to be marked.
    pair: usize,
    /// The next piece, whether it is being examined, and whether it is inside, once it is known.
    shell: usize,
    is_in_piece: bool,
    inside: Option<bool>,
    locate: LocateSearch,
    space: FreeSpaceSearch,
    payment: Paid,
}

impl ShellSearch {
    /// Forgets the query, and keeps the memory.
    pub(super) fn reset(&mut self) {
        (self.of_b, self.is_finished) = (false, false);
        self.start_mesh();
        self.locate.reset();
        self.space.reset();
    }

    fn start_mesh(&mut self) {
        self.meets.clear();
        (self.pair, self.shell, self.is_in_piece, self.inside) = (0, 0, false, None);
        self.payment = Paid::default();
    }

    /// Continues the search; `None` if the budget is spent.
    pub(super) fn run(
        &mut self,
        pair: &Pair<'_>,
        pairs: &[(u32, u32)],
        overlay: &mut Overlay,
        budget: &mut Budget<'_>,
    ) -> Option<()> {
        if self.is_finished {
            return Some(());
        }
        if !self.of_b {
            self.mesh((&pair.a, &pair.b), |k| pairs.get(k).map(|p| p.0), overlay, budget)?;
            self.start_mesh();
            self.of_b = true;
        }
        overlay.swap();
        let found = self.mesh((&pair.b, &pair.a), |k| pairs.get(k).map(|p| p.1), overlay, budget);
        overlay.swap();
        found?;
        self.is_finished = true;
        Some(())
    }

    /// The pieces of one mesh, which is called A in `overlay`.
    fn mesh(
        &mut self,
        (own, other): (&Surface<'_>, &Surface<'_>),
        triangle: impl Fn(usize) -> Option<u32>,
        overlay: &mut Overlay,
        budget: &mut Budget<'_>,
    ) -> Option<()> {
        if !other.solid {
            return Some(());
        }
        let mesh = own.mesh.mesh();
        if self.meets.is_empty() {
            self.meets.resize(mesh.shells().count(), false);
        }
        while let Some(t) = triangle(self.pair) {
            let units = u64::from(self.pair % MARKED_PER_UNIT == 0);
            if !self.payment.afford(units, Quantum::Exact, budget) {
                return None;
            }
            self.meets[mesh.shell_of(t as usize) as usize] = true;
            self.pair += 1;
        }
        while self.shell < self.meets.len() {
            if !self.is_in_piece {
                let units = u64::from(self.shell % MARKED_PER_UNIT == 0);
                if !self.payment.afford(units, Quantum::Exact, budget) {
                    return None;
                }
                self.is_in_piece = true;
            }
            if !self.meets[self.shell] {
                self.piece(own, other, overlay, budget)?;
            }
            (self.is_in_piece, self.inside) = (false, None);
            self.shell += 1;
        }
        Some(())
    }

    fn piece(
        &mut self,
        own: &Surface<'_>,
        other: &Surface<'_>,
        overlay: &mut Overlay,
        budget: &mut Budget<'_>,
    ) -> Option<()> {
        let Some(first) = first_vertex(own.mesh.mesh(), self.shell) else { return Some(()) };
        let inside = match self.inside {
            Some(inside) => inside,
            None => {
                let p = own.mesh.vertices()[first as usize];
                let inside = contains_in_interior(&mut self.locate, p, other.mesh, budget)?;
                overlay.both |= inside;
                overlay.in_a_only |= !inside;
                *self.inside.insert(inside)
            }
        };
        // The space of the other solid next to this piece is outside this solid, unless the piece
        // is in the interior of its own solid.
        if inside && !overlay.in_b_only {
            overlay.in_b_only = !own.solid || self.space.run(own, self.shell, budget)?;
        }
        Some(())
    }
}

/// Whether `p` is inside the solid and not on its surface; `None` if the budget is spent.
fn contains_in_interior(
    locate: &mut LocateSearch,
    p: Vec3,
    solid: &Posed<'_>,
    budget: &mut Budget<'_>,
) -> Option<bool> {
    match locate.run_posed(p, solid, budget) {
        LocationWithin::Final(location) => Some(location == Location::Inside),
        LocationWithin::Open(_) => None,
    }
}
