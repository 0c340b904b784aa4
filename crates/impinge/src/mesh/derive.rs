//! Meshes from meshes: transformed, deformed, scaled, flipped and merged.

use std::sync::Arc;

use super::Mesh;
use super::build::check_vertices;
use super::connectivity::Connectivity;
use crate::error::{Error, ErrorKind};
use crate::math::{Pose, Vec3};

impl Mesh {
    /// The mesh moved by `pose`: each vertex is [`Pose::transform_point`] of the old vertex.
    /// Polygons, triangles and computed adjacency are shared with the old mesh.
    ///
    /// Coordinates near [`MAX_COORDINATE`](crate::math::MAX_COORDINATE) may grow to up to three
    /// times that limit; [`Mesh::with_vertices`] would reject them.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        let vertices = self.vertices.iter().map(|v| pose.transform_point(*v)).collect();
        Self::assemble(vertices, Arc::clone(&self.connectivity))
    }

    /// The same polygons and triangles with other vertices, as a deforming body needs: nothing is
    /// triangulated again and computed adjacency is shared. The tree is not kept;
    /// [`Deforming`](super::Deforming) keeps it.
    ///
    /// # Errors
    /// If the number of vertices differs, or a coordinate is not finite or too large.
    pub fn with_vertices(&self, vertices: Vec<Vec3>) -> Result<Self, Error> {
        self.check_replacement(&vertices)?;
        Ok(Self::assemble(vertices, Arc::clone(&self.connectivity)))
    }

    /// Checks that the vertices can replace those of the mesh.
    pub(crate) fn check_replacement(&self, vertices: &[Vec3]) -> Result<(), Error> {
        if vertices.len() != self.vertices.len() {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!(
                    "{} vertices given for a mesh of {}; the numbers must be equal",
                    vertices.len(),
                    self.vertices.len()
                ),
            ));
        }
        check_vertices(vertices)
    }

    /// The mesh with every coordinate multiplied by `factor`.
    ///
    /// # Errors
    /// If the factor is not a positive finite number, or a coordinate becomes too large.
    pub fn scaled(&self, factor: f64) -> Result<Self, Error> {
        if factor <= 0.0 {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("the scale factor is {factor}; it must be positive"),
            ));
        }
        self.scaled_by(Vec3::splat(factor))
    }

    /// The mesh with each axis scaled by its own factor. Factors may be negative; if the product of
    /// the three is negative, all polygons are reversed, so that outside stays outside.
    ///
    /// # Errors
    /// If a factor is zero or not finite, or a coordinate becomes too large.
    pub fn scaled_by(&self, factors: Vec3) -> Result<Self, Error> {
        if !factors.is_finite() {
            return Err(Error::new(
                ErrorKind::NotFinite,
                format!("the scale factors are {factors}; they must be finite numbers"),
            ));
        }
        if factors.cmpeq(Vec3::ZERO).any() {
            return Err(Error::new(
                ErrorKind::BadParameter,
                format!("the scale factors are {factors}; none may be zero"),
            ));
        }
        let scaled = self.with_vertices(self.vertices.iter().map(|v| *v * factors).collect())?;
        let mirrors = [0, 1, 2].iter().filter(|k| factors[**k] < 0.0).count() % 2 == 1;
        Ok(if mirrors { scaled.flipped() } else { scaled })
    }

    /// The mesh with every polygon reversed. Each polygon keeps its first corner.
    #[must_use]
    pub fn flipped(&self) -> Self {
        Self::assemble(self.vertices.clone(), self.connectivity.flipped())
    }

    /// Merges several meshes into one. Their vertices, polygons and triangles follow each other in
    /// the order of the meshes.
    ///
    /// # Errors
    /// If a count does not fit in `u32`.
    ///
    /// ```
    /// use impinge::{Mesh, Pose, Vec3};
    ///
    /// let one = Mesh::from_soup(&[[Vec3::ZERO, Vec3::X, Vec3::Y]])?;
    /// let two = one.transformed(&Pose::from_translation([0.0, 0.0, 5.0])?);
    /// let both = Mesh::merged([&one, &two])?;
    /// assert_eq!(both.triangle(1), two.triangle(0));
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn merged<'a>(meshes: impl IntoIterator<Item = &'a Self>) -> Result<Self, Error> {
        let meshes: Vec<&Self> = meshes.into_iter().collect();
        let parts: Vec<&Connectivity> = meshes.iter().map(|m| &*m.connectivity).collect();
        let connectivity = Connectivity::merged(&parts)?;
        let vertices = meshes.iter().flat_map(|m| &m.vertices).copied().collect();
        Ok(Self::assemble(vertices, connectivity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Aabb;

    fn prism() -> Mesh {
        let vertices = [[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 3], [2, 0, 3], [0, 1, 3]];
        let vertices = vertices.map(|v| Vec3::from(v.map(f64::from))).to_vec();
        let polygons: [&[u32]; 5] =
            [&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];
        Mesh::from_polygons(vertices, polygons).unwrap()
    }

    #[test]
    fn transformed_meshes_keep_their_indices_and_bounds_are_tight() {
        let mesh = prism();
        let pose = Pose::from_axis_angle([1.0, 1.0, 0.2], 0.7).unwrap();
        let moved = mesh.transformed(&pose);
        assert_eq!(moved.triangles(), mesh.triangles());
        assert_eq!(moved.bounds(), mesh.bounds_at(&pose));
        assert!(mesh.bounds().transformed(&pose).contains_box(&moved.bounds()));
        let soup = Mesh::from_soup(&[mesh.triangle(3)]).unwrap();
        assert_eq!(soup.bounds_at(&pose), Aabb::from_points(moved.triangle(3)));
    }

    #[test]
    fn flipping_twice_is_the_identity_and_mirroring_keeps_the_outside() {
        let mesh = prism();
        let flipped = mesh.flipped();
        assert_eq!(flipped.polygon(2), [0, 3, 4, 1]);
        assert_eq!(flipped.flipped().triangles(), mesh.triangles());
        let volume = mesh.mass_properties().unwrap().volume;
        assert_eq!(flipped.mass_properties().unwrap().volume, -volume);
        let mirrored = mesh.scaled_by(Vec3::new(-2.0, 1.0, 1.0)).unwrap();
        assert_eq!(mirrored.mass_properties().unwrap().volume, 2.0 * volume);
        assert_eq!(mesh.scaled(2.0).unwrap().mass_properties().unwrap().volume, 8.0 * volume);
        for (result, kind) in [
            (mesh.scaled(0.0), ErrorKind::BadParameter),
            (mesh.scaled(-1.0), ErrorKind::BadParameter),
            (mesh.scaled(f64::NAN), ErrorKind::NotFinite),
            (mesh.scaled(1e61), ErrorKind::OutOfRange),
            (mesh.with_vertices(Vec::new()), ErrorKind::BadParameter),
        ] {
            assert_eq!(result.unwrap_err().kind(), kind);
        }
    }

    #[test]
    fn merged_meshes_are_renumbered() {
        let triangle = Mesh::from_soup(&[[Vec3::ZERO, Vec3::X, Vec3::Y]]).unwrap();
        let both = Mesh::merged([&triangle, &prism(), &triangle]).unwrap();
        assert_eq!((both.polygon_count(), both.triangles().len()), (7, 10));
        assert_eq!(both.polygon(3), [3, 4, 7, 6]);
        assert_eq!((both.polygon_of(9), both.triangles_of(6)), (6, 9..10));
        assert_eq!(both.triangle(9), triangle.triangle(0));
        assert!(Mesh::merged([]).unwrap().is_empty());
        assert!(Mesh::merged([&triangle, &triangle]).unwrap().is_triangulated());
    }
}
