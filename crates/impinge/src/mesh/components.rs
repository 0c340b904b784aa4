//! The connected components of a mesh: polygons connected through edges, or through vertices.

use super::connectivity::{Connectivity, index};
use super::union_find::UnionFind;

/// The connected component of each polygon. Components are numbered by their first polygons.
///
/// ```
/// use impinge::{Mesh, Vec3};
///
/// // Two triangles that share one vertex: two shells, one cluster.
/// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, -Vec3::X, -Vec3::Y];
/// let mesh = Mesh::from_triangles(vertices, vec![[0, 1, 2], [0, 3, 4]])?;
/// assert_eq!(mesh.shells().count(), 2);
/// assert_eq!(mesh.clusters().count(), 1);
/// # Ok::<(), impinge::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    component_of: Vec<u32>,
    first_polygons: Vec<u32>,
}

impl Components {
    pub(super) fn from_sets(mut sets: UnionFind, polygons: usize) -> Self {
        let mut component_of = vec![0; polygons];
        let mut first_polygons = Vec::new();
        for p in 0..polygons {
            let first = sets.find(index(p)) as usize;
            if first == p {
                component_of[p] = index(first_polygons.len());
                first_polygons.push(index(p));
            } else {
                component_of[p] = component_of[first];
            }
        }
        Self { component_of, first_polygons }
    }

    /// The number of components.
    #[must_use]
    pub fn count(&self) -> usize {
        self.first_polygons.len()
    }

    /// The first polygon of every component, ascending.
    #[must_use]
    pub fn first_polygons(&self) -> &[u32] {
        &self.first_polygons
    }

    /// The component of a polygon.
    ///
    /// # Panics
    /// If there is no such polygon.
    #[must_use]
    pub fn of_polygon(&self, polygon: usize) -> u32 {
        self.component_of[polygon]
    }

    /// The component of every polygon.
    #[must_use]
    pub fn all(&self) -> &[u32] {
        &self.component_of
    }

    /// The polygons of every component, ascending.
    #[must_use]
    pub fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.count()];
        for (p, component) in self.component_of.iter().enumerate() {
            members[*component as usize].push(index(p));
        }
        members
    }
}

impl Connectivity {
    pub(super) fn clusters(&self) -> &Components {
        self.clusters.get_or_init(|| {
            let mut sets = UnionFind::new(self.polygon_count());
            let mut first_at = vec![None; self.vertex_count];
            for p in 0..self.polygon_count() {
                for v in self.polygon(p) {
                    match first_at[*v as usize] {
                        None => first_at[*v as usize] = Some(index(p)),
                        Some(q) => {
                            sets.unite(q, index(p));
                        }
                    }
                }
            }
            Components::from_sets(sets, self.polygon_count())
        })
    }
}

impl super::Mesh {
    /// The shell (see [`Mesh::shells`](super::Mesh::shells)) of a triangle.
    ///
    /// # Panics
    /// If there is no such triangle.
    #[must_use]
    pub fn shell_of(&self, triangle: usize) -> u32 {
        self.shells().of_polygon(self.polygon_of(triangle) as usize)
    }
}

#[cfg(test)]
mod tests {
    use crate::math::Vec3;
    use crate::mesh::Mesh;

    #[test]
    fn components_are_numbered_by_their_first_polygon() {
        let polygons: [&[u32]; 5] = [&[0, 1, 2], &[4, 5, 6, 7], &[2, 1, 3], &[7, 8, 9], &[1, 1, 1]];
        let mesh = Mesh::from_polygons(vec![Vec3::ZERO; 10], polygons).unwrap();
        assert_eq!(mesh.shells().all(), [0, 1, 0, 2, 3]);
        assert_eq!(mesh.clusters().all(), [0, 1, 0, 1, 0]);
        assert_eq!(
            (mesh.shells().first_polygons(), mesh.clusters().first_polygons()),
            (&[0, 1, 3, 4][..], &[0, 1][..])
        );
        assert_eq!(mesh.shells().members()[0], [0, 2]);
        assert_eq!([0, 2, 5].map(|t| mesh.shell_of(t)), [0, 1, 3]);
    }
}
