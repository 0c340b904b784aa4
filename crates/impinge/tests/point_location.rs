//! Point location in polygons and polyhedra, compared with integer arithmetic and with each other.

use impinge::Vec3;
use impinge::exact::{Location, point_in_convex_polygon, point_in_polygon};
use impinge::internals::exact::{
    OneShotCounts, locate_point, point_in_convex_polygon_counted, point_in_polygon_counted,
    point_on_triangle, winding_number,
};
use impinge_oracles::points::{
    Frame, Int3, Random, cases, cross, dot, point_segment, point_triangle, sub,
};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// The exact location by a ray in a random direction. The direction is drawn again if the ray meets
/// a vertex.
fn polygon_oracle(q: [f64; 2], polygon: &[[f64; 2]], random: &mut Random) -> Location {
    let lift = |[x, y]: [f64; 2]| Vec3::new(x, y, 0.0);
    let mut all: Vec<Vec3> = polygon.iter().map(|&p| lift(p)).collect();
    all.push(lift(q));
    let frame = Frame::of(&all);
    let q = frame.point(lift(q));
    let points: Vec<Int3> = polygon.iter().map(|&p| frame.point(lift(p))).collect();
    let n = points.len();
    if (0..n).any(|i| point_segment(&q, [&points[i], &points[(i + 1) % n]]).is_zero()) {
        return Location::Boundary;
    }
    let turn = |a: &Int3, b: &Int3| &a[0] * &b[1] - &a[1] * &b[0];
    'draw: loop {
        let d = [random.grid(1000), random.grid(1000)].map(|x| BigInt::from(x as i64));
        let d = [d[0].clone(), d[1].clone(), BigInt::ZERO];
        let sides: Vec<BigInt> = points.iter().map(|p| turn(&d, &sub(p, &q))).collect();
        if sides.iter().any(Zero::is_zero) {
            continue 'draw;
        }
        let mut inside = false;
        for i in 0..n {
            let j = (i + 1) % n;
            if sides[i].is_positive() == sides[j].is_positive() {
                continue;
            }
            // The edge crosses the line of the ray. It crosses the ray if q is on the right side of
            // the edge.
            let side = turn(&sub(&points[j], &points[i]), &sub(&q, &points[i]));
            inside ^= side.is_positive() == sides[j].is_positive();
        }
        return if inside { Location::Inside } else { Location::Outside };
    }
}

#[test]
fn grid_polygons_match_the_oracle() {
    let mut random = Random::new(1);
    let mut seen = [0; 3];
    for _ in 0..cases(20_000) {
        let n = random.below(9);
        let polygon: Vec<[f64; 2]> = (0..n).map(|_| [random.grid(3), random.grid(3)]).collect();
        let q = [random.grid(3), random.grid(3)];
        let location = point_in_polygon(q, &polygon);
        seen[location as usize] += 1;
        assert_eq!(location, polygon_oracle(q, &polygon, &mut random), "{q:?} in {polygon:?}");
    }
    assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
}

#[test]
fn points_next_to_edges_match_the_oracle() {
    let mut random = Random::new(2);
    for _ in 0..cases(5_000) {
        let n = 3 + random.below(6);
        let polygon: Vec<[f64; 2]> = (0..n).map(|_| [random.signed(), random.signed()]).collect();
        let (p, r) = (polygon[0], polygon[1]);
        let t = random.signed().abs();
        // On the edge, up to rounding.
        let q = [p[0] + t * (r[0] - p[0]), p[1] + t * (r[1] - p[1])];
        let expected = polygon_oracle(q, &polygon, &mut random);
        assert_eq!(point_in_polygon(q, &polygon), expected, "{q:?} in {polygon:?}");
    }
}

#[test]
fn counters_cover_all_edges_and_do_not_change_the_answer() {
    let mut random = Random::new(3);
    let mut counts = OneShotCounts::default();
    let mut edges = 0;
    for _ in 0..2_000 {
        let polygon: Vec<[f64; 2]> = (0..8).map(|_| [random.signed(), random.signed()]).collect();
        let q = [random.signed(), random.signed()];
        let location = point_in_polygon_counted(q, &polygon, &mut counts);
        assert_eq!(location, point_in_polygon(q, &polygon));
        assert_ne!(location, Location::Boundary);
        edges += 8;
    }
    assert_eq!(counts.edges(), edges);
    assert!(counts.pre_checks.iter().all(|&count| count > 0), "{counts:?}");
    assert!(counts.remaining > 0 && counts.remaining * 4 < edges, "{counts:?}");
}

