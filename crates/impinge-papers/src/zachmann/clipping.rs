//! Do two hulls meet? Edges clipped at half-spaces: the modified Cyrus-Beck algorithm of Zachmann
//! 1994, section 3.4.1.
//!
//! A solid hull is the intersection of the half-spaces behind its faces. An edge of the other body
//! is clipped at each of them: what is left is an interval of its parameter, never a point. If
//! anything is left of any edge of either body, they meet. A parallel edge clips nothing, as in the
//! thesis.
//!
//! **Pre-checks.** An edge is skipped when its box misses the other body's box. And at first only
//! those faces clip whose box meets the box of the body that the edges belong to. Two places where
//! the thesis is off. It says that the edges are outside if no face is collected; they may as well
//! all be inside, so then a vertex is located. And it says that the faces left out cannot clip an
//! edge any further. That holds if the faces themselves reach into the box, but not if only their
//! boxes do; so an edge that is left over is clipped at the other faces, too, before it counts.
//!
//! **Exact**, though B is moved and rounded. Let `B*` be B moved in real arithmetic: its faces are
//! flat and its edges are those of B. The body that verdicts speak of, the hull of the rounded
//! vertices, is nowhere further than some `e` from it. Every height over a plane is enclosed, with
//! rounding and a margin of `e` on both sides; so what is left of an edge is certainly something,
//! certainly nothing, or in doubt.
//!
//! - *Something left of an edge of A*: a point of it is in `B*` and further than `e` from its
//!   surface, so it is in the rounded body. *Something left of an edge of B*: the segment between
//!   two rounded vertices is in the rounded body.
//! - *Nothing left of any edge*: then A and `B*` are further than `e` apart, and so A and the
//!   rounded body are apart. For if they were not, of a closest pair of points one could be chosen
//!   on an edge of its body, and this edge would reach into the other body grown by `e`, hence
//!   behind all of its planes pushed out by `e`.
//! - *Doubt*, and bodies that are not solid and have no half-spaces: [`decide`](impinge::convex::decide)
//!   decides, once for the pair.

use impinge::convex::Hull;
use impinge::convex::decide::{Hint, decide};
use impinge::internals::body_length_up as length_up;
use impinge::math::{Aabb, Pose, Vec3};

/// The pre-checks to make; they accumulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PreChecks {
    /// Skip edges whose box misses the other body's box.
    pub edge_against_object: bool,
    /// Clip only at faces whose box meets the box of the edges' body.
    pub collect_faces: bool,
}

impl PreChecks {
    /// None at all.
    pub const NONE: Self = Self { edge_against_object: false, collect_faces: false };
    /// Edges against the object's box.
    pub const OBJECT_BOX: Self = Self { edge_against_object: true, collect_faces: false };
    /// And faces against the object's box.
    pub const COLLECT: Self = Self { edge_against_object: true, collect_faces: true };
}

/// How much work a query took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Edges looked at.
    pub edges: u64,
    /// Edges left after the pre-check.
    pub edges_near: u64,
    /// Faces that clip, both bodies together.
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
    /// The part of it that is inside, as shares of the way from the first end to the second,
    /// rounded inward: those points are certainly common.
    pub interval: [f64; 2],
}

/// The answer to a clipping query. Exact, always.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Output {
    /// Whether the bodies share a point.
    pub meet: bool,
    /// An edge that is certainly inside, unless the exact decision was needed or a whole body lies
    /// inside.
    pub witness: Option<Inside>,
    /// Whether rounding left a doubt that the exact decision resolved.
    pub was_in_doubt: bool,
    /// The work done.
    pub counts: Counts,
}

/// Whether two hulls share a point, B at `pose` in A's frame, by clipping.
///
/// ```
/// use impinge::{Pose, Vec3};
/// use impinge::convex::Hull;
/// use impinge_papers::zachmann::clipping::{PreChecks, clip};
///
/// let cube = Hull::new(&(0..8).map(|i| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect::<Vec<_>>())?;
/// let pose = Pose::from_translation([0.75, 0.5, 0.5])?;
/// let output = clip(&cube, &cube, &pose, PreChecks::COLLECT);
/// assert!(output.meet && output.witness.is_some());
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn clip(a: &Hull, b: &Hull, pose: &Pose, checks: PreChecks) -> Output {
    let mut clipping = Clipping::new(a, b, pose, checks);
    loop {
        if let Some(output) = clipping.step() {
            return output;
        }
    }
}

/// A clipping query in progress, edge by edge.
#[derive(Debug)]
pub struct Clipping<'h> {
    a: &'h Hull,
    b: &'h Hull,
    /// B's vertices in A's frame.
    moved: Vec<Vec3>,
    /// How far B's moved vertices may be from where real arithmetic would put them, along each
    /// axis.
    rounding: Vec3,
    checks: PreChecks,
    boxes: [Aabb; 2],
    /// The half-spaces that clip now, of the body that the edges do not belong to.
    planes: Vec<Plane>,
    /// The faces that were not collected.
    left_out: Vec<u32>,
    /// Whose edges are clipped.
    turn: Turn,
    vertex: u32,
    neighbor: usize,
    in_doubt: bool,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Start,
    OfA,
    OfB,
}

