//! The hull of points in one plane: a polygon with a face on either side.
//!
//! Andrew 1979, "Another efficient algorithm for convex hulls in two dimensions", on the projection
//! along a coordinate axis. The projection is one-to-one because the plane is not parallel to the
//! axis.

use super::hull::Topology;
use crate::arrays::MapEach;
use crate::exact::{Sign, orient2d};
use crate::math::{Vec3, drop_axis};
use crate::order::sort_by;

/// The sources of the corners, in order around the polygon, and the topology. `corners` are three
/// points of the plane that turn left when the axis `drop` is left out.
pub(super) fn polygon(points: &[Vec3], corners: [u32; 3], drop: usize) -> (Vec<u32>, Topology) {
    let project = |i: u32| drop_axis(points[i as usize], drop);
    let mut order = candidates(points, corners, drop);
    // Adding zero gives both zeros one sign.
    let key = |i: u32| project(i).map_each(|c| c + 0.0);
    sort_by(&mut order, &|i, j| {
        let ([a, b], [c, d]) = (key(*i), key(*j));
        a.total_cmp(&c).then(b.total_cmp(&d)).then(i.cmp(j))
    });
    order.dedup_by(|i, j| key(*i) == key(*j));

    let mut ring = Vec::new();
    extend(&mut ring, order.iter().copied(), project);
    ring.pop();
    let mut upper = Vec::new();
    extend(&mut upper, order.iter().rev().copied(), project);
    upper.pop();
    ring.append(&mut upper);
    let topology = topology(ring.len() as u32);
    (ring, topology)
}

/// Appends one half of the polygon's border: the sorted points without those where the border does
/// not turn left.
fn extend(
    chain: &mut Vec<u32>,
    sorted: impl Iterator<Item = u32>,
    project: impl Fn(u32) -> [f64; 2],
) {
    for i in sorted {
        while let [.., a, b] = chain.as_slice() {
            if orient2d(project(*a), project(*b), project(i)) == Sign::Positive {
                break;
            }
            chain.pop();
        }
        chain.push(i);
    }
}

/// The points that are not strictly inside the triangle of the first three corners.
fn candidates(points: &[Vec3], corners: [u32; 3], drop: usize) -> Vec<u32> {
    let [a, b, c] = corners.map_each(|i| drop_axis(points[i as usize], drop));
    (0..points.len() as u32)
        .filter(|i| {
            let p = drop_axis(points[*i as usize], drop);
            [(a, b), (b, c), (c, a)].into_iter().any(|(u, v)| orient2d(u, v, p) != Sign::Positive)
        })
        .collect()
}

/// The two faces of a polygon of `count` points. The first one is counter-clockwise seen from its
/// own side.
fn topology(count: u32) -> Topology {
    let mut neighbors = Vec::with_capacity(2 * count as usize);
    for i in 0..count {
        neighbors.extend_from_slice(&[(i + 1) % count, (i + count - 1) % count]);
    }
    Topology {
        face_starts: vec![0, count, 2 * count],
        face_vertices: (0..count).chain((0..count).rev()).collect(),
        neighbor_starts: (0..=count).map(|i| 2 * i).collect(),
        neighbors,
    }
}
