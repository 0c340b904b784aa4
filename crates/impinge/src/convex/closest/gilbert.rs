//! The iteration towards the origin.

use super::difference::{Difference, Vertex};
use super::reduced::Reduced;
use super::{
    Acceleration, ClosestCache, ClosestOptions, ClosestPoints, Reduction, Stop, johnson,
    signed_volumes,
};
use crate::convex::body::{Body, U};
use crate::math::{Pose, Vec3};

/// The closest points of `a` and `b`, with `pose` the pose of B in A's frame, and bounds of the distance.
///
/// `lower > 0` proves that the bodies are apart. Otherwise they overlap, touch, or are nearer than rounding (or the
/// limit) could tell; `upper` says how near at least.
///
/// ```
/// use impinge::Pose;
/// use impinge::convex::{Capsule, Cuboid, closest_points};
///
/// let (a, b) = (Cuboid::new([1.0, 1.0, 1.0])?, Capsule::new(2.0, 0.5)?);
/// let pose = Pose::from_translation([3.0, 0.0, 0.0])?;
/// let found = closest_points(&a, &b, &pose, &Default::default(), &mut Default::default());
/// assert!(found.lower <= 1.5 && 1.5 <= found.upper && found.upper - found.lower < 1e-11);
/// assert_eq!(found.direction.x, 1.0);
/// # Ok::<(), impinge::Error>(())
/// ```
#[must_use]
pub fn closest_points<A: Body, B: Body>(
    a: &A,
    b: &B,
    pose: &Pose,
    options: &ClosestOptions,
    cache: &mut ClosestCache<A::Memory, B::Memory>,
) -> ClosestPoints {
    let difference = Difference::new(a, b, pose);
    let ended = iterate(&difference, a.margin() + b.margin(), options, cache);
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
    ClosestPoints {
        a: p + direction * reach_a,
        b: q - direction * reach_b,
        direction,
        lower: lower.max(0.0),
        upper: upper.max(0.0),
        point_error,
        iterations: ended.iterations,
        stop: ended.stop,
    }
}

/// Where the iteration ended, in the scaled frame.
pub(in crate::convex) struct Ended {
    /// The simplex of the nearest point; one to four vertices.
    pub(in crate::convex) simplex: Vec<Vertex>,
    weights: Reduced,
    nearest: Vec3,
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
    pub(in crate::convex) fn store<C, D>(&self, cache: &mut ClosestCache<C, D>) {
        cache.simplex.clear();
        cache.simplex.extend(self.simplex.iter().map(|v| [v.a, v.b_local]));
    }

    /// Bounds of the signed distance of the bodies, in the caller's unit, where their cores are apart: less than zero where margins overlap.
    ///
    /// Where the cores overlap, `lower` means nothing.
    pub(in crate::convex) fn less_margins<A: Body, B: Body>(
        &self,
        difference: &Difference<'_, A, B>,
        margins: [f64; 2],
    ) -> [f64; 2] {
        let margin = margins[0] + margins[1];
        let (lower, upper) = (difference.unscaled(self.lower), difference.unscaled(self.upper));
        let slack = |bound: f64| 4.0 * U * (bound + margin) + f64::MIN_POSITIVE;
        let with_margin = [lower - margin - slack(lower), upper - margin + slack(upper)];
        if margin > 0.0 { with_margin } else { [lower * (1.0 - 4.0 * U), upper * (1.0 + 4.0 * U)] }
    }
}

/// The vector over its length; zero if it has none.
fn unit(v: Vec3) -> Vec3 {
    let largest = v.abs().max_element();
    if largest > 0.0 { (v / largest).normalize_or_zero() } else { Vec3::ZERO }
}

