//! Where bodies are, and the boxes around them.

use super::bodies::{Bodies, BoxOptions, Marks, NONE, Record};
use super::{BoxKind, Geometry};
use crate::broad::Bounds;
use crate::math::OrientedBox;
use crate::math::{Aabb, Pose, ROTATION_TOLERANCE};
use crate::wide::prefetch;
use crate::workers;

/// With fewer bodies than this in a level, threads take longer to share them than one to put boxes
/// around them.
const MANY: usize = 128;
/// At least so many bodies are taken at a time.
const PIECE: usize = 8;

/// Poses are asked for so many bodies before they are needed.
const AHEAD: usize = 6;

/// Where a body is, and the boxes around it.
pub(super) type Placed = (Pose, Bounds, Option<OrientedBox>);

impl Bodies {
    /// Brings poses and boxes up to date, level by level, the bodies of a level in parallel
    /// (Zachmann 1994, section 6.3).
    pub(super) fn settle(&mut self) {
        if self.changed.is_empty() {
            return;
        }
        let (records, marks, changed) = (&self.records, &self.marks, &self.changed);
        let is_root = |slot: &u32| records[*slot as usize].parent == NONE;
        if changed.len() * 2 > records.len() && changed.iter().all(is_root) {
            self.place_roots();
            std::mem::swap(&mut self.level, &mut self.changed);
        } else {
            // Those whose ancestors changed too are reached from there.
            let below_another = |slot: u32| {
                let mut at = records[slot as usize].parent;
                while at != NONE && !marks[at as usize].is_changed {
                    at = records[at as usize].parent;
                }
                at != NONE
            };
            self.level.clear();
            self.level.extend(changed.iter().copied().filter(|slot| !below_another(*slot)));
            for slot in &self.changed {
                self.marks[*slot as usize].is_changed = false;
            }
            self.place_level();
        }
        self.changed.clear();
        self.descend();
        while !self.level.is_empty() {
            self.place_level();
            self.descend();
        }
        self.next.clear();
        self.computed.clear();
    }

    /// Places all bodies that changed, which hang on nothing, in the order of their slots.
    fn place_roots(&mut self) {
        let options = self.options;
        type Given<'a> = (&'a [Record], (&'a [Marks], &'a [Pose]));
        type Made<'a> = (&'a mut [Pose], (&'a mut [Bounds], &'a mut [OrientedBox]));
        let place = |(given, made): (Given<'_>, Made<'_>)| {
            let ((records, (marks, locals)), (poses, (bounds, oriented))) = (given, made);
            for (n, record) in records.iter().enumerate().filter(|(n, _)| marks[*n].is_changed) {
                // Another thread wrote them.
                if let Some(soon) = locals.get(n + AHEAD) {
                    prefetch(soon);
                }
                poses[n] = locals[n];
                let (around, turned) = options.around(record.form(), &locals[n]);
                bounds[n] = around;
                if let Some(turned) = turned {
                    oriented[n] = turned;
                }
            }
        };
        let boxes = (&mut self.bounds[..], &mut self.oriented[..]);
        let given = (&self.records[..], (&self.marks[..], &self.locals[..]));
        let lists = (given, (&mut self.poses[..], boxes));
        if self.changed.len() < MANY {
            place(lists);
        } else {
            workers::share(lists, PIECE, place, || ());
        }
        for slot in &self.changed {
            self.marks[*slot as usize].is_changed = false;
        }
    }

    /// Places the bodies of a level.
    fn place_level(&mut self) {
        let (records, poses, options) = (&self.records, &self.poses, self.options);
        let locals = &self.locals;
        let place = |slot: u32| -> Placed {
            let (record, local) = (&records[slot as usize], &locals[slot as usize]);
            let pose = match record.parent {
                NONE => *local,
                parent => poses[parent as usize].composed_in_chain(local),
            };
            if !pose.is_in_range() {
                // Nothing is certain out there: the body meets nothing until it comes back.
                return (pose, Bounds::EMPTY, options.oriented.then(|| OrientedBox::around(&[])));
            }
            let (bounds, oriented) = options.around(record.form(), &pose);
            (pose, bounds, oriented)
        };
        self.computed.clear();
        if self.level.len() < MANY {
            self.computed.extend(self.level.iter().copied().map(place));
        } else {
            self.computed.resize(self.level.len(), (Pose::IDENTITY, Bounds::EMPTY, None));
            let place_all = |(slots, placed): (&[u32], &mut [Placed])| {
                for (slot, placed) in slots.iter().zip(placed) {
                    *placed = place(*slot);
                }
            };
            let lists = (&self.level[..], &mut self.computed[..]);
            workers::share(lists, PIECE, place_all, || ());
        }
        for (slot, (pose, bounds, oriented)) in self.level.iter().zip(&self.computed) {
            let slot = *slot as usize;
            self.poses[slot] = *pose;
            self.bounds[slot] = *bounds;
            if let Some(oriented) = oriented {
                self.oriented[slot] = *oriented;
            }
        }
    }

    /// Notes that the bodies of a level moved, and goes on to those that hang on them.
    fn descend(&mut self) {
        self.next.clear();
        for n in 0..self.level.len() {
            let slot = self.level[n];
            self.note_move(slot);
            let mut child = self.records[slot as usize].child;
            while child != NONE {
                self.next.push(child);
                child = self.records[child as usize].sibling;
            }
        }
        std::mem::swap(&mut self.level, &mut self.next);
    }
}

impl BoxOptions {
    /// The boxes around a body at a pose.
    ///
    /// Pairs are asked about the pose of B in A's frame, which is rounded; so that bodies that
    /// touch there never have boxes apart here, boxes are larger by more than that rounding.
    fn around(&self, geometry: &Geometry, pose: &Pose) -> (Bounds, Option<OrientedBox>) {
        let bounds = match self.kind {
            BoxKind::Fast => geometry.bounds_at(pose),
            BoxKind::Tight => geometry.tight_bounds_at(pose),
            BoxKind::RotationProof => geometry.rotation_proof_bounds_at(pose),
        };
        let slack = slack(&bounds, geometry.reach() + pose.translation().abs().max_element());
        let oriented = self.oriented.then(|| {
            let moved = geometry.oriented().transformed(pose);
            if bounds.is_empty() { moved } else { moved.enlarged(slack) }
        });
        let bounds = if bounds.is_empty() { bounds } else { bounds.grown(slack) };
        (bounds.into(), oriented)
    }
}

/// A relative pose takes the transpose of a rotation for its inverse, which for a matrix that is a
/// rotation only to [`ROTATION_TOLERANCE`] is off by a few times that, relative to all coordinates
/// that go into it; beside that, rounding does not count.
pub(super) fn slack(bounds: &Aabb, reach: f64) -> f64 {
    let mut size = bounds.min.abs().max(bounds.max.abs()).max_element();
    if !size.is_finite() {
        let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
        let corners = bounds.min.to_array().into_iter().chain(bounds.max.to_array());
        size = corners.map(finite).fold(0.0, f64::max);
    }
    10.0 * ROTATION_TOLERANCE * (size + reach) + f64::MIN_POSITIVE
}
