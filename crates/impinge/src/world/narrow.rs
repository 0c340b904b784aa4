//! One pair of bodies: do they meet? Each stage starts from the result of the one before and from
//! what the last frame left (the pipeline of Leung 1996, section 3.1).

use super::geometry::{Part, mesh_of};
use super::method::Method;
use super::pair_method::{PairAnswer, PairChecker, PairQuery};
use super::pairs::Key;
use super::placing::slack;
use super::selection::{Chooser, Chosen, ChosenBy};
use super::{Geometry, Witness};
use crate::answer::Bounds;
use crate::convex::{self, Hull};
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::{self, Bias, Budget, First, Hit, Posed};
use crate::shape::{self, Kind, QuickVerdict};

/// How two bodies stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// The pair has not been checked, or no check has decided yet.
    Unknown,
    Apart,
    /// Apart, by a method that leans towards "no collision".
    ApartPerhaps,
    Meeting,
    /// Meeting, by a method that leans towards "collision"; or a curved shape touches another to
    /// some twelve digits.
    MeetingPerhaps,
}

impl Standing {
    fn new(meets: bool, certain: bool) -> Self {
        match (meets, certain) {
            (false, true) => Self::Apart,
            (false, false) => Self::ApartPerhaps,
            (true, true) => Self::Meeting,
            (true, false) => Self::MeetingPerhaps,
        }
    }

    /// Whether they meet, for all that is known.
    pub(super) fn meets(self) -> bool {
        matches!(self, Self::Meeting | Self::MeetingPerhaps)
    }

    /// Which way it can be wrong.
    pub(super) fn bias(self) -> Option<Bias> {
        match self {
            Self::Unknown | Self::Apart | Self::Meeting => None,
            Self::ApartPerhaps => Some(Bias::TowardsNoCollision),
            Self::MeetingPerhaps => Some(Bias::TowardsCollision),
        }
    }
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found {
    Apart { certain: bool },
    Meeting { place: Place, certain: bool },
    Undecided(Bounds),
}

impl Found {
    const APART: Self = Self::Apart { certain: true };

    fn meeting(place: Place) -> Self {
        Self::Meeting { place, certain: true }
    }

    /// How the two stand; what a check left open, if it did.
    pub(super) fn standing(&self) -> Result<Standing, Bounds> {
        match *self {
            Self::Apart { certain } => Ok(Standing::new(false, certain)),
            Self::Meeting { certain, .. } => Ok(Standing::new(true, certain)),
            Self::Undecided(bounds) => Err(bounds),
        }
    }

    /// Where they meet, if they do, as far as is known.
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

/// What is kept of a pair of bodies from check to check.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// For pairs of parts whose boxes overlapped, sorted.
    parts: Vec<PartMemory>,
    /// The boxes of B's parts in A's frame, if one of the two has several, and B's parts by where
    /// these begin along the first axis.
    boxes: Vec<Aabb>,
    order: Vec<u32>,
    /// The parts that met last.
    last: Option<[u32; 2]>,
    /// How many checks there were.
    checks: u32,
    /// Whether it holds anything that the next check starts from.
    warm: bool,
    /// Whether a method was used that was selected, and not chosen among the engine's by its cost.
    selected: bool,
    /// Whether hulls decided the last check.
    pub(super) by_hulls: bool,
}

impl Memory {
    /// Whether the next check starts from nothing.
    pub(super) fn is_cold(&self) -> bool {
        !self.warm
    }

    /// Whether all that it holds comes from the engine's methods, chosen by their cost.
    pub(super) fn is_by_cost(&self) -> bool {
        !self.selected
    }

