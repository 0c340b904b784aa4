//! One step of the walk: the rules of V-Clip for each kind of pair.

use impinge::Vec3;

use super::polytope::{Feature, View};

/// The outcome of a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Move {
    /// The walk continues at this pair.
    To(Feature, Feature),
    /// The walk ends: these features are the closest ones, at this distance.
    Apart(f64),
    /// The walk ends: the bodies share a point.
    Meet,
}

impl Move {
    fn swapped(self) -> Self {
        match self {
            Self::To(a, b) => Self::To(b, a),
            other => other,
        }
    }
}

/// One step from features `fp` and `fq`.
pub(super) fn step(p: &View<'_>, fp: Feature, q: &View<'_>, fq: Feature) -> Move {
    use Feature::{Edge, Face, Vertex};
    match (fp, fq) {
        (Vertex(v), Vertex(w)) => vertex_vertex(p, v, q, w),
        (Vertex(v), Edge(e)) => vertex_edge(p, v, q, e),
        (Edge(e), Vertex(v)) => vertex_edge(q, v, p, e).swapped(),
        (Edge(d), Edge(e)) => edge_edge(p, d, q, e),
        (Vertex(v), Face(f)) => vertex_face(p, v, q, f),
        (Face(f), Vertex(v)) => vertex_face(q, v, p, f).swapped(),
        (Edge(e), Face(f)) => edge_face(p, e, q, f),
        (Face(f), Edge(e)) => edge_face(q, e, p, f).swapped(),
        (Face(f), Face(g)) => Move::To(Edge(p.face_edges(f)[0]), Face(g)),
    }
}

fn vertex_vertex(p: &View<'_>, v: u32, q: &View<'_>, w: u32) -> Move {
    let (x, y) = (p.vertex(v), q.vertex(w));
    for e in p.vertex_edges(v) {
        if p.beyond_vertex(v, *e, y) > 0.0 {
            return Move::To(Feature::Edge(*e), Feature::Vertex(w));
        }
    }
    for e in q.vertex_edges(w) {
        if q.beyond_vertex(w, *e, x) > 0.0 {
            return Move::To(Feature::Vertex(v), Feature::Edge(*e));
        }
    }
    let distance = x.distance(y);
    if distance > 0.0 { Move::Apart(distance) } else { Move::Meet }
}

fn vertex_edge(p: &View<'_>, v: u32, q: &View<'_>, e: u32) -> Move {
    let x = p.vertex(v);
    let edge = q.edge(e);
    for end in edge.ends {
        if q.beyond_vertex(end, e, x) < 0.0 {
            return Move::To(Feature::Vertex(v), Feature::Vertex(end));
        }
    }
    for f in edge.faces {
        if q.beyond_face_edge(f, e, x) < 0.0 {
            return Move::To(Feature::Vertex(v), Feature::Face(f));
        }
    }
    let segment = q.segment(e);
    let planes = p
        .vertex_edges(v)
        .iter()
        .map(|s| (segment.map(|y| -p.beyond_vertex(v, *s, y)), Feature::Edge(*s)));
    let clipped = Clipped::new(planes);
    let slope = |t: f64| (segment[1] - segment[0]).dot(at(segment, t) - x);
    if let Some(feature) = clipped.closest_region(slope) {
        return Move::To(feature, Feature::Edge(e));
    }
    apart(x.distance(at(segment, nearest(segment, x))))
}

fn edge_edge(p: &View<'_>, d: u32, q: &View<'_>, e: u32) -> Move {
    if let Some(feature) = region_of_edge(p, d, q.segment(e)) {
        return Move::To(feature, Feature::Edge(e));
    }
    if let Some(feature) = region_of_edge(q, e, p.segment(d)) {
        return Move::To(Feature::Edge(d), feature);
    }
    apart(segment_distance(p.segment(d), q.segment(e)))
}

