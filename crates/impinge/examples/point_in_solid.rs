//! Points in a solid, and meshes in files: a part is saved and loaded, and points are located in
//! it.
//!
//! ```sh
//! cargo run --release -p impinge --example point_in_solid
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use impinge::exact::Location;
use impinge::{Error, LoadOptions, Mesh, Vec3, shapes, solid};

fn main() -> Result<(), Error> {
    // Binary STL has three vertices for every triangle, in single precision.
    let file = std::env::temp_dir().join(format!("impinge-example-{}.stl", std::process::id()));
    shapes::torus(2.0, 0.5, 64, 32)?.save(&file)?;

    // Loading welds vertices with equal coordinates, so that the mesh is closed again. The result
    // includes a report.
    let loaded = Mesh::load_with(&file, &LoadOptions::default());
    let _ = std::fs::remove_file(&file); // also if loading failed
    let loaded = loaded?;
    println!("{loaded}");
    let ring = loaded.mesh;
    println!("closed: {}, volume {:.4}", ring.is_solid(), ring.mass_properties()?.volume);

    // The location is exact for any point, also on the surface.
    let mut cloud = vec![ring.vertices()[0]];
    cloud.extend((0..20).map(|i| Vec3::new(0.2 * f64::from(i) - 2.9, 0.25, 0.125)));
    let (mut inside, mut on, mut outside) = (0, 0, 0);
    for point in cloud {
        match solid::locate(&ring, point)? {
            Location::Inside => inside += 1,
            Location::Boundary => on += 1,
            Location::Outside => outside += 1,
        }
    }
    println!("{inside} points inside, {on} on the surface, {outside} outside");

    // A surface with a boundary has no inside, so the query is an error.
    let sheet = shapes::plane([1.0, 1.0], [4, 4])?;
    if let Err(error) = solid::locate(&sheet, Vec3::ZERO) {
        println!("{:?}: {error}", error.kind());
    }
    Ok(())
}

#[test]
fn runs() {
    main().expect("the example works");
}
