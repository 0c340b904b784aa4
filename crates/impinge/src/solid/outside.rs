//! A fast proof that two meshes share no space: half-spaces around one of them, or around the part
//! of it that reaches between the ends of the other, that leave out every triangle of the other.
//!
//! Let `K` be the intersection of closed half-spaces that contain all vertices of a solid: those of
//! its box, and those of some of its faces. The space inside the solid lies in the interior of `K`.
//! If every triangle of the other mesh lies in the closed complement of one of the half-spaces, no
//! triangle meets the interior of `K`, which is convex and therefore on one side of the other
//! mesh's surface. One point of it decides on which. If it is outside, no space is inside both, and
//! common points lie on both boundaries.
//!
//! **Part of the solid.** Let the other mesh be a solid too, and let it lie between two parallel
//! planes, the ends of its box along an axis. Then it is enough that the half-spaces contain the
//! *local* triangles, which reach between the two planes. For a point between the planes that is
//! inside the solid, the section of the solid through it, parallel to the planes, is a bounded open
//! set whose boundary lies on local triangles. So the point lies in the convex hull of the local
//! vertices, in its interior if its neighbourhood is inside the solid, and thus in the interior of
//! `K`; space inside both solids is between the planes. Triangles cannot cross either: the local
//! ones are in `K`, which no triangle of the other solid enters, and a plane separates the others.
//!
//! This decides most contacts in assemblies: parts that lie on each other, convex parts that fill a
//! hole, and bolts and shafts, whose head is outside of the hole. All comparisons are exact;
//! floating point only selects the half-spaces.

use std::ops::ControlFlow;

use crate::arrays::{MapEach, MapToVec};
use crate::exact::{Location, Sign, orientation_bound};
use crate::math::{Aabb, Vec3};
use crate::pair::Posed;
use crate::tree::BoxSearch;

use super::locate::locate_posed;
use super::plane::{Plane, Points};

/// With more faces or vertices than this, only the half-spaces of the box are used.
const MAX_FACES: usize = 1024;

/// With more triangles than this, those near the box are found by the tree.
const MAX_TRIANGLES_WITHOUT_TREE: usize = 256;

/// Number of faces that are tried for one triangle.
const MAX_FACES_PER_TRIANGLE: usize = 3;

/// Number of faces about the last one that are tried first.
const FACES_NEAR_LAST: usize = 3;

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
    let mut solids = orders.into_iter().filter(|(solid, _)| solid.mesh().is_solid());
    if solids.clone().any(|(solid, other)| Region::new(solid).leaves_out(other)) {
        return true;
    }
    a.mesh().is_solid()
        && b.mesh().is_solid()
        && solids.any(|(solid, other)| {
            let mut parts = (0..3).filter_map(|axis| Region::between(solid, &other.bounds(), axis));
            parts.any(|mut part| part.leaves_out(other))
        })
}

/// The intersection of half-spaces around a solid, or around a part of it.
struct Region<'a> {
    solid: &'a Posed<'a>,
    /// The triangles that the half-spaces contain, if they are not all, and their vertices.
    local: Option<(Vec<u32>, Vec<Vec3>)>,
    /// The box of these triangles.
    bounds: Aabb,
    /// Computed when first needed.
    faces: Option<Faces>,
}

/// The faces of a solid that may have all its vertices on one side.
struct Faces {
    vertices: Points,
    /// Determinants further from zero than this have the right sign.
    bound: f64,
    faces: Vec<Face>,
    /// How many more faces may turn out not to have all vertices on one side.
    rejections_left: usize,
    /// The face that left out the last triangle.
    last: usize,
}

/// A face of the solid.
struct Face {
    plane: Plane,
    state: FaceState,
    /// The outward unit normal and the offset of the plane, rounded: they select the face to try.
    normal: Vec3,
    offset: f64,
}

