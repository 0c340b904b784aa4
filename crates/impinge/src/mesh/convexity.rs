//! Whether a closed surface bounds a convex body, exactly.
//!
//! Zachmann 1994, section 4.2.2, checks every dihedral angle of a closed manifold of planar convex
//! polygons. That is not enough: a surface can be convex along every edge and still wind around
//! several times (two pyramids on a square that is walked twice: closed, connected, of genus zero).
//! Mehlhorn et al. 1996, "Checking geometric programs or verification of geometric structures", add
//! a global certificate, used here:
//!
//! 1. a point `p` strictly below the plane of every face;
//! 2. a ray from `p` that meets the surface exactly once.
//!
//! By 1, looking from `p` maps every face to the sphere of directions without folding, so the
//! surface covers the sphere, branched at vertices at most, the same number of times everywhere; by
//! 2, once. So it is star-shaped about `p` and does not cross itself, around each vertex it is a
//! simple cone with convex edges, thus a convex one, and a closed connected body that is convex
//! near every boundary point is convex (Tietze, Nakajima).
//!
//! Bodies too thin to have a point of `f64` coordinates well inside are checked the long way: no
//! vertex lies above the plane of a face, each face has a vertex strictly below, no two vertices
//! coincide, and Euler's characteristic is two. The faces then lie on the boundary of the hull and
//! cover it `d` times, branched at vertices. A corner of the hull cannot lie inside a face or an
//! edge, and only one vertex has its coordinates, so all `d` sheets meet in that vertex. Riemann
//! and Hurwitz give `2 = 2 d - (sum of branching) <= 2 d - 4 (d - 1)`, so `d = 1`.

use std::collections::HashSet;
use std::fmt;

use super::Mesh;
use super::connectivity::index;
use super::polygon_checks::{convex, planar, spanning_corners};
use crate::exact::{Sign, orient3d};
use crate::math::{Aabb, Vec3, coordinate_key};

/// The first reason why a mesh does not bound a convex body. Edges are given by their vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotConvex {
    /// There are no polygons.
    Empty,
    /// An edge belongs to one polygon only: the surface is open there.
    OpenEdge {
        /// Its vertices.
        edge: [u32; 2],
    },
    /// An edge belongs to more than two polygons.
    CrowdedEdge {
        /// Its vertices.
        edge: [u32; 2],
    },
    /// The polygons around a vertex do not form one fan.
    PinchedVertex {
        /// The vertex.
        vertex: u32,
    },
    /// Two neighbours wind in different senses.
    MisorientedEdge {
        /// The vertices of their common edge.
        edge: [u32; 2],
    },
    /// There is more than one shell.
    Shells {
        /// How many.
        count: usize,
    },
    /// The surface has handles.
    Handles {
        /// How many.
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
    /// The surface turns inward at an edge, as seen from the side its polygons face (or, if they
    /// face inward, from behind).
    ReflexEdge {
        /// Its vertices.
        edge: [u32; 2],
        /// The polygons on its two sides.
        polygons: [u32; 2],
    },
    /// Convex along every edge, and yet not the boundary of one body: it goes around more than
    /// once, or has no inside.
    NotOneBody,
}

