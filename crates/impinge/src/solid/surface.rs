//! A mesh prepared for questions about the neighbourhoods of many points.

use std::collections::BTreeSet;

use crate::exact::{Location, RayAxis, is_inside};
use crate::math::{Aabb, Vec3};
use crate::pair::Posed;
use crate::tree::Cast;

use super::fan::{ContactPoint, Fan, Surroundings};
use super::locate::{crossings, locate_posed};
use super::plane::Plane;

/// One of two meshes that meet in a region.
#[derive(Debug)]
pub(super) struct Surface<'a> {
    pub(super) mesh: &'a Posed<'a>,
    /// Rays go along the axis on which the region is thinnest, because contacts spread along the
    /// others, and a ray along a contact meets much of it.
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
        Self { mesh, axis: region.extent().min_position(), solid, by_parity }
    }

    /// What the mesh looks like about the point of `about`.
    pub(super) fn fan(&self, about: &mut Surroundings) -> Fan {
        let mut fan = Fan::new(self.by_parity);
        let point = about.point();
        let along = RayAxis { axis: self.axis, forward: true };
        let mut near = Vec::new();
        if let Some(ray) = self.cast(&point, along) {
            // What the ray certainly pierces does not hold the point.
            let beyond = crossings(self.mesh.mesh(), &ray, |t| {
                let count = match point {
                    ContactPoint::Corner(p) => along.crossing(p, &self.mesh.triangle(t)),
                    ContactPoint::Crossing { .. } => None,
                };
                if count.is_none() {
                    near.push(t);
                }
                Some(count.unwrap_or(0))
            });
            fan.add_beyond(beyond.unwrap_or(0));
        } else {
            let mut ahead = point.bounds();
            ahead.max[self.axis] = f64::INFINITY;
            let all = 0..self.mesh.len() as u32;
            near.extend(all.filter(|t| self.mesh.triangle_bounds(*t).overlaps(&ahead)));
        }
        near.sort_unstable();
        for t in near {
            fan.add(about, &self.mesh.triangle(t));
        }
        fan
    }

    /// A ray from a point of contact; `None` if the point is not known well enough.
    fn cast(&self, point: &ContactPoint, along: RayAxis) -> Option<Cast<'_>> {
        let (from, slack) = point.nearby()?;
        Some(Cast { pose: self.mesh.pose(), from, slack, along })
    }

    /// The surroundings of a point of the region, to be given to [`Surface::fan`].
    pub(super) fn about(&self, point: ContactPoint) -> Surroundings {
        Surroundings::new(point, self.axis)
    }

    /// Whether it is certain that the mesh leaves the space next to `point` free on one side of a
    /// plane through it: above, or below.
    ///
    /// No triangle that holds the point may reach into that side. Then all the directions into it
    /// have the same winding, which a ray tells: triangles that do not reach into it cannot be met.
    pub(super) fn leaves_free(&self, above: bool, plane: &Plane, point: &ContactPoint) -> bool {
        let along = RayAxis { forward: plane.is_up_forward() == above, axis: plane.axis() };
        let Some(ray) = self.cast(point, along) else { return false };
        let winding = crossings(self.mesh.mesh(), &ray, |t| {
            let triangle = self.mesh.triangle(t);
            match point {
                _ if !triangle.iter().any(|v| plane.has(*v, above)) => Some(0),
                ContactPoint::Corner(p) => along.crossing(*p, &triangle),
                ContactPoint::Crossing { .. } => None,
            }
        });
        winding.is_some_and(|winding| !self.solid || !is_inside(winding, !self.by_parity))
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

    /// Whether the solid leaves space free next to its own surface at its vertex `p`. `true` if
    /// that cannot be told.
    fn leaves_space_at(&self, p: Vec3) -> bool {
        let mut about = self.about(ContactPoint::Corner(p));
        let fan = self.fan(&mut about);
        fan.leaves_space(&mut about).unwrap_or(true)
    }
}
