//! The serialised form of hulls.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Hull;
use super::hull::Topology;
use crate::error::{Error, ErrorKind};
use crate::math::Vec3;
use crate::serial::{Points, Rows, as_serde_error};

#[derive(Serialize)]
struct Written<'a> {
    vertices: Points<'a>,
    /// Never left out here, but perhaps in what is read.
    numbering: Option<Shown<'a>>,
}

/// The numbering of a hull as it is.
type Shown<'a> = Numbering<&'a [u32], Vec<&'a [u32]>, Vec<&'a [u32]>>;

#[derive(Deserialize)]
struct Read {
    vertices: Vec<[f64; 3]>,
    #[serde(default)]
    numbering: Option<Numbering<Vec<u32>, Rows, Rows>>,
}

/// What the points alone do not say: how vertices, faces and neighbours are numbered.
#[derive(Serialize, Deserialize)]
struct Numbering<S, F, N> {
    sources: S,
    faces: F,
    neighbors: N,
}

/// `vertices`, and a `numbering` of [sources](Hull::sources), faces and neighbours, bit for bit.
///
/// What is read is made by [`Hull::new`]; without a numbering it is the hull of any points, with one
/// it must be the same hull, numbered as it says.
impl Serialize for Hull {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbering = Numbering {
            sources: self.sources(),
            faces: self.faces().collect(),
            neighbors: (0..self.vertices().len() as u32).map(|v| self.neighbors(v)).collect(),
        };
        Written { vertices: Points(self.vertices()), numbering: Some(numbering) }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Hull {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Read { vertices, numbering } = Read::deserialize(deserializer)?;
        let vertices: Vec<Vec3> = vertices.into_iter().map(Vec3::from).collect();
        let hull = Self::new(&vertices).map_err(as_serde_error)?;
        match numbering {
            None => Ok(hull),
            Some(numbering) => hull.numbered(vertices, numbering).map_err(D::Error::custom),
        }
    }
}

impl Hull {
    /// The hull, made of `vertices`, with another numbering, if that is one of this hull.
    fn numbered(
        self,
        vertices: Vec<Vec3>,
        numbering: Numbering<Vec<u32>, Rows, Rows>,
    ) -> Result<Self, Error> {
        let Numbering { sources, faces, neighbors } = numbering;
        let bad = |what: &str| {
            Err(Error::new(ErrorKind::BadParameter, format!("the numbering of a hull: {what}")))
        };
        if self.vertices.len() != vertices.len() {
            return bad("some of the vertices are no corners");
        }
        let mut sorted = sources.clone();
        sorted.sort_unstable();
        if sources.len() != vertices.len() || sorted.windows(2).any(|w| w[0] == w[1]) {
            return bad("not one source for each vertex");
        }
        // Vertex `v` of this hull is vertex `self.sources[v]` of the other numbering.
        let renamed =
            |row: &[u32]| -> Vec<u32> { row.iter().map(|v| self.sources[*v as usize]).collect() };
        let mut own: Vec<Vec<u32>> = self.faces().map(renamed).collect();
        let mut given: Vec<Vec<u32>> = rows(&faces).map(<[u32]>::to_vec).collect();
        for face in own.iter_mut().chain(&mut given) {
            start_at_least(face);
        }
        own.sort_unstable();
        given.sort_unstable();
        if own != given {
            return bad("other faces than those of the hull of its vertices");
        }
        if neighbors.starts.len() != vertices.len() + 1 {
            return bad("not one list of neighbours for each vertex");
        }
        let mut around: Vec<&[u32]> = rows(&neighbors).collect();
        for v in 0..vertices.len() {
            let mut own: Vec<u32> = renamed(self.neighbors(v as u32));
            let mut given = std::mem::take(&mut around[self.sources[v] as usize]).to_vec();
            start_at_least(&mut own);
            start_at_least(&mut given);
            if own != given {
                return bad("other neighbours than those of the hull of its vertices");
            }
        }
        let topology = Topology {
            face_starts: faces.starts,
            face_vertices: faces.values,
            neighbor_starts: neighbors.starts,
            neighbors: neighbors.values,
        };
        let mut hull = Self::of_parts(self.dimension, vertices, topology);
        hull.sources = sources;
        Ok(hull)
    }
}

fn rows(rows: &Rows) -> impl Iterator<Item = &[u32]> {
    rows.starts.windows(2).map(|ends| &rows.values[ends[0] as usize..ends[1] as usize])
}

/// Turns a cycle so that it starts with its least number.
fn start_at_least(cycle: &mut [u32]) {
    if let Some(first) = (0..cycle.len()).min_by_key(|i| cycle[*i]) {
        cycle.rotate_left(first);
    }
}
