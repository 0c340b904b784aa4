//! The check of one pair of bodies. Each stage starts from the result of the one before and from
//! data kept from the last frame (the pipeline of Leung 1996, section 3.1).
//!
//! | step | place |
//! | --- | --- |
//! | bodies of one part each, or a sweep over the boxes of parts | [`check`], [`compounds`] |
//! | the method of the pair, chosen once | [`MethodSelector`] |
//! | an external method | [`check_externally`] |
//! | within a budget | [`check_parts_within`] |
//! | the hulls of two meshes, from the last separating vector | [`hulls_are_apart`] |
//! | triangles without trees, by sweep or brute force | [`search_without_trees`] |
//! | everything else: trees of meshes, convex bodies, half-spaces | `shape::meet_cached` |
//! | the witness, for events and on demand | [`witness`](mod@witness) |

mod compounds;
mod within;
mod witness;

use super::Geometry;
use super::geometry::BodyPart;
use super::method::Method;
use super::pair_method::{PairAnswer, PairChecker, PairQuery, PairWitness};
use super::selection::{MethodSelector, SelectedBy, SelectedMethod};
use crate::answer::Bounds;
use crate::convex::{self, Hull};
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::{self, Bias, First, Posed};
use crate::shape::{self, QuickVerdict};
use compounds::{SweepProgress, check_compounds};
use within::check_parts_within;
pub(super) use within::{SpareSearches, Work};
pub(super) use witness::{witness, witness_of_result};

/// The state of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairState {
    /// The pair has not been checked, or no check has decided yet.
    Unknown,
    Apart,
    /// Apart, by a method with a bias towards "no collision".
    ApartUncertain,
    Meeting,
    /// Meeting, by a method with a bias towards "collision"; or a curved shape touches another to
    /// about twelve digits.
    MeetingUncertain,
}

impl PairState {
    fn new(meets: bool, certain: bool) -> Self {
        match (meets, certain) {
            (false, true) => Self::Apart,
            (false, false) => Self::ApartUncertain,
            (true, true) => Self::Meeting,
            (true, false) => Self::MeetingUncertain,
        }
    }

    /// Whether they meet, certainly or not.
    pub(super) fn meets(self) -> bool {
        matches!(self, Self::Meeting | Self::MeetingUncertain)
    }

    /// The direction of a possible error.
    pub(super) fn bias(self) -> Option<Bias> {
        match self {
            Self::Unknown | Self::Apart | Self::Meeting => None,
            Self::ApartUncertain => Some(Bias::TowardsNoCollision),
            Self::MeetingUncertain => Some(Bias::TowardsCollision),
        }
    }
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CheckResult {
    Apart { certain: bool },
    Meeting { location: MeetingLocation, certain: bool },
    Undecided(Bounds),
}

impl CheckResult {
    const APART: Self = Self::Apart { certain: true };

    fn meeting(location: MeetingLocation) -> Self {
        Self::Meeting { location, certain: true }
    }

    /// The state of the pair, or bounds if the check did not decide.
    pub(super) fn state(&self) -> Result<PairState, Bounds> {
        match *self {
            Self::Apart { certain } => Ok(PairState::new(false, certain)),
            Self::Meeting { certain, .. } => Ok(PairState::new(true, certain)),
            Self::Undecided(bounds) => Err(bounds),
        }
    }

    /// Where they meet, if known.
    fn location(&self) -> Option<&MeetingLocation> {
        match self {
            Self::Apart { .. } | Self::Undecided(_) => None,
            Self::Meeting { location, .. } => Some(location),
        }
    }
}

/// Where two bodies meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeetingLocation {
    parts: [u32; 2],
    triangles: [Option<u32>; 2],
    /// In A's frame; `None` if it has yet to be computed from two triangles.
    point: Option<Vec3>,
}

