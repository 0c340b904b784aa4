//! Convex hulls from convex meshes.

use super::{Mesh, NotConvex};
use crate::arrays::MapToVec;
use crate::convex::Hull;
use crate::error::{Error, ErrorKind};
use crate::math::Vec3;

impl Hull {
    /// The polytope bounded by a convex mesh: its surface is exactly the surface of the mesh.
    ///
    /// Convexity is decided exactly: closed, one shell, facing outward, no edge at which the
    /// surface turns inward, winding once. If polygons of the mesh are not planar or not convex,
    /// its triangles are checked instead. Coplanar neighbours become one face, and vertices inside
    /// faces and edges are removed; [`Hull::sources`] gives the vertices of the mesh that the
    /// corners come from.
    ///
    /// # Errors
    /// [`ErrorKind::NotConvex`] with the polygon, edge or vertex that violates convexity, or if the
    /// mesh faces inward; [`Mesh::convexity`] returns the reason as a value.
    ///
    /// ```
    /// use impinge::convex::Hull;
    /// use impinge::shapes;
    ///
    /// let cube = Hull::from_mesh(&shapes::cuboid([1.0, 2.0, 3.0])?)?;
    /// assert_eq!((cube.vertices().len(), cube.face_count()), (8, 6));
    /// let star = shapes::star_prism(5, 1.0, 0.4, 0.2)?;
    /// assert_eq!(Hull::from_mesh(&star).unwrap_err().kind(), impinge::ErrorKind::NotConvex);
    /// # Ok::<(), impinge::Error>(())
    /// ```
    pub fn from_mesh(mesh: &Mesh) -> Result<Self, Error> {
        let outward = match mesh.convexity() {
            Err(NotConvex::NonPlanarPolygon { .. } | NotConvex::NonConvexPolygon { .. })
                if !mesh.is_triangulated() =>
            {
                Mesh::from_triangles(mesh.vertices().to_vec(), mesh.triangles().to_vec())?
                    .convexity()
            }
            other => other,
        };
        let not_convex = |reason: String| {
            Error::new(
                ErrorKind::NotConvex,
                format!("the mesh does not bound a convex body: {reason}"),
            )
        };
        match outward {
            Ok(true) => {}
            Ok(false) => {
                return Err(not_convex("its polygons face inward; flip them".to_owned()));
            }
            Err(reason) => {
                return Err(not_convex(format!(
                    "{reason}; use its hull or a decomposition instead"
                )));
            }
        }
        let used = mesh.used_vertices();
        let points: Vec<Vec3> = used.map_to_vec(|v| mesh.vertices()[*v as usize]);
        Ok(Self::new(&points)?.with_source_indices(used))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;

    fn grid_cube(n: u32) -> Mesh {
        let mut points = Vec::new();
        let mut faces: Vec<[u32; 4]> = Vec::new();
        let mut id = |p: Vec3| {
            points.iter().position(|q| *q == p).unwrap_or_else(|| {
                points.push(p);
                points.len() - 1
            }) as u32
        };
        for axis in 0..3 {
            for (side, i, j) in
                [0, n].into_iter().flat_map(|s| (0..n * n).map(move |k| (s, k / n, k % n)))
            {
                let mut corner = |di: u32, dj: u32| {
                    let mut p = [0.0; 3];
                    p[axis] = f64::from(side);
                    p[(axis + 1) % 3] = f64::from(i + di);
                    p[(axis + 2) % 3] = f64::from(j + dj);
                    id(Vec3::from(p))
                };
                let face = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                faces.push(if side > 0 { face } else { [face[3], face[2], face[1], face[0]] });
            }
        }
        Mesh::from_polygons(points, faces).unwrap()
    }

    #[test]
    fn coplanar_neighbours_become_one_face_and_sources_refer_to_the_mesh() {
        let mesh = grid_cube(4);
        let hull = Hull::from_mesh(&mesh).unwrap();
        assert_eq!((hull.vertices().len(), hull.edge_count(), hull.face_count()), (8, 12, 6));
        assert_eq!(hull.validate(mesh.vertices()), Ok(()));
        for (v, source) in hull.vertices().iter().zip(hull.sources()) {
            assert_eq!(*v, mesh.vertices()[*source as usize]);
        }
    }

    #[test]
    fn errors_name_the_element_that_violates_convexity() {
        let cube = grid_cube(1);
        assert_eq!(cube.convexity(), Ok(true));
        assert!(Hull::from_mesh(&cube.flipped()).unwrap_err().to_string().contains("face inward"));
        // The corner (1, 1, 1) is pushed in: up to three diagonals become reflex, and the error
        // names one of them.
        let mut vertices = cube.vertices().to_vec();
        let corner = vertices.iter().position(|v| *v == Vec3::ONE).unwrap();
        vertices[corner] = Vec3::splat(0.4);
        let dented = Mesh::from_triangles(vertices, cube.triangles().to_vec()).unwrap();
        let Err(NotConvex::ReflexEdge { edge, polygons }) = dented.convexity() else {
            panic!("{:?}", dented.convexity());
        };
        assert!(edge.contains(&(corner as u32)), "{edge:?} {polygons:?}");
        let error = Hull::from_mesh(&dented).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotConvex);
        assert!(error.to_string().contains("turns inward"), "{error}");
        let open = Mesh::from_triangles(cube.vertices().to_vec(), cube.triangles()[1..].to_vec());
        assert!(matches!(open.unwrap().convexity(), Err(NotConvex::OpenEdge { .. })));
        let none = Mesh::from_triangles(vec![], vec![]).unwrap();
        assert_eq!(none.convexity(), Err(NotConvex::Empty));
        let two = cube.transformed(&Pose::from_translation([5.0, 0.0, 0.0]).unwrap());
        let two = Mesh::merged([&cube, &two]).unwrap();
        assert_eq!(two.convexity(), Err(NotConvex::SeveralShells { count: 2 }));
    }

    #[test]
    fn triangles_decide_if_polygons_are_not_planar() {
        let cube = grid_cube(1);
        for v in 0..8 {
            let mut vertices = cube.vertices().to_vec();
            let p = &mut vertices[v];
            *p += (*p - Vec3::splat(0.5)) * 0.25;
            let moved = cube.with_vertices(vertices).unwrap();
            assert!(matches!(moved.convexity(), Err(NotConvex::NonPlanarPolygon { .. })));
            // A corner that is pulled outward leaves a reflex edge in each square whose diagonal
            // does not end at it.
            let ends = cube.triangles().iter().filter(|t| t.contains(&(v as u32))).count();
            assert_eq!(
                Hull::from_mesh(&moved).is_ok(),
                ends == 6,
                "corner {v} with {ends} triangles"
            );
        }
    }
}
