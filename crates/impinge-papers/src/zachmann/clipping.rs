//! Intersection test of two hulls by clipping edges at half-spaces: the modified Cyrus-Beck
//! algorithm of Zachmann 1994, section 3.4.1.
//!
//! A solid hull is the intersection of the half-spaces behind its faces. An edge of the other body
//! is clipped at each of them. The remaining part is an interval of its parameter, never a point.
//! If a part of any edge of either body remains, the bodies intersect. An edge parallel to a plane
//! is not clipped at it, as in the thesis.
//!
//! **Pre-checks.** An edge is skipped when its box misses the other body's box. In the first pass,
//! edges are clipped only at the collected faces: those whose box overlaps the box of the edges'
//! body. The thesis is wrong in two places. It claims that all edges are outside if no face is
//! collected. They may also all be inside, so in this case a vertex is located. And it claims that
//! the faces left out cannot clip an edge further. That holds if the collected faces themselves
//! reach into the box, but not if only their boxes do. So an edge of which a part remains is then
//! clipped at the other faces, too.
//!
//! **Exactness**, although B is moved and rounded. Let `B*` be B moved in real arithmetic: its
//! faces are flat and its edges are those of B. Verdicts are about the hull of the rounded
//! vertices. The distance between this hull and `B*` is at most some `e`. Every height over a plane
//! is enclosed in an interval that includes rounding and a margin of `e` on both sides. So a part
//! of an edge certainly remains, certainly does not remain, or is in doubt.
//!
//! - *A part of an edge of A remains*: a point of it is in `B*` and further than `e` from its
//!   surface, so it is in the rounded body. *A part of an edge of B remains*: the segment between
//!   two rounded vertices is in the rounded body.
//! - *No part of any edge remains*: then the distance of A and `B*` is larger than `e`, and so A
//!   and the rounded body are disjoint. Proof: otherwise, of a closest pair of points, one could be
//!   chosen on an edge of its body. This edge would reach into the other body enlarged by `e`,
//!   hence behind all of its planes moved outward by `e`.
//! - *Doubt*, and bodies that are not solid and so have no half-spaces: the exact
//!   [`decide`](impinge::internals::decide) is called once for the pair.

use impinge::convex::Hull;
use impinge::internals::body_length_up as length_up;
use impinge::internals::decide::{Hint, decide};
use impinge::internals::rounding::{TRIPLE_PRODUCT_UNDERFLOW, UNIT_ROUNDOFF};
use impinge::math::{Aabb, Pose, Vec3};

/// The pre-checks to make. They accumulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClippingPreChecks {
    /// Skip edges whose box misses the other body's box.
    pub edge_against_object: bool,
    /// Clip first only at faces whose box overlaps the box of the edges' body.
    pub collect_faces: bool,
}

impl ClippingPreChecks {
    /// No pre-checks.
    pub const NONE: Self = Self { edge_against_object: false, collect_faces: false };
    /// The box of each edge against the box of the other body.
    pub const OBJECT_BOX: Self = Self { edge_against_object: true, collect_faces: false };
    /// Additionally, the box of each face against the box of the other body.
    pub const COLLECT: Self = Self { edge_against_object: true, collect_faces: true };
}

/// The work done by a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Edges processed.
    pub edges: u64,
    /// Edges left after the pre-check.
    pub edges_near: u64,
    /// Faces collected, of both bodies together.
    pub faces: u64,
    /// Clips of an edge at a half-space.
    pub clips: u64,
}

/// An edge that reaches into the other body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside {
    /// Whether it is an edge of A.
    pub of_a: bool,
    /// Its ends in A's frame.
    pub edge: [Vec3; 2],
    /// The part of it that is inside, as parameters from 0 (first end) to 1 (second end), rounded
    /// inward: these points are certainly common.
    pub interval: [f64; 2],
}

/// The result of a clipping query. Always exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClippingOutput {
    /// Whether the bodies share a point.
    pub meet: bool,
    /// If the bodies share a point, an edge that is certainly partly inside. `None` if the exact
    /// decision was needed or a whole body lies inside.
    pub witness: Option<Inside>,
    /// Whether the exact decision was needed because of rounding.
    pub was_in_doubt: bool,
    /// The work done.
    pub counts: Counts,
}

