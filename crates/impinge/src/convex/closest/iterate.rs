//! The iteration towards the origin.

use super::difference::{Difference, Vertex};
use super::reduced::Reduced;
use super::strategy::{SignedVolumes, Strategy};
use super::{BodyCache, ClosestOptions, Iterated, Stop, signed_volumes, unit};
use crate::answer::{Contact, Distance};
use crate::convex::body::{Support, UNIT_ROUNDOFF, length_up};
use crate::convex::interruptible::{finish, pay, report};
use crate::math::{Pose, Vec3};

/// The closest points of `a` and `b`, with `pose` the pose of B in A's frame, and bounds of the
/// distance.
///
/// `lower > 0` proves that the bodies are apart. Otherwise they overlap, touch, or are too close
/// for rounding (or the limit) to decide; `upper` bounds their distance, and the points lie in or
/// near both.
///
/// ```
/// use impinge::Pose;
/// use impinge::convex::{Capsule, Cuboid, closest_points};
///
/// let (a, b) = (Cuboid::new([1.0, 1.0, 1.0])?, Capsule::new(2.0, 0.5)?);
/// let pose = Pose::from_translation([3.0, 0.0, 0.0])?;
/// let found = closest_points(&a, &b, &pose, &Default::default(), &mut Default::default());
/// let distance = found.answer;
/// assert!(distance.lower <= 1.5 && 1.5 <= distance.upper);
/// assert!(distance.upper - distance.lower < 1e-11);
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

/// As [`closest_points`], with another strategy.
#[must_use]
pub fn closest_points_by<A: Support, B: Support>(
    a: &A,
    b: &B,
    pose: &Pose,
    options: &ClosestOptions,
    strategy: &mut impl Strategy,
    cache: &mut BodyCache<A::Memory, B::Memory>,
) -> Iterated<Distance> {
    finish(closest_in_pieces(a, b, pose, options, strategy, cache))
}

/// As [`closest_points_by`], in pieces.
pub(crate) async fn closest_in_pieces<A: Support, B: Support>(
    a: &A,
    b: &B,
    pose: &Pose,
    options: &ClosestOptions,
    strategy: &mut impl Strategy,
    cache: &mut BodyCache<A::Memory, B::Memory>,
) -> Iterated<Distance> {
    let difference = Difference::new(a, b, pose);
    let margins = [a.margin(), b.margin()];
    let iteration =
        iterate(&difference, margins, margins[0] + margins[1], options, strategy, cache).await;
    iteration.store(cache);
    let [p, q] = iteration.points();
    let direction = iteration.direction();
    let [lower, upper] = iteration.bounds_without_margins(&difference, margins);
    let point_error =
        difference.point_error(p, q) + 4.0 * UNIT_ROUNDOFF * (margins[0] + margins[1]);
    let apart = (q - p).dot(direction);
    let (offset_a, offset_b) = if apart > margins[0] + margins[1] {
        (margins[0], margins[1])
    } else {
        // Where the margins overlap, both points are the center of the overlap along the direction.
        let common = ((apart - margins[1]).max(0.0) + margins[0].min(apart)) * 0.5;
        (common, apart - common)
    };
    let points = [p + direction * offset_a, q - direction * offset_b];
    Iterated {
        answer: Distance::between(lower.max(0.0), upper.max(0.0), points),
        direction,
        point_error,
        iterations: iteration.iterations,
        stop: iteration.stop,
    }
}

/// The state of the iteration, or its end, in the scaled frame.
pub(in crate::convex) struct Iteration {
    /// The simplex of the nearest point; one to four vertices.
    pub(in crate::convex) simplex: Vec<Vertex>,
    weights: Reduced,
    nearest: Vec3,
    /// The number of steps so far without progress.
    level_steps: u32,
    /// The rounding error of weighted sums of vertices that were added as vertices.
    sum_error: f64,
    /// A lower bound of the distance of the cores, scaled: zero or more. `upper` is the upper
    /// bound.
    lower: f64,
    upper: f64,
    pub(in crate::convex) iterations: u32,
    pub(in crate::convex) stop: Stop,
}

impl Iteration {
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

    /// Whether the cores are not proven apart.
    pub(in crate::convex) fn cores_may_intersect(&self) -> bool {
        self.lower <= 0.0
    }

