//! The sample assembly has the documented relations. Checked by floating-point geometry with
//! margins, every triangle against every triangle, without the queries of the library.

use impinge::check::Relation;
use impinge::scene::{Part, Scene};
use impinge::{Aabb, Pose, Vec3};
use impinge_samples::shapes::{Gear, SAMPLE_CLEARANCE, sample_assembly, sample_expectations};

/// The measured relation of a pair of parts.
struct Measure {
    distance: f64,
    crosses: bool,
}

fn world(part: &Part) -> Vec<[Vec3; 3]> {
    (0..part.mesh.triangles().len())
        .map(|i| part.mesh.triangle(i).map(|v| part.pose.transform_point(v)))
        .collect()
}

/// The distance up to `reach`, and whether an edge crosses the interior of a triangle.
fn measure(a: &[[Vec3; 3]], b: &[[Vec3; 3]], reach: f64) -> Measure {
    let boxes =
        |t: &[[Vec3; 3]]| -> Vec<Aabb> { t.iter().map(|t| Aabb::from_points(*t)).collect() };
    let (boxes_a, boxes_b) = (boxes(a), boxes(b));
    let all_b = boxes_b.iter().fold(Aabb::from_points([]), |u, b| u.union(b)).grown(reach);
    let mut found = Measure { distance: f64::INFINITY, crosses: false };
    for (s, box_a) in a.iter().zip(&boxes_a) {
        if !box_a.overlaps(&all_b) {
            continue;
        }
        let around = box_a.grown(reach);
        for (t, box_b) in b.iter().zip(&boxes_b) {
            if !around.overlaps(box_b) {
                continue;
            }
            for (s, t) in [(s, t), (t, s)] {
                for i in 0..3 {
                    let (p, q) = (s[i], s[(i + 1) % 3]);
                    found.crosses |= passes_through(p, q, *t);
                    found.distance = found.distance.min(point_triangle(p, *t));
                    for j in 0..3 {
                        found.distance =
                            found.distance.min(segment_segment(p, q, t[j], t[(j + 1) % 3]));
                    }
                }
            }
        }
    }
    found
}

fn passes_through(p: Vec3, q: Vec3, [a, b, c]: [Vec3; 3]) -> bool {
    let side = |o: Vec3, u: Vec3, v: Vec3, w: Vec3| (u - o).dot((v - o).cross(w - o));
    let (sp, sq) = (side(a, b, c, p), side(a, b, c, q));
    let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    let tiny = 1e-9;
    sp.abs().min(sq.abs()) > tiny
        && (sp > 0.0) != (sq > 0.0)
        && (turns.iter().all(|t| *t > tiny) || turns.iter().all(|t| *t < -tiny))
}

fn point_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> f64 {
    let n = (b - a).cross(c - a);
    let inside =
        [(a, b), (b, c), (c, a)].iter().all(|(u, v)| (*v - *u).cross(p - *u).dot(n) >= 0.0);
    if inside && n.length_squared() > 0.0 {
        (p - a).dot(n.normalize()).abs()
    } else {
        [(a, b), (b, c), (c, a)]
            .iter()
            .map(|(u, v)| {
                let d = *v - *u;
                let t = ((p - *u).dot(d) / d.length_squared()).clamp(0.0, 1.0);
                p.distance(*u + d * t)
            })
            .fold(f64::INFINITY, f64::min)
    }
}

