//! Point location through the tree, compared with a test of every triangle.

use crate::budget::Budget;
use crate::exact::{Location, RayAxis, location_of, ray_crossing, winding_number};
use crate::math::{Pose, Random, Vec3};
use crate::mesh::Mesh;
use crate::pair::Posed;
use crate::shapes;
use crate::tree::{RayQuery, RaySearch, RayTest};

use super::locate::{locate_at, locate_posed};

/// Several meshes joined into one.
fn together(meshes: &[Mesh]) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    Mesh::from_triangles(vertices, triangles).unwrap()
}

fn with_triangles(mesh: &Mesh, triangles: impl Iterator<Item = [u32; 3]>) -> Mesh {
    Mesh::from_triangles(mesh.vertices().to_vec(), triangles.collect()).unwrap()
}

fn inside_out(mesh: &Mesh) -> Mesh {
    with_triangles(mesh, mesh.triangles().iter().map(|[a, b, c]| [*a, *c, *b]))
}

fn moved(mesh: &Mesh, by: Vec3) -> Mesh {
    mesh.transformed(&Pose::from_translation(by).unwrap())
}

/// Closed meshes with the degenerate cases of ray crossings.
fn solids() -> Vec<Mesh> {
    let ball = shapes::icosphere(1.0, 4).unwrap();
    let ring = shapes::torus(1.0, 0.4, 24, 12).unwrap();
    let tilt = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
    let askew = shapes::star_prism(9, 1.0, 0.7, 1.5).unwrap().transformed(&tilt);
    // Faces parallel to the axes, which the rays meet edge-on, at vertices and along edges.
    let unit = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
    let grid: Vec<Mesh> = (0..27)
        .filter(|n| n % 4 != 1)
        .map(|n| moved(&unit, Vec3::new((n % 3).into(), (n / 3 % 3).into(), (n / 9).into())))
        .collect();
    let small = ball.scaled(0.5).unwrap();
    let nested = together(&[ball.clone(), small.clone(), inside_out(&small.scaled(0.5).unwrap())]);
    let overlapping =
        together(&[ball.clone(), moved(&ball, Vec3::new(0.5, 0.25, 0.0)), ring.clone()]);
    // Every third triangle reversed: closed, not oriented.
    let mixed = ring.triangles().iter().enumerate();
    let mixed = with_triangles(
        &ring,
        mixed.map(|(i, [a, b, c])| if i % 3 == 0 { [*a, *c, *b] } else { [*a, *b, *c] }),
    );
    // Degenerate triangles (segments and points), each in both orientations.
    let sheet = (0..40_u32).flat_map(|i| {
        let (a, b) = (i, (i * 7 + 3) % 50);
        [[a, b, b], [b, a, a], [a, a, b], [a, a, a], [a, b, i + 1], [b, a, i + 1]]
    });
    let sheet = with_triangles(&ball, ball.triangles().iter().copied().chain(sheet));
    let flat = shapes::cuboid([8.0, 8.0, 1e-11]).unwrap();
    let flat = together(&[flat.clone(), moved(&flat, Vec3::Z), moved(&flat, Vec3::Z * 1e-9)]);
    let solids =
        vec![ball, ring, askew, together(&grid), nested, overlapping, mixed, sheet, flat, unit];
    assert!(solids.iter().all(Mesh::is_solid));
    solids
}

/// The number `by` units in the last place away.
fn nudged(x: f64, by: i64) -> f64 {
    let ordered = |bits: i64| if bits < 0 { i64::MIN - bits } else { bits };
    f64::from_bits(ordered(ordered(x.to_bits() as i64) + by) as u64)
}

/// A point at or near a degenerate position.
fn point(random: &mut Random, posed: &Posed<'_>) -> Vec3 {
    let triangle = posed.triangle(random.index(posed.len()) as u32);
    let [p, q, r] = triangle;
    let (s, t) = (random.unit(), random.unit());
    let on = match random.index(4) {
        0 => p,
        1 => p + (q - p) * s,
        2 => p + (q - p) * 0.5,
        _ => p + (q - p) * (s * t) + (r - p) * (1.0 - s),
    };
    let bounds = posed.bounds();
    let kind = random.index(5);
    let mut move_ulps = |x: f64| nudged(x, random.index(7) as i64 - 3);
    match kind {
        0 => on,
        1 => Vec3::new(move_ulps(on.x), move_ulps(on.y), move_ulps(on.z)),
        // The ray passes through a vertex or an edge, or within a few units in the last place.
        2 => Vec3::new(bounds.min.x + (on.x - bounds.min.x) * s, on.y, on.z),
        3 => Vec3::new(bounds.min.x + (on.x - bounds.min.x) * s, move_ulps(on.y), move_ulps(on.z)),
        _ => bounds.min + bounds.extent() * Vec3::new(s, t, random.unit()),
    }
}

