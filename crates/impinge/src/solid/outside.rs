//! A fast proof that two meshes share no space: half-spaces around one of them that leave out every
//! triangle of the other.
//!
//! Let `K` be the intersection of closed half-spaces that contain all vertices of a solid: those of
//! its box, and those of some of its faces. The space inside the solid lies in the interior of `K`.
//! If every triangle of the other mesh lies in the closed complement of one of the half-spaces, no
//! triangle meets the interior of `K`, which is convex and therefore on one side of the other
//! mesh's surface. One point of it decides on which. If it is outside, no space is inside both, and
//! common points lie on both boundaries.
//!
//! This decides most contacts in assemblies: parts that lie on each other, and convex parts that
//! fill a hole. All comparisons are exact; floating point only selects the half-spaces.

use std::ops::ControlFlow;

use crate::exact::{Location, Sign, orientation_bound};
use crate::math::{Aabb, Vec3};
use crate::pair::Posed;
use crate::tree::BoxSearch;

use super::locate::locate_posed;
use super::plane::Plane;

/// With more faces or vertices than this, only the half-spaces of the box are used.
const MAX_FACES: usize = 1024;

/// With more triangles than this, those near the box are found by the tree.
const MAX_TRIANGLES_WITHOUT_TREE: usize = 256;

/// Number of faces that are tried for one triangle.
const MAX_FACES_PER_TRIANGLE: usize = 3;

/// Number of faces that may be tested in vain for one solid.
const MAX_REJECTED_FACES: usize = 16;

/// Number of vertices that reject most faces of a solid that is not convex.
const SAMPLE_VERTICES: usize = 16;

/// A face whose plane is this share of the solid's size above a corner of a triangle may still
/// leave it out: more than the rounding errors of the selection.
const SELECTION_SLACK: f64 = 1e-9;

/// Whether there is certainly no space inside both. `false` if that is not the case, or if the
/// proof was not found.
#[must_use]
pub(crate) fn share_no_space(a: &Posed<'_>, b: &Posed<'_>) -> bool {
    // The simpler one is more often the convex one.
    let mut orders = [(a, b), (b, a)];
    if b.len() < a.len() {
        orders.reverse();
    }
    orders
        .into_iter()
        .any(|(solid, other)| solid.mesh().is_solid() && Region::new(solid).leaves_out(other))
}

/// The intersection of half-spaces around a solid.
struct Region<'a> {
    solid: &'a Posed<'a>,
    bounds: Aabb,
    /// Computed when first needed.
    faces: Option<Faces>,
}

/// The faces of a solid that may have all its vertices on one side.
struct Faces {
    vertices: Vec<Vec3>,
    /// Determinants further from zero than this have the right sign.
    bound: f64,
    faces: Vec<Face>,
    /// How many more faces may turn out not to have all vertices on one side.
    rejections_left: usize,
}

/// A face of the solid.
struct Face {
    plane: Plane,
    state: FaceState,
    /// The outward unit normal and the offset of the plane, rounded: they select the face to try.
    normal: Vec3,
    offset: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaceState {
    Untested,
    /// All vertices of the solid are on this side of the plane, or in it.
    Supports(Sign),
    Rejected,
}

impl<'a> Region<'a> {
    fn new(solid: &'a Posed<'a>) -> Self {
        Self { solid, bounds: solid.bounds(), faces: None }
    }

    /// Whether the other mesh shares no space with the solid, as far as half-spaces prove it.
    fn leaves_out(&mut self, other: &Posed<'_>) -> bool {
        let inside = |t: u32| overlap_in_their_interiors(&other.triangle_bounds(t), &self.bounds);
        let count = other.len();
        let near: Vec<u32> = if count > MAX_TRIANGLES_WITHOUT_TREE {
            near_triangles(other, &self.bounds).into_iter().filter(|t| inside(*t)).collect()
        } else {
            (0..count as u32).filter(|t| inside(*t)).collect()
        };
        near.iter().all(|t| self.leaves_out_triangle(&other.triangle(*t)))
            && (!other.mesh().is_solid() || self.has_point_outside(other))
    }

    /// Whether the half-space of a face leaves out a triangle.
    fn leaves_out_triangle(&mut self, triangle: &[Vec3; 3]) -> bool {
        let slack = SELECTION_SLACK * self.bounds.extent().max_element();
        let solid = self.solid;
        self.faces.get_or_insert_with(|| Faces::new(solid, slack)).leave_out(triangle, slack)
    }

