//! Random hulls, and exact intersection tests of pairs by separating axes, in integer and rational
//! arithmetic.

#![allow(clippy::unwrap_used, reason = "an oracle that fails should report where")]

use impinge::convex::Hull;
use impinge::{Pose, Vec3};
use num_rational::BigRational;
use num_traits::{Signed, Zero};

pub use crate::common::Random;
use crate::vector::{cross, dot, sub};

impl Random {
    pub fn pose(&mut self, translation: Vec3) -> Pose {
        let turn = Pose::from_axis_angle(self.direction(), 3.2 * self.signed()).unwrap();
        Pose::from_translation(translation).unwrap().compose(&turn).unwrap()
    }

    /// A hull of points with small integer coordinates: of any dimension, with coplanar faces and
    /// parallel edges.
    pub fn integer_hull(&mut self, span: usize) -> Hull {
        let count = 1 + self.below(7);
        let flat = self.below(6);
        let mut coordinate = |k: usize| {
            if k == flat { 0.0 } else { self.below(2 * span + 1) as f64 - span as f64 }
        };
        let points: Vec<Vec3> =
            (0..count).map(|_| Vec3::new(coordinate(0), coordinate(1), coordinate(2))).collect();
        Hull::new(&points).unwrap()
    }

    /// An integer translation with a rotation that permutes the axes.
    pub fn integer_pose(&mut self, span: usize) -> Pose {
        let mut t = || self.below(2 * span + 1) as f64 - span as f64;
        let t = [t(), t(), t()];
        let q = [
            [0.0, 0.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0, 1.0],
            [1.0, 1.0, 1.0, 1.0],
        ];
        Pose::from_quaternion(q[self.below(4)], t).unwrap()
    }

    /// The hull of points on an ellipsoid.
    pub fn ellipsoid(&mut self, count: usize, axes: Vec3) -> Hull {
        let points: Vec<Vec3> = (0..count).map(|_| self.direction() * axes).collect();
        Hull::new(&points).unwrap()
    }
}

/// The vertices of B in A's frame, rounded as in queries.
pub fn moved(b: &Hull, pose: &Pose) -> Vec<Vec3> {
    b.vertices().iter().map(|v| pose.transform_point(*v)).collect()
}

type IntVector = [i128; 3];

fn to_integers(v: Vec3) -> IntVector {
    v.to_array().map(|x| {
        assert_eq!(x, x.round());
        x as i128
    })
}

/// The exact relation of two hulls of points with integer coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Apart,
    /// They share points, but no inner points: a plane separates their interiors.
    Touching,
    Overlapping,
}

/// The exact relation of hulls of any dimension, with small integer coordinates.
///
/// Candidates for a separating axis: perpendicular to two edges; perpendicular to a plane's normal
/// and an edge; along an edge; perpendicular to an edge, in the plane of the edge and a vector
/// between the bodies; along a vector between them. One of these separates if any vector does, for
/// every dimension of the Minkowski difference, and whether or not its affine hull contains the
/// origin.
pub fn relation_of_integer_hulls(a: &[Vec3], b: &[Vec3]) -> Relation {
    let a: Vec<IntVector> = a.iter().map(|v| to_integers(*v)).collect();
    let b: Vec<IntVector> = b.iter().map(|v| to_integers(*v)).collect();
    let mut edges = Vec::new();
    for body in [&a, &b] {
        for (i, p) in body.iter().enumerate() {
            edges.extend(body[..i].iter().map(|q| sub(p, q)));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let mut axes: Vec<IntVector> = edges.clone();
    let between: Vec<IntVector> = a.iter().map(|p| sub(&b[0], p)).collect();
    axes.extend(&between);
    let mut normals = Vec::new();
    for (i, d) in edges.iter().enumerate() {
        normals.extend(edges[..i].iter().map(|e| cross(d, e)));
        axes.extend(between.iter().map(|m| cross(&cross(d, m), d)));
    }
    normals.retain(|n| *n != [0; 3]);
    normals.sort_unstable();
    normals.dedup();
    for n in &normals {
        axes.push(*n);
        axes.extend(edges.iter().map(|e| cross(n, e)));
    }
    let mut touching = false;
    for axis in axes.into_iter().filter(|n| *n != [0; 3]) {
        let range = |body: &[IntVector]| {
            let of = body.iter().map(|p| dot(p, &axis));
            (of.clone().min().unwrap(), of.max().unwrap())
        };
        let ((a0, a1), (b0, b1)) = (range(&a), range(&b));
        if a1 < b0 || b1 < a0 {
            return Relation::Apart;
        }
        touching |= a1 == b0 || b1 == a0;
    }
    if touching { Relation::Touching } else { Relation::Overlapping }
}

pub fn fraction(x: f64) -> BigRational {
    BigRational::from_float(x).unwrap()
}

pub type Exact = [BigRational; 3];

pub fn exact(v: Vec3) -> Exact {
    v.to_array().map(fraction)
}

/// Whether two solid hulls, the second given by its moved points, share a point. Exact for all
/// coordinates, and slow.
pub fn meet(a: &Hull, b: &Hull) -> bool {
    assert_eq!((a.dimension(), b.dimension()), (3, 3));
    let points = |h: &Hull| -> Vec<Exact> { h.vertices().iter().map(|v| exact(*v)).collect() };
    let (p, q) = (points(a), points(b));
    let edges = |h: &Hull, p: &[Exact]| -> Vec<Exact> {
        let pairs = (0..p.len() as u32).flat_map(|i| h.neighbors(i).iter().map(move |j| (i, *j)));
        pairs.filter(|(i, j)| i < j).map(|(i, j)| sub(&p[j as usize], &p[i as usize])).collect()
    };
    let normals = |h: &Hull, p: &[Exact]| -> Vec<Exact> {
        let corner = |f: &[u32], i: usize| p[f[i] as usize].clone();
        h.faces()
            .map(|f| {
                let (o, x, y) = (corner(f, 0), corner(f, 1), corner(f, 2));
                cross(&sub(&x, &o), &sub(&y, &o))
            })
            .collect()
    };
    let mut axes = normals(a, &p);
    axes.extend(normals(b, &q));
    let (e, f) = (edges(a, &p), edges(b, &q));
    axes.extend(e.iter().flat_map(|d| f.iter().map(move |g| cross(d, g))));
    !axes.iter().any(|axis| {
        if axis.iter().all(Zero::is_zero) {
            return false;
        }
        let range = |body: &[Exact]| {
            let of: Vec<BigRational> = body.iter().map(|v| dot(v, axis)).collect();
            (of.iter().min().unwrap().clone(), of.iter().max().unwrap().clone())
        };
        let ((a0, a1), (b0, b1)) = (range(&p), range(&q));
        a1 < b0 || b1 < a0
    })
}

/// The smallest `vector . (y - x)` over all pairs of points.
pub fn exact_gap(vector: Vec3, a: &[Vec3], b: &[Vec3]) -> BigRational {
    let n = exact(vector);
    let highest = a.iter().map(|p| dot(&exact(*p), &n)).max().unwrap();
    let lowest = b.iter().map(|p| dot(&exact(*p), &n)).min().unwrap();
    lowest - highest
}

/// Checks a proof of separation by its definition.
pub fn check_gap(vector: Vec3, gap: f64, a: &[Vec3], b: &[Vec3]) {
    assert!(gap > 0.0);
    let truth = exact_gap(vector, a, b);
    assert!(truth.is_positive() && fraction(gap) <= truth, "{vector} {gap}");
}