/// Whether two hulls share a point, B at `pose` in A's frame, by clipping.
///
/// ```
/// use impinge::{Pose, Vec3};
/// use impinge::convex::Hull;
/// use impinge_papers::zachmann::clipping::{ClippingPreChecks, clip};
///
/// let corners = (0..8).map(|i| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64));
/// let cube = Hull::new(&corners.collect::<Vec<_>>())?;
/// let pose = Pose::from_translation([0.75, 0.5, 0.5])?;
/// let output = clip(&cube, &cube, &pose, ClippingPreChecks::COLLECT);
/// assert!(output.meet && output.witness.is_some());
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn clip(a: &Hull, b: &Hull, pose: &Pose, checks: ClippingPreChecks) -> ClippingOutput {
    let mut clipping = Clipping::new(a, b, pose, checks);
    loop {
        if let Some(output) = clipping.step() {
            return output;
        }
    }
}

/// A clipping query that is advanced edge by edge.
#[derive(Debug)]
pub struct Clipping<'h> {
    a: &'h Hull,
    b: &'h Hull,
    /// B's vertices in A's frame.
    moved: Vec<Vec3>,
    /// Bound of the rounding error of B's moved vertices along each axis.
    rounding: Vec3,
    checks: ClippingPreChecks,
    boxes: [Aabb; 2],
    /// The half-spaces of the other body at which edges are clipped now.
    planes: Vec<Plane>,
    /// The faces that were not collected.
    left_out: Vec<u32>,
    /// The body whose edges are clipped.
    pass: EdgePass,
    vertex: u32,
    neighbor: usize,
    in_doubt: bool,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EdgePass {
    Start,
    OfA,
    OfB,
}

impl<'h> Clipping<'h> {
    /// Moves B and starts a query.
    #[must_use]
    pub fn new(a: &'h Hull, b: &'h Hull, pose: &Pose, checks: ClippingPreChecks) -> Self {
        let moved: Vec<Vec3> = b.vertices().iter().map(|v| pose.transform_point(*v)).collect();
        let bounds = |points: &[Vec3]| Aabb::from_points(points.iter().copied());
        let reach = b.vertices().iter().fold(Vec3::ZERO, |most, v| most.max(v.abs()));
        let r = pose.rotation();
        let far = r.x_axis.abs() * reach.x + r.y_axis.abs() * reach.y + r.z_axis.abs() * reach.z;
        // Three products and three sums have four roundings; the fifth is for the bound itself.
        let rounding = (far + pose.translation().abs()) * (5.0 * UNIT_ROUNDOFF) + f64::MIN_POSITIVE;
        Self {
            boxes: [bounds(a.vertices()), bounds(&moved)],
            a,
            b,
            moved,
            rounding,
            checks,
            planes: Vec::new(),
            left_out: Vec::new(),
            pass: EdgePass::Start,
            vertex: 0,
            neighbor: 0,
            in_doubt: false,
            counts: Counts::default(),
        }
    }

    /// Clips the next edge. `Some` ends the query.
    pub fn step(&mut self) -> Option<ClippingOutput> {
        let Some(edge) = self.next_edge() else {
            return self.next_pass();
        };
        self.counts.edges += 1;
        let other = self.boxes[usize::from(self.pass == EdgePass::OfA)].grown(4.0 * self.margin());
        if self.checks.edge_against_object && !Aabb::from_points(edge).overlaps(&other) {
            return None;
        }
        self.counts.edges_near += 1;
        let mut interval = Interval::WHOLE;
        for plane in &self.planes {
            self.counts.clips += 1;
            interval.clip(plane, edge);
            if interval.is_empty() {
                return None;
            }
        }
        // Clip this edge and all that follow at the faces left out.
        let left_out = std::mem::take(&mut self.left_out);
        for face in left_out {
            let (other, points) = self.faces_of();
            let plane = self.plane(three_corners(other.face(face as usize), points));
            self.counts.clips += 1;
            interval.clip(&plane, edge);
            self.planes.push(plane);
        }
        if interval.is_empty() {
            return None;
        }
        if interval.is_in_doubt() {
            self.in_doubt = true;
            return None;
        }
        let witness =
            Inside { of_a: self.pass == EdgePass::OfA, edge, interval: interval.certain() };
        Some(self.output(true, Some(witness)))
    }

    /// Upper bound of the distance between a moved vertex and its exact position.
    fn margin(&self) -> f64 {
        length_up(self.rounding) + f64::MIN_POSITIVE
    }

