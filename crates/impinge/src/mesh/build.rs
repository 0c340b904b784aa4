//! Construction of meshes from polygons, triangles and soups.

use super::Mesh;
use super::connectivity::{Connectivity, PolygonList, check_count, index};
use super::triangulate::Triangulator;
use crate::error::{Error, ErrorKind};
use crate::math::{Vec3, check_range};

impl Mesh {
    /// A mesh of polygons with three or more corners each, given as indices into the vertices.
    ///
    /// Polygons may be non-convex, non-planar and degenerate; they need not be simple. A polygon of
    /// `n` corners becomes `n - 2` triangles of the same orientation. Holes are joined to the
    /// outline by a bridge that the outline follows in both directions.
    ///
    /// # Errors
    /// If a coordinate is not finite or too large, if a polygon has fewer than three corners or
    /// refers to a vertex that does not exist, or if a count does not fit in `u32`.
    ///
    /// ```
    /// use impinge::{ErrorKind, Mesh, Vec3};
    ///
    /// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::ONE, Vec3::Y];
    /// let polygons: [&[u32]; 2] = [&[0, 1, 2], &[0, 1, 2, 3]];
    /// let mesh = Mesh::from_polygons(vertices.clone(), polygons)?;
    /// assert_eq!((mesh.polygon_count(), mesh.triangles().len()), (2, 3));
    ///
    /// let error = Mesh::from_polygons(vertices, [[0, 1, 4]]).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::IndexOutOfBounds);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn from_polygons<P: AsRef<[u32]>>(
        vertices: Vec<Vec3>,
        polygons: impl IntoIterator<Item = P>,
    ) -> Result<Self, Error> {
        let (mut starts, mut corners) = (vec![0], Vec::new());
        for polygon in polygons {
            corners.extend_from_slice(polygon.as_ref());
            check_count(corners.len(), "polygon corners")?;
            starts.push(index(corners.len()));
        }
        Self::from_offsets(vertices, starts, corners)
    }

    /// As [`Mesh::from_polygons`], with all corners in one list: polygon `i` is
    /// `corners[offsets[i]..offsets[i + 1]]`. Empty offsets mean no polygons.
    ///
    /// # Errors
    /// As [`Mesh::from_polygons`], and if the offsets do not start at zero, decrease, or do not end
    /// at the number of corners.
    pub fn from_offsets(
        vertices: Vec<Vec3>,
        offsets: Vec<u32>,
        corners: Vec<u32>,
    ) -> Result<Self, Error> {
        check_vertices(&vertices)?;
        check_count(corners.len(), "polygon corners")?;
        check_offsets(&offsets, corners.len())?;
        let mut all_triangles = true;
        for (i, range) in offsets.windows(2).enumerate() {
            let polygon = &corners[range[0] as usize..range[1] as usize];
            check_polygon("polygon", i, polygon, vertices.len())?;
            all_triangles &= polygon.len() == 3;
        }
        if all_triangles {
            let triangles = corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
            let connectivity = Connectivity::of_triangles(vertices.len(), triangles);
            return Ok(Self::assemble(vertices, connectivity));
        }

        let count = corners.len() - 2 * (offsets.len() - 1);
        let mut triangles = Vec::with_capacity(count);
        let mut polygon_of = Vec::with_capacity(count);
        let mut forced_polygons = Vec::new();
        let mut triangulator = Triangulator::default();
        for (i, range) in offsets.windows(2).enumerate() {
            let polygon = &corners[range[0] as usize..range[1] as usize];
            if !triangulator.triangulate(&vertices, polygon, &mut triangles) {
                forced_polygons.push(index(i));
            }
            polygon_of.resize(triangles.len(), index(i));
        }
        debug_assert_eq!(triangles.len(), count, "a polygon of n corners has n - 2 triangles");
        let connectivity = Connectivity {
            vertex_count: vertices.len(),
            triangles,
            polygons: Some(PolygonList { starts: offsets, corners, polygon_of }),
            forced_polygons,
            ..Connectivity::default()
        };
        Ok(Self::assemble(vertices, connectivity))
    }

    /// A mesh of indexed triangles.
    ///
    /// # Errors
    /// If a coordinate is not finite or too large, if a triangle refers to a vertex that does not
    /// exist, or if a count does not fit in `u32`.
    pub fn from_triangles(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, Error> {
        check_vertices(&vertices)?;
        check_count(3 * triangles.len(), "triangle corners")?;
        for (i, t) in triangles.iter().enumerate() {
            check_polygon("triangle", i, t, vertices.len())?;
        }
        let connectivity = Connectivity::of_triangles(vertices.len(), triangles);
        Ok(Self::assemble(vertices, connectivity))
    }

    /// A mesh of triangles that share no vertices: three vertices each, in order. [`Mesh::welded`]
    /// merges equal vertices.
    ///
    /// # Errors
    /// If a coordinate is not finite or too large, or if a count does not fit in `u32`.
    ///
    /// ```
    /// use impinge::{Mesh, Vec3, mesh::Weld};
    ///
    /// let soup = [[Vec3::ZERO, Vec3::X, Vec3::Y], [Vec3::X, Vec3::ONE, Vec3::Y]];
    /// let mesh = Mesh::from_soup(&soup)?;
    /// assert_eq!(mesh.vertices().len(), 6);
    /// assert_eq!(mesh.welded(Weld::Exact)?.vertices().len(), 4);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn from_soup(triangles: &[[Vec3; 3]]) -> Result<Self, Error> {
        check_count(3 * triangles.len(), "triangle corners")?;
        let indices = (0..index(triangles.len())).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
        Self::from_triangles(triangles.as_flattened().to_vec(), indices.collect())
    }
}

