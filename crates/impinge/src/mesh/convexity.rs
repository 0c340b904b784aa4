//! Exact test whether a closed surface bounds a convex body.
//!
//! Zachmann 1994, section 4.2.2, checks every dihedral angle of a closed manifold of planar convex
//! polygons. That is not enough: a surface can be convex along every edge and still wind around
//! several times (two pyramids over a square whose outline winds twice: closed, connected, of genus
//! zero). Mehlhorn et al. 1996, "Checking geometric programs or verification of geometric
//! structures", add a global certificate, used here:
//!
//! 1. a point `p` strictly below the plane of every face;
//! 2. a ray from `p` that meets the surface exactly once.
//!
//! By condition 1, the central projection from `p` maps every face to the sphere of directions
//! without folding. So the surface covers the sphere the same number of times everywhere, with
//! branch points at vertices at most; by condition 2, once. It follows that the surface is
//! star-shaped about `p` and does not cross itself. Around each vertex it is a simple cone with
//! convex edges, and therefore a convex cone. A closed connected body that is convex near every
//! boundary point is convex (Tietze, Nakajima).
//!
//! Bodies so thin that no such point with `f64` coordinates is found are checked vertex by vertex:
//! no vertex lies above the plane of a face, each face has a vertex strictly below it, no two
//! vertices coincide, and the Euler characteristic is two. The faces then lie on the boundary of
//! the hull and cover it `d` times, with branch points at vertices. A corner of the hull cannot lie
//! inside a face or an edge, and only one vertex has its coordinates, so all `d` sheets meet in
//! that vertex. A hull has at least four corners. The Riemann-Hurwitz formula gives
//! `2 = 2 d - (sum of branching) <= 2 d - 4 (d - 1)`, so `d = 1`.

use std::collections::HashSet;
use std::fmt;

use super::Mesh;
use super::connectivity::index;
use super::polygon_checks::{convex, planar, spanning_corners};
use crate::arrays::MapEach;
use crate::exact::{Sign, orient3d};
use crate::math::{Aabb, Vec3, coordinate_key};

/// The first reason why a mesh does not bound a convex body. Edges are given by their two vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotConvex {
    /// There are no polygons.
    Empty,
    /// An edge has only one polygon side: the surface is open there.
    OpenEdge {
        /// Its vertices.
        edge: [u32; 2],
    },
    /// An edge has more than two polygon sides.
    NonManifoldEdge {
        /// Its vertices.
        edge: [u32; 2],
    },
    /// The polygons around a vertex do not form one fan.
    NonManifoldVertex {
        /// The vertex.
        vertex: u32,
    },
    /// Two neighbouring polygons have different orientations.
    MisorientedEdge {
        /// The vertices of their common edge.
        edge: [u32; 2],
    },
    /// There is more than one shell.
    SeveralShells {
        /// The number of shells.
        count: usize,
    },
    /// The surface has handles.
    Handles {
        /// The number of handles.
        genus: u64,
    },
    /// The corners of a polygon are not in one plane.
    NonPlanarPolygon {
        /// The polygon.
        polygon: u32,
    },
    /// A polygon is not convex, or has no area.
    NonConvexPolygon {
        /// The polygon.
        polygon: u32,
    },
    /// The surface turns inward at an edge, as seen from the side that its polygons face (or, if
    /// they face inward, from the opposite side).
    ReflexEdge {
        /// Its vertices.
        edge: [u32; 2],
        /// The polygons on its two sides.
        polygons: [u32; 2],
    },
    /// The surface is convex along every edge but does not bound one body: it winds more than once,
    /// or has no interior.
    NotOneBody,
}

