//! Scenes of moving boxes: those of the peer measurements with more boxes, and others that broad
//! phases stumble over.

use std::f64::consts::TAU;

use impinge::broad::{Bounds, Moved};

use impinge::internals::Random;

/// How boxes are spread and move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Sides of 0.5 to 2, two overlaps a box, steps of 0.02 (standard deviation, on each axis): as
    /// in the peer measurements.
    Brownian,
    /// A column four times as tall that falls into the same density.
    Fall,
    /// Brownian; sizes over three orders of magnitude, all orders alike.
    LogUniform,
    /// Brownian; sizes by a Pareto law with exponent two.
    Pareto,
    /// Brownian; so many boxes as long as half the room.
    Slabs(usize),
    /// Brownian; in a hundred dense heaps in a room twenty times as wide.
    Clusters,
    /// Brownian, but only this share of the boxes moves.
    Few(f64),
    /// Every box flies straight on, about half its side in a frame, and comes back from the walls.
    Billiard,
}

/// A scene by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) boxes: usize,
    pub(crate) kind: Kind,
}

const fn scene(name: &'static str, boxes: usize, kind: Kind) -> Scene {
    Scene { name, boxes, kind }
}

/// All scenes.
pub(crate) const SCENES: [Scene; 14] = [
    scene("brownian-1k", 1000, Kind::Brownian),
    scene("brownian-10k", 10_000, Kind::Brownian),
    scene("brownian-100k", 100_000, Kind::Brownian),
    scene("brownian-1m", 1_000_000, Kind::Brownian),
    scene("fall-100k", 100_000, Kind::Fall),
    scene("log-uniform-100k", 100_000, Kind::LogUniform),
    scene("pareto-100k", 100_000, Kind::Pareto),
    scene("slabs-100k", 100_000, Kind::Slabs(1000)),
    scene("clusters-100k", 100_000, Kind::Clusters),
    scene("movers-1-100k", 100_000, Kind::Few(0.01)),
    scene("movers-10-100k", 100_000, Kind::Few(0.1)),
    scene("billiard-1k", 1000, Kind::Billiard),
    scene("billiard-10k", 10_000, Kind::Billiard),
    scene("billiard-100k", 100_000, Kind::Billiard),
];

/// The standard deviation of a step on each axis.
const STEP: f64 = 0.02;
/// The same of what falls, sideways.
const SWAY: f64 = 0.005;
/// The top of what falls arrives in so many frames.
const FALLING: f64 = 70.0;
/// The standard deviation of a flight's way in a frame, on each axis.
const FLIGHT: f64 = 0.6;
const HEAPS: usize = 100;

/// A scene under way.
#[derive(Clone, Debug)]
pub(crate) struct Boxes {
    kind: Kind,
    random: Random,
    sides: Vec<[f64; 3]>,
    middles: Vec<[f64; 3]>,
    /// The width of the room.
    room: f64,
    /// Of what falls: where each comes to rest, and how fast it is.
    falling: Vec<(f64, f64)>,
    /// Of what flies: how far in a frame.
    flights: Vec<[f64; 3]>,
    bounds: Vec<Bounds>,
    movers: Option<Vec<u32>>,
}