    /// Whether a point in the interior of all half-spaces is outside the other solid; `false` also
    /// if no such point was found.
    fn has_point_outside(&self, other: &Posed<'_>) -> bool {
        let used = self.solid.mesh().used_vertices();
        let sum: Vec3 = used.iter().map(|v| self.solid.vertices()[*v as usize]).sum();
        let middle = sum / used.len() as f64;
        let Aabb { min, max } = self.bounds;
        let faces = self.faces.iter().flat_map(|faces| &faces.faces);
        middle.cmpgt(min).all()
            && middle.cmplt(max).all()
            && faces.into_iter().all(|face| match face.state {
                FaceState::Supports(side) => face.plane.side(middle) == side,
                FaceState::Untested | FaceState::Rejected => true,
            })
            && locate_posed(middle, other) == Location::Outside
    }
}

impl Faces {
    /// The faces beyond which no sampled vertex lies by more than `slack`; none if there are too
    /// many.
    fn new(solid: &Posed<'_>, slack: f64) -> Self {
        let mesh = solid.mesh();
        let used = mesh.used_vertices();
        let mut found = Self {
            vertices: Vec::new(),
            // All differences of vertices are at most as large as the box, so that one bound holds
            // for all determinants.
            bound: orientation_bound(solid.bounds().extent()),
            faces: Vec::new(),
            rejections_left: MAX_REJECTED_FACES,
        };
        if mesh.polygon_count().max(used.len()) > MAX_FACES {
            return found;
        }
        found.vertices.extend(used.iter().map(|v| solid.vertices()[*v as usize]));
        let center = solid.bounds().center();
        let step = used.len().div_ceil(SAMPLE_VERTICES).max(1);
        let faces = &mut found.faces;
        for t in (0..mesh.polygon_count()).filter_map(|p| mesh.triangles_of(p).next()) {
            let corners = solid.triangle(t as u32);
            let [p, q, r] = corners;
            let Some(unit) = (q - p).cross(r - p).try_normalize() else { continue };
            // The middle of the box is on the side of the solid, which may be inside out.
            let normal = if unit.dot(center - p) > 0.0 { -unit } else { unit };
            let offset = normal.dot(p);
            let mut sampled = found.vertices.iter().step_by(step);
            if sampled.any(|v| normal.dot(*v) > offset + slack) {
                continue;
            }
            // Triangles of one facet follow each other.
            let is_known = |face: &Face| corners.iter().all(|v| face.plane.side(*v).is_zero());
            if faces.last().is_some_and(is_known) {
                continue;
            }
            let Some(plane) = Plane::through(corners) else { continue };
            faces.push(Face { plane, state: FaceState::Untested, normal, offset });
        }
        found
    }

    /// Whether a triangle lies on the far side of a face that has the solid on the near side.
    fn leave_out(&mut self, triangle: &[Vec3; 3], slack: f64) -> bool {
        let mut tried = [usize::MAX; MAX_FACES_PER_TRIANGLE];
        let mut attempt = 0;
        while attempt < MAX_FACES_PER_TRIANGLE {
            let mut best = (-slack, usize::MAX);
            for (k, face) in self.faces.iter().enumerate() {
                let [p, q, r] = triangle.map(|v| face.normal.dot(v));
                let height = p.min(q).min(r) - face.offset;
                if height > best.0 && face.state != FaceState::Rejected && !tried.contains(&k) {
                    best = (height, k);
                }
            }
            let Some(face) = self.faces.get_mut(best.1) else { return false };
            if face.state == FaceState::Untested {
                face.state = face
                    .plane
                    .side_of_all(&self.vertices, self.bound)
                    .map_or(FaceState::Rejected, FaceState::Supports);
            }
            let FaceState::Supports(side) = face.state else {
                if self.rejections_left == 0 {
                    return false;
                }
                self.rejections_left -= 1;
                continue;
            };
            if triangle.iter().all(|v| face.plane.side(*v) != side) {
                return true;
            }
            tried[attempt] = best.1;
            attempt += 1;
        }
        false
    }
}

/// Whether two boxes share an inner point, as far as their sides tell: flat boxes have none, but
/// may pass through the other.
fn overlap_in_their_interiors(triangle: &Aabb, solid: &Aabb) -> bool {
    triangle.max.cmpgt(solid.min).all() && triangle.min.cmplt(solid.max).all()
}

/// The triangles of a mesh whose boxes may overlap a box, and perhaps others.
fn near_triangles(mesh: &Posed<'_>, bounds: &Aabb) -> Vec<u32> {
    struct InBox<'a> {
        mesh: &'a Posed<'a>,
        bounds: Aabb,
        found: Vec<u32>,
    }
    impl BoxSearch for InBox<'_> {
        fn lower_bound(&mut self, center: Vec3, half: Vec3) -> f64 {
            let around = Aabb { min: center - half, max: center + half };
            let around = around.transformed(self.mesh.pose());
            if around.overlaps(&self.bounds) { 0.0 } else { f64::INFINITY }
        }

