//! The expansion of the polytope.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::PenetrationOptions;
use super::polytope::{Face, Polytope};
use crate::answer::Contact;
use crate::arrays::MapEach;
use crate::convex::body::{Support, UNIT_ROUNDOFF};
use crate::convex::closest::{
    BodyCache, Difference, Iterated, Iteration, SignedVolumes, Stop, Vertex, iterate,
    signed_volumes,
};
use crate::convex::interruptible::{finish, pay, report};
use crate::math::{Pose, Vec3};

/// The penetration depth of `a` and `b`, or their distance, with `pose` the pose of B in A's frame.
///
/// ```
/// use impinge::Pose;
/// use impinge::convex::{Cuboid, Cylinder, penetration};
///
/// let (a, b) = (Cuboid::new([1.0, 1.0, 1.0])?, Cylinder::new(1.0, 0.5)?);
/// let pose = Pose::from_translation([1.25, 0.0, 0.5])?;
/// let found = penetration(&a, &b, &pose, &Default::default(), &mut Default::default());
/// let contact = found.answer;
/// assert!(contact.lower <= -0.25 && -0.25 <= contact.upper);
/// assert!(contact.upper - contact.lower < 1e-9);
/// assert!(contact.direction.x > 0.999);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn penetration<A: Support, B: Support>(
    a: &A,
    b: &B,
    pose: &Pose,
    options: &PenetrationOptions,
    cache: &mut BodyCache<A::Memory, B::Memory>,
) -> Iterated<Contact> {
    finish(penetration_in_pieces(a, b, pose, options, cache))
}

/// As [`penetration`], in pieces.
pub(crate) async fn penetration_in_pieces<A: Support, B: Support>(
    a: &A,
    b: &B,
    pose: &Pose,
    options: &PenetrationOptions,
    cache: &mut BodyCache<A::Memory, B::Memory>,
) -> Iterated<Contact> {
    let difference = Difference::new(a, b, pose);
    let margins = [a.margin(), b.margin()];
    let margin = margins[0] + margins[1];
    let closest = &options.closest;
    let iteration = iterate(&difference, margins, 0.0, closest, &mut SignedVolumes, cache).await;
    iteration.store(cache);
    let [lower, upper] = iteration.bounds_without_margins(&difference, margins);
    let mut found = if iteration.stop == Stop::Inside || iteration.cores_may_intersect() {
        let expansion = Expansion::of(&difference, &iteration, options, cache, margin).await;
        expansion.result(&difference, &iteration, margin)
    } else {
        let [point_a, point_b] = iteration.points();
        let direction = iteration.direction();
        Iterated {
            answer: Contact { lower, upper, direction, point_a, point_b },
            direction,
            point_error: difference.point_error(point_a, point_b),
            iterations: iteration.iterations,
            stop: iteration.stop,
        }
    };
    found.answer.point_a += found.direction * margins[0];
    found.answer.point_b -= found.direction * margins[1];
    found.point_error += 4.0 * UNIT_ROUNDOFF * margin;
    found
}

/// Faces of the final polytope that are searched in a piece of work, and its units.
const FACES_IN_PIECE: usize = 16;
const UNITS_OF_FACES: u64 = 4;

/// The most support points for the first tetrahedron.
const MAX_STARTING_SUPPORTS: u64 = 12;

/// A face in the queue, ordered by height, the nearest first; equally near faces in the order of
/// their numbers.
#[derive(PartialEq)]
struct QueuedFace {
    height: f64,
    face: u32,
}

impl Eq for QueuedFace {}

impl Ord for QueuedFace {
    fn cmp(&self, other: &Self) -> Ordering {
        other.height.total_cmp(&self.height).then(other.face.cmp(&self.face))
    }
}

