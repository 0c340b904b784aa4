//! Triangulations of polygons, checked in integers: polygons on a small grid are compared with
//! winding numbers.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::collections::HashMap;

use impinge::mesh::triangulate_polygon;
use impinge::{Mesh, Vec3};
use impinge_oracles::common::{Random, count_from};

type Point = [i64; 2];

/// The length of a grid step. All intersections of lines through grid points have integer
/// coordinates, because it is divisible by their denominators, which are at most 18.
const GRID_STEP: i64 = 12_252_240;

fn cross(a: Point, b: Point, c: Point) -> i128 {
    let d = |p: Point, k: usize| i128::from(p[k] - a[k]);
    d(b, 0) * d(c, 1) - d(b, 1) * d(c, 0)
}

/// A point in each part into which all lines through two points of a grid of `size` by `size`
/// divide the grid.
fn parts(size: i64) -> Vec<Point> {
    let grid: Vec<Point> = (0..size * size).map(|i| [i % size, i / size]).collect();
    let gcd = |mut a: i64, mut b: i64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a.abs()
    };
    let mut lines: Vec<[i64; 3]> = Vec::new();
    for a in &grid {
        for b in &grid {
            let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
            if (dy, dx) > (0, 0) && gcd(dx, dy) == 1 {
                // The points p with dx p.y - dy p.x = c.
                lines.push([dx, dy, dx * a[1] - dy * a[0]]);
            }
        }
    }
    lines.sort_unstable();
    lines.dedup();
    let mut rays: Vec<Point> = lines.iter().map(|l| [l[0], l[1]]).collect();
    rays.extend(lines.iter().map(|l| [-l[0], -l[1]]));
    let half = |p: &Point| (p[1] < 0) || (p[1] == 0 && p[0] < 0);
    rays.sort_by(|a, b| half(a).cmp(&half(b)).then((b[0] * a[1] - b[1] * a[0]).cmp(&0)));
    rays.dedup();
    let side = |l: &[i64; 3], p: Point| (l[0] * p[1] - l[1] * p[0] - l[2] * GRID_STEP).signum();
    let mut found: HashMap<Vec<i64>, Point> = HashMap::new();
    for (i, l) in lines.iter().enumerate() {
        for m in &lines[..i] {
            let det = l[0] * m[1] - l[1] * m[0];
            if det == 0 {
                continue;
            }
            assert!(GRID_STEP % det == 0);
            let scale = GRID_STEP / det;
            let at = [(m[0] * l[2] - l[0] * m[2]) * scale, (m[1] * l[2] - l[1] * m[2]) * scale];
            assert!(side(l, at) == 0 && side(m, at) == 0);
            if at.iter().any(|x| *x < 0 || *x > (size - 1) * GRID_STEP) {
                continue;
            }
            for k in 0..rays.len() {
                let (a, b) = (rays[k], rays[(k + 1) % rays.len()]);
                let p = [at[0] + a[0] + b[0], at[1] + a[1] + b[1]];
                let signs: Vec<i64> = lines.iter().map(|l| side(l, p)).collect();
                if !signs.contains(&0) && p.iter().all(|x| *x > 0 && *x < (size - 1) * GRID_STEP) {
                    found.insert(signs, p);
                }
            }
        }
    }
    let mut all: Vec<Point> = found.into_values().collect();
    all.sort_unstable();
    all
}

/// The winding number of a polygon of grid points around a point that is on none of its lines.
fn winding(polygon: &[Point], p: Point) -> i64 {
    let mut sum = 0;
    for i in 0..polygon.len() {
        let (a, b) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        if (a[1] > p[1]) != (b[1] > p[1]) {
            let left = cross(a, b, p) > 0;
            match (b[1] > a[1], left) {
                (true, true) => sum += 1,
                (false, false) => sum -= 1,
                _ => {}
            }
        }
    }
    sum
}

/// Whether two sides cross in their interiors; and whether they do or the polygon crosses a side at
/// a corner.
fn crossings(polygon: &[Point]) -> (bool, bool) {
    let n = polygon.len();
    let at = |i: usize| polygon[i % n];
    let across = |a: Point, b: Point, p: Point, q: Point| {
        cross(a, b, p).signum() * cross(a, b, q).signum() < 0
    };
    let (mut proper, mut passes) = (false, false);
    for i in 0..n {
        for j in 0..n {
            let (a, b, c, d, before) = (at(i), at(i + 1), at(j), at(j + 1), at(j + n - 1));
            proper |= across(a, b, c, d) && across(c, d, a, b);
            let within = cross(a, b, c) == 0 && c != a && c != b && {
                let dot = |p: Point, q: Point| {
                    (0..2).map(|k| i128::from(p[k] - c[k]) * i128::from(q[k] - c[k])).sum::<i128>()
                };
                dot(a, b) < 0
            };
            passes |= within && across(a, b, before, d);
        }
    }
    (proper, passes || proper)
}

