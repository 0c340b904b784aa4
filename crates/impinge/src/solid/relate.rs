//! Which space two meshes occupy together, from their touching and coinciding triangles.

use crate::exact::HitKind;
use crate::math::Vec3;
use crate::pair::{Hit, Posed};

use super::contacts::contact_points;
use super::overlay::{LocalPair, Overlay};
use super::surface::Surface;

/// How the point sets of two meshes lie to each other: a closed mesh is the solid it bounds, any
/// other mesh is its surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Occupancy {
    /// No common point.
    Disjoint,
    /// Common points, all of them on both boundaries.
    Touching,
    /// Some space (or surface) is common, and each has some of its own.
    Overlapping,
    /// The first is a part of the second.
    AInB,
    /// The second is a part of the first.
    BInA,
    /// The same solid.
    Equal,
}

/// How the point sets of `a` and `b` lie to each other, decided exactly.
///
/// `hits` are all pairs of triangles that meet, as every method of [`pair`](crate::pair) reports
/// them. Inside is what [`locate`](super::locate()) calls inside.
///
/// If neither mesh is closed, their surfaces alone count: they overlap if triangles cross, and
/// touch if they only touch or coincide. Triangles that cross always count as overlapping, also
/// where one of them is a wall inside its own solid, between two shells that overlap. Where a
/// closed mesh encloses no space (two sheets that coincide), it only touches what it meets.
#[must_use]
pub fn occupancy(a: &Posed<'_>, b: &Posed<'_>, hits: &[Hit]) -> Occupancy {
    if hits.iter().any(|h| h.kind == HitKind::Crossing) {
        return Occupancy::Overlapping;
    }
    let region = a.bounds().intersection(&b.bounds());
    if a.is_empty() || b.is_empty() || region.is_empty() {
        return Occupancy::Disjoint;
    }
    let pair = Pair { a: Surface::new(a, &region), b: Surface::new(b, &region) };
    if !pair.a.solid && !pair.b.solid {
        return if hits.is_empty() { Occupancy::Disjoint } else { Occupancy::Touching };
    }
    let mut overlay = Overlay { both: false, only_a: !pair.b.solid, only_b: !pair.a.solid };
    pair.look_at_free_shells(a, b, hits, &mut overlay);
    if pair.look_at_contacts(a, b, hits, &mut overlay).is_none() {
        return Occupancy::Touching;
    }
    match (overlay.both, overlay.only_a, overlay.only_b) {
        (false, ..) if hits.is_empty() => Occupancy::Disjoint,
        (false, ..) => Occupancy::Touching,
        (true, false, false) => Occupancy::Equal,
        (true, false, true) => Occupancy::AInB,
        (true, true, false) => Occupancy::BInA,
        (true, true, true) => Occupancy::Overlapping,
    }
}

/// A vertex of one mesh inside the other solid, for meshes that share space although no triangles
/// meet.
pub(crate) fn vertex_inside(a: &Posed<'_>, b: &Posed<'_>) -> Option<Vec3> {
    vertex_of_inside(a, b).or_else(|| vertex_of_inside(b, a))
}

/// A vertex of `own` inside the solid `other`, for meshes whose triangles do not meet; `None` if
/// `other` is not closed.
pub(crate) fn vertex_of_inside(own: &Posed<'_>, other: &Posed<'_>) -> Option<Vec3> {
    let region = own.bounds().intersection(&other.bounds());
    if region.is_empty() {
        return None;
    }
    let other = Surface::new(other, &region);
    let mut firsts = free_shells(own, &mut std::iter::empty()).into_iter();
    firsts.find_map(|shell| {
        shell.first().copied().filter(|p| region.contains(*p) && other.has_inside(*p))
    })
}

/// Both meshes, prepared.
struct Pair<'a> {
    a: Surface<'a>,
    b: Surface<'a>,
}

impl Pair<'_> {
    /// Adds what the connected pieces of surface that meet nothing tell: each is wholly inside or
    /// outside the other solid.
    fn look_at_free_shells(
        &self,
        a: &Posed<'_>,
        b: &Posed<'_>,
        hits: &[Hit],
        overlay: &mut Overlay,
    ) {
        let region = a.bounds().intersection(&b.bounds());
        let of_a = free_shells(a, &mut hits.iter().map(|h| h.a));
        let of_b = free_shells(b, &mut hits.iter().map(|h| h.b));
        for (shells, own, other) in [(of_a, &self.a, &self.b), (of_b, &self.b, &self.a)] {
            if other.solid {
                for shell in shells {
                    let inside =
                        shell.first().is_some_and(|p| region.contains(*p) && other.has_inside(*p));
                    overlay.both |= inside;
                    overlay.only_a |= !inside;
                    // The other's space next to this piece is its own, unless the piece is buried
                    // in its own solid.
                    if inside && !overlay.only_b {
                        overlay.only_b =
                            !own.solid || shell.iter().any(|p| own.leaves_space_at(*p));
                    }
                }
            }
            overlay.swap();
        }
    }

    /// Adds what is seen about the corners of the contact. `None` if some neighbourhood has no
    /// generic direction.
    fn look_at_contacts(
        &self,
        a: &Posed<'_>,
        b: &Posed<'_>,
        hits: &[Hit],
        overlay: &mut Overlay,
    ) -> Option<()> {
        for point in contact_points(a, b, hits) {
            if overlay.is_full() {
                break;
            }
            let mut about = self.a.about(point); // both surfaces have the same region, and so the same axis
            let (a, b) = (self.a.fan(&mut about), self.b.fan(&mut about));
            let (a_is_solid, b_is_solid) = (self.a.solid, self.b.solid);
            LocalPair { a: &a, b: &b, a_is_solid, b_is_solid }.look(&mut about, overlay)?;
        }
        Some(())
    }
}

/// The vertices of every connected piece of the mesh that none of the triangles `met` belongs to.
fn free_shells(mesh: &Posed<'_>, met: &mut dyn Iterator<Item = u32>) -> Vec<Vec<Vec3>> {
    let shell_of = |t: usize| mesh.mesh().shell_of(t) as usize;
    let mut touched = vec![false; mesh.mesh().shells().count()];
    for t in met {
        touched[shell_of(t as usize)] = true;
    }
    let mut shells = vec![Vec::new(); touched.len()];
    let mut seen = vec![false; mesh.vertices().len()];
    for (i, t) in mesh.mesh().triangles().iter().enumerate() {
        let shell = shell_of(i);
        for v in t {
            if !touched[shell] && !std::mem::replace(&mut seen[*v as usize], true) {
                shells[shell].push(mesh.vertices()[*v as usize]);
            }
        }
    }
    shells.retain(|shell| !shell.is_empty());
    shells
}
