//! A broad phase that does nothing until the earliest time at which two bodies can meet (Hubbard
//! 1995, section VI).
//!
//! Each space-time bound is an item of a [broad phase](crate::broad::Neighbours) over the boxes
//! that the bounds sweep until they expire. Two items whose boxes are apart do not meet before; for
//! the others the [earliest meeting](super::earliest_meeting) is computed when one of them is new,
//! and waits in a queue. A step up to a time before the first entry of the queue does nothing.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::bound::SpaceTimeBound;
use super::meeting::earliest_meeting;
use crate::broad::{BoxF32, BroadPhase, Changes, FrameInput, Moved, Neighbours};
use crate::error::{Error, ErrorKind};
use crate::math::{Aabb, MAX_COORDINATE};

/// A body of a [`Scheduler`]. The number of a removed body may be given to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyNumber(u32);

impl BodyNumber {
    /// The number itself: small, for use as an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Finds the pairs of bodies that may have met, from bounds of their motions.
///
/// In a loop, an application
///
/// 1. gives every body a bound by [`set`](Self::set);
/// 2. [advances](Self::advance) to the time of its frame, and compares the pairs that are due, over
///    the interval since the last advance if contacts in between matter;
/// 3. gives new bounds to the bodies that need [`renewal`](Due::renew), from their state at that
///    time, and repeats from 2.
///
/// **Every pair that is not due has had no contact since the last advance**, if the bodies have
/// kept their limits; so a contact cannot be missed between two frames, however short it was. A
/// body without a bound, or whose bound has expired, is compared with all others in every frame:
/// it is in [`Due::unbounded`]. What is not certain is reported, never assumed.
///
/// An impulse, or any other change that breaks the limits, is an early expiry: advance to its time,
/// then set a new bound, or [`expire`](Self::expire) the old one. A body that is
/// [observed](Self::observe) outside its bound has broken its limits: its bound is dropped.
///
/// ```
/// use impinge::{Aabb, Vec3};
/// use impinge::motion::{Limits, Motion, Scheduler};
///
/// let mut scheduler = Scheduler::new(0.0)?;
/// let (ball, floor) = (scheduler.add(), scheduler.add());
/// let slab = Aabb::from_corners(Vec3::new(-9.0, -9.0, -0.01), Vec3::new(9.0, 9.0, 0.0));
/// scheduler.set(floor, &[Motion::fixed(slab).bound(0.0, 100.0)?]);
/// let falling = |z: f64, v: f64| {
///     let limits = Limits::none().acceleration(10.0);
///     Motion::at(Vec3::Z * z).velocity(Vec3::Z * v).radius(0.25).limits(limits)
/// };
/// scheduler.set(ball, &[falling(5.25, 0.0).bound(0.0, 2.0)?]);
/// // It starts to fall, and would reach the floor at 1. Frames before 0.5 do nothing.
/// assert_eq!(scheduler.next_time(), 0.5);
/// assert!(scheduler.advance(0.4)?.is_empty());
/// // A frame from 0.4 to 1.2 would step over the thin floor. The pair is due.
/// assert_eq!(scheduler.advance(1.2)?.pairs(), [(ball, floor)]);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Debug)]
pub struct Scheduler {
    now: f64,
    bodies: Vec<Body>,
    free: Vec<u32>,
    items: Vec<Item>,
    free_items: Vec<u32>,
    /// The boxes that the bounds of the items sweep from when they were set until they expire;
    /// empty for free items.
    swept: Vec<BoxF32>,
    /// Items that are new since the queue was updated, each once.
    moved: Vec<u32>,
    phase: Neighbours,
    changes: Changes,
    queue: BinaryHeap<Reverse<Event>>,
    /// The number of bodies without a bound at this time.
    unbounded: usize,
    /// Bodies that were observed outside their bounds and have not been listed yet.
    outside: Vec<BodyNumber>,
    due: Due,
    stats: SchedulerStats,
}

/// What an [advance](Scheduler::advance) found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Due {
    pairs: Vec<(BodyNumber, BodyNumber)>,
    unbounded: Vec<BodyNumber>,
    outside: Vec<BodyNumber>,
    renew: Vec<BodyNumber>,
}

impl Due {
    /// Pairs of bodies whose bounds have met, in order: they may have had a contact since the last
    /// advance. A pair is due in every advance until one of its bodies gets a new bound.
    #[must_use]
    pub fn pairs(&self) -> &[(BodyNumber, BodyNumber)] {
        &self.pairs
    }

