//! The selection of the method that checks a pair.
//!
//! A method selected for the pair itself has priority, then one selected for the classes of its two
//! bodies, then one selected for the world; methods that do not apply to the shapes are skipped. If
//! none remains, the method of least expected cost is used.

use std::collections::HashMap;
use std::sync::Arc;

use super::WorldOptions;
use super::geometry::BodyPart;
use super::method::{self, Method};
use super::method_kind::{MethodKind, Source};
use super::pair_method::{PairMethod, PairTraits};
use super::pairs::Key;
use crate::broad::KeyHasher;
use crate::pair::Bias;

/// The rule that chose the method of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SelectedBy {
    /// It was selected [for the pair](super::World::set_method).
    Pair,
    /// It was selected [for the classes](super::World::set_class_method) of the two bodies.
    Classes,
    /// It was selected [for the world](super::WorldOptions::method).
    World,
    /// No selected method applies: it is the method of least expected cost among those without a
    /// bias.
    Cost,
}

/// The expected cost of a method for a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The method.
    pub method: MethodKind,
    /// The approximate time of a check in nanoseconds, for bodies that move a little from frame to
    /// frame; `None` if the method cannot decide for these shapes.
    pub nanoseconds: Option<f64>,
    /// The direction of possible errors; `None` if its answers are certain.
    pub bias: Option<Bias>,
}

/// The method of a pair, for checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SelectedMethod {
    Engine(Method),
    /// The index of an external method in a [`MethodTable`].
    Other(u32),
}

/// The external methods that were selected, each created once.
#[derive(Clone, Debug, Default)]
pub(super) struct MethodTable {
    entries: Vec<(MethodKind, Arc<dyn PairMethod>)>,
}

impl MethodTable {
    /// Creates a method if it is not in the table. Indices stay valid.
    fn add(&mut self, kind: MethodKind) {
        if self.find(kind).is_none() {
            if let Some(method) = kind.make() {
                self.entries.push((kind, method.into()));
            }
        }
    }

    /// Creates the methods that are not in the table.
    pub(super) fn add_all(&mut self, kinds: impl IntoIterator<Item = MethodKind>) {
        kinds.into_iter().for_each(|kind| self.add(kind));
    }

    pub(super) fn get(&self, number: u32) -> &dyn PairMethod {
        &*self.entries[number as usize].1
    }

    fn find(&self, kind: MethodKind) -> Option<u32> {
        self.entries.iter().position(|(known, _)| *known == kind).map(|number| number as u32)
    }
}

/// The methods that were selected for pairs and for pairs of classes.
#[derive(Clone, Debug, Default)]
pub(super) struct Selected {
    pairs: HashMap<Key, MethodKind, KeyHasher>,
    /// By two classes, in ascending order.
    classes: HashMap<[u32; 2], MethodKind>,
}

impl Selected {
    pub(super) fn set_pair(&mut self, key: Key, method: Option<MethodKind>) {
        match method {
            Some(method) => self.pairs.insert(key, method),
            None => self.pairs.remove(&key),
        };
    }

    pub(super) fn set_classes(&mut self, classes: [u32; 2], method: Option<MethodKind>) {
        match method {
            Some(method) => self.classes.insert(sorted(classes), method),
            None => self.classes.remove(&sorted(classes)),
        };
    }

    /// Removes the methods of the pairs of a body that is removed.
    pub(super) fn forget(&mut self, slot: u32) {
        if !self.pairs.is_empty() {
            self.pairs.retain(|key, _| !key.has(slot));
        }
    }

    /// All methods that were selected.
    pub(super) fn kinds(&self) -> impl Iterator<Item = MethodKind> + '_ {
        self.pairs.values().chain(self.classes.values()).copied()
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

/// All selected methods of a world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selection<'a> {
    selected: &'a Selected,
    world: Option<MethodKind>,
    candidates: &'a [MethodKind],
    table: &'a MethodTable,
}

/// A pair of bodies, for the choice of a method.
#[derive(Clone, Copy, Debug)]
pub(super) struct MethodSelector<'a> {
    /// `None` to use the engine's methods only.
    pub(super) selection: Option<Selection<'a>>,
    pub(super) key: Key,
    pub(super) classes: [u32; 2],
}

