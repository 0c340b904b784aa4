//! The pairs that are compared (the collision interest matrix of Zachmann 1994, section 7.0.1).
//!
//! A matrix of all pairs would need memory for all pairs. Most entries follow from a few rules, and
//! only the exceptions are stored.

use std::collections::HashMap;

use super::bodies::Bodies;
use super::pairs::Key;
use crate::broad::KeyHasher;
use crate::error::{Error, ErrorKind};

/// The rules that decide which pairs of bodies are compared. The first that applies decides:
///
/// 1. the setting for this [pair](super::World::set_interest);
/// 2. bodies of which one is attached to the other by few enough [links](Interest::ignore_links)
///    are not compared;
/// 3. each body's mask must contain a group of the other;
/// 4. the settings for two [groups](Interest::set_groups) to which they belong, where "not
///    compared" has priority over "compared";
/// 5. [everything](Interest::everything) or [nothing](Interest::nothing).
///
/// ```
/// use impinge::world::Interest;
///
/// let mut interest = Interest::nothing();
/// interest.set_groups(0, 1, true)?; // robots and fences
/// interest.ignore_links(1); // not a body and its parent
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Interest {
    pub(super) default_compared: bool,
    /// For each group the groups it is compared with, and those it is not compared with. Symmetric.
    pub(super) compared: [u32; 32],
    pub(super) not_compared: [u32; 32],
    pub(super) max_ignored_links: u32,
}

impl Interest {
    /// All pairs are compared, if no other rule applies.
    #[must_use]
    pub fn everything() -> Self {
        Self {
            default_compared: true,
            compared: [0; 32],
            not_compared: [0; 32],
            max_ignored_links: 0,
        }
    }

    /// No pair is compared, if no other rule applies.
    #[must_use]
    pub fn nothing() -> Self {
        Self { default_compared: false, ..Self::everything() }
    }

    /// Whether bodies of one group are compared with those of another, or of the same. Groups are
    /// the bits of [`Body::groups`](super::Body::groups), 0 to 31.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if a group is not one of these; the rules are then unchanged.
    pub fn set_groups(&mut self, a: u32, b: u32, compared: bool) -> Result<(), Error> {
        if let Some(group) = [a, b].into_iter().find(|group| *group > 31) {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("there is no group {group}; groups are the bits of a number, 0 to 31"),
            ));
        }
        for (one, other) in [(a, b), (b, a)] {
            let (set, clear) = if compared {
                (&mut self.compared, &mut self.not_compared)
            } else {
                (&mut self.not_compared, &mut self.compared)
            };
            set[one as usize] |= 1 << other;
            clear[one as usize] &= !(1 << other);
        }
        Ok(())
    }

    /// Bodies are not compared if one is attached to the other by at most this many links: with
    /// one, a body and its parent; with two, also a body and the parent of its parent.
    pub fn ignore_links(&mut self, links: u32) {
        self.max_ignored_links = links;
    }

    /// Whether `table` contains a group of `a` with a group of `b`.
    fn has_any(table: &[u32; 32], a: u32, b: u32) -> bool {
        let mut groups = a;
        while groups != 0 {
            if table[groups.trailing_zeros() as usize] & b != 0 {
                return true;
            }
            groups &= groups - 1;
        }
        false
    }

    /// Whether the bodies in two slots are compared, for a pair without its own setting.
    fn by_rules(&self, bodies: &Bodies, a: u32, b: u32) -> (bool, InterestRule) {
        let (one, other) = (&bodies.records[a as usize], &bodies.records[b as usize]);
        let attached = one.parent().is_some() || other.parent().is_some();
        if self.max_ignored_links > 0 && attached {
            if let Some(links) = bodies.links_between(a, b, self.max_ignored_links) {
                return (false, InterestRule::Links(links));
            }
        }
        if one.groups & other.mask == 0 || other.groups & one.mask == 0 {
            return (false, InterestRule::Masks);
        }
        if Self::has_any(&self.not_compared, one.groups, other.groups) {
            return (false, InterestRule::Groups);
        }
        if Self::has_any(&self.compared, one.groups, other.groups) {
            return (true, InterestRule::Groups);
        }
        (self.default_compared, InterestRule::Default)
    }
}

impl Default for Interest {
    fn default() -> Self {
        Self::everything()
    }
}

/// The rule that decided whether a pair is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InterestRule {
    /// The setting for the pair.
    Pair,
    /// One body is attached to the other by this many links.
    Links(u32),
    /// One body's mask contains no group of the other.
    Masks,
    /// The setting for two of their groups.
    Groups,
    /// No other rule applied.
    Default,
}

/// The rules, and the exceptions for single pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Matrix {
    pub(super) rules: Interest,
    pub(super) pairs: HashMap<Key, bool, KeyHasher>,
}

impl Matrix {
    pub(super) fn is_compared(&self, bodies: &Bodies, a: u32, b: u32) -> (bool, InterestRule) {
        match self.pairs.is_empty() {
            false => match self.pairs.get(&Key::new(a, b)) {
                Some(compared) => (*compared, InterestRule::Pair),
                None => self.rules.by_rules(bodies, a, b),
            },
            true => self.rules.by_rules(bodies, a, b),
        }
    }

    pub(super) fn set(&mut self, a: u32, b: u32, compared: Option<bool>) {
        match compared {
            Some(compared) => self.pairs.insert(Key::new(a, b), compared),
            None => self.pairs.remove(&Key::new(a, b)),
        };
    }

    /// Removes the settings for the pairs of a body that is removed.
    pub(super) fn forget(&mut self, slot: u32) {
        if !self.pairs.is_empty() {
            self.pairs.retain(|key, _| !key.has(slot));
        }
    }
}
