//! A mesh prepared for questions about the neighbourhoods of many points.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::exact::Location;
use crate::math::{Aabb, Vec3};
use crate::pair::{Block, Posed, blocks};

use super::fan::{ContactPoint, Fan, Surroundings};
use super::locate::locate_posed;

/// The triangles of one mesh that the questions can concern: those that a ray from somewhere in a region can meet. Rays go along the axis on which the
/// region is thinnest, because contacts spread along the others, and a ray along a contact meets much of it.
#[derive(Debug)]
pub(super) struct Surface<'a> {
    pub(super) mesh: &'a Posed<'a>,
    /// Made when the first neighbourhood is asked for.
    blocks: OnceCell<Vec<Block>>,
    region: Aabb,
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
        Self { mesh, blocks: OnceCell::new(), region: *region, axis, solid, by_parity }
    }

    /// The triangles whose boxes a ray from a point in `near` can meet.
    fn ahead_of(&self, near: &Aabb) -> impl Iterator<Item = [Vec3; 3]> + '_ {
        let region = shadow(near, self.axis);
        let collect = || blocks(&self.mesh.collect(&shadow(&self.region, self.axis)));
        self.blocks
            .get_or_init(collect)
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

    /// Whether `p` is inside the solid, and not on its surface.
    pub(super) fn has_inside(&self, p: Vec3) -> bool {
        self.solid && locate_posed(p, self.mesh) == Location::Inside
    }

    /// Whether the solid leaves space free next to some vertex of a connected piece of its surface.
    pub(super) fn leaves_space_about(&self, shell: usize) -> bool {
        let mesh = self.mesh.mesh();
        let mut seen = BTreeSet::new();
        let of_shell = (0..mesh.triangles().len()).filter(|t| mesh.shell_of(*t) as usize == shell);
        let mut corners = of_shell.flat_map(|t| mesh.triangles()[t]);
        corners.any(|v| seen.insert(v) && self.leaves_space_at(self.mesh.vertices()[v as usize]))
    }

    /// Whether the solid leaves space free next to its own surface at its vertex `p`. `true` if that cannot be told.
    fn leaves_space_at(&self, p: Vec3) -> bool {
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
