//! The relation of the point sets of two meshes, from their touching and coinciding triangles.

use crate::arrays::MapEach;
use crate::budget::{Budget, Paid, Quantum};
#[cfg(any(test, feature = "internals"))]
use crate::exact::HitKind;
use crate::math::Vec3;
#[cfg(any(test, feature = "internals"))]
use crate::pair::Hit;
use crate::pair::Posed;

use super::contacts::{Contact, ContactSearch};
use super::fan::ContactPoint;
use super::overlay::{NearPoint, Overlay, classify_contact};
use super::pauses::Paused;
use super::plane::{Plane, PlaneSearch, UNITS_OF_PLANE};
use super::shells::ShellSearch;
use super::surface::{FreeSideSearch, NearSearch, Surface};

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
    let found = RelateSearch::default().run(a, b, &pairs, &mut Budget::unlimited());
    found.expect("an unlimited budget is never spent")
}

/// The prepared surfaces of both meshes.
pub(super) struct Pair<'a> {
    pub(super) a: Surface<'a>,
    pub(super) b: Surface<'a>,
}

/// The state of a search for the relation of two meshes of which no triangles cross. It does not
/// recognise its query.
#[derive(Debug, Default)]
pub(crate) struct RelateSearch {
    stage: Stage,
    overlay: Overlay,
    planes: PlaneSearch,
    shells: ShellSearch,
    contacts: ContactSearch,
    /// The corner of the contact that is examined.
    contact: Option<Contact>,
    beside: SideSearch,
    at_contact: ContactAnalysis,
    /// Corners at which a plane separates the solids, and the next of them to be examined.
    separated: Vec<Contact>,
    next_separated: usize,
    known: Option<Occupancy>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Planes,
    Shells,
    Contacts,
    /// Whether a plane separates the solids at the contact.
    Beside,
    Classify,
    /// Space in one solid only matters if some space is in both.
    Separated,
}

impl RelateSearch {
    /// Forgets the query, and keeps the memory.
    pub(crate) fn reset(&mut self) {
        (self.stage, self.overlay, self.known) = (Stage::Planes, Overlay::default(), None);
        self.planes.reset();
        self.shells.reset();
        self.contacts.reset();
        self.beside.reset();
        self.at_contact.reset();
        self.separated.clear();
        (self.contact, self.next_separated) = (None, 0);
    }

    /// Continues the search: the relation, or `None` if the budget is spent. `pairs` are the
    /// triangles that meet, without two that cross.
    pub(crate) fn run(
        &mut self,
        a: &Posed<'_>,
        b: &Posed<'_>,
        pairs: &[(u32, u32)],
        budget: &mut Budget<'_>,
    ) -> Option<Occupancy> {
        if self.known.is_none() {
            self.known = Some(self.decide(a, b, pairs, budget)?);
        }
        self.known
    }

    fn decide(
        &mut self,
        a: &Posed<'_>,
        b: &Posed<'_>,
        pairs: &[(u32, u32)],
        budget: &mut Budget<'_>,
    ) -> Option<Occupancy> {
        let region = a.bounds().intersection(&b.bounds());
        if a.is_empty() || b.is_empty() || region.is_empty() {
            return Some(Occupancy::Disjoint);
        }
        let pair = Pair { a: Surface::new(a, &region), b: Surface::new(b, &region) };
        if !pair.a.solid && !pair.b.solid {
            let touch = !pairs.is_empty();
            return Some(if touch { Occupancy::Touching } else { Occupancy::Disjoint });
        }
        loop {
            match self.stage {
                Stage::Planes => {
                    if self.planes.run(a, b, pairs, budget)? {
                        return Some(Occupancy::Touching);
                    }
                    let (in_a_only, in_b_only) = (!pair.b.solid, !pair.a.solid);
                    self.overlay = Overlay { both: false, in_a_only, in_b_only };
                    self.stage = Stage::Shells;
                }
                Stage::Shells => {
                    self.shells.run(&pair, pairs, &mut self.overlay, budget)?;
                    self.stage = Stage::Contacts;
                }
                Stage::Contacts => {
                    if !self.contacts.run(a, b, pairs, budget) {
                        return None;
                    }
                    self.stage = Stage::Beside;
                }
                Stage::Beside => {
                    if self.contact.is_none() && !self.overlay.is_full() {
                        self.contact = self.contacts.next(pairs);
                    }
                    let Some((point, (i, j))) = self.contact else {
                        self.stage = Stage::Separated;
                        continue;
                    };
                    let triangles = [a.triangle(i), b.triangle(j)];
                    let is_separated =
                        !self.overlay.both && self.beside.run(&pair, point, triangles, budget)?;
                    if is_separated {
                        self.separated.extend(self.contact.take());
                    } else {
                        self.stage = Stage::Classify;
                    }
                }
                Stage::Classify => {
                    let Some((point, _)) = self.contact else {
                        self.stage = Stage::Beside;
                        continue;
                    };
                    match self.at_contact.run(&pair, point, self.overlay, budget)? {
                        Some(found) => self.overlay = found,
                        None => return Some(Occupancy::Touching),
                    }
                    self.contact = None;
                    self.stage = Stage::Beside;
                }
                Stage::Separated => {
                    let rest = self.separated.get(self.next_separated);
                    let is_done = !self.overlay.both || self.overlay.is_full();
                    let Some((point, _)) = rest.filter(|_| !is_done) else {
                        return Some(relation(&self.overlay, pairs));
                    };
                    match self.at_contact.run(&pair, *point, self.overlay, budget)? {
                        Some(found) => self.overlay = found,
                        None => return Some(Occupancy::Touching),
                    }
                    self.next_separated += 1;
                }
            }
        }
    }

