//! The engine's oriented boxes as a kind of bounding volume.

use impinge::math::{OrientedBox, OrientedMotion, Pose, Vec3};

use super::Volume;

impl Volume for OrientedBox {
    const NAME: &'static str = "OBB";
    const MERGES_TIGHTLY: bool = false;
    type Motion = OrientedMotion;

    fn around(points: &[Vec3]) -> Self {
        Self::around(points)
    }

    fn around_triangles(triangles: &[[Vec3; 3]]) -> Self {
        Self::around_triangles(triangles)
    }

    fn merged(&self, other: &Self) -> Self {
        self.merged(other)
    }

    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        self.overlaps(other)
    }

    fn contains(&self, point: Vec3) -> bool {
        self.contains(point)
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn motion(pose: &Pose) -> OrientedMotion {
        Self::motion(pose)
    }

    #[inline]
    fn moved(&self, motion: &OrientedMotion) -> Self {
        self.moved(motion)
    }

    fn enlarged(&self, by: f64) -> Self {
        self.enlarged(by)
    }

    fn volume(&self) -> f64 {
        self.volume()
    }

    fn surface(&self) -> f64 {
        self.surface()
    }

    #[inline]
    fn size(&self) -> f64 {
        self.size()
    }

    fn gap(&self, other: &Self) -> f64 {
        self.gap(other)
    }

    fn overlap_depth(&self, other: &Self) -> f64 {
        self.overlap_depth(other)
    }
}
