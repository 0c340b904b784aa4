//! Changed rules, applied in parts by updates within a budget.
//!
//! Every change of the rules has a version, and every slot the version whose rules were applied to
//! the pairs of its body with bodies in larger slots. Slots are visited in a circle, so that each
//! has its turn also if the rules change in every frame. A body whose slot is behind counts as not
//! compared.

use super::World;
use super::pairs::Key;
use crate::pair::Budget;

/// Units of work to visit a slot, and to add a pair.
const UNITS_PER_SLOT: u64 = 1;
const UNITS_PER_NEW_PAIR: u64 = 8;
/// Pairs of a slot that are visited for one unit.
const PAIRS_PER_UNIT: usize = 4;

/// Which slots have pairs that were not compared with the rules since they changed.
#[derive(Debug, Default)]
pub(super) struct RuleVersions {
    current: u64,
    /// The version of each slot; slots behind the end have no bodies or are new.
    of: Vec<u64>,
    /// The number of slots that do not have the current version.
    behind: usize,
    /// The slot that is visited next, or of which some pairs were visited.
    next: usize,
    /// The pairs of that slot that have yet to be visited: those of the world, and those of the
    /// broad phase, from the last to the first; and the version when the visit began.
    visit: Option<Visit>,
}

#[derive(Clone, Copy, Debug)]
struct Visit {
    known: usize,
    stored: usize,
    version: u64,
}

impl RuleVersions {
    /// Notes that the rules have changed.
    fn change(&mut self, slots: usize) {
        self.current += 1;
        self.of.resize(slots, self.current - 1);
        self.behind = slots;
    }

    /// The number of slots whose pairs were not compared with the rules.
    pub(super) fn behind(&self) -> usize {
        self.behind
    }

    /// Whether the pairs of a slot were not compared with the rules.
    pub(super) fn is_behind(&self, slot: u32) -> bool {
        self.behind > 0 && self.of.get(slot as usize).is_some_and(|v| *v != self.current)
    }

    pub(super) fn reserve(&mut self, slots: usize) {
        self.of.reserve(slots.saturating_sub(self.of.len()));
    }

    /// Forgets all, for an update without a budget. Returns whether slots were behind.
    pub(super) fn clear(&mut self) -> bool {
        self.of.clear();
        (self.next, self.visit) = (0, None);
        std::mem::take(&mut self.behind) > 0
    }
}

impl World {
    /// Notes that the rules have changed, if they have. A broad phase without lists of the pairs of
    /// each item has all pairs compared at once.
    pub(super) fn note_changed_rules(&mut self) {
        if !self.recheck_interest {
            return;
        }
        if self.phase.pair_count(0).is_none() {
            self.recheck_compared_pairs();
            return;
        }
        self.recheck_interest = false;
        self.backlog.rules.change(self.bodies.records.len());
    }

    /// Compares pairs with the rules until all are, or the budget is spent.
    pub(super) fn apply_rules(&mut self, budget: &mut Budget<'_>) {
        while self.backlog.rules.behind > 0 {
            let rules = &mut self.backlog.rules;
            if rules.next >= rules.of.len() {
                rules.next = 0;
            }
            let slot = rules.next as u32;
            if rules.visit.is_none() {
                if !budget.take(UNITS_PER_SLOT) {
                    return;
                }
                if !rules.is_behind(slot) {
                    rules.next += 1;
                    continue;
                }
                let known = self.pairs.of(slot).len();
                let stored = self.phase.pair_count(slot).unwrap_or(0);
                rules.visit = Some(Visit { known, stored, version: rules.current });
            }
            if !self.visit_pairs(slot, budget) {
                return;
            }
        }
    }

    /// Compares the pairs of a slot with the rules. Returns false if the budget is spent before.
    fn visit_pairs(&mut self, slot: u32, budget: &mut Budget<'_>) -> bool {
        while let Some(visit) = self.backlog.rules.visit {
            let Visit { known, stored, version } = visit;
            if known == 0 && stored == 0 {
                let rules = &mut self.backlog.rules;
                rules.visit = None;
                let of = &mut rules.of[slot as usize];
                // The rules may have changed again during the visit.
                if *of != rules.current && version == rules.current {
                    rules.behind -= 1;
                }
                *of = version;
                rules.next += 1;
                return true;
            }
            if !budget.take(1) {
                return false;
            }
            for position in (known.saturating_sub(PAIRS_PER_UNIT)..known).rev() {
                self.remove_unless_compared(slot, position);
            }
            let known = known.saturating_sub(PAIRS_PER_UNIT);
            let mut left = stored;
            for position in (stored.saturating_sub(PAIRS_PER_UNIT)..stored).rev() {
                let pair = self.phase.pair_at(slot, position).filter(|pair| pair.a == slot);
                if let Some(pair) =
                    pair.filter(|pair| self.pairs.get(Key::new(pair.a, pair.b)).is_none())
                {
                    if self.matrix.is_compared(&self.bodies, pair.a, pair.b).0 {
                        if !budget.take(UNITS_PER_NEW_PAIR) {
                            break;
                        }
                        self.add_pair_if_compared(pair.a, pair.b);
                        self.enqueue_new(Key::new(pair.a, pair.b));
                    }
                }
                left = position;
            }
            self.backlog.rules.visit = Some(Visit { known, stored: left, version });
            if budget.is_over() {
                return false;
            }
        }
        true
    }

    /// Removes a pair of a slot, which has the smaller number, if it is not compared any more.
    fn remove_unless_compared(&mut self, slot: u32, position: usize) {
        let Some(number) = self.pairs.of(slot).get(position) else { return };
        let key = self.pairs.records[*number as usize].key;
        let (a, b) = key.slots();
        if a == slot && !self.matrix.is_compared(&self.bodies, a, b).0 {
            self.remove_pair(key);
        }
    }

    /// Whether a pair may have to end because the rules have changed.
    pub(super) fn is_not_compared_any_more(&self, key: Key) -> bool {
        let (a, b) = key.slots();
        self.backlog.rules.behind > 0 && !self.matrix.is_compared(&self.bodies, a, b).0
    }
}
