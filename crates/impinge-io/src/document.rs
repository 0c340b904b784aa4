//! What a file becomes: meshes as plain arrays, instances of them, and pairs to ignore.

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
    /// Pairs of instances the author of a scene file does not want checked.
    pub ignore: Vec<IgnoreRule>,
    /// What moves as one, and how; empty for formats that say nothing about it.
    pub bodies: Vec<Body>,
    /// What was read, ignored and skipped, file by file.
    pub report: LoadReport,
}

/// Polygons over numbered vertices, as the file has them: not welded, not triangulated, not
/// cleaned.
///
/// All coordinates are finite and all indices are below `positions.len()`. Nothing else is
/// promised: corners may repeat, faces may be degenerate, vertices may be unused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawMesh {
    /// The name in the file, if it has one.
    pub name: Option<String>,
    /// Vertex positions in the frame of the part, in the unit of the file.
    pub positions: Vec<[f64; 3]>,
    /// The polygons.
    pub faces: Faces,
}

/// One part of the scene: a mesh at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// A name for people. Unique in scene files; other formats may repeat one.
    pub name: String,
    /// Index into [`Document::meshes`].
    pub mesh: usize,
    /// Row-major 3x4 affine map from the frame of the part, scaled by `scale`, to the frame of the
    /// scene. It may scale, shear or mirror, too; all entries are finite.
    pub matrix: [[f64; 4]; 3],
    /// The uniform scale of the part: a point `v` of the mesh lies at `matrix` times `scale * v`.
    ///
    /// It is the product of the uniform scales that the file gives to the part and to the frames
    /// around it, apart from their rotations: the same number for all parts under one scaled frame.
    /// Finite; positive, unless the product underflows to zero; 1 where the file scales nothing.
    /// A matrix in a file is taken apart only if it maps axes to axes, which rounds nothing.
    pub scale: f64,
}

/// A `[[part]]` of a scene file: the instances that move as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name in the scene file.
    pub name: String,
    /// Its instances, by their places in [`Document::instances`].
    pub instances: std::ops::Range<usize>,
    /// The body, before it in the list, with which it moves.
    pub parent: Option<usize>,
    /// Its pose as written, without its scale, in the frame of its parent or of the scene. Finite,
    /// but not necessarily rigid.
    pub matrix: [[f64; 4]; 3],
    /// How it moves, where the file says so.
    pub motion: Option<Motion>,
}

/// How a body moves, in the frame of its parent or of the scene. Numbers are finite and in the unit
/// of the file; times are in seconds.
///
/// What is `None` was left out, and is for the one who moves the body to choose.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Motion {
    /// Not at all.
    Still,
    /// Straight on, reflected by the walls of a cage, turning about its middle.
    Billiard {
        /// Units a second; not given together with `speed`.
        velocity: Option<[f64; 3]>,
        /// Units a second, in a random direction. Not negative.
        speed: Option<f64>,
        /// What it turns about; not zero.
        axis: Option<[f64; 3]>,
        /// Degrees a second.
        spin_deg: Option<f64>,
        /// Smallest and largest corner, the first smaller in every coordinate.
        cage: Option<[[f64; 3]; 2]>,
        /// Whether it turns back where it meets another body.
        bounce: bool,
        /// Where random choices start.
        seed: Option<u64>,
    },
    /// Random steps and turns.
    Brownian {
        /// The most that a frame moves it along each axis. Not negative.
        step: Option<f64>,
        /// The most that a frame turns it. Not negative.
        turn_deg: Option<f64>,
        /// What it does not leave, if anything.
        cage: Option<[[f64; 3]; 2]>,
        /// Where random choices start.
        seed: Option<u64>,
    },
    /// Down, until a floor throws it back.
    Falling {
        /// Units a second, every second; not zero.
        gravity: Option<[f64; 3]>,
        /// The height of the floor, measured against gravity.
        floor: Option<f64>,
        /// How much of its speed is left after the floor, 0 to 1.
        restitution: Option<f64>,
        /// Units a second, at first.
        velocity: Option<[f64; 3]>,
        /// What it turns about; not zero.
        axis: Option<[f64; 3]>,
        /// Degrees a second.
        spin_deg: Option<f64>,
        /// Where random choices start.
        seed: Option<u64>,
    },
    /// From pose to pose.
    Keyframes {
        /// One at least, their times ascending.
        keyframes: Vec<Keyframe>,
        /// What comes after the last.
        repeat: Repeat,
    },
}

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// In seconds.
    pub time: f64,
    /// The pose, finite, but not necessarily rigid.
    pub matrix: [[f64; 4]; 3],
}

