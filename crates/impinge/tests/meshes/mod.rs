//! Random meshes and poses, and what brute force says about them.
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(unreachable_pub, reason = "shared by several test crates")]

use impinge::pair::{Collect, Posed, brute};
use impinge::tree::traverse;
use impinge::{Mesh, Pose, Vec3};

use crate::common::Random;

/// Any turn, and a translation of up to half of `reach` along each axis.
pub fn pose(random: &mut Random, reach: f64) -> Pose {
    let q = [0; 4].map(|_: i32| random.signed());
    Pose::from_quaternion(q, random.point() * (0.5 * reach)).unwrap()
}

/// Triangles that share no corners.
pub fn soup(
    random: &mut Random,
    count: usize,
    mut corner: impl FnMut(&mut Random) -> Vec3,
) -> Mesh {
    let vertices = (0..3 * count).map(|_| corner(random)).collect();
    let triangles = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::from_triangles(vertices, triangles).unwrap()
}

/// The pairs that meet, by brute force, sorted.
pub fn brute_pairs(a: &Mesh, b: &Mesh, pose: &Pose) -> Vec<(u32, u32)> {
    let mut sink = Collect::default();
    brute::traverse(&Posed::new(a, &Pose::IDENTITY), &Posed::new(b, pose), &mut sink);
    sink.into_sorted()
}

/// Compares the meshes' trees with brute force; the number of pairs, or `None` if the trees declined.
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

/// How far one of two triangles must move, at least, until they share at most boundary points: along the separating directions of two triangles.
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
        let (here, there) = (span(p), span(q));
        least.min(here.1 - there.0).min(there.1 - here.0)
    })
}
