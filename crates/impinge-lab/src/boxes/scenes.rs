//! Scenes of moving boxes: those of the peer measurements with more boxes, and others that are
//! difficult for broad phases.

use std::f64::consts::TAU;

use impinge::broad::{BoxF32, Moved};

use impinge::internals::Random;

/// The distribution and motion of the boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Sides of 0.5 to 2, two overlaps per box, steps with a standard deviation of 0.02 on each
    /// axis; as in the peer measurements.
    Brownian,
    /// A column four times as tall that falls until it has the same density.
    Fall,
    /// Brownian; log-uniform sizes over three orders of magnitude.
    LogUniform,
    /// Brownian; Pareto-distributed sizes with exponent two.
    Pareto,
    /// Brownian; this number of boxes are half as long as the room.
    Slabs(usize),
    /// Brownian; a hundred dense clusters in a room twenty times as wide.
    Clusters,
    /// Brownian, but only this share of the boxes moves.
    FewMovers(f64),
    /// Every box moves straight, by about half its side per frame, and is reflected at the walls.
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
    scene("movers-1-100k", 100_000, Kind::FewMovers(0.01)),
    scene("movers-10-100k", 100_000, Kind::FewMovers(0.1)),
    scene("billiard-1k", 1000, Kind::Billiard),
    scene("billiard-10k", 10_000, Kind::Billiard),
    scene("billiard-100k", 100_000, Kind::Billiard),
];

/// The standard deviation of a Brownian step on each axis.
const BROWNIAN_STEP: f64 = 0.02;
/// The standard deviation of a falling box's horizontal step on each axis.
const FALL_SIDE_STEP: f64 = 0.005;
/// The number of frames of a free fall of four times the room's height. The top of the column falls
/// 3.2 times that height, in 63 frames.
const FALL_FRAMES: f64 = 70.0;
/// The standard deviation of a straight motion per frame, on each axis.
const BILLIARD_STEP: f64 = 0.6;
/// The number of clusters in [`Kind::Clusters`].
const CLUSTERS: usize = 100;

/// The boxes of a scene in the present frame.
#[derive(Clone, Debug)]
pub(crate) struct Boxes {
    kind: Kind,
    random: Random,
    sides: Vec<[f64; 3]>,
    centers: Vec<[f64; 3]>,
    /// The width of the room.
    room: f64,
    /// For falling boxes: the height at which each comes to rest, and its velocity.
    falling: Vec<(f64, f64)>,
    /// For straight motion: the translation per frame.
    flights: Vec<[f64; 3]>,
    bounds: Vec<BoxF32>,
    movers: Option<Vec<u32>>,
}

impl Boxes {
    /// The first frame.
    pub(crate) fn new(scene: &Scene, seed: u64) -> Self {
        let (mut random, n) = (Random::new(seed), scene.boxes);
        let mut sides: Vec<[f64; 3]> = (0..n).map(|_| sides(scene.kind, &mut random)).collect();
        // The volume for a mean of two overlaps per box at uniform positions: it follows from the
        // mean product of the sums of two boxes' sides.
        let mut mean = [0.0; 3];
        for side in &sides {
            (0..3).for_each(|k| mean[k] += side[k] / n as f64);
        }
        let mut volume = n as f64 * mean.iter().map(|m| 2.0 * m).product::<f64>() / 2.0;
        if matches!(scene.kind, Kind::LogUniform | Kind::Pareto) {
            // The sides of a box are correlated, so the mean of the product is not the product of
            // the means. It is estimated from random pairs.
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
        let inside = |random: &mut Random, width: f64| [0; 3].map(|_| uniform(random) * width);
        let centers: Vec<[f64; 3]> = if scene.kind == Kind::Clusters {
            let cluster_side = (volume / CLUSTERS as f64).cbrt();
            room *= 20.0;
            let corners: Vec<[f64; 3]> =
                (0..CLUSTERS).map(|_| inside(&mut random, room - cluster_side)).collect();
            let position = |i: usize| {
                let at = inside(&mut random, cluster_side);
                [0, 1, 2].map(|k| corners[i % CLUSTERS][k] + at[k])
            };
            (0..n).map(position).collect()
        } else {
            (0..n).map(|_| inside(&mut random, room)).collect()
        };
        let movers = match scene.kind {
            Kind::FewMovers(part) => {
                let stride = (1.0 / part).round().max(1.0) as usize;
                Some((0..n as u32).step_by(stride).collect())
            }
            _ => None,
        };
        let mut boxes = Self {
            kind: scene.kind,
            random,
            sides,
            centers,
            room,
            falling: Vec::new(),
            flights: Vec::new(),
            bounds: vec![BoxF32::EMPTY; n],
            movers,
        };
        if scene.kind == Kind::Fall {
            for center in &mut boxes.centers {
                boxes.falling.push((center[2], 0.0));
                center[2] = 4.0 * center[2] + 0.2 * room;
            }
        }
        if scene.kind == Kind::Billiard {
            boxes.flights =
                (0..n).map(|_| three_normals(&mut boxes.random, BILLIARD_STEP)).collect();
        }
        (0..n).for_each(|i| boxes.update_bounds(i));
        boxes
    }

    /// The next frame.
    pub(crate) fn step(&mut self) {
        match self.movers.take() {
            Some(movers) => {
                movers.iter().for_each(|i| self.step_brownian(*i as usize));
                self.movers = Some(movers);
            }
            None if self.kind == Kind::Fall => {
                let gravity = 8.0 * self.room / (FALL_FRAMES * FALL_FRAMES);
                for i in 0..self.centers.len() {
                    let (rest, speed) = self.falling[i];
                    let speed = speed + gravity;
                    let height = (self.centers[i][2] - speed).max(rest);
                    let [x, y] = normals(&mut self.random);
                    self.centers[i][0] += FALL_SIDE_STEP * x;
                    self.centers[i][1] += FALL_SIDE_STEP * y;
                    self.centers[i][2] = height;
                    self.falling[i].1 = if height > rest { speed } else { 0.0 };
                    self.update_bounds(i);
                }
            }
            None if self.kind == Kind::Billiard => {
                (0..self.centers.len()).for_each(|i| self.step_straight(i));
            }
            None => (0..self.centers.len()).for_each(|i| self.step_brownian(i)),
        }
    }

    /// A random step; reflected at the walls.
    fn step_brownian(&mut self, i: usize) {
        for (k, step) in three_normals(&mut self.random, BROWNIAN_STEP).into_iter().enumerate() {
            let at = (self.centers[i][k] + step).abs();
            self.centers[i][k] = if at > self.room { 2.0 * self.room - at } else { at };
        }
        self.update_bounds(i);
    }

    /// A straight step; reflected at the walls.
    fn step_straight(&mut self, i: usize) {
        for k in 0..3 {
            let at = self.centers[i][k] + self.flights[i][k];
            let inside = at.clamp(0.0, self.room);
            if at != inside {
                self.flights[i][k] *= -1.0;
            }
            self.centers[i][k] = 2.0 * inside - at;
        }
        self.update_bounds(i);
    }

    fn update_bounds(&mut self, i: usize) {
        let (center, side) = (self.centers[i], self.sides[i]);
        let end = |sign: f64| [0, 1, 2].map(|k| (center[k] + sign * 0.5 * side[k]) as f32);
        self.bounds[i] = BoxF32 { min: end(-1.0), max: end(1.0) };
    }

    pub(crate) fn bounds(&self) -> &[BoxF32] {
        &self.bounds
    }

    /// The boxes that move in a step.
    pub(crate) fn moved(&self) -> Moved<'_> {
        self.movers.as_deref().map_or(Moved::All, Moved::Only)
    }
}

