//! How two trees stand to each other: the pose of B in A's frame, in the trees' local frames and in
//! `f32`.

use crate::math::{Pose, Vec3};
use crate::wide::{Wide, Wide3};

use super::Tree;
use super::frame::Frame;
use super::leaf::Leaf;
use super::node::{LocalBox, Node};

/// The way from one frame to another, whose units may differ: a point `x` lies at
/// `rotation * x + translation`, a box of half sides `h` has half sides `size * h`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Map {
    pub(super) rotation: [[f32; 3]; 3],
    pub(super) size: [[f32; 3]; 3],
    pub(super) translation: [f32; 3],
    /// The rotation without the change of unit, for directions.
    pub(super) turn: [[f32; 3]; 3],
    /// The unit of the frame it comes from, in that of the frame it leads to.
    pub(super) unit: f32,
    /// Boxes and sheets are grown by this, in the frame it leads to: more than rounding in `f32`
    /// can move anything.
    pub(super) margin: f32,
}

/// More than denormal products lose where a vertex or an origin is moved: each is off by half of
/// the smallest number, three of them a coordinate, and there are three such sums.
pub(super) const DENORMAL: f64 = 32.0 * 5e-324;

/// Meshes smaller than this in their local unit are so small that no power of two brings them near
/// one.
pub(super) const LEAST_REACH: f64 = 0.25;

/// Half an ulp of one in `f32`.
pub(super) const UNIT: f32 = f32::EPSILON / 2.0;

/// A leaf of A in the frame of a leaf of B.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Where its origin lies.
    pub(super) offset: [f32; 3],
    /// No two corners are further apart than this, and no corner is further from the origin.
    pub(super) spread: f32,
}

/// The relative position of two trees.
#[derive(Clone, Debug)]
pub(super) struct Relative {
    pub(super) to_a: Map,
    pub(super) to_b: Map,
    /// The rotation from B's axes to A's with full digits.
    pub(super) turn: glam::DMat3,
    /// From A's frame to B's with full digits, and where B's origin lies in A's frame.
    back: glam::DMat3,
    translation: Vec3,
    /// No two points of the meshes are further apart than this, in A's local unit.
    pub(super) span: f64,
    /// How far a vertex may be off in B's local unit because it was moved and rounded in `f64`.
    pub(super) coarse: f32,
}

impl Relative {
    /// `None` if one of the meshes is a million times smaller than the other, or than the distance
    /// between them: too much for `f32`. Also if one is smaller than what `f64` rounding does to
    /// its coordinates, or than the smallest normal number: boxes of the tree would tell nothing
    /// apart.
    #[inline(always)]
    pub(super) fn new(a: &Tree, b: &Tree, pose: &Pose) -> Option<Self> {
        // Everything in A's local unit. A's unit in B's, and the other way round, are powers of
        // two.
        let (frame_a, frame_b) = (&a.frame, &b.frame);
        let (unit, unit_b) = (frame_b.scale * frame_a.unit, frame_a.scale * frame_b.unit);
        let (rotation, origin) = Frame::relative(frame_a, frame_b, pose);
        let translation = origin * frame_a.scale;
        let reach_b = b.reach * unit_b;
        let scale = a.reach + reach_b + translation.length();
        // Moved vertices, and the origins here, are rounded in f64, which matters far from the
        // origin.
        let largest = a.largest + b.largest + pose.translation().abs().max_element();
        let rounding =
            largest * f64::EPSILON * 32.0 * Frame::roundings(frame_a, frame_b) + DENORMAL;
        // The products of three sizes, and of their rounding errors, must be representable.
        let least = a.reach.min(reach_b);
        if !(scale.is_finite()
            && least > 1e-6 * scale
            && least >= rounding * frame_a.scale
            && a.reach.min(b.reach) >= LEAST_REACH)
        {
            return None;
        }
        let margin = scale * f64::from(f32::EPSILON) * 64.0 + rounding * frame_a.scale;
        let map = |m: glam::DMat3, unit: f64, t: Vec3, margin: f64| {
            let unit = unit as f32;
            // Row by row and written out, so that nothing goes through memory before it is all
            // there. The unit is a power of two: products with it are exact.
            let row = |x: f64, y: f64, z: f64| {
                let turn = [x as f32, y as f32, z as f32];
                let rotation = [turn[0] * unit, turn[1] * unit, turn[2] * unit];
                (turn, rotation, [rotation[0].abs(), rotation[1].abs(), rotation[2].abs()])
            };
            let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
            let rows = (row(x.x, y.x, z.x), row(x.y, y.y, z.y), row(x.z, y.z, z.z));
            Map {
                rotation: [rows.0.1, rows.1.1, rows.2.1],
                size: [rows.0.2, rows.1.2, rows.2.2],
                translation: [t.x as f32, t.y as f32, t.z as f32],
                turn: [rows.0.0, rows.1.0, rows.2.0],
                unit,
                margin: margin as f32,
            }
        };
        // Not the transpose: a pose may be as far from a rotation as its tolerance allows, which is
        // more than the leaves' own frames bear.
        let back = rotation.inverse();
        Some(Self {
            to_a: map(rotation, unit_b, translation, margin),
            to_b: map(back, unit, -(back * translation) * unit, margin * unit),
            coarse: (rounding * frame_b.scale) as f32 * 1.000_001,
            back: back * unit,
            span: scale,
            turn: rotation,
            translation,
        })
    }

