//! Moving the volumes of the flying object (Klosowski et al. 1998, section 4.1): when needed, and
//! once a query.

use super::BvTree;
use crate::klosowski::volume::Volume;
use impinge::math::Pose;

/// A way to put a volume around a node of the flying object where it is now.
///
/// May keep what it likes from query to query. A strategy that knows more than the volumes (the
/// hull of the root's triangles, the vertices of k-DOPs) is made for one tree and used with that
/// one.
pub trait Tumble<V: Volume> {
    /// A query begins, with the object at `pose`.
    fn begin(&mut self, pose: &Pose);

    /// A volume around all triangles of `node` at the pose of the last [`Tumble::begin`]: it must
    /// hold `pose.transform_point(v)` of each of their corners `v`.
    fn volume(&mut self, tree: &BvTree<V>, node: u32) -> V;
}

/// Moves each volume by [`Volume::moved`]: no look at what is inside it.
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

/// The volumes that were moved in this query. A time-stamp tells them from those of the last one,
/// so that nothing has to be cleared.
#[derive(Clone, Debug)]
pub(super) struct Moved<V> {
    volumes: Vec<V>,
    stamps: Vec<u32>,
    now: u32,
}

impl<V: Volume> Moved<V> {
    pub(super) fn new(tree: &BvTree<V>) -> Self {
        Self { volumes: tree.volumes().to_vec(), stamps: vec![0; tree.volumes().len()], now: 0 }
    }

    /// For another tree, in the same memory.
    pub(super) fn reuse(mut self, tree: &BvTree<V>) -> Self {
        self.volumes.clear();
        self.volumes.extend_from_slice(tree.volumes());
        self.stamps.clear();
        self.stamps.resize(tree.volumes().len(), 0);
        Self { now: 0, ..self }
    }

    /// Forgets all.
    pub(super) fn begin(&mut self) {
        if self.now == u32::MAX {
            self.stamps.fill(0);
            self.now = 0;
        }
        self.now += 1;
    }

    /// The volume of a node, from `make` if it is not known yet.
    #[inline]
    pub(super) fn get(&mut self, node: u32, make: impl FnOnce() -> V) -> &V {
        let i = node as usize;
        if self.stamps[i] != self.now {
            self.stamps[i] = self.now;
            self.volumes[i] = make();
        }
        &self.volumes[i]
    }
}
