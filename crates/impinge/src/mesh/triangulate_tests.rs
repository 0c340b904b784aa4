//! Tests of ear clipping.

use std::f64::consts::PI;
use std::time::Instant;

use super::*;
use crate::math::Random;

/// A random integer in `0..n`.
fn below(random: &mut Random, n: u64) -> i64 {
    (random.bits() % n) as i64
}

type Point = [i64; 2];

fn cross(a: Point, b: Point, c: Point) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn area(polygon: &[Point]) -> i64 {
    (1..polygon.len() - 1).map(|i| cross(polygon[0], polygon[i], polygon[i + 1])).sum()
}

/// The polygon in each of six placements: three axes, two orientations, in a plane oblique to all
/// axes.
fn placements(polygon: &[Point]) -> Vec<Vec<Vec3>> {
    let at = |p: &Point, k: usize| {
        let (x, y) = (p[0] as f64, p[1] as f64);
        [Vec3::new(x, y, x + y), Vec3::new(y, x - y, x), Vec3::new(y, x, y)][k]
    };
    let mut all = Vec::new();
    for k in 0..3 {
        all.push(polygon.iter().map(|p| at(p, k)).collect::<Vec<_>>());
        all.push(polygon.iter().rev().map(|p| at(p, k)).collect());
    }
    all
}

/// Checks a weakly simple integer polygon: n - 2 triangles, none reversed, areas that add up
/// exactly, no two triangles overlapping (together with the area, they cover exactly the polygon).
/// Returns the number of empty triangles.
fn check(polygon: &[Point]) -> usize {
    for points in placements(polygon) {
        let (triangles, clean) = triangulate_polygon(&points);
        assert!(clean, "{polygon:?}");
        assert_eq!(triangles.len(), polygon.len() - 2);
    }
    let flat: Vec<Vec3> =
        polygon.iter().map(|p| Vec3::new(p[0] as f64, p[1] as f64, 0.0)).collect();
    let (triangles, _) = triangulate_polygon(&flat);
    let corners: Vec<[Point; 3]> =
        triangles.iter().map(|t| t.map(|i| polygon[i as usize])).collect();
    let total = area(polygon);
    assert_ne!(total, 0);
    let mut sum = 0;
    for (t, [a, b, c]) in triangles.iter().zip(&corners) {
        let area = cross(*a, *b, *c);
        assert!(area * total.signum() >= 0, "{t:?} is reversed in {polygon:?}");
        assert!(t[0] < t[1] && t[1] < t[2], "{t:?} is not ascending");
        sum += area;
    }
    assert_eq!(sum, total, "{polygon:?}");
    if corners.len() <= 300 {
        for (i, s) in corners.iter().enumerate() {
            for t in &corners[..i] {
                assert!(!overlap(s, t), "{s:?} {t:?} overlap in {polygon:?}");
            }
        }
    }
    corners.iter().filter(|[a, b, c]| cross(*a, *b, *c) == 0).count()
}

/// Whether the interiors of two triangles overlap: no side of either triangle separates them.
fn overlap(s: &[Point; 3], t: &[Point; 3]) -> bool {
    let turn = |t: &[Point; 3]| cross(t[0], t[1], t[2]).signum();
    if turn(s) == 0 || turn(t) == 0 {
        return false;
    }
    let separates = |s: &[Point; 3], t: &[Point; 3]| {
        (0..3).any(|k| t.iter().all(|p| cross(s[k], s[(k + 1) % 3], *p) * turn(s) <= 0))
    };
    !separates(s, t) && !separates(t, s)
}

#[test]
fn small_shapes() {
    assert_eq!(check(&[[0, 0], [4, 0], [4, 4], [0, 4]]), 0);
    assert_eq!(check(&[[0, 0], [4, 2], [0, 4], [1, 2]]), 0);
    // Straight runs on every side need no empty triangles.
    let square = [[0, 0], [1, 0], [2, 0], [3, 0], [3, 1], [3, 3], [1, 3], [0, 3], [0, 2], [0, 1]];
    assert_eq!(check(&square), 0);
    // A triangle with all extra corners on one side.
    assert_eq!(check(&[[0, 0], [1, 0], [2, 0], [3, 0], [1, 5]]), 0);
    // A repeated corner costs one empty triangle, a spike two.
    assert_eq!(check(&[[0, 0], [4, 0], [4, 0], [4, 4], [0, 4]]), 1);
    assert_eq!(check(&[[0, 0], [4, 0], [6, -2], [4, 0], [4, 4], [0, 4]]), 2);
    // A slit from the outline into the interior.
    assert_eq!(check(&[[0, 0], [4, 0], [2, 2], [4, 0], [4, 4], [0, 4]]), 0);
}

