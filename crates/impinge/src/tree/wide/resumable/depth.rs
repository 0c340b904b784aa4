//! Bounds of the depth and of the distance of two boxes, in `f32`.

use crate::wide::Wide;

use super::super::Tree;
use super::super::node::{Link, LocalBox};
use super::super::relative::Relative;

/// The map from boxes of B to A's axes: a centre in the first lanes, half sides in the others. The
/// lanes are in memory, because it takes longer to bring them to registers than to compare two
/// boxes, and a part of a search may compare none.
#[derive(Debug)]
pub(super) struct BoxMap {
    columns: [[f32; 8]; 3],
    shift: [f32; 8],
    margin: f32,
}

/// Positive in the lanes of the centre.
const CENTER: [f32; 8] = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];

impl BoxMap {
    #[inline(never)]
    pub(super) fn new(relative: &Relative) -> Self {
        let map = &relative.to_a;
        let (m, abs, t) = (&map.matrix, &map.abs_matrix, &map.translation);
        let column =
            |k: usize| [m[0][k], m[1][k], m[2][k], 0.0, abs[0][k], abs[1][k], abs[2][k], 0.0];
        Self {
            columns: [column(0), column(1), column(2)],
            shift: [t[0], t[1], t[2], 0.0, map.margin, map.margin, map.margin, 0.0],
            margin: map.margin,
        }
    }

    /// Upper bound of the length of the translation, along an axis of A's tree, that separates two
    /// boxes, in A's local unit; zero if they are apart.
    #[inline(always)]
    pub(super) fn depth_of_boxes<W: Wide>(&self, a: &LocalBox, b: &LocalBox) -> f32 {
        let at = W::splat(0.0).lt(W::load(&CENTER));
        let (x, y, z) = (
            at.select(W::splat(b.center[0]), W::splat(b.half[0])),
            at.select(W::splat(b.center[1]), W::splat(b.half[1])),
            at.select(W::splat(b.center[2]), W::splat(b.half[2])),
        );
        let [i, j, k] = &self.columns;
        let (i, j, k) = (W::load(i), W::load(j), W::load(k));
        let moved = k.mul_add(z, j.mul_add(y, i.mul(x))).add(W::load(&self.shift)).array();
        let x = a.half[0] + moved[4] - (moved[0] - a.center[0]).abs();
        let y = a.half[1] + moved[5] - (moved[1] - a.center[1]).abs();
        let z = a.half[2] + moved[6] - (moved[2] - a.center[2]).abs();
        let least = if y < x { y } else { x };
        let least = if z < least { z } else { least };
        // The extent has the margin already; the second one is for the sums here.
        (least + self.margin).max(0.0)
    }
}

impl Relative {
    /// As [`BoxMap::depth_of_boxes`], for any two positions: along the shortest side of either box.
    #[inline(always)]
    pub(super) fn depth_of_sizes(&self, a: &LocalBox, b: &LocalBox) -> f32 {
        let thinnest = |h: &[f32; 3]| h[0].min(h[1]).min(h[2]);
        let unit = self.to_a.unit;
        let along_a = thinnest(&a.half) + b.size() * unit;
        let along_b = thinnest(&b.half) * unit + a.size();
        let least = if along_a < along_b { along_a } else { along_b };
        least * 1.000_01 + 2.0 * self.to_a.margin
    }

    /// Lower bound of the distance of two boxes, in A's local unit: along the axes of A's tree.
    pub(super) fn gap_of_boxes(&self, a: &LocalBox, b: &LocalBox) -> f64 {
        let (center, extent) = (self.to_a.point(&b.center), self.to_a.extent(&b.half));
        let mut square = 0.0;
        for k in 0..3 {
            // The extent has the margin already; the second one is for the sums here.
            let apart = (center[k] - a.center[k]).abs() - (a.half[k] + extent[k]);
            let gap = f64::from(apart - self.to_a.margin).max(0.0);
            square += gap * gap;
        }
        square.sqrt() * (1.0 - 1e-14)
    }
}

impl Tree {
    /// The box of a subtree.
    #[inline(always)]
    pub(super) fn box_of(&self, link: Link) -> LocalBox {
        if link.is_leaf() {
            self.leaves[link.index()].bounds()
        } else {
            self.nodes[link.index()].bounds
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::samples;
    use super::*;
    use crate::wide::dispatch::Baseline;

    /// The bound, coordinate by coordinate.
    fn depth(relative: &Relative, a: &LocalBox, b: &LocalBox) -> f32 {
        let (center, extent) = (relative.to_a.point(&b.center), relative.to_a.extent(&b.half));
        let overlap = |k: usize| a.half[k] + extent[k] - (center[k] - a.center[k]).abs();
        let least = overlap(0).min(overlap(1)).min(overlap(2));
        (least + relative.to_a.margin).max(0.0)
    }

    #[test]
    fn vectors_and_scalars_give_the_same_depths() {
        let mut compared = 0;
        samples::pairs(31, [0.0, 1.0, 2.0], |a, b, pose| {
            let (a, b) = (a.tree(), b.tree());
            let relative = Relative::new(a, b, pose).unwrap();
            let map = BoxMap::new(&relative);
            for (m, n) in a.nodes.iter().take(9).flat_map(|m| b.nodes.iter().map(move |n| (m, n))) {
                let (m, n) = (&m.bounds, &n.bounds);
                assert_eq!(map.depth_of_boxes::<Baseline>(m, n), depth(&relative, m, n));
                compared += 1;
            }
        });
        assert!(compared > 100, "{compared}");
    }
}
