//! The hits that pair queries report.

use std::fmt;

use crate::answer::{self, Bounds};
use crate::arrays::MapEach;
use crate::exact::{Feature, HitKind, segment_triangle, triangle_intersection};
use crate::math::{Pose, Vec3};
use crate::mesh::Mesh;

use super::Separation;

/// Two triangles that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hit {
    /// The triangle of A.
    pub triangle_a: u32,
    /// The triangle of B.
    pub triangle_b: u32,
    /// How they meet, decided exactly.
    pub kind: HitKind,
    /// A point they share, in A's frame, rounded as in
    /// [`Intersection::point`](crate::exact::Intersection::point).
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::point"))]
    pub point: Vec3,
}

impl Hit {
    /// The hit of two numbered triangles, both given in A's frame, if they meet.
    #[must_use]
    pub fn between(a: (u32, &[Vec3; 3]), b: (u32, &[Vec3; 3])) -> Option<Self> {
        let shared = triangle_intersection(a.1, b.1)?;
        Some(Self { triangle_a: a.0, triangle_b: b.0, kind: shared.kind, point: shared.point() })
    }
}

/// An edge of one mesh and a triangle of the other that share a point: the reason why two triangles
/// meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeAndFace {
    /// Whether the edge belongs to A and the face to B; otherwise the edge belongs to B.
    pub edge_is_a: bool,
    /// The ends of the edge, as vertices of its mesh.
    pub edge: [u32; 2],
    /// The triangle of the other mesh.
    pub face: u32,
    /// The smallest feature of that triangle that holds all it shares with the edge.
    pub feature: Feature,
}

impl Hit {
    /// The first edge of one of the two triangles that meets the other, A's edges first. It exists
    /// for every hit that a query on these meshes at this pose reported.
    ///
    /// ```
    /// use impinge::{Pose, shapes};
    ///
    /// let (box_, rod) = (shapes::cuboid([2.0, 2.0, 2.0])?, shapes::cuboid([0.1, 0.1, 5.0])?);
    /// let pose = Pose::IDENTITY; // the rod passes through the box
    /// let hit = impinge::first_hit(&box_, &rod, &pose).expect("they intersect");
    /// let witness = hit.edge_and_face(&box_, &rod, &pose).expect("every hit has one");
    /// // Here an edge of the box's triangulation pierces a side of the rod.
    /// assert!(witness.edge_is_a && witness.face == hit.triangle_b);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    #[must_use]
    pub fn edge_and_face(&self, a: &Mesh, b: &Mesh, pose: &Pose) -> Option<EdgeAndFace> {
        let triangle_b = b.triangle(self.triangle_b as usize).map_each(|v| pose.transform_point(v));
        let triangle_a = a.triangle(self.triangle_a as usize);
        let indices =
            [a.triangles()[self.triangle_a as usize], b.triangles()[self.triangle_b as usize]];
        let orders = [
            (true, &triangle_a, &triangle_b, self.triangle_b),
            (false, &triangle_b, &triangle_a, self.triangle_a),
        ];
        orders.into_iter().find_map(|(edge_is_a, edges, triangle, face)| {
            let corners = indices[usize::from(!edge_is_a)];
            (0..3).find_map(|k| {
                let next = (k + 1) % 3;
                let contact = segment_triangle(edges[k], edges[next], triangle)?;
                let edge = [corners[k], corners[next]];
                Some(EdgeAndFace { edge_is_a, edge, face, feature: contact.triangle })
            })
        })
    }
}

/// Whether two surfaces share a point, with the evidence.
pub type Verdict = answer::Verdict<Separation, Hit>;

/// The same within a [`Budget`](super::Budget): for surfaces that meet only the numbers of the two
/// triangles, and bounds if the budget was spent before the query could decide.
pub type BudgetVerdict = answer::Verdict<Separation, (u32, u32), Bounds>;

impl fmt::Display for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { triangle_a: a, triangle_b: b, kind, point: p } = self;
        write!(f, "triangles {a} and {b} meet at ({:.6}, {:.6}, {:.6}): {kind}", p.x, p.y, p.z)
    }
}
