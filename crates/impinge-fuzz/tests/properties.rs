//! Properties of meshes, hulls and worlds, checked with proptest, because a shrunk counterexample
//! is worth more than many cases. `PROPTEST_CASES` sets the number of cases.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use impinge::convex::Hull;
use impinge::internals::HullInternals as _;
use impinge::internals::TopologyInternals as _;
use impinge::internals::pair::{Posed, brute, sweep};
use impinge::pair::{Collect, intersecting_pairs};
use impinge::world::{Body, Geometry, Handle, World};
use impinge::{Mesh, Pose, Shape, Vec3, shape, shapes};
use impinge_oracles::convex::share_a_point;
use proptest::collection::vec;
use proptest::prelude::*;

/// A configuration with this number of cases by default. Failures are not written to a file.
fn cases(default: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    ProptestConfig {
        cases: cases.unwrap_or(default),
        failure_persistence: None,
        ..Default::default()
    }
}

/// A point on a small grid, so that touching and coplanar features are frequent.
fn grid(reach: i8) -> impl Strategy<Value = Vec3> {
    [-reach..=reach, -reach..=reach, -reach..=reach]
        .prop_map(|p| Vec3::from_array(p.map(f64::from)))
}

/// Vertices, some of them invalid, and polygons, some of them with vertex indices out of range.
fn polygons() -> impl Strategy<Value = (Vec<Vec3>, Vec<Vec<u32>>)> {
    let odd = prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(1e61),
        Just(5e-324),
        Just(-0.0),
        Just(1e60),
    ];
    let vertex = prop_oneof![20 => grid(3), 1 => odd.prop_map(Vec3::splat)];
    (vec(vertex, 0..12), vec(vec(0_u32..13, 0..6), 0..12))
}

/// Checks the invariants of every mesh.
fn check_mesh(mesh: &Mesh) {
    let (vertices, triangles) = (mesh.vertices(), mesh.triangles());
    assert!(
        vertices.iter().all(|v| v.is_finite() && v.abs().max_element() <= impinge::MAX_COORDINATE)
    );
    assert!(triangles.iter().flatten().all(|v| (*v as usize) < vertices.len()));
    for p in 0..mesh.polygon_count() {
        for t in mesh.triangles_of(p) {
            assert_eq!(mesh.polygon_of(t) as usize, p);
            assert!(triangles[t].iter().all(|v| mesh.polygon(p).contains(v)));
        }
    }
    let bounds = mesh.bounds();
    for v in mesh.used_vertices() {
        let v = vertices[*v as usize];
        assert!(bounds.min.cmple(v).all() && v.cmple(bounds.max).all());
    }
    assert_eq!(mesh.topology().validate(), Ok(()));
    assert_eq!(mesh.tree().validate(mesh), Ok(()));
    assert_eq!(mesh.is_solid(), !mesh.is_empty() && mesh.topology().is_closed());
    assert!(!mesh.defects().to_string().is_empty());
}