/// The distance by the closest points of the lines, clamped to the segments; alternating
/// projections correct the clamped cases.
fn segment_segment(p: Vec3, q: Vec3, r: Vec3, s: Vec3) -> f64 {
    let (d, e) = (q - p, s - r);
    let (a, b, c) = (d.length_squared(), d.dot(e), e.length_squared());
    let w = p - r;
    let determinant = a * c - b * b;
    let mut t = if determinant > 1e-12 * a * c {
        ((b * w.dot(e) - c * w.dot(d)) / determinant).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let mut u = 0.0;
    for _ in 0..2 {
        u = ((p + d * t - r).dot(e) / c).clamp(0.0, 1.0);
        t = ((r + e * u - p).dot(d) / a).clamp(0.0, 1.0);
    }
    (p + d * t).distance(r + e * u)
}

/// The winding number of the surface around the point.
fn winding(point: Vec3, triangles: &[[Vec3; 3]]) -> f64 {
    let angle = |t: &[Vec3; 3]| {
        let [a, b, c] = t.map(|v| v - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let over = a.dot(b.cross(c));
        let under = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * over.atan2(under)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

fn expected(scene: &Scene, i: usize, j: usize) -> Relation {
    let [a, b] = [i, j].map(|k| scene.parts()[k].name.as_str());
    sample_expectations()
        .iter()
        .find_map(|(x, y, relation)| match (*x == a && *y == b, *x == b && *y == a) {
            (true, _) => Some(*relation),
            (_, true) => Some(relation.swapped()),
            _ => None,
        })
        .unwrap_or(Relation::Clear)
}

#[test]
fn every_pair_has_the_documented_relation() {
    let scene = sample_assembly().unwrap();
    let parts: Vec<_> = scene.parts().iter().map(world).collect();
    let mut wrong = Vec::new();
    for i in 0..parts.len() {
        for j in i + 1..parts.len() {
            if scene.is_ignored(i, j) {
                continue;
            }
            let (a, b) = (&scene.parts()[i], &scene.parts()[j]);
            let m = measure(&parts[i], &parts[j], SAMPLE_CLEARANCE + 0.5);
            let holds = match expected(&scene, i, j) {
                // Clear by more than the clearance, and neither part is inside the other.
                Relation::Clear => {
                    m.distance > SAMPLE_CLEARANCE + 0.1
                        && winding(parts[i][0][0], &parts[j]).abs() < 0.5
                        && winding(parts[j][0][0], &parts[i]).abs() < 0.5
                }
                Relation::Near => m.distance > 0.4 && m.distance < 0.6 && !m.crosses,
                Relation::Touching => m.distance == 0.0 && !m.crosses,
                Relation::Crossing => m.crosses,
                Relation::AInsideB => m.distance > 0.1 && winding(parts[i][0][0], &parts[j]) > 0.5,
                Relation::BInsideA => m.distance > 0.1 && winding(parts[j][0][0], &parts[i]) > 0.5,
                Relation::Duplicate => a.pose == b.pose && a.mesh.vertices() == b.mesh.vertices(),
                other => panic!("no rule for {other}"),
            };
            if !holds {
                wrong.push(format!(
                    "{} and {}: expected {}, measured {} apart, crossing {}",
                    a.name,
                    b.name,
                    expected(&scene, i, j),
                    m.distance,
                    m.crosses
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_ignored_pairs_are_press_fits_and_a_weld() {
    let scene = sample_assembly().unwrap();
    assert_eq!(scene.ignored().len(), 3);
    for (i, j) in scene.ignored() {
        let [a, b] = [i, j].map(|k| world(&scene.parts()[k]));
        assert!(measure(&a, &b, 0.1).crosses);
    }
}

#[test]
fn aligned_gears_mesh_without_crossing() {
    let turned = |teeth: usize, angle: f64, x: f64| {
        let gear = Gear { teeth, module: 2.5, thickness: 16.0, bore: 5.0, ..Gear::default() };
        let pose = Pose::from_translation([x, 0.0, 0.0])
            .unwrap()
            .compose(&Pose::from_axis_angle(Vec3::Z, angle).unwrap())
            .unwrap();
        let part = Part { name: String::new(), mesh: gear.mesh().unwrap().into(), pose };
        world(&part)
    };
    let half_pitch = std::f64::consts::PI / 20.0;
    for step in 0..8 {
        let roll = 2.0 * std::f64::consts::PI / 24.0 * f64::from(step) / 8.0;
        let a = turned(24, roll, 0.0);
        let b = turned(20, half_pitch - roll * 24.0 / 20.0, 55.0);
        let m = measure(&a, &b, 0.5);
        assert!(!m.crosses && m.distance < 0.2, "step {step}: {} {}", m.distance, m.crosses);
    }
}
