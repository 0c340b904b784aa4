//! A built-in assembly: a small gearbox with the outlet of a pump, and the expected results of a
//! check.

use std::f64::consts::PI;
use std::sync::Arc;

use super::{
    Gear, Hole, bolt, coil, cuboid, cylinder, icosphere, open_box, pipe, plate, revolve,
    round_corners, spherical_shell, tube,
};
use impinge::Error;
use impinge::check::Relation;
use impinge::math::{Pose, Vec3};
use impinge::mesh::Mesh;
use impinge::scene::Scene;

/// The clearance, in millimetres, for which [`sample_expectations`] holds.
pub const SAMPLE_CLEARANCE: f64 = 1.0;

/// The x coordinates of the two shafts. Both are at `y = 0`, 50 mm apart, which is the sum of the
/// pitch radii of the gears.
const DRIVE_X: f64 = -20.0;
const DRIVEN_X: f64 = 30.0;

/// The angular error of the driven gear, in radians: 0.6 mm at the pitch circle, more than the
/// backlash.
const DRIVEN_GEAR_ERROR: f64 = 0.03;

/// A gearbox of 25 parts, in millimetres, z up, the top of the base plate at `z = 0`; about 190 by
/// 130 by 170.
///
/// A motor drives the drive shaft through a coupling. Two gears in a housing transmit the motion to
/// the driven shaft with its pulley. An outlet pipe with a ball valve runs along the housing. The
/// assembly is an example for a check, so it has faults:
///
/// | pair | is | because |
/// | --- | --- | --- |
/// | drive gear, driven gear | crossing | the driven gear is rotated by 0.03 rad too much |
/// | dipstick, cover | crossing | the hole is missing |
/// | key, drive shaft | contained | the key is inside the solid shaft |
/// | bolt 4, bolt 4 again | duplicate | inserted twice at the same position |
/// | outlet pipe, housing | near | the distance is 0.5 mm |
/// | shafts, bearings; coupling, drive shaft; pulley, driven shaft | near | running fits of 0.5 mm in the radius |
/// | base plate, housing; housing, cover | touching | face on face |
/// | lower bearings, housing; upper bearings, cover | touching | face on face |
/// | bolts, base plate | touching | the heads rest on the plate, the shanks pass through its holes |
/// | coupling, motor | touching | end face on end face |
/// | valve ball, valve shell | clear | the ball is in the cavity of the shell, not in its wall |
///
/// The press fits of the gears on their shafts and the weld of pipe and valve are intended, and
/// ignored. All other pairs are clear by more than [`SAMPLE_CLEARANCE`]. The touching faces have
/// integer coordinates and poses without rotation, so they touch exactly. The bolts share one mesh,
/// and so do the bearings.
///
/// ```
/// let scene = impinge_samples::shapes::sample_assembly()?;
/// assert_eq!(scene.parts().len(), 25);
/// # Ok::<(), impinge::Error>(())
/// ```
///
/// # Errors
/// None, because the parameters are constant. The return type is that of the generators it calls.
pub fn sample_assembly() -> Result<Scene, Error> {
    let mut scene = Scene::new();
    add_casing(&mut scene)?;
    add_drive_train(&mut scene)?;
    add_fittings(&mut scene)?;
    for [a, b] in [
        ["drive gear", "drive shaft"],
        ["driven gear", "driven shaft"],
        ["outlet pipe", "valve shell"],
    ] {
        let find = |name: &str| scene.parts().iter().position(|part| part.name == name);
        if let (Some(a), Some(b)) = (find(a), find(b)) {
            scene.ignore(a, b);
        }
    }
    Ok(scene)
}