    /// Bodies that had no bound at some time since the last advance, in order: they may have met
    /// any other body. The pairs of these bodies need not be in [`pairs`](Self::pairs).
    #[must_use]
    pub fn unbounded(&self) -> &[BodyNumber] {
        &self.unbounded
    }

    /// Bodies that were [observed](Scheduler::observe) outside their bounds since the last advance,
    /// in order. They are among the [unbounded](Self::unbounded), too. Contacts since they were
    /// last known to be inside may have been missed.
    #[must_use]
    pub fn outside(&self) -> &[BodyNumber] {
        &self.outside
    }

    /// All bodies of these lists, in order: new bounds for them, from their state at the time of
    /// the advance, make later frames free again.
    #[must_use]
    pub fn renew(&self) -> &[BodyNumber] {
        &self.renew
    }

    /// Whether no body can have met another one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.renew.is_empty()
    }

    fn clear(&mut self) {
        self.pairs.clear();
        self.unbounded.clear();
        self.outside.clear();
        self.renew.clear();
    }
}

/// How much a [`Scheduler`] has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchedulerStats {
    /// Advances.
    pub advances: u64,
    /// Advances that ended after one comparison of times.
    pub idle: u64,
    /// Bounds that were entered into the broad phase.
    pub entered: u64,
    /// Pairs of bounds whose earliest meeting was computed.
    pub meetings: u64,
    /// Entries that were taken from the queue.
    pub events: u64,
}

#[derive(Clone, Debug, Default)]
struct Body {
    exists: bool,
    /// Bodies of the same group, unless it is zero, are not compared.
    group: u32,
    items: Vec<u32>,
    /// Counts the bounds that were set: an event of an earlier bound is void.
    version: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// No bound holds now.
    #[default]
    Unbounded,
    Bounded,
}

/// One bound of a body.
#[derive(Clone, Debug)]
struct Item {
    body: u32,
    bound: SpaceTimeBound,
    is_moved: bool,
    /// The items whose swept boxes overlap with that of this item, unless both are free.
    near: Vec<u32>,
}

/// An entry of the queue.
#[derive(Clone, Copy, Debug)]
struct Event {
    time: f64,
    /// The bodies that may meet; the same twice if its bound expires.
    bodies: [u32; 2],
    versions: [u32; 2],
}

impl Event {
    fn key(&self) -> ([u32; 2], [u32; 2]) {
        (self.bodies, self.versions)
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        self.time.total_cmp(&other.time).then_with(|| self.key().cmp(&other.key()))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Event {}

impl Scheduler {
    /// A scheduler without bodies, whose time is `now`.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if the time is not a number of at most [`MAX_COORDINATE`] in
    /// size.
    pub fn new(now: f64) -> Result<Self, Error> {
        check_time(now)?;
        Ok(Self {
            now,
            bodies: Vec::new(),
            free: Vec::new(),
            items: Vec::new(),
            free_items: Vec::new(),
            swept: Vec::new(),
            moved: Vec::new(),
            phase: Neighbours::new(),
            changes: Changes::default(),
            queue: BinaryHeap::new(),
            unbounded: 0,
            outside: Vec::new(),
            due: Due::default(),
            stats: SchedulerStats::default(),
        })
    }

    /// The time of the last advance.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// What has been done since the scheduler was made.
    #[must_use]
    pub fn stats(&self) -> SchedulerStats {
        self.stats
    }

    /// Adds a body without a bound.
    pub fn add(&mut self) -> BodyNumber {
        self.add_to_group(0)
    }

    /// Adds a body without a bound. Bodies of the same group are not compared with each other,
    /// unless the group is zero: fixed bodies, or the links of one robot.
    pub fn add_to_group(&mut self, group: u32) -> BodyNumber {
        let number = self.free.pop().unwrap_or_else(|| {
            self.bodies.push(Body::default());
            (self.bodies.len() - 1) as u32
        });
        let body = &mut self.bodies[number as usize];
        (body.exists, body.group, body.state) = (true, group, State::Unbounded);
        self.unbounded += 1;
        BodyNumber(number)
    }

    /// Removes a body.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn remove(&mut self, body: BodyNumber) {
        self.drop_bounds(body);
        self.unbounded -= 1;
        self.outside.retain(|outside| *outside != body);
        self.bodies[body.index()].exists = false;
        self.free.push(body.0);
    }

    /// Replaces the bounds of a body from [`now`](Self::now) on. A long body has several, each
    /// around a part of it. If one of them does not hold now, or there are none, the body has no
    /// bound.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn set(&mut self, body: BodyNumber, bounds: &[SpaceTimeBound]) {
        self.drop_bounds(body);
        let now = self.now;
        if bounds.is_empty() || bounds.iter().any(|b| !(b.start <= now && now <= b.end)) {
            return;
        }
        self.unbounded -= 1;
        let version = self.bodies[body.index()].version;
        self.bodies[body.index()].state = State::Bounded;
        for bound in bounds {
            let item = self.free_items.pop().unwrap_or_else(|| {
                self.swept.push(BoxF32::EMPTY);
                self.items.push(Item { body: 0, bound: *bound, is_moved: false, near: Vec::new() });
                (self.items.len() - 1) as u32
            });
            let Item { body: of, bound: kept, .. } = &mut self.items[item as usize];
            (*of, *kept) = (body.0, bound.restarted(now));
            self.swept[item as usize] = BoxF32::from(bound.swept(now, bound.end));
            self.note_moved(item);
            self.bodies[body.index()].items.push(item);
            self.stats.entered += 1;
        }
        let end = bounds.iter().fold(f64::INFINITY, |end, bound| end.min(bound.end));
        let bodies = [body.0; 2];
        self.queue.push(Reverse(Event { time: end, bodies, versions: [version; 2] }));
    }

