//! How two trees stand to each other: the pose of B in A's frame, in the trees' local frames and in `f32`.

use crate::math::{Pose, Vec3};

use super::Tree;
use super::lanes::{Wide, Wide3};
use super::node::{LocalBox, Node};

/// One direction of the map, between frames whose units may differ: points `n` of the node's frame lie at `rotation * n + translation` in the frame of the single box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Map {
    pub(super) rotation: [[f32; 3]; 3],
    pub(super) back: [[f32; 3]; 3],
    pub(super) size: [[f32; 3]; 3],
    pub(super) size_back: [[f32; 3]; 3],
    pub(super) translation: [f32; 3],
    /// Boxes are grown by this, in the frame of the single box and in the node's: more than rounding in `f32` can move anything.
    pub(super) margin: f32,
    pub(super) margin_back: f32,
    /// The single box's unit in the node's.
    pub(super) to_node: f32,
}

/// The relative position of two trees. Local points `b` of B lie at `rotation * b + translation` in A's local frame.
#[derive(Clone, Debug)]
pub(super) struct Relative {
    /// For a single box of A against nodes of B.
    pub(super) from_b: Map,
    /// For a single box of B against nodes of A.
    pub(super) from_a: Map,
    /// From A's frame to B's, without the translation.
    pub(super) to_b: [[f32; 3]; 3],
    /// The same with its full digits, and where B's origin lies in A's frame.
    pub(super) back: glam::DMat3,
    pub(super) translation: Vec3,
    /// A's local unit in B's.
    pub(super) unit: f32,
    /// The square of B's local unit in A's.
    pub(super) square_to_a: f32,
    /// No two points of the meshes are further apart than this, in A's local unit.
    pub(super) span: f64,
    /// How far a vertex may be off in B's local unit because it was moved and rounded in `f64`.
    pub(super) coarse: f32,
}

impl Relative {
    /// `None` if one of the meshes is a million times smaller than the other, or than the distance between them: too much for `f32`.
    pub(super) fn new(a: &Tree, b: &Tree, pose: &Pose) -> Option<Self> {
        // Everything in A's local unit. A's unit in B's is a power of two.
        let unit = b.scale / a.scale;
        let rotation = pose.rotation();
        let translation = ((rotation * b.origin + pose.translation()) - a.origin) * a.scale;
        let reach_b = b.reach / unit;
        let scale = a.reach + reach_b + translation.length();
        // The products of three sizes, and of their rounding errors, must be representable.
        if !(scale.is_finite() && a.reach > 1e-6 * scale && reach_b > 1e-6 * scale) {
            return None;
        }
        let rows = |m: glam::DMat3| m.transpose().to_cols_array_2d().map(|r| r.map(|x| x as f32));
        // Moved vertices, and the origins here, are rounded in f64, which matters far from the origin.
        let far = a.origin.abs().max_element()
            + b.origin.abs().max_element()
            + pose.translation().abs().max_element()
            + a.reach / a.scale
            + b.reach / b.scale;
        let rounding = far * f64::EPSILON * 16.0;
        let margin = scale * f64::from(f32::EPSILON) * 24.0 + rounding * a.scale;
        let map = |m: glam::DMat3, unit: f64, t: Vec3, margin: f64| Map {
            rotation: rows(m * (1.0 / unit)),
            back: rows(m.transpose() * unit),
            size: rows(m.abs() * (1.0 / unit)),
            size_back: rows(m.abs().transpose() * unit),
            translation: t.as_vec3().to_array(),
            margin: margin as f32,
            margin_back: (margin * unit) as f32,
            to_node: unit as f32,
        };
        let back = rotation.transpose();
        Some(Self {
            from_b: map(rotation, unit, translation, margin),
            from_a: map(back, 1.0 / unit, -(back * translation) * unit, margin * unit),
            to_b: rows(back * unit),
            unit: unit as f32,
            square_to_a: (1.0 / (unit * unit)) as f32,
            span: scale,
            coarse: (rounding * b.scale) as f32 * 1.000_001,
            back: back * unit,
            translation,
        })
    }

    /// Where the origin of A's leaf lies in the frame of B's leaf.
    #[inline(always)]
    pub(super) fn leaf_offset(&self, a: &[f64; 3], b: &[f64; 3]) -> [f32; 3] {
        let local = self.back * (Vec3::from_array(*a) - self.translation) - Vec3::from_array(*b);
        [local.x as f32, local.y as f32, local.z as f32]
    }

    /// Which of a node's boxes may overlap a single box of the other tree, one bit each: the three axes of each frame are tried.
    #[inline(always)]
    pub(super) fn overlaps<W: Wide>(
        &self,
        single: &LocalBox,
        single_is_a: bool,
        node: &Node,
    ) -> u32 {
        let map = if single_is_a { &self.from_b } else { &self.from_a };
        let (c, t, h, m) = (&single.center, &map.translation, &single.half, map.margin);
        let m_back = map.margin_back;
        let d = [c[0] - t[0], c[1] - t[1], c[2] - t[2]];
        let (r, z) = (&map.back, &map.size_back);
        let center = [row(&r[0], &d), row(&r[1], &d), row(&r[2], &d)];
        let extent = [row(&z[0], h) + m_back, row(&z[1], h) + m_back, row(&z[2], h) + m_back];
        let (node_center, node_half) =
            (Wide3::<W>::load(&node.center), Wide3::<W>::load(&node.half));
        let delta = node_center.sub(Wide3::splat(center));
        let reach = node_half.add(Wide3::splat(extent));
        let there = delta.mapped(&map.rotation, Wide3::splat([0.0; 3])).abs();
        let reach_there = node_half.mapped(&map.size, Wide3::splat([h[0] + m, h[1] + m, h[2] + m]));
        delta.abs().all_le(reach).and(there.all_le(reach_there)).bits()
    }
}

#[inline(always)]
pub(super) fn row(m: &[f32; 3], v: &[f32; 3]) -> f32 {
    m[0] * v[0] + m[1] * v[1] + m[2] * v[2]
}
