//! The check of one pair of bodies. Each stage starts from the result of the one before and from
//! data kept from the last frame (the pipeline of Leung 1996, section 3.1).

use super::geometry::{BodyPart, mesh_of};
use super::method::Method;
use super::pair_method::{PairAnswer, PairChecker, PairQuery, PairWitness};
use super::pairs::Key;
use super::placing::pose_slack;
use super::selection::{Chooser, Chosen, ChosenBy};
use super::{Geometry, Witness};
use crate::answer::Bounds;
use crate::convex::{self, Hull};
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::{self, Bias, Budget, First, Hit, Posed};
use crate::shape::{self, Kind, QuickVerdict};

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
    Meeting { place: Place, certain: bool },
    Undecided(Bounds),
}

impl CheckResult {
    const APART: Self = Self::Apart { certain: true };

    fn meeting(place: Place) -> Self {
        Self::Meeting { place, certain: true }
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
    fn place(&self) -> Option<&Place> {
        match self {
            Self::Apart { .. } | Self::Undecided(_) => None,
            Self::Meeting { place, .. } => Some(place),
        }
    }
}

/// Where two bodies meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
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
    /// The parts that met last.
    last_meeting: Option<[u32; 2]>,
    /// The number of checks.
    checks: u32,
    /// Whether it contains data that the next check starts from.
    is_warm: bool,
    /// Whether a selected method was used, instead of the engine's method of least cost.
    used_selected: bool,
    /// Whether hulls decided the last check.
    pub(super) by_hulls: bool,
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
        (self.by_hulls, self.last_meeting, self.is_warm) = (false, None, false);
        self.used_selected = false;
        self.parts.truncate(1);
        if let Some(part) = self.parts.first_mut() {
            let mut shapes = std::mem::take(&mut part.shapes);
            shapes.clear();
            *part = PartCache { shapes, ..PartCache::default() };
        }
    }
}

/// Data of a pair of parts that is kept from check to check.
#[derive(Debug, Default)]
struct PartCache {
    parts: [u32; 2],
    /// The number of the last check of these parts.
    last_check: u32,
    method: Option<Chosen>,
    /// The number of checks before hulls are tested again.
    checks_until_hulls: u8,
    /// The same for the next time that hulls do not decide.
    next_checks_until_hulls: u8,
    shapes: shape::ShapeCache,
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
    chooser: &Chooser<'_>,
    cache: &mut PairCache,
) -> CheckResult {
    cache.by_hulls = false;
    cache.is_warm = true;
    if let ([one], [other]) = (a.parts(), b.parts()) {
        if cache.parts.is_empty() {
            cache.parts.push(PartCache::default());
        }
        let PairCache { parts, by_hulls, used_selected, .. } = cache;
        let flags = &mut Flags { by_hulls, used_selected };
        return check_parts((one, 0), (other, 0), pose, chooser, &mut parts[0], flags);
    }
    check_compounds(a, b, pose, chooser, cache)
}

/// Flags of a check of bodies that the check of two parts sets.
struct Flags<'a> {
    /// Whether hulls alone decided.
    by_hulls: &'a mut bool,
    /// Set if a selected method was used.
    used_selected: &'a mut bool,
}