pub(super) fn check_vertices(vertices: &[Vec3]) -> Result<(), Error> {
    check_count(vertices.len(), "vertices")?;
    for (i, v) in vertices.iter().enumerate() {
        check_range(*v, || format!("vertex {i}"))?;
    }
    Ok(())
}

fn check_polygon(what: &str, i: usize, polygon: &[u32], vertices: usize) -> Result<(), Error> {
    if polygon.len() < 3 {
        return Err(Error::new(
            ErrorKind::PolygonTooSmall,
            format!("{what} {i} has {} corners; at least 3 are needed", polygon.len()),
        ));
    }
    for (k, v) in polygon.iter().enumerate() {
        if *v as usize >= vertices {
            return Err(Error::new(
                ErrorKind::IndexOutOfBounds,
                format!(
                    "corner {k} of {what} {i} refers to vertex {v}, but there are {vertices} vertices, numbered from 0"
                ),
            ));
        }
    }
    Ok(())
}

fn check_offsets(offsets: &[u32], corners: usize) -> Result<(), Error> {
    let bad = |message: String| Err(Error::new(ErrorKind::BadParameter, message));
    let first = offsets.first().copied().unwrap_or(0);
    let last = offsets.last().copied().unwrap_or(0);
    if first != 0 {
        return bad(format!("the first polygon offset is {first}; it must be 0"));
    }
    if last as usize != corners {
        return bad(format!(
            "the last polygon offset is {last}; it must be the number of corners, {corners}"
        ));
    }
    match offsets.windows(2).position(|w| w[0] > w[1]) {
        Some(i) => bad(format!(
            "polygon offset {} is {}, less than {} before it; offsets must not decrease",
            i + 1,
            offsets[i + 1],
            offsets[i]
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Vec<Vec3> {
        vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y]
    }

    #[test]
    fn errors_name_the_first_invalid_element() {
        let kind = |r: Result<Mesh, Error>| {
            let e = r.unwrap_err();
            (e.kind(), e.to_string())
        };
        let mut broken = square();
        broken[2].y = f64::NAN;
        let (k, text) = kind(Mesh::from_polygons(broken, [[0, 1, 2]]));
        assert!(k == ErrorKind::NotFinite && text.contains("vertex 2"), "{text}");
        let mut broken = square();
        broken[3].y = -2e60;
        let (k, text) = kind(Mesh::from_polygons(broken, [[0, 1, 2]]));
        assert!(k == ErrorKind::OutOfRange && text.contains("vertex 3"), "{text}");
        let polygons: [&[u32]; 2] = [&[0, 1, 2, 3], &[0, 1, 9, 2]];
        let (k, text) = kind(Mesh::from_polygons(square(), polygons));
        assert!(
            k == ErrorKind::IndexOutOfBounds && text.contains("corner 2 of polygon 1"),
            "{text}"
        );
        let polygons: [&[u32]; 2] = [&[0, 1, 2, 3], &[0, 1]];
        let (k, text) = kind(Mesh::from_polygons(square(), polygons));
        assert!(k == ErrorKind::PolygonTooSmall && text.contains("polygon 1 has 2"), "{text}");
        for (offsets, part) in
            [(vec![1, 4], "first"), (vec![0, 3], "last"), (vec![0, 5, 1, 4], "decrease")]
        {
            let (k, text) = kind(Mesh::from_offsets(square(), offsets, vec![0, 1, 2, 3]));
            assert!(k == ErrorKind::BadParameter && text.contains(part), "{text}");
        }
    }

    #[test]
    fn triangles_are_stored_once_and_mixed_polygons_map_to_their_triangles() {
        let mesh = Mesh::from_polygons(square(), [[0, 1, 2], [2, 3, 0]]).unwrap();
        assert!(mesh.is_triangulated());
        assert_eq!(mesh.polygon(1), [2, 3, 0]);
        assert_eq!((mesh.polygon_of(1), mesh.triangles_of(1)), (1, 1..2));

        let polygons: [&[u32]; 3] = [&[3, 0, 1], &[0, 1, 2, 3], &[1, 2, 3]];
        let mesh = Mesh::from_polygons(square(), polygons).unwrap();
        assert_eq!(mesh.triangles(), [[3, 0, 1], [0, 1, 2], [0, 2, 3], [1, 2, 3]]);
        assert_eq!([0, 1, 2, 3].map(|t| mesh.polygon_of(t)), [0, 1, 1, 2]);
        assert_eq!([0, 1, 2].map(|p| mesh.triangles_of(p)), [0..1, 1..3, 3..4]);
        assert_eq!(mesh.polygon(2), [1, 2, 3]);
    }

    #[test]
    fn bounds_ignore_unused_vertices_and_empty_meshes_are_legal() {
        let mut vertices = square();
        vertices.push(Vec3::splat(50.0));
        let mesh = Mesh::from_triangles(vertices, vec![[0, 1, 2]]).unwrap();
        assert_eq!(mesh.bounds().max, Vec3::new(1.0, 1.0, 0.0));
        let none: [[u32; 3]; 0] = [];
        for empty in [
            Mesh::from_polygons(Vec::new(), none).unwrap(),
            Mesh::from_offsets(square(), Vec::new(), Vec::new()).unwrap(),
            Mesh::from_soup(&[]).unwrap(),
        ] {
            assert!(empty.is_empty() && empty.bounds().is_empty() && !empty.is_solid());
            assert_eq!(empty.polygon_count(), 0);
        }
    }
}