    /// Clears it for another pair, keeping the memory.
    pub(super) fn forget(&mut self) {
        (self.by_hulls, self.last, self.warm) = (false, None, false);
        self.selected = false;
        self.parts.truncate(1);
        if let Some(part) = self.parts.first_mut() {
            let mut cache = std::mem::take(&mut part.cache);
            cache.clear();
            *part = PartMemory { cache, ..PartMemory::default() };
        }
    }
}

/// What is kept of a pair of parts.
#[derive(Debug, Default)]
struct PartMemory {
    parts: [u32; 2],
    /// The check that last looked at them.
    seen: u32,
    method: Option<Chosen>,
    /// How many checks to wait before hulls are asked again, and how many it will be the next time
    /// they fail.
    wait: u8,
    next_wait: u8,
    cache: shape::ShapeCache,
    /// Of a method from outside of the engine.
    checker: Option<Box<dyn PairChecker>>,
}

/// Checks for which hulls are not asked again, at most, after they overlapped several times in a
/// row.
const MAX_CHECKS_WITHOUT_HULLS: u8 = 32;

/// Checks two bodies, B at `pose` in A's frame.
pub(super) fn check(
    a: &Geometry,
    b: &Geometry,
    pose: &Pose,
    chooser: &Chooser<'_>,
    memory: &mut Memory,
) -> Found {
    memory.by_hulls = false;
    memory.warm = true;
    if let ([one], [other]) = (a.parts(), b.parts()) {
        if memory.parts.is_empty() {
            memory.parts.push(PartMemory::default());
        }
        let Memory { parts, by_hulls, selected, .. } = memory;
        let flags = &mut Flags { by_hulls, selected };
        return check_parts((one, 0), (other, 0), pose, chooser, &mut parts[0], flags);
    }
    check_compounds(a, b, pose, chooser, memory)
}

/// What a check of two parts says about the check of the bodies.
struct Flags<'a> {
    /// Whether hulls alone decided.
    by_hulls: &'a mut bool,
    /// Set if a method was used that was selected.
    selected: &'a mut bool,
}

/// The parts whose boxes overlap, found by a sweep along the first axis: those that met last first,
/// then in the order of the sweep.
fn check_compounds(
    a: &Geometry,
    b: &Geometry,
    pose: &Pose,
    chooser: &Chooser<'_>,
    memory: &mut Memory,
) -> Found {
    let reach = a.reach() + b.reach() + pose.translation().abs().max_element();
    memory.boxes.clear();
    memory.boxes.extend(b.parts().iter().map(|part| boxed(part, pose, reach)));
    if memory.order.len() != memory.boxes.len() {
        memory.order.clear();
        memory.order.extend(0..memory.boxes.len() as u32);
    }
    let boxes = &memory.boxes;
    let begin = |n: &u32| boxes[*n as usize].min.x;
    memory.order.sort_unstable_by(|i, j| begin(i).total_cmp(&begin(j)).then(i.cmp(j)));
    memory.checks = memory.checks.wrapping_add(1);

    let mut sweep =
        Sweep { a, b, pose, chooser, memory, found: Found::APART, checked: 0, not_by_hulls: 0 };
    let last = sweep
        .memory
        .last
        .filter(|[i, j]| (*i as usize) < a.parts().len() && (*j as usize) < b.parts().len());
    if last.is_some_and(|[i, j]| sweep.meets(i, j)) || sweep.run() {
        return sweep.found;
    }
    let Sweep { mut found, checked, not_by_hulls, .. } = sweep;
    if let Found::Undecided(bounds) = &mut found {
        // The depth of two parts does not bound that of the bodies.
        let its = memory.boxes.iter().fold(Aabb::EMPTY, |all, part| all.union(part));
        bounds.lower = Bounds::of_boxes(&a.bounds(), &its).lower;
    }
    memory.by_hulls = checked > 0 && not_by_hulls == 0 && found == Found::APART;
    // Of parts that are not near each other any more nothing is kept.
    if memory.parts.len() > 2 * checked + 8 {
        let now = memory.checks;
        memory.parts.retain(|part| part.seen == now);
    }
    found
}

/// A search for two parts that meet.
struct Sweep<'a> {
    a: &'a Geometry,
    b: &'a Geometry,
    pose: &'a Pose,
    chooser: &'a Chooser<'a>,
    memory: &'a mut Memory,
    found: Found,
    /// Pairs of parts that were checked, and those that hulls left open.
    checked: usize,
    not_by_hulls: usize,
}

