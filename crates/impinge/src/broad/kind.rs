//! A broad phase by its name.

use std::fmt;

use super::{AllPairs, BroadPhase, Incremental, Neighbours};
use crate::{Error, ErrorKind};

/// A kind of broad phase: its name, and a function that creates one. The options of a
/// [`World`](crate::World) have such a kind.
///
/// [`PhaseKind::ALL`] lists the kinds of this crate; a program defines others with
/// [`PhaseKind::new`], as the crate `impinge-papers` does, or with [`PhaseKind::with_closure`] if
/// they have options that are known at run time only.
///
/// ```
/// use impinge::broad::{AllPairs, PhaseKind};
/// use impinge::world::{World, WorldOptions};
///
/// let every_pair = PhaseKind::new("every-pair", || Box::new(AllPairs::new()));
/// let world = World::with_options(WorldOptions::default().phase(every_pair));
/// assert_eq!(world.options().phase.name(), "every-pair");
///
/// assert_eq!(PhaseKind::by_name("all-pairs", PhaseKind::ALL)?, PhaseKind::ALL_PAIRS);
/// assert!(PhaseKind::by_name("all-pears", PhaseKind::ALL).is_err());
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct PhaseKind {
    name: &'static str,
    make: Make,
}

/// What creates a broad phase.
#[derive(Clone, Copy)]
enum Make {
    Function(fn() -> Box<dyn BroadPhase>),
    Closure(&'static (dyn Fn() -> Box<dyn BroadPhase> + Send + Sync)),
}

impl PhaseKind {
    /// [`Neighbours`], the fastest for most kinds of motion, and the default.
    pub const NEIGHBOURS: Self = Self::new("neighbours", || Box::new(Neighbours::new()));

    /// [`Incremental`], which stops when its budget is spent.
    pub const INCREMENTAL: Self = Self::new("incremental", || Box::new(Incremental::new()));
    /// [`AllPairs`], the oracle.
    pub const ALL_PAIRS: Self = Self::new("all-pairs", || Box::new(AllPairs::new()));

    /// The kinds of this crate.
    pub const ALL: &[Self] = &[Self::NEIGHBOURS, Self::INCREMENTAL, Self::ALL_PAIRS];

    /// A kind with its name, and a function that creates a broad phase without items: a plain `fn`,
    /// so that kinds can be constants; it captures nothing. Two kinds with the same name are equal.
    #[must_use]
    pub const fn new(name: &'static str, make: fn() -> Box<dyn BroadPhase>) -> Self {
        Self { name, make: Make::Function(make) }
    }

    /// As [`PhaseKind::new`], with a closure, which may capture options. It lives as long as the
    /// program, so that a kind is a copyable value: create it once, not for each world.
    ///
    /// ```
    /// use impinge::broad::{BroadPhase, PhaseKind};
    ///
    /// fn kind<P: BroadPhase + Clone + 'static>(name: &'static str, phase: P) -> PhaseKind {
    ///     let make = move || Box::new(phase.clone()) as Box<dyn BroadPhase>;
    ///     PhaseKind::with_closure(name, Box::leak(Box::new(make)))
    /// }
    /// ```
    #[must_use]
    pub const fn with_closure(
        name: &'static str,
        make: &'static (dyn Fn() -> Box<dyn BroadPhase> + Send + Sync),
    ) -> Self {
        Self { name, make: Make::Closure(make) }
    }

    /// The name, a single word.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Creates a broad phase without items.
    #[must_use]
    pub fn make(self) -> Box<dyn BroadPhase> {
        match self.make {
            Make::Function(make) => make(),
            Make::Closure(make) => make(),
        }
    }

    /// The kind with this name among the given ones.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if there is none; the message lists the given kinds.
    pub fn by_name(name: &str, among: &[Self]) -> Result<Self, Error> {
        among.iter().copied().find(|factory| factory.name == name).ok_or_else(|| {
            let known: Vec<&str> = among.iter().map(|factory| factory.name).collect();
            let message =
                format!("there is no broad phase {name:?}; there are {}", known.join(", "));
            Error::new(ErrorKind::BadParameter, message)
        })
    }
}

impl Default for PhaseKind {
    fn default() -> Self {
        Self::NEIGHBOURS
    }
}

impl PartialEq for PhaseKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for PhaseKind {}

impl fmt::Debug for PhaseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PhaseKind").field(&self.name).finish()
    }
}

impl fmt::Display for PhaseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}