    /// Continues with the edges of the next body, or ends the query.
    fn next_pass(&mut self) -> Option<ClippingOutput> {
        let is_solid = self.a.dimension() == 3 && self.b.dimension() == 3;
        self.pass = match self.pass {
            EdgePass::Start if is_solid => EdgePass::OfA,
            EdgePass::OfA => EdgePass::OfB,
            EdgePass::OfB if !self.in_doubt => return Some(self.output(false, None)),
            _ => return Some(self.decide_exactly()),
        };
        (self.vertex, self.neighbor) = (0, 0);
        self.collect()
    }

    /// The body whose edges are clipped, with its vertices.
    fn edges_of(&self) -> Option<(&'h Hull, &[Vec3])> {
        match self.pass {
            EdgePass::OfA => Some((self.a, self.a.vertices())),
            EdgePass::OfB => Some((self.b, &self.moved)),
            EdgePass::Start => None,
        }
    }

    /// The body at whose faces edges are clipped, with its vertices.
    fn faces_of(&self) -> (&'h Hull, &[Vec3]) {
        match self.pass {
            EdgePass::OfA => (self.b, &self.moved),
            EdgePass::OfB | EdgePass::Start => (self.a, self.a.vertices()),
        }
    }

    /// The plane of a face of that body.
    fn plane(&self, corners: [Vec3; 3]) -> Plane {
        // The planes of both bodies have a margin. Only B's corners are rounded.
        let of_corners = if self.pass == EdgePass::OfA { self.rounding } else { Vec3::ZERO };
        Plane::through(corners, of_corners, 2.0 * self.margin())
    }

    /// Collects the faces for the pass. If there are none, the box of the edges' body is completely
    /// inside or outside the other body, and the position of one vertex decides.
    fn collect(&mut self) -> Option<ClippingOutput> {
        let mut planes = std::mem::take(&mut self.planes);
        let mut left_out = std::mem::take(&mut self.left_out);
        planes.clear();
        left_out.clear();
        let (other, points) = self.faces_of();
        let bounds = self.boxes[usize::from(self.pass == EdgePass::OfB)].grown(8.0 * self.margin());
        let collect = self.checks.collect_faces;
        for (i, face) in other.faces().enumerate() {
            let corners = || face.iter().map(|v| points[*v as usize]);
            if !collect || Aabb::from_points(corners()).overlaps(&bounds) {
                planes.push(self.plane(three_corners(face, points)));
            } else {
                left_out.push(i as u32);
            }
        }
        self.counts.faces += planes.len() as u64;
        let is_empty = planes.is_empty();
        (self.planes, self.left_out) = (planes, left_out);
        if !is_empty {
            return None;
        }
        let (other, points) = self.faces_of();
        let (_, vertices) = self.edges_of()?;
        let p = vertices[0];
        let mut is_inside = true;
        for face in other.faces() {
            let [low, high] = self.plane(three_corners(face, points)).height(p);
            if low > 0.0 {
                return Some(self.output(false, None));
            }
            is_inside &= high <= 0.0;
        }
        Some(if is_inside { self.output(true, None) } else { self.decide_exactly() })
    }

    /// The next edge of the body of this pass. Each edge is returned once.
    fn next_edge(&mut self) -> Option<[Vec3; 2]> {
        let (mut vertex, mut neighbor) = (self.vertex, self.neighbor);
        let (body, points) = self.edges_of()?;
        let mut edge = None;
        while edge.is_none() && (vertex as usize) < points.len() {
            match body.neighbors(vertex).get(neighbor) {
                Some(next) if *next > vertex => {
                    edge = Some([vertex, *next].map(|v| points[v as usize]));
                    neighbor += 1;
                }
                Some(_) => neighbor += 1,
                None => (vertex, neighbor) = (vertex + 1, 0),
            }
        }
        (self.vertex, self.neighbor) = (vertex, neighbor);
        edge
    }

    /// The exact decision.
    fn decide_exactly(&self) -> ClippingOutput {
        let decision = decide(self.a.vertices(), &self.moved, &Hint::NONE);
        ClippingOutput { was_in_doubt: true, ..self.output(decision.is_intersecting(), None) }
    }

    fn output(&self, meet: bool, witness: Option<Inside>) -> ClippingOutput {
        ClippingOutput { meet, witness, was_in_doubt: false, counts: self.counts }
    }
}

/// Three corners of a face, far from each other. No three corners of a face are collinear.
fn three_corners(face: &[u32], points: &[Vec3]) -> [Vec3; 3] {
    let third = face.len() / 3;
    [face[0], face[third], face[2 * third]].map(|v| points[v as usize])
}