/// Checks the parts whose boxes overlap, found by a sweep along the first axis: first the parts
/// that met last, then in the order of the sweep.
fn check_compounds(
    a: &Geometry,
    b: &Geometry,
    pose: &Pose,
    chooser: &Chooser<'_>,
    cache: &mut PairCache,
) -> CheckResult {
    let size = a.max_coordinate() + b.max_coordinate() + pose.translation().abs().max_element();
    cache.boxes.clear();
    cache.boxes.extend(b.parts().iter().map(|part| part_box(part, pose, size)));
    if cache.order.len() != cache.boxes.len() {
        cache.order.clear();
        cache.order.extend(0..cache.boxes.len() as u32);
    }
    let boxes = &cache.boxes;
    let start = |n: &u32| boxes[*n as usize].min.x;
    cache.order.sort_unstable_by(|i, j| start(i).total_cmp(&start(j)).then(i.cmp(j)));
    cache.checks = cache.checks.wrapping_add(1);

    let mut sweep = Sweep {
        a,
        b,
        pose,
        chooser,
        cache,
        result: CheckResult::APART,
        checked: 0,
        not_by_hulls: 0,
    };
    let last = sweep
        .cache
        .last_meeting
        .filter(|[i, j]| (*i as usize) < a.parts().len() && (*j as usize) < b.parts().len());
    if last.is_some_and(|[i, j]| sweep.meets(i, j)) || sweep.run() {
        return sweep.result;
    }
    let Sweep { mut result, checked, not_by_hulls, .. } = sweep;
    if let CheckResult::Undecided(bounds) = &mut result {
        // The depth of two parts is no bound of the depth of the bodies.
        let bounds_b = cache.boxes.iter().fold(Aabb::EMPTY, |all, part| all.union(part));
        bounds.lower = Bounds::of_boxes(&a.bounds(), &bounds_b).lower;
    }
    cache.by_hulls = checked > 0 && not_by_hulls == 0 && result == CheckResult::APART;
    // Drops the caches of parts that were not checked this time.
    if cache.parts.len() > 2 * checked + 8 {
        let current = cache.checks;
        cache.parts.retain(|part| part.last_check == current);
    }
    result
}

/// A search for two parts that meet.
struct Sweep<'a> {
    a: &'a Geometry,
    b: &'a Geometry,
    pose: &'a Pose,
    chooser: &'a Chooser<'a>,
    cache: &'a mut PairCache,
    result: CheckResult,
    /// The numbers of pairs of parts that were checked, and of those that hulls did not decide.
    checked: usize,
    not_by_hulls: usize,
}

impl Sweep<'_> {
    /// Whether any two parts meet. The box that starts first is compared with the boxes of the
    /// other body that start before its end.
    fn run(&mut self) -> bool {
        let order_a = self.a.order();
        let (mut i, mut j) = (0, 0);
        while i < order_a.len() && j < self.cache.order.len() {
            let one = self.a.parts()[order_a[i] as usize].bounds();
            let other = self.cache.boxes[self.cache.order[j] as usize];
            if one.min.x <= other.min.x {
                for k in j..self.cache.order.len() {
                    let n = self.cache.order[k];
                    if self.cache.boxes[n as usize].min.x > one.max.x {
                        break;
                    }
                    if self.meets(order_a[i], n) {
                        return true;
                    }
                }
                i += 1;
            } else {
                for n in &order_a[i..] {
                    if self.a.parts()[*n as usize].bounds().min.x > other.max.x {
                        break;
                    }
                    if self.meets(*n, self.cache.order[j]) {
                        return true;
                    }
                }
                j += 1;
            }
        }
        false
    }

    /// Whether two parts certainly meet. Merges the result of their check into `result`.
    fn meets(&mut self, i: u32, j: u32) -> bool {
        let (one, other) = (&self.a.parts()[i as usize], &self.b.parts()[j as usize]);
        if !self.cache.boxes[j as usize].overlaps(&one.bounds()) {
            return false;
        }
        let PairCache { parts, checks, used_selected, .. } = &mut *self.cache;
        let key = [i, j];
        let index = parts.binary_search_by_key(&key, |part| part.parts).unwrap_or_else(|at| {
            parts.insert(at, PartCache { parts: key, ..PartCache::default() });
            at
        });
        let part_cache = &mut parts[index];
        part_cache.last_check = *checks;
        let mut by_hulls = false;
        let flags = &mut Flags { by_hulls: &mut by_hulls, used_selected };
        let result = check_parts((one, i), (other, j), self.pose, self.chooser, part_cache, flags);
        self.checked += 1;
        self.not_by_hulls += usize::from(!by_hulls);
        if let CheckResult::Meeting { certain: true, .. } = result {
            self.result = result;
            self.cache.last_meeting = Some(key);
            return true;
        }
        self.result = merged(self.result, result);
        false
    }
}

