//! Two convex bodies.
//!
//! Polytopes use the exact queries of [`convex`]. With margins, the bounds of their cores' distance
//! decide if the sum of the margins is outside them; otherwise exact arithmetic compares the two.
//! Curved bodies have [bounds only](super::curved).
//!
//! Each query has a first piece, which takes a few microseconds at most and almost always decides,
//! and [the rest](BodiesRest), which can be interrupted.

use super::answer::{ShapeHit, ShapeSeparation, Verdict, zero_distance};
use super::cache::ShapeCache;
use super::curved::{self, BodyMemories};
use super::form::Convex;
use super::margins::{Interval, Margins, unit};
use super::quick_verdict::QuickVerdict;
use crate::answer::{Contact, Distance};
use crate::arrays::MapEach;
use crate::convex::decide::{Hint, IntersectionCertificate, VertexPairs, compare_in_pieces};
use crate::convex::interruptible::finish;
use crate::convex::{self, Hull, Kernels, PosedBody, Rest};
use crate::math::{Pose, Vec3, length_up};

/// What is known of two bodies before the rest of a query is done.
pub(super) fn known_before(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    rest: &BodiesRest,
) -> Contact {
    let margins = Margins::new(a.margin, b.margin);
    let cores = match (a.hull(), b.hull(), rest) {
        (Some(p), Some(q), BodiesRest::Cores(rest)) => convex::known_at_start(p, q, pose, rest),
        (_, _, BodiesRest::Margins(cores)) => Contact {
            lower: cores.lower,
            upper: cores.upper,
            direction: Vec3::ZERO,
            point_a: cores.point_a,
            point_b: cores.point_b,
        },
        _ => {
            let (p, radius_a) = PosedBody::new(a, &Pose::IDENTITY).ball();
            let (q, radius_b) = PosedBody::new(b, pose).ball();
            let apart = length_up(q - p);
            let reach = (radius_a + radius_b + apart * f64::EPSILON) * (1.0 + 1e-12);
            Contact {
                lower: apart * (1.0 - 1e-12) - reach - f64::MIN_POSITIVE,
                upper: apart + reach + f64::MIN_POSITIVE,
                direction: Vec3::ZERO,
                point_a: p,
                point_b: q,
            }
        }
    };
    contact_of_cores(cores, &margins)
}

/// Whether a query within a budget must do without the table of a hull.
pub(super) fn lack_tables(a: &Convex<'_>, b: &Convex<'_>) -> bool {
    match (a.hull(), b.hull()) {
        (Some(p), Some(q)) => !(p.is_prepared() && q.is_prepared()),
        // Curved bodies need none.
        _ => false,
    }
}

/// What is left of a query about two bodies after its first piece.
#[derive(Debug)]
pub(super) enum BodiesRest {
    /// All: within this budget, no tables may be built.
    NoTables,
    /// All: one of them is curved.
    Curved,
    /// What is left of the query about the cores.
    Cores(Rest),
    /// The comparison of this distance of the cores with the margins.
    Margins(Distance),
    /// A common point.
    Point(IntersectionCertificate),
}

