//! The content of a file: meshes as plain arrays, instances of them, and pairs to ignore.

use crate::error::Location;
use crate::report::LoadReport;

/// The identity as a row-major 3x4 affine matrix.
pub const IDENTITY: [[f64; 4]; 3] =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// Everything read from a file.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The meshes, each in its own frame. Several instances may share one.
    pub meshes: Vec<RawMesh>,
    /// The parts of the scene, in file order.
    pub instances: Vec<Instance>,
    /// Pairs of instances that are not to be checked, from a scene file.
    pub ignore: Vec<IgnoreRule>,
    /// Groups of instances that move together, and their motions; empty except for scene files.
    pub bodies: Vec<Body>,
    /// The report of each file.
    pub report: LoadReport,
}

/// Polygons over numbered vertices as in the file: not welded, not triangulated, not repaired.
///
/// All coordinates are finite and all indices are below `positions.len()`. There are no other
/// guarantees: corners may repeat, faces may be degenerate, vertices may be unused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawMesh {
    /// The name in the file, if it has one.
    pub name: Option<String>,
    /// Vertex positions in the frame of the part, in the unit of the file.
    pub positions: Vec<[f64; 3]>,
    /// The polygons.
    pub faces: Faces,
}

/// One part of the scene: a mesh with a position and orientation.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// A name for people. Unique in scene files; other formats may repeat one.
    pub name: String,
    /// Index into [`Document::meshes`].
    pub mesh: usize,
    /// Row-major 3x4 affine map from the frame of the part, scaled by `scale`, to the frame of the
    /// scene. It may also contain a scale, shear or reflection. All entries are finite.
    pub matrix: [[f64; 4]; 3],
    /// The uniform scale of the part: a point `v` of the mesh lies at `matrix` times `scale * v`.
    ///
    /// It is the product of the uniform scales of the part and of the frames that contain it. It
    /// is stored apart from the rotations, so all parts in one scaled frame have the same factor.
    /// It is finite; positive, unless the product underflows to zero; 1 if nothing is scaled. The
    /// scale of a matrix is separated only if the matrix maps axes to axes, because no rounding
    /// occurs then.
    pub scale: f64,
}

/// A `[[part]]` of a scene file: instances that move together.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The name in the scene file.
    pub name: String,
    /// Its instances, as indices into [`Document::instances`].
    pub instances: std::ops::Range<usize>,
    /// The index of the body it is attached to; smaller than its own index.
    pub parent: Option<usize>,
    /// The pose in the file, without the scale, in the frame of the parent or of the scene. Finite,
    /// but not necessarily rigid.
    pub matrix: [[f64; 4]; 3],
    /// The motion, if the file defines one.
    pub motion: Option<Motion>,
}

/// The motion of a body, in the frame of its parent or of the scene. Numbers are finite and in the
/// unit of the file; times are in seconds.
///
/// A field is `None` if the file omits it; the simulation chooses its default value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Motion {
    /// No motion.
    Still,
    /// Constant velocity, reflected by the walls of a box, with a constant rotation about its
    /// centre.
    Billiard {
        /// The initial velocity in units per second; not given together with `speed`.
        velocity: Option<[f64; 3]>,
        /// The initial speed in units per second, in a random direction. Not negative.
        speed: Option<f64>,
        /// The rotation axis; not zero.
        axis: Option<[f64; 3]>,
        /// The rotation in degrees per second.
        spin_deg: Option<f64>,
        /// The corners of the box: the minimum, smaller in every coordinate, and the maximum.
        cage: Option<[[f64; 3]; 2]>,
        /// Whether the body turns back when it collides with another body.
        bounce: bool,
        /// The seed of the random numbers.
        seed: Option<u64>,
    },
    /// Random steps and rotations.
    Brownian {
        /// The maximum step per frame along each axis. Not negative.
        step: Option<f64>,
        /// The maximum rotation per frame in degrees. Not negative.
        turn_deg: Option<f64>,
        /// The corners of a box that the body does not leave.
        cage: Option<[[f64; 3]; 2]>,
        /// The seed of the random numbers.
        seed: Option<u64>,
    },
    /// Free fall, with reflection at a floor.
    Falling {
        /// The acceleration in units per second squared; not zero.
        gravity: Option<[f64; 3]>,
        /// The height of the floor along the direction opposite to gravity.
        floor: Option<f64>,
        /// The fraction of the speed that remains after an impact, 0 to 1.
        restitution: Option<f64>,
        /// The initial velocity in units per second.
        velocity: Option<[f64; 3]>,
        /// The rotation axis; not zero.
        axis: Option<[f64; 3]>,
        /// The rotation in degrees per second.
        spin_deg: Option<f64>,
        /// The seed of the random numbers.
        seed: Option<u64>,
    },
    /// Interpolation between poses.
    Keyframes {
        /// At least one, with ascending times.
        keyframes: Vec<Keyframe>,
        /// The motion after the last keyframe.
        repeat: Repeat,
    },
}

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// The time in seconds.
    pub time: f64,
    /// The pose; finite, but not necessarily rigid.
    pub matrix: [[f64; 4]; 3],
}

