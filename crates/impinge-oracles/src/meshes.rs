//! Random meshes and poses, and brute-force results for them.

use impinge::internals::pair::{Posed, brute};
use impinge::internals::tree::traverse;
use impinge::pair::Collect;
use impinge::{Mesh, Pose, Vec3, shapes};

use crate::common::Random;

/// A rotated star with long, thin sides: the axes of the tree are not those of the mesh.
pub fn tilted_star() -> Mesh {
    let rotation = Pose::from_axis_angle([1.0, 2.0, 3.0], 0.7).unwrap();
    shapes::star_prism(9, 1.0, 0.7, 1.5).unwrap().transformed(&rotation)
}

/// A random rotation, and a translation of up to half of `reach` along each axis.
pub fn pose(random: &mut Random, reach: f64) -> Pose {
    let q = [0; 4].map(|_: i32| random.signed());
    Pose::from_quaternion(q, random.point() * (0.5 * reach)).unwrap()
}

/// Random triangles that share no corners.
pub fn soup(
    random: &mut Random,
    count: usize,
    mut corner: impl FnMut(&mut Random) -> Vec3,
) -> Mesh {
    let vertices = (0..3 * count).map(|_| corner(random)).collect();
    let triangles = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::from_triangles(vertices, triangles).unwrap()
}

/// The sorted intersecting pairs, by brute force.
pub fn brute_pairs(a: &Mesh, b: &Mesh, pose: &Pose) -> Vec<(u32, u32)> {
    let mut sink = Collect::default();
    brute::traverse(&Posed::new(a, &Pose::IDENTITY), &Posed::new(b, pose), &mut sink);
    sink.into_sorted()
}

/// Compares the trees of the meshes with brute force. Returns the number of pairs, or `None` if the
/// trees are not applicable.
#[track_caller]
pub fn compare_trees(a: &Mesh, b: &Mesh, pose: &Pose) -> Option<usize> {
    let mut found = Collect::default();
    if !traverse((a, a.tree()), (b, b.tree()), pose, &mut found) {
        return None;
    }
    let expected = brute_pairs(a, b, pose);
    assert_eq!(found.into_sorted(), expected);
    Some(expected.len())
}

/// The minimum distance that one of two triangles must move until they share at most boundary
/// points, over the separating directions of two triangles.
pub fn depth(p: &[Vec3; 3], q: &[Vec3; 3]) -> f64 {
    let edges = |t: &[Vec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let normal = |t: &[Vec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]);
    let mut directions = vec![normal(p), normal(q)];
    for e in edges(p) {
        directions.extend(edges(q).iter().map(|f| e.cross(*f)));
    }
    directions.iter().filter_map(|d| d.try_normalize()).fold(f64::INFINITY, |least, d| {
        let span = |t: &[Vec3; 3]| {
            let heights = t.map(|v| d.dot(v));
            (
                heights.iter().fold(f64::INFINITY, |m, x| m.min(*x)),
                heights.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x)),
            )
        };
        let (range_p, range_q) = (span(p), span(q));
        least.min(range_p.1 - range_q.0).min(range_q.1 - range_p.0)
    })
}

/// Soups of various sizes with corners on a grid, where most triangles touch, coincide or have zero
/// area.
pub fn grid_soups(rounds: usize, mut each: impl FnMut(&Mesh, &Mesh, &Pose)) {
    let mut random = Random::new(3);
    for round in 0..rounds {
        let (n, m) = (1 + round % 41, 1 + (round * 7) % 30);
        let a = soup(&mut random, n, |r| (r.unit_point() * 5.0).floor());
        let b = soup(&mut random, m, |r| (r.unit_point() * 5.0).floor());
        let place = if round % 2 == 0 {
            Pose::from_translation((random.unit_point() * 4.0).floor()).unwrap()
        } else {
            pose(&mut random, 5.0)
        };
        each(&a, &b, &place);
    }
}

/// Thin triangles of all sizes.
pub fn needles(rounds: usize, mut each: impl FnMut(&Mesh, &Mesh, &Pose)) {
    let mut random = Random::new(4);
    for _ in 0..rounds {
        let mut corner = |r: &mut Random| {
            let scale = 10.0_f64.powf(-4.0 * r.unit());
            (r.unit_point() - Vec3::splat(0.5)) * scale * Vec3::new(1.0, 1.0, 1e-3)
        };
        let (a, b) = (soup(&mut random, 40, &mut corner), soup(&mut random, 40, &mut corner));
        each(&a, &b, &pose(&mut random, 0.2));
    }
}

/// Small triangles far from the origin, where moving them has large rounding errors: sizes from one
/// down to `10^(1 - sizes)`.
pub fn far_soups(
    rounds: usize,
    sizes: usize,
    count: usize,
    mut each: impl FnMut(&Mesh, &Mesh, &Pose),
) {
    let mut random = Random::new(12);
    for round in 0..rounds {
        let size = 10.0_f64.powi(-((round % sizes) as i32));
        let away = (random.unit_point() - Vec3::splat(0.5)) * 1e8;
        let corner = |r: &mut Random| (r.unit_point() - Vec3::splat(0.5)) * size;
        let a = soup(&mut random, count, |r| corner(r) + away);
        let b = soup(&mut random, count, corner);
        let q = [0; 4].map(|_: i32| random.signed());
        each(&a, &b, &Pose::from_quaternion(q, away + Vec3::splat(0.1 * size)).unwrap());
    }
}

/// Triangles of various sizes and orientations about one centre.
pub fn star(random: &mut Random, count: usize) -> Mesh {
    let triangles: Vec<[Vec3; 3]> = (0..count)
        .map(|_| {
            let (p, q) =
                (random.unit_point() - Vec3::splat(0.5), random.unit_point() - Vec3::splat(0.5));
            [p, q, -p - q]
        })
        .collect();
    Mesh::from_soup(&triangles).unwrap()
}
