//! Bounds of the depth and of the distance of two boxes, in `f32`.

use crate::wide::Wide;

use super::super::Tree;
use super::super::node::{Link, LocalBox};
use super::super::relative::Relative;

/// The map from boxes of B to A's axes: a centre in the first lanes, half sides in the others.
pub(super) struct BoxMap<W> {
    columns: [W; 3],
    shift: W,
    /// The lanes of the centre.
    is_center: W,
    margin: f32,
}

impl<W: Wide> BoxMap<W> {
    #[inline(always)]
    pub(super) fn new(relative: &Relative) -> Self {
        let map = &relative.to_a;
        let mut columns = [W::splat(0.0); 3];
        for k in 0..3 {
            let (m, abs) = (&map.matrix, &map.abs_matrix);
            columns[k] =
                W::from_halves(&[m[0][k], m[1][k], m[2][k]], &[abs[0][k], abs[1][k], abs[2][k]]);
        }
        Self {
            columns,
            shift: W::from_halves(&map.translation, &[map.margin; 3]),
            is_center: W::splat(0.0).lt(W::from_halves(&[1.0; 3], &[0.0; 3])),
            margin: map.margin,
        }
    }

    /// Upper bound of the length of the translation, along an axis of A's tree, that separates two
    /// boxes, in A's local unit; zero if they are apart.
    #[inline(always)]
    pub(super) fn depth_of_boxes(&self, a: &LocalBox, b: &LocalBox) -> f32 {
        let at = self.is_center;
        let (x, y, z) = (
            at.select(W::splat(b.center[0]), W::splat(b.half[0])),
            at.select(W::splat(b.center[1]), W::splat(b.half[1])),
            at.select(W::splat(b.center[2]), W::splat(b.half[2])),
        );
        let [i, j, k] = self.columns;
        let moved = k.mul_add(z, j.mul_add(y, i.mul(x))).add(self.shift).array();
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
            let map = BoxMap::<Baseline>::new(&relative);
            for (m, n) in a.nodes.iter().take(9).flat_map(|m| b.nodes.iter().map(move |n| (m, n))) {
                let (m, n) = (&m.bounds, &n.bounds);
                assert_eq!(map.depth_of_boxes(m, n), depth(&relative, m, n));
                compared += 1;
            }
        });
        assert!(compared > 100, "{compared}");
    }
}
