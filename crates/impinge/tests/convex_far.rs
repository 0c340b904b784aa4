//! Nearly touching hulls whose coordinates are large or small relative to their size: all queries,
//! compared with exact references that share no code with the library.

use impinge::check::{CheckOptions, Relation, check_pair};
use impinge::convex::{self, ClosestOptions, Hull, HullCache, Sphere, closest_points, penetration};
use impinge::shape::{self, Shape, Verdict};
use impinge::{Mesh, Pose, Vec3};
use impinge_oracles::common::Random;
use impinge_oracles::convex::{Small, rational, share_a_point};
use impinge_papers::leung::closest::{
    self as published, Acceleration, Recurrence, Reduction, Variant,
};
use impinge_papers::leung::separating::{self, Options, Prepared, Query, Scratch};
use impinge_papers::leung::{Goal, Method, Tracker};
use impinge_papers::zachmann::clipping::{ClippingPreChecks, clip};
use impinge_papers::zachmann::perceptron;

fn direction(random: &mut Random) -> Vec3 {
    loop {
        let v = Vec3::new(random.signed(), random.signed(), random.signed());
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

fn pick(random: &mut Random, values: &[f64]) -> f64 {
    values[random.below(values.len())]
}

/// `x` changed by `count` units in the last place.
fn add_ulps(x: f64, count: i64) -> f64 {
    // Adding zero makes a negative zero positive.
    let x = x + 0.0;
    let rank = if x < 0.0 { -((-x).to_bits() as i64) } else { x.to_bits() as i64 };
    let rank = rank + count;
    if rank < 0 { -f64::from_bits(-rank as u64) } else { f64::from_bits(rank as u64) }
}

/// A pose with this translation and no rotation, a quarter turn, any rotation, or a matrix that is
/// a rotation just within the tolerance.
fn pose(random: &mut Random, translation: Vec3) -> Option<Pose> {
    let kind = random.below(4);
    let turn = match kind {
        0 => [0.0, 0.0, 0.0, 1.0],
        1 => [0.0, 1.0, 0.0, 1.0],
        _ => [random.signed(), random.signed(), random.signed(), random.signed()],
    };
    let turned = Pose::from_quaternion(turn, translation).ok()?;
    if kind < 3 {
        return Some(turned);
    }
    let stretch = 1.0 + 4.5e-10 * random.signed();
    Pose::from_matrix(turned.to_matrix().map(|[x, y, z, t]| {
        let [x, y, z] = [x, y, z].map(|c| c * stretch);
        [x, y, z, t]
    }))
    .ok()
}

/// Two hulls that touch or nearly touch.
struct NearlyTouching {
    a: Hull,
    b: Hull,
    pose: Pose,
    /// The vertices of B in A's frame.
    placed: Vec<Vec3>,
    name: String,
}

fn nearly_touching(random: &mut Random) -> Option<NearlyTouching> {
    let tiny = f64::from_bits(1);
    let size = pick(random, &[1.0, 1.0, 1.0, 1e-39, 1e-170, 1e-300, 1e3 * tiny, 8.0 * tiny, 1e45]);
    let of_a = if random.below(8) == 0 { pick(random, &[1e59, 1e-300, 1e-20, 1e20]) } else { size };
    let far = match random.below(12) {
        0 => 0.0,
        1 => 5e59,
        n => size * [1.0, 1e4, 1e8, 1e10, 1e11, 1e12, 1e13, 1e16, 1e20, 1e30][n - 2],
    };
    let offset = direction(random) * far;
    let kind = random.below(4);
    let (own, moved) = match kind {
        0 => (Vec3::ZERO, offset),
        1 => (offset, Vec3::ZERO),
        2 => (offset, direction(random) * far),
        _ => (offset, -offset),
    };
    let mut pose = pose(random, moved)?;
    if kind == 3 {
        // The translation moves B back to near the origin.
        let back = -pose.transform_vector(own);
        let m = pose.to_matrix();
        pose = Pose::from_matrix([0, 1, 2].map(|i| [m[i][0], m[i][1], m[i][2], back[i]])).ok()?;
    }
    if random.below(16) == 0 {
        // The relative pose of two legal poses.
        let translation = direction(random) * 0.9e60;
        let from = self::pose(random, translation)?;
        pose = Pose::relative(&from, &pose);
    }
    let count = 1 + random.below(5);
    let b: Vec<Vec3> = (0..count).map(|_| direction(random) * size + own).collect();
    let b = Hull::new(&b).ok()?;
    let placed: Vec<Vec3> = b.vertices().iter().map(|v| pose.transform_point(*v)).collect();
    let n = direction(random);
    let outermost = |p: &&Vec3, q: &&Vec3| n.dot(**p).total_cmp(&n.dot(**q));
    let on = *placed.iter().max_by(outermost)?;
    let mut at = match random.below(5) {
        0 => on * 0.5 + placed[0] * 0.5,
        1 => placed[random.below(placed.len())],
        _ => on,
    };
    if random.below(2) == 0 {
        for k in 0..3 {
            at[k] = add_ulps(at[k], [0, 1, -1, 2, -7, 100][random.below(6)]);
        }
    }
    if random.below(6) == 0 {
        at += n * (size * 2_f64.powi(-(random.below(30) as i32)));
    }
    let mut a = vec![at];
    for _ in 0..random.below(5) {
        let aside = Vec3::new(random.signed(), random.signed(), random.signed()) * 0.6;
        a.push(at + (n + aside) * of_a);
    }
    let a = Hull::new(&a).ok()?;
    let name = format!(
        "size {size:e} of A {of_a:e} far {far:e} kind {kind}: {:?} {:?} {pose:?}",
        a.vertices(),
        b.vertices()
    );
    Some(NearlyTouching { a, b, pose, placed, name })
}

/// The surface of a tetrahedron, oriented outward; `None` for any other hull.
fn tetrahedron(hull: &Hull) -> Option<Mesh> {
    if hull.dimension() != 3 || hull.vertices().len() != 4 {
        return None;
    }
    let faces = hull.faces().map(|f| [f[0], f[1], f[2]]).collect();
    Mesh::from_triangles(hull.vertices().to_vec(), faces).ok()
}

/// The exact results: the squared distance of separated bodies, or the squared depth of others.
struct Truth {
    squared: impinge_oracles::convex::Rational,
    meets: bool,
}

impl Truth {
    fn new(a: &[Vec3], b: &[Vec3]) -> Self {
        let meets = share_a_point(a, b);
        let small = Small::new(a, b);
        let squared = if meets { small.squared_depth() } else { small.squared_distance() };
        Self { squared: squared.expect("the references agree"), meets }
    }

    /// Whether the bounds enclose the exact signed distance.
    fn is_between(&self, lower: f64, upper: f64) -> bool {
        let (near, far) = if self.meets { (-upper, -lower) } else { (lower, upper) };
        let below =
            |x: f64| x <= 0.0 || (x.is_finite() && &rational(x) * &rational(x) <= self.squared);
        let above = |x: f64| {
            x == f64::INFINITY || (x >= 0.0 && self.squared <= &rational(x) * &rational(x))
        };
        below(near) && above(far)
    }

    fn distance_holds(&self, lower: f64, upper: f64) -> bool {
        if self.meets { lower <= 0.0 && upper >= 0.0 } else { self.is_between(lower, upper) }
    }
}

fn check_hulls(case: &NearlyTouching, truth: &Truth) {
    let NearlyTouching { a, b, pose, placed, name } = case;
    let meets = truth.meets;
    let check = |decision: &convex::Verdict| {
        assert_eq!(decision.is_intersecting(), meets, "{name}: {decision:?}");
        assert!(decision.verify(a.vertices(), placed), "{name}: {decision:?}");
    };
    let mut cache = HullCache::default();
    check(&convex::intersects(a, b, pose));
    check(&convex::intersects_cached(a, b, pose, &mut cache));
    check(&convex::intersects_cached(a, b, pose, &mut cache));
    for (found, verdict) in
        [convex::contact(a, b, pose), convex::contact_cached(a, b, pose, &mut cache)]
    {
        check(&verdict);
        assert!(truth.is_between(found.lower, found.upper), "{name}: {found:?}");
    }
    for d in [convex::distance(a, b, pose), convex::distance_cached(a, b, pose, &mut cache)] {
        assert!(truth.distance_holds(d.lower, d.upper), "{name}: {d:?}");
        assert_eq!(d.upper == 0.0, meets, "{name}: {d:?}");
    }
    check(&convex::intersects_cached(a, b, pose, &mut cache));
    let (p, q, mut scratch) = (Prepared::new(a), Prepared::new(b), Scratch::default());
    for method in [Method::Production, Method::Published(Options::THESIS)] {
        for goal in [Goal::Verdict, Goal::ClosestPoints, Goal::Combined] {
            let mut tracker = Tracker::new(&p, &q, goal, method);
            for _ in 0..2 {
                let frame = tracker.step(pose, &mut scratch);
                assert_eq!(frame.meets, meets, "{name}: {frame:?}");
                frame.proof.iter().for_each(check);
                if let Some(found) = frame.closest {
                    let d = found.distance;
                    assert!(truth.distance_holds(d.lower, d.upper), "{name}: {d:?}");
                }
            }
        }
    }
    let query = Query { a: &p, b: &q, pose, options: Options::THESIS };
    let output =
        separating::separate(query, &mut separating::SeparatingCache::default(), &mut scratch);
    output.verdict.decided().iter().for_each(check);
    for checks in [ClippingPreChecks::NONE, ClippingPreChecks::COLLECT] {
        assert_eq!(clip(a, b, pose, checks).meet, meets, "{name}");
    }
    let options = perceptron::Options::THESIS;
    let found =
        perceptron::separate(a, b, pose, options, &mut perceptron::PerceptronCache::default());
    found.separation.iter().for_each(|gap| check(&convex::Verdict::Separated(*gap)));
}

fn check_bodies(case: &NearlyTouching, truth: &Truth) {
    let NearlyTouching { a, b, pose, name, .. } = case;
    let options = ClosestOptions::default();
    let found = closest_points(a, b, pose, &options, &mut Default::default()).answer;
    assert!(truth.distance_holds(found.lower, found.upper), "{name}: {found:?}");
    for reduction in [Reduction::Johnson, Reduction::SignedVolumes] {
        let variant = Variant { reduction, ..Default::default() };
        let found =
            published::closest_points(a, b, pose, &options, variant, &mut Default::default());
        let found = found.answer;
        assert!(truth.distance_holds(found.lower, found.upper), "{name}: {found:?}");
    }
    let found = penetration(a, b, pose, &Default::default(), &mut Default::default()).answer;
    assert!(truth.is_between(found.lower, found.upper), "{name}: {found:?}");
}

/// Adds the number of checked pairs to `pairs_checked`.
fn check_shapes(case: &NearlyTouching, truth: &Truth, pairs_checked: &mut u32) {
    let NearlyTouching { a, b, pose, name, .. } = case;
    let (p, q) = (Shape::from(a.clone()), Shape::from(b.clone()));
    let mut pairs = vec![(p.clone(), q.clone())];
    let (mesh_a, mesh_b) = (tetrahedron(a), tetrahedron(b));
    if let Some(mesh) = &mesh_b {
        pairs.push((p, Shape::solid(mesh.clone()).expect("closed")));
    }
    if let Some(mesh) = &mesh_a {
        pairs.push((Shape::solid(mesh.clone()).expect("closed"), q));
    }
    for (p, q) in &pairs {
        match shape::intersects(p, q, pose) {
            Verdict::Intersecting(_) => assert!(truth.meets, "{name}"),
            Verdict::Separated(clear) => {
                assert!(!truth.meets && truth.distance_holds(clear.lower, f64::MAX), "{name}");
            }
            Verdict::Undecided(_) => panic!("{name}"),
        }
        let d = shape::distance(p, q, pose).expect("no mesh is empty");
        assert!(truth.distance_holds(d.lower, d.upper), "{name}: {d:?}");
        assert_eq!(d.upper == 0.0, truth.meets, "{name}: {d:?}");
        *pairs_checked += 1;
    }
    if let (Some(p), Some(q)) = (mesh_a, mesh_b) {
        let report = check_pair(&p, &q, pose, &CheckOptions::default());
        assert_eq!(report.relation == Relation::Clear, !truth.meets, "{name}: {report:?}");
    }
}

#[test]
fn a_point_meets_an_equal_rounded_vertex_far_away() {
    for exponent in 6..60 {
        let far = 10_f64.powi(exponent);
        for turn in [[0.0, 0.0, 0.0, 1.0], [0.1, 0.2, -0.3, 0.9]] {
            let pose = Pose::from_quaternion(turn, [far, 0.0, 0.0]).unwrap();
            let ends = [Vec3::new(0.3, 0.0, 0.0), Vec3::new(-1.0, 0.3, 0.0)];
            let b = Hull::new(&ends).unwrap();
            let a = Hull::new(&[pose.transform_point(ends[0])]).unwrap();
            let found = convex::intersects(&a, &b, &pose);
            assert!(found.is_intersecting(), "{far:e}: {found:?}");
            let (p, q) = (Shape::from(a), Shape::from(b));
            assert!(shape::intersects(&p, &q, &pose).is_intersecting(), "{far:e}");
        }
    }
}

#[test]
fn triangles_that_touch_far_away_are_not_clear() {
    let corners =
        vec![Vec3::new(0.3, 0.0, 0.0), Vec3::new(-1.0, 0.3, 0.0), Vec3::new(-1.0, 0.0, 0.4)];
    let b = Mesh::from_triangles(corners.clone(), vec![[0, 1, 2]]).unwrap();
    for exponent in 6..59 {
        let far = 10_f64.powi(exponent);
        let pose = Pose::from_translation([far, 0.0, 0.0]).unwrap();
        let at = pose.transform_point(corners[0]);
        let aside = [Vec3::ZERO, Vec3::new(2.0, 1.0, 0.0), Vec3::new(2.0, 0.0, 1.0)];
        let a = Mesh::from_triangles(aside.map(|v| v + at).to_vec(), vec![[0, 1, 2]]).unwrap();
        let report = check_pair(&a, &b, &pose, &CheckOptions::default());
        assert_ne!(report.relation, Relation::Clear, "{far:e}");
    }
}

#[test]
fn answers_are_exact_for_extreme_coordinates() {
    let mut random = Random::new(41);
    let (mut verdicts, mut meshes) = ([0_u32; 2], 0);
    let cases = impinge_oracles::common::count_from("IMPINGE_CONVEX_FAR", 1500);
    for _ in 0..cases {
        let Some(case) = nearly_touching(&mut random) else { continue };
        let truth = Truth::new(case.a.vertices(), &case.placed);
        verdicts[usize::from(truth.meets)] += 1;
        check_hulls(&case, &truth);
        check_bodies(&case, &truth);
        check_shapes(&case, &truth, &mut meshes);
    }
    let enough = cases as u32 / 5;
    assert!(verdicts.iter().all(|n| *n > enough) && meshes > enough, "{verdicts:?} {meshes}");
}

/// Squares of distances below 1e-162 underflow to zero. Regression: bounds computed from such
/// squares excluded the distance.
#[test]
fn bounds_hold_for_distances_whose_squares_underflow() {
    let mut random = Random::new(42);
    for round in 0..1200 {
        let size = pick(&mut random, &[1.0, 1.0, 1e-100, 1e-160, 1e-250, 1e-310, 1e50]);
        let gap = (1.0 + random.unit()) * 10_f64.powi(-(random.below(225) as i32) - 99);
        let n = [Vec3::X, Vec3::Y, Vec3::Z][random.below(3)];
        let across = |random: &mut Random| {
            let v = direction(random) * size;
            v - n * v.dot(n)
        };
        let (u, v) = (across(&mut random), across(&mut random));
        // A point above or below a vertex, the interior of an edge or of a face; or bodies that
        // overlap by the gap.
        let a = match round % 4 {
            0 => vec![Vec3::ZERO, u],
            1 => vec![-u, u],
            2 => vec![-u, u - v, u + v],
            _ => vec![u, -u, v, -v, u - n * size],
        };
        let aside = match random.below(3) {
            0 => Vec3::ZERO,
            1 => across(&mut random) * 1e-3,
            _ => n.any_orthogonal_vector() * gap,
        };
        let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
        let mut b = vec![n * (gap * sign) + aside];
        for _ in 0..random.below(4) {
            b.push(b[0] + (n + direction(&mut random) * 0.5) * size);
        }
        let (Ok(a), Ok(b)) = (Hull::new(&a), Hull::new(&b)) else { continue };
        let pose = if random.below(2) == 0 {
            Pose::IDENTITY
        } else {
            Pose::from_translation(n * (gap * 0.5)).unwrap()
        };
        let placed: Vec<Vec3> = b.vertices().iter().map(|v| pose.transform_point(*v)).collect();
        let truth = Truth::new(a.vertices(), &placed);
        let name = format!("{round} {:?} {:?} {pose:?}", a.vertices(), b.vertices());
        let case = NearlyTouching { a, b, pose, placed, name };
        check_hulls(&case, &truth);
        check_bodies(&case, &truth);
        for acceleration in [Acceleration::Nesterov, Acceleration::Polyak] {
            for recurrence in [Recurrence::Anywhere, Recurrence::InSimplex] {
                let variant = Variant { acceleration, recurrence, ..Default::default() };
                let (options, cache) = (ClosestOptions::default(), &mut Default::default());
                let NearlyTouching { a, b, pose, .. } = &case;
                let found = published::closest_points(a, b, pose, &options, variant, cache).answer;
                assert!(truth.distance_holds(found.lower, found.upper), "{}: {found:?}", case.name);
            }
        }
    }
}

/// Spheres with distances and radii whose squares underflow or nearly underflow.
#[test]
fn spheres_of_all_sizes_are_compared_exactly() {
    let mut random = Random::new(43);
    let mut met = [0_u32; 2];
    for _ in 0..3000 {
        let length = (1.0 + random.unit()) * 10_f64.powi(random.below(383) as i32 - 323);
        let at = direction(&mut random) * length;
        let pose = Pose::from_translation(at).unwrap();
        let center = pose.transform_point(Vec3::ZERO);
        // Radii whose sum is the distance, up to a few units in the last place.
        let sum = (center / length).length() * length;
        let r = add_ulps(sum * random.unit(), 0).max(0.0);
        let s = add_ulps(sum - r, [0, 1, -1, 3][random.below(4)]).max(0.0);
        let (Ok(p), Ok(q)) = (Sphere::new(r), Sphere::new(s)) else { continue };
        let square: impinge_oracles::convex::Rational =
            center.to_array().into_iter().map(|x| &rational(x) * &rational(x)).sum();
        let reach = rational(r) + rational(s);
        let meets = square <= &reach * &reach;
        met[usize::from(meets)] += 1;
        let found = shape::intersects(&Shape::from(p), &Shape::from(q), &pose);
        assert_eq!(found.is_intersecting(), meets, "{at} {r:e} {s:e} {found:?}");
        let d = shape::distance(&Shape::from(p), &Shape::from(q), &pose).unwrap();
        let low = rational(d.lower) + &reach;
        let high = rational(d.upper) + &reach;
        assert!(d.lower == 0.0 || &low * &low <= square, "{at} {r:e} {s:e} {d:?}");
        assert!(meets || square <= &high * &high, "{at} {r:e} {s:e} {d:?}");
        let (options, cache) = (ClosestOptions::default(), &mut Default::default());
        let near = closest_points(&p, &q, &pose, &options, cache).answer;
        let (low, high) = (rational(near.lower) + &reach, rational(near.upper) + &reach);
        assert!(near.lower == 0.0 || &low * &low <= square, "{at} {r:e} {s:e} {near:?}");
        assert!(meets || square <= &high * &high, "{at} {r:e} {s:e} {near:?}");
    }
    assert!(met.iter().all(|n| *n > 500), "{met:?}");
}

/// A hull and a mesh with a tree, one of them at a pose. The hull touches a corner of the mesh, or
/// nearly.
#[test]
fn triangles_are_tested_at_their_rounded_positions() {
    let mut random = Random::new(44);
    let (mut met, mut missed) = (0, 0);
    for round in 0..450 {
        let size = pick(&mut random, &[1.0, 1.0, 1e-30, 1e-300, 1e40]);
        let far = size * pick(&mut random, &[0.0, 1e3, 1e7, 1e10, 1e12, 1e14, 1e17, 1e19]);
        let own = direction(&mut random) * far;
        let translation = match round % 3 {
            0 => Vec3::ZERO,
            1 => -own,
            _ => direction(&mut random) * far,
        };
        let Some(pose) = pose(&mut random, translation) else { continue };
        // B, the mesh or the hull, is at the pose. A is generated near B's rounded position and
        // shares one corner with it.
        let mesh_is_b = round / 3 % 2 == 0;
        let counts = [30, 1 + random.below(4)];
        let [of_b, of_a] = if mesh_is_b { counts } else { [counts[1], counts[0]] };
        let mut b: Vec<Vec3> = (0..of_b).map(|_| own + direction(&mut random) * size).collect();
        if !mesh_is_b {
            let Ok(hull) = Hull::new(&b) else { continue };
            b = hull.vertices().to_vec();
        }
        let moved: Vec<Vec3> = b.iter().map(|v| pose.transform_point(*v)).collect();
        let mut at = moved[random.below(moved.len())];
        if random.below(2) == 0 {
            for k in 0..3 {
                at[k] = add_ulps(at[k], [0, 0, 1, -1, 9][random.below(5)]);
            }
        }
        let mut a: Vec<Vec3> =
            (1..of_a).map(|_| at + direction(&mut random) * size * 0.1).collect();
        a.insert(random.below(of_a), at);
        let (vertices, body) = if mesh_is_b { (b, a) } else { (a, b) };
        let triangles: Vec<[u32; 3]> = (0..10).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let Ok(mesh) = Mesh::from_triangles(vertices.clone(), triangles) else { continue };
        let Ok(hull) = Hull::new(&body) else { continue };
        let (moved, placed) =
            if mesh_is_b { (moved, hull.vertices().to_vec()) } else { (vertices, moved) };
        let expected: Vec<u32> = (0..10_u32)
            .filter(|k| share_a_point(&moved[3 * *k as usize..][..3], &placed))
            .collect();
        let (shape, soup) = (Shape::from(hull), Shape::from(mesh));
        let (a, b) = if mesh_is_b { (&shape, &soup) } else { (&soup, &shape) };
        let name = format!("{round}: size {size:e} far {far:e}");
        let found = shape::triangles_met(a, b, &pose).unwrap();
        assert_eq!(found.triangles, expected, "{name}");
        let meets = !expected.is_empty();
        assert_eq!(shape::intersects(a, b, &pose).is_intersecting(), meets, "{name}");
        let d = shape::distance(a, b, &pose).unwrap();
        assert_eq!(d.upper == 0.0, meets, "{name}: {d:?}");
        if meets {
            met += 1;
        } else {
            missed += 1;
        }
    }
    assert!(met > 100 && missed > 50, "{met} {missed}");
}
