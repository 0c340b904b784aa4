//! The methods that are compared: each is asked once a frame whether two cubes have met.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use impinge::broad::{BoxF32, BroadPhase as _, Changes, FrameInput, Moved, Neighbours, Pair};
use impinge::motion::{BodyNumber, Scheduler, SpaceTimeBound, earliest_meeting};
use impinge::world::{Handle, World};
use impinge::{Aabb, Vec3};
use impinge_papers::hubbard::broad_phase::{Bodies, BroadPhase};
use impinge_papers::hubbard::earliest::Planes;
use impinge_papers::hubbard::turk::TurkGrid;

use super::cubes::Cube;

/// Samples of an interval between two frames, for contacts within it.
pub(super) const SAMPLES: usize = 32;

/// The minimum temporal resolution of the paper's broad phase, in seconds.
pub(super) const RESOLUTION: f64 = 1e-3;

/// Bounds of the scheduler and of the heap hold until the next multiple of this, in seconds: the
/// chord of a shorter time is tighter, and bounds that expire together leave more frames free.
const HORIZON: f64 = 0.5;

/// Unless that is nearer than this.
const MIN_HORIZON: f64 = 0.1;

/// A frame: the time of the last one, its own, and the boxes of all cubes.
pub(super) struct Frame<'a> {
    pub(super) cubes: &'a [Cube],
    pub(super) last: f64,
    pub(super) now: f64,
    pub(super) boxes: &'a [Aabb],
}

impl Frame<'_> {
    /// Whether two cubes have a contact between the frames, by dense sampling.
    pub(super) fn touch(&self, a: usize, b: usize) -> bool {
        (0..=SAMPLES).any(|n| {
            let t = self.last + (self.now - self.last) * (n as f64 / SAMPLES as f64);
            self.cubes[a].bounds(t).overlaps(&self.cubes[b].bounds(t))
        })
    }
}

impl Frame<'_> {
    /// Whether one of these cubes, whose limits expired between the frames, has a contact there.
    fn touch_any(&self, cubes: &[usize]) -> bool {
        let grown = Vec3::splat(1e-3);
        let around = |n: usize| {
            let b = self.cubes[n].bounds(self.last).union(&self.boxes[n]);
            Aabb { min: b.min - grown, max: b.max + grown }
        };
        cubes.iter().any(|cube| {
            let own = around(*cube);
            let mut others = (0..self.cubes.len()).filter(|other| other != cube);
            others.any(|other| own.overlaps(&around(other)) && self.touch(*cube, other))
        })
    }
}

/// Which method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Turk,
    Paper,
    Neighbours,
    Swept,
    Heap,
    Scheduler,
    World,
    WorldAtTimes,
}

impl Method {
    pub(super) const ALL: [Self; 8] = [
        Self::Turk,
        Self::Paper,
        Self::Neighbours,
        Self::Swept,
        Self::Heap,
        Self::Scheduler,
        Self::World,
        Self::WorldAtTimes,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Turk => "Turk's grid, every frame",
            Self::Paper => "space-time bounds (paper, Fig. 9)",
            Self::Neighbours => "neighbour lists, every frame",
            Self::Swept => "swept boxes, every frame",
            Self::Heap => "heap of pair urgencies",
            Self::Scheduler => "`motion::Scheduler`",
            Self::World => "`World::update`, every frame",
            Self::WorldAtTimes => "`World::update_at`",
        }
    }

    pub(super) fn start(self, cubes: &[Cube]) -> Phase {
        match self {
            Self::Turk => Phase::Turk(TurkGrid::new(0.5)),
            Self::Paper => {
                Phase::Paper { phase: BroadPhase::new(0.0, RESOLUTION, Planes::Exact), rebuilt: 0 }
            }
            Self::Neighbours => Phase::Neighbours(Box::default()),
            Self::Swept => Phase::Swept(Box::default()),
            Self::Heap => Phase::Heap(Heap::new(cubes)),
            Self::Scheduler => Phase::Scheduler(Box::new(Scheduled::new(cubes))),
            Self::World => Phase::World(Box::new(InWorld::new(cubes, false))),
            Self::WorldAtTimes => Phase::World(Box::new(InWorld::new(cubes, true))),
        }
    }
}

/// A method at work.
pub(super) enum Phase {
    Turk(TurkGrid),
    Paper { phase: BroadPhase, rebuilt: u64 },
    Neighbours(Box<Listed>),
    Swept(Box<Listed>),
    Heap(Heap),
    Scheduler(Box<Scheduled>),
    World(Box<InWorld>),
}

/// The answer of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answer {
    /// Whether two cubes met.
    pub(super) met: bool,
    /// Whether nothing was compared.
    pub(super) idle: bool,
    /// The number of states that were computed besides those of frames.
    pub(super) states: u64,
}