    /// The relations that are still possible.
    pub(crate) fn may_be(&self, relation: Occupancy) -> bool {
        let Overlay { both, in_a_only, in_b_only } = self.overlay;
        if let Some(known) = self.known {
            return known == relation;
        }
        match relation {
            Occupancy::Disjoint | Occupancy::Touching => !both,
            Occupancy::Overlapping => true,
            Occupancy::AInB => !in_a_only,
            Occupancy::BInA => !in_b_only,
            Occupancy::Equal => !in_a_only && !in_b_only,
        }
    }
}

/// The relation of solids with these kinds of space.
fn relation(overlay: &Overlay, pairs: &[(u32, u32)]) -> Occupancy {
    match (overlay.both, overlay.in_a_only, overlay.in_b_only) {
        (false, ..) if pairs.is_empty() => Occupancy::Disjoint,
        (false, ..) => Occupancy::Touching,
        (true, false, false) => Occupancy::Equal,
        (true, false, true) => Occupancy::AInB,
        (true, true, false) => Occupancy::BInA,
        (true, true, true) => Occupancy::Overlapping,
    }
}

/// The kinds of space at one corner of the contact, in parts.
#[derive(Debug, Default)]
pub(super) struct ContactAnalysis {
    near: NearSearch,
    of_a: Option<NearPoint>,
    work: Option<Paused<Option<Overlay>>>,
    payment: Paid,
}

impl ContactAnalysis {
    pub(super) fn reset(&mut self) {
        self.near.reset();
        (self.of_a, self.work, self.payment) = (None, None, Paid::default());
    }

    /// Continues the analysis; the outer option is `None` if the budget is spent. The result
    /// includes the kinds `known` before; it is `None` if no generic direction was found. The
    /// analysis starts anew after a result.
    pub(super) fn run(
        &mut self,
        pair: &Pair<'_>,
        point: ContactPoint,
        known: Overlay,
        budget: &mut Budget<'_>,
    ) -> Option<Option<Overlay>> {
        let work = match &mut self.work {
            Some(work) => work,
            work @ None => {
                if self.of_a.is_none() {
                    self.of_a = Some(self.near.run(&pair.a, point, budget)?);
                }
                let of_b = self.near.run(&pair.b, point, budget)?;
                let of_a = self.of_a.take()?;
                // Both surfaces have the same region, and so the same axis.
                let place = (point, pair.a.axis);
                work.insert(Paused::new(classify_contact(place, of_a, of_b, known)))
            }
        };
        let found = work.run(&mut self.payment, budget)?;
        self.work = None;
        Some(found)
    }
}

/// Whether the plane of one of two triangles separates the two solids next to a corner of the
/// contact, so that no space there is in both, in parts.
#[derive(Debug, Default)]
pub(super) struct SideSearch {
    planes: Option<[Option<Plane>; 2]>,
    /// The plane and the side of A: four combinations.
    next: usize,
    /// Whether the triangles are known to be on these sides, and whether A is.
    of_triangles: bool,
    of_a: bool,
    free: FreeSideSearch,
    payment: Paid,
}

impl SideSearch {
    pub(super) fn reset(&mut self) {
        (self.planes, self.next, self.of_triangles, self.of_a) = (None, 0, false, false);
        self.free.reset();
        self.payment = Paid::default();
    }

    /// Continues the search; `None` if the budget is spent. It starts anew after a result.
    pub(super) fn run(
        &mut self,
        pair: &Pair<'_>,
        point: ContactPoint,
        [of_a, of_b]: [[Vec3; 3]; 2],
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        let planes = match self.planes {
            Some(planes) => planes,
            None => {
                if !self.payment.afford(UNITS_OF_PLANE, Quantum::Exact, budget) {
                    return None;
                }
                *self.planes.insert([of_a, of_b].map_each(Plane::through))
            }
        };
        while self.next < 4 {
            let (plane, above) = (&planes[self.next / 2], self.next % 2 == 0);
            if let Some(plane) = plane {
                if self.separates(pair, point, (plane, above), [of_a, of_b], budget)? {
                    self.reset();
                    return Some(true);
                }
            }
            self.next += 1;
            (self.of_triangles, self.of_a) = (false, false);
        }
        self.reset();
        Some(false)
    }

    fn separates(
        &mut self,
        pair: &Pair<'_>,
        point: ContactPoint,
        (plane, above): (&Plane, bool),
        [of_a, of_b]: [[Vec3; 3]; 2],
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        if !self.of_triangles {
            let vertices = of_a.iter().chain(&of_b);
            let units = 1 + vertices.map(|v| plane.units_of_side(*v)).sum::<u64>();
            if !self.payment.afford(units, Quantum::Exact, budget) {
                return None;
            }
            if of_a.iter().any(|v| plane.is_on_side(*v, above))
                || of_b.iter().any(|v| plane.is_on_side(*v, !above))
            {
                return Some(false);
            }
            self.of_triangles = true;
        }
        if !self.of_a {
            if !self.free.run(&pair.a, (above, plane), point, budget)? {
                return Some(false);
            }
            self.of_a = true;
        }
        self.free.run(&pair.b, (!above, plane), point, budget)
    }
}