fn sides(kind: Kind, random: &mut Random) -> [f64; 3] {
    match kind {
        Kind::LogUniform => {
            let size = 0.03 * 1000.0_f64.powf(uniform(random));
            [0; 3].map(|_| size * (0.75 + 0.5 * uniform(random)))
        }
        Kind::Pareto => {
            let size = (0.5 / (1.0 - uniform(random)).sqrt()).min(100.0);
            [0; 3].map(|_| size * (0.75 + 0.5 * uniform(random)))
        }
        _ => [0; 3].map(|_| 0.5 * 4.0_f64.powf(uniform(random))),
    }
}

/// Uniform in [0, 1).
fn uniform(random: &mut Random) -> f64 {
    0.5 * (random.signed() + 1.0)
}

/// Two normally distributed numbers (Box and Muller 1958).
fn normals(random: &mut Random) -> [f64; 2] {
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    let (sine, cosine) = (TAU * uniform(random)).sin_cos();
    [radius * cosine, radius * sine]
}

/// Three normally distributed numbers with standard deviation `scale`.
fn three_normals(random: &mut Random, scale: f64) -> [f64; 3] {
    let ([x, y], [z, _]) = (normals(random), normals(random));
    [scale * x, scale * y, scale * z]
}

#[cfg(test)]
mod tests {
    use impinge::broad::PhaseKind;
    use impinge_papers::klosowski::dynamic_tree::TREE;

    use super::*;
    use crate::boxes::follow::TimedPhase;

    #[test]
    fn scenes_have_about_their_density_and_all_phases_agree() {
        for scene in SCENES {
            let scene = Scene { boxes: 2000, ..scene };
            let mut found = Vec::new();
            for kind in [PhaseKind::NEIGHBOURS, PhaseKind::ALL_PAIRS, TREE] {
                let mut boxes = Boxes::new(&scene, 5);
                let mut timed = TimedPhase::new(kind);
                timed.frame(boxes.bounds(), Moved::All);
                for _ in 0..5 {
                    boxes.step();
                    timed.frame(boxes.bounds(), boxes.moved());
                }
                found.push((timed.live(), timed.pairs()));
            }
            assert!(found.iter().all(|f| *f == found[0]), "{}: {found:?}", scene.name);
            let pairs_per_box = found[0].0 as f64 / 2000.0;
            let range = if scene.kind == Kind::Fall { 0.1..1.0 } else { 0.4..60.0 };
            assert!(range.contains(&pairs_per_box), "{}: {pairs_per_box}", scene.name);
        }
    }

    #[test]
    fn few_boxes_move() {
        let mut boxes = Boxes::new(&scene("few", 1000, Kind::FewMovers(0.01)), 1);
        let before = boxes.bounds().to_vec();
        boxes.step();
        let differ = |(a, b): &(&BoxF32, &BoxF32)| a != b;
        assert_eq!(before.iter().zip(boxes.bounds()).filter(differ).count(), 10);
        let Moved::Only(movers) = boxes.moved() else { panic!("only some boxes move") };
        assert_eq!(movers.len(), 10);
    }
}