/// Data of a pair of bodies that is kept from check to check.
#[derive(Debug, Default)]
pub(super) struct PairCache {
    /// The caches of pairs of parts whose boxes overlapped, sorted.
    parts: Vec<PartCache>,
    /// The boxes of B's parts in A's frame, if one of the bodies has several parts.
    boxes: Vec<Aabb>,
    /// B's parts, sorted by the start of these boxes along the first axis.
    order: Vec<u32>,
    /// A check of bodies of several parts that was stopped.
    sweep: Option<Box<SweepProgress>>,
    /// The parts that met last.
    last_meeting: Option<[u32; 2]>,
    /// The number of checks.
    checks: u32,
    /// Whether it contains data that the next check starts from.
    is_warm: bool,
    /// Whether a selected method was used, instead of the engine's method of least cost.
    used_selected: bool,
    /// Whether hulls decided the last check.
    pub(super) decided_by_hulls: bool,
    /// The place of the pair in the queue of an update within a budget.
    pub(super) waiting: Waiting,
}

/// A pair that waits for a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Waiting {
    /// The number of its entry in the queue; zero if it is not in the queue.
    pub(super) entry: u32,
    /// The first update that did not decide the pair; zero if the last one did.
    pub(super) since: u64,
}

impl PairCache {
    /// Whether the next check starts without data.
    pub(super) fn is_cold(&self) -> bool {
        !self.is_warm
    }

    /// Whether all data comes from the engine's methods, chosen by cost.
    pub(super) fn is_by_cost(&self) -> bool {
        !self.used_selected
    }

    /// Clears it for another pair, and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.waiting = Waiting::default();
        self.forget_checks();
    }

    /// Forgets all earlier checks.
    pub(super) fn forget_checks(&mut self) {
        (self.decided_by_hulls, self.last_meeting, self.is_warm) = (false, None, false);
        self.used_selected = false;
        if let Some(sweep) = &mut self.sweep {
            sweep.forget();
        }
        self.parts.truncate(1);
        if let Some(part) = self.parts.first_mut() {
            let mut shapes = std::mem::take(&mut part.shapes);
            shapes.clear();
            let mut search = std::mem::take(&mut part.search);
            search.reset();
            *part = PartCache { shapes, search, ..PartCache::default() };
        }
    }
}

/// Data of a pair of parts that is kept from check to check.
#[derive(Debug, Default)]
struct PartCache {
    parts: [u32; 2],
    /// The number of the last check of these parts.
    last_check: u32,
    method: Option<SelectedMethod>,
    /// The number of checks before hulls are tested again.
    checks_until_hulls: u8,
    /// The same for the next time that hulls do not decide.
    next_checks_until_hulls: u8,
    shapes: shape::ShapeCache,
    /// The search within a budget, which the next check continues if the pose is the same.
    search: shape::ShapeSearch,
    /// The checker of an external method.
    checker: Option<Box<dyn PairChecker>>,
}

/// The largest number of checks without a test of hulls, after hulls overlapped several times in a
/// row.
const MAX_CHECKS_WITHOUT_HULLS: u8 = 32;

/// Checks two bodies, B at `pose` in A's frame.
pub(super) fn check(
    a: &Geometry,
    b: &Geometry,
    pose: &Pose,
    selector: &MethodSelector<'_>,
    cache: &mut PairCache,
    work: &mut Work<'_, '_>,
) -> CheckResult {
    cache.decided_by_hulls = false;
    cache.is_warm = true;
    if let ([one], [other]) = (a.parts(), b.parts()) {
        if cache.parts.is_empty() {
            cache.parts.push(PartCache::default());
        }
        let PairCache { parts, decided_by_hulls, used_selected, .. } = cache;
        let flags = &mut Flags { decided_by_hulls, used_selected };
        return check_parts((one, 0), (other, 0), pose, selector, &mut parts[0], flags, work);
    }
    check_compounds(a, b, pose, selector, cache, work)
}

/// Flags of a check of bodies that the check of two parts sets.
struct Flags<'a> {
    /// Whether hulls alone decided.
    decided_by_hulls: &'a mut bool,
    /// Set if a selected method was used.
    used_selected: &'a mut bool,
}

/// The pose of B's part in the frame of A's part.
pub(super) fn relative_part_pose(a: &BodyPart, b: &BodyPart, pose: &Pose) -> Pose {
    match (*a.pose() == Pose::IDENTITY, *b.pose() == Pose::IDENTITY) {
        (true, true) => *pose,
        (true, false) => pose.composed(b.pose()),
        (false, _) => Pose::relative(a.pose(), &pose.composed(b.pose())),
    }
}

