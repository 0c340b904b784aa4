//! Serialization of meshes.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Mesh;
use super::connectivity::{Connectivity, PolygonList};
use crate::error::{Error, ErrorKind};
use crate::math::Vec3;
use crate::serial::{Points, Rows, as_serde_error};

/// The triangulation of the polygons. Stored because the vertices may have moved since it was
/// computed.
#[derive(Serialize, Deserialize)]
struct Triangulation<'a> {
    triangles: Cow<'a, [[u32; 3]]>,
    /// The polygons in `Connectivity::forced_polygons`.
    forced: Cow<'a, [u32]>,
}

#[derive(Serialize)]
struct SerializedMesh<'a> {
    vertices: Points<'a>,
    polygons: Vec<&'a [u32]>,
    triangulation: Option<Triangulation<'a>>,
}

#[derive(Deserialize)]
struct DeserializedMesh {
    vertices: Vec<[f64; 3]>,
    polygons: Rows,
    #[serde(default)]
    triangulation: Option<Triangulation<'static>>,
}

/// `vertices`, `polygons` and, if not all polygons are triangles, `triangulation`, which is
/// optional on input. Coordinates are kept bit for bit; the tree is built again on first use.
impl Serialize for Mesh {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let triangulation = (!self.is_triangulated()).then(|| Triangulation {
            triangles: self.triangles().into(),
            forced: (&*self.connectivity.forced_polygons).into(),
        });
        let polygons = (0..self.polygon_count()).map(|i| self.polygon(i)).collect();
        let vertices = Points(self.vertices());
        SerializedMesh { vertices, polygons, triangulation }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Mesh {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let DeserializedMesh { vertices, polygons, triangulation } =
            DeserializedMesh::deserialize(deserializer)?;
        let vertices = vertices.into_iter().map(Vec3::from).collect();
        let mut mesh = Self::from_offsets(vertices, polygons.starts, polygons.values)
            .map_err(as_serde_error)?;
        if let Some(Triangulation { triangles, forced }) = triangulation {
            mesh = mesh
                .with_triangulation(triangles.into_owned(), forced.into_owned())
                .map_err(as_serde_error)?;
        }
        Ok(mesh)
    }
}

impl Mesh {
    /// The mesh with another triangulation, after checking that it belongs to the polygons.
    fn with_triangulation(
        self,
        triangles: Vec<[u32; 3]>,
        forced_polygons: Vec<u32>,
    ) -> Result<Self, Error> {
        let known = &*self.connectivity;
        if triangles == known.triangles && forced_polygons == known.forced_polygons {
            return Ok(self);
        }
        let bad = |what: String| Err(Error::new(ErrorKind::BadParameter, what));
        let Some(PolygonList { starts, corners, polygon_of }) = &known.polygons else {
            return bad(
                "`triangulation` does not match `polygons`, which are all triangles; omit it"
                    .into(),
            );
        };
        if triangles.len() != known.triangles.len() {
            let (found, expected) = (triangles.len(), known.triangles.len());
            return bad(format!(
                "the triangulation has {found} triangles; the polygons need {expected}"
            ));
        }
        let ascending = forced_polygons.windows(2).all(|w| w[0] < w[1]);
        let is_outside = |i: &u32| *i as usize >= self.polygon_count();
        if !ascending || forced_polygons.last().is_some_and(is_outside) {
            return bad(
                "the list `forced` of the triangulation must be ascending and refer to existing \
                 polygons"
                    .into(),
            );
        }
        for i in 0..self.polygon_count() {
            if !is_triangulation(self.polygon(i), &triangles[self.triangles_of(i)]) {
                return bad(format!("the triangles of polygon {i} do not have its boundary"));
            }
        }
        let polygons = PolygonList {
            starts: starts.clone(),
            corners: corners.clone(),
            polygon_of: polygon_of.clone(),
        };
        let connectivity = Connectivity {
            vertex_count: known.vertex_count,
            triangles,
            polygons: Some(polygons),
            forced_polygons,
            ..Connectivity::default()
        };
        Ok(Self::assemble(self.vertices, Arc::new(connectivity)))
    }
}

/// Whether the triangles have only corners of the polygon and, as a chain of directed sides, its
/// boundary. Then a mesh that is closed as polygons is closed as triangles.
fn is_triangulation(polygon: &[u32], triangles: &[[u32; 3]]) -> bool {
    let mut corners = polygon.to_vec();
    corners.sort_unstable();
    if !triangles.as_flattened().iter().all(|v| corners.binary_search(v).is_ok()) {
        return false;
    }
    // Each side as its two ends, the smaller first, and a weight: its direction, negated for
    // triangles.
    let mut sides: Vec<(u32, u32, i32)> = Vec::with_capacity(polygon.len() + 3 * triangles.len());
    let mut add_sides = |ring: &[u32], weight: i32| {
        for (k, from) in ring.iter().enumerate() {
            let to = ring[(k + 1) % ring.len()];
            match from.cmp(&to) {
                std::cmp::Ordering::Less => sides.push((*from, to, weight)),
                std::cmp::Ordering::Greater => sides.push((to, *from, -weight)),
                std::cmp::Ordering::Equal => {}
            }
        }
    };
    add_sides(polygon, 1);
    triangles.iter().for_each(|t| add_sides(t, -1));
    sides.sort_unstable();
    let same = |a: &(u32, u32, i32), b: &(u32, u32, i32)| (a.0, a.1) == (b.0, b.1);
    sides.chunk_by(same).all(|side| side.iter().map(|s| i64::from(s.2)).sum::<i64>() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangulations_are_recognised_by_their_boundary() {
        let square = [0, 1, 2, 3];
        assert!(is_triangulation(&square, &[[0, 1, 2], [0, 2, 3]]));
        assert!(is_triangulation(&square, &[[1, 2, 3], [3, 0, 1]]));
        assert!(!is_triangulation(&square, &[[0, 1, 2], [0, 1, 2]]));
        assert!(!is_triangulation(&square, &[[0, 2, 1], [0, 3, 2]]), "reversed");
        assert!(!is_triangulation(&square, &[[0, 1, 2], [0, 2, 4]]), "another vertex");
        // A hole with a bridge that the outline follows in both directions.
        let bridged = [0, 1, 2, 0, 3, 4, 5, 3];
        assert!(!is_triangulation(&bridged, &[[0, 1, 2]; 6]));
    }
}
