//! The poses of bodies and the boxes around them.

use super::bodies::{Bodies, BoxOptions, Marks, NONE, Record};
use super::{BoxKind, Geometry};
use crate::broad::BoxF32;
use crate::math::OrientedBox;
use crate::math::{Aabb, Pose, ROTATION_TOLERANCE};
use crate::wide::prefetch;
use crate::workers;

/// The number of bodies in a level from which on several threads compute their boxes. With fewer,
/// sharing takes longer than the work.
const MIN_BODIES_FOR_THREADS: usize = 128;
/// The smallest number of bodies that a thread takes at a time.
const MIN_BODIES_AT_A_TIME: usize = 8;

/// The number of bodies ahead for which poses are prefetched.
const PREFETCH_BODIES: usize = 6;

/// The pose of a body in the world, and the boxes around it.
pub(super) type Placed = (Pose, BoxF32, Option<OrientedBox>);

impl Bodies {
    /// Updates poses and boxes, level by level, the bodies of a level in parallel
    /// (Zachmann 1994, section 6.3).
    pub(super) fn update_poses(&mut self) {
        self.gather_waiting();
        if self.changed.is_empty() {
            return;
        }
        let (records, marks, changed) = (&self.records, &self.marks, &self.changed);
        let is_root = |slot: &u32| records[*slot as usize].parent == NONE;
        if changed.len() * 2 > records.len() && changed.iter().all(is_root) {
            self.place_roots();
            std::mem::swap(&mut self.level, &mut self.changed);
        } else {
            // Bodies with a changed ancestor are reached from that ancestor.
            let has_changed_ancestor = |slot: u32| {
                let mut ancestor = records[slot as usize].parent;
                while ancestor != NONE && !marks[ancestor as usize].is_changed {
                    ancestor = records[ancestor as usize].parent;
                }
                ancestor != NONE
            };
            self.level.clear();
            self.level.extend(changed.iter().copied().filter(|slot| !has_changed_ancestor(*slot)));
            for slot in &self.changed {
                self.marks[*slot as usize].is_changed = false;
            }
            self.place_level();
        }
        self.changed.clear();
        (self.changed_count, self.changed_with_children) = (0, 0);
        self.descend();
        while !self.level.is_empty() {
            self.place_level();
            self.descend();
        }
        self.next.clear();
        self.computed.clear();
    }

    /// Updates all bodies that changed, none of which has a parent, in the order of their slots.
    fn place_roots(&mut self) {
        let options = self.options;
        type Inputs<'a> = (&'a [Record], (&'a [Marks], &'a [Pose]));
        type Outputs<'a> = (&'a mut [Pose], (&'a mut [BoxF32], &'a mut [OrientedBox]));
        let place = |(inputs, outputs): (Inputs<'_>, Outputs<'_>)| {
            let ((records, (marks, locals)), (poses, (bounds, oriented))) = (inputs, outputs);
            for (n, record) in records.iter().enumerate().filter(|(n, _)| marks[*n].is_changed) {
                // Another thread wrote the poses, so they are not in this core's cache.
                if let Some(ahead) = locals.get(n + PREFETCH_BODIES) {
                    prefetch(ahead);
                }
                poses[n] = locals[n];
                let (aligned_box, oriented_box) = options.boxes(record.geometry(), &locals[n]);
                bounds[n] = aligned_box;
                if let Some(oriented_box) = oriented_box {
                    oriented[n] = oriented_box;
                }
            }
        };
        let boxes = (&mut self.bounds[..], &mut self.oriented[..]);
        let inputs = (&self.records[..], (&self.marks[..], &self.locals[..]));
        let lists = (inputs, (&mut self.poses[..], boxes));
        if self.changed.len() < MIN_BODIES_FOR_THREADS {
            place(lists);
        } else {
            workers::share(lists, MIN_BODIES_AT_A_TIME, place, || ());
        }
        for slot in &self.changed {
            self.marks[*slot as usize].is_changed = false;
        }
    }

    /// Updates the bodies of a level.
    fn place_level(&mut self) {
        let (records, poses, options) = (&self.records, &self.poses, self.options);
        let locals = &self.locals;
        let place = |slot: u32| place_one(slot, records, locals, poses, options);
        self.computed.clear();
        if self.level.len() < MIN_BODIES_FOR_THREADS {
            self.computed.extend(self.level.iter().copied().map(place));
        } else {
            self.computed.resize(self.level.len(), (Pose::IDENTITY, BoxF32::EMPTY, None));
            let place_all = |(slots, placed): (&[u32], &mut [Placed])| {
                for (slot, placed) in slots.iter().zip(placed) {
                    *placed = place(*slot);
                }
            };
            let lists = (&self.level[..], &mut self.computed[..]);
            workers::share(lists, MIN_BODIES_AT_A_TIME, place_all, || ());
        }
        for n in 0..self.level.len() {
            self.set_placed(self.level[n], self.computed[n]);
        }
    }

    fn set_placed(&mut self, slot: u32, (pose, bounds, oriented): Placed) {
        let slot = slot as usize;
        self.poses[slot] = pose;
        self.bounds[slot] = bounds;
        if let Some(oriented) = oriented {
            self.oriented[slot] = oriented;
        }
    }

    /// Updates the pose and the box of one body that changed; of a body with ancestors that
    /// changed, those of the first of these instead.
    pub(super) fn place_first_of_chain(&mut self, slot: u32) {
        let mut top = slot;
        let mut ancestor = self.records[slot as usize].parent;
        while ancestor != NONE {
            if self.marks[ancestor as usize].is_changed {
                top = ancestor;
            }
            ancestor = self.records[ancestor as usize].parent;
        }
        let placed = place_one(top, &self.records, &self.locals, &self.poses, self.options);
        self.set_placed(top, placed);
        self.note_placed(top);
    }

    /// The box of a body where it is now, also if it was not placed since it moved.
    pub(super) fn box_now(&self, slot: u32) -> BoxF32 {
        // The body and its ancestors, of which one has changed.
        let mut chain = Vec::new();
        let mut changed = 0;
        let mut next = slot;
        while next != NONE {
            chain.push(next);
            if self.marks[next as usize].is_changed {
                changed = chain.len();
            }
            next = self.records[next as usize].parent;
        }
        let Some(top) = changed.checked_sub(1) else { return self.bounds[slot as usize] };
        let mut pose = match chain.get(changed) {
            Some(parent) => {
                self.poses[*parent as usize].composed_in_chain(&self.locals[chain[top] as usize])
            }
            None => self.locals[chain[top] as usize],
        };
        for slot in chain[..top].iter().rev() {
            pose = pose.composed_in_chain(&self.locals[*slot as usize]);
        }
        let record = &self.records[slot as usize];
        match record.geometry.as_ref().filter(|_| pose.is_in_range()) {
            Some(geometry) => self.options.boxes(geometry, &pose).0,
            None => BoxF32::EMPTY,
        }
    }

    /// Records that the bodies of a level moved, and makes their children the next level.
    fn descend(&mut self) {
        self.next.clear();
        for n in 0..self.level.len() {
            let slot = self.level[n];
            self.note_move(slot);
            let mut child = self.records[slot as usize].first_child;
            while child != NONE {
                self.next.push(child);
                child = self.records[child as usize].next_sibling;
            }
        }
        std::mem::swap(&mut self.level, &mut self.next);
    }
}

