//! The messages of the application to the detection thread: poses, of which only the newest is
//! used, and commands, which are all executed.
//!
//! After Zachmann (1994), section 6.4: an object is entered at most once in a buffer, and its
//! transformation can still be changed while it is in the buffer.

use super::merge::Merge;
use super::places::{NONE, Places};

/// A request of the application other than a pose: add, remove or deform a body, change a rule.
pub trait Command {
    /// The bodies whose poses must not be moved past this command.
    fn scope(&self) -> Scope;

    /// Whether `older`, the last command before this one with the same bodies, need not be executed
    /// any more, so that this one can replace it in the queue (and so come before poses that were
    /// set in between). A second deformation of a body supersedes the first; most commands
    /// supersede none. This keeps an unread queue short.
    fn supersedes(&self, older: &Self) -> bool {
        let _ = older;
        false
    }
}

/// The bodies that a [`Command`] affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// No body: the order of the command and poses makes no difference.
    Free,
    /// One body.
    Body(u32),
    /// Two bodies, as when one is attached to the other.
    Bodies(u32, u32),
    /// Every body.
    All,
}

/// An entry of an [`Outbox`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entry<P, C> {
    /// A body and its new pose.
    Pose(u32, P),
    /// A command.
    Command(C),
}

/// A queue of commands and poses in which a body has one pose, the newest.
///
/// Executing the entries in their order has the same effect as executing everything that was
/// entered, in the order of entry: commands keep their order, and a pose stays on the same side of
/// every command whose [`scope`](Command::scope) contains its body. A body has more than one entry
/// only if such a command is between them; the usual case is a number that is reused for another
/// body by a remove and an add. Memory is proportional to the number of entries, and does not
/// depend on the numbers of the bodies.
///
/// ```
/// use impinge::internals::exchange::{Command, Entry, Outbox, Scope};
///
/// #[derive(Debug, PartialEq)]
/// enum Order {
///     Add(u32),
///     Remove(u32),
/// }
///
/// impl Command for Order {
///     fn scope(&self) -> Scope {
///         let (Order::Add(body) | Order::Remove(body)) = *self;
///         Scope::Body(body)
///     }
/// }
///
/// let mut outbox = Outbox::default();
/// outbox.push(Order::Add(0));
/// outbox.set(0, 1.0);
/// outbox.push(Order::Add(1));
/// outbox.set(0, 2.0); // replaces the pose before
/// outbox.push(Order::Remove(1));
/// let entries: Vec<_> = outbox.drain().collect();
/// assert_eq!(
///     entries,
///     [
///         Entry::Command(Order::Add(0)),
///         Entry::Pose(0, 2.0),
///         Entry::Command(Order::Add(1)),
///         Entry::Command(Order::Remove(1)),
///     ]
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Outbox<P, C> {
    entries: Vec<Entry<P, C>>,
    places: Places,
    /// The position of the last command with the scope of all bodies. Entries before it cannot be
    /// replaced.
    barrier: usize,
}

impl<P, C> Default for Outbox<P, C> {
    fn default() -> Self {
        Self { entries: Vec::new(), places: Places::default(), barrier: 0 }
    }
}

impl<P, C> Outbox<P, C> {
    /// The entries, in the order of execution.
    #[must_use]
    pub fn entries(&self) -> &[Entry<P, C>] {
        &self.entries
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes the entries, in the order of execution. Entries that the caller does not take are
    /// dropped.
    pub fn drain(&mut self) -> impl Iterator<Item = Entry<P, C>> + use<'_, P, C> {
        self.clear_places();
        self.entries.drain(..)
    }

    /// Drops the entries and keeps the memory.
    pub fn clear(&mut self) {
        self.clear_places();
        self.entries.clear();
    }

