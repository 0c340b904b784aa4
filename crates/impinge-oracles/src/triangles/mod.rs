//! The intersection of two triangles, by clipping in exact arithmetic.
//!
//! The method is independent of the library's: A is written as linear constraints (a plane and
//! three half-spaces, a line and two half-spaces, or a point), and B is clipped by them as a
//! polygon. The corners of the result, in homogeneous integer coordinates, are compared with the
//! sides and corners of both triangles.

use impinge::Vec3;
use impinge::exact::{Feature, HitKind};

pub use crate::number::{Number, scaled, unit_and_bits};
use crate::vector::{cross, dot, is_zero, sub};

/// A point `(x / w, y / w, z / w)`, `w > 0`.
pub type Point<N> = [N; 4];

/// The result of the oracle.
pub struct Shared<N> {
    pub contact: HitKind,
    /// The corners of the intersection in cyclic order. May contain repetitions and points that are
    /// not corners.
    pub corners: Vec<Point<N>>,
    /// The unit of the corners' coordinates is `2^unit`.
    pub unit: i32,
}

/// `normal . x = offset`, `>=` for a half-space.
struct Form<N>([N; 4]);

impl<N: Number> Form<N> {
    /// `normal . (x - p)`.
    fn through(normal: [N; 3], p: &[N; 3]) -> Self {
        let zero = N::from_scaled(0, 0);
        let offset = zero.minus(&dot(&normal, p));
        let [x, y, z] = normal;
        Self([x, y, z, offset])
    }

    fn at(&self, p: &Point<N>) -> N {
        let [a, b, c, d] = &self.0;
        a.times(&p[0]).plus(&b.times(&p[1])).plus(&c.times(&p[2]).plus(&d.times(&p[3])))
    }

    fn negated(&self) -> Self {
        let zero = N::from_scaled(0, 0);
        Self([0, 1, 2, 3].map(|i| zero.minus(&self.0[i])))
    }
}

/// A triangle as constraints.
struct Constraints<N> {
    equal: Vec<Form<N>>,
    /// For a triangle: entry `i` is the side that starts at corner `i`.
    at_least: Vec<Form<N>>,
    /// 3 for a triangle, 2 for a segment, 1 for a point.
    count: usize,
    corners: [[N; 3]; 3],
    /// For a segment: the lowest-numbered side that joins its ends.
    whole: u8,
}

impl<N: Number> Constraints<N> {
    fn new(corners: [[N; 3]; 3]) -> Self {
        let side = |i: usize| sub(&corners[(i + 1) % 3], &corners[i]);
        let normal = cross(&side(0), &side(1));
        if !is_zero(&normal) {
            let at_least = (0..3).map(|i| Form::through(cross(&normal, &side(i)), &corners[i]));
            return Self {
                at_least: at_least.collect(),
                equal: vec![Form::through(normal, &corners[0])],
                count: 3,
                corners,
                whole: 0,
            };
        }
        // The longest side is the whole segment.
        let length = |i: usize| dot(&side(i), &side(i));
        let mut longest = 0;
        for i in 1..3 {
            if length(i).minus(&length(longest)).signum() > 0 {
                longest = i;
            }
        }
        let (p, d) = (&corners[longest], side(longest));
        let unit = |i: usize| [0, 1, 2].map(|j| N::from_scaled(i64::from(i == j), 0));
        if is_zero(&d) {
            let equal = (0..3).map(|i| Form::through(unit(i), p)).collect();
            return Self { equal, at_least: Vec::new(), count: 1, corners, whole: 0 };
        }
        // d x (x - p) = 0, one form for each component: (d x v)_i = (e_i x d) . v.
        let equal = (0..3).map(|i| Form::through(cross(&unit(i), &d), p)).collect();
        let back = sub(p, &corners[(longest + 1) % 3]);
        let at_least = vec![Form::through(d, p), Form::through(back, &corners[(longest + 1) % 3])];
        Self { equal, at_least, count: 2, corners, whole: longest as u8 }
    }

