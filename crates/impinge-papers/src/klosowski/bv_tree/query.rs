//! Two meshes with their trees, and the memory shared by queries.

use std::ops::ControlFlow;
use std::time::Instant;

use super::counters::{Costs, Counter, Recording};
use super::tumble::{ByMotion, Moved, Tumble};
use super::{BvTree, Node};
use crate::klosowski::volume::Volume;
use impinge::exact::triangles_intersect;
use impinge::math::{Pose, Vec3};
use impinge::mesh::Mesh;
use impinge::{Error, ErrorKind};

/// Two meshes with trees of the same kind. A, the environment, is at rest. B, the flying object,
/// has a pose in A's frame that is an argument of each query.
///
/// The memory for B's moved volumes is reused, so a `BvQuery` is best created once for a whole
/// flight. The methods in the order of Klosowski et al. 1998: [`traverse`](BvQuery::traverse),
/// [`near`](BvQuery::near), [`measure`](BvQuery::measure), [`within`](BvQuery::within) a budget,
/// and [`coherent`](BvQuery::coherent). Results do not depend on earlier queries.
#[derive(Clone, Debug)]
pub struct BvQuery<'a, V: Volume, T = ByMotion<V>> {
    pub(super) a: Side<'a, V>,
    pub(super) b: Side<'a, V>,
    tumble: T,
    moved: Moved<V>,
    pose: Pose,
    /// The margin by which B's volumes are enlarged.
    margin: f64,
    /// Pairs of nodes still to be compared. Empty between queries.
    pub(super) stack: Vec<(u32, u32)>,
}

/// The memory of a query that is over, for the next one: nothing has to be allocated then. Holds no
/// results.
#[derive(Clone, Debug)]
pub struct Scratch<V: Volume> {
    moved: Option<Moved<V>>,
    /// The tree of B.
    key: u64,
    stack: Vec<(u32, u32)>,
}

impl<V: Volume> Default for Scratch<V> {
    fn default() -> Self {
        Self { moved: None, key: 0, stack: Vec::new() }
    }
}

/// A mesh with its tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a, V> {
    pub(super) mesh: &'a Mesh,
    pub(super) tree: &'a BvTree<V>,
}

impl<V: Volume> Side<'_, V> {
    #[inline]
    pub(super) fn node(&self, node: u32) -> &Node {
        &self.tree.nodes[node as usize]
    }
}

impl<'a, V: Volume> BvQuery<'a, V> {
    /// A query of two meshes with their trees.
    ///
    /// # Errors
    /// [`BadParameter`](ErrorKind::BadParameter) if a tree is that of another mesh. Trees and
    /// meshes keep the [fingerprint](Mesh::fingerprint), so that the comparison takes constant time
    /// from the second query on.
    pub fn new(a: (&'a Mesh, &'a BvTree<V>), b: (&'a Mesh, &'a BvTree<V>)) -> Result<Self, Error> {
        Self::with_tumble(a, b, ByMotion::default())
    }

    /// As [`BvQuery::new`], in the memory of an earlier query.
    ///
    /// # Errors
    /// As [`BvQuery::new`].
    pub fn with_scratch(
        a: (&'a Mesh, &'a BvTree<V>),
        b: (&'a Mesh, &'a BvTree<V>),
        scratch: Scratch<V>,
    ) -> Result<Self, Error> {
        Self::assembled(a, b, ByMotion::default(), scratch)
    }
}

impl<'a, V: Volume, T: Tumble<V>> BvQuery<'a, V, T> {
    /// As [`BvQuery::new`], with B's volumes moved by `tumble`.
    ///
    /// # Errors
    /// As [`BvQuery::new`].
    pub fn with_tumble(
        a: (&'a Mesh, &'a BvTree<V>),
        b: (&'a Mesh, &'a BvTree<V>),
        tumble: T,
    ) -> Result<Self, Error> {
        Self::assembled(a, b, tumble, Scratch::default())
    }

    /// The memory, for the next query.
    #[must_use]
    pub fn into_scratch(self) -> Scratch<V> {
        Scratch { moved: Some(self.moved), key: self.b.tree.key, stack: self.stack }
    }

    fn assembled(
        a: (&'a Mesh, &'a BvTree<V>),
        b: (&'a Mesh, &'a BvTree<V>),
        tumble: T,
        scratch: Scratch<V>,
    ) -> Result<Self, Error> {
        for (name, (mesh, tree)) in [("A", a), ("B", b)] {
            if mesh.fingerprint() != tree.mesh {
                return Err(Error::new(
                    ErrorKind::BadParameter,
                    format!(
                        "the tree of {name} was built for the mesh {}, and mesh {name} is {}: \
                         build the tree of this mesh",
                        tree.mesh,
                        mesh.fingerprint()
                    ),
                ));
            }
        }
        let moved = match scratch.moved {
            None => Moved::new(b.1),
            Some(moved) if scratch.key == b.1.key => moved,
            Some(moved) => moved.reuse(b.1),
        };
        Ok(Self {
            a: Side { mesh: a.0, tree: a.1 },
            b: Side { mesh: b.0, tree: b.1 },
            tumble,
            moved,
            pose: Pose::IDENTITY,
            margin: 0.0,
            stack: scratch.stack,
        })
    }