/// The convex hull of grid points in integers, counter-clockwise. With `keep_collinear`, it
/// includes the points on its sides.
fn hull(mut points: Vec<[i64; 2]>, keep_collinear: bool) -> Vec<[i64; 2]> {
    points.sort_unstable();
    points.dedup();
    let turn = |a: [i64; 2], b: [i64; 2], c: [i64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let mut chain = |reverse: bool| {
        if reverse {
            points.reverse();
        }
        let mut out: Vec<[i64; 2]> = Vec::new();
        for &p in &points {
            while out.len() >= 2 {
                let t = turn(out[out.len() - 2], out[out.len() - 1], p);
                if t < 0 || (t == 0 && !keep_collinear) {
                    out.pop();
                } else {
                    break;
                }
            }
            out.push(p);
        }
        out
    };
    let mut lower = chain(false);
    let upper = chain(true);
    if lower.len() > 1 {
        lower.pop();
        lower.extend_from_slice(&upper[..upper.len() - 1]);
    }
    lower
}

#[test]
fn convex_grid_polygons_match_the_general_test() {
    let mut random = Random::new(4);
    let mut seen = [0; 3];
    for case in 0..cases(20_000) {
        let size = 1 + random.below(4) as i32;
        let points = (0..1 + random.below(14))
            .map(|_| [random.grid(size) as i64, random.grid(size) as i64])
            .collect();
        let mut polygon = hull(points, case % 2 == 0);
        // Repeated vertices, a different first vertex, the opposite orientation.
        for _ in 0..random.below(4) {
            let i = random.below(polygon.len());
            for _ in 0..1 + random.below(5) {
                polygon.insert(i, polygon[i]);
            }
        }
        let shift = random.below(polygon.len());
        polygon.rotate_left(shift);
        if random.below(2) == 0 {
            polygon.reverse();
        }
        let polygon: Vec<[f64; 2]> = polygon.iter().map(|p| p.map(|x| x as f64)).collect();
        for _ in 0..8 {
            let q = [random.grid(2 * size + 1) / 2.0, random.grid(2 * size + 1) / 2.0];
            let expected = point_in_polygon(q, &polygon);
            seen[expected as usize] += 1;
            assert_eq!(point_in_convex_polygon(q, &polygon), expected, "{q:?} in {polygon:?}");
        }
    }
    assert!(seen.iter().all(|&count| count > 1000), "{seen:?}");
    assert_eq!(point_in_convex_polygon([0.0, 0.0], &[]), Location::Outside);
}

#[test]
fn large_convex_polygons_are_searched_in_logarithmic_time() {
    let mut random = Random::new(5);
    for n in [3usize, 10, 100, 1_000, 10_000] {
        // Vertices on a parabola and its chord are exactly convex: (i, i^2).
        let mut polygon: Vec<[f64; 2]> = (0..n as i64)
            .map(|i| {
                let x = 2 * i - n as i64;
                [x as f64, (x * x) as f64]
            })
            .collect();
        // Or sheared, so that the chain also has vertical and decreasing parts.
        if n % 100 == 0 {
            for p in &mut polygon {
                *p = [p[1] - p[0], p[0] * 3.0 + p[1]];
            }
        }
        for round in 0..400 {
            polygon.rotate_left(1 + random.below(n - 1));
            if round % 2 == 0 {
                polygon.reverse();
            }
            let (p, r) = (polygon[random.below(n)], polygon[random.below(n)]);
            let q = match round % 4 {
                0 => p,
                1 => [p[0], r[1]],
                2 => [(p[0] + r[0]) / 2.0, (p[1] + r[1]) / 2.0],
                _ => [p[0] + random.grid(2), p[1] + random.grid(2)],
            };
            let mut visited = 0;
            let location = point_in_convex_polygon_counted(q, &polygon, &mut visited);
            assert_eq!(location, point_in_polygon(q, &polygon), "{q:?}, n = {n}");
            let limit = 12.0 * (n as f64).log2() + 20.0;
            assert!(visited as f64 <= limit, "{visited} vertices of {n}");
        }
    }
}

/// The exact location by a ray in a random direction. The direction is drawn again if it is
/// singular.
fn solid_oracle(q: Vec3, triangles: &[[Vec3; 3]], random: &mut Random) -> Location {
    let mut all: Vec<Vec3> = triangles.iter().flatten().copied().collect();
    all.push(q);
    let frame = Frame::of(&all);
    let q = frame.point(q);
    let triangles: Vec<[Int3; 3]> = triangles.iter().map(|t| frame.points(t)).collect();
    if triangles.iter().any(|t| point_triangle(&q, t).is_zero()) {
        return Location::Boundary;
    }
    'draw: loop {
        let d = random.grid_point(1000).to_array().map(|x| BigInt::from(x as i64));
        let mut inside = false;
        for t in &triangles {
            let r = [0, 1, 2].map(|i| sub(&t[i], &q));
            let sides = [0, 1, 2].map(|i| dot(&d, &cross(&r[i], &r[(i + 1) % 3])));
            let n = cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]));
            if n.iter().all(Zero::is_zero) {
                continue;
            }
            let height = dot(&r[0], &n);
            if height.is_zero() && !dot(&d, &n).is_zero() {
                // The ray leaves the triangle's plane at q, which is not on the triangle.
                continue;
            }
            if sides.iter().any(Zero::is_zero) {
                continue 'draw;
            }
            let pierced =
                sides.iter().all(Signed::is_positive) || sides.iter().all(Signed::is_negative);
            if pierced {
                // The triangle is ahead if the plane's height over q and the direction's component
                // along the normal have the same sign.
                let ahead = height * dot(&d, &n);
                inside ^= ahead.is_positive();
            }
        }
        return if inside { Location::Inside } else { Location::Outside };
    }
}

