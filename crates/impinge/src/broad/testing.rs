//! Checks of a broad phase against the oracle, over random sequences of operations on boxes: for
//! tests of every implementation of [`BroadPhase`], here and elsewhere.
//!
//! ```
//! use impinge::broad::{Neighbours, testing};
//!
//! testing::agrees_with_the_oracle(Neighbours::new, true);
//! ```

use std::any::type_name;

use super::{AllPairs, BoxF32, BroadPhase, Changes, FrameInput, Moved, Pair};
use crate::arrays::MapEach;
use crate::math::OrientedBox;
use crate::math::{Pose, Random, Vec3};

/// The distribution and motion of boxes.
#[derive(Clone, Copy, Debug)]
pub enum Scatter {
    /// Sides from 0.5 to 2 in a cube, with two overlaps per box.
    Even,
    /// Sides over three orders of magnitude.
    Sizes,
    /// A few dense clusters far from each other.
    Heaps,
    /// Long slabs among small boxes.
    Slabs,
    /// Corners with small integer coordinates: many exact contacts and equal boxes.
    Grid,
    /// Points, infinite boxes, very large coordinates, denormal numbers.
    Odd,
}

/// All distributions.
pub const SCATTERS: [Scatter; 6] =
    [Scatter::Even, Scatter::Sizes, Scatter::Heaps, Scatter::Slabs, Scatter::Grid, Scatter::Odd];

/// A list of boxes that changes at random.
#[derive(Debug)]
pub struct Boxes {
    random: Random,
    scatter: Scatter,
    side: f64,
    /// The boxes of this frame.
    pub bounds: Vec<BoxF32>,
    /// The oriented boxes inside them.
    pub oriented: Vec<OrientedBox>,
    /// The items that moved since the last frame.
    pub moved: Vec<u32>,
}

impl Boxes {
    /// `count` boxes at random.
    #[must_use]
    pub fn new(seed: u64, scatter: Scatter, count: usize) -> Self {
        let side = (5.0 * count.max(1) as f64).cbrt();
        let (bounds, oriented, moved) = (Vec::new(), Vec::new(), Vec::new());
        let mut boxes = Self { random: Random::new(seed), scatter, side, bounds, oriented, moved };
        for item in 0..count {
            boxes.bounds.push(BoxF32::EMPTY);
            boxes.oriented.push(empty());
            boxes.place(item);
        }
        boxes
    }

    /// Gives an item a new random box.
    fn place(&mut self, item: usize) {
        let r = &mut self.random;
        let mut center = Vec3::new(r.unit(), r.unit(), r.unit()) * self.side;
        let mut half = Vec3::new(r.unit(), r.unit(), r.unit()) * 0.75 + 0.25;
        match self.scatter {
            Scatter::Even => {}
            Scatter::Sizes => half *= (r.range(-7.0, 3.0)).exp2(),
            Scatter::Heaps => center = center * 0.2 + (center * 0.1).floor() * self.side * 50.0,
            Scatter::Slabs => {
                if r.index(20) == 0 {
                    half[r.index(3)] *= self.side;
                }
            }
            Scatter::Grid => {
                center = center.floor();
                half = Vec3::new(r.index(3) as f64, r.index(3) as f64, r.index(3) as f64);
            }
            Scatter::Odd => match r.index(12) {
                0 => half = Vec3::ZERO,
                1 => half[r.index(3)] = f64::INFINITY,
                2 => half = Vec3::INFINITY,
                3 => center *= 1e30,
                4 => (center, half) = (center * 1e-40, half * 1e-42),
                5 => center *= 1e45,
                6 => half *= 1e20,
                _ => {}
            },
        }
        self.set(item, center, half);
    }

    /// Sets the box of an item; for every other item it is the box around a rotated one.
    fn set(&mut self, item: usize, center: Vec3, half: Vec3) {
        let finite = half.is_finite() && center.abs().max_element() < 1e30;
        if finite && !matches!(self.scatter, Scatter::Grid) && item % 2 == 1 {
            let rotation = [0; 4].map_each(|_| self.random.range(-1.0, 1.0));
            let pose = Pose::from_quaternion(rotation, center.to_array()).expect("finite");
            let corners: Vec<Vec3> = OrientedBox::around(&[-half, half])
                .corners()
                .map(|c| pose.transform_point(c))
                .into();
            self.oriented[item] = OrientedBox::around(&corners);
            self.bounds[item] = crate::math::Aabb::from_points(corners).into();
        } else {
            let (min, max) = (center - half, center + half);
            self.bounds[item] = crate::math::Aabb { min, max }.into();
            let clamp = |v: Vec3| v.clamp(Vec3::splat(-1e60), Vec3::splat(1e60));
            self.oriented[item] = OrientedBox::around(&[clamp(min), clamp(max)]);
        }
    }

    /// Moves an item by a small step.
    fn shift(&mut self, item: usize) {
        let b = self.bounds[item];
        if b.is_empty() || matches!(self.scatter, Scatter::Odd) {
            return self.place(item);
        }
        let (min, max) = (b.min.map_each(f64::from), b.max.map_each(f64::from));
        let (min, max) = (Vec3::from_array(min), Vec3::from_array(max));
        let by = match self.scatter {
            Scatter::Grid => self.random.in_cube().round(),
            _ => self.random.in_cube() * 0.1,
        };
        self.set(item, (min + max) * 0.5 + by, (max - min) * 0.5);
    }