impl fmt::Display for NotConvex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "there are no polygons"),
            Self::OpenEdge { edge: [u, v] } => {
                write!(f, "the edge of vertices {u} and {v} is open")
            }
            Self::NonManifoldEdge { edge: [u, v] } => {
                write!(f, "the edge of vertices {u} and {v} belongs to more than two polygons")
            }
            Self::NonManifoldVertex { vertex } => {
                write!(f, "the polygons around vertex {vertex} do not form one fan")
            }
            Self::MisorientedEdge { edge: [u, v] } => {
                write!(
                    f,
                    "the polygons at the edge of vertices {u} and {v} have different orientations"
                )
            }
            Self::SeveralShells { count } => write!(f, "there are {count} separate shells"),
            Self::Handles { genus } => write!(f, "the surface has handles ({genus})"),
            Self::NonPlanarPolygon { polygon } => {
                write!(f, "the corners of polygon {polygon} are not exactly in one plane")
            }
            Self::NonConvexPolygon { polygon } => {
                write!(f, "polygon {polygon} is not convex, or has no area")
            }
            Self::ReflexEdge { edge: [u, v], polygons: [p, q] } => write!(
                f,
                "the surface turns inward at the edge of vertices {u} and {v}, between polygons {p} and {q}"
            ),
            Self::NotOneBody => {
                write!(f, "the surface is convex along every edge but does not bound one body")
            }
        }
    }
}

impl Mesh {
    /// Whether the polygons face outward, for a mesh that is exactly the boundary of a convex body;
    /// otherwise the first polygon, edge or vertex that violates convexity. Agrees with
    /// [`Classification::convex`](super::Classification::convex) and gives the reason in addition.
    ///
    /// # Errors
    /// The reason, if the mesh is not convex.
    ///
    /// ```
    /// use impinge::shapes;
    ///
    /// assert_eq!(shapes::cuboid([1.0, 2.0, 3.0])?.convexity(), Ok(true));
    /// assert_eq!(shapes::cuboid([1.0, 2.0, 3.0])?.flipped().convexity(), Ok(false));
    /// let reason = shapes::torus(2.0, 0.5, 8, 8)?.convexity().unwrap_err();
    /// assert_eq!(reason.to_string(), "the surface has handles (1)");
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn convexity(&self) -> Result<bool, NotConvex> {
        if self.is_empty() {
            return Err(NotConvex::Empty);
        }
        let class = self.classification();
        if class.convex {
            return Ok(class.outward.unwrap_or_else(|| check_convex(self, true).is_ok()));
        }
        let t = self.topology();
        for e in t.proper_edges() {
            let (edge, sides) = (t.ends(e), t.half_edges(e));
            match sides {
                [_] => return Err(NotConvex::OpenEdge { edge }),
                [g, h] if t.origin(*g) == t.origin(*h) => {
                    return Err(NotConvex::MisorientedEdge { edge });
                }
                [_, _] => {}
                _ => return Err(NotConvex::NonManifoldEdge { edge }),
            }
        }
        if let Some(found) = self.defects().non_manifold_vertices.first() {
            return Err(NotConvex::NonManifoldVertex { vertex: found.vertex });
        }
        if class.shells != 1 {
            return Err(NotConvex::SeveralShells { count: class.shells });
        }
        match class.genus {
            Some(genus) if genus > 0 => return Err(NotConvex::Handles { genus }),
            _ => {}
        }
        let points = |p: usize| self.polygon_points(p);
        if let Some(p) = (0..self.polygon_count()).find(|p| !planar(points(*p))) {
            return Err(NotConvex::NonPlanarPolygon { polygon: index(p) });
        }
        if let Some(p) = (0..self.polygon_count()).find(|p| !convex(points(*p))) {
            return Err(NotConvex::NonConvexPolygon { polygon: index(p) });
        }
        check_convex(self, class.outward != Some(false))?;
        Err(NotConvex::NotOneBody)
    }
}

/// Whether a mesh that is closed, manifold, oriented, of one shell, with planar convex polygons and
/// Euler characteristic two bounds a convex body, for polygons that face outward if `outward`.
pub(super) fn is_convex(mesh: &Mesh, outward: bool) -> bool {
    check_convex(mesh, outward).is_ok()
}

/// As [`is_convex`], with the reason.
fn check_convex(mesh: &Mesh, outward: bool) -> Result<(), NotConvex> {
    let mut planes = Vec::with_capacity(mesh.polygon_count());
    for p in 0..mesh.polygon_count() {
        // The corners of a convex polygon are not collinear.
        let Some([a, b, c]) = spanning_corners(mesh.polygon_points(p)) else {
            return Err(NotConvex::NonConvexPolygon { polygon: index(p) });
        };
        planes.push(if outward { [a, b, c] } else { [a, c, b] });
    }
    check_locally_convex(mesh, &planes)?;
    if bounds_one_body(mesh, &planes) { Ok(()) } else { Err(NotConvex::NotOneBody) }
}

