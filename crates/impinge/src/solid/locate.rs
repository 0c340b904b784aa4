//! Location of a point with respect to a solid.

use std::cell::Cell;

use crate::answer::Bounds;
use crate::arrays::MapEach;
use crate::budget::Budget;
use crate::error::{Error, ErrorKind};
use crate::exact::{Location, RayAxis, location_of, ray_crossing, units_of_ray_crossing};
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::Posed;
use crate::tree::{RayQuery, RayTest};

use super::crossings::Crossings;

/// The location of a point, given in the frame of the mesh, with respect to the solid that the mesh
/// bounds. Exact for every point.
///
/// The inside is where the winding number of the surface is not zero: shells that overlap are one
/// body, and cavities are outside, as their faces point into them. If the polygons are not oriented
/// consistently, the inside is where a ray crosses an odd number of polygons.
///
/// # Errors
/// [`ErrorKind::NotSolid`] if the mesh is not closed.
///
/// ```
/// use impinge::exact::Location;
/// use impinge::{Vec3, shapes, solid};
///
/// let cube = shapes::cuboid([2.0, 2.0, 2.0])?;
/// assert_eq!(solid::locate(&cube, Vec3::ZERO)?, Location::Inside);
/// assert_eq!(solid::locate(&cube, Vec3::ONE)?, Location::Boundary);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn locate(mesh: &Mesh, point: Vec3) -> Result<Location, Error> {
    check_solid(mesh, "the mesh")?;
    Ok(locate_at(point, mesh, &Pose::IDENTITY))
}

/// What is known of the location of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LocationWithin {
    /// The exact location.
    Final(Location),
    /// The budget was spent. The bounds are those of the signed distance of the point from the
    /// solid: it is at most [`Bounds::upper`] outside, and at most minus [`Bounds::lower`] deep.
    Open(Bounds),
}

impl LocationWithin {
    /// The location, if it is known.
    #[must_use]
    pub fn location(self) -> Option<Location> {
        match self {
            Self::Final(location) => Some(location),
            Self::Open(_) => None,
        }
    }

    /// Whether the location is known.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Final(_))
    }
}

/// The state of a search for the location of a point. Keep one for each pair of a point and a solid
/// whose search may be continued.
#[derive(Debug, Default)]
pub struct LocateSearch {
    /// The stamp of the solid's tree, the point and the pose of the solid.
    key: Option<(u64, Vec3, Pose)>,
    crossings: Crossings,
}

/// The exact tests of a search for a point.
struct PointTest<F> {
    point: Vec3,
    triangle: F,
}

impl<F: Fn(u32) -> [Vec3; 3]> RayTest for PointTest<F> {
    fn units(&mut self, t: u32) -> u64 {
        units_of_ray_crossing(self.point, &(self.triangle)(t))
    }

    fn crossing(&mut self, t: u32) -> Option<i64> {
        ray_crossing(self.point, &(self.triangle)(t))
    }
}

impl LocateSearch {
    /// A state that belongs to no query yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the query, and keeps the memory: the next call starts anew.
    pub fn reset(&mut self) {
        self.key = None;
    }

    /// Continues the search of this query, or starts it. See [`locate_within`].
    ///
    /// # Errors
    /// As [`locate_within`].
    pub fn run(
        &mut self,
        mesh: &Mesh,
        point: Vec3,
        budget: &mut Budget<'_>,
    ) -> Result<LocationWithin, Error> {
        if !budget.is_unlimited() && !mesh.is_prepared() {
            return Ok(LocationWithin::Open(bounds_of_boxes(point, &mesh.bounds())));
        }
        check_solid(mesh, "the mesh")?;
        Ok(self.run_at(point, mesh, &Pose::IDENTITY, budget))
    }

    /// As [`run`](Self::run), for a mesh known to be closed, at `pose` in the frame of the point.
    /// Exact for the vertices as moved by [`Pose::transform_point`].
    pub(crate) fn run_at(
        &mut self,
        p: Vec3,
        mesh: &Mesh,
        pose: &Pose,
        budget: &mut Budget<'_>,
    ) -> LocationWithin {
        let bounds = mesh.bounds().transformed(pose);
        self.run_in(p, (mesh, pose, &bounds), budget, |t| {
            mesh.triangle(t as usize).map_each(|v| pose.transform_point(v))
        })
    }

    /// As `run_at`, for a mesh whose moved vertices were computed before.
    pub(super) fn run_posed(
        &mut self,
        p: Vec3,
        solid: &Posed<'_>,
        budget: &mut Budget<'_>,
    ) -> LocationWithin {
        let bounds = solid.bounds();
        self.run_in(p, (solid.mesh(), solid.pose(), &bounds), budget, |t| solid.triangle(t))
    }

