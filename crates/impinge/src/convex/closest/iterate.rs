//! The iteration towards the origin.

use super::difference::{Difference, Vertex};
use super::reduced::Reduced;
use super::strategy::{SignedVolumes, Strategy};
use super::{BodyCache, ClosestOptions, Iterated, Stop, signed_volumes, unit};
use crate::answer::Distance;
use crate::convex::body::{Support, U, length_up};
use crate::math::{Pose, Vec3};

/// The closest points of `a` and `b`, with `pose` the pose of B in A's frame, and bounds of the
/// distance.
///
/// `lower > 0` proves that the bodies are apart. Otherwise they overlap, touch, or are nearer than
/// rounding (or the limit) could tell; `upper` says how near at least, and the points are in or near
/// both.
///
/// ```
/// use impinge::Pose;
/// use impinge::convex::{Capsule, Cuboid, closest_points};
///
/// let (a, b) = (Cuboid::new([1.0, 1.0, 1.0])?, Capsule::new(2.0, 0.5)?);
/// let pose = Pose::from_translation([3.0, 0.0, 0.0])?;
/// let found = closest_points(&a, &b, &pose, &Default::default(), &mut Default::default());
/// let distance = found.answer;
/// assert!(distance.lower <= 1.5 && 1.5 <= distance.upper && distance.upper - distance.lower < 1e-11);
/// assert_eq!(found.direction.x, 1.0);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn closest_points<A: Support, B: Support>(
    a: &A,
    b: &B,
    pose: &Pose,
    options: &ClosestOptions,
    cache: &mut BodyCache<A::Memory, B::Memory>,
) -> Iterated<Distance> {
    closest_points_by(a, b, pose, options, &mut SignedVolumes, cache)
}

/// As [`closest_points`], by another strategy.
#[must_use]
pub fn closest_points_by<A: Support, B: Support>(
    a: &A,
    b: &B,
    pose: &Pose,
    options: &ClosestOptions,
    strategy: &mut impl Strategy,
    cache: &mut BodyCache<A::Memory, B::Memory>,
) -> Iterated<Distance> {
    let difference = Difference::new(a, b, pose);
    let ended = iterate(&difference, a.margin() + b.margin(), options, strategy, cache);
    ended.store(cache);
    let [p, q] = ended.points();
    let (direction, margins) = (ended.direction(), [a.margin(), b.margin()]);
    let [lower, upper] = ended.less_margins(&difference, margins);
    let point_error = difference.point_error(p, q) + 4.0 * U * (margins[0] + margins[1]);
    let apart = (q - p).dot(direction);
    let (reach_a, reach_b) = if apart > margins[0] + margins[1] {
        (margins[0], margins[1])
    } else {
        // Where the margins overlap, both points are in the middle of what is common.
        let common = ((apart - margins[1]).max(0.0) + margins[0].min(apart)) * 0.5;
        (common, apart - common)
    };
    let points = [p + direction * reach_a, q - direction * reach_b];
    Iterated {
        answer: Distance::between(lower.max(0.0), upper.max(0.0), points),
        direction,
        point_error,
        iterations: ended.iterations,
        stop: ended.stop,
    }
}

/// Where the iteration is, or ended, in the scaled frame.
pub(in crate::convex) struct Ended {
    /// The simplex of the nearest point; one to four vertices.
    pub(in crate::convex) simplex: Vec<Vertex>,
    weights: Reduced,
    nearest: Vec3,
    /// How many steps came no nearer.
    level_steps: u32,
    /// What sums of vertices that became vertices have rounded.
    blended: f64,
    /// The distance of the cores, scaled, is at least this (zero or more) and at most `upper`.
    lower: f64,
    upper: f64,
    pub(in crate::convex) iterations: u32,
    pub(in crate::convex) stop: Stop,
}

impl Ended {
    /// The points of the cores.
    pub(in crate::convex) fn points(&self) -> [Vec3; 2] {
        [self.weights.sum(|i| self.simplex[i].a), self.weights.sum(|i| self.simplex[i].b)]
    }

    /// From A to B, a unit vector, or zero.
    pub(in crate::convex) fn direction(&self) -> Vec3 {
        if self.stop == Stop::Inside {
            return Vec3::ZERO;
        }
        unit(self.nearest)
    }

    /// Whether nothing shows that the cores are apart.
    pub(in crate::convex) fn cores_may_meet(&self) -> bool {
        self.lower <= 0.0
    }

