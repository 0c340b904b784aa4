//! Worlds that are updated at known times, with limits of motions that bodies keep or break: the
//! events are those of ordinary updates.

use impinge::motion::Limits;
use impinge::world::{Body, BodyMotion, Handle, World};
use impinge::{Pose, Shape, Vec3};

use super::worlds::{options, pairings};
use super::{Case, Row};
use crate::checker::Checker;

pub(super) const ROWS: &[Row] = &[Row {
    name: "worlds at known times",
    covers: &["world::World::update_at", "world::World::due", "world::World::next_time"],
    interval: 4,
    run: at_times,
}];

/// What the application says about the motion of B; A is fixed, or at rest.
#[derive(Clone, Copy, Debug)]
enum Claim {
    Nothing,
    Fixed,
    AtRest,
    /// A constant velocity: that from each pose to the next, or another.
    Inert,
    Speed,
    /// At rest, and may start to accelerate.
    Accelerates,
}

const CLAIMS: [Claim; 6] =
    [Claim::Nothing, Claim::Fixed, Claim::AtRest, Claim::Inert, Claim::Speed, Claim::Accelerates];

impl Claim {
    fn motion(self, velocity: Vec3, until: f64) -> Option<BodyMotion> {
        let fastest = velocity.length();
        let motion = match self {
            Self::Nothing => return None,
            Self::Fixed => BodyMotion::fixed(),
            Self::AtRest => BodyMotion::new(Limits::inert()).velocity(Vec3::ZERO),
            Self::Inert => BodyMotion::new(Limits::inert()).velocity(velocity).without_rotation(),
            Self::Speed => BodyMotion::new(Limits::none().speed(2.0 * fastest)),
            Self::Accelerates => {
                let limits = Limits::none().acceleration(4.0 * fastest).never_towards(-velocity);
                BodyMotion::new(limits).velocity(Vec3::ZERO)
            }
        };
        Some(motion.until(until))
    }
}

/// The pose moved by a few units in the last place along an axis.
fn nudged(pose: &Pose, axis: usize, by: u64) -> Option<Pose> {
    let mut rows = pose.to_matrix();
    rows[axis][3] = f64::from_bits(rows[axis][3].to_bits().wrapping_add(by));
    Pose::from_matrix(rows).ok()
}

/// The events and the pair of both worlds.
struct Twins {
    timed: World,
    plain: World,
    bodies: [Handle; 2],
}

impl Twins {
    fn new(case: &Case<'_>, shapes: [&Shape; 2]) -> Self {
        let [mut timed, mut plain] = [(); 2].map(|()| World::with_options(options(case)));
        let first = case.sample.poses[0];
        let bodies = [Body::new(shapes[0].clone()), Body::new(shapes[1].clone()).at(first)];
        let bodies = bodies.map(|body| {
            plain.add(body.clone()).expect("a body");
            timed.add(body).expect("a body")
        });
        Self { timed, plain, bodies }
    }

    /// Updates both. Returns whether the pair meets.
    fn update(&mut self, pose: Pose, time: f64, message: &str, checker: &mut Checker<'_>) -> bool {
        for world in [&mut self.timed, &mut self.plain] {
            world.move_to(self.bodies[1], pose).expect("it exists");
        }
        let expected = self.plain.update().clone();
        let Ok(report) = self.timed.update_at(time) else {
            checker.fail(format!("{message}: the time is refused"));
            return false;
        };
        let report = report.clone();
        checker.check(report.events() == expected.events(), || {
            format!("{message}: {:?}, expected {:?}", report.events(), expected.events())
        });
        let [a, b] = self.bodies;
        let meet = self.timed.meet(a, b).expect("both exist");
        checker.case(&(meet, report.outside(), report.stats().is_idle()));
        if report.stats().is_idle() {
            checker.count("idle frames");
        }
        if !report.outside().is_empty() {
            checker.count("bodies outside their limits");
        }
        let due = self.timed.due();
        checker.check(!meet || due == [(a, b)], || format!("{message}: due: {due:?}"));
        let next = self.timed.next_time();
        checker.check(next >= time, || format!("{message}: next {next} after {time}"));
        meet
    }
}

fn at_times(case: &Case<'_>, checker: &mut Checker<'_>) {
    let poses = &case.sample.poses;
    // Successive samples of a family make other claims.
    let round = (case.sample.index / 29) as usize;
    for pairing in pairings(case) {
        for offset in 0..2 {
            let claim = CLAIMS[(round + 3 * offset) % CLAIMS.len()];
            let mut twins = Twins::new(case, [&pairing.a, &pairing.b]);
            let [a, b] = twins.bodies;
            let of_a = if round % 2 == 0 { Claim::Fixed } else { Claim::AtRest };
            let start = if round % 3 == 0 { 1e9 } else { 0.0 };
            let claims = |twins: &mut Twins, step: usize, time: f64, checker: &mut Checker<'_>| {
                let next = poses[(step + 1) % poses.len()].translation();
                let velocity = next - poses[step].translation();
                let all = [(a, of_a.motion(Vec3::ZERO, time + 9.0))];
                let all = all.into_iter().chain([(b, claim.motion(velocity, time + 1.25))]);
                for (body, motion) in all {
                    let Some(motion) = motion else { continue };
                    // Refused where boxes are out of the range of `f32`.
                    let refused = twins.timed.set_motion(body, &motion, time).is_err();
                    checker.count(if refused { "limits refused" } else { "limits set" });
                }
            };
            for (step, pose) in poses.iter().enumerate() {
                let time = start + step as f64;
                let message = format!("{} {claim:?} step {step}", pairing.name);
                if step == 0 {
                    claims(&mut twins, step, time, checker);
                }
                let meet = twins.update(*pose, time, &message, checker);
                checker.check(meet == pairing.meet[step], || {
                    format!("{message}: {meet}, expected {}", pairing.meet[step])
                });
                // From the state of this frame, but not always.
                if (round + step) % 3 > 0 {
                    claims(&mut twins, step, time, checker);
                }
                for (n, by) in [1, 3, u64::MAX, 0].into_iter().enumerate() {
                    let Some(nudged) = nudged(pose, (round + n) % 3, by) else { continue };
                    let time = time + 0.125 * (n + 1) as f64;
                    twins.update(nudged, time, &format!("{message}, nudge {n}"), checker);
                }
            }
        }
    }
}
