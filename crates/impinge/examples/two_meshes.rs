//! Two meshes: whether and where they meet, and their distance.
//!
//! ```sh
//! cargo run --release -p impinge --example two_meshes
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use impinge::{Error, Pose, Verdict, all_pairs, distance, intersects, shapes};

fn main() -> Result<(), Error> {
    // A mesh comes from arrays (`Mesh::from_triangles`), from a file (`Mesh::load`), or from a
    // generator. Here: a ring and a rod that fits through it.
    let ring = shapes::torus(2.0, 0.5, 48, 24)?;
    let rod = shapes::cylinder(0.4, 6.0, 32)?;

    // Every query takes A, B and the pose of B in A's frame.
    for shift in [0.0, 1.0, 1.25] {
        let pose = Pose::from_translation([shift, 0.0, 0.0])?;
        match intersects(&ring, &rod, &pose) {
            // `Separated` has a proof that a loop over the vertices can verify, and `distance` has
            // closest points with bounds: the exact distance lies between them.
            Verdict::Separated(proof) => {
                assert!(proof.verify(&ring, &rod, &pose));
                println!("shifted by {shift}: separated; {proof}");
                if let Some(d) = distance(&ring, &rod, &pose) {
                    println!("    {:.6} to {:.6} apart", d.lower, d.upper);
                }
            }
            // `Intersecting` has two triangles that share a point.
            Verdict::Intersecting(hit) => {
                println!(
                    "shifted by {shift}: triangle {} meets {} at {}",
                    hit.triangle_a, hit.triangle_b, hit.point
                );
                let pairs = all_pairs(&ring, &rod, &pose);
                let first = pairs.first().map(|hit| hit.kind.to_string());
                println!(
                    "    {} pairs meet; the first: {}",
                    pairs.len(),
                    first.unwrap_or_default()
                );
            }
        }
    }
    Ok(())
}

#[test]
fn runs() {
    main().expect("the example works");
}