/// Whether a surface that is convex along every edge winds once and bounds a body.
fn bounds_one_body(mesh: &Mesh, planes: &[[Vec3; 3]]) -> bool {
    let side = |[a, b, c]: [Vec3; 3], p: Vec3| orient3d(a, b, c, p);
    let used = mesh.used_vertices();
    let points = || used.iter().map(|v| mesh.vertices()[*v as usize]);
    let bounds = mesh.bounds();
    let center = bounds.center();
    let mean = points().map(|p| p - center).sum::<Vec3>() / used.len() as f64 + center;
    let centroid = mesh.mass_properties().map_or(center, |m| m.centroid);
    for p in [mean, center, centroid] {
        if planes.iter().all(|plane| side(*plane, p) == Sign::Negative) {
            if let Some(covered_once) = covers_once(mesh, p, &bounds) {
                return covered_once;
            }
        }
    }
    let mut seen = HashSet::with_capacity(used.len());
    points().all(|p| seen.insert(coordinate_key(p)))
        && planes.iter().all(|plane| {
            let mut any_below = false;
            points().all(|p| {
                let side = side(*plane, p);
                any_below |= side == Sign::Negative;
                side != Sign::Positive
            }) && any_below
        })
}

/// Checks that no polygon reaches above the plane of a neighbour.
fn check_locally_convex(mesh: &Mesh, planes: &[[Vec3; 3]]) -> Result<(), NotConvex> {
    let t = mesh.topology();
    for h in 0..index(t.half_edge_count()) {
        let edge = [t.origin(h), t.destination(h)];
        let Some(twin) = t.twin(h) else { return Err(NotConvex::OpenEdge { edge }) };
        if twin < h {
            continue;
        }
        let polygons = [t.polygon(h), t.polygon(twin)];
        let [a, b, c] = planes[polygons[0] as usize];
        // The neighbour is planar, convex and shares the edge: its corners are all on or above, all
        // on, or all on or below the plane. Three corners that are not collinear decide.
        let other = planes[polygons[1] as usize];
        if other.iter().any(|p| orient3d(a, b, c, *p) == Sign::Positive) {
            return Err(NotConvex::ReflexEdge { edge, polygons });
        }
    }
    Ok(())
}

/// Whether a ray from `p`, which lies strictly on one side of all triangles' planes, meets the
/// surface exactly once. `None` if every ray that was tried meets an edge.
fn covers_once(mesh: &Mesh, p: Vec3, bounds: &Aabb) -> Option<bool> {
    /// The most rays that are tried until one meets no edge.
    const MAX_RAYS: u8 = 16;
    let ray_length = bounds.extent().max_element();
    'ray: for attempt in 0..MAX_RAYS {
        // Directions without a special relation to a grid or symmetry: multiples of the fractional
        // parts of the golden ratio and of two roots.
        let k = f64::from(attempt) + 1.0;
        let steps = Vec3::new(0.618_033_988_7, 0.414_213_562_3, 0.732_050_807_5) * k;
        let direction = (steps - steps.floor()) * 2.0 - Vec3::ONE;
        let q = p + direction * ray_length;
        let mut hits = 0;
        for t in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.triangle(t);
            let sides = [(a, b), (b, c), (c, a)].map_each(|(u, v)| orient3d(p, q, u, v));
            // All triangles have the same orientation as seen from `p`. So a ray through a triangle
            // has one fixed sign for all three sides, and the opposite ray has the other sign.
            if sides.contains(&Sign::Zero) {
                let misses = sides.contains(&Sign::Positive) && sides.contains(&Sign::Negative);
                if misses {
                    continue;
                }
                continue 'ray;
            }
            let hit_sign = orient3d(p, a, b, c);
            if sides == [hit_sign; 3] {
                hits += 1;
            }
        }
        return Some(hits == 1);
    }
    None
}