/// The number of polygons of each kind.
#[derive(Debug, Default)]
struct Tally {
    clean: usize,
    crossing: usize,
    at_corners: usize,
    cancelling: usize,
    twice: usize,
    flat: usize,
}

/// Checks the triangulation of a polygon. `place` maps grid points to space.
fn check(polygon: &[Point], parts: &[Point], place: impl Fn(Point) -> Vec3, tally: &mut Tally) {
    let n = polygon.len();
    let points: Vec<Vec3> = polygon.iter().map(|p| place(p.map(|x| x / GRID_STEP))).collect();
    let (triangles, clean) = triangulate_polygon(&points);
    assert_eq!(triangles.len(), n - 2);
    for i in 0..n as u32 {
        let side = [i, (i + 1) % n as u32];
        let has = |t: &&[u32; 3]| (0..3).any(|k| [t[k], t[(k + 1) % 3]] == side);
        assert_eq!(triangles.iter().filter(has).count(), 1, "{polygon:?} {triangles:?}");
    }
    let corners: Vec<[Point; 3]> =
        triangles.iter().map(|t| t.map(|i| polygon[i as usize])).collect();
    let flat = (0..n).all(|i| (0..n).all(|j| cross(polygon[0], polygon[i], polygon[j]) == 0));
    if flat {
        assert!(clean, "{polygon:?}");
        tally.flat += 1;
        return;
    }
    let windings: Vec<i64> = parts.iter().map(|p| winding(polygon, *p)).collect();
    let (low, high) = (*windings.iter().min().unwrap(), *windings.iter().max().unwrap());
    let once = (low >= 0 && high <= 1) || (low >= -1 && high <= 0);
    let (proper, passes) = crossings(polygon);
    let what = || {
        format!(
            "{:?} {triangles:?}",
            polygon.iter().map(|p| p.map(|x| x / GRID_STEP)).collect::<Vec<_>>()
        )
    };
    // A polygon is clean if it covers nothing twice and does not cross itself. It may touch itself,
    // and need not be weakly simple.
    assert_eq!(clean, once && !passes, "{}", what());
    let area: i128 = (1..n - 1).map(|i| cross(polygon[0], polygon[i], polygon[i + 1])).sum();
    let total: i128 = corners.iter().map(|t| cross(t[0], t[1], t[2])).sum();
    assert_eq!(area, total, "{}", what());
    let mut cancels = false;
    let one_sense = low >= 0 || high <= 0;
    for (p, w) in parts.iter().zip(&windings) {
        let covers: Vec<i64> = corners.iter().map(|t| winding(t, *p)).filter(|w| *w != 0).collect();
        assert_eq!(covers.iter().sum::<i64>(), *w, "{}", what());
        let as_often = covers.len() as i64 == w.abs();
        assert!(as_often || proper || !one_sense, "{} at {p:?}", what());
        cancels |= !as_often;
    }
    if clean {
        tally.clean += 1;
    } else if proper {
        tally.crossing += 1;
    } else if one_sense {
        tally.twice += 1;
    } else {
        tally.at_corners += 1;
        // In some polygons, loops of opposite senses overlap, and the winding number in the overlap
        // is zero.
        tally.cancelling += usize::from(cancels);
    }
}

fn flat(p: Point) -> Vec3 {
    Vec3::new(p[0] as f64, p[1] as f64, 0.0)
}