impl Sweep<'_> {
    /// Whether any two parts meet. Of two boxes the one that begins first is compared with those
    /// that begin before it ends.
    fn run(&mut self) -> bool {
        let own = self.a.order();
        let (mut i, mut j) = (0, 0);
        while i < own.len() && j < self.memory.order.len() {
            let one = self.a.parts()[own[i] as usize].bounds();
            let other = self.memory.boxes[self.memory.order[j] as usize];
            if one.min.x <= other.min.x {
                for k in j..self.memory.order.len() {
                    let n = self.memory.order[k];
                    if self.memory.boxes[n as usize].min.x > one.max.x {
                        break;
                    }
                    if self.meets(own[i], n) {
                        return true;
                    }
                }
                i += 1;
            } else {
                for n in &own[i..] {
                    if self.a.parts()[*n as usize].bounds().min.x > other.max.x {
                        break;
                    }
                    if self.meets(*n, self.memory.order[j]) {
                        return true;
                    }
                }
                j += 1;
            }
        }
        false
    }

    /// Whether two parts meet; notes what was found.
    fn meets(&mut self, i: u32, j: u32) -> bool {
        let (one, other) = (&self.a.parts()[i as usize], &self.b.parts()[j as usize]);
        if !self.memory.boxes[j as usize].overlaps(&one.bounds()) {
            return false;
        }
        let Memory { parts, checks, selected, .. } = &mut *self.memory;
        let key = [i, j];
        let place = parts.binary_search_by_key(&key, |part| part.parts).unwrap_or_else(|at| {
            parts.insert(at, PartMemory { parts: key, ..PartMemory::default() });
            at
        });
        let kept = &mut parts[place];
        kept.seen = *checks;
        let mut by_hulls = false;
        let flags = &mut Flags { by_hulls: &mut by_hulls, selected };
        let found = check_parts((one, i), (other, j), self.pose, self.chooser, kept, flags);
        self.checked += 1;
        self.not_by_hulls += usize::from(!by_hulls);
        if let Found::Meeting { certain: true, .. } = found {
            self.found = found;
            self.memory.last = Some(key);
            return true;
        }
        self.found = joined(self.found, found);
        false
    }
}

/// The result for two bodies of the results for their parts, none of which certainly meet. Parts
/// that perhaps meet count before undecided ones, and these before parts that are perhaps apart.
fn joined(known: Found, found: Found) -> Found {
    match (known, found) {
        (_, Found::Meeting { .. }) => found,
        (Found::Meeting { .. }, _) => known,
        (Found::Undecided(own), Found::Undecided(its)) => Found::Undecided(own.joined(its)),
        (Found::Undecided(_), _) | (Found::Apart { certain: false }, Found::Apart { .. }) => known,
        _ => found,
    }
}

/// A box around a part of B in A's frame, with what rounding may hide of coordinates up to `reach`.
fn boxed(part: &Part, pose: &Pose, reach: f64) -> Aabb {
    let bounds = part.bounds();
    if matches!(part.shape().kind(), Kind::HalfSpace(_)) {
        return Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    }
    let moved = bounds.transformed(pose);
    if moved.is_empty() {
        return moved;
    }
    moved.grown(slack(&moved, reach))
}

/// The pose of B's part in the frame of A's part.
pub(super) fn between(a: &Part, b: &Part, pose: &Pose) -> Pose {
    match (*a.pose() == Pose::IDENTITY, *b.pose() == Pose::IDENTITY) {
        (true, true) => *pose,
        (true, false) => pose.composed(b.pose()),
        (false, _) => Pose::relative(a.pose(), &pose.composed(b.pose())),
    }
}

fn check_parts(
    (a, i): (&Part, u32),
    (b, j): (&Part, u32),
    pose: &Pose,
    chooser: &Chooser<'_>,
    memory: &mut PartMemory,
    flags: &mut Flags<'_>,
) -> Found {
    let pose = &between(a, b, pose);
    let chosen = memory.method.unwrap_or_else(|| {
        let (chosen, rule) = chooser.choose(a, b);
        *flags.selected |= rule != ChosenBy::Cost || matches!(chosen, Chosen::Other(_));
        memory.method = Some(chosen);
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
            return match ask_other(PairQuery { a, b, pose }, chooser, number, memory) {
                PairAnswer::Separated { certain } => Found::Apart { certain },
                PairAnswer::Intersecting { certain, witness } => {
                    let witness = witness.unwrap_or_default();
                    Found::Meeting { place: place(witness.triangles, witness.point), certain }
                }
                PairAnswer::Undecided(bounds) => Found::Undecided(bounds),
            };
        }
    };
    if method != Method::Shapes {
        if let (Some(mesh_a), Some(mesh_b)) = (mesh_of(a.shape()), mesh_of(b.shape())) {
            let meshes = (&**mesh_a, &**mesh_b);
            if hulls_are_apart(method, a, (b, meshes.1), pose, memory) {
                *flags.by_hulls = true;
                return Found::APART;
            }
            if let Some(found) = search_without_trees(method, meshes, pose) {
                return match found {
                    Some((p, q)) => Found::meeting(place([Some(p), Some(q)], None)),
                    None => shape::contained_point(a.shape(), b.shape(), pose)
                        .map_or(Found::APART, |p| Found::meeting(place([None, None], Some(p)))),
                };
            }
        }
    }
    let mut found = shape::meet_cached(a.shape(), b.shape(), pose, &mut memory.cache);
    if (is_curved(a) || is_curved(b)) && is_close(&found, a, b, pose) {
        found = shape::meet_cached(a.shape(), b.shape(), pose, &mut shape::ShapeCache::default());
    }
    match found {
        QuickVerdict::Apart { .. } => Found::APART,
        QuickVerdict::Meeting { point, triangles, .. } => Found::meeting(place(triangles, point)),
        QuickVerdict::Undecided => {
            Found::Meeting { place: place([None, None], None), certain: false }
        }
    }
}

