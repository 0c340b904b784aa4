//! Collects vertices and polygons and builds the mesh of every generated shape.

use super::params::bad;
use crate::arrays::MapEach;
use crate::error::Error;
use crate::math::Vec3;
use crate::mesh::Mesh;

/// The shortest allowed edge of a generated mesh, as a share of its largest coordinate: a thousand
/// times the spacing of `f64`.
const MIN_EDGE_SHARE: f64 = 2e-13;

/// A surface under construction: vertices, and polygons of any number of corners, counter-clockwise
/// seen from outside.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    vertices: Vec<Vec3>,
    /// The corners of all polygons, one polygon after the other.
    corners: Vec<u32>,
    /// The end of each polygon in `corners`.
    ends: Vec<usize>,
}

/// One cross section of a skin: a single point, or a closed loop of vertices.
#[derive(Clone, Debug)]
pub enum Ring {
    /// The skin ends in one vertex.
    Pole(u32),
    /// A loop, counter-clockwise seen from the last ring of the skin.
    Loop(Vec<u32>),
}

impl Surface {
    /// A surface without vertices.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a vertex and returns its index.
    pub fn vertex(&mut self, position: Vec3) -> u32 {
        self.vertices.push(position);
        // The polygon count is bounded before anything is built (`params::MAX_POLYGONS`), and with
        // it this index.
        u32::try_from(self.vertices.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds a loop of vertices.
    pub fn ring(&mut self, positions: impl IntoIterator<Item = Vec3>) -> Ring {
        let mut corners = Vec::new();
        for position in positions {
            corners.push(self.vertex(position));
        }
        Ring::Loop(corners)
    }

    /// Adds a ring of one vertex.
    pub fn pole(&mut self, position: Vec3) -> Ring {
        Ring::Pole(self.vertex(position))
    }

    /// Adds a polygon: planar, without self-intersections, not necessarily convex.
    pub fn polygon(&mut self, corners: impl IntoIterator<Item = u32>) {
        for corner in corners {
            self.corners.push(corner);
        }
        self.ends.push(self.corners.len());
    }

    /// The number of polygons so far.
    #[cfg(any(test, feature = "internals"))]
    #[must_use]
    pub fn polygon_count(&self) -> usize {
        self.ends.len()
    }

    /// The vertices so far.
    #[cfg(any(test, feature = "internals"))]
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Adds quads and triangles between consecutive rings. Loops must have the same number of
    /// vertices.
    pub fn skin(&mut self, rings: &[Ring]) {
        for pair in rings.windows(2) {
            self.band(&pair[0], &pair[1]);
        }
    }

    /// As [`Surface::skin`], with the first and last ring closed by one polygon each where they are
    /// loops.
    pub fn capped_skin(&mut self, rings: &[Ring]) {
        if let Some(Ring::Loop(first)) = rings.first() {
            self.polygon(first.iter().rev().copied());
        }
        self.skin(rings);
        if let Some(Ring::Loop(last)) = rings.last() {
            self.polygon(last.iter().copied());
        }
    }

    /// As [`Surface::skin`], with the last ring joined to the first again.
    pub fn closed_skin(&mut self, rings: &[Ring]) {
        self.skin(rings);
        if let [first, .., last] = rings {
            self.band(last, first);
        }
    }

    fn band(&mut self, below: &Ring, above: &Ring) {
        match (below, above) {
            (Ring::Loop(a), Ring::Loop(b)) => {
                debug_assert_eq!(
                    a.len(),
                    b.len(),
                    "rings of one skin have the same number of vertices"
                );
                for j in 0..a.len().min(b.len()) {
                    let k = (j + 1) % a.len();
                    self.polygon([a[j], a[k], b[k], b[j]]);
                }
            }
            (Ring::Pole(p), Ring::Loop(b)) => {
                for j in 0..b.len() {
                    self.polygon([*p, b[(j + 1) % b.len()], b[j]]);
                }
            }
            (Ring::Loop(a), Ring::Pole(p)) => {
                for j in 0..a.len() {
                    self.polygon([a[j], a[(j + 1) % a.len()], *p]);
                }
            }
            (Ring::Pole(_), Ring::Pole(_)) => {}
        }
    }

    /// Adds the face between an outer loop and a loop within it, both counter-clockwise seen from
    /// outside the solid.
    ///
    /// `inner` has a multiple of the corners of `outer`, and its first corner faces the first of
    /// `outer`. There is one polygon per side of the outer loop, non-convex where the inner loop
    /// bulges into it. Its edges along the hole run along the inner loop in reverse.
    pub fn face_with_hole(&mut self, outer: &[u32], inner: &[u32]) {
        let (n, m) = (outer.len(), inner.len());
        let step = m / n;
        debug_assert_eq!(step * n, m, "the inner loop has a multiple of the outer loop's corners");
        for side in 0..n {
            let arc = (side * step..=(side + 1) * step).rev().map(|i| inner[i % m]);
            self.polygon([outer[side], outer[(side + 1) % n]].into_iter().chain(arc));
        }
    }

    /// Adds a copy of another surface with every vertex moved by `place`, which must preserve the
    /// orientation.
    pub fn append(&mut self, other: &Self, place: impl Fn(Vec3) -> Vec3) {
        let first = u32::try_from(self.vertices.len()).unwrap_or(u32::MAX);
        let base = self.corners.len();
        self.vertices.extend(other.vertices.iter().map(|v| place(*v)));
        self.corners.extend(other.corners.iter().map(|c| c.saturating_add(first)));
        self.ends.extend(other.ends.iter().map(|e| e + base));
    }

    /// Moves every vertex.
    #[cfg(any(test, feature = "internals"))]
    pub fn map(&mut self, place: impl Fn(Vec3) -> Vec3) {
        for v in &mut self.vertices {
            *v = place(*v);
        }
    }

    /// Reverses every polygon: inside becomes outside.
    pub fn flip(&mut self) {
        let mut start = 0;
        for end in &self.ends {
            self.corners[start..*end].reverse();
            start = *end;
        }
    }

    /// The corners of one polygon after the other.
    pub fn polygons(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let polygon = &self.corners[start..*end];
            start = *end;
            polygon
        })
    }

    /// The ends of every polygon's edges.
    fn edges(&self) -> impl Iterator<Item = [Vec3; 2]> {
        self.polygons().flat_map(|polygon| {
            (0..polygon.len()).map(|i| {
                [polygon[i], polygon[(i + 1) % polygon.len()]]
                    .map_each(|c| self.vertices[c as usize])
            })
        })
    }

    /// The mesh.
    ///
    /// # Errors
    /// `BadParameter` if an edge is so short compared with the largest coordinate that neighbouring
    /// vertices could coincide in `f64`; or the error of the mesh.
    pub fn finish(self) -> Result<Mesh, Error> {
        let largest = self.vertices.iter().fold(0.0_f64, |m, v| m.max(v.abs().max_element()));
        let shortest = MIN_EDGE_SHARE * largest;
        // A vertex that is not finite is reported by the mesh, with its index.
        if self.edges().any(|[a, b]| shortest.is_finite() && a.distance(b) < shortest) {
            return Err(bad(format!(
                "the lengths of the shape differ too much for f64: its shortest edge must be at least {shortest:e}, \
                 {MIN_EDGE_SHARE:e} of its largest coordinate"
            )));
        }
        let offsets = std::iter::once(&0).chain(&self.ends);
        // The polygon count is bounded, and with it the corners.
        let offsets = offsets.map(|end| u32::try_from(*end).unwrap_or(u32::MAX)).collect();
        Mesh::from_offsets(self.vertices, offsets, self.corners)
    }
}
