//! One pair of bodies: do they meet? Each stage starts from the result of the one before and from
//! what the last frame left (the pipeline of Leung 1996, section 3.1).

use super::geometry::{Part, mesh_of};
use super::method::{self, Method, Traits};
use super::placing::slack;
use super::{Geometry, Witness};
use crate::convex::{self, Hull};
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::{self, First, Hit, Posed};
use crate::shape::{self, Kind, Verdict};
use crate::solid::vertex_of_inside;

/// How two bodies stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// The pair has not been checked.
    Unknown,
    Apart,
    Meeting,
    /// A curved shape touches another to some twelve digits.
    Undecided,
}

impl Standing {
    /// Whether they meet, for all that is known.
    pub(super) fn meets(self) -> bool {
        matches!(self, Self::Meeting | Self::Undecided)
    }
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found {
    Apart,
    Meeting(Place),
    Undecided(Place),
}

impl Found {
    pub(super) fn standing(&self) -> Standing {
        match self {
            Self::Apart => Standing::Apart,
            Self::Meeting(_) => Standing::Meeting,
            Self::Undecided(_) => Standing::Undecided,
        }
    }

    /// Where they meet, if they do, as far as is known.
    fn place(&self) -> Option<&Place> {
        match self {
            Self::Apart => None,
            Self::Meeting(place) | Self::Undecided(place) => Some(place),
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
#[derive(Clone, Debug, Default)]
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
    /// Whether hulls decided the last check.
    pub(super) by_hulls: bool,
}

impl Memory {
    /// Whether the next check starts from nothing.
    pub(super) fn is_cold(&self) -> bool {
        !self.warm
    }

    /// Forgets what it knew, for another pair, keeping the room.
    pub(super) fn forget(&mut self) {
        (self.by_hulls, self.last, self.warm) = (false, None, false);
        self.parts.truncate(1);
        if let Some(part) = self.parts.first_mut() {
            let mut meshes = std::mem::take(&mut part.meshes);
            meshes.forget();
            *part = PartMemory { meshes, ..PartMemory::default() };
        }
    }
}

/// What is kept of a pair of parts.
#[derive(Clone, Debug, Default)]
struct PartMemory {
    parts: [u32; 2],
    /// The check that last looked at them.
    seen: u32,
    method: Option<Method>,
    hulls: convex::HullCache,
    /// How many checks to wait before hulls are asked again, and how many it will be the next time
    /// they fail.
    wait: u8,
    patience: u8,
    meshes: pair::MeshCache,
    shapes: shape::ShapeCache,
}

/// Hulls that overlapped so often in a row are asked only now and then.
const LONGEST_WAIT: u8 = 32;

/// Checks two bodies, B at `pose` in A's frame.
pub(super) fn check(
    a: &Geometry,
    b: &Geometry,
    pose: &Pose,
    wish: Option<Method>,
    memory: &mut Memory,
) -> Found {
    memory.by_hulls = false;
    memory.warm = true;
    if let ([one], [other]) = (a.parts(), b.parts()) {
        if memory.parts.is_empty() {
            memory.parts.push(PartMemory::default());
        }
        let Memory { parts, by_hulls, .. } = memory;
        return check_parts((one, 0), (other, 0), pose, wish, &mut parts[0], by_hulls);
    }
    check_compounds(a, b, pose, wish, memory)
}

/// The parts whose boxes overlap, found by a sweep along the first axis: those that met last first,
/// then in the order of the sweep.
fn check_compounds(
    a: &Geometry,
    b: &Geometry,
    pose: &Pose,
    wish: Option<Method>,
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

    let mut sweep = Sweep { a, b, pose, wish, memory, found: Found::Apart, looked: 0, open: 0 };
    let last = sweep
        .memory
        .last
        .filter(|[i, j]| (*i as usize) < a.parts().len() && (*j as usize) < b.parts().len());
    if last.is_some_and(|[i, j]| sweep.meets(i, j)) || sweep.run() {
        return sweep.found;
    }
    let Sweep { found, looked, open, .. } = sweep;
    memory.by_hulls = looked > 0 && open == 0 && found == Found::Apart;
    // Of parts that are not near each other any more nothing is kept.
    if memory.parts.len() > 2 * looked + 8 {
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
    wish: Option<Method>,
    memory: &'a mut Memory,
    found: Found,
    /// Pairs of parts that were looked at, and those that hulls left open.
    looked: usize,
    open: usize,
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
        let Memory { parts, checks, .. } = &mut *self.memory;
        let key = [i, j];
        let place = parts.binary_search_by_key(&key, |part| part.parts).unwrap_or_else(|at| {
            parts.insert(at, PartMemory { parts: key, ..PartMemory::default() });
            at
        });
        let kept = &mut parts[place];
        kept.seen = *checks;
        let mut by_hulls = false;
        let found = check_parts((one, i), (other, j), self.pose, self.wish, kept, &mut by_hulls);
        self.looked += 1;
        self.open += usize::from(!by_hulls);
        match found {
            Found::Meeting(_) => {
                self.found = found;
                self.memory.last = Some(key);
                return true;
            }
            Found::Undecided(_) => self.found = found,
            Found::Apart => {}
        }
        false
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
    wish: Option<Method>,
    memory: &mut PartMemory,
    by_hulls: &mut bool,
) -> Found {
    let pose = &between(a, b, pose);
    let method = match (memory.method, wish) {
        (Some(method), None) => method,
        _ => {
            let method = method::choose(&Traits::of(a), &Traits::of(b), wish);
            memory.method = wish.is_none().then_some(method);
            method
        }
    };
    let place = |triangles, point: Option<Vec3>| Place {
        parts: [i, j],
        triangles,
        point: point.map(|p| a.pose().transform_point(p)),
    };
    // Where two polytopes meet is found out when somebody asks.
    if let (Some(own), Some(other)) = (a.shape().polytope(), b.shape().polytope()) {
        let meet = convex::intersects_cached(own, other, pose, &mut memory.hulls).is_intersecting();
        return if meet { Found::Meeting(place([None, None], None)) } else { Found::Apart };
    }
    let (Some(mesh_a), Some(mesh_b)) = (mesh_of(a.shape()), mesh_of(b.shape())) else {
        let mut verdict = shape::intersects_cached(a.shape(), b.shape(), pose, &mut memory.shapes);
        if (is_curved(a) || is_curved(b)) && is_close(&verdict, a, b, pose) {
            verdict = shape::intersects(a.shape(), b.shape(), pose);
        }
        return match verdict {
            Verdict::Separated(_) => Found::Apart,
            Verdict::Intersecting(m) => {
                Found::Meeting(place([m.feature_a, m.feature_b], Some(m.point)))
            }
            Verdict::Undecided(_) => Found::Undecided(place([None, None], None)),
        };
    };
    let ask_hulls = match method {
        Method::Hulls => true,
        Method::HullsThenTriangles => memory.wait == 0,
        _ => false,
    };
    memory.wait = memory.wait.saturating_sub(1);
    if ask_hulls {
        if let (Some(own), Some(other)) = (a.hull(), b.hull()) {
            let found = convex::intersects_cached(own, other, pose, &mut memory.hulls);
            match found {
                convex::Verdict::Separated(gap) if gap.gap > beyond_hull(mesh_b, other, pose) => {
                    *by_hulls = true;
                    memory.patience = 0;
                    return Found::Apart;
                }
                // Also where both are convex solids: rounded vertices bend their faces, so that the
                // hull of the moved corners is a little larger than what the moved triangles bound.
                _ => {
                    memory.patience = (2 * memory.patience + 1).min(LONGEST_WAIT);
                    memory.wait = memory.patience;
                }
            }
        }
    }
    let first = match method {
        Method::Sweep | Method::BruteForce => {
            let (here, there) = (Posed::new(mesh_a, &Pose::IDENTITY), Posed::new(mesh_b, pose));
            let mut first = First::default();
            match method {
                Method::Sweep => pair::sweep::traverse(&here, &there, &mut first),
                _ => pair::brute::traverse(&here, &there, &mut first),
            }
            first.pair
        }
        _ => pair::first_pair_cached(mesh_a, mesh_b, pose, &mut memory.meshes),
    };
    if let Some((p, q)) = first {
        return Found::Meeting(place([Some(p), Some(q)], None));
    }
    match inside(a, b, pose) {
        Some(point) => Found::Meeting(place([None, None], Some(point))),
        None => Found::Apart,
    }
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
const CLOSE: f64 = 1e-9;

/// Whether a verdict about curved shapes may depend on where the search started: the bounds are
/// open, or nearly. What is reported must not depend on earlier checks, so such a verdict is found
/// again without them.
fn is_close(verdict: &Verdict, a: &Part, b: &Part, pose: &Pose) -> bool {
    let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
    let size = |part: &Part| {
        let Aabb { min, max } = part.bounds();
        min.to_array().into_iter().chain(max.to_array()).map(finite).fold(0.0, f64::max)
    };
    let close = || CLOSE * (size(a) + size(b) + pose.translation().abs().max_element());
    match verdict {
        Verdict::Undecided(_) => true,
        Verdict::Separated(clear) => clear.lower <= close(),
        // Without a depth the decision was an exact one.
        Verdict::Intersecting(meeting) => meeting.depth > 0.0 && meeting.depth <= close(),
    }
}

/// A point of one mesh inside the solid that is the other, for meshes whose surfaces do not meet.
fn inside(a: &Part, b: &Part, pose: &Pose) -> Option<Vec3> {
    let solid = |part: &Part| matches!(part.shape().kind(), Kind::Solid(_));
    if !solid(a) && !solid(b) {
        return None;
    }
    let (mesh_a, mesh_b) = (mesh_of(a.shape())?, mesh_of(b.shape())?);
    // What lies inside, and is one piece, has its box inside. The box of B where it is may be too
    // large.
    let its = mesh_b.bounds().transformed(pose);
    let a_in_b = solid(b) && (mesh_a.shells().count() > 1 || its.contains_box(&mesh_a.bounds()));
    let (here, there) = ((&**mesh_a, &Pose::IDENTITY), (&**mesh_b, pose));
    let in_b = || a_in_b.then(|| vertex_of_inside(here, there)).flatten();
    let in_a = || solid(a).then(|| vertex_of_inside(there, here)).flatten();
    in_b().or_else(in_a)
}

/// Where two bodies that meet do so, in the world's frame; A is at `frame`, B at `pose` in A's
/// frame. `None` if they do not meet.
///
/// The answer is that of a check which knows nothing of earlier ones, by the method of least
/// expected cost: it depends on the two forms and their poses alone. `cold` is what the last check
/// found, if that was such a check. What is found is left in `memory` for the next check.
pub(super) fn witness(
    a: &Geometry,
    b: &Geometry,
    frame: &Pose,
    pose: &Pose,
    cold: Option<&Found>,
    memory: &mut Memory,
) -> Option<Witness> {
    let found = match cold {
        Some(found) => *found,
        None => {
            let by_hulls = memory.by_hulls;
            memory.forget();
            let found = check(a, b, pose, None, memory);
            memory.by_hulls = by_hulls;
            found
        }
    };
    let place = found.place()?;
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
