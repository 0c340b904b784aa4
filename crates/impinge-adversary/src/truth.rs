//! The exact results for a sample at one of its poses.

use std::cell::OnceCell;
use std::collections::HashMap;

use impinge::Vec3;
use impinge::exact::HitKind;

use crate::oracle::distance::Distances;
use crate::oracle::hulls::{Small, share_a_point};
use crate::oracle::units::{Fraction, Square, Units};
use crate::oracle::{contact, units};
use crate::sample::{Sample, Soup};

/// The largest number of points of a body for which brute force over all candidate directions
/// computes distance and depth of hulls.
const MAX_BRUTE_FORCE_POINTS: usize = 6;

/// The exact results for two meshes at a pose.
#[derive(Debug)]
pub struct Truth {
    /// B's vertices in A's frame.
    pub posed: Vec<Vec3>,
    /// The pairs of triangles that meet, sorted.
    pub pairs: Vec<(u32, u32)>,
    /// The squared distance of the surfaces; `None` if a mesh has no triangles.
    pub distance: Option<Square>,
    depths: OnceCell<Vec<HullTruth>>,
}

impl Truth {
    /// Computes the results for the pose of a step.
    #[must_use]
    pub fn new(sample: &Sample, step: usize) -> Self {
        let posed = sample.posed(&sample.poses[step]);
        let units = Units::new(&sample.a.vertices, &posed);
        let distances = Distances::new(&units);
        // Only one of several equal triangles is tested.
        let groups_a = equal_triangles(&sample.a, &sample.a.vertices);
        let groups_b = equal_triangles(&sample.b, &posed);
        let mut all: Vec<_> = groups_a
            .iter()
            .flat_map(|a| groups_b.iter().map(move |b| (a, b)))
            .map(|(a, b)| (distances.boxes(a.0, b.0), a, b))
            .collect();
        all.sort_by(|x, y| x.0.cmp(&y.0));
        let mut distance: Option<Square> = None;
        let mut pairs = Vec::new();
        for (boxes, (a, copies_a), (b, copies_b)) in all {
            // The distance of the boxes is a lower bound, and triangles only meet if their boxes
            // do.
            let further = |d: &Square| d.value.numerator <= &boxes * &d.value.denominator;
            if boxes != 0.into() && distance.as_ref().is_some_and(further) {
                continue;
            }
            let squared = distances.squared(*a, *b);
            if squared.is_zero() {
                pairs.extend(copies_a.iter().flat_map(|i| copies_b.iter().map(|j| (*i, *j))));
            }
            let closer = |d: &Square| squared.value.compare(&d.value).is_lt();
            if distance.as_ref().is_none_or(closer) {
                distance = Some(squared);
            }
        }
        pairs.sort_unstable();
        Self { posed, pairs, distance, depths: OnceCell::new() }
    }

    /// Whether the surfaces share a point.
    #[must_use]
    pub fn meet(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Whether `lower <= distance <= upper`; true if a mesh has no triangles.
    #[must_use]
    pub fn is_between(&self, lower: f64, upper: f64) -> bool {
        self.distance.as_ref().is_none_or(|d| d.is_between(lower, upper))
    }

    /// Whether the surfaces are at least `lower` apart.
    #[must_use]
    pub fn is_at_least(&self, lower: f64) -> bool {
        self.is_between(lower, f64::INFINITY)
    }

    /// The squared distance of two triangles.
    #[must_use]
    pub fn of_pair(&self, sample: &Sample, i: u32, j: u32) -> Square {
        let (a, b) = self.corners(sample, i, j);
        let units = Units::new(&a, &b);
        Distances::new(&units).squared([0, 1, 2], [0, 1, 2])
    }

    /// The first two pairs of triangles that meet, as convex bodies.
    pub fn first_pairs(&self, sample: &Sample) -> &[HullTruth] {
        self.depths.get_or_init(|| {
            let body = |(i, j): &(u32, u32)| {
                let (a, b) = self.corners(sample, *i, *j);
                HullTruth::new(a.to_vec(), b.to_vec())
            };
            self.pairs.iter().take(2).map(body).collect()
        })
    }

    /// The contact of two triangles.
    #[must_use]
    pub fn contact(&self, sample: &Sample, i: u32, j: u32) -> Option<HitKind> {
        let (a, b) = self.corners(sample, i, j);
        contact(&a, &b)
    }

    /// The corners of a triangle of A and one of B, in A's frame.
    #[must_use]
    pub fn corners(&self, sample: &Sample, i: u32, j: u32) -> ([Vec3; 3], [Vec3; 3]) {
        let a = sample.a.triangles[i as usize].map(|v| sample.a.vertices[v as usize]);
        (a, sample.b.triangles[j as usize].map(|v| self.posed[v as usize]))
    }

    /// The approximate distance, for messages.
    #[must_use]
    pub fn approximate(&self) -> f64 {
        self.distance.as_ref().map_or(f64::INFINITY, Square::root)
    }
}

/// Groups of triangles with equal corners in the same order: one triangle, and the indices of all.
fn equal_triangles(soup: &Soup, vertices: &[Vec3]) -> Vec<([u32; 3], Vec<u32>)> {
    let mut found: Vec<([u32; 3], Vec<u32>)> = Vec::new();
    let mut known: HashMap<[[u64; 3]; 3], usize> = HashMap::new();
    for (number, t) in soup.triangles.iter().enumerate() {
        let key = t.map(|v| (vertices[v as usize] + Vec3::ZERO).to_array().map(f64::to_bits));
        let at = *known.entry(key).or_insert_with(|| {
            found.push((*t, Vec::new()));
            found.len() - 1
        });
        found[at].1.push(number as u32);
    }
    found
}

/// The exact results for two convex bodies, each the hull of its points, in one frame.
#[derive(Debug)]
pub struct HullTruth {
    /// A's points.
    pub a: Vec<Vec3>,
    /// B's points, in A's frame.
    pub b: Vec<Vec3>,
    /// Whether they share a point.
    pub meet: bool,
    small: OnceCell<Option<Measured>>,
}

/// Distance and depth.
#[derive(Debug)]
pub struct Measured {
    /// The squared distance of bodies that share no point.
    pub distance: Option<Square>,
    /// The squared depth of bodies that share a point.
    pub depth: Option<Square>,
}

impl HullTruth {
    /// Computes whether the bodies share a point.
    #[must_use]
    pub fn new(a: Vec<Vec3>, b: Vec<Vec3>) -> Self {
        let meet = !a.is_empty() && !b.is_empty() && share_a_point(&a, &b);
        Self { a, b, meet, small: OnceCell::new() }
    }

