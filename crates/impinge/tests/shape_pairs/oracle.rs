//! What the answers must be, by the exact decisions about points, one triangle after the other, and
//! by whole numbers.

use impinge::exact::{Location, Sign};
use impinge::internals::decide::{Closest, Hint, closest, compare_distance};
use impinge::shape::{Kind, Shape};
use impinge::{Mesh, Pose, Vec3, solid};

/// A shape in the frame of the query: the hulls of several sets of points with one margin, or a
/// half-space.
pub(crate) enum Flat {
    Hulls { sets: Vec<Vec<Vec3>>, margin: f64, solid: Option<Mesh> },
    Below { normal: Vec3, offset: f64, through: Vec3 },
}

pub(crate) fn flat(shape: &Shape, pose: &Pose) -> Flat {
    let place = |v: &Vec3| pose.transform_point(*v);
    let surface = |mesh: &Mesh| {
        (0..mesh.triangles().len()).map(|t| mesh.triangle(t).iter().map(place).collect()).collect()
    };
    match shape.kind() {
        Kind::Mesh(mesh) => Flat::Hulls { sets: surface(mesh), margin: 0.0, solid: None },
        Kind::Solid(mesh) => {
            Flat::Hulls { sets: surface(mesh), margin: 0.0, solid: Some(mesh.transformed(pose)) }
        }
        Kind::HalfSpace(h) => Flat::Below {
            normal: pose.transform_vector(h.normal()),
            offset: h.offset(),
            through: pose.translation(),
        },
        _ => {
            let points = shape.core_points().expect("a polytope").iter().map(place).collect();
            Flat::Hulls { sets: vec![points], margin: shape.margin(), solid: None }
        }
    }
}

/// Whether two shapes meet, exactly. Half-spaces must have whole numbers.
pub(crate) fn meet(a: &Flat, b: &Flat) -> bool {
    match (a, b) {
        (
            Flat::Hulls { sets: p, margin: r, solid: in_p },
            Flat::Hulls { sets: q, margin: s, solid: in_q },
        ) => {
            let near = |x: &Vec<Vec3>, y: &Vec<Vec3>| {
                compare_distance(x, y, *r, *s, &Hint::NONE) != Sign::Positive
            };
            p.iter().any(|x| q.iter().any(|y| near(x, y)))
                || holds(in_p.as_ref(), q)
                || holds(in_q.as_ref(), p)
        }
        (Flat::Below { normal, offset, through }, Flat::Hulls { sets, margin, .. })
        | (Flat::Hulls { sets, margin, .. }, Flat::Below { normal, offset, through }) => {
            sets.iter().flatten().any(|x| {
                let whole = |v: f64| {
                    assert_eq!(v, v.round(), "the oracle wants whole numbers");
                    v as i128
                };
                let dot: i128 = (0..3).map(|i| whole(normal[i]) * whole(x[i] - through[i])).sum();
                let height = dot - whole(*offset);
                let squared: i128 = (0..3).map(|i| whole(normal[i]).pow(2)).sum();
                height <= 0 || height * height <= whole(*margin).pow(2) * squared
            })
        }
        _ => unreachable!("two half-spaces have a test of their own"),
    }
}

/// Whether a corner of one of the sets lies in a solid.
fn holds(inside: Option<&Mesh>, sets: &[Vec<Vec3>]) -> bool {
    inside.is_some_and(|mesh| {
        sets.iter().flatten().any(|p| solid::locate(mesh, *p).unwrap() != Location::Outside)
    })
}

/// The distance of the cores, by exact arithmetic.
pub(crate) fn apart(a: &Flat, b: &Flat) -> Option<Closest> {
    let (Flat::Hulls { sets: p, .. }, Flat::Hulls { sets: q, .. }) = (a, b) else { return None };
    let pairs = p.iter().flat_map(|x| q.iter().map(move |y| (x, y)));
    pairs.filter_map(|(x, y)| closest(x, y, &Hint::NONE)).min_by(|c, d| c.upper.total_cmp(&d.upper))
}
