//! Pairs of triangles that are close to each other, without a tree: triangles in blocks of
//! neighbours, the nearest blocks first.
//!
//! Pairs of blocks whose boxes are further apart than the bound are skipped, and so are triangles
//! within a pair of blocks. Boxes have `f64` coordinates, so the method has no limits of size.

use std::ops::ControlFlow;

use crate::closest::{PRUNING_SLACK, triangle_triangle};
use crate::exact::triangles_intersect;
use crate::math::{Aabb, Vec3, length_down, length_up};
use crate::order::sort_by;

use super::blocks::{Block, blocks};
use super::{NearPair, NearSink, Posed};

/// Sends every pair of triangles whose certified lower bound does not exceed the sink's bound to
/// `sink`.
pub(super) fn traverse(a: &Posed<'_>, b: &Posed<'_>, sink: &mut dyn NearSink) {
    if a.is_empty() || b.is_empty() {
        return;
    }
    // For denormal numbers, the bounds of `closest` differ by a few units in the last place.
    let slack =
        length_up(a.bounds().union(&b.bounds()).extent()) * PRUNING_SLACK + f64::MIN_POSITIVE;
    let (blocks_a, blocks_b) = (blocks(&a.collect(&a.bounds())), blocks(&b.collect(&b.bounds())));
    // The nearest blocks first: a good first bound prunes most of the rest.
    let mut order: Vec<(f64, usize)> = blocks_a
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let gaps = blocks_b.iter().map(|q| box_gap(&p.bounds, &q.bounds));
            (gaps.fold(f64::INFINITY, f64::min), i)
        })
        .collect();
    sort_by(&mut order, &|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    let mut near = Vec::new();
    for (gap, i) in order {
        if gap > sink.bound() + slack {
            break;
        }
        let p = &blocks_a[i];
        near.clear();
        near.extend(blocks_b.iter().enumerate().map(|(j, q)| (box_gap(&p.bounds, &q.bounds), j)));
        sort_by(&mut near, &|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        for (gap, j) in &near {
            if *gap > sink.bound() + slack {
                break;
            }
            if report_near_pairs((a, p), (b, &blocks_b[*j]), slack, sink).is_break() {
                return;
            }
        }
    }
}

/// Sends the near pairs of two blocks to `sink`.
fn report_near_pairs(
    (a, p): (&Posed<'_>, &Block),
    (b, q): (&Posed<'_>, &Block),
    slack: f64,
    sink: &mut dyn NearSink,
) -> ControlFlow<()> {
    for (i, bounds) in &p.triangles {
        if box_gap(bounds, &q.bounds) > sink.bound() + slack {
            continue;
        }
        let t = a.triangle(*i);
        for (j, other) in &q.triangles {
            if box_gap(bounds, other) > sink.bound() + slack {
                continue;
            }
            let u = b.triangle(*j);
            if triangles_intersect(&t, &u) {
                sink.meet(*i, *j)?;
            }
            let closest = triangle_triangle(&t, &u);
            if closest.lower <= sink.bound() {
                sink.pair(&NearPair::new(*i, *j, closest))?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// A certain lower bound of the distance between points of two boxes.
fn box_gap(p: &Aabb, q: &Aabb) -> f64 {
    length_down((p.min - q.max).max(q.min - p.max).max(Vec3::ZERO))
}
