//! The surface and, if it is closed, the solid, in the builders' frame: distances with bounds.

use super::Ball;
use super::frame::Frame;
use crate::exact::Location;
use crate::math::Vec3;
use crate::mesh::Mesh;
use crate::pieces::index::{self, Nearest, SolidIndex};

/// A mesh in the frame of [`Frame::of`] its bounds: coordinates are at most one in size.
#[derive(Debug)]
pub(super) struct Surface {
    pub(super) frame: Frame,
    index: SolidIndex,
    /// Whether there is an inside.
    pub(super) is_solid: bool,
}

/// How far vertices in the frame may be from their exact places: three coordinates with one
/// rounding each, of numbers at most one in size.
pub(super) const VERTEX_ERROR: f64 = f64::EPSILON;

impl Surface {
    /// The surface of a mesh that is not empty.
    pub(super) fn of(mesh: &Mesh) -> Self {
        let frame = Frame::of(&mesh.bounds());
        let vertices: Vec<Vec3> = mesh.vertices().iter().map(|v| frame.local(*v)).collect();
        let index = SolidIndex::new(mesh, &vertices);
        Self { frame, index, is_solid: mesh.is_solid() }
    }

    /// A ball in the frame.
    pub(super) fn local(&self, ball: &Ball) -> Ball {
        Ball { center: self.frame.local(ball.center), radius: self.frame.local_length(ball.radius) }
    }

    /// The nearest point of the surface, up to rounding, if its squared distance is below `limit`.
    pub(super) fn nearest(&self, p: Vec3, limit: f64) -> Option<Nearest<'_>> {
        self.index.nearest(p, limit)
    }

    /// Whether a point is in the solid. False for open meshes.
    pub(super) fn contains(&self, p: Vec3) -> bool {
        self.is_solid && self.index.locate(p) != Location::Outside
    }

    /// A lower bound of the distance of `p` from the surface.
    pub(super) fn distance_down(&self, p: Vec3) -> f64 {
        (self.index.distance_down(p) - VERTEX_ERROR).max(0.0)
    }
}

/// More than the rounding errors of the distance of a computed nearest point, for points and
/// triangles up to `size`.
pub(super) fn distance_error(size: f64) -> f64 {
    index::ROUNDING * size.max(1.0) + VERTEX_ERROR
}