/// The motion after the last keyframe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// The body stays at the last pose.
    #[default]
    Once,
    /// The sequence starts again with the first keyframe.
    Loop,
    /// The sequence runs backwards, then forwards, and so on.
    BackAndForth,
}

/// Polygons of three or more corners each, stored as one array of corners and the offset of each
/// polygon in it.
///
/// ```
/// let mut faces = impinge_io::Faces::new();
/// faces.push(&[0, 1, 2]);
/// faces.push(&[2, 1, 3, 4]);
/// assert_eq!(faces.len(), 2);
/// assert_eq!(faces.get(1), Some(&[2, 1, 3, 4][..]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faces {
    offsets: Vec<usize>,
    indices: Vec<u32>,
}

impl Default for Faces {
    fn default() -> Self {
        Self::new()
    }
}

impl Faces {
    /// No polygons.
    #[must_use]
    pub fn new() -> Self {
        Self { offsets: vec![0], indices: Vec::new() }
    }

    /// Triangles from an array of corner triples.
    #[must_use]
    pub fn from_triangles(triangles: &[[u32; 3]]) -> Self {
        Self {
            offsets: (0..=triangles.len()).map(|i| 3 * i).collect(),
            indices: triangles.iter().flatten().copied().collect(),
        }
    }

    /// Triangles over the vertices 0, 1, 2, ...; `corners` is rounded down to a multiple of three.
    pub(crate) fn soup(corners: u32) -> Self {
        let n = corners / 3;
        Self { offsets: (0..=n as usize).map(|i| 3 * i).collect(), indices: (0..3 * n).collect() }
    }

    /// Reserves memory for `faces` more polygons with `corners` corners in total.
    pub(crate) fn reserve(&mut self, faces: usize, corners: usize) {
        self.offsets.reserve(faces);
        self.indices.reserve(corners);
    }

    /// Adds a polygon. If it has fewer than three corners, it is not added and the result is
    /// `false`.
    pub fn push(&mut self, corners: &[u32]) -> bool {
        if corners.len() < 3 {
            return false;
        }
        self.indices.extend_from_slice(corners);
        self.offsets.push(self.indices.len());
        true
    }

    /// Adds the triangles of a strip, all with the same winding. Returns the number of triangles
    /// that are omitted because a corner repeats.
    pub(crate) fn push_strip(&mut self, strip: &[u32]) -> u64 {
        let mut repeated = 0;
        for (i, w) in strip.windows(3).enumerate() {
            if w[0] == w[1] || w[1] == w[2] || w[2] == w[0] {
                repeated += 1;
            } else if i % 2 == 0 {
                self.push(&[w[0], w[1], w[2]]);
            } else {
                self.push(&[w[1], w[0], w[2]]);
            }
        }
        repeated
    }

    /// The number of polygons.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The corners of polygon `face`, or `None` if it does not exist.
    #[must_use]
    pub fn get(&self, face: usize) -> Option<&[u32]> {
        let end = *self.offsets.get(face.checked_add(1)?)?;
        self.indices.get(self.offsets[face]..end)
    }

    /// The polygons in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        self.offsets.windows(2).map(|w| &self.indices[w[0]..w[1]])
    }

    /// The start of each polygon in [`Faces::indices`], followed by the end: one entry more than
    /// there are polygons.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The corners of all polygons, one after the other.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Whether every polygon is a triangle.
    #[must_use]
    pub fn all_triangles(&self) -> bool {
        self.indices.len() == 3 * self.len() && self.offsets.windows(2).all(|w| w[1] - w[0] == 3)
    }

    /// The number of triangles after triangulation: the sum over all polygons of the number of
    /// corners minus two.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.indices.len() - 2 * self.len()
    }
}

/// Pairs of instances that are not to be checked, as lists.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IgnoreRule {
    /// Every instance of the first list with every other instance of the second. Both ascending.
    Between(Vec<usize>, Vec<usize>),
    /// Every two instances of the list. Ascending.
    Among(Vec<usize>),
}

