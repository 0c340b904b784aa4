//! The distance within a budget.

use super::bounds_of_boxes;
use super::first::FirstPair;
use super::selection::{SearchInF32, Searches, Selected, WithTree};
use crate::answer::Distance;
use crate::budget::Budget;
use crate::math::{Pose, Vec3, length_up};
use crate::mesh::Mesh;
use crate::pair::distance::ClosestPair;
use crate::pair::{Hit, resolve};
use crate::tree::{Aim, HitSearch, MAX_QUICK_STEPS, NearSearch, Progress, are_far};

/// What is known of the distance of two meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DistanceWithin {
    /// One of the meshes has no triangles.
    Empty,
    /// The search is finished; the bounds differ by rounding only.
    Final(Distance),
    /// The bounds so far. The points are those of the closest pair of triangles that was measured;
    /// without one, corners of the meshes.
    Open(Distance),
}

impl DistanceWithin {
    /// The bounds of the distance; `None` if a mesh has no triangles.
    #[must_use]
    pub fn distance(self) -> Option<Distance> {
        match self {
            Self::Empty => None,
            Self::Final(distance) | Self::Open(distance) => Some(distance),
        }
    }

    /// Whether the search is finished.
    #[must_use]
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Open(_))
    }
}

/// The state of a search for the closest pair of triangles. Keep one for each pair of bodies whose
/// search may be continued.
#[derive(Debug, Default)]
pub struct DistanceSearch {
    searches: Searches<ClosestByTrees>,
    /// The point of a hit, once it was computed.
    hit: Option<Hit>,
}

/// The search by trees.
#[derive(Debug)]
struct ClosestByTrees {
    /// A short search for a hit, as in [`distance`](crate::pair::distance()).
    hits: HitSearch,
    found: FirstPair,
    near: NearSearch,
    /// Whether the search for the closest pair has started, which follows that for a hit.
    is_near_started: bool,
    closest: ClosestPair,
    /// A corner of each mesh, and an upper bound of their distance, once they were needed.
    corners: Option<([Vec3; 2], f64)>,
}

impl Default for ClosestByTrees {
    fn default() -> Self {
        Self {
            hits: HitSearch::default(),
            found: FirstPair::default(),
            near: NearSearch::default(),
            is_near_started: false,
            closest: ClosestPair::up_to(f64::INFINITY),
            corners: None,
        }
    }
}

impl SearchInF32 for ClosestByTrees {
    fn start(&mut self, a: WithTree<'_>, b: WithTree<'_>, pose: &Pose, _: &Budget<'_>) -> bool {
        (self.found, self.closest) = (FirstPair::default(), ClosestPair::up_to(f64::INFINITY));
        (self.is_near_started, self.corners) = (false, None);
        let in_f32 = !are_far(a.0, b.0, pose) && self.hits.start(a.1, b.1, pose, true);
        self.hits.limit_openings(MAX_QUICK_STEPS as u64);
        in_f32
    }
}

/// How far a search came.
enum Found {
    Hit(u32, u32),
    Final(Distance),
    Open(Distance),
}

impl DistanceSearch {
    /// A state that belongs to no query yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the query, and keeps the memory: the next call starts anew.
    pub fn reset(&mut self) {
        self.searches.forget();
    }

