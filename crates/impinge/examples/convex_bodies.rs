//! Convex bodies: hulls of points and primitives; verdicts, distances and depths.
//!
//! ```sh
//! cargo run --release -p impinge --example convex_bodies
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use impinge::convex::{self, Capsule, Cone, Cuboid, HalfSpace, Hull, HullCache};
use impinge::{Error, Pose, Shape, Vec3, shape};

fn main() -> Result<(), Error> {
    // The hull of any points: inner points are dropped, coplanar faces become one polygon.
    let spiral: Vec<Vec3> = (0..200)
        .map(|i| {
            let (t, z) = (0.2 * f64::from(i), 0.01 * f64::from(i) - 1.0);
            Vec3::new(t.cos() * (1.0 - z * z).sqrt(), t.sin() * (1.0 - z * z).sqrt(), z)
        })
        .collect();
    let stone = Hull::new(&spiral)?;
    let counts = (stone.vertices().len(), stone.edge_count(), stone.face_count());
    println!("a hull of {} vertices, {} edges, {} faces", counts.0, counts.1, counts.2);

    // Two hulls, the second falling onto the first. The cache stores where the last query ended,
    // which makes the next one several times faster.
    let mut cache = HullCache::default();
    for z in [3.0, 2.25, 1.875] {
        let pose = Pose::from_translation([0.0, 0.1, z])?;
        // The signed distance lies between the bounds. If negative, it is minus the depth.
        let (found, verdict) = convex::contact_cached(&stone, &stone, &pose, &mut cache);
        let what = if verdict.is_separated() { "separated" } else { "overlapping" };
        println!(
            "z = {z}: {what}; {:.6} to {:.6}, along {:.3}",
            found.lower, found.upper, found.direction
        );
    }

    // Shapes of any kinds, rounded or not.
    let table = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], 0.0)?);
    let shapes = [
        ("stone", Shape::from(stone)),
        ("rounded box", Shape::from(Cuboid::new([0.5, 0.5, 0.5])?).rounded(0.1)?),
        ("capsule", Shape::from(Capsule::new(0.75, 0.25)?)),
        ("cone", Shape::from(Cone::new(1.0, 0.5)?)),
    ];
    let pose = Pose::from_translation([0.0, 0.0, 1.0])?;
    for (name, body) in &shapes {
        let meets = shape::intersects(&table, body, &pose).is_intersecting();
        let found = shape::contact(&table, body, &pose).expect("all are convex");
        println!(
            "{name}: touches the table: {meets}; height {:.6} to {:.6}",
            found.lower, found.upper
        );
    }
    Ok(())
}

#[test]
fn runs() {
    main().expect("the example works");
}
