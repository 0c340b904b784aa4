//! A plane sweep over the triangles in the overlap of the two boxes, along its longest axis.
//!
//! The sort by one axis is the plane sweep that Zachmann 1994, section 5.7, applies to whole
//! objects, here applied to the polygons that survive the collecting phase of section 3.2.

use crate::exact::triangles_intersect;
use crate::math::Aabb;

use super::{Posed, Sink};

/// Sends every pair of triangles that share a point to `sink`.
pub fn traverse(a: &Posed<'_>, b: &Posed<'_>, sink: &mut dyn Sink) {
    let region = a.bounds().intersection(&b.bounds());
    if region.is_empty() {
        return;
    }
    let (mut of_a, mut of_b) = (a.collect(&region), b.collect(&region));
    let extent = region.extent();
    let axis = (0..3).max_by(|i, j| extent[*i].total_cmp(&extent[*j])).unwrap_or(0);
    let start = |item: &(u32, Aabb)| item.1.min[axis];
    for list in [&mut of_a, &mut of_b] {
        list.sort_unstable_by(|p, q| start(p).total_cmp(&start(q)).then(p.0.cmp(&q.0)));
    }

    let mut meet = |i: u32, j: u32| -> bool {
        triangles_intersect(&a.triangle(i), &b.triangle(j)) && sink.pair(i, j).is_break()
    };
    // The box that starts first on the axis is compared with the boxes of the other list that start
    // before its end.
    let (mut i, mut j) = (0, 0);
    while i < of_a.len() && j < of_b.len() {
        if start(&of_a[i]) <= start(&of_b[j]) {
            let (t, bounds) = of_a[i];
            for (u, other) in of_b[j..].iter().take_while(|o| start(o) <= bounds.max[axis]) {
                if bounds.overlaps(other) && meet(t, *u) {
                    return;
                }
            }
            i += 1;
        } else {
            let (u, bounds) = of_b[j];
            for (t, other) in of_a[i..].iter().take_while(|o| start(o) <= bounds.max[axis]) {
                if bounds.overlaps(other) && meet(*t, u) {
                    return;
                }
            }
            j += 1;
        }
    }
}