    /// Sets the pose of `body`. Replaces an earlier pose if that is possible.
    pub fn set(&mut self, body: u32, pose: P) {
        let end = self.entries.len();
        let place = self.places.of(body);
        if place.pose != NONE && place.pose >= self.barrier {
            self.entries[place.pose] = Entry::Pose(body, pose);
        } else {
            place.pose = end;
            self.entries.push(Entry::Pose(body, pose));
        }
    }

    /// Clears the positions of entries that leave the queue.
    fn clear_places(&mut self) {
        self.places.clear();
        self.barrier = 0;
    }
}

impl<P, C: Command> Outbox<P, C> {
    /// Appends a command.
    pub fn push(&mut self, command: C) {
        let end = self.entries.len();
        let scope = command.scope();
        if let Some(place) = self.superseded(scope, &command) {
            self.entries[place] = Entry::Command(command);
            return;
        }
        match scope {
            Scope::Free => {}
            Scope::Body(body) => self.mark(body, end),
            Scope::Bodies(a, b) => {
                self.mark(a, end);
                self.mark(b, end);
            }
            Scope::All => self.barrier = end,
        }
        self.entries.push(Entry::Command(command));
    }

    /// Records that the command at `end` is the newest of `body`, so that later poses do not
    /// replace those before it.
    fn mark(&mut self, body: u32, end: usize) {
        let place = self.places.of(body);
        place.command = end;
        place.pose = NONE;
    }

    /// The position of the command that `command` may replace.
    fn superseded(&mut self, scope: Scope, command: &C) -> Option<usize> {
        let place = match scope {
            Scope::Free | Scope::All => return None,
            Scope::Body(body) => self.places.of(body).command,
            Scope::Bodies(a, b) => {
                let place = self.places.of(a).command;
                if self.places.of(b).command != place {
                    return None;
                }
                place
            }
        };
        if place == NONE || place < self.barrier {
            return None;
        }
        match &self.entries[place] {
            // Only a command with exactly the same bodies.
            Entry::Command(older) if older.scope() == scope && command.supersedes(older) => {
                Some(place)
            }
            _ => None,
        }
    }
}

