//! Convex pieces: volumes in rational numbers, coverage and error by exact location of sample
//! points, and degenerate input.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use impinge::convex::Hull;
use impinge::exact::{Location, Sign, orient3d};
use impinge::internals::HullInternals as _;
use impinge::internals::exact::{locate_point, point_on_triangle, winding_number};
use impinge::pieces::{
    DecomposeOptions, Decomposition, decompose, decompose_exactly, decompose_watched,
};
use impinge::{Aabb, ErrorKind, Mesh, Pose, Vec3};
use impinge_oracles::common::Random;
use num_rational::BigRational;
use num_traits::Zero;

fn point_in(random: &mut Random, b: &Aabb) -> Vec3 {
    b.min + b.extent() * random.unit_point()
}

/// The number of cases: `IMPINGE_PIECES_CASES`, or `default`.
fn cases(default: usize) -> usize {
    std::env::var("IMPINGE_PIECES_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

fn number(x: f64) -> BigRational {
    BigRational::from_float(x).unwrap()
}

/// Six times the signed volume, exactly.
fn volume6(triangles: impl IntoIterator<Item = [Vec3; 3]>) -> BigRational {
    let mut sum = BigRational::zero();
    for t in triangles {
        let [a, b, c] = t.map(|p| p.to_array().map(number));
        let minor = |i: usize, j: usize| &b[i] * &c[j] - &b[j] * &c[i];
        sum += &a[0] * minor(1, 2) + &a[1] * minor(2, 0) + &a[2] * minor(0, 1);
    }
    sum
}

fn hull_triangles(hull: &Hull) -> Vec<[Vec3; 3]> {
    hull.faces()
        .flat_map(|f| {
            (2..f.len()).map(|i| [f[0], f[i - 1], f[i]].map(|v| hull.vertices()[v as usize]))
        })
        .collect()
}

fn triangles(mesh: &Mesh) -> Vec<[Vec3; 3]> {
    (0..mesh.triangles().len()).map(|t| mesh.triangle(t)).collect()
}

fn locate(mesh: &Mesh, p: Vec3) -> Location {
    if !mesh.topology().is_balanced() {
        return locate_point(p, triangles(mesh));
    }
    match winding_number(p, triangles(mesh)) {
        None => Location::Boundary,
        Some(0) => Location::Outside,
        Some(_) => Location::Inside,
    }
}

/// Whether a point is in the closed hull, exactly.
fn contains(hull: &Hull, p: Vec3) -> bool {
    if hull.dimension() < 3 {
        // A fan of triangles, which are segments or points if the hull is one.
        let v = hull.vertices();
        let ring: Vec<Vec3> = match hull.dimension() {
            2 => hull.face(0).iter().map(|i| v[*i as usize]).collect(),
            _ => vec![v[0], v[0], v[v.len() - 1]],
        };
        return (2..ring.len()).any(|i| point_on_triangle(p, &[ring[0], ring[i - 1], ring[i]]));
    }
    hull.face_count() > 0
        && hull.faces().all(|f| {
            let [a, b, c] = [f[0], f[1], f[2]].map(|v| hull.vertices()[v as usize]);
            orient3d(a, b, c, p) != Sign::Positive
        })
}

/// An upper bound of the distance of a point from the solid, sharp up to rounding.
fn distance(mesh: &Mesh, p: Vec3) -> f64 {
    if locate(mesh, p) != Location::Outside {
        return 0.0;
    }
    triangles(mesh)
        .iter()
        .map(|t| impinge::closest::point_triangle(p, t).lower)
        .fold(f64::INFINITY, f64::min)
}

/// Checks the guarantees on sample points: every point of the solid is in a hull, and no point of a
/// hull is further from the solid than the error.
fn check_guarantees(mesh: &Mesh, found: &Decomposition, samples: usize, seed: u64) {
    let mut random = Random::new(seed);
    let bounds = mesh.bounds();
    let worst = found.pieces.iter().map(|p| p.error).fold(0.0, f64::max);
    assert_eq!(found.error, worst);
    assert_eq!(found.exact, worst == 0.0);
    for piece in &found.pieces {
        piece.hull.validate(piece.hull.vertices()).unwrap();
        assert_eq!(piece.hull.bounds(), Aabb::from_points(piece.hull.vertices().iter().copied()));
    }
    let covered = |p: Vec3| found.pieces.iter().any(|piece| contains(&piece.hull, p));
    for v in mesh.used_vertices() {
        let p = mesh.vertices()[*v as usize];
        assert!(covered(p), "vertex {v} at {p} is in no hull");
    }
    for _ in 0..samples {
        let p = point_in(&mut random, &bounds);
        if locate(mesh, p) != Location::Outside {
            assert!(covered(p), "{p} is in no hull");
        } else if found.exact {
            assert!(!covered(p), "{p} is outside of the solid, but in a hull");
        }
    }
    for piece in &found.pieces {
        let mut points: Vec<Vec3> = piece.hull.vertices().to_vec();
        let n = points.len();
        for _ in 0..samples / (4 * found.pieces.len()) + 8 {
            // Points in the hull: convex combinations of two to five vertices.
            let last = 1 + (random.bits() % 4) as usize;
            let mut sum = Vec3::ZERO;
            let mut total = 0.0;
            for _ in 0..=last {
                let w = random.unit();
                sum += points[(random.bits() % n as u64) as usize] * w;
                total += w;
            }
            points.push(sum / total);
        }
        for p in points {
            let d = distance(mesh, p);
            // Combinations are rounded.
            let allowed = piece.error + 1e-15 * bounds.extent().length();
            assert!(d <= allowed, "{p} is {d} from the solid, the bound is {}", piece.error);
        }
    }
}

/// The union of cells of an integer grid, with grid corners mapped by `place`.
fn cubes(
    size: [usize; 3],
    is_solid: impl Fn([usize; 3]) -> bool,
    place: impl Fn([usize; 3]) -> Vec3,
) -> Mesh {
    let solid = |p: [i64; 3]| {
        (0..3).all(|i| p[i] >= 0 && (p[i] as usize) < size[i]) && is_solid(p.map(|x| x as usize))
    };
    let mut vertices = Vec::new();
    let mut ids = std::collections::BTreeMap::new();
    let mut faces: Vec<[u32; 4]> = Vec::new();
    for i in 0..size[0] * size[1] * size[2] {
        let cell = [i % size[0], i / size[0] % size[1], i / size[0] / size[1]].map(|x| x as i64);
        if !solid(cell) {
            continue;
        }
        for axis in 0..3 {
            for side in 0..2_i64 {
                let mut beyond = cell;
                beyond[axis] += 2 * side - 1;
                if solid(beyond) {
                    continue;
                }
                let mut corner = |u: i64, v: i64| {
                    let mut at = cell;
                    at[axis] += side;
                    at[(axis + 1) % 3] += u;
                    at[(axis + 2) % 3] += v;
                    let at = at.map(|x| x as usize);
                    *ids.entry(at).or_insert_with(|| {
                        vertices.push(place(at));
                        vertices.len() as u32 - 1
                    })
                };
                let face = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                faces.push(if side == 1 { face } else { [face[3], face[2], face[1], face[0]] });
            }
        }
    }
    Mesh::from_polygons(vertices, faces).unwrap()
}

fn grid(at: [usize; 3]) -> Vec3 {
    Vec3::from(at.map(|x| x as f64))
}

fn assert_exact(mesh: &Mesh, found: &Decomposition, what: &str) {
    assert!(found.exact && found.error == 0.0, "{what}: error {}", found.error);
    let sum: BigRational = found.pieces.iter().map(|p| volume6(hull_triangles(&p.hull))).sum();
    assert_eq!(sum, volume6(triangles(mesh)), "{what}: volumes");
    for p in found.pieces.iter().flat_map(|p| p.hull.vertices()) {
        assert_ne!(locate(mesh, *p), Location::Outside, "{what}: a corner at {p}");
    }
}

#[test]
fn letters_of_boxes_are_exact_with_few_pieces() {
    let letters: [(&str, [&str; 3], usize); 5] = [
        ("L", ["#..", "#..", "###"], 2),
        ("T", ["###", ".#.", ".#."], 2),
        ("+", [".#.", "###", ".#."], 3),
        ("O", ["###", "#.#", "###"], 4),
        ("U", ["#.#", "#.#", "###"], 3),
    ];
    for (name, rows, max_pieces) in letters {
        let is_solid = |[x, y, _]: [usize; 3]| rows[y].as_bytes()[x] == b'#';
        let mesh = cubes([3, 3, 1], is_solid, grid);
        let found = decompose_exactly(&mesh, 64).unwrap();
        assert_exact(&mesh, &found, name);
        assert!(found.pieces.len() <= max_pieces, "{name}: {} pieces", found.pieces.len());
        check_guarantees(&mesh, &found, 300, 1);
        let found = decompose(&mesh, &DecomposeOptions::new(1e-3, 64)).unwrap();
        assert_exact(&mesh, &found, name);
        assert!(found.pieces.len() <= max_pieces, "{name}: {} pieces", found.pieces.len());
        check_guarantees(&mesh, &found, 300, 2);
    }
}

#[test]
fn random_unions_of_boxes_are_exact() {
    let mut random = Random::new(7);
    for case in 0..cases(10) {
        let bits = random.bits();
        let share = 0.3 + 0.5 * random.unit();
        let mut solid = [false; 27];
        solid.iter_mut().for_each(|s| *s = random.unit() < share);
        solid[(bits % 27) as usize] = true;
        let is_solid = |[x, y, z]: [usize; 3]| solid[x + 3 * y + 9 * z];
        // Uneven spacing with arbitrary coordinates.
        let steps: Vec<f64> = (0..12).map(|i| f64::from(i / 3) + random.unit() * 0.8).collect();
        let place =
            |[x, y, z]: [usize; 3]| Vec3::new(steps[3 * x], steps[3 * y + 1], steps[3 * z + 2]);
        let mesh = cubes([3, 3, 3], is_solid, place);
        let found = decompose_exactly(&mesh, 100).unwrap();
        assert_exact(&mesh, &found, &format!("case {case}"));
        check_guarantees(&mesh, &found, 100, case as u64);
        let found = decompose(&mesh, &DecomposeOptions::new(1e-3, 100)).unwrap();
        assert!(found.error <= 1e-3, "case {case}, cut at axes: {}", found.error);
        check_guarantees(&mesh, &found, 100, case as u64);
    }
}

/// A prism over an outline in the plane.
fn prism(outline: &[[f64; 2]], height: f64) -> Mesh {
    let n = outline.len() as u32;
    let level = |z: f64| outline.iter().map(move |[x, y]| Vec3::new(*x, *y, z));
    let vertices: Vec<Vec3> = level(0.0).chain(level(height)).collect();
    let mut faces: Vec<Vec<u32>> = vec![(0..n).rev().collect(), (n..2 * n).collect()];
    faces.extend((0..n).map(|i| vec![i, (i + 1) % n, n + (i + 1) % n, n + i]));
    Mesh::from_polygons(vertices, faces).unwrap()
}

fn star(points: u32, inner: f64) -> Mesh {
    let outline: Vec<[f64; 2]> = (0..2 * points)
        .map(|i| {
            let angle = std::f64::consts::PI * f64::from(i) / f64::from(points) + 0.1;
            let r = if i % 2 == 0 { 1.0 } else { inner };
            [r * angle.cos(), r * angle.sin()]
        })
        .collect();
    prism(&outline, 0.5)
}

#[test]
fn stars_are_exact_up_to_the_rounding_of_new_corners() {
    for points in [3, 5, 8] {
        let mesh = star(points, 0.4);
        let found = decompose_exactly(&mesh, 200).unwrap();
        assert!(found.error < 1e-15, "{}", found.error);
        check_guarantees(&mesh, &found, 400, u64::from(points));
        // The pieces fill the solid, and the hulls are slightly larger than the pieces.
        let sum: BigRational = found.pieces.iter().map(|p| volume6(hull_triangles(&p.hull))).sum();
        let more = sum - volume6(triangles(&mesh));
        assert!(more >= BigRational::zero() && more < number(1e-13), "{more}");
    }
}

#[test]
fn tolerance_and_limit_of_pieces_hold() {
    let mesh = star(5, 0.4);
    for tolerance in [0.2, 0.05, 0.01] {
        let found = decompose(&mesh, &DecomposeOptions::new(tolerance, 200)).unwrap();
        assert!(found.error <= tolerance, "{} > {tolerance}", found.error);
        check_guarantees(&mesh, &found, 400, 5);
    }
    let mut last = f64::INFINITY;
    for limit in [1, 3, 9] {
        let found = decompose(&mesh, &DecomposeOptions::new(1e-4, limit)).unwrap();
        assert!(found.pieces.len() <= limit && found.error < last);
        last = found.error;
        check_guarantees(&mesh, &found, 300, 6);
    }
    let mut calls = 0;
    let mut watch = |_: usize, _: usize| {
        calls += 1;
        if calls == 3 {
            std::ops::ControlFlow::Break(())
        } else {
            std::ops::ControlFlow::Continue(())
        }
    };
    let found = decompose_watched(&mesh, &DecomposeOptions::new(1e-3, 99), &mut watch).unwrap();
    assert_eq!(found.pieces.len(), 3);
    check_guarantees(&mesh, &found, 300, 7);
}

/// The mesh at a random pose: no face is parallel to an axis, and none is exactly planar.
fn at_random_pose(mesh: &Mesh, random: &mut Random) -> Mesh {
    let turn = Pose::from_axis_angle(random.point(), 1.0 + random.unit()).unwrap();
    mesh.transformed(&Pose::from_translation(random.point()).unwrap().compose(&turn).unwrap())
}

#[test]
fn oblique_notches_are_cut_along_their_faces() {
    let mut random = Random::new(31);
    let l = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    let v = [[0.0, 0.0], [3.0, -1.0], [3.5, 0.5], [0.7, 1.1], [0.2, 4.0], [-1.0, 3.0]];
    for round in 0..cases(6) {
        for outline in [l, v] {
            let mesh = at_random_pose(&prism(&outline, 0.5 + random.unit()), &mut random);
            for tolerance in [1e-2, 1e-9] {
                let found = decompose(&mesh, &DecomposeOptions::new(tolerance, 32)).unwrap();
                assert_eq!(found.pieces.len(), 2, "{round} {tolerance}: {}", found.error);
                assert!(found.error <= tolerance, "{round} {tolerance}: {}", found.error);
                check_guarantees(&mesh, &found, 200, round as u64);
            }
        }
    }
}

/// `before` is the number of pieces by axis-parallel cuts alone, without joining.
#[test]
fn number_of_pieces_is_small() {
    let hollow = |[x, y, z]: [usize; 3]| ![x, y, z].iter().all(|c| *c == 1);
    let nested = |p: [usize; 3]| p.iter().map(|c| c.abs_diff(2)).max() != Some(1);
    let ring = cubes([3, 3, 1], |[x, y, _]| !(x == 1 && y == 1), grid);
    let u = cubes([3, 3, 1], |[x, y, _]| x != 1 || y == 2, grid);
    let plus = cubes([3, 3, 1], |[x, y, _]| x == 1 || y == 1, grid);
    let mut random = Random::new(32);
    for (name, mesh, before, max_pieces) in [
        ("ring", at_random_pose(&ring, &mut random), 200, 4),
        ("U", at_random_pose(&u, &mut random), 198, 3),
        // Two crossing bars.
        ("plus", at_random_pose(&plus, &mut random), 200, 3),
        ("straight ring", ring, 8, 4),
        ("straight U", u, 4, 3),
        ("hollow", cubes([3, 3, 3], hollow, grid), 13, 6),
        ("nested", cubes([5, 5, 5], nested, grid), 28, 7),
        ("star of 3", star(3, 0.4), 7, 3),
        ("star of 5", star(5, 0.4), 7, 5),
    ] {
        let found = decompose(&mesh, &DecomposeOptions::new(0.01, 250)).unwrap();
        let count = found.pieces.len();
        assert!(
            count <= max_pieces && max_pieces <= before && found.error <= 0.01,
            "{name}: {count}"
        );
        check_guarantees(&mesh, &found, 200, 9);
    }
}

#[test]
fn cavities_and_nested_bodies_are_exact() {
    // A hollow cube, and a hollow cube with a body in its cavity.
    let hollow = |[x, y, z]: [usize; 3]| ![x, y, z].iter().all(|c| *c == 1);
    let mesh = cubes([3, 3, 3], hollow, grid);
    let found = decompose_exactly(&mesh, 64).unwrap();
    assert_exact(&mesh, &found, "hollow");
    assert_eq!(found.pieces.len(), 6);
    let nested = |p: [usize; 3]| {
        let ring = p.iter().map(|c| c.abs_diff(2)).max().unwrap();
        ring != 1
    };
    let mesh = cubes([5, 5, 5], nested, grid);
    assert_eq!(mesh.shells().count(), 3);
    let found = decompose_exactly(&mesh, 64).unwrap();
    assert_exact(&mesh, &found, "nested");
    check_guarantees(&mesh, &found, 500, 3);
    let found = decompose(&mesh, &DecomposeOptions::new(1e-3, 64)).unwrap();
    assert!(found.error <= 1e-3, "{}", found.error);
    check_guarantees(&mesh, &found, 500, 3);
}

#[test]
fn touching_edges_corners_and_several_shells_are_exact() {
    // Two cubes that share an edge, two that share a corner, two separate ones.
    for (name, cells) in [
        ("edge", [[0, 0, 0], [1, 1, 0]]),
        ("corner", [[0, 0, 0], [1, 1, 1]]),
        ("apart", [[0, 0, 0], [2, 2, 2]]),
    ] {
        let mesh = cubes([3, 3, 3], |p| cells.contains(&p), grid);
        let exact = decompose_exactly(&mesh, 16).unwrap();
        assert_exact(&mesh, &exact, name);
        assert_eq!(exact.pieces.len(), 2, "{name}");
        let found = decompose(&mesh, &DecomposeOptions::new(1e-3, 16)).unwrap();
        assert_exact(&mesh, &found, name);
        check_guarantees(&mesh, &found, 300, 4);
    }
}

#[test]
fn thin_sheets_and_bodies_without_volume_are_covered() {
    // An L of sheets with a thickness of one millionth and of one ulp.
    for thick in [1e-6, f64::EPSILON] {
        let steps = [0.0, 1.0, 1.0 + thick, 2.0];
        let place = |[x, y, z]: [usize; 3]| Vec3::new(steps[x], steps[y], steps[z]);
        let is_solid = |[x, y, _]: [usize; 3]| (x == 1 && y < 2) || (y == 1 && x < 2);
        let mesh = cubes([3, 3, 3], is_solid, place);
        let found = decompose_exactly(&mesh, 16).unwrap();
        assert_exact(&mesh, &found, "thin");
        check_guarantees(&mesh, &found, 100, 4);
        let found = decompose(&mesh, &DecomposeOptions::new(0.01, 16)).unwrap();
        assert!(found.error <= 0.01, "{}", found.error);
        check_guarantees(&mesh, &found, 100, 4);
    }
    // A two-sided triangle: closed, with an empty interior.
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let sheet = Mesh::from_triangles(corners, vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    let found = decompose_exactly(&sheet, 4).unwrap();
    assert!(found.pieces.len() == 1 && found.exact && found.pieces[0].hull.dimension() == 2);
    check_guarantees(&sheet, &found, 100, 4);
    let found = decompose(&sheet, &DecomposeOptions::new(0.01, 4)).unwrap();
    assert_eq!(found.pieces.len(), 1);
    assert!(found.error <= 0.01 && found.pieces[0].hull.dimension() == 2);
    // Triangles that degenerate to points.
    let point = Mesh::from_triangles(vec![Vec3::ONE], vec![[0, 0, 0], [0, 0, 0]]).unwrap();
    let found = decompose(&point, &DecomposeOptions::new(0.01, 4)).unwrap();
    assert!(found.error <= 0.01 && found.pieces.len() == 1);
    let found = decompose_exactly(&point, 4).unwrap();
    assert!(found.exact && found.pieces.len() == 1 && found.pieces[0].hull.dimension() == 0);
}

#[test]
fn duplicate_inverted_and_overlapping_bodies_are_exact() {
    // Two equal cubes, and an inverted cube.
    let cube = cubes([1, 1, 1], |_| true, grid);
    let twice = Mesh::merged([&cube, &cube]).unwrap();
    let found = decompose_exactly(&twice, 8).unwrap();
    assert_eq!((found.pieces.len(), found.exact), (1, true));
    let inverted = cube.flipped();
    let found = decompose_exactly(&inverted, 8).unwrap();
    assert_eq!((found.pieces.len(), found.exact), (1, true));
    check_guarantees(&inverted, &found, 100, 1);
    let found = decompose(&inverted, &DecomposeOptions::new(0.01, 8)).unwrap();
    assert_eq!((found.pieces.len(), found.exact), (1, true));
    // Overlapping bodies are one solid: the pieces do not overlap.
    let shifted =
        cube.with_vertices(cube.vertices().iter().map(|v| *v + Vec3::splat(0.5)).collect());
    let both = Mesh::merged([&cube, &shifted.unwrap()]).unwrap();
    let found = decompose_exactly(&both, 32).unwrap();
    assert!(found.exact);
    let sum: BigRational = found.pieces.iter().map(|p| volume6(hull_triangles(&p.hull))).sum();
    assert_eq!(sum, number(6.0 * 1.875));
    check_guarantees(&both, &found, 300, 8);
}

#[test]
fn results_are_exact_at_all_scales_and_reproducible() {
    let is_solid = |[x, y, _]: [usize; 3]| x == 0 || y == 0;
    for scale in [1e-300, 1e-20, 1.0, 1e50] {
        let mesh = cubes([2, 2, 1], is_solid, |p| grid(p) * scale);
        for found in [
            decompose_exactly(&mesh, 8).unwrap(),
            decompose(&mesh, &DecomposeOptions::new(0.01 * scale, 8)).unwrap(),
        ] {
            assert!(found.exact && found.pieces.len() == 2, "{scale:e}: {}", found.error);
        }
    }
    let mesh = star(7, 0.3);
    let options = DecomposeOptions::new(0.05, 30);
    let first = decompose(&mesh, &options).unwrap();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| decompose(&mesh, &options).unwrap()), first);
    }
    assert_eq!(decompose_exactly(&mesh, 99).unwrap(), decompose_exactly(&mesh, 99).unwrap());
}

#[test]
fn invalid_input_and_options_are_errors() {
    let open = Mesh::from_triangles(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    let options = DecomposeOptions::new(0.1, 4);
    assert_eq!(decompose(&open, &options).unwrap_err().kind(), ErrorKind::NotSolid);
    assert_eq!(decompose_exactly(&open, 4).unwrap_err().kind(), ErrorKind::NotSolid);
    let mesh = star(9, 0.3);
    assert_eq!(decompose_exactly(&mesh, 4).unwrap_err().kind(), ErrorKind::TooLarge);
    for options in [
        DecomposeOptions::new(-1.0, 4),
        DecomposeOptions::new(f64::NAN, 4),
        DecomposeOptions::new(0.1, 0),
    ] {
        assert_eq!(decompose(&mesh, &options).unwrap_err().kind(), ErrorKind::BadParameter);
    }
    let infinite = decompose(&mesh, &DecomposeOptions::new(f64::INFINITY, 4)).unwrap();
    assert_eq!(infinite.pieces.len(), 1);
    assert!(infinite.error.is_finite());
}
