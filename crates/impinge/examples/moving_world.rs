//! Many moving bodies: which pairs start and stop meeting?
//!
//! ```sh
//! cargo run --release -p impinge --example moving_world
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use impinge::convex::{Capsule, Cuboid, HalfSpace, Sphere};
use impinge::world::{Body, EventKind, Handle, Interest, World};
use impinge::{Error, Pose, shapes};

fn main() -> Result<(), Error> {
    let mut world = World::new();
    // Bodies are meshes, solids, hulls, primitives or compounds. `user` is a number for the
    // application.
    let ground = world.add(Body::new(HalfSpace::new([0.0, 0.0, 1.0], 0.0)?).user(1))?;
    let ring = shapes::torus(1.0, 0.2, 48, 24)?;
    let gate = world.add(Body::new(ring).at(Pose::from_translation([4.0, 0.0, 1.5])?).user(2))?;
    let car = Body::new(Cuboid::new([0.5, 0.3, 0.2])?);
    let car = world.add(car.at(Pose::from_translation([0.0, 0.0, 1.0])?).user(3))?;
    // The aerial is attached to the car: its pose is in the car's frame, and it moves with the car.
    let aerial = Body::new(Capsule::new(0.4, 0.02)?);
    let aerial = aerial.at(Pose::from_translation([0.0, 0.0, 0.5])?).attached_to(car);
    world.add(aerial.user(4))?;
    // Bodies that are attached to each other are not compared.
    let mut rules = Interest::everything();
    rules.ignore_links(1);
    world.set_rules(rules);

    let names = ["", "ground", "gate", "car", "aerial", "ball"];
    let name = |world: &World, body: Handle| {
        let number = world.user(body).unwrap_or(0) as usize;
        names.get(number).copied().unwrap_or("?")
    };
    let mut ball = None;
    for step in 0..=40 {
        let x = 0.2 * f64::from(step);
        world.move_to(car, Pose::from_translation([x, 0.0, 1.0])?)?;
        if step == 10 {
            // Bodies can be added and removed at any time.
            let at = Pose::from_translation([6.0, 0.0, 0.25])?;
            ball = Some(world.add(Body::new(Sphere::new(0.3)?).at(at).user(5))?);
        }
        let report = world.update().clone();
        for event in report.events() {
            let what = match event.kind {
                EventKind::Began => "meets",
                EventKind::Persists => "still meets",
                EventKind::Ended => "leaves",
            };
            let (a, b) = (name(&world, event.a), name(&world, event.b));
            let place = event.witness.map(|w| format!(" at {:.3}", w.point)).unwrap_or_default();
            println!("step {step:>2}: {a} {what} {b}{place}");
        }
    }

    println!("car and gate: {}", world.explain(car, gate)?);
    if let Some(ball) = ball {
        // A query of a single pair, at any time.
        println!("ball and ground meet: {}", world.witness_of(ground, ball)?.is_some());
    }
    let saved = world.snapshot(); // cheap; `world.restore(&saved)` returns to it
    println!("{} bodies after update {}", saved.handles().count(), saved.frame());
    Ok(())
}

#[test]
fn runs() {
    main().expect("the example works");
}
