//! Solids of several shells: hollow ones, ones whose shells overlap, and what lies in them.
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
    let there = check_pair(a, b, &Pose::IDENTITY, &CheckOptions::default());
    let back = check_pair(b, a, &Pose::IDENTITY, &CheckOptions::default());
    assert_eq!(there.relation, back.relation.swapped());
    for w in [there.witness, back.witness].into_iter().flatten() {
        for m in [a, b] {
            assert_ne!(solid::locate(m, w).unwrap(), Location::Outside, "{w} is not common");
        }
    }
    there.relation
}

fn hollow() -> Mesh {
    let cavity = cuboid([3.0; 3], [7.0; 3]).flipped();
    Mesh::merged(&[cuboid([0.0; 3], [10.0; 3]), cavity]).unwrap()
}

#[test]
fn the_witness_of_solids_that_share_space_without_contact_is_common() {
    // In the walls of the hollow solid, around its cavity: no surfaces meet, and the first vertex
    // of either is in one solid only.
    assert_eq!(relation(&hollow(), &cuboid([2.0; 3], [8.0; 3])), Relation::Crossing);
}

#[test]
fn parts_in_a_cavity() {
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
fn a_part_that_touches_a_wall_inside_a_body_of_two_shells_is_contained() {
    // A small cube whose corner region is buried in a large block: all walls of one inside the
    // other belong to no boundary.
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
fn a_shell_buried_in_its_own_body_changes_nothing() {
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
