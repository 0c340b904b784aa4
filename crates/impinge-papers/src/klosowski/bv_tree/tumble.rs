//! Lazy movement of the flying object's volumes (Klosowski et al. 1998, section 4.1): each is moved
//! when it is needed, at most once per query.

use super::BvTree;
use crate::klosowski::volume::Volume;
use impinge::internals::Stamps;
use impinge::math::Pose;

/// A method to compute a volume around a moved node of the flying object.
///
/// An implementation may keep state between queries. One that uses more than the volumes (the hull
/// of the root's triangles, the vertices of k-DOPs) is created for one tree and used with that tree
/// only.
pub trait Tumble<V: Volume> {
    /// Called at the start of a query, with the object at `pose`.
    fn begin(&mut self, pose: &Pose);

    /// A volume around all triangles of `node` at the pose of the last [`Tumble::begin`]. It must
    /// contain `pose.transform_point(v)` for each of their corners `v`.
    fn volume(&mut self, tree: &BvTree<V>, node: u32) -> V;
}

/// Moves each volume by [`Volume::moved`], without access to the triangles inside.
#[derive(Clone, Debug)]
pub struct ByMotion<V: Volume> {
    motion: V::Motion,
}

impl<V: Volume> Default for ByMotion<V> {
    fn default() -> Self {
        Self { motion: V::motion(&Pose::IDENTITY) }
    }
}

impl<V: Volume> Tumble<V> for ByMotion<V> {
    fn begin(&mut self, pose: &Pose) {
        self.motion = V::motion(pose);
    }

    #[inline]
    fn volume(&mut self, tree: &BvTree<V>, node: u32) -> V {
        tree.volumes()[node as usize].moved(&self.motion)
    }
}

/// The volumes that were moved in this query. A time-stamp distinguishes them from those of earlier
/// queries, so that nothing has to be cleared.
#[derive(Clone, Debug)]
pub(super) struct Moved<V> {
    volumes: Vec<V>,
    known: Stamps,
}

impl<V: Volume> Moved<V> {
    pub(super) fn new(tree: &BvTree<V>) -> Self {
        let mut known = Stamps::default();
        known.reserve(tree.volumes().len());
        Self { volumes: tree.volumes().to_vec(), known }
    }

    /// For another tree, in the same memory.
    pub(super) fn reuse(mut self, tree: &BvTree<V>) -> Self {
        self.volumes.clear();
        self.volumes.extend_from_slice(tree.volumes());
        self.known.reserve(tree.volumes().len());
        self.known.clear();
        self
    }

    /// Starts a query: all volumes count as not moved.
    pub(super) fn begin(&mut self) {
        self.known.clear();
    }

    /// The moved volume of a node. Calls `make` if it has not been moved in this query.
    #[inline]
    pub(super) fn get(&mut self, node: u32, make: impl FnOnce() -> V) -> &V {
        let i = node as usize;
        if self.known.mark(node) {
            self.volumes[i] = make();
        }
        &self.volumes[i]
    }
}
