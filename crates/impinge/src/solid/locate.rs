//! Location of a point with respect to a solid.

use crate::error::{Error, ErrorKind};
use crate::exact::{Location, RayAxis, location_of, ray_crossing};
use crate::math::{Aabb, Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::Posed;
use crate::tree::RayQuery;

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

/// As [`locate`], for a mesh known to be closed, at `pose` in the frame of the point. Exact for the
/// vertices as moved by [`Pose::transform_point`].
#[must_use]
pub(crate) fn locate_at(p: Vec3, mesh: &Mesh, pose: &Pose) -> Location {
    let bounds = mesh.bounds().transformed(pose);
    locate_in(p, mesh, pose, &bounds, |t| {
        mesh.triangle(t as usize).map(|v| pose.transform_point(v))
    })
}

/// As `locate_at`, for a mesh whose moved vertices were computed before.
#[must_use]
pub fn locate_posed(p: Vec3, solid: &Posed<'_>) -> Location {
    locate_in(p, solid.mesh(), solid.pose(), &solid.bounds(), |t| solid.triangle(t))
}

/// The test that defines the inside. `bounds` contains all triangles, `triangle` returns the moved
/// corners of a triangle.
fn locate_in(
    p: Vec3,
    mesh: &Mesh,
    pose: &Pose,
    bounds: &Aabb,
    triangle: impl Fn(u32) -> [Vec3; 3],
) -> Location {
    if !bounds.contains(p) {
        return Location::Outside;
    }
    let ray = RayQuery { pose, from: p, slack: 0.0, along: RayAxis::FIRST };
    let winding = crossings(mesh, &ray, |t| ray_crossing(p, &triangle(t)));
    location_of(winding, mesh.topology().is_balanced())
}

/// The largest number of triangles that are tested one by one, which takes no longer than the tree.
const MAX_TRIANGLES_FOR_LINEAR_RAY: u32 = 24;

/// The signed number of triangles of the mesh that a ray pierces, as counted by
/// [`Tree::crossings`](crate::tree::Tree). It uses the mesh's tree, or tests every triangle if
/// there are only a few, or if the tree cannot be used at this pose.
pub(super) fn crossings(
    mesh: &Mesh,
    ray: &RayQuery<'_>,
    mut exact: impl FnMut(u32) -> Option<i64>,
) -> Option<i64> {
    let count = mesh.triangles().len() as u32;
    if count > MAX_TRIANGLES_FOR_LINEAR_RAY {
        if let Some(found) = mesh.tree().crossings(ray, &mut exact) {
            return found;
        }
    }
    (0..count).map(exact).sum()
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