    /// What is known before the end.
    fn known<A: Support, B: Support>(
        &self,
        difference: &Difference<'_, A, B>,
        margins: [f64; 2],
    ) -> Contact {
        let [lower, upper] = self.bounds_without_margins(difference, margins);
        let lower = if self.lower > 0.0 { lower } else { f64::NEG_INFINITY };
        let ([point_a, point_b], direction) = (self.points(), unit(self.nearest));
        Contact { lower, upper, direction, point_a, point_b }
    }

    /// The simplex for the next query.
    pub(in crate::convex) fn store<C, D>(&self, cache: &mut BodyCache<C, D>) {
        cache.simplex.clear();
        cache.simplex.extend(self.simplex.iter().filter_map(|v| v.marks));
    }

    /// Bounds of the signed distance of the bodies, in the caller's unit, where their cores are
    /// apart: less than zero where margins overlap.
    ///
    /// Where the cores overlap, `lower` is not valid.
    pub(in crate::convex) fn bounds_without_margins<A: Support, B: Support>(
        &self,
        difference: &Difference<'_, A, B>,
        margins: [f64; 2],
    ) -> [f64; 2] {
        let margin = margins[0] + margins[1];
        let (lower, upper) = (difference.unscaled(self.lower), difference.unscaled(self.upper));
        let slack = |bound: f64| 4.0 * UNIT_ROUNDOFF * (bound + margin) + f64::MIN_POSITIVE;
        [lower - margin - slack(lower), upper - margin + slack(upper)]
    }
}

/// Iterates until the bounds agree. `margin` is subtracted from the distance later, so they must
/// agree relative to the remaining distance.
///
/// Reports bounds of the signed distance of bodies with these margins: an upper bound always, a
/// lower bound where the cores are apart.
pub(in crate::convex) async fn iterate<A: Support, B: Support, S: Strategy>(
    difference: &Difference<'_, A, B>,
    margins: [f64; 2],
    margin: f64,
    options: &ClosestOptions,
    strategy: &mut S,
    cache: &mut BodyCache<A::Memory, B::Memory>,
) -> Iteration {
    pay(difference.units()).await;
    let mut state = Iteration::start(difference, S::reduce, cache);
    let mut refine = false;
    state.stop = loop {
        let rounding = state.rounding(difference);
        let target = (difference.unscaled(state.upper) - margin).max(0.0) * options.tolerance;
        if difference.unscaled(state.upper - state.lower) <= target {
            break Stop::Converged;
        }
        if length_up(state.nearest) <= rounding {
            break Stop::Inside;
        }
        if state.iterations >= options.limit {
            break Stop::Limit;
        }
        state.iterations += 1;
        report(|| state.known(difference, margins));
        pay(difference.units()).await;
        let direction =
            if refine { state.refined_direction() } else { strategy.direction(-state.nearest) };
        let vertex = difference.furthest(direction, cache);
        // All of the set lies on the far side of the plane through the support point.
        state.lower = state.lower.max(-difference.height(direction, vertex.m));
        if state.upper - state.lower <= rounding {
            break Stop::Converged;
        }
        let repeated =
            strategy.is_repeated(vertex.m) || state.simplex.iter().any(|v| v.m == vertex.m);
        if !repeated && state.step(vertex, S::reduce, difference, strategy.max_level_steps()) {
            strategy.accepted(vertex.m);
            refine = false;
            if state.simplex.len() == 4 {
                break Stop::Inside;
            }
            continue;
        }
        // No progress. The next attempts, in this order: without momentum; with a refined
        // direction, if the strategy allows it; along the line to the vertex.
        if !refine && strategy.drop_momentum(-state.nearest) {
            continue;
        }
        if !strategy.refines_direction() {
            break if repeated { Stop::Repeated } else { Stop::Stalled };
        }
        if refine {
            if !state.step_along_line(vertex, difference) {
                break if repeated { Stop::Repeated } else { Stop::Stalled };
            }
            refine = false;
        } else {
            refine = true;
        }
    };
    state.lower = state.lower.min(state.upper);
    state
}

