//! A mesh prepared for queries about the neighbourhoods of many points.

use std::collections::BTreeSet;

use crate::exact::{Location, RayAxis, is_inside};
use crate::math::{Aabb, Vec3};
use crate::pair::Posed;
use crate::tree::RayQuery;

use super::fan::{ContactPoint, Fan, Neighbourhood};
use super::locate::{crossings, locate_posed};
use super::plane::Plane;

/// One of two meshes that meet in a region.
#[derive(Debug)]
pub(super) struct Surface<'a> {
    pub(super) mesh: &'a Posed<'a>,
    /// Rays go along the axis on which the region is thinnest: contacts extend along the others,
    /// and a ray along a contact crosses many of its triangles.
    axis: usize,
    /// Whether the mesh is closed.
    pub(super) solid: bool,
    by_parity: bool,
}

impl<'a> Surface<'a> {
    /// Prepares `mesh` for points in `region`.
    pub(super) fn new(mesh: &'a Posed<'a>, region: &Aabb) -> Self {
        let solid = mesh.mesh().is_solid();
        let by_parity = solid && !mesh.mesh().topology().is_balanced();
        Self { mesh, axis: region.extent().min_position(), solid, by_parity }
    }

    /// The fan of the mesh about the point of `local`.
    pub(super) fn fan(&self, local: &mut Neighbourhood) -> Fan {
        let mut fan = Fan::new(self.by_parity);
        let point = local.point();
        let along = RayAxis { axis: self.axis, forward: true };
        let mut near = Vec::new();
        if let Some(ray) = self.ray_query(&point, along) {
            // A triangle that the ray certainly crosses does not contain the point.
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
            fan.add_crossings(beyond.unwrap_or(0));
        } else {
            let mut ahead = point.bounds();
            ahead.max[self.axis] = f64::INFINITY;
            let all = 0..self.mesh.len() as u32;
            near.extend(all.filter(|t| self.mesh.triangle_bounds(*t).overlaps(&ahead)));
        }
        near.sort_unstable();
        for t in near {
            fan.add(local, &self.mesh.triangle(t));
        }
        fan
    }

    /// A ray from a point of contact; `None` if the point has no accurate approximation.
    fn ray_query(&self, point: &ContactPoint, along: RayAxis) -> Option<RayQuery<'_>> {
        let (from, slack) = point.nearby()?;
        Some(RayQuery { pose: self.mesh.pose(), from, slack, along })
    }

    /// The neighbourhood of a point of the region, for [`Surface::fan`].
    pub(super) fn neighbourhood(&self, point: ContactPoint) -> Neighbourhood {
        Neighbourhood::new(point, self.axis)
    }

    /// Whether the space next to `point` on the given side of a plane through it (above, or below)
    /// is certainly outside the mesh.
    ///
    /// No triangle that contains the point may have a vertex on that side. Then all directions to
    /// that side have the same winding number, which is counted along one ray: triangles that do
    /// not reach that side do not meet it.
    pub(super) fn leaves_side_free(
        &self,
        above: bool,
        plane: &Plane,
        point: &ContactPoint,
    ) -> bool {
        let along = RayAxis { forward: plane.axis_points_up() == above, axis: plane.axis() };
        let Some(ray) = self.ray_query(point, along) else { return false };
        let winding = crossings(self.mesh.mesh(), &ray, |t| {
            let triangle = self.mesh.triangle(t);
            match point {
                _ if !triangle.iter().any(|v| plane.is_on_side(*v, above)) => Some(0),
                ContactPoint::Corner(p) => along.crossing(*p, &triangle),
                ContactPoint::Crossing { .. } => None,
            }
        });
        winding.is_some_and(|winding| !self.solid || !is_inside(winding, !self.by_parity))
    }

    /// Whether `p` is inside the solid and not on its surface.
    pub(super) fn contains_in_interior(&self, p: Vec3) -> bool {
        self.solid && locate_posed(p, self.mesh) == Location::Inside
    }

    /// Whether there is space outside the solid next to a vertex of a connected piece of its
    /// surface.
    pub(super) fn shell_has_free_space(&self, shell: usize) -> bool {
        let mesh = self.mesh.mesh();
        let mut visited = BTreeSet::new();
        let of_shell = (0..mesh.triangles().len()).filter(|t| mesh.shell_of(*t) as usize == shell);
        let mut corners = of_shell.flat_map(|t| mesh.triangles()[t]);
        corners.any(|v| {
            visited.insert(v) && self.vertex_has_free_space(self.mesh.vertices()[v as usize])
        })
    }

    /// Whether there is space outside the solid next to its own surface at its vertex `p`. `true`
    /// if that cannot be decided.
    fn vertex_has_free_space(&self, p: Vec3) -> bool {
        let mut local = self.neighbourhood(ContactPoint::Corner(p));
        let fan = self.fan(&mut local);
        fan.has_free_space(&mut local).unwrap_or(true)
    }
}
