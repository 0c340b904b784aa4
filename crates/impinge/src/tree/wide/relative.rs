//! The relative position of two trees: the pose of B in A's frame, converted to the trees' local
//! frames and to `f32`.

use crate::math::{Pose, Vec3};
use crate::wide::{Wide, Wide3};

use super::Tree;
use super::frame::Frame;
use super::leaf::Leaf;
use super::node::{LocalBox, Node};

/// The transformation from a source frame to a target frame, whose units may differ: a point `x` is
/// mapped to `matrix * x + translation`, the half sides `h` of a box to `abs_matrix * h`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Map {
    pub(super) matrix: [[f32; 3]; 3],
    pub(super) abs_matrix: [[f32; 3]; 3],
    pub(super) translation: [f32; 3],
    /// The rotation without the change of unit, for directions.
    pub(super) rotation: [[f32; 3]; 3],
    /// The unit of the source frame, measured in the unit of the target frame.
    pub(super) unit: f32,
    /// Boxes and discs are grown by this length in the target frame: an upper bound of the `f32`
    /// rounding errors.
    pub(super) margin: f32,
}

/// Upper bound of the underflow error where a vertex or an origin is transformed: each product is
/// off by half of the smallest number, each coordinate has three products, and there are three such
/// sums.
pub(super) const DENORMAL_ERROR: f64 = 32.0 * 5e-324;

/// Smallest size of a mesh in its local unit. Smaller meshes are so small that no power of two
/// brings them near one.
pub(super) const MIN_REACH: f64 = 0.25;

/// The unit roundoff of `f32`: half an ulp of one.
pub(super) const UNIT_ROUNDOFF_F32: f32 = f32::EPSILON / 2.0;

/// The position of a leaf of A in the frame of a leaf of B.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    /// Its origin.
    pub(super) offset: [f32; 3],
    /// Upper bound of the distance between two corners, and of a corner from the origin.
    pub(super) spread: f32,
}

/// Upper bound of the rounding error in `f64` of vertices that are transformed, and of the origins
/// of the trees, which matters far from the origin. In the unit of A.
pub(super) fn rounding_of_vertices(a: &Tree, b: &Tree, pose: &Pose) -> f64 {
    let largest = a.largest + b.largest + pose.translation().abs().max_element();
    largest * f64::EPSILON * 32.0 * Frame::rounding_factor(&a.frame, &b.frame) + DENORMAL_ERROR
}

/// The relative position of two trees.
#[derive(Clone, Debug)]
pub(crate) struct Relative {
    pub(super) to_a: Map,
    pub(super) to_b: Map,
    /// The rotation from B's axes to A's in `f64`.
    pub(super) rotation: glam::DMat3,
    /// The matrix from A's frame to B's, and the position of B's origin in A's frame, in `f64`.
    matrix_to_b: glam::DMat3,
    translation: Vec3,
    /// Upper bound of the distance between two points of the meshes, in A's local unit.
    pub(super) span: f64,
    /// Upper bound of the error of a vertex, in B's local unit, from being transformed and rounded
    /// in `f64`.
    pub(super) coarse: f32,
}

impl Relative {
    /// `None` if one of the meshes is a million times smaller than the other, or than the distance
    /// between them: then `f32` is not precise enough. Also if one is smaller than the `f64`
    /// rounding errors of its coordinates, or than the smallest normal number: then no boxes of the
    /// tree would be disjoint.
    #[inline(always)]
    pub(super) fn new(a: &Tree, b: &Tree, pose: &Pose) -> Option<Self> {
        // Everything is in A's local unit. The ratio of the units is a power of two.
        let (frame_a, frame_b) = (&a.frame, &b.frame);
        let (unit, unit_b) = (frame_b.scale * frame_a.unit, frame_a.scale * frame_b.unit);
        let (rotation, origin) = Frame::relative(frame_a, frame_b, pose);
        let translation = origin * frame_a.scale;
        let reach_b = b.reach * unit_b;
        let scale = a.reach + reach_b + translation.length();
        let rounding = rounding_of_vertices(a, b, pose);
        // The products of three sizes, and of their rounding errors, must be representable.
        let least = a.reach.min(reach_b);
        if !(scale.is_finite()
            && least > 1e-6 * scale
            && least >= rounding * frame_a.scale
            && a.reach.min(b.reach) >= MIN_REACH)
        {
            return None;
        }
        let margin = scale * f64::from(f32::EPSILON) * 64.0 + rounding * frame_a.scale;
        let map = |m: glam::DMat3, unit: f64, t: Vec3, margin: f64| {
            let unit = unit as f32;
            // Written out row by row, so that nothing is stored to memory before everything is
            // computed. The unit is a power of two: products with it are exact.
            let row = |x: f64, y: f64, z: f64| {
                let rotation = [x as f32, y as f32, z as f32];
                let matrix = [rotation[0] * unit, rotation[1] * unit, rotation[2] * unit];
                (rotation, matrix, [matrix[0].abs(), matrix[1].abs(), matrix[2].abs()])
            };
            let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
            let rows = (row(x.x, y.x, z.x), row(x.y, y.y, z.y), row(x.z, y.z, z.z));
            Map {
                matrix: [rows.0.1, rows.1.1, rows.2.1],
                abs_matrix: [rows.0.2, rows.1.2, rows.2.2],
                translation: [t.x as f32, t.y as f32, t.z as f32],
                rotation: [rows.0.0, rows.1.0, rows.2.0],
                unit,
                margin: margin as f32,
            }
        };
        // Not the transpose: a pose may deviate from a rotation by its tolerance, which is more
        // than the frames of leaves tolerate.
        let inverse = rotation.inverse();
        Some(Self {
            to_a: map(rotation, unit_b, translation, margin),
            to_b: map(inverse, unit, -(inverse * translation) * unit, margin * unit),
            coarse: (rounding * frame_b.scale) as f32 * 1.000_001,
            matrix_to_b: inverse * unit,
            span: scale,
            rotation,
            translation,
        })
    }