/// The neighbour of edge `d` in whose region the segment comes closest, or `None` if that is the
/// region of the edge itself.
fn region_of_edge(p: &View<'_>, d: u32, segment: [Vec3; 2]) -> Option<Feature> {
    let edge = p.edge(d);
    let (tail, direction) = (p.vertex(edge.ends[0]), p.direction(d));
    let slope = |t: f64| {
        let w = at(segment, t) - tail;
        (segment[1] - segment[0]).dot(w - direction * direction.dot(w))
    };
    let ends =
        edge.ends.iter().map(|v| (segment.map(|y| p.beyond_vertex(*v, d, y)), Feature::Vertex(*v)));
    if let Some(feature) = Clipped::new(ends).closest_region(slope) {
        return Some(feature);
    }
    let faces = edge
        .faces
        .iter()
        .map(|f| (segment.map(|y| p.beyond_face_edge(*f, d, y)), Feature::Face(*f)));
    Clipped::new(faces).closest_region(slope)
}

fn vertex_face(p: &View<'_>, v: u32, q: &View<'_>, f: u32) -> Move {
    let x = p.vertex(v);
    let outermost = q
        .face_edges(f)
        .iter()
        .map(|e| (q.beyond_face_edge(f, *e, x), *e))
        .fold((0.0, None), |best, (d, e)| if d > best.0 { (d, Some(e)) } else { best });
    if let Some(e) = outermost.1 {
        return Move::To(Feature::Vertex(v), Feature::Edge(e));
    }
    let height = q.height(f, x);
    if height == 0.0 {
        return Move::Meet;
    }
    for e in p.vertex_edges(v) {
        let ends = p.edge(*e).ends;
        let other = q.height(f, p.vertex(if ends[0] == v { ends[1] } else { ends[0] }));
        if (height > 0.0 && other < height) || (height < 0.0 && other > height) {
            return Move::To(Feature::Edge(*e), Feature::Face(f));
        }
    }
    if height > 0.0 {
        return Move::Apart(height);
    }
    // The vertex lies behind the face, and none of its edges comes closer to it. It is either
    // inside or closer to another face.
    let (highest, g) = q.faces().fold((f64::NEG_INFINITY, f), |best, g| {
        let height = q.height(g, x);
        if height > best.0 { (height, g) } else { best }
    });
    if highest <= 0.0 { Move::Meet } else { Move::To(Feature::Vertex(v), Feature::Face(g)) }
}

fn edge_face(p: &View<'_>, e: u32, q: &View<'_>, f: u32) -> Move {
    let segment = p.segment(e);
    let sides = q
        .face_edges(f)
        .iter()
        .map(|s| (segment.map(|x| -q.beyond_face_edge(f, *s, x)), Feature::Edge(*s)));
    let clipped = Clipped::new(sides);
    if clipped.is_empty() {
        let distance = |s: &u32| segment_distance(segment, q.segment(*s));
        let side = q.face_edges(f).iter().min_by(|s, t| distance(s).total_cmp(&distance(t)));
        return Move::To(Feature::Edge(e), Feature::Edge(side.copied().unwrap_or_default()));
    }
    let [from, to] = [clipped.from, clipped.to].map(|t| q.height(f, at(segment, t)));
    if from * to <= 0.0 {
        return Move::Meet;
    }
    let is_closer_at_start = if from > 0.0 { from <= to } else { from >= to };
    let (end, side) = if is_closer_at_start { (0, clipped.before) } else { (1, clipped.after) };
    match side {
        Some(side) => Move::To(Feature::Edge(e), side),
        None => Move::To(Feature::Vertex(p.edge(e).ends[end]), Feature::Face(f)),
    }
}

fn apart(distance: f64) -> Move {
    if distance > 0.0 { Move::Apart(distance) } else { Move::Meet }
}

/// The part of a segment between planes, and the features whose planes clipped its ends.
struct Clipped {
    from: f64,
    to: f64,
    before: Option<Feature>,
    after: Option<Feature>,
    /// The feature whose plane has the whole segment outside.
    all_beyond: Option<Feature>,
}