proptest! {
    #![proptest_config(cases(256))]

    /// Arrays give an error, or a mesh whose invariants hold.
    #[test]
    fn any_arrays_give_a_valid_mesh_or_an_error((vertices, polygons) in polygons()) {
        let is_valid = vertices.iter().all(|v| v.is_finite() && v.abs().max_element() <= 1e60)
            && polygons.iter().all(|p| p.len() >= 3 && p.iter().all(|v| (*v as usize) < vertices.len()));
        match Mesh::from_polygons(vertices, &polygons) {
            Ok(mesh) => {
                prop_assert!(is_valid);
                prop_assert_eq!(mesh.polygon_count(), polygons.len());
                check_mesh(&mesh);
            }
            Err(error) => {
                prop_assert!(!is_valid, "{}", error);
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    /// All methods for two meshes find the same pairs of triangles.
    #[test]
    fn all_methods_find_the_same_pairs(
        a in vec([grid(2), grid(2), grid(2)], 1..14),
        b in vec([grid(2), grid(2), grid(2)], 1..14),
        at in grid(1),
        is_turned in any::<bool>(),
    ) {
        let (a, b) = (Mesh::from_soup(&a).unwrap(), Mesh::from_soup(&b).unwrap());
        let turn = if is_turned { 0.7 } else { 0.0 };
        let turn = Pose::from_axis_angle([1.0, 2.0, 3.0], turn).unwrap();
        let pose = Pose::from_translation(at).unwrap().compose(&turn).unwrap();
        let (own, its) = (Posed::new(&a, &Pose::IDENTITY), Posed::new(&b, &pose));
        let mut all = Collect::default();
        brute::traverse(&own, &its, &mut all);
        let expected = all.into_sorted();
        let mut swept = Collect::default();
        sweep::traverse(&own, &its, &mut swept);
        prop_assert_eq!(&swept.into_sorted(), &expected);
        prop_assert_eq!(&intersecting_pairs(&a, &b, &pose), &expected);
        let mut by_trees = Collect::default();
        if impinge::internals::tree::traverse((&a, a.tree()), (&b, b.tree()), &pose, &mut by_trees) {
            prop_assert_eq!(&by_trees.into_sorted(), &expected);
        }
        prop_assert_eq!(impinge::intersects(&a, &b, &pose).is_intersecting(), !expected.is_empty());
        prop_assert_eq!(impinge::all_pairs(&a, &b, &pose).len(), expected.len());
        prop_assert_eq!(impinge::distance(&a, &b, &pose).unwrap().upper == 0.0, !expected.is_empty());
    }

    /// The hull of any points is valid and contains them; its vertices are input points.
    #[test]
    fn a_hull_contains_its_points(points in vec(grid(3), 1..20)) {
        let hull = Hull::new(&points).unwrap();
        prop_assert_eq!(hull.validate(&points), Ok(()));
        for p in &points {
            prop_assert!(share_a_point(hull.vertices(), &[*p]), "{} is outside", p);
        }
        for (v, source) in hull.vertices().iter().zip(hull.sources()) {
            prop_assert_eq!(*v, points[*source as usize]);
        }
        // No vertex lies in the hull of the others.
        for k in 0..hull.vertices().len().min(6) {
            let mut others = hull.vertices().to_vec();
            let v = others.remove(k);
            prop_assert!(others.is_empty() || !share_a_point(&others, &[v]));
        }
    }
}

/// One step of a script. Bodies have numbers, which are taken modulo the number of bodies.
#[derive(Clone, Debug)]
enum Step {
    Add(u8, Vec3),
    Move(u8, Vec3),
    Remove(u8),
    Attach(u8, u8),
    Detach(u8),
    Replace(u8, u8),
    Update,
}

fn step() -> impl Strategy<Value = Step> {
    let body = any::<u8>();
    let form = 0_u8..4;
    prop_oneof![
        4 => (form.clone(), grid(2)).prop_map(|(form, at)| Step::Add(form, at)),
        5 => (body, grid(2)).prop_map(|(body, at)| Step::Move(body, at)),
        1 => body.prop_map(Step::Remove),
        1 => (body, any::<u8>()).prop_map(|(body, parent)| Step::Attach(body, parent)),
        1 => body.prop_map(Step::Detach),
        1 => (body, form).prop_map(|(body, form)| Step::Replace(body, form)),
        4 => Just(Step::Update),
    ]
}

/// Boxes and tetrahedra whose faces touch at many places of the grid, as meshes, solids and hulls.
fn forms() -> [Geometry; 4] {
    let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let cuboid = || shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    [
        cuboid().into(),
        Hull::new(&tetrahedron).unwrap().into(),
        Shape::solid(cuboid()).unwrap().into(),
        shapes::icosphere(0.75, 2).unwrap().into(),
    ]
}

/// The pairs that meet, each found by a separate query.
fn meeting(world: &World) -> BTreeSet<(Handle, Handle)> {
    let handles: Vec<Handle> = world.handles().collect();
    let mut found = BTreeSet::new();
    for (n, a) in handles.iter().enumerate() {
        for b in &handles[n + 1..] {
            let pose = Pose::relative(&world.pose(*a).unwrap(), &world.pose(*b).unwrap());
            let parts =
                [*a, *b].map(|body| world.geometry(body).unwrap().parts()[0].shape().clone());
            let compared = world.explain(*a, *b).unwrap().compared;
            if compared && !shape::intersects(&parts[0], &parts[1], &pose).is_separated() {
                found.insert((*a, *b));
            }
        }
    }
    found
}

/// Applies a step, if its bodies exist.
fn apply(world: &mut World, step: &Step) {
    let handles: Vec<Handle> = world.handles().collect();
    let body = |n: u8| handles.get(usize::from(n) % handles.len().max(1)).copied();
    match step {
        Step::Add(form, at) => {
            let pose = Pose::from_translation(*at).unwrap();
            world.add(Body::new(forms()[usize::from(*form)].clone()).at(pose)).unwrap();
        }
        Step::Move(n, at) => {
            let pose = Pose::from_translation(*at).unwrap();
            body(*n).into_iter().for_each(|body| world.move_to(body, pose).unwrap());
        }
        Step::Remove(n) => body(*n).into_iter().for_each(|body| world.remove(body).unwrap()),
        Step::Attach(n, parent) => {
            if let (Some(body), Some(parent)) = (body(*n), body(*parent)) {
                // Fails where it would create a cycle.
                let _ = world.attach(body, Some(parent));
            }
        }
        Step::Detach(n) => body(*n).into_iter().for_each(|body| world.attach(body, None).unwrap()),
        Step::Replace(n, form) => {
            let form = forms()[usize::from(*form)].clone();
            body(*n).into_iter().for_each(|body| world.replace(body, form.clone()).unwrap());
        }
        Step::Update => {}
    }
}

proptest! {
    #![proptest_config(cases(128))]

    /// The pairs that begin and end in an update are the differences of the pairs found by separate
    /// queries.
    #[test]
    fn events_match_brute_force(script in vec(step(), 0..40)) {
        let mut world = World::new();
        let mut before = BTreeSet::new();
        for step in script.iter().chain([&Step::Update]) {
            apply(&mut world, step);
            if !matches!(step, Step::Update) {
                continue;
            }
            let report = world.update();
            let pair = |event: &impinge::world::Event| (event.a, event.b);
            let began: BTreeSet<_> = report.began().map(pair).collect();
            let ended: BTreeSet<_> = report.ended().map(pair).collect();
            // The world's poses are those of the last update.
            let now = meeting(&world);
            prop_assert_eq!(began, now.difference(&before).copied().collect());
            prop_assert_eq!(ended, before.difference(&now).copied().collect());
            before = now;
        }
    }
}
