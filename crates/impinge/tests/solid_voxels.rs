//! Solids made of unit cubes: how two of them lie to each other can be counted cell by cell, so the exact relation has an oracle
//! that knows nothing of triangles. Everything in them touches, coincides and meets itself: the hardest input there is.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeSet;

use common::{Random, count_from};
use impinge::check::{CheckOptions, Relation, check_pair};
use impinge::{Mesh, Pose, Vec3};

type Cell = [i64; 3];

/// The surface of a set of unit cubes: every face between a full and an empty cell, cut along a random diagonal.
fn surface(cells: &BTreeSet<Cell>, map: impl Fn([f64; 3]) -> Vec3, random: &mut Random) -> Mesh {
    let mut corners: Vec<Cell> = Vec::new();
    let mut triangles = Vec::new();
    for cell in cells {
        for axis in 0..3 {
            for side in 0..2_i64 {
                let mut beyond = *cell;
                beyond[axis] += 2 * side - 1;
                if cells.contains(&beyond) {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut quad = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[i, j]| {
                    let mut corner = *cell;
                    corner[axis] += side;
                    corner[u] += i;
                    corner[v] += j;
                    match corners.iter().position(|c| *c == corner) {
                        Some(at) => at as u32,
                        None => {
                            corners.push(corner);
                            corners.len() as u32 - 1
                        }
                    }
                });
                if side == 0 {
                    quad.reverse();
                }
                quad.rotate_left(random.below(2));
                triangles.push([quad[0], quad[1], quad[2]]);
                triangles.push([quad[0], quad[2], quad[3]]);
            }
        }
    }
    let vertices = corners.iter().map(|c| map(c.map(|x| x as f64))).collect();
    Mesh::from_triangles(vertices, triangles).unwrap()
}

fn blob(random: &mut Random, extent: usize, count: usize) -> BTreeSet<Cell> {
    (0..count).map(|_| [0; 3].map(|_: i64| random.below(extent) as i64)).collect()
}

/// Cells of half the size, moved by an offset in half units.
fn halves(cells: &BTreeSet<Cell>, offset: Cell) -> BTreeSet<Cell> {
    let mut fine = BTreeSet::new();
    for c in cells {
        for i in 0..8 {
            fine.insert([0, 1, 2].map(|k| 2 * c[k] + ((i >> k) & 1) + offset[k]));
        }
    }
    fine
}

fn expected(a: &BTreeSet<Cell>, b: &BTreeSet<Cell>, offset: Cell) -> Relation {
    let (a, b) = (halves(a, [0; 3]), halves(b, offset));
    let both = a.intersection(&b).next().is_some();
    let (only_a, only_b) = (a.difference(&b).next().is_some(), b.difference(&a).next().is_some());
    match (both, only_a, only_b) {
        (true, false, false) => Relation::Duplicate,
        (true, true, false) => Relation::BInsideA,
        (true, false, true) => Relation::AInsideB,
        (true, true, true) => Relation::Crossing,
        (false, ..) => {
            let near = |p: &Cell, q: &Cell| (0..3).all(|k| (p[k] - q[k]).abs() <= 1);
            if a.iter().any(|p| b.iter().any(|q| near(p, q))) {
                Relation::Touching
            } else {
                Relation::Clear
            }
        }
    }
}

fn rounds(default: usize) -> usize {
    count_from("IMPINGE_VOXEL_PAIRS", default)
}

/// Compares the verdict with the count of cells for many pairs of blobs; returns how often each relation came up.
fn compare(seed: u64, count: usize, map: impl Fn([f64; 3]) -> Vec3 + Copy) -> [usize; 6] {
    let mut random = Random(seed);
    let mut seen = [0; 6];
    for round in 0..count {
        let size = 1 + random.below(6);
        let a = blob(&mut random, 3, size);
        let b = match random.below(4) {
            0 => a.iter().copied().filter(|_| random.below(3) > 0).collect(),
            1 => a.union(&blob(&mut random, 3, 2)).copied().collect(),
            _ => {
                let size = 1 + random.below(6);
                blob(&mut random, 3, size)
            }
        };
        if b.is_empty() {
            continue;
        }
        let spread = if random.below(2) == 0 { 1 } else { 9 };
        let offset = [0; 3].map(|_: i64| random.below(spread) as i64 - (spread as i64 / 2));
        let (ma, mb) = (surface(&a, map, &mut random), surface(&b, map, &mut random));
        let shift = map(offset.map(|x| x as f64 / 2.0)) - map([0.0; 3]);
        let pose = Pose::from_translation(shift).unwrap();
        let report = check_pair(&ma, &mb, &pose, &CheckOptions::default());
        let want = expected(&a, &b, offset);
        assert_eq!(
            report.relation, want,
            "seed {seed} round {round}: {a:?} and {b:?} moved by {offset:?} halves"
        );
        assert_eq!(report.witness.is_some(), want.is_collision());
        let back = check_pair(
            &mb,
            &ma,
            &Pose::from_translation(-shift).unwrap(),
            &CheckOptions::default(),
        );
        assert_eq!(back.relation, want.swapped());
        let kind = match want {
            Relation::Clear => 0,
            Relation::Touching => 1,
            Relation::Crossing => 2,
            Relation::AInsideB => 3,
            Relation::BInsideA => 4,
            _ => 5,
        };
        seen[kind] += 1;
    }
    seen
}

#[test]
fn aligned_cubes() {
    let seen = compare(1, rounds(300), Vec3::from);
    assert!(seen.iter().all(|n| *n > 0), "every relation should come up: {seen:?}");
}

#[test]
fn sheared_cubes() {
    // A linear map with small integers keeps everything exact and leaves no face parallel to an axis.
    let shear = |[x, y, z]: [f64; 3]| {
        Vec3::new(3.0 * x + y - z, 2.0 * y + 5.0 * z - x, 4.0 * z + x + 2.0 * y)
    };
    let seen = compare(2, rounds(300), shear);
    assert!(seen.iter().all(|n| *n > 0), "every relation should come up: {seen:?}");
}

#[test]
fn cubes_far_from_the_origin_and_of_unlike_sides() {
    let far = |[x, y, z]: [f64; 3]| Vec3::new(x + 1e15, 0.125 * y - 4096.0, 1024.0 * z + 3.0);
    compare(3, rounds(150), far);
}
