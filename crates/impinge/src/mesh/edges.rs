//! Unique undirected edges and their incident polygon sides, in linear time.
//!
//! Two counting sorts order the sides of polygons by their two ends, so that sides of the same edge
//! are adjacent. This is linear for vertices of any degree; the neighbour lists of Zachmann 1994,
//! section 4.1.3, are linear for bounded degree only.

use super::connectivity::{Connectivity, index};

/// The unique undirected edges of a mesh's triangles, and the triangles at each edge.
///
/// Edges are ordered by their smaller, then their larger vertex. A *side* is a triangle and one of
/// its three sides: side `3 * t + k` runs from corner `k` of triangle `t` to corner `(k + 1) % 3`.
/// The number of sides of an edge is the number of triangles along it: two on a closed manifold.
/// Sides from a vertex to itself (triangles with repeated corners) form edges with equal ends, so
/// that every side belongs to an edge.
///
/// ```
/// use impinge::{Mesh, Vec3};
///
/// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
/// let mesh = Mesh::from_triangles(vertices, vec![[0, 1, 2], [2, 1, 3]])?;
/// let edges = mesh.edges();
/// assert_eq!(edges.len(), 5);
/// let shared = (0..5).find(|e| edges.sides(*e).len() == 2).unwrap();
/// assert_eq!(edges.ends(shared), [1, 2]);
/// assert!(edges.triangles(shared).eq([0, 1]));
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Edges {
    ends: Vec<[u32; 2]>,
    starts: Vec<u32>,
    sides: Vec<u32>,
    edge_of: Vec<u32>,
}

impl Edges {
    /// Groups sides into edges; `ends(side)` are the origin and destination of a side.
    pub(super) fn from_sides(
        vertex_count: usize,
        side_count: usize,
        ends: impl Fn(usize) -> [u32; 2],
    ) -> Self {
        let key = |side: u32| {
            let [a, b] = ends(side as usize);
            [a.min(b), a.max(b)]
        };
        let by_larger = counting_sort(vertex_count, 0..index(side_count), |s| key(s)[1]);
        let sides = counting_sort(vertex_count, by_larger.iter().copied(), |s| key(s)[0]);
        let (mut unique, mut starts) = (Vec::new(), Vec::new());
        let mut edge_of = vec![0; side_count];
        for (i, side) in sides.iter().enumerate() {
            let key = key(*side);
            if unique.last() != Some(&key) {
                unique.push(key);
                starts.push(index(i));
            }
            edge_of[*side as usize] = index(unique.len() - 1);
        }
        starts.push(index(side_count));
        Self { ends: unique, starts, sides, edge_of }
    }

    /// The number of edges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The two vertices of an edge, the smaller index first; equal for a side from a vertex to
    /// itself.
    ///
    /// # Panics
    /// If there is no such edge.
    #[must_use]
    pub fn ends(&self, edge: usize) -> [u32; 2] {
        self.ends[edge]
    }

    /// The two vertices of every edge.
    #[must_use]
    pub fn all(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// The sides along an edge, ascending.
    ///
    /// # Panics
    /// If there is no such edge.
    #[must_use]
    pub fn sides(&self, edge: usize) -> &[u32] {
        &self.sides[self.starts[edge] as usize..self.starts[edge + 1] as usize]
    }

    /// The triangles along an edge, ascending; a triangle with repeated corners may occur twice.
    ///
    /// # Panics
    /// If there is no such edge.
    #[must_use]
    pub fn triangles(&self, edge: usize) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.sides(edge).iter().map(|s| s / 3)
    }

    /// The edge of a side.
    ///
    /// # Panics
    /// If there is no such side.
    #[must_use]
    pub fn edge_of(&self, side: usize) -> u32 {
        self.edge_of[side]
    }
}

/// The items sorted by key; the sort is stable.
pub(super) fn counting_sort(
    key_count: usize,
    items: impl Iterator<Item = u32> + Clone,
    key: impl Fn(u32) -> u32,
) -> Vec<u32> {
    let mut starts = vec![0_u32; key_count + 1];
    let mut count = 0;
    for item in items.clone() {
        starts[key(item) as usize + 1] += 1;
        count += 1;
    }
    for k in 0..key_count {
        starts[k + 1] += starts[k];
    }
    let mut sorted = vec![0; count];
    for item in items {
        let slot = &mut starts[key(item) as usize];
        sorted[*slot as usize] = item;
        *slot += 1;
    }
    sorted
}

impl Connectivity {
    /// The edges of the triangulation.
    pub(super) fn triangle_edges(&self) -> &Edges {
        if self.polygons.is_none() {
            return &self.half_edge_tables().edges;
        }
        self.triangle_edges.get_or_init(|| {
            let corners = self.triangles.as_flattened();
            Edges::from_sides(self.vertex_count, corners.len(), |side| {
                let t = self.triangles[side / 3];
                [t[side % 3], t[(side + 1) % 3]]
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::math::Vec3;
    use crate::mesh::Mesh;

    #[test]
    fn diagonals_are_edges_of_the_triangulation_only() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let vertices = square.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
        let mesh = Mesh::from_polygons(vertices, [[0, 1, 2, 3]]).unwrap();
        assert_eq!(mesh.edges().all(), [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]);
        assert_eq!(mesh.edges().triangles(1).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(mesh.topology().edge_count(), 4);
    }

    #[test]
    fn sides_of_degenerate_triangles_have_edges() {
        let mesh = Mesh::from_triangles(vec![Vec3::ZERO; 2], vec![[0, 0, 0], [0, 0, 1]]).unwrap();
        let edges = mesh.edges();
        assert_eq!(edges.all(), [[0, 0], [0, 1]]);
        assert_eq!((edges.sides(0), edges.sides(1)), (&[0, 1, 2, 3][..], &[4, 5][..]));
        assert_eq!(edges.edge_of(5), 1);
    }
}
