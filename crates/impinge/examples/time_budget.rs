//! An answer in time: a hit, "separated", or bounds of what is not known yet.
//!
//! ```sh
//! cargo run --release -p impinge --example time_budget
//! ```
#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use std::time::{Duration, Instant};

use impinge::pair::{Budget, first_pair_within};
use impinge::{Error, Mesh, Pose, Verdict, shapes};

fn main() -> Result<(), Error> {
    // Two links of a chain, hard to tell apart: their hulls overlap.
    let ring = shapes::torus(1.0, 0.3, 192, 96)?;
    let linked = Pose::from_quaternion([1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0])?;
    let _ = ring.tree(); // built once, on first use, which no budget limits

    // With steps the answer is the same on every machine.
    for steps in [1, 10, 100, 1_000, 10_000] {
        print!("{steps:>6} steps: ");
        show(&ring, &linked, &mut Budget::steps(steps));
    }

    // With a deadline it comes in time for the frame.
    let start = Instant::now();
    print!("50 microseconds: ");
    show(&ring, &linked, &mut Budget::deadline(start + Duration::from_micros(50)));

    // Any other condition: a flag that another thread sets, for example.
    let mut left = 20;
    let mut go_on = || {
        left -= 1;
        left > 0
    };
    print!("until told: ");
    show(&ring, &linked, &mut Budget::until(&mut go_on));
    Ok(())
}

fn show(ring: &Mesh, pose: &Pose, budget: &mut Budget<'_>) {
    match first_pair_within(ring, ring, pose, budget) {
        Verdict::Intersecting((a, b)) => println!("triangle {a} meets {b}"),
        Verdict::Separated(proof) => println!("separated: {proof}"),
        // Every number holds, however early the query was stopped.
        Verdict::Undecided(known) => println!(
            "open: at most {:.4} deep, at most {:.4} apart, {} pairs of nodes left",
            known.open_depth, known.upper, known.open
        ),
    }
}

#[test]
fn runs() {
    main().expect("the example works");
}