impl Face {
    /// The height of the lowest corner of a triangle above the plane, rounded.
    fn height(&self, triangle: &[Vec3; 3]) -> f64 {
        let [p, q, r] = triangle.map_each(|v| self.normal.dot(v));
        p.min(q).min(r) - self.offset
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaceState {
    Untested,
    /// All vertices of the solid are on this side of the plane, or in it.
    Supports(Sign),
    Rejected,
}

impl<'a> Region<'a> {
    /// Around the whole solid.
    fn new(solid: &'a Posed<'a>) -> Self {
        Self { solid, local: None, bounds: solid.bounds(), faces: None }
    }

    /// Around the triangles that reach between the ends of a box along an axis; `None` if these are
    /// all triangles, or none.
    fn between(solid: &'a Posed<'a>, ends: &Aabb, axis: usize) -> Option<Self> {
        let own = solid.bounds();
        if own.min[axis] >= ends.min[axis] && own.max[axis] <= ends.max[axis] {
            return None;
        }
        let reaches = |t: &u32| {
            let [p, q, r] = solid.triangle(*t).map_each(|v| v[axis]);
            p.max(q).max(r) > ends.min[axis] && p.min(q).min(r) < ends.max[axis]
        };
        let local: Vec<u32> = (0..solid.len() as u32).filter(reaches).collect();
        if local.is_empty() || local.len() == solid.len() {
            return None;
        }
        let mut used: Vec<u32> = Vec::with_capacity(3 * local.len());
        for t in &local {
            used.extend_from_slice(&solid.mesh().triangles()[*t as usize]);
        }
        used.sort_unstable();
        used.dedup();
        let vertices: Vec<Vec3> = used.map_to_vec(|v| solid.vertices()[*v as usize]);
        let bounds = Aabb::from_points(vertices.iter().copied());
        Some(Self { solid, local: Some((local, vertices)), bounds, faces: None })
    }

    /// Whether the other mesh shares no space with the solid, as far as half-spaces prove it.
    fn leaves_out(&mut self, other: &Posed<'_>) -> bool {
        let inside = |t: &u32| overlap_in_their_interiors(&other.triangle_bounds(*t), &self.bounds);
        let mut near = Vec::new();
        if overlap_in_their_interiors(&other.bounds(), &self.bounds) {
            if other.len() > MAX_TRIANGLES_WITHOUT_TREE {
                near = near_triangles(other, &self.bounds);
                near.retain(inside);
                // Neighbours follow each other, and are often left out by the same face.
                near.sort_unstable();
            } else {
                near.extend((0..other.len() as u32).filter(inside));
            }
        }
        near.iter().all(|t| self.leaves_out_triangle(&other.triangle(*t)))
            && (!other.mesh().is_solid() || self.has_point_outside(other))
    }

    /// Whether the half-space of a face leaves out a triangle.
    fn leaves_out_triangle(&mut self, triangle: &[Vec3; 3]) -> bool {
        let slack = SELECTION_SLACK * self.bounds.extent().max_element();
        if self.faces.is_none() {
            self.faces = Some(self.find_faces(slack));
        }
        self.faces.as_mut().is_some_and(|faces| faces.leave_out(triangle, slack))
    }

    /// The faces beyond which no sampled vertex lies by more than `slack`; none if there are too
    /// many.
    fn find_faces(&self, slack: f64) -> Faces {
        let (solid, mesh) = (self.solid, self.solid.mesh());
        let first_of = |p: usize| mesh.triangles_of(p).next().map(|t| t as u32);
        match &self.local {
            None if mesh.polygon_count().max(mesh.used_vertices().len()) <= MAX_FACES => {
                let used = mesh.used_vertices().iter();
                let vertices = Points::new(used.map(|v| solid.vertices()[*v as usize]));
                let triangles = (0..mesh.polygon_count()).filter_map(first_of);
                Faces::new(solid, &self.bounds, vertices, triangles, slack)
            }
            Some((local, vertices)) if local.len().max(vertices.len()) <= MAX_FACES => {
                let vertices = Points::new(vertices.iter().copied());
                Faces::new(solid, &self.bounds, vertices, local.iter().copied(), slack)
            }
            None | Some(_) => Faces::new(solid, &self.bounds, Points::default(), [], slack),
        }
    }

    /// Whether a point in the interior of all half-spaces is outside the other solid; `false` also
    /// if no such point was found.
    fn has_point_outside(&self, other: &Posed<'_>) -> bool {
        let middle = match &self.local {
            None => {
                let used = self.solid.mesh().used_vertices();
                let sum: Vec3 = used.iter().map(|v| self.solid.vertices()[*v as usize]).sum();
                sum / used.len() as f64
            }
            Some((_, vertices)) => vertices.iter().sum::<Vec3>() / vertices.len() as f64,
        };
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
    /// The planes of the given triangles beyond which no sampled vertex lies by more than `slack`.
    fn new(
        solid: &Posed<'_>,
        bounds: &Aabb,
        vertices: Points,
        triangles: impl IntoIterator<Item = u32>,
        slack: f64,
    ) -> Self {
        let center = bounds.center();
        let step = vertices.len().div_ceil(SAMPLE_VERTICES).max(1);
        let mut faces: Vec<Face> = Vec::new();
        for t in triangles {
            let corners = solid.triangle(t);
            let [p, q, r] = corners;
            // Triangles of one facet follow each other.
            let is_known = |face: &Face| corners.iter().all(|v| face.plane.side(*v).is_zero());
            if faces.last().is_some_and(is_known) {
                continue;
            }
            let Some(unit) = (q - p).cross(r - p).try_normalize() else { continue };
            // The middle of the box is on the side of the solid, which may be inside out.
            let normal = if unit.dot(center - p) > 0.0 { -unit } else { unit };
            let offset = normal.dot(p);
            let mut sampled = (0..vertices.len()).step_by(step).map(|n| vertices.get(n));
            if sampled.any(|v| normal.dot(v) > offset + slack) {
                continue;
            }
            let Some(plane) = Plane::through(corners) else { continue };
            faces.push(Face { plane, state: FaceState::Untested, normal, offset });
        }
        Self {
            vertices,
            // All differences of vertices are at most as large as the box, so that one bound holds
            // for all determinants.
            bound: orientation_bound(bounds.extent()),
            faces,
            rejections_left: MAX_REJECTED_FACES,
            last: 0,
        }
    }

    /// Whether a triangle lies on the far side of a face that has the solid on the near side.
    fn leave_out(&mut self, triangle: &[Vec3; 3], slack: f64) -> bool {
        // Triangles that follow each other are often left out by the same face, or the next one.
        let count = self.faces.len();
        let mut tried = [usize::MAX; MAX_FACES_PER_TRIANGLE];
        let mut attempts = 0;
        for near in 0..FACES_NEAR_LAST.min(count) {
            let k = (self.last + near + count - 1) % count;
            if self.faces[k].height(triangle) > -slack && self.leaves_out(k, triangle) == Some(true)
            {
                self.last = k;
                return true;
            }
        }
        while attempts < MAX_FACES_PER_TRIANGLE {
            let mut best = (-slack, usize::MAX);
            for (k, face) in self.faces.iter().enumerate() {
                let height = face.height(triangle);
                if height > best.0 && face.state != FaceState::Rejected && !tried.contains(&k) {
                    best = (height, k);
                }
            }
            let Some(k) = (best.1 < count).then_some(best.1) else { return false };
            match self.leaves_out(k, triangle) {
                Some(true) => {
                    self.last = k;
                    return true;
                }
                Some(false) => {
                    tried[attempts] = k;
                    attempts += 1;
                }
                None if self.rejections_left == 0 => return false,
                None => self.rejections_left -= 1,
            }
        }
        false
    }

    /// Whether a face leaves out a triangle; `None` if it has vertices on both sides.
    fn leaves_out(&mut self, k: usize, triangle: &[Vec3; 3]) -> Option<bool> {
        let face = &mut self.faces[k];
        if face.state == FaceState::Untested {
            face.state = face
                .plane
                .side_of_all(&mut self.vertices, self.bound)
                .map_or(FaceState::Rejected, FaceState::Supports);
        }
        match face.state {
            FaceState::Supports(side) => Some(triangle.iter().all(|v| face.plane.side(*v) != side)),
            FaceState::Untested | FaceState::Rejected => None,
        }
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

        fn triangle(&mut self, index: u32, _: f64) -> ControlFlow<()> {
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

    /// A bolt along z: a shaft from -4 to 0, and a head above it.
    fn bolt(shaft: f64, head: f64, facets: usize) -> Mesh {
        let profile =
            [[0.0, -4.0], [shaft, -4.0], [shaft, 0.0], [head, 0.0], [head, 1.0], [0.0, 1.0]];
        shapes::revolve(&profile, facets).unwrap()
    }

    #[test]
    fn bolts_fill_holes_below_their_heads() {
        for facets in [4, 6, 24] {
            let bolt = bolt(1.0, 2.0, facets);
            // From -3 to 3: the head touches it from above, or is above it.
            let plate = shapes::tube(5.0, 1.0, 6.0, facets).unwrap();
            assert!(decided(&plate, &bolt, &at(0.0, 0.0, 3.0)), "{facets}");
            assert!(decided(&plate, &bolt, &at(0.0, 0.0, 3.5)), "{facets}");
            // A head that is in the plate, by any length.
            for lift in [2.5, 3.0 - 4.0 * f64::EPSILON] {
                assert!(!decided(&plate, &bolt, &at(0.0, 0.0, lift)), "{facets} {lift}");
            }
            // A shaft wider than the hole, by any width.
            let wide = self::bolt(1.0 + f64::EPSILON, 2.0, facets);
            assert!(!decided(&plate, &wide, &at(0.0, 0.0, 3.0)), "{facets}");
            // The hole is filled, so that the shaft is inside.
            let filled = shapes::cylinder(5.0, 6.0, facets).unwrap();
            assert!(!decided(&filled, &bolt, &at(0.0, 0.0, 3.0)), "{facets}");
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
