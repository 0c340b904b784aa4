//! Whether a point is inside a solid.

use crate::error::{Error, ErrorKind};
use crate::exact::{Location, locate_point, winding_number};
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;
use crate::pair::Posed;

/// Where a point, given in the mesh's own frame, lies with respect to the solid the mesh bounds.
/// Exact, in every position of the point.
///
/// Inside is where the surface winds around the point: pieces that overlap are one body, and
/// cavities are outside, as their faces point into them. If the polygons are not oriented
/// consistently, inside is where a ray leaves through an odd number of polygons.
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
    Ok(locate_posed(point, &Posed::new(mesh, &Pose::IDENTITY)))
}

/// As [`locate`], in the frame of the query, for a mesh known to be closed.
#[must_use]
pub fn locate_posed(p: Vec3, solid: &Posed<'_>) -> Location {
    if !solid.bounds().contains(p) {
        return Location::Outside;
    }
    if !solid.mesh().topology().is_balanced() {
        return locate_point(p, solid.triangles());
    }
    match winding_number(p, solid.triangles()) {
        None => Location::Boundary,
        Some(0) => Location::Outside,
        Some(_) => Location::Inside,
    }
}

/// Says what is missing if `mesh`, called `what`, is not closed.
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
