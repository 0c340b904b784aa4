//! A mesh prepared for questions about the neighbourhoods of many points.

use crate::math::{Aabb, Vec3};
use crate::pair::{Block, Posed, blocks};

use super::fan::{ContactPoint, Fan, Surroundings};

/// The triangles of one mesh that the questions can concern: those that a ray from somewhere in a
/// region can meet. Rays go along the axis on which the region is thinnest, because contacts spread
/// along the others, and a ray along a contact meets much of it.
#[derive(Debug)]
pub(super) struct Surface<'a> {
    mesh: &'a Posed<'a>,
    blocks: Vec<Block>,
    axis: usize,
    /// Whether the mesh encloses space.
    pub(super) solid: bool,
    by_parity: bool,
}

impl<'a> Surface<'a> {
    /// `mesh`, for points in `region`.
    pub(super) fn new(mesh: &'a Posed<'a>, region: &Aabb) -> Self {
        let solid = mesh.mesh().is_solid();
        let by_parity = solid && !mesh.mesh().topology().is_balanced();
        let axis = region.extent().min_position();
        let blocks = blocks(&mesh.collect(&shadow(region, axis)));
        Self { mesh, blocks, axis, solid, by_parity }
    }

    /// The triangles whose boxes a ray from a point in `near` can meet.
    fn ahead_of(&self, near: &Aabb) -> impl Iterator<Item = [Vec3; 3]> + '_ {
        let region = shadow(near, self.axis);
        self.blocks
            .iter()
            .filter(move |block| block.bounds.overlaps(&region))
            .flat_map(|block| &block.triangles)
            .filter(move |(_, bounds)| bounds.overlaps(&region))
            .map(|(t, _)| self.mesh.triangle(*t))
    }

    /// What the mesh looks like about the point of `about`.
    pub(super) fn fan(&self, about: &mut Surroundings) -> Fan {
        let mut fan = Fan::new(self.by_parity);
        for triangle in self.ahead_of(&about.point().bounds()) {
            fan.add(about, &triangle);
        }
        fan
    }

    /// The surroundings of a point of the region, to be given to [`Surface::fan`].
    pub(super) fn about(&self, point: ContactPoint) -> Surroundings {
        Surroundings::new(point, self.axis)
    }

    /// Whether `p` is inside the solid: [`locate`](super::locate()), for a point of the region that
    /// is no point of the surface.
    pub(super) fn has_inside(&self, p: Vec3) -> bool {
        let mut about = self.about(ContactPoint::Corner(p));
        self.solid && self.fan(&mut about).has_far_inside()
    }

    /// Whether the solid leaves space free next to its own surface at its vertex `p`. `true` if
    /// that cannot be told.
    pub(super) fn leaves_space_at(&self, p: Vec3) -> bool {
        let mut about = self.about(ContactPoint::Corner(p));
        let fan = self.fan(&mut about);
        fan.leaves_space(&mut about).unwrap_or(true)
    }
}

/// Everything on rays along the axis from points of the box.
fn shadow(region: &Aabb, axis: usize) -> Aabb {
    let mut shadow = *region;
    shadow.max[axis] = f64::INFINITY;
    shadow
}