/// Checks part `i` of A and part `j` of B.
fn check_parts(
    (a, i): (&BodyPart, u32),
    (b, j): (&BodyPart, u32),
    pose: &Pose,
    selector: &MethodSelector<'_>,
    cache: &mut PartCache,
    flags: &mut Flags<'_>,
    work: &mut Work<'_, '_>,
) -> CheckResult {
    let pose = &relative_part_pose(a, b, pose);
    if !work.budget.is_unlimited() && selector.selection.is_none() {
        // The engine's methods are not chosen by cost: their cost is limited.
        return check_parts_within((a, i), (b, j), pose, cache, work);
    }
    let chosen = cache.method.unwrap_or_else(|| {
        let (chosen, rule) = selector.choose(a, b);
        *flags.used_selected |=
            rule != SelectedBy::Cost || matches!(chosen, SelectedMethod::Other(_));
        cache.method = Some(chosen);
        chosen
    });
    let location = |triangles, point: Option<Vec3>| MeetingLocation {
        parts: [i, j],
        triangles,
        point: point.map(|p| a.pose().transform_point(p)),
    };
    let method = match chosen {
        SelectedMethod::Engine(method) => method,
        SelectedMethod::Other(number) => {
            let query = PairQuery { a, b, pose };
            return match check_externally(query, selector, number, cache, work) {
                PairAnswer::Separated { certain } => CheckResult::Apart { certain },
                PairAnswer::Intersecting { certain, witness } => {
                    let PairWitness { triangle_a, triangle_b, point } = witness.unwrap_or_default();
                    CheckResult::Meeting {
                        location: location([triangle_a, triangle_b], point),
                        certain,
                    }
                }
                PairAnswer::Undecided(bounds) => CheckResult::Undecided(bounds),
            };
        }
    };
    if !work.budget.is_unlimited() {
        return check_parts_within((a, i), (b, j), pose, cache, work);
    }
    if method != Method::Shapes {
        if let (Some(mesh_a), Some(mesh_b)) = (a.shape().mesh(), b.shape().mesh()) {
            let meshes = (&**mesh_a, &**mesh_b);
            if hulls_are_apart(method, a, (b, meshes.1), pose, cache) {
                *flags.decided_by_hulls = true;
                return CheckResult::APART;
            }
            if let Some(pair) = search_without_trees(method, meshes, pose) {
                return match pair {
                    Some((p, q)) => CheckResult::meeting(location([Some(p), Some(q)], None)),
                    None => shape::contained_point(a.shape(), b.shape(), pose, &mut cache.shapes)
                        .map_or(CheckResult::APART, |p| {
                            CheckResult::meeting(location([None, None], Some(p)))
                        }),
                };
            }
        }
    }
    let mut encounter = shape::meet_cached(a.shape(), b.shape(), pose, &mut cache.shapes);
    let is_curved = a.shape().kind().is_curved() || b.shape().kind().is_curved();
    if is_curved && may_depend_on_start(&encounter, a, b, pose) {
        let cold = &mut shape::ShapeCache::default();
        encounter = shape::meet_cached(a.shape(), b.shape(), pose, cold);
    }
    match encounter {
        QuickVerdict::Apart { .. } => CheckResult::APART,
        QuickVerdict::Meeting { point, triangles, .. } => {
            CheckResult::meeting(location(triangles, point))
        }
        QuickVerdict::Undecided => {
            CheckResult::Meeting { location: location([None, None], None), certain: false }
        }
    }
}

/// Checks two parts by an external method.
#[cold]
#[inline(never)]
fn check_externally(
    query: PairQuery<'_>,
    selector: &MethodSelector<'_>,
    number: u32,
    cache: &mut PartCache,
    work: &mut Work<'_, '_>,
) -> PairAnswer {
    let make = || selector.other(number).checker(query.a, query.b);
    let checker = cache.checker.get_or_insert_with(make);
    checker.check(&query, work.budget)
}