    /// Continues the search of this query, or starts it. See [`distance_within`].
    pub fn run(
        &mut self,
        a: &Mesh,
        b: &Mesh,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> DistanceWithin {
        let (selected, is_new) = self.searches.select((a, b, pose), Aim::Distance, budget);
        if is_new {
            self.hit = None;
        }
        let found = match selected {
            Selected::Empty => return DistanceWithin::Empty,
            Selected::Boxes => {
                let (lower, known) = bounds_of_boxes(a, b, pose);
                let lower = lower.min(known.upper);
                Found::Open(Distance::between(lower, known.upper, corners(a, b, pose)))
            }
            Selected::Trees(search, a, b) => search.run(a, b, pose, budget),
            Selected::Uneven(search, tree_a, tree_b) => {
                let progress = search.run(tree_a, tree_b, pose, &mut |_, _| {}, budget);
                Found::of(search.hit(), progress, search.distance(), || corners(a, b, pose))
            }
            Selected::Small(search) => {
                let progress = search.run(&mut |_, _| {}, budget);
                Found::of(search.hit(), progress, search.distance(), || corners(a, b, pose))
            }
        };
        match found {
            Found::Final(distance) => DistanceWithin::Final(distance),
            Found::Open(distance) => DistanceWithin::Open(distance),
            Found::Hit(i, j) => {
                if self.hit.is_none_or(|hit| (hit.triangle_a, hit.triangle_b) != (i, j)) {
                    self.hit = resolve(a, b, pose, i, j);
                }
                let hit = self.hit.expect("the exact test found that these triangles meet");
                DistanceWithin::Final(Distance::zero(hit.point).of_triangles(i, j))
            }
        }
    }
}

impl Found {
    /// Of a search that keeps bounds, and the closest pair if it measured one; `corners` of the
    /// meshes otherwise.
    fn of(
        hit: Option<(u32, u32)>,
        progress: Progress,
        distance: Distance,
        corners: impl FnOnce() -> [Vec3; 2],
    ) -> Self {
        match (hit, progress) {
            (Some((i, j)), _) => Self::Hit(i, j),
            (None, Progress::Finished) => Self::Final(distance),
            (None, Progress::Stopped) if distance.triangle_a.is_some() => Self::Open(distance),
            (None, Progress::Stopped) => {
                Self::Open(Distance::between(distance.lower, distance.upper, corners()))
            }
        }
    }
}

impl ClosestByTrees {
    fn run(
        &mut self,
        a: WithTree<'_>,
        b: WithTree<'_>,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> Found {
        if !self.hits.reached_limit() {
            let progress = self.hits.run(a, b, pose, &mut self.found, budget);
            if let Some((i, j)) = self.found.0 {
                return Found::Hit(i, j);
            }
            if progress == Progress::Stopped && !self.hits.reached_limit() {
                return Found::Open(self.open(a, b, pose));
            }
        }
        if !self.is_near_started {
            self.near.start(a, b, pose, f64::INFINITY, self.hits.relative());
            self.is_near_started = true;
        }
        let progress = self.near.run(a, b, pose, &mut self.closest, budget);
        if let Some((i, j)) = self.closest.hit {
            return Found::Hit(i, j);
        }
        match (progress, self.closest.finish()) {
            (Progress::Finished, Some(distance)) => {
                // A bound known before may be tighter than that of the closest pair, where the
                // size of the coordinates limits the precision.
                let (_, between) = self.corners(a.0, b.0, pose);
                let upper = distance.upper.min(self.closest.bound).min(between);
                Found::Final(Distance { lower: distance.lower.min(upper), upper, ..distance })
            }
            _ => Found::Open(self.open(a, b, pose)),
        }
    }

    /// The bounds of a search that is not finished.
    fn open(&mut self, a: WithTree<'_>, b: WithTree<'_>, pose: &Pose) -> Distance {
        let (corners, between) = self.corners(a.0, b.0, pose);
        let known = self.closest.finish();
        let upper = self.closest.bound.min(between);
        let lower = if self.is_near_started { self.near.lower(a.1, b.1) } else { 0.0 };
        let lower = lower.min(self.closest.lower).min(upper);
        match known {
            Some(distance) => Distance { lower, upper: upper.min(distance.upper), ..distance },
            None => Distance::between(lower, upper, corners),
        }
    }

    /// A corner of each mesh, and an upper bound of their distance.
    fn corners(&mut self, a: &Mesh, b: &Mesh, pose: &Pose) -> ([Vec3; 2], f64) {
        *self.corners.get_or_insert_with(|| {
            let corners = corners(a, b, pose);
            (corners, length_up(corners[1] - corners[0]))
        })
    }
}

/// A corner of each mesh.
fn corners(a: &Mesh, b: &Mesh, pose: &Pose) -> [Vec3; 2] {
    let corner = |mesh: &Mesh| mesh.vertices()[mesh.triangles()[0][0] as usize];
    [corner(a), pose.transform_point(corner(b))]
}

/// As [`distance`](crate::pair::distance()), but stops when the budget is spent, and then returns
/// the bounds so far; both improve. A further call with the same meshes and pose continues the
/// search; with others it starts anew.
///
/// Everything that [`first_hit_within`](crate::pair::first_hit_within) says of budgets, bounds and
/// prepared meshes holds here, too. Where meshes are so far apart, or of such different sizes, that
/// `f32` is not precise enough, the search ends when the bounds differ by less than 1e-12 of the
/// distance.
///
/// ```
/// use impinge::pair::{Budget, DistanceSearch, DistanceWithin, distance_within};
/// use impinge::{Pose, shapes};
///
/// let ring = shapes::torus(1.0, 0.3, 96, 48)?;
/// ring.prepare();
/// let pose = Pose::from_translation([2.75, 0.0, 0.0])?;
/// let mut search = DistanceSearch::new();
/// let d = loop {
///     match distance_within(&ring, &ring, &pose, &mut Budget::micros(20), &mut search) {
///         DistanceWithin::Open(d) => println!("between {} and {}", d.lower, d.upper),
///         known => break known.distance().expect("both have triangles"),
///     }
/// };
/// assert!((d.upper - 0.15).abs() < 1e-12);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn distance_within(
    a: &Mesh,
    b: &Mesh,
    pose: &Pose,
    budget: &mut Budget<'_>,
    search: &mut DistanceSearch,
) -> DistanceWithin {
    search.run(a, b, pose, budget)
}
