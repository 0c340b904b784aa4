//! Queries with a budget: the answer is a hit, a proof of separation, or bounds.
//!
//! ```sh
//! cargo run --release -p impinge --example time_budget
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::time::{Duration, Instant};

use impinge::pair::{Budget, FirstSearch, first_hit_within, first_pair_within};
use impinge::{Error, Mesh, Pose, Verdict, shapes};

fn main() -> Result<(), Error> {
    // Two linked rings, hard to separate: their hulls overlap.
    let ring = shapes::torus(1.0, 0.3, 192, 96)?;
    let linked = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0])?;
    ring.prepare(); // queries within a budget never build trees

    // With a number of steps, the answer is the same on every machine.
    for steps in [1, 10, 100, 1_000, 10_000] {
        print!("{steps:>6} steps: ");
        show(&ring, &linked, &mut Budget::steps(steps));
    }

    // With a deadline, the answer is in time for the frame.
    let start = Instant::now();
    print!("50 microseconds: ");
    show(&ring, &linked, &mut Budget::deadline(start + Duration::from_micros(50)));

    // With any other condition, for example a flag that another thread sets.
    let mut left = 20;
    let mut may_continue = || {
        left -= 1;
        left > 0
    };
    print!("with a callback: ");
    show(&ring, &linked, &mut Budget::until(&mut may_continue));

    // A search that stopped continues in the next frame.
    let mut search = FirstSearch::new();
    let mut frames = 1;
    while first_hit_within(&ring, &ring, &linked, &mut Budget::micros(100), &mut search)
        .is_undecided()
    {
        frames += 1;
    }
    println!("100 microseconds a frame: decided in {frames} frames");
    Ok(())
}

fn show(ring: &Mesh, pose: &Pose, budget: &mut Budget<'_>) {
    match first_pair_within(ring, ring, pose, budget) {
        Verdict::Intersecting((a, b)) => println!("triangle {a} meets {b}"),
        Verdict::Separated(proof) => println!("separated: {proof}"),
        // The bounds hold for every budget.
        Verdict::Undecided(known) => println!(
            "undecided: depth at most {:.4}, distance at most {:.4}, {} pairs of nodes left",
            known.open_depth, known.upper, known.open
        ),
    }
}

#[test]
fn runs() {
    main().expect("the example works");
}