#[test]
fn combs_spirals_and_stairs() {
    for teeth in [1, 2, 5, 40] {
        let mut comb = vec![[0, -1], [2 * teeth, -1]];
        for i in (0..teeth).rev() {
            comb.extend([[2 * i + 2, 0], [2 * i + 1, 9]]);
        }
        comb.push([0, 0]);
        check(&comb);
    }
    for turns in [1, 3, 12] {
        let mut outer = Vec::new();
        let mut inner = Vec::new();
        for k in 0..4 * turns {
            let r = 100 + 20 * k;
            let d = [[1, 1], [-1, 1], [-1, -1], [1, -1]][(k % 4) as usize];
            outer.push([d[0] * (r + 7), d[1] * (r + 7)]);
            inner.push([d[0] * r, d[1] * r]);
        }
        inner.reverse();
        outer.extend(inner);
        assert_eq!(check(&outer), 0);
    }
    let mut stairs = vec![[0, 0], [50, 0]];
    for i in 0..50 {
        stairs.extend([[50 - i, i + 1], [49 - i, i + 1]]);
    }
    check(&stairs);
}

#[test]
fn holes_joined_by_bridges() {
    let outer = [[0, 0], [30, 0], [30, 30], [0, 30]];
    let hole = |x: i64, y: i64, s: i64| [[x, y], [x, y + s], [x + s, y + s], [x + s, y]];
    // One hole whose bridge starts at a corner, also along a diagonal, and holes that touch the
    // outline.
    let with = |h: [Point; 4]| {
        let mut p = outer.to_vec();
        p.push(outer[0]);
        p.extend(h);
        p.push(h[0]);
        p
    };
    for h in [hole(10, 10, 10), hole(5, 9, 3), hole(1, 1, 28), hole(0, 0, 10), hole(20, 2, 1)] {
        check(&with(h));
    }
    // Holes in a row, each joined to the next.
    let mut chain = outer.to_vec();
    chain.push(outer[0]);
    for i in 0..4 {
        chain.extend([[4 + 6 * i, 10], [4 + 6 * i, 14], [8 + 6 * i, 14], [8 + 6 * i, 10]]);
    }
    for i in (0..4).rev() {
        chain.push([4 + 6 * i, 10]);
        if i > 0 {
            chain.push([8 + 6 * (i - 1), 10]);
        }
    }
    check(&chain);
    // Several holes, all joined to the corner (0, 0), in the order of their angles.
    let mut holes: Vec<[Point; 4]> = [(9, 3), (5, 12), (15, 9), (14, 25), (2, 20), (22, 3)]
        .map(|(x, y)| [[x, y], [x, y + 2], [x + 1, y + 2], [x + 1, y]])
        .to_vec();
    holes.sort_by(|a, b| cross([0, 0], b[0], a[0]).cmp(&0));
    let mut fan = outer.to_vec();
    for h in holes.iter().rev() {
        fan.push(outer[0]);
        fan.extend(h);
        fan.push(h[0]);
    }
    check(&fan);
}

/// The outline of a random tree of unit cells on a small grid: a polygon that often touches itself.
fn random_cells(random: &mut Random, cells: usize) -> Vec<Point> {
    let mut inside = std::collections::HashSet::from([[0_i64, 0_i64]]);
    let mut list = vec![[0, 0]];
    while list.len() < cells {
        let at: Point = list[below(random, list.len() as u64) as usize];
        let d = [[1, 0], [0, 1], [-1, 0], [0, -1]][below(random, 4) as usize];
        let new = [at[0] + d[0], at[1] + d[1]];
        let near = [[1, 0], [0, 1], [-1, 0], [0, -1]];
        let touching = near.iter().filter(|d| inside.contains(&[new[0] + d[0], new[1] + d[1]]));
        if !inside.contains(&new) && touching.count() == 1 {
            inside.insert(new);
            list.push(new);
        }
    }
    // Follow the border with the interior on the left, from the bottom of the lowest leftmost cell.
    let first = *list.iter().min_by_key(|c| [c[1], c[0]]).unwrap();
    let (mut at, mut dir) = (first, [1, 0]);
    let mut outline = Vec::new();
    loop {
        outline.push(at);
        at = [at[0] + dir[0], at[1] + dir[1]];
        // The cells in front of the corner, to the right and to the left.
        let cell = |side: Point| {
            let c = [2 * at[0] + dir[0] + side[0], 2 * at[1] + dir[1] + side[1]];
            [(c[0] - 1) / 2, (c[1] - 1) / 2]
        };
        let (left, right) = ([-dir[1], dir[0]], [dir[1], -dir[0]]);
        let has = |c: Point| inside.contains(&c);
        if has(cell(left)) && has(cell(right)) {
            dir = right;
        } else if !has(cell(left)) {
            // At a corner that two cells share only diagonally, stay at the current cell.
            dir = left;
        }
        if at == first && dir == [1, 0] {
            return outline;
        }
    }
}

#[test]
fn random_polygons_of_grid_cells() {
    let mut random = Random::new(5);
    for round in 0..300 {
        let polygon = random_cells(&mut random, 2 + round % 60);
        check(&polygon);
    }
}

