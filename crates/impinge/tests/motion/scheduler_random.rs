//! Random motions: every contact between two frames is due, and most frames are idle.

use impinge::Vec3;
use impinge::internals::Random;
use impinge::motion::{BodyNumber, Limits, Motion, Scheduler};

/// A ball that changes its acceleration at times of its own.
struct Ball {
    x: Vec3,
    v: Vec3,
    a: Vec3,
    most: f64,
    d: Option<Vec3>,
    radius: f64,
    change: f64,
}

impl Ball {
    fn step(&mut self, dt: f64) {
        self.x += self.v * dt + self.a * (0.5 * dt * dt);
        self.v += self.a * dt;
    }

    fn choose(&mut self, random: &mut Random, now: f64) {
        self.a = random.direction() * (self.most * random.unit());
        if self.d.is_some_and(|d| self.a.dot(d) > 0.0) {
            self.a = -self.a;
        }
        self.change = now + random.unit();
    }

    /// Its motion, with slack for the rounding of this simulation.
    fn motion(&self) -> Motion {
        let mut limits = Limits::none().acceleration(self.most * (1.0 + 1e-9));
        if let Some(d) = self.d {
            limits = limits.never_towards(d);
        }
        Motion::at(self.x).velocity(self.v).radius(self.radius * (1.0 + 1e-9)).limits(limits)
    }
}

#[test]
fn no_contact_between_frames_is_missed() {
    let (mut idle, mut frames, mut contacts) = (0, 0, 0);
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let mut scheduler = Scheduler::new(0.0).unwrap();
        let room = [3.0, 6.0, 25.0][seed as usize % 3];
        let mut balls: Vec<(BodyNumber, Ball)> = (0..24)
            .map(|n| {
                let mut ball = Ball {
                    x: random.in_cube() * room,
                    v: random.in_cube() * 2.0,
                    a: Vec3::ZERO,
                    most: random.unit() * 2.0,
                    d: (n % 3 == 0).then(|| random.direction()),
                    radius: 0.05 + 0.3 * random.unit(),
                    change: 0.0,
                };
                ball.choose(&mut random, 0.0);
                (scheduler.add(), ball)
            })
            .collect();
        let validity = 0.8;
        for (number, ball) in &balls {
            scheduler.set(*number, &[ball.motion().bound(0.0, validity).unwrap()]);
        }
        // Frames are long against the contacts, which take 0.01 to 0.3.
        let (dt, fine) = (1.0 / 16.0, 32);
        for frame in 0..64 {
            let now = f64::from(frame + 1) * dt;
            let mut met: Vec<(BodyNumber, BodyNumber)> = Vec::new();
            for sample in 0..fine {
                let t = f64::from(frame) * dt + dt * f64::from(sample) / f64::from(fine);
                for (n, (a, p)) in balls.iter().enumerate() {
                    for (b, q) in &balls[n + 1..] {
                        if (p.x - q.x).length() <= p.radius + q.radius {
                            met.push((*a, *b));
                        }
                    }
                }
                for (_, ball) in &mut balls {
                    if ball.change <= t {
                        ball.choose(&mut random, t);
                    }
                    ball.step(dt / f64::from(fine));
                }
            }
            let idle_before = scheduler.stats().idle;
            let due = scheduler.advance(now).unwrap().clone();
            frames += 1;
            idle += scheduler.stats().idle - idle_before;
            for pair in &met {
                let is_unbounded = |body: BodyNumber| due.unbounded().contains(&body);
                assert!(
                    due.pairs().contains(pair) || is_unbounded(pair.0) || is_unbounded(pair.1),
                    "seed {seed}, frame {frame}: {pair:?} met unnoticed"
                );
            }
            contacts += met.len();
            for body in due.renew() {
                let ball = &balls[body.index()].1;
                let until = now + validity * (0.5 + random.unit());
                scheduler.set(*body, &[ball.motion().bound(now, until).unwrap()]);
            }
            for (number, ball) in &balls {
                let around = Vec3::splat(ball.radius / 3.0_f64.sqrt());
                let inside = impinge::Aabb::from_corners(ball.x - around, ball.x + around);
                assert!(scheduler.observe(*number, &[inside]), "seed {seed}, frame {frame}");
            }
        }
    }
    assert!(contacts > 100 && idle * 4 > frames, "{contacts} contacts, {idle} of {frames} idle");
}