/// The relations of the pairs of [`sample_assembly`], for a clearance of [`SAMPLE_CLEARANCE`].
/// Pairs not listed are clear or ignored.
#[must_use]
pub fn sample_expectations() -> &'static [(&'static str, &'static str, Relation)] {
    use Relation::{AInsideB, Clear, Crossing, Duplicate, Near, Touching};
    &[
        ("base plate", "housing", Touching),
        ("housing", "cover", Touching),
        ("bolt 1", "base plate", Touching),
        ("bolt 2", "base plate", Touching),
        ("bolt 3", "base plate", Touching),
        ("bolt 4", "base plate", Touching),
        ("bolt 4 again", "base plate", Touching),
        ("bolt 4", "bolt 4 again", Duplicate),
        ("drive gear", "driven gear", Crossing),
        ("key", "drive shaft", AInsideB),
        ("lower drive bearing", "housing", Touching),
        ("lower driven bearing", "housing", Touching),
        ("upper drive bearing", "cover", Touching),
        ("upper driven bearing", "cover", Touching),
        ("lower drive bearing", "drive shaft", Near),
        ("upper drive bearing", "drive shaft", Near),
        ("lower driven bearing", "driven shaft", Near),
        ("upper driven bearing", "driven shaft", Near),
        ("coupling", "drive shaft", Near),
        ("coupling", "motor", Touching),
        ("pulley", "driven shaft", Near),
        ("dipstick", "cover", Crossing),
        ("outlet pipe", "housing", Near),
        ("valve ball", "valve shell", Clear),
        ("motor", "drive shaft", Clear),
        ("spring", "driven shaft", Clear),
        ("bolt 1", "housing", Clear),
    ]
}

/// Base plate with its bolts, housing and cover.
fn add_casing(scene: &mut Scene) -> Result<(), Error> {
    let corner = |x, y| Hole { cell: [x, y], radius: 4.0 };
    let base = plate(
        &[-96.0, -80.0, 80.0, 96.0],
        &[-64.0, -48.0, 48.0, 64.0],
        8.0,
        &[corner(0, 0), corner(2, 0), corner(0, 2), corner(2, 2)],
        6,
    )?;
    scene.add("base plate", base, at(0.0, 0.0, -8.0)?);
    scene.add("housing", open_box([160.0, 96.0, 64.0], 8.0)?, Pose::IDENTITY);
    // The cells with the holes are centred on the shafts.
    let cover = plate(
        &[-80.0, -40.0, 0.0, 10.0, 50.0, 80.0],
        &[-48.0, -16.0, 16.0, 48.0],
        8.0,
        &[Hole { cell: [1, 1], radius: 10.0 }, Hole { cell: [3, 1], radius: 10.0 }],
        8,
    )?;
    scene.add("cover", cover, at(0.0, 0.0, 64.0)?);
    let screw = Arc::new(bolt(6.0, 5.0, 3.0, 12.0, 4)?);
    let places = [
        ("bolt 1", -88.0, -56.0),
        ("bolt 2", 88.0, -56.0),
        ("bolt 3", 88.0, 56.0),
        ("bolt 4", -88.0, 56.0),
        ("bolt 4 again", -88.0, 56.0),
    ];
    for (name, x, y) in places {
        scene.add(name, Arc::clone(&screw), at(x, y, 0.0)?);
    }
    Ok(())
}

/// Gears, shafts, bearings, coupling, motor and pulley.
fn add_drive_train(scene: &mut Scene) -> Result<(), Error> {
    // The bores are a quarter of a millimetre narrower than the shafts: press fits.
    let gear = Gear { teeth: 24, module: 2.5, thickness: 16.0, bore: 7.75, ..Gear::default() };
    scene.add("drive gear", gear.mesh()?, at(DRIVE_X, 0.0, 32.0)?);
    // Rotated by half a pitch, so that a gap faces the tooth of the drive gear.
    let turn = Pose::from_axis_angle(Vec3::Z, PI / 16.0 + DRIVEN_GEAR_ERROR)?;
    let pinion = Gear { teeth: 16, ..gear }.mesh()?;
    scene.add("driven gear", pinion, at(DRIVEN_X, 0.0, 32.0)?.compose(&turn)?);
    scene.add("drive shaft", cylinder(8.0, 76.0, 48)?, at(DRIVE_X, 0.0, 50.0)?);
    scene.add("driven shaft", cylinder(8.0, 88.0, 48)?, at(DRIVEN_X, 0.0, 56.0)?);
    scene.add("key", cuboid([4.0, 4.0, 20.0])?, at(DRIVE_X, 0.0, 32.0)?);
    let bearing = Arc::new(tube(14.0, 8.5, 8.0, 48)?);
    for (name, x, z) in [
        ("lower drive bearing", DRIVE_X, 12.0),
        ("lower driven bearing", DRIVEN_X, 12.0),
        ("upper drive bearing", DRIVE_X, 76.0),
        ("upper driven bearing", DRIVEN_X, 76.0),
    ] {
        scene.add(name, Arc::clone(&bearing), at(x, 0.0, z)?);
    }
    scene.add("coupling", tube(13.0, 8.5, 20.0, 48)?, at(DRIVE_X, 0.0, 94.0)?);
    scene.add("motor", motor()?, at(DRIVE_X, 0.0, 104.0)?);
    let groove = [
        [8.5, 0.0],
        [18.0, 0.0],
        [18.0, 2.0],
        [13.0, 6.0],
        [18.0, 10.0],
        [18.0, 12.0],
        [8.5, 12.0],
        [8.5, 0.0],
    ];
    scene.add("pulley", revolve(&groove, 48)?, at(DRIVEN_X, 0.0, 84.0)?);
    scene.add("spring", coil(12.0, 1.25, 4.0, 4.0, 24, 10)?, at(DRIVEN_X, 0.0, 52.0)?);
    Ok(())
}

