//! The serialised form of bodies in a snapshot.

use serde::{Deserialize, Serialize};

use super::{Bodies, BoxOptions, MAX_BODIES, NONE, Record};
use crate::broad::BoxF32;
use crate::error::{Error, ErrorKind};
use crate::math::StoredPose;
use crate::world::Geometry;

/// The largest accepted component of a translation: twice the largest that
/// [`Pose::relative`](crate::Pose::relative) computes from poses in range.
const MAX_LOCAL_TRANSLATION: f64 = 8.0 * crate::MAX_COORDINATE;

/// All bodies, by slots.
#[derive(Serialize, Deserialize)]
pub(in crate::world) struct StoredBodies {
    pub(in crate::world) slots: Vec<StoredSlot>,
    /// In the order in which they are reused.
    free: Vec<u32>,
    /// Slots that were emptied since the last update, in this order.
    retired: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
pub(in crate::world) struct StoredSlot {
    generation: u32,
    pub(in crate::world) body: Option<StoredBody>,
}

#[derive(Serialize, Deserialize)]
pub(in crate::world) struct StoredBody {
    /// The index in the table of geometries.
    pub(in crate::world) geometry: u32,
    parent: Option<u32>,
    geometry_version: u32,
    groups: u32,
    mask: u32,
    #[serde(default)]
    class: u32,
    user: u64,
    local: StoredPose,
    /// As of the last update.
    pose: StoredPose,
    bounds: BoxF32,
}

fn bad(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::BadParameter, what)
}

impl Bodies {
    /// The serialised form; `number` returns the index of a geometry in the table.
    pub(in crate::world) fn stored(
        &self,
        mut number: impl FnMut(&Geometry) -> u32,
    ) -> StoredBodies {
        let slot = |(i, record): (usize, &Record)| StoredSlot {
            generation: record.generation,
            body: record.geometry.as_ref().map(|geometry| StoredBody {
                geometry: number(geometry),
                parent: record.parent(),
                geometry_version: record.geometry_version,
                groups: record.groups,
                mask: record.mask,
                class: record.class,
                user: record.user,
                local: StoredPose(self.locals[i]),
                pose: StoredPose(self.poses[i]),
                bounds: self.bounds[i],
            }),
        };
        let slots = self.records.iter().enumerate().map(slot).collect();
        StoredBodies { slots, free: self.free.clone(), retired: self.retired.clone() }
    }

    /// The bodies of the serialised form. All count as changed, so that the next update computes
    /// their poses and boxes again.
    pub(in crate::world) fn from_stored(
        stored: StoredBodies,
        geometries: &[Geometry],
    ) -> Result<Self, Error> {
        let StoredBodies { slots, free, retired } = stored;
        if slots.len() >= MAX_BODIES as usize {
            return Err(bad("more slots than a world has"));
        }
        let parents: Vec<Option<u32>> =
            slots.iter().map(|slot| slot.body.as_ref().and_then(|body| body.parent)).collect();
        let taken = |slot: u32| slots.get(slot as usize).is_some_and(|s| s.body.is_some());
        if !parents.iter().flatten().all(|parent| taken(*parent)) || has_cycle(&parents) {
            return Err(bad("a body is attached to a slot without a body, or to itself"));
        }
        let mut bodies = Self { options: BoxOptions::default(), ..Self::default() };
        for (i, StoredSlot { generation, body }) in slots.into_iter().enumerate() {
            bodies.push_slot()?;
            bodies.records[i].generation = generation;
            let Some(body) = body else { continue };
            let geometry = geometries.get(body.geometry as usize);
            let geometry =
                geometry.ok_or_else(|| bad("a body has a geometry that is not in the table"))?;
            let local = body.local.0;
            if local.translation().abs().max_element() > MAX_LOCAL_TRANSLATION {
                return Err(bad("a body is out of range"));
            }
            bodies.records[i] = Record {
                generation,
                geometry: Some(geometry.clone()),
                geometry_version: body.geometry_version,
                groups: body.groups,
                mask: body.mask,
                class: body.class,
                user: body.user,
                ..Record::FREE
            };
            bodies.locals[i] = local;
            bodies.poses[i] = body.pose.0;
            bodies.bounds[i] = body.bounds;
            bodies.change(i as u32);
        }
        // The last child is linked first, so that children are in the order of slots.
        for (slot, parent) in parents.iter().enumerate().rev() {
            bodies.link(slot as u32, parent.unwrap_or(NONE));
        }
        bodies.set_free_lists(free, retired)?;
        Ok(bodies)
    }

    /// Sets the lists of slots without bodies. Each slot may be in one of them, once.
    fn set_free_lists(&mut self, free: Vec<u32>, retired: Vec<u32>) -> Result<(), Error> {
        let mut seen = vec![false; self.records.len()];
        for slot in &free {
            let is_free = self.records.get(*slot as usize).is_some_and(Record::is_free);
            if !is_free || std::mem::replace(&mut seen[*slot as usize], true) {
                return Err(bad(
                    "the list of free slots has a slot that is not free, or one twice",
                ));
            }
        }
        // A slot that was emptied may contain a body again.
        for slot in &retired {
            let exists = (*slot as usize) < self.records.len();
            if !exists || std::mem::replace(&mut seen[*slot as usize], true) {
                return Err(bad(
                    "the list of emptied slots has a slot that does not exist, or one twice",
                ));
            }
            self.records[*slot as usize].is_retired = true;
            self.note_move(*slot);
        }
        (self.free, self.retired) = (free, retired);
        Ok(())
    }
}

/// Whether a body is attached to itself, directly or indirectly.
fn has_cycle(parents: &[Option<u32>]) -> bool {
    // 0 for bodies that were not visited, otherwise one more than the number of the walk that
    // visited them first.
    let mut walk = vec![0_usize; parents.len()];
    for start in 0..parents.len() {
        let mut body = start;
        while walk[body] == 0 {
            walk[body] = start + 1;
            match parents[body] {
                Some(parent) => body = parent as usize,
                None => break,
            }
        }
        if walk[body] == start + 1 && parents[body].is_some() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cycles_are_found() {
        assert!(!has_cycle(&[]));
        assert!(!has_cycle(&[None, Some(0), Some(1), Some(1), Some(0), None]));
        assert!(!has_cycle(&[Some(3), Some(0), Some(0), None]));
        assert!(has_cycle(&[Some(0)]));
        assert!(has_cycle(&[None, Some(2), Some(3), Some(1)]));
        assert!(has_cycle(&[Some(1), Some(2), Some(1)]));
    }
}
