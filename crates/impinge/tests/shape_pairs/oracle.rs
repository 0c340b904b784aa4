//! Expected answers: exact decisions for the points of every triangle, and integer arithmetic for
//! half-spaces.

use impinge::exact::{Location, Sign};
use impinge::internals::decide::{Closest, Hint, closest, compare_distance};
use impinge::shape::{Kind, Shape};
use impinge::{Mesh, Pose, Vec3, solid};

/// A shape in the frame of the query: the hulls of several sets of points with one margin, or a
/// half-space.
pub(crate) enum Placed {
    Hulls { sets: Vec<Vec<Vec3>>, margin: f64, solid: Option<Mesh> },
    Below { normal: Vec3, offset: f64, through: Vec3 },
}

/// The shape at a pose.
pub(crate) fn placed(shape: &Shape, pose: &Pose) -> Placed {
    let place = |v: &Vec3| pose.transform_point(*v);
    let surface = |mesh: &Mesh| {
        (0..mesh.triangles().len()).map(|t| mesh.triangle(t).iter().map(place).collect()).collect()
    };
    match shape.kind() {
        Kind::Mesh(mesh) => Placed::Hulls { sets: surface(mesh), margin: 0.0, solid: None },
        Kind::Solid(mesh) => {
            Placed::Hulls { sets: surface(mesh), margin: 0.0, solid: Some(mesh.transformed(pose)) }
        }
        Kind::HalfSpace(h) => Placed::Below {
            normal: pose.transform_vector(h.normal()),
            offset: h.offset(),
            through: pose.translation(),
        },
        _ => {
            let points = shape.core_points().expect("a polytope").iter().map(place).collect();
            Placed::Hulls { sets: vec![points], margin: shape.margin(), solid: None }
        }
    }
}

/// Whether two shapes meet, exactly. Half-spaces and the shapes compared with them must have
/// integer coordinates.
pub(crate) fn meet(a: &Placed, b: &Placed) -> bool {
    match (a, b) {
        (
            Placed::Hulls { sets: p, margin: r, solid: in_p },
            Placed::Hulls { sets: q, margin: s, solid: in_q },
        ) => {
            let near = |x: &Vec<Vec3>, y: &Vec<Vec3>| {
                compare_distance(x, y, *r, *s, &Hint::NONE) != Sign::Positive
            };
            p.iter().any(|x| q.iter().any(|y| near(x, y)))
                || contains_corner(in_p.as_ref(), q)
                || contains_corner(in_q.as_ref(), p)
        }
        (Placed::Below { normal, offset, through }, Placed::Hulls { sets, margin, .. })
        | (Placed::Hulls { sets, margin, .. }, Placed::Below { normal, offset, through }) => {
            sets.iter().flatten().any(|x| {
                let integer = |v: f64| {
                    assert_eq!(v, v.round(), "the oracle requires integers");
                    v as i128
                };
                let dot: i128 =
                    (0..3).map(|i| integer(normal[i]) * integer(x[i] - through[i])).sum();
                let height = dot - integer(*offset);
                let squared: i128 = (0..3).map(|i| integer(normal[i]).pow(2)).sum();
                height <= 0 || height * height <= integer(*margin).pow(2) * squared
            })
        }
        _ => unreachable!("two half-spaces have a separate test"),
    }
}

/// Whether a corner of one of the sets lies in a solid.
fn contains_corner(inside: Option<&Mesh>, sets: &[Vec<Vec3>]) -> bool {
    inside.is_some_and(|mesh| {
        sets.iter().flatten().any(|p| solid::locate(mesh, *p).unwrap() != Location::Outside)
    })
}

/// The distance of the shapes without their margins, by exact arithmetic.
pub(crate) fn core_distance(a: &Placed, b: &Placed) -> Option<Closest> {
    let (Placed::Hulls { sets: p, .. }, Placed::Hulls { sets: q, .. }) = (a, b) else {
        return None;
    };
    let pairs = p.iter().flat_map(|x| q.iter().map(move |y| (x, y)));
    pairs.filter_map(|(x, y)| closest(x, y, &Hint::NONE)).min_by(|c, d| c.upper.total_cmp(&d.upper))
}