    /// Moves, adds and removes some items, and lists them in `moved`.
    pub fn step(&mut self) {
        self.moved.clear();
        let count = self.bounds.len();
        let changes = match self.random.index(6) {
            0 => 0,
            1 => count,
            2 => count / 10,
            _ => self.random.index(4) + 1,
        };
        for k in 0..changes {
            let item = if changes == count { k } else { self.random.index(count.max(1)) };
            if item >= count {
                continue;
            }
            match self.random.index(40) {
                0 => {
                    self.bounds[item] = BoxF32::EMPTY;
                    self.oriented[item] = empty();
                }
                1 | 2 => self.place(item),
                _ => self.shift(item),
            }
            self.moved.push(item as u32);
        }
        for _ in 0..self.random.index(3) {
            if self.random.index(3) == 0 {
                self.bounds.push(BoxF32::EMPTY);
                self.oriented.push(empty());
                self.place(self.bounds.len() - 1);
                self.moved.push(self.bounds.len() as u32 - 1);
            }
        }
        if self.random.index(30) == 0 && self.bounds.len() > 1 {
            self.bounds.pop();
            self.oriented.pop();
            self.moved.push(self.bounds.len() as u32);
        }
    }
}

fn empty() -> OrientedBox {
    OrientedBox::around(&[])
}

/// Runs a broad phase and the oracle through random operations of every kind: boxes that move,
/// appear and disappear, lists that grow and shrink, and lists of moved items with repeats and
/// numbers beyond the end. In every frame, pairs and changes must be equal. With `oriented`, frames
/// also have oriented boxes.
///
/// # Panics
/// If they differ; the message names the distribution of boxes and the frame.
pub fn agrees_with_the_oracle<P: BroadPhase>(make: impl Fn() -> P, oriented: bool) {
    for (seed, scatter) in SCATTERS.into_iter().enumerate() {
        for count in [0, 1, 2, 30, 300] {
            let mut boxes = Boxes::new(seed as u64 * 1000 + count as u64, scatter, count);
            let (mut phase, mut oracle) = (make(), AllPairs::new());
            let (mut found, mut known) = (Changes::default(), Changes::default());
            let mut all: Vec<u32> = (0..count as u32).collect();
            for frame in 0..60 {
                let moved = if frame == 0 { &all } else { &boxes.moved };
                let moved = match frame % 7 {
                    3 => Moved::All,
                    _ => Moved::Only(moved),
                };
                let view = FrameInput {
                    bounds: &boxes.bounds,
                    oriented: oriented.then_some(&boxes.oriented[..]),
                    moved,
                };
                phase.update_unlimited(&view, &mut found);
                oracle.update_unlimited(&view, &mut known);
                let name = type_name::<P>();
                let place = format!("{name}: {scatter:?}, {count} items, frame {frame}");
                let mut unsorted = found.clone();
                unsorted.sort();
                known.sort();
                assert_eq!(unsorted, known, "{place}");
                assert_eq!(sorted_pairs(&phase), sorted_pairs(&oracle), "{place}");
                boxes.step();
                if frame % 5 == 0 {
                    let repeated = boxes.moved.first().copied();
                    boxes.moved.extend(repeated.into_iter().chain([u32::MAX, count as u32 + 70]));
                }
            }
            all.clear();
        }
    }
}

/// Repeats the same frames, in which all boxes move; after some rounds the memory must not grow any
/// more.
///
/// # Panics
/// If it does, or if the broad phase reports no memory.
pub fn memory_stops_growing<P: BroadPhase>(make: impl Fn() -> P) {
    for scatter in [Scatter::Even, Scatter::Sizes, Scatter::Slabs] {
        let mut boxes = Boxes::new(77, scatter, 200);
        let frames: Vec<(Vec<BoxF32>, Vec<OrientedBox>)> = (0..40)
            .map(|_| {
                (0..200).for_each(|item| boxes.shift(item));
                (boxes.bounds.clone(), boxes.oriented.clone())
            })
            .collect();
        let (mut phase, mut changes) = (make(), Changes::default());
        let mut bytes = Vec::new();
        for round in 0..6 {
            for (bounds, oriented) in &frames {
                let frame = FrameInput { bounds, oriented: Some(oriented), moved: Moved::All };
                phase.update_unlimited(&frame, &mut changes);
                if round >= 3 {
                    bytes.push(phase.bytes());
                }
            }
        }
        assert!(
            bytes[0] > 0 && bytes.iter().all(|b| *b == bytes[0]),
            "{}: {bytes:?}",
            type_name::<P>()
        );
    }
}

fn sorted_pairs(phase: &impl BroadPhase) -> Vec<Pair> {
    let mut pairs = Vec::new();
    phase.pairs(&mut pairs);
    pairs.sort_unstable();
    pairs
}

#[test]
fn the_oracle_finds_all_overlapping_pairs() {
    let boxes = Boxes::new(3, Scatter::Even, 200);
    let mut phase = AllPairs::new();
    let mut changes = Changes::default();
    phase.update_unlimited(
        &FrameInput { bounds: &boxes.bounds, oriented: None, moved: Moved::All },
        &mut changes,
    );
    let mut count = 0;
    for (i, a) in boxes.bounds.iter().enumerate() {
        count += boxes.bounds[..i].iter().filter(|b| a.overlaps(b)).count();
    }
    assert_eq!(changes.began.len(), count);
    assert!(count > 50 && changes.ended.is_empty());
    phase.update_unlimited(
        &FrameInput { bounds: &[], oriented: None, moved: Moved::All },
        &mut changes,
    );
    assert_eq!((changes.began.len(), changes.ended.len()), (0, count));
}