/// The result for two bodies from the results for two pairs of parts, none of which certainly meet.
/// An uncertain meeting has priority over an undecided result, and this over uncertainly apart.
fn merged(first: CheckResult, second: CheckResult) -> CheckResult {
    match (first, second) {
        (_, CheckResult::Meeting { .. }) => second,
        (CheckResult::Meeting { .. }, _) => first,
        (CheckResult::Undecided(a), CheckResult::Undecided(b)) => {
            CheckResult::Undecided(a.joined(b))
        }
        (CheckResult::Undecided(_), _)
        | (CheckResult::Apart { certain: false }, CheckResult::Apart { .. }) => first,
        _ => second,
    }
}

/// A box around a part of B in A's frame, enlarged by the rounding errors of coordinates up to
/// `max_coordinate`.
fn part_box(part: &BodyPart, pose: &Pose, max_coordinate: f64) -> Aabb {
    let bounds = part.bounds();
    if matches!(part.shape().kind(), Kind::HalfSpace(_)) {
        return Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    }
    let moved = bounds.transformed(pose);
    if moved.is_empty() {
        return moved;
    }
    moved.grown(pose_slack(&moved, max_coordinate))
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
    chooser: &Chooser<'_>,
    cache: &mut PartCache,
    flags: &mut Flags<'_>,
) -> CheckResult {
    let pose = &relative_part_pose(a, b, pose);
    let chosen = cache.method.unwrap_or_else(|| {
        let (chosen, rule) = chooser.choose(a, b);
        *flags.used_selected |= rule != ChosenBy::Cost || matches!(chosen, Chosen::Other(_));
        cache.method = Some(chosen);
        chosen
    });
    let place = |triangles, point: Option<Vec3>| Place {
        parts: [i, j],
        triangles,
        point: point.map(|p| a.pose().transform_point(p)),
    };
    let method = match chosen {
        Chosen::Engine(method) => method,
        Chosen::Other(number) => {
            return match check_externally(PairQuery { a, b, pose }, chooser, number, cache) {
                PairAnswer::Separated { certain } => CheckResult::Apart { certain },
                PairAnswer::Intersecting { certain, witness } => {
                    let PairWitness { triangle_a, triangle_b, point } = witness.unwrap_or_default();
                    CheckResult::Meeting { place: place([triangle_a, triangle_b], point), certain }
                }
                PairAnswer::Undecided(bounds) => CheckResult::Undecided(bounds),
            };
        }
    };
    if method != Method::Shapes {
        if let (Some(mesh_a), Some(mesh_b)) = (mesh_of(a.shape()), mesh_of(b.shape())) {
            let meshes = (&**mesh_a, &**mesh_b);
            if hulls_are_apart(method, a, (b, meshes.1), pose, cache) {
                *flags.by_hulls = true;
                return CheckResult::APART;
            }
            if let Some(pair) = search_without_trees(method, meshes, pose) {
                return match pair {
                    Some((p, q)) => CheckResult::meeting(place([Some(p), Some(q)], None)),
                    None => shape::contained_point(a.shape(), b.shape(), pose)
                        .map_or(CheckResult::APART, |p| {
                            CheckResult::meeting(place([None, None], Some(p)))
                        }),
                };
            }
        }
    }
    let mut encounter = shape::meet_cached(a.shape(), b.shape(), pose, &mut cache.shapes);
    if (is_curved(a) || is_curved(b)) && may_depend_on_start(&encounter, a, b, pose) {
        let cold = &mut shape::ShapeCache::default();
        encounter = shape::meet_cached(a.shape(), b.shape(), pose, cold);
    }
    match encounter {
        QuickVerdict::Apart { .. } => CheckResult::APART,
        QuickVerdict::Meeting { point, triangles, .. } => {
            CheckResult::meeting(place(triangles, point))
        }
        QuickVerdict::Undecided => {
            CheckResult::Meeting { place: place([None, None], None), certain: false }
        }
    }
}