/// The closed surface of unit cubes of the integer grid, without faces between two of them. Each
/// quad is split along a random diagonal, and triangles have random orientation.
fn voxels(cells: &[[i32; 3]], random: &mut Random) -> Vec<[Vec3; 3]> {
    let mut triangles = Vec::new();
    for &cell in cells {
        for axis in 0..3 {
            for side in 0..2 {
                let mut neighbour = cell;
                neighbour[axis] += 2 * side - 1;
                if cells.contains(&neighbour) {
                    continue;
                }
                let corner = |u: i32, v: i32| {
                    let mut p = cell;
                    p[axis] += side;
                    p[(axis + 1) % 3] += u;
                    p[(axis + 2) % 3] += v;
                    Vec3::from(p.map(f64::from))
                };
                let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                if random.below(2) == 0 {
                    quad.rotate_left(1);
                }
                for mut t in [[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]] {
                    if random.below(2) == 0 {
                        t.swap(0, 1);
                    }
                    triangles.push(t);
                }
            }
        }
    }
    triangles
}

/// The four faces of a tetrahedron, outward if `p` is positively oriented.
fn tetrahedron(p: [Vec3; 4]) -> [[Vec3; 3]; 4] {
    [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|t| t.map(|i| p[i]))
}

#[test]
fn points_in_solids_of_grid_cubes_match_cell_counts() {
    let mut random = Random::new(6);
    for _ in 0..cases(60) {
        let mut cells: Vec<[i32; 3]> =
            (0..1 + random.below(8)).map(|_| [0; 3].map(|_| random.below(3) as i32)).collect();
        cells.sort_unstable();
        cells.dedup();
        let triangles = voxels(&cells, &mut random);
        // Half-integer points: every ray along an axis is singular or runs in a plane of diagonals.
        for x in -1..=7 {
            for y in -1..=7 {
                for z in -1..=7 {
                    let twice = [x, y, z];
                    let q = Vec3::from(twice.map(f64::from)) / 2.0;
                    let holds = |cell: &[i32; 3]| {
                        (0..3).all(|i| 2 * cell[i] <= twice[i] && twice[i] <= 2 * cell[i] + 2)
                    };
                    // The point is inside if all cells around it are filled, outside if none is.
                    let around: Vec<[i32; 3]> = (0..8)
                        .map(|corner| {
                            [0, 1, 2].map(|i| (twice[i] - (corner >> i & 1)).div_euclid(2))
                        })
                        .collect();
                    let filled = around.iter().filter(|cell| cells.contains(cell)).count();
                    let expected = match filled {
                        8 => Location::Inside,
                        0 => Location::Outside,
                        _ => Location::Boundary,
                    };
                    assert_eq!(filled > 0, cells.iter().any(holds));
                    assert_eq!(
                        locate_point(q, triangles.iter().copied()),
                        expected,
                        "{q} in {cells:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn points_in_overlapping_grid_tetrahedra_match_the_oracle() {
    // Overlapping tetrahedra, also of zero volume, form a closed surface: parity is defined
    // although the surface intersects itself.
    let mut random = Random::new(7);
    let mut seen = [0; 3];
    for _ in 0..cases(1_500) {
        let mut triangles = Vec::new();
        for _ in 0..1 + random.below(3) {
            triangles.extend(tetrahedron([0; 4].map(|_| random.grid_point(3))));
        }
        for triangle in &mut triangles {
            let turn = random.below(3);
            triangle.rotate_left(turn);
            if random.below(2) == 0 {
                triangle.swap(0, 2);
            }
        }
        let q = random.grid_point(1);
        let expected = solid_oracle(q, &triangles, &mut random);
        seen[expected as usize] += 1;
        assert_eq!(locate_point(q, triangles.iter().copied()), expected, "{q} in {triangles:?}");
        let far = Vec3::new(1e6, -3e7, 1e5);
        let moved: Vec<_> = triangles.iter().map(|t| t.map(|p| p + far)).collect();
        assert_eq!(locate_point(q + far, moved), expected);
    }
    assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
}

#[test]
fn points_next_to_faces_match_the_oracle() {
    let mut random = Random::new(8);
    for _ in 0..cases(1_000) {
        let p = [0; 4].map(|_| random.point());
        let triangles = tetrahedron(p);
        let (s, t) = (random.signed().abs() / 2.0, random.signed().abs() / 2.0);
        let q = p[1] + (p[2] - p[1]) * s + (p[3] - p[1]) * t;
        let expected = solid_oracle(q, &triangles, &mut random);
        assert_eq!(locate_point(q, triangles), expected, "{q} in {p:?}");
        for triangle in &triangles {
            let frame = Frame::of(&[triangle[0], triangle[1], triangle[2], q]);
            let on = point_triangle(&frame.point(q), &frame.points(triangle)).is_zero();
            assert_eq!(point_on_triangle(q, triangle), on);
        }
    }
}

#[test]
fn winding_numbers_count_nested_shells() {
    let mut random = Random::new(9);
    let shell = |size: f64| {
        let p = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|p| (p * 4.0 - Vec3::ONE) * size);
        tetrahedron(p)
    };
    for _ in 0..500 {
        let q = random.grid_point(9);
        let depth = [1.0, 2.0, 3.0].iter().filter(|&&s| {
            // Inside of the tetrahedron of size s: all coordinates above -s, and their sum below s.
            q.min_element() > -s && q.element_sum() < s
        });
        let depth = depth.count() as i64;
        let nested: Vec<_> = [1.0, 2.0, 3.0].into_iter().flat_map(shell).collect();
        let parity = if depth % 2 == 1 { Location::Inside } else { Location::Outside };
        let Some(winding) = winding_number(q, nested.iter().copied()) else {
            assert_eq!(locate_point(q, nested), Location::Boundary);
            continue;
        };
        assert_eq!(winding, depth, "{q}");
        assert_eq!(locate_point(q, nested.iter().copied()), parity);
        let inverted = nested.iter().map(|&[a, b, c]| [a, c, b]);
        assert_eq!(winding_number(q, inverted), Some(-depth));
    }
}

#[test]
fn degenerate_triangles_contain_only_their_segment_or_point() {
    let segment = [Vec3::ZERO, Vec3::splat(3.0), Vec3::splat(1.0)];
    for (q, on) in [
        (Vec3::splat(2.0), true),
        (Vec3::splat(3.0), true),
        (Vec3::splat(3.5), false),
        (Vec3::new(2.0, 2.0, 1.0), false),
        (Vec3::new(1.0, 2.0, 2.0), false),
    ] {
        assert_eq!(point_on_triangle(q, &segment), on, "{q}");
        let location = if on { Location::Boundary } else { Location::Outside };
        assert_eq!(locate_point(q, [segment]), location);
    }
    let point = [Vec3::ONE; 3];
    assert!(point_on_triangle(Vec3::ONE, &point));
    assert!(!point_on_triangle(Vec3::new(1.0, 1.0, 2.0), &point));
    assert_eq!(locate_point(Vec3::ZERO, []), Location::Outside);
}

#[test]
fn any_bit_pattern_in_range_gets_an_answer() {
    let mut random = Random::new(10);
    let mut number = || loop {
        let x = f64::from_bits(random.bits());
        if x.abs() <= 1e60 {
            return x;
        }
    };
    for _ in 0..cases(20_000) {
        let p = [0; 5].map(|_| Vec3::new(number(), number(), number()));
        let triangles = tetrahedron([p[0], p[1], p[2], p[3]]);
        assert_eq!(locate_point(p[1], triangles), Location::Boundary);
        let parity = match locate_point(p[4], triangles) {
            Location::Boundary => None,
            location => Some(i64::from(location == Location::Inside)),
        };
        assert_eq!(winding_number(p[4], triangles).map(|w| w.rem_euclid(2)), parity);
    }
    // NaN and infinity: any answer, but no panic.
    let bad = [Vec3::NAN, Vec3::INFINITY, Vec3::X];
    let _ = locate_point(Vec3::ZERO, [bad]);
    let _ = point_in_polygon([0.0; 2], &[[f64::NAN, 0.0], [1.0, f64::INFINITY], [0.0, 3.0]]);
    let _ = point_in_convex_polygon([0.0; 2], &[[f64::NAN, 0.0], [1.0, f64::INFINITY], [0.0, 3.0]]);
}