impl<'a> MethodSelector<'a> {
    /// The engine's method of least cost.
    pub(super) const fn engine(key: Key) -> Self {
        Self { selection: None, key, classes: [0; 2] }
    }

    /// The external method with an index.
    pub(super) fn other(&self, number: u32) -> &'a dyn PairMethod {
        self.selection.expect("external methods come from a selection").table.get(number)
    }

    /// The method for two parts of the bodies, and which rule chose it.
    pub(super) fn choose(&self, a: &BodyPart, b: &BodyPart) -> (SelectedMethod, SelectedBy) {
        let pair = PairTraits::of(a, b);
        for (kind, rule) in self.selected_methods() {
            let Some(selection) = self.selection else { break };
            if let Some((chosen, _)) = selection.estimate(kind, &pair) {
                return (chosen, rule);
            }
        }
        let (method, mut least_cost) = method::cheapest(&pair);
        let mut chosen = SelectedMethod::Engine(method);
        if let Some(selection) = &self.selection {
            for kind in selection.candidates {
                if selection.bias(*kind).is_some() {
                    continue;
                }
                let estimate = selection.estimate(*kind, &pair);
                if let Some((other, cost)) = estimate.filter(|(_, cost)| *cost < least_cost) {
                    (chosen, least_cost) = (other, cost);
                }
            }
        }
        (chosen, SelectedBy::Cost)
    }

    /// The selected methods for the pair, in the order of their priority.
    pub(super) fn selected_methods(
        &self,
    ) -> impl Iterator<Item = (MethodKind, SelectedBy)> + use<'a> {
        let by_rule = self.selection.map(|Selection { selected, world, .. }| {
            [
                (selected.pairs.get(&self.key).copied(), SelectedBy::Pair),
                (selected.classes.get(&sorted(self.classes)).copied(), SelectedBy::Classes),
                (world, SelectedBy::World),
            ]
        });
        let entries = by_rule.into_iter().flatten();
        entries.filter_map(|(kind, rule)| Some((kind?, rule)))
    }
}

impl<'a> Selection<'a> {
    pub(super) fn new(
        selected: &'a Selected,
        options: &'a WorldOptions,
        table: &'a MethodTable,
    ) -> Self {
        Self { selected, world: options.method, candidates: &options.candidates, table }
    }

    /// Whether no method is selected: all pairs are checked by the engine's methods.
    pub(super) fn is_empty(&self) -> bool {
        self.selected.pairs.is_empty()
            && self.selected.classes.is_empty()
            && self.world.is_none()
            && self.candidates.is_empty()
    }

    /// A method and its cost, if it applies.
    fn estimate(&self, kind: MethodKind, pair: &PairTraits) -> Option<(SelectedMethod, f64)> {
        match kind.0 {
            Source::Engine(method) => {
                Some((SelectedMethod::Engine(method), method::nanoseconds(method, pair)?))
            }
            Source::Other { .. } => {
                let number = self.table.find(kind)?;
                let other = self.table.get(number);
                other
                    .applies(pair)
                    .then(|| (SelectedMethod::Other(number), other.nanoseconds(pair)))
            }
        }
    }

    pub(super) fn bias(&self, kind: MethodKind) -> Option<Bias> {
        self.table.find(kind).and_then(|number| self.table.get(number).bias())
    }

    /// The expected cost of the engine's methods, and of all external methods of the table.
    pub(super) fn estimates(&self, pair: &PairTraits) -> Vec<Estimate> {
        let others = self.table.entries.iter().map(|(kind, _)| *kind);
        let kinds = MethodKind::ALL.iter().copied().chain(others);
        let estimate = |method| Estimate {
            method,
            nanoseconds: self.estimate(method, pair).map(|(_, nanoseconds)| nanoseconds),
            bias: self.bias(method),
        };
        kinds.map(estimate).collect()
    }

    pub(super) fn kind(&self, chosen: SelectedMethod) -> MethodKind {
        match chosen {
            SelectedMethod::Engine(method) => method.into(),
            SelectedMethod::Other(number) => self.table.entries[number as usize].0,
        }
    }
}