impl Iteration {
    /// Starts with the simplex of the last query, or with the support point along the line of the
    /// centers (Leung 1996, section 3.4).
    fn start<A: Support, B: Support>(
        difference: &Difference<'_, A, B>,
        reduce: fn(&[Vec3]) -> Reduced,
        cache: &mut BodyCache<A::Memory, B::Memory>,
    ) -> Self {
        let mut simplex = difference.point_of_mark(cache);
        if simplex.is_empty() {
            let from_center = unit(-difference.center_offset);
            let direction = if from_center == Vec3::ZERO { Vec3::X } else { from_center };
            simplex.push(difference.furthest(direction, cache));
        }
        let (weights, nearest) = shrink(&mut simplex, reduce, difference);
        let mut state = Self {
            simplex,
            weights,
            nearest,
            level_steps: 0,
            sum_error: 0.0,
            lower: 0.0,
            upper: f64::INFINITY,
            iterations: 0,
            stop: Stop::Stalled,
        };
        state.upper = state.upper_bound(difference);
        state
    }

    /// Adds a vertex to the simplex if that brings it nearer to the origin. At most
    /// `max_level_steps` times also if the distance stays the same to rounding.
    fn step<A: Support, B: Support>(
        &mut self,
        vertex: Vertex,
        reduce: fn(&[Vec3]) -> Reduced,
        difference: &Difference<'_, A, B>,
        max_level_steps: u32,
    ) -> bool {
        let mut simplex = self.simplex.clone();
        simplex.push(vertex);
        let (weights, nearest) = shrink(&mut simplex, reduce, difference);
        if simplex.len() < 4 {
            let (square, before) = (nearest.length_squared(), self.nearest.length_squared());
            let level = square >= before;
            let allowed = self.level_steps < max_level_steps
                && square <= before * (1.0 + 8.0 * UNIT_ROUNDOFF);
            if level && !allowed {
                return false;
            }
            self.level_steps += u32::from(level);
        }
        (self.simplex, self.weights, self.nearest) = (simplex, weights, nearest);
        self.upper = self.upper.min(self.upper_bound(difference));
        true
    }

    /// Moves from the nearest point straight towards a vertex, if that comes nearer: where rounding
    /// dominates the weights of a sliver, the step along the line is still accurate.
    fn step_along_line<A: Support, B: Support>(
        &mut self,
        vertex: Vertex,
        difference: &Difference<'_, A, B>,
    ) -> bool {
        let sum = |of: fn(&Vertex) -> Vec3| self.weights.sum(|i| of(&self.simplex[i]));
        let here = Vertex { m: self.nearest, a: sum(|v| v.a), b: sum(|v| v.b), marks: None };
        let size = self.simplex.iter().map(|v| length_up(v.m)).fold(0.0, f64::max);
        let mut next = Self { simplex: vec![here], weights: Reduced::point(0), ..*self };
        next.sum_error += 16.0 * UNIT_ROUNDOFF * size;
        let has_progress = next.step(vertex, signed_volumes::reduce, difference, 0);
        if has_progress {
            *self = next;
        }
        has_progress
    }

    /// The direction to the origin, computed perpendicular to the simplex: the nearest point is a
    /// sum of larger vectors and has lost digits.
    fn refined_direction(&self) -> Vec3 {
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

    /// An upper bound of the distance of the origin from the set: the nearest point is close to a
    /// point of the set.
    fn upper_bound<A: Support, B: Support>(&self, difference: &Difference<'_, A, B>) -> f64 {
        let (error, size) = self.simplex.iter().fold((0.0_f64, 0.0_f64), |(e, s), v| {
            (e.max(difference.error(v.m)), s.max(length_up(v.m)))
        });
        length_up(self.nearest) * (1.0 + 8.0 * UNIT_ROUNDOFF)
            + error
            + self.sum_error
            + 16.0 * UNIT_ROUNDOFF * size
    }

    /// A bound of the distance that rounding can produce where the true one is zero.
    fn rounding<A: Support, B: Support>(&self, difference: &Difference<'_, A, B>) -> f64 {
        rounding(difference, &self.simplex) + self.sum_error
    }
}

/// Keeps the vertices that the nearest point needs, in their order; returns their weights and the
/// point. Four remain only if the point is the origin up to rounding.
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
        // Rounding dominates the weights of a flat tetrahedron: repeat without the vertex of least
        // weight.
        let lighter = |x: &(usize, f64), y: &(usize, f64)| x.1.total_cmp(&y.1);
        if let Some((least, _)) = reduced.iter().min_by(lighter) {
            simplex.remove(least);
        }
    }
}

/// A bound of the distance that rounding can produce where the true one is zero.
fn rounding<A: Support, B: Support>(difference: &Difference<'_, A, B>, simplex: &[Vertex]) -> f64 {
    16.0 * simplex.iter().map(|v| difference.error(v.m)).fold(0.0, f64::max)
}