impl Boxes {
    /// The first frame.
    pub(crate) fn new(scene: &Scene, seed: u64) -> Self {
        let (mut random, n) = (Random::new(seed), scene.boxes);
        let mut sides: Vec<[f64; 3]> = (0..n).map(|_| sides(scene.kind, &mut random)).collect();
        // Two overlaps a box on average, of boxes anywhere: the mean of the product of two boxes'
        // sides together.
        let mut mean = [0.0; 3];
        for side in &sides {
            (0..3).for_each(|k| mean[k] += side[k] / n as f64);
        }
        let mut volume = n as f64 * mean.iter().map(|m| 2.0 * m).product::<f64>() / 2.0;
        if matches!(scene.kind, Kind::LogUniform | Kind::Pareto) {
            // Sides of one box are alike, and the products are not those of the means.
            let pairs = 400_000;
            let any = |random: &mut Random| sides[(random.bits() % n as u64) as usize];
            let product = |random: &mut Random| {
                let (a, b) = (any(random), any(random));
                (0..3).map(|k| a[k] + b[k]).product::<f64>()
            };
            let sum: f64 = (0..pairs).map(|_| product(&mut random)).sum();
            volume = n as f64 * sum / f64::from(pairs) / 2.0;
        }
        let mut room = volume.cbrt();
        if let Kind::Slabs(count) = scene.kind {
            for i in 0..count.min(n) {
                sides[i * (n / count.max(1))][i % 3] = 0.5 * room;
            }
        }
        let inside = |random: &mut Random, width: f64| [0; 3].map(|_| share(random) * width);
        let middles: Vec<[f64; 3]> = if scene.kind == Kind::Clusters {
            let heap = (volume / HEAPS as f64).cbrt();
            room *= 20.0;
            let corners: Vec<[f64; 3]> =
                (0..HEAPS).map(|_| inside(&mut random, room - heap)).collect();
            let place = |i: usize| {
                let at = inside(&mut random, heap);
                [0, 1, 2].map(|k| corners[i % HEAPS][k] + at[k])
            };
            (0..n).map(place).collect()
        } else {
            (0..n).map(|_| inside(&mut random, room)).collect()
        };
        let movers = match scene.kind {
            Kind::Few(part) => {
                let stride = (1.0 / part).round().max(1.0) as usize;
                Some((0..n as u32).step_by(stride).collect())
            }
            _ => None,
        };
        let mut boxes = Self {
            kind: scene.kind,
            random,
            sides,
            middles,
            room,
            falling: Vec::new(),
            flights: Vec::new(),
            bounds: vec![Bounds::EMPTY; n],
            movers,
        };
        if scene.kind == Kind::Fall {
            for middle in &mut boxes.middles {
                boxes.falling.push((middle[2], 0.0));
                middle[2] = 4.0 * middle[2] + 0.2 * room;
            }
        }
        if scene.kind == Kind::Billiard {
            boxes.flights = (0..n).map(|_| three_normals(&mut boxes.random, FLIGHT)).collect();
        }
        (0..n).for_each(|i| boxes.place(i));
        boxes
    }

    /// The next frame.
    pub(crate) fn step(&mut self) {
        match self.movers.take() {
            Some(movers) => {
                movers.iter().for_each(|i| self.stir(*i as usize));
                self.movers = Some(movers);
            }
            None if self.kind == Kind::Fall => {
                let gravity = 8.0 * self.room / (FALLING * FALLING);
                for i in 0..self.middles.len() {
                    let (rest, speed) = self.falling[i];
                    let speed = speed + gravity;
                    let height = (self.middles[i][2] - speed).max(rest);
                    let [x, y] = normals(&mut self.random);
                    self.middles[i][0] += SWAY * x;
                    self.middles[i][1] += SWAY * y;
                    self.middles[i][2] = height;
                    self.falling[i].1 = if height > rest { speed } else { 0.0 };
                    self.place(i);
                }
            }
            None if self.kind == Kind::Billiard => {
                (0..self.middles.len()).for_each(|i| self.fly(i));
            }
            None => (0..self.middles.len()).for_each(|i| self.stir(i)),
        }
    }

    /// A random step within the room.
    fn stir(&mut self, i: usize) {
        for (k, step) in three_normals(&mut self.random, STEP).into_iter().enumerate() {
            let at = (self.middles[i][k] + step).abs();
            self.middles[i][k] = if at > self.room { 2.0 * self.room - at } else { at };
        }
        self.place(i);
    }