/// Whether the hulls of two meshes prove that the meshes are apart, if the method tests hulls in
/// this check.
fn hulls_are_apart(
    method: Method,
    a: &BodyPart,
    (b, mesh_b): (&BodyPart, &Mesh),
    pose: &Pose,
    cache: &mut PartCache,
) -> bool {
    let tests_hulls = match method {
        Method::Hulls => true,
        Method::HullsThenTriangles => cache.checks_until_hulls == 0,
        Method::Shapes | Method::Triangles | Method::Sweep | Method::BruteForce => false,
    };
    cache.checks_until_hulls = cache.checks_until_hulls.saturating_sub(1);
    if !tests_hulls {
        return false;
    }
    let (Some(hull_a), Some(hull_b)) = (a.hull(), b.hull()) else {
        return false;
    };
    match convex::intersects_cached(hull_a, hull_b, pose, &mut cache.shapes.hulls) {
        convex::Verdict::Separated(gap) if gap.lower > hull_excess(mesh_b, hull_b, pose) => {
            cache.next_checks_until_hulls = 0;
            true
        }
        // Hulls that meet do not decide, also for two convex solids: with rounded vertices the
        // faces are not planar, so that the hull of the moved corners is slightly larger than the
        // solid bounded by the moved triangles.
        _ => {
            cache.next_checks_until_hulls =
                (2 * cache.next_checks_until_hulls + 1).min(MAX_CHECKS_WITHOUT_HULLS);
            cache.checks_until_hulls = cache.next_checks_until_hulls;
            false
        }
    }
}

/// Two triangles of two meshes that meet, by a method without trees; `None` for other methods.
fn search_without_trees(
    method: Method,
    (mesh_a, mesh_b): (&Mesh, &Mesh),
    pose: &Pose,
) -> Option<Option<(u32, u32)>> {
    let mut first = First::default();
    let posed = || (Posed::new(mesh_a, &Pose::IDENTITY), Posed::new(mesh_b, pose));
    match method {
        Method::Sweep => {
            let (posed_a, posed_b) = posed();
            pair::sweep::traverse(&posed_a, &posed_b, &mut first);
        }
        Method::BruteForce => {
            let (posed_a, posed_b) = posed();
            pair::brute::traverse(&posed_a, &posed_b, &mut first);
        }
        Method::Shapes | Method::Hulls | Method::HullsThenTriangles | Method::Triangles => {
            return None;
        }
    }
    Some(first.pair)
}

/// An upper bound of the distance by which a vertex of a moved mesh can lie outside the hull of its
/// moved corners.
///
/// In the mesh's own frame every vertex lies in the hull. Moved, the vertex and each corner are
/// rounded by at most `e`: four roundings of `u` of each of three coordinates, of which none
/// exceeds `sqrt(3) reach + |t|`, and products that underflow. So the vertex is within `2 e` of the
/// hull, and `2 sqrt(3) 4 u (sqrt(3) reach + |t|) < 16 u (2 reach + |t|)`.
fn hull_excess(mesh: &Mesh, hull: &Hull, pose: &Pose) -> f64 {
    if hull.vertices().len() == mesh.used_vertices().len() {
        return 0.0; // all vertices are corners, so that a bound of their hull is one of the mesh
    }
    let Aabb { min, max } = mesh.bounds();
    let reach = min.abs().max(max.abs()).max_element();
    let size = 2.0 * reach + pose.translation().abs().max_element();
    8.0 * f64::EPSILON * size + 16.0 * f64::from_bits(1)
}

/// The distance of curved shapes, relative to the coordinates of the query, below which a search
/// from another start might not decide what this one decided. A thousand times the usual gap of the
/// bounds.
const RELATIVE_RECHECK_DISTANCE: f64 = 1e-9;

/// Whether an answer about curved shapes may depend on the start of the search: the bounds leave
/// the verdict open, or decide it by a small margin. Reports must not depend on earlier checks, so
/// such a check is repeated without kept data.
fn may_depend_on_start(encounter: &QuickVerdict, a: &BodyPart, b: &BodyPart, pose: &Pose) -> bool {
    let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
    let size = |part: &BodyPart| {
        let Aabb { min, max } = part.bounds();
        min.to_array().into_iter().chain(max.to_array()).map(finite).fold(0.0, f64::max)
    };
    let limit =
        || RELATIVE_RECHECK_DISTANCE * (size(a) + size(b) + pose.translation().abs().max_element());
    match *encounter {
        QuickVerdict::Undecided => true,
        QuickVerdict::Apart { gap } => gap <= limit(),
        // A depth of zero means that the decision was exact.
        QuickVerdict::Meeting { depth, .. } => depth > 0.0 && depth <= limit(),
    }
}