/// Asks a method from outside of the engine.
#[cold]
#[inline(never)]
fn ask_other(
    query: PairQuery<'_>,
    chooser: &Chooser<'_>,
    number: u32,
    memory: &mut PartMemory,
) -> PairAnswer {
    let make = || chooser.other(number).checker(query.a, query.b);
    let checker = memory.checker.get_or_insert_with(make);
    checker.check(&query, &mut Budget::unlimited())
}

/// Whether the hulls of two meshes tell that these are apart, if the method asks them this time.
fn hulls_are_apart(
    method: Method,
    a: &Part,
    (b, mesh_b): (&Part, &Mesh),
    pose: &Pose,
    memory: &mut PartMemory,
) -> bool {
    let asks = match method {
        Method::Hulls => true,
        Method::HullsThenTriangles => memory.wait == 0,
        _ => false,
    };
    memory.wait = memory.wait.saturating_sub(1);
    if !asks {
        return false;
    }
    let (Some(own), Some(other)) = (a.hull(), b.hull()) else {
        return false;
    };
    match convex::intersects_cached(own, other, pose, &mut memory.cache.hulls) {
        convex::Verdict::Separated(gap) if gap.gap > beyond_hull(mesh_b, other, pose) => {
            memory.next_wait = 0;
            true
        }
        // Also where both are convex solids: rounded vertices bend their faces, so that the hull of
        // the moved corners is a little larger than what the moved triangles bound.
        _ => {
            memory.next_wait = (2 * memory.next_wait + 1).min(MAX_CHECKS_WITHOUT_HULLS);
            memory.wait = memory.next_wait;
            false
        }
    }
}

/// Two triangles of two meshes that meet, by a method that uses no trees; `None` if the method is
/// another.
fn search_without_trees(
    method: Method,
    (mesh_a, mesh_b): (&Mesh, &Mesh),
    pose: &Pose,
) -> Option<Option<(u32, u32)>> {
    let mut first = First::default();
    let posed = || (Posed::new(mesh_a, &Pose::IDENTITY), Posed::new(mesh_b, pose));
    match method {
        Method::Sweep => {
            let (here, there) = posed();
            pair::sweep::traverse(&here, &there, &mut first);
        }
        Method::BruteForce => {
            let (here, there) = posed();
            pair::brute::traverse(&here, &there, &mut first);
        }
        _ => return None,
    }
    Some(first.pair)
}

/// How far a vertex of a moved mesh can lie outside the hull of its moved corners.
///
/// In the mesh's own frame every vertex lies in the hull. Moved, the vertex and each corner are
/// rounded by at most `e`: four roundings of `u` of each of three coordinates, of which none
/// exceeds `sqrt(3) reach + |t|`, and products that vanish. So the vertex is within `2 e` of the
/// hull, and `2 sqrt(3) 4 u (sqrt(3) reach + |t|) < 16 u (2 reach + |t|)`.
fn beyond_hull(mesh: &Mesh, hull: &Hull, pose: &Pose) -> f64 {
    if hull.vertices().len() == mesh.used_vertices().len() {
        return 0.0; // all are corners, and what bounds the hull of them bounds the mesh
    }
    let Aabb { min, max } = mesh.bounds();
    let reach = min.abs().max(max.abs()).max_element();
    let size = 2.0 * reach + pose.translation().abs().max_element();
    8.0 * f64::EPSILON * size + 16.0 * f64::from_bits(1)
}