#[test]
fn triangles_of_small_polygons_match_winding_numbers() {
    let parts = parts(3);
    // The number in sequence A288187 of the OEIS.
    assert_eq!(parts.len(), 56);
    let grid: Vec<Point> = (0..9).map(|i| [i % 3 * GRID_STEP, i / 3 * GRID_STEP]).collect();
    let mut tally = Tally::default();
    let stride = count_from("IMPINGE_POLYGON_STRIDE", 5);
    for n in 3..=6_u32 {
        for code in (0..9_usize.pow(n - 1)).step_by(if n < 6 { 1 } else { stride }) {
            // The first corner is one of three; the others are symmetric.
            for first in [0, 1, 4] {
                let mut rest = code;
                let mut polygon = vec![grid[first]];
                for _ in 1..n {
                    polygon.push(grid[rest % 9]);
                    rest /= 9;
                }
                check(&polygon, &parts, flat, &mut tally);
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.clean > 1_000 && tally.crossing > 1_000 && tally.at_corners > 500);
    assert!(20 * tally.cancelling < tally.at_corners, "{tally:?}");
    assert!(tally.twice > 100 && tally.flat > 100);
}

#[test]
fn triangles_of_larger_polygons_match_winding_numbers_at_all_scales() {
    let small = parts(4);
    // At least the number of parts between segments of grid points (A288187).
    assert!(small.len() >= 340, "{}", small.len());
    let mut random = Random::new(5);
    let mut tally = Tally::default();
    for case in 0..count_from("IMPINGE_POLYGON_CASES", 6_000) {
        let n = 4 + case % 6;
        let size = 3 + (case / 6 % 2) as i64;
        let polygon: Vec<Point> = (0..n)
            .map(|_| [0; 2].map(|_| random.below(size as usize) as i64 * GRID_STEP))
            .collect();
        // Powers of two keep the polygon exactly planar; the smallest is the smallest number.
        let tiny = f64::from_bits(1);
        let power = |e: i32| 2.0_f64.powi(e);
        let scales = [1.0, tiny, power(-1000), power(-600), power(-300), power(100), power(195)];
        let scale = scales[case / 12 % 7];
        let place = |[x, y]: Point| {
            let (x, y) = (x as f64 * scale, y as f64 * scale);
            match case / 3 % 4 {
                0 => Vec3::new(x, y, 0.0),
                1 => Vec3::new(x - 2.0 * y, 3.0 * y, x + y),
                2 => Vec3::new(2.0 * y, x, 8.0 * scale),
                _ => Vec3::new(-x, 5.0 * x + y, 2.0 * y - x),
            }
        };
        check(&polygon, &small, place, &mut tally);
    }
    assert!(tally.clean > 100 && tally.at_corners > 20 && tally.crossing > 500, "{tally:?}");
}

/// Polygons that cross themselves at a corner that they visit twice.
const CROSSING: [&[[f64; 2]]; 2] = [
    &[[2.0, 2.0], [2.0, 0.0], [0.0, 0.0], [1.0, 2.0], [0.0, 1.0], [0.0, 0.0]],
    &[[-2.0, -2.0], [0.0, 0.0], [1.0, 1.0], [1.0, -1.0], [0.0, 0.0], [-2.0, 2.0]],
];

#[test]
fn polygons_that_cross_at_a_corner_are_reported_and_keep_their_area() {
    for (outline, area) in CROSSING.iter().zip([2.5, 5.0]) {
        let points: Vec<Vec3> = outline.iter().map(|[x, y]| Vec3::new(*x, *y, 7.0)).collect();
        let (triangles, clean) = triangulate_polygon(&points);
        assert!(!clean);
        let surface = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| points[i as usize]);
            (b - a).cross(c - a).length() / 2.0
        };
        assert_eq!(triangles.iter().map(surface).sum::<f64>(), area);
        let corners: Vec<u32> = (0..6).collect();
        let mesh = Mesh::from_polygons(points, [corners]).unwrap();
        assert_eq!(mesh.area(), area);
        assert_eq!(mesh.defects().self_crossing_polygons, [0]);
        assert!(!mesh.defects().is_clean());
    }
    // A square traversed twice has winding number two, without a crossing.
    let square =
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
    let mesh = Mesh::from_polygons(square.to_vec(), [[0, 1, 2, 3, 0, 1, 2, 3]]).unwrap();
    assert_eq!(mesh.defects().self_crossing_polygons, [0]);
    assert!(!triangulate_polygon(&[square, square].concat()).1);
}

#[cfg(feature = "files")]
#[test]
fn files_with_polygons_that_cross_at_a_corner_report_them() {
    use std::fmt::Write;
    for (i, outline) in CROSSING.iter().enumerate() {
        let mut text = String::new();
        for [x, y] in *outline {
            writeln!(text, "v {x} {y} 0").unwrap();
        }
        text.push_str("f 1 2 3 4 5 6\n");
        let path =
            std::env::temp_dir().join(format!("impinge-lobes-{}-{i}.obj", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let mesh = Mesh::load(&path);
        std::fs::remove_file(&path).unwrap();
        let mesh = mesh.unwrap();
        assert_eq!(mesh.defects().self_crossing_polygons, [0]);
        assert_eq!(mesh.area(), [2.5, 5.0][i]);
    }
}

#[test]
fn difficult_polygons_of_4000_corners_are_triangulated() {
    // Corners that repeat a few points thousands of times, and crossing needles.
    let mut random = Random::new(3);
    for size in [3, 40] {
        let mut place = || random.below(size) as f64;
        let points: Vec<Vec3> = (0..4_000).map(|_| Vec3::new(place(), place(), 0.0)).collect();
        let start = std::time::Instant::now();
        let (triangles, clean) = triangulate_polygon(&points);
        assert!(triangles.len() == 3_998 && !clean);
        println!("{size}: {:?}", start.elapsed());
    }
}