/// Whether they share a point.
pub(super) fn intersects(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> Verdict {
    start_intersects(a, b, pose, cache, Kernels::Fastest)
        .unwrap_or_else(|rest| finish(finish_intersects(a, b, pose, rest, &mut cache.bodies)))
}

/// The first piece of [`intersects`].
pub(super) fn start_intersects(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
    kernels: Kernels,
) -> Result<Verdict, BodiesRest> {
    let (Some(p), Some(q)) = (a.hull(), b.hull()) else { return Err(BodiesRest::Curved) };
    let margins = Margins::new(a.margin, b.margin);
    if margins.are_zero() {
        return match convex::start_intersects(p, q, pose, &mut cache.hulls, kernels) {
            Ok(convex::Verdict::Separated(gap)) => Ok(separated_by(gap)),
            Ok(convex::Verdict::Intersecting(common)) => match quick_point(&common, p, q, pose) {
                Some(point) => Ok(meeting_at(common, point)),
                None => Err(BodiesRest::Point(common)),
            },
            Err(rest) => Err(BodiesRest::Cores(rest)),
        };
    }
    let cores =
        convex::start_distance(p, q, pose, &mut cache.hulls, kernels).map_err(BodiesRest::Cores)?;
    match margins.bodies_meet(&cores) {
        Some(meet) => Ok(verdict_of_cores(&cores, &margins, meet)),
        None => Err(BodiesRest::Margins(cores)),
    }
}

/// The rest of [`intersects`].
pub(super) async fn finish_intersects(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    rest: BodiesRest,
    memory: &mut BodyMemories,
) -> Verdict {
    let (Some(p), Some(q), false) = (a.hull(), b.hull(), matches!(rest, BodiesRest::Curved)) else {
        return curved::intersects(a, b, pose, memory).await;
    };
    let margins = Margins::new(a.margin, b.margin);
    let cores = match rest {
        BodiesRest::Cores(rest) if margins.are_zero() => {
            return match convex::finish_intersects(p, q, pose, rest).await {
                convex::Verdict::Separated(gap) => separated_by(gap),
                convex::Verdict::Intersecting(common) => {
                    meeting_at(common, point_of(&common, p, q, pose).await)
                }
            };
        }
        BodiesRest::Point(common) => {
            return meeting_at(common, exact_point(&common, p, q, pose).await);
        }
        BodiesRest::Cores(rest) => convex::finish_distance(p, q, pose, rest).await,
        BodiesRest::Margins(cores) => cores,
        BodiesRest::Curved | BodiesRest::NoTables => {
            return curved::intersects(a, b, pose, memory).await;
        }
    };
    let meet = bodies_meet(p, q, pose, &margins, &cores).await;
    verdict_of_cores(&cores, &margins, meet)
}

/// As [`intersects`], but does not compute the common point of two polytopes, which takes longer
/// than the decision.
pub(super) fn meet(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> QuickVerdict {
    match (a.hull(), b.hull()) {
        (Some(p), Some(q)) if Margins::new(a.margin, b.margin).are_zero() => {
            quick(convex::intersects_cached(p, q, pose, &mut cache.hulls))
        }
        _ => intersects(a, b, pose, cache).into(),
    }
}

/// The first piece of [`meet`].
pub(super) fn start_meet(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
    kernels: Kernels,
) -> Result<QuickVerdict, BodiesRest> {
    match (a.hull(), b.hull()) {
        (Some(p), Some(q)) if Margins::new(a.margin, b.margin).are_zero() => {
            match convex::start_intersects(p, q, pose, &mut cache.hulls, kernels) {
                Ok(decision) => Ok(quick(decision)),
                Err(rest) => Err(BodiesRest::Cores(rest)),
            }
        }
        _ => start_intersects(a, b, pose, cache, kernels).map(QuickVerdict::from),
    }
}

fn quick(decision: convex::Verdict) -> QuickVerdict {
    match decision {
        convex::Verdict::Separated(gap) => QuickVerdict::Apart { gap: gap.lower },
        convex::Verdict::Intersecting(_) => {
            QuickVerdict::Meeting { point: None, triangles: [None, None], depth: 0.0 }
        }
    }
}

/// The verdict from an exact decision about two polytopes.
fn separated_by(gap: convex::SeparationCertificate) -> Verdict {
    Verdict::Separated(ShapeSeparation {
        lower: gap.lower,
        direction: Some(gap.direction),
        certificate: Some(gap),
    })
}

fn meeting_at(common: IntersectionCertificate, point: Vec3) -> Verdict {
    Verdict::Intersecting(ShapeHit { certificate: Some(common), ..ShapeHit::at(point) })
}

/// The verdict about two polytopes with margins, from the distance of their cores.
fn verdict_of_cores(cores: &Distance, margins: &Margins, meet: bool) -> Verdict {
    let (p, q) = (cores.point_a, cores.point_b);
    if meet {
        return Verdict::Intersecting(ShapeHit::at(margins.common_point(p, q)));
    }
    let lower = margins.subtract_from(cores.lower, cores.upper).lower.max(0.0);
    Verdict::Separated(ShapeSeparation { lower, direction: Some(unit(q - p)), certificate: None })
}

/// Whether two polytopes with margins meet.
async fn bodies_meet(a: &Hull, b: &Hull, pose: &Pose, margins: &Margins, cores: &Distance) -> bool {
    if let Some(meet) = margins.bodies_meet(cores) {
        return meet;
    }
    let points_b = convex::moved_vertices(b, pose).await;
    let direction = unit(cores.point_b - cores.point_a);
    let hint = Hint { pairs: VertexPairs::NONE, direction };
    let radii = [margins.a, margins.b];
    Margins::meet_by(compare_in_pieces(a.vertices(), &points_b, radii, &hint).await)
}

/// The common point of the simplices of a certificate about two hulls, rounded; `None` if that
/// takes exact arithmetic.
fn quick_point(common: &IntersectionCertificate, a: &Hull, b: &Hull, pose: &Pose) -> Option<Vec3> {
    let corners_of = |[i, j]: [u32; 2]| {
        (a.vertices()[i as usize], pose.transform_point(b.vertices()[j as usize]))
    };
    let pairs: [[u32; 2]; 4] = common.pairs.as_slice().try_into().ok()?;
    let [(p, t), (q, u), (r, v), (s, w)] = pairs.map_each(corners_of);
    // Weights by determinants. If they are clearly positive despite rounding, the point is as
    // accurate as possible.
    let [x, y, z, o] = [t - p, u - q, v - r, w - s];
    let (front, back) = (x.cross(y), z.cross(o));
    let weights = [y.dot(back), -x.dot(back), o.dot(front), -z.dot(front)];
    let sum: f64 = weights.iter().sum();
    let inside = weights.iter().all(|weight| weight / sum > 1e-6);
    inside.then(|| (p * weights[0] + q * weights[1] + r * weights[2] + s * weights[3]) / sum)
}

/// As [`quick_point`], by exact arithmetic if necessary.
async fn point_of(common: &IntersectionCertificate, a: &Hull, b: &Hull, pose: &Pose) -> Vec3 {
    match quick_point(common, a, b, pose) {
        Some(point) => point,
        None => exact_point(common, a, b, pose).await,
    }
}

async fn exact_point(common: &IntersectionCertificate, a: &Hull, b: &Hull, pose: &Pose) -> Vec3 {
    let pairs = common.pairs.as_slice();
    let of_a: Vec<_> = pairs.iter().map(|[i, _]| a.vertices()[*i as usize]).collect();
    let of_b = pairs.iter().map(|[_, j]| pose.transform_point(b.vertices()[*j as usize]));
    let of_b: Vec<_> = of_b.collect();
    let numbers: Vec<[u32; 2]> = (0..of_a.len() as u32).map(|i| [i, i]).collect();
    let common = IntersectionCertificate { pairs: VertexPairs::new(&numbers) };
    let exact = common.point_in_pieces(&of_a, &of_b).await;
    exact.or(of_a.first().copied()).unwrap_or(Vec3::ZERO)
}

/// Their distance.
pub(super) fn distance(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> Distance {
    start_distance(a, b, pose, cache, Kernels::Fastest)
        .unwrap_or_else(|rest| finish(finish_distance(a, b, pose, rest, &mut cache.bodies)))
}

/// The first piece of [`distance`].
pub(super) fn start_distance(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
    kernels: Kernels,
) -> Result<Distance, BodiesRest> {
    let (Some(p), Some(q)) = (a.hull(), b.hull()) else { return Err(BodiesRest::Curved) };
    let margins = Margins::new(a.margin, b.margin);
    let cores =
        convex::start_distance(p, q, pose, &mut cache.hulls, kernels).map_err(BodiesRest::Cores)?;
    let Interval { lower, .. } = margins.subtract_from(cores.lower, cores.upper);
    let meet = if lower > 0.0 { Some(false) } else { margins.bodies_meet(&cores) };
    match meet {
        Some(meet) => Ok(distance_of_cores(&cores, &margins, meet)),
        None => Err(BodiesRest::Margins(cores)),
    }
}

/// The rest of [`distance`].
pub(super) async fn finish_distance(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    rest: BodiesRest,
    memory: &mut BodyMemories,
) -> Distance {
    let (Some(p), Some(q)) = (a.hull(), b.hull()) else {
        return curved::distance(a, b, pose, memory).await;
    };
    let margins = Margins::new(a.margin, b.margin);
    let cores = match rest {
        BodiesRest::Cores(rest) => convex::finish_distance(p, q, pose, rest).await,
        BodiesRest::Margins(cores) => cores,
        BodiesRest::Point(_) | BodiesRest::Curved | BodiesRest::NoTables => {
            return curved::distance(a, b, pose, memory).await;
        }
    };
    let Interval { lower, .. } = margins.subtract_from(cores.lower, cores.upper);
    let meet = lower <= 0.0 && bodies_meet(p, q, pose, &margins, &cores).await;
    distance_of_cores(&cores, &margins, meet)
}

/// The distance of two polytopes with margins, from the distance of their cores.
fn distance_of_cores(cores: &Distance, margins: &Margins, meet: bool) -> Distance {
    let (p, q) = (cores.point_a, cores.point_b);
    if meet {
        return zero_distance(&ShapeHit::at(margins.common_point(p, q)));
    }
    let Interval { lower, upper } = margins.subtract_from(cores.lower, cores.upper);
    let direction = unit(q - p);
    Distance {
        lower: lower.max(0.0),
        upper: upper.max(f64::from_bits(1)),
        point_a: p + direction * margins.a,
        point_b: q - direction * margins.b,
        triangle_a: None,
        triangle_b: None,
    }
}

/// Their signed distance.
pub(super) fn contact(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
) -> Contact {
    start_contact(a, b, pose, cache, Kernels::Fastest).unwrap_or_else(|rest| {
        finish(finish_contact(a, b, pose, rest, &mut cache.bodies, Kernels::Fastest))
    })
}

/// The first piece of [`contact`].
pub(super) fn start_contact(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    cache: &mut ShapeCache,
    kernels: Kernels,
) -> Result<Contact, BodiesRest> {
    let (Some(p), Some(q)) = (a.hull(), b.hull()) else { return Err(BodiesRest::Curved) };
    match convex::start_contact(p, q, pose, &mut cache.hulls, kernels) {
        Ok((found, _)) => Ok(contact_of_cores(found, &Margins::new(a.margin, b.margin))),
        Err(rest) => Err(BodiesRest::Cores(rest)),
    }
}

/// The rest of [`contact`].
pub(super) async fn finish_contact(
    a: &Convex<'_>,
    b: &Convex<'_>,
    pose: &Pose,
    rest: BodiesRest,
    memory: &mut BodyMemories,
    kernels: Kernels,
) -> Contact {
    match (a.hull(), b.hull(), rest) {
        (Some(p), Some(q), BodiesRest::Cores(rest)) => {
            let (found, _) = convex::finish_contact(p, q, pose, rest, kernels).await;
            contact_of_cores(found, &Margins::new(a.margin, b.margin))
        }
        _ => curved::contact(a, b, pose, memory).await,
    }
}

/// The signed distance of two polytopes with margins, from that of their cores.
pub(super) fn contact_of_cores(found: Contact, margins: &Margins) -> Contact {
    let Interval { lower, upper } = margins.subtract_from(found.lower, found.upper);
    let direction = found.direction;
    Contact {
        lower,
        upper,
        direction,
        point_a: found.point_a + direction * margins.a,
        point_b: found.point_b - direction * margins.b,
    }
}
