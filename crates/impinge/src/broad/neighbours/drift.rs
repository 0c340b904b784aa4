//! Motion that many boxes have in common.
//!
//! Boxes that fall together, or ride on one belt, leave any skin within a frame, and yet nothing
//! changes between them. They are *adrift*: their boxes with skins are kept in coordinates that
//! move along, and the lists among them hold as those of boxes that rest do. Between what is adrift
//! and what is not, pairs are looked for in every frame. Only one such motion is followed at a
//! time.
//!
//! Let `D` be the offset of the moving coordinates, `f` a box with skin in them and `t` the box
//! itself. In every frame each lower side must obey `fl(f + D) < t`, strictly, and each upper side
//! the reverse; else the box has left its skin. If two boxes adrift overlap,
//! `fl(f + D) < t <= u < fl(g + D)` for a lower side `t` of one and the upper side `u` of the
//! other. Rounding is monotone, so `f < g`: the boxes with skins overlap in the moving coordinates,
//! and the pair is in the lists.

use super::Neighbours;
use super::record::Turned;
use crate::broad::Frame;

/// So many slots are looked at for boxes adrift, or so many that were too fast for a skin are kept
/// in mind.
const PROBES: usize = 48;
/// A motion in common is one of at least so many of them,
const ENOUGH: usize = 8;
/// and of at least so large a share.
const SHARE: f32 = 0.6;

/// The motion that boxes have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Drift {
    /// Where the moving coordinates are.
    pub(super) offset: [f32; 3],
    /// How far they moved in this frame, if there is a motion in common.
    pub(super) step: Option<[f32; 3]>,
    /// How many boxes are adrift.
    pub(super) members: usize,
    /// Some items that were too fast for a skin in the last frame.
    pub(super) fast: Vec<u32>,
    samples: [Vec<f32>; 3],
    ranked: Vec<f32>,
}

impl Neighbours {
    /// Finds out how the moving coordinates move in this frame, from a few of the boxes adrift or,
    /// where there are none, from a few that were too fast in the last frame.
    pub(super) fn feel(&mut self, frame: &Frame<'_>) {
        self.drift.step = None;
        if self.drift.members == 0 && self.drift.fast.is_empty() {
            return;
        }
        for samples in &mut self.drift.samples {
            samples.clear();
        }
        let probe = |drift: &mut Drift, slot: usize| {
            let (old, new) = (&self.tight[slot], frame.of(self.items[slot]));
            if !old.is_empty() && !new.is_empty() {
                for k in 0..3 {
                    drift.samples[k].push(new.min[k] - old.0[k]);
                }
            }
        };
        if self.drift.members > 0 {
            let step = (self.items.len() / PROBES).max(1);
            for slot in (1..self.items.len()).step_by(step) {
                if self.adrift[slot] {
                    probe(&mut self.drift, slot);
                }
            }
        } else {
            self.drift.offset = [0.0; 3];
            for n in 0..self.drift.fast.len() {
                let slot = self.slots[self.drift.fast[n] as usize];
                probe(&mut self.drift, slot as usize);
            }
        }
        self.drift.agree(self.skin.width);
        if let (Some(step), true) = (self.drift.step, self.drift.members > 0) {
            let offset = [0, 1, 2].map(|k| self.drift.offset[k] + step[k]);
            if offset.iter().all(|x| x.is_finite()) {
                self.drift.offset = offset;
            } else {
                // The moving coordinates stay where they are, and the boxes leave their skins.
                self.drift.step = None;
            }
        }
    }

    /// Keeps some of the boxes in mind that were too fast.
    pub(super) fn remember_fast(&mut self) {
        self.drift.fast.clear();
        let fast = self.escaped.iter().filter(|entry| Kind::of(**entry) == Kind::Fast);
        let step = (self.escaped.len() / PROBES).max(1);
        self.drift.fast.extend(fast.step_by(step).map(|entry| self.items[slot_of(*entry)]));
    }

    /// A box with its skin, by how it moved; notes whether it is adrift.
    pub(super) fn dress(&mut self, slot: usize, kind: Kind) {
        let tight = &self.tight[slot];
        let was_adrift = self.adrift[slot];
        // A wider skin would have kept it, if it had one and did not change its way of moving.
        let had_skin = self.fat[slot].width() > tight.width() + 0.5 * self.skin.width;
        let same_way = kind == if was_adrift { Kind::Adrift } else { Kind::Slow };
        self.skin.escaped += usize::from(had_skin && same_way);
        let mut adrift = false;
        self.fat[slot] = match kind {
            Kind::Slow => self.skin.around(tight),
            Kind::Fast => *tight,
            Kind::Adrift => {
                let fat = self.skin.around(&tight.moved(self.drift.offset.map(|o| -o)));
                adrift = fat.holds_adrift(tight, self.drift.offset);
                if adrift { fat } else { *tight }
            }
        };
        self.adrift[slot] = adrift;
        self.drift.members += usize::from(adrift);
        self.drift.members -= usize::from(was_adrift);
    }

    /// The box with skin in the coordinates of all, larger by what rounding may hide.
    pub(super) fn fat_at(&self, slot: usize) -> Turned {
        if self.adrift[slot] { self.fat[slot].shifted(self.drift.offset) } else { self.fat[slot] }
    }
}

impl Drift {
    /// Takes the median of the samples, if enough of them agree with it and it is more than the
    /// skin can bear.
    fn agree(&mut self, width: f32) {
        let count = self.samples[0].len();
        if count < ENOUGH {
            return;
        }
        let step = [0, 1, 2].map(|k| {
            self.ranked.clear();
            self.ranked.extend_from_slice(&self.samples[k]);
            *self.ranked.select_nth_unstable_by(count / 2, f32::total_cmp).1
        });
        let agrees = |n: usize| (0..3).all(|k| (self.samples[k][n] - step[k]).abs() <= width);
        let agreeing = (0..count).filter(|n| agrees(*n)).count();
        let finite = step.iter().all(|s| s.is_finite());
        if finite && agreeing as f32 >= SHARE * count as f32 && agreeing >= ENOUGH {
            let moves = self.members > 0 || step.iter().any(|s| s.abs() > width);
            self.step = moves.then_some(step);
        }
    }
}

/// How a box moved that left its skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// By no more than the skin is wide.
    Slow,
    /// By more.
    Fast,
    /// As the boxes adrift do.
    Adrift,
}

impl Kind {
    /// A slot and a kind in one number.
    #[inline(always)]
    pub(super) fn entry(self, slot: usize) -> u32 {
        4 * slot as u32 + self as u32
    }

    #[inline(always)]
    pub(super) fn of(entry: u32) -> Self {
        match entry % 4 {
            0 => Self::Slow,
            1 => Self::Fast,
            _ => Self::Adrift,
        }
    }
}

/// The slot of an entry.
#[inline(always)]
pub(super) fn slot_of(entry: u32) -> usize {
    entry as usize / 4
}