    /// The simplex for the next query.
    pub(in crate::convex) fn store<C, D>(&self, cache: &mut BodyCache<C, D>) {
        cache.simplex.clear();
        cache.simplex.extend(self.simplex.iter().filter_map(|v| v.marks));
    }

    /// Bounds of the signed distance of the bodies, in the caller's unit, where their cores are
    /// apart: less than zero where margins overlap.
    ///
    /// Where the cores overlap, `lower` means nothing.
    pub(in crate::convex) fn less_margins<A: Support, B: Support>(
        &self,
        difference: &Difference<'_, A, B>,
        margins: [f64; 2],
    ) -> [f64; 2] {
        let margin = margins[0] + margins[1];
        let (lower, upper) = (difference.unscaled(self.lower), difference.unscaled(self.upper));
        let slack = |bound: f64| 4.0 * U * (bound + margin) + f64::MIN_POSITIVE;
        [lower - margin - slack(lower), upper - margin + slack(upper)]
    }
}

/// Iterates until the bounds meet. `margin` is subtracted from the distance later, so they need to
/// meet relative to what is left.
pub(in crate::convex) fn iterate<A: Support, B: Support, S: Strategy>(
    difference: &Difference<'_, A, B>,
    margin: f64,
    options: &ClosestOptions,
    strategy: &mut S,
    cache: &mut BodyCache<A::Memory, B::Memory>,
) -> Ended {
    let mut at = Ended::start(difference, S::reduce, cache);
    let mut polish = false;
    at.stop = loop {
        let rounding = at.rounding(difference);
        let target = (difference.unscaled(at.upper) - margin).max(0.0) * options.tolerance;
        if difference.unscaled(at.upper - at.lower) <= target {
            break Stop::Converged;
        }
        if length_up(at.nearest) <= rounding {
            break Stop::Inside;
        }
        if at.iterations >= options.limit {
            break Stop::Limit;
        }
        at.iterations += 1;
        let direction = if polish { at.polished() } else { strategy.direction(-at.nearest) };
        let vertex = difference.furthest(direction, cache);
        // All of the set lies beyond the plane of the support.
        at.lower = at.lower.max(-difference.height(direction, vertex.m));
        if at.upper - at.lower <= rounding {
            break Stop::Converged;
        }
        let came = strategy.is_repeated(vertex.m) || at.simplex.iter().any(|v| v.m == vertex.m);
        if !came && at.step(vertex, S::reduce, difference, strategy.max_level_steps()) {
            strategy.accepted(vertex.m);
            polish = false;
            if at.simplex.len() == 4 {
                break Stop::Inside;
            }
            continue;
        }
        // Nothing gained: without momentum, then as published or with a better direction, then
        // along a line.
        if !polish && strategy.drop_momentum(-at.nearest) {
            continue;
        }
        if !strategy.refines_direction() {
            break if came { Stop::Repeated } else { Stop::Stalled };
        }
        if polish {
            if !at.step_along_line(vertex, difference) {
                break if came { Stop::Repeated } else { Stop::Stalled };
            }
            polish = false;
        } else {
            polish = true;
        }
    };
    at.lower = at.lower.min(at.upper);
    at
}

impl Ended {
    /// The simplex of the last query, or the support along the line of the middles (Leung 1996,
    /// section 3.4).
    fn start<A: Support, B: Support>(
        difference: &Difference<'_, A, B>,
        reduce: fn(&[Vec3]) -> Reduced,
        cache: &mut BodyCache<A::Memory, B::Memory>,
    ) -> Self {
        let mut simplex = difference.recall(cache);
        if simplex.is_empty() {
            let from_middle = unit(-difference.middle);
            let direction = if from_middle == Vec3::ZERO { Vec3::X } else { from_middle };
            simplex.push(difference.furthest(direction, cache));
        }
        let (weights, nearest) = shrink(&mut simplex, reduce, difference);
        let mut at = Self {
            simplex,
            weights,
            nearest,
            level_steps: 0,
            blended: 0.0,
            lower: 0.0,
            upper: f64::INFINITY,
            iterations: 0,
            stop: Stop::Stalled,
        };
        at.upper = at.upper_bound(difference);
        at
    }