#[test]
fn random_star_shaped_polygons() {
    let mut random = Random::new(9);
    for round in 0..200 {
        let n = 3 + round % 50;
        let mut points: Vec<Point> = (0..n)
            .map(|_| [below(&mut random, 2001) - 1000, below(&mut random, 2001) - 1000])
            .filter(|p| *p != [0, 0])
            .collect();
        let half = |p: &Point| i64::from(p[1] < 0 || (p[1] == 0 && p[0] < 0));
        let order = |a: &Point, b: &Point| {
            half(a).cmp(&half(b)).then_with(|| cross([0, 0], *b, *a).cmp(&0))
        };
        points.sort_by(order);
        points.dedup_by(|a, b| order(a, b).is_eq());
        let m = points.len();
        let wide = (0..m).any(|i| cross([0, 0], points[i], points[(i + 1) % m]) <= 0);
        if m >= 3 && !wide {
            check(&points);
        }
    }
}

#[test]
fn self_crossing_and_degenerate_polygons_give_n_minus_2_triangles() {
    let check = |points: &[Vec3], expected: bool| {
        let (triangles, clean) = triangulate_polygon(points);
        assert_eq!(triangles.len(), points.len() - 2);
        assert_eq!(clean, expected, "{points:?}");
        let again = triangulate_polygon(points);
        assert_eq!(again.0, triangles);
        // Every side of the polygon is a side of exactly one triangle, for any shape.
        let n = points.len() as u32;
        for i in 0..n {
            let j = (i + 1) % n;
            let has = |t: &&[u32; 3]| (0..3).any(|k| [t[k], t[(k + 1) % 3]] == [i, j]);
            assert_eq!(triangles.iter().filter(has).count(), 1);
        }
    };
    let flat = |p: &[[f64; 2]]| p.iter().map(|[x, y]| Vec3::new(*x, *y, 1.0)).collect::<Vec<_>>();
    check(&flat(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), false);
    check(&flat(&[[0.0, 0.0], [3.0, 3.0], [3.0, 0.0], [0.0, 1.0]]), false);
    check(&[Vec3::ONE; 7], true);
    check(&flat(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [5.0, 0.0], [3.0, 0.0]]), true);
    let mut random = Random::new(21);
    for n in 4..60 {
        let points: Vec<Vec3> =
            (0..n).map(|_| Vec3::from([0; 3].map(|_| below(&mut random, 7) as f64))).collect();
        let (triangles, _) = triangulate_polygon(&points);
        assert_eq!(triangles.len(), n - 2);
    }
    for bad in [f64::NAN, f64::INFINITY] {
        let points = [Vec3::ZERO, Vec3::X, Vec3::splat(bad), Vec3::Y, Vec3::ONE];
        assert_eq!(triangulate_polygon(&points).0.len(), 3);
    }
    assert_eq!(triangulate_polygon(&[Vec3::ZERO; 2]).0.len(), 0);
}

#[test]
fn large_polygons_do_not_take_quadratic_time() {
    let n = 100_000;
    let turn = |i: usize, r: f64, laps: f64| {
        let angle = 2.0 * PI * laps * i as f64 / n as f64;
        Vec3::new(r * angle.cos(), r * angle.sin(), 0.0)
    };
    let star: Vec<Vec3> =
        (0..n).map(|i| turn(i, if i % 2 == 0 { 1.0 } else { 0.3 }, 1.0)).collect();
    let half = n / 2;
    let arm = |i: usize, off: f64| turn(2 * i, 1.0 + off + 40.0 * i as f64 / half as f64, 20.0);
    let spiral: Vec<Vec3> =
        (0..half).map(|i| arm(i, 0.5)).chain((0..half).rev().map(|i| arm(i, 0.0))).collect();
    let comb: Vec<Vec3> = (0..n - 2)
        .rev()
        .map(|i| Vec3::new(i as f64, if i % 2 == 0 { 0.0 } else { 1e5 }, 0.0))
        .chain([Vec3::new(0.0, -1.0, 0.0), Vec3::new(n as f64, -1.0, 0.0)])
        .collect();
    let mut random = Random::new(1);
    let jagged: Vec<Vec3> =
        (0..n).map(|i| turn(i, 0.1 + below(&mut random, 1000) as f64 / 1000.0, 1.0)).collect();
    for (name, points) in [("star", star), ("spiral", spiral), ("comb", comb), ("jagged", jagged)] {
        let start = Instant::now();
        let corners: Vec<u32> = (0..n as u32).collect();
        let mut triangles = Vec::new();
        let clean = Triangulator::default().triangulate(&points, &corners, &mut triangles);
        println!("{name} of {n} corners: {:?}", start.elapsed());
        assert!(clean, "{name}");
        assert_eq!(triangles.len(), n - 2);
    }
}