    /// Grows every box and sheet by `more`, in A's local unit: what is then told apart is at least
    /// so far apart.
    pub(super) fn widen(&mut self, more: f64) {
        // Rounded up: the margin may be off by half an ulp of itself.
        let grown = |margin: f32, more: f64| ((f64::from(margin) + more) * (1.0 + 1e-6)) as f32;
        self.to_a.margin = grown(self.to_a.margin, more);
        self.to_b.margin = grown(self.to_b.margin, more * f64::from(self.to_b.unit));
    }

    /// How two leaves stand to each other.
    #[inline(always)]
    pub(super) fn place(&self, a: &Leaf, b: &Leaf) -> Place {
        let wide = |v: &[f32; 3]| Vec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]));
        // In f64, so that both leaves' coordinates stay small.
        let local = self.back * (wide(&a.origin) - self.translation) - wide(&b.origin);
        let offset = [local.x as f32, local.y as f32, local.z as f32];
        let distance =
            (offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]).sqrt();
        Place { offset, spread: (distance + a.reach * self.to_b.unit + b.reach) * 1.000_01 }
    }
}

impl Node {
    /// A mask of the boxes that may overlap a single one of the other tree: the three axes of each
    /// frame are tried. `to_node` leads from the frame of the single box to that of the node,
    /// `to_box` back.
    #[inline(always)]
    pub(super) fn meets_box<W: Wide>(&self, single: &LocalBox, to_node: &Map, to_box: &Map) -> W {
        let center = to_node.point(&single.center);
        let extent = to_node.extent(&single.half);
        let (node_center, node_half) =
            (Wide3::<W>::load(&self.center), Wide3::<W>::load(&self.half));
        let delta = node_center.sub(Wide3::splat(center));
        let reach = node_half.add(Wide3::splat(extent));
        let there = delta.mapped(&to_box.rotation, Wide3::splat([0.0; 3])).abs();
        let (h, m) = (&single.half, to_box.margin);
        let reach_there =
            node_half.mapped(&to_box.size, Wide3::splat([h[0] + m, h[1] + m, h[2] + m]));
        delta.abs().all_le(reach).and(there.all_le(reach_there))
    }
}

impl Map {
    #[inline(always)]
    pub(super) fn point(&self, v: &[f32; 3]) -> [f32; 3] {
        let [x, y, z] = product(&self.rotation, v);
        [x + self.translation[0], y + self.translation[1], z + self.translation[2]]
    }

    #[inline(always)]
    pub(super) fn extent(&self, h: &[f32; 3]) -> [f32; 3] {
        let [x, y, z] = product(&self.size, h);
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