/// The pose and the boxes of a body, from those of its parent.
fn place_one(
    slot: u32,
    records: &[Record],
    locals: &[Pose],
    poses: &[Pose],
    options: BoxOptions,
) -> Placed {
    let (record, local) = (&records[slot as usize], &locals[slot as usize]);
    let pose = match record.parent {
        NONE => *local,
        parent => poses[parent as usize].composed_in_chain(local),
    };
    if !pose.is_in_range() {
        // Verdicts are not exact there: the body meets no other until it is in range again.
        return (pose, BoxF32::EMPTY, options.oriented.then(|| OrientedBox::around(&[])));
    }
    let (bounds, oriented) = options.boxes(record.geometry(), &pose);
    (pose, bounds, oriented)
}

impl BoxOptions {
    /// The boxes around a body at a pose.
    ///
    /// Pairs are checked with the pose of B in A's frame, which is rounded. Boxes are enlarged by
    /// more than that rounding, so that bodies that touch in A's frame never have disjoint boxes in
    /// the world's frame.
    pub(super) fn boxes(&self, geometry: &Geometry, pose: &Pose) -> (BoxF32, Option<OrientedBox>) {
        let bounds = match self.kind {
            BoxKind::Fast => geometry.bounds_at(pose),
            BoxKind::Tight => geometry.tight_bounds_at(pose),
            BoxKind::RotationProof => geometry.rotation_proof_bounds_at(pose),
        };
        let size = geometry.max_coordinate() + pose.translation().abs().max_element();
        let slack = pose_slack(&bounds, size);
        let oriented = self.oriented.then(|| {
            let moved = geometry.oriented().transformed(pose);
            if bounds.is_empty() { moved } else { moved.enlarged(slack) }
        });
        let bounds = if bounds.is_empty() { bounds } else { bounds.grown(slack) };
        (bounds.into(), oriented)
    }
}

/// The error of coordinates in `bounds` and up to `max_coordinate` in a relative pose.
///
/// A relative pose uses the transpose of a rotation as its inverse. For a matrix that is a rotation
/// only up to [`ROTATION_TOLERANCE`] the error is a few times that, relative to all coordinates
/// involved; compared with that, rounding is negligible.
pub(super) fn pose_slack(bounds: &Aabb, max_coordinate: f64) -> f64 {
    let mut size = bounds.min.abs().max(bounds.max.abs()).max_element();
    if !size.is_finite() {
        let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
        let corners = bounds.min.to_array().into_iter().chain(bounds.max.to_array());
        size = corners.map(finite).fold(0.0, f64::max);
    }
    10.0 * ROTATION_TOLERANCE * (size + max_coordinate) + f64::MIN_POSITIVE
}