impl<'h> Clipping<'h> {
    /// Moves B and begins.
    #[must_use]
    pub fn new(a: &'h Hull, b: &'h Hull, pose: &Pose, checks: PreChecks) -> Self {
        let moved: Vec<Vec3> = b.vertices().iter().map(|v| pose.transform_point(*v)).collect();
        let bounds = |points: &[Vec3]| Aabb::from_points(points.iter().copied());
        let reach = b.vertices().iter().fold(Vec3::ZERO, |most, v| most.max(v.abs()));
        let r = pose.rotation();
        let far = r.x_axis.abs() * reach.x + r.y_axis.abs() * reach.y + r.z_axis.abs() * reach.z;
        // Three products and three sums: four roundings, and one for the bound itself.
        let rounding = (far + pose.translation().abs()) * (5.0 * U) + f64::MIN_POSITIVE;
        Self {
            boxes: [bounds(a.vertices()), bounds(&moved)],
            a,
            b,
            moved,
            rounding,
            checks,
            planes: Vec::new(),
            left_out: Vec::new(),
            turn: Turn::Start,
            vertex: 0,
            neighbor: 0,
            in_doubt: false,
            counts: Counts::default(),
        }
    }

    /// Clips the next edge; an output ends the query.
    pub fn step(&mut self) -> Option<Output> {
        let Some(edge) = self.next_edge() else {
            return self.next_turn();
        };
        self.counts.edges += 1;
        let other = self.boxes[usize::from(self.turn == Turn::OfA)].grown(4.0 * self.margin());
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
        // The faces left out clip this edge and all that follow.
        let left_out = std::mem::take(&mut self.left_out);
        for face in left_out {
            let (other, points) = self.faces_of();
            let plane = self.plane(three(other.face(face as usize), points));
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
        let witness = Inside { of_a: self.turn == Turn::OfA, edge, interval: interval.certain() };
        Some(self.output(true, Some(witness)))
    }

    /// The largest distance between a moved vertex and where it should be, and some more.
    fn margin(&self) -> f64 {
        length_up(self.rounding) + f64::MIN_POSITIVE
    }

    /// Goes on to the edges of the next body, or to the end.
    fn next_turn(&mut self) -> Option<Output> {
        let is_solid = self.a.dimension() == 3 && self.b.dimension() == 3;
        self.turn = match self.turn {
            Turn::Start if is_solid => Turn::OfA,
            Turn::OfA => Turn::OfB,
            Turn::OfB if !self.in_doubt => return Some(self.output(false, None)),
            _ => return Some(self.exactly()),
        };
        (self.vertex, self.neighbor) = (0, 0);
        self.collect()
    }

    /// The body whose edges are clipped, with its vertices.
    fn edges_of(&self) -> Option<(&'h Hull, &[Vec3])> {
        match self.turn {
            Turn::OfA => Some((self.a, self.a.vertices())),
            Turn::OfB => Some((self.b, &self.moved)),
            Turn::Start => None,
        }
    }

    /// The body whose faces clip, with its vertices.
    fn faces_of(&self) -> (&'h Hull, &[Vec3]) {
        match self.turn {
            Turn::OfA => (self.b, &self.moved),
            Turn::OfB | Turn::Start => (self.a, self.a.vertices()),
        }
    }

    /// The plane of a face of the body that clips.
    fn plane(&self, corners: [Vec3; 3]) -> Plane {
        // Both bodies' planes have a margin; only B's corners are rounded.
        let of_corners = if self.turn == Turn::OfA { self.rounding } else { Vec3::ZERO };
        Plane::through(corners, of_corners, 2.0 * self.margin())
    }

    /// Collects the faces for the turn. If there are none, the box of the edges' body is inside the
    /// other one or outside as a whole, and a vertex tells.
    fn collect(&mut self) -> Option<Output> {
        let mut planes = std::mem::take(&mut self.planes);
        let mut left_out = std::mem::take(&mut self.left_out);
        planes.clear();
        left_out.clear();
        let (other, points) = self.faces_of();
        let bounds = self.boxes[usize::from(self.turn == Turn::OfB)].grown(8.0 * self.margin());
        let collect = self.checks.collect_faces;
        for (i, face) in other.faces().enumerate() {
            let corners = || face.iter().map(|v| points[*v as usize]);
            if !collect || Aabb::from_points(corners()).overlaps(&bounds) {
                planes.push(self.plane(three(face, points)));
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
            let [low, high] = self.plane(three(face, points)).height(p);
            if low > 0.0 {
                return Some(self.output(false, None));
            }
            is_inside &= high <= 0.0;
        }
        Some(if is_inside { self.output(true, None) } else { self.exactly() })
    }

    /// The next edge of the body whose turn it is, once per pair of ends.
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
    fn exactly(&self) -> Output {
        let decision = decide(self.a.vertices(), &self.moved, &Hint::NONE);
        Output { was_in_doubt: true, ..self.output(decision.is_intersecting(), None) }
    }

    fn output(&self, meet: bool, witness: Option<Inside>) -> Output {
        Output { meet, witness, was_in_doubt: false, counts: self.counts }
    }
}

/// Half an ulp of one.
const U: f64 = f64::EPSILON / 2.0;

/// More than what products that underflow can lose: `2^-700`.
const UNDERFLOW: f64 = f64::from_bits((1023 - 700) << 52);

/// Three corners of a face, far from each other. No three corners of a face are on a line.
fn three(face: &[u32], points: &[Vec3]) -> [Vec3; 3] {
    let third = face.len() / 3;
    [face[0], face[third], face[2 * third]].map(|v| points[v as usize])
}

/// The plane of a face, with what heights over it can be off.
///
/// With `s` the sizes of the products that a component of the normal is the difference of, the
/// component is off by at most `4u s`, and a height by at most `4u` of its terms more: ten `u` of
/// `s . |w|` cover both. Corners that are off by `d` along each axis change the two spanning
/// vectors by `2d`, and with them the normal by at most the products of `2d` with their sizes; and
/// a height by the normal times `d` more.
#[derive(Clone, Copy, Debug)]
struct Plane {
    point: Vec3,
    normal: Vec3,
    /// The error of a height, for each unit along each axis from the point.
    slope: Vec3,
    /// The error of a height at the point, with the margin.
    base: f64,
}

impl Plane {
    /// The plane through corners that are off by up to `rounding` along each axis, with a margin on
    /// both sides.
    fn through([point, p, q]: [Vec3; 3], rounding: Vec3, margin: f64) -> Self {
        let (u, v) = (p - point, q - point);
        let off = rounding * 2.0;
        let sizes = products(u.abs(), v.abs());
        let slope = sizes * (10.0 * U) + products(off, u.abs() + v.abs() + off) * (1.0 + 16.0 * U);
        let normal = u.cross(v);
        let length = (normal.abs() + slope).element_sum();
        let base = (rounding.element_sum() + margin) * length * (1.0 + 16.0 * U) + UNDERFLOW;
        Self { point, normal, slope, base }
    }

    /// How far `p` is outside, times the normal's length: at least and at most, with the margin.
    fn height(&self, p: Vec3) -> [f64; 2] {
        let w = p - self.point;
        let height = self.normal.dot(w);
        let error = self.slope.dot(w.abs()) * (1.0 + 16.0 * U) + self.base;
        [height - error, height + error]
    }
}

/// The sums of products that bound the components of a cross product.
fn products(x: Vec3, y: Vec3) -> Vec3 {
    Vec3::new(x.y * y.z + x.z * y.y, x.z * y.x + x.x * y.z, x.x * y.y + x.y * y.x)
}

/// What is left of an edge: where it begins and where it ends, each at least and at most.
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
            // All of it is outside.
            self.begin = [2.0; 2];
        } else if q1 <= 0.0 {
            // It enters: the height falls from p to zero at p / (p - q).
            self.begin[0] = self.begin[0].max(crossing(p0.max(0.0), -q0) * (1.0 - 4.0 * U));
            self.begin[1] = self.begin[1].max(crossing(p1, -q1) * (1.0 + 4.0 * U));
        } else if p1 <= 0.0 {
            // It leaves: the same seen from the other end.
            self.end[1] = self.end[1].min(1.0 - crossing(q0.max(0.0), -p0) * (1.0 - 4.0 * U));
            self.end[0] = self.end[0].min(1.0 - crossing(q1, -p1) * (1.0 + 4.0 * U));
        } else if p0 > 0.0 {
            // It enters if it does, somewhere after the start.
            self.begin[0] = self.begin[0].max(crossing(p0, -q0) * (1.0 - 4.0 * U));
            self.begin[1] = 2.0;
        } else if q0 > 0.0 {
            self.end[1] = self.end[1].min(1.0 - crossing(q0, -p0) * (1.0 - 4.0 * U));
            self.end[0] = -1.0;
        } else {
            // In the plane, to rounding.
            self.begin[1] = 2.0;
        }
    }

    /// Whether certainly nothing is left. The ends were rounded once more when they were taken from
    /// one.
    fn is_empty(&self) -> bool {
        self.begin[0] > self.end[1] + 2.0 * U
    }

    /// Whether it is uncertain that something is left.
    fn is_in_doubt(&self) -> bool {
        // Not the opposite comparison: NaN is a doubt too.
        let is_certain = self.begin[1] <= self.end[0] - 2.0 * U;
        !is_certain
    }

    /// What is certainly left.
    fn certain(&self) -> [f64; 2] {
        [self.begin[1], self.end[0] - 2.0 * U]
    }
}

/// Where a height that falls from `above` to `-below` is zero.
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
        // Parallel edges clip nothing, unless they are outside.
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

    /// Corners moved by the rounding they are said to have change no height by more than the
    /// enclosure.
    #[test]
    fn rounded_corners_are_allowed_for() {
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
