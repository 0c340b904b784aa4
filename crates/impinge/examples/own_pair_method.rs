//! A pairwise method of one's own, exact for surfaces and for solids, in a world.
//!
//! ```sh
//! cargo run --release -p impinge --example own_pair_method
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use impinge::pair::{Bias, Budget, MeshCache, first_pair_cached};
use impinge::world::{
    Body, BodyPart, MethodKind, PairAnswer, PairChecker, PairMethod, PairQuery, PairTraits,
    PairWitness, World, WorldOptions,
};
use impinge::{Error, Pose, Shape, shapes};

/// The method: one value for all pairs of a world. Data that pairs share would be here.
#[derive(Debug)]
struct BoxesThenTrees;

/// The checks of one pair, with the data that is kept from frame to frame.
#[derive(Debug, Default)]
struct BoxesThenTreesChecker {
    cache: MeshCache,
}

impl PairMethod for BoxesThenTrees {
    fn applies(&self, pair: &PairTraits) -> bool {
        pair.a.triangles.is_some() && pair.b.triangles.is_some()
    }

    fn bias(&self) -> Option<Bias> {
        None // all answers are certain
    }

    fn nanoseconds(&self, _: &PairTraits) -> f64 {
        1000.0
    }

    fn checker(&self, _: &BodyPart, _: &BodyPart) -> Box<dyn PairChecker> {
        Box::new(BoxesThenTreesChecker::default())
    }
}

impl PairChecker for BoxesThenTreesChecker {
    fn check(&mut self, pair: &PairQuery<'_>, _: &mut Budget<'_>) -> PairAnswer {
        let meets = |witness| PairAnswer::Intersecting { certain: true, witness: Some(witness) };
        let [a, b] = pair.boxes();
        if !a.overlaps(&b) {
            return PairAnswer::Separated { certain: true };
        }
        let meshes = pair.a.shape().mesh().zip(pair.b.shape().mesh());
        let (a, b) = meshes.expect("it applies to meshes only");
        if let Some((p, q)) = first_pair_cached(a, b, pair.pose, &mut self.cache) {
            return meets(PairWitness { triangle_a: Some(p), triangle_b: Some(q), point: None });
        }
        // The surfaces are apart, but the inside of a solid belongs to it.
        match pair.contained_point() {
            Some(point) => meets(PairWitness { point: Some(point), ..PairWitness::default() }),
            None => PairAnswer::Separated { certain: true },
        }
    }
}

/// The kind that worlds select the method by.
const BOXES_THEN_TREES: MethodKind =
    MethodKind::new("boxes-then-trees", || Box::new(BoxesThenTrees));

fn main() -> Result<(), Error> {
    let ball = |radius| shapes::icosphere(radius, 3);
    // A small ball passes through the middle of a large one: two surfaces, and two solids.
    let pairs = [
        ("surfaces", [Shape::from(ball(2.0)?), Shape::from(ball(0.5)?)]),
        ("solids", [Shape::solid(ball(2.0)?)?, Shape::solid(ball(0.5)?)?]),
    ];
    for (name, [large, small]) in pairs {
        let run = |method: Option<MethodKind>| -> Result<Vec<u32>, Error> {
            let mut world = World::with_options(WorldOptions::default().method(method));
            let a = world.add(Body::new(large.clone()))?;
            let b = world.add(Body::new(small.clone()))?;
            let mut meeting = Vec::new();
            for step in 0..60 {
                let x = 0.1 * f64::from(step) - 3.0;
                world.move_to(b, Pose::from_translation([x, 0.0, 0.0])?)?;
                world.update();
                if world.meet(a, b)? {
                    meeting.push(step);
                }
            }
            if method.is_some() {
                assert_eq!(world.explain(a, b)?.chosen, BOXES_THEN_TREES);
            }
            Ok(meeting)
        };
        let own = run(Some(BOXES_THEN_TREES))?;
        assert_eq!(own, run(None)?, "the engine's own method has the same answers");
        println!("{name}: meet in {} of 60 frames", own.len());
    }
    Ok(())
}

#[test]
fn runs() {
    main().expect("the example works");
}