impl Phase {
    pub(super) fn frame(&mut self, frame: &Frame<'_>) -> Answer {
        match self {
            Self::Turk(grid) => {
                let mut met = false;
                grid.pairs(frame.boxes, |_, _| {
                    met = true;
                    false
                });
                Answer { met, ..Answer::default() }
            }
            Self::Paper { phase, rebuilt } => {
                let builds = phase.builds;
                let met = phase.detect(frame.now, &mut Asked(frame.cubes)).is_some();
                *rebuilt = phase.builds - builds;
                Answer { met, idle: *rebuilt == 0, states: *rebuilt * frame.cubes.len() as u64 }
            }
            Self::Neighbours(listed) => {
                listed.boxes.clear();
                listed.boxes.extend(frame.boxes.iter().map(|b| BoxF32::from(*b)));
                listed.update();
                let pair = |pair: &Pair| {
                    frame.boxes[pair.a as usize].overlaps(&frame.boxes[pair.b as usize])
                };
                Answer { met: listed.pairs.iter().any(pair), ..Answer::default() }
            }
            Self::Swept(listed) => {
                listed.boxes.clear();
                for (cube, bounds) in frame.cubes.iter().zip(frame.boxes) {
                    // Between the frames a cube leaves the box of both by at most M dt^2 / 8.
                    let dt = frame.now - frame.last;
                    let bulge = 3.0 * dt * dt / 8.0;
                    let swept = cube.bounds(frame.last).union(bounds).grown(bulge);
                    listed.boxes.push(BoxF32::from(swept));
                }
                listed.update();
                let met = listed.pairs.iter().any(|p| frame.touch(p.a as usize, p.b as usize));
                Answer { met, ..Answer::default() }
            }
            Self::Heap(heap) => heap.frame(frame),
            Self::Scheduler(scheduled) => scheduled.frame(frame),
            Self::World(world) => world.frame(frame),
        }
    }
}

/// The state of the broad phase of lists, and the pairs that overlap.
#[derive(Default)]
pub(super) struct Listed {
    phase: Neighbours,
    changes: Changes,
    boxes: Vec<BoxF32>,
    pairs: Vec<Pair>,
}

impl Listed {
    fn update(&mut self) {
        let frame = FrameInput { bounds: &self.boxes, oriented: None, moved: Moved::All };
        self.phase.update_unlimited(&frame, &mut self.changes);
        self.pairs.clear();
        self.phase.pairs(&mut self.pairs);
    }
}

/// The paper's broad phase asks for bounds until the forces change, and compares cubes.
struct Asked<'a>(&'a [Cube]);

impl Bodies for Asked<'_> {
    fn bounds(&mut self, time: f64, bounds: &mut Vec<SpaceTimeBound>) {
        bounds.extend(self.0.iter().filter_map(|cube| {
            let (motion, end) = cube.motion(time);
            motion.bound(time, end).ok()
        }));
    }

    fn intersect(&mut self, [a, b]: [usize; 2], time: f64) -> bool {
        self.0[a].bounds(time).overlaps(&self.0[b].bounds(time))
    }
}

/// The bound of a cube from a time on.
fn bound(cube: &Cube, t: f64) -> Option<SpaceTimeBound> {
    let (motion, end) = cube.motion(t);
    motion.bound(t, end.min(horizon(t))).ok()
}

/// The time until which a bound that begins at `t` holds.
pub(super) fn horizon(t: f64) -> f64 {
    (((t + MIN_HORIZON) / HORIZON).floor() + 1.0) * HORIZON
}

/// Every pair waits for its own earliest meeting; no structure over space.
pub(super) struct Heap {
    /// The bits of the time, which is not negative, and the pair.
    queue: BinaryHeap<Reverse<(u64, u32, u32)>>,
}

impl Heap {
    fn new(cubes: &[Cube]) -> Self {
        let mut heap = Self { queue: BinaryHeap::new() };
        let bounds: Vec<Option<SpaceTimeBound>> = cubes.iter().map(|c| bound(c, 0.0)).collect();
        for a in 0..cubes.len() {
            for b in a + 1..cubes.len() {
                heap.push(&bounds[a], &bounds[b], a, b, 0.0);
            }
        }
        heap
    }