    /// Adds a vertex to the simplex, if that brings it nearer to the origin or, `level_steps` times
    /// at most, no further.
    fn step<A: Support, B: Support>(
        &mut self,
        vertex: Vertex,
        reduce: fn(&[Vec3]) -> Reduced,
        difference: &Difference<'_, A, B>,
        level_steps: u32,
    ) -> bool {
        let mut simplex = self.simplex.clone();
        simplex.push(vertex);
        let (weights, nearest) = shrink(&mut simplex, reduce, difference);
        if simplex.len() < 4 {
            let (square, before) = (nearest.length_squared(), self.nearest.length_squared());
            let level = square >= before;
            let allowed = self.level_steps < level_steps && square <= before * (1.0 + 8.0 * U);
            if level && !allowed {
                return false;
            }
            self.level_steps += u32::from(level);
        }
        (self.simplex, self.weights, self.nearest) = (simplex, weights, nearest);
        self.upper = self.upper.min(self.upper_bound(difference));
        true
    }

    /// Goes from the nearest point straight towards a vertex, if that comes nearer: where rounding
    /// spoils the weights of a sliver, the line is still good.
    fn step_along_line<A: Support, B: Support>(
        &mut self,
        vertex: Vertex,
        difference: &Difference<'_, A, B>,
    ) -> bool {
        let sum = |of: fn(&Vertex) -> Vec3| self.weights.sum(|i| of(&self.simplex[i]));
        let here = Vertex { m: self.nearest, a: sum(|v| v.a), b: sum(|v| v.b), marks: None };
        let size = self.simplex.iter().map(|v| length_up(v.m)).fold(0.0, f64::max);
        let mut next = Self { simplex: vec![here], weights: Reduced::point(0), ..*self };
        next.blended += 16.0 * U * size;
        let gained = next.step(vertex, signed_volumes::reduce, difference, 0);
        if gained {
            *self = next;
        }
        gained
    }

    /// The direction to the origin again, perpendicular to the simplex: the nearest point is a sum
    /// of larger ones and has lost digits.
    fn polished(&self) -> Vec3 {
        let m = |i: usize| self.simplex[i].m;
        let better = match self.simplex.len() {
            2 => {
                let along = unit(m(1) - m(0));
                self.nearest - along * along.dot(self.nearest)
            }
            3 => {
                let normal = unit((m(1) - m(0)).cross(m(2) - m(0)));
                if normal.dot(self.nearest) < 0.0 { -normal } else { normal }
            }
            _ => self.nearest,
        };
        let better = unit(-better);
        if better == Vec3::ZERO { unit(-self.nearest) } else { better }
    }

    /// The origin is no further than this from the set: the nearest point is near a point of it.
    fn upper_bound<A: Support, B: Support>(&self, difference: &Difference<'_, A, B>) -> f64 {
        let (error, size) = self.simplex.iter().fold((0.0_f64, 0.0_f64), |(e, s), v| {
            (e.max(difference.error(v.m)), s.max(length_up(v.m)))
        });
        length_up(self.nearest) * (1.0 + 8.0 * U) + error + self.blended + 16.0 * U * size
    }

    /// A distance that rounding can make of nothing.
    fn rounding<A: Support, B: Support>(&self, difference: &Difference<'_, A, B>) -> f64 {
        rounding(difference, &self.simplex) + self.blended
    }
}

/// Keeps the vertices that the nearest point needs, in their order; their weights and the point.
/// Four only if it is the origin up to rounding.
fn shrink<A: Support, B: Support>(
    simplex: &mut Vec<Vertex>,
    reduce: fn(&[Vec3]) -> Reduced,
    difference: &Difference<'_, A, B>,
) -> (Reduced, Vec3) {
    loop {
        let mut points = [Vec3::ZERO; 4];
        for (point, vertex) in points.iter_mut().zip(simplex.iter()) {
            *point = vertex.m;
        }
        let reduced = reduce(&points[..simplex.len()]);
        let nearest = reduced.sum(|i| points[i]);
        *simplex = reduced.iter().map(|(i, _)| simplex[i]).collect();
        if reduced.len() < 4 || length_up(nearest) <= rounding(difference, simplex) {
            return (reduced.renumbered(), nearest);
        }
        // The weights of a flat tetrahedron are spoilt by rounding: again without the vertex that
        // counts least.
        let lighter = |x: &(usize, f64), y: &(usize, f64)| x.1.total_cmp(&y.1);
        if let Some((least, _)) = reduced.iter().min_by(lighter) {
            simplex.remove(least);
        }
    }
}

/// A distance that rounding can make of nothing.
fn rounding<A: Support, B: Support>(difference: &Difference<'_, A, B>, simplex: &[Vertex]) -> f64 {
    16.0 * simplex.iter().map(|v| difference.error(v.m)).fold(0.0, f64::max)
}
