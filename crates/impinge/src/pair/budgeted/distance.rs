//! The distance within a budget.

use super::first::FirstPair;
use super::small::SmallSearch;
use super::{Method, bounds_of_boxes};
use crate::answer::Distance;
use crate::budget::Budget;
use crate::math::{Pose, Vec3, length_up};
use crate::mesh::Mesh;
use crate::pair::distance::ClosestPair;
use crate::pair::{Hit, resolve};
use crate::tree::{
    Aim, HitSearch, MAX_QUICK_STEPS, NearSearch, Progress, Tree, UnevenSearch, are_far,
};

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
#[derive(Debug)]
pub struct DistanceSearch {
    /// A short search for a hit, as in [`distance`](crate::pair::distance()).
    hits: HitSearch,
    found: FirstPair,
    near: NearSearch,
    closest: ClosestPair,
    uneven: Option<Box<UnevenSearch>>,
    small: Option<Box<SmallSearch>>,
    /// The point of a hit, once it was computed.
    hit: Option<Hit>,
}

impl Default for DistanceSearch {
    fn default() -> Self {
        Self {
            hits: HitSearch::default(),
            found: FirstPair::default(),
            near: NearSearch::default(),
            closest: ClosestPair::up_to(f64::INFINITY),
            uneven: None,
            small: None,
            hit: None,
        }
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
        self.hits.forget();
        self.near.forget();
        if let Some(uneven) = &mut self.uneven {
            uneven.forget();
        }
        if let Some(small) = &mut self.small {
            small.forget();
        }
    }

    /// Continues the search of this query, or starts it. See [`distance_within`].
    pub fn run(
        &mut self,
        a: &Mesh,
        b: &Mesh,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> DistanceWithin {
        let found = match Method::of(a, b, budget) {
            Method::Empty => return DistanceWithin::Empty,
            Method::Trees(tree_a, tree_b) => self.by_trees((a, tree_a), (b, tree_b), pose, budget),
            Method::Small => self.all_triangles(a, b, pose, budget),
            Method::Boxes => {
                let (lower, known) = bounds_of_boxes(a, b, pose);
                let lower = lower.min(known.upper);
                Found::Open(Distance::between(lower, known.upper, corners(a, b, pose)))
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

    fn by_trees(
        &mut self,
        a: (&Mesh, &Tree),
        b: (&Mesh, &Tree),
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> Found {
        if !self.near.belongs_to(a.1, b.1, pose) {
            self.hit = None;
            let is_far = are_far(a.0, b.0, pose);
            let in_f32 = !is_far && self.near.start(a, b, pose, f64::INFINITY);
            if !(in_f32 && self.hits.start(a.1, b.1, pose, true)) {
                self.near.forget();
                return self.in_f64(a, b, pose, budget);
            }
            self.hits.limit_openings(MAX_QUICK_STEPS as u64);
            (self.found, self.closest) = (FirstPair::default(), ClosestPair::up_to(f64::INFINITY));
        }
        if !self.hits.reached_limit() {
            let progress = self.hits.run(a, b, pose, &mut self.found, budget);
            if let Some((i, j)) = self.found.0 {
                return Found::Hit(i, j);
            }
            if progress == Progress::Stopped && !self.hits.reached_limit() {
                return Found::Open(self.open(a, b, pose));
            }
        }
        let progress = self.near.run(a, b, pose, &mut self.closest, budget);
        if let Some((i, j)) = self.closest.hit {
            return Found::Hit(i, j);
        }
        match (progress, self.closest.finish()) {
            (Progress::Finished, Some(distance)) => {
                // A bound known before may be tighter than that of the closest pair, where the
                // size of the coordinates limits the precision.
                let [here, there] = corners(a.0, b.0, pose);
                let upper = distance.upper.min(self.closest.bound).min(length_up(there - here));
                Found::Final(Distance { lower: distance.lower.min(upper), upper, ..distance })
            }
            _ => Found::Open(self.open(a, b, pose)),
        }
    }

    /// The bounds of a search that is not finished.
    fn open(&self, a: (&Mesh, &Tree), b: (&Mesh, &Tree), pose: &Pose) -> Distance {
        let corners = corners(a.0, b.0, pose);
        let known = self.closest.finish();
        let upper = self.closest.bound.min(length_up(corners[1] - corners[0]));
        let lower = self.near.lower(a.1, b.1).min(self.closest.lower).min(upper);
        match known {
            Some(distance) => Distance { lower, upper: upper.min(distance.upper), ..distance },
            None => Distance::between(lower, upper, corners),
        }
    }

    /// For sizes and distances beyond the precision of `f32`.
    fn in_f64(
        &mut self,
        a: (&Mesh, &Tree),
        b: (&Mesh, &Tree),
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> Found {
        let search = self.uneven.get_or_insert_default();
        if !search.belongs_to(a.1, b.1, pose) {
            search.start(a, b, pose, Aim::Distance);
        }
        let progress = search.run(a, b, pose, &mut |_, _| {}, budget);
        if let Some((i, j)) = search.hit() {
            return Found::Hit(i, j);
        }
        let distance = search.distance();
        match progress {
            Progress::Finished => Found::Final(distance),
            Progress::Stopped if distance.triangle_a.is_some() => Found::Open(distance),
            Progress::Stopped => Found::Open(Distance::between(
                distance.lower,
                distance.upper,
                corners(a.0, b.0, pose),
            )),
        }
    }

    fn all_triangles(&mut self, a: &Mesh, b: &Mesh, pose: &Pose, budget: &mut Budget<'_>) -> Found {
        let search = self.small.get_or_insert_default();
        if !search.belongs_to(a, b, pose) {
            self.hit = None;
            search.start(a, b, pose, Aim::Distance);
        }
        let progress = search.run(&mut |_, _| {}, budget);
        if let Some((i, j)) = search.hit() {
            return Found::Hit(i, j);
        }
        let distance = search.distance();
        match progress {
            Progress::Finished => Found::Final(distance),
            Progress::Stopped if distance.triangle_a.is_some() => Found::Open(distance),
            Progress::Stopped => {
                Found::Open(Distance::between(distance.lower, distance.upper, corners(a, b, pose)))
            }
        }
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