/// Poses for a solid of a given size: the identity, rotations, distant positions, and a matrix that
/// is a rotation only within the tolerance.
fn poses(random: &mut Random, size: f64) -> Vec<Pose> {
    let turn = |r: &mut Random, at| Pose::from_quaternion(r.rotation().to_array(), at).unwrap();
    let mut poses = vec![Pose::IDENTITY];
    for far in [0.0, 1.0, 1e3, 1e7, 1e12, 1e15, 1e17] {
        let at = random.in_cube() * (far * size).min(1e59);
        poses.extend([Pose::from_translation(at).unwrap(), turn(random, at)]);
    }
    let mut rows = turn(random, Vec3::splat(size)).to_matrix();
    rows.iter_mut().for_each(|row| row[0] *= 1.0 + 0.4e-9);
    poses.push(Pose::from_matrix(rows).unwrap());
    poses
}

/// The exact test of a point, counted.
struct Counted<'a> {
    count: usize,
    p: Vec3,
    posed: &'a Posed<'a>,
}

impl RayTest for Counted<'_> {
    fn units(&mut self, _: u32) -> u64 {
        1
    }

    fn crossing(&mut self, t: u32) -> Option<i64> {
        self.count += 1;
        ray_crossing(self.p, &self.posed.triangle(t))
    }
}

#[test]
fn tree_and_all_triangles_agree() {
    let mut random = Random::new(1);
    let (mut seen, mut by_tree) = ([0; 3], 0);
    let mut search = RaySearch::default();
    for solid in solids() {
        for size in [1.0, 3e-310, 1e-300, 1e-100, 1e-30, 1e8, 1e30, 1e58] {
            let solid = solid.scaled(size).unwrap();
            let balanced = solid.topology().is_balanced();
            for pose in poses(&mut random, size) {
                let posed = Posed::new(&solid, &pose);
                for _ in 0..40 {
                    let p = point(&mut random, &posed);
                    let expected = location_of(winding_number(p, posed.triangles()), balanced);
                    assert_eq!(locate_posed(p, &posed), expected, "{p} {size} {pose:?}");
                    assert_eq!(locate_at(p, &solid, &pose), expected, "{p} {size} {pose:?}");
                    let mut exact = Counted { count: 0, p, posed: &posed };
                    let ray = RayQuery { pose: &pose, from: p, slack: 0.0, along: RayAxis::FIRST };
                    if search.start(solid.tree(), &ray) {
                        let no_limit = &mut Budget::unlimited();
                        let winding = search.run(solid.tree(), &mut exact, no_limit).unwrap();
                        assert_eq!(location_of(winding, balanced), expected, "{p} {size} {pose:?}");
                        by_tree += 1;
                    }
                    seen[expected as usize] += 1;
                }
            }
        }
    }
    // Without the tree: tiny meshes, and those so far away that their coordinates are coarse.
    assert!(seen.iter().all(|n| *n > 2_000) && by_tree > 25_000, "{seen:?} {by_tree}");
}

#[test]
fn few_triangles_need_the_exact_test() {
    let ball = shapes::icosphere(1.0, 24).unwrap();
    let mut random = Random::new(2);
    let turn = Pose::from_quaternion(random.rotation().to_array(), random.in_cube()).unwrap();
    let posed = Posed::new(&ball, &turn);
    let (mut tested, mut inside) = (0, 0);
    let mut search = RaySearch::default();
    for _ in 0..1_000 {
        let p = turn.transform_point(random.in_cube());
        let mut exact = Counted { count: 0, p, posed: &posed };
        let ray = RayQuery { pose: &turn, from: p, slack: 0.0, along: RayAxis::FIRST };
        assert!(search.start(ball.tree(), &ray));
        let winding = search.run(ball.tree(), &mut exact, &mut Budget::unlimited()).unwrap();
        tested += exact.count;
        inside += usize::from(location_of(winding, true) == Location::Inside);
    }
    assert!((400..700).contains(&inside), "{inside}");
    assert!(tested < 100, "{tested} of {} triangles", ball.triangles().len());
}