    /// Grows every box and disc by `more`, in A's local unit: what is then found disjoint is at
    /// least that far apart.
    pub(super) fn widen(&mut self, more: f64) {
        // Rounded up: the margin may be off by half an ulp of itself.
        let grown = |margin: f32, more: f64| ((f64::from(margin) + more) * (1.0 + 1e-6)) as f32;
        self.to_a.margin = grown(self.to_a.margin, more);
        self.to_b.margin = grown(self.to_b.margin, more * f64::from(self.to_b.unit));
    }

    /// The position of a leaf of A in the frame of a leaf of B.
    #[inline(always)]
    pub(super) fn placement(&self, a: &Leaf, b: &Leaf) -> Placement {
        let wide = |v: &[f32; 3]| Vec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]));
        // In f64, so that the coordinates about both leaves stay small.
        let local = self.matrix_to_b * (wide(&a.origin) - self.translation) - wide(&b.origin);
        let offset = [local.x as f32, local.y as f32, local.z as f32];
        let distance =
            (offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]).sqrt();
        Placement { offset, spread: (distance + a.reach * self.to_b.unit + b.reach) * 1.000_01 }
    }
}

impl Node {
    /// A mask of the boxes that may overlap a single box of the other tree: the three axes of each
    /// frame are tested. `to_node` maps from the frame of the single box to that of the node,
    /// `to_box` back.
    #[inline(always)]
    pub(super) fn meets_box<W: Wide>(&self, single: &LocalBox, to_node: &Map, to_box: &Map) -> W {
        let center = to_node.point(&single.center);
        let extent = to_node.extent(&single.half);
        let (node_center, node_half) =
            (Wide3::<W>::load(&self.center), Wide3::<W>::load(&self.half));
        let delta = node_center.sub(Wide3::splat(center));
        let reach = node_half.add(Wide3::splat(extent));
        let delta_there = delta.mapped(&to_box.matrix, Wide3::splat([0.0; 3])).abs();
        let (h, m) = (&single.half, to_box.margin);
        let reach_there =
            node_half.mapped(&to_box.abs_matrix, Wide3::splat([h[0] + m, h[1] + m, h[2] + m]));
        delta.abs().all_le(reach).and(delta_there.all_le(reach_there))
    }
}

impl Map {
    #[inline(always)]
    pub(super) fn point(&self, v: &[f32; 3]) -> [f32; 3] {
        let [x, y, z] = product(&self.matrix, v);
        [x + self.translation[0], y + self.translation[1], z + self.translation[2]]
    }

    #[inline(always)]
    pub(super) fn extent(&self, h: &[f32; 3]) -> [f32; 3] {
        let [x, y, z] = product(&self.abs_matrix, h);
        [x + self.margin, y + self.margin, z + self.margin]
    }
}

#[inline(always)]
pub(super) fn product(m: &[[f32; 3]; 3], v: &[f32; 3]) -> [f32; 3] {
    [row(&m[0], v), row(&m[1], v), row(&m[2], v)]
}

#[inline(always)]
fn row(m: &[f32; 3], v: &[f32; 3]) -> f32 {
    m[0] * v[0] + m[1] * v[1] + m[2] * v[2]
}