    /// The smallest feature of the triangle that contains all these points.
    fn feature(&self, points: &[Point<N>]) -> Feature {
        let is_corner = |i: &usize| {
            let same = |p: &Point<N>| (0..3).all(|j| self.corners[*i][j].times(&p[3]) == p[j]);
            points.iter().all(same)
        };
        if self.count < 3 {
            let corner = (0..3).find(is_corner);
            return corner.map_or(Feature::Edge(self.whole), |i| Feature::Vertex(i as u8));
        }
        let on_side = |i: usize| points.iter().all(|p| self.at_least[i].at(p).signum() == 0);
        match [0, 1, 2].map(on_side) {
            [false, false, false] => Feature::Face,
            [true, false, false] => Feature::Edge(0),
            [false, true, false] => Feature::Edge(1),
            [false, false, true] => Feature::Edge(2),
            [true, true, false] => Feature::Vertex(1),
            [false, true, true] => Feature::Vertex(2),
            [true, false, true] => Feature::Vertex(0),
            [true, true, true] => unreachable!("a triangle's sides have no common point"),
        }
    }
}

/// The part of a convex polygon where the form is not negative.
fn clip<N: Number>(polygon: &[Point<N>], form: &Form<N>) -> Vec<Point<N>> {
    let values: Vec<N> = polygon.iter().map(|p| form.at(p)).collect();
    let signs: Vec<i32> = values.iter().map(N::signum).collect();
    if signs.iter().all(|s| *s >= 0) {
        return polygon.to_vec();
    }
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for i in 0..polygon.len() {
        let j = (i + 1) % polygon.len();
        if signs[i] >= 0 {
            kept.push(polygon[i].clone());
        }
        if signs[i] * signs[j] < 0 {
            let (p, q) = if signs[i] > 0 { (i, j) } else { (j, i) };
            let mix =
                |k: usize| values[p].times(&polygon[q][k]).minus(&values[q].times(&polygon[p][k]));
            kept.push(N::reduce([0, 1, 2, 3].map(mix)));
        }
    }
    kept
}

/// The intersection of the triangles, computed with numbers of type `N`.
pub fn share<N: Number>(a: &[Vec3; 3], b: &[Vec3; 3]) -> Option<Shared<N>> {
    let coordinates = a.iter().chain(b).flat_map(Vec3::to_array);
    let (unit, _) = unit_and_bits(coordinates);
    let convert = |v: Vec3| v.to_array().map(|x| scaled::<N>(x, unit));
    let (a, b) = (a.map(convert), b.map(convert));
    let one = N::from_scaled(1, 0);
    let mut polygon: Vec<Point<N>> =
        b.iter().map(|[x, y, z]| [x.clone(), y.clone(), z.clone(), one.clone()]).collect();
    let a = Constraints::new(a);
    let coplanar = polygon.iter().all(|p| a.equal[0].at(p).signum() == 0);
    for form in &a.equal {
        polygon = clip(&polygon, form);
        polygon = clip(&polygon, &form.negated());
        if polygon.is_empty() {
            return None;
        }
    }
    for form in &a.at_least {
        polygon = clip(&polygon, form);
        if polygon.is_empty() {
            return None;
        }
    }
    let b = Constraints::new(b);
    let (of_a, of_b) = (a.feature(&polygon), b.feature(&polygon));
    let contact = match (of_a, of_b) {
        (Feature::Face, Feature::Face) if coplanar => HitKind::Coplanar,
        (Feature::Face, Feature::Face) => HitKind::Crossing,
        (a, b) => HitKind::Touching { feature_a: a, feature_b: b },
    };
    Some(Shared { contact, corners: polygon, unit })
}

/// The kind of contact, computed with the shortest sufficient integers.
pub fn contact(a: &[Vec3; 3], b: &[Vec3; 3]) -> Option<HitKind> {
    let coordinates = || a.iter().chain(b).flat_map(Vec3::to_array);
    if unit_and_bits(coordinates()).1 <= 8 {
        share::<i128>(a, b).map(|s| s.contact)
    } else {
        share::<num_bigint::BigInt>(a, b).map(|s| s.contact)
    }
}