/// What comes after the last keyframe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// The body stays where it is.
    #[default]
    Once,
    /// The first again.
    Loop,
    /// All of them backwards, and so on.
    BackAndForth,
}

/// Polygons of three or more corners each, stored as one array of corners and the place where each
/// polygon begins.
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

    /// Triangles over vertices numbered 0, 1, 2, ...; `corners` beyond a multiple of three are left
    /// out.
    pub(crate) fn soup(corners: u32) -> Self {
        let n = corners / 3;
        Self { offsets: (0..=n as usize).map(|i| 3 * i).collect(), indices: (0..3 * n).collect() }
    }

    /// Room for `faces` more polygons of `corners` corners together.
    pub(crate) fn reserve(&mut self, faces: usize, corners: usize) {
        self.offsets.reserve(faces);
        self.indices.reserve(corners);
    }

    /// Adds a polygon. Returns `false`, and adds nothing, when it has fewer than three corners.
    pub fn push(&mut self, corners: &[u32]) -> bool {
        if corners.len() < 3 {
            return false;
        }
        self.indices.extend_from_slice(corners);
        self.offsets.push(self.indices.len());
        true
    }

    /// Adds the triangles of a strip and returns how many were left out because a corner repeats.
    pub(crate) fn push_strip(&mut self, strip: &[u32]) -> u64 {
        let mut joints = 0;
        for (i, w) in strip.windows(3).enumerate() {
            if w[0] == w[1] || w[1] == w[2] || w[2] == w[0] {
                joints += 1;
            } else if i % 2 == 0 {
                self.push(&[w[0], w[1], w[2]]);
            } else {
                self.push(&[w[1], w[0], w[2]]);
            }
        }
        joints
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

    /// The corners of polygon `face`, or `None` beyond the last.
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

    /// Where each polygon begins in [`Faces::indices`], and the end: one more entry than there are
    /// polygons.
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

    /// How many triangles a fan or ear cutting makes of these polygons: the sum of corners less
    /// two.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.indices.len() - 2 * self.len()
    }
}

/// Pairs of instances not to be checked, in the compact form of the rule they came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IgnoreRule {
    /// Every instance of the first list against every one of the second (not against itself).
    Between(Vec<usize>, Vec<usize>),
    /// Every two instances of the list.
    Among(Vec<usize>),
}

impl IgnoreRule {
    /// Whether the rule covers the pair, in either order.
    #[must_use]
    pub fn covers(&self, i: usize, j: usize) -> bool {
        // The lists are ascending.
        let has = |list: &[usize], k: usize| list.binary_search(&k).is_ok();
        i != j
            && match self {
                Self::Between(a, b) => (has(a, i) && has(b, j)) || (has(a, j) && has(b, i)),
                Self::Among(list) => has(list, i) && has(list, j),
            }
    }

    /// Whether the rule covers no pair at all.
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
    /// The list is as long as the rules say: a group of n parts gives n(n - 1)/2 pairs.
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

    /// Whether some rule ignores the pair, in either order.
    #[must_use]
    pub fn is_ignored(&self, i: usize, j: usize) -> bool {
        self.ignore.iter().any(|rule| rule.covers(i, j))
    }

    /// A document whose meshes stand in the scene as they are, with its one-file report.
    pub(crate) fn of_meshes(
        meshes: Vec<RawMesh>,
        stem: &str,
        mut file: crate::report::FileReport,
    ) -> Self {
        let several = meshes.len() > 1;
        let name = |i: usize, mesh: &RawMesh| match &mesh.name {
            Some(name) => name.clone(),
            None if several => format!("{stem}.{i}"),
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

/// The largest index a file's faces name and the place of the face that names it, checked once all
/// vertices are known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LargestIndex(Option<(u32, Location)>);

impl LargestIndex {
    #[inline]
    pub(crate) fn see(&mut self, index: u32, location: Location) {
        match self.0 {
            Some((largest, _)) if index <= largest => {}
            _ => self.0 = Some((index, location)),
        }
    }

    /// The offender if some index is not below `count`.
    pub(crate) fn beyond(self, count: usize) -> Option<(u32, Location)> {
        self.0.filter(|&(index, _)| index as usize >= count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_keep_their_shape() {
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
    fn rules_become_pairs() {
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
