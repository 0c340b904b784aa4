//! The signed distance of two shapes within a budget.

use super::super::cache::ShapeCache;
use super::super::convexes::{self, BodiesRest};
use super::super::dispatch;
use super::super::kind::Shape;
use super::super::margins::Margins;
use super::first_piece::{Rest, StartContact};
use super::{Key, Stopped, pay_for_start};
use crate::answer::{Contact, Within};
use crate::budget::Budget;
use crate::convex::Kernels;
use crate::convex::interruptible::Computation;
use crate::math::{Pose, Vec3};

/// The state of a query for the signed distance of two shapes. Keep one for each pair of shapes
/// whose query may be continued. It is small until a query is stopped.
#[derive(Debug, Default)]
pub struct ShapeContactSearch {
    state: Option<Box<State>>,
}

/// A query that was stopped.
#[derive(Debug)]
struct State {
    key: Key,
    bodies: Stopped<Contact>,
    /// The final answer.
    contact: Option<Contact>,
}

impl ShapeContactSearch {
    /// A state that belongs to no query yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the query: the next call starts anew.
    pub fn reset(&mut self) {
        self.state = None;
    }

    /// Continues the query, or starts it. See [`contact_within`].
    pub fn run(
        &mut self,
        a: &Shape,
        b: &Shape,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> Option<Within<Contact>> {
        self.run_cached(a, b, pose, &mut ShapeCache::default(), budget)
    }

    /// As [`run`](Self::run), starting from the final state of the last query of the pair.
    pub fn run_cached(
        &mut self,
        a: &Shape,
        b: &Shape,
        pose: &Pose,
        cache: &mut ShapeCache,
        budget: &mut Budget<'_>,
    ) -> Option<Within<Contact>> {
        if let Some(state) = &mut self.state {
            if state.key.is_of(a, b, pose) {
                return Some(state.run(budget));
            }
        }
        let due = pay_for_start(budget);
        let (may_build, kernels) = (budget.is_unlimited(), Kernels::within(budget));
        match dispatch::answer(&mut StartContact { cache, may_build, kernels }, a, b, pose) {
            Ok(contact) => contact.map(Within::Final),
            Err(Rest::Bodies(rest)) => {
                let (p, q) = (a.convex()?, b.convex()?);
                let known = convexes::known_before(&p, &q, pose, &rest);
                if matches!(rest, BodiesRest::NoTables) {
                    return Some(Within::Open(known));
                }
                let are_hulls = p.hull().is_some() && q.hull().is_some();
                let margins = are_hulls.then(|| Margins::new(p.margin, q.margin));
                let key = Key::new(a, b, pose);
                let (a, b, pose) = (a.clone(), b.clone(), *pose);
                let computation = Computation::new(async move {
                    let (Some(p), Some(q)) = (a.convex(), b.convex()) else { return UNKNOWN };
                    let mut memory = Default::default();
                    convexes::finish_contact(&p, &q, &pose, rest, &mut memory, kernels).await
                });
                let bodies = Stopped { computation, known, margins, due };
                let state = State { key, bodies, contact: None };
                match &mut self.state {
                    Some(kept) => **kept = state,
                    None => self.state = Some(Box::new(state)),
                }
                self.state.as_mut().map(|state| state.run(budget))
            }
            Err(Rest::All | Rest::Plane(_)) => None,
        }
    }
}

impl State {
    fn run(&mut self, budget: &mut Budget<'_>) -> Within<Contact> {
        if let Some(contact) = self.contact {
            return Within::Final(contact);
        }
        match self.bodies.run(budget) {
            Ok(contact) => {
                // The bounds may have been tighter before the end: by the boxes, or by rounding.
                let contact = contact.tightened(&self.bodies.known_so_far());
                self.contact = Some(contact);
                Within::Final(contact)
            }
            Err(known) => Within::Open(known),
        }
    }
}

/// Nothing is known about two bodies.
const UNKNOWN: Contact = Contact {
    lower: f64::NEG_INFINITY,
    upper: f64::INFINITY,
    direction: Vec3::ZERO,
    point_a: Vec3::ZERO,
    point_b: Vec3::ZERO,
};

/// As [`contact`](super::super::contact()), but stops when the budget is spent, and then returns
/// the bounds so far. `None` for the pairs for which [`contact`](super::super::contact()) has no
/// answer. A further call with the same shapes and pose continues the query; with others it starts
/// anew.
///
/// All that [`intersects_within`](super::intersects_within) says of budgets holds here, too.
///
/// ```
/// use impinge::convex::{Cylinder, Sphere};
/// use impinge::pair::Budget;
/// use impinge::shape::{self, ShapeContactSearch};
/// use impinge::Pose;
///
/// let (can, ball) = (Cylinder::new(1.0, 0.5)?.into(), Sphere::new(0.5)?.into());
/// let pose = Pose::from_translation([0.75, 0.0, 0.25])?;
/// let mut search = ShapeContactSearch::new();
/// let mut budget = Budget::steps(20);
/// let early = shape::contact_within(&can, &ball, &pose, &mut budget, &mut search);
/// let early = early.expect("both are convex").get();
/// let mut budget = Budget::steps(100_000);
/// let found = shape::contact_within(&can, &ball, &pose, &mut budget, &mut search);
/// let found = found.filter(|found| found.is_final()).expect("enough steps").get();
/// assert!(early.lower <= -0.25 && found.lower <= -0.25 && -0.25 <= found.upper);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn contact_within(
    a: &Shape,
    b: &Shape,
    pose: &Pose,
    budget: &mut Budget<'_>,
    search: &mut ShapeContactSearch,
) -> Option<Within<Contact>> {
    search.run(a, b, pose, budget)
}