/// Whether verdicts about a part are bounds of a distance, and no exact decisions.
fn is_curved(part: &Part) -> bool {
    matches!(part.shape().kind(), Kind::Cylinder(_) | Kind::Cone(_) | Kind::Ellipsoid(_))
}

/// How close curved shapes may come, relative to the coordinates that go into the query, before a
/// search that starts elsewhere might leave open what this one decided. A thousand times what
/// usual bounds leave open.
const RELATIVE_DOUBT: f64 = 1e-9;

/// Whether an answer about curved shapes may depend on where the search started: the bounds are
/// open, or nearly. What is reported must not depend on earlier checks, so such an answer is found
/// again without them.
fn is_close(found: &QuickVerdict, a: &Part, b: &Part, pose: &Pose) -> bool {
    let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
    let size = |part: &Part| {
        let Aabb { min, max } = part.bounds();
        min.to_array().into_iter().chain(max.to_array()).map(finite).fold(0.0, f64::max)
    };
    let close = || RELATIVE_DOUBT * (size(a) + size(b) + pose.translation().abs().max_element());
    match *found {
        QuickVerdict::Undecided => true,
        QuickVerdict::Apart { gap } => gap <= close(),
        // Without a depth the decision was an exact one.
        QuickVerdict::Meeting { depth, .. } => depth > 0.0 && depth <= close(),
    }
}

/// Where two bodies that meet do so, in the world's frame; A is at `frame`, B at `pose` in A's
/// frame. `None` if they do not meet.
///
/// The answer is that of a check that uses nothing of earlier ones, by the engine's method of
/// least expected cost: it depends on the two forms and their poses alone. `cold` is what the last
/// check found, if that was such a check. What is found is left in `memory` for the next check, if
/// that uses the same method.
pub(super) fn witness(
    (a, b): (&Geometry, &Geometry),
    frame: &Pose,
    pose: &Pose,
    key: Key,
    cold: Option<&Found>,
    memory: &mut Memory,
) -> Option<Witness> {
    let chooser = &Chooser::engine(key);
    let found = match cold {
        Some(found) => *found,
        None if memory.is_by_cost() => {
            let by_hulls = memory.by_hulls;
            memory.forget();
            let found = check(a, b, pose, chooser, memory);
            memory.by_hulls = by_hulls;
            found
        }
        None => check(a, b, pose, chooser, &mut Memory::default()),
    };
    witness_at(found.place()?, a, b, frame, pose)
}

/// The place where a method found two bodies meeting, if it gave one.
pub(super) fn own_witness(
    found: &Found,
    (a, b): (&Geometry, &Geometry),
    frame: &Pose,
    pose: &Pose,
) -> Option<Witness> {
    let place = found.place()?;
    let triangles_are_known = place.triangles.iter().all(Option::is_some);
    if place.point.is_none() && !triangles_are_known {
        return None;
    }
    witness_at(place, a, b, frame, pose)
}

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
        let pose = between(one, other, pose);
        one.pose().transform_point(common_point(one, other, &pose, place.triangles))
    });
    let point = frame.transform_point(point);
    Some(Witness { point, parts: place.parts, triangles: place.triangles })
}

/// A common point of two meshes whose triangles, or hulls, are known to meet, in the frame of the
/// first.
fn common_point(a: &Part, b: &Part, pose: &Pose, triangles: [Option<u32>; 2]) -> Vec3 {
    if let (Some(mesh_a), Some(mesh_b), [Some(p), Some(q)]) =
        (mesh_of(a.shape()), mesh_of(b.shape()), triangles)
    {
        let there = mesh_b.triangle(q as usize).map(|v| pose.transform_point(v));
        let hit = Hit::between((p, &mesh_a.triangle(p as usize)), (q, &there));
        return hit.map_or(there[0], |hit| hit.point);
    }
    match a.polytope().zip(b.polytope()).map(|(own, its)| convex::contact(own, its, pose)) {
        Some((deepest, convex::Verdict::Intersecting(_))) => {
            (deepest.point_a + deepest.point_b) * 0.5
        }
        Some((closest, convex::Verdict::Separated(_))) => closest.point_a,
        // A curved shape touches another to some twelve digits.
        None => shape::distance(a.shape(), b.shape(), pose)
            .map_or(pose.translation(), |found| (found.point_a + found.point_b) * 0.5),
    }
}
