//! The serialised form of meshes.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Mesh;
use super::connectivity::{Connectivity, PolygonList};
use crate::error::{Error, ErrorKind};
use crate::math::Vec3;
use crate::serial::{Points, Rows, as_serde_error};

/// How polygons are cut into triangles. Stored, because the vertices may have moved since.
#[derive(Serialize, Deserialize)]
struct Triangulation<'a> {
    triangles: Cow<'a, [[u32; 3]]>,
    /// Polygons that could not be triangulated without overlap.
    forced: Cow<'a, [u32]>,
}

#[derive(Serialize)]
struct Written<'a> {
    vertices: Points<'a>,
    polygons: Vec<&'a [u32]>,
    triangulation: Option<Triangulation<'a>>,
}

#[derive(Deserialize)]
struct Read {
    vertices: Vec<[f64; 3]>,
    polygons: Rows,
    #[serde(default)]
    triangulation: Option<Triangulation<'static>>,
}

/// `vertices`, `polygons`, and, if these are not all triangles, the `triangulation`, which may be
/// left out in what is read. Bit for bit; the tree is built again when it is needed.
impl Serialize for Mesh {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let triangulation = (!self.is_triangulated()).then(|| Triangulation {
            triangles: self.triangles().into(),
            forced: (&*self.connectivity.forced).into(),
        });
        let polygons = (0..self.polygon_count()).map(|i| self.polygon(i)).collect();
        let vertices = Points(self.vertices());
        Written { vertices, polygons, triangulation }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Mesh {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Read { vertices, polygons, triangulation } = Read::deserialize(deserializer)?;
        let vertices = vertices.into_iter().map(Vec3::from).collect();
        let mut mesh = Self::from_offsets(vertices, polygons.starts, polygons.values)
            .map_err(as_serde_error)?;
        if let Some(Triangulation { triangles, forced }) = triangulation {
            mesh =
                mesh.cut_as(triangles.into_owned(), forced.into_owned()).map_err(as_serde_error)?;
        }
        Ok(mesh)
    }
}

impl Mesh {
    /// The mesh with its polygons cut into these triangles, if they are so cut.
    fn cut_as(self, triangles: Vec<[u32; 3]>, forced: Vec<u32>) -> Result<Self, Error> {
        let known = &*self.connectivity;
        if triangles == known.triangles && forced == known.forced {
            return Ok(self);
        }
        let bad = |what: String| Err(Error::new(ErrorKind::BadParameter, what));
        let Some(PolygonList { starts, corners, polygon_of }) = &known.polygons else {
            return bad("a mesh of triangles has another triangulation".into());
        };
        if triangles.len() != known.triangles.len() {
            let (is, should) = (triangles.len(), known.triangles.len());
            return bad(format!("the triangulation has {is} triangles instead of {should}"));
        }
        let ascending = forced.windows(2).all(|w| w[0] < w[1]);
        if !ascending || forced.last().is_some_and(|i| *i as usize >= self.polygon_count()) {
            return bad("the list of forced polygons is out of order or range".into());
        }
        for i in 0..self.polygon_count() {
            if !cuts(self.polygon(i), &triangles[self.triangles_of(i)]) {
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
            forced,
            ..Connectivity::default()
        };
        Ok(Self::assemble(self.vertices, Arc::new(connectivity)))
    }
}

/// Whether the triangles have the corners of the polygon and, as a chain of directed sides, its
/// boundary: so a mesh that is closed as polygons is closed as triangles.
fn cuts(polygon: &[u32], triangles: &[[u32; 3]]) -> bool {
    let mut corners = polygon.to_vec();
    corners.sort_unstable();
    if !triangles.as_flattened().iter().all(|v| corners.binary_search(v).is_ok()) {
        return false;
    }
    // Each side by its ends, the smaller first, and how often it is walked upwards more than down.
    let mut sides: Vec<(u32, u32, i32)> = Vec::with_capacity(polygon.len() + 3 * triangles.len());
    let mut walk = |loop_: &[u32], weight: i32| {
        for (k, from) in loop_.iter().enumerate() {
            let to = loop_[(k + 1) % loop_.len()];
            match from.cmp(&to) {
                std::cmp::Ordering::Less => sides.push((*from, to, weight)),
                std::cmp::Ordering::Greater => sides.push((to, *from, -weight)),
                std::cmp::Ordering::Equal => {}
            }
        }
    };
    walk(polygon, 1);
    triangles.iter().for_each(|t| walk(t, -1));
    sides.sort_unstable();
    let same = |a: &(u32, u32, i32), b: &(u32, u32, i32)| (a.0, a.1) == (b.0, b.1);
    sides.chunk_by(same).all(|side| side.iter().map(|s| i64::from(s.2)).sum::<i64>() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_decide_what_is_a_triangulation() {
        let square = [0, 1, 2, 3];
        assert!(cuts(&square, &[[0, 1, 2], [0, 2, 3]]));
        assert!(cuts(&square, &[[1, 2, 3], [3, 0, 1]]));
        assert!(!cuts(&square, &[[0, 1, 2], [0, 1, 2]]));
        assert!(!cuts(&square, &[[0, 2, 1], [0, 3, 2]]), "turned around");
        assert!(!cuts(&square, &[[0, 1, 2], [0, 2, 4]]), "another vertex");
        // A hole with a bridge that is walked twice.
        let bridged = [0, 1, 2, 0, 3, 4, 5, 3];
        assert!(!cuts(&bridged, &[[0, 1, 2]; 6]));
    }
}