    /// Straight on, or back from a wall.
    fn fly(&mut self, i: usize) {
        for k in 0..3 {
            let at = self.middles[i][k] + self.flights[i][k];
            let inside = at.clamp(0.0, self.room);
            if at != inside {
                self.flights[i][k] *= -1.0;
            }
            self.middles[i][k] = 2.0 * inside - at;
        }
        self.place(i);
    }

    fn place(&mut self, i: usize) {
        let (middle, side) = (self.middles[i], self.sides[i]);
        let end = |sign: f64| [0, 1, 2].map(|k| (middle[k] + sign * 0.5 * side[k]) as f32);
        self.bounds[i] = Bounds { min: end(-1.0), max: end(1.0) };
    }

    pub(crate) fn bounds(&self) -> &[Bounds] {
        &self.bounds
    }

    /// Which boxes moved in a step.
    pub(crate) fn moved(&self) -> Moved<'_> {
        self.movers.as_deref().map_or(Moved::All, Moved::Only)
    }
}

fn sides(kind: Kind, random: &mut Random) -> [f64; 3] {
    match kind {
        Kind::LogUniform => {
            let size = 0.03 * 1000.0_f64.powf(share(random));
            [0; 3].map(|_| size * (0.75 + 0.5 * share(random)))
        }
        Kind::Pareto => {
            let size = (0.5 / (1.0 - share(random)).sqrt()).min(100.0);
            [0; 3].map(|_| size * (0.75 + 0.5 * share(random)))
        }
        _ => [0; 3].map(|_| 0.5 * 4.0_f64.powf(share(random))),
    }
}

/// Uniform in [0, 1).
fn share(random: &mut Random) -> f64 {
    0.5 * (random.signed() + 1.0)
}

/// Two numbers of the normal distribution (Box and Muller 1958).
fn normals(random: &mut Random) -> [f64; 2] {
    let radius = (-2.0 * (1.0 - share(random)).ln()).sqrt();
    let (sine, cosine) = (TAU * share(random)).sin_cos();
    [radius * cosine, radius * sine]
}

/// Three of them, this many times as large.
fn three_normals(random: &mut Random, scale: f64) -> [f64; 3] {
    let ([x, y], [z, _]) = (normals(random), normals(random));
    [scale * x, scale * y, scale * z]
}

#[cfg(test)]
mod tests {
    use impinge::broad::PhaseKind;

    use super::*;
    use crate::boxes::follow::Followed;

    #[test]
    fn scenes_are_about_as_dense_as_they_say_and_all_phases_see_the_same() {
        for scene in SCENES {
            let scene = Scene { boxes: 2000, ..scene };
            let mut found = Vec::new();
            for choice in [PhaseKind::NEIGHBOURS, PhaseKind::ALL_PAIRS, PhaseKind::TREE] {
                let mut boxes = Boxes::new(&scene, 5);
                let mut followed = Followed::new(choice);
                followed.frame(boxes.bounds(), Moved::All);
                for _ in 0..5 {
                    boxes.step();
                    followed.frame(boxes.bounds(), boxes.moved());
                }
                found.push((followed.live(), followed.pairs()));
            }
            assert!(found.iter().all(|f| *f == found[0]), "{}: {found:?}", scene.name);
            let a_box = found[0].0 as f64 / 2000.0;
            let range = if scene.kind == Kind::Fall { 0.1..1.0 } else { 0.4..60.0 };
            assert!(range.contains(&a_box), "{}: {a_box}", scene.name);
        }
    }

    #[test]
    fn few_move() {
        let mut boxes = Boxes::new(&scene("few", 1000, Kind::Few(0.01)), 1);
        let before = boxes.bounds().to_vec();
        boxes.step();
        let differ = |(a, b): &(&Bounds, &Bounds)| a != b;
        assert_eq!(before.iter().zip(boxes.bounds()).filter(differ).count(), 10);
        let Moved::Only(movers) = boxes.moved() else { panic!("some do not move") };
        assert_eq!(movers.len(), 10);
    }
}
