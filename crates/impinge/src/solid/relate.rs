//! Which space two meshes occupy together, from their touching and coinciding triangles.

use crate::exact::{Contact, Location};
use crate::math::{Aabb, Vec3};
use crate::pair::{Hit, Posed};

use super::contacts::contact_points;
use super::fan::{Fan, Surroundings};
use super::locate::locate_posed;
use super::overlay::{LocalPair, Overlay};
use super::sides::inward_triangles;

/// How the point sets of two meshes lie to each other: a closed mesh is the solid it bounds, any other mesh is its surface.
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
/// `hits` are all pairs of triangles that meet, as every method of [`pair`](crate::pair) reports them.
///
/// If neither mesh is closed, or a mesh that is closed does not bound a solid (a one-sided surface, sheets that coincide), its surface alone
/// counts: they overlap if triangles cross, and touch if they only touch or coincide.
#[must_use]
pub fn occupancy(a: &Posed<'_>, b: &Posed<'_>, hits: &[Hit]) -> Occupancy {
    if hits.iter().any(|h| h.contact == Contact::Crossing) {
        return Occupancy::Overlapping;
    }
    if a.is_empty() || b.is_empty() {
        return Occupancy::Disjoint;
    }
    if hits.is_empty() && !a.bounds().overlaps(&b.bounds()) {
        return Occupancy::Disjoint;
    }
    let (closed_a, closed_b) = (a.mesh().is_solid(), b.mesh().classification().closed);
    let mut overlay = Overlay { both: false, only_a: !closed_b, only_b: !closed_a };
    free_shells(a, b, hits, &mut overlay);
    if !hits.is_empty()
        && (closed_a || closed_b)
        && look_at_contacts(a, b, hits, &mut overlay).is_none()
    {
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

/// Adds what the connected pieces of surface that meet nothing tell: each is wholly inside or outside the other solid.
fn free_shells(a: &Posed<'_>, b: &Posed<'_>, hits: &[Hit], overlay: &mut Overlay) {
    let closed = |m: &Posed<'_>| m.mesh().is_solid();
    let mut look =
        |own: &Posed<'_>, other: &Posed<'_>, met: &mut dyn Iterator<Item = u32>, own_is_a: bool| {
            if !closed(other) {
                return;
            }
            for p in free_vertices(own, met) {
                let inside = locate_posed(p, other) == Location::Inside;
                overlay.both |= inside;
                // Next to a piece of surface there is space on both sides of it, and next to a solid's surface some of it is the solid's.
                let (only_own, only_other) = if own_is_a {
                    (&mut overlay.only_a, &mut overlay.only_b)
                } else {
                    (&mut overlay.only_b, &mut overlay.only_a)
                };
                *only_own |= !inside;
                *only_other |= inside;
            }
        };
    look(a, b, &mut hits.iter().map(|h| h.a), true);
    look(b, a, &mut hits.iter().map(|h| h.b), false);
}

/// One vertex of every connected piece of the mesh that none of the triangles `met` belongs to.
fn free_vertices(mesh: &Posed<'_>, met: &mut dyn Iterator<Item = u32>) -> Vec<Vec3> {
    let shell_of = |t: usize| mesh.mesh().shell_of(t) as usize;
    let mut touched = vec![false; mesh.mesh().shells().count()];
    for t in met {
        touched[shell_of(t as usize)] = true;
    }
    let mut vertices = Vec::new();
    for (i, t) in mesh.mesh().triangles().iter().enumerate() {
        let shell = shell_of(i);
        if !touched[shell] {
            touched[shell] = true;
            vertices.push(mesh.vertices()[t[0] as usize]);
        }
    }
    vertices
}

/// Adds what is seen about the corners of the contact. `None` if a closed mesh turns out to bound no solid.
fn look_at_contacts(
    a: &Posed<'_>,
    b: &Posed<'_>,
    hits: &[Hit],
    overlay: &mut Overlay,
) -> Option<()> {
    let side_a = Side::new(a, hits.iter().map(|h| h.a))?;
    let side_b = Side::new(b, hits.iter().map(|h| h.b))?;
    for point in contact_points(a, b, hits) {
        if overlay.is_full() {
            break;
        }
        let mut about = Surroundings::new(point);
        let near = point.bounds();
        let (fan_a, fan_b) = (side_a.fan(&mut about, &near), side_b.fan(&mut about, &near));
        if fan_a.arcs.is_empty() || fan_b.arcs.is_empty() {
            continue; // Only triangles without area meet here; their neighbours speak for them.
        }
        LocalPair { a: &fan_a, b: &fan_b, a_is_solid: side_a.solid, b_is_solid: side_b.solid }
            .look(&mut about, overlay)?;
    }
    Some(())
}

/// The triangles of one mesh that take part in the contact.
struct Side<'a> {
    mesh: &'a Posed<'a>,
    /// Ascending, each once, and whether its normal points into the material.
    triangles: Vec<(u32, bool)>,
    solid: bool,
}

impl<'a> Side<'a> {
    fn new(mesh: &'a Posed<'a>, met: impl Iterator<Item = u32>) -> Option<Self> {
        let solid = mesh.mesh().is_solid();
        let inward = if solid { inward_triangles(mesh.mesh())? } else { Vec::new() };
        let mut met: Vec<u32> = met.collect();
        met.sort_unstable();
        met.dedup();
        let triangles = met
            .into_iter()
            .map(|t| (t, inward.get(t as usize).copied().unwrap_or_default()))
            .collect();
        Some(Self { mesh, triangles, solid })
    }

    /// The fan about a point that lies in the box `near`.
    fn fan(&self, about: &mut Surroundings, near: &Aabb) -> Fan {
        let mut fan = Fan::default();
        for (t, inward) in &self.triangles {
            if self.mesh.triangle_bounds(*t).overlaps(near) {
                fan.add(about, &self.mesh.triangle(*t), *inward);
            }
        }
        fan
    }
}
