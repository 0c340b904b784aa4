//! The serialised form of hulls.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Hull;
use super::hull::Topology;
use crate::error::{Error, ErrorKind};
use crate::math::Vec3;
use crate::serial::{Points, Rows, as_serde_error};

#[derive(Serialize)]
struct HullOutput<'a> {
    vertices: Points<'a>,
    /// Always written; optional in the input.
    numbering: Option<BorrowedNumbering<'a>>,
}

/// The numbering of a hull, borrowed from it.
type BorrowedNumbering<'a> = Numbering<&'a [u32], Vec<&'a [u32]>, Vec<&'a [u32]>>;

#[derive(Deserialize)]
struct HullInput {
    vertices: Vec<[f64; 3]>,
    #[serde(default)]
    numbering: Option<Numbering<Vec<u32>, Rows, Rows>>,
}

/// The numbering of vertices, faces and neighbours, which does not follow from the points.
#[derive(Serialize, Deserialize)]
struct Numbering<S, F, N> {
    sources: S,
    faces: F,
    neighbors: N,
}

/// `vertices`, and a `numbering` of [sources](Hull::sources), faces and neighbours, bit for bit.
///
/// Input is built by [`Hull::new`]. Without a numbering it is the hull of any points; with one it
/// must be the same hull, numbered as given.
impl Serialize for Hull {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbering = Numbering {
            sources: self.sources(),
            faces: self.faces().collect(),
            neighbors: (0..self.vertices().len() as u32).map(|v| self.neighbors(v)).collect(),
        };
        HullOutput { vertices: Points(self.vertices()), numbering: Some(numbering) }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Hull {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let HullInput { vertices, numbering } = HullInput::deserialize(deserializer)?;
        let vertices: Vec<Vec3> = vertices.into_iter().map(Vec3::from).collect();
        let hull = Self::new(&vertices).map_err(as_serde_error)?;
        match numbering {
            None => Ok(hull),
            Some(numbering) => hull.with_numbering(vertices, numbering).map_err(D::Error::custom),
        }
    }
}

impl Hull {
    /// The hull built from `vertices`, renumbered; an error if the numbering is not one of this
    /// hull.
    fn with_numbering(
        self,
        vertices: Vec<Vec3>,
        numbering: Numbering<Vec<u32>, Rows, Rows>,
    ) -> Result<Self, Error> {
        let Numbering { sources, faces, neighbors } = numbering;
        let invalid = |what: &str| {
            Err(Error::new(
                ErrorKind::BadParameter,
                format!("the numbering of a hull: {what}; omit it to number the hull again"),
            ))
        };
        if self.vertices.len() != vertices.len() {
            return invalid("some vertices are not corners of the hull");
        }
        let mut sorted = sources.clone();
        sorted.sort_unstable();
        if sources.len() != vertices.len() || sorted.windows(2).any(|w| w[0] == w[1]) {
            return invalid("it does not give each vertex its own source");
        }
        // Vertex `v` of this hull is vertex `self.sources[v]` of the other numbering.
        let renamed =
            |row: &[u32]| -> Vec<u32> { row.iter().map(|v| self.sources[*v as usize]).collect() };
        let mut own: Vec<Vec<u32>> = self.faces().map(renamed).collect();
        let mut given: Vec<Vec<u32>> = rows(&faces).map(<[u32]>::to_vec).collect();
        for face in own.iter_mut().chain(&mut given) {
            rotate_to_least(face);
        }
        own.sort_unstable();
        given.sort_unstable();
        if own != given {
            return invalid("its faces are not those of the hull");
        }
        if neighbors.starts.len() != vertices.len() + 1 {
            return invalid("it does not have one list of neighbours for each vertex");
        }
        let mut around: Vec<&[u32]> = rows(&neighbors).collect();
        for v in 0..vertices.len() {
            let mut own: Vec<u32> = renamed(self.neighbors(v as u32));
            let mut given = std::mem::take(&mut around[self.sources[v] as usize]).to_vec();
            rotate_to_least(&mut own);
            rotate_to_least(&mut given);
            if own != given {
                return invalid("its neighbours are not those of the hull");
            }
        }
        let topology = Topology {
            face_starts: faces.starts,
            face_vertices: faces.values,
            neighbor_starts: neighbors.starts,
            neighbors: neighbors.values,
        };
        let mut hull = Self::from_parts(self.dimension, vertices, topology);
        hull.sources = sources;
        Ok(hull)
    }
}

fn rows(rows: &Rows) -> impl Iterator<Item = &[u32]> {
    rows.starts.windows(2).map(|ends| &rows.values[ends[0] as usize..ends[1] as usize])
}

/// Rotates a cycle so that it starts with its least number.
fn rotate_to_least(cycle: &mut [u32]) {
    if let Some(first) = (0..cycle.len()).min_by_key(|i| cycle[*i]) {
        cycle.rotate_left(first);
    }
}