/// Iterates until the bounds meet. `margin` is subtracted from the distance later, so they need to meet relative to what is left.
pub(in crate::convex) fn iterate<A: Body, B: Body>(
    difference: &Difference<'_, A, B>,
    margin: f64,
    options: &ClosestOptions,
    cache: &mut ClosestCache<A::Memory, B::Memory>,
) -> Ended {
    let reduce = match options.reduction {
        Reduction::Johnson => johnson::reduce,
        Reduction::SignedVolumes => signed_volumes::reduce,
    };
    let mut simplex: Vec<Vertex> = Vec::with_capacity(4);
    simplex.extend(cache.simplex.iter().take(4).map(|pair| difference.recalled(*pair)));
    simplex.dedup_by_key(|v| v.m);
    if simplex.is_empty() {
        let from_middle = unit(-difference.middle);
        let direction = if from_middle == Vec3::ZERO { Vec3::X } else { from_middle };
        simplex.push(difference.furthest(direction, cache));
    }
    let (mut weights, mut nearest) = shrink(&mut simplex, reduce, difference);
    let mut seen: Vec<Vec3> = Vec::with_capacity(16);
    let (mut lower, mut upper) = (0.0_f64, upper_bound(difference, &simplex, nearest));
    let mut iterations = 0;
    let mut momentum = Momentum::new(options.acceleration, -nearest);
    let stop = loop {
        let rounding = rounding(difference, &simplex);
        let target = (difference.unscaled(upper) - margin).max(0.0) * options.tolerance;
        if difference.unscaled(upper - lower) <= target {
            break Stop::Converged;
        }
        if nearest.length() <= rounding {
            break Stop::Inside;
        }
        if iterations >= options.limit {
            break Stop::Limit;
        }
        iterations += 1;
        let direction = momentum.next(-nearest);
        let vertex = difference.furthest(direction, cache);
        // All of the set lies beyond the plane of the support.
        lower = lower.max(-difference.height(direction, vertex.m));
        if upper - lower <= rounding {
            break Stop::Converged;
        }
        // As published, a vertex that came at any time before ends it. Rounding may have dropped one that is needed, and with signed volumes it may come back:
        // every step comes strictly nearer, so that ends too.
        let published = options.reduction == Reduction::Johnson;
        let came = simplex.iter().any(|v| v.m == vertex.m) || published && seen.contains(&vertex.m);
        if came {
            if momentum.stop(-nearest) {
                continue;
            }
            break Stop::Repeated;
        }
        seen.push(vertex.m);
        momentum.seen(vertex.m);
        let before = simplex.clone();
        simplex.push(vertex);
        let (reduced, candidate) = shrink(&mut simplex, reduce, difference);
        if simplex.len() < 4 && !(candidate.length_squared() < nearest.length_squared()) {
            simplex = before;
            if momentum.stop(-nearest) {
                // The support may be of use again in a plain step.
                seen.pop();
                continue;
            }
            break Stop::Stalled;
        }
        (weights, nearest) = (reduced, candidate);
        upper = upper.min(upper_bound(difference, &simplex, nearest));
        if simplex.len() == 4 {
            break Stop::Inside;
        }
    };
    Ended { simplex, weights, nearest, lower: lower.min(upper), upper, iterations, stop }
}

/// Keeps the vertices that the nearest point needs, in their order; their weights and the point. Four only if it is the origin up to rounding.
fn shrink<A: Body, B: Body>(
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
        if reduced.len() < 4 || nearest.length() <= rounding(difference, simplex) {
            return (reduced.renumbered(), nearest);
        }
        // The weights of a flat tetrahedron are spoilt by rounding: again without the vertex that counts least.
        let lighter = |x: &(usize, f64), y: &(usize, f64)| x.1.total_cmp(&y.1);
        if let Some((least, _)) = reduced.iter().min_by(lighter) {
            simplex.remove(least);
        }
    }
}

/// A distance that rounding can make of nothing.
fn rounding<A: Body, B: Body>(difference: &Difference<'_, A, B>, simplex: &[Vertex]) -> f64 {
    16.0 * simplex.iter().map(|v| difference.error(v.m)).fold(0.0, f64::max)
}

/// The origin is no further than this from the set: the nearest point is near a point of it.
fn upper_bound<A: Body, B: Body>(
    difference: &Difference<'_, A, B>,
    simplex: &[Vertex],
    nearest: Vec3,
) -> f64 {
    let (error, size) = simplex
        .iter()
        .fold((0.0_f64, 0.0_f64), |(e, s), v| (e.max(difference.error(v.m)), s.max(v.m.length())));
    nearest.length() * (1.0 + 8.0 * U) + error + 16.0 * U * size
}

/// The direction of the next support, from those before.
struct Momentum {
    kind: Acceleration,
    direction: Vec3,
    last: Vec3,
    step: f64,
}

impl Momentum {
    fn new(kind: Acceleration, direction: Vec3) -> Self {
        Self { kind, direction, last: -direction, step: 0.0 }
    }

    /// The next direction; `steepest` points from the nearest point to the origin.
    fn next(&mut self, steepest: Vec3) -> Vec3 {
        let k = self.step;
        self.step += 1.0;
        self.direction = match self.kind {
            Acceleration::None => steepest,
            Acceleration::Polyak => {
                let keep = 1.0 / (k + 1.0);
                if k == 0.0 { steepest } else { self.direction * keep + steepest * (1.0 - keep) }
            }
            Acceleration::Nesterov => {
                let keep = (k + 1.0) / (k + 3.0);
                let mixed = steepest * keep - self.last * (1.0 - keep);
                if k == 0.0 { steepest } else { self.direction * keep + mixed * (1.0 - keep) }
            }
        };
        let scaled = unit(self.direction);
        if scaled == Vec3::ZERO { unit(steepest) } else { scaled }
    }

    fn seen(&mut self, support: Vec3) {
        self.last = support;
    }

    /// Goes on without momentum; false if there was none.
    fn stop(&mut self, steepest: Vec3) -> bool {
        let had = self.kind != Acceleration::None && self.direction != steepest;
        self.kind = Acceleration::None;
        had
    }
}
