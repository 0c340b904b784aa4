//! Contacts of searches that are not finished: they exist as long as the search is undecided, and
//! approximate the contact.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use impinge::pair::{Budget, FirstSearch, first_hit_within};
use impinge::{Mesh, Pose, Vec3, Verdict, shapes};

/// Calls `each` with the contact after every `part` steps, until the search is decided.
fn follow(
    (a, b): (&Mesh, &Mesh),
    pose: &Pose,
    part: u64,
    mut each: impl FnMut(impinge::Contact, impinge::Bounds),
) -> usize {
    let mut search = FirstSearch::new();
    assert_eq!(search.contact(a, b, pose), None, "nothing was searched");
    for parts in 0..100_000 {
        match first_hit_within(a, b, pose, &mut Budget::steps(part), &mut search) {
            Verdict::Undecided(known) => {
                let contact = search.contact(a, b, pose).expect("pairs are open");
                each(contact, known);
                let elsewhere = Pose::from_translation([0.125, 0.0, 0.0]).unwrap();
                let other = pose.compose(&elsewhere).unwrap();
                assert_eq!(search.contact(a, b, &other), None, "another pose");
            }
            _ => {
                assert_eq!(search.contact(a, b, pose), None, "the search is decided");
                return parts;
            }
        }
    }
    panic!("the search does not end");
}

#[test]
fn contacts_of_a_near_miss_approach_the_closest_points() {
    let ball = shapes::icosphere(1.0, 24).unwrap();
    ball.prepare();
    // Directions in which the boxes of the balls overlap.
    for way in [Vec3::new(1.0, 1.0, 0.25), Vec3::new(1.0, 2.0, -0.5)].map(Vec3::normalize) {
        let pose = Pose::from_translation(way * 2.0005).unwrap();
        let mut all = Vec::new();
        let parts = follow((&ball, &ball), &pose, 8, |contact, known| {
            let found = (contact.point_a.distance(way), contact.direction.dot(way));
            assert!((contact.direction.length() - 1.0).abs() < 1e-12, "{contact:?}");
            assert!(contact.lower <= 0.0 && contact.point_b.is_finite(), "{contact:?}");
            assert!(known.upper >= 0.0005 && contact.upper == f64::INFINITY);
            all.push(found);
        });
        assert!(parts > 3 && all.iter().all(|(_, along)| *along > 0.7), "{all:?}");
        let mean = all.iter().map(|(far, _)| far).sum::<f64>() / all.len() as f64;
        assert!(mean < 0.3, "{mean}: {all:?}");
    }
}

/// B's part, moved along the direction by the depth, leaves A's part: where all of both meshes is
/// open, the meshes leave each other.
#[test]
fn the_first_contact_is_that_of_the_whole_meshes() {
    let star = shapes::torus(1.0, 0.3, 24, 12).unwrap();
    star.prepare();
    let turn = Pose::from_quaternion([0.3, 0.1, 0.2, 0.9], [0.7, 0.2, 0.1]).unwrap();
    let mut search = FirstSearch::new();
    let none = first_hit_within(&star, &star, &turn, &mut Budget::steps(0), &mut search);
    assert!(none.is_undecided());
    let contact = search.contact(&star, &star, &turn).unwrap();
    let apart = Pose::from_translation(contact.direction * (-contact.lower * 1.000_001)).unwrap();
    let moved = apart.compose(&turn).unwrap();
    assert!(contact.lower < -0.1);
    assert!(impinge::intersects(&star, &star, &moved).is_separated());
}

#[test]
fn small_and_uneven_pairs_have_contacts_of_their_boxes() {
    let cube = shapes::cuboid([2.0; 3]).unwrap();
    let inside = Pose::from_translation([0.25, 0.0, 0.0]).unwrap();
    let tiny = shapes::icosphere(1e-9, 4).unwrap();
    tiny.prepare();
    let large = shapes::icosphere(1.0, 4).unwrap();
    large.prepare();
    for (a, b) in [(&cube, &cube), (&large, &tiny)] {
        let mut search = FirstSearch::new();
        let found = first_hit_within(a, b, &inside, &mut Budget::steps(1), &mut search);
        let contact = search.contact(a, b, &inside);
        assert_eq!(contact.is_some(), found.is_undecided(), "{found:?}");
        if let Some(contact) = contact {
            assert!(contact.lower < 0.0 && contact.direction.length() > 0.99, "{contact:?}");
        }
    }
}