impl PartialOrd for QueuedFace {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The result of the expansion, in the scaled frame.
struct Expansion {
    /// A lower bound of the depth of the cores, if one is known.
    lower: Option<f64>,
    upper: f64,
    /// The outward direction that gave `upper`.
    direction: Vec3,
    /// The points of the cores in that direction.
    points: [Vec3; 2],
    supports: u32,
    stop: Stop,
}

impl Expansion {
    async fn of<A: Support, B: Support>(
        difference: &Difference<'_, A, B>,
        iteration: &Iteration,
        options: &PenetrationOptions,
        cache: &mut BodyCache<A::Memory, B::Memory>,
        margin: f64,
    ) -> Self {
        let mut expansion = Self {
            lower: None,
            upper: f64::INFINITY,
            direction: Vec3::ZERO,
            points: iteration.points(),
            supports: 0,
            stop: Stop::Stalled,
        };
        pay(MAX_STARTING_SUPPORTS * difference.units()).await;
        let start = expansion.tetrahedron(&iteration.simplex, difference, cache);
        if let Some(polytope) = start.and_then(Polytope::new) {
            let search = (difference, iteration, margin);
            expansion.expand(polytope, search, options, cache).await;
        }
        expansion
    }

    /// A support point along `direction`, and the upper bound of the depth that it gives.
    fn find_support<A: Support, B: Support>(
        &mut self,
        direction: Vec3,
        difference: &Difference<'_, A, B>,
        cache: &mut BodyCache<A::Memory, B::Memory>,
    ) -> (Vertex, f64) {
        self.supports += 1;
        let vertex = difference.furthest(direction, cache);
        let height = difference.height(direction, vertex.m);
        if height < self.upper {
            (self.upper, self.direction) = (height, direction.normalize_or_zero());
        }
        (vertex, height)
    }

    /// Four vertices to start with: those given, and support points in directions away from their
    /// span. `None` if the set is too thin for four.
    fn tetrahedron<A: Support, B: Support>(
        &mut self,
        given: &[Vertex],
        difference: &Difference<'_, A, B>,
        cache: &mut BodyCache<A::Memory, B::Memory>,
    ) -> Option<[Vertex; 4]> {
        if let [a, b, c, d] = *given {
            if Polytope::new([a, b, c, d]).is_some() {
                return Some([a, b, c, d]);
            }
        }
        let mut furthest_of = |directions: &[Vec3], measure: &dyn Fn(Vec3) -> f64| {
            let mut best: Option<(f64, Vertex)> = None;
            for d in directions {
                let (vertex, _) = self.find_support(*d, difference, cache);
                let m = measure(vertex.m);
                if m > best.map_or(0.0, |(best, _)| best) {
                    best = Some((m, vertex));
                }
            }
            best.map(|(_, vertex)| vertex)
        };
        let a = given[0];
        let axes = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
        let b = match given.get(1) {
            Some(b) => *b,
            None => furthest_of(&axes, &|m| m.distance_squared(a.m))?,
        };
        let line = (b.m - a.m).normalize_or_zero();
        let (u, v) = line.any_orthonormal_pair();
        let from_line = |m: Vec3| (m - a.m).cross(line).length_squared();
        let c = match given.get(2) {
            Some(c) if from_line(c.m) > 0.0 => *c,
            _ => furthest_of(&[u, v, -u, -v], &from_line)?,
        };
        let normal = line.cross((c.m - a.m).normalize_or_zero()).normalize_or_zero();
        let normal = if normal == Vec3::ZERO { u } else { normal };
        let d = furthest_of(&[normal, -normal], &|m| (m - a.m).dot(normal).abs())?;
        Some([a, b, c, d])
    }

