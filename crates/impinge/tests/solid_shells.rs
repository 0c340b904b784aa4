//! Solids of several shells: hollow ones, ones with overlapping shells, and bodies inside of them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use impinge::check::{CheckOptions, Relation, check_pair};
use impinge::exact::Location;
use impinge::{Mesh, Pose, Vec3, shapes, solid};

fn cuboid(min: [f64; 3], max: [f64; 3]) -> Mesh {
    let (min, max) = (Vec3::from(min), Vec3::from(max));
    let unit = shapes::cuboid([1.0; 3]).unwrap();
    let place = |v: &Vec3| Vec3::select(v.cmpgt(Vec3::ZERO), max, min);
    unit.with_vertices(unit.vertices().iter().map(place).collect()).unwrap()
}

fn relation(a: &Mesh, b: &Mesh) -> Relation {
    let report = check_pair(a, b, &Pose::IDENTITY, &CheckOptions::default());
    let swapped = check_pair(b, a, &Pose::IDENTITY, &CheckOptions::default());
    assert_eq!(report.relation, swapped.relation.swapped());
    for w in [report.point, swapped.point].into_iter().flatten() {
        for m in [a, b] {
            assert_ne!(solid::locate(m, w).unwrap(), Location::Outside, "{w} is not common");
        }
    }
    report.relation
}

fn hollow() -> Mesh {
    let cavity = cuboid([3.0; 3], [7.0; 3]).flipped();
    Mesh::merged(&[cuboid([0.0; 3], [10.0; 3]), cavity]).unwrap()
}

#[test]
fn the_witness_is_common_without_contact_of_surfaces() {
    // The cuboid encloses the cavity within the walls of the hollow solid: no surfaces meet, and
    // the first vertex of each solid is in one solid only.
    assert_eq!(relation(&hollow(), &cuboid([2.0; 3], [8.0; 3])), Relation::Crossing);
}

#[test]
fn bodies_in_a_cavity_and_in_its_walls_are_distinguished() {
    for (min, max, want) in [
        ([4.0; 3], [6.0; 3], Relation::Clear),
        ([3.0; 3], [5.0; 3], Relation::Touching),
        ([3.0; 3], [7.0; 3], Relation::Touching),
        ([1.0; 3], [2.0; 3], Relation::BInsideA),
        ([1.0; 3], [3.0; 3], Relation::BInsideA),
        ([0.0; 3], [10.0; 3], Relation::AInsideB),
    ] {
        assert_eq!(relation(&hollow(), &cuboid(min, max)), want, "{min:?} {max:?}");
    }
}

#[test]
fn walls_inside_of_another_shell_are_no_boundary() {
    // A small cube that overlaps a large block. Walls of one inside of the other are not part of
    // the boundary of the union.
    let body = Mesh::merged(&[
        cuboid([0.0; 3], [10.0; 3]),
        cuboid([9.0, -90.0, -90.0], [180.0, 90.0, 90.0]),
    ])
    .unwrap();
    for (min, max, want) in [
        ([6.0, 4.0, 4.0], [9.0, 6.0, 6.0], Relation::BInsideA), // on the block's wall, in the cube
        ([9.0, 4.0, 4.0], [10.0, 6.0, 6.0], Relation::BInsideA), // in both, on both walls
        ([9.5, 4.0, 4.0], [10.0, 6.0, 6.0], Relation::BInsideA), // on the cube's wall, in the block
        ([10.0, 4.0, 4.0], [12.0, 6.0, 6.0], Relation::BInsideA),
        ([-1.0, 4.0, 4.0], [0.0, 6.0, 6.0], Relation::Touching),
        ([7.0, 12.0, 4.0], [9.0, 15.0, 6.0], Relation::Touching),
    ] {
        assert_eq!(relation(&body, &cuboid(min, max)), want, "{min:?} {max:?}");
    }
}

#[test]
fn a_shell_inside_of_its_own_body_changes_nothing() {
    let outer = cuboid([0.0; 3], [10.0; 3]);
    let body = Mesh::merged(&[outer.clone(), cuboid([3.0; 3], [7.0; 3])]).unwrap();
    for (min, max, want) in [
        ([0.0; 3], [10.0; 3], Relation::Duplicate),
        ([4.0; 3], [6.0; 3], Relation::BInsideA), // in the inner shell, free
        ([3.0; 3], [6.0; 3], Relation::BInsideA), // in the inner shell, touching it
        ([0.0; 3], [20.0; 3], Relation::AInsideB),
        ([-1.0; 3], [0.0; 3], Relation::Touching),
    ] {
        assert_eq!(relation(&body, &cuboid(min, max)), want, "{min:?} {max:?}");
    }
}