    /// Distance and depth; `None` if a body has more than `MAX_BRUTE_FORCE_POINTS` points.
    pub fn measured(&self) -> Option<&Measured> {
        let find = || {
            let is_small = |points: &[Vec3]| (1..=MAX_BRUTE_FORCE_POINTS).contains(&points.len());
            if !is_small(&self.a) || !is_small(&self.b) {
                return None;
            }
            let small = Small::new(&self.a, &self.b);
            let square = |r: crate::oracle::hulls::Rational| {
                let (numerator, denominator) = r.into_raw();
                Square { value: Fraction::new(numerator, denominator), exponent: 0 }
            };
            let depth = if self.meet { small.squared_depth().map(square) } else { None };
            Some(Measured { distance: small.squared_distance().map(square), depth })
        };
        self.small.get_or_init(find).as_ref()
    }

    /// Whether `lower <= distance <= upper`. If the distance is not known, only compares `lower`
    /// with `upper`.
    pub fn distance_is_between(&self, lower: f64, upper: f64) -> bool {
        if self.meet {
            return lower == 0.0 && upper >= 0.0;
        }
        let known = self.measured().and_then(|m| m.distance.as_ref());
        lower <= upper && known.is_none_or(|d| d.is_between(lower, upper))
    }

    /// Whether `lower <= depth <= upper`, for bodies that share a point; if the depth is not known,
    /// whether `lower <= upper`.
    pub fn depth_is_between(&self, lower: f64, upper: f64) -> bool {
        let known = self.measured().and_then(|m| m.depth.as_ref());
        lower <= upper && known.is_none_or(|d| d.is_between(lower.max(0.0), upper))
    }

    /// Approximate distance and depth, for messages.
    pub fn approximate(&self) -> String {
        let root = |s: &Option<Square>| s.as_ref().map(Square::root);
        match self.measured() {
            Some(m) => format!("distance {:?}, depth {:?}", root(&m.distance), root(&m.depth)),
            None => format!("the hulls {}", if self.meet { "meet" } else { "do not meet" }),
        }
    }
}

/// The location of a point relative to a tetrahedron: positive inside, zero on the surface,
/// negative outside. `None` if the tetrahedron has no volume.
#[must_use]
pub fn in_tetrahedron(p: Vec3, corners: &[Vec3; 4]) -> Option<i32> {
    let units = Units::new(corners, &[p]);
    let volume = |t: [&units::Int3; 4]| {
        let side = |k: usize| [0, 1, 2].map(|i| &t[k][i] - &t[0][i]);
        let (u, v, w) = (side(1), side(2), side(3));
        let det: num_bigint::BigInt = &u[0] * (&v[1] * &w[2] - &v[2] * &w[1])
            + &u[1] * (&v[2] * &w[0] - &v[0] * &w[2])
            + &u[2] * (&v[0] * &w[1] - &v[1] * &w[0]);
        match det.sign() {
            num_bigint::Sign::Minus => -1,
            num_bigint::Sign::NoSign => 0,
            num_bigint::Sign::Plus => 1,
        }
    };
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| &units.a[k]);
    let q = &units.b[0];
    let whole = volume([a, b, c, d]);
    let parts = [[q, b, c, d], [a, q, c, d], [a, b, q, d], [a, b, c, q]].map(volume);
    (whole != 0).then(|| parts.iter().map(|s| s * whole).min().unwrap_or(0))
}