impl Clipped {
    /// Clips at planes, each given by the signed distances of both ends, positive inside.
    fn new(planes: impl Iterator<Item = ([f64; 2], Feature)>) -> Self {
        let mut clipped = Self { from: 0.0, to: 1.0, before: None, after: None, all_beyond: None };
        for ([s, t], feature) in planes {
            if s < 0.0 && t < 0.0 {
                clipped.all_beyond = Some(feature);
                return clipped;
            }
            let crossing = s / (s - t);
            if s < 0.0 && crossing > clipped.from {
                (clipped.from, clipped.before) = (crossing, Some(feature));
            } else if t < 0.0 && crossing < clipped.to {
                (clipped.to, clipped.after) = (crossing, Some(feature));
            }
            if clipped.from > clipped.to {
                return clipped;
            }
        }
        clipped
    }

    fn is_empty(&self) -> bool {
        self.all_beyond.is_some() || self.from > self.to
    }

    /// The feature in whose region the segment comes closest, decided by the slope of the distance
    /// along the segment; `None` if it is closest within the planes.
    fn closest_region(&self, slope: impl Fn(f64) -> f64) -> Option<Feature> {
        if self.all_beyond.is_some() {
            return self.all_beyond;
        }
        let before = self.before.filter(|_| slope(self.from) > 0.0);
        before.or_else(|| self.after.filter(|_| slope(self.to) < 0.0))
    }
}

fn at([p, q]: [Vec3; 2], t: f64) -> Vec3 {
    p + (q - p) * t
}

/// The parameter of the point of the segment that is closest to `x`.
fn nearest([p, q]: [Vec3; 2], x: Vec3) -> f64 {
    let d = q - p;
    ((x - p).dot(d) / d.length_squared()).clamp(0.0, 1.0)
}

/// The distance of two segments: the minimum over the distances of the ends, and of the closest
/// points of the lines, clamped to the segments.
fn segment_distance(s: [Vec3; 2], t: [Vec3; 2]) -> f64 {
    let ends = [
        s[0].distance(at(t, nearest(t, s[0]))),
        s[1].distance(at(t, nearest(t, s[1]))),
        t[0].distance(at(s, nearest(s, t[0]))),
        t[1].distance(at(s, nearest(s, t[1]))),
    ];
    let mut min = ends.into_iter().fold(f64::INFINITY, f64::min);
    let (d, e, w) = (s[1] - s[0], t[1] - t[0], s[0] - t[0]);
    let (a, b, c) = (d.dot(d), d.dot(e), e.dot(e));
    let determinant = a * c - b * b;
    if determinant > 0.0 {
        let x = ((b * e.dot(w) - c * d.dot(w)) / determinant).clamp(0.0, 1.0);
        let p = at(s, x);
        min = min.min(p.distance(at(t, nearest(t, p))));
    }
    min
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_segments() {
        let cross = segment_distance([-Vec3::X, Vec3::X], [Vec3::Z - Vec3::Y, Vec3::Z + Vec3::Y]);
        assert!((cross - 1.0).abs() < 1e-15);
        let level = segment_distance([-Vec3::X, Vec3::X], [Vec3::Z * 2.0, Vec3::Z * 2.0 + Vec3::X]);
        assert!((level - 2.0).abs() < 1e-15);
        let ends =
            segment_distance([Vec3::ZERO, Vec3::X], [Vec3::X * 4.0, Vec3::X * 4.0 + Vec3::Y]);
        assert!((ends - 3.0).abs() < 1e-15);
    }

    #[test]
    fn a_segment_is_clipped_on_both_sides() {
        let (a, b) = (Feature::Vertex(1), Feature::Vertex(2));
        let clipped = Clipped::new([([-1.0, 3.0], a), ([1.0, -1.0], b)].into_iter());
        assert_eq!((clipped.from, clipped.to), (0.25, 0.5));
        assert_eq!((clipped.before, clipped.after), (Some(a), Some(b)));
        assert_eq!(clipped.closest_region(|_| 1.0), Some(a));
        assert_eq!(clipped.closest_region(|_| -1.0), Some(b));
        assert_eq!(clipped.closest_region(|_| 0.0), None);
        assert!(Clipped::new([([-1.0, -1.0], a)].into_iter()).is_empty());
    }
}