/// Checks two parts by an external method.
#[cold]
#[inline(never)]
fn check_externally(
    query: PairQuery<'_>,
    chooser: &Chooser<'_>,
    number: u32,
    cache: &mut PartCache,
) -> PairAnswer {
    let make = || chooser.other(number).checker(query.a, query.b);
    let checker = cache.checker.get_or_insert_with(make);
    checker.check(&query, &mut Budget::unlimited())
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
        _ => false,
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
        _ => return None,
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

/// Whether verdicts about a part come from bounds of a distance, and not from exact decisions.
fn is_curved(part: &BodyPart) -> bool {
    matches!(part.shape().kind(), Kind::Cylinder(_) | Kind::Cone(_) | Kind::Ellipsoid(_))
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

/// Where two bodies meet, in the world's frame; A is at `frame`, B at `pose` in A's frame. `None`
/// if they do not meet.
///
/// The answer is that of a check without kept data, by the engine's method of least expected cost:
/// it depends on the two geometries and their poses alone. `cold` is the result of the last check,
/// if that was such a check. The data of this check is left in `cache` for the next one, if that
/// uses the same method.
pub(super) fn witness(
    (a, b): (&Geometry, &Geometry),
    frame: &Pose,
    pose: &Pose,
    key: Key,
    cold: Option<&CheckResult>,
    cache: &mut PairCache,
) -> Option<Witness> {
    let chooser = &Chooser::engine(key);
    let result = match cold {
        Some(result) => *result,
        None if cache.is_by_cost() => {
            let by_hulls = cache.by_hulls;
            cache.clear();
            let result = check(a, b, pose, chooser, cache);
            cache.by_hulls = by_hulls;
            result
        }
        None => check(a, b, pose, chooser, &mut PairCache::default()),
    };
    witness_at(result.place()?, a, b, frame, pose)
}

/// The witness of a result, if its method returned a place.
pub(super) fn witness_of_result(
    result: &CheckResult,
    (a, b): (&Geometry, &Geometry),
    frame: &Pose,
    pose: &Pose,
) -> Option<Witness> {
    let place = result.place()?;
    let triangles_are_known = place.triangles.iter().all(Option::is_some);
    if place.point.is_none() && !triangles_are_known {
        return None;
    }
    witness_at(place, a, b, frame, pose)
}

/// The witness for a place.
fn witness_at(
    place: &Place,
    a: &Geometry,
    b: &Geometry,
    frame: &Pose,
    pose: &Pose,
) -> Option<Witness> {
    let point = place.point.unwrap_or_else(|| {
        let [i, j] = place.parts.map(|n| n as usize);
        let (one, other) = (&a.parts()[i], &b.parts()[j]);
        let pose = relative_part_pose(one, other, pose);
        one.pose().transform_point(common_point(one, other, &pose, place.triangles))
    });
    let point = frame.transform_point(point);
    let ([part_a, part_b], [triangle_a, triangle_b]) = (place.parts, place.triangles);
    Some(Witness { point, part_a, part_b, triangle_a, triangle_b })
}

/// A common point of two meshes whose triangles, or hulls, are known to meet, in the frame of the
/// first.
fn common_point(a: &BodyPart, b: &BodyPart, pose: &Pose, triangles: [Option<u32>; 2]) -> Vec3 {
    if let (Some(mesh_a), Some(mesh_b), [Some(p), Some(q)]) =
        (mesh_of(a.shape()), mesh_of(b.shape()), triangles)
    {
        let triangle_b = mesh_b.triangle(q as usize).map(|v| pose.transform_point(v));
        let hit = Hit::between((p, &mesh_a.triangle(p as usize)), (q, &triangle_b));
        return hit.map_or(triangle_b[0], |hit| hit.point);
    }
    match a.polytope().zip(b.polytope()).map(|(one, other)| convex::contact(one, other, pose)) {
        Some((deepest, convex::Verdict::Intersecting(_))) => {
            (deepest.point_a + deepest.point_b) * 0.5
        }
        Some((closest, convex::Verdict::Separated(_))) => closest.point_a,
        // A curved shape touches another to about twelve digits.
        None => shape::distance(a.shape(), b.shape(), pose)
            .map_or(pose.translation(), |closest| (closest.point_a + closest.point_b) * 0.5),
    }
}