impl IgnoreRule {
    /// Whether the rule covers the pair, in either order.
    #[must_use]
    pub fn covers(&self, i: usize, j: usize) -> bool {
        let has = |list: &[usize], k: usize| list.binary_search(&k).is_ok();
        i != j
            && match self {
                Self::Between(a, b) => (has(a, i) && has(b, j)) || (has(a, j) && has(b, i)),
                Self::Among(list) => has(list, i) && has(list, j),
            }
    }

    /// Whether the rule covers no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Between(a, b) => {
                a.is_empty() || b.is_empty() || (a.len() == 1 && b.len() == 1 && a[0] == b[0])
            }
            Self::Among(list) => list.len() < 2,
        }
    }
}

impl Document {
    /// All ignored pairs `[i, j]` with `i < j`, ascending, each once.
    ///
    /// The list can be long: a group of n parts has n(n - 1)/2 pairs.
    #[must_use]
    pub fn ignored_pairs(&self) -> Vec<[usize; 2]> {
        let mut pairs = Vec::new();
        for rule in &self.ignore {
            match rule {
                IgnoreRule::Between(a, b) => {
                    for &i in a {
                        pairs.extend(b.iter().filter(|&&j| i != j).map(|&j| [i.min(j), i.max(j)]));
                    }
                }
                IgnoreRule::Among(list) => {
                    for (k, &i) in list.iter().enumerate() {
                        pairs.extend(list[k + 1..].iter().map(|&j| [i, j]));
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Whether any rule covers the pair, in either order.
    #[must_use]
    pub fn is_ignored(&self, i: usize, j: usize) -> bool {
        self.ignore.iter().any(|rule| rule.covers(i, j))
    }

    /// A document of one file with one instance per mesh, all with the identity as their matrix.
    pub(crate) fn of_meshes(
        meshes: Vec<RawMesh>,
        stem: &str,
        mut file: crate::report::FileReport,
    ) -> Self {
        let multiple = meshes.len() > 1;
        let name = |i: usize, mesh: &RawMesh| match &mesh.name {
            Some(name) => name.clone(),
            None if multiple => format!("{stem}.{i}"),
            None => stem.to_string(),
        };
        let instances: Vec<Instance> = meshes
            .iter()
            .enumerate()
            .map(|(i, mesh)| Instance {
                name: name(i, mesh),
                mesh: i,
                matrix: IDENTITY,
                scale: 1.0,
            })
            .collect();
        file.parts = instances.len();
        file.vertices = meshes.iter().map(|m| m.positions.len()).sum();
        file.faces = meshes.iter().map(|m| m.faces.len()).sum();
        Self {
            meshes,
            instances,
            ignore: Vec::new(),
            bodies: Vec::new(),
            report: LoadReport { files: vec![file] },
        }
    }
}

/// The largest vertex index in the faces of a file, with the location of the face. It is compared
/// with the number of vertices at the end of the file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LargestIndex(Option<(u32, Location)>);

impl LargestIndex {
    #[inline]
    pub(crate) fn update(&mut self, index: u32, location: Location) {
        match self.0 {
            Some((largest, _)) if index <= largest => {}
            _ => self.0 = Some((index, location)),
        }
    }

    /// The largest index and its location if it is not below `count`.
    pub(crate) fn out_of_bounds(self, count: usize) -> Option<(u32, Location)> {
        self.0.filter(|&(index, _)| index as usize >= count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_stored_as_offsets_and_indices() {
        let mut faces = Faces::from_triangles(&[[0, 1, 2], [2, 1, 3]]);
        assert!(faces.all_triangles());
        assert!(!faces.push(&[0, 1]));
        assert!(faces.push(&[0, 1, 2, 3]));
        assert!(!faces.all_triangles());
        assert_eq!((faces.len(), faces.triangle_count()), (3, 4));
        assert_eq!(faces.iter().map(<[u32]>::len).collect::<Vec<_>>(), [3, 3, 4]);
        assert_eq!(faces.get(3), None);
        assert_eq!(faces.get(usize::MAX), None);
        assert_eq!(Faces::soup(7).indices(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(Faces::soup(7).len(), 2);
    }

    #[test]
    fn ignored_pairs_agree_with_the_rules() {
        let document = Document {
            ignore: vec![
                IgnoreRule::Between(vec![2], vec![0, 1, 2]),
                IgnoreRule::Among(vec![0, 1, 3]),
            ],
            ..Document::default()
        };
        assert_eq!(document.ignored_pairs(), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3]]);
        for i in 0..5 {
            for j in 0..5 {
                let listed = document.ignored_pairs().contains(&[i.min(j), i.max(j)]);
                assert_eq!(document.is_ignored(i, j), listed, "{i} {j}");
            }
        }
    }
}
