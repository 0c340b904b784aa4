//! Bodies about the origin with a radius of about one.

use glam::DVec3 as Vec3;

use crate::common::Random;

/// Creates a body of at most about `max_points` points.
type MakeBody = fn(&mut Random, usize) -> Vec<Vec3>;

const BODIES: [(&str, MakeBody); 12] = [
    ("ball", ball),
    ("ellipsoid", ellipsoid),
    ("cloud", cloud),
    ("needle", needle),
    ("plate", plate),
    ("box", cuboid),
    ("prism", prism),
    ("grid", grid),
    ("tetrahedron", tetrahedron),
    ("polygon", polygon),
    ("segment", segment),
    ("point", point),
];

/// A random body and its name.
pub(super) fn any(random: &mut Random, max_points: usize) -> (&'static str, Vec<Vec3>) {
    // The kinds without volume are about half as frequent.
    let kind = random.below(2 * BODIES.len() - 3) / 2;
    let (name, make) = BODIES[kind];
    (name, make(random, max_points))
}

/// A random number of points between `min_points` and `max_points`: usually small, rarely very
/// large.
fn count(random: &mut Random, min_points: usize, max_points: usize) -> usize {
    let limit = match random.below(100) {
        0..65 => 12,
        65..93 => 40,
        93..99 => 200,
        _ => 2000,
    };
    let range = limit.min(max_points).max(min_points + 1) - min_points;
    min_points + random.below(range + 1).min(max_points.max(min_points) - min_points)
}

/// A uniformly distributed unit vector.
pub(super) fn direction(random: &mut Random) -> Vec3 {
    loop {
        let v = random.point();
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

/// `10^x` with `x` uniformly distributed between the bounds.
pub(super) fn power(random: &mut Random, low: f64, high: f64) -> f64 {
    10_f64.powf(low + (high - low) * random.unit())
}

fn ball(random: &mut Random, max_points: usize) -> Vec<Vec3> {
    (0..count(random, 4, max_points)).map(|_| direction(random)).collect()
}

fn stretched(random: &mut Random, max_points: usize, axes: Vec3) -> Vec<Vec3> {
    // In a random frame, so that no axis is special.
    let x = direction(random);
    let y = x.cross(direction(random)).normalize();
    let frame = glam::DMat3::from_cols(x, y, x.cross(y));
    ball(random, max_points).into_iter().map(|p| frame * (p * axes)).collect()
}

fn ellipsoid(random: &mut Random, max_points: usize) -> Vec<Vec3> {
    let axes = random.unit_point() + 0.1;
    stretched(random, max_points, axes)
}

fn needle(random: &mut Random, max_points: usize) -> Vec<Vec3> {
    let thin = power(random, -6.0, -2.0);
    stretched(random, max_points, Vec3::new(1.0, thin, thin))
}

fn plate(random: &mut Random, max_points: usize) -> Vec<Vec3> {
    let thin = power(random, -6.0, -2.0);
    stretched(random, max_points, Vec3::new(1.0, 1.0, thin))
}

/// Includes inner points and one duplicate.
fn cloud(random: &mut Random, max_points: usize) -> Vec<Vec3> {
    let mut points: Vec<_> = (0..count(random, 3, max_points)).map(|_| random.point()).collect();
    points.push(points[random.below(points.len())]);
    points
}

fn cuboid(random: &mut Random, _: usize) -> Vec<Vec3> {
    let half = random.unit_point() + 0.125;
    let sign = |bits: usize, k: usize| if bits & (1 << k) == 0 { -1.0 } else { 1.0 };
    (0..8).map(|i| half * Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect()
}

/// A prism whose ends are exactly flat.
fn prism(random: &mut Random, max_points: usize) -> Vec<Vec3> {
    let sides = count(random, 3, (max_points / 2).max(3));
    let height = power(random, -2.0, 0.0);
    let corner = |i: usize| {
        let angle = std::f64::consts::TAU * i as f64 / sides as f64;
        Vec3::new(angle.cos(), angle.sin(), 0.0)
    };
    let ends = [-height, height].map(|z| Vec3::new(0.0, 0.0, z));
    (0..sides).flat_map(|i| ends.map(|end| corner(i) + end)).collect()
}

/// Multiples of 1/4: planes and lines with many points, exactly.
pub(super) fn grid(random: &mut Random, max_points: usize) -> Vec<Vec3> {
    let n = 1 + random.below(12.min(max_points));
    (0..n).map(|_| random.grid_point(3) / 4.0).collect()
}

fn tetrahedron(random: &mut Random, _: usize) -> Vec<Vec3> {
    (0..4).map(|_| random.point()).collect()
}

fn polygon(random: &mut Random, max_points: usize) -> Vec<Vec3> {
    (0..count(random, 3, max_points.min(40))).map(|_| random.point().with_z(0.0)).collect()
}

fn segment(random: &mut Random, _: usize) -> Vec<Vec3> {
    vec![random.point(), random.point()]
}

fn point(random: &mut Random, _: usize) -> Vec<Vec3> {
    vec![random.point() * 0.1]
}