    async fn expand<A: Support, B: Support>(
        &mut self,
        mut polytope: Polytope,
        (difference, iteration, margin): (&Difference<'_, A, B>, &Iteration, f64),
        options: &PenetrationOptions,
        cache: &mut BodyCache<A::Memory, B::Memory>,
    ) {
        let mut queue = BinaryHeap::new();
        for (face, f) in polytope.faces.iter().enumerate() {
            queue.push(QueuedFace { height: f.height, face: face as u32 });
        }
        // The error of the vertices: the exact hull of the rounded points is within it of the set.
        let mut error = polytope.vertices.iter().map(|v| difference.error(v.m)).fold(0.0, f64::max);
        let mut tolerance = f64::INFINITY;
        let mut final_faces = Vec::new();
        self.stop = Stop::Repeated;
        while let Some(QueuedFace { height, face }) = queue.pop() {
            if !polytope.faces[face as usize].alive {
                continue;
            }
            // A face without a support point above it is final: its height does not change.
            final_faces.retain(|f: &u32| polytope.faces[*f as usize].alive);
            let least_height = final_faces
                .iter()
                .map(|f| polytope.faces[*f as usize].height)
                .fold(height, f64::min);
            self.lower = (least_height > 0.0).then_some(least_height - error);
            if self.supports >= options.limit {
                self.stop = Stop::Limit;
                break;
            }
            report(|| self.result(difference, iteration, margin).answer);
            pay(difference.units() + final_faces.len() as u64 / 32).await;
            let normal = polytope.faces[face as usize].normal;
            let (vertex, along) = self.find_support(normal, difference, cache);
            tolerance = (options.tolerance * self.upper).max(16.0 * error);
            let is_final = along - height <= tolerance;
            if is_final {
                // Both together: the translation leaves the polytope through this face, and its
                // length is the height along the face's normal. That may be a rounding error more
                // than the least bound known.
                (self.upper, self.direction) = (along, normal);
            }
            if is_final || self.upper - height <= tolerance {
                if self.upper - least_height <= tolerance {
                    self.stop = Stop::Converged;
                }
                break;
            }
            if !polytope.is_above(face, vertex.m) {
                final_faces.push(face);
                continue;
            }
            error = error.max(difference.error(vertex.m));
            for new in polytope.add(vertex, face).await {
                queue.push(QueuedFace { height: polytope.faces[new as usize].height, face: new });
            }
        }
        self.find_points(&polytope, tolerance).await;
    }

    /// Finds the points of the cores where the surface of the polytope is nearest to the end of the
    /// separating translation. All faces of that plane are searched: the end may lie in another one
    /// than the last.
    async fn find_points(&mut self, polytope: &Polytope, tolerance: f64) {
        let foot = self.direction * self.upper;
        let near = |f: &&Face| {
            f.alive && f.normal.dot(self.direction) > 0.5 && f.height <= self.upper + tolerance
        };
        let mut best = f64::INFINITY;
        for (k, face) in polytope.faces.iter().enumerate() {
            if k % FACES_IN_PIECE == 0 {
                pay(UNITS_OF_FACES).await;
            }
            if !near(&face) {
                continue;
            }
            let corners = face.corners.map_each(|v| polytope.vertices[v as usize]);
            let weights = signed_volumes::reduce(&corners.map_each(|v| v.m - foot));
            let sum = |of: fn(&Vertex) -> Vec3| weights.sum(|i| of(&corners[i]));
            let square = sum(|v| v.m).distance_squared(foot);
            if square < best {
                (best, self.points) = (square, [sum(|v| v.a), sum(|v| v.b)]);
            }
        }
    }

    fn result<A: Support, B: Support>(
        &self,
        difference: &Difference<'_, A, B>,
        iteration: &Iteration,
        margin: f64,
    ) -> Iterated<Contact> {
        // Without a lower bound from the expansion the cores are at most as far apart as the
        // closest points found.
        let [_, apart] = iteration.bounds_without_margins(difference, [0.0; 2]);
        let at_least = self.lower.map_or(-apart, |l| difference.unscaled(l).max(-apart));
        let at_most = difference.unscaled(self.upper);
        let slack = |bound: f64| 4.0 * UNIT_ROUNDOFF * (bound.abs() + margin) + f64::MIN_POSITIVE;
        let [point_a, point_b] = self.points;
        let direction = -self.direction;
        // The signed distance is minus the depth.
        let lower = -(at_most + margin + slack(at_most));
        let upper = -(at_least + margin - slack(at_least));
        Iterated {
            answer: Contact { lower, upper, direction, point_a, point_b },
            direction,
            point_error: difference.point_error(point_a, point_b),
            iterations: iteration.iterations + self.supports,
            stop: self.stop,
        }
    }
}