impl<P, C: Command> Merge for Outbox<P, C> {
    fn merge(&mut self, newer: &mut Self) {
        for entry in newer.drain() {
            match entry {
                Entry::Pose(body, pose) => self.set(body, pose),
                Entry::Command(command) => self.push(command),
            }
        }
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use impinge_oracles::common::Random;

    #[derive(Clone, Debug, PartialEq)]
    enum Order {
        Add(u32, u64),
        Remove(u32),
        Deform(u32, u64),
        Attach(u32, u32),
        Scale(u64),
        Rule(u64),
    }

    impl Command for Order {
        fn scope(&self) -> Scope {
            match *self {
                Order::Add(body, _) | Order::Remove(body) | Order::Deform(body, _) => {
                    Scope::Body(body)
                }
                Order::Attach(a, b) => Scope::Bodies(a, b),
                Order::Scale(_) => Scope::All,
                Order::Rule(_) => Scope::Free,
            }
        }

        fn supersedes(&self, older: &Self) -> bool {
            matches!((self, older), (Order::Deform(..), Order::Deform(..)))
        }
    }

    /// The effect of the entries. `Attach` and `Scale` depend on the poses at their time, `Add` and
    /// `Remove` are recorded in a log.
    #[derive(Debug, Default, PartialEq)]
    struct Model {
        bodies: BTreeMap<u32, (u64, u64)>,
        log: Vec<Order>,
    }

    impl Model {
        fn apply(&mut self, entry: Entry<u64, Order>) {
            match entry {
                // A pose for a body that does not exist is ignored.
                Entry::Pose(body, pose) => {
                    if let Some(b) = self.bodies.get_mut(&body) {
                        b.0 = pose;
                    }
                }
                Entry::Command(order) => {
                    match order {
                        Order::Add(body, pose) => {
                            self.bodies.insert(body, (pose, 0));
                        }
                        Order::Remove(body) => {
                            self.bodies.remove(&body);
                        }
                        Order::Deform(body, form) => {
                            if let Some(b) = self.bodies.get_mut(&body) {
                                b.1 = form;
                            }
                            return;
                        }
                        Order::Attach(a, b) => {
                            let pose = self.bodies.get(&b).map_or(0, |b| b.0);
                            if let Some(a) = self.bodies.get_mut(&a) {
                                a.1 = a.1.wrapping_mul(31).wrapping_add(a.0 ^ pose);
                            }
                        }
                        Order::Scale(by) => {
                            for b in self.bodies.values_mut() {
                                b.1 = b.1.wrapping_mul(by).wrapping_add(b.0);
                            }
                        }
                        Order::Rule(_) => {}
                    }
                    self.log.push(order);
                }
            }
        }
    }

    /// Entries that are distributed over buffers and merged have the effect of the whole history.
    #[test]
    fn same_effect_as_the_history() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let (mut queued, mut history) = (Model::default(), Model::default());
            let (mut older, mut newer) = (Outbox::default(), Outbox::default());
            let commands = if seed % 3 == 0 { 5 } else { 40 };
            for step in 1..400 {
                let body = random.below(6) as u32;
                let entry = match random.below(commands) {
                    0 => Entry::Command(Order::Add(body, step)),
                    1 => Entry::Command(Order::Remove(body)),
                    2 => Entry::Command(Order::Deform(body, step)),
                    3 => Entry::Command(Order::Attach(body, random.below(6) as u32)),
                    4 => Entry::Command(if step % 2 == 0 {
                        Order::Scale(step)
                    } else {
                        Order::Rule(step)
                    }),
                    _ => Entry::Pose(body, step),
                };
                history.apply(entry.clone());
                match entry {
                    Entry::Pose(body, pose) => newer.set(body, pose),
                    Entry::Command(order) => newer.push(order),
                }
                if random.below(10) == 0 {
                    older.merge(&mut newer);
                    assert!(newer.is_empty());
                }
                if random.below(60) == 0 {
                    for entry in older.drain() {
                        queued.apply(entry);
                    }
                }
            }
            older.merge(&mut newer);
            for entry in older.drain() {
                queued.apply(entry);
            }
            assert_eq!(queued, history, "seed {seed}");
        }
    }

    #[test]
    fn a_body_is_queued_once() {
        let mut outbox = Outbox::<u64, Order>::default();
        for n in 0..10_000_u64 {
            outbox.set((n % 10) as u32 * 400_000_000, n);
        }
        assert_eq!(outbox.len(), 10);
        for (n, entry) in outbox.entries().iter().enumerate() {
            assert_eq!(*entry, Entry::Pose(n as u32 * 400_000_000, 9990 + n as u64));
        }
    }

    /// A pose for the old body with a number does not apply to the new one.
    #[test]
    fn reused_number() {
        let mut outbox = Outbox::default();
        outbox.set(5, 1);
        outbox.push(Order::Remove(5));
        outbox.push(Order::Add(5, 2));
        let mut model = Model { bodies: [(5, (0, 0))].into(), log: Vec::new() };
        outbox.drain().for_each(|entry| model.apply(entry));
        assert_eq!(model.bodies[&5].0, 2);
        // Entries that were drained are not replaced.
        outbox.set(5, 3);
        assert_eq!(outbox.entries(), [Entry::Pose(5, 3)]);
    }

    /// A body that is moved and deformed in every frame takes three entries, not three a frame.
    #[test]
    fn superseded_commands() {
        let mut outbox = Outbox::default();
        for frame in 0..1000 {
            outbox.set(1, frame);
            outbox.push(Order::Deform(1, frame));
        }
        let deform = Entry::Command(Order::Deform(1, 999));
        assert_eq!(outbox.entries(), [Entry::Pose(1, 0), deform, Entry::Pose(1, 999)]);
    }
}