impl fmt::Display for NotConvex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "there are no polygons"),
            Self::OpenEdge { edge: [u, v] } => {
                write!(f, "the edge of vertices {u} and {v} is open")
            }
            Self::CrowdedEdge { edge: [u, v] } => {
                write!(f, "the edge of vertices {u} and {v} belongs to more than two polygons")
            }
            Self::PinchedVertex { vertex } => {
                write!(f, "the polygons around vertex {vertex} do not form one fan")
            }
            Self::MisorientedEdge { edge: [u, v] } => {
                write!(
                    f,
                    "the polygons at the edge of vertices {u} and {v} wind in different senses"
                )
            }
            Self::Shells { count } => write!(f, "there are {count} separate shells"),
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
    /// Whether the mesh is the boundary of a convex body, exactly, and if so whether its polygons
    /// face outward; else the first polygon, edge or vertex that speaks against it. What
    /// [`Classification::convex`](super::Classification::convex) says, with the reason.
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
                _ => return Err(NotConvex::CrowdedEdge { edge }),
            }
        }
        if let Some(pinched) = self.defects().non_manifold_vertices.first() {
            return Err(NotConvex::PinchedVertex { vertex: pinched.vertex });
        }
        if class.shells != 1 {
            return Err(NotConvex::Shells { count: class.shells });
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
/// Euler characteristic two bounds a convex body. `outward` tells which way the polygons face.
pub(super) fn is_convex(mesh: &Mesh, outward: bool) -> bool {
    check_convex(mesh, outward).is_ok()
}

/// As [`is_convex`], with the reason.
fn check_convex(mesh: &Mesh, outward: bool) -> Result<(), NotConvex> {
    let mut planes = Vec::with_capacity(mesh.polygon_count());
    for p in 0..mesh.polygon_count() {
        // Convex polygons are never on one line.
        let Some([a, b, c]) = spanning_corners(mesh.polygon_points(p)) else {
            return Err(NotConvex::NonConvexPolygon { polygon: index(p) });
        };
        planes.push(if outward { [a, b, c] } else { [a, c, b] });
    }
    locally_convex(mesh, &planes)?;
    if bounds_one_body(mesh, &planes) { Ok(()) } else { Err(NotConvex::NotOneBody) }
}

/// Whether a surface that is convex along every edge goes around once.
fn bounds_one_body(mesh: &Mesh, planes: &[[Vec3; 3]]) -> bool {
    let above = |[a, b, c]: [Vec3; 3], p: Vec3| orient3d(a, b, c, p);
    let used = mesh.used_vertices();
    let points = || used.iter().map(|v| mesh.vertices()[*v as usize]);
    let bounds = mesh.bounds();
    let center = bounds.center();
    let mean = points().map(|p| p - center).sum::<Vec3>() / used.len() as f64 + center;
    let centroid = mesh.mass_properties().map_or(center, |m| m.centroid);
    for p in [mean, center, centroid] {
        if planes.iter().all(|plane| above(*plane, p) == Sign::Negative) {
            if let Some(once) = covers_once(mesh, p, &bounds) {
                return once;
            }
        }
    }
    let mut seen = HashSet::with_capacity(used.len());
    points().all(|p| seen.insert(coordinate_key(p)))
        && planes.iter().all(|plane| {
            let mut strictly = false;
            points().all(|p| {
                let side = above(*plane, p);
                strictly |= side == Sign::Negative;
                side != Sign::Positive
            }) && strictly
        })
}

/// Whether no polygon rises above the plane of a neighbour; else where.
fn locally_convex(mesh: &Mesh, planes: &[[Vec3; 3]]) -> Result<(), NotConvex> {
    let t = mesh.topology();
    for h in 0..index(t.half_edge_count()) {
        let edge = [t.origin(h), t.destination(h)];
        let Some(twin) = t.twin(h) else { return Err(NotConvex::OpenEdge { edge }) };
        if twin < h {
            continue;
        }
        let polygons = [t.polygon(h), t.polygon(twin)];
        let [a, b, c] = planes[polygons[0] as usize];
        // The neighbour is planar and shares the edge: its corners are all above, all in, or all
        // below the plane. Three of them that are not on one line decide.
        let other = planes[polygons[1] as usize];
        if other.iter().any(|p| orient3d(a, b, c, *p) == Sign::Positive) {
            return Err(NotConvex::ReflexEdge { edge, polygons });
        }
    }
    Ok(())
}

/// How often a ray from `p`, which lies strictly on one side of all triangles' planes, meets the
/// surface: whether exactly once. `None` if every ray tried met an edge.
fn covers_once(mesh: &Mesh, p: Vec3, bounds: &Aabb) -> Option<bool> {
    let reach = bounds.extent().max_element();
    'ray: for attempt in 0..16 {
        // Directions of no special relation to any grid or symmetry: steps of the golden ratio and
        // two roots.
        let k = f64::from(attempt) + 1.0;
        let steps = Vec3::new(0.618_033_988_7, 0.414_213_562_3, 0.732_050_807_5) * k;
        let direction = (steps - steps.floor()) * 2.0 - Vec3::ONE;
        let q = p + direction * reach;
        let mut hits = 0;
        for t in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.triangle(t);
            let sides = [(a, b), (b, c), (c, a)].map(|(u, v)| orient3d(p, q, u, v));
            // All triangles turn the same way around `p`, so a ray through one sees it with one
            // fixed sign and the opposite ray with the other.
            if sides.contains(&Sign::Zero) {
                let apart = sides.contains(&Sign::Positive) && sides.contains(&Sign::Negative);
                if apart {
                    continue;
                }
                continue 'ray;
            }
            let ahead = orient3d(p, a, b, c);
            if sides == [ahead; 3] {
                hits += 1;
            }
        }
        return Some(hits == 1);
    }
    None
}