    /// The time of a pair: its earliest meeting, or when the first of its bounds expires.
    fn push(
        &mut self,
        a: &Option<SpaceTimeBound>,
        b: &Option<SpaceTimeBound>,
        n: usize,
        m: usize,
        now: f64,
    ) {
        let time = match (a, b) {
            (Some(a), Some(b)) => earliest_meeting(a, b).unwrap_or(a.end().min(b.end())),
            _ => now,
        };
        self.queue.push(Reverse((time.to_bits(), n as u32, m as u32)));
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Answer {
        let mut answer = Answer { idle: true, ..Answer::default() };
        let mut due = Vec::new();
        while let Some(Reverse((bits, a, b))) = self.queue.peek().copied() {
            if f64::from_bits(bits) > frame.now {
                break;
            }
            self.queue.pop();
            due.push((a as usize, b as usize));
        }
        for (a, b) in due {
            answer.idle = false;
            answer.met |= frame.touch(a, b);
            answer.states += 2;
            let bounds = [a, b].map(|n| bound(&frame.cubes[n], frame.now));
            self.push(&bounds[0], &bounds[1], a, b, frame.now);
        }
        answer
    }
}

/// The engine's scheduler.
pub(super) struct Scheduled {
    scheduler: Scheduler,
    renew: Vec<BodyNumber>,
    pub(super) failed: bool,
}

impl Scheduled {
    fn new(cubes: &[Cube]) -> Self {
        let mut scheduler = Scheduler::new(0.0).expect("zero is a time");
        let bodies: Vec<BodyNumber> = cubes.iter().map(|_| scheduler.add()).collect();
        let mut scheduled = Self { scheduler, renew: bodies, failed: false };
        scheduled.renew(cubes, 0.0);
        scheduled
    }

    fn renew(&mut self, cubes: &[Cube], now: f64) {
        for body in self.renew.drain(..) {
            if let Some(bound) = bound(&cubes[body.index()], now) {
                self.scheduler.set(body, &[bound]);
            }
        }
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Answer {
        let Ok(due) = self.scheduler.advance(frame.now) else {
            self.failed = true;
            return Answer::default();
        };
        if due.is_empty() {
            return Answer { idle: true, ..Answer::default() };
        }
        let mut met = due.pairs().iter().any(|(a, b)| frame.touch(a.index(), b.index()));
        let without: Vec<usize> = due.unbounded().iter().map(|body| body.index()).collect();
        met |= frame.touch_any(&without);
        self.renew.extend_from_slice(due.renew());
        let states = self.renew.len() as u64;
        self.renew(frame.cubes, frame.now);
        Answer { met, idle: false, states }
    }
}

/// The engine's world, which places all bodies in every frame, and compares shapes, not boxes.
pub(super) struct InWorld {
    world: World,
    handles: Vec<Handle>,
    /// When the limits of each cube were set last, if the world gets limits.
    set: Option<Vec<f64>>,
}

/// Limits that are newer than this are not replaced, in seconds.
const MIN_AGE: f64 = 0.05;

impl InWorld {
    fn new(cubes: &[Cube], with_limits: bool) -> Self {
        let mut world = World::new();
        let add = |cube: &Cube| world.add(cube.body()).expect("there is room");
        let handles: Vec<Handle> = cubes.iter().map(add).collect();
        let set = with_limits.then(|| vec![0.0; cubes.len()]);
        let mut this = Self { world, handles, set };
        if with_limits {
            for (n, cube) in cubes.iter().enumerate() {
                this.set_limits(n, cube, 0.0);
            }
            this.world.update_at(0.0).expect("time starts");
        } else {
            this.world.update();
        }
        this
    }

    fn set_limits(&mut self, n: usize, cube: &Cube, now: f64) {
        let motion = cube.body_motion(now, horizon(now));
        // Refused if the forces change at once.
        let _ = self.world.set_motion(self.handles[n], &motion, now);
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Answer {
        for (cube, handle) in frame.cubes.iter().zip(&self.handles) {
            self.world.move_to(*handle, cube.pose(frame.now)).expect("it exists");
        }
        let Some(set) = &mut self.set else {
            let met = self.world.update().stats().meeting > 0;
            return Answer { met, ..Answer::default() };
        };
        let report = self.world.update_at(frame.now).expect("time goes on");
        assert!(report.outside().is_empty(), "the cubes keep their limits");
        let (idle, renewals) = (report.stats().is_idle(), report.renewals().to_vec());
        if idle && renewals.is_empty() {
            return Answer { idle, ..Answer::default() };
        }
        let mut renew = Vec::new();
        for handle in renewals {
            let n = handle.slot();
            if frame.now - set[n] >= MIN_AGE || !self.world.has_motion(handle).unwrap_or(false) {
                set[n] = frame.now;
                renew.push(n);
            }
        }
        let due = self.world.due();
        let mut met = due.iter().any(|(a, b)| frame.touch(a.slot(), b.slot()));
        let without: Vec<usize> = self.world.unlimited().iter().map(|body| body.slot()).collect();
        met |= frame.touch_any(&without);
        let states = renew.len() as u64;
        for n in renew {
            self.set_limits(n, &frame.cubes[n], frame.now);
        }
        Answer { met, idle, states }
    }
}
