//! The leaf: up to eight triangles side by side, in coordinates of their own.

use crate::wide::Lanes3;

use super::node::LocalBox;
use super::sheet::Sheet;

/// Up to eight triangles, their corners relative to the leaf's origin, rounded to `f32`.
///
/// Good for saying "certainly apart" and "certainly crossing"; whatever is left is decided from the mesh's own `f64` vertices. Unused lanes repeat the last triangle;
/// `count` says how many are real.
#[derive(Clone, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Leaf {
    pub(super) corners: [Lanes3; 3],
    /// The origin, in the tree's local frame: the middle of the triangles' box, rounded.
    pub(super) origin: [f32; 3],
    /// Half the sides of the box about the origin that holds the corners as stored.
    pub(super) half: [f32; 3],
    /// No corner is further from the origin than this.
    pub(super) reach: f32,
    /// No side of a triangle is longer than this.
    pub(super) longest: f32,
    /// The triangles' numbers in the mesh.
    pub(super) triangles: [u32; 8],
    pub(super) count: u32,
    /// The sheet of the triangles, about the origin.
    pub(super) sheet: Sheet,
}

impl Leaf {
    /// A leaf of the triangles given by number and corners (in the tree's local frame).
    pub(super) fn new(triangles: &[(u32, [[f64; 3]; 3])]) -> Self {
        debug_assert!(
            !triangles.is_empty() && triangles.len() <= 8,
            "a leaf has one to eight triangles"
        );
        let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for corner in triangles.iter().flat_map(|t| t.1) {
            for k in 0..3 {
                min[k] = min[k].min(corner[k]);
                max[k] = max[k].max(corner[k]);
            }
        }
        let origin = [0, 1, 2].map(|k| ((min[k] + max[k]) * 0.5) as f32);
        let mut leaf = Self {
            corners: [Lanes3::splat(0.0); 3],
            origin,
            half: [0.0; 3],
            reach: 0.0,
            longest: 0.0,
            triangles: [0; 8],
            count: triangles.len() as u32,
            sheet: Sheet::ball(0.0),
        };
        let mut area = glam::Vec3::ZERO;
        for lane in 0..8 {
            let (number, corners) = triangles[lane.min(triangles.len() - 1)];
            leaf.triangles[lane] = number;
            let local = corners.map(|c| [0, 1, 2].map(|k| (c[k] - f64::from(origin[k])) as f32));
            for (stored, local) in leaf.corners.iter_mut().zip(local) {
                stored.set(lane, local);
                for k in 0..3 {
                    leaf.half[k] = leaf.half[k].max(local[k].abs());
                }
            }
            let [p, q, r] = local.map(glam::Vec3::from_array);
            if lane < triangles.len() {
                area += (q - p).cross(r - p);
            }
            let [p, q, r] = corners.map(glam::DVec3::from);
            let longest = (p - q).length().max((q - r).length()).max((r - p).length());
            // The factor covers the rounding of these few operations, and of the corners.
            leaf.longest = leaf.longest.max(longest as f32 * 1.000_001);
        }
        leaf.reach = leaf.half.iter().map(|h| h * h).sum::<f32>().sqrt() * 1.000_001;
        leaf.sheet = Sheet::along(area, origin, leaf.reach, std::slice::from_ref(&leaf));
        leaf
    }

    /// The box of the corners as stored.
    #[inline(always)]
    pub(super) fn bounds(&self) -> LocalBox {
        LocalBox { center: self.origin, half: self.half }
    }
}