/// The plane of a face, with error bounds of the heights over it.
///
/// A component of the normal is the difference of two products. Let `s` be the sum of their
/// absolute values. The error of the component is at most `4u s`. The height has an additional
/// error of at most `4u` times its terms. `10u s . |w|` bounds both. If corners have an error of
/// `d` along each axis, the two spanning vectors change by up to `2d`, and the normal by at most
/// the products of `2d` with the sizes of these vectors. The height changes by the normal times `d`
/// in addition.
#[derive(Clone, Copy, Debug)]
struct Plane {
    point: Vec3,
    normal: Vec3,
    /// The error of a height per unit of distance from the point, along each axis.
    slope: Vec3,
    /// The error of a height at the point, plus the margin.
    base: f64,
}

impl Plane {
    /// The plane through corners with errors up to `rounding` along each axis, with a margin on
    /// both sides.
    fn through([point, p, q]: [Vec3; 3], rounding: Vec3, margin: f64) -> Self {
        let (u, v) = (p - point, q - point);
        let off = rounding * 2.0;
        let sizes = products(u.abs(), v.abs());
        let slope = sizes * (10.0 * UNIT_ROUNDOFF)
            + products(off, u.abs() + v.abs() + off) * (1.0 + 16.0 * UNIT_ROUNDOFF);
        let normal = u.cross(v);
        let length = (normal.abs() + slope).element_sum();
        let base = (rounding.element_sum() + margin) * length * (1.0 + 16.0 * UNIT_ROUNDOFF)
            + TRIPLE_PRODUCT_UNDERFLOW;
        Self { point, normal, slope, base }
    }

    /// Lower and upper bound of the height of `p` over the plane, times the length of the normal,
    /// including the margin.
    fn height(&self, p: Vec3) -> [f64; 2] {
        let w = p - self.point;
        let height = self.normal.dot(w);
        let error = self.slope.dot(w.abs()) * (1.0 + 16.0 * UNIT_ROUNDOFF) + self.base;
        [height - error, height + error]
    }
}

/// The sums of products that bound the components of a cross product.
fn products(x: Vec3, y: Vec3) -> Vec3 {
    Vec3::new(x.y * y.z + x.z * y.y, x.z * y.x + x.x * y.z, x.x * y.y + x.y * y.x)
}

/// The remaining part of an edge: lower and upper bounds of the parameters of its start and its
/// end.
#[derive(Clone, Copy, Debug)]
struct Interval {
    begin: [f64; 2],
    end: [f64; 2],
}

impl Interval {
    const WHOLE: Self = Self { begin: [0.0; 2], end: [1.0; 2] };

    /// Clips at one half-space.
    fn clip(&mut self, plane: &Plane, [p, q]: [Vec3; 2]) {
        let ([p0, p1], [q0, q1]) = (plane.height(p), plane.height(q));
        if p1 <= 0.0 && q1 <= 0.0 {
            return;
        }
        if p0 > 0.0 && q0 > 0.0 {
            // The whole edge is outside.
            self.begin = [2.0; 2];
        } else if q1 <= 0.0 {
            // The edge enters: the height decreases from p to zero at p / (p - q).
            self.begin[0] =
                self.begin[0].max(crossing(p0.max(0.0), -q0) * (1.0 - 4.0 * UNIT_ROUNDOFF));
            self.begin[1] = self.begin[1].max(crossing(p1, -q1) * (1.0 + 4.0 * UNIT_ROUNDOFF));
        } else if p1 <= 0.0 {
            // The edge leaves: the same, computed from the other end.
            self.end[1] =
                self.end[1].min(1.0 - crossing(q0.max(0.0), -p0) * (1.0 - 4.0 * UNIT_ROUNDOFF));
            self.end[0] = self.end[0].min(1.0 - crossing(q1, -p1) * (1.0 + 4.0 * UNIT_ROUNDOFF));
        } else if p0 > 0.0 {
            // The edge may enter, at some point after its start.
            self.begin[0] = self.begin[0].max(crossing(p0, -q0) * (1.0 - 4.0 * UNIT_ROUNDOFF));
            self.begin[1] = 2.0;
        } else if q0 > 0.0 {
            self.end[1] = self.end[1].min(1.0 - crossing(q0, -p0) * (1.0 - 4.0 * UNIT_ROUNDOFF));
            self.end[0] = -1.0;
        } else {
            // The edge is in the plane, up to rounding.
            self.begin[1] = 2.0;
        }
    }

    /// Whether certainly no part is left. The tolerance covers the rounding of the subtractions
    /// from one.
    fn is_empty(&self) -> bool {
        self.begin[0] > self.end[1] + 2.0 * UNIT_ROUNDOFF
    }

