//! Placements of B relative to A: a gap or an overlap along a direction, shared features, one body
//! inside the other.

use glam::DVec3 as Vec3;
use impinge::Pose;
use impinge::convex::Hull;

use super::bodies::{any, direction, grid, power};
use crate::common::Random;

/// The names of both bodies, the points of A, the points of B, and the pose of B.
pub(super) type Placed = ([&'static str; 2], Vec<Vec3>, Vec<Vec3>, Pose);

/// Creates a pair of bodies of at most about `max_points` points each.
type MakePair = fn(&mut Random, usize) -> Placed;

pub(super) const ALL: [(&str, MakePair); 14] = [
    ("apart", apart),
    ("vertex to vertex", vertex_to_vertex),
    ("vertex over a face", vertex_over_face),
    ("edge across an edge", edge_across_edge),
    ("deep", deep),
    ("a shared vertex", |random, max_points| shared(random, max_points, 1)),
    ("a shared edge", |random, max_points| shared(random, max_points, 2)),
    ("a shared face", |random, max_points| shared(random, max_points, 4)),
    ("equal", equal),
    ("contained", contained),
    ("aligned", aligned),
    ("on a grid", on_grid),
    ("face to face", face_to_face),
    ("extreme numbers", extremes),
];

/// Two bodies and a rotation for B, before the placement.
struct Scene {
    bodies: [&'static str; 2],
    a: Vec<Vec3>,
    b: Vec<Vec3>,
    rotation: [f64; 4],
    scale: f64,
    offset: Vec3,
}

impl Scene {
    fn new(random: &mut Random, max_points: usize) -> Self {
        let ((name_a, a), (name_b, mut b)) = (any(random, max_points), any(random, max_points));
        if random.below(4) == 0 {
            let ratio = power(random, -3.0, 3.0);
            b.iter_mut().for_each(|p| *p *= ratio);
        }
        let rotation = [0; 4].map(|_| random.signed() + 1e-3);
        let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
        let scale = if random.below(2) == 0 { 1.0 } else { power(random, -6.0, 6.0) };
        let far = if random.below(5) == 0 { power(random, 0.0, 8.0) } else { 0.0 };
        let offset = random.point() * far * scale;
        let rotation = rotation.map(|x| x / length);
        Self { bodies: [name_a, name_b], a, b, rotation, scale, offset }
    }

    /// B's points, rotated about the origin.
    fn rotated(&self) -> Vec<Vec3> {
        let turn = pose(self.rotation, Vec3::ZERO);
        self.b.iter().map(|p| turn.transform_point(*p)).collect()
    }

    /// The pair with B's rotated points translated by `shift`, then scaled and moved to its offset.
    fn placed(self, shift: Vec3) -> Placed {
        let pose = pose(self.rotation, shift * self.scale + self.offset);
        let a = self.a.iter().map(|p| *p * self.scale + self.offset).collect();
        (self.bodies, a, self.b.iter().map(|p| *p * self.scale).collect(), pose)
    }
}

pub(super) fn pose(rotation: [f64; 4], translation: Vec3) -> Pose {
    Pose::from_quaternion(rotation, translation)
        .expect("a unit quaternion and a finite translation")
}

/// The point furthest along a direction.
pub(super) fn furthest(points: &[Vec3], along: Vec3) -> Vec3 {
    let mut best = points[0];
    for p in points {
        if along.dot(*p) > along.dot(best) {
            best = *p;
        }
    }
    best
}

/// A random gap (positive) or overlap (negative) of `1e-17` to 1, or zero.
pub(super) fn signed_gap(random: &mut Random) -> f64 {
    let size = power(random, -17.0, 0.0);
    match random.below(9) {
        0 => 0.0,
        1..5 => -size,
        _ => size,
    }
}

fn apart(random: &mut Random, max_points: usize) -> Placed {
    let scene = Scene::new(random, max_points);
    let along = direction(random);
    let rotated = scene.rotated();
    let gap = power(random, -1.0, 2.0);
    let beside = random.point();
    let touch = furthest(&scene.a, along) - furthest(&rotated, -along);
    let shift = touch.dot(along) * along + (beside - beside.dot(along) * along) + along * gap;
    scene.placed(shift)
}

fn vertex_to_vertex(random: &mut Random, max_points: usize) -> Placed {
    let scene = Scene::new(random, max_points);
    let along = direction(random);
    let touch = furthest(&scene.a, along) - furthest(&scene.rotated(), -along);
    let shift = touch + along * signed_gap(random);
    scene.placed(shift)
}

fn vertex_over_face(random: &mut Random, max_points: usize) -> Placed {
    let scene = Scene::new(random, max_points);
    let Some((on, along)) = face(random, &scene.a) else { return scene.placed(Vec3::X) };
    let shift = on - furthest(&scene.rotated(), -along) + along * signed_gap(random);
    scene.placed(shift)
}

/// A point in a random face of the hull, and the normal of the face.
fn face(random: &mut Random, points: &[Vec3]) -> Option<(Vec3, Vec3)> {
    let hull = Hull::new(points).expect("finite points");
    let corners = if hull.face_count() == 0 {
        return None;
    } else {
        hull.face(random.below(hull.face_count()))
    };
    let corner = |i: usize| hull.vertices()[corners[i] as usize];
    let middle = corner(0) + corner(1) + corner(2);
    let normal = (corner(1) - corner(0)).cross(corner(2) - corner(0));
    Some((middle / 3.0, normal.try_normalize()?))
}

fn edge_across_edge(random: &mut Random, max_points: usize) -> Placed {
    let scene = Scene::new(random, max_points);
    let along = direction(random);
    let rotated = scene.rotated();
    let edges = (edge(random, &scene.a, along), edge(random, &rotated, -along));
    let (Some((p, e)), Some((q, f))) = edges else { return scene.placed(along) };
    let Some(across) = e.cross(f).try_normalize() else { return scene.placed(along) };
    let across = if across.dot(along) < 0.0 { -across } else { across };
    let shift = p - q + across * signed_gap(random);
    scene.placed(shift)
}

/// A point on a random edge at the hull's vertex furthest along a direction, and the vector of the
/// edge.
fn edge(random: &mut Random, points: &[Vec3], along: Vec3) -> Option<(Vec3, Vec3)> {
    let hull = Hull::new(points).expect("finite points");
    let start = hull.support(along);
    let around = hull.neighbors(start);
    if around.is_empty() {
        return None;
    }
    let end = around[random.below(around.len())];
    let [p, q] = [start, end].map(|i| hull.vertices()[i as usize]);
    Some((p + (q - p) * random.unit(), q - p))
}

fn deep(random: &mut Random, max_points: usize) -> Placed {
    let scene = Scene::new(random, max_points);
    let rotated = scene.rotated();
    let within = inside(random, &scene.a) - inside(random, &rotated);
    scene.placed(within)
}

/// A random point of the hull, near its middle.
fn inside(random: &mut Random, points: &[Vec3]) -> Vec3 {
    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
    for p in points {
        let weight = random.unit() + 1e-3;
        sum += *p * weight;
        total += weight;
    }
    sum / total
}

/// Adds vertices of B to A, exactly as B's pose places them.
fn shared(random: &mut Random, max_points: usize, count: usize) -> Placed {
    let scene = Scene::new(random, max_points);
    let along = direction(random);
    let touch = furthest(&scene.a, along) - furthest(&scene.rotated(), -along);
    let shift = touch + along * power(random, -8.0, 0.0);
    let (bodies, mut a, b, pose) = scene.placed(shift);
    let mut placed: Vec<_> = b.iter().map(|p| pose.transform_point(*p)).collect();
    placed.sort_by(|p, q| along.dot(*p).total_cmp(&along.dot(*q)));
    a.extend(placed.into_iter().take(count));
    (bodies, a, b, pose)
}

fn equal(random: &mut Random, max_points: usize) -> Placed {
    let (name, a) = any(random, max_points);
    let scale = power(random, -6.0, 6.0);
    let a: Vec<_> = a.into_iter().map(|p| p * scale).collect();
    let b = a.iter().rev().copied().collect();
    let shift = if random.below(2) == 0 { Vec3::ZERO } else { direction(random) * scale * 1e-16 };
    ([name, name], a, b, Pose::from_translation(shift).expect("a finite translation"))
}

fn contained(random: &mut Random, max_points: usize) -> Placed {
    let (name, a) = any(random, max_points);
    let middle = inside(random, &a);
    // Some ratios lead to almost identical face planes.
    let ratio = [1.0 - 1e-15, 0.99, 0.5, 1e-3, 1e-9][random.below(5)];
    let b: Vec<_> = a.iter().map(|p| middle + (*p - middle) * ratio).collect();
    let (bodies, pose) = ([name, name], Pose::IDENTITY);
    if random.below(2) == 0 { (bodies, a, b, pose) } else { (bodies, b, a, pose) }
}

/// Without rotation: boxes and prisms with faces in one plane, or one ulp beside it.
fn aligned(random: &mut Random, max_points: usize) -> Placed {
    let mut scene = Scene::new(random, max_points);
    scene.rotation = [0.0, 0.0, 0.0, 1.0];
    if random.below(2) == 0 {
        scene.offset = Vec3::ZERO;
    }
    let along = Vec3::AXES[random.below(3)];
    let mut shift = furthest(&scene.a, along) - furthest(&scene.b, -along);
    shift = shift * along + random.grid_point(2) / 8.0 * (Vec3::ONE - along);
    let step = [0.0, 0.0, f64::EPSILON, -f64::EPSILON, 1e-12, -1e-12, 1e-3][random.below(7)];
    shift += along * step;
    scene.placed(shift)
}

fn on_grid(random: &mut Random, max_points: usize) -> Placed {
    let (a, b) = (grid(random, max_points), grid(random, max_points));
    let shift = random.grid_point(5) / 4.0;
    (["grid"; 2], a, b, Pose::from_translation(shift).expect("a finite translation"))
}

/// B is a cone over a face of A, with a small gap or overlap.
fn face_to_face(random: &mut Random, max_points: usize) -> Placed {
    let (name, a) = any(random, max_points);
    let hull = Hull::new(&a).expect("finite points");
    let Some((_, along)) = face(random, &a) else {
        return ([name, name], a.clone(), a, Pose::IDENTITY);
    };
    let top = a.iter().map(|p| along.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
    let on_face = |p: &&Vec3| along.dot(**p) > top - 1e-12;
    let mut b: Vec<_> = hull.vertices().iter().filter(on_face).copied().collect();
    let beyond = furthest(&a, along) + along * 0.5 + random.point() * 0.2;
    b.push(beyond);
    let shift = if random.below(3) == 0 { Vec3::ZERO } else { along * signed_gap(random) };
    ([name, "cone"], a, b, Pose::from_translation(shift).expect("a finite translation"))
}

/// Coordinates near the largest and the smallest numbers, and both in one pair.
fn extremes(random: &mut Random, max_points: usize) -> Placed {
    let mut scene = Scene::new(random, max_points);
    let along = direction(random);
    let touch = furthest(&scene.a, along) - furthest(&scene.rotated(), -along);
    let shift = touch + along * signed_gap(random);
    scene.offset = Vec3::ZERO;
    let size = scene.b.iter().fold(1.0_f64, |size, p| size.max(p.length()));
    scene.scale = [1e55, 1e-160, 1e-300, 1e-320, 1e-100][random.below(5)] / size;
    let bodies = scene.bodies;
    let (_, mut a, b, pose) = scene.placed(shift);
    if random.below(3) == 0 {
        a.push(random.point() * 1e10);
    }
    (bodies, a, b, pose)
}
