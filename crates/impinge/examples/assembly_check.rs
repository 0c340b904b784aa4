//! An assembly: which parts cross, touch, contain each other, or are too close?
//!
//! ```sh
//! cargo run --release -p impinge --example assembly_check
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::Arc;

use impinge::{CheckOptions, Error, Pose, Relation, Scene, candidate_pairs, check_pair, shapes};

fn main() -> Result<(), Error> {
    // `Scene::load("assembly.glb")` reads an assembly from a file. Parts share meshes: four bolts
    // use one mesh.
    let plate = Arc::new(shapes::cuboid([100.0, 60.0, 8.0])?);
    let bolt = Arc::new(shapes::cylinder(4.0, 30.0, 24)?);
    let mut scene = Scene::new();
    let at = |x, y, z| Pose::from_translation([x, y, z]);
    scene.add("lower plate", Arc::clone(&plate), at(0.0, 0.0, 0.0)?);
    scene.add("upper plate", plate, at(0.0, 0.0, 8.0)?); // touches the lower plate
    scene.add("bolt 1", Arc::clone(&bolt), at(40.0, 20.0, 0.0)?); // crosses both plates, which have no hole
    scene.add("bolt 2", Arc::clone(&bolt), at(-40.0, 34.5, 0.0)?); // half a millimetre from the plates
    scene.add("bolt 3", Arc::clone(&bolt), at(40.0, -34.0, 0.0)?); // touches the side of the plates
    scene.add("bolt 3 again", bolt, at(40.0, -34.0, 0.0)?);
    scene.add("magnet", shapes::icosphere(3.0, 2)?, at(0.0, 0.0, 0.0)?); // inside the lower plate

    let clearance = 1.0;
    let options = CheckOptions::default().clearance(clearance);
    let pairs = candidate_pairs(&scene, clearance); // the boxes of all other pairs are clear
    println!("{} pairs to check, of {} parts", pairs.len(), scene.parts().len());
    for (i, j) in pairs {
        let [a, b] = [i, j].map(|n| &scene.parts()[n]);
        let report = check_pair(&a.mesh, &b.mesh, &Pose::relative(&a.pose, &b.pose), &options);
        match report.relation {
            Relation::Clear => continue,
            Relation::Near => {
                let gap = report.distance.map_or(0.0, |d| d.lower);
                println!("{:<10} {} - {}: {gap:.3} apart", report.relation, a.name, b.name);
            }
            relation => {
                // The witness is in A's frame.
                let place = report.point.map(|w| a.pose.transform_point(w).to_string());
                let place = place.unwrap_or_default();
                println!("{relation:<10} {} - {} at {place}", a.name, b.name);
            }
        }
    }
    Ok(())
}

#[test]
fn runs() {
    main().expect("the example works");
}