    /// Starts a query. Returns false if a mesh has no triangles, so that there is nothing to do.
    pub(super) fn begin(&mut self, pose: &Pose, margin: f64) -> bool {
        self.pose = *pose;
        self.margin = margin;
        self.moved.begin();
        self.stack.clear();
        let some = !self.a.tree.nodes.is_empty() && !self.b.tree.nodes.is_empty();
        if some {
            self.tumble.begin(pose);
        }
        some
    }

    /// The volume of a node of A, and the moved volume of a node of B.
    #[inline]
    pub(super) fn volumes(&mut self, a: u32, b: u32, counter: &mut impl Counter) -> (&V, &V) {
        let (tumble, tree, margin) = (&mut self.tumble, self.b.tree, self.margin);
        let moved_volume = self.moved.get(b, || {
            counter.update(b);
            let volume = tumble.volume(tree, b);
            if margin > 0.0 { volume.enlarged(margin) } else { volume }
        });
        counter.volume_pair(a, b);
        (&self.a.tree.volumes[a as usize], moved_volume)
    }

    /// Whether the volumes of two nodes overlap.
    #[inline]
    pub(super) fn overlap(&mut self, a: u32, b: u32, counter: &mut impl Counter) -> bool {
        let (volume_a, volume_b) = self.volumes(a, b, counter);
        volume_a.overlaps(volume_b)
    }

    /// Calls `found` for every triangle of a leaf of A with every triangle of a leaf of B, both in
    /// A's frame.
    #[inline]
    pub(super) fn test_leaves(
        &self,
        a: u32,
        b: u32,
        counter: &mut impl Counter,
        mut found: impl FnMut(u32, &[Vec3; 3], u32, &[Vec3; 3]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for j in self.b.tree.triangles_of(b) {
            let corners_b = self.moved_triangle(*j);
            for i in self.a.tree.triangles_of(a) {
                counter.triangle_pair(*i, *j);
                found(*i, &self.a.mesh.triangle(*i as usize), *j, &corners_b)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The corners of a triangle of B in A's frame.
    #[inline]
    pub(super) fn moved_triangle(&self, triangle: u32) -> [Vec3; 3] {
        self.b.mesh.triangle(triangle as usize).map(|v| self.pose.transform_point(v))
    }

    /// Repeats the recorded operations `times` times and returns the mean cost of each kind of
    /// operation, in nanoseconds. The cost of a kind without recorded operations is zero.
    ///
    /// All operations of one kind are timed together, because a single one is shorter than the
    /// resolution of the clock. `pose` should be the pose of the recording.
    pub fn measure(&mut self, pose: &Pose, recording: &Recording, times: u32) -> Costs {
        if !self.begin(pose, 0.0) {
            return Costs { volume_pair: 0.0, triangle_pair: 0.0, update: 0.0 };
        }
        let time = |count: usize, mut work: Box<dyn FnMut() -> usize + '_>| {
            let start = Instant::now();
            let mut sum = 0;
            for _ in 0..times {
                sum += work();
            }
            std::hint::black_box(sum);
            let operations = count as f64 * f64::from(times);
            if operations > 0.0 { start.elapsed().as_nanos() as f64 / operations } else { 0.0 }
        };
        let nodes = (self.a.tree.nodes.len() as u32, self.b.tree.nodes.len() as u32);
        let exists = |b: &&u32| **b < nodes.1;
        let (tumble, tree, moved) = (&mut self.tumble, self.b.tree, &mut self.moved);
        let updates: Vec<u32> = recording.updates.iter().filter(exists).copied().collect();
        let update = time(
            updates.len(),
            Box::new(|| {
                moved.begin();
                for b in &updates {
                    std::hint::black_box(moved.get(*b, || tumble.volume(tree, *b)));
                }
                updates.len()
            }),
        );
        let pairs: Vec<(V, V)> = recording
            .volume_pairs
            .iter()
            .filter(|(a, b)| *a < nodes.0 && *b < nodes.1)
            .map(|(a, b)| {
                let moved_volume = *moved.get(*b, || tumble.volume(tree, *b));
                (self.a.tree.volumes[*a as usize], moved_volume)
            })
            .collect();
        let volume_pair =
            time(pairs.len(), Box::new(|| pairs.iter().filter(|(p, q)| p.overlaps(q)).count()));
        let counts = (self.a.mesh.triangles().len() as u32, self.b.mesh.triangles().len() as u32);
        let triangles: Vec<([Vec3; 3], [Vec3; 3])> = recording
            .triangle_pairs
            .iter()
            .filter(|(a, b)| *a < counts.0 && *b < counts.1)
            .map(|(a, b)| (self.a.mesh.triangle(*a as usize), self.moved_triangle(*b)))
            .collect();
        let triangle_pair = time(
            triangles.len(),
            Box::new(|| triangles.iter().filter(|(p, q)| triangles_intersect(p, q)).count()),
        );
        Costs { volume_pair, triangle_pair, update }
    }
}