    /// Drops the bounds of a body: its limits do not hold from [`now`](Self::now) on.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn expire(&mut self, body: BodyNumber) {
        self.set(body, &[]);
    }

    /// Compares a body with its bounds at [`now`](Self::now): `boxes` has the box of its part for
    /// each bound, in the order in which they were [set](Self::set). Returns whether all of them
    /// are inside.
    ///
    /// If not, the body has broken its limits: its bounds are dropped, and the next advance lists
    /// it in [`Due::outside`]. A body without bounds is inside, as is one with boxes for another
    /// number of bounds outside.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn observe(&mut self, body: BodyNumber, boxes: &[Aabb]) -> bool {
        let Body { exists, state, items, .. } = &self.bodies[body.index()];
        assert!(exists, "there is no body {}", body.0);
        if *state == State::Unbounded {
            return true;
        }
        let is_inside = boxes.len() == items.len()
            && boxes
                .iter()
                .zip(items)
                .all(|(part, item)| self.items[*item as usize].bound.contains_box(part, self.now));
        if !is_inside {
            self.drop_bounds(body);
            self.outside.push(body);
        }
        is_inside
    }

    /// The time up to which an advance does nothing: no pair can have a contact before it, and no
    /// bound expires. It is [`now`](Self::now) if a body has no bound, and infinite if there is
    /// nothing to wait for.
    pub fn next_time(&mut self) -> f64 {
        self.update_queue();
        if self.unbounded > 0 || !self.outside.is_empty() {
            return self.now;
        }
        self.queue.peek().map_or(f64::INFINITY, |event| event.0.time.max(self.now))
    }

    /// Advances to a time, which is not before the last one, and returns the bodies that may have
    /// met since then, both times included.
    ///
    /// # Errors
    /// [`ErrorKind::BadParameter`] if the time is before the last one, not a number, or larger than
    /// [`MAX_COORDINATE`] in size. Nothing changes then.
    pub fn advance(&mut self, to: f64) -> Result<&Due, Error> {
        check_time(to)?;
        if to < self.now {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("the time {to:e} is before {:e}, the time of the last advance", self.now),
            ));
        }
        self.stats.advances += 1;
        self.due.clear();
        if to < self.next_time() {
            self.now = to;
            self.stats.idle += 1;
            return Ok(&self.due);
        }
        self.collect(to);
        self.now = to;
        Ok(&self.due)
    }

    /// Lists what is due up to a time.
    fn collect(&mut self, to: f64) {
        let Due { pairs, unbounded, outside, renew } = &mut self.due;
        let mut kept = Vec::new();
        while self.queue.peek().is_some_and(|event| event.0.time <= to) {
            let Some(Reverse(event)) = self.queue.pop() else { break };
            let [a, b] = event.bodies;
            let is_void = [0, 1].iter().any(|side| {
                self.bodies[event.bodies[*side] as usize].version != event.versions[*side]
            });
            if is_void {
                continue;
            }
            self.stats.events += 1;
            if a == b {
                // Its items stay until it gets new bounds, so that its pairs stay due.
                let body = &mut self.bodies[a as usize];
                if std::mem::replace(&mut body.state, State::Unbounded) == State::Bounded {
                    self.unbounded += 1;
                }
            } else {
                pairs.push((BodyNumber(a.min(b)), BodyNumber(a.max(b))));
                kept.push(Reverse(event));
            }
        }
        // A pair stays due until one of its bodies gets a new bound.
        self.queue.extend(kept);
        pairs.sort_unstable();
        pairs.dedup();
        if self.unbounded > 0 {
            let numbered = self.bodies.iter().enumerate();
            let without =
                numbered.filter(|(_, body)| body.exists && body.state == State::Unbounded);
            unbounded.extend(without.map(|(number, _)| BodyNumber(number as u32)));
        }
        // Also if they have new bounds by now.
        outside.append(&mut self.outside);
        outside.sort_unstable();
        outside.dedup();
        unbounded.extend_from_slice(outside);
        unbounded.sort_unstable();
        unbounded.dedup();
        renew.extend(pairs.iter().flat_map(|(a, b)| [*a, *b]));
        renew.extend_from_slice(unbounded);
        renew.sort_unstable();
        renew.dedup();
    }

    /// Removes the bounds of a body, which is then unbounded.
    fn drop_bounds(&mut self, body: BodyNumber) {
        let record = &mut self.bodies[body.index()];
        assert!(record.exists, "there is no body {}", body.0);
        record.version = record.version.wrapping_add(1);
        if std::mem::replace(&mut record.state, State::Unbounded) == State::Bounded {
            self.unbounded += 1;
        }
        for item in std::mem::take(&mut record.items) {
            self.swept[item as usize] = BoxF32::EMPTY;
            self.note_moved(item);
            self.free_items.push(item);
        }
    }

    fn note_moved(&mut self, item: u32) {
        if !std::mem::replace(&mut self.items[item as usize].is_moved, true) {
            self.moved.push(item);
        }
    }

    /// Finds the pairs of new bounds, and enters their earliest meetings into the queue.
    fn update_queue(&mut self) {
        if !self.moved.is_empty() {
            self.phase.update_unlimited(
                &FrameInput {
                    bounds: &self.swept,
                    oriented: None,
                    moved: Moved::Only(&self.moved),
                },
                &mut self.changes,
            );
            for pair in &self.changes.ended {
                for (item, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
                    let near = &mut self.items[item as usize].near;
                    if let Some(place) = near.iter().position(|near| *near == other) {
                        near.swap_remove(place);
                    }
                }
            }
            for pair in &self.changes.began {
                self.items[pair.a as usize].near.push(pair.b);
                self.items[pair.b as usize].near.push(pair.a);
            }
            let moved = std::mem::take(&mut self.moved);
            for item in &moved {
                self.enter_meetings(*item);
            }
            for item in &moved {
                self.items[*item as usize].is_moved = false;
            }
            self.moved = moved;
            self.moved.clear();
        }
        // Void entries at the front would end idle times too early.
        while let Some(Reverse(event)) = self.queue.peek() {
            let is_valid = |side: usize| {
                self.bodies[event.bodies[side] as usize].version == event.versions[side]
            };
            if is_valid(0) && is_valid(1) {
                break;
            }
            self.queue.pop();
        }
    }

    /// Enters the earliest meetings of a new item with all items near it.
    fn enter_meetings(&mut self, item: u32) {
        let Item { body, bound, near, .. } = &self.items[item as usize];
        let own = &self.bodies[*body as usize];
        for other in near {
            let Item { body: other_body, bound: other_bound, is_moved, .. } =
                &self.items[*other as usize];
            // A pair of two new items is entered once, for the smaller one.
            if body == other_body || *is_moved && *other < item {
                continue;
            }
            let their = &self.bodies[*other_body as usize];
            if own.group != 0 && own.group == their.group {
                continue;
            }
            self.stats.meetings += 1;
            let other_bound = other_bound.restarted(self.now);
            if let Some(time) = earliest_meeting(bound, &other_bound) {
                let bodies = [*body, *other_body];
                let versions = [own.version, their.version];
                self.queue.push(Reverse(Event { time, bodies, versions }));
            }
        }
    }
}

fn check_time(t: f64) -> Result<(), Error> {
    if t.abs() <= MAX_COORDINATE {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::BadParameter,
        format!("the time is {t:e}; it must be a number of at most {MAX_COORDINATE:e} in size"),
    ))
}
