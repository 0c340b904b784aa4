//! Which space two meshes occupy together, from their touching and coinciding triangles.

use crate::exact::{HitKind, Location};
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::{Hit, Posed};

use super::contacts::contact_points;
use super::fan::ContactPoint;
use super::locate::locate_at;

use super::overlay::{LocalPair, Overlay};
use super::plane::{Plane, lie_on_two_sides};
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
    let pairs: Vec<(u32, u32)> = hits.iter().map(|h| (h.a, h.b)).collect();
    occupancy_without_crossing(a, b, &pairs)
}

/// As [`occupancy`], where no triangles cross, from the numbers of those that meet.
pub(crate) fn occupancy_without_crossing(
    a: &Posed<'_>,
    b: &Posed<'_>,
    pairs: &[(u32, u32)],
) -> Occupancy {
    let region = a.bounds().intersection(&b.bounds());
    if a.is_empty() || b.is_empty() || region.is_empty() {
        return Occupancy::Disjoint;
    }
    let pair = Pair { a: Surface::new(a, &region), b: Surface::new(b, &region) };
    if !pair.a.solid && !pair.b.solid {
        return if pairs.is_empty() { Occupancy::Disjoint } else { Occupancy::Touching };
    }
    if !pairs.is_empty() && lie_on_two_sides(a, b, pairs) {
        return Occupancy::Touching;
    }
    let mut overlay = Overlay { both: false, only_a: !pair.b.solid, only_b: !pair.a.solid };
    pair.look_at_free_shells(a, b, pairs, &mut overlay);
    if pair.look_at_contacts(a, b, pairs, &mut overlay).is_none() {
        return Occupancy::Touching;
    }
    match (overlay.both, overlay.only_a, overlay.only_b) {
        (false, ..) if pairs.is_empty() => Occupancy::Disjoint,
        (false, ..) => Occupancy::Touching,
        (true, false, false) => Occupancy::Equal,
        (true, false, true) => Occupancy::AInB,
        (true, true, false) => Occupancy::BInA,
        (true, true, true) => Occupancy::Overlapping,
    }
}

/// A vertex of one mesh inside the other solid, in the frame of the poses, for meshes that share
/// space although no triangles meet.
pub(crate) fn vertex_inside(a: (&Mesh, &Pose), b: (&Mesh, &Pose)) -> Option<Vec3> {
    vertex_of_inside(a, b).or_else(|| vertex_of_inside(b, a))
}

/// A vertex of the first mesh inside the other solid, in the frame of the poses, for meshes whose
/// triangles do not meet; `None` if the other is not closed. One vertex of each connected piece is
/// looked at.
pub(crate) fn vertex_of_inside(
    (own, at): (&Mesh, &Pose),
    (solid, pose): (&Mesh, &Pose),
) -> Option<Vec3> {
    if !solid.is_solid() {
        return None;
    }
    let corners = (0..own.shells().count()).filter_map(|shell| first_corner(own, shell));
    let mut corners = corners.map(|v| at.transform_point(own.vertices()[v as usize]));
    corners.find(|p| locate_at(*p, solid, pose) == Location::Inside)
}

/// A vertex of a connected piece of the mesh; `None` if it has no triangles.
fn first_corner(mesh: &Mesh, shell: usize) -> Option<u32> {
    let polygon = mesh.shells().first_polygons()[shell] as usize;
    mesh.triangles_of(polygon).next().map(|t| mesh.triangles()[t][0])
}

/// Both meshes, prepared.
pub(super) struct Pair<'a> {
    pub(super) a: Surface<'a>,
    pub(super) b: Surface<'a>,
}

impl Pair<'_> {
    /// Adds what the connected pieces of surface that meet nothing tell: each is wholly inside or
    /// outside the other solid.
    fn look_at_free_shells(
        &self,
        a: &Posed<'_>,
        b: &Posed<'_>,
        pairs: &[(u32, u32)],
        overlay: &mut Overlay,
    ) {
        let of_a = free_shells(a, pairs.iter().map(|p| p.0));
        let of_b = free_shells(b, pairs.iter().map(|p| p.1));
        for (shells, own, other) in [(of_a, &self.a, &self.b), (of_b, &self.b, &self.a)] {
            if other.solid {
                for shell in shells {
                    let Some(first) = first_corner(own.mesh.mesh(), shell) else { continue };
                    let inside = other.has_inside(own.mesh.vertices()[first as usize]);
                    overlay.both |= inside;
                    overlay.only_a |= !inside;
                    // The other's space next to this piece is its own, unless the piece is buried
                    // in its own solid.
                    if inside && !overlay.only_b {
                        overlay.only_b = !own.solid || own.leaves_space_about(shell);
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
        pairs: &[(u32, u32)],
        overlay: &mut Overlay,
    ) -> Option<()> {
        let mut plain = Vec::new();
        for (point, (i, j)) in contact_points(a, b, pairs) {
            if overlay.is_full() {
                break;
            }
            if !overlay.both && self.only_touch_at(&point, a.triangle(i), b.triangle(j)) {
                plain.push(point);
            } else {
                self.look_at(point, overlay)?;
            }
        }
        // What is in one solid only matters where some space is in both.
        if overlay.both {
            for point in plain {
                if overlay.is_full() {
                    break;
                }
                self.look_at(point, overlay)?;
            }
        }
        Some(())
    }

    /// Adds what is seen about one corner of the contact.
    pub(super) fn look_at(&self, point: ContactPoint, overlay: &mut Overlay) -> Option<()> {
        // both surfaces have the same region, and so the same axis
        let mut about = self.a.about(point);
        let (a, b) = (self.a.fan(&mut about), self.b.fan(&mut about));
        let (a_is_solid, b_is_solid) = (self.a.solid, self.b.solid);
        LocalPair { a: &a, b: &b, a_is_solid, b_is_solid }.look(&mut about, overlay)
    }

    /// Whether no space next to a corner of the contact is in both solids, because the plane of one
    /// of the triangles given, of either mesh, is between the two there.
    pub(super) fn only_touch_at(
        &self,
        point: &ContactPoint,
        of_a: [Vec3; 3],
        of_b: [Vec3; 3],
    ) -> bool {
        [of_a, of_b].into_iter().filter_map(Plane::through).any(|plane| {
            [true, false].into_iter().any(|above| {
                !of_a.iter().any(|v| plane.has(*v, above))
                    && !of_b.iter().any(|v| plane.has(*v, !above))
                    && self.a.leaves_free(above, &plane, point)
                    && self.b.leaves_free(!above, &plane, point)
            })
        })
    }
}

/// The connected pieces of the mesh that none of the triangles `met` belongs to.
fn free_shells(mesh: &Posed<'_>, met: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut free = vec![true; mesh.mesh().shells().count()];
    for t in met {
        free[mesh.mesh().shell_of(t as usize) as usize] = false;
    }
    (0..free.len()).filter(|shell| free[*shell]).collect()
}