/// A motor with cooling fins, its flange at `z = 0` and the end of its shaft at `z = -12`.
fn motor() -> Result<Mesh, Error> {
    let mut profile = vec![[8.0, -12.0], [8.0, 0.0], [24.0, 0.0]];
    for fin in 0..6 {
        let z = 4.0 + 8.0 * f64::from(fin);
        profile.extend([[24.0, z], [28.0, z], [28.0, z + 4.0], [24.0, z + 4.0]]);
    }
    profile.extend([[24.0, 56.0], [18.0, 60.0]]);
    revolve(&profile, 48)
}

/// Dipstick, outlet pipe and valve.
fn add_fittings(scene: &mut Scene) -> Result<(), Error> {
    let tilt = Pose::from_axis_angle(Vec3::Y, 0.2)?;
    scene.add("dipstick", cylinder(2.0, 60.0, 16)?, at(60.0, 24.0, 72.0)?.compose(&tilt)?);
    // Half a millimetre plus the radius of the pipe outside of the housing's wall at y = -48. A
    // vertex of the pipe points towards the wall.
    let corners =
        [[-120.0, -54.5, 32.0], [70.0, -54.5, 32.0], [70.0, -110.0, 32.0], [70.0, -110.0, 88.0]]
            .map(Vec3::from);
    scene.add("outlet pipe", pipe(&round_corners(&corners, 12.0, 6), 6.0, 24)?, Pose::IDENTITY);
    scene.add("valve shell", spherical_shell(14.0, 11.0, 16, 32)?, at(70.0, -110.0, 100.0)?);
    scene.add("valve ball", icosphere(8.0, 5)?, at(70.0, -110.0, 100.0)?);
    Ok(())
}

fn at(x: f64, y: f64, z: f64) -> Result<Pose, Error> {
    Pose::from_translation([x, y, z])
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::internals::shapes::testing::closed_pieces;

    #[test]
    fn every_part_is_closed_and_the_whole_small_enough_for_brute_force() {
        let scene = sample_assembly().unwrap();
        let mut triangles = 0;
        for part in scene.parts() {
            let volumes = closed_pieces(&part.mesh);
            assert!(volumes[0] > 0.0 && volumes.iter().sum::<f64>() > 0.0, "{}", part.name);
            triangles += part.mesh.triangles().len();
        }
        assert!((5_000..20_000).contains(&triangles), "{triangles}");
        assert_eq!(scene.ignored().len(), 3);
    }

    #[test]
    fn names_are_unique_expectations_name_parts_and_instances_share() {
        let scene = sample_assembly().unwrap();
        let find = |name: &str| scene.parts().iter().position(|p| p.name == name);
        for (i, part) in scene.parts().iter().enumerate() {
            assert_eq!(find(&part.name), Some(i));
        }
        let mut pairs = Vec::new();
        for (a, b, _) in sample_expectations() {
            let (a, b) = (find(a).unwrap(), find(b).unwrap());
            assert!(a != b && !scene.is_ignored(a, b));
            pairs.push((a.min(b), a.max(b)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), sample_expectations().len());
        let [one, two] = ["bolt 1", "bolt 4 again"].map(|n| &scene.parts()[find(n).unwrap()]);
        assert!(Arc::ptr_eq(&one.mesh, &two.mesh));
        let twin = &scene.parts()[find("bolt 4").unwrap()];
        assert_eq!(twin.pose, two.pose);
    }
}
