//! How far apart boxes are at least: one box of one tree against the eight of a node of the other, in `f32` and never too much.
//!
//! Three bounds, the best of which counts: the gap of the boxes along the axes of either frame, and the gap along one direction, that from
//! A to B where they are closest as far as is known. Derivation of the margins: `docs/notes/distance.md`.

use super::lanes::{Wide, Wide3};
use super::node::{LocalBox, Node};
use super::relative::{Relative, row};

/// The share of the margin of the overlap test ([`Relative`]) that covers these bounds.
const MARGIN: f32 = 1.4;

/// What a search is after: pairs not further apart than a limit, and where to look for a gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// The limit in A's local unit and in B's, rounded up.
    pub(super) limit_a: f32,
    pub(super) limit_b: f32,
    /// The square of the limit in A's local unit, rounded up.
    pub(super) square: f32,
    /// A direction from A to B in the local axes of A and of B, not longer than one; zero if none is known.
    pub(super) toward_a: [f32; 3],
    pub(super) toward_b: [f32; 3],
    /// The same in A's axes with all digits, neither rounded nor shortened.
    pub(super) toward: glam::DVec3,
}

/// For each of a node's boxes: the square of a lower bound of its distance from a single box of the other tree, in A's local unit. Infinite for empty slots.
#[inline(always)]
pub(super) fn squares_apart<W: Wide>(
    relative: &Relative,
    goal: &Goal,
    single: &LocalBox,
    single_is_a: bool,
    node: &Node,
) -> W {
    let (map, single_square, node_square) = if single_is_a {
        (&relative.from_b, 1.0, relative.square_to_a)
    } else {
        (&relative.from_a, relative.square_to_a, 1.0)
    };
    let (toward_single, toward_node, sign) = if single_is_a {
        (&goal.toward_a, &goal.toward_b, 1.0)
    } else {
        (&goal.toward_b, &goal.toward_a, -1.0)
    };
    let (c, t, h) = (&single.center, &map.translation, &single.half);
    let (m, m_back) = (map.margin * MARGIN, map.margin_back * MARGIN);
    let d = [c[0] - t[0], c[1] - t[1], c[2] - t[2]];
    let (r, z) = (&map.back, &map.size_back);
    let center = [row(&r[0], &d), row(&r[1], &d), row(&r[2], &d)];
    let extent = [row(&z[0], h) + m_back, row(&z[1], h) + m_back, row(&z[2], h) + m_back];
    let (node_center, node_half) = (Wide3::<W>::load(&node.center), Wide3::<W>::load(&node.half));
    let zero = Wide3::splat([0.0; 3]);
    let delta = node_center.sub(Wide3::splat(center));
    // Along the node's axes.
    let gap = delta.abs().sub(node_half.add(Wide3::splat(extent))).max(zero);
    let here = gap.dot(gap).mul(W::splat(node_square));
    // Along the single box's axes.
    let far = delta.mapped(&map.rotation, zero).abs();
    let reach = node_half.mapped(&map.size, Wide3::splat([h[0] + m, h[1] + m, h[2] + m]));
    let gap = far.sub(reach).max(zero);
    let there = gap.dot(gap).mul(W::splat(single_square));
    // Along the direction. The single box's own extent is in its unit.
    let n = toward_node;
    let to_node = map.to_node;
    let own = (toward_single[0].abs() * h[0] + toward_single[1].abs() * h[1]
        + toward_single[2].abs() * h[2])
        * to_node
        + m_back;
    let size = [n[0].abs(), n[1].abs(), n[2].abs()];
    let along = Wide3::<W>::splat([n[0] * sign, n[1] * sign, n[2] * sign]).dot(delta);
    let gap = along.sub(Wide3::<W>::splat(size).dot_add(node_half, W::splat(own))).max(W::splat(0.0));
    let straight = gap.mul(gap).mul(W::splat(node_square));
    here.max(there).max(straight)
}
