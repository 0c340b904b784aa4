//! Separation by a plane at a corner of a contact, compared with the full classification.

use crate::budget::Budget;
use crate::math::{Pose, Random, Vec3};
use crate::mesh::Mesh;
use crate::pair::{Posed, intersecting_pairs};
use crate::shapes;

use super::contacts::ContactSearch;
use super::fan::ContactPoint;
use super::overlay::Overlay;
use super::plane::PlaneSearch;
use super::relate::{ContactAnalysis, Pair, SideSearch};
use super::surface::Surface;

/// Solids with corners, edges and faces on a grid, with notches and holes, in several pieces,
/// inside out, closed but not oriented, and a sheet that is not closed.
fn bodies() -> Vec<Mesh> {
    let cube = shapes::cuboid_grid([2.0, 2.0, 2.0], [2, 2, 2]).unwrap();
    let moved = |mesh: &Mesh, at: [f64; 3]| mesh.transformed(&Pose::from_translation(at).unwrap());
    let join = |meshes: &[Mesh]| {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for mesh in meshes {
            let first = vertices.len() as u32;
            vertices.extend_from_slice(mesh.vertices());
            triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
        }
        Mesh::from_triangles(vertices, triangles).unwrap()
    };
    let turned = |mesh: &Mesh, every: usize| {
        let triangles = mesh.triangles().iter().enumerate();
        let triangles = triangles
            .map(|(i, [a, b, c])| if i % every == 0 { [*a, *c, *b] } else { [*a, *b, *c] });
        Mesh::from_triangles(mesh.vertices().to_vec(), triangles.collect()).unwrap()
    };
    let outline = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 1.0], [0.0, 4.0]];
    vec![
        shapes::cuboid([2.0, 2.0, 2.0]).unwrap(),
        join(&[cube.clone(), moved(&cube, [2.0, 0.0, 0.0]), moved(&cube, [1.0, 2.0, 1.0])]),
        shapes::prism(&outline, 2.0).unwrap(),
        shapes::tube(4.0, 2.0, 4.0, 8).unwrap(),
        shapes::cylinder(2.0, 4.0, 8).unwrap(),
        turned(&cube, 1),
        turned(&cube, 3),
        shapes::plane([4.0, 4.0], [2, 2]).unwrap(),
        cube,
    ]
}

#[test]
fn separating_planes_imply_no_shared_space() {
    let mut random = Random::new(6);
    let bodies = bodies();
    let (mut separated, mut crossings, mut classified, mut sides, mut full) = (0, 0, 0, 0, 0);
    let mut contacts = ContactSearch::default();
    let (mut beside, mut analysis) = (SideSearch::default(), ContactAnalysis::default());
    for round in 0..4_000 {
        let [one, other] = [0; 2].map(|_| &bodies[random.index(bodies.len())]);
        let size = [1.0, 1.0, 2.0_f64.powi(-90), 2.0_f64.powi(60)][round % 4];
        let far = if round % 8 == 1 { 3e6 } else { 0.0 };
        let (one, other) = (one.scaled(size).unwrap(), other.scaled(size).unwrap());
        let mut step = || (random.index(17) as f64 - 8.0) * 0.5;
        let at = Vec3::new(step(), step(), step());
        // Quarter turns keep the grid; in every fifth round nothing is on it.
        let mut turn = [0.0, 0.0, 0.0, 1.0];
        if round % 5 == 0 {
            turn = random.rotation().to_array();
        } else if round % 2 == 0 {
            turn[random.index(3)] = 1.0;
        }
        let home = one.transformed(&Pose::from_translation(Vec3::splat(far) * size).unwrap());
        let pose = Pose::from_quaternion(turn, (at + Vec3::splat(far)) * size).unwrap();
        let pairs = intersecting_pairs(&home, &other, &pose);
        let (a, b) = (Posed::new(&home, &Pose::IDENTITY), Posed::new(&other, &pose));
        if pairs.is_empty() {
            continue;
        }
        let region = a.bounds().intersection(&b.bounds());
        let pair = Pair { a: Surface::new(&a, &region), b: Surface::new(&b, &region) };
        let no_limit = &mut Budget::unlimited();
        let separate = PlaneSearch::default().run(&a, &b, &pairs, no_limit).unwrap();
        sides += usize::from(separate);
        contacts.reset();
        assert!(contacts.run(&a, &b, &pairs, no_limit));
        let points = std::iter::from_fn(|| contacts.next(&pairs));
        for (point, (i, j)) in points.collect::<Vec<_>>().into_iter().step_by(3) {
            let triangles = [a.triangle(i), b.triangle(j)];
            let by_plane = beside.run(&pair, point, triangles, no_limit).unwrap();
            let known = Overlay::default();
            let Some(overlay) = analysis.run(&pair, point, known, no_limit).unwrap() else {
                continue;
            };
            classified += 1;
            full += usize::from(overlay.both);
            assert!(!(overlay.both && (by_plane || separate)), "{point:?} in round {round}");
            separated += usize::from(by_plane);
            crossings += usize::from(by_plane && matches!(point, ContactPoint::Crossing { .. }));
        }
    }
    let counts = [separated, crossings, classified, sides, full];
    assert!(separated > 1_000 && crossings > 200 && sides > 100 && full > 1_000, "{counts:?}");
}

#[test]
fn nearby_points_are_within_their_slack() {
    let mut random = Random::new(7);
    let mut known = 0;
    for round in 0..4_000 {
        let mut whole = |n: usize| random.index(2 * n + 1) as f64 - n as f64;
        let far = if round % 3 == 0 { 1_000_000_000 } else { 100 };
        let c = Vec3::new(whole(far), whole(far), whole(far));
        let [u, w] = [0; 2].map(|_| Vec3::new(whole(1000), whole(1000), whole(1000)));
        let [j, k, l, m] = [0; 4].map(|_| 1.0 + whole(40).abs());
        let size = [1.0, 2.0_f64.powi(-60), 2.0_f64.powi(50)][round % 3];
        let e = [(c - u * j) * size, (c + u * k) * size];
        let f = [(c - w * l) * size, (c + w * m) * size];
        let Some((near, slack)) = (ContactPoint::Crossing { e, f }).nearby() else { continue };
        known += 1;
        assert!(near.distance(c * size) <= slack, "{e:?} {f:?}");
        assert!(slack <= 1e-3 * size * (1e9 + 1e5), "{slack}");
    }
    assert!(known > 3_500, "{known}");
}
