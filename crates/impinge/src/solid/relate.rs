//! The relation of the point sets of two meshes, from their touching and coinciding triangles.

#[cfg(any(test, feature = "internals"))]
use crate::exact::HitKind;
use crate::exact::Location;
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
#[cfg(any(test, feature = "internals"))]
use crate::pair::Hit;
use crate::pair::Posed;

use super::contacts::contact_points;
use super::fan::ContactPoint;
use super::locate::locate_at;

use super::overlay::{LocalPair, Overlay};
use super::plane::{Plane, separated_by_plane};
use super::surface::Surface;

/// The relation of the point sets of two meshes. The point set of a closed mesh is the solid it
/// bounds, that of any other mesh its surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Occupancy {
    /// No common point.
    Disjoint,
    /// Common points, all of them on both boundaries.
    Touching,
    /// Some space (or surface) is common, and each has some that the other has not.
    Overlapping,
    /// The first is a subset of the second.
    AInB,
    /// The second is a subset of the first.
    BInA,
    /// The same solid.
    Equal,
}

/// The relation of the point sets of `a` and `b`, decided exactly.
///
/// `hits` are all pairs of triangles that meet, as reported by the methods of
/// [`pair`](crate::pair). The inside is defined as by [`locate`](super::locate()).
///
/// If neither mesh is closed, only their surfaces are compared: they overlap if triangles cross,
/// and touch if they only touch or coincide. Triangles that cross always count as overlapping, also
/// where one of them is a wall inside its own solid, between two shells that overlap. Where a
/// closed mesh encloses no space (two sheets that coincide), it only touches what it meets.
#[cfg(any(test, feature = "internals"))]
#[must_use]
pub fn occupancy(a: &Posed<'_>, b: &Posed<'_>, hits: &[Hit]) -> Occupancy {
    if hits.iter().any(|h| h.kind == HitKind::Crossing) {
        return Occupancy::Overlapping;
    }
    let pairs: Vec<(u32, u32)> = hits.iter().map(|h| (h.triangle_a, h.triangle_b)).collect();
    occupancy_without_crossing(a, b, &pairs)
}

/// As [`occupancy`], if no triangles cross, from the indices of those that meet.
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
    if !pairs.is_empty() && separated_by_plane(a, b, pairs) {
        return Occupancy::Touching;
    }
    let mut overlay = Overlay { both: false, in_a_only: !pair.b.solid, in_b_only: !pair.a.solid };
    pair.classify_free_shells(a, b, pairs, &mut overlay);
    if pair.classify_contacts(a, b, pairs, &mut overlay).is_none() {
        return Occupancy::Touching;
    }
    match (overlay.both, overlay.in_a_only, overlay.in_b_only) {
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
pub(crate) fn vertex_in_either(a: (&Mesh, &Pose), b: (&Mesh, &Pose)) -> Option<Vec3> {
    vertex_in_solid(a, b).or_else(|| vertex_in_solid(b, a))
}

/// A vertex of the first mesh inside the other solid, in the frame of the poses, for meshes whose
/// triangles do not meet; `None` if the other is not closed. One vertex of each connected piece is
/// tested.
pub(crate) fn vertex_in_solid(
    (own, at): (&Mesh, &Pose),
    (solid, pose): (&Mesh, &Pose),
) -> Option<Vec3> {
    if !solid.is_solid() {
        return None;
    }
    let corners = (0..own.shells().count()).filter_map(|shell| first_vertex(own, shell));
    let mut corners = corners.map(|v| at.transform_point(own.vertices()[v as usize]));
    corners.find(|p| locate_at(*p, solid, pose) == Location::Inside)
}

/// A vertex of a connected piece of the mesh; `None` if it has no triangles.
fn first_vertex(mesh: &Mesh, shell: usize) -> Option<u32> {
    let polygon = mesh.shells().first_polygons()[shell] as usize;
    mesh.triangles_of(polygon).next().map(|t| mesh.triangles()[t][0])
}

/// The prepared surfaces of both meshes.
pub(super) struct Pair<'a> {
    pub(super) a: Surface<'a>,
    pub(super) b: Surface<'a>,
}

impl Pair<'_> {
    /// Adds the kinds of space at the connected pieces of surface that do not meet the other mesh:
    /// each piece is entirely inside or outside the other solid.
    fn classify_free_shells(
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
                    let Some(first) = first_vertex(own.mesh.mesh(), shell) else { continue };
                    let inside = other.contains_in_interior(own.mesh.vertices()[first as usize]);
                    overlay.both |= inside;
                    overlay.in_a_only |= !inside;
                    // The space of the other solid next to this piece is outside this solid, unless
                    // the piece is in the interior of its own solid.
                    if inside && !overlay.in_b_only {
                        overlay.in_b_only = !own.solid || own.shell_has_free_space(shell);
                    }
                }
            }
            overlay.swap();
        }
    }

    /// Adds the kinds of space at the corners of the contact. `None` if no generic direction was
    /// found at one of them.
    fn classify_contacts(
        &self,
        a: &Posed<'_>,
        b: &Posed<'_>,
        pairs: &[(u32, u32)],
        overlay: &mut Overlay,
    ) -> Option<()> {
        let mut separated = Vec::new();
        for (point, (i, j)) in contact_points(a, b, pairs) {
            if overlay.is_full() {
                break;
            }
            if !overlay.both && self.separated_at(&point, a.triangle(i), b.triangle(j)) {
                separated.push(point);
            } else {
                self.classify_contact(point, overlay)?;
            }
        }
        // Space in one solid only matters if some space is in both.
        if overlay.both {
            for point in separated {
                if overlay.is_full() {
                    break;
                }
                self.classify_contact(point, overlay)?;
            }
        }
        Some(())
    }

    /// Adds the kinds of space at one corner of the contact.
    pub(super) fn classify_contact(
        &self,
        point: ContactPoint,
        overlay: &mut Overlay,
    ) -> Option<()> {
        // Both surfaces have the same region, and so the same axis.
        let mut local = self.a.neighbourhood(point);
        let (a, b) = (self.a.fan(&mut local), self.b.fan(&mut local));
        let (a_is_solid, b_is_solid) = (self.a.solid, self.b.solid);
        LocalPair { a: &a, b: &b, a_is_solid, b_is_solid }.classify(&mut local, overlay)
    }

    /// Whether the plane of one of the given triangles separates the two solids next to a corner of
    /// the contact, so that no space there is in both.
    pub(super) fn separated_at(
        &self,
        point: &ContactPoint,
        of_a: [Vec3; 3],
        of_b: [Vec3; 3],
    ) -> bool {
        [of_a, of_b].into_iter().filter_map(Plane::through).any(|plane| {
            [true, false].into_iter().any(|above| {
                !of_a.iter().any(|v| plane.is_on_side(*v, above))
                    && !of_b.iter().any(|v| plane.is_on_side(*v, !above))
                    && self.a.leaves_side_free(above, &plane, point)
                    && self.b.leaves_side_free(!above, &plane, point)
            })
        })
    }
}

/// The connected pieces of the mesh without any of the triangles `met`.
fn free_shells(mesh: &Posed<'_>, met: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut free = vec![true; mesh.mesh().shells().count()];
    for t in met {
        free[mesh.mesh().shell_of(t as usize) as usize] = false;
    }
    (0..free.len()).filter(|shell| free[*shell]).collect()
}
