//! Curved bodies between an inner and an outer polytope: the signed distance lies between the
//! signed distances of the two.

use impinge::convex::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Hull, Sphere};
use impinge::shape::{self, Shape, ShapeCache, Verdict};
use impinge::{Pose, Vec3, shapes};

use super::random::Random;

/// A curved shape with an inner and an outer polytope of the same margin.
struct Bracketed {
    shape: Shape,
    inner: Shape,
    outer: Shape,
}

/// The number of sides of the polygons that approximate a circle.
const SIDES: u32 = 64;

fn circle(radius: f64) -> Vec<Vec3> {
    (0..SIDES)
        .map(|k| {
            let (sin, cos) = (f64::from(k) / f64::from(SIDES) * std::f64::consts::TAU).sin_cos();
            Vec3::new(radius * cos, radius * sin, 0.0)
        })
        .collect()
}

/// The ratio of the circumscribed to the inscribed polygon, slightly enlarged.
fn outer_scale() -> f64 {
    (1.0 + 1e-12) / (std::f64::consts::PI / f64::from(SIDES)).cos()
}

fn bracketed(shape: impl Into<Shape>, inner: &[Vec3], outer: &[Vec3], margin: f64) -> Bracketed {
    let hull = |points: &[Vec3]| Shape::from(Hull::new(points).unwrap()).rounded(margin).unwrap();
    let shrunk: Vec<Vec3> = inner.iter().map(|p| *p * (1.0 - 1e-12)).collect();
    Bracketed {
        shape: shape.into().rounded(margin).unwrap(),
        inner: hull(&shrunk),
        outer: hull(outer),
    }
}

fn bodies(margin: f64) -> Vec<Bracketed> {
    let (h, r) = (0.8, 0.5);
    let lid = |z: f64, radius: f64| circle(radius).into_iter().map(move |p| p + Vec3::Z * z);
    let drum = |radius: f64| lid(-h, radius).chain(lid(h, radius)).collect::<Vec<_>>();
    let hat = |radius: f64| {
        let top = Vec3::Z * h;
        lid(-h, radius).chain([top]).collect::<Vec<_>>()
    };
    let axes = Vec3::new(1.0, 0.6, 0.3);
    let ball = shapes::icosphere(1.0, 12).unwrap();
    let sphere: Vec<Vec3> = ball.vertices().iter().map(|v| v.normalize()).collect();
    let inner = Hull::new(&sphere).unwrap();
    let flattest = inner.faces().map(|f| {
        let [p, q, s] = [f[0], f[1], f[2]].map(|v| inner.vertices()[v as usize]);
        (q - p).cross(s - p).normalize().dot(p)
    });
    let wide = (1.0 + 1e-12) / flattest.fold(f64::INFINITY, f64::min);
    let stretched = |k: f64| sphere.iter().map(|p| *p * axes * k).collect::<Vec<_>>();
    vec![
        bracketed(Cylinder::new(h, r).unwrap(), &drum(r), &drum(r * outer_scale()), margin),
        bracketed(Cone::new(h, r).unwrap(), &hat(r), &hat(r * outer_scale()), margin),
        bracketed(Ellipsoid::new(axes).unwrap(), &stretched(1.0), &stretched(wide), margin),
    ]
}

fn others() -> Vec<Shape> {
    vec![
        Sphere::new(0.4).unwrap().into(),
        Capsule::new(0.5, 0.2).unwrap().into(),
        Cuboid::new([0.5, 0.4, 0.3]).unwrap().into(),
        HalfSpace::new([0.3, -0.2, 0.9], 0.1).unwrap().into(),
        shapes::torus(1.0, 0.3, 16, 8).unwrap().into(),
    ]
}

#[test]
fn distances_lie_between_those_of_the_polytopes() {
    let mut random = Random::new(77);
    let (mut meeting, mut apart, mut unknown) = (0, 0, 0);
    for margin in [0.0, 0.25] {
        for body in &bodies(margin) {
            for other in &others() {
                let mut cache = ShapeCache::default();
                for _ in 0..25 {
                    let pose = random.pose(2.0);
                    for first in [true, false] {
                        let distance = |shape: &Shape| match first {
                            true => shape::distance(shape, other, &pose).unwrap(),
                            false => shape::distance(other, shape, &pose).unwrap(),
                        };
                        let (inner, outer, found) =
                            (distance(&body.inner), distance(&body.outer), distance(&body.shape));
                        assert!(found.lower <= inner.upper + 1e-11, "{found:?} {inner:?}");
                        assert!(found.upper >= outer.lower - 1e-11, "{found:?} {outer:?}");
                        let verdict = if first {
                            shape::intersects_cached(&body.shape, other, &pose, &mut cache)
                        } else {
                            shape::intersects(other, &body.shape, &pose)
                        };
                        match verdict {
                            Verdict::Separated(clear) => {
                                apart += 1;
                                assert!(inner.upper > 0.0 && clear.lower <= inner.upper + 1e-11);
                                assert!(
                                    found.lower > 0.0 && found.upper - found.lower < 1e-8,
                                    "{found:?}"
                                );
                            }
                            Verdict::Intersecting(_) => {
                                meeting += 1;
                                assert_eq!(outer.upper, 0.0, "{verdict:?} {other:?} {pose:?}");
                                assert_eq!(
                                    found.upper, 0.0,
                                    "{found:?} {inner:?} {verdict:?} {other:?} {pose:?}"
                                );
                            }
                            Verdict::Undecided(bounds) => {
                                unknown += 1;
                                assert!(bounds.lower <= 0.0 && bounds.upper >= 0.0);
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(meeting > 300 && apart > 300 && unknown < 5, "{meeting} {apart} {unknown}");
}

#[test]
fn contacts_of_curved_bodies_lie_between_those_of_the_polytopes() {
    let mut random = Random::new(78);
    let all = bodies(0.0);
    let mut unknown = 0;
    for a in &all {
        for b in &all {
            for _ in 0..20 {
                let pose = random.pose(1.6);
                let inner = shape::contact(&a.inner, &b.inner, &pose).unwrap();
                let outer = shape::contact(&a.outer, &b.outer, &pose).unwrap();
                let found = shape::contact(&a.shape, &b.shape, &pose).unwrap();
                assert!(found.lower <= inner.upper + 1e-11, "{found:?} {inner:?}");
                assert!(found.upper >= outer.lower - 1e-11, "{found:?} {outer:?}");
                assert!(found.upper - found.lower < 1e-4, "{found:?}");
                match shape::intersects(&a.shape, &b.shape, &pose) {
                    Verdict::Separated(_) => assert!(inner.upper > 0.0),
                    Verdict::Intersecting(_) => assert!(outer.lower < 0.0),
                    Verdict::Undecided(_) => unknown += 1,
                }
            }
        }
    }
    assert!(unknown < 3, "{unknown}");
}

#[test]
fn touching_curved_bodies_are_undecided_with_tight_bounds() {
    let (can, ball) = (Cylinder::new(1.0, 0.5).unwrap().into(), Sphere::new(0.5).unwrap().into());
    let touch =
        |x: f64| shape::intersects(&can, &ball, &Pose::from_translation([x, 0.0, 0.2]).unwrap());
    match touch(1.0) {
        Verdict::Undecided(bounds) => {
            assert!(
                bounds.lower <= 0.0 && bounds.upper >= 0.0 && bounds.upper - bounds.lower < 1e-12
            );
        }
        other => panic!("{other}"),
    }
    assert!(touch(1.0 + 1e-12).is_separated() && touch(1.0 - 1e-12).is_intersecting());
}