        fn limit(&self) -> f64 {
            0.0
        }

        fn skipped(&mut self, _: f64) {}

        fn triangle(&mut self, index: u32) -> ControlFlow<()> {
            self.found.push(index);
            ControlFlow::Continue(())
        }
    }
    let mut search = InBox { mesh, bounds: *bounds, found: Vec::new() };
    let _ = mesh.mesh().tree().search(&mut search);
    search.found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;
    use crate::mesh::Mesh;
    use crate::shapes;

    fn decided(a: &Mesh, b: &Mesh, pose: &Pose) -> bool {
        let (a, b) = (Posed::new(a, &Pose::IDENTITY), Posed::new(b, pose));
        let found = share_no_space(&a, &b);
        assert_eq!(found, share_no_space(&b, &a));
        found
    }

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose::from_translation([x, y, z]).unwrap()
    }

    fn inside_out(mesh: &Mesh) -> Mesh {
        let triangles = mesh.triangles().iter().map(|[p, q, r]| [*q, *p, *r]).collect();
        Mesh::from_triangles(mesh.vertices().to_vec(), triangles).unwrap()
    }

    #[test]
    fn boxes_and_facets_that_coincide() {
        let cube = shapes::cuboid([2.0, 2.0, 2.0]).unwrap();
        assert!(decided(&cube, &cube, &at(2.0, 0.5, 0.5)));
        assert!(decided(&cube, &cube, &at(2.0, 2.0, 2.0)));
        assert!(decided(&inside_out(&cube), &cube, &at(0.0, -2.0, 1.0)));
        for facets in [3, 8, 24, 57] {
            let pin = shapes::cylinder(1.0, 4.0, facets).unwrap();
            let sleeve = shapes::tube(2.0, 1.0, 4.0, facets).unwrap();
            let outer = shapes::tube(3.0, 2.0, 5.0, facets).unwrap();
            for lift in [0.0, 1.0, 4.0] {
                assert!(decided(&pin, &sleeve, &at(0.0, 0.0, lift)), "{facets} {lift}");
                assert!(decided(&sleeve, &outer, &at(0.0, 0.0, lift)), "{facets} {lift}");
            }
            assert!(decided(&inside_out(&pin), &sleeve, &Pose::IDENTITY));
        }
    }

    #[test]
    fn space_in_common_is_never_denied() {
        let cube = shapes::cuboid([2.0, 2.0, 2.0]).unwrap();
        let small = shapes::cuboid([1.0, 1.0, 1.0]).unwrap();
        // Equal; sharing faces from the inside; nested; overlapping by one unit in the last place.
        assert!(!decided(&cube, &cube, &Pose::IDENTITY));
        assert!(!decided(&cube, &small, &at(0.5, 0.5, 0.5)));
        assert!(!decided(&cube, &small, &Pose::IDENTITY));
        let below_two = 2.0 - f64::EPSILON;
        assert!(!decided(&cube, &cube, &at(below_two, 0.5, 0.5)));
        let pin = shapes::cylinder(1.0, 4.0, 24).unwrap();
        let filled = shapes::cylinder(2.0, 4.0, 24).unwrap();
        assert!(!decided(&pin, &filled, &Pose::IDENTITY));
        let tight = shapes::tube(2.0, 1.0 - 1e-15, 4.0, 24).unwrap();
        assert!(!decided(&pin, &tight, &Pose::IDENTITY));
    }

    #[test]
    fn sheets_touch_solids_from_outside_only() {
        let cube = shapes::cuboid([2.0, 2.0, 2.0]).unwrap();
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let sheet = |z: f64| {
            let vertices = corners.iter().map(|c| Vec3::new(c[0], c[1], z)).collect();
            Mesh::from_triangles(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
        };
        assert!(decided(&cube, &sheet(1.0), &Pose::IDENTITY));
        assert!(decided(&cube, &sheet(-1.0), &Pose::IDENTITY));
        assert!(!decided(&cube, &sheet(0.5), &Pose::IDENTITY));
        // A closed mesh without space: its box is flat.
        let flat = Mesh::from_triangles(
            vec![Vec3::ZERO, Vec3::X * 0.5, Vec3::Y * 0.5],
            vec![[0, 1, 2], [0, 2, 1]],
        )
        .unwrap();
        assert!(flat.is_solid());
        let posed = [Posed::new(&flat, &Pose::IDENTITY), Posed::new(&cube, &Pose::IDENTITY)];
        assert!(!share_no_space(&posed[0], &posed[1]));
    }
}
