//! Solids of unit cubes: the exact relation of two of them follows from their sets of cells, an
//! oracle that does not use triangles. Most of their features touch or coincide, which makes them
//! difficult input.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;

use impinge::check::{CheckOptions, Relation, check_pair};
use impinge::exact::HitKind;
use impinge::{Mesh, Pose, Vec3};
use impinge_oracles::common::{Random, count_from};

type Cell = [i64; 3];

/// The surface of a set of unit cubes: every face between a full and an empty cell, split along a
/// random diagonal.
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

/// A random set of at most `count` cells.
fn random_cells(random: &mut Random, extent: usize, count: usize) -> BTreeSet<Cell> {
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
    let (in_a_only, in_b_only) =
        (a.difference(&b).next().is_some(), b.difference(&a).next().is_some());
    match (both, in_a_only, in_b_only) {
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

/// Compares the relation with that of the cells for many pairs of random sets. Returns the number
/// of pairs with each relation.
fn compare(seed: u64, count: usize, map: impl Fn([f64; 3]) -> Vec3 + Copy) -> [usize; 6] {
    let mut random = Random::new(seed);
    let mut seen = [0; 6];
    for round in 0..count {
        let size = 1 + random.below(6);
        let a = random_cells(&mut random, 3, size);
        let b = match random.below(4) {
            0 => a.iter().copied().filter(|_| random.below(3) > 0).collect(),
            1 => a.union(&random_cells(&mut random, 3, 2)).copied().collect(),
            _ => {
                let size = 1 + random.below(6);
                random_cells(&mut random, 3, size)
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
        assert_eq!(report.point.is_some(), want.is_collision());
        let short = CheckOptions::default().relation_only(true);
        let report = check_pair(&ma, &mb, &pose, &short);
        assert_eq!((report.relation, report.point.is_some()), (want, want.is_collision()));
        let back = check_pair(
            &mb,
            &ma,
            &Pose::from_translation(-shift).unwrap(),
            &CheckOptions::default(),
        );
        assert_eq!(back.relation, want.swapped());
        let back = check_pair(&mb, &ma, &Pose::from_translation(-shift).unwrap(), &short);
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
fn relations_of_aligned_cubes_match_cells() {
    let seen = compare(1, rounds(300), Vec3::from);
    assert!(seen.iter().all(|n| *n > 0), "every relation must occur: {seen:?}");
}

#[test]
fn relations_of_sheared_cubes_match_cells() {
    // A linear map with small integers is exact, and no face is parallel to an axis.
    let shear = |[x, y, z]: [f64; 3]| {
        Vec3::new(3.0 * x + y - z, 2.0 * y + 5.0 * z - x, 4.0 * z + x + 2.0 * y)
    };
    let seen = compare(2, rounds(300), shear);
    assert!(seen.iter().all(|n| *n > 0), "every relation must occur: {seen:?}");
}

#[test]
fn relations_of_stretched_cubes_far_from_the_origin_match_cells() {
    let far = |[x, y, z]: [f64; 3]| Vec3::new(x + 1e15, 0.125 * y - 4096.0, 1024.0 * z + 3.0);
    compare(3, rounds(150), far);
}

/// Boxes merged into one mesh, each a separate shell, some inverted: they overlap, nest, coincide
/// and cancel. The solid consists of the cells with a winding number other than zero. `None` if a
/// wall separates two empty cells, which the cells do not represent.
fn merged_boxes(
    random: &mut Random,
    map: impl Fn([f64; 3]) -> Vec3,
) -> Option<(BTreeSet<Cell>, Mesh)> {
    const EXTENT: i64 = 4;
    let mut winding = std::collections::BTreeMap::<Cell, i64>::new();
    let mut boxes = Vec::new();
    let mut shells = Vec::new();
    for i in 0..1 + random.below(4) {
        let low = [0; 3].map(|_: i64| random.below(EXTENT as usize - 1) as i64);
        let high = low.map(|l| l + 1 + random.below((EXTENT - l) as usize) as i64);
        let sign = if i > 0 && random.below(3) == 0 { -1 } else { 1 };
        for (x, y, z) in all(low, high) {
            *winding.entry([x, y, z]).or_default() += sign;
        }
        let size = [0, 1, 2].map(|k| (high[k] - low[k]) as f64);
        let one = BTreeSet::from([[0; 3]]);
        let start = low.map(|x| x as f64);
        let place = |p: [f64; 3]| map([0, 1, 2].map(|k| start[k] + p[k] * size[k]));
        let shell = surface(&one, place, random);
        shells.push(if sign < 0 { shell.flipped() } else { shell });
        boxes.push((low, high));
    }
    let is_solid = |c: Cell| winding.get(&c).copied().unwrap_or_default() != 0;
    for (low, high) in boxes {
        for (x, y, z) in all(low, high) {
            for k in 0..3 {
                let c = [x, y, z];
                for (at_wall, step) in [(c[k] == low[k], -1), (c[k] + 1 == high[k], 1)] {
                    let mut beyond = c;
                    beyond[k] += step;
                    if at_wall && !is_solid(c) && !is_solid(beyond) {
                        return None;
                    }
                }
            }
        }
    }
    let cells = winding.iter().filter(|(_, w)| **w != 0).map(|(c, _)| *c).collect();
    Some((cells, Mesh::merged(&shells).unwrap()))
}

fn all(low: Cell, high: Cell) -> impl Iterator<Item = (i64, i64, i64)> {
    (low[0]..high[0]).flat_map(move |x| {
        (low[1]..high[1]).flat_map(move |y| (low[2]..high[2]).map(move |z| (x, y, z)))
    })
}

#[test]
fn overlapping_shells_are_solid_where_the_winding_number_is_not_zero() {
    let shear = |[x, y, z]: [f64; 3]| {
        Vec3::new(3.0 * x + y - z, 2.0 * y + 5.0 * z - x, 4.0 * z + x + 2.0 * y)
    };
    let maps: [fn([f64; 3]) -> Vec3; 2] = [Vec3::from, shear];
    let mut random = Random::new(4);
    let (mut compared, mut collisions) = (0, 0);
    for round in 0..rounds(600) {
        let map = maps[round % 2];
        let solids = [merged_boxes(&mut random, map), merged_boxes(&mut random, map)];
        let [Some((a, ma)), Some((b, mb))] = solids else { continue };
        let offset = [0; 3].map(|_: i64| random.below(9) as i64 - 4);
        let pose = Pose::from_translation(map(offset.map(|x| x as f64 / 2.0))).unwrap();
        let options = CheckOptions::default().keep_hits(true);
        let report = check_pair(&ma, &mb, &pose, &options);
        if report.hits.iter().any(|h| h.kind == HitKind::Crossing) {
            assert_eq!(report.relation, Relation::Crossing);
            continue;
        }
        let want = expected(&a, &b, offset);
        assert_eq!(
            report.relation, want,
            "round {round}: {a:?} and {b:?} moved by {offset:?} halves"
        );
        compared += 1;
        collisions += usize::from(want.is_collision());
    }
    assert!(compared > 40 && collisions > 30, "{compared} compared, {collisions} collisions");
}