    /// Whether it is uncertain that a part is left.
    fn is_in_doubt(&self) -> bool {
        // Not the opposite comparison, because NaN counts as doubt too.
        let is_certain = self.begin[1] <= self.end[0] - 2.0 * UNIT_ROUNDOFF;
        !is_certain
    }

    /// The part that certainly remains.
    fn certain(&self) -> [f64; 2] {
        [self.begin[1], self.end[0] - 2.0 * UNIT_ROUNDOFF]
    }
}

/// The parameter where a height that decreases from `above` to `-below` is zero.
fn crossing(above: f64, below: f64) -> f64 {
    above / (above + below)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(planes: &[[Vec3; 3]], edge: [Vec3; 2]) -> Interval {
        let mut interval = Interval::WHOLE;
        for corners in planes {
            interval.clip(&Plane::through(*corners, Vec3::ZERO, 0.0), edge);
        }
        interval
    }

    #[test]
    fn an_edge_is_clipped_where_it_enters_and_leaves() {
        let at = |z: f64, up: bool| {
            let (x, y) = if up { (Vec3::X, Vec3::Y) } else { (Vec3::Y, Vec3::X) };
            [Vec3::Z * z, Vec3::Z * z + x, Vec3::Z * z + y]
        };
        let edge = [Vec3::new(0.3, 0.4, -1.0), Vec3::new(0.3, 0.4, 3.0)];
        let left = interval(&[at(1.0, true), at(0.0, false)], edge);
        assert!((left.begin[0] - 0.25).abs() < 1e-14 && (left.end[1] - 0.5).abs() < 1e-14);
        assert!(!left.is_empty() && !left.is_in_doubt());
        assert!(interval(&[at(-2.0, true)], edge).is_empty());
        assert!(interval(&[at(0.0, true), at(1.0, false)], edge).is_empty());
        // Parallel edges are not clipped, unless they are outside.
        let level = [Vec3::ZERO, Vec3::X];
        assert!(!interval(&[at(1.0, true)], level).is_in_doubt());
        assert!(interval(&[at(-1.0, true)], level).is_empty());
        assert!(interval(&[at(0.0, true)], level).is_in_doubt());
    }

    #[test]
    fn heights_are_enclosed() {
        use impinge::internals::Random;
        use num_rational::BigRational;
        let mut random = Random::new(3);
        let exact = |x: f64| BigRational::from_float(x).unwrap();
        for round in 0..2000 {
            let scale = [1.0, 1e-9, 1e30][round % 3];
            let c: [Vec3; 3] = std::array::from_fn(|_| random.in_cube() * scale + Vec3::X * scale);
            let p = if round % 2 == 0 { random.in_cube() * scale } else { c[0] * 0.5 + c[1] * 0.5 };
            let e = |v: Vec3, k: usize| exact(v[k]) - exact(c[0][k]);
            let cross = |i: usize, j: usize| e(c[1], i) * e(c[2], j) - e(c[1], j) * e(c[2], i);
            let height = cross(1, 2) * e(p, 0) + cross(2, 0) * e(p, 1) + cross(0, 1) * e(p, 2);
            let [low, high] = Plane::through(c, Vec3::ZERO, 0.0).height(p);
            assert!(exact(low) <= height && height <= exact(high));
        }
    }

    /// Corners displaced by at most the given rounding error do not move a height out of its
    /// enclosure.
    #[test]
    fn rounded_corners_are_enclosed() {
        use impinge::internals::Random;
        use num_rational::BigRational;
        let mut random = Random::new(4);
        let exact = |x: f64| BigRational::from_float(x).unwrap();
        for _ in 0..1000 {
            let c: [Vec3; 3] = std::array::from_fn(|_| random.in_cube());
            let rounding = random.in_cube().abs() * 1e-6;
            let off: [Vec3; 3] = c.map(|v| v + random.in_cube() * rounding * 0.999);
            let p = random.in_cube();
            let e = |v: Vec3, k: usize| exact(v[k]) - exact(off[0][k]);
            let cross =
                |i: usize, j: usize| e(off[1], i) * e(off[2], j) - e(off[1], j) * e(off[2], i);
            let height = cross(1, 2) * e(p, 0) + cross(2, 0) * e(p, 1) + cross(0, 1) * e(p, 2);
            let [low, high] = Plane::through(c, rounding, 0.0).height(p);
            assert!(exact(low) <= height && height <= exact(high));
            assert!(high - low < 1e-4);
        }
    }
}
