//! A broad phase of one's own: boxes sorted along x, swept, and compared with the last frame.
//!
//! ```sh
//! cargo run --release -p impinge --example own_broad_phase
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use impinge::broad::{
    AllPairs, BoxF32, BroadPhase, Changes, Completeness, FrameInput, Moved, Pair, PhaseKind,
    testing,
};
use impinge::convex::Sphere;
use impinge::pair::Budget;
use impinge::world::{Body, World, WorldOptions};
use impinge::{Error, Pose};

/// A sweep over all boxes, from scratch in every frame.
#[derive(Debug, Default)]
struct SortedSweep {
    /// The items of this frame, by the start of their boxes.
    order: Vec<u32>,
    /// The pairs of this frame and of the last one, sorted.
    pairs: Vec<Pair>,
    last: Vec<Pair>,
}

impl BroadPhase for SortedSweep {
    fn update(
        &mut self,
        frame: &FrameInput<'_>,
        _: &mut Budget<'_>,
        changes: &mut Changes,
    ) -> Completeness {
        // All boxes are read again, so it does not matter which ones moved.
        let start = |item: u32| frame.of(item).min[0];
        self.order.clear();
        self.order.extend((0..frame.bounds.len() as u32).filter(|n| !frame.of(*n).is_empty()));
        // Items with the same start are sorted by number: the order is deterministic.
        self.order.sort_unstable_by(|a, b| start(*a).total_cmp(&start(*b)).then(a.cmp(b)));
        std::mem::swap(&mut self.pairs, &mut self.last);
        self.pairs.clear();
        for (k, &a) in self.order.iter().enumerate() {
            let end = frame.of(a).max[0];
            let next = self.order[k + 1..].iter().take_while(|b| start(**b) <= end);
            // The sweep only finds candidates; `overlap` decides.
            self.pairs.extend(next.filter(|b| frame.overlap(a, **b)).map(|&b| Pair::new(a, b)));
        }
        self.pairs.sort_unstable();
        let is_new = |pair: &&Pair| self.last.binary_search(pair).is_err();
        let is_over = |pair: &&Pair| self.pairs.binary_search(pair).is_err();
        changes.began.extend(self.pairs.iter().filter(is_new));
        changes.ended.extend(self.last.iter().filter(is_over));
        Completeness::Complete
    }

    fn pairs(&self, to: &mut Vec<Pair>) {
        to.extend_from_slice(&self.pairs);
    }

    fn bytes(&self) -> usize {
        self.order.capacity() * size_of::<u32>()
            + (self.pairs.capacity() + self.last.capacity()) * size_of::<Pair>()
    }
}

/// The kind that options of worlds name.
const SORTED_SWEEP: PhaseKind = PhaseKind::new("sorted-sweep", || Box::new(SortedSweep::default()));

fn main() -> Result<(), Error> {
    // 500 boxes that move about a room, compared with the oracle in every frame.
    let place = |n: u32, frame: u32, axis: u32| {
        let phase = f64::from(n * (7 + axis) + 31 * axis) + 0.01 * f64::from(frame * (1 + n % 5));
        10.0 * (1.7 * phase).sin()
    };
    let (mut own, mut oracle) = (SORTED_SWEEP.make(), AllPairs::new());
    let (mut found, mut known, mut total) = (Changes::default(), Changes::default(), 0);
    for n in 0..100 {
        let min = |item, axis| place(item, n, axis) as f32;
        let bounds: Vec<BoxF32> = (0..500)
            .map(|item| [min(item, 0), min(item, 1), min(item, 2)])
            .map(|min| BoxF32 { min, max: min.map(|x| x + 1.0) })
            .collect();
        let frame = FrameInput { bounds: &bounds, oriented: None, moved: Moved::All };
        own.update_unlimited(&frame, &mut found);
        oracle.update_unlimited(&frame, &mut known);
        found.sort();
        known.sort();
        assert_eq!(found, known, "frame {n}");
        total += found.began.len();
    }
    println!("100 frames: the same {total} pairs as the oracle");

    // The same over lists that grow and shrink, exact contacts, huge and empty boxes.
    testing::agrees_with_the_oracle(SortedSweep::default, true);

    let mut world = World::with_options(WorldOptions::default().phase(SORTED_SWEEP));
    for x in [0.0, 0.75, 3.0] {
        let ball = Body::new(Sphere::new(0.5)?);
        world.add(ball.at(Pose::from_translation([x, 0.0, 0.0])?))?;
    }
    println!("{} pair of balls meets", world.update().began().count());
    Ok(())
}

#[test]
fn runs() {
    main().expect("the example works");
}