    /// The test that defines the inside. The box contains all triangles, `triangle` returns the
    /// moved corners of a triangle.
    fn run_in(
        &mut self,
        p: Vec3,
        (mesh, pose, bounds): (&Mesh, &Pose, &Aabb),
        budget: &mut Budget<'_>,
        triangle: impl Fn(u32) -> [Vec3; 3],
    ) -> LocationWithin {
        if !bounds.contains(p) {
            return LocationWithin::Final(Location::Outside);
        }
        if !budget.is_unlimited() && !mesh.is_prepared() {
            return LocationWithin::Open(bounds_of_boxes(p, bounds));
        }
        let key = mesh.built_tree().map(|tree| (tree.stamp(), p, *pose));
        if key.is_none() || key != self.key {
            let ray = RayQuery { pose, from: p, slack: 0.0, along: RayAxis::FIRST };
            self.crossings.start(mesh, &ray);
            // The tree may have been built just now.
            self.key = mesh.built_tree().map(|tree| (tree.stamp(), p, *pose));
        }
        match self.crossings.run(mesh, &mut PointTest { point: p, triangle }, budget) {
            Some(winding) => LocationWithin::Final(location_of(winding, mesh.is_balanced())),
            None => LocationWithin::Open(Bounds {
                open: self.crossings.open(mesh),
                ..bounds_of_boxes(p, bounds)
            }),
        }
    }
}

/// The bounds of the signed distance of a point from a solid in this box.
fn bounds_of_boxes(p: Vec3, solid: &Aabb) -> Bounds {
    Bounds::of_boxes(&Aabb { min: p, max: p }, solid)
}

/// As [`locate()`], but stops when the budget is spent. A further call with the same mesh and point
/// continues the search; with others it starts anew.
///
/// A final location is exact, and with a budget of [steps](Budget::steps) the answer is the same on
/// every machine. A search in parts takes as many steps as one without interruption, and allocates
/// only until its lists have grown.
///
/// The mesh should be [prepared](Mesh::prepare); otherwise the answer follows from its box, unless
/// the budget is [unlimited](Budget::unlimited).
///
/// # Errors
/// [`ErrorKind::NotSolid`] if the mesh is not closed. A mesh that is not prepared is not examined,
/// unless the budget is unlimited.
///
/// ```
/// use impinge::exact::Location;
/// use impinge::pair::Budget;
/// use impinge::solid::{LocateSearch, LocationWithin, locate_within};
/// use impinge::{Vec3, shapes};
///
/// let ball = shapes::icosphere(1.0, 20)?;
/// ball.prepare();
/// let mut search = LocateSearch::new();
/// let location = loop {
///     match locate_within(&ball, Vec3::ZERO, &mut Budget::micros(5), &mut search)? {
///         LocationWithin::Final(location) => break location,
///         LocationWithin::Open(known) => println!("at most {} deep", -known.lower),
///     }
/// };
/// assert_eq!(location, Location::Inside);
/// # Ok::<(), impinge::Error>(())
/// ```
pub fn locate_within(
    mesh: &Mesh,
    point: Vec3,
    budget: &mut Budget<'_>,
    search: &mut LocateSearch,
) -> Result<LocationWithin, Error> {
    search.run(mesh, point, budget)
}

thread_local! {
    /// The memory of the last query of this thread.
    static SEARCH: Cell<Option<Box<LocateSearch>>> = const { Cell::new(None) };
}

/// Runs a search with the memory of this thread.
pub(super) fn with_search<R>(run: impl FnOnce(&mut LocateSearch) -> R) -> R {
    let mut search = SEARCH.take().unwrap_or_default();
    search.reset();
    let found = run(&mut search);
    SEARCH.set(Some(search));
    found
}

/// The result of a search without a limit.
fn final_location(found: LocationWithin) -> Location {
    found.location().expect("an unlimited budget is never spent")
}

/// As [`locate()`], for a mesh known to be closed, at `pose` in the frame of the point. Exact for
/// the vertices as moved by [`Pose::transform_point`].
#[must_use]
pub(crate) fn locate_at(p: Vec3, mesh: &Mesh, pose: &Pose) -> Location {
    with_search(|search| final_location(search.run_at(p, mesh, pose, &mut Budget::unlimited())))
}

/// As `locate_at`, for a mesh whose moved vertices were computed before.
#[must_use]
pub fn locate_posed(p: Vec3, solid: &Posed<'_>) -> Location {
    with_search(|search| final_location(search.run_posed(p, solid, &mut Budget::unlimited())))
}

/// An error that lists the defects if `mesh`, named `what` in the message, is not closed.
pub fn check_solid(mesh: &Mesh, what: &str) -> Result<(), Error> {
    if mesh.is_solid() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::NotSolid,
        format!(
            "{what} is not closed and has no inside: {}; welding its vertices may help",
            mesh.defects()
        ),
    ))
}
